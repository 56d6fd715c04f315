//! Fact sets that need no file: for each operating system the facts that manifests use most, made from a table.

use std::sync::Arc;

use serde_json::Value as Json;
use serde_json::json;

use crate::facts::FactSet;
use catwalk_value::value::Hash;
use catwalk_value::value::Value;
use catwalk_value::value::json::from_json;

/// Name of the system, family, full release, code name, kernel release.
const SYSTEMS: &[(&str, &str, &str, &str, &str)] = &[
    ("AlmaLinux", "RedHat", "8.10", "Cerulean Leopard", "4.18.0-553.el8_10.x86_64"),
    ("AlmaLinux", "RedHat", "9.6", "Sage Margay", "5.14.0-570.el9_6.x86_64"),
    ("Amazon", "RedHat", "2023", "Amazon Linux", "6.1.112-122.amzn2023.x86_64"),
    ("Archlinux", "Archlinux", "6.12.1", "n/a", "6.12.1-arch1-1"),
    ("CentOS", "RedHat", "7.9.2009", "Core", "3.10.0-1160.el7.x86_64"),
    ("CentOS", "RedHat", "9", "Stream", "5.14.0-570.el9.x86_64"),
    ("Debian", "Debian", "10.13", "buster", "4.19.0-27-amd64"),
    ("Debian", "Debian", "11.11", "bullseye", "5.10.0-32-amd64"),
    ("Debian", "Debian", "12.11", "bookworm", "6.1.0-37-amd64"),
    ("Debian", "Debian", "13.0", "trixie", "6.12.38-amd64"),
    ("Fedora", "RedHat", "41", "Forty One", "6.11.4-301.fc41.x86_64"),
    ("Fedora", "RedHat", "42", "Adams", "6.14.0-63.fc42.x86_64"),
    ("FreeBSD", "FreeBSD", "14.2-RELEASE", "", "14.2-RELEASE"),
    ("OracleLinux", "RedHat", "8.10", "n/a", "5.15.0-300.el8uek.x86_64"),
    ("OracleLinux", "RedHat", "9.6", "n/a", "5.15.0-300.el9uek.x86_64"),
    ("RedHat", "RedHat", "7.9", "Maipo", "3.10.0-1160.el7.x86_64"),
    ("RedHat", "RedHat", "8.10", "Ootpa", "4.18.0-553.el8_10.x86_64"),
    ("RedHat", "RedHat", "9.6", "Plow", "5.14.0-570.el9_6.x86_64"),
    ("Rocky", "RedHat", "8.10", "Green Obsidian", "4.18.0-553.el8_10.x86_64"),
    ("Rocky", "RedHat", "9.6", "Blue Onyx", "5.14.0-570.el9_6.x86_64"),
    ("SLES", "Suse", "12.5", "n/a", "4.12.14-122-default"),
    ("SLES", "Suse", "15.6", "n/a", "6.4.0-150600.21-default"),
    ("Ubuntu", "Debian", "20.04", "focal", "5.4.0-200-generic"),
    ("Ubuntu", "Debian", "22.04", "jammy", "5.15.0-130-generic"),
    ("Ubuntu", "Debian", "24.04", "noble", "6.8.0-51-generic"),
];

/// All of them, named as facterdb names its files: `debian-12-x86_64`.
pub(super) fn all() -> Vec<FactSet> {
    SYSTEMS.iter().map(system).collect()
}

/// The major release: of Ubuntu both numbers.
fn major<'a>(name: &str, full: &'a str) -> &'a str {
    match name {
        "Ubuntu" => full,
        _ => full.split(['.', '-']).next().unwrap_or(full),
    }
}

fn system((name, family, full, codename, kernel): &(&str, &str, &str, &str, &str)) -> FactSet {
    let major = major(name, full);
    let minor = full.get(major.len() + 1..).and_then(|rest| rest.split(['.', '-']).next());
    let kernel_name = if *name == "FreeBSD" { "FreeBSD" } else { "Linux" };
    let (architecture, hardware) = match *family {
        "Debian" => ("amd64", "x86_64"),
        "FreeBSD" => ("amd64", "amd64"),
        _ => ("x86_64", "x86_64"),
    };
    let (group, interface) = if *family == "FreeBSD" { ("wheel", "em0") } else { ("root", "eth0") };
    let service = match *family {
        "FreeBSD" => "freebsd",
        _ => "systemd",
    };
    let mut release = json!({"full": full, "major": major});
    if let Some(minor) = minor {
        release["minor"] = json!(minor);
    }
    let (kernel_major, kernel_version) =
        (kernel.splitn(3, '.').take(2).collect::<Vec<_>>().join("."), kernel.split('-').next().unwrap_or(kernel));
    let system = json!({
        "os": {
            "name": name, "family": family, "architecture": architecture, "hardware": hardware, "release": release,
            "distro": {"id": name, "codename": codename, "release": release, "description": format!("{name} {full}")},
            "selinux": {"enabled": false},
        },
        "kernel": kernel_name, "kernelrelease": kernel, "kernelversion": kernel_version, "kernelmajversion": kernel_major,
    });
    let machine = json!({
        "service_provider": service, "init_system": service, "systemd": service == "systemd",
        "virtual": "kvm", "is_virtual": true, "timezone": "UTC",
        "path": "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
        "identity": {"user": "root", "group": group, "uid": 0, "gid": 0, "privileged": true},
        "processors": {"count": 2, "physicalcount": 1, "isa": hardware, "models": ["Processor", "Processor"]},
        "memory": {"system": {"total": "3.82 GiB", "total_bytes": 4_101_214_208_u64, "available": "3.00 GiB",
            "available_bytes": 3_221_225_472_u64}},
        "disks": {"vda": {"size": "20.00 GiB", "size_bytes": 21_474_836_480_u64}},
        "mountpoints": {"/": {"device": "/dev/vda1", "filesystem": "ext4"}},
        "networking": {
            "hostname": "test", "domain": "example.com", "fqdn": "test.example.com", "primary": interface,
            "ip": "192.0.2.10", "ip6": "2001:db8::10", "mac": "52:54:00:00:00:10", "netmask": "255.255.255.0",
            "network": "192.0.2.0", "mtu": 1500,
            "interfaces": {
                interface: {"ip": "192.0.2.10", "ip6": "2001:db8::10", "mac": "52:54:00:00:00:10",
                    "netmask": "255.255.255.0", "network": "192.0.2.0", "mtu": 1500,
                    "bindings": [{"address": "192.0.2.10", "netmask": "255.255.255.0", "network": "192.0.2.0"}]},
                "lo": {"ip": "127.0.0.1", "netmask": "255.0.0.0", "network": "127.0.0.0", "mtu": 65536},
            },
        },
        "ruby": {"platform": "x86_64-linux", "version": "3.2.8", "sitedir": "/usr/lib/ruby/site_ruby"},
        "puppetversion": "7.34.0", "facterversion": "4.10.0", "aio_agent_version": "7.34.0",
        "uptime_seconds": 3600, "system_uptime": {"seconds": 3600, "hours": 1, "days": 0, "uptime": "1:00 hours"},
    });
    // Legacy facts, from before structured facts.
    let legacy = json!({
        "architecture": architecture, "hardwaremodel": hardware, "hardwareisa": hardware,
        "operatingsystem": name, "osfamily": family, "operatingsystemrelease": full, "operatingsystemmajrelease": major,
        "lsbdistid": name, "lsbdistcodename": codename, "lsbdistrelease": full, "lsbmajdistrelease": major,
        "hostname": "test", "domain": "example.com", "fqdn": "test.example.com", "interfaces": format!("{interface},lo"),
        "ipaddress": "192.0.2.10", "ipaddress6": "2001:db8::10", "macaddress": "52:54:00:00:00:10",
        "netmask": "255.255.255.0", "network": "192.0.2.0", "memorysize": "3.82 GiB", "memorysize_mb": 3911.22,
        "processorcount": 2, "physicalprocessorcount": 1, "rubyversion": "3.2.8", "selinux": false, "id": "root",
    });
    let facts = [system, machine, legacy].into_iter().filter_map(|part| match part {
        Json::Object(members) => Some(members),
        _ => None,
    });
    let facts = Json::Object(facts.flatten().collect());
    let hash = match from_json(&facts) {
        Value::Hash(hash) => hash,
        _ => Arc::new(Hash::new()),
    };
    let set = format!("{}-{major}-x86_64", name.to_lowercase());
    FactSet { name: Arc::from(set), certname: None, facts: hash, trusted: None, origin: Arc::from("built in") }
}
