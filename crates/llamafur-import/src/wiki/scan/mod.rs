//! Reads a dump in splits by independent workers, as on a cluster.
//!
//! [`plan`] examines the first bytes of every file and cuts the files into splits. A [`Scanner`] reads one split and
//! returns the records of its pages. A page belongs to the split in whose bytes its `<page>` begins; if it ends later,
//! the scanner continues after the split's end. So every page is read once, whatever the size of the splits.
//!
//! Plain files are cut anywhere. A bzip2 file is cut between its streams, of which a multistream dump has one for every
//! hundred pages; if a file is one stream, its first split has all of it. Files of gzip and zstd are one split each.

mod records;
mod streams;

use super::assemble::{Assembler, CUT_PAGE, DumpPart, END_OF_PAGE, Gap, INDEX, LongPage, PAGE};
use super::conf::{LONGEST_PAGE, Text};
use super::error::{Loss, LostUnit, WikiError};
use super::extract::{Extract, extract};
use super::feed::{Source, Unit};
use super::site::Wiki;
use crate::bzip2::{BlockDecoder, Joiner, Piece};
use crate::input::{InputError, Packing, Raw, name};
use arrow_array::RecordBatch;
use llamafur::text::wikitext::Site;
use memchr::memmem;
use serde::{Deserialize, Serialize};
use std::collections::VecDeque;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use streams::Streams;

/// A part of a file for one worker. It can be serialised to be sent to the worker.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Split {
    /// The file.
    pub file: PathBuf,
    /// The first byte of the split.
    pub start: u64,
    /// The byte after its last.
    pub end: u64,
    /// The bytes of the file.
    bytes: u64,
    packing: Packing,
    /// True if the file must end with a closing tag.
    has_root: bool,
}

/// The splits of a dump.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SplitPlan {
    /// The wiki.
    pub site: Site,
    /// The splits, file by file and in the order of their bytes.
    pub splits: Vec<Split>,
    /// Notes for the user.
    pub notes: Vec<String>,
}

/// Cuts the files of a dump, given with their sizes, into splits of about `split_bytes`. `open` opens a file at its
/// beginning; only the bytes before the first page are read.
///
/// ```
/// use llamafur_import::wiki::{Scanner, Text, plan};
///
/// let dump = b"<mediawiki><page><title>Jupiter</title><ns>0</ns><revision><text>A [[planet]].</text></revision></page>
///     <page><title>Planet</title><ns>0</ns><revision><text>Like [[Jupiter]].</text></revision></page></mediawiki>";
/// let files = [("tiny.xml".into(), dump.len() as u64)];
/// let plan = plan(&files, 60, |_| Ok(&dump[..]))?;
/// let mut pages = 0;
/// for split in &plan.splits {
///     // Each worker opens the file at the split's start.
///     for scanned in Scanner::new(split, &plan.site, Text::LeaveOut, &dump[split.start as usize..])? {
///         pages += scanned?.pages;
///     }
/// }
/// assert_eq!(pages, 2);
/// # Ok::<(), llamafur_import::wiki::WikiError>(())
/// ```
///
/// # Errors
/// Returns an error if there is no file, one is given twice or cannot be read, or one is no dump or of another wiki
/// than the first.
pub fn plan<R: Read + Send + 'static>(
    files: &[(PathBuf, u64)],
    split_bytes: u64,
    mut open: impl FnMut(&Path) -> io::Result<R>,
) -> Result<SplitPlan, WikiError> {
    if files.is_empty() {
        return Err(WikiError::NoInput);
    }
    let (mut wiki, mut splits, mut notes) = (Wiki::default(), Vec::new(), Vec::new());
    for (i, (file, bytes)) in files.iter().enumerate() {
        if files[..i].iter().any(|(before, _)| before == file) {
            return Err(WikiError::Twice { file: file.clone() });
        }
        let raw = Raw::new(file, open(file).map_err(InputError::unreadable(file))?)?;
        let whole = Split { packing: raw.packing, ..Split::whole(file, *bytes) };
        match head(raw, *bytes)? {
            DumpPart::Head(head) => {
                wiki.head(&head, file)?;
                wiki.titles(file);
                let whole = Split { has_root: head.contains("<mediawiki"), ..whole };
                splits.extend(whole.cut(split_bytes));
            }
            DumpPart::Foreign(INDEX) => notes.push(format!("{}: {INDEX} is not needed", name(file))),
            DumpPart::Foreign(found) => return Err(WikiError::Foreign { file: file.clone(), found }),
            DumpPart::Gap(gap) => return Err(damaged(file, gap, None)),
            // No page comes before the head.
            DumpPart::Pages(_) | DumpPart::LongPage(_) => {}
        }
    }
    let (site, note) = wiki.finish();
    notes.extend(note);
    Ok(SplitPlan { site, splits, notes })
}

/// Returns the first part of a file: its head, unless it is damaged or no dump.
fn head(raw: Raw, bytes: u64) -> Result<DumpPart, WikiError> {
    let (mut assembler, mut parts) = (Assembler::new(LONGEST_PAGE), Vec::new());
    let mut unpacked = Unpacked::new(Source::new(raw)?);
    while parts.is_empty() {
        match unpacked.next()? {
            Some(Piece::Data { bytes, at }) => assembler.push(bytes, at, &mut parts),
            Some(Piece::Gap { from, to, why }) => assembler.lose(Gap { from, to, why }, &mut parts),
            None => {
                assembler.finish(bytes, &mut parts);
                break;
            }
        }
    }
    // A file that has only an end is a dump without pages.
    Ok(parts.into_iter().next().unwrap_or(DumpPart::Head(String::new())))
}

fn damaged(file: &Path, gap: Gap, last_good: Option<String>) -> WikiError {
    let Gap { from, to, why } = gap;
    let (file, unit) = (name(file), LostUnit::Page);
    WikiError::DamagedSplit(Box::new(Loss { file, unit, from, to, why, last_good, next_good: None }))
}

impl Split {
    /// Creates a split of a whole file.
    fn whole(file: &Path, bytes: u64) -> Split {
        Split { file: file.into(), start: 0, end: bytes, bytes, packing: Packing::None, has_root: false }
    }

    /// Returns the parts of a whole file.
    fn cut(self, bytes: u64) -> impl Iterator<Item = Split> {
        let step = match self.packing {
            Packing::None | Packing::Bzip2 => bytes.max(1),
            Packing::Gzip | Packing::Zstd => u64::MAX,
        };
        let count = self.bytes.div_ceil(step).max(1);
        (0..count).map(move |i| Split {
            start: i * step,
            end: (i + 1).saturating_mul(step).min(self.bytes),
            ..self.clone()
        })
    }

    fn is_cut_off(&self) -> bool {
        matches!(self.packing, Packing::None | Packing::Bzip2)
    }
}

/// The pages of a stretch of a split.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Scanned {
    /// Articles, redirects between articles, and categories, a row each, in the order of the dump. Columns:
    ///
    /// - `kind`: `article`, `redirect`, `category` or `category redirect`;
    /// - `hidden`: whether a category is hidden;
    /// - `name`: the title, or the category's name;
    /// - `revision`: the number of the revision;
    /// - `articles`: the titles that an article links to, each once; the target of a redirect, empty if it is no
    ///   article;
    /// - `categories`: those of an article; the parents of a category; the target of a category redirect;
    /// - `text`: the wikitext of an article, empty if it is left out; null for others.
    pub records: RecordBatch,
    /// All pages that could be read, of all namespaces.
    pub pages: u64,
    /// Pages that could not be read.
    pub bad: u64,
    /// The first few bad pages.
    pub bad_examples: Vec<String>,
}

/// A reader of a split: an iterator over stretches of some hundred pages each. It runs on the calling thread.
///
/// Damage and a missing end of the file are errors that name the file and the bytes.
pub struct Scanner {
    split: Split,
    wiki: Wiki,
    text: Text,
    /// Reader state of the split; `None` if no stream begins in it, or at its end.
    open: Option<Open>,
    parts: VecDeque<DumpPart>,
    last_title: Option<String>,
}

/// An open split.
struct Open {
    streams: Streams,
    unpacked: Unpacked,
    assembler: Assembler,
    /// Largest length of a page.
    longest: usize,
    /// Offset in the file that the positions in `unpacked` are relative to.
    base: u64,
}

impl Scanner {
    /// Creates a scanner of a split of a dump of `site`; the reader is at the split's start and can be read to the
    /// file's end.
    pub fn new(
        split: &Split,
        site: &Site,
        text: Text,
        reader: impl Read + Send + 'static,
    ) -> Result<Scanner, WikiError> {
        Scanner::with_pages_of(LONGEST_PAGE, split, site, text, reader)
    }

    /// Creates a scanner that skips pages of more than `longest` bytes.
    fn with_pages_of(
        longest: usize,
        split: &Split,
        site: &Site,
        text: Text,
        reader: impl Read + Send + 'static,
    ) -> Result<Scanner, WikiError> {
        let streams = Streams::of(split, reader).map_err(InputError::unreadable(&split.file))?;
        let open = streams.map(|streams| {
            let raw = Raw::within(&split.file, streams.clone(), split.packing);
            let assembler = match split.start {
                0 => Assembler::new(longest),
                _ => Assembler::within(longest, split.has_root),
            };
            let base = streams.position();
            let unpacked = Unpacked::new(Source::new(raw)?);
            Ok::<_, WikiError>(Open { unpacked, streams, assembler, longest, base })
        });
        Ok(Scanner {
            split: split.clone(),
            wiki: Wiki::known(site.clone(), &split.file),
            text,
            open: open.transpose()?,
            parts: VecDeque::new(),
            last_title: None,
        })
    }

    fn step(&mut self) -> Result<Option<Scanned>, WikiError> {
        loop {
            if let Some(part) = self.parts.pop_front() {
                match self.part(part)? {
                    Some(scanned) => return Ok(Some(scanned)),
                    None => continue,
                }
            }
            let Some(open) = &mut self.open else { return Ok(None) };
            let mut parts = Vec::new();
            match open.unpacked.next()? {
                Some(Piece::Data { bytes, at }) => open.assembler.push(bytes, open.base + at, &mut parts),
                Some(Piece::Gap { from, to, why }) => {
                    let gap = Gap { from: open.base + from, to: open.base + to, why };
                    open.assembler.lose(gap, &mut parts);
                }
                None => {
                    if let Some(open) = self.open.take() {
                        open.finish(&self.split, &mut parts)?;
                    }
                }
            }
            self.parts.extend(parts);
        }
    }

    fn part(&mut self, part: DumpPart) -> Result<Option<Scanned>, WikiError> {
        let file = &self.split.file;
        match part {
            DumpPart::Head(head) => self.wiki.head(&head, file).map(|()| None),
            DumpPart::Foreign(found) => Err(WikiError::Foreign { file: file.clone(), found }),
            DumpPart::Gap(gap) => Err(damaged(file, gap, self.last_title.take())),
            DumpPart::LongPage(page) => {
                let mut extract = Extract::default();
                extract.reject(|| page.to_string());
                Ok(Some(scanned(extract, &self.split, 0)?))
            }
            DumpPart::Pages(xml) => {
                let extract = extract(&xml, &self.wiki.titles(file), self.text == Text::Keep);
                extract.heads.iter().try_for_each(|head| self.wiki.head(head, file))?;
                if let Some(last) = &extract.last_title {
                    self.last_title = Some(last.clone());
                }
                Ok(Some(scanned(extract, &self.split, xml.len())?))
            }
        }
    }
}

/// Converts the extract of a stretch of `bytes` bytes.
fn scanned(extract: Extract, split: &Split, bytes: usize) -> Result<Scanned, WikiError> {
    let records = records::batch(&extract).map_err(|error| {
        let why = format!("a stretch of {bytes} bytes: {error}");
        damaged(&split.file, Gap { from: split.start, to: split.end, why }, None)
    })?;
    Ok(Scanned {
        records,
        pages: extract.namespaces.values().sum(),
        bad: extract.bad,
        bad_examples: extract.bad_examples,
    })
}

impl Iterator for Scanner {
    type Item = Result<Scanned, WikiError>;

    fn next(&mut self) -> Option<Result<Scanned, WikiError>> {
        let next = self.step().transpose();
        if matches!(next, Some(Err(_))) {
            self.open = None;
            self.parts.clear();
        }
        next
    }
}

impl Open {
    /// Ends the split, including the page that begins in it and ends after it.
    fn finish(self, split: &Split, parts: &mut Vec<DumpPart>) -> Result<(), WikiError> {
        if !split.is_cut_off() || !self.streams.has_more() {
            self.assembler.finish(split.bytes, parts);
            return Ok(());
        }
        let longest = self.longest;
        let (mut page, page_at) = self.assembler.cut(parts);
        let owned = page.len();
        let begins = |page: &[u8]| memmem::find(page, PAGE).filter(|&at| at < owned);
        let may_begin = |page: &[u8]| (1..PAGE.len()).any(|length| page.ends_with(&PAGE[..length]));
        if begins(&page).is_none() && !may_begin(&page) {
            return Ok(());
        }
        let base = self.streams.position();
        self.streams.go_on();
        let raw = Raw::within(&split.file, self.streams, split.packing);
        let mut unpacked = Unpacked::new(Source::new(raw)?);
        let mut searched = 0;
        loop {
            let begin = begins(&page);
            if begin.is_none() && page.len() >= owned + PAGE.len() {
                return Ok(());
            }
            if let Some(begin) = begin {
                let from = begin.max(searched);
                let end = memmem::find(&page[from..], END_OF_PAGE).map(|end| from + end + END_OF_PAGE.len());
                let length = end.unwrap_or(page.len()) - begin;
                if length > longest {
                    parts.push(DumpPart::LongPage(LongPage::new(page_at, &page[begin..], longest)));
                    return Ok(());
                }
                if let Some(end) = end {
                    page.truncate(end);
                    page.drain(..begin);
                    parts.push(DumpPart::Pages(page));
                    return Ok(());
                }
                searched = page.len().saturating_sub(END_OF_PAGE.len());
            }
            match unpacked.next()? {
                Some(Piece::Data { bytes, .. }) => page.extend(bytes),
                Some(Piece::Gap { from, to, why }) => {
                    parts.push(DumpPart::Gap(Gap { from: base + from, to: base + to, why }));
                    return Ok(());
                }
                None => {
                    let gap = Gap { from: base, to: split.bytes, why: CUT_PAGE.into() };
                    parts.extend(begin.map(|_| DumpPart::Gap(gap)));
                    return Ok(());
                }
            }
        }
    }
}

/// The text of a file from some place on, decoded on this thread.
struct Unpacked {
    source: Source,
    decoder: Option<BlockDecoder>,
    /// Joins the blocks of a bzip2 file.
    joiner: Option<Joiner>,
}

impl Unpacked {
    fn new(source: Source) -> Unpacked {
        Unpacked { source, decoder: None, joiner: None }
    }

    /// Returns the next bytes, or a gap; `None` at the end.
    fn next(&mut self) -> Result<Option<Piece>, WikiError> {
        loop {
            if let Some(piece) = self.joiner.as_mut().and_then(Joiner::next_piece) {
                return Ok(Some(piece));
            }
            match self.source.next()? {
                Some(Unit::Block(candidate)) => {
                    let decoded = candidate.decode(self.decoder.get_or_insert_default());
                    self.joiner.get_or_insert_default().add(candidate, decoded);
                }
                Some(Unit::Bytes(bytes, at)) => return Ok(Some(Piece::Data { bytes, at })),
                Some(Unit::Gap(Gap { from, to, why })) => return Ok(Some(Piece::Gap { from, to, why })),
                Some(Unit::Open(_) | Unit::Close(_)) => {}
                None => match &mut self.joiner {
                    Some(joiner) if !joiner.has_ended() => joiner.end(),
                    _ => return Ok(None),
                },
            }
        }
    }
}

#[cfg(test)]
mod tests;
