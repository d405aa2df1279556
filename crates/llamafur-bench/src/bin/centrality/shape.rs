//! What a graph of categories looks like.

use llamafur::storage::{Csr, CsrBuf};
use std::collections::VecDeque;
use std::fmt;

/// What a graph looks like.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Shape {
    /// How many nodes there are.
    pub nodes: usize,
    /// How many arcs there are.
    pub arcs: usize,
    /// How many nodes have no children.
    pub leaves: usize,
    /// How many nodes have neither parents nor children.
    pub isolated: usize,
    /// The numbers of children of the nodes, largest first.
    pub children: Vec<usize>,
    /// The size of the largest strongly connected component.
    pub core: usize,
    /// The mean distance between nodes of the core, from some of them.
    pub core_distance: f64,
    /// How many nodes lie above the core and not in it.
    pub above: usize,
    /// How many nodes lie 0, 1, … steps below the core.
    pub depths: Vec<usize>,
}

impl Shape {
    /// The shape of a graph of children's parents.
    pub(crate) fn of(arcs: Csr<'_, u32>) -> Self {
        let nodes = arcs.num_rows();
        let children = CsrBuf::transposed(arcs, nodes);
        let children = children.view();
        let core = largest_component(arcs, children);

        let mut depths = Vec::new();
        for depth in distances(children, &core).into_iter().flatten() {
            if depths.len() <= depth {
                depths.resize(depth + 1, 0);
            }
            depths[depth] += 1;
        }
        let sample: Vec<u32> = core.iter().copied().step_by((core.len() / 50).max(1)).collect();
        let between = sample.iter().map(|&from| {
            let distance = distances(arcs, &[from]);
            core.iter().filter_map(|&to| distance[to as usize]).sum::<usize>() as f64
        });
        let pairs = (sample.len() * core.len().saturating_sub(1)).max(1);
        let mut degrees: Vec<usize> = children.rows().map(<[u32]>::len).collect();
        degrees.sort_unstable_by(|a, b| b.cmp(a));
        Shape {
            nodes,
            arcs: arcs.num_values(),
            leaves: degrees.iter().filter(|&&degree| degree == 0).count(),
            isolated: (0..nodes).filter(|&v| arcs.row(v).is_empty() && children.row(v).is_empty()).count(),
            children: degrees,
            core: core.len(),
            core_distance: between.sum::<f64>() / pairs as f64,
            above: distances(arcs, &core).iter().flatten().count() - core.len(),
            depths,
        }
    }
}

impl fmt::Display for Shape {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let percent = |part: usize| 100.0 * part as f64 / self.nodes.max(1) as f64;
        writeln!(f, "nodes               {}", self.nodes)?;
        writeln!(f, "arcs                {}", self.arcs)?;
        writeln!(f, "leaves              {} ({:.1} %)", self.leaves, percent(self.leaves))?;
        writeln!(f, "isolated            {} ({:.2} %)", self.isolated, percent(self.isolated))?;
        writeln!(f, "most children       {:?}", self.children.iter().take(8).collect::<Vec<_>>())?;
        writeln!(f, "largest component   {}, mean distance {:.1}", self.core, self.core_distance)?;
        writeln!(f, "above it            {}", self.above)?;
        writeln!(f, "nodes by depth      {:?}", self.depths)
    }
}

/// The largest strongly connected component above the node with the most children.
fn largest_component(arcs: Csr<'_, u32>, children: Csr<'_, u32>) -> Vec<u32> {
    let nodes = || 0..arcs.num_rows() as u32;
    let reached = |from: u32| distances(arcs, &[from]);
    let Some(busiest) = nodes().max_by_key(|&node| children.row(node as usize).len()) else {
        return Vec::new();
    };
    let above_busiest = reached(busiest);
    let above: Vec<u32> = nodes().filter(|&node| above_busiest[node as usize].is_some()).collect();
    // The component of a node is what it reaches and is reached from. Most of what lies above is the core.
    let component = |&node: &u32| -> Vec<u32> {
        let (above, below) = (reached(node), distances(children, &[node]));
        nodes().filter(|&other| above[other as usize].is_some() && below[other as usize].is_some()).collect()
    };
    above.iter().step_by(above.len().div_ceil(10)).map(component).max_by_key(Vec::len).unwrap_or_default()
}

/// Distances from the nearest of some nodes along the arcs, where there is a path.
fn distances(arcs: Csr<'_, u32>, from: &[u32]) -> Vec<Option<usize>> {
    let mut distance = vec![None; arcs.num_rows()];
    from.iter().for_each(|&node| distance[node as usize] = Some(0));
    let mut queue: VecDeque<(u32, usize)> = from.iter().map(|&node| (node, 0)).collect();
    while let Some((node, steps)) = queue.pop_front() {
        for &to in arcs.row(node as usize) {
            if distance[to as usize].is_none() {
                distance[to as usize] = Some(steps + 1);
                queue.push_back((to, steps + 1));
            }
        }
    }
    distance
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::category_graph::{LAYERS, category_graph};

    #[test]
    fn graph_has_the_shape_of_a_wiki() {
        let graph = category_graph(20_000, 46_000, 400, 1);
        let shape = Shape::of(graph.view());
        assert_eq!((shape.nodes, shape.arcs, shape.core, shape.above), (20_000, 46_000, 400, 5));
        assert!((0.65..0.75).contains(&(shape.leaves as f64 / 20_000.0)));
        assert!((10..60).contains(&shape.isolated));
        assert!((3.0..10.0).contains(&shape.core_distance));
        // A power law: the largest have hundreds where the mean is two.
        assert!(shape.children[0] > 300 && shape.children[100] > 20);
        let below: usize = shape.depths[1..].iter().sum();
        assert!(shape.depths[4..=12].iter().sum::<usize>() * 10 > below * 7);
        assert!((18..=LAYERS + 1).contains(&shape.depths.len()));
        // What is apart is neither above nor below.
        assert!((20_000 - 5 - 400 - below) == 60);
    }
}
