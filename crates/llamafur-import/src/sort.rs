//! Sorts any number of keys in bounded memory: sorted runs on disk, then one merge.
//!
//! Keys are collected in a buffer of at most `buffer_bytes`. A full buffer is sorted, deduplicated and appended to a
//! temporary file as a *run*; at the end the runs are merged through a heap, each read a piece at a time, and
//! duplicates across runs are dropped. Keys that fit the buffer never touch the disk. The result depends only on the
//! set of keys, neither on their order nor on the size of the buffer.

use bytemuck::Pod;
use rayon::slice::ParallelSliceMut;
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::collections::binary_heap::PeekMut;
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

/// Largest piece in which a run is read, in bytes.
const LARGEST_PIECE: usize = 4 << 20;
/// Smallest piece: below this, system calls cost more than the saved memory.
const SMALLEST_PIECE: usize = 4 << 10;

/// A sorter that takes keys in any order and returns them ascending, each once.
///
/// ```
/// use llamafur_import::sort::ExternalSorter;
///
/// let mut sorter = ExternalSorter::new(std::env::temp_dir(), 1 << 20);
/// for key in [3u64, 1, 3, 2] {
///     sorter.push(key)?;
/// }
/// let sorted = sorter.finish()?.collect::<Result<Vec<_>, _>>()?;
/// assert_eq!(sorted, [1, 2, 3]);
/// # Ok::<(), std::io::Error>(())
/// ```
pub struct ExternalSorter<K> {
    folder: PathBuf,
    buffer: Vec<K>,
    capacity: usize,
    runs: Vec<Run>,
    /// Holds all runs, end to end; created with the first run, deleted when closed.
    file: Option<File>,
    end: u64,
}

/// The place of a run in the temporary file, in bytes.
#[derive(Debug, Clone, Copy)]
struct Run {
    next: u64,
    end: u64,
}

impl<K: Pod + Ord + Send> ExternalSorter<K> {
    /// Creates a sorter that keeps at most `buffer_bytes` of keys in memory (at least one key) and the rest in an
    /// unnamed temporary file in `folder`.
    pub fn new(folder: impl AsRef<Path>, buffer_bytes: usize) -> Self {
        let capacity = (buffer_bytes / size_of::<K>().max(1)).max(1);
        let folder = folder.as_ref().to_path_buf();
        ExternalSorter { folder, buffer: Vec::new(), capacity, runs: Vec::new(), file: None, end: 0 }
    }

    /// Starts with keys that are in memory already, without copying them.
    ///
    /// # Errors
    /// If there are more of them than the buffer may hold and the disk cannot be written.
    pub fn adopt(&mut self, keys: Vec<K>) -> io::Result<()> {
        if !self.buffer.is_empty() {
            return keys.into_iter().try_for_each(|key| self.push(key));
        }
        self.buffer = keys;
        if self.buffer.len() > self.capacity { self.spill() } else { Ok(()) }
    }

    /// Adds a key.
    ///
    /// # Errors
    /// If the buffer is full and the disk cannot be written.
    pub fn push(&mut self, key: K) -> io::Result<()> {
        if self.buffer.len() >= self.capacity {
            self.spill()?;
        }
        self.buffer.push(key);
        Ok(())
    }

    /// Ends the input and returns the sorted keys.
    pub fn finish(mut self) -> io::Result<Sorted<K>> {
        if self.runs.is_empty() {
            sort_and_dedup(&mut self.buffer);
            return Ok(Sorted { from: From::Memory(self.buffer.into_iter()) });
        }
        self.spill()?;
        let held = self.capacity.saturating_mul(size_of::<K>());
        self.buffer = Vec::new();
        let file = self.file.ok_or_else(|| io::Error::other("runs without a file"))?;
        let merge = Merge::new(file, self.runs, held)?;
        Ok(Sorted { from: From::Disk(merge) })
    }

    fn spill(&mut self) -> io::Result<()> {
        if self.buffer.is_empty() {
            return Ok(());
        }
        sort_and_dedup(&mut self.buffer);
        let file = match &mut self.file {
            Some(file) => file,
            none => none.insert(tempfile::tempfile_in(&self.folder)?),
        };
        let bytes: &[u8] = bytemuck::cast_slice(&self.buffer);
        file.write_all(bytes)?;
        let run = Run { next: self.end, end: self.end + bytes.len() as u64 };
        self.end = run.end;
        self.runs.push(run);
        self.buffer.clear();
        Ok(())
    }
}

fn sort_and_dedup<K: Ord + Send>(keys: &mut Vec<K>) {
    keys.par_sort_unstable();
    keys.dedup();
}

/// The keys in ascending order, each once.
pub struct Sorted<K> {
    from: From<K>,
}

enum From<K> {
    Memory(std::vec::IntoIter<K>),
    Disk(Merge<K>),
}

impl<K: Pod + Ord> Iterator for Sorted<K> {
    type Item = io::Result<K>;

    #[inline]
    fn next(&mut self) -> Option<io::Result<K>> {
        match &mut self.from {
            From::Memory(keys) => keys.next().map(Ok),
            From::Disk(merge) => merge.next().transpose(),
        }
    }
}

struct Merge<K> {
    file: File,
    pieces: Vec<Piece<K>>,
    heap: BinaryHeap<Reverse<(K, usize)>>,
    last: Option<K>,
}

/// The part of a run that is in memory.
struct Piece<K> {
    keys: Vec<K>,
    at: usize,
    run: Run,
    capacity: usize,
}

impl<K: Pod + Ord> Merge<K> {
    fn new(mut file: File, runs: Vec<Run>, memory: usize) -> io::Result<Self> {
        let piece_bytes = (memory / runs.len().max(1)).clamp(SMALLEST_PIECE, LARGEST_PIECE);
        let capacity = (piece_bytes / size_of::<K>().max(1)).max(1);
        let mut pieces: Vec<_> =
            runs.into_iter().map(|run| Piece { keys: Vec::new(), at: 0, run, capacity }).collect();
        let mut heap = BinaryHeap::with_capacity(pieces.len());
        for (i, piece) in pieces.iter_mut().enumerate() {
            if let Some(key) = piece.next(&mut file)? {
                heap.push(Reverse((key, i)));
            }
        }
        Ok(Merge { file, pieces, heap, last: None })
    }

    fn next(&mut self) -> io::Result<Option<K>> {
        while let Some(mut top) = self.heap.peek_mut() {
            let Reverse((key, i)) = *top;
            match self.pieces[i].next(&mut self.file)? {
                Some(next) => *top = Reverse((next, i)),
                None => drop(PeekMut::pop(top)),
            }
            if self.last != Some(key) {
                self.last = Some(key);
                return Ok(Some(key));
            }
        }
        Ok(None)
    }
}

impl<K: Pod> Piece<K> {
    #[inline]
    fn next(&mut self, file: &mut File) -> io::Result<Option<K>> {
        if self.at == self.keys.len() && !self.refill(file)? {
            return Ok(None);
        }
        self.at += 1;
        Ok(Some(self.keys[self.at - 1]))
    }

    fn refill(&mut self, file: &mut File) -> io::Result<bool> {
        let left = ((self.run.end - self.run.next) / size_of::<K>() as u64) as usize;
        self.keys.resize(left.min(self.capacity), K::zeroed());
        self.at = 0;
        let bytes: &mut [u8] = bytemuck::cast_slice_mut(&mut self.keys);
        file.seek(SeekFrom::Start(self.run.next))?;
        file.read_exact(bytes)?;
        self.run.next += bytes.len() as u64;
        Ok(left > 0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    fn sorted(keys: &[u64], buffer_bytes: usize) -> Vec<u64> {
        let mut sorter = ExternalSorter::new(std::env::temp_dir(), buffer_bytes);
        keys.iter().for_each(|&key| sorter.push(key).unwrap());
        sorter.finish().unwrap().map(Result::unwrap).collect()
    }

    #[test]
    fn nothing_sorts_to_nothing() {
        assert!(sorted(&[], 0).is_empty());
    }

    #[test]
    fn a_duplicate_in_another_run_is_dropped() {
        assert_eq!(sorted(&[5, 1, 5, 1, 5], 8), [1, 5]);
    }

    #[test]
    fn runs_longer_than_a_piece_are_read_to_their_end() {
        let keys: Vec<u64> = (0..20_000).map(|i: u64| i.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 40).collect();
        let expected: Vec<u64> = keys.iter().copied().collect::<BTreeSet<_>>().into_iter().collect();
        assert_eq!(sorted(&keys, 6_000 * 8), expected);
    }

    proptest! {
        #[test]
        fn equals_sort_and_dedup(keys in prop::collection::vec(0u64..200, 0..400), buffer in 0usize..800, adopted in 0usize..400) {
            let expected: Vec<u64> = keys.iter().copied().collect::<BTreeSet<_>>().into_iter().collect();
            prop_assert_eq!(sorted(&keys, buffer), expected.clone());

            let (first, rest) = keys.split_at(adopted.min(keys.len()));
            let mut sorter = ExternalSorter::new(std::env::temp_dir(), buffer);
            sorter.adopt(first.to_vec()).unwrap();
            rest.iter().for_each(|&key| sorter.push(key).unwrap());
            let found: Vec<u64> = sorter.finish().unwrap().map(Result::unwrap).collect();
            prop_assert_eq!(found, expected);
        }
    }
}
