//! Finds the dump: of the date asked for, or the newest one whose articles are there.

use super::clock;
use super::conf::FetchConf;
use super::error::FetchError;
use super::http::Client;
use super::names::is_date;
use super::sums::{Choice, Sums, Wanted};
use llamafur::progress::{Note, Progress};
use serde::Deserialize;
use std::collections::BTreeMap;

/// How many older dumps are looked at when the newest ones are not finished.
const OLDER_TRIES: usize = 4;

/// A dump whose articles are there.
#[derive(Debug)]
pub(super) struct Found {
    /// Its date.
    pub date: String,
    /// The files to fetch.
    pub files: Vec<Wanted>,
    /// Lengths of files, where the server published them.
    pub sizes: BTreeMap<String, u64>,
}

/// Finds what `conf` asks for.
pub(super) fn find(
    conf: &FetchConf,
    client: &Client,
    progress: &mut dyn Progress,
) -> Result<Found, FetchError> {
    let mut search = Search { conf, client, progress };
    match &conf.date {
        Some(date) => search.dated(date),
        None => search.newest(),
    }
}

/// What the folder of a wiki shows.
enum Listing {
    /// These dates, the newest first.
    Dates(Vec<String>),
    /// There is no such folder.
    Absent,
    /// The server does not tell.
    Unknown,
}

struct Search<'a> {
    conf: &'a FetchConf,
    client: &'a Client,
    progress: &'a mut dyn Progress,
}

impl Search<'_> {
    /// The dump of one date.
    fn dated(&mut self, date: &str) -> Result<Found, FetchError> {
        let url = self.sums_url(date);
        let wiki = self.conf.wiki.clone();
        if let Some(sums) = self.sums(&url)? {
            return self.settle(&sums, date).map_err(|missing| {
                let dates = others(&self.listing(), &[date.to_owned()], date);
                FetchError::Unfinished { wiki, date: date.to_owned(), url, missing, dates }
            });
        }
        // Is it the date or the wiki that is not there? Not every mirror shows its folders.
        let listing = match self.listing() {
            Listing::Absent => match self.sums(&self.latest_url())? {
                Some(sums) => Listing::Dates(sums.dates(&wiki)),
                None => return Err(FetchError::UnknownWiki { wiki, url: self.conf.wiki_url() }),
            },
            listing => listing,
        };
        let dates = others(&listing, &[], &clock::today());
        Err(FetchError::NoSuchDate { wiki, date: date.to_owned(), url, dates })
    }

    /// The newest dump that has what we want.
    fn newest(&mut self) -> Result<Found, FetchError> {
        let url = self.latest_url();
        let mut tried = Vec::new();
        let mut first = None;
        if let Some(sums) = self.sums(&url)? {
            for date in sums.dates(&self.conf.wiki) {
                match self.settle(&sums, &date) {
                    Ok(found) => return Ok(found),
                    Err(missing) => _ = first.get_or_insert((date.clone(), url.clone(), missing)),
                }
                tried.push(date);
            }
        }
        let listing = self.listing();
        if let Listing::Dates(dates) = &listing {
            let older = dates.iter().filter(|date| !tried.contains(date)).take(OLDER_TRIES).cloned();
            for date in older.collect::<Vec<_>>() {
                let url = self.sums_url(&date);
                if let Some(sums) = self.sums(&url)? {
                    match self.settle(&sums, &date) {
                        Ok(found) => {
                            self.progress.note(Note::OlderDump { date });
                            return Ok(found);
                        }
                        Err(missing) => _ = first.get_or_insert((date.clone(), url, missing)),
                    }
                }
                tried.push(date);
            }
        }
        let wiki = self.conf.wiki.clone();
        Err(match first {
            Some((date, url, missing)) => {
                let dates = others(&listing, &tried, &date);
                FetchError::Unfinished { wiki, date, url, missing, dates }
            }
            // Dumps without checksums, such as mirrors of mirrors have, cannot be told from broken ones.
            None => match tried.first().cloned() {
                Some(date) => {
                    let (url, dates) = (self.sums_url(&date), others(&listing, &tried, &date));
                    FetchError::NoSuchDate { wiki, date, url, dates }
                }
                None => FetchError::UnknownWiki { wiki, url },
            },
        })
    }

    /// What of the dump of `date` to take, or what is missing from it.
    fn settle(&mut self, sums: &Sums, date: &str) -> Result<Found, String> {
        match sums.choose(&self.conf.wiki, date, self.conf.parts) {
            Choice::Missing(what) => Err(what),
            Choice::Files { files, .. } if files.len() == 1 => {
                if self.conf.parts {
                    self.progress.note(Note::NoParts { file: files[0].name.clone() });
                }
                Ok(Found { date: date.to_owned(), files, sizes: BTreeMap::new() })
            }
            Choice::Files { files, sure } => {
                let status = self.status(date);
                // Sums appear part by part; without the whole file beside them only the status knows the
                // last.
                if !sure && status.jobs.values().any(|job| job.is_at_work_on(&files)) {
                    return Err("the last of its numbered parts".to_owned());
                }
                let sizes = status.jobs.into_values().flat_map(|job| job.files);
                let sizes = sizes.filter_map(|(name, file)| Some((name, file.size?))).collect();
                Ok(Found { date: date.to_owned(), files, sizes })
            }
        }
    }

    fn sums(&mut self, url: &str) -> Result<Option<Sums>, FetchError> {
        let text = self.client.text(self.conf, url, &mut |note| self.progress.note(note))?;
        text.map(|text| Sums::parse(url, &text)).transpose()
    }

    /// The dates of the folder of the wiki; only to help, so no failure is an error.
    fn listing(&self) -> Listing {
        match self.client.text_once(&self.conf.wiki_url()) {
            Ok(Some(page)) => Listing::Dates(linked_dates(&page)),
            Ok(None) => Listing::Absent,
            Err(_) => Listing::Unknown,
        }
    }

    /// The status of the dump; mirrors often have none, and then it says nothing.
    fn status(&self, date: &str) -> Status {
        let page = self.client.text_once(&self.conf.file_url(date, "dumpstatus.json")).ok().flatten();
        page.and_then(|page| serde_json::from_str(&page).ok()).unwrap_or_default()
    }

    fn sums_url(&self, date: &str) -> String {
        self.conf.file_url(date, &format!("{}-{date}-sha1sums.txt", self.conf.wiki))
    }

    fn latest_url(&self) -> String {
        self.sums_url("latest")
    }
}

/// The part of `dumpstatus.json` that is of use here.
#[derive(Debug, Default, Deserialize)]
struct Status {
    #[serde(default)]
    jobs: BTreeMap<String, Job>,
}

#[derive(Debug, Deserialize)]
struct Job {
    #[serde(default)]
    status: String,
    #[serde(default)]
    files: BTreeMap<String, FileStatus>,
}

#[derive(Debug, Deserialize)]
struct FileStatus {
    size: Option<u64>,
}

impl Job {
    fn is_at_work_on(&self, files: &[Wanted]) -> bool {
        self.status != "done" && files.iter().any(|file| self.files.contains_key(&file.name))
    }
}

/// The dates that a page links to as folders, the newest first.
fn linked_dates(page: &str) -> Vec<String> {
    let dates = page.split("href=").skip(1).filter_map(|rest| {
        let target = rest.trim_start_matches(['"', '\'', '.', '/']);
        let date = target.get(..8).filter(|date| is_date(date))?;
        target[8..].starts_with(['/', '"', '\'']).then(|| date.to_owned())
    });
    let mut dates: Vec<String> = dates.collect();
    dates.sort_unstable_by(|a, b| b.cmp(a));
    dates.dedup();
    dates
}

/// Up to three dates worth a try: those of the listing, else the usual days before `date`.
fn others(listing: &Listing, tried: &[String], date: &str) -> Vec<String> {
    match listing {
        Listing::Dates(dates) => dates.iter().filter(|date| !tried.contains(date)).take(3).cloned().collect(),
        Listing::Absent | Listing::Unknown => clock::runs_before(date),
    }
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
    fn a_status_with_more_than_we_know_is_read() {
        let text = r#"{"version":"0.8","jobs":{"a":{"status":"in-progress","files":{"f":{"size":7,
            "url":"/f","sha1":"00"},"g":{}}},"b":{"status":"done"}}}"#;
        let status: Status = serde_json::from_str(text).unwrap();
        let wanted = [Wanted { name: "f".to_owned(), sha1: String::new() }];
        assert!(status.jobs["a"].is_at_work_on(&wanted) && !status.jobs["b"].is_at_work_on(&wanted));
        assert_eq!(status.jobs["a"].files["f"].size, Some(7));
    }
}
