//! Memory maps whose bytes are checked, block by block, when they are first touched.
//!
//! Mapping a file is unsafe because the file could be changed by another process while we look at it. Corpora and models
//! are never changed in place (every write makes a new file and renames it), so a map stays what it was. What another
//! program does to a file before its blocks are checked, the checksums catch; what it does afterwards, [`super::Watch`]
//! notices at the end of each question; and if it cuts the file, [`super::handle_lost_pages`] keeps the process alive.
//! What is read are plain numbers, for which all bytes are valid, or is checked again when it is taken for text.
#![allow(unsafe_code)]

use super::checksum::block_checksum;
use super::watch::Watched;
use crate::Error;
use arrow_buffer::Buffer;
use bytemuck::Pod;
use memmap2::Mmap;
use rayon::prelude::*;
use std::fs::File;
use std::ops::{Deref, Range};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

/// Bytes of the largest pages of memory that systems commonly have.
#[cfg(target_os = "linux")]
const LARGEST_PAGE: usize = 1 << 16;

/// A file that is mapped, or bytes in memory as if they were one.
#[derive(Debug)]
pub(crate) struct Mapped {
    /// The watch of the file, dropped before the map.
    _watched: Option<Watched>,
    map: Mmap,
}

impl Deref for Mapped {
    type Target = [u8];

    #[inline]
    fn deref(&self) -> &[u8] {
        &self.map
    }
}

/// A file in memory, each block of which is checked before its bytes are handed out.
#[derive(Debug)]
pub(crate) struct CheckedMap {
    path: PathBuf,
    map: Mapped,
    /// The bytes that have block sums: what is before and behind is checked when the file is opened.
    summed: Range<usize>,
    block_size: usize,
    sums: Sums,
    seen: Seen,
}

/// The sums of a file's blocks.
#[derive(Debug)]
enum Sums {
    Held(Vec<u64>),
    /// In the file itself, those of the first blocks, from this byte on; in memory, those of the blocks that hold them.
    InFile {
        at: usize,
        num: usize,
        held: Vec<u64>,
    },
}

/// A bit for each block, set once it was found whole.
#[derive(Debug)]
struct Seen(Vec<AtomicU64>);

impl Seen {
    fn new(blocks: usize) -> Seen {
        Seen((0..blocks.div_ceil(64)).map(|_| AtomicU64::new(0)).collect())
    }

    #[inline]
    fn has(&self, block: usize) -> bool {
        self.0[block / 64].load(Ordering::Relaxed) & (1 << (block % 64)) != 0
    }

    fn add(&self, block: usize) {
        self.0[block / 64].fetch_or(1 << (block % 64), Ordering::Relaxed);
    }

    fn remove(&self, blocks: Range<usize>) {
        for block in blocks {
            self.0[block / 64].fetch_and(!(1 << (block % 64)), Ordering::Relaxed);
        }
    }

    fn num(&self) -> usize {
        self.0.iter().map(|word| word.load(Ordering::Relaxed).count_ones() as usize).sum()
    }
}

/// Maps a whole file, as it is.
pub(crate) fn map(path: &Path) -> Result<Mapped, Error> {
    let file = File::open(path).map_err(Error::io(path))?;
    // Before it is mapped, so that no change goes unnoticed.
    let before = file.metadata().map_err(Error::io(path))?;
    // SAFETY: our files are replaced, never changed in place; see the module's text.
    let map = unsafe { Mmap::map(&file) }.map_err(Error::io(path))?;
    Ok(Mapped { _watched: Some(Watched::new(path, file, &before, &map)), map })
}

/// Maps a file all of whose bytes have block sums.
pub(crate) fn whole(path: &Path, block_size: usize, sums: Vec<u64>) -> Result<CheckedMap, Error> {
    let map = map(path)?;
    let summed = 0..map.len();
    CheckedMap::new(path.into(), map, summed, block_size, sums)
}

/// Copies these bytes into memory, as if they were a file; there must be some.
pub(crate) fn map_bytes(bytes: &[u8], path: &Path) -> Result<Mapped, Error> {
    let mut map = memmap2::MmapMut::map_anon(bytes.len()).map_err(Error::io(path))?;
    map.copy_from_slice(bytes);
    Ok(Mapped { _watched: None, map: map.make_read_only().map_err(Error::io(path))? })
}

/// Maps a temporary file of our own as an Arrow buffer; an empty file gives an empty buffer.
pub(crate) fn map_buffer(file: &File, path: &Path) -> Result<Buffer, Error> {
    if file.metadata().map_err(Error::io(path))?.len() == 0 {
        // Of the widest numbers that a buffer may hold, so that it is aligned for all of them.
        return Ok(Buffer::from_vec(Vec::<u64>::new()));
    }
    // SAFETY: the file is private to the caller, who has finished writing it.
    let map = unsafe { Mmap::map(file) }.map_err(Error::io(path))?;
    Ok(Buffer::from(bytes::Bytes::from_owner(map)))
}

impl CheckedMap {
    /// Creates a map whose bytes in the range `summed` have these block sums.
    pub(crate) fn new(
        path: PathBuf,
        map: Mapped,
        summed: Range<usize>,
        block_size: usize,
        sums: Vec<u64>,
    ) -> Result<Self, Error> {
        let block_size = block_size.max(1);
        let blocks = summed.len().div_ceil(block_size);
        if blocks != sums.len() || summed.end > map.len() || summed.start > summed.end {
            let found = format!("{} bytes in {blocks} blocks", map.len());
            return Err(Error::damaged(path, found, format!("{} blocks", sums.len())));
        }
        let seen = Seen::new(blocks);
        Ok(CheckedMap { path, map, summed, block_size, sums: Sums::Held(sums), seen })
    }

    /// Creates a map of a file whose first `summed` bytes have block sums. Those of the last blocks are given; those
    /// of all before lie in the last blocks, as 64-bit numbers from byte `at`.
    pub(crate) fn with_sums_in_file(
        path: PathBuf,
        map: Mapped,
        summed: usize,
        block_size: usize,
        at: usize,
        held: Vec<u64>,
    ) -> Result<Self, Error> {
        let block_size = block_size.max(1);
        let blocks = summed.div_ceil(block_size);
        let num = blocks.saturating_sub(held.len());
        let end = at.saturating_add(num.saturating_mul(size_of::<u64>()));
        if held.len() > blocks || at < num.saturating_mul(block_size) || end > summed || summed > map.len() {
            let found = format!("{} bytes, {summed} of them in {blocks} blocks", map.len());
            return Err(Error::damaged(path, found, format!("sums of {num} of them from byte {at}")));
        }
        let (seen, sums) = (Seen::new(blocks), Sums::InFile { at, num, held });
        Ok(CheckedMap { path, map, summed: 0..summed, block_size, sums, seen })
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    pub(crate) fn num_bytes(&self) -> usize {
        self.map.len()
    }

    /// Returns these bytes, checked.
    pub(crate) fn bytes(&self, range: Range<usize>) -> Result<&[u8], Error> {
        self.check(range.clone())?;
        Ok(&self.map[range])
    }

    /// Returns the checked values in `range`, counted as values of `T` from byte `at`.
    #[inline]
    pub(crate) fn values<T: Pod>(&self, at: usize, range: Range<usize>) -> Result<&[T], Error> {
        let size = size_of::<T>();
        self.check(at + range.start * size..at + range.end * size)?;
        Ok(self.values_as_they_are(at, range))
    }

    /// Returns values without a check, for bytes that were checked before.
    ///
    /// # Panics
    /// If the range lies outside the file or is not aligned for `T`: [`CheckedMap::check`] it first.
    #[inline]
    pub(crate) fn values_as_they_are<T: Pod>(&self, at: usize, range: Range<usize>) -> &[T] {
        let size = size_of::<T>();
        bytemuck::cast_slice(&self.map[at + range.start * size..at + range.end * size])
    }

    /// Checks the blocks that hold these bytes, unless they were checked before.
    #[inline]
    pub(crate) fn check(&self, range: Range<usize>) -> Result<(), Error> {
        if range.end > self.map.len() || range.start > range.end {
            let found = format!("{} bytes", self.map.len());
            return Err(Error::damaged(&self.path, found, format!("at least {}", range.end)));
        }
        let range = range.start.max(self.summed.start)..range.end.min(self.summed.end);
        if range.is_empty() {
            return Ok(());
        }
        let blocks = self.blocks_of(range);
        if blocks.len() > 64 {
            // Long lists are asked for again and again: threads are woken only for what was not checked before.
            let unseen: Vec<usize> = blocks.filter(|&block| !self.seen.has(block)).collect();
            unseen.into_par_iter().try_for_each(|block| self.check_block(block))
        } else {
            blocks.into_iter().try_for_each(|block| self.check_block(block))
        }
    }

    /// Releases the memory of these bytes, for work that reads a file once: at the next use they are read from the disk
    /// and checked again.
    #[cfg(target_os = "linux")]
    pub(crate) fn release(&self, range: Range<usize>) {
        let start = range.start.next_multiple_of(LARGEST_PAGE);
        let end = range.end.min(self.map.len()) / LARGEST_PAGE * LARGEST_PAGE;
        if start >= end {
            return;
        }
        let within = start.max(self.summed.start)..end.min(self.summed.end);
        if !within.is_empty() {
            self.seen.remove(self.blocks_of(within));
        }
        let first = self.map.as_ptr().wrapping_add(start).cast_mut().cast();
        // SAFETY: the range lies within the map, and this advice never changes what the memory holds.
        let advised = unsafe { rustix::mm::madvise(first, end - start, rustix::mm::Advice::LinuxPageOut) };
        // A system that does not know the advice keeps the memory until it is short of it.
        let _ = advised;
    }

    #[cfg(not(target_os = "linux"))]
    pub(crate) fn release(&self, _range: Range<usize>) {}

    /// Checks every block.
    pub(crate) fn check_all(&self) -> Result<(), Error> {
        self.check(0..self.map.len())
    }

    /// Returns the number of blocks that were found whole so far.
    pub(crate) fn num_checked_blocks(&self) -> usize {
        self.seen.num()
    }

    fn blocks_of(&self, range: Range<usize>) -> Range<usize> {
        (range.start - self.summed.start) / self.block_size
            ..(range.end - self.summed.start).div_ceil(self.block_size)
    }

    #[inline]
    fn check_block(&self, block: usize) -> Result<(), Error> {
        if self.seen.has(block) { Ok(()) } else { self.compare_block(block) }
    }

    #[cold]
    fn compare_block(&self, block: usize) -> Result<(), Error> {
        let start = self.summed.start + block * self.block_size;
        let end = (start + self.block_size).min(self.summed.end);
        self.compare(start..end, self.sum(block)?)?;
        self.seen.add(block);
        Ok(())
    }

    /// Returns the sum that a block should have.
    fn sum(&self, block: usize) -> Result<u64, Error> {
        match &self.sums {
            Sums::Held(sums) => Ok(sums[block]),
            Sums::InFile { num, held, .. } if block >= *num => Ok(held[block - num]),
            Sums::InFile { at, .. } => {
                let place = at + block * size_of::<u64>();
                Ok(bytemuck::pod_read_unaligned(self.bytes(place..place + size_of::<u64>())?))
            }
        }
    }

    fn compare(&self, bytes: Range<usize>, expected: u64) -> Result<(), Error> {
        let found = block_checksum(&self.map[bytes.clone()]);
        if found == expected {
            return Ok(());
        }
        let found = format!("checksum {found:016x} for bytes {} to {}", bytes.start, bytes.end);
        Err(Error::damaged(&self.path, found, format!("{expected:016x}")))
    }
}

#[cfg(test)]
mod tests {
    use super::super::checksum::BLOCK;
    use super::*;
    use std::io::Write;

    #[test]
    fn blocks_that_are_let_go_are_checked_again() {
        let data: Vec<u8> = (0..4 * LARGEST_PAGE).map(|at| (at % 251) as u8).collect();
        let sums: Vec<u64> = data.chunks(BLOCK).map(block_checksum).collect();
        let mut file = tempfile::NamedTempFile::new().unwrap();
        file.write_all(&data).unwrap();
        let mapped = whole(file.path(), BLOCK, sums).unwrap();
        mapped.check_all().unwrap();
        mapped.release(10..3 * LARGEST_PAGE);
        assert_eq!(mapped.num_checked_blocks(), 2, "those of the first and the last page");
        assert_eq!(mapped.bytes(0..data.len()).unwrap(), data);
        assert_eq!(mapped.num_checked_blocks(), 4);
    }

    fn checked(data: &[u8], summed: Range<usize>, sums: Vec<u64>) -> Result<CheckedMap, Error> {
        let mut file = tempfile::NamedTempFile::new().unwrap();
        file.write_all(data).unwrap();
        CheckedMap::new(file.path().into(), map(file.path()).unwrap(), summed, 8, sums)
    }

    #[test]
    fn a_flipped_byte_is_found_only_where_it_is_touched() {
        let mut data: Vec<u8> = (0..36).collect();
        let sums: Vec<u64> = data[4..].chunks(8).map(block_checksum).collect();
        data[21] ^= 1;
        let file = checked(&data, 4..36, sums).unwrap();
        assert_eq!(file.bytes(2..20).unwrap(), &data[2..20]);
        assert_eq!(file.bytes(28..36).unwrap(), &data[28..]);
        let message = file.bytes(19..22).unwrap_err().to_string();
        assert!(message.contains("damaged") && message.contains("bytes 20 to 28"), "{message}");
        assert_eq!(file.num_checked_blocks(), 3);
        assert!(file.check_all().is_err());
    }

    #[test]
    fn a_shorter_file_is_refused() {
        let data: Vec<u8> = (0..32).collect();
        let sums: Vec<u64> = data.chunks(8).map(block_checksum).collect();
        assert!(checked(&data[..20], 0..20, sums.clone()).is_err());
        assert!(checked(&data[..20], 0..32, sums.clone()).is_err());
        let whole = checked(&data, 0..32, sums).unwrap();
        assert!(whole.bytes(30..33).is_err());
        assert_eq!(whole.values::<u32>(8, 1..3).unwrap(), bytemuck::cast_slice::<u8, u32>(&data[12..20]));
    }

    #[test]
    fn sums_in_the_file_are_checked_themselves() {
        // Nine hundred blocks of eight bytes and three more bytes, then the sums of the whole blocks.
        let mut data: Vec<u8> = (0..7203).map(|at| (at % 251) as u8).collect();
        let sums: Vec<u64> = data.as_chunks::<8>().0.iter().map(|block| block_checksum(block)).collect();
        data.extend([7; 10]);
        let at = data.len();
        data.extend_from_slice(bytemuck::cast_slice(&sums));
        data.push(1);
        let held: Vec<u64> = data[7200..].chunks(8).map(block_checksum).collect();
        let mapped = |data: &[u8], summed| {
            let map = map_bytes(data, Path::new("file")).unwrap();
            CheckedMap::with_sums_in_file("file".into(), map, summed, 8, at, held.clone())
        };
        let all = data.len();
        let file = mapped(&data, all).unwrap();
        assert_eq!(file.bytes(800..808).unwrap(), &data[800..808]);
        assert_eq!(file.num_checked_blocks(), 3, "the block, and two that hold its sum");
        file.check_all().unwrap();
        for flipped in 0..all {
            data[flipped] ^= 1;
            assert!(mapped(&data, all).unwrap().check_all().is_err(), "{flipped}");
            data[flipped] ^= 1;
        }
        assert!(mapped(&data[..all - 1], all).is_err());
        assert!(mapped(&data, all - 8).is_ok_and(|file| file.check_all().is_err()));
    }

    #[test]
    fn what_stands_outside_the_sums_is_left_to_others() {
        let data: Vec<u8> = (0..30).collect();
        let sums: Vec<u64> = data[3..22].chunks(8).map(block_checksum).collect();
        let file = checked(&data, 3..22, sums).unwrap();
        assert_eq!(file.bytes(0..30).unwrap(), &data[..]);
        assert_eq!(file.bytes(22..30).unwrap(), &data[22..]);
        assert_eq!(file.num_checked_blocks(), 3);
    }
}
