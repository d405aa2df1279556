//! Models with several matrices: over categories, words and leads.
#![allow(clippy::unwrap_used)]

mod common;

use common::{Contents, by_oddity, kinds};
use llamafur::Error;
use llamafur::categories::{Categories, Feature};
use llamafur::corpus::Corpus;
use llamafur::engine::{Engine, EngineConf, ExplainConf};
use llamafur::graph::PageId;
use llamafur::learn::{LearnConf, Model, features, train, train_features};
use llamafur::matrix::Normalise;
use llamafur::progress::Silent;
use llamafur::score::{Inputs, ScoreConf, open};
use llamafur::words::{Words, WordsConf};
use std::fs;

/// Pages of three kinds that link mostly within their kind; a text of each but every seventh speaks of the kind, in one of two
/// ways, so that no word is in more than a fifth of the pages.
fn contents() -> Contents {
    let mut contents = Contents::of(&kinds(90));
    let words = [["planet", "orbit"], ["river", "valley"], ["guitar", "violin"]];
    let text = |page: usize| {
        (!page.is_multiple_of(7)).then(|| format!("This page is about a {}.", words[page % 3][page / 3 % 2]))
    };
    contents.texts = Some((0..90).map(text).collect());
    contents
}

fn conf() -> LearnConf {
    LearnConf::default().rank(8).passes(3).ensemble(2)
}

fn trained(corpus: &Corpus) -> Model {
    let all = features::available(corpus, Categories::all(corpus), &mut Silent).unwrap();
    let model = train_features(&all, "llamafur", &conf(), &mut Silent).unwrap();
    model.save(corpus).unwrap();
    model
}

fn scores(corpus: &Corpus, scorer: &str, page: u32) -> Vec<Option<f64>> {
    let scorer = open(scorer, &Inputs::new(corpus), &ScoreConf::default(), &mut Silent).unwrap();
    scorer.score(PageId(page), corpus.links(PageId(page)).unwrap()).unwrap()
}

#[test]
fn the_score_is_the_sum_of_the_matrices_that_know_both_pages() {
    let dir = tempfile::tempdir().unwrap();
    let corpus = contents().corpus(&dir, "a.corpus");
    let model = trained(&corpus);
    let over: Vec<Feature> = model.matrices().map(|matrix| matrix.settings().feature).collect();
    assert_eq!(over, [Feature::Categories, Feature::Words, Feature::Lead]);
    let mut without_words = 0;
    for page in 0..90 {
        let parts = ["categories", "words", "lead"].map(|name| scores(&corpus, name, page));
        for (at, sum) in scores(&corpus, "llamafur", page).into_iter().enumerate() {
            let known: Vec<f64> = parts.iter().filter_map(|scores| scores[at]).collect();
            assert_eq!(sum, Some(known.into_iter().fold(0.0, |sum, score| sum + score)));
            without_words += usize::from(parts[1][at].is_none());
        }
    }
    assert!(without_words > 0, "some page has no text");
}

#[test]
fn each_matrix_is_accounted_for_by_its_pairs() {
    let dir = tempfile::tempdir().unwrap();
    let corpus = contents().corpus(&dir, "a.corpus");
    let model = trained(&corpus);
    let engine = Engine::new(&corpus, EngineConf::default());
    let ranking = engine.rank("Page 0004", &by_oddity().scorer("llamafur")).unwrap();
    for link in &ranking.links {
        let conf = ExplainConf::default().scorer("llamafur").pairs(0);
        let why = engine.explain("Page 0004", &link.target, &conf).unwrap();
        assert_eq!(why.matrices.len(), 3);
        let target = PageId(link.target.trim_start_matches("Page ").parse().unwrap());
        let (mut sum, mut rounding) = (None, 0.0);
        for (account, matrix) in why.matrices.iter().zip(model.matrices()) {
            let weights: f64 = account.pairs.iter().map(|pair| pair.weight).sum();
            assert_eq!(weights, account.expectedness);
            assert_eq!(account.pairs.len(), account.num_pairs);
            if let Some(score) = account.unexpectedness {
                assert!((score + account.expectedness / account.divisor).abs() < 1e-12);
                sum = Some(sum.unwrap_or(0.0) + score);
                // The score is a product of sides of two times eight numbers, rounded to 16 bits.
                let carried = |page| matrix.categories().of(page).unwrap();
                let lengths = matrix.matrix().unwrap().norms(carried(PageId(4)), carried(target)).unwrap();
                rounding += 2.83 * 16f64.sqrt() / 65_536.0 * lengths / account.divisor;
            }
        }
        assert!((sum.unwrap() - why.unexpectedness.unwrap()).abs() <= rounding);
    }
}

#[test]
fn a_model_is_opened_as_it_was_saved_and_has_the_same_bytes_on_any_number_of_threads() {
    let dir = tempfile::tempdir().unwrap();
    let corpus = contents().corpus(&dir, "a.corpus");
    let path = Model::path(&corpus, "llamafur").unwrap();
    let on = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| trained(&corpus));
        fs::read(&path).unwrap()
    };
    let one = on(1);
    assert!(one == on(2) && one == on(4));
    let (saved, opened) = (trained(&corpus), Model::open(&corpus, "llamafur").unwrap());
    assert_eq!(saved.settings(), opened.settings());
    assert_eq!(saved.checksum(), opened.checksum());
    assert_eq!(opened.matrices().count(), 3);
    // Whatever byte changes, it is noticed.
    for at in (0..one.len()).step_by(one.len() / 97) {
        let mut changed = one.clone();
        changed[at] ^= 4;
        fs::write(&path, &changed).unwrap();
        let opened = Model::open(&corpus, "llamafur");
        let is_read = |model: &Model| model.matrices().try_for_each(|matrix| matrix.matrix().map(drop));
        assert!(opened.and_then(|model| is_read(&model)).is_err(), "byte {at}");
    }
}

#[test]
fn a_graph_without_categories_is_ranked_by_its_words() {
    let dir = tempfile::tempdir().unwrap();
    let contents = Contents { categories: vec![vec![]; 90], ..contents() };
    let corpus = contents.corpus(&dir, "a.corpus");
    let model = trained(&corpus);
    assert_eq!(model.settings().feature, Feature::Words);
    let links = corpus.links(PageId(4)).unwrap();
    let of_kind = |own: bool| {
        let of = links.iter().zip(scores(&corpus, "llamafur", 4));
        of.filter(|(target, _)| (target.0 % 3 == 1) == own)
            .filter_map(|(_, score)| score)
            .collect::<Vec<f64>>()
    };
    let mean = |scores: Vec<f64>| scores.iter().sum::<f64>() / scores.len() as f64;
    assert!(mean(of_kind(false)) > mean(of_kind(true)) + 1.0);
    let engine = Engine::new(&corpus, EngineConf::default());
    let ranking = engine.rank("Page 0004", &by_oddity()).unwrap();
    assert!(ranking.left_out.iter().all(|left| !["words", "lead"].contains(&&left.name[..])));
    let error = engine.category("Kind 0", &Default::default()).unwrap_err();
    assert!(matches!(error, Error::Missing { .. }) && error.remedy().is_some(), "{error}");
}

#[test]
fn a_single_matrix_is_scored_as_ever_and_words_of_other_settings_are_refused() {
    let dir = tempfile::tempdir().unwrap();
    let corpus = contents().corpus(&dir, "a.corpus");
    let alone = train(&Categories::all(&corpus), "alone", &conf(), &mut Silent).unwrap();
    assert_eq!((alone.settings().mean_length, alone.scale(Normalise::Mean)), (None, 1.0));
    let model = trained(&corpus);
    for matrix in model.matrices() {
        let length = matrix.settings().mean_length.unwrap();
        assert_eq!((matrix.scale(Normalise::Mean), matrix.scale(Normalise::Sum)), (length, 1.0));
        assert!(length >= 1.0, "{length}");
    }
    Words::of(&corpus, &WordsConf::default().min_documents(3), &mut Silent).unwrap();
    let error = Model::open(&corpus, "llamafur").unwrap_err();
    assert!(matches!(error, Error::OtherWords { .. }) && error.remedy().is_some(), "{error}");
}
