//! Figures, at the width of a page and at that of a phone.

use super::Text;

/// The width that figures are drawn at for pages and files.
pub const WIDE: f64 = 720.0;
/// The width that figures are drawn at for phones.
pub const NARROW: f64 = 360.0;

/// A figure with a name for its file and a caption.
#[derive(Debug, Clone)]
pub struct Figure {
    pub(super) name: String,
    pub(super) caption: Text,
    pub(super) svg: String,
    pub(super) narrow: Option<String>,
}

impl Figure {
    /// A figure from an SVG file, which must be well-formed. Its file is called after [`slug`](super::slug) of the
    /// name.
    pub fn new(name: &str, caption: impl Into<Text>, svg: String) -> Figure {
        Figure { name: name.into(), caption: caption.into(), svg, narrow: None }
    }

    /// A figure that is drawn twice: [`WIDE`] and [`NARROW`].
    ///
    /// ```
    /// use llamafur_eval::chart::{Axis, DotPlot, DotRow};
    /// use llamafur_eval::report::Figure;
    ///
    /// let plot = DotPlot::new("bpref", Axis::linear("bpref")).row(DotRow::new("llamafur", 0.367));
    /// let figure = Figure::drawn("bpref", "Average bpref.", |width| plot.clone().width(width).svg());
    /// # let _ = figure;
    /// ```
    pub fn drawn(name: &str, caption: impl Into<Text>, draw: impl Fn(f64) -> String) -> Figure {
        Figure::new(name, caption, draw(WIDE)).narrow(draw(NARROW))
    }

    /// Another drawing for phones. Default: the same.
    pub fn narrow(mut self, svg: String) -> Figure {
        self.narrow = Some(svg);
        self
    }
}
