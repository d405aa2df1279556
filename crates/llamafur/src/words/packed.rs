//! The bag of a page in few bytes, for a part that waits on disk until the dictionary is known.
//!
//! Of each term, ascending: how far it is from the one before, then its count with, in the lowest bit, whether some are in the
//! lead, and, if so and the count is not 1, how many. Numbers are in bytes of seven bits, the lowest first, with the
//! highest bit set on all but the last (LEB128).

use super::telling::TextPart;

/// A term of a page, with its counts in the page and in its lead.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Counted {
    pub(super) term: u32,
    pub(super) count: u16,
    pub(super) in_lead: u16,
}

impl Counted {
    /// Returns its count in a part of the page.
    pub(super) fn count_in(&self, part: TextPart) -> u16 {
        match part {
            TextPart::Whole => self.count,
            TextPart::Lead => self.in_lead,
        }
    }
}

/// Limits a count to 65,535.
pub(super) fn cut_off(count: u32) -> u16 {
    u16::try_from(count).unwrap_or(u16::MAX)
}

/// Appends a bag, whose terms ascend.
pub(super) fn pack(bag: &[Counted], out: &mut Vec<u8>) {
    let mut next = 0;
    for word in bag {
        push(word.term - next, out);
        next = word.term + 1;
        let is_in_lead = word.in_lead > 0;
        push(u32::from(word.count) << 1 | u32::from(is_in_lead), out);
        if is_in_lead && word.count > 1 {
            push(u32::from(word.in_lead), out);
        }
    }
}

/// Reads the bag that was appended as these bytes.
pub(super) fn unpack(mut bytes: &[u8]) -> impl Iterator<Item = Counted> {
    let mut next = 0u32;
    std::iter::from_fn(move || {
        let term = next.wrapping_add(take(&mut bytes)?);
        next = term.wrapping_add(1);
        let count = take(&mut bytes)?;
        let in_lead = match (count & 1, count >> 1) {
            (0, _) => 0,
            (_, 1) => 1,
            _ => take(&mut bytes)?,
        };
        Some(Counted { term, count: cut_off(count >> 1), in_lead: cut_off(in_lead) })
    })
}

fn push(mut number: u32, out: &mut Vec<u8>) {
    while number >= 128 {
        out.push(number as u8 | 128);
        number >>= 7;
    }
    out.push(number as u8);
}

fn take(bytes: &mut &[u8]) -> Option<u32> {
    let (mut number, mut shift) = (0, 0);
    loop {
        let (&byte, rest) = bytes.split_first()?;
        *bytes = rest;
        number |= u32::from(byte & 127) << shift;
        if byte < 128 || shift == 28 {
            return Some(number);
        }
        shift += 7;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn a_bag_is_unpacked_as_it_was_packed(
            words in proptest::collection::btree_map(0u32..u32::MAX - 1, (1u16.., 0u16..), 0..50)
        ) {
            let counted = |(term, (count, lead)): (u32, (u16, u16))| {
                Counted { term, count, in_lead: lead.min(count) }
            };
            let bag: Vec<Counted> = words.into_iter().map(counted).collect();
            let mut bytes = Vec::new();
            pack(&bag, &mut bytes);
            prop_assert_eq!(unpack(&bytes).collect::<Vec<_>>(), bag);
        }

        #[test]
        fn any_bytes_are_unpacked_without_a_panic(bytes in proptest::collection::vec(0u8.., 0..60)) {
            unpack(&bytes).for_each(drop);
        }
    }
}
