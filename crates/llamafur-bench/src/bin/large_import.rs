//! Memory and time of a large import, and of opening what it made and reading one page.
//!
//! Usage: `cargo run --release -p llamafur-bench --bin large_import -- LINKS`. Makes tables of LINKS random
//! links over LINKS/24 pages with four of 20,000 categories each, in a temporary folder on the disk of the
//! current one; imports them with the default buffer; then, in a new process, opens the corpus, finds a page by
//! its folded title and reads the titles and categories of all its links. Left out: making the tables, and the
//! disk (the tables and the corpus are in the page cache where they fit). Peak memory is the kernel's VmHWM,
//! which counts mapped files as long as they are resident.
#![allow(clippy::print_stdout, reason = "a benchmark prints")]

use llamafur::corpus::{Corpus, Found};
use llamafur::human_bytes;
use llamafur::learn::sampler::{Purpose, below, generator};
use llamafur::progress::Silent;
use llamafur_import::table::{TableConf, import};
use std::error::Error;
use std::fs::{self, File};
use std::io::{BufWriter, Write};
use std::path::Path;
use std::process::Command;
use std::time::Instant;

const CATEGORIES: u64 = 20_000;
const CATEGORIES_A_PAGE: u64 = 4;
const LINKS_A_PAGE: u64 = 24;
/// The importer's default buffer, in bytes.
const BUFFER: u64 = 256 << 20;

type AnyError = Box<dyn Error>;

fn main() -> Result<(), AnyError> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match &arguments[..] {
        [flag, corpus] if flag == "--open" => open(Path::new(corpus)),
        [links] => run(links.parse()?),
        _ => Err("give the number of links".into()),
    }
}

fn run(num_links: u64) -> Result<(), AnyError> {
    let folder = tempfile::tempdir_in(".")?;
    let (links, categories) = (folder.path().join("links.tsv"), folder.path().join("categories.tsv"));
    let num_pages = num_links / LINKS_A_PAGE;
    let rows = write_tables(num_links, num_pages, &links, &categories)?;
    let corpus = folder.path().join("large.corpus");
    let started = Instant::now();
    let imported = import(&TableConf::new(&links).categories(&categories), &corpus, &mut Silent)?;
    let seconds = started.elapsed().as_secs_f64();
    let bytes: u64 = imported.manifest.files.values().map(|file| file.bytes).sum();
    let peak = memory("VmHWM")?;
    let counts = imported.manifest.counts;
    println!("rows read            {rows} ({:.1} million a second)", rows as f64 / seconds / 1e6);
    println!("corpus               {} pages, {} links, {}", counts.pages, counts.links, human_bytes(bytes));
    println!("peak memory          {}", human_bytes(peak));
    println!("corpus + two buffers {}", human_bytes(bytes + 2 * BUFFER));
    fs::remove_file(links)?;
    let status = Command::new(std::env::current_exe()?).arg("--open").arg(&corpus).status()?;
    if status.success() { Ok(()) } else { Err("the corpus could not be opened".into()) }
}

fn write_tables(num_links: u64, num_pages: u64, links: &Path, categories: &Path) -> Result<u64, AnyError> {
    let mut draw = generator(1, Purpose::RandomScore, 0);
    let mut file = BufWriter::with_capacity(1 << 20, File::create(links)?);
    for _ in 0..num_links {
        let source = below(&mut draw, num_pages);
        // The minimum of two draws: some pages are linked to much more often than others.
        let target = below(&mut draw, num_pages).min(below(&mut draw, num_pages));
        writeln!(file, "Page {source}\tPage {target}")?;
    }
    file.flush()?;
    let mut file = BufWriter::with_capacity(1 << 20, File::create(categories)?);
    for page in 0..num_pages {
        for _ in 0..CATEGORIES_A_PAGE {
            writeln!(file, "Page {page}\tCategory {}", below(&mut draw, CATEGORIES))?;
        }
    }
    file.flush()?;
    Ok(num_links + num_pages * CATEGORIES_A_PAGE)
}

fn open(path: &Path) -> Result<(), AnyError> {
    let started = Instant::now();
    let corpus = Corpus::open(path)?;
    let opened = started.elapsed();
    let Found::One(page) = corpus.find_page("page_12345")? else { return Err("no such page".into()) };
    let links = corpus.links(page)?;
    let mut read = 0;
    for &target in links {
        read += corpus.title(target)?.len() + corpus.categories(target)?.len();
    }
    let done = started.elapsed();
    println!("opened in            {:.1} ms", opened.as_secs_f64() * 1e3);
    println!(
        "one page in          {:.1} ms ({} links, {read} letters and categories)",
        (done - opened).as_secs_f64() * 1e3,
        links.len()
    );
    println!(
        "read and checked     {} of {}",
        human_bytes(corpus.bytes_checked()),
        human_bytes(corpus_bytes(&corpus))
    );
    Ok(())
}

fn corpus_bytes(corpus: &Corpus) -> u64 {
    corpus.manifest().files.values().map(|file| file.bytes).sum()
}

/// A figure of this process's memory, in bytes, as the kernel gives it.
fn memory(name: &str) -> Result<u64, AnyError> {
    let status = fs::read_to_string("/proc/self/status")?;
    let line = status.lines().find(|line| line.starts_with(name)).ok_or("the kernel does not say")?;
    let kilobytes: u64 = line.split_whitespace().nth(1).ok_or("the kernel does not say")?.parse()?;
    Ok(kilobytes * 1024)
}
