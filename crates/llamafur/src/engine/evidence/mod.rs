//! Evidence: why a link is odd or expected, as counts that can be checked in the corpus's tables.
//!
//! For a link from s to t, which is itself left out of every count:
//!
//! | kind | says | `links` | `of` |
//! |---|---|---|---|
//! | `category-pair` | how many links lead from pages of a kind that s is of to pages of a kind that t is of | those links | all links from the former |
//! | `only-one` | that no other link of s leads to a page of the kind | 0 | the other links of s |
//! | `kin` | how many other pages of a kind that s is of, or that share a category with s, link to t | those pages | the other pages |
//! | `neighbours` | how many pages are connected with both | those pages | the pages connected with either |
//! | `in-links` | how many of the other pages that link to t are of a kind that s is not of | those pages | the other pages that link to t |
//!
//! A page is of the [kinds](crate::explain::PageKinds) of its categories and those up to two levels above them; where a
//! kind says what the page is ([`nouns`]), only such kinds are reported. A category pair speaks for oddity if its links
//! are fewer than half of those expected by chance, and at least three are expected; for a link that is expected if
//! they are more than twice as many. By chance a pair has e = (links from the one)·(links to the other)/(all links). Of
//! several pairs with c links, the one furthest from chance is chosen, small counts apart: the one with the largest
//! |ln((c + 3)/(e + 3))|. Kin that link to t speak for oddity if they are fewer than half of those expected by chance,
//! (other pages of the kind)·(other pages that link to t)/(all other pages), or so few that all are named; if many more
//! pages share a category with s than are of its broadest kind, `kin` is about those, and has no `from`. A ranking
//! shows reasons that convince a reader; where none does, the sentence is the reason.
//!
//! # Quirks
//! For links that are not among the oddest of their page, all kinds are reported: selecting those that say what a page
//! is requires reading it.

mod nouns;
mod phrases;
mod source;

pub(super) use source::{PageEvidence, convincing};

use serde::{Deserialize, Serialize};

/// What a reason counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "kebab-case")]
pub enum EvidenceKind {
    /// Links between two kinds of pages.
    CategoryPair,
    /// Links of the page to pages of a kind.
    OnlyOne,
    /// Pages of a kind that link to the target.
    Kin,
    /// Pages that are connected with both.
    Neighbours,
    /// Pages that link to the target.
    InLinks,
}

names! {
    EvidenceKind "evidence" {
        CategoryPair = "category-pair",
        OnlyOne = "only-one",
        Kin = "kin",
        Neighbours = "neighbours",
        InLinks = "in-links",
    }
}

/// A reason: counts, and a sentence made of them.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Evidence {
    /// What is counted.
    pub kind: EvidenceKind,
    /// The sentence.
    pub text: String,
    /// The category of the pages that links come from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from: Option<String>,
    /// The category of the pages that links lead to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub to: Option<String>,
    /// Number of links, or of pages, without this link.
    pub links: u64,
    /// Number of those that could have been.
    pub of: u64,
    /// Number that chance would give.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expected: Option<f64>,
    /// Titles of pages that are counted, three at most.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub names: Vec<String>,
}
