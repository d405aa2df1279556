//! `llamafur evaluate`: measures scorers on judged links; writes the experiments of the paper as a report.

mod rows;

use super::args::{CleansingArgs, HowArgs, JudgmentsArgs, ScorersArgs, ThreadArgs};
use crate::output::{Grid, OutputArgs, Render, counted, interval, print, say, signed_by, write_left_out};
use anyhow::{Context, Result};
use clap::Args;
use llamafur::categories::Goal;
use llamafur::corpus::Corpus;
use llamafur::engine::{Engine, EngineConf};
use llamafur::progress::Progress;
use llamafur::storage::Existing;
use llamafur_eval::evaluation::{
    Evaluation, EvaluationReport, MeasuredScorers, PaperConf, PaperReport, evaluate,
};
use llamafur_eval::measures::Measure;
use serde::Serialize;
use std::io::{self, Write};
use std::path::PathBuf;

/// Options of `evaluate`.
#[derive(Debug, Args)]
#[command(after_help = "\
Judgments: a line for each link with source, target, class (TE totally expected, E slightly expected, U
slightly unexpected, TU totally unexpected) and optionally judge, separated by tabs. If the first line
names the columns, there may be others, as in the table of `llamafur pool`. Of a link that several judges judged
the last line counts.
Or TREC's qrels: query, iteration, document, relevance (0 expected, 1 or more unexpected).
Without --judgments, those are taken that the corpus keeps: `llamafur serve DIR --judge` asks for them.

Each page that has judged links of both kinds is a query. The measures are bpref as in trec_eval,
average precision, nDCG and ROC-AUC on judged links; ties count by expectation. Every mean has a 95%
interval by bootstrap over pages. Chance is shown for comparison.

With --report DIR the experiments of the paper are repeated on this corpus: DIR/index.html, each figure
as SVG, each table as TSV, rankings and judgments in the formats of TREC. The report includes a
cross-validation of the model's learner, and one for each of several numbers of categories. On large
corpora these take most of the time (--folds 0 leaves both out).

With --rows FILE… the first rows of each page's ranking are measured instead, by files of judged rows: page,
target, letter (A worth retelling, B mildly interesting, C ordinary, D noise, E a wrong link), sign of the
reason (+ convincing, 0 empty, - misleading; may be empty) and judge, separated by tabs, without a header. The
rows are the surprising ones of `llamafur rank`, or those of each --scorer; --level says how much a row must be
worth to be shown. Rows that nobody judged are counted and left out.

Examples:
  llamafur evaluate my.corpus --judgments judged.tsv
  llamafur evaluate my.corpus --rows rows.tsv more-rows.tsv
  llamafur evaluate my.corpus --rows rows.tsv --rows-shown 3 --level=-inf --scorer blend --scorer aa
  llamafur evaluate my.corpus --judgments judged.tsv --scorer llamafur --scorer aa --format json
  llamafur evaluate my.corpus --judgments judged.tsv --report report --page Jupiter --category Planets")]
pub struct EvaluateArgs {
    /// The corpus.
    #[arg(value_name = "DIR")]
    corpus: PathBuf,
    #[command(flatten)]
    judgments: JudgmentsArgs,
    #[command(flatten)]
    rows: rows::RowsArgs,
    #[command(flatten)]
    scorers: ScorersArgs,
    #[command(flatten)]
    how: HowArgs,
    /// The seed of resampling and permutation, and of the report's cross-validation.
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
    /// Write a report into this folder.
    #[arg(long, value_name = "DIR")]
    report: Option<PathBuf>,
    /// Write the report into a folder that has other files; those of the same names are replaced.
    #[arg(long, requires = "report")]
    overwrite: bool,
    /// A page whose most and least expected links the report shows; can be given several times.
    #[arg(long, value_name = "TITLE", requires = "report")]
    page: Vec<String>,
    /// A category whose neighbourhood the report shows; can be given several times [default: the two most frequent ones
    /// of the judged pages].
    #[arg(long, value_name = "NAME", requires = "report")]
    category: Vec<String>,
    /// Folds of the report's cross-validation, 2 to 100; 0 for none.
    #[arg(long, value_name = "N", default_value_t = 10, requires = "report")]
    folds: u32,
    /// Numbers of milestones in the report's figure by the number of categories, separated by commas [default: up to
    /// six, each about three times the one before, up to the categories in use].
    #[arg(long, value_name = "N,…", value_delimiter = ',', requires = "report")]
    milestones: Vec<Goal>,
    #[command(flatten)]
    cleansing: CleansingArgs,
    #[command(flatten)]
    threads: ThreadArgs,
    #[command(flatten)]
    output: OutputArgs,
}

impl EvaluateArgs {
    /// Returns the settings of the requested report.
    fn paper(&self) -> Option<PaperConf> {
        Some(PaperConf {
            folder: self.report.clone()?,
            existing: if self.overwrite { Existing::Replace } else { Existing::Refuse },
            pages: self.page.clone(),
            categories: self.category.clone(),
            folds: self.folds,
            milestones: self.milestones.clone(),
            cleansing: self.cleansing.name().map(str::to_owned),
            seed: self.seed,
        })
    }
}

pub(super) fn run(args: &EvaluateArgs, progress: &mut dyn Progress) -> Result<()> {
    args.threads.apply()?;
    if args.rows.is_asked() {
        return rows::run(args, progress);
    }
    let corpus = Corpus::open(&args.corpus)?;
    let paper = args.paper().map(|conf| PaperReport::new(&Engine::new(&corpus, EngineConf::default()), conf));
    let paper = paper.transpose()?;
    let judgments = args.judgments.read(&corpus, progress)?;
    let queries = judgments.expect_queries()?;
    let (scorers, left_out) = args.scorers.open(&corpus, &args.how, |_| true, progress)?;
    let evaluation = evaluate(&corpus, &queries, &scorers, args.seed, progress)?;
    let report = EvaluationReport::new(&corpus, &judgments, &queries, evaluation, left_out)?;
    if let Some(paper) = &paper {
        let validated = paper.validate(progress).with_context(|| args.corpus.display().to_string())?;
        let conf = args.how.conf();
        let (judgments, queries) = (&judgments, &queries[..]);
        let measured =
            MeasuredScorers { judgments, queries, report: &report, scorers: &scorers, conf: &conf };
        paper.write(measured, validated)?;
        say(&format!("{}: written", paper.path().display()));
    }
    print(&EvaluateReport { report, judgments: judgments.path.display().to_string() }, &args.output)
}

#[derive(Serialize)]
struct EvaluateReport {
    #[serde(flatten)]
    report: EvaluationReport,
    #[serde(skip)]
    judgments: String,
}

/// The measures of the table, in their order.
const SHOWN: [Measure; 3] = [Measure::AveragePrecision, Measure::Ndcg, Measure::Auc];

impl Render for EvaluateReport {
    fn human(&self, out: &mut dyn Write) -> io::Result<()> {
        let EvaluateReport { report, judgments } = self;
        let EvaluationReport { evaluation, counts, .. } = report;
        let (links, pages) = (counted(counts.pairs, "judged link"), counted(counts.queries as u64, "page"));
        let both = counted(evaluation.queries as u64, "page");
        writeln!(out, "{judgments}: {links} of {pages}; {both} with both kinds")?;
        for (what, left) in report.account.left_out().into_iter().filter(|(_, left)| left.records > 0) {
            write!(out, "{what}: {}", counted(left.records, "record"))?;
            if let Some(example) = left.examples.first() {
                write!(out, ", such as line {}, {} → {}", example.line, example.source, example.target)?;
            }
            writeln!(out)?;
        }
        writeln!(out)?;
        let right = "bpref 95%_interval average_precision nDCG AUC";
        let mut grid = Grid::new(&format!("scorer input_data {right}"));
        for scorer in &evaluation.scorers {
            let mut row = vec![
                scorer.name.clone(),
                if scorer.inputs.is_empty() { "none".into() } else { scorer.inputs.clone() },
                format!("{:.3}", scorer.bpref),
                scorer.ci95.map(interval).unwrap_or_default(),
            ];
            row.extend(SHOWN.map(|measure| format!("{:.3}", scorer.interval(measure).mean)));
            grid.row(row);
        }
        let chance = &evaluation.chance;
        let mut row = vec!["chance".into(), "none".into(), format!("{:.3}", chance.bpref)];
        row.push(format!("± {:.3}", chance.bpref_sd));
        row.extend(SHOWN.map(|measure| format!("{:.3}", chance.get(measure))));
        grid.row(row);
        grid.write_table(right, out)?;
        write_left_out(&report.left_out, out)?;
        self.compare(out)?;
        for remark in &report.remarks {
            writeln!(out, "note: {remark}")?;
        }
        Ok(())
    }

    fn grid(&self) -> Grid {
        let mut grid = Grid::new(
            "scorer queries bpref bpref_low bpref_high average_precision average_precision_low average_precision_high \
             ndcg ndcg_low ndcg_high auc auc_low auc_high without_score",
        );
        let Evaluation { queries, scorers, chance, .. } = &self.report.evaluation;
        let mut row = |name: &str, of: &dyn Fn(Measure) -> (f64, Option<[f64; 2]>), without_score: String| {
            let mut row = vec![name.to_owned(), queries.to_string()];
            for (mean, ci95) in Measure::ALL.map(of) {
                row.push(mean.to_string());
                row.extend([0, 1].map(|end| ci95.map(|ends| ends[end].to_string()).unwrap_or_default()));
            }
            row.push(without_score);
            grid.row(row);
        };
        for scorer in scorers {
            let of = |measure| (scorer.interval(measure).mean, scorer.interval(measure).ci95);
            row(&scorer.name, &of, scorer.without_score.to_string());
        }
        row("chance", &|measure| (chance.get(measure), None), String::new());
        grid
    }
}

impl EvaluateReport {
    /// Compares the two best scorers, and reports whether the difference may be chance.
    fn compare(&self, out: &mut dyn Write) -> io::Result<()> {
        let mut best: Vec<_> = self.report.evaluation.scorers.iter().collect();
        best.sort_by(|a, b| b.bpref.total_cmp(&a.bpref));
        let [first, second, ..] = best[..] else { return Ok(()) };
        let of_both = |one: &str, two: &str| [&first.name, &second.name] == [one, two];
        let found = self.report.evaluation.comparisons.iter().find_map(|comparison| {
            let (one, two) = (&comparison.first[..], &comparison.second[..]);
            let sign = if of_both(one, two) { 1.0 } else { -1.0 };
            (sign > 0.0 || of_both(two, one)).then_some((comparison, sign))
        });
        let Some((comparison, sign)) = found else { return Ok(()) };
        let ci95 = comparison.ci95.map(|[low, high]| if sign > 0.0 { [low, high] } else { [-high, -low] });
        let ends = ci95.map(|ends| ends.map(|end| signed_by(3, end)).join(", ")).unwrap_or_default();
        let chance = if comparison.p_holm > 0.05 { ": on other pages the order may differ" } else { "" };
        writeln!(
            out,
            "{} leads {} by {:.3} [{ends}], p {} after Holm{chance}",
            first.name,
            second.name,
            sign * comparison.difference,
            if comparison.p_holm < 0.001 {
                "< 0.001".to_owned()
            } else {
                format!("= {:.3}", comparison.p_holm)
            }
        )
    }
}
