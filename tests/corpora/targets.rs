//! Entry points for fuzzing the parsers and evaluators of untrusted input.
//!
//! In: any bytes. Out: nothing; a panic or an endless run is a bug. The programs in `fuzz/` call these with generated inputs, the test
//! `corpora` with those in `tests/corpora/`. Must not: access files, start processes, use the network: everything is read from [`Memory`].

use std::path::Path;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::OnceLock;
use std::time::Duration;

use catwalk_base::source::SourceMap;
use catwalk_eval::Data;
use catwalk_eval::Evaluator;
use catwalk_eval::Limits;
use catwalk_eval::Settings;
use catwalk_hiera as hiera;
use catwalk_node::Node;
use catwalk_node::classify::Classifier;
use catwalk_node::classify::Request;
use catwalk_node::facts::Agent;
use catwalk_node::groups::GroupFiles;
use catwalk_node::groups::GroupsTerminus;
use catwalk_program::Cache;
use catwalk_program::Environment;
use catwalk_program::Overrides;
use catwalk_program::Program;
use catwalk_program::metadata;
use catwalk_scripting as scripting;
use catwalk_session::site::Site;
use catwalk_snapshot::facts::FactSets;
use catwalk_snapshot::matrix;
use catwalk_value::Hash;
use catwalk_value::Value;
use catwalk_world::Command;
use catwalk_world::HttpRequest;
use catwalk_world::Memory;
use catwalk_world::Runs;
use catwalk_world::World;
use catwalk_world::dns;
use catwalk_world::tape;
use catwalk_world::worker::FrameScript;

/// An entry point, which is called with the bytes of an input.
pub type Target = fn(&[u8]);

/// All entry points, by the names of the programs in `fuzz/` and of the folders in `tests/corpora/`.
pub const TARGETS: [(&str, Target); 9] = [
    ("rhai", rhai),
    ("worker", worker),
    ("worker_parent", worker_parent),
    ("worker_child", worker_child),
    ("hiera", hiera),
    ("tape", tape),
    ("site", site),
    ("cases", cases),
    ("ruby_eval", ruby_eval),
];

const ROOT: &str = "/site";

/// Separates the files of an input that consists of several.
const NEXT_FILE: &str = "\n=====\n";

/// Separates the frames of a dialogue.
const NEXT_FRAME: &[u8] = b"\n--\n";

/// The time limit for the scripts of an input.
const SCRIPT_LIMIT: Duration = Duration::from_millis(300);

/// The time limit for the compile of an input.
const COMPILE_LIMIT: Duration = Duration::from_secs(1);

/// Calls an entry point on a thread with as much stack as compiles have.
pub fn run(target: Target, input: &[u8]) {
    // A panic of the thread is propagated.
    if catwalk_base::stack::with_large(|| target(input)).is_err() {
        std::process::abort();
    }
}

/// A script in Rhai, compiled and run as a classifier. If it has a function `f`, a manifest calls it; with `check` it is also a policy for
/// a catalog, with `lookup_key` a backend of Hiera.
pub fn rhai(input: &[u8]) {
    let has = |name: &[u8]| memchr::memmem::find(input, name).is_some();
    let mut world = Memory::new([("/site/scripts/lib/names.rhai", b"fn role() { \"web\" }")]);
    world.write("/site/modules/m/metadata.json", "{}");
    let mut code = String::new();
    if has(b"fn f(") {
        world.write("/site/modules/m/scripts/functions/f.rhai", input);
        code.push_str("notify { String(m::f(['a', { 'b' => 2 }]) |$x| { $x }): }\n");
    }
    if has(b"lookup_key") {
        world.write("/site/hiera.yaml", BACKEND);
        world.write("/site/modules/m/scripts/hiera/b.rhai", input);
        code.push_str("notify { String(lookup('k', undef, undef, 'none')): }\n");
    }
    if has(b"check") {
        world.write("/site/scripts/policies/p.rhai", input);
        code.push_str("file { '/etc/motd': content => 'a' }\n");
    }
    if code.is_empty() {
        world.write("/site/enc.rhai", input);
        classify(&world, None);
    } else {
        compile_site(world, &code, None);
    }
}

/// A frame between the program and the process of a script: each kind of document, as either end reads it.
pub fn worker(input: &[u8]) {
    scripting::decode_frame(input);
}

/// A script process that sends arbitrary frames to the compile. The first byte selects the request of the compile: `c` classifies a node,
/// `g` evaluates groups, `f` calls a function, `h` a backend of Hiera; any other byte checks a policy.
pub fn worker_parent(input: &[u8]) {
    let (entry, rest) = input.split_first().unwrap_or((&0, &[]));
    let frames = Some(frames(rest));
    let mut world = Memory::new([
        ("/site/modules/m/metadata.json", "{}"),
        ("/site/scripts/lib/names.rhai", "fn role() { \"web\" }"),
        ("/site/enc.rhai", "fn classify(node) { }"),
        ("/site/groups.rhai", "group(\"a\", #{ rule: |node| true });"),
        ("/site/modules/m/scripts/functions/f.rhai", "dispatch(\"(Any $a, Callable &$b)\", f); fn f(a, b) { }"),
        ("/site/modules/m/scripts/hiera/b.rhai", "fn lookup_key(key, options, context) { }"),
    ]);
    match entry {
        b'c' => classify(&world, frames),
        b'g' => {
            let scripts = scripts(SourceMap::new(), frames);
            let of_groups = scripting::RhaiGroups { scripts, environment: Arc::new(environment()) };
            let files = Arc::new(GroupFiles::new(PathBuf::from("/site/groups.rhai")));
            let _ = GroupsTerminus { files, scripts: Box::new(of_groups) }.classify(&request(), &world);
        }
        b'f' => {
            let code = "$list = ['a', { 'b' => Sensitive(2) }]\nnotify { String(m::f($list) |$x| { $x }): }\n";
            compile_site(world, code, frames);
        }
        b'h' => {
            world.write("/site/hiera.yaml", BACKEND);
            compile_site(world, "notify { String(lookup('k', undef, undef, 'none')): }\n", frames);
        }
        _ => {
            world.write("/site/scripts/policies/p.rhai", "fn check(catalog) { }");
            compile_site(world, "file { '/etc/motd': content => 'a' }\n", frames);
        }
    }
}

/// A compile that sends arbitrary frames to the script process.
pub fn worker_child(input: &[u8]) {
    let _ = scripting::run_within(SCRIPT_LIMIT, || scripting::serve_script(frames(input)));
}

fn frames(input: &[u8]) -> FrameScript {
    let mut start = 0;
    let mut frames: Vec<Vec<u8>> = Vec::new();
    for end in memchr::memmem::find_iter(input, NEXT_FRAME).chain([input.len()]) {
        frames.push(input.get(start..end).unwrap_or_default().to_vec());
        start = end + NEXT_FRAME.len();
    }
    FrameScript::new(frames)
}

/// Two layers, the first of them a backend in Rhai.
const BACKEND: &str =
    "version: 5\nhierarchy:\n  - name: b\n    lookup_key: m::b\n  - name: common\n    path: common.yaml\n";

/// `hiera.yaml`, and after `=====` a file of data: `lookup` of the keys `a`, `a.b` and `lookup_options`.
pub fn hiera(input: &[u8]) {
    let text = String::from_utf8_lossy(input);
    let (config, data) = text.split_once(NEXT_FILE).unwrap_or((&text, "a: 1\n"));
    let mut world = Memory::new([("/site/hiera.yaml", config), ("/site/data/common.yaml", data)]);
    world.write("/site/data/nodes/web1.example.com.yaml", data);
    let code = "['a', 'a.b', 'lookup_options'].each |$key| { notify { $key: message => String(lookup($key, undef, 'deep', 'none')) } }\n";
    compile_site(world, code, None);
}

/// Evaluates an ERB template.
pub fn ruby_eval(input: &[u8]) {
    let mut world = Memory::new([("/site/modules/m/metadata.json", "{}")]);
    world.write("/site/modules/m/templates/t.erb", input);
    compile_site(world, "$list = ['a', { 'b' => 2 }]\nnotify { template('m/t.erb'): }\n", None);
}

/// Reads a tape and requests every kind of response from it.
pub fn tape(input: &[u8]) {
    let world: Arc<dyn World> = Arc::new(Memory::new([("/tape/common.json", input), ("/tape/nodes/a.json", input)]));
    let mode = tape::Mode::Replay(PathBuf::from("/tape"));
    let Ok(tapes) = tape::Tapes::open(&mode, Some(Path::new(ROOT)), world.as_ref()) else { return };
    let Ok(tape) = tape::Tape::open(&Arc::new(tapes), "a", world) else { return };
    let limit = Duration::from_secs(1);
    for _ in 0..2 {
        let argv = vec!["/bin/echo".to_owned(), "hi".to_owned()];
        let _ = tape.run(&Command { argv, stdin: None, limit, output: Command::OUTPUT, runs: Runs::Incidental });
        let _ = (tape.now(), tape.random(), tape.env("HOME"), tape.env_names());
        let question = dns::Question { record: dns::Record::A, name: "x".to_owned(), servers: Vec::new() };
        let _ = (tape.resolve(&question), tape.puppetdb(&serde_json::json!(["=", "a", 1])));
        let search = catwalk_world::LdapSearch { url: "ldap://x".to_owned(), ..Default::default() };
        let _ = tape.search_ldap(&search, tape.secrets());
        let _ = tape.fetch(&HttpRequest { url: "http://x/".to_owned(), ..HttpRequest::default() });
    }
    let _ = tape.close();
}

/// `catwalk.toml`.
pub fn site(input: &[u8]) {
    let _ = Site::open(Path::new(ROOT), &Memory::new([("/site/catwalk.toml", input)]));
}

/// A file of test cases.
pub fn cases(input: &[u8]) {
    let world = Memory::new([
        ("/site/tests/a.yaml", input),
        ("/site/metadata.json", br#"{"name": "acme-m", "operatingsystem_support": [{"operatingsystem": "Debian"}]}"#),
    ]);
    static SETS: OnceLock<FactSets> = OnceLock::new();
    let sets = SETS.get_or_init(|| FactSets::built_in(Agent::default()));
    let around = matrix::ReadContext { root: Path::new(ROOT), sets, overrides: &[], world: &world };
    let _ = matrix::read(Path::new("/site/tests/a.yaml"), &around);
}

fn facts() -> Arc<Hash> {
    let os: Hash = [(Value::str("family"), Value::str("Debian"))].into_iter().collect();
    Arc::new([(Value::str("os"), Value::hash(os))].into_iter().collect())
}

fn environment() -> Environment {
    Environment { root: Some(PathBuf::from(ROOT)), ..Environment::default() }
}

fn request() -> Request {
    Request {
        certname: Arc::from("web1.example.com"),
        environment: Arc::from("production"),
        facts: facts(),
        trusted: Arc::new(catwalk_node::trusted("web1.example.com")),
    }
}

/// A script host; with frames, one whose workers send them.
fn scripts(sources: SourceMap, frames: Option<FrameScript>) -> Arc<scripting::Scripts> {
    let scripts = scripting::Scripts::new(sources);
    Arc::new(match frames {
        Some(frames) => scripts.with_scripted_workers(frames),
        None => scripts,
    })
}

/// Runs the classifier `/site/enc.rhai`.
fn classify(world: &Memory, frames: Option<FrameScript>) {
    let sources = SourceMap::new();
    let (scripts, environment) = (scripts(sources.clone(), frames), Arc::new(environment()));
    let enc = scripting::RhaiEnc { path: PathBuf::from("/site/enc.rhai"), data: None, scripts, environment };
    if let Some(Err(failure)) = scripting::run_within(SCRIPT_LIMIT, || enc.classify(&request(), world)) {
        let _ = catwalk_base::diag::render::human(&failure, &sources, false);
    }
}

/// Compiles a node of the site in this world and checks its policies, within small limits.
fn compile_site(world: Memory, code: &str, frames: Option<FrameScript>) {
    let limits = Limits {
        time: Some(COMPILE_LIMIT),
        iterations: 1_000_000,
        text: 1 << 20,
        elements: 100_000,
        memory: 1 << 30,
        ..Limits::default()
    };
    let settings = Settings { limits, ..Settings::default() };
    let world = Arc::new(world);
    let root = PathBuf::from(ROOT);
    let overrides = Overrides { modulepath: Some(vec![root.join("modules")]), ..Overrides::default() };
    let known = metadata::MetadataCache::default();
    let of = settings.environment_settings();
    let opened = Environment::open_with("production", Some(&root), &overrides, &of, &known, world.as_ref());
    let Ok((environment, _)) = opened else { return };
    let lookup = hiera::Lookup::new(hiera::Sources {
        eyaml: hiera::Eyaml::Keys,
        global: None,
        global_for_hiera_calls: settings.without_data_binding(),
        environment: environment.root.clone(),
        environment_name: environment.name.clone(),
        environment_data_provider: None,
        codedir: "/etc/puppet/code".into(),
        modules: environment.modules.iter().map(|(name, module)| (name.to_string(), module.root.clone())).collect(),
        strict: settings.strict,
        version: settings.version,
        quiet: true,
    });
    let data = hiera::NodeData::new();
    let cache = Arc::new(Cache::with_options(settings.syntax()));
    let scripts = scripts(cache.sources.clone(), frames);
    let world = scripts.world(&environment, None, &world);
    let environment = Arc::new(environment);
    let Ok(program) = Program::load(environment.clone(), world.clone(), cache.clone(), Some(code)) else { return };
    let node = Node { facts: facts(), ..Node::default() };
    let functions = scripting::RhaiFunctions::new(scripts, environment, world.clone());
    let input = catwalk_session::Input {
        program: &program,
        world: world.as_ref(),
        node: &node,
        settings: &settings,
        relates_automatically: false,
    };
    let compiled = catwalk_session::compile_with(&input, |evaluator| {
        evaluator.data = Some(Data { lookup: &lookup, node: &data });
        evaluator.library.scripts = Some(&functions);
    });
    match compiled.result {
        Ok(catalog) => {
            drop(catwalk_formats::wire::native::document(&catalog));
            if functions.has_policies() {
                let mut evaluator =
                    Evaluator::new(&program, world.as_ref(), &node, &settings, catwalk_session::library());
                evaluator.library.scripts = Some(&functions);
                let _ = evaluator.within_limits(|ev| Ok(functions.check(ev, catalog)));
            }
        }
        Err(failure) => drop(catwalk_base::diag::render::human(&failure, &cache.sources, false)),
    }
}
