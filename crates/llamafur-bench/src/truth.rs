//! How well a learner finds the matrix that a synthetic corpus was made from.
//!
//! *Recovery*: Spearman's rank correlation between the learnt weights and the true ones, over the category pairs
//! that a learner could see. *Planted AUC*: the chance that a planted link is more unexpected than an ordinary
//! one, ties half.

use llamafur::graph::{Graph, MilestoneId, PageId};
use llamafur::learn::held_out::auc;
use llamafur::learn::sampler::{Purpose, below, generator};
use llamafur::matrix::CategoryMatrix;
use llamafur::score::Normalise;
use llamafur_eval::statistics::mean;
use llamafur_eval::synth::Truth;
use rayon::prelude::*;
use serde::Serialize;

/// Categories whose pairs are counted: the most frequent ones, for 16 MB of counts a thread.
const CATEGORIES: usize = 2048;

/// Ordinary links with which planted ones are compared, and the number of their random stream: next to those of
/// `synth`.
const ORDINARY: usize = 100_000;
const ORDINARY_STREAM: u64 = 13 << 56;

/// The true matrix over so many categories, with weights rounded as those of all matrices are: nothing can do better.
#[derive(Debug, Clone, Copy)]
pub struct TrueMatrix<'a>(pub &'a Truth, pub usize);

impl CategoryMatrix for TrueMatrix<'_> {
    fn num_categories(&self) -> usize {
        self.1
    }

    fn weight(&self, source: MilestoneId, target: MilestoneId) -> f64 {
        const GRID: f64 = (1u64 << 32) as f64;
        f64::from(((self.0.weight(source, target) * GRID).round() / GRID) as f32)
    }
}

/// How well weights were recovered.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Recovery {
    /// The rank correlation of the learnt weights with the true ones, from −1 to 1; NaN where there are fewer
    /// than two pairs, or all weights of one side are equal.
    pub correlation: f64,
    /// The pairs of categories that it was taken over.
    pub pairs: usize,
    /// The categories whose pairs were looked at.
    pub categories: usize,
}

/// The rank correlation between the weights of a matrix and the true ones, over the pairs (c, c') that occur in
/// at least `min_examples` links: c on the source, c' on the target.
///
/// Only pairs among the 2,048 categories with the most pages are counted, so that memory stays small at any
/// size.
///
/// # Panics
/// If the graph, the truth and the matrix are not over the same categories.
pub fn recovery(
    graph: &Graph<'_>,
    truth: &Truth,
    matrix: &dyn CategoryMatrix,
    min_examples: u64,
) -> Recovery {
    assert_eq!(graph.num_categories, matrix.num_categories(), "the same categories");
    let frequent = most_frequent(graph);
    let counts = count_pairs(graph, &frequent);
    let width = frequent.len();
    let seen = counts.par_iter().enumerate().filter(|(_, count)| u64::from(**count) >= min_examples.max(1));
    let (learnt, true_weights): (Vec<f64>, Vec<f64>) = seen
        .map(|(cell, _)| {
            let (source, target) = (frequent[cell / width], frequent[cell % width]);
            (matrix.weight(source, target), truth.weight(source, target))
        })
        .unzip();
    Recovery {
        correlation: correlation(&ranks(&learnt), &ranks(&true_weights)),
        pairs: learnt.len(),
        categories: width,
    }
}

/// The categories with the most pages, ascending.
fn most_frequent(graph: &Graph<'_>) -> Vec<MilestoneId> {
    let mut pages = vec![0u32; graph.num_categories];
    graph.categories.values().iter().for_each(|category| pages[category.index()] += 1);
    let mut categories: Vec<MilestoneId> = (0..graph.num_categories as u32).map(MilestoneId).collect();
    categories.sort_by_key(|category| std::cmp::Reverse(pages[category.index()]));
    categories.truncate(CATEGORIES);
    categories.sort_unstable();
    categories
}

/// In how many links each pair of these categories occurs, row after row.
fn count_pairs(graph: &Graph<'_>, categories: &[MilestoneId]) -> Vec<u32> {
    const NONE: u32 = u32::MAX;
    let mut place = vec![NONE; graph.num_categories];
    categories.iter().zip(0..).for_each(|(category, number)| place[category.index()] = number);
    let places = |page: PageId| {
        let places = graph.categories(page).iter().map(|category| place[category.index()]);
        places.filter(|&place| place != NONE)
    };
    let width = categories.len();
    let pages: Vec<PageId> = graph.pages().collect();
    let share = pages.len().div_ceil(rayon::current_num_threads()).max(1);
    let shares = pages.par_chunks(share).map(|pages| {
        let mut counts = vec![0u32; width * width];
        for &page in pages {
            for &target in graph.links(page) {
                for source in places(page) {
                    let row = &mut counts[source as usize * width..][..width];
                    places(target)
                        .for_each(|target| row[target as usize] = row[target as usize].saturating_add(1));
                }
            }
        }
        counts
    });
    let add = |mut sum: Vec<u32>, counts: Vec<u32>| {
        sum.iter_mut().zip(&counts).for_each(|(sum, count)| *sum = sum.saturating_add(*count));
        sum
    };
    shares.reduce_with(add).unwrap_or_default()
}

/// The ranks of numbers, from 0 on; those that are equal share the mean of theirs.
fn ranks(numbers: &[f64]) -> Vec<f64> {
    let mut order: Vec<u32> = (0..numbers.len() as u32).collect();
    order.par_sort_unstable_by(|&a, &b| numbers[a as usize].total_cmp(&numbers[b as usize]).then(a.cmp(&b)));
    let mut ranks = vec![0.0; numbers.len()];
    let mut first = 0;
    for equal in order.chunk_by(|&a, &b| numbers[a as usize] == numbers[b as usize]) {
        let mean = first as f64 + (equal.len() - 1) as f64 / 2.0;
        equal.iter().for_each(|&place| ranks[place as usize] = mean);
        first += equal.len();
    }
    ranks
}

/// Pearson's correlation.
fn correlation(a: &[f64], b: &[f64]) -> f64 {
    let (mean_a, mean_b) = (mean(a), mean(b));
    let (mut both, mut squares_a, mut squares_b) = (0.0, 0.0, 0.0);
    for (a, b) in a.iter().zip(b) {
        both += (a - mean_a) * (b - mean_b);
        squares_a += (a - mean_a).powi(2);
        squares_b += (b - mean_b).powi(2);
    }
    both / (squares_a * squares_b).sqrt()
}

/// The chance that a planted link is more unexpected than an ordinary one by this matrix, ties half; NaN where
/// there are no planted links, or no others.
///
/// All planted links are compared with 100,000 ordinary ones, drawn by the truth's seed, or with all where there
/// are fewer.
///
/// # Panics
/// If the graph is not the one made from this truth, or the matrix is over other categories.
pub fn planted_auc(
    graph: &Graph<'_>,
    truth: &Truth,
    matrix: &dyn CategoryMatrix,
    normalise: Normalise,
) -> f64 {
    let planted = truth.planted(graph);
    let ordinary = ordinary_links(graph, &planted, truth.seed());
    let links = planted.par_iter().map(|link| (link, true));
    let links = links.chain(ordinary.par_iter().map(|link| (link, false)));
    let mut scored: Vec<(f64, bool)> = links
        .map(|(&(source, target), is_planted)| {
            let e = normalise.expectedness(matrix.rows(graph.categories(source)), graph.categories(target));
            (-e.expect("the matrix is in memory").unwrap_or(0.0), is_planted)
        })
        .collect();
    auc(&mut scored)
}

/// Links that were not planted: a sample, each link as likely as another, or all where there are few.
fn ordinary_links(graph: &Graph<'_>, planted: &[(PageId, PageId)], seed: u64) -> Vec<(PageId, PageId)> {
    let (offsets, targets) = (graph.links.offsets(), graph.links.values());
    let link = |place: usize| {
        let source = offsets.partition_point(|&offset| offset <= place as i64) - 1;
        (PageId(source as u32), targets[place])
    };
    let is_ordinary = |link: &(PageId, PageId)| planted.binary_search(link).is_err();
    if targets.len() <= ORDINARY {
        return (0..targets.len()).map(link).filter(is_ordinary).collect();
    }
    let mut draw = generator(seed, Purpose::Synth, ORDINARY_STREAM);
    let places = (0..ORDINARY).map(|_| below(&mut draw, targets.len() as u64) as usize);
    places.map(link).filter(is_ordinary).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use llamafur::categories::Categories;
    use llamafur::corpus::Corpus;
    use llamafur::learn::{LearnConf, Learnt, Method, learn};
    use llamafur::progress::Silent;
    use llamafur::storage::Existing;
    use llamafur_eval::synth::{SynthConf, TruthKind, synth};
    use tempfile::TempDir;

    /// A corpus in a folder that is removed with it.
    struct Made {
        corpus: Corpus,
        _folder: TempDir,
    }

    fn made(conf: &SynthConf) -> Made {
        let folder = tempfile::tempdir().unwrap();
        let out = folder.path().join("made.corpus");
        synth(conf, &out, Existing::Refuse, &mut Silent).unwrap();
        Made { corpus: Corpus::open(&out).unwrap(), _folder: folder }
    }

    fn small() -> SynthConf {
        SynthConf::default().pages(3_000).links(60_000).categories(60)
    }

    fn learnt(graph: &Graph<'_>, method: Method) -> Learnt {
        learn(graph, &LearnConf::default().method(method), &mut Silent).unwrap().0
    }

    #[test]
    fn equal_numbers_share_their_rank() {
        assert_eq!(ranks(&[3.0, -1.0, 3.0, 7.0, 3.0]), [2.0, 0.0, 2.0, 4.0, 2.0]);
        assert!(ranks(&[]).is_empty());
    }

    #[test]
    fn rank_correlation_by_hand() {
        let spearman = |a: &[f64], b: &[f64]| correlation(&ranks(a), &ranks(b));
        assert_eq!(spearman(&[1.0, 2.0, 3.0], &[10.0, 20.0, 900.0]), 1.0);
        assert_eq!(spearman(&[1.0, 2.0, 3.0], &[3.0, 2.0, -5.0]), -1.0);
        // 1 − 6·Σd²/(n(n² − 1)) with d = 1, −1, 0, 0: 1 − 12/60.
        assert!((spearman(&[1.0, 2.0, 3.0, 4.0], &[2.0, 1.0, 3.0, 4.0]) - 0.8).abs() < 1e-12);
        assert!(spearman(&[1.0, 1.0], &[1.0, 2.0]).is_nan());
    }

    #[test]
    fn the_default_learner_finds_a_truth_of_low_rank() {
        let conf = SynthConf::default().pages(20_000).categories(60).links(200_000);
        let correlation = |conf: &SynthConf| {
            let Made { corpus, _folder } = made(conf);
            let (graph, truth) = (Categories::whole_graph(&corpus).unwrap(), Truth::of(&corpus).unwrap());
            let learnt = learnt(&graph, Method::Factored);
            let auc = planted_auc(&graph, &truth, learnt.matrix(), Normalise::Sqrt);
            (recovery(&graph, &truth, learnt.matrix(), 1).correlation, auc)
        };
        let ((many, many_auc), (few, few_auc)) = (correlation(&conf), correlation(&conf.links(20_000)));
        // Measured: 0.96 and 0.998 with many links, 0.91 and 0.996 with a tenth of them.
        assert!(many > 0.9 && many_auc > 0.99, "{many} {many_auc}");
        assert!(few > 0.7 && few < many - 0.03, "{few} {few_auc}");
        assert!(few_auc < many_auc, "{few_auc} {many_auc}");
    }

    #[test]
    fn a_dense_learner_finds_a_truth_of_full_rank() {
        let Made { corpus, _folder } = made(&small().kind(TruthKind::FullRank));
        let (graph, truth) = (Categories::whole_graph(&corpus).unwrap(), Truth::of(&corpus).unwrap());
        let learnt = learnt(&graph, Method::Averaged);
        let found = recovery(&graph, &truth, learnt.matrix(), 20);
        assert!(found.correlation > 0.6 && found.pairs > 2_000 && found.categories == 60, "{found:?}");
        let auc = planted_auc(&graph, &truth, learnt.matrix(), Normalise::Sqrt);
        assert!(auc > 0.9, "{auc}");
    }

    /// Weights that know nothing.
    struct Noise(usize);

    impl CategoryMatrix for Noise {
        fn num_categories(&self) -> usize {
            self.0
        }

        fn weight(&self, source: MilestoneId, target: MilestoneId) -> f64 {
            let mut draw = generator(9, Purpose::RandomScore, u64::from(source.0 << 16 | target.0));
            below(&mut draw, 1 << 20) as f64 / f64::from(1 << 20) - 0.5
        }
    }

    #[test]
    fn the_truth_scores_best_and_noise_like_chance() {
        let Made { corpus, _folder } = made(&small());
        let (graph, truth) = (Categories::whole_graph(&corpus).unwrap(), Truth::of(&corpus).unwrap());
        let found = recovery(&graph, &truth, &TrueMatrix(&truth, graph.num_categories), 1);
        assert!(found.correlation > 0.999_999, "{found:?}");
        assert!(recovery(&graph, &truth, &TrueMatrix(&truth, graph.num_categories), 100).pairs < found.pairs);
        assert!(
            recovery(&graph, &truth, &TrueMatrix(&truth, graph.num_categories), u64::MAX)
                .correlation
                .is_nan()
        );
        assert!(
            planted_auc(&graph, &truth, &TrueMatrix(&truth, graph.num_categories), Normalise::Sqrt) > 0.98
        );
        assert!(recovery(&graph, &truth, &Noise(60), 1).correlation.abs() < 0.1);
        let chance = planted_auc(&graph, &truth, &Noise(60), Normalise::Sqrt);
        assert!((chance - 0.5).abs() < 0.2, "{chance}");
    }

    #[test]
    fn without_planted_links_there_is_no_auc() {
        let Made { corpus, _folder } = made(&small().links(500).planted(0));
        let (graph, truth) = (Categories::whole_graph(&corpus).unwrap(), Truth::of(&corpus).unwrap());
        assert!(
            planted_auc(&graph, &truth, &TrueMatrix(&truth, graph.num_categories), Normalise::Sum).is_nan()
        );
    }
}
