//! Types read from made-up modules, and on request all types of a real modulepath against Puppet.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::disallowed_methods, reason = "tests")]

use catwalk_base::version::Version;
use std::path::PathBuf;
use std::sync::Arc;

use super::AttributeKind;
use super::Registry;
use super::ResourceType;
use super::core::Line;
use crate::environment::Environment;
use catwalk_world::Disk;
use catwalk_world::Memory;
use catwalk_world::World;

/// One line: attributes (properties with `=`, key attributes with `*`), patterns, peculiarities.
fn show(found: &ResourceType) -> String {
    let attribute = |(name, kind): (&catwalk_base::names::Name, &AttributeKind)| {
        let key = if found.key_attributes.contains(name) { "*" } else { "" };
        let property = if *kind == AttributeKind::Property { "=" } else { "" };
        format!("{key}{name}{property}")
    };
    let mut text: Vec<String> = found.attributes.iter().map(attribute).collect();
    for pattern in &found.title_patterns {
        if pattern.regexp.source() != "(?m-ix:(.*))" {
            let names: Vec<&str> = pattern.names.iter().map(|name| name.as_str()).collect();
            text.push(format!("{}:{}", pattern.regexp.to_puppet_source(), names.join(",")));
        }
    }
    if !found.isomorphic {
        text.push("not isomorphic".into());
    }
    text.extend(found.gaps.iter().map(|gap| format!("? {gap}")));
    text.join(" ")
}

fn read(files: &[(&str, &str)]) -> String {
    let world = Memory::new(files.iter().map(|(path, text)| (format!("/m/{path}"), *text)));
    match Registry::new(vec![PathBuf::from("/m")]).lookup(&Environment::default(), &world, "t") {
        Ok(Some(found)) => show(&found),
        Ok(None) => "none".into(),
        Err(unusable) => format!("error: {}", unusable.reason.message),
    }
}

#[test]
fn idioms() {
    let cases = [
        ("Puppet::Type.newtype(:t) do\n  ensurable\n  newparam(:name, :namevar => true)\nend", "ensure= *name"),
        ("module Puppet\n  Type.newtype(:t) do\n    newparam :name do\n      isnamevar\n    end\n  end\nend", "*name"),
        ("Puppet::Type.newtype :t do\n  newparam(:path) { isnamevar; desc 'x' }\n  newproperty(:a)\nend", "a= *path"),
        (
            "Puppet::Type.newtype(:t) do\n newparam(:name)\n [:a, :b].each do |p|\n  newproperty(p) do\n   desc \"x #{p}\"\n  end\n end\nend",
            "a= b= *name",
        ),
        ("Puppet::Type.newtype(:t) do\n newparam(:name)\n %w{c d}.each { |p| newparam p.to_sym }\nend", "*name c d"),
        (
            "KEYS = { a: 'x', b: 'y' }.freeze\nPuppet::Type.newtype(:t) do\n newparam('name')\n KEYS.each do |k, v|\n  newproperty(k)\n end\nend",
            "a= b= *name",
        ),
        ("Puppet::Type.newtype(:t) do\n newparam(:name)\n @isomorphic = false\nend", "*name not isomorphic"),
        (
            "Puppet::Type.newtype(:t) do\n def self.both(n)\n  newparam(n)\n  newproperty(:\"#{n}_p\")\n end\n newparam(:name)\n both(:x)\nend",
            "x_p= *name x",
        ),
        (
            "Puppet::Type.newtype(:t) do\n def self.check(name, options = {}, &block)\n  newparam(name, options, &block)\n end\n check(:k) do\n  isnamevar\n end\nend",
            "*k",
        ),
        (
            "Puppet::Type.newtype(:t) do\n newparam(:name)\n newparam(:u) if true\n newparam(:v) unless true\nend",
            "*name u",
        ),
        (
            "Puppet::Type.newtype(:t) do\n newparam(:name)\n names.each { |n| newparam(n) }\nend",
            "*name ? a loop over something unknown at t.rb:3",
        ),
        (
            "Puppet::Type.newtype(:t) do\n newparam(:name)\n if Facter.value(:x)\n  newparam(:y)\n end\nend",
            "*name ? a condition at t.rb:3",
        ),
        (
            "Puppet::Type.newtype(:t) do\n newparam(:name)\n def exists?; true; end\n def create; end\n def destroy\n end\nend",
            "ensure= *name",
        ),
        (
            "Puppet::Type.newtype(:t) do\n newparam(:name) do\n  isnamevar\n end\n newparam(:b) do\n  isnamevar\n end\n def self.title_patterns\n  x = /[^@]+/\n  [[/^(#{x})@(.*)$/m, [[:name], [:b, lambda { |v| v }]]], [/(.*)/, [:name]]]\n end\nend",
            "*name *b /(?m-ix:^((?-mix:[^@]+))@(.*)$)/:name,b /(.*)/:name",
        ),
        (
            "require 'puppet/resource_api'\nPuppet::ResourceApi.register_type(\n name: 't',\n docs: <<-EOS,\n  it's\n EOS\n features: [],\n attributes: {\n  ensure: { type: 'Enum[present, absent]' },\n  name: { type: 'String', behaviour: :namevar },\n  force: { type: 'Boolean', behaviour: :parameter },\n },\n)",
            "ensure= *name force",
        ),
        (
            "module Common\n def self.extended(type)\n  type.newparam(:host) { desc 'x' }\n  [:a, :b].reject { |n| n == :a }.each { |n| type.newproperty(n) }\n end\nend\nPuppet::Type.newtype(:t) do\n extend Common\n newparam(:name)\nend",
            "b= host *name",
        ),
        (
            "Puppet::Type.newtype(:t) do\n newparam(:name)\n list = %i[a b]\n list << :c\n opts = {}\n opts[:d] = 1\n (list + opts.keys).each do |n|\n  case n\n  when :a, :b then newproperty(n)\n  else newparam(n)\n  end\n end\n for n in list do newproperty(:\"#{n}_x\") end\nend",
            "a= b= a_x= b_x= c_x= *name c d",
        ),
        (
            "Puppet::Type.newtype(:t) do\n newparam(:name)\n list = [:a]\n list = [] if Facter.value(:x)\n list.each { |n| newparam(n) }\nend",
            "*name ? a loop over something unknown at t.rb:5",
        ),
        (
            "module H\n def self.each_of(*names)\n  names.each { |n| yield n }\n end\nend\nPuppet::Type.newtype(:t) do\n H.each_of(:name, :b) { |n| newparam(n) }\nend",
            "*name b",
        ),
        (
            "Puppet::Type.newtype(:t) do\n newparam(:name)\n provide(:x, parent: Puppet::Type.type(:y).provider(:x)) do\n  def a; end\n end\n newparam(:b)\nend",
            "*name provider b",
        ),
        (
            "Puppet::Type.newtype(:t) do\n newparam(:name)\nend\nPuppet::Type.type(:u).provide(:x)\nPuppet::Type.type(:t).provide :x do\n newparam(:no)\nend",
            "*name provider",
        ),
        (
            "Puppet::Type.newtype(:other) do\nend",
            "error: not supported yet: resource type 't': no definition found in /m/x/lib/puppet/type/t.rb",
        ),
        (
            "module Puppet\n newtype(:t) do\n  newparam(:name)\n end\nend",
            "error: Could not autoload puppet/type/t: undefined method `newtype' for Puppet:Module",
        ),
        (
            "Puppet::newtype(:t) do\n newparam(:name)\nend",
            "error: Could not autoload puppet/type/t: undefined method `newtype' for Puppet:Module",
        ),
        (
            "newtype(:t) do\n newparam(:name)\nend",
            "error: Could not autoload puppet/type/t: undefined method `newtype' for main:Object",
        ),
        ("module Puppet\n class Type\n  newtype(:t) do\n   newparam(:name)\n  end\n end\nend", "*name"),
        (
            "Puppet::Type.newtype(:t) do\n 'x\nend",
            "error: Could not autoload puppet/type/t: /m/x/lib/puppet/type/t.rb:3: syntax error, unterminated string meets end of file",
        ),
    ];
    for (source, expected) in cases {
        assert_eq!(read(&[("x/lib/puppet/type/t.rb", source)]), expected, "{source}");
    }
}

#[test]
fn deep_nesting_and_endless_loops_end() {
    catwalk_base::stack::with_large(deep_nesting).expect("a thread");
}

fn deep_nesting() {
    for (open, close) in
        [("!", ""), ("(", ")"), ("[", "]"), ("f(", ")"), ("a = ", ""), ("-", ""), ("if ", " end"), ("\"#{", "}\"")]
    {
        let deep = format!("{}1{}", open.repeat(20_000), close.repeat(20_000));
        let source = format!("Puppet::Type.newtype(:t) do\n newparam(:name)\n x = {deep}\nend");
        read(&[("x/lib/puppet/type/t.rb", &source)]);
    }
    let endless = "Puppet::Type.newtype(:t) do\n newparam(:name)\n def self.f\n  f\n  f\n end\n f\nend";
    assert_eq!(read(&[("x/lib/puppet/type/t.rb", endless)]), "*name ? code that takes too long");
    let endless = "Puppet::Type.newtype(:t) do\n newparam(:name)\n def self.f\n  f\n end\n f\nend";
    assert_eq!(read(&[("x/lib/puppet/type/t.rb", endless)]), "*name ? code that nests too deep");
}

/// A type with a loop over `words` words.
fn looping(words: usize, body: &str, behind: &str) -> String {
    let words: Vec<String> = (0..words).map(|n| format!("w{n}")).collect();
    let words = words.join(" ");
    format!(
        "Puppet::Type.newtype(:t) do\n newparam(:name)\n list = []\n table = {{}}\n text = 'x'\n %w[{words}].each do |w|\n  {body}\n end\n{behind}\nend"
    )
}

#[test]
fn long_lists_are_changed_in_place() {
    let started = std::time::Instant::now();
    for push in ["list << w", "list.push(w)", "list.concat([w])", "list.append(w.to_sym)"] {
        let source = looping(50_000, push, " newparam(list.last)\n newparam(list[49_000])");
        let found = read(&[("x/lib/puppet/type/t.rb", &source)]);
        assert_eq!(found, "*name w49999 w49000", "{push}");
    }
    // A change of one variable's copy does not change the other.
    let both = "Puppet::Type.newtype(:t) do\n newparam(:name)\n a = [:x]\n b = a.dup\n b << :y\n a.each { |p| newparam(p) }\n newproperty(b.last)\nend";
    assert_eq!(read(&[("x/lib/puppet/type/t.rb", both)]), "y= *name x");
    for body in [
        "list += [w]",
        "list |= [w]",
        "list = [list]",
        "list = [list, list]",
        "list += list",
        "table[w] = w",
        "table = table.merge({ w => table })",
        "table.merge!({ w => 1 })",
        "text = text + text",
        "text = \"#{text}#{text}\"",
        "list << list",
        "newparam(w)",
        "newproperty(w)",
        "list << w unless list.include?(w)",
    ] {
        let source = looping(60_000, body, " list == list");
        let found = read(&[("x/lib/puppet/type/t.rb", &source)]);
        assert!(found.contains("*name"), "{body}: {}", found.len());
    }
    assert!(started.elapsed().as_secs() < 60, "{:?}", started.elapsed());
}

#[test]
fn a_deadline_reaches_into_the_reader() {
    let source = looping(60_000, "list |= [w]", "");
    let late = catwalk_base::meter::Bounds { stop_at: Some(std::time::Instant::now()), ..big() };
    let result = catwalk_base::meter::run(late, || read(&[("x/lib/puppet/type/t.rb", &source)]));
    assert_eq!(result, Err(catwalk_base::meter::Exceeded::Time));
    let source = looping(60, "text = text + text", "");
    let result = catwalk_base::meter::run(big(), || read(&[("x/lib/puppet/type/t.rb", &source)]));
    assert_eq!(result, Err(catwalk_base::meter::Exceeded::StringLength));
}

/// The bounds of a compile without a time limit.
fn big() -> catwalk_base::meter::Bounds {
    catwalk_base::meter::Bounds {
        stop_at: None,
        stop_at_step: None,
        interrupt: None,
        elements: 1 << 20,
        string_length: 1 << 20,
        memory: 1 << 30,
        memory_gauge: None,
        before_evaluation: false,
        refusal: None,
    }
}

#[test]
fn helpers_in_other_files() {
    let helper = "module PuppetX\n module H\n  def create_parameters\n   ensurable\n   newparam(:name, :namevar => true)\n  end\n  def self.patterns(a, *rest)\n   if !rest.empty? and true\n    []\n   else\n    [[/^(.*)$/, [[a]]]]\n   end\n  end\n end\nend";
    let by_path = "Puppet::Type.newtype(:t) do\n require File.expand_path(File.join(File.dirname(__FILE__), '..', '..', 'puppet_x', 'h'))\n extend PuppetX::H\n create_parameters\n def self.title_patterns\n  PuppetX::H.patterns(:name)\n end\nend";
    let by_name = by_path
        .replace("File.expand_path(File.join(File.dirname(__FILE__), '..', '..', 'puppet_x', 'h'))", "'puppet_x/h'");
    for source in [by_path, by_name.as_str()] {
        let found = read(&[("x/lib/puppet/type/t.rb", source), ("x/lib/puppet_x/h.rb", helper)]);
        assert_eq!(found, "ensure= *name /^(.*)$/:name");
    }
}

#[test]
fn a_helper_defines_singleton_methods_of_the_type_it_is_given() {
    let helper = "module PuppetX\n module H\n  def self.clone_type(type)\n   type.ensurable\n   type.define_singleton_method(:title_patterns) do\n    [[%r{^([^/]*)$}, [[:section]]], [%r{^(.*)/(.*)$}, [[:section], [:setting]]]]\n   end\n   type.newparam(:section) do\n    isnamevar\n   end\n   type.newparam(:setting) do\n    isnamevar\n   end\n  end\n end\nend";
    let source = "require 'puppet_x/h'\nPuppet::Type.newtype(:t) do\n PuppetX::H.clone_type(self)\nend";
    let found = read(&[("x/lib/puppet/type/t.rb", source), ("x/lib/puppet_x/h.rb", helper)]);
    assert_eq!(found, "ensure= *section *setting /^([^\\/]*)$/:section /^(.*)\\/(.*)$/:section,setting");
}

#[test]
fn providers_of_any_module_add_a_parameter() {
    let files = [
        ("a/lib/puppet/type/t.rb", "Puppet::Type.newtype(:t) do\n newparam(:name)\nend"),
        ("b/lib/puppet/provider/t/x.rb", ""),
    ];
    assert_eq!(read(&files), "*name provider");
}

#[test]
fn providers_of_the_resource_api_add_no_parameter() {
    let attributes = "{ ensure: { type: 'Enum[present, absent]' }, name: { type: 'String', behaviour: :namevar } }";
    let source = format!(
        "require 'puppet/resource_api'\nPuppet::ResourceApi.register_type(name: 't', attributes: {attributes})"
    );
    let files = [
        ("a/lib/puppet/type/t.rb", source.as_str()),
        ("a/lib/puppet/provider/t/t.rb", "class Puppet::Provider::T::T < Puppet::ResourceApi::SimpleProvider\nend"),
    ];
    assert_eq!(read(&files), "ensure= *name");
}

#[test]
fn a_changed_file_is_read_again() {
    let file = "/m/x/lib/puppet/type/t.rb";
    let mut world = Memory::new([(file, "Puppet::Type.newtype(:t) do\n newparam(:name)\nend")]);
    let registry = Registry::new(vec![PathBuf::from("/m")]);
    let first = registry.lookup(&Environment::default(), &world, "T").unwrap().unwrap();
    assert!(Arc::ptr_eq(&first, &registry.lookup(&Environment::default(), &world, "t").unwrap().unwrap()));
    world.write(file, "Puppet::Type.newtype(:t) do\n newparam(:path, namevar: true)\nend");
    assert_eq!(show(&registry.lookup(&Environment::default(), &world, "t").unwrap().unwrap()), "*path");
    world.remove(std::path::Path::new(file));
    assert!(registry.lookup(&Environment::default(), &world, "t").unwrap().is_none());
}

#[test]
fn core_types() {
    let world = Memory::default();
    let registry = Registry::new(Vec::new());
    for name in Registry::core_names().chain(Registry::names_in_core_modules()) {
        let found = registry.lookup(&Environment::default(), &world, name).unwrap().unwrap();
        assert_eq!(found.name, name);
        found.title_patterns.iter().for_each(|pattern| pattern.regexp.check().unwrap());
    }
    let file = registry.lookup(&Environment::default(), &world, "File").unwrap().unwrap();
    let titles = [("/a/b/", "/a/b"), ("/", "/"), ("///", "/"), ("C:/", "C:/"), ("a", "a")];
    for (title, path) in titles {
        let values = file.parse_title(title).unwrap();
        assert_eq!(values.first().unwrap().1.as_deref(), Some(path), "{title}");
    }
    assert_eq!(file.parse_title("").unwrap_err().message, "No set of title patterns matched the title \"\".");
    assert_eq!(file.namevar(), "path");
    assert!(
        file.valid_parameter(catwalk_base::name!("name"))
            && file.valid_parameter(catwalk_base::name!("noop"))
            && file.valid_parameter(catwalk_base::name!("mode"))
    );
    assert_eq!(file.check_parameter(catwalk_base::name!("nope")).unwrap_err().message, "no parameter named 'nope'");
    let package = registry.lookup(&Environment::default(), &world, "package").unwrap().unwrap();
    assert_eq!(package.namevar(), "name");
}

/// `CATWALK_MODULES=/path/modules CATWALK_TYPES=types.jsonl cargo test --lib resource_types::tests::reference --
/// --nocapture`, where the second is what `tests/reference/types.rb /path/modules` printed.
#[test]
fn reference() {
    // It needs modules and Puppet's answers about them.
    let Ok(modules) = std::env::var("CATWALK_MODULES") else { return };
    let answers = std::fs::read_to_string(std::env::var("CATWALK_TYPES").unwrap()).unwrap();
    let world = Disk::new();
    let registry = Registry::new(modules.split(':').map(PathBuf::from).collect());
    let (mut read, mut refused, mut wrong) = (0, 0, 0);
    for line in answers.lines() {
        let answer: serde_json::Value = serde_json::from_str(line).unwrap();
        let name = answer["name"].as_str().unwrap();
        let ours = match registry.lookup(&Environment::default(), &world as &dyn World, name) {
            Ok(Some(found)) => show(&found),
            other => format!("{other:?}"),
        };
        let Ok(line) = serde_json::from_value::<Line>(answer.clone()) else {
            refused += 1;
            println!("{name}: the reference says {}, we {ours}", answer["error"]);
            continue;
        };
        read += 1;
        let theirs = show(&line.to_type(Version::SEVEN));
        if ours != theirs {
            wrong += 1;
            println!("{name}:\n  ours   {ours}\n  theirs {theirs}");
        }
    }
    println!("{} of {read} types agree; the reference cannot load {refused} more", read - wrong);
    assert_eq!(wrong, 0);
}
