//! Every section of `tests/language/*.md` is a test: its code must give the answer that was recorded from the reference
//! by `tests/reference/record-language`. Sections listed in `known-differences.txt` must fail.
#![allow(
    unreachable_pub,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::disallowed_methods,
    reason = "tests"
)]

#[path = "support/sections.rs"]
mod sections;

use catwalk::functions::probe;
use catwalk::functions::probe::Setup;
use catwalk::value::to_program;

use crate::sections::Answers;
use crate::sections::Section;

fn main() {
    sections::run("language", answer);
}

fn answer(section: &Section) -> Answers {
    let files = section.all("file").map(|(path, text)| (path.to_owned(), format!("{text}\n"))).collect();
    let setup = Setup { files, settings: section.settings(), ..Setup::default() };
    let outcome = probe::evaluate(section.text("puppet").unwrap_or(""), &setup);
    let mut got = Answers::new();
    match outcome.result {
        Ok(value) => got.insert("value".to_owned(), to_program(&value)),
        Err(text) => got.insert("error".to_owned(), text),
    };
    if !outcome.logs.is_empty() {
        got.insert("log".to_owned(), outcome.logs.join("\n"));
    }
    got
}
