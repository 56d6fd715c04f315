//! Expressions with Ruby's own answers (`answers/*.rb`, recorded by `tests/reference/ruby-answers`), and templates.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "tests")]

use crate::functions::probe;
use crate::functions::probe::Setup;
use crate::value::Value;

fn render(template: &str, variables: &[(&str, Value)]) -> Result<String, String> {
    let mut setup = Setup::default();
    setup.variables.push(("t".to_owned(), Value::str(template)));
    setup.variables.extend(variables.iter().map(|(name, value)| ((*name).to_owned(), value.clone())));
    match probe::evaluate("inline_template($t)", &setup).result {
        Ok(Value::Str(text)) => Ok(text.to_string()),
        Ok(other) => Err(format!("{other:?}")),
        Err(message) => Err(message),
    }
}

#[test]
fn answers() {
    let files = [
        include_str!("answers/strings.rb"),
        include_str!("answers/collections.rb"),
        include_str!("answers/language.rb"),
        include_str!("answers/classes.rb"),
        include_str!("answers/visibility.rb"),
        include_str!("answers/bytes.rb"),
        include_str!("answers/puppet.rb"),
        include_str!("answers/objects.rb"),
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
