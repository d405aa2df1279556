//! `llamafur learn-blend`: weights of the blend from judged links.

use super::args::{HowArgs, JudgmentsArgs, ThreadArgs};
use crate::output::{Grid, OutputArgs, Render, counted, interval, print, signed_by};
use anyhow::Result;
use clap::Args;
use llamafur::corpus::Corpus;
use llamafur::progress::Progress;
use llamafur::score::{Inputs, SCORERS, Scorer, Sum, check_name, is_in_blend};
use llamafur_eval::learn_blend::{LearntBlend, learn_blend};
use serde::Serialize;
use std::io::{self, Write};
use std::path::PathBuf;

/// Options of `learn-blend`.
#[derive(Debug, Args)]
#[command(after_help = "\
The blend needs no labels. With judged links its signals can be weighed: by a ridge-logistic fit that keeps
to the blend as it is unless the judgments say otherwise. A weight of 1 is what a signal of the blend counts
without labels. How well that does is measured on pages held out: ten folds of pages, dealt ten times.

Examples:
  llamafur learn-blend my.corpus --judgments judged.tsv --out weights.json
  llamafur rank my.corpus Jupiter --weights weights.json")]
pub struct LearnBlendArgs {
    /// The corpus.
    #[arg(value_name = "DIR")]
    corpus: PathBuf,
    #[command(flatten)]
    judgments: JudgmentsArgs,
    /// The file of weights to write [default: none, only say what comes of it].
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    /// A scorer to be weighed; can be given several times [default: all that the corpus has what they need for, but naive].
    #[arg(long, value_name = "NAME", value_parser = signal)]
    scorer: Vec<String>,
    #[command(flatten)]
    how: HowArgs,
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
pub fn run(args: &LearnBlendArgs, progress: &mut dyn Progress) -> Result<()> {
    args.threads.apply()?;
    let corpus = Corpus::open(&args.corpus)?;
    let judgments = args.judgments.read(&corpus, progress)?;
    judgments.expect_queries()?;
    // One reading of the categories: a second one next to it makes the weights of both less sure.
    let usual =
        |scorer: &&Scorer| !scorer.inputs.is_empty() && (!scorer.takes_model || is_in_blend(scorer.name));
    let names = match args.scorer.is_empty() {
        true => SCORERS.iter().filter(usual).map(|scorer| scorer.name.to_owned()).collect(),
        false => args.scorer.clone(),
    };
    let signals = Sum::of_signals(&names, &Inputs::new(&corpus), &args.how.conf()?, progress)?;
    let learnt = learn_blend(&corpus, &signals, &judgments.queries, args.seed)?;
    if let Some(path) = &args.out {
        learnt.weights.save(path)?;
    }
    let out = args.out.as_ref().map(|path| path.display().to_string());
    print(&Report { learnt, out, corpus: args.corpus.display().to_string() }, &args.output)
}

struct Report {
    learnt: LearntBlend,
    out: Option<String>,
    corpus: String,
}

impl Serialize for Report {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        #[derive(Serialize)]
        struct Shown<'a> {
            #[serde(flatten)]
            learnt: &'a LearntBlend,
            signals: &'a [llamafur::score::WeightedSignal],
            file: &'a Option<String>,
        }
        Shown { learnt: &self.learnt, signals: &self.learnt.weights.signals, file: &self.out }
            .serialize(serializer)
    }
}

impl Render for Report {
    fn human(&self, out: &mut dyn Write) -> io::Result<()> {
        let LearntBlend { held_out, without_labels, gain, test, pages, queries, .. } = &self.learnt;
        let mut grid = Grid::new(["signal", "weight"]);
        let mut signals: Vec<_> = self.learnt.weights.signals.iter().collect();
        signals.sort_by(|a, b| b.weight.abs().total_cmp(&a.weight.abs()));
        for signal in signals {
            grid.row([signal.name.clone(), signed_by(2, signal.weight)]);
        }
        grid.write_table(&["weight"], out)?;
        let ends =
            |ci95: Option<[f64; 2]>| ci95.map(|ends| format!(" [{}]", interval(ends))).unwrap_or_default();
        writeln!(
            out,
            "learnt from {}; bpref on {queries} of them, held out in turn: {:.3}{}; without labels {:.3}{}",
            counted(*pages as u64, "page"),
            held_out.mean,
            ends(held_out.ci95),
            without_labels.mean,
            ends(without_labels.ci95)
        )?;
        let by = gain.ci95.map(|ends| format!(" [{}]", ends.map(|end| signed_by(3, end)).join(", ")));
        let by = by.unwrap_or_default();
        let p = test.as_ref().map(|test| format!(", p = {:.3}", test.p)).unwrap_or_default();
        writeln!(out, "labels gain {}{by}{p}", signed_by(3, gain.mean))?;
        match &self.out {
            Some(file) => {
                writeln!(out, "{file}: written; next: llamafur rank {} PAGE --weights {file}", self.corpus)
            }
            None => writeln!(out, "--out FILE keeps the weights"),
        }
    }

    fn grid(&self) -> Grid {
        let mut grid = Grid::new(["signal", "weight"]);
        for signal in &self.learnt.weights.signals {
            grid.row([signal.name.clone(), signal.weight.to_string()]);
        }
        grid
    }
}
