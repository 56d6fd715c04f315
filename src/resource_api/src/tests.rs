//! Values are converted and refused as by Puppet; states, rows and connections are checked with Puppet's messages.
#![allow(clippy::unwrap_used, clippy::panic, reason = "tests")]

use crate::Definition;
use crate::Origin;
use crate::Relation;
use crate::State;
use crate::mungify;
use crate::read_transport;
use crate::read_type;
use catwalk_base::secrets::SecretCollection;
use catwalk_value::Hash;
use catwalk_value::NoAliases;
use catwalk_value::Value;
use catwalk_value::data::json;
use catwalk_value::parse_type;

fn value(text: &str) -> Value {
    json::parse(text.as_bytes()).unwrap()
}

fn hash(text: &str) -> Hash {
    match value(text) {
        Value::Hash(hash) => (*hash).clone(),
        other => panic!("{other:?}"),
    }
}

fn state(text: &str) -> State {
    State::from(&hash(text))
}

fn definition(text: &str) -> Definition {
    let reading = read_type(&value(text), "thing.rhai");
    let problems: Vec<&str> = reading.errors().map(|problem| problem.message.as_str()).collect();
    assert!(problems.is_empty(), "{problems:#?}");
    reading.definition.unwrap()
}

const THING: &str = r#"{
    "name": "thing", "desc": "x",
    "attributes": {
        "name": { "type": "String", "desc": "x", "behaviour": "namevar" },
        "num": { "type": "Optional[Integer]", "desc": "x", "default": 5 },
        "must": { "type": "String", "desc": "x" },
        "how": { "type": "Integer", "desc": "x", "behaviour": "parameter" },
        "ro": { "type": "String", "desc": "x", "behaviour": "read_only" },
        "once": { "type": "Optional[String]", "desc": "x", "behaviour": "init_only" },
        "mode": { "type": "Optional[Enum[a, b]]", "desc": "x", "sensitive": true },
        "flag": { "type": "Boolean", "desc": "x", "default": false },
        "ensure": { "type": "Enum[present, absent]", "desc": "x", "default": "present" }
    },
    "autorequire": { "File": ["/a", "$once", ["$must"]], "package": "x" },
    "autonotify": { "service": "$name" }
}"#;

const SOFTWARE: &str = r#"{
    "name": "software", "desc": "x",
    "title_patterns": [{ "pattern": "^(?<package>.*[^-])-(?<manager>.*)$" }, { "pattern": "^(?<package>.*)$" }],
    "attributes": {
        "package": { "type": "String", "desc": "x", "behaviour": "namevar" },
        "manager": { "type": "String", "desc": "x", "behaviour": "namevar" },
        "ensure": { "type": "Enum[absent, present]", "desc": "x" }
    }
}"#;

#[test]
fn values_are_converted_as_by_puppet() {
    let mut wrong = Vec::new();
    for line in include_str!("tests/values.tsv").lines() {
        let [data_type, given, catalog, command_line] = line.split('\t').collect::<Vec<_>>()[..] else {
            panic!("{line}")
        };
        let (data_type, given) = (parse_type(data_type, &mut NoAliases).unwrap(), value(given));
        for (origin, expected) in [(Origin::Catalog, catalog), (Origin::CommandLine, command_line)] {
            let found = match mungify(&data_type, &given, "t.v", origin, false) {
                Ok(result) if result == given => "=".to_owned(),
                Ok(result) => format!("={}", catwalk_value::json::to_json(&result)),
                Err(message) => format!("!{}", message.replace('\n', "\\n")),
            };
            if found != expected {
                wrong.push(format!("{line} {origin:?}\n   got {found}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{} wrong\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn desired_states_are_checked_as_by_puppet() {
    let thing = definition(THING);
    let cases = [
        (
            r#"{"name": "a", "must": "x", "how": 1}"#,
            r#"{"name":"a","must":"x","how":1,"ensure":"present","num":5,"flag":false}"#,
        ),
        (
            r#"{"name": "a", "num": "7", "how": "x", "mode": "c", "ro": "x"}"#,
            "Parameter num failed on Thing[a]: thing.num expects a value of type Undef or Integer, got String\n\
         Parameter mode failed on Thing[a]: thing.mode expects an undef value or a match for Enum['a', 'b'], got String\n\
         Parameter how failed on Thing[a]: thing.how expects an Integer value, got String\n\
         Parameter ro failed on Thing[a]: Attempting to set `ro` read_only attribute value to `x`",
        ),
        (
            r#"{"name": "a"}"#,
            "Validation of Thing[a] failed: The following mandatory parameters were not provided:\n    *  how",
        ),
        (
            r#"{"name": "a", "how": 1, "ensure": "x"}"#,
            "Parameter ensure failed on Thing[a]: thing.ensure expects a match for Enum['absent', 'present'], got 'x'",
        ),
    ];
    for (given, expected) in cases {
        let found = match thing.desired_state("title", &state(given), Origin::Catalog, &SecretCollection::default()) {
            Ok(state) => catwalk_value::json::to_json(&Value::hash(state.to_hash())).to_string(),
            Err(messages) => messages.join("\n"),
        };
        assert_eq!(found, expected);
    }
    let missing = thing.missing_attributes(&state(r#"{"ensure": "present", "flag": true, "how": 1}"#)).unwrap();
    assert_eq!(missing, "The following mandatory attributes were not provided:\n    *  must");
    assert_eq!(thing.missing_attributes(&state(r#"{"ensure": "absent"}"#)), None);
    let changes = thing.init_only_changes(
        &state(r#"{"ensure": "present"}"#),
        &state(r#"{"ensure": "present", "once": "x", "num": 1}"#),
    );
    assert_eq!(changes, ["Attempting to change `once` init_only attribute value from `` to `x`"]);
}

#[test]
fn rows_of_providers_are_checked_as_by_puppet() {
    let thing = definition(THING);
    let row = state(r#"{"name": "a", "extra": 1, "num": "str", "mode": "secret", "title": 5}"#);
    let message = "Provider returned data that does not match the Type Schema for `thing[a]`\n Unknown attribute:\n    * extra\n\n Value type mismatch:\n    * num: str (expects a value of type Undef or Integer, got String)\n    * mode: << redacted value >> expects an undef value or a match for Enum['a', 'b'], got String\n";
    assert_eq!(thing.check_row(&row), Ok(Some(message.to_owned())));
    let error = "`thing.get` did not return a value for the `name` namevar attribute";
    assert_eq!(thing.check_row(&state(r#"{"num": 1}"#)), Err(error.to_owned()));
    assert_eq!(thing.check_row(&state(r#"{"name": "a", "ensure": "absent"}"#)), Ok(None));
    let (row, canonical) = (state(r#"{"name": "A", "mode": "a"}"#), state(r#"{"name": "a", "mode": "a"}"#));
    let message = "thing[A]#get has not provided canonicalized values.\nReturned values:       {:name=>\"A\", :mode=>#<Sensitive [value redacted]>}\nCanonicalized values:  {:name=>\"a\", :mode=>#<Sensitive [value redacted]>}";
    assert_eq!(thing.check_canonical("A", &row, &canonical).as_deref(), Some(message));
}

#[test]
fn titles_name_resources() {
    let software = definition(SOFTWARE);
    let parse = |title: &str| {
        let parsed = software.parse_title(title).unwrap();
        parsed.into_iter().map(|(name, value)| format!("{name}={}", value.unwrap())).collect::<Vec<_>>().join(" ")
    };
    assert_eq!(parse("php-yum"), "package=php manager=yum");
    assert_eq!(parse("php"), "package=php");
    let name = software.resource_name(&state(r#"{"manager": "yum", "package": "php"}"#));
    assert_eq!(crate::display_name(&name), r#"{:package=>"php", :manager=>"yum"}"#);
    let absent = software.missing_row(&name);
    assert_eq!(software.inspect(&absent), r#"{:package=>"php", :manager=>"yum", :ensure=>"absent"}"#);
    let row = state(r#"{"title": "php-gem", "package": "php", "manager": "yum"}"#);
    let message = "software[t]#get has provided a title attribute which does not match all namevars.\nNamevars which do not match: [:manager]\nReturned parsed title hash:  {:package=>\"php\", :manager=>\"gem\"}\nExpected hash:               {:package=>\"php\", :manager=>\"yum\"}";
    assert_eq!(software.check_row_title("t", &name, &row).as_deref(), Some(message));
    let row = state(r#"{"package": "php", "manager": "yum"}"#);
    let message = "software[t]#get has not provided a title attribute.";
    assert_eq!(software.check_row_title("t", &name, &row).as_deref(), Some(message));
    let thing = definition(THING);
    assert_eq!(thing.missing_row(&Value::str("a")).get(&catwalk_base::name!("title")), Some(&Value::str("a")));
    let related = thing.related_resources(&state(r#"{"name": "a", "must": ["x", null, "y"]}"#));
    let related: Vec<String> = related.iter().map(|(how, of, title)| format!("{how:?} {of} {title}")).collect();
    assert_eq!(
        related,
        ["Require file /a", "Require file x", "Require file y", "Require package x", "Notify service a"]
    );
    assert!(matches!(thing.auto_relations.last().map(|last| last.relation), Some(Relation::Notify)));
}

#[test]
fn connections_are_checked_and_completed() {
    let text = r#"{"name": "lab", "desc": "x", "connection_info": {
        "host": { "type": "String", "desc": "x" }, "port": { "type": "Integer", "desc": "x", "default": 80 },
        "password": { "type": "String", "desc": "x", "sensitive": true } }}"#;
    let lab = read_transport(&value(text), "lab.rhai").definition.unwrap();
    let (connection, messages) = lab.complete_connection(&hash(r#"{"host": "h", "password": "p"}"#)).unwrap();
    assert_eq!(
        crate::inspect_state(&connection),
        r#"{:host=>"h", :password=>#<Sensitive [value redacted]>, :port=>80}"#
    );
    assert_eq!(messages, ["Using default value for attribute: port, value: 80"]);
    let error = lab.complete_connection(&hash(r#"{"host": "h", "password": 5, "x": 1}"#)).unwrap_err();
    assert_eq!(
        error,
        "The connection info provided does not match the Transport Schema for `lab[]`\n Unknown attribute:\n    * x\n\n Value type mismatch:\n    * password: << redacted value >> expects a String value, got Integer\n"
    );
    let error = lab.complete_connection(&hash("{}")).unwrap_err();
    assert_eq!(error, "The following mandatory attributes were not provided:\n    *  host, \n    *  password");
    let bad = read_transport(&value(r#"{"connection_info": []}"#), "lab.rhai");
    let messages: Vec<&str> = bad.errors().map(|problem| problem.message.as_str()).collect();
    assert_eq!(messages, ["requires a `:name`", "requires `:desc`", "`:connection_info` must be a hash, not `Array`"]);
}
