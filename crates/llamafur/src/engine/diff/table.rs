//! The changes between two corpora as one table, a row for each.

use super::{CorpusDiff, PageChange, Recategorised};
use crate::engine::TopLink;

impl CorpusDiff {
    /// The columns of a table of changes.
    pub const COLUMNS: [&str; 6] = ["change", "page", "other", "score", "reason", "snippet"];

    /// Returns the changes as rows: three fields, the score, two fields. Fields are empty where there is no data.
    ///
    /// The change is `new-link`, `vanished-link`, `category-added`, `category-removed`, `moved`, `came` or `went`. The
    /// score of a link is its unexpectedness, that of a category the distance that the page moved; a link without a
    /// score has its note as reason.
    pub fn rows(&self) -> Vec<([String; 3], Option<f64>, [String; 2])> {
        let mut rows = Vec::new();
        for (change, links) in [("new-link", &self.new_links), ("vanished-link", &self.vanished_links)] {
            for TopLink { source, link } in links {
                let texts: Vec<&str> = link.reasons.iter().map(|reason| &reason.text[..]).collect();
                let reason = link.note.clone().unwrap_or_else(|| texts.join(" "));
                let snippet = link.snippet.clone().unwrap_or_default();
                let link_to = [change.to_owned(), source.clone(), link.target.clone()];
                rows.push((link_to, link.unexpectedness, [reason, snippet]));
            }
        }
        for Recategorised { page, distance, added, removed } in &self.recategorised {
            for (change, names) in [("category-added", added), ("category-removed", removed)] {
                let row =
                    |name: &String| ([change.to_owned(), page.clone(), name.clone()], *distance, no_texts());
                rows.extend(names.iter().map(row));
            }
        }
        for (change, pages) in [("moved", &self.moved), ("came", &self.came), ("went", &self.went)] {
            for PageChange { page, from, to, .. } in pages {
                let other = from.clone().or(to.clone()).unwrap_or_default();
                rows.push(([change.to_owned(), page.clone(), other], None, no_texts()));
            }
        }
        rows
    }
}

/// Returns an empty reason and an empty sentence.
fn no_texts() -> [String; 2] {
    Default::default()
}
