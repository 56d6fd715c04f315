//! Classification from LDAP: a recorded conversation with slapd is replayed, and the node objects are compared with those of Puppet
//! (`ldap/run`).

use serde_json::Value;

use crate::support::Run;
use crate::support::Site;

const HOSTS: &str = "ou=Hosts,dc=example,dc=com";

fn site(toml: &str) -> Site {
    let site = Site::new(&[("catwalk.toml", &format!("manifest = \"site.pp\"\n{toml}")), ("site.pp", "")]);
    site.write("tape/common.json", include_str!("ldap/tape/common.json"));
    site
}

/// The node as the recorded directory describes it, with settings of Puppet.
fn show(site: &Site, node: &str, set: &[(String, String)]) -> Run {
    let mut settings =
        vec!["node_terminus=ldap".to_owned(), "ldapserver=127.0.0.1".to_owned(), "ldapport=38990".to_owned()];
    if !set.iter().any(|(name, _)| name == "ldapbase") {
        settings.push(format!("ldapbase={HOSTS}"));
    }
    settings.extend(set.iter().map(|(name, value)| format!("{name}={value}")));
    let mut args = vec!["node", "show", node, "--format", "json", "--replay", "tape"];
    args.extend(settings.iter().flat_map(|setting| ["--set", setting.as_str()]));
    site.run(&args)
}

/// Compares with an answer of Puppet, by the rules of `ldap/run`.
fn compare(answer: &Value, run: Run) {
    let node = answer["node"].as_str().unwrap();
    if answer["missing"] == true {
        run.expect(1, &format!("Could not find node '{node}'; cannot compile"));
        return;
    }
    let error = match (&answer["error"], &answer["environment"]) {
        (Value::String(error), _) => Some(error.as_str()),
        (_, Value::Array(_)) => Some("specifies more than one environment"),
        _ => None,
    };
    if let Some(error) = error {
        run.expect(1, &format!("Failed when searching for node {node}: ")).expect(1, error);
        return;
    }
    let run = run.expect(0, "");
    let shown: Value = serde_json::from_str(&run.stdout).unwrap();
    let classes: Vec<&String> = shown["classes"].as_object().unwrap().keys().collect();
    assert_eq!(
        Value::from(classes.iter().map(|name| name.as_str()).collect::<Vec<_>>()),
        answer["classes"],
        "{answer}"
    );
    let mut parameters = answer["parameters"].clone();
    // The library of Puppet takes the value out of the attribute.
    if parameters["parentnode"] == serde_json::json!([]) {
        parameters["parentnode"] = shown["parameters"]["parentnode"].clone();
    }
    assert_eq!(shown["parameters"], parameters, "{answer}");
    let environment = answer.get("environment").cloned().unwrap_or_else(|| "production".into());
    assert_eq!(shown["environment"], environment, "{answer}");
}

#[test]
fn node_objects_are_those_of_puppet() {
    let site = site("");
    let mut compared = 0;
    for line in include_str!("ldap/answers.jsonl").lines() {
        let answer: Value = serde_json::from_str(line).unwrap();
        let set = answer.get("set").and_then(Value::as_object).cloned().unwrap_or_default();
        if set.contains_key("ldapuser") {
            continue;
        }
        let mut settings: Vec<(String, String)> =
            set.iter().map(|(name, value)| (name.clone(), value.as_str().unwrap().to_owned())).collect();
        for (name, value) in
            [("ldapclassattrs", "puppetClass"), ("ldapstackedattrs", "puppetVar"), ("ldapparentattr", "parentNode")]
        {
            if !set.contains_key(name) {
                settings.push((name.to_owned(), value.to_owned()));
            }
        }
        compare(&answer, show(&site, answer["node"].as_str().unwrap(), &settings));
        compared += 1;
    }
    assert!(compared > 20, "{compared}");
}

#[test]
fn the_table_selects_the_directory_alone_and_in_a_chain() {
    let table = format!("ldap = {{ url = \"ldap://127.0.0.1:38990\", base = \"{HOSTS}\" }}");
    let alone = site(&format!("[classifier]\n{table}\n"));
    alone.write("groups.yaml", "- {name: All Nodes, classes: {ntp: {server: pool}}}\n");
    let show = |node: &str| alone.run(&["node", "show", node, "--explain", "--replay", "tape"]);
    let web1 = show("web1.example.com").expect(0, "").stdout;
    assert!(web1.contains("environment  staging"), "{web1}");
    assert!(web1.contains("# ldap ldap://127.0.0.1:38990: cn=web,ou=Hosts,dc=example,dc=com"), "{web1}");
    alone.write("catwalk.toml", format!("[classifier]\nchain = [{{ {table} }}, \"groups.yaml\"]\n"));
    let web1 = show("web1.example.com").expect(0, "").stdout;
    assert!(web1.contains("server => \"pool\"") && web1.contains("role::frontend"), "{web1}");
    alone.write("catwalk.toml", format!("untrusted = true\n[classifier]\n{table}\n"));
    alone
        .run(&["node", "show", "web1.example.com"])
        .expect(1, "untrusted code may not use the network: ldap://127.0.0.1:38990");
}

#[test]
fn invalid_tables_are_explained_without_their_password() {
    for (table, expected) in [
        ("url = \"https://x\"", "the address of a directory is ldap://HOST"),
        ("url = \"ldap://x\", ldapport = 1", "`url` replaces `ldapserver`, `ldapport` and `ldapssl`"),
        ("url = \"ldaps://x\", ldaptls = true", "`ldaptls` continues a connection to ldap:// with TLS"),
        ("filter = \"(cn=%s\"", "the filter is malformed"),
        ("base = \"a\", ldapbase = \"b\"", "`base` and `ldapbase` are the same"),
        ("ldapport = \"x\"", "invalid type: string"),
        ("server = \"x\"", "unknown field `server`"),
        ("ldappassword_file = \"x\"", "`ldappassword` and `ldappassword_file` cannot both be set"),
    ] {
        let site = site(&format!("[classifier]\nldap = {{ ldappassword = \"correct-horse\", {table} }}\n"));
        let run = site.run(&["node", "show", "a", "--replay", "tape"]);
        let run = run.expect(2, expected);
        assert!(!run.stderr.contains("correct-horse"), "{}", run.stderr);
    }
    let unclosed = site("[classifier]\nldap = { ldappassword = \"correct-horse, url = \"ldap://x\" }\n");
    let run = unclosed.run(&["node", "show", "a", "--replay", "tape"]).expect(2, "catwalk.toml:3");
    assert!(!run.stderr.contains("correct-horse"), "{}", run.stderr);
    for (classifier, expected) in [
        ("ldap = 1", "`ldap` of a classifier must be a table"),
        ("ldap = {}\nca = \"x\"", "put it into the table `ldap`"),
    ] {
        let run = site(&format!("[classifier]\n{classifier}\n")).run(&["node", "show", "a", "--replay", "tape"]);
        run.expect(2, expected);
    }
}

#[test]
fn a_script_searches_a_directory() {
    let script = format!(
        r#"fn classify(node) {{
    let found = ldap_search(#{{
        url: "ldap://127.0.0.1:38990", base: "{HOSTS}", filter: `(cn=${{ldap_escape(node.name)}})`,
        user: "cn=reader", password: "correct-horse",
    }});
    #{{ classes: found[0].puppetclass, parameters: #{{ dn: found[0].dn, places: found[0].l, secret: "correct-horse" }} }}
}}
"#
    );
    let site = site("enc = \"classify.rhai\"\n");
    site.write("classify.rhai", &script);
    let filter = r"(cn=web1\28\29)";
    let entry =
        serde_json::json!({"dn": "cn=web1", "attributes": {"PuppetClass": ["a"], "l": ["Köln", {"base64": "/w=="}]}});
    let url = "ldap://127.0.0.1:38990";
    let search =
        serde_json::json!({"url": url, "login": "cn=reader", "base": HOSTS, "filter": filter, "entries": [entry]});
    // What another user finds is no answer.
    let other = serde_json::json!({"url": url, "login": "cn=other", "base": HOSTS, "filter": filter, "entries": []});
    let anonymous = serde_json::json!({"url": url, "base": HOSTS, "filter": filter, "entries": []});
    let tape = serde_json::json!({"env": {"PUPPETLIB": null}, "ldap": [other, anonymous, search]});
    site.write("tape/common.json", tape.to_string());
    let shown = site.run(&["node", "show", "web1()", "--replay", "tape"]);
    let shown = shown.expect(0, "");
    assert!(shown.stdout.contains("$dn = \"cn=web1\""), "{}", shown.stdout);
    assert!(!shown.stdout.contains("correct-horse"), "{}", shown.stdout);
    site.write("tape/common.json", serde_json::json!({"env": {"PUPPETLIB": null}, "ldap": [{"url": url, "login": "cn=reader", "base": HOSTS, "filter": filter, "error": "it is away"}]}).to_string());
    site.run(&["node", "show", "web1()", "--replay", "tape"])
        .expect(1, "ldap_search(): cannot reach ldap://127.0.0.1:38990: it is away");
    for (search, expected) in [
        ("#{ url: 1 }", "'url' must be a string, got i64"),
        ("#{ url: \"ldap://x\", base: \"\" }", "'filter' is missing"),
        ("#{ url: \"ldap://x\", base: \"\", filter: \"\", scope: \"all\" }", "'scope' must be base, one or sub"),
        ("#{ url: \"ldap://x\", base: \"\", filter: \"\", where: 1 }", "unknown member 'where'"),
    ] {
        site.write("classify.rhai", format!("fn classify(node) {{ ldap_search({search}) }}\n"));
        site.run(&["node", "show", "web1", "--replay", "tape"]).expect(1, expected);
    }
    site.write("catwalk.toml", "enc = \"classify.rhai\"\n[scripts]\nisolation = \"process\"\n");
    site.run(&["node", "show", "web1"])
        .expect(1, "ldap_search() is only available in classify(node), and not to isolated scripts");
}
