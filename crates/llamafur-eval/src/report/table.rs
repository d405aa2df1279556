//! Tables: rounded for people, exact for programs.

use super::Text;

/// A table with a name for its file and a caption.
#[derive(Debug, Clone)]
pub struct Table {
    pub(super) name: String,
    pub(super) caption: Text,
    pub(super) columns: Vec<Column>,
    pub(super) rows: Vec<Vec<Cell>>,
}

/// A column of a [`Table`].
#[derive(Debug, Clone)]
pub struct Column {
    pub(super) heading: String,
    pub(super) note: String,
    pub(super) is_number: bool,
}

/// A cell of a [`Table`].
#[derive(Debug, Clone)]
pub struct Cell {
    pub(super) shown: Text,
    exact: Option<String>,
    pub(super) is_best: bool,
    /// Length of the bar, from 0 to 1.
    pub(super) bar: Option<f64>,
}

/// Formats a count in groups of three digits: `110,699,703`.
pub fn grouped(count: u64) -> String {
    let digits = count.to_string();
    let groups: Vec<&[u8]> = digits.as_bytes().rchunks(3).rev().collect();
    let groups: Vec<String> = groups.iter().map(|group| String::from_utf8_lossy(group).into()).collect();
    groups.join(",")
}

/// Formats a count with its noun: `1 page`, `2 pages`, `3 categories`.
pub fn counted(number: u64, one: &str) -> String {
    match (number, one.strip_suffix('y')) {
        (1, _) => format!("1 {one}"),
        (_, Some(stem)) => format!("{} {stem}ies", grouped(number)),
        _ => format!("{} {one}s", grouped(number)),
    }
}

/// Formats a number for people: with `decimals` decimals and a real minus.
pub fn signed_by(decimals: usize, number: f64) -> String {
    let text = format!("{number:.decimals$}");
    // What rounds to zero has no sign.
    let is_zero = text.bytes().all(|byte| matches!(byte, b'-' | b'0' | b'.'));
    text.replace('-', if is_zero { "" } else { "−" })
}

impl Table {
    /// Creates a table without columns. Its file is named by [`slug`](super::slug) of the name.
    pub fn new(name: &str, caption: impl Into<Text>) -> Table {
        Table { name: name.into(), caption: caption.into(), columns: Vec::new(), rows: Vec::new() }
    }

    /// Adds a column; all columns come before the first row.
    pub fn column(mut self, column: Column) -> Table {
        self.columns.push(column);
        self
    }

    /// Adds columns of words.
    pub fn texts<const N: usize>(self, headings: [&str; N]) -> Table {
        headings.into_iter().map(Column::text).fold(self, Table::column)
    }

    /// Adds columns of numbers.
    pub fn numbers<const N: usize>(self, headings: [&str; N]) -> Table {
        headings.into_iter().map(Column::number).fold(self, Table::column)
    }

    /// Adds columns for the ends of a 95% interval.
    pub fn interval(self, low: &str, high: &str) -> Table {
        [low, high].into_iter().map(|end| Column::number(end).note("95%")).fold(self, Table::column)
    }

    /// Adds a row.
    ///
    /// # Panics
    /// If the number of cells is not that of columns.
    pub fn row(mut self, cells: impl IntoIterator<Item = Cell>) -> Table {
        let cells: Vec<Cell> = cells.into_iter().collect();
        assert_eq!(cells.len(), self.columns.len(), "{}: one cell for each column", self.name);
        self.rows.push(cells);
        self
    }

    /// Returns the table as tab-separated values, with a line of headings.
    pub(super) fn tsv(&self) -> String {
        let line = |fields: &mut dyn Iterator<Item = String>| {
            fields.map(|field| field.replace(['\t', '\n', '\r'], " ")).collect::<Vec<_>>().join("\t") + "\n"
        };
        let mut tsv = line(&mut self.columns.iter().map(|column| column.heading.clone()));
        for row in &self.rows {
            tsv += &line(&mut row.iter().zip(&self.columns).map(|(cell, column)| cell.exact(column)));
        }
        tsv
    }
}

impl Column {
    /// Creates a column of words, aligned to the left.
    pub fn text(heading: &str) -> Column {
        Column { heading: heading.into(), note: String::new(), is_number: false }
    }

    /// Creates a column of numbers, aligned to the right.
    pub fn number(heading: &str) -> Column {
        Column { is_number: true, ..Column::text(heading) }
    }

    /// Sets a few words under the heading, which are not in the file. Default: none.
    pub fn note(mut self, note: &str) -> Column {
        self.note = note.into();
        self
    }
}

impl Cell {
    /// Creates a cell with the same text for people and programs.
    pub fn new(shown: impl Into<Text>) -> Cell {
        Cell { shown: shown.into(), exact: None, is_best: false, bar: None }
    }

    /// Creates a number, rounded for people and exact for programs; a missing one if it is not finite.
    pub fn number(value: f64, decimals: usize) -> Cell {
        if !value.is_finite() {
            return Cell::missing();
        }
        Cell::new(signed_by(decimals, value)).exactly(value.to_string())
    }

    /// Creates a number with three decimals; a dash if there is none.
    pub fn figure(value: Option<f64>) -> Cell {
        value.map_or_else(Cell::missing, |value| Cell::number(value, 3))
    }

    /// Creates a count, in groups of three digits for people.
    pub fn count(count: u64) -> Cell {
        Cell::new(grouped(count)).exactly(count.to_string())
    }

    /// Creates a missing cell: a dash for people, an empty field for programs.
    pub fn missing() -> Cell {
        Cell::new("–").exactly("")
    }

    /// Sets the text in the file. Default: the displayed text.
    pub fn exactly(mut self, exact: impl Into<String>) -> Cell {
        self.exact = Some(exact.into());
        self
    }

    /// Shows the cell in bold: the best of its column. Default: not.
    pub fn best(mut self) -> Cell {
        self.is_best = true;
        self
    }

    /// Sets a bar behind the number, as a part of the cell's width, from 0 to 1. Default: none.
    pub fn bar(mut self, part: f64) -> Cell {
        self.bar = part.is_finite().then(|| part.clamp(0.0, 1.0));
        self
    }

    fn exact(&self, column: &Column) -> String {
        match &self.exact {
            Some(exact) => exact.clone(),
            // Programs know the hyphen only.
            None if column.is_number => self.shown.words().replace('−', "-"),
            None => self.shown.words(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn people_see_rounded_numbers_and_programs_read_exact_ones() {
        let table = Table::new("a", "")
            .column(Column::text("name\tof\nit"))
            .column(Column::number("x"))
            .row([Cell::new("a\tb\r\nc"), Cell::number(-0.36712345, 3)])
            .row([Cell::new("d"), Cell::new("−2")])
            .row([Cell::count(4_514_662), Cell::number(f64::NAN, 3)]);
        assert_eq!(table.tsv(), "name of it\tx\na b  c\t-0.36712345\nd\t-2\n4514662\t\n");
        let shown = |cell: Cell| cell.shown.words();
        assert_eq!(shown(Cell::number(-0.36712345, 3)), "−0.367");
        assert_eq!(shown(Cell::number(-0.0001, 2)), "0.00");
        assert_eq!(
            [0, 999, 1000, 4_514_662].map(|n| shown(Cell::count(n))),
            ["0", "999", "1,000", "4,514,662"]
        );
    }

    #[test]
    #[should_panic(expected = "one cell for each column")]
    fn a_row_has_one_cell_for_each_column() {
        let _ = Table::new("a", "").column(Column::text("b")).row(["c", "d"].map(Cell::new));
    }
}
