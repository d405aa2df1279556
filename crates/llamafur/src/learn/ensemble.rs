//! An ensemble: the mean of N factored matrices, learnt with as many seeds.
//!
//! W = (1/N)·Σᵢ Uᵢ·Vᵢᵀ is itself a factored matrix, of rank N·k: W = U·Vᵀ with U = [U₁|…|U_N]/√N and
//! V = [V₁|…|V_N]/√N. So whatever scores, explains or keeps a factored matrix needs to know nothing of it. The mean
//! forgets part of what each member owes to its first state and to the order of its examples: it errs less than they
//! do, for N times the work (T. G. Dietterich, “Ensemble Methods in Machine Learning”, MCS 2000, section 1,
//! <https://doi.org/10.1007/3-540-45014-9_1>).
//!
//! The members are what the seeds s, s + 1, …, s + N − 1 would have learnt alone, s being the run's seed
//! ([`LearnConf::seed`]). Whatever else is drawn, such as which links are held out, is drawn by s alone and for a
//! purpose of its own ([`Purpose`](super::sampler::Purpose)), so no member shares its numbers.
//!
//! Each entry is divided by √N in 32 bits. Where √N is a power of two, as for 1, 4, 16 and 64, that is exact; else a
//! weight differs from the mean by a few parts in 10⁷ of the sum of its products.
//!
//! # Quirks
//! - Ensembles whose seeds are less than N apart have members in common, so they are more alike than by chance.
//! - AdaGrad's sums are not kept: training cannot continue from an ensemble.
//! - [`Normalise::Cosine`](crate::matrix::Normalise::Cosine) is that of the joint tables, not the mean of cosines.

use super::{LearnConf, Method, sampler};
use crate::Error;
use crate::graph::Graph;
use crate::matrix::FactoredMatrix;

/// The most members.
const MOST: usize = 64;

/// The most columns of a table.
const MOST_COLUMNS: usize = 4096;

/// The members of an ensemble by default, where there are several.
const BY_DEFAULT: usize = 4;

/// The most examples of all members of an ensemble by default: a few seconds of work.
const MOST_EXAMPLES: u64 = 20_000_000;

impl LearnConf {
    /// Number of factored matrices to learn, with seeds one apart, and take the mean of. Default: 4 where these go
    /// through at most 20 million examples in all, which is 500,000 links at 5 passes, and have at most 4096 columns
    /// together; else 1. From 1 to 64, and with the rank of each at most 4096 columns. Other methods always have one
    /// matrix.
    pub fn ensemble(mut self, members: usize) -> Self {
        self.ensemble = Some(members);
        self
    }

    /// Returns the number of matrices to learn of this graph: as set, or by default.
    pub fn ensemble_of(&self, graph: &Graph<'_>) -> usize {
        if self.method != Method::Factored {
            return 1;
        }
        self.ensemble.unwrap_or_else(|| {
            let examples = sampler::num_examples(graph, self.ratio()) * self.passes_or_default() as u64;
            let is_small = examples.saturating_mul(BY_DEFAULT as u64) <= MOST_EXAMPLES;
            if is_small && BY_DEFAULT * self.rank <= MOST_COLUMNS { BY_DEFAULT } else { 1 }
        })
    }

    /// Returns these settings with the ensemble size of this graph, so that a part of it is learnt as the whole.
    pub fn settled(&self, graph: &Graph<'_>) -> LearnConf {
        LearnConf { ensemble: Some(self.ensemble_of(graph)), ..self.clone() }
    }

    pub(super) fn check_ensemble(&self) -> Result<(), Error> {
        let Some(members) = self.ensemble else { return Ok(()) };
        let setting = |rule, got| Err(Error::setting("ensemble", rule, got));
        if !(1..=MOST).contains(&members) {
            return setting("between 1 and 64", members.to_string());
        }
        if self.method == Method::Factored && members * self.rank > MOST_COLUMNS {
            let got = format!("{members} of rank {}", self.rank);
            return setting("of at most 4096 columns in all", got);
        }
        Ok(())
    }
}

/// Returns the bytes that the joint tables take besides those of a member.
pub(super) fn num_bytes(num_categories: usize, members: usize, rank: usize) -> u64 {
    if members == 1 { 0 } else { (num_categories as u64).saturating_mul(8 * (members * rank) as u64) }
}

/// Returns the mean of `members` matrices, each learnt with a seed of its own.
pub(super) fn mean(
    members: usize,
    conf: &LearnConf,
    mut learn: impl FnMut(&LearnConf) -> FactoredMatrix,
) -> FactoredMatrix {
    if members == 1 {
        return learn(conf);
    }
    let (rank, root) = (conf.rank, (members as f32).sqrt());
    let mut tables = [Vec::new(), Vec::new()];
    for member in 0..members {
        let learnt = learn(&conf.clone().seed(conf.seed.wrapping_add(member as u64)));
        for (table, own) in tables.iter_mut().zip([learnt.source(), learnt.target()]) {
            table.resize(own.len() * members, 0.0);
            for (row, own) in table.chunks_exact_mut(rank * members).zip(own.chunks_exact(rank)) {
                row[member * rank..][..rank].iter_mut().zip(own).for_each(|(cell, &own)| *cell = own / root);
            }
        }
    }
    let [source, target] = tables;
    FactoredMatrix::from_tables(rank * members, source, target)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::graph::MilestoneId;
    use crate::matrix::CategoryMatrix;

    #[test]
    fn the_mean_by_hand() {
        // Members of rank 1 over two categories: by seed 5 all ones, by 6 all twos, by 7 all threes.
        let learn = |conf: &LearnConf| {
            let x = (conf.seed - 4) as f32;
            FactoredMatrix::from_tables(1, vec![x, x], vec![x, -x])
        };
        let conf = LearnConf::default().rank(1).seed(5);
        let mean = mean(3, &conf, learn);
        assert_eq!((mean.rank(), mean.squares()), (3, None));
        // (1 + 4 + 9)/3.
        for (target, expected) in [(0, 14.0 / 3.0), (1, -14.0 / 3.0)] {
            let weight = mean.weight(MilestoneId(1), MilestoneId(target));
            assert!((weight - expected).abs() < 1e-6, "{weight}");
        }
    }

    #[test]
    fn a_seed_at_the_end_of_all_numbers_is_followed_by_the_first() {
        let mut seeds = Vec::new();
        mean(2, &LearnConf::default().rank(1).seed(u64::MAX), |conf| {
            seeds.push(conf.seed);
            FactoredMatrix::from_tables(1, vec![1.0], vec![1.0])
        });
        assert_eq!(seeds, [u64::MAX, 0]);
    }
}
