//! The parts of a page in which markup means nothing: comments, `<nowiki>`, `<math>` and their like; and those that are
//! read by themselves, `<ref>` and `<gallery>`.
//!
//! As in MediaWiki, a comment that is never closed continues to the end of the page, and a tag that is never closed
//! is no tag. Whether a tag is closed further on is searched once for each name: after a search that found nothing, the
//! answer is known for the rest of the page, so that a hundred thousand open tags cost no more than one.

use memchr::{memchr, memchr2, memmem};
use std::ops::Range;

/// Tags whose content is not wikitext, in small letters.
const VERBATIM: [&str; 17] = [
    "nowiki",
    "pre",
    "math",
    "chem",
    "ce",
    "syntaxhighlight",
    "source",
    "score",
    "timeline",
    "hiero",
    "graph",
    "templatedata",
    "mapframe",
    "maplink",
    "templatestyles",
    "includeonly",
    "inputbox",
];

/// Tags whose content is wikitext read by itself: nothing in it is closed outside. In small letters.
const EXTENSIONS: [&str; 2] = ["ref", "gallery"];

/// A tag with its content.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Extension {
    /// `<ref>`
    Reference,
    /// `<gallery>`, of which every line is an image.
    Gallery,
}

/// A finder of the regions of one page, from its beginning to its end.
#[derive(Debug, Clone)]
pub(super) struct Regions<'t> {
    text: &'t [u8],
    /// One bit for each tag of [`VERBATIM`] that is not closed any more.
    never_closed: u32,
    /// The next closing tag of each of [`EXTENSIONS`].
    closings: [Option<Closing>; EXTENSIONS.len()],
}

#[derive(Debug, Clone)]
struct Closing {
    /// The place from which on there is no earlier one.
    from: usize,
    /// The range of the tag; `None` if there is none.
    tag: Option<Range<usize>>,
}

impl<'t> Regions<'t> {
    pub(super) fn new(text: &'t str) -> Regions<'t> {
        Regions { text: text.as_bytes(), never_closed: 0, closings: [None, None] }
    }

    /// Returns the end of the region that begins with the `<` at `at`; `None` if none does.
    #[inline]
    pub(super) fn end(&mut self, at: usize) -> Option<usize> {
        match self.text.get(at + 1)? {
            b'!' => self.comment_end(at),
            c if c.is_ascii_alphabetic() => self.verbatim(at).map(|(_, end)| end),
            _ => None,
        }
    }

    fn comment_end(&self, at: usize) -> Option<usize> {
        let inside = self.text[at..].strip_prefix(b"<!--")?;
        Some(memmem::find(inside, b"-->").map_or(self.text.len(), |length| at + 4 + length + 3))
    }

    /// Returns the tag that begins at `at`, if it is a verbatim one and closed: its name and its end.
    pub(super) fn verbatim(&mut self, at: usize) -> Option<(&'static str, usize)> {
        let name = &self.text[at + 1..];
        let length = name.iter().take(16).position(|c| !c.is_ascii_alphabetic()).unwrap_or(name.len());
        let after = name.get(length)?;
        if !(after.is_ascii_whitespace() || matches!(after, b'>' | b'/')) {
            return None;
        }
        let tag = VERBATIM.iter().position(|tag| tag.as_bytes().eq_ignore_ascii_case(&name[..length]))?;
        if self.never_closed & 1 << tag != 0 {
            return None;
        }
        let Some(rest) = memchr(b'>', &name[length..]) else {
            // No tag of any name ends any more.
            self.never_closed = u32::MAX;
            return None;
        };
        let inside = at + 1 + length + rest + 1;
        if self.text[inside - 2] == b'/' {
            return Some((VERBATIM[tag], inside));
        }
        let Some(closing) = self.closing(VERBATIM[tag], inside) else {
            self.never_closed |= 1 << tag;
            return None;
        };
        Some((VERBATIM[tag], closing.end))
    }

    /// Returns the tag that begins with the `<` at `at`, if its content is read by itself and it is closed before
    /// `limit`: where its content is, and where it ends.
    #[inline]
    pub(super) fn extension(&mut self, at: usize, limit: usize) -> Option<(Extension, Range<usize>, usize)> {
        // Most tags are others.
        match self.text.get(at + 1).map(u8::to_ascii_lowercase) {
            Some(b'r' | b'g') => self.closed_extension(at, limit),
            _ => None,
        }
    }

    fn closed_extension(&mut self, at: usize, limit: usize) -> Option<(Extension, Range<usize>, usize)> {
        let name = &self.text[at + 1..limit];
        let number = EXTENSIONS.iter().position(|tag| {
            name.get(..tag.len()).is_some_and(|start| start.eq_ignore_ascii_case(tag.as_bytes()))
        })?;
        let length = EXTENSIONS[number].len();
        if !name.get(length).is_some_and(|&after| after.is_ascii_whitespace() || after == b'>') {
            return None;
        }
        // Looking no further than the next `<` keeps a page full of open tags cheap.
        let content = at + 1 + length + memchr2(b'>', b'<', &name[length..])? + 1;
        if self.text[content - 1] == b'<' || self.text[content - 2] == b'/' {
            return None;
        }
        let closing = self.next_closing(number, content).filter(|closing| closing.end <= limit)?;
        let extension = [Extension::Reference, Extension::Gallery][number];
        Some((extension, content..closing.start, closing.end))
    }

    /// Returns the next closing tag of an extension. What was found is kept, so that many open tags before one closing
    /// tag are read in one pass.
    fn next_closing(&mut self, number: usize, from: usize) -> Option<Range<usize>> {
        let is_known = |known: &&Closing| {
            known.from <= from && known.tag.as_ref().is_none_or(|closing| from <= closing.start)
        };
        if let Some(known) = self.closings[number].as_ref().filter(is_known) {
            return known.tag.clone();
        }
        let tag = self.closing(EXTENSIONS[number], from);
        self.closings[number] = Some(Closing { from, tag: tag.clone() });
        tag
    }

    /// Returns the next `</tag>` at or after `from`.
    fn closing(&self, tag: &str, from: usize) -> Option<Range<usize>> {
        let mut at = from;
        loop {
            at += memmem::find(&self.text[at..], b"</")? + 2;
            let rest = &self.text[at..];
            if rest.len() > tag.len() && rest[..tag.len()].eq_ignore_ascii_case(tag.as_bytes()) {
                let blanks = rest[tag.len()..].iter().take_while(|c| c.is_ascii_whitespace()).count();
                if rest.get(tag.len() + blanks) == Some(&b'>') {
                    return Some(at - 2..at + tag.len() + blanks + 1);
                }
            }
        }
    }
}

/// Returns the parts of a page outside of all regions, in order.
pub(super) fn visible(text: &str) -> impl Iterator<Item = &str> {
    let mut regions = Regions::new(text);
    let mut start = 0;
    std::iter::from_fn(move || {
        if start >= text.len() {
            return None;
        }
        let mut at = start;
        while let Some(found) = memchr(b'<', &text.as_bytes()[at..]) {
            at += found;
            if let Some(end) = regions.end(at) {
                let part = &text[start..at];
                start = end;
                return Some(part);
            }
            at += 1;
        }
        let part = &text[start..];
        start = text.len();
        Some(part)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seen(text: &str) -> String {
        visible(text).collect::<Vec<_>>().join("|")
    }

    #[test]
    fn comments_and_verbatim_tags_are_left_out() {
        assert_eq!(seen("a<!-- b -->c"), "a|c");
        assert_eq!(seen("a<nowiki>b</nowiki>c<NoWiki />d<pre class='x'>e</pre >f"), "a|c|d|f");
        assert_eq!(seen("a<math>x</MATH>b<b>c</b><ref>d</ref>"), "a|b<b>c</b><ref>d</ref>");
        assert_eq!(seen("a<mathx>b</mathx>"), "a<mathx>b</mathx>");
    }

    #[test]
    fn an_open_comment_goes_on_and_an_open_tag_is_none() {
        assert_eq!(seen("a<!-- b"), "a");
        assert_eq!(seen("a<nowiki>b<math>c</math>d"), "a<nowiki>b|d");
        assert_eq!(seen("a<pre"), "a<pre");
        assert_eq!(seen("a<source lang"), "a<source lang");
        assert_eq!(seen(""), "");
    }

    #[test]
    fn extensions_hold_what_is_before_their_first_closing_tag() {
        let text = "<ref name=a>b<ref>c</ref>d</ref><gallery>e</gallery><ref/><ref name=f /><refs>g</refs>";
        let mut regions = Regions::new(text);
        let mut content = |at| {
            let found = regions.extension(at, text.len());
            found.map(|(extension, content, end)| (extension, &text[content], &text[end - 1..end + 1]))
        };
        assert_eq!(content(0), Some((Extension::Reference, "b<ref>c", ">d")));
        assert_eq!(content(13), Some((Extension::Reference, "c", ">d")));
        assert_eq!(content(32), Some((Extension::Gallery, "e", "><")));
        assert_eq!([52, 58, 72].map(content), [None, None, None]);
        assert_eq!(Regions::new(text).extension(0, 20), None);
    }

    #[test]
    fn a_hundred_thousand_open_tags_are_read_once() {
        for open in ["<nowiki>", "<pre <", "<!-", "<math></", "<!--"] {
            let text = open.repeat(100_000);
            assert!(visible(&text).map(str::len).sum::<usize>() <= text.len());
        }
    }
}
