//! A wiki of random words whose pages link to each other by topic and by fame, as large as one likes.

mod corpus;
mod graph;

pub use corpus::corpus;
pub use graph::{Wiki, graph};

use llamafur::categories::Categories;
use llamafur::corpus::Corpus;
use llamafur::learn::{LearnConf, Method, Model, features, train_features_measured};
use llamafur::progress::Progress;

type AnyError = Box<dyn std::error::Error>;

/// Learns a model by the default method, of one pass, unless it is there: how well it does is not asked here.
///
/// # Errors
/// If a file is damaged, or the disk is full.
pub fn train(corpus: &Corpus, progress: &mut dyn Progress) -> Result<(), AnyError> {
    let name = Model::default_name(Method::default());
    if Model::open(corpus, name).is_err() {
        let conf = LearnConf::default().ensemble(1).passes(1);
        let features = features::available(corpus, Categories::all(corpus), progress)?;
        train_features_measured(&features, name, &conf, None, progress)?.save(corpus)?;
    }
    Ok(())
}
