//! `catwalk compile --profile FILE` and `--profile-table`: what is in them, not how long it took.

use crate::support::Site;

fn site() -> Site {
    Site::new(&[
        ("catwalk.toml", "manifest = \"site.pp\"\nnodes = \"nodes\"\nmodulepath = [\"modules\"]\n"),
        ("hiera.yaml", "version: 5\nhierarchy:\n  - name: all\n    path: all.yaml\n"),
        ("data/all.yaml", "web::port: 80\nuser: ada\n"),
        ("nodes/a.json", "{}"),
        ("nodes/b.json", "{}"),
        ("site.pp", "node default { include web }\n"),
        (
            "modules/web/manifests/init.pp",
            "class web($port) {\n  web::page { 'x': content => template('web/a.erb') }\n  notify { web::text(lookup('user')): }\n\
             notify { epp('web/b.epp'): }\n  notify { generate('/bin/echo', 'secret'): }\n}\n",
        ),
        ("modules/web/manifests/page.pp", "define web::page($content) { notify { \"page ${content}\": } }\n"),
        ("modules/web/functions/text.pp", "function web::text($x) { sprintf('%s', $x) }\n"),
        ("modules/web/templates/a.erb", "<% 20000.times { |i| i.to_s } %>erb\n"),
        ("modules/web/templates/b.epp", "epp\n"),
    ])
}

#[test]
fn stacks_of_all_nodes_are_folded() {
    let site = site();
    site.run(&["compile", "-o", "out/", "--profile", "profile.txt"]).expect(0, "");
    let text = std::fs::read_to_string(site.path().join("profile.txt")).unwrap();
    assert!(!text.contains("secret"), "{text}");
    for line in text.lines() {
        let (stack, time) = line.rsplit_once(' ').unwrap();
        assert!(stack.starts_with("compile") && time.parse::<u64>().is_ok_and(|time| time > 0), "{line}");
    }
    let template = site.path().join("modules/web/templates/a.erb");
    let template =
        format!("compile;node default;function include;class web;function template;template {} ", template.display());
    let of_template = text.lines().filter(|line| line.starts_with(&template)).count();
    assert_eq!(of_template, 1, "both nodes in one line: {text}");
    assert!(text.contains("command /bin/echo "), "{text}");
    assert!(text.lines().any(|line| line.contains(";parse ")), "{text}");
}

#[test]
fn a_profile_goes_to_stdout() {
    let run = site().run(&["compile", "-o", "out/", "--quiet", "--profile", "-"]).expect(0, "");
    assert!(run.stdout.lines().all(|line| line.starts_with("compile")), "{run:#?}");
}

#[test]
fn tables_have_every_kind_of_entry() {
    let run = site().run(&["compile", "-o", "out/", "--profile-table"]).expect(0, "time of all compiles: ");
    let mut title = "";
    let mut rows = std::collections::BTreeMap::<&str, Vec<(String, String)>>::new();
    for line in run.stderr.lines().filter(|line| !line.is_empty()) {
        if let Some((_, found)) = line.split_once("calls  ") {
            title = found;
        } else if let Some((figures, name)) = line.split_at_checked(37) {
            let calls = figures.split_whitespace().last().unwrap_or_default().to_owned();
            rows.entry(title).or_default().push((name.trim().to_owned(), calls));
        }
    }
    let has = |title: &str, name: &str, calls: &str| {
        let found = rows.get(title).is_some_and(|rows| rows.iter().any(|row| row.0.ends_with(name) && row.1 == calls));
        assert!(found, "{title} {name} {calls}: {}", run.stderr);
    };
    has("class", "web", "2");
    has("defined type", "web::page", "2");
    has("function", "web::text", "2");
    has("function", "template", "2");
    has("template", "web/templates/a.erb", "2");
    has("template", "web/templates/b.epp", "2");
    has("Hiera key", "user", "2");
    has("Hiera key", "web::port", "2");
    has("command", "/bin/echo", "2");
    has("file", "web/manifests/init.pp", "3");
    has("node block", "default", "2");
}
