//! `catwalk facts import`: facts of real nodes in all their forms become files of the folder of nodes.

use serde_json::Value;
use serde_json::json;

use crate::support::Site;
use crate::support::puppetdb::FakePuppetDb;
use crate::support::puppetdb::Reply;

const TOML: &str = "manifest = \"site.pp\"\nnodes = \"nodes\"\n";

fn site() -> Site {
    Site::new(&[("catwalk.toml", TOML), ("site.pp", "notify { \"${facts['kernel']}\": }\n")])
}

fn node(site: &Site, name: &str) -> Value {
    let path = site.path().join(format!("nodes/{name}.json"));
    serde_json::from_slice(&std::fs::read(&path).unwrap_or_else(|error| panic!("{name}: {error}"))).unwrap()
}

fn factset(certname: &str, facts: &[(&str, Value)]) -> Value {
    let data: Vec<Value> = facts.iter().map(|(name, value)| json!({"name": name, "value": value})).collect();
    json!({
        "timestamp": "2026-01-01T00:00:00.000Z", "producer": "p", "producer_timestamp": "2026-01-01T00:00:00.000Z",
        "certname": certname, "environment": "production", "hash": "0123",
        "facts": {"href": format!("/pdb/query/v4/factsets/{certname}/facts"), "data": data},
    })
}

/// The name of a file, its contents, further arguments, and the nodes with their fact `kernel`.
type Form = (&'static str, String, &'static [&'static str], &'static [&'static str]);

fn forms() -> Vec<Form> {
    let linux = json!("Linux");
    vec![
        (
            "factsets.json",
            json!([factset("web1.example.com", &[("kernel", linux.clone())]), factset("DB1", &[("kernel", linux.clone())])]).to_string(),
            &[],
            &["db1", "web1.example.com"],
        ),
        ("inventory.json", json!([{"certname": "i1", "facts": {"kernel": "Linux"}, "trusted": {}}]).to_string(), &[], &["i1"]),
        ("facts.json", json!([{"certname": "f1", "name": "kernel", "value": "Linux"}]).to_string(), &[], &["f1"]),
        // `puppet facts`, old and new
        ("old.json", json!({"name": "o1.example.com", "values": {"kernel": "Linux"}}).to_string(), &[], &["o1.example.com"]),
        ("new.json", json!({"kernel": "Linux", "clientcert": "n1"}).to_string(), &[], &["n1"]),
        // `facter -j`, `facter -y`
        ("facter.json", json!({"kernel": "Linux", "networking": {"fqdn": "j1.example.com"}}).to_string(), &[], &["j1.example.com"]),
        ("facter.yaml", "---\nkernel: Linux\nnetworking:\n  fqdn: y1.example.com\n".to_owned(), &[], &["y1.example.com"]),
        ("h1.example.com.yaml", "kernel: Linux\n".to_owned(), &[], &["h1.example.com"]),
        ("any.yaml", "kernel: Linux\n".to_owned(), &["--certname", "c1"], &["c1"]),
        // the cache that `puppet facts upload` leaves on a server
        (
            "u1.yaml",
            "--- !ruby/object:Puppet::Node::Facts\nname: u1.example.com\nvalues:\n  kernel: Linux\n  clientcert: u1.example.com\n\
             timestamp: '2026-01-01T00:00:00.000000000+00:00'\nexpiration: '2026-01-01T00:30:00.000000000+00:00'\n"
                .to_owned(),
            &[],
            &["u1.example.com"],
        ),
    ]
}

#[test]
fn each_form_of_facts_becomes_a_file_of_its_node() {
    for (file, text, more, nodes) in forms() {
        let site = site();
        site.write(&format!("in/{file}"), &text);
        let path = format!("in/{file}");
        let args: Vec<&str> = ["facts", "import", &path].into_iter().chain(more.iter().copied()).collect();
        let run = site.run(&args).expect(0, "");
        let expected: String = nodes.iter().map(|name| format!("nodes/{name}.json  new\n")).collect();
        assert!(run.stdout.starts_with(&expected), "{file}: {run:#?}");
        nodes.iter().for_each(|name| assert_eq!(node(&site, name)["kernel"], "Linux", "{file}"));
        // They are nodes of the site at once; a second import changes nothing.
        let compiled = site.run(&["compile", "-o", "out/"]).expect(0, "");
        assert!(compiled.stdout.contains(&format!("{0} of {0} catalogs", nodes.len())), "{compiled:#?}");
        let again = site.run(&args).expect(0, "");
        assert!(again.stdout.contains(&format!("0 files written, {} unchanged", nodes.len())), "{again:#?}");
    }
}

#[test]
fn other_facts_of_a_node_are_kept_without_force() {
    let site = site();
    site.write("nodes/a.json", "{\"kernel\": \"BSD\"}");
    site.write("nodes/b.yaml", "kernel: Linux\n");
    site.write("nodes/README", "mine");
    site.write(
        "in.json",
        json!([
            {"certname": "a", "name": "kernel", "value": "Linux"},
            {"certname": "b", "name": "kernel", "value": "Linux"},
            {"certname": "c", "name": "kernel", "value": "Linux"},
        ])
        .to_string(),
    );
    let run = site.run(&["facts", "import", "in.json"]).expect(1, "--force");
    assert!(run.stdout.contains("nodes/a.json  different"), "{run:#?}");
    assert_eq!(node(&site, "a")["kernel"], "BSD");
    assert_eq!(node(&site, "c")["kernel"], "Linux");
    assert!(!site.path().join("nodes/b.json").exists(), "a node has one file");
    let run = site.run(&["facts", "import", "in.json", "--force"]).expect(0, "");
    assert!(run.stdout.contains("nodes/a.json  replaced"), "{run:#?}");
    assert_eq!(node(&site, "a")["kernel"], "Linux");
    assert_eq!(std::fs::read_to_string(site.path().join("nodes/README")).unwrap(), "mine");
}

/// What is refused, before anything is written.
#[test]
fn names_that_are_no_certnames_and_broken_documents_write_nothing() {
    let names = ["../../x", "/etc/x", "a/b", "..", ".hidden", "", "a\\b", "a\nb", "a b", "\u{1b}[2J", "-rf", "ä"];
    let mut inputs: Vec<(String, String)> = names
        .iter()
        .map(|name| {
            (
                json!([{"certname": "good", "facts": {"a": 1}}, {"certname": name, "facts": {"a": 1}}]).to_string(),
                "not a certname".to_owned(),
            )
        })
        .collect();
    inputs.push((json!([{"certname": "x".repeat(300), "facts": {"a": 1}}]).to_string(), "not a certname".to_owned()));
    inputs.push((
        json!([{"certname": "A", "facts": {"a": 1}}, {"certname": "a", "facts": {"a": 2}}]).to_string(),
        "facts of a".to_owned(),
    ));
    inputs.push(("[1]".to_owned(), "row 1: it must be a hash".to_owned()));
    inputs.push(("[]".to_owned(), "there are no facts".to_owned()));
    inputs.push(("{".to_owned(), "cannot read facts".to_owned()));
    inputs.push((json!([{"certname": "a", "facts": {"href": "/pdb"}}]).to_string(), "have no data".to_owned()));
    for (text, message) in inputs {
        let site = site();
        site.write("in.json", &text);
        let run = site.run(&["facts", "import", "in.json"]).expect(2, &message);
        assert!(!run.stderr.contains('\u{1b}'), "{run:#?}");
        assert!(!site.path().join("nodes").exists(), "{text}");
    }
    let site = site();
    site.write(
        "in.json",
        json!([{"certname": "a", "facts": {"x": 1}}, {"certname": "b", "facts": {"x": 1}}]).to_string(),
    );
    site.run(&["facts", "import", "in.json", "--certname", "c"]).expect(2, "names one node");
    site.run(&["facts", "import", "nowhere.json"]).expect(2, "does not exist");
    site.run(&["facts", "import"]).expect(2, "required");
}

/// Values that are marked as sensitive do not reach the file.
#[test]
fn sensitive_values_are_not_written() {
    let site = site();
    let facts = json!({"kernel": "Linux", "deep": [{"__ptype": "Sensitive", "__pvalue": "hunter2"}]});
    site.write("a.json", facts.to_string());
    site.run(&["facts", "import", "a.json"]).expect(0, "");
    assert_eq!(node(&site, "a")["deep"][0], "Sensitive [value redacted]");
}

/// Only the command line names a folder outside of the site.
#[cfg(unix)]
#[test]
fn a_site_does_not_direct_the_files_elsewhere() {
    let outside = tempfile::TempDir::new().unwrap();
    let path = outside.path().to_string_lossy().into_owned();
    for (toml, link) in [
        (format!("manifest = \"site.pp\"\nnodes = \"{path}\"\n"), None),
        ("manifest = \"site.pp\"\nnodes = \"../nodes\"\n".to_owned(), None),
        (TOML.to_owned(), Some("nodes")),
        ("manifest = \"site.pp\"\nnodes = \"a/nodes\"\n".to_owned(), Some("a")),
    ] {
        let site = Site::new(&[("catwalk.toml", &toml), ("site.pp", ""), ("web1.json", "{\"kernel\": \"Linux\"}")]);
        if let Some(link) = link {
            std::os::unix::fs::symlink(outside.path(), site.path().join(link)).unwrap();
        }
        site.run(&["facts", "import", "web1.json"]).expect(2, "error");
        assert_eq!(std::fs::read_dir(outside.path()).unwrap().count(), 0, "{toml}");
    }
    let site = site();
    site.write("web1.json", "{\"kernel\": \"Linux\"}");
    let run = site.run(&["facts", "import", "web1.json", "--to", &path]).expect(0, "");
    assert!(run.stdout.contains("web1.json  new"), "{run:#?}");
    assert!(outside.path().join("web1.json").is_file());
    // A link in the folder is replaced, not followed.
    std::fs::write(outside.path().join("mine"), "{}").unwrap();
    std::fs::create_dir(site.path().join("nodes")).unwrap();
    std::os::unix::fs::symlink(outside.path().join("mine"), site.path().join("nodes/web1.json")).unwrap();
    site.run(&["facts", "import", "web1.json", "--force"]);
    assert_eq!(std::fs::read_to_string(outside.path().join("mine")).unwrap(), "{}");
}

#[test]
fn facts_are_imported_from_puppetdb_page_by_page() {
    let all: Vec<Value> = (0..130).map(|at| factset(&format!("n{at:03}"), &[("kernel", json!("Linux"))])).collect();
    let puppetdb = FakePuppetDb::start(move |request| {
        let query = request.body["query"].as_array().cloned().unwrap_or_default();
        let number = |name: &str| {
            let clause = query.iter().find(|clause| clause[0] == name);
            clause.and_then(|clause| clause[1].as_u64()).unwrap_or_default() as usize
        };
        let page: Vec<Value> = all.iter().skip(number("offset")).take(number("limit")).cloned().collect();
        Reply::Answer(200, Value::from(page).to_string())
    });
    let site =
        Site::new(&[("catwalk.toml", &format!("{TOML}[puppetdb]\nurl = \"{}\"\n", puppetdb.url)), ("site.pp", "")]);
    let run = site.run(&["facts", "import", "--puppetdb"]).expect(0, "");
    assert!(run.stdout.contains("130 files written, 0 unchanged"), "{run:#?}");
    assert_eq!(node(&site, "n129")["kernel"], "Linux");
    let requests = puppetdb.drain();
    assert_eq!(requests.len(), 2);
    assert_eq!(requests[0].body["query"][1], "factsets");
    // The address on the command line, without a site.
    let empty = Site::empty();
    let args = ["facts", "import", "--puppetdb", "--puppetdb-url", &puppetdb.url, "--to", "facts"];
    empty.run(&args).expect(0, "");
    assert!(empty.path().join("facts/n000.json").is_file());
    // One that ignores the paging, and ones that fail.
    let rows = Value::from((0..100).map(|at| factset(&format!("n{at}"), &[])).collect::<Vec<_>>()).to_string();
    let stubborn = FakePuppetDb::start(move |_| Reply::Answer(200, rows.clone()));
    let args = |url: &str| {
        ["facts", "import", "--puppetdb", "--to", "f", "--puppetdb-url"]
            .iter()
            .map(|word| (*word).to_owned())
            .chain([url.to_owned()])
            .collect::<Vec<_>>()
    };
    let run_with = |url: &str| {
        let args = args(url);
        empty.run(&args.iter().map(String::as_str).collect::<Vec<_>>())
    };
    assert!(run_with(&stubborn.url).expect(0, "").stdout.contains("100 files written"));
    let broken = FakePuppetDb::start(|_| Reply::Answer(500, "no".to_owned()));
    run_with(&broken.url).expect(2, "facts cannot be read from PuppetDB");
    let odd = FakePuppetDb::start(|_| Reply::Answer(200, "{\"a\": 1}".to_owned()));
    run_with(&odd.url).expect(2, "not a list of fact sets");
    site.run(&["facts", "import", "--puppetdb", "x.json"]).expect(2, "cannot be used with");
    empty.run(&["facts", "import", "--puppetdb", "--to", "f"]).expect(2, "no address of PuppetDB is set");
}
