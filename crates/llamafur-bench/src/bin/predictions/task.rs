//! Links of a corpus that are to be predicted, and how well they are.

use super::fit::{Example, NAMES};
use super::{AnyError, Arguments, Candidate};
use llamafur::corpus::Corpus;
use llamafur::engine::{Engine, EngineConf, Lookup, PredictConf};
use llamafur::graph::PageId;
use llamafur::learn::{LearnConf, Model};
use llamafur::progress::Silent;
use llamafur::random::{Purpose, generator, mix, shuffle};
use llamafur::score::{Details, Inputs, SIGNALS, Score, ScoreConf, Sum, open};
use llamafur_eval::planted::temporary_folder;
use llamafur_eval::predicted::{Figures, HeldOutLinks, Wanted, figures, new_links, of_list};
use rayon::prelude::*;
use std::sync::Arc;

/// Matrices of the ensemble that the stochastic ranking draws from.
const MEMBERS: u64 = 4;

/// Signals that are measured by themselves.
const ALONE: [&str; 7] = ["aa", "categories", "ra", "jaccard", "peers", "company", "in-degree"];

/// Pages beside an unseen link of each kind, and unseen links of a page, in examples.
const BESIDE: usize = 100;
const LINKS_OF_PAGE: usize = 5;

/// How well a scorer does on each measured page.
pub(crate) struct Row {
    pub(crate) name: String,
    pub(crate) figures: Vec<Figures>,
}

/// Links of a corpus that are to be predicted.
pub(crate) struct Task {
    corpus: Corpus,
    wanted: Wanted,
    choosing: Vec<PageId>,
    measured: Vec<PageId>,
    /// The folder of the copy is removed with it.
    held_out: Option<HeldOutLinks>,
}

impl Task {
    pub(crate) fn new(path: &str, arguments: &Arguments, seed: u64) -> Result<Task, AnyError> {
        let original = Corpus::open(path)?;
        let (corpus, wanted, held_out) = match &arguments.later {
            Some(later) => (original.clone(), new_links(&original, &Corpus::open(later)?)?, None),
            None => {
                let held_out = held_out(&original, seed)?;
                (held_out.copy.corpus().clone(), held_out.wanted.clone(), Some(held_out))
            }
        };
        let (mut choosing, mut measured): (Vec<PageId>, Vec<PageId>) =
            wanted.keys().copied().partition(|page| mix(u64::from(page.0)).is_multiple_of(2));
        for pages in [&mut choosing, &mut measured] {
            shuffle(&mut generator(seed, Purpose::Pool, 0), pages);
            pages.truncate(arguments.pages);
        }
        Ok(Task { corpus, wanted, choosing, measured, held_out })
    }

    pub(crate) fn num_measured(&self) -> usize {
        self.measured.len()
    }

    pub(crate) fn num_wanted(&self) -> usize {
        self.measured.iter().map(|page| self.wanted[page].len()).sum()
    }

    /// All pages that a page is not known to link to.
    fn targets(&self, page: PageId) -> Result<Vec<PageId>, AnyError> {
        let links = self.corpus.links(page)?;
        let is_target = |target: &PageId| *target != page && links.binary_search(target).is_err();
        Ok((0..self.corpus.num_pages() as u32).map(PageId).filter(is_target).collect())
    }

    /// The measured rows: scorers, these weights, a member drawn at random, and what the engine returns.
    pub(crate) fn rows(&self, candidates: &[Candidate]) -> Result<Vec<Row>, AnyError> {
        let inputs = Inputs::new(&self.corpus);
        let signals = Signals::open(&inputs)?;
        let matrices = open("llamafur", &inputs, &conf(), &mut Silent)?;
        let members = self.members(&inputs)?;
        let of_page = |&page: &PageId| -> Result<Vec<Figures>, String> {
            self.of_page(&signals, &*matrices, &members, candidates, page).map_err(|error| error.to_string())
        };
        let by_page = self.measured.par_iter().map(of_page).collect::<Result<Vec<_>, _>>()?;
        let mut names: Vec<String> = ALONE.map(String::from).to_vec();
        names.retain(|name| signals.place(name).is_some());
        names.extend(["llamafur".into(), "rank's blend".into()]);
        names.extend(candidates.iter().map(|candidate| candidate.name.clone()));
        names.extend((!members.is_empty()).then(|| "a member drawn".into()));
        let row = |(at, name)| Row { name, figures: by_page.iter().map(|of_page| of_page[at]).collect() };
        let mut rows: Vec<Row> = names.into_iter().enumerate().map(row).collect();
        rows.push(Row { name: "predict".into(), figures: self.predicted(Lookup::Anywhere)? });
        // Texts of copies have the links that were held out.
        if self.held_out.is_none() && self.corpus.has_text() {
            rows.push(Row { name: "predict, named".into(), figures: self.predicted(Lookup::Named)? });
        }
        Ok(rows)
    }

    fn of_page(
        &self,
        signals: &Signals,
        matrices: &dyn Score,
        members: &[Arc<dyn Score>],
        candidates: &[Candidate],
        page: PageId,
    ) -> Result<Vec<Figures>, AnyError> {
        let (targets, wanted) = (self.targets(page)?, &self.wanted[&page]);
        let details = signals.sum.details(page, &targets)?;
        let places = ALONE.iter().filter_map(|name| signals.place(name));
        let mut found: Vec<Figures> =
            places.map(|place| figures(&targets, &details.signals[place].scores, wanted)).collect();
        found.push(figures(&targets, &matrices.score(page, &targets)?, wanted));
        let equal = SIGNALS.map(|signal| (signal.name.to_owned(), 1.0));
        for weights in std::iter::once(&equal[..]).chain(candidates.iter().map(|c| &c.weights[..])) {
            found.push(figures(&targets, &signals.weighted(&details, weights), wanted));
        }
        if !members.is_empty() {
            let drawn = mix(u64::from(page.0) ^ 0x5EED) % MEMBERS;
            found.push(figures(&targets, &members[drawn as usize].score(page, &targets)?, wanted));
        }
        Ok(found)
    }

    /// The members of the ensemble, each a model of its own.
    fn members(&self, inputs: &Inputs) -> Result<Vec<Arc<dyn Score>>, AnyError> {
        let member = |number: u64| {
            let conf = ScoreConf { model: Some(member_name(number)), ..conf() };
            Ok(open("llamafur", inputs, &conf, &mut Silent)?)
        };
        if self.held_out.is_some() { (0..MEMBERS).map(member).collect() } else { Ok(Vec::new()) }
    }

    /// What the engine returns: ten links a page.
    fn predicted(&self, lookup: Lookup) -> Result<Vec<Figures>, AnyError> {
        let engine = Engine::new(&self.corpus, EngineConf::default());
        let conf = PredictConf::default().lookup(lookup);
        let of_page = |&page: &PageId| -> Result<Figures, AnyError> {
            let predicted = engine.predict(self.corpus.title(page)?, &conf)?;
            let list = predicted.links.iter().map(|link| engine.page(&link.target));
            let list = list.collect::<Result<Vec<PageId>, _>>()?;
            let wanted = &self.wanted[&page];
            let others = self.corpus.num_pages() - 1 - self.corpus.links(page)?.len() - wanted.len();
            Ok(of_list(&list, others, wanted))
        };
        self.measured.iter().map(of_page).collect()
    }

    /// What the signals say of unseen links, each followed by pages that are none.
    pub(crate) fn examples(&self) -> Result<Vec<Example>, AnyError> {
        let inputs = Inputs::new(&self.corpus);
        let signals = Signals::open(&inputs)?;
        let of_page = |&page: &PageId| self.examples_of(&signals, page).map_err(|error| error.to_string());
        let examples = self.choosing.par_iter().map(of_page).collect::<Result<Vec<_>, _>>()?;
        Ok(examples.concat())
    }

    fn examples_of(&self, signals: &Signals, page: PageId) -> Result<Vec<Example>, AnyError> {
        let (targets, wanted) = (self.targets(page)?, &self.wanted[&page]);
        let details = signals.sum.details(page, &targets)?;
        let places = NAMES.map(|name| signals.place(name));
        let of = |at: usize| -> Vec<f64> {
            let signal = |place: &Option<usize>| place.and_then(|p| details.signals[p].scores[at]);
            places.iter().map(|place| -signal(place).unwrap_or(0.0)).collect()
        };
        let mut others: Vec<usize> =
            (0..targets.len()).filter(|&at| wanted.binary_search(&targets[at]).is_err()).collect();
        let scores = signals.weighted(&details, &NAMES.map(|name| (name.to_owned(), 1.0)));
        let score = |at: usize| scores[at].unwrap_or(f64::INFINITY);
        others.sort_by(|&a, &b| score(a).total_cmp(&score(b)));
        let mut rest = others.split_off(others.len().min(BESIDE));
        shuffle(&mut generator(2, Purpose::Pool, page.0.into()), &mut rest);
        others.extend(rest.into_iter().take(BESIDE));
        let others: Vec<Vec<f64>> = others.into_iter().map(of).collect();
        let found = wanted.iter().take(LINKS_OF_PAGE).filter_map(|target| targets.binary_search(target).ok());
        Ok(found.map(|at| [vec![of(at)], others.clone()].concat()).collect())
    }
}

/// A copy without a tenth of the links, with a model, and with each member of its ensemble as one.
fn held_out(original: &Corpus, seed: u64) -> Result<HeldOutLinks, AnyError> {
    let held_out = HeldOutLinks::new(original, 0.1, seed, temporary_folder()?, &mut Silent)?;
    let model = Model::open(original, "llamafur")?;
    held_out.copy.learn(&model, original, &mut Silent)?;
    let settings = model.settings();
    for member in 0..MEMBERS {
        let conf = LearnConf::of(settings).rank(settings.rank / settings.members());
        let conf = conf.ensemble(1).seed(settings.seed + member);
        held_out.copy.learn_as(&member_name(member), &model, original, &conf, &mut Silent)?;
    }
    Ok(held_out)
}

fn member_name(number: u64) -> String {
    format!("member-{number}")
}

fn conf() -> ScoreConf {
    ScoreConf { without_text_of_links: true, ..ScoreConf::default() }
}

/// Every signal that is measured or may have a weight, as far as the corpus has it.
struct Signals {
    sum: Sum,
}

impl Signals {
    fn open(inputs: &Inputs) -> Result<Signals, AnyError> {
        let read_link = ["mentions", "depth", "place"];
        let blend = SIGNALS.iter().map(|signal| signal.name).filter(|name| !read_link.contains(name));
        let mut names: Vec<String> = blend.chain(NAMES).chain(ALONE).map(String::from).collect();
        names.sort_unstable();
        names.dedup();
        Ok(Signals { sum: Sum::of_signals(&names, inputs, &conf(), &mut Silent)? })
    }

    fn place(&self, name: &str) -> Option<usize> {
        self.sum.names().iter().position(|other| *other == name)
    }

    /// The sums by these weights, as a blend with them has them.
    fn weighted(&self, details: &Details, weights: &[(String, f64)]) -> Vec<Option<f64>> {
        let mut sums: Vec<Option<f64>> = vec![None; details.scores.len()];
        for (name, weight) in weights {
            let Some(place) = self.place(name) else { continue };
            for (sum, score) in sums.iter_mut().zip(&details.signals[place].scores) {
                if let Some(score) = score {
                    *sum = Some(sum.unwrap_or(0.0) + weight * score);
                }
            }
        }
        sums
    }
}
