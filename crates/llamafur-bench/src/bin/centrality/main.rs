//! Times harmonic centrality and a whole cleansing, on a synthetic graph of categories of the size of English
//! Wikipedia's.
//!
//! Measured: the time of the calls themselves in one process each, in turn, and the peak resident memory of
//! that process, graph included. Left out: building the graph and the corpus. The cleansing is that of four
//! pages for each category with five categories each, to a milestone for every 56 categories: 4.5 million pages and
//! 20,000 milestones at full size. Usage, with the defaults:
//!
//! ```text
//! cargo run --release -p llamafur-bench --bin centrality -- [ROUNDS=3] [NODES=1130000]
//! ```

#![allow(clippy::print_stdout, reason = "a benchmark prints")]

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
use llamafur::categories::{CleanseConf, Cleanser, Goal};
use llamafur::corpus::{Corpus, CorpusWriter, ListColumn, Provenance, StringColumn};
use llamafur::learn::sampler::{Purpose, below, generator};
use llamafur::progress::Silent;
use llamafur::storage::{CsrBuf, Existing};
use shape::Shape;

type Outcome<T> = Result<T, Box<dyn Error + Send + Sync>>;

fn main() -> Outcome<()> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    match args.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["--child", what, threads, nodes, file] => child(what, threads.parse()?, nodes.parse()?, file),
        _ => {
            let arg = |i: usize, default: usize| args.get(i).map_or(Ok(default), |arg| arg.parse());
            parent(arg(0, 3)?, arg(1, 1_130_000)?)
        }
    }
}

fn graph(nodes: usize) -> CsrBuf<u32> {
    category_graph(nodes, nodes * 260 / 113, nodes / 113, 1)
}

/// Runs one method, writes its values to the file, and prints seconds and kibibytes.
fn child(what: &str, threads: usize, nodes: usize, file: &str) -> Outcome<()> {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build()?;
    if what == "cleanse" {
        return pool.install(|| cleanse(Path::new(file), nodes));
    }
    let graph = graph(nodes);
    let before = Instant::now();
    let values = pool.install(|| harmonic(graph.view(), &mut |_| {}));
    say_figures(before.elapsed().as_secs_f64())?;
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
    let cleanser = Cleanser::new(&corpus, None, &mut Silent)?;
    let cleansing = cleanser.cleanse(&CleanseConf::default().goal(Goal::Count(nodes / 56)))?;
    cleansing.save(&corpus, "default")?;
    say_figures(before.elapsed().as_secs_f64())
}

fn parent(rounds: usize, nodes: usize) -> Outcome<()> {
    println!("{}", Shape::of(graph(nodes).view()));

    let all = std::thread::available_parallelism()?.get();
    let methods = [("centrality", 1), ("centrality", all), ("cleanse", all)];
    let corpus = std::env::temp_dir().join(format!("centrality-{}.corpus", std::process::id()));
    write_corpus(&corpus, nodes)?;
    let mut runs = vec![Vec::new(); methods.len()];
    let mut values = Vec::new();
    let file = std::env::temp_dir().join(format!("centrality-{}.f64", std::process::id()));
    for round in 1..=rounds {
        for (i, (what, threads)) in methods.iter().enumerate() {
            let output = Command::new(std::env::current_exe()?)
                .args(["--child", what, &threads.to_string(), &nodes.to_string()])
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
                "round {round}  {what:10} {threads} threads  {seconds:7.2} s  {peak:6.0} MiB  load {load}"
            );
            runs[i].push((seconds, peak));
            if *what != "cleanse" {
                values.push(fs::read(&file)?);
            }
        }
    }
    fs::remove_file(&file)?;
    fs::remove_dir_all(&corpus)?;

    let medians: Vec<f64> = runs.iter().map(|runs| median(runs.iter().map(|run| run.0).collect())).collect();
    println!();
    for (i, (what, threads)) in methods.iter().enumerate() {
        let peak = runs[i].iter().map(|run| run.1).fold(0.0, f64::max);
        println!(
            "{what:10} {threads} threads: median {:7.2} s, {:5.2} times centrality on {all}, peak {peak:.0} MiB",
            medians[i],
            medians[i] / medians[1],
        );
    }
    println!("the values have the same bits in every run: {}", values.iter().all(|run| *run == values[0]));
    Ok(())
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or(f64::NAN)
}
