//! From records to judged links: duplicates, contradictions, and the median of several judges.

use super::account::{Account, Example};
use super::agreement::{Agreement, ClassTable};
use super::class::Class;
use super::pages::Pages;
use super::{JudgedLink, Query};
use llamafur::Error;
use llamafur::graph::PageId;
use std::collections::{BTreeMap, BTreeSet};

/// What a judge said of a link, so many times.
#[derive(Debug, Clone, Copy)]
struct Vote {
    source: PageId,
    target: PageId,
    judge: usize,
    class: Class,
    times: u64,
    /// The first time.
    line: u64,
}

impl Vote {
    fn pair(&self) -> (PageId, PageId) {
        (self.source, self.target)
    }

    fn key(&self) -> (PageId, PageId, usize, Class) {
        (self.source, self.target, self.judge, self.class)
    }
}

/// All votes.
pub(super) struct Votes {
    votes: Vec<Vote>,
    /// The judges' names with their numbers, as they come; number 0 has none.
    judges: BTreeMap<String, usize>,
}

impl Votes {
    pub(super) fn new() -> Votes {
        Votes { votes: Vec::new(), judges: BTreeMap::from([(String::new(), 0)]) }
    }

    /// Takes a record.
    pub(super) fn push(&mut self, source: PageId, target: PageId, judge: &str, class: Class, line: u64) {
        let next = self.judges.len();
        let judge = *self.judges.entry(judge.to_owned()).or_insert(next);
        self.votes.push(Vote { source, target, judge, class, times: 1, line });
    }

    /// How many judges there are.
    pub(super) fn num_judges(&self) -> usize {
        let judges: BTreeSet<usize> = self.votes.iter().map(|vote| vote.judge).collect();
        judges.len()
    }

    fn merge(&mut self) {
        self.votes.sort_unstable_by_key(|vote| (vote.key(), vote.line));
        self.votes.dedup_by(|later, first| {
            let is_same = later.key() == first.key();
            if is_same {
                first.times += later.times;
            }
            is_same
        });
    }

    /// The judged links of each page, ascending, and how far judges agree.
    pub(super) fn finish(
        mut self,
        account: &mut Account,
        pages: &dyn Pages,
    ) -> Result<(Vec<Query>, Vec<Agreement>), Error> {
        self.merge();
        let mut queries: Vec<Query> = Vec::new();
        let mut tables: BTreeMap<(usize, usize), ClassTable> = BTreeMap::new();
        for votes in self.votes.chunk_by(|a, b| a.pair() == b.pair()) {
            let example = |vote: &Vote, why: String| {
                let (source, target) = (pages.title(vote.source)?, pages.title(vote.target)?);
                Ok::<_, Error>(Example { line: vote.line, source, target, why })
            };
            let contradiction = votes.windows(2).find(|pair| pair[0].judge == pair[1].judge);
            if let Some([a, b]) = contradiction {
                let why = format!("{} at line {}, but {} at line {}", a.class, a.line, b.class, b.line);
                let example = example(a, why)?;
                account.contradictory.take(votes.iter().map(|vote| vote.times).sum(), || example);
                continue;
            }
            for vote in votes.iter().filter(|vote| vote.times > 1) {
                let example = example(vote, format!("{} times {}", vote.times, vote.class))?;
                account.duplicates.take(vote.times - 1, || example);
            }
            account.found += votes.len() as u64;
            account.pairs += 1;
            for (i, a) in votes.iter().enumerate().filter(|(_, vote)| vote.judge > 0) {
                for b in &votes[i + 1..] {
                    tables.entry((a.judge, b.judge)).or_default().count(a.class, b.class);
                }
            }
            let mut classes: Vec<Class> = votes.iter().map(|vote| vote.class).collect();
            classes.sort_unstable();
            let link = JudgedLink { target: votes[0].target, class: classes[(classes.len() - 1) / 2] };
            match queries.last_mut() {
                Some(query) if query.page == votes[0].source => query.links.push(link),
                _ => queries.push(Query { page: votes[0].source, links: vec![link] }),
            }
        }
        let mut names: Vec<_> = self.judges.into_iter().map(|(name, number)| (number, name)).collect();
        names.sort_unstable();
        let agreement = |((a, b), table): ((usize, usize), ClassTable)| {
            Agreement::new([a, b].map(|judge| names[judge].1.clone()), &table)
        };
        Ok((queries, tables.into_iter().map(agreement).collect()))
    }
}
