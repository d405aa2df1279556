//! Times exact harmonic centrality, HyperBall, and a whole cleansing, on a synthetic graph of categories of the size
//! of English Wikipedia's.
//!
//! Measured: the time of the calls themselves in one process each, in turn, and the peak resident memory of
//! that process, graph included. Left out: building the graph and the corpus. The cleansing is that of four
//! pages for each category with five categories each, to a milestone for every 56 categories: 4.5 million pages and
//! 20,000 milestones at full size. Usage, with the defaults:
//!
//! ```text
//! cargo run --release -p llamafur --features hyperball --example centrality -- [ROUNDS=3] [NODES=1130000] [LOG2M=12]
//! ```

#![allow(clippy::print_stdout, reason = "a program for people to read")]

mod category_graph;
mod shape;

use std::error::Error;
use std::fs;
use std::io::Write;
use std::path::Path;
use std::process::Command;
use std::time::Instant;

use category_graph::category_graph;
use llamafur::categories::centrality::harmonic;
use llamafur::categories::{Centrality, CleanseConf, Cleanser, Goal};
use llamafur::corpus::{Corpus, CorpusWriter, CsrBuf, Existing, ListColumn, Provenance, StringColumn};
use llamafur::learn::sampler::{Purpose, below, generator};
use llamafur::progress::Silent;
use shape::Shape;

type Outcome<T> = Result<T, Box<dyn Error + Send + Sync>>;

/// How many of the most central nodes are looked at by themselves.
const TOP: usize = 20_000;

fn main() -> Outcome<()> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    match args.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["--child", what, threads, nodes, log2m, file] => {
            child(what, threads.parse()?, nodes.parse()?, log2m.parse()?, file)
        }
        _ => {
            let arg = |i: usize, default: usize| args.get(i).map_or(Ok(default), |arg| arg.parse());
            parent(arg(0, 3)?, arg(1, 1_130_000)?, arg(2, 12)? as u32)
        }
    }
}

fn graph(nodes: usize) -> CsrBuf<u32> {
    category_graph(nodes, nodes * 260 / 113, nodes / 113, 1)
}

/// Runs one method, writes its values to the file, and prints seconds and kibibytes.
fn child(what: &str, threads: usize, nodes: usize, log2m: u32, file: &str) -> Outcome<()> {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build()?;
    if what == "cleanse" {
        return pool.install(|| cleanse(Path::new(file), nodes));
    }
    let graph = graph(nodes);
    let before = Instant::now();
    let values = pool.install(|| match what {
        "hyperball" => approx(&graph, log2m),
        _ => Ok(harmonic(graph.view(), &mut |_| {})),
    });
    let seconds = before.elapsed().as_secs_f64();
    let values = values?;
    say_figures(seconds)?;
    let mut out = std::io::BufWriter::new(fs::File::create(file)?);
    for value in values {
        out.write_all(&value.to_le_bytes())?;
    }
    Ok(out.flush()?)
}

/// Prints seconds, and the kibibytes that the process had at its peak.
fn say_figures(seconds: f64) -> Outcome<()> {
    let status = fs::read_to_string("/proc/self/status")?;
    let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).ok_or("no VmHWM")?;
    println!("{seconds} {}", peak.trim().trim_end_matches(" kB"));
    Ok(())
}

/// Writes a corpus with this graph for its category tree.
fn write_corpus(out: &Path, nodes: usize) -> Outcome<()> {
    let graph = graph(nodes);
    let pages = 4 * nodes;
    let carried = (0..pages).map(|page| {
        let mut draw = generator(1, Purpose::RandomScore, page as u64);
        let mut row: Vec<u32> = (0..5).map(|_| below(&mut draw, nodes as u64) as u32).collect();
        row.sort_unstable();
        row.dedup();
        row
    });
    let mut writer = CorpusWriter::create(out, Existing::Replace)?;
    let titles: StringColumn = (0..pages).map(|page| format!("Page {page:08}")).collect();
    let names: StringColumn = (0..nodes).map(|category| format!("Category {category:08}")).collect();
    writer.write_pages(titles, (0..pages).map(|_| []).collect::<ListColumn>(), carried.collect())?;
    writer.write_categories(names, graph.view().rows().map(|row| row.iter().copied()).collect())?;
    writer.finish(Provenance::default())?;
    Ok(())
}

/// A whole cleansing of the corpus, from opening it to the file on disk.
fn cleanse(corpus: &Path, nodes: usize) -> Outcome<()> {
    let before = Instant::now();
    let corpus = Corpus::open(corpus)?;
    let cleanser = Cleanser::new(&corpus, None, Centrality::Exact, &mut Silent)?;
    let cleansing = cleanser.cleanse(&CleanseConf::default().goal(Goal::Count(nodes / 56)))?;
    cleansing.save(&corpus, "default")?;
    say_figures(before.elapsed().as_secs_f64())
}

#[cfg(feature = "hyperball")]
fn approx(graph: &CsrBuf<u32>, log2m: u32) -> Result<Vec<f64>, String> {
    llamafur::categories::hyperball::harmonic_approx(graph.view(), log2m, 1)
        .map_err(|error| error.to_string())
}

#[cfg(not(feature = "hyperball"))]
fn approx(_: &CsrBuf<u32>, _: u32) -> Result<Vec<f64>, String> {
    Err("built without the feature hyperball".to_owned())
}

fn parent(rounds: usize, nodes: usize, log2m: u32) -> Outcome<()> {
    println!("{}", Shape::of(graph(nodes).view()));

    let all = std::thread::available_parallelism()?.get();
    let mut methods = vec![("exact", 1), ("exact", all)];
    if cfg!(feature = "hyperball") {
        methods.push(("hyperball", all));
    }
    methods.push(("cleanse", all));
    let corpus = std::env::temp_dir().join(format!("centrality-{}.corpus", std::process::id()));
    write_corpus(&corpus, nodes)?;
    let mut runs = vec![Vec::new(); methods.len()];
    let mut values = vec![Vec::new(); methods.len()];
    let file = std::env::temp_dir().join(format!("centrality-{}.f64", std::process::id()));
    for round in 1..=rounds {
        for (i, (what, threads)) in methods.iter().enumerate() {
            let output = Command::new(std::env::current_exe()?)
                .args(["--child", what, &threads.to_string(), &nodes.to_string(), &log2m.to_string()])
                .arg(if *what == "cleanse" { &corpus } else { &file })
                .output()?;
            if !output.status.success() {
                return Err(String::from_utf8_lossy(&output.stderr).into());
            }
            let line = String::from_utf8(output.stdout)?;
            let (seconds, peak) = line.trim().split_once(' ').ok_or("no figures")?;
            let (seconds, peak): (f64, f64) = (seconds.parse()?, peak.parse::<f64>()? / 1024.0);
            let load = fs::read_to_string("/proc/loadavg")?;
            let load = load.split(' ').next().unwrap_or("?");
            println!(
                "round {round}  {what:9} {threads} threads  {seconds:7.2} s  {peak:6.0} MiB  load {load}"
            );
            runs[i].push((seconds, peak));
            if *what == "cleanse" {
                continue;
            }
            let bytes = fs::read(&file)?;
            values[i] = bytes.as_chunks::<8>().0.iter().map(|&bytes| f64::from_le_bytes(bytes)).collect();
        }
    }
    fs::remove_file(&file)?;
    fs::remove_dir_all(&corpus)?;

    let medians: Vec<f64> =
        runs.iter().map(|runs| quantile(runs.iter().map(|run| run.0).collect(), 0.5)).collect();
    println!();
    for (i, (what, threads)) in methods.iter().enumerate() {
        let peak = runs[i].iter().map(|run| run.1).fold(0.0, f64::max);
        println!(
            "{what:9} {threads} threads: median {:7.2} s, {:5.2} times exact on {all}, peak {peak:.0} MiB",
            medians[i],
            medians[i] / medians[1],
        );
    }
    println!("exact values have the same bits: {}", values[0] == values[1]);
    if let [_, _, approx, _] = &values[..] {
        compare(&values[1], approx);
    }
    Ok(())
}

/// Prints how far approximate values are from the exact ones.
fn compare(exact: &[f64], approx: &[f64]) {
    let reached: Vec<usize> = (0..exact.len()).filter(|&i| exact[i] > 0.0).collect();
    let (top, approx_top) = (top(exact), top(approx));
    for (name, nodes) in [("nodes with H > 0", &reached), ("top nodes", &top)] {
        let errors: Vec<f64> = nodes.iter().map(|&i| (approx[i] - exact[i]).abs() / exact[i]).collect();
        println!(
            "relative error of {} {name}: median {:.4}, 95th percentile {:.4}, max {:.4}",
            errors.len(),
            quantile(errors.clone(), 0.5),
            quantile(errors.clone(), 0.95),
            quantile(errors, 1.0),
        );
    }
    let mut common = approx_top;
    common.retain(|node| top.binary_search(node).is_ok());
    println!("common to both tops: {} of {}", common.len(), top.len());
}

/// The most central nodes, those of lower ids first among equals, in ascending order.
fn top(values: &[f64]) -> Vec<usize> {
    let mut nodes: Vec<usize> = (0..values.len()).collect();
    nodes.sort_by(|&a, &b| values[b].total_cmp(&values[a]));
    nodes.truncate(TOP);
    nodes.sort_unstable();
    nodes
}

fn quantile(mut values: Vec<f64>, share: f64) -> f64 {
    values.sort_by(f64::total_cmp);
    let last = values.len().saturating_sub(1) as f64;
    values.get((share * last).round() as usize).copied().unwrap_or(f64::NAN)
}
