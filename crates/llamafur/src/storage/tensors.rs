//! Signed safetensors files: tensors, and in the metadata one entry, `llamafur`, with a signed header.

use super::atomic::AtomicFile;
use super::checksum::{FileSums, SummingWriter};
use super::mmap::{self, Mapped};
use super::signed::{self, Format, METADATA_KEY};
use crate::Error;
use bytemuck::Pod;
use safetensors::SafeTensors;
pub(crate) use safetensors::tensor::Dtype;
use safetensors::tensor::{Metadata, SafeTensorError};
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// A tensor as it is written.
pub(crate) struct Tensor<'a> {
    name: String,
    dtype: Dtype,
    shape: Vec<usize>,
    data: &'a [u8],
}

impl<'a> Tensor<'a> {
    pub(crate) fn new<T: Pod>(
        name: impl Into<String>,
        dtype: Dtype,
        shape: Vec<usize>,
        data: &'a [T],
    ) -> Tensor<'a> {
        Tensor { name: name.into(), dtype, shape, data: bytemuck::cast_slice(data) }
    }
}

/// The sums of the blocks of all tensors, end to end.
pub(crate) fn block_sums(tensors: &[Tensor<'_>], block_size: usize) -> io::Result<Vec<u64>> {
    let mut sums = SummingWriter::new(io::sink(), block_size);
    tensors.iter().try_for_each(|tensor| sums.write_all(tensor.data))?;
    Ok(sums.finish().1.blocks)
}

/// The keys of a tensor's entry in the order in which a file has them.
pub(crate) type Keys = [&'static str; 3];

/// Writes a file, whole or not at all: eight bytes with the length of the header, the header as JSON, the tensors.
///
/// By hand, since the writer of `safetensors` renames a file of its own, which we could neither lock nor
/// sync; what it would have refused is checked by its reader when the file is opened.
pub(crate) fn write<H: Serialize>(
    mut file: AtomicFile,
    format: &Format,
    keys: Keys,
    header: H,
    tensors: &[Tensor<'_>],
) -> Result<FileSums, Error> {
    let (text, _) = signed::sign(format, header);
    let mut entries = vec![("__metadata__", serde_json::json!({ METADATA_KEY: text }).to_string())];
    let mut at = 0;
    for Tensor { name, dtype, shape, data } in tensors {
        let offsets = [at, at + data.len()];
        let value = |key| match key {
            "dtype" => serde_json::json!(dtype),
            "shape" => serde_json::json!(shape),
            _ => serde_json::json!(offsets),
        };
        let entry = keys.map(|key| format!("\"{key}\":{}", value(key)));
        entries.push((name.as_str(), format!("{{{}}}", entry.join(","))));
        at += data.len();
    }
    entries.sort();
    let entries: Vec<String> = entries.iter().map(|(name, entry)| format!("\"{name}\":{entry}")).collect();
    let mut header = format!("{{{}}}", entries.join(",")).into_bytes();
    // The tensors begin at a multiple of eight bytes, as the format asks.
    header.resize(header.len().next_multiple_of(8), b' ');
    let path = file.path().to_owned();
    let length = (header.len() as u64).to_le_bytes();
    for part in [&length[..], &header].into_iter().chain(tensors.iter().map(|tensor| tensor.data)) {
        file.write_all(part).map_err(Error::io(&path))?;
    }
    file.finish()
}

/// The names of the files in a folder, without `.safetensors`, in order; none where there is no folder.
pub(crate) fn names_in(folder: &Path) -> Result<Vec<String>, Error> {
    if !folder.exists() {
        return Ok(Vec::new());
    }
    let mut names = Vec::new();
    for entry in fs::read_dir(folder).map_err(Error::io(folder))? {
        let file = entry.map_err(Error::io(folder))?.file_name().to_string_lossy().into_owned();
        if let Some(name) = file.strip_suffix(".safetensors").filter(|name| !name.starts_with('.')) {
            names.push(name.to_owned());
        }
    }
    names.sort();
    Ok(names)
}

/// A file whose header is checked and whose tensors are not.
pub(crate) struct TensorFile<H> {
    path: PathBuf,
    pub(crate) header: H,
    /// Where the tensors begin.
    pub(crate) data_at: usize,
    metadata: Metadata,
}

impl<H: Serialize + DeserializeOwned> TensorFile<H> {
    /// Opens a file of this format.
    pub(crate) fn open(path: &Path, format: &Format) -> Result<(TensorFile<H>, Mapped), Error> {
        let map = mmap::map(path)?;
        let (header_bytes, metadata) = SafeTensors::read_metadata(&map).map_err(|e| error_at(path, e))?;
        let text = metadata.metadata().as_ref().and_then(|entries| entries.get(METADATA_KEY));
        let text = text.ok_or_else(|| Error::damaged(path, "no entry “llamafur”", format.what))?;
        let (header, _) = signed::parse(path, text, format)?;
        Ok((TensorFile { path: path.into(), header, data_at: header_bytes + 8, metadata }, map))
    }

    /// Whether there is a tensor of that name.
    pub(crate) fn has(&self, name: &str) -> bool {
        self.metadata.info(name).is_some()
    }

    /// Where a tensor begins, which must be of this type and shape.
    pub(crate) fn place(&self, name: &str, dtype: Dtype, shape: &[usize]) -> Result<usize, Error> {
        let missing = || error_at(&self.path, SafeTensorError::TensorNotFound(name.into()));
        let info = self.metadata.info(name).ok_or_else(missing)?;
        if info.dtype != dtype || info.shape != shape {
            let found = format!("tensor {name} of {:?} and shape {:?}", info.dtype, info.shape);
            return Err(Error::damaged(&self.path, found, format!("{dtype:?} of shape {shape:?}")));
        }
        Ok(self.data_at + info.data_offsets.0)
    }
}

fn error_at(path: &Path, error: SafeTensorError) -> Error {
    Error::damaged(path, error.to_string(), "a safetensors file")
}
