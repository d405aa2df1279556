//! The document and its files in a folder.

use super::names::Names;
use super::{Block, Report, ReportError};
use llamafur::corpus::{AtomicFile, BLOCK};
use std::fs;
use std::io::Write;
use std::path::Path;

impl Report {
    /// Writes `index.html`, `figures/NAME.svg` and `tables/NAME.tsv` into a folder, which is made if it is not there.
    ///
    /// Files of these names are replaced, other files are left alone. Each file is whole or absent, and the document
    /// comes last, so that what it leads to is there.
    ///
    /// # Errors
    /// If the folder cannot be made or a file cannot be written.
    pub fn write(&self, folder: &Path) -> Result<(), ReportError> {
        let names = Names::of(self);
        make(folder)?;
        let blocks = || self.sections.iter().flat_map(|section| &section.blocks);
        if !names.figures.is_empty() {
            make(&folder.join("figures"))?;
        }
        let figures =
            blocks().filter_map(|block| if let Block::Figure(figure) = block { Some(figure) } else { None });
        for (figure, name) in figures.zip(&names.figures) {
            write(&folder.join(format!("figures/{name}.svg")), &figure.wide.svg())?;
        }
        if !names.tables.is_empty() {
            make(&folder.join("tables"))?;
        }
        let tables =
            blocks().filter_map(|block| if let Block::Table(table) = block { Some(table) } else { None });
        for (table, name) in tables.zip(&names.tables) {
            write(&folder.join(format!("tables/{name}.tsv")), &table.tsv())?;
        }
        write(&folder.join("index.html"), &self.html_with(&names))
    }
}

fn make(folder: &Path) -> Result<(), ReportError> {
    fs::create_dir_all(folder).map_err(|cause| ReportError::Io { path: folder.into(), cause })
}

fn write(path: &Path, text: &str) -> Result<(), ReportError> {
    let mut file = AtomicFile::create(path, BLOCK)?;
    file.write_all(text.as_bytes()).map_err(|cause| ReportError::Io { path: path.into(), cause })?;
    file.finish()?;
    Ok(())
}
