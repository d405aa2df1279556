//! How the time of learning grows with links, with categories, and with categories a page: one at a time.
//!
//! Seconds of a whole learning with the default settings on all threads, the five passes of `factored` included;
//! medians. Pages grow with the links, in English Wikipedia's proportion.

use crate::clock::{Clock, median, on_threads};
use crate::corpora::{Corpora, Sizes};
use crate::learning::ready_memory;
use crate::machine::{cores, describe, load};
use crate::{Args, Outcome};
use llamafur::categories::Categories;
use llamafur::corpus::Corpus;
use llamafur::learn::{LearnConf, Method, learn};
use llamafur_figures::{Axis, Chart, Line, Panel, WIDE};
use std::fmt::Write;

/// What does not grow.
const LINKS: usize = 250_000;
const CATEGORIES: usize = 2_000;
const PER_PAGE: f64 = 4.0;

const OF_LINKS: [usize; 6] = [31_250, 62_500, 125_000, 250_000, 500_000, 1_000_000];
const OF_CATEGORIES: [usize; 6] = [625, 1_250, 2_500, 5_000, 10_000, 20_000];
const OF_PER_PAGE: [f64; 5] = [1.0, 2.0, 4.0, 8.0, 12.0];

/// A series of corpora in which one thing grows.
struct Series {
    title: &'static str,
    /// What grows.
    name: &'static str,
    corpora: Vec<(f64, Sizes)>,
}

fn series() -> [Series; 3] {
    let links = OF_LINKS.map(|links| (links as f64, Sizes::of_links(links, CATEGORIES, PER_PAGE)));
    let categories = OF_CATEGORIES.map(|num| (num as f64, Sizes::of_links(LINKS, num, PER_PAGE)));
    let per_page = OF_PER_PAGE.map(|mean| (mean, Sizes::of_links(LINKS, CATEGORIES, mean)));
    [
        Series { title: "More links", name: "links", corpora: links.to_vec() },
        Series { title: "More categories", name: "categories", corpora: categories.to_vec() },
        Series { title: "More categories a page", name: "categories a page", corpora: per_page.to_vec() },
    ]
}

/// Measures all three, and draws them.
pub(crate) fn measure(args: &Args, corpora: &Corpora) -> Outcome<()> {
    let columns = "grows pages links categories per_page learner turn seconds load";
    let mut tsv = columns.replace(' ', "\t") + "\n";
    let note = format!(
        "Seconds of a whole learning on {} cores; medians of {}. Held fixed: 250,000 links, 2,000 categories,\n4 categories \
         a page. Both axes go by ratios; pages grow with the links.",
        cores(),
        args.times
    );
    let mut chart = Chart::new("How the time of learning grows").note(&note);
    eprintln!("{}; load {}", describe(), load());
    let series = series();
    let mut found: Vec<Vec<(f64, Vec<f64>)>> = Vec::new();
    for series in &series {
        let mut points = Vec::new();
        for (x, sizes) in &series.corpora {
            let (path, _) = corpora.made(sizes)?;
            let corpus = Corpus::open(&path)?;
            let graph = Categories::whole_graph(&corpus)?;
            let mut seconds = vec![Vec::new(); args.methods.len()];
            for turn in 1..=args.times {
                for (of_method, &method) in seconds.iter_mut().zip(&args.methods) {
                    ready_memory(&graph, method);
                    let mut clock = Clock::start();
                    let conf = LearnConf::default().method(method).ensemble(1);
                    on_threads(cores(), || learn(&graph, &conf, &mut clock).map(drop))?;
                    let (wall, Sizes { pages, links, categories, per_page }) = (clock.seconds.wall, *sizes);
                    let _ = writeln!(
                        tsv,
                        "{}\t{pages}\t{links}\t{categories}\t{per_page}\t{method}\t{turn}\t{wall:.4}\t{}",
                        series.name,
                        load()
                    );
                    of_method.push(wall);
                }
            }
            let medians: Vec<f64> = seconds.into_iter().map(|times| median(times.into_iter())).collect();
            eprintln!("{sizes}: {medians:.2?} s");
            points.push((*x, medians));
        }
        found.push(points);
    }
    // The same range in all panels, so that they can be compared.
    let all = || found.iter().flatten().flat_map(|(_, medians)| medians.iter().copied());
    let (low, high) = (all().fold(f64::INFINITY, f64::min), all().fold(0.0, f64::max));
    for (series, points) in series.iter().zip(&found) {
        let y = Axis::log("seconds").range(low * 0.8, high * 1.25);
        let mut panel = Panel::new(series.title, Axis::log(series.name), y);
        for (at, &method) in args.methods.iter().enumerate() {
            let line = points.iter().map(|(x, medians)| (*x, medians[at]));
            panel = panel.line(Line::new(method.name(), colour(method), line));
        }
        chart = chart.panel(panel);
    }
    match &args.out {
        Some(out) => {
            std::fs::write(out.join("growth.tsv"), tsv)?;
            std::fs::write(out.join("growth.svg"), chart.draw(WIDE).svg())?;
        }
        None => print!("{tsv}"),
    }
    Ok(())
}

/// A learner has the same colour in every figure.
fn colour(method: Method) -> usize {
    Method::ALL.into_iter().position(|other| other == method).unwrap_or_default()
}
