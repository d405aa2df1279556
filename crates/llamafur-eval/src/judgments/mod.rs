//! Links that people judged: which of a page's links are expected, and which are not.
//!
//! Three formats, recognised by their first line ([`Form`]):
//!
//! * the authors': source, target, class and optionally judge, separated by tabs. A first line with `class` in the
//!   third column, or with columns named `source`, `target` and `class`, is a header; then columns are found by name
//!   and others are skipped, so that a filled-in table for judging can be read directly. An empty class means that the
//!   link is not judged yet.
//! * TREC's qrels: `query iteration document relevance`, separated by whitespace, underscores for spaces in titles. 0 is
//!   E, 1 is U, 2 and more is TU: as in trec_eval, everything from 1 on is relevant. Less than 0 is unjudged.
//! * the log of judging, which a corpus stores ([`crate::judging`]): judge, source, target and label, separated by
//!   tabs. Lines that a later line replaces or withdraws are no records.
//!
//! # Rules
//! Every record is counted ([`Account`]):
//!
//! * a pair of pages that is judged again, in the same class or by another judge, has the class of its last record; the
//!   others are duplicates;
//! * a pair that one judge puts in different classes is contradictory; it is left out, whatever others say;
//! * a page or a link that is not in the corpus is missing. Titles are found as everywhere: exactly, through redirects,
//!   by the rules of the wiki, case-insensitively; two titles may lead to one page.
//!
//! Records without a judge are all by the same judge.
//!
//! A page is a query. It can be measured where it has at least one relevant link (U or TU) and one irrelevant link (TE
//! or E). In the authors' file these are 117 of 237 queries, with 3.48 relevant links of 20.87 judged on average.
//!
//! # Differences from the paper
//! It counts 3,698 links; its file has 3,697 records, one of them twice. Its shares of classes (58.1% TE, 2.2% TU, 8.8%
//! U) are those of all pairs, as in [`Counts::share`]; among the 117 queries TE makes 49.5%.
//!
//! # Quirks
//! A field in quotes is read as in spreadsheets: a title that is one quoted word loses its quotes unless they are
//! doubled. In a table without a header a field cannot contain a line break. Qrels that are separated by tabs and begin
//! with a document named like a class are read in the authors' format unless [`Form::Qrels`] is set.

mod account;
mod class;
mod counts;
mod error;
mod links;
pub(crate) mod log;
pub(crate) mod own_file;
mod pages;
mod records;
pub(crate) mod sums;

#[cfg(test)]
mod tests;

pub use account::{Account, EXAMPLES, Example, Left};
pub use class::{Class, NoSuchClass};
pub use counts::Counts;
pub use error::{JudgmentError, RecordProblem};
pub use pages::Pages;
pub use records::Form;

use crate::judging::log_path;
use crate::report::counted;
use links::LinkRecords;
use llamafur::corpus::Corpus;
use llamafur::graph::PageId;
use llamafur::progress::{Note, Progress, Task};
use records::{Record, Text, Verdict};
use std::io::Read;
use std::path::{Path, PathBuf};

/// A link and its judgment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct JudgedLink {
    /// The page that it leads to.
    pub target: PageId,
    /// The class of the link.
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
    /// Counts the relevant links.
    pub fn num_relevant(&self) -> usize {
        self.links.iter().filter(|link| link.class.is_relevant()).count()
    }

    /// Counts the links that are not relevant.
    pub fn num_irrelevant(&self) -> usize {
        self.links.len() - self.num_relevant()
    }

    /// Returns whether the page can be measured.
    pub fn has_both_kinds(&self) -> bool {
        self.num_relevant() > 0 && self.num_irrelevant() > 0
    }
}

/// The judged links of a corpus.
#[derive(Debug, Clone)]
pub struct Judgments {
    /// The file.
    pub path: PathBuf,
    /// Counts of the records used and left out.
    pub account: Account,
    /// The pages that have judged links, ascending.
    pub queries: Vec<Query>,
}

impl Judgments {
    /// Reads the judgments in a corpus's own log, and notes their number.
    ///
    /// # Errors
    /// Returns an error if there are none, or as [`Judgments::read`].
    pub fn kept(corpus: &Corpus, progress: &mut dyn Progress) -> Result<Judgments, JudgmentError> {
        let path = log_path(corpus);
        if !path.exists() {
            return Err(JudgmentError::NoneKept { corpus: corpus.path().into() });
        }
        sums::verify(&path)?;
        let input = own_file::open(&path).map_err(|cause| JudgmentError::Io { path: path.clone(), cause })?;
        let judgments = Judgments::read(input, &path, Form::Log, &mut { corpus }, progress)?;
        let links = counted(judgments.account.found, "judged link");
        progress.note(Note::words(format!("the corpus's own judgments are taken: {links}")));
        Ok(judgments)
    }

    /// Reads judgments of a corpus, or of another graph of pages and links. `path` names the input in errors.
    ///
    /// # Errors
    /// Returns an error if the input cannot be read, a record is wrong, nothing in it is judged, or the corpus is
    /// damaged.
    pub fn read(
        input: impl Read,
        path: impl Into<PathBuf>,
        form: Form,
        pages: &mut dyn Pages,
        progress: &mut dyn Progress,
    ) -> Result<Judgments, JudgmentError> {
        let path = path.into();
        let Text { text, form, cut } = records::load(input, &path, form)?;
        if cut > 0 {
            progress.note(Note::CutShort { path: path.clone(), bytes: cut });
        }
        progress.start(Task::ReadJudgments, None);
        let mut account = Account::default();
        let mut links = LinkRecords::default();
        // The records of a page mostly come together.
        let mut last: (String, Option<PageId>) = (String::new(), None);
        records::for_each(&path, &text, form, |record| {
            let Record { line, source, target, verdict, judge } = record;
            progress.advance(1);
            account.records += 1;
            let example = |why: String| Example { line, source: source.into(), target: target.into(), why };
            let class = match verdict {
                Verdict::Class(class) => class,
                Verdict::NotYet => {
                    account.not_yet_judged.take(1, || example("no class".into()));
                    return Ok(());
                }
                Verdict::Unjudged => {
                    account.unjudged.take(1, || example("a relevance below 0".into()));
                    return Ok(());
                }
            };
            if last.1.is_none() || last.0 != source {
                last = (source.to_owned(), pages.page(source)?);
            }
            match (last.1, pages.page(target)?) {
                (Some(from), Some(to)) if pages.has_link(from, to)? => {
                    links.push(from, to, judge, class, line)
                }
                (Some(_), Some(_)) => account.link_missing.take(1, || example("no such link".into())),
                (from, _) => {
                    let missing = if from.is_none() { source } else { target };
                    account.page_missing.take(1, || example(format!("no page “{missing}”")));
                }
            }
            Ok(())
        })?;
        progress.finish();
        if account.records == account.not_yet_judged.records + account.unjudged.records {
            return Err(JudgmentError::Empty { path, records: account.records });
        }
        let queries = links.finish(&mut account, pages)?;
        Ok(Judgments { path, account, queries })
    }

    /// Returns the queries that can be measured: those with relevant and irrelevant links.
    pub fn with_both_kinds(&self) -> impl Iterator<Item = &Query> {
        self.queries.iter().filter(|query| query.has_both_kinds())
    }

    /// Returns the queries that can be measured, and fails if there are none.
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

    /// Counts the records, links and queries.
    pub fn counts(&self) -> Counts {
        Counts::of(self)
    }
}

/// Calls `take` with the source and target of every record of a table, judged or not.
pub(crate) fn for_each_pair(
    input: impl Read,
    path: &Path,
    mut take: impl FnMut(&str, &str) -> Result<(), JudgmentError>,
) -> Result<(), JudgmentError> {
    let Text { text, .. } = records::load(input, path, Form::Authors)?;
    records::for_each(path, &text, Form::Authors, |record| take(record.source, record.target))
}
