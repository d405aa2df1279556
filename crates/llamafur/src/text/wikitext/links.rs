//! The links of a page: `[[target]]`, `[[target|text]]`, wherever they are, and the targets of images (`link=…`).
//!
//! One pass from left to right, in time linear in the page whatever it holds. As in MediaWiki, a link ends at
//! the first `]]`, and one that holds another `[[` before is none itself: then only the inner one counts, be it in
//! the caption of an image or by mistake. References are read by themselves, as is each line of a gallery; a line that
//! begins with no title is dropped. Templates are not expanded; the links in their arguments count.

use super::bytes::byte_set;
use super::regions::{Extension, Regions};
use super::site::{ARTICLES, FILES};
use super::tags::tag;
use super::title::{Target, Titles, is_address};
use memchr::{memchr, memchr2, memchr3, memmem};
use std::borrow::Cow;
use std::collections::VecDeque;
use std::ops::Range;

/// A link as it is written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Link<'t> {
    /// The text before the `|`, without comments; [`Titles::parse`] reads it.
    pub target: Cow<'t, str>,
    /// The range of the link in the page, with its brackets; of the target of an image, the whole option:
    /// `link=Jupiter`.
    pub span: Range<usize>,
    /// The range of the text after the `|`, if there is one.
    pub text: Option<Range<usize>>,
}

/// The links of a page, those of captions and references after the link or the image that holds them.
#[derive(Debug, Clone)]
pub struct Links<'t> {
    text: &'t str,
    titles: &'t Titles,
    at: usize,
    /// The end of the part that is being read.
    end: usize,
    /// Images around the place being read.
    open_images: usize,
    /// The parts to read after this one, the next one last.
    later: Vec<Part>,
    /// Links that were found on the way.
    found: VecDeque<Link<'t>>,
    regions: Regions<'t>,
    buffer: String,
}

/// A part of a page that is read by itself.
#[derive(Debug, Clone)]
enum Part {
    /// Text in the caption of this many images.
    Text(Range<usize>, usize),
    /// Lines of a gallery.
    Gallery(Range<usize>),
}

impl Part {
    fn of(extension: Extension, content: Range<usize>) -> Part {
        match extension {
            Extension::Reference => Part::Text(content, 0),
            Extension::Gallery => Part::Gallery(content),
        }
    }
}

/// Returns the links of a page.
///
/// ```
/// use llamafur::text::wikitext::{Site, Titles, links};
/// let page = "[[Jupiter|The planet]] has <!-- [[many]] --> [[moon]]s. [[File:Io.jpg|link=Io]]";
/// let titles = Titles::new(&Site::default());
/// let targets: Vec<_> = links(page, &titles).map(|link| link.target).collect();
/// assert_eq!(targets, ["Jupiter", "moon", "File:Io.jpg", "Io"]);
/// ```
pub fn links<'t>(text: &'t str, titles: &'t Titles) -> Links<'t> {
    Links {
        text,
        titles,
        at: 0,
        end: text.len(),
        open_images: 0,
        later: Vec::new(),
        found: VecDeque::new(),
        regions: Regions::new(text),
        buffer: String::new(),
    }
}

/// Returns the text between the brackets of a link, up to its `|`, without comments; or the target in an image's
/// option.
pub(super) fn target_of(link: &str) -> Cow<'_, str> {
    let Some(inside) = link.strip_prefix("[[") else {
        return link.split_once('=').map_or(link, |(_, target)| target).into();
    };
    let mut regions = Regions::new(link);
    match target(link, 2, link.len(), &mut regions) {
        Ok((target, _)) => target,
        Err(_) => inside.into(),
    }
}

/// The end of a link's target.
enum End {
    /// `]]`, which begins here.
    Brackets(usize),
    /// `|` or `{{!}}`; the text begins here.
    Pipe(usize),
}

impl<'t> Iterator for Links<'t> {
    type Item = Link<'t>;

    fn next(&mut self) -> Option<Link<'t>> {
        let bytes = self.text.as_bytes();
        loop {
            if let Some(link) = self.found.pop_front() {
                return Some(link);
            }
            let found = memchr2(b'[', b'<', &bytes[self.at..self.end]);
            let at = found.map_or(self.end, |length| self.at + length);
            if self.open_images > 0 {
                self.caption(self.at..at);
            }
            if found.is_none() {
                self.at = self.end;
                if self.found.is_empty() && !self.next_part() {
                    return None;
                }
            } else if bytes[at] == b'<' {
                self.angle(at);
            } else if bytes.get(at + 1) != Some(&b'[') {
                self.at = at + 1;
            } else if let Some(link) = self.link(at) {
                return Some(link);
            }
        }
    }
}

impl<'t> Links<'t> {
    /// Continues with what was put off; `false` if there is nothing.
    fn next_part(&mut self) -> bool {
        match self.later.pop() {
            None => return false,
            Some(Part::Text(part, images)) => {
                (self.at, self.end, self.open_images) = (part.start, part.end, images);
            }
            Some(Part::Gallery(lines)) => self.gallery_line(lines),
        }
        true
    }

    /// Puts off the rest of this part, to read `part` before it.
    fn read_first(&mut self, part: Part, rest: usize) {
        self.later.push(Part::Text(rest..self.end, self.open_images));
        self.later.push(part);
        self.next_part();
    }

    /// Reads the first line of a gallery: a title and, after a `|`, a caption.
    fn gallery_line(&mut self, lines: Range<usize>) {
        let length = memchr(b'\n', &self.text.as_bytes()[lines.clone()]).unwrap_or(lines.len());
        let line = lines.start..lines.start + length;
        if line.end < lines.end {
            self.later.push(Part::Gallery(line.end + 1..lines.end));
        }
        (self.at, self.end, self.open_images) = (line.end, line.end, 0);
        let Some((title, caption)) = self.text[line.clone()].split_once('|') else { return };
        let title = self.titles.parse(title, &mut self.buffer);
        if matches!(title, Target::Page { .. } | Target::Interwiki) {
            self.at = line.end - caption.len();
            self.options(self.at..line.end, true, true);
        }
    }

    /// Passes over the tag or the comment at `at`, or reads what it holds.
    fn angle(&mut self, at: usize) {
        if let Some((extension, content, end)) = self.regions.extension(at, self.end) {
            self.read_first(Part::of(extension, content), end);
        } else {
            self.at = self.region_end(at).unwrap_or(at + 1);
        }
    }

    /// Returns the end of the region that begins with the `<` at `at`, if it ends in this part.
    fn region_end(&mut self, at: usize) -> Option<usize> {
        let end = self.regions.end(at)?;
        let is_comment = self.text.as_bytes()[at + 1] == b'!';
        (end <= self.end || is_comment).then_some(end.min(self.end))
    }

    /// Reads the link that begins with the `[[` at `start`; moves on in any case.
    fn link(&mut self, start: usize) -> Option<Link<'t>> {
        let (target, end) = match target(self.text, start + 2, self.end, &mut self.regions) {
            Ok(found) => found,
            Err(at) => {
                self.at = at;
                return None;
            }
        };
        let from = match end {
            End::Brackets(at) => {
                self.at = at + 2;
                return Some(Link { target, span: start..at + 2, text: None });
            }
            End::Pipe(from) => from,
        };
        let mut inside = Vec::new();
        let end = match self.text_end(from, &mut inside) {
            Ok(end) => end,
            Err(at) => {
                // What was passed over is read again, with what it holds.
                self.at = if inside.is_empty() { at } else { from };
                if self.is_image(&target) {
                    self.open_images += 1;
                    self.options(from..self.at, true, false);
                }
                return None;
            }
        };
        self.at = end + 2;
        let has_value = memchr(b'=', &self.text.as_bytes()[from..end]).is_some();
        if has_value && self.is_image(&target) {
            self.options(from..end, true, true);
        }
        if !inside.is_empty() {
            self.later.push(Part::Text(self.at..self.end, self.open_images));
            self.later.extend(inside.into_iter().rev());
            self.next_part();
        }
        Some(Link { target, span: start..end + 2, text: Some(from..end) })
    }

    fn is_image(&mut self, target: &str) -> bool {
        let has_prefix = memchr(b':', target.as_bytes()).is_some();
        has_prefix
            && matches!(
                self.titles.parse(target, &mut self.buffer),
                Target::Page { namespace: FILES, colon: false, .. }
            )
    }

    /// Finds the `]]` that ends the text from `from` on; if another link begins before, the error is its place.
    /// References and galleries in between are appended to `inside`.
    fn text_end(&mut self, from: usize, inside: &mut Vec<Part>) -> Result<usize, usize> {
        let bytes = self.text.as_bytes();
        let mut at = from;
        loop {
            at += memchr3(b'[', b']', b'<', &bytes[at..self.end]).ok_or(self.end)?;
            match (bytes[at], bytes[..self.end].get(at + 1)) {
                (b']', Some(b']')) => return Ok(at),
                (b'[', Some(b'[')) => return Err(at),
                (b'<', _) => match self.regions.extension(at, self.end) {
                    Some((extension, content, end)) => {
                        inside.push(Part::of(extension, content));
                        at = end;
                    }
                    None => at = self.region_end(at).unwrap_or(at + 1),
                },
                _ => at += 1,
            }
        }
    }

    /// Reads a part of the caption of an image, up to the next bracket or tag.
    fn caption(&mut self, part: Range<usize>) {
        let mut start = part.start;
        let bytes = self.text.as_bytes();
        while self.open_images > 0 {
            let Some(length) = memmem::find(&bytes[start..part.end], b"]]") else {
                self.options(start..part.end, false, false);
                break;
            };
            self.options(start..start + length, false, true);
            self.open_images -= 1;
            start += length + 2;
        }
        // An image that someone forgot to close ends with its paragraph.
        if memmem::find(&bytes[part], b"\n\n").is_some() {
            self.open_images = 0;
        }
    }

    /// Finds the targets of an image among its options. An option is between two `|`; where the part `begins` or `ends` the
    /// options, it needs none there.
    fn options(&mut self, part: Range<usize>, begins: bool, ends: bool) {
        let text = &self.text[part.clone()];
        if memchr(b'=', text.as_bytes()).is_none() || text.contains("<!--") {
            return;
        }
        let mut nested = 0;
        let mut at = part.start;
        for option in text.split('|') {
            let is_whole = (begins || at > part.start) && (ends || at + option.len() < part.end);
            if is_whole && nested == 0 {
                self.option(option, at);
            }
            let count = |brackets: &str| option.matches(brackets).count() as isize;
            nested += count("[[") + count("{{") - count("]]") - count("}}");
            at += option.len() + 1;
        }
    }

    fn option(&mut self, option: &'t str, at: usize) {
        let trimmed = option.trim();
        let Some(target) = self.titles.image_link(trimmed) else { return };
        if is_address(target.as_bytes()) || target.contains(['<', '>']) {
            return;
        }
        let Target::Page { namespace, .. } = self.titles.parse(target, &mut self.buffer) else { return };
        // It is a link even where it would be a category in brackets.
        let is_link = namespace == ARTICLES || target.starts_with(':');
        let target = if is_link { Cow::Borrowed(target) } else { format!(":{target}").into() };
        let start = at + (option.len() - option.trim_start().len());
        self.found.push_back(Link { target, span: start..start + trimmed.len(), text: None });
    }
}

/// Reads the target that begins at `from`; the error is the place where it ceased to be one.
#[inline]
fn target<'t>(
    text: &'t str,
    from: usize,
    limit: usize,
    regions: &mut Regions<'t>,
) -> Result<(Cow<'t, str>, End), usize> {
    let bytes = &text.as_bytes()[..limit];
    let mut whole: Option<String> = None;
    let (mut start, mut at) = (from, from);
    loop {
        let length = bytes[at..].iter().position(|&byte| ENDS_TARGET[byte as usize]);
        at += length.ok_or(limit)?;
        let end = match bytes[at] {
            b']' if bytes.get(at + 1) == Some(&b']') => End::Brackets(at),
            b'|' => End::Pipe(at + 1),
            b'{' if bytes[at..].starts_with(b"{{!}}") => End::Pipe(at + 5),
            b'<' if bytes[at..].starts_with(b"<!--") => {
                let after = regions.end(at).map_or(at + 4, |end| end.min(limit));
                whole.get_or_insert_default().push_str(&text[start..at]);
                (start, at) = (after, after);
                continue;
            }
            // In the name of a section they are letters, unless they make a tag.
            b'<' | b'>'
                if has_section(whole.as_deref(), &text[start..at]) && !begins_tag(text, at, regions) =>
            {
                at += 1;
                continue;
            }
            _ => return Err(at),
        };
        let last = &text[start..at];
        let target = match whole {
            Some(whole) => Cow::Owned(whole + last),
            None => Cow::Borrowed(last),
        };
        return Ok((target, end));
    }
}

fn has_section(before: Option<&str>, last: &str) -> bool {
    before.is_some_and(|before| before.contains('#')) || last.contains('#')
}

fn begins_tag(text: &str, at: usize, regions: &mut Regions) -> bool {
    let bytes = text.as_bytes();
    bytes[at] == b'<' && (tag(bytes, at).is_some() || regions.end(at).is_some())
}

/// Bytes that cannot be part of a target.
static ENDS_TARGET: [bool; 256] = byte_set(b"[]{}|<>\n");

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::wikitext::Site;

    fn targets(text: &str) -> Vec<String> {
        links(text, &Titles::new(&Site::default())).map(|link| link.target.into_owned()).collect()
    }

    #[test]
    fn targets_and_texts_have_their_places() {
        let page = "The [[Moon|moon's]]s [[orbit]].";
        let titles = Titles::new(&Site::default());
        let found: Vec<_> = links(page, &titles).collect();
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
        for part in [
            "[[",
            "[[a|",
            "[[a",
            "[[a|<",
            "[",
            "[[<!-",
            "[[a<!--",
            "{{[[",
            "[[a|b]",
            "<nowiki>[[a|",
            "<ref>",
            "<ref>[[a|",
            "<ref>a</ref>",
            "[[a|<ref>b</ref>",
            "<gallery>",
            "<gallery>a|\n",
            "[[File:a|",
            "[[File:a|link=b|[[c]]",
            "[[File:a|link=b]]",
            "[[a#<",
            "|link=a",
            "<ref>[[File:a|b|</ref>",
        ] {
            let closed = format!("{}</ref></gallery>]]", part.repeat(200_000));
            assert!(targets(&closed).len() <= 400_000, "{part}");
            assert!(targets(&part.repeat(200_000)).len() <= 400_000, "{part}");
        }
    }

    #[test]
    fn an_image_links_to_what_its_option_says() {
        assert_eq!(targets("[[File:A.svg|20px|link=Foo]]"), ["File:A.svg", "Foo"]);
        assert_eq!(targets("[[File:A.svg|link = Foo]] [[File:A.svg|link=]]"), ["File:A.svg", "File:A.svg"]);
        assert_eq!(targets("[[File:A.svg| link=Foo bar |b]]"), ["File:A.svg", "Foo bar"]);
        assert_eq!(targets("[[File:A.svg|link=http://x.org]]"), ["File:A.svg"]);
        assert_eq!(targets("[[File:A.svg|link=Category:Foo]]"), ["File:A.svg", ":Category:Foo"]);
        assert_eq!(targets("[[:File:A.svg|link=Foo]] [[a|link=Foo]]"), [":File:A.svg", "a"]);
        assert_eq!(targets("[[File:A.svg|thumb|link=Foo|A [[b]].]]"), ["Foo", "b"]);
        assert_eq!(targets("[[File:A.svg|A [[b|link=c]].|link=Foo]]|link=d|"), ["b", "Foo"]);
        assert_eq!(targets("[[File:A.svg|[[File:B.svg|link=b]]|link=a]]"), ["File:B.svg", "b", "a"]);
        assert_eq!(targets("[[File:A.svg|{{x|link=Foo|y}}]]"), ["File:A.svg"]);
        let german = Titles::new(&Site { language: "de".into(), ..Site::default() });
        let found: Vec<_> = links("[[Bild:A.svg|verweis=Foo]]", &german).map(|link| link.target).collect();
        assert_eq!(found, ["Bild:A.svg", "Foo"]);
    }

    #[test]
    fn a_line_of_a_gallery_counts_only_after_a_title() {
        let gallery = |lines: &str| targets(&format!("<gallery mode=x>\n{lines}\n</gallery>[[z]]"));
        assert_eq!(gallery("File:A.jpg|A [[b]] and [[c]]\nB.jpg|[[d]]"), ["b", "c", "d", "z"]);
        assert_eq!(gallery("|caption [[X]]\n[[X]]\n[[Category:X]]"), ["z"]);
        assert_eq!(gallery("[[File:B.jpg|thumb|[[X]]\nImage:B.jpg [[X]]\n\n"), ["z"]);
        assert_eq!(gallery("File:A.jpg|link=Foo\nFile:A.jpg|alt=a|[[b]]|link=Foo"), ["Foo", "Foo", "b", "z"]);
        assert_eq!(gallery("File:A.jpg|[[a\nFile:B.jpg|b]]"), ["z"]);
        assert_eq!(targets("<gallery>\n|[[a]]"), ["a"]);
    }

    #[test]
    fn a_reference_in_the_text_of_a_link_keeps_its_own_links() {
        assert_eq!(targets("[[Foo|x<ref>[[Bar]]</ref>]] [[z]]"), ["Foo", "Bar", "z"]);
        assert_eq!(
            targets("[[Category:C|<ref>[[Bar]] [[b]]</ref>a<ref>[[c]]</ref>]][[z]]"),
            ["Category:C", "Bar", "b", "c", "z"]
        );
        assert_eq!(targets("[[Foo|x<ref>[[Bar]]</ref> [[z]]"), ["Bar", "z"]);
        assert_eq!(targets("<ref>[[a|</ref>b]] [[z]]"), ["z"]);
    }

    #[test]
    fn the_name_of_a_section_may_hold_angle_brackets() {
        assert_eq!(
            targets("[[Foo#a > b]] [[Foo#<bar>]] [[Foo#1 < 2|x]]"),
            ["Foo#a > b", "Foo#<bar>", "Foo#1 < 2"]
        );
        assert_eq!(targets("[[Foo > b]] [[Foo<bar>#a]] [[Foo#<b>a</b>]]"), [""; 0]);
    }
}
