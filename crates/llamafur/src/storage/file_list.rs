//! The list of the files of a folder: by it a folder is known to be ours, and what else is in it is not touched.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Component, Path};

/// The name of the list.
#[doc(hidden)]
pub const FILE_LIST: &str = "files.txt";

/// The first line of the list.
const HEADING: &str =
    "Files of a LlamaFur report, format 1. They are removed when the report is written again.";

/// Returns the files that the list in a folder names, by their paths in it; `None` without such a list.
///
/// A list or a file that is a symbolic link, or that only a symbolic link leads to, does not count.
#[doc(hidden)]
pub fn listed_files(folder: &Path) -> Option<BTreeSet<String>> {
    let list = folder.join(FILE_LIST);
    if !is_plain_file(&list) {
        return None;
    }
    let text = fs::read_to_string(list).ok()?;
    let paths = text.strip_prefix(HEADING)?.lines();
    Some(paths.filter(|path| is_inside(path) && is_reached(folder, path)).map(str::to_owned).collect())
}

/// Returns the text of a list.
#[doc(hidden)]
pub fn file_list<'p>(paths: impl IntoIterator<Item = &'p str>) -> String {
    let paths: Vec<&str> = paths.into_iter().collect();
    format!("{HEADING}\n{}\n", paths.join("\n"))
}

/// Returns whether a path leads to a file in the folder that it is relative to.
#[doc(hidden)]
pub fn is_inside(path: &str) -> bool {
    !path.is_empty() && Path::new(path).components().all(|part| matches!(part, Component::Normal(_)))
}

/// Returns whether no symbolic link is on the way to a file.
fn is_reached(folder: &Path, path: &str) -> bool {
    let mut place = folder.to_owned();
    Path::new(path).components().all(|part| {
        place.push(part);
        !fs::symlink_metadata(&place).is_ok_and(|metadata| metadata.is_symlink())
    })
}

fn is_plain_file(path: &Path) -> bool {
    fs::symlink_metadata(path).is_ok_and(|metadata| metadata.is_file())
}
