//! All of English Wikipedia, step by step: time and peak memory from a dump to an answer, and how they grow.
//!
//! `cargo run --release -p llamafur-bench --bin english -- [--scales 0.1] [--keep FOLDER] [--parts LIST]`
//! `[--packing zstd|bzip2] [--train OPTIONS] [--memory SIZE] [--commit COMMIT] [--out FOLDER]`, with `llamafur` built in
//! release beside it.
//!
//! For each scale (1 is English Wikipedia's size; several, with commas between them, show how cost grows) a dump is made
//! (`llamafur_bench::wiki`), and then, by parts:
//!
//! - `steps`: import, cleanse, train, prepare and the first ranking, each a process of its own. Time by the clock; the peak
//!   of all memory that is resident, mapped files included (`VmHWM`); the peak of private memory (`RssAnon`); what is on
//!   disk then;
//! - `rank`: `llamafur rank PAGE` of 100 pages drawn at random, a process each, after one that warms the files; and,
//!   within this process, rankings of pages with about 25 and 2,000 links;
//! - `score`: every link by `blend` and by `llamafur`: within this process, without writing, and by the command, with what it
//!   takes to open the corpus and to write the file.
//!
//! What is made is in FOLDER and stays there, to be used by the next run, which then leaves out what is there of the dump, and may leave
//! out `steps`; without `--keep` it is in a temporary folder on the disk of the current one. With `--write SCALE` the
//! program only writes the dump, as plain XML, to the standard output.
//!
//! Left out: making the dump; the disk, as far as the page cache holds the files.
#![allow(clippy::print_stdout, reason = "a benchmark prints")]

mod process;
mod ranking;
mod scoring;
mod steps;

use llamafur::human_bytes;
use llamafur_bench::wiki::{Packing, Wiki};
use std::error::Error;
use std::fs::{self, File};
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};
use std::time::Instant;

type Outcome<T> = Result<T, Box<dyn Error>>;

/// What was asked for.
struct Args {
    scales: Vec<f64>,
    parts: Vec<String>,
    keep: Option<PathBuf>,
    packing: Packing,
    /// Options of `train`, with spaces between them.
    train: String,
    /// How much memory `prepare` may take.
    memory: Option<String>,
    commit: Option<String>,
    out: Option<PathBuf>,
}

impl Args {
    fn read() -> Outcome<Args> {
        let parts = ["steps", "rank", "score"].map(str::to_owned).to_vec();
        let (keep, memory, commit, out) = (None, None, None, None);
        let (scales, packing, train) = (vec![0.1], Packing::Zstd, String::new());
        let mut args = Args { scales, parts, keep, packing, train, memory, commit, out };
        let mut words = std::env::args().skip(1);
        while let Some(word) = words.next() {
            let value = words.next().ok_or_else(|| format!("{word} needs a value"))?;
            match (word.as_str(), value.as_str()) {
                ("--scales", list) => {
                    args.scales = list.split([',', ' ']).map(str::parse).collect::<Result<_, _>>()?;
                }
                ("--parts", list) => args.parts = list.split(',').map(str::to_owned).collect(),
                ("--keep", folder) => args.keep = Some(folder.into()),
                ("--packing", "zstd") => args.packing = Packing::Zstd,
                ("--packing", "bzip2") => args.packing = Packing::Bzip2,
                ("--train", options) => args.train = options.into(),
                ("--memory", size) => args.memory = Some(size.into()),
                ("--commit", commit) => args.commit = Some(commit.into()),
                ("--out", folder) => args.out = Some(folder.into()),
                ("--write", scale) => {
                    let mut out = std::io::stdout();
                    Wiki::new(scale.parse()?).write_dump(Packing::Plain, &mut out)?;
                    std::process::exit(0);
                }
                _ => return Err(format!("no option {word} {value}").into()),
            }
        }
        Ok(args)
    }

    fn is_asked_for(&self, part: &str) -> bool {
        self.parts.iter().any(|asked| asked == part)
    }
}

fn main() -> Outcome<()> {
    let args = Args::read()?;
    let temporary = if args.keep.is_none() { Some(tempfile::tempdir_in(".")?) } else { None };
    let folder = match (&args.keep, &temporary) {
        (Some(folder), _) => folder.as_path(),
        (None, Some(temporary)) => temporary.path(),
        (None, None) => return Err("no folder".into()),
    };
    fs::create_dir_all(folder)?;
    let mut report = Report::new(&args)?;
    let mut grown = Vec::new();
    for &scale in &args.scales {
        let corpus = folder.join(format!("english-{scale}.corpus"));
        if args.is_asked_for("steps") {
            let dump = dump(scale, args.packing, folder, &mut report)?;
            let steps = steps::run(&dump, &corpus, &args.train, args.memory.as_deref())?;
            report.say(&steps::table(scale, &corpus, &steps)?)?;
            grown.push((scale, steps));
        }
        if args.is_asked_for("rank") {
            report.say(&ranking::table(scale, &corpus)?)?;
        }
        if args.is_asked_for("score") {
            report.say(&scoring::table(scale, &corpus)?)?;
        }
    }
    if grown.len() > 1 {
        report.say(&steps::growth(&grown))?;
    }
    Ok(())
}

/// The dump of a scale, made unless it is there.
fn dump(scale: f64, packing: Packing, folder: &Path, report: &mut Report) -> Outcome<PathBuf> {
    let ending = if packing == Packing::Bzip2 { "bz2" } else { "zst" };
    let path = folder.join(format!("english-{scale}.xml.{ending}"));
    if !path.exists() {
        // Under another name until it is whole.
        let unfinished = path.with_extension("unfinished");
        let started = Instant::now();
        let mut out = BufWriter::with_capacity(1 << 20, File::create(&unfinished)?);
        let bytes = Wiki::new(scale).write_dump(packing, &mut out)?;
        drop(out);
        fs::rename(&unfinished, &path)?;
        let packed = fs::metadata(&path)?.len();
        report.say(&format!(
            "Dump of scale {scale}: {} of XML, {} packed, made in {:.0} s.\n\n",
            human_bytes(bytes),
            human_bytes(packed),
            started.elapsed().as_secs_f64()
        ))?;
    }
    Ok(path)
}

/// What is printed, and kept in a file where one is asked for.
struct Report {
    file: Option<File>,
}

impl Report {
    fn new(args: &Args) -> Outcome<Report> {
        let file = match &args.out {
            Some(folder) => {
                fs::create_dir_all(folder)?;
                Some(File::create(folder.join("english.md"))?)
            }
            None => None,
        };
        let mut report = Report { file };
        let commit = args.commit.as_ref().map_or(String::new(), |commit| format!(", commit {commit}"));
        let scales: Vec<String> = args.scales.iter().map(f64::to_string).collect();
        let train = if args.train.is_empty() { String::new() } else { format!(" TRAIN=\"{}\"", args.train) };
        report.say(&format!(
            "# English Wikipedia, step by step\n\n`make bench-english SCALE={}{train}`, {} threads, load {} at the start{commit}.\n\n",
            scales.join(","),
            rayon::current_num_threads(),
            process::load(),
        ))?;
        Ok(report)
    }

    fn say(&mut self, text: &str) -> Outcome<()> {
        print!("{text}");
        std::io::stdout().flush()?;
        if let Some(file) = &mut self.file {
            file.write_all(text.as_bytes())?;
        }
        Ok(())
    }
}
