//! Node termini on the command line: programs, groups, chains, trusted data, and their error messages.

use crate::support::Site;

const TOML: &str = "modulepath = [\"modules\"]\nmanifest = \"site.pp\"\nnodes = \"nodes\"\n";
const GROUPS: &str = "- name: Web\n  rule: [\"~\", name, \"^web\"]\n  environment: agent-specified\n  classes: {web: {port: 80}}\n  config_data: {web: {host: from data}}\n";
const WEB: &str = "class web($port, $host = 'none') { notify { \"${port} ${host}\": } }\n";

/// A site with `[classifier]`, node `web1.example.com`, class `web`.
fn site(classifier: &str, files: &[(&str, &str)]) -> Site {
    let toml = format!("{TOML}{classifier}");
    let mut all = vec![
        ("catwalk.toml", toml.as_str()),
        ("nodes/web1.example.com.json", "{\"role\": \"a fact\"}"),
        ("site.pp", WEB),
        ("groups.yaml", GROUPS),
    ];
    all.retain(|(path, _)| !files.iter().any(|(other, _)| other == path));
    all.extend_from_slice(files);
    Site::new(&all)
}

fn program(site: &Site, path: &str, text: &str) {
    use std::os::unix::fs::PermissionsExt;
    site.write(path, format!("#!/bin/sh\n{text}\n"));
    std::fs::set_permissions(site.path().join(path), std::fs::Permissions::from_mode(0o755)).unwrap();
}

fn titles(site: &Site, args: &[&str]) -> Vec<String> {
    let run = site.run(args).expect(0, "");
    let catalog: serde_json::Value = serde_json::from_str(&run.stdout).unwrap();
    let resources = catalog["resources"].as_array().unwrap().iter();
    resources
        .filter(|resource| resource["type"] == "Notify")
        .map(|resource| resource["title"].as_str().unwrap().to_owned())
        .collect()
}

#[test]
fn groups_classify_a_compile() {
    let groups = "[classifier]\ngroups = \"groups.yaml\"\n";
    let site = site(groups, &[]);
    assert_eq!(titles(&site, &["compile", "web1.example.com"]), ["80 none"]);
    // `agent-specified` is not the name of an environment.
    let run = site.run(&["compile", "web1.example.com"]).expect(0, "");
    assert!(run.stdout.contains("\"environment\": \"production\""), "{run:#?}");
    // Configuration data is used by automatic parameter lookup if a level of the hierarchy reads it.
    site.write("hiera.yaml", "version: 5\nhierarchy:\n- {name: Classifier, data_hash: classifier_data}\n");
    site.write("catwalk.toml", format!("{TOML}hiera = \"hiera.yaml\"\n{groups}"));
    assert_eq!(titles(&site, &["compile", "web1.example.com"]), ["80 from data"]);
}

#[test]
fn a_script_declares_groups_and_classifies() {
    let script = "group(\"All Nodes\", #{ classes: #{ web: #{ port: 1 } } });\n\
                  group(\"Named\", #{ rule: |node| node.name == \"web1.example.com\", classes: #{ web: #{ host: \"h\" } } });\n\
                  fn classify(node) { let c = classification(); c.include(\"web\", #{ port: 2 }); c }\n";
    for classifier in
        ["enc = \"enc.rhai\"\n", "[classifier]\ngroups = \"enc.rhai\"\n", "[classifier]\nchain = [\"enc.rhai\"]\n"]
    {
        let site = site(classifier, &[("enc.rhai", script)]);
        assert_eq!(titles(&site, &["compile", "web1.example.com"]), ["2 h"], "{classifier}");
    }
}

#[test]
fn programs_follow_the_contract_of_external_node_classifiers() {
    let fails = "Failed when searching for node web1.example.com: ";
    let cases = [
        ("echo 'classes: [web]'", "Class[Web]: expects a value for parameter 'port'".to_owned()),
        ("exit 0", "Could not find node 'web1.example.com'; cannot compile".to_owned()),
        (
            "echo out; echo err >&2; exit 3",
            format!(
                "{fails}Failed to find web1.example.com via exec: Execution of 'SITE/enc web1.example.com' returned 3: out"
            ),
        ),
        ("echo '['", format!("{fails}Could not load external node results for web1.example.com: ")),
        ("echo 7", format!("{fails}Could not load external node results for web1.example.com: ")),
        ("echo 'classes: {nope: {}}'", "Could not find class nope for web1.example.com".to_owned()),
        (
            "sleep 5",
            format!(
                "{fails}Failed to find web1.example.com via exec: 'SITE/enc web1.example.com' took longer than 1 s"
            ),
        ),
        // The processes that it started hold its output open and continue after it is killed.
        ("sleep 250; echo 'classes: {}'", format!("{fails}Failed to find web1.example.com via exec")),
        ("sleep 250 & echo 'classes: {}'", format!("{fails}Failed to find web1.example.com via exec")),
    ];
    for (text, message) in cases {
        // On a busy machine even a short program takes a while.
        let limit = if text.starts_with("sleep") { 1 } else { 60 };
        let site = site(&format!("[classifier]\nexec = \"enc\"\ntimeout = {limit}\n"), &[]);
        program(&site, "enc", text);
        println!("case: {text}");
        let started = std::time::Instant::now();
        let run = site.run(&["compile", "web1.example.com"]).expect(1, "");
        assert!(started.elapsed().as_secs() < 200, "{text}");
        let plain = run.stderr.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(plain.contains(&message), "wanted {message}\ngot {}", run.stderr);
    }
    let site = site("[classifier]\nexec = \"enc\"\narguments = [\"--port\", \"81\"]\n", &[]);
    program(&site, "enc", "echo \"classes: {web: {port: $2, host: $3}}\"; echo 'unknown: 1'");
    assert_eq!(titles(&site, &["compile", "web1.example.com"]), ["81 web1.example.com"]);
    // Puppet's settings: a command with arguments. The node terminus `plain` would not run it.
    let command = format!("external_nodes={} a 82", site.path().join("enc").display());
    let by_setting =
        |terminus: &str| titles(&site, &["compile", "web1.example.com", "--set", &command, "--set", terminus]);
    assert_eq!(by_setting("node_terminus=exec"), ["82 web1.example.com"]);
}

#[test]
fn invalid_configuration_is_an_error() {
    let cases = [
        ("[classifier]\n", "a classifier needs exactly one of exec, script, groups, http"),
        ("[classifier]\ngroups = \"a\"\nexec = \"b\"\n", "a classifier needs exactly one of exec, script, groups"),
        ("[classifier]\ngroup = \"a\"\n", "unknown key `group` of a classifier"),
        ("[classifier]\ngroups = 1\n", "`groups` of a classifier must be a path"),
        ("[classifier]\nchain = []\ngroups = \"a\"\n", "`[classifier]` with `chain` has no other keys"),
        ("[classifier]\nchain = [1]\n", "an item of `chain` must be a path or a table"),
        ("enc = \"a\"\n[classifier]\ngroups = \"a\"\n", "`enc` and `[classifier]` cannot both be set"),
    ];
    for (classifier, message) in cases {
        site(classifier, &[]).run(&["compile"]).expect(2, message);
    }
    let groups = "[classifier]\ngroups = \"groups.yaml\"\n";
    for (text, message) in [
        ("- {name: a}\n", "SITE/groups.yaml: schema-violation: "),
        ("- [\n", "groups.yaml:1:4"),
        ("- {name: a, parent: b, classes: {}}\n", "missing-parent: The parent of group 'a' does not exist: 'b'."),
        (
            "- {name: a, rule: [\"~\", name, w], classes: {x: {p: 1}}}\n- {name: b, rule: [\"~\", name, w], classes: {x: {p: 2}}}\n",
            "x[p]: ",
        ),
    ] {
        site(groups, &[("groups.yaml", text)]).run(&["compile"]).expect(1, message);
    }
    site("", &[]).run(&["classify", "web1.example.com"]).expect(2, "no node groups");
    site(groups, &[]).run(&["classify"]).expect(2, "no node to classify");
    site(groups, &[]).run(&["classify", "web9.example.com"]).expect(1, "did you mean 'web1.example.com'?");
    site(groups, &[]).run(&["classify", "--expect", "groups.yaml"]).expect(2, "expectation 1: unknown key \"rule\"");
    site(groups, &[("groups.yaml", "- {name: a}\n")])
        .run(&["classify", "web1.example.com", "--format", "json"])
        .expect(1, "");
}

#[test]
fn trusted_data_comes_from_a_certificate() {
    let oids = "oid_mapping:\n  1.3.6.1.4.1.34380.1.2.1.2: {shortname: my_named, longname: My named}\n";
    let site = site(
        "trusted = \"trusted\"\nserver_facts = \"server.yaml\"\n",
        &[
            ("trusted/web1.example.com.pem", include_str!("classifier/certificate.pem")),
            ("nodes/web2.example.com.json", "{}"),
            ("trusted/web2.example.com.yaml", "certname: web2\nextensions: {pp_role: db}\n"),
            ("oids.yaml", oids),
            ("server.yaml", "servername: s1\nenvironment: other\n"),
        ],
    );
    let show = |node: &str, more: &[&str]| -> serde_json::Value {
        let mut args = vec!["node", "show", node, "--format", "json"];
        args.extend_from_slice(more);
        serde_json::from_str(&site.run(&args).expect(0, "").stdout).unwrap()
    };
    let node = show("web1.example.com", &["--set", "trusted_oid_mapping_file=oids.yaml"]);
    let expected = serde_json::json!({
        "pp_role": "web", "pp_preshared_key": "käse", "1.3.6.1.4.1.34380.1.2.1.1": "private", "my_named": "named",
        "pp_auth_role": "admin", "pp_owner": "old style",
    });
    assert_eq!(node["trusted"]["extensions"], expected);
    assert_eq!(node["trusted"]["authenticated"], "remote");
    assert_eq!(node["server_facts"], serde_json::json!({"servername": "s1", "environment": "production"}));
    assert_eq!(show("web2.example.com", &[])["trusted"]["extensions"]["pp_role"], "db");
    let other = ["--trusted", "trusted/web1.example.com.pem"];
    let run = site.run(&["node", "show", "web2.example.com", other[0], other[1]]);
    run.expect(1, "the certificate is that of 'web1.example.com', not of 'web2.example.com'");

    program(&site, "external", "echo '{\"rack\": \"'$1'\"}'");
    let node = show("web2.example.com", &["--set", "trusted_external_command=external", "--explain"]);
    assert_eq!(node["trusted"]["external"]["value"], serde_json::json!({"rack": "web2.example.com"}));
    program(&site, "many/a.sh", "echo '{\"x\": 1}'");
    program(&site, "many/b.sh", "echo '[2]'");
    site.write("many/c.txt", "not executable");
    let node = show("web2.example.com", &["--set", "trusted_external_command=many"]);
    assert_eq!(node["trusted"]["external"], serde_json::json!({"a": {"x": 1}, "b": [2]}));
    program(&site, "external", "exit 4");
    let args = ["compile", "web2.example.com", "--set", "trusted_external_command=external"];
    site.run(&args).expect(1, "Execution of 'SITE/external web2.example.com' returned 4: ");
}

/// Starts a classifier service that sends these answers in order. Returns its URL, and a thread that returns the requests.
fn serve(answers: &'static [(u16, &'static str)]) -> (String, std::thread::JoinHandle<Vec<String>>) {
    use std::io::Read;
    use std::io::Write;
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}/classifier-api", listener.local_addr().unwrap());
    let answer = move |(status, body): &(u16, &str)| {
        let (mut stream, _) = listener.accept().unwrap();
        let mut request = Vec::new();
        let mut buffer = [0; 4096];
        loop {
            let read = stream.read(&mut buffer).unwrap();
            request.extend_from_slice(&buffer[..read]);
            let text = String::from_utf8_lossy(&request).into_owned();
            let length = text.to_lowercase();
            let length = length.split("content-length: ").nth(1).and_then(|rest| rest.lines().next());
            let length: usize = length.map_or(0, |length| length.trim().parse().unwrap());
            if text.split_once("\r\n\r\n").is_some_and(|(_, body)| body.len() >= length) || read == 0 {
                let head =
                    format!("HTTP/1.1 {status} X\r\nContent-Length: {}\r\nConnection: close\r\n\r\n", body.len());
                stream.write_all(format!("{head}{body}").as_bytes()).unwrap();
                return text;
            }
        }
    };
    (url, std::thread::spawn(move || answers.iter().map(answer).collect()))
}

#[test]
fn a_classifier_service_classifies() {
    let (url, requests_thread) = serve(&[
        (
            200,
            r#"{"name": "web1.example.com", "groups": [], "environment": "agent-specified",
               "classes": {"web": {"port": 83}}, "parameters": {"v": [1]}, "config_data": {"web": {"host": "h"}}}"#,
        ),
        (500, r#"{"kind": "classification-conflict", "msg": "It conflicts.", "details": {}}"#),
        (503, "not now\n"),
        (200, "no JSON"),
    ]);
    let classifier = format!("[classifier]\nchain = [{{ http = \"{url}/\", token = \"secret/token\" }}]\n");
    let site = site(&classifier, &[("secret/token", "AbC-123_x\n")]);
    assert_eq!(titles(&site, &["compile", "web1.example.com", "--record", "tape"]), ["83 none"]);
    // The answers are on the tape: no server is needed.
    assert_eq!(titles(&site, &["compile", "web1.example.com", "--replay", "tape"]), ["83 none"]);
    let request = format!("{url}/v1/classified/nodes/web1.example.com");
    for message in [
        format!("{request} answered 500: classification-conflict: It conflicts."),
        format!("{request} answered 503: not now"),
        format!("{request} returned no JSON"),
    ] {
        let run = site.run(&["compile", "web1.example.com"]).expect(1, "");
        let plain = run.stderr.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(plain.contains(&message), "wanted {message}\ngot {}", run.stderr);
    }
    let requests = requests_thread.join().unwrap();
    assert!(requests[0].starts_with("POST /classifier-api/v1/classified/nodes/web1.example.com HTTP/1.1\r\n"));
    assert!(requests.iter().all(|request| request.to_lowercase().contains("x-authentication: abc-123_x\r\n")));
    for file in std::fs::read_dir(site.path().join("tape")).unwrap() {
        assert!(!std::fs::read_to_string(file.unwrap().path()).unwrap_or_default().contains("AbC-123"));
    }
    assert!(requests[0].contains(r#"{"fact":{"role":"a fact"},"trusted":{"authenticated":"remote","certname":"web1"#));
    site.run(&["compile", "web1.example.com"]).expect(1, "Failed when searching for node web1.example.com: ");
    site.write("secret/token", "two words\n");
    site.run(&["compile", "web1.example.com"]).expect(1, "it holds no token");
}

/// The facts that an agent adds are computed once for a file of one node, and for each node of a file that several nodes share.
#[test]
fn compiles_share_the_facts_of_a_node() {
    use catwalk_session::Options;
    use catwalk_session::Session;
    use std::sync::Arc;
    let site = site("", &[("nodes/web2.example.com.yaml", "name: web2\nvalues: {role: other, clientnoop: true}\n")]);
    let open = |options: Options| {
        let root = Some(site.path().canonicalize().unwrap());
        Session::open(Options { root, ..options }, Arc::new(catwalk_world::Disk::new())).unwrap()
    };
    let session = open(Options::default());
    let facts = |session: &Session, certname: &str| session.node_report(certname).unwrap().node.facts;
    let fact = |session: &Session, certname: &str, name: &str| match facts(session, certname).get(name) {
        Some(catwalk_value::Value::Str(text)) => text.to_string(),
        other => format!("{other:?}"),
    };
    let first = facts(&session, "web1.example.com");
    assert!(Arc::ptr_eq(&first, &facts(&session, "web1.example.com")));
    assert_eq!(fact(&session, "web1.example.com", "clientcert"), "web1.example.com");
    assert_eq!(fact(&session, "web2.example.com", "clientcert"), "web2.example.com");
    assert_eq!(fact(&session, "web2.example.com", "clientnoop"), "Some(Bool(true))");
    assert_eq!(
        session.node_report("web2.example.com").unwrap().added,
        ["implementation", "clientcert", "clientversion"]
    );
    // Several nodes share one file.
    let facts_file = Some(site.path().join("nodes/web1.example.com.json"));
    let session = open(Options { facts: facts_file, ..Options::default() });
    for certname in ["a.example.com", "b.example.com", "a.example.com"] {
        assert_eq!(fact(&session, certname, "clientcert"), certname);
        assert_eq!(fact(&session, certname, "role"), "a fact");
    }
}
