//! Where the nodes and labels of the picture stand.
//!
//! The neighbours stand on an ellipse around the category, half of them to the right, half to the left, each
//! with its label outside. Labels of one side are stacked: the heights that even angles would give are moved
//! as little as possible (an isotonic regression) until no two labels share a line, and the ellipse grows
//! when they do not fit. Labels of different sides are kept apart by the vertical axis. So no two labels can
//! overlap, whatever their length.

use super::curve::{Point, Shape};
use super::text::{Block, Face};
use super::{Arc, Neighbourhood, Scale, order};

/// Sizes of letters, in pixels.
pub(super) const LABEL_SIZE: f64 = 13.0;
pub(super) const CENTRE_SIZE: f64 = 15.0;
pub(super) const TITLE_SIZE: f64 = 22.0;
pub(super) const NOTE_SIZE: f64 = 13.0;

/// Room around the picture, and between its parts.
pub(super) const MARGIN: f64 = 28.0;
const PART_GAP: f64 = 26.0;

/// A label is not wider than this, nor does it have more lines.
const LABEL_WIDTH: f64 = 176.0;
const LABEL_LINES: usize = 3;

/// Between a label and the node or the label beside it.
const LABEL_GAP: f64 = 6.0;

const NODE_RADIUS: f64 = 6.5;

/// Between a node and the ring that stands for its loop.
pub(super) const LOOP_GAP: f64 = 2.5;

/// Room around the category for arcs that pass it, when there are too few neighbours above and below to keep
/// it.
const DETOUR: f64 = 44.0;

/// A narrower picture would break the line below the title.
const MIN_WIDTH: f64 = 540.0;

/// The share of the ellipse's height that nodes may use: at its very top, left and right would meet.
const USABLE: f64 = 0.985;

/// Where a label's lines are aligned.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Anchor {
    Start,
    Middle,
    End,
}

/// A category with its place in the picture.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Node {
    pub shape: Shape,
    /// The shape with the ring of its loop around it: where arcs begin and end.
    pub outline: Shape,
    pub label: Block,
    /// The point at which the label is anchored, at half its height.
    pub label_at: Point,
    pub anchor: Anchor,
}

impl Node {
    /// The left, upper, right and lower bounds of the label.
    pub fn label_box(&self) -> [f64; 4] {
        let Block { width, height, .. } = self.label;
        let left = match self.anchor {
            Anchor::Start => self.label_at.x,
            Anchor::Middle => self.label_at.x - width / 2.0,
            Anchor::End => self.label_at.x - width,
        };
        [left, self.label_at.y - height / 2.0, left + width, self.label_at.y + height / 2.0]
    }

    fn shift(&mut self, by: Point) {
        self.shape.centre = self.shape.centre + by;
        self.outline.centre = self.outline.centre + by;
        self.label_at = self.label_at + by;
    }
}

/// The whole picture, from the upper left corner at zero.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Layout {
    pub width: f64,
    /// Where the legend begins.
    pub bottom: f64,
    pub title: Block,
    pub note: Block,
    /// One for each name, in the same order.
    pub nodes: Vec<Node>,
}

/// Places the nodes, the labels and the title; `note` is the line below the title.
pub(super) fn layout(n: &Neighbourhood, scale: Scale, note: &str) -> Layout {
    let rings = loop_rings(n, scale);
    let mut nodes = place(n, &rings);
    let mut bounds = bounds(&nodes[0].outline.grown(if nodes.len() > 2 { DETOUR } else { 0.0 }));
    for node in &nodes {
        let (outline, label) = (self::bounds(&node.outline), node.label_box());
        for side in 0..2 {
            bounds[side] = bounds[side].min(outline[side]).min(label[side]);
            bounds[side + 2] = bounds[side + 2].max(outline[side + 2]).max(label[side + 2]);
        }
    }
    let content = bounds[2] - bounds[0];
    let width = (content + 2.0 * MARGIN).max(MIN_WIDTH).ceil();
    let title = Block::set(n.centre(), TITLE_SIZE, Face::Bold, width - 2.0 * MARGIN, 2);
    let note = Block::set(note, NOTE_SIZE, Face::Regular, width - 2.0 * MARGIN, 3);
    let top = MARGIN + title.height + note.height + PART_GAP;
    let shift = Point::new((width - content) / 2.0 - bounds[0], top - bounds[1]);
    nodes.iter_mut().for_each(|node| node.shift(shift));
    Layout { width, bottom: (bounds[3] + shift.y + PART_GAP).ceil(), title, note, nodes }
}

/// The left, upper, right and lower bounds of a shape.
fn bounds(shape: &Shape) -> [f64; 4] {
    let Shape { centre, half_width, half_height, .. } = *shape;
    [centre.x - half_width, centre.y - half_height, centre.x + half_width, centre.y + half_height]
}

/// For each node, how far the ring of its loop reaches beyond it; zero without a loop.
fn loop_rings(n: &Neighbourhood, scale: Scale) -> Vec<f64> {
    let mut rings = vec![0.0_f64; n.names.len()];
    for arc in n.sound_arcs().filter(|arc| arc.from == arc.to) {
        rings[arc.from] = rings[arc.from].max(LOOP_GAP + scale.width(Arc::magnitude(arc)));
    }
    rings
}

/// Places all nodes around the origin, where the category stands.
fn place(n: &Neighbourhood, rings: &[f64]) -> Vec<Node> {
    if n.names.is_empty() {
        // Nothing to name: a small nameless node keeps the rest of the picture as usual.
        return vec![centre_node("", 0, 0.0)];
    }
    let centre = centre_node(n.centre(), n.names.len() - 1, rings[0]);
    let order = order::ring(n);
    let (right, left) = order.split_at(order.len().div_ceil(2));
    let label = |&i: &usize| Block::set(&n.names[i], LABEL_SIZE, Face::Regular, LABEL_WIDTH, LABEL_LINES);
    let stacks = [
        Stack::new(right.to_vec(), right.iter().map(label).collect(), rings),
        // The ring goes on from the bottom to the top on the left; a stack goes from the top to the bottom.
        Stack::new(left.iter().rev().copied().collect(), left.iter().rev().map(label).collect(), rings),
    ];
    let even = 190.0 + 5.5 * order.len() as f64;
    let height =
        stacks.iter().map(Stack::min_radius).fold(even, f64::max).max(centre.outline.half_height + 110.0);
    // A tall stack stretches the ring to an ellipse: a circle as high would be mostly empty.
    let width = (even + 0.45 * (height - even).max(0.0)).max(centre.outline.half_width + 130.0);
    let mut nodes = vec![centre.clone(); n.names.len()];
    for (stack, (side, anchor)) in stacks.into_iter().zip([(1.0, Anchor::Start), (-1.0, Anchor::End)]) {
        let heights = stack.heights(height);
        for (((i, label), offset), y) in
            stack.members.into_iter().zip(stack.labels).zip(stack.offsets).zip(heights)
        {
            let x = side * width * (1.0 - (y / height).powi(2)).max(0.0).sqrt();
            let shape = Shape::disc(Point::new(x, y), NODE_RADIUS);
            let outline = shape.grown(rings[i]);
            let label_at = Point::new(x + side * (outline.half_width + LABEL_GAP), y + offset);
            nodes[i] = Node { shape, outline, label, label_at, anchor };
        }
    }
    nodes
}

/// The category in the middle, at the origin.
fn centre_node(name: &str, num_neighbours: usize, ring: f64) -> Node {
    let label = Block::set(name, CENTRE_SIZE, Face::Bold, 170.0, 3);
    // Its edge must have room for the arrowheads of all neighbours.
    let roomy = 30.0 + 0.8 * num_neighbours.saturating_sub(24).min(60) as f64;
    let half_height = (label.height / 2.0 + 13.0).max(roomy);
    let half_width = (label.width / 2.0 + 18.0).max(half_height);
    let origin = Point::new(0.0, 0.0);
    let shape = Shape { centre: origin, half_width, half_height, corner: half_height.min(roomy) };
    Node { shape, outline: shape.grown(ring), label, label_at: origin, anchor: Anchor::Middle }
}

/// The neighbours of one side, from the top to the bottom.
struct Stack {
    members: Vec<usize>,
    labels: Vec<Block>,
    /// How far below its node the middle of each label is.
    offsets: Vec<f64>,
    /// The least distance between the middles of each label and the next.
    steps: Vec<f64>,
}

impl Stack {
    fn new(members: Vec<usize>, labels: Vec<Block>, rings: &[f64]) -> Stack {
        let radii: Vec<f64> = members.iter().map(|&i| NODE_RADIUS + rings[i]).collect();
        let size = labels.len();
        // Near the top and the bottom labels move away from the ring, whose arcs would else run through them.
        let offsets: Vec<f64> =
            (0..size).map(|k| -(labels[k].height / 2.0 + 1.0) * angle(k, size).cos().powi(3)).collect();
        let steps = (1..size)
            .map(|k| {
                let (upper, lower) = (labels[k - 1].height / 2.0, labels[k].height / 2.0);
                let labels_apart = upper + lower + LABEL_GAP;
                let nodes_apart = radii[k - 1] + radii[k] + offsets[k] - offsets[k - 1];
                let upper_label_apart = upper + radii[k] + offsets[k];
                let lower_label_apart = lower + radii[k - 1] - offsets[k - 1];
                labels_apart.max(nodes_apart + LABEL_GAP).max(upper_label_apart).max(lower_label_apart)
            })
            .collect();
        Stack { members, labels, offsets, steps }
    }

    /// The half-height an ellipse must have for the stack to stand along it.
    fn min_radius(&self) -> f64 {
        match (self.offsets.first(), self.offsets.last()) {
            (Some(first), Some(last)) => (self.steps.iter().sum::<f64>() + first - last) / (2.0 * USABLE),
            _ => 0.0,
        }
    }

    /// The heights of the nodes along an ellipse with half-height `radius`: as even angles give them, moved
    /// as little as the steps demand.
    fn heights(&self, radius: f64) -> Vec<f64> {
        let size = self.labels.len();
        let (Some(first), Some(last)) = (self.offsets.first(), self.offsets.last()) else {
            return Vec::new();
        };
        // Without the least distances, what remains must only ascend.
        let mut below = 0.0;
        let mut taken = vec![0.0];
        for step in &self.steps {
            below += step;
            taken.push(below);
        }
        let wanted: Vec<f64> =
            (0..size).map(|k| -radius * angle(k, size).cos() + self.offsets[k] - taken[k]).collect();
        let (low, high) = (-radius * USABLE + first, radius * USABLE + last - below);
        let fitted = ascending(&wanted);
        // `high` is the smaller one only by rounding, when the stack just fits.
        (0..size).map(|k| fitted[k].min(high).max(low) + taken[k] - self.offsets[k]).collect()
    }
}

/// The angle from the top of the k-th of `size` neighbours of a side.
fn angle(k: usize, size: usize) -> f64 {
    std::f64::consts::PI * (k as f64 + 0.5) / size as f64
}

/// The ascending sequence nearest to `values` in least squares, by pooling adjacent violators.
fn ascending(values: &[f64]) -> Vec<f64> {
    let mut pools: Vec<(f64, usize)> = Vec::new();
    for &value in values {
        let mut pool = (value, 1);
        while let Some(&(mean, size)) = pools.last().filter(|&&(mean, _)| mean > pool.0) {
            pools.pop();
            pool = ((mean * size as f64 + pool.0 * pool.1 as f64) / (size + pool.1) as f64, size + pool.1);
        }
        pools.push(pool);
    }
    pools.into_iter().flat_map(|(mean, size)| std::iter::repeat_n(mean, size)).collect()
}

#[cfg(test)]
mod tests {
    use super::super::Scale;
    use super::super::samples::Lcg;
    use super::{Layout, ascending, layout};

    fn assert_labels_apart(layout: &Layout, what: &str) {
        let boxes: Vec<[f64; 4]> = layout.nodes.iter().map(super::Node::label_box).collect();
        for (i, a) in boxes.iter().enumerate() {
            assert!(
                a[0] >= 0.0 && a[1] >= 0.0 && a[2] <= layout.width && a[3] <= layout.bottom,
                "{what}: {a:?}"
            );
            for b in &boxes[..i] {
                let apart = a[2] <= b[0] || b[2] <= a[0] || a[3] <= b[1] || b[3] <= a[1];
                assert!(apart, "{what}: {a:?} overlaps {b:?}");
            }
            for (j, node) in layout.nodes.iter().enumerate().filter(|&(j, _)| j != i && j != 0) {
                let o = &node.outline;
                let apart = a[2] <= o.centre.x - o.half_width
                    || o.centre.x + o.half_width <= a[0]
                    || a[3] <= o.centre.y - o.half_height
                    || o.centre.y + o.half_height <= a[1];
                assert!(apart, "{what}: the label of {i} covers node {j}");
            }
        }
    }

    #[test]
    fn labels_never_overlap_nor_leave_the_picture() {
        let mut random = Lcg(17);
        for round in 0..300 {
            let n = random.neighbourhood(19, 60, 90);
            assert_labels_apart(&layout(&n, Scale::of(&n), "note"), &format!("round {round}"));
        }
    }

    #[test]
    fn every_size_of_ring_has_room() {
        let mut random = Lcg(23);
        for size in 1..=60 {
            let n = random.neighbourhood(size, 2 * size, 120);
            assert_labels_apart(&layout(&n, Scale::of(&n), "note"), &format!("{size} names"));
        }
    }

    #[test]
    fn ascending_pools_what_descends() {
        assert_eq!(ascending(&[1.0, 4.0, 2.0, 3.0, 9.0]), [1.0, 3.0, 3.0, 3.0, 9.0]);
        assert!(ascending(&[]).is_empty());
    }
}
