//! The size of this thread's stack, which limits the depth of recursion.
//!
//! In: calls of [`mark_large`] on threads with a large stack. Out: whether the current thread has a large stack, and whether it is
//! nearly used up ([`is_low`]). A debug build needs up to 13 kB of stack for a level of nesting: a large stack has room for about
//! 40,000 levels, the default stack of 2 MB for 150.

use std::cell::Cell;
use std::sync::OnceLock;

/// The stack size in bytes of threads that compile, since manifests and scripts nest deeply. Only touched pages use memory.
pub const SIZE: usize = 512 << 20;

/// The bytes of a large stack that remain when it is low: enough for any code that does not recurse over the input.
const RESERVE: usize = 32 << 20;
/// As [`RESERVE`], for a stack of another size.
const SMALL_RESERVE: usize = 512 << 10;

thread_local! {
    static LARGE: Cell<bool> = const { Cell::new(false) };
}

/// Marks this thread as started with a stack of [`SIZE`].
pub fn mark_large() {
    LARGE.set(true);
}

/// Whether this thread has a large stack.
#[must_use]
pub fn is_large() -> bool {
    LARGE.get()
}

/// Whether little of this thread's stack remains, so that a recursion over data must end. `false` if its size is unknown.
#[inline]
#[must_use]
pub fn is_low() -> bool {
    // Most calls find more than the larger reserve.
    stacker::remaining_stack().is_some_and(|left| left < RESERVE && (is_large() || left < SMALL_RESERVE))
}

/// The thread pool: one thread with a large stack for each processor, created on first use; `None` if it cannot be created.
#[must_use]
pub fn pool() -> Option<&'static rayon::ThreadPool> {
    static POOL: OnceLock<Option<rayon::ThreadPool>> = OnceLock::new();
    POOL.get_or_init(|| rayon::ThreadPoolBuilder::new().stack_size(SIZE).start_handler(|_| mark_large()).build().ok())
        .as_ref()
}

/// Runs `work` on a thread with a large stack and waits for it.
///
/// # Errors
/// The thread cannot be started, or `work` panicked.
pub fn with_large<T: Send>(work: impl FnOnce() -> T + Send) -> std::io::Result<T> {
    if is_large() {
        return Ok(work());
    }
    std::thread::scope(|scope| {
        let marked = || {
            mark_large();
            work()
        };
        let thread =
            std::thread::Builder::new().name("main".to_owned()).stack_size(SIZE).spawn_scoped(scope, marked)?;
        thread.join().map_err(|_| std::io::Error::other("the thread panicked"))
    })
}
