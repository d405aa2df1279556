//! The settings of an import from tables.

use super::error::ImportError;
#[cfg(feature = "arrow")]
use arrow_array::RecordBatchReader;
use llamafur::storage::Existing;
use llamafur::text::wikitext::Site;
use std::path::{Path, PathBuf};
use std::str::FromStr;
#[cfg(feature = "arrow")]
use std::sync::{Arc, Mutex, PoisonError};

/// The tables that make up a graph.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub enum Table {
    /// Source, target.
    #[default]
    Links,
    /// Page, category.
    Categories,
    /// Page: adds pages with neither link nor category.
    Pages,
    /// Child, parent.
    CategoryTree,
    /// Title, page: other titles that lead to pages.
    Redirects,
    /// Page, text.
    Text,
}

impl Table {
    /// All tables, in the order in which they are read.
    pub const ALL: [Table; 6] =
        [Table::Links, Table::Categories, Table::Pages, Table::CategoryTree, Table::Redirects, Table::Text];

    /// Returns the table's name, as in the manifest.
    pub fn name(self) -> &'static str {
        match self {
            Table::Links => "links",
            Table::Categories => "categories",
            Table::Pages => "pages",
            Table::CategoryTree => "category-tree",
            Table::Redirects => "redirects",
            Table::Text => "text",
        }
    }

    /// Returns the names of the table's columns.
    pub fn columns(self) -> &'static [&'static str] {
        match self {
            Table::Links => &["source", "target"],
            Table::Categories => &["page", "category"],
            Table::Pages => &["page"],
            Table::CategoryTree => &["child", "parent"],
            Table::Redirects => &["title", "page"],
            Table::Text => &["page", "text"],
        }
    }
}

impl FromStr for Table {
    type Err = ImportError;

    fn from_str(name: &str) -> Result<Table, ImportError> {
        let found = Table::ALL.into_iter().find(|table| table.name() == name);
        found.ok_or_else(|| {
            let names = Table::ALL.map(Table::name).join(", ");
            let problem = format!("there is no table {name:?}, only {names}");
            ImportError::BadColumns { given: name.into(), problem }
        })
    }
}

/// One column of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ColumnName {
    /// The column with that name in the header, the JSON key, or the Parquet column.
    Name(String),
    /// The column with that number, counted from 1.
    Number(usize),
}

impl ColumnName {
    fn parse(text: &str) -> Option<ColumnName> {
        match text.trim() {
            "" | "0" => None,
            text => Some(text.parse().map_or_else(|_| ColumnName::Name(text.into()), ColumnName::Number)),
        }
    }
}

impl std::fmt::Display for ColumnName {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            ColumnName::Name(name) => write!(f, "{name}"),
            ColumnName::Number(number) => write!(f, "{number}"),
        }
    }
}

/// A choice of columns in a table's file, as in `links=SRC,DST` or `links=3,1`.
///
/// ```
/// use llamafur_import::table::{ColumnName, Columns, Table};
///
/// let columns: Columns = "links=citing,2".parse()?;
/// assert_eq!(columns.table, Table::Links);
/// assert_eq!(columns.names, [ColumnName::Name("citing".into()), ColumnName::Number(2)]);
/// # Ok::<(), llamafur_import::table::ImportError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Columns {
    /// The table whose columns are chosen.
    pub table: Table,
    /// One column for each of [`Table::columns`], in that order.
    pub names: Vec<ColumnName>,
}

impl Columns {
    /// Chooses the columns of a table, as many as it has.
    ///
    /// # Errors
    /// Returns an error if their number is not that of [`Table::columns`], or a column is repeated.
    pub fn new(table: Table, names: Vec<ColumnName>) -> Result<Columns, ImportError> {
        let wanted = table.columns();
        let is_twice = (1..names.len()).any(|at| names[..at].contains(&names[at]));
        let problem = match names.len() == wanted.len() {
            true if !is_twice => return Ok(Columns { table, names }),
            true => format!("{} are the same column", wanted.join(" and ")),
            false => format!("{} needs {} ({})", table.name(), wanted.len(), wanted.join(", ")),
        };
        let given = names.iter().map(ToString::to_string).collect::<Vec<_>>().join(",");
        Err(ImportError::BadColumns { given, problem })
    }
}

impl FromStr for Columns {
    type Err = ImportError;

    fn from_str(given: &str) -> Result<Columns, ImportError> {
        let bad = |problem: &str| ImportError::BadColumns { given: given.into(), problem: problem.into() };
        let (table, names) = given.split_once('=').ok_or_else(|| bad("no = between table and columns"))?;
        let names: Option<Vec<_>> = names.split(',').map(ColumnName::parse).collect();
        let names = names.ok_or_else(|| bad("a column without name or number"))?;
        Columns::new(table.trim().parse()?, names)
    }
}

/// The character between the columns of a text file.
///
/// ```
/// use llamafur_import::table::Delimiter;
///
/// let semicolon: Delimiter = ";".parse()?;
/// let tab: Delimiter = "tab".parse()?;
/// assert_eq!((semicolon.byte(), tab.byte()), (b';', b'\t'));
/// # Ok::<(), llamafur_import::table::ImportError>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Delimiter(u8);

impl Delimiter {
    /// Returns the character.
    pub fn byte(self) -> u8 {
        self.0
    }
}

impl FromStr for Delimiter {
    type Err = ImportError;

    fn from_str(given: &str) -> Result<Delimiter, ImportError> {
        match given.as_bytes() {
            b"tab" | b"\\t" => Ok(Delimiter(b'\t')),
            [byte] if byte.is_ascii() && !matches!(byte, b'"' | b'\n' | b'\r') => Ok(Delimiter(*byte)),
            _ => Err(ImportError::BadDelimiter { given: given.into() }),
        }
    }
}

/// The treatment of rows that cannot be used.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Mode {
    /// Skips, counts and reports them at the end.
    #[default]
    Lenient,
    /// Stops with an error.
    Strict,
}

/// A table in memory: batches of rows, which are read once, a few thousand rows at a time, and never copied as a whole.
///
/// Columns are found by name, as in a Parquet file.
#[cfg(feature = "arrow")]
#[derive(Clone)]
pub struct Frame(Arc<Mutex<Option<Box<dyn RecordBatchReader + Send>>>>);

#[cfg(feature = "arrow")]
impl Frame {
    /// Creates a frame of these batches.
    pub fn new(batches: impl RecordBatchReader + Send + 'static) -> Frame {
        Frame(Arc::new(Mutex::new(Some(Box::new(batches)))))
    }

    /// Takes the batches; returns `None` after the first call.
    pub(crate) fn take(&self) -> Option<Box<dyn RecordBatchReader + Send>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).take()
    }
}

#[cfg(feature = "arrow")]
impl std::fmt::Debug for Frame {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Frame")
    }
}

/// The settings of an import: its files, and the options for reading them.
#[derive(Debug, Clone)]
pub struct TableConf {
    files: [Option<PathBuf>; Table::ALL.len()],
    #[cfg(feature = "arrow")]
    frames: [Option<Frame>; Table::ALL.len()],
    columns: Vec<Columns>,
    pub(crate) delimiter: Option<Delimiter>,
    pub(crate) mode: Mode,
    pub(crate) existing: Existing,
    pub(crate) buffer_bytes: usize,
    pub(crate) longest_row: usize,
    pub(crate) site: Option<Site>,
}

/// The longest name that a table may have, in bytes of UTF-8.
pub const LONGEST_NAME: usize = 1024;

/// Smallest size of the sort buffer, in bytes.
const SMALLEST_BUFFER: usize = 1 << 10;

impl TableConf {
    /// Creates settings for the graph whose links are in that file: two columns, source and target. `-` is the standard
    /// input.
    pub fn new(links: impl Into<PathBuf>) -> Self {
        TableConf::empty().file(Table::Links, links)
    }

    /// Creates settings for the graph whose links are in that frame.
    #[cfg(feature = "arrow")]
    pub fn of_frame(links: Frame) -> Self {
        TableConf::empty().frame(Table::Links, links)
    }

    fn empty() -> Self {
        TableConf {
            files: [const { None }; Table::ALL.len()],
            #[cfg(feature = "arrow")]
            frames: [const { None }; Table::ALL.len()],
            columns: Vec::new(),
            delimiter: None,
            mode: Mode::default(),
            existing: Existing::default(),
            buffer_bytes: 256 << 20,
            longest_row: 64 << 20,
            site: None,
        }
    }

    /// Sets the file of page and category. Default: none, so that no category can be learnt from.
    pub fn categories(self, file: impl Into<PathBuf>) -> Self {
        self.file(Table::Categories, file)
    }

    /// Sets the file of child category and parent category. Default: none, no category has parents.
    pub fn category_tree(self, file: impl Into<PathBuf>) -> Self {
        self.file(Table::CategoryTree, file)
    }

    /// Sets the file of page and text. Default: none, the corpus has no text.
    pub fn text(self, file: impl Into<PathBuf>) -> Self {
        self.file(Table::Text, file)
    }

    /// Sets the file of pages, one a row, for pages with neither link nor category. Default: none.
    pub fn pages(self, file: impl Into<PathBuf>) -> Self {
        self.file(Table::Pages, file)
    }

    /// Sets the file of title and page: other titles that tables may use for a page. Default: none.
    ///
    /// A title may lead to another title. Titles that lead back to themselves are left out and reported.
    pub fn redirects(self, file: impl Into<PathBuf>) -> Self {
        self.file(Table::Redirects, file)
    }

    /// Sets the file of a table; see the setter of that table's name.
    pub fn file(mut self, table: Table, file: impl Into<PathBuf>) -> Self {
        self.files[table as usize] = Some(file.into());
        self
    }

    /// Sets a table in memory in place of a file. An import consumes it, so that the settings serve one import.
    ///
    /// ```
    /// use arrow_array::{RecordBatch, RecordBatchIterator, StringArray, UInt32Array};
    /// use llamafur::progress::Silent;
    /// use llamafur_import::table::{Frame, Table, TableConf, import};
    /// use std::sync::Arc;
    /// # let dir = tempfile::tempdir()?;
    ///
    /// let links = RecordBatch::try_from_iter([
    ///     ("source", Arc::new(UInt32Array::from(vec![1, 1, 2])) as _),
    ///     ("target", Arc::new(UInt32Array::from(vec![2, 3, 3])) as _),
    /// ])?;
    /// let tags = RecordBatch::try_from_iter([
    ///     ("page", Arc::new(UInt32Array::from(vec![1, 2])) as _),
    ///     ("tag", Arc::new(StringArray::from(vec!["odd", "even"])) as _),
    /// ])?;
    /// let frame = |batch: RecordBatch| Frame::new(RecordBatchIterator::new([Ok(batch.clone())], batch.schema()));
    /// let conf = TableConf::of_frame(frame(links)).frame(Table::Categories, frame(tags));
    /// let imported = import(&conf, &dir.path().join("my.corpus"), &mut Silent)?;
    /// assert_eq!((imported.manifest.counts.links, imported.manifest.counts.categories), (3, 2));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[cfg(feature = "arrow")]
    pub fn frame(mut self, table: Table, frame: Frame) -> Self {
        self.frames[table as usize] = Some(frame);
        // What messages call it.
        self.file(table, table.name())
    }

    #[cfg(feature = "arrow")]
    pub(crate) fn frame_of(&self, table: Table) -> Option<&Frame> {
        self.frames[table as usize].as_ref()
    }

    /// Returns whether a table is a file and not a frame.
    pub(crate) fn is_file(&self, table: Table) -> bool {
        #[cfg(feature = "arrow")]
        if self.frame_of(table).is_some() {
            return false;
        }
        self.file_of(table).is_some()
    }

    /// Sets the columns to read of one table's file; one choice per table, the last call wins.
    ///
    /// Default: those with recognised names in the header, the JSON keys or the Parquet schema, else the first and only
    /// ones.
    pub fn columns(mut self, columns: Columns) -> Self {
        self.columns.retain(|other| other.table != columns.table);
        self.columns.push(columns);
        self
    }

    /// Sets the character between the columns of text files. Default: a tab or a comma, by the file's name and content.
    ///
    /// A column may be quoted as in CSV, except with a tab. JSON lines and Parquet are not affected.
    pub fn delimiter(mut self, delimiter: Delimiter) -> Self {
        self.delimiter = Some(delimiter);
        self
    }

    /// Sets the treatment of rows that cannot be used. Default: [`Mode::Lenient`].
    pub fn mode(mut self, mode: Mode) -> Self {
        self.mode = mode;
        self
    }

    /// Sets the treatment of an existing corpus at the output path. Default: [`Existing::Refuse`].
    pub fn existing(mut self, existing: Existing) -> Self {
        self.existing = existing;
        self
    }

    /// Sets the buffer for sorting links, page-category pairs or child-parent pairs in memory, in bytes. Default: 256
    /// MiB. Range: at least 1 KiB, lower values are raised. The corpus does not depend on it.
    pub fn buffer_bytes(mut self, bytes: usize) -> Self {
        self.buffer_bytes = bytes.max(SMALLEST_BUFFER);
        self
    }

    /// Sets the largest length of a row of a text file, in bytes. Default: 64 MiB. A longer line of TSV or JSON is a
    /// bad row; a longer row of CSV, probably an unclosed quote, is an error.
    pub fn longest_row(mut self, bytes: usize) -> Self {
        self.longest_row = bytes;
        self
    }

    /// Sets the wiki of the tables; its texts are then read as wikitext. Default: none, texts are plain.
    pub fn site(mut self, site: Site) -> Self {
        self.site = Some(site);
        self
    }

    pub(crate) fn file_of(&self, table: Table) -> Option<&Path> {
        self.files[table as usize].as_deref()
    }

    pub(crate) fn columns_of(&self, table: Table) -> Option<&Columns> {
        self.columns.iter().find(|columns| columns.table == table)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_parsed_or_refused_with_the_reason() {
        let parse = |text: &str| text.parse::<Columns>().map_err(|e| e.to_string());
        assert_eq!(parse("pages=2").unwrap().names, [ColumnName::Number(2)]);
        assert_eq!(parse("text = title, body").unwrap().names[1], ColumnName::Name("body".into()));
        assert!(parse("links").unwrap_err().contains("no ="));
        assert!(parse("links=a").unwrap_err().contains("links needs 2 (source, target)"));
        assert!(parse("links=a,0").unwrap_err().contains("without name or number"));
        for same in ["links=1,1", "links=a,a", "links= a ,a", "categories=2,02"] {
            assert!(parse(same).unwrap_err().contains("are the same column"), "{same}");
        }
        assert!(parse("edges=a,b").unwrap_err().contains("links, categories"));
    }
}
