//! Tests of scores and explanations: parts add up to the whole, and counts are those of a brute force.

use super::between::Links;
use super::evidence::Evidence;
use super::{CategoryPages, LinksBetween, WeightedPair, counterfactuals, evidence, explain, first_pairs};
use crate::common::{self, Contents, Small, cases, graphs, rank};
use llamafur::categories::Categories;
use llamafur::corpus::Corpus;
use llamafur::graph::{MilestoneId, Neighbours, PageId};
use llamafur::learn::Model;
use llamafur::learn::sampler::{Purpose, generator, shuffle};
use llamafur::learn::{LearnConf, Learnt, Method, train};
use llamafur::matrix::{CategoryMatrix, DenseMatrix, pairs};
use llamafur::progress::Silent;
use llamafur::score::{LlamaFur, Normalise, Random, Score};
use proptest::prelude::*;
use std::sync::Arc;

fn trained(corpus: &Corpus, method: Method) -> Model {
    train(&Categories::all(corpus), method.name(), &LearnConf::default().method(method).rank(4), &mut Silent)
        .unwrap()
}

fn all_pairs(corpus: &Corpus) -> impl Iterator<Item = (PageId, PageId)> {
    let pages = 0..corpus.num_pages() as u32;
    pages.clone().flat_map(move |source| pages.clone().map(move |target| (PageId(source), PageId(target))))
}

/// Returns the largest difference between a score by the sides of two pages, rounded to 16 bits, and the sum of the
/// weights.
///
/// The integers of a side of k numbers are off by at most √2·√k/2 of 1/32,767 of its length: both sides share one vector. The weights themselves are rounded to 24 bits or to multiples of 2⁻³², and the scales
/// of the sides to 24 bits.
fn rounding(matrix: &dyn CategoryMatrix, sources: &[MilestoneId], targets: &[MilestoneId]) -> f64 {
    let (ulp, rank) = (2f64.powi(-24), 4f64);
    let of_side = (rank / 2.0).sqrt() / 32_767.0;
    let product = matrix.norms(sources, targets).unwrap();
    let of_sides = ((1.0 + of_side).powi(2) * (1.0 + ulp).powi(2) - 1.0) * product;
    let weights =
        pairs(sources, targets).map(|(from, to)| matrix.weight(from, to).abs() * ulp + 2f64.powi(-32));
    of_sides + weights.sum::<f64>()
}

proptest! {
    #![proptest_config(cases(12))]

    #[test]
    fn the_pairs_add_up_to_the_expectedness_in_any_order(small in graphs(10, 6)) {
        let dir = tempfile::tempdir().unwrap();
        let corpus = Contents::of(&small).corpus(&dir, "a.corpus");
        let mut random = generator(1, Purpose::RandomScore, 0);
        for method in Method::ALL {
            let model = Arc::new(trained(&corpus, method));
            for (source, target) in all_pairs(&corpus) {
                let mut found = explain(&model, Normalise::Sum, source, target, usize::MAX).unwrap();
                let num_pairs =
                    corpus.categories(source).unwrap().len() * corpus.categories(target).unwrap().len();
                prop_assert_eq!(found.pairs.len(), num_pairs);
                if found.expectedness > 0.0 {
                    prop_assert!(found.pairs.is_sorted_by(|a, b| a.weight >= b.weight));
                } else {
                    prop_assert!(found.pairs.is_sorted_by(|a, b| a.weight <= b.weight));
                }
                let sum = |pairs: &[WeightedPair]| pairs.iter().map(|pair| pair.weight).sum::<f64>();
                prop_assert_eq!(sum(&found.pairs), found.expectedness);
                shuffle(&mut random, &mut found.pairs);
                prop_assert_eq!(sum(&found.pairs), found.expectedness);
            }
        }
    }

    #[test]
    fn tiny_weights_are_rounded_so_that_sums_stay_exact(tiny in proptest::collection::vec(-1e-7f32..1e-7, 9)) {
        let large = [1.0f32, -1.0, 3.25, -7.5, 1e3, -1e3, 0.3, -0.7, 2e5];
        let cells = tiny.iter().zip(large).flat_map(|(&tiny, large)| [tiny, large, -tiny / 3.0, large / 7.0]);
        let matrix = DenseMatrix::from_cells(6, cells.collect());
        let all: Vec<MilestoneId> = (0..6).map(MilestoneId).collect();
        let rows = (&matrix as &dyn CategoryMatrix).rows(&all);
        let weights: Vec<f64> = rows.weights(&all).unwrap().map(|(_, _, weight)| weight).collect();
        let backwards = weights.iter().rev().sum::<f64>();
        prop_assert_eq!(backwards, matrix.expectedness(&all, &all));
    }

    #[test]
    fn the_score_is_the_expectedness_over_the_divisor_negated(small in graphs(10, 5)) {
        let dir = tempfile::tempdir().unwrap();
        let corpus = Contents::of(&small).corpus(&dir, "a.corpus");
        let categories = Categories::all(&corpus);
        for method in Method::ALL {
            let model = Arc::new(trained(&corpus, method));
            let matrix = model.matrix().unwrap();
            for normalise in Normalise::ALL {
                let Ok(scorer) = LlamaFur::new(model.clone(), normalise) else {
                    prop_assert!(normalise == Normalise::Cosine && method.is_dense());
                    continue;
                };
                for (source, target) in all_pairs(&corpus) {
                    let (sources, targets) = (categories.of(source).unwrap(), categories.of(target).unwrap());
                    let num_pairs = (sources.len() * targets.len()) as f64;
                    let divisor = match normalise {
                        Normalise::Sum => 1.0,
                        Normalise::Mean => num_pairs,
                        Normalise::Sqrt => num_pairs.sqrt(),
                        Normalise::Cosine => matrix.norms(sources, targets).unwrap(),
                    };
                    let e = matrix.expectedness(sources, targets);
                    let whole = divisor != 0.0;
                    let expected = (num_pairs > 0.0).then(|| if whole { 0.0 - e / divisor } else { 0.0 });
                    let found = scorer.score(source, &[target]).unwrap()[0];
                    match (found, expected) {
                        (Some(found), Some(expected)) if method == Method::Factored => {
                            let off = rounding(matrix, sources, targets) / if whole { divisor } else { 1.0 };
                            prop_assert!((found - expected).abs() <= off, "{} {} {}", found, expected, off);
                        }
                        _ => prop_assert_eq!(found, expected),
                    }
                    let explained = explain(&model, normalise, source, target, usize::MAX).unwrap();
                    prop_assert_eq!(explained.unexpectedness, expected);
                    prop_assert_eq!(explained.expectedness, e);
                    if normalise == Normalise::Cosine {
                        // Cauchy–Schwarz, up to the rounding of each weight to 32 bits.
                        prop_assert!(expected.is_none_or(|cosine| cosine.abs() <= 1.0 + 1e-5));
                    }
                }
            }
        }
    }

    #[test]
    fn evidence_is_what_counting_finds(small in graphs(12, 4), at: prop::sample::Index) {
        let dir = tempfile::tempdir().unwrap();
        let corpus = Contents::of(&small).corpus(&dir, "a.corpus");
        let (model, graph) = (trained(&corpus, Method::Paper), small.graph());
        let matrix = model.matrix().unwrap();
        let links: Vec<(PageId, PageId)> =
            graph.pages().flat_map(|page| graph.links(page).iter().map(move |&to| (page, to))).collect();
        let except = *at.get(&links);
        let pairs = explain(&model, Normalise::Sum, except.0, except.1, usize::MAX).unwrap().pairs;
        let counted: Vec<Evidence> = pairs.iter().map(|pair| {
            let joins = |(source, target): &&(PageId, PageId)| {
                graph.categories(*source).contains(&pair.source) && graph.categories(*target).contains(&pair.target)
            };
            let joining: Vec<(PageId, PageId)> = links.iter().filter(joins).copied().collect();
            let mean = |(source, target): (PageId, PageId)| {
                let (from, to) = (graph.categories(source), graph.categories(target));
                matrix.expectedness(from, to) / (from.len() * to.len()) as f64
            };
            let mut typical: Vec<_> = joining.iter().copied().filter(|&link| link != except).collect();
            // A stable sort: equally expected links stay in the order of the pages.
            typical.sort_by(|&a, &b| mean(b).total_cmp(&mean(a)));
            typical.truncate(3);
            Evidence { links: joining.len() as u64, typical }
        }).collect();
        for threads in [1, 4] {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            let index = CategoryPages::kept_or_made(model.categories(), 64, &mut Silent).unwrap();
            let found = pool.install(|| evidence(&model, &index, &pairs, except));
            prop_assert_eq!(&found.unwrap(), &counted, "{} threads", threads);
        }
    }

    #[test]
    fn links_between_categories_are_what_counting_finds(small in graphs(12, 4), at in 0u32..4) {
        let dir = tempfile::tempdir().unwrap();
        let corpus = Contents::of(&small).corpus(&dir, "a.corpus");
        let (categories, graph) = (Categories::all(&corpus), small.graph());
        let category = MilestoneId(at % small.num_categories as u32);
        let index = CategoryPages::kept_or_made(&categories, 64, &mut Silent).unwrap();
        let neighbours = Neighbours::new(graph.links);
        let num = |from: MilestoneId, to: MilestoneId| {
            let is_of = |page: PageId, of: MilestoneId| graph.categories(page).contains(&of);
            let links = graph.pages().filter(|&page| is_of(page, from)).flat_map(|page| graph.links(page));
            links.filter(|&&target| is_of(target, to)).count() as u64
        };
        for when_asked in [false, true] {
            let links = LinksBetween::counted(&categories, &index, &neighbours, category, when_asked).unwrap();
            for other in (0..small.num_categories as u32).map(MilestoneId) {
                let expected = Links { to: num(category, other), from: num(other, category) };
                prop_assert_eq!(links.with(other).unwrap(), expected, "{:?}, {}", other, when_asked);
            }
        }
    }

    #[test]
    fn counterfactuals_are_what_trying_every_category_finds(small in graphs(10, 6)) {
        let dir = tempfile::tempdir().unwrap();
        let corpus = Contents::of(&small).corpus(&dir, "a.corpus");
        let categories = Categories::all(&corpus);
        for method in [Method::Original, Method::Factored] {
            let model = Arc::new(trained(&corpus, method));
            let matrix = model.matrix().unwrap();
            for (source, target) in all_pairs(&corpus) {
                let (sources, targets) = (categories.of(source).unwrap(), categories.of(target).unwrap());
                let with = |category: MilestoneId| {
                    let mut sources = sources.to_vec();
                    sources.push(category);
                    matrix.expectedness(&sources, targets)
                };
                let all = (0..small.num_categories as u32).map(MilestoneId);
                let mut expected: Vec<(MilestoneId, f64)> = all
                    .filter(|category| !sources.contains(category))
                    .map(|category| (category, with(category)))
                    .filter(|(_, e)| *e > 0.0)
                    .collect();
                expected.sort_by(|a, b| b.1.total_cmp(&a.1));
                let found = counterfactuals(&model, source, target).unwrap();
                let found: Vec<_> = found.iter().map(|found| (found.category, found.expectedness)).collect();
                prop_assert_eq!(found, expected);
            }
        }
    }
}

/// Builds a corpus whose page 0 links to a page of a likely kind, to one of an unlikely kind, and to two without
/// categories.
fn with_uncategorised_pages() -> Small {
    let links = vec![vec![1, 2, 3, 4], vec![0], vec![], vec![0], vec![]];
    Small::new(links, vec![vec![0], vec![0], vec![], vec![1], vec![]], 2)
}

#[test]
fn a_link_without_categories_has_no_score_and_comes_last() {
    let dir = tempfile::tempdir().unwrap();
    let corpus = Contents::of(&with_uncategorised_pages()).corpus(&dir, "a.corpus");
    for method in Method::ALL {
        let model = Arc::new(trained(&corpus, method));
        for normalise in [Normalise::Sum, Normalise::Mean, Normalise::Sqrt] {
            let scorer = Arc::new(LlamaFur::new(model.clone(), normalise).unwrap());
            let ranking = rank(&corpus, &scorer, PageId(0));
            let last: Vec<_> = ranking[2..].iter().map(|link| (link.target, link.unexpectedness)).collect();
            assert_eq!(last, [(PageId(2), None), (PageId(4), None)], "{method}, {normalise}");
            assert!(ranking[..2].iter().all(|link| link.unexpectedness.is_some()));
            assert!(ranking[2..].iter().all(|link| link.explained.is_none()));
            let explained = explain(&model, normalise, PageId(0), PageId(2), usize::MAX).unwrap();
            assert_eq!((explained.unexpectedness, explained.expectedness), (None, 0.0));
            assert!(explained.pairs.is_empty());
        }
    }
}

#[test]
fn ties_are_ranked_by_title() {
    let dir = tempfile::tempdir().unwrap();
    let links = vec![vec![1, 2, 3, 4], vec![], vec![], vec![], vec![]];
    let small = Small::new(links, vec![vec![0], vec![1], vec![0], vec![1], vec![0]], 2);
    let corpus = Contents::of(&small).corpus(&dir, "a.corpus");
    let mut settings = trained(&corpus, Method::Paper).settings().clone();
    settings.categories = 2;
    let learnt = Learnt::Dense(DenseMatrix::from_cells(2, vec![0.5, -0.25, 0.0, 0.0]));
    let model = Arc::new(Model::new("by hand", settings, learnt, &Categories::all(&corpus)));
    let scorer = Arc::new(LlamaFur::new(model.clone(), Normalise::Sum).unwrap());
    let ranking: Vec<_> = rank(&corpus, &scorer, PageId(0));
    let found: Vec<_> =
        ranking.iter().map(|link| (link.target.0, link.unexpectedness, link.explained)).collect();
    let (odd, plain) = ((Some(0.25), Some(false)), (Some(-0.5), Some(true)));
    let expected = [(1, odd.0, odd.1), (3, odd.0, odd.1), (2, plain.0, plain.1), (4, plain.0, plain.1)];
    assert_eq!(found, expected);
}

#[test]
fn the_cosine_of_a_dense_matrix_is_refused_with_a_way_out() {
    let dir = tempfile::tempdir().unwrap();
    let corpus = Contents::of(&with_uncategorised_pages()).corpus(&dir, "a.corpus");
    let model = Arc::new(trained(&corpus, Method::Averaged));
    let error = common::said(&LlamaFur::new(model.clone(), Normalise::Cosine).err().unwrap());
    assert!(error.contains("averaged") && error.contains("[\"sum\", \"mean\", \"sqrt\"]"), "{error}");
}

#[test]
fn equal_weights_are_listed_in_the_order_of_the_categories() {
    let matrix = DenseMatrix::from_cells(2, vec![1.0, -1.0, -1.0, 1.0]);
    let both = [MilestoneId(0), MilestoneId(1)];
    let matrix = &matrix as &dyn CategoryMatrix;
    let listed = |most| {
        let of_source = |source| matrix.rows(std::slice::from_ref(source)).weights(&both);
        let order = |a: &WeightedPair, b: &WeightedPair| {
            a.weight.total_cmp(&b.weight).then((a.source, a.target).cmp(&(b.source, b.target)))
        };
        let pairs = first_pairs(&both, of_source, order, most).unwrap();
        pairs.iter().map(|pair| (pair.source.0, pair.target.0)).collect::<Vec<_>>()
    };
    assert_eq!(listed(3), [(0, 1), (1, 0), (0, 0)]);
    let listed = listed(4);
    assert_eq!(listed, [(0, 1), (1, 0), (0, 0), (1, 1)]);
}

#[test]
fn random_scores_depend_on_seed_and_link_alone() {
    let pages: Vec<PageId> = (0..200).map(PageId).collect();
    let scores = |seed, source, targets: &[PageId]| Random::new(seed).score(PageId(source), targets).unwrap();
    let all = scores(1, 5, &pages);
    assert_eq!(scores(1, 5, &pages[30..31]), all[30..31]);
    assert_ne!(scores(2, 5, &pages), all);
    assert_ne!(scores(1, 6, &pages), all);
    assert!(all.iter().flatten().all(|score| (0.0..1.0).contains(score)));
    assert!(!Random::new(1).explains());
}
