//! Prefix codes of a block: tables that map the next bits to an action rather than to a symbol.
//!
//! An [`Entry`] is already translated for the loop in [`symbols`](super::symbols): how far down the
//! move-to-front list to reach and how much to add to the run. Codes longer than [`WIDTH`] are rare and take
//! a search by length.

/// Longest code that the table resolves with one lookup.
pub(super) const WIDTH: u32 = 11;
/// The longest code the format allows.
pub(super) const LONGEST: usize = 20;
/// Size of the largest alphabet: two symbols for runs, 255 places and the end of the block.
pub(super) const LARGEST_ALPHABET: usize = 258;

/// The meaning of a code, packed so that the hot loop takes it apart with shifts.
#[derive(Clone, Copy, Default)]
pub(super) struct Entry(u32);

impl Entry {
    // From the low end: length of the code (5 bits), place or shift (8 bits from bit 8), amount to add
    // (2 bits from bit 16), and what kind it is.
    const SECOND: u32 = 1 << 27;
    const RUN: u32 = 1 << 28;
    const LONG: u32 = 1 << 29;
    const END: u32 = 1 << 30;
    const DEEP: u32 = 1 << 31;

    fn new(symbol: usize, alphabet: usize, length: u8) -> Self {
        let place = symbol.saturating_sub(1) as u32;
        let kind = match symbol {
            0 | 1 => Self::RUN | (symbol as u32 + 1) << 16,
            _ if symbol + 1 == alphabet => Self::END,
            _ if place < 8 => (place * 8) << 8 | 1 << 16,
            _ if place < 16 => Self::SECOND | (place % 8 * 8) << 8 | 1 << 16,
            _ => Self::DEEP | place << 8 | 1 << 16,
        };
        Entry(kind | u32::from(length))
    }

    /// Returns the entry of a code that is too long for the table or invalid.
    const fn long() -> Self {
        Entry(Self::LONG)
    }

    /// Returns the length of the code in bits.
    #[inline(always)]
    pub(super) fn length(self) -> u32 {
        self.0 & 31
    }

    /// Returns all ones for the two symbols that make a run longer, 0 for those that begin another one.
    #[inline(always)]
    pub(super) fn if_run(self) -> u32 {
        ((self.0 << 3) as i32 >> 31) as u32
    }

    /// Returns the distance in bits of a place less than 16 from the beginning of its word of eight places.
    #[inline(always)]
    pub(super) fn shift(self) -> u32 {
        self.0 >> 8 & 63
    }

    /// Returns whether the place is 8 or more, but less than 16.
    #[inline(always)]
    pub(super) fn is_in_second(self) -> bool {
        self.0 & Self::SECOND != 0
    }

    /// Returns the place of a deep entry.
    #[inline(always)]
    pub(super) fn place(self) -> usize {
        (self.0 >> 8 & 255) as usize
    }

    /// Returns what the symbol adds to the length of the run, before doubling.
    #[inline(always)]
    pub(super) fn add(self) -> u32 {
        self.0 >> 16 & 3
    }

    /// Returns whether the entry needs more than the quick path.
    #[inline(always)]
    pub(super) fn is_special(self) -> bool {
        self.0 >= Self::LONG
    }

    /// Returns whether the code has to be looked up by [`Code::long`].
    #[inline(always)]
    pub(super) fn is_long(self) -> bool {
        self.0 & Self::LONG != 0
    }

    /// Returns whether the symbol ends the block.
    #[inline(always)]
    pub(super) fn is_end(self) -> bool {
        self.0 & Self::END != 0
    }

    /// Returns whether the place is 16 or more.
    #[inline(always)]
    pub(super) fn is_deep(self) -> bool {
        self.0 & Self::DEEP != 0
    }
}

/// One of the up to six codes of a block.
pub(super) struct Code {
    /// Entries by the next [`WIDTH`] bits.
    pub(super) table: [Entry; 1 << WIDTH],
    /// All symbols by their code.
    ordered: [Entry; LARGEST_ALPHABET],
    /// For each length the first value, of 20 bits, beyond the codes of this length.
    beyond: [u32; LONGEST + 1],
    /// For each length the amount to add to a code to get its place in `ordered`.
    base: [i32; LONGEST + 1],
}

impl Code {
    pub(super) fn new() -> Self {
        Code {
            table: [Entry::long(); 1 << WIDTH],
            ordered: [Entry::default(); LARGEST_ALPHABET],
            beyond: [0; LONGEST + 1],
            base: [0; LONGEST + 1],
        }
    }

    /// Builds the code whose symbols have these lengths; returns false if there are more codes than fit.
    #[must_use]
    pub(super) fn build(&mut self, lengths: &[u8]) -> bool {
        let mut code = 0_u32;
        let mut placed = 0;
        let mut filled = 0;
        for length in 1..=LONGEST {
            code <<= 1;
            self.base[length] = placed as i32 - code as i32;
            for (symbol, _) in lengths.iter().enumerate().filter(|(_, l)| usize::from(**l) == length) {
                let entry = Entry::new(symbol, lengths.len(), length as u8);
                self.ordered[placed] = entry;
                placed += 1;
                code += 1;
                if length <= WIDTH as usize {
                    let end = filled + (1 << (WIDTH as usize - length));
                    match self.table.get_mut(filled..end) {
                        Some(entries) => entries.fill(entry),
                        None => return false,
                    }
                    filled = end;
                }
            }
            if code > 1 << length {
                return false;
            }
            self.beyond[length] = code << (LONGEST - length);
        }
        self.table[filled..].fill(Entry::long());
        true
    }

    /// Finds, by its length, the code at the beginning of the next [`LONGEST`] bits, which is not in the table.
    #[cold]
    pub(super) fn long(&self, value: u32) -> Option<Entry> {
        let length = (WIDTH as usize + 1..=LONGEST).find(|&length| value < self.beyond[length])?;
        let index = (value >> (LONGEST - length)) as i32 + self.base[length];
        self.ordered.get(usize::try_from(index).ok()?).copied()
    }
}

#[cfg(test)]
mod tests {
    use super::super::bits::Bits;
    use super::*;

    #[test]
    fn codes_of_every_length_are_found() {
        // Lengths 1, 2, ..., 19, 20, 20: a complete code whose codes are ones ended by a zero.
        let mut lengths: Vec<u8> = (1..=20).collect();
        lengths.push(20);
        let mut code = Code::new();
        assert!(code.build(&lengths));
        for (symbol, &length) in lengths.iter().enumerate() {
            let ones = if symbol == 20 { 20 } else { u32::from(length) - 1 };
            let value = !(u64::MAX.checked_shr(ones).unwrap_or(0));
            let bytes = value.to_be_bytes();
            let bits = Bits::new(&bytes, 0);
            let mut entry = code.table[bits.peek(WIDTH) as usize];
            assert_eq!(entry.is_long(), u32::from(length) > WIDTH);
            if entry.is_long() {
                entry = code.long(bits.peek(LONGEST as u32) as u32).unwrap();
            }
            assert_eq!(entry.length(), u32::from(length));
            assert_eq!(entry.is_end(), symbol == 20);
            assert_eq!(entry.if_run(), if symbol < 2 { u32::MAX } else { 0 });
            if entry.is_deep() {
                assert_eq!(entry.place(), symbol - 1);
            }
        }
    }

    #[test]
    fn too_many_codes_are_refused_and_missing_ones_found_out() {
        let mut code = Code::new();
        assert!(!code.build(&[1, 1, 1]));
        assert!(!code.build(&[20, 1, 1]));
        assert!(code.build(&[2, 2, 2]));
        let bits = Bits::new(&[0xFF; 8], 0);
        assert!(code.table[bits.peek(WIDTH) as usize].is_long());
        assert!(code.long(bits.peek(LONGEST as u32) as u32).is_none());
    }
}
