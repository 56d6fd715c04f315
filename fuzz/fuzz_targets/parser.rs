//! Any text is answered: a tree and diagnostics, never a panic. Run with `cargo +nightly fuzz run parser`.
#![no_main]

use std::sync::Arc;

use catwalk_base::source::SourceMap;
use catwalk_syntax as syntax;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    for template in [false, true] {
        let sources = SourceMap::new();
        let id = sources.add(None, "fuzz", Arc::from(text));
        let options = syntax::Options { template, ..syntax::Options::default() };
        let (file, diagnostics) = syntax::parse_with(&sources, id, &options);
        let _ = syntax::pn::dump(&file, text);
        for diagnostic in &diagnostics {
            let _ = catwalk_base::diag::render::human(diagnostic, &sources, false);
        }
    }
    let _ = syntax::parse_signature(text);
});
