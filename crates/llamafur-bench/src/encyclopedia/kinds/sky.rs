//! The Solar System, the stars, space flight and the gods they are named after.

use super::super::schema::{Backlink, Kind, alike, back, kind_of, rule};
use super::people::{COEVALS, COMPATRIOTS, PERSON, PERSON_BACKLINKS};

/// The kinds declared here.
pub(super) const KINDS: &[Kind] = &[BODIES, MOONS, CONSTELLATIONS, MISSIONS, ASTRONAUTS, GODS];

/// What the pages of namesakes and discoverers say.
pub(super) const DISCOVERY_BACKLINKS: &[Backlink] = &[
    back("discoverers", 12, "{title} discovered or helped to discover {others}."),
    back("named_after", 12, "{others} {others?is|are} named after {title}."),
];

const BODIES: Kind = Kind {
    plural: "bodies of the Solar System",
    symmetric: &["neighbours"],
    sentences: &[&[
        "{title} is {a type}.",
        "It circles {orbit}.",
        "It was discovered in the {century} century by {discoverers}.",
        "It is named after {named_after}.",
        "Its neighbours in the Solar System include {neighbours}.",
    ]],
    backlinks: &[DISCOVERY_BACKLINKS, &[back("orbit", 18, "The bodies that circle it include {others}.")]],
    siblings: &[
        alike("group", 6, "Among other {value} {others?is|are} {others}."),
        alike("orbit", 5, "Other bodies around {value} include {others}."),
    ],
    categories: &[
        rule("{group}", "Bodies of the Solar System"),
        rule("Bodies around {orbit}", "Bodies of the Solar System"),
        rule("Bodies discovered in the {century} century", "Bodies of the Solar System"),
        rule("{type}s", "Bodies of the Solar System"),
        rule("{kind}", "Astronomy"),
        rule("Bodies known since {ancient}", "Bodies of the Solar System"),
    ],
    ..kind_of!("bodies.tsv")
};

const MOONS: Kind = Kind {
    plural: "moons",
    sentences: &[&[
        "{title} is a moon of {planet}.",
        "It was discovered in the {century} century by {discoverers}.",
        "The discovery was made in {country}.",
        "It is named after {named_after}.",
    ]],
    backlinks: &[
        DISCOVERY_BACKLINKS,
        &[
            back("planet", 12, "{others?Its moon is|Its moons include} {others}."),
            back("country", 6, "Moons discovered in {title} include {others}."),
        ],
    ],
    siblings: &[
        alike("planet", 8, "Among other moons of {value} {others?is|are} {others}."),
        alike("century", 4, "Moons discovered in the same century include {others}."),
        alike("kind", 4, "Moons elsewhere in the Solar System include {others}."),
    ],
    categories: &[
        rule("Moons of {planet}", "Moons"),
        rule("Moons discovered in {country}", "Moons"),
        rule("Moons discovered in the {century} century", "Moons"),
        rule("{kind}", "Bodies of the Solar System"),
        rule("Bodies known since {ancient}", "Bodies of the Solar System"),
    ],
    ..kind_of!("moons.tsv")
};

const CONSTELLATIONS: Kind = Kind {
    plural: "constellations",
    symmetric: &["neighbours"],
    sentences: &[&[
        "{title} is {a hemisphere} constellation that depicts {shape}.",
        "A well-known star in it is {star}.",
        "It lies next to {neighbours} in the sky.",
    ]],
    siblings: &[
        alike("hemisphere", 5, "Among other {value} constellations {others?is|are} {others}."),
        alike("zodiac", 5, "It belongs to the zodiac with {others}."),
    ],
    categories: &[
        rule("{hemisphere} constellations", "Constellations"),
        rule("{list} constellations", "Constellations"),
        rule("Constellations of the zodiac{zodiac!}", "Constellations"),
    ],
    ..kind_of!("constellations.tsv")
};

const MISSIONS: Kind = Kind {
    plural: "spacecraft",
    sentences: &[&[
        "{title}, {a nationality} {type}, first flew in the {decade}.",
        "It visited or circled {targets}.",
        "It was launched by a {rocket} rocket.",
        "Those who flew on it include {crew}.",
    ]],
    backlinks: &[&[
        back("targets", 12, "Spacecraft that visited or circled {title} include {others}."),
        back("crew", 6, "{title} flew on {others}."),
        back("home", 8, "Spacecraft from {title} include {others}."),
    ]],
    siblings: &[
        alike("type", 6, "Other spacecraft of the same type include {others}."),
        alike("decade", 4, "Among other spacecraft of the {value} {others?is|are} {others}."),
        alike("home", 3, "{kinds} from the same country include {others}."),
    ],
    categories: &[
        rule("{nationality} spacecraft", "Spacecraft"),
        rule("Spacecraft of the {decade}", "Spacecraft"),
        rule("Exploration of {targets}", "Spacecraft"),
        rule("Crewed spacecraft{crew!}", "Spacecraft"),
    ],
    ..kind_of!("missions.tsv")
};

const ASTRONAUTS: Kind = Kind {
    plural: "space travellers",
    sentences: &[PERSON, &["{pronoun} is remembered for {known}."]],
    backlinks: &[PERSON_BACKLINKS],
    siblings: &[
        alike("occupation", 5, "Among other {value}s {others?is|are} {others}."),
        COMPATRIOTS,
        COEVALS,
    ],
    categories: &[
        rule("{nationality} {occupation}s", "{occupation}s"),
        rule("Space travellers from {home}", "Space travellers"),
        rule("{era} space travellers", "Space travellers"),
    ],
    ..kind_of!("astronauts.tsv")
};

const GODS: Kind = Kind {
    plural: "deities",
    symmetric: &["consort", "counterpart"],
    sentences: &[&[
        "{title} is {a pantheon} deity of {domain}.",
        "{parents?A parent|The parents} of {title} {parents?is|are} {parents}.",
        "{title} is the partner of {consort}.",
        "In another pantheon {title} corresponds to {counterpart}.",
    ]],
    backlinks: &[&[back("parents", 12, "{title} is a parent of {others}.")]],
    siblings: &[
        alike("pantheon", 8, "Among other {value} deities {others?is|are} {others}."),
        alike("sphere", 4, "Other deities of {value} include {others}."),
    ],
    categories: &[rule("{pantheon} deities", "Deities"), rule("Deities of {sphere}", "Deities")],
    ..kind_of!("gods.tsv")
};
