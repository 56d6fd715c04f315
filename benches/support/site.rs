//! A generated site for benchmarks: modules, roles, data on four levels, facts. The same for the same number of nodes.
//!
//! | edit | nodes that change |
//! |---|---|
//! | [`node_data`] of a node | 1 |
//! | [`rack_data`] of a node | the 10 of its rack |
//! | `data/common.yaml` | all, or those of the roles with the module that a key belongs to |
//! | a module's manifest | 12 roles of 40 |
#![allow(dead_code, unreachable_pub, clippy::unwrap_used, reason = "each benchmark uses a part")]

use std::fmt::Write;
use std::path::Path;
use std::path::PathBuf;

/// Modules of the site; a role has [`MODULES_OF_ROLE`] of them.
pub const MODULES: usize = 40;
const MODULES_OF_ROLE: usize = 12;
const ROLES: usize = 40;
const SETTINGS: usize = 9;
const STATIC_FILES: usize = 70;

/// The name of a node.
pub fn certname(node: usize) -> String {
    format!("node{node:04}.example.com")
}

/// The data file of one node.
pub fn node_data(root: &Path, node: usize) -> PathBuf {
    root.join(format!("data/nodes/{}.yaml", certname(node)))
}

/// The data file of the ten nodes of a node's rack.
pub fn rack_data(root: &Path, node: usize) -> PathBuf {
    root.join(format!("data/racks/rack{:03}.yaml", node / 10))
}

/// Writes the site and returns the number of its files. Each node has about 300 resources.
pub fn write(root: &Path, nodes: usize) -> usize {
    let mut files = 0;
    let mut put = |path: String, text: String| {
        let path = root.join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
        files += 1;
    };
    put("catwalk.toml".into(), "modulepath = [\"modules\"]\nmanifest = \"manifests\"\nnodes = \"nodes\"\n".into());
    put("environment.conf".into(), "modulepath = modules\n".into());
    put("hiera.yaml".into(), HIERA.into());
    put("manifests/site.pp".into(), SITE.into());
    for module in 0..MODULES {
        let name = format!("app{module:02}");
        let with = |text: &str| text.replace("APP", &name);
        put(format!("modules/{name}/metadata.json"), with(METADATA));
        put(format!("modules/{name}/manifests/init.pp"), with(INIT));
        put(format!("modules/{name}/manifests/config.pp"), with(CONFIG));
        put(format!("modules/{name}/manifests/service.pp"), with(SERVICE));
        put(format!("modules/{name}/manifests/setting.pp"), with(SETTING));
        put(format!("modules/{name}/templates/main.epp"), with(TEMPLATE));
        for file in 0..STATIC_FILES {
            put(format!("modules/{name}/files/static{file:02}.txt"), format!("{name} static file {file}\n"));
        }
    }
    for role in 0..ROLES {
        let mut text = format!("# What a server of role {role} runs.\nclass role::r{role:02} {{\n");
        for at in 0..MODULES_OF_ROLE {
            writeln!(text, "  include app{:02}", (role + at * 3) % MODULES).unwrap();
        }
        text.push_str("}\n");
        put(format!("modules/role/manifests/r{role:02}.pp"), text);
        put(format!("data/roles/r{role:02}.yaml"), format!("app{role:02}::port: {}\n", 8000 + role));
    }
    put("data/common.yaml".into(), common());
    for rack in 0..nodes.div_ceil(10) {
        let mut text = format!("rack_location: row {}, rack {rack}\nntp_server: 10.0.{}.1\n", rack / 8, rack % 250);
        for module in 0..MODULES {
            writeln!(text, "app{module:02}::rack: rack{rack:03}").unwrap();
        }
        put(format!("data/racks/rack{rack:03}.yaml"), text);
    }
    for node in 0..nodes {
        let certname = certname(node);
        put(format!("data/nodes/{certname}.yaml"), node_yaml(node));
        put(format!("nodes/{certname}.json"), facts(node));
    }
    files
}

/// The data of one node; `owner` reaches one resource of its catalog, `unused` none.
fn node_yaml(node: usize) -> String {
    format!("owner: team{:02}\nunused: note {node}\n", node % 17)
}

fn common() -> String {
    let mut text = String::from("lookup_options:\n  '^app\\d+::extra$':\n    merge: deep\nowner: nobody\n");
    for module in 0..MODULES {
        writeln!(text, "app{module:02}::port: {}", 9000 + module).unwrap();
        writeln!(text, "app{module:02}::workers: {}", 2 + module % 7).unwrap();
        writeln!(text, "app{module:02}::settings:").unwrap();
        for setting in 0..SETTINGS {
            writeln!(text, "  key{setting}: value {setting} of app{module:02} in %{{facts.networking.domain}}")
                .unwrap();
        }
    }
    for unused in 0..200 {
        writeln!(text, "unused::key{unused:03}: [{unused}, {}]", unused * 2).unwrap();
    }
    text
}

fn facts(node: usize) -> String {
    let (certname, role, rack) = (certname(node), node % ROLES, node / 10);
    let (a, b) = (node / 250, node % 250);
    format!(
        r##"{{
  "fqdn": "{certname}", "hostname": "node{node:04}", "role": "r{role:02}", "rack": "rack{rack:03}", "kernel": "Linux",
  "os": {{"name": "Debian", "family": "Debian", "architecture": "amd64", "release": {{"full": "12.5", "major": "12"}}}},
  "networking": {{"fqdn": "{certname}", "hostname": "node{node:04}", "domain": "example.com", "ip": "10.1.{a}.{b}",
    "interfaces": {{"eth0": {{"ip": "10.1.{a}.{b}", "netmask": "255.255.0.0", "mac": "02:00:00:00:{a:02x}:{b:02x}"}}}}}},
  "processors": {{"count": {cpus}, "isa": "x86_64"}}, "memory": {{"system": {{"total_bytes": {memory}}}}},
  "is_virtual": true, "virtual": "kvm", "timezone": "UTC", "uptime_days": {node}
}}
"##,
        cpus = 1 << (node % 5),
        memory = (1_u64 << 30) << (node % 6),
    )
}

const HIERA: &str = "version: 5
defaults:
  datadir: data
  data_hash: yaml_data
hierarchy:
  - name: node
    path: nodes/%{trusted.certname}.yaml
  - name: rack
    path: racks/%{facts.rack}.yaml
  - name: role
    path: roles/%{facts.role}.yaml
  - name: common
    path: common.yaml
";

const SITE: &str = r##"# Every server has a role.
File { owner => 'root', group => 'root', mode => '0644' }

node default {
  $owner = lookup('owner')
  file { '/etc/owner': content => "${owner}\n" }
  include "role::${facts['role']}"
}

node /^spare/ {
  notify { 'not in use': }
}
"##;

const METADATA: &str = r##"{"name": "example-APP", "version": "1.0.0", "author": "example", "summary": "APP", "license": "MIT",
 "source": "https://example.com/APP", "dependencies": []}
"##;

const INIT: &str = r##"# @summary APP
class APP (
  Integer[1, 65535]         $port,
  Integer                   $workers,
  Hash[String, Scalar]      $settings,
  String                    $rack    = 'none',
  Enum['present', 'absent'] $ensure  = present,
  String                    $root    = '/srv/APP',
) {
  package { 'APP': ensure => $ensure }
  contain APP::config
  contain APP::service
  Package['APP'] -> Class['APP::config'] ~> Class['APP::service']
}
"##;

const CONFIG: &str = r##"# Files of APP.
class APP::config {
  $root = $APP::root
  file { [$root, "${root}/conf.d", '/etc/APP', '/var/log/APP']: ensure => directory }
  file { '/etc/APP/APP.conf':
    content => epp('APP/main.epp', { port => $APP::port, workers => $APP::workers, rack => $APP::rack }),
  }
  file { '/etc/APP/static.txt': source => 'puppet:///modules/APP/static00.txt' }
  $APP::settings.each |$key, $value| {
    APP::setting { $key: value => $value, order => length($key) }
  }
}
"##;

const SERVICE: &str = r##"# The service of APP.
class APP::service {
  service { 'APP':
    ensure => running,
    enable => true,
  }
  if $facts['processors']['count'] > 4 {
    exec { 'tune APP':
      command     => "/usr/bin/tune APP --cpus ${facts['processors']['count']}",
      refreshonly => true,
      subscribe   => Service['APP'],
    }
  }
}
"##;

const SETTING: &str = r##"# One setting of APP.
define APP::setting (
  Scalar  $value,
  Integer $order = 10,
) {
  file { "/srv/APP/conf.d/${order}-${title}.conf":
    content => "# APP on ${facts['networking']['hostname']}\n${title} = ${value}\n",
    notify  => Class['APP::service'],
    require => File['/srv/APP/conf.d'],
  }
}
"##;

const TEMPLATE: &str = r##"<%- | Integer $port, Integer $workers, String $rack | -%>
# Managed by Puppet.
port    = <%= $port %>
workers = <%= $workers %>
rack    = <%= $rack %>
host    = <%= $facts['networking']['fqdn'] %>
<% if $workers > 4 { -%>
# More than four workers.
shared  = yes
<% } -%>
"##;
