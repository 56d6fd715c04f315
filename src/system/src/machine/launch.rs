//! Launches a program with a different user, group or umask: a process of this program sets them and then executes that
//! program.
//!
//! In: the arguments after [`LAUNCH`]. Out: the program runs in place of this process. The standard library cannot set a umask or
//! the supplementary groups of a user for a child.

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

/// The subcommand of the program that calls [`launch`] with the arguments after it.
pub const LAUNCH: &str = "internal-launch";

/// The exit code of a process that could not become the wanted program.
pub(super) const FAILED: i32 = 126;

/// What a process takes on before it becomes another program.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) struct Identity {
    pub(super) uid: Option<u32>,
    pub(super) gid: Option<u32>,
    pub(super) umask: Option<u32>,
}

impl Identity {
    /// The arguments from which [`launch`] reads it.
    pub(super) fn arguments(self) -> [String; 3] {
        [self.uid, self.gid, self.umask]
            .map(|number| number.map_or_else(|| "-".to_owned(), |number| number.to_string()))
    }
}

/// Takes on the user, group and umask that the first three arguments name and becomes the program that the others name. Returns
/// only if that fails: the exit code. The message is on standard error.
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
    let known = user.and_then(|uid| User::from_uid(uid).ok().flatten());
    let group = identity.gid.map(Gid::from_raw).or(known.as_ref().map(|user| user.gid));
    if let Some(gid) = group {
        setgid(gid).map_err(|error| format!("cannot take on the group {gid}: {}", error.desc()))?;
    }
    if let Some(uid) = user {
        let failed = |error: nix::Error| format!("cannot take on the user {uid}: {}", error.desc());
        if nix::unistd::geteuid().is_root() {
            match known.and_then(|user| Some((CString::new(user.name).ok()?, user.gid))) {
                Some((name, gid)) => initgroups(&name, group.unwrap_or(gid)).map_err(failed)?,
                None => setgroups(&group.into_iter().collect::<Vec<_>>()).map_err(failed)?,
            }
        }
        setuid(uid).map_err(failed)?;
    }
    Ok(())
}
