//! How the system gives memory.
//!
//! Must not: allocate.

/// Memory comes in small pages from now on, for this process and those it starts.
///
/// The allocator asks for large ones where the system has them. The first value in a large page waits until all of it is
/// cleared, which takes milliseconds where memory is slow, as on virtual machines: longer than most edits take to be followed.
pub fn small_pages() {
    // Without it, all is as well, but for some edits.
    #[cfg(target_os = "linux")]
    let _ = rustix::thread::disable_transparent_huge_pages(true);
}
