//! See `fuzz/checks/dump.rs`.
#![no_main]

#[path = "../checks/dump.rs"]
mod checks;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| checks::check(bytes));
