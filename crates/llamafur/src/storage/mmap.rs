//! Memory maps whose bytes are checked, block by block, when they are first touched.
//!
//! The one unsafe module of the corpus: mapping a file is unsafe because the file could be changed by another
//! process while we look at it. Corpora and models are never changed in place (every write makes a new file and
//! renames it), so a map stays what it was; what a foreign program might do to the file while it is mapped is
//! beyond us, and the checksums catch what it did before.
#![allow(unsafe_code)]

use super::checksum::block_checksum;
use crate::Error;
use arrow_buffer::Buffer;
use bytemuck::Pod;
use memmap2::Mmap;
use rayon::prelude::*;
use std::fs::File;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

/// A file in memory, each block of which is checked before its bytes are handed out.
#[derive(Debug)]
pub struct CheckedMap {
    path: PathBuf,
    map: Mmap,
    /// The bytes that have block sums: what stands before and behind is checked by whoever opens the file.
    summed: Range<usize>,
    block_size: usize,
    sums: Vec<u64>,
    /// A bit for each block, set once it was found whole.
    seen: Vec<AtomicU64>,
}

/// Maps a whole file, as it is.
pub(crate) fn map(path: &Path) -> Result<Mmap, Error> {
    let file = File::open(path).map_err(Error::io(path))?;
    // SAFETY: our files are replaced, never changed in place; see the module's text.
    unsafe { Mmap::map(&file) }.map_err(Error::io(path))
}

/// Maps a file all of whose bytes have block sums.
pub(crate) fn whole(path: &Path, block_size: usize, sums: Vec<u64>) -> Result<CheckedMap, Error> {
    let map = map(path)?;
    let summed = 0..map.len();
    CheckedMap::new(path.into(), map, summed, block_size, sums)
}

/// A copy of these bytes in memory, as if they were a file; there must be some.
pub(crate) fn map_bytes(bytes: &[u8], path: &Path) -> Result<Mmap, Error> {
    let mut map = memmap2::MmapMut::map_anon(bytes.len()).map_err(Error::io(path))?;
    map.copy_from_slice(bytes);
    map.make_read_only().map_err(Error::io(path))
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
    /// A map whose bytes in the range `summed` have these block sums.
    pub(crate) fn new(
        path: PathBuf,
        map: Mmap,
        summed: Range<usize>,
        block_size: usize,
        sums: Vec<u64>,
    ) -> Result<Self, Error> {
        let blocks = summed.len().div_ceil(block_size);
        if blocks != sums.len() || summed.end > map.len() || summed.start > summed.end {
            let found = format!("{} bytes in {blocks} blocks", map.len());
            return Err(Error::damaged(path, found, format!("{} blocks", sums.len())));
        }
        let seen = (0..sums.len().div_ceil(64)).map(|_| AtomicU64::new(0)).collect();
        Ok(CheckedMap { path, map, summed, block_size, sums, seen })
    }

    /// The file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Bytes in the file.
    pub fn num_bytes(&self) -> usize {
        self.map.len()
    }

    /// These bytes, checked.
    pub fn bytes(&self, range: Range<usize>) -> Result<&[u8], Error> {
        self.check(range.clone())?;
        Ok(&self.map[range])
    }

    /// `range` counts values of `T` from byte `at`; checked.
    pub fn values<T: Pod>(&self, at: usize, range: Range<usize>) -> Result<&[T], Error> {
        let size = size_of::<T>();
        self.check(at + range.start * size..at + range.end * size)?;
        Ok(self.values_as_they_are(at, range))
    }

    /// The same without a check, for bytes that were checked before.
    ///
    /// # Panics
    /// If the range lies outside the file or is not aligned for `T`: [`CheckedMap::check`] it first.
    #[inline]
    pub fn values_as_they_are<T: Pod>(&self, at: usize, range: Range<usize>) -> &[T] {
        let size = size_of::<T>();
        bytemuck::cast_slice(&self.map[at + range.start * size..at + range.end * size])
    }

    /// Checks the blocks that hold these bytes, unless they were checked before.
    pub fn check(&self, range: Range<usize>) -> Result<(), Error> {
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
            blocks.into_par_iter().try_for_each(|block| self.check_block(block))
        } else {
            blocks.into_iter().try_for_each(|block| self.check_block(block))
        }
    }

    /// Checks every block.
    pub fn check_all(&self) -> Result<(), Error> {
        self.check(0..self.map.len())
    }

    /// How many blocks were found whole so far.
    pub fn num_checked_blocks(&self) -> usize {
        self.seen.iter().map(|word| word.load(Ordering::Relaxed).count_ones() as usize).sum()
    }

    fn blocks_of(&self, range: Range<usize>) -> Range<usize> {
        (range.start - self.summed.start) / self.block_size
            ..(range.end - self.summed.start).div_ceil(self.block_size)
    }

    fn check_block(&self, block: usize) -> Result<(), Error> {
        let (word, bit) = (block / 64, 1u64 << (block % 64));
        if self.seen[word].load(Ordering::Relaxed) & bit != 0 {
            return Ok(());
        }
        let start = self.summed.start + block * self.block_size;
        let end = (start + self.block_size).min(self.summed.end);
        let found = block_checksum(&self.map[start..end]);
        if found != self.sums[block] {
            return Err(Error::damaged(
                &self.path,
                format!("checksum {found:016x} for bytes {start} to {end}"),
                format!("{:016x}", self.sums[block]),
            ));
        }
        self.seen[word].fetch_or(bit, Ordering::Relaxed);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;

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
    fn what_stands_outside_the_sums_is_left_to_others() {
        let data: Vec<u8> = (0..30).collect();
        let sums: Vec<u64> = data[3..22].chunks(8).map(block_checksum).collect();
        let file = checked(&data, 3..22, sums).unwrap();
        assert_eq!(file.bytes(0..30).unwrap(), &data[..]);
        assert_eq!(file.bytes(22..30).unwrap(), &data[22..]);
        assert_eq!(file.num_checked_blocks(), 3);
    }
}
