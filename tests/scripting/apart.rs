//! Scripts in processes of their own, as `catwalk.toml` or an option wants it.

use std::time::Duration;
use std::time::Instant;

use crate::support::Site;

const SITE: &[(&str, &str)] = &[
    ("catwalk.toml", "nodes = \"nodes\"\nenc = \"enc.rhai\"\n[scripts]\nisolation = \"process\"\n"),
    (
        "enc.rhai",
        "import \"names\" as n;\nfn classify(node) { #{ classes: [n::role(node.facts.role)], parameters: #{ tier: 1 } } }\n",
    ),
    ("scripts/lib/names.rhai", "fn role(name) { \"role::\" + name }\n"),
    ("modules/role/manifests/web.pp", "class role::web { notify { m::up(\"web ${tier}\"): } }\n"),
    (
        "modules/m/scripts/functions/up.rhai",
        "dispatch(\"(String $text) >> String\", up);\nfn up(text) { call_function(\"upcase\", text) + fact(\"role\") }\n",
    ),
    ("site.pp", ""),
    ("nodes/n.json", "{\"role\": \"web\"}"),
];

#[test]
fn a_site_can_want_it() {
    let site = Site::new(SITE);
    let run = site.run(&["compile", "n"]).expect(0, "");
    assert!(run.stdout.contains("WEB 1web"), "{run:?}");
    site.write("catwalk.toml", "nodes = \"nodes\"\nenc = \"enc.rhai\"\n");
    site.run(&["compile", "n", "--isolate-scripts"]).expect(0, "");
    site.write("catwalk.toml", "[scripts]\nisolation = \"container\"\n");
    site.run(&["compile", "n"]).expect(2, "`isolation` of [scripts] must be process or none, got container");
}

#[test]
fn what_cannot_be_apart_is_refused() {
    let site = Site::new(SITE);
    site.write("scripts/policies/p.rhai", "fn check(catalog) { }\n");
    site.run(&["compile", "n"]).expect(1, "not supported yet: policies with scripts in a process of their own");
    std::fs::remove_file(site.path().join("scripts/policies/p.rhai")).unwrap();
    site.write("enc.rhai", "group(\"g\", #{ classes: #{} });\n");
    site.run(&["compile", "n"])
        .expect(1, "not supported yet: node groups in Rhai with scripts in a process of their own");
}

#[test]
fn a_classifier_is_ended_in_time() {
    let site = Site::new(SITE);
    for body in ["loop { }", "let m = #{}; let i = 0; loop { m[`k${i}`] = i; i += 1; }", "throw 1"] {
        site.write("enc.rhai", format!("fn classify(node) {{ {body} }}\n"));
        let started = Instant::now();
        site.run(&["compile", "n"]).expect(1, "enc.rhai:1:");
        assert!(started.elapsed() < Duration::from_secs(15), "{body}");
    }
}
