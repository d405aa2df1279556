//! What the integration tests share: small graphs, small corpora, and a random source of both.
#![allow(dead_code, reason = "every test binary uses its own part")]
#![allow(clippy::unwrap_used, missing_docs, unreachable_pub)]

pub mod full;

use llamafur::engine::{Order, PlaceSet, RankingRow};
use llamafur::{Engine, EngineConf, Error, RankConf};

use llamafur::corpus::{Corpus, CorpusWriter, Found, ListColumn, Manifest, Provenance, StringColumn};
use llamafur::graph::{CategoryId, Graph, MilestoneId, PageId};
use llamafur::learn::{Figures, LearnConf, Learnt, learn};
use llamafur::progress::Silent;
use llamafur::score::{LlamaFur, Score};
use llamafur::storage::{CsrBuf, Existing};
use proptest::prelude::*;
use proptest::test_runner::RngSeed;
use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;

/// So many cases, the same ones in every run.
pub fn cases(cases: u32) -> ProptestConfig {
    ProptestConfig {
        cases,
        rng_seed: RngSeed::Fixed(20160522),
        failure_persistence: None,
        ..Default::default()
    }
}

/// A graph in memory.
#[derive(Debug, Clone)]
pub struct Small {
    pub links: Vec<Vec<u32>>,
    pub categories: Vec<Vec<u32>>,
    pub num_categories: usize,
    link_table: CsrBuf<PageId>,
    category_table: CsrBuf<MilestoneId>,
}

impl Small {
    pub fn new(links: Vec<Vec<u32>>, categories: Vec<Vec<u32>>, num_categories: usize) -> Small {
        assert_eq!(links.len(), categories.len());
        let link_table = links.iter().map(|row| row.iter().copied().map(PageId)).collect();
        let category_table = categories.iter().map(|row| row.iter().copied().map(MilestoneId)).collect();
        Small { links, categories, num_categories, link_table, category_table }
    }

    pub fn graph(&self) -> Graph<'_> {
        Graph::new(self.link_table.view(), self.category_table.view(), self.num_categories)
    }

    pub fn learn(&self, conf: &LearnConf) -> (Learnt, Figures) {
        learn(&self.graph(), conf, &mut Silent).unwrap()
    }

    /// The learnt matrix, row after row.
    pub fn weights(&self, conf: &LearnConf) -> Vec<f64> {
        weights_of(&self.learn(conf).0)
    }

    /// The same graph, in which each category has the new ids that `ids` gives it.
    pub fn relabelled(&self, num_categories: usize, ids: impl Fn(u32) -> Vec<u32>) -> Small {
        let row = |row: &Vec<u32>| {
            let mut new: Vec<u32> = row.iter().flat_map(|&category| ids(category)).collect();
            new.sort_unstable();
            new
        };
        Small::new(self.links.clone(), self.categories.iter().map(row).collect(), num_categories)
    }
}

/// Pages of one of three kinds and one of two colours, which link mostly within their kind.
pub fn kinds(pages: u32) -> Small {
    let is_link =
        |page: u32, to: u32| to != page && (to % 3 == page % 3 || (to * 5 + page).is_multiple_of(11));
    let row = |page| (0..pages).filter(|&to| is_link(page, to)).collect();
    let carried = |page: u32| vec![page % 3, 3 + page % 2];
    Small::new((0..pages).map(row).collect(), (0..pages).map(carried).collect(), 5)
}

/// All weights, row after row.
pub fn weights_of(learnt: &Learnt) -> Vec<f64> {
    let matrix = learnt.matrix();
    let all: Vec<MilestoneId> = (0..matrix.num_categories() as u32).map(MilestoneId).collect();
    llamafur::matrix::pairs(&all, &all).map(|(source, target)| matrix.weight(source, target)).collect()
}

/// Graphs of 3 to `pages` pages with 1 to `categories` categories, up to four on a page, in which at least one
/// link joins two pages with categories and no page links to all others.
pub fn graphs(pages: usize, categories: usize) -> impl Strategy<Value = Small> {
    (3..=pages, 1..=categories)
        .prop_flat_map(|(pages, categories)| {
            let ids = |limit: usize, most: usize| proptest::collection::btree_set(0..limit as u32, 0..=most);
            let links = proptest::collection::vec(ids(pages, pages), pages);
            let carried = proptest::collection::vec(ids(categories, categories.min(4)), pages);
            (links, carried, Just(categories))
        })
        .prop_map(|(mut links, mut carried, num_categories)| {
            carried[0].insert(0);
            carried[1].insert(num_categories as u32 - 1);
            links[0].insert(1);
            for (page, row) in links.iter_mut().enumerate() {
                row.remove(&(page as u32));
            }
            let rows = |rows: Vec<BTreeSet<u32>>| rows.into_iter().map(Vec::from_iter).collect();
            Small::new(rows(links), rows(carried), num_categories)
        })
}

/// All that a corpus is made of.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Contents {
    pub titles: Vec<String>,
    pub links: Vec<Vec<u32>>,
    pub categories: Vec<Vec<u32>>,
    pub category_names: Vec<String>,
    pub parents: Vec<Vec<u32>>,
    pub texts: Option<Vec<Option<String>>>,
}

impl Contents {
    /// The graph with titles and names that ascend with the ids.
    pub fn of(small: &Small) -> Contents {
        Contents {
            titles: (0..small.links.len()).map(|page| format!("Page {page:04}")).collect(),
            links: small.links.clone(),
            categories: small.categories.clone(),
            category_names: (0..small.num_categories).map(|id| format!("Category {id:04}")).collect(),
            parents: vec![vec![]; small.num_categories],
            texts: None,
        }
    }

    /// Pages with these titles, which link to and carry nothing.
    pub fn titled<'a>(titles: impl IntoIterator<Item = &'a str>) -> Contents {
        let mut titles: Vec<String> = titles.into_iter().map(str::to_owned).collect();
        titles.sort();
        let none = vec![vec![]; titles.len()];
        Contents { titles, links: none.clone(), categories: none, ..Contents::default() }
    }

    pub fn write(&self, out: &Path, existing: Existing) -> Result<Manifest, Error> {
        let mut writer = CorpusWriter::create(out, existing)?;
        let lists = |rows: &Vec<Vec<u32>>| rows.iter().cloned().collect::<ListColumn>();
        let strings = |names: &Vec<String>| names.iter().collect::<StringColumn>();
        writer.write_pages(strings(&self.titles), lists(&self.links), lists(&self.categories))?;
        writer.write_categories(strings(&self.category_names), lists(&self.parents))?;
        if let Some(texts) = &self.texts {
            writer.write_text(texts.iter().cloned().map(Ok::<_, Error>))?;
        }
        writer.finish(Provenance::default())
    }

    /// Writes the corpus into a folder of that name and opens it.
    pub fn corpus(&self, dir: &tempfile::TempDir, name: &str) -> Corpus {
        let out = dir.path().join(name);
        self.write(&out, Existing::Refuse).unwrap();
        Corpus::open(&out).unwrap()
    }

    /// Everything that a corpus gives, page by page and category by category.
    pub fn read(corpus: &Corpus) -> Result<Contents, Error> {
        let pages = (0..corpus.num_pages() as u32).map(PageId);
        let categories = (0..corpus.num_categories() as u32).map(CategoryId);
        let titles = pages.clone().map(|page| Ok(corpus.title(page)?.to_owned()));
        let links = pages.clone().map(|page| Ok(corpus.links(page)?.iter().map(|id| id.0).collect()));
        let carried = pages.clone().map(|page| Ok(corpus.categories(page)?.iter().map(|id| id.0).collect()));
        let names = categories.clone().map(|category| Ok(corpus.category_name(category)?.to_owned()));
        let parents = categories.map(|id| Ok(corpus.parents(id)?.iter().map(|id| id.0).collect()));
        let texts = || pages.map(|page| corpus.text(page)).collect::<Result<_, Error>>();
        Ok(Contents {
            titles: titles.collect::<Result<_, Error>>()?,
            links: links.collect::<Result<_, Error>>()?,
            categories: carried.collect::<Result<_, Error>>()?,
            category_names: names.collect::<Result<_, Error>>()?,
            parents: parents.collect::<Result<_, Error>>()?,
            texts: corpus.has_text().then(texts).transpose()?,
        })
    }
}

/// A corpus of `pages` pages with links, categories, a category tree and some texts.
pub fn storied(pages: u32) -> Contents {
    let row =
        |page: u32| -> BTreeSet<u32> { (1..=page % 4).map(|step| (page * 7 + step * 5) % pages).collect() };
    let rows = |page| row(page).into_iter().filter(|&target| target != page).collect();
    let text = |page: u32| (page % 5 != 3).then(|| format!("Page {page} is a page. It is no {}.", page * 31));
    Contents {
        titles: (0..pages).map(|page| format!("Page {page:04}")).collect(),
        links: (0..pages).map(rows).collect(),
        categories: (0..pages)
            .map(|page| if page % 6 == 5 { vec![] } else { vec![page % 3, 3 + page % 2] })
            .collect(),
        category_names: ["Arts", "Beasts", "Cities", "Deserts", "Élites"].map(String::from).to_vec(),
        parents: vec![vec![3], vec![], vec![3, 4], vec![], vec![]],
        texts: Some((0..pages).map(text).collect()),
    }
}

/// An error and what would help, in one text.
pub fn said(error: &llamafur::Error) -> String {
    format!("{error}; {:?}", error.remedy())
}

/// The titles of what a search found, and how it found them.
pub fn found(corpus: &Corpus, title: &str) -> Result<(&'static str, Vec<String>), Error> {
    let (how, pages) = match corpus.find_page(title)? {
        Found::One(page) => ("one", vec![page]),
        Found::Several(pages) => ("several", pages),
        Found::None => ("none", vec![]),
    };
    let titles = pages.into_iter().map(|page| Ok(corpus.title(page)?.to_owned()));
    Ok((how, titles.collect::<Result<_, Error>>()?))
}

/// A link in a ranking.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RankedLink {
    /// Where it goes.
    pub target: PageId,
    /// How unexpected it is.
    pub unexpectedness: Option<f64>,
    /// Whether the matrix explains it.
    pub explained: Option<bool>,
}

/// All links of a page, wherever they are, the most unexpected first.
pub fn by_oddity() -> RankConf {
    RankConf::default().top(0).order(Order::Oddity).places(PlaceSet::ALL)
}

/// The links of a page as an engine ranks them by a scorer.
pub fn rank(corpus: &Corpus, scorer: &Arc<LlamaFur>, page: PageId) -> Vec<RankedLink> {
    let engine = Engine::new(corpus, EngineConf::default().scorer(scorer.clone()));
    let ranking = engine.rank(corpus.title(page).unwrap(), &by_oddity().scorer(scorer.name()));
    let link = |row: RankingRow| RankedLink {
        target: corpus.resolve(&row.target).unwrap().unwrap(),
        unexpectedness: row.unexpectedness,
        explained: row.explained,
    };
    ranking.unwrap().links.into_iter().map(link).collect()
}
