//! One row for each scorer: a dot at the estimate, a line for its interval, and both as numbers.

use crate::axis::{Axis, Fitted, spaced};
use crate::canvas::{Canvas, Drawing, LINE_HEIGHT, MARGIN, is_narrow};
use crate::numbers::exact;
use crate::text::{widest, wrap};
use crate::theme::{NAME, SMALL};

/// A figure that compares estimates and their intervals with each other and with chance.
///
/// Rows have the given order. A row whose estimate is not finite has a dash instead of a number. Below a width of 520, names
/// are above their rows.
///
/// ```
/// use llamafur_figures::{Axis, DotPlot, WIDE};
///
/// let plot = DotPlot::new("How well the scorers do", Axis::linear("bpref")).chance("chance", 0.21, 0.02);
/// let plot = plot.row("llamafur", 0.367, Some([0.290, 0.444]));
/// assert!(plot.draw(WIDE).svg().contains(">0.367 [0.290, 0.444]</text>"));
/// ```
#[derive(Debug, Clone)]
pub struct DotPlot {
    title: String,
    axis: Axis,
    chance: Option<(String, f64, f64)>,
    rows: Vec<DotRow>,
}

#[derive(Debug, Clone)]
struct DotRow {
    name: String,
    estimate: f64,
    interval: Option<(f64, f64)>,
}

impl DotRow {
    fn numbers(&self) -> String {
        match self.interval {
            _ if !self.estimate.is_finite() => "–".to_owned(),
            Some((low, high)) => format!("{} [{}, {}]", exact(self.estimate), exact(low), exact(high)),
            None => exact(self.estimate),
        }
    }
}

impl DotPlot {
    /// Creates a figure without rows.
    pub fn new(title: &str, axis: Axis) -> DotPlot {
        DotPlot { title: title.into(), axis, chance: None, rows: Vec::new() }
    }

    /// Adds a dashed line at the value of chance, and a band of one standard deviation around it. Default: none.
    pub fn chance(mut self, name: &str, value: f64, sd: f64) -> DotPlot {
        let sd = if sd.is_finite() { sd.abs() } else { 0.0 };
        self.chance = value.is_finite().then(|| (name.into(), value, sd));
        self
    }

    /// Adds a row: an estimate and its interval, which is omitted if it is not finite.
    pub fn row(mut self, name: &str, estimate: f64, interval: Option<[f64; 2]>) -> DotPlot {
        let interval = interval.filter(|ends| ends.iter().all(|end| end.is_finite()));
        let interval = interval.map(|[low, high]| (low.min(high), low.max(high)));
        self.rows.push(DotRow { name: name.into(), estimate, interval });
        self
    }

    /// Draws the figure at this width in pixels, from 320 to 2000.
    pub fn draw(&self, width: f64) -> Drawing {
        let mut canvas = Canvas::new(width);
        let top = canvas.heading(&self.title, "");
        let layout = self.layout(&canvas, top);
        let bottom = layout.rows.last().map_or(layout.top, |row| row.bottom);
        self.draw_scale(&mut canvas, &layout, bottom);
        for (row, place) in self.rows.iter().zip(&layout.rows) {
            draw_row(&mut canvas, row, place, &layout);
        }
        let below = if self.axis.name.is_empty() { 26.0 } else { 42.0 };
        canvas.finish(&self.title, &self.description(), bottom + below)
    }

    fn layout(&self, canvas: &Canvas, top: f64) -> Layout {
        let all_numbers: Vec<String> = self.rows.iter().map(DotRow::numbers).collect();
        let numbers = widest(all_numbers.iter().map(String::as_str), SMALL);
        let names = widest(self.rows.iter().map(|row| &row.name[..]), NAME);
        let is_narrow = is_narrow(canvas.width);
        // Names have up to a third of the room; longer ones are in two lines.
        let names = if is_narrow { canvas.room() - numbers - 12.0 } else { names.min(canvas.room() * 0.33) };
        let (left, right) = if is_narrow {
            (MARGIN + 8.0, canvas.width - MARGIN - 8.0)
        } else {
            (MARGIN + names + 16.0, canvas.width - MARGIN - numbers - 16.0)
        };
        let top = if self.chance.is_some() { top + LINE_HEIGHT + 2.0 } else { top };
        let mut bottom = top;
        let rows = self.rows.iter().map(|row| {
            let lines = wrap(&row.name, NAME, names, 2);
            let height = match (is_narrow, lines.len()) {
                (true, lines) => 26.0 + lines.max(1) as f64 * LINE_HEIGHT,
                (false, 2..) => 38.0,
                _ => 25.0,
            };
            bottom += height;
            let y = if is_narrow { bottom - 13.0 } else { bottom - height / 2.0 };
            Place { lines, top: bottom - height, y, bottom }
        });
        Layout { left, right, top, rows: rows.collect(), scale: self.scale(), is_narrow }
    }

    /// Fits the axis to all rows and to chance.
    fn scale(&self) -> Fitted {
        let of_rows = self.rows.iter().filter(|row| row.estimate.is_finite()).flat_map(|row| {
            let (low, high) = row.interval.unwrap_or((row.estimate, row.estimate));
            [row.estimate, low, high]
        });
        let of_chance = self.chance.iter().flat_map(|(_, value, sd)| [value - sd, value + sd]);
        self.axis.fit(of_rows.chain(of_chance))
    }

    fn draw_scale(&self, canvas: &mut Canvas, layout: &Layout, bottom: f64) {
        let ticks = layout.scale.labels().into_iter().map(|(tick, label)| (layout.x(tick), label)).collect();
        canvas.segment("grid", (layout.left, bottom), (layout.right, bottom));
        for (x, label) in spaced(ticks, MARGIN, canvas.width - MARGIN) {
            for (top, bottom) in layout.strips(bottom) {
                canvas.segment("grid", (x, top), (x, bottom));
            }
            canvas.segment("grid", (x, bottom), (x, bottom + 4.0));
            canvas.text("tick", "middle", (x, bottom + 17.0), &label);
        }
        if let Some((name, value, sd)) = &self.chance {
            let [low, middle, high] = [value - sd, *value, value + sd].map(|x| layout.x(x));
            let tip = format!("{name}: {} ± {}", exact(*value), exact(*sd));
            for (top, bottom) in layout.strips(bottom) {
                canvas.rect("around", (low, top), (high - low, bottom - top), &tip);
                canvas.segment("level", (middle, top), (middle, bottom));
            }
            canvas.centred((middle, layout.top - 7.0), &format!("{name} {}", exact(*value)), &tip);
        }
        let middle = (layout.left + layout.right) / 2.0;
        canvas.centred((middle, bottom + 34.0), &self.axis.name, &self.axis.name);
    }

    fn description(&self) -> String {
        let rows = self.rows.iter().map(|row| format!("{} {}", row.name, row.numbers()));
        let chance =
            self.chance.iter().map(|(name, value, sd)| format!("{name} {} ± {}", exact(*value), exact(*sd)));
        let all: Vec<String> = rows.chain(chance).collect();
        format!("{}: {}.", self.axis.name, all.join("; "))
    }
}

/// The positions of all parts.
struct Layout {
    left: f64,
    right: f64,
    top: f64,
    rows: Vec<Place>,
    scale: Fitted,
    is_narrow: bool,
}

/// The position of a row, and its name in lines.
struct Place {
    lines: Vec<String>,
    top: f64,
    y: f64,
    bottom: f64,
}

impl Layout {
    /// Returns the vertical ranges of the grid: all rows, or only the lower part of each row if its name is in the
    /// upper part.
    fn strips(&self, bottom: f64) -> Vec<(f64, f64)> {
        if !self.is_narrow {
            return vec![(self.top, bottom)];
        }
        self.rows.iter().map(|row| (row.y - 9.0, row.y + 9.0)).collect()
    }

    fn x(&self, x: f64) -> f64 {
        self.left + (self.right - self.left) * self.scale.place(x).clamp(0.0, 1.0)
    }
}

fn draw_row(canvas: &mut Canvas, row: &DotRow, place: &Place, layout: &Layout) {
    let numbers = row.numbers();
    let y = place.y;
    let first = if layout.is_narrow {
        place.top + LINE_HEIGHT
    } else {
        y + 4.5 - (place.lines.len().max(1) - 1) as f64 * LINE_HEIGHT / 2.0
    };
    for (number, line) in place.lines.iter().enumerate() {
        let at = (MARGIN, first + number as f64 * LINE_HEIGHT);
        canvas.tipped_text("name", "start", at, line, &row.name);
    }
    let at = (canvas.width - MARGIN, if layout.is_narrow { first } else { y + 4.0 });
    canvas.text("tick", "end", at, &numbers);
    canvas.segment("grid", (layout.left, y), (layout.right, y));
    if !row.estimate.is_finite() {
        return;
    }
    if let Some((low, high)) = row.interval {
        canvas.segment("range s1", (layout.x(low), y), (layout.x(high), y));
    }
    canvas.circle("f1", (layout.x(row.estimate), y), 4.5, &format!("{}: {numbers}", row.name));
}
