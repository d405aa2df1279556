//! Damaged and foreign words: an error when opened, made again when needed, never a panic and never a wrong answer.

use super::tests::corpus as written;
use super::*;
use crate::Error;
use crate::corpus::Corpus;
use crate::graph::{PageId, TermId};
use crate::progress::Silent;
use crate::random::{Purpose, below, generator};
use std::fs;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// Forty pages, some without text.
fn worded(dir: &tempfile::TempDir, name: &str, of_page_1: &str) -> Corpus {
    let text = |page: u32| match page {
        1 => Some(of_page_1.to_owned()),
        page => (page % 5 != 3)
            .then(|| format!("Page {page} is a page. It is no {}; see page {}.", page * 31, page / 3)),
    };
    let texts: Vec<Option<String>> = (0..40).map(text).collect();
    written(dir, name, None, &texts.iter().map(Option::as_deref).collect::<Vec<_>>())
}

fn words_conf() -> WordsConf {
    WordsConf::default().min_documents(2).shortest(2)
}

/// All that bags of words answer.
type Worded = (Vec<(String, u32)>, Vec<Vec<(u32, u16)>>, String);

fn ask_words(corpus: &Corpus) -> Result<Worded, Error> {
    ask(corpus, &Words::of(corpus, &words_conf(), &mut Silent)?)
}

fn ask(corpus: &Corpus, words: &Words) -> Result<Worded, Error> {
    let terms = (0..words.num_terms() as u32).map(|term| words.term(TermId(term)).map(str::to_owned));
    let terms: Vec<String> = terms.collect::<Result<_, _>>()?;
    let pages = (0..corpus.num_pages() as u32).map(|page| words.bag(PageId(page)));
    let bags = pages.map(|bag| Ok(bag?.iter().map(|(term, count)| (term.0, count)).collect()));
    let bags = bags.collect::<Result<_, Error>>()?;
    let documents = words.documents()?.to_vec();
    words.verify()?;
    Ok((terms.into_iter().zip(documents).collect(), bags, format!("{:?}", words.settings())))
}

/// Expects, with these bytes in place of the words, an error that names the file, or the right answers.
fn expect_words_noticed(corpus: &Corpus, whole: &Worded, bytes: &[u8], done: &str) -> bool {
    fs::write(Words::path(corpus), bytes).unwrap();
    match catch_unwind(AssertUnwindSafe(|| ask(corpus, &Words::open(corpus)?)))
        .unwrap_or_else(|_| panic!("panicked after {done}"))
    {
        Ok(found) => {
            assert!(found == *whole, "wrong words after {done}");
            false
        }
        Err(error) => {
            let message = format!("{error}; {:?}", error.remedy());
            assert!(
                message.contains("words.arrow") && message.contains("remove the file"),
                "after {done}: {message}"
            );
            true
        }
    }
}

#[test]
fn a_flipped_byte_of_the_words_is_an_error_or_means_nothing() {
    let dir = tempfile::tempdir().unwrap();
    let corpus = worded(&dir, "a.corpus", "Page 1 is a page. It is no 31.");
    let (whole, mut random) = (ask_words(&corpus).unwrap(), generator(40, Purpose::RandomScore, 0));
    assert!(whole.0.len() > 2 && whole.1.iter().any(|bag| bag.len() > 1), "{whole:?}");
    let bytes = fs::read(corpus.path().join("words.arrow")).unwrap();
    // The footer is behind the summed blocks, of which only padding and redundant sizes mean nothing.
    let settings = bytes.windows(9).position(|window| window == b"{\"format\"").unwrap();
    for at in 0..bytes.len() {
        let mut changed = bytes.clone();
        changed[at] ^= 1 + below(&mut random, 255) as u8;
        let done = format!("byte {at} of the words became {:#04x}", changed[at]);
        let noticed = expect_words_noticed(&corpus, &whole, &changed, &done);
        let in_text = (settings..settings + 500).contains(&at);
        // Words of another version, as one flipped byte can make them, are made again.
        let is_version = bytes[..at].ends_with(b"\"version\":") && in_text;
        assert!(noticed || is_version || (at > settings / 2 && !in_text), "not noticed: {done}");
        // Who needs words gets the right ones, made again with the same settings or the default ones.
        if at % 7 == 0 {
            assert!(ask_words(&corpus).unwrap() == whole, "wrong words after {done}");
        }
    }
}

#[test]
fn shorter_longer_and_foreign_words_are_noticed() {
    let dir = tempfile::tempdir().unwrap();
    let corpus = worded(&dir, "a.corpus", "Page 1 is a page. It is no 31.");
    let whole = ask_words(&corpus).unwrap();
    let bytes = fs::read(corpus.path().join("words.arrow")).unwrap();
    let cuts = [0, 1, 7, 8, 9, 10, 100, bytes.len() / 2, bytes.len() - 4, bytes.len() - 1];
    let cut = cuts.map(|length| (format!("cut to {length} bytes"), bytes[..length].to_vec()));
    let foreign = [
        ("made longer".into(), [&bytes[..], &[0; 4]].concat()),
        ("another Arrow file".into(), fs::read(corpus.path().join("pages.arrow")).unwrap()),
        ("a diary".into(), b"Dear diary, today I counted my words.".to_vec()),
    ];
    for (done, changed) in cut.into_iter().chain(foreign) {
        assert!(expect_words_noticed(&corpus, &whole, &changed, &done), "{done}");
    }
    assert!(ask_words(&corpus).unwrap() == whole);
    let other = worded(&dir, "other.corpus", "Page 1 is a cage. It is no 31.");
    fs::write(other.path().join("words.arrow"), &bytes).unwrap();
    let error = Words::open(&other).unwrap_err();
    assert!(matches!(error, Error::OtherCorpus { .. }), "{error:?}");
    assert!(Words::kept_or_made(&other, &mut Silent).is_ok());
}

#[test]
fn words_of_another_version_are_refused_when_opened_and_made_again_when_needed() {
    let dir = tempfile::tempdir().unwrap();
    let corpus = worded(&dir, "a.corpus", "Page 1 is a page. It is no 31.");
    let whole = ask_words(&corpus).unwrap();
    let mut bytes = fs::read(corpus.path().join("words.arrow")).unwrap();
    let at = bytes.windows(11).position(|window| window == b"\"version\":3").unwrap();
    bytes[at + 10] = b'7';
    fs::write(Words::path(&corpus), &bytes).unwrap();
    let error = Words::open(&corpus).unwrap_err();
    assert!(error.to_string().contains("format 7") && error.remedy().is_some(), "{error}");
    assert!(ask_words(&corpus).unwrap() == whole);
    assert!(Words::open(&corpus).is_ok());
}
