//! Compares the tables of methods with those of Ruby (`ruby_methods.tsv`).

use super::Class;
use super::Method;
use super::registry::CLASSES;
use super::ruby_methods;

/// Whether the arity of a method matches Ruby's. For methods written in C, Ruby only reports whether some arguments are
/// optional.
fn fits(method: &Method, arity: i8) -> bool {
    let (ours, theirs) = (method.arity, i64::from(arity));
    if theirs >= 0 { ours.number() == theirs } else { ours.min != ours.max && ours.number() <= theirs }
}

fn wrong(class: &Class) -> Vec<String> {
    let mut found = Vec::new();
    for method in class.methods {
        match ruby_methods::arity(class.name, method.name) {
            None => found.push(format!("{}#{}: Ruby has no such method", class.name, method.name)),
            Some(arity) if !fits(method, arity) => {
                found.push(format!(
                    "{}#{}: takes {}, in Ruby {arity}",
                    class.name,
                    method.name,
                    method.arity.display_count()
                ));
            }
            Some(_) => {}
        }
    }
    for method in class.singleton {
        if !ruby_methods::of_class(class.name, method.name) {
            found.push(format!("{}.{}: Ruby has no such method", class.name, method.name));
        }
    }
    found
}

#[test]
fn methods_are_those_of_ruby() {
    let found: Vec<String> = CLASSES.iter().flat_map(|class| wrong(class)).collect();
    assert!(found.is_empty(), "{}", found.join("\n"));
}

#[test]
fn methods_that_are_not_built_are_known() {
    for (class, name, known) in [
        ("String", "unicode_normalized?", true),
        ("String", "between?", true),
        ("String", "no_such", false),
        ("Object", "tap", true),
        ("ArgumentError", "full_message", true),
        ("SomeClassOfAProgram", "instance_variables", true),
        ("SomeClassOfAProgram", "upcase", false),
    ] {
        assert_eq!(ruby_methods::has(class, name), known, "{class}#{name}");
    }
    for (class, name, known) in [("Math", "cbrt", true), ("Math", "allocate", false), ("Array", "allocate", true)] {
        assert_eq!(ruby_methods::of_class(class, name), known, "{class}.{name}");
    }
}
