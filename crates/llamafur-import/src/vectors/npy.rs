//! The header of a npy file: magic, version and length in ten or twelve bytes, and a Python dict with type, order and
//! shape.
//!
//! <https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html>

use super::foreign;
use super::rows::{Layout, expect_end};
use crate::input::{self, InputError};
use crate::table::ImportError;
use llamafur::Remedy;
use safetensors::tensor::Dtype;
use std::io::Read;
use std::path::Path;

/// Largest header that is read; those of plain arrays have some hundred bytes.
const LONGEST: u64 = 1 << 16;

/// Locates the array of a npy file, which must be complete.
pub(super) fn layout(path: &Path) -> Result<Layout, ImportError> {
    let mut bytes = Vec::new();
    input::open_file(path)?.take(LONGEST).read_to_end(&mut bytes).map_err(InputError::unreadable(path))?;
    let remedy = || {
        Remedy::advice("save it by numpy.save(file, numpy.ascontiguousarray(array, \"<f4\")), a row a vector")
    };
    let wrong = |found: &str| foreign(path, found, remedy());
    let (begin, length) = match bytes[..] {
        [0x93, b'N', b'U', b'M', b'P', b'Y', 1, _, a, b, ..] => (10, usize::from(u16::from_le_bytes([a, b]))),
        [0x93, b'N', b'U', b'M', b'P', b'Y', 2 | 3, _, a, b, c, d, ..] => {
            (12, u32::from_le_bytes([a, b, c, d]) as usize)
        }
        _ => return Err(wrong("not a npy file")),
    };
    let damaged = || wrong("a npy file whose header is damaged or cut off");
    let header = bytes.get(begin..begin + length).and_then(|header| str::from_utf8(header).ok());
    let header = header.ok_or_else(damaged)?;
    let value = |key: &str| {
        let after = header.split_once(&format!("'{key}':"));
        after.map(|(_, value)| value.trim_start()).ok_or_else(damaged)
    };
    let dtype = match value("descr")?.strip_prefix('\'').and_then(|kind| kind.split('\'').next()) {
        Some("<f2") => Dtype::F16,
        Some("<f4") => Dtype::F32,
        Some("<f8") => Dtype::F64,
        other => {
            let found = other.unwrap_or("structures");
            return Err(wrong(&format!("an array of {found}, expected <f2, <f4 or <f8")));
        }
    };
    if !value("fortran_order")?.starts_with("False") {
        return Err(wrong("an array in the order of Fortran, column by column"));
    }
    let shape = value("shape")?.strip_prefix('(').and_then(|shape| shape.split_once(')'));
    let sizes = shape.ok_or_else(damaged)?.0.split(',').map(str::trim).filter(|size| !size.is_empty());
    let shape = sizes.map(|size| size.parse().map_err(|_| damaged())).collect::<Result<Vec<_>, _>>()?;
    let layout = Layout::new(path, &shape, dtype, (begin + length) as u64, remedy())?;
    expect_end(path, layout.end())?;
    Ok(layout)
}
