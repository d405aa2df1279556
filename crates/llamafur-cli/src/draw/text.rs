//! Measuring, wrapping and escaping names in any script.

use llamafur_eval::chart::letters::{ELLIPSIS, em, is_mark, is_wide};

/// Characters that must not begin a line, and those that must not end one, in scripts without spaces.
const NOT_FIRST: &str = "、。，．・：；？！ー）」』】》〉〕々ぁぃぅぇぉっゃゅょァィゥェォッャュョ";
const NOT_LAST: &str = "（「『【《〈〔";

/// How heavy the letters are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Face {
    Regular,
    Bold,
}

/// A text set in lines, with the room it takes.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Block {
    pub lines: Vec<String>,
    pub width: f64,
    pub height: f64,
    pub line_height: f64,
}

impl Block {
    /// Sets `text` at `size` pixels in at most `max_lines` lines of at most `max_width` pixels.
    pub fn set(text: &str, size: f64, face: Face, max_width: f64, max_lines: usize) -> Block {
        let em = size * face.breadth();
        let lines = wrap(text, max_width / em, max_lines);
        let width = lines.iter().map(|line| ems(line) * em).fold(0.0, f64::max);
        let line_height = (size * 1.25).round();
        Block { width, height: lines.len() as f64 * line_height, line_height, lines }
    }
}

impl Face {
    fn breadth(self) -> f64 {
        match self {
            Face::Regular => 1.0,
            Face::Bold => 1.13,
        }
    }
}

/// The width of a text in pixels.
pub(super) fn width(text: &str, size: f64) -> f64 {
    ems(text) * size
}

fn ems(text: &str) -> f64 {
    text.chars().map(em).sum()
}

/// A stretch of text without a break in it.
struct Piece {
    text: String,
    after_space: bool,
}

/// Breaks `text` into at most `max_lines` lines of at most `max_ems`, as even as they can be, and ends it in
/// an ellipsis when it needs more.
pub(super) fn wrap(text: &str, max_ems: f64, max_lines: usize) -> Vec<String> {
    let pieces = pieces(text, max_ems);
    let lines = fill(&pieces, max_ems);
    if lines.len() > max_lines {
        let mut kept: Vec<String> = lines[..max_lines.saturating_sub(1)].to_vec();
        kept.push(shorten(&lines[max_lines.saturating_sub(1)], max_ems));
        return kept;
    }
    // The narrowest column with as many lines makes them even: no last line of a single short word.
    let (mut narrow, mut wide, mut best) = (max_ems / (lines.len() + 1) as f64, max_ems, lines);
    for _ in 0..16 {
        let middle = (narrow + wide) / 2.0;
        let tried = fill(&pieces, middle);
        if tried.len() <= best.len() && tried.iter().all(|line| ems(line) <= middle) {
            (wide, best) = (middle, tried);
        } else {
            narrow = middle;
        }
    }
    best
}

/// Puts as many pieces on each line as fit; a piece that fits nowhere has a line of its own.
fn fill(pieces: &[Piece], max_ems: f64) -> Vec<String> {
    let mut lines = vec![String::new()];
    let mut taken = 0.0;
    for piece in pieces {
        let space = if piece.after_space { " " } else { "" };
        let needed = ems(space) + ems(&piece.text);
        let last = lines.len() - 1;
        if lines[last].is_empty() || taken + needed <= max_ems {
            let space = if lines[last].is_empty() { "" } else { space };
            lines[last] += space;
            lines[last] += &piece.text;
            taken += ems(space) + ems(&piece.text);
        } else {
            lines.push(piece.text.clone());
            taken = ems(&piece.text);
        }
    }
    lines
}

fn shorten(line: &str, max_ems: f64) -> String {
    let mut short: String = line.to_owned();
    while !short.is_empty() && ems(&short) + em(ELLIPSIS) > max_ems {
        // Marks go together with the letter they sit on.
        while short.pop().is_some_and(is_mark) {}
    }
    let short = short.trim_end_matches([' ', '-', '–', '/', '_', '(', ',', ';', ':']);
    format!("{short}{ELLIPSIS}")
}

/// Cuts a text where a line may break, and pieces wider than a line where they must.
fn pieces(text: &str, max_ems: f64) -> Vec<Piece> {
    let mut pieces: Vec<Piece> = Vec::new();
    for word in text.split_whitespace() {
        let mut piece = Piece { text: String::new(), after_space: true };
        let mut previous: Option<char> = None;
        for c in word.chars() {
            let overfull = ems(&piece.text) + em(c) > max_ems && previous != Some('\u{200d}');
            let breaks = overfull || previous.is_some_and(|previous| may_break(previous, c));
            if breaks && !is_mark(c) && !piece.text.is_empty() {
                pieces.push(std::mem::replace(&mut piece, Piece { text: String::new(), after_space: false }));
            }
            piece.text.push(c);
            previous = Some(c);
        }
        pieces.push(piece);
    }
    pieces
}

fn may_break(before: char, after: char) -> bool {
    if NOT_FIRST.contains(after) || NOT_LAST.contains(before) {
        return false;
    }
    is_wide(before)
        || is_wide(after)
        || (matches!(before, '-' | '–' | '—' | '/' | '_') && after.is_alphanumeric())
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
            '\r' => escaped.push_str("&#13;"),
            '\t' | '\n' => escaped.push(c),
            // XML 1.0 has no way to write these, not even as numbers.
            '\0'..'\u{20}' | '\u{fffe}' | '\u{ffff}' => escaped.push('\u{fffd}'),
            _ => escaped.push(c),
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::super::samples::Lcg;
    use super::{Block, ELLIPSIS, Face, ems, wrap, xml};

    #[test]
    fn short_name_stays_on_one_line() {
        assert_eq!(wrap("Moons of Saturn", 20.0, 3), ["Moons of Saturn"]);
    }

    #[test]
    fn lines_are_even() {
        assert_eq!(
            wrap("Asteroids named after people of Italy", 18.0, 3),
            ["Asteroids named", "after people of Italy"].map(str::to_owned)
        );
    }

    #[test]
    fn east_asian_names_break_without_spaces_but_not_before_a_full_stop() {
        assert_eq!(wrap("太陽系の惑星。", 6.0, 3), ["太陽系の", "惑星。"]);
    }

    #[test]
    fn a_name_beyond_the_last_line_ends_in_an_ellipsis() {
        let lines = wrap(&"llama ".repeat(40), 10.0, 3);
        assert_eq!(lines.len(), 3);
        assert!(lines[2].ends_with(ELLIPSIS) && !lines[2].contains(" …"));
    }

    #[test]
    fn no_line_is_wider_than_asked_and_nothing_is_lost() {
        let mut random = Lcg(11);
        for _ in 0..500 {
            let name = random.name(90);
            let lines = wrap(&name, 13.0, 3);
            assert!(lines.len() <= 3 && lines.iter().all(|line| ems(line) <= 13.0 + 1e-9), "{lines:?}");
            let bare = |text: &str| text.chars().filter(|c| !c.is_whitespace()).collect::<String>();
            let shown = bare(&lines.concat());
            assert!(bare(&name).starts_with(shown.trim_end_matches(ELLIPSIS)), "{name:?} became {lines:?}");
        }
    }

    #[test]
    fn marks_stay_with_their_letter() {
        let lines = wrap(&"e\u{301}".repeat(60), 5.0, 2);
        assert!(lines.iter().all(|line| !line.starts_with('\u{301}') && !line.contains("e…")), "{lines:?}");
    }

    #[test]
    fn empty_name_has_one_empty_line() {
        assert_eq!(Block::set("", 13.0, Face::Regular, 100.0, 3).lines, [""]);
    }

    #[test]
    fn reserved_and_forbidden_characters_are_escaped() {
        assert_eq!(xml("a<b>&\"c\"\u{1}\r"), "a&lt;b&gt;&amp;&quot;c&quot;\u{fffd}&#13;");
    }
}
