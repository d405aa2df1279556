//! The categories of pages.

use super::conf::SynthConf;
use super::random::{Stream, bits, stream};
use super::tree::Tree;
use llamafur::learn::sampler::{Generator, below, unit};

/// Number of draws for one category before the next free one is taken.
const TRIES: usize = 16;

/// A generator of the categories of pages.
pub(super) struct PageCategories<'a> {
    tree: &'a Tree,
    seed: u64,
    num_categories: u64,
    /// The probabilities of at most 1, 2, 3, … categories.
    up_to: Vec<f64>,
}

impl<'a> PageCategories<'a> {
    pub(super) fn new(conf: &SynthConf, tree: &'a Tree) -> PageCategories<'a> {
        PageCategories {
            tree,
            seed: conf.seed,
            num_categories: conf.categories as u64,
            up_to: counts_up_to(conf.mean_categories(), conf.most_categories()),
        }
    }

    /// Appends the categories of a page, ascending, and returns their number.
    ///
    /// The first is drawn by popularity. Each further one is drawn by popularity or from the neighbourhood of the
    /// first, at even odds: a parent of it, or another child of that parent.
    pub(super) fn draw(&self, page: u32, categories: &mut Vec<u32>) -> usize {
        let mut draw = stream(self.seed, Stream::PageCategories, page.into());
        let u = unit(&mut draw);
        let num = 1 + self.up_to.partition_point(|&chance| chance <= u).min(self.up_to.len() - 1);
        let from = categories.len();
        let first = self.tree.popular(bits(&mut draw));
        categories.push(first);
        while categories.len() < from + num {
            let mut category = first;
            for _ in 0..TRIES {
                category = self.near_or_popular(first, &mut draw);
                if !categories[from..].contains(&category) {
                    break;
                }
            }
            while categories[from..].contains(&category) {
                category = ((u64::from(category) + 1) % self.num_categories) as u32;
            }
            categories.push(category);
        }
        categories[from..].sort_unstable();
        num
    }

    fn near_or_popular(&self, first: u32, draw: &mut Generator) -> u32 {
        let parents = self.tree.parents().row(first as usize);
        if below(draw, 2) == 0 || parents.is_empty() {
            return self.tree.popular(bits(draw));
        }
        let parent = parents[below(draw, parents.len() as u64) as usize];
        if below(draw, 2) == 0 {
            return parent;
        }
        let siblings = self.tree.children().row(parent as usize);
        siblings[below(draw, siblings.len() as u64) as usize]
    }
}

/// Returns the probabilities of at most 1, 2, …, `most` categories. The probability of n changes by the same factor
/// from one n to the next, chosen such that the mean is as requested and the spread wide.
fn counts_up_to(mean: f64, most: usize) -> Vec<f64> {
    let chances = |factor: f64| {
        let chances: Vec<f64> = (0..most as i32).map(|n| factor.powi(n)).collect();
        let sum: f64 = chances.iter().sum();
        chances.into_iter().map(|chance| chance / sum).collect::<Vec<f64>>()
    };
    let mean_of = |factor: f64| chances(factor).iter().zip(1..).map(|(p, n)| p * f64::from(n)).sum::<f64>();
    // The mean rises with the factor, from 1 to `most`.
    let (mut low, mut high) = (0.0, 1e6);
    for _ in 0..100 {
        let middle = (low + high) / 2.0;
        if mean_of(middle) < mean { low = middle } else { high = middle }
    }
    let mut sum = 0.0;
    let add = |chance| {
        sum += chance;
        sum
    };
    chances(high).into_iter().map(add).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn drawn(conf: &SynthConf) -> Vec<Vec<u32>> {
        let tree = Tree::new(conf.categories, conf.seed);
        let pages = PageCategories::new(conf, &tree);
        let draw = |page| {
            let mut row = vec![7777];
            assert_eq!(pages.draw(page, &mut row), row.len() - 1);
            row.split_off(1)
        };
        (0..conf.pages as u32).map(draw).collect()
    }

    #[test]
    fn the_mean_is_as_asked_and_rows_ascend() {
        for mean in [1.0, 1.5, 4.0, 6.5, 9.0, 12.0] {
            let rows = drawn(&SynthConf::default().categories_per_page(mean));
            assert!(rows.iter().all(|row| row.is_sorted_by(|a, b| a < b) && (1..=12).contains(&row.len())));
            let found = rows.iter().map(Vec::len).sum::<usize>() as f64 / rows.len() as f64;
            assert!((found - mean).abs() < 0.1, "{mean}: {found}");
        }
    }

    #[test]
    fn some_pages_carry_one_category_and_some_many() {
        let rows = drawn(&SynthConf::default());
        let share =
            |f: fn(usize) -> bool| rows.iter().filter(|row| f(row.len())).count() as f64 / rows.len() as f64;
        assert!(share(|n| n == 1) > 0.15, "{}", share(|n| n == 1));
        assert!(share(|n| n >= 10) > 0.03, "{}", share(|n| n >= 10));
    }

    #[test]
    fn pages_can_carry_all_categories_there_are() {
        let rows = drawn(&SynthConf::default().pages(100).categories(3).categories_per_page(3.0));
        assert!(rows.iter().all(|row| row == &[0, 1, 2]));
    }
}
