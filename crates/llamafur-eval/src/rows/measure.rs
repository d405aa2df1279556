//! Measures rankings by the judged rows among those that they show.

use super::figures::{PageRows, RowFigures};
use super::labels::RowLabels;
use crate::statistics::{RESAMPLES, Resamples};
use std::collections::BTreeMap;

/// A row that a reader is shown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ShownRow {
    /// The title of the page, as in the labels.
    pub page: String,
    /// The title of the page that it links to.
    pub target: String,
}

/// The labels, the pages, and the resamples shared by the measurements of several rankings.
///
/// ```
/// use llamafur_eval::rows::{RowLabels, RowMeasure, ShownRow};
/// let mut labels = RowLabels::default();
/// labels.read("Jupiter\tFish\tA\t+\tann\nJupiter\tIo\tC\t0\tann\n".as_bytes(), "judged.tsv")?;
/// let measure = RowMeasure::new(&labels, ["Jupiter"], 1);
/// let row = |target: &str| ShownRow { page: "Jupiter".into(), target: target.into() };
/// let figures = measure.of("blend", [row("Fish"), row("Io"), row("Saturn")]);
/// assert_eq!((figures.shown, figures.unjudged, figures.a.share), (3, 1, Some(0.5)));
/// # Ok::<(), llamafur_eval::rows::RowError>(())
/// ```
#[derive(Debug)]
pub struct RowMeasure<'a> {
    labels: &'a RowLabels,
    /// The number of each page, by its title.
    pages: BTreeMap<&'a str, usize>,
    resamples: Resamples,
}

impl<'a> RowMeasure<'a> {
    /// Draws the resamples of these pages by a seed. A repeated page counts once.
    pub fn new(labels: &'a RowLabels, pages: impl IntoIterator<Item = &'a str>, seed: u64) -> RowMeasure<'a> {
        let mut pages: BTreeMap<&str, usize> = pages.into_iter().map(|page| (page, 0)).collect();
        pages.values_mut().enumerate().for_each(|(number, page)| *page = number);
        RowMeasure { labels, resamples: Resamples::new(pages.len(), RESAMPLES, seed), pages }
    }

    /// Returns the number of measured pages.
    pub fn num_pages(&self) -> usize {
        self.pages.len()
    }

    /// Measures the rows that a scorer shows. A page without rows counts as one with nothing shown; rows of other pages
    /// are ignored.
    pub fn of(&self, scorer: &str, rows: impl IntoIterator<Item = ShownRow>) -> RowFigures {
        let mut pages = vec![PageRows::default(); self.pages.len()];
        for ShownRow { page, target } in rows {
            if let Some(&number) = self.pages.get(&page[..]) {
                pages[number].count(self.labels.get(&page, &target));
            }
        }
        RowFigures::new(scorer, &pages, &self.resamples)
    }

    /// Computes the exact expectation for a random choice of `most` judged rows of each page. If a ranking shows all
    /// judged rows, it equals that ranking.
    pub fn chance(&self, most: usize) -> RowFigures {
        let of_page = |page: &&str| {
            let mut all = PageRows::default();
            self.labels.of_page(page).for_each(|row| all.count(Some(row)));
            all.drawn(most)
        };
        let pages: Vec<PageRows> = self.pages.keys().map(of_page).collect();
        RowFigures::new("chance", &pages, &self.resamples)
    }
}
