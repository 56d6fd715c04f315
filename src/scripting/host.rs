//! What a script may ask of the compile that runs it. Set for the time of one call, by a scoped thread-local.

use std::path::Path;
use std::sync::Arc;
use std::sync::Mutex;

use rhai::Dynamic;
use scoped_tls_hkt::scoped_thread_local;

use crate::environment::Environment;
use crate::scripting::cache::Scripts;
use crate::scripting::limits;
use crate::value::Hash;
use crate::value::Value;
use crate::world::World;

/// A failure of the host inside a script: kept whole on its way through Rhai.
#[derive(Clone, Debug)]
pub(super) struct HostFailure(pub(super) Arc<Mutex<Option<crate::eval::Stop>>>, pub(super) String);

/// A block of a script: its code, and how many arguments it takes where that is known.
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

    /// Calls a Hiera backend with its arguments but the context; `None`: it has no value.
    fn call_backend(&mut self, name: &str, args: &[Value]) -> Result<Option<Value>, HostFailure>;

    /// A type by its text: a type, or what stands for one.
    fn type_of_text(&mut self, text: &str) -> Result<Value, HostFailure>;

    /// Whether a value is of a type, or of what stands for one.
    fn is_a(&mut self, value: &Value, wanted: &Value) -> Result<bool, HostFailure>;

    /// The type of a value, as `type()` infers it.
    fn type_of(&mut self, value: &Value) -> Result<Value, HostFailure>;

    /// The facts of the node.
    fn facts(&mut self) -> Arc<Hash>;

    /// A line for the compile's log.
    fn log(&mut self, level: &str, text: &str);
}

scoped_thread_local!(pub(super) static mut HOST: for<'a> &'a mut (dyn HostApi + 'a));

/// Asks the running compile, which must be set.
pub(super) fn ask<T>(question: impl FnOnce(&mut dyn HostApi) -> T) -> T {
    limits::for_compile(|| HOST.with(|host| question(host)))
}

/// What imports need: where scripts are looked for and by whom they are read.
#[derive(Clone, Copy)]
pub(super) struct Loading<'a> {
    pub(super) scripts: &'a Scripts,
    pub(super) environment: &'a Environment,
    pub(super) world: &'a dyn World,
    /// The data file that a backend is asked about.
    pub(super) data: Option<&'a Path>,
}

scoped_thread_local!(pub(super) static LOADING: for<'a> &'a Loading<'a>);

/// Logs through the running compile; without one (a classifier) the text is dropped, as there is no log of a node yet.
pub(super) fn log(level: &str, text: &str) {
    if HOST.is_set() {
        ask(|host| host.log(level, text));
    }
}

/// Whether a script may read a file: one of the site or of a module, or the one it is asked about.
pub(super) fn readable(path: &str) -> Result<(), String> {
    let path = Path::new(path);
    if LOADING.is_set() && LOADING.with(|loading| readable_for(loading, path)) {
        return Ok(());
    }
    Err(format!(
        "scripts may not read '{}': only files of the site, of its modules, and the file of the hierarchy's entry",
        path.display()
    ))
}

/// The same for a script that is not the running one.
pub(super) fn readable_for(loading: &Loading<'_>, path: &Path) -> bool {
    let plain = path.components().all(|part| !matches!(part, std::path::Component::ParentDir));
    loading.environment.asked.all();
    let roots = loading.environment.modules.values().map(|module| module.root.as_path());
    let mut roots = roots.chain(loading.environment.root.as_deref());
    loading.data == Some(path) || (plain && path.is_absolute() && roots.any(|root| path.starts_with(root)))
}

/// Where a script looks for `scripts/lib/…` of a module.
pub(super) fn library(environment: &Environment, module: &str, name: &str) -> Option<std::path::PathBuf> {
    let root: &Path = match module {
        "environment" => environment.root.as_deref()?,
        _ => &environment.module(module)?.root,
    };
    Some(root.join("scripts").join("lib").join(format!("{name}.rhai")))
}

/// A Rhai error that carries a host failure. That a lookup has no value cannot be caught by a script.
pub(super) fn raise(failure: HostFailure) -> Box<rhai::EvalAltResult> {
    let ends = matches!(&*failure.0.lock().unwrap_or_else(std::sync::PoisonError::into_inner), Some(stop) if crate::eval::is_not_found(stop));
    let value = Dynamic::from(failure);
    Box::new(if ends {
        rhai::EvalAltResult::ErrorTerminated(value, rhai::Position::NONE)
    } else {
        rhai::EvalAltResult::ErrorRuntime(value, rhai::Position::NONE)
    })
}
