//! See `fuzz/checks/http.rs`.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| checks::http::check(bytes));
