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
use crate::kernels::{Eights, dot_of_integers};
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

/// Number of targets from which on it pays to lay the vectors of the others side by side.
const WORTH_EIGHTS: usize = 32;

/// Number of targets that a thread scores at a time.
const AT_A_TIME: usize = 128;

/// A scorer of links by their similarity to the other links of the page.
#[derive(Debug, Clone)]
pub(crate) struct Company {
    name: String,
    corpus: Corpus,
    vectors: Arc<UnitVectors>,
}

/// Returns the unexpectedness of each of these vectors among the others; each product is computed once for both.
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

impl Company {
    /// Returns the unexpectedness of targets among others with these vectors.
    fn among_others(
        &self,
        targets: &[PageId],
        others: &[PageId],
        rows: &Eights,
    ) -> Result<Vec<Option<f64>>, Error> {
        interrupt::check()?;
        // Without a vector, there is no product.
        let vectors = targets.iter().map(|&target| Ok(self.vectors.get(target)?.unwrap_or_default()));
        let vectors = vectors.collect::<Result<Vec<_>, Error>>()?;
        let mut nearest: Vec<Nearest> = targets.iter().map(|_| Nearest::new()).collect();
        rows.multiply(&vectors, |place, first, products| {
            let (nearest, target) = (&mut nearest[place], targets[place]);
            // Few are, so they are looked at together.
            if !products.iter().fold(false, |any, product| any | nearest.is_near(*product)) {
                return;
            }
            for (product, other) in products.iter().zip(others.get(first..).unwrap_or_default()) {
                if nearest.is_near(*product) && *other != target {
                    nearest.insert(*product);
                }
            }
        });
        let scored = nearest.into_iter().zip(vectors);
        Ok(scored.map(|(nearest, vector)| nearest.unexpectedness().filter(|_| !vector.is_empty())).collect())
    }
}

impl Score for Company {
    fn name(&self) -> &str {
        &self.name
    }

    fn rests_on(&self) -> String {
        self.vectors.rests_on().to_owned()
    }

    /// Returns `None` where the target has no vector, or the page no other link with one.
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
        if targets.len() < WORTH_EIGHTS {
            let score = |&target: &PageId| {
                let Some(row) = self.vectors.get(target)? else { return Ok(None) };
                let mut nearest = Nearest::new();
                for (&other, of_other) in others.iter().zip(rows.clone()) {
                    if other != target {
                        nearest.add(dot_of_integers(row, of_other), of_other);
                    }
                }
                Ok(nearest.unexpectedness())
            };
            return targets.iter().map(score).collect();
        }
        let rows = Eights::new(&rows.collect::<Vec<_>>());
        let score = |part: &[PageId]| self.among_others(part, &others, &rows);
        let parts = if targets.len() * others.len() < WORTH_THREADS {
            targets.chunks(AT_A_TIME).map(score).collect()
        } else {
            let carried = interrupt::carried();
            let score = |part| carried.scope(|| score(part));
            targets.par_chunks(AT_A_TIME).map(score).collect::<Result<Vec<_>, Error>>()
        };
        Ok(parts?.concat())
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
