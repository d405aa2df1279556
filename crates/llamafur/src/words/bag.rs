//! The words of one page.

use crate::graph::TermId;

/// The terms of a page and how often each occurs there.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Bag<'a> {
    terms: &'a [TermId],
    counts: &'a [u16],
}

impl<'a> Bag<'a> {
    /// Creates a bag of these terms, ascending, with as many counts.
    pub(super) fn new(terms: &'a [TermId], counts: &'a [u16]) -> Bag<'a> {
        debug_assert_eq!(terms.len(), counts.len());
        Bag { terms, counts }
    }

    /// Returns the terms, ascending.
    pub(crate) fn terms(self) -> &'a [TermId] {
        self.terms
    }

    /// Returns the number of occurrences of each term in the text, in their order; at most 65,535.
    pub(crate) fn counts(self) -> &'a [u16] {
        self.counts
    }

    /// Returns whether there is no term, be it that the page has no text.
    pub(crate) fn is_empty(self) -> bool {
        self.terms.is_empty()
    }

    /// Returns the count of the most frequent term; 0 where there is none.
    pub(crate) fn highest(self) -> u16 {
        self.counts.iter().copied().max().unwrap_or(0)
    }

    /// Returns each term with its count.
    pub(crate) fn iter(self) -> impl ExactSizeIterator<Item = (TermId, u16)> + use<'a> {
        self.terms.iter().copied().zip(self.counts.iter().copied())
    }
}
