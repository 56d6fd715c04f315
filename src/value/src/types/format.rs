//! Formats types, and values inside of types: `Array[Integer[1, 3], 2]`.

mod members;

use std::borrow::Cow;
use std::fmt;
use std::fmt::Write;
use std::sync::Arc;

use crate::types::Alias;
use crate::types::BigRange;
use crate::types::EnumType;
use crate::types::FloatRange;
use crate::types::IntRange;
use crate::types::ResourceType;
use crate::types::RuntimeType;
use crate::types::StructElement;
use crate::types::TimeRange;
use crate::types::Type;
use crate::types::TypeSet;
use crate::types::is_assignable;
use crate::value::Timespan;
use crate::value::Timestamp;
use crate::value::Value;
use crate::value::number::float_to_s;
use crate::value::to_program;
use catwalk_base::names::titlecase;

/// The level of detail.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Form {
    /// Aliases by name, no values of string types: the usual form.
    #[default]
    Short,
    /// Aliases with the types that they name: `X = Integer[1]`.
    Expanded,
    /// With values of string types.
    Debug,
}

impl fmt::Display for Type {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // A bare alias or object type is always expanded.
        let form = match self {
            Type::Object(object) if object.base.is_some() => Form::Short,
            Type::Alias(_) | Type::Object(_) | Type::TypeSet(_) => Form::Expanded,
            _ => Form::Short,
        };
        f.write_str(&self.text(form))
    }
}

impl Type {
    /// The type as a string.
    #[must_use]
    pub fn text(&self, form: Form) -> String {
        let mut writer = Writer { out: String::new(), form, aliases: Vec::new(), set: None };
        writer.write(self);
        writer.out
    }

    /// The type as a string, with aliases expanded.
    #[must_use]
    pub fn expanded(&self) -> String {
        self.text(Form::Expanded)
    }
}

struct Writer {
    out: String,
    form: Form,
    aliases: Vec<*const Alias>,
    /// The type set that is being written: its types have short names inside it.
    set: Option<Arc<TypeSet>>,
}

impl Writer {
    /// Writes a type. Without parameters, it is only its name.
    fn write(&mut self, t: &Type) {
        match t {
            Type::Boolean(Some(b)) => self.list("Boolean", |w| w.item(if *b { "true" } else { "false" })),
            Type::Integer(range) if !range.is_unbounded() => self.list("Integer", |w| w.range(*range)),
            Type::BigInteger(range) => self.list("Integer", |w| w.big_range(range)),
            Type::Float(range) if !range.is_unbounded() => self.list("Float", |w| w.float_range(*range)),
            Type::StringSize(size) if !size.is_unbounded() => self.list("String", |w| w.range(**size)),
            Type::StringValue(value) if self.form == Form::Debug => self.list("String", |w| w.quoted(value)),
            Type::Enum(values) if !values.values.is_empty() => self.enumeration(values),
            Type::Pattern(patterns) if !patterns.is_empty() => self.list("Pattern", |w| {
                patterns.iter().for_each(|regexp| w.item(&regexp.to_puppet_source()));
            }),
            Type::Regexp(Some(regexp)) => self.list("Regexp", |w| w.item(&regexp.to_puppet_source())),
            Type::Collection(Some(size)) if !size.is_unbounded() => self.list("Collection", |w| w.range(**size)),
            Type::Array(array) if array.size.is_some_and(IntRange::is_zero) => self.out.push_str("Array[0, 0]"),
            Type::Array(array) if *t != Type::any_array() => self.list("Array", |w| {
                w.inner(&array.element);
                w.size(array.size);
            }),
            Type::Hash(hash) if hash.size.is_some_and(IntRange::is_zero) => self.out.push_str("Hash[0, 0]"),
            Type::Hash(hash) if *t != Type::any_hash() => self.list("Hash", |w| {
                w.inner(&hash.key);
                w.inner(&hash.value);
                w.size(hash.size);
            }),
            Type::Tuple(tuple) if !tuple.types.is_empty() => self.list("Tuple", |w| {
                tuple.types.iter().for_each(|t| w.inner(t));
                w.size(tuple.size);
            }),
            Type::Struct(elements) if !elements.is_empty() => self.structure(elements),
            Type::Variant(types) if !types.is_empty() => {
                self.list("Variant", |w| types.iter().for_each(|t| w.inner(t)));
            }
            Type::Optional(Some(inner)) => self.list("Optional", |w| w.string_or_type(inner)),
            Type::NotUndef(Some(inner)) => self.list("NotUndef", |w| w.string_or_type(inner)),
            Type::Iterable(Some(inner)) => self.list("Iterable", |w| w.inner(inner)),
            Type::Iterator(Some(inner)) => self.list("Iterator", |w| w.inner(inner)),
            Type::Sensitive(Some(inner)) => self.list("Sensitive", |w| w.inner(inner)),
            Type::Type(Some(inner)) => self.list("Type", |w| w.inner(inner)),
            Type::Init(init) if init.target.is_some() => self.list("Init", |w| {
                init.target.iter().for_each(|t| w.inner(t));
                init.args.iter().for_each(|arg| w.value(arg));
            }),
            Type::Callable(callable) => self.callable(callable),
            Type::Timestamp(Some(range)) => self.list("Timestamp", |w| {
                w.times(range, |n, _| Timestamp::new(n).to_string());
            }),
            Type::Timespan(Some(range)) => self.list("Timespan", |w| {
                w.times(range, |n, from_float| Timespan::new(n).to_range_end(from_float));
            }),
            Type::SemVer(ranges) if !ranges.is_empty() => self.list("SemVer", |w| {
                ranges.iter().for_each(|range| w.item(&format!("'{range}'")));
            }),
            Type::Uri(Some(parts)) => self.list("URI", |w| w.value(&Value::Hash(parts.clone()))),
            Type::Runtime(runtime) if runtime.runtime.is_some() || runtime.name.is_some() => self.runtime(runtime),
            Type::Object(object) => self.object(object),
            Type::TypeSet(set) => self.type_set(set.as_ref()),
            Type::Alias(alias) => self.alias(alias),
            Type::Reference(name) => self.list("TypeReference", |w| w.quoted(name)),
            Type::Resource(resource) => self.resource(resource),
            Type::Class(Some(name)) => self.list("Class", |w| w.item(name)),
            _ => self.out.push_str(t.simple_name()),
        }
    }

    fn enumeration(&mut self, values: &EnumType) {
        self.list("Enum", |w| {
            values.values.iter().for_each(|value| w.quoted(value));
            if values.case_insensitive {
                w.item("true");
            }
        });
    }

    fn structure(&mut self, elements: &[StructElement]) {
        self.out.push_str("Struct[{");
        for (n, element) in elements.iter().enumerate() {
            self.out.push_str(if n == 0 { "" } else { ", " });
            self.element(element);
        }
        self.out.push_str("}]");
    }

    fn runtime(&mut self, runtime: &RuntimeType) {
        self.list("Runtime", |w| {
            let language = runtime.runtime.as_deref().unwrap_or("undef");
            w.item(language);
            match &runtime.name {
                Some(Value::Str(name)) if language.is_empty() => {
                    w.out.push_str(", ");
                    w.out.push_str(&crate::value::puppet_quote(name));
                }
                Some(name) => w.value(name),
                None => w.item("undef"),
            }
        });
    }

    fn resource(&mut self, resource: &ResourceType) {
        let Some(name) = &resource.type_name else { return self.out.push_str("Resource") };
        let name = capitalize_segments(name);
        let Some(title) = &resource.title else { return self.out.push_str(&name) };
        self.list(&name, |w| match &resource.written {
            _ if resource.resolved => w.item(title),
            Some(written) => w.item(written),
            None => w.quoted(title),
        });
    }

    /// `name[…]`
    fn list(&mut self, name: &str, items: impl FnOnce(&mut Writer)) {
        self.out.push_str(name);
        self.out.push('[');
        items(self);
        self.out.push(']');
    }

    /// A comma before every item but the first.
    fn separate(&mut self) {
        if !self.out.ends_with('[') {
            self.out.push_str(", ");
        }
    }

    fn item(&mut self, text: &str) {
        self.separate();
        self.out.push_str(text);
    }

    fn inner(&mut self, t: &Type) {
        self.separate();
        self.write(t);
    }

    fn quoted(&mut self, text: &str) {
        self.separate();
        self.out.push_str(&crate::value::puppet_quote(text));
    }

    fn value(&mut self, value: &Value) {
        self.separate();
        self.out.push_str(&to_program(value));
    }

    fn range(&mut self, range: IntRange) {
        self.separate();
        match range.lower() {
            Some(from) => {
                let _ = write!(self.out, "{from}");
            }
            None => self.out.push_str("default"),
        }
        if let Some(to) = range.upper() {
            let _ = write!(self.out, ", {to}");
        }
    }

    fn big_range(&mut self, range: &BigRange) {
        self.item(&range.from.as_ref().map_or_else(|| "default".to_owned(), ToString::to_string));
        if let Some(to) = &range.to {
            self.item(&to.to_string());
        }
    }

    fn size(&mut self, size: Option<IntRange>) {
        if let Some(size) = size.filter(|size| !size.is_unbounded()) {
            self.range(size);
        }
    }

    fn float_range(&mut self, range: FloatRange) {
        self.separate();
        if range.from == f64::NEG_INFINITY {
            self.out.push_str("default");
        } else {
            self.out.push_str(&float_to_s(range.from));
        }
        if range.to != f64::INFINITY {
            self.out.push_str(", ");
            self.out.push_str(&float_to_s(range.to));
        }
    }

    fn times(&mut self, range: &TimeRange, text: impl Fn(i128, bool) -> String) {
        let written = range.written;
        let from = range.from.map(|from| format!("'{}'", text(from, written.from_float)));
        self.item(&from.unwrap_or_else(|| "default".to_owned()));
        if let Some(to) = range.to.filter(|_| range.to != range.from) {
            self.item(&format!("'{}'", text(to, written.to_float)));
        }
    }

    /// A string type with one value is written as that string.
    fn string_or_type(&mut self, t: &Type) {
        match t {
            Type::StringValue(value) => self.quoted(value),
            _ => self.inner(t),
        }
    }

    fn element(&mut self, element: &StructElement) {
        // If the value's type shows that the key is optional, the key does not repeat it.
        let value_optional = is_assignable(&element.value, &Type::Undef);
        let key = crate::value::puppet_quote(&element.name);
        match (element.optional, value_optional) {
            (true, false) => {
                let _ = write!(self.out, "Optional[{key}]");
            }
            (false, true) => {
                let _ = write!(self.out, "NotUndef[{key}]");
            }
            _ => self.out.push_str(&key),
        }
        self.out.push_str(" => ");
        self.write(&element.value);
    }
}

/// A type's name with every segment capitalized; one that starts with a capital is unchanged.
#[must_use]
pub fn capitalize_segments(name: &str) -> Cow<'_, str> {
    if name.starts_with(|c: char| c.is_ascii_uppercase()) {
        return Cow::Borrowed(name);
    }
    let capitalized: Vec<String> = name.split("::").map(capitalize).collect();
    Cow::Owned(capitalized.join("::"))
}

/// `String#capitalize`: the first character in title case, the rest in lower case.
#[must_use]
pub fn capitalize(text: &str) -> String {
    let mut chars = text.chars();
    match chars.next() {
        Some(first) => titlecase(first).chain(chars.flat_map(char::to_lowercase)).collect(),
        None => String::new(),
    }
}

/// The string with its first letter in upper case.
#[must_use]
pub(crate) fn capitalize_first(text: &str) -> String {
    let mut chars = text.chars();
    match chars.next() {
        Some(first) => first.to_uppercase().chain(chars).collect(),
        None => String::new(),
    }
}
