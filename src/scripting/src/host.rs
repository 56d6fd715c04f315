//! The interface of a script to the compile that runs it. It is set for the duration of one call (`callers`).

use parking_lot::Mutex;
use std::path::Path;
use std::sync::Arc;

use rhai::Dynamic;
use rhai::Position;

use crate::cache::Scripts;
use crate::callers;
use crate::limits;
use crate::links;
use crate::running;
use catwalk_base::diag::Code;
use catwalk_base::diag::Severity;
use catwalk_base::source::path::shown;
use catwalk_program::Environment;
use catwalk_resource_api::Level;
use catwalk_value::Hash;
use catwalk_value::Value;
use catwalk_world::Kind;
use catwalk_world::World;

/// A failure of the host that passes through Rhai unchanged.
#[derive(Clone, Debug)]
pub(super) struct HostFailure(pub(super) Arc<Mutex<Option<catwalk_eval::Stop>>>, pub(super) String);

/// A block of a script: its code, and the number of its parameters if known.
pub(super) type Closure<'a> = (&'a mut dyn FnMut(&[Value]) -> Result<Value, String>, Option<usize>);

/// The running compile, as scripts see it.
pub(super) trait HostApi {
    /// Calls a Puppet function. `closure` is a block of the script with the number of its parameters.
    fn call_function(&mut self, name: &str, args: &[Value], closure: Option<Closure<'_>>)
    -> Result<Value, HostFailure>;

    /// Calls a block of the manifest by its number.
    fn call_block(&mut self, block: usize, args: &[Value]) -> Result<Value, HostFailure>;

    /// Calls a function of the context of a lookup.
    fn call_context(
        &mut self,
        context: &Value,
        name: &str,
        args: &[Value],
        closure: Option<Closure<'_>>,
    ) -> Result<Value, HostFailure>;

    /// Calls a Hiera backend with its arguments except the context; `None`: it has no value.
    fn call_backend(&mut self, name: &str, args: &[Value]) -> Result<Option<Value>, HostFailure>;

    /// Parses a type; returns the type or a stand-in for it.
    fn parse_type(&mut self, text: &str) -> Result<Value, HostFailure>;

    /// Whether a value is an instance of a type, which may be a stand-in.
    fn is_a(&mut self, value: &Value, data_type: &Value) -> Result<bool, HostFailure>;

    /// The type of a value, as `type()` infers it.
    fn type_of(&mut self, value: &Value) -> Result<Value, HostFailure>;

    /// The facts of the node.
    fn facts(&mut self) -> Arc<Hash>;

    /// Whether scripts may request pages of web servers.
    fn may_fetch(&self) -> bool {
        false
    }

    /// Writes a line to the compile's log. The level [`PRINTED`] is that of the output of `print`.
    fn log(&mut self, level: &str, text: &str);
}

/// The level of lines that `print` writes.
pub(super) const PRINTED: &str = "print";

/// The severity and the code of a line that a script logs.
pub(super) fn log_severity(level: &str) -> (Severity, Code) {
    let severity = match level {
        "debug" => Severity::Debug,
        "info" => Severity::Info,
        "warning" => Severity::Warning,
        "err" => Severity::Error,
        _ => Severity::Notice,
    };
    (severity, if level == PRINTED { Code::SCRIPT_OUTPUT } else { Code::RUNTIME_ERROR })
}

/// Calls the running compile or classifier, within its limits; `None`: there is none, or it is in use.
pub(super) fn call<T>(run: impl FnOnce(&mut dyn HostApi) -> T) -> Option<T> {
    limits::run_in_compile(|| callers::host(run))
}

/// The data that imports need: the environment whose scripts are searched, and the world from which they are read.
#[derive(Clone, Copy)]
pub(super) struct ImportContext<'a> {
    pub(super) scripts: &'a Scripts,
    pub(super) environment: &'a Environment,
    pub(super) world: &'a dyn World,
    /// The data file of a backend's call.
    pub(super) data: Option<&'a Path>,
}

/// Logs the output of `print` or `debug` with the file and line of the script.
pub(super) fn log_output(level: &str, text: &str, source: Option<&str>, at: Position) {
    let line = at.line().map(|line| format!(":{line}")).unwrap_or_default();
    let file = source.filter(|source| !source.is_empty()).and_then(|source| {
        callers::loading(|loading| shown(Path::new(source), loading.environment.root.as_deref()).into_owned())
    });
    match file {
        Some(file) => log(level, &format!("{file}{line}: {text}")),
        None => log(level, text),
    }
}

/// Logs through the running compile or classifier, or the running provider; without one (while a script is loaded) the message is dropped.
pub(super) fn log(level: &str, text: &str) {
    if call(|host| host.log(level, text)).is_some() {
        return;
    }
    if let Some(level) = Level::parse(if level == PRINTED { "notice" } else { level }) {
        let _ = running::with(|context, _| context.log_without_prefix(level, text));
    }
}

/// Checks that a script may read a file: one of the site or of a module, or the data file of its call.
///
/// # Errors
/// The file is not allowed, or a link leads out of the site and its modules.
pub(super) fn check_readable(path: &str) -> Result<(), String> {
    let path = Path::new(path);
    let not_allowed = || {
        format!(
            "scripts may not read '{}': only files of the site, of its modules, and the file of the hierarchy's entry",
            path.display()
        )
    };
    let checked = callers::loading(|loading| match is_readable(loading, path) {
        false => Err(not_allowed()),
        true if loading.world.kind(path) == Kind::Missing => Ok(()),
        true => loading
            .scripts
            .read(path, loading.environment, loading.world)
            .map(drop)
            .map_err(|why| format!("scripts may not read '{}': {why}", path.display())),
    });
    checked.unwrap_or_else(|| Err(not_allowed()))
}

/// Whether a script may read a path, without following links.
pub(super) fn is_readable(loading: &ImportContext<'_>, path: &Path) -> bool {
    loading.environment.queries.record_all();
    loading.data == Some(path) || links::is_in(path, loading.environment)
}

/// The file of a library: `NAME.rhai` below `scripts/lib` of a module.
pub(super) fn library_path(environment: &Environment, module: &str, name: &str) -> Option<std::path::PathBuf> {
    let root: &Path = match module {
        "environment" => environment.root.as_deref()?,
        _ => &environment.module(module)?.root,
    };
    Some(root.join("scripts").join("lib").join(format!("{name}.rhai")))
}

/// Converts a host failure to a Rhai error. A script cannot catch that a lookup has no value.
pub(super) fn raise(failure: HostFailure) -> Box<rhai::EvalAltResult> {
    let is_uncatchable = matches!(&*failure.0.lock(), Some(stop) if catwalk_eval::is_not_found(stop));
    let value = Dynamic::from(failure);
    Box::new(if is_uncatchable {
        rhai::EvalAltResult::ErrorTerminated(value, Position::NONE)
    } else {
        rhai::EvalAltResult::ErrorRuntime(value, Position::NONE)
    })
}
