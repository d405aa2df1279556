//! How well links that were held out are predicted, by each scorer and by `Engine::predict` itself.
//!
//! Usage: `cargo run --release -p llamafur-bench --bin predictions -- [--fit] [--pages N] [--later CORPUS] CORPUS…`, where each
//! corpus has a model `llamafur`. A tenth of the links is held out of a copy, the model learnt again from the rest. Of the pages
//! with such links, half are for choosing (`--fit` fits the weights of the blend to N of them, in all corpora together,
//! and prints them), and N of the other half are for the figures. All pages that a page is not known to link to are ranked: hits@10, mean reciprocal
//! rank and AUC, with 95% bootstrap intervals over pages, and the difference in hits@10 to Adamic–Adar. `predict` is what the
//! engine returns, which compares some hundred pages that it chose. With `--later`, the links are not held out, but those that
//! a later corpus of the same wiki has. Nothing is timed.

#![allow(clippy::print_stdout, reason = "a benchmark prints")]

use llamafur::corpus::Corpus;
use llamafur::engine::{Engine, EngineConf, Lookup, PredictConf};
use llamafur::graph::PageId;
use llamafur::learn::{LearnConf, Model};
use llamafur::progress::Silent;
use llamafur::random::{Purpose, generator, mix, shuffle};
use llamafur::score::{Inputs, Score, ScoreConf, Sum, Weights, open};
use llamafur_eval::planted::temporary_folder;
use llamafur_eval::predicted::{Figures, HeldOutLinks, Wanted, figures, new_links, of_list};
use llamafur_eval::statistics::{RESAMPLES, Resamples};
use rayon::prelude::*;
use std::sync::Arc;

type AnyError = Box<dyn std::error::Error>;

/// Matrices of the ensemble that the stochastic ranking draws from.
const MEMBERS: u64 = 4;

/// What is compared besides.
const ALONE: [&str; 7] = ["categories", "llamafur", "aa", "ra", "peers", "company", "in-degree"];

struct Arguments {
    fit: bool,
    pages: usize,
    later: Option<String>,
    corpora: Vec<String>,
}

fn arguments() -> Result<Arguments, AnyError> {
    let mut found = Arguments { fit: false, pages: 500, later: None, corpora: Vec::new() };
    let mut arguments = std::env::args().skip(1);
    while let Some(argument) = arguments.next() {
        match &argument[..] {
            "--fit" => found.fit = true,
            "--pages" => found.pages = arguments.next().ok_or("how many pages?")?.parse()?,
            "--later" => found.later = Some(arguments.next().ok_or("which corpus?")?),
            _ => found.corpora.push(argument),
        }
    }
    if found.corpora.is_empty() { Err("give a corpus with a model".into()) } else { Ok(found) }
}

fn main() -> Result<(), AnyError> {
    let arguments = arguments()?;
    let mut examples = Vec::new();
    for path in &arguments.corpora {
        let task = Task::new(path, &arguments)?;
        if arguments.fit {
            examples.push(task.examples()?);
        }
        task.report()?;
    }
    if arguments.fit {
        println!("\nweights by softmax regression on {} corpora", examples.len());
        for (name, weight) in Weights::of_predictions().signals.iter().zip(fitted(&examples)) {
            println!("{:<12} {weight:.3} (in use {:.3})", name.name, name.weight);
        }
    }
    Ok(())
}

/// Links of a corpus that are to be predicted.
struct Task {
    path: String,
    corpus: Corpus,
    wanted: Wanted,
    choosing: Vec<PageId>,
    measured: Vec<PageId>,
    /// The folder of the copy is removed with it.
    held_out: Option<HeldOutLinks>,
}

impl Task {
    fn new(path: &str, arguments: &Arguments) -> Result<Task, AnyError> {
        let original = Corpus::open(path)?;
        let (corpus, wanted, held_out) = match &arguments.later {
            Some(later) => (original.clone(), new_links(&original, &Corpus::open(later)?)?, None),
            None => {
                let folder = temporary_folder()?;
                let held_out = HeldOutLinks::new(&original, 0.1, 1, folder, &mut Silent)?;
                let model = Model::open(&original, "llamafur")?;
                held_out.copy.learn(&model, &original, &mut Silent)?;
                for member in 0..MEMBERS {
                    let settings = model.settings();
                    let conf = LearnConf::of(settings).rank(settings.rank / settings.members());
                    let conf = conf.ensemble(1).seed(settings.seed + member);
                    let name = format!("member-{member}");
                    held_out.copy.learn_as(&name, &model, &original, &conf, &mut Silent)?;
                }
                (held_out.copy.corpus().clone(), held_out.wanted.clone(), Some(held_out))
            }
        };
        let (mut choosing, mut measured): (Vec<PageId>, Vec<PageId>) =
            wanted.keys().copied().partition(|page| mix(u64::from(page.0)).is_multiple_of(2));
        for pages in [&mut choosing, &mut measured] {
            shuffle(&mut generator(1, Purpose::Pool, 0), pages);
            pages.truncate(arguments.pages);
        }
        Ok(Task { path: path.to_owned(), corpus, wanted, choosing, measured, held_out })
    }

    /// All pages that a page is not known to link to.
    fn targets(&self, page: PageId) -> Result<Vec<PageId>, AnyError> {
        let links = self.corpus.links(page)?;
        let is_target = |target: &PageId| *target != page && links.binary_search(target).is_err();
        Ok((0..self.corpus.num_pages() as u32).map(PageId).filter(is_target).collect())
    }

    fn conf() -> ScoreConf {
        ScoreConf { without_text_of_links: true, ..ScoreConf::default() }
    }

    fn by_scorer(&self, scorer: &dyn Score, page: PageId) -> Result<Figures, AnyError> {
        let targets = self.targets(page)?;
        Ok(figures(&targets, &scorer.score(page, &targets)?, &self.wanted[&page]))
    }

    fn report(&self) -> Result<(), AnyError> {
        let inputs = Inputs::new(&self.corpus);
        let conf = Task::conf();
        let num_wanted: usize = self.measured.iter().map(|page| self.wanted[page].len()).sum();
        println!("\n{}: {} pages, {num_wanted} links held out of them", self.path, self.measured.len());
        println!(
            "scorer               hits@10  95% interval     MRR    95% interval     AUC    95% interval     hits@10 less aa's"
        );
        let resamples = Resamples::new(self.measured.len(), RESAMPLES, 1);
        let mut rows: Vec<(String, Vec<Figures>)> = Vec::new();
        let of_all = |scorer: &dyn Score| -> Result<Vec<Figures>, AnyError> {
            self.measured.iter().map(|&page| self.by_scorer(scorer, page)).collect()
        };
        for name in ALONE {
            match open(name, &inputs, &conf, &mut Silent) {
                Ok(scorer) => rows.push((name.into(), of_all(&*scorer)?)),
                Err(error) if error.is_lack() => println!("{name} is left out: {error}"),
                Err(error) => return Err(error.into()),
            }
        }
        rows.push(("rank's blend".into(), of_all(&*open("blend", &inputs, &conf, &mut Silent)?)?));
        let weighted = ScoreConf { weights: Some(Weights::of_predictions()), ..conf.clone() };
        rows.push(("predict's blend".into(), of_all(&*open("blend", &inputs, &weighted, &mut Silent)?)?));
        if self.held_out.is_some() {
            rows.push(("a member drawn".into(), self.stochastic(&inputs)?));
        }
        rows.push(("predict".into(), self.predicted()?));
        let adamic_adar: Vec<f64> = rows
            .iter()
            .find(|row| row.0 == "aa")
            .map_or(Vec::new(), |row| row.1.iter().map(|f| f.hits).collect());
        for (name, figures) in &rows {
            print!("{name:<20}");
            let of = |value: fn(&Figures) -> f64| figures.iter().map(value).collect::<Vec<f64>>();
            for values in [of(|f| f.hits), of(|f| f.reciprocal_rank), of(|f| f.auc)] {
                let found = resamples.mean(&values);
                let [low, high] = found.ci95.unwrap_or([f64::NAN; 2]);
                print!("  {:.3}  [{low:.3}, {high:.3}]", found.mean);
            }
            let more = resamples.difference(&of(|f| f.hits), &adamic_adar);
            let [low, high] = more.ci95.unwrap_or([f64::NAN; 2]);
            println!("  {:+.3} [{low:+.3}, {high:+.3}]", more.mean);
        }
        Ok(())
    }

    /// For each page one member of the ensemble, drawn at random.
    fn stochastic(&self, inputs: &Inputs) -> Result<Vec<Figures>, AnyError> {
        let member = |number: u64| {
            let conf = ScoreConf { model: Some(format!("member-{number}")), ..Task::conf() };
            open("llamafur", inputs, &conf, &mut Silent)
        };
        let members = (0..MEMBERS).map(member).collect::<Result<Vec<Arc<dyn Score>>, _>>()?;
        let of_page = |&page: &PageId| {
            let drawn = mix(u64::from(page.0) ^ 0x5EED) % MEMBERS;
            self.by_scorer(&*members[drawn as usize], page)
        };
        self.measured.iter().map(of_page).collect()
    }

    /// What the engine returns.
    fn predicted(&self) -> Result<Vec<Figures>, AnyError> {
        let engine = Engine::new(&self.corpus, EngineConf::default());
        let conf = PredictConf::default().top(0).lookup(Lookup::Anywhere);
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

    /// What the signals say of unseen links, each followed by pages that are none: a hundred at random, and the
    /// hundred that the blend expects most.
    fn examples(&self) -> Result<Vec<Vec<Vec<f64>>>, AnyError> {
        let inputs = Inputs::new(&self.corpus);
        let names: Vec<String> = Weights::of_predictions().signals.into_iter().map(|s| s.name).collect();
        let sum = Sum::of_signals(&names, &inputs, &Task::conf(), &mut Silent)?;
        let present = sum.names();
        let place = |name: &String| present.iter().position(|other| *other == &name[..]);
        let places: Vec<Option<usize>> = names.iter().map(place).collect();
        let mut examples = Vec::new();
        for &page in &self.choosing {
            let (targets, wanted) = (self.targets(page)?, &self.wanted[&page]);
            let details = sum.details(page, &targets)?;
            let signals = |at: usize| -> Vec<f64> {
                let signal = |place: &Option<usize>| place.and_then(|p| details.signals[p].scores[at]);
                places.iter().map(|place| -signal(place).unwrap_or(0.0)).collect()
            };
            let mut others: Vec<usize> =
                (0..targets.len()).filter(|&at| wanted.binary_search(&targets[at]).is_err()).collect();
            let score = |at: usize| details.scores[at].unwrap_or(f64::INFINITY);
            others.sort_by(|&a, &b| score(a).total_cmp(&score(b)));
            let mut rest = others.split_off(others.len().min(100));
            shuffle(&mut generator(2, Purpose::Pool, page.0.into()), &mut rest);
            others.extend(rest.into_iter().take(100));
            let others: Vec<Vec<f64>> = others.into_iter().map(signals).collect();
            for target in wanted.iter().take(5) {
                if let Ok(at) = targets.binary_search(target) {
                    examples.push([vec![signals(at)], others.clone()].concat());
                }
            }
        }
        Ok(examples)
    }
}

/// The weights w that maximise the mean of ln(exp w·x₀ / Σ exp w·x) over examples whose first is the link, every corpus
/// counting the same, by gradient ascent with a small penalty.
fn fitted(corpora: &[Vec<Vec<Vec<f64>>>]) -> Vec<f64> {
    let num = corpora[0][0][0].len();
    let mut weights = vec![0.3; num];
    let mut squares = vec![1e-6; num];
    for _ in 0..400 {
        let mut gradient: Vec<f64> = weights.iter().map(|w| -0.002 * w).collect();
        for examples in corpora {
            let parts = examples.par_iter().map(|example| slope(example, &weights));
            let sum = parts.reduce(|| vec![0.0; num], |a, b| a.iter().zip(&b).map(|(a, b)| a + b).collect());
            let scale = 1.0 / (examples.len() * corpora.len()) as f64;
            gradient.iter_mut().zip(sum).for_each(|(g, s)| *g += s * scale);
        }
        for at in 0..num {
            squares[at] = 0.95 * squares[at] + 0.05 * gradient[at].powi(2);
            weights[at] += 0.01 * gradient[at] / squares[at].sqrt();
        }
    }
    weights
}

fn slope(example: &[Vec<f64>], weights: &[f64]) -> Vec<f64> {
    let sums: Vec<f64> =
        example.iter().map(|x| x.iter().zip(weights).map(|(x, w)| x * w).sum::<f64>()).collect();
    let highest = sums.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let shares: Vec<f64> = sums.iter().map(|sum| (sum - highest).exp()).collect();
    let total: f64 = shares.iter().sum();
    let mut slope = example[0].clone();
    for (x, share) in example.iter().zip(shares) {
        slope.iter_mut().zip(x).for_each(|(s, x)| *s -= share / total * x);
    }
    slope
}
