//! Facts of this machine that can be read without running programs.

#![allow(
    clippy::disallowed_methods,
    reason = "facts are what a compile starts from: they are given to it, not asked for by it"
)]

use catwalk_node::facts::Agent;
use std::sync::Arc;

use catwalk_value::Hash;
use catwalk_value::Value;

/// This machine's host name with its domain in lower case; `localhost` if it is unknown.
#[must_use]
pub fn host_name() -> String {
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

/// The facts as this agent sends them: kernel, os, networking names, identity, path, memory, processors.
#[must_use]
pub fn facts(agent: Agent) -> Hash {
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
    if let Some(ip) = address() {
        networking.set("ip", Value::str(ip));
    }
    facts.set("networking", Value::hash(networking));
    if let Some(memory) = memory() {
        facts.set("memory", memory);
    }
    facts.set("is_virtual", Value::Bool(is_virtual()));
    facts.set("path", Value::str(std::env::var("PATH").unwrap_or_default()));
    facts.set("timezone", Value::str(std::env::var("TZ").unwrap_or_else(|_| "UTC".to_owned())));
    let mut processors = Hash::new();
    let count = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    processors.set("count", Value::Int(i64::try_from(count).unwrap_or(1)));
    facts.set("processors", Value::hash(processors));
    if agent.legacy_facts {
        add_legacy_facts(&mut facts);
    }
    facts
}

/// The source address of packets to other networks. Connecting a UDP socket sends nothing.
fn address() -> Option<String> {
    let socket = std::net::UdpSocket::bind("0.0.0.0:0").ok()?;
    // An address of a documentation network (RFC 5737), reached by the default route.
    socket.connect("192.0.2.1:9").ok()?;
    let address = socket.local_addr().ok()?.ip();
    (!address.is_unspecified()).then(|| address.to_string())
}

/// `memory.system` and `memory.swap`, in bytes.
fn memory() -> Option<Value> {
    let text = read("/proc/meminfo")?;
    let bytes = |name: &str| {
        let line = text.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(':'))?;
        line.split_whitespace().next()?.parse::<i64>().ok()?.checked_mul(1024)
    };
    let part = |total: Option<i64>, available: Option<i64>| {
        let (total, available) = (total?, available?);
        let mut part = Hash::new();
        part.set("total_bytes", Value::Int(total));
        part.set("available_bytes", Value::Int(available));
        part.set("used_bytes", Value::Int(total.saturating_sub(available)));
        (total > 0).then(|| Value::hash(part))
    };
    let mut memory = Hash::new();
    memory.set("system", part(bytes("MemTotal"), bytes("MemAvailable"))?);
    if let Some(swap) = part(bytes("SwapTotal"), bytes("SwapFree")) {
        memory.set("swap", swap);
    }
    Some(Value::hash(memory))
}

/// Whether the processor reports a hypervisor.
fn is_virtual() -> bool {
    let flags = read("/proc/cpuinfo").unwrap_or_default();
    flags
        .lines()
        .filter(|line| line.starts_with("flags"))
        .any(|line| line.split_whitespace().any(|flag| flag == "hypervisor"))
}

/// Adds the facts of Facter 2 that modules still use, derived from the structured facts.
fn add_legacy_facts(facts: &mut Hash) {
    let find = |path: &[&str]| {
        let mut value = facts.get(path.first()?)?;
        for part in path.get(1..)? {
            let Value::Hash(hash) = value else { return None };
            value = hash.get(part)?;
        }
        Some(value.clone())
    };
    let legacy: [(&str, &[&str]); 12] = [
        ("architecture", &["os", "architecture"]),
        ("domain", &["networking", "domain"]),
        ("fqdn", &["networking", "fqdn"]),
        ("hardwaremodel", &["os", "hardware"]),
        ("hostname", &["networking", "hostname"]),
        ("ipaddress", &["networking", "ip"]),
        ("lsbdistcodename", &["os", "distro", "codename"]),
        ("operatingsystem", &["os", "name"]),
        ("operatingsystemmajrelease", &["os", "release", "major"]),
        ("operatingsystemrelease", &["os", "release", "full"]),
        ("osfamily", &["os", "family"]),
        ("processorcount", &["processors", "count"]),
    ];
    let found: Vec<(&str, Value)> = legacy.iter().filter_map(|(name, path)| Some((*name, find(path)?))).collect();
    for (name, value) in found {
        facts.set(name, value);
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
