//! Which messages of a compile are printed: `--debug`, `--verbose`, `--quiet`, `log_level`.

use crate::support::Site;

const CODE: &str = "debug('d', 1)\ninfo('i')\nnotice('n')\nwarning('w')\nerr('e')\n\
                    $text = inline_template('<% Puppet.debug(\"ruby debug\"); Puppet.info(\"ruby info\"); scope.debug(\"scope\") %>text')\n\
                    notify { $text: }\n";

fn site(log_level: &str) -> Site {
    let settings = format!("manifest = \"site.pp\"\nnodes = \"nodes\"\n{log_level}");
    Site::new(&[("catwalk.toml", &settings), ("site.pp", CODE), ("nodes/a.json", "{}")])
}

/// The messages on stderr.
fn printed_messages(site: &Site, args: &[&str]) -> Vec<String> {
    let mut all = vec!["compile", "a", "--log-format", "json", "-o", "a.json"];
    all.extend(args);
    let run = site.run(&all).expect(0, "");
    let message =
        |line: &str| serde_json::from_str::<serde_json::Value>(line).ok()?["message"].as_str().map(str::to_owned);
    run.stderr.lines().filter_map(message).collect()
}

#[test]
fn the_level_decides_which_messages_are_printed() {
    let all = ["d 1", "i", "n", "w", "e", "ruby debug", "ruby info", "scope"];
    let from_info = ["i", "n", "w", "e", "ruby info"];
    for (log_level, args, expected) in [
        ("", &[][..], &["n", "w", "e"][..]),
        ("", &["--verbose"], &from_info),
        ("", &["-v"], &from_info),
        ("", &["--debug"], &all),
        ("", &["-d"], &all),
        ("", &["--quiet"], &["e"]),
        ("", &["-q"], &["e"]),
        ("log_level = \"info\"\n", &[], &from_info),
        ("log_level = \"debug\"\n", &["--set", "log_level=warning"], &["w", "e"]),
        ("log_level = \"debug\"\n", &["--quiet"], &["e"]),
        ("[settings]\nlog_level = \"err\"\n", &[], &["e"]),
        ("[settings]\nlog_level = \"err\"\n", &["--verbose"], &from_info),
    ] {
        assert_eq!(printed_messages(&site(log_level), args), expected, "{log_level:?} {args:?}");
    }
}

#[test]
fn catalogs_do_not_depend_on_the_level() {
    let site = site("");
    printed_messages(&site, &["--quiet"]);
    let quiet = std::fs::read_to_string(site.path().join("a.json")).unwrap();
    printed_messages(&site, &["--debug"]);
    let debug = std::fs::read_to_string(site.path().join("a.json")).unwrap();
    let without_version = |text: &str| {
        let mut catalog: serde_json::Value = serde_json::from_str(text).unwrap();
        ["version", "catalog_uuid"].iter().for_each(|key| drop(catalog.as_object_mut().unwrap().remove(*key)));
        catalog
    };
    assert_eq!(without_version(&quiet), without_version(&debug));
}

#[test]
fn an_unknown_level_is_refused() {
    let wrong = "`log_level` must be one of debug, info, notice, warning, err, alert, emerg, crit, got loud";
    site("log_level = \"loud\"\n").run(&["compile"]).expect(2, wrong);
    site("").run(&["compile", "--debug", "--quiet"]).expect(2, "cannot be used with");
}

#[test]
fn quiet_leaves_out_warnings_and_the_summary_but_no_failure() {
    let site = site("");
    site.write("nodes/b.json", "{\"x\": 1}");
    site.write("site.pp", "warning('w')\nif $facts['x'] { fail('no') }\n");
    let run = site.run(&["compile", "--quiet", "-o", "out/"]).expect(1, "no");
    assert_eq!(run.stdout, "");
    assert!(!run.stderr.contains("warning"), "{run:#?}");
}

#[test]
fn expectations_see_messages_of_every_level() {
    let site = site("");
    site.write("site.pp", "");
    let code = "debug('d', 1) info('i') inline_template('<% Puppet.debug(%q(ruby)) %>')";
    let case = format!(
        "cases:\n  a:\n    code: \"{code}\"\n    fact_sets: debian-12-x86_64\n    snapshot: false\n    expect: {{logs: [d 1, ruby]}}\n"
    );
    site.write("tests/logs.yaml", &case);
    let run = site.run(&["test", "--ci", "logs/*"]).expect(0, "");
    assert!(!run.stderr.contains("ruby"), "{run:#?}");
    let run = site.run(&["test", "--ci", "-v", "logs/*"]).expect(0, ": i\n");
    assert!(!run.stderr.contains("d 1"), "{run:#?}");
    site.run(&["test", "--ci", "--debug", "logs/*"]).expect(0, ": d 1\n");
}
