//! Counts the words of all pages.
//!
//! One pass over the texts, on all threads, gives every page's terms with numbers as they came, which are spooled, and
//! in how many pages each occurs. Then the terms that occur in enough of them are put in order, and the bags are read
//! again, a group of pages at a time, and written with the terms' final numbers.
//!
//! In memory are at the peak all different terms of the corpus, also the rare ones, with their letters and some 30
//! bytes each; 8 bytes a page; of each thread a few hundred pages; and one group of pages. What is written follows from
//! the texts alone: parts are joined in the pages' order.

use super::WordsConf;
use super::cut::{Cutter, Rules};
use super::file::Words;
use super::names::{Names, Spellings};
use super::settings::{Figures, Settings};
use super::spool::{Counted, Spool, Spooled, cut_off};
use super::telling::{TextPart, telling};
use super::write::write;
use crate::Error;
use crate::corpus::Corpus;
use crate::progress::{Cached, Note, Progress, Task};
use crate::storage::arrow_file::Sink;
use crate::storage::{AtomicFile, BLOCK};
use rayon::prelude::*;
use std::ops::Range;

/// Batches of texts that are cut together: enough for most of their words to be met again.
const BATCHES_IN_PART: usize = 8;
/// Parts that each thread has before it in a round.
const PARTS_AHEAD: usize = 4;
/// Not in the dictionary.
const RARE: u32 = u32::MAX;

/// The pages of a few batches.
struct CountedTexts {
    terms: Names,
    spellings: Spellings,
    /// In how many of these pages each term occurs.
    documents: Vec<u32>,
    /// Terms and counts, page after page.
    pairs: Vec<Counted>,
    ends: Vec<usize>,
    /// Pages with text.
    texts: u64,
}

impl CountedTexts {
    fn read(corpus: &Corpus, rules: &Rules, batches: Range<usize>) -> Result<CountedTexts, Error> {
        let mut cutter = Cutter::new(rules);
        let (mut documents, mut pairs, mut ends) = (Vec::<u32>::new(), Vec::new(), Vec::new());
        let mut texts = 0;
        for batch in batches {
            corpus.text_batch(batch, |text| {
                cutter.cut(text.unwrap_or_default(), |term, [count, in_lead]| {
                    let index = term as usize;
                    documents.resize(documents.len().max(index + 1), 0);
                    documents[index] += 1;
                    pairs.push(Counted { term, count: cut_off(count), in_lead: cut_off(in_lead) });
                });
                texts += u64::from(text.is_some());
                ends.push(pairs.len());
            })?;
        }
        let (terms, spellings) = (cutter.terms, cutter.spellings);
        Ok(CountedTexts { terms, spellings, documents, pairs, ends, texts })
    }
}

/// What was counted so far.
struct Tally {
    terms: Names,
    spellings: Spellings,
    documents: Vec<u32>,
    spool: Spool,
    texts: u64,
}

impl Tally {
    fn add(&mut self, mut part: CountedTexts) -> Result<(), Error> {
        let numbers: Vec<u32> = (0..part.terms.len() as u32)
            .map(|term| {
                let name = part.terms.get(term);
                let number = self.terms.number(name);
                self.spellings.add(number, name, part.spellings.get(term).unwrap_or(name));
                self.documents.resize(self.terms.len(), 0);
                self.documents[number as usize] += part.documents[term as usize];
                number
            })
            .collect();
        for pair in &mut part.pairs {
            pair.term = numbers[pair.term as usize];
        }
        let mut start = 0;
        for end in part.ends {
            self.spool.push(&part.pairs[start..end])?;
            start = end;
        }
        self.texts += part.texts;
        Ok(())
    }
}

/// Counts the words of all pages and keeps them beside the corpus, or in memory where they cannot be.
pub(super) fn make(corpus: &Corpus, conf: &WordsConf, progress: &mut dyn Progress) -> Result<Words, Error> {
    let path = Words::path(corpus);
    let rules = Rules::new(corpus, conf);
    let opened = AtomicFile::create(&path, BLOCK).and_then(|file| {
        let name = format!(".words.{}.spool", std::process::id());
        Ok((Sink::Disk(file), Spool::on_disk(corpus.path().join(name))?))
    });
    let (sink, spool) = opened.unwrap_or_else(|error| {
        progress.note(Note::NotCached { what: Cached::Words, error: error.to_string() });
        (Sink::in_memory(), Spool::in_memory())
    });
    let (terms, spellings) = (Names::default(), Spellings::default());
    let tally = Tally { terms, spellings, documents: Vec::new(), spool, texts: 0 };
    let tally = count(corpus, &rules, tally, progress)?;
    let named = (tally.terms, tally.spellings);
    let dictionary = Dictionary::new(named, tally.documents, conf.min_documents);
    let spooled = tally.spool.finish()?;
    let figures = Figures { texts: tally.texts, ..dictionary.figures(&spooled) };
    let settings = Settings::new(corpus, conf, &rules, figures);
    progress.start(Task::WriteWords, Some(spooled.num_pages() as u64));
    let words = write(corpus, sink, settings, &dictionary, &spooled, progress)?;
    progress.finish();
    Ok(words)
}

/// Goes over all texts: while a round's parts are joined, those of the next are read.
fn count(
    corpus: &Corpus,
    rules: &Rules,
    mut tally: Tally,
    progress: &mut dyn Progress,
) -> Result<Tally, Error> {
    let batches = corpus.num_text_batches();
    let parts: Vec<Range<usize>> = (0..batches)
        .step_by(BATCHES_IN_PART)
        .map(|start| start..(start + BATCHES_IN_PART).min(batches))
        .collect();
    progress.start(Task::CountWords, Some(corpus.num_pages() as u64));
    let mut read: Vec<CountedTexts> = Vec::new();
    for round in parts.chunks(PARTS_AHEAD * rayon::current_num_threads()).chain([&[][..]]) {
        let pages: usize = read.iter().map(|part| part.ends.len()).sum();
        let read_next = || round.par_iter().map(|batches| CountedTexts::read(corpus, rules, batches.clone()));
        let (joined, next) = rayon::join(
            || std::mem::take(&mut read).into_iter().try_for_each(|part| tally.add(part)),
            || read_next().collect::<Result<Vec<CountedTexts>, Error>>(),
        );
        joined?;
        read = next?;
        progress.advance(pages as u64);
    }
    progress.finish();
    Ok(tally)
}

/// The terms that occur in enough pages, in order.
pub(super) struct Dictionary {
    terms: Names,
    spellings: Spellings,
    /// The terms of the dictionary as they came, with the pages they occur in.
    pub(super) in_order: Vec<(u32, u32)>,
    /// The final number of each term as they came; [`RARE`] of those that are left out.
    final_number: Vec<u32>,
}

impl Dictionary {
    fn new((terms, spellings): (Names, Spellings), documents: Vec<u32>, min_documents: usize) -> Dictionary {
        let is_frequent = |(_, documents): &(u32, u32)| *documents as usize >= min_documents;
        let mut in_order: Vec<(u32, u32)> = (0..).zip(documents).filter(is_frequent).collect();
        in_order.par_sort_unstable_by(|a, b| terms.get(a.0).cmp(terms.get(b.0)));
        let mut final_number = vec![RARE; terms.len()];
        for (number, (term, _)) in (0..).zip(&in_order) {
            final_number[*term as usize] = number;
        }
        Dictionary { terms, spellings, in_order, final_number }
    }

    /// A word to show in the place of a term.
    pub(super) fn spelling(&self, as_it_came: u32) -> &str {
        self.spellings.get(as_it_came).unwrap_or_else(|| self.term(as_it_came))
    }

    pub(super) fn term(&self, as_it_came: u32) -> &str {
        self.terms.get(as_it_came)
    }

    /// The bag of a page: terms of the dictionary, ascending, and counts.
    pub(super) fn bag(&self, spooled: &[Counted]) -> Vec<Counted> {
        let known =
            spooled.iter().map(|word| Counted { term: self.final_number[word.term as usize], ..*word });
        let mut bag: Vec<Counted> = known.filter(|word| word.term != RARE).collect();
        bag.sort_unstable_by_key(|word| word.term);
        bag
    }

    /// The terms of a bag that tell most about the page by their counts, ascending.
    pub(super) fn telling(&self, bag: &[Counted], part: TextPart, num_pages: u64) -> Vec<u32> {
        let documents = |word: &Counted| self.in_order[word.term as usize].1;
        let words = bag.iter().map(|word| (word.term, word.count_in(part), documents(word)));
        telling(words, part.most(), num_pages)
    }

    fn figures(&self, spooled: &Spooled) -> Figures {
        let of_page = |page: usize| {
            let kept = spooled.get(page).iter().filter(|word| self.final_number[word.term as usize] != RARE);
            kept.fold((0, 0), |(terms, words), word| (terms + 1, words + u64::from(word.count)))
        };
        let add = |a: (u64, u64, u64), b: (u64, u64, u64)| (a.0 + b.0, a.1 + b.1, a.2 + b.2);
        let pages = (0..spooled.num_pages()).into_par_iter().map(of_page);
        let pages = pages.map(|(terms, words)| (u64::from(terms > 0), terms, words));
        let (documents, page_terms, words) = pages.reduce(|| (0, 0, 0), add);
        Figures { texts: 0, documents, terms: self.in_order.len() as u64, page_terms, words }
    }
}
