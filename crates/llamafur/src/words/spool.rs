//! Bags with terms as they came, kept until the dictionary is known: on disk, or in memory where there is no disk.

use super::telling::TextPart;
use crate::Error;
use crate::storage::mmap;
use arrow_buffer::Buffer;
use bytemuck::{Pod, Zeroable};
use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

/// A term of a page, how often it occurs there, and how often in its lead.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Pod, Zeroable)]
#[repr(C)]
pub(super) struct Counted {
    pub(super) term: u32,
    pub(super) count: u16,
    pub(super) in_lead: u16,
}

impl Counted {
    /// How often it occurs in a part of the page.
    pub(super) fn count_in(&self, part: TextPart) -> u16 {
        match part {
            TextPart::Whole => self.count,
            TextPart::Lead => self.in_lead,
        }
    }
}

/// A count, at most 65,535.
pub(super) fn cut_off(count: u32) -> u16 {
    u16::try_from(count).unwrap_or(u16::MAX)
}

/// Grows by a page at a time; memory holds 8 bytes for each page.
pub(super) struct Spool {
    ends: Vec<usize>,
    end: usize,
    kept: Kept,
}

enum Kept {
    Disk(PathBuf, BufWriter<File>),
    Memory(Vec<Counted>),
}

impl Spool {
    /// On disk, in a temporary file with this name.
    pub(super) fn on_disk(path: PathBuf) -> Result<Spool, Error> {
        let file = File::options().read(true).write(true).create(true).truncate(true).open(&path);
        let file = file.map_err(Error::io(&path))?;
        if cfg!(unix) {
            // An open file needs no name, and one without a name leaves nothing behind.
            fs::remove_file(&path).map_err(Error::io(&path))?;
        }
        Ok(Spool::new(Kept::Disk(path, BufWriter::with_capacity(1 << 20, file))))
    }

    /// In memory.
    pub(super) fn in_memory() -> Spool {
        Spool::new(Kept::Memory(Vec::new()))
    }

    fn new(kept: Kept) -> Spool {
        Spool { ends: Vec::new(), end: 0, kept }
    }

    /// Appends a page: its terms and their counts.
    pub(super) fn push(&mut self, bag: &[Counted]) -> Result<(), Error> {
        self.end += bag.len();
        self.ends.push(self.end);
        match &mut self.kept {
            Kept::Disk(path, file) => file.write_all(bytemuck::cast_slice(bag)).map_err(Error::io(&*path)),
            Kept::Memory(all) => {
                all.extend_from_slice(bag);
                Ok(())
            }
        }
    }

    /// All pages, to be read.
    pub(super) fn finish(self) -> Result<Spooled, Error> {
        let pairs = match self.kept {
            Kept::Disk(path, file) => {
                let file = file.into_inner().map_err(io::IntoInnerError::into_error);
                let pairs = mmap::map_buffer(&file.map_err(Error::io(&path))?, &path)?;
                remove_name(&path)?;
                pairs
            }
            Kept::Memory(all) => Buffer::from_vec(bytemuck::cast_vec::<Counted, u32>(all)),
        };
        Ok(Spooled { ends: self.ends, pairs })
    }
}

/// Where an open file had to keep its name, takes it away.
fn remove_name(path: &Path) -> Result<(), Error> {
    if cfg!(unix) { Ok(()) } else { fs::remove_file(path).map_err(Error::io(path)) }
}

/// What was spooled.
pub(super) struct Spooled {
    ends: Vec<usize>,
    pairs: Buffer,
}

impl Spooled {
    pub(super) fn num_pages(&self) -> usize {
        self.ends.len()
    }

    /// The terms of a page and their counts.
    pub(super) fn get(&self, page: usize) -> &[Counted] {
        let start = if page == 0 { 0 } else { self.ends[page - 1] };
        let words: &[Counted] = bytemuck::cast_slice(self.pairs.as_slice());
        &words[start..self.ends[page]]
    }
}
