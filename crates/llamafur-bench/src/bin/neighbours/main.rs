//! How fast Adamic–Adar is, beside NetworKit's on the same cores, and how fast one page is ranked by all signals.
//!
//! `cargo run --release -p llamafur-bench --bin neighbours -- [--pages 1000000] [--links 24000000]`
//! `[--sample 200000] [--rounds 3] [--python PYTHON] [--part neighbours|ranking] [--folder FOLDER]`
//!
//! A graph of a wiki's shape is made (`topics::graph`); then, in one run: the symmetric graph; Adamic–Adar of every link, on
//! one and on all threads; that with resource allocation, common neighbours and Jaccard in the same go; the links of
//! one page, warm, for pages with about 20, 200 and 2,000 of them; and NetworKit's Adamic–Adar of a random sample of
//! the links (`adamic_adar.py`), whose values must be ours. Last, the graph becomes a wiki with categories and texts, in
//! FOLDER to be used again or in a temporary one, and pages of it are ranked by `blend` (`ranking.rs`).
//!
//! Left out: reading a corpus, making NetworKit's graph and handing links to it; what Python takes to give values back
//! is in NetworKit's time.
#![allow(clippy::print_stdout, reason = "a benchmark prints")]

mod ranking;

use llamafur::graph::Neighbours;
use llamafur::graph::PageId;
use llamafur::learn::sampler::{Purpose, below, generator};
use llamafur::score::{Score, SharedNeighbours};
use llamafur::storage::Csr;
use llamafur_bench::topics;
use rayon::prelude::*;
use serde::Deserialize;
use std::error::Error;
use std::fs::{read_to_string, write};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;
use std::time::Instant;

type Outcome<T> = Result<T, Box<dyn Error>>;

/// What was asked for.
struct Args {
    pages: usize,
    links: usize,
    sample: usize,
    rounds: usize,
    python: Option<String>,
    /// The only one of the two parts that is asked for.
    part: Option<String>,
    /// Where the corpus is kept.
    folder: Option<PathBuf>,
}

impl Args {
    fn read() -> Outcome<Args> {
        let (part, folder, python) = (None, None, None);
        let (pages, links, sample, rounds) = (1_000_000, 24_000_000, 200_000, 3);
        let mut args = Args { pages, links, sample, rounds, python, part, folder };
        let mut words = std::env::args().skip(1);
        while let Some(word) = words.next() {
            let value = words.next().ok_or_else(|| format!("{word} needs a value"))?;
            match word.as_str() {
                "--pages" => args.pages = value.parse()?,
                "--links" => args.links = value.parse()?,
                "--sample" => args.sample = value.parse()?,
                "--rounds" => args.rounds = value.parse()?,
                "--python" => args.python = Some(value).filter(|python| !python.is_empty()),
                "--part" if ["neighbours", "ranking"].contains(&&value[..]) => args.part = Some(value),
                "--folder" => args.folder = Some(value.into()),
                _ => return Err(format!("no option {word} {value}").into()),
            }
        }
        Ok(args)
    }
}

fn main() -> Outcome<()> {
    let args = Args::read()?;
    let all = rayon::current_num_threads();
    let wiki = topics::graph(args.pages, args.links);
    let links = wiki.links.view();
    println!("{} pages, {} links, {all} threads, load {}", args.pages, links.num_values(), load());

    let is_asked_for = |part: &str| args.part.as_deref().is_none_or(|only| only == part);
    if is_asked_for("neighbours") {
        neighbours(&args, links)?;
    }
    if is_asked_for("ranking") {
        match &args.folder {
            Some(folder) => ranking::ranking(&wiki, folder)?,
            None => ranking::ranking(&wiki, tempfile::tempdir()?.path())?,
        }
    }
    println!("load {} at the end", load());
    Ok(())
}

/// Adamic–Adar, of every link and of one page's.
fn neighbours(args: &Args, links: Csr<'_, PageId>) -> Outcome<()> {
    let (all, num_links) = (rayon::current_num_threads(), links.num_values());
    // Forgets the peak so far, where the system lets us.
    let _ = write("/proc/self/clear_refs", "5");
    let (neighbours, seconds) = timed(|| Arc::new(Neighbours::new(links)));
    let lengths = (0..links.num_rows() as u32).map(|page| neighbours.num_of(PageId(page)));
    let most = lengths.collect::<Result<Vec<usize>, _>>()?.into_iter().max().unwrap_or(0);
    println!(
        "symmetric graph: {:.2} s, {:.2} s of processors, {} pairs, most neighbours {most}, {:.0} MB more while it is made",
        seconds.wall,
        seconds.processor,
        neighbours.num_all()? / 2,
        (status("VmHWM:") - status("VmRSS:")) / 1e6,
    );
    let scorer = SharedNeighbours::adamic_adar(neighbours.clone());

    let (mut sums, mut taken) = (Vec::new(), Vec::new());
    for round in 0..=args.rounds {
        let threads = if round == 0 { 1 } else { all };
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build()?;
        let (sum, seconds) = timed(|| pool.install(|| every_link(&scorer, links)));
        println!("aa of every link, {threads} threads: {}", rate(num_links, seconds));
        sums.push(sum);
        if round > 0 {
            taken.push(seconds);
        }
    }
    println!("the same bits: {}", sums.iter().all(|sum| *sum == sums[0]));
    let (num, seconds) = timed(|| {
        let count = |page| {
            let common =
                neighbours.map_common(PageId(page as u32), links.row(page), |_, common| Ok(common.len()))?;
            Ok::<usize, llamafur::Error>(common.into_iter().sum())
        };
        (0..args.pages).into_par_iter().map(count).sum::<Result<usize, llamafur::Error>>()
    });
    num?;
    println!("common neighbours of every link: {}", rate(num_links, seconds));
    one_page(&scorer, links)?;
    if let Some(python) = &args.python {
        beside_networkit(args, python, links, &scorer, &taken)?;
    }
    Ok(())
}

/// Scores every link; a checksum of the bits.
fn every_link(scorer: &SharedNeighbours, links: Csr<'_, PageId>) -> u64 {
    let pages = (0..links.num_rows()).into_par_iter();
    let sum = |page: usize| {
        let values = scorer.expectedness(PageId(page as u32), links.row(page)).expect("neighbours in memory");
        values.iter().fold(page as u64, |sum, value| sum.rotate_left(5).wrapping_add(value.to_bits()))
    };
    pages.map(sum).reduce(|| 0, u64::wrapping_add)
}

/// How long the links of one page take.
fn one_page(scorer: &SharedNeighbours, links: Csr<'_, PageId>) -> Outcome<()> {
    let mut draw = generator(2, Purpose::Synth, 0);
    for num in [20, 200, 2_000] {
        let pages = close_to(links, num);
        if pages.is_empty() {
            continue;
        }
        let mut taken = Vec::new();
        for _ in 0..2_000 {
            let page = pages[below(&mut draw, pages.len() as u64) as usize];
            let start = Instant::now();
            let scores = scorer.score(page, links.row(page.index()))?;
            taken.push(start.elapsed().as_secs_f64() * 1e3);
            drop(scores);
        }
        let (median, high) = median_and_high(taken);
        println!(
            "one page with about {num} links ({} such pages): median {median:.3} ms, 99th percentile {high:.3} ms",
            pages.len()
        );
    }
    Ok(())
}

/// Pages with about so many links: a tenth more or less.
fn close_to(links: Csr<'_, PageId>, num: usize) -> Vec<PageId> {
    let close = |page: &PageId| links.row(page.index()).len().abs_diff(num) * 10 <= num;
    (0..links.num_rows() as u32).map(PageId).filter(close).collect()
}

/// The median and the 99th percentile.
fn median_and_high(mut taken: Vec<f64>) -> (f64, f64) {
    taken.sort_by(f64::total_cmp);
    (taken[taken.len() / 2], taken[taken.len() * 99 / 100])
}

/// What `adamic_adar.py` prints.
#[derive(Deserialize)]
struct Theirs {
    version: String,
    threads: usize,
    made: f64,
    wall: f64,
    processor: f64,
    num_links: usize,
    furthest: f64,
}

fn beside_networkit(
    args: &Args,
    python: &str,
    links: Csr<'_, PageId>,
    scorer: &SharedNeighbours,
    ours: &[Seconds],
) -> Outcome<()> {
    let folder = tempfile::tempdir()?;
    let mut draw = generator(3, Purpose::Synth, 0);
    let mut sample: Vec<u64> =
        (0..args.sample).map(|_| below(&mut draw, links.num_values() as u64)).collect();
    sample.sort_unstable();
    sample.dedup();
    let source = |link: u64| links.offsets().partition_point(|&start| start as u64 <= link) - 1;
    let sample: Vec<(u32, u32)> =
        sample.into_iter().map(|link| (source(link) as u32, links.values()[link as usize].0)).collect();
    let value = |&(s, t): &(u32, u32)| Ok(scorer.expectedness(PageId(s), &[PageId(t)])?[0].to_le_bytes());
    let values = sample.iter().map(value).collect::<Result<Vec<[u8; 8]>, llamafur::Error>>()?;
    write(folder.path().join("values.f64"), values.concat())?;
    write_pairs(folder.path(), "link_", sample.iter().copied())?;
    let rows = (0u32..).zip(links.rows());
    let once = |&(s, t): &(u32, u32)| s < t || links.row(t as usize).binary_search(&PageId(s)).is_err();
    let pairs = rows.flat_map(|(s, row)| row.iter().map(move |t| (s, t.0))).filter(once);
    write_pairs(folder.path(), "", pairs)?;
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/src/bin/neighbours/adamic_adar.py");
    let mut command = Command::new(python);
    let output = command.arg(script).arg(folder.path()).arg(args.pages.to_string()).output()?;
    if !output.status.success() {
        return Err(format!("{script}: {}", String::from_utf8_lossy(&output.stderr)).into());
    }
    let theirs: Theirs = serde_json::from_slice(&output.stdout)?;
    let Theirs { wall, processor, num_links, .. } = theirs;
    println!("NetworKit {}, graph made in {:.1} s", theirs.version, theirs.made);
    let taken = rate(num_links, Seconds { wall, processor });
    println!("its aa of {num_links} random links, {} threads: {taken}", theirs.threads);
    let scale = links.num_values() as f64 / num_links as f64;
    println!("all links would take it {:.0} s, {:.0} s of processors", wall * scale, processor * scale);
    // The slowest of our rounds: the machine may have been busier then.
    let slowest = |part: fn(&Seconds) -> f64| ours.iter().map(part).fold(0.0, f64::max);
    println!(
        "ratio to the slowest of our rounds {:.1}, by processors {:.1}; furthest value {:.1e} from ours",
        wall * scale / slowest(|seconds| seconds.wall),
        processor * scale / slowest(|seconds| seconds.processor),
        theirs.furthest
    );
    Ok(())
}

fn write_pairs(folder: &Path, prefix: &str, pairs: impl Iterator<Item = (u32, u32)>) -> Outcome<()> {
    let (mut sources, mut targets) = (Vec::new(), Vec::new());
    for (source, target) in pairs {
        sources.extend(source.to_le_bytes());
        targets.extend(target.to_le_bytes());
    }
    write(folder.join(format!("{prefix}sources.u32")), sources)?;
    Ok(write(folder.join(format!("{prefix}targets.u32")), targets)?)
}

/// How long something took, by the clock and by the processor: what all threads together have run, which is the
/// steadier of the two on a machine that others use.
#[derive(Clone, Copy)]
struct Seconds {
    wall: f64,
    processor: f64,
}

fn timed<T>(work: impl FnOnce() -> T) -> (T, Seconds) {
    let start = (Instant::now(), processor_seconds());
    let done = work();
    let wall = start.0.elapsed().as_secs_f64();
    (done, Seconds { wall, processor: processor_seconds() - start.1 })
}

fn processor_seconds() -> f64 {
    let stat = read_to_string("/proc/self/stat").unwrap_or_default();
    let fields = stat.rsplit(')').next().unwrap_or_default();
    let ticks = fields.split_whitespace().skip(11).take(2).filter_map(|ticks| ticks.parse::<f64>().ok());
    ticks.sum::<f64>() / 100.0
}

fn rate(num_links: usize, seconds: Seconds) -> String {
    let rate = |seconds: f64| num_links as f64 / seconds / 1e6;
    let (wall, processor) = (rate(seconds.wall), rate(seconds.processor));
    format!(
        "{:.2} s, {wall:.3} million links a second, {processor:.3} for each second of a processor",
        seconds.wall
    )
}

/// How many processes ran or waited in the last minute, on average.
fn load() -> String {
    read_to_string("/proc/loadavg").unwrap_or_default().split(' ').next().unwrap_or_default().to_owned()
}

/// A field in kB of what the system says about this process, in bytes.
fn status(name: &str) -> f64 {
    let text = read_to_string("/proc/self/status").unwrap_or_default();
    let line = text.lines().find_map(|line| line.strip_prefix(name)).unwrap_or_default();
    line.trim().trim_end_matches(" kB").parse::<f64>().map_or(f64::NAN, |kilobytes| kilobytes * 1024.0)
}
