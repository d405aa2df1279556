//! From the bytes of a file to stretches of whole pages.
//!
//! Bytes come in pieces of any size. What stands before the first page is the head; from there on a stretch is cut
//! after the last `</page>` whenever enough bytes have come. Where a part of the file is lost, the page that was
//! begun before is dropped, and everything up to the next `<page>` after.

use memchr::memmem;
use std::borrow::Cow;

/// A stretch is cut when it has so many bytes.
const STRETCH: usize = 1 << 20;
/// A head is never longer.
const LONGEST_HEAD: usize = 1 << 20;

const PAGE: &[u8] = b"<page>";
const END_OF_PAGE: &[u8] = b"</page>";
const END: &[u8] = b"</mediawiki>";

/// A part of the file that cannot be read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Gap {
    /// Where it begins and ends, in bytes of the file as it is.
    pub(crate) from: u64,
    pub(crate) to: u64,
    /// What is wrong.
    pub(crate) why: String,
}

/// What a file turns out to hold, in order.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum DumpPart {
    /// What stands before the first page.
    Head(String),
    /// Whole pages.
    Pages(Vec<u8>),
    /// A loss.
    Gap(Gap),
    /// The file is no dump; what it looks like.
    Foreign(&'static str),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    /// Before the first page.
    Head,
    /// Within the pages.
    Pages,
    /// After a loss, before the next page.
    Lost,
    /// After the end, or no dump at all.
    Over,
}

/// Assembles one file.
pub(crate) struct Assembler {
    state: State,
    encoding: Option<Encoding>,
    held: Vec<u8>,
    /// How much of `held` has been searched for the end of a page.
    searched: usize,
    /// The end of the last whole page in `held`.
    whole: usize,
    /// Where in the file the bytes come from that came last.
    at: u64,
    has_root: bool,
}

impl Assembler {
    pub(crate) fn new() -> Assembler {
        Assembler {
            state: State::Head,
            encoding: None,
            held: Vec::new(),
            searched: 0,
            whole: 0,
            at: 0,
            has_root: false,
        }
    }

    /// Takes the next bytes, which come from place `at` of the file.
    pub(crate) fn push(&mut self, bytes: Vec<u8>, at: u64, out: &mut Vec<DumpPart>) {
        self.at = at;
        if self.state == State::Over || bytes.is_empty() {
            return;
        }
        let encoding = self.encoding.get_or_insert_with(|| Encoding::of(&bytes));
        let decoded = encoding.decode(bytes);
        append(&mut self.held, decoded);
        if self.state == State::Head {
            self.cut_head(out);
        }
        if self.state == State::Lost {
            self.find_next_page();
        }
        if self.state == State::Pages {
            self.cut_pages(STRETCH, out);
        }
    }

    /// Takes notice of a loss.
    pub(crate) fn lose(&mut self, gap: Gap, out: &mut Vec<DumpPart>) {
        self.at = gap.to;
        if self.state == State::Pages {
            self.cut_pages(0, out);
        }
        if self.state != State::Over {
            self.state = State::Lost;
            self.forget();
        }
        out.push(DumpPart::Gap(gap));
    }

    /// Ends the file, which has so many bytes.
    pub(crate) fn finish(mut self, bytes: u64, out: &mut Vec<DumpPart>) {
        match self.state {
            State::Head if self.held.iter().all(u8::is_ascii_whitespace) => {
                out.push(DumpPart::Foreign("an empty file"));
            }
            State::Head => {
                self.take_head(self.held.len(), out);
                if self.state == State::Head && memmem::find(&self.held, END).is_none() {
                    let why = "the file ends before the first page".into();
                    out.push(DumpPart::Gap(Gap { from: self.at, to: bytes, why }));
                }
            }
            State::Pages => {
                self.cut_pages(0, out);
                let rest = &self.held;
                let begun = memmem::find(rest, b"<page").is_some();
                if begun || (self.has_root && memmem::find(rest, END).is_none()) {
                    let why =
                        if begun { "the file ends in the middle of a page" } else { "the file has no end" };
                    out.push(DumpPart::Gap(Gap { from: self.at, to: bytes, why: why.into() }));
                }
            }
            State::Lost | State::Over => {}
        }
    }

    fn forget(&mut self) {
        self.held.clear();
        (self.searched, self.whole) = (0, 0);
    }

    fn cut_head(&mut self, out: &mut Vec<DumpPart>) {
        let first = self.held.iter().position(|byte| !byte.is_ascii_whitespace());
        let Some(first) = first else { return };
        if self.held[first] != b'<' {
            out.push(DumpPart::Foreign(what_it_is(&self.held[first..])));
            self.state = State::Over;
            return;
        }
        match memmem::find(&self.held, PAGE) {
            Some(at) => {
                self.take_head(at, out);
                if self.state != State::Over {
                    self.held.drain(..at);
                    self.state = State::Pages;
                }
            }
            None if self.held.len() > LONGEST_HEAD => {
                out.push(DumpPart::Foreign("XML without a <page>"));
                self.state = State::Over;
            }
            None => {}
        }
    }

    /// Gives out the head, if it is one.
    fn take_head(&mut self, length: usize, out: &mut Vec<DumpPart>) {
        let head = String::from_utf8_lossy(&self.held[..length]);
        self.has_root = head.contains("<mediawiki");
        let nothing = head.trim().is_empty();
        if self.has_root || nothing || head.trim_start().starts_with("<siteinfo") {
            out.push(DumpPart::Head(head.into_owned()));
        } else {
            out.push(DumpPart::Foreign("XML or HTML of another kind"));
            self.state = State::Over;
        }
    }

    fn find_next_page(&mut self) {
        match memmem::find(&self.held, PAGE) {
            Some(at) => {
                self.held.drain(..at);
                (self.searched, self.whole) = (0, 0);
                self.state = State::Pages;
            }
            None => {
                // The tag may have begun.
                let keep = self.held.len().min(PAGE.len() - 1);
                self.held.drain(..self.held.len() - keep);
            }
        }
    }

    /// Gives out the whole pages if there are enough bytes of them.
    fn cut_pages(&mut self, at_least: usize, out: &mut Vec<DumpPart>) {
        let from = self.searched.saturating_sub(END_OF_PAGE.len() - 1);
        if let Some(last) = memmem::rfind(&self.held[from..], END_OF_PAGE) {
            self.whole = from + last + END_OF_PAGE.len();
        }
        self.searched = self.held.len();
        if self.whole == 0 || self.whole < at_least {
            return;
        }
        let rest = self.held.split_off(self.whole);
        let pages = std::mem::replace(&mut self.held, rest);
        (self.searched, self.whole) = (self.held.len(), 0);
        out.push(DumpPart::Pages(pages));
    }
}

/// Appends bytes; where little was held and the new bytes have room, by moving into their place, since memory that
/// was written to before is cheaper than new memory.
fn append(held: &mut Vec<u8>, mut more: Vec<u8>) {
    let (before, after) = (held.len(), more.len());
    if before <= after / 2 && more.capacity() - after >= before {
        more.resize(before + after, 0);
        more.copy_within(..after, before);
        more[..before].copy_from_slice(held);
        *held = more;
    } else {
        held.extend_from_slice(&more);
    }
}

/// What a file that does not begin with `<` looks like.
fn what_it_is(start: &[u8]) -> &'static str {
    let digits = start.iter().take_while(|byte| byte.is_ascii_digit()).count();
    if digits > 0 && start.get(digits) == Some(&b':') {
        "the index of a multistream dump"
    } else if start.starts_with(b"-- ") || start.starts_with(b"/*") {
        "an SQL file"
    } else if start.starts_with(b"{") || start.starts_with(b"[") {
        "a JSON file"
    } else {
        "not an XML file"
    }
}

/// How the file's characters are written.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Encoding {
    /// UTF-8; `true` until the mark at the beginning, if there is one, is cut.
    Utf8 { mark: bool },
    /// UTF-16, with what is left over of the last piece.
    Utf16 { big_endian: bool, left: Vec<u8>, mark: bool },
}

impl Encoding {
    fn of(start: &[u8]) -> Encoding {
        match start {
            [0xFF, 0xFE, ..] => Encoding::Utf16 { big_endian: false, left: Vec::new(), mark: true },
            [0xFE, 0xFF, ..] => Encoding::Utf16 { big_endian: true, left: Vec::new(), mark: true },
            [0xEF, 0xBB, 0xBF, ..] => Encoding::Utf8 { mark: true },
            _ => Encoding::Utf8 { mark: false },
        }
    }

    /// The bytes as UTF-8.
    fn decode(&mut self, mut bytes: Vec<u8>) -> Vec<u8> {
        match self {
            Encoding::Utf8 { mark } => {
                if std::mem::take(mark) {
                    bytes.drain(..3);
                }
                bytes
            }
            Encoding::Utf16 { big_endian, left, mark } => {
                left.extend_from_slice(&bytes);
                let unit = |pair: &[u8]| match (pair, &*big_endian) {
                    ([high, low], true) | ([low, high], false) => u16::from(*high) << 8 | u16::from(*low),
                    _ => 0,
                };
                let mut units: Vec<u16> = left.chunks_exact(2).map(unit).collect();
                // Half a character waits for the other half.
                let waits = units.last().is_some_and(|last| (0xD800..0xDC00).contains(last));
                units.truncate(units.len() - usize::from(waits));
                left.drain(..units.len() * 2);
                let from = usize::from(std::mem::take(mark)).min(units.len());
                let decoded: Cow<'_, str> = String::from_utf16_lossy(&units[from..]).into();
                decoded.into_owned().into_bytes()
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parts(pieces: &[&[u8]]) -> Vec<DumpPart> {
        let mut out = Vec::new();
        let mut assembler = Assembler::new();
        let mut at = 0;
        for piece in pieces {
            assembler.push(piece.to_vec(), at, &mut out);
            at += piece.len() as u64;
        }
        assembler.finish(at, &mut out);
        // However the pieces were cut, the pages are the same.
        let mut joined: Vec<DumpPart> = Vec::new();
        for part in out {
            match (joined.last_mut(), part) {
                (Some(DumpPart::Pages(pages)), DumpPart::Pages(more)) => pages.extend(more),
                (_, part) => joined.push(part),
            }
        }
        joined
    }

    fn pages(text: &str) -> DumpPart {
        DumpPart::Pages(text.as_bytes().to_vec())
    }

    #[test]
    fn head_and_pages_are_the_same_however_the_bytes_come() {
        let file = b"\xEF\xBB\xBF<mediawiki>\n <page>a</page>\n <page>b</page>\n</mediawiki>\n";
        let expected = [DumpPart::Head("<mediawiki>\n ".into()), pages("<page>a</page>\n <page>b</page>")];
        assert_eq!(parts(&[file]), expected);
        for cut in 4..file.len() {
            assert_eq!(parts(&[&file[..cut], &file[cut..]]), expected, "{cut}");
        }
    }

    #[test]
    fn utf_16_is_read_by_its_mark() {
        for big_endian in [false, true] {
            let text = "\u{FEFF}<mediawiki><page>Я𝄞</page></mediawiki>";
            let bytes: Vec<u8> = text
                .encode_utf16()
                .flat_map(|unit| if big_endian { unit.to_be_bytes() } else { unit.to_le_bytes() })
                .collect();
            let expected = [DumpPart::Head("<mediawiki>".into()), pages("<page>Я𝄞</page>")];
            for cut in 2..bytes.len() {
                assert_eq!(parts(&[&bytes[..cut], &bytes[cut..]]), expected, "{cut}");
            }
        }
    }

    #[test]
    fn a_file_that_ends_early_is_a_loss() {
        let gap = |parts: &[DumpPart]| match parts.last() {
            Some(DumpPart::Gap(gap)) => gap.why.clone(),
            other => format!("{other:?}"),
        };
        assert_eq!(
            gap(&parts(&[b"<mediawiki><page>a</page><page>b"])),
            "the file ends in the middle of a page"
        );
        assert_eq!(gap(&parts(&[b"<mediawiki><page>a</page>"])), "the file has no end");
        assert_eq!(gap(&parts(&[b"<mediawiki><siteinfo>"])), "the file ends before the first page");
        assert_eq!(parts(&[b"<page>a</page>"]), [DumpPart::Head("".into()), pages("<page>a</page>")]);
        assert_eq!(parts(&[b"<mediawiki></mediawiki>"]), [DumpPart::Head("<mediawiki></mediawiki>".into())]);
    }

    #[test]
    fn what_is_no_dump_is_named() {
        let foreign = |file: &[u8]| match parts(&[file]).pop() {
            Some(DumpPart::Foreign(what)) => what,
            other => panic!("{other:?}"),
        };
        assert_eq!(foreign(b"600:10:AccessibleComputing\n"), "the index of a multistream dump");
        assert_eq!(foreign(b"-- MySQL dump"), "an SQL file");
        assert_eq!(foreign(b"{\"a\": 1}"), "a JSON file");
        assert_eq!(foreign(b"<html><page></html>"), "XML or HTML of another kind");
        assert_eq!(foreign(b"  \n"), "an empty file");
        assert_eq!(foreign(b""), "an empty file");
    }

    #[test]
    fn after_a_loss_the_next_page_is_found() {
        let mut out = Vec::new();
        let mut assembler = Assembler::new();
        let gap = Gap { from: 30, to: 40, why: "x".into() };
        assembler.push(b"<mediawiki><page>a</page><page>b".to_vec(), 0, &mut out);
        assembler.lose(gap.clone(), &mut out);
        assembler.push(b"c</page><pa".to_vec(), 40, &mut out);
        assembler.push(b"ge>d</page></mediawiki>".to_vec(), 50, &mut out);
        assembler.finish(70, &mut out);
        let expected = [
            DumpPart::Head("<mediawiki>".into()),
            pages("<page>a</page>"),
            DumpPart::Gap(gap),
            pages("<page>d</page>"),
        ];
        assert_eq!(out, expected);
    }
}
