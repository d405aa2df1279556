//! Templates that produce a few words in the middle of a sentence, which would be incomplete without them.

/// The longest of these templates, in bytes.
const LONGEST: usize = 120;

/// Units whose short names in templates are not what readers write.
const UNITS: [(&str, &str); 8] = [
    ("km2", "km²"),
    ("sqkm", "km²"),
    ("m2", "m²"),
    ("sqmi", "square miles"),
    ("mi2", "square miles"),
    ("C", "°C"),
    ("F", "°F"),
    ("ft2", "square feet"),
];

/// Returns the words that a template produces, given what is between its braces.
pub(super) fn value(inside: &str) -> Option<String> {
    if inside.len() > LONGEST || inside.contains(['[', '{', '<']) {
        return None;
    }
    let mut parts = inside.split('|').map(str::trim);
    let name = parts.next()?.to_lowercase();
    // Arguments with a name say how it looks.
    let arguments: Vec<&str> = parts.filter(|argument| !argument.contains('=')).collect();
    match (name.as_str(), &arguments[..]) {
        ("convert" | "cvt", [from, "-" | "–" | "to" | "and", to, unit, ..]) => {
            Some(format!("{from}–{to} {}", written(unit)))
        }
        ("convert" | "cvt", [number, unit, ..]) => Some(format!("{number} {}", written(unit))),
        ("circa" | "c.", [year, ..]) => Some(format!("c. {year}")),
        ("snd" | "spnd" | "spaced ndash" | "ndash" | "dash", _) => Some(" – ".into()),
        ("nbsp" | "spaces", _) => Some(" ".into()),
        _ => None,
    }
}

fn written(unit: &str) -> &str {
    UNITS.iter().find(|(short, _)| *short == unit).map_or(unit, |(_, written)| written)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn measures_years_and_dashes_are_written_out() {
        let value = |inside| value(inside).unwrap_or_default();
        assert_eq!(value("convert|10|km|mi|abbr=on"), "10 km");
        assert_eq!(value("Cvt|2381741|km2|sqmi"), "2381741 km²");
        assert_eq!(value("convert|5|to|7|C"), "5–7 °C");
        assert_eq!(value("circa|1610"), "c. 1610");
        assert_eq!(value("snd"), " – ");
        assert_eq!(value("convert|10"), "");
        assert_eq!(value("infobox|a|b"), "");
        assert_eq!(value("convert|{{x}}|km"), "");
    }
}
