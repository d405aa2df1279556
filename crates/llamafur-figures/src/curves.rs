//! Precision by recall, one curve for each scorer.

use crate::axis::{Axis, Frame};
use crate::canvas::{At, Canvas, Drawing, LINE_HEIGHT, MARGIN};
use crate::numbers::exact;
use crate::text::shorten;
use crate::theme::{NUM_COLOURS, SMALL};

/// Precision by recall at the cuts of a ranking, such as the paper's nine percentiles.
///
/// The first eight curves have a colour, a marker and a dash pattern of their own, and a name below. The other curves are thin
/// and grey; their tooltips have the names.
///
/// ```
/// use llamafur_figures::{PrecisionRecall, WIDE};
///
/// let plot = PrecisionRecall::new("Precision and recall").cuts(["1 %", "10 %", "100 %"]).chance("chance", 0.17);
/// let plot = plot.curve("llamafur", [None, Some((0.2, 0.5)), Some((1.0, 0.17))]);
/// assert!(plot.draw(WIDE).svg().contains("llamafur, first 10 %: precision 0.500 at recall 0.200"));
/// ```
#[derive(Debug, Clone)]
pub struct PrecisionRecall {
    title: String,
    highest: f64,
    cuts: Vec<String>,
    chance: Option<(String, f64)>,
    curves: Vec<Curve>,
}

#[derive(Debug, Clone)]
struct Curve {
    name: String,
    points: Vec<Option<At>>,
}

impl PrecisionRecall {
    /// A figure without curves.
    pub fn new(title: &str) -> PrecisionRecall {
        PrecisionRecall {
            title: title.into(),
            highest: 1.0,
            cuts: Vec::new(),
            chance: None,
            curves: Vec::new(),
        }
    }

    /// The precision at the upper end, above 0 and at most 1. Default: 1.
    pub fn highest(mut self, precision: f64) -> PrecisionRecall {
        self.highest = if precision > 0.0 { precision.min(1.0) } else { 1.0 };
        self
    }

    /// The names of the cuts, one for each point of a curve. Default: none.
    pub fn cuts<S: Into<String>>(mut self, cuts: impl IntoIterator<Item = S>) -> PrecisionRecall {
        self.cuts = cuts.into_iter().map(Into::into).collect();
        self
    }

    /// A dashed line at the precision of chance. Default: none.
    pub fn chance(mut self, name: &str, precision: f64) -> PrecisionRecall {
        self.chance = precision.is_finite().then(|| (name.into(), precision));
        self
    }

    /// Adds a curve through points (recall, precision), one for each cut. A missing point interrupts the curve.
    pub fn curve(
        mut self,
        name: &str,
        points: impl IntoIterator<Item = Option<(f64, f64)>>,
    ) -> PrecisionRecall {
        let sound = |(x, y): &At| x.is_finite() && y.is_finite();
        let points = points.into_iter().map(|point| point.filter(sound)).collect();
        self.curves.push(Curve { name: name.into(), points });
        self
    }

    /// Draws the figure at this width in pixels, from 320 to 2000.
    pub fn draw(&self, width: f64) -> Drawing {
        let mut canvas = Canvas::new(width);
        let top = canvas.heading(&self.title, "") + LINE_HEIGHT + 6.0;
        let frame = Frame {
            left: MARGIN + 36.0,
            right: canvas.width - MARGIN - 8.0,
            top,
            height: ((canvas.room() - 44.0) * 0.62).clamp(240.0, 420.0).round(),
            x: Axis::linear("").range(0.0, 1.0).fit([].into_iter()),
            y: Axis::linear("").range(0.0, self.highest).fit([].into_iter()),
        };
        draw_axes(&mut canvas, &frame);
        self.draw_chance(&mut canvas, &frame);
        let (named, others) = self.curves.split_at(self.curves.len().min(NUM_COLOURS));
        for curve in others {
            draw_curve(&mut canvas, &frame, curve, None, &self.cuts);
        }
        // The first curve is drawn last, on top of the others.
        for (colour, curve) in named.iter().enumerate().rev() {
            draw_curve(&mut canvas, &frame, curve, Some(colour), &self.cuts);
        }
        let mut bottom = frame.bottom() + 42.0;
        let names: Vec<(usize, &str)> = named.iter().map(|curve| curve.name.as_str()).enumerate().collect();
        bottom = canvas.key(&names, (MARGIN, canvas.width - MARGIN), bottom + 4.0) + 4.0;
        if !others.is_empty() {
            let said = format!("Thin grey lines: {} more, with their names as tooltips.", others.len());
            bottom = canvas.paragraph(&said, bottom + 2.0);
        }
        canvas.finish(&self.title, &self.description(), bottom + 8.0)
    }

    fn draw_chance(&self, canvas: &mut Canvas, frame: &Frame) {
        if let Some((name, precision)) = &self.chance {
            let y = frame.y(*precision);
            canvas.segment("level", (frame.left, y), (frame.right, y));
            let label = shorten(&format!("{name} {}", exact(*precision)), SMALL, frame.right - frame.left);
            // Curves descend to chance, so there is more room under it.
            let y = if y < frame.bottom() - 20.0 { y + 14.0 } else { y - 5.0 };
            canvas.halo_text("note", "end", (frame.right, y), &label);
        }
    }

    fn description(&self) -> String {
        let mut said = String::from("Precision by recall. ");
        for curve in &self.curves {
            let points =
                curve.points.iter().flatten().map(|(x, y)| format!("{} at {}", exact(*y), exact(*x)));
            said += &format!("{}: {}. ", curve.name, points.collect::<Vec<_>>().join(", "));
        }
        said
    }
}

fn draw_axes(canvas: &mut Canvas, frame: &Frame) {
    canvas.text("note", "start", (MARGIN, frame.top - 10.0), "precision");
    frame.draw_y(canvas);
    for (tick, label) in frame.x.labels() {
        let (x, bottom) = (frame.x(tick), frame.bottom());
        canvas.segment("grid", (x, frame.top), (x, bottom + 4.0));
        canvas.text("tick", "middle", (x, bottom + 17.0), &label);
    }
    canvas.centred(((frame.left + frame.right) / 2.0, frame.bottom() + 33.0), "recall", "");
}

/// The parts of a curve between missing points.
fn parts(frame: &Frame, curve: &Curve) -> Vec<Vec<At>> {
    let parts = curve.points.split(Option::is_none).filter(|part| !part.is_empty());
    parts.map(|part| part.iter().flatten().map(|(x, y)| (frame.x(*x), frame.y(*y))).collect()).collect()
}

fn draw_curve(canvas: &mut Canvas, frame: &Frame, curve: &Curve, colour: Option<usize>, cuts: &[String]) {
    for part in parts(frame, curve) {
        match colour {
            Some(colour) => canvas.line(colour, &part, &curve.name),
            None => canvas.rest(&part, &curve.name),
        }
    }
    for (number, point) in curve.points.iter().enumerate() {
        let Some((recall, precision)) = *point else { continue };
        let cut = cuts.get(number).map_or(String::new(), |cut| format!(", first {cut}"));
        let tip = format!("{}{cut}: precision {} at recall {}", curve.name, exact(precision), exact(recall));
        let at = (frame.x(recall), frame.y(precision));
        match colour {
            Some(colour) => canvas.marker(colour, at, &tip),
            None => canvas.circle("rest", at, 1.5, &tip),
        }
    }
}
