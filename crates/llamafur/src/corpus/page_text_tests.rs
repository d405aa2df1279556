//! Tests of the sentences of links.

use super::*;
use crate::corpus::{CorpusWriter, ListColumn, Provenance, StringColumn};
use crate::storage::Existing;
use crate::text::wikitext::Site;

/// The sentences of the links from the first of four pages, which has this text, to the others.
fn sentences(site: Option<Site>, text: &str) -> [Option<LinkSentence>; 3] {
    let dir = tempfile::tempdir().unwrap();
    let out = dir.path().join("a.corpus");
    let mut writer = CorpusWriter::create(&out, Existing::Refuse).unwrap();
    let titles = StringColumn::from_iter(["A", "Bear", "Fish", "Fox"]);
    let links = ListColumn::from_iter([vec![1, 2, 3], vec![], vec![], vec![]]);
    writer.write_pages(titles, links, (0..4).map(|_| vec![]).collect()).unwrap();
    writer.write_categories(StringColumn::from_iter([""; 0]), ListColumn::from_iter([[]; 0])).unwrap();
    if let Some(site) = site {
        writer.set_site(site);
    }
    let texts = [Some(text.to_owned()), None, None, None];
    writer.write_text(texts.into_iter().map(Ok::<_, Error>)).unwrap();
    writer.finish(Provenance::default()).unwrap();
    let corpus = Corpus::open(&out).unwrap();
    let text = PageText::read(&corpus, PageId(0)).unwrap();
    [1, 2, 3].map(|page| text.link_sentence(PageId(page)).unwrap())
}

const WIKITEXT: &str = "* [[Fish]]\n\nThe '''A''' lives in the woods. It eats [[Bear|bears]] and, \
    when nothing else is to be had there at all, a [[fish]].\n== Life ==\n[[File:x|A [[fox]].]]";

#[test]
fn the_best_link_of_a_wiki_speaks() {
    let [bear, fish, fox] = sentences(Some(Site::default()), WIKITEXT).map(Option::unwrap);
    let text = "It eats bears and, when nothing else is to be had there at all, a fish.";
    assert_eq!((&bear.text[..], &fish.text[..]), (text, text));
    assert_eq!(bear.marked, text.replace("bears", "[[bears]]"));
    assert_eq!(&bear.text[bear.anchor.clone()], "bears");
    assert_eq!(fish.shown, format!("The A lives in the woods. {}", fish.marked));
    assert_eq!((fish.place, fish.num_links, fish.section), (Some(Place::Prose), 2, None));
    assert_eq!(bear.sentence, fish.sentence);
    assert_eq!((fox.place, fox.section.as_deref()), (Some(Place::Caption), Some("Life")));
    assert!(fox.sentence != fish.sentence && fox.shown == "A [[fox]].");
}

#[test]
fn pronouns_are_those_of_english() {
    let german = Site { language: "de".into(), ..Site::default() };
    let [bear, ..] = sentences(Some(german), WIKITEXT).map(Option::unwrap);
    assert_eq!(bear.shown, bear.marked);
}

#[test]
fn a_plain_text_speaks_where_it_names_a_target_first() {
    let text =
        "A lives in the woods. It eats bears and, when nothing else is to be had there at all, fish. Bears.";
    let [bear, fish, fox] = sentences(None, text);
    let (bear, fish) = (bear.unwrap(), fish.unwrap());
    assert_eq!(bear.marked, "It eats bears and, when nothing else is to be had there at all, fish.");
    assert_eq!(bear.shown, format!("A lives in the woods. {}", bear.marked));
    assert_eq!((&bear.text[bear.anchor.clone()], bear.num_links), ("bear", 2));
    assert!(
        bear.sentence == fish.sentence && bear.place.is_none() && bear.section.is_none() && fox.is_none()
    );
}
