//! How far the F-measure can be trusted: 95% intervals, without a random number.
//!
//! **Of one learner.** F = 2J/(1 + J) with J = TP/(TP + FP + FN). Of the N = TP + FP + FN pairs that are links or are
//! taken for links, J is the share that are both: a proportion, for which E. B. Wilson's interval holds its level
//! even where N is small or J near 0 or 1 (“Probable Inference, the Law of Succession, and Statistical
//! Inference”, JASA 22, 1927, <https://doi.org/10.1080/01621459.1927.10502953>):
//!
//! (J + z²/2N ± z·√(J(1 − J)/N + z²/4N²)) / (1 + z²/N), z = 1.96,
//!
//! and F grows with J, so the ends of J's interval become those of F's. N is taken as given; in truth the number of
//! links is, which makes the interval a little wider than it must be: by 1% to 10% unless nearly everything is taken
//! for a link.
//!
//! **Of two learners on the same pairs.** Of the difference d = F₁ − F₂, with the intervals [lᵢ, uᵢ] of the two,
//!
//! L = d − √((F₁ − l₁)² − 2ρ(F₁ − l₁)(u₂ − F₂) + (u₂ − F₂)²),
//! U = d + √((u₁ − F₁)² − 2ρ(u₁ − F₁)(F₂ − l₂) + (F₂ − l₂)²)
//!
//! (R. G. Newcombe, “Improved Confidence Intervals for the Difference between Binomial Proportions Based on Paired
//! Data”, Statistics in Medicine 17, 1998, method 10; G. Y. Zou & A. Donner, “Construction of Confidence Limits about
//! Effect Measures”, Statistics in Medicine 27, 2008, equation 4, <https://doi.org/10.1002/sim.3095>). ρ is the
//! correlation of F₁ and F₂: two learners that err on the same pairs are compared more sharply than two that do not. With
//! r = TP/n of n links, q = FP/m of m non-links and κ = m/n it is, by the delta method,
//!
//! F = 2r/(r + κq + 1), Cov(F₁, F₂) = ∂F₁/∂r·∂F₂/∂r·Cov(r₁, r₂) + ∂F₁/∂q·∂F₂/∂q·Cov(q₁, q₂).

/// The 97.5% quantile of the normal distribution.
const Z: f64 = 1.959_963_984_540_054;

/// What was counted on held-out pairs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Counts {
    /// n: links.
    pub links: u64,
    /// m: non-links.
    pub non_links: u64,
    /// TP: links taken for links.
    pub hits: u64,
    /// FP: non-links taken for links.
    pub false_alarms: u64,
}

fn share(part: u64, whole: u64) -> f64 {
    if whole == 0 { 0.0 } else { part as f64 / whole as f64 }
}

impl Counts {
    /// (TP + TN)/(n + m).
    pub fn accuracy(&self) -> f64 {
        share(self.hits + self.non_links - self.false_alarms, self.links + self.non_links)
    }

    /// TP/(TP + FP).
    pub fn precision(&self) -> f64 {
        share(self.hits, self.hits + self.false_alarms)
    }

    /// TP/n.
    pub fn recall(&self) -> f64 {
        share(self.hits, self.links)
    }

    /// F = 2·TP/(2·TP + FP + FN).
    pub fn f_measure(&self) -> f64 {
        share(2 * self.hits, self.hits + self.false_alarms + self.links)
    }

    /// The 95% interval of F; [0, 1] where there are no links.
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

    /// ∂F/∂r and ∂F/∂q.
    fn slopes(&self) -> [f64; 2] {
        let (r, q) = (self.recall(), share(self.false_alarms, self.non_links));
        let ratio = share(self.non_links, self.links);
        let below = r + ratio * q + 1.0;
        [2.0 * (1.0 + ratio * q) / (below * below), -2.0 * r * ratio / (below * below)]
    }
}

/// Which held-out pairs are links, and which were taken for links.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Verdicts {
    /// Of each pair: whether it is a link, and whether it was taken for one.
    pairs: Vec<[bool; 2]>,
}

impl Verdicts {
    /// The verdicts of scores with the truth beside them: what is positive is taken for a link.
    pub(crate) fn new(scored: &[(f64, bool)]) -> Verdicts {
        Verdicts { pairs: scored.iter().map(|&(e, is_link)| [is_link, e > 0.0]).collect() }
    }

    /// How many of each kind there are.
    pub(crate) fn counts(&self) -> Counts {
        let count = |pair: [bool; 2]| self.pairs.iter().filter(|other| **other == pair).count() as u64;
        let (hits, false_alarms) = (count([true, true]), count([false, true]));
        Counts {
            links: hits + count([true, false]),
            non_links: false_alarms + count([false, false]),
            hits,
            false_alarms,
        }
    }

    /// Cov(F₁, F₂).
    fn covariance(&self, other: &Verdicts) -> f64 {
        let both = |is_link| {
            let pairs = self.pairs.iter().zip(&other.pairs);
            pairs.filter(|(one, two)| **one == [is_link, true] && **two == [is_link, true]).count() as u64
        };
        let (one, two) = (self.counts(), other.counts());
        let of_kind = |both: u64, one: u64, two: u64, num: u64| {
            if num == 0 { 0.0 } else { (share(both, num) - share(one, num) * share(two, num)) / num as f64 }
        };
        let ([r1, q1], [r2, q2]) = (one.slopes(), two.slopes());
        r1 * r2 * of_kind(both(true), one.hits, two.hits, one.links)
            + q1 * q2 * of_kind(both(false), one.false_alarms, two.false_alarms, one.non_links)
    }
}

/// F₁ − F₂ of two learners on the same pairs, and its 95% interval.
///
/// # Panics
/// If the pairs are not the same.
pub(crate) fn difference(one: &Verdicts, two: &Verdicts) -> (f64, [f64; 2]) {
    let same = one.pairs.iter().map(|pair| pair[0]).eq(two.pairs.iter().map(|pair| pair[0]));
    assert!(same, "verdicts on the same pairs");
    let scale = (one.covariance(one) * two.covariance(two)).sqrt();
    let rho = if scale > 0.0 { (one.covariance(two) / scale).clamp(-1.0, 1.0) } else { 0.0 };
    let (one, two) = (one.counts(), two.counts());
    let (f1, f2, [l1, u1], [l2, u2]) = (one.f_measure(), two.f_measure(), one.ci95(), two.ci95());
    let far = |a: f64, b: f64| (a * a - 2.0 * rho * a * b + b * b).max(0.0).sqrt();
    let low = f1 - f2 - far(f1 - l1, u2 - f2);
    (f1 - f2, [low.max(-1.0), (f1 - f2 + far(u1 - f1, f2 - l2)).min(1.0)])
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

    #[test]
    fn two_learners_that_say_the_same_differ_by_nothing() {
        let scored: Vec<(f64, bool)> = (0..200).map(|i| (f64::from(i % 7) - 2.5, i % 2 == 0)).collect();
        let verdicts = Verdicts::new(&scored);
        let (difference, [low, high]) = difference(&verdicts, &verdicts.clone());
        assert_eq!(difference, 0.0);
        assert!(low <= 0.0 && high >= 0.0 && high - low < 0.01, "{low} {high}");
    }

    /// The chances that a link and a non-link are taken for links by the one learner and by the other, who says
    /// the same as the one on a share of the pairs.
    struct World {
        one: [f64; 2],
        two: [f64; 2],
        same: f64,
    }

    impl World {
        fn draw(&self, links: usize, random: &mut Generator) -> [Verdicts; 2] {
            let (mut one, mut two) = (Vec::new(), Vec::new());
            for pair in 0..2 * links {
                let kind = pair % 2;
                let shared = unit(random);
                let other = if unit(random) < self.same { shared } else { unit(random) };
                one.push((if shared < self.one[kind] { 1.0 } else { -1.0 }, kind == 0));
                two.push((if other < self.two[kind] { 1.0 } else { -1.0 }, kind == 0));
            }
            [Verdicts::new(&one), Verdicts::new(&two)]
        }

        fn truth([r, q]: [f64; 2]) -> f64 {
            2.0 * r / (r + q + 1.0)
        }
    }

    #[test]
    fn the_intervals_cover_a_truth_that_is_known() {
        let worlds = [
            World { one: [0.8, 0.2], two: [0.75, 0.25], same: 0.0 },
            World { one: [0.8, 0.2], two: [0.75, 0.25], same: 0.9 },
            World { one: [0.95, 0.1], two: [0.5, 0.02], same: 0.5 },
            World { one: [0.3, 0.1], two: [0.3, 0.1], same: 0.7 },
        ];
        const DRAWS: usize = 1000;
        for (number, world) in (0..).zip(worlds) {
            for links in [30, 1000] {
                let mut random = generator(number, Purpose::RandomScore, links as u64);
                let (one, two) = (World::truth(world.one), World::truth(world.two));
                let (mut of_one, mut of_difference) = (0, 0);
                for _ in 0..DRAWS {
                    let [first, second] = world.draw(links, &mut random);
                    let [low, high] = first.counts().ci95();
                    of_one += usize::from(low <= one && one <= high);
                    let (_, [low, high]) = difference(&first, &second);
                    of_difference += usize::from(low <= one - two && one - two <= high);
                }
                // 95% of a thousand, four standard deviations below; above it may be wide, but not idle.
                for covered in [of_one, of_difference] {
                    assert!((922..1000).contains(&covered), "world {number}, {links} links: {covered}");
                }
            }
        }
    }
}
