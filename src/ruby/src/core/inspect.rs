//! Values as strings: `to_s`, `inspect`, JSON, YAML.
#![allow(clippy::wrong_self_convention, reason = "conversions need the program: methods of the value may run")]

use std::rc::Rc;

use crate::Interp;
use crate::Raise;
use crate::value::Enumerator;
use crate::value::Instance;
use crate::value::Key;
use crate::value::Map;
use crate::value::MatchValue;
use crate::value::Rv;
use catwalk_base::names::Name;
use catwalk_value::number::float_to_s;
use catwalk_value::ruby;
use catwalk_value::ruby::push_symbol;

impl Interp<'_> {
    /// `to_s`
    pub fn to_s(&mut self, value: &Rv) -> Raise<String> {
        self.check_stack()?;
        Ok(match value {
            Rv::Nil => String::new(),
            Rv::True => "true".to_owned(),
            Rv::False => "false".to_owned(),
            Rv::Int(n) => n.to_string(),
            Rv::Big(_) => {
                let digits = self.call_native(value, "to_s", &[], None)?;
                return self.expect_str(&digits);
            }
            Rv::Float(f) => float_to_s(f.get()),
            Rv::Str(string) => string.borrow().clone(),
            Rv::Sym(name) => name.to_string(),
            Rv::Class(name) => self.display_class(*name).as_str().to_owned(),
            Rv::Regexp(regexp) => crate::core::regexp::to_s(regexp).to_string(),
            Rv::Match(_) => self.to_s(&crate::core::regexp::group(value, 0))?,
            Rv::Time(time) => crate::core::time::to_s(time),
            Rv::Ip(ip) => crate::core::ipaddr::to_s(ip),
            Rv::Version(version) => version.to_string(),
            Rv::Exception(exception) => match self.call_own_conversion(value, catwalk_base::name!("to_s"))? {
                Some(string) => string,
                None => {
                    let message = exception.message.borrow().clone();
                    self.to_s(&message)?
                }
            },
            Rv::Range(range) => {
                let (from, to) = (self.to_s(&range.from)?, self.to_s(&range.to)?);
                self.check_size(from.len() + to.len())?;
                format!("{from}{}{to}", if range.exclusive { "..." } else { ".." })
            }
            Rv::Bytes(bytes) => match std::str::from_utf8(&bytes.borrow()) {
                Ok(string) => string.to_owned(),
                Err(_) => return self.unsupported("binary data as text"),
            },
            Rv::Puppet(value) => match self.host.value_to_s(self.state, value)? {
                Some(string) => string,
                None => ruby::to_s(value).into_owned(),
            },
            Rv::Object(object) => self.object_to_s(value, object)?,
            Rv::Array(_) | Rv::Hash(_) | Rv::Set(_) | Rv::Proc(_) | Rv::Enumerator(_) | Rv::Scope => {
                self.inspect(value)?
            }
        })
    }

    /// The result of a conversion that the program defines for the class of an object: `to_s`, `inspect` or `to_json`; `None` if
    /// it defines none.
    fn call_own_conversion(&mut self, value: &Rv, name: Name) -> Raise<Option<String>> {
        let Some(method) = self.find_method(value, name) else { return Ok(None) };
        let string = self.invoke(&method, name, value, &[], None)?;
        self.expect_str(&string).map(Some)
    }

    fn object_to_s(&mut self, value: &Rv, object: &Rc<Instance>) -> Raise<String> {
        if let Some(string) = self.call_own_conversion(value, catwalk_base::name!("to_s"))? {
            return Ok(string);
        }
        if let Some(string) = self.call_library_object(value, object, "to_s", &[], None)? {
            return self.expect_str(&string);
        }
        if Some(object.class) == self.setup.shared_class {
            return Ok(format!("template[{}]", self.file));
        }
        let native = object.native.borrow().clone();
        match native {
            Some(native) => self.to_s(&native),
            None => Ok(format!("#<{}>", self.display_class(object.class))),
        }
    }

    /// `inspect`
    pub fn inspect(&mut self, value: &Rv) -> Raise<String> {
        let mut out = String::new();
        self.push_inspect(value, &mut out)?;
        Ok(out)
    }

    fn push_inspect(&mut self, value: &Rv, out: &mut String) -> Raise<()> {
        self.check_stack()?;
        let before = out.len();
        match value {
            Rv::Nil => out.push_str("nil"),
            Rv::Str(string) => ruby::push_inspect_string(&string.borrow(), out),
            Rv::Bytes(bytes) => out.push_str(&catwalk_value::sprintf::inspect_bytes(&bytes.borrow())),
            Rv::Sym(name) => push_symbol(name, out),
            Rv::Array(items) => {
                let address = Rc::as_ptr(items).addr();
                let items = items.borrow().clone();
                self.push_list(address, ["[", "[...]", "]"], &items, out)?;
            }
            Rv::Set(set) => {
                let items: Vec<Rv> = set.borrow().keys().map(|Key(key)| key.clone()).collect();
                self.push_list(Rc::as_ptr(set).addr(), ["#<Set: {", "#<Set: {...}>", "}>"], &items, out)?;
            }
            Rv::Hash(hash) => {
                let map = hash.map.borrow().clone();
                self.push_entries(Rc::as_ptr(hash).addr(), &map, out)?;
            }
            Rv::Range(range) => {
                if !range.from.is_nil() {
                    self.push_inspect(&range.from, out)?;
                }
                out.push_str(if range.exclusive { "..." } else { ".." });
                if !range.to.is_nil() {
                    self.push_inspect(&range.to, out)?;
                }
            }
            Rv::Regexp(regexp) => out.push_str(&crate::core::regexp::inspect(regexp)),
            Rv::Ip(ip) => out.push_str(&crate::core::ipaddr::inspect(ip)),
            Rv::Version(version) => out.push_str(&format!("Gem::Version.new(\"{version}\")")),
            Rv::Exception(exception) => {
                let message = self.to_s(&exception.message.borrow().clone())?;
                out.push_str(&format!("#<{}: {message}>", self.display_class(exception.class)));
            }
            Rv::Match(matched) => self.push_match(matched, out)?,
            Rv::Puppet(value) => {
                out.push_str(&self.host.inspect_value(value).unwrap_or_else(|| ruby::plain_inspect(value)));
            }
            Rv::Object(object) => self.push_object(value, object, out)?,
            Rv::Enumerator(e) => self.push_enumerator(e, out)?,
            Rv::Proc(_) => {
                out.push_str("#<");
                out.push_str(&self.class_name(value));
                out.push('>');
            }
            Rv::Scope => out.push_str(&self.host.scope_label()),
            Rv::True | Rv::False | Rv::Int(_) | Rv::Big(_) | Rv::Float(_) | Rv::Class(_) | Rv::Time(_) => {
                out.push_str(&self.to_s(value)?);
            }
        }
        // The parts of a collection have been counted.
        let is_collection = matches!(value, Rv::Array(_) | Rv::Hash(_) | Rv::Set(_) | Rv::Range(_) | Rv::Enumerator(_));
        let added = if is_collection { 2 } else { out.len() - before };
        self.check_growth(out.len(), added)
    }

    /// Prints the parts of a collection by `print`, unless it is being printed already: then `recursive` (`rb_exec_recursive`).
    fn print_once(
        &mut self,
        address: usize,
        recursive: &str,
        out: &mut String,
        print: impl FnOnce(&mut Self, &mut String) -> Raise<()>,
    ) -> Raise<()> {
        if !self.inspected.insert(address) {
            out.push_str(recursive);
            return Ok(());
        }
        let printed = print(self, out);
        self.inspected.remove(&address);
        printed
    }

    /// Prints a list between two brackets; the second string is for one that contains itself.
    fn push_list(
        &mut self,
        address: usize,
        [open, recursive, close]: [&str; 3],
        items: &[Rv],
        out: &mut String,
    ) -> Raise<()> {
        self.print_once(address, recursive, out, |rt, out| {
            out.push_str(open);
            for (at, item) in items.iter().enumerate() {
                if at > 0 {
                    out.push_str(", ");
                }
                rt.push_inspect(item, out)?;
            }
            out.push_str(close);
            Ok(())
        })
    }

    fn push_entries(&mut self, address: usize, map: &Map, out: &mut String) -> Raise<()> {
        self.print_once(address, "{...}", out, |rt, out| rt.push_each_entry(map, out))
    }

    fn push_each_entry(&mut self, map: &Map, out: &mut String) -> Raise<()> {
        out.push('{');
        for (at, (Key(key), value)) in map.iter().enumerate() {
            if at > 0 {
                out.push_str(", ");
            }
            self.push_key(key, out)?;
            self.push_inspect(value, out)?;
        }
        out.push('}');
        Ok(())
    }

    /// The key of an entry with what separates it from the value: `"a"=>`, since Ruby 3.4 `"a" => ` and `a: `.
    fn push_key(&mut self, key: &Rv, out: &mut String) -> Raise<()> {
        if !self.setup.dialect.has_spaced_hashes {
            self.push_inspect(key, out)?;
            out.push_str("=>");
            return Ok(());
        }
        match key {
            Rv::Sym(name) if is_label(name) => out.push_str(&format!("{name}: ")),
            Rv::Sym(name) => {
                self.push_inspect(&Rv::str(name.to_string()), out)?;
                out.push_str(": ");
            }
            _ => {
                self.push_inspect(key, out)?;
                out.push_str(" => ");
            }
        }
        Ok(())
    }

    fn push_match(&mut self, matched: &MatchValue, out: &mut String) -> Raise<()> {
        out.push_str("#<MatchData ");
        self.push_inspect(&matched.group(0), out)?;
        for at in 1..matched.spans.len() {
            match matched.names.get(at - 1).and_then(Option::as_ref) {
                Some(name) => out.push_str(&format!(" {name}:")),
                None => out.push_str(&format!(" {at}:")),
            }
            self.push_inspect(&matched.group(at), out)?;
        }
        out.push('>');
        Ok(())
    }

    fn push_object(&mut self, value: &Rv, object: &Rc<Instance>, out: &mut String) -> Raise<()> {
        let native = object.native.borrow().clone();
        if let Some(string) = self.call_own_conversion(value, catwalk_base::name!("inspect"))? {
            out.push_str(&string);
        } else if let Some(native) = native {
            self.push_inspect(&native, out)?;
        } else if let Some(string) = self.call_library_object(value, object, "inspect", &[], None)? {
            out.push_str(&self.expect_str(&string)?);
        } else {
            out.push_str(&format!("#<{}>", self.class_name(value)));
        }
        Ok(())
    }

    fn push_enumerator(&mut self, e: &Enumerator, out: &mut String) -> Raise<()> {
        out.push_str("#<Enumerator: ");
        self.push_inspect(&e.receiver, out)?;
        out.push(':');
        out.push_str(e.method.as_str());
        for (at, arg) in e.args.iter().enumerate() {
            out.push_str(if at == 0 { "(" } else { ", " });
            self.push_inspect(arg, out)?;
        }
        out.push_str(if e.args.is_empty() { ">" } else { ")>" });
        Ok(())
    }

    /// `to_json`; with an indentation, the result of `JSON.pretty_generate`.
    pub(crate) fn to_json(&mut self, value: &Rv, indent: Option<usize>, depth: usize) -> Raise<String> {
        let json = self.value_to_json(value, indent, depth)?;
        // A value that is contained several times is printed each time.
        self.check_size(json.len() + size_of::<String>())?;
        Ok(json)
    }

    fn value_to_json(&mut self, value: &Rv, indent: Option<usize>, depth: usize) -> Raise<String> {
        if depth > 100 {
            // The number is that of the generator, which leaves the level first.
            return self.raise("JSON::NestingError", format!("nesting of {} is too deep", depth - 1));
        }
        let (newline, inner, outer) = match indent {
            Some(width) => ("\n", " ".repeat(width * (depth + 1)), " ".repeat(width * depth)),
            None => ("", String::new(), String::new()),
        };
        Ok(match value {
            Rv::Nil => "null".to_owned(),
            Rv::True | Rv::False | Rv::Int(_) | Rv::Big(_) => self.to_s(value)?,
            Rv::Float(f) if f.get().is_finite() => float_to_s(f.get()),
            Rv::Float(f) => {
                let string = float_to_s(f.get());
                return self.raise("JSON::GeneratorError", format!("{string} not allowed in JSON"));
            }
            Rv::Array(items) => {
                let items = items.borrow().clone();
                if items.is_empty() {
                    return Ok(format!("[{newline}{newline}{outer}]"));
                }
                let mut parts = Vec::with_capacity(items.len());
                for item in &items {
                    parts.push(format!("{inner}{}", self.to_json(item, indent, depth + 1)?));
                }
                format!("[{newline}{}{newline}{outer}]", parts.join(&format!(",{newline}")))
            }
            Rv::Hash(hash) => {
                let map = hash.map.borrow().clone();
                if map.is_empty() {
                    return Ok(format!("{{{newline}{outer}}}"));
                }
                let mut parts = Vec::with_capacity(map.len());
                for (Key(key), value) in &map {
                    let key = ruby::json_string(&self.to_s(key)?);
                    let colon = if indent.is_some() { ": " } else { ":" };
                    parts.push(format!("{inner}{key}{colon}{}", self.to_json(value, indent, depth + 1)?));
                }
                format!("{{{newline}{}{newline}{outer}}}", parts.join(&format!(",{newline}")))
            }
            Rv::Object(object) => {
                let native = object.native.borrow().clone();
                if let Some(json) = self.call_own_conversion(value, catwalk_base::name!("to_json"))? {
                    return Ok(json);
                }
                match native {
                    Some(native) => self.to_json(&native, indent, depth + 1)?,
                    None => ruby::json_string(&self.to_s(value)?),
                }
            }
            other => ruby::json_string(&self.to_s(other)?),
        })
    }

    /// `to_yaml`
    pub(crate) fn to_yaml(&mut self, value: &Rv, options: Option<&Rv>) -> Raise<Rv> {
        let converted = self.to_data(value)?;
        let mut layout = catwalk_value::data::yaml_write::Options::default();
        if let Some(Rv::Hash(options)) = options {
            let number = |key: &str| match options.get(&Rv::sym(key)) {
                Some(Rv::Int(n)) => Some(n),
                _ => None,
            };
            layout.indentation = number("indentation");
            layout.line_width = number("line_width");
        }
        match catwalk_value::data::yaml_write::write(&converted, layout) {
            Ok(string) => Ok(Rv::str(string)),
            Err(message) => {
                let construct = message.trim_start_matches("not supported yet: ").to_owned();
                self.unsupported(&construct)
            }
        }
    }
}

/// Whether a symbol can be written before a colon without quotes: `a: 1`.
fn is_label(name: &str) -> bool {
    let word = name.strip_suffix(['?', '!']).unwrap_or(name);
    word.starts_with(|c: char| c == '_' || c.is_alphabetic()) && word.chars().all(|c| c == '_' || c.is_alphanumeric())
}
