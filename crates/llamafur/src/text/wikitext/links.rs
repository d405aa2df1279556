//! The links of a page: `[[target]]`, `[[target|text]]`, wherever they are.
//!
//! One pass from left to right, in time linear in the page whatever it holds. As in MediaWiki, a link ends at
//! the first `]]`, and one that holds another `[[` before is none itself: then only the inner one counts, be it in
//! the caption of an image or by mistake. Templates are not expanded; the links in their arguments count.

use super::bytes::byte_set;
use super::regions::Regions;
use memchr::{memchr2, memchr3};
use std::borrow::Cow;
use std::ops::Range;

/// A link as it is written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Link<'t> {
    /// What is before the `|`, without comments; [`Titles::parse`](super::Titles::parse) says what it means.
    pub target: Cow<'t, str>,
    /// Where the link is in the page, with its brackets.
    pub span: Range<usize>,
    /// Where the text after the `|` is, if there is one.
    pub text: Option<Range<usize>>,
}

/// The links of a page, in order.
#[derive(Debug, Clone)]
pub struct Links<'t> {
    text: &'t str,
    at: usize,
    regions: Regions<'t>,
}

/// The links of a page, in order.
///
/// ```
/// use llamafur::text::wikitext::links;
/// let page = "[[Jupiter|The planet]] has <!-- [[many]] --> [[moon]]s.";
/// let targets: Vec<_> = links(page).map(|link| link.target).collect();
/// assert_eq!(targets, ["Jupiter", "moon"]);
/// ```
pub fn links(text: &str) -> Links<'_> {
    Links { text, at: 0, regions: Regions::new(text) }
}

/// How the target of a link ends.
enum End {
    /// With `]]`, which begins here.
    Brackets(usize),
    /// With `|` or `{{!}}`; the text begins here.
    Pipe(usize),
}

impl<'t> Iterator for Links<'t> {
    type Item = Link<'t>;

    fn next(&mut self) -> Option<Link<'t>> {
        let bytes = self.text.as_bytes();
        loop {
            let at = self.at + memchr2(b'[', b'<', &bytes[self.at..])?;
            if bytes[at] == b'<' {
                self.at = self.regions.end(at).unwrap_or(at + 1);
            } else if bytes.get(at + 1) != Some(&b'[') {
                self.at = at + 1;
            } else if let Some(link) = self.link(at) {
                return Some(link);
            }
        }
    }
}

impl<'t> Links<'t> {
    /// The link that begins with the `[[` at `start`; moves on in any case.
    fn link(&mut self, start: usize) -> Option<Link<'t>> {
        let (target, end) = self.target(start + 2)?;
        let (text, end) = match end {
            End::Brackets(at) => (None, at + 2),
            End::Pipe(from) => {
                let to = self.text_end(from)?;
                (Some(from..to), to + 2)
            }
        };
        self.at = end;
        Some(Link { target, span: start..end, text })
    }

    /// The target that begins at `from`; if there is none, moves to where it went wrong.
    fn target(&mut self, from: usize) -> Option<(Cow<'t, str>, End)> {
        let bytes = self.text.as_bytes();
        let mut whole: Option<String> = None;
        let (mut start, mut at) = (from, from);
        loop {
            let Some(length) = bytes[at..].iter().position(|&byte| ENDS_TARGET[byte as usize]) else {
                self.at = bytes.len();
                return None;
            };
            at += length;
            let end = match bytes[at] {
                b']' if bytes.get(at + 1) == Some(&b']') => End::Brackets(at),
                b'|' => End::Pipe(at + 1),
                b'{' if bytes[at..].starts_with(b"{{!}}") => End::Pipe(at + 5),
                b'<' if bytes[at..].starts_with(b"<!--") => {
                    let after = self.regions.end(at).unwrap_or(at + 4);
                    whole.get_or_insert_default().push_str(&self.text[start..at]);
                    (start, at) = (after, after);
                    continue;
                }
                _ => {
                    self.at = at;
                    return None;
                }
            };
            let last = &self.text[start..at];
            let target = match whole {
                Some(whole) => Cow::Owned(whole + last),
                None => Cow::Borrowed(last),
            };
            return Some((target, end));
        }
    }

    /// Where the `]]` is that ends the text from `from` on; if another link begins before, moves there.
    fn text_end(&mut self, from: usize) -> Option<usize> {
        let bytes = self.text.as_bytes();
        let mut at = from;
        loop {
            let Some(found) = memchr3(b'[', b']', b'<', &bytes[at..]) else {
                self.at = bytes.len();
                return None;
            };
            at += found;
            match (bytes[at], bytes.get(at + 1)) {
                (b']', Some(b']')) => return Some(at),
                (b'[', Some(b'[')) => {
                    self.at = at;
                    return None;
                }
                (b'<', _) => at = self.regions.end(at).unwrap_or(at + 1),
                _ => at += 1,
            }
        }
    }
}

/// Bytes that cannot be part of a target.
static ENDS_TARGET: [bool; 256] = byte_set(b"[]{}|<>\n");

#[cfg(test)]
mod tests {
    use super::*;

    fn targets(text: &str) -> Vec<String> {
        links(text).map(|link| link.target.into_owned()).collect()
    }

    #[test]
    fn targets_and_texts_have_their_places() {
        let page = "The [[Moon|moon's]]s [[orbit]].";
        let found: Vec<_> = links(page).collect();
        assert_eq!(&page[found[0].span.clone()], "[[Moon|moon's]]");
        assert_eq!(&page[found[0].text.clone().unwrap()], "moon's");
        assert_eq!(&page[found[1].span.clone()], "[[orbit]]");
        assert_eq!(found[1].text, None);
    }

    #[test]
    fn links_count_in_templates_tables_captions_and_references() {
        assert_eq!(targets("{{Infobox|moons=[[Io]], [[Europa]]}}"), ["Io", "Europa"]);
        assert_eq!(targets("{|\n| [[a]] || [[b]]\n|}"), ["a", "b"]);
        assert_eq!(targets("[[File:x.jpg|thumb|Fish in [[water]] and [[sea|the sea]].]]"), ["water", "sea"]);
        assert_eq!(targets("<ref>[[a]]</ref><gallery>\nFile:x.jpg|[[b]]\n</gallery>"), ["a", "b"]);
        assert_eq!(targets("[[File:x.jpg|thumb]] [[a]]"), ["File:x.jpg", "a"]);
    }

    #[test]
    fn links_do_not_count_where_markup_means_nothing() {
        assert_eq!(
            targets("<!-- [[a]] --><nowiki>[[b]]</nowiki><pre>[[c]]</pre><math>[[d]]</math>"),
            [""; 0]
        );
        assert_eq!(
            targets("<syntaxhighlight lang=x>[[a]]</syntaxhighlight><source>[[b]]</source>[[c]]"),
            ["c"]
        );
        assert_eq!(targets("<!-- [[a]]"), [""; 0]);
        assert_eq!(targets("[[a|b<nowiki>]]</nowiki>c]] [[d]]"), ["a", "d"]);
    }

    #[test]
    fn broken_brackets_make_no_link() {
        assert_eq!(targets("[[a [[b]]"), ["b"]);
        assert_eq!(targets("[[a|b [[c]] d]]"), ["c"]);
        assert_eq!(targets("[[a\nb]] [[c]]"), ["c"]);
        assert_eq!(targets("[[a]b]] [[{{x}}]] [[<b>]] [[c"), [""; 0]);
        assert_eq!(targets("[[[a]]] [[[[b]]]]"), ["b"]);
        assert_eq!(targets("[[a|b"), [""; 0]);
        assert_eq!(targets("[[a|b\n\nc]]"), ["a"]);
        assert_eq!(targets("[http://x y] [[a]]"), ["a"]);
        assert_eq!(targets("[[]] [[|x]]"), ["", ""]);
    }

    #[test]
    fn comments_and_magic_pipes_are_seen_in_targets() {
        assert_eq!(targets("[[a<!-- x -->b|c]] [[d{{!}}e]]"), ["ab", "d"]);
        assert_eq!(targets("[[a<!-- x"), [""; 0]);
    }

    #[test]
    fn hostile_pages_are_read_in_one_pass() {
        for part in ["[[", "[[a|", "[[a", "[[a|<", "[", "[[<!-", "[[a<!--", "{{[[", "[[a|b]", "<nowiki>[[a|"]
        {
            assert!(links(&part.repeat(200_000)).count() <= 200_000, "{part}");
        }
    }
}
