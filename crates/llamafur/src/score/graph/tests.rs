//! Comparisons of every scorer with its formula.

use super::in_degree::InDegree;
use super::reciprocity::Reciprocity;
use super::*;
use crate::corpus::{Corpus, CorpusWriter, ListColumn, Provenance, StringColumn};
use crate::graph::{Neighbours, PageId};
use crate::progress::Silent;
use crate::score::{Inputs, Score, ScoreConf, Scorer};
use crate::storage::{Csr, CsrBuf, Existing};
use proptest::collection::{btree_set, vec};
use proptest::prelude::*;
use std::collections::BTreeSet;
use std::sync::Arc;

/// All measures of two pages at once.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Shared {
    common: usize,
    adamic_adar: f64,
    resource_allocation: f64,
    jaccard: f64,
}

fn shared_all(neighbours: &Arc<Neighbours>, source: PageId, targets: &[PageId]) -> Vec<Shared> {
    let of = |scorer: fn(Arc<Neighbours>) -> SharedNeighbours| {
        scorer(neighbours.clone()).expectedness(source, targets).unwrap().into_iter()
    };
    let sums = of(SharedNeighbours::adamic_adar).zip(of(SharedNeighbours::resource_allocation));
    let parts = of(SharedNeighbours::common).zip(of(SharedNeighbours::jaccard));
    let shared = sums.zip(parts).map(|((adamic_adar, resource_allocation), (common, jaccard))| Shared {
        common: common as usize,
        adamic_adar,
        resource_allocation,
        jaccard,
    });
    shared.collect()
}

fn links(rows: &[&[u32]]) -> CsrBuf<PageId> {
    rows.iter().map(|row| row.iter().map(|&page| PageId(page)).collect::<Vec<_>>()).collect()
}

/// Computes Γ of every page.
fn plain_neighbours(links: Csr<'_, PageId>) -> Vec<BTreeSet<usize>> {
    let mut neighbours = vec![BTreeSet::new(); links.num_rows()];
    for (source, row) in links.rows().enumerate() {
        for target in row {
            neighbours[source].insert(target.index());
            neighbours[target.index()].insert(source);
        }
    }
    neighbours
}

fn plainly(neighbours: &[BTreeSet<usize>], source: usize, target: usize) -> Shared {
    let common: Vec<usize> = neighbours[source].intersection(&neighbours[target]).copied().collect();
    let degree = |page: &usize| neighbours[*page].len() as f64;
    let either = neighbours[source].union(&neighbours[target]).count();
    let sum =
        |term: &dyn Fn(f64) -> f64| common.iter().map(|page| term(degree(page))).fold(0.0, |a, b| a + b);
    Shared {
        common: common.len(),
        adamic_adar: sum(&|degree| 1.0 / degree.ln()),
        resource_allocation: sum(&|degree| 1.0 / degree),
        jaccard: if either == 0 { 0.0 } else { common.len() as f64 / either as f64 },
    }
}

fn pages(num: usize) -> Vec<PageId> {
    (0..num as u32).map(PageId).collect()
}

#[test]
fn by_hand() {
    // 0 and 1 share 2 (neighbours 0, 1, 3) and 4 (0, 1): it does not matter which way the links go. 5 has none.
    let links = links(&[&[2, 4], &[2], &[3], &[], &[1], &[]]);
    let neighbours = Arc::new(Neighbours::new(links.view()));
    let shared = shared_all(&neighbours, PageId(0), &[1, 3, 5].map(PageId));
    let expected = 1.0 / 3f64.ln() + 1.0 / 2f64.ln();
    assert_eq!((shared[0].common, shared[0].adamic_adar), (2, expected));
    assert_eq!((shared[0].resource_allocation, shared[0].jaccard), (1.0 / 3.0 + 0.5, 1.0));
    assert_eq!((shared[1].common, shared[1].adamic_adar, shared[1].jaccard), (1, 1.0 / 3f64.ln(), 0.5));
    assert_eq!(shared[2].common, 0);
    assert_eq!(shared_all(&neighbours, PageId(5), &[PageId(5)])[0].jaccard, 0.0);
    let adamic_adar = SharedNeighbours::adamic_adar(neighbours).expectedness(PageId(1), &[PageId(0)]);
    assert_eq!(adamic_adar.unwrap(), [expected]);
}

#[test]
fn few_links_to_the_target_are_unexpected() {
    let links = links(&[&[1, 2], &[2], &[]]);
    let scores = InDegree::new(Arc::new(Neighbours::new(links.view()))).score(PageId(0), &pages(3)).unwrap();
    assert_eq!(scores, [Some(0.0), Some(-(2f64.ln())), Some(-(3f64.ln()))]);
}

/// Runs `check` on a corpus in which Io and Jupiter link to each other, and Io to Saturn.
fn on_a_corpus(check: impl FnOnce(&Corpus)) {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("a.corpus");
    let mut writer = CorpusWriter::create(&path, Existing::Refuse).unwrap();
    let titles = StringColumn::from_iter(["Io", "Jupiter", "Saturn"]);
    let links = ListColumn::from_iter([vec![1, 2], vec![0], vec![]]);
    writer.write_pages(titles, links, ListColumn::from_iter([vec![], vec![], vec![]])).unwrap();
    let no_names: [&str; 0] = [];
    let no_parents: [Vec<u32>; 0] = [];
    writer.write_categories(StringColumn::from_iter(no_names), ListColumn::from_iter(no_parents)).unwrap();
    writer.finish(Provenance::default()).unwrap();
    check(&Corpus::open(&path).unwrap());
}

#[test]
fn a_link_that_is_not_answered_is_unexpected() {
    on_a_corpus(|corpus| {
        let scores = Reciprocity::new(corpus).score(PageId(0), &[PageId(1), PageId(2)]).unwrap();
        assert_eq!(scores, [Some(0.0), Some(1.0)]);
    });
}

#[test]
fn scorers_of_the_same_inputs_share_one_graph() {
    on_a_corpus(|corpus| {
        let inputs = Inputs::new(corpus);
        for name in ["aa", "ra", "cn", "jaccard", "reciprocity", "in-degree"] {
            let scorer = Scorer::parse(name).unwrap().0;
            let scorer = (scorer.open)(&inputs, &ScoreConf::default(), &mut Silent).unwrap();
            assert_eq!(scorer.score(PageId(0), &[PageId(1)]).unwrap().len(), 1, "{name}");
        }
        let [one, two] = [(); 2].map(|()| inputs.neighbours(&mut Silent).unwrap());
        assert!(Arc::ptr_eq(&one, &two));
    });
}

#[test]
fn nothing_in_common_is_zero_and_not_minus_zero() {
    let links = links(&[&[1], &[], &[3], &[]]);
    let neighbours = Arc::new(Neighbours::new(links.view()));
    let scorers: [&dyn Score; 5] = [
        &SharedNeighbours::adamic_adar(neighbours.clone()),
        &SharedNeighbours::resource_allocation(neighbours.clone()),
        &SharedNeighbours::common(neighbours.clone()),
        &SharedNeighbours::jaccard(neighbours.clone()),
        &InDegree::new(neighbours),
    ];
    for scorer in scorers {
        let score = scorer.score(PageId(1), &[PageId(2)]).unwrap()[0].unwrap();
        assert!(score == 0.0 && score.is_sign_positive(), "{}", scorer.name());
    }
}

#[test]
fn links_shared_among_threads_score_as_one_by_one() {
    // Pages 0 and 1 link to all, each other page to some.
    let num = 1_200;
    let row =
        |page: u32| (page + 1..num).filter(move |&other| page < 2 || (page * other) % 97 < 3).map(PageId);
    let links: CsrBuf<PageId> = (0..num).map(row).collect();
    let targets = pages(num as usize);
    let neighbours = Arc::new(Neighbours::new(links.view()));
    let together = shared_all(&neighbours, PageId(0), &targets);
    for (target, shared) in targets.iter().zip(together) {
        assert_eq!(shared_all(&neighbours, PageId(0), &[*target])[0], shared);
    }
}

/// Graphs with a few hubs, and pages with few links otherwise, so that every way of intersecting is used.
fn graphs() -> impl Strategy<Value = CsrBuf<PageId>> {
    vec(btree_set(0u32..120, 0..100), 120).prop_map(|rows| {
        let row = |(row, page): (&BTreeSet<u32>, u32)| {
            let is_kept = |other: u32| other != page && (page < 12 || other % 23 == page % 23);
            row.iter().filter(|&&other| is_kept(other)).map(|&other| PageId(other)).collect::<Vec<_>>()
        };
        rows.iter().zip(0..).map(row).collect()
    })
}

proptest! {
    #[test]
    fn equals_the_formulas(links in graphs()) {
        let plain = plain_neighbours(links.view());
        let targets = pages(120);
        let neighbours = Arc::new(Neighbours::new(links.view()));
        for &source in targets.iter().step_by(5) {
            let expected: Vec<Shared> =
                targets.iter().map(|target| plainly(&plain, source.index(), target.index())).collect();
            prop_assert_eq!(&shared_all(&neighbours, source, &targets), &expected);
            // One target alone is gone about in another way.
            for (target, expected) in targets.iter().zip(expected).step_by(7) {
                prop_assert_eq!(shared_all(&neighbours, source, &[*target])[0], expected);
            }
        }
    }

    #[test]
    fn each_scorer_is_its_part_of_what_is_shared(links in graphs()) {
        let neighbours = Arc::new(Neighbours::new(links.view()));
        type Part = fn(&Shared) -> f64;
        let scorers: [(&dyn Score, Part); 4] = [
            (&SharedNeighbours::adamic_adar(neighbours.clone()), |shared| shared.adamic_adar),
            (&SharedNeighbours::resource_allocation(neighbours.clone()), |shared| shared.resource_allocation),
            (&SharedNeighbours::common(neighbours.clone()), |shared| shared.common as f64),
            (&SharedNeighbours::jaccard(neighbours.clone()), |shared| shared.jaccard),
        ];
        for (source, targets) in (0..).map(PageId).zip(links.view().rows()) {
            for (scorer, part) in &scorers {
                let expected: Vec<_> = shared_all(&neighbours, source, targets).iter().map(|s| Some(0.0 - part(s))).collect();
                prop_assert_eq!(scorer.score(source, targets).unwrap(), expected);
            }
        }
    }
}
