//! The encyclopedia as the dump of a wiki: the form in which real encyclopedias come.

use super::Encyclopedia;
use llamafur::text::wikitext::Site;
use llamafur_figures::xml as escape;
use std::collections::BTreeMap;
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

    /// Shorter names of pages, where just one page has the name: without the brackets that tell pages apart, the
    /// article of a band, the word *language*.
    pub fn redirects(&self) -> BTreeMap<&str, &str> {
        let mut meant: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
        for title in self.pages.iter().map(|page| page.title.as_str()) {
            // The page's own title counts, too: a redirect must not stand in its place.
            meant.entry(title).or_default().push(title);
            let shorter = [
                title.split_once(" (").map(|(name, _)| name),
                title.strip_prefix("The "),
                title.strip_suffix(" language"),
            ];
            shorter.into_iter().flatten().for_each(|name| meant.entry(name).or_default().push(title));
        }
        let meant = meant.into_iter().filter_map(|(name, titles)| match titles[..] {
            [title] if title != name => Some((name, title)),
            _ => None,
        });
        meant.collect()
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
