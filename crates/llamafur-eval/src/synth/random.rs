//! Random numbers by seed, purpose and index, independent of the order of drawing.

use llamafur::learn::sampler::{Generator, Purpose, generator};
use rand::Rng;
use std::f32::consts::FRAC_1_SQRT_2;
use std::sync::LazyLock;

/// Purposes of draws, each with its own streams.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub(super) enum Stream {
    /// The order of the categories by popularity.
    CategoryOrder = 1,
    /// The parents of a category.
    Parents = 2,
    /// The categories of a page.
    PageCategories = 3,
    /// The true vector of a source category, of a target category, or the key of a row of the true matrix.
    SourceVector = 4,
    TargetVector = 5,
    MatrixRow = 6,
    /// The numbers of links of pages.
    Degrees = 7,
    /// The popularity of pages as targets.
    Popularity = 8,
    /// The links of a page.
    Links = 9,
    /// The pages with a planted link, its target, and the limit of its e*.
    PlantedPages = 10,
    PlantedLink = 11,
    PlantedLimit = 12,
}

/// Returns the generator of a stream.
pub(super) fn stream(seed: u64, stream: Stream, index: u64) -> Generator {
    // Indices are numbers of pages or categories, far below 2⁵⁶.
    generator(seed, Purpose::Synth, (stream as u64) << 56 | index)
}

/// Returns the next 64 random bits.
#[inline]
pub(super) fn bits(generator: &mut Generator) -> u64 {
    generator.next_u64()
}

/// Draws a number in [0, 1) of 24 bits.
#[inline]
pub(super) fn coin(generator: &mut Generator) -> f32 {
    (generator.next_u64() >> 40) as f32 / (1u32 << 24) as f32
}

/// Quantiles of the normal distribution in steps of 1/4096. The table fits into the first cache.
pub(super) struct Normal([f32; Normal::STEPS]);

static NORMAL: LazyLock<Normal> = LazyLock::new(Normal::table);

impl Normal {
    const STEPS: usize = 1 << 12;

    /// Returns the table.
    pub(super) fn get() -> &'static Normal {
        &NORMAL
    }

    /// Adds up the density over a fine grid, and records where each quantile is passed.
    fn table() -> Normal {
        const FINE: i32 = 1 << 13;
        let x = |i: i32| f64::from(i) / f64::from(FINE);
        let density = |i: i32| (-0.5 * x(i) * x(i)).exp();
        let grid = || -6 * FINE..6 * FINE;
        let whole: f64 = grid().map(density).sum();
        let mut table = [0.0f64; Normal::STEPS];
        let (mut sum, mut next) = (0.0, 0);
        for i in grid() {
            sum += density(i);
            while next < table.len() && sum >= whole * (next as f64 + 0.5) / table.len() as f64 {
                table[next] = x(i);
                next += 1;
            }
        }
        let variance = table.iter().map(|x| x * x).sum::<f64>() / table.len() as f64;
        Normal(table.map(|x| (x / variance.sqrt()) as f32))
    }

    /// Returns a normal number of mean 0 and variance 1 from random bits: the sum of two quantiles.
    #[inline]
    pub(super) fn of(&self, bits: u64) -> f32 {
        let quantile = |shift: u32| self.0[(bits >> shift) as usize % Normal::STEPS];
        (quantile(52) + quantile(40)) * FRAC_1_SQRT_2
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn normal_numbers_have_the_moments_and_tails_they_should() {
        let mut draw = stream(1, Stream::Links, 0);
        let numbers: Vec<f64> = (0..400_000).map(|_| f64::from(Normal::get().of(bits(&mut draw)))).collect();
        let mean = |f: fn(f64) -> f64| numbers.iter().map(|&x| f(x)).sum::<f64>() / numbers.len() as f64;
        assert!(mean(|x| x).abs() < 0.01, "{}", mean(|x| x));
        assert!((mean(|x| x * x) - 1.0).abs() < 0.01, "{}", mean(|x| x * x));
        assert!((mean(|x| x.powi(4)) - 3.0).abs() < 0.1, "{}", mean(|x| x.powi(4)));
        // Φ(−1.2816) = 0.1 and Φ(−3) = 0.00135.
        assert!((mean(|x| f64::from(u8::from(x < -1.2816))) - 0.1).abs() < 0.003);
        assert!((mean(|x| f64::from(u8::from(x < -3.0))) - 0.00135).abs() < 0.0003);
    }

    #[test]
    fn streams_differ() {
        let first = |seed, kind, index| bits(&mut stream(seed, kind, index));
        let mut all = vec![];
        for seed in 0..4 {
            for kind in [Stream::Links, Stream::Parents, Stream::PlantedLimit] {
                all.extend((0..100).map(|index| first(seed, kind, index)));
            }
        }
        all.sort_unstable();
        assert!(all.is_sorted_by(|a, b| a < b));
    }
}
