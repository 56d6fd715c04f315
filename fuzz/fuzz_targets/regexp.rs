//! Any text is answered as a regular expression: it is translated and matched, or refused, never a panic. The first line is the
//! text to match. Run with `cargo +nightly fuzz run regexp`.
#![no_main]

use catwalk_regexp as regexp;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|input: &str| {
    let (text, source) = input.split_once('\n').unwrap_or(("", input));
    let made = regexp::Regexp::new(source);
    if made.check().is_err() {
        return;
    }
    let _ = made.captures(text);
    let _ = made.names();
    for found in made.find_iter(text).take(20) {
        let _ = found;
    }
    // Its printed form can be parsed again.
    let shown = made.to_puppet_source();
    let _ = regexp::escape(&shown);
});
