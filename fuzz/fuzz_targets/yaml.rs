//! Any bytes are answered: a value or an error with its place, never a panic. Run with `cargo +nightly fuzz run yaml`.
#![no_main]

use catwalk::data;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    if let Ok(document) = data::yaml::parse_document(bytes) {
        let _ = format!("{:?}", document.value);
    }
    let _ = data::json::parse(bytes);
});
