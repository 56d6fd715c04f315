//! `Init[T, …]`: values from which `T.new` can create a value.
//!
//! In: the type and values. Out: whether `new` accepts them, and the new values. Must not: repeat rules of constructors.

use std::cell::RefCell;
use std::sync::Arc;

use super::NewResult;
use super::construct;
use super::constructor_kind;
use super::fail;
use super::object_signatures;
use super::resolve_target;
use super::unsupported;
use crate::types::InitType;
use crate::types::IntRange;
use crate::types::TupleType;
use crate::types::Type;
use crate::types::constructors::signature;
use crate::types::constructors::signatures;
use crate::types::generalize;
use crate::types::infer_set;
use crate::types::is_assignable;
use crate::types::is_instance;
use crate::types::mismatch::Signature;
use crate::types::mismatch::assert_instance;
use crate::types::mismatch::describe_signatures;
use crate::types::parse::AliasResolver;
use crate::value::Value;
use catwalk_base::diag::Reason;

/// The arguments that an `Init` accepts: single values, and argument lists.
struct InitArguments {
    single: Type,
    lists: Vec<TupleType>,
    lists_accept_one: bool,
}

fn accepted_arguments(init: &InitType) -> Result<InitArguments, Reason> {
    let Some(target_type) = &init.target else { return Err(unsupported(&Type::any_init())) };
    let signatures = constructor_signatures(target_type)?;
    let tuples: Vec<TupleType> = signatures.into_iter().filter_map(|signature| signature.callable.params).collect();
    let mut single = vec![target_type.clone()];
    let mut lists = Vec::new();
    if init.args.is_empty() {
        for tuple in tuples {
            match tuple.types.first() {
                Some(t) if tuple.size_range() == IntRange::exactly(1) => single.push(t.clone()),
                _ => lists.push(tuple),
            }
        }
    } else {
        single.extend(first_parameters(init, target_type, &tuples)?);
    }
    let lists_accept_one = lists.iter().any(|tuple| tuple.size_range().lower() == Some(1));
    Ok(InitArguments { single: Type::variant(single), lists, lists_accept_one })
}

/// The signatures of the `new` of a type.
fn constructor_signatures(target_type: &Type) -> Result<Vec<Signature>, Reason> {
    let refuse = || unsupported(target_type);
    if matches!(target_type, Type::Init(_) | Type::Optional(_) | Type::NotUndef(_)) {
        return Err(refuse());
    }
    Ok(match resolve_target(target_type)? {
        // An alias of an Init is not recognized as one, so it takes one value. (`PInitType#new_function`)
        Type::Init(inner) if inner.args.is_empty() => {
            let name: Arc<str> = Arc::from("value");
            let one_parameter = |t: Type| signature(vec![t], 1, vec![name.clone()]);
            vec![one_parameter(Type::array(Type::Any, None)), one_parameter(Type::Any)]
        }
        Type::Init(_) => vec![signature(vec![Type::Any], 1, vec![Arc::from("value")])],
        Type::Object(object) => {
            let object = object.base.as_ref().unwrap_or(object);
            let mut signatures = object_signatures(object).1;
            // `new` of an annotation accepts no arguments, not even an empty hash.
            if object.name.as_deref() == Some("Annotation") {
                signatures.remove(0);
            }
            signatures
        }
        t => constructor_kind(t).and_then(signatures).ok_or_else(refuse)?.1.clone(),
    })
}

/// The types of the first parameter of the signatures that accept the further arguments of an `Init`.
fn first_parameters(init: &InitType, target_type: &Type, tuples: &[TupleType]) -> Result<Vec<Type>, Reason> {
    let count = crate::types::len(1 + init.args.len());
    let rest: Vec<Type> = init.args.iter().map(infer_set).collect();
    let mut has_match = false;
    let mut first = Vec::new();
    for tuple in tuples.iter().filter(|tuple| tuple.size_range().contains(count)) {
        let types: Vec<Type> = tuple.types.first().cloned().into_iter().chain(rest.clone()).collect();
        if is_assignable(&Type::Tuple(Arc::new(tuple.clone())), &Type::tuple(types, None)) {
            has_match = true;
            first.extend(tuple.types.first().cloned());
        }
    }
    if has_match {
        return Ok(first);
    }
    let init_type = Type::Init(Arc::new(init.clone()));
    let subject = match target_type {
        Type::Alias(alias) => alias.name().to_owned(),
        t => generalize(t).simple_name().to_owned(),
    };
    let text = format!("The type '{init_type}' does not represent a valid set of parameters for {subject}.new()");
    Err(fail(text))
}

pub(super) fn construct_init(
    t: &Type,
    init: &InitType,
    args: &[Value],
    resolver: &mut dyn AliasResolver,
    depth: u32,
) -> NewResult {
    let Some(target_type) = &init.target else { return Err(unsupported(t)) };
    let accepted = accepted_arguments(init)?;
    let [value] = args else {
        let signatures = [signature(vec![Type::Any], 1, vec![Arc::from("value")])];
        return Err(fail(describe_signatures("new_Init", &signatures, args, None)));
    };
    let create = |args: &[Value], resolver: &mut dyn AliasResolver| {
        if let [value] = args
            && is_instance(target_type, value)
        {
            return Ok(value.clone());
        }
        let created = construct(target_type, args, resolver, depth + 1)?;
        assert_instance(&format!("Converted value from {target_type}.new()"), target_type, &created)?;
        Ok(created)
    };
    if !init.args.is_empty() {
        let mut all = vec![value.clone()];
        all.extend(init.args.iter().cloned());
        return create(&all, resolver);
    }
    let Value::Array(items) = value else { return create(args, resolver) };
    let lists_accept =
        |value: &Value| accepted.lists.iter().any(|list| is_instance(&Type::Tuple(Arc::new(list.clone())), value));
    let wrapped = Value::array(vec![value.clone()]);
    let as_one = is_instance(&accepted.single, value)
        || (!lists_accept(value) && accepted.lists_accept_one && lists_accept(&wrapped));
    if as_one { create(args, resolver) } else { create(items, resolver) }
}

/// Checks that matching a value with a type raises no error in Ruby: an `Init` (`PInitType#assert_initialized`) and regular
/// expressions are initialized on the first match, and an `Iterable` calls a missing method of an object.
///
/// # Errors
/// An `Init` has no `new`, or none that takes these arguments; an object has no elements; a pattern is invalid.
pub fn check_matchable(t: &Type, value: &Value) -> Result<(), Reason> {
    check_nested(t, value, MAX_DEPTH)
}

/// A limit on nested alternatives: aliases may contain themselves.
const MAX_DEPTH: usize = 8;

fn check_nested(t: &Type, value: &Value, left: usize) -> Result<(), Reason> {
    let Some(left) = left.checked_sub(1) else { return Ok(()) };
    match t {
        Type::Init(init) if init.target.is_some() => accepted_arguments(init).map(drop),
        Type::Iterable(Some(element)) if **element != Type::Any => match value {
            // A type with type parameters is an extension of an object type, which matches nothing here.
            Value::Object(object) if !object.object_type.is_parameterized() => {
                Err(Reason::runtime("undefined method `element_type' for false:FalseClass"))
            }
            _ => Ok(()),
        },
        Type::Regexp(Some(regexp)) => regexp.check().map_err(|error| Reason::runtime(error.message().to_owned())),
        Type::Optional(Some(inner)) | Type::NotUndef(Some(inner)) => check_nested(inner, value, left),
        Type::Variant(types) => types.iter().try_for_each(|t| check_nested(t, value, left)),
        Type::Alias(alias) if !alias.is_recursive() => {
            alias.resolved().map_or(Ok(()), |t| check_nested(t, value, left))
        }
        _ => Ok(()),
    }
}

thread_local! {
    /// The `Init` types being matched. An object type may have an attribute `Init` of itself: a match inside its own match is
    /// false. (`PInitType#guarded_recursion`)
    static OPEN: RefCell<Vec<*const InitType>> = const { RefCell::new(Vec::new()) };
}

/// Marks an `Init` type as being matched until drop.
struct OpenInit;

impl OpenInit {
    /// `None` if it is being matched already.
    fn new(init: &InitType) -> Option<OpenInit> {
        let address = std::ptr::from_ref(init);
        let is_open = OPEN.with_borrow(|open| open.contains(&address));
        if is_open {
            return None;
        }
        OPEN.with_borrow_mut(|open| open.push(address));
        Some(OpenInit)
    }
}

impl Drop for OpenInit {
    fn drop(&mut self) {
        OPEN.with_borrow_mut(|open| open.pop());
    }
}

/// Whether a value is accepted by the `new` of an `Init` type.
pub(crate) fn init_instance(init: &InitType, value: &Value) -> bool {
    let Some(target_type) = &init.target else { return false };
    let Some(_open) = OpenInit::new(init) else { return false };
    if is_instance(target_type, value) {
        return true;
    }
    let Ok(accepted) = accepted_arguments(init) else { return false };
    let lists_accept =
        |value: &Value| accepted.lists.iter().any(|list| is_instance(&Type::Tuple(Arc::new(list.clone())), value));
    is_instance(&accepted.single, value)
        || lists_accept(value)
        || (accepted.lists_accept_one && lists_accept(&Value::array(vec![value.clone()])))
}

/// Whether an `Init` type covers a second `Init` type. `covers` compares their target types; the result is false on recursion to this type.
pub(crate) fn init_covers(init: &InitType, covers: impl FnOnce() -> bool) -> bool {
    OpenInit::new(init).is_some_and(|_open| covers())
}

/// Whether Puppet's check that another type is not assignable returns nil instead of `false`: an `Init` last checks the
/// argument lists of `new`, and there may be none. (`PInitType#_assignable?`)
pub fn is_assignable_nil(expected: &Type, actual: &Type) -> bool {
    match (expected, actual.resolved()) {
        (Type::Alias(alias), actual) if !alias.is_recursive() => {
            alias.resolved().is_some_and(|expected| is_assignable_nil(expected, actual))
        }
        (Type::Optional(Some(inner)), actual) => is_assignable_nil(inner, actual),
        (Type::Array(array), Type::Array(actual)) => {
            array.size.is_none() && is_assignable_nil(&array.element, &actual.element)
        }
        (Type::Init(_), Type::Init(_) | Type::Variant(_)) => false,
        (Type::Init(init), _) => accepted_arguments(init).is_ok_and(|accepted| accepted.lists.is_empty()),
        _ => false,
    }
}

/// Whether all values of a type are accepted by the `new` of an `Init` type.
pub(crate) fn init_assignable(init: &InitType, other: &Type) -> bool {
    let Some(target_type) = &init.target else { return false };
    let Some(_open) = OpenInit::new(init) else { return false };
    if is_assignable(target_type, other) {
        return true;
    }
    let Ok(accepted) = accepted_arguments(init) else { return false };
    let lists_accept =
        |t: &Type| accepted.lists.iter().any(|list| is_assignable(&Type::Tuple(Arc::new(list.clone())), t));
    is_assignable(&accepted.single, other)
        || lists_accept(other)
        || (accepted.lists_accept_one && lists_accept(&Type::tuple(vec![other.clone()], None)))
}
