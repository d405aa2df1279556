//! The nested parts of a page: links, templates, references, images, tags, comments, each with its place.
//!
//! One pass from left to right with a stack of what is open. An opener that nothing closes is text, as in
//! MediaWiki. What [`links`] finds is the truth: nothing crosses the border of a link. References are as
//! strong; templates win over images and external links, which a `}}` from outside leaves behind as text.

use super::bytes::byte_set;
use super::links::{Link, links};
use super::magic_words;
use super::regions::Regions;
use super::site::{CATEGORIES, FILES};
use super::tags::{CONTAINERS, TagKind, last_closings, tag};
use super::title::{Target, Titles, is_address};
use std::cmp::Reverse;
use std::iter::Peekable;
use std::ops::Range;

/// The kind of a span.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// `<!-- … -->`
    Comment,
    /// `<nowiki>` and `<pre>`: text in which markup means nothing.
    Literal,
    /// Formulas and the like, categories, images without links in their captions.
    Dropped,
    /// A link that readers see.
    Link,
    /// `[http://… text]`
    External,
    /// `{{…}}` or `{{{…}}}`
    Template,
    /// `<ref>…</ref>`
    Reference,
    /// `<gallery>…</gallery>` and other tags whose content is no part of the text.
    Gallery,
    /// An image with a link in its caption, or with a target.
    File,
    /// A tag that leaves no trace.
    Tag,
    /// `<br>`
    Break,
    /// A tag that ends the paragraph.
    Block,
}

impl Kind {
    /// Returns whether it takes what it holds out of the running text.
    pub(super) fn is_container(self) -> bool {
        matches!(self, Kind::Template | Kind::Reference | Kind::Gallery | Kind::File)
    }
}

/// A part of a page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Span {
    pub(super) kind: Kind,
    /// The whole of it, with its brackets.
    pub(super) outer: Range<usize>,
    /// The range of its content; of links, the text after the `|`.
    pub(super) inside: Range<usize>,
    /// The next larger span that takes it out of the running text.
    pub(super) container: Option<usize>,
}

/// Finds the spans of a page by their beginnings; two of them are apart, or one holds the other.
pub(super) fn spans(text: &str, titles: &Titles) -> Vec<Span> {
    spans_with_links(text, titles, sorted_links(text, titles))
}

/// Finds the links of a page by their beginnings.
pub(super) fn sorted_links<'t>(text: &'t str, titles: &'t Titles) -> Vec<Link<'t>> {
    let mut links: Vec<Link> = links(text, titles).collect();
    links.sort_by_key(|link| link.span.start);
    links
}

/// Returns the spans of a page whose links are known.
pub(super) fn spans_with_links(text: &str, titles: &Titles, links: Vec<Link<'_>>) -> Vec<Span> {
    let mut scanner = Scanner {
        text,
        titles,
        regions: Regions::new(text),
        links: links.into_iter().peekable(),
        last_closings: last_closings(text.as_bytes()),
        spans: Vec::new(),
        open: Vec::new(),
        walls: Vec::new(),
        open_braces: 0,
        link_ends: Vec::new(),
        buffer: String::new(),
    };
    let mut at = 0;
    while let Some(length) = text.as_bytes()[at..].iter().position(|&byte| SPECIAL[byte as usize]) {
        at = scanner.step(at + length);
    }
    scanner.pass_options(text.len());
    let mut spans = scanner.spans;
    spans.sort_unstable_by_key(|span| (span.outer.start, Reverse(span.outer.end)));
    find_containers(&mut spans);
    spans
}

fn find_containers(spans: &mut [Span]) {
    let mut around: Vec<usize> = Vec::new();
    for i in 0..spans.len() {
        while around.last().is_some_and(|&last| spans[last].outer.end <= spans[i].outer.start) {
            around.pop();
        }
        spans[i].container = around.last().copied();
        if spans[i].kind.is_container() {
            around.push(i);
        }
    }
}

/// Bytes at which something may begin or end.
static SPECIAL: [bool; 256] = byte_set(b"[]{}<\n");

/// An open piece of markup.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Opener {
    /// A row of braces, of which this many are not closed yet.
    Braces(usize),
    File,
    External,
    /// A link that [`links`] found, with the kind of span that it makes.
    Link(Kind),
    /// A tag of [`CONTAINERS`], by its index.
    Tag(usize),
}

#[derive(Debug, Clone)]
struct Open {
    opener: Opener,
    at: usize,
    inside: usize,
}

struct Scanner<'t> {
    text: &'t str,
    titles: &'t Titles,
    regions: Regions<'t>,
    /// The links that come next.
    links: Peekable<std::vec::IntoIter<Link<'t>>>,
    last_closings: [usize; CONTAINERS.len()],
    spans: Vec<Span>,
    open: Vec<Open>,
    /// The links and tags among what is open: their index, and the open braces before them, which cannot be
    /// closed inside.
    walls: Vec<(usize, usize)>,
    /// The rows of braces that are open behind the last wall.
    open_braces: usize,
    /// The ends of the texts of the open links: one that is in another is in a reference there.
    link_ends: Vec<usize>,
    buffer: String,
}

impl<'t> Scanner<'t> {
    /// Reads what is at `at`; returns the place to continue at.
    fn step(&mut self, at: usize) -> usize {
        let bytes = self.text.as_bytes();
        let top = self.open.last().map(|open| open.opener);
        match bytes[at] {
            b'[' => self.bracket(at),
            b']' if self.link_ends.last() == Some(&at) => {
                // Tags that are open inside are not closed there.
                while matches!(self.wall(), Some(Opener::Tag(_))) {
                    self.walls.pop();
                }
                self.link_ends.pop();
                self.close_wall(at, at + 2)
            }
            b']' if top == Some(Opener::External) => self.close_top(Kind::External, at, at + 1),
            b']' if top == Some(Opener::File) && bytes.get(at + 1) == Some(&b']') => {
                self.close_top(Kind::File, at, at + 2)
            }
            b'{' => {
                let count = row(bytes, at);
                if count >= 2 {
                    self.open.push(Open { opener: Opener::Braces(count), at, inside: at + count });
                    self.open_braces += 1;
                }
                at + count
            }
            b'}' => self.closing_braces(at, row(bytes, at)),
            b'<' => self.angle(at),
            b'\n' => {
                // An external link ends on its line or is none.
                while self.open.last().is_some_and(|open| open.opener == Opener::External) {
                    self.open.pop();
                }
                // Captions go on over line breaks, but an image that someone forgot to close must not take
                // the rest of the page for its caption.
                if matches!(bytes.get(at + 1), Some(b'\n' | b'=')) {
                    while self.open.last().is_some_and(|open| open.opener == Opener::File) {
                        self.open.pop();
                    }
                }
                at + 1
            }
            _ => at + 1,
        }
    }

    fn bracket(&mut self, at: usize) -> usize {
        self.pass_options(at);
        if let Some(link) = self.links.next_if(|link| link.span.start == at) {
            return self.open_link(link);
        }
        if self.text.as_bytes().get(at + 1) == Some(&b'[') {
            if self.begins_file(at + 2) {
                self.open.push(Open { opener: Opener::File, at, inside: at + 2 });
            }
            return at + 2;
        }
        if let Some(inside) = after_url(self.text, at + 1) {
            self.open.push(Open { opener: Opener::External, at, inside });
        }
        at + 1
    }

    fn open_link(&mut self, link: Link<'t>) -> usize {
        let target = self.titles.parse(&link.target, &mut self.buffer);
        let hidden = match target {
            Target::Page { namespace: FILES | CATEGORIES, colon, .. } => !colon,
            Target::Interwiki => is_language_link(&link.target),
            _ => false,
        };
        let kind = match target {
            _ if !hidden => Kind::Link,
            Target::Page { namespace: FILES, .. } => Kind::File,
            _ => Kind::Dropped,
        };
        let is_empty = self.links.peek().is_none_or(|next| next.span.start >= link.span.end);
        match link.text {
            Some(text) if !hidden || !is_empty => {
                let open = Open { opener: Opener::Link(kind), at: link.span.start, inside: text.start };
                self.open_wall(open);
                self.link_ends.push(text.end);
                text.start
            }
            _ => {
                let kind = if hidden { Kind::Dropped } else { Kind::Link };
                self.leaf(kind, link.span.clone(), link.span.end..link.span.end)
            }
        }
    }

    /// Takes the targets of images that begin before `at`; brackets have their own way.
    fn pass_options(&mut self, at: usize) {
        while let Some(option) = self.links.next_if(|link| link.span.start < at) {
            self.leaf(Kind::Link, option.span.clone(), option.span.end..option.span.end);
        }
    }

    /// Returns whether the `[[` before `from`, which is no link because it holds one, is an image.
    fn begins_file(&mut self, from: usize) -> bool {
        let bytes = self.text.as_bytes();
        let mut target = bytes[from..].iter().take(300);
        let length = target.position(|byte| b"[]{}|<>\n".contains(byte)).unwrap_or(0);
        let target = &self.text[from..from + length];
        target.contains(':')
            && matches!(
                self.titles.parse(target, &mut self.buffer),
                Target::Page { namespace: FILES, colon: false, .. }
            )
    }

    fn angle(&mut self, at: usize) -> usize {
        self.pass_options(at);
        if let Some(end) = self.regions.end(at).filter(|&end| !self.crosses_link(at, end)) {
            return self.region(at, end);
        }
        let Some(tag) = tag(self.text.as_bytes(), at) else { return at + 1 };
        if self.crosses_link(at, tag.end) {
            return at + 1;
        }
        let outer = at..tag.end;
        let inside = tag.end..tag.end;
        match tag.kind {
            TagKind::Inline => self.leaf(Kind::Tag, outer, inside),
            TagKind::Break => self.leaf(Kind::Break, outer, inside),
            TagKind::Block => self.leaf(Kind::Block, outer, inside),
            TagKind::Container(_) if tag.is_empty => self.leaf(Kind::Dropped, outer, inside),
            TagKind::Container(container) if tag.closes && self.wall() == Some(Opener::Tag(container)) => {
                self.close_wall(at, tag.end)
            }
            // What never ends does not begin, and these tags do not nest.
            TagKind::Container(container)
                if !tag.closes
                    && self.last_closings[container] > at
                    && self.wall() != Some(Opener::Tag(container)) =>
            {
                self.open_wall(Open { opener: Opener::Tag(container), at, inside: tag.end });
                tag.end
            }
            TagKind::Container(_) => self.leaf(Kind::Tag, outer, inside),
        }
    }

    /// Returns whether a link begins or ends between two places.
    fn crosses_link(&mut self, start: usize, end: usize) -> bool {
        self.links.peek().is_some_and(|link| link.span.start < end)
            || self.link_ends.last().is_some_and(|&text_end| start <= text_end && text_end < end)
    }

    /// Adds a comment, or a tag with its content.
    fn region(&mut self, at: usize, end: usize) -> usize {
        let whole = &self.text[at..end];
        let name = whole[1..].split(|c: char| !c.is_ascii_alphabetic()).next().unwrap_or_default();
        let kind = if whole.starts_with("<!--") {
            Kind::Comment
        } else if name.eq_ignore_ascii_case("nowiki") || name.eq_ignore_ascii_case("pre") {
            Kind::Literal
        } else if whole.ends_with("/>") || name.eq_ignore_ascii_case("includeonly") {
            Kind::Comment
        } else {
            Kind::Dropped
        };
        let from = whole.find('>').map_or(end, |length| at + length + 1);
        let to = whole.rfind("</").map_or(end, |length| at + length);
        self.leaf(kind, at..end, from..to.max(from))
    }

    fn closing_braces(&mut self, at: usize, count: usize) -> usize {
        let (mut at, mut left) = (at, count);
        while left >= 2 && self.open_braces > 0 {
            while !matches!(self.open.last(), Some(Open { opener: Opener::Braces(_), .. })) {
                self.open.pop();
            }
            let Some(Open { opener: Opener::Braces(open), at: start, .. }) = self.open.last_mut() else {
                break;
            };
            let closed = if *open >= 3 && left >= 3 { 3 } else { 2 };
            *open -= closed;
            let (rest, from) = (*open, *start + *open);
            self.push_span(Kind::Template, from..at + closed, from + closed..at);
            if rest < 2 {
                self.open.pop();
                self.open_braces -= 1;
            }
            at += closed;
            left -= closed;
        }
        at + left
    }

    /// Returns the last link or tag that is open.
    fn wall(&self) -> Option<Opener> {
        self.walls.last().map(|&(index, _)| self.open[index].opener)
    }

    fn open_wall(&mut self, open: Open) {
        self.walls.push((self.open.len(), std::mem::take(&mut self.open_braces)));
        self.open.push(open);
    }

    /// Closes the last wall; what is open inside is text.
    fn close_wall(&mut self, inside_end: usize, end: usize) -> usize {
        let Some((index, braces)) = self.walls.pop() else { return end };
        let wall = self.open[index].clone();
        self.open.truncate(index);
        self.open_braces = braces;
        let kind = match wall.opener {
            Opener::Link(kind) => kind,
            Opener::Tag(0) => Kind::Reference,
            _ => Kind::Gallery,
        };
        self.push_span(kind, wall.at..end, wall.inside..inside_end);
        end
    }

    fn close_top(&mut self, kind: Kind, inside_end: usize, end: usize) -> usize {
        if let Some(open) = self.open.pop() {
            self.push_span(kind, open.at..end, open.inside.min(inside_end)..inside_end);
        }
        end
    }

    fn leaf(&mut self, kind: Kind, outer: Range<usize>, inside: Range<usize>) -> usize {
        let end = outer.end;
        self.push_span(kind, outer, inside);
        end
    }

    fn push_span(&mut self, kind: Kind, outer: Range<usize>, inside: Range<usize>) {
        self.spans.push(Span { kind, outer, inside, container: None });
    }
}

/// Counts the repetitions of the byte at `at`.
fn row(bytes: &[u8], at: usize) -> usize {
    bytes[at..].iter().take_while(|&&byte| byte == bytes[at]).count()
}

/// Returns the start of the text after the address at `from`; `None` if there is no address.
fn after_url(text: &str, from: usize) -> Option<usize> {
    let rest = &text.as_bytes()[from..];
    if !is_address(rest) {
        return None;
    }
    let length = rest.iter().take_while(|c| !c.is_ascii_whitespace() && !b"[]<>\"{}'".contains(c)).count();
    Some(from + length)
}

/// Returns whether a link to another wiki leads to the same page in another language, which readers see elsewhere.
fn is_language_link(target: &str) -> bool {
    target.split_once(':').is_some_and(|(prefix, _)| magic_words::is_language(&prefix.trim().to_lowercase()))
}

#[cfg(test)]
#[path = "spans_tests.rs"]
mod tests;
