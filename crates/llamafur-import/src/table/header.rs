//! Finds the columns of a table: by the words of a header, by the chosen names or numbers, or by position.
//!
//! A header is recognised by words for the table's columns (`from`, `source_id`, `Page title`, `tag`, …), in any case
//! and order. A column's words are split at spaces, `_`, `-`, `.` and `/`; one of them must identify the column, and
//! the others may only be general (`name`, `id`, `title`, …). A row with the usual names of another table is a header,
//! too, whose columns are read in their order.

use super::account::Reason;
use super::conf::{ColumnName, Columns, Table};
use super::error::ImportError;
use std::path::Path;

/// The words that identify a column.
struct ColumnKind {
    /// The words for it, the best first, separated by spaces.
    words: &'static str,
    /// Words that may accompany them.
    general: &'static str,
}

const GENERAL: &str = "title name page node article text label key id";
const PAGE: ColumnKind = ColumnKind {
    words: "page title node article name item entity package vertex paper id",
    general: GENERAL,
};
const SOURCE: ColumnKind =
    ColumnKind { words: "source src from fromnode fromnodeid citing start tail u", general: GENERAL };
const TARGET: ColumnKind = ColumnKind {
    words: "target tgt to dst dest destination tonode tonodeid cited end head v targets links",
    general: GENERAL,
};
const ALIAS: ColumnKind =
    ColumnKind { words: "redirect redirects alias aliases title titles from source name", general: GENERAL };
const ALIASED: ColumnKind = ColumnKind { words: "page target to article node canonical", general: GENERAL };
const CATEGORY: ColumnKind = ColumnKind {
    words: "category categories cat tag tags label labels class classes topic field",
    general: GENERAL,
};
const CHILD: ColumnKind =
    ColumnKind { words: "child subcategory sub narrower source from category", general: GENERAL };
const PARENT: ColumnKind = ColumnKind {
    words: "parent supercategory super broader target to parents",
    general: "category title name label id",
};
const TEXT: ColumnKind = ColumnKind {
    words: "text body content description abstract summary extract plaintext",
    general: "page article plain full short long",
};

fn kinds(table: Table) -> &'static [ColumnKind] {
    match table {
        Table::Links => &[SOURCE, TARGET],
        Table::Categories => &[PAGE, CATEGORY],
        Table::Pages => &[PAGE],
        Table::CategoryTree => &[CHILD, PARENT],
        Table::Redirects => &[ALIAS, ALIASED],
        Table::Text => &[PAGE, TEXT],
    }
}

impl ColumnKind {
    /// Rates how well a column's name fits: lower is better, `None` is not at all.
    fn fit(&self, name: &str) -> Option<usize> {
        let lower = name.trim().to_lowercase();
        let words: Vec<&str> =
            lower.split([' ', '_', '-', '.', '/']).filter(|word| !word.is_empty()).collect();
        let place = |word: &&str| self.words.split(' ').position(|known| known == *word);
        let said = words.iter().filter_map(place).min()?;
        let is_general = |word: &&str| self.general.split(' ').any(|known| known == *word);
        let all_known = words.iter().all(|word| place(word).is_some() || is_general(word));
        // Of "page_title" and "page_id" the first is what people read.
        let number = usize::from(words.len() > 1 && words.contains(&"id"));
        all_known.then_some(said * 2 + number)
    }
}

/// Finds the columns that the table needs by their names.
fn recognise<const N: usize>(table: Table, names: &[&str]) -> Option<[usize; N]> {
    let kinds = kinds(table);
    let mut pick = [usize::MAX; N];
    // The last kind is the narrower one: a "label" beside a "category" is a name, but alone it is a category.
    for i in (0..N).rev() {
        let free = names.iter().enumerate().filter(|(column, _)| !pick.contains(column));
        let fits = free.filter_map(|(column, name)| Some((kinds[i].fit(name)?, column)));
        pick[i] = fits.min()?.1;
    }
    Some(pick)
}

/// The number of columns that a row must have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Width {
    Exactly(usize),
    AtLeast(usize),
}

/// The positions of the columns that a table needs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Layout<const N: usize> {
    table: Table,
    pub(crate) pick: [usize; N],
    width: Width,
    /// The names of all columns, if the first row was a header.
    pub(crate) header: Option<Vec<String>>,
    /// True if the header has the usual names of another table.
    pub(crate) is_other_header: bool,
}

impl<const N: usize> Layout<N> {
    /// Finds the columns of a file whose columns may or may not have names: `first` is its first row.
    pub(crate) fn from_first_row(
        table: Table,
        asked: Option<&Columns>,
        first: &[&str],
        path: &Path,
    ) -> Result<Layout<N>, ImportError> {
        let recognised = recognise::<N>(table, first);
        let names = || Some(first.iter().map(|name| name.trim().to_owned()).collect::<Vec<_>>());
        let by_name = asked.is_some_and(|asked| asked.names.iter().any(|c| matches!(c, ColumnName::Name(_))));
        let (pick, header) = match (asked, recognised) {
            (Some(asked), None) if !by_name => (numbers(asked), None),
            (Some(asked), _) => (named(table, asked, first, path)?, names()),
            (None, Some(pick)) => (pick, names()),
            (None, None) => {
                let is_other_header = is_other_header(table, first);
                return Ok(Layout {
                    table,
                    pick: std::array::from_fn(|i| i),
                    width: Width::Exactly(N),
                    header: is_other_header.then(names).flatten(),
                    is_other_header,
                });
            }
        };
        let width = match &header {
            Some(names) => Width::Exactly(names.len()),
            None => Width::AtLeast(pick.iter().max().map_or(0, |last| last + 1)),
        };
        Ok(Layout { table, pick, width, header, is_other_header: false })
    }

    /// Finds the columns of a file whose columns have names.
    pub(crate) fn from_names(
        table: Table,
        asked: Option<&Columns>,
        names: &[&str],
        path: &Path,
    ) -> Result<Layout<N>, ImportError> {
        let pick = match (asked, recognise::<N>(table, names)) {
            (Some(asked), _) => named(table, asked, names, path)?,
            (None, Some(pick)) => pick,
            (None, None) if names.len() == N => std::array::from_fn(|i| i),
            (None, None) => {
                let problem = format!("cannot tell which columns are {}", table.columns().join(" and "));
                return Err(no_such_column(table, names, path, problem));
            }
        };
        let header = Some(names.iter().map(|name| (*name).to_owned()).collect());
        Ok(Layout { table, pick, width: Width::Exactly(names.len()), header, is_other_header: false })
    }

    /// Returns the values of a row of `len` columns.
    #[inline]
    pub(crate) fn pick<'a>(
        &self,
        len: usize,
        get: impl Fn(usize) -> &'a [u8],
    ) -> Result<[&'a [u8]; N], Reason> {
        match self.width {
            Width::Exactly(width) if len != width => Err(self.wrong_width(len)),
            Width::AtLeast(width) if len < width => Err(self.wrong_width(len)),
            _ => Ok(self.pick.map(get)),
        }
    }

    #[cold]
    fn wrong_width(&self, found: usize) -> Reason {
        let columns = self.table.columns().join(", ");
        let expected = match (self.width, &self.header) {
            (Width::Exactly(1), _) => format!("1 was expected ({columns})"),
            (Width::Exactly(n), Some(header)) if n > N => {
                format!("{n} were expected ({})", header.join(", "))
            }
            (Width::Exactly(n), _) => format!("{n} were expected ({columns})"),
            (Width::AtLeast(n), _) => format!("at least {n} were expected ({columns})"),
        };
        Reason::Columns { found, expected }
    }
}

fn numbers<const N: usize>(asked: &Columns) -> [usize; N] {
    let mut pick = [0; N];
    for (place, column) in pick.iter_mut().zip(&asked.names) {
        if let ColumnName::Number(number) = column {
            *place = number - 1;
        }
    }
    pick
}

fn named<const N: usize>(
    table: Table,
    asked: &Columns,
    names: &[&str],
    path: &Path,
) -> Result<[usize; N], ImportError> {
    let mut pick = [0; N];
    for (place, column) in pick.iter_mut().zip(&asked.names) {
        let found = match column {
            ColumnName::Number(number) => Some(number - 1).filter(|column| *column < names.len()),
            ColumnName::Name(wanted) => {
                let exact = names.iter().position(|name| name.trim() == wanted);
                exact.or_else(|| names.iter().position(|name| name.trim().eq_ignore_ascii_case(wanted)))
            }
        };
        *place = found.ok_or_else(|| no_such_column(table, names, path, format!("no column {column}")))?;
    }
    if (1..N).any(|at| pick[..at].contains(&pick[at])) {
        let problem = format!("{} are the same column", table.columns().join(" and "));
        return Err(no_such_column(table, names, path, problem));
    }
    Ok(pick)
}

fn no_such_column(table: Table, names: &[&str], path: &Path, problem: String) -> ImportError {
    let found = names.iter().map(|name| format!("{:?}", name.trim())).collect();
    let wanted = format!("{}={}", table.name(), table.columns().join(",").to_uppercase());
    ImportError::NoSuchColumn { file: path.into(), problem, found, wanted }
}

/// Returns whether a row of two columns is the usual header of another table: `page,category` for links.
fn is_other_header(table: Table, row: &[&str]) -> bool {
    let two_columns = Table::ALL.into_iter().filter(|other| *other != table && other.columns().len() == 2);
    table.columns().len() == 2
        && row.len() == 2
        && two_columns.into_iter().any(|o| recognise::<2>(o, row).is_some())
}

/// Returns whether an import would read this first row of a table as a header or a comment, so that a program that
/// writes the table should write a header before it.
pub fn needs_header(table: Table, first_row: &[&str]) -> bool {
    let is_comment = first_row.first().is_some_and(|field| field.starts_with('#'));
    let is_header = match first_row.len() {
        1 => recognise::<1>(table, first_row).is_some(),
        _ => recognise::<2>(table, first_row).is_some() || is_other_header(table, first_row),
    };
    is_comment || is_header
}

#[cfg(test)]
mod tests {
    use super::*;

    fn layout(table: Table, columns: Option<&str>, first: &[&str]) -> Result<Layout<2>, String> {
        let columns = columns.map(|text| text.parse::<Columns>().unwrap());
        Layout::from_first_row(table, columns.as_ref(), first, Path::new("a.tsv")).map_err(|e| e.to_string())
    }

    #[test]
    fn headers_are_recognised_in_either_order_and_case() {
        for (table, names, pick) in [
            (Table::Links, &["source", "target"][..], [0, 1]),
            (Table::Links, &["To", "FROM"], [1, 0]),
            (Table::Links, &["source_id", "Target ID"], [0, 1]),
            (Table::Links, &["weight", "src", "dst"], [1, 2]),
            (Table::Categories, &["page", "category"], [0, 1]),
            (Table::Categories, &["tag", "package"], [1, 0]),
            (Table::Categories, &["id", "title", "category_id", "category_name"], [1, 3]),
            (Table::Categories, &["node", "label"], [0, 1]),
            (Table::CategoryTree, &["parent", "child"], [1, 0]),
            (Table::CategoryTree, &["category", "parent category"], [0, 1]),
            (Table::Text, &["title", "text"], [0, 1]),
            (Table::Text, &["id", "url", "title", "text"], [2, 3]),
        ] {
            let layout = layout(table, None, names).unwrap();
            assert_eq!((layout.pick, layout.header.is_some()), (pick, true), "{names:?}");
        }
    }

    #[test]
    fn ordinary_rows_are_no_headers() {
        for (table, row) in [
            (Table::Links, ["Source", "Jupiter"]),
            (Table::Categories, ["Page", "Surnames"]),
            (Table::Text, ["Text", "A text is an object that can be read."]),
        ] {
            assert_eq!(layout(table, None, &row).unwrap().header, None, "{row:?}");
        }
    }

    #[test]
    fn the_header_of_another_table_is_a_header_in_its_own_order() {
        for (table, names) in [
            (Table::Links, ["page", "category"]),
            (Table::Links, ["Category", "Page"]),
            (Table::Categories, ["from", "to"]),
            (Table::Categories, ["source", "target"]),
            (Table::CategoryTree, ["page", "category"]),
        ] {
            let layout = layout(table, None, &names).unwrap();
            assert_eq!((layout.pick, layout.header.is_some(), layout.is_other_header), ([0, 1], true, true));
            assert!(needs_header(table, &names));
        }
        let as_data = layout(Table::Links, Some("links=1,2"), &["page", "category"]).unwrap();
        assert_eq!((as_data.header, as_data.is_other_header), (None, false));
    }

    #[test]
    fn columns_are_found_by_name_or_number_or_the_found_ones_are_listed() {
        let by_name = layout(Table::Links, Some("links=b,C"), &["a", "b", "c"]).unwrap();
        assert_eq!((by_name.pick, by_name.header.is_some()), ([1, 2], true));
        let by_number = layout(Table::Links, Some("links=3,1"), &["a", "b", "c"]).unwrap();
        assert_eq!((by_number.pick, by_number.header.is_some()), ([2, 0], false));
        let over_header = layout(Table::Links, Some("links=2,1"), &["source", "target"]).unwrap();
        assert_eq!((over_header.pick, over_header.header.is_some()), ([1, 0], true));
        let error = layout(Table::Links, Some("links=b,d"), &["a", "b"]).unwrap_err();
        assert_eq!(error, "a.tsv: no column d; found: \"a\", \"b\"");
        let error = layout(Table::Links, Some("links=1,a"), &["a", "b"]).unwrap_err();
        assert_eq!(error, "a.tsv: source and target are the same column; found: \"a\", \"b\"");
    }

    #[test]
    fn a_wrong_width_is_told_with_what_was_expected() {
        let said = |layout: Layout<2>, len| layout.pick(len, |_| b"").unwrap_err().to_string();
        let plain = layout(Table::Links, None, &["a", "b", "c"]).unwrap();
        assert_eq!(said(plain, 3), "3 columns where 2 were expected (source, target)");
        let numbered = layout(Table::Links, Some("links=1,4"), &["a"]).unwrap();
        assert_eq!(said(numbered, 1), "1 column where at least 4 were expected (source, target)");
    }
}
