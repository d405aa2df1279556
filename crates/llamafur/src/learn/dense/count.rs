//! How many columns the examples of each row touch: what a table of cells that occur takes, before it is made.
//!
//! A row is gone over by the pages that carry its category, with all the links and drawn non-links that learning
//! will see. A thread stamps the columns that it meets with the row's number, so it needs one number a category,
//! and no set is ever built.

use super::examples::{Example, Round};
use super::layout::Layout;
use crate::graph::{Graph, MilestoneId, PageId};
use crate::learn::start::Carried;
use crate::progress::{Progress, Task, WhenStopped};
use crate::storage::{Csr, CsrBuf};
use std::sync::atomic::{AtomicU32, AtomicUsize, Ordering::Relaxed};

/// Examples ahead of the one looked at whose columns are asked for.
const AHEAD: usize = 16;

/// What is gone over.
struct Counting<'a> {
    layout: &'a Layout,
    /// Together all examples of all pages.
    rounds: &'a [Round<'a>],
    /// What is there before.
    start: Option<&'a Carried<'a>>,
    /// The pages of each category.
    pages: Csr<'a, u32>,
    /// Counting ends here.
    enough: usize,
    num_columns: Vec<AtomicU32>,
    /// The next row to be taken: the column of the same category.
    next: AtomicUsize,
}

/// How many columns the examples of each row touch in these rounds; where they are more than `most`, any number
/// beyond it.
pub(super) fn num_columns(
    graph: &Graph<'_>,
    layout: &Layout,
    (rounds, start): (&[Round<'_>], Option<&Carried<'_>>),
    most: usize,
    progress: &mut dyn Progress,
) -> Vec<u32> {
    let pages = CsrBuf::transposed(graph.categories.cast(), graph.num_categories);
    let counting = Counting {
        layout,
        rounds,
        start,
        pages: pages.view(),
        enough: most + 1,
        num_columns: (0..graph.num_categories).map(|_| AtomicU32::new(0)).collect(),
        next: AtomicUsize::new(0),
    };
    progress.start(Task::CountCells, Some(graph.num_categories as u64));
    rayon::in_place_scope(|scope| {
        for _ in 1..rayon::current_num_threads() {
            scope.spawn(|_| counting.run(|_| ()));
        }
        let _stopped = WhenStopped(|| counting.next.store(graph.num_categories, Relaxed));
        counting.run(|rows| progress.advance(rows));
    });
    progress.finish();
    counting.num_columns.into_iter().map(AtomicU32::into_inner).collect()
}

impl Counting<'_> {
    /// Counts until no row is left; `after_row` hears how many rows were taken since the last time.
    fn run(&self, mut after_row: impl FnMut(u64)) {
        let num_rows = self.num_columns.len();
        let (mut stamps, mut examples) = (vec![0u32; num_rows], Vec::new());
        let mut seen = 0;
        loop {
            // The most frequent categories come first, so that no thread is left with a long row in the end.
            let taken = self.next.fetch_add(1, Relaxed);
            after_row((taken.min(num_rows) - seen) as u64);
            seen = taken.min(num_rows);
            if taken >= num_rows {
                return;
            }
            let row = self.layout.category(taken as u32).index();
            let count = self.count(row, &mut stamps, &mut examples);
            self.num_columns[row].store(count as u32, Relaxed);
        }
    }

    fn count(&self, row: usize, stamps: &mut [u32], examples: &mut Vec<Example>) -> usize {
        let (stamp, mut count, mut last) = (row as u32 + 1, 0, None);
        let cells = self.start.into_iter().flat_map(|start| start.row(MilestoneId(row as u32)));
        for (target, _) in cells {
            stamps[self.layout.column(target) as usize] = stamp;
            count += 1;
        }
        for &page in self.pages.row(row) {
            // A list may name a category twice.
            if last.replace(page) == Some(page) {
                continue;
            }
            for round in self.rounds {
                round.deal(PageId(page), examples);
                examples.iter().take(AHEAD).for_each(|&(target, _)| self.layout.prefetch(target));
                for (at, &(target, _)) in examples.iter().enumerate() {
                    if let Some(&(later, _)) = examples.get(at + AHEAD) {
                        self.layout.prefetch(later);
                    }
                    for &column in self.layout.columns(target) {
                        let stamped = &mut stamps[column as usize];
                        count += usize::from(*stamped != stamp);
                        *stamped = stamp;
                    }
                }
                if count >= self.enough {
                    return count;
                }
            }
        }
        count
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::learn::dense::examples::Share;
    use crate::progress::Silent;
    use std::collections::BTreeSet;

    #[test]
    fn the_columns_of_a_row_are_counted_once_each() {
        let links: CsrBuf<PageId> = (0..60u32)
            .map(|page| (1..page % 7).map(move |step| PageId((page + step) % 60)))
            .map(|row| row.collect::<BTreeSet<_>>())
            .collect();
        // Some pages without categories, one that names one twice; category 0 is on no page.
        let categories: CsrBuf<MilestoneId> = (0..60u32)
            .map(|page| match page % 5 {
                0 => vec![],
                1 => vec![1, 1, 2 + page],
                _ => vec![1 + page / 3, 70 - page],
            })
            .map(|row| row.into_iter().map(MilestoneId))
            .collect();
        let graph = Graph::new(links.view(), categories.view(), 75);
        let layout = Layout::new(&graph);
        for (share, passes) in [(Share::Links, 1), (Share::LinksThenNonLinks, 3)] {
            let rounds: Vec<Round<'_>> =
                (0..passes).map(|pass| Round { graph, seed: 5, pass, share }).collect();
            let mut touched = vec![BTreeSet::<MilestoneId>::new(); 75];
            for (round, page) in rounds.iter().flat_map(|round| graph.pages().map(move |page| (round, page)))
            {
                let mut examples = Vec::new();
                round.deal(page, &mut examples);
                for (target, _) in examples {
                    for source in graph.categories(page) {
                        touched[source.index()].extend(graph.categories(target));
                    }
                }
            }
            let expected: Vec<u32> = touched.iter().map(|columns| columns.len() as u32).collect();
            assert!(expected.iter().any(|&count| count > 30) && expected[0] == 0, "{expected:?}");
            for threads in [1, 2, 3, 16] {
                let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
                let count =
                    |most| pool.install(|| num_columns(&graph, &layout, (&rounds, None), most, &mut Silent));
                assert_eq!(count(75), expected);
                // Beyond what is enough only that is known.
                assert!(count(9).iter().zip(&expected).all(|(&found, &all)| found.min(10) == all.min(10)));
            }
        }
    }
}
