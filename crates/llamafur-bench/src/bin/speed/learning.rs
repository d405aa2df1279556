//! The learners on one and on all threads, beside their plain references.

use crate::clock::{Clock, Seconds, on_threads};
use crate::machine::{alone, cores};
use crate::record::{By, Record, Row, Task};
use crate::reference::Plain;
use crate::{Args, Outcome};
use llamafur::categories::Categories;
use llamafur::corpus::Corpus;
use llamafur::graph::Graph;
use llamafur::learn::{LearnConf, Learnt, Method, large_buffer, learn, sampler};
use std::path::Path;

/// The settings that are measured: the defaults, but one pass, since a second costs what the first does.
pub(crate) fn conf(method: Method) -> LearnConf {
    LearnConf::default().method(method).ensemble(1).passes(1)
}

/// How many examples one pass has.
pub(crate) fn num_examples(graph: &Graph<'_>, method: Method) -> u64 {
    if method == Method::Naive { graph.num_links() as u64 } else { sampler::num_examples(graph, 1) }
}

/// What came of learning once.
pub(crate) struct Run {
    pub learnt: Learnt,
    pub seconds: Seconds,
}

/// Learns on the threads of the pool at hand.
pub(crate) fn run(graph: &Graph<'_>, method: Method) -> Run {
    let mut clock = Clock::start();
    let (learnt, _) = learn(graph, &conf(method), &mut clock).expect("the graph has links and categories");
    Run { learnt, seconds: clock.seconds }
}

/// Has the system find the memory that a learner will ask for, and gives it back: a virtual machine may have to get it
/// from elsewhere first, which takes longer than learning and would hit whoever comes first. Clearing it again is still
/// part of what is measured.
pub(crate) fn ready_memory(graph: &Graph<'_>, method: Method) {
    let cells = graph.num_categories * graph.num_categories;
    match method {
        Method::Factored => {}
        Method::Averaged => drop(large_buffer(2 * cells)),
        _ => drop(large_buffer(cells)),
    }
}

/// A number that tells matrices apart.
fn checksum(learnt: &Learnt) -> u64 {
    let add = |sum: u64, cell: &f32| sum.rotate_left(5) ^ u64::from(cell.to_bits()).wrapping_mul(0x9E37_79B9);
    match learnt {
        Learnt::Dense(matrix) => matrix.cells().iter().fold(0, add),
        Learnt::Factored(matrix) => matrix.source().iter().chain(matrix.target()).fold(0, add),
    }
}

/// Every learner: one thread, all threads and the reference in turn, so that a noisy machine hits all alike.
pub(crate) fn measure(args: &Args, path: &Path, record: &mut Record) -> Outcome<()> {
    let corpus = Corpus::open(path)?;
    let graph = Categories::whole_graph(&corpus)?;
    let plain = Plain::new(&graph);
    for &method in &args.methods {
        let what = method.name().to_owned();
        for turn in 1..=args.times {
            for threads in [1, cores()] {
                ready_memory(&graph, method);
                let run = on_threads(threads, || run(&graph, method));
                record.add(Row {
                    part: Task::Learn,
                    what: what.clone(),
                    by: By::Threads(threads),
                    turn,
                    units: num_examples(&graph, method),
                    seconds: run.seconds,
                    peak: 0,
                    checksum: checksum(&run.learnt),
                })?;
            }
            let share = args.reference as f64 / num_examples(&graph, method) as f64;
            let learnt = plain.learn(method, share);
            // Whatever is not looked at may not be computed.
            std::hint::black_box(&learnt.matrix);
            let (units, seconds) = learnt.cost;
            let (part, by) = (Task::Learn, By::Reference);
            record.add(Row { part, what: what.clone(), by, turn, units, seconds, peak: 0, checksum: 0 })?;
        }
        ready_memory(&graph, method);
        record.add(alone(path, Task::Learn, &what)?)?;
    }
    Ok(())
}
