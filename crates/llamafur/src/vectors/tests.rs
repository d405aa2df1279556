use super::*;
use crate::Error;
use crate::categories::Categories;
use crate::corpus::{Corpus, CorpusWriter, ListColumn, Provenance};
use crate::learn::{LearnConf, Method, Model, Settings, train};
use crate::matrix::{FactoredMatrix, Matrix, Normalise};
use crate::progress::{Cached, Note, Progress, Silent};
use crate::score::{Inputs, ScoreConf, open};
use crate::storage::Existing;
use std::fs;
use std::path::PathBuf;

/// Creates pages in a ring that carry these of two categories.
fn ring(dir: &tempfile::TempDir, name: &str, carried: &[Vec<u32>]) -> Corpus {
    let out = dir.path().join(name);
    let mut writer = CorpusWriter::create(&out, Existing::Refuse).unwrap();
    let num = carried.len();
    let titles = (0..num).map(|page| format!("Page {page:06}"));
    let links: ListColumn = (0..num).map(|page| vec![((page + 1) % num) as u32]).collect();
    writer.write_pages(titles.collect(), links, carried.iter().cloned().collect()).unwrap();
    let parents = ListColumn::from_iter([vec![], vec![]]);
    writer.write_categories(["A", "B"].iter().collect(), parents).unwrap();
    writer.finish(Provenance::default()).unwrap();
    Corpus::open(&out).unwrap()
}

/// Creates four pages with categories 0; 0 and 1; 1; none.
pub(super) fn four(dir: &tempfile::TempDir, name: &str) -> Corpus {
    ring(dir, name, &[vec![0], vec![0, 1], vec![1], vec![]])
}

fn settings(corpus: &Corpus) -> Settings {
    let conf = LearnConf::default().method(Method::Factored);
    let trained = train(&Categories::all(corpus), "x", &conf, &mut Silent).unwrap();
    Settings { rank: 2, ensemble: None, ..trained.settings().clone() }
}

/// Creates a model of rank 2; models of different seeds differ.
pub(super) fn model(corpus: &Corpus, seed: u64) -> Model {
    let (source, target) = (vec![3.0, 4.0, -3.0, 0.0], vec![0.0, 2.0, 0.0, -2.0]);
    let matrix = Matrix::Factored(FactoredMatrix::from_tables(2, source, target));
    Model::new("x", Settings { seed, ..settings(corpus) }, matrix, &Categories::all(corpus))
}

fn kept_at(corpus: &Corpus) -> PathBuf {
    corpus.path().join("prepared/vectors-x.arrow")
}

/// Returns all numbers of the vectors of a model of one matrix.
fn numbers(vectors: &UnitVectors, pages: u32) -> Numbers {
    checked_numbers(vectors, pages).unwrap()
}

/// The vector of each page, and its target side with the scale.
type Numbers = Vec<(Vec<i16>, Option<(Vec<i16>, f64)>)>;

fn checked_numbers(vectors: &UnitVectors, pages: u32) -> Result<Numbers, Error> {
    let sides = vectors.target_sides().unwrap();
    let side = |side: PageSide<'_>| (side.row.to_vec(), side.scale);
    let of_page = |page| Ok((vectors.row(page)?.to_vec(), sides.get(0, page)?.map(side)));
    (0..pages).map(PageId).map(of_page).collect()
}

#[derive(Default)]
struct Notes(Vec<Note>);

impl Progress for Notes {
    fn note(&mut self, note: Note) {
        self.0.push(note);
    }
}

#[track_caller]
fn expect_row(vectors: &UnitVectors, page: u32, expected: [f64; 4]) {
    let row = vectors.get(PageId(page)).unwrap().unwrap();
    assert_eq!(row, expected.map(|x| (x * 32_767.0).round() as i16));
}

/// Creates two batches of pages with category 0 or 1; every fifth has none.
fn two_batches(dir: &tempfile::TempDir) -> Corpus {
    let carried = |page: u32| if page.is_multiple_of(5) { vec![] } else { vec![page % 2] };
    let corpus = ring(dir, "ring", &(0..8_200).map(carried).collect::<Vec<_>>());
    model(&corpus, 1).save(&corpus).unwrap();
    corpus
}

#[test]
fn batches_are_the_rows_of_all_pages_end_to_end() {
    let dir = tempfile::tempdir().unwrap();
    let vectors = Inputs::new(&two_batches(&dir)).vectors("x", &mut Silent).unwrap();
    let batches = vectors.batches(&mut Silent).unwrap();
    assert_eq!(batches.iter().map(|batch| batch.len()).collect::<Vec<_>>(), [8_192 * 4, 8 * 4]);
    // P = (3, 4) or (−3, 0), Q = (0, 2) or (0, −2), each of length 1/√2.
    let half = std::f64::consts::FRAC_1_SQRT_2;
    let expected = [[0.6, 0.8, 0.0, 1.0], [-1.0, 0.0, 0.0, -1.0]]
        .map(|row| row.map(|x| (x * half * ModelVectors::ONE).round() as i16));
    for (page, row) in batches.iter().flat_map(|batch| batch.chunks(vectors.dimensions())).enumerate() {
        let expected = if page % 5 == 0 { [0; 4] } else { expected[page % 2] };
        assert_eq!(row, expected, "page {page}");
    }
}

#[test]
fn batches_of_a_damaged_file_are_refused() {
    let dir = tempfile::tempdir().unwrap();
    let corpus = two_batches(&dir);
    Inputs::new(&corpus).vectors("x", &mut Silent).unwrap();
    let path = kept_at(&corpus);
    let mut bytes = fs::read(&path).unwrap();
    // In the middle of the first batch's vectors, 8 bytes a page.
    bytes[8 * 4_096] ^= 1;
    fs::remove_file(&path).unwrap();
    fs::write(&path, bytes).unwrap();
    let vectors = Inputs::new(&corpus).vectors("x", &mut Silent).unwrap();
    assert!(matches!(vectors.batches(&mut Silent), Err(Error::Damaged { .. })));
}

#[test]
fn the_vector_of_a_page_is_what_the_matrix_says_of_both_its_sides() {
    let dir = tempfile::tempdir().unwrap();
    let corpus = four(&dir, "a.corpus");
    let vectors = UnitVectors::of_model(&model(&corpus, 1)).unwrap();
    assert_eq!(vectors.dimensions(), 4);
    let half = 0.5f64.sqrt();
    expect_row(&vectors, 0, [0.6 * half, 0.8 * half, 0.0, half]);
    // As a target, its categories cancel out: only the other side is left.
    expect_row(&vectors, 1, [0.0, 1.0, 0.0, 0.0]);
    expect_row(&vectors, 2, [-half, 0.0, 0.0, -half]);
    assert_eq!(vectors.get(PageId(3)).unwrap(), None);
    let cosine = |one, two| vectors.cosine(PageId(one), PageId(two)).unwrap();
    // Each of the two vectors is off by at most √4/2 of 1/32,767.
    let bound = 2.0 / 32_767.0 + 1e-8;
    assert!((cosine(0, 1).unwrap() - 0.8 * half).abs() < bound);
    assert!((cosine(0, 2).unwrap() + 0.8).abs() < bound && cosine(0, 3).is_none());
    // The target side is the mean of the rows: V₀ = (0, 2); half of V₀ + V₁ = 0; V₁ = (0, −2); nothing.
    let sides = vectors.target_sides().unwrap();
    let second = |page| sides.get(0, PageId(page)).unwrap().map(|side| side.scale * f64::from(side.row[1]));
    let near = |found: Option<f64>, expected: f64| (found.unwrap() - expected).abs() < 2.0 * bound;
    assert!(near(second(0), 2.0) && second(1) == Some(0.0) && near(second(2), -2.0) && second(3).is_none());
}

#[test]
fn a_matrix_of_another_form_gives_no_vectors() {
    let dir = tempfile::tempdir().unwrap();
    let corpus = four(&dir, "a.corpus");
    let conf = LearnConf::default().method(Method::Averaged);
    let model = train(&Categories::all(&corpus), "x", &conf, &mut Silent).unwrap();
    let error = UnitVectors::kept_or_made(&model, &mut Silent).unwrap_err();
    assert!(error.to_string().contains("no model with a factored matrix") && error.is_lack(), "{error}");
    assert!(!gives_vectors(&model) && !corpus.path().join("prepared").exists());
}

#[test]
fn vectors_are_kept_for_their_model_and_made_anew_for_another() {
    let dir = tempfile::tempdir().unwrap();
    let corpus = four(&dir, "a.corpus");
    let (first, second) = (model(&corpus, 1), model(&corpus, 2));
    let in_memory = numbers(&UnitVectors::of_model(&first).unwrap(), 4);
    let mut notes = Notes::default();
    let made = UnitVectors::kept_or_made(&first, &mut notes).unwrap();
    assert_eq!(numbers(&made, 4), in_memory);
    let bytes = fs::read(kept_at(&corpus)).unwrap();
    let written = fs::metadata(kept_at(&corpus)).unwrap().modified().unwrap();
    let opened = UnitVectors::kept_or_made(&first, &mut notes).unwrap();
    assert_eq!((numbers(&opened, 4), opened.rests_on()), (in_memory, made.rests_on()));
    assert_eq!(fs::metadata(kept_at(&corpus)).unwrap().modified().unwrap(), written);
    UnitVectors::kept_or_made(&second, &mut notes).unwrap();
    assert_ne!(fs::read(kept_at(&corpus)).unwrap(), bytes);
    UnitVectors::kept_or_made(&first, &mut notes).unwrap();
    assert_eq!(fs::read(kept_at(&corpus)).unwrap(), bytes);
    assert!(notes.0.is_empty(), "{:?}", notes.0);
}

#[test]
fn a_flipped_byte_is_found_on_opening_or_reading_or_means_nothing() {
    let dir = tempfile::tempdir().unwrap();
    let corpus = four(&dir, "a.corpus");
    let model = model(&corpus, 1);
    let whole = numbers(&UnitVectors::kept_or_made(&model, &mut Silent).unwrap(), 4);
    let bytes = fs::read(kept_at(&corpus)).unwrap();
    let (mut rebuilt, mut refused) = (0, 0);
    for place in 0..=bytes.len() {
        let mut flipped = bytes.clone();
        match flipped.get_mut(place) {
            Some(byte) => *byte ^= 1,
            None => flipped.truncate(place - 1),
        }
        fs::write(kept_at(&corpus), &flipped).unwrap();
        let mut notes = Notes::default();
        let opened = UnitVectors::kept_or_made(&model, &mut notes);
        match opened.and_then(|vectors| checked_numbers(&vectors, 4)) {
            Ok(found) => assert_eq!(found, whole, "byte {place}"),
            Err(Error::Damaged { path, .. }) if path == kept_at(&corpus) => refused += 1,
            Err(other) => panic!("byte {place}: {other}"),
        }
        if let [Note::Rebuilt { path }] = &notes.0[..] {
            assert_eq!(*path, kept_at(&corpus));
            assert_eq!(fs::read(path).unwrap(), bytes, "byte {place}");
            rebuilt += 1;
        }
    }
    assert!(rebuilt > 100 && refused + rebuilt > bytes.len() / 2, "{rebuilt}, {refused} of {}", bytes.len());
}

#[test]
fn where_nothing_can_be_written_the_vectors_stay_in_memory() {
    let dir = tempfile::tempdir().unwrap();
    let corpus = four(&dir, "a.corpus");
    let model = model(&corpus, 1);
    // Nobody, not even root, can make a folder where there is a file.
    fs::write(corpus.path().join("prepared"), "").unwrap();
    let mut notes = Notes::default();
    let vectors = UnitVectors::kept_or_made(&model, &mut notes).unwrap();
    assert!(matches!(notes.0[..], [Note::NotCached { what: Cached::Vectors, .. }]), "{:?}", notes.0);
    assert_eq!(numbers(&vectors, 4), numbers(&UnitVectors::of_model(&model).unwrap(), 4));
}

#[test]
fn any_number_of_threads_writes_the_same_bytes() {
    let dir = tempfile::tempdir().unwrap();
    // More pages than a batch has.
    let kinds = [vec![0], vec![0, 1], vec![1], vec![]];
    let carried: Vec<Vec<u32>> = (0..9000).map(|page| kinds[page % 4].clone()).collect();
    let corpus = ring(&dir, "a.corpus", &carried);
    let model = model(&corpus, 1);
    let made = |threads| {
        let _ = fs::remove_file(kept_at(&corpus));
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        let vectors = pool.install(|| UnitVectors::kept_or_made(&model, &mut Silent).unwrap());
        assert_eq!(numbers(&vectors, 9000), numbers(&UnitVectors::of_model(&model).unwrap(), 9000));
        fs::read(kept_at(&corpus)).unwrap()
    };
    let one = made(1);
    assert!(made(2) == one && made(3) == one);
}

#[test]
fn scores_are_the_same_from_vectors_that_are_made_kept_or_cannot_be_written() {
    let dir = tempfile::tempdir().unwrap();
    let corpus = four(&dir, "a.corpus");
    model(&corpus, 1).save(&corpus).unwrap();
    let pages: Vec<PageId> = (0..4).map(PageId).collect();
    let scores = || {
        let mut scores = Vec::new();
        for (name, normalise) in [
            ("llamafur:x", Normalise::Mean),
            ("llamafur:x", Normalise::Sum),
            ("categories:x", Normalise::Sqrt),
            ("llamafur:x", Normalise::Cosine),
            ("company", Normalise::Mean),
            ("peers", Normalise::Mean),
        ] {
            let conf = ScoreConf { normalise, model: Some("x".into()), ..ScoreConf::default() };
            let scorer = open(name, &Inputs::new(&corpus), &conf, &mut Silent).unwrap();
            scores.extend(pages.iter().map(|&page| scorer.score(page, &pages).unwrap()));
        }
        scores
    };
    let made = scores();
    assert!(kept_at(&corpus).exists() && scores() == made);
    fs::remove_dir_all(corpus.path().join("prepared")).unwrap();
    fs::write(corpus.path().join("prepared"), "").unwrap();
    assert_eq!(scores(), made);
    // From 0 to itself U₀·V₀ = (3, 4)·(0, 2) = 8; to 1, whose rows cancel out, 0; to 3, which carries nothing, no score.
    let bound = 2.0 * (2f64.sqrt() / 32_767.0) * 5.0 * 2.0;
    assert!((made[0][0].unwrap() + 8.0).abs() < bound && made[0][1] == Some(0.0) && made[0][3].is_none());
    assert_eq!(made[3], [None; 4]);
}
