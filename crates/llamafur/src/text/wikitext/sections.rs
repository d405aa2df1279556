//! The sections of a page: which are end matter, which lines are hatnotes, which paragraphs are no sentences.
//!
//! *End matter* is a section that holds lists, templates and references but no paragraph of more than about a sentence, if
//! its heading [names](super::section_names) it so; some names count only at the end of the page, where nothing but end matter
//! follows. There a section is end matter whatever its name is if at least half of its items have external links or citations.
//!
//! A *hatnote* is a short line with links at the head of a section or of the page: indented, in italics, or a template without
//! named arguments. An item of a list is prose if it ends as sentences do and has eight words outside of its links. A paragraph is a
//! *bare list* if fewer than three words are outside of its links.

use super::citations::TemplateKind;
use super::entities::decode_entities;
use super::layout::Group;
use super::lines::{Line, LineKind};
use super::plain::without_marks;
use super::render::{Parts, Renderer};
use super::section_names::{Named, named};
use super::spans::{Kind, Span};
use super::writer::Writer;
use std::ops::Range;

/// The longest hatnote, in bytes.
const LONGEST_HATNOTE: usize = 400;

/// The longest heading whose name is looked up, in bytes.
const LONGEST_HEADING: usize = 400;

/// The longest paragraph of end matter, in bytes: about a sentence.
const LONGEST_SENTENCE: usize = 250;

/// Words outside of links that make a sentence.
const WORDS_OF_SENTENCE: usize = 3;

/// Words outside of links from which on an item of a list that ends as sentences do is prose.
const WORDS_OF_ITEM: usize = 8;

/// Words outside of links that are counted: a paragraph with more is no list.
const MOST_WORDS: usize = 64;

/// Links for each word outside of them from which on a longer paragraph is a bare list.
const LINKS_FOR_WORD: usize = 4;

/// The sections of a page and the structure found in them.
#[derive(Debug)]
pub(super) struct Sections {
    /// The lines that are headings.
    headings: Vec<usize>,
    /// True for each section that is end matter.
    is_end_matter: Vec<bool>,
    /// The lines that are hatnotes, ascending.
    hatnotes: Vec<usize>,
    /// True for each group that is a paragraph and a bare list.
    is_bare_list: Vec<bool>,
    /// The items of lists that are sentences, ascending.
    sentence_items: Vec<usize>,
}

impl Sections {
    pub(super) fn new(
        parts: &Parts<'_>,
        kinds: &[TemplateKind],
        groups: &[Group],
        group_of: &[Option<usize>],
    ) -> Sections {
        let mut builder = Builder {
            parts,
            kinds,
            hatnotes: Vec::new(),
            is_bare_list: vec![false; groups.len()],
            sentence_items: Vec::new(),
            sections: Vec::new(),
            section: Section::default(),
            is_head: true,
        };
        let mut last = None;
        for (index, line) in parts.lines.iter().enumerate() {
            let group = group_of[index].filter(|_| line.table.is_none());
            if group.is_none() || group != last {
                builder.line(index, line, group.map(|group| (group, &groups[group])));
            }
            last = group;
        }
        builder.finish()
    }

    /// Returns the heading of the section in which a line is, as a line; `None` before the first.
    pub(super) fn heading_of(&self, line: usize) -> Option<usize> {
        self.section_of(line).map(|section| self.headings[section])
    }

    /// Returns whether a line is in end matter.
    pub(super) fn is_end_matter(&self, line: usize) -> bool {
        self.section_of(line).is_some_and(|section| self.is_end_matter[section])
    }

    /// Returns whether a line is a hatnote.
    pub(super) fn is_hatnote(&self, line: usize) -> bool {
        self.hatnotes.binary_search(&line).is_ok()
    }

    /// Returns whether a paragraph is no more than links.
    pub(super) fn is_bare_list(&self, group: usize) -> bool {
        self.is_bare_list[group]
    }

    /// Returns whether a line is an item of a list that is a sentence.
    pub(super) fn is_sentence_item(&self, line: usize) -> bool {
        self.sentence_items.binary_search(&line).is_ok()
    }

    fn section_of(&self, line: usize) -> Option<usize> {
        self.headings.partition_point(|heading| *heading <= line).checked_sub(1)
    }
}

/// The contents of a section.
#[derive(Default)]
struct Section {
    heading: Option<usize>,
    level: usize,
    /// Bytes of the longest paragraph.
    longest: usize,
    items: usize,
    /// Items with an external link or a citation.
    citing: usize,
    has_paragraph: bool,
    has_table: bool,
}

struct Builder<'p> {
    parts: &'p Parts<'p>,
    kinds: &'p [TemplateKind],
    hatnotes: Vec<usize>,
    is_bare_list: Vec<bool>,
    sentence_items: Vec<usize>,
    sections: Vec<Section>,
    section: Section,
    /// True while nothing but hatnotes, templates and images came since the heading.
    is_head: bool,
}

impl Builder<'_> {
    /// Reads a line, or all lines of a paragraph.
    fn line(&mut self, index: usize, line: &Line, paragraph: Option<(usize, &Group)>) {
        if line.table.is_some() {
            self.section.has_table = true;
            return;
        }
        match (line.kind, paragraph) {
            (LineKind::Heading, _) => {
                let text = &self.parts.text[line.range.clone()];
                let level = text.len() - text.trim_start_matches('=').len();
                let next = Section { heading: Some(index), level, ..Section::default() };
                self.sections.push(std::mem::replace(&mut self.section, next));
                self.is_head = true;
            }
            (LineKind::Templates, _) => {
                let is_hatnote = self.is_head && self.is_hatnote_template(line);
                self.hatnotes.extend(is_hatnote.then_some(index));
            }
            (LineKind::Item, _) => {
                let content = self.content(line.range.clone());
                if self.is_head && self.is_hatnote_item(line, &content) {
                    self.hatnotes.push(index);
                    return;
                }
                self.is_head = false;
                if content.ends && content.words >= WORDS_OF_ITEM {
                    self.sentence_items.push(index);
                }
                self.section.items += 1;
                self.section.citing += usize::from(content.is_citing);
            }
            (_, Some((group, lines))) => self.paragraph(index, group, lines),
            _ => {}
        }
    }

    fn paragraph(&mut self, index: usize, group: usize, lines: &Group) {
        let mut content = Content::default();
        for line in lines.lines.iter().map(|&line| &self.parts.lines[line]) {
            content.add(self.content(line.range.clone()));
        }
        if content.words == 0 && content.links == 0 && !content.is_citing {
            return;
        }
        self.is_bare_list[group] = content.is_bare_list();
        if self.is_head && content.links > 0 && lines.lines.len() == 1 && self.is_in_italics(index) {
            self.hatnotes.push(index);
            return;
        }
        self.is_head = false;
        // A citation without a bullet is like an item.
        if content.is_citing && content.words == 0 {
            self.section.items += 1;
            self.section.citing += 1;
        } else {
            self.section.has_paragraph = true;
        }
        self.section.longest = self.section.longest.max(content.bytes);
    }

    /// Returns whether a line at the head is a template that says where else to read.
    fn is_hatnote_template(&self, line: &Line) -> bool {
        let spans = &self.parts.spans;
        let is_template = |span: &&Span| span.kind == Kind::Template;
        let text = &self.parts.text[line.range.clone()];
        // A list in columns is no note, and without an argument there is no link.
        let is_note = text.len() <= LONGEST_HATNOTE && text.contains('|') && !text.contains('\n');
        is_note
            && spans[self.parts.span_at(line.range.start)..]
                .iter()
                .zip(self.parts.span_at(line.range.start)..)
                .take_while(|(span, _)| span.outer.start < line.range.end)
                .filter(|(span, _)| is_template(span) && span.container.is_none())
                .all(|(_, index)| self.kinds[index] == TemplateKind::Unnamed)
    }

    /// Returns whether an item of a list at the head is an indented note.
    fn is_hatnote_item(&self, line: &Line, content: &Content) -> bool {
        let text = &self.parts.text[line.range.clone()];
        text.len() <= LONGEST_HATNOTE && text.starts_with(':') && content.links > 0
    }

    /// Returns whether a line is short, and all of it in italics.
    fn is_in_italics(&self, line: usize) -> bool {
        let text = &self.parts.text[self.parts.lines[line].range.clone()];
        let inner = text.strip_prefix("''").map(|text| text.trim_end_matches('.'));
        text.len() <= LONGEST_HATNOTE
            && inner.and_then(|text| text.strip_suffix("''")).is_some_and(|text| !text.contains("''"))
            && !text.starts_with("'''")
    }

    /// Measures what of a range is outside of templates, references and images.
    fn content(&self, range: Range<usize>) -> Content {
        let (spans, text) = (&self.parts.spans, &*self.parts.text);
        let (mut content, mut follows_link) = (Content::default(), false);
        let (mut at, mut next) = (range.start, self.parts.span_at(range.start));
        while at < range.end {
            while spans.get(next).is_some_and(|span| span.outer.start < at) {
                next += 1;
            }
            let span = spans.get(next).filter(|span| span.outer.start < range.end);
            let upto = span.map_or(range.end, |span| span.outer.start);
            content.text(&text[at..upto], follows_link);
            let Some(span) = span else { break };
            follows_link = span.kind == Kind::Link;
            match span.kind {
                Kind::Link => {
                    content.links += 1;
                    content.bytes += span.outer.len();
                }
                Kind::External => content.is_citing = true,
                Kind::Template => content.is_citing |= self.kinds[next].cites(),
                _ => {}
            }
            at = span.outer.end;
        }
        content
    }

    fn finish(mut self) -> Sections {
        self.sections.push(self.section);
        let mut is_end_matter = vec![false; self.sections.len()];
        // Of each section whether its name, or that of a section around it, says what it is.
        let names = names(self.parts, &self.sections);
        let mut is_at_end = true;
        for (index, section) in self.sections.iter().enumerate().skip(1).rev() {
            let is_bare = section.longest <= LONGEST_SENTENCE;
            let is_listed = !section.has_table && !section.has_paragraph;
            let is_sourced = is_listed && 2 * section.citing >= section.items;
            is_end_matter[index] = is_bare
                && match names[index] {
                    Named::EndMatter => true,
                    Named::AtTheEnd => is_at_end,
                    Named::Works => false,
                    Named::Other => is_at_end && is_sourced,
                };
            is_at_end &= is_end_matter[index];
        }
        Sections {
            headings: self.sections.iter().filter_map(|section| section.heading).collect(),
            // The first is what is before all headings.
            is_end_matter: is_end_matter.split_off(1),
            hatnotes: self.hatnotes,
            is_bare_list: self.is_bare_list,
            sentence_items: self.sentence_items,
        }
    }
}

/// Returns the kinds of the sections by their headings, or by those of the sections that they are in.
fn names(parts: &Parts<'_>, sections: &[Section]) -> Vec<Named> {
    let mut around: Vec<(usize, Named)> = Vec::new();
    let name = |section: &Section| {
        let line = &parts.lines[section.heading?];
        (line.range.len() <= LONGEST_HEADING).then(|| named(&heading(parts, line)))
    };
    let of_section = |section: &Section| {
        while around.last().is_some_and(|(level, _)| *level >= section.level) {
            around.pop();
        }
        let own = name(section).unwrap_or(Named::Other);
        let name = match (own, around.last()) {
            (Named::Other, Some((_, outer))) => *outer,
            _ => own,
        };
        around.push((section.level, name));
        name
    };
    sections.iter().map(of_section).collect()
}

/// Returns a heading as plain text.
pub(super) fn heading(parts: &Parts<'_>, line: &Line) -> String {
    let mut writer = Writer::default();
    Renderer::new(parts).render(without_marks(&parts.text, line), &mut writer);
    writer.finish().text
}

/// The contents of a line or a paragraph.
#[derive(Default)]
struct Content {
    /// Words outside of links.
    words: usize,
    links: usize,
    /// Bytes of text and links.
    bytes: usize,
    /// True if it has an external link or a citation.
    is_citing: bool,
    /// True if it ends as sentences do.
    ends: bool,
}

impl Content {
    /// Adds text that holds no span; letters that follow a link directly belong to it.
    fn text(&mut self, text: &str, follows_link: bool) {
        self.bytes += text.len();
        if let Some(last) = text.chars().rev().find(|c| !c.is_whitespace() && *c != '\'') {
            self.ends = matches!(last, '.' | '!' | '?' | '。' | '।' | '؟' | '！' | '？');
        }
        if self.words >= MOST_WORDS {
            return;
        }
        let mut is_inside = follows_link;
        for c in decode_entities(text).chars() {
            if self.words >= MOST_WORDS {
                break;
            }
            // Scripts without spaces: each letter is about a word.
            let is_word = matches!(u32::from(c), 0x0E00..=0x109F | 0x1780..=0x17FF | 0x3040..=0x9FFF);
            let is_letter = c.is_alphabetic();
            self.words += usize::from(is_letter && (is_word || !is_inside));
            is_inside = is_letter || (is_inside && (c.is_numeric() || c == '\''));
        }
    }

    fn add(&mut self, other: Content) {
        self.words += other.words;
        self.links += other.links;
        self.bytes += other.bytes;
        self.is_citing |= other.is_citing;
        self.ends = other.ends;
    }

    fn is_bare_list(&self) -> bool {
        let is_short = self.words < WORDS_OF_SENTENCE && !self.ends;
        match self.links {
            0 => false,
            1 => self.words == 0 && !self.ends,
            _ => is_short || (self.words < MOST_WORDS && (self.words + 1) * LINKS_FOR_WORD < self.links),
        }
    }
}
