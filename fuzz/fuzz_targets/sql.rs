//! See `fuzz/checks/sql.rs`.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| checks::sql::check(bytes));
