//! See `fuzz/checks/corpus.rs`.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| checks::corpus::check(bytes));
