//! Words are counted in parts: the result does not depend on the parts, nor on which run made them.

use super::make::{FOLDER, make_in_parts};
use super::tests::corpus as written;
use super::*;
use crate::corpus::Corpus;
use crate::parts::{PartSizes, PartsFolder};
use crate::progress::{Note, Progress, Silent, Task};
use std::collections::BTreeMap;
use std::fs;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;

/// A thousand pages with words of all frequencies, some without text.
fn corpus(dir: &tempfile::TempDir) -> Corpus {
    let text = |page: u32| {
        let words = (0..page % 41).map(|word| match word % 3 {
            0 => format!("worded{}", (page * 7 + word * word) % 211),
            1 => format!("Wörter{}", word * page % 97),
            _ => "gravities gravity planets".to_owned(),
        });
        (!page.is_multiple_of(11)).then(|| words.collect::<Vec<_>>().join(" "))
    };
    let texts: Vec<Option<String>> = (0..1000).map(text).collect();
    written(dir, "a.corpus", None, &texts.iter().map(Option::as_deref).collect::<Vec<_>>())
}

/// Parts of two or three batches, on disk.
const SMALL: PartSizes = PartSizes { least: 4000, most: 4000, kept_from: 0 };

fn bytes(corpus: &Corpus, conf: &WordsConf, sizes: PartSizes) -> Vec<u8> {
    make_in_parts(corpus, conf, sizes, &mut Silent).unwrap().verify().unwrap();
    assert!(!corpus.path().join(FOLDER).exists());
    fs::read(Words::path(corpus)).unwrap()
}

/// A progress that ends the work when all parts are there.
struct Killed {
    advanced: Vec<u64>,
}

impl Progress for Killed {
    fn start(&mut self, task: Task, _: Option<u64>) {
        assert!(task != Task::WriteWords, "killed");
    }

    fn advance(&mut self, by: u64) {
        self.advanced.push(by);
    }
}

/// The parts that a run leaves behind, and how its progress went.
fn killed(corpus: &Corpus, conf: &WordsConf) -> (BTreeMap<PathBuf, Vec<u8>>, Vec<u64>) {
    let mut progress = Killed { advanced: Vec::new() };
    let run = || make_in_parts(corpus, conf, SMALL, &mut progress);
    catch_unwind(AssertUnwindSafe(run)).unwrap_err();
    let files = fs::read_dir(corpus.path().join(FOLDER)).unwrap().map(|file| file.unwrap().path());
    (files.map(|path| (path.clone(), fs::read(path).unwrap())).collect(), progress.advanced)
}

#[test]
fn the_size_of_parts_and_the_number_of_threads_change_nothing() {
    let dir = tempfile::tempdir().unwrap();
    let corpus = corpus(&dir);
    let conf = WordsConf::default().min_documents(5);
    let whole = bytes(&corpus, &conf, PartSizes { least: u64::MAX, most: u64::MAX, kept_from: u64::MAX });
    for (size, threads) in [(1, 1), (1, 3), (3000, 2), (20_000, 4)] {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        let sizes = PartSizes { least: size, most: size, kept_from: 0 };
        let made = pool.install(|| bytes(&corpus, &conf, sizes));
        assert!(made == whole, "parts of {size} bytes, {threads} threads");
    }
}

#[test]
fn whole_parts_of_a_killed_run_are_taken_over_and_others_made_again() {
    let dir = tempfile::tempdir().unwrap();
    let corpus = corpus(&dir);
    let conf = WordsConf::default().min_documents(5);
    let whole = bytes(&corpus, &conf, SMALL);
    let (parts, advanced) = killed(&corpus, &conf);
    assert!(parts.len() > 5 && advanced.iter().sum::<u64>() == 1000, "{} parts", parts.len());
    // One is gone, one is damaged, one is another's, one was being written.
    let paths: Vec<&PathBuf> = parts.keys().collect();
    fs::remove_file(paths[0]).unwrap();
    let mut damaged = parts[paths[1]].clone();
    let middle = damaged.len() / 2;
    damaged[middle] ^= 1;
    fs::write(paths[1], &damaged).unwrap();
    fs::write(paths[2], &parts[paths[3]]).unwrap();
    fs::write(paths[4].with_file_name(".0-1.arrow.writing"), "half").unwrap();
    let written = |path: &PathBuf| fs::metadata(path).unwrap().modified().unwrap();
    let before: Vec<_> = paths[3..].iter().map(|path| written(path)).collect();
    let (again, advanced) = killed(&corpus, &conf);
    assert!(parts.iter().all(|(path, bytes)| again[path] == *bytes));
    assert!(paths[3..].iter().zip(before).all(|(path, before)| written(path) == before));
    // What was taken over counts at once, in whole parts.
    assert!(advanced[0] > 32 && advanced.iter().sum::<u64>() == 1000, "{advanced:?}");
    assert!(bytes(&corpus, &conf, SMALL) == whole);
    // How many pages a term needs is no matter of the parts.
    let (parts, _) = killed(&corpus, &conf);
    assert!(killed(&corpus, &conf.clone().min_documents(7)).0 == parts);
    assert!(bytes(&corpus, &conf, SMALL) == whole);
}

#[test]
fn parts_of_other_settings_are_not_taken_over() {
    let dir = tempfile::tempdir().unwrap();
    let corpus = corpus(&dir);
    let conf = WordsConf::default().min_documents(5);
    let whole = bytes(&corpus, &conf, SMALL);
    killed(&corpus, &conf.clone().stemming(Stemming::None));
    assert!(bytes(&corpus, &conf, SMALL) == whole);
}

#[derive(Default)]
struct Notes(Vec<Note>);

impl Progress for Notes {
    fn note(&mut self, note: Note) {
        self.0.push(note);
    }
}

#[test]
fn two_at_once_do_not_work_in_the_same_folder() {
    let dir = tempfile::tempdir().unwrap();
    let corpus = corpus(&dir);
    let other = PartsFolder::open(&corpus, FOLDER).unwrap();
    let mut notes = Notes::default();
    let words = make_in_parts(&corpus, &WordsConf::default(), SMALL, &mut notes).unwrap();
    words.verify().unwrap();
    assert!(matches!(&notes.0[..], [Note::NotCached { error, .. }] if error.contains("another process")));
    assert!(!Words::path(&corpus).exists());
    other.remove();
    bytes(&corpus, &WordsConf::default(), SMALL);
}
