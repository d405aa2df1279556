//! See `fuzz/checks/bzip2.rs`.
#![no_main]

#[path = "../checks/bzip2.rs"]
mod checks;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| checks::check(bytes));
