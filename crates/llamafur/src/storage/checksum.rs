//! Checksums of what is on disk: BLAKE3 of a whole file, and of each of its blocks.
//!
//! The blocks make it possible to read one page of a large corpus and still be sure of every byte that was
//! used: a block is checked when it is first touched, the rest of the file is left alone.

use std::io::{self, Write};

/// Bytes in a block of a corpus's files.
pub const BLOCK: usize = 64 << 10;

/// Bytes in a block of files that are read here and there: a ranking touches thousands of places in them.
pub(crate) const SMALL_BLOCK: usize = 4 << 10;

/// Returns the first eight bytes of a block's BLAKE3.
pub(super) fn block_checksum(block: &[u8]) -> u64 {
    let hash = blake3::hash(block);
    u64::from_le_bytes(hash.as_bytes()[..8].try_into().expect("a hash has 32 bytes"))
}

/// The size and the checksums of a written file.
#[derive(Debug, Clone)]
pub struct FileSums {
    /// Bytes in the file.
    pub bytes: u64,
    /// The BLAKE3 of the file, in hexadecimal, as `b3sum` prints it.
    pub checksum: String,
    /// The first eight bytes of each block's BLAKE3, as a little-endian number.
    pub blocks: Vec<u64>,
}

/// A writer that passes bytes on and sums them up.
pub(crate) struct SummingWriter<W> {
    inner: W,
    bytes: u64,
    /// Two kilobytes, boxed so that moving the writer stays cheap.
    whole: Box<blake3::Hasher>,
    block: Vec<u8>,
    block_size: usize,
    blocks: Vec<u64>,
}

impl<W: Write> SummingWriter<W> {
    /// Sums up what is written to `inner`, in blocks of `block_size` bytes.
    pub(crate) fn new(inner: W, block_size: usize) -> Self {
        SummingWriter {
            inner,
            bytes: 0,
            whole: Box::default(),
            block: Vec::with_capacity(block_size),
            block_size,
            blocks: Vec::new(),
        }
    }

    pub(crate) fn block_size(&self) -> usize {
        self.block_size
    }

    /// Returns the number of bytes that went through so far.
    pub(crate) fn num_bytes(&self) -> u64 {
        self.bytes
    }

    /// Returns the number of bytes so far, and the sums of their blocks, the last of which may be short.
    pub(crate) fn so_far(&self) -> (u64, Vec<u64>) {
        let mut blocks = self.blocks.clone();
        blocks.extend((!self.block.is_empty()).then(|| block_checksum(&self.block)));
        (self.bytes, blocks)
    }

    /// Returns the writer below, and the sums of all that went through.
    pub(crate) fn finish(self) -> (W, FileSums) {
        let (bytes, blocks) = self.so_far();
        let checksum = self.whole.finalize().to_hex().to_string();
        (self.inner, FileSums { bytes, checksum, blocks })
    }
}

impl<W: Write> Write for SummingWriter<W> {
    fn write(&mut self, data: &[u8]) -> io::Result<usize> {
        let written = self.inner.write(data)?;
        let mut rest = &data[..written];
        self.bytes += written as u64;
        self.whole.update(rest);
        while !rest.is_empty() {
            let take = rest.len().min(self.block_size - self.block.len());
            self.block.extend_from_slice(&rest[..take]);
            rest = &rest[take..];
            if self.block.len() == self.block_size {
                self.blocks.push(block_checksum(&self.block));
                self.block.clear();
            }
        }
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.inner.flush()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_do_not_depend_on_how_the_bytes_arrive() {
        let data: Vec<u8> = (0..1000u32).map(|i| (i * 7) as u8).collect();
        let sums = |chunk: usize| {
            let mut writer = SummingWriter::new(Vec::new(), 64);
            data.chunks(chunk).for_each(|part| writer.write_all(part).unwrap());
            writer.finish()
        };
        let (written, whole) = sums(1000);
        assert_eq!(written, data);
        assert_eq!(whole.checksum, blake3::hash(&data).to_hex().to_string());
        assert_eq!(whole.blocks.len(), 16);
        assert_eq!(whole.blocks[15], block_checksum(&data[960..]));
        for chunk in [1, 63, 64, 65, 999] {
            assert_eq!(sums(chunk).1.blocks, whole.blocks);
        }
    }
}
