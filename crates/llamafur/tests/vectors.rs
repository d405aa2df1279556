//! Vectors of pages by hand: those brought from elsewhere and kept beside a corpus, and the scorers that use them.
#![allow(clippy::unwrap_used)]

mod common;

use common::{Contents, Small, said};
use llamafur::corpus::Corpus;
use llamafur::engine::verify;
use llamafur::graph::PageId;
use llamafur::progress::Silent;
use llamafur::score::{Inputs, ScoreConf, open};
use llamafur::vectors::PageVectors;
use std::fs;

/// Four pages in a ring, with categories 0; 0 and 1; 1; none.
fn ring(dir: &tempfile::TempDir, name: &str) -> Corpus {
    let links = vec![vec![1], vec![2], vec![3], vec![0]];
    Contents::of(&Small::new(links, vec![vec![0], vec![0, 1], vec![1], vec![]], 2)).corpus(dir, name)
}

/// How far off the cosine of two vectors of two numbers may be: the numbers of each are rounded to multiples of 1/32,767, so
/// that a vector is off by at most √2/2 of that.
const BOUND: f64 = 1.415 / 32_767.0;

/// Pages that link so and have these vectors, under the name `mine`.
fn with_vectors(dir: &tempfile::TempDir, links: Vec<Vec<u32>>, rows: &[[f32; 2]]) -> Corpus {
    let none = vec![vec![]; links.len()];
    let corpus = Contents::of(&Small::new(links, none, 0)).corpus(dir, "a.corpus");
    PageVectors::from_rows(2, rows.as_flattened().to_vec(), "x".into()).save(&corpus, "mine").unwrap();
    corpus
}

#[track_caller]
fn expect_scores(corpus: &Corpus, scorer: &str, source: u32, expected: &[Option<f64>]) {
    let opened = open(scorer, &Inputs::new(corpus), &ScoreConf::default(), &mut Silent).unwrap();
    assert_eq!(opened.name(), scorer);
    let links = corpus.links(PageId(source)).unwrap();
    let found = opened.score(PageId(source), links).unwrap();
    let is_near = |(found, expected): (&Option<f64>, &Option<f64>)| match (found, expected) {
        (Some(found), Some(expected)) => (found - expected).abs() < BOUND,
        _ => found == expected,
    };
    assert_eq!(found.len(), expected.len());
    assert!(found.iter().zip(expected).all(is_near), "{found:?} instead of {expected:?}");
}

#[test]
fn what_was_saved_is_opened_listed_and_removed() {
    let dir = tempfile::tempdir().unwrap();
    let corpus = ring(&dir, "a.corpus");
    assert_eq!(PageVectors::names(&corpus).unwrap(), Vec::<String>::new());
    let vectors = PageVectors::from_rows(2, vec![3.0, 4.0, 0.0, 0.0, 1e-9, 0.0, 0.0, -7.0], "x".into());
    // Of length 1, or none where there is nothing but rounding.
    let expected = [Some(&[0.6f32, 0.8][..]), None, None, Some(&[0.0, -1.0])];
    assert_eq!([0, 1, 2, 3].map(|page| vectors.get(PageId(page))), expected);
    let path = vectors.save(&corpus, "mine").unwrap();
    vectors.save(&corpus, "also").unwrap();
    assert_eq!(path, corpus.path().join("vectors/mine.safetensors"));
    let opened = PageVectors::open(&corpus, "mine").unwrap();
    assert_eq!([0, 1, 2, 3].map(|page| opened.get(PageId(page))), expected);
    assert_eq!(opened.dimensions(), 2);
    // The same vectors have the same bytes, and what is opened is saved as it was.
    assert_eq!(fs::read(opened.save(&corpus, "third").unwrap()).unwrap(), fs::read(&path).unwrap());
    assert_eq!(PageVectors::open(&corpus, "third").unwrap(), opened);
    assert_eq!(PageVectors::names(&corpus).unwrap(), ["also", "mine", "third"]);
    let verified = verify(corpus.path()).unwrap();
    assert!(verified.iter().all(|file| file.damage.is_none()));
    let verified = verified.iter().map(|file| &file.name[..]).filter(|name| name.starts_with("vectors/"));
    let names = ["also", "mine", "third"].map(|name| format!("vectors/{name}.safetensors"));
    assert_eq!(verified.collect::<Vec<_>>(), names);
    for name in ["also", "mine", "third"] {
        PageVectors::remove(&corpus, name).unwrap();
    }
    assert!(!corpus.path().join("vectors").exists());
    let error = said(&PageVectors::remove(&corpus, "mine").unwrap_err());
    assert!(error.contains("mine.safetensors: no such vectors") && error.contains("AddVectors"), "{error}");
    assert!(PageVectors::open(&corpus, "../mine").unwrap_err().to_string().contains("the name of vectors"));
}

/// Whether the vectors are not what was written.
fn is_damaged(corpus: &Corpus) -> bool {
    let files = verify(corpus.path()).unwrap();
    files.iter().any(|file| file.name == "vectors/mine.safetensors" && file.damage.is_some())
}

#[test]
fn vectors_of_another_corpus_and_damaged_ones_are_refused() {
    let dir = tempfile::tempdir().unwrap();
    let corpus = ring(&dir, "a.corpus");
    let path = PageVectors::from_rows(2, vec![1.0; 8], "x".into()).save(&corpus, "mine").unwrap();
    let links = vec![vec![1], vec![2], vec![3], vec![1]];
    let other = Contents::of(&Small::new(links, vec![vec![]; 4], 0)).corpus(&dir, "b.corpus");
    fs::create_dir(other.path().join("vectors")).unwrap();
    fs::copy(&path, other.path().join("vectors/mine.safetensors")).unwrap();
    let error = said(&PageVectors::open(&other, "mine").unwrap_err());
    assert!(
        error.contains("the vectors were made for another corpus") && error.contains("AddVectors"),
        "{error}"
    );
    let whole = fs::read(&path).unwrap();
    for place in 0..whole.len() {
        let mut flipped = whole.clone();
        flipped[place] ^= 1;
        fs::write(&path, &flipped).unwrap();
        assert!(is_damaged(&corpus), "byte {place} of {}", whole.len());
    }
    fs::write(&path, &whole[..whole.len() - 1]).unwrap();
    assert!(is_damaged(&corpus));
}

#[test]
fn cosines_by_hand() {
    let dir = tempfile::tempdir().unwrap();
    let links = vec![vec![1, 2, 3], vec![], vec![], vec![0]];
    let corpus = with_vectors(&dir, links, &[[2.0, 0.0], [3.0, 4.0], [0.0, 1.0], [0.0, 0.0]]);
    expect_scores(&corpus, "cosine:mine", 0, &[Some(-0.6), Some(0.0), None]);
    expect_scores(&corpus, "cosine:mine", 3, &[None]);
}

#[test]
fn company_is_the_five_nearest_other_links() {
    let dir = tempfile::tempdir().unwrap();
    let mut links = vec![vec![]; 10];
    links[0] = (1..8).collect();
    links[8] = vec![2, 9];
    let rows = [
        [0.0, 0.0],
        [1.0, 0.0],
        [5.0, 0.0],
        [0.8, 0.6],
        [0.6, -0.8],
        [0.0, 1.0],
        [-0.6, 0.8],
        [-1.0, 0.0],
        [1.0, 0.0],
        [0.0, 0.0],
    ];
    let corpus = with_vectors(&dir, links, &rows);
    // The cosines with 2 to 7 are 1, 0.8, 0.6, 0, −0.6 and −1: the last is not among the five nearest.
    let first = -(1.0 + 0.8 + 0.6 + 0.0 - 0.6) / 5.0;
    // Of 7, all but the two opposite ones: 0.6, 0, −0.6, −0.8, and one of the two, −1.
    let last = -(0.6 + 0.0 - 0.6 - 0.8 - 1.0) / 5.0;
    let opened = open("company:mine", &Inputs::new(&corpus), &ScoreConf::default(), &mut Silent).unwrap();
    let found = opened.score(PageId(0), &[PageId(1), PageId(7)]).unwrap();
    assert!(
        (found[0].unwrap() - first).abs() < BOUND && (found[1].unwrap() - last).abs() < BOUND,
        "{found:?}"
    );
    // Alone on its page, or without a vector.
    expect_scores(&corpus, "company:mine", 8, &[None, None]);
}

#[test]
fn peers_are_the_neighbours_of_the_target_most_like_the_source() {
    let dir = tempfile::tempdir().unwrap();
    // The neighbours of 1 are 0, 2 and 3; of 4 only 0.
    let links = vec![vec![1, 4], vec![3], vec![1], vec![], vec![], vec![1]];
    let rows = [[1.0, 0.0], [0.0, 1.0], [0.6, 0.8], [-0.8, 0.6], [1.0, 0.0], [0.0, 0.0]];
    let corpus = with_vectors(&dir, links, &rows);
    expect_scores(&corpus, "peers:mine", 0, &[Some(-(0.6 - 0.8) / 2.0), None]);
    // 0 and 3: cosines 0.6 and −0.48 + 0.48 = 0. The source itself is no peer, nor is 5, which has no vector.
    expect_scores(&corpus, "peers:mine", 2, &[Some(-0.3)]);
    expect_scores(&corpus, "peers:mine", 5, &[None]);
}
