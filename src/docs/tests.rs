//! The tables are whole and their examples hold; comments are taken apart; what a site brings is found.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::disallowed_methods, reason = "tests")]

use std::fmt::Write;
use std::path::Path;
use std::path::PathBuf;
use std::sync::Arc;

use super::Page;
use super::Topic;
use super::builtin;
use super::comment;
use super::named;
use super::nearest;
use super::render;
use super::ruby;
use super::site;
use crate::console::Begin;
use crate::console::Console;
use crate::diag::Diagnostic;
use crate::names::Name;
use crate::resource_types::AttributeKind;
use crate::resource_types::METAPARAMETERS;
use crate::resource_types::Registry;
use crate::resource_types::docs as types;
use crate::session::Options;
use crate::session::Session;
use crate::types::docs as data_types;
use crate::value::Value;
use crate::world::Disk;
use crate::world::Memory;

fn here(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(path)
}

/// The environment that examples speak of.
fn session() -> Session {
    let options = Options {
        root: Some(here("tests/examples")),
        modulepath: Some(vec![here("tests/examples/modules"), here("tests/examples/standin")]),
        facts: Some(here("tests/examples/facts.json")),
        code: Some(String::new()),
        ..Options::default()
    };
    Session::open(options, Arc::new(Disk::new())).unwrap()
}

fn evaluate(session: &Session, code: &str) -> (Result<Value, String>, Vec<String>) {
    let text = |diagnostic: &Diagnostic| format!("{}: {}", diagnostic.severity.as_str(), diagnostic.message);
    let asked = session.with_node("web1.example.com", Some(""), |opened, _| {
        let (mut console, _) = Console::new(opened, Begin::Bare).map_err(|(_, error)| text(&error)).unwrap();
        let reply = console.evaluate(code);
        let logs = reply.logs.iter().map(text).collect();
        match reply.error {
            Some(error) => (Err(text(&error)), logs),
            None => (Ok(reply.value.unwrap_or(Value::Undef)), logs),
        }
    });
    asked.unwrap_or_else(|error| (Err(text(&error)), Vec::new()))
}

fn holds(session: &Session, code: &str, expected: &str) -> Result<(), String> {
    let (got, logs) = evaluate(session, code);
    let holds = match expected.split_once(": ") {
        Some(("error", text)) => got.as_ref().is_err_and(|message| message.contains(text)),
        Some((level @ ("notice" | "warning" | "err" | "alert" | "crit" | "emerg"), text)) => {
            logs.iter().any(|line| line.starts_with(level) && line.contains(text))
        }
        _ => got.is_ok() && got == evaluate(session, expected).0,
    };
    if holds { Ok(()) } else { Err(format!("{code}\n  gives {got:?} {logs:?}\n  not {expected}")) }
}

fn with_stack(work: impl FnOnce() + Send + 'static) {
    std::thread::Builder::new().stack_size(crate::session::STACK).spawn(work).unwrap().join().unwrap();
}

#[test]
fn examples_of_functions_and_data_types_hold() {
    with_stack(|| {
        let session = session();
        let functions = crate::functions::all().flat_map(|function| function.examples);
        let all = functions.chain(data_types::ALL.iter().flat_map(|found| found.examples));
        let wrong: Vec<String> = all.filter_map(|(code, expected)| holds(&session, code, expected).err()).collect();
        assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    });
}

#[test]
fn data_types_are_documented() {
    for pair in data_types::ALL.windows(2) {
        assert!(pair[0].name < pair[1].name, "{} stands before {}", pair[0].name, pair[1].name);
    }
    for found in data_types::ALL {
        assert!(found.examples.len() >= 2 && found.doc.ends_with('.'), "{}", found.name);
        let (known, _) = evaluate(&session(), found.name);
        assert!(matches!(known, Ok(Value::Type(_))), "{}: {known:?}", found.name);
    }
}

#[test]
fn every_attribute_of_every_type_is_documented() {
    let world = Memory::default();
    let registry = Registry::new(Vec::new());
    let documented = types::all();
    for name in Registry::core_names() {
        let known = registry.lookup(&world, name).unwrap().unwrap();
        let found = documented.iter().find(|found| found.name == name).unwrap_or_else(|| panic!("{name}"));
        assert!(found.module.is_none() && found.doc.ends_with('.'), "{name}");
        assert_eq!(found.attributes.len(), known.attributes.len(), "{name}");
        for attribute in &found.attributes {
            let kind = known.kind(Name::new(&attribute.name)).unwrap_or_else(|| panic!("{name}: {}", attribute.name));
            let wanted = match kind {
                _ if known.key_attributes.iter().any(|key| key.as_str() == attribute.name) => "namevar",
                AttributeKind::Property => "property",
                _ => "parameter",
            };
            assert_eq!(attribute.kind, wanted, "{name}: {}", attribute.name);
            assert!(attribute.doc.ends_with('.'), "{name}: {}", attribute.name);
            let feature = attribute.feature.as_ref();
            assert!(feature.is_none_or(|feature| found.features.contains(feature)), "{name}: {feature:?}");
        }
    }
    let names: Vec<String> = types::metaparameters().into_iter().map(|found| found.name).collect();
    assert_eq!(names, METAPARAMETERS);
}

#[test]
fn examples_of_types_compile() {
    // The types of modules are not here: stand-ins with the attributes of the table.
    let dir = tempfile::TempDir::new().unwrap();
    let folder = dir.path().join("types/lib/puppet/type");
    std::fs::create_dir_all(&folder).unwrap();
    for found in types::all().iter().filter(|found| found.module.is_some()) {
        let mut text = format!("Puppet::Type.newtype(:{}) do\n", found.name);
        for attribute in &found.attributes {
            let line = match attribute.kind.as_str() {
                "property" => format!("newproperty(:{})", attribute.name),
                "namevar" if attribute.name == "name" => "newparam(:name, namevar: true)".to_owned(),
                _ => format!("newparam(:{})", attribute.name),
            };
            let _ = writeln!(text, "  {line}");
        }
        std::fs::write(folder.join(format!("{}.rb", found.name)), text + "end\n").unwrap();
    }
    let modulepath = vec![dir.path().to_path_buf()];
    with_stack(move || {
        for found in types::all().into_iter().filter(|found| !found.example.is_empty()) {
            let options = Options {
                modulepath: Some(modulepath.clone()),
                code: Some(found.example.clone()),
                facts: Some(here("tests/examples/facts.json")),
                ..Options::default()
            };
            let session = Session::open(options, Arc::new(Disk::new())).unwrap();
            let compiled = session.compile("web1.example.com");
            if let Err(error) = compiled.result {
                panic!("{}: {}", found.name, error.message);
            }
        }
    });
}

#[test]
fn the_generated_pages_are_those_of_the_tables() {
    let mut wrong = Vec::new();
    for topic in [Topic::Functions, Topic::Types, Topic::Datatypes] {
        let mut pages = builtin::pages(topic);
        if topic == Topic::Types {
            pages.push(builtin::metaparameters());
        }
        let word = topic.word();
        let stored = std::fs::read_to_string(here(&format!("docs/{word}.md"))).unwrap_or_default();
        let wanted = render::book(topic, &pages);
        if stored != wanted {
            std::fs::create_dir_all(here("target/docs")).unwrap();
            std::fs::write(here(&format!("target/docs/{word}.md")), wanted).unwrap();
            wrong.push(word);
        }
    }
    let how = "catwalk docs TOPIC --builtin --format markdown > docs/TOPIC.md, or take it from target/docs";
    assert!(wrong.is_empty(), "{wrong:?} in docs/ are not up to date: {how}");
}

#[test]
fn comments_are_taken_apart() {
    let source = "x = 1\n\n# @summary Sums up\n#\n# A text\n#   with code\n#\n# @param [Integer] a the a\n#   goes on\n#\n\
                  # @param b\n#   the b\n# @return [String] a text\n# @example One\n#   f(1)\n#\n#   f(2)\n# @note Beware\n\
                  function f($a, $b) { }\n";
    let lines = comment::above(source, 19, &["#"]);
    let found = comment::parse(&lines);
    assert_eq!(found.doc(), "Sums up.\n\nA text\n  with code");
    let params: Vec<(&str, &str, &str)> =
        found.params.iter().map(|(a, b, c)| (a.as_str(), b.as_str(), c.as_str())).collect();
    assert_eq!(params, [("a", "Integer", "the a\ngoes on"), ("b", "", "the b")]);
    let examples: Vec<(&str, &str)> =
        found.examples.iter().map(|example| (example.title.as_str(), example.code.as_str())).collect();
    assert_eq!(examples, [("One", "f(1)\n\nf(2)")]);
    let notes: Vec<String> = found.notes().into_iter().map(|(name, text)| format!("{name}={text}")).collect();
    assert_eq!(notes, ["returns=String: a text", "note=Beware"]);
    let licensed = "Copyright (C) 2013 x\n\nLicensed under the Apache License\n\n     http://example.com\n\nUseful.";
    let lines: Vec<String> = licensed.lines().map(str::to_owned).collect();
    assert_eq!(comment::parse(&lines).doc(), "Useful.");
    assert!(comment::above("x = 1\nf()\n", 2, &["#"]).is_empty());
}

#[test]
fn ruby_of_modules_is_read_without_running_it() {
    let text = "# Adds.\n# @param a one\nPuppet::Functions.create_function(:'m::add') do\n  # @return the sum\n  \
                dispatch :add do\n    param 'Integer', :a\n    optional_param 'Integer', :b\n    \
                optional_block_param\n    return_type 'Integer'\n  end\n  def add(a, b = 1)\n    a + b\n  end\nend\n";
    let page = ruby::function("m::add", text);
    assert_eq!(page.signatures, ["m::add(Integer $a, Optional[Integer] $b, Optional[Callable] &$block) >> Integer"]);
    assert_eq!((page.doc.as_str(), page.attributes.len(), page.notes.len()), ("Adds.", 1, 1));
    let old = "module Puppet::Parser::Functions\n  newfunction(:old, :type => :rvalue, :doc => <<-DOC\n    Old one.\n\n    \
               More.\n    DOC\n  ) do |args|\n    1\n  end\nend\n";
    assert_eq!(ruby::function("old", old).doc, "Old one.\n\nMore.");
    let bare = "# Says when.\n#\nmodule Puppet::Parser::Functions\n  newfunction(:now) do |args|\n    1\n  end\nend\n";
    assert_eq!(ruby::function("now", bare).doc, "Says when.");
    let kind = "Puppet::Type.newtype(:t) do\n  @doc = \"A t.\n    Second.\"\n  ensurable\n  newparam(:name) do\n    desc 'Its name.'\n    \
                isnamevar\n  end\n  newproperty(:mode) do\n    desc 'How.'\n    newvalues(:a, :b)\n    defaultto :a\n  end\nend\n";
    let page = ruby::resource_type("t", kind);
    assert_eq!(page.doc, "A t.\nSecond.");
    let mode = page.attributes.iter().find(|attribute| attribute.name == "mode").unwrap();
    assert_eq!(
        (mode.doc.as_str(), mode.values.join("|"), mode.default.as_deref()),
        ("How.", "a|b".to_owned(), Some("a"))
    );
}

#[test]
fn a_site_brings_its_own() {
    let session = session();
    let environment = session.open_environment().unwrap();
    let pages = |topic| site::pages(&environment, &Disk::new(), topic);
    let functions = pages(Topic::Functions);
    let page = &functions[0];
    assert_eq!(page.origin, "module example: functions/first_even.pp");
    assert_eq!(page.signatures, ["example::first_even(Array[Integer] $numbers) >> Optional[Integer]"]);
    assert_eq!(page.summary(), "The first even one of some numbers, `undef` when there is none.");
    let names = |pages: &[Page]| pages.iter().map(|page| page.name.clone()).collect::<Vec<_>>().join(" ");
    assert_eq!(names(&pages(Topic::Classes)), "example example::web");
    let types = pages(Topic::Types);
    assert_eq!(names(&types), "example::site");
    let port = &types[0].attributes[0];
    assert_eq!((port.data_type.as_str(), port.default.as_deref()), ("Integer[1, 65535]", Some("80")));
    assert_eq!(port.doc, "where it listens");
}

#[test]
fn names_are_found_and_guessed() {
    let types = builtin::pages(Topic::Types);
    assert_eq!(named(&types, "File").len(), 1);
    assert_eq!(named(&types, "::file").len(), 1);
    assert!(named(&types, "files").is_empty());
    assert_eq!(nearest(types.iter(), "pakage"), ["package"]);
    let functions = builtin::pages(Topic::Functions);
    assert!(nearest(functions.iter(), "end_with").contains(&"stdlib::end_with"));
    assert!(nearest(functions.iter(), "qqqqqqqq").is_empty());
}
