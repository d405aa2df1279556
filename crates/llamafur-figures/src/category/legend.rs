//! Explains the widths, colours and rings.

use super::curve::{Point, Shape};
use super::layout::LOOP_GAP;
use super::picture::outline;
use super::{CategoryArc, CategoryGraph, Scale};
use crate::canvas::{Canvas, MARGIN};
use crate::numbers::trimmed;
use crate::text::width;
use crate::theme::SMALL;

/// The length of a sample with the room after it.
const SAMPLE: f64 = 34.0;
const SAMPLE_GAP: f64 = 8.0;

/// The height of a row, and the room between two entries in it.
const ROW: f64 = 24.0;
const ENTRY_GAP: f64 = 22.0;

/// The samples of the legend.
enum Sample {
    /// An arc of the category, with this width.
    Own(f64),
    /// An arc between two of its neighbours.
    Among,
    /// An arc from a category to itself.
    Loop,
}

/// Draws the legend; returns the y below it.
pub(super) fn draw(canvas: &mut Canvas, n: &CategoryGraph, scale: Scale, opacity: &str, top: f64) -> f64 {
    let entries = entries(n, scale);
    if entries.is_empty() {
        return top;
    }
    let mut at = Point::new(MARGIN, top + ROW / 2.0);
    for (sample, text) in entries {
        let needed = SAMPLE + SAMPLE_GAP + width(&text, SMALL);
        if at.x > MARGIN && at.x + needed > canvas.width - MARGIN {
            at = Point::new(MARGIN, at.y + ROW);
        }
        draw_sample(canvas, &sample, opacity, at);
        canvas.text("note", "start", (at.x + SAMPLE + SAMPLE_GAP, at.y + 4.0), &text);
        at.x += needed + ENTRY_GAP;
    }
    at.y + ROW / 2.0
}

/// Lists the entries for the parts that the figure has.
fn entries(n: &CategoryGraph, scale: Scale) -> Vec<(Sample, String)> {
    let mut entries: Vec<(Sample, String)> = weights(n)
        .into_iter()
        .map(|weight| (Sample::Own(scale.width(weight)), format!("weight {}", plain(weight))))
        .collect();
    if n.sound_arcs().any(|arc| !arc.is_own() && arc.from != arc.to) {
        entries.push((Sample::Among, "between neighbours".to_owned()));
    }
    if n.sound_arcs().any(|arc| arc.from == arc.to) {
        entries.push((Sample::Loop, "to itself".to_owned()));
    }
    entries
}

fn draw_sample(canvas: &mut Canvas, sample: &Sample, opacity: &str, at: Point) {
    let line = format!("M{} {}h{SAMPLE}", at.x, at.y);
    match sample {
        Sample::Own(width) => {
            canvas.open("own", "");
            canvas.path("shaft", &line, &[("stroke-width", *width)], "");
        }
        Sample::Among => {
            canvas.open(&format!("among\" opacity=\"{opacity}"), "");
            canvas.path("shaft", &line, &[("stroke-width", 3.0)], "");
        }
        Sample::Loop => {
            let shape = Shape::disc(at + Point::new(SAMPLE / 2.0, 0.0), 5.0);
            canvas.open("among", "");
            outline(canvas, "dot", &shape, None);
            outline(canvas, "shaft", &shape.grown(LOOP_GAP + 1.0), Some(2.0));
        }
    }
    canvas.close();
}

/// Returns up to three weights that span those of the arcs, rounded to two digits.
fn weights(n: &CategoryGraph) -> Vec<f64> {
    let weights: Vec<f64> =
        n.sound_arcs().map(CategoryArc::magnitude).filter(|&weight| weight > 0.0).collect();
    let Some(heaviest) = weights.iter().copied().reduce(f64::max) else {
        return Vec::new();
    };
    let lightest = weights.iter().copied().fold(heaviest, f64::min);
    let mut chosen = [lightest, (lightest + heaviest) / 2.0, heaviest].map(two_digits).to_vec();
    chosen.dedup();
    chosen
}

fn two_digits(x: f64) -> f64 {
    let unit = 10f64.powf(x.log10().floor() - 1.0);
    (x / unit).round() * unit
}

/// Formats a weight without trailing zeros.
fn plain(weight: f64) -> String {
    if weight < 0.095 { format!("{weight:.1e}") } else { trimmed(format!("{weight:.2}")) }
}

#[cfg(test)]
mod tests {
    use super::super::{CategoryArc, CategoryGraph};
    use super::{plain, weights};

    fn shown(of_arcs: &[f64]) -> String {
        let arcs = of_arcs.iter().map(|&weight| CategoryArc { from: 0, to: 0, weight }).collect();
        let chosen = weights(&CategoryGraph { names: vec!["Moons".into()], arcs });
        chosen.into_iter().map(plain).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn three_weights_span_those_of_the_arcs() {
        assert_eq!(shown(&[1.04, 7.98, 2.0]), "1 4.5 8");
        assert_eq!(shown(&[1234.0, 0.0042]), "4.2e-3 620 1200");
    }

    #[test]
    fn equal_weights_are_shown_once_and_odd_ones_never() {
        assert_eq!(shown(&[3.0, 3.0]), "3");
        assert_eq!(shown(&[f64::NAN, -1.0, 0.0]), "");
    }
}
