//! Object types. `Deferred`, `Error` and the types a program defines with `Object[{…}]`.

use std::sync::Arc;
use std::sync::OnceLock;

use crate::types::Type;
use crate::value::Hash;
use crate::value::Value;

/// An attribute of an object type.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Attribute {
    /// Its name.
    pub name: Arc<str>,
    /// Type of its value.
    pub data_type: Type,
    /// The value when none is given.
    pub default: Option<Value>,
}

/// An object type. `Object` itself has no name and no definition.
#[derive(Clone, Debug, Default)]
pub struct ObjectType {
    /// Its name, where it has one.
    pub name: Option<Arc<str>>,
    /// The type it extends.
    pub parent: Option<Arc<ObjectType>>,
    /// Its own attributes in order.
    pub attributes: Vec<Attribute>,
    /// The hash it was defined with, for printing.
    pub definition: Option<Hash>,
}

impl ObjectType {
    /// Whether values of `other` are values of this type.
    #[must_use]
    pub fn covers(&self, other: &ObjectType) -> bool {
        if self.is_any() {
            return true;
        }
        let mut at = Some(other);
        while let Some(t) = at {
            if self == t {
                return true;
            }
            at = t.parent.as_deref();
        }
        false
    }

    /// An attribute of this type or of one it extends.
    #[must_use]
    pub fn attribute(&self, name: &str) -> Option<&Attribute> {
        let own = self.attributes.iter().find(|attribute| &*attribute.name == name);
        own.or_else(|| self.parent.as_ref().and_then(|parent| parent.attribute(name)))
    }

    /// All attributes, those of extended types first.
    #[must_use]
    pub fn all_attributes(&self) -> Vec<&Attribute> {
        let mut all = self.parent.as_ref().map(|parent| parent.all_attributes()).unwrap_or_default();
        for attribute in &self.attributes {
            match all.iter_mut().find(|known| known.name == attribute.name) {
                Some(known) => *known = attribute,
                None => all.push(attribute),
            }
        }
        all
    }

    /// Whether this is `Object` itself.
    #[must_use]
    pub fn is_any(&self) -> bool {
        self.name.is_none() && self.definition.is_none()
    }

    /// `Deferred`: a function call that the agent makes.
    #[must_use]
    pub fn deferred() -> Arc<ObjectType> {
        static DEFERRED: OnceLock<Arc<ObjectType>> = OnceLock::new();
        DEFERRED.get_or_init(|| built_in(DEFERRED_TEXT)).clone()
    }

    /// `Error`: what a plan or task gives when it fails.
    #[must_use]
    pub fn error() -> Arc<ObjectType> {
        static ERROR: OnceLock<Arc<ObjectType>> = OnceLock::new();
        ERROR.get_or_init(|| built_in(ERROR_TEXT)).clone()
    }
}

const DEFERRED_TEXT: &str = r"Object[{name => 'Deferred', attributes => {'name' => Pattern[/\A[$]?[a-z][a-z0-9_]*(?:::[a-z][a-z0-9_]*)*\z/], 'arguments' => {type => Optional[Array], value => undef}}}]";
const ERROR_TEXT: &str = "Object[{name => 'Error', type_parameters => {'kind' => Variant[String, Regexp, Type[Enum], Type[Pattern], Type[NotUndef], Type[Undef]], 'issue_code' => Variant[String, Regexp, Type[Enum], Type[Pattern], Type[NotUndef], Type[Undef]]}, attributes => {'msg' => String[1], 'kind' => {type => Optional[String[1]], value => undef}, 'details' => {type => Optional[Hash[String[1], Data]], value => undef}, 'issue_code' => {type => Optional[String[1]], value => undef}}, functions => {'message' => Callable[[0, 0], String[1]]}}]";

fn attribute(name: &str, data_type: Type, default: Option<Value>) -> Attribute {
    Attribute { name: Arc::from(name), data_type, default }
}

/// A type of our own from its text; a test proves that the texts are well formed.
fn built_in(text: &str) -> Arc<ObjectType> {
    match crate::types::parse_text(text, &mut crate::types::NoAliases) {
        Ok(Type::Object(object)) => object,
        _ => Arc::new(ObjectType::default()),
    }
}

impl PartialEq for ObjectType {
    fn eq(&self, other: &ObjectType) -> bool {
        match (&self.name, &other.name) {
            (Some(a), Some(b)) => a == b,
            (None, None) => self.definition == other.definition,
            _ => false,
        }
    }
}
impl Eq for ObjectType {}
impl std::hash::Hash for ObjectType {
    fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
        self.name.hash(state);
    }
}

/// The object type a hash defines.
///
/// # Errors
/// The definition is not understood.
pub(super) fn define(definition: &Hash) -> Result<ObjectType, String> {
    let name = definition.get("name").and_then(Value::as_str).map(Arc::from);
    let parent = match definition.get("parent") {
        Some(Value::Type(t)) => match t.resolved() {
            Type::Object(parent) => Some(parent.clone()),
            _ => None,
        },
        _ => None,
    };
    let mut attributes = Vec::new();
    if let Some(Value::Hash(given)) = definition.get("attributes") {
        for (key, value) in given.iter() {
            let Some(name) = key.as_str() else { continue };
            let (data_type, default) = match value {
                Value::Type(t) => (t.clone(), None),
                // What is computed or constant is no argument of `new`.
                Value::Hash(parts)
                    if matches!(
                        parts.get("kind").and_then(Value::as_str),
                        Some("derived" | "constant" | "given_or_derived")
                    ) =>
                {
                    continue;
                }
                Value::Hash(parts) => match parts.get("type") {
                    Some(Value::Type(t)) => (t.clone(), parts.get("value").cloned()),
                    _ => return Err(format!("not supported yet: the definition of attribute '{name}'")),
                },
                _ => return Err(format!("not supported yet: the definition of attribute '{name}'")),
            };
            attributes.push(attribute(name, data_type, default));
        }
    }
    Ok(ObjectType { name, parent, attributes, definition: Some(definition.clone()) })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn built_in_objects_are_defined() {
        assert_eq!(ObjectType::deferred().attributes.len(), 2);
        assert_eq!(ObjectType::error().attributes.len(), 4);
        assert_eq!(Type::Object(ObjectType::deferred()).to_string(), DEFERRED_TEXT);
        assert_eq!(Type::Object(ObjectType::error()).to_string(), ERROR_TEXT);
    }
}
