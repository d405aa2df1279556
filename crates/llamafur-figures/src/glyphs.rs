//! Properties of characters of any script: width, and combination with the character before.

/// The end of a shortened name.
pub(crate) const ELLIPSIS: char = '…';

/// Returns the width of a character in ems. The numbers are those of DejaVu Sans, one of the widest usual sans-serif
/// fonts, so that text in the reader's font rarely needs more room.
pub(crate) fn em(c: char) -> f64 {
    match c {
        _ if is_mark(c) => 0.0,
        'i' | 'j' | 'l' | 'I' | 'J' | '\'' | '|' | '!' | '.' | ',' | ' ' | '\u{a0}' | '’' | '‘' => 0.33,
        'f' | 't' | 'r' | '-' | '(' | ')' | '[' | ']' | ':' | ';' | '/' | '\\' | '`' | '·' => 0.41,
        'm' | 'M' | 'W' | '@' | '%' | '—' | ELLIPSIS | 'æ' | 'Æ' | 'œ' | 'Œ' | '™' => 1.02,
        'w' | '&' | '#' | '+' | '=' | '<' | '>' | '~' | '±' | '−' | '→' => 0.84,
        'c' | 's' | 'z' | '"' | '“' | '”' | '–' | '_' | '?' | '*' => 0.55,
        'O' | 'Q' | 'D' | 'G' | 'N' | 'H' => 0.79,
        'A'..='Z' => 0.70,
        '\u{21}'..='\u{7e}' => 0.635,
        'ж' | 'ф' | 'ш' | 'щ' | 'ю' | 'ы' => 0.94,
        'Ж' | 'Ш' | 'Щ' | 'Ю' | 'Ы' | 'Ф' => 1.09,
        'α'..='ω' | 'а'..='я' => 0.66,
        'А'..='Я' => 0.79,
        _ if is_wide(c) => 1.0,
        '\u{1f000}'..='\u{1faff}' => 1.4,
        _ if c.is_lowercase() => 0.68,
        _ => 0.82,
    }
}

/// Returns whether a character combines with the one before it, or is invisible.
pub(crate) fn is_mark(c: char) -> bool {
    matches!(c, '\u{300}'..='\u{36f}' | '\u{483}'..='\u{489}' | '\u{591}'..='\u{5bd}' | '\u{610}'..='\u{61a}'
        | '\u{64b}'..='\u{65f}' | '\u{1ab0}'..='\u{1aff}' | '\u{1dc0}'..='\u{1dff}' | '\u{200b}'..='\u{200f}'
        | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{2069}' | '\u{20d0}'..='\u{20ff}' | '\u{fe00}'..='\u{fe0f}'
        | '\u{fe20}'..='\u{fe2f}' | '\u{feff}' | '\u{1f3fb}'..='\u{1f3ff}' | '\u{e0100}'..='\u{e01ef}')
}

/// Returns whether a character is full-width (East Asian scripts), so that a line may break beside it.
pub(crate) fn is_wide(c: char) -> bool {
    matches!(c, '\u{1100}'..='\u{115f}' | '\u{2e80}'..='\u{a4cf}' | '\u{ac00}'..='\u{d7a3}' | '\u{f900}'..='\u{faff}'
        | '\u{fe30}'..='\u{fe6f}' | '\u{ff00}'..='\u{ff60}' | '\u{ffe0}'..='\u{ffe6}' | '\u{20000}'..='\u{3fffd}')
}
