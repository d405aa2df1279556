//! Axes: the position of a number, the ticks, and the labels.

use crate::canvas::Canvas;
use crate::numbers::{minus, short};
use crate::text::width;
use crate::theme::SMALL;

/// Bound beyond which numbers are drawn at the end of the axis, since their differences might overflow.
const LARGEST: f64 = 1e300;

/// One direction of a panel: its name, its scale and optionally its range.
#[derive(Debug, Clone)]
pub struct Axis {
    pub(crate) name: String,
    is_log: bool,
    range: Option<(f64, f64)>,
}

impl Axis {
    /// Creates an axis on which equal distances are equal differences.
    pub fn linear(name: &str) -> Axis {
        Axis { name: name.into(), is_log: false, range: None }
    }

    /// Creates an axis on which equal distances are equal ratios. Numbers must be positive.
    pub fn log(name: &str) -> Axis {
        Axis { name: name.into(), is_log: true, range: None }
    }

    /// Sets the range. Default: that of the data.
    pub fn range(mut self, low: f64, high: f64) -> Axis {
        self.range = Some((low, high));
        self
    }

    /// Lays out the axis for these numbers, with a little room at either end unless the range is set. A single number
    /// is in the middle.
    pub(crate) fn fit(&self, numbers: impl Iterator<Item = f64>) -> Fitted {
        let is_log = self.is_log;
        if let Some((low, high)) = self.range.filter(|(low, high)| low < high) {
            return Fitted { is_log, low: low.max(-LARGEST), high: high.min(LARGEST) };
        }
        let usable = numbers.filter(|x| x.is_finite() && (!is_log || *x > 0.0));
        let usable =
            usable.map(|x| if is_log { x.clamp(1.0 / LARGEST, LARGEST) } else { x.clamp(-LARGEST, LARGEST) });
        let (low, high) =
            usable.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), x| (low.min(x), high.max(x)));
        if low > high {
            return if is_log {
                Fitted { is_log, low: 1.0, high: 10.0 }
            } else {
                Fitted { is_log, low: 0.0, high: 1.0 }
            };
        }
        if is_log {
            let ratio = (high / low).powf(0.05);
            let ratio = if ratio.is_finite() && ratio > 1.0 { ratio } else { 1.5 };
            return Fitted { is_log, low: low / ratio, high: high * ratio };
        }
        // Numbers that differ only by rounding would make an axis of noise.
        let least = low.abs().max(high.abs()) * 1e-9;
        let room = if high - low > least { (high - low) * 0.05 } else { (low.abs() * 0.1).max(1e-3) };
        Fitted { is_log, low: low - room, high: high + room }
    }
}

/// An axis with its range.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Fitted {
    is_log: bool,
    low: f64,
    high: f64,
}

impl Fitted {
    /// Returns the place of a number, 0 at the low end and 1 at the high one.
    pub(crate) fn place(self, x: f64) -> f64 {
        let at = |x: f64| if self.is_log { x.max(f64::MIN_POSITIVE).log10() } else { x };
        (at(x) - at(self.low)) / (at(self.high) - at(self.low))
    }

    /// Returns about six round numbers along the axis.
    fn ticks(self) -> Vec<f64> {
        let inside = |x: &f64| (-1e-9..=1.0 + 1e-9).contains(&self.place(*x));
        if !self.is_log {
            let raw = (self.high - self.low) / 5.0;
            let power = 10f64.powf(raw.log10().floor());
            let step = power
                * [1.0, 2.0, 2.5, 5.0, 10.0].into_iter().find(|f| f * power >= raw * 0.999).unwrap_or(10.0);
            let first = (self.low / step).floor() as i64;
            return (first..first + 12).map(|k| k as f64 * step).filter(inside).collect();
        }
        let decades = (self.low.log10().floor() as i32)..=(self.high.log10().ceil() as i32);
        let with = |factors: &[f64]| -> Vec<f64> {
            let ticks = decades.clone().flat_map(|power| factors.iter().map(move |f| f * 10f64.powi(power)));
            ticks.filter(inside).collect()
        };
        // Powers of ten where there are enough of them, else with numbers between.
        [&[1.0][..], &[1.0, 3.0], &[1.0, 2.0, 5.0]]
            .into_iter()
            .map(with)
            .find(|ticks| ticks.len() >= 3)
            .unwrap_or_else(|| with(&[1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0]))
    }

    /// Returns the ticks with their labels, which are all different.
    pub(crate) fn labels(self) -> Vec<(f64, String)> {
        let ticks = self.ticks();
        let step = ticks.windows(2).map(|pair| pair[1] - pair[0]).fold(f64::INFINITY, f64::min);
        let largest = ticks.iter().fold(0f64, |largest, tick| largest.max(tick.abs()));
        let label = |&tick: &f64| {
            if tick == 0.0 || tick.abs() < step * 1e-6 {
                "0".to_owned()
            } else if !(1e-3..1e9).contains(&largest) {
                minus(format!("{tick:.2e}").replace(".00e", "e").replace("0e", "e"))
            } else if step < 1e-3 || largest >= 1e3 && step < largest * 1e-3 {
                // As many as the step has.
                let is_whole = |x: f64| (x - x.round()).abs() < 1e-6 * x;
                let decimals = (0..12).find(|&n| is_whole(step * 10f64.powi(n))).unwrap_or(12) as usize;
                minus(format!("{tick:.decimals$}"))
            } else {
                short(tick)
            }
        };
        ticks.iter().map(|tick| (*tick, label(tick))).collect()
    }
}

/// The part of a figure that has axes.
pub(crate) struct Frame {
    pub(crate) left: f64,
    pub(crate) right: f64,
    pub(crate) top: f64,
    pub(crate) height: f64,
    pub(crate) x: Fitted,
    pub(crate) y: Fitted,
}

impl Frame {
    pub(crate) fn x(&self, x: f64) -> f64 {
        self.left + (self.right - self.left) * self.x.place(x).clamp(0.0, 1.0)
    }

    pub(crate) fn y(&self, y: f64) -> f64 {
        self.top + self.height * (1.0 - self.y.place(y).clamp(0.0, 1.0))
    }

    pub(crate) fn bottom(&self) -> f64 {
        self.top + self.height
    }

    /// Draws the grid lines and the numbers of the vertical axis.
    pub(crate) fn draw_y(&self, canvas: &mut Canvas) {
        for (tick, label) in self.y.labels() {
            let y = self.y(tick);
            canvas.segment("grid", (self.left, y), (self.right, y));
            canvas.text("tick", "end", (self.left - 6.0, y + 4.0), &label);
        }
    }
}

/// Returns the width of a vertical axis's numbers.
pub(crate) fn numbers_width(axis: Fitted) -> f64 {
    axis.labels().iter().map(|(_, label)| width(label, SMALL)).fold(12.0, f64::max) + 6.0
}

/// Returns the labels, given with the x of their middle, that overlap neither the one before nor an edge.
pub(crate) fn spaced(labels: Vec<(f64, String)>, left: f64, right: f64) -> Vec<(f64, String)> {
    let mut free = left;
    let fits = |(at, label): &(f64, String)| {
        let half = width(label, SMALL) / 2.0;
        let fits = at - half >= free - 0.5 && at + half <= right + 0.5;
        if fits {
            free = at + half + 6.0;
        }
        fits
    };
    labels.into_iter().filter(fits).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_by_hand() {
        let axis = Axis::log("links").range(10.0, 1000.0).fit([].into_iter());
        assert!((axis.place(100.0) - 0.5).abs() < 1e-12);
        let axis = Axis::linear("AUC").range(0.5, 1.0).fit([].into_iter());
        assert!((axis.place(0.75) - 0.5).abs() < 1e-12);
    }

    #[test]
    fn ticks_are_round_and_enough() {
        let ticks = |axis: Axis, low, high| axis.range(low, high).fit([].into_iter()).ticks();
        assert_eq!(ticks(Axis::log(""), 1e4, 1e6), [1e4, 1e5, 1e6]);
        assert_eq!(ticks(Axis::log(""), 1.0, 12.0), [1.0, 3.0, 10.0]);
        assert_eq!(ticks(Axis::linear(""), 0.0, 1.0), [0.0, 0.2, 0.4, 0.6000000000000001, 0.8, 1.0]);
        for (low, high) in [(0.03, 0.9), (0.4, 0.6), (7.0, 7.0), (1.0, 1e9)] {
            for axis in [Axis::log(""), Axis::linear("")] {
                let found = axis.fit([low, high].into_iter()).ticks();
                assert!((2..=12).contains(&found.len()), "{axis:?} {low} {high}: {found:?}");
            }
        }
    }

    #[test]
    fn labels_differ_and_are_numbers_whatever_their_size() {
        for (low, high) in [
            (0.0, 1.0),
            (-3.0, 5.0),
            (1e-7, 3e-7),
            (1e6, 1e6 + 3.0),
            (-1e308, 1e308),
            (0.0, 1e12),
            (0.36, 0.3604),
        ] {
            let labels = Axis::linear("").fit([low, high].into_iter()).labels();
            let distinct: std::collections::BTreeSet<&String> =
                labels.iter().map(|(_, label)| label).collect();
            assert!(labels.len() >= 3 && distinct.len() == labels.len(), "{low} {high}: {labels:?}");
            assert!(labels.iter().all(|(_, label)| !label.contains("NaN") && label.len() < 16), "{labels:?}");
        }
    }

    #[test]
    fn there_is_a_range_without_numbers_and_with_one() {
        for axis in [Axis::linear(""), Axis::log("")] {
            for numbers in [&[][..], &[f64::NAN, f64::INFINITY], &[7.0], &[-7.0], &[0.0], &[1e308, -1e308]] {
                let fitted = axis.fit(numbers.iter().copied());
                assert!(fitted.low < fitted.high && fitted.high.is_finite(), "{axis:?} {numbers:?}");
            }
        }
        assert!((Axis::linear("").fit([5.0].into_iter()).place(5.0) - 0.5).abs() < 1e-12);
    }

    #[test]
    fn labels_have_as_many_decimals_as_they_need() {
        let labels = |low, high| -> Vec<String> {
            let fitted = Axis::linear("").range(low, high).fit([].into_iter());
            fitted.labels().into_iter().map(|(_, label)| label).collect()
        };
        assert_eq!(
            labels(0.3671, 0.3672),
            ["0.36710", "0.36712", "0.36714", "0.36716", "0.36718", "0.36720"]
        );
        assert_eq!(labels(0.5, 0.501), ["0.5000", "0.5002", "0.5004", "0.5006", "0.5008", "0.5010"]);
        assert_eq!(labels(-1.0, 1.0), ["−1", "−0.5", "0", "0.5", "1"]);
    }

    #[test]
    fn labels_that_would_touch_are_left_out() {
        let labels = [0.0, 10.0, 50.0, 98.0].map(|at| (at, "25".to_owned())).to_vec();
        let kept: Vec<f64> = spaced(labels, -20.0, 100.0).into_iter().map(|label| label.0).collect();
        assert_eq!(kept, [0.0, 50.0]);
    }
}
