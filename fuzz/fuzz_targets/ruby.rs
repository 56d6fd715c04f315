//! Any text is answered as a template, as Ruby and as the Ruby of a resource type: a tree or an error with its place, never a
//! panic. Run with `cargo +nightly fuzz run ruby`.
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    let _ = catwalk_ruby_syntax::erb::parse(text);
    let _ = catwalk_ruby_syntax::parser::parse(text, false);
});
