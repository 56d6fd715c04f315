//! Collectors that ask PuppetDB: `--exported URL`, `exported = "puppetdb"`.

use std::time::Duration;

use serde_json::Value;
use serde_json::json;

use crate::support::Site;
use crate::support::puppetdb::FakePuppetDb;
use crate::support::puppetdb::Reply;

fn row(certname: &str, title: &str) -> Value {
    json!({"tags": ["notify", "web"], "file": "/s.pp", "line": 3, "type": "Notify", "title": title, "resource": "00", "environment": "production",
        "certname": certname, "parameters": {"message": "m", "loglevel": null}, "exported": true})
}

fn site(code: &str) -> Site {
    let site = Site::new(&[("site.pp", code), ("nodes/me.example.com.json", "{}")]);
    site.write("catwalk.toml", "nodes = \"nodes\"\nmanifest = \"site.pp\"\n");
    site
}

fn titles(site: &Site, args: &[&str]) -> Vec<String> {
    let run = site.run(&[&["compile", "me.example.com"], args].concat()).expect(0, "");
    let catalog: Value = serde_json::from_str(&run.stdout).unwrap();
    let resources = catalog["resources"].as_array().unwrap().iter().filter(|found| found["type"] == "Notify");
    resources.map(|found| found["title"].as_str().unwrap().to_owned()).collect()
}

/// Recorded by `tests/reference/record-collectors`.
#[test]
fn queries_are_those_of_the_terminus() {
    let recorded = include_str!("puppetdb/collectors.json");
    let recorded: Vec<Value> = serde_json::from_str(recorded).unwrap();
    assert!(recorded.len() > 10);
    let server = FakePuppetDb::start(|_| Reply::Answer(200, "[]".to_owned()));
    let site = site("");
    for entry in recorded {
        site.write("site.pp", entry["collector"].as_str().unwrap());
        assert_eq!(titles(&site, &["--exported", &server.url]), [""; 0]);
        let [request] = server.drain().try_into().unwrap();
        let query: Value = serde_json::from_str(request.parameter("query")).unwrap();
        assert_eq!((request.path.as_str(), query), (entry["path"].as_str().unwrap(), entry["query"].clone()));
        assert_eq!(request.header("accept"), "application/json");
    }
}

#[test]
fn rows_become_resources() {
    let rows = json!([row("b", "second"), row("b", "first"), row("a", "third"), row("me.example.com", "own")]);
    let server = FakePuppetDb::start(move |_| Reply::Answer(200, rows.to_string()));
    // The second collector repeats an earlier query.
    let site = site("Notify <<| |>>\nclass c { Notify <<| |>> { loglevel => 'info' } }\ninclude c\n");
    site.write(
        "catwalk.toml",
        format!(
            "nodes = \"nodes\"\nmanifest = \"site.pp\"\n[puppetdb]\nurl = \"{}\"\nexported = \"puppetdb\"\n",
            server.url
        ),
    );
    assert_eq!(titles(&site, &[]), ["third", "first", "second"]);
    assert_eq!(server.drain().len(), 1);
    assert_eq!(titles(&site, &["--record", "tape"]), ["third", "first", "second"]);
    assert_eq!(server.drain().len(), 1);
    assert_eq!(titles(&site, &["--replay", "tape"]), ["third", "first", "second"]);
    assert_eq!(server.drain().len(), 0);
    // PuppetDB decides what the query selects.
    site.write("site.pp", "Notify <<| tag == 'no row has it' |>>\n");
    assert_eq!(titles(&site, &[]), ["third", "first", "second"]);
}

#[test]
fn a_puppetdb_of_exports_answers_queries_too() {
    let server = FakePuppetDb::start(|_| Reply::Answer(200, r#"[{"certname": "x"}]"#.to_owned()));
    let site = site("$rows = puppetdb_query('nodes[certname] { }') notify { $rows[0]['certname']: }\n");
    assert_eq!(titles(&site, &["--exported", &server.url]), ["x"]);
    let [request] = server.drain().try_into().unwrap();
    assert_eq!((request.path.as_str(), &request.body), ("/pdb/query/v4", &json!({"query": "nodes[certname] { }"})));
}

#[test]
fn another_address_answers_for_one_that_does_not() {
    let bad = FakePuppetDb::start(|_| Reply::Answer(500, "broken".to_owned()));
    let good = FakePuppetDb::start(|_| Reply::Answer(200, Value::from(vec![row("a", "x")]).to_string()));
    let site = site("Notify <<| |>>\n");
    site.write(
        "catwalk.toml",
        format!(
            "nodes = \"nodes\"\nmanifest = \"site.pp\"\n[puppetdb]\nurls = [\"{}\", \"{}\"]\nexported = \"puppetdb\"\n",
            bad.url, good.url
        ),
    );
    assert_eq!(titles(&site, &[]), ["x"]);
    assert_eq!((bad.requests().len(), good.requests().len()), (1, 1));
}

#[test]
fn a_puppetdb_that_answers_nonsense_is_an_error() {
    let site = site("Notify <<| |>>\n");
    let mut other_type = row("a", "x");
    other_type["type"] = json!("File");
    let mut not_exported = row("a", "x");
    not_exported["exported"] = json!(false);
    let mut no_title = row("a", "x");
    no_title["title"] = json!(["x"]);
    let answer = |status: u16, body: &str| Reply::Answer(status, body.to_owned());
    let rows = |row: Value| Reply::Answer(200, Value::from(vec![row]).to_string());
    for (reply, why) in [
        (
            answer(200, "<html>\n<p>Welcome</p>"),
            "the response is not JSON: expected value at line 1 column 1: <html><p>Welcome</p>",
        ),
        (answer(200, "[{\"certname\": \"a"), "the response is not JSON: EOF while parsing a string"),
        (answer(200, ""), "the response is not JSON: EOF"),
        (answer(200, &"[".repeat(10_000)), "the response is not JSON: recursion limit exceeded"),
        (answer(200, "{\"error\": 1}"), "the response does not fit the query: it is not an array"),
        (answer(200, "[1]"), "the response does not fit the query: row 1: it is not an object"),
        (rows(other_type), "row 1: `type` must be Notify"),
        (rows(not_exported), "row 1: `exported` must be true"),
        (rows(no_title), "row 1: `title` must be a string"),
        (answer(500, "a\nstack trace"), "[500 Internal Server Error] astack trace"),
        (answer(400, "bad query"), "[400 Bad Request] bad query"),
        (answer(404, "<html>"), "[404 Not Found] <html>"),
        (Reply::Close, ""),
        (Reply::Half("[{}".to_owned()), ""),
        (Reply::Hang(Duration::from_secs(5)), "timeout"),
        (Reply::Flood(65), "larger than"),
    ] {
        let reply_text = format!("{reply:?}");
        let server = FakePuppetDb::start(move |_| reply.clone());
        let toml = "nodes = \"nodes\"\nmanifest = \"site.pp\"\n[puppetdb]\n";
        let timeout = if reply_text.starts_with("Flood") { 60 } else { 1 };
        site.write(
            "catwalk.toml",
            format!("{toml}url = \"{}\"\nexported = \"puppetdb\"\ntimeout = {timeout}\n", server.url),
        );
        let message = format!("Could not retrieve resources from the PuppetDB at {}: ", server.url);
        let run = site.run(&["compile", "me.example.com"]).expect(1, &message);
        assert!(run.stderr.contains(why), "{reply_text}: {run:#?}");
    }
}

/// At the limit older responses are dropped and requested again: a response that has changed is an error.
#[test]
fn responses_beyond_the_limit_are_not_kept() {
    let answers = std::sync::atomic::AtomicUsize::new(0);
    let is_changing = std::sync::Arc::new(std::sync::atomic::AtomicBool::new(false));
    let changing = is_changing.clone();
    let server = FakePuppetDb::start(move |_| {
        let number = answers.fetch_add(1, std::sync::atomic::Ordering::SeqCst);
        let last =
            if changing.load(std::sync::atomic::Ordering::SeqCst) { format!("c{number}") } else { "c".to_owned() };
        let mut rows = vec![row("a", "a"), row("b", &last)];
        // PuppetDB has no order.
        rows.rotate_left(number % 2);
        Reply::Answer(200, Value::Array(rows).to_string())
    });
    let site = site("Notify <<| |>>\nclass c { Notify <<| |>> { loglevel => 'info' } }\ninclude c\n");
    let limited = ["--exported", &server.url, "--limit", "responses=100"];
    assert_eq!(titles(&site, &limited), ["a", "c"]);
    assert_eq!(server.drain().len(), 2);
    assert_eq!(titles(&site, &["--exported", &server.url]), ["a", "c"]);
    assert_eq!(server.drain().len(), 1);
    is_changing.store(true, std::sync::atomic::Ordering::SeqCst);
    let run = site.run(&[&["compile", "me.example.com"], &limited[..]].concat());
    let run = run.expect(1, "its response has changed since the run began");
    assert!(run.stderr.contains("--limit responses=N"), "{run:#?}");
}
