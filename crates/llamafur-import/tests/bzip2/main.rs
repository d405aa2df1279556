//! The bzip2 decoder against the reference one, on whole and on damaged files.
#![allow(clippy::unwrap_used)] // a test that fails shall panic

mod common;
mod damaged_files;
mod good_files;
mod hand_made_blocks;
#[path = "../common/mod.rs"]
mod shared;
