//! Why a value is not of a type, in the reference's words.
//!
//! In: an expected type and the type of what was given. Out: messages such as
//! `parameter 'x' entry 'k' expects a String value, got Integer`. Must not: know who asks.
//!
//! The rules are those of the reference's `TypeMismatchDescriber`, oddities included: scripts compare these texts.

use std::sync::Arc;

use crate::diag::Code;
use crate::diag::Reason;
use crate::types::Alias;
use crate::types::ArrayType;
use crate::types::CallableType;
use crate::types::Form;
use crate::types::HashType;
use crate::types::IntRange;
use crate::types::StructElement;
use crate::types::TupleType;
use crate::types::Type;
use crate::types::TypeSet;
use crate::types::alias::each_part;
use crate::types::generalize;
use crate::types::infer_set;
use crate::types::is_assignable;
use crate::types::is_instance;
use crate::types::kind_of_callable;
use crate::types::len;
use crate::types::normalize;
use crate::value::Value;
use crate::value::a_an;

/// What a function accepts, with the names its messages use.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Signature {
    /// Parameters, block and result.
    pub callable: CallableType,
    /// Names of the parameters.
    pub names: Vec<Arc<str>>,
    /// Name of the block.
    pub block_name: Option<Arc<str>>,
}

/// A step from the subject to the place of a mismatch.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Step {
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
    fn text(&self) -> String {
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
enum Kind {
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

/// What kinds of mismatch are merged when all variants have one.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Group {
    Size,
    Count,
    MissingBlock,
    UnexpectedBlock,
    Type,
}

/// One thing that is wrong.
#[derive(Clone, Debug)]
struct Mismatch {
    path: Vec<Step>,
    kind: Kind,
}

impl Mismatch {
    fn of_type(path: &[Step], expected: &Type, actual: &Type) -> Mismatch {
        Mismatch { path: path.to_vec(), kind: Kind::Type(normalize(expected), normalize(actual)) }
    }

    fn is(&self, group: Group) -> bool {
        match group {
            Group::Size => matches!(self.kind, Kind::Size(..) | Kind::Count(..)),
            Group::Count => matches!(self.kind, Kind::Count(..)),
            Group::MissingBlock => matches!(self.kind, Kind::MissingBlock),
            Group::UnexpectedBlock => matches!(self.kind, Kind::UnexpectedBlock),
            Group::Type => matches!(self.kind, Kind::Type(..) | Kind::Pattern(..)),
        }
    }

    fn same_place(&self, other: &Mismatch) -> bool {
        let canonical = |path: &[Step]| -> Vec<Step> {
            path.iter().filter(|step| !matches!(step, Step::Variant(_) | Step::Signature(_))).cloned().collect()
        };
        canonical(&self.path) == canonical(&other.path)
    }

    fn merge(&self, other: &Mismatch) -> Mismatch {
        let variant = |a: &Type, b: &Type| normalize(&Type::variant(vec![a.clone(), b.clone()]));
        let hull = |a: &IntRange, b: &IntRange| {
            let from = a.lower().unwrap_or(0).min(b.lower().unwrap_or(0));
            IntRange::new(Some(from), a.upper().and_then(|x| b.upper().map(|y| x.max(y))))
        };
        let kind = match (&self.kind, &other.kind) {
            (Kind::Type(e, a), Kind::Type(o, _) | Kind::Pattern(o, _)) => Kind::Type(variant(e, o), a.clone()),
            (Kind::Pattern(e, a), Kind::Type(o, _) | Kind::Pattern(o, _)) => Kind::Pattern(variant(e, o), a.clone()),
            (Kind::Size(e, a), Kind::Size(o, _) | Kind::Count(o, _)) => Kind::Size(hull(e, o), *a),
            (Kind::Count(e, a), Kind::Size(o, _) | Kind::Count(o, _)) => Kind::Count(hull(e, o), *a),
            (kind, _) => kind.clone(),
        };
        Mismatch { path: self.path.clone(), kind }
    }

    /// The same without one step.
    fn chop(mut self, at: usize) -> Mismatch {
        if at < self.path.len() {
            self.path.remove(at);
        }
        self
    }

    fn format(&self) -> String {
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
    fn message(&self) -> String {
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

fn range_text(range: IntRange, zero: &str) -> String {
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

fn expanded(t: &Type) -> String {
    t.text(Form::Expanded)
}

/// The name of a type as `name` gives it.
fn type_name(t: &Type) -> String {
    match t {
        Type::Alias(alias) => alias.name().to_owned(),
        Type::Object(object) => object.name.as_deref().unwrap_or("Object").to_owned(),
        Type::TypeSet(set) => set.as_deref().unwrap_or(TypeSet::default_set()).label().to_owned(),
        _ => t.simple_name().to_owned(),
    }
}

fn short_name(t: &Type) -> String {
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
        Some(inner) if *inner != Type::Any => format!("{}[{}]", type_name(t), type_name(inner)),
        _ => type_name(t),
    }
}

fn type_message(expected: &Type, actual: &Type) -> String {
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

fn pattern_message(expected: &Type, actual: &Type) -> String {
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

fn always_detailed(expected: &Type, actual: &Type) -> bool {
    expected.simple_name() == actual.simple_name()
        || matches!(expected, Type::Alias(_))
        || matches!(actual, Type::Alias(_))
        || matches!((expected, actual), (Type::Struct(_), Type::Hash(_)) | (Type::Tuple(_), Type::Array(_)))
}

fn assignable_to_default(expected: &Type, actual: &Type) -> bool {
    is_assignable(&default_of(expected.resolved()), actual)
}

/// The type without parameters.
fn default_of(t: &Type) -> Type {
    match t {
        Type::Boolean(_) => Type::Boolean(None),
        Type::Integer(_) => Type::INTEGER,
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
        Type::Object(_) => Type::any_object(),
        Type::TypeSet(_) => Type::TypeSet(None),
        Type::Resource(_) => Type::any_resource(),
        Type::Class(_) => Type::Class(None),
        _ => t.clone(),
    }
}

fn detailed_actual(expected: &[Type], actual: &Type) -> String {
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

fn with(path: &[Step], step: Step) -> Vec<Step> {
    let mut path = path.to_vec();
    path.push(step);
    path
}

/// The name of a type nobody knows, inside of a type.
fn unresolved(t: &Type, seen: &mut Vec<*const Alias>) -> Option<Arc<str>> {
    match t {
        Type::Reference(name) => return Some(name.clone()),
        Type::Alias(alias) => {
            let at = Arc::as_ptr(alias);
            if seen.contains(&at) {
                return None;
            }
            seen.push(at);
            return alias.resolved().and_then(|inner| unresolved(inner, seen));
        }
        _ => {}
    }
    let mut found = None;
    each_part(t, &mut |part| {
        if found.is_none() {
            found = unresolved(part, seen);
        }
    });
    found
}

fn describe(expected: &Type, actual: &Type, path: &[Step]) -> Vec<Mismatch> {
    if let Some(name) = unresolved(expected, &mut Vec::new()) {
        return vec![Mismatch { path: path.to_vec(), kind: Kind::Unresolved(name) }];
    }
    // A path longer than any real data nests is not followed.
    if path.len() > 500 {
        return vec![Mismatch::of_type(path, expected, actual)];
    }
    describe_inner(&normalize(expected), expected, actual, path)
}

fn describe_inner(expected: &Type, original: &Type, actual: &Type, path: &[Step]) -> Vec<Mismatch> {
    match expected {
        Type::Variant(types) => variant(types, original, actual, path),
        Type::Struct(elements) => structure(elements, original, actual, path),
        Type::Hash(hash) => describe_hash(hash, original, actual, path),
        Type::Tuple(tuple) => describe_tuple(tuple, original, actual, path, false),
        Type::Array(array) => describe_array(array, original, actual, path),
        Type::Callable(callable) => describe_callable(callable, original, actual, path),
        Type::Optional(None) => Vec::new(),
        Type::Optional(Some(inner)) => {
            if *actual == Type::Undef {
                return Vec::new();
            }
            let original = if matches!(original, Type::Alias(_)) { original } else { expected };
            describe_inner(inner, original, actual, path)
        }
        Type::Enum(_) | Type::Pattern(_) => {
            vec![Mismatch { path: path.to_vec(), kind: Kind::Pattern(normalize(original), normalize(actual)) }]
        }
        Type::Alias(alias) => match alias.resolved() {
            Some(inner) => describe_inner(&normalize(inner), expected, actual, path),
            None => vec![Mismatch::of_type(path, original, actual)],
        },
        _ if is_assignable(expected, actual) => Vec::new(),
        _ => vec![Mismatch::of_type(path, original, actual)],
    }
}

fn variant(types: &[Type], original: &Type, actual: &Type, path: &[Step]) -> Vec<Mismatch> {
    let undef = matches!(original, Type::Optional(_)).then_some(Type::Undef);
    let mut all = Vec::with_capacity(types.len());
    for (n, t) in undef.iter().chain(types).enumerate() {
        let found = describe(t, actual, &with(path, Step::Variant(n)));
        if found.is_empty() {
            return found;
        }
        all.push(found);
    }
    let found = merge_descriptions(path.len(), Group::Size, &all);
    if matches!(original, Type::Alias(_)) && found.len() == 1 {
        return vec![Mismatch::of_type(path, original, actual)];
    }
    found
}

/// One description for all variants, where they agree in kind and place.
fn merge_descriptions(position: usize, size: Group, variants: &[Vec<Mismatch>]) -> Vec<Mismatch> {
    let mut all: Vec<Mismatch> = variants.iter().flatten().cloned().collect();
    for group in [size, Group::MissingBlock, Group::UnexpectedBlock, Group::Type] {
        let own: Vec<&Mismatch> = all.iter().filter(|mismatch| mismatch.is(group)).collect();
        if own.len() != variants.len() {
            continue;
        }
        let Some((first, rest)) = own.split_first() else { continue };
        let mut merged = (*first).clone();
        if rest.iter().all(|next| {
            let same = merged.same_place(next);
            merged = merged.merge(next);
            same
        }) {
            all = vec![merged];
            break;
        }
    }
    // Only mismatches about blocks are ever found equal by the reference.
    let mut kept: Vec<Mismatch> = Vec::with_capacity(all.len());
    for mismatch in all {
        let block = mismatch.is(Group::MissingBlock) || mismatch.is(Group::UnexpectedBlock);
        let known = block
            && kept.iter().any(|other| {
                std::mem::discriminant(&other.kind) == std::mem::discriminant(&mismatch.kind)
                    && other.same_place(&mismatch)
            });
        if !known {
            kept.push(mismatch);
        }
    }
    if kept.len() == 1 { kept.into_iter().map(|one| one.chop(position)).collect() } else { kept }
}

fn describe_array(expected: &ArrayType, original: &Type, actual: &Type, path: &[Step]) -> Vec<Mismatch> {
    let size = |expected, actual| vec![Mismatch { path: path.to_vec(), kind: Kind::Size(expected, actual) }];
    match actual {
        Type::Tuple(tuple) => {
            let expected_size = expected.size.unwrap_or(IntRange::SIZE);
            let actual_size = tuple.size.unwrap_or_else(|| IntRange::exactly(len(tuple.types.len())));
            if !expected_size.covers(actual_size) {
                return size(expected_size, actual_size);
            }
            let mut found = Vec::new();
            for (n, t) in tuple.types.iter().enumerate() {
                if !is_assignable(&expected.element, t) {
                    found.extend(describe(&expected.element, t, &with(path, Step::Index(n))));
                }
            }
            found
        }
        Type::Array(array) => {
            let actual_size = array.size.unwrap_or(IntRange::SIZE);
            match expected.size {
                Some(expected_size) if !expected_size.covers(actual_size) => size(expected_size, actual_size),
                _ => vec![Mismatch::of_type(path, original, &Type::array(array.element.clone(), None))],
            }
        }
        _ => vec![Mismatch::of_type(path, original, actual)],
    }
}

fn describe_hash(expected: &HashType, original: &Type, actual: &Type, path: &[Step]) -> Vec<Mismatch> {
    let size = |expected, actual| vec![Mismatch { path: path.to_vec(), kind: Kind::Size(expected, actual) }];
    match actual {
        Type::Struct(elements) => {
            let expected_size = expected.size.unwrap_or(IntRange::SIZE);
            let actual_size = struct_size(elements);
            if !expected_size.covers(actual_size) {
                return size(expected_size, actual_size);
            }
            let mut found = Vec::new();
            for element in elements.iter() {
                let key = element.key_type();
                if !is_assignable(&expected.key, &key) {
                    found.extend(describe(&expected.key, &key, &with(path, Step::EntryKey(element.name.to_string()))));
                }
                if !is_assignable(&expected.value, &element.value) {
                    let path = with(path, Step::Entry(element.name.to_string()));
                    found.extend(describe(&expected.value, &element.value, &path));
                }
            }
            found
        }
        Type::Hash(hash) => {
            let actual_size = hash.size.unwrap_or(IntRange::SIZE);
            match expected.size {
                Some(expected_size) if !expected_size.covers(actual_size) => size(expected_size, actual_size),
                _ => vec![Mismatch::of_type(path, original, &unsized_hash(hash))],
            }
        }
        _ => vec![Mismatch::of_type(path, original, actual)],
    }
}

fn unsized_hash(hash: &HashType) -> Type {
    Type::Hash(Arc::new(HashType { key: hash.key.clone(), value: hash.value.clone(), size: None }))
}

fn struct_size(elements: &[StructElement]) -> IntRange {
    let required = elements.iter().filter(|element| !element.optional).count();
    IntRange::new(Some(len(required)), Some(len(elements.len())))
}

fn structure(expected: &[StructElement], original: &Type, actual: &Type, path: &[Step]) -> Vec<Mismatch> {
    match actual {
        Type::Struct(elements) => {
            let mut found = Vec::new();
            for element in expected {
                let Some(given) = elements.iter().find(|given| given.name == element.name) else {
                    if !element.optional {
                        found.push(Mismatch { path: path.to_vec(), kind: Kind::MissingKey(element.name.clone()) });
                    }
                    continue;
                };
                let (key, given_key) = (element.key_type(), given.key_type());
                if !is_assignable(&key, &given_key) {
                    let path = with(path, Step::EntryKey(element.name.to_string()));
                    found.extend(describe(&key, &given_key, &path));
                }
                if !is_assignable(&element.value, &given.value) {
                    let path = with(path, Step::Entry(element.name.to_string()));
                    found.extend(describe(&element.value, &given.value, &path));
                }
            }
            for given in elements.iter() {
                if !expected.iter().any(|element| element.name == given.name) {
                    found.push(Mismatch { path: path.to_vec(), kind: Kind::ExtraneousKey(given.name.clone()) });
                }
            }
            found
        }
        Type::Hash(hash) => {
            let (expected_size, actual_size) = (struct_size(expected), hash.size.unwrap_or(IntRange::SIZE));
            if expected_size.covers(actual_size) {
                return vec![Mismatch::of_type(path, original, &unsized_hash(hash))];
            }
            vec![Mismatch { path: path.to_vec(), kind: Kind::Size(expected_size, actual_size) }]
        }
        _ => vec![Mismatch::of_type(path, original, actual)],
    }
}

fn describe_tuple(
    expected: &TupleType,
    original: &Type,
    actual: &Type,
    path: &[Step],
    arguments: bool,
) -> Vec<Mismatch> {
    let same = matches!(actual, Type::Tuple(actual) if **actual == *expected);
    if same || (expected.types.is_empty() && matches!(actual, Type::Array(_))) {
        return Vec::new();
    }
    let expected_size = expected.size_range();
    let size = |actual| {
        let kind = if arguments { Kind::Count(expected_size, actual) } else { Kind::Size(expected_size, actual) };
        vec![Mismatch { path: path.to_vec(), kind }]
    };
    let mut found = Vec::new();
    match actual {
        Type::Tuple(tuple) => {
            if !expected_size.covers(tuple.size_range()) {
                return size(tuple.size_range());
            }
            for (n, t) in tuple.types.iter().enumerate() {
                let at = n.min(expected.types.len().saturating_sub(1));
                if let Some(element) = expected.types.get(at) {
                    found.extend(describe(element, t, &with(path, Step::Index(at))));
                }
            }
        }
        Type::Array(array) => {
            let actual_size = array.size.unwrap_or(IntRange::SIZE);
            if !expected_size.covers(actual_size) {
                return size(actual_size);
            }
            for (n, element) in expected.types.iter().enumerate() {
                found.extend(describe(element, &array.element, &with(path, Step::Index(n))));
            }
        }
        _ => found.push(Mismatch::of_type(path, original, actual)),
    }
    found
}

fn describe_callable(expected: &CallableType, original: &Type, actual: &Type, path: &[Step]) -> Vec<Mismatch> {
    let Type::Callable(given) = actual else { return vec![Mismatch::of_type(path, original, actual)] };
    if expected.params.is_none() && expected.returns.is_none() {
        return Vec::new();
    }
    if let (Some(params), Some(given_params)) = (&expected.params, &given.params) {
        let tuple = Type::Tuple(Arc::new(given_params.clone()));
        let original = Type::Tuple(Arc::new(params.clone()));
        let found = describe_tuple(params, &original, &tuple, path, true);
        if !found.is_empty() {
            return found;
        }
    }
    let (returns, given_returns) =
        (expected.returns.as_ref().unwrap_or(&Type::Any), given.returns.as_ref().unwrap_or(&Type::Any));
    if !is_assignable(returns, given_returns) {
        return vec![Mismatch::of_type(&with(path, Step::Return), returns, given_returns)];
    }
    let (block, given_block) =
        (expected.block.as_ref().unwrap_or(&Type::Undef), given.block.as_ref().unwrap_or(&Type::Undef));
    if !is_assignable(given_block, block) {
        return vec![Mismatch::of_type(&with(path, Step::Block), block, given_block)];
    }
    Vec::new()
}

/// Why `actual` is not assignable to `expected`, with `name` as the subject: `name expects a String value, got Integer`.
/// Several reasons are on lines of their own. Empty when there is none.
#[must_use]
pub fn describe_mismatch(name: &str, expected: &Type, actual: &Type) -> String {
    let found = describe(expected, actual, &[Step::Subject(name.to_owned())]);
    match found.as_slice() {
        [] => String::new(),
        [one] => one.format().trim().to_owned(),
        _ => join(&found),
    }
}

fn join(found: &[Mismatch]) -> String {
    found.iter().map(Mismatch::format).collect::<Vec<_>>().join("\n ")
}

/// Checks a value; the subject is followed by `has wrong type,`.
///
/// # Errors
/// `subject has wrong type, expects …`
pub fn assert_instance(subject: &str, expected: &Type, value: &Value) -> Result<(), Reason> {
    if is_instance(expected, value) {
        return Ok(());
    }
    Err(type_mismatch(describe_mismatch(&format!("{subject} has wrong type,"), expected, &infer_set(value))))
}

fn type_mismatch(message: String) -> Reason {
    Reason::new(Code("TYPE_MISMATCH"), message)
}

fn about(subject: &str, found: &[Mismatch]) -> Result<(), Reason> {
    match found {
        [] => Ok(()),
        [one] => Err(type_mismatch(format!("{subject}:{}", one.format()))),
        _ => Err(type_mismatch(format!("{subject}:\n {}", join(found)))),
    }
}

/// Checks the parameters given to a class, define or resource: unknown ones, missing ones and wrong values.
///
/// `deferred` gives the type a deferred call returns, `None` when that is not known.
///
/// # Errors
/// `subject: parameter 'x' expects …`, several on lines of their own.
pub fn validate_parameters<'a>(
    subject: &str,
    params: &[StructElement],
    given: impl Iterator<Item = (&'a str, &'a Value)>,
    missing_ok: bool,
    deferred: &mut dyn FnMut(&Value) -> Option<Type>,
) -> Result<(), Reason> {
    let given: indexmap::IndexMap<&str, &Value> = given.collect();
    let mut found: Vec<Mismatch> = given
        .keys()
        .filter(|name| !params.iter().any(|param| *param.name == ***name))
        .map(|name| Mismatch { path: Vec::new(), kind: Kind::InvalidParameter((*name).to_owned()) })
        .collect();
    for param in params {
        let Some(value) = given.get(&*param.name) else {
            if !missing_ok && !param.optional {
                found.push(Mismatch { path: Vec::new(), kind: Kind::MissingParameter(param.name.clone()) });
            }
            continue;
        };
        let path = || [Step::Parameter(param.name.to_string())];
        if matches!(value, Value::Object(object) if object.object_type.name.as_deref() == Some("Deferred")) {
            if let Some(returns) = deferred(value)
                && !is_assignable(&generalize(&param.value), &generalize(&returns))
            {
                found.extend(describe(&param.value, &returns, &path()));
            }
        } else if !is_instance(&param.value, value) {
            found.extend(describe(&param.value, &infer_set(value), &path()));
        }
    }
    about(subject, &found)
}

/// Checks the default value of a parameter.
///
/// # Errors
/// `subject: parameter 'x' expects …`
pub fn validate_default_parameter(subject: &str, name: &str, expected: &Type, value: &Value) -> Result<(), Reason> {
    if is_instance(expected, value) {
        return Ok(());
    }
    let actual = generalize(&infer_set(value));
    about(subject, &describe(expected, &actual, &[Step::Parameter(name.to_owned())]))
}

/// Why a call fits none of a function's signatures. `name` is `lambda` for a block. `block` is the type of the block
/// that was given.
#[must_use]
pub fn describe_signatures(name: &str, signatures: &[Signature], args: &[Value], block: Option<&Type>) -> String {
    let types: Vec<Type> = args.iter().map(infer_set).chain(block.cloned()).collect();
    let mut all: Vec<Vec<Mismatch>> =
        signatures.iter().enumerate().map(|(n, own)| arguments(own, &types, &[Step::Signature(n)])).collect();
    if all.iter().any(Vec::is_empty) {
        let blocks: Vec<Vec<Mismatch>> =
            signatures.iter().enumerate().map(|(n, own)| block_of(own, &types, &[Step::Signature(n)])).collect();
        let wrong = blocks.iter().filter(|found| !found.is_empty()).count();
        if wrong == blocks.len() {
            all = blocks;
        } else if wrong > 0 {
            for (found, block) in all.iter_mut().zip(blocks) {
                if found.is_empty() {
                    *found = block;
                }
            }
        }
    }
    let label = if name == "lambda" { "block".to_owned() } else { format!("'{name}'") };
    let merged = merge_descriptions(0, Group::Count, &all);
    if let [one] = merged.as_slice() {
        return format!("{label}{}", one.format());
    }
    let rejected = |out: &mut Vec<String>, indent: &str, found: &[Mismatch]| {
        out.extend(found.iter().map(|one| format!("{indent}rejected:{}", one.clone().chop(0).format())));
    };
    let mut lines;
    if let ([signature], [found]) = (signatures, all.as_slice()) {
        lines = vec![format!("{label} expects ({})", signature_text(signature))];
        rejected(&mut lines, "  ", found);
    } else {
        lines = vec![format!("The function {label} was called with arguments it does not accept. It expects one of:")];
        for (signature, found) in signatures.iter().zip(&all) {
            lines.push(format!("  ({})", signature_text(signature)));
            rejected(&mut lines, "    ", found);
        }
    }
    lines.join("\n")
}

fn arguments(signature: &Signature, types: &[Type], path: &[Step]) -> Vec<Mismatch> {
    let any = TupleType::default_params();
    let params = signature.callable.params.as_ref().unwrap_or(&any);
    let given = match types.last() {
        Some(last) if kind_of_callable(last, true) => types.get(..types.len() - 1).unwrap_or_default(),
        _ => types,
    };
    let (expected, actual) = (params.size_range(), IntRange::exactly(len(given.len())));
    if !expected.covers(actual) {
        return vec![Mismatch { path: path.to_vec(), kind: Kind::Count(expected, actual) }];
    }
    for (n, t) in given.iter().enumerate() {
        let at = n.min(params.types.len().saturating_sub(1));
        let Some(param) = params.types.get(at) else { continue };
        if !is_assignable(param, t) {
            let name = signature.names.get(at).map(ToString::to_string).unwrap_or_default();
            let found = describe(param, t, &with(path, Step::Parameter(name)));
            if !found.is_empty() {
                return found;
            }
        }
    }
    Vec::new()
}

impl TupleType {
    /// Any number of parameters of any type.
    fn default_params() -> TupleType {
        TupleType { types: Vec::new(), size: Some(IntRange::SIZE) }
    }
}

fn block_of(signature: &Signature, types: &[Type], path: &[Step]) -> Vec<Mismatch> {
    let given = types.last().filter(|last| kind_of_callable(last, true));
    let one = |kind| vec![Mismatch { path: path.to_vec(), kind }];
    match (given, &signature.callable.block) {
        (Some(_), None) => one(Kind::UnexpectedBlock),
        (Some(given), Some(expected)) => describe(expected, given, &with(path, Step::Block)),
        (None, Some(expected)) if !is_assignable(expected, &Type::Undef) => one(Kind::MissingBlock),
        (None, _) => Vec::new(),
    }
}

/// The parameters of a signature as messages show them: `String name, Integer size?`.
#[must_use]
pub fn signature_text(signature: &Signature) -> String {
    let any = TupleType::default_params();
    let params = signature.callable.params.as_ref().unwrap_or(&any);
    let size = params.size_range();
    if size.is_zero() {
        return String::new();
    }
    let required = size.lower().unwrap_or(0);
    let empty: Arc<str> = Arc::from("");
    let names: Vec<&Arc<str>> = if signature.names.is_empty() {
        params.types.iter().map(|_| &empty).collect()
    } else {
        signature.names.iter().collect()
    };
    let mut parts = Vec::with_capacity(names.len());
    for (n, name) in names.iter().enumerate() {
        let Some(mut t) = params.at(n) else { continue };
        let mut indicator = "";
        if size.upper().is_none() && n + 1 == names.len() {
            indicator = if required == len(names.len()) { "+" } else { "*" };
        } else if len(n + 1) > required {
            indicator = "?";
            if let Type::Optional(Some(inner)) = t {
                t = inner;
            }
        }
        parts.push(format!("{t} {name}{indicator}"));
    }
    let block_name = signature.block_name.as_deref().unwrap_or("block");
    match &signature.callable.block {
        Some(Type::Optional(Some(inner))) => parts.push(format!("{inner} {block_name}?")),
        Some(block @ Type::Callable(_)) => parts.push(format!("{block} {block_name}")),
        _ => {}
    }
    parts.join(", ")
}
