//! `annotate`: annotations of values (Puppet::Pops::Types::Annotation).

use std::sync::Arc;

use crate::Function;
use catwalk_eval::Call;
use catwalk_eval::Res;
use catwalk_eval::runtime3::fail;
use catwalk_value::Hash;
use catwalk_value::ObjectType;
use catwalk_value::Type;
use catwalk_value::Value;
use catwalk_value::object_from_hash;
use catwalk_value::ruby;

pub(super) const FUNCTION: Function = Function {
    name: "annotate",
    signatures: &[
        ("Type[Annotation] $type, Any $value, Optional[Callable[0, 0]] &$block", annotate),
        (
            "Type[Annotation] $type, Any $value, Variant[Enum[clear], Hash[Pcore::MemberName, Any]] $annotation_hash",
            annotate_new,
        ),
        (
            "Type[Pcore] $type, Any $value, Hash[Type[Annotation], Hash[Pcore::MemberName, Any]] $annotations",
            annotate_multi,
        ),
    ],
    doc: "Reads or writes annotations: data of a type derived from `Annotation` that is attached to another value. \
          With a type and a value it returns the annotation or `undef`; a block returns the hash from which a missing \
          annotation is created; a hash as third argument creates a new annotation; `clear` removes the annotation and \
          returns it.",
    examples: &[("annotate(Annotation, Integer)", "undef"), ("annotate(Annotation, String, 'clear')", "undef")],
};

fn annotate(call: &mut Call<'_, '_>) -> Res<Value> {
    let (kind, value) = subject(call)?;
    if let Some((.., note)) =
        find_annotation(call, &value, &kind).and_then(|at| call.ev.state.resources.annotations.get(at))
    {
        return Ok(note.clone());
    }
    let initial = match find_in_definition(&value, &kind) {
        Some(initial) => Value::hash(initial),
        None if call.has_block() => call.call_block(&[])?,
        None => return Ok(Value::Undef),
    };
    if initial.is_undef() { Ok(Value::Undef) } else { annotate_with(call, value, kind, initial) }
}

fn annotate_new(call: &mut Call<'_, '_>) -> Res<Value> {
    let (kind, value) = subject(call)?;
    let argument = call.arg(2).clone();
    let clear = argument.as_str().is_some();
    if find_in_definition(&value, &kind).is_some() {
        let action = if clear { "clear" } else { "redefine" };
        let on = match &value {
            Value::Type(t) => match t.resolved() {
                Type::Object(object) => object.label().to_owned(),
                other => catwalk_value::type_label(other),
            },
            other => catwalk_value::label(other),
        };
        return fail(format!("attempt to {action} {} annotation declared on {on}", kind.label()));
    }
    let before = find_annotation(call, &value, &kind).map(|at| call.ev.state.resources.annotations.remove(at).2);
    if clear { Ok(before.unwrap_or(Value::Undef)) } else { annotate_with(call, value, kind, argument) }
}

/// Adds several annotations unless they exist. Returns the annotated value (Puppet::Pops::Pcore.annotate).
fn annotate_multi(call: &mut Call<'_, '_>) -> Res<Value> {
    let value = call.arg(1).clone();
    for (kind, initial) in call.hash(2).into_iter().flat_map(Hash::iter) {
        let kind = annotation_type(kind)?;
        if find_annotation(call, &value, &kind).is_none() {
            let initial = find_in_definition(&value, &kind).map_or_else(|| initial.clone(), Value::hash);
            annotate_with(call, value.clone(), kind, initial)?;
        }
    }
    Ok(value)
}

fn subject(call: &Call<'_, '_>) -> Res<(Arc<ObjectType>, Value)> {
    Ok((annotation_type(call.arg(0))?, call.arg(1).clone()))
}

fn annotation_type(value: &Value) -> Res<Arc<ObjectType>> {
    match value {
        Value::Type(t) => match t.resolved() {
            Type::Object(object) => Ok(object.clone()),
            _ => fail("not a type of annotations"),
        },
        _ => fail("not a type of annotations"),
    }
}

fn annotate_with(call: &mut Call<'_, '_>, value: Value, kind: Arc<ObjectType>, initial: Value) -> Res<Value> {
    if kind.name.as_deref() == Some("Annotation") && !initial.is_undef() {
        return fail("undefined method `from_hash' for Puppet::Pops::Types::Annotation:Class");
    }
    // An annotation is stored in the object, but these values cannot store one.
    if matches!(
        value,
        Value::Str(_) | Value::Int(_) | Value::BigInt(_) | Value::Float(_) | Value::Bool(_) | Value::Undef
    ) {
        return fail(format!("can't modify frozen {}: {}", ruby::class_name(&value), ruby::inspect(&value)));
    }
    let annotation = object_from_hash(&kind, &initial).or_else(|reason| fail(reason.message))?;
    call.ev.state.resources.annotations.push((value, kind, annotation.clone()));
    Ok(annotation)
}

/// The index of an annotation. Annotated objects are compared by identity, other annotated values by value.
fn find_annotation(call: &Call<'_, '_>, value: &Value, kind: &ObjectType) -> Option<usize> {
    call.ev.state.resources.annotations.iter().position(|(of, under, _)| {
        **under == *kind
            && match (of, value) {
                (Value::Object(of), Value::Object(value)) => Arc::ptr_eq(of, value),
                (of, value) => of == value,
            }
    })
}

/// The initial value of an annotation in the definition of an object type.
fn find_in_definition(value: &Value, kind: &ObjectType) -> Option<Hash> {
    let Value::Type(t) = value else { return None };
    let Type::Object(object) = t.resolved() else { return None };
    let Some(Value::Hash(annotations)) = object.definition.as_ref()?.get("annotations") else { return None };
    annotations.iter().find_map(|(key, initial)| match (key, initial) {
        (Value::Type(t), Value::Hash(initial)) => match t.resolved() {
            Type::Object(object_type) if **object_type == *kind => Some(initial.as_ref().clone()),
            _ => None,
        },
        _ => None,
    })
}
