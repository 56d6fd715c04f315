//! URIs as objects of Ruby's library `uri`: [`Uri`] parses and joins them.

use std::rc::Rc;

use crate::Interp;
use crate::Raise;
use crate::value::Instance;
use crate::value::Key;
use crate::value::Rv;
use crate::value::object;
use catwalk_base::names::Name;
use catwalk_value::Hash;
use catwalk_value::Uri;
use catwalk_value::Value;
use catwalk_value::ruby;

/// The class of URIs.
pub(crate) const URI: &str = "URI::Generic";

/// Whether a class is a class of URIs: some schemes have their own.
pub(crate) fn is_class(class: &str) -> bool {
    class == URI || (class.starts_with("URI::") && ruby::inherits_from(class, URI))
}

impl Interp<'_> {
    /// `URI.parse(text)`
    pub(crate) fn parse_uri(&mut self, source: &str) -> Raise<Rv> {
        match Uri::parse(source) {
            Ok(uri) => Ok(uri_object(&uri)),
            Err(error) => self.raise(error.class, error.message),
        }
    }

    /// Whether a value is a URI.
    pub(crate) fn is_uri(&self, value: &Rv) -> bool {
        matches!(value, Rv::Object(object) if is_class(object.class.as_str()))
    }
}

/// `URI::HTTP.build(parts)`: parts by name, or in Ruby's order; the class determines the scheme.
fn build_uri(rt: &mut Interp<'_>, class: &str, parts: &Rv) -> Raise<Rv> {
    let scheme = class.strip_prefix("URI::").filter(|_| class != URI).map(str::to_ascii_lowercase);
    let mut named_parts = Hash::new();
    match parts {
        Rv::Hash(hash) => {
            for (Key(key), value) in hash.map.borrow().iter().filter(|(_, value)| !value.is_nil()) {
                named_parts.set(&key.string_or_symbol().unwrap_or_default(), part_value(value));
            }
        }
        Rv::Array(items) => {
            let names = if scheme.is_some() { &PART_ORDER[1..] } else { &PART_ORDER[..] };
            for (name, value) in names.iter().zip(items.borrow().iter()).filter(|(_, value)| !value.is_nil()) {
                named_parts.set(name, part_value(value));
            }
        }
        _ => {}
    }
    if let Some(scheme) = scheme {
        named_parts.set("scheme", Value::str(scheme));
    }
    match Uri::build(&named_parts) {
        Ok(uri) if class == URI => Ok(uri_object(&uri.into_generic(port(&named_parts)))),
        Ok(uri) => Ok(uri_object(&uri)),
        Err(error) => rt.raise(error.class, error.message),
    }
}

fn port(parts: &Hash) -> Option<i128> {
    i128::try_from(parts.get("port")?.as_big()?).ok()
}

/// The order of parts without names.
const PART_ORDER: [&str; 7] = ["scheme", "userinfo", "host", "port", "path", "query", "fragment"];

fn part_value(value: &Rv) -> Value {
    match value {
        Rv::Int(port) => Value::integer(*port),
        Rv::Big(port) => Value::integer((**port).clone()),
        other => other.string_or_symbol().map_or(Value::Undef, Value::str),
    }
}

/// A URI as an object of Ruby's class for its scheme.
pub(crate) fn uri_object(uri: &Uri) -> Rv {
    let fields = Uri::MEMBERS.map(|name| {
        let value = match uri.part(name) {
            Some(port @ (Value::Int(_) | Value::BigInt(_))) => {
                port.as_big().map_or(Rv::Nil, crate::core::big_integer::to_value)
            }
            Some(Value::Str(string)) => Rv::str(&*string),
            _ => Rv::Nil,
        };
        (name, value)
    });
    object(uri.class_name(), &fields)
}

/// The URI that an object represents.
pub(crate) fn to_uri(rt: &mut Interp<'_>, this: &Instance) -> Raise<Uri> {
    let mut parts = Hash::new();
    for name in Uri::MEMBERS {
        if let Some(value) = this.ivars.borrow().get(&Name::new(name)).filter(|value| !value.is_nil()) {
            parts.set(name, part_value(value));
        }
    }
    match Uri::assemble(&parts) {
        Ok(uri) if this.class == URI => Ok(uri.into_generic(port(&parts))),
        Ok(uri) => Ok(uri),
        Err(error) => rt.raise(error.class, error.message),
    }
}

/// `URI.split(text)`: scheme, user, host, port, registry, path, opaque part, query, fragment.
fn split(rt: &mut Interp<'_>, source: &Rv) -> Raise<Rv> {
    let source = rt.expect_str(source)?;
    let uri = rt.parse_uri(&source)?;
    let Rv::Object(uri) = &uri else { return Ok(Rv::Nil) };
    let field = |name: &str| uri.ivars.borrow().get(&Name::new(name)).cloned().unwrap_or(Rv::Nil);
    let authority = source.split("//").nth(1).and_then(|rest| rest.split(['/', '?', '#']).next()).unwrap_or_default();
    let has_port = authority.rsplit_once(':').is_some_and(|(_, port)| port.bytes().all(|byte| byte.is_ascii_digit()));
    let port = if has_port { Rv::str(rt.to_s(&field("port"))?.to_string()) } else { Rv::Nil };
    let mut parts = vec![field("scheme"), field("userinfo"), field("host"), port, Rv::Nil];
    parts.extend([field("path"), field("opaque"), field("query"), field("fragment")]);
    Ok(Rv::array(parts))
}

/// `URI.join(base, …)`
fn join(rt: &mut Interp<'_>, args: &[Rv]) -> Raise<Rv> {
    let mut joined: Option<Rv> = None;
    for arg in args {
        let source = rt.to_s(arg)?;
        let next = rt.parse_uri(&source)?;
        joined = Some(match joined {
            Some(base) => merge(rt, &base, &next)?,
            None => next,
        });
    }
    match joined {
        Some(joined) => Ok(joined),
        None => rt.raise("ArgumentError", "wrong number of arguments (given 0, expected 1+)"),
    }
}

/// A URI resolved relative to another (`URI::Generic#merge`).
fn merge(rt: &mut Interp<'_>, base: &Rv, other: &Rv) -> Raise<Rv> {
    let (Rv::Object(from), Rv::Object(to)) = (base, other) else { return rt.unsupported("URI.join of these values") };
    let (from, to) = (to_uri(rt, from)?, to_uri(rt, to)?);
    match from.merge(&to) {
        Ok(merged) => Ok(uri_object(&merged)),
        Err(error) => rt.raise(error.class, error.message),
    }
}

/// Methods of `URI` and of the classes of URIs.
pub(crate) fn class_method(rt: &mut Interp<'_>, class: &str, name: &str, args: &[Rv]) -> Raise<Option<Rv>> {
    let arg = args.first().cloned().unwrap_or(Rv::Nil);
    Ok(Some(match (class, name) {
        (class, "build") if is_class(class) => build_uri(rt, class, &arg)?,
        ("URI", "parse") => {
            let Rv::Str(source) = &arg else {
                let message = format!("bad URI(is not URI?): {}", rt.inspect(&arg)?);
                return rt.raise("URI::InvalidURIError", message);
            };
            let source = source.borrow().clone();
            rt.parse_uri(&source)?
        }
        ("URI", "join") => join(rt, args)?,
        ("URI", "split") => split(rt, &arg)?,
        ("URI", "regexp" | "extract") => {
            let parser = rt.constant_path(None, "URI::DEFAULT_PARSER")?;
            let method = if name == "regexp" { "make_regexp" } else { name };
            rt.call_method(&parser, method, args, None)?
        }
        // Ruby 3.0 removed these.
        ("URI", "escape" | "encode" | "unescape" | "decode") => {
            return rt.raise("NoMethodError", format!("undefined method `{name}' for URI:Module"));
        }
        _ => return Ok(None),
    }))
}

/// Methods of a URI.
pub(crate) fn call(rt: &mut Interp<'_>, this: &Rc<Instance>, name: &str, args: &[Rv]) -> Raise<Option<Rv>> {
    let field = |name: &str| this.ivars.borrow().get(&Name::new(name)).cloned().unwrap_or(Rv::Nil);
    match name {
        "scheme" | "userinfo" | "host" | "port" | "path" | "query" | "fragment" | "opaque" => Ok(Some(field(name))),
        "hostname" => Ok(Some(field("host").string_or_symbol().map_or(Rv::Nil, |host| {
            let inner = host.strip_prefix('[').and_then(|host| host.strip_suffix(']'));
            Rv::str(inner.unwrap_or(&host))
        }))),
        "request_uri" => {
            let path =
                field("path").string_or_symbol().filter(|path| !path.is_empty()).unwrap_or_else(|| "/".to_owned());
            let query = field("query").string_or_symbol().map_or_else(String::new, |query| format!("?{query}"));
            Ok(Some(Rv::str(format!("{path}{query}"))))
        }
        "open" | "read" => {
            let library = rt.constant_path(None, "OpenURI")?;
            let stream = rt.call_method(&library, "open_uri", &[Rv::Object(this.clone())], None)?;
            Ok(Some(if name == "read" { rt.call_method(&stream, "read", &[], None)? } else { stream }))
        }
        "absolute?" | "relative?" => Ok(Some(Rv::bool(field("scheme").is_nil() == (name == "relative?")))),
        "default_port" if this.class == URI => Ok(Some(Rv::Nil)),
        "default_port" => {
            let port = field("scheme").string_or_symbol().and_then(|scheme| Uri::default_port(&scheme));
            Ok(Some(port.map_or(Rv::Nil, Rv::integer)))
        }
        "scheme=" | "host=" | "port=" | "path=" | "query=" | "fragment=" | "userinfo=" | "opaque=" => {
            let value = args.first().cloned().unwrap_or(Rv::Nil);
            this.ivars.borrow_mut().insert(Name::new(name.trim_end_matches('=')), value.clone());
            Ok(Some(value))
        }
        "user=" | "password=" => set_login(rt, this, name, args.first().unwrap_or(&Rv::Nil)).map(Some),
        "user" | "password" => {
            let Some(info) = field("userinfo").string_or_symbol() else { return Ok(Some(Rv::Nil)) };
            let (user, password) = info.split_once(':').map_or((info.as_str(), None), |(u, p)| (u, Some(p)));
            Ok(Some(if name == "user" { Rv::str(user) } else { password.map_or(Rv::Nil, Rv::str) }))
        }
        "to_s" if args.is_empty() => Ok(Some(Rv::str(to_uri(rt, this)?.to_string()))),
        "inspect" if args.is_empty() => Ok(Some(Rv::str(format!("#<{} {}>", this.class, to_uri(rt, this)?)))),
        "==" | "eql?" => {
            let Some(Rv::Object(other)) = args.first() else { return Ok(Some(Rv::False)) };
            if !is_class(other.class.as_str()) {
                return Ok(Some(Rv::False));
            }
            let (uri, other) = (to_uri(rt, this)?, to_uri(rt, other)?);
            Ok(Some(Rv::bool(if name == "==" { uri.equals_in_ruby(&other) } else { uri == other })))
        }
        "merge" | "+" => match args.first() {
            Some(other) => merge_argument(rt, this, other).map(Some),
            None => Ok(None),
        },
        _ => Ok(None),
    }
}

/// `uri.user = value`, `uri.password = value`
fn set_login(rt: &mut Interp<'_>, this: &Instance, name: &str, value: &Rv) -> Raise<Rv> {
    let new = if value.is_nil() { None } else { Some(rt.to_s(value)?.to_string()) };
    let before = this.ivars.borrow().get(&Name::new("userinfo")).and_then(Rv::string_or_symbol);
    let parts = before.as_deref().map(|info| info.split_once(':').map_or((info, None), |(u, p)| (u, Some(p))));
    let (user, password) = match (name, parts) {
        ("user=", parts) => (new, parts.and_then(|(_, password)| password).map(str::to_owned)),
        (_, Some((user, _))) => (Some(user.to_owned()), new),
        (_, None) if value.is_nil() => return Ok(Rv::Nil),
        (_, None) => return rt.raise("URI::InvalidURIError", "password component depends user component"),
    };
    let info = user.map(|user| password.map_or(user.clone(), |password| format!("{user}:{password}")));
    this.ivars.borrow_mut().insert(Name::new("userinfo"), info.map_or(Rv::Nil, Rv::str));
    Ok(value.clone())
}

/// `uri.merge(other)`; a string is parsed first.
fn merge_argument(rt: &mut Interp<'_>, this: &Rc<Instance>, other: &Rv) -> Raise<Rv> {
    let other = match other {
        Rv::Object(_) => other.clone(),
        _ => {
            let source = rt.to_s(other)?;
            rt.parse_uri(&source)?
        }
    };
    merge(rt, &Rv::Object(this.clone()), &other)
}
