//! The encyclopedia as the dump of a wiki: the form in which real encyclopedias come.

use super::Encyclopedia;
use crate::draw::xml as escape;
use llamafur::wikitext::Site;
use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, Write};

const ARTICLE: u32 = 0;
const CATEGORY: u32 = 14;

impl Encyclopedia {
    /// Writes the encyclopedia as MediaWiki would export it: articles, their redirects, and categories.
    ///
    /// # Errors
    /// If `out` cannot be written.
    pub fn write_dump(&self, out: &mut dyn Write) -> io::Result<()> {
        write_head(out)?;
        let mut ids = 1..;
        let mut write = |namespace: u32, title: &str, redirect: Option<&str>, text: &str| {
            let id: u32 = ids.next().unwrap_or_default();
            let prefix = if namespace == CATEGORY { "Category:" } else { "" };
            writeln!(
                out,
                "  <page>\n    <title>{prefix}{}</title>\n    <ns>{namespace}</ns>",
                escape(title)
            )?;
            writeln!(out, "    <id>{id}</id>")?;
            if let Some(target) = redirect {
                writeln!(out, "    <redirect title=\"{}\" />", escape(target))?;
            }
            writeln!(out, "    <revision>\n      <id>{id}</id>\n      <model>wikitext</model>")?;
            let bytes = text.len();
            writeln!(out, "      <text bytes=\"{bytes}\" xml:space=\"preserve\">{}</text>", escape(text))?;
            writeln!(out, "    </revision>\n  </page>")
        };
        for page in &self.pages {
            let text = format!("{}\n\n{}", page.wikitext, filed_under(&page.categories));
            write(ARTICLE, &page.title, None, &text)?;
        }
        for (title, target) in self.redirects() {
            write(ARTICLE, title, Some(target), &format!("#REDIRECT [[{target}]]"))?;
        }
        for (category, parents) in self.categories() {
            write(CATEGORY, category, None, &filed_under(&parents))?;
        }
        writeln!(out, "</mediawiki>")
    }

    /// Titles without the brackets that tell pages of one name apart, where just one page has the name.
    pub fn redirects(&self) -> BTreeMap<&str, &str> {
        let mut meant: BTreeMap<&str, Option<&str>> = BTreeMap::new();
        for page in &self.pages {
            match page.title.split_once(" (") {
                Some((name, _)) => {
                    meant.entry(name).and_modify(|page| *page = None).or_insert(Some(page.title.as_str()));
                }
                None => {
                    meant.insert(&page.title, None);
                }
            }
        }
        let pages: BTreeSet<&str> = self.pages.iter().map(|page| page.title.as_str()).collect();
        meant
            .into_iter()
            .filter(|(name, _)| !pages.contains(name))
            .filter_map(|(name, page)| Some((name, page?)))
            .collect()
    }

    /// All categories with their parents.
    fn categories(&self) -> BTreeMap<&str, Vec<&str>> {
        let carried = self.pages.iter().flat_map(|page| &page.categories);
        let mut parents: BTreeMap<&str, Vec<&str>> =
            carried.map(|name| (name.as_str(), Vec::new())).collect();
        for (child, parent) in &self.category_tree {
            parents.entry(parent).or_default();
            parents.entry(child).or_default().push(parent);
        }
        parents
    }
}

fn write_head(out: &mut dyn Write) -> io::Result<()> {
    writeln!(
        out,
        "<mediawiki xmlns=\"http://www.mediawiki.org/xml/export-0.11/\" version=\"0.11\" xml:lang=\"en\">\n  \
         <siteinfo>\n    <sitename>LlamaFur's demo</sitename>\n    <dbname>demowiki</dbname>\n    \
         <case>first-letter</case>\n    <namespaces>"
    )?;
    for namespace in Site::default().namespaces {
        let (key, name) = (namespace.key, escape(&namespace.name));
        writeln!(out, "      <namespace key=\"{key}\" case=\"first-letter\">{name}</namespace>")?;
    }
    writeln!(out, "    </namespaces>\n  </siteinfo>")
}

fn filed_under<S: AsRef<str>>(categories: &[S]) -> String {
    let lines = categories.iter().map(|category| format!("[[Category:{}]]", category.as_ref()));
    lines.collect::<Vec<_>>().join("\n")
}
