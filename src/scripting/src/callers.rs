//! What called the running script: the compile, the site that it belongs to, a provider's context, a test, a block.
//!
//! Functions of the engine have no argument for it, so each thread has one slot with the innermost [`Frame`]. A frame is set for the
//! duration of one call and leads to those around it; nothing that a script keeps can outlive the call. A caller that changes while it
//! is used (a compile, a provider's context, a block) is lent to one user at a time, and is not available meanwhile.
//!
//! In: callers. Out: the innermost one of each kind. Must not: know what they do; hold rights.

use std::cell::RefCell;

use scoped_tls_hkt::scoped_thread_local;

use crate::api::Fallible;
use crate::api::fail;
use crate::host::HostApi;
use crate::host::ImportContext;
use crate::running::RunningCall;
use crate::testing::TestSite;
use catwalk_base::secrets::SecretCollection;
use catwalk_value::Value;
use std::sync::Arc;

/// A block of a script that the compile calls.
pub(super) type BlockCode<'a> = dyn FnMut(&[Value]) -> Result<Value, String> + 'a;

/// A caller of one kind.
enum Caller<'a> {
    /// The running compile or classifier.
    Host(RefCell<&'a mut (dyn HostApi + 'a)>),
    /// Where imports are found.
    Loading(&'a ImportContext<'a>),
    /// The running call of a provider.
    Provider(RefCell<&'a mut (dyn RunningCall + 'a)>),
    /// The site under test.
    Site(&'a (dyn TestSite + 'a)),
    /// The block of a script during a call of the compile.
    Block(RefCell<&'a mut BlockCode<'a>>),
}

/// A caller, with those around it.
struct CallerFrame<'c, 'o> {
    caller: Caller<'c>,
    outer: Option<&'o (dyn Frame + 'o)>,
}

/// A [`CallerFrame`] without the lifetimes of its parts.
trait Frame {
    /// Calls a function with the caller and the frame around this one.
    fn lend(&self, run: &mut dyn FnMut(&Caller<'_>, Option<&dyn Frame>));
}

impl Frame for CallerFrame<'_, '_> {
    fn lend(&self, run: &mut dyn FnMut(&Caller<'_>, Option<&dyn Frame>)) {
        run(&self.caller, self.outer.map(|outer| outer as &dyn Frame));
    }
}

scoped_thread_local!(static INNERMOST: for<'a> &'a (dyn Frame + 'a));

/// Runs code that this caller calls.
fn call_from<T>(caller: Caller<'_>, run: impl FnOnce() -> T) -> T {
    if INNERMOST.is_set() {
        INNERMOST.with(|outer| INNERMOST.set(&CallerFrame { caller, outer: Some(outer) }, run))
    } else {
        INNERMOST.set(&CallerFrame { caller, outer: None }, run)
    }
}

/// The result of `pick` for the innermost caller for which it has one.
fn find<T>(mut pick: impl FnMut(&Caller<'_>) -> Option<T>) -> Option<T> {
    fn visit<T>(frame: &dyn Frame, pick: &mut dyn FnMut(&Caller<'_>) -> Option<T>) -> Option<T> {
        let mut result = None;
        frame.lend(&mut |caller, outer| result = pick(caller).or_else(|| outer.and_then(|outer| visit(outer, pick))));
        result
    }
    if INNERMOST.is_set() { INNERMOST.with(|frame| visit(frame, &mut pick)) } else { None }
}

/// Runs a script that a compile or classifier calls.
pub(super) fn with_host<T>(host: &mut dyn HostApi, run: impl FnOnce() -> T) -> T {
    call_from(Caller::Host(RefCell::new(host)), run)
}

/// Uses the running compile or classifier; `None`: there is none, or it is in use.
pub(super) fn host<T>(run: impl FnOnce(&mut dyn HostApi) -> T) -> Option<T> {
    let mut run = Some(run);
    let used = find(|caller| match caller {
        Caller::Host(host) => {
            Some(host.try_borrow_mut().ok().and_then(|mut host| run.take().map(|run| run(&mut **host))))
        }
        _ => None,
    });
    used.flatten()
}

/// Whether a compile or classifier runs, and is not in use.
pub(super) fn has_host() -> bool {
    host(|_| ()).is_some()
}

/// Runs a script that is called in an environment.
pub(super) fn with_loading<T>(loading: &ImportContext<'_>, run: impl FnOnce() -> T) -> T {
    call_from(Caller::Loading(loading), run)
}

/// Uses the environment of the running script; `None`: there is none.
pub(super) fn loading<T>(run: impl FnOnce(&ImportContext<'_>) -> T) -> Option<T> {
    let mut run = Some(run);
    find(|caller| match caller {
        Caller::Loading(loading) => run.take().map(|run| run(loading)),
        _ => None,
    })
}

/// The collection for the secrets of the running script.
///
/// # Errors
/// No script is called: nothing would hide the secrets.
pub(super) fn secrets() -> Fallible<Arc<SecretCollection>> {
    let secrets = loading(|loading| loading.world.secrets().clone());
    secrets.map_or_else(|| fail("secrets are only available while a script is called"), Ok)
}

/// Runs a script of a provider.
pub(super) fn with_provider<T>(call: &mut dyn RunningCall, run: impl FnOnce() -> T) -> T {
    call_from(Caller::Provider(RefCell::new(call)), run)
}

/// Uses the running call of a provider; `None`: there is none, or it is in use.
pub(super) fn provider<T>(run: impl FnOnce(&mut dyn RunningCall) -> T) -> Option<T> {
    let mut run = Some(run);
    let used = find(|caller| match caller {
        Caller::Provider(call) => {
            Some(call.try_borrow_mut().ok().and_then(|mut call| run.take().map(|run| run(&mut **call))))
        }
        _ => None,
    });
    used.flatten()
}

/// Runs a test of a site.
pub(super) fn with_site<T>(site: &dyn TestSite, run: impl FnOnce() -> T) -> T {
    call_from(Caller::Site(site), run)
}

/// Uses the site under test; `None`: no test runs.
pub(super) fn site<T>(run: impl FnOnce(&dyn TestSite) -> T) -> Option<T> {
    let mut run = Some(run);
    find(|caller| match caller {
        Caller::Site(site) => run.take().map(|run| run(*site)),
        _ => None,
    })
}

/// Runs code of the compile that may call a block of the script.
pub(super) fn with_block<T>(block: &mut BlockCode<'_>, run: impl FnOnce() -> T) -> T {
    call_from(Caller::Block(RefCell::new(block)), run)
}

/// Calls the block of the script that called the compile.
///
/// # Errors
/// The block fails, is running, or does not exist.
pub(super) fn call_block(args: &[Value]) -> Result<Value, String> {
    let called = find(|caller| match caller {
        Caller::Block(block) => Some(block.try_borrow_mut().ok().map(|mut block| block(args))),
        _ => None,
    });
    called.flatten().unwrap_or_else(|| Err("the block is no longer valid".to_owned()))
}
