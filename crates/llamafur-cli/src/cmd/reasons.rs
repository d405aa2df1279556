//! What makes a link odd and what speaks for it, in words: the signals of the blend, each as a clause.

use crate::output::signed;
use anyhow::Result;
use llamafur::corpus::PageId;
use llamafur::progress::Progress;
use llamafur::score::{Inputs, RankedLink, ScoreConf, Shared, open, rank};
use serde::Serialize;
use std::collections::BTreeMap;

/// Standard deviations from the mean of all links below which a signal says nothing.
const NOTHING: f64 = 0.5;

/// Clauses on each side.
const CLAUSES: usize = 3;

/// What makes a link odd, and what speaks for it: the strongest first.
#[derive(Debug, Default, Serialize)]
pub(super) struct Reasons {
    /// What the blend says; `null` where it has nothing to go by.
    blend: Option<f64>,
    /// The link's place among the page's, the most unexpected first; of one that does not exist, where it would stand.
    rank: usize,
    /// How many links there are, with this one.
    of: usize,
    pub(super) odd: Vec<String>,
    pub(super) expected: Vec<String>,
    /// In standard deviations from the mean of all links.
    pub(super) signals: BTreeMap<String, f64>,
}

/// What is known of a link besides its signals.
pub(super) struct Facts<'a> {
    pub(super) source: &'a str,
    pub(super) target: &'a str,
    /// The lightest and the heaviest category pair.
    pub(super) pairs: Option<[Pair<'a>; 2]>,
    pub(super) shared: Shared,
    /// Neighbours of either page.
    pub(super) neighbours: usize,
    /// Pages that link to the target.
    pub(super) in_links: usize,
}

/// A category pair of the two pages.
pub(super) struct Pair<'a> {
    pub(super) source: &'a str,
    pub(super) target: &'a str,
    pub(super) weight: f64,
    /// Links between pages of the two, this one not counted.
    pub(super) links: u64,
}

impl Reasons {
    /// The reasons that the blend has for a link.
    pub(super) fn new(
        inputs: &Inputs<'_>,
        conf: &ScoreConf,
        (source, target): (PageId, PageId),
        facts: &Facts<'_>,
        progress: &mut dyn Progress,
    ) -> Result<Reasons> {
        let blend = open("blend", inputs, conf, progress)?;
        let signals = blend.signals(source, &[target])?;
        let said = signals.into_iter().filter_map(|(name, scores)| Some((name, scores[0]?)));
        let mut said: Vec<(String, f64)> = said.collect();
        said.sort_by(|a, b| b.1.abs().total_cmp(&a.1.abs()));
        let score = blend.score(source, &[target])?[0];
        let others = rank(inputs.corpus(), &*blend, source)?;
        let above = |link: &&RankedLink| link.target != target && link.unexpectedness > score;
        let mut reasons = Reasons {
            blend: score,
            rank: 1 + others.iter().filter(above).count(),
            of: 1 + others.iter().filter(|link| link.target != target).count(),
            signals: said.iter().cloned().collect(),
            ..Reasons::default()
        };
        for (name, score) in said.into_iter().filter(|(_, score)| score.abs() >= NOTHING) {
            let (side, is_odd) = match score > 0.0 {
                true => (&mut reasons.odd, true),
                false => (&mut reasons.expected, false),
            };
            if let Some(clause) = clause(&name, is_odd, facts)
                && side.len() < CLAUSES
                && !side.contains(&clause)
            {
                side.push(clause);
            }
        }
        Ok(reasons)
    }

    /// The place of the link by the blend, and one sentence for each side that has something to say.
    pub(super) fn sentences(&self, source: &str, is_link: bool) -> Vec<String> {
        let place = self.blend.map(|blend| {
            let (is, of) = if is_link { ("number", "") } else { ("would be number", ", itself included") };
            format!("Blend {}: {is} {} of the {} links of {source}{of}.", signed(blend), self.rank, self.of)
        });
        let side = |head: &str, clauses: &[String]| {
            (!clauses.is_empty()).then(|| format!("{head}: {}.", clauses.join("; ")))
        };
        [place, side("Odd", &self.odd), side("For it", &self.expected)].into_iter().flatten().collect()
    }
}

/// What a signal says of a link.
fn clause(signal: &str, is_odd: bool, facts: &Facts<'_>) -> Option<String> {
    let Facts { source, target, .. } = facts;
    let signal = signal.split(':').next().unwrap_or(signal);
    Some(match (signal, is_odd) {
        ("llamafur", is_odd) => {
            // A link can be odder than most although no pair speaks against it.
            let [lightest, heaviest] = facts.pairs.as_ref()?;
            match is_odd {
                true if lightest.weight >= 0.0 => return None,
                true if lightest.links == 0 => {
                    format!("no other page in {} links to one in {}", lightest.source, lightest.target)
                }
                true => format!("pages in {} seldom link to those in {}", lightest.source, lightest.target),
                false if heaviest.weight <= 0.0 => return None,
                false => format!("pages in {} often link to those in {}", heaviest.source, heaviest.target),
            }
        }
        ("ra", _) => match (facts.shared.common, facts.neighbours) {
            (0, of) => format!("the two share none of {of} neighbours"),
            (common, of) => format!("the two share {common} of {of} neighbours"),
        },
        ("company", true) => format!("{source} links to little else that is like {target}"),
        ("company", false) => format!("{source} links to others like {target}"),
        ("reciprocity", true) => format!("{target} does not link back"),
        ("reciprocity", false) => format!("{target} links back"),
        ("in-degree", true) if facts.in_links == 1 => format!("no other page links to {target}"),
        ("in-degree", true) => format!("only {} pages link to {target}", facts.in_links),
        ("in-degree", false) => format!("{} pages link to {target}", facts.in_links),
        ("cosine" | "text-svd", true) => "the words have little in common".into(),
        ("cosine" | "text-svd", false) => "the words have much in common".into(),
        ("m4", true) => format!("{target} has words that the other links of {source} lack"),
        ("m4", false) => format!("the words of {target} are those of the other links of {source}"),
        ("mentions", true) => format!("{source} hardly names {target}"),
        ("mentions", false) => format!("{source} names {target} often"),
        ("depth", true) => "the link stands far down the page".into(),
        ("depth", false) => "the link stands near the head of the page".into(),
        _ => return None,
    })
}
