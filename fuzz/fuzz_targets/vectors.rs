//! See `fuzz/checks/vectors.rs`.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| checks::vectors::check(bytes));
