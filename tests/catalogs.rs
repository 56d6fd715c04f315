//! Catalogs in files: formats, conversion, validation, comparison, graphs.

use serde_json::Value as Json;

use crate::support::Site;

const MANIFEST: &str = r"
package { 'ntp': ensure => installed }
-> file { '/etc/ntp.conf': content => 'x', mode => '0644', tag => ['b', 'a'] }
file { 'conf': path => '/etc/conf/', alias => 'other', require => File['/etc/ntp.conf'], notify => Service['ntp'] }
service { 'ntp': ensure => running, subscribe => File['other'] }
class web(Integer $port = 80) { require base  notify { 'web': message => [1, undef, 2.5, Sensitive('confidential')] } }
class base { user { 'u': password => Sensitive('confidential value') } }
include web
@@notify { 'exported': }
";

const FORMATS: [&str; 9] = ["native", "native1", "wire4", "wire5", "wire6", "wire7", "wire8", "wire9", "canonical"];

fn site() -> Site {
    Site::new(&[
        ("catwalk.toml", "nodes = \"nodes\"\n"),
        ("nodes/web1.example.com.json", "{}"),
        ("manifests/site.pp", MANIFEST),
    ])
}

/// Runs a command: its exit code, and a part of its standard output.
fn prints(site: &Site, arguments: &[&str], code: i32, part: &str) -> String {
    let run = site.run(arguments);
    assert!(run.code == Some(code) && run.stdout.contains(part), "{part}: {run:#?}");
    run.stdout
}

fn read(site: &Site, name: &str) -> String {
    std::fs::read_to_string(site.path().join(name)).unwrap()
}

fn json(site: &Site, name: &str) -> Json {
    serde_json::from_str(&read(site, name)).unwrap()
}

/// What varies from run to run, set.
const FIXED: [&str; 8] = [
    "--version-text",
    "17",
    "--transaction-uuid",
    "11111111-2222-4333-8444-555555555555",
    "--producer-timestamp",
    "2026-01-02T03:04:05.678Z",
    "--producer",
    "puppet.example.com",
];

fn compile(site: &Site, format: &str, file: &str, more: &[&str]) {
    let arguments = [&["compile", "web1.example.com", "--format", format, "-o", file], more].concat();
    site.run(&arguments).expect(0, "");
}

#[test]
fn each_format_is_valid_and_detected() {
    let site = site();
    for format in FORMATS {
        compile(&site, format, "catalog.json", &[]);
        prints(&site, &["catalog", "validate", "catalog.json"], 0, &format!("catalog.json: valid {format}"));
    }
    for format in ["wire4", "wire5", "wire6", "wire7", "wire8", "wire9"] {
        compile(&site, format, "catalog.json", &["--spec"]);
        prints(&site, &["catalog", "validate", "--spec", "catalog.json"], 0, &format!("valid {format}"));
        let catalog = json(&site, "catalog.json");
        for resource in catalog["resources"].as_array().unwrap() {
            let names: Vec<&String> = resource.as_object().unwrap().keys().collect();
            assert_eq!(names, ["type", "title", "aliases", "exported", "file", "line", "tags", "parameters"]);
        }
        let web = &catalog["resources"].as_array().unwrap().iter().find(|resource| resource["title"] == "web").unwrap();
        let message = web["parameters"]["message"].as_array().unwrap();
        let message: Vec<&str> = message.iter().map(|item| item.as_str().unwrap()).collect();
        assert!(message[..2] == ["1", "2.5"] && message[2].starts_with("<Sensitive "), "{message:?}");
    }
}

#[test]
fn versions_of_the_wire_format_have_the_documented_members() {
    let site = site();
    for (format, names) in [
        ("wire4", "name version environment transaction-uuid edges resources"),
        ("wire5", "name version environment transaction-uuid producer-timestamp edges resources"),
        ("wire6", "version resources edges certname transaction_uuid environment producer_timestamp"),
        ("wire7", "version code_id resources edges certname transaction_uuid environment producer_timestamp"),
        (
            "wire8",
            "version code_id catalog_uuid resources edges certname transaction_uuid environment producer_timestamp",
        ),
        (
            "wire9",
            "version code_id catalog_uuid resources edges job_id certname transaction_uuid environment producer_timestamp producer",
        ),
    ] {
        compile(&site, format, "catalog.json", &FIXED);
        let catalog = json(&site, "catalog.json");
        let found: Vec<&str> = catalog.as_object().unwrap().keys().map(String::as_str).collect();
        assert_eq!(found.join(" "), names, "{format}");
        assert_eq!(catalog["version"], "17");
        assert!(!read(&site, "catalog.json").contains("confidential"), "{format}");
    }
    let catalog = json(&site, "catalog.json");
    assert_eq!(catalog["producer_timestamp"], "2026-01-02T03:04:05.678Z");
    assert_eq!((&catalog["producer"], &catalog["job_id"]), (&"puppet.example.com".into(), &Json::Null));
}

#[test]
fn conversion_yields_what_the_compile_writes() {
    let site = site();
    compile(&site, "native", "native.json", &[]);
    compile(&site, "wire9", "wire9.json", &FIXED);
    let native = json(&site, "native.json");
    for format in ["wire4", "wire5", "wire6", "wire7", "wire8", "wire9"] {
        compile(&site, format, "expected.json", &FIXED);
        let expected = json(&site, "expected.json");
        let arguments = ["catalog", "convert", "wire9.json", "--format", format, "-o", "converted.json"];
        site.run(&[&arguments[..], &FIXED].concat()).expect(0, "");
        let mut converted = json(&site, "converted.json");
        // Each compile has its own UUID.
        if converted.get("catalog_uuid").is_some() {
            converted["catalog_uuid"] = expected["catalog_uuid"].clone();
        }
        assert_eq!(converted, expected, "{format}");
        // A native catalog is without exported resources that are not collected.
        let mut expected = expected;
        for (list, members) in [("resources", vec!["title"]), ("edges", vec!["source", "target"])] {
            let is_exported = |item: &Json| members.iter().any(|name| item[*name].to_string().contains("\"exported\""));
            expected[list].as_array_mut().unwrap().retain(|item| !is_exported(item));
        }
        let arguments = ["catalog", "convert", "native.json", "--format", format, "-o", "converted.json"];
        site.run(&[&arguments[..], &FIXED].concat()).expect(0, "");
        let converted = json(&site, "converted.json");
        assert_eq!(converted["resources"], expected["resources"], "{format} from native");
        assert_eq!(converted["edges"], expected["edges"], "{format} from native");
    }
    site.run(&["catalog", "convert", "wire9.json", "--format", "native", "-o", "back.json"]).expect(0, "");
    let back = json(&site, "back.json");
    assert_eq!(back["edges"], native["edges"]);
    assert_eq!(back["classes"], serde_json::json!(["settings", "web", "base"]));
    prints(&site, &["catalog", "validate", "back.json"], 0, "valid native");
}

/// A title with a secret makes a tag with its token, which PuppetDB refuses: what a canonical catalog is converted to does not have it.
#[test]
fn a_canonical_catalog_with_a_secret_in_a_title_is_read_back() {
    let code = "notify { 'of-confidential': }\nnotify { 'confidential': message => Sensitive('confidential') }\n";
    let site = Site::new(&[("nodes/web1.json", "{}"), ("site.pp", code)]);
    site.run(&["compile", "web1", "--format", "canonical", "-o", "c.json"]).expect(0, "");
    assert!(read(&site, "c.json").contains("\"of-<Sensitive"), "{}", read(&site, "c.json"));
    for format in FORMATS {
        site.run(&["catalog", "convert", "c.json", "--format", format, "-o", "to.json"]).expect(0, "");
        if format != "canonical" {
            prints(&site, &["catalog", "validate", "to.json"], 0, "valid");
        }
        if format.starts_with("wire") {
            prints(&site, &["catalog", "diff", "c.json", "to.json"], 0, "");
        }
    }
}

#[test]
fn catalogs_of_different_formats_are_compared_by_meaning() {
    let site = site();
    for format in FORMATS {
        compile(&site, format, &format!("{format}.json"), &[]);
    }
    // Digests in canonical catalogs cannot be compared with secrets that other formats redact or show.
    for format in FORMATS.into_iter().filter(|format| *format != "canonical") {
        for files in [["wire9.json", &format!("{format}.json")], [&format!("{format}.json"), "wire4.json"]] {
            let run = site.run(&[&["catalog", "diff"][..], &files].concat());
            // Native catalogs are without exported resources that are not collected.
            let differences: Vec<&str> = run.stdout.lines().collect();
            match format.starts_with("native") {
                true => assert!(matches!(*differences, [one, ..] if one.contains("Notify[exported]")), "{run:#?}"),
                false => assert!(differences.is_empty() && run.code == Some(0), "{run:#?}"),
            }
        }
    }
    site.write(
        "manifests/site.pp",
        MANIFEST.replace("'0644'", "'0600'").replace("'confidential value'", "'other value'"),
    );
    compile(&site, "native", "changed.json", &[]);
    let changed = "mode: \"0644\" => \"0600\"";
    let printed = prints(&site, &["catalog", "diff", "native.json", "changed.json"], 1, changed);
    assert!(printed.contains("~ User[u]") && !printed.contains("value"), "{printed}");
    prints(&site, &["catalog", "diff", "wire9.json", "changed.json"], 1, changed);
}

#[test]
fn the_reason_of_an_order_has_its_position() {
    let site = site();
    let why = |first: &str, second: &str, lines: &[&str]| {
        let printed = prints(&site, &["catalog", "why", first, second, "--node", "web1.example.com"], 0, "");
        assert_eq!(printed.lines().collect::<Vec<_>>(), lines);
    };
    why(
        "Package[ntp]",
        "File[/etc/ntp.conf]",
        &["Package[ntp] before File[/etc/ntp.conf]: an arrow (manifests/site.pp:3)"],
    );
    why(
        "Service[ntp]",
        "Package[ntp]",
        &[
            "Package[ntp] before File[/etc/ntp.conf]: an arrow (manifests/site.pp:3)",
            "File[/etc/ntp.conf] before File[conf]: 'require' of File[conf] (manifests/site.pp:4)",
            "File[conf] before Service[ntp]: 'notify' of File[conf] (manifests/site.pp:4)",
        ],
    );
    why(
        "User[u]",
        "Notify[web]",
        &[
            "User[u] before Class[Base]: Class[Base] contains User[u] (manifests/site.pp:7)",
            "Class[Base] before Class[Web]: the function require (manifests/site.pp:6)",
            "Class[Web] before Notify[web]: Class[Web] contains Notify[web] (manifests/site.pp:6)",
        ],
    );
    let none = "no order between Package[ntp] and User[u]";
    prints(&site, &["catalog", "why", "Package[ntp]", "User[u]"], 1, none);
    site.run(&["catalog", "why", "Package[nto]", "User[u]"]).expect(2, "did you mean Package[ntp]?");
}

#[test]
fn a_graph_is_one_file_without_secrets() {
    let site = site();
    site.run(&["catalog", "graph", "web1.example.com", "-o", "graph.html"]).expect(0, "");
    let page = read(&site, "graph.html");
    assert!(page.contains("File[/etc/ntp.conf]") && page.contains("an arrow"), "{page}");
    assert!(!page.contains("src=") && !page.contains("href=\"http") && !page.contains("confidential"), "{page}");
    site.write("hostile.pp", "notify { '</script><script>alert(1)</script>': }");
    let page = prints(&site, &["catalog", "graph", "--manifest", "hostile.pp"], 0, "");
    assert_eq!(page.matches("</script>").count(), 1, "{page}");
    prints(&site, &["catalog", "graph", "--format", "dot"], 0, "label=\"require\"");
    prints(&site, &["compile", "web1.example.com", "--format", "dot"], 0, "tooltip=\"an arrow (");
}

#[test]
fn damaged_catalogs_are_clear_errors() {
    let site = site();
    compile(&site, "native", "native.json", &[]);
    let catalog = read(&site, "native.json");
    let nested = format!("{}{}", "[".repeat(100_000), "]".repeat(100_000));
    for (contents, message) in [
        (&catalog.as_bytes()[..catalog.len() / 2], "it is not JSON: EOF while parsing"),
        (b"[]", "/: a catalog is an object"),
        (b"{}", "unknown format"),
        (b"{\"name\": \"\xff\"}", "it is not JSON: invalid unicode"),
        (nested.as_bytes(), "it is not JSON: recursion limit exceeded"),
    ] {
        std::fs::write(site.path().join("bad.json"), contents).unwrap();
        let arguments = ["catalog", "validate", "bad.json", "--as", "native"];
        let detected = &arguments[..if message.contains("format") { 3 } else { 5 }];
        let printed = prints(&site, detected, 1, message);
        assert!(printed.starts_with("bad.json: "), "{printed}");
        site.run(&["catalog", "convert", "bad.json", "--format", "wire9"]).expect(2, "bad.json: ");
    }
    prints(&site, &["catalog", "validate", "missing.json"], 1, "cannot read missing.json");
    let dangling = catalog.replacen("\"target\": \"Class[Settings]\"", "\"target\": \"Class[Nowhere]\"", 1);
    site.write("dangling.json", &dangling);
    let violation = "/edges/0/target: Class[Nowhere] is not a resource of the catalog";
    prints(&site, &["catalog", "validate", "dangling.json"], 1, violation);
}
