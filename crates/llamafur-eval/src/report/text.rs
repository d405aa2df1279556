//! Running text: plain words, code, emphasis, links.

use super::names::Names;
use llamafur_figures::xml;
use maud::{Markup, Render, html};

/// A text in spans, each of which is escaped. A plain string is a text too.
///
/// ```
/// use llamafur_eval::report::Text;
/// let text = Text::from("Made by ").code("evaluate").plain(", see ").link("the guide", "https://example.org/");
/// # let _ = text;
/// ```
#[derive(Debug, Clone, Default)]
pub struct Text {
    spans: Vec<Span>,
}

#[derive(Debug, Clone)]
enum Span {
    Plain(String),
    Code(String),
    Emphasis(String),
    Mark(String),
    Link(String, String),
    Table(String),
}

impl Text {
    /// Adds plain words.
    pub fn plain(self, words: &str) -> Text {
        self.span(Span::Plain(words.into()))
    }

    /// Adds code: names of files, commands and settings.
    pub fn code(self, words: &str) -> Text {
        self.span(Span::Code(words.into()))
    }

    /// Adds emphasised words.
    pub fn emphasis(self, words: &str) -> Text {
        self.span(Span::Emphasis(words.into()))
    }

    /// Adds a link to a page (`https:`, `http:`), a place in the document (`#`), or a file beside it. With any other
    /// address the words are plain.
    pub fn link(self, words: &str, address: &str) -> Text {
        self.span(Span::Link(words.into(), address.into()))
    }

    /// Adds “Table 3”, for the table with this name; the name itself if there is none.
    pub fn table(self, name: &str) -> Text {
        self.span(Span::Table(name.into()))
    }

    /// Adds marked words.
    pub fn mark(self, words: &str) -> Text {
        self.span(Span::Mark(words.into()))
    }

    /// Creates a sentence whose words between `open` and `close` are marked.
    ///
    /// ```
    /// use llamafur_eval::report::Text;
    /// let text = Text::marked("A comet hit [[Jupiter]] in 1994.", "[[", "]]");
    /// assert_eq!(text.words(), "A comet hit Jupiter in 1994.");
    /// ```
    pub fn marked(sentence: &str, open: &str, close: &str) -> Text {
        let (mut text, mut rest) = (Text::default(), sentence);
        while let Some((before, after)) = rest.split_once(open) {
            let (marked, after) = after.split_once(close).unwrap_or((after, ""));
            (text, rest) = (text.plain(before).mark(marked), after);
        }
        text.plain(rest)
    }

    /// Returns the words of a text without any markup.
    pub(super) fn as_plain(&self) -> Option<&str> {
        match &self.spans[..] {
            [Span::Plain(words)] => Some(words),
            _ => None,
        }
    }

    /// Returns the words without their markup.
    pub fn words(&self) -> String {
        let words = |span: &Span| match span {
            Span::Plain(words) | Span::Code(words) | Span::Emphasis(words) => words.clone(),
            Span::Mark(words) | Span::Link(words, _) | Span::Table(words) => words.clone(),
        };
        self.spans.iter().map(words).collect()
    }

    fn span(mut self, span: Span) -> Text {
        self.spans.push(span);
        self
    }

    pub(super) fn html(&self, names: &Names) -> Markup {
        let reference = |name: &str| match names.table(name) {
            Some((number, id)) => html! { a href={ "#table-" (id) } { "Table\u{a0}" (number) } },
            None => html! { (Escaped(name)) },
        };
        html! {
            @for span in &self.spans {
                @match span {
                    Span::Plain(words) => (Escaped(words)),
                    Span::Code(words) => code { (Escaped(words)) },
                    Span::Emphasis(words) => em { (Escaped(words)) },
                    Span::Mark(words) => mark { (Escaped(words)) },
                    Span::Link(words, address) if is_safe(address) => a href=(Escaped(address)) { (Escaped(words)) },
                    Span::Link(words, _) => (Escaped(words)),
                    Span::Table(name) => (reference(name)),
                }
            }
        }
    }
}

/// A text to be escaped as HTML that is also XML: maud itself does not replace control characters.
pub(super) struct Escaped<'a>(pub(super) &'a str);

impl Render for Escaped<'_> {
    fn render_to(&self, buffer: &mut String) {
        buffer.push_str(&xml(self.0));
    }
}

/// Returns whether an address leads to a page or a file, and does not run anything.
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
        let text = Text::from(evil).code(evil).emphasis(evil).mark(evil).link(evil, evil).table(evil);
        let escaped = "&lt;/script&gt;&lt;b&gt;&amp;&quot;";
        let html = text.html(&Names::default()).into_string();
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
            let html = Text::default().link("x", address).html(&Names::default()).into_string();
            assert_eq!(html.contains("<a "), is_link, "{address}: {html}");
        }
    }
}
