//! Reports of `catwalk apply`: the scenarios of `tests/apply/reports`, compared with what `tests/reference/apply-report` recorded of
//! Puppet, and the payloads for PuppetDB.

use std::path::Path;
use std::path::PathBuf;

use catwalk_apply::report::store_report;
use serde_json::Value as Json;

use crate::support::Site;

const TIME: &str = "2026-01-02T03:04:05.000000000+00:00";
const UUID: &str = "00000000-0000-4000-8000-000000000000";

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/apply/reports")
}

fn recorded(name: &str) -> Vec<Json> {
    let text = std::fs::read_to_string(folder().join(format!("{name}.json"))).unwrap();
    serde_json::from_str(&text).unwrap()
}

fn scenarios() -> Vec<Json> {
    let text = std::fs::read_to_string(folder().join("scenarios.yaml")).unwrap();
    let value = catwalk_value::data::yaml::parse(text.as_bytes()).unwrap();
    catwalk_value::json::to_json(&value).as_array().unwrap().clone()
}

fn shell(directory: &Path, code: &Json) {
    let code = format!("umask 022; set -e\n{}", code.as_str().unwrap_or(":"));
    let status = std::process::Command::new("sh").args(["-c", &code]).current_dir(directory).status();
    assert!(status.unwrap().success(), "{code}");
}

fn strings(list: &Json) -> Vec<&str> {
    list.as_array().into_iter().flatten().map(|item| item.as_str().unwrap()).collect()
}

/// A report without what differs from run to run. `tests/reference/apply-report` does the same.
fn normalised(report: &str, directory: &Path) -> Json {
    let mut report: Json = serde_json::from_str(&report.replace(directory.to_str().unwrap(), "DIR")).unwrap();
    let is_time = regex::Regex::new(r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{9}\+00:00$").unwrap();
    let set_time = |entry: &mut Json| {
        assert!(is_time.is_match(entry["time"].as_str().unwrap()), "{entry}");
        entry["time"] = Json::from(TIME);
    };
    set_time(&mut report);
    if !report["configuration_version"].is_null() {
        report["configuration_version"] = Json::from(1_700_000_000);
    }
    for name in ["transaction_uuid", "catalog_uuid"] {
        if let Some(uuid) = report.get_mut(name) {
            assert_eq!(uuid.as_str().unwrap().len(), UUID.len());
            *uuid = Json::from(UUID);
        }
    }
    for line in report["logs"].as_array_mut().unwrap() {
        set_time(line);
        line["message"] = plain(&line["message"]);
        let source = line["source"].as_str().unwrap().to_owned();
        line["tags"].as_array_mut().unwrap().retain(|tag| !source.ends_with(&format!("/{}", tag.as_str().unwrap())));
        if line["message"].as_str().unwrap().starts_with("Could not find resource") {
            (line["file"], line["line"]) = (Json::Null, Json::Null);
        }
        forget_position(line, source.contains("Thing["));
    }
    report["logs"].as_array_mut().unwrap().dedup();
    for status in report["resource_statuses"].as_object_mut().unwrap().values_mut() {
        set_time(status);
        let is_resource_api = status["resource_type"] == "Thing";
        forget_position(status, is_resource_api);
        if !status["evaluation_time"].is_null() {
            status["evaluation_time"] = Json::from(0.5);
        }
        status.as_object_mut().unwrap().shift_remove("machine_changes");
        for event in status["events"].as_array_mut().unwrap() {
            set_time(event);
            event["message"] = plain(&event["message"]);
        }
    }
    for value in report["metrics"]["time"]["values"].as_array_mut().unwrap() {
        assert!(value[2].is_f64(), "{value}");
        value[2] = Json::from(1.5);
    }
    report
}

/// Sorts the tags. Resources of the Resource API lack their position and the tags of what contains them in Puppet, not in Catwalk.
fn forget_position(entry: &mut Json, is_resource_api: bool) {
    let mut tags: Vec<String> = strings(&entry["tags"]).into_iter().map(str::to_owned).collect();
    tags.sort();
    if is_resource_api {
        (entry["file"], entry["line"]) = (Json::Null, Json::Null);
        tags.retain(|tag| tag != "class");
    }
    entry["tags"] = Json::from(tags);
}

fn plain(message: &Json) -> Json {
    let Some(message) = message.as_str() else { return message.clone() };
    let duration = regex::Regex::new(r"(in|after) [0-9.]+ seconds").unwrap().replace_all(message, "$1 N seconds");
    let left_out = r" \(file: [^()]*\)|^(Could not parse for environment \w+|Failed to apply catalog): ";
    let duration = regex::Regex::new(left_out).unwrap().replace_all(&duration, "").into_owned();
    let date = regex::Regex::new(r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d \+0000").unwrap();
    let duration = date.replace_all(&duration, "DATE").into_owned();
    let version = regex::Regex::new(r"configuration version '\d+'").unwrap();
    Json::from(version.replace_all(&duration, "configuration version 'N'"))
}

/// The first difference of two documents, with the path to it.
fn difference(ours: &Json, theirs: &Json, path: &str) -> Option<String> {
    match (ours, theirs) {
        (Json::Object(a), Json::Object(b)) => {
            let names = |map: &serde_json::Map<String, Json>| map.keys().cloned().collect::<Vec<_>>();
            if names(a) != names(b) {
                return Some(format!("{path}: keys {:?}, of Puppet {:?}", names(a), names(b)));
            }
            a.iter().find_map(|(name, value)| difference(value, &b[name], &format!("{path}/{name}")))
        }
        (Json::Array(a), Json::Array(b)) if a.len() == b.len() => {
            a.iter().zip(b).enumerate().find_map(|(at, (a, b))| difference(a, b, &format!("{path}/{at}")))
        }
        (a, b) if a == b => None,
        (a, b) => Some(format!("{path}:\n  {a:#}\nof Puppet:\n  {b:#}")),
    }
}

#[test]
fn reports_are_those_of_puppet() {
    let mut differences = Vec::new();
    for scenario in scenarios() {
        let name = scenario["name"].as_str().unwrap();
        let site = Site::empty();
        let directory = site.path().canonicalize().unwrap();
        let production = directory.join("environments/production");
        let manifest = scenario["manifest"].as_str().unwrap().replace("DIR", directory.to_str().unwrap());
        site.write("environments/production/manifests/site.pp", manifest);
        std::fs::create_dir(production.join("modules")).unwrap();
        std::os::unix::fs::symlink(folder().join("module"), production.join("modules/things")).unwrap();
        shell(&directory, &scenario["setup"]);
        let scratch = tempfile::TempDir::new().unwrap();
        let file = scratch.path().join("report.json");
        for (run, entry) in scenario["runs"].as_array().unwrap().iter().zip(recorded(name)) {
            shell(&directory, &run["before"]);
            // The reports were recorded with 7.23.
            let mut command = site.command(&[
                "apply",
                "--puppet",
                "7",
                "--certname",
                "node.example.com",
                "--environment",
                "production",
            ]);
            command.arg("--site").arg(&production).arg("--report").arg(&file).args(strings(&run["options"]));
            command.env("THINGS", directory.join("things")).env("HOME", scratch.path());
            if scenario["agent"] == true {
                command.arg("--statedir").arg(scratch.path());
            }
            let output = command.output().unwrap();
            let shown = || format!("{name}: {output:?}");
            let text = std::fs::read_to_string(&file).unwrap_or_else(|error| panic!("{error}: {}", shown()));
            std::fs::remove_file(&file).unwrap();
            assert!(!text.contains("hidden value"), "{}", shown());
            differences.extend(difference(&normalised(&text, &directory), &entry["report"], name));
        }
    }
    assert!(differences.is_empty(), "{}", differences.join("\n"));
}

#[test]
fn payloads_for_puppetdb_are_those_of_its_terminus() {
    for scenario in scenarios() {
        let name = scenario["name"].as_str().unwrap();
        for entry in recorded(name) {
            let payload = store_report(&entry["report"], "node.example.com");
            assert_eq!(difference(&payload, &entry["store_report"], name), None);
        }
    }
}

#[test]
fn a_payload_is_written_in_place_of_a_report() {
    let site = Site::new(&[("catwalk.toml", "")]);
    let code = "notify { 'a': message => Sensitive('hidden value').unwrap }";
    let run = site.run(&["apply", "-e", code, "--certname", "n", "--report", "r.json", "--report-format", "puppetdb"]);
    run.expect(2, "");
    let text = std::fs::read_to_string(site.path().join("r.json")).unwrap();
    assert!(!text.contains("hidden value"), "{text}");
    let payload: Json = serde_json::from_str(&text).unwrap();
    assert_eq!((&payload["certname"], &payload["producer"]), (&Json::from("n"), &Json::from("n")));
    assert_eq!(payload["resources"][0]["events"][0]["status"], "success");
    assert!(payload["end_time"].as_str() > payload["start_time"].as_str(), "{text}");
}

#[test]
fn runs_that_fail_early_are_reported_without_secrets() {
    let site = Site::new(&[("catwalk.toml", "")]);
    let read = || -> Json {
        let text = std::fs::read_to_string(site.path().join("r.json")).unwrap();
        site.remove("r.json");
        assert!(!text.contains("hidden value"), "{text}");
        serde_json::from_str(&text).unwrap()
    };
    site.run(&["apply", "-e", "$s = Sensitive('hidden value') fail(\"no ${s.unwrap}\")", "--report", "r.json"])
        .expect(1, "no ");
    let report = read();
    assert_eq!(
        (&report["status"], &report["resource_statuses"]),
        (&Json::from("failed"), &Json::Object(<_>::default()))
    );
    assert!(report.get("catalog_uuid").is_none() && report["configuration_version"].is_null(), "{report}");
    assert!(report["logs"][0]["message"].as_str().unwrap().starts_with("Evaluation Error: "), "{report}");
    site.run(&["apply", "-e", "notify { 'a': }", "--report", "catwalk.toml/r.json"]).expect(1, "catwalk.toml/r.json");
}
