//! Company: a link is expected among others like it, and unexpected where it is the only one of its kind.
//!
//! unexpectedness(s, t) = −(1/5)·Σ cos(x_t, x_u) over the five other links u of s whose pages point most nearly where t
//! points, x being the [vectors of the pages](crate::vectors). The paper's competitors M2 and M4 ask the same of words.
//!
//! # Quirks
//! On a page with more than 512 links, each is compared with about 512 others, evenly spread over the list.

use super::{MOST, Nearest, WORTH_THREADS, full_name, vectors_of};
use crate::Error;
use crate::corpus::Corpus;
use crate::graph::PageId;
use crate::interrupt;
use crate::kernels::dot_of_integers;
use crate::score::{Reason, Score, Scorer, Side, Suffix, title_in_reason};
use crate::vectors::UnitVectors;
use rayon::prelude::*;
use std::sync::Arc;

pub(in crate::score) const COMPANY: Scorer = Scorer {
    name: "company",
    about: "how unlike the target is the five other links of the page that are most like it",
    inputs: "graph, categories, text",
    cites: "",
    model: Some("llamafur"),
    suffix: Suffix::Vectors,
    reads_link: false,
    open: |inputs, conf, progress| {
        let (corpus, vectors) = (inputs.corpus().clone(), vectors_of(inputs, conf, progress)?);
        Ok(Arc::new(Company { name: full_name("company", conf), corpus, vectors }))
    },
};

/// Scores links by the company they are in.
#[derive(Debug, Clone)]
pub(crate) struct Company {
    name: String,
    corpus: Corpus,
    vectors: Arc<UnitVectors>,
}

/// The unexpectedness of each of these vectors among the others: each product is taken once for both.
fn among_themselves(rows: &[&[i16]]) -> Vec<Option<f64>> {
    let mut nearest: Vec<Nearest> = rows.iter().map(|_| Nearest::new()).collect();
    for (at, row) in rows.iter().enumerate() {
        let (of_row, of_others) = nearest[at..].split_first_mut().expect("one for each row");
        for (of_other, other) in of_others.iter_mut().zip(&rows[at + 1..]) {
            let product = dot_of_integers(row, other);
            of_row.add(product, other);
            of_other.add(product, row);
        }
    }
    nearest.into_iter().map(Nearest::unexpectedness).collect()
}

impl Score for Company {
    fn name(&self) -> &str {
        &self.name
    }

    fn rests_on(&self) -> String {
        self.vectors.rests_on().to_owned()
    }

    /// `None` where the target has no vector, or the page no other link with one.
    fn score(&self, source: PageId, targets: &[PageId]) -> Result<Vec<Option<f64>>, Error> {
        let links = self.corpus.links(source)?;
        let spread = || links.iter().step_by(links.len().div_ceil(MOST).max(1));
        spread().for_each(|&page| self.vectors.prefetch(page));
        // Side by side, since each is read once for each of the links.
        let num = spread().len();
        let (mut others, mut rows) =
            (Vec::with_capacity(num), Vec::with_capacity(num * self.vectors.dimensions()));
        for &page in spread() {
            if let Some(row) = self.vectors.get(page)? {
                others.push(page);
                rows.extend_from_slice(row);
            }
        }
        let rows = rows.chunks_exact(self.vectors.dimensions().max(1));
        if targets == links && others == links {
            return Ok(among_themselves(&rows.collect::<Vec<_>>()));
        }
        let score = |&target: &PageId| {
            interrupt::check()?;
            let Some(row) = self.vectors.get(target)? else { return Ok(None) };
            let mut nearest = Nearest::new();
            for (&other, of_other) in others.iter().zip(rows.clone()) {
                if other != target {
                    nearest.add(dot_of_integers(row, of_other), of_other);
                }
            }
            Ok(nearest.unexpectedness())
        };
        if targets.len() * others.len() < WORTH_THREADS {
            targets.iter().map(score).collect()
        } else {
            let carried = interrupt::carried();
            targets.par_iter().map(|target| carried.scope(|| score(target))).collect()
        }
    }

    fn reason(&self, source: PageId, target: PageId, side: Side) -> Result<Option<Reason>, Error> {
        let [source, target] = [source, target].map(|page| title_in_reason(&self.corpus, page));
        let (source, target) = (source?, target?);
        let text = match side {
            Side::Odd => format!("{source} links to few other pages like {target}"),
            Side::Expected => format!("{source} links to other pages like {target}"),
        };
        Ok(Some(Reason::new(self.name(), text)))
    }
}
