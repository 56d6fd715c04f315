//! Functions of Puppet's modules that code of modules calls: `Puppet.warning`, `Puppet::Util::Log.create`, `Facter.value` …
//!
//! In: the name of a module and of its function, arguments. Out: the result. Must not: declare anything, access external data
//! except through the world.

use std::path::Path;

use crate::PuppetInterp;
use crate::catalog;
use crate::objects;
use crate::scope;
use crate::type_factory::puppet_value;
use catwalk_base::diag::Severity;
use catwalk_base::names::Name;
use catwalk_eval::Strict;
use catwalk_ruby::Blk;
use catwalk_ruby::Raise;
use catwalk_ruby::Rv;
use catwalk_ruby::object;
use catwalk_ruby::string_bytes;
use catwalk_value::Value;
use catwalk_world::Kind;

/// Calls a function of a module; `None` if it has none of this name.
pub(crate) fn call(
    rt: &mut PuppetInterp<'_, '_>,
    module: &str,
    name: &str,
    args: &[Rv],
    block: Blk<'_>,
) -> Raise<Option<Rv>> {
    if let Some(value) = crate::util::call(rt, module, name, args)? {
        return Ok(Some(value));
    }
    let arg = args.first().cloned().unwrap_or(Rv::Nil);
    Ok(Some(match (module, name) {
        ("Puppet", "lookup") => lookup_binding(rt, &arg, block)?,
        ("Puppet", _) => return call_puppet(rt, name, args),
        ("Puppet::Resource", "new") => catalog::new_reference(rt, args)?,
        ("Puppet::Pops::Types::PSensitiveType::Sensitive", "new") => {
            let value = rt.ruby().to_puppet(&arg)?;
            catwalk_value::secret::conceal(&value, rt.host.ev.world.secrets());
            puppet_value(Value::Sensitive(std::sync::Arc::new(value)))
        }
        (objects::PARAM, "new") => crate::scope_defaults::new_param(rt, args)?,
        ("Puppet::Resource::Type" | "Puppet::Parser::Resource", "new") => {
            crate::host_classes::new_object(rt, module, args)?
        }
        ("Puppet::Pops::Types::TypeCalculator" | "Puppet::Pops::Types::TypeParser", _) => {
            return call_type_tool(rt, module, name, args);
        }
        ("Puppet::FileSystem", _) => return call_file_system(rt, name, args),
        ("Socket", "gethostname") => objects::server_fact(rt, &Rv::str("hostname"))?,
        ("Facter", "value" | "fact" | "[]") => objects::server_fact(rt, &arg)?,
        ("Puppet::Module", "find") => rt.puppet_module(&arg.string_or_symbol().unwrap_or_default()),
        ("Puppet::Parser::Files", "find_template") => {
            let template = rt.ruby().expect_str(&arg)?;
            let path = rt.host.ev.program.environment.template_file(&template, false, rt.host.ev.world);
            path.map_or(Rv::Nil, |path| path_string(&path))
        }
        ("Puppet::Parser::Files", "find_file") => {
            let file = rt.ruby().expect_str(&arg)?;
            let path = rt.host.ev.program.environment.file_in_module("files", &file);
            let path = path.filter(|path| rt.host.ev.world.kind(path) != Kind::Missing);
            path.map_or(Rv::Nil, |path| path_string(&path))
        }
        ("Puppet::Pops::Types::PBinaryType::Binary", "from_binary_string" | "from_string" | "new") => {
            let bytes = string_bytes(&mut rt.ruby(), &arg)?;
            puppet_value(Value::Binary(bytes.into()))
        }
        ("Puppet::Util::Log", "create") => create_log_message(rt, &arg)?,
        ("Puppet::Resource", "type_and_title") => catalog::type_and_title(rt, args)?,
        ("Puppet::Pops::Evaluator::Runtime3ResourceSupport", "find_resource_type_or_class" | "find_resource_type") => {
            let type_name = args.get(1).unwrap_or(&Rv::Nil);
            catalog::find_type(rt, type_name, name == "find_resource_type_or_class")?
        }
        ("Puppet::Pops::PuppetStack", "stacktrace") => Rv::array(rt.host.ev.stacktrace().map(stack_entry).collect()),
        ("Puppet::Pops::PuppetStack", "top_of_stack") => {
            rt.host.ev.stacktrace().next().map_or_else(|| Rv::array(Vec::new()), stack_entry)
        }
        _ => return Ok(None),
    }))
}

/// `Puppet.lookup(key) { default }`: an object of the compile by its key.
fn lookup_binding(rt: &mut PuppetInterp<'_, '_>, key: &Rv, block: Blk<'_>) -> Raise<Rv> {
    match (key.string_or_symbol().as_deref(), block) {
        (Some("current_environment"), _) => Ok(crate::environment::environment(rt)),
        (Some("loaders" | "global_scope"), _) => Ok(Rv::Scope),
        (_, Some(block)) => rt.ruby().yield_values(block, &[]),
        (key, None) => rt.ruby().unsupported(&format!("Puppet.lookup of {}", key.unwrap_or_default())),
    }
}

/// Methods of `TypeCalculator` and `TypeParser`, whose only objects are the classes themselves.
fn call_type_tool(rt: &mut PuppetInterp<'_, '_>, class: &str, name: &str, args: &[Rv]) -> Raise<Option<Rv>> {
    let arg = args.first().cloned().unwrap_or(Rv::Nil);
    let is_parser = class == "Puppet::Pops::Types::TypeParser";
    Ok(Some(match name {
        "singleton" => Rv::Class(Name::new(class)),
        "new" if is_parser => Rv::Class(Name::new(class)),
        "parse" if is_parser => {
            let type_name = rt.ruby().expect_str(&arg)?;
            match rt.host.ev.parse_type(&type_name) {
                Ok(parsed) => rt.ruby().to_ruby(&Value::Type(parsed)),
                Err(stop) => return rt.raise_failure(stop),
            }
        }
        "infer" | "infer_set" if !is_parser => {
            let value = rt.ruby().to_puppet(&arg)?;
            let inferred =
                if name == "infer" { catwalk_value::infer(&value) } else { catwalk_value::infer_set(&value) };
            rt.ruby().to_ruby(&Value::Type(inferred))
        }
        "instance?" if !is_parser => {
            let (Value::Type(expected), value) =
                (rt.ruby().to_puppet(&arg)?, rt.ruby().to_puppet(args.get(1).unwrap_or(&Rv::Nil))?)
            else {
                return rt.ruby().unsupported("TypeCalculator.instance? with these arguments");
            };
            Rv::bool(catwalk_value::is_instance(&expected, &value))
        }
        _ => return Ok(None),
    }))
}

/// Functions of `Puppet::FileSystem`, which do what those of `File` do.
fn call_file_system(rt: &mut PuppetInterp<'_, '_>, name: &str, args: &[Rv]) -> Raise<Option<Rv>> {
    let function = match name {
        "exist?" | "exists?" => "exist?",
        "read" | "read_preserve_line_endings" => "read",
        "readlines" => "readlines",
        "binread" => "binread",
        _ => return Ok(None),
    };
    // Options such as the encoding are ignored.
    let path = args.get(..args.len().min(1)).unwrap_or_default();
    rt.ruby().call_method(&Rv::Class(Name::new("File")), function, path, None).map(Some)
}

fn path_string(path: &Path) -> Rv {
    Rv::str(path.to_string_lossy())
}

fn stack_entry((file, line): (String, u32)) -> Rv {
    Rv::array(vec![Rv::str(file), Rv::Int(i64::from(line))])
}

/// Functions of the module `Puppet` itself.
fn call_puppet(rt: &mut PuppetInterp<'_, '_>, name: &str, args: &[Rv]) -> Raise<Option<Rv>> {
    let arg = args.first().cloned().unwrap_or(Rv::Nil);
    Ok(Some(match name {
        "features" => object(objects::FEATURES, &[]),
        "settings" => object(objects::SETTINGS, &[]),
        "version" => Rv::str(rt.host.ev.settings.version.release),
        "implementation" if let Some(name) = rt.host.ev.settings.version.implementation => Rv::str(name),
        "[]" if arg.string_or_symbol().as_deref() == Some("strict") => Rv::sym(match scope::strict(rt) {
            Strict::Off => "off",
            Strict::Warning => "warning",
            Strict::Error => "error",
        }),
        "[]=" if arg.string_or_symbol().as_deref() == Some("strict") => {
            let value = args.get(1).cloned().unwrap_or(Rv::Nil);
            rt.state().strict = Some(match value.string_or_symbol().as_deref() {
                Some("off") => Strict::Off,
                Some("error") => Strict::Error,
                _ => Strict::Warning,
            });
            value
        }
        "[]" => rt.setting(&arg.string_or_symbol().unwrap_or_default())?,
        "warn_once" => rt.warn_once(args)?,
        "debug" | "info" | "notice" | "warning" | "err" | "alert" | "crit" | "emerg" => rt.log_value(name, &arg)?,
        "deprecation_warning" => warn_of_deprecation(rt, &arg, args.get(1))?,
        _ => return Ok(None),
    }))
}

/// `Puppet.deprecation_warning(message, key)`: logs a message once for each key.
fn warn_of_deprecation(rt: &mut PuppetInterp<'_, '_>, message: &Rv, key: Option<&Rv>) -> Raise<Rv> {
    let message = rt.ruby().to_s(message)?;
    let key = match key {
        Some(key) if !key.is_nil() => rt.ruby().to_s(key)?,
        _ => message.clone(),
    };
    if !rt.host.ev.settings.disables("deprecations") && rt.host.ev.state.deprecations.insert(Box::from(&*key)) {
        rt.host.ev.log(Severity::Warning, message.to_string(), None);
    }
    Ok(Rv::Nil)
}

/// `Puppet::Util::Log.create(level: …, message: …, source: …)`
fn create_log_message(rt: &mut PuppetInterp<'_, '_>, options: &Rv) -> Raise<Rv> {
    let option = |key: &str| match options {
        Rv::Hash(options) => options.get(&Rv::sym(key)).unwrap_or(Rv::Nil),
        _ => Rv::Nil,
    };
    let level = option("level").string_or_symbol().unwrap_or_default();
    if !rt.host.ev.logs(scope::severity(&level)) {
        return Ok(Rv::Nil);
    }
    let message = rt.ruby().to_s(&option("message"))?;
    match option("source").string_or_symbol() {
        Some(source) => rt.host.ev.log_from(&source, scope::severity(&level), message),
        None => rt.log(&level, message),
    }
    Ok(Rv::Nil)
}
