//! Embeddings: every page as a short vector, so that pages with alike links, or alike words, point the same way.
//!
//! A sparse matrix A with a row for each page is cut to rank k by its singular value decomposition, A ≈ U·Σ·Vᵀ; a page's
//! vector is its row of U·Σ, scaled to length 1. Two matrices are of use:
//!
//! * of the links, the positive pointwise mutual information of the symmetric graph (`links.rs`):
//!   A_ij = max(0, ln(N/(d_i·d_j))) for neighbours i and j with d_i and d_j neighbours, N = Σ d (O. Levy & Y. Goldberg,
//!   “Neural Word Embedding as Implicit Matrix Factorization”, NIPS 2014, section 4);
//! * of the words, TF–IDF (`text.rs`): A_it = (1 + ln c)·ln(n/df), rows scaled to length 1 (S. Deerwester et al., “Indexing by
//!   Latent Semantic Analysis”, JASIS 41(6), 1990).
//!
//! The decomposition is a randomised one (`svd.rs`), the same bits for the same seed on any number of threads.
//! Neither matrix is ever written down: its rows are made from the lists when they are needed.

mod eights;
mod file;
mod links;
mod svd;
mod text;

pub(crate) use eights::Eights;
pub(crate) use file::EMBEDDING_VERSION;
pub use file::verify;
use links::LINKS;
use text::TEXT;

use crate::Error;
use crate::corpus::Corpus;
use crate::graph::{Neighbours, PageId};
use crate::kernels::dot_in_fours;
use crate::progress::{Progress, Task};
use crate::words::Words;

/// What an embedding is made of: where it is kept, of what rank it is, and how it is found.
#[derive(Debug, Clone, Copy)]
pub(crate) struct EmbeddingKind {
    /// Its name, which is that of its file.
    pub name: &'static str,
    /// k.
    pub rank: usize,
}

/// A vector of length 1 for each page, or 0 where there is no data.
#[derive(Debug, Clone, PartialEq)]
pub struct Embedding {
    rank: usize,
    rows: Vec<f32>,
}

impl Embedding {
    /// The embedding by links: the one that the corpus keeps, or one that is made and kept.
    ///
    /// # Errors
    /// If a file is damaged.
    pub fn by_links(
        corpus: &Corpus,
        neighbours: &Neighbours,
        progress: &mut dyn Progress,
    ) -> Result<Embedding, Error> {
        file::kept_or_made(corpus, LINKS, &corpus.manifest().graph_checksum(), progress, |progress| {
            Ok(Embedding::of(&links::Ppmi::new(neighbours), LINKS, progress))
        })
    }

    /// The embedding by words: the one that the corpus keeps, or one that is made and kept.
    ///
    /// # Errors
    /// If a file is damaged.
    pub fn by_words(corpus: &Corpus, words: &Words, progress: &mut dyn Progress) -> Result<Embedding, Error> {
        file::kept_or_made(corpus, TEXT, &words.checksum(), progress, |progress| {
            let matrix = text::TfIdf::new(words, corpus.num_pages())?;
            Ok(Embedding::of(&matrix, TEXT, progress))
        })
    }

    /// The vectors of a matrix's rows.
    fn of(matrix: &impl svd::Matrix, kind: EmbeddingKind, progress: &mut dyn Progress) -> Embedding {
        progress.start(Task::Embed { kind: kind.name }, Some(svd::num_products() as u64));
        let rows = svd::left_vectors(matrix, kind.rank, &mut || progress.advance(1));
        progress.finish();
        Embedding::from_rows(kind.rank, rows)
    }

    /// Vectors of so many numbers each, end to end, scaled to length 1.
    ///
    /// # Panics
    /// If they do not come out even.
    pub fn from_rows(rank: usize, mut rows: Vec<f32>) -> Embedding {
        assert!(rows.len().is_multiple_of(rank.max(1)), "whole rows");
        for row in rows.chunks_exact_mut(rank.max(1)) {
            let length = row.iter().map(|x| f64::from(*x).powi(2)).sum::<f64>().sqrt();
            // What is next to nothing is rounding: a page without data.
            let scale = if length > 1e-6 { 1.0 / length } else { 0.0 };
            row.iter_mut().for_each(|x| *x = (f64::from(*x) * scale) as f32);
        }
        Embedding { rank, rows }
    }

    /// How many numbers a vector has.
    pub fn rank(&self) -> usize {
        self.rank
    }

    /// The vector of a page.
    #[inline]
    pub fn row(&self, page: PageId) -> &[f32] {
        &self.rows[page.index() * self.rank..][..self.rank]
    }

    /// The cosine of the vectors of two pages; `None` where one of them is 0.
    pub fn cosine(&self, one: PageId, two: PageId) -> Option<f64> {
        let (one, two) = (self.row(one), self.row(two));
        (is_something(one) && is_something(two)).then(|| dot_in_fours(one, two))
    }
}

/// Whether a row is a vector of length 1.
pub(crate) fn is_something(row: &[f32]) -> bool {
    row.iter().any(|x| *x != 0.0)
}
