//! No input exceeds the limits or panics: see `catwalk_fuzz::targets::cases`.
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| catwalk_fuzz::run(catwalk_fuzz::targets::cases, bytes));
