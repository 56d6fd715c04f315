//! Stores of a site: `compile --store`, `--exported FILE.db`, `catwalk store`.

use serde_json::Value;
use serde_json::json;

use crate::support::Site;

const SITE: &str = r#"
node /^web/ {
  if $facts['broken'] { fail('broken') }
  @@notify { "from ${trusted['certname']}": message => 'm', tag => 'web', loglevel => 'info' }
  @@user { $trusted['certname']: password => Sensitive('hunter2'), home => '/x' }
  notify { 'own': before => User['local'] }
  user { 'local': }
}
node 'mon' {
  Notify <<| tag == 'web' and loglevel == 'info' |>>
  User <<| |>>
}
node 'asking' {
  $rows = puppetdb_query('nodes[certname] { facts { name = "role" and value = "web" } order by certname }')
  notify { $rows.map |$row| { $row['certname'] }.join(' '): }
}
node 'wrong' { puppetdb_query('nodes { nonsense = 1 }') }
"#;

fn site() -> Site {
    let toml = "nodes = \"nodes\"\nmanifest = \"site.pp\"\n";
    Site::new(&[
        ("catwalk.toml", toml),
        ("site.pp", SITE),
        ("nodes/web1.json", r#"{"role": "web"}"#),
        ("nodes/web2.json", r#"{"role": "web"}"#),
        ("nodes/mon.json", r#"{"role": "mon"}"#),
    ])
}

fn titles(site: &Site, args: &[&str], kind: &str) -> Vec<String> {
    let all: Vec<&str> = ["compile"].iter().chain(args).copied().collect();
    let catalog: Value = serde_json::from_str(&site.run(&all).expect(0, "").stdout).unwrap();
    let resources = catalog["resources"].as_array().unwrap().iter().filter(|found| found["type"] == kind);
    resources.map(|found| found["title"].as_str().unwrap().to_owned()).collect()
}

fn query(site: &Site, query: &str) -> Value {
    let run = site.run(&["store", "query", query, "--store", "s.db"]).expect(0, "");
    serde_json::from_str(&run.stdout).unwrap()
}

#[test]
fn collectors_and_queries_use_what_compiles_stored() {
    let site = site();
    ["nodes/asking.json", "nodes/wrong.json"].iter().for_each(|path| site.write(path, "{}"));
    site.run(&["compile", "web1", "web2", "-o", "out/", "--store", "s.db"]).expect(0, "");
    let from_store = ["mon", "--exported", "s.db"];
    assert_eq!(titles(&site, &from_store, "Notify"), ["from web1", "from web2"]);
    assert_eq!(titles(&site, &from_store, "User"), ["web1", "web2"]);
    assert_eq!(titles(&site, &["asking", "--exported", "s.db"], "Notify"), ["web1 web2"]);
    // The result equals that with the catalogs of the site itself.
    let catalog = |exported: &str| -> Value {
        let run = site.run(&["compile", "mon", "--exported", exported]).expect(0, "");
        let catalog: Value = serde_json::from_str(&run.stdout).unwrap();
        catalog["resources"].clone()
    };
    assert_eq!(catalog("s.db"), catalog("site"));
    let rows = query(&site, "edges[relationship, target_title] { certname = 'web1' and source_title = 'own' }");
    assert_eq!(rows, json!([{"relationship": "before", "target_title": "local"}]));
    let trusted = query(&site, "inventory[trusted.certname] { certname = 'web1' }");
    assert_eq!(trusted, json!([{"trusted.certname": "web1"}]));
    let bytes = std::fs::read(site.path().join("s.db")).unwrap();
    assert!(!String::from_utf8_lossy(&bytes).contains("hunter2"));
    let why = "rejected the query: 'nonsense' is not a queryable object for nodes.";
    site.run(&["compile", "wrong", "--exported", "s.db"]).expect(1, why);
}

#[test]
fn a_node_that_fails_keeps_its_exports() {
    let site = site();
    site.run(&["compile", "web1", "web2", "-o", "out/", "--store", "s.db"]).expect(0, "");
    site.write("nodes/web1.json", r#"{"role": "web", "broken": true}"#);
    site.run(&["compile", "web1", "web2", "-o", "out/", "--store", "s.db"]).expect(1, "broken");
    assert_eq!(titles(&site, &["mon", "--exported", "s.db"], "Notify"), ["from web1", "from web2"]);
    site.run(&["store", "remove", "web1", "--store", "s.db"]).expect(0, "");
    assert_eq!(titles(&site, &["mon", "--exported", "s.db"], "Notify"), ["from web2"]);
    site.run(&["store", "remove", "web1", "--store", "s.db"]).expect(2, "has no node web1");
}

#[test]
fn the_site_names_its_store() {
    let site = site();
    let toml = "nodes = \"nodes\"\nmanifest = \"site.pp\"\n[puppetdb]\nstore = \"s.db\"\nexported = \"s.db\"\n";
    site.write("catwalk.toml", toml);
    // The first run creates the store; the second one collects the resources that the first exported.
    site.run(&["compile", "-o", "out/"]).expect(0, "");
    assert!(titles(&site, &["mon"], "Notify") == ["from web1", "from web2"]);
    let listed = site.run(&["store", "list"]).expect(0, "").stdout;
    assert!(listed.contains("web1  ") && listed.contains("2 exported"), "{listed}");
    site.run(&["store", "check"]).expect(0, "");
}

#[test]
fn fixtures_and_catalogs_are_imported() {
    let site = site();
    let fixture = "nodes:\n  web9:\n    facts: {role: web}\n    resources:\n      - {type: Notify, title: n9, exported: true, \
                   tags: [web], parameters: {loglevel: info}}\n";
    site.write("fixture.yaml", fixture);
    site.run(&["store", "import", "fixture.yaml", "--store", "s.db"]).expect(0, "");
    assert_eq!(titles(&site, &["mon", "--exported", "s.db"], "Notify"), ["n9"]);
    for form in ["native", "wire4"] {
        site.run(&["compile", "web1", "web2", "-o", "kept/", "--format", form]).expect(0, "");
        let stored = site.run(&["store", "import", "kept", "--store", &format!("{form}.db")]).expect(0, "").stdout;
        assert!(stored.starts_with("2 nodes stored in "), "{stored}");
        let collected = titles(&site, &["mon", "--exported", &format!("{form}.db")], "Notify");
        // Native catalogs are without exported resources that are not collected.
        let expected: &[&str] = if form == "native" { &[] } else { &["from web1", "from web2"] };
        assert_eq!(collected, expected, "{form}");
    }
    site.write("bad.yaml", "nodes:\n  a: {fcats: {}}\n");
    site.run(&["store", "import", "bad.yaml", "--store", "s.db"])
        .expect(2, "bad.yaml: a: unknown key `fcats` of a node");
}

#[test]
fn a_store_that_cannot_be_used_is_an_error() {
    let site = site();
    site.run(&["compile", "mon", "--exported", "none.db"]).expect(2, "none.db");
    site.write("text.db", "no database\n".repeat(100));
    site.run(&["compile", "mon", "--exported", "text.db"]).expect(2, "text.db: not a usable store file");
    site.run(&["compile", "mon", "--store", "text.db"]).expect(1, "text.db: not a usable store file");
    site.run(&["store", "query", "nodes {", "--store", "s.db"]).expect(2, "s.db");
    site.run(&["store", "list"]).expect(2, "no store is set");
}
