//! Figures as SVG files: for the documentation, and for reports.
//!
//! [`Chart`] has small panels of lines, [`DotPlot`] compares estimates, [`PrecisionRecall`] has the curves of rankings,
//! [`BoxPlots`] the scores by class, and [`SizePlot`] a measure by the number of categories. The last four redraw the
//! figures of the paper's section “Experiments”; they have a width, and take the shape that is legible at it.
//!
//! Each line is labelled where it ends, so there is no legend to look things up in; labels that would overlap are
//! pushed apart. Names that are too long are cut, and whole in the tooltip. A file follows the reader's preference for
//! light or dark, needs no font or script from elsewhere, says in words what it shows, and the same chart gives the
//! same bytes. Numbers that are not finite are never drawn.
//!
//! ```
//! use llamafur_eval::chart::{Axis, Chart, Line, Panel};
//!
//! let line = Line::new("factored", 0, [(1e4, 0.3), (1e5, 0.8)]);
//! let panel = Panel::new("Low rank", Axis::log("links"), Axis::linear("correlation").range(0.0, 1.0)).line(line);
//! let svg = Chart::new("A known truth").panel(panel).svg();
//! assert!(svg.contains(">factored</text>") && svg.contains(">100k</text>"));
//! ```
//!
//! # Quirks
//! In [`Chart`], room for labels is kept for about ten letters.

mod apart;
mod axis;
mod boxes;
mod canvas;
mod curves;
mod dots;
pub mod letters;
mod palette;
mod quartiles;
mod sizes;
mod svg;
mod text;

pub use axis::Axis;
pub use boxes::{BoxPanel, BoxPlots};
pub use curves::{Curve, PrecisionRecall};
pub use dots::{DotPlot, DotRow};
pub use quartiles::{Quartiles, quantile};
pub use sizes::{SizePlot, bytes};
pub(crate) use text::xml;

/// Panels in rows, with a heading.
#[derive(Debug, Clone, Default)]
pub struct Chart {
    title: String,
    note: String,
    columns: usize,
    panels: Vec<Panel>,
}

impl Chart {
    /// A chart without panels.
    pub fn new(title: &str) -> Chart {
        Chart { title: title.into(), columns: 3, ..Chart::default() }
    }

    /// A sentence under the title, broken at line ends. Default: none.
    pub fn note(mut self, note: &str) -> Chart {
        self.note = note.into();
        self
    }

    /// Panels in a row. Default: 3. At least 1.
    pub fn columns(mut self, columns: usize) -> Chart {
        self.columns = columns.max(1);
        self
    }

    /// One more panel.
    pub fn panel(mut self, panel: Panel) -> Chart {
        self.panels.push(panel);
        self
    }

    /// The chart as a standalone SVG file, 720 pixels wide.
    pub fn svg(&self) -> String {
        svg::draw(self)
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
}

impl Panel {
    /// A panel without lines.
    pub fn new(title: &str, x: Axis, y: Axis) -> Panel {
        Panel { title: title.into(), x, y, lines: Vec::new(), levels: Vec::new() }
    }

    /// One more line.
    pub fn line(mut self, line: Line) -> Panel {
        self.lines.push(line);
        self
    }

    /// A dashed level to compare the lines with.
    pub fn level(mut self, y: f64, name: &str) -> Panel {
        self.levels.push((y, name.into()));
        self
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

impl Line {
    /// A line through points, in the order of x. There are five colours, from 0 on.
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
}

/// A number with three decimals, or in powers of ten where these would say too much or too little.
fn exact(x: f64) -> String {
    let is_usual = x == 0.0 || (5e-4..1e5).contains(&x.abs());
    axis::minus(if is_usual { format!("{x:.3}") } else { format!("{x:.2e}") })
}
