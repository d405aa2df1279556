//! See `fuzz/checks/bzip2.rs`.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| checks::bzip2::check(bytes));
