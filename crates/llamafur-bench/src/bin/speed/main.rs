//! How fast learning and scoring are, beside what the machine's memory allows and beside plain programs.
//!
//! `cargo run --release -p llamafur-bench --bin speed -- [--scales 1,10,100] [--times 3] [--methods NAME,NAME]`
//! `[--categories 20000] [--reference 4000000] [--corpora DIR] [--commit ID] [--out DIR] [--growth]`
//!
//! Corpora are made by `synth`, with so many hundredths of the pages and links of English Wikipedia and 20,000
//! categories. At each scale, in turn and as medians over the times:
//!
//! - the limit, before and after all else: random updates of one number a cache line in a buffer of the matrix's
//!   size, in large pages, asked for ahead of time (`limit.rs`);
//! - every learner on one and on all threads, and its plain reference (`learning.rs`, `reference.rs`);
//! - the scores of up to 20 million links, by a factored and by a dense model (`scoring.rs`);
//! - the peak memory of each, in a process of its own (`--only learn:NAME`, which the program starts by itself).
//!
//! `--only plain:NAME` runs a plain reference alone, for a profiler to look at.
//!
//! `--growth` instead measures how the time of learning grows with links, categories and categories a page
//! (`growth.rs`).
//!
//! Every measurement is a row of `speed.tsv`; the tables and how they compare with the goals are printed, and written
//! to `speed.md`.
//!
//! Left out: making the corpora and reading them from disk (they are in the page cache), the measuring on held-out
//! links that `llamafur train` does besides, titles and files of `llamafur score`.
#![allow(clippy::print_stdout, clippy::print_stderr, reason = "a benchmark prints")]

mod clock;
mod corpora;
mod goals;
mod growth;
mod learning;
mod limit;
mod machine;
mod record;
mod reference;
mod scoring;
mod table;

use corpora::{Corpora, Sizes};
use llamafur::corpus::Corpus;
use llamafur::learn::Method;
use record::Record;
use std::error::Error;
use std::path::PathBuf;

type Outcome<T> = Result<T, Box<dyn Error + Send + Sync>>;

/// What was asked for.
#[derive(Debug, Clone)]
struct Args {
    scales: Vec<f64>,
    times: usize,
    methods: Vec<Method>,
    categories: usize,
    /// Examples or links that the plain reference is given.
    reference: u64,
    corpora: Option<PathBuf>,
    commit: Option<String>,
    out: Option<PathBuf>,
    growth: bool,
    /// What a process of its own is to do, to the corpus in `corpora`.
    only: Option<String>,
}

impl Args {
    fn read() -> Outcome<Args> {
        let mut args = Args {
            scales: vec![1.0, 10.0, 100.0],
            times: 3,
            methods: Method::ALL.to_vec(),
            categories: 20_000,
            reference: 4_000_000,
            corpora: None,
            commit: None,
            out: None,
            growth: false,
            only: None,
        };
        let mut words = std::env::args().skip(1);
        while let Some(word) = words.next() {
            let mut value = || words.next().ok_or_else(|| format!("{word} needs a value"));
            let parts = |text: String| -> Vec<String> {
                text.split([',', ' ']).filter(|part| !part.is_empty()).map(str::to_owned).collect()
            };
            match word.as_str() {
                "--scales" => {
                    args.scales = parts(value()?).iter().map(|x| x.parse()).collect::<Result<_, _>>()?
                }
                "--times" => args.times = value()?.parse::<usize>()?.max(1),
                "--methods" => {
                    args.methods = parts(value()?).iter().map(|x| x.parse()).collect::<Result<_, _>>()?
                }
                "--categories" => args.categories = value()?.parse()?,
                "--reference" => args.reference = value()?.parse()?,
                "--corpora" => args.corpora = Some(value()?.into()),
                "--commit" => args.commit = Some(value()?),
                "--out" => args.out = Some(value()?.into()),
                "--growth" => args.growth = true,
                "--only" => args.only = Some(value()?),
                _ => return Err(format!("no option {word}").into()),
            }
        }
        Ok(args)
    }
}

fn main() -> Outcome<()> {
    let args = Args::read()?;
    if let Some(only) = &args.only {
        let corpus = Corpus::open(args.corpora.as_deref().ok_or("--only needs --corpora")?)?;
        return machine::run_alone(&corpus, only);
    }
    if let Some(out) = &args.out {
        std::fs::create_dir_all(out)?;
    }
    let corpora = Corpora::new(args.corpora.clone())?;
    if args.growth { growth::measure(&args, &corpora) } else { measure_scales(&args, &corpora) }
}

fn measure_scales(args: &Args, corpora: &Corpora) -> Outcome<()> {
    let mut record = Record::create(args.out.as_ref().map(|out| out.join("speed.tsv")).as_deref())?;
    let mut report = table::heading(args);
    print!("{report}");
    for &scale in &args.scales {
        let sizes = Sizes::of_wikipedia(scale, args.categories);
        let (path, seconds) = corpora.made(&sizes)?;
        eprintln!("{sizes}: made in {seconds:.1} s");
        record.scale = scale;
        let first = record.rows.len();
        limit::measure(args, "before", &mut record)?;
        learning::measure(args, &path, &mut record)?;
        scoring::measure(args, &path, &mut record)?;
        limit::measure(args, "after", &mut record)?;
        let section = table::of_scale(args, &sizes, &record.rows[first..]);
        print!("{section}");
        report.push_str(&section);
        // After every scale: what was measured stays when a later one is cut short.
        if let Some(out) = &args.out {
            std::fs::write(out.join("speed.md"), &report)?;
        }
        corpora.forget(&path)?;
    }
    Ok(())
}
