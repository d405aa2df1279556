//! The fields of a tab-separated line, quoted or not.
//!
//! A spreadsheet puts a field in quotes when it holds a tab, a line break or a quote, and doubles the quotes within.
//! A field is read so only where the quote that ends it stands before a tab or the end: titles may begin with a quote
//! (`"Weird Al" Yankovic`), and such a one is taken as it stands.

use std::borrow::Cow;

/// The fields of a record, and whether a quoted one lacks its end: it may come with the next line.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Fields<'a> {
    pub fields: Vec<Cow<'a, str>>,
    pub is_open: bool,
}

enum Quoted<'a> {
    /// The field and what comes behind it.
    Closed(Cow<'a, str>, &'a str),
    /// No quote ends it.
    Open,
    /// A quote before other characters: not a quoted field.
    Plain,
}

/// Splits a record.
pub(super) fn split(record: &str) -> Fields<'_> {
    let mut fields = Vec::with_capacity(4);
    let mut is_open = false;
    let mut rest = Some(record);
    while let Some(text) = rest {
        let quoted = if text.starts_with('"') { quoted(text) } else { Quoted::Plain };
        is_open |= matches!(quoted, Quoted::Open);
        let (field, after) = match quoted {
            Quoted::Closed(field, after) => (field, after.strip_prefix('\t')),
            Quoted::Open | Quoted::Plain => match text.split_once('\t') {
                Some((field, after)) => (Cow::Borrowed(field), Some(after)),
                None => (Cow::Borrowed(text), None),
            },
        };
        fields.push(field);
        rest = after;
    }
    Fields { fields, is_open }
}

/// The quoted field that a text begins with.
fn quoted(text: &str) -> Quoted<'_> {
    let mut from = 1;
    while let Some(found) = text[from..].find('"') {
        let after = &text[from + found + 1..];
        if after.is_empty() || after.starts_with('\t') {
            let inner = &text[1..from + found];
            let field = if inner.contains('"') { inner.replace("\"\"", "\"").into() } else { inner.into() };
            return Quoted::Closed(field, after);
        }
        if !after.starts_with('"') {
            return Quoted::Plain;
        }
        from += found + 2;
    }
    Quoted::Open
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn fields(record: &str) -> Vec<String> {
        split(record).fields.into_iter().map(Cow::into_owned).collect()
    }

    #[test]
    fn plain_fields_end_at_tabs() {
        assert_eq!(fields("a b\tc\t\tTE"), ["a b", "c", "", "TE"]);
        assert_eq!(fields(""), [""]);
    }

    #[test]
    fn quotes_of_a_spreadsheet_are_taken_off() {
        assert_eq!(fields("\"\"\"Heroes\"\" (album)\"\tb"), ["\"Heroes\" (album)", "b"]);
        assert_eq!(fields("\"a\tb\"\tc"), ["a\tb", "c"]);
        assert_eq!(fields("\"a\nb\"\tc"), ["a\nb", "c"]);
    }

    #[test]
    fn titles_that_begin_with_a_quote_stand() {
        assert_eq!(fields("\"Weird Al\" Yankovic\tParody\tE"), ["\"Weird Al\" Yankovic", "Parody", "E"]);
        assert_eq!(fields("a\tThe \"b\"\tU"), ["a", "The \"b\"", "U"]);
    }

    #[test]
    fn a_quote_without_end_is_told() {
        assert_eq!(split("\"a\tb"), Fields { fields: vec!["\"a".into(), "b".into()], is_open: true });
        assert!(!split("a\"\tb").is_open);
    }

    proptest! {
        #[test]
        fn what_a_spreadsheet_writes_is_read(fields in proptest::collection::vec("[ab\"\t\n]{0,6}", 1..5)) {
            let quote = |field: &String| match field.contains(['"', '\t', '\n']) {
                true => format!("\"{}\"", field.replace('"', "\"\"")),
                false => field.clone(),
            };
            let record = fields.iter().map(quote).collect::<Vec<_>>().join("\t");
            prop_assert_eq!(split(&record), Fields {
                fields: fields.iter().map(|field| Cow::Owned(field.clone())).collect(),
                is_open: false,
            });
        }

        #[test]
        fn no_record_is_too_odd(record in "[ab\"\t]{0,12}") {
            prop_assert!(!split(&record).fields.is_empty());
        }
    }
}
