//! The document and its files in a folder.
//!
//! The folder has a list of the files of its report. So a report can be replaced whole, and a folder without such a list is
//! known to belong to somebody else.

use super::names::Names;
use super::{Block, HtmlReport};
use llamafur::storage::{AtomicFile, BLOCK, Existing};
use llamafur::{Error, Remedy};
use std::collections::BTreeSet;
use std::fs;
use std::io::{self, Write};
use std::path::{Component, Path};

/// The list of files, and its first line.
const LIST: &str = "files.txt";
const HEADING: &str =
    "Files of a LlamaFur report, format 1. They are removed when the report is written again.";

impl HtmlReport {
    /// Whether [`HtmlReport::write`] would accept the folder: for use before long work.
    ///
    /// # Errors
    /// As `write`.
    pub fn check(folder: &Path, existing: Existing) -> Result<(), Error> {
        earlier_files(folder, existing).map(drop)
    }

    /// Writes `index.html`, `figures/NAME.svg`, `tables/NAME.tsv` and the further files into a folder, which is made if it
    /// does not exist, and the list of all of them as `files.txt`.
    ///
    /// An earlier report in the folder is replaced: its files that are not written again are removed. All other files are
    /// kept. Each file is whole or absent, and the document comes after the files that it links to.
    ///
    /// # Errors
    /// If a file cannot be written, or if the folder has files but no report, unless `existing` is [`Existing::Replace`].
    pub fn write(&self, folder: &Path, existing: Existing) -> Result<(), Error> {
        let earlier = earlier_files(folder, existing)?;
        let files = self.all_files();
        let now: BTreeSet<String> = files.iter().map(|(path, _)| path.clone()).collect();
        // If the work is interrupted, the list must have the files of both reports.
        write_list(folder, &earlier.union(&now).cloned().collect())?;
        for (path, text) in &files {
            write_file(&folder.join(path), text)?;
        }
        for path in earlier.difference(&now).map(|path| folder.join(path)) {
            match fs::remove_file(&path) {
                Err(cause) if cause.kind() != io::ErrorKind::NotFound => {
                    return Err(Error::Io { path, cause });
                }
                _ => {}
            }
            // Only an empty folder can be removed, and it does not matter if it stays.
            let _ = path.parent().filter(|parent| *parent != folder).map(fs::remove_dir);
        }
        write_list(folder, &now)
    }

    /// Paths and contents; the document is the last one.
    fn all_files(&self) -> Vec<(String, String)> {
        let names = Names::of(self);
        let (mut figures, mut tables) = (names.figures.iter(), names.tables.iter());
        let mut files = self.files.clone();
        for block in self.sections.iter().flat_map(|section| &section.blocks) {
            match block {
                Block::Figure(figure) => files
                    .extend(figures.next().map(|name| (format!("figures/{name}.svg"), figure.wide.svg()))),
                Block::Table(table) => {
                    files.extend(tables.next().map(|name| (format!("tables/{name}.tsv"), table.tsv())));
                }
                _ => {}
            }
        }
        files.push(("index.html".to_owned(), self.html_with(&names)));
        files
    }
}

/// The files of the report that is in a folder; an error if other files are in the way.
fn earlier_files(folder: &Path, existing: Existing) -> Result<BTreeSet<String>, Error> {
    let list = fs::read_to_string(folder.join(LIST)).unwrap_or_default();
    if let Some(paths) = list.strip_prefix(HEADING) {
        return Ok(paths.lines().filter(|path| is_inside(path)).map(str::to_owned).collect());
    }
    let has_files = match fs::read_dir(folder) {
        Ok(mut entries) => entries.next().is_some(),
        Err(cause) if cause.kind() == io::ErrorKind::NotFound => false,
        Err(cause) => return Err(Error::Io { path: folder.into(), cause }),
    };
    if has_files && existing == Existing::Refuse {
        let found = "a folder with files that are not of a report";
        let remedy = Remedy::either([Remedy::another("report"), Remedy::set("overwrite", "")]);
        return Err(Error::Place { path: folder.into(), found, remedy });
    }
    Ok(BTreeSet::new())
}

/// Whether a path leads to a file in the folder that it is relative to.
pub(super) fn is_inside(path: &str) -> bool {
    !path.is_empty() && Path::new(path).components().all(|part| matches!(part, Component::Normal(_)))
}

fn write_list(folder: &Path, paths: &BTreeSet<String>) -> Result<(), Error> {
    let paths: Vec<&str> = paths.iter().map(String::as_str).collect();
    write_file(&folder.join(LIST), &format!("{HEADING}\n{}\n", paths.join("\n")))
}

fn write_file(path: &Path, text: &str) -> Result<(), Error> {
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder).map_err(Error::io(folder))?;
    }
    let mut file = AtomicFile::create(path, BLOCK)?;
    file.write_all(text.as_bytes()).map_err(Error::io(path))?;
    file.finish()?;
    Ok(())
}
