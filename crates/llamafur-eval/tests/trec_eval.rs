//! Our measures are trec_eval's: on random queries, averaged over every order of the ties.
//!
//! It needs Python with `requirements.txt` beside this file; `LLAMAFUR_PYTHON` says where, and `make test` sets it.
#![allow(clippy::unwrap_used)] // a test that fails shall panic

use llamafur::learn::sampler::{Generator, Purpose, below, generator};
use llamafur_eval::judgments::Class;
use llamafur_eval::measures::measure;
use serde::{Deserialize, Serialize};
use std::fs::File;
use std::io::Write;
use std::process::Command;

#[derive(Serialize)]
struct Query {
    scores: Vec<Option<f64>>,
    grades: Vec<Option<u8>>,
    #[serde(skip)]
    judged: Vec<(usize, Class)>,
}

#[derive(Deserialize)]
struct Expected {
    bpref: f64,
    map: f64,
    ndcg: f64,
}

/// A page with both kinds; tied in twos and threes, or not at all.
fn query(draw: &mut Generator, ties: bool) -> Query {
    let num_links = 4 + below(draw, if ties { 9 } else { 60 }) as usize;
    let mut scores: Vec<Option<f64>> = (0..num_links).map(|_| None).collect();
    let mut places: Vec<usize> = (0..num_links).collect();
    llamafur::learn::sampler::shuffle(draw, &mut places);
    // The first two or three places in this order have no score, the others one for every one to three places.
    let mut rest = &places[if ties { 2 + below(draw, 2) as usize } else { 1 }..];
    while !rest.is_empty() {
        let tied = if ties { 1 + below(draw, 3) as usize } else { 1 }.min(rest.len());
        rest[..tied].iter().for_each(|place| scores[*place] = Some(rest.len() as f64 - 3.5));
        rest = &rest[tied..];
    }
    // Always one of each kind; one page in three has no other relevant link.
    let most = if below(draw, 3) == 0 { 2 } else { 4 };
    let mut classes: Vec<Option<Class>> =
        (0..num_links).map(|_| Class::ALL[..most].get(below(draw, 6) as usize).copied()).collect();
    let relevant = below(draw, num_links as u64) as usize;
    classes[relevant] = Some(if below(draw, 2) == 0 { Class::U } else { Class::TU });
    classes[(relevant + 1) % num_links] = Some(Class::E);
    let judged = (0..num_links).filter_map(|place| Some((place, classes[place]?))).collect();
    Query { scores, grades: classes.iter().map(|class| class.map(Class::gain)).collect(), judged }
}

#[test]
fn bpref_average_precision_and_ndcg_are_those_of_trec_eval() {
    let Some(python) = std::env::var_os("LLAMAFUR_PYTHON").filter(|python| !python.is_empty()) else {
        let _ = writeln!(std::io::stderr(), "skipped: LLAMAFUR_PYTHON is not set; `make test` sets it");
        return;
    };
    let mut draw = generator(1, Purpose::Chance, 0);
    let queries: Vec<Query> = (0..120).map(|i| query(&mut draw, i % 3 != 0)).collect();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("queries.json");
    serde_json::to_writer(File::create(&path).unwrap(), &queries).unwrap();
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/trec_eval.py");
    let output = Command::new(python).arg(script).arg(&path).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));

    let expected: Vec<Expected> = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(expected.len(), queries.len());
    for (query, expected) in queries.iter().zip(expected) {
        let found = measure(&query.scores, &query.judged).unwrap();
        let pairs = [
            ("bpref", found.bpref, expected.bpref),
            ("map", found.average_precision, expected.map),
            ("ndcg", found.ndcg, expected.ndcg),
        ];
        for (name, ours, theirs) in pairs {
            assert!((ours - theirs).abs() < 1e-9, "{name}: {ours} is not {theirs}: {:?}", query.judged);
        }
    }
}
