//! Texts on their way from the rows of a table, in any order, to the pages' order of a corpus.
//!
//! The texts go to a temporary file as they come; memory holds where each page's text lies.

use super::error::ImportError;
use super::pairs::scratch;
use std::fs::File;
use std::io::{self, BufReader, BufWriter, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

const NONE: u64 = u64::MAX;

/// Collects the texts of pages.
pub(crate) struct Texts {
    folder: PathBuf,
    file: BufWriter<File>,
    end: u64,
    /// Where each page's text begins, and how long it is.
    places: Vec<(u64, u64)>,
}

impl Texts {
    /// No text yet for any of so many pages.
    pub(crate) fn new(folder: &Path, pages: usize) -> Result<Texts, ImportError> {
        let file = tempfile::tempfile_in(folder).map_err(scratch(folder))?;
        let file = BufWriter::with_capacity(1 << 20, file);
        Ok(Texts { folder: folder.into(), file, end: 0, places: vec![(NONE, 0); pages] })
    }

    /// Takes the text of a page; `false` if it has one already.
    pub(crate) fn push(&mut self, page: u32, text: &str) -> Result<bool, ImportError> {
        let place = &mut self.places[page as usize];
        if place.0 != NONE {
            return Ok(false);
        }
        *place = (self.end, text.len() as u64);
        self.end += text.len() as u64;
        self.file.write_all(text.as_bytes()).map_err(scratch(&self.folder))?;
        Ok(true)
    }

    /// The texts of the pages in the given order.
    pub(crate) fn in_order(
        self,
        order: Vec<u32>,
    ) -> Result<impl Iterator<Item = Result<Option<String>, ImportError>>, ImportError> {
        let Texts { folder, file, places, .. } = self;
        let file = file.into_inner().map_err(io::IntoInnerError::into_error).map_err(scratch(&folder))?;
        let mut file = BufReader::with_capacity(64 << 10, file);
        let mut at = file.seek(SeekFrom::Start(0)).map_err(scratch(&folder))?;
        Ok(order.into_iter().map(move |page| {
            let (start, len) = places[page as usize];
            if start == NONE {
                return Ok(None);
            }
            let mut read = || -> io::Result<String> {
                // A relative step keeps what is buffered: often the texts come in the pages' order.
                file.seek_relative(start as i64 - at as i64)?;
                let mut text = vec![0; len as usize];
                file.read_exact(&mut text)?;
                at = start + len;
                String::from_utf8(text).map_err(io::Error::other)
            };
            read().map(Some).map_err(scratch(&folder))
        }))
    }
}
