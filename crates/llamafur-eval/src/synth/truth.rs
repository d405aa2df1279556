//! The true matrix, and its predictions for a corpus generated from it.

use super::affinity::{Affinity, LANES, Lanes};
use super::conf::{COMMAND, SynthConf, TruthKind};
use super::error::SynthError;
use super::plant::{Popular, planted_links};
use super::random::{Normal, Stream, bits, stream};
use llamafur::corpus::Corpus;
use llamafur::graph::{Graph, MilestoneId, PageId};
use llamafur::matrix::pairs;
use llamafur::random::mix;

/// The true matrix w*: every weight is normal with mean 0 and variance 1.
#[derive(Debug)]
pub struct Truth {
    conf: SynthConf,
    pub(super) weights: Weights,
}

/// The source of the weights.
#[derive(Debug)]
pub(super) enum Weights {
    /// w*(c, c') = ⟨u_c, v_c'⟩, each row padded with zeros to whole `lanes`.
    LowRank { lanes: usize, source: Vec<Lanes>, target: Vec<Lanes> },
    /// w*(c, c') by hashing the key of row c with c'.
    FullRank { keys: Vec<u64> },
}

impl Truth {
    /// Builds the truth of these settings.
    pub fn new(conf: &SynthConf) -> Result<Truth, SynthError> {
        conf.check()?;
        let weights = match conf.kind {
            TruthKind::LowRank { rank } => Weights::LowRank {
                lanes: rank.div_ceil(LANES),
                // With this scale on one side the product of two vectors has variance 1.
                source: vectors(conf, rank, Stream::SourceVector, 1.0 / (rank as f32).sqrt()),
                target: vectors(conf, rank, Stream::TargetVector, 1.0),
            },
            TruthKind::FullRank => {
                let key = |category| bits(&mut stream(conf.seed, Stream::MatrixRow, category));
                Weights::FullRank { keys: (0..conf.categories as u64).map(key).collect() }
            }
        };
        Ok(Truth { conf: conf.clone(), weights })
    }

    /// Restores the truth of a corpus from the settings in its manifest.
    ///
    /// # Errors
    /// Returns an error if the corpus was not made by [`synth`](super::synth()), or by a model that this program does
    /// not know.
    pub fn of(corpus: &Corpus) -> Result<Truth, SynthError> {
        let (path, manifest) = (corpus.path().to_owned(), corpus.manifest());
        if manifest.provenance.command != COMMAND {
            let command = manifest.provenance.command.clone();
            return Err(SynthError::NotSynthetic { path, command });
        }
        let program = manifest.program.clone();
        let conf = SynthConf::read(&manifest.provenance).map_err(|(option, got)| SynthError::OtherModel {
            path,
            option,
            got,
            program,
        })?;
        Truth::new(&conf)
    }

    /// Returns the settings.
    pub fn conf(&self) -> &SynthConf {
        &self.conf
    }

    /// Returns the seed of all random choices.
    pub fn seed(&self) -> u64 {
        self.conf.seed
    }

    /// Returns w*(source, target).
    ///
    /// # Panics
    /// If a category is out of range.
    pub fn weight(&self, source: MilestoneId, target: MilestoneId) -> f64 {
        match &self.weights {
            Weights::LowRank { lanes, source: u, target: v } => {
                let u = &u[source.index() * lanes..][..*lanes];
                let v = &v[target.index() * lanes..][..*lanes];
                let numbers = u.iter().zip(v).flat_map(|(u, v)| u.0.into_iter().zip(v.0));
                numbers.map(|(x, y)| f64::from(x) * f64::from(y)).sum()
            }
            Weights::FullRank { keys } => {
                assert!(target.index() < keys.len(), "a category");
                f64::from(hashed(Normal::get(), keys[source.index()], column_key(target)))
            }
        }
    }

    /// Returns e* = Σ w*/√(nm) over the pairs of n source and m target categories; 0 if a side has none.
    pub fn expectedness(&self, sources: &[MilestoneId], targets: &[MilestoneId]) -> f64 {
        let sum: f64 = pairs(sources, targets).map(|(source, target)| self.weight(source, target)).sum();
        sum / ((sources.len() * targets.len()).max(1) as f64).sqrt()
    }

    /// Returns the planted links, by source: they are drawn again, as for the corpus.
    ///
    /// `graph` is that of the whole corpus, with all of its categories.
    ///
    /// # Panics
    /// If the size of the graph differs from the settings.
    pub fn planted(&self, graph: &Graph<'_>) -> Vec<(PageId, PageId)> {
        let sizes = (graph.num_pages(), graph.num_categories);
        assert_eq!(sizes, (self.conf.pages, self.conf.categories), "the graph made from this truth");
        let affinity = Affinity::new(&self.weights, graph.categories);
        let popular = Popular::new(&self.conf);
        let planted = planted_links(&self.conf, &popular, &affinity);
        planted.into_iter().map(|(source, target)| (PageId(source), PageId(target))).collect()
    }
}

/// Returns the key of a target category for [`hashed`].
#[inline]
pub(super) fn column_key(target: MilestoneId) -> u64 {
    mix(u64::from(target.0).wrapping_mul(0x9E37_79B9_7F4A_7C15))
}

/// Returns a weight of the full-rank truth, from the keys of its row and of its column.
#[inline]
pub(super) fn hashed(normal: &Normal, row: u64, column: u64) -> f32 {
    // One product of 128 bits, its halves folded: the cheapest hash whose high bits are good.
    let product = u128::from(row ^ column) * 0xA076_1D64_78BD_642F_u128;
    normal.of(product as u64 ^ (product >> 64) as u64)
}

/// Draws Gaussian vectors, one per category.
fn vectors(conf: &SynthConf, rank: usize, kind: Stream, scale: f32) -> Vec<Lanes> {
    let lanes = rank.div_ceil(LANES);
    let mut table = vec![Lanes::default(); conf.categories * lanes];
    for (category, row) in table.chunks_exact_mut(lanes).enumerate() {
        let mut draw = stream(conf.seed, kind, category as u64);
        let numbers = row.iter_mut().flat_map(|lanes| &mut lanes.0).take(rank);
        numbers.for_each(|x| *x = scale * Normal::get().of(bits(&mut draw)));
    }
    table
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn weights_have_mean_0_and_variance_1() {
        for kind in [TruthKind::default(), TruthKind::LowRank { rank: 3 }, TruthKind::FullRank] {
            let truth = Truth::new(&SynthConf::default().kind(kind)).unwrap();
            let ids = (0..500).map(MilestoneId);
            let weights: Vec<f64> = ids
                .clone()
                .flat_map(|c| ids.clone().map(move |d| (c, d)))
                .map(|(c, d)| truth.weight(c, d))
                .collect();
            let mean = weights.iter().sum::<f64>() / weights.len() as f64;
            let variance = weights.iter().map(|w| w * w).sum::<f64>() / weights.len() as f64;
            assert!(mean.abs() < 0.05 && (variance - 1.0).abs() < 0.1, "{kind}: {mean} {variance}");
        }
    }

    #[test]
    fn expectedness_is_the_normalised_sum() {
        let truth = Truth::new(&SynthConf::default()).unwrap();
        let [a, b, c] = [3, 99, 400].map(MilestoneId);
        let sum = truth.weight(a, b) + truth.weight(a, c);
        assert!((truth.expectedness(&[a], &[b, c]) - sum / 2f64.sqrt()).abs() < 1e-12);
        assert_eq!(truth.expectedness(&[a], &[]), 0.0);
    }
}
