//! What is made from a corpus: cleansings, models, words, vectors, judged links and their measures.

use crate::engine::{Engine, json};
use crate::errors::{Failure, with_remedy};
use crate::numpy::MappedRows;
use crate::settings::{Learning, Scoring, With, existing, expect_free, method};
use llamafur::Error;
use llamafur::categories::{Basis, Categories, CleanseConf, Cleanser, Feature, Goal, Milestones};
use llamafur::corpus::Corpus;
use llamafur::learn::cross_validation::{CrossValidateConf, cross_validate as validate};
use llamafur::learn::held_out;
use llamafur::learn::{self, LearnConf, Method, Model, Start, features};
use llamafur::progress::Progress;
use llamafur::score::{Inputs, LeftOut, Score, Scorer};
use llamafur::vectors::{ModelVectors, PageVectors};
use llamafur::words::{Words, WordsConf};
use llamafur_eval::evaluation::{self, EvaluationReport, MeasuredScorers, PaperConf, PaperReport};
use llamafur_eval::judgments::{Form, Judgments};
use llamafur_eval::pool::{POOLED, PoolConf, pool as draw, write_table};
use llamafur_import::vectors::{VectorsConf, read as read_vectors};
use pyo3::prelude::*;
use serde_json::{Value, json as value};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

const METHODS: &str = "factored, averaged, paper, original or naive";

/// Keeps the categories that matter, and moves every page to them.
#[pyfunction]
#[expect(clippy::too_many_arguments, reason = "an argument each of the method in Python")]
pub(crate) fn cleanse(
    py: Python<'_>,
    engine: &Engine,
    milestones: Option<String>,
    exclude: Option<Vec<String>>,
    min_pages: Option<usize>,
    ancestors: usize,
    by: Option<String>,
    name: &str,
    display: Option<Py<PyAny>>,
) -> PyResult<String> {
    engine.ask(py, display, |engine, progress| {
        let corpus = engine.corpus();
        Milestones::path(corpus, name)?;
        let goal = milestones.as_deref().map(str::parse::<Goal>).transpose()?;
        let basis = by.as_deref().map(str::parse::<Basis>).transpose()?;
        let cleanser = Cleanser::new(corpus, basis, progress)?;
        if cleanser.basis() == Basis::Pages && ancestors > 0 {
            return Err(Failure::argument(
                "ancestors are for a corpus with a category tree; leave out `ancestors`",
            ));
        }
        let conf = CleanseConf::default()
            .ancestors(ancestors)
            .with(goal, CleanseConf::goal)
            .with(min_pages, CleanseConf::min_pages)
            .with(exclude, |conf, texts| conf.exclude(texts));
        let cleansing = cleanser.cleanse(&conf)?;
        let (path, checksum) = cleansing.save(corpus, name)?;
        let settings = cleansing.settings();
        let mut report = value!({
            "name": name, "by": settings.basis, "exclude": settings.exclude,
            "left_without": settings.figures.left_without(), "file": path, "checksum": checksum,
        });
        join(&mut report, &settings.figures);
        json(&report)
    })
}

/// Adds the fields of an object.
fn join(report: &mut Value, more: &impl serde::Serialize) {
    if let (Value::Object(fields), Ok(Value::Object(more))) = (report, serde_json::to_value(more)) {
        fields.extend(more);
    }
}

/// Learns a model. The report has the keys of all interfaces.
#[pyfunction]
#[expect(clippy::too_many_arguments, reason = "an argument each of the method in Python")]
pub(crate) fn train(
    py: Python<'_>,
    engine: &Engine,
    learning: Learning,
    name: Option<String>,
    features: Option<Vec<String>>,
    cleansing: Option<String>,
    from_model: Option<String>,
    display: Option<Py<PyAny>>,
) -> PyResult<String> {
    engine.ask(py, display, |engine, progress| {
        let corpus = engine.corpus();
        let asked = learning.method.as_deref().map(|name| method(name, METHODS)).transpose()?;
        let from = from_model.as_deref().map(|name| Model::open(corpus, name)).transpose()?;
        if features.is_some() && from.is_some() {
            return Err(Failure::argument("`features` goes without `from_model`"));
        }
        let conf = from.as_ref().map_or_else(LearnConf::default, |model| LearnConf::of(model.settings()));
        let conf = learning.apply(conf.with(asked, LearnConf::method))?;
        let default = from.as_ref().map_or(Model::default_name(asked.unwrap_or_default()), |model| model.name());
        let name = name.as_deref().unwrap_or(default);
        Model::path(corpus, name)?;
        let own = Categories::named(corpus, cleansing.as_deref())?;
        let is_factored = matches!(asked, None | Some(Method::Factored));
        let over = match &features {
            _ if from.is_some() => vec![own],
            None if is_factored => features::available(corpus, own, progress)?,
            None => vec![own],
            Some(names) => named_features(corpus, own, names, progress)?,
        };
        let measured = match &from {
            Some(_) => None,
            None => held_out::measure_features(&over, &conf, progress)?,
        };
        let started = Instant::now();
        let model = match &from {
            Some(model) => learn::train_from(&Start::new(model, &over[0])?, &over[0], name, &conf, progress)?,
            None => learn::train_features_measured(&over, name, &conf, measured, progress)?,
        };
        let seconds = started.elapsed().as_secs_f64();
        let (path, checksum) = model.save(corpus)?;
        let settings = model.settings();
        let examples: u64 = model.matrices().map(|matrix| matrix.settings().figures.examples).sum();
        json(&value!({
            "name": name, "method": settings.method, "pages": corpus.num_pages(), "links": corpus.num_links(),
            "categories": if settings.feature == Feature::Categories { settings.categories } else { 0 },
            "examples": examples, "seconds": seconds, "examples_per_second": examples as f64 / seconds.max(1e-9),
            "explained": settings.figures.explained,
            "held_out": settings.together.clone().or(settings.held_out.clone()),
            "model": path, "checksum": checksum,
        }))
    })
}

fn named_features(
    corpus: &Corpus,
    own: Categories,
    names: &[String],
    progress: &mut dyn Progress,
) -> Result<Vec<Categories>, Failure> {
    let names = names.iter().map(|name| name.parse::<Feature>()).collect::<Result<Vec<_>, _>>()?;
    Ok(features::open(corpus, &names, own, progress)?)
}

/// The names of the models, or the settings of one of them as JSON and the path of its file.
#[pyfunction]
pub(crate) fn model_names(py: Python<'_>, engine: &Engine) -> PyResult<Vec<String>> {
    engine.ask(py, None, |engine, _| Ok(Model::names(engine.corpus())?))
}

/// The settings of a model as JSON, the path of its file, and the names of what its rows are.
#[pyfunction]
pub(crate) fn model(py: Python<'_>, engine: &Engine, name: &str) -> PyResult<(String, PathBuf)> {
    engine.ask(py, None, |engine, _| {
        let model = Model::open(engine.corpus(), name)?;
        Ok((json(model.settings())?, Model::path(engine.corpus(), name)?))
    })
}

/// The names of the rows of a model's matrix over a feature, every byte of which is checked.
#[pyfunction]
pub(crate) fn model_rows(py: Python<'_>, engine: &Engine, name: &str, over: &str) -> PyResult<Vec<String>> {
    engine.ask(py, None, |engine, _| {
        let model = Model::open(engine.corpus(), name)?;
        let wanted: Feature = over.parse()?;
        let matrix = model.matrices().find(|matrix| matrix.settings().feature == wanted);
        let Some(matrix) = matrix else { return Ok(Vec::new()) };
        matrix.matrix()?;
        let rows = matrix.categories();
        let names =
            (0..rows.num() as u32).map(|row| rows.name(llamafur::MilestoneId(row)).map(str::to_owned));
        Ok(names.collect::<Result<_, Error>>()?)
    })
}

/// Counts the words of all texts.
#[pyfunction]
pub(crate) fn count_words(
    py: Python<'_>,
    engine: &Engine,
    language: Option<String>,
    min_pages: Option<usize>,
    display: Option<Py<PyAny>>,
) -> PyResult<String> {
    engine.ask(py, display, |engine, progress| {
        let conf = WordsConf::default()
            .with(min_pages, WordsConf::min_documents)
            .with(language, |conf, code| conf.language(&code));
        json(Words::of(engine.corpus(), &conf, progress)?.settings())
    })
}

/// Brings vectors of the pages, from a file.
#[pyfunction]
pub(crate) fn add_vectors(
    py: Python<'_>,
    engine: &Engine,
    file: PathBuf,
    titles: PathBuf,
    name: &str,
    overwrite: bool,
    display: Option<Py<PyAny>>,
) -> PyResult<String> {
    engine.ask(py, display, |engine, progress| {
        let corpus = engine.corpus();
        expect_free(&PageVectors::path(corpus, name)?, overwrite)?;
        let conf = VectorsConf { file, titles, tensor: None };
        let (vectors, account) = read_vectors(corpus, &conf, progress)?;
        vectors.save(corpus, name)?;
        json(&account)
    })
}

/// Where the vectors of that name are; an error if there are none.
#[pyfunction]
pub(crate) fn vectors(py: Python<'_>, engine: &Engine, name: &str) -> PyResult<PathBuf> {
    engine.ask(py, None, |engine, _| {
        PageVectors::open(engine.corpus(), name)?;
        Ok(PageVectors::path(engine.corpus(), name)?)
    })
}

/// The vectors that a model gives to the pages, in batches, every byte of which is checked; and what 1 is kept as.
#[pyfunction]
pub(crate) fn model_vectors(
    py: Python<'_>,
    engine: &Engine,
    name: &str,
    display: Option<Py<PyAny>>,
) -> PyResult<(Vec<MappedRows>, f64)> {
    engine.ask(py, display, |engine, progress| {
        let vectors = engine.inputs().vectors(name, progress)?;
        let batches = vectors.batches(progress)?.into_iter().map(|batch| MappedRows::new(&vectors, batch));
        Ok((batches.collect(), ModelVectors::ONE))
    })
}

/// The names of the vectors that were brought from elsewhere.
#[pyfunction]
pub(crate) fn vector_names(py: Python<'_>, engine: &Engine) -> PyResult<Vec<String>> {
    engine.ask(py, None, |engine, _| Ok(PageVectors::names(engine.corpus())?))
}

/// Learns without each fold in turn.
#[pyfunction]
pub(crate) fn cross_validate(
    py: Python<'_>,
    engine: &Engine,
    learning: Learning,
    folds: u32,
    cleansing: Option<String>,
    display: Option<Py<PyAny>>,
) -> PyResult<String> {
    engine.ask(py, display, |engine, progress| {
        let method = learning.method.as_deref().map(|name| method(name, METHODS)).transpose()?;
        let conf = learning.apply(LearnConf::default().with(method, LearnConf::method))?;
        let categories = Categories::named(engine.corpus(), cleansing.as_deref())?;
        let conf = CrossValidateConf::new(conf).folds(folds);
        json(&validate(&categories.graph()?, &conf, progress)?)
    })
}

/// The judgments of a file, or else those that the corpus keeps.
fn judgments(
    corpus: &Corpus,
    path: Option<&Path>,
    progress: &mut dyn Progress,
) -> Result<Judgments, Failure> {
    let Some(path) = path else { return Ok(Judgments::kept(corpus, progress)?) };
    let input = llamafur_import::input::open(path)?;
    Ok(Judgments::read(input, path, Form::Auto, &mut { corpus }, progress)?)
}

/// Scorers ready for a corpus, and those that it lacks something for.
type Scorers = (Vec<Arc<dyn Score>>, Vec<LeftOut>);

/// Those asked for, all of which must be there; or, where none are, those that `is_default` and whose input the corpus has.
fn scorers(
    inputs: &Inputs,
    asked: &[String],
    is_default: impl Fn(&Scorer) -> bool,
    scoring: &Scoring,
    progress: &mut dyn Progress,
) -> Result<Scorers, Failure> {
    let reason = |error: &Error| with_remedy(error.to_string(), error.remedy().as_ref());
    Ok(evaluation::open_scorers(inputs, asked, is_default, &scoring.conf()?, reason, progress)?)
}

/// The report of an evaluation: what it shows, and where it is written.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct Paper {
    folder: PathBuf,
    overwrite: bool,
    pages: Vec<String>,
    categories: Vec<String>,
    folds: u32,
    milestones: Vec<String>,
    cleansing: Option<String>,
}

impl Paper {
    fn conf(self, seed: u64) -> Result<PaperConf, Error> {
        let Paper { folder, overwrite, pages, categories, folds, milestones, cleansing } = self;
        let milestones = milestones.iter().map(|goal| goal.parse::<Goal>()).collect::<Result<_, _>>()?;
        let existing = existing(overwrite);
        Ok(PaperConf { folder, existing, pages, categories, folds, milestones, cleansing, seed })
    }
}

/// Measures scorers on judged links.
#[pyfunction]
#[expect(clippy::too_many_arguments, reason = "an argument each of the method in Python")]
pub(crate) fn evaluate(
    py: Python<'_>,
    engine: &Engine,
    file: Option<PathBuf>,
    asked: Vec<String>,
    scoring: Scoring,
    seed: u64,
    paper: Option<Paper>,
    display: Option<Py<PyAny>>,
) -> PyResult<String> {
    engine.ask(py, display, |engine, progress| {
        let corpus = engine.corpus();
        let paper = paper.map(|paper| paper.conf(seed)).transpose()?;
        let paper = paper.map(|conf| PaperReport::new(engine, conf)).transpose()?;
        let judgments = judgments(corpus, file.as_deref(), progress)?;
        let queries = judgments.expect_queries()?;
        let (scorers, left_out) = scorers(engine.inputs(), &asked, |_| true, &scoring, progress)?;
        let evaluation = evaluation::evaluate(corpus, &queries, &scorers, seed, progress)?;
        let report = EvaluationReport::new(corpus, &judgments, &queries, evaluation, left_out)?;
        if let Some(paper) = paper {
            let (validated, conf) = (paper.validate(progress)?, scoring.conf()?);
            let (judgments, queries) = (&judgments, &queries[..]);
            let measured =
                MeasuredScorers { judgments, queries, report: &report, scorers: &scorers, conf: &conf };
            paper.write(measured, validated)?;
        }
        json(&report)
    })
}

/// Links worth judging: a page's title and those of its links to judge; written as a table where a file is given.
#[pyfunction]
#[expect(clippy::too_many_arguments, reason = "an argument each of the method in Python")]
pub(crate) fn pool(
    py: Python<'_>,
    engine: &Engine,
    queries: usize,
    asked: Vec<String>,
    scoring: Scoring,
    share: f64,
    min_links: usize,
    seed: u64,
    out: Option<(PathBuf, bool)>,
    display: Option<Py<PyAny>>,
) -> PyResult<Vec<(String, Vec<String>)>> {
    engine.ask(py, display, |engine, progress| {
        let corpus = engine.corpus();
        let conf =
            PoolConf::new(queries).share(share).map_err(|error| Failure::argument(error.to_string()))?;
        if let Some((path, overwrite)) = &out {
            expect_free(path, *overwrite)?;
        }
        let is_default = |scorer: &Scorer| POOLED.contains(&scorer.name);
        let (scorers, _) = scorers(engine.inputs(), &asked, is_default, &scoring, progress)?;
        let conf = conf.seed(seed).min_links(min_links).places(scoring.places()?);
        let pooled = draw(engine, &scorers, &conf)?;
        if let Some((path, _)) = &out {
            write_table(path, corpus, &pooled, progress)?;
        }
        let title = |page| Ok::<_, Error>(corpus.title(page)?.to_owned());
        let of_page = |page: &llamafur_eval::pool::Pooled| {
            Ok((
                title(page.page)?,
                page.targets.iter().map(|&target| title(target)).collect::<Result<_, _>>()?,
            ))
        };
        Ok(pooled.iter().map(of_page).collect::<Result<_, Error>>()?)
    })
}
