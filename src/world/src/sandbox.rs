//! The second line of defence against untrusted code: rights that the kernel denies this process, should a question ever bypass
//! the guard.
//!
//! In: the paths that may be read and written, the programs that may be started. Out: the restrictions that the kernel supports; it is
//! not an error if it supports none. Must not: be called before the command line is read or after compiling threads were started:
//! Landlock and seccomp apply to the calling thread and those that it starts.

use std::path::PathBuf;

pub use crate::launcher::Startable;

use crate::launcher;

/// What the process may still access.
#[derive(Clone, Debug, Default)]
pub struct Permissions {
    /// Files and directories that may be read.
    pub read: Vec<PathBuf>,
    /// Files and directories that may be read and written; for a missing one, its nearest existing parent.
    pub write: Vec<PathBuf>,
    /// Programs that may be started; they run without these restrictions.
    pub programs: Vec<Startable>,
}

/// What the kernel refuses from now on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Restrictions {
    /// Files outside of the permitted paths (Landlock).
    pub files: bool,
    /// Connections over TCP, and listening ports (Landlock).
    pub tcp: bool,
    /// Further processes, sockets of any kind, other processes' memory (seccomp).
    pub processes: bool,
}

impl std::fmt::Display for Restrictions {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let describe =
            |is_refused: bool| if is_refused { "refused by the kernel" } else { "not refused by the kernel" };
        write!(
            f,
            "files outside of the site: {} (Landlock); TCP: {} (Landlock); processes and network: {} (seccomp)",
            describe(self.files),
            describe(self.tcp),
            describe(self.processes)
        )
    }
}

/// Restricts this thread and those that it starts from now on. The permitted programs are started by a thread that is not restricted.
#[must_use]
pub fn enter(permissions: &Permissions) -> Restrictions {
    launcher::start(permissions.programs.clone());
    let (files, tcp) = restrict_files_and_tcp(permissions);
    Restrictions { files, tcp, processes: deny_processes() }
}

/// Denies this thread, and those that it starts, to open files, use the network, and start or signal processes, as far as the kernel
/// supports that.
pub(super) fn enter_without_permissions() -> Restrictions {
    let (files, tcp) = deny_files_and_tcp();
    Restrictions { files, tcp, processes: deny_processes() }
}

#[cfg(target_os = "linux")]
use rules::deny_files_and_tcp;
#[cfg(target_os = "linux")]
use rules::deny_processes;
#[cfg(target_os = "linux")]
use rules::restrict_files_and_tcp;

#[cfg(target_os = "linux")]
mod rules;

#[cfg(not(target_os = "linux"))]
fn restrict_files_and_tcp(_: &Permissions) -> (bool, bool) {
    (false, false)
}

#[cfg(not(target_os = "linux"))]
fn deny_files_and_tcp() -> (bool, bool) {
    (false, false)
}

#[cfg(not(target_os = "linux"))]
fn deny_processes() -> bool {
    false
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    #![allow(clippy::unwrap_used, clippy::disallowed_methods, reason = "tests")]

    use std::path::Path;

    use super::*;

    #[test]
    fn the_kernel_denies_access_that_bypasses_the_guard() {
        let dir = tempfile::TempDir::new().unwrap();
        let path = |name: &str| dir.path().join(name);
        for name in ["site", "out", "outside"] {
            std::fs::create_dir(path(name)).unwrap();
            std::fs::write(path(name).join("file"), "").unwrap();
        }
        std::os::unix::fs::symlink(path("outside/file"), path("site/link")).unwrap();
        let permissions = Permissions { read: vec![path("site")], write: vec![path("out/new")], programs: Vec::new() };
        let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let status = Path::new("/proc/self/status");
        let can_read_own = |name: &str| std::fs::read(format!("/proc/self/{name}")).is_ok();
        // In its own thread: the other tests need their files.
        std::thread::scope(|scope| {
            let tried = scope.spawn(|| {
                let (files, tcp) = restrict_files_and_tcp(&permissions);
                assert!(std::fs::read(path("site/file")).is_ok() && std::fs::write(path("out/new"), "").is_ok());
                if files {
                    assert!(std::fs::read(path("outside/file")).is_err() && std::fs::read_dir("/etc").is_err());
                    assert!(std::fs::read(path("site/link")).is_err());
                    assert!(std::fs::hard_link(path("outside/file"), path("out/hard")).is_err());
                    assert!(std::fs::write(path("site/file"), "").is_err());
                    assert!(std::fs::read(status).is_ok());
                    assert!(
                        !can_read_own("environ")
                            && !can_read_own("cmdline")
                            && !can_read_own("mem")
                            && !can_read_own("maps")
                    );
                    assert!(
                        std::fs::read_dir("/proc/self/fd").is_err() && std::fs::read_dir("/proc/self/cwd").is_err()
                    );
                }
                assert!(!tcp || std::net::TcpStream::connect(address).is_err());
                assert!(!tcp || std::net::TcpListener::bind("127.0.0.1:0").is_err());
                if deny_processes() {
                    assert!(std::process::Command::new("/bin/true").status().is_err());
                    assert!(std::net::UdpSocket::bind("127.0.0.1:0").is_err());
                    assert!(std::os::unix::net::UnixDatagram::unbound().is_err());
                    assert!(std::thread::spawn(|| std::net::UdpSocket::bind("127.0.0.1:0")).join().unwrap().is_err());
                }
            });
            tried.join().unwrap();
        });
        // Only that thread is restricted.
        assert!(std::process::Command::new("/bin/true").status().is_ok());
    }
}
