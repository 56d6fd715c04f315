//! Dependency cycles of the manifests in `cycles.json`, compared with those that the reference's agent finds; recorded by
//! `tests/reference/record-cycles`.

use std::sync::Arc;

use catwalk_catalog::Catalog;
use catwalk_catalog::Cycle;
use catwalk_catalog::OrderReason;
use catwalk_catalog::dependency_cycles;
use catwalk_session::Options;
use catwalk_session::Session;
use catwalk_world::Disk;

/// The agent capitalizes the title of the main class.
fn name(catalog: &Catalog, at: usize) -> String {
    let reference = catalog.resources[at].reference();
    if reference == "Class[main]" { "Class[Main]".to_owned() } else { reference }
}

fn compile(code: &str) -> Catalog {
    let options = Options { code: Some(code.to_owned()), ..Options::default() };
    let session = Session::open(options, Arc::new(Disk::new())).unwrap();
    session.compile("web1.example.com").result.unwrap()
}

/// Members, sorted by name: of each cycle, and the cycles.
pub(crate) fn members(catalog: &Catalog, cycles: &[Cycle]) -> Vec<Vec<String>> {
    let sorted = |cycle: &Cycle| {
        let mut members: Vec<String> = cycle.members.iter().map(|at| name(catalog, *at)).collect();
        members.sort();
        members
    };
    let mut all: Vec<_> = cycles.iter().map(sorted).collect();
    all.sort();
    all
}

/// Why a step of the cycle is not an edge of the catalog, if so.
fn problem(catalog: &Catalog, cycle: &Cycle) -> Option<String> {
    let next = |at: usize| cycle.steps[(at + 1) % cycle.steps.len()].0;
    for (at, (from, why)) in cycle.steps.iter().enumerate() {
        let to = next(at);
        let good = match why {
            OrderReason::Containment => catalog.edges.contains(&(*from, to)) || catalog.edges.contains(&(to, *from)),
            OrderReason::Parameter(parameter) => {
                let owner = if matches!(*parameter, "before" | "notify") { *from } else { to };
                catalog.resources[owner].parameters.keys().any(|name| name.as_str() == *parameter)
            }
        };
        if !good || !cycle.members.contains(from) {
            return Some(format!("{} => {} by {why:?}", name(catalog, *from), name(catalog, to)));
        }
    }
    cycle.steps.is_empty().then(|| "no steps".to_owned())
}

#[test]
fn cycles_are_those_of_the_agent() {
    let cases: serde_json::Value = serde_json::from_str(include_str!("cycles.json")).unwrap();
    let mut problems = Vec::new();
    for case in cases.as_array().unwrap() {
        let catalog = compile(case["code"].as_str().unwrap());
        let cycles = dependency_cycles(&catalog);
        let expected: Vec<Vec<String>> = serde_json::from_value(case["cycles"].clone()).unwrap();
        let got = members(&catalog, &cycles);
        if got != expected {
            problems.push(format!("{}: wanted {expected:?}, got {got:?}", case["name"]));
        }
        problems.extend(
            cycles.iter().filter_map(|cycle| problem(&catalog, cycle)).map(|p| format!("{}: {p}", case["name"])),
        );
    }
    assert!(problems.is_empty(), "{}", problems.join("\n"));
}

#[test]
fn cycles_are_printed_as_one_path() {
    let cycle_texts = |code: &str| {
        let catalog = compile(code);
        dependency_cycles(&catalog).iter().map(|cycle| cycle.text(&catalog)).collect::<Vec<_>>()
    };
    assert_eq!(
        cycle_texts("notify { 'a': before => Notify['b'] } notify { 'b': before => Notify['a'] }"),
        ["(Notify[a] => Notify[b] => Notify[a])"]
    );
    assert_eq!(cycle_texts("notify { 'a': before => Notify['a'] }"), ["(Notify[a] => Notify[a])"]);
    assert_eq!(
        cycle_texts("class a { notify { 'in': require => Class['a'] } } include a"),
        ["(Class[A] => Notify[in] => Class[A])"]
    );
}
