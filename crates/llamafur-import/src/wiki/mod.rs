//! Imports a wiki from its XML dump: articles, links, categories, the category tree, redirects and wikitext. The SQL
//! dumps of its tables (`sql/`) and the dumps of its search index (`cirrus.rs`) are read as well, into the same
//! collector.
//!
//! 1. The files are read in units; the blocks of bzip2 files are decoded on all threads, whether a file is one
//!    stream or many ([`crate::bzip2`]).
//! 2. The bytes are cut into stretches of whole pages, and these are scanned on all threads: XML, then wikitext
//!    ([`llamafur::text::wikitext`]).
//! 3. Names are numbered in order of appearance, links become pairs of numbers, texts go to a temporary file.
//! 4. When all pages are known, redirects are followed, titles sorted, pairs translated and sorted, and the corpus
//!    is written.
//!
//! # What counts
//! Pages of namespace 0 that are no redirects are the corpus's pages. Links in the wikitext of a page count everywhere,
//! also in the arguments of templates; templates are not expanded, so links and categories that only a template creates
//! are missed. Hidden categories are left out by default; a category renamed by a redirect or a plain
//! `{{Category redirect|…}}` is replaced by its new name. If a page occurs in several parts, or has several revisions,
//! the newest revision counts.
//!
//! # Limits
//! Titles have at most 255 bytes, as in MediaWiki: a page with a longer one is skipped, and a link to one is dropped. A
//! page of more than 64 MiB of XML, or such a line of a search index, is skipped as well ([`WikiConf::longest_page`]).
//! Skipped pages are counted and reported. A row of an SQL dump has at most 4 MiB.
//!
//! # On several machines
//! `plan` cuts the files of a dump into splits, and a `Scanner` reads one of them (feature `arrow`). The records of all
//! splits together are those that [`import`] finds before names are resolved.

mod account;
mod assemble;
mod cirrus;
mod collect;
mod conf;
mod error;
mod extract;
mod feed;
mod header;
mod job;
mod resolve;
#[cfg(feature = "arrow")]
mod scan;
mod site;
mod sniff;
mod sql;
mod xml;

pub use account::{CategoryAccount, LinkAccount, PageAccount, RedirectAccount, WikiAccount};
pub use conf::{Damage, Hidden, Text, WikiConf};
pub use error::{Loss, LostUnit, WikiError};
#[cfg(feature = "arrow")]
pub use scan::{Scanned, Scanner, Split, SplitPlan, plan};

use collect::Collector;
use llamafur::corpus::{CorpusWriter, Manifest, Provenance};
use llamafur::progress::Progress;
use llamafur::text::wikitext::{Site, Titles};
use sniff::Kind;
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::OnceLock;

/// The result of an import.
#[derive(Debug, Clone)]
pub struct Imported {
    /// Counts and provenance of the corpus.
    pub manifest: Manifest,
    /// Counts of everything in the dump, used or left out.
    pub account: WikiAccount,
    /// Warnings for the user: parts that were lost, pages that could not be read.
    pub warnings: Vec<String>,
}

/// Reads the dump that `conf` names and writes the corpus `out`, completely or not at all.
///
/// ```
/// use llamafur::progress::Silent;
/// use llamafur_import::wiki::{WikiConf, import};
/// # let dir = tempfile::tempdir()?;
/// # let dir = dir.path();
///
/// let dump = "<mediawiki>
///     <page><title>Jupiter</title><ns>0</ns><revision><text>A [[planet]]. [[Category:Planets]]</text></revision></page>
///     <page><title>Planet</title><ns>0</ns><revision><text>Like [[Jupiter]].</text></revision></page>
/// </mediawiki>";
/// std::fs::write(dir.join("tiny.xml"), dump)?;
/// let imported = import(&WikiConf::new([dir.join("tiny.xml")]), &dir.join("tiny.corpus"), &mut Silent)?;
/// assert_eq!(imported.manifest.counts.links, 2);
/// assert_eq!(imported.account.pages.uncategorised, 1);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// Returns an error if a file cannot be read, is no dump or of another wiki, or is damaged (unless
/// [`Damage::KeepGoing`]), or if the corpus cannot be written. No partial output is left.
pub fn import(conf: &WikiConf, out: &Path, progress: &mut dyn Progress) -> Result<Imported, WikiError> {
    if conf.files.is_empty() {
        return Err(WikiError::NoInput);
    }
    feed::Feed::new(&conf.files)?;
    let kind = sniff::kind(&conf.files)?;
    // Tables have no text.
    let conf = &match kind {
        Kind::Sql => conf.clone().text(Text::LeaveOut),
        _ => conf.clone(),
    };
    let mut writer = CorpusWriter::create(out, conf.existing)?;
    writer.note_replaced(progress);
    let mut collector = Collector::new(conf, writer.scratch())?;
    let read = match kind {
        Kind::Xml => job::read(conf, &mut collector, progress)?,
        Kind::Sql => sql::read(conf, &mut collector, progress)?,
        Kind::Cirrus => cirrus::read(conf, &mut collector, progress)?,
    };
    if let Some(site) = read.site {
        writer.set_site(site);
    }
    let account = resolve::resolve(collector, conf, &mut writer, progress)?;
    let mut inputs = read.inputs;
    // The same files in another order make the same corpus.
    inputs.sort_by(|a, b| (&a.name, &a.checksum).cmp(&(&b.name, &b.checksum)));
    let manifest = writer.finish(Provenance {
        command: "import wiki".into(),
        inputs,
        options: options(conf),
        account: account.counts(),
    })?;
    let warnings = read.notes.into_iter().chain(warnings(conf, &account)).collect();
    Ok(Imported { manifest, account, warnings })
}

/// Counts the pages of a file of these bytes, read in pieces of `piece` bytes; for tests of the reader.
#[doc(hidden)]
pub fn count_pages(bytes: &[u8], piece: usize) -> usize {
    let mut assembler = assemble::Assembler::new(conf::LONGEST_PAGE);
    let mut of_site = None;
    let mut count = |parts: &mut Vec<assemble::DumpPart>| -> usize {
        let counts = parts.drain(..).map(|part| match part {
            assemble::DumpPart::Head(head) => {
                if let Ok(Some(site)) = header::read_site(&head) {
                    of_site = Some(Titles::new(&site));
                }
                0
            }
            assemble::DumpPart::Pages(pages) => {
                let titles = of_site.as_ref().unwrap_or_else(|| titles_of_any_wiki());
                let extract = extract::extract(&pages, titles, false);
                extract.namespaces.values().sum::<u64>() as usize + extract.bad as usize
            }
            assemble::DumpPart::LongPage(_) => 1,
            assemble::DumpPart::Gap(_) | assemble::DumpPart::Foreign(_) => 0,
        });
        counts.sum()
    };
    let (mut parts, mut pages) = (Vec::new(), 0);
    for (i, bytes) in bytes.chunks(piece.max(1)).enumerate() {
        assembler.push(bytes.to_vec(), i as u64, &mut parts);
        pages += count(&mut parts);
    }
    assembler.finish(bytes.len() as u64, &mut parts);
    pages + count(&mut parts)
}

/// Returns the titles of a wiki without site information, built once: that takes longer than to read a short dump.
fn titles_of_any_wiki() -> &'static Titles {
    static TITLES: OnceLock<Titles> = OnceLock::new();
    TITLES.get_or_init(|| Titles::new(&Site::default()))
}

/// Counts the tables and rows of an SQL file of these bytes, and returns whether it can be read to its end, in pieces
/// of `piece` bytes; for tests of the reader.
#[doc(hidden)]
pub fn count_rows(bytes: &[u8], piece: usize) -> (usize, u64, bool) {
    sql::count_rows(bytes, piece)
}

/// Counts the pages and bad lines of a search index dump of these bytes, read in pieces of `piece` bytes; for tests of
/// the reader.
#[doc(hidden)]
pub fn count_documents(bytes: &[u8], piece: usize) -> (u64, u64) {
    cirrus::count_documents(bytes, piece)
}

/// Returns the options that shape the corpus.
fn options(conf: &WikiConf) -> BTreeMap<String, String> {
    let mut options = BTreeMap::new();
    let mut set = |name: &str, is_set: bool| {
        if is_set {
            options.insert(name.to_owned(), "true".to_owned());
        }
    };
    set("keep-going", conf.damage == Damage::KeepGoing);
    set("keep-hidden", conf.hidden == Hidden::Keep);
    set("no-text", conf.text == Text::LeaveOut);
    options
}

/// Returns the warnings about a dump.
fn warnings(conf: &WikiConf, account: &WikiAccount) -> Vec<String> {
    let mut warnings: Vec<String> = account.losses.iter().map(|loss| format!("lost: {loss}")).collect();
    if account.pages.bad > 0 {
        let (bad, all) = (account.pages.bad, account.pages.bad + account.all_pages());
        warnings.push(format!("skipped {bad} of {all} pages ({})", account.bad_examples.join("; ")));
    }
    if account.links.kept == 0 {
        warnings.push("no article links to another: there is nothing to rank".into());
    }
    if account.categories.carried == 0 && conf.text == Text::LeaveOut {
        warnings.push("no page has a category: nothing can be learnt from links alone".into());
    }
    warnings
}
