//! Company: a link is expected among others like it, and unexpected where it stands alone.
//!
//! unexpectedness(s, t) = −(1/5)·Σ cos(x_t, x_u) over the five other links u of s whose pages point most nearly where t
//! points, x being the [embedding by links](crate::embed). Unlike the paper's competitors M2 and M4, which ask the same of
//! words, it uses the graph alone.
//!
//! # Quirks
//! On a page with more than 512 links, each is compared with about 512 others, evenly spread over the list.

use crate::Error;
use crate::corpus::Corpus;
use crate::embed::{EMBEDDING_VERSION, Eights, Embedding, is_something};
use crate::graph::PageId;
use crate::score::{Reason, Score, Scorer, Side};
use crate::statistics::mean;
use rayon::prelude::*;
use std::sync::Arc;

pub(in crate::score) const COMPANY: Scorer = Scorer {
    name: "company",
    about: "how unlike the target is the five other links of the page that are most like it, by their links",
    inputs: "graph",
    cites: "",
    takes_model: false,
    reads_link: false,
    open: |inputs, _, progress| Ok(Arc::new(Company::new(inputs.corpus(), inputs.by_links(progress)?))),
};

/// Links of the same page that are looked at, and those of them that count.
const MOST: usize = 512;
const NEAREST: usize = 5;

/// Comparisons from which on the links of one page are shared among threads.
const WORTH_THREADS: usize = 1 << 17;

/// Scores links by the company they are in.
#[derive(Debug, Clone)]
pub struct Company {
    corpus: Corpus,
    embedding: Arc<Embedding>,
}

impl Company {
    /// A scorer for the links of a corpus.
    pub fn new(corpus: &Corpus, embedding: Arc<Embedding>) -> Company {
        Company { corpus: corpus.clone(), embedding }
    }
}

impl Score for Company {
    fn name(&self) -> &str {
        COMPANY.name
    }

    fn rests_on(&self) -> String {
        EMBEDDING_VERSION.to_string()
    }

    /// `None` where the target has no vector, or the page no other link with one.
    fn score(&self, source: PageId, targets: &[PageId]) -> Result<Vec<Option<f64>>, Error> {
        let links = self.corpus.links(source)?;
        let (others, rows): (Vec<PageId>, Vec<&[f32]>) = links
            .iter()
            .step_by(links.len().div_ceil(MOST).max(1))
            .map(|&page| (page, self.embedding.row(page)))
            .filter(|(_, row)| is_something(row))
            .unzip();
        let eights = Eights::new(self.embedding.rank(), &rows);
        let score = |&target: &PageId| {
            let row = self.embedding.row(target);
            if !is_something(row) {
                return None;
            }
            let mut nearest = [f64::NEG_INFINITY; NEAREST];
            for (group, others) in others.chunks(8).enumerate() {
                for (&other, cosine) in others.iter().zip(eights.dots(row, group).map(f64::from)) {
                    // The least near of the nearest stands first.
                    if cosine > nearest[0] && other != target {
                        nearest[0] = cosine;
                        nearest.sort_unstable_by(f64::total_cmp);
                    }
                }
            }
            let found: Vec<f64> = nearest.into_iter().filter(|cosine| cosine.is_finite()).collect();
            (!found.is_empty()).then(|| 0.0 - mean(&found))
        };
        Ok(if targets.len() * others.len() < WORTH_THREADS {
            targets.iter().map(score).collect()
        } else {
            targets.par_iter().map(score).collect()
        })
    }

    fn reason(&self, source: PageId, _: PageId, side: Side) -> Result<Option<Reason>, Error> {
        let source = self.corpus.title(source)?;
        let text = match side {
            Side::Odd => format!("{source} links to few other pages like the target"),
            Side::Expected => format!("{source} links to other pages like the target"),
        };
        Ok(Some(Reason::new(self.name(), text)))
    }
}
