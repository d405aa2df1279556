//! Damaged and foreign files: an error or the right answer, never a panic and never a wrong answer.
#![allow(clippy::unwrap_used)]

mod common;

use common::{Contents, Small, found, full, storied};
use llamafur::Error;
use llamafur::categories::{Categories, CleanseConf, Cleanser, Goal, Milestones, Settings};
use llamafur::corpus::{Corpus, Manifest};
use llamafur::engine::{VerifiedFile, repair, verify};
use llamafur::graph::{CategoryId, MilestoneId, PageId};
use llamafur::learn::Model;
use llamafur::learn::sampler::{Generator, Purpose, below, generator};
use llamafur::learn::{LearnConf, Method, PortableModel, learn, train};
use llamafur::progress::{Note, Progress, Silent};
use llamafur::score::ScoreConf;
use llamafur::storage::{BLOCK, Existing};
use std::collections::BTreeMap;
use std::fmt::Display;
use std::fs;
use std::io::Write;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};

const FILES: [&str; 6] =
    ["manifest.json", "pages.arrow", "categories.arrow", "folded.arrow", "text.arrow", "blocks.arrow"];

/// All that can be asked of a corpus.
type Answers = (Contents, Manifest, Vec<(&'static str, Vec<String>)>, usize);

fn ask(corpus: &Corpus) -> Result<Answers, Error> {
    let searches = ["Page 0007", "page_0011", "Page 00", "Quasimodo"];
    let found = searches.iter().map(|title| found(corpus, title)).collect::<Result<_, _>>()?;
    let num_links = Categories::whole_graph(corpus)?.num_links();
    Ok((Contents::read(corpus)?, corpus.manifest().clone(), found, num_links))
}

/// What a corpus answers, and what `verify` says of it.
type Opened = (Result<Answers, Error>, Result<(), Error>);

fn ask_and_verify(path: &Path) -> Result<Opened, Error> {
    let corpus = Corpus::open(path)?;
    Ok((ask(&corpus), corpus.verify()))
}

/// What `work` gives; a panic is a failure of the test that says what had been done to the file.
fn without_panic<T>(done: &dyn Display, work: impl FnOnce() -> T) -> T {
    catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|_| panic!("panicked after {done}"))
}

/// A corpus of 40 pages, whose texts are in two batches, and what it answers while it is whole.
struct Victim {
    _dir: tempfile::TempDir,
    path: PathBuf,
    whole: Answers,
}

impl Victim {
    fn new() -> Victim {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("a.corpus");
        storied(40).write(&path, Existing::Refuse).unwrap();
        let whole = ask(&Corpus::open(&path).unwrap()).unwrap();
        assert_eq!(whole.0, storied(40));
        Victim { _dir: dir, path, whole }
    }

    /// With these bytes in place of a file: an error, or the same answers; and `verify` notices, unless the
    /// change means nothing.
    fn expect_noticed(&self, file: &str, bytes: &[u8], harmless: bool, done: &dyn Display) {
        put(&self.path.join(file), bytes);
        let (asked, verified) = match without_panic(done, || ask_and_verify(&self.path)) {
            Ok(opened) => opened,
            Err(error) => return expect_way_out(&error, file, done),
        };
        match asked {
            Ok(answers) => assert!(answers == self.whole, "a wrong answer after {done}"),
            Err(error) => expect_way_out(&error, file, done),
        }
        match verified {
            Ok(()) => assert!(harmless, "not noticed: {done}"),
            Err(error) => expect_way_out(&error, file, done),
        }
    }

    fn expect_whole(&self) {
        assert!(ask(&Corpus::open(&self.path).unwrap()).unwrap() == self.whole);
    }
}

/// The error names the file, or the folder where that is no corpus any more, and says what to do.
fn expect_way_out(error: &Error, file: &str, done: &dyn Display) {
    let message = common::said(error);
    let way_out = match error {
        Error::Damaged { .. } => message.contains(file) && message.contains("step: Import"),
        Error::NotACorpus { .. } | Error::Version { .. } => {
            file == "manifest.json" && message.contains("step: Import")
        }
        _ => false,
    };
    assert!(way_out, "after {done}: {message}");
}

/// Overwrites a file. Where its length stays, without cutting it first: some file systems then write at once.
fn put(path: &Path, bytes: &[u8]) {
    let mut file = fs::File::options().write(true).open(path).unwrap();
    file.write_all(bytes).unwrap();
    if file.metadata().unwrap().len() != bytes.len() as u64 {
        file.set_len(bytes.len() as u64).unwrap();
    }
}

fn random() -> Generator {
    generator(40, Purpose::RandomScore, 0)
}

fn flip_every_byte(file: &str) {
    let (victim, mut random) = (Victim::new(), random());
    let bytes = fs::read(victim.path.join(file)).unwrap();
    for at in 0..bytes.len() {
        let mut changed = bytes.clone();
        changed[at] ^= 1 + below(&mut random, 255) as u8;
        let means_nothing = file == "manifest.json" && bytes[at].is_ascii_whitespace();
        let done = format!("byte {at} of {file} became {:#04x}", changed[at]);
        victim.expect_noticed(file, &changed, means_nothing, &done);
    }
    fs::write(victim.path.join(file), bytes).unwrap();
    victim.expect_whole();
}

#[test]
fn a_flipped_byte_of_the_manifest_is_noticed() {
    flip_every_byte("manifest.json");
}

#[test]
fn a_flipped_byte_of_the_pages_is_noticed() {
    flip_every_byte("pages.arrow");
}

#[test]
fn a_flipped_byte_of_the_categories_is_noticed() {
    flip_every_byte("categories.arrow");
}

#[test]
fn a_flipped_byte_of_the_folded_titles_is_noticed() {
    flip_every_byte("folded.arrow");
}

#[test]
fn a_flipped_byte_of_the_texts_is_noticed() {
    flip_every_byte("text.arrow");
}

#[test]
fn a_flipped_byte_of_the_block_sums_is_noticed() {
    flip_every_byte("blocks.arrow");
}

#[test]
fn a_shorter_or_longer_file_is_noticed() {
    let victim = Victim::new();
    for file in FILES {
        let bytes = fs::read(victim.path.join(file)).unwrap();
        let lengths = [0, 1, 7, 9, 10, 11, 64, bytes.len() / 2, bytes.len() - 8, bytes.len() - 2];
        for length in lengths.into_iter().filter(|&length| length < bytes.len()) {
            let done = format!("{file} was cut to {length} bytes");
            victim.expect_noticed(file, &bytes[..length], false, &done);
        }
        let longer = [&bytes[..], b"\nmore"].concat();
        victim.expect_noticed(file, &longer, false, &format!("{file} grew"));
        fs::write(victim.path.join(file), &bytes).unwrap();
    }
    victim.expect_whole();
}

#[test]
fn a_foreign_file_in_place_of_one_of_ours_is_noticed() {
    let victim = Victim::new();
    let dir = tempfile::tempdir().unwrap();
    // The same sizes and shapes, but one link goes elsewhere and one text differs in a letter.
    let mut twin = storied(40);
    twin.links[1] = vec![(twin.links[1][0] + 2) % 40];
    twin.categories[1] = vec![0, 4];
    twin.texts.as_mut().unwrap()[1] = Some("Page 1 is a cage. It is no 31.".into());
    let (twin, other) = (twin.corpus(&dir, "twin"), storied(33).corpus(&dir, "other"));
    for file in FILES {
        let bytes = fs::read(victim.path.join(file)).unwrap();
        let of = |corpus: &Corpus, file: &str| fs::read(corpus.path().join(file)).unwrap();
        let mut same_size = b"Dear diary, ".repeat(bytes.len() / 12 + 1);
        same_size.truncate(bytes.len());
        let foreign = [
            ("a diary", b"Dear diary, ".to_vec()),
            ("a diary of the same size", same_size),
            ("another corpus's", of(&other, file)),
            ("a twin's", of(&twin, file)),
            (
                "another table",
                of(&other, if file == "pages.arrow" { "categories.arrow" } else { "pages.arrow" }),
            ),
        ];
        for (what, foreign) in foreign {
            if foreign == bytes {
                continue;
            }
            let done = format!("{file} was replaced by {what}");
            // A manifest of another corpus is itself in order: what does not fit it are the other files.
            fs::write(victim.path.join(file), &foreign).unwrap();
            let opened = without_panic(&done, || ask_and_verify(&victim.path));
            assert!(
                opened.is_err() || opened.is_ok_and(|(asked, verified)| asked.is_err() && verified.is_err()),
                "{done}"
            );
        }
        fs::write(victim.path.join(file), &bytes).unwrap();
    }
}

#[test]
fn a_missing_file_is_named() {
    let victim = Victim::new();
    for file in FILES {
        let bytes = fs::read(victim.path.join(file)).unwrap();
        fs::remove_file(victim.path.join(file)).unwrap();
        let message = Corpus::open(&victim.path).unwrap_err().to_string();
        assert!(message.contains(file), "{message}");
        fs::write(victim.path.join(file), bytes).unwrap();
    }
}

#[test]
fn a_damaged_block_is_an_error_and_the_pages_beside_it_are_right() {
    let dir = tempfile::tempdir().unwrap();
    let whole = Contents { texts: None, ..storied(6000) };
    let path = whole.corpus(&dir, "a.corpus").path().join("pages.arrow");
    let (bytes, mut random) = (fs::read(&path).unwrap(), random());
    assert!(bytes.len() > 4 * BLOCK, "several blocks: {} bytes", bytes.len());
    let mut still_right = 0;
    for _ in 0..24 {
        let at = below(&mut random, bytes.len() as u64) as usize;
        let mut changed = bytes.clone();
        changed[at] ^= 1 << below(&mut random, 8);
        put(&path, &changed);
        let Ok(corpus) = Corpus::open(path.parent().unwrap()) else { continue };
        assert!(
            corpus.verify().is_err()
                && Categories::whole_graph(&corpus).and(Contents::read(&corpus)).is_err(),
            "byte {at}"
        );
        for page in (0..6000u32).step_by(7) {
            let (index, page) = (page as usize, PageId(page));
            let ids = |ids: &[PageId]| ids.iter().map(|id| id.0).collect::<Vec<_>>();
            if let Ok(title) = corpus.title(page) {
                assert_eq!(title, whole.titles[index], "byte {at}");
            }
            if let Ok(links) = corpus.links(page) {
                assert_eq!(ids(links), whole.links[index], "byte {at}");
                still_right += 1;
            }
            if let Ok(categories) = corpus.categories(page) {
                let found: Vec<u32> = categories.iter().map(|id| id.0).collect();
                assert_eq!(found, whole.categories[index], "byte {at}");
            }
        }
    }
    assert!(still_right > 0);
}

/// A learner for each form of a matrix.
const METHODS: [Method; 2] = [Method::Averaged, Method::Factored];

fn trained(corpus: &Corpus, method: Method) -> PathBuf {
    let conf = LearnConf::default().method(method).rank(3);
    train(&Categories::all(corpus), method.name(), &conf, &mut Silent).unwrap().save(corpus).unwrap().0
}

fn weights(corpus: &Corpus, name: &str) -> Result<Vec<f64>, Error> {
    let model = Model::open(corpus, name)?;
    let matrix = model.matrix()?;
    let all: Vec<MilestoneId> = (0..matrix.num_categories() as u32).map(MilestoneId).collect();
    let whole: Vec<f64> = llamafur::matrix::pairs(&all, &all).map(|(c, d)| matrix.weight(c, d)).collect();
    // Row by row it is the same.
    for &source in &all {
        let row = Model::open(corpus, name)?;
        let row = row.matrix_rows(std::slice::from_ref(&source))?;
        let expected = &whole[source.index() * all.len()..][..all.len()];
        assert!(row.weights(&all).unwrap().map(|(_, _, weight)| weight).eq(expected.iter().copied()));
    }
    Ok(whole)
}

/// Opens the model with these bytes in place of its file: an error that names it, or the same weights.
fn expect_noticed(corpus: &Corpus, path: &Path, whole: &[f64], bytes: &[u8], done: &str) -> bool {
    put(path, bytes);
    let name = path.file_stem().unwrap().to_str().unwrap();
    match without_panic(&done, || weights(corpus, name)) {
        Ok(found) => {
            assert!(found == whole, "wrong weights after {done}");
            false
        }
        Err(error) => {
            assert!(error.to_string().contains(&format!("{name}.safetensors")), "after {done}: {error}");
            true
        }
    }
}

#[test]
fn a_flipped_byte_of_a_model_is_an_error_or_means_nothing() {
    let dir = tempfile::tempdir().unwrap();
    let corpus = storied(40).corpus(&dir, "a.corpus");
    for method in METHODS {
        let path = trained(&corpus, method);
        let (bytes, mut random) = (fs::read(&path).unwrap(), random());
        let whole = weights(&corpus, method.name()).unwrap();
        let header = 8 + u64::from_le_bytes(bytes[..8].try_into().unwrap()) as usize;
        for at in 0..bytes.len() {
            let mut changed = bytes.clone();
            changed[at] ^= 1 + below(&mut random, 255) as u8;
            let done = format!("byte {at} of {method}'s model became {:#04x}", changed[at]);
            let noticed = expect_noticed(&corpus, &path, &whole, &changed, &done);
            // Only blanks that fill up the header mean nothing.
            assert!(noticed || at < header && bytes[at] == b' ', "not noticed: {done}");
        }
    }
}

#[test]
fn a_damaged_row_of_a_dense_model_leaves_the_others_readable() {
    let dir = tempfile::tempdir().unwrap();
    // Each of 700 pages has a category of its own and links to every second of the others: some blocks of cells.
    let linked = |page: u32| (0..700).filter(move |to| *to != page && (to + page) % 2 == 1).collect();
    let small = Small::new((0..700).map(linked).collect(), (0..700).map(|page| vec![page]).collect(), 700);
    let corpus = Contents::of(&small).corpus(&dir, "a.corpus");
    let path = trained(&corpus, Method::Paper);
    let mut bytes = fs::read(&path).unwrap();
    let row = |id: u32| -> Result<Vec<f64>, Error> {
        let model = Model::open(&corpus, "paper")?;
        let targets: Vec<MilestoneId> = (0..700).map(MilestoneId).collect();
        Ok(model.matrix_rows(&[MilestoneId(id)])?.weights(&targets)?.map(|(_, _, weight)| weight).collect())
    };
    let whole: Vec<Vec<f64>> = [0, 350, 699].map(|id| row(id).unwrap()).to_vec();
    assert!(whole.iter().flatten().filter(|weight| **weight != 0.0).count() > 1500);
    // The last bytes are weights of the last row.
    *bytes.last_mut().unwrap() ^= 1;
    put(&path, &bytes);
    assert_eq!(row(0).unwrap(), whole[0]);
    assert_eq!(row(350).unwrap(), whole[1]);
    assert!(row(699).unwrap_err().to_string().contains("damaged"));
    let model = Model::open(&corpus, "paper").unwrap();
    assert!(model.matrix().is_err());
}

#[test]
fn a_shorter_longer_or_foreign_model_is_noticed() {
    let dir = tempfile::tempdir().unwrap();
    let corpus = storied(40).corpus(&dir, "a.corpus");
    let pages = fs::read(corpus.path().join("pages.arrow")).unwrap();
    for method in METHODS {
        let path = trained(&corpus, method);
        let bytes = fs::read(&path).unwrap();
        let whole = weights(&corpus, method.name()).unwrap();
        let cuts = [0, 1, 7, 8, 9, 100, bytes.len() / 2, bytes.len() - 4, bytes.len() - 1];
        let cut = cuts.map(|length| (format!("cut to {length} bytes"), bytes[..length].to_vec()));
        let foreign = [
            ("made longer".into(), [&bytes[..], &[0; 4]].concat()),
            ("an Arrow file".into(), pages.clone()),
            ("a diary".into(), b"Dear diary, today I learnt a matrix.".to_vec()),
            ("empty tensors".into(), [&2u64.to_le_bytes()[..], b"{}"].concat()),
        ];
        for (done, changed) in cut.into_iter().chain(foreign) {
            assert!(expect_noticed(&corpus, &path, &whole, &changed, &done), "{method}: {done}");
        }
    }
}

#[test]
fn a_model_of_another_corpus_is_refused_and_told_so() {
    let dir = tempfile::tempdir().unwrap();
    let one = storied(40).corpus(&dir, "one.corpus");
    let mut changed = storied(40);
    changed.links[1] = vec![(changed.links[1][0] + 2) % 40];
    let other = changed.corpus(&dir, "other.corpus");
    for method in [Method::Paper, Method::Factored] {
        let path = trained(&one, method);
        fs::create_dir_all(other.path().join("models")).unwrap();
        fs::copy(path, Model::path(&other, method.name()).unwrap()).unwrap();
        let error = Model::open(&other, method.name()).unwrap_err();
        assert!(matches!(error, Error::OtherCorpus { .. }), "{error:?}");
        let message = common::said(&error);
        for part in ["made for another corpus", "step: Train"] {
            assert!(message.contains(part), "{message}");
        }
    }
}

#[test]
fn a_model_with_a_sparse_matrix_is_refused_with_ways_out() {
    let dir = tempfile::tempdir().unwrap();
    let corpus = storied(40).corpus(&dir, "a.corpus");
    let categories = Categories::all(&corpus);
    let conf = LearnConf::default().method(Method::Paper);
    let model = train(&categories, "old", &conf, &mut Silent).unwrap();
    // What tells it from others in the file of an older version.
    let settings = llamafur::learn::Settings { cells: Some(3), ..model.settings().clone() };
    let (matrix, _) = learn(&categories.graph().unwrap(), &conf, &mut Silent).unwrap();
    let (path, _) = Model::new("old", settings, matrix, &categories).save(&corpus).unwrap();
    for error in [Model::open(&corpus, "old").unwrap_err(), PortableModel::open(&path).unwrap_err()] {
        assert!(matches!(error, Error::SparseModel { .. }), "{error:?}");
        let message = common::said(&error);
        for part in
            ["old.safetensors: a model with a sparse matrix", "(\"method\", \"factored\")", "step: Cleanse"]
        {
            assert!(message.contains(part), "{message}");
        }
    }
}

#[test]
fn a_missing_model_lists_those_that_there_are() {
    let dir = tempfile::tempdir().unwrap();
    let corpus = storied(40).corpus(&dir, "a.corpus");
    let error = Model::open(&corpus, "best").unwrap_err();
    assert!(matches!(&error, Error::NotFound { there_are, .. } if there_are.is_empty()), "{error:?}");
    trained(&corpus, Method::Paper);
    trained(&corpus, Method::Naive);
    fs::write(corpus.path().join("models/.half.safetensors"), "").unwrap();
    fs::write(corpus.path().join("models/notes.txt"), "").unwrap();
    let message = common::said(&Model::open(&corpus, "best").unwrap_err());
    assert!(message.contains("(there are: naive, paper)") && message.contains("step: Train"), "{message}");
    assert_eq!(Model::names(&corpus).unwrap(), ["naive", "paper"]);
}

#[test]
fn a_name_that_could_leave_the_folder_is_refused() {
    let dir = tempfile::tempdir().unwrap();
    let corpus = storied(40).corpus(&dir, "a.corpus");
    let before = fs::read_dir(corpus.path()).unwrap().count();
    for name in ["", ".x", "..", "../x", "a/b", "a\\b", "/x", "a b", "a\0b", "a:b"] {
        assert!(matches!(Model::open(&corpus, name), Err(Error::Name { .. })), "open {name:?}");
        let model =
            train(&Categories::all(&corpus), name, &LearnConf::default().method(Method::Naive), &mut Silent)
                .unwrap();
        assert!(matches!(model.save(&corpus), Err(Error::Name { .. })), "save {name:?}");
    }
    assert_eq!(fs::read_dir(corpus.path()).unwrap().count(), before);
    assert!(Model::path(&corpus, "k-32_v1.2").is_ok());
}

/// All that a cleansing answers.
type Cleansed = (Vec<(u32, f64)>, Vec<Option<(u32, u32)>>, Vec<Vec<u32>>, Settings);

fn ask_milestones(corpus: &Corpus) -> Result<Cleansed, Error> {
    let opened = Milestones::open(corpus, "default")?;
    let milestones = (0..opened.num() as u32).map(MilestoneId);
    let milestones = milestones.map(|m| Ok((opened.category(m)?.0, opened.centrality(m)?)));
    let categories = (0..corpus.num_categories() as u32).map(CategoryId);
    let moves = categories.map(|c| Ok(opened.milestone(c)?.map(|(milestone, levels)| (milestone.0, levels))));
    let pages = (0..corpus.num_pages() as u32).map(PageId);
    let pages = pages.map(|page| Ok(opened.of(page)?.iter().map(|milestone| milestone.0).collect()));
    Ok((
        milestones.collect::<Result<_, Error>>()?,
        moves.collect::<Result<_, Error>>()?,
        pages.collect::<Result<_, Error>>()?,
        opened.settings().clone(),
    ))
}

/// With these bytes in place of the milestones: an error that names the file, or the same answers.
fn expect_milestones_noticed(corpus: &Corpus, whole: &Cleansed, bytes: &[u8], done: &str) -> bool {
    put(&corpus.path().join("milestones.arrow"), bytes);
    match without_panic(&done, || ask_milestones(corpus)) {
        Ok(found) => {
            assert!(found == *whole, "wrong milestones after {done}");
            false
        }
        Err(error) => {
            let message = common::said(&error);
            assert!(
                message.contains("milestones.arrow") && message.contains("step: Cleanse"),
                "after {done}: {message}"
            );
            true
        }
    }
}

fn cleansed(corpus: &Corpus) -> Vec<u8> {
    let cleanser = Cleanser::new(corpus, None, &mut Silent).unwrap();
    let cleansing = cleanser.cleanse(&CleanseConf::default().goal(Goal::Count(4))).unwrap();
    fs::read(cleansing.save(corpus, "default").unwrap().0).unwrap()
}

#[test]
fn a_flipped_byte_of_the_milestones_is_an_error_or_means_nothing() {
    let dir = tempfile::tempdir().unwrap();
    let corpus = storied(40).corpus(&dir, "a.corpus");
    let (bytes, mut random) = (cleansed(&corpus), random());
    let whole = ask_milestones(&corpus).unwrap();
    // Behind the summed blocks stands the footer, of which only padding and redundant sizes mean nothing.
    let settings = bytes.windows(9).position(|window| window == b"{\"format\"").unwrap();
    for at in 0..bytes.len() {
        let mut changed = bytes.clone();
        changed[at] ^= 1 + below(&mut random, 255) as u8;
        let done = format!("byte {at} of the milestones became {:#04x}", changed[at]);
        let noticed = expect_milestones_noticed(&corpus, &whole, &changed, &done);
        let in_text = (settings..settings + 500).contains(&at);
        assert!(noticed || (at > settings / 2 && !in_text), "not noticed: {done}");
    }
}

#[test]
fn shorter_longer_and_foreign_milestones_are_noticed() {
    let dir = tempfile::tempdir().unwrap();
    let corpus = storied(40).corpus(&dir, "a.corpus");
    let bytes = cleansed(&corpus);
    let whole = ask_milestones(&corpus).unwrap();
    let cuts = [0, 1, 7, 8, 9, 10, 100, bytes.len() / 2, bytes.len() - 4, bytes.len() - 1];
    let cut = cuts.map(|length| (format!("cut to {length} bytes"), bytes[..length].to_vec()));
    let foreign = [
        ("made longer".into(), [&bytes[..], &[0; 4]].concat()),
        ("another Arrow file".into(), fs::read(corpus.path().join("pages.arrow")).unwrap()),
        ("a diary".into(), b"Dear diary, today I cleansed my categories.".to_vec()),
    ];
    for (done, changed) in cut.into_iter().chain(foreign) {
        assert!(expect_milestones_noticed(&corpus, &whole, &changed, &done), "{done}");
    }
    let mut changed = storied(40);
    changed.categories[0] = vec![0, 1, 2];
    let other = changed.corpus(&dir, "other.corpus");
    fs::write(other.path().join("milestones.arrow"), &bytes).unwrap();
    let error = Milestones::open(&other, "default").unwrap_err();
    assert!(matches!(error, Error::OtherCorpus { .. }), "{error:?}");
}

#[test]
fn milestones_of_another_version_name_the_two_ways_out() {
    let dir = tempfile::tempdir().unwrap();
    let corpus = storied(40).corpus(&dir, "a.corpus");
    let bytes = cleansed(&corpus);
    let at = bytes.windows(11).position(|window| window == b"\"version\":1").unwrap();
    let mut changed = bytes;
    changed[at + 10] = b'7';
    put(&corpus.path().join("milestones.arrow"), &changed);
    let message = common::said(&Milestones::open(&corpus, "default").unwrap_err());
    assert!(message.contains("format 7") && message.contains("step: Cleanse"), "{message}");
}

/// All files below a folder, with their bytes.
fn all_files(folder: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut files = BTreeMap::new();
    for path in fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
        match path.is_dir() {
            true => files.extend(all_files(&path)),
            false => drop(files.insert(path.clone(), fs::read(path).unwrap())),
        }
    }
    files
}

/// What is said of the damaged files.
fn damages(path: &Path) -> Vec<String> {
    let of = |file: VerifiedFile| file.damage.map(|damage| common::said(&damage));
    verify(path)
        .map_or_else(|error| vec![common::said(&error)], |files| files.into_iter().filter_map(of).collect())
}

#[test]
fn every_changed_byte_of_every_file_is_noticed() {
    let dir = tempfile::tempdir().unwrap();
    let (path, mut random) = (full::made(dir.path()), random());
    assert_eq!(damages(&path), [""; 0]);
    let files = all_files(&path);
    assert!(files.len() >= 20, "{:?}", files.keys());
    for (file, bytes) in &files {
        let name = file.strip_prefix(&path).unwrap().display().to_string();
        // All of the last kilobyte, where footers are, and samples of the rest.
        let footer = (bytes.len().saturating_sub(1 << 10)..bytes.len()).step_by(7);
        let rest = (0..40).map(|_| below(&mut random, bytes.len() as u64) as usize);
        for at in footer.chain(rest).collect::<Vec<_>>() {
            let mut changed = bytes.clone();
            changed[at] ^= 1 + below(&mut random, 255) as u8;
            put(file, &changed);
            let done = format!("byte {at} of {name} became {:#04x}", changed[at]);
            let said = without_panic(&done, || damages(&path));
            // Of a manifest that is none, the folder is named.
            let names = |said: &String| said.contains(&name) || name == "manifest.json";
            assert!(said.len() == 1 && said.iter().all(names), "{done}: {said:?}");
        }
        put(file, bytes);
    }
    assert_eq!(damages(&path), [""; 0]);
}

#[test]
fn all_damaged_files_are_listed() {
    let dir = tempfile::tempdir().unwrap();
    let path = full::made(dir.path());
    let damaged = [
        "pages.arrow",
        "words.arrow",
        "milestones.arrow",
        "prepared/places.arrow",
        "models/counted.safetensors",
    ];
    for name in damaged {
        let mut bytes = fs::read(path.join(name)).unwrap();
        let middle = bytes.len() / 2;
        bytes[middle] ^= 1;
        put(&path.join(name), &bytes);
    }
    fs::remove_file(path.join("folded.arrow")).unwrap();
    let said = damages(&path);
    assert_eq!(said.len(), 6, "{said:?}");
    assert!(
        damaged.iter().chain(&["folded.arrow"]).all(|name| said.iter().any(|said| said.contains(name))),
        "{said:?}"
    );
    assert!(Corpus::open(&path).is_err());
}

/// The files that are made again.
#[derive(Default)]
struct Rebuilt(Vec<PathBuf>);

impl Progress for Rebuilt {
    fn note(&mut self, note: Note) {
        if let Note::Rebuilt { path } = note {
            self.0.push(path);
        }
    }
}

#[test]
fn prepared_files_that_were_changed_are_made_again() {
    let dir = tempfile::tempdir().unwrap();
    let (path, mut random) = (full::made(dir.path()), random());
    let is_made = |name: &str| {
        name.contains("prepared") || name.ends_with("words.arrow") || name.ends_with("standards.json")
    };
    let files: Vec<_> =
        all_files(&path).into_iter().filter(|(file, _)| is_made(&file.display().to_string())).collect();
    assert!(files.len() >= 8);
    for (file, bytes) in files {
        let mut changed = bytes.clone();
        let at = below(&mut random, bytes.len() as u64) as usize;
        changed[at] ^= 1 + below(&mut random, 255) as u8;
        put(&file, &changed);
        let mut rebuilt = Rebuilt::default();
        repair(&Corpus::open(&path).unwrap(), &mut rebuilt).unwrap();
        assert_eq!(rebuilt.0, std::slice::from_ref(&file));
        let engine = full::engine(&path).unwrap();
        engine.prepare_all(&ScoreConf::default(), &mut Silent).unwrap();
        full::ask(&engine);
        assert!(fs::read(&file).unwrap() == bytes || file.ends_with("standards.json"), "{}", file.display());
        assert_eq!(damages(&path), [""; 0]);
        repair(&Corpus::open(&path).unwrap(), &mut rebuilt).unwrap();
        assert_eq!(rebuilt.0.len(), 1, "what is whole stays");
    }
}
