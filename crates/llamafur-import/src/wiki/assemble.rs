//! From the bytes of a file to stretches of whole pages.
//!
//! Bytes come in pieces of any size. The text before the first page is the head; after it a stretch is cut
//! after the last `</page>` whenever enough bytes have come. Where a part of the file is lost, the page that was
//! begun before is dropped, and everything up to the next `<page>` after.

use memchr::memmem;

/// A stretch is cut when it has so many bytes.
const STRETCH: usize = 1 << 20;
/// A head is never longer.
const LONGEST_HEAD: usize = 1 << 20;

/// So many bytes are kept where no page is found.
const KEPT: usize = 32;

const BYTE_ORDER_MARK: &[u8] = b"\xEF\xBB\xBF";
pub(super) const PAGE: &[u8] = b"<page>";
pub(super) const END_OF_PAGE: &[u8] = b"</page>";
const END: &[u8] = b"</mediawiki>";

/// What is wrong with a file that ends so.
const NO_END: &str = "the file has no end";
/// What is wrong with a file that ends so.
pub(super) const CUT_PAGE: &str = "the file ends in the middle of a page";

/// What an index file looks like, which is not needed.
pub(crate) const INDEX: &str = "the index of a multistream dump";
/// What a file in UTF-16 looks like.
pub(crate) const UTF_16: &str = "UTF-16 text";

/// A part of the file that cannot be read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Gap {
    /// Where it begins and ends, in bytes of the file as it is.
    pub(crate) from: u64,
    pub(crate) to: u64,
    /// What is wrong.
    pub(crate) why: String,
}

/// What a file holds, in order.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum DumpPart {
    /// The text before the first page.
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
    held: Vec<u8>,
    /// How much of `held` has been searched for the end of a page.
    searched: usize,
    /// The end of the last whole page in `held`.
    whole: usize,
    /// Where in the file the bytes come from that came last.
    at: u64,
    has_root: bool,
    /// Whether no page was found since it began in the middle of a file.
    is_within: bool,
}

impl Assembler {
    pub(crate) fn new() -> Assembler {
        Assembler {
            state: State::Head,
            held: Vec::new(),
            searched: 0,
            whole: 0,
            at: 0,
            has_root: false,
            is_within: false,
        }
    }

    /// Assembles a file from some place on, beginning with the next page there. `has_root`: whether the file must have an
    /// end.
    #[cfg(feature = "arrow")]
    pub(crate) fn within(has_root: bool) -> Assembler {
        Assembler { state: State::Lost, has_root, is_within: true, ..Assembler::new() }
    }

    /// Gives out all whole pages, and returns the bytes after the last: perhaps the beginning of a page.
    #[cfg(feature = "arrow")]
    pub(crate) fn cut(mut self, out: &mut Vec<DumpPart>) -> Vec<u8> {
        if self.state == State::Pages {
            self.cut_pages(0, out);
        }
        self.held
    }

    /// Takes the next bytes, which come from place `at` of the file.
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
        if self.state == State::Pages {
            self.cut_pages(STRETCH, out);
        }
    }

    /// Notes a loss.
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
                // The tag may have begun, and this may be the file's end.
                let keep = self.held.len().min(KEPT);
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
