//! The scores of links, as `llamafur score` takes them, beside a plain program.
//!
//! Every time the corpus and the model are opened anew, as the command opens them, so that checking what is read for
//! the first time is part of what is measured. Files are in the page cache.

use crate::clock::{Clock, Seconds, on_threads};
use crate::learning::{self, conf};
use crate::machine::{alone, cores};
use crate::record::{By, Record, Row, Task};
use crate::reference::{Matrix, Plain};
use crate::{Args, Outcome};
use llamafur::categories::Categories;
use llamafur::corpus::Corpus;
use llamafur::graph::PageId;
use llamafur::learn::{Learnt, Method, train_measured};
use llamafur::progress::Silent;
use llamafur::score::{Inputs, ScoreConf, open};
use rayon::prelude::*;
use std::path::Path;

/// One model of each kind; which dense learner it is makes no difference.
const MODELS: [Method; 2] = [Method::Factored, Method::Original];

/// Pages scored at a time, as in the command.
const PAGES_AT_A_TIME: usize = 1 << 14;

/// Links after which no more are scored: all of a tenth of English Wikipedia, and a sixth of the whole.
const ENOUGH: u64 = 20_000_000;

/// What came of scoring once.
pub(crate) struct Run {
    pub links: u64,
    pub checksum: u64,
    pub seconds: Seconds,
}

/// Scores links on the threads of the pool at hand, page after page.
pub(crate) fn run(corpus: &Path, model: &str) -> Outcome<Run> {
    let clock = Clock::start();
    let corpus = Corpus::open(corpus)?;
    let scorer =
        open(&format!("llamafur:{model}"), &Inputs::new(&corpus), &ScoreConf::default(), &mut Silent)?;
    let (mut links, mut checksum) = (0, 0u64);
    for first in (0..corpus.num_pages()).step_by(PAGES_AT_A_TIME) {
        let pages = first..(first + PAGES_AT_A_TIME).min(corpus.num_pages());
        let score = |page| {
            let page = PageId(page as u32);
            scorer.score(page, corpus.links(page)?)
        };
        let scores: Vec<Vec<Option<f64>>> = pages.into_par_iter().map(score).collect::<Result<_, _>>()?;
        let bits = scores.iter().flatten().map(|score| score.map_or(1, f64::to_bits));
        checksum = bits.fold(checksum, |sum, bits| sum.rotate_left(5) ^ bits);
        links += scores.iter().map(|of_page| of_page.len() as u64).sum::<u64>();
        if links >= ENOUGH {
            break;
        }
    }
    Ok(Run { links, checksum, seconds: clock.stop() })
}

/// Both kinds of models: one thread, all threads and the reference in turn.
pub(crate) fn measure(args: &Args, path: &Path, record: &mut Record) -> Outcome<()> {
    let corpus = Corpus::open(path)?;
    let graph = Categories::whole_graph(&corpus)?;
    let plain = Plain::new(&graph);
    let share = args.reference as f64 / graph.num_links() as f64;
    for method in MODELS.into_iter().filter(|method| args.methods.contains(method)) {
        let what = method.name().to_owned();
        train_measured(&Categories::all(&corpus), &what, &conf(method), None, &mut Silent)?.save(&corpus)?;
        let matrix = plain_matrix(learning::run(&graph, method).learnt);
        for turn in 1..=args.times {
            for threads in [1, cores()] {
                let Run { links: units, checksum, seconds } = on_threads(threads, || run(path, &what))?;
                let by = By::Threads(threads);
                record.add(Row {
                    part: Task::Score,
                    what: what.clone(),
                    by,
                    turn,
                    units,
                    seconds,
                    peak: 0,
                    checksum,
                })?;
            }
            let (_, (units, seconds)) = plain.score(&matrix, share);
            let (part, by) = (Task::Score, By::Reference);
            record.add(Row { part, what: what.clone(), by, turn, units, seconds, peak: 0, checksum: 0 })?;
        }
        drop(matrix);
        record.add(alone(path, Task::Score, &what)?)?;
    }
    Ok(())
}

/// The matrix in 64-bit numbers.
fn plain_matrix(learnt: Learnt) -> Matrix {
    let wide = |cells: &[f32]| cells.iter().map(|&cell| f64::from(cell)).collect::<Vec<f64>>();
    match learnt {
        Learnt::Dense(matrix) => Matrix::Dense(wide(matrix.cells())),
        Learnt::Factored(matrix) => {
            let rows = |cells: &[f32]| cells.chunks(matrix.rank()).map(wide).collect();
            Matrix::Factored(rows(matrix.source()), rows(matrix.target()))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use llamafur::score::{LlamaFur, Normalise, Score};
    use llamafur::storage::Existing;
    use llamafur_eval::synth::{SynthConf, synth};

    /// The length of the mean of some rows.
    fn mean_length(rows: &[Vec<f64>], which: impl ExactSizeIterator<Item = usize>) -> f64 {
        let (num, mut sum) = (which.len().max(1) as f64, vec![0.0; rows[0].len()]);
        which.for_each(|row| sum.iter_mut().zip(&rows[row]).for_each(|(sum, x)| *sum += x));
        sum.iter().map(|x| (x / num).powi(2)).sum::<f64>().sqrt()
    }

    #[test]
    fn the_reference_gives_the_scores_of_the_library() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("small.corpus");
        let sizes = SynthConf::default().pages(1_000).links(9_000).categories(40);
        synth(&sizes, &path, Existing::Refuse, &mut Silent).unwrap();
        let corpus = Corpus::open(&path).unwrap();
        let graph = Categories::whole_graph(&corpus).unwrap();
        for method in MODELS {
            let model =
                train_measured(&Categories::all(&corpus), "m", &conf(method), None, &mut Silent).unwrap();
            let scorer = LlamaFur::new(std::sync::Arc::new(model), Normalise::default()).unwrap();
            let links = || graph.pages().flat_map(|page| graph.links(page).iter().map(move |&to| (page, to)));
            let ours = graph.pages().flat_map(|page| scorer.score(page, graph.links(page)).unwrap());
            let matrix = plain_matrix(learning::run(&graph, method).learnt);
            let (plain, (units, _)) = Plain::new(&graph).score(&matrix, 1.0);
            assert_eq!(units, 9_000);
            for ((ours, plain), (source, target)) in ours.zip(plain).zip(links()) {
                assert_eq!(ours.is_some(), plain.is_some());
                // The sides of the pages have 16 bits a number.
                let bound = match &matrix {
                    Matrix::Dense(_) => 1e-4,
                    Matrix::Factored(u, v) => {
                        let rounding = 2.83 * (u[0].len() as f64).sqrt() / f64::from(1 << 16);
                        let sides = [(u, source), (v, target)].map(|(rows, page)| {
                            mean_length(rows, graph.categories(page).iter().map(|category| category.index()))
                        });
                        rounding * sides[0] * sides[1] + 1e-6
                    }
                };
                let off = (ours.unwrap_or(0.0) - plain.unwrap_or(0.0)).abs();
                assert!(off <= bound, "{method}: {off} above {bound}");
            }
        }
    }
}
