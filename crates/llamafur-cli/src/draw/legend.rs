//! What the widths, colours and rings of the picture mean.

use super::curve::{Point, Shape};
use super::layout::{Anchor, LOOP_GAP, Layout, MARGIN, NOTE_SIZE};
use super::svg::{is_own, lines, num, outline, point};
use super::text::{Block, width};
use super::{Arc, Neighbourhood, Scale};

/// The length of a sample, and the room between it and its text.
const SAMPLE: f64 = 34.0;
const SAMPLE_GAP: f64 = 8.0;

/// The height of a row, and the room between two keys in it.
const ROW: f64 = 24.0;
const KEY_GAP: f64 = 22.0;

/// A sample of something drawn.
enum Sample {
    /// An arc of the category, so wide.
    Own(f64),
    /// An arc between two of its neighbours.
    Among,
    /// An arc from a category to itself.
    Loop,
}

/// Draws the legend from `layout.bottom` on, and tells where it ends.
pub(super) fn legend(n: &Neighbourhood, scale: Scale, layout: &Layout) -> (String, f64) {
    let keys = keys(n, scale);
    if keys.is_empty() {
        return (String::new(), layout.bottom);
    }
    let mut drawn = String::from("<g class=\"legend\">\n");
    let mut at = Point::new(MARGIN, layout.bottom + ROW / 2.0);
    for (sample, text) in keys {
        let text_width = width(&text, NOTE_SIZE);
        let needed = SAMPLE + SAMPLE_GAP + text_width;
        if at.x > MARGIN && at.x + needed > layout.width - MARGIN {
            at = Point::new(MARGIN, at.y + ROW);
        }
        drawn.push_str(&draw(&sample, at));
        let line_height = (NOTE_SIZE * 1.25).round();
        let block = Block { lines: vec![text], width: text_width, height: line_height, line_height };
        drawn.push_str(&lines("note", &block, at + Point::new(SAMPLE + SAMPLE_GAP, 0.0), Anchor::Start));
        at.x += needed + KEY_GAP;
    }
    drawn.push_str("</g>\n");
    (drawn, at.y + ROW / 2.0)
}

/// Only what the picture has needs a key.
fn keys(n: &Neighbourhood, scale: Scale) -> Vec<(Sample, String)> {
    let weights = weights(n).into_iter();
    let mut keys: Vec<(Sample, String)> = weights
        .map(|weight| (Sample::Own(scale.width(weight)), format!("weight {}", plain(weight))))
        .collect();
    if n.sound_arcs().any(|arc| !is_own(arc) && arc.from != arc.to) {
        keys.push((Sample::Among, "between neighbours".to_owned()));
    }
    if n.sound_arcs().any(|arc| arc.from == arc.to) {
        keys.push((Sample::Loop, "to itself".to_owned()));
    }
    keys
}

fn draw(sample: &Sample, at: Point) -> String {
    let (class, width) = match *sample {
        Sample::Own(width) => ("own", width),
        Sample::Among => ("among", 3.0),
        Sample::Loop => {
            let shape = Shape::disc(at + Point::new(SAMPLE / 2.0, 0.0), 5.0);
            let ring = outline("line", &shape.grown(LOOP_GAP + 1.0), " stroke-width=\"2.00\"");
            return format!("{}<g class=\"among loop\">{ring}</g>\n", outline("dot", &shape, ""));
        }
    };
    format!(
        "<g class=\"{class}\"><path class=\"line\" d=\"M{} H{}\" stroke-width=\"{}\"/></g>\n",
        point(at),
        num(at.x + SAMPLE),
        num(width)
    )
}

/// Up to three weights that span those of the arcs, with two digits so that they are easy to read.
fn weights(n: &Neighbourhood) -> Vec<f64> {
    let weights: Vec<f64> = n.sound_arcs().map(Arc::magnitude).filter(|&weight| weight > 0.0).collect();
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

/// A weight without needless zeros.
fn plain(weight: f64) -> String {
    if weight < 0.095 {
        return format!("{weight:.1e}");
    }
    let text = format!("{weight:.2}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

#[cfg(test)]
mod tests {
    use super::super::{Arc, Neighbourhood};
    use super::{plain, weights};

    fn shown(of_arcs: &[f64]) -> String {
        let arcs = of_arcs.iter().map(|&weight| Arc { from: 0, to: 0, weight }).collect();
        let chosen = weights(&Neighbourhood { names: vec!["Moons".into()], arcs });
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
