//! Names of files and anchors, and the numbers of tables and figures.

use super::{Block, HtmlReport};
use std::collections::BTreeSet;

/// The longest name of a file, without its extension.
const LONGEST: usize = 60;

/// Converts a name to one for files and URLs: lowercase ASCII letters, digits and hyphens.
///
/// ```
/// use llamafur_eval::report::slug;
/// assert_eq!(slug("Boxes: llamafur:enwiki-paper+aa"), "boxes-llamafur-enwiki-paper-aa");
/// assert_eq!(slug("../惑星"), "unnamed");
/// ```
pub fn slug(name: &str) -> String {
    let letters = name.chars().map(|c| if c.is_ascii_alphanumeric() { c.to_ascii_lowercase() } else { '-' });
    let letters: String = letters.collect();
    let words: Vec<&str> = letters.split('-').filter(|word| !word.is_empty()).collect();
    let mut slug = words.join("-");
    slug.truncate(LONGEST);
    let slug = slug.trim_end_matches('-');
    if slug.is_empty() { "unnamed".to_owned() } else { slug.to_owned() }
}

/// The names given so far: a repeated one gets a number.
#[derive(Default)]
pub(super) struct Unique(BTreeSet<String>);

impl Unique {
    pub(super) fn name(&mut self, wanted: &str) -> String {
        let wanted = slug(wanted);
        let numbered = (2..).map(|number| format!("{wanted}-{number}"));
        let free = std::iter::once(wanted.clone()).chain(numbered).find(|name| !self.0.contains(name));
        let name = free.unwrap_or(wanted);
        self.0.insert(name.clone());
        name
    }
}

/// The names of the sections, tables and figures of a report, in their order.
#[derive(Default)]
pub(super) struct Names {
    pub(super) sections: Vec<String>,
    pub(super) tables: Vec<String>,
    pub(super) figures: Vec<String>,
}

impl Names {
    pub(super) fn of(report: &HtmlReport) -> Names {
        let mut names = Names::default();
        let (mut sections, mut tables, mut figures) =
            (Unique::default(), Unique::default(), Unique::default());
        for section in &report.sections {
            names.sections.push(sections.name(&section.heading));
            for block in &section.blocks {
                match block {
                    Block::Table(table) => names.tables.push(tables.name(&table.name)),
                    Block::Figure(figure) => names.figures.push(figures.name(&figure.name)),
                    _ => {}
                }
            }
        }
        names
    }

    /// Returns the number of the first table with this name, and its name in the document.
    pub(super) fn table(&self, name: &str) -> Option<(usize, &str)> {
        let name = slug(name);
        let place = self.tables.iter().position(|table| *table == name)?;
        Some((place + 1, &self.tables[place]))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_name_is_given_twice() {
        let mut names = Unique::default();
        let given = ["a+b", "a-b", "a b", "a-b-2", "惑星", "月"].map(|name| names.name(name));
        assert_eq!(given, ["a-b", "a-b-2", "a-b-3", "a-b-2-2", "unnamed", "unnamed-2"]);
    }

    #[test]
    fn no_name_leads_elsewhere() {
        for name in ["../../etc/passwd", "a/b", "C:\\x", "\0", "</script>", &"long ".repeat(50)] {
            let slug = slug(name);
            assert!(
                slug.len() <= LONGEST && slug.chars().all(|c| c.is_ascii_alphanumeric() || c == '-'),
                "{slug}"
            );
        }
    }
}
