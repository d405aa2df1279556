//! Pairs of numbers on their way from the rows of a table to the lists of a corpus.
//!
//! While a table is read its names have only provisional numbers, so the pairs are kept in order of arrival, in memory
//! up to the buffer's size and then on disk. When the ranks are known the pairs are read again, and each becomes one
//! key, rank of the left × 2³² + rank of the right: sorted keys give the rows in order.

use super::{GatherError, scratch};
use crate::sort::ExternalSorter;
use llamafur::corpus::{ListColumn, ListSpool};
use rayon::prelude::*;
use std::fs::File;
use std::io::{self, Read, Seek, Write};
use std::path::{Path, PathBuf};

/// Placeholder for an unwanted pair; larger than every pair, since ids are below 2³² − 1.
const LEFT_OUT: u64 = u64::MAX;

/// Number of pairs written to or read from disk at a time.
const PIECE: usize = 128 << 10;

/// A collection of pairs, in memory and on disk.
pub(crate) struct Pairs {
    folder: PathBuf,
    buffer_bytes: usize,
    held: Vec<u64>,
    capacity: usize,
    file: Option<File>,
    on_disk: u64,
}

impl Pairs {
    /// Creates an empty collection; at most `buffer_bytes` are kept in memory, the rest in a temporary file in
    /// `folder`.
    pub(crate) fn new(folder: &Path, buffer_bytes: usize) -> Pairs {
        let capacity = (buffer_bytes / size_of::<u64>()).max(1);
        Pairs { folder: folder.into(), buffer_bytes, held: Vec::new(), capacity, file: None, on_disk: 0 }
    }

    pub(crate) fn len(&self) -> u64 {
        self.on_disk + self.held.len() as u64
    }

    /// Adds a pair.
    #[inline]
    pub(crate) fn push(&mut self, left: u32, right: u32) -> Result<(), GatherError> {
        if self.held.len() >= self.capacity {
            self.spill().map_err(scratch(&self.folder))?;
        }
        self.held.push(key(left, right));
        Ok(())
    }

    #[cold]
    fn spill(&mut self) -> io::Result<()> {
        let file = match &mut self.file {
            Some(file) => file,
            none => none.insert(tempfile::tempfile_in(&self.folder)?),
        };
        file.write_all(bytemuck::cast_slice(&self.held))?;
        self.on_disk += self.held.len() as u64;
        // From here on a small buffer does: what is kept in memory is kept from the sorter, too.
        self.capacity = self.capacity.min(PIECE);
        self.held = Vec::with_capacity(self.capacity);
        Ok(())
    }

    /// Builds the lists of `rows` rows: for every pair (a, b), `translate(a, b)` returns row and value, or which of `N`
    /// reasons excludes the pair. Rows ascend, each value once.
    pub(crate) fn into_lists<const N: usize>(
        mut self,
        rows: usize,
        translate: impl Fn(u32, u32) -> Result<(u32, u32), usize> + Sync,
        mut advance: impl FnMut(u64),
    ) -> Result<Lists<N>, GatherError> {
        let folder = self.folder.clone();
        let error = &scratch(&folder);
        let mut sorter = ExternalSorter::new(&self.folder, self.buffer_bytes);
        advance(self.held.len() as u64);
        let mut unwanted = translate_all(&mut self.held, &translate);
        sorter.adopt(self.held).map_err(error)?;
        if let Some(mut file) = self.file {
            file.rewind().map_err(error)?;
            let mut left_over = self.on_disk as usize;
            while left_over > 0 {
                let mut piece = vec![0u64; PIECE.min(left_over)];
                file.read_exact(bytemuck::cast_slice_mut(&mut piece)).map_err(error)?;
                left_over -= piece.len();
                advance(piece.len() as u64);
                unwanted = plus(unwanted, translate_all(&mut piece, &translate));
                piece.iter().try_for_each(|&key| sorter.push(key)).map_err(error)?;
            }
        }
        let mut lists = ListSpool::create(&folder)?;
        let mut distinct = 0;
        for key in sorter.finish().map_err(error)? {
            let key = key.map_err(error)?;
            while lists.num_rows() < (key >> 32) as usize {
                lists.end_row();
            }
            lists.push(key as u32)?;
            distinct += 1;
        }
        while lists.num_rows() < rows {
            lists.end_row();
        }
        Ok(Lists { lists: lists.finish()?, distinct, unwanted })
    }
}

/// Lists made of pairs, with counts.
pub(crate) struct Lists<const N: usize> {
    pub(crate) lists: ListColumn,
    /// Number of distinct pairs in the lists.
    pub(crate) distinct: u64,
    /// Number of unwanted pairs, for each reason.
    pub(crate) unwanted: [u64; N],
}

/// Turns pairs into keys, on all threads; counts and drops the unwanted ones.
fn translate_all<const N: usize>(
    pairs: &mut Vec<u64>,
    translate: &(impl Fn(u32, u32) -> Result<(u32, u32), usize> + Sync),
) -> [u64; N] {
    let translate_one = |mut unwanted: [u64; N], pair: &mut u64| {
        *pair = match translate((*pair >> 32) as u32, *pair as u32) {
            Ok((left, right)) => key(left, right),
            Err(reason) => {
                unwanted[reason] += 1;
                LEFT_OUT
            }
        };
        unwanted
    };
    let counts = pairs.par_iter_mut().fold(|| [0; N], translate_one);
    let unwanted = counts.reduce(|| [0; N], plus);
    if unwanted.iter().any(|&count| count > 0) {
        pairs.retain(|&pair| pair != LEFT_OUT);
    }
    unwanted
}

fn plus<const N: usize>(a: [u64; N], b: [u64; N]) -> [u64; N] {
    std::array::from_fn(|i| a[i] + b[i])
}

#[inline]
fn key(left: u32, right: u32) -> u64 {
    u64::from(left) << 32 | u64::from(right)
}
