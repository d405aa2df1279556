//! Assembles the bytes of a file into stretches of whole pages.
//!
//! Bytes arrive in pieces of any size. The text before the first page is the head; after it a stretch is cut after the
//! last `</page>` whenever enough bytes are held. If a part of the file is lost, the incomplete page before it and
//! everything up to the next `<page>` are dropped. A page over the size limit is skipped.

use crate::input::{in_words, shortened};
use memchr::memmem;
use std::fmt;

/// Number of bytes at which a stretch is cut.
const STRETCH: usize = 1 << 20;
/// Largest length of a head.
const LONGEST_HEAD: usize = 1 << 20;

/// Number of bytes kept when no page is found.
const KEPT: usize = 32;
/// Number of first bytes of a page that contain its title.
const TITLE_WITHIN: usize = 4096;

const BYTE_ORDER_MARK: &[u8] = b"\xEF\xBB\xBF";
pub(super) const PAGE: &[u8] = b"<page>";
pub(super) const END_OF_PAGE: &[u8] = b"</page>";
const END: &[u8] = b"</mediawiki>";

/// The problem of a file without its closing tag.
const NO_END: &str = "the file has no end";
/// The problem of a file that ends within a page.
pub(super) const CUT_PAGE: &str = "the file ends in the middle of a page";

/// The description of an index file, which is not needed.
pub(crate) const INDEX: &str = "the index of a multistream dump";
/// The description of a file in UTF-16.
pub(crate) const UTF_16: &str = "UTF-16 text";

/// A part of the file that cannot be read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Gap {
    /// Begin and end in bytes of the file on disk.
    pub(crate) from: u64,
    pub(crate) to: u64,
    /// The reason.
    pub(crate) why: String,
}

/// A page that is skipped, since it is too long.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct LongPage {
    /// Offset in the file, at or shortly before the page's beginning.
    pub(crate) at: u64,
    /// Its title, as it is in the XML.
    pub(crate) title: String,
    /// Largest length that is read.
    pub(crate) limit: usize,
}

impl LongPage {
    /// Describes the page that begins with these bytes.
    pub(crate) fn new(at: u64, start: &[u8], limit: usize) -> LongPage {
        let start = String::from_utf8_lossy(&start[..start.len().min(TITLE_WITHIN)]);
        let title = start.split_once("<title>").and_then(|(_, rest)| rest.split_once("</title>"));
        let title = title.map_or_else(|| "?".to_owned(), |(title, _)| shortened(title));
        LongPage { at, title, limit }
    }
}

impl fmt::Display for LongPage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let LongPage { at, title, limit } = self;
        write!(f, "page {title:?}, at byte {at} or shortly after: longer than {}", in_words(*limit))
    }
}

/// Parts of a file, in order.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum DumpPart {
    /// The text before the first page.
    Head(String),
    /// Whole pages.
    Pages(Vec<u8>),
    /// A page that is too long.
    LongPage(LongPage),
    /// A loss.
    Gap(Gap),
    /// The file is no dump; its detected content.
    Foreign(&'static str),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    /// Before the first page.
    Head,
    /// Within the pages.
    Pages,
    /// Within a page that is too long.
    Skipping,
    /// After a loss, before the next page.
    Lost,
    /// After the end, or no dump at all.
    Over,
}

/// An assembler of one file's pages.
pub(crate) struct Assembler {
    state: State,
    held: Vec<u8>,
    /// Length of the part of `held` already searched for the end of a page.
    searched: usize,
    /// The end of the last whole page in `held`.
    whole: usize,
    /// Offset in the file of the last bytes received.
    at: u64,
    /// Offset in the file of the bytes in which the last page begins.
    page_at: u64,
    /// Largest length of a page, in bytes.
    longest: usize,
    has_root: bool,
    /// True until the first page is found, if assembling began in the middle of a file.
    is_within: bool,
}

impl Assembler {
    /// Creates an assembler of a file that skips pages of more than `longest` bytes.
    pub(crate) fn new(longest: usize) -> Assembler {
        Assembler {
            state: State::Head,
            held: Vec::new(),
            searched: 0,
            whole: 0,
            at: 0,
            page_at: 0,
            longest,
            has_root: false,
            is_within: false,
        }
    }

    /// Creates an assembler that begins with the next page after some place of a file. `has_root`: true if the file
    /// must have a closing tag.
    #[cfg(feature = "arrow")]
    pub(crate) fn within(longest: usize, has_root: bool) -> Assembler {
        Assembler { state: State::Lost, has_root, is_within: true, ..Assembler::new(longest) }
    }

    /// Passes on all whole pages, and returns the bytes after the last, perhaps the beginning of a page, with their
    /// place.
    #[cfg(feature = "arrow")]
    pub(crate) fn cut(mut self, out: &mut Vec<DumpPart>) -> (Vec<u8>, u64) {
        if self.state == State::Pages {
            self.cut_pages(0, out);
        }
        (self.held, self.page_at)
    }

    /// Takes the next bytes, which begin at place `at` of the file.
    pub(crate) fn push(&mut self, bytes: Vec<u8>, at: u64, out: &mut Vec<DumpPart>) {
        self.at = at;
        if self.state == State::Over || bytes.is_empty() {
            return;
        }
        append(&mut self.held, bytes);
        if self.state == State::Head {
            self.cut_head(out);
        }
        if self.state == State::Lost {
            self.find_next_page();
        }
        if self.state == State::Skipping {
            self.skip_page();
        }
        if self.state == State::Pages {
            self.cut_pages(STRETCH, out);
        }
    }

    /// Records a loss.
    pub(crate) fn lose(&mut self, gap: Gap, out: &mut Vec<DumpPart>) {
        self.at = gap.to;
        self.is_within = false;
        if self.state == State::Pages {
            self.cut_pages(0, out);
        }
        if self.state != State::Over {
            self.state = State::Lost;
            self.forget();
        }
        out.push(DumpPart::Gap(gap));
    }

    /// Ends the file, whose length is `bytes`.
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
            State::Skipping => {
                out.push(DumpPart::Gap(Gap { from: self.at, to: bytes, why: CUT_PAGE.into() }));
            }
            State::Pages => {
                self.cut_pages(0, out);
                let rest = &self.held;
                let begun = memmem::find(rest, b"<page").is_some();
                if begun || (self.has_root && memmem::find(rest, END).is_none()) {
                    let why = if begun { CUT_PAGE } else { NO_END };
                    out.push(DumpPart::Gap(Gap { from: self.at, to: bytes, why: why.into() }));
                }
            }
            State::Lost if self.is_within && self.has_root => {
                // The end may have begun before.
                let rest = self.held.trim_ascii();
                if memmem::find(rest, END).is_none() && !END.ends_with(rest) {
                    let why = NO_END.into();
                    out.push(DumpPart::Gap(Gap { from: self.at, to: bytes, why }));
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
        if self.held.starts_with(BYTE_ORDER_MARK) {
            self.held.drain(..BYTE_ORDER_MARK.len());
        } else if BYTE_ORDER_MARK.starts_with(&self.held) {
            return;
        }
        let first = self.held.iter().position(|byte| !byte.is_ascii_whitespace());
        let Some(first) = first else {
            if self.held.len() > LONGEST_HEAD {
                out.push(DumpPart::Foreign("nothing but whitespace"));
                self.state = State::Over;
            }
            return;
        };
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
                    self.page_at = self.at;
                }
            }
            None if self.held.len() > LONGEST_HEAD => {
                out.push(DumpPart::Foreign("XML without a <page>"));
                self.state = State::Over;
            }
            None => {}
        }
    }

    /// Passes on the head, if it is one.
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
                self.page_at = self.at;
            }
            None => self.keep_end(),
        }
    }

    /// Drops the held bytes except the last: a tag may have begun there, and this may be the file's end.
    fn keep_end(&mut self) {
        let keep = self.held.len().min(KEPT);
        self.held.drain(..self.held.len() - keep);
        self.searched = 0;
    }

    /// Continues after the end of a page that is too long.
    fn skip_page(&mut self) {
        match memmem::find(&self.held, END_OF_PAGE) {
            Some(end) => {
                self.held.drain(..end + END_OF_PAGE.len());
                (self.searched, self.whole) = (0, 0);
                self.state = State::Pages;
                self.page_at = self.at;
            }
            None => self.keep_end(),
        }
    }

    /// Passes on the whole pages if they have at least `at_least` bytes.
    fn cut_pages(&mut self, at_least: usize, out: &mut Vec<DumpPart>) {
        let from = self.searched.saturating_sub(END_OF_PAGE.len() - 1);
        let page_at = self.page_at;
        if let Some(last) = memmem::rfind(&self.held[from..], END_OF_PAGE) {
            self.whole = from + last + END_OF_PAGE.len();
            self.page_at = self.at;
        }
        self.searched = self.held.len();
        // Only then can one of the pages be too long.
        if self.held.len() > self.longest {
            self.drop_long_pages(page_at, out);
        }
        if self.whole == 0 || self.whole < at_least {
            return;
        }
        let rest = self.held.split_off(self.whole);
        let pages = std::mem::replace(&mut self.held, rest);
        (self.searched, self.whole) = (self.held.len(), 0);
        out.push(DumpPart::Pages(pages));
    }

    /// Drops the pages that are too long; the first of those held begins at `page_at` in the file.
    fn drop_long_pages(&mut self, mut page_at: u64, out: &mut Vec<DumpPart>) {
        let mut at = 0;
        while let Some(end) = memmem::find(&self.held[at..self.whole], END_OF_PAGE) {
            let end = at + end + END_OF_PAGE.len();
            let start = at + memmem::find(&self.held[at..end], PAGE).unwrap_or_default();
            if end - start > self.longest {
                let page = LongPage::new(page_at, &self.held[start..end], self.longest);
                let rest = self.held.split_off(end);
                self.held.truncate(start);
                let before = std::mem::replace(&mut self.held, rest);
                if at > 0 {
                    out.push(DumpPart::Pages(before));
                }
                out.push(DumpPart::LongPage(page));
                self.whole -= end;
                at = 0;
            } else {
                at = end;
            }
            page_at = self.at;
        }
        if self.whole > 0 {
            let rest = self.held.split_off(self.whole);
            out.push(DumpPart::Pages(std::mem::replace(&mut self.held, rest)));
            self.whole = 0;
        }
        match memmem::find(&self.held, PAGE) {
            Some(start) if self.held.len() - start > self.longest => {
                let page = LongPage::new(page_at, &self.held[start..], self.longest);
                out.push(DumpPart::LongPage(page));
                self.state = State::Skipping;
                self.keep_end();
            }
            None if self.held.len() > self.longest => {
                // What comes after the end of the dump is not read.
                self.has_root &= memmem::find(&self.held, END).is_none();
                self.keep_end();
            }
            _ => {}
        }
        self.searched = self.held.len();
    }
}

/// Appends bytes. If little was held and the new vector has room, moves the old bytes into it, since memory that was
/// written to before is cheaper than new memory.
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

/// Describes a file that does not begin with `<`.
fn what_it_is(start: &[u8]) -> &'static str {
    let digits = start.iter().take_while(|byte| byte.is_ascii_digit()).count();
    if digits > 0 && start.get(digits) == Some(&b':') {
        INDEX
    } else if start.starts_with(b"-- ") || start.starts_with(b"/*") {
        "an SQL file"
    } else if start.starts_with(b"\xFF\xFE") || start.starts_with(b"\xFE\xFF") {
        UTF_16
    } else if start.starts_with(b"{") || start.starts_with(b"[") {
        "a JSON file"
    } else {
        "not an XML file"
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The longest page.
    const LONG: usize = 24;

    fn parts(pieces: &[&[u8]]) -> Vec<DumpPart> {
        let mut out = Vec::new();
        let mut assembler = Assembler::new(LONG);
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
        for cut in 1..file.len() {
            assert_eq!(parts(&[&file[..cut], &file[cut..]]), expected, "{cut}");
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
        assert_eq!(foreign(b"\xFF\xFE<\0m\0"), "UTF-16 text");
        assert_eq!(foreign(b"\xFE\xFF\0<\0m"), "UTF-16 text");
        assert_eq!(foreign(b"{\"a\": 1}"), "a JSON file");
        assert_eq!(foreign(b"<html><page></html>"), "XML or HTML of another kind");
        assert_eq!(foreign(b"  \n"), "an empty file");
        assert_eq!(foreign(b""), "an empty file");
    }

    #[test]
    fn a_page_that_is_too_long_is_passed_over_however_the_bytes_come() {
        let long = format!("<page><title>L</title>{}</page>", "x".repeat(99));
        let file =
            format!("<mediawiki><page>a</page>{long}<page>b</page> {long} {long}<page>c</page></mediawiki>");
        let seen = |pieces: &[&[u8]]| -> (String, Vec<String>) {
            let (mut text, mut dropped) = (String::new(), Vec::new());
            for part in parts(pieces) {
                match part {
                    DumpPart::Pages(pages) => text += &String::from_utf8(pages).unwrap(),
                    DumpPart::LongPage(page) => dropped.push(page.title),
                    DumpPart::Head(_) => {}
                    other => panic!("{other:?}"),
                }
            }
            (text.replace(' ', ""), dropped)
        };
        let expected = ("<page>a</page><page>b</page><page>c</page>".to_owned(), vec!["L".to_owned(); 3]);
        assert_eq!(seen(&[file.as_bytes()]), expected);
        for cut in 1..file.len() {
            let (a, b) = file.as_bytes().split_at(cut);
            // The title may have been cut off with the page.
            let (pages, dropped) = seen(&[a, b]);
            assert_eq!((pages, dropped.len()), (expected.0.clone(), 3), "{cut}");
        }
        for piece in 1..40 {
            let pieces: Vec<&[u8]> = file.as_bytes().chunks(piece).collect();
            let (pages, dropped) = seen(&pieces);
            assert_eq!((pages, dropped.len()), (expected.0.clone(), 3), "{piece}");
        }
    }

    #[test]
    fn what_is_passed_over_is_not_held() {
        let mut out = Vec::new();
        let mut assembler = Assembler::new(LONG);
        assembler.push(b"<mediawiki><page><title>L</title>".to_vec(), 0, &mut out);
        for at in 0..100 {
            assembler.push(b"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx".to_vec(), at, &mut out);
            assert!(assembler.held.len() <= LONG + KEPT, "{}", assembler.held.len());
        }
        assembler.push(b"</page><page>a</page></mediawiki>".to_vec(), 101, &mut out);
        for at in 0..100 {
            assembler.push(vec![b' '; 40], at, &mut out);
            assert!(assembler.held.len() <= LONG + KEPT + 40, "{}", assembler.held.len());
        }
        assembler.finish(9999, &mut out);
        assert!(
            matches!(&out[..], [DumpPart::Head(_), DumpPart::LongPage(_), DumpPart::Pages(_)]),
            "{out:?}"
        );
        let mut out = Vec::new();
        let mut blank = Assembler::new(LONG);
        (0..3).for_each(|at| blank.push(vec![b' '; LONGEST_HEAD], at, &mut out));
        assert_eq!(out, [DumpPart::Foreign("nothing but whitespace")]);
        assert!(blank.held.len() <= 2 * LONGEST_HEAD);
    }

    #[test]
    fn after_a_loss_the_next_page_is_found() {
        let mut out = Vec::new();
        let mut assembler = Assembler::new(LONG);
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
