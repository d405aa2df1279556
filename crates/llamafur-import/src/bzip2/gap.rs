//! A gap: bytes between a block's end and the next mark, which are the header of a stream, or damage.

use super::split::Candidate;

/// The length of a stream's header in bits.
pub(super) const HEADER_BITS: u64 = 32;

/// Position and outer bytes of a gap, which may be too long to keep.
pub(super) struct Gap {
    start: u64,
    end: u64,
    /// The first bytes, up to four, if the stretch begins with a whole byte.
    first: Vec<u8>,
    /// The last four whole bytes, if there are so many.
    last: [u8; 4],
    zero: bool,
}

impl Gap {
    /// Creates an empty gap at a bit of the file.
    pub(super) fn at(bit: u64) -> Self {
        Gap { start: bit, end: bit, first: Vec::new(), last: [0; 4], zero: true }
    }

    /// Returns the bit of the file at which the gap begins.
    pub(super) fn start(&self) -> u64 {
        self.start
    }

    /// Returns the bit of the file before which the gap ends.
    pub(super) fn end(&self) -> u64 {
        self.end
    }

    /// Extends the gap by the part of a candidate beyond the gap's end.
    pub(super) fn add(&mut self, candidate: &Candidate) {
        let offset = candidate.start_bit / 8;
        let whole = self.end.div_ceil(8).max(offset)..candidate.end_bit / 8;
        self.end = self.end.max(candidate.end_bit);
        if whole.is_empty() {
            return;
        }
        let bytes = &candidate.bytes[(whole.start - offset) as usize..(whole.end - offset) as usize];
        let missing = 4 - self.first.len();
        self.first.extend(bytes.iter().take(missing));
        for &byte in &bytes[bytes.len().saturating_sub(4)..] {
            self.last = [self.last[1], self.last[2], self.last[3], byte];
        }
        self.zero &= bytes.iter().all(|byte| *byte == 0);
    }

    /// Returns whether the last four bytes are the header of a stream that begins right after the gap.
    pub(super) fn ends_with_header(&self) -> bool {
        self.end.is_multiple_of(8) && self.end - self.start >= HEADER_BITS && is_header(&self.last)
    }

    /// Returns whether the first four bytes are the header of a stream.
    pub(super) fn starts_with_header(&self) -> bool {
        self.start.is_multiple_of(8) && is_header(&self.first)
    }

    /// Returns whether the gap begins with the header of a stream, or is the beginning of one.
    pub(super) fn begins_like_a_header(&self) -> bool {
        let length = self.first.len();
        self.start.is_multiple_of(8)
            && (self.starts_with_header() || (1..4).contains(&length) && b"BZh"[..length] == self.first)
    }

    /// Returns whether all bytes are zero.
    pub(super) fn is_zero(&self) -> bool {
        self.zero
    }

    /// Explains why the gap is an error, inside of a stream or between two.
    pub(super) fn why(&self, inside: bool) -> String {
        match (self.start, inside) {
            (_, true) => "these bytes belong to no block",
            (0, false) => "the file does not begin with the header of a bzip2 stream",
            (_, false) => "these bytes are between two streams and belong to none",
        }
        .to_owned()
    }
}

/// Returns whether these four bytes begin a stream: `BZh` and the size of its blocks, 1 to 9.
fn is_header(bytes: &[u8]) -> bool {
    matches!(bytes, [b'B', b'Z', b'h', b'1'..=b'9'])
}
