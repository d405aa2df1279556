//! See `fuzz/checks/sentences.rs`.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| checks::sentences::check(bytes));
