//! Peers: a link is expected if pages like the source are neighbours of the target, too.
//!
//! unexpectedness(s, t) = −(1/5)·Σ cos(x_s, x_u) over the five neighbours u of t, s left out, whose pages point most nearly
//! where s points, x being the [vectors of the pages](crate::vectors). A target that is linked from everywhere, as countries
//! and languages are, has peers of any source among its neighbours.
//!
//! # Quirks
//! Of a target with more than 512 neighbours about 512 are looked at, evenly spread over the list.

use super::{MOST, Nearest, WORTH_THREADS, full_name, vectors_of};
use crate::Error;
use crate::corpus::Corpus;
use crate::graph::{Neighbours, PageId};
use crate::kernels::dot_in_fours;
use crate::score::{Reason, Score, Scorer, Side, Suffix};
use crate::vectors::PageVectors;
use rayon::prelude::*;
use std::sync::Arc;

pub(in crate::score) const PEERS: Scorer = Scorer {
    name: "peers",
    about: "how unlike the source are the five neighbours of the target that are most like it",
    inputs: "graph, categories, text",
    cites: "",
    model: Some("llamafur"),
    suffix: Suffix::Vectors,
    reads_link: false,
    open: |inputs, conf, progress| {
        let (corpus, vectors) = (inputs.corpus().clone(), vectors_of(inputs, conf, progress)?);
        let neighbours = inputs.neighbours(progress)?;
        Ok(Arc::new(Peers { name: full_name("peers", conf), corpus, vectors, neighbours }))
    },
};

/// Scores links by how like the source the neighbours of the target are.
#[derive(Debug, Clone)]
pub struct Peers {
    name: String,
    corpus: Corpus,
    vectors: Arc<PageVectors>,
    neighbours: Arc<Neighbours>,
}

impl Score for Peers {
    fn name(&self) -> &str {
        &self.name
    }

    fn rests_on(&self) -> String {
        self.vectors.rests_on().to_owned()
    }

    /// `None` where the source has no vector, or the target no other neighbour with one.
    fn score(&self, source: PageId, targets: &[PageId]) -> Result<Vec<Option<f64>>, Error> {
        let Some(row) = self.vectors.get(source) else { return Ok(vec![None; targets.len()]) };
        let score = |&target: &PageId| {
            let near = self.neighbours.of(target);
            let mut nearest = Nearest::new();
            for &other in near.iter().step_by(near.len().div_ceil(MOST).max(1)) {
                if let Some(other) = self.vectors.get(other).filter(|_| other != source) {
                    nearest.add(dot_in_fours(row, other));
                }
            }
            nearest.unexpectedness()
        };
        let looks: usize = targets.iter().map(|&target| self.neighbours.of(target).len().min(MOST)).sum();
        Ok(if looks < WORTH_THREADS {
            targets.iter().map(score).collect()
        } else {
            targets.par_iter().map(score).collect()
        })
    }

    fn reason(&self, source: PageId, target: PageId, side: Side) -> Result<Option<Reason>, Error> {
        let (source, target) = (self.corpus.title(source)?, self.corpus.title(target)?);
        let how_many = if side == Side::Odd { "few" } else { "several" };
        let text = format!("{how_many} pages around {target} are like {source}");
        Ok(Some(Reason::new(self.name(), text)))
    }
}
