//! Entry points for fuzzing (`targets`), and a hook that catches expected panics.

use std::sync::Once;

#[path = "../../tests/corpora/targets.rs"]
pub mod targets;

/// libFuzzer's hook ends the process at every panic. Some are no mistakes: the scanner of YAML asserts what it is given, and its
/// caller makes errors of that. A panic that leaves the entry point ends the process all the same; with `FUZZ_PANICS` in the
/// environment each panic is printed.
static HOOK: Once = Once::new();

/// Calls an entry point.
pub fn run(target: targets::Target, input: &[u8]) {
    HOOK.call_once(|| {
        drop(std::panic::take_hook());
        if std::env::var_os("FUZZ_PANICS").is_none() {
            std::panic::set_hook(Box::new(|_| {}));
        }
    });
    targets::run(target, input);
}
