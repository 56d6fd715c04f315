//! Compares the tables of methods with those of Ruby (`ruby_methods.tsv`).

use super::registry::classes;
use crate::core;
use crate::object::Class;
use crate::object::class::Arity;
use crate::object::ruby_methods;

/// Modules that extend a class: their methods are also those of the class itself.
const EXTENSIONS: &[(&str, &[&str])] = &[
    ("CGI", &["CGI::Util", "CGI::Escape"]),
    ("SecureRandom", &["Random::Formatter"]),
    ("Random", &["Random::Formatter"]),
];

/// Methods that the recorded version of Ruby has only with further libraries, or not at all.
const UNRECORDED: &[&str] = &[
    // Only Ruby 3.2 has it.
    "URI.encode_uri_component",
    // The library `open-uri`
    "URI.open",
    "URI::FTP#open",
    "URI::FTP#read",
    "URI::HTTP#open",
    "URI::HTTP#read",
    "URI::HTTPS#open",
    "URI::HTTPS#read",
    // Only Ruby 3.2 has it.
    "Exception#detailed_message",
    // Private methods, which `send` calls
    "Module#module_function",
    "Module#private",
    "Module#protected",
    "Module#public",
    // RubyGems, `pp` and FastGettext
    "Kernel.gem",
    "Kernel.n_",
    "Kernel.pp",
];

/// Whether the arity of a method matches Ruby's. For methods written in C, Ruby only reports whether some arguments are
/// optional.
fn matches_ruby(ours: Arity, arity: i8) -> bool {
    let ruby = i64::from(arity);
    if ruby >= 0 { ours.number() == ruby } else { ours.min != ours.max && ours.number() <= ruby }
}

/// The recorded arity of a method of a class itself. `new` has the arity of `initialize`, which is not recorded.
fn class_method_arity(class: &str, name: &str) -> Option<i8> {
    let extensions = EXTENSIONS.iter().find(|(extended, _)| *extended == class).map_or(&[][..], |(_, modules)| modules);
    ruby_methods::class_method_arity(class, name)
        .or_else(|| extensions.iter().find_map(|module| ruby_methods::arity(module, name)))
        .or_else(|| ruby_methods::arity("Class", name))
}

/// What is wrong with an entry of a table, whose arity Ruby reports as `recorded`.
fn difference(label: &str, name: &str, ours: Arity, recorded: Option<i8>) -> Option<String> {
    match recorded {
        // Names that begin with an underscore are the interpreter's own.
        None if name.starts_with('_') || UNRECORDED.contains(&label) => None,
        None => Some(format!("{label}: Ruby has no such method")),
        Some(arity) if !matches_ruby(ours, arity) && name != "new" => {
            Some(format!("{label}: takes {}, in Ruby {arity}", ours.display_count()))
        }
        Some(_) => None,
    }
}

fn differences(class: &Class) -> Vec<String> {
    if !ruby_methods::has_class(class.name) {
        return Vec::new();
    }
    let of_objects = class.methods.iter().filter_map(|method| {
        let label = format!("{}#{}", class.name, method.name);
        difference(&label, method.name, method.arity, ruby_methods::arity(class.name, method.name))
    });
    let of_class = class.singleton.iter().filter_map(|method| {
        let label = format!("{}.{}", class.name, method.name);
        difference(&label, method.name, method.arity, class_method_arity(class.name, method.name))
    });
    of_objects.chain(of_class).collect()
}

#[test]
fn method_tables_match_ruby() {
    let found: Vec<String> = classes().flat_map(differences).collect();
    assert!(found.is_empty(), "{}", found.join("\n"));
}

#[test]
fn functions_match_ruby() {
    let found: Vec<String> = core::kernel::FUNCTIONS
        .iter()
        .filter_map(|function| {
            let recorded = ruby_methods::class_method_arity("Kernel", function.name);
            difference(&format!("Kernel.{}", function.name), function.name, function.arity, recorded)
        })
        .collect();
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
