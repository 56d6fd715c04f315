//! Any bytes are answered, within limits, never with a panic: see `catwalk::fuzzing::cases`.
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| catwalk_fuzz::run(catwalk::fuzzing::cases, bytes));
