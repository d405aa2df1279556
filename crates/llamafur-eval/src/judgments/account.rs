//! What became of every record: used, or left out, and why.

use serde::Serialize;

/// So many records of each kind that was left out are kept as examples.
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
    /// Why it was left out.
    pub why: String,
}

/// Records that were left out for the same reason.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Left {
    /// How many there are.
    pub records: u64,
    /// The first few.
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

/// What became of the records of a file.
///
/// `records = not_yet_judged + unjudged + page_missing + link_missing + contradictory + duplicates + found`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Account {
    /// Records read, without a header and blank lines.
    pub records: u64,
    /// Records without a class, in a table that is still to be filled in.
    pub not_yet_judged: Left,
    /// Records that say that nobody judged the link: a relevance below 0.
    pub unjudged: Left,
    /// Records that name a page that the corpus has not, or has several of.
    pub page_missing: Left,
    /// Records of two pages that the corpus has, but not the link.
    pub link_missing: Left,
    /// All records of pairs that one judge put in different classes.
    pub contradictory: Left,
    /// Records of pairs that a later record judges again.
    pub duplicates: Left,
    /// Records that count: one for each judged link.
    pub found: u64,
}

impl Account {
    /// The kinds that were left out, each with its name.
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
