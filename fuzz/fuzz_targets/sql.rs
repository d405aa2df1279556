//! See `fuzz/checks/sql.rs`.
#![no_main]

#[path = "../checks/sql.rs"]
mod checks;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| checks::check(bytes));
