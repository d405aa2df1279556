//! How fast the dense learners are, beside what the machine's memory allows.
//!
//! `cargo run --release -p llamafur --example dense_speed -- [PAGES LINKS CATEGORIES] [--tail S] [--times N]`
//! `[--method NAME] [--storage dense|sparse] [--only PART]`
//!
//! Makes a graph in memory from a seed: about four categories a page, with heavy-tailed sizes (the category of
//! rank r is drawn with probability ∝ (r + 30)^−S, S = 1 unless told), heavy-tailed numbers of links, uniform
//! targets. Then measures, in turn in the same process and as medians over N times:
//!
//! - the limit: random reads and writes of one number a cache line in a buffer of the matrix's size, in large
//!   pages, independent of each other, on one and on all threads;
//! - a first program: a plain loop over 64-bit cells with sets of categories, on a share of the pages;
//! - the plain loop of the library, and its learner on one and on all threads.
//!
//! With `--storage sparse` the learner keeps its matrix sparse, and the time to count its cells before is part of
//! the learner's.
//!
//! Left out: reading a corpus, and `naive` unless asked for. Memory never shrinks in the system's account, so each
//! peak is that of a process of its own (`--only loop`, `--only 1`, `--only all`), which the program starts by
//! itself.
#![allow(clippy::print_stdout)]

use llamafur::corpus::{CategoryId, CsrBuf, Graph, PageId};
use llamafur::learn::sampler::{Generator, NonLinks, Purpose, below, generator, page_order, unit};
use llamafur::learn::{
    LearnConf, Learnt, Method, Storage, Waits, learn_counting_waits, learn_plainly, prefetch, sampler,
};
use llamafur::matrix::SparseMatrix;
use llamafur::progress::Progress;
use std::collections::HashSet;
use std::fmt;
use std::process::Command;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};
use std::time::Instant;

#[derive(Clone, Debug)]
struct Args {
    pages: usize,
    links: usize,
    categories: usize,
    tail: f64,
    times: usize,
    method: Option<Method>,
    storage: Storage,
    only: Option<String>,
}

impl Args {
    fn read() -> Result<Args, Box<dyn std::error::Error>> {
        let mut args = Args {
            pages: 450_000,
            links: 11_070_000,
            categories: 20_000,
            tail: 1.0,
            times: 3,
            method: None,
            storage: Storage::Dense,
            only: None,
        };
        let (mut sizes, mut words) = (Vec::new(), std::env::args().skip(1));
        while let Some(word) = words.next() {
            let mut value = || words.next().ok_or_else(|| format!("{word} needs a value"));
            match word.as_str() {
                "--tail" => args.tail = value()?.parse()?,
                "--times" => args.times = value()?.parse()?,
                "--method" => args.method = Some(value()?.parse()?),
                "--storage" => match value()?.as_str() {
                    "dense" => args.storage = Storage::Dense,
                    "sparse" => args.storage = Storage::Sparse,
                    other => return Err(format!("--storage {other}: take dense or sparse").into()),
                },
                "--only" => args.only = Some(value()?),
                size => sizes.push(size.parse::<usize>()?),
            }
        }
        if let [pages, links, categories] = sizes[..] {
            (args.pages, args.links, args.categories) = (pages, links, categories);
        }
        Ok(args)
    }

    fn methods(&self) -> Vec<Method> {
        self.method.map_or(vec![Method::Original, Method::Paper, Method::Averaged], |method| vec![method])
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let args = Args::read()?;
    let tables = tables(&args);
    let graph =
        Graph { links: tables.0.view(), categories: tables.1.view(), num_categories: args.categories };
    if let Some(only) = &args.only {
        return peak_of(&graph, &args, only);
    }
    describe(&graph, &args);
    let all = rayon::current_num_threads();
    let limit = |threads| median(args.times, || limit(args.categories, threads));
    let (one, all_limit) = (limit(1), limit(all));
    println!("limit: {one} on 1 thread, {all_limit} on {all} (M lines/s)");
    for method in args.methods() {
        measure(&graph, &args, method, all, all_limit);
    }
    let (one, all_limit) = (limit(1), limit(all));
    println!("limit again: {one} on 1 thread, {all_limit} on {all}");
    Ok(())
}

fn measure(graph: &Graph<'_>, args: &Args, method: Method, all: usize, limit: Rate) {
    let first = first_program(graph, method);
    let (mut rates, mut waits, mut same) = ([Vec::new(), Vec::new(), Vec::new()], Waits::default(), true);
    for _ in 0..args.times {
        let (plain, plain_rate) = on_loop(graph, method);
        let bits = |learnt: &Learnt| match learnt {
            Learnt::Dense(matrix) => blake(matrix.cells()),
            Learnt::Sparse(matrix) => blake(&all_cells(matrix)),
            Learnt::Factored(_) => 0,
        };
        let expected = bits(&plain);
        drop(plain);
        rates[0].push(plain_rate);
        for (at, threads) in [(1, 1), (2, all)] {
            let (learnt, rate, waited) = on_threads(graph, (method, args.storage), threads);
            rates[at].push(rate);
            waits = waited;
            same &= bits(&learnt) == expected;
        }
    }
    let [plain, one, many] = rates.map(middle);
    println!("{method} (M examples/s, in brackets per thread and second of processor time):");
    println!("    first program {first}, plain loop {plain}, 1 thread {one}, {all} threads {many}");
    println!(
        "    {all} threads to 1: {:.2}; to the loop: {:.1}; of the limit: {:.1}% ({:.1}%); same bits: {same}",
        many.wall / one.wall,
        many.wall / plain.wall,
        100.0 * many.wall / limit.wall,
        100.0 * many.processor / limit.processor,
    );
    println!(
        "    of {} pages {:.2}% out of turn; threads idle {:.2} times in 100 pages",
        waits.pages,
        100.0 * waits.out_of_turn as f64 / waits.pages as f64,
        100.0 * waits.idle as f64 / waits.pages as f64
    );
    for part in ["loop", "1", "all"] {
        let mut command = Command::new(std::env::current_exe().expect("a program has a name"));
        command.args([args.pages, args.links, args.categories].map(|size| size.to_string()));
        command.args(["--tail", &args.tail.to_string(), "--method", method.name(), "--only", part]);
        if args.storage == Storage::Sparse {
            command.args(["--storage", "sparse"]);
        }
        let output = command.output().map(|output| String::from_utf8_lossy(&output.stdout).into_owned());
        println!("    {}", output.unwrap_or_else(|error| error.to_string()).trim_end());
    }
}

/// Runs one part alone and says how much memory the process took at most.
fn peak_of(graph: &Graph<'_>, args: &Args, only: &str) -> Result<(), Box<dyn std::error::Error>> {
    let (method, before) = (args.method.unwrap_or(Method::Original), peak());
    let rate = match only {
        "loop" => on_loop(graph, method).1,
        "1" => on_threads(graph, (method, args.storage), 1).1,
        _ => on_threads(graph, (method, args.storage), rayon::current_num_threads()).1,
    };
    let threads = if only == "all" { rayon::current_num_threads() } else { 1 };
    let peak = peak();
    let limit = median(3, || limit(args.categories, threads));
    println!(
        "peak memory ({only}): {peak:.2} GB, the graph alone {before:.2}; {rate} M examples/s, {:.1}% ({:.1}%) of \
         the limit {limit}",
        100.0 * rate.wall / limit.wall,
        100.0 * rate.processor / limit.processor,
    );
    Ok(())
}

/// `VmHWM` in GB.
fn peak() -> f64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let kilobytes = line.and_then(|line| line.trim().trim_end_matches(" kB").parse::<f64>().ok());
    kilobytes.unwrap_or(f64::NAN) * 1024.0 / 1e9
}

/// Millions a second by the clock, and by the time that the processor spent on us: on a machine that others use,
/// the second is the steadier one. Time spent in the system, giving us memory, is left out of it.
#[derive(Clone, Copy, Debug)]
struct Rate {
    wall: f64,
    processor: f64,
}

impl fmt::Display for Rate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:.2} ({:.2})", self.wall, self.processor)
    }
}

/// A clock that stops when the examples are done: what comes after is not learning.
struct Clock {
    start: (Instant, f64),
    seconds: (f64, f64),
}

impl Clock {
    fn start() -> Clock {
        Clock { start: (Instant::now(), processor_seconds()), seconds: (0.0, 0.0) }
    }

    fn rate(&self, millions: f64) -> Rate {
        Rate { wall: millions / self.seconds.0, processor: millions / self.seconds.1 }
    }
}

impl Progress for Clock {
    fn finish(&mut self) {
        self.seconds = (self.start.0.elapsed().as_secs_f64(), processor_seconds() - self.start.1);
    }
}

/// Seconds that all threads have run, outside the system.
fn processor_seconds() -> f64 {
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let fields = stat.rsplit(')').next().unwrap_or_default();
    let ticks = fields.split_whitespace().nth(11).and_then(|ticks| ticks.parse::<f64>().ok());
    ticks.unwrap_or(f64::NAN) / 100.0
}

fn millions(graph: &Graph<'_>, method: Method) -> f64 {
    let examples = match method {
        Method::Naive => graph.num_links() as u64,
        _ => sampler::num_examples(graph) * LearnConf::default().method(method).passes_or_default() as u64,
    };
    examples as f64 / 1e6
}

fn on_loop(graph: &Graph<'_>, method: Method) -> (Learnt, Rate) {
    let (conf, mut clock) = (LearnConf::default().method(method), Clock::start());
    let (learnt, _) = learn_plainly(graph, &conf, &mut clock).expect("the graph has links and categories");
    (learnt, clock.rate(millions(graph, method)))
}

fn on_threads(
    graph: &Graph<'_>,
    (method, storage): (Method, Storage),
    threads: usize,
) -> (Learnt, Rate, Waits) {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("threads can be started");
    pool.install(|| {
        let (conf, mut clock) = (LearnConf::default().method(method).storage(storage), Clock::start());
        let (learnt, waits) =
            learn_counting_waits(graph, &conf, &mut clock).expect("the graph has links and categories");
        (learnt, clock.rate(millions(graph, method)), waits)
    })
}

/// The learner as anyone would write it first, on a share of the pages; millions of examples a second.
fn first_program(graph: &Graph<'_>, method: Method) -> Rate {
    let sets: Vec<HashSet<u32>> =
        graph.categories.rows().map(|row| row.iter().map(|category| category.0).collect()).collect();
    let num = graph.num_categories;
    let width = if method == Method::Averaged { 2 } else { 1 };
    let mut cells = vec![0.0f64; width * num * num];
    let (mut clock, mut seen) = (Clock::start(), 0u64);
    for page in page_order(graph.num_pages(), 1, 0).into_iter().take(graph.num_pages() / 40) {
        let links = graph.links(page);
        let mut examples: Vec<(PageId, bool)> = links.iter().map(|&target| (target, true)).collect();
        examples.extend(NonLinks::new(graph, page, 1, 0).take(links.len()).map(|target| (target, false)));
        for (target, is_link) in examples {
            seen += 1;
            let (sources, targets) = (&sets[page.index()], &sets[target.index()]);
            let mut cells_of_pairs = Vec::new();
            // The order of a set is not that of the library: this measures time, not weights.
            #[allow(clippy::iter_over_hash_type)]
            for &c in sources {
                for &d in targets {
                    cells_of_pairs.push(width * (c as usize * num + d as usize));
                }
            }
            if cells_of_pairs.is_empty() {
                continue;
            }
            let e: f64 = cells_of_pairs.iter().map(|&at| cells[at]).sum();
            let pairs = cells_of_pairs.len() as f64;
            let rho = if method == Method::Paper { 1.0 / pairs } else { 1.0 / pairs.sqrt() };
            let sigma = if is_link { 1.0 } else { -1.0 };
            let loss = 1.0 - sigma * e * rho;
            if method == Method::Averaged && loss <= 0.0 {
                continue;
            }
            let delta = sigma * rho * loss.min(1.5);
            for at in cells_of_pairs {
                cells[at] += delta;
                if method == Method::Averaged {
                    cells[at + 1] += delta * seen as f64;
                }
            }
        }
    }
    clock.finish();
    clock.rate(seen as f64 / 1e6)
}

/// Millions of random cache lines a second that are read and written.
fn limit(categories: usize, threads: usize) -> Rate {
    const LINE: usize = 16;
    const UPDATES: u64 = 20_000_000;
    const AHEAD: usize = 128;
    thread_local!(static BUFFER: std::cell::RefCell<Vec<AtomicU32>> = const { std::cell::RefCell::new(Vec::new()) });
    BUFFER.with_borrow_mut(|buffer| {
        if buffer.len() < categories * categories {
            *buffer = llamafur::learn::large_buffer(categories * categories);
            // So that the system has given us all of it.
            buffer.iter().step_by(LINE).for_each(|cell| cell.store(1, Relaxed));
        }
        let lines = (buffer.len() / LINE / threads) as u64;
        let mut clock = Clock::start();
        std::thread::scope(|scope| {
            for (thread, lines_of) in (0..threads as u64).zip(buffer.chunks(lines as usize * LINE)) {
                scope.spawn(move || {
                    let mut random = generator(9, Purpose::RandomScore, thread);
                    // Asked for well before they are used: without, the processor sees too few lines ahead, and
                    // reaches half of what memory allows.
                    let mut asked = [0; AHEAD];
                    for update in 0..UPDATES as usize {
                        let next = below(&mut random, lines) as usize * LINE;
                        prefetch(lines_of, next);
                        let at = std::mem::replace(&mut asked[update % AHEAD], next);
                        let cell = &lines_of[at];
                        cell.store((f32::from_bits(cell.load(Relaxed)) + 1.0).to_bits(), Relaxed);
                    }
                });
            }
        });
        clock.finish();
        clock.rate(threads as f64 * UPDATES as f64 / 1e6)
    })
}

fn median(times: usize, mut measure: impl FnMut() -> Rate) -> Rate {
    middle((0..times).map(|_| measure()).collect())
}

fn middle(rates: Vec<Rate>) -> Rate {
    let middle = |of: fn(&Rate) -> f64| {
        let mut values: Vec<f64> = rates.iter().map(of).collect();
        values.sort_by(f64::total_cmp);
        values[values.len() / 2]
    };
    Rate { wall: middle(|rate| rate.wall), processor: middle(|rate| rate.processor) }
}

/// A number that tells matrices apart.
/// The cells of all pairs, row after row.
fn all_cells(matrix: &SparseMatrix) -> Vec<f32> {
    let num = matrix.offsets().len() - 1;
    let mut cells = vec![0.0; num * num];
    for (row, ends) in cells.chunks_mut(num).zip(matrix.offsets().windows(2)) {
        let range = ends[0] as usize..ends[1] as usize;
        for (&column, &weight) in matrix.columns()[range.clone()].iter().zip(&matrix.weights()[range]) {
            row[column as usize] = weight;
        }
    }
    cells
}

fn blake(cells: &[f32]) -> u64 {
    cells
        .iter()
        .fold(0u64, |sum, cell| sum.rotate_left(5) ^ u64::from(cell.to_bits()).wrapping_mul(0x9E37_79B9))
}

fn describe(graph: &Graph<'_>, args: &Args) {
    let mut sizes = vec![0u32; args.categories];
    graph.categories.values().iter().for_each(|category| sizes[category.index()] += 1);
    sizes.sort_unstable_by(|a, b| b.cmp(a));
    println!(
        "{} pages, {} links, {} categories ({:.2} a page, the largest on {:.1}% of the pages, the 100th on {:.2}%)",
        graph.num_pages(),
        graph.num_links(),
        args.categories,
        graph.categories.num_values() as f64 / graph.num_pages() as f64,
        100.0 * f64::from(sizes[0]) / graph.num_pages() as f64,
        100.0 * f64::from(sizes[99.min(sizes.len() - 1)]) / graph.num_pages() as f64,
    );
}

fn tables(args: &Args) -> (CsrBuf<PageId>, CsrBuf<CategoryId>) {
    let mut random = generator(20160522, Purpose::RandomScore, 1);
    let mut sums = vec![0.0];
    for rank in 0..args.categories {
        sums.push(sums[rank] + (rank as f64 + 30.0).powf(-args.tail));
    }
    // Frequent categories have any number.
    let mut names: Vec<u32> = (0..args.categories as u32).collect();
    sampler::shuffle(&mut random, &mut names);
    let category = |random: &mut Generator| {
        let at = unit(random) * sums[args.categories];
        CategoryId(names[sums.partition_point(|sum| *sum <= at).min(args.categories) - 1])
    };
    let categories = (0..args.pages).map(|_| {
        // One to seven, four on average, and a few pages with none.
        let num = below(&mut random, 7) + 1;
        let num = if below(&mut random, 50) == 0 { 0 } else { num };
        let mut row: Vec<CategoryId> = (0..num).map(|_| category(&mut random)).collect();
        row.sort_unstable();
        row.dedup();
        row
    });
    let categories = categories.collect();
    let mean = args.links as f64 / args.pages as f64;
    let links = (0..args.pages).map(|page| {
        // A Pareto law of exponent 2 has twice its least value for a mean.
        let num = (mean / 2.0 / (1.0 - unit(&mut random)).sqrt()).min(args.pages as f64 / 10.0) as usize;
        let target = |random: &mut Generator| PageId(below(random, args.pages as u64) as u32);
        let mut row: Vec<PageId> = (0..num).map(|_| target(&mut random)).collect();
        row.retain(|target| target.index() != page);
        row.sort_unstable();
        row.dedup();
        row
    });
    (links.collect(), categories)
}
