//! What deferred functions see, compared with Puppet 7.23 and OpenVox 8.28.1, and how often the main manifest is evaluated for them.
//!
//! `tests/reference/deferred` records `tests/apply/deferred/answers.json`. The key `difference` of an entry gives the
//! reason why a version is known to differ.

use std::path::Path;

use serde_json::Value;

use crate::support::Site;

/// The lines of a run that the recorder keeps, with only the level and text of errors.
fn lines(output: &std::process::Output, folder: &Path) -> Vec<String> {
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).replace(&*folder.to_string_lossy(), "DIR");
    let all = [text(&output.stderr), text(&output.stdout)].concat();
    let is_kept = |line: &&str| {
        ["Debug: ", "Info: ", "Notice: ", "Warning: ", "Error: "].iter().any(|level| line.starts_with(level))
            && !["Compiled catalog", "Applied catalog", "defined 'message'"]
                .iter()
                .any(|ignored| line.contains(ignored))
    };
    all.lines().map(str::trim_end).filter(is_kept).map(text_of_error).collect()
}

/// Puppet ends the run, Catwalk fails the resource: the reasons are compared.
fn text_of_error(line: &str) -> String {
    let Some(text) = line.strip_prefix("Error: ") else { return line.to_owned() };
    let text = text.strip_prefix("Failed to apply catalog: ").unwrap_or(text);
    let text = text.strip_prefix("/Stage[main]/Main/Notify[a]: ").unwrap_or(text);
    let text = text.strip_prefix("Could not evaluate: ").unwrap_or(text);
    // Puppet 8 names the position in the template.
    let text = text.split(" (file: ").next().unwrap_or(text);
    format!("Error: {text}")
}

#[test]
fn deferred_functions_see_what_they_see_in_puppet() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/apply/deferred");
    let entries: Vec<Value> = serde_json::from_str(include_str!("../apply/deferred/answers.json")).unwrap();
    let mut wrong = Vec::new();
    for (entry, (key, version)) in
        entries.iter().flat_map(|entry| [("puppet 7", "7"), ("openvox 8", "8")].map(|one| (entry, one)))
    {
        let site = Site::empty();
        let mut command =
            site.command(&["apply", "--puppet", version, "-e", entry["code"].as_str().unwrap(), "--site"]);
        let output =
            command.arg(folder.join("production")).arg("--facts").arg(folder.join("facts.json")).output().unwrap();
        let got = lines(&output, &folder);
        let recorded = entry[key].as_array().unwrap().iter().map(|line| text_of_error(line.as_str().unwrap()));
        let expected: Vec<String> = recorded.collect();
        if (got == expected) == entry["difference"][key].is_string() {
            wrong.push(format!("{} ({key}): {got:#?} instead of {expected:#?}", entry["name"]));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn the_main_manifest_is_evaluated_once() {
    let site = Site::new(&[("catwalk.toml", "")]);
    let log = site.path().join("count");
    let deferred: String =
        (0..3).map(|at| format!("notify {{ 'n{at}': message => Deferred('join', [['a', {at}], '-']) }}\n")).collect();
    let code = format!("generate('/bin/sh', '-c', 'echo x >> {}')\n$x = 'top'\n{deferred}", log.display());
    let run = site.run(&["apply", "--site", ".", "-e", &code]).expect(2, "");
    assert_eq!(std::fs::read_to_string(&log).unwrap(), "x\n");
    assert!((0..3).all(|at| run.stdout.contains(&format!("defined 'message' as 'a-{at}'"))), "{run:#?}");
}

/// A failed function affects no later one, and what it printed is not lost.
#[test]
fn a_failed_function_has_no_effect_on_the_next() {
    let site = Site::new(&[("catwalk.toml", "")]);
    let deferred = |epp: &str| format!("Deferred('inline_epp', ['{epp}'])");
    let code = format!(
        "notify {{ 'a': message => {} }} notify {{ 'b': message => {} }}",
        deferred("<% warning(\"printed\") fail(\"broken\") %>"),
        deferred("<% $y = 1 %>b<%= $y %>")
    );
    let run = site.run(&["apply", "--site", ".", "-e", &code]).expect(6, "broken");
    assert!(run.stderr.contains("printed") && run.stdout.contains("defined 'message' as 'b1'"), "{run:#?}");
}
