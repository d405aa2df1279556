//! Reads one page of a dump from its XML.
//!
//! Export schemas 0.3 to 0.11 differ only around the few elements needed here: unknown elements are skipped. The main
//! slot's text is the page's; other slots (`<content>`) are not.
//!
//! The text of a page is nearly all of its bytes and contains no `<`, so the XML reader, which would make an event of
//! every `&lt;`, skips it: the text ends at the next `<`, and its entities are decoded in one pass.

use memchr::memchr;
use quick_xml::events::{BytesStart, Event};
use quick_xml::{Reader, XmlVersion};

/// A page of the dump; buffers are reused from page to page.
#[derive(Debug, Default)]
pub(crate) struct Page {
    /// The full title, with its namespace.
    pub(crate) title: String,
    /// The namespace; schemas before 0.6 do not have it.
    pub(crate) namespace: Option<i32>,
    /// The page's number.
    pub(crate) id: u64,
    /// The title that the page redirects to: empty if the dump does not name it.
    pub(crate) redirect: Option<String>,
    /// The number of the revision read, the last one.
    pub(crate) revision: u64,
    /// The text of that revision.
    pub(crate) text: String,
    /// True if the text is wikitext, and not a script or data.
    pub(crate) is_wikitext: bool,
    /// True if the text was deleted from public view.
    pub(crate) is_deleted: bool,
    /// The elements around the current position.
    open: Vec<Element>,
    /// The text of the current element.
    word: String,
}

/// Elements that are read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Element {
    Page,
    Title,
    Namespace,
    Id,
    Redirect,
    Revision,
    RevisionId,
    Model,
    Text,
    Other,
}

impl Page {
    fn clear(&mut self) {
        self.title.clear();
        self.text.clear();
        self.open.clear();
        self.word.clear();
        (self.namespace, self.redirect) = (None, None);
        (self.id, self.revision) = (0, 0);
        (self.is_wikitext, self.is_deleted) = (true, false);
    }

    /// Reads the page from `xml`, which begins with `<page>` and ends with `</page>`.
    ///
    /// # Errors
    /// Returns the problem of the XML; `title` is then as far as it was read.
    pub(crate) fn read(&mut self, xml: &str) -> Result<(), String> {
        self.clear();
        let (mut open, mut word) = (std::mem::take(&mut self.open), std::mem::take(&mut self.word));
        let read = self.read_with(xml, &mut open, &mut word);
        (self.open, self.word) = (open, word);
        read
    }

    fn read_with(&mut self, xml: &str, open: &mut Vec<Element>, word: &mut String) -> Result<(), String> {
        let (mut reader, mut base) = (Reader::from_str(xml), 0);
        // Revisions are compared when they are complete: the last one counts.
        let mut current = Revision::default();
        loop {
            // `open` finds an end without a beginning, since the reader starts again after each text.
            reader.config_mut().check_end_names = false;
            reader.config_mut().allow_unmatched_ends = true;
            match reader.read_event().map_err(|e| e.to_string())? {
                Event::Start(start) => {
                    let element = Element::of(&start, open.last().copied());
                    word.clear();
                    match element {
                        Element::Revision => current = Revision::default(),
                        Element::Text if current.text.is_none() => {
                            let from = base + reader.buffer_position() as usize;
                            let plain = memchr(b'<', &xml.as_bytes()[from..])
                                .map(|length| from + length)
                                .filter(|&end| xml[end..].starts_with("</"));
                            if let Some(end) = plain {
                                current.text = Some((from, end));
                                (reader, base) = (Reader::from_str(&xml[end..]), end);
                            }
                        }
                        _ => {}
                    }
                    current.is_deleted |= element == Element::Text && is_deleted(&start);
                    self.note_redirect(element, &start);
                    open.push(element);
                }
                Event::Empty(start) => {
                    let element = Element::of(&start, open.last().copied());
                    current.is_deleted |= element == Element::Text && is_deleted(&start);
                    self.note_redirect(element, &start);
                }
                Event::End(_) => match open.pop() {
                    None => return Err("an end tag too many".into()),
                    Some(Element::Page) => break,
                    Some(Element::Title) => self.title.push_str(word.trim()),
                    Some(Element::Namespace) => self.namespace = word.trim().parse().ok(),
                    Some(Element::Id) => self.id = word.trim().parse().unwrap_or_default(),
                    Some(Element::RevisionId) => current.id = word.trim().parse().unwrap_or_default(),
                    Some(Element::Model) => current.is_wikitext = word.trim() == "wikitext",
                    Some(Element::Text) if current.text.is_none() => {
                        current.odd_text = std::mem::take(word);
                    }
                    Some(Element::Revision) => self.take(&current, xml),
                    Some(_) => {}
                },
                Event::Text(text) => word.push_str(&text),
                Event::CData(data) => word.push_str(&data),
                Event::GeneralRef(reference) => {
                    word.push('&');
                    word.push_str(&reference);
                    word.push(';');
                    let decoded = reference_from(&word[word.len() - reference.len() - 2..]);
                    if let Some((c, _)) = decoded {
                        word.truncate(word.len() - reference.len() - 2);
                        word.push(c);
                    }
                }
                Event::Eof => return Err("the page's XML ends early".into()),
                _ => {}
            }
        }
        if self.title.is_empty() { Err("a page without a title".into()) } else { Ok(()) }
    }

    fn note_redirect(&mut self, element: Element, start: &BytesStart<'_>) {
        if element == Element::Redirect {
            self.redirect = Some(attribute(start, "title").unwrap_or_default());
        }
    }

    fn take(&mut self, revision: &Revision, xml: &str) {
        if revision.id < self.revision {
            return;
        }
        self.revision = revision.id;
        self.is_wikitext = revision.is_wikitext;
        self.is_deleted = revision.is_deleted;
        self.text.clear();
        match revision.text {
            Some((start, end)) => decode(&xml[start..end], &mut self.text),
            None => self.text.push_str(&revision.odd_text),
        }
    }
}

/// A revision while it is read.
struct Revision {
    id: u64,
    is_wikitext: bool,
    is_deleted: bool,
    /// The range of its text.
    text: Option<(usize, usize)>,
    /// The text, if it contains other markup than entities.
    odd_text: String,
}

impl Default for Revision {
    fn default() -> Self {
        Revision { id: 0, is_wikitext: true, is_deleted: false, text: None, odd_text: String::new() }
    }
}

impl Element {
    /// Returns the kind of the element, which depends on the element around it.
    fn of(start: &BytesStart<'_>, parent: Option<Element>) -> Element {
        match (parent, start.name().as_ref()) {
            (None, "page") => Element::Page,
            (Some(Element::Page), "title") => Element::Title,
            (Some(Element::Page), "ns") => Element::Namespace,
            (Some(Element::Page), "id") => Element::Id,
            (Some(Element::Page), "redirect") => Element::Redirect,
            (Some(Element::Page), "revision") => Element::Revision,
            (Some(Element::Revision), "id") => Element::RevisionId,
            (Some(Element::Revision), "model") => Element::Model,
            (Some(Element::Revision), "text") => Element::Text,
            _ => Element::Other,
        }
    }
}

/// Returns the value of an attribute.
pub(crate) fn attribute(start: &BytesStart<'_>, name: &str) -> Option<String> {
    let attribute = start.try_get_attribute(name).ok().flatten()?;
    attribute.normalized_value(XmlVersion::Explicit1_0).ok().map(Into::into)
}

fn is_deleted(start: &BytesStart<'_>) -> bool {
    attribute(start, "deleted").is_some()
}

/// Appends `raw` with its entities decoded; unknown ones stay as they are.
fn decode(raw: &str, out: &mut String) {
    out.reserve(raw.len());
    let mut rest = raw;
    while let Some(at) = memchr(b'&', rest.as_bytes()) {
        out.push_str(&rest[..at]);
        rest = &rest[at..];
        let (c, length) = reference_from(rest).unwrap_or(('&', 1));
        out.push(c);
        rest = &rest[length..];
    }
    out.push_str(rest);
}

/// Returns the character of the reference at the beginning of `text`, and the reference's length.
fn reference_from(text: &str) -> Option<(char, usize)> {
    let bytes = text.as_bytes();
    // The four of nearly all.
    if bytes.starts_with(b"&lt;") {
        return Some(('<', 4));
    } else if bytes.starts_with(b"&gt;") {
        return Some(('>', 4));
    } else if bytes.starts_with(b"&quot;") {
        return Some(('"', 6));
    } else if bytes.starts_with(b"&amp;") {
        return Some(('&', 5));
    }
    let end = bytes.iter().take(12).position(|&byte| byte == b';')?;
    let name = &text[1..end];
    let c = match name.strip_prefix('#') {
        Some(number) if number.starts_with(['x', 'X']) => u32::from_str_radix(&number[1..], 16).ok()?,
        Some(number) => number.parse().ok()?,
        None if name == "apos" => u32::from('\''),
        None => return None,
    };
    Some((char::from_u32(c)?, end + 1))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(xml: &str) -> Result<Page, String> {
        let mut page = Page::default();
        page.read(xml).map(|()| page)
    }

    #[test]
    fn a_page_of_the_newest_schema() {
        let page = read(
            "<page><title>AT&amp;T</title><ns>0</ns><id>7</id><restrictions>x</restrictions><revision><id>9</id>\
             <contributor><username>a</username><id>3</id></contributor><origin>9</origin><model>wikitext</model>\
             <format>text/x-wiki</format><text bytes=\"5\" xml:space=\"preserve\">a &lt;b&gt; &amp;amp; &#233;&quot;</text>\
             <sha1>x</sha1><content><role>other</role><model>json</model><text>{}</text></content></revision></page>",
        );
        let page = page.unwrap();
        assert_eq!((page.title.as_str(), page.namespace, page.id, page.revision), ("AT&T", Some(0), 7, 9));
        assert_eq!(page.text, "a <b> &amp; é\"");
        assert!(page.is_wikitext && !page.is_deleted && page.redirect.is_none());
    }

    #[test]
    fn the_last_of_several_revisions_counts() {
        let page = read(
            "<page><title>A</title><id>1</id><revision><id>5</id><text>new</text></revision>\
             <revision><id>4</id><text>old</text></revision></page>",
        );
        let page = page.unwrap();
        assert_eq!((page.text.as_str(), page.revision, page.namespace), ("new", 5, None));
    }

    #[test]
    fn redirects_deleted_texts_and_odd_writing_are_understood() {
        let page = read(
            "<page><title>A</title><redirect title=\"B &quot;c&quot;\" /><revision><text deleted=\"deleted\" /></revision></page>",
        );
        let page = page.unwrap();
        assert_eq!(page.redirect.as_deref(), Some("B \"c\""));
        assert!(page.is_deleted && page.text.is_empty());
        let page = read(
            "<page><title><![CDATA[A<b]]></title><redirect/><revision><text>x<!-- c -->y&amp;<![CDATA[<z>]]></text></revision></page>",
        );
        let page = page.unwrap();
        assert_eq!((page.title.as_str(), page.text.as_str()), ("A<b", "xy&<z>"));
        assert_eq!(page.redirect.as_deref(), Some(""));
        let page = read("<page><title>A</title><revision><model>css</model><text>x</text></revision></page>")
            .unwrap();
        assert!(!page.is_wikitext);
    }

    #[test]
    fn broken_pages_say_what_is_wrong() {
        for xml in [
            "",
            "<page>",
            "<page><title>A</title>",
            "<page><title>A",
            "<page></page>",
            "<page><title a=></page>",
            "</page>",
            "<page",
        ] {
            assert!(read(xml).is_err(), "{xml}");
        }
    }
}
