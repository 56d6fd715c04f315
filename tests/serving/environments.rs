//! Environments of a server: switched links, directories of environments, the classifier's choice, and the limit on their number.

use catwalk_agent_site::Layout;
use catwalk_server::CatalogRequest;
use catwalk_server::FailureKind;
use catwalk_server::NodeRequest;
use catwalk_server::ServedSite;
use serde_json::Value;
use serde_json::json;

use super::Serving;
use super::Start;
use super::client;
use super::request;
use super::titles;
use super::without_ids;
use crate::support::Site;

/// Deployments that keep releases in directories and switch a link.
#[test]
fn an_environment_that_is_a_link_can_be_switched() {
    let site = Site::empty();
    for number in 0..4 {
        site.write(&format!("releases/{number}/manifests/site.pp"), "include m\n");
        let class = format!("class m {{ notify {{ 'v{number}': }} }}");
        site.write(&format!("releases/{number}/modules/m/manifests/init.pp"), class);
    }
    std::fs::create_dir(site.path().join("environments")).unwrap();
    let switch = |number: usize| {
        let (link, new) = (site.path().join("environments/production"), site.path().join("environments/.new"));
        std::os::unix::fs::symlink(format!("../releases/{number}"), &new).unwrap();
        std::fs::rename(new, link).unwrap();
    };
    switch(0);
    let layout = Some(Layout::Path(vec![site.path().join("environments")]));
    let serving = Serving::with(&site, Start { layout, ..Start::default() });
    for number in 0..4 {
        switch(number);
        assert_eq!(titles(&serving.catalog("a", &json!({})), "Notify"), [format!("v{number}")]);
        let edited = format!("class m {{ notify {{ 'edited {number}': }} }}");
        site.write(&format!("releases/{number}/modules/m/manifests/init.pp"), edited);
        assert_eq!(titles(&serving.catalog("a", &json!({})), "Notify"), [format!("edited {number}")]);
    }
    // A directory that is replaced by another.
    let staging = site.path().join("environments/staging");
    for number in 0..3 {
        let _ = std::fs::rename(&staging, site.path().join(format!("old{number}")));
        std::fs::rename(site.path().join(format!("releases/{number}")), &staging).unwrap();
        let asked = CatalogRequest { environment: Some("staging".to_owned()), ..request("a", &json!({})) };
        assert_eq!(titles(&serving.answer(&asked).unwrap(), "Notify"), [format!("edited {number}")]);
    }
}

/// `DIR/environments` with these environments, each with a manifest.
fn environments(site: &Site, manifests: &[(&str, &str)]) -> Layout {
    for (name, manifest) in manifests {
        site.write(&format!("environments/{name}/manifests/site.pp"), manifest);
    }
    Layout::Path(vec![site.path().join("environments")])
}

#[test]
fn environments_of_a_path_are_served() {
    let site = Site::empty();
    let layout =
        environments(&site, &[("production", "notify { 'p': }"), ("staging", "notify { \"s ${environment}\": }")]);
    site.write("environments/not-valid/manifests/site.pp", "");
    let serving = Serving::with(&site, Start { layout: Some(layout), ..Start::default() });
    let asked = |environment: &str, check_environment: bool| {
        let environment = Some(environment.to_owned());
        serving.answer(&CatalogRequest { environment, check_environment, ..request("a", &json!({})) })
    };
    let names: Vec<String> = serving.site.environments().into_iter().map(|one| one.name).collect();
    assert_eq!(names, ["production", "staging"]);
    let staging = asked("staging", true).unwrap();
    assert_eq!(
        (titles(&staging, "Notify"), &staging["environment"]),
        (vec!["s staging".to_owned()], &json!("staging"))
    );
    // For an unknown environment, the agent gets the catalog of the default environment, which names that environment.
    for name in ["nosuch", "../environments/staging", "not-valid", ""] {
        let answer = asked(name, true).unwrap();
        assert_eq!((titles(&answer, "Notify"), &answer["environment"]), (vec!["p".to_owned()], &json!("production")));
        assert!(!serving.site.has_environment(name), "{name}");
        assert_eq!(serving.site.modules(name).unwrap_err().kind, FailureKind::NotFound);
    }
    // An environment that is added while the server runs.
    site.write("environments/later/manifests/site.pp", "notify { 'later': }");
    assert_eq!(titles(&asked("later", true).unwrap(), "Notify"), ["later"]);
}

#[test]
fn the_classifier_decides_the_environment() {
    let site = Site::empty();
    let layout =
        environments(&site, &[("production", "notify { 'p': }"), ("staging", "notify { \"${role} in staging\": }")]);
    let enc = "fn classify(node) { #{ environment: if node.facts.wants == () { \"staging\" } else { node.facts.wants }, \
               parameters: #{ role: \"web\" }, classes: [] } }";
    site.write("environments/production/enc.rhai", enc);
    site.write("environments/production/catwalk.toml", "enc = \"enc.rhai\"\n");
    let serving = Serving::with(&site, Start { layout: Some(layout), ..Start::default() });
    let answer = serving.catalog("a", &json!({}));
    let expected = json!({
        "tags": [], "name": "a", "version": null, "code_id": null, "catalog_uuid": null, "catalog_format": 2,
        "environment": "staging", "resources": [], "edges": [], "classes": [],
    });
    assert_eq!(without_ids(answer), expected);
    // An agent that does not check its environment gets the catalog of the assigned one.
    let unchecked = CatalogRequest { check_environment: false, ..request("a", &json!({})) };
    let answer = serving.answer(&unchecked).unwrap();
    assert_eq!(answer["environment"], "staging");
    let missing = CatalogRequest { check_environment: false, ..request("a", &json!({"wants": "nosuch"})) };
    let message = serving.answer(&missing).unwrap_err().message;
    assert!(
        message.contains("Could not find a directory environment named 'nosuch' anywhere in the path"),
        "{message}"
    );
    let node =
        NodeRequest { client: client("b"), environment: Some("production".to_owned()), ..NodeRequest::default() };
    let node: Value = serde_json::from_slice(&serving.site.node(&node).unwrap()).unwrap();
    assert_eq!(node, json!({"name": "b", "environment": "staging", "parameters": {"role": "web"}}));
}

#[test]
fn a_request_classifies_once_whatever_environment_is_assigned() {
    use std::os::unix::fs::PermissionsExt;
    let site = Site::empty();
    let layout = environments(&site, &[("production", "notify { 'p': }"), ("staging", "notify { \"s ${role}\": }")]);
    let directory = site.path().join("environments/production");
    let log = directory.join("count");
    let enc = format!(
        "#!/bin/sh\necho x >> {}\nprintf 'environment: %s\\nparameters: {{role: web}}\\n' $(cat {}/assigned)\n",
        log.display(),
        directory.display()
    );
    site.write("environments/production/enc", enc);
    std::fs::set_permissions(directory.join("enc"), std::fs::Permissions::from_mode(0o755)).unwrap();
    // Each environment has the classifier.
    for name in ["production", "staging"] {
        site.write(&format!("environments/{name}/catwalk.toml"), format!("enc = \"{}/enc\"\n", directory.display()));
    }
    let serving = Serving::with(&site, Start { layout: Some(layout), ..Start::default() });
    let node =
        NodeRequest { client: client("a"), environment: Some("production".to_owned()), ..NodeRequest::default() };
    for (assigned, check_environment, expected) in [
        ("production", false, vec!["p"]),
        ("production", true, vec!["p"]),
        ("staging", false, vec!["s web"]),
        ("staging", true, vec![]),
        ("nosuch", false, vec!["fails"]),
    ] {
        site.write("environments/production/assigned", assigned);
        let _ = std::fs::remove_file(&log);
        let answer = serving.answer(&CatalogRequest { check_environment, ..request("a", &json!({"x": 1})) });
        let names = answer.as_ref().map_or(vec!["fails".to_owned()], |catalog| titles(catalog, "Notify"));
        assert_eq!(names, expected, "{assigned} {check_environment}");
        assert_eq!(std::fs::read_to_string(&log).unwrap().lines().count(), 1, "{assigned} {check_environment}");
        let definition = serving.site.node(&node);
        assert_eq!(definition.is_ok(), assigned != "nosuch");
        assert_eq!(std::fs::read_to_string(&log).unwrap().lines().count(), 2, "{assigned} {check_environment}");
    }
}

#[test]
fn facts_cannot_open_any_number_of_environments() {
    let site = Site::new(&[("nodes/a.json", "{}"), ("site.pp", "notify { 'x': }")]);
    site.write("enc.rhai", "fn classify(node) { #{ environment: node.facts.wants, classes: [] } }");
    site.write("catwalk.toml", "manifest = \"site.pp\"\nenc = \"enc.rhai\"\n");
    let serving = Serving::new(&site);
    let answer = |number: usize| {
        let unchecked =
            CatalogRequest { check_environment: false, ..request("a", &json!({"wants": format!("e{number}")})) };
        serving.answer(&unchecked)
    };
    // The environment `production`, whose classifier runs, is included in the limit.
    for number in 1..64 {
        assert_eq!(answer(number).unwrap()["environment"], format!("e{number}"));
    }
    let message = answer(64).unwrap_err().message;
    assert!(message.contains("a site serves at most 64 environments"), "{message}");
    assert_eq!(answer(63).unwrap()["environment"], "e63");
}
