//! Positions of the nodes and labels.
//!
//! The neighbours are on an ellipse around the category, half of them on the right, half on the left, each with its label
//! outside. Labels of one side are stacked: the heights that even angles would give are moved as little as possible (an
//! isotonic regression) until no two labels overlap, and the ellipse grows when they do not fit. Labels of different sides
//! are separated by the vertical axis. So no two labels can overlap, whatever their length.

use super::curve::{Point, Shape};
use super::{CategoryArc, CategoryGraph, Scale, order};
use crate::canvas::{MARGIN, is_narrow};
use crate::labels::spread;
use crate::text::{BOLD, balance, widest};
use crate::theme::{CENTRE, NAME};

/// Largest width of a label, and largest number of its lines.
const LABEL_WIDTH: f64 = 176.0;
const LABEL_LINES: usize = 3;

/// The room between a label and the node or the label beside it.
const LABEL_GAP: f64 = 6.0;

const NODE_RADIUS: f64 = 6.5;

/// The room between a node and the ring of its loop.
pub(super) const LOOP_GAP: f64 = 2.5;

/// Room around the category for arcs that pass it.
const DETOUR: f64 = 44.0;

/// The least width of a figure with names beside the nodes.
const MIN_WIDTH: f64 = 540.0;

/// The share of the ellipse's height that nodes may use: at its very top, left and right would meet.
const USABLE: f64 = 0.985;

/// The lines of a name and their size in pixels.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Label {
    pub(super) lines: Vec<String>,
    pub(super) line_height: f64,
    width: f64,
    pub(super) height: f64,
}

impl Label {
    fn new(name: &str, size: f64, is_bold: bool, room: f64) -> Label {
        let em = if is_bold { size * BOLD } else { size };
        let lines = balance(name, em, room, LABEL_LINES);
        let line_height = (size * 1.25).round();
        let width = widest(lines.iter().map(String::as_str), em);
        Label { width, height: lines.len().max(1) as f64 * line_height, line_height, lines }
    }
}

/// A category with its place in the picture.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Node {
    pub(super) shape: Shape,
    /// The shape with the ring of its loop around it, on which arcs begin and end.
    pub(super) outline: Shape,
    pub(super) label: Label,
    /// The point at which the label is anchored, at half its height.
    pub(super) label_at: Point,
    /// The label's `text-anchor`: `start`, `middle` or `end`.
    pub(super) anchor: &'static str,
}

impl Node {
    /// Returns the left, upper, right and lower bounds of the label.
    fn label_box(&self) -> [f64; 4] {
        let Label { width, height, .. } = self.label;
        let left = self.label_at.x
            - match self.anchor {
                "start" => 0.0,
                "middle" => width / 2.0,
                _ => width,
            };
        [left, self.label_at.y - height / 2.0, left + width, self.label_at.y + height / 2.0]
    }

    fn shift(&mut self, by: Point) {
        self.shape.centre = self.shape.centre + by;
        self.outline.centre = self.outline.centre + by;
        self.label_at = self.label_at + by;
    }
}

/// The nodes of the figure; y begins at zero.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Layout {
    pub(super) width: f64,
    pub(super) height: f64,
    /// The nodes in the order of the names.
    pub(super) nodes: Vec<Node>,
    /// True if labels are numbers, because the figure is too narrow for names.
    pub(super) is_numbered: bool,
}

impl Layout {
    /// Places nodes and labels. A narrow figure has exactly the requested width, a wide one the width it needs.
    pub(super) fn new(n: &CategoryGraph, scale: Scale, wanted: f64) -> Layout {
        let is_numbered = is_narrow(wanted);
        let nodes = place(n, &loop_rings(n, scale), is_numbered.then_some(wanted.max(320.0)));
        let mut bounds = bounds(&nodes[0].outline.grown(if nodes.len() > 2 { DETOUR } else { 0.0 }));
        for node in &nodes {
            let (outline, label) = (self::bounds(&node.outline), node.label_box());
            for side in 0..2 {
                bounds[side] = bounds[side].min(outline[side]).min(label[side]);
                bounds[side + 2] = bounds[side + 2].max(outline[side + 2]).max(label[side + 2]);
            }
        }
        let content = bounds[2] - bounds[0];
        let least = if is_numbered { wanted.max(320.0) } else { MIN_WIDTH };
        let width = (content + 2.0 * MARGIN).max(least).ceil();
        let mut layout = Layout { width, height: bounds[3] - bounds[1], nodes, is_numbered };
        layout.shift(Point::new((width - content) / 2.0 - bounds[0], -bounds[1]));
        layout
    }

    pub(super) fn shift(&mut self, by: Point) {
        self.nodes.iter_mut().for_each(|node| node.shift(by));
    }
}

/// Returns the left, upper, right and lower bounds of a shape.
fn bounds(shape: &Shape) -> [f64; 4] {
    let Shape { centre, half_width, half_height, .. } = *shape;
    [centre.x - half_width, centre.y - half_height, centre.x + half_width, centre.y + half_height]
}

/// Returns the extent of the ring of each node's loop beyond the node; zero without a loop.
fn loop_rings(n: &CategoryGraph, scale: Scale) -> Vec<f64> {
    let mut rings = vec![0.0_f64; n.names.len()];
    for arc in n.sound_arcs().filter(|arc| arc.from == arc.to) {
        rings[arc.from] = rings[arc.from].max(LOOP_GAP + scale.width(CategoryArc::magnitude(arc)));
    }
    rings
}

/// Places all nodes around the category at the origin. With a width, labels are numbers and the ring fits into it.
fn place(n: &CategoryGraph, rings: &[f64], fixed_width: Option<f64>) -> Vec<Node> {
    let is_numbered = fixed_width.is_some();
    let centre_width = if is_numbered { 84.0 } else { 170.0 };
    if n.names.is_empty() {
        return vec![centre_node("", 0, 0.0, centre_width)];
    }
    let centre = centre_node(n.centre(), n.names.len() - 1, rings[0], centre_width);
    let order = order::ring(n);
    let (right, left) = order.split_at(order.len().div_ceil(2));
    let label = |&i: &usize| match is_numbered {
        true => Label::new(&i.to_string(), NAME, false, LABEL_WIDTH),
        false => Label::new(&n.names[i], NAME, false, LABEL_WIDTH),
    };
    let stacks = [
        Stack::new(right.to_vec(), right.iter().map(label).collect(), rings),
        // The ring continues on the left from the bottom to the top; a stack is from the top to the bottom.
        Stack::new(left.iter().rev().copied().collect(), left.iter().rev().map(label).collect(), rings),
    ];
    let even = if is_numbered { 150.0 } else { 190.0 + 5.5 * order.len() as f64 };
    let height =
        stacks.iter().map(Stack::min_radius).fold(even, f64::max).max(centre.outline.half_height + 110.0);
    let width = match fixed_width {
        Some(width) => {
            let labels =
                stacks.iter().flat_map(|stack| &stack.labels).map(|label| label.width).fold(0.0, f64::max);
            let ring = rings[1..].iter().copied().fold(0.0, f64::max);
            width / 2.0 - MARGIN - labels - LABEL_GAP - ring - NODE_RADIUS
        }
        // A tall stack stretches the ring to an ellipse: a circle as high would be mostly empty.
        None => (even + 0.45 * (height - even).max(0.0)).max(centre.outline.half_width + 130.0),
    };
    let mut nodes = vec![centre.clone(); n.names.len()];
    for (stack, (side, anchor)) in stacks.into_iter().zip([(1.0, "start"), (-1.0, "end")]) {
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

/// Places the category in the middle, at the origin.
fn centre_node(name: &str, num_neighbours: usize, ring: f64, room: f64) -> Node {
    let label = Label::new(name, CENTRE, true, room);
    // Its edge must have room for the arrowheads of all neighbours.
    let roomy = 30.0 + 0.8 * num_neighbours.saturating_sub(24).min(60) as f64;
    let half_height = (label.height / 2.0 + 13.0).max(roomy);
    let half_width = (label.width / 2.0 + 18.0).max(half_height);
    let origin = Point::new(0.0, 0.0);
    let shape = Shape { centre: origin, half_width, half_height, corner: half_height.min(roomy) };
    Node { shape, outline: shape.grown(ring), label, label_at: origin, anchor: "middle" }
}

/// The neighbours of one side, from the top to the bottom.
struct Stack {
    members: Vec<usize>,
    labels: Vec<Label>,
    /// The distance of each label's middle below its node.
    offsets: Vec<f64>,
    /// The least distance between the middles of each label and the next.
    steps: Vec<f64>,
}

impl Stack {
    fn new(members: Vec<usize>, labels: Vec<Label>, rings: &[f64]) -> Stack {
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

    /// Returns the least half-height of an ellipse with room for the stack.
    fn min_radius(&self) -> f64 {
        match (self.offsets.first(), self.offsets.last()) {
            (Some(first), Some(last)) => (self.steps.iter().sum::<f64>() + first - last) / (2.0 * USABLE),
            _ => 0.0,
        }
    }

    /// Returns the heights of the nodes along an ellipse with half-height `radius`: those of even angles, moved as
    /// little as the steps demand.
    fn heights(&self, radius: f64) -> Vec<f64> {
        let size = self.labels.len();
        let (Some(first), Some(last)) = (self.offsets.first(), self.offsets.last()) else {
            return Vec::new();
        };
        let wanted: Vec<f64> = (0..size).map(|k| -radius * angle(k, size).cos() + self.offsets[k]).collect();
        let placed = spread(&wanted, &self.steps, -radius * USABLE + first, radius * USABLE + last);
        placed.iter().zip(&self.offsets).map(|(label, offset)| label - offset).collect()
    }
}

/// Returns the angle from the top of the k-th of `size` neighbours of a side.
fn angle(k: usize, size: usize) -> f64 {
    std::f64::consts::PI * (k as f64 + 0.5) / size as f64
}

#[cfg(test)]
mod tests {
    use super::super::Scale;
    use super::super::samples::Lcg;
    use super::Layout;
    use crate::{NARROW, WIDE};

    fn assert_labels_apart(layout: &Layout, what: &str) {
        let boxes: Vec<[f64; 4]> = layout.nodes.iter().map(super::Node::label_box).collect();
        for (i, a) in boxes.iter().enumerate() {
            assert!(
                a[0] >= 0.0 && a[1] >= -1e-9 && a[2] <= layout.width && a[3] <= layout.height + 1e-9,
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
            let n = random.graph(19, 60, 90);
            for width in [WIDE, NARROW] {
                assert_labels_apart(&Layout::new(&n, Scale::of(&n), width), &format!("round {round}"));
            }
        }
    }

    #[test]
    fn every_size_of_ring_has_room() {
        let mut random = Lcg(23);
        for size in 1..=60 {
            let n = random.graph(size, 2 * size, 120);
            assert_labels_apart(&Layout::new(&n, Scale::of(&n), WIDE), &format!("{size} names"));
        }
    }
}
