//! Weights of a blend from judgments: a ridge-logistic fit, cross-validated by page.
//!
//! For each page the loss is the mean of ln(1 + exp(−w·(x_i − x_j))) over its pairs of links of which i was judged more unexpected than
//! j, by any of the four classes, x being the studentised signals of a link; pages count alike. Added to it is
//! (λ/2)·‖w − c·b‖², with b_s = 1 for the signals of the blend without labels and 0 for the others, and c what suits b best: so few
//! judgments change the blend little, unless they contradict it, and none at all leave it as it is. Newton's method finds the minimum; the loss is convex.
//!
//! λ is not chosen, which few judgments could not do well: the weights are the mean of those of all [`RIDGES`], each scaled to
//! length 1. What is reported of bpref is from pages that the weights have not seen: ten folds of pages, dealt ten times.

use crate::judgments::{Class, Query};
use crate::measures::bpref;
use crate::statistics::{Interval, RESAMPLES, Resamples, SignFlip, sign_flip};
use llamafur::Error;
use llamafur::corpus::Corpus;
use llamafur::learn::sampler::{Purpose, generator, shuffle};
use llamafur::score::{SCORERS, Score, Scorer, Sum, Weights, is_in_blend};
use nalgebra::{Cholesky, DMatrix, DVector};
use rayon::prelude::*;
use serde::Serialize;

/// λ, from the least to the most faithful to the blend without labels.
pub const RIDGES: [f64; 4] = [10.0, 30.0, 100.0, 300.0];

/// Folds of the cross-validation, and how often they are dealt.
const FOLDS: usize = 10;
const DEALS: u64 = 10;

/// The studentised signals of a page's judged links, with their classes.
#[derive(Debug, Clone)]
struct Page {
    links: Vec<(Class, DVector<f64>)>,
}

/// What was learnt, and how well it does on pages that it has not seen.
#[derive(Debug, Clone, Serialize)]
pub struct LearntBlend {
    /// The weights, by all pages.
    #[serde(skip)]
    pub weights: Weights,
    /// Pages that were learnt from: with judged links of several classes.
    pub pages: usize,
    /// Pages with judged links of both kinds, on which it is measured.
    pub queries: usize,
    /// The mean bpref of pages held out.
    pub held_out: Interval,
    /// The mean bpref of the blend without labels on the same pages.
    pub without_labels: Interval,
    /// How much better the first is, and whether that may be chance.
    pub gain: Interval,
    /// The permutation test of it; `None` where there is nothing to compare.
    pub test: Option<SignFlip>,
}

/// The signals that are weighted by default: every scorer whose input the corpus may have. Of the scorers by a model those of the
/// blend: their sum beside them would make the weights of all less certain.
pub fn default_signals() -> Vec<String> {
    let is_default =
        |scorer: &&Scorer| !scorer.inputs.is_empty() && (scorer.model.is_none() || is_in_blend(scorer.name));
    SCORERS.iter().filter(is_default).map(|scorer| scorer.name.to_owned()).collect()
}

/// Learns the weights of these signals from judged links; some queries must have links of both kinds.
///
/// # Errors
/// If a file is damaged.
pub fn learn_blend(
    corpus: &Corpus,
    signals: &Sum,
    queries: &[Query],
    seed: u64,
) -> Result<LearntBlend, Error> {
    let pages = queries.par_iter().map(|query| Page::new(corpus, signals, query));
    let mut pages: Vec<Page> = pages.collect::<Result<_, Error>>()?;
    pages.retain(|page| page.num_pairs() > 0);
    let blend = DVector::from_iterator(
        signals.names().len(),
        signals.names().into_iter().map(|name| f64::from(u8::from(is_in_blend(name)))),
    );
    let all: Vec<&Page> = pages.iter().collect();
    // A page of one kind teaches, but has no bpref.
    let (held_out, without_labels): (Vec<f64>, Vec<f64>) = held_out(&all, &blend, seed)
        .into_iter()
        .zip(&all)
        .filter_map(|(held_out, page)| Some((held_out?, page.bpref(&blend)?)))
        .unzip();
    let weights = learnt(&all, &blend);
    let resamples = Resamples::new(held_out.len(), RESAMPLES, seed);
    let names = signals.names().into_iter().map(str::to_owned);
    Ok(LearntBlend {
        weights: Weights::new(names.zip(weights.iter().copied())),
        pages: pages.len(),
        queries: held_out.len(),
        held_out: resamples.mean(&held_out),
        without_labels: resamples.mean(&without_labels),
        gain: resamples.difference(&held_out, &without_labels),
        test: sign_flip(&held_out, &without_labels, seed),
    })
}

impl Page {
    fn new(corpus: &Corpus, signals: &Sum, query: &Query) -> Result<Page, Error> {
        let links = corpus.links(query.page)?;
        let scores = signals.details(query.page, links)?.signals;
        let row = |place: usize| {
            let of_link = scores.iter().map(|signal| signal.scores[place].unwrap_or(0.0));
            DVector::from_iterator(scores.len(), of_link)
        };
        let judged = query
            .links
            .iter()
            .filter_map(|link| links.binary_search(&link.target).ok().map(|place| (link.class, row(place))));
        Ok(Page { links: judged.collect() })
    }

    /// `None` where all links are of one kind.
    fn bpref(&self, weights: &DVector<f64>) -> Option<f64> {
        let scores = |is_relevant: bool| -> Vec<f64> {
            let of_kind = self.links.iter().filter(|(class, _)| class.is_relevant() == is_relevant);
            of_kind.map(|(_, link)| link.dot(weights)).collect()
        };
        bpref(&scores(true), &scores(false))
    }

    /// The differences of a more and a less unexpected link.
    fn pairs(&self) -> impl Iterator<Item = DVector<f64>> + '_ {
        let less = |of: Class| self.links.iter().filter(move |(class, _)| *class < of);
        self.links.iter().flat_map(move |(class, one)| less(*class).map(move |(_, two)| one - two))
    }

    fn num_pairs(&self) -> usize {
        let of = |class: Class| self.links.iter().filter(move |link| link.0 == class).count();
        let pairs = |class: Class| {
            of(class) * Class::ALL.into_iter().filter(|less| *less < class).map(of).sum::<usize>()
        };
        Class::ALL.into_iter().map(pairs).sum()
    }

    /// What each pair counts.
    fn share(&self) -> f64 {
        1.0 / self.num_pairs() as f64
    }
}

/// The bpref of every page by weights that were learnt without it, the mean over deals of the folds.
fn held_out(pages: &[&Page], blend: &DVector<f64>, seed: u64) -> Vec<Option<f64>> {
    let mut sums = vec![Some(0.0); pages.len()];
    for deal in 0..DEALS {
        let bprefs = cross_validated(pages, (seed, deal), |training| learnt(training, blend));
        for (sum, bpref) in sums.iter_mut().zip(bprefs) {
            *sum = sum.zip(bpref).map(|(sum, bpref)| sum + bpref);
        }
    }
    sums.into_iter().map(|sum| sum.map(|sum| sum / DEALS as f64)).collect()
}

/// The bpref of every page by what `learn` makes of the others, for one deal of the folds.
fn cross_validated(
    pages: &[&Page],
    (seed, deal): (u64, u64),
    learn: impl Fn(&[&Page]) -> DVector<f64> + Sync,
) -> Vec<Option<f64>> {
    let mut order: Vec<usize> = (0..pages.len()).collect();
    shuffle(&mut generator(seed, Purpose::Folds, deal), &mut order);
    let folds = FOLDS.min(pages.len());
    let of_fold = |fold: usize| {
        let is_held_out = |place: &usize| place % folds == fold;
        let of = |held_out: bool| {
            (0..order.len()).filter(move |place| is_held_out(place) == held_out).map(|place| order[place])
        };
        let training: Vec<&Page> = of(false).map(|page| pages[page]).collect();
        let weights = learn(&training);
        of(true).map(|page| (page, pages[page].bpref(&weights))).collect::<Vec<_>>()
    };
    let of_folds: Vec<Vec<(usize, Option<f64>)>> = (0..folds).into_par_iter().map(of_fold).collect();
    let mut bprefs = vec![None; pages.len()];
    of_folds.into_iter().flatten().for_each(|(page, bpref)| bprefs[page] = bpref);
    bprefs
}

/// The mean of the weights of all ridges, scaled so that those of the blend's signals add up to what they do without labels.
fn learnt(pages: &[&Page], blend: &DVector<f64>) -> DVector<f64> {
    let prior = blend * scale_of(pages, blend);
    let mean = RIDGES.iter().fold(DVector::zeros(blend.len()), |sum: DVector<f64>, &ridge| {
        let weights = fit(pages, ridge, &prior);
        match weights.norm() {
            0.0 => sum,
            length => sum + weights / length,
        }
    });
    match mean.dot(blend) {
        _ if pages.is_empty() => blend.clone(),
        share if share > 0.0 => mean * (blend.sum() / share),
        // No signal of the blend has weight: the scale does not matter to a ranking.
        _ => mean,
    }
}

/// ln(1 + exp(−m)), its slope and its curvature.
fn logistic(margin: f64) -> (f64, f64, f64) {
    let p = 1.0 / (1.0 + margin.exp());
    let loss = if margin > 0.0 { (-margin).exp().ln_1p() } else { margin.exp().ln_1p() - margin };
    (loss, -p, p * (1.0 - p))
}

/// The weights with the least loss, c·b being the prior.
fn fit(pages: &[&Page], ridge: f64, prior: &DVector<f64>) -> DVector<f64> {
    let mut weights = prior.clone();
    for _ in 0..50 {
        let mut slope = (&weights - prior) * ridge;
        let mut curvature = DMatrix::identity(weights.len(), weights.len()) * ridge;
        for page in pages {
            let share = page.share();
            for pair in page.pairs() {
                let (_, first, second) = logistic(pair.dot(&weights));
                slope.axpy(share * first, &pair, 1.0);
                curvature.ger(share * second, &pair, &pair, 1.0);
            }
        }
        let Some(factors) = Cholesky::new(curvature) else { break };
        let step = factors.solve(&slope);
        weights -= &step;
        if step.amax() < 1e-9 {
            break;
        }
    }
    weights
}

/// c: how far apart the blend's own scores must be for the logistic loss to be least, from 0 to 10.
fn scale_of(pages: &[&Page], blend: &DVector<f64>) -> f64 {
    let margins: Vec<(f64, f64)> = pages
        .iter()
        .flat_map(|page| page.pairs().map(move |pair| (page.share(), pair)))
        .map(|(share, pair)| (share, pair.dot(blend)))
        .collect();
    // The slope of a convex function is 0 between where it is negative and where it is positive.
    let (mut low, mut high) = (0.0, 10.0);
    for _ in 0..60 {
        let middle = (low + high) / 2.0;
        let slope: f64 =
            margins.iter().map(|(share, margin)| share * logistic(middle * margin).1 * margin).sum();
        if slope < 0.0 { low = middle } else { high = middle }
    }
    low
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::statistics::mean;
    use llamafur::learn::sampler::unit;

    /// Pages whose relevant links are those with the larger first signal, plus noise; the other signals say nothing.
    fn pages(num: usize, noise: f64) -> Vec<Page> {
        let mut draw = generator(3, Purpose::Folds, 1);
        let mut link = |shift: f64| {
            let mut number = || unit(&mut draw) * 2.0 - 1.0;
            DVector::from_vec(vec![shift + noise * number(), number(), number()])
        };
        (0..num)
            .map(|_| {
                let relevant = (0..3).map(|_| (Class::U, link(1.0))).collect::<Vec<_>>();
                Page { links: relevant.into_iter().chain((0..9).map(|_| (Class::E, link(0.0)))).collect() }
            })
            .collect()
    }

    #[test]
    fn the_slope_and_curvature_are_those_of_the_loss() {
        for margin in [-30.0, -2.0, 0.0, 0.5, 40.0] {
            let h = 1e-5;
            let [below, here, above] = [margin - h, margin, margin + h].map(logistic);
            assert!(((above.0 - below.0) / (2.0 * h) - here.1).abs() < 1e-8, "{margin}");
            assert!(((above.1 - below.1) / (2.0 * h) - here.2).abs() < 1e-8, "{margin}");
        }
        assert_eq!(logistic(0.0).0, 2f64.ln());
    }

    #[test]
    fn the_fit_is_where_the_loss_is_least() {
        let pages = pages(20, 2.0);
        let (all, blend) = (pages.iter().collect::<Vec<_>>(), DVector::from_vec(vec![1.0, 1.0, 0.0]));
        let prior = &blend * scale_of(&all, &blend);
        let loss = |w: &DVector<f64>| {
            let of =
                |page: &&Page| page.pairs().map(|pair| logistic(pair.dot(w)).0).sum::<f64>() * page.share();
            all.iter().map(of).sum::<f64>() + 1.5 * (w - &prior).norm_squared()
        };
        let found = fit(&all, 3.0, &prior);
        for direction in 0..3 {
            for step in [-1e-3, 1e-3] {
                let mut other = found.clone();
                other[direction] += step;
                assert!(loss(&other) > loss(&found));
            }
        }
    }

    #[test]
    fn what_says_something_gets_weight_and_a_strong_ridge_keeps_the_blend() {
        let pages = pages(60, 1.0);
        let (all, blend) = (pages.iter().collect::<Vec<_>>(), DVector::from_vec(vec![1.0, 1.0, 1.0]));
        let prior = &blend * scale_of(&all, &blend);
        let free = fit(&all, 1.0, &prior);
        assert!(free[0] > 1.0 && free[1].abs() < 0.5 && free[2].abs() < 0.5, "{free}");
        let kept = fit(&all, 1e9, &prior);
        assert!((kept[0] - kept[1]).abs() < 1e-4 && (kept[0] - kept[2]).abs() < 1e-4, "{kept}");
    }

    #[test]
    fn the_more_judgments_the_further_from_the_blend() {
        let (few, many) = (pages(60, 1.0), pages(600, 1.0));
        let blend = DVector::from_vec(vec![1.0, 1.0, 1.0]);
        let [by_few, by_many] = [&few, &many].map(|pages| learnt(&pages.iter().collect::<Vec<_>>(), &blend));
        for weights in [&by_few, &by_many] {
            assert!((weights.sum() - 3.0).abs() < 1e-9);
        }
        assert!(by_few[0] > 1.1 && by_many[0] > by_few[0] + 0.3, "{by_few} {by_many}");
        // The other signals only add noise, so the weights rank better on pages that they have not seen.
        let plain: Vec<f64> = few.iter().filter_map(|page| page.bpref(&blend)).collect();
        let held_out = held_out(&few.iter().collect::<Vec<_>>(), &blend, 1);
        let held_out: Vec<f64> = held_out.into_iter().flatten().collect();
        assert!(mean(&held_out) > mean(&plain) + 0.02, "{} {}", mean(&held_out), mean(&plain));
    }

    #[test]
    fn pairs_are_those_of_different_classes() {
        let link = |class, x: f64| (class, DVector::from_vec(vec![x]));
        let links =
            vec![link(Class::E, 1.0), link(Class::TU, 10.0), link(Class::TE, 0.0), link(Class::E, 2.0)];
        let page = Page { links };
        let mut pairs: Vec<f64> = page.pairs().map(|pair| pair[0]).collect();
        pairs.sort_by(f64::total_cmp);
        assert_eq!(pairs, [1.0, 2.0, 8.0, 9.0, 10.0]);
        assert_eq!(page.num_pairs(), 5);
        let blend = DVector::from_vec(vec![1.0]);
        assert_eq!(learnt(&[], &blend), blend);
        let expected = Page { links: page.links[2..].to_vec() };
        assert_eq!((expected.num_pairs(), expected.bpref(&DVector::from_vec(vec![1.0]))), (1, None));
    }

    #[test]
    fn every_page_is_held_out_once() {
        let pages = pages(7, 1.0);
        let all: Vec<&Page> = pages.iter().collect();
        let bprefs = cross_validated(&all, (1, 0), |training| {
            assert_eq!(training.len(), 6);
            DVector::from_vec(vec![1.0, 0.0, 0.0])
        });
        assert!(bprefs.iter().all(Option::is_some));
    }
}
