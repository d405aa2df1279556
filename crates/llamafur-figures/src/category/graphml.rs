//! Exports the graph for network programs.

use super::CategoryGraph;
use crate::text::xml;

const HEAD: &str = r#"<?xml version="1.0" encoding="UTF-8"?>
<graphml xmlns="http://graphml.graphdrawing.org/xmlns" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xsi:schemaLocation="http://graphml.graphdrawing.org/xmlns http://graphml.graphdrawing.org/xmlns/1.0/graphml.xsd">
  <key id="name" for="node" attr.name="name" attr.type="string"/>
  <key id="centre" for="node" attr.name="centre" attr.type="boolean"><default>false</default></key>
  <key id="rank" for="node" attr.name="rank" attr.type="int"/>
  <key id="weight" for="edge" attr.name="weight" attr.type="double"/>
  <graph id="neighbourhood" edgedefault="directed">
"#;

impl CategoryGraph {
    /// Returns the graph as GraphML, for Gephi, Cytoscape, networkx and igraph, with weights in full precision.
    ///
    /// Nodes have a `name`, a flag `centre` (true for the category itself) and a `rank` (0 for the category, 1 for its
    /// closest neighbour, and so on); edges have a `weight`.
    pub fn graphml(&self) -> String {
        let mut file = String::from(HEAD);
        for (rank, name) in self.names.iter().enumerate() {
            let centre = if rank == 0 { "<data key=\"centre\">true</data>" } else { "" };
            file += &format!(
                "    <node id=\"n{rank}\"><data key=\"name\">{}</data>{centre}<data key=\"rank\">{rank}</data></node>\n",
                xml(name)
            );
        }
        for (i, arc) in self.sound_arcs().enumerate() {
            file += &format!(
                "    <edge id=\"e{i}\" source=\"n{}\" target=\"n{}\"><data key=\"weight\">{}</data></edge>\n",
                arc.from,
                arc.to,
                double(arc.weight)
            );
        }
        file + "  </graph>\n</graphml>\n"
    }
}

/// Formats a number as in XML Schema, infinities included.
fn double(x: f64) -> String {
    if x.is_infinite() {
        return if x > 0.0 { "INF" } else { "-INF" }.to_owned();
    }
    x.to_string()
}

#[cfg(test)]
mod tests {
    use super::super::samples::{Lcg, assert_well_formed};
    use super::super::{CategoryArc, CategoryGraph};
    use super::double;

    #[test]
    fn ids_resolve() {
        let file = Lcg(2).graph(19, 120, 60).graphml();
        assert_well_formed(&file);
        let values = |attribute: &str| -> Vec<String> {
            let opening = format!("{attribute}=\"");
            let parts = file.split(&opening).skip(1);
            parts.map(|part| part.split('"').next().unwrap_or_default().to_owned()).collect()
        };
        let ids = values("<node id");
        assert_eq!(ids.len(), 19);
        let ends = [values("source"), values("target")].concat();
        assert_eq!(ends.len(), 240);
        assert!(ends.iter().all(|end| ids.contains(end)));
        let keys = values("<key id");
        assert!(values("<data key").iter().all(|key| keys.contains(key)));
    }

    #[test]
    fn weights_keep_their_precision_and_names_are_escaped() {
        let arcs = vec![
            CategoryArc { from: 0, to: 0, weight: 1.0 / 3.0 },
            CategoryArc { from: 0, to: 7, weight: 2.0 },
        ];
        let file = CategoryGraph { names: vec!["<Simon & Garfunkel>".into()], arcs }.graphml();
        assert!(file.contains(">0.3333333333333333<"));
        assert!(file.contains(">&lt;Simon &amp; Garfunkel&gt;<"));
        assert!(!file.contains("n7"), "an arc without an end must be left out");
        assert_eq!(file.matches(">true<").count(), 1);
    }

    #[test]
    fn no_category_is_an_empty_graph() {
        assert_well_formed(&CategoryGraph::default().graphml());
        assert_eq!(
            [double(f64::INFINITY), double(f64::NEG_INFINITY), double(f64::NAN)],
            ["INF", "-INF", "NaN"]
        );
    }
}
