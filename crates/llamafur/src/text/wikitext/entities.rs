//! Character references: `&amp;`, `&eacute;`, `&#233;`, `&#xE9;`.

use std::borrow::Cow;

/// The length of the longest name of a character, with its `&` and `;`.
const LONGEST: usize = 33;

/// Returns the text with its character references replaced; one that names no character stays as it is.
pub fn decode_entities(text: &str) -> Cow<'_, str> {
    let Some(first) = memchr::memchr(b'&', text.as_bytes()) else { return text.into() };
    let mut decoded = String::with_capacity(text.len());
    let (mut rest, mut at) = (text, first);
    loop {
        decoded.push_str(&rest[..at]);
        rest = &rest[at..];
        let length = match reference(rest, &mut decoded) {
            Some(length) => length,
            None => {
                decoded.push('&');
                1
            }
        };
        rest = &rest[length..];
        match memchr::memchr(b'&', rest.as_bytes()) {
            Some(next) => at = next,
            None => break,
        }
    }
    decoded.push_str(rest);
    decoded.into()
}

/// Decodes the reference that `text` begins with; gives its length.
fn reference(text: &str, out: &mut String) -> Option<usize> {
    let window = &text.as_bytes()[..text.len().min(LONGEST)];
    let end = memchr::memchr(b';', window)?;
    let name = &text[1..end];
    if let Some(number) = name.strip_prefix('#') {
        let code = match number.strip_prefix(['x', 'X']) {
            Some(hexadecimal) => u32::from_str_radix(hexadecimal, 16),
            None => number.parse(),
        };
        // `parse` takes a sign, which a reference must not have.
        let plain = number.chars().all(|c| c.is_ascii_alphanumeric());
        let c = code.ok().filter(|_| plain).and_then(char::from_u32)?;
        let allowed = !c.is_control() || matches!(c, '\t' | '\n' | '\r');
        allowed.then(|| out.push(c))?;
    } else {
        let bytes = htmlize::ENTITIES.get(&text.as_bytes()[..=end])?;
        out.push_str(str::from_utf8(bytes).ok()?);
    }
    Some(end + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn references_become_characters_and_others_stay() {
        assert_eq!(decode_entities("plain"), "plain");
        assert_eq!(decode_entities("A&amp;B &#233;&#xE9; &eacute;"), "A&B éé é");
        assert_eq!(
            decode_entities("AT&T; &nothing; &#xD800; &#-5; & &"),
            "AT&T; &nothing; &#xD800; &#-5; & &"
        );
        assert_eq!(decode_entities("&ampx &amp"), "&ampx &amp");
        assert_eq!(decode_entities("&amp;lt;"), "&lt;");
    }
}
