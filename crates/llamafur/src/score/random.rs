//! A scorer that knows nothing: the baseline.

use super::{Score, Scorer, Suffix};
use crate::Error;
use crate::graph::PageId;
use crate::interrupt;
use crate::random::{Purpose, generator, unit};
use std::sync::Arc;

pub(super) const RANDOM: Scorer = Scorer {
    name: "random",
    about: "random numbers, to compare with",
    inputs: "",
    cites: "",
    model: None,
    suffix: Suffix::None,
    reads_link: false,
    open: |_, _, _| Ok(Arc::new(Random::new(1))),
};

/// A scorer that gives each link a random number from [0, 1), the same for the same seed and link.
#[derive(Debug, Clone, Copy)]
pub struct Random {
    seed: u64,
}

impl Random {
    /// Creates a scorer with this seed.
    pub fn new(seed: u64) -> Random {
        Random { seed }
    }
}

impl Score for Random {
    fn name(&self) -> &str {
        RANDOM.name
    }

    fn score(&self, source: PageId, targets: &[PageId]) -> Result<Vec<Option<f64>>, Error> {
        let link = |target: &PageId| u64::from(source.0) << 32 | u64::from(target.0);
        let score = |target| {
            interrupt::check()?;
            Ok(Some(unit(&mut generator(self.seed, Purpose::RandomScore, link(target)))))
        };
        targets.iter().map(score).collect()
    }
}
