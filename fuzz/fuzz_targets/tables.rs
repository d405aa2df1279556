//! See `fuzz/checks/tables.rs`.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| checks::tables::check(bytes));
