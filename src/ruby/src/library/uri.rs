//! URIs as objects of Ruby's library `uri`: [`Uri`] parses and joins them.

use crate::Blk;
use crate::Interp;
use crate::Raise;
use crate::library::string_formats;
use crate::object::Class;
use crate::object::Method;
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

/// A reader and a writer of a part.
macro_rules! reader {
    ($name:literal) => {
        Method::new($name, 0, |_, this, _, _| Ok(part(this, $name)))
    };
}

macro_rules! writer {
    ($name:literal, $part:literal) => {
        Method::new($name, 1, |_, this, args, _| Ok(set_part(this, $part, args)))
    };
}

pub(crate) static MODULE: Class = Class::module(
    "URI",
    &[
        Method::at_least("decode_www_form", 1, string_formats::decode_form),
        Method::at_least("decode_www_form_component", 1, string_formats::unescape_form_component),
        Method::at_least("encode_uri_component", 1, string_formats::escape_component),
        Method::at_least("encode_www_form", 1, string_formats::encode_form),
        Method::at_least("encode_www_form_component", 1, string_formats::escape_form_component),
        Method::at_least("extract", 1, extract),
        Method::at_least("join", 0, join),
        Method::at_least("open", 1, open_address),
        Method::new("parse", 1, parse),
        Method::at_least("regexp", 0, regexp),
        Method::new("split", 1, split),
    ],
);

pub(crate) static GENERIC: Class = Class {
    name: URI,
    parent: None,
    includes: &[],
    extends: &[],
    methods: &[
        Method::new("+", 1, merge_argument),
        Method::new("==", 1, equals),
        Method::new("absolute?", 0, is_absolute),
        Method::new("default_port", 0, default_port),
        Method::new("eql?", 1, eql),
        reader!("fragment"),
        writer!("fragment=", "fragment"),
        reader!("host"),
        writer!("host=", "host"),
        Method::new("hostname", 0, hostname),
        Method::new("inspect", 0, inspect),
        Method::new("merge", 1, merge_argument),
        reader!("opaque"),
        writer!("opaque=", "opaque"),
        Method::new("password", 0, password),
        Method::new("password=", 1, set_password),
        reader!("path"),
        writer!("path=", "path"),
        reader!("port"),
        writer!("port=", "port"),
        reader!("query"),
        writer!("query=", "query"),
        Method::new("relative?", 0, is_relative),
        reader!("scheme"),
        writer!("scheme=", "scheme"),
        Method::new("to_s", 0, to_s),
        Method::new("user", 0, user),
        Method::new("user=", 1, set_user),
        reader!("userinfo"),
        writer!("userinfo=", "userinfo"),
    ],
    singleton: &[Method::new("build", 1, build_uri)],
};

/// The class of a scheme without methods of its own.
const fn of_scheme(name: &'static str, parent: &'static Class) -> Class {
    Class { name, parent: Some(parent), includes: &[], extends: &[], methods: &[], singleton: &[] }
}

static HTTP: Class = Class {
    name: "URI::HTTP",
    parent: Some(&GENERIC),
    includes: &[],
    extends: &[],
    methods: &[
        Method::at_least("open", 0, open),
        Method::at_least("read", 0, read),
        Method::new("request_uri", 0, request_uri),
    ],
    singleton: &[],
};

static WS: Class = Class {
    name: "URI::WS",
    parent: Some(&GENERIC),
    includes: &[],
    extends: &[],
    methods: &[Method::new("request_uri", 0, request_uri)],
    singleton: &[],
};

static FTP: Class = Class {
    name: "URI::FTP",
    parent: Some(&GENERIC),
    includes: &[],
    extends: &[],
    methods: &[Method::at_least("open", 0, open), Method::at_least("read", 0, read)],
    singleton: &[],
};

static HTTPS: Class = of_scheme("URI::HTTPS", &HTTP);
static WSS: Class = of_scheme("URI::WSS", &WS);
static FILE: Class = of_scheme("URI::File", &GENERIC);
static LDAP: Class = of_scheme("URI::LDAP", &GENERIC);
static LDAPS: Class = of_scheme("URI::LDAPS", &LDAP);
static MAIL_TO: Class = of_scheme("URI::MailTo", &GENERIC);

/// The classes of schemes.
pub(crate) static SCHEMES: [&Class; 9] = [&HTTP, &HTTPS, &WS, &WSS, &FTP, &FILE, &LDAP, &LDAPS, &MAIL_TO];

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
fn build_uri(rt: &mut Interp<'_>, this: &Rv, args: &[Rv], _: Blk<'_>) -> Raise<Rv> {
    let Rv::Class(class) = this else { return Ok(Rv::Nil) };
    let class = class.as_str();
    let scheme = class.strip_prefix("URI::").filter(|_| class != URI).map(str::to_ascii_lowercase);
    let mut named_parts = Hash::new();
    match args.first() {
        Some(Rv::Hash(hash)) => {
            for (Key(key), value) in hash.map.borrow().iter().filter(|(_, value)| !value.is_nil()) {
                named_parts.set(&key.string_or_symbol().unwrap_or_default(), part_value(value));
            }
        }
        Some(Rv::Array(items)) => {
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
fn split(rt: &mut Interp<'_>, _: &Rv, args: &[Rv], _: Blk<'_>) -> Raise<Rv> {
    let source = rt.expect_str(args.first().unwrap_or(&Rv::Nil))?;
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
fn join(rt: &mut Interp<'_>, _: &Rv, args: &[Rv], _: Blk<'_>) -> Raise<Rv> {
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

/// `URI.parse(text)`
fn parse(rt: &mut Interp<'_>, _: &Rv, args: &[Rv], _: Blk<'_>) -> Raise<Rv> {
    match args.first() {
        Some(Rv::Str(source)) => {
            let source = source.borrow().clone();
            rt.parse_uri(&source)
        }
        other => {
            let message = format!("bad URI(is not URI?): {}", rt.inspect(other.unwrap_or(&Rv::Nil))?);
            rt.raise("URI::InvalidURIError", message)
        }
    }
}

/// `URI.open(address)`, from the part of the library that is written in Ruby.
fn open_address(rt: &mut Interp<'_>, _: &Rv, args: &[Rv], block: Blk<'_>) -> Raise<Rv> {
    let library = rt.constant_path(None, "OpenURI")?;
    rt.call_method(&library, "open_uri", args, block)
}

/// `URI.regexp(schemes)`
fn regexp(rt: &mut Interp<'_>, _: &Rv, args: &[Rv], _: Blk<'_>) -> Raise<Rv> {
    let parser = rt.constant_path(None, "URI::DEFAULT_PARSER")?;
    rt.call_method(&parser, "make_regexp", args, None)
}

/// `URI.extract(text, schemes)`
fn extract(rt: &mut Interp<'_>, _: &Rv, args: &[Rv], _: Blk<'_>) -> Raise<Rv> {
    let parser = rt.constant_path(None, "URI::DEFAULT_PARSER")?;
    rt.call_method(&parser, "extract", args, None)
}

/// A part of a URI; `nil` for other values.
fn part(this: &Rv, name: &str) -> Rv {
    match this {
        Rv::Object(uri) => uri.ivars.borrow().get(&Name::new(name)).cloned().unwrap_or(Rv::Nil),
        _ => Rv::Nil,
    }
}

/// Sets a part of a URI; returns it.
fn set_part(this: &Rv, name: &str, args: &[Rv]) -> Rv {
    let value = args.first().cloned().unwrap_or(Rv::Nil);
    if let Rv::Object(uri) = this {
        uri.ivars.borrow_mut().insert(Name::new(name), value.clone());
    }
    value
}

fn hostname(_: &mut Interp<'_>, this: &Rv, _: &[Rv], _: Blk<'_>) -> Raise<Rv> {
    Ok(part(this, "host").string_or_symbol().map_or(Rv::Nil, |host| {
        let inner = host.strip_prefix('[').and_then(|host| host.strip_suffix(']'));
        Rv::str(inner.unwrap_or(&host))
    }))
}

fn request_uri(_: &mut Interp<'_>, this: &Rv, _: &[Rv], _: Blk<'_>) -> Raise<Rv> {
    let path = part(this, "path").string_or_symbol().filter(|path| !path.is_empty());
    let path = path.unwrap_or_else(|| "/".to_owned());
    let query = part(this, "query").string_or_symbol().map_or_else(String::new, |query| format!("?{query}"));
    Ok(Rv::str(format!("{path}{query}")))
}

fn open(rt: &mut Interp<'_>, this: &Rv, _: &[Rv], _: Blk<'_>) -> Raise<Rv> {
    open_address(rt, &Rv::Nil, std::slice::from_ref(this), None)
}

fn read(rt: &mut Interp<'_>, this: &Rv, _: &[Rv], _: Blk<'_>) -> Raise<Rv> {
    let stream = open(rt, this, &[], None)?;
    rt.call_method(&stream, "read", &[], None)
}

fn is_absolute(_: &mut Interp<'_>, this: &Rv, _: &[Rv], _: Blk<'_>) -> Raise<Rv> {
    Ok(Rv::bool(!part(this, "scheme").is_nil()))
}

fn is_relative(_: &mut Interp<'_>, this: &Rv, _: &[Rv], _: Blk<'_>) -> Raise<Rv> {
    Ok(Rv::bool(part(this, "scheme").is_nil()))
}

fn default_port(_: &mut Interp<'_>, this: &Rv, _: &[Rv], _: Blk<'_>) -> Raise<Rv> {
    if matches!(this, Rv::Object(uri) if uri.class == URI) {
        return Ok(Rv::Nil);
    }
    let port = part(this, "scheme").string_or_symbol().and_then(|scheme| Uri::default_port(&scheme));
    Ok(port.map_or(Rv::Nil, Rv::integer))
}

fn user(_: &mut Interp<'_>, this: &Rv, _: &[Rv], _: Blk<'_>) -> Raise<Rv> {
    let info = part(this, "userinfo").string_or_symbol();
    Ok(info.map_or(Rv::Nil, |info| Rv::str(info.split_once(':').map_or(info.as_str(), |(user, _)| user))))
}

fn password(_: &mut Interp<'_>, this: &Rv, _: &[Rv], _: Blk<'_>) -> Raise<Rv> {
    let info = part(this, "userinfo").string_or_symbol();
    Ok(info.as_deref().and_then(|info| info.split_once(':')).map_or(Rv::Nil, |(_, password)| Rv::str(password)))
}

/// The URI of a receiver.
fn receiver(rt: &mut Interp<'_>, this: &Rv) -> Raise<Uri> {
    match this {
        Rv::Object(uri) => to_uri(rt, uri),
        other => rt.type_error(other, URI),
    }
}

fn to_s(rt: &mut Interp<'_>, this: &Rv, _: &[Rv], _: Blk<'_>) -> Raise<Rv> {
    Ok(Rv::str(receiver(rt, this)?.to_string()))
}

fn inspect(rt: &mut Interp<'_>, this: &Rv, _: &[Rv], _: Blk<'_>) -> Raise<Rv> {
    let uri = receiver(rt, this)?;
    Ok(Rv::str(format!("#<{} {uri}>", this.class())))
}

/// The URIs of two objects; `None` if the second is not one.
fn pair(rt: &mut Interp<'_>, this: &Rv, args: &[Rv]) -> Raise<Option<(Uri, Uri)>> {
    match args.first() {
        Some(Rv::Object(other)) if is_class(other.class.as_str()) => {
            Ok(Some((receiver(rt, this)?, to_uri(rt, other)?)))
        }
        _ => Ok(None),
    }
}

fn equals(rt: &mut Interp<'_>, this: &Rv, args: &[Rv], _: Blk<'_>) -> Raise<Rv> {
    Ok(Rv::bool(pair(rt, this, args)?.is_some_and(|(uri, other)| uri.equals_in_ruby(&other))))
}

fn eql(rt: &mut Interp<'_>, this: &Rv, args: &[Rv], _: Blk<'_>) -> Raise<Rv> {
    Ok(Rv::bool(pair(rt, this, args)?.is_some_and(|(uri, other)| uri == other)))
}

/// `uri.merge(other)`; a string is parsed first.
fn merge_argument(rt: &mut Interp<'_>, this: &Rv, args: &[Rv], _: Blk<'_>) -> Raise<Rv> {
    let other = match args.first().unwrap_or(&Rv::Nil) {
        other @ Rv::Object(_) => other.clone(),
        other => {
            let source = rt.to_s(other)?;
            rt.parse_uri(&source)?
        }
    };
    merge(rt, this, &other)
}

fn set_user(rt: &mut Interp<'_>, this: &Rv, args: &[Rv], _: Blk<'_>) -> Raise<Rv> {
    let value = args.first().unwrap_or(&Rv::Nil);
    let user = if value.is_nil() { None } else { Some(rt.to_s(value)?.to_string()) };
    let before = part(this, "userinfo").string_or_symbol();
    let password = before.as_deref().and_then(|info| info.split_once(':')).map(|(_, password)| password);
    set_login(this, user.as_deref(), password);
    Ok(value.clone())
}

fn set_password(rt: &mut Interp<'_>, this: &Rv, args: &[Rv], _: Blk<'_>) -> Raise<Rv> {
    let value = args.first().unwrap_or(&Rv::Nil);
    let password = if value.is_nil() { None } else { Some(rt.to_s(value)?.to_string()) };
    match (part(this, "userinfo").string_or_symbol(), value) {
        (Some(before), _) => {
            let user = before.split_once(':').map_or(before.as_str(), |(user, _)| user);
            set_login(this, Some(user), password.as_deref());
            Ok(value.clone())
        }
        (None, Rv::Nil) => Ok(Rv::Nil),
        (None, _) => rt.raise("URI::InvalidURIError", "password component depends user component"),
    }
}

fn set_login(this: &Rv, user: Option<&str>, password: Option<&str>) {
    let info = user.map(|user| password.map_or(user.to_owned(), |password| format!("{user}:{password}")));
    set_part(this, "userinfo", &[info.map_or(Rv::Nil, Rv::str)]);
}
