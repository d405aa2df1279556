//! The sentence behind a link, from the wikitext itself: no guess by name, but the very link.
//!
//! A link in running prose says most, so the first of them is taken; if there is none, the first link
//! anywhere, with the list item, table row, line of an infobox, caption or reference that holds it.

use super::context::{Unit, unit};
use super::lines::LineKind;
use super::parsed::ParsedPage;
use super::render::Parts;
use super::sentences::sentences;
use super::spans::Kind;
use super::title::Titles;
use serde::{Deserialize, Serialize};
use std::ops::Range;

/// A snippet has about so many characters at most, unless the link alone has more.
const LONGEST: usize = 400;
/// List items and the like that are longer are cut to the sentence.
const LONGEST_WHOLE: usize = 300;
/// So many bytes on both sides of a link are searched for the ends of its sentence.
const WINDOW: usize = 2000;

/// What is around a link, as plain text.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Snippet {
    /// The text, on one line.
    pub text: String,
    /// Where the link is in the text, in bytes, with the letters that follow it directly.
    pub anchor: Range<usize>,
    /// Where the link is in the page.
    pub place: Place,
}

/// Where in a page a link is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Place {
    /// In a paragraph.
    Body,
    /// In an item of a list.
    List,
    /// In a row of a table.
    Table,
    /// In an argument of a template.
    Infobox,
    /// Below an image.
    Caption,
    /// In a reference.
    Reference,
    /// In a heading.
    Heading,
}

impl Snippet {
    /// The text with the link between `[[` and `]]`.
    pub fn marked(&self) -> String {
        let Range { start, end } = self.anchor;
        format!("{}[[{}]]{}", &self.text[..start], &self.text[start..end], &self.text[end..])
    }
}

/// What is around the first link to an article whose title `is_target` accepts; links in running prose
/// come before all others. `None` where there is no such link.
///
/// ```
/// use llamafur::text::wikitext::{Site, Titles, snippet};
/// let page = "A planet. Its clouds might carry life like that of [[plankton]] and [[fish]].<ref>Sagan</ref>";
/// let found = snippet(page, &Titles::new(&Site::default()), &mut |title| title == "Fish").unwrap();
/// assert_eq!(found.marked(), "Its clouds might carry life like that of plankton and [[fish]].");
/// ```
pub fn snippet(wikitext: &str, titles: &Titles, is_target: &mut dyn FnMut(&str) -> bool) -> Option<Snippet> {
    let page = ParsedPage::new(wikitext, titles);
    let leads_there = page.links().iter().enumerate().filter(|(_, link)| is_target(&link.name));
    let numbers: Vec<usize> = leads_there.map(|(number, _)| number).collect();
    page.snippet(&numbers)
}

/// What is around the first of these places that is in running prose, or else around the first.
pub(super) fn around(parts: &Parts, links: &[usize]) -> Option<Snippet> {
    let first = *links.first()?;
    let best = links.iter().copied().find(|&at| is_prose(parts, at)).unwrap_or(first);
    let link = link_at(parts, best)?;
    let unit = unit(parts, link);
    let Some(anchor) = unit.anchor.clone() else {
        // A link where no text can be, such as in the attributes of a table, speaks for itself.
        let (text, _) = parts.visible_link(link);
        return Some(Snippet { anchor: 0..text.len(), text, place: unit.place });
    };
    Some(shortened(unit, anchor))
}

/// What is around some words of a paragraph.
pub(crate) fn words_in_text(text: &str, words: Range<usize>) -> Snippet {
    let (label, kept) = (String::new(), Vec::new());
    let unit = Unit { place: Place::Body, label, text: text.to_owned(), anchor: Some(words.clone()), kept };
    shortened(unit, words)
}

pub(super) fn link_at(parts: &Parts, at: usize) -> Option<usize> {
    let index = parts.span_at(at);
    parts.spans.get(index).filter(|span| span.outer.start == at && span.kind == Kind::Link).map(|_| index)
}

fn is_prose(parts: &Parts, at: usize) -> bool {
    let in_container = link_at(parts, at).is_none_or(|link| parts.spans[link].container.is_some());
    let line = parts.line_at(at).map(|line| &parts.lines[line]);
    !in_container && line.is_some_and(|line| line.kind == LineKind::Text && line.table.is_none())
}

/// Cuts a unit to its sentence, and to the length of a snippet.
fn shortened(unit: Unit, anchor: Range<usize>) -> Snippet {
    let by_sentence = match unit.place {
        Place::Body | Place::Caption => true,
        Place::List | Place::Reference | Place::Infobox => is_longer(&unit.text, LONGEST_WHOLE),
        Place::Table | Place::Heading => false,
    };
    let sentence = if by_sentence { sentence(&unit, &anchor) } else { 0..unit.text.len() };
    let cut = window(&unit.text, sentence.clone(), &anchor);
    let mut text = unit.label;
    if !text.is_empty() {
        text.push_str(": ");
    }
    if sentence.start < cut.start {
        text.push_str("… ");
    }
    let start = text.len() + anchor.start - cut.start;
    text.push_str(&unit.text[cut.clone()]);
    if cut.end < sentence.end {
        text.push_str(" …");
    }
    Snippet { text, anchor: start..start + anchor.len(), place: unit.place }
}

fn is_longer(text: &str, length: usize) -> bool {
    text.chars().nth(length).is_some()
}

/// The sentence of the unit in which the anchor is.
fn sentence(unit: &Unit, anchor: &Range<usize>) -> Range<usize> {
    let text = &unit.text;
    let from = text.floor_char_boundary(anchor.start.saturating_sub(WINDOW));
    let to = text.ceil_char_boundary(anchor.end.saturating_add(WINDOW));
    let kept: Vec<_> = unit.kept.iter().filter(|kept| kept.start < to && kept.end > from).collect();
    let (mut start, mut end) = (from, from);
    for sentence in sentences(&text[from..to]) {
        end += sentence.len();
        // Sentences that end inside of a link or of italics go on.
        if end < to && kept.iter().any(|kept| kept.start < end && end < kept.end) {
            continue;
        }
        if end >= anchor.end {
            break;
        }
        start = end;
    }
    let found = &text[start..end];
    let start = start + (found.len() - found.trim_start().len());
    start.min(anchor.start)..(end - (found.len() - found.trim_end().len())).max(anchor.end)
}

/// The part of a sentence around the anchor that a snippet has room for; it ends between words.
fn window(text: &str, sentence: Range<usize>, anchor: &Range<usize>) -> Range<usize> {
    if !is_longer(&text[sentence.clone()], LONGEST) {
        return sentence;
    }
    let (before, after) = (&text[sentence.start..anchor.start], &text[anchor.end..sentence.end]);
    let count = |text: &str| text.chars().take(LONGEST).count();
    let room = LONGEST.saturating_sub(count(&text[anchor.clone()]));
    let left =
        before.chars().rev().take(LONGEST).count().min((room / 2).max(room.saturating_sub(count(after))));
    let right = count(after).min(room - left);
    let keep = before.chars().rev().take(left).map(char::len_utf8).sum::<usize>();
    let mut start = anchor.start - keep;
    if start > sentence.start {
        // Text with few spaces, as in Chinese, is cut between any two letters.
        let blank = text[start..anchor.start].find(' ').filter(|&blank| blank <= keep / 2);
        start = blank.map_or(start, |blank| start + blank + 1);
    }
    let mut end = anchor.end + after.chars().take(right).map(char::len_utf8).sum::<usize>();
    if end < sentence.end {
        let blank = text[anchor.end..end].rfind(' ').filter(|&blank| blank >= (end - anchor.end) / 2);
        end = blank.map_or(end, |blank| anchor.end + blank);
    }
    start..end
}

#[cfg(test)]
#[path = "snippet_tests.rs"]
mod tests;
