//! Splits text into lines on a large buffer, without an allocation a line. A line over the limit is not kept.

use super::super::error::ImportError;
use super::super::source::Text;
use std::io::{ErrorKind, Read};
use std::path::Path;

const BLOCK: usize = 1 << 20;

/// Calls `each` with the number and the bytes of every line, without its line break; without bytes if the line is too
/// long.
pub(super) fn for_each(
    text: &mut Text<'_>,
    path: &Path,
    mut each: impl FnMut(u64, Option<&[u8]>) -> Result<(), ImportError>,
) -> Result<(), ImportError> {
    let mut buffer = vec![0; BLOCK];
    let mut held = 0;
    let mut line = text.lines;
    let longest = text.longest;
    // Whether the line is longer than that, and its beginning was dropped.
    let mut is_long = false;
    let whole = |line: &[u8], is_long: bool| -> bool { !is_long && line.len() <= longest };
    loop {
        if held > longest {
            (is_long, held) = (true, 0);
        }
        if held == buffer.len() {
            buffer.resize(held * 2, 0);
        }
        let read = match text.read(&mut buffer[held..]) {
            Ok(read) => read,
            Err(e) if e.kind() == ErrorKind::Interrupted => continue,
            Err(e) => return Err(text.failure(path, line, e)),
        };
        if read == 0 {
            let last = &buffer[..held];
            return match held > 0 || is_long {
                true => each(line + 1, whole(last, is_long).then(|| without_return(last))),
                false => Ok(()),
            };
        }
        let mut start = 0;
        // What was held before has no line break, so that a long line is not searched again and again.
        for end in memchr::memchr_iter(b'\n', &buffer[held..held + read]).map(|at| held + at) {
            line += 1;
            let bytes = &buffer[start..end];
            each(line, whole(bytes, is_long).then(|| without_return(bytes)))?;
            (start, is_long) = (end + 1, false);
        }
        buffer.copy_within(start..held + read, 0);
        held = held + read - start;
    }
}

fn without_return(line: &[u8]) -> &[u8] {
    line.strip_suffix(b"\r").unwrap_or(line)
}
