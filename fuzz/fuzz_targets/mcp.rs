//! See `fuzz/checks/mcp.rs`.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| checks::mcp::check(bytes));
