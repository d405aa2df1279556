//! 95% intervals of the F-measure, without a random number.
//!
//! F = 2J/(1 + J) with J = TP/(TP + FP + FN). Of the N = TP + FP + FN pairs that are links or are
//! taken for links, J is the share that are both: a proportion, for which E. B. Wilson's interval holds its level
//! even where N is small or J near 0 or 1 (“Probable Inference, the Law of Succession, and Statistical
//! Inference”, JASA 22, 1927, <https://doi.org/10.1080/01621459.1927.10502953>):
//!
//! (J + z²/2N ± z·√(J(1 − J)/N + z²/4N²)) / (1 + z²/N), z = 1.96,
//!
//! and F grows with J, so the ends of J's interval become those of F's. N is taken as given; in truth the number of
//! links is, which makes the interval a little wider than it must be: by 1% to 10% unless nearly everything is taken
//! for a link.

/// The 97.5% quantile of the normal distribution.
const Z: f64 = 1.959_963_984_540_054;

/// Counts of the outcomes on held-out pairs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Counts {
    /// The number of links, n.
    pub links: u64,
    /// The number of non-links, m.
    pub non_links: u64,
    /// The number of links taken for links, TP.
    pub hits: u64,
    /// The number of non-links taken for links, FP.
    pub false_alarms: u64,
}

fn share(part: u64, whole: u64) -> f64 {
    if whole == 0 { 0.0 } else { part as f64 / whole as f64 }
}

impl Counts {
    /// Counts scores paired with the truth: a positive score is taken for a link.
    pub(super) fn of(scored: &[(f64, bool)]) -> Counts {
        let count = |pair| scored.iter().filter(|&&(e, is_link)| (is_link, e > 0.0) == pair).count() as u64;
        let (hits, false_alarms) = (count((true, true)), count((false, true)));
        Counts {
            links: hits + count((true, false)),
            non_links: false_alarms + count((false, false)),
            hits,
            false_alarms,
        }
    }

    /// Returns (TP + TN)/(n + m).
    pub fn accuracy(&self) -> f64 {
        share(self.hits + self.non_links - self.false_alarms, self.links + self.non_links)
    }

    /// Returns TP/(TP + FP).
    pub fn precision(&self) -> f64 {
        share(self.hits, self.hits + self.false_alarms)
    }

    /// Returns TP/n.
    pub fn recall(&self) -> f64 {
        share(self.hits, self.links)
    }

    /// Returns F = 2·TP/(2·TP + FP + FN).
    pub fn f_measure(&self) -> f64 {
        share(2 * self.hits, self.hits + self.false_alarms + self.links)
    }

    /// Returns the 95% interval of F; [0, 1] where there are no links.
    pub fn ci95(&self) -> [f64; 2] {
        let num = (self.links + self.false_alarms) as f64;
        if num == 0.0 {
            return [0.0, 1.0];
        }
        let (of_both, z2) = (self.hits as f64 / num, Z * Z);
        let half = Z * (of_both * (1.0 - of_both) / num + z2 / (4.0 * num * num)).sqrt();
        let ends = [-half, half].map(|half| (of_both + z2 / (2.0 * num) + half) / (1.0 + z2 / num));
        // In exact arithmetic the interval holds J and stays within [0, 1].
        let [low, high] = [ends[0].clamp(0.0, of_both), ends[1].clamp(of_both, 1.0)];
        [low, high].map(|of_both| 2.0 * of_both / (1.0 + of_both))
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::sampler::{Generator, Purpose, generator, unit};
    use super::*;

    fn counts(links: u64, hits: u64, false_alarms: u64) -> Counts {
        Counts { links, non_links: links, hits, false_alarms }
    }

    #[test]
    fn the_interval_by_hand() {
        // J = 80/(100 + 20) = 2/3, N = 120: Wilson's interval is [0.5784, 0.7446], and 2J/(1 + J) of its ends.
        let [low, high] = counts(100, 80, 20).ci95();
        assert!((low - 0.7329).abs() < 1e-4 && (high - 0.8536).abs() < 1e-4, "{low} {high}");
        assert_eq!(counts(100, 80, 20).f_measure(), 0.8);
    }

    #[test]
    fn the_interval_holds_the_figure_and_never_closes() {
        for links in 1..12u64 {
            for (hits, false_alarms) in (0..=links).flat_map(|hits| (0..=links).map(move |fa| (hits, fa))) {
                let counts = counts(links, hits, false_alarms);
                let ([low, high], f) = (counts.ci95(), counts.f_measure());
                assert!(0.0 <= low && low <= f && f <= high && high <= 1.0, "{counts:?}: {low} {f} {high}");
                assert!(high - low > 0.1, "{counts:?}: {low} {high}");
            }
        }
        assert_eq!(counts(0, 0, 0).ci95(), [0.0, 1.0]);
    }

    /// The probabilities that a link and a non-link are taken for links.
    struct World([f64; 2]);

    impl World {
        fn draw(&self, links: usize, random: &mut Generator) -> Counts {
            let draw = |pair: usize| {
                (if unit(random) < self.0[pair % 2] { 1.0 } else { -1.0 }, pair.is_multiple_of(2))
            };
            Counts::of(&(0..2 * links).map(draw).collect::<Vec<_>>())
        }

        fn truth(&self) -> f64 {
            let [r, q] = self.0;
            2.0 * r / (r + q + 1.0)
        }
    }

    #[test]
    fn the_interval_covers_a_truth_that_is_known() {
        const DRAWS: usize = 1000;
        for (number, world) in (0..).zip([[0.8, 0.2], [0.75, 0.25], [0.95, 0.1], [0.3, 0.1]].map(World)) {
            for links in [30, 1000] {
                let mut random = generator(number, Purpose::RandomScore, links as u64);
                let covers = |_: &usize| {
                    let [low, high] = world.draw(links, &mut random).ci95();
                    low <= world.truth() && world.truth() <= high
                };
                let covered = (0..DRAWS).filter(covers).count();
                // 95% of a thousand, four standard deviations below; above it may be wide, but not idle.
                assert!((922..1000).contains(&covered), "world {number}, {links} links: {covered}");
            }
        }
    }
}
