//! Every example of every function, and the registry itself.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "tests")]

use super::ALL;
use super::all;
use super::find;
use super::probe;
use super::stdlib;
use crate::names::Name;
use crate::value::Value;
use crate::version::Version;

#[test]
fn sorted_and_each_once() {
    for pair in ALL.windows(2).chain(stdlib::ALL.windows(2)) {
        assert!(pair[0].name < pair[1].name, "{} stands before {}", pair[0].name, pair[1].name);
    }
}

#[test]
fn signatures_parse() {
    for function in all() {
        for version in [Version::SEVEN, Version::EIGHT] {
            if let Err(reason) = find(Name::new(function.name), version).unwrap().signatures() {
                panic!("{}: {}", function.name, reason.message);
            }
        }
    }
}

#[test]
fn every_function_is_documented() {
    for function in all() {
        assert!(function.examples.len() >= 2, "{}: two examples at least", function.name);
        assert!(function.doc.len() > 20 && function.doc.ends_with('.'), "{}: {}", function.name, function.doc);
    }
}

/// stdlib's own text of a function is run where it is not one that ours stands for.
#[test]
fn another_text_of_stdlib_is_run() {
    let value = |path: &str, text: &str, code: &str| {
        let stdlib = vec![(path.to_owned(), text.to_owned())];
        let setup = probe::Setup { stdlib, ..probe::Setup::default() };
        probe::evaluate(code, &setup).result.unwrap()
    };
    let path = "lib/puppet/parser/functions/any2array.rb";
    let edited = "module Puppet::Parser::Functions\n  newfunction(:any2array, type: :rvalue) { |args| ['edited', args[0]] }\nend\n";
    assert_eq!(value(path, edited, "any2array('a')[0]"), Value::str("edited"));
    assert_eq!(value(path, "# Comments say nothing.\n\n", "any2array('a')[0]"), Value::str("a"));
    let newer = "Puppet::Functions.create_function(:any2array) do\n  def any2array(x)\n    'newer'\n  end\nend\n";
    assert_eq!(value("lib/puppet/functions/any2array.rb", newer, "any2array('a')"), Value::str("newer"));
    // One that hands on the scope as stdlib's assertions did from 4.13 to 4.18.
    let scope = "Puppet::Functions.create_function(:any2array) do\n  dispatch :made do\n    param 'Any', :scope\n    \
                 repeated_param 'Any', :args\n  end\n  def call(scope, *args)\n    \
                 self.class.dispatcher.dispatch(self, scope, [scope] + args)\n  end\n  def made(scope, *args)\n    \
                 [scope.lookupvar('x')] + args\n  end\nend\n";
    let found = value("lib/puppet/functions/any2array.rb", scope, "$x = 1\nany2array('a')");
    assert_eq!(found, Value::array(vec![Value::Int(1), Value::str("a")]));
}
