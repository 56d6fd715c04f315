//! Types of the Resource API: rows are read once, states are compared, and the kind follows the provider.

use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;

use catwalk_base::name;
use catwalk_base::names::Name;
use catwalk_resource_api::AttributeChange;
use catwalk_resource_api::AttributeProvider;
use catwalk_resource_api::Change;
use catwalk_resource_api::Comparison;
use catwalk_resource_api::Context;
use catwalk_resource_api::Definition;
use catwalk_resource_api::Failure;
use catwalk_resource_api::Origin;
use catwalk_resource_api::Provider;
use catwalk_resource_api::Providers;
use catwalk_resource_api::State as Row;
use catwalk_resource_api::read_type;
use catwalk_value::Value;
use catwalk_value::data::json;

use crate::Kinds;
use crate::Options;
use crate::RunOutcome;
use crate::State;
use crate::tests::catalog::Manifest;
use crate::tests::recorded;
use crate::tests::recorded::apply;

/// What the providers of a test were called for, and the rows of their machine.
#[derive(Default)]
struct Calls {
    calls: Vec<String>,
    rows: Vec<Row>,
}

/// A provider whose rows are in memory.
struct MemoryProvider {
    calls: Rc<RefCell<Calls>>,
    changes_attributes: bool,
}

struct MemoryProviders(Rc<RefCell<Calls>>);

impl Providers for MemoryProviders {
    fn load(&mut self, definition: &Arc<Definition>) -> Result<Option<Box<dyn Provider>>, Failure> {
        self.0.borrow_mut().calls.push("load".to_owned());
        let changes_attributes = definition.name == "single";
        Ok(Some(Box::new(MemoryProvider { calls: self.0.clone(), changes_attributes })))
    }
}

impl MemoryProvider {
    fn put(&self, row: Row) {
        let rows = &mut self.calls.borrow_mut().rows;
        let is_same = |other: &Row| other.get(&name!("name")) == row.get(&name!("name"));
        rows.retain(|other| !is_same(other));
        if row.get(&name!("ensure")) != Some(&Value::str("absent")) {
            rows.push(row);
        }
    }
}

impl Provider for MemoryProvider {
    fn get(&mut self, _: &mut Context<'_>, _: Option<&[Value]>) -> Result<Vec<Row>, Failure> {
        let calls = &mut *self.calls.borrow_mut();
        calls.calls.push("get".to_owned());
        Ok(calls.rows.clone())
    }

    fn set(&mut self, _: &mut Context<'_>, changes: &[Change], _: bool) -> Result<(), Failure> {
        for change in changes {
            let name = change.name.as_str().unwrap();
            self.calls.borrow_mut().calls.push(format!("set {name}"));
            if name == "broken" {
                return Err(Failure::new("it is broken"));
            }
            self.put(change.should.clone().unwrap());
        }
        Ok(())
    }

    fn canonicalize(&mut self, _: &mut Context<'_>, states: Vec<Row>) -> Result<Vec<Row>, Failure> {
        Ok(states)
    }

    fn as_attribute_provider(&mut self) -> Option<&mut dyn AttributeProvider> {
        if self.changes_attributes { Some(self) } else { None }
    }
}

impl AttributeProvider for MemoryProvider {
    fn read(&mut self, _: &mut Context<'_>, name: &Value, _: &Row) -> Result<Vec<Row>, Failure> {
        let calls = &mut *self.calls.borrow_mut();
        calls.calls.push(format!("read {}", name.as_str().unwrap()));
        Ok(calls.rows.clone())
    }

    fn compare(&mut self, _: &mut Context<'_>, _: &AttributeChange<'_>) -> Result<Comparison, Failure> {
        Ok(Comparison::Undecided)
    }

    fn sync(&mut self, _: &mut Context<'_>, change: &AttributeChange<'_>) -> Result<(), Failure> {
        self.calls.borrow_mut().calls.push(format!("sync {}", change.attribute));
        Ok(())
    }

    fn flush(&mut self, _: &mut Context<'_>, _: &Value, _: &Row, should: &Row) -> Result<(), Failure> {
        self.put(should.clone());
        Ok(())
    }

    fn is_refreshable(&self) -> bool {
        true
    }

    fn refresh(&mut self, _: &mut Context<'_>, _: &Value, _: &Row, _: &Row) -> Result<bool, Failure> {
        self.calls.borrow_mut().calls.push("refresh".to_owned());
        Ok(true)
    }
}

fn definition(name: &str, features: &str) -> Arc<Definition> {
    let text = format!(
        r#"{{ "name": "{name}", "desc": "x", "features": [{features}], "attributes": {{
            "ensure": {{ "type": "Enum[present, absent]", "desc": "x", "default": "present" }},
            "name": {{ "type": "String", "desc": "x", "behaviour": "namevar" }},
            "size": {{ "type": "Optional[Integer]", "desc": "x" }} }} }}"#
    );
    Arc::new(read_type(&json::parse(text.as_bytes()).unwrap(), "thing.rhai").definition.unwrap())
}

/// A run of a manifest with the types `whole` and `single`, whose provider changes attributes one by one.
fn run(manifest: Manifest, rows: &[(&str, i64)]) -> (RunOutcome, Vec<String>, Rc<RefCell<Calls>>) {
    let row = |(name, size): &(&str, i64)| {
        let attributes = [
            (name!("name"), Value::str(name)),
            (name!("ensure"), Value::str("present")),
            (name!("size"), Value::Int(*size)),
        ];
        Row::from_iter(attributes)
    };
    let calls = Rc::new(RefCell::new(Calls { calls: Vec::new(), rows: rows.iter().map(row).collect() }));
    let providers: Rc<RefCell<dyn Providers>> = Rc::new(RefCell::new(MemoryProviders(calls.clone())));
    let mut kinds = Kinds::new();
    kinds.insert_definition(&definition("whole", ""), &providers, None, Origin::Catalog);
    kinds.insert_definition(&definition("single", "\"custom_insync\""), &providers, None, Origin::Catalog);
    let options = Options::default();
    let (outcome, lines) =
        apply(&manifest.catalog(), &kinds, &mut recorded::machine(), &mut State::default(), &options);
    (outcome, lines, calls)
}

#[test]
fn rows_are_read_once_and_changes_are_set_one_by_one() {
    let manifest = Manifest::new().with("Whole", "a", r#"{"size": 1}"#).with("Whole", "b", r#"{"size": 1}"#).with(
        "Whole",
        "c",
        r#"{"ensure": "absent"}"#,
    );
    let (_, lines, calls) = run(manifest, &[("a", 1), ("b", 2), ("c", 3)]);
    assert_eq!(
        lines,
        [
            "Notice: /Stage[main]/Main/Whole[b]/size: size changed 2 to 1",
            "Notice: /Stage[main]/Main/Whole[c]/ensure: undefined 'ensure' from 'present'",
        ]
    );
    // The first `load` looks whether the provider of `single` changes attributes one by one.
    assert_eq!(calls.borrow().calls, ["load", "load", "get", "set b", "set c"]);
    assert_eq!(calls.borrow().rows.len(), 2);
}

#[test]
fn a_missing_resource_is_created() {
    let (outcome, lines, calls) = run(Manifest::new().with("Whole", "a", r#"{"size": 1}"#), &[]);
    assert_eq!(lines, ["Notice: /Stage[main]/Main/Whole[a]/ensure: defined 'ensure' as 'present'"]);
    assert_eq!(outcome.resources[0].status.events[0].name, "whole_created");
    assert_eq!(calls.borrow().rows[0].get(&name!("size")), Some(&Value::Int(1)));
}

#[test]
fn a_failing_provider_fails_its_resource() {
    let manifest = Manifest::new().with("Whole", "broken", "{}").with("Whole", "a", "{}");
    let (outcome, lines, _) = run(manifest, &[]);
    assert!(lines.contains(&"Error: /Stage[main]/Main/Whole[broken]: Could not evaluate: it is broken".to_owned()));
    let failed: Vec<bool> = outcome.resources.iter().map(|resource| resource.status.failed).collect();
    assert_eq!(failed, [true, false]);
}

#[test]
fn wrong_values_are_refused_before_the_run() {
    let (outcome, ..) = run(Manifest::new().with("Whole", "a", r#"{"size": "x"}"#), &[]);
    let why = "Parameter size failed on Whole[a]: whole.size expects a value of type Undef or Integer, got String";
    assert_eq!(outcome.failure.as_deref(), Some(why));
}

#[test]
fn a_provider_of_single_attributes_reads_each_resource_and_syncs_each_attribute() {
    let manifest = Manifest::new().with("Single", "a", r#"{"size": 1}"#).with("Single", "b", r#"{"size": 1}"#);
    let (_, lines, calls) = run(manifest, &[("a", 2), ("b", 1)]);
    assert_eq!(lines, ["Notice: /Stage[main]/Main/Single[a]/size: size changed 2 to 1"]);
    assert_eq!(calls.borrow().calls, ["load", "read a", "sync size", "read b"]);
}

#[test]
fn only_a_provider_of_single_attributes_refreshes() {
    let manifest = Manifest::new()
        .with("Whole", "a", r#"{"notify": ["Single[b]", "Whole[c]"]}"#)
        .with("Single", "b", "{}")
        .with("Whole", "c", "{}");
    let (outcome, _, calls) = run(manifest, &[("b", 1), ("c", 1)]);
    assert!(calls.borrow().calls.contains(&"refresh".to_owned()));
    let restarted: Vec<(&str, bool)> =
        outcome.resources.iter().map(|resource| (&*resource.reference, resource.status.restarted)).collect();
    assert_eq!(restarted, [("Whole[a]", false), ("Single[b]", true), ("Whole[c]", false)]);
}

#[test]
fn traits_follow_the_definition() {
    let providers: Rc<RefCell<dyn Providers>> = Rc::new(RefCell::new(MemoryProviders(Rc::default())));
    let mut kinds = Kinds::new();
    kinds.insert_definition(&definition("remote", "\"remote_resource\""), &providers, None, Origin::Catalog);
    let traits = kinds.get(Name::new("remote")).traits();
    assert_eq!((traits.applies_to_host, traits.applies_to_device), (false, true));
    assert_eq!(traits.identifying, [name!("name")]);
    assert!(traits.accepts_ensure && traits.shows_name && !traits.is_refreshable);
    let unmanaged = kinds.get(Name::new("schedule")).traits();
    assert!(unmanaged.applies_to_device && kinds.get(Name::new("other")).traits().applies_to_host);
}
