//! JSON Schemas of the files that users write: those that the program reads are valid, those that it refuses are not.

use std::path::Path;
use std::path::PathBuf;

use serde_json::Value;

use crate::support::Site;

fn schema(name: &str) -> jsonschema::Validator {
    let run = Site::empty().run(&["docs", "schema", name]).expect(0, "");
    let schema: Value = serde_json::from_str(&run.stdout).unwrap();
    assert_eq!(schema["$schema"], "http://json-schema.org/draft-07/schema#");
    jsonschema::validator_for(&schema).unwrap()
}

fn yaml(text: &str) -> Value {
    let value = catwalk_value::data::yaml::parse(text.as_bytes()).unwrap();
    catwalk_value::json::to_json(&value)
}

fn toml(text: &str) -> Value {
    serde_json::to_value(toml::from_str::<toml::Table>(text).unwrap()).unwrap()
}

fn mistakes(validator: &jsonschema::Validator, value: &Value) -> Vec<String> {
    validator.iter_errors(value).map(|error| format!("{}: {error}", error.instance_path())).collect()
}

/// The blocks of Markdown files whose first line begins with this fence.
fn blocks(fence: &str) -> Vec<(String, String)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut files: Vec<PathBuf> = vec![root.join("README.md")];
    files.extend(std::fs::read_dir(root.join("docs")).unwrap().map(|entry| entry.unwrap().path()));
    files.sort();
    let mut blocks = Vec::new();
    for file in files.iter().filter(|file| file.extension().is_some_and(|extension| extension == "md")) {
        let text = std::fs::read_to_string(file).unwrap();
        let mut lines = text.lines();
        while let Some(line) = lines.next() {
            if line.trim_end().starts_with(fence) {
                let block: Vec<&str> = lines.by_ref().take_while(|line| !line.starts_with("```")).collect();
                blocks.push((format!("{}: {line}", file.display()), block.join("\n")));
            }
        }
    }
    blocks
}

#[test]
fn every_configuration_of_the_documentation_is_valid() {
    let validator = schema("catwalk.toml");
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut documents = blocks("```toml");
    for file in ["catwalk.toml", "tests/lookup/site/catwalk.toml", "tests/exported/site/catwalk.toml"] {
        documents.push((file.to_owned(), std::fs::read_to_string(root.join(file)).unwrap()));
    }
    assert!(documents.len() > 10, "{}", documents.len());
    for (name, text) in documents {
        let Ok(table) = toml::from_str::<toml::Table>(&text) else { continue };
        let value = serde_json::to_value(table).unwrap();
        // Blocks about other programs' files.
        if ["package", "dependencies", "dev-dependencies"].iter().any(|table| value.get(table).is_some()) {
            continue;
        }
        assert_eq!(mistakes(&validator, &value), Vec::<String>::new(), "{name}\n{text}");
    }
}

#[test]
fn test_files_are_valid() {
    let validator = schema("tests");
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut documents = blocks("```yaml tests/");
    for folder in ["scripts/tests", "tests/newcomers"] {
        for entry in std::fs::read_dir(root.join(folder)).unwrap() {
            let path = entry.unwrap().path();
            if path.extension().is_some_and(|extension| extension == "yaml") {
                documents.push((path.display().to_string(), std::fs::read_to_string(path).unwrap()));
            }
        }
    }
    documents.push(("all keys".to_owned(), ALL_KEYS.to_owned()));
    for (name, text) in documents {
        assert_eq!(mistakes(&validator, &yaml(&text)), Vec::<String>::new(), "{name}\n{text}");
    }
}

const ALL_KEYS: &str = "\
class: ntp
parameters: {a: 1, b: [x, {c: null}]}
fact_sets: [debian-12, {os.family: RedHat}, metadata]
except: [AIX, Solaris 11]
facts: {os: {family: Debian}}
trusted: {extensions: {pp_role: web}}
data: {ntp::x: 1}
node: web1
classes: [a, b]
variables: {tier: web}
before: $x = 1
facts_from: facts
matrix:
  size: {small: {facts: {n: 1}}, large: }
cases:
  plain:
  other:
    define: a::b
    title: x
    snapshot: false
    expect:
      contains: ['Package[ntp]', {'File[/etc/motd]': {mode: '0644', content: /x/, owner: null}}]
      lacks: 'Service[x]'
      count: {'*': 3, File: 1}
      order: ['Package[a] -> File[b]', ['Package[a]', 'File[c]']]
      logs: [x, /y/]
  failing: {class: , code: 'fail(1)', expect: {fails: true}}
  really: {code: 'fail(1)', expect: {fails: /1/, compiles: false}}
classify:
  - {node: web1, groups: Web, classes: {web: {port: 80}}, environment: production}
  - {node: web2, classes: [a], not_classes: b, conflict: true, name: x, facts: {}, trusted: {}, variables: {}}
groups: groups.yaml
";

/// Mistakes: the schema and the program refuse the same.
#[test]
fn what_the_program_refuses_is_not_valid() {
    let configuration = schema("catwalk.toml");
    for text in [
        "manifst = \"x\"\n",
        "nodes = 3\n",
        "modulepath = \"modules\"\n",
        "[puppetdb]\nurll = \"x\"\n",
        "[watch]\nignored = []\n",
        "[scripts]\nisolation = \"proces\"\n",
        "cycles = \"warn\"\n",
        "log_level = \"loud\"\n",
        "eyaml = \"key\"\n",
        "puppet = 10\n",
        "puppet = \"seven\"\n",
        "[limits]\ntme = 3\n",
        "[classifier]\ngroup = \"x\"\n",
        "[classifier]\nchain = [3]\n",
        "[classifier]\nchain = []\noutput = \"x\"\n",
        "[[ignore]]\ntitel = \"x\"\n",
        "[[redact]]\nwith = 3\n",
        "untrusted = \"yes\"\n",
    ] {
        assert!(!mistakes(&configuration, &toml(text)).is_empty(), "valid: {text}");
        let site = Site::new(&[("catwalk.toml", text), ("site.pp", ""), ("nodes/a.json", "{}")]);
        assert_ne!(site.run(&["compile", "a"]).code, Some(0), "accepted: {text}");
    }
    let tests = schema("tests");
    for text in [
        "clas: a\n",
        "class: [a]\n",
        "class: a\nexpect: {contain: x}\n",
        "class: a\nexpect: {count: {File: x}}\n",
        "class: a\nsnapshot: maybe\n",
        "class: a\ncases: [a]\n",
        "cases: {a: {clas: b}}\n",
        "cases: {a: 3}\n",
        "class: a\nmatrix: {x: {y: {nope: 1}}}\n",
        "class: a\nfact_sets: 3\n",
        "class: a\nparameters: 3\n",
        "classify: [{node: a, group: b}]\n",
        "classify: [{groups: b}]\n",
    ] {
        assert!(!mistakes(&tests, &yaml(text)).is_empty(), "valid: {text}");
        let site = Site::new(&[("site.pp", ""), ("nodes/a.json", "{}"), ("tests/t.yaml", text), ("groups.yaml", "[]")]);
        assert_eq!(site.run(&["test"]).code, Some(2), "accepted: {text}");
    }
    let groups = schema("groups");
    for text in [
        "- {name: Web}\n",
        "- {classes: {}}\n",
        "- {name: '', classes: {}}\n",
        "- {name: Web, classes: [a]}\n",
        "- {name: Web, classes: {a: 3}}\n",
        "- {name: Web, classes: {}, rule: [nand, a]}\n",
        "- {name: Web, classes: {}, rule: x}\n",
        "- {name: Web, classes: {}, environment: 3}\n",
        "3\n",
    ] {
        assert!(!mistakes(&groups, &yaml(text)).is_empty(), "valid: {text}");
        let site = Site::new(&[("site.pp", ""), ("nodes/a.json", "{}"), ("groups.yaml", text)]);
        assert_ne!(site.run(&["classify", "a", "--groups", "groups.yaml"]).code, Some(0), "accepted: {text}");
    }
    for text in [
        "- {name: Web, classes: {web: {port: 80}, motd: null}, rule: [and, ['~', name, '^web'], ['not', ['=', [fact, os, family], x]]]}\n",
        "name: All Nodes\nclasses: {}\nchildren:\n  - {name: Web, classes: {}, environment_trumps: true, extra: 1}\n",
        "groups: [{name: Web, classes: {}}]\nnodes: {web1: {classes: {a: {}}, environment: x}}\n",
    ] {
        assert_eq!(mistakes(&groups, &yaml(text)), Vec::<String>::new(), "{text}");
    }
}

#[test]
fn schemas_are_found_by_name_and_described() {
    let site = Site::empty();
    let list = site.run(&["docs", "schema"]).expect(0, "").stdout;
    for part in ["catwalk.toml", "tests/*.yaml", "# yaml-language-server: $schema=", "#:schema"] {
        assert!(list.contains(part), "{part}: {list}");
    }
    site.run(&["docs", "schema", "grups"]).expect(1, "did you mean 'groups'?");
    for (name, property) in [("site", "modulepath"), ("test", "cases")] {
        let schema: Value = serde_json::from_str(&site.run(&["docs", "schema", name]).expect(0, "").stdout).unwrap();
        assert!(schema["properties"][property]["description"].is_string(), "{schema:#}");
        assert!(schema["description"].is_string() && schema["additionalProperties"] == false, "{schema:#}");
    }
}
