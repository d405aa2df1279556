//! What is around a link and belongs to it: its paragraph, list item, table row, template argument,
//! caption, reference or heading.

use super::lines::LineKind;
use super::render::{Parts, Renderer};
use super::snippet::Place;
use super::spans::{Kind, Span};
use super::writer::Writer;
use memchr::{memchr, memchr_iter, memrchr};
use std::ops::Range;

/// Templates nested deeper are not left in search of more text: it would cost too much on a hostile page.
const MOST_LEVELS: usize = 8;

/// The longest name of an argument that is shown, in bytes.
const LONGEST_NAME: usize = 60;

/// What is around a link, as plain text.
pub(super) struct Unit {
    pub(super) place: Place,
    /// The name of the template's argument.
    pub(super) label: String,
    pub(super) text: String,
    /// Where the link is in the text; `None` if it was lost on the way.
    pub(super) anchor: Option<Range<usize>>,
    /// Where no sentence ends.
    pub(super) kept: Vec<Range<usize>>,
}

/// What is around a link, which is an index into the page's spans.
pub(super) fn unit(parts: &Parts, link: usize) -> Unit {
    Builder::new(parts, link).unit()
}

/// Where a link is, without the text around it.
pub(super) fn place(parts: &Parts, link: usize) -> Place {
    Builder::new(parts, link).place()
}

/// What takes a link out of the running text.
struct Around {
    place: Place,
    label: String,
    range: Range<usize>,
    commas: bool,
}

struct Builder<'p> {
    parts: &'p Parts<'p>,
    link: usize,
    at: usize,
    /// The templates around the link that are no more than its dress, with the arguments that hold it.
    shown: Vec<(usize, Range<usize>)>,
}

impl<'p> Builder<'p> {
    fn new(parts: &'p Parts<'p>, link: usize) -> Builder<'p> {
        Builder { parts, link, at: parts.spans[link].outer.start, shown: Vec::new() }
    }

    fn unit(mut self) -> Unit {
        match self.around() {
            Some(Around { place, label, range, commas }) => self.render(place, label, range, commas),
            None => self.line(),
        }
    }

    fn place(mut self) -> Place {
        if let Some(around) = self.around() {
            return around.place;
        }
        match self.parts.line_at(self.at).map(|line| &self.parts.lines[line]) {
            Some(line) if line.table.is_some() => Place::Table,
            Some(line) if line.kind == LineKind::Item => Place::List,
            Some(line) if line.kind == LineKind::Heading => Place::Heading,
            _ => Place::Body,
        }
    }

    /// The template, reference, gallery or image that takes the link out of the running text.
    fn around(&mut self) -> Option<Around> {
        let found = |place, label, range, commas| Some(Around { place, label, range, commas });
        let mut container = self.parts.spans[self.link].container;
        while let Some(index) = container {
            let span = &self.parts.spans[index];
            match span.kind {
                Kind::Template => {
                    let (name, value) = self.argument(span);
                    if !name.is_empty() || self.is_box(span) || self.shown.len() == MOST_LEVELS {
                        // Templates that set a list in columns take all of it as one argument.
                        let line = self.piece(value.clone(), b'\n');
                        if name.is_empty() && self.parts.text[line.clone()].starts_with(['*', '#']) {
                            return found(Place::List, name, line, false);
                        }
                        let place =
                            if self.is_in_reference(index) { Place::Reference } else { Place::Infobox };
                        return found(place, name, value, true);
                    }
                    self.shown.push((index, value));
                }
                Kind::Reference => {
                    return found(Place::Reference, String::new(), span.inside.clone(), false);
                }
                Kind::Gallery => {
                    let line = self.piece(span.inside.clone(), b'\n');
                    return found(Place::Caption, String::new(), self.piece(line, b'|'), false);
                }
                _ => {
                    let caption = self.piece(span.inside.clone(), b'|');
                    return found(Place::Caption, String::new(), caption, false);
                }
            }
            container = span.container;
        }
        None
    }

    /// The piece of the range, between separators that are in no span, in which the link is.
    fn piece(&self, range: Range<usize>, separator: u8) -> Range<usize> {
        let bytes = self.parts.text.as_bytes();
        let mut piece = range.clone();
        for gap in self.parts.gaps(range) {
            if gap.end <= self.at {
                piece.start =
                    memrchr(separator, &bytes[gap.clone()]).map_or(piece.start, |at| gap.start + at + 1);
            } else if let Some(at) = memchr(separator, &bytes[gap.clone()]) {
                piece.end = gap.start + at;
                break;
            }
        }
        piece
    }

    /// The first such byte before the link that is in no span.
    fn first(&self, range: &Range<usize>, byte: u8) -> Option<usize> {
        let bytes = self.parts.text.as_bytes();
        let mut gaps = self.parts.gaps(range.start..self.at);
        gaps.find_map(|gap| memchr(byte, &bytes[gap.clone()]).map(|at| gap.start + at))
    }

    /// The name, if it is worth showing, and the value of the argument in which the link is.
    fn argument(&self, template: &Span) -> (String, Range<usize>) {
        let text = &*self.parts.text;
        let argument = self.piece(template.inside.clone(), b'|');
        let equals = self.first(&argument, b'=').filter(|_| argument.start > template.inside.start);
        let name = equals.map_or("", |equals| text[argument.start..equals].trim());
        let is_name =
            !name.is_empty() && name.len() <= LONGEST_NAME && !name.contains(['[', '{', '<', '\n', '"']);
        let start = equals.filter(|_| is_name).map_or(argument.start, |equals| equals + 1);
        let shown = if is_name && !name.bytes().all(|byte| byte.is_ascii_digit()) { name } else { "" };
        let words: Vec<&str> =
            shown.split(|c: char| c == '_' || c.is_whitespace()).filter(|w| !w.is_empty()).collect();
        (words.join(" "), start..argument.end)
    }

    /// Whether a template makes a box of its own rather than being part of a sentence.
    fn is_box(&self, template: &Span) -> bool {
        let line = self.parts.line_at(template.outer.start).map(|line| self.parts.lines[line].kind);
        template.container.is_none() && line == Some(LineKind::Templates)
    }

    fn is_in_reference(&self, span: usize) -> bool {
        let mut around = std::iter::successors(Some(span), |&span| self.parts.spans[span].container);
        around.any(|span| self.parts.spans[span].kind == Kind::Reference)
    }

    fn renderer(&self, commas: bool) -> Renderer<'_> {
        Renderer::with_target(self.parts, self.link, &self.shown, commas)
    }

    fn render(&self, place: Place, label: String, range: Range<usize>, commas: bool) -> Unit {
        let mut writer = Writer::default();
        self.renderer(commas).render(self.without_bullets(range), &mut writer);
        Unit::new(place, label, writer)
    }

    /// The range without the whitespace and marks of a list before it.
    fn without_bullets(&self, range: Range<usize>) -> Range<usize> {
        let text = self.parts.text[range.clone()].trim_start();
        range.end - text.trim_start_matches(['*', '#', ':', ';']).len()..range.end
    }

    /// What is around a link that is not in a template, reference or caption.
    fn line(&self) -> Unit {
        let parts = self.parts;
        let Some(index) = parts.line_at(self.at) else {
            return Unit::new(Place::Body, String::new(), Writer::default());
        };
        let line = &parts.lines[index];
        if let Some(table) = line.table {
            return self.row(index, table);
        }
        match line.kind {
            LineKind::Item => self.render(Place::List, String::new(), line.range.clone(), false),
            LineKind::Heading => {
                let whole = &parts.text[line.range.clone()];
                let start = line.range.end - whole.trim_start_matches('=').len();
                let end = line.range.start + whole.trim_end_matches('=').len();
                self.render(Place::Heading, String::new(), start..end, false)
            }
            LineKind::Text => {
                let goes_on = |line: &super::lines::Line| line.kind == LineKind::Text && line.table.is_none();
                let before = parts.lines[..index].iter().rev().take_while(|line| goes_on(line)).count();
                let after = parts.lines[index..].iter().take_while(|line| goes_on(line)).count();
                let mut writer = Writer::default();
                for line in &parts.lines[index - before..index + after] {
                    writer.blank();
                    self.renderer(false).render(line.range.clone(), &mut writer);
                }
                Unit::new(Place::Body, String::new(), writer)
            }
            _ => self.render(Place::Body, String::new(), line.range.clone(), false),
        }
    }

    /// The row of a table, cells parted by bars.
    fn row(&self, index: usize, table: usize) -> Unit {
        let lines = &self.parts.lines;
        let ends_row = |line: &super::lines::Line| {
            line.table == Some(table)
                && matches!(line.kind, LineKind::TableStart | LineKind::RowStart | LineKind::TableEnd)
        };
        let before = lines[..index].iter().rev().take_while(|line| !ends_row(line)).count();
        let after = lines[index..].iter().take_while(|line| !ends_row(line)).count();
        let mut writer = Writer::default();
        // Tables inside this one are left out.
        for line in lines[index - before..index + after].iter().filter(|line| line.table == Some(table)) {
            match line.kind {
                LineKind::Cells => self.cells(line.range.clone(), &mut writer),
                LineKind::Item => {
                    writer.comma();
                    self.renderer(true).render(self.without_bullets(line.range.clone()), &mut writer);
                }
                _ => {
                    writer.blank();
                    self.renderer(true).render(line.range.clone(), &mut writer);
                }
            }
        }
        Unit::new(Place::Table, String::new(), writer)
    }

    /// Writes the cells of one line of a table.
    fn cells(&self, line: Range<usize>, writer: &mut Writer) {
        let bytes = self.parts.text.as_bytes();
        let is_head = bytes[line.start] == b'!';
        let marks = if bytes[line.start..line.end].starts_with(b"|+") { 2 } else { 1 };
        let mut start = line.start + marks;
        for gap in self.parts.gaps(start..line.end) {
            let mut from = gap.start;
            while let Some(at) =
                bytes[from..gap.end].windows(2).position(|pair| pair == b"||" || (is_head && pair == b"!!"))
            {
                self.cell(start..from + at, writer);
                from += at + 2;
                start = from;
            }
        }
        self.cell(start..line.end, writer);
    }

    /// Writes a cell without the attributes that are before its `|`; a link is no attribute.
    fn cell(&self, cell: Range<usize>, writer: &mut Writer) {
        let bytes = self.parts.text.as_bytes();
        let mut start = cell.start;
        for gap in self.parts.gaps(cell.clone()) {
            if let Some(at) = memchr_iter(b'|', &bytes[gap.clone()]).next() {
                start = gap.start + at + 1;
                break;
            }
            let spans = &self.parts.spans;
            if spans.get(self.parts.span_at(gap.end)).is_some_and(|span| span.kind == Kind::Link) {
                break;
            }
        }
        if cell.start <= self.at && self.at < start {
            start = cell.start;
        }
        writer.bar();
        self.renderer(true).render(start..cell.end, writer);
    }
}

impl Unit {
    fn new(place: Place, label: String, writer: Writer) -> Unit {
        let (text, anchor, kept) = writer.finish();
        Unit { place, label, text, anchor, kept }
    }
}
