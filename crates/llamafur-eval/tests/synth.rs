//! Corpora from a known model are what was asked for.
#![allow(clippy::unwrap_used)] // a test that fails shall panic

use llamafur::categories::Categories;
use llamafur::corpus::{Corpus, CorpusWriter, ListColumn, Provenance, StringColumn};
use llamafur::graph::{CategoryId, Graph, PageId};
use llamafur::learn::sampler::NonLinks;
use llamafur::progress::Silent;
use llamafur::storage::Existing;
use llamafur::{Remedy, Step};
use llamafur_eval::synth::{SynthConf, Truth, TruthKind, synth};
use std::fs;
use std::path::Path;
use tempfile::TempDir;

/// A corpus in a folder that is gone with it.
struct Made {
    corpus: Corpus,
    _folder: TempDir,
}

fn made(conf: &SynthConf) -> Made {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("made.corpus");
    synth(conf, &out, Existing::Refuse, &mut Silent).unwrap();
    Made { corpus: Corpus::open(&out).unwrap(), _folder: folder }
}

fn small() -> SynthConf {
    SynthConf::default().pages(3_000).links(60_000).categories(60)
}

fn full_rank() -> SynthConf {
    small().kind(TruthKind::FullRank)
}

fn mean(numbers: impl Iterator<Item = f64>) -> f64 {
    let (sum, num) = numbers.fold((0.0, 0u32), |(sum, num), number| (sum + number, num + 1));
    sum / f64::from(num)
}

fn links<'a>(graph: &Graph<'a>) -> impl Iterator<Item = (PageId, PageId)> + use<'a> {
    let graph = *graph;
    graph.pages().flat_map(move |page| graph.links(page).iter().map(move |&target| (page, target)))
}

#[test]
fn totals_are_exact_and_the_corpus_is_sound() {
    let confs = [
        small(),
        full_rank().planted(0),
        small().links(123).planted(123),
        SynthConf::default().pages(2).links(1).categories(2),
        SynthConf::default().pages(2).links(1).categories(2).planted(1),
        SynthConf::default().pages(40).links(390).categories(3).categories_per_page(3.0).planted(40),
        full_rank().pages(40).links(390).categories(2).planted(40),
        // More chunks than one is written at a time, and hardly a link.
        SynthConf::default().pages(70_000).links(5).categories(10).planted(5),
    ];
    for conf in confs {
        let Made { corpus, _folder } = made(&conf);
        corpus.verify().unwrap();
        let found = &corpus.manifest().provenance.options;
        let expected = [corpus.num_pages(), corpus.num_links(), corpus.num_categories()];
        assert_eq!(
            expected.map(|n| n.to_string()),
            ["pages", "links", "categories"].map(|n| found[n].clone())
        );
        let graph = Categories::whole_graph(&corpus).unwrap();
        assert!(graph.pages().all(|page| graph.links(page).binary_search(&page).is_err()));
        let truth = Truth::of(&corpus).unwrap();
        let planted = truth.planted(&graph);
        assert_eq!(planted.len(), conf.num_planted());
        assert!(planted.is_sorted_by(|a, b| a.0 < b.0), "at most one a page");
        assert!(planted.iter().all(|(source, target)| graph.links(*source).contains(target)));
        assert_eq!(truth.conf().num_planted(), conf.num_planted());
    }
}

#[test]
fn names_ascend_with_their_numbers() {
    let Made { corpus, _folder } = made(&small());
    assert_eq!(corpus.title(PageId(123)).unwrap(), "Page 0000123");
    assert_eq!(corpus.category_name(CategoryId(42)).unwrap(), "Category 00042");
    assert!(corpus.category_tree().unwrap().num_values() >= 50);
}

fn bytes(folder: &Path) -> Vec<(String, Vec<u8>)> {
    let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap());
    let mut files: Vec<(String, Vec<u8>)> = entries
        .map(|entry| (entry.file_name().into_string().unwrap(), fs::read(entry.path()).unwrap()))
        .collect();
    files.sort();
    files
}

#[test]
fn threads_do_not_change_a_byte_and_seeds_do() {
    let on = |threads: usize, conf: &SynthConf| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| bytes(made(conf).corpus.path()))
    };
    for conf in [small(), full_rank()] {
        let one = on(1, &conf);
        assert!(on(2, &conf) == one && on(3, &conf) == one);
        let other = on(2, &conf.clone().seed(2));
        let pages = |files: &[(String, Vec<u8>)]| {
            files.iter().find(|(name, _)| name == "pages.arrow").unwrap().1.clone()
        };
        assert_ne!(pages(&other), pages(&one));
    }
    assert_ne!(on(1, &small()), on(1, &full_rank()));
}

#[test]
fn links_are_expected_and_planted_links_are_not() {
    for conf in [small(), full_rank()] {
        let Made { corpus, _folder } = made(&conf);
        let (graph, truth) = (Categories::whole_graph(&corpus).unwrap(), Truth::of(&corpus).unwrap());
        let e = |(source, target): (PageId, PageId)| {
            truth.expectedness(graph.categories(source), graph.categories(target))
        };
        let of_links = mean(links(&graph).map(e));
        let random = |page| NonLinks::new(&graph, page, 1, 0).take(20).map(move |target| (page, target));
        let mut of_others: Vec<f64> = graph.pages().flat_map(random).map(e).collect();
        assert!(of_links > mean(of_others.iter().copied()) + 0.8, "{of_links}");
        of_others.sort_unstable_by(f64::total_cmp);
        let lowest_tenth = of_others[of_others.len() / 10];
        let planted = truth.planted(&graph);
        let low = planted.iter().filter(|link| e(**link) <= lowest_tenth + 0.1).count();
        assert!(low * 20 >= planted.len() * 19, "{low} of {}", planted.len());
    }
}

#[test]
fn proposals_are_accepted_often_enough() {
    for conf in [SynthConf::default(), SynthConf::default().kind(TruthKind::FullRank)] {
        let Made { corpus, _folder } = made(&conf);
        let account = &corpus.manifest().provenance.account;
        let accepted = 240_000.0 / account["proposed"] as f64;
        assert!((0.1..0.3).contains(&accepted), "{accepted}");
        assert!(account["chosen"] < 240, "{}", account["chosen"]);
    }
}

/// The share of the total that the largest hundredth has.
fn top_share(mut counts: Vec<u64>) -> f64 {
    counts.sort_unstable_by(|a, b| b.cmp(a));
    let top: u64 = counts[..counts.len() / 100].iter().sum();
    top as f64 / counts.iter().sum::<u64>() as f64
}

#[test]
fn degrees_and_categories_have_heavy_tails() {
    let Made { corpus, _folder } = made(&SynthConf::default());
    let graph = Categories::whole_graph(&corpus).unwrap();
    let (mut into, mut carried) = (vec![0; graph.num_pages()], vec![0; graph.num_categories]);
    graph.links.values().iter().for_each(|target| into[target.index()] += 1);
    graph.categories.values().iter().for_each(|category| carried[category.index()] += 1);
    let out = top_share(graph.links.rows().map(|row| row.len() as u64).collect());
    // An even spread would give each 0.01.
    assert!(out > 0.08, "{out}");
    assert!(top_share(into.clone()) > 0.1, "{}", top_share(into));
    assert!(top_share(carried.clone()) > 0.12, "{}", top_share(carried));
    let per_page = graph.categories.num_values() as f64 / graph.num_pages() as f64;
    assert!((per_page - 4.0).abs() < 0.1, "{per_page}");
}

#[test]
fn what_cannot_be_made_leaves_nothing_behind() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("made.corpus");
    let refused =
        |conf: &SynthConf| synth(conf, &out, Existing::Refuse, &mut Silent).unwrap_err().to_string();
    assert_eq!(refused(&small().pages(1)), "pages must be 2 or more, got 1");
    assert!(refused(&small().links(3_000 * 2_999)).starts_with("links must be between 1 and 2249250 "));
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
    synth(&small(), &out, Existing::Refuse, &mut Silent).unwrap();
    assert!(refused(&small()).contains("made.corpus"));
    synth(&small().seed(5), &out, Existing::Replace, &mut Silent).unwrap();
    assert_eq!(Truth::of(&Corpus::open(&out).unwrap()).unwrap().conf().num_planted(), 60);
}

#[test]
fn only_synthetic_corpora_have_a_truth() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, provenance: Provenance| {
        let mut writer = CorpusWriter::create(&folder.path().join(name), Existing::Refuse).unwrap();
        let lists = || ListColumn::from_iter([vec![], vec![]]);
        writer.write_pages(StringColumn::from_iter(["a", "b"]), lists(), lists()).unwrap();
        writer.write_categories(StringColumn::from_iter(["c", "d"]), lists()).unwrap();
        writer.finish(provenance).unwrap();
        let error = Truth::of(&Corpus::open(folder.path().join(name)).unwrap()).unwrap_err();
        (error.to_string(), error.remedy().unwrap())
    };
    let (foreign, remedy) =
        write("foreign", Provenance { command: "import table".into(), ..Provenance::default() });
    assert!(foreign.contains("made by “import table”"), "{foreign}");
    assert_eq!(remedy, Remedy::run(Step::Synth));
    let options = [("model".to_owned(), "99".to_owned())].into();
    let (newer, remedy) =
        write("newer", Provenance { command: "synth".into(), options, ..Provenance::default() });
    assert!(newer.contains("model “99”"), "{newer}");
    assert!(matches!(remedy, Remedy::Either { .. }));
}
