//! `llamafur explain`: the category pairs behind a link's score, what they rest on, and what would change it.

use super::args::ModelArgs;
use super::reasons::{self, Facts, Reasons};
use crate::lookup;
use crate::output::{Grid, OutputArgs, Render, print, signed};
use anyhow::Result;
use clap::Args;
use llamafur::categories::Categories;
use llamafur::corpus::{Corpus, CorpusError, PageId};
use llamafur::explain::{Snippets, counterfactuals, evidence, explain};
use llamafur::learn::Method;
use llamafur::progress::Progress;
use llamafur::score::{Inputs, LlamaFur, Normalise, ScoreConf};
use serde::Serialize;
use std::io::{self, Write};
use std::path::PathBuf;

/// Options of `explain`.
#[derive(Debug, Args)]
#[command(after_help = "\
The weights of the pairs add up exactly to the expectedness; unexpectedness is minus that,
normalised.

Example:
  llamafur explain my.corpus Jupiter Fish")]
pub struct ExplainArgs {
    /// The corpus.
    #[arg(value_name = "DIR")]
    corpus: PathBuf,
    /// The page that links.
    source: String,
    /// The page that is linked to; a link that does not exist is explained too.
    target: String,
    #[command(flatten)]
    model: ModelArgs,
    #[command(flatten)]
    output: OutputArgs,
}

/// How many counterfactual categories are shown.
const COUNTERFACTUALS: usize = 3;

/// Runs `explain`.
pub fn run(args: &ExplainArgs, progress: &mut dyn Progress) -> Result<()> {
    let corpus = Corpus::open(&args.corpus)?;
    let (source, target) = (lookup::page(&corpus, &args.source)?, lookup::page(&corpus, &args.target)?);
    let has_categories = corpus.manifest().counts.page_categories > 0;
    let by_categories = match has_categories || args.model.is_named() {
        true => Some(ByCategories::new(&corpus, &args.model, source, target)?),
        false => None,
    };
    let linked = corpus.links(source)?.binary_search(&target).is_ok();
    let inputs = Inputs::new(&corpus);
    let neighbours = inputs.neighbours(progress)?;
    let own = |page| neighbours.of(page).len();
    let shared = neighbours.shared(source, &[target])[0];
    let ends = by_categories.as_ref().and_then(ByCategories::lightest_and_heaviest);
    let facts = Facts {
        source: corpus.title(source)?,
        target: corpus.title(target)?,
        pairs: ends.map(|ends| ends.map(|pair| pair.without(linked))),
        shared,
        neighbours: own(source) + own(target) - shared.common,
        in_links: corpus.all_links()?.values().iter().filter(|page| **page == target).count(),
    };
    let model = by_categories.as_ref().map(|by| by.model.clone());
    let conf = ScoreConf { model, normalise: args.model.normalise.get(), ..ScoreConf::default() };
    let reasons = Reasons::new(&inputs, &conf, (source, target), &facts, progress)?;
    let report = Report {
        reasons,
        source: corpus.title(source)?.to_owned(),
        target: corpus.title(target)?.to_owned(),
        linked,
        by_categories,
        snippet: Snippets::new(&corpus, source)?.get(target)?,
    };
    print(&report, &args.output)
}

#[derive(Serialize)]
struct Report {
    source: String,
    target: String,
    /// Whether the link exists.
    linked: bool,
    /// What the category matrix says; nothing of a corpus without categories.
    #[serde(flatten)]
    by_categories: Option<ByCategories>,
    /// What makes the link odd, and what speaks for it.
    #[serde(flatten)]
    reasons: Reasons,
    snippet: Option<String>,
}

/// What the category matrix says of a link.
#[derive(Serialize)]
struct ByCategories {
    model: String,
    method: Method,
    normalise: Normalise,
    expectedness: f64,
    divisor: f64,
    /// `null` where a page has no categories.
    unexpectedness: Option<f64>,
    /// `null` where that cannot be said.
    explained: Option<bool>,
    pairs: Vec<Pair>,
    /// Categories of which the source would need one for the link to be expected.
    would_explain: Vec<Change>,
    /// What the milestones of the two pages stand for, where that is not their own name.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    milestones: Vec<StandsFor>,
}

impl ByCategories {
    fn new(corpus: &Corpus, args: &ModelArgs, source: PageId, target: PageId) -> Result<ByCategories> {
        let model = args.open(corpus)?;
        let normalise = args.normalise.get();
        // Refuses a cosine that the matrix does not have.
        LlamaFur::new(corpus, &model, normalise)?;
        let explanation = explain(corpus, &model, normalise, source, target)?;
        let categories = model.categories(corpus);
        let matrix = model.matrix_rows(categories.of(source)?)?;
        let evidence = match explanation.pairs.is_empty() {
            true => Vec::new(),
            false => {
                // The typical links of a pair are chosen by their expectedness: any row may be looked at.
                model.matrix()?;
                evidence(&categories.graph()?, matrix, &explanation.pairs, (source, target))
            }
        };
        let mut pairs = Vec::with_capacity(evidence.len());
        for (pair, evidence) in explanation.pairs.iter().zip(evidence) {
            let typical = evidence.typical.iter().map(|(from, to)| Link::new(corpus, *from, *to));
            pairs.push(Pair {
                source: categories.name(pair.source)?.to_owned(),
                target: categories.name(pair.target)?.to_owned(),
                weight: pair.weight,
                links: evidence.links,
                typical: typical.collect::<Result<_, CorpusError>>()?,
            });
        }
        let explains = model.settings().method.explains() && !pairs.is_empty();
        let explained = explains.then_some(explanation.expectedness > 0.0);
        let changes = match explained {
            Some(false) => counterfactuals(corpus, &model, source, target)?,
            _ => Vec::new(),
        };
        let would_explain = changes.iter().take(COUNTERFACTUALS).map(|change| {
            let category = categories.name(change.category)?.to_owned();
            Ok(Change { category, expectedness: change.expectedness })
        });
        Ok(ByCategories {
            model: model.name().to_owned(),
            method: model.settings().method,
            normalise,
            expectedness: explanation.expectedness,
            divisor: explanation.divisor,
            unexpectedness: explanation.unexpectedness,
            explained,
            pairs,
            would_explain: would_explain.collect::<Result<_, CorpusError>>()?,
            milestones: [stands_for(&categories, source)?, stands_for(&categories, target)?].concat(),
        })
    }

    fn lightest_and_heaviest(&self) -> Option<[&Pair; 2]> {
        let compare = |a: &&Pair, b: &&Pair| a.weight.total_cmp(&b.weight);
        Some([self.pairs.iter().min_by(compare)?, self.pairs.iter().max_by(compare)?])
    }

    /// How unexpected the link is, and how that comes about.
    fn verdict(&self) -> String {
        let Some(unexpectedness) = self.unexpectedness else {
            return "no categories on one side, so the matrix says nothing".into();
        };
        let state = match self.explained {
            Some(true) => "expected; ",
            Some(false) => "unexpected; ",
            None => "",
        };
        let divided = match self.divisor {
            1.0 => String::new(),
            divisor => format!(" / {divisor:.2} ({})", self.normalise),
        };
        let (e, score) = (signed(self.expectedness), signed(unexpectedness));
        format!("{state}unexpectedness {score} = −({e}){divided}")
    }

    fn grid(&self, weight: impl Fn(f64) -> String, typical: impl Fn(&Pair) -> String) -> Grid {
        let mut grid = pairs_grid();
        for pair in &self.pairs {
            let numbers = [weight(pair.weight), pair.links.to_string()];
            let names = [pair.source.clone(), pair.target.clone()];
            grid.row([&names[..], &numbers, &[typical(pair)]].concat());
        }
        grid
    }

    /// The pairs, and what would change their sum.
    fn human(&self, source: &str, linked: bool, out: &mut dyn Write) -> io::Result<()> {
        if self.pairs.is_empty() {
            return Ok(());
        }
        let mut grid = self.grid(signed, |pair| match linked && pair.links == 1 {
            true => "only this one".into(),
            false => pair.typical("\n"),
        });
        grid.row(["".into(), "sum".into(), signed(self.expectedness), "".into(), "".into()]);
        grid.write_table(&["weight", "links"], out)?;
        for StandsFor { page, milestone, categories } in &self.milestones {
            match &categories[..] {
                [] => writeln!(out, "{milestone} lies further up from the categories of {page}")?,
                own => writeln!(out, "{milestone} stands for {} (of {page})", own.join(", "))?,
            }
        }
        if self.explained != Some(false) {
            return Ok(());
        }
        if self.would_explain.is_empty() {
            return writeln!(out, "No single further category of {source} would make the link expected.");
        }
        let change = |change: &Change| format!("{} ({})", change.category, signed(change.expectedness));
        let changes: Vec<String> = self.would_explain.iter().map(change).collect();
        writeln!(
            out,
            "It would be expected if {source} also carried one of these (sum then): {}",
            changes.join(", ")
        )
    }
}

/// The pairs of a link in a table without rows.
fn pairs_grid() -> Grid {
    Grid::new(["source_category", "target_category", "weight", "links", "typical_links"])
}

/// A milestone of a page, and the page's own categories that became it.
#[derive(Clone, Serialize)]
struct StandsFor {
    page: String,
    milestone: String,
    categories: Vec<String>,
}

/// What a page's milestones stand for, but for those that the page carries itself.
fn stands_for(categories: &Categories<'_>, page: PageId) -> Result<Vec<StandsFor>, CorpusError> {
    let mut all = Vec::new();
    for &milestone in categories.of(page)? {
        let (name, own) = (categories.name(milestone)?, categories.origins(page, milestone)?);
        if own != [name] {
            let page = categories.corpus().title(page)?.to_owned();
            let categories = own.into_iter().map(str::to_owned).collect();
            all.push(StandsFor { page, milestone: name.to_owned(), categories });
        }
    }
    Ok(all)
}

#[derive(Serialize)]
struct Pair {
    source: String,
    target: String,
    weight: f64,
    links: u64,
    typical: Vec<Link>,
}

#[derive(Serialize)]
struct Link {
    source: String,
    target: String,
}

impl Link {
    fn new(corpus: &Corpus, source: PageId, target: PageId) -> Result<Link, CorpusError> {
        Ok(Link { source: corpus.title(source)?.to_owned(), target: corpus.title(target)?.to_owned() })
    }
}

#[derive(Serialize)]
struct Change {
    category: String,
    expectedness: f64,
}

impl Pair {
    /// The pair as a reason: the link itself is not what it is to be explained by.
    fn without(&self, linked: bool) -> reasons::Pair<'_> {
        let links = self.links.saturating_sub(u64::from(linked));
        reasons::Pair { source: &self.source, target: &self.target, weight: self.weight, links }
    }

    fn typical(&self, between: &str) -> String {
        let links: Vec<String> =
            self.typical.iter().map(|l| format!("{} → {}", l.source, l.target)).collect();
        links.join(between)
    }
}

impl Render for Report {
    fn human(&self, out: &mut dyn Write) -> io::Result<()> {
        let Report { source, target, .. } = self;
        let link = if self.linked { "" } else { " (no such link in the graph)" };
        let verdict = self
            .by_categories
            .as_ref()
            .map_or("no categories, so there is no matrix".into(), ByCategories::verdict);
        writeln!(out, "{source} → {target}{link}: {verdict}")?;
        if let Some(snippet) = &self.snippet {
            writeln!(out, "“{snippet}”")?;
        }
        for sentence in self.reasons.sentences(source, self.linked) {
            writeln!(out, "{sentence}")?;
        }
        match &self.by_categories {
            Some(by) => by.human(source, self.linked, out),
            None => Ok(()),
        }
    }

    fn grid(&self) -> Grid {
        let by = self.by_categories.as_ref();
        by.map_or_else(pairs_grid, |by| by.grid(|weight| weight.to_string(), |pair| pair.typical("; ")))
    }
}
