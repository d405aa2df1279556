//! Which links are to be predicted: those held out, and those that a later corpus has.
#![allow(clippy::unwrap_used)] // a test that fails shall panic

use llamafur::corpus::{Corpus, CorpusWriter, ListColumn, Provenance, StringColumn};
use llamafur::graph::PageId;
use llamafur::progress::Silent;
use llamafur::storage::Existing;
use llamafur_eval::planted::temporary_folder;
use llamafur_eval::predicted::{HeldOutLinks, Wanted, new_links};
use std::path::Path;

/// A corpus of pages with these titles, in order, the titles that each links to, and titles that redirect.
fn corpus(path: &Path, pages: &[(&str, &[&str])], redirects: &[(&str, &str)]) -> Corpus {
    let id = |title: &str| pages.iter().position(|page| page.0 == title).unwrap() as u32;
    let row = |page: &(&str, &[&str])| page.1.iter().map(|target| id(target)).collect::<Vec<u32>>();
    let mut writer = CorpusWriter::create(path, Existing::Refuse).unwrap();
    let none = vec![Vec::<u32>::new(); pages.len()];
    writer
        .write_pages(
            pages.iter().map(|page| page.0).collect::<StringColumn>(),
            pages.iter().map(row).collect::<ListColumn>(),
            none.into_iter().collect::<ListColumn>(),
        )
        .unwrap();
    writer.write_categories(StringColumn::from_iter([""; 0]), ListColumn::from_iter([[0u32; 0]; 0])).unwrap();
    if !redirects.is_empty() {
        let (titles, targets): (Vec<&str>, Vec<u32>) =
            redirects.iter().map(|(title, target)| (*title, id(target))).unzip();
        writer.write_redirects(titles.into_iter().collect(), targets).unwrap();
    }
    writer.finish(Provenance::default()).unwrap();
    Corpus::open(path).unwrap()
}

fn wanted<const N: usize>(links: [(u32, &[u32]); N]) -> Wanted {
    links.map(|(page, targets)| (PageId(page), targets.iter().copied().map(PageId).collect())).into()
}

#[test]
fn a_later_corpus_has_the_links_to_be_predicted_between_pages_that_both_have() {
    let dir = tempfile::tempdir().unwrap();
    let earlier: [(&str, &[&str]); 4] = [("A", &["B"]), ("B", &[]), ("C", &["A"]), ("D", &["A"])];
    let earlier = corpus(&dir.path().join("old"), &earlier, &[]);
    // C went, E came, A has two links more and a link to E, D lost its link.
    let later: [(&str, &[&str]); 4] = [("A", &["B", "D", "E"]), ("B", &["A"]), ("D", &[]), ("E", &["A"])];
    let later = corpus(&dir.path().join("new"), &later, &[]);
    assert_eq!(new_links(&earlier, &later).unwrap(), wanted([(0, &[3]), (1, &[0])]));
    assert_eq!(new_links(&earlier, &earlier).unwrap(), Wanted::new());
}

#[test]
fn pages_that_were_one_have_the_links_of_both_in_order_and_once() {
    let dir = tempfile::tempdir().unwrap();
    let earlier: [(&str, &[&str]); 4] = [("A", &[]), ("B", &[]), ("C", &[]), ("D", &[])];
    let earlier = corpus(&dir.path().join("old"), &earlier, &[("A (moon)", "A")]);
    let later: [(&str, &[&str]); 5] =
        [("A", &["C", "D"]), ("A (moon)", &["A", "B", "C"]), ("B", &["A (moon)"]), ("C", &[]), ("D", &[])];
    let later = corpus(&dir.path().join("new"), &later, &[]);
    // The link from the moon to A would be one from A to itself.
    assert_eq!(new_links(&earlier, &later).unwrap(), wanted([(0, &[1, 2, 3]), (1, &[0])]));
}

#[test]
fn what_is_held_out_and_what_is_left_are_the_links() {
    let dir = tempfile::tempdir().unwrap();
    let titles: Vec<String> = (0..30).map(|page| format!("Page {page:02}")).collect();
    let rows: Vec<Vec<&str>> = (0..30)
        .map(|page| {
            (0..30)
                .filter(|&target| target != page && (page * 7 + target) % 3 == 0)
                .map(|at| &titles[at][..])
                .collect()
        })
        .collect();
    let pages: Vec<(&str, &[&str])> =
        titles.iter().map(|title| &title[..]).zip(rows.iter().map(|row| &row[..])).collect();
    let corpus = corpus(&dir.path().join("all"), &pages, &[]);
    let held_out = HeldOutLinks::new(&corpus, 0.3, 1, temporary_folder().unwrap(), &mut Silent).unwrap();
    let num: usize = held_out.wanted.values().map(Vec::len).sum();
    assert!((60..120).contains(&num), "{num} of {} held out", corpus.num_links());
    assert_eq!(held_out.copy.corpus().num_links() + num, corpus.num_links());
    // A copy that lacks them is an earlier corpus of the same wiki.
    assert_eq!(new_links(held_out.copy.corpus(), &corpus).unwrap(), held_out.wanted);
}
