//! A module of the library imports only from layers below it.

#![allow(clippy::unwrap_used)]

use std::fs;
use std::path::{Path, PathBuf};

/// From bottom to top.
const LAYERS: [&str; 25] = [
    "macros",
    "remedy",
    "error",
    "interrupt",
    "progress",
    "random",
    "statistics",
    "kernels",
    "storage",
    "graph",
    "text",
    "corpus",
    "categories",
    "parts",
    "places",
    "in_links",
    "words",
    "matrix",
    "learn",
    "vectors",
    "score",
    "worth",
    "explain",
    "engine",
    "fuzzing",
];

fn layer_of(module: &str) -> Option<usize> {
    LAYERS.iter().position(|layer| *layer == module)
}

fn rust_files(folder: &Path, files: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            rust_files(&path, files);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            files.push(path);
        }
    }
}

/// Files that a `#[cfg(test)] mod NAME;` names are tests as a whole.
fn is_test_file(path: &Path) -> bool {
    let name = path.file_stem().unwrap().to_string_lossy();
    name == "tests" || name.ends_with("_tests")
}

/// The lines of the product with their numbers: no tests, no comments, no hidden re-exports under an old name.
fn product_lines(text: &str) -> Vec<(usize, &str)> {
    let mut lines = Vec::new();
    let mut numbered = text.lines().enumerate().map(|(number, line)| (number + 1, line)).peekable();
    while let Some((number, line)) = numbered.next() {
        let trimmed = line.trim_start();
        if trimmed == "#[cfg(test)]" {
            // To the end of the item, which is as far left as its attribute.
            let indent = line.len() - trimmed.len();
            for (_, line) in numbered.by_ref() {
                let is_end =
                    line.len() > indent && !line[indent..].starts_with(' ') && line.ends_with(['}', ';']);
                if is_end {
                    break;
                }
            }
        } else if trimmed == "#[doc(hidden)]"
            && numbered.peek().is_some_and(|(_, line)| line.contains("pub use"))
        {
            numbered.next();
        } else if !trimmed.starts_with("//") {
            lines.push((number, line));
        }
    }
    lines
}

/// The modules that a line names by `crate::`.
fn imports(line: &str) -> impl Iterator<Item = &str> {
    line.split("crate::").skip(1).map(|rest| {
        let end = rest.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(rest.len());
        &rest[..end]
    })
}

#[test]
fn modules_import_only_from_layers_below() {
    let src = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut files = Vec::new();
    rust_files(&src, &mut files);
    files.sort();
    let mut wrong = Vec::new();
    for file in files.iter().filter(|file| !is_test_file(file)) {
        let path = file.strip_prefix(&src).unwrap();
        let module = path.iter().next().unwrap().to_string_lossy().replace(".rs", "");
        if module == "lib" {
            continue;
        }
        let layer = layer_of(&module).unwrap_or_else(|| panic!("{module} has no layer: add it to LAYERS"));
        let text = fs::read_to_string(file).unwrap();
        for (number, line) in product_lines(&text) {
            for import in imports(line).filter(|import| *import != module) {
                if layer_of(import).is_some_and(|other| other > layer) {
                    wrong.push(format!(
                        "{}:{number}: {module} imports {import}, a layer above",
                        path.display()
                    ));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
}

#[test]
fn what_is_read_is_the_product() {
    let text = "use crate::a::B;\n#[cfg(test)]\nmod tests {\n    use crate::z::Y;\n}\n#[doc(hidden)]\npub use crate::y::X;\n\
                // crate::w::V\nfn f() {\n    crate::c::d(crate::e::g());\n}\n#[cfg(test)]\nmod more;\nuse crate::last;";
    let lines = product_lines(text);
    let found: Vec<&str> = lines.iter().flat_map(|(_, line)| imports(line)).collect();
    assert_eq!(found, ["a", "c", "e", "last"]);
    assert_eq!(lines.last().unwrap().0, 14);
}
