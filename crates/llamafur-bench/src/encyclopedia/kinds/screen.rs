//! Films, and the people who make them.

use super::super::schema::{Kind, alike, back, kind_of, rule};
use super::people::{COEVALS, COMPATRIOTS, PERSON, PERSON_BACKLINKS};

/// The kinds declared here.
pub(super) const KINDS: &[Kind] = &[FILMS, FILM_PEOPLE];

const FILMS: Kind = Kind {
    plural: "films",
    sentences: &[&[
        "{title} is {a nationality} {genres} film released in {year}.",
        "It was directed by {directors}.",
        "It was produced by {producers}.",
        "Its cast includes {cast}.",
        "Its story leads to {place}.",
        "It draws on {book}.",
        "Its music is by {composer}.",
    ]],
    backlinks: &[&[
        back("directors", 12, "{title} directed {others}."),
        back("producers", 8, "{title} produced {others}."),
        back("cast", 12, "{title} appears in {others}."),
        back("place", 8, "Films whose story leads to {title} include {others}."),
        back("book", 4, "It lies behind the film {others}."),
        back("composer", 12, "{title} wrote the music of {others}."),
        back("home", 8, "Films from {title} include {others}."),
    ]],
    siblings: &[
        alike("genres", 5, "Among other {value} films {others?is|are} {others}."),
        alike("decade", 4, "Films of the same decade include {others}."),
    ],
    categories: &[
        rule("{genres} films", "Films"),
        rule("{decade} films", "Films"),
        rule("{nationality} films", "Films"),
    ],
    ..kind_of!("films.tsv")
};

const FILM_PEOPLE: Kind = Kind {
    plural: "actors and film directors",
    sentences: &[PERSON, &["{pronoun} won {a award}."]],
    backlinks: &[PERSON_BACKLINKS],
    siblings: &[
        alike("occupation", 5, "Among other {value}s {others?is|are} {others}."),
        COMPATRIOTS,
        COEVALS,
    ],
    categories: &[
        rule("{nationality} {occupation}s", "{occupation}s"),
        rule("{era} film people", "Film people"),
        rule("{award} winners", "Film people"),
    ],
    ..kind_of!("film_people.tsv")
};
