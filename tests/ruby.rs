//! Ruby of templates and modules: expressions with Ruby's own answers, and development checks over files that are not in this
//! repository, which do nothing without their variables.

use catwalk::compile::probe;
use catwalk::compile::probe::Setup;
use catwalk::value::Value;

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

/// `RUBY_FILES=LIST cargo test ruby_files`: every listed Ruby file or ERB template must parse.
#[test]
fn ruby_files() {
    let Ok(list) = std::env::var("RUBY_FILES") else { return };
    let (mut read, mut failed) = (0, 0);
    for path in std::fs::read_to_string(list).unwrap().lines() {
        let text = String::from_utf8_lossy(&std::fs::read(path).unwrap()).into_owned();
        let template = path.ends_with(".erb");
        let result = if template { catwalk::erb::parse(&text) } else { catwalk::ruby::parser::parse(&text, false) };
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
fn template_cases() {
    let Ok(list) = std::env::var("TEMPLATE_CASES") else { return };
    let (mut asked, mut equal) = (0, 0);
    for line in std::fs::read_to_string(list).unwrap().lines() {
        let case: serde_json::Value = serde_json::from_str(line).unwrap();
        let path = case["path"].as_str().unwrap();
        let variables = catwalk::value::json::from_json(&case["variables"]);
        let Value::Hash(variables) = variables else { continue };
        let variables: Vec<(&str, Value)> = variables.iter().map(|(k, v)| (k.as_str().unwrap(), v.clone())).collect();
        let text = std::fs::read_to_string(path).unwrap();
        let got = render(&text, &variables);
        asked += 1;
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
    println!("{asked} asked, {equal} equal");
}

/// Processes that Ruby code starts, with Ruby's own answers: where they are allowed, and where they are not.
#[test]
fn processes() {
    let answers = std::fs::read_to_string("src/ruby_eval/answers/processes.rb").unwrap();
    let cases: Vec<(&str, &str)> = answers.lines().filter_map(|line| line.split_once("  #=> ")).collect();
    let list = |texts: Vec<&str>| texts.join("\u{1}");
    let template = "<%= @codes.split(\"\\u0001\").map { |code| begin; eval(code).inspect; rescue StandardError => e; \
         \"!#{e.class}: #{e.message.lines.first.to_s.chomp}\"; end }.join(\"\\u0001\") %>";
    let site = tempfile::tempdir().unwrap();
    std::fs::write(site.path().join("codes"), list(cases.iter().map(|(code, _)| *code).collect())).unwrap();
    std::fs::write(site.path().join("t.erb"), template).unwrap();
    let code = format!("$codes = file('{0}/codes') template('{0}/t.erb')", site.path().display());
    let run = assert_cmd::Command::cargo_bin("catwalk")
        .unwrap()
        .args(["eval", "--site", "/", "--format", "json", "-e", &code])
        .output()
        .unwrap();
    assert!(run.status.success(), "{}", String::from_utf8_lossy(&run.stderr));
    let got: String = serde_json::from_slice(&run.stdout).unwrap();
    for ((code, answer), got) in cases.iter().zip(got.split('\u{1}')) {
        assert_eq!(got, *answer, "{code}");
    }
    let refused = render("<%= begin; `true`; rescue => e; 1; end %>", &[]).unwrap_err();
    assert!(refused.contains("not allowed here: running true"), "{refused}");
}

/// Expressions with Ruby's own answers, recorded by `tests/reference/ruby-answers`.
#[test]
fn answers() {
    let files = [
        include_str!("../src/ruby_eval/answers/strings.rb"),
        include_str!("../src/ruby_eval/answers/collections.rb"),
        include_str!("../src/ruby_eval/answers/language.rb"),
        include_str!("../src/ruby_eval/answers/classes.rb"),
        include_str!("../src/ruby_eval/answers/visibility.rb"),
        include_str!("../src/ruby_eval/answers/bytes.rb"),
        include_str!("../src/ruby_eval/answers/puppet.rb"),
        include_str!("../src/ruby_eval/answers/objects.rb"),
    ];
    let mut wrong = Vec::new();
    let mut asked = 0;
    for line in files.iter().flat_map(|file| file.lines()) {
        let Some((code, answer)) = line.split_once("  #=> ") else { continue };
        asked += 1;
        let template = format!(
            "<%= begin; (lambda {{ {code}\n }}).call.inspect; rescue StandardError, ScriptError => e; \
             \"!#{{e.class}}: #{{e.message.lines.first.to_s.chomp}}\"; end %>"
        );
        let got = render(&template, &[]).unwrap_or_else(|error| error);
        if got != answer {
            wrong.push(format!("{code}\n  gives {got}\n  not   {answer}"));
        }
    }
    assert!(wrong.is_empty(), "{} of {asked} are wrong:\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn templates() {
    let cases = [
        ("a<%= 1 %>b", "a1b"),
        ("<%= begin; 5; rescue => e; 3; end %>", "5"),
        ("<% [1,2].each do |x| -%>\n<%= x %>\n<% end -%>\n", "1\n2\n"),
    ];
    for (template, expected) in cases {
        assert_eq!(render(template, &[]).as_deref(), Ok(expected), "{template}");
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
