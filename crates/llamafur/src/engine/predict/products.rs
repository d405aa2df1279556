//! Search for the pages that factored matrices expect most of a page: exact, without multiplying all of them in full.
//!
//! For factored matrices the expectedness is one product, e(s, t) = ⟨x, y⟩: x has the source sides of s end to end,
//! each times its matrix's scale, y the target sides of t ([`LlamaFur::source_numbers`], [`LlamaFur::target_numbers`]).
//! Let B be an orthonormal basis of the few directions in which x and y are longest, and x⊥ = x − BᵀBx the rest of x.
//! Then, by the Cauchy–Schwarz inequality,
//!
//! e(s, t) ≤ ⟨Bx, By⟩ + ‖x⊥‖·‖y⊥‖,
//!
//! itself a product of [`NUMBERS`] numbers a page: those of By and ‖y⊥‖. They are kept in memory, 96 bytes a page. All
//! pages are compared by this bound, sixteen at a time, and only those whose bound is no less than the last of the best
//! so far are scored in full. Numbers of 32 bits are off by less than [`SLACK`] of ‖x‖·‖y‖, which the bound allows for,
//! so the result is that of scoring all pages, to the last bit. The principle is that of FEXIPRO: H. Li, T. N. Chan, M.
//! L. Yiu & N. Mamoulis, “FEXIPRO: Fast and Exact Inner Product Retrieval in Recommender Systems”, SIGMOD 2017, section
//! 4, <https://doi.org/10.1145/3035918.3064009>.

use super::best::Best;
use crate::Error;
use crate::graph::PageId;
use crate::interrupt;
use crate::kernels::{Wide, run_widest};
use crate::score::{LlamaFur, Score};
use rayon::prelude::*;

/// Number of numbers kept of a page: the directions, and one for the rest.
pub(super) const NUMBERS: usize = 24;
const DIRECTIONS: usize = NUMBERS - 1;

/// Number of pages whose numbers lie side by side, and of sources multiplied with them at a time: their sums stay in
/// registers.
const LANES: usize = 16;
const TILE: usize = 6;

/// Number of groups of [`LANES`] pages that stay in the cache while all sources are multiplied with them.
const GROUPS: usize = 16;

/// Number of pages scored in full at a time.
const IN_FULL: usize = 64;

/// Bound of the rounding error, as a part of the product of the lengths.
const SLACK: f64 = 1e-5;

/// Number of pages in the sample that gives the directions, and of iterations.
const SAMPLE: usize = 1024;
const TURNS: usize = 4;

type Numbers = [f32; NUMBERS];
type Group = [[f32; LANES]; NUMBERS];

/// The reduced numbers of all pages as targets.
pub(crate) struct Products {
    scorer: LlamaFur,
    num_pages: usize,
    /// Orthonormal, or 0.
    basis: Vec<Vec<f64>>,
    groups: Vec<Group>,
    /// The length of the longest y.
    longest: f64,
}

impl std::fmt::Debug for Products {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Products").field("pages", &self.num_pages).finish_non_exhaustive()
    }
}

/// A page as a source: its numbers and the bound of the rounding error.
struct Source {
    page: PageId,
    numbers: Numbers,
    slack: f64,
}

impl Products {
    /// Computes the numbers of the pages by a scorer's model; `None` where its matrices are not factored.
    pub(super) fn new(scorer: LlamaFur, num_pages: usize) -> Result<Option<Products>, Error> {
        let Some(width) = scorer.num_side_numbers() else { return Ok(None) };
        let basis = basis(&scorer, num_pages, width)?;
        let group = |number: usize| {
            let (mut group, mut longest): (Group, f64) = ([[0.0; LANES]; NUMBERS], 0.0);
            let mut full = vec![0.0; width];
            interrupt::check()?;
            for lane in 0..LANES.min(num_pages - number * LANES) {
                scorer.target_numbers(PageId((number * LANES + lane) as u32), &mut full)?;
                let numbers = reduced(&basis, &mut full.clone());
                group.iter_mut().zip(numbers).for_each(|(of_all, x)| of_all[lane] = x);
                longest = longest.max(length(&full));
            }
            Ok((group, longest))
        };
        let carried = interrupt::carried();
        let made = (0..num_pages.div_ceil(LANES)).into_par_iter();
        let made = made.map(|number| carried.scope(|| group(number)));
        let made = made.collect::<Result<Vec<(Group, f64)>, Error>>()?;
        let longest = made.iter().map(|(_, longest)| *longest).fold(0.0, f64::max);
        let groups = made.into_iter().map(|(group, _)| group).collect();
        Ok(Some(Products { scorer, num_pages, basis, groups, longest }))
    }

    /// Fills `best` of each of these pages with the pages that the matrices expect most. Pages already in it must be no
    /// better than those.
    pub(super) fn fill(&self, pages: &[PageId], best: &mut [Best<'_>]) -> Result<(), Error> {
        let sources = pages.iter().map(|&page| self.source(page)).collect::<Result<Vec<_>, Error>>()?;
        let mut pending: Vec<Vec<PageId>> = vec![Vec::with_capacity(IN_FULL + LANES); pages.len()];
        let mut found = Vec::new();
        for (number, groups) in self.groups.chunks(GROUPS).enumerate() {
            interrupt::check()?;
            let first = number * GROUPS * LANES;
            for (tile, sources) in sources.chunks(TILE).enumerate() {
                let of_tile = |at: usize| tile * TILE + at;
                let mut numbers = [[0.0; NUMBERS]; TILE];
                let mut limits = [f32::INFINITY; TILE];
                for (at, source) in sources.iter().enumerate() {
                    numbers[at] = source.numbers;
                    limits[at] = source.limit(best[of_tile(at)].limit());
                }
                found.clear();
                run_widest(Bounds { sources: &numbers, limits: &limits, groups, found: &mut found });
                for &(at, place) in &found {
                    let page = first + place as usize;
                    if page < self.num_pages {
                        let pending = &mut pending[of_tile(at as usize)];
                        pending.push(PageId(page as u32));
                    }
                }
                for (at, source) in sources.iter().enumerate() {
                    let pending = &mut pending[of_tile(at)];
                    if pending.len() >= IN_FULL {
                        self.score(source.page, pending, &mut best[of_tile(at)])?;
                    }
                }
            }
        }
        for ((source, pending), best) in sources.iter().zip(&mut pending).zip(best) {
            self.score(source.page, pending, best)?;
        }
        Ok(())
    }

    /// Scores pages in full.
    fn score(&self, source: PageId, targets: &mut Vec<PageId>, best: &mut Best<'_>) -> Result<(), Error> {
        for (&target, score) in targets.iter().zip(self.scorer.score(source, targets)?) {
            if let Some(score) = score {
                best.add(score, target);
            }
        }
        targets.clear();
        best.cut();
        Ok(())
    }

    /// Returns the scorer by all matrices.
    pub(super) fn scorer(&self) -> &dyn Score {
        &self.scorer
    }

    fn source(&self, page: PageId) -> Result<Source, Error> {
        let mut full = vec![0.0; self.scorer.num_side_numbers().unwrap_or(0)];
        self.scorer.source_numbers(page, &mut full)?;
        let slack = SLACK * length(&full) * self.longest;
        Ok(Source { page, numbers: reduced(&self.basis, &mut full), slack })
    }
}

impl Source {
    /// Returns the least bound of a page whose unexpectedness may be no more than `worst`.
    fn limit(&self, worst: f64) -> f32 {
        // The next smaller number of 32 bits: rounding must not raise it.
        ((0.0 - worst - self.slack) as f32).next_down()
    }
}

/// The bounds of some sources and some groups of pages.
struct Bounds<'a> {
    sources: &'a [Numbers; TILE],
    limits: &'a [f32; TILE],
    groups: &'a [Group],
    /// Sources and the places of pages whose bound is no less than the limit.
    found: &'a mut Vec<(u32, u32)>,
}

impl Wide for Bounds<'_> {
    #[inline(always)]
    fn run(self) {
        for (number, group) in self.groups.iter().enumerate() {
            let products = products(self.sources, group);
            for (source, (sums, limit)) in products.iter().zip(self.limits).enumerate() {
                let is_any = sums.iter().fold(0, |any, sum| any | u32::from(*sum >= *limit)) != 0;
                if is_any {
                    let lanes = sums.iter().zip(0u32..).filter(|(sum, _)| **sum >= *limit);
                    let place = |(_, lane)| (source as u32, (number * LANES) as u32 + lane);
                    self.found.extend(lanes.map(place));
                }
            }
        }
    }
}

/// Multiplies the sources with the pages of a group. Each number of the group is read once for all sources. The sums
/// are six variables, since those of one table stay in memory, which takes twice as long.
#[inline(always)]
fn products(sources: &[Numbers; TILE], group: &Group) -> [[f32; LANES]; TILE] {
    let [mut one, mut two, mut three, mut four, mut five, mut six] = [[0.0; LANES]; TILE];
    for (number, lanes) in group.iter().enumerate() {
        add_products(&mut one, sources[0][number], lanes);
        add_products(&mut two, sources[1][number], lanes);
        add_products(&mut three, sources[2][number], lanes);
        add_products(&mut four, sources[3][number], lanes);
        add_products(&mut five, sources[4][number], lanes);
        add_products(&mut six, sources[5][number], lanes);
    }
    [one, two, three, four, five, six]
}

#[inline(always)]
fn add_products(sums: &mut [f32; LANES], x: f32, lanes: &[f32; LANES]) {
    for (sum, y) in sums.iter_mut().zip(lanes) {
        *sum += x * y;
    }
}

/// Returns the numbers of a page: its part in each direction, and the length of the rest.
fn reduced(basis: &[Vec<f64>], full: &mut [f64]) -> Numbers {
    let mut numbers = [0.0; NUMBERS];
    for (number, direction) in numbers.iter_mut().zip(basis) {
        let part = dot(direction, full);
        full.iter_mut().zip(direction).for_each(|(x, b)| *x -= part * b);
        *number = part as f32;
    }
    numbers[DIRECTIONS] = length(full) as f32;
    numbers
}

/// Returns approximately the directions in which the sources and targets of a sample are longest: block power iteration
/// on the sum of their second moments, each divided by its trace. Any basis gives the same pages in the end.
fn basis(scorer: &LlamaFur, num_pages: usize, width: usize) -> Result<Vec<Vec<f64>>, Error> {
    let pages = (0..num_pages).step_by(num_pages.div_ceil(SAMPLE).max(1)).map(|page| PageId(page as u32));
    let (mut sources, mut targets): (Vec<Vec<f64>>, Vec<Vec<f64>>) = Default::default();
    for page in pages {
        let [mut source, mut target] = [vec![0.0; width], vec![0.0; width]];
        scorer.source_numbers(page, &mut source)?;
        scorer.target_numbers(page, &mut target)?;
        sources.push(source);
        targets.push(target);
    }
    for rows in [&mut sources, &mut targets] {
        let trace: f64 = rows.iter().map(|row| dot(row, row)).sum();
        let scale = if trace > 0.0 { 1.0 / trace.sqrt() } else { 0.0 };
        rows.iter_mut().flatten().for_each(|x| *x *= scale);
    }
    let rows = [sources, targets].concat();
    let mut basis: Vec<Vec<f64>> =
        rows.iter().step_by(rows.len().div_ceil(DIRECTIONS).max(1)).take(DIRECTIONS).cloned().collect();
    for _ in 0..TURNS {
        basis = basis.par_iter().map(|direction| turned(&rows, direction)).collect();
        orthonormalise(&mut basis);
    }
    Ok(basis)
}

/// Computes Σ r·⟨r, v⟩ over the rows r.
fn turned(rows: &[Vec<f64>], direction: &[f64]) -> Vec<f64> {
    let mut sum = vec![0.0; direction.len()];
    for row in rows {
        let part = dot(row, direction);
        sum.iter_mut().zip(row).for_each(|(sum, x)| *sum += part * x);
    }
    sum
}

/// Orthonormalises by Gram–Schmidt, twice for each vector, since once leaves rounding errors; dependent ones become 0.
fn orthonormalise(basis: &mut [Vec<f64>]) {
    for at in 0..basis.len() {
        let (before, rest) = basis.split_at_mut(at);
        let own = &mut rest[0];
        let long = length(own);
        for _ in 0..2 {
            for other in &*before {
                let part = dot(other, own);
                own.iter_mut().zip(other).for_each(|(x, y)| *x -= part * y);
            }
        }
        let left = length(own);
        let scale = if left > 1e-9 * long { 1.0 / left } else { 0.0 };
        own.iter_mut().for_each(|x| *x *= scale);
    }
}

fn dot(one: &[f64], two: &[f64]) -> f64 {
    // Four sums, so that the additions need not wait for each other.
    let mut sums = [0.0; 4];
    let ((ones, one), (twos, two)) = (one.as_chunks::<4>(), two.as_chunks::<4>());
    for (x, y) in ones.iter().zip(twos) {
        sums.iter_mut().zip(x.iter().zip(y)).for_each(|(sum, (x, y))| *sum += x * y);
    }
    let rest: f64 = one.iter().zip(two).map(|(x, y)| x * y).sum();
    (sums[0] + sums[1]) + (sums[2] + sums[3]) + rest
}

fn length(numbers: &[f64]) -> f64 {
    dot(numbers, numbers).sqrt()
}
