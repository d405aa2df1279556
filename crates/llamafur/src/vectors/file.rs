//! Vectors from elsewhere on disk: `vectors/NAME.safetensors` in the corpus's folder.
//!
//! The tensor `pages` has a row of 32-bit floats for each page, 0 where a page has none; the metadata's entry
//! `llamafur` names the corpus, with the sum of the bytes and a checksum of itself.

use super::PageVectors;
use crate::corpus::{Corpus, is_plain};
use crate::error::{Artifact, Error};
use crate::storage::BLOCK;
use crate::storage::signed::Format;
use crate::storage::tensors::{self, Dtype, PLAIN_KEYS, Tensor, TensorFile};
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};

const FORMAT: Format =
    Format { name: "llamafur vectors", version: 1, of: Artifact::Vectors, what: "the settings of vectors" };
const TENSOR: &str = "pages";
const FOLDER: &str = "vectors";

/// The contents of the metadata.
#[derive(Serialize, Deserialize)]
struct Header {
    dimensions: usize,
    pages: usize,
    /// The checksum of the corpus.
    corpus: String,
    /// The BLAKE3 of the tensor's bytes.
    sum: String,
}

impl PageVectors {
    /// Returns the path of the vectors of that name.
    ///
    /// # Errors
    /// If the name cannot be that of a file.
    pub fn path(corpus: &Corpus, name: &str) -> Result<PathBuf, Error> {
        if !is_plain(name) {
            return Err(Error::Name { what: Artifact::Vectors, name: name.into() });
        }
        Ok(corpus.path().join(FOLDER).join(format!("{name}.safetensors")))
    }

    /// Returns the names of a corpus's vectors, in order.
    pub fn names(corpus: &Corpus) -> Result<Vec<String>, Error> {
        tensors::names_in(&corpus.path().join(FOLDER))
    }

    /// Opens vectors of a corpus; every byte is checked.
    ///
    /// # Errors
    /// If there are none of that name, they are of another corpus, or their file is damaged.
    pub fn open(corpus: &Corpus, name: &str) -> Result<PageVectors, Error> {
        read(corpus, &existing(corpus, name)?)
    }

    /// Removes vectors of a corpus, whole or damaged, and returns the path of their file.
    ///
    /// # Errors
    /// If there are none of that name, or the file cannot be removed.
    pub fn remove(corpus: &Corpus, name: &str) -> Result<PathBuf, Error> {
        let path = existing(corpus, name)?;
        std::fs::remove_file(&path).map_err(Error::io(&path))?;
        // Removes the folder only if it is empty.
        let _ = std::fs::remove_dir(path.parent().unwrap_or(&path));
        Ok(path)
    }

    /// Writes vectors into the corpus's folder under this name, whole or not at all.
    ///
    /// # Errors
    /// If the name cannot be that of a file.
    ///
    /// # Panics
    /// If there is not a row for each page.
    pub fn save(&self, corpus: &Corpus, name: &str) -> Result<PathBuf, Error> {
        let (path, pages) = (PageVectors::path(corpus, name)?, corpus.num_pages());
        assert_eq!(self.rows.len(), pages * self.dimensions, "a row for each page");
        let folder = path.parent().unwrap_or(&path);
        std::fs::create_dir_all(folder).map_err(Error::io(folder))?;
        let tensor = Tensor::new(TENSOR, Dtype::F32, vec![pages, self.dimensions], &self.rows);
        let sum = blake3::hash(bytemuck::cast_slice(&self.rows)).to_hex().to_string();
        let graph = corpus.manifest().graph_checksum();
        let header = Header { dimensions: self.dimensions, pages, corpus: graph, sum };
        let file = corpus.create_file(&path, BLOCK);
        let written = file.and_then(|file| tensors::write(file, &FORMAT, PLAIN_KEYS, header, &[tensor]));
        if written.is_err() {
            // Removes the folder only if it is empty.
            let _ = std::fs::remove_dir(folder);
        }
        written.map(|_| path)
    }
}

/// Returns the path of vectors, which must exist.
fn existing(corpus: &Corpus, name: &str) -> Result<PathBuf, Error> {
    let path = PageVectors::path(corpus, name)?;
    match path.exists() {
        true => Ok(path),
        false => {
            let (name, there_are) = (name.to_owned(), PageVectors::names(corpus)?);
            Err(Error::NotFound { what: Artifact::Vectors, path, name, there_are })
        }
    }
}

fn read(corpus: &Corpus, path: &Path) -> Result<PageVectors, Error> {
    let (file, map): (TensorFile<Header>, _) = TensorFile::open(path, &FORMAT)?;
    let Header { dimensions, pages, corpus: of, sum } = &file.header;
    if (&corpus.manifest().graph_checksum(), corpus.num_pages()) != (of, *pages) {
        return Err(Error::OtherCorpus { what: Artifact::Vectors, path: path.into() });
    }
    let at = file.place(TENSOR, Dtype::F32, &[*pages, *dimensions])?;
    // The only tensor.
    let data = &map[at..];
    if blake3::hash(data).to_hex().as_str() != sum {
        return Err(Error::damaged(path, "changed vectors", format!("checksum {sum}")));
    }
    let rows = bytemuck::pod_collect_to_vec(data);
    Ok(PageVectors { dimensions: *dimensions, rows, rests_on: sum.clone() })
}
