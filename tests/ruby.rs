//! Templates and functions of modules in Ruby, beside the recorded lines of `tests/ruby`. Two are development checks over files
//! that are not in this repository: without their variables they do nothing.

use catwalk_session::probe;
use catwalk_session::probe::Setup;
use catwalk_value::Value;

fn render(template: &str, variables: &[(&str, Value)]) -> Result<String, String> {
    let mut setup = Setup::default();
    setup.variables.push(("template_under_test".to_owned(), Value::str(template)));
    setup.variables.extend(variables.iter().map(|(name, value)| ((*name).to_owned(), value.clone())));
    match probe::evaluate("inline_template($template_under_test)", &setup).result {
        Ok(Value::Str(text)) => Ok(text.to_string()),
        Ok(other) => Err(format!("{other:?}")),
        Err(message) => Err(message),
    }
}

#[test]
fn templates_are_rendered() {
    let cases = [
        ("a<%= 1 %>b", "a1b"),
        ("<%= begin; 5; rescue => e; 3; end %>", "5"),
        ("<% [1,2].each do |x| -%>\n<%= x %>\n<% end -%>\n", "1\n2\n"),
    ];
    for (template, expected) in cases {
        assert_eq!(render(template, &[]).as_deref(), Ok(expected), "{template}");
    }
}

/// `RUBY_FILES=LIST cargo test ruby_files`: every listed Ruby file or ERB template must parse.
#[test]
fn ruby_files_parse() {
    let Ok(list) = std::env::var("RUBY_FILES") else { return };
    let (mut read, mut failed) = (0, 0);
    for path in std::fs::read_to_string(list).unwrap().lines() {
        let text = String::from_utf8_lossy(&std::fs::read(path).unwrap()).into_owned();
        let template = path.ends_with(".erb");
        let result = if template {
            catwalk_ruby_syntax::erb::parse(&text)
        } else {
            catwalk_ruby_syntax::parser::parse(&text, false)
        };
        read += 1;
        if let Err(error) = result {
            failed += 1;
            println!("{path}:{}: {}", error.line, error.message);
        }
    }
    println!("{read} read, {failed} failed");
}

/// Development check: `TEMPLATE_CASES=FILE cargo test template_cases`, the file made by `tests/reference/templates`, renders templates with given variables and
/// compares with the reference's answers. A line: `{"path", "variables", "value" | "error"}`.
#[test]
fn template_cases_render_as_in_puppet() {
    let Ok(list) = std::env::var("TEMPLATE_CASES") else { return };
    let (mut count, mut equal) = (0, 0);
    for line in std::fs::read_to_string(list).unwrap().lines() {
        let case: serde_json::Value = serde_json::from_str(line).unwrap();
        let path = case["path"].as_str().unwrap();
        let variables = catwalk_value::json::from_json(&case["variables"]);
        let Value::Hash(variables) = variables else { continue };
        let variables: Vec<(&str, Value)> = variables.iter().map(|(k, v)| (k.as_str().unwrap(), v.clone())).collect();
        let text = std::fs::read_to_string(path).unwrap();
        let got = render(&text, &variables);
        count += 1;
        let detail = |text: &str| {
            let text = text.split("  Detail: ").last().unwrap().split("inline template: ").last().unwrap().to_owned();
            text.lines()
                .next()
                .unwrap_or("")
                .split(" (line: ")
                .next()
                .unwrap()
                .split(" (file: ")
                .next()
                .unwrap()
                .to_owned()
        };
        let fits = match (&got, case["value"].as_str(), case["error"].as_str()) {
            (Ok(got), Some(value), _) => got == value,
            (Err(got), None, Some(error)) => detail(got) == detail(error),
            _ => false,
        };
        equal += usize::from(fits);
        if !fits {
            let shown = |text: &str| detail(text).chars().take(300).collect::<String>();
            match (&got, case["value"].as_str()) {
                (Ok(got), Some(value)) => {
                    let at = got.lines().zip(value.lines()).find(|(a, b)| a != b);
                    println!("DIFF {path} {}: {at:?}", case["variant"]);
                }
                (Ok(_), None) => {
                    println!("PASS {path} {}: {}", case["variant"], shown(case["error"].as_str().unwrap()))
                }
                (Err(got), Some(_)) => println!("FAIL {path} {}: {}", case["variant"], shown(got)),
                (Err(got), None) => {
                    println!(
                        "WORD {path} {}: {} | {}",
                        case["variant"],
                        shown(got),
                        shown(case["error"].as_str().unwrap())
                    );
                }
            }
        }
    }
    println!("{count} asked, {equal} equal");
}

/// Where no world allows it, Ruby code starts no process.
#[test]
fn processes_are_refused() {
    let refused = render("<%= begin; `true`; rescue => e; 1; end %>", &[]).unwrap_err();
    assert!(refused.contains("not allowed here: running true"), "{refused}");
}

/// A function of stdlib whose file is not one that ours in Rust replaces is run as Ruby.
#[test]
fn a_changed_function_of_stdlib_runs_as_ruby() {
    let value = |path: &str, text: &str, code: &str| {
        let stdlib = vec![(path.to_owned(), text.to_owned())];
        let setup = Setup { stdlib, ..Setup::default() };
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
