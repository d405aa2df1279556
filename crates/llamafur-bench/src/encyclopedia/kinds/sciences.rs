//! Elements, scientists, fields of study, universities and inventions.

use super::super::schema::{Kind, Naming, alike, back, kind_of, rule};
use super::people::{COEVALS, COMPATRIOTS, PERSON, PERSON_BACKLINKS};
use super::sky::DISCOVERY_BACKLINKS;

/// The kinds declared here.
pub(super) const KINDS: &[Kind] = &[ELEMENTS, SCIENTISTS, FIELDS, UNIVERSITIES, INVENTIONS];

const ELEMENTS: Kind = Kind {
    plural: "chemical elements",
    naming: Naming::Common,
    sentences: &[&[
        "{title} is a chemical element, one of the {series}.",
        "Its symbol is {symbol} and its atomic number is {number}.",
        "It has been known since {ancient}.",
        "It was discovered by {discoverers}.",
        "Its story as an element begins in {country} in the {century} century.",
        "It is named after {named_after}.",
        "In the periodic table it stands just before {next}.",
    ]],
    backlinks: &[
        DISCOVERY_BACKLINKS,
        &[
            back("next", 1, "It comes just after {others}."),
            back("country", 8, "Chemical elements discovered in {title} include {others}."),
        ],
    ],
    siblings: &[
        alike("series", 7, "Among other {value} {others?is|are} {others}."),
        alike("ancient", 5, "Other elements known for so long include {others}."),
        alike("century", 4, "Elements discovered in the same century include {others}."),
    ],
    categories: &[
        rule("{series}", "Chemical elements"),
        rule("Chemical elements discovered in the {century} century", "Chemical elements"),
        rule("Chemical elements known since {ancient}", "Chemical elements"),
        rule("Period {period} elements", "Chemical elements"),
    ],
    ..kind_of!("elements.tsv")
};

const SCIENTISTS: Kind = Kind {
    plural: "scientists and inventors",
    symmetric: &["colleagues"],
    sentences: &[
        PERSON,
        &[
            "{pronoun} {was} known for {known}.",
            "{pronoun} worked in {fields}.",
            "{pronoun} studied or taught at {university}.",
            "{pronoun} received the Nobel {prize?Prize|Prizes} in {prize}.",
            "{pronoun} worked or exchanged ideas with {colleagues}.",
        ],
    ],
    backlinks: &[
        PERSON_BACKLINKS,
        &[
            back("fields", 24, "Scientists who worked in {title} include {others}."),
            back("university", 24, "Scientists who studied or taught there include {others}."),
        ],
    ],
    siblings: &[
        alike("occupation", 5, "Among other {value}s {others?is|are} {others}."),
        COMPATRIOTS,
        COEVALS,
    ],
    categories: &[
        rule("{nationality} {occupation}s", "{occupation}s"),
        rule("{era} scientists", "Scientists"),
        rule("Nobel laureates in {prize}", "Nobel laureates"),
    ],
    ..kind_of!("scientists.tsv")
};

const FIELDS: Kind = Kind {
    plural: "fields of study",
    naming: Naming::Common,
    symmetric: &["related"],
    sentences: &[&["{title} is the study of {about}.", "It is close to {related}."]],
    siblings: &[alike("group", 6, "Among other {value} {others?is|are} {others}.")],
    categories: &[rule("{group}", "Fields of study"), rule("{kind}", "Knowledge")],
    ..kind_of!("fields.tsv")
};

const UNIVERSITIES: Kind = Kind {
    plural: "universities",
    sentences: &[&[
        "{title} is a university in {city}.",
        "It belongs to the universities of {country} and dates from the {century} century.",
    ]],
    backlinks: &[&[
        back("city", 4, "It is the home of {others}."),
        back("country", 10, "Universities in {title} include {others}."),
    ]],
    siblings: &[alike("continent", 6, "Among other universities in {value} {others?is|are} {others}.")],
    categories: &[
        rule("Universities in {country}", "Universities in {continent}"),
        rule("Universities in {continent}", "Universities"),
        rule("Universities founded in the {century} century", "Universities"),
    ],
    ..kind_of!("universities.tsv")
};

const INVENTIONS: Kind = Kind {
    plural: "inventions",
    naming: Naming::TheCommon,
    symmetric: &["related"],
    sentences: &[&[
        "{title} is an invention of the {century} century.",
        "Its makers include {inventors}.",
        "Its story begins in {country}.",
        "Related inventions include {related}.",
    ]],
    backlinks: &[&[
        back("inventors", 8, "{title} had a part in the making of {others}."),
        back("country", 8, "Inventions from {title} include {others}."),
    ]],
    siblings: &[
        alike("type", 5, "Under the heading of {value} it stands beside {others}."),
        alike("century", 3, "The same century brought {others}."),
    ],
    categories: &[rule("{type}", "Inventions"), rule("Inventions of the {century} century", "Inventions")],
    ..kind_of!("inventions.tsv")
};
