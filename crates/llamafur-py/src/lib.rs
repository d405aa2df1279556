//! The private extension `llamafur._llamafur` under the Python package `llamafur`.
//!
//! It transports what the engine returns and adds nothing: results with many rows as Arrow tables ([`frame`]), the others as the
//! JSON of all interfaces, which `python/llamafur` gives types. All work is done without the interpreter's lock; a
//! [`watch::Watch`] takes it a few times a second to show progress and to see whether the user wants to stop.

mod arrow;
mod diff;
mod engine;
mod errors;
mod frame;
mod imports;
mod learner;
mod links;
mod numpy;
mod portable;
mod scorer;
mod settings;
mod training;
mod watch;
mod whole_graph;
mod wiki;

use pyo3::prelude::*;

/// The extension. Its names are for the package only.
#[pymodule]
mod _llamafur {
    use pyo3::prelude::*;

    #[pymodule_export]
    use super::diff::diff;
    #[pymodule_export]
    use super::engine::{Engine, Ranking};
    #[pymodule_export]
    use super::frame::Frame;
    #[pymodule_export]
    use super::imports::{frame_of_lists, import_table, import_wiki};
    #[pymodule_export]
    use super::learner::{Learnt, held_out_of_counts, split_links};
    #[pymodule_export]
    use super::links::{mend, predict, predict_all};
    #[pymodule_export]
    use super::numpy::MappedRows;
    #[pymodule_export]
    use super::portable::{LinkScorer, PairCounter, PortableModel, adopt_model, save_portable};
    #[pymodule_export]
    use super::training::{
        add_vectors, cleanse, count_words, cross_validate, evaluate, model, model_names, model_rows,
        model_vectors, pool, train, vector_names, vectors,
    };
    #[pymodule_export]
    use super::wiki::{WikiScanner, wiki_plan};

    #[pymodule_init]
    fn init(_module: &Bound<'_, PyModule>) -> PyResult<()> {
        Ok(llamafur::storage::handle_lost_pages()?)
    }
}
