//! A synthetic graph of categories, child → parents, of the shape of English Wikipedia's.
//!
//! The graph has a strongly connected core of small-world distances, a few top nodes above it, layers of
//! descendants below it, and a few nodes apart. The parents of a node below lie in the layer above. The
//! number of children follows a power law. Half of a node's further parents are near its first in the order
//! of their layer, so that siblings often share more than one parent, as topics do.

use rand::{Rng, RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

use llamafur::storage::CsrBuf;

/// The deepest layer below the core.
pub(crate) const LAYERS: usize = 28;

/// The exponent of the weights by which parents are chosen: a share of about x⁻¹·¹ has more than *x*
/// children.
const TAIL: f64 = 1.1;

/// The share of nodes that have children.
const WITH_CHILDREN: f64 = 0.3;

/// A graph of `nodes` nodes and `arcs` arcs, of which `core` nodes make up one strongly connected component.
///
/// The same arguments give the same graph. Ids are shuffled, so they say nothing about a node. There are no
/// loops and no repeated arcs. If the layers have no room for that many arcs, there are fewer.
///
/// # Panics
/// If `core` is less than 3, or more than a tenth of `nodes`, or there are fewer than two arcs for each node.
pub(crate) fn category_graph(nodes: usize, arcs: usize, core: usize, seed: u64) -> CsrBuf<u32> {
    assert!(
        core >= 3 && core <= nodes / 10,
        "the core must have 3 nodes at least and a tenth at most, got {core}"
    );
    assert!(arcs >= 2 * nodes, "there must be two arcs for each node at least, got {arcs}");
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(seed);
    let mut graph = Builder { parents: Vec::with_capacity(nodes) };

    let tops = (nodes / 4000).max(3);
    let apart = nodes * 3 / 1000;
    let top = graph.add_tops(tops, &mut rng);
    let core = graph.add_core(core, &top, &mut rng);
    graph.add_apart(apart, &mut rng);
    graph.add_layers(nodes, arcs, core, &mut rng);
    graph.shuffled(&mut rng)
}

/// The parents of the nodes so far.
struct Builder {
    parents: Vec<Vec<u32>>,
}

impl Builder {
    /// A new node with these parents.
    fn add(&mut self, parents: Vec<u32>) -> u32 {
        self.parents.push(parents);
        self.parents.len() as u32 - 1
    }

    /// Makes `parent` a parent of `node`, unless it is one already or the node itself.
    fn link(&mut self, node: u32, parent: u32) -> bool {
        let parents = &mut self.parents[node as usize];
        let new = node != parent && !parents.contains(&parent);
        if new {
            parents.push(parent);
        }
        new
    }

    /// A tree of top nodes, with one root.
    fn add_tops(&mut self, number: usize, rng: &mut impl Rng) -> Vec<u32> {
        let root = self.add(Vec::new());
        let mut tops = vec![root];
        while tops.len() < number {
            let parent = tops[rng.random_range(0..tops.len().min(20))];
            tops.push(self.add(vec![parent]));
        }
        tops
    }

    /// A ring with chords, each node of which has two to four arcs within; every top node gets children from
    /// it.
    fn add_core(&mut self, number: usize, tops: &[u32], rng: &mut impl Rng) -> Vec<u32> {
        let core: Vec<u32> = (0..number).map(|_| self.add(Vec::new())).collect();
        let popularity = Choice::power_law(core.clone(), rng);
        for (i, &node) in core.iter().enumerate() {
            self.link(node, core[(i + 1) % number]);
            for _ in 0..rng.random_range(1..=3) {
                // Mostly uniform: a core where all go through a few hubs would be too small a world.
                let chord = if rng.random_bool(0.2) {
                    popularity.draw(rng)
                } else {
                    core[rng.random_range(0..number)]
                };
                self.link(node, chord);
            }
        }
        for &top in tops {
            for _ in 0..rng.random_range(1..=5) {
                self.link(core[rng.random_range(0..number)], top);
            }
        }
        core
    }

    /// Nodes on their own and components of two to five nodes, a third of which are cycles.
    fn add_apart(&mut self, number: usize, rng: &mut impl Rng) {
        let end = self.parents.len() + number;
        while self.parents.len() < end {
            let left = end - self.parents.len();
            let first = self.add(Vec::new());
            if rng.random_bool(0.5) {
                continue;
            }
            let mut last = first;
            for _ in 1..rng.random_range(2..=5).min(left) {
                last = self.add(vec![last]);
            }
            if rng.random_bool(1.0 / 3.0) {
                self.link(first, last);
            }
        }
    }

    /// Layers below the core, up to the given numbers of nodes and arcs.
    fn add_layers(&mut self, nodes: usize, arcs: usize, core: Vec<u32>, rng: &mut impl Rng) {
        let below = nodes - self.parents.len();
        let sizes = layer_sizes(below);
        let room: usize = sizes.iter().sum();
        let share = (WITH_CHILDREN * nodes as f64 - core.len() as f64) / room as f64;

        let mut above = core;
        let mut choices: Vec<Choice> = Vec::new();
        let mut members: Vec<(u32, usize)> = Vec::new();
        for (layer, &size) in sizes.iter().enumerate() {
            let choice = Choice::power_law(above, rng);
            let mut here: Vec<u32> = Vec::with_capacity(size);
            for i in 0..size {
                // Each of those above gets a child where there are enough.
                let parent = choice.items.get(i).copied().unwrap_or_else(|| choice.draw(rng));
                here.push(self.add(vec![parent]));
            }
            choices.push(choice);
            members.extend(here.iter().map(|&node| (node, layer)));

            let below = sizes.get(layer + 1).copied().unwrap_or(0);
            let with_children = ((size as f64 * share * 1.02).ceil() as usize).min(below);
            shuffle(&mut here, rng);
            here.truncate(with_children);
            above = here;
        }

        let mut left = arcs.saturating_sub(self.parents.iter().map(Vec::len).sum());
        let mut attempts = 4 * left;
        while left > 0 && attempts > 0 {
            attempts -= 1;
            let (node, layer) = members[rng.random_range(0..members.len())];
            let choice = &choices[layer];
            let parent = if rng.random_bool(0.5) {
                let near = choice.place(self.parents[node as usize][0]);
                choice.items[(near + rng.random_range(0..30)) % choice.items.len()]
            } else {
                choice.draw(rng)
            };
            left -= usize::from(self.link(node, parent));
        }
    }

    /// The graph under ids drawn at random.
    fn shuffled(self, rng: &mut impl Rng) -> CsrBuf<u32> {
        let mut ids: Vec<u32> = (0..self.parents.len() as u32).collect();
        shuffle(&mut ids, rng);
        let mut rows = vec![Vec::new(); ids.len()];
        for (node, parents) in self.parents.into_iter().enumerate() {
            let mut row: Vec<u32> = parents.into_iter().map(|parent| ids[parent as usize]).collect();
            row.sort_unstable();
            rows[ids[node] as usize] = row;
        }
        rows.into_iter().collect()
    }
}

/// How many nodes lie in each layer: a gamma density, with its mean between layers 7 and 8.
fn layer_sizes(nodes: usize) -> Vec<usize> {
    let density: Vec<f64> =
        (1..=LAYERS).map(|layer| (layer as f64).powf(3.5) * (-(layer as f64) / 1.7).exp()).collect();
    let total: f64 = density.iter().sum();
    let mut sizes: Vec<usize> = density.iter().map(|d| (d / total * nodes as f64) as usize).collect();
    sizes[6] += nodes - sizes.iter().sum::<usize>();
    while sizes.last() == Some(&0) {
        sizes.pop();
    }
    sizes
}

/// Nodes to be chosen by weight.
struct Choice {
    items: Vec<u32>,
    /// The sums of the weights of the items up to each.
    sums: Vec<f64>,
    /// The items in ascending order with their places.
    places: Vec<(u32, u32)>,
}

impl Choice {
    /// Weights that follow a power law.
    fn power_law(items: Vec<u32>, rng: &mut impl Rng) -> Self {
        let mut sum = 0.0;
        let sums = items
            .iter()
            .map(|_| {
                let uniform: f64 = 1.0 - rng.random::<f64>();
                sum += uniform.powf(-1.0 / TAIL);
                sum
            })
            .collect();
        let mut places: Vec<(u32, u32)> = items.iter().copied().zip(0..).collect();
        places.sort_unstable();
        Choice { items, sums, places }
    }

    /// An item by weight.
    fn draw(&self, rng: &mut impl Rng) -> u32 {
        let total = self.sums.last().copied().unwrap_or(0.0);
        let point = rng.random::<f64>() * total;
        self.items[self.sums.partition_point(|&sum| sum <= point).min(self.items.len() - 1)]
    }

    /// Where an item stands.
    fn place(&self, item: u32) -> usize {
        let found = self.places.partition_point(|&(other, _)| other < item);
        self.places.get(found).map_or(0, |&(_, place)| place as usize)
    }
}

fn shuffle(items: &mut [u32], rng: &mut impl Rng) {
    for i in (1..items.len()).rev() {
        items.swap(i, rng.random_range(0..=i));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn graph_has_no_loops_and_no_repeats() {
        let graph = category_graph(5000, 12_000, 100, 2);
        for (node, row) in (0..).zip(graph.view().rows()) {
            assert!(row.is_sorted_by(|a, b| a < b) && !row.contains(&node));
        }
    }

    #[test]
    fn seed_decides_the_graph() {
        let graph = |seed| category_graph(2000, 4600, 50, seed);
        assert_eq!(graph(1), graph(1));
        assert_ne!(graph(1), graph(2));
    }
}
