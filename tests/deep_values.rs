//! Values that contain themselves, and deep ones: no method, function or file ends the process with them, and none panics.
//!
//! In: code that makes such values, and the names of all methods and functions. Each input is the code of one node; the nodes of a process
//! are compiled together, and a process that a signal ends is repeated with fewer nodes until the input is known. `DEEP_VALUES=all` runs
//! all combinations (an hour in a debug build), else a selection runs that is the same each time.

mod documents;
mod methods;
mod scripts;

use std::process::Command;
use std::sync::Mutex;

use crate::support::Site;

/// Nodes of one process.
const NODES: usize = 120;

/// A string of the Puppet language.
fn quote(text: &str) -> String {
    format!("'{}'", text.replace('\\', "\\\\").replace('\'', "\\'"))
}

/// Whether all combinations run.
fn is_full() -> bool {
    std::env::var("DEEP_VALUES").is_ok_and(|value| value == "all")
}

/// Every `share`-th input, starting anywhere; all of them in a full run.
fn select(inputs: Vec<String>, share: usize) -> Vec<String> {
    let share = if is_full() { 1 } else { share };
    let mut state = 45_u64;
    let mut chosen = |_: &String| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(state >> 33).unwrap().is_multiple_of(share)
    };
    inputs.into_iter().filter(|input| chosen(input)).collect()
}

/// `catwalk` with limits on memory; `ulimit` also prevents files of a crash.
fn limited(site: &Site, args: &[&str]) -> Command {
    let mut command = Command::new("sh");
    command.args(["-c", "ulimit -v 12000000; ulimit -c 0; exec \"$0\" \"$@\"", env!("CARGO_BIN_EXE_catwalk")]);
    command.args(args).current_dir(site.path()).env("NO_COLOR", "1").env("RUST_BACKTRACE", "0").env_remove("CI");
    command
}

/// Why a run is a failure: a signal ended it, or it panicked.
fn failure(output: &std::process::Output) -> Option<String> {
    let stderr = String::from_utf8_lossy(&output.stderr);
    if output.status.code().is_none_or(|code| code > 100) {
        return Some(format!("{}: {}", output.status, stderr.chars().take(300).collect::<String>()));
    }
    let at = stderr.find("panicked")?;
    Some(stderr[at..].chars().take(300).collect())
}

/// Compiles each input as the code of a node: the inputs that end the process or panic.
fn failing(inputs: &[String], seconds: &str) -> Vec<String> {
    let stdlib = r#"{"name": "puppetlabs-stdlib", "version": "8.5.0", "author": "x", "license": "x", "source": "x", "dependencies": []}"#;
    let site = Site::new(&[("modules/stdlib/metadata.json", stdlib)]);
    let nodes = inputs.iter().enumerate();
    site.write("site.pp", nodes.map(|(at, input)| format!("node n{at} {{ {input} }}\n")).collect::<String>());
    for at in 0..inputs.len() {
        site.write(&format!("nodes/n{at}.json"), "{}");
    }
    let limits = ["--time-limit", seconds, "--limit", "memory=1000000000", "--untrusted"];
    let output = limited(&site, &[&["compile", "--output", "out"], &limits[..]].concat()).output().unwrap();
    match failure(&output) {
        None => Vec::new(),
        Some(why) if inputs.len() == 1 => vec![format!("{}\n   {why}", inputs[0])],
        Some(_) => {
            let (first, second) = inputs.split_at(inputs.len() / 2);
            [failing(first, seconds), failing(second, seconds)].concat()
        }
    }
}

/// Fails with the inputs that end the process or panic. Each has so many seconds.
fn survive(inputs: &[String], seconds: &str) {
    let batches = Mutex::new(inputs.chunks(NODES));
    let found = Mutex::new(Vec::new());
    let work = || {
        loop {
            let Some(batch) = batches.lock().unwrap().next() else { break };
            let failed = failing(batch, seconds);
            found.lock().unwrap().extend(failed);
        }
    };
    std::thread::scope(|scope| (0..2).for_each(|_| drop(scope.spawn(work))));
    let found = found.into_inner().unwrap();
    assert!(found.is_empty(), "{} of {} inputs:\n{}", found.len(), inputs.len(), found.join("\n"));
}
