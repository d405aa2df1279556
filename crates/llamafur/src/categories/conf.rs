//! Settings of a cleansing.

use super::Settings;
use crate::Error;
use crate::text::wikitext::Site;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;

/// The number of categories that become milestones.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Goal {
    /// At most this many.
    Count(usize),
    /// All categories.
    All,
    /// The fewest with which this share of the pages that carry categories keeps one; above 0, at most 1.
    Coverage(f64),
}

impl Default for Goal {
    /// Returns the paper's 20,000.
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
    type Err = Error;

    fn from_str(text: &str) -> Result<Goal, Error> {
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

    fn error(got: &str) -> Error {
        let rule = "a number above 0, `all`, or a coverage such as 95%";
        Error::setting("milestones", rule, got)
    }
}

/// The basis of a cleansing: it ranks the categories, and finds milestones for the others.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Basis {
    /// The category tree: the most central categories, and the nearest of them above.
    Tree,
    /// The pages that carry them: the most frequent categories, and the most similar of them.
    Pages,
}

names! {
    Basis "basis" {
        Tree = "tree",
        Pages = "pages",
    }
}

/// The settings of a cleansing.
///
/// ```
/// use llamafur::categories::{CleanseConf, Goal};
/// let conf = CleanseConf::default().goal("95%".parse()?).exclude(["stubs"]).ancestors(2);
/// # Ok::<(), llamafur::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Default)]
pub struct CleanseConf {
    pub(super) goal: Goal,
    pub(super) exclude: Option<Vec<String>>,
    pub(super) min_pages: Option<usize>,
    pub(super) ancestors: usize,
}

impl CleanseConf {
    /// Returns the settings that a cleansing was made with.
    ///
    /// # Errors
    /// If its goal cannot be read.
    pub fn of(settings: &Settings) -> Result<CleanseConf, Error> {
        Ok(CleanseConf {
            goal: settings.goal.parse()?,
            exclude: Some(settings.exclude.clone()),
            min_pages: Some(settings.min_pages),
            ancestors: settings.ancestors,
        })
    }

    setters! {
        /// Number of milestones. Default: 20,000, as in the paper.
        goal: Goal,
    }

    /// Texts that a milestone's name must not contain, whatever the case. Default: the authors' list for wikis,
    /// none for other graphs. An empty text excludes nothing.
    #[must_use]
    pub fn exclude(mut self, texts: impl IntoIterator<Item = impl Into<String>>) -> Self {
        self.exclude =
            Some(texts.into_iter().map(Into::into).filter(|text: &String| !text.is_empty()).collect());
        self
    }

    setters! {
        /// Pages that a milestone must have in the end. Default: 0 with a tree, 2 without. A milestone with fewer
        /// passes its pages on to the next one above; without a tree, to the most similar one.
        min_pages: usize => Some(min_pages),
        /// Levels of the tree above a page's milestones whose milestones it gets too, but for such as nearly all pages
        /// would get. Default: 0. Needs a tree.
        ancestors: usize,
    }

    pub(super) fn check(&self) -> Result<(), Error> {
        if self.goal.is_sensible() { Ok(()) } else { Err(Goal::error(&self.goal.to_string())) }
    }
}

/// Texts by which the authors' program drops categories; see `default_exclude`.
const AUTHORS: [&str; 5] =
    ["wiki", "categories", "main topic classifications", "template", "navigational box"];

/// Returns the texts that exclude a category by default: none without a wiki; else the authors' list and the wiki's
/// name for its own pages, and in other languages than English the wiki's words for users, templates and categories.
pub(super) fn default_exclude(site: Option<&Site>) -> Vec<String> {
    let Some(site) = site else { return Vec::new() };
    let mut texts: Vec<String> = AUTHORS.map(str::to_owned).into();
    for name in site.housekeeping_words().iter().map(|name| crate::corpus::fold(name)) {
        if !texts.iter().any(|text| name.contains(text.as_str())) {
            texts.push(name);
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
        assert_eq!(default_exclude(Some(&site))[5..], ["википедий", "user", "кышкар", "категорий"]);
    }

    #[test]
    fn a_wiki_brings_its_name_and_words_that_its_dump_does_not_say() {
        let site = Site { name: "Memory Alpha".into(), namespaces: Vec::new(), ..Site::default() };
        assert_eq!(default_exclude(Some(&site))[5..], ["memory alpha"]);
        let site = Site {
            name: "Wikipedia".into(),
            language: "de".into(),
            namespaces: Vec::new(),
            ..Site::default()
        };
        assert_eq!(default_exclude(Some(&site))[5..], ["benutzer", "vorlage", "kategorie"]);
    }
}
