//! A wiki of English Wikipedia's shape, made page by page: what a page says follows from its number alone.
//!
//! So a dump of any size is written in the memory of some pages, on all threads (`dump.rs`). There are
//!
//! - articles, 7 million at scale 1, in topics of 300 pages, and fields of 40 topics. The length of a text is log-normal
//!   with a median of some 1.7 kB and a mean of 3.7 kB, up to 200 kB;
//! - links in proportion to the length, 29 a page on average: half of them within the topic and a sixth within the
//!   field, most of these to a few pages of it; the rest to pages by their fame, but one in twenty to any page;
//! - as many redirects, to which one link in ten goes; one link in 25 is red;
//! - three categories for every ten articles, in a tree where each has up to eight below it and some have two parents.
//!   A topic has some ninety of its own, of which its pages carry one to three; some carry a hidden one, or that of all
//!   stubs;
//! - words of a Zipf vocabulary, 28 in a hundred those of the topic, eight those of the field, and one or two so rare that
//!   their number grows with the wiki (`text.rs`).

mod dump;
mod text;
pub mod words;

pub use dump::Packing;

use llamafur::learn::sampler::{Generator, Purpose, below, generator, shuffle, unit};
use std::fmt::Write;
use words::{normal, of_topic, push_word, vocabulary, zipf};

/// Articles of English Wikipedia.
const ARTICLES: f64 = 7e6;
/// Categories for ten articles.
const CATEGORIES_OF_TEN: u64 = 3;
/// Pages of a topic, and topics of a field.
const TOPIC: u64 = 300;
const FIELD: u64 = 40;

/// The page of rank r among n is drawn n·uᵞ ≥ r: its links fall as r to the power of 1/γ − 1.
const SKEW: f64 = 2.75;

/// The median length of a text in bytes without what comes last, the standard deviation of its logarithm, and its bounds.
const LENGTH: f64 = 1_500.0;
const SPREAD: f64 = 1.32;
const SHORTEST: f64 = 150.0;
const LONGEST: f64 = 200_000.0;

/// Bytes for each link, on average and of a list; one page in so many is a list.
const BYTES_A_LINK: f64 = 121.0;
const BYTES_A_LINK_OF_LIST: f64 = 50.0;
const ONE_IS_LIST: u64 = 60;
const MOST_LINKS: f64 = 4_000.0;

/// Words that all pages may have, and of those a topic's.
const VOCABULARY: usize = 50_000;

/// The first categories: hidden ones of maintenance, and those of stubs, which are not hidden.
const HIDDEN: u64 = 20;
const MAINTENANCE: u64 = 2 * HIDDEN;
/// How many categories a category has below it.
const BELOW: u64 = 8;
/// Categories near the top that any page may carry.
const GENERAL: usize = 200;

/// A wiki that can be written.
#[derive(Debug)]
pub struct Wiki {
    articles: u64,
    categories: u64,
    topics: u64,
    words: Vec<String>,
}

/// Where a link goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Target {
    Article(u64),
    Redirect(u64),
    Red(u64),
}

impl Wiki {
    /// The wiki of so many times English Wikipedia's size.
    pub fn new(scale: f64) -> Wiki {
        let articles = ((ARTICLES * scale) as u64).max(100);
        let categories = MAINTENANCE + articles * CATEGORIES_OF_TEN / 10;
        Wiki { articles, categories, topics: articles.div_ceil(TOPIC), words: vocabulary(VOCABULARY) }
    }

    /// How many articles there are; of redirects there are as many.
    pub fn num_articles(&self) -> u64 {
        self.articles
    }

    fn topic(&self, article: u64) -> u64 {
        article % self.topics
    }

    /// A page of a topic: the first ones are drawn most often.
    fn of_topic(&self, topic: u64, draw: &mut Generator) -> u64 {
        let pages = (self.articles - topic).div_ceil(self.topics);
        topic + self.topics * (pages as f64 * unit(draw).powf(SKEW)) as u64
    }

    /// Another topic of the same field.
    fn beside(&self, topic: u64, draw: &mut Generator) -> u64 {
        let first = topic / FIELD * FIELD;
        first + below(draw, FIELD.min(self.topics - first))
    }

    /// A page of the whole wiki: the famous ones, which may be about any topic, are drawn most often.
    fn famous(&self, draw: &mut Generator) -> u64 {
        let rank = (self.articles as f64 * unit(draw).powf(SKEW)) as u64;
        // A prime that is larger than any number of articles, so no two ranks are one page.
        (rank * 2_147_483_647 + 12_345) % self.articles
    }

    /// What an article links to, each once, in the order of its text.
    pub(crate) fn links(&self, article: u64, length: f64, draw: &mut Generator) -> Vec<Target> {
        let bytes = if article % ONE_IS_LIST == 7 { BYTES_A_LINK_OF_LIST } else { BYTES_A_LINK };
        let num = (length / bytes * (0.5 * normal(draw) - 0.125).exp()).clamp(1.0, MOST_LINKS);
        // A topic has few pages: what a long page cannot find there is in the field.
        let (topic, within) = (self.topic(article), (75.0 / num).min(0.5));
        let mut targets: Vec<Target> = (0..(1.1 * num).round() as u64)
            .map(|_| {
                let kind = unit(draw);
                let page = if kind < within {
                    self.of_topic(topic, draw)
                } else if kind < 0.66 {
                    self.of_topic(self.beside(topic, draw), draw)
                } else if kind < 0.95 {
                    self.famous(draw)
                } else {
                    below(draw, self.articles)
                };
                match below(draw, 100) {
                    0..10 => Target::Redirect(page),
                    10..14 => Target::Red(below(draw, self.articles)),
                    _ => Target::Article(page),
                }
            })
            .filter(|&target| target != Target::Article(article))
            .collect();
        targets.sort_unstable();
        targets.dedup();
        shuffle(draw, &mut targets);
        targets
    }

    /// Where a redirect leads: mostly to the article of its number, else to a famous one.
    pub(crate) fn redirect(&self, number: u64) -> u64 {
        let draw = &mut generator(2, Purpose::Synth, number);
        if below(draw, 3) > 0 { number } else { self.famous(draw) }
    }

    /// The length of an article's text.
    pub(crate) fn length(&self, draw: &mut Generator) -> f64 {
        (LENGTH * (SPREAD * normal(draw)).exp()).clamp(SHORTEST, LONGEST)
    }

    /// The categories of an article with a text of that length, some of them more than once.
    pub(crate) fn carried(&self, article: u64, length: f64, draw: &mut Generator) -> Vec<u64> {
        let topic = self.topic(article);
        let in_tree = self.categories - MAINTENANCE;
        let of_topic = |topic: u64, draw: &mut Generator| {
            let (from, to) = (in_tree * topic / self.topics, in_tree * (topic + 1) / self.topics);
            MAINTENANCE + from + zipf(draw, (to - from).max(1) as usize) as u64
        };
        let mut carried: Vec<u64> = (0..1 + below(draw, 3))
            .map(|_| match below(draw, 20) {
                0..15 => of_topic(topic, draw),
                15..18 => of_topic(self.beside(topic, draw), draw),
                _ => MAINTENANCE + zipf(draw, GENERAL.min(in_tree as usize)) as u64,
            })
            .collect();
        if below(draw, 4) == 0 {
            carried.push(zipf(draw, HIDDEN as usize) as u64);
        }
        if length < LENGTH / 2.0 {
            carried.push(HIDDEN + topic % HIDDEN);
        }
        carried
    }

    /// The parents of a category.
    pub(crate) fn parents(&self, category: u64) -> Vec<u64> {
        let above = match category {
            0 | MAINTENANCE => return Vec::new(),
            HIDDEN => return vec![MAINTENANCE],
            1..MAINTENANCE => return vec![category / HIDDEN * HIDDEN],
            _ => (category - MAINTENANCE - 1) / BELOW,
        };
        let mut parents = vec![MAINTENANCE + above];
        let draw = &mut generator(3, Purpose::Synth, category);
        if above > 0 && below(draw, 10) < 4 {
            // A cousin's: one before it on the same level or the one above, so that there are no circles.
            parents.push(MAINTENANCE + above - 1 - below(draw, above.min(16)));
        }
        parents
    }

    pub(crate) fn is_hidden(category: u64) -> bool {
        category < HIDDEN
    }

    /// Appends the title of a link's target.
    pub(crate) fn push_title(&self, target: Target, out: &mut String) {
        let number = match target {
            Target::Article(number) => number,
            Target::Redirect(number) => self.articles + number,
            Target::Red(number) => 2 * self.articles + number,
        };
        let start = out.len();
        let (first, second) = two_words(number);
        push_word(first, out);
        out.push(if number % 64 == 9 { '–' } else { ' ' });
        push_word(second, out);
        let topic = number % self.topics;
        // The words of a topic are in the names of its pages.
        let word = &self.words[of_topic(topic as u32, number as usize % 7, self.words.len())];
        match number % 8 {
            0..4 => write!(out, " {word}"),
            4 => write!(out, " ({word})"),
            _ => Ok(()),
        }
        .expect("a string takes all");
        if number % 32 == 7 {
            let plain = out.split_off(start);
            out.extend(plain.chars().map(|letter| match letter {
                'e' => 'é',
                'o' => 'ö',
                letter => letter,
            }));
        }
        capitalise(out, start);
    }

    /// Appends the name of a category.
    pub(crate) fn push_category(&self, category: u64, out: &mut String) {
        let start = out.len();
        let written = match category {
            0..HIDDEN => write!(out, "Articles lacking sources since {}", 2005 + category),
            HIDDEN..MAINTENANCE => write!(out, "Stubs of kind {category}"),
            _ => {
                let (first, second) = two_words(category);
                push_word(first, out);
                out.push_str("s of ");
                push_word(second, out);
                Ok(())
            }
        };
        written.expect("a string takes all");
        capitalise(out, start);
    }
}

/// Two words that no other number below 2³² has.
fn two_words(number: u64) -> (usize, usize) {
    let scattered = (number as u32).wrapping_mul(0x9E37_79B1) as usize;
    (70 + scattered % VOCABULARY, 70 + scattered / VOCABULARY)
}

/// Makes the letter at a place a capital if it is of ASCII.
pub(crate) fn capitalise(text: &mut str, at: usize) {
    if let Some(first) = text.get_mut(at..at + 1) {
        first.make_ascii_uppercase();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use llamafur::corpus::Corpus;
    use llamafur::progress::Silent;
    use llamafur_import::wiki::{WikiConf, import};

    fn dump(packing: Packing, threads: usize) -> Vec<u8> {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        let mut out = Vec::new();
        pool.install(|| Wiki::new(0.0002).write_dump(packing, &mut out)).unwrap();
        out
    }

    #[test]
    fn a_dump_is_the_same_on_any_number_of_threads_and_in_any_packing() {
        let plain = dump(Packing::Plain, 1);
        assert!(plain == dump(Packing::Plain, 3));
        assert!(plain == zstd::decode_all(&dump(Packing::Zstd, 2)[..]).unwrap());
    }

    #[test]
    fn an_import_takes_every_page_and_finds_what_the_links_go_to() {
        let folder = tempfile::tempdir().unwrap();
        let (file, out) = (folder.path().join("dump.xml.zst"), folder.path().join("dump.corpus"));
        std::fs::write(&file, dump(Packing::Zstd, 2)).unwrap();
        let imported = import(&WikiConf::new([file]), &out, &mut Silent).unwrap();
        assert!(imported.warnings.is_empty(), "{:?}", imported.warnings);
        let (account, counts) = (imported.account, imported.manifest.counts);
        assert_eq!((counts.pages, counts.redirects, counts.texts), (1_400, 1_400, 1_400));
        assert_eq!((account.pages.bad, account.pages.uncategorised, account.pages.repeated), (0, 0, 0));
        assert_eq!((account.redirects.broken, account.redirects.looping, account.links.invalid), (0, 0, 0));
        assert_eq!(account.categories.hidden, HIDDEN);
        assert_eq!(counts.categories, HIDDEN + 1_400 * CATEGORIES_OF_TEN / 10);
        let per_page = counts.links as f64 / counts.pages as f64;
        assert!((20.0..35.0).contains(&per_page), "{per_page}");
        let red = account.links.red as f64 / counts.links as f64;
        assert!((0.03..0.06).contains(&red), "{red}");
        let corpus = Corpus::open(&out).unwrap();
        let lengths =
            (0..1_400).map(|page| corpus.stored_text(llamafur::graph::PageId(page)).unwrap().unwrap().len());
        let mut lengths: Vec<usize> = lengths.collect();
        lengths.sort_unstable();
        assert!((1_300..2_200).contains(&lengths[700]), "{}", lengths[700]);
    }

    #[test]
    fn no_two_pages_and_no_two_categories_have_one_name() {
        let wiki = Wiki::new(0.001);
        let pages = (0..wiki.articles).flat_map(|number| {
            [Target::Article(number), Target::Redirect(number), Target::Red(number)].map(|target| {
                let mut title = String::new();
                wiki.push_title(target, &mut title);
                title
            })
        });
        let pages: std::collections::BTreeSet<String> = pages.collect();
        assert_eq!(pages.len() as u64, 3 * wiki.articles);
        assert!(pages.iter().any(|title| !title.is_ascii()));
        for category in 0..wiki.categories {
            // No circles: parents come before, but for the roots of maintenance.
            let is_before = |&parent: &u64| parent < category || category < MAINTENANCE;
            assert!(wiki.parents(category).iter().all(is_before), "{category}");
        }
    }
}
