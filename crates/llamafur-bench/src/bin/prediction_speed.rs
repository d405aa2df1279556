//! How long links take to be predicted at the size of a large wiki: for a page, and for all.
//!
//! `cargo run --release -p llamafur-bench --bin prediction_speed -- [--pages 1000000] [--links 24000000] [--sample 100000]`
//! `[--folder FOLDER]`
//!
//! A wiki of random words by topics is made (`llamafur_bench::topics`) and a model trained, in FOLDER to be used again or in a
//! temporary one. Then, in one run: what opening takes, with all files prepared; 200 pages, one by one, by both ways of looking for
//! pages; as many of `--all` as SAMPLE says (0 for all), and how long all would take at that rate; and beside it what it takes to score
//! all pages by the matrices, which finding the best of them by bounds replaces.
//!
//! Left out: writing the table, and the pages' titles.
#![allow(clippy::print_stdout, reason = "a benchmark prints")]

use llamafur::corpus::Corpus;
use llamafur::engine::{Engine, EngineConf, Lookup, PredictConf};
use llamafur::graph::PageId;
use llamafur::progress::Silent;
use llamafur::random::{Purpose, below, generator};
use llamafur::score::{Inputs, ScoreConf, open};
use llamafur_bench::machine::load;
use llamafur_bench::topics;
use rustix::time::{ClockId, clock_gettime};
use std::path::{Path, PathBuf};
use std::time::Instant;

type AnyError = Box<dyn std::error::Error>;

/// Pages that are predicted for one by one, and those whose every pair is scored.
const ONE_BY_ONE: usize = 200;
const SCORED: usize = 8;

struct Arguments {
    pages: usize,
    links: usize,
    sample: u64,
    folder: Option<PathBuf>,
}

fn arguments() -> Result<Arguments, AnyError> {
    let mut found = Arguments { pages: 1_000_000, links: 24_000_000, sample: 100_000, folder: None };
    let mut words = std::env::args().skip(1);
    while let Some(word) = words.next() {
        let value = words.next().ok_or_else(|| format!("{word} needs a value"))?;
        match &word[..] {
            "--pages" => found.pages = value.parse()?,
            "--links" => found.links = value.parse()?,
            "--sample" => found.sample = value.parse()?,
            "--folder" => found.folder = Some(value.into()),
            _ => return Err(format!("no option {word} {value}").into()),
        }
    }
    Ok(found)
}

fn main() -> Result<(), AnyError> {
    let arguments = arguments()?;
    match &arguments.folder {
        Some(folder) => measure(&arguments, folder),
        None => measure(&arguments, tempfile::tempdir()?.path()),
    }
}

fn measure(arguments: &Arguments, folder: &Path) -> Result<(), AnyError> {
    let path = {
        let wiki = topics::graph(arguments.pages, arguments.links);
        let corpus = topics::corpus(folder, &wiki)?;
        topics::train(&corpus, &mut Silent)?;
        // Makes the files that are kept beside the corpus.
        let engine = Engine::new(&corpus, EngineConf::default());
        engine.prepare_predictions(&conf(Lookup::Anywhere), &mut Silent)?;
        corpus.path().to_owned()
    };
    let corpus = Corpus::open(path)?;
    println!(
        "{} pages, {} links, {} threads, load {}",
        corpus.num_pages(),
        corpus.num_links(),
        rayon::current_num_threads(),
        load()
    );
    all_scored(&corpus)?;
    for lookup in [Lookup::Anywhere, Lookup::Named] {
        let engine = Engine::new(&corpus, EngineConf::default());
        let start = Instant::now();
        engine.prepare_predictions(&conf(lookup), &mut Silent)?;
        println!("{lookup}: opened in {:.1} s", start.elapsed().as_secs_f64());
        one_by_one(&engine, lookup)?;
        all(&engine, lookup, arguments.sample)?;
    }
    Ok(())
}

fn conf(lookup: Lookup) -> PredictConf {
    PredictConf::default().lookup(lookup)
}

/// Scores all pages by the matrices, as a definition would have it.
fn all_scored(corpus: &Corpus) -> Result<(), AnyError> {
    let scorer = open("llamafur", &Inputs::new(corpus), &ScoreConf::default(), &mut Silent)?;
    let all: Vec<PageId> = (0..corpus.num_pages() as u32).map(PageId).collect();
    // Every block of the file is checked the first time.
    scorer.score(PageId(0), &all)?;
    let mut taken = Vec::new();
    for page in some_pages(corpus, SCORED) {
        let start = Instant::now();
        std::hint::black_box(scorer.score(page, &all)?);
        taken.push(start.elapsed().as_secs_f64() * 1e3);
    }
    println!("all pages scored by the matrices for one, one thread: {}", median_and_high(taken));
    Ok(())
}

fn one_by_one(engine: &Engine, lookup: Lookup) -> Result<(), AnyError> {
    let conf = conf(lookup);
    for when in ["first", "again"] {
        let (mut taken, mut links) = (Vec::new(), 0);
        for page in some_pages(engine.corpus(), ONE_BY_ONE) {
            let title = engine.corpus().title(page)?.to_owned();
            let start = Instant::now();
            links += engine.predict(&title, &conf)?.links.len();
            taken.push(start.elapsed().as_secs_f64() * 1e3);
        }
        println!("{lookup}: one page, {when}: {} ({links} links)", median_and_high(taken));
    }
    Ok(())
}

/// Ends a run that has seen enough.
enum Stop {
    Enough,
    Failed(llamafur::Error),
}

impl From<llamafur::Error> for Stop {
    fn from(error: llamafur::Error) -> Stop {
        Stop::Failed(error)
    }
}

/// Pages whose links `predict_all` hands out at a time.
const BATCH: u64 = 4096;

fn all(engine: &Engine, lookup: Lookup, sample: u64) -> Result<(), AnyError> {
    let num_pages = engine.corpus().num_pages() as u64;
    let wanted = if sample == 0 { num_pages } else { sample.min(num_pages) };
    let (mut links, mut batches) = (0, 0);
    let start = (Instant::now(), processor());
    let ended = engine.predict_all(&conf(lookup), &mut Silent, |pairs| {
        (links, batches) = (links + pairs.len(), batches + 1);
        if batches * BATCH >= wanted { Err(Stop::Enough) } else { Ok(()) }
    });
    if let Err(Stop::Failed(error)) = ended {
        return Err(error.into());
    }
    let (seconds, worked) = (start.0.elapsed().as_secs_f64(), processor() - start.1);
    let done = (batches * BATCH).min(num_pages);
    let rate = done as f64 / seconds;
    println!(
        "{lookup}: {done} pages in {seconds:.1} s, {links} links: {rate:.0} pages a second; load {}",
        load()
    );
    // What other programs take of the processors does not count in the second figure.
    let minutes = |seconds: f64| num_pages as f64 / done as f64 * seconds / 60.0;
    let cores = rayon::current_num_threads() as f64;
    println!(
        "{lookup}: all pages in {:.1} min by the clock, {:.1} min by what the processors worked on {cores} threads",
        minutes(seconds),
        minutes(worked / cores),
    );
    Ok(())
}

/// Seconds that all threads of this process have run.
fn processor() -> f64 {
    let time = clock_gettime(ClockId::ProcessCPUTime);
    time.tv_sec as f64 + time.tv_nsec as f64 / 1e9
}

fn some_pages(corpus: &Corpus, num: usize) -> Vec<PageId> {
    let mut draw = generator(3, Purpose::Synth, 0);
    (0..num).map(|_| PageId(below(&mut draw, corpus.num_pages() as u64) as u32)).collect()
}

fn median_and_high(mut taken: Vec<f64>) -> String {
    taken.sort_by(f64::total_cmp);
    let at = |share: f64| taken[((taken.len() - 1) as f64 * share).round() as usize];
    format!("median {:.2} ms, 99th percentile {:.2} ms", at(0.5), at(0.99))
}
