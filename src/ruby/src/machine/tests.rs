//! Compares the tables of methods with those of Ruby (`ruby_methods.tsv`).

use super::registry::CLASSES;
use crate::object::Class;
use crate::object::Method;
use crate::object::ruby_methods;

/// Whether the arity of a method matches Ruby's. For methods written in C, Ruby only reports whether some arguments are
/// optional.
fn matches_ruby(method: &Method, arity: i8) -> bool {
    let (ours, ruby) = (method.arity, i64::from(arity));
    if ruby >= 0 { ours.number() == ruby } else { ours.min != ours.max && ours.number() <= ruby }
}

fn differences(class: &Class) -> Vec<String> {
    let mut found = Vec::new();
    for method in class.methods {
        match ruby_methods::arity(class.name, method.name) {
            None => found.push(format!("{}#{}: Ruby has no such method", class.name, method.name)),
            Some(arity) if !matches_ruby(method, arity) => {
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
        if !ruby_methods::has_class_method(class.name, method.name) {
            found.push(format!("{}.{}: Ruby has no such method", class.name, method.name));
        }
    }
    found
}

#[test]
fn method_tables_match_ruby() {
    let found: Vec<String> = CLASSES.iter().flat_map(|class| differences(class)).collect();
    assert!(found.is_empty(), "{}", found.join("\n"));
}

#[test]
fn unsupported_methods_are_recognized() {
    for (class, name, exists) in [
        ("String", "unicode_normalized?", true),
        ("String", "between?", true),
        ("String", "no_such", false),
        ("Object", "tap", true),
        ("ArgumentError", "full_message", true),
        ("SomeClassOfAProgram", "instance_variables", true),
        ("SomeClassOfAProgram", "upcase", false),
    ] {
        assert_eq!(ruby_methods::has_method(class, name), exists, "{class}#{name}");
    }
    for (class, name, exists) in [("Math", "cbrt", true), ("Math", "allocate", false), ("Array", "allocate", true)] {
        assert_eq!(ruby_methods::has_class_method(class, name), exists, "{class}.{name}");
    }
}
