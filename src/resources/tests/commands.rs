//! Compares the providers of the module `linux` with recorded behaviour of Puppet's providers (`tests/apply/commands/*.yaml`, recorded by
//! `tests/reference/apply-commands`). Programs return the recorded output; their arguments, the log and the files are compared.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::disallowed_methods, reason = "tests")]

use std::cell::RefCell;
use std::path::Path;
use std::path::PathBuf;
use std::rc::Rc;
use std::sync::Arc;

use catwalk_apply::Environment;
use catwalk_apply::Kinds;
use catwalk_apply::Options;
use catwalk_apply::Resolver;
use catwalk_apply::State;
use catwalk_base::names::Name;
use catwalk_base::secrets::SecretCollection;
use catwalk_base::source::SourceMap;
use catwalk_base::version::Version;
use catwalk_program::ScriptTypes;
use catwalk_resource_api::Definition;
use catwalk_resource_api::Level;
use catwalk_resource_api::Log;
use catwalk_resource_api::Origin;
use catwalk_resource_api::Providers;
use catwalk_scripting::RhaiProviders;
use catwalk_scripting::RhaiTypes;
use catwalk_scripting::Scripts;
use catwalk_session::Session;
use catwalk_system::Command;
use catwalk_system::FakeMachine;
use catwalk_system::Output;
use catwalk_value::Hash;
use catwalk_value::Value;
use catwalk_value::data::yaml;
use catwalk_world::Disk;
use catwalk_world::RecordingWorld;

const TYPES: [&str; 8] = ["package", "service", "user", "group", "host", "cron", "file_line", "ini_setting"];

/// The directory of a scenario's files.
const ROOT: &str = "/scenario";

fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().unwrap()
}

#[derive(Default)]
struct Lines(String);

impl Log for Lines {
    fn log(&mut self, level: Level, source: Option<&str>, message: &str) {
        let word = match level {
            Level::Debug | Level::Info => return,
            Level::Notice => "Notice",
            Level::Warning => "Warning",
            _ => "Error",
        };
        let source = source.map(|source| format!("{source}: ")).unwrap_or_default();
        self.0.push_str(&format!("{word}: {source}{message}\n"));
    }

    fn wants(&self, level: Level) -> bool {
        level > Level::Info
    }
}

struct NoFunctions;

impl Resolver for NoFunctions {
    fn resolve(&mut self, value: &Value, _: &mut dyn Log) -> Result<Value, String> {
        Ok(value.clone())
    }
}

fn text<'a>(hash: &'a Hash, key: &str) -> &'a str {
    hash.get(key).and_then(Value::as_str).unwrap_or_default()
}

fn list<'a>(hash: &'a Hash, key: &str) -> &'a [Value] {
    match hash.get(key) {
        Some(Value::Array(items)) => items,
        _ => &[],
    }
}

/// Whether a command line matches a pattern of the shell: `*`, `[abc]`.
fn matches(pattern: &str, line: &str) -> bool {
    let mut regexp = String::from("(?s)^");
    for character in pattern.chars() {
        match character {
            '*' => regexp.push_str(".*"),
            '[' | ']' => regexp.push(character),
            other => regexp.push_str(&catwalk_regexp::escape(&other.to_string())),
        }
    }
    catwalk_regexp::Regexp::new(format!("{regexp}\\z").replace("(?s)^", "(?m)\\A")).is_match(line).unwrap()
}

/// The outputs of the programs of a scenario.
struct Programs {
    answers: Vec<Hash>,
    databases: [(&'static str, String); 3],
}

impl Programs {
    fn new(scenario: &Hash) -> Programs {
        let answers = list(scenario, "answers").iter().filter_map(|answer| match answer {
            Value::Hash(answer) => Some(answer.as_ref().clone()),
            _ => None,
        });
        let databases = [
            ("passwd", format!("root:x:0:0:root:/root:/bin/bash\n{}", text(scenario, "passwd"))),
            ("group", format!("root:x:0:\n{}", text(scenario, "group"))),
            ("shadow", text(scenario, "shadow").to_owned()),
        ];
        Programs { answers: answers.collect(), databases }
    }

    fn run(&mut self, argv: &[String]) -> Output {
        let line = match argv {
            [shell, _, line] if shell == "/bin/sh" => line.clone(),
            _ => argv.join(" ").replace("/usr/sbin/", ""),
        };
        if let Some(at) = self.answers.iter().position(|answer| matches(text(answer, "command"), &line)) {
            let answer = self.answers[at].clone();
            if answer.get("once").is_some() {
                self.answers.remove(at);
            }
            let code = match answer.get("exit") {
                Some(Value::Int(code)) => i32::try_from(*code).unwrap(),
                _ => 0,
            };
            let (stdout, stderr) = (text(&answer, "stdout").into(), text(&answer, "stderr").into());
            return Output { code, stdout, stderr };
        }
        let (mut code, mut stdout) = (0, String::new());
        if let [program, database, rest @ ..] = argv
            && program == "getent"
        {
            let text = self.databases.iter().find(|(name, _)| name == database).map(|(_, text)| text.as_str()).unwrap();
            let is_wanted = |line: &&str| rest.first().is_none_or(|name| line.starts_with(&format!("{name}:")));
            stdout = text.lines().filter(is_wanted).map(|line| format!("{line}\n")).collect();
            code = if stdout.is_empty() && !rest.is_empty() { 2 } else { 0 };
        }
        Output { code, stdout: stdout.into_bytes(), stderr: Vec::new() }
    }
}

/// A command in the recorded form: its words without the quotes of Puppet's shell, then its input.
fn recorded(command: &Command) -> Vec<String> {
    let mut words: Vec<String> = match command.argv.as_slice() {
        [shell, _, line] if shell == "/bin/sh" => line.split(' ').map(str::to_owned).collect(),
        argv => argv.iter().map(|word| word.replace("/usr/sbin/invoke-rc.d", "invoke-rc.d")).collect(),
    };
    if let Some(stdin) = &command.stdin {
        words.push(format!("< {}", String::from_utf8_lossy(stdin).trim_end_matches('\n')));
    }
    words.iter().map(|word| plain(word)).collect()
}

/// Text without quotes around formats and without the time in a header.
fn plain(text: &str) -> String {
    let text = text.replace(ROOT, "@ROOT@");
    let text = text.strip_prefix('\'').and_then(|text| text.strip_suffix('\'')).unwrap_or(&text);
    let line = |line: &str| match line.split_once(" at 20") {
        Some((before, _)) if line.contains("# HEADER: This") => before.to_owned(),
        _ if line.contains("# HEADER: This") => line.replace(" by puppet.", ""),
        _ => line.to_owned(),
    };
    text.split('\n').map(line).collect::<Vec<_>>().join("\n")
}

fn is_query(words: &[String]) -> bool {
    let line = words.join(" ");
    let queries = [
        "dpkg-query ",
        "apt-cache ",
        "apt-mark showmanual",
        "rpm -q",
        "rpm --version",
        "dnf check-update",
        "dnf list",
        "systemctl is-",
        "systemctl show",
        "systemctl cat",
        "systemctl my-status",
        "getent ",
        "invoke-rc.d",
        "journalctl",
    ];
    queries.iter().any(|query| line.starts_with(query)) || line.ends_with(" -l")
}

/// The reason why a scenario deliberately differs from Puppet and is not compared.
fn differs(file: &str, name: &str) -> Option<&'static str> {
    match (file, name) {
        ("cron", "without a command") => {
            Some("fails in place of writing a table without the job and reporting that it was created")
        }
        _ => None,
    }
}

struct Run {
    code: i64,
    log: String,
    commands: Vec<Vec<String>>,
    files: Vec<(String, String)>,
}

fn apply(session: &Session, kinds: &Kinds, scenario: &Hash) -> Run {
    let manifest = text(scenario, "manifest").replace("@ROOT@", ROOT);
    let node =
        catwalk_session::TestNode { certname: "node.example.com".into(), code: Some(manifest), ..Default::default() };
    let compiled = session.compile_test_node(&node);
    let catalog = match compiled.result {
        Ok(catalog) => catalog,
        Err(error) => return Run { code: 1, log: error.message.to_string(), commands: Vec::new(), files: Vec::new() },
    };
    let mut system = FakeMachine::new();
    system.variables.insert("USER".to_owned(), "root".to_owned());
    for path in ["/bin/sh", "/bin/bash"] {
        system.put(Path::new(path), b"");
        catwalk_system::System::set_mode(&mut system, Path::new(path), 0o755).unwrap();
    }
    system.put(Path::new("/etc/debian_version"), b"12");
    system.put(&Path::new(ROOT).join("site.pp"), b"");
    if let Some(Value::Hash(files)) = scenario.get("files") {
        for (name, text) in files.iter() {
            system.put(&Path::new(ROOT).join(name.as_str().unwrap()), text.as_str().unwrap().as_bytes());
        }
    }
    let programs = Rc::new(RefCell::new(Programs::new(scenario)));
    system.set_runner(Box::new(move |command| Some(Ok(programs.borrow_mut().run(&command.argv)))));
    let mut lines = Lines::default();
    let is_noop = list(scenario, "options").iter().any(|option| option.as_str() == Some("--noop"));
    let mut environment = Environment {
        system: &mut system,
        log: &mut lines,
        secrets: &SecretCollection::default(),
        resolver: &mut NoFunctions,
        state: &mut State::default(),
        is_interrupted: &|| false,
        progress: &mut |_, _| (),
    };
    let outcome = catwalk_apply::apply(
        &catalog,
        kinds,
        &mut environment,
        &Options { noop: is_noop, version: Version::SEVEN, ..Options::default() },
    );
    if let Some(failure) = outcome.failure {
        return Run { code: 1, log: failure, commands: system.runs.iter().map(recorded).collect(), files: Vec::new() };
    }
    let any = |has: fn(&catwalk_apply::Status) -> bool| outcome.resources.iter().any(|resource| has(&resource.status));
    let changed = any(|status| {
        status.changed && status.events.iter().any(|event| event.status == catwalk_apply::EventStatus::Success)
    });
    let failed = any(|status| status.failed || status.failed_to_restart);
    let files = system.files().filter_map(|(path, text)| {
        let name = path.strip_prefix(ROOT).ok()?.to_string_lossy().into_owned();
        Some((name, plain(&String::from_utf8_lossy(text))))
    });
    Run {
        code: i64::from(changed) * 2 + i64::from(failed) * 4,
        files: files.collect(),
        commands: system.runs.iter().map(recorded).collect(),
        log: lines.0,
    }
}

/// The differences between a run and the record.
fn compare(expect: &Hash, run: &Run) -> Vec<String> {
    let mut different = Vec::new();
    let mut check = |aspect: &str, expected: String, got: String| {
        if expected != got {
            different.push(format!("{aspect}\n  expected:\n{expected}\n  got:\n{got}"));
        }
    };
    let code = match expect.get("exit") {
        Some(Value::Int(code)) => *code,
        _ => 0,
    };
    check("exit code", code.to_string(), format!("{}{}", run.code, if code == run.code { "" } else { &run.log }));
    let lines = |commands: &[Vec<String>]| commands.iter().map(|words| format!("{words:?}\n")).collect::<String>();
    let expected: Vec<Vec<String>> = list(expect, "commands")
        .iter()
        .map(|words| match words {
            Value::Array(words) => words.iter().map(|word| plain(word.as_str().unwrap())).collect(),
            _ => Vec::new(),
        })
        .collect();
    let changes =
        |commands: &[Vec<String>]| commands.iter().filter(|words| !is_query(words)).cloned().collect::<Vec<_>>();
    check("changes", lines(&changes(&expected)), lines(&changes(&run.commands)));
    let is_new = |words: &&Vec<String>| is_query(words) && words[0] != "getent" && !expected.contains(words);
    let more: Vec<Vec<String>> = run.commands.iter().filter(is_new).cloned().collect();
    check("questions that Puppet does not ask", String::new(), lines(&more));
    if code != 1 {
        check("log", text(expect, "log").to_owned(), run.log.replace(ROOT, "@ROOT@"));
        if let Some(Value::Hash(files)) = expect.get("files") {
            for (name, text) in files.iter() {
                let got = run.files.iter().find(|(known, _)| Some(known.as_str()) == name.as_str());
                let name = name.as_str().unwrap();
                check(name, plain(text.as_str().unwrap()), got.map(|(_, text)| text.clone()).unwrap_or_default());
            }
        }
    }
    different
}

/// The scripts of the module, parsed once, and the definitions of its types.
struct Module {
    scripts: Arc<Scripts>,
    environment: Arc<catwalk_program::Environment>,
    world: Arc<Disk>,
    definitions: Vec<Arc<Definition>>,
}

impl Module {
    fn read() -> Module {
        let root = repository().join("modules/linux");
        let world = Arc::new(Disk::new());
        let scripts = Arc::new(Scripts::new(SourceMap::new()));
        let environment = Arc::new(catwalk_program::Environment { root: Some(root.clone()), ..Default::default() });
        let types = RhaiTypes { scripts: scripts.clone() };
        let definition = |name: &str| {
            let path = root.join(format!("scripts/types/{name}.rhai"));
            let script = types.read(&path, Name::new(name), &environment, world.as_ref());
            Arc::new(script.definition.unwrap_or_else(|errors| panic!("{name}: {errors:?}")))
        };
        let definitions = TYPES.map(definition).to_vec();
        Module { scripts, environment, world, definitions }
    }

    /// The kinds of one run, with providers whose state lasts for that run.
    fn kinds(&self) -> Kinds {
        let world = Arc::new(RecordingWorld::for_compile(self.world.clone(), Arc::default()));
        let providers = RhaiProviders::new(self.scripts.clone(), self.environment.clone(), world).unwrap();
        let providers: Rc<RefCell<dyn Providers>> = Rc::new(RefCell::new(providers));
        let mut kinds = Kinds::new();
        kinds.insert(Rc::new(catwalk_resources::NotifyKind));
        for definition in &self.definitions {
            kinds.insert_definition(definition, &providers, None, Origin::Catalog);
        }
        kinds
    }
}

fn session() -> Session {
    let modulepath = Some(vec![repository().join("modules")]);
    let options = catwalk_session::Options { modulepath, unlisted: true, ..Default::default() };
    Session::open(options, Arc::new(Disk::new())).unwrap()
}

#[test]
fn puppets_own_types_compile_unchanged() {
    let code = "package { 'x': ensure => '1', adminfile => '/a' } service { 'y': ensure => running, flags => 'z' }";
    let node = catwalk_session::TestNode { certname: "a".into(), code: Some(code.to_owned()), ..Default::default() };
    let catalog = session().compile_test_node(&node).result.unwrap();
    let run =
        apply(&session(), &Module::read().kinds(), &[(Value::str("manifest"), Value::str(code))].into_iter().collect());
    assert!(catalog.resources.iter().any(|resource| resource.title.as_ref() == "x"));
    assert_eq!((run.code, run.commands.len()), (1, 0));
    assert_eq!(run.log, "package: attribute 'adminfile' is not supported\nservice: attribute 'flags' is not supported");
}

#[test]
fn the_program_has_all_scripts_of_the_module() {
    let mut found = Vec::new();
    for folder in ["lib", "providers", "types"] {
        for entry in std::fs::read_dir(repository().join("modules/linux/scripts").join(folder)).unwrap() {
            found.push(format!("scripts/{folder}/{}", entry.unwrap().file_name().to_string_lossy()));
        }
    }
    found.sort();
    assert_eq!(
        found,
        catwalk_resources::embedded::SCRIPTS.iter().map(|(path, _)| (*path).to_owned()).collect::<Vec<_>>()
    );
}

#[test]
fn providers_behave_like_puppets() {
    let folder = repository().join("tests/apply/commands");
    let (session, module) = (session(), Module::read());
    let filter = std::env::var("SCENARIO").unwrap_or_default();
    let mut files: Vec<PathBuf> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    let (mut count, mut failures) = (0, Vec::new());
    for path in files {
        let file = path.file_stem().unwrap().to_string_lossy().into_owned();
        let Value::Hash(document) = yaml::parse(&std::fs::read(&path).unwrap()).unwrap() else {
            panic!("{file}: no scenarios")
        };
        for scenario in list(&document, "scenarios") {
            let Value::Hash(scenario) = scenario else { panic!("{file}: no scenario") };
            let name = text(scenario, "name");
            let Some(Value::Hash(expect)) = scenario.get("expect") else { panic!("{file}: {name}: not recorded") };
            if differs(&file, name).is_some() || !format!("{file}: {name}").contains(&filter) {
                continue;
            }
            count += 1;
            let run = apply(&session, &module.kinds(), scenario);
            let different = compare(expect, &run);
            if !different.is_empty() {
                failures.push(format!("{file}: {name}\n{}", different.join("\n")));
            }
        }
    }
    assert!(failures.is_empty(), "{}\n{} of {count} scenarios differ", failures.join("\n\n"), failures.len());
    assert!(count > 0 && (count > 150 || !filter.is_empty()), "{count} scenarios");
}
