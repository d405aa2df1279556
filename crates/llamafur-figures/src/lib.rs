//! Draws the figures of LlamaFur as SVG.
//!
//! * [`CategoryGraph`]: a category among its closest neighbours in the matrix; also as GraphML and DOT.
//! * [`Chart`]: panels of lines, such as a measure by the number of categories, or precision by recall.
//! * [`DotPlot`]: estimates with intervals.
//! * [`BoxPlots`]: scores by class.
//!
//! Each has a method `draw` that takes a width in pixels and picks a layout that is legible at it; [`WIDE`] and
//! [`NARROW`] are those of a page and of a phone. The result is a [`Drawing`]: a separate file, or a part of an HTML
//! document.
//!
//! Every drawing has the same theme ([`style`]): plain colours, which any SVG program knows, and a media query that
//! replaces them on a dark screen. It needs no font and no script, has a text description, and the same input gives the
//! same bytes. Numbers that are not finite are omitted. A name that is too long is shortened; its tooltip has the full
//! name.
//!
//! ```
//! use llamafur_figures::{Axis, Chart, Line, Panel, WIDE};
//!
//! let line = Line::new("factored", 0, [(1e4, 0.3), (1e5, 0.8)]);
//! let panel = Panel::new("Low rank", Axis::log("links"), Axis::linear("correlation").range(0.0, 1.0)).line(line);
//! let svg = Chart::new("A known truth").panel(panel).draw(WIDE).svg();
//! assert!(svg.contains(">factored</text>") && svg.contains(">100k</text>"));
//! ```
//!
//! # Quirks
//! Text is measured by a table of average widths (`glyphs`), because the reader's font is unknown.
#![forbid(unsafe_code)]

mod axis;
mod boxes;
mod canvas;
mod category;
mod dots;
mod glyphs;
mod labels;
mod lines;
mod numbers;
mod quartiles;
mod text;
mod theme;

pub use axis::Axis;
pub use boxes::BoxPlots;
pub use canvas::{Drawing, NARROW, WIDE};
pub use category::{CategoryArc, CategoryGraph};
pub use dots::DotPlot;
pub use lines::{Chart, Line, Panel};
pub use numbers::bytes;
pub use text::xml;
pub use theme::style;
