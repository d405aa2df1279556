//! Splits text into lines on a large buffer, without an allocation a line.

use super::super::error::ImportError;
use super::super::source::{LONGEST_LINE, Text};
use std::io::{ErrorKind, Read};
use std::path::Path;

const BLOCK: usize = 1 << 20;

/// Calls `each` with the number and the bytes of every line, without its line break.
pub(super) fn for_each(
    text: &mut Text<'_>,
    path: &Path,
    mut each: impl FnMut(u64, &[u8]) -> Result<(), ImportError>,
) -> Result<(), ImportError> {
    let mut buffer = vec![0; BLOCK];
    let mut held = 0;
    let mut line = text.lines;
    loop {
        if held == buffer.len() {
            if held >= LONGEST_LINE {
                let (file, format) = (path.into(), text.format.name());
                return Err(ImportError::LongLine { file, line: line + 1, limit: LONGEST_LINE, format });
            }
            buffer.resize(held * 2, 0);
        }
        let read = match text.read(&mut buffer[held..]) {
            Ok(read) => read,
            Err(e) if e.kind() == ErrorKind::Interrupted => continue,
            Err(e) => return Err(text.failure(path, line, e)),
        };
        if read == 0 {
            return if held > 0 { each(line + 1, without_return(&buffer[..held])) } else { Ok(()) };
        }
        let mut start = 0;
        // What was held before has no line break, so that a long line is not searched again and again.
        for end in memchr::memchr_iter(b'\n', &buffer[held..held + read]).map(|at| held + at) {
            line += 1;
            each(line, without_return(&buffer[start..end]))?;
            start = end + 1;
        }
        buffer.copy_within(start..held + read, 0);
        held = held + read - start;
    }
}

fn without_return(line: &[u8]) -> &[u8] {
    line.strip_suffix(b"\r").unwrap_or(line)
}
