//! Finds the marks at which blocks and streams begin and end, at any bit of a file.
//!
//! A mark has 48 bits, so wherever it begins it covers five whole bytes. Of any four neighbouring pairs of
//! bytes that begin in it one is therefore fully known, and it is enough to look at every fourth pair: a
//! table of 65,536 bits says whether the pair is part of a mark at one of the eight offsets within a byte.

/// The kinds of marks in a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mark {
    /// A block begins.
    Block,
    /// A stream ends.
    End,
}

/// The length of a mark in bits.
pub(super) const MARK_BITS: u64 = 48;

impl Mark {
    /// Returns the 48 bits of the mark: the digits of pi, or those of its square root.
    pub fn magic(self) -> u64 {
        match self {
            Mark::Block => 0x3141_5926_5359,
            Mark::End => 0x1772_4538_5090,
        }
    }
}

/// The distance between the pairs of bytes that are examined.
const STRIDE: usize = 4;

/// A finder of marks in bytes.
pub(super) struct Finder {
    /// For each pair of bytes a bit that is set if a mark can contain the pair.
    pairs: Box<[u64; 1024]>,
}

impl Finder {
    pub(super) fn new() -> Self {
        let mut pairs = Box::new([0; 1024]);
        for mark in [Mark::Block, Mark::End] {
            for shift in 0..8 {
                // The whole bytes of a mark that begins `shift` bits into a byte are the bytes 1 to 5.
                let bytes = (mark.magic() << (16 - shift)).to_be_bytes();
                for pair in bytes[1..6].windows(2) {
                    let pair = usize::from(pair[0]) << 8 | usize::from(pair[1]);
                    pairs[pair / 64] |= 1 << (pair % 64);
                }
            }
        }
        Finder { pairs }
    }

    /// Calls `found` for each mark that is wholly in `bytes` and begins in byte `from` or later, in order,
    /// with the bit it begins at.
    pub(super) fn find(&self, bytes: &[u8], from: usize, mut found: impl FnMut(u64, Mark)) {
        // A mark that has a known pair at `at` begins in one of the four bytes before it.
        let mut at = from + STRIDE;
        while let Some(&[first, second]) = bytes.get(at..at + 2).and_then(<[u8]>::first_chunk) {
            let pair = usize::from(first) << 8 | usize::from(second);
            if self.pairs[pair / 64] >> (pair % 64) & 1 == 1 {
                marks_near(bytes, at, &mut found);
            }
            at += STRIDE;
        }
    }
}

/// Tries all the bits at which a mark can begin that has a known pair at byte `pair`.
#[cold]
fn marks_near(bytes: &[u8], pair: usize, found: &mut impl FnMut(u64, Mark)) {
    for start in pair.saturating_sub(STRIDE)..pair {
        let mut window = [0; 8];
        let rest = &bytes[start..bytes.len().min(start + 8)];
        window[..rest.len()].copy_from_slice(rest);
        let window = u64::from_be_bytes(window);
        for shift in 0..8 {
            if shift + MARK_BITS > rest.len() as u64 * 8 {
                break;
            }
            let value = window << shift >> 16;
            for mark in [Mark::Block, Mark::End] {
                if value == mark.magic() {
                    found(start as u64 * 8 + shift, mark);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn place(bytes: &mut [u8], at: usize, mark: Mark) {
        for bit in 0..48 {
            let (byte, mask) = ((at + bit) / 8, 128 >> ((at + bit) % 8));
            bytes[byte] =
                if mark.magic() >> (47 - bit) & 1 == 1 { bytes[byte] | mask } else { bytes[byte] & !mask };
        }
    }

    fn all(bytes: &[u8], from: usize) -> Vec<(u64, Mark)> {
        let mut marks = Vec::new();
        Finder::new().find(bytes, from, |bit, mark| marks.push((bit, mark)));
        marks
    }

    #[test]
    fn marks_are_found_at_every_bit_and_only_there() {
        for background in [0, 0xFF, 0x31, 0x59, 0x90] {
            for mark in [Mark::Block, Mark::End] {
                for at in 0..8 * 30 - 48 {
                    let mut bytes = [background; 30];
                    place(&mut bytes, at, mark);
                    assert_eq!(all(&bytes, 0), [(at as u64, mark)]);
                    assert_eq!(all(&bytes, at / 8), [(at as u64, mark)]);
                    assert_eq!(all(&bytes, at / 8 + 1), []);
                    assert_eq!(all(&bytes[..(at + 47) / 8], 0), []);
                }
            }
        }
    }

    #[test]
    fn marks_next_to_each_other_are_all_found() {
        let mut bytes = [0; 40];
        for (index, at) in [3, 51, 99, 148, 200].into_iter().enumerate() {
            place(&mut bytes, at, if index % 2 == 0 { Mark::Block } else { Mark::End });
        }
        let bits: Vec<u64> = all(&bytes, 0).into_iter().map(|(bit, _)| bit).collect();
        assert_eq!(bits, [3, 51, 99, 148, 200]);
    }
}
