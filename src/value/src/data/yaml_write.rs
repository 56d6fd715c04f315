//! Writes YAML like Ruby's `to_yaml`: the rules of Psych 4 choose styles and quotes, libyaml's emitter the layout.
//!
//! An array or hash that occurs several times is written once with an anchor, then as an alias.

use std::borrow::Cow;
use std::io;
use std::sync::Arc;

use indexmap::IndexMap;
use libyaml_safer::Emitter;
use libyaml_safer::Encoding;
use libyaml_safer::Event;
use libyaml_safer::MappingStyle;
use libyaml_safer::ScalarStyle;
use libyaml_safer::SequenceStyle;

use crate::data::yaml_scalar;
use crate::data::yaml_scalar::Scalar;
use crate::types::Type;
use crate::value::Value;
use crate::value::number::float_to_s;

/// The deepest nesting of a value.
const MAX_DEPTH: usize = 1000;

/// Options of `to_yaml`.
#[derive(Clone, Copy, Debug, Default)]
pub struct Options {
    /// The columns of a level.
    pub indentation: Option<i64>,
    /// The columns of a line; -1 for no limit.
    pub line_width: Option<i64>,
    /// Whether to write the canonical form, with tags and quotes everywhere.
    pub canonical: bool,
    /// Converts values that are not data to strings; `None` to write Ruby objects.
    pub text: Option<fn(&Value) -> Cow<'_, str>>,
    /// The most bytes of the document.
    pub max_bytes: Option<usize>,
}

/// A document that grows up to a limit: the indentation of lines may multiply the size of a string.
struct Output {
    bytes: Vec<u8>,
    max_bytes: usize,
}

impl io::Write for Output {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.bytes.len().saturating_add(bytes.len()) > self.max_bytes {
            return Err(io::Error::other(format!("the YAML is larger than {} bytes", self.max_bytes)));
        }
        self.bytes.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Writes a value.
///
/// # Errors
/// The value contains values that are not data and whose Ruby objects cannot be written, or is nested beyond the limit,
/// or the document is too large.
pub fn write(value: &Value, options: Options) -> Result<String, String> {
    let mut out = Output { bytes: Vec::new(), max_bytes: options.max_bytes.unwrap_or(usize::MAX) };
    let mut emitter = Emitter::new();
    emitter.set_encoding(Encoding::Utf8);
    emitter.set_output(&mut out);
    emitter.set_unicode(true);
    let clamp = |number: i64| i32::try_from(number.clamp(-1, 100_000)).unwrap_or(-1);
    if let Some(indentation) = options.indentation {
        emitter.set_indent(clamp(indentation));
    }
    if let Some(width) = options.line_width {
        if width < -1 {
            return Err(format!("Invalid line_width {width}, must be non-negative or -1 for unlimited."));
        }
        emitter.set_width(clamp(width));
    }
    emitter.set_canonical(options.canonical);
    let mut numbers = AnchorNumbers::default();
    number_anchors(value, &mut numbers, options.text.is_some(), 0)?;
    let anchors = numbers.occurrences.iter().filter_map(|(address, number)| {
        number.map(|number| (*address, Anchor { name: number.to_string(), written: false }))
    });
    let anchors = anchors.collect();
    let width = options.line_width.filter(|width| *width >= 0).and_then(|width| usize::try_from(width).ok());
    let mut writer = Writer { emitter, anchors, width, options, escaped: Vec::new() };
    writer.document(value).map_err(|error| error.to_string())?;
    let Writer { escaped, .. } = writer;
    let text = String::from_utf8(out.bytes).map_err(|error| error.to_string())?;
    Ok(if escaped.is_empty() { text } else { unmask(&text, &escaped) })
}

/// Masks a character beyond the basic plane: libyaml escapes such characters, its port in Rust does not.
const MASK: char = '\u{FFFE}';
const MASK_WRITTEN: &str = "\\uFFFE";
/// Follows the mask, so that both are as wide as the escape: lines are folded by their width.
const FILLER: &str = "aaaa";

/// Replaces the masked characters by their escapes.
fn unmask(text: &str, escaped: &[char]) -> String {
    let mut parts = text.split(MASK_WRITTEN);
    let mut out = parts.next().unwrap_or("").to_owned();
    let mut escaped = escaped.iter();
    for part in parts {
        match escaped.next() {
            Some(c) if *c > '\u{FFFF}' => {
                out.push_str(&format!("\\U{:08X}", u32::from(*c)));
                out.push_str(part.strip_prefix(FILLER).unwrap_or(part));
            }
            _ => {
                out.push_str(MASK_WRITTEN);
                out.push_str(part);
            }
        }
    }
    out
}

struct Anchor {
    name: String,
    written: bool,
}

/// The Ruby object of a value that is not data: its class and its instance variables. `None` if its variables are unknown here.
fn object(value: &Value) -> Option<(&'static str, Vec<(&'static str, Value)>)> {
    let text = |text: &Option<Arc<str>>| text.as_ref().map_or(Value::Undef, |text| Value::from(text.clone()));
    Some(match value {
        Value::Type(Type::Resource(resource)) if !resource.resolved && resource.written.is_none() => {
            let lower = resource.type_name.as_ref()?.to_lowercase();
            let members = vec![
                ("type_name", text(&resource.type_name)),
                ("title", text(&resource.title)),
                ("downcased_name", Value::str(lower)),
            ];
            ("Puppet::Pops::Types::PResourceType", members)
        }
        Value::Type(Type::Class(name)) => ("Puppet::Pops::Types::PClassType", vec![("class_name", text(name))]),
        Value::Sensitive(inner) => {
            ("Puppet::Pops::Types::PSensitiveType::Sensitive", vec![("value", Value::clone(inner))])
        }
        _ => return None,
    })
}

/// The address of an array, hash or object, which identifies it if it is shared.
fn address(value: &Value) -> Option<usize> {
    match value {
        Value::Type(Type::Resource(resource)) => Some(Arc::as_ptr(resource).addr()),
        Value::Sensitive(inner) => Some(Arc::as_ptr(inner).addr()),
        Value::Array(items) => Some(Arc::as_ptr(items).addr()),
        Value::Hash(entries) => Some(Arc::as_ptr(entries).addr()),
        _ => None,
    }
}

/// The visited collections and objects by address, each with the number of its anchor if it occurs again. Anchors are numbered
/// in the order of second occurrences.
#[derive(Default)]
struct AnchorNumbers {
    occurrences: IndexMap<usize, Option<usize>>,
    repeated: usize,
}

/// Visits a value to number its anchors.
fn number_anchors(
    value: &Value,
    numbers: &mut AnchorNumbers,
    allows_objects: bool,
    depth: usize,
) -> Result<(), String> {
    if depth > MAX_DEPTH {
        return Err(format!("nesting of {depth} is too deep"));
    }
    if let Some(address) = address(value) {
        if let Some(number) = numbers.occurrences.get_mut(&address) {
            if number.is_none() {
                numbers.repeated += 1;
                *number = Some(numbers.repeated);
            }
            return Ok(());
        }
        numbers.occurrences.insert(address, None);
    }
    match value {
        Value::Array(items) => {
            items.iter().try_for_each(|item| number_anchors(item, numbers, allows_objects, depth + 1))
        }
        Value::Hash(entries) => entries.iter().try_for_each(|(key, value)| {
            number_anchors(key, numbers, allows_objects, depth + 1)?;
            number_anchors(value, numbers, allows_objects, depth + 1)
        }),
        Value::Undef
        | Value::Default
        | Value::Bool(_)
        | Value::Int(_)
        | Value::BigInt(_)
        | Value::Float(_)
        | Value::Regexp(_)
        | Value::Symbol(_)
        | Value::Str(_) => Ok(()),
        _ if allows_objects => Ok(()),
        other if object(other).is_some() => Ok(()),
        other => Err(format!("not supported yet: to_yaml of a value of type {}", crate::value::label(other))),
    }
}

struct Writer<'w> {
    emitter: Emitter<'w>,
    anchors: IndexMap<usize, Anchor>,
    width: Option<usize>,
    options: Options,
    /// Masked characters in the order written.
    escaped: Vec<char>,
}

impl Writer<'_> {
    fn document(&mut self, value: &Value) -> libyaml_safer::Result<()> {
        self.emitter.emit(Event::stream_start(libyaml_safer::Encoding::Utf8))?;
        self.emitter.emit(Event::document_start(None, &[], false))?;
        self.value(value)?;
        self.emitter.emit(Event::document_end(true))?;
        self.emitter.emit(Event::stream_end())?;
        self.emitter.flush()
    }

    fn value(&mut self, value: &Value) -> libyaml_safer::Result<()> {
        let mut anchor = None;
        if let Some(found) = address(value).and_then(|address| self.anchors.get_mut(&address)) {
            if found.written {
                let alias = Event::alias(&found.name);
                return self.emitter.emit(alias);
            }
            found.written = true;
            anchor = Some(found.name.clone());
        }
        let anchor = anchor.as_deref();
        let plain = |text: &str, tag| Event::scalar(None, tag, text, true, false, ScalarStyle::Any);
        match value {
            Value::Array(items) => {
                self.emitter.emit(Event::sequence_start(anchor, None, true, SequenceStyle::Block))?;
                for item in items.iter() {
                    self.value(item)?;
                }
                self.emitter.emit(Event::sequence_end())
            }
            Value::Hash(entries) => {
                self.emitter.emit(Event::mapping_start(anchor, None, true, MappingStyle::Block))?;
                for (key, value) in entries.iter() {
                    self.value(key)?;
                    self.value(value)?;
                }
                self.emitter.emit(Event::mapping_end())
            }
            Value::Str(text) => self.text(text),
            Value::Symbol(name) => self.symbol(name),
            Value::Undef => self.emitter.emit(plain("", Some("tag:yaml.org,2002:null"))),
            Value::Bool(b) => self.emitter.emit(plain(if *b { "true" } else { "false" }, None)),
            Value::Int(n) => self.emitter.emit(plain(&n.to_string(), None)),
            Value::BigInt(n) => self.emitter.emit(plain(&n.to_string(), None)),
            Value::Float(f) if f.is_nan() => self.emitter.emit(plain(".nan", None)),
            Value::Float(f) if f.is_infinite() => {
                self.emitter.emit(plain(if *f > 0.0 { ".inf" } else { "-.inf" }, None))
            }
            Value::Float(f) => self.emitter.emit(plain(&float_to_s(*f), None)),
            // In Ruby, `default` is the symbol `:default`.
            Value::Default => self.emitter.emit(plain(":default", None)),
            Value::Regexp(regexp) => {
                let text = catwalk_regexp::inspect(regexp.source());
                self.scalar(&text, Some("!ruby/regexp"), (false, false), ScalarStyle::Any)
            }
            other => match (self.options.text, object(other)) {
                (Some(text), _) => self.text(&text(other)),
                (None, Some((class, members))) => self.object(anchor, class, &members),
                (None, None) => Ok(()),
            },
        }
    }

    /// Writes a Ruby object with its instance variables.
    fn object(&mut self, anchor: Option<&str>, class: &str, members: &[(&str, Value)]) -> libyaml_safer::Result<()> {
        let tag = format!("!ruby/object:{class}");
        self.emitter.emit(Event::mapping_start(anchor, Some(&tag), false, MappingStyle::Block))?;
        for (name, value) in members {
            self.text(name)?;
            self.value(value)?;
        }
        self.emitter.emit(Event::mapping_end())
    }

    /// Writes a string in the style that Psych chooses; libyaml may add quotes.
    fn text(&mut self, text: &str) -> libyaml_safer::Result<()> {
        let mut tag = None;
        let style = if has_inner_line_break(text) {
            ScalarStyle::Literal
        } else if text == "<<" {
            tag = Some("tag:yaml.org,2002:str");
            ScalarStyle::SingleQuoted
        } else if matches!(text, "y" | "n") {
            ScalarStyle::DoubleQuoted
        } else if self.width.is_some_and(|width| text.chars().nth(width).is_some()) {
            ScalarStyle::Folded
        } else if starts_with_sign(text) {
            ScalarStyle::DoubleQuoted
        } else if !matches!(yaml_scalar::tokenize(text), Scalar::Text) || octal_like(text) {
            ScalarStyle::SingleQuoted
        } else {
            ScalarStyle::Plain
        };
        let implicit = tag.is_none();
        self.scalar(text, tag, (implicit, implicit), style)
    }

    /// Writes a symbol. (Psych's `visit_Symbol`)
    fn symbol(&mut self, name: &str) -> libyaml_safer::Result<()> {
        if name.is_empty() {
            return self.scalar("", Some("!ruby/symbol"), (false, false), ScalarStyle::Any);
        }
        self.scalar(&format!(":{name}"), None, (true, false), ScalarStyle::Any)
    }

    fn scalar(
        &mut self,
        text: &str,
        tag: Option<&str>,
        (plain, quoted): (bool, bool),
        style: ScalarStyle,
    ) -> libyaml_safer::Result<()> {
        let mask = |c: char| c > '\u{FFFF}' || c == MASK;
        if text.contains(mask) {
            self.escaped.extend(text.chars().filter(|c| mask(*c)));
            let mut masked = String::with_capacity(text.len() * 2);
            for c in text.chars() {
                masked.push(if mask(c) { MASK } else { c });
                if c > '\u{FFFF}' {
                    masked.push_str(FILLER);
                }
            }
            return self.emitter.emit(Event::scalar(None, tag, &masked, plain, quoted, style));
        }
        self.emitter.emit(Event::scalar(None, tag, text, plain, quoted, style))
    }
}

/// `/\n(?!\Z)/`: a line break that is not at the end.
fn has_inner_line_break(text: &str) -> bool {
    memchr::memchr_iter(b'\n', text.as_bytes()).any(|at| !matches!(text.get(at + 1..), Some("" | "\n")))
}

/// `/^[^[:word:]][^"]*$/`: a line that starts with no letter, digit or underscore, and has no quote after that.
fn starts_with_sign(text: &str) -> bool {
    let starts = std::iter::once(0).chain(memchr::memchr_iter(b'\n', text.as_bytes()).map(|at| at + 1));
    starts.filter(|at| *at < text.len()).any(|at| {
        let mut rest = text.get(at..).unwrap_or("").chars();
        let first = rest.next().is_some_and(|c| !(c.is_alphanumeric() || c == '_'));
        let line = rest.as_str().split('\n').next().unwrap_or("");
        first && !line.contains('"')
    })
}

/// `/\A0[0-7]*[89]/`
fn octal_like(text: &str) -> bool {
    text.strip_prefix('0')
        .is_some_and(|rest| rest.trim_start_matches(|c| matches!(c, '0'..='7')).starts_with(['8', '9']))
}
