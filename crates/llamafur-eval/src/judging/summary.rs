//! How far judges are, and how far they agree.

use super::log::Log;
use crate::judgments::{Agreement, Class, ClassTable, krippendorff_alpha};
use llamafur::Error;
use llamafur::interrupt::check;
use serde::Serialize;
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

/// How far the judging of a corpus is.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct JudgingSummary {
    /// The judges, by name.
    pub judges: Vec<JudgeProgress>,
    /// How many links there are to be judged.
    pub total: usize,
    /// How far they agree; `null` where no link has two judgments.
    #[cfg_attr(feature = "openapi", schema(required))]
    pub agreement: Option<OverallAgreement>,
}

/// How far a judge is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct JudgeProgress {
    /// The judge's name.
    pub name: String,
    /// How many of the links to be judged this judge has judged.
    pub judged: usize,
}

/// How far judges agree on the links that two or more of them judged.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct OverallAgreement {
    /// How many judges judged such a link.
    pub judges: usize,
    /// How many such links there are.
    pub links: usize,
    /// Of all pairs of judgments of the same link, how many percent are of the same class.
    pub percent: f64,
    /// Cohen's κ; `null` where there are more than two judges, or both used one and the same class only.
    #[cfg_attr(feature = "openapi", schema(required))]
    pub kappa: Option<f64>,
    /// Krippendorff's α for classes in order ([`krippendorff_alpha`]); `null` where all judgments are of one class.
    #[cfg_attr(feature = "openapi", schema(required))]
    pub alpha: Option<f64>,
    /// How far every two judges with links in common agree: of the 50 who judged the most such links.
    pub pairs: Vec<Agreement>,
    /// How many judges are left out of `pairs`.
    pub unpaired: usize,
}

/// Judges of whom every two are compared.
const MOST_COMPARED: usize = 50;

impl OverallAgreement {
    /// The agreement of all judges of a log. The time grows with the judgments, and with the square of [`MOST_COMPARED`] at most.
    pub(super) fn of(log: &Log) -> Result<Option<OverallAgreement>, Error> {
        let mut by_link: BTreeMap<&str, Vec<(&str, Class)>> = BTreeMap::new();
        for judge in log.judges() {
            for (key, judgment) in log.of(judge) {
                by_link.entry(key).or_default().push((judge, judgment.class));
            }
        }
        by_link.retain(|_, said| said.len() > 1);
        if by_link.is_empty() {
            return Ok(None);
        }
        let compared = most_active(&by_link);
        let mut tables: BTreeMap<[&str; 2], ClassTable> = BTreeMap::new();
        let (mut pairs, mut agreed) = (0, 0);
        let mut counts_of_links = Vec::with_capacity(by_link.len());
        for said in by_link.values() {
            check()?;
            let mut counts = [0; 4];
            said.iter().for_each(|(_, class)| counts[class.index()] += 1);
            pairs += num_pairs(said.len() as u64);
            agreed += counts.into_iter().map(num_pairs).sum::<u64>();
            counts_of_links.push(counts);
            let said: Vec<_> = said.iter().filter(|(judge, _)| compared.most.contains(judge)).collect();
            for (i, &&(one, first)) in said.iter().enumerate() {
                for &&(two, second) in &said[i + 1..] {
                    tables.entry([one, two]).or_default().count(first, second);
                }
            }
        }
        let of_pair =
            |(names, table): (&[&str; 2], &ClassTable)| Agreement::new(names.map(str::to_owned), table);
        let agreements: Vec<Agreement> = tables.iter().map(of_pair).collect();
        Ok(Some(OverallAgreement {
            judges: compared.of,
            links: by_link.len(),
            percent: 100.0 * agreed as f64 / pairs as f64,
            kappa: if let [one] = &agreements[..] { one.kappa } else { None },
            alpha: krippendorff_alpha(&counts_of_links),
            pairs: agreements,
            unpaired: compared.of - compared.most.len(),
        }))
    }
}

/// The pairs of so many things.
fn num_pairs(num: u64) -> u64 {
    num * num.saturating_sub(1) / 2
}

/// The judges of some links.
struct Compared<'a> {
    /// Those who judged the most of them; of equals the first by name.
    most: BTreeSet<&'a str>,
    /// How many there are.
    of: usize,
}

fn most_active<'a>(by_link: &BTreeMap<&str, Vec<(&'a str, Class)>>) -> Compared<'a> {
    let mut num_links: BTreeMap<&str, usize> = BTreeMap::new();
    for (judge, _) in by_link.values().flatten() {
        *num_links.entry(judge).or_default() += 1;
    }
    let mut judges: Vec<(&str, usize)> = num_links.into_iter().collect();
    judges.sort_by_key(|(_, num)| Reverse(*num));
    let most = judges.iter().take(MOST_COMPARED).map(|(judge, _)| *judge).collect();
    Compared { most, of: judges.len() }
}
