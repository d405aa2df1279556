//! The text of a page that is not in the corpus: `--draft` and `--title`.

use crate::output::{counted, say};
use anyhow::{Result, bail};
use clap::Args;
use llamafur::Error;
use llamafur::engine::{Draft, DraftAccount};
use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

/// Options of a draft.
#[derive(Debug, Args)]
pub(super) struct DraftArgs {
    /// Rank the links of this text instead, as if the corpus had the page: wikitext, or, for a corpus of tables, plain text with
    /// [[links]]; - for stdin.
    #[arg(long, value_name = "FILE", conflicts_with = "page")]
    draft: Option<PathBuf>,
    /// With --draft: the page's title; that of a page of the corpus makes it a new version of that page [default: the
    /// file's name].
    #[arg(long, value_name = "TITLE", requires = "draft", conflicts_with = "page")]
    title: Option<String>,
}

/// Extensions of files that are no part of a title.
const ENDINGS: [&str; 7] = ["wiki", "wikitext", "mediawiki", "mw", "txt", "text", "md"];

/// Number of titles of a kind that are listed.
const SHOWN: usize = 8;

impl DraftArgs {
    /// Reads the draft, if there is one.
    pub(super) fn read(&self) -> Result<Option<Draft>> {
        let Some(path) = &self.draft else { return Ok(None) };
        let is_stdin = path.as_os_str() == "-";
        let title = match &self.title {
            Some(title) => title.clone(),
            None if is_stdin => bail!("a draft from stdin has no name; pass `--title`"),
            None => title_of(path),
        };
        let bytes = match is_stdin {
            true => first_bytes(io::stdin().lock()),
            false => File::open(path).and_then(first_bytes),
        };
        let bytes = bytes.map_err(|cause| Error::Io { path: path.clone(), cause })?;
        Ok(Some(Draft::new(title, &bytes)?))
    }
}

/// Reads all bytes, or one more than a draft may have.
fn first_bytes(input: impl Read) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    input.take(Draft::MOST_BYTES as u64 + 1).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// Derives a title from the name of a file.
fn title_of(path: &Path) -> String {
    let name = path.file_name().unwrap_or_default().to_string_lossy().replace('_', " ");
    let title = match name.rsplit_once('.') {
        Some((title, ending)) if ENDINGS.contains(&&ending.to_lowercase()[..]) => title,
        _ => &name,
    };
    title.to_owned()
}

/// Reports how a draft is ranked, and which of its parts the corpus lacks.
pub(super) fn say_account(title: &str, account: &DraftAccount) {
    match account.is_revision {
        true => say(&format!("ranking the draft as a new version of the page “{title}”")),
        false => say(&format!("ranking the draft as a new page, “{title}”")),
    }
    let lists = [
        (&account.unknown_links, "title", "leads to no page of the corpus", "lead to no page of the corpus"),
        (&account.repeated_links, "page", "is linked more than once", "are linked more than once"),
        (&account.unknown_categories, "category", "is not in the corpus", "are not in the corpus"),
    ];
    for (names, what, one, several) in lists {
        if !names.is_empty() {
            let is = if names.len() == 1 { one } else { several };
            say(&format!("note: {} {is}: {}", counted(names.len() as u64, what), some(names)));
        }
    }
    if account.categories.is_empty() {
        say("note: the draft has no category of the corpus: what needs one has no data");
    }
    let links = |num: usize| counted(num as u64, "link");
    if account.own_links > 0 {
        say(&format!("note: {} to the page itself left out", links(account.own_links)));
    }
    if account.other_links > 0 {
        let what = "to files, other namespaces or other wikis";
        say(&format!("note: {} {what} left out", links(account.other_links)));
    }
}

/// Lists the first of some names, in quotes.
fn some(names: &[String]) -> String {
    let mut shown: Vec<String> = names.iter().take(SHOWN).map(|name| format!("“{name}”")).collect();
    shown.extend((names.len() > SHOWN).then(|| "…".to_owned()));
    shown.join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_named_after_its_page() {
        for (name, title) in [
            ("drafts/Io_(moon).wiki", "Io (moon)"),
            ("Jupiter.TXT", "Jupiter"),
            ("St. Louis", "St. Louis"),
            ("Version 1.2", "Version 1.2"),
        ] {
            assert_eq!(title_of(Path::new(name)), title);
        }
    }
}
