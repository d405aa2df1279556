//! The words of some pages: their own dictionary, in order, and their bags with the numbers of its terms.

use super::cut::{Cutter, Rules};
use super::names::{Names, Spellings};
use super::packed::{Counted, cut_off, pack};
use crate::Error;
use crate::storage::arrow_file::{list_of, lists};
use crate::storage::columns::{Ids, Lists, Strings, Table};
use arrow_array::{ArrayRef, LargeStringArray, UInt8Array, UInt32Array, UInt64Array};
use arrow_schema::{DataType, Field};
use std::sync::Arc;

/// The number of buffers of these columns.
pub(super) const BUFFERS: usize = 28;

/// Returns the fields of a part's columns.
pub(super) fn fields() -> Vec<Field> {
    vec![
        Field::new("term", list_of(DataType::LargeUtf8), false),
        // Empty where it is the term.
        Field::new("spelling", list_of(DataType::LargeUtf8), false),
        // Pages of the part that have the term.
        Field::new("documents", list_of(DataType::UInt32), false),
        // Of each page in how many pages of the part the commonest of its terms is.
        Field::new("commonest", list_of(DataType::UInt32), false),
        Field::new("bags", list_of(list_of(DataType::UInt8)), false),
        // One number: pages with text.
        Field::new("texts", list_of(DataType::UInt64), false),
    ]
}

/// A counter of the words of pages.
pub(super) struct PartWriter<'r> {
    cutter: Cutter<'r>,
    /// The number of these pages in which each term occurs.
    documents: Vec<u32>,
    /// Terms and counts, page after page.
    words: Vec<Counted>,
    ends: Vec<usize>,
    texts: u64,
}

impl<'r> PartWriter<'r> {
    pub(super) fn new(rules: &'r Rules) -> PartWriter<'r> {
        let (documents, words, ends) = (Vec::new(), Vec::new(), Vec::new());
        PartWriter { cutter: Cutter::new(rules), documents, words, ends, texts: 0 }
    }

    /// Adds the next page: its text without markup, if it has one.
    pub(super) fn push(&mut self, text: Option<&str>) {
        let (documents, words) = (&mut self.documents, &mut self.words);
        self.cutter.cut(text.unwrap_or_default(), |term, [count, in_lead]| {
            let index = term as usize;
            if index >= documents.len() {
                documents.resize(index + 1, 0);
            }
            documents[index] += 1;
            words.push(Counted { term, count: cut_off(count), in_lead: cut_off(in_lead) });
        });
        self.texts += u64::from(text.is_some());
        self.ends.push(self.words.len());
    }

    pub(super) fn finish(mut self) -> [ArrayRef; 6] {
        let Cutter { terms, spellings, .. } = self.cutter;
        let mut in_order: Vec<u32> = (0..terms.len() as u32).collect();
        in_order.sort_unstable_by(|a, b| terms.get(*a).cmp(terms.get(*b)));
        let mut numbers = vec![0; terms.len()];
        (0..).zip(&in_order).for_each(|(number, term)| numbers[*term as usize] = number);
        let (mut commonest, mut bytes) = (Vec::new(), Vec::new());
        let (mut offsets, mut start) = (vec![0], 0);
        for end in self.ends {
            let bag = &mut self.words[start..end];
            commonest.push(bag.iter().map(|word| self.documents[word.term as usize]).max().unwrap_or(0));
            bag.iter_mut().for_each(|word| word.term = numbers[word.term as usize]);
            bag.sort_unstable_by_key(|word| word.term);
            pack(bag, &mut bytes);
            offsets.push(bytes.len() as i64);
            start = end;
        }
        let documents = in_order.iter().map(|term| self.documents[*term as usize]);
        [
            strings(&terms, &in_order),
            own_spellings(&spellings, &in_order),
            Arc::new(UInt32Array::from_iter_values(documents)),
            Arc::new(UInt32Array::from(commonest)),
            lists(offsets, Arc::new(UInt8Array::from(bytes))),
            Arc::new(UInt64Array::from(vec![self.texts])),
        ]
    }
}

fn strings(terms: &Names, in_order: &[u32]) -> ArrayRef {
    Arc::new(LargeStringArray::from_iter_values(in_order.iter().map(|term| terms.get(*term))))
}

fn own_spellings(spellings: &Spellings, in_order: &[u32]) -> ArrayRef {
    let shown = in_order.iter().map(|term| spellings.get(*term).unwrap_or_default());
    Arc::new(LargeStringArray::from_iter_values(shown))
}

/// The words of a part, opened.
pub(super) struct Part {
    terms: Strings,
    spellings: Strings,
    documents: Ids<u32>,
    commonest: Ids<u32>,
    bags: Lists<u8>,
    texts: Ids<u64>,
}

impl Part {
    pub(super) fn new(table: &Table) -> Result<Part, Error> {
        Ok(Part {
            terms: table.only_strings(0)?,
            spellings: table.only_strings(5)?,
            documents: table.only_list(10)?,
            commonest: table.only_list(14)?,
            bags: table.only_lists(18, None)?,
            texts: table.only_list(24)?,
        })
    }

    pub(super) fn num_pages(&self) -> usize {
        self.bags.num_rows()
    }

    pub(super) fn num_terms(&self) -> usize {
        self.terms.len()
    }

    /// Returns the number of pages with text.
    pub(super) fn num_texts(&self) -> Result<u64, Error> {
        Ok(self.texts.all()?.iter().sum())
    }

    pub(super) fn term(&self, number: usize) -> Result<&str, Error> {
        self.terms.get(number)
    }

    /// Returns a word to show in the place of a term.
    pub(super) fn spelling(&self, number: usize) -> Result<&str, Error> {
        let spelling = self.spellings.get(number)?;
        if spelling.is_empty() { self.term(number) } else { Ok(spelling) }
    }

    /// Returns the number of pages of the part in which each term occurs.
    pub(super) fn documents(&self) -> Result<&[u32], Error> {
        self.documents.all()
    }

    /// Returns, for each page, the number of pages of the part that have its commonest term.
    pub(super) fn commonest(&self) -> Result<&[u32], Error> {
        self.commonest.all()
    }

    /// Returns the bag of a page, packed.
    pub(super) fn bag(&self, page: usize) -> Result<&[u8], Error> {
        self.bags.get(page)
    }
}
