//! Embeddings on disk: `embeddings/NAME.safetensors` in the corpus's folder.
//!
//! The tensor `pages` has a row of 32-bit floats for each page; the metadata's entry `llamafur` says of what it is made, with the
//! sum of its bytes and a checksum of itself. A file that does not fit the corpus is made again.

use super::{Embedding, EmbeddingKind};
use crate::corpus::Corpus;
use crate::error::{Artifact, Error};
use crate::progress::{Cached, Note, Progress};
use crate::storage::BLOCK;
use crate::storage::signed::Format;
use crate::storage::tensors::{self, Dtype, Keys, Tensor, TensorFile};
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};

/// The version of the format that this program writes and reads; another one also where vectors are found otherwise.
pub(crate) const EMBEDDING_VERSION: u32 = 1;

const FORMAT: Format = Format {
    name: "llamafur embedding",
    version: EMBEDDING_VERSION,
    of: Artifact::Embedding,
    what: "an embedding's settings",
};
/// As the writer of `safetensors` has them.
const KEYS: Keys = ["dtype", "shape", "data_offsets"];
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
fn path(corpus: &Corpus, kind: EmbeddingKind) -> PathBuf {
    corpus.path().join(FOLDER).join(file_name(kind))
}

fn file_name(kind: EmbeddingKind) -> String {
    format!("{}.safetensors", kind.name)
}

/// The embedding that the corpus keeps, if it is made of the same; else it is made, and kept. That the file is damaged, or
/// cannot be written, is noted.
pub(super) fn kept_or_made(
    corpus: &Corpus,
    kind: EmbeddingKind,
    made_of: &str,
    progress: &mut dyn Progress,
    make: impl FnOnce(&mut dyn Progress) -> Result<Embedding, Error>,
) -> Result<Embedding, Error> {
    let path = path(corpus, kind);
    let kept = if path.exists() { read(&path) } else { Ok(None) };
    let kept = kept.unwrap_or_else(|_| {
        progress.note(Note::Rebuilt { path: path.clone() });
        None
    });
    if let Some((header, embedding)) = kept
        && (header.rank, header.pages, &header.made_of[..]) == (kind.rank, corpus.num_pages(), made_of)
    {
        return Ok(embedding);
    }
    let embedding = make(progress)?;
    if let Err(error) = write(&path, kind, made_of, corpus.num_pages(), &embedding) {
        let what = Cached::Embedding { kind: kind.name };
        progress.note(Note::NotCached { what, error: error.to_string() });
    }
    Ok(embedding)
}

/// What a file holds; `None` if it is of another version.
fn read(path: &Path) -> Result<Option<(Header, Embedding)>, Error> {
    let file: TensorFile<Header> = match TensorFile::open(path, &FORMAT) {
        Ok(file) => file,
        Err(Error::Version { .. }) => return Ok(None),
        Err(error) => return Err(error),
    };
    let (pages, rank) = (file.header.pages, file.header.rank);
    let at = file.place(TENSOR, Dtype::F32, &[pages, rank])?;
    // The only tensor.
    let data = &file.map[at..];
    if blake3::hash(data).to_hex().as_str() != file.header.sum {
        return Err(Error::damaged(path, "changed vectors", format!("checksum {}", file.header.sum)));
    }
    let numbers =
        data.chunks_exact(4).map(|bytes| f32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]));
    let embedding = Embedding { rank, rows: numbers.collect() };
    Ok(Some((file.header, embedding)))
}

fn write(
    path: &Path,
    kind: EmbeddingKind,
    made_of: &str,
    pages: usize,
    embedding: &Embedding,
) -> Result<(), Error> {
    let folder = path.parent().unwrap_or(path);
    std::fs::create_dir_all(folder).map_err(Error::io(folder))?;
    let tensor = Tensor::new(TENSOR, Dtype::F32, vec![pages, kind.rank], &embedding.rows);
    let sum = blake3::hash(bytemuck::cast_slice(&embedding.rows)).to_hex().to_string();
    let header = Header { kind: kind.name.into(), rank: kind.rank, pages, made_of: made_of.into(), sum };
    tensors::write(path, &FORMAT, KEYS, header, &[tensor], BLOCK)?;
    Ok(())
}

/// Checks every byte of a corpus's embeddings; the names of their files.
///
/// # Errors
/// At the first damage found.
pub fn verify(corpus: &Corpus) -> Result<Vec<String>, Error> {
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
