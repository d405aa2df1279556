//! Where a number lies on an axis, and which numbers are written along it.

/// One direction of a panel: its name, its scale and, unless the data decide, its range.
#[derive(Debug, Clone)]
pub struct Axis {
    pub(super) name: String,
    is_log: bool,
    range: Option<(f64, f64)>,
}

impl Axis {
    /// Equal distances are equal differences.
    pub fn linear(name: &str) -> Axis {
        Axis { name: name.into(), is_log: false, range: None }
    }

    /// Equal distances are equal ratios. Numbers must be positive.
    pub fn log(name: &str) -> Axis {
        Axis { name: name.into(), is_log: true, range: None }
    }

    /// From where to where. Default: what the data need.
    pub fn range(mut self, low: f64, high: f64) -> Axis {
        self.range = Some((low, high));
        self
    }

    /// The axis laid out for these numbers.
    pub(super) fn fit(&self, numbers: impl Iterator<Item = f64>) -> Fitted {
        let usable = numbers.filter(|x| x.is_finite() && (!self.is_log || *x > 0.0));
        let data =
            usable.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), x| (low.min(x), high.max(x)));
        let (low, high) = self.range.unwrap_or(data);
        let (low, high) = if low < high { (low, high) } else { (low.min(1.0), low.max(1.0) * 2.0) };
        Fitted { is_log: self.is_log, low, high }
    }
}

/// An axis with its range.
#[derive(Debug, Clone, Copy)]
pub(super) struct Fitted {
    is_log: bool,
    low: f64,
    high: f64,
}

impl Fitted {
    /// The place of a number, 0 at the low end and 1 at the high one.
    pub(super) fn place(self, x: f64) -> f64 {
        let at = |x: f64| if self.is_log { x.max(f64::MIN_POSITIVE).log10() } else { x };
        (at(x) - at(self.low)) / (at(self.high) - at(self.low))
    }

    /// The numbers to be written along the axis.
    pub(super) fn ticks(self) -> Vec<f64> {
        let inside = |x: &f64| (-1e-9..=1.0 + 1e-9).contains(&self.place(*x));
        if !self.is_log {
            let raw = (self.high - self.low) / 4.0;
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
}

/// A number as it stands beside a tick: 0.25, 3, 20k, 1M.
pub(super) fn short(x: f64) -> String {
    let (x, unit) = match x.abs() {
        size if size >= 0.999_999e6 => (x / 1e6, "M"),
        size if size >= 0.999_999e3 => (x / 1e3, "k"),
        _ => (x, ""),
    };
    let digits = format!("{x:.3}");
    let digits = digits.trim_end_matches('0').trim_end_matches('.');
    format!("{digits}{unit}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_by_hand() {
        let axis = Axis::log("links").fit([10.0, 1000.0].into_iter());
        assert!((axis.place(100.0) - 0.5).abs() < 1e-12);
        let axis = Axis::linear("AUC").range(0.5, 1.0).fit([].into_iter());
        assert!((axis.place(0.75) - 0.5).abs() < 1e-12);
    }

    #[test]
    fn ticks_are_round_and_enough() {
        let ticks = |axis: Axis, low, high| axis.fit([low, high].into_iter()).ticks();
        assert_eq!(ticks(Axis::log(""), 1e4, 1e6), [1e4, 1e5, 1e6]);
        assert_eq!(ticks(Axis::log(""), 1.0, 12.0), [1.0, 3.0, 10.0]);
        assert_eq!(ticks(Axis::linear(""), 0.0, 1.0), [0.0, 0.25, 0.5, 0.75, 1.0]);
        for (low, high) in [(0.03, 0.9), (0.4, 0.6), (7.0, 7.0), (1.0, 1e9)] {
            for axis in [Axis::log(""), Axis::linear("")] {
                let found = ticks(axis.clone(), low, high);
                assert!((2..=12).contains(&found.len()), "{axis:?} {low} {high}: {found:?}");
            }
        }
    }

    #[test]
    fn numbers_are_short() {
        assert_eq!(
            [0.25, 3.0, 0.1 + 0.2, 20_000.0, 1e6, 0.0].map(short),
            ["0.25", "3", "0.3", "20k", "1M", "0"]
        );
    }
}
