//! The second wall around untrusted code: what the kernel takes from this process, should a question ever pass by the guard.
//!
//! In: the paths that may be read and written. Out: which walls stand; a kernel that has none is no error. Must not: be called before
//! the command line is read, or after threads were started: Landlock holds for the calling thread and those that it starts.

use std::path::Path;
use std::path::PathBuf;

/// What the process keeps.
#[derive(Clone, Debug, Default)]
pub struct Needs {
    /// Files and directories that may be read.
    pub read: Vec<PathBuf>,
    /// Files and directories that may be read and written. Of one that is missing, the nearest directory above it.
    pub write: Vec<PathBuf>,
    /// Whether it starts this program again, for scripts in processes of their own.
    pub workers: bool,
}

/// What the kernel refuses from now on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Walls {
    /// Files outside of those paths (Landlock).
    pub files: bool,
    /// Further processes and sockets (seccomp).
    pub processes: bool,
}

impl std::fmt::Display for Walls {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let stands = |stands: bool| if stands { "refused by the kernel" } else { "not refused by the kernel" };
        write!(
            f,
            "files outside of the site: {} (Landlock); processes and network: {} (seccomp)",
            stands(self.files),
            stands(self.processes)
        )
    }
}

/// What the program itself reads: time zones, the number of processors, random bytes.
#[cfg(target_os = "linux")]
const READ: &[&str] = &[
    "/usr/share/zoneinfo",
    "/etc/localtime",
    "/etc/timezone",
    "/sys/fs/cgroup",
    "/proc/self/status",
    "/proc/self/cgroup",
    "/dev/urandom",
];
/// Terminals, and what is thrown away.
#[cfg(target_os = "linux")]
const WRITE: &[&str] = &["/dev/null", "/dev/tty", "/dev/pts"];
/// What a program needs to start.
#[cfg(target_os = "linux")]
const LIBRARIES: &[&str] = &["/lib", "/lib64", "/usr/lib", "/usr/lib64", "/etc/ld.so.cache"];

/// Builds the walls.
#[must_use]
pub fn build(needs: &Needs) -> Walls {
    Walls { files: files(needs), processes: !needs.workers && processes(true) }
}

#[cfg(target_os = "linux")]
fn files(needs: &Needs) -> bool {
    use landlock::Access;
    use landlock::AccessFs;
    use landlock::Ruleset;
    use landlock::RulesetAttr;
    use landlock::RulesetCreatedAttr;
    use landlock::RulesetStatus;
    use landlock::path_beneath_rules;
    let all = AccessFs::from_all(landlock::ABI::V5);
    let own = crate::world::worker::own_program().filter(|_| needs.workers);
    let libraries = LIBRARIES.iter().filter(|_| needs.workers).map(PathBuf::from);
    let started: Vec<PathBuf> = own.into_iter().chain(libraries).collect();
    let read: Vec<PathBuf> = READ.iter().map(PathBuf::from).chain(needs.read.iter().cloned()).collect();
    let written = needs.write.iter().filter_map(|path| existing(path)).map(Path::to_path_buf);
    let write: Vec<PathBuf> = WRITE.iter().map(PathBuf::from).chain(written).collect();
    let build = || {
        Ruleset::default()
            .handle_access(all)?
            .create()?
            .add_rules(path_beneath_rules(read, AccessFs::ReadFile | AccessFs::ReadDir))?
            .add_rules(path_beneath_rules(write, all & !AccessFs::Execute))?
            .add_rules(path_beneath_rules(started, AccessFs::from_read(landlock::ABI::V5)))?
            .restrict_self()
    };
    let built: Result<_, landlock::RulesetError> = build();
    built.is_ok_and(|built| built.ruleset != RulesetStatus::NotEnforced)
}

/// The path, or the nearest directory above it that exists.
#[cfg(target_os = "linux")]
#[allow(clippy::disallowed_methods, reason = "this is the door")]
fn existing(path: &Path) -> Option<&Path> {
    path.ancestors().find(|path| std::fs::symlink_metadata(path).is_ok())
}

/// Lets the kernel refuse calls that start programs or make sockets, for all threads of the process or for this one.
#[cfg(target_os = "linux")]
fn processes(all_threads: bool) -> bool {
    use seccompiler::SeccompAction;
    use seccompiler::SeccompFilter;
    let calls = [
        libc::SYS_execve,
        libc::SYS_execveat,
        libc::SYS_socket,
        libc::SYS_connect,
        libc::SYS_ptrace,
        libc::SYS_io_uring_setup,
        libc::SYS_process_vm_writev,
    ];
    let refuse = SeccompAction::Errno(libc::EPERM.unsigned_abs());
    let Ok(architecture) = std::env::consts::ARCH.try_into() else { return false };
    let rules = calls.into_iter().map(|call| (call, Vec::new())).collect();
    let program = SeccompFilter::new(rules, SeccompAction::Allow, refuse, architecture)
        .and_then(seccompiler::BpfProgram::try_from);
    program.is_ok_and(|program| match all_threads {
        true => seccompiler::apply_filter_all_threads(&program).is_ok(),
        false => seccompiler::apply_filter(&program).is_ok(),
    })
}

#[cfg(not(target_os = "linux"))]
fn files(_: &Needs) -> bool {
    false
}

#[cfg(not(target_os = "linux"))]
fn processes(_: bool) -> bool {
    false
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    #![allow(clippy::unwrap_used, clippy::disallowed_methods, reason = "tests")]

    use super::*;

    #[test]
    fn the_kernel_refuses_what_passes_by_the_guard() {
        let dir = tempfile::TempDir::new().unwrap();
        let path = |name: &str| dir.path().join(name);
        for name in ["site", "out", "outside"] {
            std::fs::create_dir(path(name)).unwrap();
            std::fs::write(path(name).join("file"), "").unwrap();
        }
        let needs = Needs { read: vec![path("site")], write: vec![path("out/new")], workers: false };
        let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let status = Path::new("/proc/self/status");
        // In a thread of its own: the other tests need their files.
        std::thread::scope(|scope| {
            let tried = scope.spawn(|| {
                let files = files(&needs);
                assert!(std::fs::read(path("site/file")).is_ok() && std::fs::write(path("out/new"), "").is_ok());
                if files {
                    assert!(std::fs::read(path("outside/file")).is_err() && std::fs::read_dir("/etc").is_err());
                    assert!(std::fs::write(path("site/file"), "").is_err());
                    assert!(std::fs::read(status).is_ok());
                }
                if processes(false) {
                    assert!(std::process::Command::new("/bin/true").status().is_err());
                    assert!(std::net::TcpStream::connect(address).is_err());
                }
            });
            tried.join().unwrap();
        });
    }
}
