//! See `fuzz/checks/parquet.rs`.
#![no_main]

libfuzzer_sys::fuzz_target!(init: leave_decoder_alone(), |bytes: &[u8]| checks::parquet::check(bytes));

/// Keeps the fuzzer from taking a panic of the decoder, which the import catches, for one of ours.
fn leave_decoder_alone() {
    let abort = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |info| {
        if !llamafur_import::table::is_decoding() {
            abort(info);
        }
    }));
}
