use super::file::FOLDER;
use super::*;
use crate::Error;
use crate::corpus::{Corpus, CorpusWriter, ListColumn, PageText, Provenance, StringColumn};
use crate::graph::PageId;
use crate::parts::PartSizes;
use crate::progress::{Cached, Note, Progress, Silent, Task};
use crate::storage::{Existing, arrow_file};
use crate::text::wikitext::{ParsedPage, Place, Section, Site, Titles, plain_text};
use crate::words::{Words, WordsConf};
use proptest::prelude::*;
use std::fs;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// Pieces of wikitext about the pages of [`corpus`].
const PIECES: [&str; 16] = [
    "'''Page''' is a [[Fox]]es' den. ",
    "Foxes, a fox and a [[red fox|fox]]. ",
    "\n\n== On [[Bear]]s ==\n",
    "{{Infobox|kind=[[Bear]]}}\n",
    "<ref>In [[Mercury (planet)|Mercury]] and Mercury.</ref> ",
    "\n* [[Fox]] or bear\n",
    "[[File:x.jpg|thumb|A [[Bear|bear]] with mercury]]\n",
    "\n{|\n| [[Fox]] || bears\n|}\n",
    "mercury, MERCURY (planet) and Ärzte; ",
    "[[ärzte]] [[Nobody]] [[Fox|]] ",
    "[[a|b [[Fox]] c]] {{nowrap|[[Bear]] bear}} ",
    "{{x|[[Fox}} ]] [[Bear\n",
    "#REDIRECT [[Fox]]\n",
    "[[Category:Foxes]] [[de:Fuchs]] ''Bear''s. ",
    "Σίσυφος ΟΔΟΣ [[Bear]]’s ",
    "</ref> <nowiki>[[Fox]]</nowiki> <!-- bear --> ",
];

/// Creates pages with these texts, each with links to some of the first five.
fn corpus(dir: &tempfile::TempDir, site: Option<Site>, texts: &[Option<String>]) -> Corpus {
    let out = dir.path().join("a.corpus");
    let mut writer = CorpusWriter::create(&out, Existing::Refuse).unwrap();
    let first = ["Bear", "Fox", "Mercury (planet)", "Nowhere", "Page"].map(str::to_owned);
    let more = (5..texts.len()).map(|page| format!("Page {page:06}"));
    let mut titles: Vec<String> = first.into_iter().chain(more).collect();
    titles.truncate(texts.len());
    let num = titles.len() as u32;
    let links = (0..num).map(|page| {
        let links: &[u32] = match page % 4 {
            0 => &[],
            1 => &[0, 2, 3],
            _ => &[0, 1, 2, 3, 4],
        };
        links.iter().copied().filter(|to| *to < num && *to != page).collect::<Vec<u32>>()
    });
    let links: ListColumn = links.collect();
    let none = titles.iter().map(|_| Vec::new()).collect();
    writer.write_pages(titles.iter().collect::<StringColumn>(), links, none).unwrap();
    writer.write_categories(StringColumn::from_iter([""; 0]), ListColumn::from_iter([[]; 0])).unwrap();
    if let Some(site) = site {
        let redirects = [("Mercury", 2), ("Red fox", 1)].into_iter().filter(|(_, page)| *page < num);
        let (titles, pages): (Vec<&str>, Vec<u32>) = redirects.unzip();
        writer.write_redirects(titles.iter().collect::<StringColumn>(), pages).unwrap();
        writer.set_site(site);
    }
    writer.write_text(texts.iter().map(|text| Ok::<_, Error>(text.clone()))).unwrap();
    writer.finish(Provenance::default()).unwrap();
    Corpus::open(&out).unwrap()
}

fn text(pieces: &[usize]) -> String {
    pieces.iter().map(|piece| PIECES[piece % PIECES.len()]).collect()
}

/// Checks that the places of every link are those in the texts.
fn expect_as_in_texts(corpus: &Corpus, places: &LinkPlaces) {
    for page in (0..corpus.num_pages() as u32).map(PageId) {
        let (links, text) = (corpus.links(page).unwrap(), PageText::read(corpus, page).unwrap());
        let found = places.of(page).unwrap();
        if text.stored().is_none() {
            assert!(found.place.is_empty());
            continue;
        }
        let firsts = match text.wiki().unwrap() {
            Some(wiki) => first_links(wiki, links).unwrap(),
            None => vec![None; links.len()],
        };
        let kept: Vec<Option<FirstLink>> =
            found.place.iter().zip(found.depth).map(|(place, depth)| FirstLink::of(*place, *depth)).collect();
        assert_eq!(kept, firsts, "{page}: {:?}", text.stored());
        let masks = text.wiki().unwrap().map_or(Ok(Vec::new()), |wiki| places_of(wiki, links)).unwrap();
        assert_eq!(found.places, masks, "{page}: {:?}", text.stored());
        for (target, mask) in links.iter().zip(masks) {
            let place = text.link_sentence(*target).unwrap().and_then(|sentence| sentence.place);
            assert_eq!(best(mask), place, "{page}: {:?}", text.stored());
        }
        let outside = text.outside_links().unwrap();
        let counts = mentions(corpus, page, text.wiki().unwrap(), outside, links).unwrap();
        assert_eq!(found.mentions, counts, "{page}: {:?}", text.stored());
    }
}

fn many(num: usize) -> Vec<Option<String>> {
    let of_page =
        |page: usize| (page % 7 != 3).then(|| text(&[page, page / 3, page * 5, page / 16, 1, page * 3]));
    (0..num).map(of_page).collect()
}

#[test]
fn by_hand() {
    let dir = tempfile::tempdir().unwrap();
    let page = "[[Fox]]es eat, says a [[red fox|hunter]]. A fox!\n== More ==\n* [[Bear]]".to_owned();
    let corpus = corpus(&dir, Some(Site::default()), &[None, None, Some(page), None]);
    let places = LinkPlaces::kept_or_made(&corpus, &mut Silent).unwrap();
    let found = places.of(PageId(2)).unwrap();
    // Its links: Bear, Fox, Nowhere.
    assert_eq!(found.mentions, [1, 3, 0]);
    let firsts: Vec<_> = (0..3).map(|at| FirstLink::of(found.place[at], found.depth[at])).collect();
    let first = |link: Option<FirstLink>| link.map(|link| (link.place, link.section));
    assert_eq!(first(firsts[0]), Some((Place::List, Section::Rest)));
    assert_eq!(first(firsts[1]), Some((Place::Prose, Section::Lead)));
    assert!(firsts[1].unwrap().depth == 0.0 && firsts[2].is_none());
    assert!(places.of(PageId(1)).unwrap().place.is_empty() && places.of(PageId(9000)).is_err());
}

#[test]
fn all_places_of_a_target_are_known() {
    let dir = tempfile::tempdir().unwrap();
    let page =
        "It is a [[Fox]] of old.<ref>A [[red fox]]</ref>\n== See also ==\n* [[Fox]]\n* [[Bear]]".to_owned();
    let corpus = corpus(&dir, Some(Site::default()), &[None, None, Some(page), None]);
    let places = LinkPlaces::kept_or_made(&corpus, &mut Silent).unwrap();
    let masks = places.of(PageId(2)).unwrap().places;
    let is_in = |mask: u16, place: Place| mask & (1 << place as u16) != 0;
    let names =
        |mask: u16| Place::ALL.into_iter().filter(|place| is_in(mask, *place)).map(Place::name).collect();
    let found: Vec<Vec<&str>> = masks.iter().map(|mask| names(*mask)).collect();
    assert_eq!(found, [vec!["end-matter"], vec!["prose", "end-matter", "reference"], vec![]]);
    assert_eq!([0, 1, 2].map(|at| best(masks[at])), [Some(Place::EndMatter), Some(Place::Prose), None]);
    assert_eq!([0, 1, 2].map(|at| contains_fact(masks[at])), [false, true, false]);
}

#[test]
fn words_and_places_come_of_one_pass_or_of_two_in_parts_of_any_size() {
    let dir = tempfile::tempdir().unwrap();
    let corpus = corpus(&dir, Some(Site::default()), &many(9000));
    let path = LinkPlaces::path(&corpus);
    let conf = WordsConf::default();
    Words::of(&corpus, &conf, &mut Silent).unwrap();
    let (places, words) = (fs::read(&path).unwrap(), fs::read(Words::path(&corpus)).unwrap());
    expect_as_in_texts(&corpus, &LinkPlaces::kept(&corpus).unwrap());
    // Words alone.
    fs::remove_file(Words::path(&corpus)).unwrap();
    Words::of(&corpus, &conf, &mut Silent).unwrap();
    assert!(fs::read(Words::path(&corpus)).unwrap() == words && fs::read(&path).unwrap() == places);
    // Places alone, from parts that a killed run left behind, one of them damaged.
    fs::remove_file(&path).unwrap();
    struct KilledLate(u64);
    impl Progress for KilledLate {
        fn advance(&mut self, by: u64) {
            self.0 += by;
            assert!(self.0 < 9000, "killed");
        }
    }
    let sizes = PartSizes { least: 1 << 12, most: 1 << 12, kept_from: 0 };
    let mut late = KilledLate(0);
    let run = || LinkPlaces::make(&corpus, sizes, &mut late);
    catch_unwind(AssertUnwindSafe(run)).unwrap_err();
    let part = fs::read_dir(corpus.path().join(FOLDER)).unwrap().next().unwrap().unwrap().path();
    let mut bytes = fs::read(&part).unwrap();
    bytes[700] ^= 1;
    fs::write(&part, bytes).unwrap();
    expect_as_in_texts(&corpus, &LinkPlaces::make(&corpus, sizes, &mut Silent).unwrap());
    assert!(fs::read(&path).unwrap() == places && !corpus.path().join(FOLDER).exists());
}

#[test]
fn a_text_that_is_no_wikitext_has_mentions_alone() {
    let dir = tempfile::tempdir().unwrap();
    let corpus = corpus(&dir, None, &many(200));
    let places = LinkPlaces::kept_or_made(&corpus, &mut Silent).unwrap();
    expect_as_in_texts(&corpus, &places);
    let all = (0..200).map(|page| places.of(PageId(page)).unwrap());
    assert!(all.clone().all(|found| found.place.iter().all(|place| *place == u8::MAX)));
    assert!(all.flat_map(|found| found.mentions).any(|count| *count > 1));
}

#[derive(Default)]
struct Notes(Vec<Note>, Vec<Task>);

impl Progress for Notes {
    fn start(&mut self, task: Task, _: Option<u64>) {
        self.1.push(task);
    }

    fn note(&mut self, note: Note) {
        self.0.push(note);
    }
}

#[test]
fn damaged_and_foreign_places_are_made_again_and_damage_within_is_an_error() {
    let dir = tempfile::tempdir().unwrap();
    let corpus = corpus(&dir, Some(Site::default()), &many(300));
    let path = LinkPlaces::path(&corpus);
    let made = |corpus: &Corpus| {
        let mut notes = Notes::default();
        expect_as_in_texts(corpus, &LinkPlaces::kept_or_made(corpus, &mut notes).unwrap());
        (notes.0, notes.1)
    };
    assert_eq!(made(&corpus), (vec![], vec![Task::LinkPlaces]));
    assert_eq!(made(&corpus), (vec![], vec![]));
    arrow_file::verify(&path).unwrap();
    let whole = fs::read(&path).unwrap();
    fs::write(&path, &whole[..whole.len() / 2]).unwrap();
    assert_eq!(made(&corpus), (vec![Note::Rebuilt { path: path.clone() }], vec![Task::LinkPlaces]));
    assert!(fs::read(&path).unwrap() == whole);
    let mut damaged = whole.clone();
    damaged[whole.len() / 4] ^= 1;
    fs::write(&path, &damaged).unwrap();
    assert!(arrow_file::verify(&path).is_err());
    let error = LinkPlaces::kept(&corpus).unwrap().of(PageId(5)).unwrap_err();
    assert!(format!("{error} {:?}", error.remedy()).contains("remove the file"), "{error}");
    // Nobody can write a file where there is a folder.
    fs::remove_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path.parent().unwrap(), "a file").unwrap();
    let (notes, _) = made(&corpus);
    assert!(matches!(notes[..], [Note::NotCached { what: Cached::LinkPlaces, .. }]), "{notes:?}");
}

#[test]
fn a_corpus_without_texts_has_none() {
    let dir = tempfile::tempdir().unwrap();
    let out = dir.path().join("a.corpus");
    let mut writer = CorpusWriter::create(&out, Existing::Refuse).unwrap();
    let lists = || ListColumn::from_iter([vec![]]);
    writer.write_pages(StringColumn::from_iter(["A"]), lists(), lists()).unwrap();
    writer.write_categories(StringColumn::from_iter([""; 0]), ListColumn::from_iter([[]; 0])).unwrap();
    writer.finish(Provenance::default()).unwrap();
    let Err(error) = LinkPlaces::kept_or_made(&Corpus::open(&out).unwrap(), &mut Silent) else { panic!() };
    assert!(error.is_lack(), "{error}");
}

/// Returns a page as plain text in lower case, parsed again with a mark in the place of each link.
fn outside_links_by_a_second_parse(wikitext: &str, titles: &Titles) -> String {
    let (mut rest, mut at) = (String::new(), 0);
    for link in ParsedPage::new(wikitext, titles).links() {
        rest.push_str(&wikitext[at..link.span.start]);
        rest.push('\u{FFFC}');
        at = link.span.end;
    }
    rest.push_str(&wikitext[at..]);
    plain_text(&rest, titles).to_lowercase()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]
    #[test]
    fn a_page_that_is_well_formed_need_not_be_parsed_again_without_its_links(pieces in proptest::collection::vec(0usize..10, 0..16)) {
        let (page, titles) = (text(&pieces), Titles::new(&Site::default()));
        let parsed = ParsedPage::new(&page, &titles);
        let found = parsed.text_without_links('\u{FFFC}').to_lowercase();
        prop_assert_eq!(found, outside_links_by_a_second_parse(&page, &titles));
        prop_assert_eq!(parsed.plain_text(&titles), plain_text(&page, &titles));
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]
    #[test]
    fn they_are_what_the_texts_say(
        pages in proptest::collection::vec(proptest::option::of(proptest::collection::vec(0usize..16, 0..12)), 1..60)
    ) {
        let dir = tempfile::tempdir().unwrap();
        let texts: Vec<Option<String>> = pages.iter().map(|pieces| pieces.as_deref().map(text)).collect();
        let corpus = corpus(&dir, Some(Site::default()), &texts);
        expect_as_in_texts(&corpus, &LinkPlaces::kept_or_made(&corpus, &mut Silent).unwrap());
    }
}
