//! Panels of lines.

use crate::axis::{Axis, Frame, numbers_width, spaced};
use crate::canvas::{At, Canvas, Drawing, LINE_HEIGHT, MARGIN};
use crate::labels::spread;
use crate::numbers::{exact, short};
use crate::text::{BOLD, shorten, widest, width, wrap};
use crate::theme::{NAME, NUM_COLOURS, SMALL};

/// The least width of a panel, and the room between two panels of a row.
const LEAST_PANEL: f64 = 210.0;
const GAP: f64 = 12.0;

/// The least distance between the names of two lines.
const STEP: f64 = 14.0;

/// Panels in rows, with a heading.
///
/// A name is at the end of its line where there is room for all names, else below the panel.
#[derive(Debug, Clone)]
pub struct Chart {
    title: String,
    note: String,
    columns: usize,
    panels: Vec<Panel>,
}

impl Chart {
    /// A chart without panels.
    pub fn new(title: &str) -> Chart {
        Chart { title: title.into(), note: String::new(), columns: 3, panels: Vec::new() }
    }

    /// A text under the title. Default: none.
    pub fn note(mut self, note: &str) -> Chart {
        self.note = note.into();
        self
    }

    /// At most so many panels are side by side, fewer where there is no room. Default: 3.
    pub fn columns(mut self, columns: usize) -> Chart {
        self.columns = columns;
        self
    }

    /// Adds a panel.
    pub fn panel(mut self, panel: Panel) -> Chart {
        self.panels.push(panel);
        self
    }

    /// Draws the chart at this width in pixels, from 320 to 2000.
    pub fn draw(&self, width: f64) -> Drawing {
        let mut canvas = Canvas::new(width);
        let mut top = canvas.heading(&self.title, &self.note);
        let columns =
            ((canvas.room() / LEAST_PANEL) as usize).min(self.panels.len()).min(self.columns).max(1);
        let cell = (canvas.room() + GAP) / columns as f64;
        for row in self.panels.chunks(columns) {
            let mut bottom = top;
            for (column, panel) in row.iter().enumerate() {
                let left = MARGIN + column as f64 * cell;
                bottom = panel.draw(&mut canvas, (left, left + cell - GAP), top).max(bottom);
            }
            top = bottom + 10.0;
        }
        canvas.finish(&self.title, &self.description(), top)
    }

    fn description(&self) -> String {
        let mut said = self.note.replace('\n', " ");
        for panel in &self.panels {
            said += &format!(" {} ({} by {}):", panel.title, panel.y.name, panel.x.name);
            for line in &panel.lines {
                let points = line.sound().map(|point| format!("{} at {}", exact(point.y), short(point.x)));
                said += &format!(" {}: {}.", line.name, points.collect::<Vec<_>>().join(", "));
            }
        }
        said
    }
}

/// Lines over the same axes.
#[derive(Debug, Clone)]
pub struct Panel {
    title: String,
    x: Axis,
    y: Axis,
    lines: Vec<Line>,
    levels: Vec<(f64, String)>,
    costs: Option<(String, Vec<(f64, String)>)>,
}

impl Panel {
    /// A panel without lines.
    pub fn new(title: &str, x: Axis, y: Axis) -> Panel {
        Panel { title: title.into(), x, y, lines: Vec::new(), levels: Vec::new(), costs: None }
    }

    /// Adds a line.
    pub fn line(mut self, line: Line) -> Panel {
        self.lines.push(line);
        self
    }

    /// Adds a dashed horizontal line to compare with.
    pub fn level(mut self, y: f64, name: &str) -> Panel {
        self.levels.push((y, name.into()));
        self
    }

    /// A second row of labels under the horizontal axis: what each x costs. Default: none. The ticks are then at the points
    /// of the lines.
    ///
    /// ```
    /// use llamafur_figures::{Axis, Chart, Line, Panel, WIDE, bytes};
    ///
    /// let panel = Panel::new("", Axis::log("categories"), Axis::linear("F-measure"))
    ///     .costs("dense matrix", [1e3, 2e4].map(|k| (k, bytes(4.0 * k * k))))
    ///     .line(Line::with_spread("averaged", 0, [(1e3, 0.80, 0.79, 0.81), (2e4, 0.87, 0.86, 0.88)]));
    /// assert!(Chart::new("How many categories").panel(panel).draw(WIDE).svg().contains(">1.6 GB</text>"));
    /// ```
    pub fn costs(mut self, name: &str, costs: impl IntoIterator<Item = (f64, String)>) -> Panel {
        self.costs = Some((name.into(), costs.into_iter().collect()));
        self
    }

    /// Draws the panel; returns the y below it.
    fn draw(&self, canvas: &mut Canvas, (left, right): At, mut top: f64) -> f64 {
        for line in wrap(&self.title, NAME * BOLD, right - left, 2) {
            canvas.tipped_text("name bold", "start", (left, top + 12.0), &line, &self.title);
            top += LINE_HEIGHT;
        }
        canvas.text("note", "start", (left, top + 12.0), &shorten(&self.y.name, SMALL, right - left));
        let names = self.lines.iter().map(|line| &line.name[..]);
        let widest = widest(names.chain(self.levels.iter().map(|level| &level.1[..])), NAME);
        let height = ((right - left) * 0.45).clamp(170.0, 300.0).round();
        let num_names = self.lines.len() + self.levels.len();
        let is_beside =
            widest + 32.0 <= ((right - left) * 0.3).max(100.0) && num_names as f64 * 16.0 <= height;
        let points = || self.lines.iter().flat_map(|line| &line.points);
        let levels = self.levels.iter().map(|level| level.0);
        let y = self.y.fit(points().flat_map(|point| [point.y, point.low, point.high]).chain(levels));
        let frame = Frame {
            left: left + numbers_width(y),
            right: right - if is_beside { widest + 32.0 } else { 16.0 },
            top: top + LINE_HEIGHT + 8.0,
            height,
            x: self.x.fit(points().map(|point| point.x)),
            y,
        };
        frame.draw_y(canvas);
        let bottom = self.draw_x(canvas, &frame);
        for (level, _) in self.levels.iter().filter(|level| level.0.is_finite()) {
            canvas.segment("level", (frame.left, frame.y(*level)), (frame.right, frame.y(*level)));
        }
        // The first line is drawn last, above the others.
        for line in self.lines.iter().rev() {
            self.draw_line(canvas, &frame, line);
        }
        if is_beside {
            self.draw_names(canvas, &frame);
            return bottom;
        }
        let names: Vec<_> = self.lines.iter().map(|line| (line.colour, &line.name[..])).collect();
        for (level, name) in self.levels.iter().filter(|level| level.0.is_finite()) {
            canvas.halo_text("note", "end", (frame.right, frame.y(*level) - 5.0), name);
        }
        canvas.key(&names, (left, right), bottom + 6.0)
    }

    /// Draws the horizontal axis; returns the y below it.
    fn draw_x(&self, canvas: &mut Canvas, frame: &Frame) -> f64 {
        let ticks: Vec<(f64, String, &str)> = match &self.costs {
            None => frame.x.labels().into_iter().map(|(tick, label)| (tick, label, "")).collect(),
            Some(_) => {
                let mut xs: Vec<f64> = self.lines.iter().flat_map(Line::sound).map(|point| point.x).collect();
                xs.sort_by(f64::total_cmp);
                xs.dedup();
                xs.into_iter().map(|x| (x, short(x), self.cost_of(x).unwrap_or_default())).collect()
            }
        };
        // Both rows have labels at the same ticks: a cost is of no use without its size.
        let wider = |label: &str, cost: &str| {
            if width(label, SMALL) >= width(cost, SMALL) { label.to_owned() } else { cost.to_owned() }
        };
        let all = ticks.iter().map(|(tick, label, cost)| (frame.x(*tick), wider(label, cost))).collect();
        let kept = spaced(all, MARGIN, canvas.width - 2.0);
        let bottom = frame.bottom();
        for (tick, label, cost) in &ticks {
            let x = frame.x(*tick);
            canvas.segment("grid", (x, bottom), (x, bottom + 4.0));
            if kept.iter().any(|(place, _)| *place == x) {
                canvas.text("tick", "middle", (x, bottom + 17.0), label);
                canvas.text("tick", "middle", (x, bottom + 33.0), cost);
            }
        }
        let (name, y) = match &self.costs {
            None => (self.x.name.clone(), bottom + 34.0),
            Some((cost, _)) => (format!("{}; below: {cost}", self.x.name), bottom + 51.0),
        };
        canvas.centred(((frame.left + frame.right) / 2.0, y), &name, &name);
        y + 6.0
    }

    fn cost_of(&self, x: f64) -> Option<&str> {
        let (_, costs) = self.costs.as_ref()?;
        costs.iter().find(|(of, _)| *of == x).map(|(_, cost)| cost.as_str())
    }

    fn draw_line(&self, canvas: &mut Canvas, frame: &Frame, line: &Line) {
        let colour = line.colour % NUM_COLOURS;
        let points: Vec<&Point> = line.sound().collect();
        let at = |of: fn(&Point) -> f64| move |point: &&Point| (frame.x(point.x), frame.y(of(point)));
        let banded: Vec<&Point> = points.iter().copied().filter(|point| point.has_spread()).collect();
        if points.len() > 1 && banded.iter().any(|point| point.low < point.high) {
            let there = banded.iter().map(at(|point| point.high));
            let outline: Vec<At> = there.chain(banded.iter().rev().map(at(|point| point.low))).collect();
            canvas.area(&format!("band f{colour}"), &outline, "");
        } else if let [point] = banded[..] {
            let x = frame.x(point.x);
            canvas.segment(&format!("range s{colour}"), (x, frame.y(point.low)), (x, frame.y(point.high)));
        }
        if points.len() > 1 {
            canvas.line(colour, &points.iter().map(at(|point| point.y)).collect::<Vec<_>>(), &line.name);
        }
        for point in points {
            let mut tip = format!("{}: {} at {}", line.name, exact(point.y), short(point.x));
            if point.has_spread() && point.low < point.high {
                tip += &format!(", from {} to {}", exact(point.low), exact(point.high));
            }
            if let (Some((name, _)), Some(cost)) = (&self.costs, self.cost_of(point.x)) {
                tip += &format!(", {name} {cost}");
            }
            canvas.marker(colour, (frame.x(point.x), frame.y(point.y)), &tip);
        }
    }

    /// Draws each name at the end of its line, moved where two would overlap.
    fn draw_names(&self, canvas: &mut Canvas, frame: &Frame) {
        let of_lines = self.lines.iter().filter_map(|line| {
            let last = line.sound().last()?;
            Some((frame.y(last.y), frame.x(last.x), Some(line.colour % NUM_COLOURS), &line.name))
        });
        let levels = self.levels.iter().filter(|level| level.0.is_finite());
        let of_levels = levels.map(|(level, name)| (frame.y(*level), frame.right, None, name));
        let mut ends: Vec<_> = of_levels.chain(of_lines).collect();
        ends.sort_by(|a, b| a.0.total_cmp(&b.0));
        let wanted: Vec<f64> = ends.iter().map(|end| end.0).collect();
        let places = spread(&wanted, &vec![STEP; ends.len().saturating_sub(1)], frame.top, frame.bottom());
        for ((y, x, colour, name), place) in ends.into_iter().zip(places) {
            let (class, lead) = match colour {
                Some(colour) => ("name", format!("lead s{colour}")),
                None => ("note", "level".to_owned()),
            };
            canvas.segment(&lead, (x + 6.0, y), (frame.right + 14.0, place));
            if let Some(colour) = colour {
                canvas.marker(colour, (frame.right + 19.0, place), "");
            }
            canvas.text(class, "start", (frame.right + 28.0, place + 4.5), name);
        }
    }
}

/// Points joined by a line.
#[derive(Debug, Clone)]
pub struct Line {
    name: String,
    colour: usize,
    points: Vec<Point>,
}

#[derive(Debug, Clone, Copy)]
struct Point {
    x: f64,
    y: f64,
    low: f64,
    high: f64,
}

impl Point {
    fn has_spread(&self) -> bool {
        self.low.is_finite() && self.high.is_finite() && self.low <= self.high
    }
}

impl Line {
    /// A line through points, in the order of x. There are eight colours, from 0 on.
    pub fn new(name: &str, colour: usize, points: impl IntoIterator<Item = (f64, f64)>) -> Line {
        Line::with_spread(name, colour, points.into_iter().map(|(x, y)| (x, y, y, y)))
    }

    /// A line through points (x, y, low, high), with a band from low to high.
    pub fn with_spread(
        name: &str,
        colour: usize,
        points: impl IntoIterator<Item = (f64, f64, f64, f64)>,
    ) -> Line {
        let point = |(x, y, low, high)| Point { x, y, low, high };
        Line { name: name.into(), colour, points: points.into_iter().map(point).collect() }
    }

    /// The points that can be drawn.
    fn sound(&self) -> impl DoubleEndedIterator<Item = &Point> {
        self.points.iter().filter(|point| point.x.is_finite() && point.y.is_finite())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::WIDE;

    #[test]
    fn reserved_characters_are_escaped() {
        let line = Line::with_spread("a<b", 7, [(1.0, 1.0, 0.5, 2.0), (2.0, 3.0, 3.0, 3.0)]);
        let panel = Panel::new("x & y", Axis::log("x"), Axis::log("y")).line(line).level(1.0, "one");
        let svg = Chart::new("\"quoted\"").note("one\ntwo").panel(panel).draw(WIDE).svg();
        assert!(svg.contains("a&lt;b</text>") && svg.contains("x &amp; y") && !svg.contains("a<b"));
        assert_eq!(svg.matches("<text").count(), svg.matches("</text>").count());
        assert!(!svg.contains("NaN"));
    }

    #[test]
    fn a_panel_without_lines_has_axes() {
        for axis in [Axis::log("x"), Axis::linear("x")] {
            let svg = Chart::new("").panel(Panel::new("empty", axis.clone(), axis)).draw(WIDE).svg();
            assert!(svg.contains(">empty</text>") && !svg.contains("NaN"));
        }
    }

    #[test]
    fn an_empty_chart_is_a_heading() {
        assert!(Chart::new("nothing").draw(WIDE).svg().ends_with("</svg>\n"));
    }
}
