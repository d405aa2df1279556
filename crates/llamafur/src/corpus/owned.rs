//! Ownership of the files in a corpus's folder: the one rule for replacing and removing it.
//!
//! A corpus is ours if its manifest is: it parses, is of our format, and its checksum is right (of another version of the format, it
//! names the format). In such a folder we own the files that a manifest names, what the other commands make beside them, recognised by
//! name and by how the file begins, and the temporary files of runs that were killed. Everything else is somebody else's, symbolic links
//! too; where they lead to is never looked at. The judgments are kept, whatever is in their folder.

use super::manifest::Manifest;
use super::{BLOCKS, CATEGORIES, FOLDED, PAGES, PREPARED, REDIRECTS, TEXT};
use crate::progress::{Note, Progress};
use crate::storage::{Contents, FILE_LIST, JUDGMENTS, LOCK, MANIFEST, SCRATCH, WRITING, listed_files};
use std::collections::BTreeSet;
use std::fs::{self, File};
use std::io::{self, Read};
use std::path::Path;

/// Names of somebody else's files that an error lists.
const MOST_NAMES: usize = 10;

/// The first bytes of our files.
#[derive(Clone, Copy)]
enum Begins {
    /// Any bytes.
    Anyhow,
    /// The start of an Arrow file.
    Arrow,
    /// The start of a safetensors file with our header.
    Tensors,
    /// The start of a signed header.
    Json,
}

/// The files of a corpus by their names, in which `*` is any text: its tables, then what is made of them.
const FILES: [(&str, Begins); 17] = [
    (MANIFEST, Begins::Anyhow),
    (LOCK, Begins::Anyhow),
    (PAGES, Begins::Anyhow),
    (CATEGORIES, Begins::Anyhow),
    (FOLDED, Begins::Anyhow),
    (REDIRECTS, Begins::Anyhow),
    (TEXT, Begins::Anyhow),
    (BLOCKS, Begins::Anyhow),
    ("words.arrow", Begins::Arrow),
    ("milestones.arrow", Begins::Arrow),
    ("milestones-*.arrow", Begins::Arrow),
    ("standards.json", Begins::Json),
    ("models/*.safetensors", Begins::Tensors),
    ("vectors/*.safetensors", Begins::Tensors),
    ("prepared/*.arrow", Begins::Arrow),
    (".words.parts/*", Begins::Arrow),
    (".places.parts/*", Begins::Arrow),
];

/// The folders in a corpus that have such files.
const FOLDERS: [&str; 5] = ["models", "vectors", PREPARED, ".words.parts", ".places.parts"];

/// The folder of a report in a corpus.
const REPORT: &str = "report";

/// Finds whether a folder is a corpus of ours, and what else is in it.
pub(crate) fn look(folder: &Path) -> io::Result<Contents> {
    let named = named_files(folder);
    let mut found = Contents { is_ours: named.is_some(), ..Contents::default() };
    let named = named.unwrap_or_default();
    for_each_entry(folder, |name, path, is_folder| {
        let is_kept = name == JUDGMENTS;
        if is_kept || (name == SCRATCH && is_folder) {
            return Ok(());
        }
        match is_folder {
            true if FOLDERS.contains(&name) => for_each_entry(path, |inner, path, is_folder| {
                let name = format!("{name}/{inner}");
                found.add(!is_folder && is_ours(&name, path), name, is_folder);
                Ok(())
            }),
            true if name == REPORT => look_at_report(path, &mut found),
            _ => {
                let is_ours = match name {
                    MANIFEST => found.is_ours,
                    name => (is_plain(path) && named.contains(name)) || is_ours(name, path),
                };
                found.add(is_ours, name.to_owned(), is_folder);
                Ok(())
            }
        }
    })?;
    Ok(found)
}

/// Notes the files of a report, and what else is in its folder.
fn look_at_report(folder: &Path, found: &mut Contents) -> io::Result<()> {
    let listed = listed_files(folder).unwrap_or_default();
    let is_report = !listed.is_empty();
    for_each_entry(folder, |name, path, is_folder| {
        if !is_folder {
            let is_list = is_report && name == FILE_LIST;
            found.add(is_list || is_listed(&listed, name), format!("{REPORT}/{name}"), false);
            return Ok(());
        }
        for_each_entry(path, |inner, _, is_folder| {
            let inner = format!("{name}/{inner}");
            found.add(!is_folder && is_listed(&listed, &inner), format!("{REPORT}/{inner}"), is_folder);
            Ok(())
        })
    })
}

/// Returns whether a file of a report is listed, or a temporary one of those.
fn is_listed(listed: &BTreeSet<String>, path: &str) -> bool {
    let (folder, name) = path.rsplit_once('/').map_or(("", path), |(folder, name)| (folder, name));
    let whole = match folder {
        "" => whole_name(name).to_owned(),
        _ => format!("{folder}/{}", whole_name(name)),
    };
    listed.contains(&whole) || (whole != name && whole == FILE_LIST)
}

impl Contents {
    fn add(&mut self, is_ours: bool, name: String, is_folder: bool) {
        if is_ours {
        } else if self.others.len() < MOST_NAMES {
            self.others.push(if is_folder { name + "/" } else { name });
        } else {
            self.more += 1;
        }
    }
}

/// Calls `look` with the name and the path of each entry, in order, and whether it is a folder. What is gone meanwhile is left out.
fn for_each_entry(
    folder: &Path,
    mut look: impl FnMut(&str, &Path, bool) -> io::Result<()>,
) -> io::Result<()> {
    let is_gone = |error: &io::Error| error.kind() == io::ErrorKind::NotFound;
    let entries = match fs::read_dir(folder) {
        Err(error) if is_gone(&error) => return Ok(()),
        entries => entries?,
    };
    let mut paths = entries.map(|entry| Ok(entry?.path())).collect::<io::Result<Vec<_>>>()?;
    paths.sort();
    for path in paths {
        let is_folder = match fs::symlink_metadata(&path) {
            Err(error) if is_gone(&error) => continue,
            metadata => metadata?.is_dir(),
        };
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        look(&name, &path, is_folder)?;
    }
    Ok(())
}

/// Returns the files that the manifest of a folder names; `None` if it is not ours.
fn named_files(folder: &Path) -> Option<BTreeSet<String>> {
    is_plain(&folder.join(MANIFEST)).then(|| Manifest::names_of_files(folder)).flatten()
}

/// Returns whether a path is that of a file, and not of a symbolic link or a device.
fn is_plain(path: &Path) -> bool {
    fs::symlink_metadata(path).is_ok_and(|metadata| metadata.is_file())
}

/// Returns whether a file was renamed or removed since it was listed.
fn is_gone(path: &Path) -> bool {
    fs::symlink_metadata(path).is_err_and(|error| error.kind() == io::ErrorKind::NotFound)
}

/// Returns a file's name, also while it is being written.
fn whole_name(name: &str) -> &str {
    name.strip_prefix('.').and_then(|name| name.strip_suffix(WRITING)).unwrap_or(name)
}

/// Returns whether a file has one of our names, and begins as ours do.
fn is_ours(name: &str, path: &Path) -> bool {
    let (folder, file) = name.rsplit_once('/').map_or(("", name), |(folder, file)| (folder, file));
    let whole = whole_name(file);
    let matching = |(pattern, _): &&(&str, Begins)| {
        let (of_folder, of_file) = pattern.rsplit_once('/').unwrap_or(("", pattern));
        let matches = match of_file.split_once('*') {
            Some((start, end)) => {
                whole.len() >= start.len() + end.len() && whole.starts_with(start) && whole.ends_with(end)
            }
            None => whole == of_file,
        };
        of_folder == folder && matches
    };
    let Some((_, begins)) = FILES.iter().find(matching) else { return false };
    // What is being written may be in any state.
    (is_plain(path) && (whole != file || begins.is_true_of(path))) || is_gone(path)
}

impl Begins {
    fn is_true_of(self, path: &Path) -> bool {
        let mut start = Vec::new();
        // The header of a model begins with its settings; that of one with many matrices is long.
        let read = File::open(path).and_then(|file| file.take(1 << 10).read_to_end(&mut start));
        if read.is_err() {
            return false;
        }
        // A crash of the machine may leave an empty file.
        start.is_empty()
            || match self {
                Begins::Anyhow => true,
                Begins::Arrow => start.starts_with(b"ARROW1"),
                Begins::Json => start.starts_with(br#"{"format":"llamafur "#),
                Begins::Tensors => {
                    start.get(8..).is_some_and(|text| text.starts_with(br#"{"__metadata__":{"llamafur":"#))
                }
            }
    }
}

/// Notes what was made of a corpus and cannot be made again without a command: it is removed when the corpus is replaced.
pub(super) fn note_made(folder: &Path, progress: &mut dyn Progress) {
    let mut made = Vec::new();
    let mut add = |of_folder: &str, start: &str, end: &str| {
        for_each_entry(&folder.join(of_folder), |name, _, is_folder| {
            if !is_folder && name.starts_with(start) && name.ends_with(end) && !name.starts_with('.') {
                made.push(Path::new(of_folder).join(name).to_string_lossy().into_owned());
            }
            Ok(())
        })
    };
    // A folder that cannot be read is an error when it is replaced.
    let _ = add("models", "", ".safetensors").and_then(|()| add("vectors", "", ".safetensors"));
    let _ = add("", "milestones", ".arrow");
    made.extend(folder.join(REPORT).is_dir().then(|| REPORT.to_owned()));
    if !made.is_empty() {
        progress.note(Note::Replaces { path: folder.into(), made });
    }
}
