//! Counts of the records of a file, used or left out, with the reasons.

use serde::Serialize;

/// Number of records of each kind kept as examples.
pub const EXAMPLES: usize = 10;

/// A record that was left out.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Example {
    /// The line, from 1.
    pub line: u64,
    /// The page.
    pub source: String,
    /// The page that it links to.
    pub target: String,
    /// The reason why it was left out.
    pub why: String,
}

/// Records left out for one reason.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Left {
    /// The number of records.
    pub records: u64,
    /// The first few records.
    pub examples: Vec<Example>,
}

impl Left {
    pub(super) fn take(&mut self, records: u64, example: impl FnOnce() -> Example) {
        self.records += records;
        if self.examples.len() < EXAMPLES {
            self.examples.push(example());
        }
    }
}

/// Counts of the records of a file.
///
/// `records = not_yet_judged + unjudged + page_missing + link_missing + contradictory + duplicates + found`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Account {
    /// Records read, without a header and blank lines.
    pub records: u64,
    /// Records without a class, in a table that is not filled in yet.
    pub not_yet_judged: Left,
    /// Records marked as not judged: a relevance below 0.
    pub unjudged: Left,
    /// Records whose page is not in the corpus, or is ambiguous.
    pub page_missing: Left,
    /// Records of two pages of the corpus without a link between them.
    pub link_missing: Left,
    /// All records of pairs that one judge put in different classes.
    pub contradictory: Left,
    /// Records of pairs that a later record judges again.
    pub duplicates: Left,
    /// Valid records: one for each judged link.
    pub found: u64,
}

impl Account {
    /// Returns the kinds that were left out, each with its name.
    pub fn left_out(&self) -> [(&'static str, &Left); 6] {
        [
            ("not yet judged", &self.not_yet_judged),
            ("unjudged", &self.unjudged),
            ("page missing", &self.page_missing),
            ("link missing", &self.link_missing),
            ("contradictory", &self.contradictory),
            ("judged again", &self.duplicates),
        ]
    }
}
