//! Running text: words, some of them code, emphasised, or a link.

use super::names::Names;
use llamafur_figures::xml;

/// A text in parts, each of which is escaped. A plain string is a text too.
///
/// ```
/// use llamafur_eval::report::Text;
/// let text = Text::from("Made by ").code("llamafur eval").plain(", see ").link("the guide", "https://example.org/");
/// # let _ = text;
/// ```
#[derive(Debug, Clone, Default)]
pub struct Text {
    parts: Vec<Part>,
}

#[derive(Debug, Clone)]
enum Part {
    Plain(String),
    Code(String),
    Emphasis(String),
    Link(String, String),
    Table(String),
    Figure(String),
}

impl Text {
    /// Words as they are.
    pub fn plain(self, words: &str) -> Text {
        self.part(Part::Plain(words.into()))
    }

    /// What a program reads or writes.
    pub fn code(self, words: &str) -> Text {
        self.part(Part::Code(words.into()))
    }

    /// Emphasised words.
    pub fn emphasis(self, words: &str) -> Text {
        self.part(Part::Emphasis(words.into()))
    }

    /// Words that lead to an address: a page (`https:`, `http:`), a place in the document (`#`), or a file beside it.
    /// With any other address they are plain.
    pub fn link(self, words: &str, address: &str) -> Text {
        self.part(Part::Link(words.into(), address.into()))
    }

    /// “Table 3”, for the table with this name; the name itself where there is none.
    pub fn table(self, name: &str) -> Text {
        self.part(Part::Table(name.into()))
    }

    /// “Figure 3”, for the figure with this name; the name itself where there is none.
    pub fn figure(self, name: &str) -> Text {
        self.part(Part::Figure(name.into()))
    }

    fn part(mut self, part: Part) -> Text {
        self.parts.push(part);
        self
    }

    pub(super) fn html(&self, names: &Names) -> String {
        let reference = |kind: &str, found: Option<(usize, &str)>, name: &str| match found {
            Some((number, id)) => {
                format!("<a href=\"#{}-{id}\">{kind}\u{a0}{number}</a>", kind.to_ascii_lowercase())
            }
            None => xml(name),
        };
        let html = |part: &Part| match part {
            Part::Plain(words) => xml(words),
            Part::Code(words) => format!("<code>{}</code>", xml(words)),
            Part::Emphasis(words) => format!("<em>{}</em>", xml(words)),
            Part::Link(words, address) if is_safe(address) => {
                format!("<a href=\"{}\">{}</a>", xml(address), xml(words))
            }
            Part::Link(words, _) => xml(words),
            Part::Table(name) => reference("Table", names.table(name), name),
            Part::Figure(name) => reference("Figure", names.figure(name), name),
        };
        self.parts.iter().map(html).collect()
    }
}

/// Whether an address leads to a page or a file, and does not run anything.
fn is_safe(address: &str) -> bool {
    let scheme = address.split(['/', '?', '#']).next().unwrap_or_default();
    let is_plain = !address.is_empty() && !address.contains(|c: char| c.is_control() || c.is_whitespace());
    is_plain && (!scheme.contains(':') || address.starts_with("https://") || address.starts_with("http://"))
}

impl From<&str> for Text {
    fn from(words: &str) -> Text {
        Text::default().plain(words)
    }
}

impl From<String> for Text {
    fn from(words: String) -> Text {
        Text::default().plain(&words)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_breaks_out() {
        let evil = "</script><b>&\"";
        let text = Text::from(evil).code(evil).emphasis(evil).link(evil, evil).table(evil).figure(evil);
        let escaped = "&lt;/script&gt;&lt;b&gt;&amp;&quot;";
        let html = text.html(&Names::default());
        assert_eq!(html.matches(escaped).count(), 7);
        assert!(!html.contains("<b>") && !html.contains("</script"));
    }

    #[test]
    fn only_addresses_of_pages_and_files_are_links() {
        for (address, is_link) in [
            ("https://example.org/a?b=c:d", true),
            ("#results", true),
            ("tables/bpref.tsv", true),
            ("javascript:alert(1)", false),
            ("java\nscript:alert(1)", false),
            ("data:text/html,x", false),
            ("", false),
        ] {
            let html = Text::default().link("x", address).html(&Names::default());
            assert_eq!(html.contains("<a "), is_link, "{address}: {html}");
        }
    }
}
