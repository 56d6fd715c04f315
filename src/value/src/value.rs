//! Values of the Puppet language.
//!
//! In: literals, data, results of functions. Out: [`Value`], 24 bytes, cheap to clone: payloads are shared. Must not: know
//! scopes, resources or positions. Resource references are types (`File['/x']` is a value of type `Type[File['/x']]`), as in
//! Puppet.

pub mod big;
mod calendar;
pub mod compare;
mod convert;
mod decimals;
mod hash;
mod iterator;
pub mod json;
mod label;
mod list;
pub mod local_refs;
mod measure;
pub mod number;
mod object;
pub mod printing;
pub mod rich;
pub mod ruby;
mod ruby_object;
pub mod secret;
mod semver;
mod semver_range;
pub mod sprintf;
mod strftime;
mod string;
mod strptime;
mod time;
mod timespan;
mod tree;
mod uri;
mod zone;

use std::hash::Hasher;
use std::sync::Arc;

use num_bigint::BigInt;

pub use calendar::days_from_civil;
pub use convert::convert;
pub use hash::Hash;
pub use hash::StrKey;
pub use iterator::Iter;
pub use iterator::splat;
pub use iterator::splat_items;
pub use label::a_an;
pub use label::label;
pub use label::type_label;
pub use list::List;
pub use measure::Measure;
pub use object::Object;
pub use printing::Program;
pub use printing::catalog_reference;
pub use printing::puppet_quote;
pub use printing::to_program;
pub use printing::to_puppet_string;
pub use ruby_object::RubyObject;
pub use semver::SemVer;
pub use semver_range::SemVerRange;
pub use strftime::strftime;
pub use string::Str;
pub use strptime::strptime_seconds;
pub use time::Timestamp;
pub use time::quotient;
pub use timespan::Timespan;
pub use timespan::to_nanoseconds;
pub use tree::TreeOptions;
pub use uri::Uri;
pub use uri::UriError;

use crate::types::Type;
use catwalk_base::meter;
use catwalk_regexp::Regexp;

/// The deepest nesting of a value: code that visits values recurses, and a level takes up to 10 kB of stack in a debug build.
pub const MAX_NESTING: u32 = 10_000;

/// Any value of the language.
#[derive(Clone, Debug)]
pub enum Value {
    /// `undef`
    Undef,
    /// `default`
    Default,
    /// `true`, `false`
    Bool(bool),
    /// A 64-bit integer.
    Int(i64),
    /// An integer that does not fit 64 bits.
    BigInt(Arc<BigInt>),
    /// A floating point number.
    Float(f64),
    /// A string.
    Str(Str),
    /// A Ruby symbol from Ruby code or YAML; never `default`, which is [`Value::Default`].
    Symbol(Arc<str>),
    /// `[ … ]`
    Array(Arc<List>),
    /// `{ … }`, in insertion order.
    Hash(Arc<Hash>),
    /// `/re/`
    Regexp(Arc<Regexp>),
    /// A type, a resource reference or a class reference.
    Type(Type),
    /// A value that must not be printed.
    Sensitive(Arc<Value>),
    /// A point in time.
    Timestamp(Arc<Timestamp>),
    /// A duration.
    Timespan(Arc<Timespan>),
    /// A semantic version.
    SemVer(Arc<SemVer>),
    /// A set of semantic versions.
    SemVerRange(Arc<SemVerRange>),
    /// Bytes.
    Binary(Arc<[u8]>),
    /// A URI.
    Uri(Arc<Uri>),
    /// A lazy sequence.
    Iterator(Arc<Iter>),
    /// A value of an object type: `Deferred`, `Error`, user-defined ones.
    Object(Arc<Object>),
    /// A Ruby object.
    Ruby(Arc<RubyObject>),
}

impl Value {
    /// A deep copy of arrays and hashes, for Ruby code that changes one of them. (`Runtime3Converter`)
    #[must_use]
    pub fn deep_copy(&self) -> Value {
        match self {
            Value::Array(items) => Value::array(items.iter().map(Value::deep_copy).collect()),
            Value::Hash(entries) => Value::hash(entries.deep_copy()),
            Value::Sensitive(inner) => Value::Sensitive(Arc::new(inner.deep_copy())),
            other => other.clone(),
        }
    }

    /// A string value.
    pub fn str(text: impl AsRef<str>) -> Value {
        meter::charge(text.as_ref().len());
        Value::Str(Str::from(text.as_ref()))
    }

    /// A string that a function derived from another, whose encoding it keeps.
    #[must_use]
    pub fn derived(from: &Str, text: impl AsRef<str>) -> Value {
        meter::charge(text.as_ref().len());
        Value::Str(from.with_characters(text.as_ref()))
    }

    /// An array value.
    #[must_use]
    pub fn array(items: Vec<Value>) -> Value {
        Value::Array(Arc::new(List::from(items)))
    }

    /// A hash value.
    #[must_use]
    pub fn hash(entries: Hash) -> Value {
        Value::Hash(Arc::new(entries))
    }

    /// The string of a string value.
    #[must_use]
    pub fn as_str(&self) -> Option<&str> {
        match self {
            Value::Str(text) => Some(text),
            _ => None,
        }
    }

    /// A symbol of Ruby; `:undef` and `:default` become the values that the evaluator treats them as.
    #[must_use]
    pub fn symbol(name: &str) -> Value {
        match name {
            "undef" => Value::Undef,
            "default" => Value::Default,
            name => Value::Symbol(Arc::from(name)),
        }
    }

    /// Whether this is `undef`.
    #[must_use]
    pub fn is_undef(&self) -> bool {
        matches!(self, Value::Undef)
    }

    /// Puppet's truth: only `undef` and `false` are false.
    #[must_use]
    pub fn truthy(&self) -> bool {
        !matches!(self, Value::Undef | Value::Bool(false))
    }
}

/// Identity as keys of hashes: strings are compared by case, `1` and `1.0` differ; times are always different keys, as in Puppet,
/// whose `TimeData` has no `hash`. The language's `==` is different.
impl PartialEq for Value {
    fn eq(&self, other: &Value) -> bool {
        match (self, other) {
            (Value::Undef, Value::Undef) | (Value::Default, Value::Default) => true,
            (Value::Bool(a), Value::Bool(b)) => a == b,
            (Value::Int(a), Value::Int(b)) => a == b,
            (Value::BigInt(a), Value::BigInt(b)) => a == b,
            (Value::Float(a), Value::Float(b)) => a.to_bits() == b.to_bits() || a == b,
            (Value::Str(a), Value::Str(b)) => a == b,
            (Value::Symbol(a), Value::Symbol(b)) => a == b,
            (Value::Array(a), Value::Array(b)) => a == b,
            (Value::Hash(a), Value::Hash(b)) => a == b,
            (Value::Regexp(a), Value::Regexp(b)) => a == b,
            (Value::Type(a), Value::Type(b)) => a == b,
            (Value::Sensitive(a), Value::Sensitive(b)) => a == b,
            (Value::Timestamp(a), Value::Timestamp(b)) => Arc::ptr_eq(a, b),
            (Value::Timespan(a), Value::Timespan(b)) => Arc::ptr_eq(a, b),
            (Value::SemVer(a), Value::SemVer(b)) => a == b,
            (Value::SemVerRange(a), Value::SemVerRange(b)) => a == b,
            (Value::Binary(a), Value::Binary(b)) => a == b,
            (Value::Uri(a), Value::Uri(b)) => a == b,
            (Value::Iterator(a), Value::Iterator(b)) => Arc::ptr_eq(a, b),
            (Value::Object(a), Value::Object(b)) => a == b,
            (Value::Ruby(a), Value::Ruby(b)) => a == b,
            _ => false,
        }
    }
}
impl Eq for Value {}

impl std::hash::Hash for Value {
    fn hash<H: Hasher>(&self, state: &mut H) {
        match self {
            // Only the string, so that a hash can be queried with a borrowed `&str`: see `hash::StrKey`.
            Value::Str(text) => text.hash(state),
            Value::Symbol(name) => {
                state.write_u8(4);
                name.hash(state);
            }
            Value::Undef => state.write_u8(0),
            Value::Default => state.write_u8(1),
            Value::Bool(b) => state.write_u8(2 + u8::from(*b)),
            Value::Int(n) => n.hash(state),
            Value::BigInt(n) => n.hash(state),
            Value::Float(f) => (if *f == 0.0 { 0 } else { f.to_bits() }).hash(state),
            Value::Array(items) => items.hash(state),
            Value::Hash(entries) => entries.hash(state),
            Value::Regexp(regexp) => regexp.hash(state),
            Value::Type(t) => t.hash(state),
            Value::Sensitive(value) => value.hash(state),
            Value::Timestamp(time) => Arc::as_ptr(time).addr().hash(state),
            Value::Timespan(time) => Arc::as_ptr(time).addr().hash(state),
            Value::SemVer(version) => version.hash(state),
            Value::SemVerRange(range) => range.hash(state),
            Value::Binary(bytes) => bytes.hash(state),
            Value::Uri(uri) => uri.hash(state),
            Value::Iterator(iter) => Arc::as_ptr(iter).addr().hash(state),
            Value::Object(object) => object.hash(state),
            Value::Ruby(object) => object.hash(state),
        }
    }
}

impl From<&str> for Value {
    fn from(text: &str) -> Value {
        Value::str(text)
    }
}
impl From<String> for Value {
    fn from(text: String) -> Value {
        meter::charge(text.len());
        Value::Str(Str::from(text))
    }
}
impl From<Arc<str>> for Value {
    fn from(text: Arc<str>) -> Value {
        Value::Str(Str::from(text))
    }
}
impl From<bool> for Value {
    fn from(b: bool) -> Value {
        Value::Bool(b)
    }
}
impl From<i64> for Value {
    fn from(n: i64) -> Value {
        Value::Int(n)
    }
}
impl From<Vec<Value>> for Value {
    fn from(items: Vec<Value>) -> Value {
        Value::array(items)
    }
}

const _: () = assert!(std::mem::size_of::<Value>() <= 24, "values are moved everywhere");
