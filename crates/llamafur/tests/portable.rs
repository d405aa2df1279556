//! Models by themselves: the same scores without a corpus.
#![allow(clippy::unwrap_used)]

mod common;

use common::{Contents, kinds};
use llamafur::categories::{Categories, Feature};
use llamafur::corpus::Corpus;
use llamafur::graph::PageId;
use llamafur::learn::{LearnConf, Method, Model, PortableModel, features, train, train_features};
use llamafur::matrix::Normalise;
use llamafur::progress::Silent;
use llamafur::score::{CategoryScorer, LlamaFur, Score};
use llamafur::{Error, Side};
use std::fs;
use std::path::Path;
use std::sync::Arc;

fn with_texts(dir: &tempfile::TempDir) -> Corpus {
    let mut contents = Contents::of(&kinds(90));
    let words = [["planet", "orbit"], ["river", "valley"], ["guitar", "violin"]];
    let text = |page: usize| Some(format!("This page is about a {}.", words[page % 3][page / 3 % 2]));
    contents.texts = Some((0..90).map(text).collect());
    contents.corpus(dir, "a.corpus")
}

/// Compares the scores of all links, and of the strongest pairs, with those of the corpus's own scorer.
fn expect_same_scores(model: Model, file: &Path) {
    PortableModel::save_model(&model, file).unwrap();
    let (model, portable) = (Arc::new(model), Arc::new(PortableModel::open(file).unwrap()));
    let corpus = model.categories().corpus().clone();
    let known = Categories::all(&corpus);
    for normalise in [Normalise::Mean, Normalise::Sum, Normalise::Sqrt, Normalise::Cosine] {
        let Ok(own) = LlamaFur::new(model.clone(), normalise) else {
            assert!(matches!(CategoryScorer::new(portable.clone(), normalise), Err(Error::NoCosine { .. })));
            continue;
        };
        let own = own.over(Feature::Categories).unwrap();
        let scorer = CategoryScorer::new(portable.clone(), normalise).unwrap();
        for page in (0..corpus.num_pages() as u32).map(PageId) {
            let targets = corpus.links(page).unwrap();
            let source = scorer.carried(known.of(page).unwrap()).unwrap();
            let expected = own.score(page, targets).unwrap();
            for (&target, expected) in targets.iter().zip(expected) {
                let carried = scorer.carried(known.of(target).unwrap()).unwrap();
                let score = scorer.score(&source, &carried).unwrap();
                assert_eq!(score.map(f64::to_bits), expected.map(f64::to_bits), "{normalise}");
                let pair = scorer.strongest(&source, &carried, Side::Odd).unwrap();
                let reason = own.reason(page, target, Side::Odd).unwrap().and_then(|reason| reason.pair);
                let named = pair.map(|(from, to, weight)| (portable.name(from), portable.name(to), weight));
                let reason = reason.as_ref().map(|pair| (&pair.source[..], &pair.target[..], pair.weight));
                assert_eq!(named, reason);
            }
        }
    }
}

#[test]
fn scores_without_a_corpus_are_those_of_the_corpus_to_the_bit() {
    let dir = tempfile::tempdir().unwrap();
    let corpus = with_texts(&dir);
    let conf = LearnConf::default().rank(8).passes(2);
    for (at, conf) in [
        conf.clone().ensemble(1),
        conf.clone().ensemble(3),
        conf.clone().method(Method::Naive),
        conf.method(Method::Averaged),
    ]
    .into_iter()
    .enumerate()
    {
        let model = train(&Categories::all(&corpus), "one", &conf, &mut Silent).unwrap();
        expect_same_scores(model, &dir.path().join(format!("{at}.safetensors")));
    }
    let all = features::available(&corpus, Categories::all(&corpus), &mut Silent).unwrap();
    let conf = LearnConf::default().rank(8).passes(2).ensemble(1);
    let several = train_features(&all, "several", &conf, &mut Silent).unwrap();
    assert!(several.matrices().count() > 1);
    expect_same_scores(several, &dir.path().join("several.safetensors"));
}

#[test]
fn a_model_by_itself_becomes_a_model_of_a_corpus_with_the_same_categories() {
    let dir = tempfile::tempdir().unwrap();
    let corpus = Contents::of(&kinds(30)).corpus(&dir, "a.corpus");
    let model = train(&Categories::all(&corpus), "one", &LearnConf::default().rank(4), &mut Silent).unwrap();
    let (path, file) = (model.save(&corpus).unwrap().0, dir.path().join("free.safetensors"));
    PortableModel::save_model(&model, &file).unwrap();
    let adopted = PortableModel::open(&file).unwrap().adopted(&corpus, "two").unwrap();
    let (second, _) = adopted.save(&corpus).unwrap();
    assert_eq!(fs::read(path).unwrap(), fs::read(second).unwrap());
    let other =
        Contents::of(&kinds(30).relabelled(6, |category| vec![category + 1])).corpus(&dir, "b.corpus");
    let error = PortableModel::open(&file).unwrap().adopted(&other, "two").unwrap_err();
    assert!(matches!(error, Error::OtherCorpus { .. }), "{error}");
}

#[test]
fn a_file_without_names_or_with_a_damaged_one_is_refused() {
    let dir = tempfile::tempdir().unwrap();
    let corpus = Contents::of(&kinds(30)).corpus(&dir, "a.corpus");
    let model = train(&Categories::all(&corpus), "one", &LearnConf::default().rank(4), &mut Silent).unwrap();
    let (path, _) = model.save(&corpus).unwrap();
    let error = PortableModel::open(&path).unwrap_err();
    assert!(error.to_string().contains("without the names"), "{error}");
    let file = dir.path().join("free.safetensors");
    PortableModel::save_model(&model, &file).unwrap();
    let whole = fs::read(&file).unwrap();
    for at in (0..whole.len()).rev().step_by(97) {
        let mut damaged = whole.clone();
        damaged[at] ^= 0x40;
        fs::write(&file, damaged).unwrap();
        let opened = PortableModel::open(&file);
        let used = opened.and_then(|model| CategoryScorer::new(Arc::new(model), Normalise::Mean));
        assert!(used.is_err(), "byte {at} of {}", whole.len());
    }
}

#[test]
fn names_must_be_as_many_as_categories_and_ascend() {
    let matrix = || llamafur::learn::naive_of_counts(&[1, 1], &[]).unwrap();
    let conf = LearnConf::default().method(Method::Naive);
    let model = |names: &[&'static str]| {
        PortableModel::new(matrix(), names.iter().copied(), &conf, Default::default(), None)
    };
    assert!(model(&["a"]).is_err() && model(&["b", "a"]).is_err() && model(&["a", "a"]).is_err());
    let model = model(&["a", "b"]).unwrap();
    assert_eq!((model.category("b").map(|b| b.0), model.category("c")), (Some(1), None));
}
