//! Reasons for a link's place in a ranking: the signals that speak for it, the strongest first.

use crate::Error;
use crate::graph::PageId;
use crate::score::{Details, Reason, Score, Side, signals_of};

/// Largest number of reasons for a row of a ranking or a side of an explanation.
const MOST: usize = 3;

/// Standard deviations from the mean of all links below which a signal is not reported, unless no other speaks.
const WEAK: f64 = 0.5;

/// The signals of a scorer and their values for some links of a page.
pub(super) struct Reasons<'a> {
    pub(super) scorer: &'a dyn Score,
    pub(super) details: &'a Details,
    pub(super) source: PageId,
}

impl Reasons<'_> {
    /// Returns the reasons for a side, given the link's place among the details. Never empty: where no signal speaks
    /// for that side by itself, the reason is the place among the other links.
    pub(super) fn of(&self, at: usize, target: PageId, side: Side) -> Result<Vec<Reason>, Error> {
        let mut reasons = self.strongest(at, target, side, WEAK)?;
        if reasons.is_empty() {
            reasons = self.strongest(at, target, side, f64::MIN_POSITIVE)?;
            reasons.truncate(1);
        }
        if reasons.is_empty() {
            let text = match side {
                Side::Odd => "less expected than most links",
                Side::Expected => "more expected than most links",
            };
            reasons.push(Reason::new(self.scorer.name(), text));
        }
        Ok(reasons)
    }

    /// Returns the signals whose share of the sum speaks for a side by at least `least`.
    pub(super) fn strongest(
        &self,
        at: usize,
        target: PageId,
        side: Side,
        least: f64,
    ) -> Result<Vec<Reason>, Error> {
        let parts = signals_of(self.scorer);
        let mut shares: Vec<(f64, &dyn Score)> = Vec::new();
        for (part, signal) in parts.into_iter().zip(&self.details.signals) {
            let share = signal.scores[at].map(|score| signal.weight * score);
            let share = share.map(|share| if side == Side::Odd { share } else { -share });
            // The zero of a single scorer's raw scores means nothing: its place in the ranking does.
            let share = if self.scorer.is_standardised() { share } else { share.map(|_| f64::INFINITY) };
            shares.extend(share.filter(|share| *share >= least).map(|share| (share, part)));
        }
        shares.sort_by(|a, b| b.0.total_cmp(&a.0));
        let mut reasons: Vec<Reason> = Vec::new();
        for (_, part) in shares {
            if reasons.len() == MOST {
                break;
            }
            if let Some(reason) = part.reason(self.source, target, side)?
                && reasons.iter().all(|other| other.text != reason.text)
            {
                reasons.push(reason);
            }
        }
        Ok(reasons)
    }
}
