//! Values as strings: `to_s`, `inspect`, JSON, YAML.
#![allow(clippy::wrong_self_convention, reason = "conversions need the program: methods of the value may run")]

use crate::Interp;
use crate::Raise;
use crate::value::Key;
use crate::value::Rv;
use catwalk_value::value::Value;
use catwalk_value::value::number::float_text;
use catwalk_value::value::ruby;
use catwalk_value::value::ruby::push_symbol;

/// Maximum nesting of a value.
const MAX_NESTING: usize = 200;

impl Interp<'_, '_> {
    /// `to_s`
    pub(crate) fn to_s(&mut self, value: &Rv) -> Raise<String> {
        Ok(match value {
            Rv::Nil => String::new(),
            Rv::True => "true".to_owned(),
            Rv::False => "false".to_owned(),
            Rv::Int(n) => n.to_string(),
            Rv::Big(_) => {
                let text = self.call_native(value, "to_s", &[], None)?;
                return self.expect_str(&text);
            }
            Rv::Float(f) => float_text(f.get()),
            Rv::Str(text) => text.borrow().clone(),
            Rv::Sym(text) => text.to_string(),
            Rv::Class(name) => self.display_class(*name).as_str().to_owned(),
            Rv::Regexp(regexp) => crate::core::regexp::to_s(regexp).to_string(),
            Rv::Match(_) => self.to_s(&crate::core::regexp::group(value, 0))?,
            Rv::Time(time) => crate::core::time::to_s(time),
            Rv::Ip(ip) => crate::library::ipaddr::to_s(ip),
            Rv::Version(text) => text.to_string(),
            Rv::Exception(exception) => {
                if let Some(found) = self.find_method(value, catwalk_base::name!("to_s")) {
                    let text = self.invoke(&found, catwalk_base::name!("to_s"), value, &[], None)?;
                    return self.expect_str(&text);
                }
                let message = exception.message.borrow().clone();
                self.to_s(&message)?
            }
            Rv::Range(range) => {
                let (from, to) = (self.to_s(&range.from)?, self.to_s(&range.to)?);
                format!("{from}{}{to}", if range.exclusive { "..." } else { ".." })
            }
            Rv::Bytes(bytes) => match std::str::from_utf8(&bytes.borrow()) {
                Ok(text) => text.to_owned(),
                Err(_) => return self.unsupported("binary data as text"),
            },
            Rv::Puppet(value) => match &**value {
                Value::Type(reference) if self.legacy && crate::puppet::catalog::is_reference(value) => {
                    match self.ev.catalog_reference(reference) {
                        Ok(reference) => reference.to_string(),
                        Err(stop) => return self.raise_failure(stop),
                    }
                }
                other if self.legacy => ruby::to_s_3x(other).into_owned(),
                other => ruby::to_s(other).into_owned(),
            },
            Rv::Object(object) => {
                let class = object.class;
                if let Some(found) = self.find_method(value, catwalk_base::name!("to_s")) {
                    let text = self.invoke(&found, catwalk_base::name!("to_s"), value, &[], None)?;
                    return self.expect_str(&text);
                }
                if let Some(text) = crate::puppet::objects::call(self, &object.clone(), "to_s", &[])? {
                    return self.expect_str(&text);
                }
                if class.as_str() == "Puppet::Parser::TemplateWrapper" {
                    return Ok(format!("template[{}]", self.file));
                }
                let native = object.native.borrow().clone();
                if let Some(native) = native {
                    return self.to_s(&native);
                }
                format!("#<{}>", self.display_class(class))
            }
            Rv::Array(_) | Rv::Hash(_) | Rv::Set(_) | Rv::Proc(_) | Rv::Enumerator(_) | Rv::Scope => {
                self.inspect(value)?
            }
        })
    }

    /// `inspect`
    pub(crate) fn inspect(&mut self, value: &Rv) -> Raise<String> {
        let mut out = String::new();
        self.push_inspect(value, &mut out, 0)?;
        Ok(out)
    }

    fn push_inspect(&mut self, value: &Rv, out: &mut String, depth: usize) -> Raise<()> {
        if depth > MAX_NESTING {
            return self.unsupported("values nested this deep");
        }
        let before = out.len();
        match value {
            Rv::Nil => out.push_str("nil"),
            Rv::Str(text) => ruby::push_inspected(&text.borrow(), out),
            Rv::Bytes(bytes) => out.push_str(&catwalk_value::value::sprintf::inspect_bytes(&bytes.borrow())),
            Rv::Sym(text) => push_symbol(text, out),
            Rv::Array(items) => {
                out.push('[');
                for (at, item) in items.borrow().clone().iter().enumerate() {
                    if at > 0 {
                        out.push_str(", ");
                    }
                    self.push_inspect(item, out, depth + 1)?;
                }
                out.push(']');
            }
            Rv::Hash(hash) => {
                let map = hash.map.borrow().clone();
                out.push('{');
                for (at, (Key(key), value)) in map.iter().enumerate() {
                    if at > 0 {
                        out.push_str(", ");
                    }
                    self.push_inspect(key, out, depth + 1)?;
                    out.push_str("=>");
                    self.push_inspect(value, out, depth + 1)?;
                }
                out.push('}');
            }
            Rv::Set(set) => {
                let map = set.borrow().clone();
                out.push_str("#<Set: {");
                for (at, Key(key)) in map.keys().enumerate() {
                    if at > 0 {
                        out.push_str(", ");
                    }
                    self.push_inspect(key, out, depth + 1)?;
                }
                out.push_str("}>");
            }
            Rv::Range(range) => {
                if !range.from.is_nil() {
                    self.push_inspect(&range.from, out, depth + 1)?;
                }
                out.push_str(if range.exclusive { "..." } else { ".." });
                if !range.to.is_nil() {
                    self.push_inspect(&range.to, out, depth + 1)?;
                }
            }
            Rv::Regexp(regexp) => out.push_str(&crate::core::regexp::inspect(regexp)),
            Rv::Ip(ip) => out.push_str(&crate::library::ipaddr::inspect(ip)),
            Rv::Version(text) => out.push_str(&format!("Gem::Version.new(\"{text}\")")),
            Rv::Exception(exception) => {
                let message = self.to_s(&exception.message.borrow().clone())?;
                out.push_str(&format!("#<{}: {message}>", self.display_class(exception.class)));
            }
            Rv::Match(found) => {
                let shown = crate::core::regexp::group(&Rv::Match(found.clone()), 0);
                out.push_str("#<MatchData ");
                self.push_inspect(&shown, out, depth + 1)?;
                for at in 1..found.spans.len() {
                    let group = crate::core::regexp::group(&Rv::Match(found.clone()), at);
                    match found.names.get(at - 1).and_then(Option::as_ref) {
                        Some(name) => out.push_str(&format!(" {name}:")),
                        None => out.push_str(&format!(" {at}:")),
                    }
                    self.push_inspect(&group, out, depth + 1)?;
                }
                out.push('>');
            }
            Rv::Puppet(value) if self.legacy => out.push_str(&ruby::inspect(value)),
            Rv::Puppet(value) => out.push_str(&ruby::plain_inspect(value)),
            Rv::Object(object) => {
                let native = object.native.borrow().clone();
                if let Some(found) = self.find_method(value, catwalk_base::name!("inspect")) {
                    let text = self.invoke(&found, catwalk_base::name!("inspect"), value, &[], None)?;
                    out.push_str(&self.expect_str(&text)?);
                } else if let Some(native) = native {
                    self.push_inspect(&native, out, depth + 1)?;
                } else if let Some(text) = crate::puppet::objects::call(self, object, "inspect", &[])? {
                    out.push_str(&self.expect_str(&text)?);
                } else {
                    out.push_str(&format!("#<{}>", self.class_name(value)));
                }
            }
            Rv::Enumerator(e) => {
                out.push_str("#<Enumerator: ");
                self.push_inspect(&e.receiver, out, depth + 1)?;
                out.push(':');
                out.push_str(e.method.as_str());
                for (at, arg) in e.args.iter().enumerate() {
                    out.push_str(if at == 0 { "(" } else { ", " });
                    self.push_inspect(arg, out, depth + 1)?;
                }
                out.push_str(if e.args.is_empty() { ">" } else { ")>" });
            }
            Rv::Proc(_) => {
                out.push_str("#<");
                out.push_str(&self.class_name(value));
                out.push('>');
            }
            Rv::Scope => out.push_str(&self.ev.scope_label()),
            Rv::True | Rv::False | Rv::Int(_) | Rv::Big(_) | Rv::Float(_) | Rv::Class(_) | Rv::Time(_) => {
                out.push_str(&self.to_s(value)?);
            }
        }
        self.check_growth(before, out.len() - before)
    }

    /// `to_json`; with an indentation, the result of `JSON.pretty_generate`.
    pub(crate) fn to_json(&mut self, value: &Rv, indent: Option<usize>, depth: usize) -> Raise<String> {
        let text = self.json_of(value, indent, depth)?;
        // A value that is contained several times is printed each time.
        self.check_size(text.len() + size_of::<String>())?;
        Ok(text)
    }

    fn json_of(&mut self, value: &Rv, indent: Option<usize>, depth: usize) -> Raise<String> {
        if depth > 100 {
            return self.raise("JSON::NestingError", format!("nesting of {depth} is too deep"));
        }
        let (newline, inner, outer) = match indent {
            Some(width) => ("\n", " ".repeat(width * (depth + 1)), " ".repeat(width * depth)),
            None => ("", String::new(), String::new()),
        };
        Ok(match value {
            Rv::Nil => "null".to_owned(),
            Rv::True | Rv::False | Rv::Int(_) | Rv::Big(_) => self.to_s(value)?,
            Rv::Float(f) if f.get().is_finite() => float_text(f.get()),
            Rv::Float(f) => {
                let text = float_text(f.get());
                return self.raise("JSON::GeneratorError", format!("{text} not allowed in JSON"));
            }
            Rv::Array(items) => {
                let items = items.borrow().clone();
                if items.is_empty() {
                    return Ok(format!("[{newline}{newline}{outer}]"));
                }
                let mut texts = Vec::with_capacity(items.len());
                for item in &items {
                    texts.push(format!("{inner}{}", self.to_json(item, indent, depth + 1)?));
                }
                format!("[{newline}{}{newline}{outer}]", texts.join(&format!(",{newline}")))
            }
            Rv::Hash(hash) => {
                let map = hash.map.borrow().clone();
                if map.is_empty() {
                    return Ok(format!("{{{newline}{outer}}}"));
                }
                let mut texts = Vec::with_capacity(map.len());
                for (Key(key), value) in &map {
                    let key = ruby::json_text(&self.to_s(key)?);
                    let colon = if indent.is_some() { ": " } else { ":" };
                    texts.push(format!("{inner}{key}{colon}{}", self.to_json(value, indent, depth + 1)?));
                }
                format!("{{{newline}{}{newline}{outer}}}", texts.join(&format!(",{newline}")))
            }
            Rv::Object(object) => {
                let native = object.native.borrow().clone();
                if let Some(found) = self.find_method(value, catwalk_base::name!("to_json")) {
                    let text = self.invoke(&found, catwalk_base::name!("to_json"), value, &[], None)?;
                    return self.expect_str(&text);
                }
                match native {
                    Some(native) => self.to_json(&native, indent, depth + 1)?,
                    None => ruby::json_text(&self.to_s(value)?),
                }
            }
            other => ruby::json_text(&self.to_s(other)?),
        })
    }

    /// `to_yaml`
    pub(crate) fn to_yaml(&mut self, value: &Rv, options: Option<&Rv>) -> Raise<Rv> {
        let converted = self.to_data(value)?;
        let mut wanted = catwalk_value::data::yaml_write::Options::default();
        if let Some(Rv::Hash(given)) = options {
            let number = |key: &str| match given.get(&Rv::sym(key)) {
                Some(Rv::Int(n)) => Some(n),
                _ => None,
            };
            wanted.indentation = number("indentation");
            wanted.line_width = number("line_width");
        }
        match catwalk_value::data::yaml_write::write(&converted, wanted) {
            Ok(text) => Ok(Rv::str(text)),
            Err(message) => {
                let what = message.trim_start_matches("not supported yet: ").to_owned();
                self.unsupported(&what)
            }
        }
    }
}
