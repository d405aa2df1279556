//! A report: one HTML document with figures and tables, and each of them also as a file beside it.
//!
//! The document needs no script, no font and no other file. It works on a phone, on a dark screen, with a screen reader and
//! on paper. It is also well-formed XML. All text is escaped, and the same report gives the same bytes.
//!
//! ```
//! use llamafur::storage::Existing;
//! use llamafur_eval::report::{Cell, HtmlReport, Section, Table, Text};
//!
//! let table = Table::new("bpref", "Average bpref.")
//!     .texts(["Scorer"])
//!     .numbers(["bpref"])
//!     .row([Cell::new("llamafur"), Cell::number(0.36712345, 3).best()]);
//! let text = Text::from("See ").table("bpref").plain(".");
//! let report = HtmlReport::new("How well it does").section(Section::new("Results").paragraph(text).table(table));
//! let folder = tempfile::tempdir().unwrap();
//! report.write(folder.path(), Existing::Refuse).unwrap();
//! assert_eq!(std::fs::read_to_string(folder.path().join("tables/bpref.tsv")).unwrap(),
//!     "Scorer\tbpref\nllamafur\t0.36712345\n");
//! ```

mod figure;
mod html;
mod links;
mod names;
mod table;
mod text;
mod write;

pub use figure::Figure;
pub use links::{category_graph, reasons};
pub use names::slug;
pub use table::{Cell, Column, Table, counted, grouped, signed_by};
pub use text::Text;

/// A document: a title, a summary, sections, and further files.
#[derive(Debug, Clone)]
pub struct HtmlReport {
    title: String,
    lede: Vec<Text>,
    sections: Vec<Section>,
    files: Vec<(String, String)>,
}

impl HtmlReport {
    /// Creates a report without sections.
    pub fn new(title: &str) -> HtmlReport {
        HtmlReport { title: title.into(), lede: Vec::new(), sections: Vec::new(), files: Vec::new() }
    }

    /// Adds a paragraph to the summary, which comes before the contents.
    pub fn lede(mut self, text: impl Into<Text>) -> HtmlReport {
        self.lede.push(text.into());
        self
    }

    /// Adds a section.
    pub fn section(mut self, section: Section) -> HtmlReport {
        self.sections.push(section);
        self
    }

    /// Adds a file that is not shown in the document, such as `trec/qrels`.
    ///
    /// # Panics
    /// If the path is not relative, or leads out of the folder.
    pub fn file(mut self, path: &str, text: String) -> HtmlReport {
        assert!(llamafur::storage::is_inside(path), "{path}: outside the report's folder");
        self.files.push((path.into(), text));
        self
    }
}

/// A heading and its content, in the order in which it was added.
#[derive(Debug, Clone)]
pub struct Section {
    heading: String,
    blocks: Vec<Block>,
}

#[derive(Debug, Clone)]
enum Block {
    Paragraph(Text),
    Table(Table),
    Figure(Figure),
    Settings(Vec<(String, Text)>),
}

impl Section {
    /// Creates an empty section.
    pub fn new(heading: &str) -> Section {
        Section { heading: heading.into(), blocks: Vec::new() }
    }

    /// Adds a paragraph.
    pub fn paragraph(self, text: impl Into<Text>) -> Section {
        self.block(Block::Paragraph(text.into()))
    }

    /// Adds a table.
    pub fn table(self, table: Table) -> Section {
        self.block(Block::Table(table))
    }

    /// Adds a figure.
    pub fn figure(self, figure: Figure) -> Section {
        self.block(Block::Figure(figure))
    }

    /// Adds names and their values: settings, or the sources of the data.
    pub fn settings<K: Into<String>, V: Into<Text>>(
        self,
        entries: impl IntoIterator<Item = (K, V)>,
    ) -> Section {
        let entries = entries.into_iter().map(|(name, value)| (name.into(), value.into()));
        self.block(Block::Settings(entries.collect()))
    }

    fn block(mut self, block: Block) -> Section {
        self.blocks.push(block);
        self
    }
}
