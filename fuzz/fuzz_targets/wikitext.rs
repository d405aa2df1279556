//! See `fuzz/checks/wikitext.rs`.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| checks::wikitext::check(bytes));
