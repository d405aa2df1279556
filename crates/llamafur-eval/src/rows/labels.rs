//! Files of judged rows: page, target, letter, sign and judge, separated by tabs, without a header.

use super::error::RowError;
use super::letter::{RowLetter, RowSign};
use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::io::Read;
use std::path::{Path, PathBuf};

/// The largest file that is read, in bytes.
const LARGEST: u64 = if cfg!(test) { 1 << 17 } else { 1 << 28 };

/// Number of characters of a wrong field that an error quotes.
const QUOTED: usize = 60;

/// A row with its judgment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JudgedRow {
    /// The title of the page.
    pub page: String,
    /// The title of the page that it links to.
    pub target: String,
    /// The judgment of the link.
    pub letter: RowLetter,
    /// The judgment of the reason; `None` if the file has none.
    pub sign: Option<RowSign>,
    /// The judge; empty if the file names nobody.
    pub judge: String,
}

impl JudgedRow {
    /// Parses a line without its line break; the error has the found and the expected text.
    fn parse(line: &str) -> Result<JudgedRow, (String, &'static str)> {
        let quoted = |text: &str| text.chars().take(QUOTED).collect::<String>();
        let fields: Vec<&str> = line.split('\t').map(str::trim).collect();
        let (page, target, letter, rest) = match fields[..] {
            [page, target, letter, ref rest @ ..] if rest.len() <= 2 => (page, target, letter, rest),
            _ => return Err((quoted(line), "page, target, letter, sign and judge, separated by tabs")),
        };
        if page.is_empty() || target.is_empty() {
            return Err((quoted(line), "the titles of two pages before the letter"));
        }
        let letter = letter.parse().map_err(|_| (quoted(letter), "a letter: A, B, C, D or E"))?;
        let sign = match rest.first() {
            None | Some(&"") => None,
            Some(sign) => Some(sign.parse().map_err(|_| (quoted(sign), "a sign: +, 0 or −"))?),
        };
        let judge = rest.get(1).copied().unwrap_or_default().to_owned();
        Ok(JudgedRow { page: page.to_owned(), target: target.to_owned(), letter, sign, judge })
    }
}

/// The judged rows of one file or several, by the titles of the page and of the target.
///
/// ```
/// use llamafur_eval::rows::{RowLabels, RowLetter};
/// let mut labels = RowLabels::default();
/// labels.read("Jupiter\tFish\tA\t+\tann\nJupiter\tFish\tC\t0\tbob\n".as_bytes(), "judged.tsv")?;
/// // The first label of a row counts.
/// assert_eq!(labels.get("Jupiter", "Fish").map(|row| row.letter), Some(RowLetter::A));
/// assert_eq!((labels.num_rows(), labels.num_repeated(), labels.num_contradicted()), (1, 1, 1));
/// # Ok::<(), llamafur_eval::rows::RowError>(())
/// ```
#[derive(Debug, Clone, Default)]
pub struct RowLabels {
    /// By page, then by target.
    rows: BTreeMap<String, BTreeMap<String, JudgedRow>>,
    num_rows: usize,
    num_repeated: usize,
    num_contradicted: usize,
    files: Vec<PathBuf>,
}

impl RowLabels {
    /// Adds the rows of a file. A row that has a label already keeps it, and is counted as repeated. Empty lines are skipped.
    ///
    /// # Errors
    /// Returns an error if the file cannot be read, or a line is wrong; the rows before that line are added.
    pub fn read(&mut self, input: impl Read, path: impl Into<PathBuf>) -> Result<(), RowError> {
        let path = path.into();
        let mut bytes = Vec::new();
        let read = input.take(LARGEST + 1).read_to_end(&mut bytes);
        read.map_err(|cause| RowError::Io { path: path.clone(), cause })?;
        if bytes.len() as u64 > LARGEST {
            return Err(RowError::TooLarge { path, limit: LARGEST });
        }
        let bytes = bytes.strip_prefix("\u{feff}".as_bytes()).unwrap_or(&bytes);
        for (line, number) in bytes.split(|byte| *byte == b'\n').zip(1..) {
            self.add_line(line, number, &path)?;
        }
        self.files.push(path);
        Ok(())
    }

    fn add_line(&mut self, line: &[u8], number: u64, path: &Path) -> Result<(), RowError> {
        let bad = |(found, expected)| RowError::Line { path: path.into(), line: number, found, expected };
        let text = str::from_utf8(line).map_err(|_| {
            let readable = String::from_utf8_lossy(line).chars().take(QUOTED).collect();
            bad((readable, "UTF-8 text"))
        })?;
        if text.trim().is_empty() {
            return Ok(());
        }
        self.add(JudgedRow::parse(text.trim_end_matches('\r')).map_err(bad)?);
        Ok(())
    }

    /// Adds a row, unless it has a label already.
    pub fn add(&mut self, row: JudgedRow) {
        match self.rows.entry(row.page.clone()).or_default().entry(row.target.clone()) {
            Entry::Vacant(place) => {
                place.insert(row);
                self.num_rows += 1;
            }
            Entry::Occupied(first) => {
                self.num_repeated += 1;
                self.num_contradicted += usize::from(first.get().letter != row.letter);
            }
        }
    }

    /// Fails if there is no judged row.
    pub fn expect_rows(&self) -> Result<(), RowError> {
        match self.num_rows {
            0 => Err(RowError::Empty { path: self.files.last().cloned().unwrap_or_default() }),
            _ => Ok(()),
        }
    }

    /// Returns the label of a row.
    pub fn get(&self, page: &str, target: &str) -> Option<&JudgedRow> {
        self.rows.get(page)?.get(target)
    }

    /// Returns the titles of the pages that have a judged row, in their order as text.
    pub fn pages(&self) -> impl Iterator<Item = &str> {
        self.rows.keys().map(String::as_str)
    }

    /// Returns the judged rows of a page, by the target's title.
    pub fn of_page(&self, page: &str) -> impl Iterator<Item = &JudgedRow> {
        self.rows.get(page).into_iter().flat_map(BTreeMap::values)
    }

    /// Returns the number of judged rows, each pair of titles once.
    pub fn num_rows(&self) -> usize {
        self.num_rows
    }

    /// Returns the number of lines that label a row again; the first label counts.
    pub fn num_repeated(&self) -> usize {
        self.num_repeated
    }

    /// Returns the number of lines that label a row again with another letter.
    pub fn num_contradicted(&self) -> usize {
        self.num_contradicted
    }

    /// Returns the files, in the order in which they were read.
    pub fn files(&self) -> &[PathBuf] {
        &self.files
    }
}
