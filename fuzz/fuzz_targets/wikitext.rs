//! See `fuzz/checks/wikitext.rs`.
#![no_main]

#[path = "../checks/wikitext.rs"]
mod checks;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| checks::check(bytes));
