//! Values of object types: from attributes by position, or in a hash.
//!
//! In: an object type and arguments. Out: the object. Must not: know names of built-in types.

use std::sync::Arc;

use super::NewResult;
use super::fail;
use crate::types::Attribute;
use crate::types::ObjectType;
use crate::types::StructElement;
use crate::types::Type;
use crate::types::constructors::signature;
use crate::types::instance::is_callable_with;
use crate::types::mismatch::Signature;
use crate::types::mismatch::assert_instance;
use crate::types::mismatch::describe_signatures;
use crate::value::Hash;
use crate::value::Object;
use crate::value::Value;

/// The signatures of an object type: its attributes by position, or in a hash.
pub(super) fn object_signatures(object: &ObjectType) -> (String, Vec<Signature>) {
    let name = format!("new_{}", object.label());
    let attributes: Vec<_> =
        object.all_attributes().into_iter().filter(|attribute| attribute.is_argument_of_new()).collect();
    let required = attributes.iter().filter(|attribute| !optional(attribute)).count();
    // In positional arguments, attributes with a default come last.
    let (others, valued): (Vec<&&Attribute>, Vec<&&Attribute>) =
        attributes.iter().partition(|attribute| attribute.default.is_none());
    let ordered: Vec<&&Attribute> = others.into_iter().chain(valued).collect();
    let types = ordered.iter().map(|attribute| attribute.data_type.clone()).collect();
    let names = ordered.iter().map(|attribute| attribute.name.clone()).collect();
    let by_position = signature(types, required, names);
    let by_name = signature(vec![initializer(&attributes)], 1, vec![Arc::from("hash")]);
    (name, vec![by_name, by_position])
}

/// An attribute that may be undef is optional, as in any Struct.
pub(super) fn optional(attribute: &Attribute) -> bool {
    attribute.default.is_some() || crate::types::is_assignable(&attribute.data_type, &Type::Undef)
}

/// The type of the hash that returns the attributes (`PObjectType#i12n_type`).
fn initializer(attributes: &[&Attribute]) -> Type {
    let elements = attributes.iter().map(|attribute| StructElement {
        name: attribute.name.clone(),
        optional: optional(attribute),
        value: attribute.data_type.clone(),
    });
    Type::Struct(elements.collect())
}

/// Creates an object from a hash, for annotations (`PObjectType#from_hash`).
///
/// # Errors
/// `… initializer has wrong type, …`
pub fn object_from_hash(object: &Arc<ObjectType>, values: &Value) -> NewResult {
    object.check_bodies()?;
    let attributes: Vec<_> =
        object.all_attributes().into_iter().filter(|attribute| attribute.is_argument_of_new()).collect();
    assert_instance(&format!("{} initializer", object.label()), &initializer(&attributes), values)?;
    let Value::Hash(values) = values else { return Err(fail("an object is created from a hash")) };
    Ok(from_named_values(object, values))
}

fn from_named_values(object: &Arc<ObjectType>, values: &Hash) -> Value {
    let mut attributes = Hash::new();
    for attribute in object.all_attributes() {
        if let Some(value) = values.get(&attribute.name) {
            attributes.set(&attribute.name, value.clone());
        }
    }
    Value::Object(Arc::new(Object { object_type: object.clone(), attributes }))
}

pub(super) fn construct_object(t: &Type, object: &Arc<ObjectType>, args: &[Value]) -> NewResult {
    if object.is_any() {
        return Err(fail("undefined method `sub' for nil:NilClass"));
    }
    let _ = t;
    if let Some(kind) = super::metatype::kind_of(object) {
        return super::metatype::construct_type(kind, object, args);
    }
    let object = object.base.as_ref().unwrap_or(object);
    if object.is_or_extends_nameless() {
        // Puppet creates a Ruby class for its name and for each supertype, and fails without a name.
        return Err(fail("undefined method `sub' for nil:NilClass"));
    }
    if !args.is_empty() && object.name.as_deref() == Some("Annotation") {
        return Err(fail(format!("'new_Annotation' expects no arguments, got {}", args.len())));
    }
    object.check_bodies()?;
    let (name, mut signatures) = object_signatures(object);
    if object.is_opaque() || object.implemented_in_ruby || object.name.as_deref() == Some("Puppet::LookupContext") {
        // Ruby classes that do not accept a hash.
        signatures.remove(0);
        if !signatures.first().is_some_and(|signature| is_callable_with(&signature.callable, args, None)) {
            return Err(fail(describe_signatures(&name, &signatures, args, None)));
        }
    }
    let by_name = signatures.len() > 1
        && signatures.first().is_some_and(|signature| is_callable_with(&signature.callable, args, None));
    let by_position = signatures.last().is_some_and(|signature| is_callable_with(&signature.callable, args, None));
    match args {
        [Value::Hash(values)] if by_name => Ok(from_named_values(object, values)),
        _ if by_position => {
            let names = signatures.last().map(|signature| signature.names.as_slice()).unwrap_or_default();
            // Attributes that accept undef are optional in the signatures; the method that takes the values has them all.
            let arguments = object.all_attributes().into_iter().filter(|attribute| attribute.is_argument_of_new());
            let needed = arguments.filter(|attribute| attribute.default.is_none()).count();
            if args.len() < needed {
                let most = if names.len() > needed { format!("..{}", names.len()) } else { String::new() };
                return Err(fail(format!("wrong number of arguments (given {}, expected {needed}{most})", args.len())));
            }
            let mut attributes = Hash::new();
            for (name, value) in names.iter().zip(args) {
                attributes.set(name, value.clone());
            }
            Ok(Value::Object(Arc::new(Object { object_type: object.clone(), attributes })))
        }
        _ => Err(fail(describe_signatures(&name, &signatures, args, None))),
    }
}
