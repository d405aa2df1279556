//! The picture as a self-contained SVG file.

use super::curve::{Arrow, Curve, Point, Shape};
use super::layout::{self, Anchor, LOOP_GAP, Layout, MARGIN, Node};
use super::text::{Block, xml};
use super::{Arc, Neighbourhood, Scale, legend};

/// The sizes of letters are those of the layout. Colours come twice: a plain one for programs without CSS
/// variables, then the variable, which follows the reader's preference for light or dark.
const STYLE: &str = r"
.neighbourhood {
  --paper: #ffffff; --ink: #1c2128; --soft: #5c6673; --dot: #334155;
  --strong: #c2410c; --on-strong: #ffffff; --faint: #64748b;
  font-family: system-ui, -apple-system, 'Segoe UI', Roboto, 'Helvetica Neue', 'Noto Sans', Arial, sans-serif;
}
@media (prefers-color-scheme: dark) {
  .neighbourhood {
    --paper: #14181f; --ink: #e8ecf1; --soft: #9aa5b4; --dot: #c3cedd;
    --strong: #fb8a4c; --on-strong: #1a1009; --faint: #8ea2bd;
  }
}
.neighbourhood .paper { fill: #ffffff; fill: var(--paper); }
.neighbourhood .title { font-size: 22px; font-weight: 700; fill: #1c2128; fill: var(--ink); }
.neighbourhood .note { font-size: 13px; fill: #5c6673; fill: var(--soft); }
.neighbourhood .name {
  font-size: 13px; fill: #1c2128; fill: var(--ink);
  stroke: #ffffff; stroke: var(--paper); stroke-width: 3px; stroke-linejoin: round; paint-order: stroke;
}
.neighbourhood .centre .name {
  font-size: 15px; font-weight: 600; fill: #ffffff; fill: var(--on-strong); stroke: none;
}
.neighbourhood .dot { fill: #334155; fill: var(--dot); }
.neighbourhood .centre .dot { fill: #c2410c; fill: var(--strong); }
.neighbourhood .line { fill: none; }
.neighbourhood .own .line { stroke: #c2410c; stroke: var(--strong); }
.neighbourhood .own .head { fill: #c2410c; fill: var(--strong); }
.neighbourhood .among .line { stroke: #64748b; stroke: var(--faint); }
.neighbourhood .among .head { fill: #64748b; fill: var(--faint); }
.neighbourhood .among { opacity: OPACITY; }
.neighbourhood .loop { opacity: 0.75; }
.neighbourhood .arc:hover { opacity: 1; }
";

/// Between an arc and the edge of the node it leaves or reaches.
const TOUCH: f64 = 1.0;

/// Draws the neighbourhood as a standalone SVG file: the category in the middle, its neighbours around it.
///
/// Arcs are as wide as their weight, those of the category itself in a stronger colour than those among its
/// neighbours; a loop is a ring around its node. The file follows the reader's preference for light or dark,
/// and needs no font or script from elsewhere.
pub fn svg(n: &Neighbourhood) -> String {
    let scale = Scale::of(n);
    let layout = layout::layout(n, scale, &note(n));
    let mut body = String::new();
    body.push_str(&heading(&layout));
    body.push_str(&arcs(n, &layout, scale));
    for (i, node) in layout.nodes.iter().enumerate() {
        body.push_str(&draw_node(n, i, node));
    }
    let (legend, bottom) = legend::legend(n, scale, &layout);
    body.push_str(&legend);
    let size = (num(layout.width), num((bottom + MARGIN).ceil()));
    let mut file = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"neighbourhood\" role=\"img\" width=\"{0}\" height=\"{1}\" \
         viewBox=\"0 0 {0} {1}\">\n",
        size.0, size.1
    );
    file.push_str(&format!("<title>{}</title>\n<desc>{}</desc>\n", xml(n.centre()), xml(&description(n))));
    // Many arcs must be paler than few, or they would hide one another.
    let opacity = (0.74 - n.sound_arcs().count() as f64 / 400.0).clamp(0.34, 0.66);
    file.push_str(&format!("<style>{}</style>\n", STYLE.replace("OPACITY", &num(opacity))));
    file.push_str(&format!("<rect class=\"paper\" width=\"{}\" height=\"{}\"/>\n", size.0, size.1));
    file.push_str(&body);
    file.push_str("</svg>\n");
    file
}

fn note(n: &Neighbourhood) -> String {
    match n.names.len() {
        0 | 1 => "No neighbours in the category matrix".to_owned(),
        2 => "The closest neighbour in the category matrix; width of an arc = weight".to_owned(),
        size => format!("{} closest neighbours in the category matrix; width of an arc = weight", size - 1),
    }
}

/// What the picture shows, for those who cannot see it.
fn description(n: &Neighbourhood) -> String {
    let arcs = n.sound_arcs().count();
    let neighbours = n.names.get(1..).unwrap_or_default().join("; ");
    format!("{}. Closest first: {neighbours}. Number of arcs: {arcs}.", note(n))
}

/// A number with two decimals, and no negative zero.
pub(super) fn num(x: f64) -> String {
    let text = format!("{x:.2}");
    if text == "-0.00" { "0.00".to_owned() } else { text }
}

/// The two coordinates as paths have them.
pub(super) fn point(p: Point) -> String {
    format!("{} {}", num(p.x), num(p.y))
}

fn heading(layout: &Layout) -> String {
    let title = Point::new(MARGIN, MARGIN + layout.title.height / 2.0);
    let note = Point::new(MARGIN, MARGIN + layout.title.height + 4.0 + layout.note.height / 2.0);
    lines("title", &layout.title, title, Anchor::Start) + &lines("note", &layout.note, note, Anchor::Start)
}

/// A text with each line in a tspan, the middle of its height at `at`.
pub(super) fn lines(class: &str, block: &Block, at: Point, anchor: Anchor) -> String {
    let anchor = match anchor {
        Anchor::Start => "start",
        Anchor::Middle => "middle",
        Anchor::End => "end",
    };
    // The baseline is written out: not every program knows `dominant-baseline`. Letters are about as high
    // above it as the rest of the line, so that their middle is a third of an em up.
    let baseline = at.y - block.height / 2.0 + block.line_height * 0.78;
    let mut text = format!("<text class=\"{class}\" text-anchor=\"{anchor}\">");
    for (k, line) in block.lines.iter().enumerate() {
        let y = num(baseline + block.line_height * k as f64);
        text.push_str(&format!("<tspan x=\"{}\" y=\"{y}\">{}</tspan>", num(at.x), xml(line)));
    }
    text.push_str("</text>\n");
    text
}

fn draw_node(n: &Neighbourhood, i: usize, node: &Node) -> String {
    let (class, title) = match i {
        0 => ("node centre", n.centre().to_owned()),
        _ => ("node", format!("{} (neighbour {i} of {})", n.names[i], n.names.len() - 1)),
    };
    let name = lines("name", &node.label, node.label_at, node.anchor);
    format!(
        "<g class=\"{class}\"><title>{}</title>{}\n{name}</g>\n",
        xml(&title),
        outline("dot", &node.shape, "")
    )
}

/// A shape's edge as an SVG element; `more` are further attributes.
pub(super) fn outline(class: &str, shape: &Shape, more: &str) -> String {
    let Shape { centre, half_width, half_height, corner } = *shape;
    if half_width == corner && half_height == corner {
        let (x, y, r) = (num(centre.x), num(centre.y), num(corner));
        return format!("<circle class=\"{class}\" cx=\"{x}\" cy=\"{y}\" r=\"{r}\"{more}/>");
    }
    format!(
        "<rect class=\"{class}\" x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" rx=\"{}\"{more}/>",
        num(centre.x - half_width),
        num(centre.y - half_height),
        num(2.0 * half_width),
        num(2.0 * half_height),
        num(corner)
    )
}

/// All arcs: those among the neighbours below, the heavier above the lighter.
fn arcs(n: &Neighbourhood, layout: &Layout, scale: Scale) -> String {
    let mut sorted: Vec<&Arc> = n.sound_arcs().collect();
    sorted.sort_by(|a, b| is_own(a).cmp(&is_own(b)).then(a.magnitude().total_cmp(&b.magnitude())));
    sorted.into_iter().map(|arc| draw_arc(n, layout, scale, arc)).collect()
}

/// Whether the arc begins or ends at the category in the middle.
pub(super) fn is_own(arc: &Arc) -> bool {
    arc.from == 0 || arc.to == 0
}

fn draw_arc(n: &Neighbourhood, layout: &Layout, scale: Scale, arc: &Arc) -> String {
    let class = match (is_own(arc), arc.from == arc.to) {
        (true, _) => "own",
        (false, false) => "among",
        (false, true) => "among loop",
    };
    let width = scale.width(arc.magnitude());
    let stroke = format!(" stroke-width=\"{}\"", num(width));
    let strokes = if arc.from == arc.to {
        outline("line", &layout.nodes[arc.from].shape.grown(LOOP_GAP + width / 2.0), &stroke)
    } else {
        let arrow = route(n, layout, arc, width);
        let Curve { start, control, end } = arrow.shaft;
        let [tip, barb, notch, other] = arrow.head.map(point);
        format!(
            "<path class=\"line\" d=\"M{} Q{} {}\"{stroke}/><path class=\"head\" d=\"M{tip} L{barb} L{notch} L{other} Z\"/>",
            point(start),
            point(control),
            point(end)
        )
    };
    format!("<g class=\"arc {class}\"><title>{}</title>{strokes}</g>\n", xml(&n.tooltip(arc)))
}

/// The curve of an arc between two nodes.
fn route(n: &Neighbourhood, layout: &Layout, arc: &Arc, width: f64) -> Arrow {
    let (source, target) = (layout.nodes[arc.from].outline, layout.nodes[arc.to].outline);
    let mutual = n.sound_arcs().any(|other| (other.from, other.to) == (arc.to, arc.from));
    let right = (target.centre - source.centre).unit().right();
    // Each of two opposite arcs keeps to its right, and begins and ends a little to the right of the middle.
    let aside = right * if mutual { 3.2 } else { 0.0 };
    let start = aim(&source, target.centre) + aside;
    let end = aim(&target, source.centre) + aside;
    let length = (end - start).length();
    let middle = (start + end) * 0.5;
    let bend = if mutual { 5.0 + 0.06 * length } else { 0.06 * length };
    let curve = if is_own(arc) {
        Curve { start, control: middle + right * bend, end }
    } else {
        let centre = &layout.nodes[0].outline;
        bundle(
            start,
            end,
            middle + right * bend.min(14.0),
            centre,
            if arc.from < arc.to { 10.0 } else { 18.0 },
        )
    };
    curve.arrow(&source.grown(TOUCH), &target.grown(TOUCH), width)
}

/// The point inside a shape at which an arc from or to `other` aims: the middle of a disc, but spread along a
/// wide shape, so that arcs do not crowd where it is nearest.
fn aim(shape: &Shape, other: Point) -> Point {
    let way = (other - shape.centre).unit();
    shape.centre
        + Point::new(way.x * (shape.half_width - shape.corner), way.y * (shape.half_height - shape.corner))
}

/// A curve among neighbours, drawn towards the middle of the ring but around the category that stands there.
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
    use super::super::{Arc, Neighbourhood, Scale};
    use super::{Curve, Layout, Point, layout, route, svg};

    fn planets(arcs: &[(usize, usize, f64)]) -> Neighbourhood {
        let names = ["Planets", "Moons", "Dwarf planets"].map(str::to_owned).to_vec();
        let arcs = arcs.iter().map(|&(from, to, weight)| Arc { from, to, weight }).collect();
        Neighbourhood { names, arcs }
    }

    fn lay(n: &Neighbourhood) -> Layout {
        layout::layout(n, Scale::of(n), "note")
    }

    /// The values of an attribute, in the order of the file.
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
        for path in values(file, "d").into_iter().filter(|path| !path.contains('H')) {
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
            let file = svg(&random.neighbourhood(size, arcs, 90));
            assert_well_formed(&file);
            assert_within_view(&file);
            assert_eq!(file.matches("class=\"node").count(), size);
        }
        assert_well_formed(&svg(&Neighbourhood::default()));
    }

    #[test]
    fn every_arc_appears_once() {
        let mut random = Lcg(31);
        let mut n = random.neighbourhood(19, 120, 30);
        n.names = (0..19).map(|i| format!("Category {i}")).collect();
        n.arcs.push(Arc { from: 3, to: 19, weight: 5.0 });
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
        assert!(file.contains(">&lt;b&gt;&quot;R&amp;B&quot;&lt;/b&gt;</tspan>"));
    }

    #[test]
    fn drawn_widths_are_monotone_in_the_weight() {
        let file = svg(&Lcg(37).neighbourhood(19, 90, 12));
        let mut drawn: Vec<(f64, f64)> = file
            .lines()
            .filter(|line| line.starts_with("<g class=\"arc "))
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
            let n = random.neighbourhood(size, 4 * size, 70);
            let layout = lay(&n);
            for arc in n.arcs.iter().filter(|arc| arc.from != arc.to) {
                let arrow = route(&n, &layout, arc, 2.0);
                let apart = |i: usize, p| layout.nodes[i].outline.distance(p);
                assert!((apart(arc.to, arrow.head[0]) - super::TOUCH).abs() < 0.01);
                assert!((apart(arc.from, arrow.shaft.start) - super::TOUCH).abs() < 0.01);
                if !super::is_own(arc) {
                    assert!(arrow.shaft.clearance(&layout.nodes[0].outline) > 5.0);
                }
            }
        }
    }

    #[test]
    fn loops_are_rings() {
        let file = svg(&planets(&[(0, 0, 2.0), (1, 1, 3.0)]));
        assert_eq!(
            file.matches("<g class=\"arc own\"><title>Planets → Planets: 2.00</title><rect").count(),
            1
        );
        assert_eq!(
            file.matches("<g class=\"arc among loop\"><title>Moons → Moons: 3.00</title><circle").count(),
            1
        );
    }

    #[test]
    fn the_same_neighbourhood_gives_the_same_bytes() {
        let n = Lcg(43).neighbourhood(19, 120, 50);
        assert_eq!(svg(&n), svg(&n.clone()));
        assert!(!svg(&n).contains("NaN") && !svg(&n).contains("-0.00"));
    }
}
