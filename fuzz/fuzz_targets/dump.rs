//! See `fuzz/checks/dump.rs`.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| checks::dump::check(bytes));
