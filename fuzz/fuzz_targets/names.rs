//! See `fuzz/checks/names.rs`.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| checks::names::check(bytes));
