//! A page as plain text, good enough to read and to count words in.
//!
//! Nothing is expanded: templates, tables, references and images go with all they hold; links leave their
//! texts.

use super::lines::{Line, LineKind};
use super::page::redirect_target;
use super::render::{Parts, Renderer};
use super::title::Titles;
use super::writer::Writer;
use std::ops::Range;

/// Returns a page as plain text: a line for each paragraph, heading and item of a list, an empty line between
/// paragraphs. Of a page that redirects, nothing.
///
/// ```
/// use llamafur::text::wikitext::{Site, Titles, plain_text};
/// let page = "'''Jupiter''' ({{IPA|x}}) is a [[planet]].<ref>A</ref>\n\n== Moons ==\n* [[Io (moon)|Io]]";
/// let text = plain_text(page, &Titles::new(&Site::default()));
/// assert_eq!(text, "Jupiter is a planet.\n\nMoons\nIo");
/// ```
pub fn plain_text(wikitext: &str, titles: &Titles) -> String {
    if redirect_target(wikitext, titles).is_some() {
        return String::new();
    }
    let parts = Parts::new(wikitext, titles);
    rendered(&parts, &Renderer::new(&parts))
}

/// Returns the lines of a page that is taken apart, as plain text.
pub(super) fn rendered(parts: &Parts<'_>, renderer: &Renderer<'_>) -> String {
    let wikitext = &*parts.text;
    let mut page = Page::default();
    let mut paragraph = Writer::default();
    for line in &parts.lines {
        let goes_on = line.kind == LineKind::Text && line.table.is_none();
        if !goes_on {
            page.push(std::mem::take(&mut paragraph), LineKind::Text);
        }
        if line.table.is_some() {
            continue;
        }
        match line.kind {
            LineKind::Text => {
                paragraph.blank();
                renderer.render(line.range.clone(), &mut paragraph);
            }
            LineKind::Heading | LineKind::Item => {
                let mut writer = Writer::default();
                renderer.render(without_marks(wikitext, line), &mut writer);
                page.push(writer, line.kind);
            }
            _ => {}
        }
    }
    page.push(paragraph, LineKind::Text);
    page.text
}

/// Returns the range of the text of a heading or an item of a list, without its markup.
pub(super) fn without_marks(wikitext: &str, line: &Line) -> Range<usize> {
    let whole = &wikitext[line.range.clone()];
    let marks: &[char] = if line.kind == LineKind::Item { &['*', '#', ':', ';'] } else { &['='] };
    let start = line.range.end - whole.trim_start_matches(marks).len();
    let end = match line.kind {
        LineKind::Heading => line.range.start + whole.trim_end_matches('=').len(),
        _ => line.range.end,
    };
    start..end
}

/// The lines written so far.
#[derive(Default)]
struct Page {
    text: String,
    last: Option<LineKind>,
}

impl Page {
    fn push(&mut self, line: Writer, kind: LineKind) {
        let line = line.finish().text;
        if line.is_empty() {
            return;
        }
        match self.last {
            None => {}
            Some(LineKind::Heading) => self.text.push('\n'),
            Some(LineKind::Item) if kind == LineKind::Item => self.text.push('\n'),
            Some(_) => self.text.push_str("\n\n"),
        }
        self.text.push_str(&line);
        self.last = Some(kind);
    }
}

#[cfg(test)]
#[path = "plain_tests.rs"]
mod tests;
