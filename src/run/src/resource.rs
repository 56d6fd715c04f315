//! Shows and changes resources of this machine or of a device.

use std::cell::RefCell;
use std::sync::Arc;
use std::time::Duration;

use crate::apply::refuse;
use crate::device;
use crate::device::DeviceOptions;
use crate::device::Refusal;
use crate::print;
use crate::run_context;
use crate::run_context::RunContext;
use crate::run_log::RunLog;
use catwalk_apply as apply;
use catwalk_apply::CurrentValues;
use catwalk_apply::DeclaredResource;
use catwalk_apply::Kinds;
use catwalk_apply::ResourcePath;
use catwalk_apply::Run;
use catwalk_apply::State;
use catwalk_base::diag::Reason;
use catwalk_base::names::Name;
use catwalk_base::secrets::Secrets;
use catwalk_catalog::Catalog;
use catwalk_catalog::Kind;
use catwalk_catalog::Tags;
use catwalk_catalog::Version;
use catwalk_resource_api::Level;
use catwalk_resource_api::Origin;
use catwalk_session::CompileInput;
use catwalk_session::Options;
use catwalk_session::Session;
use catwalk_value::Value;

/// The resources to show or to change.
#[derive(Debug, Clone, Default)]
pub struct ResourceOptions {
    /// The type of the resources.
    pub type_name: String,
    /// The resource to show; `None` for all.
    pub title: Option<String>,
    /// The desired values of attributes: `name=value`.
    pub attributes: Vec<String>,
    /// Whether to change nothing.
    pub noop: bool,
    /// The format of the resources.
    pub format: ResourceFormat,
    /// The time limit of a call of a provider.
    pub timeout_provider: Option<Duration>,
    /// The device to manage.
    pub device: DeviceOptions,
}

/// Forms of resources.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum ResourceFormat {
    /// A manifest.
    #[default]
    Puppet,
    /// Hiera data.
    Yaml,
    /// JSON.
    Json,
}

/// Shows or changes resources. Returns 0, or 1 on failure.
pub fn resource(args: &ResourceOptions, site: impl FnOnce() -> Result<Options, Reason>, log: &mut dyn RunLog) -> u8 {
    let opened = site().map_err(Refusal::Usage).and_then(|options| device::open(&args.device, options, log));
    let (session, device) = match opened {
        Ok(opened) => opened,
        Err(refusal) => return refuse(refusal, log),
    };
    log.print_from(session.options.log_level);
    log.hide(&session.no_secrets());
    let value = device.as_ref().map(|device| device.value().clone());
    let code = run_session(args, &session, value, log);
    if let Some(device) = device {
        device.close(log);
    }
    code
}

fn run_session(args: &ResourceOptions, session: &Session, device: Option<Value>, log: &mut dyn RunLog) -> u8 {
    let certname = match run_context::certname(args.device.target.as_deref(), session) {
        Ok(certname) => certname,
        Err(reason) => return refuse(Refusal::Usage(reason), log),
    };
    let done = session.with_node(&certname, |input, _| show(args, input, device, log));
    match done {
        Ok(Ok((text, code))) => {
            log.print(&text);
            code
        }
        Ok(Err(error)) => {
            log.log(Level::Err, None, &format!("Could not run: {error}"));
            1
        }
        Err(failure) => {
            log.error(&failure, session.sources(), None);
            1
        }
    }
}

/// The text to print and the exit code.
fn show(
    args: &ResourceOptions,
    input: &CompileInput<'_>,
    device: Option<Value>,
    log: &mut dyn RunLog,
) -> Result<(String, u8), String> {
    let type_name = Name::new(&args.type_name).normalized();
    let mut context = RunContext::for_types(input, &[type_name], args.timeout_provider, log)?;
    context.device = device;
    let kinds = context.kinds(Some(Origin::CommandLine));
    if !kinds.contains(type_name) {
        return Err(match input.has_type(type_name.as_str()) {
            true => apply::missing_provider(type_name.as_str()),
            false => format!("Could not find type {}", args.type_name),
        });
    }
    if context.device.is_some() && !kinds.get(type_name).traits().applies_to_device {
        return Err(format!("resources of type '{type_name}' are not managed on devices"));
    }
    let mut code = 0;
    if !args.attributes.is_empty() {
        let title = args.title.as_deref().unwrap_or_default();
        let attributes = parse_attributes(&args.attributes)?;
        code = apply_resource(args, &context, &kinds, build_resource(type_name, title, attributes, &context), log)?;
    }
    let resources = find_resources(args, &context, &kinds, type_name, log)?;
    let definition = context.definition(type_name).map(AsRef::as_ref);
    Ok((print::format_resources(type_name.as_str(), &resources, definition, args.format)?, code))
}

fn parse_attributes(settings: &[String]) -> Result<Vec<(Name, Value)>, String> {
    let parse = |setting: &String| {
        let (name, value) = setting.split_once('=').filter(|(name, value)| {
            let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_';
            !value.is_empty() && !name.is_empty() && name.chars().all(is_word)
        })?;
        Some((Name::new(name), Value::str(value)))
    };
    settings.iter().map(|setting| parse(setting).ok_or(format!("Invalid parameter setting {setting}"))).collect()
}

/// A resource outside of classes.
fn build_resource(
    type_name: Name,
    title: &str,
    attributes: Vec<(Name, Value)>,
    context: &RunContext<'_>,
) -> catwalk_catalog::Resource {
    let definition = context.definition(type_name);
    let namevar = match type_name.as_str() {
        "file" => "path",
        "exec" => "command",
        _ => "name",
    };
    let namevar = definition.and_then(|definition| definition.namevars().next()).unwrap_or(Name::new(namevar));
    catwalk_catalog::Resource {
        type_name: type_name.capitalized(),
        title: Arc::from(title),
        title_is_main: false,
        tags: Tags::default(),
        file: None,
        line: None,
        exported: Some(false),
        is_virtual: false,
        kind: Kind::CompilableType,
        namevar,
        isomorphic: true,
        composite: definition.is_some_and(|definition| definition.namevars().count() > 1),
        builtin: true,
        parameters: attributes.into_iter().collect(),
        sensitive: Vec::new(),
    }
}

/// Applies one resource.
fn apply_resource(
    args: &ResourceOptions,
    context: &RunContext<'_>,
    kinds: &Kinds,
    resource: catwalk_catalog::Resource,
    log: &mut dyn RunLog,
) -> Result<u8, String> {
    let catalog = Catalog {
        name: Arc::default(),
        version: Version::Text(Arc::default()),
        uuid: Arc::default(),
        environment: Arc::default(),
        tags: Tags::default(),
        classes: Vec::new(),
        resources: vec![resource],
        edges: Vec::new(),
        origins: Vec::new(),
        automatic: Vec::new(),
        secrets: Arc::new(Secrets::default()),
    };
    let is_device = context.device.is_some();
    let options = apply::Options {
        noop: args.noop,
        version: context.version,
        strict: context.strict,
        is_device,
        ..apply::Options::default()
    };
    let mut machine = run_context::machine();
    let shared = RefCell::new(log);
    let mut shared_log = run_context::SharedLog(&shared);
    let mut environment = apply::Environment {
        system: &mut machine,
        log: &mut shared_log,
        secrets: context.secrets(),
        resolver: &mut context.resolver(),
        state: &mut State::default(),
        is_interrupted: &|| false,
        progress: &mut |_, _| (),
    };
    let outcome = apply::apply(&catalog, kinds, &mut environment, &options);
    match outcome.failure {
        Some(failure) => Err(failure.trim_start_matches("Could not run: ").to_owned()),
        // As in Puppet, the exit code is 0 even after a failure, which was logged; the resulting state is printed.
        None => Ok(0),
    }
}

/// The resources of a type, or the named one.
fn find_resources(
    args: &ResourceOptions,
    context: &RunContext<'_>,
    kinds: &Kinds,
    type_name: Name,
    log: &mut dyn RunLog,
) -> Result<Vec<DeclaredResource>, String> {
    let kind = kinds.get(type_name);
    let mut machine = run_context::machine();
    let mut run = Run {
        system: &mut machine,
        log,
        secrets: context.secrets(),
        strict: context.strict,
        noop: args.noop,
        path: ResourcePath::default(),
    };
    let Some(title) = &args.title else {
        if type_name == "file" {
            let example = "Please specify a file or directory, e.g. catwalk resource file /etc";
            return Err(format!("Listing all file instances is not supported.  {example}"));
        }
        let mut instances = kind.instances(&mut run).map_err(|failure| failure.message_with_excerpt())?;
        instances.sort_by(|a, b| a.title.cmp(&b.title));
        return Ok(instances);
    };
    let is_defined = context.definition(type_name).is_some();
    if is_defined && args.attributes.is_empty() {
        let instances = kind.instances(&mut run).map_err(|failure| failure.message_with_excerpt())?;
        if let Some(instance) = instances.into_iter().find(|instance| *instance.title == **title) {
            return Ok(vec![instance]);
        }
    }
    let mut parameters: CurrentValues = parse_attributes(&args.attributes)?.into_iter().collect();
    if !is_defined {
        let template = build_resource(type_name, title, Vec::new(), context);
        parameters = CurrentValues::from_iter([(template.namevar, Value::str(title))]);
    }
    kind.find(title, &parameters, &mut run)
        .map(|instance| vec![instance])
        .map_err(|failure| failure.message_with_excerpt())
}
