//! A report: one HTML document with its figures and tables inside, and each of them as a file of its own beside it.
//!
//! The document needs no script, no font and nothing from elsewhere; it can be read on a phone, in the dark, without
//! seeing it, and on paper. It is also well-formed XML. All text is escaped, wherever it comes from, and the same
//! report gives the same bytes.
//!
//! ```
//! use llamafur_eval::report::{Cell, Column, Report, Section, Table, Text};
//!
//! let table = Table::new("bpref", "Average bpref.")
//!     .column(Column::text("Scorer"))
//!     .column(Column::number("bpref"))
//!     .row([Cell::new("llamafur"), Cell::number(0.36712345, 3).best()]);
//! let text = Text::from("See ").table("bpref").plain(".");
//! let report = Report::new("How well it does").section(Section::new("Results").paragraph(text).table(table));
//! let folder = tempfile::tempdir().unwrap();
//! report.write(folder.path()).unwrap();
//! assert_eq!(std::fs::read_to_string(folder.path().join("tables/bpref.tsv")).unwrap(),
//!     "Scorer\tbpref\nllamafur\t0.36712345\n");
//! ```

mod error;
mod figure;
mod html;
mod names;
mod style;
mod table;
mod text;
mod write;

pub use error::ReportError;
pub use figure::Figure;
pub use names::slug;
pub use table::{Cell, Column, Table, grouped};
pub use text::Text;

/// A document: a title, what it comes to, and sections.
#[derive(Debug, Clone)]
pub struct Report {
    title: String,
    lede: Vec<Text>,
    sections: Vec<Section>,
}

impl Report {
    /// A report without sections.
    pub fn new(title: &str) -> Report {
        Report { title: title.into(), lede: Vec::new(), sections: Vec::new() }
    }

    /// A paragraph before the contents: what the report comes to. May be called more than once.
    pub fn lede(mut self, text: impl Into<Text>) -> Report {
        self.lede.push(text.into());
        self
    }

    /// One more section.
    pub fn section(mut self, section: Section) -> Report {
        self.sections.push(section);
        self
    }
}

/// A heading and what stands under it, in the order in which it was added.
#[derive(Debug, Clone)]
pub struct Section {
    heading: String,
    blocks: Vec<Block>,
}

#[derive(Debug, Clone)]
enum Block {
    Subheading(String),
    Paragraph(Text),
    Bullets(Vec<Text>),
    Table(Table),
    Figure(Figure),
    Settings(Vec<(String, Text)>),
}

impl Section {
    /// A section with nothing in it.
    pub fn new(heading: &str) -> Section {
        Section { heading: heading.into(), blocks: Vec::new() }
    }

    /// A smaller heading.
    pub fn subheading(self, heading: &str) -> Section {
        self.block(Block::Subheading(heading.into()))
    }

    /// A paragraph.
    pub fn paragraph(self, text: impl Into<Text>) -> Section {
        self.block(Block::Paragraph(text.into()))
    }

    /// A list of short texts.
    pub fn bullets<T: Into<Text>>(self, texts: impl IntoIterator<Item = T>) -> Section {
        self.block(Block::Bullets(texts.into_iter().map(Into::into).collect()))
    }

    /// A table.
    pub fn table(self, table: Table) -> Section {
        self.block(Block::Table(table))
    }

    /// A figure.
    pub fn figure(self, figure: Figure) -> Section {
        self.block(Block::Figure(figure))
    }

    /// Names and their values: settings, or where the data come from.
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
