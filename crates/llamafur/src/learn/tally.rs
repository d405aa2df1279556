//! Counting on several threads: each counts for itself, by the place of the example in the sequence.
//!
//! Counts are whole numbers, so their sums do not depend on who counted what. The span of an example, from one
//! checkpoint to the next, follows from how many came before it: the checkpoints are those of a plain loop.

use std::ops::RangeInclusive;
use std::sync::atomic::{AtomicU64, Ordering};

/// Examples up to the first checkpoint; each further one comes after twice as many.
pub(super) const FIRST_CHECKPOINT: u64 = 1 << 14;

/// Spans between checkpoints of any sequence.
pub(super) const NUM_SPANS: usize = 65 - FIRST_CHECKPOINT.trailing_zeros() as usize;

/// Returns the span of the example that `before` others came before.
#[inline]
pub(super) fn span_of(before: u64) -> usize {
    (u64::BITS - (before / FIRST_CHECKPOINT).leading_zeros()) as usize
}

/// Returns the number of examples up to the end of a span.
pub(super) fn end_of(span: usize) -> u64 {
    FIRST_CHECKPOINT << span
}

/// The counts of a span.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Span {
    pub(super) examples: u64,
    /// Examples with a guess of the matrix.
    pub(super) guesses: u64,
    /// Wrong guesses.
    pub(super) wrong: u64,
}

/// The counts of a thread, or of all threads.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Tally {
    pub(super) spans: [Span; NUM_SPANS],
    /// Examples of which one side has no category.
    pub(super) without_categories: u64,
}

impl Default for Tally {
    fn default() -> Tally {
        Tally { spans: [Span::default(); NUM_SPANS], without_categories: 0 }
    }
}

impl Tally {
    /// Counts an example; `expectedness` is that of the matrix, `None` without categories.
    #[inline]
    pub(super) fn example(&mut self, before: u64, is_link: bool, expectedness: Option<f64>) {
        let span = &mut self.spans[span_of(before)];
        span.examples += 1;
        match expectedness {
            Some(e) => {
                span.guesses += 1;
                span.wrong += u64::from((e > 0.0) != is_link);
            }
            None => self.without_categories += 1,
        }
    }

    /// Counts examples without a guess.
    pub(super) fn count(&mut self, before: u64, examples: u64) {
        let (mut from, end) = (before, before + examples);
        while from < end {
            let span = span_of(from);
            let to = end.min(end_of(span));
            self.spans[span].examples += to - from;
            from = to;
        }
    }

    /// Returns the number of all examples seen.
    pub(super) fn examples(&self) -> u64 {
        self.spans.iter().map(|span| span.examples).sum()
    }
}

/// A thread's tally for others to read: written by that thread alone.
#[derive(Debug)]
#[repr(align(128))]
pub(super) struct Published {
    spans: [[AtomicU64; 3]; NUM_SPANS],
    without_categories: AtomicU64,
}

impl Default for Published {
    fn default() -> Published {
        let zero = |_| AtomicU64::new(0);
        Published { spans: std::array::from_fn(|_| std::array::from_fn(zero)), without_categories: zero(0) }
    }
}

impl Published {
    /// Publishes these spans of the tally.
    pub(super) fn show(&self, tally: &Tally, spans: RangeInclusive<usize>) {
        self.without_categories.store(tally.without_categories, Ordering::Relaxed);
        for span in spans {
            let (Span { examples, guesses, wrong }, shown) = (tally.spans[span], &self.spans[span]);
            shown[1].store(guesses, Ordering::Relaxed);
            shown[2].store(wrong, Ordering::Relaxed);
            // Last, so that a thread that sees the examples sees what was guessed of them.
            shown[0].store(examples, Ordering::Release);
        }
    }

    /// Sums what all threads have published.
    pub(super) fn sum<'a>(all: impl IntoIterator<Item = &'a Published>) -> Tally {
        let mut sum = Tally::default();
        for published in all {
            for (span, shown) in sum.spans.iter_mut().zip(&published.spans) {
                span.examples += shown[0].load(Ordering::Acquire);
                span.guesses += shown[1].load(Ordering::Relaxed);
                span.wrong += shown[2].load(Ordering::Relaxed);
            }
            sum.without_categories += published.without_categories.load(Ordering::Relaxed);
        }
        sum
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spans_end_where_the_checkpoints_of_a_plain_loop_are() {
        assert_eq!([0, FIRST_CHECKPOINT - 1].map(span_of), [0, 0]);
        for span in 0..40 {
            assert_eq!(
                [end_of(span) - 1, end_of(span), 2 * end_of(span) - 1].map(span_of),
                [span, span + 1, span + 1]
            );
        }
        assert_eq!(span_of(u64::MAX), NUM_SPANS - 1);
    }

    #[test]
    fn many_at_once_are_as_many_one_by_one() {
        let (mut one_by_one, mut at_once) = (Tally::default(), Tally::default());
        let (before, examples) = (FIRST_CHECKPOINT - 5, 2 * FIRST_CHECKPOINT);
        (before..before + examples).for_each(|before| one_by_one.count(before, 1));
        at_once.count(before, examples);
        assert_eq!(one_by_one, at_once);
        assert_eq!((at_once.examples(), at_once.spans[0].examples), (examples, 5));
    }

    #[test]
    fn what_threads_show_adds_up() {
        let all: Vec<Published> = (0..3).map(|_| Published::default()).collect();
        for (thread, published) in (0..).zip(&all) {
            let mut tally = Tally::default();
            tally.example(thread, true, Some(1.0));
            tally.example(FIRST_CHECKPOINT + thread, true, Some(-1.0));
            tally.example(thread, false, None);
            published.show(&tally, 0..=1);
        }
        let sum = Published::sum(&all);
        assert_eq!(sum.spans[0], Span { examples: 6, guesses: 3, wrong: 0 });
        assert_eq!(sum.spans[1], Span { examples: 3, guesses: 3, wrong: 3 });
        assert_eq!(sum.without_categories, 3);
    }
}
