//! Groups as data: rules, classification, explanation, errors. The cases are in `tests/classifier/*.json`.

use catwalk::classifier::Classified;
use catwalk::classifier::Groups;
use catwalk::classifier::Subject;
use catwalk::classifier::rule::Rule;
use catwalk::data::json;
use catwalk::value::Hash;
use catwalk::value::Value;
use catwalk::value::json::to_json;
use catwalk::world::Memory;
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
fn rules_hold_or_not() {
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

/// Each file has `groups` (and `nodes`) and `cases`: the name and body of a node with the documents it must give.
#[test]
fn examples_give_their_documents() {
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
            for kind in ["classified", "problem", "explanation", "near_misses"] {
                let expected = member(case, kind);
                if !expected.is_undef() {
                    let got = to_json(&given(&groups, &node, &classified, kind));
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

fn given(groups: &Groups, node: &Subject, classified: &Classified, kind: &str) -> Value {
    let world = Memory::default();
    match kind {
        "explanation" => groups.explanation(node, classified, false, &world).unwrap(),
        "near_misses" => member(&groups.explanation(node, classified, true, &world).unwrap(), "near_misses").clone(),
        "classified" => groups.classified(node.name(), classified).unwrap(),
        _ => groups.classified(node.name(), classified).unwrap_err().document(),
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
