//! What people judged: which links of a page they find expected, and which not.
//!
//! Two formats, told apart by their first line ([`Form`]):
//!
//! * the authors': source, target, class and, if there is one, judge, separated by tabs. A first line with `class` in
//!   the third column, or with columns named `source`, `target` and `class`, is a header; then columns are found by
//!   name and others are passed over, so that a table written for judging is read as it was filled in. An empty class
//!   means that the link is not judged yet.
//! * TREC's qrels: `query iteration document relevance`, separated by blanks, underscores for blanks in titles. 0 is E,
//!   1 is U, 2 and more is TU, as for trec_eval everything from 1 on is relevant; less than 0 is unjudged.
//!
//! # Rules
//! Every record counts, or is accounted for ([`Account`]):
//!
//! * a pair of pages that one judge puts in the same class again is a duplicate; it counts once;
//! * a pair that one judge puts in different classes is contradictory; it is left out, whatever others say;
//! * a pair that several judges judged has the lower median of their classes, so that two who differ make it the more
//!   expected one;
//! * a page or a link that the corpus has not is missing. Titles are found as on the command line: exactly, through
//!   redirects, as the wiki reads them, with case and underscores folded; two titles may lead to one page.
//!
//! Records without a judge are all by the same one.
//!
//! A page is a query. It can be measured where it has at least one relevant link (U or TU) and one irrelevant (TE or
//! E). On the authors' file that makes 117 of 237 queries, with 3.48 relevant links of 20.87 judged on average.
//!
//! # Differences from the paper
//! It counts 3,698 links; its file has 3,697 records, one of them twice. Its shares of classes (58.1% TE, 2.2% TU, 8.8%
//! U) are those of all pairs, as [`Counts::share`] has them; among the 117 queries TE makes 49.5%.
//!
//! # Quirks
//! A field in quotes is read as a spreadsheet writes it: a title that consists of a quoted word and nothing else loses
//! its quotes unless they are doubled. In a table without a header no field holds a line break. Qrels that are
//! separated by tabs and begin with a document called like a class are taken for the authors' format unless told.

mod account;
mod agreement;
mod class;
mod counts;
mod error;
mod fields;
mod lines;
mod pages;
mod rows;
mod votes;

#[cfg(test)]
mod tests;

pub use account::{Account, EXAMPLES, Example, Left};
pub use agreement::Agreement;
pub use class::{Class, NoSuchClass};
pub use counts::Counts;
pub use error::JudgmentError;
pub use pages::{Numbered, Pages};
pub use rows::Form;

use llamafur::corpus::{Corpus, PageId};
use llamafur::progress::Progress;
use rows::{Row, Verdict};
use std::path::{Path, PathBuf};
use votes::Votes;

/// A link and what was judged of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct JudgedLink {
    /// Where it goes.
    pub target: PageId,
    /// How unexpected it is.
    pub class: Class,
}

/// A page and its judged links.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Query {
    /// The page.
    pub page: PageId,
    /// The links, in the order of their targets.
    pub links: Vec<JudgedLink>,
}

impl Query {
    /// How many links are relevant.
    pub fn num_relevant(&self) -> usize {
        self.links.iter().filter(|link| link.class.is_relevant()).count()
    }

    /// How many are not.
    pub fn num_irrelevant(&self) -> usize {
        self.links.len() - self.num_relevant()
    }

    /// Whether the page can be measured.
    pub fn has_both_kinds(&self) -> bool {
        self.num_relevant() > 0 && self.num_irrelevant() > 0
    }
}

/// All that people judged of a corpus.
#[derive(Debug, Clone)]
pub struct Judgments {
    /// The file.
    pub path: PathBuf,
    /// What became of its records.
    pub account: Account,
    /// The pages that have judged links, ascending.
    pub queries: Vec<Query>,
    /// How far judges agree, for every two named ones with links in common.
    pub agreement: Vec<Agreement>,
}

impl Judgments {
    /// Reads judgments of a corpus; `.gz` is unpacked.
    ///
    /// # Errors
    /// If the file cannot be read, a line is not as it should be, nothing in it is judged, or the corpus is damaged.
    pub fn of(
        corpus: &Corpus,
        path: impl AsRef<Path>,
        form: Form,
        progress: &mut dyn Progress,
    ) -> Result<Judgments, JudgmentError> {
        Judgments::read(path, form, &mut { corpus }, progress)
    }

    /// Reads judgments without a corpus: titles are numbered as they come, and every pair is taken for a link.
    ///
    /// # Errors
    /// See [`Judgments::of`].
    ///
    /// ```
    /// use llamafur::progress::Silent;
    /// use llamafur_eval::judgments::{Form, Judgments};
    /// # let dir = tempfile::tempdir()?;
    /// # let path = dir.path().join("judged.tsv");
    /// std::fs::write(&path, "Kim Jong-il\tMalta\tTU\nKim Jong-il\tNorth Korea\tTE\n")?;
    /// let (judgments, titles) = Judgments::alone(&path, Form::Auto, &mut Silent)?;
    /// let query = judgments.expect_queries()?[0];
    /// assert_eq!(titles.title(query.page), "Kim Jong-il");
    /// assert_eq!((query.num_relevant(), query.num_irrelevant()), (1, 1));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn alone(
        path: impl AsRef<Path>,
        form: Form,
        progress: &mut dyn Progress,
    ) -> Result<(Judgments, Numbered), JudgmentError> {
        let mut titles = Numbered::default();
        Ok((Judgments::read(path, form, &mut titles, progress)?, titles))
    }

    /// Reads judgments of whatever has pages and links.
    ///
    /// # Errors
    /// See [`Judgments::of`].
    pub fn read(
        path: impl AsRef<Path>,
        form: Form,
        pages: &mut dyn Pages,
        progress: &mut dyn Progress,
    ) -> Result<Judgments, JudgmentError> {
        let path = path.as_ref();
        let mut account = Account::default();
        let mut votes = Votes::new();
        // The records of a page mostly come together.
        let mut last: (String, Option<PageId>) = (String::new(), None);
        rows::for_each(path, form, progress, |row| {
            account.records += 1;
            let example = |row: &Row<'_>, why: String| Example {
                line: row.line,
                source: row.source.to_owned(),
                target: row.target.to_owned(),
                why,
            };
            let class = match row.verdict {
                Verdict::Class(class) => class,
                Verdict::NotYet => {
                    account.not_yet_judged.take(1, || example(&row, "no class".into()));
                    return Ok(());
                }
                Verdict::Unjudged => {
                    account.unjudged.take(1, || example(&row, "a relevance below 0".into()));
                    return Ok(());
                }
            };
            if last.1.is_none() || last.0 != row.source {
                last = (row.source.to_owned(), pages.page(row.source)?);
            }
            let (source, target) = match (last.1, pages.page(row.target)?) {
                (Some(source), Some(target)) => (source, target),
                (source, _) => {
                    let missing = if source.is_none() { row.source } else { row.target };
                    account.page_missing.take(1, || example(&row, format!("no page “{missing}”")));
                    return Ok(());
                }
            };
            if pages.has_link(source, target)? {
                votes.push(source, target, row.judge, class, row.line);
            } else {
                account.link_missing.take(1, || example(&row, "no such link".into()));
            }
            Ok(())
        })?;
        if account.records == account.not_yet_judged.records + account.unjudged.records {
            return Err(JudgmentError::Empty { path: path.into(), records: account.records });
        }
        let (queries, agreement) = votes.finish(&mut account, pages)?;
        Ok(Judgments { path: path.into(), account, queries, agreement })
    }

    /// The queries that can be measured: those with relevant and irrelevant links.
    pub fn with_both_kinds(&self) -> impl Iterator<Item = &Query> {
        self.queries.iter().filter(|query| query.has_both_kinds())
    }

    /// The same, of which there must be one.
    ///
    /// # Errors
    /// If there is none.
    pub fn expect_queries(&self) -> Result<Vec<&Query>, JudgmentError> {
        let queries: Vec<&Query> = self.with_both_kinds().collect();
        if queries.is_empty() {
            let expected = self.queries.iter().filter(|query| query.num_relevant() == 0).count();
            return Err(JudgmentError::NoQueries {
                path: self.path.clone(),
                expected,
                unexpected: self.queries.len() - expected,
                records: self.account.records,
                missing: self.account.page_missing.records + self.account.link_missing.records,
            });
        }
        Ok(queries)
    }

    /// How many there are of what.
    pub fn counts(&self) -> Counts {
        Counts::of(self)
    }
}
