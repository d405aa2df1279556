//! The list of checksums: which files a dump has, and which of them hold the articles.

use super::conf::{is_date, is_plain};
use super::error::FetchError;
use std::collections::BTreeMap;

/// A file to be fetched.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Wanted {
    pub(super) name: String,
    /// Its SHA-1 in lowercase hexadecimal digits.
    pub(super) sha1: String,
}

/// The files of a dump and their checksums.
#[derive(Debug, Default)]
pub(super) struct Sums {
    files: BTreeMap<String, String>,
}

/// Which files of a dump to fetch.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Choice {
    /// These; `sure` unless a part that is still being made could be missing.
    Files { files: Vec<Wanted>, sure: bool },
    /// None yet, since this is missing.
    Missing(String),
}

impl Sums {
    /// Reads a list that came from `url`. One bad line spoils it: it may be an error page, or an attack.
    pub(super) fn parse(url: &str, text: &str) -> Result<Sums, FetchError> {
        let mut files = BTreeMap::new();
        for (at, line) in text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
            let (sha1, name) = read_line(line).ok_or_else(|| {
                let (number, found) = (at + 1, line.chars().take(120).collect::<String>());
                let expected = "a SHA-1 sum and a plain file name";
                let problem = format!("line {number} reads {found:?}, expected {expected}");
                FetchError::BadAnswer { url: url.to_owned(), problem }
            })?;
            files.insert(name.to_owned(), sha1.to_ascii_lowercase());
        }
        Ok(Sums { files })
    }

    /// The dates in the names, the newest first.
    pub(super) fn dates(&self, wiki: &str) -> Vec<String> {
        let date = |name: &str| name.strip_prefix(wiki)?.strip_prefix('-')?.get(..8).map(str::to_owned);
        newest_first(self.files.keys().filter_map(|name| date(name)).filter(|date| is_date(date)))
    }

    /// The files of the articles of one date: whole, or in numbered parts if there is no whole or `parts` is set.
    pub(super) fn choose(&self, wiki: &str, date: &str, parts: bool) -> Choice {
        let stems =
            ["pages-articles-multistream", "pages-articles"].map(|kind| format!("{wiki}-{date}-{kind}"));
        let whole = stems.iter().find_map(|stem| {
            let (name, sha1) = self.files.get_key_value(&format!("{stem}.xml.bz2"))?;
            Some(Wanted { name: name.clone(), sha1: sha1.clone() })
        });
        let numbered = stems.iter().find_map(|stem| {
            let numbered = self.numbered(stem);
            (!numbered.is_empty()).then_some((stem, numbered))
        });
        match (whole, numbered) {
            (Some(whole), numbered) if numbered.is_none() || !parts => {
                Choice::Files { files: vec![whole], sure: true }
            }
            (whole, Some((stem, numbered))) => {
                // Numbers run from 1 without a gap, and one number may have several ranges of pages.
                let mut expected = 1;
                for &((number, _), _) in &numbered {
                    if number > expected {
                        return Choice::Missing(format!("part {expected} of {stem}"));
                    }
                    expected = number + 1;
                }
                let files = numbered.into_iter().map(|(_, wanted)| wanted).collect();
                Choice::Files { files, sure: whole.is_some() }
            }
            _ => Choice::Missing(format!("{}.xml.bz2", stems[0])),
        }
    }

    /// The numbered parts `{stem}7.xml-p15p28.bz2` with number and first page, in the order of their pages.
    fn numbered(&self, stem: &str) -> Vec<((u64, u64), Wanted)> {
        let parts = self.files.iter().filter_map(|(name, sha1)| {
            let order = number_and_page(name.strip_prefix(stem)?)?;
            Some((order, Wanted { name: name.clone(), sha1: sha1.clone() }))
        });
        let mut parts: Vec<_> = parts.collect();
        parts.sort_by_key(|(order, _)| *order);
        parts
    }
}

pub(super) fn newest_first(dates: impl Iterator<Item = String>) -> Vec<String> {
    let mut dates: Vec<String> = dates.collect();
    dates.sort_unstable_by(|a, b| b.cmp(a));
    dates.dedup();
    dates
}

/// A line `sha1hex␠␠filename`; a star before the name, as for binary files, is allowed.
fn read_line(line: &str) -> Option<(&str, &str)> {
    let (sha1, name) = line.trim_end().split_once(' ')?;
    let name = name.strip_prefix([' ', '*'])?;
    (sha1.len() == 40 && sha1.bytes().all(|b| b.is_ascii_hexdigit()) && is_plain(name))
        .then_some((sha1, name))
}

/// Number and first page from what follows the stem: `7.xml-p15p28.bz2`. The index of a part differs by little.
fn number_and_page(rest: &str) -> Option<(u64, u64)> {
    let (number, pages) = rest.strip_suffix(".bz2")?.split_once(".xml-p")?;
    let (first, last) = pages.split_once('p')?;
    let plain = [number, first, last].iter().all(|field| field.bytes().all(|b| b.is_ascii_digit()));
    (plain && !last.is_empty()).then_some((number.parse().ok()?, first.parse().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn choice(names: &[&str], parts: bool) -> (Vec<String>, bool) {
        let text: String = names.iter().map(|name| format!("{:040x}  {name}\n", name.len())).collect();
        match Sums::parse("u", &text).unwrap().choose("xwiki", "20260901", parts) {
            Choice::Files { files, sure } => (files.into_iter().map(|file| file.name).collect(), sure),
            Choice::Missing(what) => (vec![format!("missing {what}")], false),
        }
    }

    const WHOLE: &str = "xwiki-20260901-pages-articles-multistream.xml.bz2";
    const PLAIN: &str = "xwiki-20260901-pages-articles.xml.bz2";
    const INDEX: &str = "xwiki-20260901-pages-articles-multistream-index.txt.bz2";
    const P1: &str = "xwiki-20260901-pages-articles-multistream1.xml-p1p100.bz2";
    const P2A: &str = "xwiki-20260901-pages-articles-multistream2.xml-p101p1000.bz2";
    const P2B: &str = "xwiki-20260901-pages-articles-multistream2.xml-p1001p2000.bz2";
    const P10: &str = "xwiki-20260901-pages-articles-multistream10.xml-p9p10.bz2";
    const I1: &str = "xwiki-20260901-pages-articles-multistream-index1.txt-p1p100.bz2";

    #[test]
    fn the_whole_before_the_plain_before_the_parts() {
        let pick = |list: &[&str], parts| choice(list, parts).0;
        assert_eq!(pick(&[INDEX, PLAIN, WHOLE, P1], false), [WHOLE]);
        assert_eq!(pick(&[INDEX, PLAIN, P1], false), [PLAIN]);
        assert_eq!(pick(&[P2B, INDEX, I1, P2A, P1], false), [P1, P2A, P2B]);
        assert_eq!(pick(&[P2B, INDEX, I1, P2A, P1, WHOLE], true), [P1, P2A, P2B]);
        assert_eq!(pick(&[WHOLE], true), [WHOLE]);
        assert_eq!(pick(&[INDEX, I1], false), [format!("missing {WHOLE}")]);
        assert_eq!(pick(&[P1, P10], false), ["missing part 2 of xwiki-20260901-pages-articles-multistream"]);
        assert_eq!(pick(&[&WHOLE.replace("0901", "0801")], false), [format!("missing {WHOLE}")]);
        // Parts alone are not sure to be all.
        assert!(choice(&[P1, WHOLE], true).1 && choice(&[PLAIN], true).1 && !choice(&[P1], true).1);
    }

    #[test]
    fn dates_come_newest_first_and_one_bad_line_spoils_the_list() {
        let sha = "da39a3ee5e6b4b0d3255bfef95601890afd80709";
        let names =
            ["xwiki-20260901-x", "xwiki-20260801-x.gz", "xwiki-20260920-y.gz", "xwiki-latest1-y.gz", "o"];
        let list: String = names.iter().map(|name| format!("{sha}  {name}\n")).collect();
        assert_eq!(Sums::parse("u", &list).unwrap().dates("xwiki"), ["20260920", "20260901", "20260801"]);
        for bad in ["../evil", "/etc/passwd", "a/b", ".x", "", "c:\\x"] {
            assert!(Sums::parse("u", &format!("{sha}  ok.bz2\n{sha}  {bad}\n")).is_err(), "{bad}");
        }
        for bad in ["<html>", "da39  x", "zz39a3ee5e6b4b0d3255bfef95601890afd80709  x", sha] {
            assert!(Sums::parse("u", bad).is_err(), "{bad}");
        }
        assert!(Sums::parse("u", &format!("{sha} *ok.bz2\r\n\n")).is_ok());
    }
}
