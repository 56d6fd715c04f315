//! How the operating system hands out memory.
//!
//! In: settings of this process. Out: the number of pages it has touched. Must not: depend on how the memory is used.

/// Disables large pages for this process and those that it starts.
///
/// The allocator uses large pages where the system has them. The first write to a large page waits until all of it is cleared,
/// which takes milliseconds where memory is slow, as on virtual machines: longer than most recompiles.
pub fn disable_large_pages() {
    // The result is ignored: without it, some recompiles are slower.
    #[cfg(target_os = "linux")]
    let _ = rustix::thread::disable_transparent_huge_pages(true);
}

/// Bytes of memory that this thread was the first to touch since it began, at most: pages that were allocated to it, in use or
/// not, each as large as pages can be here. `None` where the system does not count them.
#[must_use]
#[allow(clippy::disallowed_methods, reason = "a world accesses the machine here")]
pub fn memory_touched_by_thread() -> Option<u64> {
    let stat = std::fs::read_to_string("/proc/thread-self/stat").ok()?;
    // The program's name is in parentheses and may contain blanks; the state follows, then minor faults as the seventh number.
    let (_, rest) = stat.rsplit_once(") ")?;
    let faults = rest.split(' ').nth(7)?.parse::<u64>().ok()?;
    let status = std::fs::read_to_string("/proc/thread-self/status").ok()?;
    let allowed = status.lines().any(|line| line.strip_prefix("THP_enabled:").is_some_and(|value| value.trim() == "1"));
    let mode = || std::fs::read_to_string("/sys/kernel/mm/transparent_hugepage/enabled").unwrap_or_default();
    let are_large = allowed && !matches!(mode().as_str(), "" | "always madvise [never]\n");
    faults.checked_mul(if are_large { LARGE_PAGE } else { PAGE })
}

/// The size of a page in bytes; where pages are larger, the result is too low.
const PAGE: u64 = 4096;
/// The size of a large page, which the allocator requests where the system has them.
const LARGE_PAGE: u64 = 2 << 20;

#[cfg(all(test, target_os = "linux"))]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]

    use super::*;

    #[test]
    fn memory_is_counted_for_the_thread_that_touches_it() {
        let Some(before) = memory_touched_by_thread() else { return };
        std::thread::spawn(|| std::hint::black_box(vec![1_u8; 64 << 20]).len()).join().unwrap();
        assert!(memory_touched_by_thread().unwrap() - before < 128 << 20);
        assert_eq!(std::hint::black_box(vec![1_u8; 64 << 20]).len(), 64 << 20);
        assert!(memory_touched_by_thread().unwrap() - before >= 60 << 20);
    }
}
