//! What benchmarks look at: not part of the library's interface.

pub use super::dense::Waits;
pub use super::factored::Tuning;
use super::progress::Watch;
use super::{LearnConf, Method, check_graph, dense, learn, num_examples};
use crate::Error;
use crate::graph::Graph;
pub use crate::kernels::prefetch;
use crate::matrix::Matrix;
use crate::progress::Progress;
use std::sync::atomic::AtomicU32;

/// [`learn()`], and how often its threads waited for each other, which differs from run to run.
///
/// # Errors
/// As for [`learn()`].
pub fn learn_counting_waits(
    graph: &Graph<'_>,
    conf: &LearnConf,
    progress: &mut dyn Progress,
) -> Result<(Matrix, Waits), Error> {
    if conf.method == Method::Factored {
        return Ok((learn(graph, conf, progress)?.0, Waits::default()));
    }
    check_graph(graph, conf)?;
    let plan = dense::Plan::new(graph, conf, None, progress)?;
    let mut watch = Watch::new(progress, conf.method, num_examples(graph, conf));
    let learnt = plan.learn(&mut watch);
    watch.finish();
    Ok(learnt)
}

/// Zeros in large pages, as the dense learners have their cells, for benchmarks of the memory itself.
pub fn large_buffer(len: usize) -> Vec<AtomicU32> {
    // The same memory: vectors of the same size and alignment are collected in place.
    crate::kernels::zeros(len).into_iter().map(AtomicU32::new).collect()
}
