//! Trees and messages of Puppet's parser, recorded in `tests/syntax/*.json`.
//!
//! A case is `{"code", "epp", "tasks", "issues": [[severity, code, message, line, pos]…], "pn"}`; `"differs"` states why Catwalk's
//! message is different. `tests/reference/syntax --record FILE…` records the answers again.

use std::sync::Arc;

use catwalk_base::diag::Severity;
use catwalk_base::source::SourceMap;
use catwalk_syntax as syntax;
use serde_json::Value;

fn cases(text: &str) -> Vec<Value> {
    serde_json::from_str::<Vec<Value>>(text).expect("cases are JSON")
}

/// `[severity, code, message, line, pos]` of each diagnostic, and the tree.
fn parse(code: &str, template: bool, tasks: bool) -> (Vec<[Value; 5]>, String) {
    let sources = SourceMap::new();
    let id = sources.add(None, "test", Arc::from(code));
    let options = syntax::Options { template, tasks, ..syntax::Options::default() };
    let (file, diagnostics) = syntax::parse_with(&sources, id, &options);
    let issues = diagnostics
        .iter()
        .map(|found| {
            let (_, line, column) = found.span.and_then(|span| sources.locate(span)).expect("a location");
            let severity = if found.severity >= Severity::Error { "error" } else { "warning" };
            [severity.into(), found.code.as_str().into(), found.message.as_ref().into(), line.into(), column.into()]
        })
        .collect();
    (issues, syntax::pn::dump(&file, code))
}

/// How Catwalk's issues or tree differ from the recorded ones. Puppet stops at the first syntax error; some of its errors have no
/// code, and those at the end of a file have no location.
fn difference(case: &Value) -> Option<String> {
    let code = case["code"].as_str().expect("code");
    let (issues, pn) = parse(code, case["epp"] == true, case["tasks"] == true);
    let expected = case["issues"].as_array().expect("issues");
    let is_error = |issue: &Value| issue == "error";
    let rejected = issues.iter().any(|issue| is_error(&issue[0]));
    if rejected != expected.iter().any(|issue| is_error(&issue[0])) {
        return Some(format!("rejected: {rejected}, expected {expected:?}, found {issues:?}"));
    }
    if case.get("differs").is_some() {
        return None;
    }
    let syntax_error = expected.iter().any(|issue| issue[1].is_null() || issue[1] == "SYNTAX_ERROR");
    if issues.len() < expected.len() || (!syntax_error && case["pn"].is_string() && issues.len() != expected.len()) {
        return Some(format!("expected {expected:?}, found {issues:?}"));
    }
    for (want, have) in expected.iter().zip(&issues) {
        let known = |index: usize| !want[index].is_null() || matches!(index, 0 | 2);
        if (0..5).any(|index| known(index) && want[index] != have[index]) {
            return Some(format!("expected {want}, found {have:?}"));
        }
    }
    match case["pn"].as_str() {
        Some(expected) if expected != pn => Some(format!("expected {expected}\n   found {pn}")),
        _ => None,
    }
}

fn check_all(name: &str, text: &str, at_least: usize) {
    let cases = cases(text);
    assert!(cases.len() >= at_least, "{name}: only {} cases", cases.len());
    let wrong: Vec<String> =
        cases.iter().filter_map(|case| difference(case).map(|why| format!("{}\n   {why}", case["code"]))).collect();
    assert!(wrong.is_empty(), "{name}: {} of {} differ:\n{}", wrong.len(), cases.len(), wrong.join("\n"));
}

#[test]
fn valid_snippets_have_the_trees_of_the_reference() {
    check_all("valid", include_str!("syntax/valid.json"), 100);
}

#[test]
fn invalid_snippets_have_the_issues_of_the_reference() {
    check_all("invalid", include_str!("syntax/invalid.json"), 150);
}

#[test]
fn plans_have_the_issues_of_the_reference() {
    check_all("plans", include_str!("syntax/plans.json"), 50);
}

/// No prefix of a snippet, and no snippet with one character removed, makes the parser panic.
#[test]
fn broken_snippets_are_answered() {
    for case in cases(include_str!("syntax/valid.json")) {
        let code = case["code"].as_str().expect("code");
        let template = case["epp"] == true;
        for (at, c) in code.char_indices() {
            for tasks in [false, true] {
                parse(&code[..at], template, tasks);
                parse(&format!("{}{}", &code[..at], &code[at + c.len_utf8()..]), template, tasks);
            }
        }
    }
}

fn catwalk(args: &[&str]) -> std::process::Output {
    assert_cmd::Command::cargo_bin("catwalk").expect("built").args(args).output().expect("runs")
}

#[test]
fn the_exit_code_of_check_shows_its_result() {
    let directory = tempfile::tempdir().expect("a directory");
    let write = |name: &str, bytes: &[u8]| {
        let path = directory.path().join(name);
        std::fs::create_dir_all(path.parent().expect("a parent")).expect("created");
        std::fs::write(&path, bytes).expect("written");
        path.to_string_lossy().into_owned()
    };
    let good = write("good/a.pp", b"notice(1)\n");
    let template = write("good/b.epp", b"<%= $x %>");
    assert_eq!(catwalk(&["check", &good, &template]).status.code(), Some(0));
    let bytes = write("bad/c.pp", b"$x = '\xff'\n");
    let out = catwalk(&["check", &bytes]);
    assert_eq!(out.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&out.stdout).contains("invalid byte at offset 6 (line 1)"));
    let misplaced = write("modules/ntp/manifests/server.pp", b"class ntp::client { }\n");
    let out = catwalk(&["check", "--format", "json", &misplaced]);
    assert_eq!(out.status.code(), Some(1));
    let report: Value = serde_json::from_slice(&out.stdout).expect("JSON");
    assert_eq!(report["diagnostics"][0]["code"], "ILLEGAL_DEFINITION_LOCATION");
    let ruby = write("good/d.erb", b"<% @list.each do |item| -%>\n<%= item %>\n<% end -%>\n");
    assert_eq!(catwalk(&["check", &ruby]).status.code(), Some(0));
    write("ruby/d.erb", b"one\n  <% if @a %>\ntwo\n");
    let out = catwalk(&["check", "--format", "json", &directory.path().join("ruby").to_string_lossy()]);
    assert_eq!(out.status.code(), Some(1));
    let report: Value = serde_json::from_slice(&out.stdout).expect("JSON");
    assert_eq!(report["diagnostics"][0]["code"], "TEMPLATE_SYNTAX");
    let beyond = write("beyond/e.erb", b"one\n<% BEGIN { @a = 1 } %>\n");
    let out = catwalk(&["check", "--format", "json", &beyond]);
    assert_eq!(out.status.code(), Some(0));
    let report: Value = serde_json::from_slice(&out.stdout).expect("JSON");
    assert_eq!(report["diagnostics"][0]["message"], "not supported yet: 'BEGIN'");
    assert_eq!(
        (&report["diagnostics"][0]["severity"], &report["diagnostics"][0]["line"]),
        (&"warning".into(), &2.into())
    );
    assert_eq!(catwalk(&["check", "/nowhere/at/all.pp"]).status.code(), Some(2));
    assert_eq!(catwalk(&["check", "-e", "$x = )"]).status.code(), Some(1));
    let sarif: Value =
        serde_json::from_slice(&catwalk(&["check", "--format", "sarif", &misplaced]).stdout).expect("JSON");
    assert_eq!(sarif["runs"][0]["results"][0]["level"], "error");
}

#[test]
fn parse_shows_the_tree() {
    let out = catwalk(&["parse", "-e", "$x = 0x10"]);
    assert_eq!(String::from_utf8_lossy(&out.stdout), "(= (var \"x\") (int {:radix 16 :value 16}))\n");
    let out = catwalk(&["parse", "--format", "json", "-e", "foo(1)"]);
    let tree: Value = serde_json::from_slice(&out.stdout).expect("JSON");
    assert_eq!(tree["^"][0], "invoke");
    assert_eq!(catwalk(&["parse", "-e", "foo("]).status.code(), Some(1));
}
