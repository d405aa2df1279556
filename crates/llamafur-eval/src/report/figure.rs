//! Figures, at the widths of a page and of a phone.

use super::Text;
use llamafur_figures::{Drawing, NARROW, WIDE};

/// A figure with a name for its file and a caption.
#[derive(Debug, Clone)]
pub struct Figure {
    pub(super) name: String,
    pub(super) caption: Text,
    pub(super) wide: Drawing,
    pub(super) narrow: Drawing,
}

impl Figure {
    /// Draws a figure at two widths: for pages and files, and for phones. Its file is named by [`slug`](super::slug) of
    /// the name.
    ///
    /// ```
    /// use llamafur_eval::report::Figure;
    /// use llamafur_figures::{Axis, DotPlot};
    ///
    /// let plot = DotPlot::new("bpref", Axis::linear("bpref")).row("llamafur", 0.367, None);
    /// let figure = Figure::new("bpref", "Average bpref.", |width| plot.draw(width));
    /// # let _ = figure;
    /// ```
    pub fn new(name: &str, caption: impl Into<Text>, draw: impl Fn(f64) -> Drawing) -> Figure {
        Figure { name: name.into(), caption: caption.into(), wide: draw(WIDE), narrow: draw(NARROW) }
    }
}
