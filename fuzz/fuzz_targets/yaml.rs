//! No input panics: the result is a value or an error with its location. Run with `cargo +nightly fuzz run yaml`.
#![no_main]

use std::sync::Once;

use catwalk_value::data;
use libfuzzer_sys::fuzz_target;

/// The scanner asserts some of what it is given; the reader makes errors of that. libFuzzer's hook would end the process
/// before; what is not caught ends it all the same.
static HOOK: Once = Once::new();

fuzz_target!(|bytes: &[u8]| {
    HOOK.call_once(|| std::panic::set_hook(Box::new(|_| {})));
    if let Ok(document) = data::yaml::parse_allowing(bytes, data::yaml::AllowedClasses::default()) {
        let _ = format!("{:?}", document.value);
    }
    let _ = data::json::parse(bytes);
});
