//! Exported resources of other nodes: `--exported site`, `--exported DIR`.

use serde_json::Value;
use serde_json::json;

use crate::support::Site;

const SITE: &str = r#"
define service_check(String $address, Array $tags_ = [], $secret = undef) {
  @@notify { "chained ${title}": message => "from ${trusted['certname']}" }
  notify { "check ${title}": message => $address }
}
node /^web/ {
  @@service_check { $trusted['certname']: address => "http://${trusted['certname']}", tag => 'web', secret => Sensitive('x') }
  @@file { "/tmp/${trusted['certname']}": content => 'a', mode => '0644', tag => ['Web', $trusted['certname']] }
}
node 'mon' {
  Notify { loglevel => 'info' }
  Service_check <<| |>> { tags_ => ['collected'] }
  File <<| tag == 'Web' and mode == '0644' and title != '/tmp/web2' |>>
}
node 'second' {
  Notify <<| |>>
}
node default { }
"#;

fn site(code: &str) -> Site {
    let toml = "nodes = \"nodes\"\nmanifest = \"site.pp\"\n[puppetdb]\nexported = \"site\"\n";
    let mut files = vec![("catwalk.toml", toml), ("site.pp", code)];
    files
        .extend(["nodes/web1.json", "nodes/web2.json", "nodes/mon.json", "nodes/second.json"].map(|path| (path, "{}")));
    Site::new(&files)
}

fn catalog(site: &Site, args: &[&str]) -> Value {
    let mut all = vec!["compile"];
    all.extend(args);
    serde_json::from_str(&site.run(&all).expect(0, "").stdout).unwrap()
}

fn titles(catalog: &Value, kind: &str) -> Vec<String> {
    let resources = catalog["resources"].as_array().unwrap().iter();
    resources.filter(|found| found["type"] == kind).map(|found| found["title"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn a_node_collects_what_the_others_export() {
    let site = site(SITE);
    let mon = catalog(&site, &["mon"]);
    assert_eq!(titles(&mon, "Service_check"), ["web1", "web2"]);
    assert_eq!(titles(&mon, "File"), ["/tmp/web1"]);
    let resources = mon["resources"].as_array().unwrap();
    let check = resources.iter().find(|found| found["type"] == "Service_check").unwrap();
    // Sensitive parameters never reach PuppetDB; place and tags of the exporter are not those of the collector.
    let parameters = json!({"address": "http://web1", "tag": "web", "tags_": ["collected"]});
    assert_eq!(check["parameters"], parameters);
    assert_eq!((&check["exported"], &check["file"]), (&json!(false), &Value::Null));
    let inner = resources.iter().find(|found| found["title"] == "check web1").unwrap();
    assert_eq!(inner["parameters"], json!({"message": "http://web1", "loglevel": "info", "tag": "web"}));
    let edges = mon["edges"].as_array().unwrap();
    assert!(edges.contains(&json!({"source": "Node[mon]", "target": "Service_check[web1]"})), "{edges:?}");
}

/// Whole catalogs, recorded by `tests/reference/record-exported`.
#[test]
fn catalogs_are_those_of_puppet() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/exported");
    let root = folder.join("site");
    for node in ["mon", "second", "web1", "web2"] {
        let output = std::process::Command::new(env!("CARGO_BIN_EXE_catwalk"))
            .args(["compile", node, "--site"])
            .arg(&root)
            .output()
            .unwrap();
        let text = String::from_utf8_lossy(&output.stdout).replace(&*root.to_string_lossy(), "{{SITE}}");
        let mut got: Value = serde_json::from_str(&text).unwrap();
        got["version"] = Value::Null;
        got["catalog_uuid"] = Value::Null;
        let expected = std::fs::read_to_string(folder.join(format!("expected/{node}.json"))).unwrap();
        let expected: Value = serde_json::from_str(&expected).unwrap();
        assert_eq!(got, expected, "{node}");
    }
}

#[test]
fn exports_of_collected_resources_are_collected_too() {
    let second = catalog(&site(SITE), &["second"]);
    assert_eq!(titles(&second, "Notify"), ["chained web1", "chained web2"]);
    let message = &second["resources"].as_array().unwrap().last().unwrap()["parameters"]["message"];
    assert_eq!(message, "from mon");
}

#[test]
fn two_nodes_that_export_the_same_are_an_error() {
    let site = site("node 'mon' { Notify <<| |>> }\nnode default { @@notify { 'same': } }\n");
    let text =
        "A duplicate resource was found while collecting exported resources, with the type and title Notify[same]";
    site.run(&["compile", "mon"]).expect(1, text);
    site.write(
        "site.pp",
        "node 'mon' { notify { 'n1': } Notify <<| |>> }\nnode 'web1' { @@notify { 'n1': } }\nnode default { }\n",
    );
    site.run(&["compile", "mon"]).expect(1, "with the type and title Notify[n1]");
}

#[test]
fn commands_on_one_node_collect_from_all_others() {
    let site = site(SITE);
    let count = "Resource['notify', 'check web1']['message']";
    let message = site.run(&["eval", "--node", "mon", "--compiled", "-e", count]).expect(0, "").stdout;
    assert_eq!(message, "'http://web1'\n");
    let data = [
        ("hiera.yaml", "version: 5\nhierarchy:\n  - name: a\n    path: a.yaml\n"),
        ("data/a.yaml", "used: 1\n"),
        (
            "site.pp",
            "node 'web1' { @@notify { 'x': } }\nnode 'mon' { Notify <<| |>> { message => lookup('used') } }\nnode default { }\n",
        ),
    ];
    data.iter().for_each(|(path, text)| site.write(path, text));
    site.run(&["data", "unused"]).expect(0, "");
}

#[test]
fn catalogs_in_a_directory_are_exports_too() {
    let site = site(SITE);
    site.run(&["compile", "-o", "catalogs/", "--format", "wire4"]).expect(0, "");
    let from_wire = catalog(&site, &["mon", "--exported", "catalogs"]);
    site.run(&["compile", "-o", "native/"]).expect(0, "");
    site.run(&["compile", "mon", "--exported", "native"]).expect(2, "without exported resources");
    let of_site = catalog(&site, &["mon"]);
    assert_eq!(from_wire["resources"], of_site["resources"]);
    site.run(&["compile", "mon", "--exported", "nowhere"]).expect(2, "nowhere");
    site.write("native/web1.json", "[]");
    site.run(&["compile", "mon", "--exported", "native"]).expect(2, "web1.json: no catalog: it has no resources");
}

#[test]
fn without_the_option_only_own_exports_are_collected() {
    let site = site("@@notify { $trusted['certname']: }\nNotify <<| |>>\n");
    site.write("catwalk.toml", "nodes = \"nodes\"\nmanifest = \"site.pp\"\n[settings]\nstoreconfigs = true\n");
    let run = site.run(&["compile", "mon"]).expect(0, "exported resources of other nodes are not known");
    assert_eq!(titles(&serde_json::from_str(&run.stdout).unwrap(), "Notify"), ["mon"]);
}
