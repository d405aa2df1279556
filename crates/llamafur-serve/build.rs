//! Makes a table of the page's files, to be embedded: those that Vite built, or one that says how to build them.

use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::{env, fs};

fn main() {
    let out = PathBuf::from(env::var("OUT_DIR").expect("Cargo sets OUT_DIR"));
    let dist =
        Path::new(&env::var("CARGO_MANIFEST_DIR").expect("Cargo sets CARGO_MANIFEST_DIR")).join("dist");
    let mut files = Vec::new();
    if dist.join("index.html").is_file() {
        println!("cargo:rerun-if-changed=dist");
        find(&dist, &dist, &mut files);
        // By name, as they are looked up.
        files.sort();
    } else {
        // A folder that is not there would count as changed each time.
        println!("cargo:rerun-if-changed=.");
        println!(
            "cargo:warning=the web page is not built, so `llamafur serve` has only its API; run `make web` (needs Node)"
        );
    }
    let mut table = String::from("&[\n");
    for (name, file) in files {
        writeln!(table, "({name:?}, include_bytes!({file:?})),").expect("a string can be written");
    }
    if table.len() == 3 {
        writeln!(table, "(\"index.html\", {NOT_BUILT:?}.as_bytes()),").expect("a string can be written");
    }
    fs::write(out.join("page.rs"), table + "]").expect("OUT_DIR can be written");
}

/// The files in a folder: names within `dist`, and paths.
fn find(dist: &Path, folder: &Path, found: &mut Vec<(String, PathBuf)>) {
    for entry in fs::read_dir(folder).expect("dist can be read") {
        let path = entry.expect("dist can be read").path();
        if path.is_dir() {
            find(dist, &path, found);
        } else {
            let name =
                path.strip_prefix(dist).expect("it was found there").to_string_lossy().replace('\\', "/");
            found.push((name, path));
        }
    }
}

const NOT_BUILT: &str = "<!doctype html><html lang=\"en\"><head><meta charset=\"utf-8\"><title>LlamaFur</title></head><body>\
<h1>The page is not part of this build</h1><p>This program was built without Node, so it has the API but no page. \
Run <code>make web</code>, then build again.</p><p><a href=\"/api/v1/openapi.json\">The API</a></p></body></html>\n";
