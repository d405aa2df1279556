//! The sentence behind a link, from the wikitext itself: no guess by name, but the very link.
//!
//! A link in running prose says most, so the first of them is taken; if there is none, the first link
//! anywhere, with the list item, table row, line of an infobox, caption or reference that holds it.

use super::context::{Source, Unit, UnitRenderer, unit};
use super::lines::LineKind;
use super::parsed::ParsedPage;
use super::render::{Parts, Renderer};
use super::sentences::sentences;
use super::spans::Kind;
use super::title::Titles;
use super::writer::{Writer, Written};
use rapidhash::RapidHashMap;
use serde::{Deserialize, Serialize};
use std::ops::Range;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

/// A snippet has about so many characters at most, unless the link alone has more.
const LONGEST: usize = 400;
/// List items and the like that are longer are cut to the sentence.
const LONGEST_WHOLE: usize = 300;
/// Bytes of wikitext that are written for a single link: one that its paragraph is otherwise written without.
const MOST_FOR_ONE: usize = 4096;

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

/// What is around the first of these links, by their numbers, that is in running prose, or else around the first.
pub(super) fn around(page: &ParsedPage, links: &[usize]) -> Option<Snippet> {
    let (parts, first) = (&page.parts, *links.first()?);
    let at = |number: usize| page.links()[number].span.start;
    let number = links.iter().copied().find(|&number| is_prose(parts, at(number))).unwrap_or(first);
    let link = link_at(parts, at(number))?;
    let unit = unit(parts, page.layout(), link);
    let place = unit.place;
    let snippet = of_unit(page, unit, number, link);
    Some(snippet.unwrap_or_else(|| {
        // A link where no text can be, such as in the attributes of a table, speaks for itself.
        let (text, _) = parts.visible_link(link);
        Snippet { anchor: 0..text.len(), text, place }
    }))
}

/// What is around a link in its unit; `None` where the unit is written without the link.
///
/// A unit is written once for all of its links. Those that would be left out then, since they are in a template in the middle of
/// a sentence or their text is made by one, have a text of their own, if the unit is short; of a long one the template's
/// argument is taken.
fn of_unit(page: &ParsedPage, mut unit: Unit, number: usize, link: usize) -> Option<Snippet> {
    let (parts, layout) = (&page.parts, page.layout());
    let is_short = |unit: &Unit| unit.source.length(parts, layout) <= MOST_FOR_ONE;
    if !unit.shown.is_empty() && !is_short(&unit) {
        // The largest argument that is short, or else the smallest.
        let short = unit.shown.partition_point(|(_, value)| value.len() <= MOST_FOR_ONE);
        let at = short.saturating_sub(1);
        unit.source = Source::Range(unit.shown[at].1.clone(), false);
        unit.shown.truncate(at);
    }
    if unit.shown.is_empty() {
        let shared = page.passages.get(page, &unit);
        let found = shared.links.binary_search_by_key(&number, |(number, _)| *number);
        let anchor = found.ok().map(|at| shared.links[at].1.clone());
        // What is around a link may have been taken for a part of it, or a part of it for what is around.
        let is_whole =
            |anchor: &Range<usize>| shared.passage.text[anchor.clone()] == parts.visible_link(link).0;
        if let Some(anchor) = anchor.filter(is_whole) {
            return Some(shared.passage.snippet(unit.place, &unit.label, anchor));
        }
    }
    if !is_short(&unit) {
        return None;
    }
    let renderer = Renderer::with_target(parts, link, &unit.shown);
    let at = Some(parts.spans[link].outer.start);
    let renderers = [renderer.clone(), renderer.with_commas()];
    let mut writer = Writer::default();
    UnitRenderer { parts, layout, renderers, at }.render(&unit.source, &mut writer);
    let Written { text, anchor, kept, .. } = writer.finish();
    Some(Passage::new(text, kept).snippet(unit.place, &unit.label, anchor?))
}

/// The units of a page that were asked for, each written once.
#[derive(Default)]
pub(super) struct Passages(Mutex<RapidHashMap<Source, Arc<Shared>>>);

/// A unit that is written for all of its links.
struct Shared {
    passage: Passage,
    /// The numbers of the links, ascending, and where they are.
    links: Vec<(usize, Range<usize>)>,
}

impl Passages {
    fn get(&self, page: &ParsedPage, unit: &Unit) -> Arc<Shared> {
        let all = || self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = all().get(&unit.source) {
            return known.clone();
        }
        let (parts, layout) = (&page.parts, page.layout());
        let renderer = Renderer::with_links(parts, page.links());
        let renderers = [renderer.clone(), renderer.with_commas()];
        let mut writer = Writer::noting();
        UnitRenderer { parts, layout, renderers, at: None }.render(&unit.source, &mut writer);
        let Written { text, kept, mut links, .. } = writer.finish();
        links.sort_unstable_by_key(|(number, _)| *number);
        let shared = Arc::new(Shared { passage: Passage::new(text, kept), links });
        all().insert(unit.source.clone(), shared.clone());
        shared
    }

    /// How many bytes of text were written.
    #[cfg(test)]
    fn num_bytes(&self) -> usize {
        let all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        all.values().map(|shared| shared.passage.text.len()).sum()
    }
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

/// A text that snippets are cut from. Where its sentences end is found once for all of them.
#[derive(Debug)]
pub(crate) struct Passage {
    text: String,
    /// Where no sentence ends.
    kept: Vec<Range<usize>>,
    ends: OnceLock<Vec<usize>>,
}

impl Passage {
    pub(crate) fn new(text: String, kept: Vec<Range<usize>>) -> Passage {
        Passage { text, kept, ends: OnceLock::new() }
    }

    /// The text.
    pub(crate) fn text(&self) -> &str {
        &self.text
    }

    /// What is around some words of it, as of a paragraph.
    pub(crate) fn around(&self, words: Range<usize>) -> Snippet {
        self.snippet(Place::Body, "", words)
    }

    /// What is around the anchor: its sentence or the whole text, as the place has it, cut to the length of a snippet.
    fn snippet(&self, place: Place, label: &str, anchor: Range<usize>) -> Snippet {
        let by_sentence = match place {
            Place::Body | Place::Caption => true,
            Place::List | Place::Reference | Place::Infobox => is_longer(&self.text, LONGEST_WHOLE),
            Place::Table | Place::Heading => false,
        };
        let sentence = if by_sentence { self.sentence(&anchor) } else { 0..self.text.len() };
        let mut text = label.to_owned();
        if !text.is_empty() {
            text.push_str(": ");
        }
        let start = text.len() + cut(&mut text, &self.text, sentence, &anchor);
        Snippet { text, anchor: start..start + anchor.len(), place }
    }

    /// The sentence in which the anchor is.
    fn sentence(&self, anchor: &Range<usize>) -> Range<usize> {
        let ends = self.ends.get_or_init(|| self.find_ends());
        // Those within the anchor end nothing.
        let before = ends.partition_point(|end| *end <= anchor.start).checked_sub(1);
        let start = before.map_or(0, |at| ends[at]);
        let after = ends.partition_point(|end| *end < anchor.end);
        let end = ends.get(after).copied().unwrap_or(self.text.len());
        let found = &self.text[start..end];
        let start = start + (found.len() - found.trim_start().len());
        start.min(anchor.start)..(end - (found.len() - found.trim_end().len())).max(anchor.end)
    }

    /// Where its sentences end. Those that end inside of a link or of italics go on.
    fn find_ends(&self) -> Vec<usize> {
        let mut kept: Vec<&Range<usize>> = self.kept.iter().collect();
        kept.sort_unstable_by_key(|kept| kept.start);
        let (mut ends, mut end, mut next, mut kept_end) = (Vec::new(), 0, 0, 0);
        for sentence in sentences(&self.text) {
            end += sentence.len();
            while kept.get(next).is_some_and(|kept| kept.start < end) {
                kept_end = kept_end.max(kept[next].end);
                next += 1;
            }
            if end >= kept_end || end == self.text.len() {
                ends.push(end);
            }
        }
        ends
    }
}

/// Adds a sentence of a text as far as a snippet has room for it, with an ellipsis where it is cut; returns where in what was
/// added the anchor begins.
pub(crate) fn cut(out: &mut String, text: &str, sentence: Range<usize>, anchor: &Range<usize>) -> usize {
    let begin = out.len();
    let part = window(text, sentence.clone(), anchor);
    if sentence.start < part.start {
        out.push_str("… ");
    }
    let start = out.len() - begin + anchor.start - part.start;
    out.push_str(&text[part.clone()]);
    if part.end < sentence.end {
        out.push_str(" …");
    }
    start
}

fn is_longer(text: &str, length: usize) -> bool {
    text.chars().nth(length).is_some()
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
