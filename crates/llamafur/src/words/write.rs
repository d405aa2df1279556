//! Writes bags of words, a batch at a time.

use super::file::{FORMAT, PAGES_IN_BATCH, Places, Words};
use super::make::Dictionary;
use super::settings::Settings;
use super::spool::{Counted, Spooled};
use super::telling::TextPart;
use crate::Error;
use crate::corpus::Corpus;
use crate::progress::Progress;
use crate::storage::arrow_file::{ArrowWriter, Sink, list_of, lists, one_row};
use crate::storage::columns::lists_type;
use crate::storage::mmap;
use arrow_array::{ArrayRef, LargeStringArray, RecordBatch, UInt16Array, UInt32Array};
use arrow_schema::{DataType, Field, Schema};
use rayon::prelude::*;
use std::path::Path;
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
    ])
}

fn batch(columns: [ArrayRef; 7]) -> Result<RecordBatch, Error> {
    one_row("words", schema(), columns)
}

fn dictionary_batch(dictionary: &Dictionary) -> Result<RecordBatch, Error> {
    let terms = dictionary.in_order.iter().map(|(term, _)| dictionary.term(*term));
    let documents = dictionary.in_order.iter().map(|(_, documents)| *documents);
    let spellings = dictionary.in_order.iter().map(|(term, _)| dictionary.spelling(*term));
    let [no_terms, no_counts, none_telling, none_in_lead] = bags_columns(&[], dictionary, 0);
    batch([
        Arc::new(LargeStringArray::from_iter_values(terms)),
        Arc::new(UInt32Array::from_iter_values(documents)),
        no_terms,
        no_counts,
        none_telling,
        none_in_lead,
        Arc::new(LargeStringArray::from_iter_values(spellings)),
    ])
}

fn bags_columns(bags: &[Vec<Counted>], dictionary: &Dictionary, num_pages: u64) -> [ArrayRef; 4] {
    let ends = |lengths: &mut dyn Iterator<Item = usize>| {
        let ends = lengths.scan(0, |end, length| {
            *end += length as i64;
            Some(*end)
        });
        std::iter::once(0).chain(ends).collect::<Vec<i64>>()
    };
    let offsets = ends(&mut bags.iter().map(Vec::len));
    let terms = UInt32Array::from_iter_values(bags.iter().flatten().map(|word| word.term));
    let counts = UInt16Array::from_iter_values(bags.iter().flatten().map(|word| word.count));
    let telling = |part| {
        let telling = bags.par_iter().map(|bag| dictionary.telling(bag, part, num_pages));
        let telling: Vec<Vec<u32>> = telling.collect();
        let offsets = ends(&mut telling.iter().map(Vec::len));
        lists(offsets, Arc::new(UInt32Array::from_iter_values(telling.into_iter().flatten())))
    };
    [
        lists(offsets.clone(), Arc::new(terms)),
        lists(offsets, Arc::new(counts)),
        telling(TextPart::Whole),
        telling(TextPart::Lead),
    ]
}

fn bags_batch(bags: &[Vec<Counted>], dictionary: &Dictionary, num_pages: u64) -> Result<RecordBatch, Error> {
    let [terms, counts, telling, in_lead] = bags_columns(bags, dictionary, num_pages);
    let no_names = || Arc::new(LargeStringArray::from_iter_values([""; 0]));
    let no_documents = UInt32Array::from_iter_values([]);
    batch([no_names(), Arc::new(no_documents), terms, counts, telling, in_lead, no_names()])
}

/// Writes the bags and opens them.
pub(super) fn write(
    corpus: &Corpus,
    sink: Sink,
    settings: Settings,
    dictionary: &Dictionary,
    spooled: &Spooled,
    progress: &mut dyn Progress,
) -> Result<Words, Error> {
    let path = Words::path(corpus);
    let sink = write_batches(&path, sink, settings, dictionary, spooled, progress)?;
    let map = match sink {
        Sink::Disk(file) => {
            file.finish()?;
            mmap::map(&path)?
        }
        Sink::Memory(bytes) => mmap::map_bytes(&bytes.finish().0, &path)?,
    };
    Words::of_map(corpus, path, map)
}

fn write_batches(
    path: &Path,
    sink: Sink,
    settings: Settings,
    dictionary: &Dictionary,
    spooled: &Spooled,
    progress: &mut dyn Progress,
) -> Result<Sink, Error> {
    let mut writer = ArrowWriter::new(path, sink, &schema())?;
    writer.write(&dictionary_batch(dictionary)?)?;
    for start in (0..spooled.num_pages()).step_by(PAGES_IN_BATCH) {
        let end = (start + PAGES_IN_BATCH).min(spooled.num_pages());
        let bags = (start..end).into_par_iter().map(|page| dictionary.bag(spooled.get(page)));
        writer.write(&bags_batch(&bags.collect::<Vec<_>>(), dictionary, settings.figures.documents)?)?;
        progress.advance((end - start) as u64);
    }
    let (sink, _) = writer.finish(&FORMAT, settings, |batches_at| Places { batches_at })?;
    Ok(sink)
}
