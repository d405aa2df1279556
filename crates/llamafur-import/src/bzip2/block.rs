//! Decodes one block, from its magic to its last bit.

use thiserror::Error;

use super::bits::Bits;
use super::inverse_bwt::InverseBwt;
use super::magic::Mark;
use super::rle;
use super::symbols::{LARGEST_BLOCK, Symbols};

/// The checksum of bzip2, which reads bits the other way round than the usual one of 32 bits.
const CHECKSUM: crc::Crc<u32, crc::Table<16>> = crc::Crc::<u32, crc::Table<16>>::new(&crc::CRC_32_BZIP2);

/// Upper bound of a block's length in a file, the sum of its parts: head and map of used bytes 417 bits, selectors 3 +
/// 15 + 32,767 times 6, lengths of 6 codes of 258 symbols at most 39 bits each (no encoder alternates between two
/// lengths), and 900,001 symbols of 20 bits.
pub const LARGEST_PACKED_BLOCK: usize =
    (417 + 18 + 32_767 * 6 + 6 * (5 + 258 * 39) + (LARGEST_BLOCK + 1) * 20) / 8 + 2;

/// The reason why a block cannot be decoded.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum BlockError {
    /// The bytes end before the block does.
    #[error("the data ends in the middle of a block")]
    CutOff,
    /// The decoded block differs from what was encoded.
    #[error("the block's checksum is {found:08X} where {stored:08X} was stored")]
    Checksum {
        /// The checksum in the file.
        stored: u32,
        /// The checksum of the decoded bytes.
        found: u32,
    },
    /// The block is of a kind that no program has written since 1998.
    #[error(
        "the block is randomised, as only versions of bzip2 before 0.9.5 wrote it, which is not supported"
    )]
    Randomised,
    /// The bytes do not begin with the mark of a block.
    #[error("no block begins here")]
    NoBlock,
    /// The block breaks a rule of the format.
    #[error("the block is damaged: {0}")]
    Damaged(&'static str),
}

/// Checksum and length of a decoded block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Block {
    /// The checksum of its bytes.
    pub crc: u32,
    /// Its length in bits, from the first one of the magic on.
    pub bits: u64,
}

/// A reusable decoder of blocks; its buffers take about 10 MB for the largest ones.
pub struct BlockDecoder {
    symbols: Symbols,
    inverse: InverseBwt,
    /// The block's bytes in order, before the runs are undone.
    text: Vec<u8>,
}

impl Default for BlockDecoder {
    fn default() -> Self {
        Self::new()
    }
}

impl BlockDecoder {
    /// Creates a decoder, which can be used for any number of blocks.
    pub fn new() -> Self {
        BlockDecoder { symbols: Symbols::new(), inverse: InverseBwt::new(), text: Vec::new() }
    }

    /// Decodes the block whose magic begins at bit `first_bit` (0..8) of the first byte. Appends its bytes to `out` if
    /// it is complete and its checksum is right; otherwise `out` is unchanged.
    ///
    /// Bytes after the block do no harm. If the bytes are the beginning of a good block the error is always
    /// [`BlockError::CutOff`].
    pub fn decode(&mut self, bytes: &[u8], first_bit: u32, out: &mut Vec<u8>) -> Result<Block, BlockError> {
        let mut bits = Bits::new(bytes, first_bit % 8);
        let head = self.read(&mut bits);
        // What was read beyond the end are made-up zeros, which no other error may be blamed on.
        if bits.overrun() {
            return Err(BlockError::CutOff);
        }
        let (stored, first) = head?;
        self.inverse.text(&self.symbols, first, &mut self.text);
        let before = out.len();
        // Most texts have few runs, and a little more room saves moving all of it.
        out.reserve(self.text.len() + self.text.len() / 16);
        let whole = rle::unpack(&self.text, out);
        let found = CHECKSUM.checksum(&out[before..]);
        if !whole || found != stored {
            out.truncate(before);
        }
        if !whole {
            return Err(BlockError::Damaged("the length of its last run is missing"));
        }
        if found != stored {
            return Err(BlockError::Checksum { stored, found });
        }
        Ok(Block { crc: found, bits: bits.position() - u64::from(first_bit % 8) })
    }

    /// Reads the block's bits; returns its stored checksum and the position at which its text begins.
    fn read(&mut self, bits: &mut Bits) -> Result<(u32, u32), BlockError> {
        let magic = u64::from(bits.take(24)) << 24 | u64::from(bits.take(24));
        if magic != Mark::Block.magic() {
            return Err(BlockError::NoBlock);
        }
        let stored = bits.take(32);
        let randomised = bits.take(1) == 1;
        let first = bits.take(24);
        if randomised {
            return Err(BlockError::Randomised);
        }
        self.symbols.read(bits)?;
        if first as usize >= self.symbols.total {
            return Err(BlockError::Damaged("its text begins outside of it"));
        }
        Ok((stored, first))
    }
}
