//! Puts plain text together, tidily: single spaces, no marks left behind by what was dropped.
//!
//! All is done while writing, with a glance at the last letter only: a page of any shape costs one pass.

use std::ops::Range;

/// The longest text that markup keeps together as a sentence, in bytes: a longer one is a paragraph.
const LONGEST_KEPT: usize = 200;

/// The style of a text, and the link that it is part of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Style {
    pub(super) italic: bool,
    pub(super) bold: bool,
    /// The number of the link.
    pub(super) link: Option<usize>,
}

impl Style {
    /// Returns what two styles share: the style of the space between them.
    fn common(self, other: Style) -> Style {
        Style {
            italic: self.italic && other.italic,
            bold: self.bold && other.bold,
            link: self.link.filter(|_| self.link == other.link),
        }
    }
}

/// A line of plain text that is being written.
#[derive(Debug, Clone, Default)]
pub(super) struct Writer {
    text: String,
    /// True if a space was met since the last letter.
    blank: bool,
    /// True if something was left out since the last letter.
    dropped: bool,
    /// True if a comma is wanted before the next letter.
    comma: bool,
    /// The bracket that was opened just now, and whether something was left out since.
    bracket: Option<(usize, bool)>,
    anchor: Option<Range<usize>>,
    kept: Vec<Range<usize>>,
    /// The starts of italic and bold text.
    quotes: [Option<usize>; 2],
    /// True if styles are noted; most texts are read without them.
    is_styled: bool,
    /// True where tags make the text italic and bold.
    tags: [bool; 2],
    /// The link that is being written.
    link: Option<usize>,
    /// The places where the text changes its style, and the new styles; it begins without any.
    styles: Vec<(usize, Style)>,
    /// True if the places of links are noted.
    is_noting: bool,
    /// The start of the link that is being written.
    link_start: Option<usize>,
    /// The links, with their places.
    links: Vec<(usize, Range<usize>)>,
}

/// A text that was written.
pub(super) struct Written {
    pub(super) text: String,
    /// The range of the anchor.
    pub(super) anchor: Option<Range<usize>>,
    /// Ranges in which no sentence ends.
    pub(super) kept: Vec<Range<usize>>,
    /// The ranges of the links, by their numbers.
    pub(super) links: Vec<(usize, Range<usize>)>,
}

impl Writer {
    /// Creates a line whose styles are noted.
    pub(super) fn styled() -> Writer {
        Writer { is_styled: true, ..Writer::default() }
    }

    /// Creates a line in which the places of links are noted.
    pub(super) fn noting() -> Writer {
        Writer { is_noting: true, ..Writer::default() }
    }

    /// Writes text; whitespace and line breaks of all kinds become one space.
    pub(super) fn push(&mut self, text: &str) {
        let bytes = text.as_bytes();
        let mut at = 0;
        while let Some(&byte) = bytes.get(at) {
            let letters = bytes[at..].iter().take_while(|byte| byte.is_ascii_alphanumeric()).count();
            if letters > 0 {
                // What is due comes before the first of them; the others follow it as they are.
                self.push_char(char::from(byte));
                self.text.push_str(&text[at + 1..at + letters]);
                at += letters;
            } else if byte.is_ascii() {
                self.push_char(char::from(byte));
                at += 1;
            } else {
                let Some(c) = text[at..].chars().next() else { break };
                self.push_char(c);
                at += c.len_utf8();
            }
        }
    }

    /// Notes that something is left out here.
    pub(super) fn drop_something(&mut self) {
        self.dropped = true;
        if let Some((_, dropped)) = &mut self.bracket {
            *dropped = true;
        }
    }

    /// Puts a space before what comes next.
    pub(super) fn blank(&mut self) {
        self.blank = true;
    }

    /// Puts a comma before what comes next, if anything is before it.
    pub(super) fn comma(&mut self) {
        self.comma = true;
    }

    /// Puts a bar before what comes next, as between the cells of a table.
    pub(super) fn bar(&mut self) {
        self.comma = false;
        if !self.text.is_empty() && !self.text.ends_with(" |") {
            self.blank = true;
            self.dropped = false;
            self.push_char('|');
        }
        self.blank = true;
    }

    /// Writes the text of the link that is looked for, exactly as it is.
    pub(super) fn push_anchor(&mut self, text: &str) {
        if text.is_empty() {
            return;
        }
        // Whatever it begins with, a link counts as a word.
        self.lead('a');
        let start = self.text.len();
        self.text.push_str(text);
        self.anchor = Some(start..self.text.len());
        self.kept.push(start..self.text.len());
        self.bracket = None;
    }

    /// Returns the place of the next letter, or of a space before it.
    pub(super) fn position(&self) -> usize {
        self.text.len()
    }

    /// Notes that no sentence ends between `start` and here.
    pub(super) fn keep_together(&mut self, start: usize) {
        let end = self.text.len();
        // The space before is no part of it.
        let start = end - self.text[start.min(end)..].trim_start_matches([' ', ',']).len();
        if start < end && end - start <= LONGEST_KEPT {
            self.kept.push(start..end);
        }
    }

    /// Reads a row of `count` apostrophes; returns how many of them are letters, the others being markup.
    pub(super) fn quotes(&mut self, count: usize) -> usize {
        let (markup, italic, bold) = match count {
            2 => (2, true, false),
            3 | 4 => (3, false, true),
            5.. => (5, true, true),
            _ => return count,
        };
        for (quote, toggles) in [italic, bold].into_iter().enumerate() {
            if toggles {
                match self.quotes[quote].take() {
                    Some(start) => self.keep_together(start),
                    None => self.quotes[quote] = Some(self.text.len()),
                }
            }
        }
        count - markup
    }

    /// Ends a line of a paragraph: apostrophes that nothing closed mean nothing on the next one.
    pub(super) fn end_line(&mut self) {
        self.quotes = [None; 2];
    }

    /// Makes the text italic (0) or bold (1) from here on, or ends that.
    pub(super) fn tag(&mut self, style: usize, is_on: bool) {
        self.tags[style] = is_on;
    }

    /// Notes the link that the text is part of from here on.
    pub(super) fn link(&mut self, link: Option<usize>) {
        if let (Some(start), Some(link)) = (self.link_start.take(), self.link)
            && start < self.text.len()
        {
            self.links.push((link, start..self.text.len()));
            self.bracket = None;
        }
        self.link = link;
    }

    /// Notes that what follows belongs to the link, but is not its own text. Where it has none, its place is not noted.
    pub(super) fn end_own_text(&mut self) {
        if self.is_noting && self.link_start.is_none() {
            self.link = None;
        }
    }

    /// Returns the place up to which the text is final, since the anchor or a link ends there.
    fn final_end(&self) -> usize {
        let of_links = self.links.last().map_or(0, |(_, link)| link.end);
        self.anchor.as_ref().map_or(of_links, |anchor| anchor.end.max(of_links))
    }

    /// Returns the text, and the places where it changes its style.
    pub(super) fn finish_styled(mut self) -> (String, Vec<(usize, Style)>) {
        self.end();
        (self.text, self.styles)
    }

    /// Returns the style of the next letter.
    fn style(&self) -> Style {
        let is_on = |style: usize| self.quotes[style].is_some() || self.tags[style];
        Style { italic: is_on(0), bold: is_on(1), link: self.link }
    }

    /// Returns the style of the last letter.
    fn last_style(&self) -> Style {
        self.styles.last().map(|&(_, style)| style).unwrap_or_default()
    }

    /// Notes that the text has a style from here on.
    fn begin_style(&mut self, style: Style) {
        if style != self.last_style() {
            self.styles.push((self.text.len(), style));
        }
    }

    /// Forgets the styles of what was taken away.
    fn forget_styles(&mut self) {
        while self.styles.last().is_some_and(|&(start, _)| start >= self.text.len()) {
            self.styles.pop();
        }
    }

    /// Takes away bars after which nothing comes.
    fn end(&mut self) {
        while self.text.ends_with(" |") {
            let end = self.text.len() - 2;
            if self.final_end() > end {
                break;
            }
            self.text.truncate(end);
        }
        self.forget_styles();
    }

    /// Returns what was written.
    pub(super) fn finish(mut self) -> Written {
        self.end();
        Written { text: self.text, anchor: self.anchor, kept: self.kept, links: self.links }
    }

    fn push_char(&mut self, c: char) {
        if c.is_whitespace() {
            self.blank = true;
            return;
        }
        // Soft hyphens are no letters.
        if c == '\u{AD}' {
            return;
        }
        if let Some((at, true)) = self.bracket {
            if is_closing_bracket(c) {
                self.text.truncate(at);
                if self.text.ends_with(' ') {
                    self.text.pop();
                    self.blank = true;
                }
                self.forget_styles();
                self.dropped = true;
                // A bracket around the empty one may be empty, too.
                let last = self.text.chars().next_back().filter(|&c| is_opening_bracket(c));
                let outer = last.map(|c| self.text.len() - c.len_utf8());
                let outer = outer.filter(|&at| self.final_end() <= at);
                self.bracket = outer.map(|at| (at, true));
                return;
            }
            if matches!(c, ',' | ';' | ':' | '，' | '；' | '、') {
                return;
            }
        }
        if self.dropped && self.ends_with_comma() {
            if matches!(c, ',' | ';') {
                return;
            }
            if is_closing_bracket(c) || c == '.' {
                self.text.pop();
                self.forget_styles();
            }
        }
        self.lead(c);
        if self.is_styled {
            self.begin_style(self.style());
        }
        self.bracket = is_opening_bracket(c).then_some((self.text.len(), false));
        if self.is_noting && self.link.is_some() && self.link_start.is_none() {
            self.link_start = Some(self.text.len());
        }
        self.text.push(c);
    }

    /// Returns whether the text ends with a comma that may be taken away.
    fn ends_with_comma(&self) -> bool {
        self.text.ends_with([',', ';']) && self.final_end() < self.text.len()
    }

    /// Writes the comma or the space that is due before `c`.
    fn lead(&mut self, c: char) {
        if !(self.blank || self.dropped || self.comma) {
            return;
        }
        let tight = self.dropped && (is_closing(c) || self.text.ends_with(is_opening_bracket));
        let tight = tight && !self.text.ends_with('|');
        if !self.text.is_empty() {
            if self.is_styled {
                self.begin_style(self.last_style().common(self.style()));
            }
            let is_parted = |c| is_closing(c) && !is_closing_bracket(c) || "(（|–—".contains(c);
            if self.comma && !self.text.ends_with(is_parted) && !is_closing(c) {
                self.text.push_str(", ");
            } else if (self.blank || self.comma) && !tight {
                self.text.push(' ');
            }
        }
        (self.blank, self.dropped, self.comma) = (false, false, false);
    }
}

fn is_opening_bracket(c: char) -> bool {
    matches!(c, '(' | '（')
}

fn is_closing_bracket(c: char) -> bool {
    matches!(c, ')' | '）')
}

/// Returns whether no space is before the mark.
fn is_closing(c: char) -> bool {
    is_closing_bracket(c) || matches!(c, ',' | '.' | ';' | ':' | '!' | '?' | '。' | '，' | '；' | '、')
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Writes a text in which `~` marks something dropped and `/` a comma.
    fn written(text: &str) -> String {
        let mut writer = Writer::default();
        for c in text.chars() {
            match c {
                '~' => writer.drop_something(),
                '/' => writer.comma(),
                _ => writer.push_char(c),
            }
        }
        writer.finish().text
    }

    #[test]
    fn blanks_are_single() {
        assert_eq!(written("  a \n\u{A0} b\u{AD}c "), "a bc");
    }

    #[test]
    fn what_was_dropped_leaves_no_marks() {
        assert_eq!(written("Jupiter ~, the"), "Jupiter, the");
        assert_eq!(written("a (~) b"), "a b");
        assert_eq!(written("a ( ~ , ~ ), b"), "a, b");
        assert_eq!(written("a (~; born 1900, ~)."), "a (born 1900).");
        assert_eq!(written("a, ~, b"), "a, b");
        assert_eq!(written("a ((~) (~), (~)) b ((~; c))"), "a b ((c))");
        assert_eq!(written("f() mot !"), "f() mot !");
    }

    #[test]
    fn commas_stand_between_things_only() {
        assert_eq!(written("/a/b//c/"), "a, b, c");
        assert_eq!(written("a:/b./c/(d)/e"), "a: b. c, (d), e");
    }

    #[test]
    fn a_text_is_written_as_its_characters_are() {
        let text = "Ab1, (c) d\u{AD}e\u{A0}é ß(, f)g; ．(h";
        let mut letters = Writer::default();
        text.chars().for_each(|c| letters.push_char(c));
        let mut whole = Writer::default();
        whole.push(text);
        assert_eq!(whole.finish().text, letters.finish().text);
    }

    #[test]
    fn the_anchor_has_its_place_whatever_follows() {
        let mut writer = Writer::default();
        writer.push("a (");
        writer.drop_something();
        writer.push_anchor(", b,");
        writer.drop_something();
        writer.push(" , c)");
        let Written { text, anchor, .. } = writer.finish();
        assert_eq!(&text[anchor.unwrap()], ", b,");
        assert_eq!(text, "a (, b,, c)");
    }
}
