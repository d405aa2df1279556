//! Cross-validation: what it must come to, whatever the number of threads and of folds at a time.
#![allow(clippy::unwrap_used)]

mod common;

use common::{Small, kinds};
use llamafur::Error;
use llamafur::graph::{Fold, Graph};
use llamafur::learn::cross_validation::{CrossValidateConf, Spread, cross_validate};
use llamafur::learn::held_out::{Measures, Split};
use llamafur::learn::{LearnConf, Method, learn};
use llamafur::progress::{Progress, Silent, Task};
use llamafur::score::Normalise;

fn conf(method: Method) -> LearnConf {
    LearnConf::default().method(method).rank(4).seed(3)
}

#[test]
fn it_is_what_each_fold_comes_to() {
    let small = kinds(60);
    let graph = small.graph();
    for method in Method::ALL {
        let validation =
            cross_validate(&graph, &CrossValidateConf::new(conf(method)).folds(4), &mut Silent).unwrap();
        let by_hand: Vec<Measures> = Fold::all(4, 3)
            .map(|fold| {
                let split = Split::of_fold(&graph, fold, 3);
                let (learnt, _) = learn(&split.training(&graph), &conf(method), &mut Silent).unwrap();
                Measures::of(&graph, &split.pairs, learnt.matrix(), Normalise::default())
            })
            .collect();
        assert_eq!(validation.each, by_hand, "{method}");
        assert_eq!(validation.links, graph.num_links() as u64);
        assert_eq!((validation.folds, validation.method, validation.categories), (4, method, 5));
        let f_measures: Vec<f64> = by_hand.iter().map(|measures| measures.f_measure).collect();
        let expected = (method != Method::Naive).then(|| Spread::of(&f_measures));
        assert_eq!(validation.f_measure, expected, "{method}");
        assert_eq!(validation.ci95.is_some(), method != Method::Naive);
    }
    assert_eq!(Spread::of(&[1.0, 3.0]), Spread { mean: 2.0, sd: 2f64.sqrt() });
    assert_eq!(Spread::of(&[5.0]), Spread { mean: 5.0, sd: 0.0 });
}

#[test]
fn threads_and_folds_at_a_time_make_no_difference() {
    let small = kinds(45);
    let run = |threads: usize, jobs| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        let conf = CrossValidateConf::new(conf(Method::Averaged)).folds(5).jobs(jobs);
        pool.install(|| cross_validate(&small.graph(), &conf, &mut Silent).unwrap())
    };
    let first = run(1, Some(1));
    for (threads, jobs) in [(1, Some(5)), (2, None), (4, Some(2)), (3, Some(99))] {
        assert_eq!(run(threads, jobs), first);
    }
}

#[test]
fn what_makes_no_sense_is_refused() {
    let small = kinds(20);
    let refused = |graph: &Graph<'_>, folds| {
        let conf = CrossValidateConf::new(conf(Method::Factored)).folds(folds);
        cross_validate(graph, &conf, &mut Silent).unwrap_err()
    };
    for folds in [0, 1, 101] {
        let error = refused(&small.graph(), folds);
        assert_eq!(error.to_string(), format!("folds must be from 2 to 100, got {folds}"));
    }
    let three = Small::new(vec![vec![1], vec![2], vec![0]], vec![vec![0]; 3], 1);
    let error = refused(&three.graph(), 10);
    assert!(matches!(error, Error::TooFewLinksForFolds { folds: 10, links: 3 }), "{error}");
    let none = Small::new(vec![vec![1], vec![0]], vec![vec![]; 2], 0);
    let error = refused(&none.graph(), 2);
    assert!(matches!(error, Error::NoCategories), "{error}");
}

#[test]
fn progress_is_told_once_for_all_folds() {
    #[derive(Default)]
    struct Heard {
        started: Vec<(Task, Option<u64>)>,
        advanced: u64,
        finished: usize,
    }
    impl Progress for Heard {
        fn start(&mut self, task: Task, total: Option<u64>) {
            self.started.push((task, total));
        }
        fn advance(&mut self, by: u64) {
            self.advanced += by;
        }
        fn finish(&mut self) {
            self.finished += 1;
        }
    }
    let (small, mut heard) = (kinds(60), Heard::default());
    let conf = CrossValidateConf::new(conf(Method::Factored)).folds(3);
    cross_validate(&small.graph(), &conf, &mut heard).unwrap();
    let task = Task::CrossValidate { method: "factored" };
    assert_eq!(heard.started, [(task, Some(heard.advanced))]);
    assert_eq!(heard.finished, 1);
}
