//! `to_yaml` as Psych writes it.

use std::sync::Arc;

use libyaml_safer::Emitter;
use libyaml_safer::Encoding;
use libyaml_safer::Event;
use libyaml_safer::MappingStyle;
use libyaml_safer::ScalarStyle;
use libyaml_safer::SequenceStyle;

use crate::diag::Reason;
use crate::functions::ruby;
use crate::value::Value;

/// Options of `to_yaml`.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct YamlOptions {
    /// Columns for each level.
    pub(crate) indentation: Option<i32>,
    /// Width lines are folded at; negative: never.
    pub(crate) line_width: Option<i32>,
    /// Canonical form.
    pub(crate) canonical: bool,
}

/// Deepest nesting, so that a value cannot exhaust the stack.
const MAX_DEPTH: usize = 1000;

/// The value as a YAML document.
///
/// # Errors
/// Nesting too deep, or text YAML cannot carry.
pub(crate) fn to_yaml(value: &Value, options: YamlOptions) -> Result<String, Reason> {
    let mut out = Vec::new();
    let failed = |error: libyaml_safer::Error| Reason::runtime(error.to_string());
    {
        let mut emitter = Emitter::new();
        emitter.set_unicode(true);
        if let Some(indentation) = options.indentation {
            emitter.set_indent(indentation);
        }
        if let Some(width) = options.line_width {
            emitter.set_width(width);
        }
        emitter.set_canonical(options.canonical);
        emitter.set_output_string(&mut out);
        let mut writer = Writer { emitter, shared: Shared::of(value)?, options };
        writer.emit(Event::stream_start(Encoding::Utf8)).map_err(failed)?;
        writer.emit(Event::document_start(None, &[], false)).map_err(failed)?;
        writer.value(value).map_err(failed)?;
        writer.emit(Event::document_end(true)).map_err(failed)?;
        writer.emit(Event::stream_end()).map_err(failed)?;
        writer.emitter.flush().map_err(failed)?;
    }
    String::from_utf8(out).map_err(|error| Reason::runtime(error.to_string()))
}

/// Collections that occur more than once: written once with an anchor, then as aliases.
#[derive(Default)]
struct Shared {
    seen: rustc_hash::FxHashSet<usize>,
    /// Address to anchor, numbered in the order of the first repetition.
    anchors: indexmap::IndexMap<usize, bool>,
}

impl Shared {
    fn of(value: &Value) -> Result<Shared, Reason> {
        let mut shared = Shared::default();
        shared.visit(value, 0)?;
        Ok(shared)
    }

    fn visit(&mut self, value: &Value, depth: usize) -> Result<(), Reason> {
        if depth > MAX_DEPTH {
            return Err(Reason::runtime(format!("nesting of {depth} is too deep")));
        }
        let Some(address) = address(value) else { return Ok(()) };
        if !self.seen.insert(address) {
            self.anchors.entry(address).or_insert(false);
            return Ok(());
        }
        match value {
            Value::Array(items) => items.iter().try_for_each(|item| self.visit(item, depth + 1)),
            Value::Hash(entries) => entries.iter().try_for_each(|(key, value)| {
                self.visit(key, depth + 1)?;
                self.visit(value, depth + 1)
            }),
            _ => Ok(()),
        }
    }
}

fn address(value: &Value) -> Option<usize> {
    match value {
        Value::Array(items) => Some(Arc::as_ptr(items).addr()),
        Value::Hash(entries) => Some(Arc::as_ptr(entries).addr()),
        _ => None,
    }
}

struct Writer<'w> {
    emitter: Emitter<'w>,
    shared: Shared,
    options: YamlOptions,
}

type Written = Result<(), libyaml_safer::Error>;

impl Writer<'_> {
    fn emit(&mut self, event: Event) -> Written {
        self.emitter.emit(event)
    }

    /// The anchor to write a collection with; an alias was written instead when there is nothing more to do.
    fn anchor(&mut self, value: &Value) -> Result<Option<Option<String>>, libyaml_safer::Error> {
        let Some((number, _, written)) = address(value).and_then(|at| self.shared.anchors.get_full_mut(&at)) else {
            return Ok(Some(None));
        };
        let name = (number + 1).to_string();
        if *written {
            self.emit(Event::alias(&name))?;
            return Ok(None);
        }
        *written = true;
        Ok(Some(Some(name)))
    }

    fn value(&mut self, value: &Value) -> Written {
        match value {
            Value::Undef => self.scalar("", None, ScalarStyle::Any),
            Value::Bool(_) | Value::Int(_) | Value::BigInt(_) => {
                self.scalar(&ruby::to_s(value), None, ScalarStyle::Any)
            }
            Value::Float(f) => {
                let text = match f {
                    f if f.is_nan() => ".nan".to_owned(),
                    f if f.is_infinite() => if *f > 0.0 { ".inf" } else { "-.inf" }.to_owned(),
                    f => ruby::float_text(*f),
                };
                self.scalar(&text, None, ScalarStyle::Any)
            }
            Value::Default => self.scalar(":default", None, ScalarStyle::Any),
            Value::Str(text) => self.text(text),
            Value::Array(items) => {
                let Some(anchor) = self.anchor(value)? else { return Ok(()) };
                self.emit(Event::sequence_start(anchor.as_deref(), None, true, SequenceStyle::Block))?;
                items.iter().try_for_each(|item| self.value(item))?;
                self.emit(Event::sequence_end())
            }
            Value::Hash(entries) => {
                let Some(anchor) = self.anchor(value)? else { return Ok(()) };
                self.emit(Event::mapping_start(anchor.as_deref(), None, true, MappingStyle::Block))?;
                for (key, value) in entries.iter() {
                    self.value(key)?;
                    self.value(value)?;
                }
                self.emit(Event::mapping_end())
            }
            Value::Regexp(regexp) => {
                let text = format!("/{}/", regexp.source());
                self.scalar(&text, Some("!ruby/regexp"), ScalarStyle::Any)
            }
            other => self.text(&ruby::to_s(other)),
        }
    }

    fn scalar(&mut self, text: &str, tag: Option<&str>, style: ScalarStyle) -> Written {
        self.emit(Event::scalar(None, tag, text, tag.is_none(), false, style))
    }

    /// A string, quoted wherever Psych would read the plain text as something else.
    fn text(&mut self, text: &str) -> Written {
        let inner_break = text.strip_suffix('\n').unwrap_or(text).contains('\n');
        let style = if inner_break {
            ScalarStyle::Literal
        } else if text == "<<" {
            let tag = Some("tag:yaml.org,2002:str");
            return self.emit(Event::scalar(None, tag, text, false, false, ScalarStyle::SingleQuoted));
        } else if text == "y" || text == "n" {
            ScalarStyle::DoubleQuoted
        } else if self.options.line_width.is_some_and(|width| width >= 0 && text.chars().count() > width as usize) {
            ScalarStyle::Folded
        } else if starts_oddly(text) {
            ScalarStyle::DoubleQuoted
        } else if !reads_as_text(text) {
            ScalarStyle::SingleQuoted
        } else {
            ScalarStyle::Plain
        };
        self.emit(Event::scalar(None, None, text, true, true, style))
    }
}

/// `/^[^[:word:]][^"]*$/`: some line starts with other than a letter, digit or underscore and holds no quote.
fn starts_oddly(text: &str) -> bool {
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    // A character class may match the line break, so an odd start that is a break reaches into the next line.
    text.split_inclusive('\n').any(|line| {
        let body = line.strip_suffix('\n').unwrap_or(line);
        line.chars().next().is_some_and(|first| !is_word(first)) && !body.contains('"')
    })
}

/// Whether Psych reads the plain text back as a string.
fn reads_as_text(text: &str) -> bool {
    // A number with a leading zero that YAML 1.1 readers may take for octal is quoted though it is text.
    let octal = text.strip_prefix('0').map(|rest| rest.trim_start_matches(|c| ('0'..='7').contains(&c)));
    if octal.is_some_and(|rest| rest.starts_with(['8', '9'])) {
        return false;
    }
    !matches!(text.to_ascii_lowercase().as_str(), "" | "~" | "null" | "yes" | "true" | "on" | "no" | "false" | "off")
        && !reads_as_number_or_time(text)
}

static SPECIAL: std::sync::LazyLock<Option<regex::Regex>> = std::sync::LazyLock::new(|| {
    let forms = [
        r"-?\d{4}-\d{1,2}-\d{1,2}(?:[Tt]|\s+)\d{1,2}:\d\d:\d\d(?:\.\d*)?(?:\s*(?:Z|[-+]\d{1,2}:?(?:\d\d)?))?",
        r"\d{4}-(?:1[012]|0\d|\d)-(?:[12]\d|3[01]|0\d|\d)",
        r"[-+]?\.(?i:inf)",
        r"\.(?i:nan)",
        r":.+",
        r"[-+]?[0-9][0-9_]*(?::[0-5]?[0-9]){1,2}(?:\.[0-9_]*)?",
        r"[-+]?(?:[0-9][0-9_,]*)?\.[0-9]+(?:[eE][-+][0-9]+)?",
        r"[-+]?[0-9][0-9_,]*\.(?:[eE][-+][0-9]+)?",
        r"[-+]?0b[0-1_,]+",
        r"[-+]?0[0-7_,]+",
        r"[-+]?(?:0|[1-9](?:[0-9]|,[0-9]|_[0-9])*)",
        r"[-+]?0x[0-9a-fA-F_,]+",
    ];
    regex::Regex::new(&format!("^(?:{})$", forms.join("|"))).ok()
});

fn reads_as_number_or_time(text: &str) -> bool {
    SPECIAL.as_ref().is_some_and(|special| special.is_match(text))
}
