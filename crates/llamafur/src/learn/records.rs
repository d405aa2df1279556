//! The numbers of a page's categories, whatever a learner numbers them by, in one cache line.
//!
//! Targets come at random, so each costs at least one trip to memory: here it is one and not two, as it would be
//! with a list and the place where it begins.

use crate::graph::{Graph, MilestoneId, PageId};
use crate::kernels;
use rayon::prelude::*;

/// Numbers that fit beside how many there are.
const INLINE: usize = 7;

/// The numbers of a page; where they are too many, their place among the long lists.
#[derive(Debug, Clone, Copy, Default)]
#[repr(C, align(32))]
struct Record {
    num: u32,
    numbers: [u32; INLINE],
}

/// The numbers of every page's categories, in the order of the categories.
#[derive(Debug)]
pub(super) struct Records {
    /// The record of each page.
    records: Vec<Record>,
    /// The lists that do not fit into a record.
    long: Vec<u32>,
}

impl Records {
    /// Creates the records of a graph, with the number that each category is to have.
    pub(super) fn new(graph: &Graph<'_>, number: impl Fn(MilestoneId) -> u32 + Sync) -> Records {
        let mut records = vec![Record::default(); graph.num_pages()];
        let mut long = Vec::new();
        kernels::advise_large_pages(&mut records);
        let list = |page: usize| graph.categories.row(page);
        records.par_iter_mut().enumerate().for_each(|(page, record)| {
            record.num = list(page).len() as u32;
            if list(page).len() <= INLINE {
                let numbers = list(page).iter().map(|&category| number(category));
                record.numbers.iter_mut().zip(numbers).for_each(|(to, number)| *to = number);
            }
        });
        for (page, record) in
            records.iter_mut().enumerate().filter(|(_, record)| record.num as usize > INLINE)
        {
            let start = long.len() as u64;
            (record.numbers[0], record.numbers[1]) = (start as u32, (start >> 32) as u32);
            long.extend(list(page).iter().map(|&category| number(category)));
        }
        Records { records, long }
    }

    /// Returns the memory of a graph's records, in bytes.
    pub(super) fn num_bytes(graph: &Graph<'_>) -> u64 {
        let long = graph.categories.rows().map(<[_]>::len).filter(|&len| len > INLINE).sum::<usize>();
        (graph.num_pages() * size_of::<Record>() + long * size_of::<u32>()) as u64
    }

    /// Returns the numbers of a page's categories.
    #[inline]
    pub(super) fn of(&self, page: PageId) -> &[u32] {
        let record = &self.records[page.index()];
        let num = record.num as usize;
        match record.numbers.get(..num) {
            Some(numbers) => numbers,
            None => {
                let start = u64::from(record.numbers[0]) | u64::from(record.numbers[1]) << 32;
                &self.long[start as usize..][..num]
            }
        }
    }

    /// Prefetches the numbers of a page.
    #[inline]
    pub(super) fn prefetch(&self, page: PageId) {
        kernels::prefetch(&self.records, page.index());
    }
}
