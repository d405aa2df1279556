//! Real wikis against what others found in them; skipped where they are not at hand.

use crate::common::{Desk, shared_data};
use crate::dump::{Made, error, import_files};
use llamafur_import::wiki::{Text, WikiConf};
use std::collections::BTreeSet;
use std::fs;
use std::io::Read;
use std::path::Path;

type Pairs = BTreeSet<(String, String)>;

fn import_dump(file: &Path) -> Made {
    import_files(&Desk::new(), WikiConf::new([file]).text(Text::LeaveOut)).unwrap()
}

fn table(file: &Path) -> Pairs {
    let text = fs::read_to_string(file).unwrap();
    text.lines().filter_map(|line| line.split_once('\t')).map(|(a, b)| (a.into(), b.into())).collect()
}

/// The marks of writing direction that the tables keep and titles do not.
fn without_marks(pairs: Pairs) -> Pairs {
    let clean = |name: String| name.replace(['\u{200E}', '\u{200F}'], "");
    pairs.into_iter().map(|(a, b)| (clean(a), clean(b))).collect()
}

/// At most so many thousandths of the expected are missing, and no more are added.
#[track_caller]
fn expect_near(what: &str, found: &Pairs, expected: &Pairs, thousandths: usize) {
    let (missing, added) = (expected.difference(found).count(), found.difference(expected).count());
    let most = expected.len() * thousandths / 1000;
    assert!(
        missing <= most && added <= most,
        "{what}: {missing} missing and {added} added of {}",
        expected.len()
    );
}

#[test]
fn wikispeedia_has_the_links_that_were_published() {
    let Some(dir) = shared_data("wikispeedia") else { return };
    let made = import_dump(&dir.join("wikispeedia-pages-articles.xml.bz2"));
    assert_eq!((made.contents.pages.len(), made.redirects.len()), (4_598, 517));
    let mut published = table(&dir.join("links.tsv"));
    published.retain(|(source, target)| source != target);
    let found = published.intersection(&made.contents.links).count();
    let spurious = made.contents.links.difference(&published).count();
    assert!(found * 10_000 >= published.len() * 9_985, "{found} of {}", published.len());
    assert!(spurious * 10_000 <= published.len() * 5, "{spurious} of {}", published.len());
}

fn expect_as_tables(folder: &str, dump: &str) {
    let Some(dir) = shared_data(folder) else { return };
    let made = import_dump(&dir.join(dump));
    let pages: BTreeSet<String> =
        fs::read_to_string(dir.join("pages.tsv")).unwrap().lines().map(Into::into).collect();
    assert_eq!(made.contents.pages, pages);
    let redirects = table(&dir.join("redirects.tsv"));
    assert_eq!(made.imported.account.redirects.all, redirects.len() as u64);
    let resolved = redirects.iter().filter(|(title, _)| made.redirects.contains_key(title)).count();
    let account = made.imported.account.redirects;
    assert_eq!(resolved as u64, account.followed + account.chained);
    expect_near("links", &made.contents.links, &table(&dir.join("links.tsv")), 5);
    let categories = without_marks(table(&dir.join("categories.tsv")));
    expect_near("categories", &made.contents.categories, &categories, 5);
    let mut tree = without_marks(table(&dir.join("category-tree.tsv")));
    tree.retain(|(child, parent)| child != parent);
    expect_near("tree", &made.contents.parents, &tree, 5);
}

#[test]
fn the_kapampangan_wikipedia_agrees_with_its_tables() {
    expect_as_tables("wiki-pam", "pamwiki-pages-articles.xml.bz2");
}

#[test]
fn the_meadow_mari_wikipedia_agrees_with_its_tables() {
    expect_as_tables("wiki-mhr", "mhrwiki-pages-articles.xml.bz2");
}

#[test]
fn pieces_of_other_dumps_come_in() {
    let Some(dir) = shared_data("dump-fragments") else { return };
    let counts = |file: &Path| {
        let account = import_dump(file).imported.account;
        (account.pages.articles, account.all_pages(), account.pages.bad)
    };
    let english = "enwiki-latest-pages-articles1.xml-p000000010p000030302-shortened.bz2";
    assert_eq!(counts(&dir.join(english)), (106, 206, 0));
    assert_eq!(counts(&dir.join("enwiki-table-markup.xml.bz2")), (5, 5, 0));
    // This one is UTF-16: refused, and fine when it is converted.
    let (desk, file) = (Desk::new(), dir.join("bgwiki-latest-pages-articles-shortened.xml.bz2"));
    assert!(error(&desk, WikiConf::new([&file])).contains("UTF-16 text"));
    let mut bytes = Vec::new();
    llamafur_import::input::open(&file).unwrap().read_to_end(&mut bytes).unwrap();
    let units: Vec<u16> = bytes.chunks_exact(2).map(|two| u16::from_le_bytes([two[0], two[1]])).collect();
    let units = if units[0] == 0xFEFF { units } else { units.iter().map(|unit| unit.swap_bytes()).collect() };
    assert_eq!(counts(&desk.file("bgwiki.xml", String::from_utf16(&units).unwrap())), (1, 3, 0));
}
