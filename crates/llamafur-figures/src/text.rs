//! Names in any script: width, line breaks, and escaping.

use crate::glyphs::{ELLIPSIS, em, is_mark, is_wide};

/// Ratio of the widths of bold and regular text.
pub(crate) const BOLD: f64 = 1.13;

/// Characters that must not begin a line, and those that must not end one, in scripts without spaces.
const NOT_FIRST: &str = "、。，．・：；？！ー）」』】》〉〕々ぁぃぅぇぉっゃゅょァィゥェォッャュョ";
const NOT_LAST: &str = "（「『【《〈〔";

/// Returns the width of a text in pixels at a font size; rather too large than too small.
pub(crate) fn width(text: &str, size: f64) -> f64 {
    text.chars().map(em).sum::<f64>() * size
}

/// Returns the width of the widest text.
pub(crate) fn widest<'a>(texts: impl IntoIterator<Item = &'a str>, size: f64) -> f64 {
    texts.into_iter().map(|text| width(text, size)).fold(0.0, f64::max)
}

/// Shortens a text to the room, with an ellipsis if it was cut.
pub(crate) fn shorten(text: &str, size: f64, room: f64) -> String {
    if width(text, size) <= room {
        return text.to_owned();
    }
    let cut = fitting(text, size, room - em(ELLIPSIS) * size);
    let kept = text[..cut].trim_end_matches([' ', '-', '–', '/', '_', '(', ',', ';', ':', '+']);
    format!("{kept}{ELLIPSIS}")
}

/// Wraps a text into at most `max_lines` lines, each as full as possible; an ellipsis ends a text that needs more.
pub(crate) fn wrap(text: &str, size: f64, room: f64, max_lines: usize) -> Vec<String> {
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let (mut lines, mut rest) = (Vec::new(), &text[..]);
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

/// Wraps a text into lines of similar width: the narrowest column that needs no further line and cuts no word.
pub(crate) fn balance(text: &str, size: f64, room: f64, max_lines: usize) -> Vec<String> {
    let mut best = wrap(text, size, room, usize::MAX);
    if best.len() > max_lines {
        return wrap(text, size, room, max_lines);
    }
    let ends: Vec<usize> = [0].into_iter().chain(breaks(text)).chain([text.len()]).collect();
    let mut narrow = widest(ends.windows(2).map(|ends| text[ends[0]..ends[1]].trim()), size);
    let mut wide = room;
    while wide - narrow > size / 20.0 {
        let middle = (narrow + wide) / 2.0;
        let tried = wrap(text, size, middle, usize::MAX);
        if tried.len() <= best.len() {
            (wide, best) = (middle, tried);
        } else {
            narrow = middle;
        }
    }
    best
}

/// Returns the length in bytes of the longest prefix that fits; combining characters stay with their letter.
fn fitting(text: &str, size: f64, room: f64) -> usize {
    let (mut taken, mut previous) = (0.0, ' ');
    for (at, c) in text.char_indices() {
        taken += em(c) * size;
        if taken > room && !is_mark(c) && previous != '\u{200d}' {
            return at;
        }
        previous = c;
    }
    text.len()
}

/// Returns the end of the first line: the last possible break that fits, else all that fits, and at least one
/// character.
fn break_at(text: &str, size: f64, room: f64) -> usize {
    let fits = fitting(text, size, room);
    let first = text.chars().next().map_or(0, char::len_utf8);
    breaks(text).take_while(|&at| at <= fits).last().unwrap_or(fits.max(first))
}

/// Returns the places where a line may end.
fn breaks(text: &str) -> impl Iterator<Item = usize> {
    let pairs = text.chars().zip(text.char_indices().skip(1));
    pairs.filter(|&(before, (_, after))| may_break(before, after)).map(|(_, (at, _))| at)
}

fn may_break(before: char, after: char) -> bool {
    if NOT_FIRST.contains(after) || NOT_LAST.contains(before) || is_mark(after) {
        return false;
    }
    before.is_whitespace()
        || after.is_whitespace()
        || is_wide(before)
        || is_wide(after)
        || matches!(before, '-' | '–' | '—' | '/' | '_' | ':' | ',') && after.is_alphanumeric()
        || after == '+'
}

/// Escapes a text for an XML element or a quoted attribute; a character that XML 1.0 cannot hold becomes U+FFFD.
///
/// ```
/// assert_eq!(llamafur_figures::xml("a<b> & \"c\""), "a&lt;b&gt; &amp; &quot;c&quot;");
/// ```
pub fn xml(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\t' | '\n' => escaped.push(c),
            '\r' => escaped.push_str("&#13;"),
            '\0'..'\u{20}' | '\u{7f}'..='\u{9f}' | '\u{fffe}' | '\u{ffff}' => escaped.push('\u{fffd}'),
            _ => escaped.push(c),
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::category::samples::Lcg;

    #[test]
    fn a_name_breaks_where_words_end() {
        assert_eq!(wrap("llamafur:enwiki-paper+aa", 10.0, 130.0, 2), ["llamafur:enwiki-paper", "+aa"]);
        assert_eq!(wrap("one two three", 10.0, 50.0, 3), ["one two", "three"]);
        assert_eq!(wrap("Moons of Saturn", 10.0, 200.0, 3), ["Moons of Saturn"]);
        assert_eq!(wrap("", 10.0, 60.0, 3), Vec::<String>::new());
    }

    #[test]
    fn east_asian_names_break_without_spaces_but_not_before_a_full_stop() {
        assert_eq!(wrap("太陽系の惑星。", 10.0, 60.0, 3), ["太陽系の惑", "星。"]);
        assert_eq!(balance("太陽系の惑星。", 10.0, 60.0, 3), ["太陽系の", "惑星。"]);
    }

    #[test]
    fn balanced_lines_are_even_and_cut_no_word() {
        assert_eq!(
            balance("Asteroids named after people of Italy", 10.0, 180.0, 3),
            ["Asteroids named", "after people of Italy"]
        );
        assert_eq!(balance("Spectroscopically odd", 10.0, 110.0, 3), ["Spectroscopically", "odd"]);
        assert_eq!(balance("", 10.0, 60.0, 3), Vec::<String>::new());
    }

    #[test]
    fn a_name_beyond_the_last_line_ends_in_an_ellipsis() {
        let lines = balance(&"llama ".repeat(40), 10.0, 100.0, 3);
        assert_eq!(lines.len(), 3);
        assert!(lines[2].ends_with(ELLIPSIS) && !lines[2].contains(" …"));
    }

    #[test]
    fn no_line_is_wider_than_its_room_and_nothing_is_lost() {
        let mut random = Lcg(11);
        for _ in 0..500 {
            let name = random.name(90);
            for lines in [wrap(&name, 1.0, 13.0, 3), balance(&name, 1.0, 13.0, 3)] {
                assert!(lines.len() <= 3 && lines.iter().all(|line| width(line, 1.0) <= 13.0), "{lines:?}");
                let bare = |text: &str| text.chars().filter(|c| !c.is_whitespace()).collect::<String>();
                let shown = bare(&lines.concat());
                assert!(bare(&name).starts_with(shown.trim_end_matches(ELLIPSIS)), "{name:?}: {lines:?}");
            }
        }
        for name in ["llamafur:enwiki-paper+aa".repeat(5), "Ж".repeat(60), "界 ".repeat(90)] {
            for room in [30.0, 77.0, 200.0] {
                let lines = wrap(&name, 12.0, room, 2);
                assert!(lines.len() <= 2 && lines.iter().all(|line| width(line, 12.0) <= room), "{lines:?}");
                assert!(lines[lines.len() - 1].ends_with(ELLIPSIS));
            }
        }
    }

    #[test]
    fn marks_stay_with_their_letter() {
        let lines = wrap(&"e\u{301}".repeat(60), 1.0, 5.0, 2);
        assert!(lines.iter().all(|line| !line.starts_with('\u{301}') && !line.contains("e…")), "{lines:?}");
    }

    #[test]
    fn a_letter_wider_than_the_room_has_a_line_of_its_own() {
        assert_eq!(wrap("界界界", 12.0, 5.0, 9).len(), 3);
    }

    #[test]
    fn reserved_and_forbidden_characters_are_escaped() {
        assert_eq!(xml("a<b>&\"c\"\u{1}\r"), "a&lt;b&gt;&amp;&quot;c&quot;\u{fffd}&#13;");
    }
}
