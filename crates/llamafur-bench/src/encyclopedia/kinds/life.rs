//! Animals, prehistoric reptiles, food and sports.

use super::super::schema::{Kind, Naming, alike, back, kind_of, rule};
use super::people::{COEVALS, COMPATRIOTS, PERSON, PERSON_BACKLINKS};

/// The kinds declared here.
pub(super) const KINDS: &[Kind] = &[ANIMALS, DINOSAURS, FOODS, SPORTS, ATHLETES];

const ANIMALS: Kind = Kind {
    plural: "animals",
    naming: Naming::TheCommon,
    sentences: &[&[
        "{title} belongs to the {group}.",
        "It is one of the {diet} among the {class}.",
        "It is an animal of {habitat}.",
        "It is at home in {continents}.",
        "Countries where it lives or lived include {countries}.",
    ]],
    backlinks: &[&[
        back("continents", 16, "Animals of {title} include {others}."),
        back("countries", 10, "Animals of {title} include {others}."),
    ]],
    siblings: &[
        alike("group", 6, "Other members of the {value} include {others}."),
        alike("habitat", 4, "Among other animals of {value} {others?is|are} {others}."),
    ],
    categories: &[
        rule("{class} of {continents}", "{class}"),
        rule("{group}", "{class}"),
        rule("Animals of {habitat}", "Animals"),
        rule("{diet}", "Animals"),
    ],
    ..kind_of!("animals.tsv")
};

const DINOSAURS: Kind = Kind {
    plural: "prehistoric reptiles",
    sentences: &[&[
        "{title} is one of the {clade} and lived in the {period}.",
        "It was {a diet}.",
        "Its fossils come from {countries} in {continent}.",
        "It was named by {namer}.",
    ]],
    backlinks: &[&[
        back("continent", 8, "Prehistoric reptiles of {title} include {others}."),
        back("countries", 8, "Fossils found in {title} include those of {others}."),
        back("namer", 8, "{title} named {others}."),
    ]],
    siblings: &[
        alike("clade", 6, "Among other {value} {others?is|are} {others}."),
        alike("period", 4, "Reptiles of the same time include {others}."),
    ],
    categories: &[
        rule("{clade}", "Prehistoric reptiles"),
        rule("{period} reptiles", "Prehistoric reptiles"),
        rule("Prehistoric reptiles of {continent}", "Prehistoric reptiles"),
    ],
    ..kind_of!("dinosaurs.tsv")
};

const FOODS: Kind = Kind {
    plural: "foods and drinks",
    naming: Naming::Common,
    sentences: &[&[
        "{title} is one of the world's {type}.",
        "It is made with {ingredients}.",
        "It is a speciality or product of {countries}.",
    ]],
    backlinks: &[&[
        back("ingredients", 18, "It goes into {others}."),
        back("countries", 10, "Foods and drinks of {title} include {others}."),
    ]],
    siblings: &[
        alike("type", 6, "Among other {value} {others?is|are} {others}."),
        alike("origin", 3, "As one of the {value} it stands beside {others}."),
    ],
    categories: &[
        rule("{type}", "Food and drink"),
        rule("{origin}", "Food and drink"),
        rule("Food and drink of {countries}", "Food and drink"),
    ],
    ..kind_of!("foods.tsv")
};

const SPORTS: Kind = Kind {
    plural: "sports",
    naming: Naming::Common,
    symmetric: &["related"],
    sentences: &[&[
        "{title} is one of the {type}.",
        "Its modern form took shape in {country}.",
        "It has much in common with {related}.",
        "It is counted among the {games}.",
    ]],
    backlinks: &[&[back("country", 8, "Sports that took shape in {title} include {others}.")]],
    siblings: &[
        alike("type", 5, "Among other {value} {others?is|are} {others}."),
        alike("kind", 4, "Sports of other kinds include {others}."),
    ],
    categories: &[
        rule("{type}", "Sports"),
        rule("Sports from {country}", "Sports"),
        rule("{games}", "Sports"),
        rule("Sports of the {century} century", "Sports"),
        rule("{kind}", "Culture"),
    ],
    ..kind_of!("sports.tsv")
};

const ATHLETES: Kind = Kind {
    plural: "sportspeople",
    symmetric: &["rivals"],
    sentences: &[PERSON, &["{pronoun} became known in {sport}.", "{title} is often compared with {rivals}."]],
    backlinks: &[PERSON_BACKLINKS, &[back("sport", 20, "Famous names in {title} include {others}.")]],
    siblings: &[
        alike("occupation", 6, "Among other {value}s {others?is|are} {others}."),
        COMPATRIOTS,
        COEVALS,
    ],
    categories: &[
        rule("{nationality} {occupation}s", "{occupation}s"),
        rule("{nationality} sportspeople", "Sportspeople"),
        rule("{era} sportspeople", "Sportspeople"),
    ],
    ..kind_of!("athletes.tsv")
};
