//! Tests of the documentation: complete attributes, parsed comments, names and suggestions.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "tests")]

use crate::builtin;
use crate::comment;
use crate::page::Topic;
use crate::page::find;
use crate::page::nearest;
use crate::ruby;
use catwalk_base::names::Name;
use catwalk_program::AttributeKind;
use catwalk_program::Environment;
use catwalk_program::METAPARAMETERS;
use catwalk_program::Registry;
use catwalk_program::docs as types;
use catwalk_world::Memory;

#[test]
fn every_attribute_of_every_type_is_documented() {
    let world = Memory::default();
    let registry = Registry::new(Vec::new());
    let documented = types::all();
    for name in Registry::core_names().chain(Registry::names_in_core_modules()) {
        let known = registry.lookup(&Environment::default(), &world, name).unwrap().unwrap();
        let found = documented.iter().find(|found| found.name == name).unwrap_or_else(|| panic!("{name}"));
        let is_in_module = Registry::names_in_core_modules().any(|other| other == name);
        assert!(found.module.is_some() == is_in_module && found.doc.ends_with('.'), "{name}");
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
fn comments_are_parsed_into_tags() {
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
fn names_are_found_and_similar_names_are_suggested() {
    let types = builtin::pages(Topic::Types);
    assert_eq!(find(&types, "File").len(), 1);
    assert_eq!(find(&types, "::file").len(), 1);
    assert!(find(&types, "files").is_empty());
    assert_eq!(nearest(types.iter(), "pakage"), ["package"]);
    let functions = builtin::pages(Topic::Functions);
    assert!(nearest(functions.iter(), "end_with").contains(&"stdlib::end_with"));
    assert!(nearest(functions.iter(), "qqqqqqqq").is_empty());
}
