//! Text of others without what a reader does not see: nothing in an answer hides, or is read in another order than it is written.

use serde_json::Value;

/// Characters of a text that are kept.
const MOST: usize = 600;

/// The characters that are taken out: controls of the direction of text, invisible ones, tags. Those that join letters
/// (U+200C, U+200D) are part of words in some scripts and stay.
fn is_hidden(c: char) -> bool {
    matches!(c,
        '\u{AD}' | '\u{61C}' | '\u{180E}' | '\u{200B}' | '\u{200E}' | '\u{200F}' | '\u{202A}'..='\u{202E}'
        | '\u{2060}'..='\u{206F}' | '\u{FEFF}' | '\u{FFF9}'..='\u{FFFB}' | '\u{E0000}'..='\u{E0FFF}')
}

/// A text in one line without hidden characters, cut where it is very long.
pub(super) fn text(text: &str) -> String {
    let one_line = |c: char| if c.is_control() || matches!(c, '\u{2028}' | '\u{2029}') { ' ' } else { c };
    let mut shown: String = text.chars().filter(|c| !is_hidden(*c)).map(one_line).take(MOST + 1).collect();
    if let Some((at, _)) = shown.char_indices().nth(MOST) {
        shown.truncate(at);
        shown.push('…');
    }
    shown
}

/// Every text in a value, the names of fields left out: those are ours.
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
        assert_eq!(text("می\u{200C}خواهم 木星 é"), "می\u{200C}خواهم 木星 é");
        let long = text(&"é".repeat(MOST + 5));
        assert_eq!((long.chars().count(), long.ends_with('…')), (MOST + 1, true));
        assert_eq!(text(&"é".repeat(MOST)).chars().count(), MOST);
        let mut all = json!({"a\u{200B}": ["x\u{202E}", {"b": "y\n"}, 1, null]});
        value(&mut all);
        assert_eq!(all, json!({"a\u{200B}": ["x", {"b": "y "}, 1, null]}));
    }
}
