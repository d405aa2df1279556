//! The list of checksums: which files a dump has, and which of them holds the articles.

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

    /// The file of the articles of one date; an error names it where it is missing.
    pub(super) fn choose(&self, wiki: &str, date: &str) -> Result<Wanted, String> {
        let names = ["-multistream", ""].map(|kind| format!("{wiki}-{date}-pages-articles{kind}.xml.bz2"));
        let found = names.iter().find_map(|name| self.files.get_key_value(name));
        let [missing, _] = &names;
        found.map(|(name, sha1)| Wanted { name: name.clone(), sha1: sha1.clone() }).ok_or(missing.clone())
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_multistream_file_before_the_plain_one() {
        let [whole, plain] =
            ["xwiki-20260901-pages-articles-multistream.xml.bz2", "xwiki-20260901-pages-articles.xml.bz2"];
        let others = [
            "xwiki-20260901-pages-articles-multistream-index.txt.bz2",
            "xwiki-20260801-pages-articles.xml.bz2",
        ];
        let choice = |names: &[&str]| {
            let names = names.iter().chain(&others);
            let text: String = names.map(|name| format!("{:040x}  {name}\n", name.len())).collect();
            Sums::parse("u", &text).unwrap().choose("xwiki", "20260901").map(|wanted| wanted.name)
        };
        assert_eq!(choice(&[plain, whole]), Ok(whole.to_owned()));
        assert_eq!(choice(&[plain]), Ok(plain.to_owned()));
        assert_eq!(choice(&[]), Err(whole.to_owned()));
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
