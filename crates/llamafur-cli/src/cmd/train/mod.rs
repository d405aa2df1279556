//! `llamafur train`: learns the category matrix of a corpus.

mod report;

use super::args::{CleansingArgs, LearnArgs, ThreadArgs, With};
use crate::output::{OutputArgs, counted, print};
use anyhow::{Context, Result, bail};
use clap::Args;
use llamafur::Error;
use llamafur::categories::{Categories, DEFAULT, Feature};
use llamafur::corpus::Corpus;
use llamafur::learn::Model;
use llamafur::learn::held_out;
use llamafur::learn::{self, LearnConf, Method, Start, features};
use llamafur::progress::{Note, Progress};
use report::{MatrixReport, TrainReport};
use std::path::{Path, PathBuf};
use std::time::Instant;

/// Options of `train`.
#[derive(Debug, Args)]
#[command(after_help = "\
Methods:
  factored  a matrix of low rank by logistic regression: the default, megabytes at any size
  averaged  passive-aggressive with the hinge, the average of the iterates
  paper     Algorithm 1 of the paper
  original  what the authors' program computes
  naive     the paper's baseline: link frequencies between categories

First the learner is measured: it learns without some of the links, then separates them from as many
non-links. This doubles the time; --held-out 0 skips it. The model itself is learnt from all links and
is the same either way.

If the corpus was cleansed (`llamafur cleanse`), the milestones are the categories.

On a small graph, factored learns four matrices with consecutive seeds and takes their mean, which has
a smaller error than each of them (--ensemble). The file is four times as large, and training cannot
continue from it.

All learners use all threads. The model does not depend on the number of threads.

A learner other than factored keeps a cell for each pair of categories. If that does not fit into memory,
training is refused: use factored, or cleanse to fewer categories.

With --from, training continues from a model for --passes more. The model may be of an older corpus:
categories are matched by name, and new ones start at zero. The links that such a model has seen cannot
be held out, so it is not measured.

Examples:
  llamafur train my.corpus
  llamafur train older.corpus --ensemble 1
  llamafur train newer.corpus --from older.corpus --passes 2
  llamafur train my.corpus --method paper --name as-in-the-paper --seed 7")]
pub struct TrainArgs {
    /// The corpus.
    #[arg(value_name = "DIR")]
    corpus: PathBuf,
    /// The learner: factored, averaged, paper, original or naive [default: factored].
    #[arg(long, value_name = "NAME")]
    method: Option<Method>,
    /// Continue from a model, with its settings: the name of a model of this corpus, another corpus, or a model's file.
    #[arg(long, value_name = "MODEL")]
    from: Option<String>,
    /// The model's name [default: that of --from, else naive for that method, else llamafur].
    #[arg(long, value_name = "NAME")]
    name: Option<String>,
    /// What to learn over, separated by commas: categories, words (those that tell most about each page), lead (the same
    /// of its first 200 words). A matrix is learnt over each; the model's score is the sum of theirs [default: all that
    /// the corpus has; for methods other than factored, categories].
    #[arg(long, value_name = "LIST", value_delimiter = ',')]
    features: Vec<Feature>,
    #[command(flatten)]
    learn: LearnArgs,
    #[command(flatten)]
    cleansing: CleansingArgs,
    #[command(flatten)]
    threads: ThreadArgs,
    /// The share of links to measure on, from 0 (none) to below 1 [default: as much as makes 1,000 links, but at least
    /// 0.01 and at most 0.1].
    #[arg(long, value_name = "SHARE", allow_negative_numbers = true)]
    held_out: Option<f64>,
    #[command(flatten)]
    output: OutputArgs,
}

/// Returns the settings: those of the options, else of the model to continue from, else the defaults.
fn conf_of(args: &TrainArgs, from: Option<&Model>) -> LearnConf {
    let conf = from.map_or_else(LearnConf::default, |model| LearnConf::of(model.settings()));
    let conf = args.learn.apply(conf.with(args.method, LearnConf::method));
    conf.with(args.held_out, LearnConf::held_out)
}

pub(super) fn run(args: &TrainArgs, progress: &mut dyn Progress) -> Result<()> {
    args.threads.apply()?;
    let corpus = Corpus::open(&args.corpus)?;
    let from = args.from.as_deref().map(|from| open_from(from, &args.corpus)).transpose()?;
    if from.is_some() && args.held_out.is_some_and(|share| share != 0.0) {
        bail!(
            "--from continues from a model that may have seen the links to hold out: leave out `--held-out`"
        );
    }
    let conf = conf_of(args, from.as_ref().map(|(_, model)| model));
    let name = match (&args.name, &from) {
        (Some(name), _) => name,
        (_, Some((_, model))) => model.name(),
        _ => Model::default_name(args.method.unwrap_or_default()),
    };
    let of_corpus = || args.corpus.display().to_string();
    // A bad name or setting is refused before the work, not after.
    Model::path(&corpus, name)?;
    conf.check().with_context(of_corpus)?;
    let features = features_of(args, &corpus, progress).map_err(|error| match error.downcast_ref() {
        // The others name the corpus.
        Some(Error::NoCategories) => error.context(of_corpus()),
        _ => error,
    })?;
    let categories = &features[0];
    let graph = categories.graph().with_context(of_corpus)?;
    progress.note(Note::words(format!("{}; {}", conf.settled(&graph), size(&features))));
    let measured = match &from {
        Some(_) => None,
        None => held_out::measure_features(&features, &conf, progress).with_context(of_corpus)?,
    };
    let started = Instant::now();
    let model = match &from {
        Some((_, model)) => {
            let start = Start::new(model, categories).with_context(of_corpus)?;
            learn::train_from(&start, categories, name, &conf, progress)
        }
        None => learn::train_features_measured(&features, name, &conf, measured, progress),
    };
    let model = model.with_context(of_corpus)?;
    let seconds = started.elapsed().as_secs_f64();
    let (path, checksum) = model.save(&corpus)?;
    let settings = model.settings();
    let examples = model.matrices().map(|matrix| matrix.settings().figures.examples).sum();
    let matrices: Vec<MatrixReport> = model.matrices().map(MatrixReport::of).collect();
    let report = TrainReport {
        method: settings.method,
        pages: corpus.num_pages(),
        links: corpus.num_links(),
        categories: if settings.feature == Feature::Categories { settings.categories } else { 0 },
        examples,
        seconds,
        examples_per_second: examples as f64 / seconds.max(1e-9),
        explained: matrices[0].explained,
        from: settings.origin.clone(),
        held_out: settings.together.clone().or(settings.held_out.clone()),
        matrices: if matrices.len() > 1 { matrices } else { Vec::new() },
        asked_for_none: args.held_out == Some(0.0),
        model: path.display().to_string(),
        checksum,
        cleansing: settings.cleansing.as_ref().map(|id| id.name.clone()),
        corpus: args.corpus.display().to_string(),
        name: name.to_owned(),
    };
    print(&report, &args.output)
}

/// Returns the features to learn over: by default all that the corpus has, but only the categories for methods other
/// than `factored`, and if training continues from a model.
fn features_of(args: &TrainArgs, corpus: &Corpus, progress: &mut dyn Progress) -> Result<Vec<Categories>> {
    let categories = args.cleansing.open(corpus)?;
    let is_factored = matches!(args.method, None | Some(Method::Factored));
    if args.from.is_some() {
        if !args.features.is_empty() {
            bail!("--features goes without `--from`");
        }
        return Ok(vec![categories]);
    }
    if args.features.is_empty() {
        return match is_factored {
            true => Ok(features::available(corpus, categories, progress)?),
            false => Ok(vec![categories]),
        };
    }
    let is_twice = |(at, feature): (usize, &Feature)| args.features[..at].contains(feature);
    if let Some(at) = args.features.iter().enumerate().position(is_twice) {
        bail!("--features names {} twice", args.features[at]);
    }
    Ok(features::open(corpus, &args.features, categories, progress)?)
}

/// Opens the model to continue from, with the corpus that it was trained on.
fn open_from(from: &str, here: &Path) -> Result<(Corpus, Model)> {
    let path = Path::new(from);
    let (corpus, name) = match (path.extension(), path.file_stem().and_then(|stem| stem.to_str())) {
        // DIR/models/NAME.safetensors
        (Some(extension), Some(name)) if extension == "safetensors" => {
            (path.parent().and_then(Path::parent).unwrap_or(here), name)
        }
        _ if path.is_dir() => (path, Model::default_name(Method::default())),
        _ => (here, from),
    };
    let corpus = Corpus::open(corpus)?;
    let model = Model::open(&corpus, name)?;
    Ok((corpus, model))
}

/// Describes the size of the training data.
fn size(features: &[Categories]) -> String {
    let corpus = features[0].corpus();
    let num = |feature: &Categories| match (feature.feature(), feature.milestones()) {
        (Feature::Categories, Some(milestones)) => {
            let name = Some(&milestones.id().name).filter(|name| *name != DEFAULT);
            let cleansing = name.map_or(String::new(), |name| format!(" of the cleansing “{name}”"));
            format!("{}{cleansing}", counted(milestones.num() as u64, "milestone"))
        }
        (Feature::Categories, None) => counted(feature.num() as u64, "category"),
        (Feature::Words, _) => counted(feature.num() as u64, "word"),
        (Feature::Lead, _) => "leads".into(),
    };
    let sizes =
        [counted(corpus.num_pages() as u64, "page"), counted(corpus.num_links() as u64, "link")].into_iter();
    sizes.chain(features.iter().map(num)).collect::<Vec<_>>().join(", ")
}
