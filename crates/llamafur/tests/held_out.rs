//! What `train` measures on links held out.
#![allow(clippy::unwrap_used)]

mod common;

use common::{Contents, Small, kinds, weights_of};
use llamafur::Error;
use llamafur::categories::Categories;
use llamafur::corpus::Corpus;
use llamafur::graph::MilestoneId;
use llamafur::learn::held_out::{Measures, Split, measure};
use llamafur::learn::{LearnConf, Method, learn, train};
use llamafur::learn::{Model, Settings};
use llamafur::matrix::pairs;
use llamafur::progress::{Note, Progress, Silent, Task};
use llamafur::score::Normalise;

fn conf(method: Method) -> LearnConf {
    LearnConf::default().method(method).rank(4)
}

fn corpus_of(small: &Small, dir: &tempfile::TempDir) -> Corpus {
    Contents::of(small).corpus(dir, "a.corpus")
}

fn weights(model: &Model) -> Vec<u64> {
    let matrix = model.matrix().unwrap();
    let all: Vec<MilestoneId> = (0..matrix.num_categories() as u32).map(MilestoneId).collect();
    pairs(&all, &all).map(|(c, d)| matrix.weight(c, d).to_bits()).collect()
}

#[test]
fn the_model_is_the_same_with_and_without_measuring() {
    let dir = tempfile::tempdir().unwrap();
    let corpus = corpus_of(&kinds(60), &dir);
    for method in Method::ALL {
        let trained = |share: f64| {
            train(&Categories::all(&corpus), "m", &conf(method).held_out(share), &mut Silent).unwrap()
        };
        let (measured, plain) = (trained(0.2), trained(0.0));
        assert_eq!(weights(&measured), weights(&plain), "{method}");
        assert!(measured.settings().held_out.is_some() && plain.settings().held_out.is_none());
        let unmeasured = Settings { held_out: None, ..measured.settings().clone() };
        assert_eq!(&unmeasured, plain.settings(), "{method}");
    }
}

#[test]
fn what_is_measured_is_what_a_split_measures() {
    let small = kinds(60);
    let graph = small.graph();
    for method in Method::ALL {
        let conf = conf(method).held_out(0.2).seed(3);
        let held_out = measure(&graph, &conf, &mut Silent).unwrap().unwrap();
        let split = Split::new(&graph, 0.2, 3);
        let (learnt, _) = learn(&split.training(&graph), &conf, &mut Silent).unwrap();
        let measures = Measures::of(&graph, &split.pairs, learnt.matrix(), Normalise::default());
        assert_eq!((held_out.share, held_out.links), (0.2, split.num_links() as u64));
        assert_eq!(held_out.auc, Some(measures.auc), "{method}");
        let told = [held_out.f_measure, held_out.precision, held_out.recall, held_out.accuracy];
        let expected = [measures.f_measure, measures.precision, measures.recall, measures.accuracy];
        // The signs of logarithms of frequencies say nothing.
        let expected = expected.map(|figure| (method != Method::Naive).then_some(figure));
        assert_eq!(told, expected, "{method}");
        let [low, high] = held_out.ci95.unwrap_or([0.0, 1.0]);
        assert!(low < high && held_out.f_measure.is_none_or(|f| low <= f && f <= high), "{method}");
    }
}

#[test]
fn the_figures_are_in_the_file_to_the_last_bit() {
    let dir = tempfile::tempdir().unwrap();
    let corpus = corpus_of(&kinds(30), &dir);
    for seed in 0..40 {
        let conf = conf(Method::Naive).seed(seed).held_out(0.1 + seed as f64 / 97.0);
        let model = train(&Categories::all(&corpus), "m", &conf, &mut Silent).unwrap();
        model.save(&corpus).unwrap();
        assert_eq!(Model::open(&corpus, "m").unwrap().settings(), model.settings());
    }
}

#[test]
fn the_default_share_is_a_thousand_links_within_bounds() {
    let share = |links| LearnConf::default().held_out_share(links);
    assert_eq!([0, 1, 10_000, 20_000, 100_000, 110_699_703].map(share), [0.1, 0.1, 0.1, 0.05, 0.01, 0.01]);
    assert_eq!(LearnConf::default().held_out(0.3).held_out_share(20_000), 0.3);
}

#[test]
fn where_nothing_can_be_held_out_nothing_is_measured() {
    let one_link = Small::new(vec![vec![1], vec![]], vec![vec![0], vec![0]], 1);
    // Two links, of which a share of nearly all leaves none to learn from.
    let two_links = Small::new(vec![vec![1, 2], vec![], vec![]], vec![vec![0]; 3], 1);
    for (small, share) in [(one_link, 0.01), (two_links, 0.999_999)] {
        let conf = conf(Method::Paper).held_out(share);
        assert_eq!(measure(&small.graph(), &conf, &mut Silent).unwrap(), None);
        let dir = tempfile::tempdir().unwrap();
        train(&Categories::all(&corpus_of(&small, &dir)), "m", &conf, &mut Silent).unwrap();
    }
}

#[test]
fn pages_that_link_to_all_others_have_no_non_links() {
    let all = |page| (0..8).filter(move |&to| to != page).collect();
    let small = Small::new((0..8).map(all).collect(), vec![vec![0]; 8], 1);
    let held_out = measure(&small.graph(), &conf(Method::Paper).held_out(0.3), &mut Silent).unwrap().unwrap();
    assert_eq!((held_out.non_links, held_out.auc), (0, None));
    assert!(held_out.links > 0 && held_out.f_measure.is_some());
}

#[test]
fn what_cannot_be_learnt_from_is_refused_as_by_the_learner() {
    let no_links = Small::new(vec![vec![], vec![]], vec![vec![0], vec![0]], 1);
    let no_categories = Small::new(vec![vec![1], vec![0]], vec![vec![], vec![]], 1);
    for conf in [LearnConf::default(), LearnConf::default().held_out(0.5)] {
        let error = |small: &Small| measure(&small.graph(), &conf, &mut Silent).unwrap_err();
        assert!(matches!(error(&no_links), Error::NoLinks));
        assert!(matches!(error(&no_categories), Error::NoCategories));
    }
}

/// Everything that was said.
#[derive(Default)]
struct Heard {
    tasks: Vec<Task>,
    notes: Vec<Note>,
}

impl Progress for Heard {
    fn start(&mut self, task: Task, _total: Option<u64>) {
        self.tasks.push(task);
    }

    fn note(&mut self, note: Note) {
        self.notes.push(note);
    }
}

#[test]
fn progress_tells_measuring_from_learning_and_wrong_guesses_once() {
    let dir = tempfile::tempdir().unwrap();
    let corpus = corpus_of(&kinds(60), &dir);
    let mut heard = Heard::default();
    train(&Categories::all(&corpus), "m", &conf(Method::Factored).held_out(0.25), &mut heard).unwrap();
    let method = "factored";
    assert_eq!(heard.tasks, [Task::LearnToMeasure { method, share: 0.25 }, Task::Learn { method }]);
    let first = heard.notes.iter().filter(|note| matches!(note, Note::Checkpoint { number: 0, .. }));
    assert_eq!(first.count(), 1);
}

#[test]
fn threads_make_no_difference_to_what_is_measured() {
    let small = kinds(60);
    let on = |threads: usize, method| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| measure(&small.graph(), &conf(method), &mut Silent).unwrap())
    };
    for method in Method::ALL {
        // More threads than pages are as good as any.
        assert_eq!(on(1, method), on(100, method), "{method}");
    }
}

#[test]
fn learning_does_not_see_the_links_held_out() {
    let small = kinds(30);
    let split = Split::new(&small.graph(), 0.5, 1);
    let weights = |graph| weights_of(&learn(&graph, &conf(Method::Naive), &mut Silent).unwrap().0);
    // Naive weights grow with the links that are seen.
    let (without, with) = (weights(split.training(&small.graph())), weights(small.graph()));
    assert!(without.iter().zip(&with).all(|(without, with)| without <= with) && without != with);
}
