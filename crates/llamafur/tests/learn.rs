//! The learners: what they learn from graphs small enough to know the answer, and what they refuse.
#![allow(clippy::unwrap_used)]

mod common;

use common::{Contents, Small, cases, graphs, rank, weights_of};
use llamafur::Error;
use llamafur::categories::Categories;
use llamafur::graph::{MilestoneId, PageId};
use llamafur::learn::Model;
use llamafur::learn::{Explained, LearnConf, Learnt, Method, learn, train};
use llamafur::progress::Silent;
use llamafur::score::{LlamaFur, Normalise, Score};
use llamafur::{Remedy, Step};
use proptest::prelude::*;
use std::fs;
use std::sync::Arc;

fn conf(method: Method) -> LearnConf {
    LearnConf::default().method(method)
}

/// Pages with one of two categories, which link mostly to their own kind.
fn two_kinds() -> Small {
    let links = (0..12u32).map(|page| (0..12).filter(|&to| to != page && (to + page) % 2 == 0).collect());
    let mut links: Vec<Vec<u32>> = links.collect();
    links[0].push(11);
    Small::new(links, (0..12u32).map(|page| vec![page % 2, 2 + page % 3]).collect(), 5)
}

fn bits(learnt: &Learnt) -> Vec<u32> {
    let bits = |cells: &[f32]| cells.iter().map(|cell| cell.to_bits()).collect::<Vec<_>>();
    match learnt {
        Learnt::Dense(matrix) => bits(matrix.cells()),
        Learnt::Factored(matrix) => [bits(matrix.source()), bits(matrix.target())].concat(),
    }
}

#[test]
fn the_same_seed_gives_the_same_bits_and_another_seed_others() {
    let small = two_kinds();
    for method in Method::ALL {
        let learnt = |seed| bits(&small.learn(&conf(method).seed(seed)).0);
        assert_eq!(learnt(7), learnt(7), "{method}");
        // The naive learner counts: nothing about it is random.
        assert_eq!(learnt(7) == learnt(8), method == Method::Naive, "{method}");
    }
}

#[test]
fn the_number_of_threads_does_not_change_a_bit() {
    let small = two_kinds();
    let on = |threads: usize, method| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        let (learnt, figures) = pool.install(|| small.learn(&conf(method)));
        (bits(&learnt), figures)
    };
    for method in Method::ALL {
        assert_eq!(on(1, method), on(4, method), "{method}");
    }
}

#[test]
fn a_model_file_is_the_same_to_the_byte_and_carries_its_settings() {
    let dir = tempfile::tempdir().unwrap();
    let corpus = Contents::of(&two_kinds()).corpus(&dir, "a.corpus");
    for method in Method::ALL {
        let conf = conf(method).seed(99).passes(3).rank(4).ensemble(1).aggressiveness(0.75);
        let saved = || {
            let model = train(&Categories::all(&corpus), "m", &conf, &mut Silent).unwrap();
            let (path, checksum) = model.save(&corpus).unwrap();
            (fs::read(path).unwrap(), checksum)
        };
        let (first, second) = (saved(), saved());
        assert_eq!(first, second, "{method}");
        assert_eq!(first.1, blake3::hash(&first.0).to_hex().to_string());

        let opened = Model::open(&corpus, "m").unwrap();
        let settings = opened.settings();
        // Naive counts once, however many passes are asked for.
        let passes = if method == Method::Naive { 1 } else { 3 };
        assert_eq!((settings.method, settings.seed, settings.passes), (method, 99, passes));
        assert_eq!((settings.rank, settings.aggressiveness), (4, 0.75));
        assert_eq!((settings.categories, &settings.graph), (5, &corpus.manifest().graph_checksum()));
    }
}

#[test]
fn the_figures_count_examples_pages_without_categories_and_explained_links() {
    // Page 3 has no category; page 0 links to it, and every non-link of page 0 is page 4.
    let small = Small::new(
        vec![vec![1, 2, 3], vec![0], vec![], vec![0], vec![]],
        vec![vec![0], vec![0], vec![1], vec![], vec![1]],
        2,
    );
    for method in Method::ALL {
        let (learnt, figures) = small.learn(&conf(method).passes(2).ensemble(1));
        let explained = |(page, row): (usize, &Vec<u32>)| {
            let of = |page: usize| small.graph().categories(PageId(page as u32));
            row.iter().filter(|&&to| learnt.matrix().expectedness(of(page), of(to as usize)) > 0.0).count()
        };
        let explained = small.links.iter().enumerate().map(explained).sum::<usize>() as u64;
        assert_eq!(figures.explained, Explained { links: explained, among: 5 }, "{method}");
        // Five links, as many non-links, twice; counting needs neither non-links nor a second pass.
        assert_eq!(figures.examples, if method == Method::Naive { 5 } else { 20 }, "{method}");
        if method != Method::Naive {
            // The links 0 → 3 and 3 → 0, and the non-link of page 3, in both passes; page 1 may draw page 3.
            assert!((6..=8).contains(&figures.without_categories), "{method}: {figures:?}");
            let guesses: u64 = figures.checkpoints.iter().map(|point| point.guesses).sum();
            assert_eq!(guesses + figures.without_categories, figures.examples, "{method}");
        }
    }
}

/// A page of category 0 that links to {1}, to {2} and to {1, 2}; whatever else there is has no categories, so
/// that no non-link teaches anything.
fn three_links_to_two_categories() -> Small {
    let mut links = vec![vec![1, 2, 3]];
    links.resize(9, vec![]);
    let mut categories = vec![vec![0], vec![1], vec![2], vec![1, 2]];
    categories.resize(9, vec![]);
    Small::new(links, categories, 3)
}

#[test]
fn original_pulls_back_a_pair_beyond_the_margin() {
    // The first two links make both weights 1. For the third e·ρ = 2/√2 is beyond the margin: it is pulled back
    // to it, and the first two links, which had reached the margin, no longer do.
    for seed in 0..10 {
        let learnt = three_links_to_two_categories().weights(&conf(Method::Original).seed(seed));
        let half = 0.5f64.sqrt();
        assert!((learnt[1] - half).abs() < 1e-7 && (learnt[2] - half).abs() < 1e-7, "{learnt:?}");
    }
}

#[test]
fn averaged_leaves_a_pair_beyond_the_margin_alone() {
    // Links alone never lower a weight by PA-I. So after one pass each of the three has reached the margin for
    // good, later passes change nothing, and the average of P passes is W − D/P with W the last matrix: twice
    // the average of two passes minus that of one is W.
    for seed in 0..10 {
        let small = three_links_to_two_categories();
        let average = |passes| small.weights(&conf(Method::Averaged).seed(seed).passes(passes));
        let last: Vec<f64> = average(2).iter().zip(average(1)).map(|(two, one)| 2.0 * two - one).collect();
        // Three roundings of numbers below 2, one of them doubled.
        let rounding = 1e-6;
        assert!(last[1] >= 1.0 - rounding && last[2] >= 1.0 - rounding, "seed {seed}: {last:?}");
        assert!((last[1] + last[2]) / 2f64.sqrt() >= 2f64.sqrt() - rounding, "beyond the margin: {last:?}");
    }
}

#[test]
fn paper_reaches_the_margin_by_the_mean() {
    // ρ = ½ for the third link: e·ρ = 1, so it stays where the first two left it.
    let learnt = three_links_to_two_categories().weights(&conf(Method::Paper));
    assert_eq!(learnt, [0.0, 1.0, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0]);
}

#[test]
fn naive_by_hand() {
    // Pages 0 and 1 carry a, pages 1 and 2 carry b, page 3 nothing, c is on no page.
    // 0 → 1 joins (a, a) and (a, b); 1 → 2 joins (a, b) and (b, b); 2 → 0 joins (b, a); 3 → 0 joins nothing.
    let small =
        Small::new(vec![vec![1], vec![2], vec![0], vec![0]], vec![vec![0], vec![0, 1], vec![1], vec![]], 3);
    let w = |links: f64, sources: f64, targets: f64| {
        f64::from(((links + 1.0).ln() - (sources + 1.0).ln() - (targets + 1.0).ln()) as f32)
    };
    #[rustfmt::skip]
    let expected = [
        w(1., 2., 2.), w(2., 2., 2.), w(0., 2., 0.),
        w(1., 2., 2.), w(1., 2., 2.), w(0., 2., 0.),
        w(0., 0., 2.), w(0., 0., 2.), w(0., 0., 0.),
    ];
    assert_eq!(small.weights(&conf(Method::Naive)), expected);
    assert_eq!(expected[8], 0.0);
    // log 3 − 2·log 3.
    assert_eq!(expected[1], f64::from(-(3f64.ln()) as f32));
}

proptest! {
    #![proptest_config(cases(64))]

    #[test]
    fn naive_is_the_logarithm_of_counts_over_all_pages(small in graphs(14, 6)) {
        let carries = |page: usize, category: u32| small.categories[page].contains(&category);
        let pages = |category| (0..small.links.len()).filter(|&page| carries(page, category)).count() as f64;
        let links = |c, d| {
            let of_page = |(page, row): (usize, &Vec<u32>)| {
                row.iter().filter(|&&to| carries(page, c) && carries(to as usize, d)).count()
            };
            small.links.iter().enumerate().map(of_page).sum::<usize>() as f64
        };
        let found = small.weights(&conf(Method::Naive));
        let ids = 0..small.num_categories as u32;
        for (at, (c, d)) in ids.clone().flat_map(|c| ids.clone().map(move |d| (c, d))).enumerate() {
            let expected = (links(c, d) + 1.0).ln() - (pages(c) + 1.0).ln() - (pages(d) + 1.0).ln();
            // One rounding to 32 bits; the logarithms themselves are good to 10⁻¹⁵.
            let rounding = expected.abs() * 2f64.powi(-24) + 1e-14;
            prop_assert!((found[at] - expected).abs() <= rounding, "w({c}, {d}) = {}, not {expected}", found[at]);
        }
    }
}

/// Pages of one or two of `num` categories that link where the signs of their categories' pairs add up to more
/// than zero.
fn blocks(num: u32, pages: u32, seed: u64) -> (Small, Vec<bool>) {
    use llamafur::learn::sampler::{Purpose, below, generator};
    let mut random = generator(seed, Purpose::RandomScore, 0);
    let signs: Vec<bool> = (0..num * num).map(|_| below(&mut random, 2) == 1).collect();
    let carried = |page: u32| -> Vec<u32> {
        let mut both = vec![page % num, (page / num * 3 + page) % num];
        both.sort_unstable();
        both.dedup();
        both
    };
    let links = |page: u32, to: u32| {
        let (from, to) = (carried(page), carried(to));
        let sign = |c: u32, d: u32| if signs[(c * num + d) as usize] { 1 } else { -1 };
        from.iter().flat_map(|&c| to.iter().map(move |&d| sign(c, d))).sum::<i32>() > 0
    };
    let row = |page| (0..pages).filter(|&to| to != page && links(page, to)).collect();
    (Small::new((0..pages).map(row).collect(), (0..pages).map(carried).collect(), num as usize), signs)
}

/// The share of pairs of a link and a non-link in which the link is the more expected.
fn auc(small: &Small, learnt: &Learnt) -> f64 {
    let (graph, mut links, mut others) = (small.graph(), Vec::new(), Vec::new());
    for source in graph.pages() {
        for target in graph.pages().filter(|&target| target != source) {
            let (from, to) = (graph.categories(source), graph.categories(target));
            let e = Normalise::Sqrt.expectedness(learnt.matrix().rows(from), to).unwrap().unwrap();
            if graph.links(source).contains(&target) { links.push(e) } else { others.push(e) }
        }
    }
    others.sort_by(f64::total_cmp);
    let won = |e: &f64| {
        let (below, up_to) = (others.partition_point(|x| x < e), others.partition_point(|x| x <= e));
        (below + up_to) as f64 / 2.0
    };
    links.iter().map(won).sum::<f64>() / (links.len() * others.len()) as f64
}

#[test]
fn factored_of_full_rank_fits_what_the_dense_one_fits() {
    for seed in 0..4 {
        let (small, signs) = blocks(8, 64, seed);
        let passes = 60;
        let factored = small.learn(&conf(Method::Factored).rank(8).passes(passes)).0;
        let averaged = small.learn(&conf(Method::Averaged).passes(passes)).0;
        let (of_factored, of_averaged) = (auc(&small, &factored), auc(&small, &averaged));
        assert!(of_averaged > 0.99, "seed {seed}: {of_averaged}");
        assert!(of_factored >= of_averaged - 0.001, "seed {seed}: {of_factored} against {of_averaged}");
        // The graph says how each pair of categories behaves; the matrix says the same.
        let agree = |learnt: &Learnt| {
            let weights = weights_of(learnt);
            weights.iter().zip(&signs).filter(|(weight, sign)| (**weight > 0.0) == **sign).count()
        };
        assert!(agree(&factored) >= agree(&averaged), "seed {seed}");
    }
}

#[test]
fn what_no_example_touched_is_zero_in_the_factored_tables() {
    // Category 2 is on no page. Category 3 is on page 4 alone, which is linked to but links to nothing.
    let small = Small::new(
        vec![vec![1, 5], vec![0, 2, 5], vec![0, 5], vec![1, 5], vec![], vec![4]],
        vec![vec![0], vec![1], vec![0], vec![1], vec![3], vec![4]],
        5,
    );
    let (Learnt::Factored(matrix), _) = small.learn(&conf(Method::Factored).rank(3).ensemble(1)) else {
        panic!("factored")
    };
    let zero =
        |table: &[f32]| -> Vec<bool> { table.chunks(3).map(|row| row.iter().all(|&x| x == 0.0)).collect() };
    assert_eq!(zero(matrix.source()), [false, false, true, true, false]);
    assert_eq!(zero(matrix.target()), [false, false, true, false, false]);
    for category in (0..5).map(MilestoneId) {
        let weight = |c, d| llamafur::matrix::CategoryMatrix::weight(&matrix, c, d);
        assert_eq!((weight(MilestoneId(2), category), weight(category, MilestoneId(2))), (0.0, 0.0));
    }
}

/// Two cliques of five pages joined by the odd link Page 0002 → Page 0007.
fn two_cliques() -> Small {
    let clique = |page: u32| (page / 5 * 5..page / 5 * 5 + 5).filter(move |&to| to != page);
    let mut links: Vec<Vec<u32>> = (0..10).map(|page| clique(page).collect()).collect();
    links[2].push(7);
    // One category for each clique, and one that half of the pages of both carry.
    let carried = |page: u32| if page.is_multiple_of(2) { vec![page / 5, 2] } else { vec![page / 5] };
    Small::new(links, (0..10).map(carried).collect(), 3)
}

#[test]
fn the_odd_link_between_two_cliques_is_the_most_unexpected() {
    let dir = tempfile::tempdir().unwrap();
    let corpus = Contents::of(&two_cliques()).corpus(&dir, "cliques.corpus");
    for method in Method::ALL {
        train(&Categories::all(&corpus), method.name(), &conf(method), &mut Silent)
            .unwrap()
            .save(&corpus)
            .unwrap();
        let model = Arc::new(Model::open(&corpus, method.name()).unwrap());
        let scorer = Arc::new(LlamaFur::new(model.clone(), Normalise::default()).unwrap());
        let ranking = rank(&corpus, &scorer, PageId(2));
        assert_eq!(ranking[0].target, PageId(7), "{method}: {ranking:?}");
        if scorer.explains() {
            assert_eq!(ranking[0].explained, Some(false), "{method}");
            assert!(ranking[1..].iter().all(|link| link.explained == Some(true)), "{method}: {ranking:?}");
        }
        // No other link of the graph is as surprising.
        let odd = ranking[0].unexpectedness;
        for page in (0..10).map(PageId) {
            let links = rank(&corpus, &scorer, page);
            let others = links.iter().filter(|link| (page, link.target) != (PageId(2), PageId(7)));
            for other in others {
                assert!(other.unexpectedness < odd, "{method}: {page} → {}", other.target);
            }
        }
    }
}

fn refusal(small: &Small, conf: &LearnConf) -> Error {
    learn(&small.graph(), conf, &mut Silent).unwrap_err()
}

#[test]
fn settings_out_of_range_are_refused_by_name_rule_and_value() {
    let small = two_kinds();
    let default = LearnConf::default;
    let cases = [
        (default().passes(0), "passes must be at least 1, got 0"),
        (default().rounds(0), "rounds must be at least 1, got 0"),
        (default().rank(0), "rank must be between 1 and 4096, got 0"),
        (default().rank(4097), "rank must be between 1 and 4096, got 4097"),
        (default().aggressiveness(f64::NAN), "aggressiveness must be positive and finite, got NaN"),
        (default().aggressiveness(-0.5), "aggressiveness must be positive and finite, got -0.5"),
        (default().aggressiveness(0.0), "aggressiveness must be positive and finite, got 0"),
        (default().aggressiveness(f64::INFINITY), "aggressiveness must be positive and finite, got inf"),
        (default().held_out(f64::NAN), "held-out must be at least 0 and below 1, got NaN"),
        (default().held_out(-0.01), "held-out must be at least 0 and below 1, got -0.01"),
        (default().held_out(1.0), "held-out must be at least 0 and below 1, got 1"),
    ];
    for (conf, message) in cases {
        let error = refusal(&small, &conf);
        assert!(matches!(error, Error::Setting { .. }), "{error:?}");
        assert_eq!(error.to_string(), message);
    }
    assert_eq!(
        "perceptron".parse::<Method>().unwrap_err().to_string(),
        "method must be factored, averaged, paper, original or naive, got perceptron"
    );
}

#[test]
fn a_graph_without_links_or_categories_is_refused() {
    let no_links = Small::new(vec![vec![], vec![]], vec![vec![0], vec![0]], 1);
    let no_categories = Small::new(vec![vec![1], vec![]], vec![vec![], vec![]], 1);
    let no_pages = Small::new(vec![], vec![], 0);
    for method in Method::ALL {
        assert!(matches!(refusal(&no_links, &conf(method)), Error::NoLinks));
        assert!(matches!(refusal(&no_pages, &conf(method)), Error::NoLinks));
        let error = refusal(&no_categories, &conf(method));
        assert!(matches!(error, Error::NoCategories));
        assert_eq!(error.remedy(), Some(Remedy::run_with(Step::Import, "categories", "")));
    }
}

#[test]
fn a_dense_matrix_of_three_million_categories_is_refused_before_it_is_made() {
    let small = Small::new(vec![vec![1], vec![]], vec![vec![0], vec![2_999_999]], 3_000_000);
    for (method, takes) in [
        (Method::Averaged, "72.0 TB"),
        (Method::Paper, "36.0 TB"),
        (Method::Original, "36.0 TB"),
        (Method::Naive, "36.0 TB"),
    ] {
        let error = refusal(&small, &conf(method));
        assert!(matches!(error, Error::Memory { .. }), "{method}: {error:?}");
        let message = common::said(&error);
        let factored = "setting: \"method\", to: [\"factored\"]";
        for part in ["a dense matrix over 3000000 categories", takes, factored, "step: Cleanse"] {
            assert!(message.contains(part), "{method}: {message}");
        }
    }
}
