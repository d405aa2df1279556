//! Libraries do not know how they are used: no string literal names a flag or a command.

#![allow(clippy::unwrap_used)]

use std::fs;
use std::path::{Path, PathBuf};

/// The crates that are held to it.
const CRATES: [&str; 4] = ["llamafur", "llamafur-eval", "llamafur-figures", "llamafur-import"];

/// Style sheets, whose variables begin with two hyphens.
const STYLE_SHEETS: [&str; 1] = ["report/style.rs"];

const COMMANDS: [&str; 23] = [
    "fetch",
    "import",
    "cleanse",
    "train",
    "rank",
    "explain",
    "category",
    "score",
    "scorers",
    "export",
    "info",
    "verify",
    "words",
    "synth",
    "plant",
    "pool",
    "evaluate",
    "cross-validate",
    "demo",
    "top",
    "suggest",
    "completions",
    "serve",
];

/// Names of formats, as files have them.
const FORMATS: [&str; 2] = ["llamafur words", "llamafur synth"];

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

/// The string literals of a source text, each with the line in which it begins.
fn literals(text: &str) -> Vec<(usize, String)> {
    let (mut found, mut line, mut rest) = (Vec::new(), 1, text);
    while let Some(first) = rest.chars().next() {
        let skip = if rest.starts_with("//") {
            rest.find('\n').unwrap_or(rest.len())
        } else if let Some(hashes) = raw_string(rest) {
            let start = hashes + 2;
            let close = format!("\"{}", "#".repeat(hashes));
            let len = rest[start..].find(&close).unwrap_or(rest.len() - start);
            found.push((line, rest[start..start + len].to_owned()));
            (start + len + close.len()).min(rest.len())
        } else if first == '"' {
            let len = end_of_string(&rest[1..]);
            found.push((line, rest[1..1 + len].to_owned()));
            (len + 2).min(rest.len())
        } else if rest.starts_with("'\"'") {
            3
        } else if let Some(escaped) = rest.strip_prefix("'\\") {
            escaped.find('\'').map_or(rest.len(), |end| end + 3)
        } else if first.is_alphanumeric() || first == '_' {
            // A word as a whole, so that its last letter is not taken for the `r` of a raw string.
            rest.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(rest.len())
        } else {
            first.len_utf8()
        };
        line += rest[..skip].matches('\n').count();
        rest = &rest[skip..];
    }
    found
}

/// How many `#` a raw string at the beginning of the text has; `None` where there is none.
fn raw_string(text: &str) -> Option<usize> {
    let after = text.strip_prefix('r')?;
    let hashes = after.len() - after.trim_start_matches('#').len();
    after[hashes..].starts_with('"').then_some(hashes)
}

fn end_of_string(text: &str) -> usize {
    let mut escaped = false;
    for (at, c) in text.char_indices() {
        match c {
            '\\' if !escaped => escaped = true,
            '"' if !escaped => return at,
            _ => escaped = false,
        }
    }
    text.len()
}

/// What is wrong with a literal, if anything.
fn wrong(literal: &str) -> Option<&'static str> {
    let names_flag = literal.match_indices("--").any(|(at, _)| {
        literal[at + 2..].starts_with(|c: char| c.is_ascii_alphabetic())
            && !literal[..at].ends_with(['-', '<', '!'])
    });
    if names_flag {
        return Some("names a flag");
    }
    let names_command = literal.match_indices("llamafur ").any(|(at, name)| {
        let rest = &literal[at + name.len()..];
        let end = rest.find(|c: char| !c.is_ascii_alphabetic() && c != '-').unwrap_or(rest.len());
        COMMANDS.contains(&&rest[..end])
    });
    (names_command && !FORMATS.contains(&literal)).then_some("names a command")
}

#[test]
fn no_string_names_a_flag_or_a_command() {
    let mut found = Vec::new();
    for name in CRATES {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).with_file_name(name).join("src");
        let mut files = Vec::new();
        rust_files(&folder, &mut files);
        files.sort();
        for file in files.iter().filter(|file| !STYLE_SHEETS.iter().any(|sheet| file.ends_with(sheet))) {
            for (line, literal) in literals(&fs::read_to_string(file).unwrap()) {
                if let Some(wrong) = wrong(&literal) {
                    let path = file.strip_prefix(&folder).unwrap().display();
                    found.push(format!("{name}: {path}:{line}: {wrong}: {literal}"));
                }
            }
        }
    }
    assert!(found.is_empty(), "\n{}", found.join("\n"));
}

#[test]
fn literals_are_found_and_judged() {
    let text =
        "// \"no\"\nlet a = \"one \\\" two\"; let q = '\"'; let b = r#\"three \"quoted\" \"#;\nfor\"four\"";
    let found: Vec<(usize, String)> = literals(text);
    assert_eq!(found, [(2, "one \\\" two".into()), (2, "three \"quoted\" ".into()), (3, "four".into())]);
    assert!(wrong("pass --rank").is_some() && wrong("run `llamafur train`").is_some());
    let right =
        ["a -- b", "<!--comment", "-----BEGIN", "llamafur words", "llamafur 0.1", "the llamafur model"];
    assert!(right.iter().all(|literal| wrong(literal).is_none()));
}
