//! Mentions: what a page speaks of often, it is expected to link to.
//!
//! unexpectedness(s, t) = −ln(1 + c), with c how often the text of s names t. Of a wiki those are the links to t, through
//! redirects too, and besides them the places outside of links that have its title; otherwise the places that
//! [name it](crate::text::names_target).

use super::count_names::count_all;
use super::expect_text;
use crate::Error;
use crate::corpus::{Corpus, PageTexts};
use crate::graph::PageId;
use crate::score::{Reason, Score, Scorer, Side, Suffix};
use crate::text::spoken_name;
use std::collections::BTreeMap;
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
        Ok(Arc::new(Mentions::new(corpus, inputs.texts().clone())))
    },
};

/// Scores links by how often the source's text names the target.
#[derive(Debug, Clone)]
pub struct Mentions {
    corpus: Corpus,
    texts: Arc<PageTexts>,
}

impl Mentions {
    /// A scorer for the links of a corpus by its texts; without them it has no data.
    pub fn new(corpus: &Corpus, texts: Arc<PageTexts>) -> Mentions {
        Mentions { corpus: corpus.clone(), texts }
    }
}

impl Score for Mentions {
    fn name(&self) -> &str {
        MENTIONS.name
    }

    fn score(&self, source: PageId, targets: &[PageId]) -> Result<Vec<Option<f64>>, Error> {
        let text = self.texts.get(source)?;
        if text.stored().is_none() {
            return Ok(vec![None; targets.len()]);
        }
        let mut links: BTreeMap<PageId, usize> = BTreeMap::new();
        if let Some(wiki) = text.wiki()? {
            wiki.targets.iter().flatten().for_each(|&page| *links.entry(page).or_default() += 1);
        }
        let title = self.corpus.title(source)?;
        let name = |&target: &PageId| Ok(spoken_name(title, self.corpus.title(target)?));
        let names: Vec<String> = targets.iter().map(name).collect::<Result<_, Error>>()?;
        let score = |(target, named): (&PageId, usize)| {
            let count = named + links.get(target).copied().unwrap_or(0);
            // Subtracted from zero rather than negated: no mention must not become −0.
            Some(0.0 - (count as f64).ln_1p())
        };
        Ok(targets.iter().zip(count_all(text.outside_links()?, &names)).map(score).collect())
    }

    fn reason(&self, source: PageId, target: PageId, side: Side) -> Result<Option<Reason>, Error> {
        let (source, target) = (self.corpus.title(source)?, self.corpus.title(target)?);
        let text = match side {
            Side::Odd => format!("{source} hardly mentions {target}"),
            Side::Expected => format!("{source} mentions {target} often"),
        };
        Ok(Some(Reason::new(self.name(), text)))
    }
}
