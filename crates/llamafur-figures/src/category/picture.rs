//! Draws the graph.

use super::curve::{Arrow, Curve, Point, Shape};
use super::layout::{LOOP_GAP, Layout, Node};
use super::{CategoryArc, CategoryGraph, Scale, legend};
use crate::canvas::{Canvas, Drawing, LINE_HEIGHT, MARGIN, num, pair};
use crate::text::wrap;
use crate::theme::NAME;

/// The room between an arc and the edge of the node at its end.
const TOUCH: f64 = 1.0;

/// The room between the heading, the ring and the legend.
const PART_GAP: f64 = 20.0;

impl CategoryGraph {
    /// Draws the category in the middle and its neighbours around it.
    ///
    /// Arcs are as wide as their weight. Those of the category itself have a stronger colour than those between its
    /// neighbours; a loop is a ring around its node. From a width of 520 on, names are beside the nodes and the figure
    /// is as wide as necessary; below, the nodes have numbers and the names are in a list.
    pub fn draw(&self, width: f64) -> Drawing {
        let scale = Scale::of(self);
        let mut layout = Layout::new(self, scale, width);
        let mut canvas = Canvas::sized(layout.width);
        let top = canvas.heading(self.centre(), &self.note()) + PART_GAP;
        layout.shift(Point::new(0.0, top));
        // Many arcs are more transparent than few, so that they do not hide one another.
        let opacity = num((0.74 - self.sound_arcs().count() as f64 / 400.0).clamp(0.34, 0.66));
        self.draw_arcs(&mut canvas, &layout, scale, &opacity);
        for (i, node) in layout.nodes.iter().enumerate() {
            self.draw_node(&mut canvas, i, node);
        }
        let mut bottom = top + layout.height + PART_GAP;
        if layout.is_numbered {
            bottom = self.draw_list(&mut canvas, bottom);
        }
        let bottom = legend::draw(&mut canvas, self, scale, &opacity, bottom);
        canvas.finish(self.centre(), &self.description(), bottom + MARGIN)
    }

    fn note(&self) -> String {
        match self.names.len() {
            0 | 1 => "No neighbours in the category matrix".to_owned(),
            2 => "The closest neighbour in the category matrix; width of an arc = weight".to_owned(),
            size => {
                format!("{} closest neighbours in the category matrix; width of an arc = weight", size - 1)
            }
        }
    }

    fn description(&self) -> String {
        let arcs = self.sound_arcs().count();
        let neighbours = self.names.get(1..).unwrap_or_default().join("; ");
        format!("{}. Closest first: {neighbours}. Number of arcs: {arcs}.", self.note())
    }

    fn draw_node(&self, canvas: &mut Canvas, i: usize, node: &Node) {
        let is_centre = i == 0;
        match is_centre {
            true => canvas.open("node centre", self.centre()),
            false => {
                let tip = format!("{} (neighbour {i} of {})", self.names[i], self.names.len() - 1);
                canvas.open("node", &tip);
            }
        }
        outline(canvas, "dot", &node.shape, None);
        let (label, at) = (&node.label, node.label_at);
        // Not every program knows `dominant-baseline`, so the baseline is computed.
        let first = at.y - label.height / 2.0 + label.line_height * 0.78;
        for (k, line) in label.lines.iter().enumerate() {
            let at = (at.x, first + label.line_height * k as f64);
            match is_centre {
                true => canvas.text("name", node.anchor, at, line),
                false => canvas.halo_text("name", node.anchor, at, line),
            }
        }
        canvas.close();
    }

    /// Draws the names of the neighbours with their numbers; returns the y below them.
    fn draw_list(&self, canvas: &mut Canvas, mut top: f64) -> f64 {
        for (i, name) in self.names.iter().enumerate().skip(1) {
            canvas.text("name", "end", (MARGIN + 22.0, top + 12.0), &i.to_string());
            for line in wrap(name, NAME, canvas.room() - 30.0, 2) {
                canvas.tipped_text("name", "start", (MARGIN + 30.0, top + 12.0), &line, name);
                top += LINE_HEIGHT + 2.0;
            }
        }
        top + 8.0
    }

    /// Draws all arcs: first those between neighbours, and light ones before heavy ones.
    fn draw_arcs(&self, canvas: &mut Canvas, layout: &Layout, scale: Scale, opacity: &str) {
        let mut sorted: Vec<&CategoryArc> = self.sound_arcs().collect();
        sorted.sort_by(|a, b| a.is_own().cmp(&b.is_own()).then(a.magnitude().total_cmp(&b.magnitude())));
        for arc in sorted {
            let class = match (arc.is_own(), arc.from == arc.to) {
                (true, _) => "arc own".to_owned(),
                (false, false) => format!("arc among\" opacity=\"{opacity}"),
                (false, true) => "arc among loop\" opacity=\"0.75".to_owned(),
            };
            canvas.open(&class, &self.tooltip(arc));
            let width = scale.width(arc.magnitude());
            if arc.from == arc.to {
                let ring = layout.nodes[arc.from].shape.grown(LOOP_GAP + width / 2.0);
                outline(canvas, "shaft", &ring, Some(width));
            } else {
                let Arrow { shaft, head } = route(self, layout, arc, width);
                let [start, control, end] = [shaft.start, shaft.control, shaft.end].map(|p| pair(p.into()));
                let numbers = [("stroke-width", width)];
                canvas.path("shaft", &format!("M{start}Q{control} {end}"), &numbers, "");
                canvas.area("head", &head.map(Into::into), "");
            }
            canvas.close();
        }
    }
}

/// Draws the edge of a shape, with a stroke of this width, or the filled shape.
pub(super) fn outline(canvas: &mut Canvas, class: &str, shape: &Shape, stroke: Option<f64>) {
    let Shape { centre: Point { x, y }, half_width, half_height, corner } = *shape;
    let mut numbers = match half_width == corner && half_height == corner {
        true => vec![("cx", x), ("cy", y), ("r", corner)],
        false => {
            let size = [("width", 2.0 * half_width), ("height", 2.0 * half_height), ("rx", corner)];
            [[("x", x - half_width), ("y", y - half_height)].as_slice(), &size].concat()
        }
    };
    let tag = if numbers.len() == 3 { "circle" } else { "rect" };
    numbers.extend(stroke.map(|width| ("stroke-width", width)));
    canvas.element(&format!("{tag} class=\"{class}\""), &numbers, "");
}

/// Routes the curve of an arc between two nodes.
fn route(n: &CategoryGraph, layout: &Layout, arc: &CategoryArc, width: f64) -> Arrow {
    let (source, target) = (layout.nodes[arc.from].outline, layout.nodes[arc.to].outline);
    let mutual = n.sound_arcs().any(|other| (other.from, other.to) == (arc.to, arc.from));
    let right = (target.centre - source.centre).unit().right();
    // Two opposite arcs are separate: each is a little to the right of the middle.
    let aside = right * if mutual { 3.2 } else { 0.0 };
    let start = aim(&source, target.centre) + aside;
    let end = aim(&target, source.centre) + aside;
    let length = (end - start).length();
    let middle = (start + end) * 0.5;
    let bend = if mutual { 5.0 + 0.06 * length } else { 0.06 * length };
    let curve = if arc.is_own() {
        Curve { start, control: middle + right * bend, end }
    } else {
        let centre = &layout.nodes[0].outline;
        let margin = if arc.from < arc.to { 10.0 } else { 18.0 };
        bundle(start, end, middle + right * bend.min(14.0), centre, margin)
    };
    curve.arrow(&source.grown(TOUCH), &target.grown(TOUCH), width)
}

/// Returns the point inside a shape at which an arc from or to `other` aims: the centre of a disc, but spread along a
/// wide shape, so that not all arcs meet at its nearest point.
fn aim(shape: &Shape, other: Point) -> Point {
    let way = (other - shape.centre).unit();
    shape.centre
        + Point::new(way.x * (shape.half_width - shape.corner), way.y * (shape.half_height - shape.corner))
}

/// Bends a curve between neighbours towards the middle of the ring but around the category there.
fn bundle(start: Point, end: Point, control: Point, centre: &Shape, margin: f64) -> Curve {
    let middle = (start + end) * 0.5;
    let mut outwards = (end - start).unit().right();
    if (middle - centre.centre).dot(outwards) < 0.0 {
        outwards = outwards * -1.0;
    }
    let away = (middle - centre.centre).dot(outwards);
    let pulled = away - (0.2 * (end - start).length()).min(0.4 * away);
    let reach = centre.reach(outwards) + margin;
    // A soft maximum: far arcs stay where the pull put them, near ones fan out around the category.
    let apex = (pulled.powi(4) + reach.powi(4)).sqrt().sqrt();
    let mut curve = Curve { start, control: control + outwards * (2.0 * (apex - away)), end };
    for _ in 0..40 {
        if curve.clearance(centre) >= margin {
            break;
        }
        curve.control = curve.control + outwards * 6.0;
    }
    curve
}

#[cfg(test)]
mod tests {
    use super::super::samples::{Lcg, assert_well_formed};
    use super::super::{CategoryArc, CategoryGraph, Scale};
    use super::{Curve, Layout, Point, route};
    use crate::{NARROW, WIDE};

    fn svg(n: &CategoryGraph) -> String {
        n.draw(WIDE).svg()
    }

    fn planets(arcs: &[(usize, usize, f64)]) -> CategoryGraph {
        let names = ["Planets", "Moons", "Dwarf planets"].map(str::to_owned).to_vec();
        let arcs = arcs.iter().map(|&(from, to, weight)| CategoryArc { from, to, weight }).collect();
        CategoryGraph { names, arcs }
    }

    fn lay(n: &CategoryGraph) -> Layout {
        Layout::new(n, Scale::of(n), WIDE)
    }

    /// Returns the values of an attribute, in the order of the file.
    fn values<'a>(file: &'a str, attribute: &str) -> Vec<&'a str> {
        let opening = format!(" {attribute}=\"");
        file.match_indices(&opening)
            .map(|(at, _)| file[at + opening.len()..].split('"').next().unwrap_or_default())
            .collect()
    }

    fn numbers(text: &str) -> Vec<f64> {
        text.split(|c: char| !matches!(c, '0'..='9' | '.' | '-'))
            .filter_map(|part| part.parse().ok())
            .collect()
    }

    fn assert_within_view(file: &str) {
        let view = numbers(values(file, "viewBox")[0]);
        let mut xs: Vec<f64> = ["x", "cx"].iter().flat_map(|a| values(file, a)).flat_map(numbers).collect();
        let mut ys: Vec<f64> = ["y", "cy"].iter().flat_map(|a| values(file, a)).flat_map(numbers).collect();
        for path in values(file, "d").into_iter().filter(|path| !path.contains('h')) {
            let points: Vec<Point> =
                numbers(path).chunks(2).map(|pair| Point::new(pair[0], pair[1])).collect();
            let drawn = match points[..] {
                // The control point may be outside; what is drawn may not.
                [start, control, end] => {
                    let curve = Curve { start, control, end };
                    (0..=50).map(|k| curve.at(f64::from(k) / 50.0)).collect()
                }
                _ => points,
            };
            xs.extend(drawn.iter().map(|p| p.x));
            ys.extend(drawn.iter().map(|p| p.y));
        }
        assert!(xs.iter().all(|&x| 0.0 <= x && x <= view[2]), "{xs:?}");
        assert!(ys.iter().all(|&y| 0.0 <= y && y <= view[3]), "{ys:?}");
    }

    #[test]
    fn every_size_is_well_formed_and_within_its_view() {
        let mut random = Lcg(29);
        for (size, arcs) in
            [(1, 0), (1, 1), (2, 0), (2, 4), (3, 5), (19, 20), (19, 120), (19, 361), (60, 240)]
        {
            let graph = random.graph(size, arcs, 90);
            for width in [WIDE, NARROW] {
                let file = graph.draw(width).svg();
                assert_well_formed(&file);
                assert_within_view(&file);
                assert_eq!(file.matches("class=\"node").count(), size);
            }
        }
        assert_well_formed(&svg(&CategoryGraph::default()));
    }

    #[test]
    fn every_arc_appears_once() {
        let mut random = Lcg(31);
        let mut n = random.graph(19, 120, 30);
        n.names = (0..19).map(|i| format!("Category {i}")).collect();
        n.arcs.push(CategoryArc { from: 3, to: 19, weight: 5.0 });
        let file = svg(&n);
        assert_eq!(file.matches("class=\"arc ").count(), 120);
        for arc in &n.arcs[..120] {
            let title =
                format!("<title>Category {} → Category {}: {:.2}</title>", arc.from, arc.to, arc.weight);
            assert_eq!(file.matches(&title).count(), 1, "{title}");
        }
    }

    #[test]
    fn names_are_escaped() {
        let mut n = planets(&[(0, 1, 2.0)]);
        n.names[1] = "<b>\"R&B\"</b>".into();
        let file = svg(&n);
        assert_well_formed(&file);
        assert!(file.contains(">&lt;b&gt;&quot;R&amp;B&quot;&lt;/b&gt;</text>"));
    }

    #[test]
    fn drawn_widths_are_monotone_in_the_weight() {
        let file = svg(&Lcg(37).graph(19, 90, 12));
        let mut drawn: Vec<(f64, f64)> = file
            .split("<g ")
            .filter(|group| group.starts_with("class=\"arc "))
            .map(|line| {
                let title = line.split("</title>").next().unwrap_or_default();
                (
                    numbers(title).last().copied().expect("a weight"),
                    numbers(values(line, "stroke-width")[0])[0],
                )
            })
            .collect();
        assert_eq!(drawn.len(), 90);
        drawn.sort_by(|a, b| a.0.total_cmp(&b.0));
        assert!(drawn.windows(2).all(|pair| pair[0].1 <= pair[1].1));
    }

    #[test]
    fn opposite_arcs_are_two_curves() {
        let n = planets(&[(0, 1, 2.0), (1, 0, 2.0), (1, 2, 2.0), (2, 1, 2.0)]);
        let layout = lay(&n);
        for pair in n.arcs.chunks(2) {
            let [there, back] = [0, 1].map(|k| route(&n, &layout, &pair[k], 3.0).shaft.at(0.5));
            assert!((there - back).length() > 6.0, "{there:?} {back:?}");
        }
    }

    #[test]
    fn arcs_touch_the_edges_of_their_nodes_and_pass_around_the_centre() {
        let mut random = Lcg(41);
        for size in [3, 7, 19, 60] {
            let n = random.graph(size, 4 * size, 70);
            let layout = lay(&n);
            for arc in n.arcs.iter().filter(|arc| arc.from != arc.to) {
                let arrow = route(&n, &layout, arc, 2.0);
                let apart = |i: usize, p| layout.nodes[i].outline.distance(p);
                assert!((apart(arc.to, arrow.head[0]) - super::TOUCH).abs() < 0.01);
                assert!((apart(arc.from, arrow.shaft.start) - super::TOUCH).abs() < 0.01);
                if !arc.is_own() {
                    assert!(arrow.shaft.clearance(&layout.nodes[0].outline) > 5.0);
                }
            }
        }
    }

    #[test]
    fn loops_are_rings() {
        let file = svg(&planets(&[(0, 0, 2.0), (1, 1, 3.0)]));
        for (arc, ring) in [
            ("own\"><title>Planets → Planets: 2", "<rect"),
            ("loop\" opacity=\"0.75\"><title>Moons → Moons: 3", "<circle"),
        ] {
            let group = file.split(arc).nth(1).unwrap_or_default();
            assert!(group.starts_with(&format!(".00</title>\n{ring} class=\"shaft\"")), "{group}");
        }
    }

    #[test]
    fn on_a_phone_nodes_have_numbers_and_names_are_in_a_list() {
        let file = planets(&[(0, 1, 2.0)]).draw(NARROW).svg();
        assert!(
            file.contains(" width=\"360\"")
                && file.contains(">2</text>")
                && file.contains(">Dwarf planets</text>")
        );
    }

    #[test]
    fn the_same_graph_gives_the_same_bytes() {
        let n = Lcg(43).graph(19, 120, 50);
        assert_eq!(svg(&n), svg(&n.clone()));
        assert!(!svg(&n).contains("NaN") && !svg(&n).contains("\"-0\""));
    }
}
