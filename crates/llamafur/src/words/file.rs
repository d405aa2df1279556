//! Bags of words on disk: `words.arrow` in the corpus's folder.
//!
//! An Arrow file of record batches with one row each, whose columns are lists. The first batch has the dictionary, each
//! further one the bags of 8,192 pages, in their order: the file is written in the memory of one batch and read where it
//! lies.
//!
//! | column | one value for each | |
//! |---|---|---|
//! | `term` | term | the terms in bytewise order, each once |
//! | `documents` | term | pages it occurs in |
//! | `terms` | page | the places of its terms in the dictionary, ascending |
//! | `counts` | page | the number of occurrences of each of them there |
//! | `telling` | page | the places of its most telling terms, ascending |
//! | `telling_lead` | page | the places of the most telling terms of its first 200 words, ascending |
//! | `spelling` | term | the shortest word that the term was made of |
//! | `rarity` | term | ln(n/df), with df the pages it occurs in and n those that have any term |
//! | `norm` | page | the sum of its terms' squared weights (1 + ln c)·ln(n/df), with c how often a term occurs there |
//!
//! The footer's metadata has one entry, `llamafur`: the [`Settings`] as JSON with the sums of the blocks of all that
//! is before, and a checksum of itself. Same texts and settings, same bytes.

use super::make::{FOLDER, make};
use super::of_text::TextWords;
use super::settings::Settings;
use super::telling::TextPart;
use super::weights::{of_count, rarity};
use super::{Bag, WordsConf};
use crate::corpus::Corpus;
use crate::error::{Artifact, Error, Missing};
use crate::graph::{PageId, TermId};
use crate::parts::PartsFolder;
use crate::progress::{Note, Progress, Silent};
use crate::storage::arrow_file::ArrowFile;
use crate::storage::columns::{Ids, Lists, Strings, Table};
use crate::storage::kept::lock;
use crate::storage::list_batches::Batches;
use crate::storage::mmap::Mapped;
use crate::storage::signed::{Format, checksum_of};
use crate::storage::{CheckedMap, mmap};
use serde::{Deserialize, Serialize};
use std::ops::Range;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};

/// The version of the format that this program writes and reads; it also changes when texts are cut differently.
pub(super) const WORDS_VERSION: u32 = 3;

pub(super) const FORMAT: Format = Format {
    name: "llamafur words",
    version: WORDS_VERSION,
    of: Artifact::Words,
    what: "the settings of bags of words",
};
/// The bytes up to which a file of words is checked as a whole when it is opened; of a larger one what is read.
const CHECKED_WHOLE: u64 = 1 << 20;
pub(crate) const FILE: &str = "words.arrow";

/// The places of the record batches.
#[derive(Serialize, Deserialize)]
pub(super) struct Places {
    pub(super) batches_at: Vec<u64>,
}

/// A bag of words for each page of a corpus, opened. Terms are numbered in bytewise order.
#[derive(Debug, Clone)]
pub struct Words {
    settings: Settings,
    map: Arc<CheckedMap>,
    terms: Strings,
    spellings: Strings,
    documents: Ids<u32>,
    rarity: Ids<f64>,
    /// The rarities of all terms in memory, made once so many were read that it is worth it.
    all_rarity: Arc<OnceLock<Vec<f64>>>,
    rarities_asked: Arc<AtomicUsize>,
    bags: Arc<Batches<Bags>>,
    /// A page whose words differ from those in the file.
    pub(super) overlay: Option<Arc<(PageId, TextWords)>>,
}

/// The bags of one batch.
#[derive(Debug)]
struct Bags {
    terms: Lists<TermId>,
    counts: Lists<u16>,
    telling: [Lists<TermId>; 2],
    norms: Ids<f64>,
    /// A bit for each page, set once its terms were found to be in the dictionary and to have a count each.
    checked: Vec<AtomicU64>,
}

impl Bags {
    /// Returns the bag of a row, whose terms are at `place`; `None` where the counts are elsewhere.
    fn bag_at(&self, row: usize, place: Range<usize>) -> Result<Option<Bag<'_>>, Error> {
        let (word, bit) = (&self.checked[row / 64], 1 << (row % 64));
        if word.load(Ordering::Relaxed) & bit == 0 {
            self.terms.get(row)?;
            if self.counts.place(row)? != place {
                return Ok(None);
            }
            word.fetch_or(bit, Ordering::Relaxed);
        }
        Ok(Some(Bag::new(self.terms.values(place.clone())?, self.counts.values(place)?)))
    }
}

impl Words {
    /// Returns the path of the words of a corpus.
    pub fn path(corpus: &Corpus) -> PathBuf {
        corpus.path().join(FILE)
    }

    /// Opens the words of a corpus if they were made with these settings and are whole; else makes them and keeps them,
    /// unless the folder cannot be written, which is noted.
    ///
    /// # Errors
    /// If a setting is out of range, the corpus has no texts, or a file of the corpus is damaged.
    pub fn of(corpus: &Corpus, conf: &WordsConf, progress: &mut dyn Progress) -> Result<Words, Error> {
        conf.validate()?;
        if !corpus.has_text() {
            return Err(Error::Missing { path: corpus.path().into(), what: Missing::Text });
        }
        let are_those = |words: &Words| words.settings.are_those(corpus, conf);
        Words::kept_or_made_by(corpus, conf, u64::MAX, are_those, progress)
    }

    /// Opens the words of a corpus, however they were made, or makes them with the default settings.
    ///
    /// # Errors
    /// If the corpus has no texts, or a file of the corpus is damaged.
    pub fn kept_or_made(corpus: &Corpus, progress: &mut dyn Progress) -> Result<Words, Error> {
        if !corpus.has_text() {
            return Err(Error::Missing { path: corpus.path().into(), what: Missing::Text });
        }
        Words::kept_or_made_by(corpus, &WordsConf::default(), CHECKED_WHOLE, |_| true, progress)
    }

    /// Opens the words of a corpus if they are wanted, or makes them, while other processes that need them wait.
    fn kept_or_made_by(
        corpus: &Corpus,
        conf: &WordsConf,
        checked: u64,
        are_wanted: impl Fn(&Words) -> bool,
        progress: &mut dyn Progress,
    ) -> Result<Words, Error> {
        if let Some(words) = Words::open_whole(corpus, checked, &mut Silent).filter(&are_wanted) {
            return Ok(words);
        }
        let _lock = lock(&corpus.prepared(FILE), progress);
        match Words::open_whole(corpus, checked, progress).filter(&are_wanted) {
            Some(words) => Ok(words),
            None => make(corpus, conf, progress),
        }
    }

    /// Opens or makes the words of a corpus, with these settings or however they were made; they must have a term.
    ///
    /// # Errors
    /// As for [`Words::of`] and [`Words::kept_or_made`], or if there is no term.
    pub fn with_terms(
        corpus: &Corpus,
        conf: Option<&WordsConf>,
        progress: &mut dyn Progress,
    ) -> Result<Words, Error> {
        let words = match conf {
            Some(conf) => Words::of(corpus, conf, progress),
            None => Words::kept_or_made(corpus, progress),
        }?;
        if words.num_terms() == 0 {
            let what = Missing::Terms { min_pages: words.settings().min_documents };
            return Err(Error::Missing { path: corpus.path().into(), what });
        }
        Ok(words)
    }

    /// Opens the words beside a corpus, checked up to `checked` bytes; `None` if they have to be made. Notes if they
    /// are damaged, or of another corpus.
    fn open_whole(corpus: &Corpus, checked: u64, progress: &mut dyn Progress) -> Option<Words> {
        let opened = Words::open(corpus).and_then(|words| {
            if words.num_bytes() <= checked {
                words.map.check_all()?;
            }
            Ok(words)
        });
        match opened {
            Ok(words) => {
                // A run that was killed between its last two steps may have left its parts.
                if corpus.path().join(FOLDER).is_dir()
                    && let Ok(folder) = PartsFolder::open(corpus, FOLDER)
                {
                    folder.remove();
                }
                return Some(words);
            }
            Err(Error::NotFound { .. } | Error::Version { .. }) => {}
            Err(_) => progress.note(Note::Rebuilt { path: Words::path(corpus) }),
        }
        None
    }

    /// Opens the words beside a corpus, however they were made.
    ///
    /// # Errors
    /// If there are none, they are of another corpus, or the file is damaged; bags are checked when they are read.
    pub fn open(corpus: &Corpus) -> Result<Words, Error> {
        let path = Words::path(corpus);
        if !path.exists() {
            return Err(Error::NotFound {
                what: Artifact::Words,
                path,
                name: String::new(),
                there_are: Vec::new(),
            });
        }
        let map = mmap::map(&path)?;
        Words::of_map(corpus, path, map)
    }

    pub(super) fn of_map(corpus: &Corpus, path: PathBuf, map: Mapped) -> Result<Words, Error> {
        let file = ArrowFile::<Settings, Places>::open(path.clone(), map, &FORMAT)?;
        if file.settings.text != corpus.manifest().text_checksum() {
            return Err(Error::OtherCorpus { what: Artifact::Words, path });
        }
        let map = file.map;
        let damaged = |found: String, expected: String| Error::damaged(map.path(), found, expected);
        let Some((dictionary, bags_at)) = file.places.batches_at.split_first() else {
            return Err(damaged("no batches".into(), "a dictionary".into()));
        };
        let dictionary = Table::of_batch(map.clone(), *dictionary as usize)?;
        let words = Words {
            terms: dictionary.only_strings(0)?,
            documents: dictionary.only_list(5)?,
            spellings: dictionary.only_strings(33)?,
            rarity: dictionary.only_list(38)?,
            all_rarity: Arc::default(),
            rarities_asked: Arc::default(),
            bags: Arc::new(Batches::new(&map, bags_at, corpus.num_pages())?),
            overlay: None,
            settings: file.settings,
            map: map.clone(),
        };
        let lengths = [
            (words.documents.len(), words.num_terms()),
            (words.spellings.len(), words.num_terms()),
            (words.rarity.len(), words.num_terms()),
        ];
        words.expect_lengths(&lengths)?;
        Ok(words)
    }

    fn expect_lengths(&self, lengths: &[(usize, usize)]) -> Result<(), Error> {
        match lengths.iter().find(|(found, expected)| found != expected) {
            Some((found, expected)) => {
                Err(self.damaged(format!("a list of {found}"), format!("{expected} values")))
            }
            None => Ok(()),
        }
    }

    /// Opens a batch of bags.
    fn open_bags(&self, table: &Table, pages: usize) -> Result<Bags, Error> {
        let limit = Some(TermId(self.num_terms() as u32));
        let bags = Bags {
            terms: table.only_lists(9, limit)?,
            counts: table.only_lists(15, None)?,
            telling: [table.only_lists(21, limit)?, table.only_lists(27, limit)?],
            norms: table.only_list(42)?,
            checked: (0..pages.div_ceil(64)).map(|_| AtomicU64::new(0)).collect(),
        };
        let rows = [&bags.terms, &bags.telling[0], &bags.telling[1]].map(|lists| (lists.num_rows(), pages));
        self.expect_lengths(&rows)?;
        self.expect_lengths(&[(bags.counts.num_rows(), pages), (bags.norms.len(), pages)])?;
        Ok(bags)
    }

    /// Returns the settings of the bags and their figures.
    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// Returns what identifies these words: a checksum of their settings, which name the texts.
    pub fn checksum(&self) -> String {
        checksum_of(&self.settings)
    }

    /// Returns the size of the file in bytes.
    pub fn num_bytes(&self) -> u64 {
        self.map.num_bytes() as u64
    }

    /// Returns the number of terms in the dictionary.
    pub fn num_terms(&self) -> usize {
        self.terms.len()
    }

    /// Returns a term.
    ///
    /// # Errors
    /// If the file is damaged there, or there is no such term.
    #[cfg(test)]
    pub(crate) fn term(&self, term: TermId) -> Result<&str, Error> {
        self.terms.get(term.index())
    }

    /// Returns a word to show in the place of a term: the shortest that it was made of, “gravity” for “graviti”.
    pub(crate) fn spelling(&self, term: TermId) -> Result<&str, Error> {
        self.spellings.get(term.index())
    }

    /// Finds the number of a term; `None` where the dictionary does not have it.
    pub(crate) fn find(&self, term: &str) -> Result<Option<TermId>, Error> {
        Ok(self.terms.binary_search(term)?.map(|row| TermId(row as u32)))
    }

    /// Returns ln(n/df) of some terms, with df the pages that have one and n those that have any.
    pub(crate) fn rarities(&self, terms: &[TermId]) -> Result<Vec<f64>, Error> {
        if let Some(all) = self.all_rarity.get() {
            return Ok(terms.iter().map(|term| all[term.index()]).collect());
        }
        if self.rarities_asked.fetch_add(terms.len(), Ordering::Relaxed) > self.num_terms() {
            let all = self.rarity.all()?.to_vec();
            let _ = self.all_rarity.set(all);
        }
        terms.iter().map(|term| self.rarity.get(term.index())).collect()
    }

    /// Returns the sum of the squared weights of a page's terms, (1 + ln c)·ln(n/df) each.
    pub(crate) fn norm(&self, page: PageId) -> Result<f64, Error> {
        if let Some(words) = self.overlay_of(page) {
            return Ok(words.norm);
        }
        let (bags, row) = self.place(page)?;
        bags.norms.get(row)
    }

    /// Returns the number of pages in which a term occurs.
    pub(super) fn documents_of(&self, term: TermId) -> Result<u32, Error> {
        self.documents.get(term.index())
    }

    /// Returns the number of pages in which each term occurs, in the order of the terms.
    pub fn documents(&self) -> Result<&[u32], Error> {
        self.documents.all()
    }

    /// Returns the words of a page; an empty bag where it has no text, or none of its words is in the dictionary.
    pub(crate) fn bag(&self, page: PageId) -> Result<Bag<'_>, Error> {
        if let Some(words) = self.overlay_of(page) {
            return Ok(words.bag());
        }
        let (bags, row) = self.place(page)?;
        self.bag_at(bags, row, bags.terms.place(row)?)
    }

    fn bag_at<'a>(&self, bags: &'a Bags, row: usize, place: Range<usize>) -> Result<Bag<'a>, Error> {
        let other = || self.damaged("other counts than terms".into(), "a count for each term".into());
        bags.bag_at(row, place)?.ok_or_else(other)
    }

    /// Returns the words of several pages. They are all over the file: finding all of their places first, and then
    /// reading a word of each cache line, lets the memory answer several questions at once.
    pub(crate) fn bags(&self, pages: &[PageId]) -> Result<Vec<Bag<'_>>, Error> {
        if self.overlay.is_some() {
            return pages.iter().map(|&page| self.bag(page)).collect();
        }
        let place = |&page: &PageId| {
            let (bags, row) = self.place(page)?;
            Ok((bags, row, bags.terms.place(row)?))
        };
        let places = pages.iter().map(place).collect::<Result<Vec<_>, Error>>()?;
        let bags = places.into_iter().map(|(bags, row, place)| self.bag_at(bags, row, place));
        let bags = bags.collect::<Result<Vec<_>, Error>>()?;
        let mut touched = 0;
        for bag in &bags {
            bag.terms().chunks(16).for_each(|line| touched ^= line[0].0);
            bag.counts().chunks(32).for_each(|line| touched ^= u32::from(line[0]));
        }
        std::hint::black_box(touched);
        Ok(bags)
    }

    /// Returns the terms that tell most about a page, ascending.
    pub(super) fn telling(&self, page: PageId, part: TextPart) -> Result<&[TermId], Error> {
        if let Some(words) = self.overlay_of(page) {
            return Ok(words.telling(part));
        }
        let (bags, row) = self.place(page)?;
        bags.telling[usize::from(part == TextPart::Lead)].get(row)
    }

    /// Returns the words of the page, if they differ from those in the file.
    #[inline]
    fn overlay_of(&self, page: PageId) -> Option<&TextWords> {
        self.overlay.as_deref().filter(|(other, _)| *other == page).map(|(_, words)| words)
    }

    fn place(&self, page: PageId) -> Result<(&Bags, usize), Error> {
        self.bags.of(page.index(), |table, pages| self.open_bags(table, pages))
    }

    pub(super) fn num_pages(&self) -> usize {
        self.bags.num_rows()
    }

    /// Checks every checksum, every id's range, that terms ascend, and the number of pages of each.
    pub fn verify(&self) -> Result<(), Error> {
        self.map.check_all()?;
        for row in 1..self.num_terms() {
            if self.terms.get(row - 1)? >= self.terms.get(row)? {
                return Err(self.damaged("terms out of order".into(), "ascending order".into()));
            }
        }
        let mut documents = vec![0u32; self.num_terms()];
        for page in 0..self.num_pages() as u32 {
            let bag = self.bag(PageId(page))?;
            if !bag.terms().is_sorted_by(|a, b| a < b) || bag.counts().contains(&0) {
                return Err(self.damaged(format!("page {page} out of order"), "ascending order".into()));
            }
            bag.terms().iter().for_each(|term| documents[term.index()] += 1);
            let weights = self.rarities(bag.terms())?.into_iter().zip(bag.counts());
            let norm: f64 = weights.map(|(rarity, count)| (of_count(*count) * rarity).powi(2)).sum();
            if !is_near(self.norm(PageId(page))?, norm) {
                return Err(self.damaged(format!("another norm of page {page}"), norm.to_string()));
            }
        }
        if documents != self.documents()? {
            return Err(self.damaged("other numbers of pages".into(), "those that have the terms".into()));
        }
        let expected = documents.iter().map(|&documents| rarity(self.settings.figures.documents, documents));
        if !self.rarity.all()?.iter().zip(expected).all(|(found, expected)| is_near(*found, expected)) {
            return Err(self.damaged("another rarity".into(), "that of the numbers of pages".into()));
        }
        Ok(())
    }

    /// Returns the folder of the corpus.
    pub(super) fn path_of_corpus(&self) -> PathBuf {
        self.map.path().parent().unwrap_or(self.map.path()).into()
    }

    fn damaged(&self, found: String, expected: String) -> Error {
        Error::damaged(self.map.path(), found, expected)
    }
}

/// Returns whether two numbers are equal but for the logarithms of another machine.
fn is_near(found: f64, expected: f64) -> bool {
    (found - expected).abs() <= 1e-9 * expected.abs()
}
