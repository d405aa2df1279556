//! Learning the category matrix from the links of a graph and as many non-links.
//!
//! Five learners, each with a file or folder of its own; all give a w(c, c') for every pair of categories:
//!
//! | name | matrix | how |
//! |---|---|---|
//! | [`Method::Factored`] | W = U·Vᵀ | logistic loss, AdaGrad: `factored/`; the mean of several: `ensemble.rs` |
//! | [`Method::Averaged`] | dense | PA-I, the average of the iterates: `averaged.rs` |
//! | [`Method::Paper`] | dense | Algorithm 1 of the paper: `passive_aggressive.rs` |
//! | [`Method::Original`] | dense | what the authors' program computes: `passive_aggressive.rs` |
//! | [`Method::Naive`] | dense | logarithms of link frequencies: `naive.rs` |
//!
//! Same graph, settings and seed give the same matrix, bit for bit. [`train`] measures the learner on links that it has
//! not seen ([`held_out`]).

mod averaged;
mod conf;
pub mod cross_validation;
mod dense;
mod ensemble;
mod explained;
mod factored;
pub mod features;
pub mod held_out;
mod memory;
mod model;
mod naive;
#[cfg(feature = "oracle")]
mod oracle;
mod passive_aggressive;
#[cfg(test)]
mod plain;
#[cfg(test)]
mod plain_tests;
mod portable;
mod progress;
mod records;
pub mod sampler;
mod start;
mod tally;

#[doc(hidden)]
pub use crate::matrix::Matrix as Learnt;
pub use conf::{LearnConf, Method};
pub use explained::Explained;
pub use model::{Model, Settings};
pub use naive::naive_of_counts;
#[cfg(feature = "oracle")]
#[doc(hidden)]
pub use oracle::{Tuning, large_buffer, prefetch};
pub use portable::PortableModel;
pub use progress::{Checkpoint, Figures};
pub use start::{Origin, Start};

use crate::Error;
use crate::categories::Categories;
use crate::graph::Graph;
use crate::matrix::Matrix;
use crate::progress::{Note, Progress};
use held_out::{HeldOut, Measured};
use memory::expect_memory;
use progress::Watch;
use start::Carried;

/// Learns the matrix of a graph.
///
/// ```
/// use llamafur::graph::{MilestoneId, Graph, PageId};
/// use llamafur::storage::CsrBuf;
/// use llamafur::learn::{LearnConf, Method, learn};
/// use llamafur::progress::Silent;
///
/// // Pages 0 and 1 carry category 0 and link to pages 2 and 3, which carry category 1.
/// let links = CsrBuf::from_iter([vec![2, 3], vec![2, 3], vec![], vec![]].map(|row| row.into_iter().map(PageId)));
/// let categories = CsrBuf::from_iter([0, 0, 1, 1].map(|c| [MilestoneId(c)]));
/// let graph = Graph::new(links.view(), categories.view(), 2);
/// let (learnt, _) = learn(&graph, &LearnConf::default().method(Method::Paper), &mut Silent)?;
/// let weight = |c, d| learnt.matrix().weight(MilestoneId(c), MilestoneId(d));
/// assert!(weight(0, 1) > 0.0 && weight(0, 0) < 0.0);
/// # Ok::<(), llamafur::Error>(())
/// ```
///
/// # Errors
/// If a setting is out of range, the graph has nothing to learn from, or the matrix would not fit in memory.
pub fn learn(
    graph: &Graph<'_>,
    conf: &LearnConf,
    progress: &mut dyn Progress,
) -> Result<(Matrix, Figures), Error> {
    run(graph, conf, progress, None)
}

/// Continues from a matrix over the same categories, made by `passes` passes: makes as many more as the settings say.
/// Learns no ensemble.
///
/// # Errors
/// As for [`learn()`], or if training by these settings cannot continue from the matrix.
pub fn continue_from(
    matrix: &Matrix,
    passes: usize,
    graph: &Graph<'_>,
    conf: &LearnConf,
    progress: &mut dyn Progress,
) -> Result<(Matrix, Figures), Error> {
    let refuse =
        |why: &str, remedy| Err(Error::Start { model: conf.method.name().into(), why: why.into(), remedy });
    if conf.method == Method::Naive {
        return refuse("its matrix is counted, not learnt", None);
    }
    match (conf.method, matrix) {
        (Method::Factored, Matrix::Factored(tables)) if tables.rank() != conf.rank => {
            let remedy = Some(crate::Remedy::set("rank", tables.rank().to_string()));
            return refuse("its rank is another one", remedy);
        }
        (Method::Factored, Matrix::Factored(tables)) if tables.squares().is_none() => {
            return refuse(
                "it does not record how short its steps had become",
                Some(crate::Remedy::set("ensemble", "1")),
            );
        }
        (Method::Factored, Matrix::Factored(_)) => {}
        (Method::Factored, _) | (_, Matrix::Factored(_)) => {
            return refuse("it was learnt by another method", Some(crate::Remedy::another("method")));
        }
        _ => {}
    }
    if matrix.matrix().num_categories() != graph.num_categories {
        return refuse("it is over other categories", None);
    }
    let conf = LearnConf { passes_before: passes, ensemble: Some(1), ..conf.clone() };
    run(graph, &conf, progress, Some(&Carried::of(matrix)))
}

/// The most links that are scored to count the explained ones: among a million, a share is known to a twentieth
/// of a percent, and to score all of a large graph takes half as long as learning from them.
const LINKS_ASKED: usize = 1 << 20;

fn run(
    graph: &Graph<'_>,
    conf: &LearnConf,
    progress: &mut dyn Progress,
    start: Option<&Carried<'_>>,
) -> Result<(Matrix, Figures), Error> {
    let (learnt, mut figures) = run_uncounted(graph, conf, progress, start)?;
    figures.explained = Explained::among(graph, learnt.matrix(), LINKS_ASKED);
    Ok((learnt, figures))
}

/// Checks the settings, and that the graph has links and categories.
fn check_graph(graph: &Graph<'_>, conf: &LearnConf) -> Result<(), Error> {
    conf.check()?;
    if graph.num_links() == 0 {
        return Err(Error::NoLinks);
    }
    if graph.categories.num_values() == 0 {
        return Err(Error::NoCategories);
    }
    Ok(())
}

/// Returns the number of examples that a learner goes through.
fn num_examples(graph: &Graph<'_>, conf: &LearnConf) -> u64 {
    match conf.method {
        Method::Naive => graph.num_links() as u64,
        _ => {
            let of_one = sampler::num_examples(graph, conf.ratio()) * conf.passes_or_default() as u64;
            of_one * conf.ensemble_of(graph) as u64
        }
    }
}

/// Returns the bytes that a learner takes.
fn num_bytes(graph: &Graph<'_>, conf: &LearnConf) -> u64 {
    match conf.method {
        Method::Factored => factored::num_bytes(graph, conf),
        _ => dense::num_bytes(graph, conf),
    }
}

/// Learns like [`run`], but does not count the links explained.
fn run_uncounted(
    graph: &Graph<'_>,
    conf: &LearnConf,
    progress: &mut dyn Progress,
    start: Option<&Carried<'_>>,
) -> Result<(Matrix, Figures), Error> {
    check_graph(graph, conf)?;
    expect_memory(conf, graph.num_categories, num_bytes(graph, conf))?;
    let mut watch = Watch::new(progress, conf.method, num_examples(graph, conf));
    let learnt = match conf.method {
        Method::Factored => {
            let learn = |conf: &LearnConf| factored::learn(graph, conf, start, &mut watch);
            Matrix::Factored(ensemble::mean(conf.ensemble_of(graph), conf, learn))
        }
        _ => Matrix::Dense(dense::learn(graph, conf, start, &mut watch)),
    };
    Ok((learnt, watch.finish()))
}

/// Learns the matrix of a corpus, over these categories of it, and makes it a model of that name, to be saved.
///
/// First the learner is measured on links held out ([`held_out::measure()`]), which takes as long again; what comes
/// of it is in the model's settings. The matrix is learnt from all links.
///
/// # Errors
/// As for [`learn()`], or if the corpus is damaged.
pub fn train(
    categories: &Categories,
    name: &str,
    conf: &LearnConf,
    progress: &mut dyn Progress,
) -> Result<Model, Error> {
    let held_out = held_out::measure(&categories.graph()?, conf, progress)?;
    train_measured(categories, name, conf, held_out, progress)
}

/// Trains like [`train`], with measures taken before with the same settings, or none.
///
/// # Errors
/// As for [`train`].
pub fn train_measured(
    categories: &Categories,
    name: &str,
    conf: &LearnConf,
    held_out: Option<HeldOut>,
    progress: &mut dyn Progress,
) -> Result<Model, Error> {
    let graph = categories.graph()?;
    let conf = conf.settled(&graph);
    let (learnt, figures) = learn(&graph, &conf, progress)?;
    Ok(model_of(categories, name, &conf, (learnt, figures), held_out, None))
}

/// Learns a matrix over each of several [features] of a corpus, such as its categories and its words, and makes one model
/// of them: its scores are the sums of theirs.
///
/// First the learner is measured on links held out, of each matrix and of all together.
///
/// # Errors
/// As for [`learn()`], or if there is no feature, or the corpus is damaged.
pub fn train_features(
    features: &[Categories],
    name: &str,
    conf: &LearnConf,
    progress: &mut dyn Progress,
) -> Result<Model, Error> {
    let measured = held_out::measure_features(features, conf, progress)?;
    train_features_measured(features, name, conf, measured, progress)
}

/// Trains like [`train_features`], with measures taken before with the same settings, or none.
///
/// # Errors
/// As for [`train_features`].
pub fn train_features_measured(
    features: &[Categories],
    name: &str,
    conf: &LearnConf,
    measured: Option<Measured>,
    progress: &mut dyn Progress,
) -> Result<Model, Error> {
    let (each, together) = measured.map_or((Vec::new(), None), |Measured { each, all }| (each, Some(all)));
    let mut models = Vec::new();
    for (at, categories) in features.iter().enumerate() {
        if features.len() > 1 {
            progress.note(Note::words(format!("over {}", categories.feature())));
        }
        let model = train_measured(categories, name, conf, each.get(at).cloned(), progress)?;
        models.push((model, categories.graph()?.mean_num_categories()));
    }
    Model::joined(models, together).ok_or(Error::NoCategories)
}

/// Continues from a model: makes as many more passes as the settings say, by its method and of its rank. Learns no
/// ensemble; settings with one are refused.
///
/// The learner is not measured: the model may have seen the links that would be held out.
///
/// # Errors
/// As for [`learn()`], or if the settings are of another method or rank than the model.
pub fn train_from(
    start: &Start<'_>,
    categories: &Categories,
    name: &str,
    conf: &LearnConf,
    progress: &mut dyn Progress,
) -> Result<Model, Error> {
    let origin = start.expect(conf)?;
    let conf = LearnConf { passes_before: origin.passes, ensemble: Some(1), ..conf.clone() };
    let learnt = run(&categories.graph()?, &conf, progress, Some(&start.carried))?;
    Ok(model_of(categories, name, &conf, learnt, None, Some(origin)))
}

fn model_of(
    categories: &Categories,
    name: &str,
    conf: &LearnConf,
    (learnt, figures): (Matrix, Figures),
    held_out: Option<HeldOut>,
    origin: Option<Origin>,
) -> Model {
    let settings = Settings {
        graph: categories.corpus().manifest().graph_checksum(),
        categories: categories.num(),
        cleansing: categories.milestones().map(|milestones| milestones.id().clone()),
        feature: categories.feature(),
        words: categories.checksum(),
        origin,
        ..Settings::learnt(conf, figures, held_out)
    };
    Model::new(name, settings, learnt, categories)
}
