//! Music, books and paintings, and the people who make them.

use super::super::schema::{Kind, Naming, alike, back, kind_of, rule};
use super::people::{COEVALS, COMPATRIOTS, PERSON, PERSON_BACKLINKS};

/// The kinds declared here.
pub(super) const KINDS: &[Kind] =
    &[BANDS, MUSICIANS, ALBUMS, GENRES, COMPOSERS, INSTRUMENTS, WRITERS, BOOKS, PAINTERS, PAINTINGS];

const BANDS: Kind = Kind {
    plural: "bands",
    sentences: &[&[
        "{title} were {a nationality} band formed in {city} in the {decade}.",
        "Their style is counted as {genres}.",
    ]],
    backlinks: &[&[
        back("city", 8, "Bands formed in {title} include {others}."),
        back("genres", 16, "{kinds} in this style include {others}."),
        back("home", 8, "{kinds} from {title} include {others}."),
    ]],
    siblings: &[
        alike("genres", 6, "Among other bands in {value} {others?is|are} {others}."),
        alike("decade", 3, "Bands formed in the same decade include {others}."),
    ],
    categories: &[
        rule("{nationality} bands", "Bands"),
        rule("{genres} bands", "Bands"),
        rule("Bands formed in the {decade}", "Bands"),
    ],
    ..kind_of!("bands.tsv")
};

const MUSICIANS: Kind = Kind {
    plural: "musicians",
    symmetric: &["peers"],
    sentences: &[
        PERSON,
        &[
            "{pronoun} made a name in {genres}.",
            "{pronoun} became known for playing {instruments}.",
            "{pronoun} became famous with {bands}.",
            "Musicians close to {title} in life or style include {peers}.",
        ],
    ],
    backlinks: &[
        PERSON_BACKLINKS,
        &[
            back("genres", 20, "{kinds} in this style include {others}."),
            back("instruments", 16, "{kinds} known for playing it include {others}."),
            back("bands", 6, "Members of {title} have included {others}."),
        ],
    ],
    siblings: &[
        alike("occupation", 5, "Among other {value}s {others?is|are} {others}."),
        COMPATRIOTS,
        COEVALS,
    ],
    categories: &[
        rule("{nationality} {occupation}s", "{occupation}s"),
        rule("{genres} performers", "Musicians"),
        rule("{era} musicians", "Musicians"),
    ],
    ..kind_of!("musicians.tsv")
};

const ALBUMS: Kind = Kind {
    plural: "albums",
    sentences: &[&[
        "{title} is an album by {artist}, released in {year}.",
        "Its style is counted as {genres}.",
    ]],
    backlinks: &[&[
        back("artist", 6, "{title} recorded {others}."),
        back("genres", 16, "{kinds} in this style include {others}."),
    ]],
    siblings: &[
        alike("genres", 5, "Among other albums in {value} {others?is|are} {others}."),
        alike("decade", 5, "Albums of the same decade include {others}."),
    ],
    categories: &[rule("{decade} albums", "Albums"), rule("{genres} albums", "Albums")],
    ..kind_of!("albums.tsv")
};

const GENRES: Kind = Kind {
    plural: "musical styles",
    naming: Naming::Common,
    sentences: &[&["{title} is a style of music.", "It grew up in {country}.", "It has roots in {roots}."]],
    backlinks: &[&[
        back("country", 8, "Styles of music that grew up in {title} include {others}."),
        back("roots", 8, "It was one of the roots of {others}."),
    ]],
    siblings: &[alike("tradition", 6, "In {value}, it stands beside {others}.")],
    categories: &[
        rule("Styles of {tradition}", "Musical styles"),
        rule("Styles of music from {country}", "Musical styles"),
        rule("{kind}", "Music"),
    ],
    ..kind_of!("genres.tsv")
};

const COMPOSERS: Kind = Kind {
    plural: "composers",
    symmetric: &["peers"],
    sentences: &[
        PERSON,
        &[
            "{His} music is counted as {period}.",
            "{His} works include {works}.",
            "{pronoun} played {instruments}.",
            "Composers close to {title} in life or style include {peers}.",
        ],
    ],
    backlinks: &[PERSON_BACKLINKS, &[back("instruments", 16, "{kinds} who played it include {others}.")]],
    siblings: &[
        alike("period", 5, "Among other {value} composers {others?is|are} {others}."),
        COMPATRIOTS,
        COEVALS,
    ],
    categories: &[
        rule("{nationality} composers", "Composers"),
        rule("{period} composers", "Composers"),
        rule("{era} composers", "Composers"),
    ],
    ..kind_of!("composers.tsv")
};

const INSTRUMENTS: Kind = Kind {
    plural: "musical instruments",
    naming: Naming::TheCommon,
    symmetric: &["related"],
    sentences: &[&[
        "{title} is one of the {family}.",
        "{note}",
        "It took its present form in {country}.",
        "It is related to {related}.",
    ]],
    backlinks: &[&[back("country", 6, "Musical instruments shaped in {title} include {others}.")]],
    siblings: &[
        alike("family", 6, "Among other {value} {others?is|are} {others}."),
        alike("use", 4, "Like many {value}, it may be heard with {others}."),
    ],
    categories: &[rule("{family}", "Musical instruments"), rule("{use}", "Musical instruments")],
    ..kind_of!("instruments.tsv")
};

const WRITERS: Kind = Kind {
    plural: "writers",
    symmetric: &["peers"],
    sentences: &[
        PERSON,
        &[
            "{pronoun} wrote in {language}.",
            "{pronoun} received the Nobel Prize in {prize}.",
            "Writers close to {title} in life or style include {peers}.",
        ],
    ],
    backlinks: &[PERSON_BACKLINKS, &[back("language", 16, "{kinds} who used it include {others}.")]],
    siblings: &[
        alike("occupation", 5, "Among other {value}s {others?is|are} {others}."),
        COMPATRIOTS,
        COEVALS,
    ],
    categories: &[
        rule("{nationality} {occupation}s", "{occupation}s"),
        rule("{era} writers", "Writers"),
        rule("{language}-language writers", "Writers"),
        rule("Nobel laureates in {prize}", "Nobel laureates"),
    ],
    ..kind_of!("writers.tsv")
};

const BOOKS: Kind = Kind {
    plural: "books",
    sentences: &[&[
        "{title} is {a form} by {author}.",
        "It was first published in {year}.",
        "It was written in {language}.",
        "It is often read as {genre}.",
        "Its story leads to {place}.",
    ]],
    backlinks: &[&[
        back("author", 12, "{title} wrote {others}."),
        back("language", 16, "{kinds} written in it include {others}."),
        back("place", 8, "Books whose story leads to {title} include {others}."),
    ]],
    siblings: &[
        alike("genre", 5, "Among other works of {value} {others?is|are} {others}."),
        alike("era", 3, "Books of the same era include {others}."),
    ],
    categories: &[
        rule("{era} books", "Books"),
        rule("Works of {genre}", "Books"),
        rule("{language}-language books", "Books"),
    ],
    ..kind_of!("books.tsv")
};

const PAINTERS: Kind = Kind {
    plural: "painters",
    symmetric: &["peers"],
    sentences: &[
        PERSON,
        &[
            "{His} art is counted as {movement}.",
            "Painters close to {title} in life or style include {peers}.",
        ],
    ],
    backlinks: &[PERSON_BACKLINKS],
    siblings: &[
        alike("movement", 6, "Among other painters of {value} {others?is|are} {others}."),
        COMPATRIOTS,
        COEVALS,
    ],
    categories: &[
        rule("{nationality} {occupation}s", "{occupation}s"),
        rule("{era} painters", "Painters"),
        rule("Artists of {movement}", "Painters"),
    ],
    ..kind_of!("painters.tsv")
};

const PAINTINGS: Kind = Kind {
    plural: "paintings",
    sentences: &[&[
        "{title} is a painting by {painter} from the {century} century.",
        "It shows {depicts}.",
        "It can be seen in {city}.",
        "It is counted as {movement}.",
    ]],
    backlinks: &[&[
        back("painter", 8, "{title} painted {others}."),
        back("city", 8, "Paintings to be seen in {title} include {others}."),
    ]],
    siblings: &[
        alike("movement", 5, "Among other paintings of {value} {others?is|are} {others}."),
        alike("century", 4, "Paintings of the same century include {others}."),
    ],
    categories: &[
        rule("Paintings of {movement}", "Paintings"),
        rule("{century}-century paintings", "Paintings"),
        rule("Paintings in {city}", "Paintings"),
    ],
    ..kind_of!("paintings.tsv")
};
