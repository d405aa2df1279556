//! The files of an evaluation's report, as they are.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// The reports of the corpora.
#[derive(Debug, Default)]
pub(crate) struct Reports {
    /// The folder that was given for the first corpus.
    of_first: Option<PathBuf>,
    first: String,
}

/// The list of a report's own files, one a line.
const LIST: &str = "files.txt";

impl Reports {
    pub(crate) fn new(of_first: Option<PathBuf>, first: &str) -> Reports {
        Reports { of_first, first: first.to_owned() }
    }

    /// The folder of a corpus's report, if there is one.
    pub(crate) fn folder(&self, corpus: &str, path: &Path) -> Option<PathBuf> {
        let given = self.of_first.clone().filter(|_| corpus == self.first);
        let folder = given.unwrap_or_else(|| path.join("report"));
        is_one(&folder).then_some(folder)
    }
}

/// Whether a report is in the folder.
pub(crate) fn is_one(folder: &Path) -> bool {
    folder.join(LIST).is_file()
}

/// The file of a report by its name, if it is one: nothing else in the folder can be read.
pub(crate) fn file(folder: &Path, name: &str) -> Option<PathBuf> {
    let name = if name.is_empty() { "index.html" } else { name };
    let list = std::fs::read_to_string(folder.join(LIST)).ok()?;
    let own: BTreeSet<&str> = list.lines().collect();
    let is_plain =
        !name.split('/').any(|part| part.is_empty() || part.starts_with('.')) && !name.contains('\\');
    (is_plain && own.contains(name)).then(|| folder.join(name))
}
