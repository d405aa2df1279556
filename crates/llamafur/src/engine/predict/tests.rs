//! Tests that products choose the same pages as scoring all.

use super::best::Best;
use super::products::Products;
use crate::categories::Categories;
use crate::corpus::{Corpus, CorpusWriter, ListColumn, Provenance, StringColumn};
use crate::graph::PageId;
use crate::learn::{LearnConf, train};
use crate::progress::Silent;
use crate::random::{Purpose, below, generator};
use crate::score::{Inputs, LlamaFur, Normalise, Score};
use crate::storage::Existing;

const KEPT: usize = 10;
const PAGES: u32 = 700;
const CATEGORIES: u32 = 40;

/// Pages that link mostly to those of the next category, with one to three categories each; every ninth has none.
fn corpus(folder: &std::path::Path) -> Corpus {
    let path = folder.join("a.corpus");
    let mut writer = CorpusWriter::create(&path, Existing::Refuse).unwrap();
    let carried = |page: u32| -> Vec<u32> {
        let mut draw = generator(1, Purpose::Synth, page.into());
        let num = if page.is_multiple_of(9) { 0 } else { 1 + below(&mut draw, 3) };
        let mut all: Vec<u32> = (0..num).map(|_| below(&mut draw, CATEGORIES.into()) as u32).collect();
        all.sort_unstable();
        all.dedup();
        all
    };
    let links = |page: u32| -> Vec<u32> {
        let mut draw = generator(2, Purpose::Synth, page.into());
        let near = |target: &u32| {
            carried(page)
                .first()
                .zip(carried(*target).first())
                .is_some_and(|(a, b)| (a + 1) % CATEGORIES == *b)
        };
        (0..PAGES).filter(|target| *target != page && (near(target) || below(&mut draw, 200) == 0)).collect()
    };
    let titles: Vec<String> = (0..PAGES).map(|page| format!("Page {page:04}")).collect();
    let names: Vec<String> = (0..CATEGORIES).map(|number| format!("Kind {number:02}")).collect();
    writer
        .write_pages(
            titles.iter().collect::<StringColumn>(),
            (0..PAGES).map(links).collect::<ListColumn>(),
            (0..PAGES).map(carried).collect::<ListColumn>(),
        )
        .unwrap();
    writer
        .write_categories(names.iter().collect(), ListColumn::from_iter(vec![vec![]; names.len()]))
        .unwrap();
    writer.finish(Provenance::default()).unwrap();
    Corpus::open(path).unwrap()
}

fn sorted(mut pages: Vec<PageId>) -> Vec<PageId> {
    pages.sort_unstable();
    pages
}

#[test]
fn products_choose_the_pages_that_scoring_all_does() {
    let dir = tempfile::tempdir().unwrap();
    let corpus = corpus(dir.path());
    // More numbers than directions, so that something is left of every page.
    let conf = LearnConf::default().held_out(0.0).rank(40).ensemble(1);
    train(&Categories::all(&corpus), "llamafur", &conf, &mut Silent).unwrap().save(&corpus).unwrap();
    let inputs = Inputs::new(&corpus);
    let open = || LlamaFur::of_inputs(&inputs, "llamafur", Normalise::Mean, &mut Silent).unwrap();
    let products = Products::new(open(), corpus.num_pages()).unwrap().unwrap();
    let (scorer, all) = (open(), (0..PAGES).map(PageId).collect::<Vec<_>>());
    let best = |page| Best::new(page, corpus.links(page).unwrap(), KEPT);
    let naive = |page: PageId| {
        let mut best = best(page);
        for (&target, score) in all.iter().zip(scorer.score(page, &all).unwrap()) {
            score.into_iter().for_each(|score| best.add(score, target));
        }
        sorted(best.pages())
    };
    // Groups that fill the tiles, that do not, and of one page.
    for pages in [&all[..24], &all[100..117], &all[699..]] {
        let mut found: Vec<Best<'_>> = pages.iter().map(|&page| best(page)).collect();
        products.fill(pages, &mut found).unwrap();
        for (&page, found) in pages.iter().zip(found) {
            assert_eq!(sorted(found.pages()), naive(page), "{page:?}");
        }
    }
    // One without categories expects nothing.
    assert_eq!(naive(PageId(9)), []);
}

#[test]
fn a_dense_matrix_has_no_products() {
    let dir = tempfile::tempdir().unwrap();
    let corpus = corpus(dir.path());
    let conf = LearnConf::default().method(crate::learn::Method::Naive).held_out(0.0);
    train(&Categories::all(&corpus), "naive", &conf, &mut Silent).unwrap().save(&corpus).unwrap();
    let inputs = Inputs::new(&corpus);
    let scorer = LlamaFur::of_inputs(&inputs, "naive", Normalise::Mean, &mut Silent).unwrap();
    assert!(Products::new(scorer, corpus.num_pages()).unwrap().is_none());
}
