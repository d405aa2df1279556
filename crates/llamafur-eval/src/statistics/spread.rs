//! The spread of chance: the standard deviation of a random ranking's mean bpref.
//!
//! A random ranking has the bpref of [`crate::measures::chance`] on average; a single one is higher or lower. A scorer
//! whose mean lies within a deviation or two of chance has shown nothing.

use super::mean;
use crate::measures::bpref;
use llamafur::learn::cross_validation::Spread;
use llamafur::learn::sampler::{Purpose, generator, unit};
use rayon::prelude::*;

/// Returns the mean and the standard deviation of the mean bpref of `runs` random rankings of queries with these
/// numbers of relevant and irrelevant judged links. Queries without both kinds are left out.
///
/// ```
/// use llamafur_eval::statistics::chance_spread;
/// // One link of each kind: 0 or 1 by the toss of a coin.
/// let (mean, sd) = chance_spread(&[(1, 1)], 10_000, 1);
/// assert!((mean - 0.5).abs() < 0.02 && (sd - 0.5).abs() < 0.02);
/// ```
pub fn chance_spread(kinds: &[(usize, usize)], runs: u64, seed: u64) -> (f64, f64) {
    let run = |run: u64| {
        let mut draw = generator(seed, Purpose::Chance, run);
        let mut scores = |num: usize| -> Vec<f64> { (0..num).map(|_| unit(&mut draw)).collect() };
        let bprefs =
            kinds.iter().filter_map(|(relevant, irrelevant)| bpref(&scores(*relevant), &scores(*irrelevant)));
        mean(&bprefs.collect::<Vec<_>>())
    };
    let Spread { mean, sd } = Spread::of(&(0..runs).into_par_iter().map(run).collect::<Vec<_>>());
    (mean, sd)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_mean_falls_on_the_exact_chance() {
        let kinds = [(1, 3), (2, 5), (4, 2), (0, 7)];
        let exact: Vec<f64> =
            kinds.iter().filter_map(|(r, n)| bpref(&vec![0.0; *r], &vec![0.0; *n])).collect();
        let (found, sd) = chance_spread(&kinds, 20_000, 3);
        assert!((found - mean(&exact)).abs() < 4.0 * sd / 20_000f64.sqrt(), "{found} {exact:?} {sd}");
    }

    #[test]
    fn the_same_seed_gives_the_same_spread() {
        assert_eq!(chance_spread(&[(2, 3)], 50, 1), chance_spread(&[(2, 3)], 50, 1));
        assert_ne!(chance_spread(&[(2, 3)], 50, 1), chance_spread(&[(2, 3)], 50, 2));
    }
}
