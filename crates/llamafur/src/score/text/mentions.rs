//! Mentions: a page is expected to link to what it names often.
//!
//! unexpectedness(s, t) = −ln(1 + c), with c the number of times the text of s names t. In a wiki those are the links
//! to t, through redirects too, and the places outside of links that have its title; otherwise the places that name it.
//! A count ends at 65,535.

use super::expect_text;
use super::known_links::KnownLinks;
use crate::Error;
use crate::corpus::{Corpus, PageTexts};
use crate::graph::PageId;
use crate::places::mentions;
use crate::score::{Reason, Score, Scorer, Side, Suffix, title_in_reason};
use std::sync::Arc;

pub(in crate::score) const MENTIONS: Scorer = Scorer {
    name: "mentions",
    about: "how seldom the source's text names the target",
    inputs: "text",
    cites: "",
    model: None,
    suffix: Suffix::None,
    reads_link: true,
    open: |inputs, _, _| {
        let corpus = inputs.corpus();
        expect_text(corpus)?;
        let known = KnownLinks::of(inputs);
        Ok(Arc::new(Mentions { known, ..Mentions::new(corpus, inputs.texts().clone()) }))
    },
};

/// A scorer of links by how often the source's text names the target.
#[derive(Clone)]
pub(crate) struct Mentions {
    corpus: Corpus,
    texts: Arc<PageTexts>,
    known: KnownLinks,
}

impl Mentions {
    /// Creates a scorer for the links of a corpus by its texts; without them it has no data.
    pub(crate) fn new(corpus: &Corpus, texts: Arc<PageTexts>) -> Mentions {
        Mentions { corpus: corpus.clone(), texts, known: KnownLinks::none() }
    }
}

/// Returns −ln(1 + c), subtracted from zero rather than negated: no mention must not become −0.
fn unexpectedness(count: u16) -> f64 {
    0.0 - f64::from(count).ln_1p()
}

impl Score for Mentions {
    fn name(&self) -> &str {
        MENTIONS.name
    }

    fn score(&self, source: PageId, targets: &[PageId]) -> Result<Vec<Option<f64>>, Error> {
        let known = self.known.score(source, targets, |link| Some(unexpectedness(link.mentions())))?;
        if let Some(scores) = known {
            return Ok(scores);
        }
        let text = self.texts.get(source)?;
        if text.stored().is_none() {
            return Ok(vec![None; targets.len()]);
        }
        let counts = mentions(&self.corpus, source, text.wiki()?, text.outside_links()?, targets)?;
        Ok(counts.into_iter().map(|count| Some(unexpectedness(count))).collect())
    }

    fn reason(&self, source: PageId, target: PageId, side: Side) -> Result<Option<Reason>, Error> {
        let [source, target] = [source, target].map(|page| title_in_reason(&self.corpus, page));
        let (source, target) = (source?, target?);
        let text = match side {
            Side::Odd => format!("{source} hardly mentions {target}"),
            Side::Expected => format!("{source} mentions {target} often"),
        };
        Ok(Some(Reason::new(self.name(), text)))
    }
}
