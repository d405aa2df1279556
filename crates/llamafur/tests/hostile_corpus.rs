//! Corpora that somebody has made to do harm: every checksum is right, and what is summed is wrong. An error or some
//! answer, never a panic.
#![allow(clippy::unwrap_used)] // a test that fails shall panic

mod common;

use common::full;
use llamafur::corpus::Manifest;
use llamafur::engine::verify;
use llamafur::learn::sampler::{Generator, Purpose, below, generator};
use llamafur::storage::BLOCK;
use serde_json::Value;
use std::fs;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};

/// The first eight bytes of the BLAKE3 of each block.
fn sums(bytes: &[u8], size: usize) -> Vec<u8> {
    bytes.chunks(size).flat_map(|block| blake3::hash(block).as_bytes()[..8].to_vec()).collect()
}

/// Puts bytes in the place of others of the same length, where they are first found.
fn replace(bytes: &mut [u8], from: &[u8], to: &[u8]) {
    let at = bytes.windows(from.len()).position(|window| window == from).unwrap();
    bytes[at..at + to.len()].copy_from_slice(to);
}

/// Writes a table with sums of its new bytes in `blocks.arrow` and in the manifest.
fn write_table(corpus: &Path, name: &str, changed: &[u8]) {
    let whole = fs::read(corpus.join(name)).unwrap();
    let mut blocks = fs::read(corpus.join("blocks.arrow")).unwrap();
    match name {
        "blocks.arrow" => blocks = changed.to_vec(),
        _ => replace(&mut blocks, &sums(&whole, BLOCK), &sums(changed, BLOCK)),
    }
    let text = fs::read(corpus.join("manifest.json")).unwrap();
    let mut manifest: Manifest = serde_json::from_slice(&text).unwrap();
    for (name, bytes) in [(name, changed), ("blocks.arrow", &blocks[..])] {
        manifest.files.get_mut(name).unwrap().checksum = blake3::hash(bytes).to_hex().to_string();
        fs::write(corpus.join(name), bytes).unwrap();
    }
    let mut signed = serde_json::to_value(&manifest).unwrap();
    signed["checksum"] = manifest.checksum().into();
    fs::write(corpus.join("manifest.json"), serde_json::to_vec_pretty(&signed).unwrap()).unwrap();
}

/// Where the signed header of a file is, as text, and whether its quotes are escaped.
fn header_of(bytes: &[u8]) -> (usize, usize, bool) {
    let find = |text: &[u8]| bytes.windows(text.len()).position(|window| window == text);
    let is_end = |window: &[u8], is_escaped| match is_escaped {
        true => window[1] == b'"' && window[0] != b'\\',
        false => window[1] == 0,
    };
    let (start, is_escaped) = match find(b"{\"format\":") {
        Some(start) => (start, false),
        None => (find(b"{\\\"format\\\":").unwrap(), true),
    };
    let end = bytes[start..].windows(2).position(|window| is_end(window, is_escaped)).unwrap();
    (start, start + end + 1, is_escaped)
}

/// Gives a file that was made after the manifest sums of its bytes as they are now.
fn sign(bytes: &mut [u8]) {
    let (start, end, is_escaped) = header_of(bytes);
    let text = String::from_utf8(bytes[start..end].to_vec()).unwrap();
    let mut text = if is_escaped { text.replace("\\\"", "\"") } else { text };
    let header: Value = serde_json::from_str(&text).unwrap();
    let hex = |sums: &[u8]| -> Vec<String> {
        sums.chunks(8).map(|sum| format!("{:016x}", u64::from_le_bytes(sum.try_into().unwrap()))).collect()
    };
    let new = match (header.get("sum"), header.get("blocks")) {
        (Some(_), _) => vec![],
        (None, Some(blocks)) => {
            let num_held = blocks.as_array().unwrap().len();
            let (from, to, size) = match header["summed"].as_u64() {
                Some(summed) => {
                    (0, summed as usize, header["sums"]["block_bytes"].as_u64().unwrap_or(BLOCK as u64))
                }
                None => {
                    let at = 8 + u64::from_le_bytes(bytes[..8].try_into().unwrap()) as usize;
                    (at, bytes.len(), header["block_bytes"].as_u64().unwrap())
                }
            };
            let first = (to - from).div_ceil(size as usize) - num_held;
            if let Some(at) = header["sums"]["at"].as_u64() {
                let of_first = sums(&bytes[..first * size as usize], size as usize);
                bytes[at as usize..at as usize + of_first.len()].copy_from_slice(&of_first);
            }
            hex(&sums(&bytes[from + first * size as usize..to], size as usize))
        }
        _ => panic!("no sums in {text}"),
    };
    if let Some(blocks) = header.get("blocks").filter(|_| !new.is_empty()) {
        text = text.replace(&blocks.to_string(), &serde_json::to_string(&new).unwrap());
    }
    let at = text.rfind(",\"checksum\":\"").unwrap();
    let checksum = blake3::hash(format!("{}}}", &text[..at]).as_bytes()).to_hex();
    text.replace_range(at + 13..at + 13 + 64, &checksum);
    let text = if is_escaped { text.replace('"', "\\\"") } else { text };
    bytes[start..end].copy_from_slice(text.as_bytes());
}

/// Numbers that programs forget.
const NUMBERS: [u64; 12] = [
    0,
    1,
    2,
    5,
    full::PAGES as u64 - 1,
    full::PAGES as u64,
    63,
    1 << 16,
    i32::MAX as u64,
    u32::MAX as u64,
    i64::MAX as u64,
    u64::MAX,
];

/// Changes some numbers of a file, between its first and its last words.
fn change(bytes: &mut [u8], data: std::ops::Range<usize>, random: &mut Generator) -> String {
    let mut done = String::new();
    for _ in 0..1 + below(random, 4) {
        let width = if below(random, 2) == 0 { 4 } else { 8 };
        let words = ((data.end - data.start) / width) as u64;
        let at = data.start.next_multiple_of(width) + below(random, words - 2) as usize * width;
        let number = NUMBERS[below(random, NUMBERS.len() as u64) as usize].to_le_bytes();
        bytes[at..at + width].copy_from_slice(&number[..width]);
        done += &format!(" {at}: {:?}", &number[..width]);
    }
    done
}

fn copy_folder(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap().map(Result::unwrap) {
        let to = to.join(entry.file_name());
        match entry.path().is_dir() {
            true => copy_folder(&entry.path(), &to),
            false => drop(fs::copy(entry.path(), to).unwrap()),
        }
    }
}

#[test]
fn no_content_with_right_checksums_panics() {
    let dir = tempfile::tempdir().unwrap();
    let whole = full::made(dir.path());
    let tables =
        ["blocks.arrow", "pages.arrow", "categories.arrow", "folded.arrow", "redirects.arrow", "text.arrow"];
    let mut files: Vec<(PathBuf, bool)> = tables.iter().map(|name| (name.into(), true)).collect();
    for folder in ["", "prepared", "models"] {
        for path in fs::read_dir(whole.join(folder)).unwrap().map(|entry| entry.unwrap().path()) {
            let name = path.strip_prefix(&whole).unwrap().to_owned();
            let is_signed = path.is_file()
                && !name.ends_with("blocks.arrow")
                && path.extension().is_some_and(|e| e != "json");
            if is_signed && !files.iter().any(|(other, _)| *other == name) {
                files.push((name, false));
            }
        }
    }
    files.sort();
    // More of them find more; one is enough to notice what comes back.
    let rounds = std::env::var("LLAMAFUR_ROUNDS").map_or(1, |rounds| rounds.parse().unwrap());
    let (mut opened, mut panics) = (0, Vec::new());
    for round in 0..rounds {
        for (number, (name, is_table)) in files.iter().enumerate() {
            let mut random = generator(30 + round, Purpose::RandomScore, number as u64);
            let path = dir.path().join("hostile");
            copy_folder(&whole, &path);
            let mut bytes = fs::read(path.join(name)).unwrap();
            // A table's batch ends before its footer, and everything of it has a sum.
            let end = match is_table {
                true => bytes.len(),
                false if name.extension().is_some_and(|e| e == "arrow") => header_of(&bytes).0 * 2 / 3,
                false => bytes.len(),
            };
            let start = if *is_table || end < bytes.len() { 8 } else { header_of(&bytes).1 };
            let done =
                format!("round {round}, {}:{}", name.display(), change(&mut bytes, start..end, &mut random));
            if !is_table {
                let mut same = fs::read(path.join(name)).unwrap();
                sign(&mut same);
                assert!(same == fs::read(path.join(name)).unwrap(), "signed as it was: {}", name.display());
            }
            if *is_table {
                write_table(&path, name.to_str().unwrap(), &bytes);
            } else {
                sign(&mut bytes);
                fs::write(path.join(name), &bytes).unwrap();
            }
            let asked = catch_unwind(AssertUnwindSafe(|| {
                let _ = verify(&path);
                full::engine(&path).map(|engine| full::ask(&engine))
            }));
            match asked {
                Ok(answers) => opened += usize::from(answers.is_ok()),
                Err(_) => panics.push(done),
            }
            fs::remove_dir_all(path).unwrap();
        }
    }
    assert!(panics.is_empty(), "{}", panics.join("\n"));
    assert!(opened > files.len() / 2, "most are noticed only when they are read: {opened}");
}
