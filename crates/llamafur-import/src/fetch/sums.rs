//! The list of checksums: which files a dump has, and which of them make up the articles.

use super::error::FetchError;
use super::names::{is_date, is_number, is_plain};
use std::collections::BTreeMap;

/// A file to be fetched.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Wanted {
    /// Its plain name.
    pub name: String,
    /// Its SHA-1 in small hexadecimal digits.
    pub sha1: String,
}

/// The files of a dump and their checksums.
#[derive(Debug, Default)]
pub(super) struct Sums {
    files: BTreeMap<String, String>,
}

/// What of a dump is to be fetched.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Choice {
    /// These; `sure` unless a part still being made could be missing from them.
    Files { files: Vec<Wanted>, sure: bool },
    /// Nothing yet, as this is missing.
    Missing(String),
}

impl Sums {
    /// Reads the lines of a list that came from `url`.
    pub fn parse(url: &str, text: &str) -> Result<Sums, FetchError> {
        let mut files = BTreeMap::new();
        for (at, line) in text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
            // One line that is not as it should be spoils the list: it may be an error page, or a trick.
            let (sha1, name) = read_line(line).ok_or_else(|| FetchError::BadSums {
                url: url.to_owned(),
                line: at + 1,
                found: line.chars().take(120).collect(),
            })?;
            files.insert(name.to_owned(), sha1.to_ascii_lowercase());
        }
        Ok(Sums { files })
    }

    /// The dates that the names bear, the newest first.
    pub fn dates(&self, wiki: &str) -> Vec<String> {
        let date = |name: &str| name.strip_prefix(wiki)?.strip_prefix('-')?.get(..8).map(str::to_owned);
        let mut dates: Vec<String> =
            self.files.keys().filter_map(|name| date(name)).filter(|date| is_date(date)).collect();
        dates.sort_unstable_by(|a, b| b.cmp(a));
        dates.dedup();
        dates
    }

    /// The files of the articles of one date: whole, or in numbered parts if there is no whole or `parts` is
    /// set.
    pub fn choose(&self, wiki: &str, date: &str, parts: bool) -> Choice {
        let stems =
            ["pages-articles-multistream", "pages-articles"].map(|kind| format!("{wiki}-{date}-{kind}"));
        let whole = stems.iter().find_map(|stem| self.wanted(&format!("{stem}.xml.bz2")));
        let pieces = stems.iter().map(|stem| self.pieces(stem)).find(|pieces| !pieces.is_empty());
        match (whole, pieces) {
            (Some(whole), None) => Choice::Files { files: vec![whole], sure: true },
            (Some(whole), Some(_)) if !parts => Choice::Files { files: vec![whole], sure: true },
            (None, None) => Choice::Missing(format!("{}.xml.bz2", stems[0])),
            (whole, Some(pieces)) => {
                // Numbers run from 1 without a gap, and one number may have several ranges of pages.
                let mut expected = 1;
                for piece in &pieces {
                    if piece.number > expected {
                        return Choice::Missing(format!("part {expected} of {}", pieces[0].stem));
                    }
                    expected = piece.number + 1;
                }
                let files = pieces.into_iter().map(|piece| piece.wanted).collect();
                Choice::Files { files, sure: whole.is_some() }
            }
        }
    }

    fn wanted(&self, name: &str) -> Option<Wanted> {
        self.files.get(name).map(|sha1| Wanted { name: name.to_owned(), sha1: sha1.clone() })
    }

    /// The numbered parts `{stem}7.xml-p15p28.bz2` in the order of their pages.
    fn pieces<'s>(&self, stem: &'s str) -> Vec<Piece<'s>> {
        let mut pieces: Vec<Piece> = self
            .files
            .iter()
            .filter_map(|(name, sha1)| {
                let (number, first) = piece(name.strip_prefix(stem)?)?;
                let wanted = Wanted { name: name.clone(), sha1: sha1.clone() };
                Some(Piece { number, first, stem, wanted })
            })
            .collect();
        pieces.sort_by_key(|piece| (piece.number, piece.first));
        pieces
    }
}

struct Piece<'s> {
    number: u64,
    first: u64,
    stem: &'s str,
    wanted: Wanted,
}

/// A line `sha1hex␠␠filename`; a star before the name, as for binary files, is allowed.
fn read_line(line: &str) -> Option<(&str, &str)> {
    let (sha1, name) = line.trim_end().split_once(' ')?;
    let name = name.strip_prefix([' ', '*'])?;
    (sha1.len() == 40 && sha1.bytes().all(|b| b.is_ascii_hexdigit()) && is_plain(name))
        .then_some((sha1, name))
}

/// Number and first page of a part, from what follows its stem: `7.xml-p15p28.bz2`.
///
/// Read to the last character: the index of the parts differs from them by little.
fn piece(rest: &str) -> Option<(u64, u64)> {
    let (number, pages) = rest.strip_suffix(".bz2")?.split_once(".xml-p")?;
    let (first, last) = pages.split_once('p')?;
    [number, first, last].iter().all(|field| is_number(field)).then_some(())?;
    Some((number.parse().ok()?, first.parse().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sums(names: &[&str]) -> Sums {
        let text: String = names.iter().map(|name| format!("{:040x}  {name}\n", name.len())).collect();
        Sums::parse("u", &text).unwrap()
    }

    fn names(choice: Choice) -> Vec<String> {
        match choice {
            Choice::Files { files, .. } => files.into_iter().map(|file| file.name).collect(),
            Choice::Missing(what) => vec![format!("missing {what}")],
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
        let pick = |list: &[&str], parts| names(sums(list).choose("xwiki", "20260901", parts));
        assert_eq!(pick(&[INDEX, PLAIN, WHOLE, P1], false), [WHOLE]);
        assert_eq!(pick(&[INDEX, PLAIN, P1], false), [PLAIN]);
        assert_eq!(pick(&[P2B, INDEX, I1, P2A, P1], false), [P1, P2A, P2B]);
        assert_eq!(pick(&[P2B, INDEX, I1, P2A, P1, WHOLE], true), [P1, P2A, P2B]);
        assert_eq!(pick(&[WHOLE], true), [WHOLE]);
        assert_eq!(pick(&[INDEX, I1], false), [format!("missing {WHOLE}")]);
        assert_eq!(pick(&[P1, P10], false), ["missing part 2 of xwiki-20260901-pages-articles-multistream"]);
        assert_eq!(names(sums(&[WHOLE]).choose("xwiki", "20260801", false)).len(), 1);
    }

    #[test]
    fn parts_alone_are_not_sure_to_be_all() {
        let sure = |list: &[&str]| match sums(list).choose("xwiki", "20260901", true) {
            Choice::Files { sure, .. } => sure,
            Choice::Missing(_) => false,
        };
        assert!(sure(&[P1, WHOLE]) && sure(&[PLAIN]) && !sure(&[P1]));
    }

    #[test]
    fn dates_come_newest_first() {
        let list =
            sums(&[WHOLE, "xwiki-20260801-x.gz", "xwiki-20260920-y.gz", "xwiki-latest1-y.gz", "other"]);
        assert_eq!(list.dates("xwiki"), ["20260920", "20260901", "20260801"]);
    }

    #[test]
    fn one_bad_line_spoils_the_list() {
        let sha = "da39a3ee5e6b4b0d3255bfef95601890afd80709";
        for bad in ["../evil", "/etc/passwd", "a/b", ".x", "", "c:\\x"] {
            assert!(Sums::parse("u", &format!("{sha}  ok.bz2\n{sha}  {bad}\n")).is_err(), "{bad}");
        }
        for bad in ["<html>", "da39  x", "zz39a3ee5e6b4b0d3255bfef95601890afd80709  x", sha] {
            assert!(Sums::parse("u", bad).is_err(), "{bad}");
        }
        assert!(Sums::parse("u", &format!("{sha} *ok.bz2\r\n\n")).is_ok());
    }
}
