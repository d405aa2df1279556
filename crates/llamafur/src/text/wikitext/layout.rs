//! The groups of a page, found in one pass: the separators of each template, the lines of each paragraph and of each
//! row of a table. So the context of each of the many links of a template or a paragraph is found at once.

use super::citations::{TemplateKind, template_kinds};
use super::lines::{Line, LineKind};
use super::render::Parts;
use super::sections::Sections;
use super::spans::{Kind, Span};
use rapidhash::RapidHashMap;
use std::ops::Range;

/// Bytes that separate what a template, a gallery or an image holds.
const SEPARATORS: [u8; 3] = *b"|\n=";

/// The parts of a page that belong together.
#[derive(Debug)]
pub(super) struct Layout {
    /// Separators that are in a container and in no smaller span, ascending: the container, the byte, the place.
    separators: Vec<(usize, u8, usize)>,
    /// True for each span that is a reference or a citation, or in one.
    in_reference: Vec<bool>,
    /// True for each span that is a template for a citation or a note.
    is_citation: Vec<bool>,
    sections: Sections,
    groups: Vec<Group>,
    /// The group of each line.
    group_of: Vec<Option<usize>>,
}

/// The lines of a paragraph, or of a row of a table.
#[derive(Debug, Default)]
pub(super) struct Group {
    /// The indices of the lines.
    pub(super) lines: Vec<usize>,
    /// The length of all lines in bytes.
    pub(super) length: usize,
}

impl Layout {
    pub(super) fn new(parts: &Parts<'_>) -> Layout {
        let (groups, group_of) = groups(&parts.lines);
        let separators = separators(parts);
        let kinds = template_kinds(parts, &separators);
        let sections = Sections::new(parts, &kinds, &groups, &group_of);
        let is_citation = |(span, kind): (&Span, &TemplateKind)| match kind {
            TemplateKind::None | TemplateKind::Unnamed | TemplateKind::Named => false,
            TemplateKind::Citation | TemplateKind::Note => true,
            // The box of a book or a film looks alike.
            TemplateKind::Citing => !is_box(parts, span) || is_in_end_matter(parts, &sections, span),
        };
        let is_citation: Vec<bool> = parts.spans.iter().zip(&kinds).map(is_citation).collect();
        let in_reference = in_reference(&parts.spans, &is_citation);
        Layout { separators, in_reference, is_citation, sections, groups, group_of }
    }

    pub(super) fn sections(&self) -> &Sections {
        &self.sections
    }

    /// Returns whether a span is a template that is a citation or a note.
    pub(super) fn is_citation(&self, span: usize) -> bool {
        self.is_citation[span]
    }

    /// Returns the last such byte of a container between two places that is in no smaller span.
    pub(super) fn last(&self, container: usize, byte: u8, range: Range<usize>) -> Option<usize> {
        let end = self.separators.partition_point(|place| *place < (container, byte, range.end));
        let &(of, found, at) = self.separators.get(end.checked_sub(1)?)?;
        ((of, found) == (container, byte) && at >= range.start).then_some(at)
    }

    /// Returns the first such byte of a container between two places that is in no smaller span.
    pub(super) fn first(&self, container: usize, byte: u8, range: Range<usize>) -> Option<usize> {
        let start = self.separators.partition_point(|place| *place < (container, byte, range.start));
        let &(of, found, at) = self.separators.get(start)?;
        ((of, found) == (container, byte) && at < range.end).then_some(at)
    }

    /// Returns whether a span is a reference or a citation, or in one.
    pub(super) fn is_in_reference(&self, span: usize) -> bool {
        self.in_reference[span]
    }

    /// Returns the paragraph or row that a line is part of.
    pub(super) fn group_of(&self, line: usize) -> Option<usize> {
        self.group_of[line]
    }

    pub(super) fn group(&self, group: usize) -> &Group {
        &self.groups[group]
    }
}

/// Returns whether a template makes a box of its own rather than being part of a sentence.
pub(super) fn is_box(parts: &Parts<'_>, template: &Span) -> bool {
    let line = parts.line_at(template.outer.start).map(|line| parts.lines[line].kind);
    template.container.is_none() && line == Some(LineKind::Templates)
}

fn is_in_end_matter(parts: &Parts<'_>, sections: &Sections, span: &Span) -> bool {
    parts.line_at(span.outer.start).is_some_and(|line| sections.is_end_matter(line))
}

fn in_reference(spans: &[Span], is_citation: &[bool]) -> Vec<bool> {
    let mut inside: Vec<bool> = Vec::with_capacity(spans.len());
    for (span, is_citation) in spans.iter().zip(is_citation) {
        // What holds a span is before it.
        let is_in_one = span.container.is_some_and(|around| inside[around]);
        inside.push(span.kind == Kind::Reference || *is_citation || is_in_one);
    }
    inside
}

fn separators(parts: &Parts<'_>) -> Vec<(usize, u8, usize)> {
    let (spans, bytes) = (&parts.spans, parts.text.as_bytes());
    let mut found = Vec::new();
    // The spans around a place, the smallest last.
    let mut around: Vec<usize> = Vec::new();
    let mut at = 0;
    for next in 0..=spans.len() {
        let upto = spans.get(next).map_or(bytes.len(), |span| span.outer.start);
        while let Some(&smallest) = around.last() {
            let span = &spans[smallest];
            let end = span.outer.end.min(upto);
            if span.kind.is_container() {
                let inside = at.max(span.inside.start)..end.min(span.inside.end);
                let of_range = bytes.get(inside.clone()).unwrap_or_default();
                let places = of_range.iter().zip(inside).filter(|(byte, _)| SEPARATORS.contains(byte));
                found.extend(places.map(|(&byte, place)| (smallest, byte, place)));
            }
            at = at.max(end);
            if span.outer.end > upto {
                break;
            }
            around.pop();
        }
        at = upto;
        around.push(next);
    }
    found.sort_unstable();
    found
}

fn groups(lines: &[Line]) -> (Vec<Group>, Vec<Option<usize>>) {
    let (mut groups, mut group_of) = (Vec::new(), vec![None; lines.len()]);
    // The row that is open in each table.
    let mut rows: RapidHashMap<usize, usize> = RapidHashMap::default();
    let mut paragraph = None;
    let mut new_group = || {
        groups.push(Group::default());
        groups.len() - 1
    };
    for (index, line) in lines.iter().enumerate() {
        let ends_row = matches!(line.kind, LineKind::TableStart | LineKind::RowStart | LineKind::TableEnd);
        let group = match (line.table, line.kind) {
            (None, LineKind::Text) => Some(*paragraph.get_or_insert_with(&mut new_group)),
            (None, _) => None,
            (Some(table), _) if ends_row => {
                rows.remove(&table);
                None
            }
            // Tables inside a table have rows of their own.
            (Some(table), _) => Some(*rows.entry(table).or_insert_with(&mut new_group)),
        };
        if line.table.is_some() || line.kind != LineKind::Text {
            paragraph = None;
        }
        group_of[index] = group;
    }
    for (index, group) in group_of.iter().enumerate() {
        if let Some(group) = group {
            let group = &mut groups[*group];
            group.lines.push(index);
            group.length += lines[index].range.len();
        }
    }
    (groups, group_of)
}
