//! Characters that nobody sees, in titles and texts that anybody may have written.
//!
//! A terminal obeys control characters, a reader is misled by marks that turn the direction of text, and an assistant
//! reads letters that people do not see. Files keep them; what is shown is cleaned of them.

/// Returns whether a character is a control, or cannot be seen.
///
/// These are Unicode's general categories Cc (C0 and C1 controls), Zl and Zp (line and paragraph separators), the
/// property `Default_Ignorable_Code_Point` (joiners, direction marks, variation selectors, Hangul fillers, tags), and
/// the marks of interlinear annotations. Joiners and variation selectors also shape some emoji and some words of
/// Indic scripts; without them these are still readable.
///
/// ```
/// use llamafur::text::is_invisible_or_control;
///
/// let shown: String = "ll\u{200B}ama\u{1B}\u{202E}".chars().filter(|c| !is_invisible_or_control(*c)).collect();
/// assert_eq!(shown, "llama");
/// ```
pub fn is_invisible_or_control(c: char) -> bool {
    c.is_control()
        || matches!(c,
            '\u{AD}' | '\u{34F}' | '\u{61C}' | '\u{115F}' | '\u{1160}' | '\u{17B4}' | '\u{17B5}'
            | '\u{180B}'..='\u{180F}' | '\u{200B}'..='\u{200F}' | '\u{2028}'..='\u{202E}'
            | '\u{2060}'..='\u{206F}' | '\u{3164}' | '\u{FE00}'..='\u{FE0F}' | '\u{FEFF}' | '\u{FFA0}'
            | '\u{FFF0}'..='\u{FFFB}' | '\u{1BCA0}'..='\u{1BCA3}' | '\u{1D173}'..='\u{1D17A}'
            | '\u{E0000}'..='\u{E0FFF}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_nobody_sees_is_invisible_and_letters_of_all_scripts_are_not() {
        for code in [
            0, 0x1B, 0x7F, 0x85, 0x9D, 0xAD, 0x34F, 0x61C, 0x115F, 0x1160, 0x180E, 0x200B, 0x200C, 0x200D,
            0x200F, 0x2028, 0x202E, 0x2060, 0x2069, 0x3164, 0xFE00, 0xFE0F, 0xFEFF, 0xFFA0, 0xE0001, 0xE0041,
            0xE01EF,
        ] {
            let c = char::from_u32(code).unwrap();
            assert!(is_invisible_or_control(c), "U+{code:04X}");
        }
        for c in
            "a é e\u{301} ß ñ Ж ع א क्ष ไทย 한 ㅎ 字 か\u{3099} 🦙 👨 ° “–” \u{A0}\u{2003}\u{3000}\u{FFFD}"
                .chars()
        {
            assert!(!is_invisible_or_control(c), "U+{:04X}", u32::from(c));
        }
    }
}
