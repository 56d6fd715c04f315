//! Recorded answers: each scenario in `tests/` that has an answer of Puppet or Ruby is a test of this harness.
//!
//! | part | scenarios in | checked by |
//! |---|---|---|
//! | `applied::TOPIC: SECTION` | `tests/apply/manifests` | [`applied`] |
//! | `cases::SITE::NODE` | `tests/cases` | [`cases`] |
//! | `language::TOPIC: SECTION` | `tests/language` | [`language`] |
//! | `programs::TOPIC: SECTION` | `tests/programs` | [`programs`] |
//! | `generated::language::…`, `generated::programs::…` | `tests/generated` | [`language`], [`programs`] |
//! | `ruby::FILE: LINE CODE` | `tests/ruby` | [`ruby`] |
//!
//! `cargo test --test answers cases::` runs one part: an argument selects the tests whose names contain it.
//!
//! Two programs for `tests/reference` are in the same binary, so that the library is linked once: with the first argument
//! `--records` it is [`records`], with `--random` it is [`random`].
#![allow(
    unreachable_pub,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::disallowed_methods,
    reason = "tests"
)]

#[cfg(unix)]
mod applied;
mod cases;
mod language;
mod programs;
mod random;
mod records;
mod ruby;
mod sections;

use std::path::Path;
use std::path::PathBuf;

use libtest_mimic::Arguments;

fn main() {
    let mut given = std::env::args().skip(1);
    match given.next().as_deref() {
        Some("--records") => records::run(given),
        Some("--random") => random::run(given),
        _ => test(),
    }
}

fn test() {
    let arguments = Arguments::from_args();
    let trials = match std::env::var_os("SCENARIOS").map(PathBuf::from) {
        None => {
            let mut trials = cases::trials();
            trials.extend(language::trials("language::", &folder("language")));
            trials.extend(programs::trials("programs::", &folder("programs")));
            trials.extend(language::trials("generated::language::", &folder("generated/language")));
            trials.extend(programs::trials("generated::programs::", &folder("generated/programs")));
            trials.extend(ruby::trials());
            #[cfg(unix)]
            trials.extend(applied::trials("applied::", &folder("apply/manifests")));
            trials
        }
        // Scenarios of a folder in place of those in `tests/`: the filter selects their checker.
        Some(scenarios) => match arguments.filter.as_deref() {
            Some(filter) if filter.starts_with("language::") => language::trials("language::", &scenarios),
            Some(filter) if filter.starts_with("programs::") => programs::trials("programs::", &scenarios),
            _ => usage(
                "SCENARIOS needs an argument that begins with `language::` or `programs::`: the kind of the scenarios",
            ),
        },
    };
    libtest_mimic::run(&arguments, trials).exit();
}

/// Ends the program with a message about its arguments.
fn usage(message: &str) -> ! {
    eprintln!("{message}");
    std::process::exit(2)
}

/// A folder of `tests/`.
fn folder(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests").join(name)
}
