//! Cases that need an evaluator: catalogs, values, lookups, calls of functions.

mod overlay;

use std::path::Path;
use std::path::PathBuf;
use std::sync::Arc;

use catwalk_base::diag::Diagnostic;
use catwalk_base::names::Name;
use catwalk_base::source::SourceMap;
use catwalk_eval::Data;
use catwalk_eval::Evaluator;
use catwalk_eval::ScopeId;
use catwalk_eval::Settings;
use catwalk_eval::Strict;
use catwalk_hiera as hiera;
use catwalk_node::Node;
use catwalk_program::Cache;
use catwalk_program::Environment;
use catwalk_program::Overrides;
use catwalk_program::Program;
use catwalk_value::Hash;
use catwalk_value::Value;
use catwalk_world::Disk;
use catwalk_world::Kind;
use catwalk_world::Memory;
use catwalk_world::World;
use serde_json::Value as Json;

use super::Verdict;
use super::comparison;
use overlay::Overlay;
use overlay::stdlib_9;

fn value(json: &Json) -> Value {
    catwalk_value::json::from_json(json)
}

fn hash(json: &Json) -> Hash {
    match value(json) {
        Value::Hash(hash) => hash.as_ref().clone(),
        _ => Hash::new(),
    }
}

/// A compile, and the snippets to evaluate after it.
#[derive(Default)]
struct Request<'r> {
    code: Option<String>,
    env: Option<&'r Json>,
    node: Option<&'r Json>,
    settings: Option<&'r Json>,
    variables: Vec<&'r Json>,
    /// Facts in place of the node's.
    facts: Option<&'r Json>,
    /// The environment's name if the record has none.
    environment: Option<&'r str>,
    /// Appended to the modulepath of the record.
    modulepath: Vec<PathBuf>,
    /// Snippets to evaluate at top scope afterwards; the value of the last one is compared.
    snippets: Vec<String>,
}

struct Outcome {
    result: Result<(Value, Option<Json>), Box<Diagnostic>>,
    /// The logs of the snippets; without snippets, those of the compile.
    logs: Vec<Diagnostic>,
    sources: SourceMap,
}

impl Request<'_> {
    fn settings(&self) -> Settings {
        let mut settings = Settings::default();
        let Some(record) = self.settings else { return settings };
        settings.strict = match record["strict"].as_str() {
            Some("off") => Strict::Off,
            Some("error") => Strict::Error,
            _ => Strict::Warning,
        };
        settings.strict_variables = record["strict_variables"] == true;
        settings
    }

    fn node(&self) -> Node {
        let none = Json::Null;
        let record = self.node.unwrap_or(&none);
        let mut node = Node {
            certname: Arc::from(record["name"].as_str().unwrap_or("test")),
            environment: Arc::from(self.environment_name()),
            facts: Arc::new(hash(self.facts.unwrap_or(&record["facts"]))),
            trusted: Arc::new(hash(&record["trusted"])),
            server_facts: Arc::new(hash(&record["server_facts"])),
            ..Node::default()
        };
        for (name, parameter) in record["parameters"].as_object().into_iter().flatten() {
            node.parameters.insert(Arc::from(name.as_str()), value(parameter));
        }
        match &record["classes"] {
            Json::Object(classes) => {
                for (name, parameters) in classes {
                    let parameters = parameters.is_object().then(|| Arc::new(hash(parameters)));
                    node.classes.insert(Arc::from(name.as_str()), parameters);
                }
            }
            Json::Array(classes) => {
                for name in classes.iter().filter_map(Json::as_str) {
                    node.classes.insert(Arc::from(name), None);
                }
            }
            _ => {}
        }
        node
    }

    fn environment_name(&self) -> &str {
        let env = self.env.and_then(|env| env["environment"].as_str()).or(self.environment);
        env.or_else(|| self.node.and_then(|node| node["environment"].as_str())).unwrap_or("production")
    }

    fn environment(&self, world: &dyn World) -> (Environment, Vec<Diagnostic>) {
        let none = Json::Null;
        let env = self.env.unwrap_or(&none);
        let paths = |json: &Json| -> Vec<PathBuf> {
            json.as_array().into_iter().flatten().filter_map(Json::as_str).map(PathBuf::from).collect()
        };
        let mut modulepath = paths(&env["modulepath"]);
        modulepath.extend(self.modulepath.iter().cloned());
        let root = env["env_dir"].as_str().map(Path::new).filter(|root| world.kind(root) == Kind::Directory);
        let overrides = Overrides {
            modulepath: Some(modulepath),
            manifest: env["manifest"].as_str().map(PathBuf::from),
            ..Overrides::default()
        };
        Environment::open(self.environment_name(), root, &overrides, world).expect("an environment")
    }

    fn run(&self) -> Outcome {
        let files = self.env.and_then(|env| env["files"].as_object()).into_iter().flatten();
        let files = files.map(|(path, text)| (PathBuf::from(path), text.as_str().unwrap_or_default()));
        let memory = Memory::new(files.chain(stdlib_9()));
        let world: Arc<dyn World> = Arc::new(Overlay { memory, disk: Disk::new() });
        let (environment, mut logs) = self.environment(world.as_ref());
        let environment = Arc::new(environment);
        let settings = self.settings();
        let cache = Arc::new(Cache::with_options(settings.syntax()));
        let sources = cache.sources.clone();
        let lookup = hiera::Lookup::new(self.hiera(&environment, &settings));
        let data = hiera::NodeData::new();
        let node = self.node();
        let program = match Program::load(environment, world.clone(), cache, self.code.as_deref()) {
            Ok(program) => program,
            Err(diagnostic) => return Outcome { result: Err(diagnostic), logs, sources },
        };
        let mut evaluator = Evaluator::new(&program, world.as_ref(), &node, &settings, catwalk_session::library());
        evaluator.data = Some(Data { lookup: &lookup, node: &data });
        for variables in &self.variables {
            for (name, variable) in variables.as_object().into_iter().flatten() {
                evaluator.bind(ScopeId::TOP, Name::new(name), value(variable));
            }
        }
        // Building the catalog moves the resources' values out, so snippets are evaluated in place of it.
        let has_snippets = !self.snippets.is_empty();
        let result = if has_snippets {
            catwalk_session::begin(&mut evaluator)
                .and_then(|()| catwalk_session::declare(&mut evaluator))
                .map(|()| None)
        } else {
            catwalk_session::phases(&mut evaluator).map(Some)
        };
        let mut warnings = program.take_warnings();
        warnings.append(&mut std::mem::take(&mut evaluator.logs));
        let result = match result {
            Ok(None) => {
                warnings.clear();
                logs.clear();
                let result = self.evaluate_snippets(&program, &mut evaluator);
                warnings.extend(program.take_warnings());
                warnings.append(&mut evaluator.logs);
                result
            }
            Ok(Some(mut catalog)) => {
                without_virtual(&mut catalog);
                let document = catwalk_formats::wire::native::document(&catalog);
                document
                    .map(|json| (Value::Undef, Some(json)))
                    .map_err(|reason| Box::new(Diagnostic::new(reason, None)))
            }
            Err(stop) => Err(evaluator.failure(stop)),
        };
        logs.extend(warnings);
        Outcome { result, logs, sources }
    }

    fn evaluate_snippets<'c>(
        &self,
        program: &'c Program,
        evaluator: &mut Evaluator<'c>,
    ) -> Result<(Value, Option<Json>), Box<Diagnostic>> {
        let mut last = Value::Undef;
        for text in &self.snippets {
            let file = program.parse_code(text)?;
            last = evaluator.eval_program(&file.body).map_err(|stop| evaluator.failure(stop))?;
        }
        Ok((last, None))
    }

    fn hiera(&self, environment: &Environment, settings: &Settings) -> hiera::Sources {
        hiera::Sources {
            eyaml: hiera::Eyaml::Keys,
            global: self.env.and_then(|env| env["hiera_config"].as_str()).map(PathBuf::from),
            global_for_hiera_calls: settings.without_data_binding(),
            environment: environment.root.clone(),
            environment_name: environment.name.clone(),
            environment_data_provider: self
                .env
                .and_then(|env| env["environment_conf"]["data_provider"].as_str())
                .map(str::to_owned),
            codedir: "/etc/puppet/code".into(),
            modules: environment.modules.iter().map(|(name, module)| (name.to_string(), module.root.clone())).collect(),
            strict: settings.strict,
            version: settings.version,
            quiet: settings.disables("deprecations"),
        }
    }
}

impl Outcome {
    fn compare(&self, expect: &Json, logs: bool) -> Verdict {
        let verdict = match (&self.result, &expect["error"]) {
            (Err(error), Json::Null) => {
                let expected = if expect["catalog"].is_null() {
                    super::parsing::display(&expect["pcore"])
                } else {
                    "a catalog".into()
                };
                Verdict::Different(expected, format!("error: {}", error.puppet_text(&self.sources)))
            }
            (Err(error), expected) => comparison::error(expected, error, &self.sources),
            (Ok((_, Some(catalog))), Json::Null) => comparison::catalog(&expect["catalog"], catalog),
            (Ok((value, None)), Json::Null) => comparison::value(expect, value),
            (Ok((value, catalog)), expected) => {
                let got = if catalog.is_some() { "a catalog".to_owned() } else { catwalk_value::to_program(value) };
                Verdict::Different(format!("error: {}", super::parsing::display(&expected["message"])), got)
            }
        };
        match verdict {
            Verdict::Same if logs => comparison::logs(&expect["logs"], &self.logs, &self.sources),
            verdict => verdict,
        }
    }
}

/// Removes virtual resources, which recorded catalogs do not contain.
fn without_virtual(catalog: &mut catwalk_catalog::Catalog) {
    let indices: Vec<usize> = (0..catalog.resources.len()).filter(|at| !catalog.resources[*at].is_virtual).collect();
    let new_index = |at: usize| indices.iter().position(|index| *index == at);
    catalog.edges = catalog.edges.iter().filter_map(|(from, to)| Some((new_index(*from)?, new_index(*to)?))).collect();
    catalog.resources.retain(|resource| !resource.is_virtual);
}

/// Compares the catalog or the error of a compile, and its logs.
pub(crate) fn compile(record: &Json) -> Verdict {
    if record["node"]["facts"]["$facts"].is_string() {
        return Verdict::Skipped("a set of facts that is not included");
    }
    if record["settings"]["tasks"] == true {
        return Verdict::Skipped("the language of plans");
    }
    let request = Request {
        code: record["code"].as_str().map(str::to_owned),
        env: Some(&record["env"]),
        node: Some(&record["node"]),
        settings: Some(&record["settings"]),
        variables: vec![&record["topscope_vars"]],
        ..Request::default()
    };
    request.run().compare(&record["expect"], true)
}

/// The compile in whose scope a case is evaluated.
fn enclosing_compile(record: &Json) -> Request<'_> {
    let within = &record["within"];
    let code = within["code"].as_str().or_else(|| record["after_compile_of"].as_str()).unwrap_or("");
    let env = [&within["env"], &record["env"]].into_iter().find(|env| env.is_object());
    let node = if within["node"].is_object() { &within["node"] } else { &record["node"] };
    Request {
        code: Some(code.to_owned()),
        env,
        node: Some(node),
        settings: Some(&record["settings"]),
        variables: vec![&within["topscope_vars"]],
        ..Request::default()
    }
}

/// Variables of the record's scope, without those that a compile sets.
fn scope_variables(record: &Json) -> Json {
    let set = ["environment", "facts", "module_name", "name", "title", "server_facts", "trusted"];
    let mut variables = record["scope_vars"].clone();
    if let Some(map) = variables.as_object_mut() {
        map.retain(|name, value| !set.contains(&name.as_str()) && !value["__ptype"].is_string());
    }
    variables
}

/// Compares the value of code.
pub(crate) fn eval(record: &Json) -> Verdict {
    if record["settings"]["tasks"] == true {
        return Verdict::Skipped("the language of plans");
    }
    let variables = scope_variables(record);
    let mut request = enclosing_compile(record);
    // Earlier snippets are evaluated again and set their variables.
    if request.code.as_deref() == Some("") && record["prior"].is_null() {
        request.variables.push(&variables);
    }
    request.snippets =
        record["prior"].as_array().into_iter().flatten().filter_map(Json::as_str).map(str::to_owned).collect();
    request.snippets.push(record["code"].as_str().unwrap().to_owned());
    request.run().compare(&record["expect"], !record["expect"]["logs"].is_null())
}

/// Compares a call of `lookup`.
pub(crate) fn lookup(record: &Json) -> Verdict {
    if record["explain"] == true {
        return Verdict::Skipped("explain");
    }
    let source = |json: &Json| catwalk_value::to_program(&value(json));
    let mut options = Vec::new();
    if let Some(t) = record["value_type"].as_str() {
        options.push(format!("value_type => {t}"));
    }
    if !record["merge"].is_null() {
        options.push(format!("merge => {}", source(&record["merge"])));
    }
    if record["has_default"] == true {
        options.push(format!("default_value => {}", source(&record["default"])));
    }
    for (key, option) in [("override_values", "override"), ("default_values", "default_values_hash")] {
        if record[key].as_object().is_some_and(|map| !map.is_empty()) {
            options.push(format!("{option} => {}", source(&record[key])));
        }
    }
    let variables = scope_variables(record);
    let mut request = enclosing_compile(record);
    if request.code.as_deref() == Some("") {
        request.variables.push(&variables);
    }
    request.env = Some(&record["env"]);
    request.snippets = vec![format!("lookup({}, {{{}}})", source(&record["key"]), options.join(", "))];
    request.run().compare(&record["expect"], false)
}

/// Compares a call of a function.
pub(crate) fn function(record: &Json) -> Verdict {
    let (Some(function), Some(args)) = (record["function"].as_str(), record["args_pcore"].as_array()) else {
        return Verdict::Skipped("no arguments as source");
    };
    if record["has_block"] == true || record["facts"]["$facts"].is_string() {
        return Verdict::Skipped("a block or facts that are not included");
    }
    let args: Option<Vec<&str>> = args.iter().map(Json::as_str).collect();
    let Some(args) = args else { return Verdict::Skipped("arguments that have no source") };
    // Code cannot call these legacy functions: newer functions have their names.
    if record["api"] == "3x" && ["dig", "type", "split", "versioncmp"].contains(&function) {
        return Verdict::Skipped("a call by the old interface for Ruby of a function that manifests cannot reach");
    }
    let is_stdlib_9 = record["suite"].as_str().is_some_and(|suite| suite.starts_with("stdlib-9"));
    if is_stdlib_9 && function.starts_with("stdlib::validate_") && std::env::var_os("STDLIB_9").is_none() {
        return Verdict::Skipped("types of stdlib's 9.x line: STDLIB_9 names no directory with it");
    }
    let variables = scope_variables(record);
    let mut request = enclosing_compile(record);
    if request.code.as_deref() == Some("") {
        request.variables.push(&variables);
        request.facts = Some(&record["scope_vars"]["facts"]).filter(|facts| facts.is_object());
        request.code = record["pre_condition"].as_str().map(str::to_owned).or(request.code);
    }
    match record["suite"].as_str() {
        // The installed module 9.x, or the empty files in its place.
        Some(suite) if suite.starts_with("stdlib-9") => match std::env::var("STDLIB_9") {
            Ok(modules) => request.modulepath.push(modules.into()),
            Err(_) => request.modulepath.push("/stdlib-9".into()),
        },
        Some(suite) if suite.starts_with("stdlib") => request.modulepath.push("/usr/share/puppet/modules".into()),
        _ => {}
    }
    // The name that rspec-puppet uses.
    request.environment = record["suite"].as_str().filter(|suite| suite.starts_with("stdlib")).map(|_| "rp_env");
    request.snippets = vec![format!("{function}({})", args.join(", "))];
    let outcome = request.run();
    // The recorded error is that of a call without a location.
    if let (Err(error), Some(expected)) = (&outcome.result, record["expect"]["error"]["message"].as_str())
        && error.puppet_text(&outcome.sources).contains(expected.trim_end())
    {
        return Verdict::Same;
    }
    outcome.compare(&record["expect"], false)
}
