//! Fact sets that need no file: for each operating system of `systems.tsv` the facts that manifests use most.

use catwalk_base::version::Version;
use catwalk_node::facts::Agent;
use std::sync::Arc;

use serde_json::Map;
use serde_json::Value as Json;
use serde_json::json;

use crate::facts::FactSet;
use catwalk_value::Hash;
use catwalk_value::Value;
use catwalk_value::json::from_json;

const SYSTEMS: &str = include_str!("systems.tsv");

/// A row of the table.
struct System<'a> {
    name: &'a str,
    family: &'a str,
    release: &'a str,
    /// Empty where the system has none.
    codename: &'a str,
    kernel_release: &'a str,
    service_provider: &'a str,
    /// Further facts below `os`.
    other_os_facts: Json,
}

/// All built-in sets, named as facterdb names its files: `debian-12-x86_64`.
pub(super) fn all(agent: Agent) -> Vec<FactSet> {
    let rows = SYSTEMS.lines().filter(|line| !line.starts_with('#'));
    rows.filter_map(System::read).map(|system| system.fact_set(agent)).collect()
}

/// The versions of an agent's parts.
fn versions(version: Version) -> Json {
    // The oldest release that the agent's gem accepts.
    let facter = match version.major {
        7 => "4.10.0",
        8 => "5.0.0",
        _ => "6.0.0",
    };
    json!({"puppetversion": version.release, "facterversion": facter, "aio_agent_version": version.release})
}

fn members(value: Json) -> Map<String, Json> {
    match value {
        Json::Object(members) => members,
        _ => Map::new(),
    }
}

impl<'a> System<'a> {
    fn read(row: &'a str) -> Option<System<'a>> {
        let mut columns = row.split('\t');
        let mut next = || columns.next();
        Some(System {
            name: next()?,
            family: next()?,
            release: next()?,
            codename: next().map(|name| if name == "-" { "" } else { name })?,
            kernel_release: next()?,
            service_provider: next()?,
            other_os_facts: serde_json::from_str(next()?).ok()?,
        })
    }

    fn is_windows(&self) -> bool {
        self.family == "windows"
    }

    fn is_bsd(&self) -> bool {
        self.name.ends_with("BSD")
    }

    fn kernel(&self) -> &'a str {
        match self.family {
            "Darwin" | "FreeBSD" | "OpenBSD" | "windows" => self.family,
            _ => "Linux",
        }
    }

    /// The major release; for Ubuntu and Windows it is the whole release.
    fn major(&self) -> &'a str {
        match self.name {
            "Ubuntu" | "windows" => self.release,
            _ => self.release.split(['.', '-']).next().unwrap_or(self.release),
        }
    }

    fn minor(&self) -> Option<&'a str> {
        self.release.get(self.major().len() + 1..)?.split(['.', '-']).next()
    }

    /// `os.architecture` and `os.hardware`.
    fn architecture(&self) -> (&'static str, &'static str) {
        match self.family {
            "Debian" => ("amd64", "x86_64"),
            _ if self.is_bsd() => ("amd64", "amd64"),
            "windows" => ("x64", "x86_64"),
            _ => ("x86_64", "x86_64"),
        }
    }

    fn interface(&self) -> &'static str {
        match self.kernel() {
            "Darwin" => "en0",
            "windows" => "Ethernet",
            "Linux" => "eth0",
            _ => "em0",
        }
    }

    fn path(&self) -> &'static str {
        match self.is_windows() {
            true => {
                "C:\\Program Files\\Puppet Labs\\Puppet\\bin;C:\\Windows\\system32;C:\\Windows;\
                 C:\\Windows\\System32\\Wbem;C:\\Windows\\System32\\WindowsPowerShell\\v1.0\\"
            }
            false => "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
        }
    }

    fn fact_set(&self, agent: Agent) -> FactSet {
        let parts = [self.operating_system(), self.machine(), versions(agent.version), self.networking()];
        let legacy = agent.legacy_facts.then(|| self.legacy());
        let facts = Json::Object(parts.into_iter().chain(legacy).flat_map(members).collect());
        let facts = match from_json(&facts) {
            Value::Hash(hash) => hash,
            _ => Arc::new(Hash::new()),
        };
        let name = format!("{}-{}-x86_64", self.name, self.major()).to_lowercase().replace(' ', "-");
        FactSet { name: Arc::from(name), certname: None, facts, trusted: None, origin: Arc::from("built in") }
    }

    fn operating_system(&self) -> Json {
        let (architecture, hardware) = self.architecture();
        let mut release = json!({"full": self.release, "major": self.major()});
        if let Some(minor) = self.minor() {
            release["minor"] = json!(minor);
        }
        let mut os = json!({
            "name": self.name, "family": self.family, "architecture": architecture, "hardware": hardware,
            "release": release,
        });
        if self.kernel() == "Linux" {
            let description = format!("{} {}", self.name, self.release);
            os["distro"] =
                json!({"id": self.name, "codename": self.codename, "release": release, "description": description});
            os["selinux"] = json!({"enabled": false});
        }
        for (name, value) in members(self.other_os_facts.clone()) {
            os[name] = value;
        }
        let kernel_version = self.kernel_release.split('-').next().unwrap_or(self.kernel_release);
        let numbers = if self.is_bsd() { 1 } else { 2 };
        let major = kernel_version.split('.').take(numbers).collect::<Vec<_>>().join(".");
        json!({
            "os": os, "kernel": self.kernel(), "kernelrelease": self.kernel_release, "kernelversion": kernel_version,
            "kernelmajversion": major,
        })
    }

    fn machine(&self) -> Json {
        let (_, hardware) = self.architecture();
        let group = if self.kernel() == "Linux" { "root" } else { "wheel" };
        let mut machine = json!({
            "service_provider": self.service_provider, "virtual": "kvm", "is_virtual": true, "timezone": "UTC",
            "path": self.path(),
            "identity": {"user": "root", "group": group, "uid": 0, "gid": 0, "privileged": true},
            "processors": {"count": 2, "physicalcount": 1, "isa": hardware, "models": ["Processor", "Processor"]},
            "memory": {"system": {"total": "3.82 GiB", "total_bytes": 4_101_214_208_u64, "available": "3.00 GiB",
                "available_bytes": 3_221_225_472_u64}},
            "disks": {"vda": {"size": "20.00 GiB", "size_bytes": 21_474_836_480_u64}},
            "mountpoints": {"/": {"device": "/dev/vda1", "filesystem": "ext4"}},
            "ruby": {"platform": "x86_64-linux", "version": "3.2.8", "sitedir": "/usr/lib/ruby/site_ruby"},
            "uptime_seconds": 3600,
            "system_uptime": {"seconds": 3600, "hours": 1, "days": 0, "uptime": "1:00 hours"},
        });
        if self.is_windows() {
            machine["identity"] = json!({"user": "TEST\\Administrator", "privileged": true});
            machine["ruby"]["platform"] = json!("x64-mingw32");
            machine["env_windows_installdir"] = json!("C:\\Program Files\\Puppet Labs\\Puppet");
            machine["system32"] = json!("C:\\Windows\\system32");
            if let Some(machine) = machine.as_object_mut() {
                machine.shift_remove("disks");
                machine.shift_remove("mountpoints");
            }
        }
        if self.kernel() == "Linux" {
            machine["init_system"] = json!(self.service_provider);
            machine["systemd"] = json!(self.service_provider == "systemd");
        }
        machine
    }

    fn networking(&self) -> Json {
        let interface = self.interface();
        json!({"networking": {
            "hostname": "test", "domain": "example.com", "fqdn": "test.example.com", "primary": interface,
            "ip": "192.0.2.10", "ip6": "2001:db8::10", "mac": "52:54:00:00:00:10", "netmask": "255.255.255.0",
            "network": "192.0.2.0", "mtu": 1500,
            "interfaces": {
                interface: {"ip": "192.0.2.10", "ip6": "2001:db8::10", "mac": "52:54:00:00:00:10",
                    "netmask": "255.255.255.0", "network": "192.0.2.0", "mtu": 1500,
                    "bindings": [{"address": "192.0.2.10", "netmask": "255.255.255.0", "network": "192.0.2.0"}]},
                "lo": {"ip": "127.0.0.1", "netmask": "255.0.0.0", "network": "127.0.0.0", "mtu": 65536},
            },
        }})
    }

    /// Legacy facts, from before structured facts.
    fn legacy(&self) -> Json {
        let (architecture, hardware) = self.architecture();
        let user = if self.is_windows() { "TEST\\Administrator" } else { "root" };
        let mut facts = json!({
            "architecture": architecture, "hardwaremodel": hardware, "hardwareisa": hardware,
            "operatingsystem": self.name, "osfamily": self.family, "operatingsystemrelease": self.release,
            "operatingsystemmajrelease": self.major(),
            "hostname": "test", "domain": "example.com", "fqdn": "test.example.com",
            "interfaces": format!("{},lo", self.interface()),
            "ipaddress": "192.0.2.10", "ipaddress6": "2001:db8::10", "macaddress": "52:54:00:00:00:10",
            "netmask": "255.255.255.0", "network": "192.0.2.0", "memorysize": "3.82 GiB", "memorysize_mb": 3911.22,
            "processorcount": 2, "physicalprocessorcount": 1, "rubyversion": "3.2.8", "id": user,
        });
        if self.kernel() == "Linux" {
            facts["lsbdistid"] = json!(self.name);
            facts["lsbdistcodename"] = json!(self.codename);
            facts["lsbdistrelease"] = json!(self.release);
            facts["lsbmajdistrelease"] = json!(self.major());
            facts["selinux"] = json!(false);
        }
        facts
    }
}
