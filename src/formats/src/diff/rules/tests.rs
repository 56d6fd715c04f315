//! Tests of rules with a small catalog.

#![allow(clippy::unwrap_used, reason = "tests")]

use serde_json::json;

use super::*;

#[derive(Deserialize)]
struct Config {
    #[serde(default)]
    ignore: Vec<Ignore>,
    #[serde(default)]
    redact: Vec<Redact>,
}

fn rules(text: &str) -> Result<Rules, String> {
    let config: Config = toml::from_str(text).map_err(|error| error.message().to_owned())?;
    Rules::new(config.ignore, config.redact)
}

fn key() -> Key {
    Key::from_bytes(&[1; 32])
}

fn catalog() -> Value {
    json!({
        "resources": [
            {"type": "File", "title": "/tmp/a", "tags": ["file"], "exported": false, "parameters": {"mode": "0644"}},
            {"type": "File", "title": "/etc/b", "tags": ["file"], "exported": false, "parameters": {
                "content": "# Generated at 12:00\nport 80\nport 81\n", "mode": "0600", "checksums": ["id 7", {"x": "id 8"}]}},
            {"type": "Apache::Vhost", "title": "www", "parameters": {"port": 80, "password": "s3cret"},
                "sensitive_parameters": ["password"]},
        ],
        "edges": [
            {"source": "Class[Main]", "target": "File[/tmp/a]"},
            {"source": "Class[Main]", "target": "File[/etc/b]"},
            {"source": "Class[Main]", "target": "Apache::Vhost[www]"},
        ],
    })
}

fn applied(text: &str) -> (Value, Vec<String>) {
    let rules = rules(text).unwrap();
    let mut document = catalog();
    let used = rules.apply("web1.example.com", &mut document, &key());
    (document, rules.unused(&used))
}

fn titles(document: &Value) -> Vec<&str> {
    document["resources"].as_array().unwrap().iter().map(|resource| resource["title"].as_str().unwrap()).collect()
}

#[test]
fn an_ignored_resource_is_removed_with_its_edges() {
    for title in ["/tmp/*", "~ ^/tmp/", "/tmp/a", "{/tmp/a,/tmp/c}"] {
        let (document, unused) = applied(&format!("[[ignore]]\ntype = 'file'\ntitle = '{title}'\n"));
        assert_eq!(titles(&document), ["/etc/b", "www"], "{title}");
        assert_eq!(document["edges"].as_array().unwrap().len(), 2);
        assert!(unused.is_empty());
    }
    let (document, _) = applied("[[ignore]]\ntype = ['apache::*', 'Nothing']\n");
    assert_eq!(titles(&document), ["/tmp/a", "/etc/b"]);
}

#[test]
fn rules_are_limited_to_nodes_and_unused_rules_are_listed() {
    let (document, unused) = applied("[[ignore]]\nnode = 'db*'\ntype = 'File'\n[[redact]]\nparameter = 'nothing'\n");
    assert_eq!(document, catalog());
    assert_eq!(unused, [r#"ignore node = "db*", type = "File""#, r#"redact parameter = "nothing""#]);
    let (document, _) = applied("[[ignore]]\nnode = 'WEB*'\ntype = 'File'\n");
    assert_eq!(titles(&document), ["www"]);
}

#[test]
fn parameters_are_left_out_by_name_and_marked_by_value() {
    let (document, _) = applied("[[ignore]]\nparameter = 'mode'\n[[ignore]]\nparameter = 'password'\n");
    assert!(document["resources"][0].get("parameters").is_none());
    assert!(document["resources"][1]["parameters"].get("mode").is_none());
    assert!(document["resources"][2].get("sensitive_parameters").is_none());
    let (document, _) = applied("[[ignore]]\nvalue = '~ \\A# Generated'\n");
    assert_eq!(document["resources"][1]["parameters"]["content"], "<ignored>");
    let (document, _) = applied("[[ignore]]\nvalue = '80'\n");
    assert_eq!(document["resources"][2]["parameters"]["port"], "<ignored>");
}

#[test]
fn tags_flags_and_edges_have_names() {
    let (document, unused) = applied("[[ignore]]\ntype = 'File'\nparameter = ['(tags)', '(exported)', '(edges)']\n");
    assert!(document["resources"][0].get("tags").is_none() && document["resources"][0].get("exported").is_none());
    assert_eq!(document["edges"], json!([{"source": "Class[Main]", "target": "Apache::Vhost[www]"}]));
    assert!(unused.is_empty());
}

#[test]
fn values_are_replaced_whole_or_where_a_pattern_matches() {
    let (document, _) = applied("[[redact]]\ntype = 'Apache::Vhost'\nparameter = 'password'\nwith = '<{digest}>'\n");
    let digest = |text: &str| key().digest(text);
    assert_eq!(document["resources"][2]["parameters"]["password"], format!("<{}>", digest("s3cret")));
    let (document, _) = applied("[[redact]]\nparameter = 'mode'\n");
    assert_eq!(document["resources"][0]["parameters"]["mode"], "<redacted>");
    let (document, _) = applied("[[redact]]\nparameter = 'content'\npattern = 'at \\d+:\\d+'\nwith = 'at some time'\n");
    assert_eq!(document["resources"][1]["parameters"]["content"], "# Generated at some time\nport 80\nport 81\n");
    let (document, _) = applied("[[redact]]\npattern = '^port (\\d)\\d'\nwith = 'port \\1?'\n");
    assert_eq!(document["resources"][1]["parameters"]["content"], "# Generated at 12:00\nport 8?\nport 8?\n");
    let (document, _) = applied("[[redact]]\npattern = '\\bid \\d+'\nwith = 'id {digest}'\n");
    let ids = &document["resources"][1]["parameters"]["checksums"];
    assert_eq!(*ids, json!([format!("id {}", digest("id 7")), {"x": format!("id {}", digest("id 8"))}]));
}

#[test]
fn invalid_rules_are_errors() {
    for (text, why) in [
        ("[[ignore]]\n", "it would match everything"),
        ("[[redact]]\nwith = 'x'\n", "[[redact]] number 1: it has none"),
        ("[[ignore]]\ntitle = '~ ('\n", "[[ignore]] number 1: title: "),
        ("[[ignore]]\ntitle = 'a{b'\n", "number 1: title: "),
        ("[[ignore]]\ntipe = 'x'\n", "unknown field `tipe`"),
    ] {
        let error = rules(text).unwrap_err();
        assert!(error.contains(why), "{text}: {error}");
    }
}

#[test]
fn rules_come_from_the_command_line() {
    let rules = Rules::default();
    let strings = |strings: &[&str]| strings.iter().map(|string| (*string).to_owned()).collect::<Vec<_>>();
    let with = rules.with_ignored(&strings(&["File[/tmp/*]", "*[*]::content", "Apache::Vhost[www]::port"])).unwrap();
    let mut document = catalog();
    let used = with.apply("x", &mut document, &key());
    assert_eq!(titles(&document), ["/etc/b", "www"]);
    assert!(document["resources"][0]["parameters"].get("content").is_none());
    assert!(document["resources"][1]["parameters"].get("port").is_none());
    assert!(with.unused(&used).is_empty());
    for wrong in ["File", "File[x", "File[x]y", "File[x]::"] {
        assert!(rules.with_ignored(&strings(&[wrong])).is_err(), "{wrong}");
    }
}

#[test]
fn rule_use_is_merged_over_several_catalogs() {
    let rules = rules("[[ignore]]\nnode = 'a'\ntype = 'File'\n[[ignore]]\nnode = 'b'\ntype = 'File'\n").unwrap();
    let mut used = RuleUse::default();
    used.add(&rules.apply("b", &mut catalog(), &key()));
    assert_eq!(rules.unused(&used).len(), 1);
    used.add(&rules.apply("a", &mut catalog(), &key()));
    assert!(rules.unused(&used).is_empty());
}
