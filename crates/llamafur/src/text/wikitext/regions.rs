//! The parts of a page in which markup means nothing: comments, `<nowiki>`, `<math>` and their like.
//!
//! As in MediaWiki, a comment that is never closed goes on to the end of the page, and a tag that is never closed
//! is no tag. Whether a tag is closed further on is asked once a name: after a search that found nothing, the
//! answer is known for the rest of the page, so that a hundred thousand open tags cost no more than one.

use memchr::{memchr, memmem};

/// Tags whose content is not wikitext, in small letters.
const VERBATIM: [&str; 16] = [
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
];

/// Finds the regions of one page, from its beginning to its end.
#[derive(Debug, Clone)]
pub(super) struct Regions<'t> {
    text: &'t [u8],
    /// One bit a tag of [`VERBATIM`]: it is not closed any more.
    never_closed: u32,
}

impl<'t> Regions<'t> {
    pub(super) fn new(text: &'t str) -> Regions<'t> {
        Regions { text: text.as_bytes(), never_closed: 0 }
    }

    /// Where the region ends that begins with the `<` at `at`; `None` if none does.
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

    /// The tag that begins at `at`, if it is a verbatim one and closed: its name and its end.
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
        let Some(end) = self.closing(VERBATIM[tag], inside) else {
            self.never_closed |= 1 << tag;
            return None;
        };
        Some((VERBATIM[tag], end))
    }

    /// The end of the next `</tag>` at or after `from`.
    fn closing(&self, tag: &str, from: usize) -> Option<usize> {
        let mut at = from;
        loop {
            at += memmem::find(&self.text[at..], b"</")? + 2;
            let rest = &self.text[at..];
            if rest.len() > tag.len() && rest[..tag.len()].eq_ignore_ascii_case(tag.as_bytes()) {
                let blanks = rest[tag.len()..].iter().take_while(|c| c.is_ascii_whitespace()).count();
                if rest.get(tag.len() + blanks) == Some(&b'>') {
                    return Some(at + tag.len() + blanks + 1);
                }
            }
        }
    }
}

/// The parts of a page outside of all regions, in order.
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
    fn a_hundred_thousand_open_tags_are_read_once() {
        for open in ["<nowiki>", "<pre <", "<!-", "<math></", "<!--"] {
            let text = open.repeat(100_000);
            assert!(visible(&text).map(str::len).sum::<usize>() <= text.len());
        }
    }
}
