//! The sentence behind a link, from the wikitext itself: no guess by name, but the very link.
//!
//! A link in running prose says most, so the first of them is taken; if there is none, the first link in the next best
//! [place](Place), with the caption, list item, table row, line of an infobox or reference that holds it.

use super::context::{Source, Unit, UnitRenderer, unit};
use super::parsed::{ArticleLink, ParsedPage};
use super::places::Place;
use super::render::{Parts, Renderer};
use super::sections::heading;
use super::sentences::sentences;
use super::spans::Kind;
use super::title::Titles;
use super::writer::{Writer, Written};
use rapidhash::{RapidHashMap, RapidHashSet};
use serde::{Deserialize, Serialize};
use std::ops::Range;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

/// The length of a snippet in characters, about, unless the link alone is longer.
const LONGEST: usize = 400;
/// The most characters of a list item and the like that is not cut to the sentence.
const LONGEST_WHOLE: usize = 300;
/// A sentence shorter than this, in characters, is shown with the one before it.
const SHORT: usize = 60;
/// The most characters of a sentence with the one before it.
const LONGEST_SHOWN: usize = 500;
/// The least characters of a sentence that is cut to be shown before another.
const LEAST_BEFORE: usize = 40;
/// Words with which English refers to the sentence before.
const PRONOUNS: [&str; 14] = [
    "He", "She", "It", "They", "This", "These", "That", "Those", "His", "Her", "Its", "Their", "Such", "Both",
];
/// Bytes of wikitext that are written for a single link: one that its paragraph is otherwise written without.
const MOST_FOR_ONE: usize = 4096;

/// The text around a link, as plain text.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Snippet {
    /// The text, on one line.
    pub text: String,
    /// The range of the link in the text, in bytes, with the letters that follow it directly.
    pub anchor: Range<usize>,
    /// The place of the link in the page.
    pub place: Place,
}

/// A snippet with its context.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct LinkContext {
    pub(crate) snippet: Snippet,
    /// The title of the section; `None` before the first.
    pub(crate) section: Option<String>,
    /// A number that two links of a page share if they are in one sentence.
    pub(crate) sentence: u64,
    /// Number of articles that the sentence links to.
    pub(crate) num_links: usize,
    /// The sentence before, in the same paragraph; `None` for places without sentences.
    pub(crate) before: Option<String>,
}

impl Snippet {
    /// Returns the text with the link between `[[` and `]]`.
    pub fn marked(&self) -> String {
        let Range { start, end } = self.anchor;
        format!("{}[[{}]]{}", &self.text[..start], &self.text[start..end], &self.text[end..])
    }
}

/// Returns the text around the link to an article whose title `is_target` accepts: the first in the best
/// [place](Place). `None` where there is no such link.
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

/// Returns the context of the best of these links, by their numbers: the first in the best place.
pub(super) fn around(page: &ParsedPage, links: &[usize]) -> Option<LinkContext> {
    let (parts, layout) = (&page.parts, page.layout());
    let units = links.iter().filter_map(|&number| {
        let link = link_at(parts, page.links()[number].span.start)?;
        Some((number, link, unit(parts, layout, link)))
    });
    let (number, link, unit) = units.min_by_key(|(.., unit)| unit.place)?;
    let (place, at) = (unit.place, parts.spans[link].outer.start);
    let context = of_unit(page, unit, number, link).unwrap_or_else(|| {
        // A link where no text can be, such as in the attributes of a table, speaks for itself.
        let (text, _) = parts.visible_link(link);
        LinkContext {
            snippet: Snippet { anchor: 0..text.len(), text, place },
            section: None,
            sentence: sentence_number(at, 0),
            num_links: 1,
            before: None,
        }
    });
    let heading_line = parts.line_at(at).and_then(|line| layout.sections().heading_of(line));
    Some(LinkContext { section: heading_line.map(|line| heading(parts, &parts.lines[line])), ..context })
}

/// Returns the number of a sentence, by where its unit begins in the page and where it begins there.
fn sentence_number(unit: usize, sentence: usize) -> u64 {
    (unit as u64) << 32 | sentence as u64
}

/// Returns the context of a link in its unit; `None` where the unit is written without the link.
///
/// A unit is written once for all of its links. Those that would be left out then, since they are in a template in the middle of
/// a sentence or their text is made by one, have a text of their own, if the unit is short; of a long one the template's
/// argument is taken.
fn of_unit(page: &ParsedPage, mut unit: Unit, number: usize, link: usize) -> Option<LinkContext> {
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
        if let Some(anchor) = shared.anchor(number) {
            // What is around a link may have been taken for a part of it, or a part of it for what is around.
            let is_whole = shared.passage.text[anchor.clone()] == parts.visible_link(link).0;
            if is_whole {
                return Some(context(page, &unit, &shared.passage, anchor, number));
            }
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
    Some(context(page, &unit, &Passage::new(text, kept), anchor?, number))
}

/// Returns the context of an anchor in the text of its unit.
fn context(
    page: &ParsedPage,
    unit: &Unit,
    passage: &Passage,
    anchor: Range<usize>,
    number: usize,
) -> LinkContext {
    let sentence = passage.part(unit.place, &anchor);
    let start = unit.source.start(&page.parts, page.layout()).unwrap_or_default();
    LinkContext {
        section: None,
        sentence: sentence_number(start, sentence.start),
        num_links: page.passages.get(page, unit).num_links(page.links(), &sentence, number),
        before: unit.place.is_fact().then(|| passage.before(sentence.start)).flatten(),
        snippet: passage.snippet(unit.place, &unit.label, sentence, anchor),
    }
}

/// The units of a page that were needed, each written once.
#[derive(Default)]
pub(super) struct Passages(Mutex<RapidHashMap<Source, Arc<Shared>>>);

/// A unit that is written for all of its links.
struct Shared {
    passage: Passage,
    /// The numbers of the links, ascending, and where they are.
    links: Vec<(usize, Range<usize>)>,
    counts: OnceLock<LinkCounts>,
}

/// Counts of the articles that the links of a unit lead to.
struct LinkCounts {
    all: usize,
    of_sentences: Vec<usize>,
}

impl Shared {
    /// Returns the range of a link, by its number.
    fn anchor(&self, number: usize) -> Option<Range<usize>> {
        let at = self.links.binary_search_by_key(&number, |(number, _)| *number).ok()?;
        Some(self.links[at].1.clone())
    }

    /// Counts the articles that a part of the text links to: all of it, or a sentence. A link that was left out
    /// counts, too.
    fn num_links(&self, all: &[ArticleLink], part: &Range<usize>, number: usize) -> usize {
        let counts = self.counts.get_or_init(|| self.count(all));
        let is_whole = part.start == 0 && part.end >= self.passage.text.len();
        let of_part = match is_whole {
            true => counts.all,
            false => counts.of_sentences.get(self.passage.number_of(part.start)).copied().unwrap_or_default(),
        };
        (of_part + usize::from(self.anchor(number).is_none())).max(1)
    }

    fn count(&self, all: &[ArticleLink]) -> LinkCounts {
        let mut by_place: Vec<(usize, usize)> =
            self.links.iter().map(|(number, anchor)| (anchor.start, *number)).collect();
        by_place.sort_unstable();
        let name = |number: usize| &all[number].name[..];
        let names: RapidHashSet<&str> = by_place.iter().map(|(_, number)| name(*number)).collect();
        let mut of_sentences = vec![0; self.passage.ends().len() + 1];
        let mut of_sentence: RapidHashSet<&str> = RapidHashSet::default();
        let mut last = 0;
        for (start, number) in by_place {
            let sentence = self.passage.number_of(start);
            if sentence != last {
                of_sentence = RapidHashSet::default();
                last = sentence;
            }
            of_sentence.insert(name(number));
            of_sentences[sentence] = of_sentence.len();
        }
        LinkCounts { all: names.len(), of_sentences }
    }
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
        let shared = Arc::new(Shared { passage: Passage::new(text, kept), links, counts: OnceLock::new() });
        all().insert(unit.source.clone(), shared.clone());
        shared
    }

    /// Returns how many bytes of text were written.
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

/// A text that snippets are cut from. The ends of its sentences are found once for all of them.
#[derive(Debug)]
pub(crate) struct Passage {
    text: String,
    /// Ranges in which no sentence ends.
    kept: Vec<Range<usize>>,
    ends: OnceLock<Vec<usize>>,
}

impl Passage {
    pub(crate) fn new(text: String, kept: Vec<Range<usize>>) -> Passage {
        Passage { text, kept, ends: OnceLock::new() }
    }

    pub(crate) fn text(&self) -> &str {
        &self.text
    }

    /// Returns the snippet around some words of it, as of a paragraph.
    pub(crate) fn around(&self, words: Range<usize>) -> Snippet {
        let sentence = self.part(Place::Prose, &words);
        self.snippet(Place::Prose, "", sentence, words)
    }

    /// Returns the part that belongs to the anchor: its sentence or the whole text, by the place.
    fn part(&self, place: Place, anchor: &Range<usize>) -> Range<usize> {
        let by_sentence = match place {
            Place::Prose | Place::Caption => true,
            Place::List | Place::Hatnote | Place::EndMatter | Place::Reference | Place::Template => {
                is_longer(&self.text, LONGEST_WHOLE)
            }
            Place::Table | Place::Heading => false,
        };
        if by_sentence { self.sentence(anchor) } else { 0..self.text.len() }
    }

    /// Returns a part of the text around the anchor, cut to the length of a snippet.
    fn snippet(&self, place: Place, label: &str, part: Range<usize>, anchor: Range<usize>) -> Snippet {
        let mut text = label.to_owned();
        if !text.is_empty() {
            text.push_str(": ");
        }
        let start = text.len() + cut(&mut text, &self.text, part, &anchor);
        Snippet { text, anchor: start..start + anchor.len(), place }
    }

    /// Returns the sentence before the one that begins at a place.
    fn before(&self, start: usize) -> Option<String> {
        let end = self.number_of(start).checked_sub(1)?;
        let start = end.checked_sub(1).map_or(0, |before| self.ends()[before]);
        let found = self.text[start..self.ends()[end]].trim();
        (!found.is_empty()).then(|| found.to_owned())
    }

    /// Returns the number of the sentence that holds a place.
    fn number_of(&self, at: usize) -> usize {
        self.ends().partition_point(|end| *end <= at)
    }

    fn ends(&self) -> &[usize] {
        self.ends.get_or_init(|| self.find_ends())
    }

    /// Returns the sentence in which the anchor is.
    fn sentence(&self, anchor: &Range<usize>) -> Range<usize> {
        let ends = self.ends();
        // Those within the anchor end nothing.
        let before = ends.partition_point(|end| *end <= anchor.start).checked_sub(1);
        let start = before.map_or(0, |at| ends[at]);
        let after = ends.partition_point(|end| *end < anchor.end);
        let end = ends.get(after).copied().unwrap_or(self.text.len());
        let found = &self.text[start..end];
        let start = start + (found.len() - found.trim_start().len());
        start.min(anchor.start)..(end - (found.len() - found.trim_end().len())).max(anchor.end)
    }

    /// Finds the ends of its sentences. Those that end inside of a link or of italics continue.
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

/// Returns a sentence as it is shown: after the one before it, as far as there is room.
pub(crate) fn with_sentence_before(marked: &str, before: Option<&str>) -> String {
    let Some(before) = before else { return marked.to_owned() };
    let room = LONGEST_SHOWN.saturating_sub(marked.chars().count() + 1);
    if !is_longer(before, room) {
        return format!("{before} {marked}");
    }
    if room < LEAST_BEFORE {
        return marked.to_owned();
    }
    let (start, _) = before.char_indices().rev().take(room - "… ".chars().count()).last().unwrap_or_default();
    let blank = before[start..].find(' ').map_or(0, |blank| blank + 1);
    format!("… {} {marked}", &before[start + blank..])
}

/// Returns whether a sentence says little without the one before it: it is short, or refers to that in English.
pub(crate) fn needs_before(sentence: &str, is_english: bool) -> bool {
    let first = || sentence.split(|c: char| !c.is_alphanumeric()).find(|word| !word.is_empty());
    let refers = || is_english && first().is_some_and(|word| PRONOUNS.contains(&word));
    !sentence.starts_with('…') && (!is_longer(sentence, SHORT - 1) || refers())
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

/// Returns the part of a sentence around the anchor that a snippet has room for; it ends between words.
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
