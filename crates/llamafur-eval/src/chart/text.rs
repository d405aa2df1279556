//! Names in any script: how wide they are, where they break, how they are escaped.

use super::letters::{ELLIPSIS, em, is_mark, is_wide};

/// The width of a text at a size. It is rather too large than too small, whatever font the reader has.
pub(super) fn width(text: &str, size: f64) -> f64 {
    text.chars().map(em).sum::<f64>() * size
}

/// The text, cut to the room there is, with an ellipsis where it was cut.
pub(super) fn shorten(text: &str, size: f64, room: f64) -> String {
    if width(text, size) <= room {
        return text.to_owned();
    }
    let cut = fitting(text, size, room - em(ELLIPSIS) * size);
    let kept = text[..cut].trim_end_matches([' ', '-', '–', '/', '_', '(', ',', ';', ':', '+']);
    format!("{kept}{ELLIPSIS}")
}

/// The text in at most so many lines, which break where words end if they can; an ellipsis ends what needs more.
pub(super) fn wrap(text: &str, size: f64, room: f64, max_lines: usize) -> Vec<String> {
    let mut lines = Vec::new();
    let mut rest = text.trim();
    while !rest.is_empty() {
        if width(rest, size) <= room || lines.len() + 1 >= max_lines {
            lines.push(shorten(rest, size, room));
            break;
        }
        let cut = break_at(rest, size, room);
        lines.push(rest[..cut].trim_end().to_owned());
        rest = rest[cut..].trim_start();
    }
    lines
}

/// The bytes of the longest beginning that fits, marks kept with their letter.
fn fitting(text: &str, size: f64, room: f64) -> usize {
    let mut taken = 0.0;
    for (at, c) in text.char_indices() {
        taken += em(c) * size;
        if taken > room && !is_mark(c) {
            return at;
        }
    }
    text.len()
}

/// Where a line ends: after the last place for a break that fits, else after what fits, and never before a letter.
fn break_at(text: &str, size: f64, room: f64) -> usize {
    let fits = fitting(text, size, room);
    let after = |(at, c): (usize, char)| at + c.len_utf8();
    let pairs = text.char_indices().zip(text.chars().skip(1));
    let breaks =
        pairs.filter(|&((_, before), next)| may_break(before, next)).map(|(before, _)| after(before));
    let first = text.char_indices().next().map_or(0, after);
    breaks.take_while(|&at| at <= fits).last().unwrap_or(fits.max(first))
}

fn may_break(before: char, after: char) -> bool {
    before.is_whitespace()
        || after.is_whitespace()
        || (is_wide(before) || is_wide(after)) && !"、。，．・：；？！ー）」』】》〉〕々".contains(after)
        || matches!(before, '-' | '–' | '—' | '/' | '_' | ':' | ',') && after.is_alphanumeric()
        || matches!(after, '+')
}

/// Escapes a text for an XML element or a quoted attribute.
pub(crate) fn xml(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\t' | '\n' => escaped.push(c),
            // XML 1.0 has no way to write these, not even as numbers; HTML would change a return into a newline.
            '\0'..'\u{20}' | '\u{7f}'..='\u{9f}' | '\u{fffe}' | '\u{ffff}' => escaped.push('\u{fffd}'),
            _ => escaped.push(c),
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_breaks_where_words_end() {
        assert_eq!(wrap("llamafur:enwiki-paper+aa", 10.0, 130.0, 2), ["llamafur:enwiki-paper", "+aa"]);
        assert_eq!(wrap("one two three", 10.0, 50.0, 3), ["one two", "three"]);
        assert_eq!(wrap("太陽系の惑星。", 10.0, 60.0, 3), ["太陽系の惑", "星。"]);
        assert_eq!(wrap("", 10.0, 60.0, 3), Vec::<String>::new());
    }

    #[test]
    fn no_line_is_wider_than_its_room() {
        for name in
            ["llamafur:enwiki-paper+aa".repeat(5), "Ж".repeat(60), "е\u{301}".repeat(70), "界 ".repeat(90)]
        {
            for room in [30.0, 77.0, 200.0] {
                let lines = wrap(&name, 12.0, room, 2);
                assert!(lines.len() <= 2 && lines.iter().all(|line| width(line, 12.0) <= room), "{lines:?}");
                assert!(lines[lines.len() - 1].ends_with(ELLIPSIS));
            }
        }
    }

    #[test]
    fn a_letter_wider_than_the_room_has_a_line_of_its_own() {
        assert_eq!(wrap("界界界", 12.0, 5.0, 9).len(), 3);
    }

    #[test]
    fn reserved_and_forbidden_characters_are_escaped() {
        assert_eq!(xml("a<b>&\"c\"\u{1}\r"), "a&lt;b&gt;&amp;&quot;c&quot;\u{fffd}\u{fffd}");
    }
}
