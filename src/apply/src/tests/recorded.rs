//! Runs catalogs, and compares their logs with those that were recorded of Puppet.

use std::path::Path;

use catwalk_base::secrets::SecretCollection;
use catwalk_catalog::Catalog;
use catwalk_resource_api::Level;
use catwalk_resource_api::Log;
use catwalk_system::FakeMachine;
use catwalk_system::Output;
use catwalk_value::Value;

use crate::Environment;
use crate::Kinds;
use crate::Options;
use crate::Resolver;
use crate::RunOutcome;
use crate::State;

/// The lines of a run, with `--verbose`.
#[derive(Default)]
pub(super) struct Lines(pub(super) Vec<String>);

impl Log for Lines {
    fn log(&mut self, level: Level, source: Option<&str>, message: &str) {
        let word = match level {
            Level::Debug => return,
            Level::Info => "Info",
            Level::Notice => "Notice",
            Level::Warning => "Warning",
            Level::Crit => "Critical",
            _ => "Error",
        };
        let source = source.map(|source| format!("{source}: ")).unwrap_or_default();
        let text = format!("{word}: {source}{message}");
        self.0.extend(text.lines().filter(|line| !line.starts_with("Info: Applying configuration")).map(str::to_owned));
    }

    fn wants(&self, level: Level) -> bool {
        level > Level::Debug
    }
}

/// Resolves no deferred value.
pub(super) struct NoFunctions;

impl Resolver for NoFunctions {
    fn resolve(&mut self, value: &Value, _: &mut dyn Log) -> Result<Value, String> {
        Ok(value.clone())
    }
}

/// A machine with the programs `true`, `false` and `echo`.
pub(super) fn machine() -> FakeMachine {
    let mut machine = FakeMachine::new();
    machine.set_runner(Box::new(|command| {
        let (program, arguments) = command.argv.split_first()?;
        let code = match program.as_str() {
            "/bin/true" | "/bin/echo" => 0,
            "/bin/false" => 1,
            _ => return None,
        };
        Some(Ok(Output { code, stdout: arguments.join(" ").into_bytes(), stderr: Vec::new() }))
    }));
    machine.put(Path::new("/DIR/.keep"), b"");
    machine
}

/// Applies a catalog to a machine. Returns the lines of the log, with the reason why a run ended early.
pub(super) fn apply(
    catalog: &Catalog,
    kinds: &Kinds,
    machine: &mut FakeMachine,
    state: &mut State,
    options: &Options,
) -> (RunOutcome, Vec<String>) {
    let mut lines = Lines::default();
    let mut environment = Environment {
        system: machine,
        log: &mut lines,
        secrets: &SecretCollection::default(),
        resolver: &mut NoFunctions,
        state,
        is_interrupted: &|| false,
        progress: &mut |_, _| {},
    };
    let outcome = crate::apply(catalog, kinds, &mut environment, options);
    lines.0.extend(outcome.failure.iter().map(|failure| format!("Error: {failure}")));
    (outcome, lines.0)
}

/// A section of a file of recorded manifests.
struct Section(String);

impl Section {
    fn read(file: &str, heading: &str) -> Section {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/apply/manifests").join(file);
        let text = std::fs::read_to_string(path).unwrap();
        let section = text.split("\n## ").find_map(|section| section.strip_prefix(&format!("{heading}\n")));
        Section(section.unwrap_or_else(|| panic!("{file} has no section {heading}")).to_owned())
    }

    /// The lines of a block.
    fn block(&self, name: &str) -> Option<Vec<&str>> {
        let (_, rest) = self.0.split_once(&format!("\n```{name}\n"))?;
        Some(rest.lines().take_while(|line| *line != "```").collect())
    }
}

/// Applies a catalog two or three times, as the section says, and compares the log with Puppet's. Before each run, the function of the
/// same number changes the machine.
pub(super) fn check(file: &str, heading: &str, catalog: &Catalog, before: &[fn(&mut FakeMachine)]) {
    let section = Section::read(file, heading);
    let tags = |name: &str| -> Vec<String> {
        let tags = section.block(name).unwrap_or_default();
        tags.iter().flat_map(|line| line.split(',')).map(str::to_lowercase).collect()
    };
    let options = Options {
        noop: section.block("noop").is_some(),
        tags: tags("tags"),
        skip_tags: tags("skip_tags"),
        ..Options::default()
    };
    let (mut machine, mut state, mut log) = (machine(), State::default(), Vec::new());
    let runs = if section.block("third").is_some() { 3 } else { 2 };
    for (number, name) in ["first", "second", "third"].iter().enumerate().take(runs) {
        before.get(number).into_iter().for_each(|change| change(&mut machine));
        log.push(format!("{name} run"));
        let (_, lines) = apply(catalog, &super::kinds::kinds(), &mut machine, &mut state, &options);
        log.extend(lines.iter().map(|line| line.replace("Error: Failed to apply catalog: ", "Error: ")));
        if section.block("state").is_none() {
            state = State::default();
        }
    }
    // A repeated line is recorded once.
    log.dedup();
    let expected = section.block("log 8").or_else(|| section.block("log")).unwrap();
    assert_eq!(log.join("\n"), expected.join("\n"), "{file}: {heading}");
}

/// Writes a file of the scratch directory.
pub(super) fn put(machine: &mut FakeMachine, name: &str, contents: &str) {
    machine.put(&Path::new("/DIR").join(name), contents.as_bytes());
}

/// Changes the mode of a file of the scratch directory.
pub(super) fn chmod(machine: &mut FakeMachine, name: &str, mode: u32) {
    catwalk_system::System::set_mode(machine, &Path::new("/DIR").join(name), mode).unwrap();
}

/// Deletes a file of the scratch directory.
pub(super) fn delete(machine: &mut FakeMachine, name: &str) {
    catwalk_system::System::delete_file(machine, &Path::new("/DIR").join(name)).unwrap();
}
