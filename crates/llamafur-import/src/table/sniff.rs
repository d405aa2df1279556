//! Detects other content at the beginning of a text file: not every file of lines and columns is a table.

use super::source::Format;
use llamafur::{Remedy, Step};
use serde::de::IgnoredAny;
use std::collections::HashMap;

/// Smallest number of bytes to judge by.
const ENOUGH: usize = 64;

/// Detects content that is no table of this format; returns its kind and the user's options.
pub(crate) fn other_kind(start: &[u8], format: Format) -> Option<(&'static str, Remedy)> {
    let text = start.trim_ascii_start();
    let first_line = text.split(|&byte| byte == b'\n').next().unwrap_or_default();
    let begins = |words: &[&str]| {
        let is = |word: &str| text.get(..word.len()).is_some_and(|s| s.eq_ignore_ascii_case(word.as_bytes()));
        words.iter().any(|word| is(word))
    };
    let import_wiki = || Remedy::run(Step::ImportWiki);
    if begins(&["<mediawiki", "<page>", "<siteinfo"])
        || begins(&["<?xml"]) && memchr::memmem::find(text, b"<mediawiki").is_some()
    {
        return Some(("a dump of a wiki, not a table", import_wiki()));
    }
    if begins(&["<?xml", "<!doctype", "<html"]) {
        return Some(("XML or HTML, not a table", Remedy::advice("convert it to a table first")));
    }
    if begins(&["-- mysql dump", "-- mariadb dump", "/*!", "create table", "insert into"]) {
        return Some(("an SQL dump, not a table", import_wiki()));
    }
    if begins(&["{\"index\":"]) {
        return Some(("a dump of a search index, not a table", import_wiki()));
    }
    if matches!(format, Format::Tsv | Format::Csv(_))
        && first_line.starts_with(b"{")
        && serde_json::from_slice::<HashMap<String, IgnoredAny>>(first_line)
            .is_ok_and(|keys| !keys.is_empty())
    {
        let found = if format == Format::Tsv { "JSON lines, read as TSV" } else { "JSON lines, read as CSV" };
        return Some((found, Remedy::advice("rename it to end in .jsonl")));
    }
    let is_odd = |byte: &&u8| byte.is_ascii_control() && !byte.is_ascii_whitespace();
    if start.len() >= ENOUGH && start.iter().filter(is_odd).count() > start.len() / 20 {
        return Some(("binary data, not text", Remedy::advice("export it as text or Parquet first")));
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_table_is_told_by_its_beginning() {
        let found = |start: &str, format| other_kind(start.as_bytes(), format).map(|(found, _)| found);
        let dump = Some("a dump of a wiki, not a table");
        assert_eq!(found("<mediawiki xmlns=…>", Format::Tsv), dump);
        assert_eq!(found("\n<?xml version='1.0'?>\n<mediawiki>", Format::Csv(b',')), dump);
        assert_eq!(found("<?xml version='1.0'?>\n<a>", Format::Tsv), Some("XML or HTML, not a table"));
        assert_eq!(found("-- MySQL dump 10.19", Format::Tsv), Some("an SQL dump, not a table"));
        assert_eq!(found("{\"index\":{}}\n", Format::Json), Some("a dump of a search index, not a table"));
        assert_eq!(found("{\"a\": 1}\n", Format::Tsv), Some("JSON lines, read as TSV"));
        assert_eq!(found(&"\0\u{1}ab".repeat(30), Format::Tsv), Some("binary data, not text"));
        for table in ["a\tb\n", "{x}\t{y}\n", "<b>\tc\n", "SET theory\tLogic\n", "a\0\tb\nb\tc\n", ""] {
            assert_eq!(found(table, Format::Tsv), None, "{table}");
        }
        assert_eq!(found("{\"a\": 1}\n", Format::Json), None);
    }
}
