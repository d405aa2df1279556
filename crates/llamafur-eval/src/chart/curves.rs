//! Precision by recall, one curve a scorer.

use super::canvas::{BOLD, Canvas, LINE_HEIGHT, MARGIN, NAME, SMALL, WIDTH, key};
use super::exact;
use super::palette::NUM_COLOURS;
use super::text::{shorten, width};

/// Precision by recall at the cuts of a ranking, such as the paper's nine percentiles.
///
/// The first eight curves have a colour, a shape and dashes of their own and are named, beside the curve where all
/// names find room there, else below; the others are thin and grey, and named when they are pointed at.
///
/// ```
/// use llamafur_eval::chart::{Curve, PrecisionRecall};
///
/// let curve = Curve::new("llamafur", [None, Some((0.2, 0.5)), Some((1.0, 0.17))]);
/// let plot = PrecisionRecall::new("Precision and recall").cuts(["1 %", "10 %", "100 %"]).chance("chance", 0.17).curve(curve);
/// assert!(plot.svg().contains("llamafur, first 10 %: precision 0.500 at recall 0.200"));
/// ```
#[derive(Debug, Clone)]
pub struct PrecisionRecall {
    title: String,
    note: String,
    width: f64,
    highest: f64,
    cuts: Vec<String>,
    chance: Option<(String, f64)>,
    curves: Vec<Curve>,
}

/// A scorer's curve.
#[derive(Debug, Clone)]
pub struct Curve {
    name: String,
    points: Vec<Option<(f64, f64)>>,
}

impl Curve {
    /// A curve through points (recall, precision), one a cut. Where a point is missing, the curve is broken.
    pub fn new(name: &str, points: impl IntoIterator<Item = Option<(f64, f64)>>) -> Curve {
        let sound = |(x, y): &(f64, f64)| x.is_finite() && y.is_finite();
        let points = points.into_iter().map(|point| point.filter(sound)).collect();
        Curve { name: name.into(), points }
    }
}

impl PrecisionRecall {
    /// A figure without curves.
    pub fn new(title: &str) -> PrecisionRecall {
        PrecisionRecall {
            title: title.into(),
            note: String::new(),
            width: WIDTH,
            highest: 1.0,
            cuts: Vec::new(),
            chance: None,
            curves: Vec::new(),
        }
    }

    /// A sentence under the title. Default: none.
    pub fn note(mut self, note: &str) -> PrecisionRecall {
        self.note = note.into();
        self
    }

    /// The width in pixels, from 320 to 2000. Default: 720.
    pub fn width(mut self, width: f64) -> PrecisionRecall {
        self.width = width;
        self
    }

    /// The precision at the upper end, above 0 and at most 1. Default: 1.
    pub fn highest(mut self, precision: f64) -> PrecisionRecall {
        self.highest = if precision > 0.0 { precision.min(1.0) } else { 1.0 };
        self
    }

    /// What the points of every curve are called, in their order: the parts of the rankings that were looked at.
    /// Default: nothing.
    pub fn cuts<S: Into<String>>(mut self, cuts: impl IntoIterator<Item = S>) -> PrecisionRecall {
        self.cuts = cuts.into_iter().map(Into::into).collect();
        self
    }

    /// A dashed line at the precision that chance gives. Default: none.
    pub fn chance(mut self, name: &str, precision: f64) -> PrecisionRecall {
        self.chance = precision.is_finite().then(|| (name.into(), precision));
        self
    }

    /// One more curve.
    pub fn curve(mut self, curve: Curve) -> PrecisionRecall {
        self.curves.push(curve);
        self
    }

    /// The figure as a standalone SVG file.
    pub fn svg(&self) -> String {
        let mut canvas = Canvas::new(self.width);
        let top = canvas.heading(&self.title, &self.note) + LINE_HEIGHT + 6.0;
        let frame = Frame {
            left: MARGIN + 36.0,
            top,
            width: canvas.room() - 36.0 - 8.0,
            height: ((canvas.room() - 44.0) * 0.62).clamp(240.0, 420.0).round(),
            highest: self.highest,
        };
        frame.draw_axes(&mut canvas);
        self.draw_chance(&mut canvas, &frame);
        let (named, others) = self.curves.split_at(self.curves.len().min(NUM_COLOURS));
        for curve in others {
            frame.draw_curve(&mut canvas, curve, None, &self.cuts);
        }
        // The first curve is drawn last, on top of the others.
        for (colour, curve) in named.iter().enumerate().rev() {
            frame.draw_curve(&mut canvas, curve, Some(colour), &self.cuts);
        }
        let mut bottom = frame.top + frame.height + 42.0;
        if let Some(places) = self.free_places(&frame) {
            for ((colour, curve), (x, y)) in named.iter().enumerate().zip(places) {
                canvas.text(&format!("name bold halo f{colour}"), "start", (x, y + 4.5), &curve.name);
            }
        } else {
            let names: Vec<(usize, &str)> =
                named.iter().map(|curve| curve.name.as_str()).enumerate().collect();
            bottom = key(&mut canvas, &names, bottom + 4.0) + 4.0;
        }
        if !others.is_empty() {
            let said = format!("Thin grey lines: {} more, named when they are pointed at.", others.len());
            bottom = canvas.paragraph(&said, bottom + 2.0);
        }
        canvas.finish(&self.title, &self.description(), bottom + 8.0)
    }

    fn draw_chance(&self, canvas: &mut Canvas, frame: &Frame) {
        if let Some((name, precision)) = &self.chance {
            let y = frame.y(*precision);
            canvas.segment("level", (frame.left, y), (frame.left + frame.width, y));
            let label = shorten(&format!("{name} {}", exact(*precision)), SMALL, frame.width);
            // Curves come down to chance, so there is more room under it.
            let y = if y < frame.top + frame.height - 20.0 { y + 14.0 } else { y - 5.0 };
            canvas.text("note halo", "end", (frame.left + frame.width, y), &label);
        }
    }

    /// A place beside each named curve where its name hides nothing; none if one of them finds no such place.
    fn free_places(&self, frame: &Frame) -> Option<Vec<(f64, f64)>> {
        const HALF: f64 = 9.0;
        let mut taken: Vec<Block> = Vec::new();
        if let Some((name, precision)) = &self.chance {
            let (y, wide) = (frame.y(*precision), width(&format!("{name} {}", exact(*precision)), SMALL));
            let right = frame.left + frame.width;
            taken.push(Block { left: right - wide, right, top: y - 18.0, bottom: y + 18.0 });
            taken.push(Block { left: frame.left, right, top: y - 1.0, bottom: y + 1.0 });
        }
        for curve in &self.curves {
            taken.extend(frame.parts(curve).iter().flat_map(|part| Block::along(part)));
        }
        let named = &self.curves[..self.curves.len().min(NUM_COLOURS)];
        let mut places = Vec::new();
        for curve in named {
            let wide = width(&curve.name, NAME * BOLD);
            let near = frame.parts(curve).into_iter().flatten().flat_map(|(x, y)| {
                // To the right, to the left, above and below a point.
                [
                    (x + 6.0, y - 16.0),
                    (x + 6.0, y + 16.0),
                    (x + 8.0, y),
                    (x - wide - 8.0, y),
                    (x - wide / 2.0, y - 16.0),
                ]
            });
            let block =
                |(x, y): (f64, f64)| Block { left: x, right: x + wide, top: y - HALF, bottom: y + HALF };
            let is_free = |at: &(f64, f64)| {
                let block = block(*at);
                block.is_within(frame) && taken.iter().all(|other| !block.touches(other))
            };
            let place = near.into_iter().find(is_free)?;
            taken.push(block(place));
            places.push(place);
        }
        Some(places)
    }

    fn description(&self) -> String {
        let mut said = format!("{} Precision by recall. ", self.note.replace('\n', " "));
        for curve in &self.curves {
            let points =
                curve.points.iter().flatten().map(|(x, y)| format!("{} at {}", exact(*y), exact(*x)));
            said += &format!("{}: {}. ", curve.name, points.collect::<Vec<_>>().join(", "));
        }
        said.trim().to_owned()
    }
}

/// The part of the figure that holds the curves.
struct Frame {
    left: f64,
    top: f64,
    width: f64,
    height: f64,
    highest: f64,
}

impl Frame {
    fn x(&self, recall: f64) -> f64 {
        self.left + self.width * recall.clamp(0.0, 1.0)
    }

    fn y(&self, precision: f64) -> f64 {
        self.top + self.height * (1.0 - (precision / self.highest).clamp(0.0, 1.0))
    }

    fn draw_axes(&self, canvas: &mut Canvas) {
        let bottom = self.top + self.height;
        canvas.text("note", "start", (MARGIN, self.top - 10.0), "precision");
        let precisions = super::Axis::linear("").range(0.0, self.highest).fit([].into_iter()).labels();
        for (tick, label) in precisions {
            let y = self.y(tick);
            canvas.segment("grid", (self.left, y), (self.left + self.width, y));
            canvas.text("tick", "end", (self.left - 6.0, y + 4.0), &label);
        }
        for (tick, label) in [(0.0, "0"), (0.25, "0.25"), (0.5, "0.5"), (0.75, "0.75"), (1.0, "1")] {
            canvas.segment("grid", (self.x(tick), self.top), (self.x(tick), bottom + 4.0));
            canvas.text("tick", "middle", (self.x(tick), bottom + 17.0), label);
        }
        canvas.text("note", "middle", (self.left + self.width / 2.0, bottom + 33.0), "recall");
    }

    /// The stretches of a curve between missing points.
    fn parts(&self, curve: &Curve) -> Vec<Vec<(f64, f64)>> {
        let parts = curve.points.split(Option::is_none).filter(|part| !part.is_empty());
        parts.map(|part| part.iter().flatten().map(|(x, y)| (self.x(*x), self.y(*y))).collect()).collect()
    }

    fn draw_curve(&self, canvas: &mut Canvas, curve: &Curve, colour: Option<usize>, cuts: &[String]) {
        for part in self.parts(curve) {
            match colour {
                Some(colour) => canvas.line(colour, &part, &curve.name),
                None => canvas.rest(&part, &curve.name),
            }
        }
        for (number, point) in curve.points.iter().enumerate() {
            let Some((recall, precision)) = *point else { continue };
            let cut = cuts.get(number).map_or(String::new(), |cut| format!(", first {cut}"));
            let tip =
                format!("{}{cut}: precision {} at recall {}", curve.name, exact(precision), exact(recall));
            let at = (self.x(recall), self.y(precision));
            match colour {
                Some(colour) => canvas.marker(colour, at, &tip),
                None => canvas.circle("rest", at, 1.5, &tip),
            }
        }
    }
}

/// A rectangle that something lies in.
struct Block {
    left: f64,
    right: f64,
    top: f64,
    bottom: f64,
}

impl Block {
    /// Small blocks along a line.
    fn along(points: &[(f64, f64)]) -> Vec<Block> {
        let around =
            |(x, y): (f64, f64)| Block { left: x - 5.0, right: x + 5.0, top: y - 5.0, bottom: y + 5.0 };
        let mut blocks: Vec<Block> = points.iter().copied().map(around).collect();
        for pair in points.windows(2) {
            let ((x1, y1), (x2, y2)) = (pair[0], pair[1]);
            let steps = ((x2 - x1).abs().max((y2 - y1).abs()) / 6.0).ceil().clamp(1.0, 400.0);
            let at = |k: f64| (x1 + (x2 - x1) * k / steps, y1 + (y2 - y1) * k / steps);
            blocks.extend((0..=steps as usize).map(|k| {
                let (x, y) = at(k as f64);
                Block { left: x - 3.0, right: x + 3.0, top: y - 3.0, bottom: y + 3.0 }
            }));
        }
        blocks
    }

    fn touches(&self, other: &Block) -> bool {
        self.left < other.right
            && other.left < self.right
            && self.top < other.bottom
            && other.top < self.bottom
    }

    fn is_within(&self, frame: &Frame) -> bool {
        self.left > frame.left + 2.0
            && self.right < frame.left + frame.width - 2.0
            && self.top > frame.top
            && self.bottom < frame.top + frame.height - 2.0
    }
}
