//! The graph as a wiki: titles, categories and wikitext.
//!
//! Words are of a Zipf vocabulary, where the word of rank r is drawn in proportion to 1/r; three in ten are those of the
//! page's topic. A page has some 200 words and 8 more for each link, all of its links in an infobox, in prose and in
//! lists, and one link in ten is named again without brackets. Categories are drawn likewise, most of them by topic.

use super::{AnyError, Wiki};
use crate::wiki::words::{of_topic, word, zipf};
use llamafur::Error;
use llamafur::corpus::{Corpus, CorpusWriter, ListColumn, Provenance, StringColumn};
use llamafur::learn::sampler::{Generator, Purpose, below, generator, shuffle, unit};
use llamafur::storage::Existing;
use llamafur::text::wikitext::Site;
use rayon::prelude::*;
use std::collections::BTreeSet;
use std::fmt::Write;
use std::path::Path;

/// The most different words, and those that a topic has for its own.
const WORDS: usize = 50_000;
const WORDS_OF_TOPIC: usize = 400;

/// The most categories, and those that a topic has for its own.
const CATEGORIES: usize = 4_000;
const CATEGORIES_OF_TOPIC: usize = 6;

/// The part of words, and of categories, that are the topic's.
const WORDS_BY_TOPIC: f64 = 0.3;
const CATEGORIES_BY_TOPIC: f64 = 0.7;

/// Words of a page, and more of them for each link.
const WORDS_A_PAGE: usize = 200;
const WORDS_A_LINK: usize = 8;

/// Pages whose texts are made at a time.
const AT_A_TIME: usize = 1 << 13;

/// The corpus in a folder, written unless it is there.
///
/// # Errors
/// If there is one of another size, or it cannot be written.
pub fn corpus(folder: &Path, wiki: &Wiki) -> Result<Corpus, AnyError> {
    let path = folder.join("ranking.corpus");
    if path.exists() {
        let corpus = Corpus::open(&path)?;
        let counts = corpus.manifest().counts;
        let sizes = (wiki.topics.len() as u64, wiki.links.view().num_values() as u64);
        if (counts.pages, counts.links) != sizes {
            return Err(format!("{}: a corpus of another size; remove it", path.display()).into());
        }
        return Ok(corpus);
    }
    write(&path, wiki)?;
    Ok(Corpus::open(&path)?)
}

fn write(path: &Path, wiki: &Wiki) -> Result<(), Error> {
    let (links, num_pages) = (wiki.links.view(), wiki.topics.len());
    let names = Names::new(num_pages);
    let mut writer = CorpusWriter::create(path, Existing::Refuse)?;
    let carried: Vec<Vec<u32>> =
        (0..num_pages).into_par_iter().map(|page| names.categories(page, wiki.topics[page])).collect();
    writer.write_pages(
        names.titles.iter().collect::<StringColumn>(),
        links.rows().map(|row| row.iter().map(|page| page.0)).collect::<ListColumn>(),
        carried.iter().map(|row| row.iter().copied()).collect::<ListColumn>(),
    )?;
    let no_parents = vec![vec![]; names.categories.len()];
    writer.write_categories(names.categories.iter().collect(), ListColumn::from_iter(no_parents))?;
    writer.set_site(Site::default());
    let text = |page: usize| {
        let linked: Vec<usize> = links.row(page).iter().map(|target| target.index()).collect();
        Ok(Some(Page::new(&names, page, wiki.topics[page]).text(linked, &carried[page])))
    };
    let texts = (0..num_pages).step_by(AT_A_TIME).flat_map(|start| {
        let pages = start..(start + AT_A_TIME).min(num_pages);
        pages.into_par_iter().map(text).collect::<Vec<Result<_, Error>>>()
    });
    writer.write_text(texts)?;
    writer.finish(Provenance::default())?;
    Ok(())
}

/// What words, pages and categories are called.
struct Names {
    words: Vec<String>,
    titles: Vec<String>,
    categories: Vec<String>,
}

impl Names {
    fn new(num_pages: usize) -> Names {
        let words: Vec<String> = (0..WORDS.min(num_pages.max(1_000))).map(word).collect();
        let categories = (0..CATEGORIES.min(num_pages)).map(|number| format!("Kind {number:04}")).collect();
        let mut draw = generator(4, Purpose::Synth, 0);
        let mut titles = BTreeSet::new();
        while titles.len() < num_pages {
            // Names are rarer words than prose has.
            let mut title = String::new();
            for _ in 0..2 + below(&mut draw, 2) {
                let word = &words[below(&mut draw, words.len() as u64) as usize];
                let gap = if title.is_empty() { "" } else { " " };
                write!(title, "{gap}{word}").expect("a string takes all");
            }
            if unit(&mut draw) < 0.1 {
                write!(title, " ({})", words[zipf(&mut draw, words.len())]).expect("a string takes all");
            }
            titles.insert(title[..1].to_uppercase() + &title[1..]);
        }
        Names { words, titles: titles.into_iter().collect(), categories }
    }

    /// One to six categories of a page, ascending.
    fn categories(&self, page: usize, topic: u32) -> Vec<u32> {
        let (mut draw, num) = (generator(5, Purpose::Synth, page as u64), self.categories.len());
        let mut categories: Vec<u32> = (0..1 + below(&mut draw, 6))
            .map(|_| {
                if unit(&mut draw) < CATEGORIES_BY_TOPIC {
                    of_topic(topic, zipf(&mut draw, CATEGORIES_OF_TOPIC), num) as u32
                } else {
                    zipf(&mut draw, num) as u32
                }
            })
            .collect();
        categories.sort_unstable();
        categories.dedup();
        categories
    }
}

/// A page being written.
struct Page<'n> {
    names: &'n Names,
    topic: u32,
    draw: Generator,
    text: String,
}

impl Page<'_> {
    fn new(names: &Names, page: usize, topic: u32) -> Page<'_> {
        Page { names, topic, draw: generator(7, Purpose::Synth, page as u64), text: String::new() }
    }

    /// The wikitext: infobox, lead, sections of prose, lists.
    fn text(mut self, mut links: Vec<usize>, categories: &[u32]) -> String {
        shuffle(&mut self.draw, &mut links);
        let (boxed, rest) = links.split_at(links.len().min(3));
        let (lead, rest) = rest.split_at(rest.len().min(6));
        let (prose, listed) = rest.split_at((rest.len() / 2).min(120));
        self.text.push_str("{{Infobox\n");
        for &link in boxed {
            self.text.push_str("| ");
            self.words(1);
            self.text.push_str("= ");
            self.link(link);
            self.text.push('\n');
        }
        self.text.push_str("}}\n");
        self.prose(lead, WORDS_A_PAGE / 4);
        for links in prose.chunks(12).chain([&[][..]; 2]) {
            self.text.push_str("\n== ");
            self.words(2);
            self.text.push_str("==\n");
            self.prose(links, WORDS_A_PAGE / 4);
        }
        for links in listed.chunks(40) {
            self.text.push_str("\n== ");
            self.words(2);
            self.text.push_str("==\n");
            for &link in links {
                self.text.push_str("* ");
                self.link(link);
                self.words(WORDS_A_LINK);
                self.text.push('\n');
            }
        }
        for &category in categories {
            let name = &self.names.categories[category as usize];
            write!(self.text, "\n[[Category:{name}]]").expect("a string takes all");
        }
        self.text
    }

    /// A paragraph of so many words, and more for each link.
    fn prose(&mut self, links: &[usize], words: usize) {
        self.words(words / 2);
        for &link in links {
            self.words(WORDS_A_LINK / 2);
            self.link(link);
            self.words(WORDS_A_LINK / 2);
            match below(&mut self.draw, 10) {
                0 => self.text.push_str("<ref>{{cite web|title=x|url=http://example.org/}}</ref> "),
                1 => {
                    let title = &self.names.titles[link];
                    write!(self.text, "{title}, ").expect("a string takes all");
                }
                2..5 => self.text.push_str(". "),
                _ => {}
            }
        }
        self.words(words / 2);
        self.text.push_str(".\n");
    }

    fn link(&mut self, target: usize) {
        let title = &self.names.titles[target];
        let written = if unit(&mut self.draw) < 0.3 {
            let word = &self.names.words[zipf(&mut self.draw, self.names.words.len())];
            write!(self.text, "[[{title}|{word}]] ")
        } else {
            write!(self.text, "[[{title}]] ")
        };
        written.expect("a string takes all");
    }

    fn words(&mut self, num: usize) {
        let known = &self.names.words;
        for _ in 0..num {
            let word = if unit(&mut self.draw) < WORDS_BY_TOPIC {
                of_topic(self.topic, zipf(&mut self.draw, WORDS_OF_TOPIC), known.len())
            } else {
                zipf(&mut self.draw, known.len())
            };
            self.text.push_str(&known[word]);
            self.text.push(' ');
        }
    }
}
