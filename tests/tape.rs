//! Recording and replaying external data: `--record DIR`, `--replay DIR`, PuppetDB and web servers.

use std::io::Read;
use std::io::Write;

use serde_json::Value;
use serde_json::json;

use crate::support::Site;

const ENC: &str = "#!/bin/sh\necho '---'\necho 'parameters:'\necho \"  who: $1\"\n";
const CODE: &str = "notify { [$who, generate('/bin/echo', 'hi'), String(Timestamp().strftime('%s').size)]: }\n";

fn executable(site: &Site, path: &str, text: &str) {
    use std::os::unix::fs::PermissionsExt;
    site.write(path, text);
    std::fs::set_permissions(site.path().join(path), std::fs::Permissions::from_mode(0o755)).unwrap();
}

fn site(code: &str) -> Site {
    let site = Site::new(&[
        ("catwalk.toml", "manifest = \"site.pp\"\nnodes = \"nodes\"\nenc = \"enc\"\n"),
        ("site.pp", code),
        ("nodes/a.json", "{}"),
        ("nodes/b.json", "{}"),
    ]);
    executable(&site, "enc", ENC);
    site
}

fn tape(site: &Site, path: &str) -> Value {
    serde_json::from_str(&std::fs::read_to_string(site.path().join(path)).unwrap()).unwrap()
}

fn catalogs(site: &Site, args: &[&str]) -> Vec<String> {
    let mut all = vec!["compile", "-o", "out/"];
    all.extend(args);
    site.run(&all).expect(0, "");
    ["a", "b"].map(|node| std::fs::read_to_string(site.path().join(format!("out/{node}.json"))).unwrap()).to_vec()
}

#[test]
fn a_replay_produces_the_recorded_catalogs_offline() {
    let site = site(CODE);
    let recorded = catalogs(&site, &["--record", "tape"]);
    let a = tape(&site, "tape/nodes/a.json");
    assert_eq!(a["run"][0]["argv"], json!(["{site}/enc", "a"]));
    assert_eq!(a["run"][1], json!({"argv": ["/bin/echo", "hi"], "status": 0, "stdout": "hi\n", "stderr": ""}));
    assert!(a["time"][0].as_str().unwrap().ends_with('Z') && a["random"][0].as_str().unwrap().len() == 32, "{a}");
    assert_eq!(tape(&site, "tape/common.json"), json!({"env": {"PUPPETLIB": null}}));

    executable(&site, "enc", "#!/bin/sh\nexit 1\n");
    let again = catalogs(&site, &["--replay", "tape"]);
    assert_eq!(again, recorded);
    assert_eq!(catalogs(&site, &["--replay", "tape"]), recorded);
}

#[test]
fn a_tape_can_be_written_by_hand_and_moved() {
    let site = site(CODE);
    let common = json!({
        "time": ["2026-03-01T12:00:00Z"],
        "random": ["1"],
        "env": {"PUPPETLIB": null},
        "run": [
            {"argv": ["/bin/echo", "hi"], "stdout": "made up"},
            {"argv": ["{site}/enc", "b"], "stdout": "parameters: { who: hand }"},
            {"argv": ["{site}/enc", "a"], "stdout": "parameters: { who: common }"},
        ],
    });
    site.write("tape/common.json", common.to_string());
    site.write(
        "tape/nodes/a.json",
        r#"{"run": [{"argv": ["{site}/enc", "a"], "stdout": "parameters: { who: own }"}]}"#,
    );
    let [a, b] = &catalogs(&site, &["--replay", "tape"])[..] else { panic!() };
    assert!(a.contains("made up") && a.contains("\"own\"") && !a.contains("common"), "{a}");
    assert!(b.contains("\"hand\"") && b.contains("1772366400"), "{b}");
}

#[test]
fn a_missing_answer_is_an_error_with_its_location() {
    let site = site(CODE);
    catalogs(&site, &["--record", "tape"]);
    site.write("site.pp", "\ngenerate('/bin/echo', 'other')\n");
    let run = site.run(&["compile", "a", "--replay", "tape"]);
    let run = run.expect(1, r#"no recorded answer to the question "run": {"argv":["/bin/echo","other"]}"#);
    assert!(run.stderr.contains("site.pp:2:1") && run.stderr.contains("error[NO_RECORDED_ANSWER]"), "{run:#?}");
    assert!(run.stderr.contains("add the answer to SITE/tape/nodes/a.json or to common.json beside it"), "{run:#?}");
    // A missing response without a location in the code fails at the end of the compile.
    site.write("site.pp", "");
    site.write("tape/nodes/a.json", r#"{"random": ["1"], "run": [{"argv": ["{site}/enc", "a"], "stdout": "{}"}]}"#);
    site.run(&["compile", "a", "--replay", "tape"]).expect(1, r#"no recorded answer to the question "time""#);
    site.run(&["compile", "a", "--replay", "nowhere"]).expect(2, "no such directory to replay");
    site.write("tape/nodes/a.json", r#"{"rnu": []}"#);
    site.run(&["compile", "a", "--replay", "tape"]).expect(1, "unknown field `rnu`");
}

#[test]
fn eval_and_lookup_are_recorded_too() {
    let site = site("");
    let run = site.run(&["eval", "-n", "a", "-e", "generate('/bin/date', '+%N')", "--record", "tape"]).expect(0, "");
    assert_eq!(
        site.run(&["eval", "-n", "a", "-e", "generate('/bin/date', '+%N')", "--replay", "tape"]).stdout,
        run.stdout
    );
    site.write("hiera.yaml", "version: 5\n");
    site.run(&["lookup", "x", "-n", "a", "--compile", "--default", "d", "--replay", "tape"]).expect(0, "");
}

/// Starts a server that sends these answers in order. Returns its URL, and a thread that returns the requests.
fn serve(answers: Vec<(u16, String)>) -> (String, std::thread::JoinHandle<Vec<String>>) {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    let thread = std::thread::spawn(move || {
        answers
            .into_iter()
            .map(|(status, body)| {
                let (mut stream, _) = listener.accept().unwrap();
                let mut requests = Vec::new();
                let mut buffer = [0; 4096];
                loop {
                    let read = stream.read(&mut buffer).unwrap();
                    requests.extend_from_slice(&buffer[..read]);
                    let text = String::from_utf8_lossy(&requests).into_owned();
                    let Some((head, rest)) = text.split_once("\r\n\r\n") else { continue };
                    let length = head.to_lowercase();
                    let length = length.split("content-length: ").nth(1).and_then(|rest| rest.lines().next());
                    if length.is_none_or(|length| rest.len() >= length.trim().parse().unwrap()) {
                        break;
                    }
                }
                let head =
                    format!("HTTP/1.1 {status} X\r\nContent-Length: {}\r\nConnection: close\r\n\r\n", body.len());
                stream.write_all((head + body.as_str()).as_bytes()).unwrap();
                String::from_utf8(requests).unwrap()
            })
            .collect()
    });
    (url, thread)
}

#[test]
fn answers_of_puppetdb_are_recorded_and_replayed() {
    let (url, requests) = serve(vec![
        (200, r#"[{"certname": "x", "n": 1}]"#.to_owned()),
        (200, "[]".to_owned()),
        (400, "no\nparse".to_owned()),
    ]);
    let site = Site::new(&[
        ("catwalk.toml", &format!("manifest = \"site.pp\"\nnodes = \"nodes\"\n[puppetdb]\nurl = \"{url}\"\n")),
        ("nodes/a.json", "{}"),
        (
            "site.pp",
            "notice(puppetdb_query('nodes[certname, n] { }'), puppetdb_query(['from', 'facts', ['=', 'name', 'x']]))\n",
        ),
    ]);
    site.run(&["compile", "--record", "tape"]).expect(0, "[{certname => x, n => 1}] []");
    site.run(&["eval", "-n", "a", "-e", "puppetdb_query('bad')"])
        .expect(1, "Failed to execute '/pdb/query/v4' on at least 1 of the following 'server_urls': http://127.0.0.1:");
    let requests = requests.join().unwrap();
    assert!(requests[0].starts_with("POST /pdb/query/v4 HTTP/1.1\r\n"), "{}", requests[0]);
    assert!(requests[0].ends_with(r#"{"query":"nodes[certname, n] { }"}"#), "{}", requests[0]);
    assert!(requests[1].ends_with(r#"{"query":["from","facts",["=","name","x"]]}"#), "{}", requests[1]);
    site.run(&["compile", "--replay", "tape"]).expect(0, "[{certname => x, n => 1}] []");
    let answer = tape(&site, "tape/nodes/a.json")["puppetdb"][0].clone();
    assert_eq!(answer, json!({"query": "nodes[certname, n] { }", "answer": [{"certname": "x", "n": 1}]}));
}

#[test]
fn without_puppetdb_the_setting_is_named() {
    let site = Site::new(&[("nodes/a.json", "{}"), ("site.pp", "puppetdb_query('x')\n")]);
    site.run(&["compile"]).expect(1, "set `url` in [puppetdb] of catwalk.toml");
}

#[test]
fn data_comes_from_web_servers() {
    let answers = [(200, "{\"a\": [1]}"), (200, "a: [x]"), (404, "gone"), (404, "gone"), (200, "{nope"), (200, "null")];
    let (url, requests) = serve(answers.map(|(status, body)| (status, body.to_owned())).to_vec());
    let host = url.strip_prefix("http://").unwrap();
    let code = format!(
        "notice(loadjson('http://me:a:b@{host}/x.json'), loadyaml('{url}/x.yaml'), loadjson('{url}/gone', 'default'))\n\
         notice(loadyaml('{url}/gone', 7), loadjson('{url}/bad', 8), loadyaml('{url}/null', 9), loadjson('http://127.0.0.1:1/', 10))\n"
    );
    let stdlib = r#"{"name": "puppetlabs-stdlib", "version": "9.7.0", "author": "x", "license": "x", "source": "x", "dependencies": []}"#;
    let site = Site::new(&[("nodes/a.json", "{}"), ("site.pp", &code), ("modules/stdlib/metadata.json", stdlib)]);
    let run = site.run(&["compile"]).expect(0, "{a => [1]} {a => [x]} default");
    assert!(run.stderr.contains("7 8 9 10"), "{run:#?}");
    assert!(run.stderr.contains(&format!("Can't load '{url}/gone' HTTP Error Code: '404'")), "{run:#?}");
    let requests = requests.join().unwrap();
    // The user name ends at the last colon: `me:a`, password `b`.
    assert!(requests[0].to_lowercase().contains("authorization: basic bwu6ytpi"), "{}", requests[0]);
}

#[test]
fn names_are_resolved_from_a_tape() {
    let template = "<%= Resolv.getaddress('db.example.com') %> <%= Resolv::DNS.new.getname('192.0.2.7') %> \
                    <%= Resolv::DNS.open { |dns| dns.getresources('example.com', Resolv::DNS::Resource::IN::MX) }\
                    .map { |mx| \"#{mx.preference} #{mx.exchange}\" }.join(',') %>";
    let code = format!("notice(inline_template(@(T)))\n{template}\n| T\n");
    let site = Site::new(&[
        ("nodes/a.json", "{}"),
        ("site.pp", &code),
        ("catwalk.toml", "manifest = \"site.pp\"\nnodes = \"nodes\"\n"),
        (
            "tape/common.json",
            r#"{"time": ["2026-03-01T12:00:00Z"], "random": ["1"], "env": {"PUPPETLIB": null}, "dns": [
                {"record": "A", "name": "db.example.com", "answer": ["192.0.2.7"]},
                {"record": "AAAA", "name": "db.example.com", "answer": ["2001:db8::7"]},
                {"record": "PTR", "name": "7.2.0.192.in-addr.arpa", "answer": ["db.example.com"]},
                {"record": "MX", "name": "example.com", "answer": ["10 mx1.example.com", "20 mx2.example.com"]}]}"#,
        ),
    ]);
    site.run(&["compile", "--replay", "tape"])
        .expect(0, "192.0.2.7 db.example.com 10 mx1.example.com,20 mx2.example.com");
    site.write("site.pp", "notice(inline_template(\"<%= Resolv.getaddress('other.example.com') %>\"))\n");
    site.run(&["compile", "--replay", "tape"])
        .expect(1, r#"no recorded answer to the question "dns": {"record":"A","name":"other.example.com"}"#);
}

#[test]
fn each_case_of_a_certname_has_its_own_tape() {
    let site = site(CODE);
    let cases: String = (0..8)
        .map(|n| format!("  c{n}: {{code: \"notify {{ generate('/bin/sh', '-c', 'echo $$; echo {n}'): }}\"}}\n"))
        .collect();
    site.write("tests/many.yaml", format!("node: a\ncases:\n{cases}"));
    site.write("snapshots/none", "");
    let test = ["test", "many/*"];
    let with = |more: [&'static str; 3]| [&test[..], &more].concat();
    site.run(&with(["--accept", "--record", "tape"])).expect(0, "");
    for n in 0..8 {
        let tape = tape(&site, &format!("tape/cases/many/c{n}.json"));
        assert_eq!(tape["run"].as_array().unwrap().len(), 1, "{tape}");
        assert!(tape["run"][0]["stdout"].as_str().unwrap().ends_with(&format!("\n{n}\n")), "{tape}");
    }
    assert!(!site.path().join("tape/nodes/a.json").exists());
    // Each case replays its own tape.
    site.run(&with(["--ci", "--replay", "tape"])).expect(0, "");
    // A case without a tape replays that of its node.
    let common = r#"{"env": {"PUPPETLIB": null}, "time": ["2026-03-01T12:00:00Z"], "random": ["6f1d0c"]}"#;
    site.write("hand/common.json", common);
    site.write(
        "hand/nodes/a.json",
        "{\"run\": [{\"argv\": [\"/bin/sh\", \"-c\", \"echo $$; echo 3\"], \"stdout\": \"x\"}]}",
    );
    site.run(&["test", "many/c3", "--replay", "hand"]).expect(1, "");
    let proposed = std::fs::read_to_string(site.path().join("snapshots/many/c3.snap.new")).unwrap();
    assert!(proposed.contains("Notify[x]"), "{proposed}");
}
