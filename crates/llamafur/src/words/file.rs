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
//! | `counts` | page | how often each of them occurs there |
//! | `telling` | page | the places of its most telling terms, ascending |
//! | `telling_lead` | page | the same of its first 200 words |
//! | `spelling` | term | the shortest word that the term was made of |
//!
//! The footer's metadata has one entry, `llamafur`: the [`Settings`] as JSON with the sums of the blocks of all that
//! is before, and a checksum of itself. Same texts and settings, same bytes.

use super::make::make;
use super::settings::Settings;
use super::telling::TextPart;
use super::{Bag, WordsConf};
use crate::corpus::Corpus;
use crate::error::{Artifact, Error, Missing};
use crate::graph::{PageId, TermId};
use crate::progress::{Note, Progress};
use crate::storage::arrow_file::ArrowFile;
use crate::storage::columns::{Ids, Lists, Strings, Table};
use crate::storage::signed::{Format, checksum_of};
use crate::storage::{CheckedMap, mmap};
use memmap2::Mmap;
use serde::{Deserialize, Serialize};
use std::path::PathBuf;
use std::sync::Arc;

/// The version of the format that this program writes and reads; another one also where texts are cut otherwise.
pub(super) const WORDS_VERSION: u32 = 2;

pub(super) const FORMAT: Format = Format {
    name: "llamafur words",
    version: WORDS_VERSION,
    of: Artifact::Words,
    what: "the settings of bags of words",
};
/// Words of at most so many bytes are checked as a whole when they are opened; of larger ones what is read.
const CHECKED_WHOLE: u64 = 64 << 20;
/// Pages in a batch of bags.
pub(super) const PAGES_IN_BATCH: usize = 8192;
const FILE: &str = "words.arrow";

/// Where each record batch begins.
#[derive(Serialize, Deserialize)]
pub(super) struct Places {
    pub(super) batches_at: Vec<u64>,
}

/// A bag of words for each page of a corpus, opened. Terms are numbered in bytewise order.
#[derive(Debug)]
pub struct Words {
    settings: Settings,
    map: Arc<CheckedMap>,
    terms: Strings,
    spellings: Strings,
    documents: Ids<u32>,
    bags: Vec<Bags>,
    num_pages: usize,
}

/// The bags of one batch.
#[derive(Debug)]
struct Bags {
    terms: Lists<TermId>,
    counts: Lists<u16>,
    telling: [Lists<TermId>; 2],
}

impl Words {
    /// Where the corpus keeps its words.
    pub fn path(corpus: &Corpus) -> PathBuf {
        corpus.path().join(FILE)
    }

    /// The words of a corpus: those beside it if they were made with these settings and are whole, or else they are made, and
    /// kept unless the folder cannot be written, which is noted.
    ///
    /// # Errors
    /// If a setting is out of range, the corpus has no texts, or a file of the corpus is damaged.
    pub fn of(corpus: &Corpus, conf: &WordsConf, progress: &mut dyn Progress) -> Result<Words, Error> {
        conf.validate()?;
        if !corpus.has_text() {
            return Err(Error::Missing { path: corpus.path().into(), what: Missing::Text });
        }
        match Words::open_whole(corpus, u64::MAX, progress) {
            Some(words) if words.settings.are_those(corpus, conf) => Ok(words),
            _ => make(corpus, conf, progress),
        }
    }

    /// The words of a corpus: those beside it, however they were made, or else they are made with the default settings.
    ///
    /// # Errors
    /// If the corpus has no texts, or a file of the corpus is damaged.
    pub fn kept_or_made(corpus: &Corpus, progress: &mut dyn Progress) -> Result<Words, Error> {
        if !corpus.has_text() {
            return Err(Error::Missing { path: corpus.path().into(), what: Missing::Text });
        }
        match Words::open_whole(corpus, CHECKED_WHOLE, progress) {
            Some(words) => Ok(words),
            None => make(corpus, &WordsConf::default(), progress),
        }
    }

    /// The words of a corpus, with these settings or however they were made, which must have a term.
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

    /// The words beside a corpus, checked up to so many bytes; `None` if they have to be made. That they are damaged, or of
    /// another corpus, is noted.
    fn open_whole(corpus: &Corpus, checked: u64, progress: &mut dyn Progress) -> Option<Words> {
        let opened = Words::open(corpus).and_then(|words| {
            if words.num_bytes() <= checked {
                words.map.check_all()?;
            }
            Ok(words)
        });
        match opened {
            Ok(words) => return Some(words),
            Err(Error::NotFound { .. } | Error::Version { .. }) => {}
            Err(_) => progress.note(Note::Rebuilt { path: Words::path(corpus) }),
        }
        None
    }

    /// Opens the words beside a corpus, however they were made.
    ///
    /// # Errors
    /// If there are none, they are of another corpus, or the file is damaged; bags are checked when they are asked for.
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

    pub(super) fn of_map(corpus: &Corpus, path: PathBuf, map: Mmap) -> Result<Words, Error> {
        let file = ArrowFile::<Settings, Places>::open(path.clone(), map, &FORMAT)?;
        if file.settings.text != corpus.manifest().text_checksum() {
            return Err(Error::OtherCorpus { what: Artifact::Words, path });
        }
        let map = file.map;
        let batch = |at: &u64| Table::of_batch(map.clone(), *at as usize);
        let damaged = |found: String, expected: String| Error::damaged(map.path(), found, expected);
        let Some((dictionary, bags)) = file.places.batches_at.split_first() else {
            return Err(damaged("no batches".into(), "a dictionary".into()));
        };
        let dictionary = batch(dictionary)?;
        let terms = dictionary.only_strings(0)?;
        let bags = bags.iter().map(|at| {
            let (table, limit) = (batch(at)?, Some(TermId(terms.len() as u32)));
            Ok(Bags {
                terms: table.only_lists(9, limit)?,
                counts: table.only_lists(15, None)?,
                telling: [table.only_lists(21, limit)?, table.only_lists(27, limit)?],
            })
        });
        let words = Words {
            documents: dictionary.only_list(5)?,
            spellings: dictionary.only_strings(33)?,
            bags: bags.collect::<Result<_, Error>>()?,
            terms,
            settings: file.settings,
            num_pages: corpus.num_pages(),
            map: map.clone(),
        };
        let pages = |rows: fn(&Bags) -> usize| (words.bags.iter().map(rows).sum::<usize>(), words.num_pages);
        let lengths = [
            (words.documents.len(), words.num_terms()),
            (words.spellings.len(), words.num_terms()),
            pages(|bags| bags.terms.num_rows()),
            pages(|bags| bags.counts.num_rows()),
            pages(|bags| bags.telling[0].num_rows()),
            pages(|bags| bags.telling[1].num_rows()),
        ];
        match lengths.into_iter().find(|(found, expected)| found != expected) {
            Some((found, expected)) => {
                Err(damaged(format!("a list of {found}"), format!("{expected} values")))
            }
            None => Ok(words),
        }
    }

    /// How the bags were made, and what came of it.
    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// What tells these words from others: a checksum of their settings, which name the texts.
    pub fn checksum(&self) -> String {
        checksum_of(&self.settings)
    }

    /// Bytes that they take.
    pub fn num_bytes(&self) -> u64 {
        self.map.num_bytes() as u64
    }

    /// How many terms there are in the dictionary.
    pub fn num_terms(&self) -> usize {
        self.terms.len()
    }

    /// A term.
    ///
    /// # Errors
    /// If the file is damaged there, or there is no such term. The same holds for all that follow.
    pub fn term(&self, term: TermId) -> Result<&str, Error> {
        self.terms.get(term.index())
    }

    /// A word to show in the place of a term: the shortest that it was made of, “gravity” for “graviti”.
    ///
    /// # Errors
    /// If the file is damaged.
    pub fn spelling(&self, term: TermId) -> Result<&str, Error> {
        self.spellings.get(term.index())
    }

    /// The number of a term; `None` where the dictionary does not have it.
    pub fn find(&self, term: &str) -> Result<Option<TermId>, Error> {
        Ok(self.terms.binary_search(term)?.map(|row| TermId(row as u32)))
    }

    /// ln(n/df) of each term, with df the pages that have it and n those that have any.
    ///
    /// # Errors
    /// If the file is damaged.
    pub fn rarities(&self) -> Result<impl Iterator<Item = f64> + '_, Error> {
        let num_pages = self.settings.figures.documents as f64;
        Ok(self.documents()?.iter().map(move |&documents| (num_pages / f64::from(documents)).ln()))
    }

    /// In how many pages each term occurs, in the order of the terms.
    pub fn documents(&self) -> Result<&[u32], Error> {
        self.documents.all()
    }

    /// The words of a page; an empty bag where it has no text, or none of its words is in the dictionary.
    pub fn bag(&self, page: PageId) -> Result<Bag<'_>, Error> {
        let (bags, row) = self.place(page)?;
        let (terms, counts) = (bags.terms.get(row)?, bags.counts.get(row)?);
        if terms.len() != counts.len() {
            return Err(self.damaged(format!("{} counts", counts.len()), terms.len().to_string()));
        }
        Ok(Bag::new(terms, counts))
    }

    /// The terms that tell most about a page, ascending.
    pub(super) fn telling(&self, page: PageId, part: TextPart) -> Result<&[TermId], Error> {
        let (bags, row) = self.place(page)?;
        bags.telling[usize::from(part == TextPart::Lead)].get(row)
    }

    fn place(&self, page: PageId) -> Result<(&Bags, usize), Error> {
        let missing = || self.damaged(format!("{} pages", self.num_pages), format!("a page {page}"));
        let bags = self.bags.get(page.index() / PAGES_IN_BATCH).ok_or_else(missing)?;
        Ok((bags, page.index() % PAGES_IN_BATCH))
    }

    /// How many pages there are.
    pub(super) fn num_pages(&self) -> usize {
        self.num_pages
    }

    /// Checks every checksum, every id's range, that terms ascend, and that they occur in as many pages as is said.
    ///
    /// # Errors
    /// At the first damage found.
    pub fn verify(&self) -> Result<(), Error> {
        self.map.check_all()?;
        for row in 1..self.num_terms() {
            if self.terms.get(row - 1)? >= self.terms.get(row)? {
                return Err(self.damaged("terms out of order".into(), "ascending order".into()));
            }
        }
        let mut documents = vec![0u32; self.num_terms()];
        for page in 0..self.num_pages as u32 {
            let bag = self.bag(PageId(page))?;
            if !bag.terms().is_sorted_by(|a, b| a < b) || bag.counts().contains(&0) {
                return Err(self.damaged(format!("page {page} out of order"), "ascending order".into()));
            }
            bag.terms().iter().for_each(|term| documents[term.index()] += 1);
        }
        if documents != self.documents()? {
            return Err(self.damaged("other numbers of pages".into(), "those that have the terms".into()));
        }
        Ok(())
    }

    fn damaged(&self, found: String, expected: String) -> Error {
        Error::damaged(self.map.path(), found, expected)
    }
}
