//! `llamafur learn-blend`: weights of the blend from judged links.

use super::args::{JudgmentsArgs, NormaliseArgs, ThreadArgs};
use super::overwrite::expect_free;
use crate::output::{Grid, OutputArgs, Render, counted, interval, print, signed_by};
use anyhow::Result;
use clap::Args;
use llamafur::corpus::Corpus;
use llamafur::progress::Progress;
use llamafur::score::{Inputs, ScoreConf, Studentise, Sum, WeightedSignal, check_name};
use llamafur_eval::learn_blend::{LearntBlend, default_signals, learn_blend};
use serde::Serialize;
use std::io::{self, Write};
use std::path::PathBuf;

/// Options of `learn-blend`.
#[derive(Debug, Args)]
#[command(after_help = "\
The blend needs no labels: all its signals have the weight 1. With judged links the weights can be learnt,
by a ridge-logistic fit. The fewer judgments there are, the closer the weights stay to 1. The result is
measured on pages that it was not learnt from: ten folds of pages, ten times.

Examples:
  llamafur learn-blend my.corpus --judgments judged.tsv --out weights.json
  llamafur rank my.corpus Jupiter --weights weights.json")]
pub struct LearnBlendArgs {
    /// The corpus.
    #[arg(value_name = "DIR")]
    corpus: PathBuf,
    #[command(flatten)]
    judgments: JudgmentsArgs,
    /// The file of weights to write [default: none, only print the result].
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    /// Replace an existing file of weights.
    #[arg(long, requires = "out")]
    overwrite: bool,
    /// A scorer to weight; can be given several times [default: every scorer whose input the corpus has, except naive].
    #[arg(long, value_name = "NAME", value_parser = signal)]
    scorer: Vec<String>,
    #[command(flatten)]
    normalise: NormaliseArgs,
    /// Over which links scores are studentised: graph (all links) or page [default: graph].
    #[arg(long, value_name = "WHERE")]
    studentise: Option<Studentise>,
    /// The seed of the folds.
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
    #[command(flatten)]
    threads: ThreadArgs,
    #[command(flatten)]
    output: OutputArgs,
}

/// A scorer that can be a part of a blend.
fn signal(text: &str) -> Result<String, String> {
    check_name(text).map_err(|e| e.to_string())?;
    if text.contains('+') || text.starts_with("blend") {
        return Err("a sum cannot be a part of the blend".into());
    }
    Ok(text.to_owned())
}

/// Runs `learn-blend`.
pub(super) fn run(args: &LearnBlendArgs, progress: &mut dyn Progress) -> Result<()> {
    args.threads.apply()?;
    args.out.iter().try_for_each(|path| expect_free(path, args.overwrite))?;
    let corpus = Corpus::open(&args.corpus)?;
    let judgments = args.judgments.read(&corpus, progress)?;
    judgments.expect_queries()?;
    let conf = ScoreConf {
        normalise: args.normalise.get(),
        studentise: args.studentise.unwrap_or_default(),
        ..ScoreConf::default()
    };
    let names = if args.scorer.is_empty() { default_signals() } else { args.scorer.clone() };
    let signals = Sum::of_signals(&names, &Inputs::new(&corpus), &conf, progress)?;
    let learnt = learn_blend(&corpus, &signals, &judgments.queries, args.seed)?;
    if let Some(path) = &args.out {
        learnt.weights.save(path)?;
    }
    let report = LearnBlendReport {
        signals: learnt.weights.signals.clone(),
        learnt,
        file: args.out.as_ref().map(|path| path.display().to_string()),
        corpus: args.corpus.display().to_string(),
    };
    print(&report, &args.output)
}

#[derive(Serialize)]
struct LearnBlendReport {
    #[serde(flatten)]
    learnt: LearntBlend,
    signals: Vec<WeightedSignal>,
    file: Option<String>,
    #[serde(skip)]
    corpus: String,
}

impl Render for LearnBlendReport {
    fn human(&self, out: &mut dyn Write) -> io::Result<()> {
        let LearntBlend { held_out, without_labels, gain, test, pages, queries, .. } = &self.learnt;
        let mut grid = Grid::new("signal weight");
        let mut signals: Vec<_> = self.signals.iter().collect();
        signals.sort_by(|a, b| b.weight.abs().total_cmp(&a.weight.abs()));
        for signal in signals {
            grid.row([signal.name.clone(), signed_by(2, signal.weight)]);
        }
        grid.write_table("weight", out)?;
        let ends =
            |ci95: Option<[f64; 2]>| ci95.map(|ends| format!(" [{}]", interval(ends))).unwrap_or_default();
        writeln!(
            out,
            "learnt from {}; bpref on {queries} of them, each while held out: {:.3}{}; without labels {:.3}{}",
            counted(*pages as u64, "page"),
            held_out.mean,
            ends(held_out.ci95),
            without_labels.mean,
            ends(without_labels.ci95)
        )?;
        let by = gain.ci95.map(|ends| format!(" [{}]", ends.map(|end| signed_by(3, end)).join(", ")));
        let by = by.unwrap_or_default();
        let p = test.as_ref().map(|test| format!(", p = {:.3}", test.p)).unwrap_or_default();
        writeln!(out, "gain by labels: {}{by}{p}", signed_by(3, gain.mean))?;
        match &self.file {
            Some(file) => {
                writeln!(out, "{file}: written; next: llamafur rank {} PAGE --weights {file}", self.corpus)
            }
            None => writeln!(out, "pass `--out FILE` to keep the weights"),
        }
    }

    fn grid(&self) -> Grid {
        Grid::of("signal=name weight", &self.signals)
    }
}
