//! Reads the rows of an SQL dump in the format of `mysqldump`: `CREATE TABLE` names the columns,
//! `INSERT INTO … VALUES (…),(…)` has the rows.
//!
//! The parser reads each byte once, and memory holds a buffer and one row, however long the lines are. Other statements
//! and comments are skipped. Strings have all the escapes of MySQL, and may be preceded by `_binary` or another
//! character set.

use super::scan::Scanner;
use std::io::{self, Read};
use std::ops::Range;

/// Limits of columns and tables, more than any dump has.
const MOST_COLUMNS: usize = 256;
const MOST_TABLES: usize = 1024;

/// The reason why a dump cannot be read further.
#[derive(Debug)]
pub(crate) enum RowError {
    /// An error of the disk or the decoder.
    Io(io::Error),
    /// An error in the SQL.
    Syntax(String),
}

impl From<io::Error> for RowError {
    fn from(error: io::Error) -> RowError {
        RowError::Io(error)
    }
}

pub(super) fn syntax<T>(why: impl Into<String>) -> Result<T, RowError> {
    Err(RowError::Syntax(why.into()))
}

/// A table and its columns, in the order of the values in its rows.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Table {
    pub(crate) name: String,
    pub(crate) columns: Vec<String>,
}

impl Table {
    /// Returns the place of a column.
    pub(crate) fn column(&self, name: &str) -> Option<usize> {
        self.columns.iter().position(|column| column == name)
    }
}

/// An item of a dump.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Item {
    /// A `CREATE TABLE`, or the first row of a table without one; see [`SqlReader::table`].
    Table,
    /// A row of that table; see [`SqlReader::value`].
    Row,
}

/// A reader of an SQL dump.
pub(crate) struct SqlReader<R> {
    scan: Scanner<R>,
    tables: Vec<Table>,
    /// The table of the last item.
    table: Table,
    /// True if rows of an `INSERT` follow.
    in_values: bool,
    /// The bytes of the last row's values, and the range of each value; `None` for NULL.
    bytes: Vec<u8>,
    values: Vec<Option<Range<usize>>>,
    num_rows: u64,
}

impl<R: Read> SqlReader<R> {
    pub(crate) fn new(reader: R) -> SqlReader<R> {
        SqlReader {
            scan: Scanner::new(reader),
            tables: Vec::new(),
            table: Table::default(),
            in_values: false,
            bytes: Vec::new(),
            values: Vec::new(),
            num_rows: 0,
        }
    }

    /// Returns the table of the last item.
    pub(crate) fn table(&self) -> &Table {
        &self.table
    }

    /// Returns the name of the database, if it was read already: `-- Host: db1166    Database: enwiki`.
    pub(crate) fn database(&self) -> Option<&str> {
        self.scan.database.as_deref()
    }

    /// Counts the rows read.
    pub(crate) fn num_rows(&self) -> u64 {
        self.num_rows
    }

    /// Returns the underlying reader.
    pub(crate) fn reader(&self) -> &R {
        &self.scan.reader
    }

    /// Returns the underlying reader.
    pub(crate) fn into_reader(self) -> R {
        self.scan.reader
    }

    /// Returns a value of the last row; `None` for NULL.
    pub(crate) fn value(&self, column: usize) -> Option<&[u8]> {
        self.values.get(column)?.clone().map(|range| &self.bytes[range])
    }

    /// Returns a number of the last row.
    pub(crate) fn number<N: std::str::FromStr>(&self, column: usize) -> Result<N, RowError> {
        let value = self.value(column).map(String::from_utf8_lossy);
        match value.as_deref().and_then(|value| value.trim().parse().ok()) {
            Some(number) => Ok(number),
            None => syntax(format!(
                "{} in the column {} of the table {}, expected a whole number",
                value.map_or("NULL".into(), |value| format!("{:?}", shortened(&value))),
                self.table.columns.get(column).map_or("?", |name| name),
                self.table.name
            )),
        }
    }

    /// Returns the next item; `None` at the end.
    pub(crate) fn next_item(&mut self) -> Result<Option<Item>, RowError> {
        loop {
            if self.in_values {
                self.row()?;
                self.num_rows += 1;
                return Ok(Some(Item::Row));
            }
            if !self.scan.skip_space()? {
                return Ok(None);
            }
            let word = self.scan.word()?.to_ascii_uppercase();
            match &word[..] {
                "CREATE" => {
                    self.scan.skip_space()?;
                    if self.scan.word()?.eq_ignore_ascii_case("TABLE") {
                        self.create()?;
                        return Ok(Some(Item::Table));
                    }
                    self.scan.skip_statement()?;
                }
                "INSERT" | "REPLACE" => {
                    if self.insert()? {
                        return Ok(Some(Item::Table));
                    }
                }
                _ => self.scan.skip_statement()?,
            }
        }
    }

    /// Parses `CREATE TABLE [IF NOT EXISTS] NAME (COLUMNS AND KEYS) …;`, after the first two words.
    fn create(&mut self) -> Result<(), RowError> {
        let mut name = self.scan.name()?;
        while ["IF", "NOT", "EXISTS"].iter().any(|word| name.eq_ignore_ascii_case(word)) {
            name = self.scan.name()?;
        }
        self.scan.expect(b'(')?;
        let mut table = Table { name, columns: Vec::new() };
        loop {
            self.scan.skip_space()?;
            let is_quoted = matches!(self.scan.peek()?, Some(b'`' | b'"'));
            let column = self.scan.name()?;
            let is_key = |word: &str| KEYS.iter().any(|key| word.eq_ignore_ascii_case(key));
            if is_quoted || !is_key(&column) {
                if table.columns.len() >= MOST_COLUMNS {
                    return syntax("too many columns");
                }
                table.columns.push(column);
            }
            if self.scan.skip_until_comma_or_end()? == b')' {
                break;
            }
        }
        self.scan.skip_statement()?;
        self.tables.retain(|other| other.name != table.name);
        if self.tables.len() >= MOST_TABLES {
            return syntax("too many tables");
        }
        self.tables.push(table.clone());
        self.table = table;
        Ok(())
    }

    /// Parses `INSERT [IGNORE] INTO NAME [(COLUMNS)] VALUES`, after the first word; returns `true` for a new table.
    fn insert(&mut self) -> Result<bool, RowError> {
        let mut name = self.scan.name()?;
        while ["INTO", "IGNORE", "DELAYED", "LOW_PRIORITY"].iter().any(|word| name.eq_ignore_ascii_case(word))
        {
            name = self.scan.name()?;
        }
        let known = self.tables.iter().find(|table| table.name == name);
        let mut table = known.cloned().unwrap_or(Table { name, columns: Vec::new() });
        self.scan.skip_space()?;
        if self.scan.peek()? == Some(b'(') {
            self.scan.expect(b'(')?;
            table.columns.clear();
            loop {
                if table.columns.len() >= MOST_COLUMNS {
                    return syntax("too many columns");
                }
                table.columns.push(self.scan.name()?);
                if self.scan.comma_or(b')')? {
                    break;
                }
            }
            self.scan.skip_space()?;
        }
        let word = self.scan.word()?;
        if !["VALUES", "VALUE"].iter().any(|values| word.eq_ignore_ascii_case(values)) {
            return syntax(format!(
                "{:?} after INSERT INTO {}, expected VALUES",
                shortened(&word),
                table.name
            ));
        }
        if table.columns.is_empty() {
            return syntax(format!(
                "rows of the table {} without its columns, expected CREATE TABLE before them",
                table.name
            ));
        }
        self.in_values = true;
        let is_new = self.table != table;
        self.table = table;
        Ok(is_new)
    }

    /// Parses one `(…)` and the separator after it.
    fn row(&mut self) -> Result<(), RowError> {
        self.bytes.clear();
        self.values.clear();
        self.scan.expect(b'(')?;
        loop {
            self.scan.skip_space()?;
            let value = self.read_value()?;
            self.values.push(value);
            if self.values.len() > self.table.columns.len() || self.scan.comma_or(b')')? {
                break;
            }
        }
        if self.values.len() != self.table.columns.len() {
            let (name, expected) = (&self.table.name, self.table.columns.len());
            return syntax(format!("a row of the table {name} with other columns, expected {expected}"));
        }
        self.scan.skip_space()?;
        match self.scan.next()? {
            Some(b',') => {}
            Some(b';') => self.in_values = false,
            // `… AS new ON DUPLICATE KEY UPDATE …`, or the end of the last statement.
            Some(byte) if byte.is_ascii_alphabetic() => {
                self.in_values = false;
                self.scan.skip_statement()?;
            }
            None => self.in_values = false,
            Some(byte) => return syntax(format!("{:?} after a row, expected a comma", byte as char)),
        }
        Ok(())
    }

    fn read_value(&mut self) -> Result<Option<Range<usize>>, RowError> {
        let start = self.bytes.len();
        match self.scan.peek()? {
            Some(quote @ (b'\'' | b'"')) => {
                self.scan.next()?;
                self.scan.string(quote, &mut self.bytes)?;
            }
            Some(b',' | b')') | None => return syntax("no value where one was expected"),
            Some(_) => {
                self.scan.bare(&mut self.bytes)?;
                let is = |word: &str, bytes: &[u8]| bytes.eq_ignore_ascii_case(word.as_bytes());
                let bare = &self.bytes[start..];
                if is("NULL", bare) {
                    return Ok(None);
                }
                let is_prefix = bare.first() == Some(&b'_') || is("N", bare);
                let is_hex = is("X", bare);
                if let [b'0', b'x' | b'X', digits @ ..] = bare {
                    let digits = digits.to_vec();
                    self.set_hex(start, &digits)?;
                }
                if is_prefix || is_hex {
                    self.scan.skip_space()?;
                    let Some(quote @ (b'\'' | b'"')) = self.scan.next()? else {
                        return syntax("a character set without a string");
                    };
                    self.bytes.truncate(start);
                    self.scan.string(quote, &mut self.bytes)?;
                    if is_hex {
                        let digits = self.bytes[start..].to_vec();
                        self.set_hex(start, &digits)?;
                    }
                }
            }
        }
        Ok(Some(start..self.bytes.len()))
    }

    /// Replaces the value from `start` on by the bytes of these hexadecimal digits.
    fn set_hex(&mut self, start: usize, digits: &[u8]) -> Result<(), RowError> {
        self.bytes.truncate(start);
        let digit = |byte: &u8| (*byte as char).to_digit(16).map(|digit| digit as u8);
        let Some(digits) = digits.iter().map(digit).collect::<Option<Vec<u8>>>() else {
            return syntax("a hexadecimal value with other letters");
        };
        // An odd number of digits has a zero before it.
        let (first, rest) = digits.split_at(digits.len() % 2);
        self.bytes.extend(first);
        self.bytes.extend(rest.chunks_exact(2).map(|pair| pair[0] << 4 | pair[1]));
        Ok(())
    }
}

/// First words of the definitions in `CREATE TABLE` that are no columns.
const KEYS: [&str; 9] =
    ["PRIMARY", "KEY", "UNIQUE", "INDEX", "CONSTRAINT", "FULLTEXT", "SPATIAL", "FOREIGN", "CHECK"];

fn shortened(text: &str) -> String {
    text.chars().take(40).collect()
}

#[cfg(test)]
#[path = "rows_tests.rs"]
mod tests;
