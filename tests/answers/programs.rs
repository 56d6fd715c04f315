//! Sections of `tests/programs/*.md` and `tests/generated/programs/*.md`: the site must compile to the catalog, or fail with
//! the error, that `tests/reference/record-programs` recorded. Sections listed in `known-differences.txt` must differ.

use std::path::Path;
use std::path::PathBuf;
use std::sync::Arc;

use catwalk_base::diag::Diagnostic;
use catwalk_base::diag::Severity;
use catwalk_base::source::SourceMap;
use catwalk_base::version::Version;
use catwalk_catalog::Catalog;
use catwalk_eval::Data;
use catwalk_eval::Settings;
use catwalk_hiera as hiera;
use catwalk_node::Node;
use catwalk_node::NodeInput;
use catwalk_node::classify::Classification;
use catwalk_program::Cache;
use catwalk_program::Environment;
use catwalk_program::Overrides;
use catwalk_program::Program;
use catwalk_program::metadata;
use catwalk_value::Hash;
use catwalk_value::Value;
use catwalk_value::data::yaml;
use catwalk_world::Memory;
use catwalk_world::World;
use libtest_mimic::Trial;
use serde_json::Value as Json;

use crate::sections;
use crate::sections::Answers;
use crate::sections::Section;

/// The directory of the site.
pub const ROOT: &str = "/the/production";

/// One test for each section of the folder's files.
pub fn trials(prefix: &str, folder: &Path) -> Vec<Trial> {
    let answer = |section: &Section| {
        // Some sections recurse deeper than the stack of a test thread allows.
        std::thread::scope(|scope| {
            let thread = std::thread::Builder::new().stack_size(256 << 20);
            thread.spawn_scoped(scope, || answer(section)).unwrap().join().unwrap()
        })
    };
    sections::trials(prefix, folder, answer, |_| false)
}

fn answer(section: &Section) -> Answers {
    let world: Arc<dyn World> = Arc::new(files(section));
    let settings = section.settings();
    let mut logs = Vec::new();
    let cache = Arc::new(Cache::with_options(settings.syntax()));
    let result = compile(section, &world, &settings, cache.clone(), &mut logs);
    let plain = |text: &str| text.replace(&format!("{ROOT}/"), "").replace(ROOT, ".");
    let mut got = Answers::new();
    match result {
        Ok(catalog) => match catwalk_formats::wire::native::document(&catalog) {
            Ok(document) => drop(got.insert("catalog".to_owned(), plain(&catalog_text(&document)))),
            Err(reason) => drop(got.insert("error".to_owned(), plain(&reason.message))),
        },
        Err(error) => drop(got.insert("error".to_owned(), plain(&error.puppet_text(&cache.sources)))),
    }
    let logs: Vec<String> = logs.iter().filter_map(|line| log_line(line, &cache.sources)).collect();
    if !logs.is_empty() {
        got.insert("log".to_owned(), plain(&logs.join("\n")));
    }
    got
}

fn files(section: &Section) -> Memory {
    let root = PathBuf::from(ROOT);
    let mut world = Memory::new(section.all("file").map(|(path, text)| (root.join(path), format!("{text}\n"))));
    world.write(root.join("site.pp"), format!("{}\n", section.text("puppet").unwrap()));
    for name in section.text("modules").into_iter().flat_map(str::split_whitespace) {
        world.write(root.join("modules").join(name).join("metadata.json"), "{}");
    }
    world
}

fn node(section: &Section, version: Version) -> Node {
    let document = |kind| section.text(kind).map_or(Value::Undef, |text| yaml::parse(text.as_bytes()).unwrap());
    let facts = match document("facts") {
        Value::Hash(facts) => facts.as_ref().clone(),
        _ => Hash::new(),
    };
    let server_facts =
        [("serverversion", version.release), ("servername", "puppet.example.com"), ("serverip", "192.0.2.1")];
    let server_facts = server_facts.into_iter().map(|(name, value)| (Value::str(name), Value::str(value))).collect();
    let classification = Classification::from_value(&document("enc")).unwrap();
    let parts =
        NodeInput { facts: Arc::new(facts), trusted: None, server_facts: Some(server_facts), classification, version };
    Node::new(section.text("node").map_or("web1.example.com", str::trim_end), "production", parts)
}

pub fn compile(
    section: &Section,
    world: &Arc<dyn World>,
    settings: &Settings,
    cache: Arc<Cache>,
    logs: &mut Vec<Diagnostic>,
) -> Result<Catalog, Box<Diagnostic>> {
    let root = PathBuf::from(ROOT);
    let overrides = Overrides {
        modulepath: Some(vec![root.join("modules")]),
        manifest: Some(root.join("site.pp")),
        ..Overrides::default()
    };
    let of = settings.environment_settings();
    let known = metadata::MetadataCache::default();
    let opened = Environment::open_with("production", Some(&root), &overrides, &of, &known, world.as_ref());
    let (environment, warnings) = opened.map_err(|reason| Box::new(Diagnostic::new(reason, None)))?;
    logs.extend(warnings);
    let node = node(section, settings.version);
    let lookup = hiera::Lookup::new(hiera::Sources {
        eyaml: hiera::Eyaml::Keys,
        global: None,
        global_for_hiera_calls: settings.without_data_binding(),
        environment: environment.root.clone(),
        environment_name: environment.name.clone(),
        environment_data_provider: environment.data_provider.clone(),
        codedir: "/etc/puppet/code".into(),
        modules: environment.modules.iter().map(|(name, module)| (name.to_string(), module.root.clone())).collect(),
        strict: settings.strict,
        version: settings.version,
        quiet: settings.disables("deprecations"),
    });
    let data = hiera::NodeData::new();
    let program = Program::load(Arc::new(environment), world.clone(), cache, None).map_err(|mut failure| {
        logs.append(&mut failure.summarized);
        failure
    })?;
    let input = catwalk_session::Input {
        program: &program,
        world: world.as_ref(),
        node: &node,
        settings,
        relates_automatically: false,
    };
    let compiled = catwalk_session::compile_with(&input, |evaluator| {
        evaluator.data = Some(Data { lookup: &lookup, node: &data });
    });
    logs.extend(program.take_warnings());
    logs.extend(compiled.logs);
    compiled.result
}

/// A log line in the format of the recorded ones; `None` for levels that are not recorded.
fn log_line(line: &Diagnostic, sources: &SourceMap) -> Option<String> {
    let recorded =
        !matches!(line.severity, Severity::Debug | Severity::Info) && line.code.as_str() != "DEPENDENCY_CYCLE";
    recorded.then(|| format!("{}: {}", line.severity.as_str(), line.puppet_text(sources)))
}

/// The catalog in the format of `tests/reference/record-programs`.
fn catalog_text(catalog: &Json) -> String {
    let mut lines: Vec<String> = array(&catalog["resources"]).filter_map(resource_text).collect();
    for edge in array(&catalog["edges"]) {
        let (source, target) = (text(&edge["source"]), text(&edge["target"]));
        if source != "Stage[main]" || !["Class[Settings]", "Class[main]"].contains(&target) {
            lines.push(format!("{source} > {target}"));
        }
    }
    let classes: Vec<&str> = array(&catalog["classes"]).map(text).filter(|class| *class != "settings").collect();
    if !classes.is_empty() {
        lines.push(format!("classes {}", classes.join(" ")));
    }
    lines.join("\n")
}

fn resource_text(resource: &Json) -> Option<String> {
    let reference = format!("{}[{}]", text(&resource["type"]), text(&resource["title"]));
    let parameters = resource["parameters"].as_object();
    let plain = parameters.is_none_or(|parameters| parameters.len() == 1 && parameters.contains_key("name"));
    if plain && ["Stage[main]", "Class[Settings]", "Class[main]"].contains(&reference.as_str()) {
        return None;
    }
    let mut line = reference;
    if !resource["file"].is_null() || !resource["line"].is_null() {
        line.push_str(&format!(" {}:", resource["file"].as_str().unwrap_or("")));
        line.push_str(&resource["line"].as_u64().map(|at| at.to_string()).unwrap_or_default());
    }
    let kind = text(&resource["kind"]);
    if kind != "compilable_type" {
        line.push_str(&format!(" {kind}"));
    }
    if resource["exported"] == true {
        line.push_str(" exported");
    }
    line.push_str(&format!(" ({})", array(&resource["tags"]).map(text).collect::<Vec<_>>().join(" ")));
    for (name, value) in parameters.into_iter().flatten() {
        line.push_str(&format!("\n  {name} {value}"));
    }
    if !resource["sensitive_parameters"].is_null() {
        let names: Vec<&str> = array(&resource["sensitive_parameters"]).map(text).collect();
        line.push_str(&format!("\n  sensitive: {}", names.join(" ")));
    }
    Some(line)
}

fn array(json: &Json) -> impl Iterator<Item = &Json> {
    json.as_array().into_iter().flatten()
}

fn text(json: &Json) -> &str {
    json.as_str().unwrap_or("")
}
