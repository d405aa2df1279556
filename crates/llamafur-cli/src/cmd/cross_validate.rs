//! `llamafur cross-validate`: quality of each learner's predictions for unseen links.

use super::args::{CleansingArgs, LearnArgs, ThreadArgs};
use crate::output::{
    Grid, OutputArgs, Render, counted, interval, links_and_non_links, print, thousands, three,
};
use anyhow::{Context, Result};
use clap::Args;
use llamafur::Error;
use llamafur::categories::Goal;
use llamafur::corpus::Corpus;
use llamafur::human_bytes;
use llamafur::learn::cross_validation::{CrossValidateConf, CrossValidation, Spread, cross_validate};
use llamafur::learn::{LearnConf, Method};
use llamafur::progress::Progress;
use llamafur_eval::by_milestones::{Step, by_milestones, dense_bytes};
use llamafur_eval::evaluation::remark_on_f;
use serde::Serialize;
use std::io::{self, Write};
use std::path::PathBuf;

/// Options of `cross-validate`.
#[derive(Debug, Args)]
#[command(after_help = "\
All pairs of pages are divided into folds. For each fold the matrix is learnt from the others and
classifies the links of the fold and as many non-links: a pair counts as a link if its expectedness is
positive. No pair of the fold is seen in learning, as a link or as a non-link.

The figures are the mean and the standard deviation over folds; the 95% interval is that of the
F-measure on the pairs of all folds. Several folds are learnt at the same time, as many as threads and
memory allow; the figures do not depend on it.

With --milestones the categories are cleansed to each of the numbers, with the other settings of the
corpus's own cleansing: the paper's figure of the F-measure by the number of categories.

Examples:
  llamafur cross-validate my.corpus
  llamafur cross-validate my.corpus --method all
  llamafur cross-validate my.corpus --method factored --method paper --milestones 100,1000,10000,all")]
pub struct CrossValidateArgs {
    /// The corpus.
    #[arg(value_name = "DIR")]
    corpus: PathBuf,
    /// How many folds, 2 to 100.
    #[arg(long, value_name = "N", default_value_t = 10, allow_negative_numbers = true)]
    folds: u32,
    /// The learner: factored, averaged, paper, original, naive, or all; can be given several times [default:
    /// factored].
    #[arg(long, value_name = "NAME", value_parser = one_or_all)]
    method: Vec<Option<Method>>,
    /// Cleanse to each of these numbers of milestones in turn: numbers, `all`, or coverages such as 95%, separated by
    /// commas.
    #[arg(long, value_name = "N,…", value_delimiter = ',')]
    milestones: Vec<Goal>,
    /// Folds learnt at the same time [default: as many as threads and memory allow].
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=100))]
    jobs: Option<u16>,
    #[command(flatten)]
    learn: LearnArgs,
    #[command(flatten)]
    cleansing: CleansingArgs,
    #[command(flatten)]
    threads: ThreadArgs,
    #[command(flatten)]
    output: OutputArgs,
}

/// Parses the name of a learner; returns `None` for all of them.
fn one_or_all(name: &str) -> Result<Option<Method>, Error> {
    if name == "all" {
        return Ok(None);
    }
    let rule = "factored, averaged, paper, original, naive or all";
    name.parse().map(Some).map_err(|_| Error::setting("method", rule, name))
}

impl CrossValidateArgs {
    fn methods(&self) -> Vec<Method> {
        let asked = self.method.iter().flat_map(|one| one.map_or(Method::ALL.to_vec(), |one| vec![one]));
        let mut methods = Vec::new();
        for method in asked {
            if !methods.contains(&method) {
                methods.push(method);
            }
        }
        if methods.is_empty() { vec![Method::default()] } else { methods }
    }

    fn conf(&self, method: Method) -> CrossValidateConf {
        let learn = self.learn.apply(LearnConf::default().method(method));
        CrossValidateConf::new(learn).folds(self.folds).jobs(self.jobs.map(usize::from))
    }
}

pub(super) fn run(args: &CrossValidateArgs, progress: &mut dyn Progress) -> Result<()> {
    args.threads.apply()?;
    let corpus = Corpus::open(&args.corpus)?;
    let categories = args.cleansing.open(&corpus)?;
    let of_corpus = || args.corpus.display().to_string();
    let confs: Vec<CrossValidateConf> = args.methods().into_iter().map(|method| args.conf(method)).collect();
    let runs = if args.milestones.is_empty() {
        let graph = categories.graph().with_context(of_corpus)?;
        let validate = |conf| cross_validate(&graph, conf, progress).map(Validated::from);
        confs.iter().map(validate).collect::<Result<Vec<_>, _>>().with_context(of_corpus)?
    } else {
        let steps = by_milestones(&categories, &args.milestones, &confs, progress).with_context(of_corpus)?;
        steps.into_iter().flat_map(Validated::of_step).collect()
    };
    match &runs[..] {
        [first, ..] => print(&CrossValidateReport { first, runs: &runs }, &args.output),
        [] => Ok(()),
    }
}

/// The validation of a learner.
#[derive(Serialize)]
struct Validated {
    /// The requested milestones; left out for the unchanged categories.
    #[serde(skip_serializing_if = "Option::is_none")]
    milestones: Option<String>,
    /// Size in bytes of a dense matrix over the categories.
    dense_bytes: u64,
    #[serde(flatten)]
    validation: CrossValidation,
}

impl From<CrossValidation> for Validated {
    fn from(validation: CrossValidation) -> Validated {
        Validated { milestones: None, dense_bytes: dense_bytes(validation.categories), validation }
    }
}

impl Validated {
    fn of_step(step: Step) -> Vec<Validated> {
        let Step { goal, validations, .. } = step;
        let run = |validation| Validated { milestones: Some(goal.clone()), ..Validated::from(validation) };
        validations.into_iter().map(run).collect()
    }
}

/// The first run's figures; if there are more, all of them under `runs`.
#[derive(Serialize)]
struct CrossValidateReport<'a> {
    #[serde(flatten)]
    first: &'a Validated,
    #[serde(skip_serializing_if = "is_single")]
    runs: &'a [Validated],
}

fn is_single(runs: &&[Validated]) -> bool {
    runs.len() == 1
}

/// Formats a mean ± its standard deviation, for people.
pub(super) fn spread(figure: Option<Spread>) -> String {
    figure.map(|Spread { mean, sd }| format!("{mean:.3} ± {sd:.3}")).unwrap_or_default()
}

/// Writes one learner, as in the paper's table.
fn alone(validation: &CrossValidation, out: &mut dyn Write) -> io::Result<()> {
    let of = counted(validation.categories as u64, "category");
    writeln!(out, "{}, {of}; mean ± standard deviation over folds", validation.method)?;
    let mut grid = Grid::new("measure result 95%_interval");
    let rows = [
        ("accuracy", validation.accuracy),
        ("precision", validation.precision),
        ("recall", validation.recall),
        ("F-measure", validation.f_measure),
        ("AUC", Some(validation.auc)),
    ];
    for (name, figure) in rows.into_iter().filter(|(_, figure)| figure.is_some()) {
        let interval = validation.ci95.filter(|_| name == "F-measure").map(interval);
        grid.row([name.to_owned(), spread(figure), interval.unwrap_or_default()]);
    }
    grid.write_table("", out)
}

impl CrossValidateReport<'_> {
    fn remark(&self, out: &mut dyn Write) -> io::Result<()> {
        let mut remarks = self.runs.iter().filter_map(|run| {
            let CrossValidation { method, f_measure, .. } = &run.validation;
            remark_on_f(*method, f_measure.map(|f| f.mean))
        });
        remarks.try_for_each(|remark| writeln!(out, "note: {remark}"))
    }
}

impl Render for CrossValidateReport<'_> {
    fn human(&self, out: &mut dyn Write) -> io::Result<()> {
        let validation = &self.first.validation;
        let links = links_and_non_links(validation.links, validation.non_links);
        writeln!(out, "{} folds of all pairs of pages; {links}", validation.folds)?;
        if is_single(&self.runs) {
            alone(validation, out)?;
            return self.remark(out);
        }
        let is_series = self.runs.iter().any(|run| run.milestones.is_some());
        let mut columns = vec!["learner", "categories"];
        columns.extend(is_series.then_some("dense_matrix"));
        columns.extend(["F-measure", "95%_interval"]);
        columns.extend(["accuracy", "precision", "recall"].into_iter().filter(|_| !is_series));
        columns.push("AUC");
        let mut grid = Grid::titled(columns.iter().copied());
        for Validated { dense_bytes, validation, .. } in self.runs {
            let mean = |figure: Option<Spread>| three(figure.map(|figure| figure.mean));
            let cell = |column: &&str| match *column {
                "learner" => validation.method.to_string(),
                "categories" => thousands(validation.categories as u64),
                "dense_matrix" => human_bytes(*dense_bytes),
                "F-measure" => spread(validation.f_measure),
                "95%_interval" => validation.ci95.map(interval).unwrap_or_default(),
                "accuracy" => mean(validation.accuracy),
                "precision" => mean(validation.precision),
                "recall" => mean(validation.recall),
                _ => mean(Some(validation.auc)),
            };
            grid.row(columns.iter().map(cell).collect::<Vec<_>>());
        }
        grid.write_aligned(|name| name != "learner", out)?;
        self.remark(out)
    }

    fn grid(&self) -> Grid {
        let columns = "method milestones categories dense_bytes folds links non_links \
                       accuracy=accuracy.mean accuracy_sd=accuracy.sd precision=precision.mean precision_sd=precision.sd \
                       recall=recall.mean recall_sd=recall.sd f_measure=f_measure.mean f_measure_sd=f_measure.sd \
                       f_measure_low=ci95.0 f_measure_high=ci95.1 auc=auc.mean auc_sd=auc.sd";
        Grid::of(columns, self.runs)
    }
}
