//! One row a scorer: a dot at the estimate, a line for its interval, and both as numbers.

use super::axis::{Axis, Fitted, spaced};
use super::canvas::{BOLD, Canvas, LINE_HEIGHT, MARGIN, NAME, SMALL, WIDTH};
use super::exact;
use super::text::{shorten, width, wrap};

/// A figure that compares estimates and their intervals with each other and with chance.
///
/// Rows stand as they were given. A row whose estimate is not finite has a dash in place of its number.
///
/// ```
/// use llamafur_eval::chart::{Axis, DotPlot, DotRow};
///
/// let row = DotRow::new("llamafur", 0.367).interval(0.290, 0.444);
/// let plot = DotPlot::new("How well the scorers do", Axis::linear("bpref")).chance("chance", 0.21, 0.02).row(row);
/// assert!(plot.svg().contains(">0.367 [0.290, 0.444]</text>"));
/// ```
#[derive(Debug, Clone)]
pub struct DotPlot {
    title: String,
    note: String,
    width: f64,
    axis: Axis,
    chance: Option<(String, f64, f64)>,
    rows: Vec<DotRow>,
}

/// A row of a [`DotPlot`].
#[derive(Debug, Clone)]
pub struct DotRow {
    name: String,
    estimate: f64,
    interval: Option<(f64, f64)>,
    is_strong: bool,
}

impl DotRow {
    /// A row without an interval.
    pub fn new(name: &str, estimate: f64) -> DotRow {
        DotRow { name: name.into(), estimate, interval: None, is_strong: false }
    }

    /// From where to where the estimate may lie. Default: none. Left out if not finite.
    pub fn interval(mut self, low: f64, high: f64) -> DotRow {
        self.interval = (low.is_finite() && high.is_finite()).then_some((low.min(high), low.max(high)));
        self
    }

    /// Sets the name in bold. Default: not.
    pub fn strong(mut self) -> DotRow {
        self.is_strong = true;
        self
    }

    fn numbers(&self) -> String {
        match self.interval {
            _ if !self.estimate.is_finite() => "–".to_owned(),
            Some((low, high)) => format!("{} [{}, {}]", exact(self.estimate), exact(low), exact(high)),
            None => exact(self.estimate),
        }
    }

    fn face(&self) -> (&'static str, f64) {
        if self.is_strong { ("name bold", NAME * BOLD) } else { ("name", NAME) }
    }
}

impl DotPlot {
    /// A figure without rows.
    pub fn new(title: &str, axis: Axis) -> DotPlot {
        let (title, note) = (title.into(), String::new());
        DotPlot { title, note, width: WIDTH, axis, chance: None, rows: Vec::new() }
    }

    /// A sentence under the title. Default: none.
    pub fn note(mut self, note: &str) -> DotPlot {
        self.note = note.into();
        self
    }

    /// The width in pixels, from 320 to 2000. Default: 720. Below 520, names stand above their rows.
    pub fn width(mut self, width: f64) -> DotPlot {
        self.width = width;
        self
    }

    /// A dashed line at what chance gives, and a band of one standard deviation around it. Default: none.
    pub fn chance(mut self, name: &str, value: f64, sd: f64) -> DotPlot {
        let sd = if sd.is_finite() { sd.abs() } else { 0.0 };
        self.chance = value.is_finite().then(|| (name.into(), value, sd));
        self
    }

    /// One more row.
    pub fn row(mut self, row: DotRow) -> DotPlot {
        self.rows.push(row);
        self
    }

    /// The figure as a standalone SVG file.
    pub fn svg(&self) -> String {
        let mut canvas = Canvas::new(self.width);
        let top = canvas.heading(&self.title, &self.note);
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
        let widest = |of: &dyn Fn(&DotRow) -> f64| self.rows.iter().map(of).fold(0.0, f64::max);
        let numbers = widest(&|row| width(&row.numbers(), SMALL));
        let names = widest(&|row| width(&row.name, row.face().1));
        let is_narrow = canvas.is_narrow();
        // Names have what they need, up to a third of the room; then they break into two lines.
        let names = if is_narrow { canvas.room() - numbers - 12.0 } else { names.min(canvas.room() * 0.33) };
        let (left, right) = if is_narrow {
            (MARGIN + 8.0, canvas.width - MARGIN - 8.0)
        } else {
            (MARGIN + names + 16.0, canvas.width - MARGIN - numbers - 16.0)
        };
        let top = if self.chance.is_some() { top + LINE_HEIGHT + 2.0 } else { top };
        let mut bottom = top;
        let rows = self.rows.iter().map(|row| {
            let lines = wrap(&row.name, row.face().1, names, 2);
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

    /// The axis, a little longer than the data need so that no dot sits on its end.
    fn scale(&self) -> Fitted {
        let of_rows = self.rows.iter().filter(|row| row.estimate.is_finite()).flat_map(|row| {
            let (low, high) = row.interval.unwrap_or((row.estimate, row.estimate));
            [row.estimate, low, high]
        });
        let of_chance = self.chance.iter().flat_map(|(_, value, sd)| [value - sd, value + sd]);
        self.axis.fit_loosely(of_rows.chain(of_chance))
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
            let label = shorten(&format!("{name} {}", exact(*value)), SMALL, canvas.room());
            let half = width(&label, SMALL) / 2.0;
            let x = middle.max(MARGIN + half).min(canvas.width - MARGIN - half);
            canvas.tipped_text("note", "middle", (x, layout.top - 7.0), &label, &tip);
        }
        let name = shorten(&self.axis.name, SMALL, canvas.room());
        let half = width(&name, SMALL) / 2.0;
        let middle = (layout.left + layout.right) / 2.0;
        let x = middle.max(MARGIN + half).min(canvas.width - MARGIN - half);
        canvas.tipped_text("note", "middle", (x, bottom + 34.0), &name, &self.axis.name);
    }

    fn description(&self) -> String {
        let rows = self.rows.iter().map(|row| format!("{} {}", row.name, row.numbers()));
        let chance =
            self.chance.iter().map(|(name, value, sd)| format!("{name} {} ± {}", exact(*value), exact(*sd)));
        let all: Vec<String> = rows.chain(chance).collect();
        format!("{} {}: {}.", self.note.replace('\n', " "), self.axis.name, all.join("; ")).trim().to_owned()
    }
}

/// Where things go.
struct Layout {
    left: f64,
    right: f64,
    top: f64,
    rows: Vec<Place>,
    scale: Fitted,
    is_narrow: bool,
}

/// The place of a row, and its name in lines.
struct Place {
    lines: Vec<String>,
    top: f64,
    y: f64,
    bottom: f64,
}

impl Layout {
    /// What is marked across the rows: all of their height, or, where names stand above them, the parts below.
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
    let (class, _) = row.face();
    let numbers = row.numbers();
    let y = place.y;
    let first = if layout.is_narrow {
        place.top + LINE_HEIGHT
    } else {
        y + 4.5 - (place.lines.len().max(1) - 1) as f64 * LINE_HEIGHT / 2.0
    };
    for (number, line) in place.lines.iter().enumerate() {
        let at = (MARGIN, first + number as f64 * LINE_HEIGHT);
        canvas.tipped_text(class, "start", at, line, &row.name);
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
