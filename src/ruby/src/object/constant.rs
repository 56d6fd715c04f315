//! Constants, and methods called on classes and modules.

use std::rc::Rc;

use arcstr::ArcStr;

use crate::Blk;
use crate::Interp;
use crate::Raise;
use crate::core::string_helpers;
use crate::object::builtin_classes::is_builtin_class;
use crate::object::construct::construct;
use crate::value::Rv;
use catwalk_base::names::Name;
use catwalk_eval::Strict;

/// The class of the result of `Marshal.dump`.
const DUMPED: &str = "Marshal::Dumped";

/// Built-in methods of classes and modules.
pub(crate) fn call(rt: &mut Interp<'_, '_>, class: Name, name: &str, args: &[Rv], block: Blk<'_>) -> Raise<Option<Rv>> {
    let this = Rv::Class(class);
    if name == "new" && rt.is_plain_class(class) {
        return construct(rt, class, name, args, block);
    }
    if let Some(value) = crate::puppet::function::define(rt, class.as_str(), name, args, block)? {
        return Ok(Some(value));
    }
    match name {
        "open" if class.as_str() == "URI" => {
            let library = rt.constant_path(None, "OpenURI")?;
            return rt.call_method(&library, "open_uri", args, block).map(Some);
        }
        "const_defined?" => {
            let wanted = args.first().and_then(Rv::string_or_symbol).unwrap_or_default();
            let path = format!("{class}::{wanted}");
            let known = is_builtin_class(&path) || rt.tables.constants.contains_key(&Name::new(&path));
            return Ok(Some(Rv::bool(known)));
        }
        "name" | "to_s" | "inspect" if args.is_empty() => return Ok(Some(Rv::str(rt.display_class(class).as_str()))),
        "===" => {
            let value = args.first().cloned().unwrap_or(Rv::Nil);
            return Ok(Some(Rv::bool(rt.is_a(&value, class))));
        }
        "<" | "<=" => {
            if let Some(Rv::Class(other)) = args.first() {
                let below = rt.inherits_from(class, other.as_str()) && (name == "<=" || *other != class);
                return Ok(Some(Rv::bool(below)));
            }
        }
        "const_get" => {
            let wanted = args.first().and_then(Rv::string_or_symbol).unwrap_or_default();
            let outer = if matches!(class.as_str(), "Object" | "Kernel") { None } else { Some(class) };
            return rt.constant_path(outer, &wanted).map(Some);
        }
        "include" | "prepend" if args.iter().all(|arg| matches!(arg, Rv::Class(_))) => {
            rt.include(class, name, args)?;
            return Ok(Some(this));
        }
        _ => {
            if let Some(value) = crate::core::module::call(rt, class, name, args, block)? {
                return Ok(Some(value));
            }
        }
    }
    if let Some(method) = crate::object::find_singleton(class.as_str(), name) {
        return rt.call_builtin(method, &this, args, block).map(Some);
    }
    if let Some(value) = crate::library::openssl::class_method(rt, class.as_str(), name, args)? {
        return Ok(Some(value));
    }
    if class == catwalk_base::name!("ENV") {
        return crate::library::env_vars::class_method(rt, name, args, block);
    }
    if let Some(value) = crate::puppet::type_factory::class_method(rt, class.as_str(), name, args)? {
        return Ok(Some(value));
    }
    if let Some(value) = crate::library::uri::class_method(rt, class.as_str(), name, args)? {
        return Ok(Some(value));
    }
    if let Some(value) = crate::library::string_formats::encoders(rt, class.as_str(), name, args)? {
        return Ok(Some(value));
    }
    if class == "IO" && name == "popen" {
        let open3 = rt.constant_path(None, "Open3")?;
        return rt.call_method(&open3, name, args, block).map(Some);
    }
    if let Some(value) = crate::library::files::class_method(rt, class.as_str(), name, args, block)? {
        return Ok(Some(value));
    }
    if (class.as_str(), name) == ("Enumerator", "produce") {
        return crate::core::enumerator::produce(rt, args, block).map(Some);
    }
    if (class.as_str(), name) == ("Kernel", "loop") {
        let frame = rt.class_frame(this, None);
        return rt.kernel(name, args, block, &frame);
    }
    if (matches!(name, "new" | "[]" | "exception") || (class.as_str(), name) == ("Regexp", "compile"))
        && let Some(made) = construct(rt, class, name, args, block)?
    {
        return Ok(Some(made));
    }
    if let Some(value) = crate::puppet::api::class_method(rt, class.as_str(), name, args, block)? {
        return Ok(Some(value));
    }
    modules(rt, class.as_str(), name, args)
}

/// Functions of other modules.
pub(crate) fn modules(rt: &mut Interp<'_, '_>, class: &str, name: &str, args: &[Rv]) -> Raise<Option<Rv>> {
    let arg = args.first().cloned().unwrap_or(Rv::Nil);
    Ok(Some(match (class, name) {
        // Code dumps data only to load it again, so a deep copy is sufficient.
        ("Marshal", "dump") if args.len() == 1 => match crate::bridge::convert::deep_copy(&arg, 0) {
            Some(copy) => crate::puppet::objects::object(DUMPED, &[("value", copy)]),
            None => return rt.unsupported("Marshal.dump of what is no data"),
        },
        ("Marshal", "load") => match &arg {
            Rv::Object(object) if object.class.as_str() == DUMPED => {
                let value = object
                    .ivars
                    .borrow()
                    .get(&catwalk_base::name!("value"))
                    .and_then(|value| crate::bridge::convert::deep_copy(value, 0));
                value.unwrap_or(Rv::Nil)
            }
            _ => return rt.unsupported("Marshal.load of this"),
        },
        ("Time", "now") => crate::core::time::now(rt),
        ("Time", "new" | "utc" | "gm" | "local" | "mktime") => crate::core::time::from_civil(rt, name, args)?,
        ("Time", "parse" | "iso8601" | "xmlschema" | "rfc2822" | "httpdate") => {
            let source = rt.expect_str(&arg)?;
            crate::core::time::parse(rt, &source)?
        }
        ("Time", "strptime") => crate::core::time::strptime(rt, args)?,
        ("Time", "__parse") => crate::core::time::parse_parts(&rt.expect_str(&arg)?),
        ("Time", "__strptime") => crate::core::time::strptime_parts(rt, args)?,
        ("Process", "__run") => rt.run_process(args)?,
        ("Net::HTTP", "__fetch") => rt.fetch_page(args)?,
        ("Puppet", "features") => crate::puppet::objects::object(crate::puppet::objects::FEATURES, &[]),
        ("Puppet", "settings") => crate::puppet::objects::object(crate::puppet::objects::SETTINGS, &[]),
        ("Facter", "value" | "fact" | "[]") => crate::puppet::objects::server_fact(rt, &arg)?,
        ("Process", "clock_gettime") => Rv::float(rt.ev.world.now().as_secs_f64()),
        ("Process", "pid") => Rv::Int(1),
        ("Process", "uid" | "euid" | "gid" | "egid") => Rv::Int(0),
        ("Time", "at") => match crate::core::time::at(&arg) {
            Some(time) => time,
            None => return rt.type_error(&arg, "Integer"),
        },
        ("Puppet::Module", "find") => {
            let wanted = arg.string_or_symbol().unwrap_or_default();
            rt.puppet_module(&wanted)
        }
        ("Puppet::Parser::Files", "find_template") => {
            let wanted = rt.expect_str(&arg)?;
            let found = rt.ev.program.environment.template_file(&wanted, false, rt.ev.world);
            found.map_or(Rv::Nil, |path| Rv::str(path.to_string_lossy()))
        }
        ("Puppet::Parser::Files", "find_file") => {
            let wanted = rt.expect_str(&arg)?;
            let found = rt.ev.program.environment.file_in_module("files", &wanted);
            let found = found.filter(|path| rt.ev.world.kind(path) != catwalk_world::Kind::Missing);
            found.map_or(Rv::Nil, |path| Rv::str(path.to_string_lossy()))
        }
        ("Puppet::Pops::Types::PBinaryType::Binary", "from_binary_string" | "from_string" | "new") => {
            let bytes = string_helpers::string_bytes(rt, &arg)?;
            Rv::Puppet(Rc::new(catwalk_value::value::Value::Binary(bytes.into())))
        }
        ("Math", _) => return crate::core::math::call(rt, name, args),
        ("Gem::Version", "correct?") => Rv::True,
        ("Gem::Version", "create") => Rv::Version(ArcStr::from(rt.to_s(&arg)?.trim())),
        ("Puppet::Util::Package", "versioncmp") => {
            let given = [arg.clone(), args.get(1).cloned().unwrap_or(Rv::Nil)];
            if let Some(other) = given.iter().find(|value| !matches!(value, Rv::Str(_))) {
                let raised = rt.call_method(other, "scan", &[], None).map(Some);
                return rt.with_puppet_position("util/package.rb", 11, raised);
            }
            let values = [rt.to_puppet(&arg)?, rt.to_puppet(args.get(1).unwrap_or(&Rv::Nil))?];
            rt.call_puppet_function("versioncmp", &values)?
        }
        ("Puppet", "version") => Rv::str(rt.ev.settings.version.release),
        ("Puppet", "[]") if arg.string_or_symbol().as_deref() == Some("strict") => {
            Rv::sym(match crate::puppet::scope::strict(rt) {
                Strict::Off => "off",
                Strict::Warning => "warning",
                Strict::Error => "error",
            })
        }
        ("Puppet", "[]=") if arg.string_or_symbol().as_deref() == Some("strict") => {
            let value = args.get(1).cloned().unwrap_or(Rv::Nil);
            rt.state().strict = Some(match value.string_or_symbol().as_deref() {
                Some("off") => Strict::Off,
                Some("error") => Strict::Error,
                _ => Strict::Warning,
            });
            value
        }
        ("Puppet", "[]") => rt.setting(&arg.string_or_symbol().unwrap_or_default())?,
        ("Puppet", "warn_once") => rt.warn_once(args)?,
        ("Puppet", "debug" | "info" | "notice" | "warning" | "err" | "alert" | "crit" | "emerg") => {
            rt.log_value(name, &arg)?
        }
        ("Puppet::Util::Log", "create") => {
            let option = |key: &str| match &arg {
                Rv::Hash(options) => options.get(&Rv::sym(key)).unwrap_or(Rv::Nil),
                _ => Rv::Nil,
            };
            let level = option("level").string_or_symbol().unwrap_or_default();
            if !rt.ev.logs(crate::puppet::scope::severity(&level)) {
                return Ok(Some(Rv::Nil));
            }
            let text = rt.to_s(&option("message"))?;
            match option("source").string_or_symbol() {
                Some(source) => rt.ev.log_from(&source, crate::puppet::scope::severity(&level), text),
                None => rt.log(&level, text),
            }
            Rv::Nil
        }
        ("Puppet::Resource", "type_and_title") => crate::puppet::catalog::type_and_title(rt, args)?,
        ("Puppet::Pops::Evaluator::Runtime3ResourceSupport", "find_resource_type_or_class" | "find_resource_type") => {
            crate::puppet::catalog::find_type(
                rt,
                args.get(1).unwrap_or(&Rv::Nil),
                name == "find_resource_type_or_class",
            )?
        }
        ("Puppet::Util", "deterministic_rand" | "deterministic_rand_int") => {
            let number = crate::core::random::deterministic_rand(rt, args)?;
            if name == "deterministic_rand" { Rv::str(number.to_string()) } else { Rv::integer(number) }
        }
        ("Puppet::Pops::PuppetStack", "stacktrace") => {
            let step = |(file, line): (String, u32)| Rv::array(vec![Rv::str(file), Rv::Int(i64::from(line))]);
            Rv::array(rt.ev.stacktrace().map(step).collect())
        }
        ("Puppet::Pops::PuppetStack", "top_of_stack") => match rt.ev.stacktrace().next() {
            Some((file, line)) => Rv::array(vec![Rv::str(file), Rv::Int(i64::from(line))]),
            None => Rv::array(Vec::new()),
        },
        ("Puppet", "deprecation_warning") => {
            let text = rt.to_s(&arg)?;
            let key = match args.get(1) {
                Some(key) if !key.is_nil() => rt.to_s(key)?,
                _ => text.clone(),
            };
            if !rt.ev.settings.disables("deprecations") && rt.ev.state.deprecations.insert(Box::from(&*key)) {
                rt.ev.log(catwalk_base::diag::Severity::Warning, text.to_string(), None);
            }
            Rv::Nil
        }
        (crate::core::random::CLASS, _) => return crate::core::random::class_method(rt, name, args),
        ("Integer", "sqrt") => crate::core::math::integer_root(rt, &arg)?,
        ("Resolv", "ask") => crate::library::prelude::query_dns(rt, args)?,
        ("Kernel", _) => {
            let frame = rt.top_frame(Rv::Nil);
            return rt.kernel(name, args, None, &frame);
        }
        _ => return Ok(None),
    }))
}
