//! Which requests for certificates are signed without an operator.
//!
//! In: a request. Out: whether to sign it, and why not. Rules of files and commands: `autosign-csr?`, `whitelist-matches?` and
//! `execute-autosign-command!` in puppetserver's `certificate_authority.clj`. Must not: check the content of a request.

use std::fmt;
use std::path::Path;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use crate::request::RequestSummary;
use catwalk_world::Command;
use catwalk_world::Disk;
use catwalk_world::Kind;
use catwalk_world::Runs;
use catwalk_world::World;
use catwalk_world::excerpt;

/// How long a command may decide about a request.
const COMMAND_TIME: Duration = Duration::from_secs(30);
/// How many bytes a command may print.
const COMMAND_OUTPUT: usize = 1 << 20;

/// Decides about requests in a way that this crate does not know, such as a script.
pub trait AutosignPolicy: Send + Sync {
    /// Whether to sign a request.
    fn decide(&self, request: &RequestSummary) -> Decision;
}

/// Whether a request is signed without an operator.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Decision {
    pub is_signed: bool,
    /// Why not, or what an operator should know about the policy: a sentence.
    pub note: Option<String>,
}

impl Decision {
    /// Signs the request.
    pub const SIGN: Decision = Decision { is_signed: true, note: None };
    /// Leaves the request to an operator.
    pub const WAIT: Decision = Decision { is_signed: false, note: None };

    /// Leaves the request to an operator for a reason.
    #[must_use]
    pub fn wait(reason: impl Into<String>) -> Decision {
        Decision { is_signed: false, note: Some(reason.into()) }
    }
}

/// The requests for certificates to sign immediately.
#[derive(Clone)]
pub enum Autosign {
    /// Every request.
    All,
    /// Requests whose certname matches a pattern: a name, or `*.` followed by a domain.
    Names(Vec<String>),
    /// No request.
    None,
    /// Puppet's setting `autosign`: a file of patterns, or a command if the file is executable. It is read again for each request.
    Path(PathBuf),
    /// A policy of the caller's.
    Policy(Arc<dyn AutosignPolicy>),
}

impl fmt::Debug for Autosign {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Autosign::All => f.write_str("All"),
            Autosign::Names(names) => f.debug_tuple("Names").field(names).finish(),
            Autosign::None => f.write_str("None"),
            Autosign::Path(path) => f.debug_tuple("Path").field(path).finish(),
            Autosign::Policy(_) => f.write_str("Policy"),
        }
    }
}

impl Autosign {
    /// Whether no request is ever signed.
    pub(crate) fn is_none(&self) -> bool {
        matches!(self, Autosign::None)
    }

    /// Whether requests of a name are signed, whatever they contain.
    pub(crate) fn decide_by_name(&self, request: &RequestSummary) -> bool {
        match self {
            Autosign::All | Autosign::Names(_) => self.decide(request).is_signed,
            Autosign::None | Autosign::Path(_) | Autosign::Policy(_) => false,
        }
    }

    /// Whether a request is signed immediately.
    pub(crate) fn decide(&self, request: &RequestSummary) -> Decision {
        let decision = |is_signed: bool| if is_signed { Decision::SIGN } else { Decision::WAIT };
        match self {
            Autosign::All => Decision::SIGN,
            Autosign::None => Decision::WAIT,
            Autosign::Names(patterns) => decision(patterns.iter().any(|pattern| matches(pattern, &request.certname))),
            Autosign::Path(path) => match Disk::new().kind(path) {
                Kind::File if is_executable(path) => command(path, request),
                Kind::File => file(path, &request.certname),
                Kind::Directory | Kind::Missing => Decision::WAIT,
            },
            Autosign::Policy(policy) => policy.decide(request),
        }
    }
}

/// Whether a pattern matches a name: it is `*`, a name, or `*.` followed by a domain, in which the name must be.
#[must_use]
pub fn matches(pattern: &str, name: &str) -> bool {
    match pattern.strip_prefix('*') {
        Some("") => true,
        Some(end) => end.starts_with('.') && name.len() > end.len() && name.ends_with(end),
        None => pattern == name,
    }
}

/// Whether a line of `autosign.conf` matches a name, as puppetserver decides it: the domain itself matches `*.` followed by it, too.
fn line_matches(pattern: &str, name: &str) -> bool {
    let Some(end) = pattern.strip_prefix('*') else { return pattern == name };
    let labels = |text: &str| text.rsplit('.').map(str::to_lowercase).collect::<Vec<_>>();
    // The label with the star matches any labels, also none.
    let suffix = end.split_once('.').map_or(Vec::new(), |(_, domain)| labels(domain));
    labels(name).starts_with(&suffix)
}

/// Decides by a file with a pattern in each line.
fn file(path: &Path, certname: &str) -> Decision {
    let text = match catwalk_world::read_file(path) {
        Ok(bytes) => String::from_utf8_lossy(&bytes).into_owned(),
        Err(why) => return Decision::wait(why.to_string()),
    };
    let lines = text.lines().filter(|line| !line.starts_with('#') && !line.trim().is_empty());
    let (invalid, valid): (Vec<&str>, Vec<&str>) = lines.partition(|line| line.contains(['#', ' ']));
    let is_signed = valid.iter().any(|pattern| line_matches(pattern, certname));
    let note = invalid.first().map(|line| format!("Invalid pattern '{line}' found in {}", path.display()));
    Decision { is_signed, note }
}

/// Decides by the exit status of a command with the certname as its argument and the request on its standard input.
fn command(path: &Path, request: &RequestSummary) -> Decision {
    let (path, certname) = (path.display(), &request.certname);
    let command = Command {
        argv: vec![path.to_string(), certname.clone()],
        stdin: Some(request.pem.clone()),
        limit: COMMAND_TIME,
        output: COMMAND_OUTPUT,
        runs: Runs::Incidental,
    };
    let output = match Disk::new().run(&command) {
        Ok(output) => output,
        Err(why) => return Decision::wait(format!("Autosign command '{path}' failed: {why}")),
    };
    let errors = String::from_utf8_lossy(&output.stderr);
    let printed = match errors.trim() {
        "" => String::new(),
        errors => format!("; it printed: {}", excerpt(errors)),
    };
    match output.status {
        Some(0) if printed.is_empty() => Decision::SIGN,
        Some(0) => Decision {
            is_signed: true,
            note: Some(format!("Autosign command '{path}' accepted '{certname}'{printed}")),
        },
        Some(code) => Decision::wait(format!(
            "Autosign command '{path}' rejected certificate '{certname}' because the exit code was {code}, not zero{printed}"
        )),
        None => {
            Decision::wait(format!("Autosign command '{path}' was killed while it decided about '{certname}'{printed}"))
        }
    }
}

#[cfg(unix)]
fn is_executable(path: &Path) -> bool {
    rustix::fs::access(path, rustix::fs::Access::EXEC_OK).is_ok()
}

#[cfg(not(unix))]
fn is_executable(path: &Path) -> bool {
    path.extension().is_some_and(|extension| ["exe", "bat", "cmd"].iter().any(|known| extension == *known))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::disallowed_methods, reason = "tests")]

    use super::*;

    /// The cases: pattern, name, whether it matches. They follow `glob-matches?` and `line-matches?`, whose documentation has the first
    /// ones.
    #[test]
    fn patterns_match_as_in_puppetserver() {
        let cases = [
            ("*.foo.bar", "agent.foo.bar", true),
            ("*.foo.bar", "foo.bar", true),
            ("*.baz", "baz", true),
            ("*.QUX", "0.1.qux", true),
            ("*", "a.b", true),
            ("*.foo.bar", "agent.bar", false),
            ("*.foo.bar", "agentfoo.bar", false),
            ("a.foo.bar", "a.foo.bar", true),
            ("a.foo.bar", "b.foo.bar", false),
            ("A.foo.bar", "a.foo.bar", false),
        ];
        for (pattern, name, expected) in cases {
            assert_eq!(line_matches(pattern, name), expected, "{pattern} {name}");
        }
    }

    #[cfg(unix)]
    #[test]
    fn files_and_commands_decide() {
        use std::os::unix::fs::PermissionsExt;
        let directory = tempfile::TempDir::new().unwrap();
        let path = directory.path().join("autosign.conf");
        let request = |name: &str| RequestSummary {
            certname: name.to_owned(),
            pem: "PEM".to_owned(),
            ..RequestSummary::default()
        };
        let decide = |name: &str| Autosign::Path(path.clone()).decide(&request(name));
        assert_eq!(decide("a"), Decision::WAIT, "there is no such file");
        std::fs::write(&path, "# a comment\n\n*.example.com\nb c\nlone\n").unwrap();
        assert!(decide("a.example.com").is_signed && decide("lone").is_signed);
        assert_eq!(decide("other"), Decision::wait(format!("Invalid pattern 'b c' found in {}", path.display())));
        std::fs::write(
            &path,
            "#!/bin/sh\n[ \"$(cat)\" = PEM ] || exit 2\n[ \"$1\" = good ] || { echo no >&2; exit 3; }\n",
        )
        .unwrap();
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
        assert_eq!(decide("good"), Decision::SIGN);
        let note = decide("bad").note.unwrap();
        assert!(
            note.ends_with("rejected certificate 'bad' because the exit code was 3, not zero; it printed: no"),
            "{note}"
        );
    }
}
