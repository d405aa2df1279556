//! Cosine: two pages that share rare words are expected to link.
//!
//! cos(s, t) = Σ_i s_i·t_i / (‖s‖·‖t‖) with the weight of term i (1 + ln c)·ln(n/df), where c is how often it is in the
//! page, df the number of pages that have it and n of those that have words; of the family of G. Salton & C. Buckley,
//! “Term-weighting approaches in automatic text retrieval”, Information Processing & Management 24(5), 1988,
//! <https://doi.org/10.1016/0306-4573(88)90021-0>. It is a measure of expectedness: unexpectedness is −cos.

use super::scratch::Scratch;
use crate::Error;
use crate::graph::PageId;
use crate::interrupt;
use crate::score::{Reason, Score, Scorer, Side, Suffix, VectorCosine};
use crate::words::{Bag, Words, of_count};
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

/// A scorer of links by the similarity of the words of the two pages.
pub struct Cosine {
    words: Arc<Words>,
    /// A bit a term and thread: whether it is one of the source's.
    members: Scratch<u64>,
    /// 16 bytes a term and thread, of which the source's are touched: its weight there and its rarity.
    weights: Scratch<[f64; 2]>,
}

impl Cosine {
    /// Creates a scorer by these words.
    pub fn new(words: Arc<Words>) -> Result<Cosine, Error> {
        Ok(Cosine { words, members: Scratch::default(), weights: Scratch::default() })
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
        let (bag, square) = (self.words.bag(source)?, self.words.norm(source)?);
        let mut members = self.members.take(self.words.num_terms() / 64 + 1);
        let mut weights = self.weights.take(self.words.num_terms());
        for ((term, count), rarity) in bag.iter().zip(self.words.rarities(bag.terms())?) {
            members[term.index() / 64] |= 1 << (term.index() % 64);
            weights[term.index()] = [of_count(count) * rarity, rarity];
        }
        let score = |(bag, other): (Bag<'_>, f64)| {
            interrupt::check()?;
            let mut product = 0.0;
            for (terms, counts) in bag.terms().chunks(64).zip(bag.counts().chunks(64)) {
                // A bit for each term that both have: found without a branch, which nobody could foresee.
                let mut shared = 0u64;
                for (at, term) in terms.iter().enumerate() {
                    shared |= (members[term.index() / 64] >> (term.index() % 64) & 1) << at;
                }
                while shared != 0 {
                    let at = shared.trailing_zeros() as usize;
                    shared &= shared - 1;
                    let [weight, rarity] = weights[terms[at].index()];
                    product += weight * (of_count(counts[at]) * rarity);
                }
            }
            let norms = (square * other).sqrt();
            // Words that all pages have weigh nothing, and a page that has no others has no direction.
            Ok((norms > 0.0).then(|| 0.0 - product / norms))
        };
        let norms = targets.iter().map(|&target| self.words.norm(target)).collect::<Result<Vec<_>, _>>()?;
        let scores = self.words.bags(targets)?.into_iter().zip(norms).map(score).collect();
        bag.terms().iter().for_each(|term| members[term.index() / 64] = 0);
        self.members.put_back(members);
        // What is left there of the source's terms is asked for only of terms of the next source.
        self.weights.put_back(weights);
        scores
    }

    fn reason(&self, _: PageId, _: PageId, side: Side) -> Result<Option<Reason>, Error> {
        let how_much = if side == Side::Odd { "little" } else { "much" };
        Ok(Some(Reason::new(self.name(), format!("the words of the two pages have {how_much} in common"))))
    }
}
