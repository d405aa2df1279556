//! The records of pages as an Arrow batch.

use super::super::extract::{Extract, PageKind};
use arrow_array::builder::{BooleanBuilder, Int64Builder, ListBuilder, StringBuilder};
use arrow_array::{ArrayRef, RecordBatch};
use arrow_schema::ArrowError;
use std::ops::Range;
use std::sync::Arc;

/// The columns of the records.
#[derive(Default)]
struct Columns {
    kind: StringBuilder,
    hidden: BooleanBuilder,
    name: StringBuilder,
    revision: Int64Builder,
    articles: ListBuilder<StringBuilder>,
    categories: ListBuilder<StringBuilder>,
    text: StringBuilder,
}

/// Converts the records of a stretch to rows; [`super::Scanned::records`] describes the columns.
pub(super) fn batch(extract: &Extract) -> Result<RecordBatch, ArrowError> {
    let mut columns = Columns::default();
    for record in &extract.records {
        let (mut articles, mut categories) = (record.articles.clone(), record.categories.clone());
        let (kind, own) = match record.kind {
            PageKind::Article => ("article", &mut articles),
            PageKind::Redirect => ("redirect", &mut articles),
            PageKind::Category { .. } => ("category", &mut categories),
            PageKind::CategoryRedirect => ("category redirect", &mut categories),
        };
        // A page's own name comes first.
        let own = own.next().map_or(0..0, |first| first..first + 1);
        let is_article = matches!(record.kind, PageKind::Article | PageKind::Redirect);
        let name = if is_article {
            extract.articles.names(own).next()
        } else {
            extract.categories.names(own).next()
        };
        columns.kind.append_value(kind);
        columns.hidden.append_value(record.kind == PageKind::Category { hidden: true });
        columns.name.append_value(text(name.unwrap_or_default()));
        columns.revision.append_value(i64::try_from(record.revision).unwrap_or(i64::MAX));
        names(&mut columns.articles, extract, articles, true);
        names(&mut columns.categories, extract, categories, false);
        columns.text.append_option((kind == "article").then(|| &extract.text[record.text.clone()]));
    }
    let of: [(&str, ArrayRef); 7] = [
        ("kind", Arc::new(columns.kind.finish())),
        ("hidden", Arc::new(columns.hidden.finish())),
        ("name", Arc::new(columns.name.finish())),
        ("revision", Arc::new(columns.revision.finish())),
        ("articles", Arc::new(columns.articles.finish())),
        ("categories", Arc::new(columns.categories.finish())),
        ("text", Arc::new(columns.text.finish())),
    ];
    RecordBatch::try_from_iter_with_nullable(of.map(|(name, column)| (name, column, true)))
}

fn names(list: &mut ListBuilder<StringBuilder>, extract: &Extract, range: Range<usize>, of_articles: bool) {
    let batch = if of_articles { &extract.articles } else { &extract.categories };
    batch.names(range).for_each(|name| list.values().append_value(text(name)));
    list.append(true);
}

/// Converts a name back to text.
fn text(name: &[u8]) -> std::borrow::Cow<'_, str> {
    String::from_utf8_lossy(name)
}
