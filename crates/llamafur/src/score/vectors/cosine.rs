//! The cosine of the vectors of two pages: unexpectedness(s, t) = −cos(x_s, x_t).

use super::{full_name, vectors_of};
use crate::Error;
use crate::graph::PageId;
use crate::interrupt;
use crate::progress::Progress;
use crate::score::{Inputs, Reason, Score, ScoreConf, Side};
use crate::vectors::UnitVectors;
use std::sync::Arc;

/// A scorer of links by the cosine of the vectors of their two pages.
#[derive(Debug, Clone)]
pub(crate) struct VectorCosine {
    name: String,
    vectors: Arc<UnitVectors>,
}

impl VectorCosine {
    pub(in crate::score) fn open(
        inputs: &Inputs,
        conf: &ScoreConf,
        progress: &mut dyn Progress,
    ) -> Result<VectorCosine, Error> {
        Ok(VectorCosine { name: full_name("cosine", conf), vectors: vectors_of(inputs, conf, progress)? })
    }
}

impl Score for VectorCosine {
    fn name(&self) -> &str {
        &self.name
    }

    fn rests_on(&self) -> String {
        self.vectors.rests_on().to_owned()
    }

    fn score(&self, source: PageId, targets: &[PageId]) -> Result<Vec<Option<f64>>, Error> {
        let cosine = |&target: &PageId| {
            interrupt::check()?;
            Ok(self.vectors.cosine(source, target)?.map(|cosine| 0.0 - cosine))
        };
        targets.iter().map(cosine).collect()
    }

    fn reason(&self, _: PageId, _: PageId, side: Side) -> Result<Option<Reason>, Error> {
        let how = if side == Side::Odd { "unlike" } else { "like" };
        Ok(Some(Reason::new(&self.name, format!("the two pages are {how} each other by their vectors"))))
    }
}
