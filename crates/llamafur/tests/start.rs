//! Going on from a model.

#![allow(clippy::unwrap_used, missing_docs)]

mod common;

use common::{Contents, Small, weights_of};
use llamafur::Error;
use llamafur::categories::Categories;
use llamafur::corpus::Corpus;
use llamafur::graph::MilestoneId;
use llamafur::learn::Model;
use llamafur::learn::{LearnConf, Method, Start, continue_from, learn, train_from, train_measured};
use llamafur::matrix::pairs;
use llamafur::progress::Silent;
use llamafur::storage::Existing;
use tempfile::TempDir;

const NUM_CATEGORIES: u32 = 12;

/// Pages with one to three categories that mostly link to pages with the next ones.
fn graph() -> Small {
    let categories = |page: u32| (0..=page % 3).map(move |step| (page * 5 + step * 4) % NUM_CATEGORIES);
    let sorted = |row: Vec<u32>| Vec::from_iter(std::collections::BTreeSet::from_iter(row));
    let links = (0..90u32).map(|page| sorted((1..=1 + page % 9).map(|i| (page + i * i) % 90).collect()));
    let carried = (0..90).map(|page| sorted(categories(page).collect()));
    Small::new(links.collect(), carried.collect(), NUM_CATEGORIES as usize)
}

fn conf(method: Method) -> LearnConf {
    LearnConf::default().method(method).rank(6).ensemble(1)
}

fn weights(model: &Model) -> Vec<f64> {
    let all: Vec<MilestoneId> = (0..model.settings().categories as u32).map(MilestoneId).collect();
    let matrix = model.matrix().unwrap();
    pairs(&all, &all).map(|(source, target)| matrix.weight(source, target)).collect()
}

/// A corpus with a model “m” that has made so many passes.
struct Trained {
    corpus: Corpus,
    _folder: TempDir,
}

impl Trained {
    fn new(contents: &Contents, conf: &LearnConf) -> Trained {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("c");
        contents.write(&path, Existing::Refuse).unwrap();
        let corpus = Corpus::open(&path).unwrap();
        train_measured(&Categories::all(&corpus), "m", conf, None, &mut Silent)
            .unwrap()
            .save(&corpus)
            .unwrap();
        Trained { corpus, _folder: folder }
    }

    fn model(&self) -> Model {
        Model::open(&self.corpus, "m").unwrap()
    }

    /// Goes on from its model over the categories of a corpus.
    fn go_on(&self, corpus: &Corpus, conf: &LearnConf) -> Result<Model, Error> {
        let (model, categories) = (self.model(), Categories::all(corpus));
        let start = Start::new(&model, &categories)?;
        train_from(&start, &categories, "further", conf, &mut Silent)
    }
}

#[test]
fn two_passes_and_three_more_are_five() {
    let contents = Contents::of(&graph());
    let conf = conf(Method::Factored);
    let trained = Trained::new(&contents, &conf.clone().passes(2));
    let further = trained.go_on(&trained.corpus, &conf.clone().passes(2)).unwrap();
    further.save(&trained.corpus).unwrap();
    // And once more, from the file of a model that itself went on from another.
    let (further, categories) =
        (Model::open(&trained.corpus, "further").unwrap(), Categories::all(&trained.corpus));
    let start = Start::new(&further, &categories).unwrap();
    let last = train_from(&start, &categories, "last", &conf.clone().passes(1), &mut Silent).unwrap();
    let at_once = train_measured(&categories, "m", &conf.passes(5), None, &mut Silent).unwrap();
    assert!(weights(&last) == weights(&at_once));
    assert!(weights(&last) != weights(&further));
    let origin = last.settings().origin.as_ref().unwrap();
    assert_eq!((origin.passes, origin.categories, origin.model.as_str()), (4, 12, "further"));
}

#[test]
fn dense_learners_go_on_from_their_weights() {
    let contents = Contents::of(&graph());
    for method in [Method::Paper, Method::Original, Method::Averaged] {
        let conf = conf(method);
        let trained = Trained::new(&contents, &conf);
        let further = weights(&trained.go_on(&trained.corpus, &conf).unwrap());
        assert!(further != weights(&trained.model()), "{method}");
        if method != Method::Averaged {
            // But for the rounding of weights to what models have, two passes are two passes.
            let categories = Categories::all(&trained.corpus);
            let at_once = train_measured(&categories, "m", &conf.passes(2), None, &mut Silent).unwrap();
            let furthest = further.iter().zip(weights(&at_once)).map(|(a, b)| (a - b).abs());
            assert!(furthest.fold(0.0, f64::max) < 1e-6, "{method}");
        }
    }
}

#[test]
fn categories_of_a_newer_corpus_are_known_by_name() {
    let old = Contents::of(&graph());
    // The first category is gone, two are new, and with them every number is another one. There is one link.
    let mut new = old.clone();
    new.category_names = old.category_names[1..].to_vec();
    new.category_names.extend(["Category 0003 a".into(), "Zebras".into()]);
    new.category_names.sort();
    new.parents = vec![vec![]; new.category_names.len()];
    let number = |name: &String| new.category_names.binary_search(name).ok().map(|id| id as u32);
    let ids =
        |row: &Vec<u32>| row.iter().filter_map(|&id| number(&old.category_names[id as usize])).collect();
    new.categories = old.categories.iter().map(ids).collect();
    new.links = vec![vec![]; old.links.len()];
    new.links[1] = vec![2];
    for method in [Method::Factored, Method::Paper, Method::Original, Method::Averaged] {
        let trained = Trained::new(&old, &conf(method));
        let newer = Trained::new(&new, &conf(method));
        let further = trained.go_on(&newer.corpus, &conf(method).passes(1)).unwrap();
        assert_eq!(further.settings().origin.as_ref().unwrap().categories, 11, "{method}");
        let (before, now) = (trained.model(), further);
        let mut kept = 0;
        for (source, source_name) in (0..).map(MilestoneId).zip(&new.category_names) {
            for (target, target_name) in (0..).map(MilestoneId).zip(&new.category_names) {
                let old_id =
                    |name| old.category_names.binary_search(name).ok().map(|id| MilestoneId(id as u32));
                let is_touched = [1, 2].iter().any(|&page: &usize| {
                    new.categories[page].contains(&source.0) || new.categories[page].contains(&target.0)
                }) || method == Method::Factored;
                let weight = now.matrix().unwrap().weight(source, target);
                match (old_id(source_name), old_id(target_name)) {
                    (Some(source), Some(target)) if !is_touched => {
                        assert_eq!(weight, before.matrix().unwrap().weight(source, target), "{method}");
                        kept += 1;
                    }
                    (Some(_), Some(_)) => {}
                    _ => {
                        assert_eq!(weight, 0.0, "{method}: nothing is known of {source_name}, {target_name}")
                    }
                }
            }
        }
        assert_eq!(kept > 20, method != Method::Factored, "{method}: {kept} pairs stay as they were");
    }
}

#[test]
fn what_training_cannot_continue_from_is_refused_with_the_reason() {
    let contents = Contents::of(&graph());
    let factored = Trained::new(&contents, &conf(Method::Factored));
    let refused = |trained: &Trained, corpus: &Corpus, conf: &LearnConf| {
        trained.go_on(corpus, conf).unwrap_err().to_string()
    };
    let naive = Trained::new(&contents, &conf(Method::Naive));
    assert_eq!(
        refused(&naive, &naive.corpus, &conf(Method::Naive)),
        "training cannot continue from the model “m”: its matrix is counted, not learnt"
    );
    assert_eq!(
        refused(&factored, &factored.corpus, &conf(Method::Paper)),
        "training cannot continue from the model “m”: it was learnt by factored, not by paper"
    );
    assert_eq!(
        refused(&factored, &factored.corpus, &conf(Method::Factored).rank(7)),
        "training cannot continue from the model “m”: its rank is 6, not 7"
    );
    let mut others = contents.clone();
    others.category_names.iter_mut().for_each(|name| name.insert_str(0, "Another "));
    let others = Trained::new(&others, &conf(Method::Factored));
    assert_eq!(
        refused(&factored, &others.corpus, &conf(Method::Factored)),
        "training cannot continue from the model “m”: none of its categories is among those to be learnt"
    );
    let zero = factored.go_on(&factored.corpus, &conf(Method::Factored).passes(0)).unwrap_err();
    assert_eq!(zero.to_string(), "passes must be at least 1, got 0");
}

#[test]
fn a_matrix_in_memory_is_continued_as_a_model_is() {
    let small = graph();
    let graph = small.graph();
    let conf = conf(Method::Factored).ensemble(1);
    let (first, _) = learn(&graph, &conf.clone().passes(2), &mut Silent).unwrap();
    let (later, _) = continue_from(&first, 2, &graph, &conf.clone().passes(1), &mut Silent).unwrap();
    let (whole, _) = learn(&graph, &conf.clone().passes(3), &mut Silent).unwrap();
    assert_eq!(weights_of(&later), weights_of(&whole));
    for other in [conf.clone().method(Method::Paper), conf.clone().rank(3), conf.method(Method::Naive)] {
        let refused = continue_from(&first, 2, &graph, &other, &mut Silent);
        assert!(matches!(refused, Err(Error::Start { .. })), "{other}");
    }
}

#[test]
fn a_page_whose_links_lead_to_pages_without_categories_goes_on_as_it_would_have() {
    // Page 1 links to page 3, which carries nothing, and its non-links mostly carry nothing either.
    let links = vec![vec![1], vec![3], vec![], vec![]];
    let small = Small::new(links, vec![vec![0], vec![2], vec![], vec![]], 3);
    for seed in 1..9 {
        let conf = conf(Method::Factored).seed(seed);
        let (whole, _) = learn(&small.graph(), &conf.clone().passes(4), &mut Silent).unwrap();
        let (mut matrix, _) = learn(&small.graph(), &conf.clone().passes(1), &mut Silent).unwrap();
        for before in 1..4 {
            let one_more = conf.clone().passes(1);
            (matrix, _) = continue_from(&matrix, before, &small.graph(), &one_more, &mut Silent).unwrap();
        }
        assert_eq!(weights_of(&matrix), weights_of(&whole), "seed {seed}");
    }
}
