//! The header of a safetensors file: its length in eight bytes, and JSON with the type, shape and place of each tensor.

use super::foreign;
use super::rows::{Layout, expect_end};
use crate::input::{self, InputError};
use crate::table::ImportError;
use llamafur::Remedy;
use safetensors::tensor::{Dtype, Metadata, TensorInfo};
use std::io::Read;
use std::path::Path;

/// The longest header that the format allows.
const LONGEST: u64 = 100_000_000;

/// Locates the tensor of that name, or the only suitable one. The file must be complete.
pub(super) fn layout(path: &Path, name: Option<&str>) -> Result<Layout, ImportError> {
    let unreadable = InputError::unreadable(path);
    let (mut file, mut length, mut header) = (input::open_file(path)?, Vec::new(), Vec::new());
    file.by_ref().take(8).read_to_end(&mut length).map_err(&unreadable)?;
    let data_at = length.try_into().map_or(0, u64::from_le_bytes).min(LONGEST) + 8;
    file.take(data_at - 8).read_to_end(&mut header).map_err(&unreadable)?;
    let metadata: Metadata = serde_json::from_slice(&header).map_err(|_| {
        let found = "not a safetensors file, or one whose header is damaged or cut off";
        foreign(path, found, Remedy::advice("copy or make the file again"))
    })?;
    expect_end(path, data_at + metadata.data_len() as u64)?;
    let names = metadata.offset_keys();
    let tensors: Vec<(&String, &TensorInfo)> =
        names.iter().filter_map(|name| Some((name, metadata.info(name)?))).collect();
    let is_float = |dtype| matches!(dtype, Dtype::F16 | Dtype::BF16 | Dtype::F32 | Dtype::F64);
    let is_meant = |tensor: &&(&String, &TensorInfo)| match name {
        Some(name) => tensor.0 == name,
        None => tensor.1.shape.len() == 2 && is_float(tensor.1.dtype),
    };
    let meant: Vec<_> = tensors.iter().filter(is_meant).collect();
    let all = tensors.iter().map(|(name, info)| format!("{name} ({:?}, {:?})", info.dtype, info.shape));
    let all = all.collect::<Vec<_>>().join(", ");
    let remedy = Remedy::Set { setting: "tensor", to: names.clone() };
    match meant[..] {
        [(_, info)] if is_float(info.dtype) => {
            let at = data_at + info.data_offsets.0 as u64;
            Layout::new(path, &info.shape, info.dtype, at, remedy)
        }
        _ => {
            let wanted = name.map_or("one tensor".into(), |name| format!("the tensor “{name}”"));
            let found = format!("holds {all}; expected {wanted} of two dimensions, F16, BF16, F32 or F64");
            Err(foreign(path, found, remedy))
        }
    }
}
