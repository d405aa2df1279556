//! The mean of several factored matrices.
#![allow(clippy::unwrap_used)]

mod common;

use common::{Contents, Small, kinds};
use llamafur::categories::Categories;
use llamafur::learn::Model;
use llamafur::learn::held_out::{Measures, Split, measure};
use llamafur::learn::{LearnConf, Method, Start, learn, train_from, train_measured};
use llamafur::matrix::FactoredMatrix;
use llamafur::progress::{Progress, Silent, Task};
use llamafur::score::Normalise;
use std::collections::BTreeSet;

fn conf(members: usize) -> LearnConf {
    LearnConf::default().rank(5).seed(3).ensemble(members)
}

/// Large enough for several threads.
fn large() -> Small {
    let row = |page: u32| BTreeSet::from_iter((1..40).map(|i| (page + i * i * 7) % 1500));
    let links = (0..1500).map(|page| row(page).into_iter().filter(|&to| to != page).collect());
    Small::new(links.collect(), (0..1500).map(|page| vec![page % 10, 10 + page % 7]).collect(), 17)
}

#[test]
fn the_weights_are_the_mean_of_those_of_each_seed() {
    let small = kinds(40);
    for members in [2, 3, 4] {
        let mean = small.weights(&conf(members));
        let each: Vec<Vec<f64>> =
            (0..members as u64).map(|member| small.weights(&conf(1).seed(3 + member))).collect();
        for (cell, &weight) in mean.iter().enumerate() {
            let expected = each.iter().map(|weights| weights[cell]).sum::<f64>() / members as f64;
            let size: f64 = each.iter().map(|weights| weights[cell].abs()).sum();
            assert!((weight - expected).abs() <= 1e-6 * (1.0 + size), "{weight} for {expected}");
        }
        assert_ne!(each[0], each[1]);
    }
}

#[test]
fn threads_make_no_difference() {
    let small = large();
    let with = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| small.weights(&conf(3)))
    };
    let one = with(1);
    assert!(one == with(2) && one == with(5));
}

#[derive(Default)]
struct Count {
    total: u64,
    seen: u64,
}

impl Progress for Count {
    fn start(&mut self, _: Task, total: Option<u64>) {
        self.total += total.unwrap_or_default();
    }

    fn advance(&mut self, by: u64) {
        self.seen += by;
    }
}

#[test]
fn progress_counts_the_examples_of_all_members() {
    let small = kinds(40);
    let counted = |members| {
        let mut count = Count::default();
        let (_, figures) = learn(&small.graph(), &conf(members), &mut count).unwrap();
        assert_eq!((count.total, count.seen), (figures.examples, figures.examples));
        figures.examples
    };
    assert_eq!(counted(3), 3 * counted(1));
}

#[test]
fn a_small_graph_has_four_by_default_and_a_large_one_has_one() {
    let small = kinds(40);
    let graph = small.graph();
    let examples = 2 * graph.num_links() * 5;
    assert_eq!(LearnConf::default().ensemble_of(&graph), 4);
    assert_eq!(LearnConf::default().settled(&graph), LearnConf::default().ensemble(4));
    assert_eq!(LearnConf::default().method(Method::Paper).ensemble_of(&graph), 1);
    assert_eq!(LearnConf::default().rank(1025).ensemble_of(&graph), 1);
    // As if there were that many more links.
    let passes = |passes| LearnConf::default().passes(passes).ensemble_of(&graph);
    let most = 5 * 5_000_000 / examples;
    assert_eq!([passes(most), passes(most + 1)], [4, 1]);
}

#[test]
fn settings_out_of_range_are_refused() {
    let small = kinds(10);
    let refused = |conf: LearnConf| learn(&small.graph(), &conf, &mut Silent).unwrap_err().to_string();
    assert_eq!(refused(conf(0)), "ensemble must be between 1 and 64, got 0");
    assert_eq!(refused(conf(65)), "ensemble must be between 1 and 64, got 65");
    let wide = refused(conf(3).rank(2000));
    assert_eq!(wide, "ensemble must be of at most 4096 columns in all, got 3 of rank 2000");
}

#[test]
fn what_is_measured_is_the_ensemble_of_the_whole_graph() {
    let small = kinds(40);
    let graph = small.graph();
    // Few enough examples for four in the part that is learnt from, too many in the whole.
    let of_whole = 2 * graph.num_links() as u64;
    let passes = 5_000_000 / of_whole + 1;
    let conf = LearnConf::default().rank(1).passes(passes as usize).held_out(0.2);
    let split = Split::new(&graph, 0.2, 1);
    assert_eq!((conf.ensemble_of(&graph), conf.ensemble_of(&split.training(&graph))), (1, 4));
    let held_out = measure(&graph, &conf, &mut Silent).unwrap().unwrap();
    let (learnt, _) = learn(&split.training(&graph), &conf.ensemble(1), &mut Silent).unwrap();
    let expected = Measures::of(&graph, &split.pairs, learnt.matrix(), Normalise::default());
    assert_eq!(held_out.auc, Some(expected.auc));
}

#[test]
fn a_model_says_its_ensemble_and_opens_again() {
    let dir = tempfile::tempdir().unwrap();
    let corpus = Contents::of(&kinds(40)).corpus(&dir, "a.corpus");
    let categories = Categories::all(&corpus);
    let train = |conf: &LearnConf, name: &str| {
        let model = train_measured(&categories, name, conf, None, &mut Silent).unwrap();
        let path = model.save(&corpus).unwrap().0;
        (Model::open(&corpus, name).unwrap(), std::fs::read(path).unwrap())
    };
    let (model, bytes) = train(&conf(3), "three");
    let settings = model.settings();
    assert_eq!((settings.ensemble, settings.members(), settings.rank, settings.seed), (Some(3), 3, 15, 3));
    assert_eq!(LearnConf::of(settings), conf(3));
    assert_eq!(conf(3).to_string(), "factored: seed 3, 5 passes, rank 5, ensemble of 3");
    assert!(String::from_utf8_lossy(&bytes).contains("ensemble"));
    // Nothing is said of a single matrix: the bytes are what they were before there were ensembles.
    let (single, bytes) = train(&conf(1), "one");
    assert_eq!((single.settings().ensemble, single.settings().members()), (None, 1));
    assert!(!String::from_utf8_lossy(&bytes).contains("ensemble"));
    let (paper, _) = train(&conf(3).method(Method::Paper), "paper");
    assert_eq!((paper.settings().ensemble, paper.settings().rank), (None, 5));
}

#[test]
fn training_neither_continues_from_an_ensemble_nor_makes_one_by_continuing() {
    let dir = tempfile::tempdir().unwrap();
    let corpus = Contents::of(&kinds(40)).corpus(&dir, "a.corpus");
    let categories = Categories::all(&corpus);
    let train = |members| train_measured(&categories, "m", &conf(members), None, &mut Silent).unwrap();
    let ensemble = train(2);
    let refused = common::said(&Start::new(&ensemble, &categories).err().unwrap());
    assert!(
        refused.contains("the mean of an ensemble") && refused.contains("(\"ensemble\", \"1\")"),
        "{refused}"
    );
    let single = train(1);
    let start = Start::new(&single, &categories).unwrap();
    let go_on = |conf: &LearnConf| train_from(&start, &categories, "m", conf, &mut Silent);
    let refused = common::said(&go_on(&conf(2)).unwrap_err());
    assert!(refused.contains("Omit { setting: \"ensemble\" }"), "{refused}");
    for conf in [LearnConf::of(single.settings()), LearnConf::default().rank(5).seed(3)] {
        assert_eq!(go_on(&conf).unwrap().settings().members(), 1);
    }
}

#[test]
fn the_joint_tables_have_the_columns_of_all_members() {
    let small = kinds(40);
    let tables = |conf: &LearnConf| -> FactoredMatrix {
        match small.learn(conf).0 {
            llamafur::learn::Learnt::Factored(matrix) => matrix,
            _ => panic!("factored"),
        }
    };
    let (all, second) = (tables(&conf(4)), tables(&conf(1).seed(4)));
    assert_eq!((all.rank(), all.squares().is_none(), second.squares().is_some()), (20, true, true));
    // √4 is a power of two: nothing is rounded.
    let part = |row: &[f32]| row[5..10].iter().map(|x| 2.0 * x).collect::<Vec<_>>();
    let found: Vec<f32> = all.source().chunks(20).flat_map(part).collect();
    assert_eq!(found, second.source());
}
