//! `catwalk show`: pages of a catalog and of a resource, with the origin of each parameter.

use crate::support::Site;

fn site() -> Site {
    Site::new(&[
        ("nodes/web1.json", "{}"),
        (
            "hiera.yaml",
            "version: 5\nhierarchy:\n  - name: Nodes\n    path: \"nodes/%{trusted.certname}.yaml\"\n  - name: Common\n    path: common.yaml\n",
        ),
        ("data/common.yaml", "---\nrole::mode: '0600'\nrole::motd: hello\n"),
        ("data/nodes/web1.yaml", "role::motd: 'hello web1'\n"),
        (
            "site.pp",
            "File { owner => 'root' }\ninclude role\nclass late inherits role {\n  File['/etc/motd'] { group => 'wheel' }\n}\ninclude late\nFile <| title == '/etc/motd' |> { backup => false }\n",
        ),
        (
            "modules/role/manifests/init.pp",
            "class role(\n  String $motd,\n  String $mode,\n  Integer $size = 3,\n) {\n  package { 'ntp': ensure => installed }\n  file { '/etc/motd':\n    content => $motd,\n    mode    => $mode,\n    require => Package['ntp'],\n  }\n  service { 'ntp': subscribe => File['/etc/motd'] }\n}\n",
        ),
    ])
}

#[test]
fn a_resource_shows_where_each_parameter_comes_from_and_what_is_around_it() {
    let site = site();
    let run = site.run(&["show", "web1", "File[/etc/motd]"]).expect(0, "");
    let lines: Vec<&str> = run.stdout.lines().map(str::trim_end).collect();
    assert_eq!(lines[0], "File[/etc/motd]  (modules/role/manifests/init.pp:7)", "{run:#?}");
    for (parameter, origin) in [
        ("content => 'hello web1'", "# modules/role/manifests/init.pp:8"),
        ("mode    => '0600'", "# modules/role/manifests/init.pp:9"),
        ("group   => 'wheel'", "# override, site.pp:4"),
        ("backup  => false", "# collector, site.pp:7"),
        ("owner   => 'root'", "# resource default, site.pp:1"),
    ] {
        let is_shown = |line: &&&str| line.trim_start().starts_with(parameter) && line.ends_with(origin);
        assert!(lines.iter().find(is_shown).is_some(), "{parameter} {origin}: {}", run.stdout);
    }
    for around in ["Containment", "Class[Role]", "Comes after", "Package[ntp]", "Comes before", "Service[ntp]"] {
        assert!(run.stdout.contains(around), "{around}: {}", run.stdout);
    }
}

#[test]
fn parameters_of_a_class_name_the_level_of_the_data_or_the_default() {
    let run = site().run(&["show", "web1", "Class[Role]"]).expect(0, "");
    for (parameter, origin) in [
        ("motd => 'hello web1'", "# data/nodes/web1.yaml:1 (Hiera, Hierarchy entry \"Nodes\")"),
        ("mode => '0600'", "# data/common.yaml:2 (Hiera, Hierarchy entry \"Common\")"),
        ("size => 3", "# default, modules/role/manifests/init.pp:4"),
    ] {
        let is_shown = |line: &str| line.trim_start().starts_with(parameter) && line.ends_with(origin);
        assert!(run.stdout.lines().any(is_shown), "{parameter} {origin}: {}", run.stdout);
    }
}

#[test]
fn a_catalog_is_shown_as_a_tree() {
    let run = site().run(&["show", "web1"]).expect(0, "");
    assert!(run.stdout.starts_with("web1: 8 resources, environment production\n"), "{run:#?}");
    assert!(run.stdout.contains("File[/etc/motd]  (modules/role/manifests/init.pp:7)"), "{run:#?}");
    let indent = |text: &str| {
        let line = run.stdout.lines().find(|line| line.contains(text)).unwrap_or_else(|| panic!("{text}: {run:#?}"));
        line.len() - line.trim_start().len()
    };
    assert!(indent("File[/etc/motd]") > indent("Class[Role]"), "{run:#?}");
}

#[test]
fn a_missing_node_or_resource_is_an_error_with_a_hint() {
    let site = site();
    let run = site.run(&["show", "web1", "File[/etc/mtod]"]).expect(1, "web1 has no resource 'File[/etc/mtod]'");
    assert!(run.stderr.contains("did you mean 'File[/etc/motd]'? `catwalk show web1` lists all"), "{run:#?}");
    site.run(&["show", "wbe1"]).expect(1, "did you mean 'web1'?");
}
