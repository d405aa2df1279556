//! What the figures have in common: their colours, letters and marks, and the file around them.

use super::palette::{self, NUM_COLOURS};
use super::text::{width, wrap, xml};
use std::fmt::Write;

/// The sizes of letters: of the title, of names, and of numbers and notes.
pub(super) const TITLE: f64 = 16.0;
pub(super) const NAME: f64 = 12.5;
pub(super) const SMALL: f64 = 11.5;
/// Bold letters are wider.
pub(super) const BOLD: f64 = 1.1;
pub(super) const MARGIN: f64 = 12.0;
pub(super) const LINE_HEIGHT: f64 = 16.0;
/// The width of a figure unless told otherwise, and the least it may have: that of a phone.
pub(super) const WIDTH: f64 = 720.0;
const LEAST_WIDTH: f64 = 320.0;
/// Below this width, what could stand side by side is stacked.
const STACKED: f64 = 520.0;

/// Colours come twice: a plain one for programs without CSS variables, then the variable, which follows the reader's
/// preference for light or dark. Paper is always light.
const STYLE: &str = r"
.plot {
  --paper: #ffffff; --ink: #1c2128; --soft: #5c6673; --grid: #e5e8ec; --rest: #b4bcc6; --strong: #b91c1c;
  font-family: system-ui, -apple-system, 'Segoe UI', Roboto, 'Helvetica Neue', 'Noto Sans', Arial, sans-serif;
}
@media screen and (prefers-color-scheme: dark) {
  .plot {
    --paper: #14181f; --ink: #e8ecf1; --soft: #9aa5b4; --grid: #2b323c; --rest: #515c6b; --strong: #ff7b72;
  }
}
.plot text { font-size: 11.5px; fill: #5c6673; fill: var(--soft); font-variant-numeric: tabular-nums; }
.plot .paper { fill: #ffffff; fill: var(--paper); }
.plot .title { font-size: 16px; font-weight: 700; fill: #1c2128; fill: var(--ink); }
.plot .name { font-size: 12.5px; fill: #1c2128; fill: var(--ink); }
.plot .bold { font-weight: 600; }
.plot .halo { stroke: #ffffff; stroke: var(--paper); stroke-width: 3px; stroke-linejoin: round; paint-order: stroke; }
.plot .grid { stroke: #e5e8ec; stroke: var(--grid); stroke-width: 1; }
.plot .level { stroke: #5c6673; stroke: var(--soft); stroke-width: 1.2; stroke-dasharray: 4 3; }
.plot .around { fill: #5c6673; fill: var(--soft); opacity: 0.13; }
.plot .line { fill: none; stroke-width: 2; stroke-linejoin: round; }
.plot .lead { fill: none; stroke-width: 0.75; opacity: 0.7; }
.plot .rest { fill: none; stroke: #b4bcc6; stroke: var(--rest); stroke-width: 1; }
.plot .band { opacity: 0.14; }
.plot .range { stroke-width: 2.2; stroke-linecap: round; }
.plot .box { fill: #5c6673; fill: var(--soft); fill-opacity: 0.16; stroke: #5c6673; stroke: var(--soft); }
.plot .whisker { stroke: #5c6673; stroke: var(--soft); }
.plot .median { stroke: #b91c1c; stroke: var(--strong); stroke-width: 2.5; }
.plot .outlier { fill: #5c6673; fill: var(--soft); fill-opacity: 0.6; }
";

/// A figure being drawn.
pub(super) struct Canvas {
    pub(super) width: f64,
    body: String,
}

impl Canvas {
    /// An empty figure, with the width asked for or near it.
    pub(super) fn new(width: f64) -> Canvas {
        let width = if width.is_finite() { width.clamp(LEAST_WIDTH, 2000.0).round() } else { WIDTH };
        Canvas { width, body: String::new() }
    }

    /// Whether what could stand side by side must be stacked.
    pub(super) fn is_narrow(&self) -> bool {
        self.width < STACKED
    }

    /// The room between the margins.
    pub(super) fn room(&self) -> f64 {
        self.width - 2.0 * MARGIN
    }

    /// Title and note at the top; gives the place below them.
    pub(super) fn heading(&mut self, title: &str, note: &str) -> f64 {
        let mut top = MARGIN;
        for line in wrap(title, TITLE * BOLD, self.room(), 3) {
            top += 20.0;
            self.text("title", "start", (MARGIN, top - 4.0), &line);
        }
        for line in note.lines() {
            top = self.paragraph(line, top);
        }
        top + 8.0
    }

    /// Small words in as many lines as they need; gives the place below them.
    pub(super) fn paragraph(&mut self, words: &str, mut top: f64) -> f64 {
        for line in wrap(words, SMALL, self.room(), 40) {
            top += LINE_HEIGHT;
            self.text("note", "start", (MARGIN, top - 3.0), &line);
        }
        top
    }

    pub(super) fn text(&mut self, class: &str, anchor: &str, (x, y): (f64, f64), words: &str) {
        self.tipped_text(class, anchor, (x, y), words, "");
    }

    /// A text which says more when it is pointed at, unless there is no more to say.
    pub(super) fn tipped_text(
        &mut self,
        class: &str,
        anchor: &str,
        (x, y): (f64, f64),
        words: &str,
        tip: &str,
    ) {
        if words.is_empty() {
            return;
        }
        let (x, y) = (num(x), num(y));
        let tip = if tip == words { String::new() } else { tooltip(tip) };
        let _ = writeln!(
            self.body,
            "<text class=\"{class}\" text-anchor=\"{anchor}\" x=\"{x}\" y=\"{y}\">{tip}{}</text>",
            xml(words)
        );
    }

    pub(super) fn segment(&mut self, class: &str, from: (f64, f64), to: (f64, f64)) {
        let [x1, y1, x2, y2] = [from.0, from.1, to.0, to.1].map(num);
        let _ =
            writeln!(self.body, "<line class=\"{class}\" x1=\"{x1}\" y1=\"{y1}\" x2=\"{x2}\" y2=\"{y2}\"/>");
    }

    pub(super) fn rect(&mut self, class: &str, (x, y): (f64, f64), (width, height): (f64, f64), tip: &str) {
        let [x, y, width, height] = [x, y, width.max(0.0), height.max(0.0)].map(num);
        let _ = writeln!(
            self.body,
            "<rect class=\"{class}\" x=\"{x}\" y=\"{y}\" width=\"{width}\" height=\"{height}\">{}</rect>",
            tooltip(tip)
        );
    }

    pub(super) fn circle(&mut self, class: &str, (x, y): (f64, f64), radius: f64, tip: &str) {
        let [x, y, radius] = [x, y, radius].map(num);
        let _ = writeln!(
            self.body,
            "<circle class=\"{class}\" cx=\"{x}\" cy=\"{y}\" r=\"{radius}\">{}</circle>",
            tooltip(tip)
        );
    }

    /// A closed shape through the points.
    pub(super) fn area(&mut self, class: &str, points: &[(f64, f64)]) {
        let _ = writeln!(self.body, "<path class=\"{class}\" d=\"M{}Z\"/>", joined(points));
    }

    /// A line through the points, in one of the colours and with its dashes.
    pub(super) fn line(&mut self, colour: usize, points: &[(f64, f64)], tip: &str) {
        let dashes = palette::dashes(colour);
        let dashes =
            if dashes.is_empty() { String::new() } else { format!(" stroke-dasharray=\"{dashes}\"") };
        self.path(&format!("line s{}", colour % NUM_COLOURS), &dashes, points, tip);
    }

    /// A line among those that are not told apart.
    pub(super) fn rest(&mut self, points: &[(f64, f64)], tip: &str) {
        self.path("rest", "", points, tip);
    }

    fn path(&mut self, class: &str, more: &str, points: &[(f64, f64)], tip: &str) {
        let _ = writeln!(
            self.body,
            "<path class=\"{class}\"{more} d=\"M{}\">{}</path>",
            joined(points),
            tooltip(tip)
        );
    }

    /// A point in one of the colours and with its shape.
    pub(super) fn marker(&mut self, colour: usize, (x, y): (f64, f64), tip: &str) {
        let colour = colour % NUM_COLOURS;
        let at = |dx: f64, dy: f64| (x + dx, y + dy);
        let corners: Vec<(f64, f64)> = match colour {
            1 => vec![at(-3.2, -3.2), at(3.2, -3.2), at(3.2, 3.2), at(-3.2, 3.2)],
            2 => vec![at(0.0, -4.6), at(4.6, 0.0), at(0.0, 4.6), at(-4.6, 0.0)],
            3 => vec![at(0.0, -4.2), at(4.2, 3.2), at(-4.2, 3.2)],
            4 => vec![at(0.0, 4.2), at(4.2, -3.2), at(-4.2, -3.2)],
            5 => vec![at(-4.2, 0.0), at(3.2, -4.2), at(3.2, 4.2)],
            6 => vec![at(-2.0, -4.6), at(2.0, -4.6), at(2.0, 4.6), at(-2.0, 4.6)],
            7 => vec![at(4.2, 0.0), at(-3.2, -4.2), at(-3.2, 4.2)],
            _ => return self.circle(&format!("f{colour}"), (x, y), 3.5, tip),
        };
        let _ = writeln!(
            self.body,
            "<path class=\"f{colour}\" d=\"M{}Z\">{}</path>",
            joined(&corners),
            tooltip(tip)
        );
    }

    /// A stretch of a line with its marker, from `x` on, as it stands before a name.
    pub(super) fn swatch(&mut self, colour: usize, (x, y): (f64, f64), length: f64) {
        self.line(colour, &[(x, y), (x + length, y)], "");
        self.marker(colour, (x + length / 2.0, y), "");
    }

    /// The figure as a file.
    pub(super) fn finish(self, title: &str, description: &str, height: f64) -> String {
        let (width, height) = (self.width, num(height.ceil()));
        format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"plot\" role=\"img\" width=\"{width}\" \
             height=\"{height}\" viewBox=\"0 0 {width} {height}\">\n<title>{}</title>\n<desc>{}</desc>\n\
             <style>{STYLE}{}</style>\n<rect class=\"paper\" width=\"{width}\" height=\"{height}\"/>\n{}</svg>\n",
            xml(title),
            xml(description),
            palette::style(),
            self.body,
        )
    }
}

/// The names of lines with their swatches, in as many columns as there is room for; gives the place below them.
pub(super) fn key(canvas: &mut Canvas, names: &[(usize, &str)], top: f64) -> f64 {
    const SWATCH: f64 = 34.0;
    let widest = names.iter().map(|(_, name)| width(name, NAME)).fold(0.0, f64::max);
    let columns = (canvas.room() / (widest + SWATCH + 18.0)).floor().clamp(1.0, 4.0).min(names.len() as f64);
    let cell = canvas.room() / columns.max(1.0);
    let rows = names.len().div_ceil(columns.max(1.0) as usize);
    let mut bottom = top;
    for column in names.chunks(rows.max(1)).enumerate() {
        let (x, mut y) = (MARGIN + column.0 as f64 * cell, top + 10.0);
        for (colour, name) in column.1 {
            canvas.swatch(*colour, (x, y), 28.0);
            for line in wrap(name, NAME, cell - SWATCH - 4.0, 2) {
                canvas.tipped_text("name", "start", (x + SWATCH, y + 4.5), &line, name);
                y += LINE_HEIGHT;
            }
            y += 3.0;
        }
        bottom = bottom.max(y - 10.0);
    }
    bottom
}

fn joined(points: &[(f64, f64)]) -> String {
    points.iter().map(|(x, y)| format!("{} {}", num(*x), num(*y))).collect::<Vec<_>>().join("L")
}

fn tooltip(words: &str) -> String {
    if words.is_empty() { String::new() } else { format!("<title>{}</title>", xml(words)) }
}

/// A number with one decimal, and no negative zero.
pub(super) fn num(x: f64) -> String {
    let text = format!("{x:.1}");
    if text == "-0.0" || !x.is_finite() { "0.0".to_owned() } else { text }
}
