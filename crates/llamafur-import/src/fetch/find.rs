//! Finds the dump: of the requested date, or the newest one that is complete.

use super::error::FetchError;
use super::{FetchConf, is_date, request};
use ureq::Agent;

/// Number of other dates that an error lists.
const OTHER_DATES: usize = 3;

/// The file to download.
pub(super) struct Found {
    pub(super) date: String,
    pub(super) name: String,
    pub(super) url: String,
    /// Its SHA-1 in lowercase hexadecimal digits.
    pub(super) sha1: String,
}

/// Finds the file that `conf` describes.
pub(super) fn find(conf: &FetchConf, agent: &Agent) -> Result<Found, FetchError> {
    if let Some(date) = &conf.date
        && let Some(found) = find_in(conf, agent, date)?
    {
        return Ok(found);
    }
    let (wiki, url) = (conf.wiki.clone(), format!("{}/{}/", conf.base_url, conf.wiki));
    let Some(page) = text(agent, &url)? else { return Err(FetchError::UnknownWiki { wiki, url }) };
    let dates = linked_dates(&page);
    let Some(date) = conf.date.clone() else {
        for date in &dates {
            if let Some(found) = find_in(conf, agent, date)? {
                return Ok(found);
            }
        }
        return Err(match dates.into_iter().next() {
            Some(date) => FetchError::Unfinished { wiki, url, date, others: Vec::new() },
            None => FetchError::UnknownWiki { wiki, url },
        });
    };
    let others = dates.into_iter().filter(|other| *other != date).take(OTHER_DATES).collect();
    Err(FetchError::Unfinished { wiki, url, date, others })
}

/// Returns the file of the dump of `date`, if the list of its checksums has it.
fn find_in(conf: &FetchConf, agent: &Agent, date: &str) -> Result<Option<Found>, FetchError> {
    let wiki = &conf.wiki;
    let folder = format!("{}/{wiki}/{date}", conf.base_url);
    let Some(sums) = text(agent, &format!("{folder}/{wiki}-{date}-sha1sums.txt"))? else { return Ok(None) };
    Ok(["-multistream", ""].iter().find_map(|kind| {
        let name = format!("{wiki}-{date}-pages-articles{kind}.xml.bz2");
        let sha1 = checksum(&sums, &name)?;
        Some(Found { date: date.to_owned(), url: format!("{folder}/{name}"), name, sha1 })
    }))
}

/// Returns the text at `url`; `None` if there is none.
fn text(agent: &Agent, url: &str) -> Result<Option<String>, FetchError> {
    let answer = request(agent, url, 0)?;
    match answer.status().as_u16() {
        200 => answer.into_body().read_to_string().map(Some).map_err(FetchError::lost(url)),
        404 | 410 => Ok(None),
        status => Err(FetchError::Refused { url: url.to_owned(), status }),
    }
}

/// Finds the checksum of a file in a list of lines `sha1hex␠␠filename`; a star before the name, as for binary files, is
/// allowed.
fn checksum(sums: &str, name: &str) -> Option<String> {
    let mut lines = sums.lines().filter_map(|line| line.trim_end().split_once(' '));
    let (sha1, _) = lines.find(|(sha1, file)| {
        sha1.len() == 40 && sha1.bytes().all(|b| b.is_ascii_hexdigit()) && file.get(1..) == Some(name)
    })?;
    Some(sha1.to_ascii_lowercase())
}

/// Returns the dates that a page links to as folders, the newest first.
fn linked_dates(page: &str) -> Vec<String> {
    let links = page.split("href=").skip(1).filter_map(|rest| {
        let target = rest.trim_start_matches(['"', '\'', '.', '/']);
        let date = target.get(..8).filter(|date| is_date(date))?;
        target[8..].starts_with(['/', '"', '\'']).then(|| date.to_owned())
    });
    let mut dates: Vec<String> = links.collect();
    dates.sort_unstable_by(|a, b| b.cmp(a));
    dates.dedup();
    dates
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_are_read_from_links_only() {
        let page = "<a href=\"../\">..</a> <a href=\"20260801/\">20260801/</a> 12345678 \
                    <a href=\"20260901/\">20260901/</a> <a href='./20260820/'>x</a> \
                    <a href=\"123456789/\">no</a> <a href=\"é2345678\">no</a>";
        assert_eq!(linked_dates(page), ["20260901", "20260820", "20260801"]);
    }

    #[test]
    fn only_whole_lines_are_checksums() {
        let sha1 = "da39a3ee5e6b4b0d3255bfef95601890afd80709";
        for good in [format!("{sha1}  x"), format!("y\n{} *x\r\n", sha1.to_uppercase())] {
            assert_eq!(checksum(&good, "x").as_deref(), Some(sha1), "{good}");
        }
        let others = [format!("{sha1}  ../x"), format!("{sha1}  xx"), format!("{sha1} x"), sha1.to_owned()];
        for bad in
            others.iter().map(String::as_str).chain(["<html>", "da39  x", "", &sha1.replace("da", "zz")])
        {
            assert_eq!(checksum(bad, "x"), None, "{bad}");
        }
    }
}
