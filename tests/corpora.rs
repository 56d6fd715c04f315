//! Inputs that fuzzing found worth keeping (`tests/corpora/TARGET/`), and changes of them, through the entry points of
//! `targets`: none may panic or take long.
//!
//! `FUZZ=600 cargo test --test main corpora::TARGET` changes inputs for so many seconds (without a nightly compiler). What
//! fails is in `target/tmp/TARGET-last`.

use std::path::Path;
use std::path::PathBuf;
use std::time::Duration;
use std::time::Instant;

mod targets;

/// The longest that one input may take, in a debug build on a busy machine.
const LONGEST: Duration = Duration::from_secs(60);

/// Without `FUZZ`, so many changed inputs of each target.
const CHANGED: u32 = 60;

/// Words of the formats, which changes put in.
const WORDS: [&str; 41] = [
    "%{",
    "}",
    "%{lookup('a')}",
    "%{facts.os.family}",
    "%{alias(\"a\")}",
    "${",
    "`",
    "\"",
    "'",
    "\\",
    "{",
    "[",
    "(",
    ")",
    "]",
    ":",
    "- ",
    "\n",
    "  ",
    "#{",
    "|x|",
    "end",
    "<%= ",
    " %>",
    "&a",
    "*a",
    "<<: ",
    "!!binary ",
    "null",
    "0",
    "-1",
    "9223372036854775807",
    "1e400",
    "\u{0}",
    "\u{feff}",
    "é",
    "\u{10ffff}",
    "=",
    ",",
    "\n=====\n",
    "\n--\n",
];

/// A generator of numbers (xorshift): the same on each run.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    fn below(&mut self, end: usize) -> usize {
        usize::try_from(self.next() % u64::try_from(end.max(1)).unwrap()).unwrap()
    }
}

fn folder(target: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/corpora").join(target)
}

fn inputs(target: &str) -> Vec<Vec<u8>> {
    let mut paths: Vec<PathBuf> =
        std::fs::read_dir(folder(target)).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    paths.iter().map(|path| std::fs::read(path).unwrap()).collect()
}

/// An input with some changes: bytes, words, parts removed, repeated, or taken from another input.
fn changed(inputs: &[Vec<u8>], random: &mut Random) -> Vec<u8> {
    let mut input = inputs[random.below(inputs.len())].clone();
    for _ in 0..=random.below(6) {
        let at = random.below(input.len() + 1);
        let end = (at + random.below(24)).min(input.len());
        match random.below(7) {
            0 if at < input.len() => input[at] ^= 1 << random.below(8),
            1 => input.insert(at, u8::try_from(random.below(256)).unwrap()),
            2 => drop(input.drain(at..end)),
            3 => {
                let part = input[at..end].repeat(1 + random.below(40));
                input.splice(at..at, part);
            }
            4 => {
                let other = &inputs[random.below(inputs.len())];
                let from = random.below(other.len() + 1);
                let part = other[from..(from + random.below(80)).min(other.len())].to_vec();
                input.splice(at..end, part);
            }
            5 if input.len() >= 8 => {
                // A length, of which frames have many.
                let at = random.below(input.len() - 7);
                let number = [0, 1, 255, 1 << 20, u64::MAX, 1 << 40][random.below(6)];
                input[at..at + 8].copy_from_slice(&number.to_le_bytes());
            }
            _ => drop(input.splice(at..at, WORDS[random.below(WORDS.len())].bytes())),
        }
    }
    input.truncate(4096);
    input
}

fn check(target: &str) {
    let (_, run) = *targets::TARGETS.iter().find(|(name, _)| *name == target).unwrap();
    let inputs = inputs(target);
    assert!(!inputs.is_empty(), "{target} has no inputs");
    let last = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("{target}-last"));
    let one = |input: &[u8]| {
        std::fs::write(&last, input).unwrap();
        let started = Instant::now();
        targets::run(run, input);
        assert!(started.elapsed() < LONGEST, "{} takes {:?}", last.display(), started.elapsed());
        started.elapsed()
    };
    for input in &inputs {
        one(input);
    }
    let seconds: Option<u64> = std::env::var("FUZZ").ok().and_then(|text| text.parse().ok());
    let seed: u64 = std::env::var("SEED").ok().and_then(|text| text.parse().ok()).unwrap_or(1);
    let (started, mut random, mut count, mut slowest) = (Instant::now(), Random(seed * 0x9e37_79b9), 0, Duration::ZERO);
    loop {
        let done = match seconds {
            Some(seconds) => started.elapsed().as_secs() >= seconds,
            None => count >= CHANGED,
        };
        if done {
            break;
        }
        let input = changed(&inputs, &mut random);
        let took = one(&input);
        if took > slowest {
            slowest = took;
            std::fs::write(last.with_extension("slowest"), &input).unwrap();
        }
        count += 1;
    }
    eprintln!("{target}: {} inputs, {count} changed ones, the slowest took {slowest:?}", inputs.len());
}

#[test]
fn rhai() {
    check("rhai");
}

#[test]
fn worker() {
    check("worker");
}

#[test]
fn worker_parent() {
    check("worker_parent");
}

#[test]
fn worker_child() {
    check("worker_child");
}

#[test]
fn hiera() {
    check("hiera");
}

#[test]
fn tape() {
    check("tape");
}

#[test]
fn site() {
    check("site");
}

#[test]
fn cases() {
    check("cases");
}

#[test]
fn ruby_eval() {
    check("ruby_eval");
}

#[test]
fn corpora_are_small_and_each_target_has_a_program() {
    let (mut files, mut bytes) = (0, 0);
    for (target, _) in targets::TARGETS {
        let inputs = inputs(target);
        files += inputs.len();
        bytes += inputs.iter().map(Vec::len).sum::<usize>();
        let program = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("fuzz/fuzz_targets/{target}.rs"));
        assert!(program.is_file(), "{}", program.display());
    }
    assert!(files < 500 && bytes < 400_000, "{files} files, {bytes} bytes");
}
