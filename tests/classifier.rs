//! Groups as data: rules, classification, explanation, errors. The cases are in `tests/classifier/*.json`.

use catwalk_classifier::Groups;
use catwalk_classifier::NodeClassification;
use catwalk_classifier::Subject;
use catwalk_classifier::rule::Rule;
use catwalk_value::Hash;
use catwalk_value::Value;
use catwalk_value::data::json;
use catwalk_value::json::to_json;
use catwalk_world::Memory;
use serde_json::Value as Json;

fn parse(text: &str) -> Value {
    json::parse(text.as_bytes()).unwrap()
}

fn member<'a>(value: &'a Value, key: &str) -> &'a Value {
    match value {
        Value::Hash(hash) => hash.get(key).unwrap_or(&Value::Undef),
        _ => &Value::Undef,
    }
}

fn subject(name: &str, body: &Value) -> Subject {
    match body {
        Value::Hash(body) => Subject::from_body(name, body),
        _ => Subject::from_body(name, &Hash::new()),
    }
}

fn items(value: &Value) -> &[Value] {
    match value {
        Value::Array(items) => items,
        _ => &[],
    }
}

/// `[rule, body, answer]` or `[rule, "error: …"]`.
#[test]
fn rules_match_or_fail_as_recorded() {
    let mut wrong = Vec::new();
    let cases = parse(include_str!("classifier/rules.json"));
    for case in items(&cases) {
        let case = items(case);
        let got = match Rule::parse(&case[0]) {
            Err(why) => vec![case[0].clone(), Value::from(format!("error: {why}"))],
            Ok(rule) => {
                assert_eq!(rule.document(), case[0], "a rule is written as it was read");
                let (node, world) = (subject("web1.example.com", &case[1]), Memory::default());
                let explained = rule.explain(&node, &world).unwrap();
                let holds = rule.holds(&node, &world).unwrap();
                assert_eq!(explained.holds, holds, "{case:?}");
                assert_eq!(explained.first_failing().is_none(), holds, "{case:?}");
                vec![case[0].clone(), case[1].clone(), Value::Bool(holds)]
            }
        };
        if got != case {
            wrong.push(format!(
                "expected {}\n     got {}",
                to_json(&Value::array(case.to_vec())),
                to_json(&Value::array(got))
            ));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Each file has `groups` (and `nodes`) and `cases`: the name and body of a node with the expected documents.
#[test]
fn examples_are_classified_as_recorded() {
    let mut count = 0;
    for (file, text) in [
        ("explanation.json", include_str!("classifier/explanation.json")),
        ("explanation-conflict.json", include_str!("classifier/explanation-conflict.json")),
        ("conflict.json", include_str!("classifier/conflict.json")),
        ("classified.json", include_str!("classifier/classified.json")),
        ("environments.json", include_str!("classifier/environments.json")),
        ("hierarchy.json", include_str!("classifier/hierarchy.json")),
    ] {
        let document = parse(text);
        let groups = Groups::read(&document).unwrap_or_else(|problem| panic!("{file}: {}", problem.message));
        for case in items(member(&document, "cases")) {
            count += 1;
            let name = member(case, "name").as_str().unwrap();
            let node = subject(name, member(case, "body"));
            let world = Memory::default();
            let classified = groups.classify(&node, &world).unwrap();
            let naive: Vec<usize> = (0..groups.groups.len()).filter(|group| matches(&groups, *group, &node)).collect();
            assert_eq!(classified.matching, naive, "{file} {name}: the plan finds what evaluation finds");
            // `classified` is compared over the wire (tests/classifier_service.rs).
            for kind in ["problem", "explanation", "near_misses"] {
                let expected = member(case, kind);
                if !expected.is_undef() {
                    let got = to_json(&actual_document(&groups, &node, &classified, kind));
                    compare(&format!("{file} {name} {kind}"), &to_json(expected), &got);
                }
            }
        }
    }
    assert!(count >= 12, "only {count} cases");
}

fn matches(groups: &Groups, group: usize, node: &Subject) -> bool {
    let world = Memory::default();
    let own = |group: usize| groups.groups[group].rule.as_ref().map(|rule| rule.holds(node, &world).unwrap());
    own(group) == Some(true) && groups.ancestors(group).all(|above| own(above) != Some(false))
}

fn actual_document(groups: &Groups, node: &Subject, classified: &NodeClassification, kind: &str) -> Value {
    let world = Memory::default();
    match kind {
        "explanation" => groups.explanation(node, classified, false, &world).unwrap(),
        "near_misses" => member(&groups.explanation(node, classified, true, &world).unwrap(), "near_misses").clone(),
        _ => classified.outcome.problem(groups).unwrap().document(),
    }
}

/// Compares documents: members of objects in any order below the top.
fn compare(what: &str, expected: &Json, got: &Json) {
    let keys = |document: &Json| document.as_object().unwrap().keys().cloned().collect::<Vec<_>>();
    let (wanted, is) = (serde_json::to_string_pretty(expected).unwrap(), serde_json::to_string_pretty(got).unwrap());
    assert!(expected == got, "{what}:\nexpected {wanted}\ngot {is}");
    assert_eq!(keys(expected), keys(got), "{what}: order of the top members");
}

/// Groups that are refused: `{"groups", "kind", "msg", "details"}`.
#[test]
fn groups_that_are_wrong_are_refused() {
    for case in items(&parse(include_str!("classifier/refused.json"))) {
        let problem = match Groups::read(member(case, "groups")) {
            Err(problem) => problem,
            Ok(_) => panic!("accepted: {}", to_json(case)),
        };
        let (document, expected) = (to_json(&problem.document()), to_json(case));
        for key in ["kind", "msg", "details"] {
            if expected.get(key).is_some() {
                let text = serde_json::to_string_pretty(&document[key]).unwrap();
                assert_eq!(document[key], expected[key], "{key} of {} is\n{text}", document["kind"]);
            }
        }
    }
}

/// A random number generator with a fixed seed: each run tests the same numbers.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 % sides as u64).unwrap()
    }

    fn pick<'a>(&mut self, items: &[&'a str]) -> &'a str {
        items[self.roll(items.len())]
    }

    fn rule(&mut self, depth: usize) -> String {
        match self.roll(if depth == 0 { 4 } else { 7 }) {
            0..=3 => {
                let operator = self.pick(&["=", "=", "=", "~", "<", ">=", "<:", "/:"]);
                let path = self.pick(&[
                    "\"name\"",
                    "[\"name\"]",
                    "[\"fact\", \"a\"]",
                    "[\"fact\", \"b\", \"c\"]",
                    "[\"fact\", \"l\"]",
                    "[\"fact\", \"l\", 1]",
                    "[\"trusted\", \"r\"]",
                    "\"nothing\"",
                ]);
                let text = self.pick(&["1", "2", "02", "1.0", "x", "true", "n1", "n2", ""]);
                format!("[\"{operator}\", {path}, \"{text}\"]")
            }
            4 => format!("[\"not\", {}]", self.rule(depth - 1)),
            word => {
                let count = 1 + self.roll(3);
                let rules: Vec<String> = (0..count).map(|_| self.rule(depth - 1)).collect();
                format!("[\"{}\", {}]", if word == 5 { "and" } else { "or" }, rules.join(", "))
            }
        }
    }

    fn node(&mut self) -> Subject {
        let mut value = || {
            self.pick(&["1", "2", "1.0", "2.5", "\"1\"", "\"02\"", "\"x\"", "true", "null", "[1, \"x\"]", "{\"c\": 1}"])
        };
        let body = format!(
            r#"{{"fact": {{"a": {}, "b": {{"c": {}}}, "l": [{}, {}]}}, "trusted": {{"r": {}}}}}"#,
            value(),
            value(),
            value(),
            value(),
            value()
        );
        let name = self.pick(&["n1", "n2", "1", "other"]);
        subject(name, &parse(&body))
    }
}

#[test]
fn the_plan_and_evaluation_match_the_same_groups() {
    let mut dice = Dice(0x9e37_79b9_7f4a_7c15);
    for _ in 0..60 {
        let count = 1 + dice.roll(30);
        let groups: Vec<String> = (0..count)
            .map(|n| {
                let rule = if dice.roll(8) == 0 { "null".to_owned() } else { dice.rule(3) };
                let parent = if n > 0 && dice.roll(2) == 0 {
                    format!(", \"parent\": \"g{}\"", dice.roll(n))
                } else {
                    String::new()
                };
                format!(
                    r#"{{"name": "g{n}", "rule": {rule}, "classes": {{"c{}": {{"p": {}}}}}{parent}}}"#,
                    dice.roll(4),
                    dice.roll(2)
                )
            })
            .collect();
        let text = format!("[{}]", groups.join(", "));
        let groups = Groups::read(&parse(&text)).unwrap();
        let nodes: Vec<Subject> = (0..60).map(|_| dice.node()).collect();
        let all = groups.classify_all(&nodes, &Memory::default()).unwrap();
        for (node, many) in nodes.iter().zip(all) {
            let naive: Vec<usize> = (0..groups.groups.len()).filter(|group| matches(&groups, *group, node)).collect();
            let one = groups.classify(node, &Memory::default()).unwrap();
            assert_eq!(many.matching, naive, "{text}\n{}", to_json(&node.document()));
            assert_eq!(one.matching, naive);
            assert_eq!(one.outcome, many.outcome);
            assert_eq!(one.values, many.values);
        }
    }
}

#[test]
fn rules_that_can_never_match_are_reported() {
    let cases = [
        (r#"[">=", ["fact", "v"], "10"]"#, vec!["version-as-number"]),
        (r#"[">=", ["fact", "n"], "10"]"#, vec![]),
        (r#"[">=", ["fact", "n"], "ten"]"#, vec!["not-a-number"]),
        (r#"["~", "name", "web"]"#, vec!["unanchored-regex"]),
        (r#"["~", "name", "^web"]"#, vec![]),
        (r#"["~", "name", "(?i)^web"]"#, vec![]),
        (r#"["~", "name", ".*"]"#, vec![]),
        (r#"["=", ["trusted", "extensions", "pp_rol"], "x"]"#, vec!["trusted-path"]),
        (r#"["=", ["trusted", "extensions", "pp_role"], "x"]"#, vec![]),
        (r#"["=", ["trusted", "extensions", "1.3.6.1.4.1.34380.1.2.1"], "x"]"#, vec![]),
        (r#"["=", ["trusted", "certnam"], "x"]"#, vec!["trusted-path"]),
        (r#"["=", "clientcert", "x"]"#, vec!["unknown-path"]),
        (r#"["=", "fact", "x"]"#, vec!["unknown-path"]),
        (r#"["=", "nodename", "x"]"#, vec!["nodename"]),
    ];
    let node = subject("n", &parse(r#"{"fact": {"v": "10.4.1", "n": "11"}}"#));
    let names: Vec<&str> = catwalk_certificate::short_names().collect();
    for (rule, expected) in cases {
        let groups = Groups::read(&parse(&format!(r#"[{{"name": "g", "rule": {rule}, "classes": {{}}}}]"#))).unwrap();
        let survey = groups.survey(std::slice::from_ref(&node), &names, &Memory::default()).unwrap();
        let found: Vec<&str> = survey.findings.iter().map(|finding| finding.check).collect();
        assert_eq!(found, expected, "{rule}");
    }
}
