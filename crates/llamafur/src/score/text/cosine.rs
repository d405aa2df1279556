//! Cosine: two pages that share rare words are expected to link.
//!
//! cos(s, t) = Σ_i s_i·t_i / (‖s‖·‖t‖) with the weight of term i (1 + ln c)·ln(n/df), where c is how often it is in
//! the page, df the number of pages that have it and n of those that have words; of the family of G. Salton & C. Buckley,
//! “Term-weighting approaches in automatic text retrieval”, Information Processing & Management 24(5), 1988,
//! <https://doi.org/10.1016/0306-4573(88)90021-0>. It is a measure of expectedness: unexpectedness is −cos.

use super::scratch::Scratch;
use crate::Error;
use crate::graph::{PageId, TermId};
use crate::score::{Reason, Score, Scorer, Side, Suffix, VectorCosine};
use crate::words::Words;
use std::sync::Arc;

pub(in crate::score) const COSINE: Scorer = Scorer {
    name: "cosine",
    about: "how few words the two pages share, rare ones counting more (TF–IDF); or the angle between brought vectors",
    inputs: "text",
    cites: "Salton & Buckley 1988",
    model: None,
    suffix: Suffix::Vectors,
    reads_link: false,
    open: |inputs, conf, progress| match conf.vectors {
        None => Ok(Arc::new(Cosine::new(inputs.words(progress)?)?)),
        Some(_) => Ok(Arc::new(VectorCosine::open(inputs, conf, progress)?)),
    },
};

/// Scores links by how alike the words of the two pages are.
pub struct Cosine {
    words: Arc<Words>,
    /// ln(n/df) of each term.
    rarity: Vec<f64>,
    /// 1 + ln c of each count c that is not large.
    logarithms: Vec<f64>,
    /// 8 bytes a term and thread.
    spare: Scratch<f64>,
}

/// Counts whose logarithms are kept.
const KEPT: u16 = 256;

impl Cosine {
    /// A scorer by these words: 8 bytes a term.
    ///
    /// # Errors
    /// If their file is damaged.
    pub fn new(words: Arc<Words>) -> Result<Cosine, Error> {
        let (rarity, logarithms) =
            (words.rarities()?.collect(), (0..KEPT).map(|count| 1.0 + f64::from(count).ln()).collect());
        Ok(Cosine { words, rarity, logarithms, spare: Scratch::default() })
    }

    fn weight(&self, term: TermId, count: u16) -> f64 {
        let logarithm = self.logarithms.get(usize::from(count)).copied();
        logarithm.unwrap_or_else(|| 1.0 + f64::from(count).ln()) * self.rarity[term.index()]
    }
}

impl Score for Cosine {
    fn name(&self) -> &str {
        COSINE.name
    }

    fn rests_on(&self) -> String {
        self.words.checksum()
    }

    fn score(&self, source: PageId, targets: &[PageId]) -> Result<Vec<Option<f64>>, Error> {
        let source = self.words.bag(source)?;
        // The weights of the source's terms, and 0 of all others: adding 0 changes no sum.
        let mut weights = self.spare.take(self.words.num_terms());
        let mut square = 0.0;
        for (term, count) in source.iter() {
            let weight = self.weight(term, count);
            weights[term.index()] = weight;
            square += weight * weight;
        }
        let score = |&target: &PageId| {
            let (mut other, mut product) = (0.0, 0.0);
            for (term, count) in self.words.bag(target)?.iter() {
                let weight = self.weight(term, count);
                other += weight * weight;
                product += weights[term.index()] * weight;
            }
            let norms = (square * other).sqrt();
            // Words that all pages have weigh nothing, and a page that has no others has no direction.
            Ok((norms > 0.0).then(|| 0.0 - product / norms))
        };
        let scores = targets.iter().map(score).collect();
        source.terms().iter().for_each(|term| weights[term.index()] = 0.0);
        self.spare.put_back(weights);
        scores
    }

    fn reason(&self, _: PageId, _: PageId, side: Side) -> Result<Option<Reason>, Error> {
        let how_much = if side == Side::Odd { "little" } else { "much" };
        Ok(Some(Reason::new(self.name(), format!("the words of the two pages have {how_much} in common"))))
    }
}
