//! A corpus on disk: what is written is read back, what breaks a rule is refused, and pages are found by name.
#![allow(clippy::unwrap_used)]

mod common;

use common::{Contents, cases, found, storied};
use llamafur::categories::Categories;
use llamafur::corpus::{Corpus, CorpusWriter, Found, ListColumn, ListSpool, Provenance, StringColumn};
use llamafur::graph::{CategoryId, MilestoneId, PageId};
use llamafur::learn::{LearnConf, train};
use llamafur::storage::Existing;
use llamafur::words::{Words, WordsConf};
use llamafur::{Engine, EngineConf, Error, Silent, TopConf};
use proptest::prelude::*;
use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

/// Any corpus of up to `pages` pages.
fn contents(pages: usize) -> impl Strategy<Value = Contents> {
    let names = |most: usize| proptest::collection::btree_set("\\PC{0,12}", 0..=most);
    (names(pages), names(6)).prop_flat_map(|(titles, category_names)| {
        let rows = |rows: usize, limit: usize| {
            let most = limit.min(5);
            proptest::collection::vec(proptest::collection::btree_set(0..limit.max(1) as u32, 0..=most), rows)
        };
        let (pages, categories) = (titles.len(), category_names.len());
        let texts = proptest::collection::vec(proptest::option::of("\\PC{0,40}"), pages);
        (
            (Just(titles), Just(category_names)),
            rows(pages, pages),
            rows(pages, categories),
            rows(categories, categories),
            proptest::option::of(texts),
        )
            .prop_map(|((titles, category_names), links, categories, parents, texts)| Contents {
                titles: titles.into_iter().collect(),
                links: without_loops(links),
                categories: categories.into_iter().map(Vec::from_iter).collect(),
                category_names: category_names.into_iter().collect(),
                parents: without_loops(parents),
                texts,
            })
    })
}

fn without_loops(rows: Vec<BTreeSet<u32>>) -> Vec<Vec<u32>> {
    let kept =
        |(row, ids): (usize, BTreeSet<u32>)| ids.into_iter().filter(|&id| id as usize != row).collect();
    rows.into_iter().enumerate().map(kept).collect()
}

proptest! {
    #![proptest_config(cases(48))]

    #[test]
    fn what_is_written_is_read_back(contents in contents(80)) {
        let dir = tempfile::tempdir().unwrap();
        let corpus = contents.corpus(&dir, "a.corpus");
        prop_assert_eq!(&Contents::read(&corpus).unwrap(), &contents);
        corpus.verify().unwrap();

        let graph = Categories::whole_graph(&corpus).unwrap();
        let ids = |row: &[PageId]| row.iter().map(|id| id.0).collect::<Vec<_>>();
        prop_assert_eq!(graph.links.rows().map(ids).collect::<Vec<_>>(), contents.links.clone());
        let ids = |row: &[MilestoneId]| row.iter().map(|id| id.0).collect::<Vec<_>>();
        prop_assert_eq!(graph.categories.rows().map(ids).collect::<Vec<_>>(), contents.categories.clone());

        let counts = corpus.manifest().counts;
        let total = |rows: &[Vec<u32>]| rows.iter().map(|row| row.len() as u64).sum::<u64>();
        prop_assert_eq!(counts.pages, contents.titles.len() as u64);
        prop_assert_eq!(counts.links, total(&contents.links));
        prop_assert_eq!(counts.page_categories, total(&contents.categories));
        prop_assert_eq!(counts.tree_edges, total(&contents.parents));
        prop_assert_eq!(counts.uncategorised, contents.categories.iter().filter(|row| row.is_empty()).count() as u64);
        prop_assert_eq!(counts.texts, contents.texts.iter().flatten().flatten().count() as u64);

        // Every title is found exactly, however it folds, and whatever beyond the last page is an error.
        for (page, title) in contents.titles.iter().enumerate() {
            prop_assert_eq!(corpus.find_page(title).unwrap(), Found::One(PageId(page as u32)));
            let other = format!("{title}_");
            let same = match corpus.find_page(&other).unwrap() {
                Found::One(found) => vec![found],
                Found::Several(found) => found,
                Found::None => vec![],
            };
            prop_assert!(same.contains(&PageId(page as u32)) || contents.titles.contains(&other));
        }
        for (category, name) in contents.category_names.iter().enumerate() {
            prop_assert_eq!(corpus.find_category(name).unwrap(), Found::One(CategoryId(category as u32)));
        }
        let beyond = PageId(contents.titles.len() as u32);
        prop_assert!(corpus.title(beyond).is_err() && corpus.links(beyond).is_err());
        prop_assert!(corpus.categories(beyond).is_err());
    }
}

#[test]
fn a_title_is_found_that_folds_otherwise_when_it_is_folded_twice() {
    let dir = tempfile::tempdir().unwrap();
    let none = || vec![Vec::new()];
    let contents =
        Contents {
            titles: vec!["ẞtraße".into()], links: none(), categories: none(), ..Contents::default()
        };
    assert_eq!(contents.corpus(&dir, "a.corpus").find_page("ẞtraße_").unwrap(), Found::One(PageId(0)));
}

#[test]
fn an_empty_corpus_is_a_corpus() {
    let dir = tempfile::tempdir().unwrap();
    for (name, texts) in [("without", None), ("with", Some(vec![]))] {
        let contents = Contents { texts, ..Contents::default() };
        let corpus = contents.corpus(&dir, name);
        assert_eq!(Contents::read(&corpus).unwrap(), contents);
        assert_eq!((corpus.num_pages(), corpus.num_links(), corpus.num_categories()), (0, 0, 0));
        assert_eq!(corpus.all_links().unwrap().num_rows(), 0);
        assert_eq!(corpus.find_page("Jupiter").unwrap(), Found::None);
        corpus.verify().unwrap();
        assert!(corpus.title(PageId(0)).is_err());
    }
}

#[test]
fn texts_are_read_across_batches() {
    // 100 pages are several batches of texts, the last of them not full.
    let dir = tempfile::tempdir().unwrap();
    let contents = storied(100);
    let corpus = contents.corpus(&dir, "a.corpus");
    let texts = contents.texts.unwrap();
    for page in [99, 0, 31, 32, 33, 63, 64, 96] {
        assert_eq!(corpus.text(PageId(page)).unwrap(), texts[page as usize], "page {page}");
    }
    assert!(texts[33].is_none() && texts[32].is_some());
    assert!(corpus.text(PageId(100)).is_err());
}

#[test]
fn a_corpus_without_texts_has_none() {
    let dir = tempfile::tempdir().unwrap();
    let corpus = Contents { texts: None, ..storied(5) }.corpus(&dir, "a.corpus");
    assert!(!corpus.has_text());
    assert_eq!(corpus.text(PageId(1)).unwrap(), None);
}

#[test]
fn the_same_contents_give_the_same_files() {
    let dir = tempfile::tempdir().unwrap();
    let contents = storied(70);
    let (one, other) = (contents.corpus(&dir, "one"), contents.corpus(&dir, "other"));
    assert_eq!(one.manifest(), other.manifest());
    assert_eq!(files(&dir.path().join("one")), files(&dir.path().join("other")));
    let mut changed = contents.clone();
    changed.links[1].clear();
    let changed = changed.corpus(&dir, "changed");
    assert_ne!(one.manifest().graph_checksum(), changed.manifest().graph_checksum());
    // Texts are no part of the graph.
    let silent = Contents { texts: None, ..contents }.corpus(&dir, "silent");
    assert_eq!(one.manifest().graph_checksum(), silent.manifest().graph_checksum());
}

fn files(folder: &Path) -> Vec<(String, Vec<u8>)> {
    let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap());
    let mut files: Vec<_> = entries
        .map(|entry| (entry.file_name().to_string_lossy().into_owned(), fs::read(entry.path()).unwrap()))
        .collect();
    files.sort();
    files
}

/// The ids of each row.
type Rows<'a> = &'a [&'a [u32]];

fn strings(names: &[&str]) -> StringColumn {
    names.iter().collect()
}

fn lists(rows: Rows<'_>) -> ListColumn {
    rows.iter().map(|row| row.iter().copied()).collect()
}

#[test]
fn what_breaks_a_rule_is_refused_and_leaves_nothing() {
    let two: Rows<'_> = &[&[], &[]];
    let cases: [(&str, &[&str], Rows<'_>, Rows<'_>); 9] = [
        ("names must ascend", &["b", "a"], two, two),
        ("names must ascend", &["a", "a"], two, two),
        ("ids must be below 2", &["a", "b"], &[&[2], &[]], two),
        ("a row must not name itself", &["a", "b"], &[&[], &[1]], two),
        ("ids of a row must ascend", &["a", "b", "c"], &[&[2, 1], &[], &[]], &[&[], &[], &[]]),
        ("ids of a row must ascend", &["a", "b"], &[&[1, 1], &[]], two),
        ("1 rows where there are 2", &["a", "b"], &[&[1]], two),
        ("ids of a row must ascend", &["a", "b"], two, &[&[1, 0], &[]]),
        ("3 rows where there are 2", &["a", "b"], two, &[&[], &[], &[]]),
    ];
    for (rule, titles, links, categories) in cases {
        let dir = tempfile::tempdir().unwrap();
        let mut writer = CorpusWriter::create(&dir.path().join("a"), Existing::Refuse).unwrap();
        let error = writer.write_pages(strings(titles), lists(links), lists(categories)).unwrap_err();
        expect_invalid(error, rule);
        drop(writer);
        assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 0, "{rule}");
    }
}

fn expect_invalid(error: Error, rule: &str) {
    assert!(matches!(error, Error::Invalid { .. }), "{error:?}");
    assert!(error.to_string().contains(rule), "“{error}” does not say “{rule}”");
}

#[test]
fn category_tables_obey_the_same_rules() {
    let dir = tempfile::tempdir().unwrap();
    let mut writer = CorpusWriter::create(&dir.path().join("a"), Existing::Refuse).unwrap();
    let cases: [(&str, &[&str], Rows<'_>); 5] = [
        ("names must ascend", &["b", "a"], &[&[], &[]]),
        ("ids must be below 2", &["a", "b"], &[&[], &[5]]),
        ("a row must not name itself", &["a", "b"], &[&[0], &[]]),
        ("ids of a row must ascend", &["a", "b", "c"], &[&[2, 1], &[], &[]]),
        ("0 rows where there are 1", &["a"], &[]),
    ];
    for (rule, names, parents) in cases {
        expect_invalid(writer.write_categories(strings(names), lists(parents)).unwrap_err(), rule);
    }
}

#[test]
fn a_corpus_is_finished_only_when_its_parts_fit_together() {
    let dir = tempfile::tempdir().unwrap();
    let out = dir.path().join("a");
    let create = || CorpusWriter::create(&out, Existing::Refuse).unwrap();
    let pages = |writer: &mut CorpusWriter| {
        writer.write_pages(strings(&["a", "b"]), lists(&[&[1], &[]]), lists(&[&[0], &[2]])).unwrap();
    };

    expect_invalid(create().finish(Provenance::default()).unwrap_err(), "pages.arrow is missing");
    let mut writer = create();
    pages(&mut writer);
    expect_invalid(writer.finish(Provenance::default()).unwrap_err(), "categories.arrow is missing");
    assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 0);

    let mut writer = create();
    pages(&mut writer);
    writer.write_categories(strings(&["x", "y"]), lists(&[&[], &[]])).unwrap();
    expect_invalid(writer.finish(Provenance::default()).unwrap_err(), "ids must be below 2");
    assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 0);

    for texts in [1, 3] {
        let mut writer = create();
        pages(&mut writer);
        let error = writer.write_text((0..texts).map(|_| Ok::<_, Error>(None))).unwrap_err();
        expect_invalid(error, &format!("{texts} texts where there are 2 pages"));
    }
    assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 0);
}

#[test]
fn a_source_of_texts_that_fails_is_believed() {
    let dir = tempfile::tempdir().unwrap();
    let mut writer = CorpusWriter::create(&dir.path().join("a"), Existing::Refuse).unwrap();
    writer.write_pages(strings(&["a"]), lists(&[&[]]), lists(&[&[]])).unwrap();
    let broken = Error::Invalid { what: "text", rule: "the tape tore".into() };
    expect_invalid(writer.write_text([Err(broken)]).unwrap_err(), "the tape tore");
    drop(writer);
    assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 0);
}

#[test]
fn columns_of_parts_that_do_not_fit_are_refused() {
    for offsets in [vec![], vec![1, 3], vec![0, 2], vec![0, 2, 1, 3], vec![0, 4], vec![0, -1, 3]] {
        assert!(StringColumn::from_parts(offsets.clone(), b"abc".to_vec()).is_err(), "{offsets:?}");
        assert!(ListColumn::from_parts(offsets.clone(), vec![7, 8, 9]).is_err(), "{offsets:?}");
    }
    assert!(StringColumn::from_parts(vec![0, 2], vec![0xC3, 0x28]).is_err());
    // Two bytes of one letter, cut apart.
    assert!(StringColumn::from_parts(vec![0, 1, 2], "é".into()).is_err());
    assert!(StringColumn::from_parts(vec![0, 0, 2], "é".into()).is_ok());
}

#[test]
fn lists_grown_on_disk_are_those_grown_in_memory() {
    let dir = tempfile::tempdir().unwrap();
    let out = dir.path().join("a");
    let mut writer = CorpusWriter::create(&out, Existing::Refuse).unwrap();
    let spooled = |writer: &CorpusWriter, rows: Rows<'_>| {
        let mut spool = ListSpool::create(writer.scratch()).unwrap();
        for row in rows {
            row.iter().for_each(|&id| spool.push(id).unwrap());
            spool.end_row();
        }
        assert_eq!(spool.num_rows(), rows.len());
        spool.finish().unwrap()
    };
    let links = spooled(&writer, &[&[1, 2], &[], &[0]]);
    let categories = spooled(&writer, &[&[], &[0], &[]]);
    writer.write_pages(strings(&["a", "b", "c"]), links, categories).unwrap();
    writer.write_categories(strings(&["x"]), lists(&[&[]])).unwrap();
    writer.finish(Provenance::default()).unwrap();
    let corpus = Corpus::open(&out).unwrap();
    let contents = Contents::read(&corpus).unwrap();
    assert_eq!(contents.links, [vec![1, 2], vec![], vec![0]]);
    assert_eq!(contents.categories, [vec![], vec![0], vec![]]);
    corpus.verify().unwrap();
    assert!(files(&out).iter().all(|(name, _)| name.ends_with(".arrow") || name == "manifest.json"));
}

#[test]
fn a_dropped_writer_leaves_nothing_and_the_old_corpus_as_it_was() {
    let dir = tempfile::tempdir().unwrap();
    let out = dir.path().join("a");
    let old = storied(40);
    old.write(&out, Existing::Refuse).unwrap();
    let before = files(&out);

    assert!(matches!(old.write(&out, Existing::Refuse).unwrap_err(), Error::Place { .. }));
    let mut writer = CorpusWriter::create(&out, Existing::Replace).unwrap();
    writer.write_pages(strings(&["x"]), lists(&[&[]]), lists(&[&[]])).unwrap();
    drop(writer);
    let broken = Contents { titles: vec!["b".into(), "a".into()], ..Contents::titled(["a", "b"]) };
    assert!(broken.write(&out, Existing::Replace).is_err());
    assert_eq!(files(&out), before);
    assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 1);
}

#[test]
fn what_is_made_of_a_replaced_corpus_does_not_come_into_the_new_one() {
    let dir = tempfile::tempdir().unwrap();
    let out = dir.path().join("a");
    storied(40).write(&out, Existing::Refuse).unwrap();
    let old = Corpus::open(&out).unwrap();
    let categories = Categories::all(&old);
    let model = train(&categories, "llamafur", &LearnConf::default().passes(1), &mut Silent).unwrap();
    Contents::titled(["Io", "Jupiter"]).write(&out, Existing::Replace).unwrap();
    let before = files(&out);
    // All that is read of the old corpus is open.
    let error = model.save(&old).unwrap_err();
    assert!(error.to_string().contains("the corpus was replaced meanwhile"), "{error}");
    Words::of(&old, &WordsConf::default(), &mut Silent).unwrap();
    assert_eq!(files(&out), before);
    // The same corpus once more is the same corpus.
    storied(40).write(&out, Existing::Replace).unwrap();
    model.save(&old).unwrap();
    assert!(out.join("models/llamafur.safetensors").exists());
}

#[test]
fn a_replaced_corpus_keeps_nothing_of_the_old_one() {
    let dir = tempfile::tempdir().unwrap();
    let out = dir.path().join("a");
    storied(40).write(&out, Existing::Refuse).unwrap();
    fs::create_dir(out.join("models")).unwrap();
    let model = b"\x22\0\0\0\0\0\0\0{\"__metadata__\":{\"llamafur\":\"...\"}}";
    fs::write(out.join("models/old.safetensors"), model).unwrap();

    let new = Contents::titled(["Io", "Jupiter"]);
    new.write(&out, Existing::Replace).unwrap();
    let corpus = Corpus::open(&out).unwrap();
    corpus.verify().unwrap();
    assert_eq!(Contents::read(&corpus).unwrap(), new);
    let names: Vec<String> = files(&out).into_iter().map(|(name, _)| name).collect();
    assert_eq!(names, ["blocks.arrow", "categories.arrow", "folded.arrow", "manifest.json", "pages.arrow"]);
    assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 1);
}

#[test]
fn what_is_no_corpus_is_called_so() {
    let dir = tempfile::tempdir().unwrap();
    for (name, what) in [("absent", "there is no such folder"), ("", "it has no manifest.json")] {
        let error = Corpus::open(dir.path().join(name)).unwrap_err();
        assert!(matches!(error, Error::NotACorpus { .. }), "{error:?}");
        let message = common::said(&error);
        assert!(message.contains(what) && message.contains("step: Import"), "{message}");
    }
    fs::write(dir.path().join("manifest.json"), r#"{"format": "web app", "version": 1}"#).unwrap();
    assert!(Corpus::open(dir.path()).unwrap_err().to_string().contains("web app"));
}

#[test]
fn pages_are_found_exactly_then_folded_then_similar_ones_are_named() {
    let dir = tempfile::tempdir().unwrap();
    let titles = [
        "IO",
        "Io",
        "Io (moon)",
        "Jupiter",
        "Jupiter (god)",
        "Moons of Jupiter",
        "Saturn",
        "George Clooney",
        "Édouard Manet",
        "Ürümqi",
        "Москва",
        "東京",
        "straße",
    ];
    let corpus = Contents::titled(titles).corpus(&dir, "a.corpus");
    let find = |title: &str| {
        let (how, titles) = found(&corpus, title).unwrap();
        (how, titles.join(", "))
    };
    let one = |title: &str| ("one", title.to_owned());

    // An exact title wins, though another folds to the same.
    assert_eq!(find("Io"), one("Io"));
    assert_eq!(find("IO"), one("IO"));
    assert_eq!(find("io"), ("several", "IO, Io".into()));
    assert_eq!(find("io_(MOON)"), one("Io (moon)"));
    assert_eq!(find("  george__clooney "), one("George Clooney"));
    for (typed, title) in [
        ("édouard manet", "Édouard Manet"),
        ("ÉDOUARD_MANET", "Édouard Manet"),
        ("ürümqi", "Ürümqi"),
        ("МОСКВА", "Москва"),
        ("東京", "東京"),
        ("Straße", "straße"),
    ] {
        assert_eq!(find(typed), one(title));
    }

    // Nothing folds to these: a beginning comes before a typing error.
    let engine = Engine::new(&corpus, EngineConf::default());
    let similar = |title: &str| match engine.page(title) {
        Err(Error::NotNamed { similar, .. }) => similar.join(", "),
        other => panic!("{title}: {other:?}"),
    };
    assert_eq!(similar("Jupitre").split(", ").next(), Some("Jupiter"));
    assert_eq!(similar("Clooney"), "George Clooney");
    assert_eq!(similar("Jupiter (").split(", ").next(), Some("Jupiter (god)"));
    assert_eq!(similar("Масква"), "Москва");
    for nothing in ["Quasimodo", "", "___"] {
        assert_eq!((find(nothing), similar(nothing)), (("none", "".into()), "".into()));
    }
}

#[test]
fn categories_are_found_as_pages_are() {
    let dir = tempfile::tempdir().unwrap();
    let corpus = storied(6).corpus(&dir, "a.corpus");
    assert_eq!(corpus.find_category("Beasts").unwrap(), Found::One(CategoryId(1)));
    assert_eq!(corpus.find_category("ÉLITES").unwrap(), Found::One(CategoryId(4)));
    assert_eq!(corpus.find_category("Beats").unwrap(), Found::None);
    let conf = TopConf::default().from_category("Beats");
    match Engine::new(&corpus, EngineConf::default()).top(&conf, &mut Silent) {
        Err(Error::NotNamed { similar, .. }) => assert_eq!(similar, ["Beasts"]),
        other => panic!("{other:?}"),
    }
}

#[test]
fn an_empty_spool_makes_a_column_of_empty_rows() {
    let dir = tempfile::tempdir().unwrap();
    let mut writer = CorpusWriter::create(&dir.path().join("a.corpus"), Existing::Refuse).unwrap();
    let empty = |writer: &CorpusWriter| {
        let mut spool = ListSpool::create(writer.scratch()).unwrap();
        spool.end_row();
        spool.finish().unwrap()
    };
    let (links, categories) = (empty(&writer), empty(&writer));
    writer.write_pages(StringColumn::from_iter(["Llama"]), links, categories).unwrap();
}
