//! Made-up results of scorers, and the check for well-formed XML.

#![allow(dead_code)] // Each test that shares this module uses a part of it.

use llamafur_figures::{
    Axis, BoxPlots, CategoryArc, CategoryGraph, Chart, DotPlot, Drawing, Line, Panel, bytes,
};
use quick_xml::Reader;
use quick_xml::events::Event;

/// Names as they come: short, long, in other scripts, and hostile.
const NAMES: [&str; 10] = [
    "llamafur",
    "llamafur:enwiki-paper+aa",
    "aa",
    "naive",
    "m4",
    "Неожиданные ссылки: наивная модель+aa",
    "思いがけないリンクを見つける方法と隣接語のブレンド",
    "llamafur:enwiki-20140203-20000-milestones+adamic-adar+m4",
    "</script><b>&\"quoted\"",
    "m1",
];

pub(crate) const CUTS: [&str; 9] = ["1 %", "2 %", "5 %", "8 %", "10 %", "15 %", "25 %", "50 %", "100 %"];

pub(crate) fn name(number: usize) -> String {
    let round = number / NAMES.len();
    let name = NAMES[number % NAMES.len()];
    if round == 0 { name.to_owned() } else { format!("{name}@{round}") }
}

/// Numbers from 0 to 1 that look like chance and are always the same.
pub(crate) struct Lcg(pub(crate) u64);

impl Lcg {
    pub(crate) fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 11) as f64 / (1u64 << 53) as f64
    }

    /// About normal.
    pub(crate) fn normal(&mut self) -> f64 {
        (0..12).map(|_| self.next()).sum::<f64>() - 6.0
    }
}

pub(crate) fn dots(scorers: usize, width: f64) -> Drawing {
    let mut random = Lcg(5);
    let mut plot = DotPlot::new("How well the scorers rank the judged links", Axis::linear("average bpref"))
        .chance("chance", 0.213, 0.018);
    for number in 0..scorers {
        let estimate = 0.18 + 0.2 * random.next();
        let reach = 0.03 + 0.05 * random.next();
        plot = plot.row(&name(number), estimate, Some([estimate - reach, estimate + reach]));
    }
    plot.draw(width)
}

pub(crate) fn curves(scorers: usize, width: f64) -> Drawing {
    let mut random = Lcg(17);
    let axis = |name| Axis::linear(name).range(0.0, 1.0);
    let mut panel = Panel::new("", axis("recall"), axis("precision")).cuts(CUTS).level(0.166, "chance");
    for number in 0..scorers {
        let (first, bend) = (0.25 + 0.7 * random.next(), 0.5 + random.next());
        let parts = [0.01, 0.02, 0.05, 0.08, 0.10, 0.15, 0.25, 0.5, 1.0f64];
        let points = parts.map(|part| {
            let recall = part.powf(0.55);
            let precision = 0.166 + (first - 0.166) * (1.0 - recall).powf(bend) * (0.9 + 0.2 * random.next());
            (recall, if part > 0.015 || number % 3 == 0 { precision.min(1.0) } else { f64::NAN })
        });
        panel = panel.line(Line::new(&name(number), number, points));
    }
    Chart::new("Precision and recall").panel(panel).draw(width)
}

pub(crate) fn boxes(scorers: usize, width: f64) -> Drawing {
    let mut random = Lcg(29);
    let mut plot = BoxPlots::new("Scores by class", "unexpectedness");
    for number in 0..scorers {
        let scale = 10f64.powi(number as i32 % 7 - 3);
        let mut classes = Vec::new();
        for (class, (label, count)) in
            [("TE", 21_480), ("E", 1143), ("U", 325), ("TU", 81)].into_iter().enumerate()
        {
            let shift = class as f64 * 0.7;
            // The last panels have few scores, equal ones, or none.
            let count = match number % 6 {
                3 => class,
                5 => 0,
                _ => count / 4 + 1,
            };
            let mut scores: Vec<f64> = (0..count).map(|_| (random.normal() * 2.0 + shift) * scale).collect();
            if number % 6 == 4 {
                scores.fill(2.5);
            }
            scores.push(f64::INFINITY);
            classes.push((label, scores));
        }
        plot = plot.panel(&name(number), classes.iter().map(|(label, scores)| (*label, &scores[..])));
    }
    plot.draw(width)
}

pub(crate) fn sizes(learners: usize, width: f64) -> Drawing {
    let mut random = Lcg(41);
    let counts = [1e3, 2e3, 5e3, 1e4, 2e4, 3e4, 5e4, 1e5];
    let mut panel = Panel::new("", Axis::log("categories"), Axis::linear("F-measure"))
        .costs("dense matrix", counts.map(|count| (count, bytes(4.0 * count * count))));
    for number in 0..learners {
        let height = 0.6 + 0.25 * random.next();
        let points = counts.map(|count| {
            let y = height + 0.03 * count.log10() + 0.005 * random.normal();
            (count, y, y - 0.01, y + 0.01)
        });
        panel = panel.line(Line::with_spread(&name(number), number, points));
    }
    let chart = Chart::new("How many categories");
    chart.note("Ten-fold cross-validation; bands are one standard deviation.").panel(panel).draw(width)
}

/// Three panels of lines.
pub(crate) fn panels(learners: usize, width: f64) -> Drawing {
    let panel = |title: &str| {
        let panel = Panel::new(title, Axis::log("links"), Axis::linear("correlation").range(0.0, 1.0));
        (0..learners).fold(panel.level(0.5, "chance"), |panel, number| {
            let shift = 0.2 / (number + 1) as f64;
            let points = [(1e4, 0.3 + shift), (1e5, 0.6 + shift), (1e6, 0.75 + shift)];
            panel.line(Line::new(&name(number), number, points))
        })
    };
    let chart = Chart::new("A known truth");
    chart.panel(panel("Low rank")).panel(panel("Blocks")).panel(panel("Sparse")).draw(width)
}

/// A category with so many neighbours.
pub(crate) fn category(neighbours: usize, width: f64) -> Drawing {
    let mut random = Lcg(53);
    let size = neighbours + 1;
    let mut arcs = Vec::new();
    for from in 0..size {
        for to in 0..size {
            if from == 0 || to == 0 || random.next() < 0.2 {
                arcs.push(CategoryArc { from, to, weight: 1.0 + 8.0 * random.next() });
            }
        }
    }
    CategoryGraph { names: (0..size).map(name).collect(), arcs }.draw(width)
}

/// Panics unless the text is well-formed XML; gives the ids in it.
pub(crate) fn well_formed(text: &str) -> Vec<String> {
    let mut reader = Reader::from_str(text);
    let (mut depth, mut ids) = (0usize, Vec::new());
    loop {
        let event = reader.read_event().unwrap_or_else(|error| {
            panic!("{error} at {}: {}", reader.buffer_position(), &text[..text.len().min(300)])
        });
        let tag = match &event {
            Event::Start(tag) => {
                depth += 1;
                tag
            }
            Event::Empty(tag) => tag,
            Event::End(_) => {
                depth -= 1;
                continue;
            }
            Event::Text(words) => {
                assert!(!words.contains(['<', '>']), "{words:?}");
                continue;
            }
            Event::Eof => break,
            _ => continue,
        };
        for attribute in tag.attributes() {
            let attribute = attribute.expect("an attribute");
            if attribute.key.as_ref() == "id" {
                ids.push(attribute.value.to_string());
            }
        }
    }
    assert_eq!(depth, 0);
    ids
}
