//! Classes and modules of environments, compared with the answers of Puppet that `tests/reference/environment-classes` records.

use std::collections::BTreeMap;
use std::path::Path;

use catwalk_agent_site::Layout;
use catwalk_server::FailureKind;
use catwalk_server::ServedSite;
use serde_json::Value;
use serde_json::json;

use super::Serving;
use super::Start;
use crate::support::Site;

/// The recorded answers, and the manifests that they are about.
const DIRECTORY: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/server/environment_classes");

/// Manifests with a different answer: Puppet reports no classes of a file with an invalid string in a type, and cuts off the text of heredocs.
const DIFFERENT: [&str; 2] = ["site/manifests/heredoc.pp", "site/manifests/invalid_type.pp"];

fn recorded(name: &str) -> Value {
    serde_json::from_str(&std::fs::read_to_string(format!("{DIRECTORY}/{name}")).unwrap()).unwrap()
}

fn copy(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).unwrap();
    for entry in std::fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        match entry.file_type().unwrap().is_dir() {
            true => copy(&entry.path(), &to.join(entry.file_name())),
            false => drop(std::fs::copy(entry.path(), to.join(entry.file_name())).unwrap()),
        }
    }
}

fn document(answer: Vec<u8>) -> Value {
    serde_json::from_slice(&answer).unwrap()
}

/// Removes types that are null: puppetserver fails on them.
fn without_null_types(mut answer: Value) -> Value {
    let classes = answer.get_mut("classes").and_then(Value::as_array_mut);
    for parameter in classes.into_iter().flatten().flat_map(|class| class["params"].as_array_mut().unwrap()) {
        let fields = parameter.as_object_mut().unwrap();
        fields.retain(|name, value| name != "type" || !value.is_null());
    }
    answer
}

#[test]
fn classes_are_those_that_puppet_finds() {
    let site = Site::empty();
    for folder in ["modules", "site"] {
        copy(&Path::new(DIRECTORY).join(folder), &site.path().join("environments/production/manifests").join(folder));
    }
    let layout = Some(Layout::Path(vec![site.path().join("environments")]));
    let serving = Serving::with(&site, Start { layout, ..Start::default() });
    let answer = serving.site.environment_classes("production").unwrap();
    let root = format!("{}/environments/production/manifests/", site.path().display());
    let answer = document(String::from_utf8(answer).unwrap().replace(&root, "").into_bytes());
    assert_eq!(answer["name"], "production");
    let files: BTreeMap<&str, &Value> =
        answer["files"].as_array().unwrap().iter().map(|file| (file["path"].as_str().unwrap(), file)).collect();
    let recorded = recorded("answers.json");
    let recorded = recorded.as_array().unwrap();
    assert!(recorded.len() > 30 && files.len() == recorded.len(), "{} {}", recorded.len(), files.len());
    let mut wrong = Vec::new();
    for expected in recorded.iter().map(|answer| without_null_types(answer.clone())) {
        let path = expected["path"].as_str().unwrap();
        let (found, expected) = (files[path].to_string(), expected.to_string());
        if (found == expected) == DIFFERENT.contains(&path) {
            let at = found.bytes().zip(expected.bytes()).take_while(|(a, b)| a == b).count().saturating_sub(100);
            let part = |text: &str| text.chars().skip(at).take(300).collect::<String>();
            wrong.push(format!("{path}:\n  {}\n  {}", part(&found), part(&expected)));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn manifests_are_those_that_puppet_lists() {
    let site = Site::empty();
    for (path, class) in [
        ("manifests/b/z.pp", "z"),
        ("manifests/a.pp", "a"),
        ("manifests/.hidden.pp", "hidden"),
        ("manifests/.git/x.pp", "git"),
        ("manifests/notes.txt", "notes"),
        ("modules/m/manifests/init.pp", "m"),
        ("modules/m/manifests/deep/er.pp", "m::deep::er"),
        ("modules/m/files/x.pp", "file"),
        ("modules/not-a-module/manifests/init.pp", "not"),
        ("elsewhere/l.pp", "l"),
    ] {
        site.write(&format!("environments/production/{path}"), format!("class {class} {{ }}"));
    }
    std::os::unix::fs::symlink("../elsewhere", site.path().join("environments/production/manifests/link")).unwrap();
    let layout = Some(Layout::Path(vec![site.path().join("environments")]));
    let serving = Serving::with(&site, Start { layout, ..Start::default() });
    let classes = || {
        let answer = document(serving.site.environment_classes("production").unwrap());
        let files = answer["files"].as_array().unwrap().iter();
        let name = |file: &Value| file["classes"][0]["name"].as_str().unwrap_or("error").to_owned();
        files.map(name).collect::<Vec<_>>()
    };
    assert_eq!(classes(), ["a", "z", "m::deep::er", "m"]);
    site.write("environments/production/manifests/a.pp", "class edited { }");
    assert_eq!(classes(), ["edited", "z", "m::deep::er", "m"]);
    site.write("environments/production/modules/m/manifests/init.pp", "class other { }");
    assert_eq!(classes(), ["edited", "z", "m::deep::er", "error"]);
    let missing = serving.site.environment_classes("missing").unwrap_err();
    assert_eq!(
        (missing.kind, missing.message.as_str()),
        (FailureKind::NotFound, "Could not find environment 'missing'")
    );
}

#[test]
fn modules_have_the_names_and_versions_of_their_metadata() {
    let site = Site::empty();
    copy(&Path::new(DIRECTORY).join("code"), &site.path().join("environments/production"));
    // Puppet 8 leaves a module with malformed metadata out.
    site.write("environments/production/catwalk.toml", "puppet = \"7\"\n");
    site.write("environments/other/manifests/site.pp", "");
    let layout = Some(Layout::Path(vec![site.path().join("environments")]));
    let serving = Serving::with(&site, Start { layout, ..Start::default() });
    let production = json!({ "modules": recorded("modules.json"), "name": "production" });
    let one = serving.site.environment_modules(Some("production")).unwrap();
    assert_eq!(document(one).to_string(), production.to_string());
    let all = serving.site.environment_modules(None).unwrap();
    assert_eq!(document(all), json!([{ "modules": [], "name": "other" }, production]));
    let missing = serving.site.environment_modules(Some("missing")).unwrap_err();
    assert_eq!(missing.kind, FailureKind::NotFound);
}
