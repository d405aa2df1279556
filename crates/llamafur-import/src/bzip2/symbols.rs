//! Reads a block's codes and turns its symbols into runs of bytes: the last column of the sorted rotations.
//!
//! The loop over the symbols has few branches that depend on the data, since a text's symbols cannot be predicted: the
//! first 16 bytes of the move-to-front list are two numbers of 64 bits that are shuffled by masks, and a symbol that
//! makes a run longer is treated as "take the front byte again" with another amount to add. Places from 16 on, one
//! symbol of 16 in a text, take a separate path.

use super::BlockError;
use super::bits::Bits;
use super::huffman::{Code, LARGEST_ALPHABET, LONGEST, WIDTH};

/// Upper bound of a block's bytes before its runs are undone.
pub(super) const LARGEST_BLOCK: usize = 900_000;
/// Number of symbols for which each code is used before the next selector is read.
const GROUP: usize = 50;
/// Number of symbols that fit into 56 bits when none is longer than the table is wide.
const PER_REFILL: usize = 5;
const _: () = assert!(PER_REFILL * WIDTH as usize <= 56 && GROUP.is_multiple_of(PER_REFILL));
/// The size of tables whose index is masked: 20 bits hold every position of a block.
pub(super) const POSITIONS: usize = 1 << 20;

/// The runs of a block in the order of the last column, and the number of occurrences of each byte.
pub(super) struct Symbols {
    /// Each run: the byte in the low 8 bits and the length above.
    runs: Box<[u32; POSITIONS]>,
    used: usize,
    /// The number of occurrences of each byte.
    pub(super) counts: [u32; 256],
    /// The number of bytes.
    pub(super) total: usize,
    codes: Box<[Code; 6]>,
    selectors: Vec<u8>,
}

impl Symbols {
    pub(super) fn new() -> Self {
        Symbols {
            runs: super::table(),
            used: 0,
            counts: [0; 256],
            total: 0,
            codes: Box::new(std::array::from_fn(|_| Code::new())),
            selectors: Vec::new(),
        }
    }

    /// Returns the runs last read.
    pub(super) fn runs(&self) -> &[u32] {
        &self.runs[..self.used]
    }

    /// Reads everything from the map of used bytes to the symbol that ends the block.
    ///
    /// If the reader runs out, any error may result; the caller checks for that first.
    pub(super) fn read(&mut self, bits: &mut Bits) -> Result<(), BlockError> {
        let (list, alphabet) = read_used_bytes(bits)?;
        let codes = bits.take(3) as usize;
        if !(2..=6).contains(&codes) {
            return Err(BlockError::Damaged("the number of its codes is not 2 to 6"));
        }
        self.read_selectors(bits, codes)?;
        for code in &mut self.codes[..codes] {
            let mut lengths = [0; LARGEST_ALPHABET];
            read_lengths(bits, &mut lengths[..alphabet])?;
            if !code.build(&lengths[..alphabet]) {
                return Err(BlockError::Damaged("one of its codes is impossible"));
            }
        }
        self.read_symbols(bits, list)
    }

    fn read_selectors(&mut self, bits: &mut Bits, codes: usize) -> Result<(), BlockError> {
        let count = bits.take(15);
        // A move-to-front list of up to eight numbers, the first in the low byte.
        let mut order = 0x05_04_03_02_01_00_u64;
        self.selectors.clear();
        for _ in 0..count {
            bits.refill();
            let place = bits.ones();
            if place as usize >= codes {
                return Err(BlockError::Damaged("it selects a code that it does not have"));
            }
            bits.skip(place + 1);
            let chosen = order >> (place * 8) & 0xFF;
            order = shift_in(order, chosen, up_to(place * 8));
            self.selectors.push(chosen as u8);
        }
        Ok(())
    }

    fn read_symbols(&mut self, reader: &mut Bits, mut list: [u64; 32]) -> Result<(), BlockError> {
        // Copies and plain names of what the loop uses, which keeps it in registers.
        let mut bits = std::mem::replace(reader, Bits::new(&[], 0));
        let runs = &mut *self.runs;
        let mut counts = [0_u64; 256];
        let mut front = list[0];
        let mut second = list[1];
        let mut at = 0_u32;
        let mut length = 0_u32;
        let mut doublings = 0_u32;
        let mut result = Err(BlockError::Damaged("it has no end"));
        runs[0] = (front & 0xFF) as u32;

        'block: for &selector in &self.selectors {
            let code = &self.codes[usize::from(selector)];
            for _ in 0..GROUP / PER_REFILL {
                bits.refill();
                for _ in 0..PER_REFILL {
                    let mut entry = code.table[bits.peek(WIDTH) as usize];
                    let mut skip = entry.length();
                    if entry.is_special() {
                        if entry.is_long() {
                            bits.refill();
                            let Some(found) = code.long(bits.peek(LONGEST as u32) as u32) else {
                                result = Err(BlockError::Damaged("it uses a code without meaning"));
                                break 'block;
                            };
                            entry = found;
                            bits.skip(entry.length());
                            bits.refill();
                            skip = 0;
                        }
                        if entry.is_end() {
                            bits.skip(skip);
                            result = Ok(());
                            break 'block;
                        }
                        if entry.is_deep() {
                            bits.skip(skip);
                            list[0] = front;
                            list[1] = second;
                            let byte = to_front(&mut list, entry.place());
                            front = list[0];
                            second = list[1];
                            (length, doublings) = (1, 0);
                            at += 1;
                            runs[at as usize % POSITIONS] = u32::from(byte) | 1 << 8;
                            counts[usize::from(byte)] += 1;
                            continue;
                        }
                    }
                    bits.skip(skip);
                    let in_second = entry.is_in_second();
                    let byte = if in_second { second } else { front } >> entry.shift() & 0xFF;
                    let moved = up_to(entry.shift());
                    second = shift_in(second, front >> 56, if in_second { moved } else { 0 });
                    front = shift_in(front, byte, if in_second { u64::MAX } else { moved });
                    let if_run = entry.if_run();
                    doublings &= if_run;
                    // Too many doublings are found out by the counts: already 20 make more than a block.
                    let add = entry.add().wrapping_shl(doublings);
                    doublings = doublings.wrapping_sub(if_run);
                    length = (length & if_run).wrapping_add(add);
                    at = at.wrapping_add(1).wrapping_add(if_run);
                    runs[at as usize % POSITIONS] = byte as u32 | length << 8;
                    counts[byte as usize] += u64::from(add);
                }
            }
            if bits.overrun() {
                break;
            }
        }
        *reader = bits;
        let total: u64 = counts.iter().sum();
        if total > LARGEST_BLOCK as u64 {
            return Err(BlockError::Damaged("it is longer than a block can be"));
        }
        self.used = at as usize + 1;
        self.counts = counts.map(|count| count as u32);
        self.total = total as usize;
        result
    }
}

/// Reads which bytes occur; returns the move-to-front list, eight bytes a word, and the size of the alphabet.
fn read_used_bytes(bits: &mut Bits) -> Result<([u64; 32], usize), BlockError> {
    let mut list = [0; 32];
    let mut used = 0;
    let rows = bits.take(16);
    for row in (0..16).filter(|row| rows >> (15 - row) & 1 == 1) {
        let columns = bits.take(16);
        for column in (0..16).filter(|column| columns >> (15 - column) & 1 == 1) {
            list[used / 8] |= (row * 16 + column) << (used % 8 * 8);
            used += 1;
        }
    }
    if used == 0 {
        return Err(BlockError::Damaged("it uses no bytes"));
    }
    Ok((list, used + 2))
}

/// Reads the lengths of a code, each given by its difference from the one before.
fn read_lengths(bits: &mut Bits, lengths: &mut [u8]) -> Result<(), BlockError> {
    let mut length = bits.take(5);
    for slot in lengths {
        loop {
            if !(1..=20).contains(&length) {
                return Err(BlockError::Damaged("the length of a code is not 1 to 20"));
            }
            if bits.take(1) == 0 {
                break;
            }
            length = if bits.take(1) == 0 { length + 1 } else { length - 1 };
        }
        *slot = length as u8;
    }
    Ok(())
}

/// Returns a mask of the bytes of a word up to the one that begins at bit `shift`.
#[inline(always)]
fn up_to(shift: u32) -> u64 {
    u64::MAX >> (56 - shift)
}

/// Moves the marked bytes, which are the lowest ones, up by one place and puts `byte` before them.
#[inline(always)]
fn shift_in(word: u64, byte: u64, marked: u64) -> u64 {
    word & !marked | (word << 8 | byte) & marked
}

/// Moves the byte at a place of 16 or more to the front of the list.
#[inline]
fn to_front(list: &mut [u64; 32], place: usize) -> u8 {
    let (word, shift) = (place / 8 % 32, place as u32 % 8 * 8);
    let byte = list[word] >> shift & 0xFF;
    let mut carry = byte;
    for eight in &mut list[..word] {
        let last = *eight >> 56;
        *eight = *eight << 8 | carry;
        carry = last;
    }
    list[word] = shift_in(list[word], carry, up_to(shift));
    byte as u8
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moving_to_the_front_agrees_with_a_plain_list() {
        let mut plain: Vec<u8> = (0..=255).collect();
        let mut list: [u64; 32] =
            std::array::from_fn(|i| u64::from_le_bytes(std::array::from_fn(|j| (i * 8 + j) as u8)));
        let mut state = 3;
        for _ in 0..5000 {
            state = (state * 73 + 41) % 1009;
            let place = state % 256;
            let byte = plain.remove(place);
            plain.insert(0, byte);
            assert_eq!(to_front(&mut list, place), byte);
            assert_eq!(list.map(u64::to_le_bytes).concat(), plain);
        }
    }

    #[test]
    fn lengths_may_not_leave_their_range() {
        // 5 bits of start, then "1 0" adds one and "1 1" takes one away.
        let mut lengths = [0; 2];
        assert!(read_lengths(&mut Bits::new(&[0b0000_1100, 0], 0), &mut lengths).is_ok());
        assert_eq!(lengths, [2, 2]);
        assert!(read_lengths(&mut Bits::new(&[0b0000_1110, 0], 0), &mut lengths).is_err());
        assert!(read_lengths(&mut Bits::new(&[0b1010_0100, 0], 0), &mut lengths).is_err());
    }

    #[test]
    fn a_block_that_uses_no_byte_is_damaged() {
        assert!(read_used_bytes(&mut Bits::new(&[0; 8], 0)).is_err());
    }
}
