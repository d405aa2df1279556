//! Reads bits, most significant first, eight bytes at a time.
//!
//! Past the end of the bytes the reader returns zero bits and keeps counting, so that the hot loop needs no check; the
//! caller checks [`Bits::overrun`] now and then, and before it trusts any other error.

/// A reader of bits over a slice.
pub(super) struct Bits<'a> {
    bytes: &'a [u8],
    /// The next byte that is not yet counted in `have`.
    next: usize,
    /// The coming bits, from the top; below the first `have` of them it may already hold bits of `next`.
    coming: u64,
    have: u32,
}

impl<'a> Bits<'a> {
    /// Creates a reader that begins at bit `first_bit` (0..8) of the first byte.
    pub(super) fn new(bytes: &'a [u8], first_bit: u32) -> Self {
        let mut bits = Bits { bytes, next: 0, coming: 0, have: 0 };
        bits.refill();
        bits.skip(first_bit);
        bits
    }

    /// Makes at least 56 bits ready for [`peek`](Self::peek) and [`skip`](Self::skip).
    #[inline(always)]
    pub(super) fn refill(&mut self) {
        if let Some(Ok(eight)) = self.bytes.get(self.next..self.next + 8).map(<[u8; 8]>::try_from) {
            self.coming |= u64::from_be_bytes(eight) >> self.have;
            self.next += ((63 - self.have) >> 3) as usize;
            self.have |= 56;
        } else {
            // By value, since a reference to the reader would keep it out of the registers.
            (self.next, self.coming, self.have) =
                refill_at_end(self.bytes, self.next, self.coming, self.have);
        }
    }

    /// Returns the next `count` bits (1..=56), which must be ready.
    #[inline(always)]
    pub(super) fn peek(&self, count: u32) -> u64 {
        self.coming >> (64 - count)
    }

    /// Counts the one bits before the next zero bit, among the bits that are ready.
    #[inline(always)]
    pub(super) fn ones(&self) -> u32 {
        self.coming.leading_ones()
    }

    /// Skips `count` bits, which must be ready.
    #[inline(always)]
    pub(super) fn skip(&mut self, count: u32) {
        self.coming <<= count;
        self.have -= count;
    }

    /// Takes `count` bits (1..=32).
    #[inline]
    pub(super) fn take(&mut self, count: u32) -> u32 {
        self.refill();
        let value = self.peek(count) as u32;
        self.skip(count);
        value
    }

    /// Counts the bits taken, from the first bit of the first byte.
    pub(super) fn position(&self) -> u64 {
        self.next as u64 * 8 - u64::from(self.have)
    }

    /// Returns whether more bits were taken than the slice has.
    #[inline]
    pub(super) fn overrun(&self) -> bool {
        self.position() > self.bytes.len() as u64 * 8
    }
}

/// Refills byte by byte, with zeros past the end.
#[cold]
#[inline(never)]
fn refill_at_end(bytes: &[u8], mut next: usize, mut coming: u64, mut have: u32) -> (usize, u64, u32) {
    while have <= 56 {
        let byte = bytes.get(next).copied().unwrap_or(0);
        coming |= u64::from(byte) << (56 - have);
        next += 1;
        have += 8;
    }
    (next, coming, have)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bits_come_most_significant_first_from_any_offset() {
        let bytes: Vec<u8> = (0..40).map(|i: u32| (i * 37 + 11) as u8).collect();
        for first in 0..8 {
            let mut bits = Bits::new(&bytes, first);
            let mut at = first;
            for width in [1, 5, 20, 32, 3, 17, 8, 31, 2] {
                let expected = (at..at + width).fold(0, |value, bit| {
                    value << 1 | u32::from(bytes[bit as usize / 8] >> (7 - bit % 8) & 1)
                });
                assert_eq!(bits.take(width), expected);
                at += width;
                assert_eq!(bits.position(), u64::from(at));
            }
            assert!(!bits.overrun());
        }
    }

    #[test]
    fn past_the_end_come_zeros_and_the_overrun_shows() {
        let mut bits = Bits::new(&[0xFF, 0xFF], 3);
        assert_eq!(bits.take(13), 0x1FFF);
        assert!(!bits.overrun());
        assert_eq!(bits.take(1), 0);
        assert!(bits.overrun());
        for _ in 0..100 {
            assert_eq!(bits.take(32), 0);
        }
        assert_eq!(bits.position(), 16 + 1 + 3200);
    }
}
