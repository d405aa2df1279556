//! The only writer of SVG: text, marks, and the file around them.

use crate::text::{BOLD, shorten, widest, width, wrap, xml};
use crate::theme::{NAME, NUM_COLOURS, SMALL, TITLE, dashes, style};
use std::fmt::Write;

/// The width of a figure on a page, in pixels.
pub const WIDE: f64 = 720.0;
/// The width of a figure on a phone, in pixels.
pub const NARROW: f64 = 360.0;

pub(crate) const MARGIN: f64 = 12.0;
pub(crate) const LINE_HEIGHT: f64 = 16.0;
/// Width below which parts are stacked instead of side by side.
const STACKED: f64 = 520.0;

/// A point in pixels from the upper left corner.
pub(crate) type At = (f64, f64);

/// A finished figure.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Drawing {
    size: String,
    words: String,
    body: String,
}

impl Drawing {
    /// Returns the figure as a separate SVG file.
    pub fn svg(&self) -> String {
        self.with(&format!("<style>{}</style>\n", style()))
    }

    /// Returns the figure as a part of an HTML document that has [`style`] in its head.
    pub fn inline(&self) -> String {
        self.with("")
    }

    fn with(&self, style: &str) -> String {
        let Drawing { size, words, body } = self;
        format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"plot\" role=\"img\" {size}>\n{words}{style}{body}</svg>\n"
        )
    }
}

/// Returns whether a figure of this width stacks its parts instead of placing them side by side.
pub(crate) fn is_narrow(width: f64) -> bool {
    width < STACKED
}

/// A figure in progress.
pub(crate) struct Canvas {
    pub(crate) width: f64,
    body: String,
}

impl Canvas {
    /// Creates an empty figure, with the width clamped to the legible range.
    pub(crate) fn new(width: f64) -> Canvas {
        Canvas::sized(if width.is_finite() { width.clamp(320.0, 2000.0).round() } else { WIDE })
    }

    /// Creates an empty figure with exactly this width.
    pub(crate) fn sized(width: f64) -> Canvas {
        Canvas { width, body: String::new() }
    }

    /// Returns the room between the margins.
    pub(crate) fn room(&self) -> f64 {
        self.width - 2.0 * MARGIN
    }

    /// Draws title and note at the top; returns the y below them.
    pub(crate) fn heading(&mut self, title: &str, note: &str) -> f64 {
        let mut top = MARGIN;
        for line in wrap(title, TITLE * BOLD, self.room(), 3) {
            top += 21.0;
            self.text("title", "start", (MARGIN, top - 4.0), &line);
        }
        for line in note.lines() {
            top = self.paragraph(line, top);
        }
        top + 8.0
    }

    /// Draws small text in as many lines as it needs; returns the y below them.
    pub(crate) fn paragraph(&mut self, words: &str, mut top: f64) -> f64 {
        for line in wrap(words, SMALL, self.room(), 40) {
            top += LINE_HEIGHT;
            self.text("note", "start", (MARGIN, top - 3.0), &line);
        }
        top
    }

    /// Draws a small text centred at x, shortened and moved so that it stays within the margins.
    pub(crate) fn centred(&mut self, (x, y): At, words: &str, tip: &str) {
        let label = shorten(words, SMALL, self.room());
        let half = width(&label, SMALL) / 2.0;
        let x = x.max(MARGIN + half).min(self.width - MARGIN - half);
        self.tipped_text("note", "middle", (x, y), &label, tip);
    }

    pub(crate) fn text(&mut self, class: &str, anchor: &str, at: At, words: &str) {
        self.tipped_text(class, anchor, at, words, "");
    }

    /// Draws a text with a tooltip, unless the tooltip would repeat it.
    pub(crate) fn tipped_text(&mut self, class: &str, anchor: &str, (x, y): At, words: &str, tip: &str) {
        if !words.is_empty() {
            let tip = if tip == words { String::new() } else { tooltip(tip) };
            let head = format!("text class=\"{class}\" text-anchor=\"{anchor}\"");
            self.element(&head, &[("x", x), ("y", y)], &(tip + &xml(words)));
        }
    }

    /// Draws a text with a rim in the colour of the paper; twice, because not every program knows `paint-order`.
    pub(crate) fn halo_text(&mut self, class: &str, anchor: &str, at: At, words: &str) {
        self.text(&format!("{class} halo"), anchor, at, words);
        self.text(class, anchor, at, words);
    }

    pub(crate) fn segment(&mut self, class: &str, (x1, y1): At, (x2, y2): At) {
        self.element(
            &format!("line class=\"{class}\""),
            &[("x1", x1), ("y1", y1), ("x2", x2), ("y2", y2)],
            "",
        );
    }

    pub(crate) fn rect(&mut self, class: &str, (x, y): At, (width, height): At, tip: &str) {
        let numbers = [("x", x), ("y", y), ("width", width.max(0.0)), ("height", height.max(0.0))];
        self.element(&format!("rect class=\"{class}\""), &numbers, &tooltip(tip));
    }

    pub(crate) fn circle(&mut self, class: &str, (x, y): At, radius: f64, tip: &str) {
        let numbers = [("cx", x), ("cy", y), ("r", radius)];
        self.element(&format!("circle class=\"{class}\""), &numbers, &tooltip(tip));
    }

    /// Draws a closed shape through the points.
    pub(crate) fn area(&mut self, class: &str, points: &[At], tip: &str) {
        self.path(class, &format!("{}Z", through(points)), &[], tip);
    }

    /// Draws a line through the points, with the colour and the dash pattern of this number.
    pub(crate) fn line(&mut self, colour: usize, points: &[At], tip: &str) {
        let mut head = format!("line s{}", colour % NUM_COLOURS);
        if !dashes(colour).is_empty() {
            let _ = write!(head, "\" stroke-dasharray=\"{}", dashes(colour));
        }
        self.path(&head, &through(points), &[], tip);
    }

    /// Draws a grey line, for data without a colour of their own.
    pub(crate) fn rest(&mut self, points: &[At], tip: &str) {
        self.path("rest", &through(points), &[], tip);
    }

    pub(crate) fn path(&mut self, class: &str, d: &str, numbers: &[(&str, f64)], tip: &str) {
        self.element(&format!("path class=\"{class}\" d=\"{d}\""), numbers, &tooltip(tip));
    }

    /// Draws a point with the colour and the shape of this number.
    pub(crate) fn marker(&mut self, colour: usize, (x, y): At, tip: &str) {
        const SHAPES: [&[At]; NUM_COLOURS] = [
            &[],
            &[(-3.2, -3.2), (3.2, -3.2), (3.2, 3.2), (-3.2, 3.2)],
            &[(0.0, -4.6), (4.6, 0.0), (0.0, 4.6), (-4.6, 0.0)],
            &[(0.0, -4.2), (4.2, 3.2), (-4.2, 3.2)],
            &[(0.0, 4.2), (4.2, -3.2), (-4.2, -3.2)],
            &[(-4.2, 0.0), (3.2, -4.2), (3.2, 4.2)],
            &[(-2.0, -4.6), (2.0, -4.6), (2.0, 4.6), (-2.0, 4.6)],
            &[(4.2, 0.0), (-3.2, -4.2), (-3.2, 4.2)],
        ];
        let colour = colour % NUM_COLOURS;
        let class = format!("f{colour}");
        if SHAPES[colour].is_empty() {
            return self.circle(&class, (x, y), 3.5, tip);
        }
        let corners: Vec<At> = SHAPES[colour].iter().map(|(dx, dy)| (x + dx, y + dy)).collect();
        self.area(&class, &corners, tip);
    }

    /// Draws the names of lines, each after a sample of its line, in as many columns as fit between `left` and `right`;
    /// returns the y below them.
    pub(crate) fn key(&mut self, names: &[(usize, &str)], (left, right): At, top: f64) -> f64 {
        const SAMPLE: f64 = 34.0;
        let room = right - left;
        let widest = widest(names.iter().map(|name| name.1), NAME);
        let columns = (room / (widest + SAMPLE + 18.0)).floor().min(names.len() as f64).clamp(1.0, 4.0);
        let cell = room / columns;
        let rows = names.len().div_ceil(columns as usize).max(1);
        let mut bottom = top;
        for (column, names) in names.chunks(rows).enumerate() {
            let (x, mut y) = (left + column as f64 * cell, top + 10.0);
            for (colour, name) in names {
                self.line(*colour, &[(x, y), (x + 28.0, y)], "");
                self.marker(*colour, (x + 14.0, y), "");
                for line in wrap(name, NAME, cell - SAMPLE - 4.0, 2) {
                    self.tipped_text("name", "start", (x + SAMPLE, y + 4.5), &line, name);
                    y += LINE_HEIGHT;
                }
                y += 3.0;
            }
            bottom = bottom.max(y - 10.0);
        }
        bottom
    }

    /// Opens a group; `head` is its class and further attributes.
    pub(crate) fn open(&mut self, head: &str, tip: &str) {
        let _ = writeln!(self.body, "<g class=\"{head}\">{}", tooltip(tip));
    }

    /// Closes the last group.
    pub(crate) fn close(&mut self) {
        self.body += "</g>\n";
    }

    /// Writes an element; `head` is its name and its attributes that are not numbers.
    pub(crate) fn element(&mut self, head: &str, numbers: &[(&str, f64)], content: &str) {
        let _ = write!(self.body, "<{head}");
        for (name, value) in numbers {
            let _ = write!(self.body, " {name}=\"{}\"", num(*value));
        }
        let name = head.split(' ').next().unwrap_or_default();
        let _ = match content {
            "" => writeln!(self.body, "/>"),
            _ => writeln!(self.body, ">{content}</{name}>"),
        };
    }

    /// Finishes the figure, on paper of this height.
    pub(crate) fn finish(self, title: &str, description: &str, height: f64) -> Drawing {
        let (width, height) = (num(self.width), num(height.ceil()));
        Drawing {
            size: format!("width=\"{width}\" height=\"{height}\" viewBox=\"0 0 {width} {height}\""),
            words: format!("<title>{}</title>\n<desc>{}</desc>\n", xml(title), xml(description.trim())),
            body: format!("<rect class=\"paper\" width=\"{width}\" height=\"{height}\"/>\n{}", self.body),
        }
    }
}

fn tooltip(words: &str) -> String {
    if words.is_empty() { String::new() } else { format!("<title>{}</title>", xml(words)) }
}

/// Returns a path through the points.
fn through(points: &[At]) -> String {
    let points: Vec<String> = points.iter().map(|&at| pair(at)).collect();
    format!("M{}", points.join("L"))
}

/// Formats the two coordinates of a point in a path.
pub(crate) fn pair((x, y): At) -> String {
    format!("{} {}", num(x), num(y))
}

/// Formats a number with up to two decimals; zero if it is not finite.
pub(crate) fn num(x: f64) -> String {
    let rounded = (x * 100.0).round() / 100.0;
    // Adding zero turns −0 into 0.
    if rounded.is_finite() { (rounded + 0.0).to_string() } else { "0".to_owned() }
}
