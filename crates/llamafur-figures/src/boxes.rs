//! Scores by class as boxes: one small panel for each scorer.

use crate::axis::{Axis, Frame, numbers_width};
use crate::canvas::{Canvas, Drawing, LINE_HEIGHT, MARGIN};
use crate::numbers::{exact, short};
use crate::quartiles::Quartiles;
use crate::text::{BOLD, shorten, width, wrap};
use crate::theme::{NAME, SMALL};

/// Largest number of dots drawn on each side of a box.
const MOST_OUTLIERS: usize = 12;
/// The least width of a panel, and the most panels in a row.
const LEAST_PANEL: f64 = 162.0;
const MOST_COLUMNS: usize = 3;
/// The room between two panels of a row.
const GAP: f64 = 12.0;

/// Panels of boxes. Each panel has a scale of its own, since scores of different scorers cannot be compared.
///
/// A box reaches from the 25th to the 75th percentile, with a line at the median; whiskers reach to the
/// outermost scores within 1.5 times the interquartile range.
///
/// ```
/// use llamafur_figures::{BoxPlots, WIDE};
///
/// let classes = [("TE", &[-3.0, -1.0, 0.0][..]), ("TU", &[1.0]), ("U", &[])];
/// let svg = BoxPlots::new("Scores by class", "unexpectedness").panel("llamafur", classes).draw(WIDE).svg();
/// assert!(svg.contains("TE: median −1.000"));
/// ```
#[derive(Debug, Clone)]
pub struct BoxPlots {
    title: String,
    score: String,
    panels: Vec<BoxPanel>,
}

#[derive(Debug, Clone)]
struct BoxPanel {
    name: String,
    classes: Vec<(String, Option<Quartiles>)>,
}

impl BoxPlots {
    /// Creates a figure without panels. `score` is the name of the vertical axis.
    pub fn new(title: &str, score: &str) -> BoxPlots {
        BoxPlots { title: title.into(), score: score.into(), panels: Vec::new() }
    }

    /// Adds the panel of a scorer: a box for each class with its scores. Those that are not finite are omitted.
    pub fn panel<'a>(
        mut self,
        name: &str,
        classes: impl IntoIterator<Item = (&'a str, &'a [f64])>,
    ) -> BoxPlots {
        let classes = classes.into_iter().map(|(class, scores)| (class.to_owned(), Quartiles::of(scores)));
        self.panels.push(BoxPanel { name: name.into(), classes: classes.collect() });
        self
    }

    /// Draws the figure at this width in pixels, from 320 to 2000. Up to three panels are side by side.
    pub fn draw(&self, width: f64) -> Drawing {
        let mut canvas = Canvas::new(width);
        let scales = if self.panels.len() > 1 { "; each panel has its own scale" } else { "" };
        let mut top = canvas.heading(&self.title, &format!("Upwards: {}{scales}.", self.score)) + 4.0;
        let fitting = ((canvas.room() / LEAST_PANEL) as usize).clamp(1, MOST_COLUMNS);
        let columns = fitting.min(self.panels.len()).max(1);
        let wide = canvas.room() / columns as f64;
        let height = if columns == 1 { 220.0 } else { 160.0 };
        for row in self.panels.chunks(columns) {
            let names: Vec<_> =
                row.iter().map(|panel| wrap(&panel.name, NAME * BOLD, wide - GAP, 2)).collect();
            let lines = names.iter().map(Vec::len).max().unwrap_or_default();
            let plot_top = top + lines as f64 * LINE_HEIGHT + 8.0;
            for (column, (panel, lines)) in row.iter().zip(&names).enumerate() {
                let left = MARGIN + column as f64 * wide;
                for (number, line) in lines.iter().enumerate() {
                    let at = (left, top + 12.0 + number as f64 * LINE_HEIGHT);
                    canvas.tipped_text("name bold", "start", at, line, &panel.name);
                }
                draw_panel(&mut canvas, panel, (left, plot_top), (wide - GAP, height));
            }
            top = plot_top + height + 48.0;
        }
        if self.leaves_dots_out() {
            let said = format!(
                "Of the dots beyond the whiskers, the {MOST_OUTLIERS} outermost of each side are drawn."
            );
            top = canvas.paragraph(&said, top - 4.0) + 6.0;
        }
        canvas.finish(&self.title, &self.description(), top)
    }

    fn leaves_dots_out(&self) -> bool {
        let boxes =
            self.panels.iter().flat_map(|panel| &panel.classes).filter_map(|(_, found)| found.as_ref());
        boxes.into_iter().any(|found| drawn(found).len() < found.outliers.len())
    }

    fn description(&self) -> String {
        let mut said = format!("{} by class. ", self.score);
        for panel in &self.panels {
            let classes = panel.classes.iter().map(|(class, found)| summary(class, found.as_ref()));
            said += &format!("{}: {}. ", panel.name, classes.collect::<Vec<_>>().join("; "));
        }
        said
    }
}

/// Returns the dots to draw: the outermost of each side.
fn drawn(found: &Quartiles) -> Vec<f64> {
    let below: Vec<f64> = found.outliers.iter().copied().filter(|value| *value < found.low).collect();
    let above = &found.outliers[below.len()..];
    let outermost = &above[above.len().saturating_sub(MOST_OUTLIERS)..];
    below.iter().take(MOST_OUTLIERS).chain(outermost).copied().collect()
}

fn summary(class: &str, found: Option<&Quartiles>) -> String {
    let Some(found) = found else { return format!("{class}: no scores") };
    let mut said = format!(
        "{class}: median {}, quartiles {} and {}, whiskers {} and {}, {} scores",
        exact(found.median),
        exact(found.lower),
        exact(found.upper),
        exact(found.low),
        exact(found.high),
        found.num_values,
    );
    let shown = drawn(found).len();
    match found.outliers.len() {
        0 => {}
        all if all == shown => said += &format!(", {all} beyond the whiskers"),
        all => said += &format!(", {all} beyond the whiskers ({shown} drawn)"),
    }
    if found.num_left_out > 0 {
        said += &format!(", {} not finite and omitted", found.num_left_out);
    }
    said
}

fn draw_panel(canvas: &mut Canvas, panel: &BoxPanel, (left, top): (f64, f64), (wide, height): (f64, f64)) {
    let boxes = || panel.classes.iter().filter_map(|(_, found)| found.as_ref());
    let ends = boxes().flat_map(|found| {
        let outliers = [found.outliers.first().copied(), found.outliers.last().copied()];
        outliers.into_iter().flatten().chain([found.low, found.high])
    });
    let y = Axis::linear("").fit(ends);
    let classes = Axis::linear("").range(0.0, panel.classes.len().max(1) as f64).fit([].into_iter());
    let numbers = numbers_width(y);
    let frame = Frame { left: left + numbers, right: left + wide, top, height, x: classes, y };
    if boxes().count() == 0 {
        canvas.text("note", "middle", (left + (wide + numbers) / 2.0, top + height / 2.0), "no scores");
    } else {
        frame.draw_y(canvas);
    }
    let cell = frame.x(1.0) - frame.left;
    canvas.text("tick", "end", (frame.left - 6.0, top + height + 33.0), "n");
    for (number, (class, found)) in panel.classes.iter().enumerate() {
        let middle = frame.x(number as f64 + 0.5);
        let name = shorten(class, SMALL, cell - 2.0);
        canvas.tipped_text("name", "middle", (middle, top + height + 17.0), &name, class);
        let count = found.as_ref().map_or(0, |found| found.num_values);
        let shown = fitting_count(count, cell - 3.0);
        canvas.tipped_text("tick", "middle", (middle, top + height + 33.0), &shown, &count.to_string());
        if let Some(found) = found {
            draw_box(canvas, class, found, middle, (cell * 0.3).min(26.0), &|value| frame.y(value));
        }
    }
}

/// Formats a count, rounded to three or two digits if there is no room for all.
fn fitting_count(count: usize, room: f64) -> String {
    let rounded = |digits: u32| {
        let power = 10usize.pow((count.max(1).ilog10() + 1).saturating_sub(digits));
        short(((count + power / 2) / power * power) as f64)
    };
    let texts = [count.to_string(), rounded(3), rounded(2)];
    texts.iter().find(|text| width(text, SMALL) <= room).unwrap_or(&texts[2]).clone()
}

fn draw_box(canvas: &mut Canvas, class: &str, found: &Quartiles, x: f64, half: f64, y: &impl Fn(f64) -> f64) {
    let tip = summary(class, Some(found));
    for (from, to) in [(found.lower, found.low), (found.upper, found.high)] {
        if from != to {
            canvas.segment("whisker", (x, y(from)), (x, y(to)));
            canvas.segment("whisker", (x - half / 2.0, y(to)), (x + half / 2.0, y(to)));
        }
    }
    for value in drawn(found) {
        canvas.circle("outlier", (x, y(value)), 1.8, &format!("{class}: {}", exact(value)));
    }
    canvas.rect("box", (x - half, y(found.upper)), (2.0 * half, y(found.lower) - y(found.upper)), &tip);
    canvas.segment("median", (x - half, y(found.median)), (x + half, y(found.median)));
}

#[cfg(test)]
mod tests {
    use super::fitting_count;

    #[test]
    fn counts_are_rounded_where_there_is_no_room() {
        assert_eq!([100.0, 28.0, 1.0].map(|room| fitting_count(5371, room)), ["5371", "5.4k", "5.4k"]);
        assert_eq!([100.0, 40.0, 1.0].map(|room| fitting_count(21_480, room)), ["21480", "21480", "21k"]);
        assert_eq!([0, 1, 99].map(|count| fitting_count(count, 1.0)), ["0", "1", "99"]);
    }
}
