//! Fact tables: tab-separated text with a header line and multi-value cells.

use std::collections::BTreeMap;

/// What separates the values of one cell.
const VALUE_SEPARATOR: &str = "; ";

/// One line of a fact table: the values of every non-empty column.
#[derive(Debug, Clone, Default)]
pub(super) struct Row {
    cells: BTreeMap<String, Vec<String>>,
}

impl Row {
    /// The values of a column, none when the cell is empty or missing.
    pub(super) fn values(&self, column: &str) -> &[String] {
        self.cells.get(column).map_or(&[], Vec::as_slice)
    }

    /// The first value of a column.
    pub(super) fn first(&self, column: &str) -> Option<&str> {
        self.values(column).first().map(String::as_str)
    }

    /// Adds a value to a column unless it is there already.
    pub(super) fn add(&mut self, column: &str, value: &str) {
        let cell = self.cells.entry(column.to_owned()).or_default();
        if !cell.iter().any(|present| present == value) {
            cell.push(value.to_owned());
        }
    }
}

/// Parses the embedded table `text`; `file` names it in the panic message.
///
/// # Panics
///
/// When a line has not as many cells as the header: the data is our own.
pub(super) fn parse(file: &str, text: &str) -> Vec<Row> {
    let mut lines = text.lines().enumerate();
    let (_, header) = lines.next().unwrap_or_else(|| panic!("{file} is empty"));
    let columns: Vec<&str> = header.split('\t').collect();
    lines.map(|(index, line)| parse_line(file, index + 1, &columns, line)).collect()
}

fn parse_line(file: &str, number: usize, columns: &[&str], line: &str) -> Row {
    let cells: Vec<&str> = line.split('\t').collect();
    assert!(
        cells.len() == columns.len(),
        "{file} line {number}: {} cells under {} columns",
        cells.len(),
        columns.len()
    );
    let mut row = Row::default();
    for (column, cell) in columns.iter().zip(cells) {
        for value in cell.split(VALUE_SEPARATOR).filter(|v| !v.is_empty()) {
            row.add(column, value);
        }
    }
    row
}
