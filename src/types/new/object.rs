//! Values of object types: from attributes by position, or in a hash.
//!
//! In: an object type and arguments. Out: the object. Must not: know names of the language's own types.

use std::sync::Arc;

use super::Made;
use super::fail;
use crate::types::Attribute;
use crate::types::ObjectType;
use crate::types::Type;
use crate::types::constructors::signature;
use crate::types::instance::is_callable_with;
use crate::types::mismatch::Signature;
use crate::types::mismatch::describe_signatures;
use crate::value::Hash;
use crate::value::Object;
use crate::value::Value;

/// The signatures of an object type: its attributes by position, or in a hash.
pub(super) fn object_signatures(object: &ObjectType) -> (String, Vec<Signature>) {
    let name = format!("new_{}", object.label());
    let attributes: Vec<_> = object.all_attributes().into_iter().filter(|attribute| attribute.is_given()).collect();
    // What may be undef may be left out, as in any Struct.
    let optional = |attribute: &Attribute| {
        attribute.default.is_some() || crate::types::is_assignable(&attribute.data_type, &Type::Undef)
    };
    let required = attributes.iter().filter(|attribute| !optional(attribute)).count();
    // By position those with a value of their own come last.
    let (others, valued): (Vec<&&Attribute>, Vec<&&Attribute>) =
        attributes.iter().partition(|attribute| attribute.default.is_none());
    let ordered: Vec<&&Attribute> = others.into_iter().chain(valued).collect();
    let types = ordered.iter().map(|attribute| attribute.data_type.clone()).collect();
    let names = ordered.iter().map(|attribute| attribute.name.clone()).collect();
    let by_position = signature(types, required, names);
    let elements = attributes
        .iter()
        .map(|attribute| crate::types::StructElement {
            name: attribute.name.clone(),
            optional: optional(attribute),
            value: attribute.data_type.clone(),
        })
        .collect();
    let by_name = signature(vec![Type::Struct(elements)], 1, vec![Arc::from("hash")]);
    (name, vec![by_name, by_position])
}

pub(super) fn construct_object(t: &Type, object: &Arc<ObjectType>, args: &[Value]) -> Made {
    if object.is_any() {
        return Err(fail("undefined method `sub' for nil:NilClass"));
    }
    let _ = t;
    let object = object.base.as_ref().unwrap_or(object);
    if object.is_or_extends_nameless() {
        // The reference makes a Ruby class of its name and one of each that it extends, and none of no name.
        return Err(fail("undefined method `sub' for nil:NilClass"));
    }
    if !args.is_empty() && object.name.as_deref() == Some("Annotation") {
        return Err(fail(format!("'new_Annotation' expects no arguments, got {}", args.len())));
    }
    object.check_bodies()?;
    let (name, own) = object_signatures(object);
    let by_name = own.first().is_some_and(|own| is_callable_with(&own.callable, args, None));
    let by_position = own.get(1).is_some_and(|own| is_callable_with(&own.callable, args, None));
    let mut attributes = Hash::new();
    match args {
        [Value::Hash(given)] if by_name => {
            for attribute in object.all_attributes() {
                if let Some(value) = given.get(&attribute.name) {
                    attributes.set(&attribute.name, value.clone());
                }
            }
        }
        _ if by_position => {
            let names = own.get(1).map(|own| own.names.as_slice()).unwrap_or_default();
            // What accepts undef need not be given, say the signatures; the method that takes the values has them all.
            let valued = object.all_attributes().into_iter().filter(|attribute| attribute.is_given());
            let needed = valued.filter(|attribute| attribute.default.is_none()).count();
            if args.len() < needed {
                let most = if names.len() > needed { format!("..{}", names.len()) } else { String::new() };
                let given = args.len();
                return Err(fail(format!("wrong number of arguments (given {given}, expected {needed}{most})")));
            }
            for (name, value) in names.iter().zip(args) {
                attributes.set(name, value.clone());
            }
        }
        _ => return Err(fail(describe_signatures(&name, &own, args, None))),
    }
    Ok(Value::Object(Arc::new(Object { object_type: object.clone(), attributes })))
}
