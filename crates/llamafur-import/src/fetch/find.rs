//! Finds the dump: of the date asked for, or the newest one that is complete.

use super::conf::{FetchConf, is_date};
use super::error::FetchError;
use super::http::Client;
use super::sums::{Sums, Wanted, newest_first};
use llamafur::progress::{Note, Progress};

/// How many older dumps are looked at when the newest ones are not finished.
const OLDER_TRIES: usize = 4;
/// How many other dates an error names.
const OTHER_DATES: usize = 3;

/// Finds what `conf` asks for: a date and the file of that date.
pub(super) fn find(
    conf: &FetchConf,
    client: &Client,
    progress: &mut dyn Progress,
) -> Result<(String, Wanted), FetchError> {
    let mut search = Search { conf, client, progress, tried: Vec::new(), first: None };
    let latest = match &conf.date {
        Some(_) => None,
        None => search.sums("latest")?,
    };
    // The list of `latest` may have files of several dates.
    for date in latest.iter().flat_map(|sums| sums.dates(&conf.wiki)) {
        if let Some(found) = latest.as_ref().and_then(|sums| search.choose(sums, &date)) {
            return Ok(found);
        }
    }
    let listed = || client.text_once(&conf.wiki_url()).ok().flatten().map(|page| linked_dates(&page));
    let mut listing = None;
    let dates = match &conf.date {
        Some(date) => vec![date.clone()],
        None => {
            listing = listed();
            let older = listing.iter().flatten().filter(|date| !search.tried.contains(date));
            older.take(OLDER_TRIES).cloned().collect()
        }
    };
    for date in dates {
        if let Some(sums) = search.sums(&date)?
            && let Some(found) = search.choose(&sums, &date)
        {
            if conf.date.is_none() {
                search.progress.note(Note::OlderDump { date });
            }
            return Ok(found);
        }
        search.tried.push(date);
    }
    let listing = listing.or_else(listed);
    // Not every mirror shows its folders.
    let known = listing.is_some() || latest.is_some() || search.sums("latest")?.is_some();
    let wiki = conf.wiki.clone();
    let others = listing.into_iter().flatten().filter(|date| !search.tried.contains(date));
    let dates = others.take(OTHER_DATES).collect();
    let sums = || Some((search.tried.first()?.clone(), "the list of its checksums".to_owned()));
    match search.first.clone().or_else(|| known.then(sums)?) {
        Some((date, missing)) => {
            Err(FetchError::Unfinished { wiki, url: search.sums_url(&date), date, missing, dates })
        }
        None => Err(FetchError::UnknownWiki { wiki, url: conf.wiki_url() }),
    }
}

struct Search<'a> {
    conf: &'a FetchConf,
    client: &'a Client,
    progress: &'a mut dyn Progress,
    /// The dates that are not finished.
    tried: Vec<String>,
    /// The first of them that has a list of checksums, and what is missing.
    first: Option<(String, String)>,
}

impl Search<'_> {
    /// The file of the dump of `date`, if it is finished.
    fn choose(&mut self, sums: &Sums, date: &str) -> Option<(String, Wanted)> {
        match sums.choose(&self.conf.wiki, date) {
            Ok(wanted) => Some((date.to_owned(), wanted)),
            Err(missing) => {
                self.tried.push(date.to_owned());
                self.first.get_or_insert_with(|| (date.to_owned(), missing));
                None
            }
        }
    }

    fn sums(&mut self, date: &str) -> Result<Option<Sums>, FetchError> {
        let url = self.sums_url(date);
        let text = self.client.text(self.conf, &url, self.progress)?;
        text.map(|text| Sums::parse(&url, &text)).transpose()
    }

    fn sums_url(&self, date: &str) -> String {
        self.conf.file_url(date, &format!("{}-{date}-sha1sums.txt", self.conf.wiki))
    }
}

/// The dates that a page links to as folders, the newest first.
fn linked_dates(page: &str) -> Vec<String> {
    newest_first(page.split("href=").skip(1).filter_map(|rest| {
        let target = rest.trim_start_matches(['"', '\'', '.', '/']);
        let date = target.get(..8).filter(|date| is_date(date))?;
        target[8..].starts_with(['/', '"', '\'']).then(|| date.to_owned())
    }))
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
}
