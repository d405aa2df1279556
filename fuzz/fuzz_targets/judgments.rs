//! See `fuzz/checks/judgments.rs`.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| checks::judgments::check(bytes));
