//! Categories: their popularity and their tree.

use super::alias::Alias;
use super::random::{Stream, stream};
use llamafur::learn::sampler::{below, shuffle, unit};
use llamafur::storage::{Csr, CsrBuf};

/// Zipf exponent: the k-th most popular category is drawn in proportion to k to minus this.
const ZIPF: f64 = 0.8;

/// Largest number of categories without parents.
const ROOTS: usize = 8;

/// Categories with their popularity and their tree.
pub(super) struct Tree {
    popularity: Alias,
    parents: CsrBuf<u32>,
    children: CsrBuf<u32>,
}

impl Tree {
    /// Builds the categories of a seed.
    ///
    /// A category has one to three more popular parents. Among k candidates the one at ⌊k·u√u⌋ is taken, u uniform:
    /// that favours popular ones, and keeps the tree as flat as a wiki's.
    pub(super) fn new(num_categories: usize, seed: u64) -> Tree {
        let mut order: Vec<u32> = (0..num_categories as u32).collect();
        // Numbers must say nothing about popularity.
        shuffle(&mut stream(seed, Stream::CategoryOrder, 0), &mut order);
        let mut weights = vec![0.0; num_categories];
        let mut parents = vec![Vec::new(); num_categories];
        let roots = (num_categories / 10).clamp(1, ROOTS);
        for (place, &category) in order.iter().enumerate() {
            weights[category as usize] = (place as f64 + 1.0).powf(-ZIPF);
            if place >= roots {
                parents[category as usize] = draw_parents(&order[..place], category, seed);
            }
        }
        let parents: CsrBuf<u32> = parents.into_iter().collect();
        let children = CsrBuf::transposed(parents.view(), num_categories);
        Tree { popularity: Alias::new(&weights), parents, children }
    }

    /// Draws a category by popularity, from random bits.
    #[inline]
    pub(super) fn popular(&self, bits: u64) -> u32 {
        self.popularity.draw(bits)
    }

    /// Returns the parents of each category, ascending.
    pub(super) fn parents(&self) -> Csr<'_, u32> {
        self.parents.view()
    }

    /// Returns the children of each category, ascending.
    pub(super) fn children(&self) -> Csr<'_, u32> {
        self.children.view()
    }
}

/// Draws parents of a category from those more popular, given the most popular first; returns them ascending.
fn draw_parents(more_popular: &[u32], category: u32, seed: u64) -> Vec<u32> {
    let mut draw = stream(seed, Stream::Parents, category.into());
    // One parent for half of the categories, two for a third, three for a sixth.
    let num = [1, 1, 1, 2, 2, 3][below(&mut draw, 6) as usize];
    let parent = |_| {
        let u = unit(&mut draw);
        more_popular[(more_popular.len() as f64 * u * u.sqrt()) as usize]
    };
    let mut parents: Vec<u32> = (0..num).map(parent).collect();
    parents.sort_unstable();
    parents.dedup();
    parents
}

#[cfg(test)]
mod tests {
    use super::*;

    fn depths(tree: &Tree, num: usize) -> Vec<u32> {
        // Levels below the nearest root, by repeated relaxation.
        let mut depths = vec![u32::MAX; num];
        let mut changed = true;
        while changed {
            changed = false;
            for category in 0..num {
                let parents = tree.parents().row(category);
                let above = parents.iter().map(|&p| depths[p as usize].saturating_add(1)).min();
                let depth = above.unwrap_or(0);
                changed |= depth != depths[category];
                depths[category] = depth;
            }
        }
        depths
    }

    #[test]
    fn the_tree_is_as_deep_as_a_wikis_and_without_circles() {
        for (num, least, most) in [(500, 4, 12), (20_000, 5, 12)] {
            let tree = Tree::new(num, 1);
            let depths = depths(&tree, num);
            let deepest = *depths.iter().max().unwrap();
            // A circle without a way to a root would have no finite depth.
            assert!((least..=most).contains(&deepest), "{num}: {deepest}");
            let roots = tree.parents().rows().filter(|row| row.is_empty()).count();
            assert_eq!(roots, 8);
            assert!(tree.parents().rows().all(|row| row.len() <= 3));
        }
    }

    #[test]
    fn popular_categories_carry_a_good_share() {
        let tree = Tree::new(1000, 3);
        let mut draw = stream(1, Stream::Links, 0);
        let mut counts = vec![0u32; 1000];
        (0..100_000).for_each(|_| counts[tree.popular(super::super::random::bits(&mut draw)) as usize] += 1);
        let by_number: u32 = counts[..10].iter().sum();
        counts.sort_unstable_by(|a, b| b.cmp(a));
        let top: u32 = counts[..10].iter().sum();
        // Σ_{k ≤ 10} k^−0.8 / Σ_{k ≤ 1000} k^−0.8 = 3.72/15.6.
        assert!((22_000..26_000).contains(&top), "{top}");
        assert!(by_number < 5_000, "{by_number}");
    }
}
