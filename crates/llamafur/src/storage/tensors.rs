//! Signed safetensors files: tensors, and in the metadata one entry, `llamafur`, with a signed header.

use super::atomic::AtomicFile;
use super::checksum::{FileSums, SummingWriter};
use super::mmap::{self, CheckedMap, Mapped};
use super::signed::{self, Format, METADATA_KEY};
use crate::Error;
use bytemuck::Pod;
use safetensors::SafeTensors;
pub(crate) use safetensors::tensor::Dtype;
use safetensors::tensor::{Metadata, SafeTensorError, TensorInfo};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
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

/// Returns the sums of the blocks of all tensors, end to end.
pub(crate) fn block_sums(tensors: &[Tensor<'_>], block_size: usize) -> io::Result<Vec<u64>> {
    let mut sums = SummingWriter::new(io::sink(), block_size);
    tensors.iter().try_for_each(|tensor| sums.write_all(tensor.data))?;
    Ok(sums.finish().1.blocks)
}

/// The keys of a tensor's entry in the order in which a file has them.
pub(crate) type Keys = [&'static str; 3];

/// The keys of matrices.
pub(crate) const MATRIX_KEYS: Keys = ["data_offsets", "dtype", "shape"];

/// The keys as the writer of `safetensors` orders them.
pub(crate) const PLAIN_KEYS: Keys = ["dtype", "shape", "data_offsets"];

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
    let mut at = 0;
    let entries = tensors.iter().map(|Tensor { name, dtype, shape, data }| {
        let offsets = [at, at + data.len()];
        at += data.len();
        (name.as_str(), *dtype, shape.as_slice(), offsets)
    });
    let header = header_bytes(&text, entries.collect(), keys);
    let path = file.path().to_owned();
    for part in [&header[..]].into_iter().chain(tensors.iter().map(|tensor| tensor.data)) {
        file.write_all(part).map_err(Error::io(&path))?;
    }
    file.finish()
}

/// Returns the length of the header, and the header with these tensors: name, type, shape, and where the data begin
/// and end.
fn header_bytes(text: &str, tensors: Vec<(&str, Dtype, &[usize], [usize; 2])>, keys: Keys) -> Vec<u8> {
    let mut entries = vec![("__metadata__", serde_json::json!({ METADATA_KEY: text }).to_string())];
    for (name, dtype, shape, offsets) in tensors {
        let value = |key| match key {
            "dtype" => serde_json::json!(dtype),
            "shape" => serde_json::json!(shape),
            _ => serde_json::json!(offsets),
        };
        let entry = keys.map(|key| format!("\"{key}\":{}", value(key)));
        entries.push((name, format!("{{{}}}", entry.join(","))));
    }
    entries.sort();
    let entries: Vec<String> = entries.iter().map(|(name, entry)| format!("\"{name}\":{entry}")).collect();
    let mut header = format!("{{{}}}", entries.join(",")).into_bytes();
    // The tensors begin at a multiple of eight bytes, as the format asks.
    header.resize(header.len().next_multiple_of(8), b' ');
    [&(header.len() as u64).to_le_bytes()[..], &header].concat()
}

/// The sums that a header may have: of the blocks of all tensors, or of all their bytes.
#[derive(Deserialize)]
struct DataSums {
    block_bytes: Option<usize>,
    blocks: Option<Vec<String>>,
    sum: Option<String>,
}

/// Checks every byte of a file with tensors, of any format.
pub(crate) fn verify(path: &Path) -> Result<(), Error> {
    let damaged = |found: String, expected: &str| Error::damaged(path, found, expected);
    let map = mmap::map(path)?;
    let (header_bytes, metadata) = SafeTensors::read_metadata(&map).map_err(|e| error_at(path, e))?;
    let data_at = header_bytes + 8;
    let text = metadata.metadata().as_ref().and_then(|entries| entries.get(METADATA_KEY));
    let text = text.ok_or_else(|| damaged("no entry “llamafur”".into(), "a signed header"))?;
    signed::verify(path, text)?;
    // The rest of the header has no checksum: it must be what is written for these tensors.
    let tensors = metadata.tensors();
    let as_written = |keys: Keys| {
        let entry = |(name, info): (&String, &&TensorInfo)| {
            let (start, end) = info.data_offsets;
            (name.clone(), info.dtype, info.shape.clone(), [start, end])
        };
        let entries: Vec<_> = tensors.iter().map(entry).collect();
        let entries = entries.iter().map(|(name, dtype, shape, ends)| (&name[..], *dtype, &shape[..], *ends));
        self::header_bytes(text, entries.collect(), keys) == map[..data_at]
    };
    if ![MATRIX_KEYS, PLAIN_KEYS].into_iter().any(as_written) {
        return Err(damaged("another header".into(), "the header of these tensors"));
    }
    let unreadable = |e: serde_json::Error| damaged(e.to_string(), "the sums of the tensors");
    let sums: DataSums = serde_json::from_str(text).map_err(unreadable)?;
    match sums {
        DataSums { block_bytes: Some(size), blocks: Some(blocks), .. } => {
            let (sums, summed) = (signed::sums_from_text(path, &blocks)?, data_at..map.len());
            CheckedMap::new(path.into(), map, summed, size.max(1), sums)?.check_all()
        }
        DataSums { sum: Some(sum), .. } => match blake3::hash(&map[data_at..]).to_hex().as_str() {
            found if found == sum => Ok(()),
            found => Err(damaged(format!("checksum {found}"), &sum)),
        },
        _ => Err(damaged("no sums".into(), "the sums of the tensors")),
    }
}

/// Returns the names of the files in a folder, without `.safetensors`, in order; none where there is no folder.
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

/// Returns the name of a file without the ending `.safetensors`.
pub(crate) fn stem(path: &Path) -> Option<&str> {
    path.file_name()?.to_str()?.strip_suffix(".safetensors")
}

/// A file whose header is checked and whose tensors are not.
pub(crate) struct TensorFile<H> {
    path: PathBuf,
    pub(crate) header: H,
    /// The start of the tensors.
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

    /// Returns whether there is a tensor of that name.
    pub(crate) fn has(&self, name: &str) -> bool {
        self.metadata.info(name).is_some()
    }

    /// Returns the start of a tensor, which must be of this type and shape.
    pub(crate) fn place(&self, name: &str, dtype: Dtype, shape: &[usize]) -> Result<usize, Error> {
        let missing = || error_at(&self.path, SafeTensorError::TensorNotFound(name.into()));
        let info = self.metadata.info(name).ok_or_else(missing)?;
        if info.dtype != dtype || info.shape != shape {
            let found = format!("tensor {name} of {:?} and shape {:?}", info.dtype, info.shape);
            return Err(Error::damaged(&self.path, found, format!("{dtype:?} of shape {shape:?}")));
        }
        let at = self.data_at + info.data_offsets.0;
        if !at.is_multiple_of(dtype.bitsize() / 8) {
            return Err(Error::damaged(
                &self.path,
                format!("tensor {name} from byte {at}"),
                "an aligned one",
            ));
        }
        Ok(at)
    }
}

fn error_at(path: &Path, error: SafeTensorError) -> Error {
    Error::damaged(path, error.to_string(), "a safetensors file")
}
