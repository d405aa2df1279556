//! Rows of numbers end to end, as in npy and safetensors files, with their titles in a separate file.

use super::{Intake, MOST_DIMENSIONS, VectorsConf, foreign};
use crate::input::{self, InputError};
use crate::table::ImportError;
use half::{bf16, f16};
use llamafur::Remedy;
use llamafur::progress::Progress;
use safetensors::tensor::Dtype;
use std::io::{BufRead, BufReader, Read, Seek, SeekFrom};
use std::path::Path;

const BUFFER: usize = 256 << 10;
/// Upper bound of a title's bytes.
const LONGEST_LINE: u64 = 64 << 10;

/// Position and shape of the rows in a file.
pub(super) struct Layout {
    rows: u64,
    dimensions: usize,
    dtype: Dtype,
    at: u64,
}

impl Layout {
    /// Describes floats of this type and shape, which must be a table, from a place in the file; `remedy` is for
    /// another shape.
    pub(super) fn new(
        path: &Path,
        shape: &[usize],
        dtype: Dtype,
        at: u64,
        remedy: Remedy,
    ) -> Result<Layout, ImportError> {
        match *shape {
            [rows @ 1..=usize::MAX, dimensions @ 1..=MOST_DIMENSIONS] => {
                Ok(Layout { rows: rows as u64, dimensions, dtype, at })
            }
            _ => {
                let expected = format!("[rows, dimensions], of the latter 1 to {MOST_DIMENSIONS}");
                Err(foreign(path, format!("numbers in the shape {shape:?}, expected {expected}"), remedy))
            }
        }
    }

    /// Counts the bytes of a row.
    fn stride(&self) -> usize {
        self.dimensions * self.dtype.bitsize() / 8
    }

    /// Returns the offset at which the rows end.
    pub(super) fn end(&self) -> u64 {
        self.rows.saturating_mul(self.stride() as u64).saturating_add(self.at)
    }

    fn decode(&self, bytes: &[u8]) -> Vec<f32> {
        match self.dtype {
            Dtype::F16 => each(bytes, |bytes| f16::from_le_bytes(bytes).to_f32()),
            Dtype::BF16 => each(bytes, |bytes| bf16::from_le_bytes(bytes).to_f32()),
            Dtype::F32 => each(bytes, f32::from_le_bytes),
            _ => each(bytes, |bytes| f64::from_le_bytes(bytes) as f32),
        }
    }
}

fn each<const N: usize>(bytes: &[u8], number: impl Fn([u8; N]) -> f32) -> Vec<f32> {
    bytes.as_chunks().0.iter().map(|bytes| number(*bytes)).collect()
}

/// Fails unless the file has the length that its header gives.
pub(super) fn expect_end(path: &Path, expected: u64) -> Result<(), ImportError> {
    match input::size(path).filter(|found| *found != expected) {
        None => Ok(()),
        Some(found) => {
            let how = if found < expected { "cut off" } else { "too long" };
            let found = format!("{how}: it has {found} bytes, its header says {expected}");
            Err(foreign(path, found, Remedy::advice("copy or make the file again")))
        }
    }
}

/// Reads the rows, each with its title.
pub(super) fn read(
    layout: Layout,
    conf: &VectorsConf,
    progress: &mut dyn Progress,
    intake: &mut Intake<'_>,
) -> Result<(), ImportError> {
    let (path, of_titles) = (&conf.file, &conf.titles);
    // Counted before the first vector is read: a line too many would explain any other error.
    let count = titles(of_titles)?.try_fold(0, |count, title| title.map(|_| count + 1))?;
    if count != layout.rows {
        let found = format!("{count} titles for the {} vectors of {}", layout.rows, path.display());
        let remedy = Remedy::advice("write one title a line, in the order of the vectors, without a header");
        return Err(foreign(of_titles, found, remedy));
    }
    let mut file = input::open_file(path)?;
    file.seek(SeekFrom::Start(layout.at)).map_err(InputError::unreadable(path))?;
    let mut reader = BufReader::with_capacity(BUFFER, file);
    let mut bytes = vec![0; layout.stride()];
    for title in titles(of_titles)? {
        reader.read_exact(&mut bytes).map_err(InputError::unreadable(path))?;
        intake.take(&title?, &layout.decode(&bytes))?;
        progress.advance(bytes.len() as u64);
    }
    Ok(())
}

/// Returns the lines of a file, without whitespace around them.
fn titles(path: &Path) -> Result<impl Iterator<Item = Result<String, ImportError>>, ImportError> {
    let mut reader = BufReader::with_capacity(BUFFER, input::open_file(path)?);
    let lines = std::iter::from_fn(move || {
        let mut line = Vec::new();
        // A file of something else may be one line.
        let read = reader.by_ref().take(LONGEST_LINE).read_until(b'\n', &mut line);
        read.map(|read| (read > 0).then_some(line)).transpose()
    });
    let text = |line: Vec<u8>| match line.len() as u64 {
        LONGEST_LINE if line.last() != Some(&b'\n') => Err(format!("longer than {LONGEST_LINE} bytes")),
        _ => String::from_utf8(line).map_err(|_| "not UTF-8".to_owned()),
    };
    let lines = lines.map(move |line| line.map_err(|error| error.to_string()).and_then(text));
    Ok(lines.enumerate().map(move |(at, line)| match line {
        Ok(line) => Ok(line.trim_start_matches('\u{feff}').trim().to_owned()),
        Err(error) => {
            let remedy = Remedy::advice("save the titles as plain text in UTF-8, one a line");
            Err(foreign(path, format!("line {}: {error}", at + 1), remedy))
        }
    }))
}
