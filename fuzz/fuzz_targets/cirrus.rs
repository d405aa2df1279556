//! See `fuzz/checks/cirrus.rs`.
#![no_main]

#[path = "../checks/cirrus.rs"]
mod checks;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| checks::check(bytes));
