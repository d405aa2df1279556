//! See `fuzz/checks/cirrus.rs`.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| checks::cirrus::check(bytes));
