//! A measure by the number of categories, with the memory that their matrix would take.

use super::apart::apart;
use super::axis::{Axis, Fitted, minus, short, spaced};
use super::canvas::{Canvas, LINE_HEIGHT, MARGIN, NAME, SMALL, WIDTH, key};
use super::text::{shorten, width};
use super::{Line, Point, exact};

/// Lines over sizes, on a logarithmic axis, with a second row of labels under the first: what each size costs.
///
/// ```
/// use llamafur_eval::chart::{Axis, Line, SizePlot, bytes};
///
/// let line = Line::with_spread("averaged", 0, [(1e3, 0.80, 0.79, 0.81), (2e4, 0.87, 0.86, 0.88)]);
/// let plot = SizePlot::new("How many categories", "categories", Axis::linear("F-measure"))
///     .costs("dense matrix", [1e3, 2e4].map(|k| (k, bytes(4.0 * k * k))))
///     .line(line);
/// assert!(plot.svg().contains(">1.6 GB</text>"));
/// ```
#[derive(Debug, Clone)]
pub struct SizePlot {
    title: String,
    note: String,
    width: f64,
    x: String,
    y: Axis,
    cost: String,
    costs: Vec<(f64, String)>,
    lines: Vec<Line>,
}

impl SizePlot {
    /// A figure without lines.
    pub fn new(title: &str, x: &str, y: Axis) -> SizePlot {
        SizePlot {
            title: title.into(),
            note: String::new(),
            width: WIDTH,
            x: x.into(),
            y,
            cost: String::new(),
            costs: Vec::new(),
            lines: Vec::new(),
        }
    }

    /// A sentence under the title. Default: none.
    pub fn note(mut self, note: &str) -> SizePlot {
        self.note = note.into();
        self
    }

    /// The width in pixels, from 320 to 2000. Default: 720.
    pub fn width(mut self, width: f64) -> SizePlot {
        self.width = width;
        self
    }

    /// What the second row of labels is called, and the label of each size. Default: none.
    pub fn costs(mut self, name: &str, costs: impl IntoIterator<Item = (f64, String)>) -> SizePlot {
        self.cost = name.into();
        self.costs = costs.into_iter().collect();
        self
    }

    /// One more line. There are eight colours, from 0 on.
    pub fn line(mut self, line: Line) -> SizePlot {
        self.lines.push(line);
        self
    }

    /// The figure as a standalone SVG file.
    pub fn svg(&self) -> String {
        let mut canvas = Canvas::new(self.width);
        let top = canvas.heading(&self.title, &self.note) + LINE_HEIGHT + 6.0;
        let widest = self.lines.iter().map(|line| width(&line.name, NAME)).fold(0.0, f64::max);
        let height = (canvas.room() * 0.45).clamp(190.0, 300.0).round();
        // Names stand where their lines end if that leaves most of the room to the lines, else below.
        let is_beside = widest + 32.0 <= canvas.room() * 0.3 && self.lines.len() as f64 * 16.0 <= height;
        let points = || self.lines.iter().flat_map(|line| &line.points);
        let y = self.y.fit_loosely(points().flat_map(|point| [point.y, point.low, point.high]));
        let left =
            MARGIN + 6.0 + y.labels().iter().map(|(_, label)| width(label, SMALL)).fold(24.0, f64::max);
        let right = canvas.width - MARGIN - if is_beside { widest + 32.0 } else { 16.0 };
        let x = Axis::log("").fit_loosely(points().map(|point| point.x));
        let frame = Frame { left, right, top, height, x, y };
        let bottom = self.draw_axes(&mut canvas, &frame);
        // The first line is drawn last, on top of the others.
        for line in self.lines.iter().rev() {
            self.draw_line(&mut canvas, &frame, line);
        }
        if is_beside {
            self.draw_names(&mut canvas, &frame);
            return canvas.finish(&self.title, &self.description(), bottom + 8.0);
        }
        let names: Vec<_> = self.lines.iter().map(|line| (line.colour, line.name.as_str())).collect();
        let bottom = key(&mut canvas, &names, bottom + 6.0);
        canvas.finish(&self.title, &self.description(), bottom + 10.0)
    }

    /// The axes with their labels; gives the place below them.
    fn draw_axes(&self, canvas: &mut Canvas, frame: &Frame) -> f64 {
        let bottom = frame.top + frame.height;
        let name = shorten(&self.y.name, SMALL, canvas.room());
        canvas.text("note", "start", (MARGIN, frame.top - 10.0), &name);
        for (tick, label) in frame.y.labels() {
            let y = frame.y(tick);
            canvas.segment("grid", (frame.left, y), (frame.right, y));
            canvas.text("tick", "end", (frame.left - 6.0, y + 4.0), &label);
        }
        let mut sizes: Vec<f64> =
            self.lines.iter().flat_map(|line| &line.points).map(|point| point.x).collect();
        sizes.retain(|size| size.is_finite() && *size > 0.0);
        sizes.sort_by(f64::total_cmp);
        sizes.dedup();
        // Both rows have labels at the same sizes: a cost without its size says little.
        let both = |size: &f64| {
            let (label, cost) = (minus(short(*size)), self.cost_of(*size).unwrap_or_default());
            if width(&label, SMALL) >= width(cost, SMALL) { label } else { cost.to_owned() }
        };
        let places = sizes.iter().map(|size| (frame.x(*size), both(size))).collect();
        let kept = spaced(places, MARGIN, canvas.width - 2.0);
        for &size in &sizes {
            let x = frame.x(size);
            canvas.segment("grid", (x, bottom), (x, bottom + 4.0));
            if kept.iter().any(|(place, _)| *place == x) {
                canvas.text("tick", "middle", (x, bottom + 17.0), &short(size));
                canvas.text("tick", "middle", (x, bottom + 33.0), self.cost_of(size).unwrap_or_default());
            }
        }
        let has_costs = !self.costs.is_empty();
        let under = if has_costs { format!("{}; below: {}", self.x, self.cost) } else { self.x.clone() };
        let under = shorten(&under, SMALL, canvas.room());
        let half = width(&under, SMALL) / 2.0;
        let middle = ((frame.left + frame.right) / 2.0).max(MARGIN + half).min(canvas.width - MARGIN - half);
        let y = bottom + if has_costs { 51.0 } else { 35.0 };
        canvas.text("note", "middle", (middle, y), &under);
        y + 6.0
    }

    fn cost_of(&self, size: f64) -> Option<&str> {
        self.costs.iter().find(|(of, _)| *of == size).map(|(_, cost)| cost.as_str())
    }

    fn draw_line(&self, canvas: &mut Canvas, frame: &Frame, line: &Line) {
        let points: Vec<&Point> = line.points.iter().filter(|point| is_sound(point)).collect();
        let at = |of: fn(&Point) -> f64| move |point: &&Point| (frame.x(point.x), frame.y(of(point)));
        let spread =
            |point: &&Point| point.low.is_finite() && point.high.is_finite() && point.low < point.high;
        if points.len() > 1 && points.iter().any(spread) {
            let banded: Vec<&Point> = points
                .iter()
                .copied()
                .filter(|point| point.low.is_finite() && point.high.is_finite())
                .collect();
            let there = banded.iter().map(at(|point| point.high));
            let back = banded.iter().rev().map(at(|point| point.low));
            let outline: Vec<_> = there.chain(back).collect();
            canvas.area(&format!("band f{}", line.colour % super::palette::NUM_COLOURS), &outline);
        } else if let Some(point) = points.first().filter(|point| spread(point)) {
            let x = frame.x(point.x);
            let class = format!("range s{}", line.colour % super::palette::NUM_COLOURS);
            canvas.segment(&class, (x, frame.y(point.low)), (x, frame.y(point.high)));
        }
        if points.len() > 1 {
            canvas.line(line.colour, &points.iter().map(at(|point| point.y)).collect::<Vec<_>>(), &line.name);
        }
        for point in points {
            let mut tip = format!("{}: {} at {}", line.name, exact(point.y), short(point.x));
            if spread(&point) {
                tip += &format!(", from {} to {}", exact(point.low), exact(point.high));
            }
            if let Some(cost) = self.cost_of(point.x) {
                tip += &format!(", {} {cost}", self.cost);
            }
            canvas.marker(line.colour, (frame.x(point.x), frame.y(point.y)), &tip);
        }
    }

    /// The names of lines, each beside its end, pushed apart where they would overlap.
    fn draw_names(&self, canvas: &mut Canvas, frame: &Frame) {
        let last = |line: &Line| line.points.iter().rfind(|point| is_sound(point)).copied();
        let mut ends: Vec<(f64, f64, &Line)> = self
            .lines
            .iter()
            .filter_map(|line| last(line).map(|point| (frame.y(point.y), frame.x(point.x), line)))
            .collect();
        ends.sort_by(|a, b| a.0.total_cmp(&b.0));
        let wanted: Vec<f64> = ends.iter().map(|end| end.0).collect();
        let places = apart(&wanted, frame.top, frame.top + frame.height);
        for ((y, x, line), place) in ends.into_iter().zip(places) {
            let class = format!("lead s{}", line.colour % super::palette::NUM_COLOURS);
            canvas.segment(&class, (x + 6.0, y), (frame.right + 14.0, place));
            canvas.marker(line.colour, (frame.right + 19.0, place), "");
            canvas.text("name", "start", (frame.right + 28.0, place + 4.5), &line.name);
        }
    }

    fn description(&self) -> String {
        let mut said = format!("{} {} by {}. ", self.note.replace('\n', " "), self.y.name, self.x);
        for line in &self.lines {
            let points = line.points.iter().filter(|point| is_sound(point));
            let points = points.map(|point| format!("{} at {}", exact(point.y), short(point.x)));
            said += &format!("{}: {}. ", line.name, points.collect::<Vec<_>>().join(", "));
        }
        said.trim().to_owned()
    }
}

/// Whether a point has a place.
fn is_sound(point: &Point) -> bool {
    point.x.is_finite() && point.x > 0.0 && point.y.is_finite()
}

/// The part of the figure that holds the lines.
struct Frame {
    left: f64,
    right: f64,
    top: f64,
    height: f64,
    x: Fitted,
    y: Fitted,
}

impl Frame {
    fn x(&self, x: f64) -> f64 {
        self.left + (self.right - self.left) * self.x.place(x).clamp(0.0, 1.0)
    }

    fn y(&self, y: f64) -> f64 {
        self.top + self.height * (1.0 - self.y.place(y).clamp(0.0, 1.0))
    }
}

/// A number of bytes in a unit that leaves one to three digits before the point: 4.0 GB, of 10⁹ bytes.
///
/// ```
/// use llamafur_eval::chart::bytes;
/// assert_eq!(bytes(1.6e9), "1.6 GB");
/// assert_eq!(bytes(999.0), "999 B");
/// ```
pub fn bytes(bytes: f64) -> String {
    let mut left = if bytes.is_finite() { bytes.max(0.0) } else { 0.0 };
    for unit in ["B", "kB", "MB", "GB", "TB"] {
        // What would be rounded to 1000 goes to the next unit.
        if left < if unit == "B" { 999.5 } else { 999.95 } {
            let decimals = if unit == "B" || left >= 99.95 { 0 } else { 1 };
            return format!("{left:.decimals$} {unit}");
        }
        left /= 1000.0;
    }
    format!("{left:.1} PB")
}
