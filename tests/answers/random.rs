//! Catwalk's side of `tests/reference/random`: `--random serve FACTS` evaluates cases from stdin, one JSON object a line, as
//! `tests/reference/random_oracle.rb` does with Puppet (its header describes the objects); `--random functions` prints the table
//! of functions.

use std::io::BufRead;
use std::io::Write;
use std::panic::AssertUnwindSafe;
use std::path::Path;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use catwalk_base::diag::Diagnostic;
use catwalk_base::diag::Severity;
use catwalk_base::secrets::SecretCollection;
use catwalk_base::source::SourceMap;
use catwalk_base::version::Version;
use catwalk_eval::Data;
use catwalk_eval::Evaluator;
use catwalk_eval::Settings;
use catwalk_functions as functions;
use catwalk_hiera as hiera;
use catwalk_node::Node;
use catwalk_node::NodeInput;
use catwalk_node::classify::Classification;
use catwalk_program::Cache;
use catwalk_program::Environment;
use catwalk_program::Overrides;
use catwalk_program::Program;
use catwalk_value::Hash;
use catwalk_value::Value;
use catwalk_value::to_program;
use catwalk_world::Command;
use catwalk_world::Disk;
use catwalk_world::Output;
use catwalk_world::World;
use catwalk_world::WorldError;
use serde_json::Value as Json;
use serde_json::json;

/// The files of the machine, a constant clock, no processes.
struct FixedWorld(Disk, Arc<SecretCollection>);

impl World for FixedWorld {
    fn below(&self) -> Option<&dyn World> {
        Some(&self.0)
    }
    fn secrets(&self) -> &Arc<SecretCollection> {
        &self.1
    }
    fn env(&self, _: &str) -> Option<Arc<str>> {
        None
    }
    fn env_names(&self) -> Vec<Arc<str>> {
        Vec::new()
    }
    fn run(&self, command: &Command) -> Result<Output, WorldError> {
        Err(WorldError::NotAllowed(Arc::from(format!("running {}", command.argv.join(" ")))))
    }
    fn now(&self) -> Duration {
        Duration::from_secs(1_700_000_000)
    }
    fn random(&self) -> u128 {
        0
    }
}

/// Bytes; nested evaluations need more stack than a thread has by default, above all in a debug build.
const STACK: usize = 512 << 20;

/// Runs the subcommand after `--random`.
pub fn run(mut arguments: impl Iterator<Item = String>) {
    match arguments.next().as_deref() {
        Some("serve") => {
            std::panic::set_hook(Box::new(|_| {}));
            let facts = arguments.next().unwrap_or_else(|| crate::usage("usage: --random serve FACTS"));
            let thread = std::thread::Builder::new().stack_size(STACK).spawn(move || serve(&facts));
            thread.unwrap().join().unwrap();
        }
        Some("functions") => {
            for function in functions::all() {
                for (signature, _) in function.signatures {
                    println!("{}\t{signature}", function.name);
                }
            }
        }
        _ => crate::usage("usage: --random serve FACTS, or --random functions"),
    }
}

fn serve(facts: &str) {
    let facts: Json = serde_json::from_str(&std::fs::read_to_string(facts).unwrap()).unwrap();
    let Value::Hash(facts) = catwalk_value::json::from_json(&facts) else { panic!("facts are a hash") };
    let world: Arc<dyn World> = Arc::new(FixedWorld(Disk::new(), Arc::default()));
    let mut out = std::io::stdout().lock();
    for line in std::io::stdin().lock().lines() {
        let request: Json = serde_json::from_str(&line.unwrap()).unwrap();
        let classification = request.get("enc").map_or_else(Classification::default, |enc| {
            Classification::from_value(&catwalk_value::json::from_json(enc)).expect("a classification")
        });
        let settings = settings(&request);
        let node = node(facts.as_ref().clone(), classification, settings.version);
        let answer = std::panic::catch_unwind(AssertUnwindSafe(|| answer(&request, &node, settings, &world)));
        let mut answer = answer.unwrap_or_else(|panic| {
            let text = panic.downcast_ref::<String>().cloned();
            let text = text.or_else(|| panic.downcast_ref::<&str>().map(|text| (*text).to_owned()));
            json!({"error": format!("panicked: {}", text.unwrap_or_default()), "logs": []})
        });
        answer["id"] = request["id"].clone();
        writeln!(out, "{answer}").unwrap();
        out.flush().unwrap();
    }
}

fn node(facts: Hash, classification: Classification, version: Version) -> Node {
    let server_facts =
        [("serverversion", version.release), ("servername", "puppet.example.com"), ("serverip", "192.0.2.1")];
    let server_facts = server_facts.into_iter().map(|(name, value)| (Value::str(name), Value::str(value))).collect();
    Node::new(
        "web1.example.com",
        "production",
        NodeInput { facts: Arc::new(facts), trusted: None, server_facts: Some(server_facts), classification, version },
    )
}

/// The settings of a request; "puppet" among them names the version of the language.
fn settings(request: &Json) -> Settings {
    let version = Version::find(request["puppet"].as_str().unwrap_or("7")).expect("a version");
    let mut settings = Settings::for_version(version);
    for (name, value) in request["settings"].as_object().into_iter().flatten() {
        let value = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
        settings.set(name, &value).expect("a setting");
    }
    settings.limits = catwalk_eval::Limits { time: Some(Duration::from_secs(10)), ..catwalk_eval::Limits::default() };
    settings
}

fn answer(request: &Json, node: &Node, settings: Settings, world: &Arc<dyn World>) -> Json {
    let root = request["env"].as_str().map(Path::new);
    let (environment, _) =
        Environment::open("production", root, &Overrides::default(), world.as_ref()).expect("an environment");
    let environment = Arc::new(environment);
    let cache = Arc::new(Cache::with_options(settings.syntax()));
    let sources = cache.sources.clone();
    let catalog = request["mode"] == "catalog";
    let code = request["code"].as_str().unwrap_or_default();
    let text = |diagnostic: &Diagnostic| diagnostic.puppet_text(&sources);
    let main = if catalog { code } else { request["manifest"].as_str().unwrap_or_default() };
    let program = match Program::load(environment.clone(), world.clone(), cache.clone(), Some(main)) {
        Ok(program) => program,
        Err(diagnostic) => return json!({"error": text(&diagnostic), "logs": logged_errors(&diagnostic, &sources)}),
    };
    let lookup = hiera::Lookup::new(hiera_sources(&environment, &settings));
    let data = hiera::NodeData::new();
    let mut evaluator = Evaluator::new(&program, world.as_ref(), node, &settings, catwalk_session::library());
    evaluator.data = Some(Data { lookup: &lookup, node: &data });
    let result = if catalog { compile(&mut evaluator) } else { evaluate(&program, &mut evaluator, code) };
    let mut errors = Vec::new();
    let mut answer = result.unwrap_or_else(|diagnostic| {
        errors = logged_errors(&diagnostic, &sources);
        json!({"error": text(&diagnostic)})
    });
    let logs = evaluator.take_logs();
    let logs: Vec<Diagnostic> = logs.into_iter().chain(program.take_warnings()).collect();
    let logs = logs.iter().filter(|line| line.severity > Severity::Info).map(|line| {
        let level = if line.severity.as_str() == "error" { "err" } else { line.severity.as_str() };
        Json::from(format!("{level}: {}", text(line)))
    });
    answer["logs"] = logs.chain(errors).collect();
    answer
}

/// The log of a program with several errors.
fn logged_errors(failure: &Diagnostic, sources: &SourceMap) -> Vec<Json> {
    let line = |line: &Diagnostic| {
        let level = if line.severity.as_str() == "error" { "err" } else { line.severity.as_str() };
        Json::from(format!("{level}: {}", line.puppet_text(sources)))
    };
    failure.summarized.iter().map(line).collect()
}

fn compile(evaluator: &mut Evaluator<'_>) -> Result<Json, Box<Diagnostic>> {
    let mut catalog = catwalk_session::phases(evaluator).map_err(|stop| evaluator.failure(stop))?;
    catalog.convert_binary_strings();
    let document = catwalk_formats::wire::native::document(&catalog);
    let document = document.map_err(|reason| Box::new(Diagnostic::new(reason, None)))?;
    Ok(json!({"catalog": document}))
}

fn evaluate<'c>(program: &'c Program, evaluator: &mut Evaluator<'c>, code: &str) -> Result<Json, Box<Diagnostic>> {
    let start = |evaluator: &mut Evaluator<'c>| {
        evaluator.start_catalog()?;
        evaluator.set_node_parameters()?;
        evaluator.create_settings_scope()?;
        evaluator.evaluate_main()
    };
    start(evaluator).map_err(|stop| evaluator.failure(stop))?;
    let file = program.parse_code(code)?;
    let value = evaluator
        .within_limits(|evaluator| evaluator.eval_program(&file.body))
        .map_err(|stop| evaluator.failure(stop))?;
    Ok(json!({
        "value": to_program(&value),
        "type": catwalk_value::infer(&value).to_string(),
        "set": catwalk_value::infer_set(&value).to_string(),
    }))
}

fn hiera_sources(environment: &Environment, settings: &Settings) -> hiera::Sources {
    hiera::Sources {
        eyaml: hiera::Eyaml::Keys,
        global: None,
        global_for_hiera_calls: settings.without_data_binding(),
        environment: environment.root.clone(),
        environment_name: environment.name.clone(),
        environment_data_provider: None,
        codedir: PathBuf::from("/etc/puppet/code"),
        modules: environment.modules.iter().map(|(name, module)| (name.to_string(), module.root.clone())).collect(),
        strict: settings.strict,
        version: settings.version,
        quiet: false,
    }
}
