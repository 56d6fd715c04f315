//! Constants, and methods called on classes and modules.

use std::rc::Rc;
use std::sync::OnceLock;

use rustc_hash::FxHashSet;

use super::Blk;
use super::Interp;
use super::Raise;
use super::raise;
use super::text;
use super::value::HashObject;
use super::value::Instance;
use super::value::Key;
use super::value::Map;
use super::value::Rv;
use crate::eval::Strict;
use crate::names::Name;
use crate::value::Value;

/// The class of what `Marshal.dump` gives here.
const DUMPED: &str = "Marshal::Dumped";

/// Classes and modules that can be named.
const KNOWN: &[&str] = &[
    "Array",
    "BasicObject",
    "Class",
    "Comparable",
    "Enumerable",
    "FalseClass",
    "Float",
    "Hash",
    "Integer",
    "Fixnum",
    "Bignum",
    "Kernel",
    "MatchData",
    "Math",
    "Method",
    "Module",
    "NilClass",
    "Numeric",
    "Object",
    "Proc",
    "Random",
    "Range",
    "Regexp",
    "String",
    "Symbol",
    "Time",
    "TrueClass",
    "File",
    "File::Stat",
    "FileTest",
    "Dir",
    "IO",
    "ENV",
    "Process",
    "Encoding",
    "Enumerator",
    "Set",
    "IPAddr",
    "JSON",
    "YAML",
    "Psych",
    "ERB",
    "ERB::Util",
    "CGI",
    "URI",
    "URI::Generic",
    "URI::HTTP",
    "URI::HTTPS",
    "URI::FTP",
    "URI::LDAP",
    "URI::LDAPS",
    "URI::MailTo",
    "URI::File",
    "URI::WS",
    "URI::WSS",
    "Puppet::Node::Environment",
    "Base64",
    "Shellwords",
    "SecureRandom",
    "Digest",
    "Digest::MD5",
    "Digest::SHA1",
    "Digest::SHA256",
    "Digest::SHA384",
    "Digest::SHA512",
    "OpenSSL",
    "OpenSSL::Digest",
    "OpenSSL::Digest::MD5",
    "OpenSSL::Digest::SHA1",
    "OpenSSL::Digest::SHA256",
    "OpenSSL::Digest::SHA384",
    "OpenSSL::Digest::SHA512",
    "OpenSSL::KDF",
    "OpenSSL::PKCS5",
    "OpenSSL::HMAC",
    "Gem",
    "Gem::Version",
    "BigDecimal",
    "Socket",
    "Zlib",
    "RbConfig",
    "RUBY_VERSION",
    "RUBY_PLATFORM",
    "RUBY_ENGINE",
    "RUBY_PATCHLEVEL",
    "RUBY_RELEASE_DATE",
    "Psych::VERSION",
    "YAML::VERSION",
    "Gem::VERSION",
    "SemanticPuppet",
    "SemanticPuppet::Version",
    "Puppet",
    "Puppet::Util",
    "Puppet::Util::Package",
    "Puppet::Util::Platform",
    "Puppet::Util::Json",
    "Puppet::Util::Yaml",
    "Puppet::Pops::Types::TypeCalculator",
    "Puppet::Node",
    "Puppet::Node::Facts",
    "Puppet::Parser",
    "Puppet::Parser::Functions",
    "Puppet::Functions",
    "Puppet::Functions::InternalFunction",
    "Puppet::Functions::Function",
    "Puppet::Parser::Scope",
    "Puppet::Pops",
    "Puppet::Pops::Types",
    "Puppet::Pops::Types::PSensitiveType",
    "Puppet::Pops::Types::PSensitiveType::Sensitive",
    "Puppet::Pops::Types::PResourceType",
    "Puppet::Pops::Types::PCatalogEntryType",
    "Puppet::Pops::Types::PAnyType",
    "Puppet::Pops::Types::TypeFactory",
    "Puppet::Pops::Types::TypeParser",
    "Puppet::Pops::Types::PBinaryType",
    "Puppet::Pops::Types::PBinaryType::Binary",
    "Puppet::Pops::Time",
    "Puppet::Pops::Time::Timestamp",
    "Puppet::Pops::Time::Timespan",
    "Puppet::Resource",
    "Puppet::Resource::Type",
    "Puppet::Resource::Catalog",
    "Puppet::Parser::Resource",
    "Puppet::Pops::Evaluator",
    "Puppet::Pops::Evaluator::Runtime3ResourceSupport",
    "Puppet::Pops::PuppetStack",
    "SemanticPuppet::VersionRange",
    "Puppet::Pops::Types::StringConverter",
    "Puppet::Pops::Types::TypeMismatchDescriber",
    "Puppet::Module",
    "Puppet::Util::Errors",
    "Puppet::FileSystem",
    "Puppet::Settings",
    "Puppet::Parser::Files",
    "Facter",
    "Puppet::Parser::TemplateWrapper",
    "Errno",
    "Signal",
    "ObjectSpace",
    "GC",
    "Marshal",
    "FileUtils",
    "Tempfile",
    "Errno",
    "IPAddr",
    "Puppet::Pops::Lookup",
    "Puppet::DataBinding",
    "Puppet::Util::Log",
];

/// Whether a text is a version of a gem, or nothing (`Gem::Version::ANCHORED_VERSION_PATTERN`).
fn is_gem_version(text: &str) -> bool {
    let text = text.trim();
    let (numbers, rest) = text.split_once('-').map_or((text, None), |(numbers, rest)| (numbers, Some(rest)));
    let parts =
        |text: &str, plain: fn(char) -> bool| text.split('.').all(|part| !part.is_empty() && part.chars().all(plain));
    let first = numbers.split('.').next().unwrap_or_default();
    let digits = !first.is_empty() && first.bytes().all(|byte| byte.is_ascii_digit());
    text.is_empty()
        || digits
            && parts(numbers, |c| c.is_ascii_alphanumeric())
            && rest.is_none_or(|rest| parts(rest, |c| c == '-' || c.is_ascii_alphanumeric()))
}

/// Whether a class or module is one of Ruby's or Puppet's own.
pub(crate) fn is_known(path: &str) -> bool {
    static ALL: OnceLock<FxHashSet<&str>> = OnceLock::new();
    ALL.get_or_init(|| KNOWN.iter().copied().collect()).contains(path) || raise::parent(path).is_some()
}

/// Methods called on a class or module that are not the program's.
pub(crate) fn call(rt: &mut Interp<'_, '_>, class: Name, name: &str, args: &[Rv], block: Blk<'_>) -> Raise<Option<Rv>> {
    let this = Rv::Class(class);
    if let Some(value) = super::function::define(rt, class.as_str(), name, args, block)? {
        return Ok(Some(value));
    }
    match name {
        "open" if class.as_str() == "URI" => {
            let library = rt.constant_path(None, "OpenURI")?;
            return rt.call_method(&library, "open_uri", args, block).map(Some);
        }
        "const_defined?" => {
            let wanted = args.first().and_then(Rv::text).unwrap_or_default();
            let path = format!("{class}::{wanted}");
            let known = is_known(&path) || rt.tables.constants.contains_key(&Name::new(&path));
            return Ok(Some(Rv::Bool(known)));
        }
        "name" | "to_s" | "inspect" if args.is_empty() => return Ok(Some(Rv::str(rt.shown_class(class).as_str()))),
        "===" => {
            let value = args.first().cloned().unwrap_or(Rv::Nil);
            return Ok(Some(Rv::Bool(rt.is_a(&value, class))));
        }
        "<" | "<=" => {
            if let Some(Rv::Class(other)) = args.first() {
                let below = rt.class_below(class, other.as_str()) && (name == "<=" || *other != class);
                return Ok(Some(Rv::Bool(below)));
            }
        }
        "const_get" => {
            let wanted = args.first().and_then(Rv::text).unwrap_or_default();
            let outer = if matches!(class.as_str(), "Object" | "Kernel") { None } else { Some(class) };
            return rt.constant_path(outer, &wanted).map(Some);
        }
        "include" | "prepend" if args.iter().all(|arg| matches!(arg, Rv::Class(_))) => {
            rt.include(class, name, args)?;
            return Ok(Some(this));
        }
        _ => {
            if let Some(value) = super::class::call(rt, class, name, args, block)? {
                return Ok(Some(value));
            }
        }
    }
    if let Some(value) = super::openssl::class_method(rt, class.as_str(), name, args)? {
        return Ok(Some(value));
    }
    if class == crate::name!("ENV") {
        return super::env_vars::class_method(rt, name, args, block);
    }
    if let Some(value) = super::puppet_types::class_method(rt, class.as_str(), name, args)? {
        return Ok(Some(value));
    }
    if let Some(value) = super::uri::class_method(rt, class.as_str(), name, args)? {
        return Ok(Some(value));
    }
    if let Some(value) = super::encode::encoders(rt, class.as_str(), name, args)? {
        return Ok(Some(value));
    }
    if let Some(value) = super::files::class_method(rt, class.as_str(), name, args, block)? {
        return Ok(Some(value));
    }
    if (class.as_str(), name) == ("Enumerator", "produce") {
        return super::enumerator::produced(rt, args, block).map(Some);
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
    if let Some(value) = super::puppet_api::class_method(rt, class.as_str(), name, args, block)? {
        return Ok(Some(value));
    }
    modules(rt, class.as_str(), name, args)
}

/// `Class.new(…)`
pub(crate) fn construct(
    rt: &mut Interp<'_, '_>,
    class: Name,
    name: &str,
    args: &[Rv],
    block: Blk<'_>,
) -> Raise<Option<Rv>> {
    let arg = args.first().cloned().unwrap_or(Rv::Nil);
    Ok(Some(match (class.as_str(), name) {
        ("String", "new") => Rv::str(arg.text().unwrap_or_default()),
        ("Array", "new") => match (&arg, args.get(1), block) {
            (Rv::Int(n), value, block) => {
                let count = usize::try_from(*n).unwrap_or(0);
                rt.check_size(count.saturating_mul(32))?;
                let mut items = Vec::with_capacity(count);
                for at in 0..count {
                    items.push(match block {
                        Some(block) => rt.yield_value(block, Rv::int(at))?,
                        None => value.cloned().unwrap_or(Rv::Nil),
                    });
                }
                Rv::array(items)
            }
            (Rv::Array(items), ..) => Rv::array(items.borrow().clone()),
            _ => Rv::array(Vec::new()),
        },
        ("Array", "[]") => Rv::array(args.to_vec()),
        ("Puppet::Resource", "new") => super::catalog::reference(rt, args)?,
        ("Hash", "new") => {
            let hash = HashObject::new(Map::default());
            *hash.default.borrow_mut() = arg;
            *hash.default_proc.borrow_mut() = block.cloned();
            Rv::Hash(hash)
        }
        ("Hash", "[]") => match arg {
            Rv::Array(_) if args.len() == 1 => {
                return super::enumerable::call(rt, &arg, "to_h", &[], None);
            }
            Rv::Hash(hash) => Rv::hash(hash.map.borrow().clone()),
            _ if args.len() % 2 == 1 => return rt.raise("ArgumentError", "odd number of arguments for Hash"),
            _ => Rv::hash(
                args.chunks(2).filter_map(|pair| Some((Key::of(pair.first()?), pair.get(1)?.clone()))).collect(),
            ),
        },
        ("Enumerator", "new") => super::enumerator::of_block(rt, args, block)?,
        ("Set", "new" | "[]") => {
            let items = if name == "[]" { args.to_vec() } else { rt.to_list(&arg)? };
            let mut map = Map::default();
            for item in items {
                let item = match block {
                    Some(block) => rt.yield_value(block, item)?,
                    None => item,
                };
                map.insert(Key::of(&item), Rv::Bool(true));
            }
            Rv::Set(Rc::new(std::cell::RefCell::new(map)))
        }
        ("Range", "new") => Rv::Range(Rc::new(super::value::Range {
            from: arg,
            to: args.get(1).cloned().unwrap_or(Rv::Nil),
            exclusive: args.get(2).is_some_and(Rv::truthy),
        })),
        ("Regexp", "new" | "compile") => match &arg {
            Rv::Regexp(_) => arg,
            other => {
                let source = rt.expect_str(other)?;
                let flags = match args.get(1) {
                    Some(Rv::Int(bits)) => {
                        let names = [(1, 'i'), (2, 'x'), (4, 'm')];
                        names.iter().filter(|(bit, _)| bits & bit != 0).map(|(_, flag)| *flag).collect()
                    }
                    Some(value) if value.truthy() => "i".to_owned(),
                    _ => String::new(),
                };
                rt.regexp(&source, &flags)?
            }
        },
        ("IPAddr", "new") if !matches!(arg, Rv::Str(_)) => match (&arg, args.get(1)) {
            (Rv::Int(address), Some(Rv::Int(family @ (2 | 10)))) => {
                super::ipaddr::single(u128::try_from(*address).unwrap_or(0), *family == 10)
            }
            (_, None | Some(Rv::Int(0))) => {
                return rt.raise("IPAddr::AddressFamilyError", "address family must be specified");
            }
            (_, Some(family)) => {
                let text = format!("unsupported address family: {}", rt.to_s(family)?);
                return rt.raise("IPAddr::AddressFamilyError", text);
            }
        },
        ("IPAddr", "new") => {
            let source = rt.expect_str(&arg)?;
            super::ipaddr::parse(rt, &source)?
        }
        ("Gem::Version", "new") => {
            let text = rt.to_s(&arg)?;
            if !is_gem_version(&text) {
                return rt.raise("ArgumentError", format!("Malformed version number string {text}"));
            }
            Rv::Version(Rc::from(text.trim().replace('-', ".pre.")))
        }
        ("Puppet::Pops::Types::PSensitiveType::Sensitive", "new") => {
            let value = rt.to_puppet(&arg)?;
            Rv::Puppet(Rc::new(Value::Sensitive(std::sync::Arc::new(value))))
        }
        ("Time", "new") => return modules(rt, class.as_str(), if args.is_empty() { "now" } else { "new" }, args),
        ("Puppet::Parser::TemplateWrapper", "new") => Rv::Object(Rc::new(Instance::new(class))),
        ("ERB", "new") => super::instance::object("ERB", &[("source", arg)]),
        ("Object", "new") => Rv::Object(Rc::new(Instance::new(class))),
        ("Proc", "new") => block.map_or(Rv::Nil, |block| Rv::Proc(block.clone())),
        (path, "new" | "exception") if rt.class_below(class, "Exception") && path != "Object" => {
            let message = if args.is_empty() { Rv::str(rt.shown_class(Name::new(path)).as_str()) } else { arg };
            let exception = rt.exception(class, message);
            let this = Rv::Exception(exception.clone());
            if let Some(found) = rt.find_method(&this, crate::name!("initialize")) {
                rt.call_found(&found, crate::name!("initialize"), &this, args, block)?;
            } else if rt.class_below(class, "Puppet::Error") {
                *exception.message.borrow_mut() = rt.message_of_puppet(class, args)?;
            }
            this
        }
        ("Class", "new") => {
            let parent = args.iter().find_map(|arg| if let Rv::Class(parent) = arg { Some(*parent) } else { None });
            rt.new_class(parent, block)?
        }
        ("Module", "new") => rt.new_class(None, block)?,
        (_, "[]")
            if rt.tables.parents.contains_key(&class)
                && matches!(rt.tables.native_base(class).as_str(), "Hash" | "Array" | "Set") =>
        {
            let base = rt.tables.native_base(class);
            let object = Rc::new(Instance::new(class));
            *object.native.borrow_mut() = construct(rt, base, name, args, block)?;
            Rv::Object(object)
        }
        (_, "new") if rt.tables.parents.contains_key(&class) => {
            let object = Rc::new(Instance::new(class));
            let this = Rv::Object(object.clone());
            match rt.find_method(&this, crate::name!("initialize")) {
                Some(found) => {
                    rt.call_found(&found, crate::name!("initialize"), &this, args, block)?;
                }
                None => {
                    let base = rt.tables.native_base(class);
                    rt.make_native(&object, base, args, block)?;
                }
            }
            this
        }
        _ => return Ok(None),
    }))
}

/// Functions of other modules.
fn modules(rt: &mut Interp<'_, '_>, class: &str, name: &str, args: &[Rv]) -> Raise<Option<Rv>> {
    let arg = args.first().cloned().unwrap_or(Rv::Nil);
    Ok(Some(match (class, name) {
        // Code writes data only to read it again: a copy down to the innermost.
        ("Marshal", "dump") if args.len() == 1 => match super::convert::deep_copy(&arg, 0) {
            Some(copy) => super::instance::object(DUMPED, &[("value", copy)]),
            None => return rt.unsupported("Marshal.dump of what is no data"),
        },
        ("Marshal", "load") => match &arg {
            Rv::Object(object) if object.class.as_str() == DUMPED => {
                let value = object
                    .ivars
                    .borrow()
                    .get(&crate::name!("value"))
                    .and_then(|value| super::convert::deep_copy(value, 0));
                value.unwrap_or(Rv::Nil)
            }
            _ => return rt.unsupported("Marshal.load of this"),
        },
        ("Time", "now") => super::time::now(rt),
        ("Time", "new" | "utc" | "gm" | "local" | "mktime") => super::time::civil(rt, name, args)?,
        ("Time", "parse" | "iso8601" | "xmlschema" | "rfc2822" | "httpdate") => {
            let source = rt.expect_str(&arg)?;
            super::time::parse(rt, &source)?
        }
        ("Time", "strptime") => super::time::strptime(rt, args)?,
        ("Time", "__parse") => super::time::parts(&rt.expect_str(&arg)?),
        ("Time", "__strptime") => super::time::strptime_parts(rt, args)?,
        ("Process", "__run") => rt.run_process(args)?,
        ("Net::HTTP", "__fetch") => rt.fetch_page(args)?,
        ("Puppet", "features") => super::instance::object(super::instance::FEATURES, &[]),
        ("Puppet", "settings") => super::instance::object(super::instance::SETTINGS, &[]),
        ("Facter", "value" | "fact" | "[]") => super::instance::server_fact(rt, &arg)?,
        ("Process", "clock_gettime") => Rv::Float(rt.ev.world.now().as_secs_f64()),
        ("Process", "pid") => Rv::Int(1),
        ("Process", "uid" | "euid" | "gid" | "egid") => Rv::Int(0),
        ("Time", "at") => match super::time::at(&arg) {
            Some(time) => time,
            None => return rt.type_error(&arg, "Integer"),
        },
        ("Regexp", "escape" | "quote") => {
            let source = if let Rv::Sym(text) = &arg { text.to_string() } else { rt.expect_str(&arg)? };
            Rv::str(crate::regexp::escape(&source))
        }
        ("Regexp", "union") => {
            let items = match &arg {
                Rv::Array(items) => items.borrow().clone(),
                _ => args.to_vec(),
            };
            let mut sources = Vec::with_capacity(items.len());
            let single = items.len() == 1;
            for item in &items {
                sources.push(match item {
                    Rv::Regexp(regexp) if single => regexp.source.to_string(),
                    Rv::Regexp(regexp) => super::regexp::to_s(regexp),
                    other => crate::regexp::escape(&rt.to_s(other)?),
                });
            }
            rt.regexp(&if sources.is_empty() { "(?!)".to_owned() } else { sources.join("|") }, "")?
        }
        ("Puppet::Module", "find") => {
            let wanted = arg.text().unwrap_or_default();
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
            let found = found.filter(|path| rt.ev.world.kind(path) != crate::world::Kind::Missing);
            found.map_or(Rv::Nil, |path| Rv::str(path.to_string_lossy()))
        }
        ("Puppet::Pops::Types::PBinaryType::Binary", "from_binary_string" | "from_string" | "new") => {
            let bytes = text::bytes_of(rt, &arg)?;
            Rv::Puppet(Rc::new(crate::value::Value::Binary(bytes.into())))
        }
        ("Regexp", "last_match") => match &arg {
            Rv::Int(n) => super::regexp::group(&rt.last_match, usize::try_from(*n).unwrap_or(0)),
            _ => rt.last_match.clone(),
        },
        ("Math", "sqrt" | "log" | "log2" | "log10" | "sin" | "cos" | "exp") => {
            let x = match arg {
                Rv::Int(n) => n as f64,
                Rv::Float(f) => f,
                other => return rt.type_error(&other, "Float"),
            };
            Rv::Float(match name {
                "sqrt" => x.sqrt(),
                "log" => x.ln(),
                "log2" => x.log2(),
                "log10" => x.log10(),
                "sin" => x.sin(),
                "cos" => x.cos(),
                _ => x.exp(),
            })
        }
        ("Gem::Version", "correct?") => Rv::Bool(true),
        ("Gem::Version", "create") => Rv::Version(Rc::from(rt.to_s(&arg)?.trim())),
        ("Puppet::Util::Package", "versioncmp") => {
            let given = [arg.clone(), args.get(1).cloned().unwrap_or(Rv::Nil)];
            if let Some(other) = given.iter().find(|value| !matches!(value, Rv::Str(_))) {
                let raised = rt.call_method(other, "scan", &[], None).map(Some);
                return rt.from("util/package.rb", 11, raised);
            }
            let values = [rt.to_puppet(&arg)?, rt.to_puppet(args.get(1).unwrap_or(&Rv::Nil))?];
            rt.puppet_function("versioncmp", &values)?
        }
        ("Puppet", "version") => Rv::str(rt.ev.settings.version.release),
        ("Puppet", "[]") if arg.text().as_deref() == Some("strict") => Rv::sym(match super::scope::strict(rt) {
            Strict::Off => "off",
            Strict::Warning => "warning",
            Strict::Error => "error",
        }),
        ("Puppet", "[]=") if arg.text().as_deref() == Some("strict") => {
            let value = args.get(1).cloned().unwrap_or(Rv::Nil);
            rt.ev.ruby.strict = Some(match value.text().as_deref() {
                Some("off") => Strict::Off,
                Some("error") => Strict::Error,
                _ => Strict::Warning,
            });
            value
        }
        ("Puppet", "[]") => rt.setting(&arg.text().unwrap_or_default())?,
        ("Puppet", "warn_once") => rt.warn_once(args)?,
        ("Puppet", "debug" | "info" | "notice" | "warning" | "err" | "alert" | "crit" | "emerg") => {
            rt.say(name, &arg)?
        }
        ("Puppet::Util::Log", "create") => {
            let option = |key: &str| match &arg {
                Rv::Hash(options) => options.get(&Rv::sym(key)).unwrap_or(Rv::Nil),
                _ => Rv::Nil,
            };
            let text = rt.to_s(&option("message"))?;
            let level = option("level").text().unwrap_or_default();
            match option("source").text() {
                Some(source) => rt.ev.log_from(&source, super::scope::severity(&level), text),
                None => rt.log(&level, text),
            }
            Rv::Nil
        }
        ("Puppet::Resource", "type_and_title") => super::catalog::type_and_title(rt, args)?,
        ("Puppet::Pops::Evaluator::Runtime3ResourceSupport", "find_resource_type_or_class" | "find_resource_type") => {
            super::catalog::find_type(rt, args.get(1).unwrap_or(&Rv::Nil), name == "find_resource_type_or_class")?
        }
        ("Puppet::Util", "deterministic_rand" | "deterministic_rand_int") => {
            let number = super::random::deterministic(rt, args)?;
            if name == "deterministic_rand" { Rv::str(number.to_string()) } else { Rv::Int(number) }
        }
        ("Puppet::Pops::PuppetStack", "stacktrace") => {
            let step = |(file, line): (String, u32)| Rv::array(vec![Rv::str(file), Rv::Int(i128::from(line))]);
            Rv::array(rt.ev.stacktrace().map(step).collect())
        }
        ("Puppet::Pops::PuppetStack", "top_of_stack") => match rt.ev.stacktrace().next() {
            Some((file, line)) => Rv::array(vec![Rv::str(file), Rv::Int(i128::from(line))]),
            None => Rv::array(Vec::new()),
        },
        ("Puppet", "deprecation_warning") => {
            let text = rt.to_s(&arg)?;
            let key = match args.get(1) {
                Some(key) if !key.is_nil() => rt.to_s(key)?,
                _ => text.clone(),
            };
            if !rt.ev.settings.disables("deprecations") && rt.ev.state.deprecations.insert(Box::from(&*key)) {
                rt.ev.log(crate::diag::Severity::Warning, text.to_string(), None);
            }
            Rv::Nil
        }
        (super::random::CLASS, _) => return super::random::class_method(rt, name, args),
        ("Integer" | "Float", "sqrt") => match arg {
            Rv::Int(n) if n >= 0 => Rv::Int((n as f64).sqrt().floor() as i128),
            _ => return rt.unsupported("Integer.sqrt of this"),
        },
        ("Resolv", "ask") => super::prelude::ask(rt, args)?,
        ("Kernel", _) => {
            let frame = rt.top_frame(Rv::Nil);
            return rt.kernel(name, args, None, &frame);
        }
        _ => return Ok(None),
    }))
}
