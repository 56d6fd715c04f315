//! Describes why a value is not of a type, with Puppet's messages.
//!
//! In: an expected type and the type of the value. Out: messages such as `parameter 'x' entry 'k' expects a String value, got
//! Integer`. Must not: know the caller.
//!
//! The rules are those of Puppet's `TypeMismatchDescriber`, including its bugs, since scripts compare these strings.

mod collections;
mod message;
mod signatures;

use crate::types::Alias;
use crate::types::CallableType;
use crate::types::StructElement;
use crate::types::Type;
use crate::types::alias::each_part;
use crate::types::generalize;
use crate::types::infer_set;
use crate::types::is_assignable;
use crate::types::is_instance;
use crate::types::mismatch::message::Group;
use crate::types::mismatch::message::Kind;
use crate::types::mismatch::message::Mismatch;
use crate::types::mismatch::message::Step;
use crate::types::normalize;
use crate::value::Value;
use catwalk_base::diag::Code;
use catwalk_base::diag::Reason;
use collections::describe_array;
use collections::describe_hash;
use collections::describe_struct;
use collections::describe_tuple;
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

fn extend_path(path: &[Step], step: Step) -> Vec<Step> {
    let mut path = path.to_vec();
    path.push(step);
    path
}

/// The first name in a type that cannot be resolved: `Stdlib::Port` in `Array[Stdlib::Port]`.
#[must_use]
pub fn unresolved_name(t: &Type) -> Option<Arc<str>> {
    find_unresolved(t, &mut Vec::new())
}

/// Searches a type for an unresolved name.
fn find_unresolved(t: &Type, seen: &mut Vec<*const Alias>) -> Option<Arc<str>> {
    match t {
        Type::Reference(name) => return Some(name.clone()),
        Type::Alias(alias) => {
            let at = Arc::as_ptr(alias);
            if seen.contains(&at) {
                return None;
            }
            seen.push(at);
            return alias.resolved().and_then(|inner| find_unresolved(inner, seen));
        }
        // An object type that contains itself does so by an alias (`PObjectType#accept`).
        Type::Object(object) => {
            return object.parts().into_iter().find_map(|part| find_unresolved(part, seen));
        }
        _ => {}
    }
    let mut found = None;
    each_part(t, &mut |part| {
        if found.is_none() {
            found = find_unresolved(part, seen);
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
pub fn check_describable(expected: &Type, value: &Value) -> Result<(), Reason> {
    if is_endless(expected) {
        return Err(Reason::runtime("stack level too deep").help("a type alias refers to itself"));
    }
    crate::types::check_matchable(expected, value)
}

fn describe(expected: &Type, actual: &Type, path: &[Step]) -> Vec<Mismatch> {
    if is_endless(expected) {
        return vec![Mismatch::new_type(path, expected, actual)];
    }
    if let Some(name) = find_unresolved(expected, &mut Vec::new()) {
        return vec![Mismatch { path: path.to_vec(), kind: Kind::Unresolved(name) }];
    }
    // The limit is above the nesting of any real data.
    if path.len() > 500 {
        return vec![Mismatch::new_type(path, expected, actual)];
    }
    describe_inner(&normalize(expected), expected, actual, path)
}

fn describe_inner(expected: &Type, original: &Type, actual: &Type, path: &[Step]) -> Vec<Mismatch> {
    match expected {
        Type::Variant(types) => describe_variant(types, original, actual, path),
        Type::Struct(elements) => describe_struct(elements, original, actual, path),
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
            None => vec![Mismatch::new_type(path, original, actual)],
        },
        _ if is_assignable(expected, actual) => Vec::new(),
        _ => vec![Mismatch::new_type(path, original, actual)],
    }
}

fn describe_variant(types: &[Type], original: &Type, actual: &Type, path: &[Step]) -> Vec<Mismatch> {
    let undef = matches!(original, Type::Optional(_)).then_some(Type::Undef);
    let mut all = Vec::with_capacity(types.len());
    for (n, t) in undef.iter().chain(types).enumerate() {
        let mismatches = describe(t, actual, &extend_path(path, Step::Variant(n)));
        if mismatches.is_empty() {
            return mismatches;
        }
        all.push(mismatches);
    }
    let merged = merge_descriptions(path.len(), Group::Size, &all);
    if matches!(original, Type::Alias(_)) && merged.len() == 1 {
        return vec![Mismatch::new_type(path, original, actual)];
    }
    merged
}

/// One description for all variants, if they have the same kind and path.
fn merge_descriptions(position: usize, size: Group, variants: &[Vec<Mismatch>]) -> Vec<Mismatch> {
    let mut all: Vec<Mismatch> = variants.iter().flatten().cloned().collect();
    for group in [size, Group::MissingBlock, Group::UnexpectedBlock, Group::Type] {
        let in_group: Vec<&Mismatch> = all.iter().filter(|mismatch| mismatch.is_in(group)).collect();
        if in_group.len() != variants.len() {
            continue;
        }
        let Some((first, rest)) = in_group.split_first() else { continue };
        let mut merged = (*first).clone();
        if rest.iter().all(|next| {
            let same = merged.has_same_path(next);
            merged = merged.merge(next);
            same
        }) {
            all = vec![merged];
            break;
        }
    }
    // In Puppet only mismatches about blocks can be equal.
    let mut distinct: Vec<Mismatch> = Vec::with_capacity(all.len());
    for mismatch in all {
        let block = mismatch.is_in(Group::MissingBlock) || mismatch.is_in(Group::UnexpectedBlock);
        let is_duplicate = block
            && distinct.iter().any(|other| {
                std::mem::discriminant(&other.kind) == std::mem::discriminant(&mismatch.kind)
                    && other.has_same_path(&mismatch)
            });
        if !is_duplicate {
            distinct.push(mismatch);
        }
    }
    if distinct.len() == 1 { distinct.into_iter().map(|one| one.without_step(position)).collect() } else { distinct }
}

fn describe_callable(expected: &CallableType, original: &Type, actual: &Type, path: &[Step]) -> Vec<Mismatch> {
    let Type::Callable(actual) = actual else { return vec![Mismatch::new_type(path, original, actual)] };
    if expected.params.is_none() && expected.returns.is_none() {
        return Vec::new();
    }
    if let (Some(params), Some(actual_params)) = (&expected.params, &actual.params) {
        let tuple = Type::Tuple(Arc::new(actual_params.clone()));
        let original = Type::Tuple(Arc::new(params.clone()));
        let mismatches = describe_tuple(params, &original, &tuple, path, true);
        if !mismatches.is_empty() {
            return mismatches;
        }
    }
    let (returns, actual_returns) =
        (expected.returns.as_ref().unwrap_or(&Type::Any), actual.returns.as_ref().unwrap_or(&Type::Any));
    if !is_assignable(returns, actual_returns) {
        return vec![Mismatch::new_type(&extend_path(path, Step::Return), returns, actual_returns)];
    }
    let (block, actual_block) =
        (expected.block.as_ref().unwrap_or(&Type::Undef), actual.block.as_ref().unwrap_or(&Type::Undef));
    if !is_assignable(actual_block, block) {
        return vec![Mismatch::new_type(&extend_path(path, Step::Block), block, actual_block)];
    }
    Vec::new()
}

/// Why `actual` is not assignable to `expected`, with `name` as the subject: `name expects a String value, got Integer`. Each of
/// several reasons is on its own line. Empty if it is assignable.
#[must_use]
pub fn describe_mismatch(name: &str, expected: &Type, actual: &Type) -> String {
    let mismatches = describe(expected, actual, &[Step::Subject(name.to_owned())]);
    match mismatches.as_slice() {
        [] => String::new(),
        [one] => one.format().trim().to_owned(),
        _ => join(&mismatches),
    }
}

fn join(mismatches: &[Mismatch]) -> String {
    mismatches.iter().map(Mismatch::format).collect::<Vec<_>>().join("\n ")
}

/// Checks a value; the subject is followed by `has wrong type,`.
///
/// # Errors
/// `subject has wrong type, expects …`
pub fn assert_instance(subject: &str, expected: &Type, value: &Value) -> Result<(), Reason> {
    if is_instance(expected, value) && !matches!(expected.resolved(), Type::Init(_)) {
        return Ok(());
    }
    check_describable(expected, value)?;
    if is_instance(expected, value) {
        return Ok(());
    }
    Err(type_mismatch(describe_mismatch(&format!("{subject} has wrong type,"), expected, &infer_set(value))))
}

fn type_mismatch(message: String) -> Reason {
    Reason::new(Code::TYPE_MISMATCH, message)
}

fn report(subject: &str, mismatches: &[Mismatch]) -> Result<(), Reason> {
    match mismatches {
        [] => Ok(()),
        [one] => Err(type_mismatch(format!("{subject}:{}", one.format()))),
        _ => Err(type_mismatch(format!("{subject}:\n {}", join(mismatches)))),
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
    values: impl Iterator<Item = (&'a str, &'a Value)>,
    missing_ok: bool,
    deferred: &mut dyn FnMut(&Value) -> Option<Type>,
) -> Result<(), Reason> {
    let values: indexmap::IndexMap<&str, &Value> = values.collect();
    let names: rustc_hash::FxHashSet<&str> = params.iter().map(|param| &*param.name).collect();
    let mut mismatches: Vec<Mismatch> = values
        .keys()
        .filter(|name| !names.contains(**name))
        .map(|name| Mismatch { path: Vec::new(), kind: Kind::InvalidParameter((*name).to_owned()) })
        .collect();
    for param in params {
        let Some(value) = values.get(&*param.name) else {
            if !missing_ok && !param.optional {
                mismatches.push(Mismatch { path: Vec::new(), kind: Kind::MissingParameter(param.name.clone()) });
            }
            continue;
        };
        let path = || [Step::Parameter(param.name.to_string())];
        if matches!(value, Value::Object(object) if object.object_type.name.as_deref() == Some("Deferred")) {
            if let Some(returns) = deferred(value)
                && !is_assignable(&generalize(&param.value), &generalize(&returns))
            {
                mismatches.extend(describe(&param.value, &returns, &path()));
            }
        } else if !is_instance(&param.value, value) {
            mismatches.extend(describe(&param.value, &infer_set(value), &path()));
        }
    }
    report(subject, &mismatches)
}
