//! YAML as Ruby's Psych reads it for Puppet: `Puppet::Util::Yaml.safe_load` with symbols and aliases allowed.
//!
//! In: bytes. Out: a [`Value`], or a [`YamlError`] worded like Psych's. Only the first document counts. What becomes of
//! Ruby's symbols the caller says ([`Symbols`]).

use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;

use base64::Engine;
use libyaml_safer::Event;
use libyaml_safer::EventData;
use libyaml_safer::Parser;
use libyaml_safer::ScalarStyle;
use rustc_hash::FxHashMap;

use crate::data::yaml_comma;
use crate::data::yaml_omap::OrderedMap;
use crate::data::yaml_omap::Step;
use crate::data::yaml_plain;
use crate::data::yaml_scalar;
use crate::data::yaml_scalar::Scalar;
use crate::meter;
use crate::regexp::Regexp;
use crate::value::Hash;
use crate::value::Value;

/// Collections nested deeper than this are refused.
const MAX_DEPTH: usize = 256;
/// More nodes than this after following all aliases are refused: a few lines of nested aliases can stand for billions.
const MAX_NODES: u64 = 4_000_000;

/// More tags with a comma behind them are refused: the text is read again for each.
const MAX_TAG_COMMAS: usize = 64;

/// Why a text is no readable YAML.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct YamlError {
    /// Psych's message without file and place.
    pub message: String,
    /// Line, from 1; 0 when Psych gives none.
    pub line: u64,
    /// Column, from 1; 0 when Psych gives none.
    pub column: u64,
    /// Whether the reference puts the file's name before the message.
    pub names_file: bool,
    /// A limit of ours: nothing is read beyond it.
    pub limit: bool,
}

impl YamlError {
    /// A failure in the way Psych's constructor fails: no place, no file name.
    fn bare(message: impl Into<String>) -> YamlError {
        YamlError { message: message.into(), line: 0, column: 0, names_file: false, limit: false }
    }

    /// More than is read.
    fn limit(message: String) -> YamlError {
        YamlError { limit: true, ..YamlError::bare(message) }
    }

    /// A class that safe loading does not allow.
    fn class(name: &str) -> YamlError {
        let message = format!("Tried to load unspecified class: {name}");
        YamlError { message, line: 0, column: 0, names_file: true, limit: false }
    }

    /// The message as the reference words it: `(<file>): … at line L column C`.
    #[must_use]
    pub fn puppet_text(&self, file: Option<&str>) -> String {
        if !self.names_file {
            return self.message.clone();
        }
        let file = file.unwrap_or("<unknown>");
        if self.line == 0 {
            format!("({file}): {}", self.message)
        } else {
            format!("({file}): {} at line {} column {}", self.message, self.line, self.column)
        }
    }
}

impl fmt::Display for YamlError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.puppet_text(None))
    }
}

/// The first document of a text.
#[derive(Clone, Debug)]
pub struct Document {
    /// Its value; `Undef` for an empty text.
    pub value: Value,
    /// Whether there is a symbol anywhere, as key or value.
    pub any_symbol: bool,
    /// Whether the text has no document.
    pub empty: bool,
}

/// Reads the first document; symbols become text.
///
/// # Errors
/// Syntax errors, classes that are not data (dates, `!ruby/…`), unknown aliases, and input beyond the limits.
pub fn parse(bytes: &[u8]) -> Result<Value, YamlError> {
    parse_allowing(bytes, Allowed::default()).map(|document| document.value)
}

/// What becomes of symbols (`:name`).
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub enum Symbols {
    /// They are texts.
    #[default]
    Texts,
    /// As keys they are texts, as values what the language's evaluator takes them for. (`HieraConfig.symkeys_to_string`)
    KeysAsTexts,
    /// They are what the language's evaluator takes them for.
    Values,
    /// They stay symbols for Ruby code, `:undef` and `:default`, too.
    Kept,
}

/// Classes beyond data that a reader accepts.
#[derive(Clone, Copy, Default, Debug)]
pub struct Allowed {
    /// `!ruby/regexp /…/`
    pub regexp: bool,
    /// Aliases are refused, as `YAML.load` and `YAML.safe_load` do unless they are told otherwise.
    pub no_aliases: bool,
    /// What becomes of symbols.
    pub symbols: Symbols,
}

/// Reads the first document, with more classes than those of data.
///
/// # Errors
/// As [`parse`].
pub fn parse_allowing(bytes: &[u8], allowed: Allowed) -> Result<Document, YamlError> {
    // Most data is written simply; a failure has its words and its place below.
    let mut builder = Builder { allowed, ..Builder::default() };
    if yaml_plain::read(bytes, &mut builder).is_some() {
        return Ok(builder.document());
    }
    fully(bytes, allowed)
}

/// The same by the whole language.
pub(super) fn fully(bytes: &[u8], allowed: Allowed) -> Result<Document, YamlError> {
    // The scanner cannot end in the middle of a line; what the added break changes is undone in `unbroken`.
    if bytes.is_empty() || bytes.ends_with(b"\n") {
        return guarded(Cow::Borrowed(bytes), false, allowed);
    }
    let mut text = Vec::with_capacity(bytes.len() + 1);
    text.extend_from_slice(bytes);
    text.push(b'\n');
    guarded(Cow::Owned(text), true, allowed)
}

/// The scanner panics where libyaml accepts a tag that a comma follows (`[!a, b]`): they are taken apart, one after the other.
fn guarded(mut text: Cow<'_, [u8]>, break_added: bool, allowed: Allowed) -> Result<Document, YamlError> {
    let mut blanks = Vec::new();
    for _ in 0..MAX_TAG_COMMAS {
        let unbroken = if break_added { text.split_last().map(|(_, before)| before) } else { None };
        if let Ok(answer) = std::panic::catch_unwind(|| read(&text, unbroken, allowed)).map_err(meter::pass) {
            return answer.map_err(|error| yaml_comma::without(error, &text, &blanks));
        }
        let Some(comma) = yaml_comma::after_tag(&text) else { break };
        text.to_mut().insert(comma, b' ');
        blanks.push(comma);
    }
    Err(YamlError::bare("not supported yet: a tag followed by a comma"))
}

fn read(text: &[u8], unbroken: Option<&[u8]>, allowed: Allowed) -> Result<Document, YamlError> {
    let mut input = text;
    let mut parser = Parser::new();
    parser.set_input_string(&mut input);
    // The reference reads files as UTF-8, whatever mark they begin with; what stands behind the mark is not at the start of a line.
    parser.set_encoding(libyaml_safer::Encoding::Utf8);
    let mut builder = Builder { allowed, ..Builder::default() };
    // Psych makes values when the whole document has been parsed: what is wrong in its syntax comes before what is wrong in them.
    let mut refused = None;
    // The scanner looks at all open brackets for each token: deep nesting ends at once, whatever was refused before.
    let mut depth = 0_usize;
    loop {
        let mut event = parser.parse().map_err(|error| syntax_error(&error, text))?;
        if let Some(original) = unbroken {
            cut_added_break(&mut event, original);
        }
        let last = matches!(event.data, EventData::DocumentEnd { .. } | EventData::StreamEnd);
        match event.data {
            EventData::SequenceStart { .. } | EventData::MappingStart { .. } => depth += 1,
            EventData::SequenceEnd | EventData::MappingEnd => depth = depth.saturating_sub(1),
            _ => {}
        }
        if refused.is_none() {
            refused = builder.event(event).err();
        }
        if last || depth > MAX_DEPTH || refused.as_ref().is_some_and(|error| error.limit) {
            return refused.map_or_else(|| Ok(builder.document()), Err);
        }
    }
}

/// A block scalar at the end of a text without a final line break has none either.
fn cut_added_break(event: &mut Event, original: &[u8]) {
    let at_end = usize::try_from(event.end_mark.index).is_ok_and(|end| end >= original.len());
    let EventData::Scalar { value, style: ScalarStyle::Literal | ScalarStyle::Folded, .. } = &mut event.data else {
        return;
    };
    if !at_end || !value.ends_with('\n') {
        return;
    }
    let last = original.rsplit(|byte| *byte == b'\n').next().unwrap_or(&[]);
    // A last line of blanks is a line only where trailing breaks are kept.
    let blank = last.iter().all(|byte| *byte == b' ');
    if !blank || value == "\n" || value.ends_with("\n\n") || value.ends_with(" \n") {
        value.pop();
    }
}

/// Psych reports the *context* mark: where the construct began. Errors of the reader have none and say 1, 1.
fn syntax_error(error: &libyaml_safer::Error, bytes: &[u8]) -> YamlError {
    let mark = error.context_mark().or_else(|| match error.kind() {
        libyaml_safer::ErrorKind::Scanner => error.problem_mark(),
        _ => None,
    });
    let (line, column) = mark.map_or((1, 1), |mark| (mark.line + 1, mark.column + 1));
    let message = match error.context() {
        Some(context) => format!("{} {context}", error.problem()),
        None if error.problem() == "invalid UTF-8" => utf8_problem(bytes).to_owned(),
        None => error.problem().to_owned(),
    };
    YamlError { message, line, column, names_file: true, limit: false }
}

/// libyaml's words for what is wrong with the first bytes that are no UTF-8.
fn utf8_problem(bytes: &[u8]) -> &'static str {
    let Err(error) = std::str::from_utf8(bytes) else { return "invalid UTF-8" };
    let rest = bytes.get(error.valid_up_to()..).unwrap_or(&[]);
    let width = match rest.first() {
        Some(0xC0..=0xDF) => 2,
        Some(0xE0..=0xEF) => 3,
        Some(0xF0..=0xF7) => 4,
        _ => return "invalid leading UTF-8 octet",
    };
    let trailing = rest.iter().skip(1).take(width - 1);
    if rest.len() < width {
        "incomplete UTF-8 octet sequence"
    } else if trailing.clone().any(|byte| byte & 0xC0 != 0x80) {
        "invalid trailing UTF-8 octet"
    } else if width == 3 && rest.first() == Some(&0xED) || width == 4 && rest.first() > Some(&0xF4) {
        "invalid Unicode character"
    } else {
        "invalid length of a UTF-8 sequence"
    }
}

/// A finished node.
#[derive(Clone)]
struct Node {
    value: Value,
    /// Nodes in it with aliases followed.
    size: u64,
    shape: Shape,
}

/// How a node was written: `<<` merges mappings, aliases and sequences, not scalars.
#[derive(Clone, Copy, PartialEq)]
enum Shape {
    Scalar,
    Sequence,
    Mapping,
    Alias,
}

enum Open {
    Sequence(Vec<Value>),
    OrderedMap(OrderedMap),
    Mapping { entries: Hash, key: Option<Key> },
}

struct Key {
    value: Value,
    merge: bool,
}

struct Frame {
    open: Open,
    anchor: Option<String>,
    size: u64,
}

#[derive(Default)]
struct Builder {
    stack: Vec<Frame>,
    /// `None` while the anchored collection is still open.
    anchors: FxHashMap<String, Option<Node>>,
    root: Option<Value>,
    any_symbol: bool,
    allowed: Allowed,
}

impl yaml_plain::Nodes for Builder {
    fn scalar(&mut self, text: &str, quoted: bool) -> Option<()> {
        let node = scalar(None, text.to_owned(), quoted, self.allowed).ok()?;
        self.any_symbol |= matches!(node.value, Value::Symbol(_));
        self.finish(None, node, false).ok()
    }

    fn open_sequence(&mut self) -> Option<()> {
        self.open(Open::Sequence(Vec::new()), None).ok()
    }

    fn open_mapping(&mut self) -> Option<()> {
        self.open(Open::Mapping { entries: Hash::new(), key: None }, None).ok()
    }

    fn close(&mut self) -> Option<()> {
        Builder::close(self).ok()
    }
}

impl Builder {
    fn document(self) -> Document {
        let Builder { root, any_symbol, allowed, .. } = self;
        let (empty, value) = (root.is_none(), root.unwrap_or(Value::Undef));
        let value = if any_symbol && allowed.symbols != Symbols::Kept { shown(&value, allowed.symbols) } else { value };
        Document { empty, value, any_symbol }
    }

    /// Takes one event of the first document.
    fn event(&mut self, event: Event) -> Result<(), YamlError> {
        let Some(Frame { open: Open::OrderedMap(map), .. }) = self.stack.last_mut() else { return self.node(event) };
        match map.take(event).map_err(YamlError::bare)? {
            Step::Make(event) => self.node(event),
            Step::Skip => Ok(()),
            Step::MakeLast(events) => events.into_iter().try_for_each(|event| self.event(event)),
            Step::End => self.close(),
        }
    }

    /// Takes an event of a node that is made.
    fn node(&mut self, event: Event) -> Result<(), YamlError> {
        match event.data {
            EventData::Scalar { anchor, tag, value, quoted_implicit, .. } => {
                let text_tag = tag.as_deref() == Some("tag:yaml.org,2002:str");
                let node = scalar(tag.as_deref(), value, quoted_implicit, self.allowed)?;
                self.any_symbol |= matches!(node.value, Value::Symbol(_));
                self.finish(anchor, node, text_tag)?;
            }
            EventData::Alias { anchor } => {
                if self.allowed.no_aliases {
                    return Err(YamlError::bare(format!("Unknown alias: {anchor}")));
                }
                let node = match self.anchors.get(&anchor) {
                    Some(Some(node)) => Node { shape: Shape::Alias, ..node.clone() },
                    Some(None) => {
                        return Err(YamlError::bare(format!("not supported yet: alias {anchor} inside itself")));
                    }
                    None => return Err(YamlError::bare(format!("Unknown alias: {anchor}"))),
                };
                self.finish(None, node, false)?;
            }
            EventData::SequenceStart { anchor, tag, .. } => {
                let ordered = sequence_tag(tag.as_deref())?;
                let open = if ordered { Open::OrderedMap(OrderedMap::default()) } else { Open::Sequence(Vec::new()) };
                self.open(open, anchor)?;
            }
            EventData::MappingStart { anchor, tag, .. } => {
                mapping_tag(tag.as_deref())?;
                self.open(Open::Mapping { entries: Hash::new(), key: None }, anchor)?;
            }
            EventData::SequenceEnd | EventData::MappingEnd => self.close()?,
            EventData::DocumentEnd { .. }
            | EventData::StreamEnd
            | EventData::StreamStart { .. }
            | EventData::DocumentStart { .. } => {}
        }
        Ok(())
    }

    fn open(&mut self, open: Open, anchor: Option<String>) -> Result<(), YamlError> {
        if self.stack.len() >= MAX_DEPTH {
            return Err(YamlError::limit(format!("nested deeper than {MAX_DEPTH} levels")));
        }
        if let Some(anchor) = &anchor {
            self.anchors.insert(anchor.clone(), None);
        }
        self.stack.push(Frame { open, anchor, size: 1 });
        Ok(())
    }

    fn close(&mut self) -> Result<(), YamlError> {
        let Some(frame) = self.stack.pop() else { return Ok(()) };
        let (value, shape) = match frame.open {
            Open::Sequence(items) => (Value::array(items), Shape::Sequence),
            Open::OrderedMap(map) => (Value::hash(map.entries), Shape::Sequence),
            Open::Mapping { entries, .. } => (Value::hash(entries), Shape::Mapping),
        };
        let node = Node { value, size: frame.size, shape };
        self.finish(frame.anchor, node, false)
    }

    /// Puts a finished node where it belongs.
    fn finish(&mut self, anchor: Option<String>, node: Node, text_tag: bool) -> Result<(), YamlError> {
        if let Some(anchor) = anchor {
            self.anchors.insert(anchor, Some(node.clone()));
        }
        let Some(frame) = self.stack.last_mut() else {
            self.root = Some(node.value);
            return Ok(());
        };
        frame.size += node.size;
        if frame.size > MAX_NODES {
            return Err(YamlError::limit(format!("more than {MAX_NODES} values after following aliases")));
        }
        match &mut frame.open {
            Open::Sequence(items) => items.push(node.value),
            Open::OrderedMap(map) => map.made(node.value),
            Open::Mapping { entries, key } => match key.take() {
                None => {
                    let merge = !text_tag && node.value.as_str() == Some("<<");
                    *key = Some(Key { value: node.value, merge });
                }
                Some(Key { value: key, merge }) => {
                    if !(merge && merge_into(entries, &node)) {
                        entries.insert(key, node.value);
                    }
                }
            },
        }
        Ok(())
    }
}

/// The merge key: entries of the merged hashes replace those already there, as Psych's `merge!` does. False when the
/// value is nothing to merge; it then becomes an ordinary entry.
fn merge_into(entries: &mut Hash, node: &Node) -> bool {
    let from: Vec<&Arc<Hash>> = match (&node.value, node.shape) {
        (Value::Hash(hash), Shape::Mapping | Shape::Alias) => vec![hash],
        (Value::Array(items), Shape::Sequence) => {
            let hashes = items.iter().map(|item| match item {
                Value::Hash(hash) => Some(hash),
                _ => None,
            });
            match hashes.collect::<Option<Vec<_>>>() {
                Some(hashes) => hashes,
                None => return false,
            }
        }
        _ => return false,
    };
    let mut merged = Hash::new();
    for (key, value) in from.iter().rev().flat_map(|hash| hash.iter()) {
        merged.insert(key.clone(), value.clone());
    }
    for (key, value) in merged {
        entries.insert(key, value);
    }
    true
}

/// A value with its symbols as a reader wants them.
fn shown(value: &Value, symbols: Symbols) -> Value {
    let inner = |value: &Value| shown(value, symbols);
    match value {
        Value::Array(items) => Value::array(items.iter().map(inner).collect()),
        Value::Hash(entries) => {
            let key = |key: &Value| shown(key, if symbols == Symbols::Values { symbols } else { Symbols::Texts });
            Value::hash(entries.iter().map(|(name, value)| (key(name), inner(value))).collect())
        }
        Value::Symbol(name) if symbols == Symbols::Texts => Value::Str(name.clone()),
        Value::Symbol(name) => Value::symbol(name),
        value => value.clone(),
    }
}

fn scalar(tag: Option<&str>, text: String, quoted: bool, allowed: Allowed) -> Result<Node, YamlError> {
    let plain = |value| Node { value, size: 1, shape: Shape::Scalar };
    if quoted {
        return Ok(plain(Value::from(text)));
    }
    match tag {
        None => {}
        Some("!binary" | "tag:yaml.org,2002:binary") => return Ok(plain(Value::from(unpack_base64(&text)))),
        Some("tag:yaml.org,2002:str" | "!str" | "!ruby/string" | "!str:" | "!ruby/string:") => {
            return Ok(plain(Value::from(text)));
        }
        Some("tag:yaml.org,2002:float" | "!float") => {
            let scalar = match yaml_scalar::tokenize(&text) {
                Scalar::Int(n) => return Ok(plain(Value::Float(n as f64))),
                Scalar::Text => yaml_scalar::ruby_float(&text),
                other => other,
            };
            return scalar_node(scalar, text);
        }
        Some("!ruby/regexp") if allowed.regexp => {
            return Ok(plain(Value::Regexp(Arc::new(Regexp::new(regexp_source(&text))))));
        }
        Some(tag) if tag.starts_with("!ruby/sym") => {
            return Ok(plain(Value::Symbol(Arc::from(text))));
        }
        Some(tag) => {
            if let Some(class) = scalar_class(tag, &text) {
                return Err(YamlError::class(&class));
            }
        }
    }
    scalar_node(yaml_scalar::tokenize(&text), text)
}

fn scalar_node(scalar: Scalar, text: String) -> Result<Node, YamlError> {
    let value = match scalar {
        Scalar::Nil => Value::Undef,
        Scalar::Bool(b) => Value::Bool(b),
        Scalar::Int(n) => Value::Int(n),
        Scalar::Big(n) => n,
        Scalar::Float(f) => Value::Float(f),
        Scalar::Text => Value::from(text),
        Scalar::Symbol(name) => Value::Symbol(Arc::from(name)),
        Scalar::Class(class) => return Err(YamlError::class(class)),
        Scalar::Invalid(message) => return Err(YamlError::bare(message)),
        Scalar::TooBig => {
            return Err(YamlError::bare(format!("not supported yet: an integer of {} digits", text.len())));
        }
    };
    Ok(Node { value, size: 1, shape: Shape::Scalar })
}

/// The source of `/…/imx`; its options become a group at its start.
fn regexp_source(text: &str) -> String {
    let parts = text.strip_prefix('/').and_then(|rest| rest.rsplit_once('/'));
    match parts {
        Some((source, "")) => source.to_owned(),
        Some((source, options)) => {
            let options: String = options.chars().filter(|c| matches!(c, 'i' | 'm' | 'x')).collect();
            if options.is_empty() { source.to_owned() } else { format!("(?{options})({source})") }
        }
        None => text.to_owned(),
    }
}

/// The class a scalar's tag asks for; safe loading has none of them.
fn scalar_class(tag: &str, text: &str) -> Option<String> {
    let class = match tag {
        "!ruby/object:BigDecimal" => "BigDecimal",
        "!ruby/object:DateTime" => "DateTime",
        "!ruby/object:Complex" => "Complex",
        "!ruby/object:Rational" => "Rational",
        "!ruby/class" | "!ruby/module" => text,
        "!ruby/regexp" => "Regexp",
        "!ruby/range" => "Range",
        "!ruby/encoding" => "Encoding",
        _ => tag.strip_prefix("!str:").or_else(|| tag.strip_prefix("!ruby/string:"))?,
    };
    Some(class.to_owned())
}

/// Whether a sequence is an ordered map.
fn sequence_tag(tag: Option<&str>) -> Result<bool, YamlError> {
    match tag {
        Some("!omap" | "tag:yaml.org,2002:omap") => Ok(true),
        Some(tag) => match tag.strip_prefix("!seq:").or_else(|| tag.strip_prefix("!ruby/array:")) {
            Some("") | None => Ok(false),
            Some(class) => Err(YamlError::class(class)),
        },
        None => Ok(false),
    }
}

/// Refuses the tags that make Ruby objects of mappings.
fn mapping_tag(tag: Option<&str>) -> Result<(), YamlError> {
    let Some(tag) = tag else { return Ok(()) };
    let named = |prefix: &str, fallback: &str| {
        let class = tag.strip_prefix(prefix)?;
        let class = class.strip_prefix(':').unwrap_or(class);
        Some(if class.is_empty() { fallback.to_owned() } else { class.to_owned() })
    };
    let class = match tag {
        "!ruby/object:Hash" => None,
        "!ruby/range" => Some("Range".to_owned()),
        "!set" | "tag:yaml.org,2002:set" => Some("Psych::Set".to_owned()),
        "!omap" | "tag:yaml.org,2002:omap" => Some("Psych::Omap".to_owned()),
        _ => named("!ruby/struct", "Struct")
            .or_else(|| named("!ruby/object", "Object"))
            .or_else(|| named("!ruby/exception", "Exception"))
            .or_else(|| named("!ruby/hash:", ""))
            .or_else(|| named("!ruby/marshalable:", ""))
            .or_else(|| named("!ruby/array:", ""))
            .or_else(|| named("!ruby/hash-with-ivars", "Hash"))
            .or_else(|| named("!map:", ""))
            .filter(|class| !class.is_empty()),
    };
    class.map_or(Ok(()), |class| Err(YamlError::class(&class)))
}

/// Ruby's `unpack('m')`: what is not Base64 is skipped. Bytes that are no UTF-8 are replaced: text is Unicode here.
fn unpack_base64(text: &str) -> String {
    let clean: Vec<u8> = text
        .bytes()
        .take_while(|b| *b != b'=')
        .filter(|b| b.is_ascii_alphanumeric() || matches!(b, b'+' | b'/'))
        .collect();
    let whole = clean.len() - usize::from(clean.len() % 4 == 1);
    let bytes =
        base64::engine::general_purpose::STANDARD_NO_PAD.decode(clean.get(..whole).unwrap_or(&[])).unwrap_or_default();
    String::from_utf8_lossy(&bytes).into_owned()
}
