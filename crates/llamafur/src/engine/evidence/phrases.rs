//! The sentences of evidence, made of its counts.

use super::{Evidence, EvidenceKind};
use crate::score::Side;

/// The names in a sentence, besides its counts.
pub(super) struct Named<'a> {
    /// The title of the page that links.
    pub(super) source: &'a str,
    /// The title of the page that it links to.
    pub(super) target: &'a str,
    pub(super) side: Side,
}

/// Returns the sentence of a piece of evidence.
pub(super) fn sentence(evidence: &Evidence, named: &Named<'_>) -> String {
    let mut sentence = counted_in_words(evidence, named);
    // A title may end in a full stop.
    if sentence.ends_with("..") {
        sentence.pop();
    }
    sentence
}

fn counted_in_words(evidence: &Evidence, named: &Named<'_>) -> String {
    let Evidence { kind, from, to, links, of, expected, names, .. } = evidence;
    let (from, to) = (quoted(from), quoted(to));
    let Named { source, target, side } = named;
    match kind {
        EvidenceKind::CategoryPair => format!(
            "Of {} from pages in {from}, {} to pages in {to}; chance would give {}.",
            counted(*of, "other link"),
            verb(*links, "leads", "lead"),
            expected.map(about).unwrap_or_default(),
        ),
        EvidenceKind::OnlyOne => {
            let links = grouped(of + 1);
            format!("{target} is the only one of the {links} links of {source} that is in {to}.")
        }
        EvidenceKind::Kin => {
            let kin = match evidence.from {
                Some(_) => format!("{} in {from}", counted(*of, "other page")),
                None => format!(
                    "{} that {} a category with {source}",
                    counted(*of, "page"),
                    verb_of(*of, "shares", "share")
                ),
            };
            match links {
                0 => format!("None of the {kin} links to {target}."),
                links if links == of => {
                    format!("All of the {kin} {} to {target}.", verb_of(*of, "links", "link"))
                }
                _ => format!(
                    "{} of the {kin} {} to {target}{}.",
                    grouped(*links),
                    verb_of(*links, "links", "link"),
                    listed(names, *links),
                ),
            }
        }
        EvidenceKind::Neighbours if *links == 0 => format!(
            "None of the {} linked with {source} or with {target} is linked with both.",
            counted(*of, "page"),
        ),
        EvidenceKind::Neighbours => format!(
            "Of the {} linked with {source} or with {target}, {} linked with both{}.",
            counted(*of, "page"),
            verb(*links, "is", "are"),
            listed(names, *links),
        ),
        EvidenceKind::InLinks if *of == 0 => format!("No other page links to {target}."),
        EvidenceKind::InLinks => {
            let not = if *side == Side::Odd { format!("; {source} is not") } else { String::new() };
            let linking =
                format!("{} that {} to {target}", counted(*of, "other page"), verb_of(*of, "links", "link"));
            match links == of {
                true => format!("All of the {linking} are in {from}{not}."),
                false => format!("Of the {linking}, {} in {from}{not}.", verb(*links, "is", "are")),
            }
        }
    }
}

/// Returns the form of a verb after a number.
fn verb_of<'a>(number: u64, one: &'a str, many: &'a str) -> &'a str {
    if number == 1 { one } else { many }
}

fn quoted(category: &Option<String>) -> String {
    format!("“{}”", category.as_deref().unwrap_or_default())
}

/// Formats a number and a noun: `1 page`, `1,312 pages`.
fn counted(number: u64, noun: &str) -> String {
    format!("{} {noun}{}", grouped(number), if number == 1 { "" } else { "s" })
}

/// Formats a number and a verb: `none leads`, `1 leads`, `2 lead`.
fn verb(number: u64, one: &str, many: &str) -> String {
    match number {
        0 => format!("none {one}"),
        1 => format!("1 {one}"),
        _ => format!("{} {many}", grouped(number)),
    }
}

/// Formats a number with thousands separators.
fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let parts: Vec<&str> =
        digits.as_bytes().rchunks(3).rev().filter_map(|part| str::from_utf8(part).ok()).collect();
    parts.join(",")
}

/// Formats an expected count: 31, 4.2.
fn about(number: f64) -> String {
    if number < 9.95 { format!("{number:.1}") } else { grouped(number.round() as u64) }
}

/// Formats names: `: A, B and C`, or `, among them A, B and C` if there are more.
fn listed(names: &[String], of: u64) -> String {
    match names {
        [] => String::new(),
        names if (names.len() as u64) < of => format!(", among them {}", joined(names)),
        names => format!(": {}", joined(names)),
    }
}

/// Joins names: `A, B and C`.
fn joined(names: &[String]) -> String {
    match names {
        [] => String::new(),
        [name] => name.clone(),
        [names @ .., last] => format!("{} and {last}", names.join(", ")),
    }
}
