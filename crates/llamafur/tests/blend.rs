//! Sums of scorers and the blend.
#![allow(clippy::unwrap_used)]

mod common;

use common::{Contents, kinds};
use llamafur::categories::Categories;
use llamafur::corpus::Corpus;
use llamafur::graph::PageId;
use llamafur::learn::{LearnConf, train};
use llamafur::progress::{Note, Progress, Silent};
use llamafur::score::{
    Blend, Inputs, PREDICTION_SIGNALS, Score, ScoreConf, Studentise, check_name, inputs_of, open,
    verify_standards,
};
use llamafur::words::WordsConf;
use std::fs;

/// Pages of three kinds that link mostly within their kind, with a text each that speaks of the kind.
fn corpus(dir: &tempfile::TempDir) -> Corpus {
    let mut contents = Contents::of(&kinds(60));
    let words = ["planet orbit moon", "river valley mountain", "guitar violin melody"];
    let text = |page: usize| Some(format!("Page {page} is about {}.", words[page % 3]));
    contents.texts = Some((0..60).map(text).collect());
    contents.corpus(dir, "a.corpus")
}

/// What was noted.
#[derive(Debug, Default)]
struct Notes(Vec<Note>);

impl Progress for Notes {
    fn note(&mut self, note: Note) {
        self.0.push(note);
    }
}

fn scores(corpus: &Corpus, name: &str, conf: &ScoreConf, page: u32) -> Vec<Option<f64>> {
    scores_from(&Inputs::new(corpus), name, conf, page)
}

fn scores_from(inputs: &Inputs, name: &str, conf: &ScoreConf, page: u32) -> Vec<Option<f64>> {
    let (corpus, scorer) = (inputs.corpus(), open(name, inputs, conf, &mut Silent).unwrap());
    scorer.score(PageId(page), corpus.links(PageId(page)).unwrap()).unwrap()
}

fn standard(numbers: &[f64]) -> (f64, f64) {
    let mean = numbers.iter().sum::<f64>() / numbers.len() as f64;
    let variance = numbers.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / numbers.len() as f64;
    (mean, variance.sqrt())
}

#[test]
fn a_sum_is_that_of_studentised_scores() {
    let dir = tempfile::tempdir().unwrap();
    let corpus = corpus(&dir);
    let (graph, page) =
        (ScoreConf::default(), ScoreConf { studentise: Studentise::Page, ..ScoreConf::default() });
    let parts = ["aa", "in-degree"];
    let of_graph = parts.map(|name| {
        let all: Vec<f64> = (0..60).flat_map(|page| scores(&corpus, name, &graph, page)).flatten().collect();
        standard(&all)
    });
    for source in [0, 7, 31] {
        let of_parts = parts.map(|name| scores(&corpus, name, &graph, source));
        for (conf, standards) in [
            (&graph, of_graph),
            (
                &page,
                of_parts.clone().map(|scores| standard(&scores.into_iter().flatten().collect::<Vec<_>>())),
            ),
        ] {
            let found = scores(&corpus, "aa+in-degree", conf, source);
            for (link, found) in found.iter().enumerate() {
                let expected: f64 = (0..2)
                    .map(|part| (of_parts[part][link].unwrap() - standards[part].0) / standards[part].1)
                    .sum();
                assert!((found.unwrap() - expected).abs() < 1e-9, "{source} {link}: {found:?} {expected}");
            }
        }
    }
    assert_eq!(inputs_of("aa+llamafur:x+m4"), "graph, categories, text");
    assert!(check_name("aa+lama").is_err() && check_name("aa+").is_err() && check_name("blend+aa").is_ok());
}

#[test]
fn the_blend_goes_without_what_the_corpus_lacks_and_says_so() {
    let dir = tempfile::tempdir().unwrap();
    let bare = Contents::of(&kinds(60)).corpus(&dir, "bare.corpus");
    let mut notes = Notes::default();
    let conf = ScoreConf::default();
    let blend = open("blend", &Inputs::new(&bare), &conf, &mut notes).unwrap();
    let names: Vec<String> = blend.parts().into_iter().map(|part| part.name().to_owned()).collect();
    assert_eq!(names, ["ra"]);
    assert_eq!(notes.0.len(), 2);
    let without = |note: &Note| match note {
        Note::Without { scorer, signals, remedy: Some(_), .. } if scorer == "blend" => signals.join(", "),
        other => panic!("{other:?}"),
    };
    assert_eq!(without(&notes.0[0]), "categories, words, lead, company, peers");
    assert_eq!(without(&notes.0[1]), "m4, cosine, mentions");
    // With a model, its signs say what is explained.
    let model = train(&Categories::all(&bare), "llamafur", &LearnConf::default(), &mut Silent).unwrap();
    model.save(&bare).unwrap();
    let blend = open("blend", &Inputs::new(&bare), &conf, &mut Silent).unwrap();
    let llamafur = open("llamafur", &Inputs::new(&bare), &conf, &mut Silent).unwrap();
    assert!(blend.model().is_some());
    let links = bare.links(PageId(4)).unwrap();
    let explained = |scorer: &dyn Score| scorer.details(PageId(4), links).unwrap().explained;
    assert_eq!(explained(&*blend), explained(&*llamafur));
    let mut notes = Notes::default();
    let blend = open("blend", &Inputs::new(&bare), &conf, &mut notes).unwrap();
    let names: Vec<String> = blend.parts().into_iter().map(|part| part.name().to_owned()).collect();
    assert_eq!(names, ["categories", "ra", "company", "peers"]);
    assert_eq!(notes.0.iter().map(without).collect::<Vec<_>>(), ["words, lead, m4, cosine, mentions"]);
    // Of links alone there is no matrix to learn.
    let links = Contents { categories: vec![vec![]; 60], ..Contents::of(&kinds(60)) };
    let links = links.corpus(&dir, "links.corpus");
    let blend = open("blend", &Inputs::new(&links), &conf, &mut Silent).unwrap();
    let names: Vec<String> = blend.parts().into_iter().map(|part| part.name().to_owned()).collect();
    assert_eq!(names, ["ra", "reciprocity", "in-degree"]);
}

#[test]
fn the_blend_of_predictions_is_the_weighted_sum_of_its_signals() {
    let dir = tempfile::tempdir().unwrap();
    let corpus = corpus(&dir);
    train(&Categories::all(&corpus), "llamafur", &LearnConf::default(), &mut Silent)
        .unwrap()
        .save(&corpus)
        .unwrap();
    let inputs = Inputs::new(&corpus).words_conf(WordsConf::default().min_documents(1));
    let weights = |blend| -> Vec<(String, f64)> {
        let conf = ScoreConf { blend, ..ScoreConf::default() };
        let blend = open("blend", &inputs, &conf, &mut Silent).unwrap();
        let details = blend.details(PageId(5), corpus.links(PageId(5)).unwrap()).unwrap();
        for (link, score) in details.scores.iter().enumerate() {
            let shares =
                details.signals.iter().map(|signal| signal.weight * signal.scores[link].unwrap_or(0.0));
            assert!((score.unwrap() - shares.sum::<f64>()).abs() < 1e-9);
        }
        let names = blend.parts().into_iter().map(|part| part.name().to_owned());
        names.zip(details.signals.iter().map(|signal| signal.weight)).collect()
    };
    let all = PREDICTION_SIGNALS.map(|signal| (signal.name.to_owned(), signal.weight));
    assert_eq!(weights(Blend::Predictions), all);
    let quick: Vec<_> = all.into_iter().filter(|(name, _)| name != "peers").collect();
    assert_eq!(weights(Blend::QuickPredictions), quick);
    assert!(weights(Blend::Rankings).iter().all(|(_, weight)| *weight == 1.0));
}

#[test]
fn means_and_deviations_are_kept_and_those_of_something_else_are_not_believed() {
    let dir = tempfile::tempdir().unwrap();
    let corpus = corpus(&dir);
    let conf = ScoreConf::default();
    let path = corpus.path().join("standards.json");
    assert_eq!(verify_standards(&corpus).unwrap(), None);
    let first = scores(&corpus, "aa+ra", &conf, 3);
    let written = fs::read_to_string(&path).unwrap();
    // Known now: nothing is written, and nothing changes.
    assert_eq!(scores(&corpus, "aa+ra", &conf, 3), first);
    assert_eq!(fs::read_to_string(&path).unwrap(), written);
    assert_eq!(verify_standards(&corpus).unwrap(), Some("standards.json"));
    // The blend has another `ra`: its scores are shaped before they are studentised.
    let blend = scores(&corpus, "blend", &conf, 3);
    let others = fs::read_to_string(&path).unwrap();
    fs::remove_file(&path).unwrap();
    assert_eq!(scores(&corpus, "blend", &conf, 3), blend);
    assert_ne!(fs::read_to_string(&path).unwrap(), others);
    // Another model of the same name has other means.
    let train_as = |seed: u64| {
        let conf = LearnConf::default().seed(seed);
        train(&Categories::all(&corpus), "llamafur", &conf, &mut Silent).unwrap().save(&corpus).unwrap();
        let kept = scores(&corpus, "llamafur+aa", &ScoreConf::default(), 3);
        let apart = fs::read(&path).unwrap();
        fs::remove_file(&path).unwrap();
        let fresh = scores(&corpus, "llamafur+aa", &ScoreConf::default(), 3);
        fs::write(&path, apart).unwrap();
        assert_eq!(kept, fresh);
    };
    train_as(1);
    train_as(2);
    // Damage is noted, and mended.
    fs::write(&path, others.replace("\"aa\"", "\"ab\"")).unwrap();
    assert!(verify_standards(&corpus).is_err());
    let mut notes = Notes::default();
    open("aa+ra", &Inputs::new(&corpus), &conf, &mut notes).map(drop).unwrap();
    assert_eq!(notes.0[0], Note::Rebuilt { path: corpus.path().join("standards.json") });
    assert_eq!(scores(&corpus, "aa+ra", &conf, 3), first);
    assert!(verify_standards(&corpus).is_ok());
}
