//! Commands of manifests: those whose answers serve for the whole run, and hints on slow ones.

use crate::support::Site;

/// A command that counts how often it runs.
const COUNTING: &str = "#!/bin/sh\necho x >> \"${0%/*}/ran\"\nsleep 0.2\necho \"answer $*\"\n";

fn site(settings: &str) -> Site {
    use std::os::unix::fs::PermissionsExt;
    let settings = format!("manifest = \"site.pp\"\nnodes = \"nodes\"\n{settings}");
    let site = Site::new(&[
        ("catwalk.toml", &settings),
        ("nodes/a.json", "{}"),
        ("nodes/b.json", "{}"),
        ("nodes/c.json", "{}"),
    ]);
    let count = site.path().join("count");
    site.write("count", COUNTING);
    std::fs::set_permissions(&count, std::fs::Permissions::from_mode(0o755)).unwrap();
    let count = count.display();
    site.write(
        "site.pp",
        format!(
            "notify {{ generate('{count}', 'show', '*-*-* 00/2:00'): }}\nnotify {{ generate('{count}', 'now'): }}\n"
        ),
    );
    site
}

fn runs(site: &Site) -> usize {
    std::fs::read_to_string(site.path().join("ran")).unwrap_or_default().lines().count()
}

#[test]
fn a_pure_command_runs_once_for_all_nodes_and_others_for_each() {
    let each = site("");
    each.run(&["compile", "-o", "out/"]).expect(0, "");
    assert_eq!(runs(&each), 6);

    let once = site("[commands]\npure = [\"*/count show *\"]\n");
    once.run(&["compile", "-o", "out/"]).expect(0, "");
    assert_eq!(runs(&once), 1 + 3);
    for node in ["a", "b", "c"] {
        let catalog = std::fs::read_to_string(once.path().join(format!("out/{node}.json"))).unwrap();
        assert!(catalog.contains("answer show *-*-* 00/2:00") && catalog.contains("answer now"), "{catalog}");
    }
}

#[test]
fn recorded_answers_serve_in_place_of_pure_commands_too() {
    let site = site("[commands]\npure = [\"*/count *\"]\n");
    site.run(&["compile", "-o", "out/", "--record", "tape"]).expect(0, "");
    assert_eq!(runs(&site), 2);
    site.run(&["compile", "-o", "out/", "--replay", "tape"]).expect(0, "");
    assert_eq!(runs(&site), 2, "nothing runs");
}

#[test]
fn commands_that_take_most_of_a_run_are_named_with_what_makes_them_pure() {
    let site = site("");
    let run = site.run(&["compile", "-o", "out/"]).expect(0, "hint: `SITE/count show` took ");
    assert!(run.stderr.contains("pure = [\"SITE/count show *\"]"), "{run:#?}");
    let quiet = site.run(&["compile", "-o", "out/", "--quiet"]).expect(0, "");
    assert!(!quiet.stderr.contains("hint"), "{quiet:#?}");
}

#[test]
fn an_invalid_pattern_is_refused() {
    site("[commands]\npure = [\"/bin/[a\"]\n").run(&["compile"]).expect(2, "`pure` of [commands]: '/bin/[a'");
}
