//! What can go wrong in a download, said with the address or the file and the way out.

use std::io;
use std::path::PathBuf;

/// Why a download failed. Whatever it was, what had arrived stays unless the text says otherwise.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum FetchError {
    /// No wiki is called like that.
    #[error(
        "`{wiki}` is not the name of a wiki: expected small letters, digits and `_` as in `simplewiki`, \
         `enwiki` or `dewiki`"
    )]
    BadWiki {
        /// The name given.
        wiki: String,
    },
    /// No dump has such a date.
    #[error("`{date}` is not the date of a dump: expected eight digits as in `20260901`, or `latest`")]
    BadDate {
        /// The date given.
        date: String,
    },
    /// No mirror can have such an address.
    #[error(
        "`{url}` is not the address of a mirror: expected http or https, a host and at most a path, as in \
         `https://dumps.wikimedia.org`"
    )]
    BadBaseUrl {
        /// The address given.
        url: String,
    },
    /// The contact cannot stand in a user agent.
    #[error(
        "`{}` cannot be sent as a contact: expected a mail or web address in plain ASCII without brackets",
        contact.escape_debug()
    )]
    BadContact {
        /// The contact given.
        contact: String,
    },
    /// More connections than a downloader may have, or none.
    #[error(
        "{connections} connections at once were asked for: expected 1, 2 or 3, as Wikimedia allows no more"
    )]
    BadConnections {
        /// The number given.
        connections: usize,
    },
    /// The server has nothing under the name of this wiki.
    #[error(
        "{url} was not found: the server has no dumps of `{wiki}`; wiki names look like `simplewiki`, \
         `enwiki` or `dewiki`, so check the name, or the mirror given by `--base-url`"
    )]
    UnknownWiki {
        /// The wiki asked for.
        wiki: String,
        /// Where it was looked for.
        url: String,
    },
    /// The server has the wiki, but no dump of that date.
    #[error(
        "{url} was not found: there is no dump of `{wiki}` of {date}, or it has no checksums yet; {}",
        try_dates(dates)
    )]
    NoSuchDate {
        /// The wiki asked for.
        wiki: String,
        /// The date asked for.
        date: String,
        /// The checksums that were looked for.
        url: String,
        /// Other dates, the newest first.
        dates: Vec<String>,
    },
    /// The dump is still being made.
    #[error(
        "{url}: the dump of `{wiki}` of {date} is not finished: {missing} is not there yet; {}",
        try_dates(dates)
    )]
    Unfinished {
        /// The wiki asked for.
        wiki: String,
        /// The date of the dump.
        date: String,
        /// Where that is to be seen.
        url: String,
        /// What is missing.
        missing: String,
        /// Other dates, the newest first.
        dates: Vec<String>,
    },
    /// The list of checksums is none, or one that is not to be trusted.
    #[error(
        "{url}: line {line} reads `{}`, expected a SHA-1 sum and a plain file name; the mirror may be \
         broken, try another one with `--base-url`",
        found.escape_debug()
    )]
    BadSums {
        /// The list.
        url: String,
        /// The line, counted from 1.
        line: usize,
        /// What it says, shortened.
        found: String,
    },
    /// The server will not give the file.
    #[error("{url}: the server answered {status}, expected 200; {}", refusal(*status))]
    Refused {
        /// The address.
        url: String,
        /// The status of the answer.
        status: u16,
    },
    /// The server wants to be left alone for longer than we are willing to wait.
    #[error(
        "{url}: the server answered {status} and asks to wait {seconds} s, more than the {most} s allowed; \
         run the same command again after {when}, it resumes"
    )]
    TooBusy {
        /// The address.
        url: String,
        /// The status of the answer.
        status: u16,
        /// How long it asks to wait.
        seconds: u64,
        /// How long we would have waited.
        most: u64,
        /// When to come back.
        when: String,
    },
    /// Try after try brought nothing.
    #[error(
        "{url}: {tries} tries in a row brought nothing, the last one because {last}; running the same \
         command again resumes"
    )]
    GaveUp {
        /// The address.
        url: String,
        /// How many tries there were.
        tries: u32,
        /// How the last one ended.
        last: String,
    },
    /// There is no way to the server, or the client refuses to go it.
    #[error(
        "{url}: no answer to be had ({cause}); check the network, a proxy in the environment, and \
         `--base-url`"
    )]
    Unreachable {
        /// The address.
        url: String,
        /// What the client said.
        cause: String,
    },
    /// What was downloaded is not what was published.
    #[error(
        "{}: what {url} sent has the SHA-1 {found}, expected {expected}, twice in a row; the part file was \
         deleted; try another mirror with `--base-url`, or later",
        file.display()
    )]
    WrongChecksum {
        /// The file that was to be made.
        file: PathBuf,
        /// Where it came from.
        url: String,
        /// The sum of what came.
        found: String,
        /// The sum published.
        expected: String,
    },
    /// Another file stands where the dump belongs.
    #[error(
        "{}: there already, but its SHA-1 is {found}, expected {expected}; move it away, or pass \
         `--overwrite` to replace it",
        file.display()
    )]
    WrongFile {
        /// The file.
        file: PathBuf,
        /// Its sum.
        found: String,
        /// The sum published.
        expected: String,
    },
    /// Something that is no file stands where one belongs.
    #[error(
        "{}: expected a file or nothing, found a folder or device; move it away or choose another `--out`",
        file.display()
    )]
    NotAFile {
        /// What is in the way.
        file: PathBuf,
    },
    /// Another process is at it.
    #[error(
        "{}: another process is downloading this file; wait for it, or choose another folder with `--out`",
        file.display()
    )]
    Busy {
        /// The part file, which is locked.
        file: PathBuf,
    },
    /// There is no room left.
    #[error(
        "{}: the disk is full ({cause}); make room and run the same command again, it resumes; or choose \
         another folder with `--out`",
        file.display()
    )]
    DiskFull {
        /// The file being written.
        file: PathBuf,
        /// What the system said.
        cause: io::Error,
    },
    /// The system would not let us write.
    #[error(
        "{}: cannot be written ({cause}); check the permissions, or choose another folder with `--out`",
        file.display()
    )]
    Unwritable {
        /// The file or folder.
        file: PathBuf,
        /// What the system said.
        cause: io::Error,
    },
    /// The system would not let us read.
    #[error("{}: cannot be read ({cause}); check the permissions and the disk", file.display())]
    Unreadable {
        /// The file.
        file: PathBuf,
        /// What the system said.
        cause: io::Error,
    },
}

impl FetchError {
    /// A failed write, told apart by what helps: room or permission.
    pub(super) fn writing(file: impl Into<PathBuf>, cause: io::Error) -> Self {
        let file = file.into();
        match cause.kind() {
            io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => FetchError::DiskFull { file, cause },
            _ => FetchError::Unwritable { file, cause },
        }
    }

    /// A failed read.
    pub(super) fn reading(file: impl Into<PathBuf>, cause: io::Error) -> Self {
        FetchError::Unreadable { file: file.into(), cause }
    }
}

/// Which other dates are worth a try.
fn try_dates(dates: &[String]) -> String {
    if dates.is_empty() {
        return "look at the folder of the wiki for other dates and pass one as `--date`".to_owned();
    }
    let dates: Vec<String> = dates.iter().map(|date| format!("`--date {date}`")).collect();
    format!("try {}", dates.join(" or "))
}

/// The way out of a refusal.
fn refusal(status: u16) -> &'static str {
    match status {
        401 | 403 | 407 => {
            "it does not want us: check `--contact`, a proxy in between, or try another mirror"
        }
        404 | 410 => "the file is gone: try another `--date`, or another mirror with `--base-url`",
        _ => "try another mirror with `--base-url`, or later",
    }
}
