//! Turns records into judged links: handles duplicates, contradictions, and several judges.

use super::account::{Account, Example};
use super::class::Class;
use super::pages::Pages;
use super::{JudgedLink, Query};
use llamafur::Error;
use llamafur::graph::PageId;
use std::collections::BTreeMap;

/// A record of a link that the corpus has.
#[derive(Debug, Clone, Copy)]
struct LinkRecord {
    source: PageId,
    target: PageId,
    judge: usize,
    line: u64,
    class: Class,
}

impl LinkRecord {
    fn pair(&self) -> (PageId, PageId) {
        (self.source, self.target)
    }
}

/// All records of links that the corpus has.
#[derive(Default)]
pub(super) struct LinkRecords {
    records: Vec<LinkRecord>,
    /// The numbers of the judges, by name.
    judges: BTreeMap<String, usize>,
}

impl LinkRecords {
    /// Adds a record.
    pub(super) fn push(&mut self, source: PageId, target: PageId, judge: &str, class: Class, line: u64) {
        let next = self.judges.len();
        let judge = *self.judges.entry(judge.to_owned()).or_insert(next);
        self.records.push(LinkRecord { source, target, judge, line, class });
    }

    /// Returns the judged links of each page, ascending.
    pub(super) fn finish(mut self, account: &mut Account, pages: &dyn Pages) -> Result<Vec<Query>, Error> {
        self.records.sort_unstable_by_key(|record| (record.pair(), record.line));
        let mut queries: Vec<Query> = Vec::new();
        for records in self.records.chunk_by(|a, b| a.pair() == b.pair()) {
            let (first, last) = (&records[0], &records[records.len() - 1]);
            let example = |record: &LinkRecord, why: String| {
                let (source, target) = (pages.title(record.source)?, pages.title(record.target)?);
                Ok::<_, Error>(Example { line: record.line, source, target, why })
            };
            let mut firsts: BTreeMap<usize, &LinkRecord> = BTreeMap::new();
            let contradiction = records.iter().find_map(|record| {
                let first = *firsts.entry(record.judge).or_insert(record);
                (first.class != record.class).then_some((first, record))
            });
            if let Some((a, b)) = contradiction {
                let why = format!("{} at line {}, but {} at line {}", a.class, a.line, b.class, b.line);
                let example = example(a, why)?;
                account.contradictory.take(records.len() as u64, || example);
                continue;
            }
            if records.len() > 1 {
                let example = example(first, format!("judged again at line {}: {}", last.line, last.class))?;
                account.duplicates.take(records.len() as u64 - 1, || example);
            }
            account.found += 1;
            let link = JudgedLink { target: last.target, class: last.class };
            match queries.last_mut() {
                Some(query) if query.page == last.source => query.links.push(link),
                _ => queries.push(Query { page: last.source, links: vec![link] }),
            }
        }
        Ok(queries)
    }
}
