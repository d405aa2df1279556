//! Checks of every byte of a corpus and of the files made from it.

use crate::categories::Milestones;
use crate::corpus::{Corpus, Manifest};
use crate::error::Error;
use crate::learn::Model;
use crate::progress::{Note, Progress};
use crate::score::STANDARDS;
use crate::storage::{arrow_file, signed, tensors};
use crate::vectors::PageVectors;
use crate::words::{self, Words};
use std::fs;
use std::path::{Path, PathBuf};

/// The kind of a file of a corpus.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub enum FileKind {
    /// The manifest, or a file that it names.
    Table,
    /// The words.
    Words,
    /// The means and deviations of scores.
    Standards,
    /// A file that answers need, made of the others.
    Prepared,
    /// Vectors from elsewhere.
    Vectors,
    /// A cleansing.
    Cleansing,
    /// A model.
    Model,
}

/// A file of a corpus that was checked.
#[derive(Debug)]
pub struct VerifiedFile {
    /// The kind of the file.
    pub kind: FileKind,
    /// The name of a cleansing or a model, else the path in the folder of the corpus.
    pub name: String,
    /// The damage; `None` if the file is whole.
    pub damage: Option<Error>,
    path: PathBuf,
}

/// Checks every byte of all files of a corpus, even after a damaged one: each by its checksums, then, if all are
/// intact, their consistency: ids, orders, counts. Judgments are not checked.
///
/// # Errors
/// If there is no corpus, or it is of another version.
pub fn verify(corpus: &Path) -> Result<Vec<VerifiedFile>, Error> {
    let mut files = Vec::new();
    let mut add = |kind, name: &str, path: PathBuf, checked: Result<(), Error>| {
        files.push(VerifiedFile { kind, name: name.to_owned(), damage: checked.err(), path });
    };
    let manifest = match Manifest::read(corpus) {
        Err(error @ (Error::NotACorpus { .. } | Error::Version { .. })) => return Err(error),
        read => read,
    };
    let tables = match &manifest {
        Ok(manifest) => Corpus::verify_tables(corpus, manifest),
        Err(_) => Vec::new(),
    };
    let manifest = manifest.and_then(|manifest| manifest.expect_as_written(corpus));
    add(FileKind::Table, "manifest.json", corpus.join("manifest.json"), manifest);
    for (name, checked) in tables {
        add(FileKind::Table, &name, corpus.join(&name), checked);
    }
    for (kind, name, path) in made_files(corpus)? {
        let checked = verify_made(kind, &path);
        add(kind, &name, path, checked);
    }
    if files.iter().all(|file| file.damage.is_none()) {
        verify_together(corpus, &mut files);
    }
    Ok(files)
}

/// Lists the files that were made from a corpus.
fn made_files(corpus: &Path) -> Result<Vec<(FileKind, String, PathBuf)>, Error> {
    let mut files = Vec::new();
    let mut add = |kind, name: &str, path: String| files.push((kind, name.to_owned(), corpus.join(path)));
    for (kind, name) in [(FileKind::Words, words::FILE), (FileKind::Standards, STANDARDS)] {
        if corpus.join(name).exists() {
            add(kind, name, name.to_owned());
        }
    }
    for name in super::prepare::prepared_names(&corpus.join("prepared"))? {
        add(FileKind::Prepared, &name, name.clone());
    }
    for name in tensors::names_in(&corpus.join("vectors"))? {
        let path = format!("vectors/{name}.safetensors");
        add(FileKind::Vectors, &path, path.clone());
    }
    for name in Milestones::names_in(corpus)? {
        add(FileKind::Cleansing, &name, Milestones::file_of(&name));
    }
    for name in tensors::names_in(&corpus.join("models"))? {
        add(FileKind::Model, &name, format!("models/{name}.safetensors"));
    }
    Ok(files)
}

/// Checks every byte of a file that was made from a corpus.
fn verify_made(kind: FileKind, path: &Path) -> Result<(), Error> {
    match kind {
        FileKind::Standards => {
            let text = String::from_utf8(fs::read(path).map_err(Error::io(path))?);
            let text = text.map_err(|error| Error::damaged(path, error.to_string(), "UTF-8"))?;
            match text.strip_suffix('\n') {
                Some(header) => signed::verify(path, header),
                None => Err(Error::damaged(path, "no line break at the end", "one")),
            }
        }
        FileKind::Vectors | FileKind::Model => tensors::verify(path),
        _ => arrow_file::verify(path),
    }
}

/// Checks whether intact files are consistent with each other.
fn verify_together(path: &Path, files: &mut [VerifiedFile]) {
    let corpus = match Corpus::open(path).and_then(|corpus| corpus.verify_order().map(|()| corpus)) {
        Ok(corpus) => corpus,
        Err(error) => {
            // The error names the file.
            let text = error.to_string();
            let is_it = |file: &VerifiedFile| text.starts_with(&format!("{}:", file.path.display()));
            let at = files.iter().position(is_it).unwrap_or(0);
            files[at].damage = Some(error);
            return;
        }
    };
    // A model is of words and of a cleansing: what is wrong with them is not said of the model too.
    for kinds in [&[FileKind::Words, FileKind::Vectors, FileKind::Cleansing][..], &[FileKind::Model]] {
        for file in files.iter_mut().filter(|file| kinds.contains(&file.kind)) {
            let whole = match file.kind {
                FileKind::Words => Words::open(&corpus).and_then(|words| words.verify()),
                FileKind::Vectors => tensors::stem(&file.path)
                    .map_or(Ok(()), |name| PageVectors::open(&corpus, name).map(drop)),
                FileKind::Cleansing => Milestones::open(&corpus, &file.name).and_then(|one| one.verify()),
                _ => Model::open(&corpus, &file.name)
                    .and_then(|model| model.matrices().try_for_each(|matrix| matrix.matrix().map(drop))),
            };
            file.damage = whole.err();
        }
        if files.iter().any(|file| file.damage.is_some()) {
            return;
        }
    }
}

/// Removes damaged files that answers need, so that they are made again, and notes each. Words are made again at once,
/// with the settings that they had.
///
/// # Errors
/// If a file cannot be removed, or damaged words were made with custom stop words.
pub fn repair(corpus: &Corpus, progress: &mut dyn Progress) -> Result<(), Error> {
    let made_again = [FileKind::Words, FileKind::Standards, FileKind::Prepared];
    for (kind, _, path) in made_files(corpus.path())? {
        if !made_again.contains(&kind) {
            continue;
        }
        let Err(damage @ Error::Damaged { .. }) = verify_made(kind, &path) else { continue };
        // Those whose settings cannot be read are made again with the default ones, when they are needed.
        let words = if kind == FileKind::Words { Words::open(corpus).ok() } else { None };
        let conf = words.map(|words| words.settings().conf(corpus).ok_or(damage)).transpose()?;
        progress.note(Note::Rebuilt { path: path.clone() });
        fs::remove_file(&path).map_err(Error::io(&path))?;
        conf.map(|conf| Words::of(corpus, &conf, progress)).transpose()?;
    }
    Ok(())
}
