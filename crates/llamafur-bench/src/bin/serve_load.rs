//! `llamafur serve` under load: rankings a second and their latency, memory over a million requests, idle and slow clients.
//!
//! Measured on a prepared corpus of any size, the load coming from `wrk` on the same cores through the loopback interface: random
//! pages, all links of each, without sentences. Every rate is compared with that of `/healthz`, which is HTTP alone, in the same run.
//! Left out: clients elsewhere, compression, TLS.

#![allow(clippy::print_stdout, reason = "a benchmark prints")]

use llamafur::corpus::Corpus;
use llamafur::graph::PageId;
use llamafur_bench::machine::{describe, load as machine_load};
use llamafur_bench::served::Server;
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use std::error::Error;
use std::fmt::Write as _;
use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use std::{env, fs, thread};

type Outcome<T> = Result<T, Box<dyn Error>>;

const USAGE: &str = "usage: serve_load LLAMAFUR CORPUS [--seconds 10] [--requests 1000000] [--commit COMMIT] \
                     [--out FOLDER]";

/// Pages asked for, drawn at random.
const PAGES: usize = 20_000;

/// Connections that ask all the time.
const CONNECTIONS: usize = 16;

struct Args {
    llamafur: PathBuf,
    corpus: PathBuf,
    seconds: u64,
    requests: u64,
    commit: Option<String>,
    out: Option<PathBuf>,
}

impl Args {
    fn read() -> Outcome<Args> {
        let mut plain = Vec::new();
        let (mut seconds, mut requests, mut commit, mut out) = (10, 1_000_000, None, None);
        let mut args = env::args().skip(1);
        while let Some(arg) = args.next() {
            let mut value = || args.next().ok_or(USAGE);
            match arg.as_str() {
                "--seconds" => seconds = value()?.parse()?,
                "--requests" => requests = value()?.parse()?,
                "--commit" => commit = Some(value()?),
                "--out" => out = Some(value()?.into()),
                _ => plain.push(PathBuf::from(arg)),
            }
        }
        let [llamafur, corpus] = <[PathBuf; 2]>::try_from(plain).map_err(|_| USAGE)?;
        Ok(Args { llamafur, corpus, seconds, requests, commit, out })
    }
}

/// What wrk says.
struct Load {
    per_second: f64,
    p50: String,
    p99: String,
    requests: u64,
    failed: u64,
}

/// Asks for random pages for so long.
fn load(server: &Server, script: &Path, seconds: u64) -> Outcome<Load> {
    let mut command = Command::new("wrk");
    command
        .args(["-t1", "--latency", "--timeout", "10s"])
        .arg(format!("-c{CONNECTIONS}"))
        .arg(format!("-d{seconds}s"));
    command.arg("-s").arg(script).arg(format!("http://{}/", server.address));
    let text = String::from_utf8(command.output()?.stdout)?;
    let after = |name: &str| {
        let line = text.lines().map(str::trim).find_map(|line| line.strip_prefix(name));
        line.map(|rest| rest.trim().to_owned()).ok_or_else(|| format!("wrk said no {name}: {text}"))
    };
    let requests = text.lines().find_map(|line| line.trim().split_once(" requests in "));
    let failed = after("Non-2xx or 3xx responses:").ok().map_or(Ok(0), |failed| failed.parse())?;
    let errors = text.lines().any(|line| line.trim().starts_with("Socket errors"));
    Ok(Load {
        per_second: after("Requests/sec:")?.parse()?,
        p50: after("50%")?,
        p99: after("99%")?,
        requests: requests.ok_or("wrk said no number of requests")?.0.parse()?,
        failed: failed + u64::from(errors),
    })
}

/// A program for wrk that asks for one address after the other.
fn script(folder: &Path, name: &str, addresses: &[String]) -> Outcome<PathBuf> {
    let mut lua = String::from("local paths = {\n");
    for address in addresses {
        writeln!(lua, "{address:?},")?;
    }
    lua.push_str("}\nlocal at = 0\nrequest = function()\n  at = at % #paths + 1\n  return wrk.format(\"GET\", paths[at])\nend\n");
    let path = folder.join(format!("{name}.lua"));
    fs::write(&path, lua)?;
    Ok(path)
}

fn encoded(title: &str) -> String {
    let plain = |byte: u8| byte.is_ascii_alphanumeric();
    title
        .bytes()
        .map(|byte| if plain(byte) { char::from(byte).to_string() } else { format!("%{byte:02X}") })
        .collect()
}

fn main() -> Outcome<()> {
    let args = Args::read()?;
    let corpus = Corpus::open(&args.corpus)?;
    let mut random = Xoshiro256PlusPlus::seed_from_u64(1);
    let (mut titles, mut num_links) = (Vec::new(), 0);
    while titles.len() < PAGES {
        let page = PageId(random.random_range(0..corpus.num_pages() as u32));
        let links = corpus.links(page)?.len();
        if links > 0 {
            titles.push(encoded(corpus.title(page)?));
            num_links += links;
        }
    }
    let folder = tempfile::tempdir()?;
    let of = |scorer: &str| {
        titles.iter().map(|title| format!("/api/v1/rank?scorer={scorer}&page={title}")).collect::<Vec<_>>()
    };
    let health = script(folder.path(), "health", &["/healthz".to_owned()])?;
    let by_llamafur = script(folder.path(), "llamafur", &of("llamafur"))?;
    let by_blend = script(folder.path(), "blend", &of("blend"))?;

    let server = Server::start(&args.llamafur, &args.corpus)?;
    let mut report = Report::default();
    let (num_pages, all_links, average) =
        (corpus.num_pages(), corpus.num_links(), num_links as f64 / PAGES as f64);
    let commit = args.commit.as_ref().map_or(String::new(), |commit| format!(", commit {commit}"));
    report.say(format!(
        "`make bench-serve CORPUS={}`; {}; load {} at the start{commit}.\n",
        args.corpus.display(),
        describe(),
        machine_load()
    ));
    report.say(format!(
        "{num_pages} pages, {all_links} links; {average:.1} links on average of the {PAGES} pages asked for; {CONNECTIONS} connections.\n"
    ));
    report.say(format!(
        "Started in {:.2} s with the files as they were in memory.\n",
        server.started.as_secs_f64()
    ));
    report.say("| requests | a second | of `/healthz` | median | 99% | failed |\n|---|---|---|---|---|---|");
    // Files come into memory before anything is measured.
    load(&server, &by_blend, args.seconds)?;
    let floor = load(&server, &health, args.seconds)?;
    let mut row = |name: &str, load: Load| {
        let Load { per_second, p50, p99, failed, .. } = load;
        let ratio = per_second / floor.per_second;
        report.say(format!("| {name} | {per_second:.0} | {ratio:.3} | {p50} | {p99} | {failed} |"));
    };
    row("rank by `llamafur`", load(&server, &by_llamafur, args.seconds)?);
    row("rank by `blend`", load(&server, &by_blend, args.seconds)?);
    let idle = (0..10_000).map(|_| TcpStream::connect(&server.address)).collect::<Result<Vec<_>, _>>()?;
    row("rank by `blend`, 10,000 idle connections", load(&server, &by_blend, args.seconds)?);
    drop(idle);
    let kinds: [(&str, usize, SlowClient); 2] = [
        ("500 clients that send a byte a second", 500, send_slowly),
        ("200 clients that read 10 bytes a second of 20 MB", 200, read_slowly),
    ];
    for (name, num, client) in kinds {
        let is_over = AtomicBool::new(false);
        thread::scope(|scope| -> Outcome<()> {
            for _ in 0..num {
                let stream = TcpStream::connect(&server.address)?;
                scope.spawn(|| client(stream, &is_over));
            }
            let measured = load(&server, &by_blend, args.seconds);
            is_over.store(true, Ordering::Relaxed);
            row(&format!("rank by `blend`, {name}"), measured?);
            Ok(())
        })?;
    }
    row("rank by `blend` again", load(&server, &by_blend, args.seconds)?);
    let Load { per_second, p50, p99, failed, .. } = &floor;
    report.say(format!("| `/healthz` | {per_second:.0} | 1 | {p50} | {p99} | {failed} |"));

    report.say("\n| requests by `llamafur` so far | private memory, MB |\n|---|---|");
    let mut sent = 0;
    while sent < args.requests {
        sent += load(&server, &by_llamafur, args.seconds.max(20))?.requests;
        report.say(format!("| {sent} | {:.1} |", server.megabytes("RssAnon:")?));
    }
    report.say(format!("\nLoad {} at the end.", machine_load()));
    if let Some(folder) = &args.out {
        fs::create_dir_all(folder)?;
        fs::write(folder.join("serve.md"), format!("# `llamafur serve` under load\n\n{}", report.0))?;
    }
    Ok(())
}

/// What is printed, and written at the end.
#[derive(Default)]
struct Report(String);

impl Report {
    fn say(&mut self, line: impl AsRef<str>) {
        println!("{}", line.as_ref());
        self.0.push_str(line.as_ref());
        self.0.push('\n');
    }
}

/// What a slow client does until it is told to end.
type SlowClient = fn(TcpStream, &AtomicBool);

/// Sends the head of a request byte by byte, a second each.
fn send_slowly(mut stream: TcpStream, is_over: &AtomicBool) {
    for byte in b"GET /api/v1/rank?page=slow HTTP/1.1\r\n".iter().cycle() {
        if is_over.load(Ordering::Relaxed) || stream.write_all(&[*byte]).is_err() {
            return;
        }
        thread::sleep(Duration::from_secs(1));
    }
}

/// Asks for far more than the system holds for a connection, and reads 10 bytes of it a second.
fn read_slowly(mut stream: TcpStream, is_over: &AtomicBool) {
    let requests = "GET /api/v1/openapi.json HTTP/1.1\r\nhost: localhost\r\n\r\n".repeat(300);
    if stream.write_all(requests.as_bytes()).is_err() {
        return;
    }
    while !is_over.load(Ordering::Relaxed) && stream.read_exact(&mut [0; 10]).is_ok() {
        thread::sleep(Duration::from_secs(1));
    }
}
