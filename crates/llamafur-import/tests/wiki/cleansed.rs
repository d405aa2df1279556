//! Wikis whose categories are cleansed: what their words exclude, and real ones, skipped where they are not at hand.

use crate::common::{Desk, shared_data};
use crate::dump::Dump;
use llamafur::categories::{CleanseConf, Cleanser, Cleansing, Goal};
use llamafur::corpus::Corpus;
use llamafur::graph::CategoryId;
use llamafur::progress::Silent;
use llamafur_import::wiki::{Text, WikiConf, import};
use std::path::Path;

fn corpus(desk: &Desk, dump: &Path) -> Corpus {
    let out = desk.path("a.corpus");
    import(&WikiConf::new([dump]).text(Text::LeaveOut), &out, &mut Silent).unwrap();
    Corpus::open(&out).unwrap()
}

fn most_central<'a>(corpus: &'a Corpus, cleansing: &Cleansing, count: usize) -> Vec<&'a str> {
    let central = cleansing.most_central(count).into_iter();
    central.map(|(number, _)| corpus.category_name(cleansing.milestones()[number.index()]).unwrap()).collect()
}

#[test]
fn a_wikis_housekeeping_is_excluded_by_name_and_still_carries_paths() {
    let desk = Desk::new();
    let dump = Dump::default()
        .page("Poem", "[[Category:Poems]]")
        .page("Box", "[[Category:Boxes]]")
        .category("Arts", "")
        .category("Arts templates", "[[Category:Arts]]")
        .category("Boxes", "[[Category:Navigational boxes]]")
        .category("Categories by art", "[[Category:Arts]]")
        .category("Navigational boxes", "[[Category:WikiProject art]]")
        .category("Poems", "[[Category:Categories by art]]");
    let corpus = corpus(&desk, &desk.file("dump.xml", dump.xml()));
    let cleanser = Cleanser::new(&corpus, None, &mut Silent).unwrap();
    let cleansing = cleanser.cleanse(&CleanseConf::default().goal(Goal::Count(1))).unwrap();
    assert_eq!(most_central(&corpus, &cleansing, 1), ["Arts"]);
    assert_eq!(cleansing.settings().figures.excluded, 4);
    let levels = |name| {
        let llamafur::corpus::Found::One(category) = corpus.find_category(name).unwrap() else {
            panic!("{name}")
        };
        cleansing.milestone(category).map(|(_, levels)| levels)
    };
    assert_eq!((levels("Poems"), levels("Boxes")), (Some(2), None));
}

/// H by one plain search from every category.
fn plain_harmonic(corpus: &Corpus) -> Vec<f64> {
    let n = corpus.num_categories();
    let mut sums = vec![0.0; n];
    for start in 0..n as u32 {
        let (mut seen, mut level, mut distance) = (vec![false; n], vec![start], 0.0);
        seen[start as usize] = true;
        while !level.is_empty() {
            if distance > 0.0 {
                level.iter().for_each(|&category| sums[category as usize] += 1.0 / distance);
            }
            let mut next = Vec::new();
            for category in level {
                for parent in corpus.parents(CategoryId(category)).unwrap() {
                    if !std::mem::replace(&mut seen[parent.index()], true) {
                        next.push(parent.0);
                    }
                }
            }
            (level, distance) = (next, distance + 1.0);
        }
    }
    sums
}

/// The most central milestones of a real wiki, whose centralities must be those of plain searches.
fn expect_most_central(folder: &str, dump: &str, expected: &[&str]) {
    let Some(dir) = shared_data(folder) else { return };
    let desk = Desk::new();
    let corpus = corpus(&desk, &dir.join(dump));
    let cleanser = Cleanser::new(&corpus, None, &mut Silent).unwrap();
    for (category, (found, plain)) in cleanser.centrality().iter().zip(plain_harmonic(&corpus)).enumerate() {
        assert!((found - plain).abs() <= 1e-9 * plain, "category {category}: {found}, expected {plain}");
    }
    let cleansing = cleanser.cleanse(&CleanseConf::default().goal(Goal::Count(500))).unwrap();
    assert_eq!(most_central(&corpus, &cleansing, expected.len()), expected);
}

#[test]
fn science_and_society_are_central_in_meadow_mari() {
    let expected = ["Чыла", "Лаштык-влак", "Шанче", "Мер", "Европысо эл-влак"];
    expect_most_central("wiki-mhr", "mhrwiki-pages-articles.xml.bz2", &expected);
}

#[test]
fn peoples_and_nations_are_central_in_kapampangan() {
    let expected = ["Pun Paksa", "Categoria agpang keng bangsa", "Aguman", "Categoria", "Deng Bangsa"];
    expect_most_central("wiki-pam", "pamwiki-pages-articles.xml.bz2", &expected);
}

#[test]
fn wikispeedias_pages_have_two_and_a_half_categories_with_ancestors() {
    let Some(dir) = shared_data("wikispeedia") else { return };
    let desk = Desk::new();
    let corpus = corpus(&desk, &dir.join("wikispeedia-pages-articles.xml.bz2"));
    let cleanser = Cleanser::new(&corpus, None, &mut Silent).unwrap();
    let cleansing = cleanser.cleanse(&CleanseConf::default().ancestors(3)).unwrap();
    assert_eq!(most_central(&corpus, &cleansing, 3), ["Subjects", "People", "Geography"]);
    let figures = cleansing.settings().figures;
    assert_eq!((figures.milestones, figures.used, figures.left_without()), (146, 145, 0));
    let mean = figures.page_milestones as f64 / figures.pages as f64;
    assert!((mean - 2.5).abs() < 0.005, "{mean} a page");
}
