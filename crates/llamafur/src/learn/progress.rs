//! The figures of a learner at work: how often its guess, made before it learnt from the example, was wrong.
//!
//! Guessing “link” every time is wrong half of the time, since links and non-links come in equal numbers: that
//! is the figure to compare with.

use super::tally::{FIRST_CHECKPOINT, NUM_SPANS, Tally, end_of};
use super::{Explained, Method};
use crate::progress::{Note, Progress, Task};
use serde::{Deserialize, Serialize};
use std::ops::AddAssign;

/// The counts of training.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Figures {
    /// Examples seen: links and non-links, with or without categories.
    pub examples: u64,
    /// Examples of which one side has no category, so that there was nothing to learn.
    pub without_categories: u64,
    /// Links with positive expectedness in the end.
    pub explained: Explained,
    /// The wrong guesses so far, on a doubling schedule.
    pub checkpoints: Vec<Checkpoint>,
}

/// The state of affairs after some examples.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Checkpoint {
    /// Examples seen.
    pub examples: u64,
    /// Guesses made since the last checkpoint, where both sides have categories.
    pub guesses: u64,
    /// The number of wrong guesses.
    pub wrong: u64,
}

impl Checkpoint {
    /// Returns the share of wrong guesses.
    pub fn wrong_share(&self) -> f64 {
        self.wrong as f64 / self.guesses.max(1) as f64
    }
}

/// The counts of a batch of examples.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Counted {
    pub(crate) examples: u64,
    pub(crate) without_categories: u64,
    pub(crate) guesses: u64,
    pub(crate) wrong: u64,
}

impl AddAssign for Counted {
    fn add_assign(&mut self, of: Counted) {
        self.examples += of.examples;
        self.without_categories += of.without_categories;
        self.guesses += of.guesses;
        self.wrong += of.wrong;
    }
}

/// Examples between two reports to the progress bar.
const STRIDE: u64 = FIRST_CHECKPOINT;

/// A counter of examples that reports progress.
pub(crate) struct Watch<'a> {
    progress: &'a mut dyn Progress,
    figures: Figures,
    since_last: Checkpoint,
    next_checkpoint: u64,
    /// The span of a tally that is not yet reported.
    span: usize,
    reported: u64,
}

impl<'a> Watch<'a> {
    pub(crate) fn new(progress: &'a mut dyn Progress, method: Method, examples: u64) -> Watch<'a> {
        progress.start(Task::Learn { method: method.name() }, Some(examples));
        let since_last = Checkpoint { examples: 0, guesses: 0, wrong: 0 };
        let (figures, next_checkpoint) = (Figures::default(), STRIDE);
        Watch { progress, figures, since_last, next_checkpoint, span: 0, reported: 0 }
    }

    /// Counts an example; `expectedness` is that of the matrix, `None` without categories.
    #[cfg(test)]
    pub(crate) fn example(&mut self, is_link: bool, expectedness: Option<f64>) {
        match expectedness {
            Some(e) => {
                self.since_last.guesses += 1;
                self.since_last.wrong += u64::from((e > 0.0) != is_link);
            }
            None => self.figures.without_categories += 1,
        }
        self.count(1);
    }

    /// Counts a batch of examples.
    pub(crate) fn batch(&mut self, seen: &Counted) {
        self.since_last.guesses += seen.guesses;
        self.since_last.wrong += seen.wrong;
        self.figures.without_categories += seen.without_categories;
        self.count(seen.examples);
    }

    /// Counts examples without a guess.
    pub(crate) fn count(&mut self, examples: u64) {
        self.figures.examples += examples;
        if self.figures.examples - self.reported >= STRIDE {
            self.report();
        }
    }

    /// Takes over what several threads have seen in all, instead of every example by itself.
    pub(crate) fn absorb(&mut self, seen: &Tally) {
        self.figures.examples = seen.examples();
        self.figures.without_categories = seen.without_categories;
        self.progress.advance(self.figures.examples - self.reported);
        self.reported = self.figures.examples;
        while self.span < NUM_SPANS {
            let span = seen.spans[self.span];
            (self.since_last.guesses, self.since_last.wrong) = (span.guesses, span.wrong);
            // Threads may be in later spans before all are through with this one.
            let start = self.span.checked_sub(1).map_or(0, end_of);
            if start + span.examples < end_of(self.span) {
                break;
            }
            self.checkpoint_at(end_of(self.span));
            self.span += 1;
        }
    }

    fn report(&mut self) {
        self.progress.advance(self.figures.examples - self.reported);
        self.reported = self.figures.examples;
        if self.figures.examples >= self.next_checkpoint {
            self.next_checkpoint = self.figures.examples * 2;
            self.checkpoint_at(self.figures.examples);
        }
    }

    fn checkpoint_at(&mut self, examples: u64) {
        if self.since_last.guesses == 0 {
            return;
        }
        let none = Checkpoint { examples: 0, guesses: 0, wrong: 0 };
        let checkpoint = Checkpoint { examples, ..std::mem::replace(&mut self.since_last, none) };
        self.progress.note(Note::Checkpoint {
            number: self.figures.checkpoints.len(),
            examples,
            wrong_share: checkpoint.wrong_share(),
        });
        self.figures.checkpoints.push(checkpoint);
    }

    pub(crate) fn finish(mut self) -> Figures {
        self.progress.advance(self.figures.examples - self.reported);
        self.checkpoint_at(self.figures.examples);
        self.progress.finish();
        self.figures
    }
}
