//! Facts of this machine, as far as they can be read without running programs.

#![allow(
    clippy::disallowed_methods,
    reason = "facts are what a compile starts from: they are given to it, not asked for by it"
)]

use std::sync::Arc;

use catwalk_value::value::Hash;
use catwalk_value::value::Value;

/// This machine's host name with its domain, lower case; `localhost` where it is not known.
pub(in crate::cli::commands) fn host_name() -> String {
    let name = read("/proc/sys/kernel/hostname").unwrap_or_else(|| "localhost".to_owned());
    let name = if name.is_empty() { "localhost".to_owned() } else { name };
    match domain().filter(|domain| !name.contains('.') && !domain.is_empty()) {
        Some(domain) => format!("{name}.{domain}").to_lowercase(),
        None => name.to_lowercase(),
    }
}

fn domain() -> Option<String> {
    let text = read("/etc/resolv.conf")?;
    let word = |line: &str| {
        let mut words = line.split_whitespace();
        matches!(words.next(), Some("domain" | "search")).then(|| words.next().map(str::to_owned)).flatten()
    };
    text.lines().find_map(word)
}

fn read(path: &str) -> Option<String> {
    std::fs::read_to_string(path).ok().map(|text| text.trim().to_owned())
}

/// The facts: kernel, os, networking names, identity, path, memory, processors.
pub(in crate::cli::commands) fn facts() -> Hash {
    let name = host_name();
    let (host, domain) = name.split_once('.').unwrap_or((&name, ""));
    let mut facts = Hash::new();
    let release = read("/proc/sys/kernel/osrelease").unwrap_or_default();
    let version = release.split('-').next().unwrap_or_default().to_owned();
    facts.set("kernel", Value::str("Linux"));
    facts.set("kernelrelease", Value::str(&release));
    facts.set("kernelversion", Value::str(&version));
    facts.set("kernelmajversion", Value::str(version.splitn(3, '.').take(2).collect::<Vec<_>>().join(".")));
    facts.set("os", os());
    let mut networking = Hash::new();
    networking.set("hostname", Value::str(host));
    if !domain.is_empty() {
        networking.set("domain", Value::str(domain));
    }
    networking.set("fqdn", Value::str(&name));
    facts.set("networking", Value::hash(networking));
    facts.set("path", Value::str(std::env::var("PATH").unwrap_or_default()));
    facts.set("timezone", Value::str(std::env::var("TZ").unwrap_or_else(|_| "UTC".to_owned())));
    let mut processors = Hash::new();
    let count = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    processors.set("count", Value::Int(i64::try_from(count).unwrap_or(1)));
    facts.set("processors", Value::hash(processors));
    add_legacy(&mut facts);
    facts
}

/// Legacy facts, which older modules use: `osfamily`, `fqdn` …
fn add_legacy(facts: &mut Hash) {
    for (legacy, fact, path) in [
        ("osfamily", "os", &["family"][..]),
        ("operatingsystem", "os", &["name"]),
        ("operatingsystemrelease", "os", &["release", "full"]),
        ("operatingsystemmajrelease", "os", &["release", "major"]),
        ("architecture", "os", &["architecture"]),
        ("hardwaremodel", "os", &["hardware"]),
        ("lsbdistid", "os", &["distro", "id"]),
        ("lsbdistcodename", "os", &["distro", "codename"]),
        ("hostname", "networking", &["hostname"]),
        ("domain", "networking", &["domain"]),
        ("fqdn", "networking", &["fqdn"]),
        ("processorcount", "processors", &["count"]),
    ] {
        let mut value = facts.get(fact).cloned();
        for key in path {
            value = match value {
                Some(Value::Hash(entries)) => entries.get(key).cloned(),
                _ => None,
            };
        }
        if let Some(value) = value {
            facts.set(legacy, value);
        }
    }
}

fn os() -> Value {
    let text = read("/etc/os-release").or_else(|| read("/usr/lib/os-release")).unwrap_or_default();
    let field = |name: &str| {
        let found = text.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix('='));
        found.map(|value| value.trim_matches('"').to_owned()).unwrap_or_default()
    };
    let id = field("ID");
    let like = format!("{id} {}", field("ID_LIKE"));
    let name = match id.as_str() {
        "debian" => "Debian",
        "ubuntu" => "Ubuntu",
        "rhel" => "RedHat",
        "centos" => "CentOS",
        "fedora" => "Fedora",
        "rocky" => "Rocky",
        "almalinux" => "AlmaLinux",
        "sles" => "SLES",
        "arch" => "Archlinux",
        "alpine" => "Alpine",
        _ => "Linux",
    };
    let has = |word: &str| like.split_whitespace().any(|known| known == word);
    let family = match () {
        () if has("debian") || has("ubuntu") => "Debian",
        () if has("rhel") || has("fedora") || has("centos") => "RedHat",
        () if has("suse") || has("sles") => "Suse",
        () => name,
    };
    let full = match id.as_str() {
        "debian" => read("/etc/debian_version").filter(|version| version.contains('.')),
        _ => None,
    };
    let full = full.unwrap_or_else(|| field("VERSION_ID"));
    let mut release = Hash::new();
    release.set("full", Value::str(&full));
    let major = if id == "ubuntu" { full.as_str() } else { full.split('.').next().unwrap_or_default() };
    release.set("major", Value::str(major));
    if let Some(minor) = full.split('.').nth(1).filter(|_| id != "ubuntu") {
        release.set("minor", Value::str(minor));
    }
    let mut os = Hash::new();
    os.set("name", Value::str(name));
    os.set("family", Value::str(family));
    os.set("architecture", Value::str(architecture(family)));
    os.set("hardware", Value::str(std::env::consts::ARCH));
    os.set("release", Value::Hash(Arc::new(release.clone())));
    let mut distro = Hash::new();
    distro.set("id", Value::str(name));
    distro.set("codename", Value::str(field("VERSION_CODENAME")));
    distro.set("release", Value::hash(release));
    os.set("distro", Value::hash(distro));
    Value::hash(os)
}

fn architecture(family: &str) -> &'static str {
    match std::env::consts::ARCH {
        "x86_64" if family == "Debian" => "amd64",
        "aarch64" if family == "Debian" => "arm64",
        other => other,
    }
}
