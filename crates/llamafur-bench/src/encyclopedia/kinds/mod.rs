//! The kinds of pages, declared table by table.

mod arts;
mod geography;
mod life;
mod people;
mod sciences;
mod screen;
mod sky;

use super::schema::Kind;

/// Every kind, in the order in which pages mention them.
pub(super) fn all() -> impl Iterator<Item = &'static Kind> {
    [geography::KINDS, sky::KINDS, sciences::KINDS, life::KINDS, screen::KINDS, arts::KINDS, people::KINDS]
        .into_iter()
        .flatten()
}
