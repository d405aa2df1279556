//! Imports a wiki from the CirrusSearch dump of its search index: articles, links, categories, redirects and plain
//! text.
//!
//! A dump consists of lines of JSON, two for each page, in the format of Elasticsearch's bulk API: the action
//! (`{"index":{"_id":"12"}}`) and the document. These fields of a document are read:
//!
//! | field | |
//! |---|---|
//! | `title`, `namespace` | the page; articles and categories are taken |
//! | `outgoing_link` | titles with underscores, with the names of their namespaces: links to articles are taken |
//! | `category` | names without the name of the namespace |
//! | `redirect` | titles that lead to the page, each with its namespace |
//! | `text` | the text to read, without markup |
//! | `version`, `wiki`, `language` | the revision; the wiki |
//!
//! A line may also hold the document under `_source`, with or without the other line. Links are those of MediaWiki,
//! templates expanded. Hidden categories are not marked, and categories are in other files than articles: without
//! those, which are called `general`, there is no category tree.

use super::collect::Collector;
use super::conf::{Text, WikiConf};
use super::error::{Loss, LostUnit, WikiError};
use super::extract::{Extract, PageKind, Record, expect_short};
use super::job::ReadDump;
use crate::gather::names::Names;
use crate::input::{self, Input, InputError, name};
use llamafur::corpus::Input as Provenance;
use llamafur::progress::{Progress, Task};
use llamafur::text::wikitext::{ARTICLES, CATEGORIES, Site, Target, Titles};
use memchr::{memchr, memrchr};
use rayon::prelude::*;
use serde::Deserialize;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

/// Number of bytes of lines parsed at a time.
const BLOCK: usize = 16 << 20;
/// Number of lines that a thread parses at a time.
const LINES: usize = 32;

/// The fields read of a document.
#[derive(Default, Deserialize)]
#[serde(default)]
struct Document {
    title: Option<String>,
    namespace: Option<i32>,
    outgoing_link: Option<Vec<String>>,
    category: Option<Vec<String>>,
    redirect: Option<Vec<Redirect>>,
    text: Option<String>,
    version: Option<u64>,
    wiki: Option<String>,
    language: Option<String>,
    #[serde(rename = "_source")]
    source: Option<Box<Document>>,
    index: Option<serde::de::IgnoredAny>,
}

#[derive(Deserialize)]
struct Redirect {
    #[serde(default)]
    namespace: i32,
    title: String,
}

/// The wiki of the documents.
struct Wiki {
    file: PathBuf,
    name: String,
    titles: Titles,
}

/// Reads all files into the collector.
pub(super) fn read(
    conf: &WikiConf,
    collector: &mut Collector,
    progress: &mut dyn Progress,
) -> Result<ReadDump, WikiError> {
    progress.start_bytes(Task::ReadDump, conf.files.iter().map(|file| input::size(file)).sum());
    let mut wiki: Option<Wiki> = None;
    let mut inputs = Vec::new();
    for path in &conf.files {
        let mut lines = Lines::new(input::open(path)?, conf.longest_page);
        let (mut shown, mut is_first) = (0, true);
        let mut block = lines.next_block();
        loop {
            let bytes = match block {
                Ok(bytes) if bytes.is_empty() => break,
                Ok(bytes) => bytes,
                Err(error) => {
                    lose(collector, path, &lines.reader, error)?;
                    break;
                }
            };
            if is_first {
                expect_documents(&bytes, path)?;
                expect_same(&mut wiki, first_document(&bytes), path)?;
                is_first = false;
            }
            let titles = wiki.as_ref().map(|wiki| &wiki.titles);
            let english = titles.is_none().then(|| Titles::new(&Site::default()));
            let parse =
                || titles.or(english.as_ref()).map_or_else(Vec::new, |titles| parse(&bytes, titles, conf));
            let (next, extracts) = rayon::join(|| lines.next_block(), parse);
            extracts.into_iter().try_for_each(|extract| collector.take(extract))?;
            if let Some(long) = lines.take_long() {
                collector.take(long)?;
            }
            block = next;
            progress.advance(lines.reader.position() - shown);
            shown = lines.reader.position();
        }
        lines.take_long().map_or(Ok(()), |long| collector.take(long))?;
        let (bytes, checksum) = lines.reader.finish().map_err(InputError::unreadable(path))?;
        progress.advance(bytes - shown);
        inputs.push(Provenance { role: "search index".into(), name: name(path), bytes, checksum });
    }
    progress.finish();
    // Without a site, texts are plain.
    Ok(ReadDump { site: None, inputs, notes: Vec::new() })
}

/// Records that the rest of a file cannot be read.
fn lose(collector: &mut Collector, path: &Path, input: &Input, error: io::Error) -> Result<(), WikiError> {
    if !input.is_damaged() && error.kind() != io::ErrorKind::InvalidData {
        return Err(InputError::unreadable(path)(error).into());
    }
    let why = match error.kind() {
        io::ErrorKind::UnexpectedEof => "the compressed data ends early".to_owned(),
        _ => error.to_string(),
    };
    let (from, file) = (input.unpacked(), name(path));
    let to = input.size().unwrap_or(from).max(from);
    collector.lose(Loss { file, from, to, why, unit: LostUnit::Page, last_good: None, next_good: None })
}

/// Rejects a file of other JSON.
fn expect_documents(lines: &[u8], path: &Path) -> Result<(), WikiError> {
    let is_one = |line: &[u8]| matches!(document(line), Ok(Some(_)));
    match lines.split(|&byte| byte == b'\n').take(LINES).any(is_one) {
        true => Ok(()),
        false => Err(WikiError::Foreign { file: path.into(), found: "a JSON file" }),
    }
}

/// Returns the wiki's name and language from the first document with a name.
fn first_document(lines: &[u8]) -> Option<(String, String)> {
    lines.split(|&byte| byte == b'\n').take(LINES).find_map(|line| {
        let document = document(line).ok()??;
        Some((document.wiki?, document.language.unwrap_or_default()))
    })
}

/// Sets the wiki from the first file, and rejects files of others.
fn expect_same(
    wiki: &mut Option<Wiki>,
    found: Option<(String, String)>,
    path: &Path,
) -> Result<(), WikiError> {
    let Some((found, language)) = found else { return Ok(()) };
    match wiki {
        Some(wiki) if wiki.name != found => Err(WikiError::OtherWiki {
            file: path.into(),
            found,
            first: wiki.file.clone(),
            expected: wiki.name.clone(),
        }),
        Some(_) => Ok(()),
        None => {
            let site = Site { database: found.clone(), ..Site::default() };
            let site = if language.is_empty() { site } else { Site { language, ..site } };
            *wiki = Some(Wiki { file: path.into(), name: found, titles: Titles::new(&site) });
            Ok(())
        }
    }
}

/// A reader of blocks of whole lines.
struct Lines<R> {
    reader: R,
    /// Length above which lines are skipped.
    longest: usize,
    /// True if the rest of such a line comes next.
    is_skipping: bool,
    /// The beginnings of the skipped lines.
    long: Vec<String>,
    /// The beginning of a line.
    held: Vec<u8>,
    /// Error that occurred after the lines last returned.
    failed: Option<io::Error>,
}

impl<R: Read> Lines<R> {
    fn new(reader: R, longest: usize) -> Lines<R> {
        Lines { reader, longest, is_skipping: false, long: Vec::new(), held: Vec::new(), failed: None }
    }

    /// Returns the lines skipped since the last call, counted as bad pages.
    fn take_long(&mut self) -> Option<Extract> {
        let mut extract = Extract::default();
        let limit = self.longest;
        self.long.drain(..).for_each(|start| extract.reject(|| too_long(&start, limit)));
        (extract.bad > 0).then_some(extract)
    }

    /// Returns the next lines; an empty vector at the end of the file.
    fn next_block(&mut self) -> io::Result<Vec<u8>> {
        if let Some(error) = self.failed.take() {
            return Err(error);
        }
        let mut block = std::mem::take(&mut self.held);
        loop {
            let mut searched = block.len();
            match self.reader.by_ref().take(BLOCK as u64).read_to_end(&mut block) {
                Ok(0) => return Ok(block),
                Ok(_) => {}
                // The whole lines before it are good.
                Err(error) => match memrchr(b'\n', &block) {
                    Some(last) => {
                        block.truncate(last + 1);
                        self.failed = Some(error);
                        return Ok(block);
                    }
                    None => return Err(error),
                },
            }
            if self.is_skipping {
                match memchr(b'\n', &block) {
                    Some(end) => {
                        block.drain(..=end);
                        (self.is_skipping, searched) = (false, 0);
                    }
                    None => {
                        block.clear();
                        continue;
                    }
                }
            }
            if let Some(last) = memrchr(b'\n', &block[searched..]) {
                self.held = block.split_off(searched + last + 1);
                return Ok(block);
            }
            if block.len() > self.longest {
                self.long.push(start_of(&block));
                block.clear();
                self.is_skipping = true;
            }
        }
    }
}

/// Returns the beginning of a line, to show.
fn start_of(line: &[u8]) -> String {
    String::from_utf8_lossy(&line[..line.len().min(160)]).chars().take(40).collect()
}

/// Explains why the line with this beginning is skipped.
fn too_long(start: &str, limit: usize) -> String {
    format!("{start:?}: a line longer than {}", input::in_words(limit))
}

/// Parses the lines on all threads and returns the results in order.
fn parse(block: &[u8], titles: &Titles, conf: &WikiConf) -> Vec<Extract> {
    let mut lines = Vec::new();
    let mut rest = block;
    while !rest.is_empty() {
        let end = memchr(b'\n', rest).map_or(rest.len(), |at| at + 1);
        lines.push(&rest[..end]);
        rest = &rest[end..];
    }
    let worker = || Worker::new(titles, conf.longest_page, conf.text == Text::Keep);
    lines.par_chunks(LINES).map(|lines| worker().read(lines)).collect()
}

/// Parses the document in a line; returns `None` if there is none.
///
/// # Errors
/// Returns the JSON parser's error message.
fn document(line: &[u8]) -> Result<Option<Document>, String> {
    let line = line.trim_ascii();
    if line.is_empty() {
        return Ok(None);
    }
    let document: Document = match serde_json::from_slice(line) {
        Ok(document) => document,
        // A byte that is not UTF-8 should not cost the page.
        Err(_) if std::str::from_utf8(line).is_err() => {
            serde_json::from_str(&String::from_utf8_lossy(line)).map_err(|error| error.to_string())?
        }
        Err(error) => return Err(error.to_string()),
    };
    let document = document.source.map(|inner| *inner).unwrap_or(Document { source: None, ..document });
    match document.title {
        None if document.index.is_some() => Ok(None),
        None => Err("a document without a title".into()),
        Some(_) => Ok(Some(document)),
    }
}

/// A worker that extracts from documents the data that the corpus needs.
struct Worker<'a> {
    titles: &'a Titles,
    longest: usize,
    keep_text: bool,
    out: Extract,
    buffer: String,
    /// The articles that the page has linked to so far.
    linked: Names,
}

impl Worker<'_> {
    fn new(titles: &Titles, longest: usize, keep_text: bool) -> Worker<'_> {
        let (out, buffer, linked) = Default::default();
        Worker { titles, longest, keep_text, out, buffer, linked }
    }

    fn read(mut self, lines: &[&[u8]]) -> Extract {
        for line in lines {
            if line.len() > self.longest {
                self.out.reject(|| too_long(&start_of(line), self.longest));
                continue;
            }
            let read = document(line).and_then(|document| document.map_or(Ok(()), |page| self.page(page)));
            if let Err(why) = read {
                self.out.reject(|| format!("{:?}: {why}", start_of(line)));
            }
        }
        self.out
    }

    fn page(&mut self, document: Document) -> Result<(), String> {
        let title = document.title.unwrap_or_default();
        let namespace = document.namespace.unwrap_or_else(|| self.titles.page(&title).0);
        let name = own_name(&title, namespace);
        expect_short(&name)?;
        *self.out.namespaces.entry(namespace).or_default() += 1;
        // What only leads to a page has revision 0, so that a page of the same title counts more.
        let revision = document.version.unwrap_or(0).saturating_add(1);
        let first = self.start();
        match namespace {
            ARTICLES => {
                self.out.articles.push(&name);
                self.links(&document.outgoing_link.unwrap_or_default());
                self.categories(&document.category.unwrap_or_default());
                if let Some(text) = document.text.filter(|_| self.keep_text) {
                    self.out.text.push_str(&text);
                }
                self.record(PageKind::Article, revision, first);
            }
            CATEGORIES => {
                self.out.categories.push(&name);
                self.categories(&document.category.unwrap_or_default());
                self.record(PageKind::Category { hidden: false }, revision, first);
            }
            _ => {}
        }
        for redirect in document.redirect.unwrap_or_default() {
            self.redirect(&redirect, namespace, &name);
        }
        self.out.first_title.get_or_insert_with(|| title.clone());
        self.out.last_title = Some(title);
        Ok(())
    }

    fn redirect(&mut self, redirect: &Redirect, namespace: i32, to: &str) {
        *self.out.namespaces.entry(redirect.namespace).or_default() += 1;
        if redirect.namespace != namespace {
            return;
        }
        let (first, from) = (self.start(), own_name(&redirect.title, namespace));
        let (names, kind) = match namespace {
            ARTICLES => (&mut self.out.articles, PageKind::Redirect),
            CATEGORIES => (&mut self.out.categories, PageKind::CategoryRedirect),
            _ => return,
        };
        if expect_short(&from).is_err() {
            return;
        }
        names.push(&from);
        names.push(to);
        self.record(kind, 0, first);
    }

    fn links(&mut self, links: &[String]) {
        self.linked.clear();
        let counts = &mut self.out.links;
        for link in links {
            match self.titles.parse(link, &mut self.buffer) {
                Target::Page { namespace: ARTICLES, name, .. } => match self.linked.insert(name) {
                    true => self.out.articles.push(name),
                    false => counts.repeated += 1,
                },
                Target::Page { .. } => counts.elsewhere += 1,
                Target::Section => counts.sections += 1,
                Target::Interwiki => counts.interwiki += 1,
                Target::Invalid => counts.invalid += 1,
            }
        }
    }

    fn categories(&mut self, categories: &[String]) {
        for name in categories.iter().map(|name| spaced(name)) {
            match expect_short(&name) {
                Ok(()) => self.out.categories.push(&name),
                Err(_) => self.out.links.invalid += 1,
            }
        }
    }

    fn start(&self) -> (usize, usize, usize) {
        (self.out.articles.len(), self.out.categories.len(), self.out.text.len())
    }

    fn record(&mut self, kind: PageKind, revision: u64, (articles, categories, text): (usize, usize, usize)) {
        let out = &mut self.out;
        out.records.push(Record {
            kind,
            revision,
            articles: articles..out.articles.len(),
            categories: categories..out.categories.len(),
            text: text..out.text.len(),
        });
    }
}

/// Returns the title of an article, or the name of another page without its namespace.
fn own_name(title: &str, namespace: i32) -> String {
    let name = match namespace {
        ARTICLES => title,
        _ => title.split_once(':').map_or(title, |(_, name)| name),
    };
    spaced(name)
}

fn spaced(name: &str) -> String {
    Titles::composed(&name.replace('_', " ")).into_owned()
}

/// Returns whether these first bytes are those of such a dump.
pub(super) fn is_cirrus(start: &[u8]) -> bool {
    start.trim_ascii_start().starts_with(b"{")
}

/// Counts the pages and bad lines of a file of these bytes, read in pieces of `piece` bytes; for tests of the reader.
pub(super) fn count_documents(bytes: &[u8], piece: usize) -> (u64, u64) {
    let conf = WikiConf::new([""; 0]);
    let mut lines = Lines::new(super::sql::Pieces(bytes, piece), conf.longest_page);
    let titles = super::titles_of_any_wiki();
    let (mut pages, mut bad) = (0, 0);
    while let Ok(block) = lines.next_block()
        && !block.is_empty()
    {
        for extract in parse(&block, titles, &conf) {
            pages += extract.namespaces.values().sum::<u64>();
            bad += extract.bad;
        }
    }
    (pages, bad)
}
