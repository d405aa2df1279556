//! How far judges are, and how far they agree.

use super::log::Log;
use crate::judgments::{Agreement, Class, ClassTable, krippendorff_alpha};
use serde::Serialize;
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
    /// How far every two judges with links in common agree.
    pub pairs: Vec<Agreement>,
}

impl OverallAgreement {
    /// The agreement of all judges of a log.
    pub(super) fn of(log: &Log) -> Option<OverallAgreement> {
        let mut by_link: BTreeMap<&str, Vec<(&str, Class)>> = BTreeMap::new();
        for judge in log.judges() {
            for (key, judgment) in log.of(judge) {
                by_link.entry(key).or_default().push((judge, judgment.class));
            }
        }
        by_link.retain(|_, said| said.len() > 1);
        if by_link.is_empty() {
            return None;
        }
        let mut tables: BTreeMap<[&str; 2], ClassTable> = BTreeMap::new();
        let mut judges = BTreeSet::new();
        let (mut pairs, mut agreed) = (0_u64, 0_u64);
        for said in by_link.values() {
            for (i, &(one, first)) in said.iter().enumerate() {
                judges.insert(one);
                for &(two, second) in &said[i + 1..] {
                    tables.entry([one, two]).or_default().count(first, second);
                    pairs += 1;
                    agreed += u64::from(first == second);
                }
            }
        }
        let counts = |said: &Vec<(&str, Class)>| {
            let mut counts = [0; 4];
            said.iter().for_each(|(_, class)| counts[class.index()] += 1);
            counts
        };
        let of_pair =
            |(names, table): (&[&str; 2], &ClassTable)| Agreement::new(names.map(str::to_owned), table);
        let agreements: Vec<Agreement> = tables.iter().map(of_pair).collect();
        Some(OverallAgreement {
            judges: judges.len(),
            links: by_link.len(),
            percent: 100.0 * agreed as f64 / pairs as f64,
            kappa: if let [one] = &agreements[..] { one.kappa } else { None },
            alpha: krippendorff_alpha(&by_link.values().map(counts).collect::<Vec<_>>()),
            pairs: agreements,
        })
    }
}
