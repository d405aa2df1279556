//! Cleans displayed text: titles, texts and names of files may contain anything, and a terminal executes some of it.
//!
//! Each control character of a terminal or of the text's direction is shown as U+FFFD (`\u{FFFD}`), except line breaks
//! and tabs. In JSON it is escaped instead, which means the same. Results to a file or a pipe as TSV or JSON are
//! unchanged.

use llamafur::text::is_control_or_direction;
use std::borrow::Cow;
use std::io::{self, Write};

/// Returns whether a character must not be displayed.
fn is_unsafe(c: char) -> bool {
    is_control_or_direction(c) && c != '\n' && c != '\t'
}

/// Cleans a text for people, which may have several lines.
pub(crate) fn cleaned(text: &str) -> Cow<'_, str> {
    match text.contains(is_unsafe) {
        true => text.replace(is_unsafe, "\u{FFFD}").into(),
        false => text.into(),
    }
}

/// Cleans a text for people in one line.
pub(crate) fn cleaned_line(text: &str) -> Cow<'_, str> {
    match text.contains(is_control_or_direction) {
        true => text.replace(is_control_or_direction, "\u{FFFD}").into(),
        false => text.into(),
    }
}

/// The display of characters that must not be displayed themselves.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Shown {
    /// As U+FFFD.
    Replaced,
    /// As an escape of JSON; such characters occur only in its strings.
    Escaped,
}

/// A writer that cleans its text. Each write must contain whole characters, as formatted text does.
pub(crate) struct Clean<W> {
    out: W,
    shown: Shown,
}

impl<W: Write> Clean<W> {
    /// Creates a writer that cleans text for `out`.
    pub(crate) fn new(out: W, shown: Shown) -> Clean<W> {
        Clean { out, shown }
    }
}

impl<W: Write> Write for Clean<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let text = String::from_utf8_lossy(bytes);
        match self.shown {
            Shown::Replaced => self.out.write_all(cleaned(&text).as_bytes())?,
            Shown::Escaped => {
                for piece in text.split_inclusive(is_unsafe) {
                    match piece.char_indices().next_back().filter(|(_, last)| is_unsafe(*last)) {
                        Some((at, last)) => write!(self.out, "{}\\u{:04x}", &piece[..at], u32::from(last))?,
                        None => self.out.write_all(piece.as_bytes())?,
                    }
                }
            }
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const HOSTILE: &str =
        "\u{1B}]52;c;aGk=\u{7}a\u{9B}31m\u{202E}b\u{2067}\u{2028}\r\u{7F}é\n\tمی\u{200C}خواهم";

    fn written(text: &str, shown: Shown) -> String {
        let mut out = Vec::new();
        Clean::new(&mut out, shown).write_all(text.as_bytes()).unwrap();
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn what_a_terminal_obeys_is_replaced_and_all_else_stays() {
        let expected = "�]52;c;aGk=�a�31m�b����é\n\tمی\u{200C}خواهم";
        assert_eq!(cleaned(HOSTILE), expected);
        assert_eq!(written(HOSTILE, Shown::Replaced), expected);
        assert_eq!(cleaned_line("a\nb\tc"), "a�b�c");
        assert!(matches!(cleaned("Jupiter → Io\n"), Cow::Borrowed(_)));
    }

    #[test]
    fn json_for_a_terminal_means_the_same() {
        let json = serde_json::to_string_pretty(&[HOSTILE, "plain"]).unwrap();
        let shown = written(&json, Shown::Escaped);
        assert!(
            !shown.contains(is_unsafe) && shown.contains("\\u009b") && shown.contains("\\u202e"),
            "{shown}"
        );
        assert_eq!(serde_json::from_str::<Vec<String>>(&shown).unwrap(), [HOSTILE, "plain"]);
    }
}
