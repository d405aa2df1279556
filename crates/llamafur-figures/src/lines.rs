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
/// A name is at the end of its line if there is room for all names and the ends are apart, else below the panel.
#[derive(Debug, Clone)]
pub struct Chart {
    title: String,
    note: String,
    columns: usize,
    panels: Vec<Panel>,
}

impl Chart {
    /// Creates a chart without panels.
    pub fn new(title: &str) -> Chart {
        Chart { title: title.into(), note: String::new(), columns: 3, panels: Vec::new() }
    }

    /// Sets a text under the title. Default: none.
    pub fn note(mut self, note: &str) -> Chart {
        self.note = note.into();
        self
    }

    /// Sets the largest number of panels in a row; fewer fit a narrow figure. Default: 3.
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
    cuts: Vec<String>,
    costs: Option<(String, Vec<(f64, String)>)>,
}

impl Panel {
    /// Creates a panel without lines.
    pub fn new(title: &str, x: Axis, y: Axis) -> Panel {
        let (lines, levels, cuts) = (Vec::new(), Vec::new(), Vec::new());
        Panel { title: title.into(), x, y, lines, levels, cuts, costs: None }
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

    /// Sets the part of a ranking that each point of a line covers, for its tooltip. Default: none.
    ///
    /// ```
    /// use llamafur_figures::{Axis, Chart, Line, Panel, WIDE};
    ///
    /// let axis = |name| Axis::linear(name).range(0.0, 1.0);
    /// let curve = Line::new("llamafur", 0, [(0.05, f64::NAN), (0.2, 0.5), (1.0, 0.17)]);
    /// let panel = Panel::new("", axis("recall"), axis("precision")).cuts(["1 %", "10 %", "100 %"]).line(curve);
    /// let svg = Chart::new("Precision by recall").panel(panel).draw(WIDE).svg();
    /// assert!(svg.contains("llamafur, first 10 %: precision 0.500 at recall 0.2"));
    /// ```
    pub fn cuts<S: Into<String>>(mut self, cuts: impl IntoIterator<Item = S>) -> Panel {
        self.cuts = cuts.into_iter().map(Into::into).collect();
        self
    }

    /// Adds a second row of labels under the horizontal axis: the cost of each x. Default: none. The ticks are then at
    /// the points of the lines.
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
        let named = || self.lines.iter().filter(|line| line.colour().is_some());
        let names = named().map(|line| &line.name[..]);
        let widest = widest(names.chain(self.levels.iter().map(|level| &level.1[..])), NAME);
        let height = ((right - left) * 0.55).clamp(170.0, 380.0).round();
        let num_names = (named().count() + self.levels.len()) as f64;
        let points = || self.lines.iter().flat_map(|line| &line.points);
        let levels = self.levels.iter().map(|level| level.0);
        let y = self.y.fit(points().flat_map(|point| [point.y, point.low, point.high]).chain(levels));
        // Names of lines that end in the same place could not be told apart there.
        let ends = named().filter_map(|line| line.sound().last()).map(|point| y.place(point.y));
        let (low, high) = ends.fold((1.0, 0.0), |(low, high): (f64, f64), end| (low.min(end), high.max(end)));
        let are_apart = num_names < 3.0 || (high - low) * height >= STEP * num_names / 2.0;
        let is_beside =
            are_apart && widest + 32.0 <= ((right - left) * 0.3).max(100.0) && num_names * 16.0 <= height;
        let frame = Frame {
            left: left + numbers_width(y),
            right: right - if is_beside { widest + 32.0 } else { 16.0 },
            top: top + LINE_HEIGHT + 8.0,
            height,
            x: self.x.fit(points().map(|point| point.x)),
            y,
        };
        frame.draw_y(canvas);
        let mut bottom = self.draw_x(canvas, &frame);
        for (level, _) in self.levels.iter().filter(|level| level.0.is_finite()) {
            canvas.segment("level", (frame.left, frame.y(*level)), (frame.right, frame.y(*level)));
        }
        // The first line is drawn last, above the others.
        for line in self.lines.iter().rev() {
            self.draw_line(canvas, &frame, line);
        }
        if is_beside {
            self.draw_names(canvas, &frame);
        } else {
            let names: Vec<_> = named().map(|line| (line.colour, &line.name[..])).collect();
            for (level, name) in self.levels.iter().filter(|level| level.0.is_finite()) {
                let y = frame.y(*level);
                // Curves mostly descend to chance, so there is more room under it.
                let y = if y < frame.bottom() - 20.0 { y + 14.0 } else { y - 5.0 };
                canvas.halo_text("note", "end", (frame.right, y), name);
            }
            bottom = canvas.key(&names, (left, right), bottom + 6.0);
        }
        let others = self.lines.len() - named().count();
        let said = format!("Thin grey lines: {others} more, with their names as tooltips.");
        for line in wrap(&said, SMALL, right - left, 3).into_iter().filter(|_| others > 0) {
            bottom += LINE_HEIGHT;
            canvas.text("note", "start", (left, bottom + 2.0), &line);
        }
        bottom
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
        let colour = line.colour();
        let points: Vec<&Point> = line.sound().collect();
        let at = |of: fn(&Point) -> f64| move |point: &&Point| (frame.x(point.x), frame.y(of(point)));
        let banded: Vec<&Point> = points.iter().copied().filter(|point| point.has_spread()).collect();
        if colour.is_some() && points.len() > 1 && banded.iter().any(|point| point.low < point.high) {
            let there = banded.iter().map(at(|point| point.high));
            let outline: Vec<At> = there.chain(banded.iter().rev().map(at(|point| point.low))).collect();
            canvas.area(&format!("band f{}", line.colour), &outline, "");
        } else if let (true, [point]) = (colour.is_some(), &banded[..]) {
            let x = frame.x(point.x);
            let class = format!("range s{}", line.colour);
            canvas.segment(&class, (x, frame.y(point.low)), (x, frame.y(point.high)));
        }
        for part in line.points.split(|point| !point.is_sound()).filter(|part| part.len() > 1) {
            let part: Vec<At> = part.iter().map(|point| at(|point| point.y)(&point)).collect();
            match colour {
                Some(colour) => canvas.line(colour, &part, &line.name),
                None => canvas.rest(&part, &line.name),
            }
        }
        for (number, point) in line.points.iter().enumerate().filter(|(_, point)| point.is_sound()) {
            let cut = self.cuts.get(number).map_or(String::new(), |cut| format!(", first {cut}"));
            let (x, y) = (format!("{} {}", self.x.name, short(point.x)), exact(point.y));
            let mut tip = format!("{}{cut}: {} {y} at {x}", line.name, self.y.name);
            if point.has_spread() && point.low < point.high {
                tip += &format!(", from {} to {}", exact(point.low), exact(point.high));
            }
            if let (Some((name, _)), Some(cost)) = (&self.costs, self.cost_of(point.x)) {
                tip += &format!(", {name} {cost}");
            }
            let at = (frame.x(point.x), frame.y(point.y));
            match colour {
                Some(colour) => canvas.marker(colour, at, &tip),
                None => canvas.circle("rest", at, 1.5, &tip),
            }
        }
    }

    /// Draws each name at the end of its line, moved if two would overlap.
    fn draw_names(&self, canvas: &mut Canvas, frame: &Frame) {
        let of_lines = self.lines.iter().filter_map(|line| {
            let (last, colour) = (line.sound().last()?, line.colour()?);
            Some((frame.y(last.y), frame.x(last.x), Some(colour), &line.name))
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
    fn is_sound(&self) -> bool {
        self.x.is_finite() && self.y.is_finite()
    }

    fn has_spread(&self) -> bool {
        self.low.is_finite() && self.high.is_finite() && self.low <= self.high
    }
}

impl Line {
    /// Creates a line through points, in the order of x. There are eight colours, from 0 on; a line of any other is
    /// thin and grey, with its name as tooltip. A point that is not finite interrupts the line.
    pub fn new(name: &str, colour: usize, points: impl IntoIterator<Item = (f64, f64)>) -> Line {
        Line::with_spread(name, colour, points.into_iter().map(|(x, y)| (x, y, y, y)))
    }

    /// Creates a line through points (x, y, low, high), with a band from low to high.
    pub fn with_spread(
        name: &str,
        colour: usize,
        points: impl IntoIterator<Item = (f64, f64, f64, f64)>,
    ) -> Line {
        let point = |(x, y, low, high)| Point { x, y, low, high };
        Line { name: name.into(), colour, points: points.into_iter().map(point).collect() }
    }

    /// Returns the points that can be drawn.
    fn sound(&self) -> impl DoubleEndedIterator<Item = &Point> {
        self.points.iter().filter(|point| point.is_sound())
    }

    /// Returns the number of the line's colour; `None` for grey.
    fn colour(&self) -> Option<usize> {
        Some(self.colour).filter(|colour| *colour < NUM_COLOURS)
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
