//! Starts a program with a different user, group or umask: a process of Catwalk sets them and then executes the program.
//!
//! In: the arguments after [`LAUNCH`]. Out: the program replaces this process. The standard library cannot set the umask or
//! the supplementary groups of a child process.

use std::ffi::CString;
use std::ffi::OsString;
use std::os::unix::process::CommandExt;

use nix::sys::stat::Mode;
use nix::sys::stat::umask;
use nix::unistd::Gid;
use nix::unistd::Uid;
use nix::unistd::User;
use nix::unistd::initgroups;
use nix::unistd::setgid;
use nix::unistd::setgroups;
use nix::unistd::setuid;

/// The name of the subcommand that calls [`launch`] with its arguments.
pub const LAUNCH: &str = "internal-launch";

/// The exit code if the program cannot be executed.
pub(super) const FAILED: i32 = 126;

/// User, group and umask of a process; `None`: unchanged.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) struct Identity {
    pub(super) uid: Option<u32>,
    pub(super) gid: Option<u32>,
    pub(super) umask: Option<u32>,
}

impl Identity {
    /// The first arguments of [`launch`].
    pub(super) fn arguments(self) -> [String; 3] {
        [self.uid, self.gid, self.umask]
            .map(|number| number.map_or_else(|| "-".to_owned(), |number| number.to_string()))
    }
}

/// Sets the user, group and umask of the first three arguments and executes the program of the other arguments. Returns only if
/// that fails: prints the message to standard error and returns the exit code.
#[must_use]
pub fn launch(arguments: &[OsString]) -> u8 {
    let message = match arguments {
        [uid, gid, mask, program, rest @ ..] => {
            let number = |text: &OsString| text.to_str().and_then(|text| text.parse().ok());
            let identity = Identity { uid: number(uid), gid: number(gid), umask: number(mask) };
            match become_identity(identity) {
                Ok(()) => {
                    #[allow(clippy::disallowed_methods, reason = "this is the machine")]
                    let error = std::process::Command::new(program).args(rest).exec();
                    format!("{}: {}", program.display(), super::reason(&error))
                }
                Err(message) => message,
            }
        }
        _ => "too few arguments".to_owned(),
    };
    eprintln!("{message}");
    u8::try_from(FAILED).unwrap_or(u8::MAX)
}

fn become_identity(identity: Identity) -> Result<(), String> {
    if let Some(mask) = identity.umask {
        let bits = nix::libc::mode_t::try_from(mask & 0o777).unwrap_or(0);
        umask(Mode::from_bits_truncate(bits));
    }
    let user = identity.uid.map(Uid::from_raw);
    let account = user.and_then(|uid| User::from_uid(uid).ok().flatten());
    let group = identity.gid.map(Gid::from_raw).or(account.as_ref().map(|user| user.gid));
    if let Some(gid) = group {
        setgid(gid).map_err(|error| format!("cannot take on the group {gid}: {}", error.desc()))?;
    }
    if let Some(uid) = user {
        let failed = |error: nix::Error| format!("cannot take on the user {uid}: {}", error.desc());
        if nix::unistd::geteuid().is_root() {
            match account.and_then(|user| Some((CString::new(user.name).ok()?, user.gid))) {
                Some((name, gid)) => initgroups(&name, group.unwrap_or(gid)).map_err(failed)?,
                None => setgroups(&group.into_iter().collect::<Vec<_>>()).map_err(failed)?,
            }
        }
        setuid(uid).map_err(failed)?;
    }
    Ok(())
}
