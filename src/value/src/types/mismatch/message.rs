//! Mismatches and their messages: `expects a String value, got Integer`.
//!
//! In: the expected and the actual type, with the path. Out: messages, identical to Puppet's.

use crate::types::Form;
use crate::types::IntRange;
use crate::types::Type;
use crate::types::TypeSet;
use crate::types::generalize;
use crate::types::is_assignable;
use crate::types::normalize;
use crate::value::a_an;
use std::sync::Arc;

/// A step on the path from the subject to a mismatch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Step {
    Subject(String),
    Entry(String),
    EntryKey(String),
    Parameter(String),
    Return,
    Block,
    Index(usize),
    Variant(usize),
    Signature(usize),
}

impl Step {
    pub(super) fn text(&self) -> String {
        match self {
            Step::Subject(name) => name.clone(),
            Step::Entry(key) => format!("entry '{key}'"),
            Step::EntryKey(key) => format!("key of entry '{key}'"),
            Step::Parameter(name) => format!("parameter '{name}'"),
            Step::Return => "return".to_owned(),
            Step::Block => "block".to_owned(),
            Step::Index(n) => format!("index {n}"),
            Step::Variant(n) => format!("variant {n}"),
            Step::Signature(n) => format!("{}.", n + 1),
        }
    }
}

#[derive(Clone, Debug)]
pub(super) enum Kind {
    MissingKey(Arc<str>),
    MissingParameter(Arc<str>),
    ExtraneousKey(Arc<str>),
    InvalidParameter(String),
    UnexpectedBlock,
    MissingBlock,
    Unresolved(Arc<str>),
    Type(Type, Type),
    Pattern(Type, Type),
    Size(IntRange, IntRange),
    Count(IntRange, IntRange),
}

/// Kinds of mismatches that are merged if all variants have one.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Group {
    Size,
    Count,
    MissingBlock,
    UnexpectedBlock,
    Type,
}

/// One mismatch.
#[derive(Clone, Debug)]
pub(super) struct Mismatch {
    pub(super) path: Vec<Step>,
    pub(super) kind: Kind,
}

impl Mismatch {
    pub(super) fn new_type(path: &[Step], expected: &Type, actual: &Type) -> Mismatch {
        Mismatch { path: path.to_vec(), kind: Kind::Type(normalize(expected), normalize(actual)) }
    }

    pub(super) fn is_in(&self, group: Group) -> bool {
        match group {
            Group::Size => matches!(self.kind, Kind::Size(..) | Kind::Count(..)),
            Group::Count => matches!(self.kind, Kind::Count(..)),
            Group::MissingBlock => matches!(self.kind, Kind::MissingBlock),
            Group::UnexpectedBlock => matches!(self.kind, Kind::UnexpectedBlock),
            Group::Type => matches!(self.kind, Kind::Type(..) | Kind::Pattern(..)),
        }
    }

    pub(super) fn has_same_path(&self, other: &Mismatch) -> bool {
        let canonical = |path: &[Step]| -> Vec<Step> {
            path.iter().filter(|step| !matches!(step, Step::Variant(_) | Step::Signature(_))).cloned().collect()
        };
        canonical(&self.path) == canonical(&other.path)
    }

    /// Merges two mismatches and normalizes the merged types, since their ranges may join.
    pub(super) fn merge(&self, other: &Mismatch) -> Mismatch {
        let variant = |a: &Type, b: &Type| normalize(&Type::variant(vec![a.clone(), b.clone()]));
        let hull = |a: &IntRange, b: &IntRange| {
            let from = a.lower().unwrap_or(0).min(b.lower().unwrap_or(0));
            IntRange::new(Some(from), a.upper().and_then(|x| b.upper().map(|y| x.max(y))))
        };
        let kind = match (&self.kind, &other.kind) {
            (Kind::Type(e, a), Kind::Type(o, _) | Kind::Pattern(o, _)) => Kind::Type(variant(e, o), normalize(a)),
            (Kind::Pattern(e, a), Kind::Type(o, _) | Kind::Pattern(o, _)) => Kind::Pattern(variant(e, o), normalize(a)),
            (Kind::Size(e, a), Kind::Size(o, _) | Kind::Count(o, _)) => Kind::Size(hull(e, o), *a),
            (Kind::Count(e, a), Kind::Size(o, _) | Kind::Count(o, _)) => Kind::Count(hull(e, o), *a),
            (kind, _) => kind.clone(),
        };
        Mismatch { path: self.path.clone(), kind }
    }

    /// The mismatch without one step of its path.
    pub(super) fn without_step(mut self, at: usize) -> Mismatch {
        if at < self.path.len() {
            self.path.remove(at);
        }
        self
    }

    pub(super) fn format(&self) -> String {
        let mut path = self.path.as_slice();
        let mut out = String::new();
        if let [first @ Step::Signature(_), rest @ ..] = path {
            out.push(' ');
            out.push_str(&first.text());
            path = rest;
        }
        for step in path {
            out.push(' ');
            out.push_str(&step.text());
        }
        out.push(' ');
        out.push_str(&self.kind.message());
        out
    }
}

impl Kind {
    pub(super) fn message(&self) -> String {
        match self {
            Kind::MissingKey(key) => format!("expects a value for key '{key}'"),
            Kind::MissingParameter(name) => format!("expects a value for parameter '{name}'"),
            Kind::ExtraneousKey(key) => format!("unrecognized key '{key}'"),
            Kind::InvalidParameter(name) => format!("has no parameter named '{name}'"),
            Kind::UnexpectedBlock => "does not expect a block".to_owned(),
            Kind::MissingBlock => "expects a block".to_owned(),
            Kind::Unresolved(name) => format!("references an unresolved type '{name}'"),
            Kind::Type(expected, actual) => type_message(expected, actual),
            Kind::Pattern(expected, actual) => pattern_message(expected, actual),
            Kind::Size(expected, actual) => {
                format!("expects size to be {}, got {}", range_text(*expected, "0"), range_text(*actual, "0"))
            }
            Kind::Count(expected, actual) => {
                let (min, max) = (expected.lower().unwrap_or(0), expected.upper());
                let single = (min == 1 && max.is_none_or(|max| max == 1)) || (min == 0 && max == Some(1));
                let s = if single { "" } else { "s" };
                let (expected, actual) = (range_text(*expected, "no"), range_text(*actual, "none"));
                format!("expects {expected} argument{s}, got {actual}")
            }
        }
    }
}

pub(super) fn range_text(range: IntRange, zero: &str) -> String {
    let min = range.lower().unwrap_or(0);
    match range.upper() {
        Some(max) if max == min => {
            if min == 0 {
                zero.to_owned()
            } else {
                min.to_string()
            }
        }
        None if min == 0 => "unlimited".to_owned(),
        Some(max) if min == 0 => format!("at most {max}"),
        None => format!("at least {min}"),
        Some(max) => format!("between {min} and {max}"),
    }
}

pub(super) fn expanded(t: &Type) -> String {
    t.text(Form::Expanded)
}

/// The name of a type as `name` returns it.
pub(super) fn type_name(t: &Type) -> String {
    match t {
        Type::Alias(alias) => alias.name().to_owned(),
        Type::Object(object) => object.written_name().to_owned(),
        Type::TypeSet(set) => set.as_deref().unwrap_or(TypeSet::default_set()).label().to_owned(),
        _ => t.simple_name().to_owned(),
    }
}

pub(super) fn short_name(t: &Type) -> String {
    let inner = match t {
        Type::Optional(inner)
        | Type::NotUndef(inner)
        | Type::Iterable(inner)
        | Type::Iterator(inner)
        | Type::Sensitive(inner)
        | Type::Type(inner) => inner.as_deref(),
        Type::Init(init) => init.target.as_ref(),
        _ => None,
    };
    match inner {
        // The type of all objects has no name in Puppet.
        Some(Type::Object(object)) if object.name.is_none() => format!("{}[]", type_name(t)),
        Some(inner) if *inner != Type::Any => format!("{}[{}]", type_name(t), type_name(inner)),
        _ => type_name(t),
    }
}

pub(super) fn type_message(expected: &Type, actual: &Type) -> String {
    let (optional, expected) = match expected {
        Type::Optional(Some(inner)) => (true, (**inner).clone()),
        Type::Optional(None) => (true, Type::Any),
        t => (false, t.clone()),
    };
    if let Type::Variant(types) = &expected {
        let detailed =
            types.iter().any(|t| always_detailed(t, actual)) || types.iter().any(|t| assignable_to_default(t, actual));
        let mut names: Vec<String>;
        let got;
        if detailed {
            got = detailed_actual(types, actual);
            names = types.iter().map(expanded).collect();
        } else {
            names = Vec::with_capacity(types.len());
            for name in types.iter().map(short_name) {
                if !names.contains(&name) {
                    names.push(name);
                }
            }
            got = short_name(actual);
        }
        if optional {
            names.insert(0, "Undef".to_owned());
        }
        return match names.as_slice() {
            [one] => format!("expects {} value, got {got}", a_an(one)),
            [one, two] => format!("expects a value of type {one} or {two}, got {got}"),
            [rest @ .., last] => format!("expects a value of type {}, or {last}, got {got}", rest.join(", ")),
            [] => format!("expects a Variant value, got {got}"),
        };
    }
    let (name, got) = if always_detailed(&expected, actual) || assignable_to_default(&expected, actual) {
        (expanded(&expected), detailed_actual(std::slice::from_ref(&expected), actual))
    } else {
        (short_name(&expected), short_name(actual))
    };
    if optional {
        return format!("expects a value of type Undef or {name}, got {got}");
    }
    format!("expects {} value, got {got}", a_an(&name))
}

pub(super) fn pattern_message(expected: &Type, actual: &Type) -> String {
    let (prefix, expected) = match expected {
        Type::Optional(Some(inner)) => ("an undef value or ", (**inner).clone()),
        t => ("", t.clone()),
    };
    let got = match actual {
        Type::StringValue(value) => format!("'{value}'"),
        _ => short_name(actual),
    };
    format!("expects {prefix}a match for {}, got {got}", expanded(&expected))
}

pub(super) fn always_detailed(expected: &Type, actual: &Type) -> bool {
    // Object types with and without parameters have different Ruby classes.
    let extended = |t: &Type| matches!(t, Type::Object(object) if object.base.is_some());
    (expected.simple_name() == actual.simple_name() && extended(expected) == extended(actual))
        || is_alias(expected)
        || is_alias(actual)
        || matches!((expected, actual), (Type::Struct(_), Type::Hash(_)) | (Type::Tuple(_), Type::Array(_)))
}

/// Whether a type is an alias. Object types are described by their own names, even while they are being defined.
fn is_alias(t: &Type) -> bool {
    let Type::Alias(alias) = t else { return false };
    match alias.resolved() {
        Some(Type::Object(object)) => object.name.as_deref() != Some(alias.name()),
        found => found.is_some(),
    }
}

pub(super) fn assignable_to_default(expected: &Type, actual: &Type) -> bool {
    is_assignable(&default_of(expected.resolved()), actual)
}

/// The type without parameters.
pub(super) fn default_of(t: &Type) -> Type {
    match t {
        Type::Boolean(_) => Type::Boolean(None),
        Type::Integer(_) | Type::BigInteger(_) => Type::INTEGER,
        Type::Float(_) => Type::FLOAT,
        Type::String | Type::StringSize(_) | Type::StringValue(_) => Type::String,
        Type::Enum(_) => Type::any_enum(),
        Type::Pattern(_) => Type::any_pattern(),
        Type::Regexp(_) => Type::Regexp(None),
        Type::Collection(_) => Type::Collection(None),
        Type::Array(_) => Type::any_array(),
        Type::Hash(_) => Type::any_hash(),
        Type::Tuple(_) => Type::any_tuple(),
        Type::Struct(_) => Type::any_struct(),
        Type::Optional(_) => Type::Optional(None),
        Type::NotUndef(_) => Type::NotUndef(None),
        Type::Variant(_) => Type::any_variant(),
        Type::Iterable(_) => Type::Iterable(None),
        Type::Iterator(_) => Type::Iterator(None),
        Type::Callable(_) => Type::any_callable(),
        Type::Sensitive(_) => Type::Sensitive(None),
        Type::Timestamp(_) => Type::Timestamp(None),
        Type::Timespan(_) => Type::Timespan(None),
        Type::SemVer(_) => Type::any_semver(),
        Type::Uri(_) => Type::Uri(None),
        Type::Type(_) => Type::Type(None),
        Type::Init(_) => Type::any_init(),
        Type::Runtime(_) => Type::any_runtime(),
        // A type with parameters has no own default in Puppet, only that of all types.
        Type::Object(object) if object.base.is_some() => Type::Any,
        Type::Object(_) => Type::any_object(),
        Type::TypeSet(_) => Type::TypeSet(None),
        Type::Resource(_) => Type::any_resource(),
        Type::Class(_) => Type::Class(None),
        _ => t.clone(),
    }
}

pub(super) fn detailed_actual(expected: &[Type], actual: &Type) -> String {
    let resolved: Vec<&Type> = expected.iter().map(Type::resolved).collect();
    let detailed = resolved.iter().any(|t| always_detailed(t, actual)) || {
        let general = generalize(actual);
        resolved.iter().any(|t| is_assignable(t, &general))
    };
    match actual {
        _ if detailed => expanded(actual),
        Type::Object(_) => type_name(actual),
        _ => actual.simple_name().to_owned(),
    }
}
