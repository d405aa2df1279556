//! The cosine of two pages in an embedding: unexpectedness(s, t) = −cos(x_s, x_t).

use crate::Error;
use crate::embed::{EMBEDDING_VERSION, Embedding};
use crate::graph::PageId;
use crate::score::{Reason, Score, Scorer, Side};
use std::sync::Arc;

pub(in crate::score) const TEXT_SVD: Scorer = Scorer {
    name: "text-svd",
    about: "how unlike the words of the two pages are, in 128 dimensions (latent semantic analysis)",
    inputs: "text",
    cites: "Deerwester et al. 1990",
    takes_model: false,
    reads_link: false,
    open: |inputs, _, progress| {
        let embedding = inputs.by_words(progress)?;
        let rests_on = inputs.words(progress)?.checksum();
        Ok(Arc::new(EmbeddingCosine { name: "text-svd", embedding, rests_on }))
    },
};

pub(in crate::score) const LINK_SVD: Scorer = Scorer {
    name: "link-svd",
    about: "how unlike the links of the two pages are, in 64 dimensions",
    inputs: "graph",
    cites: "Levy & Goldberg 2014",
    takes_model: false,
    reads_link: false,
    open: |inputs, _, progress| {
        let embedding = inputs.by_links(progress)?;
        Ok(Arc::new(EmbeddingCosine { name: "link-svd", embedding, rests_on: String::new() }))
    },
};

/// Scores links by the cosine of their two pages.
#[derive(Debug, Clone)]
pub struct EmbeddingCosine {
    name: &'static str,
    embedding: Arc<Embedding>,
    /// What the embedding is made of, where that is more than the corpus.
    rests_on: String,
}

impl Score for EmbeddingCosine {
    fn name(&self) -> &str {
        self.name
    }

    fn rests_on(&self) -> String {
        format!("{EMBEDDING_VERSION} {}", self.rests_on)
    }

    fn score(&self, source: PageId, targets: &[PageId]) -> Result<Vec<Option<f64>>, Error> {
        Ok(targets.iter().map(|&target| self.embedding.cosine(source, target).map(|cos| 0.0 - cos)).collect())
    }

    fn reason(&self, _: PageId, _: PageId, side: Side) -> Result<Option<Reason>, Error> {
        let what = if self.name == TEXT_SVD.name { "words" } else { "links" };
        let how_much = if side == Side::Odd { "little" } else { "much" };
        Ok(Some(Reason::new(self.name, format!("the {what} of the two pages have {how_much} in common"))))
    }
}
