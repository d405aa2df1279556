//! What all people share, and the leaders.

use super::super::schema::{Backlink, Kind, Sibling, alike, back, kind_of, rule};

/// The kinds declared here.
pub(super) const KINDS: &[Kind] = &[LEADERS];

/// How a page about a person begins.
pub(super) const PERSON: &[&str] =
    &["{title} ({life}) {was} {a nationality} {occupation}.", "{pronoun} was born in {birthplace}."];

/// What the pages of a person's places say.
pub(super) const PERSON_BACKLINKS: &[Backlink] = &[
    back("home", 8, "{kinds} from {title} include {others}."),
    back("birthplace", 24, "It is the birthplace of {others}."),
];

/// Leads from a person to others of the same country.
pub(super) const COMPATRIOTS: Sibling = alike("home", 3, "{kinds} from the same country include {others}.");

/// Leads from a person to others of the same time.
pub(super) const COEVALS: Sibling = alike("era", 3, "{kinds} of the same era include {others}.");

const LEADERS: Kind = Kind {
    plural: "leaders",
    symmetric: &["contemporaries"],
    sentences: &[PERSON, &["{pronoun} was {office}.", "{His} contemporaries included {contemporaries}."]],
    backlinks: &[PERSON_BACKLINKS],
    siblings: &[
        alike("occupation", 5, "Among other {value}s {others?is|are} {others}."),
        COMPATRIOTS,
        COEVALS,
    ],
    categories: &[
        rule("{nationality} {occupation}s", "{occupation}s"),
        rule("{era} leaders", "Leaders"),
        rule("Leaders of {home}", "Leaders"),
    ],
    ..kind_of!("leaders.tsv")
};
