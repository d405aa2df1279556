//! Errors of the library: one type, as data, each error with its [`Remedy`].
//!
//! The text of an error says what is wrong: the place, what was found, what was expected. The way out is
//! [`Error::remedy`], which each interface words in its own way.

use crate::remedy::{Remedy, Step};
use std::borrow::Cow;
use std::io;
use std::path::{Path, PathBuf};

/// The reason why something could not be opened, read, written, learnt or scored.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The folder is no corpus.
    #[error("{}: not a corpus: {found}", path.display())]
    NotACorpus {
        /// The folder.
        path: PathBuf,
        /// The contents found instead.
        found: String,
    },
    /// A file was written in another version of its format.
    #[error("{}: {what} format {found}, but this program reads format {expected}; it was written by {program}", path.display())]
    Version {
        /// The file or folder.
        path: PathBuf,
        /// The kind of the file.
        what: Artifact,
        /// The version found.
        found: u32,
        /// The version this program reads.
        expected: u32,
        /// The program that wrote it.
        program: String,
    },
    /// A file does not hold what was written to it.
    #[error("{}: damaged: {found}, expected {expected}", path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// The contents found.
        found: String,
        /// The contents expected.
        expected: String,
    },
    /// Another program changed or cut a file, or it could not be read, after it was opened.
    #[error("{}: the file was changed or cut while it was read", path.display())]
    Changed {
        /// The file.
        path: PathBuf,
    },
    /// The corpus lacks something optional.
    #[error("{}: the corpus has no {what}", path.display())]
    Missing {
        /// The corpus.
        path: PathBuf,
        /// The missing data.
        what: Missing,
    },
    /// There is no model, cleansing or word list of that name.
    #[error("{}: no such {what}{}", path.display(), others(there_are))]
    NotFound {
        /// The kind of artifact.
        what: Artifact,
        /// The path where it should be.
        path: PathBuf,
        /// Its name.
        name: String,
        /// The names of the existing ones.
        there_are: Vec<String>,
    },
    /// A model, cleansing or word list was made for another corpus.
    #[error(
        "{}: the {what} {} made for another corpus",
        path.display(),
        if matches!(what, Artifact::Vectors | Artifact::Words) { "were" } else { "was" }
    )]
    OtherCorpus {
        /// The kind of artifact.
        what: Artifact,
        /// The file.
        path: PathBuf,
    },
    /// A model was trained on a cleansing that has changed since.
    #[error("{}: the model was trained on another version of the cleansing “{cleansing}”", path.display())]
    OtherCleansing {
        /// The model.
        path: PathBuf,
        /// The name of the cleansing.
        cleansing: String,
    },
    /// A model was trained on words that were counted with other settings.
    #[error("{}: the model was trained on words that were counted with other settings", path.display())]
    OtherWords {
        /// The model.
        path: PathBuf,
    },
    /// The cleansing that a model was trained on cannot be opened.
    #[error("{}: the cleansing that the model was trained on: {cause}", path.display())]
    Cleansing {
        /// The model.
        path: PathBuf,
        /// The cleansing's error. Not the error's source: it is in the message already.
        cause: Box<Error>,
    },
    /// There are several cleansings, none of them the default.
    #[error("{}: several cleansings ({}), none of them the default", path.display(), there_are.join(", "))]
    SeveralCleansings {
        /// The corpus.
        path: PathBuf,
        /// Their names.
        there_are: Vec<String>,
    },
    /// The place to write to cannot be used.
    #[error("{}: {found}", path.display())]
    Place {
        /// The place.
        path: PathBuf,
        /// The problem with the place.
        found: &'static str,
        /// The way out.
        remedy: Remedy,
    },
    /// A folder that would be replaced has files that this program did not write.
    #[error("{}: {found}{}", path.display(), named(files, *more))]
    NotOurs {
        /// The folder.
        path: PathBuf,
        /// The problem with the folder.
        found: &'static str,
        /// The first of the files, by their paths in the folder; a folder's ends with a slash.
        files: Vec<String>,
        /// Number of further files.
        more: usize,
        /// The way out.
        remedy: Remedy,
    },
    /// Files that rankings need could not be written beside the corpus.
    #[error("{}: what rankings need cannot be kept in this folder: {cause}", path.display())]
    NotKept {
        /// The corpus.
        path: PathBuf,
        /// The reason. Not the error's source: it is in the message already.
        cause: String,
    },
    /// Data handed over for writing breaks a rule of the format.
    #[error("cannot write {what}: {rule}")]
    Invalid {
        /// The column.
        what: &'static str,
        /// The rule it breaks.
        rule: String,
    },
    /// The operating system reported an error.
    #[error("{}: {cause}", path.display())]
    Io {
        /// The file or folder.
        path: PathBuf,
        /// The system's error. Not the error's source: it is in the message already.
        cause: io::Error,
    },
    /// A setting is out of range.
    #[error("{} must be {rule}, got {got}", setting.replace('_', "-"))]
    Setting {
        /// Its name.
        setting: &'static str,
        /// The rule for its value.
        rule: String,
        /// Its value.
        got: String,
    },
    /// The name cannot be that of a file.
    #[error(
        "the name of {}{what} must be 1 to 100 letters, digits, '-', '_' or '.', and must not {}, got “{name}”",
        if *what == Artifact::Vectors { "" } else { "a " },
        if *what == Artifact::Cleansing { "begin with '.' or be “none”" } else { "begin with '.'" }
    )]
    Name {
        /// The kind of artifact.
        what: Artifact,
        /// The name.
        name: String,
    },
    /// There is no link.
    #[error("the graph has no links: there is nothing to learn from")]
    NoLinks,
    /// No page carries a category.
    #[error("no page carries a category: there is nothing to learn from")]
    NoCategories,
    /// A fold would have no link.
    #[error("too few links for {folds} folds: there are {links}, and one fold would have none")]
    TooFewLinksForFolds {
        /// Number of folds.
        folds: u32,
        /// Number of links.
        links: usize,
    },
    /// Training cannot continue from the model.
    #[error("training cannot continue from the model “{model}”: {why}")]
    Start {
        /// Its name.
        model: String,
        /// The reason.
        why: String,
        /// The way out.
        remedy: Option<Remedy>,
    },
    /// The model has a sparse matrix, as older versions made where a dense one did not fit into memory.
    #[error("{}: a model with a sparse matrix, which is no longer read", path.display())]
    SparseModel {
        /// The model.
        path: PathBuf,
    },
    /// The matrix is too large for this machine.
    #[error(
        "learning a {form} matrix over {num_categories} categories by {method} takes {} of memory, and {} are free",
        human_bytes(*needed), human_bytes(*free)
    )]
    Memory {
        /// The learner.
        method: &'static str,
        /// Dense or factored.
        form: &'static str,
        /// Categories on either side.
        num_categories: usize,
        /// Bytes that learning takes.
        needed: u64,
        /// Bytes that are free.
        free: u64,
        /// The way out.
        remedy: Remedy,
    },
    /// The threads cannot be started.
    #[error("cannot start the threads: {0}")]
    Threads(#[from] rayon::ThreadPoolBuildError),
    /// Every category was ruled out.
    #[error("no category is left to be a milestone: {excluded} have excluded names, {small} too few pages")]
    NoMilestones {
        /// Categories whose names are excluded.
        excluded: u64,
        /// Categories with too few pages.
        small: u64,
    },
    /// Too few pages can keep a category.
    #[error(
        "a coverage of {wanted}% cannot be reached: with every category a milestone, {reached:.2}% of the pages keep one"
    )]
    Coverage {
        /// Per cent asked for.
        wanted: f64,
        /// Per cent that all milestones together give.
        reached: f64,
    },
    /// There is no scorer of that name.
    #[error("there is no scorer “{name}”: there are {}", and(there_are))]
    UnknownScorer {
        /// The name.
        name: String,
        /// The names of the existing ones.
        there_are: Vec<String>,
    },
    /// Two corpora that should be of one wiki are of different ones.
    #[error("the older corpus is of {old}, the newer one of {new}")]
    OtherWiki {
        /// The older corpus's wiki.
        old: String,
        /// The newer corpus's wiki.
        new: String,
    },
    /// A setting was given to a scorer that does not use it.
    #[error("the scorer {scorer} does not use the setting “{setting}”")]
    UnusedSetting {
        /// The scorer.
        scorer: String,
        /// The setting, in snake case.
        setting: &'static str,
    },
    /// The model has no cosine.
    #[error("the cosine needs a factored matrix, and the model “{model}” was learnt by {method}")]
    NoCosine {
        /// The model.
        model: String,
        /// The method that learnt it.
        method: &'static str,
    },
    /// There is no page or category of that name.
    #[error("{}", not_named(*what, asked, similar))]
    NotNamed {
        /// The kind of name.
        what: Named,
        /// The name asked for.
        asked: String,
        /// The most similar names, the best first.
        similar: Vec<String>,
    },
    /// Several pages or categories have names that differ from the one asked for only in case or spacing.
    #[error("several {what} names match “{}”: {}", shortened(asked), quoted(matching))]
    Ambiguous {
        /// The kind of name.
        what: Named,
        /// The name asked for.
        asked: String,
        /// The names that match.
        matching: Vec<String>,
    },
    /// A scorer that is not of this library failed.
    #[error("the scorer “{name}” failed: {cause}")]
    Scorer {
        /// Its name.
        name: String,
        /// The text of its error.
        cause: String,
    },
    /// A text cannot be read as a page.
    #[error("the draft “{}” {found}", shortened(title))]
    Draft {
        /// The title of the page.
        title: String,
        /// The problem with the text.
        found: String,
        /// The way out.
        remedy: Remedy,
    },
    /// The cleansing dropped the category.
    #[error("the cleansing dropped the category “{}”", shortened(name))]
    DroppedCategory {
        /// Its name.
        name: String,
    },
    /// An [`Interrupt`](crate::interrupt::Interrupt) ended the work.
    #[error("the work was stopped")]
    Stopped,
}

/// Something that is made from a corpus and kept beside it, or the corpus itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Artifact {
    /// The corpus.
    Corpus,
    /// A model.
    Model,
    /// A cleansing.
    Cleansing,
    /// The word counts.
    Words,
    /// Vectors of pages.
    Vectors,
    /// Means and deviations of scores.
    Standards,
    /// A file that rankings need, made of the others.
    Prepared,
}

/// Something optional that a corpus may lack.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Missing {
    /// Texts of the pages.
    Text,
    /// Texts that are wikitext, so that the place of a link is known.
    Wikitext,
    /// A term that enough pages have.
    Terms {
        /// Smallest number of pages that a term must be in.
        min_pages: usize,
    },
    /// A term that enough pages have, but not too many, so that it tells something about them.
    TellingTerms {
        /// Smallest number of pages that a term must be in.
        min_pages: usize,
    },
    /// Links between the pages.
    Links,
    /// Categories of the pages.
    Categories,
    /// A category tree.
    CategoryTree,
    /// The list of stop words that its words were counted without.
    StopWords,
    /// A matrix over something in its model.
    MatrixOver(&'static str),
    /// A model whose matrix is factored, so that pages have vectors.
    FactoredMatrix,
}

/// Something that has a name in a corpus.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Named {
    /// A page.
    Page,
    /// A category.
    Category,
}

macro_rules! display {
    ($type:ty, $self:ident, $text:expr) => {
        impl std::fmt::Display for $type {
            fn fmt(&$self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(&$text)
            }
        }
    };
}

display!(
    Artifact,
    self,
    match self {
        Artifact::Corpus => "corpus",
        Artifact::Model => "model",
        Artifact::Cleansing => "cleansing",
        Artifact::Words => "words",
        Artifact::Vectors => "vectors",
        Artifact::Standards => "standards",
        Artifact::Prepared => "prepared file",
    }
);
display!(
    Missing,
    self,
    match self {
        Missing::Text => "text".into(),
        Missing::Wikitext => "wikitext, which says where a link is".into(),
        Missing::Terms { min_pages } => format!("term that occurs in {min_pages} pages or more"),
        Missing::TellingTerms { min_pages } => {
            format!("term that occurs in {min_pages} pages or more, but in a fifth of all at most")
        }
        Missing::Links => "links".into(),
        Missing::Categories => "categories".into(),
        Missing::CategoryTree => "category tree".to_owned(),
        Missing::StopWords => "list of the stop words that its words were counted without".into(),
        Missing::MatrixOver(what) => format!("matrix over {what} in its model"),
        Missing::FactoredMatrix => "model with a factored matrix".to_owned(),
    }
);
display!(
    Named,
    self,
    match self {
        Named::Page => "page",
        Named::Category => "category",
    }
);

impl Error {
    /// Turns an I/O error at `path` into this error, for `map_err`.
    pub fn io(path: impl Into<PathBuf>) -> impl FnOnce(io::Error) -> Error {
        let path = path.into();
        move |cause| Error::Io { path, cause }
    }

    /// Creates an error for a damaged file: what was found and what was expected.
    pub(crate) fn damaged(
        path: impl Into<PathBuf>,
        found: impl Into<String>,
        expected: impl Into<String>,
    ) -> Error {
        Error::Damaged { path: path.into(), found: found.into(), expected: expected.into() }
    }

    /// Creates an error for a setting that is out of range.
    pub fn setting(setting: &'static str, rule: impl Into<String>, got: impl ToString) -> Error {
        Error::Setting { setting, rule: rule.into(), got: got.to_string() }
    }

    /// Moves the error of a file that is being written under `temporary` to its future path under `home`.
    pub(crate) fn at_home(self, temporary: &Path, home: &Path) -> Error {
        match self {
            Error::Io { path, cause } => match path.strip_prefix(temporary) {
                Ok(name) => Error::Io { path: home.join(name), cause },
                Err(_) => Error::Io { path, cause },
            },
            other => other,
        }
    }

    /// Adds names of scorers to the existing ones in the message.
    pub(crate) fn with_names<'n>(mut self, names: impl Iterator<Item = &'n str>) -> Error {
        if let Error::UnknownScorer { there_are, .. } = &mut self {
            there_are.extend(names.map(str::to_owned));
        }
        self
    }

    /// Returns whether nothing is damaged and the corpus only lacks the requested data: a model, a text, categories.
    pub fn is_lack(&self) -> bool {
        matches!(self, Error::NotFound { .. } | Error::Missing { .. } | Error::NoCategories)
    }

    /// Returns a way out for the user; `None` where the text says it all.
    pub fn remedy(&self) -> Option<Remedy> {
        let another_program = || Remedy::advice("use the program that wrote it");
        Some(match self {
            Error::NotACorpus { .. } => Remedy::run(Step::Import),
            Error::Version { what, .. } => Remedy::either([make_again(*what, None), another_program()]),
            Error::Damaged { path, .. } => remedy_of_damage(path),
            Error::Changed { .. } => Remedy::advice(
                "open the corpus again once it is whole; replace the folder of a corpus in one step, not file by file",
            ),
            Error::Missing { what, .. } => remedy_of_lack(*what),
            Error::NotFound { what, name, .. } => make_again(*what, Some(name)),
            Error::OtherCorpus { what, .. } => make_again(*what, None),
            Error::OtherCleansing { .. } | Error::OtherWords { .. } => Remedy::run(Step::Train),
            Error::SparseModel { .. } => Remedy::either([
                Remedy::run_with(Step::Train, "method", "factored"),
                Remedy::run(Step::Cleanse),
                another_program(),
            ]),
            Error::Cleansing { cause, .. } => return cause.remedy(),
            Error::SeveralCleansings { there_are, .. } => {
                Remedy::Set { setting: "cleansing", to: there_are.clone() }
            }
            Error::Place { remedy, .. }
            | Error::NotOurs { remedy, .. }
            | Error::Memory { remedy, .. }
            | Error::Draft { remedy, .. } => remedy.clone(),
            Error::NotKept { .. } => Remedy::advice("make the folder writable, and make space on its disk"),
            Error::Start { remedy, .. } => return remedy.clone(),
            Error::NoCategories => remedy_of_lack(Missing::Categories),
            Error::TooFewLinksForFolds { .. } => Remedy::Lower { setting: "folds" },
            Error::NoMilestones { small: 0, .. } => Remedy::Omit { setting: "exclude" },
            Error::NoMilestones { .. } => Remedy::Lower { setting: "min_pages" },
            Error::Coverage { .. } => {
                Remedy::either([Remedy::Lower { setting: "milestones" }, Remedy::set("milestones", "all")])
            }
            Error::UnusedSetting { setting, .. } => Remedy::Omit { setting },
            Error::NoCosine { .. } => {
                Remedy::Set { setting: "normalise", to: ["sum", "mean", "sqrt"].map(str::to_owned).into() }
            }
            Error::OtherWiki { .. } => Remedy::advice("compare two corpora of the same wiki"),
            Error::Ambiguous { .. } => Remedy::advice("give one of them exactly"),
            Error::DroppedCategory { .. } => Remedy::run_with(Step::Train, "cleansing", "none"),
            _ => return None,
        })
    }
}

/// Returns the remedy that makes something (again).
fn make_again(what: Artifact, name: Option<&str>) -> Remedy {
    match (what, name) {
        (Artifact::Corpus, _) => Remedy::run(Step::Import),
        (Artifact::Words, _) => Remedy::run(Step::Words),
        (Artifact::Standards | Artifact::Prepared, _) => remove_the_file(),
        (Artifact::Vectors, name) => Remedy::run_with(Step::AddVectors, "name", name.unwrap_or_default()),
        (Artifact::Model, Some("naive")) => Remedy::run_with(Step::Train, "method", "naive"),
        (Artifact::Model, Some("llamafur") | None) => Remedy::run(Step::Train),
        (Artifact::Model, Some(name)) => Remedy::run_with(Step::Train, "name", name),
        (Artifact::Cleansing, Some("default") | None) => Remedy::run(Step::Cleanse),
        (Artifact::Cleansing, Some(name)) => Remedy::run_with(Step::Cleanse, "name", name),
    }
}

fn remedy_of_lack(what: Missing) -> Remedy {
    match what {
        Missing::Text => Remedy::run_with(Step::Import, "text", ""),
        Missing::Wikitext => Remedy::run(Step::ImportWiki),
        Missing::Links => Remedy::run(Step::Import),
        Missing::Terms { min_pages } | Missing::TellingTerms { min_pages } => {
            let fewer = if min_pages > 2 { "2" } else { "1" };
            Remedy::run_with(Step::Words, "min_pages", fewer)
        }
        Missing::StopWords => Remedy::run(Step::Words),
        Missing::Categories => Remedy::run_with(Step::Import, "categories", ""),
        Missing::CategoryTree => Remedy::run_with(Step::Import, "category_tree", ""),
        Missing::MatrixOver(_) | Missing::FactoredMatrix => Remedy::run(Step::Train),
    }
}

fn remove_the_file() -> Remedy {
    Remedy::advice("remove the file: it is made again when it is needed")
}

fn remedy_of_damage(path: &Path) -> Remedy {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let is_in = |name| path.parent().is_some_and(|folder| folder.ends_with(name));
    let make_again = if name.starts_with("words") || name == "standards.json" || is_in("prepared") {
        return remove_the_file();
    } else if is_in("vectors") {
        make_again(Artifact::Vectors, path.file_stem().and_then(|name| name.to_str()))
    } else if name.ends_with(".safetensors") {
        Remedy::run(Step::Train)
    } else if name.starts_with("milestones") {
        Remedy::run(Step::Cleanse)
    } else {
        Remedy::run(Step::Import)
    };
    Remedy::either([Remedy::advice("restore the file from a copy"), make_again])
}

fn others(names: &[String]) -> String {
    if names.is_empty() { String::new() } else { format!(" (there are: {})", names.join(", ")) }
}

/// Joins names: `a, b and c`.
fn and(names: &[String]) -> String {
    match names.split_last() {
        Some((last, rest)) if !rest.is_empty() => format!("{} and {last}", rest.join(", ")),
        _ => names.concat(),
    }
}

/// Lists files: `: a, b and 3 more`.
fn named(files: &[String], more: usize) -> String {
    match (files.is_empty(), more) {
        (true, _) => String::new(),
        (_, 0) => format!(": {}", files.join(", ")),
        _ => format!(": {} and {more} more", files.join(", ")),
    }
}

fn quoted(names: &[String]) -> String {
    let some = names.iter().take(MOST_QUOTED).map(|name| format!("“{}”", shortened(name)));
    let more = (names.len() > MOST_QUOTED).then(|| format!("{} more", names.len() - MOST_QUOTED));
    some.chain(more).collect::<Vec<_>>().join(", ")
}

/// Largest number of names that a message lists.
const MOST_QUOTED: usize = 20;

/// Largest number of characters of a name that a message quotes.
const LONGEST_QUOTED: usize = 100;

/// Returns a name for a quotation in a message: a long one is cut, with an ellipsis.
pub(crate) fn shortened(name: &str) -> Cow<'_, str> {
    match name.char_indices().nth(LONGEST_QUOTED) {
        None => name.into(),
        Some((end, _)) => format!("{}…", &name[..end]).into(),
    }
}

fn not_named(what: Named, asked: &str, similar: &[String]) -> String {
    match similar {
        [] => format!("no {what} “{}”, nor one with a similar name", shortened(asked)),
        similar => format!("no {what} “{}”; did you mean {}?", shortened(asked), quoted(similar)),
    }
}

/// Formats a number of bytes: `1.6 GB`.
pub fn human_bytes(bytes: u64) -> String {
    let mut value = bytes as f64;
    for unit in ["bytes", "kB", "MB", "GB"] {
        if value < 999.95 {
            return if unit == "bytes" { format!("{bytes} bytes") } else { format!("{value:.1} {unit}") };
        }
        value /= 1000.0;
    }
    format!("{value:.1} TB")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_have_the_unit_that_people_use() {
        let said = [0, 999, 1000, 1_600_000_000, 40_000_000_000, 5_000_000_000_000].map(human_bytes);
        assert_eq!(said, ["0 bytes", "999 bytes", "1.0 kB", "1.6 GB", "40.0 GB", "5.0 TB"]);
    }

    #[test]
    fn every_damaged_file_has_a_way_to_make_it_again() {
        let remedy = |path: &str| Error::damaged(path, "x", "y").remedy().unwrap();
        for path in ["a.corpus/words.arrow", "a.corpus/prepared/places.arrow"] {
            let json = serde_json::to_string(&remedy(path)).unwrap();
            assert!(json.contains("remove the file"), "{json}");
        }
        for (path, step) in
            [("models/a.safetensors", "train"), ("milestones.arrow", "cleanse"), ("pages.arrow", "import")]
        {
            let json = serde_json::to_string(&remedy(path)).unwrap();
            assert!(json.contains("restore") && json.contains(step), "{json}");
        }
    }
}
