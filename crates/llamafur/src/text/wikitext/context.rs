//! The part of a page that a link belongs to: its paragraph, list item, table row, template argument, caption,
//! reference or heading.

use super::layout::{Layout, is_box};
use super::lines::LineKind;
use super::places::Place;
use super::plain::without_marks;
use super::render::{Parts, Renderer};
use super::spans::Kind;
use super::writer::Writer;
use memchr::memchr;
use std::ops::Range;

/// The deepest nesting of templates that is left in search of more text: more would cost too much on a hostile page.
const MOST_LEVELS: usize = 8;

/// Names of template arguments that are captions of images.
const CAPTIONS: [&str; 11] = [
    "caption",
    "image caption",
    "footer",
    "legende",
    "légende",
    "bildunterschrift",
    "didascalia",
    "onderschrift",
    "bildtext",
    "podpis",
    "подпись",
];

/// The longest name of an argument that is shown, in bytes.
const LONGEST_NAME: usize = 60;

/// The longest name of an argument with the space around it, in bytes.
const LONGEST_WITH_SPACES: usize = 1000;

/// The part of a page that a link belongs to, and how it is written.
pub(super) struct Unit {
    pub(super) place: Place,
    /// The name of the template's argument.
    pub(super) label: String,
    pub(super) source: Source,
    /// The templates around the link that are no more than its dress, with the arguments that hold it, the smallest first.
    pub(super) shown: Vec<(usize, Range<usize>)>,
}

/// The source of a unit's text.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) enum Source {
    /// A part of the page that is not its lines, perhaps with commas between what is on its lines.
    Range(Range<usize>, bool),
    /// A line.
    Line(usize),
    /// A paragraph or a row of a table, by its number.
    Group(usize),
    /// No text: the link is where none can be.
    Nowhere,
}

impl Source {
    /// Returns the start of the source; `None` if it is nowhere.
    pub(super) fn start(&self, parts: &Parts<'_>, layout: &Layout) -> Option<usize> {
        match self {
            Source::Range(range, _) => Some(range.start),
            Source::Line(line) => Some(parts.lines[*line].range.start),
            Source::Group(group) => {
                layout.group(*group).lines.first().map(|line| parts.lines[*line].range.start)
            }
            Source::Nowhere => None,
        }
    }

    /// Returns the length of the source in bytes.
    pub(super) fn length(&self, parts: &Parts<'_>, layout: &Layout) -> usize {
        match self {
            Source::Range(range, _) => range.len(),
            Source::Line(line) => parts.lines[*line].range.len(),
            Source::Group(group) => layout.group(*group).length,
            Source::Nowhere => 0,
        }
    }
}

/// Returns the unit of a link, which is an index into the page's spans.
pub(super) fn unit(parts: &Parts<'_>, layout: &Layout, link: usize) -> Unit {
    Finder { parts, layout, link, at: parts.spans[link].outer.start, shown: Vec::new() }.unit()
}

/// The search for the unit of a link.
struct Finder<'p> {
    parts: &'p Parts<'p>,
    layout: &'p Layout,
    link: usize,
    at: usize,
    shown: Vec<(usize, Range<usize>)>,
}

impl Finder<'_> {
    fn unit(mut self) -> Unit {
        let (place, label, source) = self.around().unwrap_or_else(|| {
            let (place, source) = self.line();
            (place, String::new(), source)
        });
        Unit { place: self.in_section(place), label, source, shown: self.shown }
    }

    /// Returns the place of the link, given what it is in: the section may say more.
    fn in_section(&self, place: Place) -> Place {
        if !matches!(place, Place::Prose | Place::List | Place::Template) {
            return place;
        }
        let Some(line) = self.parts.line_at(self.at) else { return place };
        let sections = self.layout.sections();
        let is_bare_list = || self.layout.group_of(line).is_some_and(|group| sections.is_bare_list(group));
        match place {
            _ if sections.is_hatnote(line) => Place::Hatnote,
            Place::Prose | Place::List if sections.is_end_matter(line) => Place::EndMatter,
            Place::Prose if is_bare_list() => Place::List,
            Place::List if sections.is_sentence_item(line) => Place::Prose,
            _ => place,
        }
    }

    /// Finds the template, reference, gallery or image that takes the link out of the running text.
    fn around(&mut self) -> Option<(Place, String, Source)> {
        let found = |place, label, range, commas| Some((place, label, Source::Range(range, commas)));
        let mut container = self.parts.spans[self.link].container;
        while let Some(index) = container {
            let span = &self.parts.spans[index];
            match span.kind {
                Kind::Template => {
                    let (name, value) = self.argument(index);
                    let is_box = is_box(self.parts, span) || self.layout.is_citation(index);
                    if !name.is_empty() || is_box || self.shown.len() == MOST_LEVELS {
                        let is_in_reference = self.layout.is_in_reference(index);
                        // Templates that set a list in columns take all of it as one argument.
                        let line = self.piece(index, value.clone(), b'\n');
                        let is_item =
                            name.is_empty() && self.parts.text[line.clone()].starts_with(['*', '#']);
                        return match () {
                            () if is_item && !is_in_reference => found(Place::List, name, line, false),
                            () if is_in_reference => found(Place::Reference, name, value, true),
                            () if is_caption(&name) => found(Place::Caption, String::new(), value, false),
                            () => found(Place::Template, name, value, true),
                        };
                    }
                    self.shown.push((index, value));
                }
                Kind::Reference => {
                    return found(Place::Reference, String::new(), span.inside.clone(), false);
                }
                Kind::Gallery => {
                    let line = self.piece(index, span.inside.clone(), b'\n');
                    return found(Place::Caption, String::new(), self.piece(index, line, b'|'), false);
                }
                _ => {
                    let caption = self.piece(index, span.inside.clone(), b'|');
                    return found(Place::Caption, String::new(), caption, false);
                }
            }
            container = span.container;
        }
        None
    }

    /// Finds the piece of a range of a container, between separators that are in no smaller span, in which the link is.
    fn piece(&self, container: usize, range: Range<usize>, separator: u8) -> Range<usize> {
        let before = self.layout.last(container, separator, range.start..self.at);
        let after = self.layout.first(container, separator, self.at..range.end);
        before.map_or(range.start, |at| at + 1)..after.unwrap_or(range.end)
    }

    /// Returns the name, if it is worth showing, and the value of the argument in which the link is.
    fn argument(&self, template: usize) -> (String, Range<usize>) {
        let (text, inside) = (&*self.parts.text, self.parts.spans[template].inside.clone());
        let argument = self.piece(template, inside.clone(), b'|');
        let equals = self.layout.first(template, b'=', argument.start..self.at);
        let equals = equals.filter(|_| argument.start > inside.start);
        // Of a longer one most is space, and looking through it for each of many links would take long.
        let short = equals.filter(|equals| equals - argument.start <= LONGEST_WITH_SPACES);
        let name = short.map_or("", |equals| text[argument.start..equals].trim());
        let is_name =
            !name.is_empty() && name.len() <= LONGEST_NAME && !name.contains(['[', '{', '<', '\n', '"']);
        let start = equals.filter(|_| is_name).map_or(argument.start, |equals| equals + 1);
        let shown = if is_name && !name.bytes().all(|byte| byte.is_ascii_digit()) { name } else { "" };
        let words: Vec<&str> =
            shown.split(|c: char| c == '_' || c.is_whitespace()).filter(|w| !w.is_empty()).collect();
        (words.join(" "), start..argument.end)
    }

    /// Finds the source of a link that is not in a template, reference or caption.
    fn line(&self) -> (Place, Source) {
        let Some(index) = self.parts.line_at(self.at) else { return (Place::Prose, Source::Nowhere) };
        let (line, group) = (&self.parts.lines[index], self.layout.group_of(index));
        match (line.table, line.kind, group) {
            (Some(_), _, Some(row)) => (Place::Table, Source::Group(row)),
            (Some(_), _, None) => (Place::Table, Source::Nowhere),
            (None, LineKind::Item, _) => (Place::List, Source::Line(index)),
            (None, LineKind::Heading, _) => (Place::Heading, Source::Line(index)),
            (None, _, Some(paragraph)) => (Place::Prose, Source::Group(paragraph)),
            (None, _, None) => (Place::Prose, Source::Line(index)),
        }
    }
}

/// Returns whether the name of an argument, perhaps with a number, is that of a caption.
fn is_caption(name: &str) -> bool {
    let name = name.to_lowercase();
    CAPTIONS.contains(&name.trim_end_matches(|c: char| c.is_ascii_digit() || c == ' '))
}

/// A writer of units as plain text.
pub(super) struct UnitRenderer<'p> {
    pub(super) parts: &'p Parts<'p>,
    pub(super) layout: &'p Layout,
    /// The renderers of text without commas, and of text with them.
    pub(super) renderers: [Renderer<'p>; 2],
    /// The start of the link whose unit it is; `None` if it is that of several.
    pub(super) at: Option<usize>,
}

impl UnitRenderer<'_> {
    pub(super) fn render(&self, source: &Source, writer: &mut Writer) {
        let parts = self.parts;
        match source {
            Source::Nowhere => {}
            Source::Range(range, commas) => {
                self.renderer(*commas).render(self.without_bullets(range.clone()), writer);
            }
            Source::Line(index) => {
                let line = &parts.lines[*index];
                let range = match line.kind {
                    LineKind::Item => self.without_bullets(line.range.clone()),
                    LineKind::Heading => without_marks(&parts.text, line),
                    _ => self.without_bullets(line.range.clone()),
                };
                self.renderer(false).render(range, writer);
            }
            Source::Group(group) => {
                for line in self.layout.group(*group).lines.iter().map(|&line| &parts.lines[line]) {
                    match (line.table, line.kind) {
                        (None, _) => {
                            writer.blank();
                            self.renderer(false).render(line.range.clone(), writer);
                        }
                        (Some(_), LineKind::Cells) => self.cells(line.range.clone(), writer),
                        (Some(_), LineKind::Item) => {
                            writer.comma();
                            self.renderer(true).render(self.without_bullets(line.range.clone()), writer);
                        }
                        (Some(_), _) => {
                            writer.blank();
                            self.renderer(true).render(line.range.clone(), writer);
                        }
                    }
                }
            }
        }
    }

    fn renderer(&self, commas: bool) -> &Renderer<'_> {
        &self.renderers[usize::from(commas)]
    }

    /// Returns the range without the whitespace and marks of a list before it.
    fn without_bullets(&self, range: Range<usize>) -> Range<usize> {
        let text = self.parts.text[range.clone()].trim_start();
        range.end - text.trim_start_matches(['*', '#', ':', ';']).len()..range.end
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
            if let Some(at) = memchr(b'|', &bytes[gap.clone()]) {
                start = gap.start + at + 1;
                break;
            }
            let spans = &self.parts.spans;
            if spans.get(self.parts.span_at(gap.end)).is_some_and(|span| span.kind == Kind::Link) {
                break;
            }
        }
        if self.at.is_some_and(|at| cell.start <= at && at < start) {
            start = cell.start;
        }
        writer.bar();
        self.renderer(true).render(start..cell.end, writer);
    }
}
