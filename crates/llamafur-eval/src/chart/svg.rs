//! The file itself: where everything goes, and how it looks.

use super::apart::apart;
use super::axis::{Fitted, short};
use super::canvas::num;
use super::text::xml;
use super::{Chart, Line, Panel, Point};
use std::fmt::Write;

/// Colours come twice: a plain one for programs without CSS variables, then the variable, which follows the reader's
/// preference for light or dark.
const STYLE: &str = r"
.chart {
  --paper: #ffffff; --ink: #1c2128; --soft: #5c6673; --grid: #e5e8ec;
  --c0: #c2410c; --c1: #1d6fb8; --c2: #15803d; --c3: #8b5cf6; --c4: #64748b;
  font-family: system-ui, -apple-system, 'Segoe UI', Roboto, 'Helvetica Neue', 'Noto Sans', Arial, sans-serif;
}
@media (prefers-color-scheme: dark) {
  .chart {
    --paper: #14181f; --ink: #e8ecf1; --soft: #9aa5b4; --grid: #2b323c;
    --c0: #fb8a4c; --c1: #5aa9e6; --c2: #4ade80; --c3: #b79cfb; --c4: #9fb0c6;
  }
}
.chart .paper { fill: #ffffff; fill: var(--paper); }
.chart .title { font-size: 17px; font-weight: 700; fill: #1c2128; fill: var(--ink); }
.chart .panel { font-size: 13px; font-weight: 600; fill: #1c2128; fill: var(--ink); }
.chart .note, .chart .tick { font-size: 11.5px; fill: #5c6673; fill: var(--soft); }
.chart .name { font-size: 11.5px; font-weight: 600; }
.chart .grid { stroke: #e5e8ec; stroke: var(--grid); stroke-width: 1; }
.chart .level { stroke: #5c6673; stroke: var(--soft); stroke-width: 1; stroke-dasharray: 4 3; }
.chart .line { fill: none; stroke-width: 2; stroke-linejoin: round; }
.chart .lead { fill: none; stroke-width: 0.75; opacity: 0.7; }
.chart .band { opacity: 0.16; }
";

const PLAIN: [&str; 5] = ["#c2410c", "#1d6fb8", "#15803d", "#8b5cf6", "#64748b"];

const WIDTH: f64 = 720.0;
const MARGIN: f64 = 14.0;
/// Left of a plot for the numbers, right of it for the names of lines.
const NUMBERS: f64 = 34.0;
const NAMES: f64 = 76.0;
const PLOT_HEIGHT: f64 = 170.0;
/// Above a plot for its title and what goes up, below it for its numbers and what goes right.
const ABOVE: f64 = 40.0;
const BELOW: f64 = 42.0;
const LINE_HEIGHT: f64 = 16.0;

pub(super) fn draw(chart: &Chart) -> String {
    let columns = chart.columns.min(chart.panels.len()).max(1);
    let mut body = String::new();
    let mut top = MARGIN + 17.0;
    text(&mut body, "title", "start", (MARGIN, top), &chart.title);
    for line in chart.note.lines() {
        top += LINE_HEIGHT;
        text(&mut body, "note", "start", (MARGIN, top), line);
    }
    top += 14.0;
    let cell = ((WIDTH - 2.0 * MARGIN) / columns as f64, ABOVE + PLOT_HEIGHT + BELOW);
    for (number, panel) in chart.panels.iter().enumerate() {
        let left = MARGIN + (number % columns) as f64 * cell.0;
        draw_panel(&mut body, panel, left, top + (number / columns) as f64 * cell.1, cell.0);
    }
    let height = num(top + chart.panels.len().div_ceil(columns) as f64 * cell.1 + 4.0);
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"chart\" role=\"img\" width=\"{WIDTH}\" height=\"{height}\" \
         viewBox=\"0 0 {WIDTH} {height}\">\n<title>{}</title>\n<desc>{}</desc>\n<style>{}{STYLE}</style>\n\
         <rect class=\"paper\" width=\"{WIDTH}\" height=\"{height}\"/>\n{body}</svg>\n",
        xml(&chart.title),
        xml(&description(chart)),
        colours(),
    )
}

/// What each line ends at, for those who cannot see it.
fn description(chart: &Chart) -> String {
    let mut said = chart.note.replace('\n', " ");
    for panel in &chart.panels {
        let _ = write!(said, " {} ({} by {}):", panel.title, panel.y.name, panel.x.name);
        for line in &panel.lines {
            if let (Some(first), Some(last)) = (line.points.first(), line.points.last()) {
                let ends = [first.x, first.y, last.x, last.y].map(short);
                let _ = write!(
                    said,
                    " {} from {} at {} to {} at {};",
                    line.name, ends[1], ends[0], ends[3], ends[2]
                );
            }
        }
    }
    said.trim().to_owned()
}

fn colours() -> String {
    let colour = |(number, plain): (usize, &&str)| {
        format!(
            ".chart .s{number} {{ stroke: {plain}; stroke: var(--c{number}); }}\n\
             .chart .f{number} {{ fill: {plain}; fill: var(--c{number}); }}\n"
        )
    };
    format!("\n{}", PLAIN.iter().enumerate().map(colour).collect::<String>())
}

/// A panel's plot and how numbers fall into it.
struct Plot {
    left: f64,
    top: f64,
    width: f64,
    x: Fitted,
    y: Fitted,
}

impl Plot {
    fn x(&self, x: f64) -> f64 {
        self.left + self.width * self.x.place(x)
    }

    fn y(&self, y: f64) -> f64 {
        self.top + PLOT_HEIGHT * (1.0 - self.y.place(y).clamp(0.0, 1.0))
    }

    fn at(&self, x: f64, y: f64) -> String {
        format!("{} {}", num(self.x(x)), num(self.y(y)))
    }
}

fn draw_panel(body: &mut String, panel: &Panel, left: f64, top: f64, width: f64) {
    let points = || panel.lines.iter().flat_map(|line| &line.points);
    let plot = Plot {
        left: left + NUMBERS,
        top: top + ABOVE,
        width: width - NUMBERS - NAMES,
        x: panel.x.fit(points().map(|point| point.x)),
        y: panel.y.fit(points().flat_map(|point| [point.low, point.high])),
    };
    text(body, "panel", "start", (left, top + 12.0), &panel.title);
    text(body, "note", "start", (left, top + 28.0), &panel.y.name);
    let bottom = plot.top + PLOT_HEIGHT;
    for tick in plot.y.ticks() {
        let y = plot.y(tick);
        segment(body, "grid", (plot.left, y), (plot.left + plot.width, y));
        text(body, "tick", "end", (plot.left - 6.0, y + 4.0), &short(tick));
    }
    for tick in plot.x.ticks() {
        let x = plot.x(tick);
        segment(body, "grid", (x, bottom), (x, bottom + 4.0));
        text(body, "tick", "middle", (x, bottom + 17.0), &short(tick));
    }
    text(body, "note", "middle", (plot.left + plot.width / 2.0, bottom + 33.0), &panel.x.name);
    for (level, _) in &panel.levels {
        let y = plot.y(*level);
        segment(body, "level", (plot.left, y), (plot.left + plot.width, y));
    }
    // The first line is drawn last, on top of the others.
    for line in panel.lines.iter().rev() {
        draw_line(body, &plot, line);
    }
    draw_names(body, &plot, panel);
}

fn draw_line(body: &mut String, plot: &Plot, line: &Line) {
    let colour = line.colour % PLAIN.len();
    let at = |of: fn(&Point) -> f64| move |point: &Point| plot.at(point.x, of(point));
    if line.points.iter().any(|point| point.low < point.high) {
        let there = line.points.iter().map(at(|point| point.high));
        let back = line.points.iter().rev().map(at(|point| point.low));
        let outline: Vec<String> = there.chain(back).collect();
        let _ = writeln!(body, "<path class=\"band f{colour}\" d=\"M{}Z\"/>", outline.join("L"));
    }
    let path: Vec<String> = line.points.iter().map(at(|point| point.y)).collect();
    let _ = writeln!(body, "<path class=\"line s{colour}\" d=\"M{}\"/>", path.join("L"));
    for point in &line.points {
        let (x, y) = (num(plot.x(point.x)), num(plot.y(point.y)));
        let tip = xml(&format!("{}: {} at {}", line.name, short(point.y), short(point.x)));
        let _ = writeln!(
            body,
            "<circle class=\"f{colour}\" cx=\"{x}\" cy=\"{y}\" r=\"2.5\"><title>{tip}</title></circle>"
        );
    }
}

/// The names of lines and levels, each beside its end, pushed apart where they would overlap.
fn draw_names(body: &mut String, plot: &Plot, panel: &Panel) {
    let right = plot.left + plot.width;
    let of_lines = panel.lines.iter().filter_map(|line| {
        let last = line.points.last()?;
        Some((plot.y(last.y), plot.x(last.x), Some(line.colour % PLAIN.len()), &line.name))
    });
    let of_levels = panel.levels.iter().map(|(level, name)| (plot.y(*level), right, None, name));
    let mut names: Vec<_> = of_levels.chain(of_lines).collect();
    names.sort_by(|a, b| a.0.total_cmp(&b.0));
    let places =
        apart(&names.iter().map(|name| name.0).collect::<Vec<_>>(), plot.top, plot.top + PLOT_HEIGHT);
    for ((y, x, colour, name), place) in names.into_iter().zip(places) {
        let (class, stroke) = match colour {
            Some(colour) => (format!("name f{colour}"), format!("lead s{colour}")),
            None => ("note".to_owned(), "level".to_owned()),
        };
        let (from, to) = (x + 4.0, right + 11.0);
        if (place - y).abs() > 2.0 || from < right {
            segment(body, &stroke, (from, y), (to, place));
        }
        text(body, &class, "start", (to + 2.0, place + 4.0), name);
    }
}

fn text(body: &mut String, class: &str, anchor: &str, (x, y): (f64, f64), words: &str) {
    let (x, y) = (num(x), num(y));
    let _ = writeln!(
        body,
        "<text class=\"{class}\" text-anchor=\"{anchor}\" x=\"{x}\" y=\"{y}\">{}</text>",
        xml(words)
    );
}

fn segment(body: &mut String, class: &str, from: (f64, f64), to: (f64, f64)) {
    let [x1, y1, x2, y2] = [from.0, from.1, to.0, to.1].map(num);
    let _ = writeln!(body, "<line class=\"{class}\" x1=\"{x1}\" y1=\"{y1}\" x2=\"{x2}\" y2=\"{y2}\"/>");
}

#[cfg(test)]
mod tests {
    use super::super::Axis;
    use super::*;

    #[test]
    fn what_is_reserved_is_escaped() {
        let line = Line::with_spread("a<b", 7, [(1.0, 1.0, 0.5, 2.0), (2.0, 3.0, 3.0, 3.0)]);
        let panel = Panel::new("x & y", Axis::log("x"), Axis::log("y")).line(line).level(1.0, "one");
        let svg = Chart::new("\"quoted\"").note("one\ntwo").panel(panel).svg();
        assert!(svg.contains("a&lt;b</text>") && svg.contains("x &amp; y") && !svg.contains("a<b"));
        assert_eq!(svg.matches("<text").count(), svg.matches("</text>").count());
        assert!(!svg.contains("NaN"));
    }

    #[test]
    fn a_panel_without_lines_has_axes() {
        for axis in [Axis::log("x"), Axis::linear("x")] {
            let svg = Chart::new("").panel(Panel::new("empty", axis.clone(), axis)).svg();
            assert!(svg.contains(">empty</text>") && !svg.contains("NaN"));
        }
    }

    #[test]
    fn an_empty_chart_is_a_heading() {
        assert!(Chart::new("nothing").svg().ends_with("</svg>\n"));
    }
}
