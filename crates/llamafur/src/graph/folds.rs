//! Folds: all pairs of pages, D×D, cut into equal parts.
//!
//! A pair's fold is a hash of the seed, the source and the target: no list of pairs is kept, and every thread, at
//! whatever time, gets the same answer.

use super::PageId;
use crate::random::mix;

/// One of the parts that all pairs of pages are cut into.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Fold {
    seed: u64,
    number: u32,
    of: u32,
}

impl Fold {
    /// Returns all folds.
    pub fn all(of: u32, seed: u64) -> impl ExactSizeIterator<Item = Fold> + use<> {
        (0..of).map(move |number| Fold { seed, number, of })
    }

    /// Returns the number of the fold, from 0.
    pub fn number(self) -> u32 {
        self.number
    }

    /// Returns the number of folds.
    pub fn of(self) -> u32 {
        self.of
    }

    /// Returns whether the pair is in the fold.
    #[inline]
    pub fn holds(self, source: PageId, target: PageId) -> bool {
        // Once for the seed and once for the pair.
        let pair = u64::from(source.0) << 32 | u64::from(target.0);
        let hash = mix(mix(self.seed).wrapping_add(pair));
        ((u128::from(hash) * u128::from(self.of)) >> 64) as u32 == self.number
    }
}

/// The pairs of pages that may be drawn as non-links.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Pairs {
    /// All pairs.
    #[default]
    All,
    /// The pairs outside a fold: what may be learnt from while it is held out.
    Outside(Fold),
    /// The pairs of a fold.
    Inside(Fold),
}

impl Pairs {
    /// Returns whether the pair is one of them.
    #[inline]
    pub fn hold(self, source: PageId, target: PageId) -> bool {
        match self {
            Pairs::All => true,
            Pairs::Outside(fold) => !fold.holds(source, target),
            Pairs::Inside(fold) => fold.holds(source, target),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_pair_is_in_one_fold_and_folds_are_alike_in_size() {
        let folds: Vec<Fold> = Fold::all(10, 7).collect();
        let mut sizes = [0u32; 10];
        for (source, target) in (0..400).flat_map(|s| (0..400).map(move |t| (PageId(s), PageId(t)))) {
            let of: Vec<usize> = (0..10).filter(|&number| folds[number].holds(source, target)).collect();
            assert_eq!(of.len(), 1);
            sizes[of[0]] += 1;
        }
        // 16,000 each; five standard deviations are 600.
        assert!(sizes.iter().all(|size| size.abs_diff(16_000) < 600), "{sizes:?}");
    }

    #[test]
    fn the_folds_of_a_page_and_of_another_seed_are_unrelated() {
        let [fold, other] = [1, 2].map(|seed| Fold::all(2, seed).next().unwrap());
        let targets = || (0..10_000).map(PageId);
        let [same_seed, other_page, other_seed] = [
            targets().filter(|&target| fold.holds(PageId(3), target)).count(),
            targets().filter(|&t| fold.holds(PageId(3), t) == fold.holds(PageId(4), t)).count(),
            targets().filter(|&t| fold.holds(PageId(3), t) == other.holds(PageId(3), t)).count(),
        ];
        // Half of 10,000; six standard deviations are 300.
        for count in [same_seed, other_page, other_seed] {
            assert!(count.abs_diff(5000) < 300, "{same_seed} {other_page} {other_seed}");
        }
    }
}
