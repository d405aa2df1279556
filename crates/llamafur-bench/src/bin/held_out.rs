//! Held-out F-measure and AUC of every learner on the real corpora, and bpref where there are judgments.
//!
//! Usage: `cargo run --release -p llamafur-bench --bin held_out -- DATA [SEEDS]`, where DATA is the folder
//! with `wikispeedia`, `enwiki-computing` and `debian`. A tenth of the links is held out; the figures are the
//! mean and the standard deviation over SEEDS (4 by default) splits and runs. bpref is that of a model trained
//! on all links, on the pages of `judgments-dev.tsv`, with a 95% bootstrap interval over pages, for each
//! normalisation; chance stands beside it. Nothing is timed.

#![allow(clippy::print_stdout, reason = "a benchmark prints")]

use llamafur::Error;

use llamafur::graph::{Graph, MilestoneId, PageId};
use llamafur::learn::cross_validation::Spread;
use llamafur::learn::held_out::{Measures, Split};
use llamafur::learn::{LearnConf, Learnt, Method, learn};
use llamafur::progress::Silent;
use llamafur::score::Normalise;
use llamafur::storage::CsrBuf;
use llamafur_eval::judgments::{Form, Judgments, Pages, Query};
use llamafur_eval::measures::measure;
use llamafur_eval::statistics::{RESAMPLES, Resamples, chance_spread, mean};
use std::collections::{BTreeMap, BTreeSet};

use std::io::Read;
use std::path::Path;

const METHODS: [Method; 4] = [Method::Paper, Method::Original, Method::Averaged, Method::Factored];

type Table = Vec<(String, String)>;
type AnyError = Box<dyn std::error::Error>;

fn main() -> Result<(), AnyError> {
    let mut arguments = std::env::args().skip(1);
    let data = arguments.next().ok_or("give the folder with the corpora")?;
    let seeds: u64 = arguments.next().map_or(Ok(4), |text| text.parse())?;
    let data = Path::new(&data);
    let wikispeedia = wikispeedia(data)?;
    report("wikispeedia, with ancestors", &wikispeedia, seeds);
    report_judged(&wikispeedia, &data.join("wikispeedia/judgments-dev.tsv"), seeds)?;
    report("enwiki-computing, categories on two pages or more", &computing(data)?, seeds);
    report("debian", &debian(data)?, seeds);
    Ok(())
}

struct Corpus {
    titles: Vec<String>,
    links: CsrBuf<PageId>,
    categories: CsrBuf<MilestoneId>,
    num_categories: usize,
}

impl Corpus {
    fn new(links: &Table, categories: &Table) -> Corpus {
        let titles: BTreeSet<&String> =
            links.iter().flat_map(|(s, t)| [s, t]).chain(categories.iter().map(|(page, _)| page)).collect();
        let names: BTreeSet<&String> = categories.iter().map(|(_, category)| category).collect();
        let page_ids: BTreeMap<_, _> = titles.iter().copied().zip(0u32..).collect();
        let category_ids: BTreeMap<_, _> = names.iter().copied().zip(0u32..).collect();
        let mut link_rows = vec![BTreeSet::new(); titles.len()];
        for (source, target) in links.iter().filter(|(source, target)| source != target) {
            link_rows[page_ids[source] as usize].insert(PageId(page_ids[target]));
        }
        let mut category_rows = vec![BTreeSet::new(); titles.len()];
        for (page, category) in categories {
            category_rows[page_ids[page] as usize].insert(MilestoneId(category_ids[category]));
        }
        Corpus {
            titles: titles.into_iter().cloned().collect(),
            links: link_rows.into_iter().collect(),
            categories: category_rows.into_iter().collect(),
            num_categories: names.len(),
        }
    }

    fn graph(&self) -> Graph<'_> {
        Graph::new(self.links.view(), self.categories.view(), self.num_categories)
    }
}

fn read(path: &Path) -> Result<String, AnyError> {
    let file = std::fs::File::open(path).map_err(|e| format!("{}: {e}", path.display()))?;
    let mut text = String::new();
    if path.extension().is_some_and(|extension| extension == "gz") {
        flate2::read::MultiGzDecoder::new(file).read_to_string(&mut text)?;
    } else {
        (&file).read_to_string(&mut text)?;
    }
    Ok(text)
}

fn pairs(path: &Path) -> Result<Table, AnyError> {
    let text = read(path)?;
    Ok(text.lines().filter_map(|line| line.split_once('\t')).map(|(a, b)| (a.into(), b.into())).collect())
}

/// Every page with its categories and all that lie above them but the root, which every page would have.
fn wikispeedia(data: &Path) -> Result<Corpus, AnyError> {
    let folder = data.join("wikispeedia");
    let parents: BTreeMap<String, String> = pairs(&folder.join("category-tree.tsv"))?.into_iter().collect();
    let mut categories = Table::new();
    for (page, category) in pairs(&folder.join("categories.tsv"))? {
        let mut next = Some(&category);
        while let Some(name) = next.filter(|name| parents.contains_key(*name)) {
            categories.push((page.clone(), name.clone()));
            next = parents.get(name);
        }
    }
    Ok(Corpus::new(&pairs(&folder.join("links.tsv"))?, &categories))
}

fn computing(data: &Path) -> Result<Corpus, AnyError> {
    let folder = data.join("enwiki-computing");
    let mut categories = pairs(&folder.join("categories.tsv"))?;
    let mut pages: BTreeMap<String, u32> = BTreeMap::new();
    categories.iter().for_each(|(_, category)| *pages.entry(category.clone()).or_default() += 1);
    categories.retain(|(_, category)| pages[category] >= 2);
    Ok(Corpus::new(&pairs(&folder.join("links.tsv"))?, &categories))
}

fn debian(data: &Path) -> Result<Corpus, AnyError> {
    let folder = data.join("debian");
    Ok(Corpus::new(&pairs(&folder.join("links.tsv.gz"))?, &pairs(&folder.join("categories.tsv.gz"))?))
}

fn train(graph: &Graph<'_>, method: Method, seed: u64) -> Learnt {
    learn(graph, &LearnConf::default().method(method).seed(seed).ensemble(1), &mut Silent)
        .expect("a graph to learn from")
        .0
}

fn report(name: &str, corpus: &Corpus, seeds: u64) {
    let graph = corpus.graph();
    let counts = (graph.num_pages(), graph.num_links(), graph.num_categories);
    println!(
        "\n{name}: {} pages, {} links, {} categories; 10% held out, {seeds} seeds",
        counts.0, counts.1, counts.2
    );
    println!("method      F-measure         precision  recall  AUC by the mean   AUC by the root");
    for method in METHODS {
        let runs: Vec<[Measures; 2]> = (1..=seeds)
            .map(|seed| {
                let split = Split::new(&graph, 0.1, seed);
                let training = Graph { links: split.training.view(), ..graph };
                let learnt = train(&training, method, seed);
                [Normalise::Mean, Normalise::Sqrt]
                    .map(|normalise| Measures::of(&graph, &split.pairs, learnt.matrix(), normalise))
            })
            .collect();
        let column = |of: fn(&[Measures; 2]) -> f64| Spread::of(&runs.iter().map(of).collect::<Vec<_>>());
        // Only the AUC depends on how scores are normalised; the rest asks for their sign.
        let (f, precision, recall) =
            (column(|m| m[0].f_measure), column(|m| m[0].precision).mean, column(|m| m[0].recall).mean);
        let [by_mean, by_root] = [column(|m| m[0].auc), column(|m| m[1].auc)];
        print!("{method:<10}  {:.4} ± {:.4}   {precision:.3}      {recall:.3}   ", f.mean, f.sd);
        println!("{:.4} ± {:.4}   {:.4} ± {:.4}", by_mean.mean, by_mean.sd, by_root.mean, by_root.sd);
    }
}

/// The pages and links of a corpus, for its judgments.
impl Pages for &Corpus {
    fn page(&mut self, title: &str) -> Result<Option<PageId>, Error> {
        let place = self.titles.binary_search_by(|known| known.as_str().cmp(title));
        Ok(place.ok().map(|place| PageId(place as u32)))
    }

    fn has_link(&self, source: PageId, target: PageId) -> Result<bool, Error> {
        Ok(self.graph().links(source).contains(&target))
    }

    fn title(&self, page: PageId) -> Result<String, Error> {
        Ok(self.titles[page.index()].clone())
    }
}

fn report_judged(corpus: &Corpus, path: &Path, seeds: u64) -> Result<(), AnyError> {
    let graph = corpus.graph();
    let judgments =
        Judgments::read(std::fs::File::open(path)?, path, Form::Auto, &mut { corpus }, &mut Silent)?;
    let queries = judgments.expect_queries()?;
    let chance = mean(&bprefs(&graph, &queries, |_, _| None));
    let kinds: Vec<_> = queries.iter().map(|query| (query.num_relevant(), query.num_irrelevant())).collect();
    let (_, sd) = chance_spread(&kinds, 1_000, 1);
    println!("\njudged links, {} pages with both kinds; bpref, chance {chance:.3} ± {sd:.3}", queries.len());
    println!("method      normalise  bpref  95% interval     (mean of {seeds} seeds a page)");
    let resamples = Resamples::new(queries.len(), RESAMPLES, 1);
    for method in METHODS.into_iter().chain([Method::Naive]) {
        let learnt: Vec<Learnt> = (1..=seeds).map(|seed| train(&graph, method, seed)).collect();
        for normalise in Normalise::ALL {
            let score = |matrix: &Learnt, source, target| {
                let (sources, targets) = (graph.categories(source), graph.categories(target));
                normalise.expectedness(matrix.matrix().rows(sources), targets).expect("in memory").map(|e| -e)
            };
            if normalise == Normalise::Cosine && method != Method::Factored {
                continue;
            }
            let runs: Vec<Vec<f64>> =
                learnt.iter().map(|matrix| bprefs(&graph, &queries, |s, t| score(matrix, s, t))).collect();
            let pages: Vec<f64> = (0..queries.len())
                .map(|page| mean(&runs.iter().map(|run| run[page]).collect::<Vec<_>>()))
                .collect();
            let found = resamples.mean(&pages);
            let [low, high] = found.ci95.unwrap_or([f64::NAN; 2]);
            println!("{method:<10}  {normalise:<9}  {:.3}  [{low:.3}, {high:.3}]", found.mean);
        }
    }
    Ok(())
}

fn bprefs(graph: &Graph<'_>, queries: &[&Query], score: impl Fn(PageId, PageId) -> Option<f64>) -> Vec<f64> {
    let of_query = |query: &&Query| {
        let links = graph.links(query.page);
        let scores: Vec<Option<f64>> = links.iter().map(|target| score(query.page, *target)).collect();
        let place = |target| links.binary_search(&target).expect("judged links are links");
        let judged: Vec<_> = query.links.iter().map(|link| (place(link.target), link.class)).collect();
        measure(&scores, &judged).expect("both kinds were asked for").bpref
    };
    queries.iter().map(of_query).collect()
}
