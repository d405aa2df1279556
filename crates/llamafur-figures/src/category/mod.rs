//! A category and its closest neighbours in a category matrix.
//!
//! An arc from c to c′ has the weight w(c, c′) of the matrix: [`CategoryArc::from`] is c, [`CategoryArc::to`] is c′ and
//! [`CategoryArc::weight`] is w(c, c′). The width of an arc is α·w(c, c′), clamped to a readable range, with one α for the
//! whole figure, so that widths can be compared.
//!
//! The figure follows Figure 1 of Paolo Boldi and Corrado Monti, *LlamaFur: Learning Latent Category Matrix to Find
//! Unexpected Relations in Wikipedia*, WebSci 2016: a category among its 18 closest neighbours. The caller decides which
//! categories are close and which arcs are shown. <https://doi.org/10.1145/2908131.2908153>

mod curve;
mod dot;
mod graphml;
mod layout;
mod legend;
mod order;
mod picture;

/// A category, its neighbours, and the arcs among all of them.
///
/// ```
/// use llamafur_figures::{CategoryArc, CategoryGraph, WIDE};
///
/// let planets = CategoryGraph {
///     names: vec!["Planets".into(), "Moons".into()],
///     arcs: vec![CategoryArc { from: 0, to: 1, weight: 3.42 }],
/// };
/// assert!(planets.draw(WIDE).svg().contains("<title>Planets → Moons: 3.42</title>"));
/// ```
#[derive(Debug, Clone, PartialEq, Default)]
pub struct CategoryGraph {
    /// The names: first the category in the middle, then its neighbours, closest first.
    pub names: Vec<String>,
    /// The arcs among all of them, loops included. An arc with an end outside `names` is not drawn.
    pub arcs: Vec<CategoryArc>,
}

/// An arc from a category to another, or to itself.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct CategoryArc {
    /// The position in [`CategoryGraph::names`] of the category the arc leaves.
    pub from: usize,
    /// The position in [`CategoryGraph::names`] of the category the arc reaches.
    pub to: usize,
    /// The entry w(c, c′) of the category matrix.
    pub weight: f64,
}

impl CategoryGraph {
    /// Returns the name of the category in the middle, empty if there is none.
    fn centre(&self) -> &str {
        self.names.first().map_or("", String::as_str)
    }

    /// Returns the arcs with both ends among the names, in the caller's order.
    fn sound_arcs(&self) -> impl Iterator<Item = &CategoryArc> {
        self.arcs.iter().filter(|arc| arc.from < self.names.len() && arc.to < self.names.len())
    }

    fn tooltip(&self, arc: &CategoryArc) -> String {
        format!("{} → {}: {:.2}", self.names[arc.from], self.names[arc.to], arc.weight)
    }
}

/// A map from weights to stroke widths: proportional, within the legible range.
#[derive(Debug, Clone, Copy)]
struct Scale {
    factor: f64,
}

impl Scale {
    const THINNEST: f64 = 0.75;
    const THICKEST: f64 = 7.0;

    fn of(n: &CategoryGraph) -> Scale {
        let heaviest = n.sound_arcs().map(CategoryArc::magnitude).fold(0.0, f64::max);
        // A hundred arcs at full width would fill the figure, so many arcs are thinner.
        let crowding = ((n.sound_arcs().count() as f64 - 40.0) / 80.0).clamp(0.0, 1.0);
        let widest = Scale::THICKEST - 2.0 * crowding;
        Scale { factor: if heaviest > 0.0 { widest / heaviest } else { 0.0 } }
    }

    fn width(self, weight: f64) -> f64 {
        (weight * self.factor).clamp(Scale::THINNEST, Scale::THICKEST)
    }
}

impl CategoryArc {
    /// Returns whether the arc begins or ends at the category in the middle.
    fn is_own(&self) -> bool {
        self.from == 0 || self.to == 0
    }

    /// Returns the weight as a length: zero if it is negative or not finite.
    fn magnitude(&self) -> f64 {
        if self.weight.is_finite() { self.weight.max(0.0) } else { 0.0 }
    }
}

#[cfg(test)]
pub(crate) mod samples {
    //! Graphs for the tests.

    use super::{CategoryArc, CategoryGraph};

    /// A small linear congruential generator, so that the tests are the same everywhere.
    pub(crate) struct Lcg(pub(crate) u64);

    impl Lcg {
        /// Draws a number below `bound`.
        pub(crate) fn below(&mut self, bound: usize) -> usize {
            self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (self.0 >> 33) as usize % bound
        }

        /// Draws a name of up to `longest` characters in one of several scripts.
        pub(crate) fn name(&mut self, longest: usize) -> String {
            let alphabets =
                ["etaoinshrdlu mwWM-", "планеты и спутники", "太陽系の惑星", "a&<\">'b ", "قمر كوكب"];
            let letters: Vec<char> = alphabets[self.below(alphabets.len())].chars().collect();
            (0..=self.below(longest)).map(|_| letters[self.below(letters.len())]).collect()
        }

        /// Draws a graph of `num_names` categories with `num_arcs` distinct arcs, loops among them.
        pub(crate) fn graph(&mut self, num_names: usize, num_arcs: usize, longest: usize) -> CategoryGraph {
            let names = (0..num_names).map(|_| self.name(longest)).collect();
            let mut arcs: Vec<CategoryArc> = Vec::new();
            while arcs.len() < num_arcs.min(num_names * num_names) {
                let (from, to) = (self.below(num_names), self.below(num_names));
                if !arcs.iter().any(|arc| (arc.from, arc.to) == (from, to)) {
                    arcs.push(CategoryArc { from, to, weight: 1.0 + self.below(900) as f64 / 100.0 });
                }
            }
            CategoryGraph { names, arcs }
        }
    }

    /// Panics unless `text` is a prologue and one balanced element, with every reserved character escaped.
    pub(crate) fn assert_well_formed(text: &str) {
        let mut open: Vec<&str> = Vec::new();
        let mut roots = 0;
        let mut rest = text;
        while let Some(start) = rest.find('<') {
            assert_entities(&rest[..start]);
            let end = start + rest[start..].find('>').expect("a tag must end");
            let tag = &rest[start + 1..end];
            assert!(!tag.contains('<'), "a bare < in {tag}");
            assert_entities(tag);
            assert_eq!(tag.matches('"').count() % 2, 0, "unbalanced quotes in {tag}");
            if let Some(name) = tag.strip_prefix('/') {
                assert_eq!(open.pop(), Some(name), "closed out of order");
            } else if !tag.starts_with('?') {
                roots += usize::from(open.is_empty());
                if !tag.ends_with('/') {
                    open.push(tag.split_whitespace().next().expect("a tag has a name"));
                }
            }
            rest = &rest[end + 1..];
        }
        assert!(open.is_empty(), "never closed: {open:?}");
        assert!(rest.trim().is_empty() && roots == 1);
    }

    fn assert_entities(text: &str) {
        for (at, _) in text.match_indices('&') {
            let known = ["&amp;", "&lt;", "&gt;", "&quot;", "&#13;"];
            assert!(known.iter().any(|entity| text[at..].starts_with(entity)), "a bare & in {text}");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::samples::Lcg;
    use super::{CategoryArc, CategoryGraph, Scale};

    #[test]
    fn widths_are_proportional_within_the_range() {
        let arcs = [8.0, 4.0, 2.0, 0.01].map(|weight| CategoryArc { from: 0, to: 0, weight }).to_vec();
        let scale = Scale::of(&CategoryGraph { names: vec!["Moons".into()], arcs });
        assert!((scale.width(8.0) - Scale::THICKEST).abs() < 1e-12);
        assert!((scale.width(8.0) - 2.0 * scale.width(4.0)).abs() < 1e-12);
        assert!((scale.width(0.01) - Scale::THINNEST).abs() < 1e-12);
    }

    #[test]
    fn widths_are_monotone_in_the_weight() {
        let n = Lcg(3).graph(19, 120, 20);
        let scale = Scale::of(&n);
        let mut weights: Vec<f64> = n.arcs.iter().map(|arc| arc.weight).collect();
        weights.sort_by(f64::total_cmp);
        assert!(weights.windows(2).all(|pair| scale.width(pair[0]) <= scale.width(pair[1])));
        assert!(scale.width(weights[0]) < scale.width(weights[119]));
    }

    #[test]
    fn a_weight_that_is_no_length_is_the_thinnest_arc() {
        let arcs =
            [f64::NAN, f64::INFINITY, -3.0].map(|weight| CategoryArc { from: 0, to: 0, weight }).to_vec();
        let n = CategoryGraph { names: vec!["Moons".into()], arcs };
        let scale = Scale::of(&n);
        assert!(n.arcs.iter().all(|arc| scale.width(arc.magnitude()) == Scale::THINNEST));
    }
}
