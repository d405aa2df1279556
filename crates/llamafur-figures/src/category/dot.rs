//! Exports the graph for Graphviz.

use super::{CategoryGraph, Scale};
use crate::text::balance;

/// Attributes for all layout engines, each of which reads those it knows. There is no `splines=true`: with many edges
/// it makes the `circo` of Graphviz 2.43 crash, and opposite edges are drawn apart without it.
const HEAD: &str = r##"  graph [root=n0, bgcolor="transparent", outputorder=edgesfirst, overlap=false,
    sep="+12", nodesep=0.3, ranksep=0.9, mindist=0.6, mclimit=4];
  node [shape=box, style="rounded,filled", penwidth=0, fillcolor="#e2e8f0", fontcolor="#1c2128",
    fontname="Helvetica,Arial,sans-serif", fontsize=11, margin="0.12,0.06", height=0.3];
  edge [color="#64748b88", arrowsize=0.6, fontname="Helvetica,Arial,sans-serif"];
"##;

/// Approximate width of a line of a label, in ems.
const LINE: f64 = 13.0;

impl CategoryGraph {
    /// Returns the graph in the DOT language, for `dot`, `neato`, `circo` or `twopi` of Graphviz.
    ///
    /// The width of an edge follows its weight as in [`CategoryGraph::draw`]. The weight itself, in full precision, is the
    /// edge's attribute `weight`; the name of a node, without line breaks, is its `tooltip`.
    pub fn dot(&self) -> String {
        let scale = Scale::of(self);
        let mut file = format!("digraph {} {{\n{HEAD}", quote(self.centre()));
        for (i, name) in self.names.iter().enumerate() {
            let lines = balance(name, 1.0, LINE, usize::MAX);
            let label = lines.iter().map(|line| escape(line)).collect::<Vec<_>>().join("\\n");
            let look =
                if i == 0 { ", fillcolor=\"#c2410c\", fontcolor=\"#ffffff\", fontsize=14" } else { "" };
            file += &format!("  n{i} [label=\"{label}\", tooltip={}{look}];\n", quote(name));
        }
        for arc in self.sound_arcs() {
            let look = if arc.is_own() { ", color=\"#c2410c\"" } else { "" };
            // `weight` also pulls the ends together; Graphviz refuses one that is not positive.
            let weight =
                if arc.magnitude() > 0.0 { format!("weight={}, ", arc.weight) } else { String::new() };
            file += &format!(
                "  n{} -> n{} [{weight}penwidth={:.2}, tooltip={}{look}];\n",
                arc.from,
                arc.to,
                scale.width(arc.magnitude()),
                quote(&self.tooltip(arc))
            );
        }
        file + "}\n"
    }
}

fn quote(text: &str) -> String {
    format!("\"{}\"", escape(text))
}

/// Escapes a text for a quoted string, where Graphviz reads backslashes and HTML entities.
fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '"' => escaped.push_str("\\\""),
            '\\' => escaped.push_str("\\\\"),
            '&' => escaped.push_str("&amp;"),
            _ if c.is_control() => escaped.push(' '),
            _ => escaped.push(c),
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::super::samples::Lcg;
    use super::super::{CategoryArc, CategoryGraph};
    use super::quote;

    #[test]
    fn names_are_quoted() {
        assert_eq!(quote(r#"the "Back\N" & <b>"#), r#""the \"Back\\N\" &amp; <b>""#);
        assert_eq!(quote("two\nlines\0"), "\"two lines \"");
    }

    #[test]
    fn quotes_are_balanced_on_every_line() {
        let file = Lcg(9).graph(19, 120, 60).dot();
        for line in file.lines() {
            let bare = line.replace("\\\\", "").replace("\\\"", "");
            assert_eq!(bare.matches('"').count() % 2, 0, "{line}");
        }
        assert_eq!(file.matches(" -> ").count(), 120);
    }

    #[test]
    fn heavier_edges_are_wider_and_odd_weights_are_left_out() {
        let arcs = vec![
            CategoryArc { from: 0, to: 1, weight: 4.0 },
            CategoryArc { from: 1, to: 0, weight: 2.0 },
            CategoryArc { from: 1, to: 1, weight: f64::NAN },
        ];
        let file = CategoryGraph { names: vec!["Planets".into(), "Moons".into()], arcs }.dot();
        assert!(file.contains("n0 -> n1 [weight=4, penwidth=7.00"));
        assert!(file.contains("n1 -> n0 [weight=2, penwidth=3.50"));
        assert!(file.contains("n1 -> n1 [penwidth=0.75"));
    }
}
