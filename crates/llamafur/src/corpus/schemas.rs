//! The columns of each file of a corpus.

use crate::storage::columns::{lists_type, strings_type};
use arrow_schema::{DataType, Field, Schema};
use std::sync::Arc;

/// Returns the schema of `pages.arrow`: one row a page.
pub(crate) fn pages() -> Schema {
    Schema::new(vec![
        Field::new("title", strings_type(), false),
        Field::new("links", lists_type(), false),
        Field::new("categories", lists_type(), false),
    ])
}

/// Returns the schema of `categories.arrow`: one row a category.
pub(crate) fn categories() -> Schema {
    Schema::new(vec![Field::new("name", strings_type(), false), Field::new("parents", lists_type(), false)])
}

/// Returns the schema of `redirects.arrow`: one row a title that leads to a page of another title.
pub(crate) fn redirects() -> Schema {
    Schema::new(vec![Field::new("title", strings_type(), false), Field::new("page", DataType::UInt32, false)])
}

/// Returns the schema of `folded.arrow`: the pages in the order of their normalised titles' hashes.
pub(crate) fn folded() -> Schema {
    Schema::new(vec![Field::new("page", DataType::UInt32, false)])
}

/// Returns the schema of `text.arrow`: one row a page, null where there is no text.
pub(crate) fn text() -> Schema {
    Schema::new(vec![Field::new("text", strings_type(), true)])
}

/// Returns the schema of `blocks.arrow`: the block sums of the other files.
pub(crate) fn blocks() -> Schema {
    let sums = DataType::LargeList(Arc::new(Field::new("item", DataType::UInt64, false)));
    Schema::new(vec![Field::new("file", DataType::Utf8, false), Field::new("checksums", sums, false)])
}
