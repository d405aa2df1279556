//! How fast dumps are imported, beside `lbzip2 -dc > /dev/null` on the same file and the same cores.
//!
//! Usage: `cargo run --release -p llamafur-bench --bin wiki_speed -- DATA [MEGABYTES]`, with `llamafur` built in
//! release beside it and `lbzip2` on the path. DATA holds real dumps (`wikispeedia`, `wiki-pam`, `wiki-mhr`).
//! Makes, in a temporary folder on the disk of the current one,
//!
//! - a dump of at least MEGABYTES (1000) of XML: the pages of the real ones, again and again under new titles,
//!   compressed as one stream and as a multistream of 100 pages a stream, as Wikimedia does;
//! - a dump of a million small pages, eight links and two categories each; with MEGABYTES = 0 only this one.
//!
//! With `--decoders DATA` it only compares decoders on the real files, one thread each: ours, `lbzip2 -n1 -dc` and the
//! `bzip2` crate.
//!
//! With `--write ARTICLES REDIRECTS LINKS` it only writes a dump of that size to the standard output, to be piped into
//! `llamafur import wiki -`: how much memory does a wiki of English Wikipedia's size need?
//!
//! Then runs decompression and import in turn, RUNS times, and prints medians and the ratio of the two. Plain XML
//! is scanned without storing the text, by one thread and by all. Left out: making the dumps; the disk, as far as
//! the page cache holds the files.
#![allow(clippy::print_stdout, reason = "a benchmark prints")]

use bzip2::Compression;
use bzip2::write::BzEncoder;
use llamafur::human_bytes;
use llamafur::learn::sampler::{Purpose, below, generator};
use llamafur_import::bzip2::{BlockDecoder, Joiner, Piece, Splitter};
use rayon::prelude::*;
use std::error::Error;
use std::fs::{self, File};
use std::io::{BufWriter, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Instant;

const RUNS: usize = 5;
const PAGES_A_STREAM: usize = 100;
const SMALL_PAGES: u64 = 1_000_000;
const DUMPS: [&str; 3] = [
    "wikispeedia/wikispeedia-pages-articles.xml.bz2",
    "wiki-pam/pamwiki-pages-articles.xml.bz2",
    "wiki-mhr/mhrwiki-pages-articles.xml.bz2",
];
const HEAD: &str = "<mediawiki version=\"0.11\" xml:lang=\"en\">\n<siteinfo><dbname>benchwiki</dbname><namespaces>\
    <namespace key=\"14\" case=\"first-letter\">Category</namespace></namespaces></siteinfo>\n";
const TAIL: &str = "</mediawiki>\n";

type AnyError = Box<dyn Error>;

fn main() -> Result<(), AnyError> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let (data, megabytes) = match &arguments[..] {
        [flag, data] if flag == "--decoders" => return decoders(Path::new(data)),
        [flag, sizes @ ..] if flag == "--write" => {
            let sizes: Result<Vec<u64>, _> = sizes.iter().map(|size| size.parse()).collect();
            let [articles, redirects, links] = sizes?[..] else { return Err("give three sizes".into()) };
            return write_large(articles, redirects, links);
        }
        [data] => (data, 1000),
        [data, megabytes] => (data, megabytes.parse()?),
        _ => return Err("give the folder of the real dumps".into()),
    };
    let folder = tempfile::tempdir_in(".")?;
    println!("dump                            XML       packed  lbzip2 -dc      import   ratio  peak memory");
    if megabytes > 0 {
        real_pages(Path::new(data), megabytes * 1_000_000, folder.path())?;
    }
    let small = folder.path().join("small.xml");
    write_small(&small)?;
    let packed = lbzip2(&small)?;
    compare("a million small pages", &small, &packed, &[])
}

fn real_pages(data: &Path, bytes: u64, folder: &Path) -> Result<(), AnyError> {
    let real = folder.join("real.xml");
    write_real(data, bytes, &real)?;
    let one = lbzip2(&real)?;
    let many = multistream(&real)?;
    compare("real pages, one stream", &real, &one, &[])?;
    compare("real pages, multistream", &real, &many, &[])?;
    compare("real pages, no text", &real, &many, &["--no-text"])?;
    scan(&real)?;
    for file in [&real, &one, &many] {
        fs::remove_file(file)?;
    }
    Ok(())
}

/// Decodes the real files with one thread, in turn with each decoder.
fn decoders(data: &Path) -> Result<(), AnyError> {
    println!(
        "file                                      unpacked      ours  lbzip2 -n1  bzip2 crate  lbzip2/ours  crate/ours"
    );
    for name in DUMPS {
        let file = data.join(name);
        let packed = fs::read(&file).map_err(|e| format!("{}: {e}", file.display()))?;
        let (mut ours, mut lbzip2, mut theirs, mut bytes) = (Vec::new(), Vec::new(), Vec::new(), 0);
        for _ in 0..RUNS {
            let started = Instant::now();
            bytes = decode(&packed)?;
            ours.push(started.elapsed().as_secs_f64());
            let started = Instant::now();
            Command::new("lbzip2").args(["-n1", "-dc"]).arg(&file).stdout(Stdio::null()).status()?;
            lbzip2.push(started.elapsed().as_secs_f64());
            let started = Instant::now();
            let mut decoder = bzip2::read::MultiBzDecoder::new(&packed[..]);
            std::io::copy(&mut decoder, &mut std::io::sink())?;
            theirs.push(started.elapsed().as_secs_f64());
        }
        let (ours, lbzip2, theirs) = (median(&ours), median(&lbzip2), median(&theirs));
        let name = name.rsplit('/').next().unwrap_or(name);
        println!(
            "{name:<40} {:>9} {ours:>7.2} s {lbzip2:>9.2} s {theirs:>10.2} s {:>12.2} {:>11.2}",
            human_bytes(bytes),
            lbzip2 / ours,
            theirs / ours
        );
    }
    Ok(())
}

/// Decodes a file by our own decoder; gives the number of bytes.
fn decode(packed: &[u8]) -> Result<u64, AnyError> {
    let (mut splitter, mut decoder, mut joiner) = (Splitter::new(packed), BlockDecoder::new(), Joiner::new());
    let mut bytes = 0;
    let mut count = |piece: Piece| match piece {
        Piece::Data { bytes: data, .. } => {
            bytes += data.len() as u64;
            Ok(())
        }
        Piece::Gap { why, .. } => Err(why),
    };
    while let Some(candidate) = splitter.next_piece()? {
        let decoded = candidate.decode(&mut decoder);
        joiner.push(candidate, decoded).try_for_each(&mut count)?;
    }
    joiner.finish().try_for_each(&mut count)?;
    Ok(bytes)
}

/// Runs both in turn and prints a line.
fn compare(name: &str, xml: &Path, packed: &Path, options: &[&str]) -> Result<(), AnyError> {
    let (mut unpacking, mut importing, mut memory) = (Vec::new(), Vec::new(), 0);
    for _ in 0..RUNS {
        let started = Instant::now();
        let status = Command::new("lbzip2").arg("-dc").arg(packed).stdout(Stdio::null()).status()?;
        if !status.success() {
            return Err("lbzip2 failed".into());
        }
        unpacking.push(started.elapsed().as_secs_f64());
        let (seconds, peak) = import(packed, options)?;
        importing.push(seconds);
        memory = memory.max(peak);
    }
    let ratios = importing.iter().zip(&unpacking).map(|(import, unpack)| import / unpack);
    println!(
        "{name:<25} {:>9} {:>12} {:>9.2} s {:>9.2} s {:>7.2} {:>12}",
        human_bytes(fs::metadata(xml)?.len()),
        human_bytes(fs::metadata(packed)?.len()),
        median(&unpacking),
        median(&importing),
        median(&ratios.collect::<Vec<_>>()),
        human_bytes(memory)
    );
    Ok(())
}

/// Scans plain XML with one thread and with all; at first without anything else, from memory.
fn scan(xml: &Path) -> Result<(), AnyError> {
    let bytes = fs::metadata(xml)?.len() as f64;
    let text = fs::read(xml)?;
    let runs = (0..RUNS).map(|_| {
        let started = Instant::now();
        let pages = llamafur_import::wiki::count_pages(&text, 1 << 20);
        assert!(pages > 0);
        started.elapsed().as_secs_f64()
    });
    println!(
        "XML and wikitext scanned by one thread: {:.0} MB/s",
        bytes / median(&runs.collect::<Vec<_>>()) / 1e6
    );
    drop(text);
    let cores = std::thread::available_parallelism()?.get();
    for threads in [1, cores] {
        let count = threads.to_string();
        let runs: Result<Vec<f64>, AnyError> =
            (0..RUNS).map(|_| Ok(import(xml, &["--no-text", "--threads", &count])?.0)).collect();
        let rate = bytes / median(&runs?) / 1e6;
        println!(
            "plain XML, {threads} thread(s), no text: {rate:.0} MB/s, {:.0} MB/s a thread",
            rate / threads as f64
        );
    }
    Ok(())
}

/// Imports a dump; gives seconds and peak memory.
fn import(dump: &Path, options: &[&str]) -> Result<(f64, u64), AnyError> {
    let program = std::env::current_exe()?.with_file_name("llamafur");
    let corpus = dump.with_extension("corpus");
    let started = Instant::now();
    let output = Command::new(program)
        .args(["import", "wiki", "--overwrite", "--progress", "none", "--format", "json", "--out"])
        .arg(&corpus)
        .arg(dump)
        .args(options)
        .stderr(Stdio::inherit())
        .output()?;
    let seconds = started.elapsed().as_secs_f64();
    let report: serde_json::Value = serde_json::from_slice(&output.stdout)?;
    fs::remove_dir_all(&corpus)?;
    Ok((seconds, report["peak_memory_bytes"].as_u64().ok_or("no peak memory")?))
}

fn median(values: &[f64]) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    sorted[sorted.len() / 2]
}

/// Writes the real pages until there are enough bytes, each round under new titles.
fn write_real(data: &Path, at_least: u64, path: &Path) -> Result<(), AnyError> {
    let mut dumps = Vec::new();
    for name in DUMPS {
        let file = data.join(name);
        let mut text = String::new();
        let read = File::open(&file)
            .and_then(|file| bzip2::read::MultiBzDecoder::new(file).read_to_string(&mut text));
        read.map_err(|e| format!("{}: {e}", file.display()))?;
        dumps.push(text);
    }
    let mut out = BufWriter::with_capacity(1 << 20, File::create(path)?);
    write!(out, "{HEAD}")?;
    let (mut written, mut round) = (0, 0);
    while written < at_least {
        for dump in &dumps {
            for page in pages(dump) {
                let page = page.replacen("</title>", &format!(" {round}</title>"), usize::from(round > 0));
                writeln!(out, "{page}")?;
                written += page.len() as u64 + 1;
            }
        }
        round += 1;
    }
    write!(out, "{TAIL}")?;
    Ok(out.flush()?)
}

fn pages(dump: &str) -> impl Iterator<Item = &str> {
    dump.split_inclusive("</page>").filter_map(|part| Some(&part[part.find("<page>")?..]))
}

fn write_small(path: &Path) -> Result<(), AnyError> {
    let mut draw = generator(1, Purpose::RandomScore, 1);
    let mut out = BufWriter::with_capacity(1 << 20, File::create(path)?);
    write!(out, "{HEAD}")?;
    for page in 0..SMALL_PAGES {
        write!(
            out,
            "<page><title>Page {page}</title><ns>0</ns><id>{page}</id><revision><id>{page}</id><text>"
        )?;
        for word in
            ["stands between", "looks like", "was before", "comes after", "is near", "has", "met", "left"]
        {
            let target = below(&mut draw, SMALL_PAGES).min(below(&mut draw, SMALL_PAGES));
            write!(out, "It {word} [[page {target}|number {}]]. ", target % 1000)?;
        }
        let (a, b) = (below(&mut draw, 20_000), below(&mut draw, 20_000));
        writeln!(out, "[[Category:Kind {a}]] [[Category:Kind {b}]]</text></revision></page>")?;
    }
    write!(out, "{TAIL}")?;
    Ok(out.flush()?)
}

/// Titles of English Wikipedia have 21 bytes on average.
fn title(kind: &str, number: u64) -> String {
    format!("{kind} number {number:07}")
}

/// Writes a dump of short articles to the standard output. Of the links, one in eight goes to a redirect and one in
/// ten is red; every article has four of a million categories.
fn write_large(articles: u64, redirects: u64, links: u64) -> Result<(), AnyError> {
    let mut draw = generator(1, Purpose::RandomScore, 2);
    let mut out = BufWriter::with_capacity(1 << 20, std::io::stdout().lock());
    write!(out, "{HEAD}")?;
    let (mut red, mut written) = (0, 0);
    for page in 0..articles {
        let name = title("Article", page);
        write!(out, "<page><title>{name}</title><ns>0</ns><id>{page}</id><revision><id>{page}</id><text>")?;
        while written < links * (page + 1) / articles {
            let target = match below(&mut draw, 40) {
                0..4 => {
                    red += 1;
                    title("Missing", red / 3)
                }
                4..9 => title("Another", below(&mut draw, redirects)),
                _ => title("Article", below(&mut draw, articles).min(below(&mut draw, articles))),
            };
            write!(out, "[[{target}]] ")?;
            written += 1;
        }
        for _ in 0..4 {
            write!(out, "[[Category:{}]] ", title("Category", below(&mut draw, 1_000_000)))?;
        }
        writeln!(out, "</text></revision></page>")?;
    }
    for number in 0..redirects {
        let (name, target) = (title("Another", number), title("Article", below(&mut draw, articles)));
        writeln!(
            out,
            "<page><title>{name}</title><ns>0</ns><id>{}</id><redirect title=\"{target}\"/><revision><text/></revision></page>",
            articles + number
        )?;
    }
    write!(out, "{TAIL}")?;
    Ok(out.flush()?)
}

/// Compresses a file as one stream.
fn lbzip2(xml: &Path) -> Result<PathBuf, AnyError> {
    let packed = xml.with_extension("one.bz2");
    let status = Command::new("lbzip2").arg("-zc").arg(xml).stdout(File::create(&packed)?).status()?;
    if status.success() { Ok(packed) } else { Err("lbzip2 failed".into()) }
}

/// Compresses a file as streams of a hundred pages.
fn multistream(xml: &Path) -> Result<PathBuf, AnyError> {
    let text = fs::read_to_string(xml)?;
    let pages: Vec<&str> = text.split_inclusive("</page>\n").collect();
    let groups: Vec<String> = pages.chunks(PAGES_A_STREAM).map(|pages| pages.concat()).collect();
    let packed: Result<Vec<Vec<u8>>, std::io::Error> = groups
        .par_iter()
        .map(|group| {
            let mut encoder = BzEncoder::new(Vec::new(), Compression::best());
            encoder.write_all(group.as_bytes())?;
            encoder.finish()
        })
        .collect();
    let path = xml.with_extension("many.bz2");
    let mut out = BufWriter::new(File::create(&path)?);
    packed?.iter().try_for_each(|stream| out.write_all(stream))?;
    out.flush()?;
    Ok(path)
}
