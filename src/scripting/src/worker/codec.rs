//! Frames: numbers, strings, values, diagnostics as bytes and back.
//!
//! Documents (`documents`) are written by `postcard`. Values have their own form, since their depth and number are limited while they are
//! read. Values that a worker process cannot hold (types of the site, objects, contexts of lookups) stay with the compile and are sent
//! as numbers. Must not: trust its input: every length is checked.

use std::sync::Arc;

use serde::Deserialize;
use serde::Serialize;

use crate::limits::MAX_ITEMS;
use crate::stand_in;
use catwalk_base::diag::Code;
use catwalk_base::diag::Diagnostic;
use catwalk_base::diag::Frame;
use catwalk_base::diag::Label;
use catwalk_base::diag::Reason;
use catwalk_base::diag::Severity;
use catwalk_base::secrets::SecretCollection;
use catwalk_base::source::FileId;
use catwalk_base::source::SourceMap;
use catwalk_base::source::Span;
use catwalk_regexp::Regexp;
use catwalk_value::Hash;
use catwalk_value::ObjectType;
use catwalk_value::SemVer;
use catwalk_value::SemVerRange;
use catwalk_value::Str;
use catwalk_value::Timespan;
use catwalk_value::Timestamp;
use catwalk_value::Uri;
use catwalk_value::Value;
use catwalk_value::secret;
use catwalk_value::to_puppet_string;

/// The deepest nesting of values.
const MAX_DEPTH: usize = 220;

/// The maximum number of values in a frame, including nested ones.
const MAX_VALUES: usize = 4_000_000;

/// The maximum length of a document from a worker, without its values. In memory it takes up to 25 times as much.
pub(super) const FROM_WORKER: usize = 16 << 20;

/// The maximum length of a document from the compile, without its values.
pub(super) const FROM_COMPILE: usize = 256 << 20;

/// The values that stay with the compile.
pub(super) trait RetainedValues {
    /// The number of a value that stays with the compile; `None` if it can be sent.
    fn retain(&self, value: &Value) -> Option<u64>;
    /// The value with a number.
    fn retained_value(&self, number: u64) -> Option<Value>;
    /// The collection for secrets that are sent or received.
    fn secrets(&self) -> &SecretCollection;
}

/// Builds a frame.
#[derive(Debug, Default)]
pub(super) struct Writer(pub(super) Vec<u8>);

impl Writer {
    pub(super) fn new(tag: u8) -> Writer {
        Writer(vec![tag])
    }

    pub(super) fn byte(&mut self, byte: u8) -> &mut Writer {
        self.0.push(byte);
        self
    }

    pub(super) fn number(&mut self, number: u64) -> &mut Writer {
        self.0.extend(number.to_le_bytes());
        self
    }

    pub(super) fn bytes(&mut self, bytes: &[u8]) -> &mut Writer {
        self.number(bytes.len() as u64);
        self.0.extend(bytes);
        self
    }

    pub(super) fn string(&mut self, text: &str) -> &mut Writer {
        self.bytes(text.as_bytes())
    }

    pub(super) fn optional_string(&mut self, text: Option<&str>) -> &mut Writer {
        match text {
            Some(text) => self.byte(1).string(text),
            None => self.byte(0),
        }
    }

    /// Appends a document without its values.
    pub(super) fn document(&mut self, document: &impl Serialize) -> &mut Writer {
        // Documents in memory can always be written; no document is empty.
        self.bytes(&postcard::to_allocvec(document).unwrap_or_default())
    }

    pub(super) fn hash(&mut self, hash: &Hash, retained: &dyn RetainedValues) -> &mut Writer {
        self.value(&Value::Hash(Arc::new(hash.clone())), retained)
    }

    pub(super) fn values(&mut self, values: &[Value], retained: &dyn RetainedValues) -> &mut Writer {
        self.number(values.len() as u64);
        for value in values {
            self.value(value, retained);
        }
        self
    }

    pub(super) fn value(&mut self, value: &Value, retained: &dyn RetainedValues) -> &mut Writer {
        match value {
            Value::Undef => self.byte(0),
            Value::Bool(false) => self.byte(1),
            Value::Bool(true) => self.byte(2),
            Value::Int(number) => self.byte(3).number(u64::from_le_bytes(number.to_le_bytes())),
            Value::Float(number) => self.byte(4).number(number.to_bits()),
            Value::Str(text) => self.byte(if text.is_binary() { 20 } else { 5 }).string(text),
            Value::Array(items) => {
                self.byte(6).number(items.len() as u64);
                for item in items.iter() {
                    self.value(item, retained);
                }
                self
            }
            Value::Hash(entries) => {
                self.byte(7).number(entries.len() as u64);
                for (key, item) in entries.iter() {
                    self.value(key, retained).value(item, retained);
                }
                self
            }
            // Scripts get such an iterator as an array, too (`bridge`).
            Value::Iterator(items) if items.size().is_some_and(|size| size <= MAX_ITEMS) => {
                self.byte(6).values(&items.to_vec(), retained)
            }
            Value::Default => self.byte(8),
            Value::Sensitive(inner) => {
                // A script in the other process may unwrap it and return it in a string.
                secret::reveal(inner, retained.secrets());
                self.byte(9).value(inner, retained)
            }
            Value::Binary(bytes) => self.byte(10).bytes(bytes),
            Value::Regexp(regexp) => self.byte(11).string(regexp.source()),
            Value::Timestamp(time) => self.byte(12).string(&time.nanoseconds().to_string()),
            Value::Timespan(span) => self.byte(13).string(&span.nanoseconds().to_string()),
            Value::SemVer(version) => self.byte(14).string(&version.to_string()),
            Value::SemVerRange(range) => self.byte(15).string(&range.to_string()),
            Value::Uri(uri) => self.byte(16).string(&uri.to_string()),
            Value::Type(data_type) if is_language_type(data_type) => self.byte(17).string(&data_type.to_string()),
            other => {
                if let Some(number) = stand_in::number(other) {
                    return self.byte(19).number(number);
                }
                let is_context =
                    matches!(other, Value::Object(object) if object.object_type == ObjectType::lookup_context());
                let (environment, module) = match other {
                    Value::Object(object) if is_context => (object.get("environment_name"), object.get("module_name")),
                    _ => (None, None),
                };
                let number = retained.retain(other).unwrap_or(u64::MAX);
                self.byte(18).number(number).byte(u8::from(is_context)).string(&to_puppet_string(other));
                self.value(&environment.unwrap_or(Value::Undef), retained)
                    .value(&module.unwrap_or(Value::Undef), retained)
            }
        }
    }

    fn span(&mut self, span: Option<Span>, sources: &SourceMap) -> &mut Writer {
        let path = span.and_then(|span| sources.get(span.file)).map(|source| source.name.to_string());
        match (span, path) {
            (Some(span), Some(path)) => self.byte(1).string(&path).number(span.start.into()).number(span.end.into()),
            _ => self.byte(0),
        }
    }

    pub(super) fn diagnostic(&mut self, diagnostic: &Diagnostic, sources: &SourceMap) -> &mut Writer {
        self.string(diagnostic.code.as_str()).string(&diagnostic.message).optional_string(diagnostic.help.as_deref());
        self.byte(u8::from(diagnostic.hide_column)).span(diagnostic.span, sources);
        self.number(diagnostic.labels.len() as u64);
        for label in &diagnostic.labels {
            self.string(&label.text).span(Some(label.span), sources);
        }
        self.number(diagnostic.trace.len() as u64);
        for frame in &diagnostic.trace {
            self.string(&frame.callee).span(frame.span, sources);
        }
        self
    }
}

/// Whether another process can parse the type from its string.
fn is_language_type(data_type: &catwalk_value::Type) -> bool {
    catwalk_value::parse_type(&data_type.to_string(), &mut catwalk_value::NoAliases)
        .is_ok_and(|parsed| parsed == *data_type)
}

/// Reads a frame; a truncated or invalid frame yields `None`.
#[derive(Debug)]
pub(super) struct Reader<'a> {
    remaining: &'a [u8],
    /// How many values may still follow: a value of one byte takes many more in memory.
    values_left: usize,
}

impl<'a> Reader<'a> {
    pub(super) fn new(frame: &'a [u8]) -> Reader<'a> {
        Reader { remaining: frame, values_left: MAX_VALUES }
    }

    pub(super) fn byte(&mut self) -> Option<u8> {
        let (first, remaining) = self.remaining.split_first()?;
        self.remaining = remaining;
        Some(*first)
    }

    pub(super) fn number(&mut self) -> Option<u64> {
        let (number, remaining) = self.remaining.split_first_chunk::<8>()?;
        self.remaining = remaining;
        Some(u64::from_le_bytes(*number))
    }

    /// A length: never more than there are bytes.
    fn length(&mut self) -> Option<usize> {
        let number = usize::try_from(self.number()?).ok()?;
        (number <= self.remaining.len()).then_some(number)
    }

    pub(super) fn bytes(&mut self) -> Option<&'a [u8]> {
        let length = self.length()?;
        let (bytes, remaining) = self.remaining.split_at_checked(length)?;
        self.remaining = remaining;
        Some(bytes)
    }

    pub(super) fn string(&mut self) -> Option<&'a str> {
        std::str::from_utf8(self.bytes()?).ok()
    }

    pub(super) fn optional_string(&mut self) -> Option<Option<&'a str>> {
        match self.byte()? {
            0 => Some(None),
            _ => self.string().map(Some),
        }
    }

    /// A document of at most this length.
    pub(super) fn document<T: Deserialize<'a>>(&mut self, longest: usize) -> Option<T> {
        let bytes = self.bytes().filter(|bytes| bytes.len() <= longest)?;
        let (document, rest) = postcard::take_from_bytes(bytes).ok()?;
        rest.is_empty().then_some(document)
    }

    pub(super) fn values(&mut self, retained: &dyn RetainedValues) -> Option<Vec<Value>> {
        let length = self.length()?;
        (0..length).map(|_| self.value(retained)).collect()
    }

    pub(super) fn hash(&mut self, retained: &dyn RetainedValues) -> Option<Arc<Hash>> {
        match self.value(retained)? {
            Value::Hash(hash) => Some(hash),
            _ => None,
        }
    }

    pub(super) fn value(&mut self, retained: &dyn RetainedValues) -> Option<Value> {
        self.value_at_depth(retained, 0)
    }

    fn value_at_depth(&mut self, retained: &dyn RetainedValues, depth: usize) -> Option<Value> {
        if depth > MAX_DEPTH {
            return None;
        }
        self.values_left = self.values_left.checked_sub(1)?;
        Some(match self.byte()? {
            0 => Value::Undef,
            1 => Value::Bool(false),
            2 => Value::Bool(true),
            3 => Value::Int(i64::from_le_bytes(self.number()?.to_le_bytes())),
            4 => Value::Float(f64::from_bits(self.number()?)),
            5 => Value::str(self.string()?),
            6 => {
                let length = self.length()?;
                Value::array(
                    (0..length).map(|_| self.value_at_depth(retained, depth + 1)).collect::<Option<Vec<Value>>>()?,
                )
            }
            7 => {
                let length = self.length()?;
                let mut hash = Hash::new();
                for _ in 0..length {
                    let key = self.value_at_depth(retained, depth + 1)?;
                    hash.insert(key, self.value_at_depth(retained, depth + 1)?);
                }
                Value::hash(hash)
            }
            8 => Value::Default,
            9 => {
                let inner = self.value_at_depth(retained, depth + 1)?;
                secret::reveal(&inner, retained.secrets());
                Value::Sensitive(Arc::new(inner))
            }
            10 => Value::Binary(Arc::from(self.bytes()?)),
            11 => Value::Regexp(Arc::new(Regexp::new(self.string()?))),
            12 => Value::Timestamp(Arc::new(Timestamp::new(self.string()?.parse().ok()?))),
            13 => Value::Timespan(Arc::new(Timespan::new(self.string()?.parse().ok()?))),
            14 => Value::SemVer(Arc::new(SemVer::parse(self.string()?).ok()?)),
            15 => Value::SemVerRange(Arc::new(SemVerRange::parse(self.string()?).ok()?)),
            16 => Value::Uri(Arc::new(Uri::parse(self.string()?).ok()?)),
            17 => Value::Type(catwalk_value::parse_type(self.string()?, &mut catwalk_value::NoAliases).ok()?),
            18 => {
                let (number, is_context, text) = (self.number()?, self.byte()? == 1, self.string()?);
                let (environment, module) =
                    (self.value_at_depth(retained, depth + 1)?, self.value_at_depth(retained, depth + 1)?);
                if is_context {
                    stand_in::new_context(number, environment, module)
                } else {
                    stand_in::new(number, text)
                }
            }
            19 => retained.retained_value(self.number()?)?,
            20 => Value::Str(Str::binary(self.string()?)),
            _ => return None,
        })
    }

    fn span(&mut self, file: &dyn Fn(&str) -> Option<FileId>) -> Option<Option<Span>> {
        if self.byte()? == 0 {
            return Some(None);
        }
        let (path, start, end) = (self.string()?, self.number()?, self.number()?);
        let span = |file| Some(Span::new(file, usize::try_from(start).ok()?, usize::try_from(end).ok()?));
        Some(file(path).and_then(span))
    }

    /// `file` finds the sources of positions.
    pub(super) fn diagnostic(&mut self, file: &dyn Fn(&str) -> Option<FileId>) -> Option<Box<Diagnostic>> {
        const CODES: [Code; 7] = [
            Code::SCRIPT_FAILED,
            Code::SCRIPT_LIMIT,
            Code::SCRIPT_NOT_ALLOWED,
            Code::SCRIPT_SYNTAX,
            Code::SCRIPT_ENTRY,
            Code::SCRIPT_UNREADABLE,
            Code::RUNTIME_ERROR,
        ];
        let code = self.string()?;
        let code = CODES.into_iter().find(|known| known.as_str() == code).unwrap_or(Code::SCRIPT_FAILED);
        let mut reason = Reason::new(code, self.string()?.to_owned());
        if let Some(help) = self.optional_string()? {
            reason = reason.help(help.to_owned());
        }
        let hide_column = self.byte()? == 1;
        let mut diagnostic = Diagnostic::new(reason, self.span(file)?);
        diagnostic.hide_column = hide_column;
        diagnostic.severity = Severity::Error;
        for _ in 0..self.length()? {
            let text = self.string()?.to_owned().into();
            if let Some(span) = self.span(file)? {
                diagnostic.labels.push(Label { span, text });
            }
        }
        for _ in 0..self.length()? {
            let callee = self.string()?.to_owned().into();
            diagnostic.trace.push(Frame { callee, span: self.span(file)? });
        }
        Some(Box::new(diagnostic))
    }
}
