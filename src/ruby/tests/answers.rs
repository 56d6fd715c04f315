//! The lines `CODE  #=> ANSWER` of `tests/ruby`, with a host that has nothing of Puppet.
#![allow(clippy::unwrap_used, clippy::disallowed_methods, reason = "tests")]

use std::path::Path;
use std::rc::Rc;

use catwalk_base::source::FileId;
use catwalk_base::source::Span;
use catwalk_base::stack;
use catwalk_ruby::Host;
use catwalk_ruby::Interp;
use catwalk_ruby::ProgramState;
use catwalk_ruby::Setup;
use catwalk_world::Disk;
use catwalk_world::World;

/// Names of Puppet's API: lines with them need its host.
const OF_PUPPET: [&str; 4] = ["Puppet", "puppet", "Facter", "scope"];

struct SmallHost {
    world: Disk,
}

impl Host for SmallHost {
    fn world(&self) -> &dyn World {
        &self.world
    }
}

/// What the code returns, as `inspect` shows it.
fn evaluate(code: &str) -> String {
    let program = format!(
        "begin; (lambda {{ {code}\n }}).call.inspect; rescue StandardError, ScriptError => e; \
         \"!#{{e.class}}: #{{e.message.lines.first.to_s.chomp}}\"; end"
    );
    let mut host = SmallHost { world: Disk::new() };
    let (span, file) = (Span::new(FileId(0), 0, 0), Rc::from("(erb)"));
    let mut state = ProgramState::new(Setup::default(), Rc::default(), span, file);
    let mut ruby = Interp::new(&mut host, &mut state);
    let result = ruby.run(&program).and_then(|value| ruby.to_s(&value));
    result.unwrap_or_else(|thrown| ruby.describe(thrown))
}

#[test]
fn recorded_answers() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/ruby");
    let mut wrong = Vec::new();
    let mut count = 0;
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let topic = path.file_stem().unwrap().to_str().unwrap().to_owned();
        if path.extension().is_none_or(|extension| extension != "rb") {
            continue;
        }
        let text = std::fs::read_to_string(&path).unwrap();
        for (number, line) in text.lines().enumerate() {
            let Some((code, answer)) = line.split_once("  #=> ") else { continue };
            if OF_PUPPET.iter().any(|name| code.contains(name)) {
                continue;
            }
            let got = stack::with_large(|| evaluate(code)).unwrap();
            count += 1;
            if got != answer {
                wrong.push(format!("{topic}: {} {code}\n  gives {got}\n  not   {answer}", number + 1));
            }
        }
    }
    assert!(wrong.is_empty(), "{} of {count} differ:\n{}", wrong.len(), wrong.join("\n"));
    assert!(count > 2000, "only {count} lines");
}
