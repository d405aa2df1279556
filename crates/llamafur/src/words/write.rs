//! Writes bags of words, a batch at a time.

use super::dictionary::{Dictionary, RARE};
use super::file::{FORMAT, Places, Words};
use super::packed::{Counted, unpack};
use super::part::Part;
use super::settings::{Figures, Settings};
use super::telling::{TextPart, telling};
use super::weights::of_count;
use crate::Error;
use crate::corpus::Corpus;
use crate::progress::{Progress, Task};
use crate::storage::arrow_file::{ArrowWriter, Sink, list_of, lists, one_row};
use crate::storage::columns::lists_type;
use crate::storage::list_batches::ROWS_IN_BATCH;
use arrow_array::{ArrayRef, Float64Array, LargeStringArray, RecordBatch, UInt16Array, UInt32Array};
use arrow_schema::{DataType, Field, Schema};
use rayon::prelude::*;
use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;

fn schema() -> Schema {
    Schema::new(vec![
        Field::new("term", list_of(DataType::LargeUtf8), false),
        Field::new("documents", list_of(DataType::UInt32), false),
        Field::new("terms", list_of(lists_type()), false),
        Field::new("counts", list_of(list_of(DataType::UInt16)), false),
        Field::new("telling", list_of(lists_type()), false),
        Field::new("telling_lead", list_of(lists_type()), false),
        Field::new("spelling", list_of(DataType::LargeUtf8), false),
        Field::new("rarity", list_of(DataType::Float64), false),
        Field::new("norm", list_of(DataType::Float64), false),
    ])
}

fn batch(columns: [ArrayRef; 9]) -> Result<RecordBatch, Error> {
    one_row("words", schema(), columns)
}

fn no_numbers() -> ArrayRef {
    Arc::new(Float64Array::from_iter_values([]))
}

fn dictionary_batch(dictionary: &Dictionary) -> Result<RecordBatch, Error> {
    let [no_terms, no_counts, none_telling, none_in_lead, no_norms] = bags_columns(&[]);
    batch([
        Arc::new(LargeStringArray::from_iter_values(dictionary.terms.iter())),
        Arc::new(UInt32Array::from_iter_values(dictionary.documents.iter().copied())),
        no_terms,
        no_counts,
        none_telling,
        none_in_lead,
        Arc::new(LargeStringArray::from_iter_values(dictionary.spellings.iter())),
        Arc::new(Float64Array::from_iter_values(dictionary.rarity.iter().copied())),
        no_norms,
    ])
}

/// The data that are written of a page.
struct Page {
    /// The terms of the page, ascending.
    bag: Vec<Counted>,
    telling: [Vec<u32>; 2],
    /// Σ of its terms' squared weights.
    norm: f64,
}

impl Page {
    /// Reads the page of a part, with the part's terms as the dictionary numbers them.
    fn new(packed: &[u8], numbers: &[u32], dictionary: &Dictionary) -> Page {
        let known = unpack(packed).map(|word| Counted { term: numbers[word.term as usize], ..word });
        // The terms of a part are in the order of the dictionary.
        let bag: Vec<Counted> = known.filter(|word| word.term != RARE).collect();
        let telling = [TextPart::Whole, TextPart::Lead].map(|part| {
            let documents = |word: &Counted| dictionary.documents[word.term as usize];
            let words = bag.iter().map(|word| (word.term, word.count_in(part), documents(word)));
            let rarity = |term: u32| dictionary.rarity[term as usize];
            telling(words, part.most(), dictionary.num_pages, rarity)
        });
        let weight = |word: &Counted| of_count(word.count) * dictionary.rarity[word.term as usize];
        let norm = bag.iter().map(weight).fold(0.0, |sum, weight| sum + weight * weight);
        Page { bag, telling, norm }
    }
}

fn bags_columns(pages: &[Page]) -> [ArrayRef; 5] {
    let ends = |length: &dyn Fn(&Page) -> usize| {
        let ends = pages.iter().scan(0, |end, page| {
            *end += length(page) as i64;
            Some(*end)
        });
        std::iter::once(0).chain(ends).collect::<Vec<i64>>()
    };
    let offsets = ends(&|page| page.bag.len());
    let words = || pages.iter().flat_map(|page| &page.bag);
    let telling = |part: usize| {
        let terms = pages.iter().flat_map(|page| &page.telling[part]).copied();
        lists(ends(&|page| page.telling[part].len()), Arc::new(UInt32Array::from_iter_values(terms)))
    };
    [
        lists(offsets.clone(), Arc::new(UInt32Array::from_iter_values(words().map(|word| word.term)))),
        lists(offsets, Arc::new(UInt16Array::from_iter_values(words().map(|word| word.count)))),
        telling(0),
        telling(1),
        Arc::new(Float64Array::from_iter_values(pages.iter().map(|page| page.norm))),
    ]
}

fn bags_batch(pages: &[Page]) -> Result<RecordBatch, Error> {
    let [terms, counts, telling, in_lead, norms] = bags_columns(pages);
    let no_names = || Arc::new(LargeStringArray::from_iter_values([""; 0]));
    let no_documents = Arc::new(UInt32Array::from_iter_values([]));
    batch([no_names(), no_documents, terms, counts, telling, in_lead, no_names(), no_numbers(), norms])
}

/// Writes the bags and opens them.
pub(super) fn write(
    corpus: &Corpus,
    sink: Sink,
    settings: Settings,
    dictionary: &Dictionary,
    parts: &[Part],
    progress: &mut dyn Progress,
) -> Result<Words, Error> {
    let path = Words::path(corpus);
    let mut bags = Bags::new(dictionary, parts);
    progress.start(Task::WriteWords, Some(bags.num_pages as u64));
    let mut writer = ArrowWriter::new(&path, sink, &schema())?;
    writer.write(&dictionary_batch(dictionary)?)?;
    let mut made: Option<RecordBatch> = None;
    // While a batch is written, the next one is made.
    for start in (0..bags.num_pages).step_by(ROWS_IN_BATCH).map(Some).chain([None]) {
        let (written, next) = rayon::join(
            || made.take().map_or(Ok(()), |batch| writer.write(&batch)),
            || start.map(|start| bags.batch(start)).transpose(),
        );
        written?;
        made = next?;
        progress.advance(start.map_or(0, |start| bags.num_pages.min(start + ROWS_IN_BATCH) - start) as u64);
    }
    let texts = parts.iter().map(Part::num_texts).sum::<Result<u64, Error>>()?;
    let settings = Settings { figures: Figures { texts, ..bags.figures }, ..settings };
    let sink = writer.finish(&FORMAT, settings, |batches_at| Places { batches_at })?.0;
    let map = sink.into_map(&path)?;
    progress.finish();
    Words::of_map(corpus, path, map)
}

/// The bags of all pages, in order.
struct Bags<'a> {
    dictionary: &'a Dictionary,
    parts: &'a [Part],
    /// The first page of each part.
    starts: Vec<usize>,
    num_pages: usize,
    /// The numbers of the terms of each part that is being written.
    numbers: BTreeMap<usize, Vec<u32>>,
    figures: Figures,
}

impl<'a> Bags<'a> {
    fn new(dictionary: &'a Dictionary, parts: &'a [Part]) -> Bags<'a> {
        let mut num_pages = 0;
        let start = |part: &Part| {
            num_pages += part.num_pages();
            num_pages - part.num_pages()
        };
        let starts = parts.iter().map(start).collect();
        let figures = Figures {
            documents: dictionary.num_pages,
            terms: dictionary.terms.len() as u64,
            ..Figures::default()
        };
        Bags { dictionary, parts, starts, num_pages, numbers: BTreeMap::new(), figures }
    }

    /// Returns the part that has a page.
    fn part_of(&self, page: usize) -> usize {
        self.starts.partition_point(|start| *start <= page) - 1
    }

    /// Returns the batch that begins with this page; later ones follow.
    fn batch(&mut self, start: usize) -> Result<RecordBatch, Error> {
        let pages = start..(start + ROWS_IN_BATCH).min(self.num_pages);
        self.number(self.part_of(start)..self.part_of(pages.end - 1) + 1)?;
        let page = |page: usize| {
            let part = self.part_of(page);
            let packed = self.parts[part].bag(page - self.starts[part])?;
            Ok(Page::new(packed, &self.numbers[&part], self.dictionary))
        };
        let pages = pages.into_par_iter().map(page).collect::<Result<Vec<Page>, Error>>()?;
        let words = pages.iter().flat_map(|page| &page.bag);
        self.figures.words += words.map(|word| u64::from(word.count)).sum::<u64>();
        self.figures.page_terms += pages.iter().map(|page| page.bag.len() as u64).sum::<u64>();
        bags_batch(&pages)
    }

    /// Gives the terms of these parts their numbers, and forgets those of parts before.
    fn number(&mut self, parts: Range<usize>) -> Result<(), Error> {
        self.numbers.retain(|part, _| *part >= parts.start);
        let missing = parts.clone().find(|part| !self.numbers.contains_key(part));
        let Some(first) = missing else { return Ok(()) };
        // A few at once, for all threads to have something to do.
        let end = parts.end.max(first + rayon::current_num_threads()).min(self.parts.len());
        let numbers = (first..end).into_par_iter().map(|part| self.dictionary.numbers(&self.parts[part]));
        let numbers = numbers.collect::<Result<Vec<_>, Error>>()?;
        self.numbers.extend((first..end).zip(numbers));
        Ok(())
    }
}
