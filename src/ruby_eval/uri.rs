//! URIs, as Ruby's library `uri` takes them apart and joins them.

use std::rc::Rc;

use super::Interp;
use super::Raise;
use super::instance::object;
use super::value::Instance;
use super::value::Rv;
use crate::names::Name;

/// The class of URIs.
pub(crate) const URI: &str = "URI::Generic";

/// `URI.parse(text)`
pub(crate) fn parse_uri(rt: &mut Interp<'_, '_>, source: &str) -> Raise<Rv> {
    if source.contains([' ', '<', '>', '"', '\\', '^', '`', '{', '|', '}']) || !source.is_ascii() {
        let kind = if source.is_ascii() { "bad URI(is not URI?)" } else { "URI must be ascii only" };
        let shown = rt.inspect(&Rv::str(source))?;
        let shown = if source.is_ascii() { format!("{kind}: {shown}") } else { format!("{kind} {shown}") };
        return rt.raise("URI::InvalidURIError", shown);
    }
    let optional = |text: Option<&str>| text.map_or(Rv::Nil, Rv::str);
    let (rest, fragment) = source.split_once('#').map_or((source, None), |(rest, part)| (rest, Some(part)));
    let (rest, query) = rest.split_once('?').map_or((rest, None), |(rest, part)| (rest, Some(part)));
    let is_scheme = |text: &str| {
        text.starts_with(|c: char| c.is_ascii_alphabetic())
            && text.chars().all(|c| c.is_ascii_alphanumeric() || "+-.".contains(c))
    };
    let (scheme, rest) = match rest.split_once(':') {
        Some((scheme, rest)) if is_scheme(scheme) => (Some(scheme), rest),
        _ => (None, rest),
    };
    let (authority, path) = match rest.strip_prefix("//") {
        Some(rest) => {
            let at = rest.find('/').unwrap_or(rest.len());
            (rest.get(..at), rest.get(at..).unwrap_or(""))
        }
        None => (None, rest),
    };
    let (userinfo, host) = match authority.and_then(|text| text.rsplit_once('@')) {
        Some((user, host)) => (Some(user), Some(host)),
        None => (None, authority),
    };
    let (host, port) = match host.and_then(|host| host.rsplit_once(':')) {
        Some((name, port)) if port.bytes().all(|b| b.is_ascii_digit()) => (Some(name), port.parse::<i128>().ok()),
        _ => (host, None),
    };
    let port = port.or(scheme.and_then(default_port));
    let opaque = scheme.is_some() && authority.is_none() && !path.is_empty() && !path.starts_with('/');
    let fields = [
        ("scheme", optional(scheme)),
        ("userinfo", optional(userinfo)),
        ("host", optional(host)),
        ("port", port.map_or(Rv::Nil, Rv::Int)),
        ("path", if opaque { Rv::Nil } else { Rv::str(path) }),
        ("opaque", if opaque { Rv::str(path) } else { Rv::Nil }),
        ("query", optional(query)),
        ("fragment", optional(fragment)),
    ];
    Ok(object(URI, &fields))
}

/// `URI::Generic.build(parts)`
pub(crate) fn build_uri(parts: &Rv) -> Rv {
    let part = |name: &str| match parts {
        Rv::Hash(hash) => hash.get(&Rv::sym(name)).unwrap_or(Rv::Nil),
        _ => Rv::Nil,
    };
    let names = ["scheme", "userinfo", "host", "port", "path", "opaque", "query", "fragment"];
    let fields: Vec<(&str, Rv)> = names.iter().map(|name| (*name, part(name))).collect();
    object(URI, &fields)
}

fn default_port(scheme: &str) -> Option<i128> {
    Some(match scheme {
        "http" | "ws" => 80,
        "https" | "wss" => 443,
        "ftp" => 21,
        "ldap" => 389,
        "ldaps" => 636,
        _ => return None,
    })
}

/// `URI.join(base, …)`
pub(crate) fn join(rt: &mut Interp<'_, '_>, args: &[Rv]) -> Raise<Rv> {
    let mut joined: Option<Rv> = None;
    for arg in args {
        let source = rt.to_s(arg)?;
        let next = parse_uri(rt, &source)?;
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

/// A URI as another one means it (`URI::Generic#merge`).
fn merge(rt: &mut Interp<'_, '_>, base: &Rv, other: &Rv) -> Raise<Rv> {
    let (Rv::Object(from), Rv::Object(to)) = (base, other) else { return rt.unsupported("URI.join of this") };
    let text = |of: &Rc<Instance>, name: &str| of.ivars.borrow().get(&Name::new(name)).and_then(Rv::text);
    if text(to, "scheme").is_some() {
        return Ok(other.clone());
    }
    if text(from, "scheme").is_none() {
        return rt.raise("URI::BadURIError", "both URI are relative");
    }
    let merged = Rc::new(Instance::with(from.class, from.ivars.borrow().clone()));
    let set = |name: &str, value: Rv| {
        merged.ivars.borrow_mut().insert(Name::new(name), value);
    };
    let path = text(to, "path").unwrap_or_default();
    let authority = text(to, "host").is_some();
    if path.is_empty() && !authority && text(to, "query").is_none() {
        if let Some(fragment) = text(to, "fragment") {
            set("fragment", Rv::str(fragment));
        }
        return Ok(Rv::Object(merged));
    }
    set("query", Rv::Nil);
    set("fragment", Rv::Nil);
    let path = if authority { path } else { merged_path(&text(from, "path").unwrap_or_default(), &path) };
    set("path", Rv::str(path));
    for name in ["userinfo", "host", "port", "query", "fragment"] {
        let value = to.ivars.borrow().get(&Name::new(name)).cloned().filter(|value| !value.is_nil());
        if let Some(value) = value {
            set(name, value);
        }
    }
    Ok(Rv::Object(merged))
}

/// A relative path as another one means it, without `.` and `..` (RFC 3986, section 5.2).
fn merged_path(base: &str, path: &str) -> String {
    if path.is_empty() {
        return base.to_owned();
    }
    let directory = base.rfind('/').and_then(|at| base.get(..at)).unwrap_or_default();
    let whole = if path.starts_with('/') { path.to_owned() } else { format!("{directory}/{path}") };
    let mut kept: Vec<&str> = Vec::new();
    let mut pieces = whole.split('/').skip(1).peekable();
    while let Some(piece) = pieces.next() {
        let last = pieces.peek().is_none();
        match piece {
            "." | ".." => {
                if piece == ".." {
                    kept.pop();
                }
                if last {
                    kept.push("");
                }
            }
            other => kept.push(other),
        }
    }
    format!("/{}", kept.join("/"))
}

/// Methods of a URI.
pub(crate) fn call(rt: &mut Interp<'_, '_>, this: &Rc<Instance>, name: &str, args: &[Rv]) -> Raise<Option<Rv>> {
    let field = |name: &str| this.ivars.borrow().get(&Name::new(name)).cloned().unwrap_or(Rv::Nil);
    match name {
        "scheme" | "userinfo" | "host" | "port" | "path" | "query" | "fragment" | "opaque" => Ok(Some(field(name))),
        "hostname" => Ok(Some(field("host"))),
        "request_uri" => {
            let path = field("path").text().filter(|path| !path.is_empty()).unwrap_or_else(|| "/".to_owned());
            let query = field("query").text().map_or_else(String::new, |query| format!("?{query}"));
            Ok(Some(Rv::str(format!("{path}{query}"))))
        }
        "open" | "read" => {
            let library = rt.constant_path(None, "OpenURI")?;
            let stream = rt.call_method(&library, "open_uri", &[Rv::Object(this.clone())], None)?;
            Ok(Some(if name == "read" { rt.call_method(&stream, "read", &[], None)? } else { stream }))
        }
        "absolute?" | "relative?" => Ok(Some(Rv::Bool(field("scheme").is_nil() == (name == "relative?")))),
        "default_port" => Ok(Some(field("scheme").text().as_deref().and_then(default_port).map_or(Rv::Nil, Rv::Int))),
        "scheme=" | "host=" | "port=" | "path=" | "query=" | "fragment=" | "userinfo=" | "opaque=" => {
            let value = args.first().cloned().unwrap_or(Rv::Nil);
            this.ivars.borrow_mut().insert(Name::new(name.trim_end_matches('=')), value.clone());
            Ok(Some(value))
        }
        "user=" | "password=" => {
            let value = args.first().cloned().unwrap_or(Rv::Nil);
            let text = if value.is_nil() { None } else { Some(rt.to_s(&value)?.to_string()) };
            let before = field("userinfo").text();
            let parts = before.as_deref().map(|info| info.split_once(':').map_or((info, None), |(u, p)| (u, Some(p))));
            let (user, password) = match (name, parts) {
                ("user=", parts) => (text, parts.and_then(|(_, password)| password).map(str::to_owned)),
                (_, Some((user, _))) => (Some(user.to_owned()), text),
                (_, None) => {
                    let why = "password component depends user component";
                    return rt.raise("URI::InvalidURIError", why.to_owned());
                }
            };
            let info = user.map(|user| password.map_or(user.clone(), |password| format!("{user}:{password}")));
            this.ivars.borrow_mut().insert(Name::new("userinfo"), info.map_or(Rv::Nil, Rv::str));
            Ok(Some(value))
        }
        "user" | "password" => {
            let Some(info) = field("userinfo").text() else { return Ok(Some(Rv::Nil)) };
            let (user, password) = info.split_once(':').map_or((info.as_str(), None), |(u, p)| (u, Some(p)));
            Ok(Some(if name == "user" { Rv::str(user) } else { password.map_or(Rv::Nil, Rv::str) }))
        }
        "to_s" if args.is_empty() => {
            let mut parts = Vec::new();
            for name in ["scheme", "userinfo", "host", "port", "path", "opaque", "query", "fragment"] {
                let value = field(name);
                parts.push(if value.is_nil() { None } else { Some(rt.to_s(&value)?) });
            }
            let [scheme, userinfo, host, port, path, opaque, query, fragment] = parts.as_slice() else {
                return Ok(None);
            };
            let mut out = String::new();
            if let Some(scheme) = scheme {
                out.push_str(&format!("{scheme}:"));
            }
            if let Some(opaque) = opaque {
                out.push_str(opaque);
            }
            if host.is_some() || matches!(scheme.as_deref(), Some("file" | "postgres")) && opaque.is_none() {
                out.push_str("//");
            }
            if let Some(userinfo) = userinfo {
                out.push_str(&format!("{userinfo}@"));
            }
            out.push_str(host.as_deref().unwrap_or(""));
            let usual = scheme.as_deref().and_then(default_port).map(|port| port.to_string());
            if let Some(port) = port.as_ref().filter(|port| usual.as_ref() != Some(port)) {
                out.push_str(&format!(":{port}"));
            }
            let path = path.as_deref().unwrap_or("");
            if host.is_some() && !path.is_empty() && !path.starts_with('/') {
                out.push('/');
            }
            out.push_str(path);
            if let Some(query) = query {
                out.push_str(&format!("?{query}"));
            }
            if let Some(fragment) = fragment {
                out.push_str(&format!("#{fragment}"));
            }
            Ok(Some(Rv::str(out)))
        }
        "merge" | "+" => {
            let other = match args.first() {
                Some(other @ Rv::Object(_)) => other.clone(),
                Some(other) => {
                    let source = rt.to_s(other)?;
                    parse_uri(rt, &source)?
                }
                None => return Ok(None),
            };
            merge(rt, &Rv::Object(this.clone()), &other).map(Some)
        }
        _ => Ok(None),
    }
}
