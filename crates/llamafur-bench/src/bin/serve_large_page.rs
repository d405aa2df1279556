//! `llamafur serve` while some clients ask for a page with very many links: what the others notice, and how soon the places are
//! free when those clients have left.
//!
//! The corpus is made: a page with 200,000 links in one paragraph, and 2,000 pages with 40 links each, three categories a page, a
//! model. 16 clients ask for the links of random small pages through the loopback interface, one request after the other, alone
//! and then beside four that ask for the first 10,000 links of the large page with their sentences; these leave in the middle of
//! their requests. Left out: clients elsewhere, compression.

#![allow(clippy::print_stdout, reason = "a benchmark prints")]

use llamafur::corpus::{Corpus, CorpusWriter, ListColumn, Provenance, StringColumn};
use llamafur::storage::Existing;
use llamafur_bench::machine::{describe, load as machine_load};
use llamafur_bench::served::Server;
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use std::error::Error;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};
use std::{env, thread};

type Outcome<T> = Result<T, Box<dyn Error + Send + Sync>>;

const USAGE: &str = "usage: serve_large_page LLAMAFUR [--links 200000] [--seconds 10]";

/// Clients that ask for small pages.
const CLIENTS: usize = 16;

/// Clients that ask for the large one.
const HEAVY: usize = 4;

/// Pages with links, beside the large one, and how many each has.
const SMALL_PAGES: usize = 2000;
const SMALL_LINKS: usize = 40;

/// Categories, and how many a page has.
const CATEGORIES: usize = 300;
const OF_PAGE: usize = 3;

/// The longest wait for free places.
const LONGEST: Duration = Duration::from_secs(60);

fn leaf(number: usize) -> String {
    format!("Leaf {number:06}")
}

/// So many of the numbers below a bound, ascending, each once.
fn drawn(random: &mut Xoshiro256PlusPlus, num: usize, below: usize) -> Vec<u32> {
    let mut drawn: Vec<u32> = (0..num).map(|_| random.random_range(0..below as u32)).collect();
    drawn.sort_unstable();
    drawn.dedup();
    drawn
}

/// Makes the corpus: page 0 is the large one, page n the leaf n − 1.
fn make(path: &Path, num_links: usize) -> Outcome<()> {
    let mut random = Xoshiro256PlusPlus::seed_from_u64(1);
    let mut links: Vec<Vec<u32>> = vec![Vec::new(); num_links + 1];
    links[0] = (1..=num_links as u32).collect();
    for page in &mut links[1..=SMALL_PAGES] {
        *page = drawn(&mut random, SMALL_LINKS, num_links);
    }
    let titles = || std::iter::once("Hub".to_owned()).chain((0..num_links).map(leaf));
    let of_page: Vec<Vec<u32>> = (0..=num_links).map(|_| drawn(&mut random, OF_PAGE, CATEGORIES)).collect();
    let mut writer = CorpusWriter::create(path, Existing::Refuse)?;
    writer.write_pages(
        titles().collect::<StringColumn>(),
        links.iter().cloned().collect::<ListColumn>(),
        of_page.into_iter().collect::<ListColumn>(),
    )?;
    let names = (0..CATEGORIES).map(|number| format!("Category {number:03}"));
    writer.write_categories(
        names.collect::<StringColumn>(),
        vec![Vec::<u32>::new(); CATEGORIES].into_iter().collect(),
    )?;
    let mut texts = writer.start_text()?;
    for (title, targets) in titles().zip(&links) {
        let named: Vec<String> = targets
            .iter()
            .map(|&page| page.checked_sub(1).map_or("Hub".into(), |page| leaf(page as usize)))
            .collect();
        texts.push(Some(&format!("{title} is near {}.", named.join(", "))))?;
    }
    writer.finish_text(texts)?;
    Ok(writer.finish(Provenance::default()).map(drop)?)
}

/// A connection that stays open.
struct Client(BufReader<TcpStream>);

impl Client {
    fn connect(address: &str) -> Outcome<Client> {
        let stream = TcpStream::connect(address)?;
        stream.set_read_timeout(Some(LONGEST))?;
        stream.set_nodelay(true)?;
        Ok(Client(BufReader::new(stream)))
    }

    fn send(&mut self, path: &str) -> Outcome<()> {
        write!(self.0.get_mut(), "GET {path} HTTP/1.1\r\nhost: localhost\r\n\r\n")?;
        Ok(())
    }

    /// The status and the body of the next answer.
    fn answer(&mut self) -> Outcome<(u16, Vec<u8>)> {
        let (mut line, mut status, mut length) = (String::new(), 0, 0);
        loop {
            line.clear();
            if self.0.read_line(&mut line)? == 0 {
                return Err("the server closed the connection".into());
            }
            let line = line.trim_end().to_ascii_lowercase();
            if line.is_empty() {
                break;
            } else if let Some(rest) = line.strip_prefix("http/1.1 ") {
                status = rest.split(' ').next().unwrap_or_default().parse()?;
            } else if let Some(rest) = line.strip_prefix("content-length: ") {
                length = rest.parse()?;
            }
        }
        let mut body = vec![0; length];
        self.0.read_exact(&mut body)?;
        Ok((status, body))
    }

    fn get(&mut self, path: &str) -> Outcome<(u16, Vec<u8>)> {
        self.send(path)?;
        self.answer()
    }
}

/// How long requests for small pages took, ascending, and how many failed.
fn measured(address: &str, seconds: u64) -> Outcome<(Vec<Duration>, usize)> {
    let end = Instant::now() + Duration::from_secs(seconds);
    let ask = |seed: usize| -> Outcome<(Vec<Duration>, usize)> {
        let mut random = Xoshiro256PlusPlus::seed_from_u64(seed as u64);
        let (mut client, mut took, mut failed) = (Client::connect(address)?, Vec::new(), 0);
        while Instant::now() < end {
            let page = leaf(random.random_range(0..SMALL_PAGES)).replace(' ', "+");
            let begun = Instant::now();
            let (status, _) = client.get(&format!("/api/v1/rank?page={page}"))?;
            took.push(begun.elapsed());
            failed += usize::from(status != 200);
        }
        Ok((took, failed))
    };
    let answers = thread::scope(|scope| {
        let clients: Vec<_> = (0..CLIENTS).map(|seed| scope.spawn(move || ask(seed))).collect();
        clients.into_iter().map(|client| client.join().map_err(|_| "a client panicked")).collect::<Vec<_>>()
    });
    let (mut all, mut failed) = (Vec::new(), 0);
    for answer in answers {
        let (took, num_failed) = answer??;
        all.extend(took);
        failed += num_failed;
    }
    all.sort_unstable();
    Ok((all, failed))
}

fn milliseconds(took: &[Duration], share: f64) -> f64 {
    let at = (took.len() as f64 * share) as usize;
    took.get(at.min(took.len().saturating_sub(1))).map_or(0.0, |took| took.as_secs_f64() * 1000.0)
}

/// Places that are taken, those of the one who asks left out.
fn places_taken(address: &str) -> Outcome<u64> {
    let (_, text) = Client::connect(address)?.get("/metrics")?;
    let text = String::from_utf8_lossy(&text);
    let figures = text
        .lines()
        .filter_map(|line| line.strip_prefix("llamafur_working{")?.rsplit(' ').next()?.parse::<u64>().ok());
    Ok(figures.sum())
}

fn run(llamafur: &Path, args: &[&str]) -> Outcome<()> {
    let status = Command::new(llamafur).args(args).args(["--progress", "none"]).status()?;
    if status.success() { Ok(()) } else { Err(format!("llamafur {args:?} failed").into()) }
}

fn main() -> Outcome<()> {
    let (mut llamafur, mut num_links, mut seconds) = (None, 200_000, 10);
    let mut args = env::args().skip(1);
    while let Some(arg) = args.next() {
        match arg.as_str() {
            "--links" => num_links = args.next().ok_or(USAGE)?.parse()?,
            "--seconds" => seconds = args.next().ok_or(USAGE)?.parse()?,
            _ => llamafur = Some(PathBuf::from(arg)),
        }
    }
    let llamafur = llamafur.ok_or(USAGE)?;
    let folder = tempfile::tempdir()?;
    let corpus = folder.path().join("large.corpus");
    make(&corpus, num_links)?;
    let place = corpus.to_str().ok_or("the folder has a strange name")?;
    run(&llamafur, &["train", place])?;
    run(&llamafur, &["prepare", place])?;
    println!("A page with {num_links} links; {}; load {} at the start.\n", describe(), machine_load());
    Corpus::open(&corpus)?;

    let server = Server::start(&llamafur, &corpus)?;
    let address = &server.address;
    let large = format!("/api/v1/rank?page=Hub&top={}&snippets=true", num_links.min(10_000));
    let begun = Instant::now();
    let (status, body) = Client::connect(address)?.get(&large)?;
    println!(
        "The large page alone: status {status}, {:.1} MB in {:.2} s.\n",
        body.len() as f64 / 1e6,
        begun.elapsed().as_secs_f64()
    );
    println!(
        "| {CLIENTS} clients | requests a second | median, ms | 99%, ms | failed |\n|---|---|---|---|---|"
    );
    let row = |name: &str, (took, failed): (Vec<Duration>, usize)| {
        let (median, p99) = (milliseconds(&took, 0.5), milliseconds(&took, 0.99));
        let rate = took.len() as f64 / seconds as f64;
        println!("| {name} | {rate:.0} | {median:.2} | {p99:.2} | {failed} |");
        p99
    };
    measured(address, seconds.min(3))?;
    let alone = row("alone", measured(address, seconds)?);
    let is_over = AtomicBool::new(false);
    let mut beside = 0.0;
    let (mut answered, mut refused) = (0, 0);
    thread::scope(|scope| -> Outcome<()> {
        let heavy = || -> Outcome<(usize, usize)> {
            let (mut client, mut answered, mut refused) = (Client::connect(address)?, 0, 0);
            client.0.get_ref().set_read_timeout(Some(Duration::from_millis(100)))?;
            loop {
                client.send(&large)?;
                // Looks now and then whether it is to leave.
                while client.0.fill_buf().is_err() {
                    if is_over.load(Ordering::Relaxed) {
                        return Ok((answered, refused));
                    }
                }
                client.0.get_ref().set_read_timeout(Some(LONGEST))?;
                match client.answer()?.0 {
                    200 => answered += 1,
                    _ => refused += 1,
                }
                client.0.get_ref().set_read_timeout(Some(Duration::from_millis(100)))?;
            }
        };
        let clients: Vec<_> = (0..HEAVY).map(|_| scope.spawn(heavy)).collect();
        let measured = measured(address, seconds);
        is_over.store(true, Ordering::Relaxed);
        beside = row(&format!("beside {HEAVY} that ask for the large page"), measured?);
        for client in clients {
            let (of_client, refused_of_client) = client.join().map_err(|_| "a client panicked")??;
            answered += of_client;
            refused += refused_of_client;
        }
        Ok(())
    })?;
    let left = Instant::now();
    while places_taken(address)? > 0 && left.elapsed() < LONGEST {
        thread::sleep(Duration::from_millis(5));
    }
    println!("\nThe large page was answered {answered} times, and {refused} times the server was busy.");
    println!("99% beside them is {:.1} times that without.", beside / alone);
    println!("All places were free {:.2} s after they had left.", left.elapsed().as_secs_f64());
    println!("Memory of the server, MB: {:.0} at most.", server.megabytes("VmHWM:")?);
    Ok(())
}
