//! How well the learners find a truth that is known, the more links they see: rank correlation of the weights, AUC of
//! planted links.
//!
//! `cargo run --release -p llamafur-bench --bin recovery -- [--pages N] [--categories N] [--links N,N,…] [--seeds N]`
//! `[--out DIR]`
//!
//! For each kind of truth (low rank, full rank), seed and number of links a corpus is made, and every learner learns
//! from it with its default settings. The pairs of categories over which weights are correlated are the same for all
//! numbers of links: those that occur in twenty links or more of the largest corpus. All links are learnt from, the
//! planted ones too: a thousandth, but at least a hundred.
//!
//! Prints a row for each; with `--out`, they go to `known-truth.tsv`, the means over seeds to `known-truth.md`, and the
//! figure to `known-truth.svg`.
#![allow(clippy::print_stdout, reason = "a benchmark prints")]

use llamafur::categories::Categories;
use llamafur::corpus::Corpus;
use llamafur::learn::{LearnConf, Method, learn};
use llamafur::matrix::CategoryMatrix;
use llamafur::progress::Silent;
use llamafur::score::Normalise;
use llamafur::storage::Existing;
use llamafur_bench::truth::{TrueMatrix, planted_auc, recovery};
use llamafur_eval::statistics::mean;
use llamafur_eval::synth::{SynthConf, Truth, TruthKind, synth};
use llamafur_figures::{Axis, Chart, Line, Panel, WIDE};
use std::error::Error;
use std::fmt::Write;
use std::path::{Path, PathBuf};

/// Links of the largest corpus in which a pair of categories must occur.
const MIN_EXAMPLES: u64 = 20;

const KINDS: [TruthKind; 2] = [TruthKind::LowRank { rank: 8 }, TruthKind::FullRank];

/// The matrix that made the corpus, scored as if it had been learnt.
const TRUTH: &str = "truth";

/// What the figure has lines for; `original` is in the tables.
const SHOWN: [(Method, usize); 4] =
    [(Method::Factored, 0), (Method::Averaged, 1), (Method::Paper, 2), (Method::Naive, 4)];

struct Args {
    pages: usize,
    categories: usize,
    links: Vec<usize>,
    seeds: u64,
    out: Option<PathBuf>,
}

impl Args {
    fn read() -> Result<Args, Box<dyn Error>> {
        let links = vec![10_000, 20_000, 50_000, 100_000, 200_000, 500_000, 1_000_000];
        let mut args = Args { pages: 20_000, categories: 300, links, seeds: 3, out: None };
        let mut words = std::env::args().skip(1);
        while let Some(word) = words.next() {
            let value = words.next().ok_or_else(|| format!("{word} needs a value"))?;
            match word.as_str() {
                "--pages" => args.pages = value.parse()?,
                "--categories" => args.categories = value.parse()?,
                "--links" => args.links = value.split(',').map(str::parse).collect::<Result<_, _>>()?,
                "--seeds" => args.seeds = value.parse()?,
                "--out" => args.out = Some(value.into()),
                _ => return Err(format!("no option {word}").into()),
            }
        }
        args.links.sort_unstable();
        Ok(args)
    }
}

/// One learner on one corpus.
struct Row {
    kind: TruthKind,
    links: usize,
    seed: u64,
    learner: &'static str,
    correlation: f64,
    pairs: usize,
    auc_mean: f64,
    auc_sqrt: f64,
}

impl Row {
    const COLUMNS: &str =
        "truth\tlinks\tseed\tlearner\tcorrelation\tpairs\tplanted_auc_mean\tplanted_auc_sqrt";

    fn tsv(&self) -> String {
        let Row { kind, links, seed, learner, correlation, pairs, auc_mean, auc_sqrt } = self;
        format!("{kind}\t{links}\t{seed}\t{learner}\t{correlation:.4}\t{pairs}\t{auc_mean:.4}\t{auc_sqrt:.4}")
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let args = Args::read()?;
    println!("{}", Row::COLUMNS);
    let mut rows = Vec::new();
    for kind in KINDS {
        for seed in 1..=args.seeds {
            measure(&args, kind, seed, &mut rows)?;
        }
    }
    let Some(out) = &args.out else { return Ok(()) };
    std::fs::create_dir_all(out)?;
    let tsv: Vec<String> = rows.iter().map(Row::tsv).collect();
    std::fs::write(out.join("known-truth.tsv"), format!("{}\n{}\n", Row::COLUMNS, tsv.join("\n")))?;
    std::fs::write(out.join("known-truth.md"), table(&args, &rows))?;
    std::fs::write(out.join("known-truth.svg"), figure(&args, &rows))?;
    Ok(())
}

/// Every learner on every number of links.
fn measure(args: &Args, kind: TruthKind, seed: u64, rows: &mut Vec<Row>) -> Result<(), Box<dyn Error>> {
    let folder = tempfile::tempdir()?;
    let made = |links: usize| made(args, kind, seed, links, folder.path());
    let largest = made(args.links.last().copied().ok_or("--links needs a number")?)?;
    let pairs_of = Categories::whole_graph(&largest)?;
    for &links in &args.links {
        let corpus = made(links)?;
        let (graph, truth) = (Categories::whole_graph(&corpus)?, Truth::of(&corpus)?);
        let mut add = |learner, matrix: &dyn CategoryMatrix| {
            let found = recovery(&pairs_of, &truth, matrix, MIN_EXAMPLES);
            let auc = |normalise| planted_auc(&graph, &truth, matrix, normalise);
            rows.push(Row {
                kind,
                links,
                seed,
                learner,
                correlation: found.correlation,
                pairs: found.pairs,
                auc_mean: auc(Normalise::Mean),
                auc_sqrt: auc(Normalise::Sqrt),
            });
            rows.iter().last().into_iter().for_each(|row| println!("{}", row.tsv()));
        };
        add(TRUTH, &TrueMatrix(&truth, graph.num_categories));
        for method in Method::ALL {
            let (learnt, _) = learn(&graph, &LearnConf::default().method(method).ensemble(1), &mut Silent)?;
            add(method.name(), learnt.matrix());
        }
    }
    Ok(())
}

/// The corpus of these sizes, made unless it is there.
fn made(
    args: &Args,
    kind: TruthKind,
    seed: u64,
    links: usize,
    folder: &Path,
) -> Result<Corpus, Box<dyn Error>> {
    let out = folder.join(format!("{links}.corpus"));
    if !out.exists() {
        let sizes = SynthConf::default().pages(args.pages).links(links).categories(args.categories);
        let planted = (links / 1000).max(100).min(args.pages).min(links);
        synth(&sizes.kind(kind).planted(planted).seed(seed), &out, Existing::Refuse, &mut Silent)?;
    }
    Ok(Corpus::open(&out)?)
}

/// Mean, least and greatest over the seeds.
fn spread(
    rows: &[Row],
    kind: TruthKind,
    links: usize,
    learner: &str,
    of: fn(&Row) -> f64,
) -> (f64, f64, f64) {
    let are_these = |row: &&Row| row.kind == kind && row.links == links && row.learner == learner;
    let values: Vec<f64> = rows.iter().filter(are_these).map(of).collect();
    let mean = mean(&values);
    let (low, high) = (f64::INFINITY, f64::NEG_INFINITY);
    values.iter().fold((mean, low, high), |(mean, low, high), x| (mean, low.min(*x), high.max(*x)))
}

fn table(args: &Args, rows: &[Row]) -> String {
    let mut text = String::new();
    for kind in KINDS {
        let columns: Vec<String> = args.links.iter().map(|links| thousands(*links)).collect();
        let _ = writeln!(text, "| {kind}: correlation / planted AUC | {} |", columns.join(" | "));
        let _ = writeln!(text, "|---|{}", "---|".repeat(columns.len()));
        for learner in Method::ALL.map(Method::name).into_iter().chain([TRUTH]) {
            let cells = args.links.iter().map(|&links| {
                let mean = |of| spread(rows, kind, links, learner, of).0;
                format!("{:.3} / {:.3}", mean(|row| row.correlation), mean(|row| row.auc_mean))
            });
            let name = if learner == TRUTH { "the truth itself".to_owned() } else { format!("`{learner}`") };
            let _ = writeln!(text, "| {name} | {} |", cells.collect::<Vec<_>>().join(" | "));
        }
        text.push('\n');
    }
    text
}

fn figure(args: &Args, rows: &[Row]) -> String {
    let sizes = format!("{} pages, {} categories", thousands(args.pages), thousands(args.categories));
    let note = format!(
        "{sizes}; mean of {} corpora, the band from the least to the greatest.\nFull rank: every weight of the true \
         matrix is drawn on its own.",
        args.seeds
    );
    let mut chart = Chart::new("Learners find the true matrix, the better the more links they see");
    chart = chart.note(&note).columns(2);
    let correlation =
        ("rank correlation of learnt and true weights", (|row| row.correlation) as fn(&Row) -> f64);
    let auc = ("AUC of planted links", (|row| row.auc_mean) as fn(&Row) -> f64);
    for ((name, of), low) in [(correlation, 0.0), (auc, 0.5)] {
        for kind in KINDS {
            let title = match kind {
                TruthKind::FullRank => "True matrix of full rank".to_owned(),
                kind => format!("True matrix of {kind}"),
            };
            let mut panel = Panel::new(&title, Axis::log("links"), Axis::linear(name).range(low, 1.0));
            if low == 0.5 {
                let last = args.links.last().copied().unwrap_or_default();
                panel = panel.level(spread(rows, kind, last, TRUTH, of).0, "the truth").level(0.5, "chance");
            }
            for (method, colour) in SHOWN {
                let point = |&links: &usize| {
                    let (mean, low, high) = spread(rows, kind, links, method.name(), of);
                    (links as f64, mean, low, high)
                };
                panel = panel.line(Line::with_spread(method.name(), colour, args.links.iter().map(point)));
            }
            chart = chart.panel(panel);
        }
    }
    chart.draw(WIDE).svg()
}

fn thousands(number: usize) -> String {
    let digits = number.to_string();
    let groups: Vec<&str> =
        digits.as_bytes().rchunks(3).rev().map(|group| str::from_utf8(group).unwrap_or_default()).collect();
    groups.join(",")
}
