//! HTML tags in wikitext: which of them readers see as a line break, which hold what is no part of the text.
//!
//! Only names that wikis allow count, so that `x<y and z>w` stays what it is.

use memchr::{memchr2, memmem};

/// Tags whose content is no part of the running text; the first is the reference.
pub(super) const CONTAINERS: [&str; 7] =
    ["ref", "gallery", "imagemap", "style", "script", "inputbox", "indicator"];

/// Tags that end a paragraph.
const BLOCKS: &str = "p div blockquote center h1 h2 h3 h4 h5 h6 hr li ol ul dl dt dd table tr td th caption \
    thead tbody tfoot pre poem references";

/// Tags that leave no trace.
const INLINE: &str = "abbr b bdi bdo big cite code data del dfn em font i ins kbd mark noinclude nowiki \
    onlyinclude includeonly q rb rp rt rtc ruby s samp section small span strike strong sub sup templatestyles \
    time translate tt tvar u var wbr languages";

/// The length of the longest name of a tag.
const LONGEST: usize = 14;

/// The effect of a tag on the text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum TagKind {
    /// No effect.
    Inline,
    /// The end of the line.
    Break,
    /// The end of the paragraph.
    Block,
    /// Content that is no part of the text; an index into [`CONTAINERS`].
    Container(usize),
}

/// A tag as it is in the page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Tag {
    pub(super) kind: TagKind,
    /// True for `</…>`.
    pub(super) closes: bool,
    /// True for `<…/>`.
    pub(super) is_empty: bool,
    /// The end of the tag.
    pub(super) end: usize,
}

/// Reads the tag that begins with the `<` at `at`.
pub(super) fn tag(text: &[u8], at: usize) -> Option<Tag> {
    let closes = text.get(at + 1) == Some(&b'/');
    let start = at + 1 + usize::from(closes);
    let name = text.get(start..)?;
    let length = name.iter().take(LONGEST + 1).take_while(|c| c.is_ascii_alphanumeric()).count();
    let after = name.get(length)?;
    if length == 0 || !(after.is_ascii_whitespace() || matches!(after, b'>' | b'/')) {
        return None;
    }
    let kind = kind(&name[..length])?;
    // Looking no further than the next `<` keeps a page full of open tags cheap.
    let end = start + length + memchr2(b'>', b'<', &name[length..])?;
    let is_empty = text[end - 1] == b'/';
    (text[end] == b'>').then_some(Tag { kind, closes, is_empty, end: end + 1 })
}

fn kind(name: &[u8]) -> Option<TagKind> {
    let is = |known: &str| known.as_bytes().eq_ignore_ascii_case(name);
    if name.eq_ignore_ascii_case(b"br") {
        Some(TagKind::Break)
    } else if let Some(container) = CONTAINERS.into_iter().position(is) {
        Some(TagKind::Container(container))
    } else if INLINE.split_ascii_whitespace().any(is) {
        Some(TagKind::Inline)
    } else {
        BLOCKS.split_ascii_whitespace().any(is).then_some(TagKind::Block)
    }
}

/// Finds the last closing tag of each of [`CONTAINERS`]: one that begins later is never closed.
pub(super) fn last_closings(text: &[u8]) -> [usize; CONTAINERS.len()] {
    let mut last = [0; CONTAINERS.len()];
    for at in memmem::find_iter(text, b"</") {
        if let Some(Tag { kind: TagKind::Container(container), .. }) = tag(text, at) {
            last[container] = at;
        }
    }
    last
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tags_have_kinds_and_unknown_ones_are_text() {
        let kind = |text: &str| tag(text.as_bytes(), 0).map(|tag| tag.kind);
        assert_eq!(kind("<br/>"), Some(TagKind::Break));
        assert_eq!(kind("<SMALL style='x'>"), Some(TagKind::Inline));
        assert_eq!(kind("</div >"), Some(TagKind::Block));
        assert_eq!(kind("<ref name=a>"), Some(TagKind::Container(0)));
        for text in ["<y and z>", "<b", "<", "</", "<b <i>", "<b-a>", "< b>"] {
            assert_eq!(kind(text), None, "{text}");
        }
    }

    #[test]
    fn empty_and_closing_tags_say_so() {
        let found = tag(b"a<ref name=x />b", 1).unwrap();
        assert!(found.is_empty && !found.closes && found.end == 15);
        assert!(tag(b"</ref>", 0).unwrap().closes);
        assert_eq!(last_closings(b"</ref></REF ></gallery>")[..3], [6, 13, 0]);
    }
}
