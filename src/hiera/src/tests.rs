//! The cases of `cases.yaml` compared with Puppet's answers: see `tests/reference/hiera_answers.rb`.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "tests")]

use super::*;
use catwalk_value::Hash;
use catwalk_value::ruby;
use catwalk_world::Memory;

/// Variables of a hash; a few conversions; mismatches by the type's first word only.
struct TestHost {
    variables: Hash,
    warnings: Vec<String>,
}

fn failure(message: String) -> Box<Diagnostic> {
    Box::from(catwalk_base::diag::Reason::runtime(message))
}

impl Host for TestHost {
    fn variable(&mut self, name: &str, _: UnknownPolicy) -> Result<Option<Value>, Box<Diagnostic>> {
        if name == "::nonesuch" {
            let mut unknown = failure("Undefined variable '::nonesuch'".to_owned());
            unknown.cause = catwalk_base::diag::Cause::UnknownVariable("::nonesuch".into());
            return Err(unknown);
        }
        Ok(self.variables.get(name.strip_prefix("::").unwrap_or(name)).cloned())
    }

    fn data_function(
        &mut self,
        kind: DataKind,
        name: &str,
        args: &[Value],
        context: &DataContext<'_>,
    ) -> Result<DataAnswer, Box<Diagnostic>> {
        match (kind, name) {
            (DataKind::DataHash, "my_hash") => Ok(DataAnswer::Value(args[0].clone())),
            (DataKind::LookupKey, "my_key") if args[0].as_str() == Some("v") => {
                let text = Value::str("%{v}/%{lookup('w')}");
                let value = context.interpolate(&text, self).map_err(|error| failure(error.full_message()))?;
                context.cache().borrow_mut().insert(Value::str("seen"), Value::Bool(true));
                Ok(DataAnswer::Value(value))
            }
            (DataKind::DataDig, "my_dig") if show(&args[0]).contains("lookup_options") => Ok(DataAnswer::NotFound),
            (DataKind::DataDig, "my_dig") => Ok(DataAnswer::Value(args[0].clone())),
            (_, "my_key") => Ok(DataAnswer::NotFound),
            (_, "my_failure") => Err(failure("broken".to_owned())),
            _ => Ok(DataAnswer::NoFunction),
        }
    }

    fn convert(&mut self, convert_to: &[Value], value: Value) -> Result<Value, ConvertError> {
        match (convert_to[0].as_str().unwrap(), value) {
            ("Integer", Value::Str(text)) => text
                .parse()
                .map(Value::Int)
                .map_err(|_| ConvertError::Failed(format!("'new' The string '{text}' cannot be converted to Integer"))),
            ("Sensitive", value) => Ok(Value::Sensitive(Arc::new(value))),
            ("Array", value @ Value::Array(_)) => Ok(value),
            ("Array", value) => Ok(Value::array(vec![value])),
            (other, _) => Err(ConvertError::Type(format!("bad {other}"))),
        }
    }

    fn describe_mismatch(&mut self, subject: &str, expected: &str, value: &Value) -> String {
        format!("{subject} has wrong type, expects {expected}, got {}", catwalk_value::ruby::class_name(value))
    }

    fn warn(&mut self, _: Option<&str>, message: String) {
        // The recorded warnings lack the position that Puppet adds.
        self.warnings.push(message.split("\n   (").next().unwrap_or_default().to_owned());
    }
}

fn show(value: &Value) -> String {
    match value {
        Value::Str(text) => serde_json::to_string(text.as_ref()).unwrap(),
        Value::Array(items) => format!("[{}]", items.iter().map(show).collect::<Vec<_>>().join(", ")),
        Value::Hash(entries) => {
            let entries: Vec<String> = entries.iter().map(|(k, v)| format!("{}: {}", show(k), show(v))).collect();
            format!("{{{}}}", entries.join(", "))
        }
        Value::Sensitive(inner) => format!("Sensitive({})", show(inner)),
        Value::Default => ":default".to_owned(),
        other => ruby::plain_inspect(other),
    }
}

fn hash_of<'h>(case: &'h Hash, key: &str) -> Option<&'h Hash> {
    match case.get(key) {
        Some(Value::Hash(inner)) => Some(inner),
        _ => None,
    }
}

struct Site {
    lookup: Lookup,
    world: Memory,
    host: TestHost,
}

fn site(case: &Hash) -> Site {
    let mut world = Memory::default();
    let mut sources = Sources {
        eyaml: Eyaml::Keys,
        global: None,
        environment: Some(PathBuf::from("/d/env")),
        environment_name: Arc::from("env"),
        global_for_hiera_calls: case.get("data_binding").is_some(),
        environment_data_provider: None,
        modules: FxHashMap::default(),
        codedir: PathBuf::from("/d/code"),
        version: Version::SEVEN,
        quiet: false,
        strict: if case.get("strict").is_some() { Strict::Error } else { Strict::Warning },
    };
    for (path, text) in hash_of(case, "files").unwrap() {
        let (path, text) = (path.as_str().unwrap(), text.as_str().unwrap());
        world.write(format!("/d/{path}"), text.replace("{{DIR}}", "/d"));
        if path == "global/hiera.yaml" {
            sources.global = Some(PathBuf::from("/d/global/hiera.yaml"));
        }
        if let Some(module) = path.strip_prefix("env/modules/") {
            let module = module.split('/').next().unwrap();
            sources.modules.insert(module.to_owned(), PathBuf::from(format!("/d/env/modules/{module}")));
        }
    }
    let mut variables = Hash::new();
    if let Some(facts) = hash_of(case, "facts") {
        variables.set("facts", Value::hash(facts.clone()));
    }
    for (name, value) in hash_of(case, "variables").into_iter().flatten() {
        variables.insert(name.clone(), value.clone());
    }
    Site { lookup: Lookup::new(sources), world, host: TestHost { variables, warnings: Vec::new() } }
}

fn kind(failure: &Failure) -> &'static str {
    match failure.kind {
        Kind::Lookup => "lookup",
        Kind::Puppet => "puppet",
        Kind::Ruby => "ruby",
    }
}

/// The answer in the table's form: value or error.
fn answer(site: &mut Site, node: &NodeData, wanted: &Hash) -> Result<String, Failure> {
    let names: Vec<String> = match wanted.get("key").unwrap() {
        Value::Array(names) => names.iter().map(|name| name.as_str().unwrap().to_owned()).collect(),
        name => vec![name.as_str().unwrap().to_owned()],
    };
    let how = wanted.get("how").and_then(Value::as_str).unwrap_or("lookup");
    if how == "automatic" {
        let found = site.lookup.automatic(node, &site.world, &mut site.host, &names[0])?;
        return Ok(found.map_or("missing".to_owned(), |value| show(&value)));
    }
    let hiera = match how {
        "hiera" => Some("first"),
        "hiera_array" => Some("unique"),
        "hiera_hash" => Some("hash"),
        _ => None,
    };
    let merge = hiera.map(Value::str).or_else(|| wanted.get("merge").cloned()).unwrap_or(Value::Undef);
    let request = Request {
        names: &names,
        merge: &merge,
        overrides: hash_of(wanted, "override"),
        defaults: hash_of(wanted, "default_values"),
        hiera_call: hiera.is_some(),
        extra_paths: &[],
    };
    match site.lookup.lookup(node, &site.world, &mut site.host, &request)? {
        Answer::Found { value, .. } => Ok(show(&value)),
        Answer::Missing => wanted.get("default").map(show).ok_or_else(|| Failure::no_value(&names)),
    }
}

#[test]
fn lookups_have_the_results_of_puppet() {
    let Value::Array(cases) = catwalk_value::data::yaml::parse(include_bytes!("cases.yaml")).unwrap() else { panic!() };
    let answers: Vec<serde_json::Value> =
        include_str!("answers.jsonl").lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(cases.len(), answers.len());
    let mut wrong = Vec::new();
    let mut count = 0;
    for (case, expected) in cases.iter().zip(&answers) {
        let Value::Hash(case) = case else { panic!() };
        let name = case.get("name").and_then(Value::as_str).unwrap();
        assert_eq!(expected["case"], *name);
        let mut site = site(case);
        let node = NodeData::new();
        let Some(Value::Array(lookups)) = case.get("lookups") else { panic!() };
        for (wanted, expected) in lookups.iter().zip(expected["answers"].as_array().unwrap()) {
            let Value::Hash(wanted) = wanted else { panic!() };
            let explain = wanted.get("explain").is_some();
            if explain {
                node.start_explaining(false);
            }
            let found = match answer(&mut site, &node, wanted) {
                Ok(value) => ("value", value),
                Err(failure) => ("error", format!("{}: {}", kind(&failure), failure.full_message())),
            };
            let mut compare = |what: &str, found: &str| {
                let expected = expected[what].as_str().unwrap_or("nothing").replace("{{DIR}}", "/d");
                count += 1;
                // The rest of the message is worded by the type system.
                let start = |text: &str| text.split(" has wrong type").next().unwrap().to_owned();
                if found != expected && (start(found) == found || start(found) != start(&expected)) {
                    let wanted = show(&Value::Hash(wanted.clone()));
                    wrong.push(format!("{name} {wanted} {what}\n  expected {expected}\n  found    {found}"));
                }
            };
            compare(found.0, &found.1);
            if explain {
                compare("explain", &explain::render(&node.take_explanation().unwrap()));
            }
        }
        let expected: Vec<String> = expected["warnings"]
            .as_array()
            .unwrap()
            .iter()
            .map(|w| w.as_str().unwrap().replace("{{DIR}}", "/d"))
            .collect();
        if site.host.warnings != expected {
            wrong.push(format!("{name} warnings\n  expected {expected:?}\n  found    {:?}", site.host.warnings));
        }
    }
    assert!(wrong.is_empty(), "{} of {count} wrong:\n{}", wrong.len(), wrong.join("\n"));
}

fn small_site(files: &[(&str, &str)]) -> Site {
    let files = files.iter().map(|(path, text)| (Value::str(path), Value::str(text))).collect();
    site(&Hash::from_iter([(Value::str("files"), Value::hash(files))]))
}

fn ask(site: &mut Site, node: &NodeData, key: &str) -> String {
    let wanted = Hash::from_iter([(Value::str("key"), Value::str(key))]);
    answer(site, node, &wanted).unwrap_or_else(|failure| format!("{}: {}", kind(&failure), failure.full_message()))
}

#[test]
fn custom_functions_are_called_with_options_and_context() {
    let hiera = "version: 5\nhierarchy:\n- {name: a, data_hash: my_hash, options: {x: '%{v}'}}\n\
                 - {name: b, lookup_key: my_key, path: b.txt}\n- {name: c, data_dig: my_dig, uri: 'http://h/'}\n";
    let mut site = small_site(&[("env/hiera.yaml", hiera), ("env/data/b.txt", "")]);
    site.host.variables.set("v", Value::str("V"));
    site.host.variables.set("w", Value::str("W"));
    let node = NodeData::new();
    assert_eq!(ask(&mut site, &node, "x"), r#""V""#);
    // The function's interpolation looks up `w`, which the last entry answers with the path of the key.
    assert_eq!(ask(&mut site, &node, "v"), r#""V/[\"w\"]""#);
    // A dig function's value is wrapped in the steps of the key, and dug out again.
    assert_eq!(ask(&mut site, &node, "p.q"), r#"["p", "q"]"#);
}

#[test]
fn a_failing_function_keeps_its_own_failure() {
    let hiera = "version: 5\nhierarchy:\n- {name: a, lookup_key: my_failure}\n";
    let mut site = small_site(&[("env/hiera.yaml", hiera)]);
    let wanted = Hash::from_iter([(Value::str("key"), Value::str("x"))]);
    let failure = answer(&mut site, &NodeData::new(), &wanted).unwrap_err();
    assert_eq!((failure.full_message().as_str(), failure.kind), ("broken", Kind::Ruby));
    assert!(failure.inner.is_some());
}

#[test]
fn unknown_variables_in_hiera_yaml_are_reported_there() {
    let hiera = "version: 5\nhierarchy:\n- name: a # %{::nonesuch}\n  path: '%{::nonesuch}.yaml'\n";
    let mut site = small_site(&[("env/hiera.yaml", hiera)]);
    let found = ask(&mut site, &NodeData::new(), "x");
    assert_eq!(found, "lookup: Undefined variable '::nonesuch' (file: /d/env/hiera.yaml, line: 4)");
}

#[test]
fn a_hierarchy_follows_its_variables_and_files_follow_the_world() {
    let hiera = "version: 5\nhierarchy:\n- {name: a, path: '%{role}.yaml'}\n";
    let mut site =
        small_site(&[("env/hiera.yaml", hiera), ("env/data/web.yaml", "a: 1"), ("env/data/db.yaml", "a: 2")]);
    let node = NodeData::new();
    site.host.variables.set("role", Value::str("web"));
    assert_eq!(ask(&mut site, &node, "a"), "1");
    site.host.variables.set("role", Value::str("db"));
    assert_eq!(ask(&mut site, &node, "a"), "2");
    // A compile caches what it read; the next sees changes of data and configuration.
    site.world.write("/d/env/data/db.yaml", "a: 3");
    assert_eq!(ask(&mut site, &node, "a"), "2");
    assert_eq!(ask(&mut site, &NodeData::new(), "a"), "3");
    site.world.write("/d/env/hiera.yaml", "version: 5\nhierarchy:\n- {name: a, path: web.yaml}\n");
    assert_eq!(ask(&mut site, &NodeData::new(), "a"), "1");
}

#[test]
fn data_is_shared_by_nodes() {
    let mut site = small_site(&[("env/hiera.yaml", "version: 5\n"), ("env/data/common.yaml", "a: {b: 1}")]);
    let mut get = || site.lookup.automatic(&NodeData::new(), &site.world, &mut site.host, "a").unwrap().unwrap();
    let (Value::Hash(one), Value::Hash(two)) = (get(), get()) else { panic!() };
    assert!(Arc::ptr_eq(&one, &two));
}

#[test]
fn an_encrypted_value_without_its_key_fails() {
    let hiera = "version: 5\nhierarchy:\n- {name: a, path: a.eyaml, lookup_key: eyaml_lookup_key}\n";
    let data = "x: ENC[PKCS7,MIIB]\ny: plain\nz: 'ENC[no'\ng: 'ENC[GPG,abcd]'\n";
    let mut site = small_site(&[("env/hiera.yaml", hiera), ("env/data/a.eyaml", data)]);
    let mut ask = |key: &str| ask(&mut site, &NodeData::new(), key);
    assert_eq!(
        ask("x"),
        "lookup: hiera-eyaml backend error decrypting ENC[PKCS7,MIIB] when looking up x in /d/env/data/a.eyaml. Error was \
         pkcs7_private_key is not defined"
    );
    assert_eq!(ask("y"), "\"plain\"");
    assert_eq!(ask("z"), "\"ENC[no\"");
    assert!(ask("g").ends_with("Error was not supported yet: eyaml's encryption method GPG"));
}

#[test]
fn a_missing_key_has_the_message_of_hiera_eyaml() {
    for (options, says) in [
        ("", "pkcs7_private_key is not defined"),
        ("pkcs7_private_key: /no/key.pem", "file /no/key.pem does not exist"),
        ("pkcs7_private_key: ''", "file  does not exist"),
        ("pkcs7_private_key: /d/env/data", "Is a directory @ io_fread - /d/env/data"),
        ("pkcs7_private_key: /d/env/hiera.yaml", "Neither PUB key nor PRIV key: unsupported"),
        ("pkcs7_private_key: /no/key.pem, pkcs7_private_key_env_var: NO_KEY", "env NO_KEY is not set"),
        ("pkcs7_b64_private_key_env_var: NO_KEY", "env NO_KEY is not set"),
    ] {
        let entry = format!("{{name: a, path: a.eyaml, lookup_key: eyaml_lookup_key, options: {{{options}}}}}");
        let hiera = format!("version: 5\nhierarchy:\n- {entry}\n");
        let mut site = small_site(&[("env/hiera.yaml", &hiera), ("env/data/a.eyaml", "x: ENC[PKCS7,MIIB]")]);
        let said = ask(&mut site, &NodeData::new(), "x");
        assert!(said.ends_with(&format!("Error was {says}")), "{options}: {said}");
    }
}

/// An endless chain of references ends in a failure, not in a crash.
#[test]
fn long_chains_of_lookups_fail() {
    let mut data = String::new();
    for at in 0..1000 {
        data.push_str(&format!("k{at}: \"%{{lookup('k{}')}}\"\n", at + 1));
    }
    let mut site = small_site(&[("env/hiera.yaml", "version: 5\n"), ("env/data/common.yaml", &data)]);
    let found = ask(&mut site, &NodeData::new(), "k0");
    assert!(found.contains("not supported yet"), "{found}");
    assert_eq!(ask(&mut site, &NodeData::new(), "k950"), r#""""#);
}

/// Only the session's [`DecryptionCache`], which its environments share, stores decrypted values.
#[test]
fn decrypted_values_belong_to_a_session() {
    let hiera = include_str!("../../../tests/cases/hiera-eyaml/hiera.yaml");
    let data = include_str!("../../../tests/cases/hiera-eyaml/data/secrets.eyaml");
    let key = include_str!("../../../tests/cases/hiera-eyaml/keys/private_key.pkcs7.pem");
    let files = [("env/hiera.yaml", hiera), ("env/data/secrets.eyaml", data), ("env/keys/private_key.pkcs7.pem", key)];
    let [mut one, mut other, mut third] = [(); 3].map(|()| small_site(&files));
    let session = Arc::new(DecryptionCache::default());
    one.lookup = Lookup::sharing(one.lookup.sources().clone(), &session);
    other.lookup = Lookup::sharing(other.lookup.sources().clone(), &session);
    let password = ask(&mut one, &NodeData::new(), "password");
    assert!(!password.contains("ENC["), "{password}");
    assert_eq!((session.len(), third.lookup.decrypted().len()), (1, 0));
    assert_eq!(ask(&mut other, &NodeData::new(), "password"), password);
    assert_eq!((session.len(), third.lookup.decrypted().len()), (1, 0));
    assert_eq!(ask(&mut third, &NodeData::new(), "password"), password);
    assert_eq!(third.lookup.decrypted().len(), 1);
    drop((one, other));
    assert_eq!(Arc::strong_count(&session), 1);
}
