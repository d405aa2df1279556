//! Embeddings on disk: `embeddings/NAME.safetensors` in the corpus's folder.
//!
//! The tensor `pages` has a row of 32-bit floats for each page; the metadata's entry `llamafur` says of what it is made, with the
//! sum of its bytes and a checksum of itself. Whatever does not fit the corpus as it is, is made anew.

use super::{Embedding, Kind};
use crate::corpus::signed::{self, Refused};
use crate::corpus::{AtomicFile, BLOCK, Corpus, CorpusError, mmap};
use crate::progress::Progress;
use safetensors::SafeTensors;
use safetensors::tensor::{Dtype, SafeTensorError, TensorView};
use serde::{Deserialize, Serialize};
use std::collections::HashMap;
use std::io::Write;
use std::path::{Path, PathBuf};

/// The version of the format that this program writes and reads; another one also where vectors are found otherwise.
pub const EMBEDDING_VERSION: u32 = 1;

const FORMAT: &str = "llamafur embedding";
const METADATA_KEY: &str = "llamafur";
const TENSOR: &str = "pages";
const FOLDER: &str = "embeddings";

/// What the metadata says.
#[derive(Serialize, Deserialize)]
struct Header {
    kind: String,
    rank: usize,
    pages: usize,
    /// The checksum of what it is made of.
    made_of: String,
    /// The BLAKE3 of the tensor's bytes.
    sum: String,
}

/// Where a corpus keeps an embedding.
fn path(corpus: &Corpus, kind: Kind) -> PathBuf {
    corpus.path().join(FOLDER).join(file_name(kind))
}

fn file_name(kind: Kind) -> String {
    format!("{}.safetensors", kind.name)
}

/// The embedding that the corpus keeps, if it is made of the same; else it is made, and kept. That the file is damaged, or
/// cannot be written, is noted.
pub(super) fn kept_or_made(
    corpus: &Corpus,
    kind: Kind,
    made_of: &str,
    progress: &mut dyn Progress,
    make: impl FnOnce(&mut dyn Progress) -> Result<Embedding, CorpusError>,
) -> Result<Embedding, CorpusError> {
    let path = path(corpus, kind);
    let kept = if path.exists() { read(&path) } else { Ok(None) };
    let kept = kept.unwrap_or_else(|_| {
        progress.note(&format!("{} is damaged, and made again", path.display()));
        None
    });
    if let Some((header, embedding)) = kept
        && (header.rank, header.pages, &header.made_of[..]) == (kind.rank, corpus.num_pages(), made_of)
    {
        return Ok(embedding);
    }
    let embedding = make(progress)?;
    if let Err(error) = write(&path, kind, made_of, corpus.num_pages(), &embedding) {
        progress.note(&format!("the embedding by {} is not kept: {error}", kind.name));
    }
    Ok(embedding)
}

fn tensor_error(path: &Path, error: SafeTensorError) -> CorpusError {
    CorpusError::damaged(path, error.to_string(), "an embedding")
}

/// What a file holds; `None` if it is of another version.
fn read(path: &Path) -> Result<Option<(Header, Embedding)>, CorpusError> {
    let map = mmap::map(path)?;
    let (_, metadata) = SafeTensors::read_metadata(&map).map_err(|e| tensor_error(path, e))?;
    let text = metadata.metadata().as_ref().and_then(|entries| entries.get(METADATA_KEY));
    let text =
        text.ok_or_else(|| CorpusError::damaged(path, "no entry “llamafur”", "an embedding's settings"))?;
    let header: Header = match signed::parse(path, text, (FORMAT, EMBEDDING_VERSION), "an embedding") {
        Ok((header, _)) => header,
        Err(Refused::Version(..)) => return Ok(None),
        Err(Refused::Damaged(error)) => return Err(error),
    };
    let tensors = SafeTensors::deserialize(&map).map_err(|e| tensor_error(path, e))?;
    let tensor = tensors.tensor(TENSOR).map_err(|e| tensor_error(path, e))?;
    if tensor.dtype() != Dtype::F32 || tensor.shape() != [header.pages, header.rank] {
        let found = format!("{:?} of shape {:?}", tensor.dtype(), tensor.shape());
        let expected = format!("F32 of shape [{}, {}]", header.pages, header.rank);
        return Err(CorpusError::damaged(path, found, expected));
    }
    if blake3::hash(tensor.data()).to_hex().as_str() != header.sum {
        return Err(CorpusError::damaged(path, "changed vectors", format!("checksum {}", header.sum)));
    }
    let numbers = tensor
        .data()
        .chunks_exact(4)
        .map(|bytes| f32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]));
    let embedding = Embedding { rank: header.rank, rows: numbers.collect() };
    Ok(Some((header, embedding)))
}

fn write(
    path: &Path,
    kind: Kind,
    made_of: &str,
    pages: usize,
    embedding: &Embedding,
) -> Result<(), CorpusError> {
    let folder = path.parent().unwrap_or(path);
    std::fs::create_dir_all(folder).map_err(CorpusError::io(folder))?;
    let bytes: Vec<u8> = embedding.rows.iter().flat_map(|x| x.to_le_bytes()).collect();
    let sum = blake3::hash(&bytes).to_hex().to_string();
    let header = Header { kind: kind.name.into(), rank: kind.rank, pages, made_of: made_of.into(), sum };
    let (text, _) = signed::sign(FORMAT, EMBEDDING_VERSION, header);
    let tensor =
        TensorView::new(Dtype::F32, vec![pages, kind.rank], &bytes).map_err(|e| tensor_error(path, e))?;
    let metadata = HashMap::from([(METADATA_KEY.to_owned(), text)]);
    let file =
        safetensors::serialize([(TENSOR, tensor)], Some(metadata)).map_err(|e| tensor_error(path, e))?;
    let mut out = AtomicFile::create(path, BLOCK)?;
    out.write_all(&file).map_err(CorpusError::io(path))?;
    out.finish()?;
    Ok(())
}

/// Checks every byte of a corpus's embeddings; the names of their files.
///
/// # Errors
/// At the first damage found.
pub fn verify(corpus: &Corpus) -> Result<Vec<String>, CorpusError> {
    let mut files = Vec::new();
    for kind in [super::LINKS, super::TEXT] {
        let path = path(corpus, kind);
        if path.exists() {
            read(&path)?;
            files.push(format!("{FOLDER}/{}", file_name(kind)));
        }
    }
    Ok(files)
}
