//! The figures of displayed rows.

use super::labels::JudgedRow;
use super::letter::{RowLetter, RowSign};
use crate::statistics::Resamples;
use serde::Serialize;

/// A share with its interval.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct RowShare {
    /// The share; `None` if its denominator is 0.
    pub share: Option<f64>,
    /// The ends of the 95% interval; `None` with fewer than two pages.
    pub ci95: Option<[f64; 2]>,
}

/// Figures of a ranking's displayed rows: shares of the judged ones, unless a field says otherwise.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct RowFigures {
    /// The scorer of the rows.
    pub scorer: String,
    /// Number of rows shown.
    pub shown: usize,
    /// Number of those that have a label.
    pub judged: usize,
    /// Number of those without one, which no share counts.
    pub unjudged: usize,
    /// Number of judged rows whose reason has a sign.
    pub signed: usize,
    /// Strict precision: the share of A.
    pub a: RowShare,
    /// Lenient precision: the share of A and B.
    pub a_or_b: RowShare,
    /// The share of D, noise.
    pub d: RowShare,
    /// The share of E, wrong links.
    pub e: RowShare,
    /// The share of pages that have an A among their rows.
    pub pages_with_a: RowShare,
    /// The mean number of A of a page.
    pub a_per_page: RowShare,
    /// The share of + among the rows that have a sign.
    pub plus: RowShare,
    /// The share of − among the rows that have a sign.
    pub minus: RowShare,
}

impl RowFigures {
    /// Returns every share with the name of its field, in the order of the fields.
    pub fn shares(&self) -> [(&'static str, RowShare); 8] {
        [
            ("a", self.a),
            ("a_or_b", self.a_or_b),
            ("d", self.d),
            ("e", self.e),
            ("pages_with_a", self.pages_with_a),
            ("a_per_page", self.a_per_page),
            ("plus", self.plus),
            ("minus", self.minus),
        ]
    }

    /// Takes the figures over the rows of all pages.
    pub(super) fn new(scorer: &str, pages: &[PageRows], resamples: &Resamples) -> RowFigures {
        let sum = |of: fn(&PageRows) -> f64| pages.iter().map(of).sum::<f64>().round() as usize;
        let share = |part: &dyn Fn(&PageRows) -> f64, whole: fn(&PageRows) -> f64| {
            let parts: Vec<f64> = pages.iter().map(part).collect();
            let wholes: Vec<f64> = pages.iter().map(whole).collect();
            let found = resamples.ratio(&parts, &wholes);
            RowShare { share: (found.queries > 0).then_some(found.mean), ci95: found.ci95 }
        };
        let of_judged = |letters: &[RowLetter]| share(&|page| page.num_of(letters), |page| page.num_judged);
        let of_signed = |sign: RowSign| share(&|page| page.signs[sign as usize], PageRows::num_signed);
        RowFigures {
            scorer: scorer.to_owned(),
            shown: sum(|page| page.num_shown),
            judged: sum(|page| page.num_judged),
            unjudged: sum(|page| page.num_shown - page.num_judged),
            signed: sum(PageRows::num_signed),
            a: of_judged(&[RowLetter::A]),
            a_or_b: of_judged(&[RowLetter::A, RowLetter::B]),
            d: of_judged(&[RowLetter::D]),
            e: of_judged(&[RowLetter::E]),
            pages_with_a: share(&|page| page.has_a, PageRows::is_known),
            a_per_page: share(&|page| page.num_of(&[RowLetter::A]), PageRows::is_known),
            plus: of_signed(RowSign::Plus),
            minus: of_signed(RowSign::Minus),
        }
    }
}

/// Counts of a page's rows; expected counts if rows are drawn.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct PageRows {
    num_shown: f64,
    num_judged: f64,
    letters: [f64; 5],
    signs: [f64; 3],
    /// The probability of an A among them: 0 or 1 if nothing is drawn.
    has_a: f64,
}

impl PageRows {
    /// Counts a displayed row, with its label.
    pub(super) fn count(&mut self, label: Option<&JudgedRow>) {
        self.num_shown += 1.0;
        let Some(row) = label else { return };
        self.num_judged += 1.0;
        self.letters[row.letter.index()] += 1.0;
        if let Some(sign) = row.sign {
            self.signs[sign as usize] += 1.0;
        }
        if row.letter == RowLetter::A {
            self.has_a = 1.0;
        }
    }

    /// Returns the expected counts of `most` of these rows, drawn without replacement; of all rows if there are fewer.
    pub(super) fn drawn(self, most: usize) -> PageRows {
        let drawn = self.num_judged.min(most as f64);
        if drawn == 0.0 {
            return PageRows::default();
        }
        let share = drawn / self.num_judged;
        // One after the other is no A: (L − a)/L · (L − a − 1)/(L − 1) · …
        let (mut no_a, mut others) = (1.0, self.num_judged - self.num_of(&[RowLetter::A]));
        let mut left = self.num_judged;
        for _ in 0..drawn as usize {
            no_a *= others.max(0.0) / left;
            (others, left) = (others - 1.0, left - 1.0);
        }
        PageRows {
            num_shown: drawn,
            num_judged: drawn,
            letters: self.letters.map(|num| num * share),
            signs: self.signs.map(|num| num * share),
            has_a: 1.0 - no_a,
        }
    }

    fn num_of(&self, letters: &[RowLetter]) -> f64 {
        letters.iter().map(|letter| self.letters[letter.index()]).sum()
    }

    fn num_signed(&self) -> f64 {
        self.signs.iter().sum()
    }

    /// Returns 1 if the page has a judged row, or no row is shown; else 0.
    fn is_known(&self) -> f64 {
        f64::from(u8::from(self.num_judged > 0.0 || self.num_shown == 0.0))
    }
}
