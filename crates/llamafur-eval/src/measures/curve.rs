//! Precision and recall after the paper's percentiles.
//!
//! Of a page's t links the ⌈p·t⌉ highest are taken. Among them, J are judged and K of those relevant:
//! precision = K/J and recall = K/R, for R relevant links in all. Where J = 0 there is no precision.
//!
//! Ties are taken by expectation over the orders in which the precision is defined. A cut through a group of m tied
//! links, j of them judged and r of those relevant, takes s of them; the number Y of judged ones among them is
//! hypergeometric, and y·r/j of them are relevant on average. Below J₀ judged links with K₀ relevant ones
//!
//! E\[precision\] = Σ_y P(Y = y) · (K₀ + y·r/j)/(J₀ + y) / P(J₀ + Y > 0), E\[recall\] = (K₀ + s·r/m)/R.

use super::ties::{Group, kinds};
use serde::Serialize;

/// The percentiles at which the paper reports precision and recall.
pub const PERCENTILES: [u32; 9] = [1, 2, 5, 8, 10, 15, 25, 50, 100];

/// Precision and recall of a query after a percentile of the page's links.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct CurvePoint {
    /// Share of relevant links among the judged ones above the cut-off; `None` if no judged link can be there.
    pub precision: Option<f64>,
    /// The probability of a judged link above the cut-off: 0 or 1 unless the cut goes through ties.
    pub defined: f64,
    /// Share of all relevant links above the cut-off.
    pub recall: f64,
}

/// Mean precision and recall of queries after a percentile.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct MeanPoint {
    /// The percentile.
    pub percentile: u32,
    /// The mean over the queries that have a precision there; `None` if none has. A query that has one only in some
    /// orders of its ties counts in full.
    pub precision: Option<f64>,
    /// The number of these queries.
    pub queries: usize,
    /// The mean over all queries.
    pub recall: f64,
}

/// Returns the curve of a ranking; `None` if no link is relevant.
pub(super) fn of(groups: &[Group]) -> Option<[CurvePoint; 9]> {
    let (relevant, _) = kinds(groups);
    let num_links: usize = groups.iter().map(|group| group.links).sum();
    let mut rest = groups.iter().copied();
    let mut above = Group::default();
    let mut cut = rest.next().unwrap_or_default();
    let mut point = |percentile: u32| {
        let wanted = (percentile as usize * num_links).div_ceil(100);
        while wanted > above.links + cut.links {
            above.links += cut.links;
            above.judged += cut.judged;
            above.relevant += cut.relevant;
            cut = rest.next().unwrap_or_default();
        }
        point_in(&above, &cut, wanted - above.links, relevant)
    };
    (relevant > 0).then(|| PERCENTILES.map(&mut point))
}

/// Computes the point with `taken` links of a group above the cut-off, and all links of `above`.
fn point_in(above: &Group, cut: &Group, taken: usize, relevant: usize) -> CurvePoint {
    let share = |part: usize, whole: usize| if whole == 0 { 0.0 } else { part as f64 / whole as f64 };
    let found = above.relevant as f64 + taken as f64 * share(cut.relevant, cut.links);
    let (mut defined, mut sum) = (0.0, 0.0);
    for (judged, chance) in hypergeometric(cut.links, cut.judged, taken) {
        if above.judged + judged > 0 {
            let found = above.relevant as f64 + judged as f64 * share(cut.relevant, cut.judged);
            defined += chance;
            sum += chance * found / (above.judged + judged) as f64;
        }
    }
    let precision = (defined > 0.0).then(|| sum / defined);
    CurvePoint { precision, defined, recall: found / relevant as f64 }
}

/// Returns the probability of each number of marked items among `taken` of `all` items, when `marked` of all are.
fn hypergeometric(all: usize, marked: usize, taken: usize) -> Vec<(usize, f64)> {
    let (low, high) = ((taken + marked).saturating_sub(all), taken.min(marked));
    let mode = ((taken + 1) * (marked + 1) / (all + 2)).clamp(low, high);
    // The chance of y + 1 over that of y. From the most likely number on both ways nothing overflows.
    let ratio = |y: usize| {
        ((marked - y) as f64 * (taken - y) as f64) / ((y + 1) as f64 * (all + y + 1 - marked - taken) as f64)
    };
    let mut weights = vec![1.0; high - low + 1];
    for y in mode..high {
        weights[y + 1 - low] = weights[y - low] * ratio(y);
    }
    for y in (low..mode).rev() {
        weights[y - low] = weights[y + 1 - low] / ratio(y);
    }
    let sum: f64 = weights.iter().sum();
    (low..=high).zip(weights.into_iter().map(|weight| weight / sum)).collect()
}

/// Returns the mean curve of some queries; an empty vector if there are none.
pub fn mean_curve<'a>(curves: impl IntoIterator<Item = &'a [CurvePoint; 9]>) -> Vec<MeanPoint> {
    let curves: Vec<&[CurvePoint; 9]> = curves.into_iter().collect();
    let point = |(i, percentile): (usize, u32)| {
        let precisions: Vec<f64> = curves.iter().filter_map(|curve| curve[i].precision).collect();
        let sum_of_recalls: f64 = curves.iter().map(|curve| curve[i].recall).sum();
        MeanPoint {
            percentile,
            precision: (!precisions.is_empty()).then(|| crate::statistics::mean(&precisions)),
            queries: precisions.len(),
            recall: sum_of_recalls / curves.len() as f64,
        }
    };
    let num_points = if curves.is_empty() { 0 } else { PERCENTILES.len() };
    PERCENTILES.into_iter().take(num_points).enumerate().map(point).collect()
}

#[cfg(test)]
mod tests {
    use super::super::tests::ranking;
    use super::*;

    fn points(text: &str) -> Vec<(Option<f64>, f64)> {
        of(&ranking(text)).unwrap().iter().map(|point| (point.precision, point.recall)).collect()
    }

    #[test]
    fn by_hand() {
        // Ten links: 1% to 10% take one of them, 15% two, 25% three, 50% five.
        let found = points("- U E - - TU - - - TE");
        let first = (None, 0.0);
        let expected =
            [first, first, first, first, first, (Some(1.0), 0.5), (Some(0.5), 0.5), (Some(0.5), 0.5)];
        assert_eq!(found[..8], expected);
        assert_eq!(found[8], (Some(0.5), 1.0));
        assert_eq!(of(&ranking("E TE")), None);
    }

    #[test]
    fn a_cut_through_ties_goes_by_expectation() {
        // One of four tied links, two judged, one of them relevant: defined in half of the orders, then ½.
        let curve = of(&ranking("U=E=-=-")).unwrap();
        assert_eq!(curve[0], CurvePoint { precision: Some(0.5), defined: 0.5, recall: 0.25 });
        assert_eq!(curve[8], CurvePoint { precision: Some(0.5), defined: 1.0, recall: 1.0 });
    }

    #[test]
    fn chances_are_those_of_an_urn() {
        // Two of five, three marked: 1, 6 and 3 of ten ways.
        let found = hypergeometric(5, 3, 2);
        for ((y, chance), ways) in found.into_iter().zip([1.0, 6.0, 3.0]) {
            assert!((chance - ways / 10.0).abs() < 1e-15, "{y}: {chance}");
        }
        let large: f64 = hypergeometric(100_000, 30_000, 40_000).iter().map(|(y, p)| *y as f64 * p).sum();
        assert!((large - 12_000.0).abs() < 1e-6, "{large}");
        assert_eq!(hypergeometric(0, 0, 0), [(0, 1.0)]);
        assert_eq!(hypergeometric(3, 3, 2), [(2, 1.0)]);
    }

    #[test]
    fn queries_without_precision_are_left_out_of_its_mean() {
        let curves = ["- U E - - - - - - -", "U - E - - - - - - -"].map(|text| of(&ranking(text)).unwrap());
        let mean = mean_curve(&curves);
        let first = MeanPoint { percentile: 1, precision: Some(1.0), queries: 1, recall: 0.5 };
        assert_eq!((mean[0], mean.len()), (first, 9));
        assert_eq!(mean_curve(&[]), []);
    }
}
