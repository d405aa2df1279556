//! Writes the document and its files into a folder.
//!
//! The folder has a list of the files of its report. So a report can be replaced completely, and a folder without such
//! a list is recognised as another's.

use super::names::Names;
use super::{Block, HtmlReport};
use llamafur::storage::{AtomicFile, BLOCK, Existing, FILE_LIST, file_list, listed_files};
use llamafur::{Error, Remedy};
use std::collections::BTreeSet;
use std::fs;
use std::io::{self, Write};
use std::path::Path;

impl HtmlReport {
    /// Checks whether [`HtmlReport::write`] would accept the folder: for use before long work.
    pub fn check(folder: &Path, existing: Existing) -> Result<(), Error> {
        earlier_files(folder, existing).map(drop)
    }

    /// Writes `index.html`, `figures/NAME.svg`, `tables/NAME.tsv` and the further files into a folder, which is created
    /// if missing, and the list of all of them as `files.txt`.
    ///
    /// An earlier report in the folder is replaced: its files that are not written again are removed. All other files
    /// are kept. Each file is complete or absent, and the document comes after the files that it links to.
    ///
    /// # Errors
    /// Returns an error if a file cannot be written, if the folder has files but no report, unless `existing` is
    /// [`Existing::Replace`], or if a file that is not of a report has the name of one that would be written.
    pub fn write(&self, folder: &Path, existing: Existing) -> Result<(), Error> {
        let earlier = earlier_files(folder, existing)?;
        let files = self.all_files();
        let others = files.iter().map(|(path, _)| path).filter(|path| !earlier.contains(*path));
        refuse(folder, others.filter(|path| is_there(folder, path)))?;
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

    /// Returns paths and contents; the document is the last one.
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

/// Returns the files of the report in a folder; an error if other files are in the way.
fn earlier_files(folder: &Path, existing: Existing) -> Result<BTreeSet<String>, Error> {
    if let Some(paths) = listed_files(folder) {
        return Ok(paths);
    }
    let mut names = Vec::new();
    match fs::read_dir(folder) {
        Ok(entries) => {
            for entry in entries {
                names.push(entry.map_err(Error::io(folder))?.file_name().to_string_lossy().into_owned());
            }
        }
        Err(cause) if cause.kind() == io::ErrorKind::NotFound => {}
        Err(cause) => return Err(Error::Io { path: folder.into(), cause }),
    }
    names.sort();
    // Somebody else's files stay, so those of these names are in the way.
    refuse(folder, names.iter().filter(|name| [FILE_LIST, "index.html"].contains(&&name[..])))?;
    if !names.is_empty() && existing == Existing::Refuse {
        let found = "a folder with files that are not of a report";
        let remedy = Remedy::either([Remedy::another("report"), Remedy::set("overwrite", "")]);
        return Err(Error::Place { path: folder.into(), found, remedy });
    }
    Ok(BTreeSet::new())
}

/// Returns whether a path in a folder exists, even as a broken symbolic link.
fn is_there(folder: &Path, path: &str) -> bool {
    fs::symlink_metadata(folder.join(path)).is_ok()
}

/// Largest number of files that the error names.
const MOST_NAMES: usize = 10;

/// Fails if a report would replace files of others.
fn refuse<'p>(folder: &Path, mut others: impl Iterator<Item = &'p String>) -> Result<(), Error> {
    let files: Vec<String> = others.by_ref().take(MOST_NAMES).cloned().collect();
    if files.is_empty() {
        return Ok(());
    }
    let remedy = Remedy::either([Remedy::advice("move them away"), Remedy::another("report")]);
    let found = "files that are not of a report are in the way";
    Err(Error::NotOurs { path: folder.into(), found, files, more: others.count(), remedy })
}

fn write_list(folder: &Path, paths: &BTreeSet<String>) -> Result<(), Error> {
    write_file(&folder.join(FILE_LIST), &file_list(paths.iter().map(String::as_str)))
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
