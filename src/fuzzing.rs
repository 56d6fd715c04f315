//! Entry points for fuzzing: bytes that others write, through everything that reads them. Not part of the library's interface.
//!
//! In: any bytes. Out: nothing; a panic, or a run that does not end, is a mistake. The programs in `fuzz/` call these with
//! made-up inputs, the test `corpora` with those in `tests/corpora/`. Must not: touch files, start processes, use the network:
//! everything is read from [`Memory`].

use std::path::Path;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use crate::compile;
use crate::environment::Environment;
use crate::environment::Overrides;
use crate::environment::metadata;
use crate::eval::Data;
use crate::eval::Limits;
use crate::eval::Settings;
use crate::hiera;
use crate::node::Node;
use crate::node::classify::Classifier;
use crate::node::classify::Request;
use crate::program::Cache;
use crate::program::Program;
use crate::scripting;
use crate::session::site::Site;
use crate::snapshot::facts::FactSets;
use crate::snapshot::matrix;
use crate::source::SourceMap;
use crate::value::Hash;
use crate::value::Value;
use crate::world::Command;
use crate::world::Memory;
use crate::world::World;
use crate::world::tape;

/// What is called with the bytes of an input.
pub type Target = fn(&[u8]);

/// All entry points, by the names of the programs in `fuzz/` and of the folders in `tests/corpora/`.
pub const TARGETS: [(&str, Target); 7] = [
    ("rhai", rhai),
    ("worker", worker),
    ("hiera", hiera),
    ("tape", tape),
    ("site", site),
    ("cases", cases),
    ("ruby_eval", ruby_eval),
];

const ROOT: &str = "/site";

/// Separates the files of an input that is several.
const NEXT_FILE: &str = "\n=====\n";

/// Calls an entry point on a thread with as much stack as compiles have.
pub fn run(target: Target, input: &[u8]) {
    // A panic in there goes on here.
    if crate::stack::with_large(|| target(input)).is_err() {
        std::process::abort();
    }
}

/// A script in Rhai: it is compiled, and asked to classify a node.
pub fn rhai(input: &[u8]) {
    let world = Memory::new([("/site/enc.rhai", input), ("/site/scripts/lib/names.rhai", b"fn role() { \"web\" }")]);
    let sources = SourceMap::new();
    let scripts = Arc::new(scripting::Scripts::new(sources.clone()));
    let environment = Arc::new(Environment { root: Some(PathBuf::from(ROOT)), ..Environment::default() });
    let enc = scripting::RhaiEnc { path: PathBuf::from("/site/enc.rhai"), scripts, environment };
    let request = Request {
        certname: Arc::from("web1.example.com"),
        environment: Arc::from("production"),
        facts: facts(),
        trusted: Arc::new(crate::node::trusted("web1.example.com")),
    };
    if let Err(failure) = enc.classify(&request, &world) {
        let _ = crate::diag::render::human(&failure, &sources, false);
    }
}

/// A frame between the program and the process of a script: each kind of document, as either end reads it.
pub fn worker(input: &[u8]) {
    scripting::decode_frame(input);
}

/// `hiera.yaml`, and after `=====` a file of data: `lookup` of the keys `a`, `a.b` and `lookup_options`.
pub fn hiera(input: &[u8]) {
    let text = String::from_utf8_lossy(input);
    let (config, data) = text.split_once(NEXT_FILE).unwrap_or((&text, "a: 1\n"));
    let mut world = Memory::new([("/site/hiera.yaml", config), ("/site/data/common.yaml", data)]);
    world.write("/site/data/nodes/web1.example.com.yaml", data);
    let code = "['a', 'a.b', 'lookup_options'].each |$key| { notify { $key: message => String(lookup($key, undef, 'deep', 'none')) } }\n";
    compile_site(world, code);
}

/// A template of Ruby: it is evaluated.
pub fn ruby_eval(input: &[u8]) {
    let mut world = Memory::new([("/site/modules/m/metadata.json", "{}")]);
    world.write("/site/modules/m/templates/t.erb", input);
    compile_site(world, "$list = ['a', { 'b' => 2 }]\nnotify { template('m/t.erb'): }\n");
}

/// A tape: it is read, and asked every kind of question.
pub fn tape(input: &[u8]) {
    let world: Arc<dyn World> = Arc::new(Memory::new([("/tape/common.json", input), ("/tape/nodes/a.json", input)]));
    let mode = tape::Mode::Replay(PathBuf::from("/tape"));
    let Ok(tapes) = tape::Tapes::open(&mode, Some(Path::new(ROOT)), world.as_ref()) else { return };
    let Ok(tape) = tape::Tape::open(&Arc::new(tapes), "a", world) else { return };
    let limit = Duration::from_secs(1);
    for _ in 0..2 {
        let argv = vec!["/bin/echo".to_owned(), "hi".to_owned()];
        let _ =
            tape.run(&Command { argv, stdin: None, limit, output: Command::OUTPUT, runs: crate::world::Runs::Aside });
        let _ = (tape.now(), tape.random(), tape.env("HOME"));
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
    let sets = FactSets::built_in();
    let around = matrix::Around { root: Path::new(ROOT), sets: &sets, world: &world };
    let _ = matrix::read(Path::new("/site/tests/a.yaml"), &around);
}

fn facts() -> Arc<Hash> {
    let os: Hash = [(Value::str("family"), Value::str("Debian"))].into_iter().collect();
    Arc::new([(Value::str("os"), Value::hash(os))].into_iter().collect())
}

/// Compiles a node of the site in this world, within limits that make an input quick.
fn compile_site(world: Memory, code: &str) {
    let limits = Limits {
        time: Some(Duration::from_secs(5)),
        iterations: 1_000_000,
        text: 1 << 20,
        elements: 100_000,
        memory: 1 << 30,
        ..Limits::default()
    };
    let settings = Settings { limits, ..Settings::default() };
    let world: Arc<dyn World> = Arc::new(world);
    let root = PathBuf::from(ROOT);
    let overrides = Overrides { modulepath: Some(vec![root.join("modules")]), ..Overrides::default() };
    let known = metadata::Known::default();
    let of = settings.installation();
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
    let cache = Arc::new(Cache::with(settings.syntax()));
    let Ok(program) = Program::load(Arc::new(environment), world.clone(), cache.clone(), Some(code)) else { return };
    let node = Node { facts: facts(), ..Node::default() };
    let input = compile::Input { program: &program, world: world.as_ref(), node: &node, settings: &settings };
    let compiled = compile::compile_with(&input, |evaluator| {
        evaluator.data = Some(Data { lookup: &lookup, node: &data });
    });
    match compiled.result {
        Ok(catalog) => drop(crate::wire::native::document(&catalog)),
        Err(failure) => drop(crate::diag::render::human(&failure, &cache.sources, false)),
    }
}
