//! Lines `CODE  #=> ANSWER` of `tests/ruby/*.rb`: our evaluator for Ruby must return what Ruby itself returned when
//! `tests/reference/ruby-answers` recorded the line. `!CLASS: MESSAGE` is an exception.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::OnceLock;

use catwalk_session::probe;
use catwalk_session::probe::Setup;
use catwalk_value::Value;
use libtest_mimic::Failed;
use libtest_mimic::Trial;

/// The file whose lines start processes. They are evaluated by `catwalk eval`, which may start processes.
const PROCESSES: &str = "processes";

/// One test for each line with an answer, `ruby::FILE: LINE CODE`.
pub fn trials() -> Vec<Trial> {
    let mut files: Vec<_> =
        std::fs::read_dir(crate::folder("ruby")).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.retain(|path| path.extension().is_some_and(|extension| extension == "rb"));
    files.sort();
    let mut trials = Vec::new();
    for file in files {
        let topic = file.file_stem().unwrap().to_str().unwrap();
        let text = std::fs::read_to_string(&file).unwrap();
        let lines = text.lines().enumerate().filter_map(|(at, line)| Some((at + 1, line.split_once("  #=> ")?)));
        let lines: Vec<(usize, String, String)> =
            lines.map(|(at, (code, answer))| (at, code.to_owned(), answer.to_owned())).collect();
        let processes = Arc::new(Processes::of(&lines));
        for (number, code, answer) in lines {
            // The harness pads every name to the length of the longest one.
            let start: String = code.chars().take(80).collect();
            let name = format!("ruby::{topic}: {number} {start}");
            let processes = (topic == PROCESSES).then(|| processes.clone());
            trials.push(Trial::test(name, move || {
                let got = processes.map_or_else(|| evaluate(&code), |processes| processes.answer(&code));
                if got == answer { Ok(()) } else { Err(Failed::from(format!("gives {got}\nnot   {answer}"))) }
            }));
        }
    }
    trials
}

/// What the code returns, as `inspect` shows it.
fn evaluate(code: &str) -> String {
    let template = format!(
        "<%= begin; (lambda {{ {code}\n }}).call.inspect; rescue StandardError, ScriptError => e; \
         \"!#{{e.class}}: #{{e.message.lines.first.to_s.chomp}}\"; end %>"
    );
    let setup = Setup { variables: vec![("t".to_owned(), Value::str(&template))], ..Setup::default() };
    match probe::evaluate("inline_template($t)", &setup).result {
        Ok(Value::Str(text)) => text.to_string(),
        Ok(other) => format!("{other:?}"),
        Err(message) => message,
    }
}

/// Answers to the lines of the file `processes`: one run of `catwalk eval`, started by the first test that needs an answer.
struct Processes {
    codes: Vec<String>,
    answers: OnceLock<BTreeMap<String, String>>,
}

impl Processes {
    fn of(lines: &[(usize, String, String)]) -> Processes {
        Processes { codes: lines.iter().map(|(_, code, _)| code.clone()).collect(), answers: OnceLock::new() }
    }

    fn answer(&self, code: &str) -> String {
        self.answers.get_or_init(|| self.run()).get(code).cloned().unwrap_or_default()
    }

    fn run(&self) -> BTreeMap<String, String> {
        let template = "<%= @codes.split(\"\\u0001\").map { |code| begin; eval(code).inspect; \
             rescue StandardError => e; \"!#{e.class}: #{e.message.lines.first.to_s.chomp}\"; end }.join(\"\\u0001\") %>";
        let site = tempfile::tempdir().unwrap();
        std::fs::write(site.path().join("codes"), self.codes.join("\u{1}")).unwrap();
        std::fs::write(site.path().join("t.erb"), template).unwrap();
        let code = format!("$codes = file('{0}/codes') template('{0}/t.erb')", site.path().display());
        let run = std::process::Command::new(env!("CARGO_BIN_EXE_catwalk"))
            .args(["eval", "--site", "/", "--format", "json", "-e", &code])
            .output()
            .unwrap();
        assert!(run.status.success(), "{}", String::from_utf8_lossy(&run.stderr));
        let got: String = serde_json::from_slice(&run.stdout).unwrap();
        self.codes.iter().cloned().zip(got.split('\u{1}').map(str::to_owned)).collect()
    }
}
