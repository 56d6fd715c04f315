//! What a script may ask of the compile that runs it. Set for the time of one call, by a scoped thread-local.

use std::path::Path;
use std::sync::Arc;
use std::sync::Mutex;

use rhai::Dynamic;
use scoped_tls_hkt::scoped_thread_local;

use crate::environment::Environment;
use crate::scripting::cache::Scripts;
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

    /// A line for the compile's log.
    fn log(&mut self, level: &str, text: &str);
}

scoped_thread_local!(pub(super) static mut HOST: for<'a> &'a mut (dyn HostApi + 'a));

/// What imports need: where scripts are looked for and by whom they are read.
pub(super) struct Loading<'a> {
    pub(super) scripts: &'a Scripts,
    pub(super) environment: &'a Environment,
    pub(super) world: &'a dyn World,
}

scoped_thread_local!(pub(super) static LOADING: for<'a> &'a Loading<'a>);

/// Logs through the running compile; without one (a classifier) the text is dropped, as there is no log of a node yet.
pub(super) fn log(level: &str, text: &str) {
    if HOST.is_set() {
        HOST.with(|host| host.log(level, text));
    }
}

/// Runs with the loading context set.
pub(super) fn loading<T>(
    scripts: &Scripts,
    environment: &Environment,
    world: &dyn World,
    run: impl FnOnce() -> T,
) -> T {
    LOADING.set(&Loading { scripts, environment, world }, run)
}

/// Where a script looks for `scripts/lib/…` of a module.
pub(super) fn library(environment: &Environment, module: &str, name: &str) -> Option<std::path::PathBuf> {
    let root: &Path = match module {
        "environment" => environment.root.as_deref()?,
        _ => &environment.module(module)?.root,
    };
    Some(root.join("scripts").join("lib").join(format!("{name}.rhai")))
}

/// A Rhai error that carries a host failure.
pub(super) fn raise(failure: HostFailure) -> Box<rhai::EvalAltResult> {
    Box::new(rhai::EvalAltResult::ErrorRuntime(Dynamic::from(failure), rhai::Position::NONE))
}
