//! The checks of the fuzzer without the fuzzer: on its seeds, on what it found, and on changes of both.
//!
//! The changes are the same in each run, unless `LLAMAFUR_FUZZ_SEED` has another word or number: `make test` gives that of the
//! commit. `LLAMAFUR_FUZZ_TIMES=100` makes a hundred times as many, `LLAMAFUR_WRITE=1` writes the seeds anew.

#[path = "../../../../fuzz/checks/lib.rs"]
mod checks;
#[path = "fuzz_seeds.rs"]
mod seeds;

use llamafur::random::{Generator, Purpose, below, generator};
use std::fs;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};

/// Bytes that all seeds of a target may have.
const MOST_SEEDS: usize = 50 << 10;

/// Bytes that a changed input may have.
const LONGEST: usize = 8 << 10;

fn folder(target: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/corpus").join(target)
}

/// What the folder of a target has, in the order of the names.
fn inputs(target: &str) -> Vec<Vec<u8>> {
    let mut files: Vec<PathBuf> =
        fs::read_dir(folder(target)).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    let inputs: Vec<Vec<u8>> = files.iter().map(|file| fs::read(file).unwrap()).collect();
    let bytes: usize = inputs.iter().map(Vec::len).sum();
    assert!(files.len() >= 10 && bytes <= MOST_SEEDS, "{} files of {bytes} bytes for {target}", files.len());
    inputs
}

/// Checks the inputs of a target, and so many changes of them.
fn replay(target: &str, changes: u64) {
    let check: fn(&[u8]) =
        checks::ALL.iter().find(|(name, _)| *name == target).map(|(_, check)| *check).unwrap();
    seeds::write_if_asked(target, &folder(target));
    let inputs = inputs(target);
    inputs.iter().for_each(|input| checked(target, check, input));
    let seed = number("LLAMAFUR_FUZZ_SEED", 0);
    for round in 0..changes * number("LLAMAFUR_FUZZ_TIMES", 1) {
        let mut random = generator(seed, Purpose::RandomScore, round);
        let mut input = inputs[at(&mut random, inputs.len())].clone();
        for _ in 0..=below(&mut random, 4) {
            change(&mut input, &inputs, &mut random);
        }
        input.truncate(LONGEST);
        checked(target, check, &input);
    }
}

/// Runs a check; an input that it does not like is kept.
fn checked(target: &str, check: fn(&[u8]), input: &[u8]) {
    if let Err(panic) = catch_unwind(AssertUnwindSafe(|| check(input))) {
        let file = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("{target}-found"));
        fs::write(&file, input).unwrap();
        println!("the input is in {}", file.display());
        std::panic::resume_unwind(panic);
    }
}

/// The number that this variable has, or one made of its word.
fn number(variable: &str, default: u64) -> u64 {
    let Ok(word) = std::env::var(variable) else { return default };
    let hash = blake3::hash(word.as_bytes());
    word.parse()
        .unwrap_or_else(|_| hash.as_bytes()[..8].iter().fold(0, |sum, byte| sum << 8 | u64::from(*byte)))
}

fn at(random: &mut Generator, num: usize) -> usize {
    below(random, num.max(1) as u64) as usize
}

/// Numbers that are the last of their kind.
const EDGES: [&[u8]; 10] = [
    b"0",
    b"-1",
    b"255",
    b"65536",
    b"4294967296",
    b"18446744073709551615",
    b"1e400",
    &[0; 8],
    &[0xFF; 8],
    "\u{202E}".as_bytes(),
];

/// Changes something: a bit, a byte, some bytes left out, doubled, put elsewhere, or taken from another input.
fn change(input: &mut Vec<u8>, inputs: &[Vec<u8>], random: &mut Generator) {
    let (begin, length) = (at(random, input.len()), at(random, 32) + 1);
    let end = (begin + length).min(input.len());
    match below(random, 8) {
        0 => input.iter_mut().skip(begin).take(1).for_each(|byte| *byte ^= 1 << (length % 8)),
        1 => input.iter_mut().skip(begin).take(1).for_each(|byte| *byte = (length * 37) as u8),
        2 => drop(input.drain(begin..end)),
        3 => {
            let piece = input[begin..end].repeat(at(random, 64) + 1);
            input.splice(begin..begin, piece);
        }
        4 => {
            let place = at(random, input.len());
            let piece = input[begin..end].to_vec();
            input.splice(place..place, piece);
        }
        5 => {
            let edge = EDGES[at(random, EDGES.len())];
            let over = (begin + if length % 2 == 0 { edge.len() } else { 0 }).min(input.len());
            input.splice(begin..over, edge.iter().copied());
        }
        6 => input.truncate(begin),
        _ => {
            let other = &inputs[at(random, inputs.len())];
            let from = at(random, other.len());
            let piece = &other[from..(from + 4 * length).min(other.len())];
            input.splice(begin..end, piece.iter().copied());
        }
    }
}

#[test]
fn every_target_has_a_check_here() {
    let listed = include_str!("../../../../fuzz/Cargo.toml").matches("[[bin]]").count();
    assert_eq!(checks::ALL.len(), listed);
    let here = include_str!("fuzzing.rs").matches("    replay(\"").count();
    assert_eq!(here, listed);
}

#[test]
fn bzip2_files_of_any_kind_are_read() {
    replay("bzip2", 300);
}

#[test]
fn search_index_dumps_of_any_kind_are_read() {
    replay("cirrus", 1000);
}

#[test]
fn corpora_of_any_kind_are_asked() {
    replay("corpus", 600);
}

#[test]
fn dumps_of_any_kind_are_read() {
    replay("dump", 1000);
}

#[test]
fn requests_of_any_kind_are_answered() {
    replay("http", 500);
}

#[test]
fn judgments_of_any_kind_are_read() {
    replay("judgments", 500);
}

#[test]
fn messages_of_any_kind_are_answered() {
    replay("mcp", 500);
}

#[test]
fn titles_of_any_kind_are_searched() {
    replay("names", 500);
}

#[test]
fn parquet_files_of_any_kind_are_read() {
    replay("parquet", 300);
}

#[test]
fn long_pages_of_any_kind_are_ranked() {
    replay("sentences", 60);
}

#[test]
fn sql_dumps_of_any_kind_are_read() {
    replay("sql", 1000);
}

#[test]
fn tables_of_any_kind_are_read() {
    replay("tables", 1000);
}

#[test]
fn vectors_of_any_kind_are_read() {
    replay("vectors", 1000);
}

#[test]
fn wikitext_of_any_kind_is_read() {
    replay("wikitext", 300);
}
