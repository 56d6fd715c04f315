//! Providers in Rhai, without a transaction: on a machine in memory.

#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, reason = "tests")]

use std::path::Path;

use catwalk_base::names::Name;
use catwalk_base::source::SourceMap;
use catwalk_resource_api::Attribute;
use catwalk_resource_api::Behaviour;
use catwalk_resource_api::Level;
use catwalk_resource_api::Log;
use catwalk_system::FakeMachine;
use catwalk_value::Type;
use catwalk_world::Memory;

use super::*;

#[derive(Default)]
struct LogLines(Vec<String>);

impl Log for LogLines {
    fn log(&mut self, level: Level, _: Option<&str>, message: &str) {
        self.0.push(format!("{}: {message}", level.name()));
    }

    fn wants(&self, _: Level) -> bool {
        true
    }
}

fn definition(namevars: &[&str], features: &[&str], ensurable: bool) -> Arc<Definition> {
    let attribute = |behaviour| Attribute {
        data_type: Type::Any,
        data_type_source: Arc::from("Any"),
        description: None,
        default: None,
        behaviour,
        sensitive: false,
    };
    let ensure = ensurable.then(|| (Name::new("ensure"), attribute(Behaviour::Property)));
    let namevars = namevars.iter().map(|name| (Name::new(name), attribute(Behaviour::Namevar)));
    let value = (Name::new("value"), attribute(Behaviour::Property));
    Arc::new(Definition {
        name: Name::new("thing"),
        description: None,
        attributes: ensure.into_iter().chain(namevars).chain([value]).collect(),
        title_patterns: Vec::new(),
        auto_relations: Vec::new(),
        features: features.iter().map(|feature| Arc::from(*feature)).collect(),
        file: Arc::from("/site/scripts/types/thing.rhai"),
    })
}

/// The setup of a provider's test.
struct Bench {
    definition: Arc<Definition>,
    providers: RhaiProviders,
    system: FakeMachine,
    lines: LogLines,
}

impl Bench {
    fn new(script: &str, definition: Arc<Definition>) -> Bench {
        let world = Arc::new(Memory::new([("/site/scripts/providers/thing.rhai", script)]));
        let environment = Arc::new(Environment { root: Some(PathBuf::from("/site")), ..Environment::default() });
        let scripts = Arc::new(Scripts::new(SourceMap::new()));
        let providers = RhaiProviders::new(scripts, environment, world).unwrap();
        Bench { definition, providers, system: FakeMachine::new(), lines: LogLines::default() }
    }

    fn simple(script: &str) -> Bench {
        Bench::new(script, definition(&["name"], &[], true))
    }

    fn with<T>(&mut self, run: impl FnOnce(&mut dyn Provider, &mut Context<'_>) -> T) -> T {
        let mut provider = self.providers.load(&self.definition).unwrap().unwrap();
        let mut context = Context::new(self.definition.clone(), &mut self.lines, &mut self.system);
        run(provider.as_mut(), &mut context)
    }

    /// Changes the resource `a` from one value to another; returns the result of `set`, whether it failed, and the log.
    fn set(&mut self, is: &str, should: &str) -> (Result<(), Failure>, bool, Vec<String>) {
        let name = Value::str("a");
        let state = |value: &str| hash(&[("name", "a"), ("ensure", "present"), ("value", value)]);
        let change = Change { name: name.clone(), is: Some(state(is)), should: Some(state(should)) };
        let (result, failed) = self.with(|provider, context| {
            context.requested = Some(vec![name]);
            let result = provider.set(context, &[change], false);
            (result, context.take_failed())
        });
        (result, failed, std::mem::take(&mut self.lines.0))
    }
}

fn hash(entries: &[(&str, &str)]) -> State {
    entries.iter().map(|(key, item)| (Name::new(key), Value::str(item))).collect()
}

const GET: &str = "fn get(context) { [] }\n";

#[test]
fn a_block_captures_the_context_and_uses_words_that_rhai_reserves() {
    let mut bench = Bench::simple(
        r##"
        fn get(context) { [] }
        fn set(context, changes) {
            for name in changes.keys() {
                let change = changes[name];
                let is = change.is;
                let options = #{ default: 5, package: "p" };
                context.updating(name, || {
                    context.debug(`from ${change.is.value} to ${change.should.value}`);
                    [name].for_each(|| context.creating(this, || context.notice("nested")));
                    helper(context, is, options.package);
                    bare(options.default);
                });
                context.updating(name, |context| context.creating(name, || context.info("inner")));
                updating(context, name, || context.info(1));
            }
        }
        private fn helper(context, is, package) { context.notice(`${is.name} ${package}`); }
        private fn bare(default) { context.warning(`${default}`); }
        "##,
    );
    let (result, failed, lines) = bench.set("old", "new");
    assert_eq!(result, Ok(()));
    assert!(!failed);
    let log = lines.join("\n").replace("0.000000", "N");
    assert_eq!(
        log,
        "debug: thing[a]: Updating: Start\n\
         debug: thing[a]: Updating: from old to new\n\
         debug: thing[a]: Creating: Start\n\
         notice: thing[a]: Creating: nested\n\
         notice: thing[a]: Creating: Finished in N seconds\n\
         notice: thing: a p\n\
         warning: thing: 5\n\
         notice: thing: Finished in N seconds\n\
         debug: thing[a]: Updating: Start\n\
         debug: thing[a]: Creating: Start\n\
         info: thing[a]: Creating: inner\n\
         notice: thing[a]: Creating: Finished in N seconds\n\
         notice: thing: Finished in N seconds\n\
         debug: thing[a]: Updating: Start\n\
         info: thing[a]: Updating: 1\n\
         notice: thing[a]: Updating: Finished in N seconds"
    );
}

#[test]
fn errors_of_a_block_are_logged_and_recorded() {
    for (thrown, text) in [
        ("throw \"boom\"", "boom"),
        ("throw #{ message: \"boom\" }", "boom"),
        ("file_read(\"/none\")", "file_read(): /none: No such file or directory"),
        ("file_read(\"none\")", "file_read(): the path must be absolute, got 'none'"),
        ("1 / 0", "Division by zero: 1 / 0"),
    ] {
        let script = format!(
            "{GET}fn set(context, changes) {{ context.deleting(\"a\", || {{ {thrown}; }}); context.notice(\"after\"); }}"
        );
        let (result, failed, lines) = Bench::simple(&script).set("x", "y");
        assert_eq!((result, failed), (Ok(()), true), "{thrown}");
        let lines: Vec<&String> = lines.iter().filter(|line| !line.starts_with("debug")).collect();
        assert_eq!(
            lines,
            [&format!("err: thing[a]: Deleting: Failed after 0.000000 seconds: {text}"), "notice: thing: after"],
            "{thrown}"
        );
    }
}

#[test]
fn scripts_cannot_catch_errors_that_end_the_run() {
    for (code, text) in [
        ("exit(1)", "exit() is not available in scripts: use return or throw"),
        ("deep()", "the script calls itself too deep (48 levels)"),
        ("let text = \"x\"; loop { text += text; }", "Length of string is too large"),
    ] {
        let script = format!(
            "{GET}fn deep() {{ deep() }}
            fn set(context, changes) {{
                try {{ context.updating(\"a\", || {{ {code}; }}); }} catch {{ context.notice(\"caught\"); }}
                context.notice(\"after\");
            }}"
        );
        let (result, failed, lines) = Bench::simple(&script).set("x", "y");
        let failure = result.unwrap_err();
        assert!(failure.is_fatal && !failed, "{code}");
        assert_eq!(failure.message, text, "{code}");
        assert_eq!(lines, ["debug: thing[a]: Updating: Start"], "{code}");
    }
}

#[test]
fn failures_have_position_and_calls() {
    let mut bench =
        Bench::simple("fn get(context) {\n    rows()\n}\n\nprivate fn rows() {\n    throw \"cannot read\";\n}\n");
    let failure = bench.with(|provider, context| provider.get(context, None)).unwrap_err();
    assert_eq!(failure.message, "cannot read");
    assert_eq!(
        failure.trace,
        [
            "at /site/scripts/providers/thing.rhai:6:5",
            "in script function 'rows', called at /site/scripts/providers/thing.rhai:2:5"
        ]
    );
    assert!(!failure.is_fatal);
}

#[test]
fn rows_are_arrays_of_hashes_in_a_sensible_order() {
    let get = |script: &str| Bench::simple(script).with(|provider, context| provider.get(context, None));
    let rows =
        get("fn get(context) { [#{ value: 1, name: \"a\", ensure: \"present\" }, hash() + #{ value: 1 }] }").unwrap();
    let keys = |row: &State| row.keys().map(|name| name.as_str().to_owned()).collect::<Vec<_>>();
    assert_eq!(keys(&rows[0]), ["ensure", "name", "value"]);
    assert_eq!(keys(&rows[1]), ["value"]);
    for (returned, text) in [
        ("()", "get() must return an array of hashes, got Undef"),
        ("\"text\"", "get() must return an array of hashes, got String"),
        ("[1]", "get() must return an array of hashes, element 0 is Integer[1, 1]"),
        ("|x| x", "get() must return an array of hashes, got a value of the script"),
    ] {
        let failure = get(&format!("fn get(context) {{ {returned} }}")).unwrap_err();
        assert_eq!(failure.message, text);
    }
}

#[test]
fn features_and_functions_must_agree() {
    for (features, script, text) in [
        (&[][..], "fn set(context, changes) {}", "the provider of 'thing' has no function get(context)"),
        (&["simple_get_filter"], GET, "the provider needs get(context, names)"),
        (&[], "fn get(context, names) { [] }", "needs the feature simple_get_filter"),
        (&["supports_noop"], GET, "the provider needs set(context, changes, noop)"),
        (&["canonicalize"], GET, "the provider needs canonicalize(context, resources)"),
        (&[], "fn get(context) { [] }\nfn canonicalize(context, all) { all }", "needs the feature canonicalize"),
        (&[], "fn get(context { broken", "(/site/scripts/providers/thing.rhai:1:"),
    ] {
        let mut bench = Bench::new(script, definition(&["name"], features, true));
        let Err(failure) = bench.providers.load(&bench.definition) else { panic!("{script}") };
        assert!(failure.message.contains(text), "{}", failure.message);
        assert!(failure.message.contains("providers/thing.rhai:"), "{}", failure.message);
    }
}

#[test]
fn names_of_several_namevars_are_hashes() {
    let script = r##"
        fn get(context, names) {
            if names == () { return []; }
            let out = [];
            for name in names { out.push(hash() + #{ title: "t" } + name); }
            out
        }
        fn set(context, changes) {
            for name in changes.keys() {
                context.notice(name, `${changes[name].should.value} ${name in changes} ${changes[#{ manager: "m", package: "p" }].is.value}`);
                context.updated(name);
            }
        }
    "##;
    let mut bench = Bench::new(script, definition(&["package", "manager"], &["simple_get_filter"], true));
    let name = Value::hash(hash(&[("package", "p"), ("manager", "m")]).to_hash());
    let change =
        Change { name: name.clone(), is: Some(hash(&[("value", "1")])), should: Some(hash(&[("value", "2")])) };
    bench.with(|provider, context| {
        let rows = provider.get(context, Some(std::slice::from_ref(&name))).unwrap();
        assert_eq!(rows, [hash(&[("title", "t"), ("package", "p"), ("manager", "m")])]);
        context.requested = Some(vec![name]);
        provider.set(context, &[change], false).unwrap();
    });
    assert_eq!(
        bench.lines.0,
        [
            "notice: thing[{:package=>\"p\", :manager=>\"m\"}]: 2 true 1",
            "notice: thing: Updated: {:package=>\"p\", :manager=>\"m\"}"
        ]
    );
}

#[test]
fn files_and_commands_are_those_of_the_machine() {
    let script = r##"
        fn get(context) {
            context.cache("n", 1);
            let out = run(["/bin/x", "a b"], #{ stdin: "in", env: #{ A: "1", B: () }, cwd: "/tmp", timeout: 5, umask: "022" });
            file_write("/etc/x", out.stdout, #{ mode: "0600", owner: "root" });
            dir_create("/srv/a/b", #{ parents: true });
            file_copy("/etc/x", "/srv/a/b/c");
            file_link("/srv/l", "a");
            let found = file_stat("/etc/x");
            [#{ name: `${found.mode} ${found.owner} ${found.size} ${out.exitcode} ${file_read("/srv/a/b/c")} ${dir_list("/srv")}`,
                value: context.cached_value("n"), ensure: parse_json(`{"z":1,"a":[2]}`).keys() }]
        }
    "##;
    let mut bench = Bench::simple(script);
    bench.system.put(Path::new("/etc/y"), b"");
    bench.system.set_runner(Box::new(|command| {
        let stdout = command.stdin.clone().unwrap_or_default();
        Some(Ok(catwalk_system::Output { code: 3, stdout, stderr: Vec::new() }))
    }));
    let (rows, changes) =
        bench.with(|provider, context| (provider.get(context, None).unwrap(), context.take_changes()));
    assert_eq!(rows[0].get(&Name::new("name")), Some(&Value::str("0600 root 2 3 in [\"a\", \"l\"]")));
    assert_eq!(rows[0].get(&Name::new("value")), Some(&Value::Int(1)));
    assert_eq!(rows[0].get(&Name::new("ensure")), Some(&Value::array(vec![Value::str("z"), Value::str("a")])));
    let command = &bench.system.runs[0];
    assert_eq!(command.argv, ["/bin/x", "a b"]);
    assert_eq!(command.umask, Some(0o22));
    let removed = ("B".to_owned(), None);
    assert!(command.environment.contains(&removed), "{:?}", command.environment);
    assert_eq!(
        changes,
        [
            "ran /bin/x a b",
            "wrote /etc/x",
            "created directory /srv/a/b",
            "copied /etc/x to /srv/a/b/c",
            "linked /srv/l to a"
        ]
    );
}

#[test]
fn wrong_calls_of_the_machine_are_errors() {
    for (call, text) in [
        ("run(\"ls\")", "run(): the command is an array"),
        ("run([])", "run(): the command is empty"),
        ("run([\"x\"], #{ timout: 3 })", "run(): there is no option 'timout': did you mean 'timeout'?"),
        ("run([\"x\"], #{ timeout: -3 })", "run(): option 'timeout' must be a positive number of seconds"),
        ("run([\"x\"], #{ cwd: \"etc\" })", "run(): the path must be absolute, got 'etc'"),
        ("file_write(\"/x\", \"\", #{ mode: 644 })", "file_write(): option 'mode' must be a string of octal digits"),
        ("file_write(\"/x\", \"\", #{ owner: \"nobody\" })", "file_write(): there is no user 'nobody'"),
        ("file_hash(\"/etc/x\", \"crc\")", "file_hash(): unknown algorithm 'crc'"),
        ("context.log(\"loud\", \"x\")", "'loud' is not a log level"),
        (
            "context.created(\"a\", #{ mesage: \"x\" })",
            "created(): there is no option 'mesage': did you mean 'message'?",
        ),
        ("context.device", "no device configured"),
        ("context.updating(\"a\", |a, b| a)", "updating(): a block takes the context or nothing"),
    ] {
        let mut bench = Bench::simple(&format!("fn get(context) {{ {call}; [] }}"));
        bench.system.put(Path::new("/etc/x"), b"");
        let failure = bench.with(|provider, context| provider.get(context, None)).unwrap_err();
        assert!(failure.message.starts_with(text), "{call}: {}", failure.message);
    }
}

#[test]
fn a_provider_without_set_creates_updates_and_deletes() {
    let script = format!("{GET}fn update(context, name, should) {{ context.notice(`${{name}} ${{should.value}}`); }}");
    let mut bench = Bench::simple(&script);
    let (result, failed, lines) = bench.set("x", "y");
    assert_eq!((result, failed), (Ok(()), false));
    assert_eq!(lines[1], "notice: thing[a]: Updating: a y");
    let change = Change { name: Value::str("a"), is: Some(hash(&[("ensure", "present")])), should: None };
    let failed = bench.with(|provider, context| {
        provider.set(context, &[change], false).unwrap();
        context.take_failed()
    });
    assert!(failed);
    let text = "err: thing[a]: Deleting: Failed after 0.000000 seconds: thing has not implemented 'delete'";
    assert_eq!(bench.lines.0[1], text);
    let mut flat = Bench::new(&script, definition(&["name"], &[], false));
    let failure = flat.set("x", "y").0.unwrap_err();
    assert_eq!(failure.message, "SimpleProvider cannot be used with a Type that is not ensurable");
}

#[test]
fn a_provider_that_fills_an_array_without_end_is_stopped_by_the_time_it_computes() {
    let mut bench = Bench::simple("fn get(context) { let all = []; loop { all.push(1); } }");
    let failure = bench.with(|provider, context| provider.get(context, None)).unwrap_err();
    assert!(failure.is_fatal && failure.message.contains("computes for more than 20 seconds"), "{}", failure.message);
}
