//! Numbers names in order of first appearance, and in the end ranks them in bytewise order.
//!
//! All names are in one arena, each after its number and its length. The hash table holds only places in the
//! arena and a part of the hash, so a name costs its bytes and some thirty more.
//!
//! In a large table every look-up waits for memory three times: for the table's tags, for the slot, for the
//! name. Names are therefore looked up a [`Batch`] at a time, first all slots and then all names: the look-ups
//! of a batch do not depend on one another, so the processor waits for many of them at once.

use hashbrown::HashTable;
use llamafur::Error;
use llamafur::corpus::StringColumn;
use rapidhash::v3::rapidhash_v3;
use rayon::slice::ParallelSliceMut;

/// Alignment of records in bytes, which lets 32 bits address 32 GiB of names.
const UNIT: usize = 8;
/// Bytes of a record before the name: number and length, four bytes each.
const HEADER: usize = 8;
/// The place of no record.
const NOWHERE: u32 = u32::MAX;
/// Number of look-ups in a group.
const BATCH: usize = 128;

/// Distinct names, numbered in order of first appearance.
#[derive(Default)]
pub(crate) struct Names {
    arena: Vec<u8>,
    /// The place of each number's record.
    places: Vec<u32>,
    table: HashTable<Slot>,
}

#[derive(Clone, Copy)]
struct Slot {
    hash: u32,
    place: u32,
}

/// Spreads a hash to 64 bits. The table takes a slot from the low bits and a tag from the high ones: an odd factor
/// keeps all the information of the low bits, and makes the high ones depend on every bit.
fn spread(hash: u32) -> u64 {
    u64::from(hash).wrapping_mul(0x9E37_79B9_7F4A_7C15)
}

fn hash(name: &[u8]) -> u32 {
    rapidhash_v3(name) as u32
}

/// Names to be looked up together.
#[derive(Default)]
pub(crate) struct Batch {
    bytes: Vec<u8>,
    /// The beginning of each name that differs from the one before.
    starts: Vec<usize>,
    hashes: Vec<u32>,
    /// The records found, later the numbers.
    found: Vec<u32>,
    /// For each name that was pushed, its index in `starts`.
    pushed: Vec<u32>,
}

impl Batch {
    /// Adds a name.
    #[inline]
    pub(crate) fn push(&mut self, name: &str) {
        let name = name.as_bytes();
        // Tables are often sorted by a column, and the last row's name comes again.
        let repeated = self.starts.last().is_some_and(|&start| &self.bytes[start..] == name);
        if !repeated {
            self.starts.push(self.bytes.len());
            self.bytes.extend_from_slice(name);
            self.hashes.push(hash(name));
        }
        self.pushed.push(self.starts.len() as u32 - 1);
    }

    fn name(&self, i: usize) -> &[u8] {
        let end = self.starts.get(i + 1).copied().unwrap_or(self.bytes.len());
        &self.bytes[self.starts[i]..end]
    }

    /// Returns the names that were pushed in that range.
    #[cfg(feature = "arrow")]
    pub(crate) fn names(&self, pushed: std::ops::Range<usize>) -> impl Iterator<Item = &[u8]> {
        self.pushed[pushed].iter().map(|&i| self.name(i as usize))
    }

    /// Counts the names that were pushed.
    pub(crate) fn len(&self) -> usize {
        self.pushed.len()
    }

    /// Returns whether the batch should be looked up now.
    #[inline]
    pub(crate) fn is_full(&self) -> bool {
        self.pushed.len() >= BATCH
    }

    /// Returns the numbers of the names, after the look-up.
    pub(crate) fn numbers(&self) -> impl Iterator<Item = u32> {
        self.pushed.iter().map(|&i| self.found[i as usize])
    }

    /// Removes all names.
    pub(crate) fn clear(&mut self) {
        self.bytes.clear();
        self.starts.clear();
        self.hashes.clear();
        self.found.clear();
        self.pushed.clear();
    }
}

/// The rank of a name that was filtered out.
pub(crate) const UNRANKED: u32 = u32::MAX;

/// Names sorted bytewise.
pub(crate) struct Ranked {
    /// The names in order.
    pub(crate) names: StringColumn,
    /// The rank of each number, or [`UNRANKED`].
    pub(crate) ranks: Vec<u32>,
    /// The number at each rank.
    pub(crate) order: Vec<u32>,
}

impl Names {
    pub(crate) fn len(&self) -> usize {
        self.places.len()
    }

    /// Returns the name with that number.
    pub(crate) fn get(&self, number: u32) -> &[u8] {
        self.record(self.places[number as usize]).1
    }

    /// Returns a few of the names as examples.
    pub(crate) fn examples(&self, numbers: impl Iterator<Item = u32>) -> Vec<String> {
        numbers.take(3).map(|number| String::from_utf8_lossy(self.get(number)).into_owned()).collect()
    }

    /// Returns the number of a name, if it has one.
    pub(crate) fn find(&self, name: &str) -> Option<u32> {
        self.find_hashed(name.as_bytes(), hash(name.as_bytes()))
    }

    /// Returns the number of a name, a new one if it has none; `None` if there are too many names.
    pub(crate) fn intern(&mut self, name: &str) -> Option<u32> {
        self.intern_hashed(name.as_bytes(), hash(name.as_bytes()))
    }

    /// Adds a name; returns `false` if it was known, or if there are too many names.
    pub(crate) fn insert(&mut self, name: &str) -> bool {
        let before = self.len();
        self.intern(name).is_some() && self.len() > before
    }

    /// Removes all names and keeps the memory.
    pub(crate) fn clear(&mut self) {
        self.arena.clear();
        self.places.clear();
        self.table.clear();
    }

    /// Looks up the names of a batch and numbers the new ones; returns `None` if there are too many names.
    pub(crate) fn intern_all(&mut self, batch: &mut Batch) -> Option<()> {
        batch.found.clear();
        for from in (0..batch.hashes.len()).step_by(BATCH) {
            let to = batch.hashes.len().min(from + BATCH);
            let slots = batch.hashes[from..to].iter().map(|&hash| {
                let slot = self.table.find(spread(hash), |slot| slot.hash == hash);
                slot.map_or(NOWHERE, |slot| slot.place)
            });
            batch.found.extend(slots);
            for i in from..to {
                let (name, found) = (batch.name(i), batch.found[i]);
                let known = (found != NOWHERE).then(|| self.record(found)).filter(|known| known.1 == name);
                batch.found[i] = match known {
                    Some((number, _)) => number,
                    // New, or new a moment ago, or a stranger with the same hash.
                    None => self.intern_hashed(name, batch.hashes[i])?,
                };
            }
        }
        Some(())
    }

    fn find_hashed(&self, name: &[u8], hash: u32) -> Option<u32> {
        let same = |slot: &Slot| slot.hash == hash && self.record(slot.place).1 == name;
        self.table.find(spread(hash), same).map(|slot| self.record(slot.place).0)
    }

    fn intern_hashed(&mut self, name: &[u8], hash: u32) -> Option<u32> {
        if let Some(number) = self.find_hashed(name, hash) {
            return Some(number);
        }
        let place = u32::try_from(self.arena.len() / UNIT).ok().filter(|place| *place != NOWHERE)?;
        let (number, len) = (self.places.len() as u32, u32::try_from(name.len()).ok()?);
        self.arena.extend_from_slice(bytemuck::bytes_of(&[number, len]));
        self.arena.extend_from_slice(name);
        self.arena.resize(self.arena.len().next_multiple_of(UNIT), 0);
        self.places.push(place);
        self.table.insert_unique(spread(hash), Slot { hash, place }, |slot| spread(slot.hash));
        Some(number)
    }

    /// Returns the number and the name at a place.
    #[inline]
    fn record(&self, place: u32) -> (u32, &[u8]) {
        let at = place as usize * UNIT;
        let name = at + HEADER;
        let [number, len]: [u32; 2] = bytemuck::pod_read_unaligned(&self.arena[at..name]);
        (number, &self.arena[name..name + len as usize])
    }

    /// Frees the memory that look-ups need; from now on no name is found.
    pub(crate) fn forget_look_up(&mut self) {
        self.table = HashTable::new();
    }

    /// Sorts the names.
    pub(crate) fn ranked(&self) -> Result<Ranked, Error> {
        self.ranked_where(|_| true)
    }

    /// Sorts the names whose number is wanted.
    pub(crate) fn ranked_where(&self, wanted: impl Fn(u32) -> bool) -> Result<Ranked, Error> {
        // The first eight bytes, as a number, decide most comparisons without access to the arena.
        let mut keys: Vec<(u64, u32)> = (0u32..)
            .zip(&self.places)
            .filter(|(number, _)| wanted(*number))
            .map(|(_, &place)| (first_bytes(self.record(place).1), place))
            .collect();
        keys.par_sort_unstable_by(|a, b| {
            a.0.cmp(&b.0).then_with(|| self.record(a.1).1.cmp(self.record(b.1).1))
        });

        let mut ranks = vec![UNRANKED; self.places.len()];
        let mut order = Vec::with_capacity(keys.len());
        let mut offsets = Vec::with_capacity(keys.len() + 1);
        let mut bytes = Vec::new();
        offsets.push(0);
        for (rank, &(_, place)) in (0u32..).zip(&keys) {
            let (number, name) = self.record(place);
            ranks[number as usize] = rank;
            order.push(number);
            bytes.extend_from_slice(name);
            offsets.push(bytes.len() as i64);
        }
        Ok(Ranked { names: StringColumn::from_parts(offsets, bytes)?, ranks, order })
    }
}

/// Returns the first eight bytes of a name as a number: smaller numbers come first in the order of names.
pub(crate) fn first_bytes(name: &[u8]) -> u64 {
    let mut first = [0; 8];
    let len = name.len().min(8);
    first[..len].copy_from_slice(&name[..len]);
    u64::from_be_bytes(first)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    #[test]
    fn a_name_keeps_its_first_number() {
        let mut names = Names::default();
        assert_eq!(names.intern("b"), Some(0));
        assert_eq!(names.intern(""), Some(1));
        assert_eq!(names.intern("b"), Some(0));
        assert_eq!(names.find(""), Some(1));
        assert_eq!(names.find("c"), None);
        assert!(names.insert("c") && !names.insert("b"));
        names.clear();
        assert_eq!((names.len(), names.find("b")), (0, None));
        assert!(names.insert("b"));
    }

    proptest! {
        #[test]
        fn a_batch_gives_the_numbers_of_one_by_one(given in prop::collection::vec("[ab]{0,3}", 0..300), size in 1usize..40) {
            let (mut single, mut batched) = (Names::default(), Names::default());
            let mut batch = Batch::default();
            for names in given.chunks(size) {
                names.iter().for_each(|name| batch.push(name));
                batched.intern_all(&mut batch).unwrap();
                let expected: Vec<u32> = names.iter().map(|name| single.intern(name).unwrap()).collect();
                prop_assert_eq!(batch.numbers().collect::<Vec<_>>(), expected);
                batch.clear();
            }
            prop_assert_eq!(single.len(), batched.len());
        }

        #[test]
        fn ranks_follow_bytewise_order(given in prop::collection::vec("[a-cé\u{0}]{0,12}", 0..60)) {
            let mut names = Names::default();
            let numbers: Vec<u32> = given.iter().map(|name| names.intern(name).unwrap()).collect();
            let sorted: Vec<&String> = given.iter().collect::<BTreeSet<_>>().into_iter().collect();
            let ranked = names.ranked().unwrap();
            prop_assert_eq!(ranked.ranks.len(), sorted.len());
            for (name, number) in given.iter().zip(numbers) {
                let rank = ranked.ranks[number as usize];
                prop_assert_eq!(sorted[rank as usize], name);
                prop_assert_eq!(ranked.order[rank as usize], number);
            }
        }
    }
}
