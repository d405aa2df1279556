use super::plain::{self, Gradients};
use super::table::EPSILON;
use super::*;
use crate::graph::MilestoneId;
use crate::learn::Method;
use crate::learn::progress::Figures;
use crate::learn::sampler::Draw;
use crate::progress::Silent;
use crate::random::{Purpose, below, generator};
use crate::storage::CsrBuf;
use proptest::prelude::*;

type Rows = Vec<Vec<u32>>;
type Tables = (CsrBuf<PageId>, CsrBuf<MilestoneId>);

fn tables(links: &Rows, categories: &Rows) -> Tables {
    let links = links.iter().map(|row| row.iter().copied().map(PageId));
    let categories = categories.iter().map(|row| row.iter().copied().map(MilestoneId));
    (CsrBuf::from_iter(links), CsrBuf::from_iter(categories))
}

fn graph(tables: &Tables) -> Graph<'_> {
    let categories = tables.1.view();
    let num_categories = categories.values().iter().map(|id| id.index() + 1).max().unwrap_or(0);
    Graph::new(tables.0.view(), categories, num_categories)
}

fn with_watch<T>(work: impl FnOnce(&mut Watch<'_>) -> T) -> (T, Figures) {
    let mut silent = Silent;
    let mut watch = Watch::new(&mut silent, Method::Factored, 0);
    let result = work(&mut watch);
    (result, watch.finish())
}

fn bits(matrix: &FactoredMatrix) -> Vec<u32> {
    matrix.source().iter().chain(matrix.target()).map(|x| x.to_bits()).collect()
}

/// Holds threads to the plain loop.
fn expect_the_plain_loop(tables: &Tables, conf: &LearnConf, threads: &[usize]) {
    let graph = graph(tables);
    let (expected, figures) = with_watch(|watch| plain::learn(&graph, conf, watch));
    for &threads in threads {
        let (found, counted) = with_watch(|watch| learn_with(&graph, conf, None, watch, threads));
        assert!(bits(&found) == bits(&expected), "{threads} threads, {conf:?}");
        assert_eq!(
            (counted.examples, counted.without_categories),
            (figures.examples, figures.without_categories)
        );
        let wrong = |figures: &Figures| {
            let sum =
                |of: fn(&crate::learn::Checkpoint) -> u64| figures.checkpoints.iter().map(of).sum::<u64>();
            (sum(|c| c.guesses), sum(|c| c.wrong))
        };
        assert_eq!(wrong(&counted), wrong(&figures));
    }
}

/// Pages with up to `most` links and few categories, the first of which most pages have.
fn crowded(num_pages: u32, most: u64, num_categories: u64, seed: u64) -> Tables {
    let mut draw = generator(seed, Purpose::Synth, 0);
    let mut links = Rows::new();
    let mut categories = Rows::new();
    for page in 0..num_pages {
        let mut row: Vec<u32> = (0..below(&mut draw, most + 1))
            .map(|_| below(&mut draw, u64::from(num_pages)) as u32)
            .filter(|&target| target != page)
            .collect();
        row.sort_unstable();
        row.dedup();
        links.push(row);
        let num = below(&mut draw, 12);
        // The lesser of two draws: low numbers are frequent. Some lists are empty, some name one twice.
        let category = |_| below(&mut draw, num_categories).min(below(&mut draw, num_categories)) as u32;
        categories.push((0..num).map(category).collect());
    }
    tables(&links, &categories)
}

#[test]
fn threads_compute_what_a_plain_loop_does_whatever_the_rank() {
    let tables = crowded(150, 200, 9, 1);
    for rank in [1, 3, 8, 9, 16, 32, 40, 64, 65] {
        let conf = LearnConf::default().rank(rank).passes(2).seed(rank as u64);
        expect_the_plain_loop(&tables, &conf, &[1, 2, 3, 16]);
    }
}

#[test]
fn threads_compute_what_a_plain_loop_does_however_examples_are_drawn_and_batched() {
    let tables = crowded(400, 90, 40, 2);
    for non_links in [Draw::Uniform, Draw::ByInDegree, Draw::Mixed] {
        for batch in [Some(1), Some(100), Some(5_000), None] {
            let tuning = Tuning { batch, non_links, ..Tuning::default() };
            let conf = LearnConf::default().rank(16).passes(2).tuning(tuning);
            expect_the_plain_loop(&tables, &conf, &[1, 2, 5]);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]

    #[test]
    fn threads_compute_what_a_plain_loop_does(
        pages in 2u32..60, most in 1u64..70, categories in 1u64..20, seed in 0u64..1000, threads in 1usize..9,
    ) {
        let tables = crowded(pages, most, categories, seed);
        let tuning = Tuning { batch: Some(40), ..Tuning::default() };
        expect_the_plain_loop(&tables, &LearnConf::default().rank(8).passes(3).tuning(tuning), &[threads]);
    }
}

/// Σ log(1 + exp(−σ·z)) over the examples, in 64 bits, straight from the definition.
fn loss(categories: &Rows, examples: &[(u32, u32, bool)], rank: usize, u: &[f64], v: &[f64]) -> f64 {
    let of = |&(source, target, is_link): &(u32, u32, bool)| {
        let (sources, targets) = (&categories[source as usize], &categories[target as usize]);
        let mut e = 0.0;
        for &c in sources {
            for &d in targets {
                e += (0..rank).map(|i| u[c as usize * rank + i] * v[d as usize * rank + i]).sum::<f64>();
            }
        }
        let z = e / ((sources.len() * targets.len()) as f64).sqrt();
        let sigma = if is_link { 1.0 } else { -1.0 };
        (-sigma * z).exp().ln_1p()
    };
    examples.iter().map(of).sum()
}

/// The derivatives of the loss by every entry of U and of V, by central differences.
fn differences(
    categories: &Rows,
    examples: &[(u32, u32, bool)],
    learner: &plain::Learner<'_>,
) -> [Vec<f64>; 2] {
    let wide =
        |table: &plain::Table| table.rows.iter().flatten().map(|&x| f64::from(x)).collect::<Vec<f64>>();
    let (u, v, rank) = (wide(&learner.source), wide(&learner.target), learner.source.rank);
    // The error is of the order h² of the third derivative, and 10⁻¹⁶/h of rounding.
    let h = 1e-5;
    let moved = |table: &[f64], at: usize, by: f64| {
        let mut table = table.to_vec();
        table[at] += by;
        table
    };
    let by_u = |at| {
        let loss_at = |by| loss(categories, examples, rank, &moved(&u, at, by), &v);
        (loss_at(h) - loss_at(-h)) / (2.0 * h)
    };
    let by_v = |at| {
        let loss_at = |by| loss(categories, examples, rank, &u, &moved(&v, at, by));
        (loss_at(h) - loss_at(-h)) / (2.0 * h)
    };
    [(0..u.len()).map(by_u).collect(), (0..v.len()).map(by_v).collect()]
}

/// Sums of at most ten products of 32-bit numbers below 2 in size: a few units of 2⁻²⁴ each.
const ROUNDING: f64 = 3e-6;

#[test]
fn slopes_times_sums_are_the_gradient_of_the_loss() {
    let categories: Rows = vec![vec![0, 2], vec![1], vec![0, 1, 3], vec![2, 3], vec![3]];
    // Two pages, links and non-links, categories on both sides and in several examples.
    let examples = [(0, 1, true), (0, 2, false), (0, 3, true), (2, 0, true), (2, 4, false), (2, 1, false)];
    let tables = tables(&vec![vec![]; 5], &categories);
    for (rank, seed) in [(1, 1), (3, 2), (8, 3), (11, 4)] {
        let learner = plain::Learner::new(&graph(&tables), &LearnConf::default().rank(rank).seed(seed));
        let expected = differences(&categories, &examples, &learner);
        let mut found = expected.clone().map(|table| vec![0.0; table.len()]);
        for run in examples.chunk_by(|a, b| a.0 == b.0) {
            let of_run = run.iter().map(|&(_, target, is_link)| (PageId(target), is_link)).collect();
            let page = PageId(run[0].0);
            let (Gradients { sum, slopes, of_sources }, _) =
                with_watch(|watch| learner.gradients(&(page, of_run), watch));
            for k in 0..rank {
                for &c in &categories[page.index()] {
                    found[0][c as usize * rank + k] += f64::from(of_sources[k]);
                }
                for (&(_, target, _), slope) in run.iter().zip(&slopes) {
                    for &d in &categories[target as usize] {
                        found[1][d as usize * rank + k] += f64::from(slope * sum[k]);
                    }
                }
            }
        }
        for (found, expected) in found.iter().flatten().zip(expected.iter().flatten()) {
            assert!((found - expected).abs() < ROUNDING, "{found}, expected {expected}");
        }
    }
}

#[test]
fn a_first_step_is_as_long_as_was_settled_and_goes_against_the_gradient() {
    // One page, and targets that share no category: every row is stepped once.
    let categories: Rows = vec![vec![0, 4], vec![1, 2], vec![3], vec![0, 4], vec![5, 6, 7]];
    let examples = [(0, 1, true), (0, 2, false), (0, 3, true), (0, 4, false)];
    let tables = tables(&vec![vec![]; 5], &categories);
    for (rank, seed) in [(1, 5), (4, 6), (9, 7)] {
        let conf = LearnConf::default().rank(rank).seed(seed);
        let mut learner = plain::Learner::new(&graph(&tables), &conf);
        let gradients = differences(&categories, &examples, &learner);
        let before = [learner.source.rows.clone(), learner.target.rows.clone()];
        let batch = [(PageId(0), examples.map(|(_, target, is_link)| (PageId(target), is_link)).to_vec())];
        with_watch(|watch| learner.learn_from(&batch, watch));
        for ((table, before), gradient) in
            [&learner.source, &learner.target].into_iter().zip(&before).zip(&gradients)
        {
            for (category, (row, before)) in table.rows.iter().zip(before).enumerate() {
                let gradient = &gradient[category * rank..][..rank];
                let square = gradient.iter().map(|g| g * g).sum::<f64>() / rank as f64;
                assert!((f64::from(table.squares[category]) - square).abs() < ROUNDING);
                let length = f64::from(conf.tuning.step) / (square + f64::from(EPSILON)).sqrt();
                let is_touched = table.squares[category] != 0.0;
                for (k, (&now, &before)) in row.iter().zip(before).enumerate() {
                    let (now, before) = (f64::from(now), f64::from(before));
                    let expected = before - length * (gradient[k] + f64::from(conf.tuning.decay) * before);
                    let expected = if is_touched { expected } else { before };
                    assert!((now - expected).abs() < 1e-4, "{now}, expected {expected}");
                }
            }
        }
    }
}

#[test]
fn every_gradient_of_a_batch_is_taken_at_its_start() {
    // The second run's slope does not know of the first one's step.
    let tables = tables(&vec![vec![]; 2], &vec![vec![0], vec![1]]);
    let run = || (PageId(0), vec![(PageId(1), true)]);
    let conf = LearnConf::default().rank(4).seed(8);
    let slope =
        |learner: &plain::Learner<'_>| with_watch(|watch| learner.gradients(&run(), watch)).0.slopes[0];
    let mut at_once = plain::Learner::new(&graph(&tables), &conf);
    let mut in_turn = plain::Learner::new(&graph(&tables), &conf);
    let before = slope(&at_once);
    with_watch(|watch| at_once.learn_from(&[run(), run()], watch));
    with_watch(|watch| {
        in_turn.learn_from(&[run()], watch);
        in_turn.learn_from(&[run()], watch);
    });
    assert!(slope(&at_once).abs() < before.abs(), "the loss went down");
    assert_ne!(at_once.target.rows, in_turn.target.rows);
    // Two steps against the same gradient: the sum of squares is twice the square of it.
    let square = before * before * plain_square(&graph(&tables), &conf);
    assert!((at_once.target.squares[1] - 2.0 * square).abs() < 1e-6);
}

/// The mean square of the only source row.
fn plain_square(graph: &Graph<'_>, conf: &LearnConf) -> f32 {
    let row = &plain::Learner::new(graph, conf).source.rows[0];
    row.iter().map(|x| x * x).sum::<f32>() / row.len() as f32
}

#[test]
fn a_large_graph_has_larger_batches() {
    let links = |num: u32| CsrBuf::from_iter([(0..num).map(PageId)]);
    let batch = |num| {
        let links = links(num);
        let none = CsrBuf::from_iter([Vec::<MilestoneId>::new()]);
        let graph = Graph::new(links.view(), none.view(), 0);
        Tuning::default().batch_for(&graph)
    };
    assert_eq!([10, 1 << 19, 1 << 21, 1 << 25].map(batch), [512, 512, 2048, 1 << 14]);
}
