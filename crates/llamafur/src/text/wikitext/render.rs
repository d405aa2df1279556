//! A page taken apart, and parts of it as plain text.

use super::bytes::byte_set;
use super::entities::decode_entities;
use super::inline_templates::value;
use super::lines::{Line, lines};
use super::links::target_of;
use super::parsed::ArticleLink;
use super::spans::{Kind, Span, spans};
use super::title::Titles;
use super::writer::Writer;
use memchr::memchr_iter;
use std::borrow::Cow;
use std::ops::Range;

/// Templates that change no more than the look of their last argument.
const DRESSES: [&str; 9] = ["lang", "nowrap", "nobr", "small", "smaller", "big", "nobold", "em", "strong"];

/// The longest content of such a template, in bytes.
const LONGEST_DRESSED: usize = 1000;

/// Spans that are looked at one by one before a span is searched for.
const NEAR: usize = 8;

/// A page taken apart.
pub(super) struct Parts<'t> {
    pub(super) text: Cow<'t, str>,
    pub(super) spans: Vec<Span>,
    pub(super) lines: Vec<Line>,
}

impl<'t> Parts<'t> {
    /// Parses a page into its parts.
    pub(super) fn new(text: impl Into<Cow<'t, str>>, titles: &Titles) -> Parts<'t> {
        let text = text.into();
        let spans = spans(&text, titles);
        Parts::with_spans(text, spans)
    }

    /// Parses a page whose spans are known.
    pub(super) fn with_spans(text: Cow<'t, str>, spans: Vec<Span>) -> Parts<'t> {
        let lines = lines(&text, &spans);
        Parts { text, spans, lines }
    }

    /// Returns the index of the first span that begins at `at` or later.
    pub(super) fn span_at(&self, at: usize) -> usize {
        self.spans.partition_point(|span| span.outer.start < at)
    }

    /// Finds the span as `span_at` does, from one of those before it. Deeply nested spans are not passed one by one.
    fn next_span(&self, span: usize, at: usize) -> usize {
        let is_before = |span: &Span| span.outer.start < at;
        let step = self.spans[span..].iter().take(NEAR).take_while(|span| is_before(span)).count();
        if step < NEAR { span + step } else { self.span_at(at) }
    }

    /// Returns the parts of a range that no span covers, in order.
    pub(super) fn gaps(&self, range: Range<usize>) -> impl Iterator<Item = Range<usize>> {
        let (mut at, mut next) = (range.start, self.span_at(range.start));
        std::iter::from_fn(move || {
            if at >= range.end {
                return None;
            }
            while self.spans.get(next).is_some_and(|span| span.outer.start < at) {
                next += 1;
            }
            let start = at;
            match self.spans.get(next).filter(|span| span.outer.start < range.end) {
                Some(span) => {
                    at = span.outer.end;
                    Some(start..span.outer.start)
                }
                None => {
                    at = range.end;
                    Some(start..at)
                }
            }
        })
    }

    /// Returns the index of the line in which `at` is.
    pub(super) fn line_at(&self, at: usize) -> Option<usize> {
        let index = self.lines.partition_point(|line| line.range.start <= at).checked_sub(1)?;
        (at < self.lines[index].range.end).then_some(index)
    }

    /// Returns the text in a template that changes no more than the look of it.
    fn dressed_text(&self, span: &Span) -> Option<Range<usize>> {
        // Longer ones are rare, and looking through each of many nested ones would take long.
        if span.kind != Kind::Template || span.inside.len() > LONGEST_DRESSED {
            return None;
        }
        let (name, _) = self.text[span.inside.clone()].split_once('|')?;
        let name = name.trim().to_lowercase();
        if !DRESSES.contains(&name.as_str()) {
            return None;
        }
        let pipes = self.gaps(span.inside.clone()).flat_map(|gap| {
            memchr_iter(b'|', &self.text.as_bytes()[gap.clone()])
                .map(move |at| gap.start + at)
                .collect::<Vec<_>>()
        });
        let pipes: Vec<usize> = pipes.chain([span.inside.end]).collect();
        let arguments = pipes.windows(2).map(|pair| pair[0] + 1..pair[1]);
        // Arguments with a name say how it looks.
        let is_text = |argument: &Range<usize>| {
            let name = self.text[argument.clone()].split('=').next().unwrap_or_default();
            name.len() == argument.len()
                || !name.trim().bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'-')
        };
        arguments.rev().find(is_text)
    }

    /// Returns the visible text of a link, with the letters that follow it directly, and the end of those. Where its
    /// text is made by a template, the title is taken.
    pub(super) fn visible_link(&self, index: usize) -> (String, usize) {
        let span = &self.spans[index];
        let mut visible = String::new();
        if !span.inside.is_empty() {
            let mut writer = Writer::default();
            Renderer::new(self).render(span.inside.clone(), &mut writer);
            visible = writer.finish().text;
        }
        if visible.is_empty() {
            let has_text = span.inside.start < span.outer.end;
            visible = visible_target(&self.text[span.outer.clone()], has_text);
        }
        let end = span.outer.end + trail(&self.text[span.outer.end..]);
        visible.push_str(&self.text[span.outer.end..end]);
        (visible, end)
    }
}

/// Returns how many bytes of the text belong to the link before it: the ending of a word.
fn trail(text: &str) -> usize {
    text.chars().take_while(|c| c.is_lowercase()).map(char::len_utf8).sum()
}

/// Returns the visible text of a link without a text; if it has an empty one, the title without namespace and brackets.
fn visible_target(link: &str, has_text: bool) -> String {
    let target = target_of(link);
    let decoded = decode_entities(target.trim());
    let mut shown = decoded.strip_prefix(':').unwrap_or(&decoded).trim();
    if has_text {
        shown = shown.split_once(':').map_or(shown, |(_, name)| name).trim();
        shown = shown.rfind(" (").filter(|_| shown.ends_with(')')).map_or(shown, |at| &shown[..at]);
    }
    if shown.is_empty() {
        shown = &decoded;
    }
    // Underscores are spaces in titles, and nobody wants to read them.
    shown
        .split(|c: char| c == '_' || c.is_whitespace())
        .filter(|word| !word.is_empty())
        .collect::<Vec<_>>()
        .join(" ")
}

/// A writer of parts of a page as plain text.
#[derive(Clone)]
pub(super) struct Renderer<'p> {
    parts: &'p Parts<'p>,
    /// The link whose place is wanted.
    target: Option<usize>,
    /// Spans that are left out otherwise, with the part of each that is shown.
    shown: &'p [(usize, Range<usize>)],
    /// True if the items of a list, and lines broken on purpose, are separated by commas.
    commas: bool,
    /// Links that are left out, by their beginnings, and what is written in their place.
    left_out: (&'p [ArticleLink], char),
    /// Links that are marked, by their beginnings, and with them what is bold and italic by tags; `None` marks nothing.
    marked: Option<&'p [ArticleLink]>,
}

/// A span that is being written.
struct Entered {
    /// The end of the part that is shown.
    inside_end: usize,
    /// The place to continue at then.
    end: usize,
    /// The start of its text, if it is a link, in which no sentence ends.
    link: Option<usize>,
    /// True if it is a link that is marked.
    is_marked: bool,
}

impl<'p> Renderer<'p> {
    /// Writes all as plain text.
    pub(super) fn new(parts: &'p Parts<'p>) -> Renderer<'p> {
        Renderer { parts, target: None, shown: &[], commas: false, left_out: (&[], ' '), marked: None }
    }

    /// Writes a character in the place of each of these links.
    pub(super) fn without_links(parts: &'p Parts<'p>, links: &'p [ArticleLink], mark: char) -> Renderer<'p> {
        Renderer { left_out: (links, mark), ..Renderer::new(parts) }
    }

    /// Marks these links, with the letters that follow each directly, and what is bold and italic.
    pub(super) fn with_links(parts: &'p Parts<'p>, links: &'p [ArticleLink]) -> Renderer<'p> {
        Renderer { marked: Some(links), ..Renderer::new(parts) }
    }

    /// Writes commas between the items of a list, and where lines are broken on purpose.
    pub(super) fn with_commas(self) -> Renderer<'p> {
        Renderer { commas: true, ..self }
    }

    /// Notes the place of a link. The spans that hold it are shown, as far as the ranges go.
    pub(super) fn with_target(
        parts: &'p Parts<'p>,
        target: usize,
        shown: &'p [(usize, Range<usize>)],
    ) -> Renderer<'p> {
        Renderer { target: Some(target), shown, ..Renderer::new(parts) }
    }

    /// Writes a range, which must not begin or end inside a span that begins or ends outside of it.
    pub(super) fn render(&self, range: Range<usize>, out: &mut Writer) {
        let spans = &self.parts.spans;
        let mut entered: Vec<Entered> = Vec::new();
        let mut at = range.start;
        let mut next = self.parts.span_at(at);
        loop {
            let limit = entered.last().map_or(range.end, |entered| entered.inside_end);
            let upto = spans.get(next).map_or(limit, |span| span.outer.start.min(limit));
            if at < upto {
                self.text(at..upto, out);
                at = upto;
            }
            if at >= limit {
                let Some(left) = entered.pop() else { break };
                if let Some(start) = left.link {
                    out.keep_together(start);
                }
                at = at.max(left.end);
                if left.is_marked {
                    at = self.end_link(at, out);
                }
            } else {
                at = self.span(next, &mut entered, out);
            }
            next = self.parts.next_span(next, at);
        }
    }

    /// Writes a span, or enters it; returns where to continue.
    fn span(&self, index: usize, entered: &mut Vec<Entered>, out: &mut Writer) -> usize {
        let span = &self.parts.spans[index];
        let text = &*self.parts.text;
        match span.kind {
            Kind::Tag if self.marked.is_some() => tag_style(&text[span.outer.clone()], out),
            Kind::Comment | Kind::Tag => {}
            Kind::Break if self.commas => out.comma(),
            Kind::Break | Kind::Block => out.blank(),
            Kind::Literal => out.push(&decode_entities(&text[span.inside.clone()])),
            Kind::Link if self.target == Some(index) => {
                let (visible, end) = self.parts.visible_link(index);
                out.push_anchor(&visible);
                return end;
            }
            Kind::Link if self.is_left_out(span) => out.push(self.left_out.1.encode_utf8(&mut [0; 4])),
            Kind::Link if span.inside.is_empty() => {
                let has_text = span.inside.start < span.outer.end;
                let start = out.position();
                let is_marked = self.begin_link(span, out);
                out.push(&visible_target(&text[span.outer.clone()], has_text));
                out.keep_together(start);
                if is_marked {
                    return self.end_link(span.outer.end, out);
                }
            }
            Kind::Link | Kind::External => {
                let link = (span.kind == Kind::Link).then_some(out.position());
                let is_marked = link.is_some() && self.begin_link(span, out);
                entered.push(Entered { inside_end: span.inside.end, end: span.outer.end, link, is_marked });
                if span.kind == Kind::External && span.inside.is_empty() {
                    out.drop_something();
                }
                return span.inside.start;
            }
            Kind::Template | Kind::Reference | Kind::Gallery | Kind::File | Kind::Dropped => {
                let shown =
                    self.shown.iter().find(|(shown, _)| *shown == index).map(|(_, part)| part.clone());
                if let Some(part) = shown.or_else(|| self.parts.dressed_text(span)) {
                    let (inside_end, end) = (part.end, span.outer.end);
                    entered.push(Entered { inside_end, end, link: None, is_marked: false });
                    return part.start;
                }
                match value(&text[span.inside.clone()]).filter(|_| span.kind == Kind::Template) {
                    Some(words) => out.push(&words),
                    None => out.drop_something(),
                }
            }
        }
        span.outer.end
    }

    fn is_left_out(&self, span: &Span) -> bool {
        number_of(self.left_out.0, span).is_some()
    }

    /// Begins a link, if it is to be marked.
    fn begin_link(&self, span: &Span, out: &mut Writer) -> bool {
        let number = self.marked.and_then(|links| number_of(links, span));
        if number.is_some() {
            out.link(number);
        }
        number.is_some()
    }

    /// Ends the marked link that ends at `at`, after the letters that follow it directly; returns where to continue.
    fn end_link(&self, at: usize, out: &mut Writer) -> usize {
        let end = at + trail(&self.parts.text[at..]);
        out.end_own_text();
        out.push(&self.parts.text[at..end]);
        out.link(None);
        end
    }

    /// Writes text that holds no span.
    fn text(&self, range: Range<usize>, out: &mut Writer) {
        let (text, bytes) = (&*self.parts.text, self.parts.text.as_bytes());
        let mut at = range.start;
        while let Some(length) = bytes[at..range.end].iter().position(|&byte| MARKUP[byte as usize]) {
            out.push(&decode_entities(&text[at..at + length]));
            at += length;
            let row = bytes[at..range.end].iter().take_while(|&&byte| byte == bytes[at]).count();
            match bytes[at] {
                b'\'' => {
                    let elided = row == 3 && is_elision(text, at);
                    let letters = if elided { 1 } else { out.quotes(row) };
                    (0..letters).for_each(|_| out.push("'"));
                }
                b'\n' => {
                    out.blank();
                    let rest = &text[at + row..range.end];
                    let item =
                        rest.trim_start_matches([' ', '\t', '\r']).trim_start_matches(['*', '#', ':', ';']);
                    if self.commas && item.len() < rest.len() {
                        out.comma();
                        at = range.end - item.len();
                        continue;
                    }
                }
                b'_' if row == 2 => {
                    if let Some(length) = magic_word(&text[at..range.end]) {
                        at += length;
                        continue;
                    }
                    out.push("__");
                }
                b'[' | b']' | b'{' | b'}' if row >= 2 => {}
                _ => out.push(&text[at..at + row]),
            }
            at += row;
        }
        out.push(&decode_entities(&text[at..range.end]));
    }
}

/// Returns the number of the link that a span is.
fn number_of(links: &[ArticleLink], span: &Span) -> Option<usize> {
    links.binary_search_by_key(&span.outer.start, |link| link.span.start).ok()
}

/// Begins or ends what a tag makes italic or bold.
fn tag_style(tag: &str, out: &mut Writer) {
    let name = tag.trim_start_matches(['<', '/']);
    let name = name.split(|c: char| !c.is_ascii_alphanumeric()).next().unwrap_or_default();
    let style = ["i", "b", "em", "strong"].iter().position(|known| known.eq_ignore_ascii_case(name));
    if let Some(style) = style {
        out.tag(style % 2, !tag.starts_with("</"));
    }
}

/// Bytes at which text may be markup.
static MARKUP: [bool; 256] = byte_set(b"'\n_[]{}");

/// Returns whether the first of three apostrophes is a letter, as in `l'''Étranger''`: after a single letter, before
/// one.
fn is_elision(text: &str, at: usize) -> bool {
    let mut before = text[..at].chars().rev();
    let letter = before.next().is_some_and(char::is_alphabetic);
    letter
        && before.next().is_none_or(|c| !c.is_alphanumeric() && c != '\'')
        && text[at + 3..].starts_with(char::is_alphabetic)
}

/// Returns the length of the magic word that the text begins with, such as `__NOTOC__`.
fn magic_word(text: &str) -> Option<usize> {
    const LONGEST: usize = 60;
    let mut end = 2;
    for c in text[2..].chars() {
        if text[end..].starts_with("__") {
            return (end > 2).then_some(end + 2);
        }
        if end > LONGEST || !(c == '_' || c.is_alphabetic()) || c.is_lowercase() {
            return None;
        }
        end += c.len_utf8();
    }
    None
}
