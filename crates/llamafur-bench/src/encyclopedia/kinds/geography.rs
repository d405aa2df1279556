//! Continents, countries and what lies in them.

use super::super::schema::{Kind, Naming, alike, back, kind_of, rule};

/// The kinds declared here.
pub(super) const KINDS: &[Kind] =
    &[CONTINENTS, COUNTRIES, CITIES, RIVERS, MOUNTAINS, WATERS, LANGUAGES, CURRENCIES];

const CONTINENTS: Kind = Kind {
    plural: "continents",
    sentences: &[&["{title} is {claim}."]],
    siblings: &[alike("kind", 6, "The other continents are {others}.")],
    categories: &[rule("{kind}", "Geography"), rule("{traits}", "Continents")],
    ..kind_of!("continents.tsv")
};

const COUNTRIES: Kind = Kind {
    plural: "countries",
    symmetric: &["neighbours"],
    sentences: &[&[
        "{title} is a country in {continent}.",
        "It borders {neighbours}.",
        "Its shores lie on {waters}.",
        "{languages?Its official or main language is|Its official or main languages include} {languages}.",
        "People there pay with {currency}.",
    ]],
    backlinks: &[&[
        back("continent", 36, "Countries in {title} include {others}."),
        back("waters", 24, "{others?A country on its shores is|Countries on its shores include} {others}."),
        back("languages", 24, "It is an official or main language of {others}."),
        back("currency", 24, "It is the currency of {others}."),
    ]],
    siblings: &[alike("continent", 4, "Among other countries in {value} {others?is|are} {others}.")],
    categories: &[rule("Countries in {continent}", "Countries"), rule("{traits}", "Countries")],
    ..kind_of!("countries.tsv")
};

const CITIES: Kind = Kind {
    plural: "cities",
    sentences: &[&[
        "{title} is the capital of {capital_of}.",
        "{title} is a city in {country}.",
        "It stands on {river}.",
        "It is a port on {sea}.",
    ]],
    backlinks: &[&[
        back("capital_of", 1, "Its capital is {others}."),
        back("country", 12, "{others?One of its cities is|Its cities include} {others}."),
        back("river", 12, "{others?A city on its banks is|Cities on its banks include} {others}."),
        back("sea", 12, "{others?A port on its shores is|Ports on its shores include} {others}."),
    ]],
    siblings: &[alike("continent", 6, "Among other cities in {value} {others?is|are} {others}.")],
    categories: &[
        rule("Capitals in {continent}{capital_of!}", "Cities in {continent}{capital_of!}"),
        rule("Cities in {continent}{country!}", "Cities"),
        rule("Riverside cities{river!}", "Cities"),
        rule("Port cities{sea!}", "Cities"),
        rule("{traits}", "Cities"),
    ],
    ..kind_of!("cities.tsv")
};

const RIVERS: Kind = Kind {
    plural: "rivers",
    naming: Naming::The,
    sentences: &[&[
        "{title} is a river of {continent}.",
        "It flows through {countries}.",
        "It ends in {mouth}.",
    ]],
    backlinks: &[&[
        back("continent", 12, "Rivers of {title} include {others}."),
        back("countries", 12, "{others} {others?flows|flow} through {title}."),
        back("mouth", 12, "{others} {others?flows|flow} into it."),
    ]],
    siblings: &[
        alike("continent", 6, "Among other rivers of {value} {others?is|are} {others}."),
        alike("traits", 2, "Other {value} include {others}."),
    ],
    categories: &[rule("Rivers of {continent}", "Rivers"), rule("{traits}", "Rivers")],
    ..kind_of!("rivers.tsv")
};

const MOUNTAINS: Kind = Kind {
    plural: "mountains",
    sentences: &[&[
        "{title} is {a type} in {countries}.",
        "It is counted among the {traits}.",
        "It rises in {continent}.",
    ]],
    backlinks: &[&[
        back("continent", 12, "Mountains of {title} include {others}."),
        back("countries", 8, "{others} {others?rises|rise} in {title}."),
    ]],
    siblings: &[
        alike("traits", 6, "Among other {value} {others?is|are} {others}."),
        alike("continent", 3, "Mountains of the same continent include {others}."),
    ],
    categories: &[rule("Mountains of {continent}", "Mountains"), rule("{traits}", "Mountains")],
    ..kind_of!("mountains.tsv")
};

const WATERS: Kind = Kind {
    plural: "bodies of water",
    naming: Naming::The,
    sentences: &[&[
        "{title} is {a type}.",
        "It lies in or beside {continent}.",
        "It is a part of {part_of}.",
    ]],
    backlinks: &[&[
        back("continent", 12, "Bodies of water of {title} include {others}."),
        back("part_of", 16, "{others?A part of it is|Its parts include} {others}."),
    ]],
    siblings: &[alike("type", 5, "Among other {value}s {others?is|are} {others}.")],
    categories: &[
        rule("{type}s", "Bodies of water"),
        rule("Bodies of water of {continent}", "Bodies of water"),
        rule("{traits}", "Bodies of water"),
    ],
    ..kind_of!("waters.tsv")
};

const LANGUAGES: Kind = Kind {
    plural: "languages",
    sentences: &[&[
        "{title} is {a family} language.",
        "Its home is in {continent}.",
        "It is written in the {script} script.",
    ]],
    backlinks: &[&[back("continent", 12, "Languages of {title} include {others}.")]],
    siblings: &[
        alike("family", 8, "Among other {value} languages {others?is|are} {others}."),
        alike("script", 4, "The {value} script is also used for {others}."),
        alike("continent", 3, "Languages from the same continent include {others}."),
    ],
    categories: &[
        rule("{family} languages", "Languages"),
        rule("Languages in the {script} script", "Languages"),
        rule("Languages of {continent}", "Languages"),
    ],
    ..kind_of!("languages.tsv")
};

const CURRENCIES: Kind = Kind {
    plural: "currencies",
    naming: Naming::Common,
    sentences: &[&["{title} is a currency of {continent}.", "It is divided into {parts}."]],
    siblings: &[
        alike(
            "family",
            5,
            "{others?Another currency|Other currencies} called {value} {others?is|are} {others}.",
        ),
        alike("continent", 6, "Among other currencies of {value} {others?is|are} {others}."),
    ],
    categories: &[
        rule("{kind}", "Geography"),
        rule("Currencies of {region}", "Currencies"),
        rule("{family} currencies", "Currencies"),
        rule("{traits}", "Currencies"),
    ],
    ..kind_of!("currencies.tsv")
};
