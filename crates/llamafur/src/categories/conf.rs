//! What a cleansing is asked to do.

use super::Settings;
use crate::corpus::CorpusError;
use crate::wikitext::Site;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::path::PathBuf;
use std::str::FromStr;

/// Why categories were not cleansed, or a cleansing not opened.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CleanseError {
    /// A setting is out of range.
    #[error("{setting} must be {rule}, got {got}")]
    Setting {
        /// Its name.
        setting: &'static str,
        /// What it must be.
        rule: &'static str,
        /// What it is.
        got: String,
    },
    /// No page carries a category.
    #[error(
        "no page carries a category: there is nothing to cleanse; import the graph with categories \
         (`--categories` for tables)"
    )]
    NoCategories,
    /// The tree was asked for and there is none.
    #[error(
        "{}: the corpus has no category tree, which {what} needs; import it with one \
         (`--category-tree` for tables), or leave that option out", path.display()
    )]
    NoTree {
        /// The corpus.
        path: PathBuf,
        /// What needs it.
        what: &'static str,
    },
    /// Every category was ruled out.
    #[error(
        "no category is left to be a milestone: {excluded} have excluded names, {small} too few pages; {way_out}"
    )]
    NothingLeft {
        /// Categories whose names are excluded.
        excluded: u64,
        /// Categories with too few pages.
        small: u64,
        /// What to do.
        way_out: &'static str,
    },
    /// So many pages cannot keep a category.
    #[error(
        "a coverage of {wanted}% cannot be reached: with every category a milestone, {reached:.2}% of the pages \
         keep one; ask for less, or for `all`"
    )]
    Coverage {
        /// Per cent asked for.
        wanted: f64,
        /// Per cent that all milestones together give.
        reached: f64,
    },
    /// There is no cleansing of that name.
    #[error("{}: no such cleansing{}; make it with `llamafur cleanse{}`", path.display(), others(there_are), option(name))]
    NotFound {
        /// Where it should be.
        path: PathBuf,
        /// Its name.
        name: String,
        /// The names of the cleansings that there are.
        there_are: Vec<String>,
    },
    /// There are several, none of them the default.
    #[error("{}: several cleansings ({}), none of them the default: choose one with --cleansing", path.display(), there_are.join(", "))]
    Several {
        /// The corpus.
        path: PathBuf,
        /// Their names.
        there_are: Vec<String>,
    },
    /// The cleansing is of another corpus.
    #[error("{}: made for another corpus: cleanse this one with `llamafur cleanse`", path.display())]
    OtherCorpus {
        /// The cleansing.
        path: PathBuf,
    },
    /// The cleansing was written in another version of the format.
    #[error(
        "{}: cleansing format {found}, but this program reads format {expected}: cleanse again, or use the \
         program that wrote it ({program})", path.display()
    )]
    Version {
        /// The file.
        path: PathBuf,
        /// The version found.
        found: u32,
        /// The version this program reads.
        expected: u32,
        /// The program that wrote it.
        program: String,
    },
    /// The name cannot be that of a file.
    #[error(
        "a cleansing's name must be up to 100 letters, digits, '-', '_' and '.', not begin with '.' and not be \
         “none”, got “{name}”"
    )]
    Name {
        /// The name.
        name: String,
    },
    /// HyperBall was asked for in vain.
    #[error("HyperBall needs a program that was built with the feature `hyperball`")]
    NoHyperBall,
    /// HyperBall failed.
    #[cfg(feature = "hyperball")]
    #[error(transparent)]
    HyperBall(#[from] super::hyperball::HyperBallError),
    /// A file is damaged, or the system refused.
    #[error(transparent)]
    File(#[from] CorpusError),
}

fn others(names: &[String]) -> String {
    if names.is_empty() { String::new() } else { format!(" (there are: {})", names.join(", ")) }
}

fn option(name: &str) -> String {
    if name == super::DEFAULT { String::new() } else { format!(" --name {name}") }
}

/// How many categories become milestones.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Goal {
    /// At most so many.
    Count(usize),
    /// All.
    All,
    /// The fewest with which this share of the pages that carry categories keeps one; above 0, at most 1.
    Coverage(f64),
}

impl Default for Goal {
    /// The paper's 20,000.
    fn default() -> Goal {
        Goal::Count(20_000)
    }
}

impl fmt::Display for Goal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Goal::Count(count) => write!(f, "{count}"),
            Goal::All => f.write_str("all"),
            Goal::Coverage(share) => write!(f, "{}%", share * 100.0),
        }
    }
}

impl FromStr for Goal {
    type Err = CleanseError;

    fn from_str(text: &str) -> Result<Goal, CleanseError> {
        let goal = match (text, text.strip_suffix('%')) {
            ("all", _) => Some(Goal::All),
            (_, Some(percent)) => {
                percent.trim_end().parse().ok().map(|percent: f64| Goal::Coverage(percent / 100.0))
            }
            _ => text.parse().ok().map(Goal::Count),
        };
        goal.filter(|goal| goal.is_sensible()).ok_or_else(|| Goal::error(text))
    }
}

impl Goal {
    fn is_sensible(self) -> bool {
        match self {
            Goal::Count(count) => count > 0,
            Goal::All => true,
            Goal::Coverage(share) => share > 0.0 && share <= 1.0,
        }
    }

    fn error(got: &str) -> CleanseError {
        let rule = "a number above 0, `all`, or a coverage such as 95%";
        CleanseError::Setting { setting: "milestones", rule, got: got.into() }
    }
}

/// What says which categories matter, and where the others go.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Basis {
    /// The category tree: the most central categories, and the nearest of them above.
    Tree,
    /// The pages that carry them: the most frequent categories, and the most similar of them.
    Pages,
}

impl Basis {
    /// Its name, as on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Basis::Tree => "tree",
            Basis::Pages => "pages",
        }
    }
}

impl FromStr for Basis {
    type Err = CleanseError;

    fn from_str(name: &str) -> Result<Basis, CleanseError> {
        [Basis::Tree, Basis::Pages].into_iter().find(|basis| basis.name() == name).ok_or_else(|| {
            CleanseError::Setting { setting: "basis", rule: "tree or pages", got: name.into() }
        })
    }
}

/// How harmonic centrality is computed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Centrality {
    /// Exactly.
    #[default]
    Exact,
    /// By HyperBall with counters of 2^`log2m` registers; needs the feature `hyperball`.
    HyperBall {
        /// The logarithm of the number of registers.
        log2m: u32,
    },
}

/// The settings of a cleansing.
///
/// ```
/// use llamafur::categories::{CleanseConf, Goal};
/// let conf = CleanseConf::default().goal("95%".parse()?).exclude(["stubs"]).ancestors(2);
/// # Ok::<(), llamafur::categories::CleanseError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Default)]
pub struct CleanseConf {
    pub(super) goal: Goal,
    pub(super) exclude: Option<Vec<String>>,
    pub(super) min_pages: Option<usize>,
    pub(super) ancestors: usize,
}

impl CleanseConf {
    /// What a cleansing was made with.
    ///
    /// # Errors
    /// If its goal cannot be read.
    pub fn of(settings: &Settings) -> Result<CleanseConf, CleanseError> {
        Ok(CleanseConf {
            goal: settings.goal.parse()?,
            exclude: Some(settings.exclude.clone()),
            min_pages: Some(settings.min_pages),
            ancestors: settings.ancestors,
        })
    }

    /// How many milestones. Default: 20,000, as in the paper.
    #[must_use]
    pub fn goal(mut self, goal: Goal) -> Self {
        self.goal = goal;
        self
    }

    /// Texts that a milestone's name must not contain, whatever the case. Default: the authors' list for wikis
    /// ([`default_exclude`]), none for other graphs. An empty text excludes nothing.
    #[must_use]
    pub fn exclude(mut self, texts: impl IntoIterator<Item = impl Into<String>>) -> Self {
        self.exclude =
            Some(texts.into_iter().map(Into::into).filter(|text: &String| !text.is_empty()).collect());
        self
    }

    /// Pages that a milestone must have in the end. Default: 0 with a tree, 2 without. A milestone with fewer
    /// passes its pages on to the next one above; without a tree, to the most similar one.
    #[must_use]
    pub fn min_pages(mut self, pages: usize) -> Self {
        self.min_pages = Some(pages);
        self
    }

    /// Levels of the tree above a page's milestones whose milestones it gets too, but for such as nearly all pages
    /// would get. Default: 0. Needs a tree.
    #[must_use]
    pub fn ancestors(mut self, levels: usize) -> Self {
        self.ancestors = levels;
        self
    }

    pub(super) fn check(&self) -> Result<(), CleanseError> {
        if self.goal.is_sensible() { Ok(()) } else { Err(Goal::error(&self.goal.to_string())) }
    }
}

/// What the authors' program drops by name; see [`default_exclude`].
const AUTHORS: [&str; 5] =
    ["wiki", "categories", "main topic classifications", "template", "navigational box"];

/// The texts that rule a category out unless others are asked for: none without a wiki; else the authors' list,
/// and in other languages than English the wiki's own words for its project pages, templates and categories.
pub fn default_exclude(site: Option<&Site>) -> Vec<String> {
    const PROJECT: i32 = 4;
    const TEMPLATE: i32 = 10;
    let Some(site) = site else { return Vec::new() };
    let mut texts: Vec<String> = AUTHORS.map(str::to_owned).into();
    if site.language != "en" {
        let own = site.namespaces.iter().filter(|namespace| {
            [PROJECT, TEMPLATE, crate::wikitext::CATEGORIES].contains(&namespace.key)
                && !namespace.name.is_empty()
        });
        for name in own.map(|namespace| crate::corpus::fold(&namespace.name)) {
            if !texts.iter().any(|text| name.contains(text.as_str())) {
                texts.push(name);
            }
        }
    }
    texts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn goals_are_read_as_they_are_written() {
        for text in ["20000", "all", "95%", "99.5%", "100%", "1"] {
            assert_eq!(text.parse::<Goal>().unwrap().to_string(), text);
        }
        for text in ["0", "-3", "0%", "101%", "NaN%", "every", "", "%", "1e3", "20,000"] {
            let message = text.parse::<Goal>().unwrap_err().to_string();
            assert!(message.contains("such as 95%") && message.ends_with(text), "{message}");
        }
    }

    #[test]
    fn a_wiki_in_another_language_brings_its_own_words() {
        assert!(default_exclude(None).is_empty());
        let mut site = Site::default();
        assert_eq!(default_exclude(Some(&site)), AUTHORS);
        site.language = "mhr".into();
        for namespace in &mut site.namespaces {
            match namespace.key {
                4 => namespace.name = "Википедий".into(),
                10 => namespace.name = "Кышкар".into(),
                14 => namespace.name = "Категорий".into(),
                _ => {}
            }
        }
        assert_eq!(default_exclude(Some(&site))[5..], ["википедий", "кышкар", "категорий"]);
    }
}
