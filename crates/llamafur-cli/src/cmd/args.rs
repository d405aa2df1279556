//! Options that several commands share.

use super::overwrite::OverwriteArgs;
use crate::output::OutputArgs;
use crate::remedy::with_remedy;
use crate::sink::TableFile;
use anyhow::{Context, Result, bail};
use clap::Args;
use llamafur::Error;
use llamafur::categories::Categories;
use llamafur::corpus::Corpus;
use llamafur::engine::{Engine, Order, RankConf};
use llamafur::learn::LearnConf;
use llamafur::progress::Progress;
use llamafur::score::{
    Inputs, LeftOut, Normalise, SCORERS, Score, ScoreConf, Scorer, Studentise, check_name,
};
use llamafur_eval::evaluation::open_scorers;
use llamafur_eval::judgments::{Form, JudgmentError, Judgments};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Settings that are changed only if an option is given.
pub(super) trait With: Sized {
    /// Sets the value, if there is one.
    fn with<T>(self, value: Option<T>, set: impl FnOnce(Self, T) -> Self) -> Self {
        match value {
            Some(value) => set(self, value),
            None => self,
        }
    }
}

impl<Conf> With for Conf {}

/// Which scorer, and how it scores.
#[derive(Debug, Clone, Args)]
pub(super) struct ScorerArgs {
    #[arg(long, value_name = "NAME", help = scorer_help(), value_parser = scorer_name)]
    scorer: Option<String>,
    /// The model of scorers that use one, by the name that `train` gave it [default: the scorer's name].
    #[arg(long, value_name = "NAME")]
    model: Option<String>,
    #[command(flatten)]
    how: HowArgs,
}

fn scorer_help() -> String {
    let names: Vec<&str> = SCORERS.iter().map(|scorer| scorer.name).collect();
    format!(
        "What says how unexpected a link is (`llamafur scorers` describes them): {}; a sum, such as llamafur+aa; with a \
         model of another name, llamafur:MODEL [default: blend]",
        names.join(", ")
    )
}

/// Parses the name of a scorer, or of a sum of several.
fn scorer_name(text: &str) -> Result<String, Error> {
    check_name(text)?;
    Ok(text.to_owned())
}

impl ScorerArgs {
    /// Returns the scorer's name.
    pub(super) fn name(&self) -> &str {
        self.scorer.as_deref().unwrap_or("blend")
    }

    /// Returns the default order: by unexpectedness if a scorer was named, else by worth.
    pub(super) fn order(&self) -> Order {
        if self.scorer.is_some() { Order::Oddity } else { Order::Worth }
    }

    /// Returns the settings of the scorer.
    pub(super) fn conf(&self) -> Result<ScoreConf> {
        self.how.check(&[self.name().to_owned()])?;
        Ok(ScoreConf { model: self.model.clone(), ..self.how.conf() })
    }

    /// Returns the settings of a ranking by the scorer.
    pub(super) fn rank_conf(&self) -> Result<RankConf> {
        Ok(RankConf::default().scorer(self.name()).score(self.conf()?))
    }

    /// Opens the scorer with all its inputs, showing progress.
    pub(super) fn prepare(&self, engine: &Engine, progress: &mut dyn Progress) -> Result<Arc<dyn Score>> {
        Ok(engine.prepare(self.name(), &self.conf()?, progress)?)
    }

    /// Opens the scorer with all inputs of its rankings, showing progress.
    pub(super) fn prepare_ranking(&self, engine: &Engine, progress: &mut dyn Progress) -> Result<()> {
        engine.prepare_ranking(self.name(), &self.conf()?, progress)?;
        Ok(())
    }
}

/// How scorers score.
#[derive(Debug, Clone, Args)]
pub(super) struct HowArgs {
    /// How the sum over n·m category pairs becomes a score: sum, mean (÷ nm), sqrt (÷ √nm), or cosine (factored
    /// models) [default: mean].
    #[arg(long, value_name = "HOW")]
    normalise: Option<Normalise>,
    /// Over which links the scores of a sum or blend are studentised: graph (all links) or page [default: graph].
    #[arg(long, value_name = "WHERE")]
    studentise: Option<Studentise>,
}

impl HowArgs {
    /// Rejects settings that none of the requested scorers uses; the default ones use all of them.
    pub(super) fn check(&self, asked: &[String]) -> Result<()> {
        let is_blend = |part: &str| part.split(':').next() == Some("blend");
        let has_blend = asked.is_empty() || asked.iter().any(|name| name.split('+').any(is_blend));
        if self.studentise.is_some() && !has_blend && !asked.iter().any(|name| name.contains('+')) {
            let given = asked.join(", ");
            bail!("`--studentise` is for sums and the blend, got {given}; leave it out");
        }
        Ok(())
    }

    /// Returns the settings of scorers.
    pub(super) fn conf(&self) -> ScoreConf {
        ScoreConf {
            normalise: self.normalise.unwrap_or_default(),
            studentise: self.studentise.unwrap_or_default(),
            ..ScoreConf::default()
        }
    }
}

/// Which judgments.
#[derive(Debug, Clone, Args)]
pub(super) struct JudgmentsArgs {
    /// The judged links [default: those that the corpus keeps, judged on the page of `llamafur serve --judge`].
    #[arg(long, value_name = "FILE")]
    judgments: Option<PathBuf>,
    /// The form of the judgments: auto, authors, qrels or log.
    #[arg(long, value_name = "FORM", default_value = "auto", requires = "judgments")]
    judgments_form: Form,
}

impl JudgmentsArgs {
    /// Reads the judgments of the given file, or else those of the corpus.
    pub(super) fn read(&self, corpus: &Corpus, progress: &mut dyn Progress) -> Result<Judgments> {
        let Some(path) = &self.judgments else { return kept_judgments(corpus, progress) };
        let input = llamafur_import::input::open(path)?;
        Ok(Judgments::read(input, path, self.judgments_form, &mut { corpus }, progress)?)
    }
}

/// Reads the judgments of a corpus.
fn kept_judgments(corpus: &Corpus, progress: &mut dyn Progress) -> Result<Judgments> {
    match Judgments::kept(corpus, progress) {
        Err(error @ JudgmentError::NoneKept { .. }) => {
            let folder = corpus.path().display();
            bail!("{error}; pass `--judgments FILE`, or judge some: run `llamafur serve {folder} --judge`");
        }
        read => Ok(read?),
    }
}

/// Which scorers.
#[derive(Debug, Clone, Args)]
pub(super) struct ScorersArgs {
    /// A scorer, as `llamafur scorers` lists them, or a sum such as llamafur+aa; can be given several times [default:
    /// all that it lists and whose input the corpus has]. With a model of another name: llamafur:MODEL.
    #[arg(long, value_name = "NAME", value_parser = scorer_name)]
    scorer: Vec<String>,
}

/// Scorers ready for a corpus, and those whose input it lacks.
pub(super) type Scorers = (Vec<Arc<dyn Score>>, Vec<LeftOut>);

impl ScorersArgs {
    /// Returns the names of the requested scorers; empty for every available scorer.
    pub(super) fn asked(&self) -> &[String] {
        &self.scorer
    }

    /// Opens the requested scorers; if none are requested, those that pass `is_wanted` and whose input the corpus has.
    /// Scorers left out are noted.
    pub(super) fn open(
        &self,
        corpus: &Corpus,
        how: &HowArgs,
        is_wanted: impl Fn(&Scorer) -> bool,
        progress: &mut dyn Progress,
    ) -> Result<Scorers> {
        how.check(&self.scorer)?;
        let (inputs, conf) = (Inputs::new(corpus), how.conf());
        Ok(open_scorers(&inputs, &self.scorer, is_wanted, &conf, with_remedy, progress)?)
    }
}

/// How a learner learns.
#[derive(Debug, Clone, Args)]
pub(super) struct LearnArgs {
    /// Columns of the factored matrix's two tables, 1 to 4096 [default: 32].
    #[arg(long, value_name = "K")]
    rank: Option<usize>,
    /// How many factored matrices to learn, with seeds one apart, and take the mean of, 1 to 64 [default: 4 where that
    /// is at most 20 million examples in all, else 1].
    #[arg(long, value_name = "N")]
    ensemble: Option<usize>,
    /// The seed of all random choices [default: 1].
    #[arg(long, value_name = "N")]
    seed: Option<u64>,
    /// How often to go over all links [default: 5 for factored, 1 for the others].
    #[arg(long, value_name = "N")]
    passes: Option<usize>,
    /// The largest step of the passive-aggressive learners (K in the paper) [default: 1.5].
    #[arg(long, value_name = "K", allow_negative_numbers = true)]
    aggressiveness: Option<f64>,
}

impl LearnArgs {
    /// Replaces the settings that are given as options.
    pub(super) fn apply(&self, conf: LearnConf) -> LearnConf {
        conf.with(self.rank, LearnConf::rank)
            .with(self.ensemble, LearnConf::ensemble)
            .with(self.seed, LearnConf::seed)
            .with(self.passes, LearnConf::passes)
            .with(self.aggressiveness, LearnConf::aggressiveness)
    }
}

/// Which categories.
#[derive(Debug, Clone, Args)]
pub(super) struct CleansingArgs {
    /// The cleansing whose milestones are the categories, or none for all categories of the corpus [default:
    /// the default one, if the corpus was cleansed].
    #[arg(long, value_name = "NAME")]
    cleansing: Option<String>,
}

impl CleansingArgs {
    /// Returns the cleansing's name.
    pub(super) fn name(&self) -> Option<&str> {
        self.cleansing.as_deref()
    }

    pub(super) fn open(&self, corpus: &Corpus) -> Result<Categories, Error> {
        Categories::named(corpus, self.cleansing.as_deref())
    }
}

/// How links are scored, on how many threads, and how the result is shown.
#[derive(Debug, Clone, Args)]
pub(super) struct ScoringArgs {
    #[command(flatten)]
    threads: ThreadArgs,
    #[command(flatten)]
    pub(super) scorer: ScorerArgs,
    #[command(flatten)]
    pub(super) output: OutputArgs,
}

impl ScoringArgs {
    /// Sets the number of threads.
    pub(super) fn threads(&self) -> Result<()> {
        self.threads.apply()
    }
}

/// A table that may be written instead of showing the result.
#[derive(Debug, Clone, Args)]
pub(super) struct TableArgs {
    /// The file to write: .tsv, .parquet or .arrow.
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    #[command(flatten)]
    overwrite: OverwriteArgs,
}

impl TableArgs {
    /// Returns the file and its format, if the option is given and the file may be written. Call it before the work.
    pub(super) fn file(&self, output: &OutputArgs) -> Result<Option<(&Path, TableFile)>> {
        let Some(out) = self.out.as_deref() else { return Ok(None) };
        let kind = TableFile::of(out, output.header)?;
        self.overwrite.check(out)?;
        Ok(Some((out, kind)))
    }

    /// Rejects `--out` for results that are not written; `when` names the condition under which it is used.
    pub(super) fn expect_none(&self, when: &str) -> Result<()> {
        match self.out {
            Some(_) => bail!("`--out` writes a table {when}; leave it out"),
            None => Ok(()),
        }
    }
}

/// How many threads work.
#[derive(Debug, Clone, Args)]
pub(super) struct ThreadArgs {
    /// Threads to use, up to 1024 [default: one for each core]; the result does not depend on them.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    threads: Option<u16>,
}

impl ThreadArgs {
    pub(super) fn apply(&self) -> Result<()> {
        let Some(threads) = self.threads else { return Ok(()) };
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads.into());
        pool.build_global().context("cannot start the threads")
    }
}
