//! Closed forms against all orders of the ties, and against the formulas as textbooks have them.

use super::ties::{Group, groups};
use super::*;
use proptest::prelude::*;
use proptest::test_runner::RngSeed;

/// Parses a ranking: classes or `-`, the highest first, `=` between tied links.
pub(super) fn ranking(text: &str) -> Vec<Group> {
    let links = text.split(' ').zip(0..).flat_map(|(tied, place)| {
        tied.split('=').map(move |class| (Some(-f64::from(place)), class.parse::<Class>().ok()))
    });
    groups(links)
}

type Link = (Option<f64>, Option<Class>);

/// Returns all orders of the links in which scores do not ascend.
fn orders(links: &[Link]) -> Vec<Vec<Option<Class>>> {
    let Some(top) = links.iter().map(|link| link.0).max_by(|a, b| a.partial_cmp(b).unwrap()) else {
        return vec![Vec::new()];
    };
    let firsts = (0..links.len()).filter(|i| links[*i].0 == top);
    firsts
        .flat_map(|first| {
            let mut rest = links.to_vec();
            let class = rest.remove(first).1;
            orders(&rest).into_iter().map(move |order| [vec![class], order].concat())
        })
        .collect()
}

/// Computes the measures without ties, directly from their formulas.
fn textbook(order: &[Option<Class>]) -> ([f64; 4], Vec<(Option<f64>, f64)>) {
    let judged: Vec<Class> = order.iter().flatten().copied().collect();
    let relevant = |classes: &[Class]| classes.iter().filter(|class| class.is_relevant()).count() as f64;
    let r = relevant(&judged);
    let n = judged.len() as f64 - r;
    let (mut bpref, mut average_precision, mut auc) = (0.0, 0.0, 0.0);
    for place in (0..judged.len()).filter(|place| judged[*place].is_relevant()) {
        let above = place as f64 - relevant(&judged[..place]);
        bpref += (1.0 - above.min(r) / r.min(n)) / r;
        average_precision += relevant(&judged[..=place]) / (place as f64 + 1.0) / r;
        auc += (n - above) / (r * n);
    }
    let dcg = |classes: &[Class]| -> f64 {
        classes.iter().zip(2..).map(|(class, i)| f64::from(class.gain()) / f64::from(i).log2()).sum()
    };
    let mut best = judged.clone();
    best.sort_by(|a, b| b.cmp(a));
    let curve = PERCENTILES.map(|p| {
        let above: Vec<Class> =
            order[..(p as usize * order.len()).div_ceil(100)].iter().flatten().copied().collect();
        ((!above.is_empty()).then(|| relevant(&above) / above.len() as f64), relevant(&above) / r)
    });
    ([bpref, average_precision, dcg(&judged) / dcg(&best), auc], curve.to_vec())
}

fn measured(links: &[Link]) -> Option<QueryMeasures> {
    let scores: Vec<Option<f64>> = links.iter().map(|link| link.0).collect();
    let judged: Vec<(usize, Class)> =
        links.iter().enumerate().filter_map(|(i, link)| Some((i, link.1?))).collect();
    measure(&scores, &judged)
}

fn near(a: f64, b: f64) -> bool {
    (a - b).abs() < 1e-12
}

fn is_mean_of_orders(links: &[Link]) -> Result<(), TestCaseError> {
    let Some(found) = measured(links) else { return Ok(()) };
    let orders: Vec<_> = orders(links).iter().map(|order| textbook(order)).collect();
    let num = orders.len() as f64;
    for (i, measure) in Measure::ALL.into_iter().enumerate() {
        let expected = orders.iter().map(|order| order.0[i]).sum::<f64>() / num;
        prop_assert!(near(found.get(measure), expected), "{measure:?}: {} {expected}", found.get(measure));
    }
    for (i, point) in found.curve.iter().enumerate() {
        let precisions: Vec<f64> = orders.iter().filter_map(|order| order.1[i].0).collect();
        let recall = orders.iter().map(|order| order.1[i].1).sum::<f64>() / num;
        prop_assert!(near(point.recall, recall));
        prop_assert!(near(point.defined, precisions.len() as f64 / num));
        prop_assert_eq!(point.precision.is_some(), !precisions.is_empty());
        let expected = precisions.iter().sum::<f64>() / precisions.len() as f64;
        prop_assert!(point.precision.is_none_or(|found| near(found, expected)));
    }
    Ok(())
}

fn class() -> impl Strategy<Value = Option<Class>> {
    (0..6usize).prop_map(|i| Class::ALL.get(i).copied())
}

fn cases(cases: u32) -> ProptestConfig {
    let rng_seed = RngSeed::Fixed(20160522);
    ProptestConfig { cases, rng_seed, failure_persistence: None, ..Default::default() }
}

proptest! {
    #![proptest_config(cases(300))]

    #[test]
    fn every_closed_form_is_the_mean_over_the_orders_of_the_ties(
        links in proptest::collection::vec((0..4i32, class()), 2..8),
    ) {
        let scored = |(score, class)| ((score > 0).then_some(f64::from(score)), class);
        is_mean_of_orders(&links.into_iter().map(scored).collect::<Vec<Link>>())?;
    }

    #[test]
    fn without_ties_they_are_the_textbooks_formulas(
        classes in proptest::collection::vec(class(), 2..200), seed in any::<u64>(),
    ) {
        use llamafur::learn::sampler::{Purpose, generator, shuffle};
        let mut links: Vec<Link> =
            classes.into_iter().zip(0..).map(|(class, i)| (Some(f64::from(i)), class)).collect();
        shuffle(&mut generator(seed, Purpose::Chance, 0), &mut links);
        is_mean_of_orders(&links)?;
    }

    #[test]
    fn only_the_order_of_scores_matters(links in proptest::collection::vec((0..6i32, class()), 2..40)) {
        let link = |scale: fn(f64) -> f64| links.iter().map(move |(s, c)| (Some(scale(f64::from(*s))), *c));
        let (plain, scaled): (Vec<Link>, Vec<Link>) = (link(|s| s).collect(), link(|s| s.exp() - 90.0).collect());
        prop_assert_eq!(measured(&plain), measured(&scaled));
    }
}

#[test]
fn a_query_needs_both_kinds() {
    assert_eq!(measure(&[Some(1.0), None], &[(0, Class::TU), (1, Class::U)]), None);
    assert_eq!(measure(&[Some(1.0), None], &[(0, Class::TE)]), None);
    assert_eq!(measure(&[], &[]), None);
    assert!(measure(&[Some(1.0), None], &[(0, Class::TE), (1, Class::U)]).is_some());
}

#[test]
fn chance_is_one_half_by_auc_and_the_share_of_relevant_links_by_precision() {
    let judged: Vec<(usize, Class)> =
        (0..40).map(|i| (2 * i, if i % 4 == 0 { Class::U } else { Class::E })).collect();
    let found = chance(100, &judged).unwrap();
    assert!(near(found.auc, 0.5));
    assert!(found.curve.iter().all(|point| near(point.precision.unwrap(), 0.25)));
    assert!(PERCENTILES.iter().zip(found.curve).all(|(p, point)| near(point.recall, f64::from(*p) / 100.0)));
}
