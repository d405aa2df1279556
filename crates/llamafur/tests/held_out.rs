//! What `train` measures on links held out, and the best of several learners.
#![allow(clippy::unwrap_used)]

mod common;

use common::{Contents, Small, kinds, weights_of};
use llamafur::Error;
use llamafur::categories::Categories;
use llamafur::corpus::Corpus;
use llamafur::graph::MilestoneId;
use llamafur::learn::held_out::{Measures, Split, measure};
use llamafur::learn::{LearnConf, Method, Storage, best, learn, train, train_measured};
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
        let refused = best::choose(&small.graph(), &conf, &mut Silent).unwrap_err();
        assert!(matches!(refused, Error::TooFewLinks), "{refused}");
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
        let errors = |small: &Small| {
            let measured = measure(&small.graph(), &conf, &mut Silent).unwrap_err();
            [measured, best::choose(&small.graph(), &conf, &mut Silent).unwrap_err()]
        };
        assert!(errors(&no_links).iter().all(|error| matches!(error, Error::NoLinks)));
        assert!(errors(&no_categories).iter().all(|error| matches!(error, Error::NoCategories)));
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
fn the_best_has_the_highest_figure_and_its_model_is_that_of_its_name() {
    let dir = tempfile::tempdir().unwrap();
    let small = kinds(60);
    let corpus = corpus_of(&small, &dir);
    for seed in 0..4 {
        let conf = LearnConf::default().rank(4).seed(seed);
        let best = best::choose(&small.graph(), &conf, &mut Silent).unwrap();
        let figures: Vec<f64> = best.tried.iter().map(|tried| tried.held_out.f_measure.unwrap()).collect();
        assert!(figures.is_sorted_by(|one, two| one >= two) && figures.len() == 4, "{figures:?}");
        let lead = best.lead.unwrap();
        assert_eq!((lead.over, lead.f_measure), (best.tried[1].method, figures[0] - figures[1]));
        assert!(lead.ci95[0] <= lead.f_measure && lead.f_measure <= lead.ci95[1]);

        let conf = conf.method(best.winner().method);
        let measured = Some(best.winner().held_out.clone());
        let chosen = train_measured(&Categories::all(&corpus), "m", &conf, measured, &mut Silent).unwrap();
        let named = train(&Categories::all(&corpus), "m", &conf, &mut Silent).unwrap();
        let bytes = |model: &Model| std::fs::read(model.save(&corpus).unwrap().0).unwrap();
        assert!(bytes(&chosen) == bytes(&named), "seed {seed}");
    }
}

#[test]
fn of_equal_learners_the_first_is_the_best() {
    // Two kinds that link to their own kind alone: every learner tells all pairs.
    let row = |page: u32| {
        (0..40).filter(move |&to| to != page && to % 2 == page % 2 && !(to + page).is_multiple_of(5))
    };
    let carried = (0..40).map(|page| vec![page % 2]).collect();
    let small = Small::new((0..40).map(|page| row(page).collect()).collect(), carried, 2);
    let best = best::choose(&small.graph(), &LearnConf::default(), &mut Silent).unwrap();
    let equal: Vec<Method> = best
        .tried
        .iter()
        .filter(|tried| tried.held_out.f_measure == best.winner().held_out.f_measure)
        .map(|tried| tried.method)
        .collect();
    let in_order: Vec<Method> = best::LEARNERS.into_iter().filter(|method| equal.contains(method)).collect();
    assert!(equal.len() > 1 && equal == in_order, "{equal:?}");
}

#[test]
fn learners_that_do_not_fit_in_memory_are_left_out() {
    let kinds = kinds(60);
    let small = Small::new(kinds.links.clone(), kinds.categories.clone(), 3_000_000);
    let mut heard = Heard::default();
    let best =
        best::choose(&small.graph(), &LearnConf::default().rank(1).storage(Storage::Dense), &mut heard)
            .unwrap();
    assert_eq!(best.tried.iter().map(|tried| tried.method).collect::<Vec<_>>(), [Method::Factored]);
    assert_eq!(best.skipped.len(), 3);
    assert!(best.lead.is_none());
    let is_left_out = |note: &Note| matches!(note, Note::LeftOut { name, .. } if name == "paper");
    assert!(heard.notes.iter().any(is_left_out), "{:?}", heard.notes);
}

#[test]
fn the_best_needs_something_held_out() {
    let refused = best::choose(&kinds(30).graph(), &LearnConf::default().held_out(0.0), &mut Silent);
    let message = refused.unwrap_err().to_string();
    assert_eq!(message, "held-out must be above 0 to find the best learner, got 0");
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
