//! Evaluates code without a site, for examples of functions and for tests.
//!
//! In: code. Out: its value, log and failure, as Puppet prints it.

use std::path::PathBuf;
use std::sync::Arc;

use catwalk_base::diag::Code;
use catwalk_base::diag::Diagnostic;
use catwalk_base::names::Name;
use catwalk_eval::Evaluator;
use catwalk_eval::Res;
use catwalk_eval::ScopeId;
use catwalk_eval::Settings;
use catwalk_eval::Stop;
use catwalk_node::Node;
use catwalk_program::Cache;
use catwalk_program::Environment;
use catwalk_program::Module;
use catwalk_program::Program;
use catwalk_value::Hash;
use catwalk_value::Value;
use catwalk_world::Memory;
use catwalk_world::World;

/// The environment of evaluated code.
#[derive(Clone, Debug, Default)]
pub struct Setup {
    /// Files of the module `probe`, by path below its root: `functions/f.pp`, `templates/t.epp`.
    pub files: Vec<(String, String)>,
    /// Files of the module `stdlib`, by path below its root, which decide its version. None: all of its functions are available.
    pub stdlib: Vec<(String, String)>,
    /// Facts of the node.
    pub facts: Arc<Hash>,
    /// Variables of the top scope.
    pub variables: Vec<(String, Value)>,
    /// The settings of the evaluator.
    pub settings: Settings,
}

/// The result of an evaluation.
#[derive(Debug)]
pub struct Evaluation {
    /// The value of the last statement, or the failure as Puppet prints it.
    pub result: Result<Value, String>,
    /// The code of the failure, if a diagnostic describes it.
    pub code: Option<Code>,
    /// Log lines as `level: message`.
    pub logs: Vec<String>,
}

/// Evaluates code at top scope.
#[must_use]
pub fn evaluate(code: &str, setup: &Setup) -> Evaluation {
    catwalk_base::stack::with_large(|| evaluate_here(code, setup)).unwrap_or_else(|error| Evaluation {
        result: Err(error.to_string()),
        code: None,
        logs: Vec::new(),
    })
}

/// The value of an expression with all settings at their defaults.
///
/// # Errors
///
/// The failure as Puppet prints it.
pub fn value(code: &str) -> Result<Value, String> {
    evaluate(code, &Setup::default()).result
}

fn evaluate_here(code: &str, setup: &Setup) -> Evaluation {
    let root = PathBuf::from("/probe/modules/probe");
    let library = PathBuf::from("/probe/modules/stdlib");
    let files = setup.files.iter().map(|(path, text)| (root.join(path), text));
    let files = files.chain(setup.stdlib.iter().map(|(path, text)| (library.join(path), text)));
    // A module with metadata only has all of its functions.
    let metadata = (library.join("metadata.json"), "{}".to_owned());
    let metadata = setup.stdlib.is_empty().then_some(metadata);
    let files = files.chain(metadata.iter().map(|(path, text)| (path.clone(), text)));
    let world: Arc<dyn World> = Arc::new(Memory::new(files));
    let mut environment = Environment { name: Arc::from("production"), ..Environment::default() };
    environment.modulepath.push(PathBuf::from("/probe/modules"));
    let name: Arc<str> = Arc::from("probe");
    Arc::make_mut(&mut environment.modules).insert(name.clone(), Module::new(name, root));
    // Functions of stdlib in Rust need the module.
    let stdlib: Arc<str> = Arc::from("stdlib");
    Arc::make_mut(&mut environment.modules).insert(stdlib.clone(), Module::new(stdlib, library));
    let environment = Arc::new(environment);
    let cache = Arc::new(Cache::with_options(setup.settings.syntax()));
    let program = match Program::load(environment, world.clone(), cache.clone(), Some(code)) {
        Ok(program) => program,
        Err(diagnostic) => {
            let to_line =
                |line: &Diagnostic| format!("{}: {}", line.severity.as_str(), line.puppet_text(&cache.sources));
            let logs = diagnostic.summarized.iter().map(to_line).collect();
            let code = Some(diagnostic.code);
            return Evaluation { result: Err(diagnostic.puppet_text(&cache.sources)), code, logs };
        }
    };
    let node = Node { facts: setup.facts.clone(), ..Node::default() };
    let mut evaluator = Evaluator::new(&program, world.as_ref(), &node, &setup.settings, super::library());
    let result = evaluator.within_limits(|evaluator| {
        start(evaluator)?;
        for (name, value) in &setup.variables {
            evaluator.bind(ScopeId::TOP, Name::new(name), value.clone());
        }
        program.main().iter().try_fold(Value::Undef, |_, file| evaluator.eval_program(&file.body))
    });
    let text = |diagnostic: &Diagnostic| diagnostic.puppet_text(&program.sources);
    let logs = program.take_warnings().into_iter().chain(std::mem::take(&mut evaluator.logs));
    let logs = logs.map(|line| format!("{}: {}", line.severity.as_str(), text(&line))).collect();
    let code = match &result {
        Err(Stop::Failed(diagnostic)) => Some(diagnostic.code),
        Err(Stop::Reason(reason)) => Some(reason.code),
        _ => None,
    };
    let result = result.map_err(|stop| match stop {
        Stop::Failed(diagnostic) => text(&diagnostic),
        Stop::Reason(reason) => reason.message.to_string(),
        other => format!("{other:?}"),
    });
    Evaluation { result, code, logs }
}

/// Sets up the top scope for the main manifest.
fn start(evaluator: &mut Evaluator<'_>) -> Res<()> {
    evaluator.start_catalog()?;
    evaluator.set_node_parameters()?;
    evaluator.create_settings_scope()?;
    evaluator.declare_main()?;
    for (name, text) in [("title", "main"), ("name", "main"), ("module_name", "")] {
        evaluator.bind(ScopeId::TOP, Name::new(name), Value::str(text));
    }
    Ok(())
}
