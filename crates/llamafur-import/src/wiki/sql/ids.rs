//! Maps the ids of a database to numbers, in some twelve bytes an id.

/// A map from ids to numbers that is filled before the first look-up.
///
/// Ids arrive in order, as `mysqldump` writes them, or are sorted once. A directory of the ids with the same upper bits
/// limits each look-up to a few ids.
#[derive(Default)]
pub(super) struct IdMap {
    ids: Vec<u64>,
    numbers: Vec<u32>,
    /// The beginning of each bucket, and the end of the last.
    buckets: Vec<u32>,
    shift: u32,
}

impl IdMap {
    /// Adds the number of an id; the last number of an id counts. Returns `false` if there are too many.
    #[must_use]
    pub(super) fn push(&mut self, id: u64, number: u32) -> bool {
        self.ids.push(id);
        self.numbers.push(number);
        u32::try_from(self.ids.len()).is_ok()
    }

    /// Sorts the ids and builds the directory.
    pub(super) fn finish(&mut self) {
        if !self.ids.is_sorted_by(|a, b| a < b) {
            let mut pairs: Vec<(u64, u32)> = self.ids.drain(..).zip(self.numbers.drain(..)).rev().collect();
            pairs.sort_by_key(|(id, _)| *id);
            pairs.dedup_by_key(|(id, _)| *id);
            (self.ids, self.numbers) = pairs.into_iter().unzip();
        }
        let (Some(&first), Some(&last)) = (self.ids.first(), self.ids.last()) else { return };
        self.shift = 0;
        while (last - first) >> self.shift >= self.ids.len() as u64 {
            self.shift += 1;
        }
        let num = ((last - first) >> self.shift) as usize + 1;
        self.buckets = Vec::with_capacity(num + 1);
        let mut at = 0;
        for bucket in 0..=num as u64 {
            while self.ids.get(at).is_some_and(|id| (id - first) >> self.shift < bucket) {
                at += 1;
            }
            self.buckets.push(at as u32);
        }
    }

    /// Returns the number of an id.
    pub(super) fn get(&self, id: u64) -> Option<u32> {
        let bucket = (id.checked_sub(*self.ids.first()?)? >> self.shift) as usize;
        let [start, end] = [bucket, bucket + 1].map(|bucket| self.buckets.get(bucket).map(|&at| at as usize));
        let (start, end) = (start?, end?);
        let at = self.ids[start..end].binary_search(&id).ok()?;
        Some(self.numbers[start + at])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeMap;

    proptest! {
        #[test]
        fn equals_a_tree(
            pairs in prop::collection::vec((prop_oneof![0u64..50, 1000u64..1100, any::<u64>()], any::<u32>()), 0..80),
            asked in prop::collection::vec(prop_oneof![0u64..60, any::<u64>()], 0..40),
        ) {
            let mut map = IdMap::default();
            for &(id, number) in &pairs {
                prop_assert!(map.push(id, number));
            }
            map.finish();
            let tree: BTreeMap<u64, u32> = pairs.iter().copied().collect();
            for id in pairs.iter().map(|(id, _)| *id).chain(asked) {
                prop_assert_eq!(map.get(id), tree.get(&id).copied());
            }
        }
    }
}
