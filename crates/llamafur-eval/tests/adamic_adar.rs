//! Our Adamic–Adar is NetworKit's, on a made-up graph with hubs and on a real one.
//!
//! It needs Python with `requirements.txt` beside this file; `LLAMAFUR_PYTHON` says where, and `make test` sets it. The
//! real graph is Wikispeedia's, where `../shared/data` has it.
#![allow(clippy::unwrap_used)] // a test that fails shall panic

use llamafur::graph::Neighbours;
use llamafur::graph::PageId;
use llamafur::learn::sampler::{Purpose, below, generator};
use llamafur::score::SharedNeighbours;
use llamafur::storage::CsrBuf;
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};
use std::fs::{File, read_to_string};
use std::io::Write;
use std::path::Path;
use std::process::Command;
use std::sync::Arc;

#[derive(Serialize)]
struct Given {
    num_pages: u32,
    links: BTreeSet<(u32, u32)>,
    /// Some of the links, and pairs that mostly are none.
    pairs: Vec<(u32, u32)>,
}

impl Given {
    fn new(num_pages: u32, links: BTreeSet<(u32, u32)>) -> Given {
        let mut draw = generator(1, Purpose::Synth, 0);
        let mut page = || below(&mut draw, num_pages.into()) as u32;
        let others: Vec<(u32, u32)> = (0..5_000).map(|_| (page(), page())).collect();
        // More would take it long: for every pair it sorts both lists.
        let some = links.iter().step_by(links.len() / 15_000).copied();
        let pairs = some.chain(others).filter(|(source, target)| source != target).collect();
        Given { num_pages, links, pairs }
    }

    /// Ours; the pairs of a page together.
    fn ours(&self) -> Vec<f64> {
        let row = |page| self.links.range((page, 0)..=(page, u32::MAX)).map(|&(_, target)| PageId(target));
        let links: CsrBuf<PageId> = (0..self.num_pages).map(row).collect();
        let scorer = SharedNeighbours::adamic_adar(Arc::new(Neighbours::new(links.view())));
        let of_page = |pairs: &[(u32, u32)]| {
            let targets: Vec<PageId> = pairs.iter().map(|&(_, target)| PageId(target)).collect();
            scorer.expectedness(PageId(pairs[0].0), &targets).unwrap()
        };
        self.pairs.chunk_by(|one, two| one.0 == two.0).flat_map(of_page).collect()
    }

    fn theirs(&self, python: &str) -> Vec<f64> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("graph.json");
        serde_json::to_writer(File::create(&path).unwrap(), self).unwrap();
        let script = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/adamic_adar.py");
        let output = Command::new(python).arg(script).arg(&path).output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        serde_json::from_slice(&output.stdout).unwrap()
    }
}

/// 3,000 pages, of which the first few have many links.
fn made_up() -> Given {
    let mut draw = generator(2, Purpose::Synth, 0);
    let mut page = |most: u64| below(&mut draw, most) as u32;
    let mut links: BTreeSet<(u32, u32)> = (0..20_000).map(|_| (page(3_000), page(3_000))).collect();
    for hub in 0..6 {
        links.extend((0..1_500).flat_map(|_| [(hub, page(3_000)), (page(3_000), hub)]));
    }
    links.retain(|(source, target)| source != target);
    Given::new(3_000, links)
}

fn wikispeedia() -> Option<Given> {
    let path = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/data/wikispeedia/links.tsv"));
    let Ok(text) = read_to_string(path) else {
        skipped("../shared/data has no Wikispeedia");
        return None;
    };
    let links: Vec<(&str, &str)> = text.lines().filter_map(|line| line.split_once('\t')).collect();
    let titles: BTreeSet<&str> = links.iter().flat_map(|&(source, target)| [source, target]).collect();
    let pages: BTreeMap<&str, u32> = titles.into_iter().zip(0..).collect();
    let links = links.iter().map(|(source, target)| (pages[source], pages[target]));
    Some(Given::new(pages.len() as u32, links.filter(|(source, target)| source != target).collect()))
}

fn skipped(why: &str) {
    let _ = writeln!(std::io::stderr(), "skipped: {why}");
}

#[test]
fn adamic_adar_is_that_of_networkit() {
    let Some(python) = std::env::var("LLAMAFUR_PYTHON").ok().filter(|python| !python.is_empty()) else {
        return skipped("LLAMAFUR_PYTHON is not set; `make test` sets it");
    };
    for given in [Some(made_up()), wikispeedia()].into_iter().flatten() {
        let (ours, theirs) = (given.ours(), given.theirs(&python));
        assert_eq!((ours.len(), theirs.len()), (given.pairs.len(), given.pairs.len()));
        assert!(ours.iter().filter(|&&value| value > 0.0).count() > 10_000, "pages that share neighbours");
        for (pair, (ours, theirs)) in given.pairs.iter().zip(ours.into_iter().zip(theirs)) {
            assert!((ours - theirs).abs() < 1e-9, "{pair:?}: {ours} is not {theirs}");
        }
    }
}
