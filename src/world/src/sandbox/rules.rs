//! The rules for Landlock and seccomp, on Linux.
//!
//! In: what a thread needs. Out: whether the kernel enforces the rest. Must not: fail if a kernel supports fewer rules.

use std::path::Path;
use std::path::PathBuf;

use landlock::ABI;
use landlock::Access;
use landlock::AccessFs;
use landlock::AccessNet;
use landlock::CompatLevel;
use landlock::Compatible;
use landlock::Ruleset;
use landlock::RulesetAttr;
use landlock::RulesetCreatedAttr;
use landlock::RulesetError;
use landlock::RulesetStatus;
use landlock::Scope;
use landlock::path_beneath_rules;
use seccompiler::SeccompAction;
use seccompiler::SeccompFilter;

use super::Permissions;

/// The newest version of Landlock whose rules are used; an older kernel enforces those that it supports.
const VERSION: ABI = ABI::V6;
/// Paths that the program itself reads: time zones, the number of processors, random bytes.
const READ: &[&str] = &[
    "/usr/share/zoneinfo",
    "/etc/localtime",
    "/etc/timezone",
    "/sys/fs/cgroup",
    "/proc/self/status",
    "/proc/self/cgroup",
    "/dev/urandom",
];
/// Terminals and `/dev/null`.
const WRITE: &[&str] = &["/dev/null", "/dev/tty", "/dev/pts"];
/// System calls that start programs, create sockets, access other processes, or change which files the rules apply to.
const REFUSED: &[libc::c_long] = &[
    libc::SYS_execve,
    libc::SYS_execveat,
    libc::SYS_socket,
    libc::SYS_connect,
    libc::SYS_bind,
    libc::SYS_ptrace,
    libc::SYS_process_vm_readv,
    libc::SYS_process_vm_writev,
    libc::SYS_pidfd_getfd,
    libc::SYS_io_uring_setup,
    libc::SYS_open_by_handle_at,
    libc::SYS_mount,
    libc::SYS_umount2,
    libc::SYS_chroot,
    libc::SYS_pivot_root,
    libc::SYS_unshare,
    libc::SYS_setns,
    libc::SYS_bpf,
    libc::SYS_perf_event_open,
    libc::SYS_userfaultfd,
    libc::SYS_add_key,
    libc::SYS_request_key,
    libc::SYS_keyctl,
    libc::SYS_init_module,
    libc::SYS_finit_module,
];

/// Makes the kernel deny files outside of the needed paths, and TCP.
pub(super) fn restrict_files_and_tcp(permissions: &Permissions) -> (bool, bool) {
    let all = AccessFs::from_all(VERSION);
    let needed = permissions.read.iter().filter(|path| has_a_path(path)).cloned();
    let read: Vec<PathBuf> = READ.iter().map(PathBuf::from).chain(needed).collect();
    let written = permissions.write.iter().filter_map(|path| existing(path)).map(Path::to_path_buf);
    let write: Vec<PathBuf> = WRITE.iter().map(PathBuf::from).chain(written).collect();
    let build = || {
        Ruleset::default()
            .handle_access(all)?
            .handle_access(AccessNet::from_all(VERSION))?
            // Signals stay permitted: this process ends the programs that the user named, which run without restrictions.
            .scope(Scope::AbstractUnixSocket)?
            .create()?
            .add_rules(path_beneath_rules(read, AccessFs::ReadFile | AccessFs::ReadDir))?
            .add_rules(path_beneath_rules(write, all & !AccessFs::Execute))?
            .restrict_self()
    };
    enforced(build())
}

/// Makes the kernel deny all files, TCP, and signals to other processes.
pub(super) fn deny_files_and_tcp() -> (bool, bool) {
    let build = || {
        Ruleset::default()
            .handle_access(AccessFs::from_all(VERSION))?
            .handle_access(AccessNet::from_all(VERSION))?
            .scope(Scope::from_all(VERSION))?
            .create()?
            .restrict_self()
    };
    enforced(build())
}

fn enforced(built: Result<landlock::RestrictionStatus, RulesetError>) -> (bool, bool) {
    let files = built.is_ok_and(|built| built.ruleset != RulesetStatus::NotEnforced);
    let all = AccessNet::from_all(VERSION);
    let supports_network =
        Ruleset::default().set_compatibility(CompatLevel::HardRequirement).handle_access(all).is_ok();
    (files, files && supports_network)
}

/// Whether a rule can name the file at a path. Pipes and sockets behind `/dev/stdin` and `/dev/fd/63` have no path, and stay
/// accessible without a rule.
#[allow(clippy::disallowed_methods, reason = "a world accesses the machine here")]
fn has_a_path(path: &Path) -> bool {
    std::fs::canonicalize(path).is_ok()
}

/// The path, or the nearest directory above it that exists.
#[allow(clippy::disallowed_methods, reason = "a world accesses the machine here")]
fn existing(path: &Path) -> Option<&Path> {
    path.ancestors().find(|path| std::fs::symlink_metadata(path).is_ok())
}

/// Makes the kernel deny the listed system calls, for this thread and those that it starts.
pub(super) fn deny_processes() -> bool {
    let refuse = SeccompAction::Errno(libc::EPERM.unsigned_abs());
    let Ok(architecture) = std::env::consts::ARCH.try_into() else { return false };
    let rules = REFUSED.iter().map(|call| (*call, Vec::new())).collect();
    let program = SeccompFilter::new(rules, SeccompAction::Allow, refuse, architecture)
        .and_then(seccompiler::BpfProgram::try_from);
    program.is_ok_and(|program| seccompiler::apply_filter(&program).is_ok())
}
