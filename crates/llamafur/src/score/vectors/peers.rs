//! Peers: a link is expected if pages like the source are neighbours of the target, too.
//!
//! unexpectedness(s, t) = −(1/5)·Σ cos(x_s, x_u) over the five neighbours u of t, s left out, whose pages point most nearly
//! where s points, x being the [vectors of the pages](crate::vectors). A target that is linked from everywhere, as countries
//! and languages are, has peers of any source among its neighbours.
//!
//! # Quirks
//! For a target with more than 512 neighbours, about 512 are compared, evenly spread over the list.

use super::{MOST, Nearest, WORTH_THREADS, full_name, vectors_of};
use crate::Error;
use crate::corpus::Corpus;
use crate::graph::{Neighbours, PageId};
use crate::interrupt;
use crate::kernels::{dot_of_integers, prefetch};
use crate::score::{Reason, Score, Scorer, Side, Suffix, title_in_reason};
use crate::vectors::UnitVectors;
use rayon::prelude::*;
use std::sync::Arc;

/// Number of vectors to prefetch.
const AHEAD: usize = 16;

/// Number of links that a thread takes at a time.
const AT_A_TIME: usize = 64;

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

/// A scorer of links by the similarity of the target's neighbours to the source.
#[derive(Debug, Clone)]
pub(crate) struct Peers {
    name: String,
    corpus: Corpus,
    vectors: Arc<UnitVectors>,
    neighbours: Arc<Neighbours>,
}

impl Peers {
    /// Writes the neighbours of a page that are compared to `found`.
    fn look_at(&self, page: PageId, found: &mut Vec<PageId>) -> Result<(), Error> {
        let near = self.neighbours.of(page)?;
        found.clear();
        match near.len().div_ceil(MOST) {
            0 | 1 => found.extend_from_slice(near),
            step => found.extend(near.iter().step_by(step)),
        }
        Ok(())
    }

    /// Scores one target after the other. The vectors are far apart in memory: while some are multiplied, the next ones
    /// and the first ones of the next target are prefetched.
    fn score_in_turn(
        &self,
        source: PageId,
        row: &[i16],
        targets: &[PageId],
    ) -> Result<Vec<Option<f64>>, Error> {
        let mut scores = Vec::with_capacity(targets.len());
        let (mut near, mut next) = (Vec::with_capacity(MOST), Vec::with_capacity(MOST));
        if let Some(&first) = targets.first() {
            self.look_at(first, &mut near)?;
        }
        for at in 0..targets.len() {
            interrupt::check()?;
            next.clear();
            if let Some(&target) = targets.get(at + 1) {
                self.look_at(target, &mut next)?;
            }
            if let Some(&later) = targets.get(at + 2) {
                prefetch(self.neighbours.of(later)?, 0);
            }
            let mut nearest = Nearest::new();
            for (place, &other) in near.iter().enumerate() {
                let later = place + AHEAD;
                if let Some(&later) = near.get(later).or_else(|| next.get(later - near.len())) {
                    self.vectors.prefetch(later);
                }
                if other != source {
                    let of_other = self.vectors.row(other)?;
                    nearest.add(dot_of_integers(row, of_other), of_other);
                }
            }
            scores.push(nearest.unexpectedness());
            std::mem::swap(&mut near, &mut next);
        }
        Ok(scores)
    }
}

impl Score for Peers {
    fn name(&self) -> &str {
        &self.name
    }

    fn rests_on(&self) -> String {
        self.vectors.rests_on().to_owned()
    }

    /// Returns `None` where the source has no vector, or the target no other neighbour with one.
    fn score(&self, source: PageId, targets: &[PageId]) -> Result<Vec<Option<f64>>, Error> {
        let Some(row) = self.vectors.get(source)? else { return Ok(vec![None; targets.len()]) };
        let num_near = |&target: &PageId| Ok(self.neighbours.num_of(target)?.min(MOST));
        let looks: usize = targets.iter().map(num_near).sum::<Result<_, Error>>()?;
        if looks < WORTH_THREADS {
            return self.score_in_turn(source, row, targets);
        }
        let carried = interrupt::carried();
        let score = |part| carried.scope(|| self.score_in_turn(source, row, part));
        let parts = targets.par_chunks(AT_A_TIME).map(score);
        Ok(parts.collect::<Result<Vec<_>, Error>>()?.concat())
    }

    fn reason(&self, source: PageId, target: PageId, side: Side) -> Result<Option<Reason>, Error> {
        let [source, target] = [source, target].map(|page| title_in_reason(&self.corpus, page));
        let (source, target) = (source?, target?);
        let how_many = if side == Side::Odd { "few" } else { "several" };
        let text = format!("{how_many} pages around {target} are like {source}");
        Ok(Some(Reason::new(self.name(), text)))
    }
}
