//! The work of one thread: it holds a few pages that it has taken, prefetches their memory, and works on those whose
//! turn has come.

use super::examples::{Example, Round};
use super::layout::Layout;
use super::rules::{Block, Rule};
use super::turns::{Queue, Taken, Turn};
use crate::kernels;
use crate::learn::tally::{Published, Tally, span_of};
use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};

/// Pages that a thread holds when their turn has come: the one to work on, and the next, for whose memory it can
/// ask meanwhile. Every page held is one that others may have to wait for.
const READY: usize = 2;
/// Pages that a thread holds at most, with those whose turn has not come.
const HELD: usize = 16;
/// Cells prefetched ahead: more than the processor fetches at once, less than its nearest cache holds.
const CELLS_AHEAD: usize = 128;
/// Examples of a page whose columns are prefetched as soon as it is taken; the columns of later ones are prefetched
/// this many examples before their cells.
const COLUMNS_AHEAD: usize = 32;
/// Turns of the waiting loop before the processor is left to others.
const SPINS: u32 = 100;

/// State that all threads share in a round.
pub(super) struct Workshop<'a, R> {
    pub(super) round: Round<'a>,
    pub(super) layout: &'a Layout,
    pub(super) queue: Queue<'a>,
    pub(super) numbers: &'a [AtomicU32],
    pub(super) rule: &'a R,
    /// True once a thread has panicked: its rows would be waited for in vain.
    pub(super) broken: AtomicBool,
    /// A function called with the examples before a page when it is to be worked on, for tests to be slow.
    #[cfg(test)]
    pub(super) pace: fn(u64),
}

/// A page that was taken.
#[derive(Default)]
struct Held {
    before: u64,
    turns: Vec<Turn>,
    num_reached: usize,
    /// The start of the row of each of its categories.
    rows: Vec<usize>,
    examples: Vec<Example>,
    /// Examples whose cells were prefetched.
    num_asked: usize,
    /// Prefetched cells, as [`price`] counts them.
    cells_asked: usize,
}

pub(super) struct Worker<'a, R> {
    shop: &'a Workshop<'a, R>,
    held: VecDeque<Held>,
    /// Memory of pages that are done.
    scratch: Vec<Held>,
    tally: Tally,
    published: &'a Published,
}

impl<'a, R: Rule> Worker<'a, R> {
    /// Creates a worker that continues counting from this tally.
    pub(super) fn new(shop: &'a Workshop<'a, R>, published: &'a Published) -> Self {
        let tally = Published::sum([published]);
        let (held, scratch) = (VecDeque::with_capacity(HELD), Vec::new());
        Worker { shop, held, scratch, tally, published }
    }

    /// Works until no page is left; `after_page` hears how many examples each had.
    pub(super) fn run(mut self, mut after_page: impl FnMut(usize)) {
        let alarm = Alarm(&self.shop.broken);
        let (mut more, mut spins) = (true, 0u32);
        while more || !self.held.is_empty() {
            let (mut ready, mut num_ready) = self.find_ready();
            while more && num_ready < READY && self.held.len() < HELD {
                more = self.take(&mut after_page);
                (ready, num_ready) = self.find_ready();
            }
            match ready.and_then(|at| self.held.remove(at)) {
                Some(mut page) => {
                    self.work(&mut page);
                    after_page(page.examples.len());
                    self.scratch.push(page);
                    spins = 0;
                }
                None if self.held.is_empty() => {}
                None if self.shop.broken.load(Ordering::Relaxed) => break,
                None => {
                    spins = spins.wrapping_add(1);
                    if spins.is_multiple_of(SPINS) {
                        std::thread::yield_now()
                    } else {
                        std::hint::spin_loop()
                    }
                }
            }
        }
        drop(alarm);
    }

    /// Finds the first page whose turn has come, and how many such there are.
    fn find_ready(&mut self) -> (Option<usize>, usize) {
        let (mut first, mut num) = (None, 0);
        for (at, held) in self.held.iter_mut().enumerate() {
            if self.shop.queue.are_reached(&held.turns, &mut held.num_reached) {
                first = first.or(Some(at));
                num += 1;
            }
        }
        (first, num)
    }

    /// Takes the next page and prefetches the columns of its first examples; `false` when there is none left.
    fn take(&mut self, after_page: &mut impl FnMut(usize)) -> bool {
        let mut held = self.scratch.pop().unwrap_or_default();
        let shop = self.shop;
        let Some(Taken { page, num_examples, before }) = shop.queue.take(&mut held.turns) else {
            return false;
        };
        let sources = shop.layout.columns(page);
        if sources.is_empty() {
            // Nothing to learn: the examples are counted, and need not be drawn.
            self.tally.count(before, num_examples as u64);
            self.tally.without_categories += if R::GUESSES { num_examples as u64 } else { 0 };
            self.show(before, num_examples);
            after_page(num_examples);
            self.scratch.push(held);
            return true;
        }
        shop.round.deal(page, &mut held.examples);
        debug_assert_eq!(held.examples.len(), num_examples);
        held.examples.iter().take(COLUMNS_AHEAD).for_each(|&(target, _)| shop.layout.prefetch(target));
        held.rows.clear();
        let row_len = R::WIDTH * shop.round.graph.num_categories;
        held.rows.extend(sources.iter().map(|&column| shop.layout.category(column).index() * row_len));
        (held.before, held.num_reached, held.num_asked, held.cells_asked) = (before, 0, 0, 0);
        self.held.push_back(held);
        true
    }

    /// Learns from the examples of a page whose turn it is, and passes its rows on.
    fn work(&mut self, page: &mut Held) {
        #[cfg(test)]
        (self.shop.pace)(page.before);
        let shop = self.shop;
        // Cells asked for and not yet used; and the page behind this one that is asked for when it is through.
        let (mut ahead, mut next) = (page.cells_asked, 0);
        for (at, before) in (0..page.examples.len()).zip(page.before..) {
            while (ahead < CELLS_AHEAD || page.num_asked <= at) && self.ask(page, &mut next, &mut ahead) {}
            let (target, is_link) = page.examples[at];
            let columns = shop.layout.columns(target);
            ahead -= price(page.rows.len(), columns.len());
            let block = Block { numbers: shop.numbers, width: R::WIDTH, rows: &page.rows, columns };
            if !R::GUESSES {
                shop.rule.step(block, is_link, before);
                self.tally.count(before, 1);
            } else if columns.is_empty() {
                self.tally.example(before, is_link, None);
            } else {
                let e = shop.rule.step(block, is_link, before);
                self.tally.example(before, is_link, Some(e));
            }
        }
        shop.queue.pass_on(&page.turns);
        self.show(page.before, page.examples.len());
    }

    /// Prefetches the cells of the next example of the page, or else of the pages held whose turn has come; `false`
    /// when there is none.
    #[inline]
    fn ask(&mut self, page: &mut Held, next: &mut usize, ahead: &mut usize) -> bool {
        let shop = self.shop;
        let page = if page.num_asked < page.examples.len() {
            page
        } else {
            // Where others still write, asking would take the memory away from them.
            let is_to_ask =
                |held: &Held| held.num_asked < held.examples.len() && held.num_reached == held.turns.len();
            while self.held.get(*next).is_some_and(|held| !is_to_ask(held)) {
                *next += 1;
            }
            let Some(held) = self.held.get_mut(*next) else { return false };
            held
        };
        let columns = shop.layout.columns(page.examples[page.num_asked].0);
        let block = Block { numbers: shop.numbers, width: R::WIDTH, rows: &page.rows, columns };
        block.at_places(|place| kernels::prefetch(shop.numbers, place));
        if let Some(&(later, _)) = page.examples.get(page.num_asked + COLUMNS_AHEAD) {
            shop.layout.prefetch(later);
        }
        let price = price(page.rows.len(), columns.len());
        page.num_asked += 1;
        page.cells_asked += price;
        *ahead += price;
        true
    }

    fn show(&self, before: u64, num_examples: usize) {
        let last = before + (num_examples as u64).max(1) - 1;
        self.published.show(&self.tally, span_of(before)..=span_of(last));
    }
}

/// Returns the cells that an example counts for in the prefetch window: at least one, so that the window ends.
#[inline]
fn price(num_rows: usize, num_columns: usize) -> usize {
    (num_rows * num_columns).max(1)
}

/// A guard that sets the flag for the other threads when its own panics.
struct Alarm<'a>(&'a AtomicBool);

impl Drop for Alarm<'_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.0.store(true, Ordering::Relaxed);
        }
    }
}
