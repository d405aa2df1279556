//! Figures of every size, from one scorer to forty, wide and narrow. With `LLAMAFUR_FIGURES_DIR` set, they are written
//! there to be looked at.

mod common;

use common::{boxes, curves, dots, sizes, well_formed};
use llamafur_eval::chart::{
    Axis, BoxPanel, BoxPlots, Curve, DotPlot, DotRow, Line, PrecisionRecall, SizePlot,
};

type Draw = fn(usize, f64) -> String;

const FIGURES: [(&str, Draw); 4] = [("dots", dots), ("curves", curves), ("boxes", boxes), ("sizes", sizes)];

#[test]
fn figures_of_every_size_are_well_formed() {
    let folder = std::env::var_os("LLAMAFUR_FIGURES_DIR").map(std::path::PathBuf::from);
    for (kind, draw) in FIGURES {
        for scorers in [0, 1, 3, 8, 12, 40] {
            for width in [720.0, 360.0] {
                let svg = draw(scorers, width);
                assert_sound(&svg);
                assert_eq!(svg, draw(scorers, width), "the same input gives the same bytes");
                if let Some(folder) = &folder {
                    std::fs::create_dir_all(folder).expect("a folder");
                    std::fs::write(folder.join(format!("{kind}-{scorers}-{width}.svg")), svg)
                        .expect("it can be written");
                }
            }
        }
    }
}

/// Well-formed, with words for those who cannot see it, no number that is none, and nothing outside the view.
fn assert_sound(svg: &str) {
    assert!(well_formed(svg).is_empty(), "an id could meet its like in another figure");
    assert!(svg.contains("<title>") && svg.contains("<desc>"));
    for wrong in ["NaN", "inf", "-0.0\"", "-0.0 "] {
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

#[test]
fn numbers_that_are_none_are_not_drawn() {
    let odd = [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, 1e308, -1e308, 0.0, 1e-300];
    let mut dots = DotPlot::new("", Axis::linear("")).chance("chance", f64::NAN, f64::NAN);
    let mut curves = PrecisionRecall::new("").chance("chance", f64::INFINITY).highest(f64::NAN);
    let mut boxes = BoxPlots::new("", "");
    let mut sizes = SizePlot::new("", "", Axis::log(""));
    for a in odd {
        for b in odd {
            dots = dots.row(DotRow::new("odd", a).interval(a, b)).row(DotRow::new("", 1.0).interval(a, b));
            curves = curves.curve(Curve::new("odd", [Some((a, b)), None, Some((b, a))]));
            boxes = boxes.panel(BoxPanel::new("odd").class("TE", &[a, b, a, 1.0]));
            sizes = sizes.line(Line::with_spread("odd", 99, [(a, b, a, b), (1.0, 1.0, a, b)]));
        }
    }
    for width in [720.0, f64::NAN, -3.0, 1e9] {
        assert_sound(&dots.clone().width(width).chance("chance", 1e308, 1e308).svg());
        assert_sound(&curves.clone().width(width).svg());
        assert_sound(&boxes.clone().width(width).svg());
        assert_sound(&sizes.clone().width(width).svg());
    }
}

#[test]
fn beyond_eight_curves_the_rest_are_grey_and_said_to_be() {
    let svg = curves(12, 720.0);
    assert!(svg.contains(">Thin grey lines: 4 more, named when they are pointed at.</text>"));
    assert!(svg.contains("<title>m1, first 10 %"));
    assert!(!curves(8, 720.0).contains("Thin grey"));
}

#[test]
fn a_name_that_is_cut_is_whole_in_its_tooltip() {
    let svg = dots(12, 720.0);
    let name = "llamafur:enwiki-20140203-20000-milestones+adamic-adar+m4";
    assert!(!svg.contains(&format!(">{name}</text>")) && svg.contains(&format!("<title>{name}</title>")));
}

#[test]
fn a_missing_point_breaks_its_curve() {
    let points = [Some((0.1, 0.9)), Some((0.2, 0.8)), None, Some((0.6, 0.4)), Some((1.0, 0.2))];
    let svg = PrecisionRecall::new("").curve(Curve::new("broken", points)).svg();
    assert_eq!(svg.matches("<path class=\"line s0\"").count(), 2);
}

#[test]
fn only_the_outermost_dots_are_drawn_and_it_is_said() {
    let mut scores = vec![0.0; 10_000];
    scores.extend((1..=2000).map(f64::from));
    let svg = BoxPlots::new("", "score").panel(BoxPanel::new("a").class("TE", &scores)).svg();
    assert_eq!(svg.matches("class=\"outlier\"").count(), 12);
    assert!(svg.contains("2000 beyond the whiskers (12 drawn)") && svg.contains(">Of the dots beyond"));
}
