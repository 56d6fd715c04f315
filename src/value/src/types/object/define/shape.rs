//! The types that parts of an object type's definition are checked with, as Puppet words them.
//!
//! In: a part of a definition. Out: whether it matches, or Puppet's message. Must not: make types.

use super::Result;
use crate::types::ObjectType;
use crate::types::Type;
use crate::types::mismatch::assert_instance;
use crate::types::parse::AliasResolver;
use crate::types::parse_type;
use crate::value::Hash;
use crate::value::Value;
use catwalk_base::diag::Reason;
use std::sync::Arc;
use std::sync::OnceLock;

/// The types of the hashes in definitions.
pub(super) struct Shapes {
    pub(super) object: Type,
    pub(super) attribute: Type,
    pub(super) function: Type,
    pub(super) function_type: Type,
}

/// Resolves the names in the types below. The type of the string `[]` cannot be written as source.
pub(super) struct ShapeNames;

impl AliasResolver for ShapeNames {
    fn resolve(&mut self, name: &str) -> std::result::Result<Option<Type>, Reason> {
        Ok(match name {
            "Brackets" => Some(Type::StringValue(Arc::from("[]"))),
            _ => None,
        })
    }
}

/// Resolves those names, and `Annotation` by its name.
pub(super) struct AnnotationNames;

impl AliasResolver for AnnotationNames {
    fn resolve(&mut self, name: &str) -> std::result::Result<Option<Type>, Reason> {
        if name != "Annotation" {
            return ShapeNames.resolve(name);
        }
        let name = Some(Arc::from(name));
        Ok(Some(Type::Object(Arc::new(ObjectType { name, ..ObjectType::default() }))))
    }
}

/// The type of annotations.
pub(in crate::types) const ANNOTATIONS: &str = r"Optional[Hash[Type[Annotation], Hash[Pattern[/\A[a-z_]\w*\z/], Any]]]";

pub(super) const NAME: &str = r"Pattern[/\A[A-Z][\w]*(?:::[A-Z][\w]*)*\z/]";

pub(super) const MEMBER: &str = r"Pattern[/\A[a-z_]\w*\z/]";

/// Annotations are checked separately, since `Annotation` is itself defined here.
pub(super) fn shapes() -> &'static Shapes {
    static SHAPES: OnceLock<Shapes> = OnceLock::new();
    SHAPES.get_or_init(|| shapes_with("Any", &mut ShapeNames))
}

/// The types as messages show them: with annotations by name.
pub(super) fn shown_shapes() -> &'static Shapes {
    static SHOWN: OnceLock<Shapes> = OnceLock::new();
    SHOWN.get_or_init(|| shapes_with(ANNOTATIONS, &mut AnnotationNames))
}

pub(super) fn shapes_with(annotations: &str, names: &mut dyn AliasResolver) -> Shapes {
    // A test checks that the strings are types.
    let mut parse = |text: &str| parse_type(text, names).unwrap_or(Type::Any);
    let flags = "Optional[final] => Boolean, Optional[override] => Boolean";
    Shapes {
        object: parse(&format!(
            "Struct[{{Optional[name] => {NAME}, Optional[parent] => Type, Optional[type_parameters] => \
             Hash[{MEMBER}, NotUndef], Optional[attributes] => Hash[{MEMBER}, NotUndef], Optional[constants] => \
             Hash[{MEMBER}, Any], Optional[functions] => Hash[Variant[{MEMBER}, Brackets], NotUndef], \
             Optional[equality] => Variant[{MEMBER}, Array[{MEMBER}]], Optional[equality_include_type] => Boolean, \
             Optional[checks] => Any, Optional[annotations] => {annotations}}}]"
        )),
        attribute: parse(&format!(
            "Struct[{{type => Type, {flags}, Optional[kind] => Enum[constant, derived, given_or_derived, reference], \
             value => Any, Optional[annotations] => {annotations}}}]"
        )),
        function: parse(&format!(
            "Struct[{{type => Type[Callable], {flags}, Optional[annotations] => {annotations}}}]"
        )),
        function_type: Type::type_of(Type::any_callable()),
    }
}

/// The definition of an object type as messages show it. (`PObjectType::TYPE_OBJECT_I12N`)
pub(in crate::types) fn initializer() -> &'static Type {
    &shown_shapes().object
}

/// The type of annotations.
pub(super) fn annotations_shape() -> &'static Type {
    static SHAPE: OnceLock<Type> = OnceLock::new();
    SHAPE.get_or_init(|| parse_type(ANNOTATIONS, &mut ShapeNames).unwrap_or(Type::Any))
}

pub(super) fn message(result: std::result::Result<(), Reason>) -> Result<()> {
    result.map_err(|reason| reason.message.to_string())
}

/// Checks a definition. Annotations are checked only where there are some.
pub(super) fn assert_shape(subject: &str, shape: fn(&Shapes) -> &Type, definition: &Hash) -> Result<()> {
    let value = Value::hash(definition.clone());
    let Some(annotations) = definition.get("annotations") else {
        return message(match assert_instance(subject, shape(shapes()), &value) {
            Ok(()) => Ok(()),
            Err(_) => assert_instance(subject, shape(shown_shapes()), &value),
        });
    };
    message(assert_instance(subject, shape(shapes()), &value))?;
    let expected = annotations_shape();
    if crate::types::is_instance(expected, annotations) {
        return Ok(());
    }
    let subject = format!("{subject} has wrong type, entry 'annotations'");
    Err(crate::types::mismatch::describe_mismatch(&subject, expected, &crate::types::infer_set(annotations)))
}

/// Checks the name of a type, with the messages of `Object['x']` and `TypeSet['x']`.
pub(in crate::types) fn assert_type_name(subject: &str, name: &Value) -> Result<()> {
    let expected = parse_type(NAME, &mut ShapeNames).unwrap_or(Type::Any);
    message(assert_instance(subject, &expected, name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_sources_are_types() {
        for t in
            [&shapes().object, &shapes().attribute, &shapes().function, &shown_shapes().object, annotations_shape()]
        {
            assert!(*t != Type::Any);
        }
    }
}
