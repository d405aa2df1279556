//! Converts answers of the engine for display.

use llamafur::engine::{CategoryNeighbourhood, RankingRow};
use llamafur_figures::{CategoryArc, CategoryGraph};

/// Converts a neighbourhood to a graph to draw.
pub fn category_graph(found: &CategoryNeighbourhood) -> CategoryGraph {
    let neighbours = found.neighbours.iter().map(|neighbour| neighbour.category.clone());
    let names: Vec<String> = std::iter::once(found.category.clone()).chain(neighbours).collect();
    let place = |name: &String| names.iter().position(|other| other == name).unwrap_or_default();
    let arc = |arc: &llamafur::engine::CategoryArc| CategoryArc {
        from: place(&arc.source),
        to: place(&arc.target),
        weight: arc.weight,
    };
    let arcs = found.arcs.iter().map(arc).collect();
    CategoryGraph { names, arcs }
}

/// Joins the reasons of a link into one line.
pub fn reasons(link: &RankingRow) -> String {
    link.reasons.iter().map(|reason| &reason.text[..]).collect::<Vec<_>>().join(" ")
}
