//! Compiles the catalog of one node (Puppet::Parser::Compiler#compile).
//!
//! In: [`Input`]. Out: [`Compiled`]. Must not: know sites, caches, formats.

use std::sync::Arc;

use catwalk_base::diag::Cause;
use catwalk_base::diag::Code;
use catwalk_base::diag::Diagnostic;
use catwalk_base::diag::Reason;
use catwalk_base::diag::Severity;
use catwalk_base::version::Strict;
use catwalk_catalog::Catalog;
use catwalk_catalog::MessagePaths;
use catwalk_catalog::Version;
use catwalk_eval::Cycles;
use catwalk_eval::Evaluator;
use catwalk_eval::FactsUse;
use catwalk_eval::Library;
use catwalk_eval::Res;
use catwalk_eval::Settings;
use catwalk_functions as functions;
use catwalk_node::Node;
use catwalk_program::Program;
use catwalk_puppet_ruby::Interpreter;
use catwalk_world::World;

mod automatic;
pub mod probe;

pub use automatic::core_type_targets;

/// The input of a compile.
pub struct Input<'c> {
    /// The definitions of the manifests.
    pub program: &'c Program,
    /// The external data.
    pub world: &'c dyn World,
    /// The node to compile a catalog for.
    pub node: &'c Node,
    /// The settings of the evaluator.
    pub settings: &'c Settings,
    /// Whether to add the relationships that resource types imply after the check for cycles: for an expected order of resources.
    pub relates_automatically: bool,
}

/// The result of a compile.
#[derive(Debug)]
pub struct Compiled {
    /// The catalog, or the first error.
    pub result: Result<Catalog, Box<Diagnostic>>,
    /// Notices and warnings in order, including those before a failure.
    pub logs: Vec<Diagnostic>,
    /// Whether exported resources are collected.
    pub collects: bool,
    /// The facts that were used.
    pub facts: FactsUse,
    /// Whether the catalog has dependency cycles, if it was checked for them.
    pub cyclic: bool,
}

/// The functions that are written in Rust: Puppet's and those of stdlib, and the Ruby interpreter. Script functions are added later.
#[must_use]
pub fn library<'c>() -> Library<'c> {
    Library { functions: &functions::LIBRARY, scripts: None, ruby: &Interpreter }
}

/// Compiles the catalog of one node after `prepare` has set up the evaluator (script functions, data).
pub fn compile_with<'c>(input: &Input<'c>, prepare: impl FnOnce(&mut Evaluator<'c>)) -> Compiled {
    let mut evaluator = Evaluator::new(input.program, input.world, input.node, input.settings, library());
    prepare(&mut evaluator);
    let result = evaluator.within_limits(phases);
    let mut result = result.map_err(|stop| evaluator.failure(stop));
    // Without rich data, the next step makes a string of each `Deferred` and warns of it.
    let deferred = match &result {
        Ok(catalog) if input.settings.deferred_warnings && has_rich_data(input) => {
            evaluator.within_limits(|ev| Ok(ev.deferred_warnings(catalog))).unwrap_or_default()
        }
        _ => Vec::new(),
    };
    if let Ok(catalog) = &mut result {
        let paths = match input.settings.version.accumulated_paths {
            true => MessagePaths::Accumulated,
            false => MessagePaths::Separate,
        };
        let warnings = if has_rich_data(input) {
            catalog.convert_binary_strings();
            if evaluator.state.ruby_objects { catalog.describe_objects(paths) } else { Vec::new() }
        } else {
            catalog.make_plain(paths)
        };
        if let Err(failure) = warn_about_strings(&mut evaluator, warnings) {
            result = Err(failure);
        }
    }
    let mut logs = evaluator.take_logs();
    logs.extend(deferred);
    if let Ok(catalog) = &result {
        logs.extend(evaluator.exported_secrets(catalog));
    }
    let mut cyclic = input.settings.cycles == Cycles::Ignore;
    if let (true, Ok(catalog)) = (input.settings.automatic_relationships, &mut result) {
        logs.extend(automatic::relate(&mut evaluator, catalog));
    }
    if let Ok(catalog) = &result {
        let mut cycles = evaluator.cycles(catalog);
        cyclic |= !cycles.is_empty();
        if input.settings.cycles == Cycles::Error
            && let Some(last) = cycles.pop()
        {
            result = Err(Box::new(last));
        }
        logs.extend(cycles);
    }
    let is_related = input.settings.automatic_relationships;
    if let (true, false, Ok(catalog)) = (input.relates_automatically, is_related, &mut result) {
        logs.extend(automatic::relate(&mut evaluator, catalog));
    }
    if let (true, Ok(catalog)) = (input.settings.relationship_origins, &mut result) {
        catalog.origins = evaluator.relationship_origins(catalog);
    }
    Compiled { result, logs, collects: evaluator.collects_exported(), facts: evaluator.take_facts_use(), cyclic }
}

/// The setting `rich_data`: from an option of the command, else from the environment (Puppet::Node::Environment#rich_data?).
fn has_rich_data(input: &Input<'_>) -> bool {
    let setting = || input.settings.values.get("rich_data").is_none_or(|value| !value.eq_ignore_ascii_case("false"));
    input.settings.rich_data.or(input.program.environment.rich_data).unwrap_or_else(setting)
}

/// Warns about each value that becomes a string because JSON cannot represent it, or fails with `strict=error`.
fn warn_about_strings(evaluator: &mut Evaluator<'_>, warnings: Vec<Reason>) -> Result<(), Box<Diagnostic>> {
    for reason in warnings {
        if evaluator.settings.strict == Strict::Error {
            let message = format!("Evaluation Error: {}", reason.message);
            return Err(Box::from(Reason::new(reason.code, message)));
        }
        evaluator.warn_of_issue(reason, None);
    }
    Ok(())
}

/// The phases up to the end of the main manifest.
///
/// # Errors
/// Returns the first error.
pub fn begin(evaluator: &mut Evaluator<'_>) -> Res<()> {
    evaluator.start_catalog()?;
    evaluator.set_node_parameters()?;
    evaluator.create_settings_scope()?;
    evaluator.evaluate_main()
}

/// The phases that declare everything, after [`begin`]: node block, classification, then lazy evaluation.
///
/// # Errors
/// Returns the first error.
pub fn declare(evaluator: &mut Evaluator<'_>) -> Res<()> {
    evaluator.evaluate_node_block()?;
    evaluator.evaluate_node_classes()?;
    evaluator.evaluate_generators()
}

/// The last phases, which create the catalog.
///
/// # Errors
/// Returns the first error.
pub fn complete(evaluator: &mut Evaluator<'_>, version: Version) -> Res<Catalog> {
    evaluator.finish()?;
    evaluator.fail_on_unevaluated()?;
    evaluator.validate_relationships()?;
    let uuid = uuid(unrecorded(evaluator).random());
    evaluator.catalog(version, uuid)
}

/// All phases, in order. Afterwards the evaluator still has the scopes and the positions of resources.
///
/// # Errors
/// Returns the first error.
pub fn phases(evaluator: &mut Evaluator<'_>) -> Res<Catalog> {
    let version = version(evaluator);
    begin(evaluator)?;
    declare(evaluator)?;
    complete(evaluator, version)
}

/// The world for what is new in each catalog.
fn unrecorded<'c>(evaluator: &Evaluator<'c>) -> &'c dyn World {
    evaluator.world.unrecorded().unwrap_or(evaluator.world)
}

/// The output of `config_version`, or the time. A failure is only a warning, since such a script may work only on its server and
/// affects nothing else in the catalog.
fn version(evaluator: &mut Evaluator<'_>) -> Version {
    let seconds = Version::Seconds(unrecorded(evaluator).now().as_secs());
    let environment = &evaluator.program.environment;
    let Some(command) = environment.config_version.as_deref().filter(|command| !command.is_empty()) else {
        return seconds;
    };
    let (world, root) = (evaluator.world, environment.root.as_deref());
    // The location of errors that end the compile, such as a limit.
    let file = || root.map(|root| root.join("environment.conf").display().to_string());
    catwalk_base::meter::with_location(&mut (), |()| config_version(command, world), |()| file()).unwrap_or_else(
        |reason| {
            evaluator.logs.push(Diagnostic::new(reason, None).severity(Severity::Warning));
            seconds
        },
    )
}

/// The output of the command `config_version`.
///
/// # Errors
/// The command fails (code `CONFIG_VERSION`).
pub(crate) fn config_version(command: &str, world: &dyn World) -> Result<Version, Reason> {
    let argv = vec!["/bin/sh".to_owned(), "-c".to_owned(), command.to_owned()];
    let limit = std::time::Duration::from_secs(60);
    let process = catwalk_world::Command {
        argv,
        stdin: None,
        limit,
        output: catwalk_world::Command::OUTPUT,
        runs: catwalk_world::Runs::Once,
    };
    // Puppet runs the command once for each loaded environment (`TypeCollection#version`).
    let mut cause = Cause::Other;
    let why = match world.run(&process) {
        Ok(output) if output.status == Some(0) => {
            return Ok(Version::Text(Arc::from(String::from_utf8_lossy(&output.stdout).trim())));
        }
        Ok(output) => {
            let end = match output.status {
                Some(status) => format!("ended with exit code {status}"),
                None => "was stopped".to_owned(),
            };
            match first_line(&output.stderr).or_else(|| first_line(&output.stdout)) {
                Some(line) => format!("{end} ({line})"),
                None => end,
            }
        }
        Err(refused) => {
            cause = refused.cause();
            format!("did not run ({})", catwalk_world::excerpt(&refused.to_string()))
        }
    };
    let text = format!(
        "the config_version command `{command}` {why}: the version of catalogs is the time; \
         `config_version = \"\"` under [settings] in catwalk.toml, or `--set config_version=`, switches the command off"
    );
    Err(Reason::new(Code::CONFIG_VERSION, text).because(cause))
}

/// The beginning of the first line of an output that is not empty.
fn first_line(output: &[u8]) -> Option<String> {
    const MAX_CHARACTERS: usize = 200;
    let text = String::from_utf8_lossy(output);
    let line = text.lines().map(str::trim).find(|line| !line.is_empty())?;
    Some(line.chars().take(MAX_CHARACTERS).collect())
}

/// A version 4 UUID of random bits.
pub(crate) fn uuid(random: u128) -> Arc<str> {
    let bits = random & !(0xf000 << 64) & !(0xc000 << 48) | 0x4000 << 64 | 0x8000 << 48;
    let hex = format!("{bits:032x}");
    let part = |from: usize, to: usize| hex.get(from..to).unwrap_or("");
    Arc::from(format!("{}-{}-{}-{}-{}", part(0, 8), part(8, 12), part(12, 16), part(16, 20), part(20, 32)))
}
