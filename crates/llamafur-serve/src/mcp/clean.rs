//! Removes invisible characters from quoted text, so that nothing in an answer is hidden or displayed in another order.

use llamafur::text::is_invisible_or_control;
use serde_json::Value;

/// Number of characters of a text that are kept.
const MOST: usize = 600;

/// Returns a text in one line without invisible characters, shortened if very long. Characters that join letters are
/// removed too: in Persian, Indic scripts and emoji they are part of words, which are readable without them
/// ([`super::tools`] finds titles without them).
pub(super) fn text(text: &str) -> String {
    let seen = |c: char| match c {
        c if c.is_control() || matches!(c, '\u{2028}' | '\u{2029}') => Some(' '),
        c => (!is_invisible_or_control(c)).then_some(c),
    };
    let mut shown: String = text.chars().filter_map(seen).take(MOST + 1).collect();
    if let Some((at, _)) = shown.char_indices().nth(MOST) {
        shown.truncate(at);
        shown.push('…');
    }
    shown
}

/// Cleans every text in a value, except the names of fields, which the program chooses.
pub(super) fn value(value: &mut Value) {
    match value {
        Value::String(one) => *one = text(one),
        Value::Array(all) => all.iter_mut().for_each(self::value),
        Value::Object(fields) => fields.values_mut().for_each(self::value),
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn nothing_hides_in_a_text() {
        let hostile = "a\u{202E}b\u{2066}c\u{200B}d\u{E0041}e\u{0}f\ng\u{2028}h\u{7F}i\u{FEFF}";
        assert_eq!(text(hostile), "abcde f g h i");
        assert_eq!(text("می\u{200C}خواهم 木星 é e\u{301}"), "میخواهم 木星 é e\u{301}");
        let invisible =
            ["\u{FE00}", "\u{FE0F}", "\u{200C}", "\u{200D}", "\u{3164}", "\u{115F}", "\u{1160}", "\u{34F}"];
        assert_eq!(text(&format!("a{}b", invisible.concat())), "ab");
        let long = text(&"é".repeat(MOST + 5));
        assert_eq!((long.chars().count(), long.ends_with('…')), (MOST + 1, true));
        assert_eq!(text(&"é".repeat(MOST)).chars().count(), MOST);
        let mut all = json!({"a\u{200B}": ["x\u{202E}", {"b": "y\n"}, 1, null]});
        value(&mut all);
        assert_eq!(all, json!({"a\u{200B}": ["x", {"b": "y "}, 1, null]}));
    }
}
