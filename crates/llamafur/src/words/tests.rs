use super::*;
use crate::Error;
use crate::corpus::{Corpus, CorpusWriter, ListColumn, Provenance, StringColumn};
use crate::graph::{PageId, TermId};
use crate::progress::{Cached, Note, Progress, Silent};
use crate::storage::Existing;
use crate::text::wikitext::Site;
use proptest::prelude::*;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use unicode_segmentation::UnicodeSegmentation;

/// A corpus of pages with these texts and no links.
pub(super) fn corpus(
    dir: &tempfile::TempDir,
    name: &str,
    site: Option<Site>,
    texts: &[Option<&str>],
) -> Corpus {
    let out = dir.path().join(name);
    let mut writer = CorpusWriter::create(&out, Existing::Refuse).unwrap();
    let none = || texts.iter().map(|_| Vec::new()).collect::<ListColumn>();
    let titles = (0..texts.len()).map(|page| format!("Page {page:06}"));
    writer.write_pages(titles.collect(), none(), none()).unwrap();
    let no_categories = [""; 0].iter().collect::<StringColumn>();
    writer.write_categories(no_categories, ListColumn::from_iter([[]; 0])).unwrap();
    if let Some(site) = site {
        writer.set_site(site);
    }
    let texts = texts.iter().map(|text| Ok::<_, Error>(text.map(str::to_owned)));
    writer.write_text(texts).unwrap();
    writer.finish(Provenance::default()).unwrap();
    Corpus::open(&out).unwrap()
}

fn bags(words: &Words, pages: usize) -> Vec<Vec<(String, u16)>> {
    let bag = |page| words.bag(PageId(page)).unwrap().iter();
    let named = |(term, count)| (words.term(term).unwrap().to_owned(), count);
    (0..pages as u32).map(|page| bag(page).map(named).collect()).collect()
}

#[test]
fn every_page_has_its_terms_in_order_with_their_counts() {
    let dir = tempfile::tempdir().unwrap();
    let texts =
        [Some("Planets orbit a star. A planet!"), None, Some(""), Some("of the"), Some("stars and planets")];
    let corpus = corpus(&dir, "a", None, &texts);
    let conf = WordsConf::default().min_documents(1);
    let words = Words::of(&corpus, &conf, &mut Silent).unwrap();
    let named =
        |bag: &[(&str, u16)]| bag.iter().map(|(term, count)| (term.to_string(), *count)).collect::<Vec<_>>();
    let expected = [
        named(&[("orbit", 1), ("planet", 2), ("star", 1)]),
        vec![],
        vec![],
        vec![],
        named(&[("planet", 1), ("star", 1)]),
    ];
    assert_eq!(bags(&words, 5), expected);
    assert_eq!(words.documents().unwrap(), [1, 2, 2]);
    assert_eq!(words.find("planet").unwrap(), Some(TermId(1)));
    assert_eq!(words.find("moon").unwrap(), None);
    let figures = Figures { texts: 4, documents: 2, terms: 3, page_terms: 5, words: 6 };
    assert_eq!(words.settings().figures, figures);
    words.verify().unwrap();
    assert!(words.bag(PageId(5)).is_err() && words.term(TermId(3)).is_err());
}

#[test]
fn a_term_needs_exactly_as_many_pages_as_are_asked_for() {
    let dir = tempfile::tempdir().unwrap();
    let texts: Vec<String> = (0..10)
        .map(|page| if page < 9 { "seldom seldom often".into() } else { "often".to_owned() })
        .collect();
    let texts: Vec<Option<&str>> = texts.iter().map(|text| Some(text.as_str())).collect();
    let corpus = corpus(&dir, "a", None, &texts);
    let conf = WordsConf::default().stemming(Stemming::None).stop_words(StopWords::None);
    let ten = Words::of(&corpus, &conf.clone(), &mut Silent).unwrap();
    assert_eq!((ten.num_terms(), ten.term(TermId(0)).unwrap()), (1, "often"));
    let nine = Words::of(&corpus, &conf.min_documents(9), &mut Silent).unwrap();
    assert_eq!(nine.num_terms(), 2);
}

#[test]
fn a_wiki_is_read_without_its_markup_in_its_own_language() {
    let dir = tempfile::tempdir().unwrap();
    let site = Site { language: "de".into(), ..Site::default() };
    let text = "'''Häuser''' und [[Gebäude|andere Bauten]] {{Vorlage|Unsinn}}<ref>Quelle</ref>";
    let corpus = corpus(&dir, "a", Some(site), &[Some(text)]);
    let words = Words::of(&corpus, &WordsConf::default().min_documents(1), &mut Silent).unwrap();
    assert_eq!(words.settings().stemmer.as_deref(), Some("German"));
    assert_eq!(bags(&words, 1)[0], [("baut".to_owned(), 1), ("haus".to_owned(), 1)]);
    let english = WordsConf::default().min_documents(1).language("en");
    let words = Words::of(&corpus, &english, &mut Silent).unwrap();
    assert_eq!(words.settings().language, "en");
    assert!(words.find("häuser").unwrap().is_some());
}

#[test]
fn settings_out_of_range_are_refused() {
    let dir = tempfile::tempdir().unwrap();
    let corpus = corpus(&dir, "a", None, &[Some("text")]);
    let refused = |conf: WordsConf| Words::of(&corpus, &conf, &mut Silent).unwrap_err().to_string();
    let conf = WordsConf::default;
    assert_eq!(refused(conf().shortest(0)), "shortest must be from 1 to 50, got 0");
    assert_eq!(refused(conf().shortest(51)), "shortest must be from 1 to 50, got 51");
    assert_eq!(refused(conf().longest(0)), "longest must be from 1 to 1000, got 0");
    assert_eq!(refused(conf().longest(1001)), "longest must be from 1 to 1000, got 1001");
    assert_eq!(refused(conf().min_documents(0)), "min-documents must be from 1 to 2³² − 1, got 0");
    assert!(Words::of(&corpus, &conf().shortest(50).min_documents(1), &mut Silent).is_ok());
}

#[test]
fn other_settings_make_the_file_anew_and_the_same_leave_it() {
    let dir = tempfile::tempdir().unwrap();
    let corpus = corpus(&dir, "a", None, &[Some("planets"), Some("planets abide")]);
    let read = || fs::read(Words::path(&corpus)).unwrap();
    let made = |conf: &WordsConf| Words::of(&corpus, conf, &mut Silent).unwrap().num_terms();
    assert!(matches!(Words::open(&corpus), Err(Error::NotFound { .. })));
    let one = WordsConf::default().min_documents(1);
    assert_eq!(made(&one), 2);
    let first = read();
    let written = fs::metadata(Words::path(&corpus)).unwrap().modified().unwrap();
    assert_eq!(made(&one), 2);
    assert_eq!(fs::metadata(Words::path(&corpus)).unwrap().modified().unwrap(), written);
    assert_eq!(made(&one.clone().min_documents(2)), 1);
    assert_eq!(made(&one.clone().stop_words(StopWords::Own(vec!["abide".into()]))), 1);
    assert_ne!(read(), first);
    assert_eq!(made(&one), 2);
    assert_eq!(read(), first);
    // Nothing else is left in the folder.
    let names =
        fs::read_dir(corpus.path()).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
    assert!(names.into_iter().all(|name| !name.starts_with('.')));
}

#[derive(Default)]
struct Notes(Vec<Note>);

impl Progress for Notes {
    fn note(&mut self, note: Note) {
        self.0.push(note);
    }
}

#[test]
fn where_nothing_can_be_written_the_words_stay_in_memory() {
    let dir = tempfile::tempdir().unwrap();
    let corpus = corpus(&dir, "a", None, &[Some("planets"), None, Some("planets abide")]);
    let conf = WordsConf::default().min_documents(1);
    let kept = bags(&Words::of(&corpus, &conf, &mut Silent).unwrap(), 3);
    fs::remove_file(Words::path(&corpus)).unwrap();
    // Nobody, not even root, can write a file where there is a folder.
    fs::create_dir(corpus.path().join(".words.arrow.writing")).unwrap();
    let mut notes = Notes::default();
    let words = Words::of(&corpus, &conf, &mut notes).unwrap();
    assert_eq!(bags(&words, 3), kept);
    words.verify().unwrap();
    assert!(matches!(notes.0[..], [Note::NotCached { what: Cached::Words, .. }]), "{:?}", notes.0);
    assert!(!Words::path(&corpus).exists());
}

#[test]
fn any_number_of_threads_writes_the_same_bytes() {
    let dir = tempfile::tempdir().unwrap();
    let text = |page: usize| {
        let words = (0..page % 37)
            .map(|word| format!("word{} Wörter{}", (page * 7 + word * word) % 211, word * page % 97));
        (!page.is_multiple_of(11)).then(|| words.collect::<Vec<_>>().join(" "))
    };
    // More pages than a part has, and more than a batch of bags.
    let texts: Vec<Option<String>> = (0..9000).map(text).collect();
    let texts: Vec<Option<&str>> = texts.iter().map(Option::as_deref).collect();
    let corpus = corpus(&dir, "a", None, &texts);
    let made = |threads| {
        let _ = fs::remove_file(Words::path(&corpus));
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| Words::of(&corpus, &WordsConf::default(), &mut Silent).unwrap().verify().unwrap());
        fs::read(Words::path(&corpus)).unwrap()
    };
    let one = made(1);
    assert!(made(2) == one && made(4) == one);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]
    #[test]
    fn bags_are_what_counting_word_by_word_gives(
        texts in proptest::collection::vec(proptest::option::of("([a-cäñ]{2,6}[ .\n]){0,20}"), 1..70), min_documents in 1usize..4
    ) {
        let dir = tempfile::tempdir().unwrap();
        let refs: Vec<Option<&str>> = texts.iter().map(Option::as_deref).collect();
        let corpus = corpus(&dir, "a", None, &refs);
        let conf = WordsConf::default().stemming(Stemming::None).stop_words(StopWords::None);
        let words = Words::of(&corpus, &conf.min_documents(min_documents), &mut Silent).unwrap();
        let counted: Vec<BTreeMap<String, u16>> = texts.iter().map(|text| {
            let mut counts = BTreeMap::new();
            let fits = |word: &&str| (4..=50).contains(&word.chars().count());
            text.iter().flat_map(|text| text.unicode_words()).filter(fits).for_each(|word| *counts.entry(word.to_owned()).or_insert(0) += 1);
            counts
        }).collect();
        let documents = |term: &String| counted.iter().filter(|page| page.contains_key(term)).count();
        let all: BTreeSet<&String> = counted.iter().flat_map(BTreeMap::keys).collect();
        let dictionary: BTreeSet<&String> = all.into_iter().filter(|term| documents(term) >= min_documents).collect();
        prop_assert_eq!(words.num_terms(), dictionary.len());
        for (page, found) in counted.iter().zip(bags(&words, texts.len())) {
            let expected: Vec<_> = page.iter().filter(|(term, _)| dictionary.contains(term)).map(|(t, c)| (t.clone(), *c)).collect();
            prop_assert_eq!(found, expected);
        }
        words.verify().unwrap();
    }
}
