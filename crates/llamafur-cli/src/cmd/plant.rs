//! `llamafur plant`: measures how well each scorer finds planted links.

use super::args::{HowArgs, ScorersArgs, ThreadArgs};
use crate::output::{Grid, OutputArgs, Render, counted, interval, print, thousands, three, write_left_out};
use crate::remedy::with_remedy;
use anyhow::{Context, Result, anyhow};
use clap::Args;
use llamafur::Error;
use llamafur::corpus::Corpus;
use llamafur::learn::Model;
use llamafur::progress::{Note, Progress};
use llamafur::score::{self, Inputs, LeftOut, SCORERS, Score, ScoreConf, Scorer, Suffix};
use llamafur_eval::planted::{AtTop, Found, PlantConf, PlantKind, Planted, measure, temporary_folder};
use serde::Serialize;
use std::io::{self, Write};
use std::path::PathBuf;
use std::sync::Arc;

/// Options of `plant`.
#[derive(Debug, Args)]
#[command(after_help = "\
Nobody meant a link that was drawn at random, so a good scorer ranks it above the original links. That
needs no judgments.

Kinds:
  uniform  source and target are drawn uniformly from the pages, of those with categories if any have
  popular  the target is drawn by its number of links instead
  near     the target is a link of a link of the source: the hardest to find

The corpus does not change: links are planted in a copy in the system's temporary folder (set TMPDIR for
another one), which is removed at the end. The copy takes as much space as the corpus with its texts and
models. The models are learnt again from the copy, each with its settings.

AUC is the chance that a planted link ranks above an original one, with DeLong's 95% interval; top K is
the share of planted links among the K most unexpected links of the whole graph; percentile is the share
of its page's original links that a planted one ranks above. Links without a score come last.

A planted link is not in the text of its page. Scorers that look for it there (mentions, depth) are left out
unless they are asked for, and the blend does not use them.

Examples:
  llamafur plant my.corpus
  llamafur plant my.corpus --kind near --share 0.05 --seed 7
  llamafur plant my.corpus --scorer llamafur --scorer llamafur:paper --top 1000")]
pub struct PlantArgs {
    /// The corpus.
    #[arg(value_name = "DIR")]
    corpus: PathBuf,
    /// Where planted links go: uniform, popular or near.
    #[arg(long, value_name = "KIND", default_value_t)]
    kind: PlantKind,
    /// How many links to plant, as a share of the links, above 0, at most 1; at least 10 are planted.
    #[arg(long, value_name = "SHARE", default_value_t = 0.01, allow_negative_numbers = true)]
    share: f64,
    /// The seed of which links are planted.
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
    /// Count the planted links among the K most unexpected ones; can be given several times [default: 10, 100, and as
    /// many as were planted].
    #[arg(long, value_name = "K", allow_negative_numbers = true, value_parser = clap::value_parser!(u32).range(1..))]
    top: Vec<u32>,
    #[command(flatten)]
    scorers: ScorersArgs,
    #[command(flatten)]
    how: HowArgs,
    #[command(flatten)]
    threads: ThreadArgs,
    #[command(flatten)]
    output: OutputArgs,
}

pub(super) fn run(args: &PlantArgs, progress: &mut dyn Progress) -> Result<()> {
    args.threads.apply()?;
    let conf = PlantConf::default().kind(args.kind).share(args.share)?.seed(args.seed);
    let corpus = Corpus::open(&args.corpus)?;
    let of_corpus = || args.corpus.display().to_string();
    args.how.check(args.scorers.asked())?;
    // What is missing is reported before the work, not after.
    let Wanted { names, models, mut left_out } = Wanted::new(args, &corpus, progress)?;
    let folder = temporary_folder()?;
    let planted = Planted::new(&corpus, &conf, folder, progress).with_context(of_corpus)?;
    for model in &models {
        planted.learn(model, &corpus, progress).with_context(of_corpus)?;
    }
    let scorers = open(args, &names, &planted, &mut left_out, progress)?;
    let top = args.tops(planted.links().len(), planted.corpus().num_links());
    let found = measure(&planted, &scorers, &top, progress).with_context(of_corpus)?;
    let report = PlantReport {
        kind: args.kind,
        share: args.share,
        seed: args.seed,
        planted: planted.links().len(),
        links: corpus.num_links(),
        chance: planted.links().len() as f64 / planted.corpus().num_links() as f64,
        scorers: found,
        left_out,
        top,
    };
    print(&report, &args.output)
}

/// The scorers to measure, and their models.
struct Wanted {
    names: Vec<String>,
    models: Vec<Model>,
    left_out: Vec<LeftOut>,
}

impl Wanted {
    fn new(args: &PlantArgs, corpus: &Corpus, progress: &mut dyn Progress) -> Result<Wanted> {
        let asked = args.scorers.asked();
        let all = SCORERS.iter().map(|scorer| scorer.name.to_owned());
        let mut wanted = Wanted { names: Vec::new(), models: Vec::new(), left_out: Vec::new() };
        for name in if asked.is_empty() { all.collect() } else { asked.to_vec() } {
            let reads_link = Scorer::parse(&name).is_ok_and(|(scorer, _)| scorer.reads_link);
            let lack = match name.split('+').try_for_each(|part| wanted.model(corpus, part)) {
                _ if asked.is_empty() && reads_link => {
                    "it looks for the link in the text, and a planted one is not there".into()
                }
                Err(error) if asked.is_empty() && error.is_lack() => with_remedy(&error),
                Err(error) => return Err(error.into()),
                Ok(()) => {
                    wanted.names.push(name);
                    continue;
                }
            };
            leave_out(&mut wanted.left_out, name, lack, progress);
        }
        Ok(wanted)
    }

    /// Opens the model of a scorer, unless it is open. The blend works without one.
    fn model(&mut self, corpus: &Corpus, name: &str) -> Result<(), Error> {
        let (scorer, suffix) = Scorer::parse(name)?;
        let named = suffix.filter(|_| scorer.suffix == Suffix::Model);
        let Some(name) = named.or(scorer.model) else { return Ok(()) };
        if self.models.iter().all(|model| model.name() != name) {
            match Model::open(corpus, name) {
                Ok(model) => self.models.push(model),
                Err(error) if scorer.name == "blend" && error.is_lack() => {}
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }
}

fn leave_out(left_out: &mut Vec<LeftOut>, name: String, reason: String, progress: &mut dyn Progress) {
    progress.note(Note::LeftOut { name: name.clone(), error: reason.clone(), remedy: None });
    left_out.push(LeftOut { name, reason });
}

/// Opens the scorers for the copy. Errors name the corpus, which lacks the same data as the copy.
fn open(
    args: &PlantArgs,
    names: &[String],
    planted: &Planted,
    left_out: &mut Vec<LeftOut>,
    progress: &mut dyn Progress,
) -> Result<Vec<Arc<dyn Score>>> {
    let (copy, original) = (planted.corpus().path().display().to_string(), args.corpus.display().to_string());
    let inputs = Inputs::new(planted.corpus());
    // A planted link is not in the text, so a blend that looked for it there would find all of them.
    let conf = ScoreConf { without_text_of_links: true, ..args.how.conf() };
    let mut scorers: Vec<Arc<dyn Score>> = Vec::new();
    for name in names {
        match score::open(name, &inputs, &conf, progress) {
            Ok(scorer) if scorers.iter().any(|other| other.name() == scorer.name()) => {}
            Ok(scorer) => scorers.push(scorer),
            Err(error) => {
                let reason = with_remedy(&error).replace(&copy, &original);
                if !(args.scorers.asked().is_empty() && error.is_lack()) {
                    return Err(anyhow!(reason));
                }
                leave_out(left_out, name.clone(), reason, progress);
            }
        }
    }
    Ok(scorers)
}

impl PlantArgs {
    /// Returns the numbers of links on top, ascending: the requested or default ones that the graph has, and the number
    /// of planted links.
    fn tops(&self, planted: usize, links: usize) -> Vec<usize> {
        let mut tops: Vec<usize> = self.top.iter().map(|&top| top as usize).collect();
        if tops.is_empty() {
            tops.extend([10, 100].into_iter().filter(|&top| top <= links));
        }
        tops.push(planted);
        tops.sort_unstable();
        tops.dedup();
        tops
    }
}

#[derive(Serialize)]
struct PlantReport {
    kind: PlantKind,
    share: f64,
    seed: u64,
    /// Number of planted links.
    planted: usize,
    /// Number of original links.
    links: usize,
    /// The precision of a random ranking.
    chance: f64,
    scorers: Vec<Found>,
    left_out: Vec<LeftOut>,
    #[serde(skip)]
    top: Vec<usize>,
}

impl Render for PlantReport {
    fn human(&self, out: &mut dyn Write) -> io::Result<()> {
        let PlantReport { kind, planted, links, .. } = self;
        let (planted, links) = (counted(*planted as u64, "link"), thousands(*links as u64));
        writeln!(out, "{planted} planted among {links}, {kind}\n")?;
        let tops: Vec<String> =
            self.top.iter().map(|&top| format!("top {}", thousands(top as u64))).collect();
        let columns = ["scorer", "AUC", "95% interval"].map(String::from).into_iter();
        let mut grid = Grid::titled(columns.chain(tops).chain(["percentile".into()]));
        for found in &self.scorers {
            let mut row = vec![found.name.clone(), format!("{:.3}", found.auc), interval(found.ci95)];
            row.extend(found.precision_at_k.iter().map(|at| format!("{:.3}", at.precision)));
            row.push(three(found.percentile));
            grid.row(row);
        }
        let mut row = vec!["chance".to_owned(), "0.500".into(), String::new()];
        row.extend(self.top.iter().map(|_| format!("{:.3}", self.chance)));
        row.push("0.500".into());
        grid.row(row);
        grid.write_aligned(|name| !["scorer", "95% interval"].contains(&name), out)?;
        write_left_out(&self.left_out, out)
    }

    fn grid(&self) -> Grid {
        #[derive(Serialize)]
        struct Row<'a> {
            planted: usize,
            links: usize,
            at: AtTop,
            of: &'a Found,
        }
        let &PlantReport { planted, links, ref scorers, .. } = self;
        let rows = scorers
            .iter()
            .flat_map(|of| of.precision_at_k.iter().map(move |&at| Row { planted, links, at, of }));
        let columns = "scorer=of.name planted links auc=of.auc auc_low=of.ci95.0 auc_high=of.ci95.1 k=at.k \
                       precision_at_k=at.precision percentile=of.percentile without_score=of.without_score";
        Grid::of(columns, rows)
    }
}
