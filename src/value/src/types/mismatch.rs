//! Describes why a value is not of a type, with Puppet's messages.
//!
//! In: an expected type and the type of the value. Out: messages such as `parameter 'x' entry 'k' expects a String value, got
//! Integer`. Must not: know the caller.
//!
//! The rules are those of Puppet's `TypeMismatchDescriber`, including its bugs, since scripts compare these strings.

mod collections;
mod signatures;
mod words;

use crate::types::Alias;
use crate::types::CallableType;
use crate::types::StructElement;
use crate::types::Type;
use crate::types::alias::each_part;
use crate::types::generalize;
use crate::types::infer_set;
use crate::types::is_assignable;
use crate::types::is_instance;
use crate::types::mismatch::words::Group;
use crate::types::mismatch::words::Kind;
use crate::types::mismatch::words::Mismatch;
use crate::types::mismatch::words::Step;
use crate::types::normalize;
use crate::value::Value;
use catwalk_base::diag::Code;
use catwalk_base::diag::Reason;
use collections::describe_array;
use collections::describe_hash;
use collections::describe_tuple;
use collections::structure;
pub use signatures::describe_signatures;
use std::sync::Arc;

/// The signature of a function, with the names for messages.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Signature {
    /// Parameters, block and result.
    pub callable: CallableType,
    /// Names of the parameters.
    pub names: Vec<Arc<str>>,
    /// Name of the block.
    pub block_name: Option<Arc<str>>,
}

fn with(path: &[Step], step: Step) -> Vec<Step> {
    let mut path = path.to_vec();
    path.push(step);
    path
}

/// The first name in a type that cannot be resolved: `Stdlib::Port` in `Array[Stdlib::Port]`.
#[must_use]
pub fn unresolved_name(t: &Type) -> Option<Arc<str>> {
    unresolved(t, &mut Vec::new())
}

/// Searches a type for an unresolved name.
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
        // An object type that contains itself does so by an alias (`PObjectType#accept`).
        Type::Object(object) => {
            return object.parts().into_iter().find_map(|part| unresolved(part, seen));
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

/// Whether a type consists only of aliases of itself: `type T = Optional[T]`.
pub(super) fn is_endless(t: &Type) -> bool {
    let mut at = t;
    for _ in 0..64 {
        at = match at {
            Type::Alias(alias) => match alias.resolved() {
                Some(inner) => inner,
                None => return false,
            },
            Type::Optional(Some(inner)) => inner,
            _ => return false,
        }
    }
    true
}

/// Checks whether a mismatch can be described.
///
/// # Errors
/// The type refers to itself endlessly, or is invalid.
pub fn describable(expected: &Type, value: &Value) -> Result<(), Reason> {
    if is_endless(expected) {
        return Err(Reason::runtime("stack level too deep").help("a type alias stands for itself"));
    }
    crate::types::check_matchable(expected, value)
}

fn describe(expected: &Type, actual: &Type, path: &[Step]) -> Vec<Mismatch> {
    if is_endless(expected) {
        return vec![Mismatch::of_type(path, expected, actual)];
    }
    if let Some(name) = unresolved(expected, &mut Vec::new()) {
        return vec![Mismatch { path: path.to_vec(), kind: Kind::Unresolved(name) }];
    }
    // The limit is above the nesting of any real data.
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
            // An object type that names itself in its definition is not an alias.
            Some(inner @ Type::Object(object)) if object.name.as_deref() == Some(alias.name()) => {
                describe_inner(inner, original, actual, path)
            }
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

/// One description for all variants, if they have the same kind and path.
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
    // In Puppet only mismatches about blocks can be equal.
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

/// Why `actual` is not assignable to `expected`, with `name` as the subject: `name expects a String value, got Integer`. Each of
/// several reasons is on its own line. Empty if it is assignable.
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
    if is_instance(expected, value) && !matches!(expected.resolved(), Type::Init(_)) {
        return Ok(());
    }
    describable(expected, value)?;
    if is_instance(expected, value) {
        return Ok(());
    }
    Err(type_mismatch(describe_mismatch(&format!("{subject} has wrong type,"), expected, &infer_set(value))))
}

fn type_mismatch(message: String) -> Reason {
    Reason::new(Code::TYPE_MISMATCH, message)
}

fn about(subject: &str, found: &[Mismatch]) -> Result<(), Reason> {
    match found {
        [] => Ok(()),
        [one] => Err(type_mismatch(format!("{subject}:{}", one.format()))),
        _ => Err(type_mismatch(format!("{subject}:\n {}", join(found)))),
    }
}

/// Checks the parameters of a class, define or resource: unknown ones, missing ones and wrong values.
///
/// `deferred` returns the type that a deferred call returns, `None` if it is unknown.
///
/// # Errors
///
/// `subject: parameter 'x' expects …`, each of several on its own line.
pub fn validate_parameters<'a>(
    subject: &str,
    params: &[StructElement],
    given: impl Iterator<Item = (&'a str, &'a Value)>,
    missing_ok: bool,
    deferred: &mut dyn FnMut(&Value) -> Option<Type>,
) -> Result<(), Reason> {
    let given: indexmap::IndexMap<&str, &Value> = given.collect();
    let known: rustc_hash::FxHashSet<&str> = params.iter().map(|param| &*param.name).collect();
    let mut found: Vec<Mismatch> = given
        .keys()
        .filter(|name| !known.contains(**name))
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
