//! Figures of every size, from one scorer to forty, wide and narrow. With `LLAMAFUR_FIGURES_DIR` set, they are written
//! there to be looked at.

mod common;

use common::{boxes, category, curves, dots, panels, sizes, well_formed};
use llamafur_figures::{Axis, BoxPlots, Chart, DotPlot, Drawing, Line, NARROW, Panel, WIDE, style};
use std::collections::BTreeSet;
use std::fs;
use std::path::PathBuf;

type Draw = fn(usize, f64) -> Drawing;

const FIGURES: [(&str, Draw); 6] = [
    ("dots", dots),
    ("curves", curves),
    ("boxes", boxes),
    ("sizes", sizes),
    ("panels", panels),
    ("category", category),
];

#[test]
fn figures_of_every_size_are_well_formed() {
    for (kind, draw) in FIGURES {
        for scorers in [0, 1, 3, 8, 12, 40] {
            for width in [WIDE, NARROW] {
                let drawing = draw(scorers, width);
                assert_sound(&drawing.svg());
                assert_eq!(drawing, draw(scorers, width), "the same input gives the same bytes");
                keep(&format!("{kind}-{scorers}-{width}"), drawing.svg());
            }
        }
    }
}

/// `resvg`, Inkscape, cairosvg and others do not know CSS variables, and draw what has no plain colour in black.
#[test]
fn every_element_has_a_plain_colour() {
    let style = style();
    assert!(!style.contains("var(") && !style.contains("--"));
    let (light, dark) = style.split_once("@media").expect("colours of a dark screen");
    let rules = |css: &str| -> BTreeSet<String> {
        let declares = |rule: &&str| rule.contains("fill: #") || rule.contains("stroke: #");
        let selectors = |rule: &str| rule.split('{').rev().nth(1).unwrap_or_default().trim().to_owned();
        let rules: Vec<String> = css.split('}').filter(declares).map(selectors).collect();
        rules.iter().flat_map(|rule| rule.split(", ")).map(str::to_owned).collect()
    };
    assert_eq!(rules(light), rules(dark), "each colour has its counterpart");
    // A shape is coloured by its class, or by its class in that of its group.
    let is_coloured = |group: &str, class: &str| {
        class.split(' ').any(|class| {
            let direct =
                light.contains(&format!(".plot .{class} {{")) || light.contains(&format!(".plot .{class},"));
            let groups = group.split(' ').filter(|group| !group.is_empty());
            direct && rules(light).contains(&format!(".plot .{class}"))
                || groups.into_iter().any(|group| rules(light).contains(&format!(".plot .{group} .{class}")))
        })
    };
    for (kind, draw) in FIGURES {
        let svg = draw(12, WIDE).svg();
        assert!(!svg.contains("var("), "{kind}");
        let mut group = "";
        for tag in svg.split('<').skip(1) {
            let class =
                tag.split("class=\"").nth(1).and_then(|rest| rest.split('"').next()).unwrap_or_default();
            match tag.split([' ', '>', '/']).next().unwrap_or_default() {
                "g" => group = class,
                "rect" | "circle" | "path" | "line" => {
                    assert!(is_coloured(group, class), "{kind}: {group} {class}");
                    // A rule would win over the attribute.
                    let rule = style.split(&format!(".{class} {{")).nth(1).unwrap_or_default();
                    let is_in_rule = rule.split('}').next().unwrap_or_default().contains("stroke-width");
                    assert!(!tag.contains("stroke-width=") || !is_in_rule, "{kind}: {class}");
                }
                _ => {}
            }
        }
    }
}

/// Well-formed, with words for those who cannot see it, no number that is none, and nothing outside the view.
fn assert_sound(svg: &str) {
    assert!(well_formed(svg).is_empty(), "an id could meet its like in another figure");
    assert!(svg.contains("<title>") && svg.contains("<desc>"));
    for wrong in ["NaN", "inf", "\"-0\"", " -0 "] {
        assert!(!svg.contains(wrong), "{wrong} in {svg}");
    }
    let value = |tag: &str, name: &str| -> Option<f64> {
        tag.split(&format!(" {name}=\"")).nth(1)?.split('"').next()?.parse().ok()
    };
    let (width, height) = (value(svg, "width").expect("a width"), value(svg, "height").expect("a height"));
    for tag in svg.split('<').filter(|tag| tag.starts_with("text") || tag.starts_with("circle")) {
        for (names, most) in [(["x", "cx"], width), (["y", "cy"], height)] {
            let at = names.into_iter().find_map(|name| value(tag, name)).expect("a place");
            assert!((0.0..=most).contains(&at), "{tag} outside {most}");
        }
    }
}

/// Figures of numbers that are far apart, very close, equal or alone.
fn extremes() -> Vec<(&'static str, String)> {
    let rows = [("far", 1e9, 3e8), ("less", -2e9, 1e8), ("none", f64::NAN, 0.0), ("tiny", 1e-9, 1e-10)];
    let plot =
        DotPlot::new("Far apart", Axis::linear("score")).chance("a chance with a rather long name", 2e9, 1e8);
    let far =
        rows.iter().fold(plot, |plot, (name, x, reach)| plot.row(name, *x, Some([x - reach, x + reach])));
    let close = DotPlot::new("Close together", Axis::linear("bpref"))
        .row("a", 0.36712, Some([0.36711, 0.36713]))
        .row("b", 0.36715, None);
    let level = |y: f64| (0..9).map(move |k| (0.1 + 0.1 * f64::from(k), y));
    let axis = |name| Axis::linear(name).range(0.0, 1.0);
    let curves = Panel::new("", axis("recall"), axis("precision"))
        .level(0.02, "chance")
        .line(Line::new("perfect", 0, level(1.0)))
        .line(Line::new("llamafur:enwiki-paper+aa", 1, level(0.7)))
        .line(Line::new("middling", 2, level(0.4)))
        .line(Line::new("a point", 3, [(0.5, 0.2)]));
    let mut outlier: Vec<f64> = (0..50).map(f64::from).collect();
    outlier.push(1e6);
    let boxes = BoxPlots::new("Outliers", "score")
        .panel("one far out", [("TE", &outlier[..]), ("E", &[3.0, 4.0])])
        .panel("tiny", [("TE", &[1e-9, 2e-9, 4e-9][..]), ("totally unexpected", &[3e-9])])
        .panel("large", [("TE", &[1e12, 2e12, -4e12][..]), ("E", &[]), ("U", &[0.0])]);
    let one_size = Panel::new("", Axis::log("categories"), Axis::linear("F-measure"))
        .costs("dense matrix", [(2e4, "1.6 GB".to_owned())])
        .line(Line::with_spread("averaged", 0, [(2e4, 0.87, 0.86, 0.88)]))
        .line(Line::new("factored", 1, [(2e4, 0.87)]));
    vec![
        ("far", far.draw(WIDE).svg()),
        ("close", close.draw(WIDE).svg()),
        ("levels", Chart::new("Apart, at the ends and equal").panel(curves).draw(WIDE).svg()),
        ("outliers", boxes.draw(WIDE).svg()),
        ("one-size", Chart::new("One size").panel(one_size).draw(WIDE).svg()),
        ("far-narrow", far.draw(NARROW).svg()),
    ]
}

#[test]
fn extremes_are_drawn_too() {
    for (name, svg) in extremes() {
        assert_sound(&svg);
        keep(name, svg);
    }
}

/// Writes a figure where it can be looked at, if that was asked for.
fn keep(name: &str, svg: String) {
    if let Some(folder) = std::env::var_os("LLAMAFUR_FIGURES_DIR").map(PathBuf::from) {
        fs::create_dir_all(&folder).expect("a folder");
        fs::write(folder.join(format!("{name}.svg")), svg).expect("it can be written");
    }
}

#[test]
fn numbers_that_are_none_are_not_drawn() {
    let odd = [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, 1e308, -1e308, 0.0, 1e-300];
    let mut dots = DotPlot::new("", Axis::linear("")).chance("chance", f64::NAN, f64::NAN);
    let axis = Axis::linear("").range(0.0, f64::NAN);
    let mut curves = Panel::new("", axis.clone(), axis).level(f64::INFINITY, "chance");
    let mut boxes = BoxPlots::new("", "");
    let mut sizes = Panel::new("", Axis::log(""), Axis::log("")).costs("", []).level(f64::NAN, "none");
    for a in odd {
        for b in odd {
            dots = dots.row("odd", a, Some([a, b])).row("", 1.0, Some([a, b]));
            curves = curves.line(Line::new("odd", 0, [(a, b), (f64::NAN, 1.0), (b, a)]));
            boxes = boxes.panel("odd", [("TE", &[a, b, a, 1.0][..])]);
            sizes = sizes.line(Line::with_spread("odd", 99, [(a, b, a, b), (1.0, 1.0, a, b)]));
        }
    }
    for width in [720.0, f64::NAN, -3.0, 1e9] {
        assert_sound(&dots.clone().chance("chance", 1e308, 1e308).draw(width).svg());
        assert_sound(&Chart::new("").panel(curves.clone()).draw(width).svg());
        assert_sound(&boxes.draw(width).svg());
        assert_sound(&Chart::new("").panel(sizes.clone()).draw(width).svg());
    }
}

#[test]
fn beyond_eight_curves_the_rest_are_grey_and_said_to_be() {
    let svg = curves(12, WIDE).svg();
    assert!(svg.contains(">Thin grey lines: 4 more, with their names as tooltips.</text>"));
    assert!(svg.contains("<title>m1, first 10 %"));
    assert!(!curves(8, WIDE).svg().contains("Thin grey"));
}

#[test]
fn a_name_that_is_cut_is_whole_in_its_tooltip() {
    let svg = dots(12, WIDE).svg();
    let name = "llamafur:enwiki-20140203-20000-milestones+adamic-adar+m4";
    assert!(!svg.contains(&format!(">{name}</text>")) && svg.contains(&format!("<title>{name}</title>")));
}

#[test]
fn a_missing_point_breaks_its_curve() {
    let points = [(0.1, 0.9), (0.2, 0.8), (0.4, f64::NAN), (0.6, 0.4), (1.0, 0.2)];
    let panel = Panel::new("", Axis::linear("x"), Axis::linear("y")).line(Line::new("broken", 0, points));
    let svg = Chart::new("").panel(panel).draw(WIDE).svg();
    assert_eq!(svg.matches("<title>broken</title></path>").count(), 2);
}

#[test]
fn only_the_outermost_dots_are_drawn_and_it_is_said() {
    let mut scores = vec![0.0; 10_000];
    scores.extend((1..=2000).map(f64::from));
    let svg = BoxPlots::new("", "score").panel("a", [("TE", &scores[..])]).draw(WIDE).svg();
    assert_eq!(svg.matches("class=\"outlier\"").count(), 12);
    assert!(svg.contains("2000 beyond the whiskers (12 drawn)") && svg.contains(">Of the dots beyond"));
}
