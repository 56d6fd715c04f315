//! Common names of operating systems, as in `metadata.json`: `Debian 12`, `RHEL 8`, `Windows Server 2019`, `macOS 11`.

use crate::facts::FactSet;
use crate::facts::fact;
use catwalk_value::Value;

/// Alternative spellings and the spellings in fact sets, in lower case, with `-` for a space.
const SPELLINGS: [(&str, &str); 16] = [
    ("red-hat-enterprise-linux", "redhat"),
    ("red-hat", "redhat"),
    ("rhel", "redhat"),
    ("oracle-linux", "oraclelinux"),
    ("alma-linux", "almalinux"),
    ("rocky-linux", "rocky"),
    ("rockylinux", "rocky"),
    ("centos-stream", "centos"),
    ("amazon-linux", "amazon"),
    ("scientific-linux", "scientific"),
    ("suse-linux-enterprise-server", "sles"),
    ("arch-linux", "archlinux"),
    ("windows-server", "windows"),
    ("mac-os-x", "macos"),
    ("macosx", "macos"),
    ("osx", "macos"),
];

/// A name in the spelling of fact sets, without the usual architecture: `debian-12`.
pub(super) fn normalize(name: &str) -> String {
    let name = name.trim().to_lowercase().replace([' ', '_'], "-");
    let name = name.strip_suffix("-x86-64").unwrap_or(&name);
    for (spelling, usual) in SPELLINGS {
        match name.strip_prefix(spelling) {
            Some("") => return usual.to_owned(),
            Some(rest) if rest.starts_with('-') => return format!("{usual}{rest}"),
            _ => {}
        }
    }
    name.to_owned()
}

/// The release in the spelling of fact sets: `Server 2019` of Windows is `2019`, `12 SP1` of SLES is `12`.
fn normalize_release(release: &str) -> &str {
    let release = release.trim();
    let release = release.strip_prefix("Server ").or_else(|| release.strip_prefix("server ")).unwrap_or(release);
    match release.split_once(' ') {
        Some((major, rest)) if !rest.eq_ignore_ascii_case("r2") => major,
        _ => release,
    }
}

fn text<'a>(set: &'a FactSet, name: &str) -> Option<&'a str> {
    fact(&set.facts, name).and_then(Value::as_str)
}

/// Whether a set is of this operating system and of this release, if one is given: the major release, or its beginning.
pub(crate) fn is_of_system(set: &FactSet, name: &str, release: Option<&str>) -> bool {
    let name = normalize(name);
    let set_name = text(set, "os.name").map(normalize);
    let is_mac = name == "macos";
    if set_name.as_deref() != Some(if is_mac { "darwin" } else { &name }) {
        return false;
    }
    let Some(release) = release.map(normalize_release) else { return true };
    let has_prefix = |full: Option<&str>| {
        let rest = full.and_then(|full| full.strip_prefix(release));
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', '-']))
    };
    let is_major = text(set, "os.release.major").is_some_and(|major| major.eq_ignore_ascii_case(release));
    // Darwin's own version number, or that of macOS.
    is_major || has_prefix(text(set, "os.release.full")) || has_prefix(text(set, "os.macosx.version.full"))
}

/// Whether a name such as `Debian 12` selects this set.
pub(super) fn is_named(set: &FactSet, name: &str) -> bool {
    let name = normalize(name);
    if normalize(&set.name) == name {
        return true;
    }
    let digits = name.match_indices('-').map(|(at, _)| at);
    let mut digits = digits.filter(|at| name.as_bytes().get(at + 1).is_some_and(u8::is_ascii_digit));
    digits.next().is_some_and(|at| {
        let (system, release) = name.split_at(at);
        is_of_system(set, system, Some(&release.trim_start_matches('-').replace('-', " ")))
    })
}
