//! Machines with and without an installation of Puppet, whole or in part: sites compile to the same catalogs, and the types of the modules
//! that Puppet's packages contain exist everywhere.

use std::os::unix::fs::symlink;
use std::path::Path;

use serde_json::Value;
use tempfile::TempDir;

use crate::support::Run;
use crate::support::Site;

/// A machine: directories (`a/`), files (`a`) and links (`a -> b`) below its `/`, and the directory of configurations that Puppet has there.
const MACHINES: [(&[&str], &str); 13] = [
    (&[], "/etc/puppet"),
    // The packages of Puppet and OpenVox, whole and in parts.
    (
        &["etc/puppetlabs/code/environments/", "opt/puppetlabs/puppet/lib/", "opt/puppetlabs/puppet/modules/"],
        "/etc/puppetlabs/puppet",
    ),
    (&["opt/puppetlabs/puppet/lib/"], "/etc/puppetlabs/puppet"),
    (&["etc/puppetlabs/code/"], "/etc/puppetlabs/puppet"),
    (&["etc/puppetlabs/"], "/etc/puppet"),
    (&["etc/puppetlabs"], "/etc/puppet"),
    (&["etc/puppetlabs -> nowhere"], "/etc/puppet"),
    (&["etc/puppetlabs -> puppetlabs"], "/etc/puppet"),
    (&["opt/puppetlabs/puppet/public/last_run_summary.yaml"], "/etc/puppet"),
    // Debian's packages, whole, in parts, and beside remains of Puppet's.
    (&["etc/puppet/code/", "usr/share/puppet/modules/", "usr/share/puppet/vendor_modules/"], "/etc/puppet"),
    (&["usr/share/puppet/modules"], "/etc/puppet"),
    (&["etc/puppetlabs/code/", "usr/share/puppet/modules/"], "/etc/puppet"),
    (&["etc/puppetlabs/code/", "opt/puppetlabs/puppet/lib/", "usr/share/puppet/modules/"], "/etc/puppetlabs/puppet"),
];

fn machine(entries: &[&str]) -> TempDir {
    let root = TempDir::new().unwrap();
    for entry in entries {
        let (entry, target) = entry.split_once(" -> ").map_or((*entry, None), |(link, target)| (link, Some(target)));
        let path = root.path().join(entry);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        match target {
            Some(target) => symlink(target, path).unwrap(),
            None if entry.ends_with('/') => std::fs::create_dir_all(path).unwrap(),
            None => std::fs::write(path, "").unwrap(),
        }
    }
    root
}

fn run(site: &Site, root: &Path, args: &[&str]) -> Run {
    let output = site.command(args).env("CATWALK_INSTALLATION", root).output().unwrap();
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    Run { code: output.status.code(), stdout: text(&output.stdout), stderr: text(&output.stderr) }
}

/// A resource of each type of the modules that Puppet's packages contain.
const CORE_MODULES: &str = "
augeas { 'a': context => '/files/etc/hosts', changes => 'set 1/ipaddr 127.0.0.1', lens => 'Hosts.lns', incl => '/etc/hosts' }
cron { 'a': command => '/bin/true', minute => '*/5', hour => 1, user => 'root', environment => 'A=1', target => 'root' }
host { 'a.example.com': ip => '10.0.0.1', host_aliases => ['a'], comment => 'c', target => '/etc/hosts' }
mount { '/mnt': ensure => mounted, device => '/dev/sda1', fstype => 'ext4', options => 'ro', pass => 0, dump => 0, atboot => true }
scheduled_task { 'a': command => 'C:/a.exe', arguments => 'b', enabled => true, trigger => { 'schedule' => 'daily' } }
selboolean { 'a': value => on, persistent => true }
selmodule { 'a': ensure => present, syncversion => true, selmoduledir => '/a' }
ssh_authorized_key { 'a@b': user => 'root', type => 'ssh-ed25519', key => 'AAAA', options => ['no-pty'] }
sshkey { 'a.example.com@ssh-rsa': key => 'AAAA', host_aliases => ['b'], target => '/etc/ssh/known_hosts' }
yumrepo { 'a': baseurl => 'https://example.com', gpgcheck => 1, enabled => 1, descr => 'a', gpgkey => 'https://example.com/key' }
zfs { 'pool/a': ensure => present, mountpoint => '/a', quota => '1G' }
zpool { 'pool': disk => 'c0d0s0', ashift => '12' }
zone { 'a': ensure => running, path => '/a', ip => 'e1000g0' }
Host['a.example.com'] -> Cron['a']
@@host { 'b.example.com': ip => '10.0.0.2' }
";

/// A site in which nothing depends on the machine.
fn site() -> Site {
    Site::new(&[
        ("nodes/web1.example.com.json", "{}"),
        ("site.pp", &format!("include m\n{CORE_MODULES}")),
        ("modules/m/manifests/init.pp", "class m($x = 'd') { notify { $x: } }\n"),
        ("modules/m/hiera.yaml", "version: 5\ndefaults: {datadir: data, data_hash: yaml_data}\n"),
        ("modules/m/data/common.yaml", "m::x: one\n"),
    ])
}

#[test]
fn no_installation_changes_a_catalog() {
    let site = site();
    let mut first: Option<Value> = None;
    for (entries, _) in MACHINES {
        let root = machine(entries);
        for args in [&[][..], &["--untrusted"]] {
            let args = [&["compile", "web1.example.com", "--format", "canonical"], args].concat();
            let compiled = run(&site, root.path(), &args).expect(0, "");
            let catalog: Value = serde_json::from_str(&compiled.stdout).unwrap();
            let first = first.get_or_insert_with(|| catalog.clone());
            assert_eq!(&catalog, first, "{entries:?} {args:?}");
        }
        for command in [&["check"][..], &["data", "unused"], &["show", "web1.example.com"]] {
            run(&site, root.path(), command).expect(0, "");
        }
    }
    let catalog = first.unwrap();
    let resources = catalog["resources"].as_array().unwrap();
    let sshkey = resources.iter().find(|resource| resource["type"] == "Sshkey").unwrap();
    assert_eq!(sshkey["title"], "a.example.com@ssh-rsa");
    assert_eq!(resources.iter().filter(|resource| resource["exported"] == true).count(), 1);
}

#[test]
fn the_directories_of_puppet_are_those_of_the_installation() {
    let site = Site::new(&[("catwalk.toml", "")]);
    for (entries, confdir) in MACHINES {
        let root = machine(entries);
        let value = run(&site, root.path(), &["eval", "-e", "$settings::confdir"]).expect(0, "").stdout;
        assert_eq!(value, format!("'{confdir}'\n"), "{entries:?}");
    }
}

#[test]
fn modules_of_the_installation_are_used() {
    let site = Site::new(&[("catwalk.toml", ""), ("environment.conf", ""), ("manifests/site.pp", "")]);
    let class = "class extra { notify { 'extra': } }";
    for (entries, modules) in [
        (&["opt/puppetlabs/puppet/lib/"][..], "opt/puppetlabs/puppet/modules"),
        (&["opt/puppetlabs/puppet/lib/"], "etc/puppetlabs/code/modules"),
        (&["usr/share/puppet/"], "usr/share/puppet/modules"),
        (&[], "etc/puppet/code/modules"),
    ] {
        let root = machine(entries);
        let file = |path: &str, text: &str| {
            let path = root.path().join(modules).join(path);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        };
        file("extra/manifests/init.pp", class);
        // An installed module defines its types itself.
        let host = "Puppet::Type.newtype(:host) do\n  newparam(:name)\n  newparam(:mine)\nend\n";
        file("host_core/lib/puppet/type/host.rb", host);
        let compile = |code: &str| run(&site, root.path(), &["compile", "n", "-e", code]);
        compile("include extra\nhost { 'a': mine => 1 }").expect(0, "");
        compile("host { 'a': ip => '10.0.0.1' }").expect(1, "no parameter named 'ip'");
        let untrusted = ["compile", "n", "--untrusted", "-e", "include extra"];
        run(&site, root.path(), &untrusted).expect(1, "Could not find class ::extra");
    }
}

#[test]
fn unknown_types_and_parameters_are_compared_with_those_of_core_modules() {
    let site = Site::new(&[("catwalk.toml", "")]);
    let compile = |code: &str| site.run(&["compile", "n", "-e", code]);
    compile("yumrepos { 'a': }").expect(1, "did you mean 'yumrepo'?");
    compile("yumrepo { 'a': baseurls => 1 }").expect(1, "did you mean 'baseurl'?");
    compile("nagios_host { 'a': }").expect(1, "Unknown resource type: 'nagios_host'");
}
