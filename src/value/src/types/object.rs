//! Object types: `Deferred`, `Error` and the types a program defines with `Object[{…}]`; their members and assignability.

mod body;
mod built_in;
mod define;
mod pcore_types;

use std::sync::Arc;

pub use body::body;
pub(in crate::types) use define::ANNOTATIONS;
pub(in crate::types) use define::assert_type_name;
pub use define::define;
pub(in crate::types) use define::initializer;
pub(crate) use pcore_types::class_of_type;
pub(in crate::types) use pcore_types::pcore_type;

use crate::types::Type;
use crate::value::Hash;
use crate::value::Object;
use crate::value::Value;

/// How an attribute gets its value.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum AttributeKind {
    /// By an argument, or its default.
    #[default]
    Given,
    /// The attribute has one value for all objects of the type; it cannot be set.
    Constant,
    /// Computed; it cannot be an argument.
    Derived,
    /// By an argument, or computed.
    GivenOrDerived,
    /// By an argument, but not a part of the object: trees do not include it.
    Reference,
}

impl AttributeKind {
    /// The keyword in definitions.
    #[must_use]
    pub fn keyword(self) -> Option<&'static str> {
        match self {
            AttributeKind::Given => None,
            AttributeKind::Constant => Some("constant"),
            AttributeKind::Derived => Some("derived"),
            AttributeKind::GivenOrDerived => Some("given_or_derived"),
            AttributeKind::Reference => Some("reference"),
        }
    }
}

/// An attribute of an object type, or a parameter of one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Attribute {
    /// The name.
    pub name: Arc<str>,
    /// The type of the value.
    pub data_type: Type,
    /// The default value.
    pub default: Option<Value>,
    /// The source of the value.
    pub kind: AttributeKind,
    /// Whether no other type may override it.
    pub is_final: bool,
    /// Whether it must override an inherited one.
    pub overrides: bool,
    /// The annotations.
    pub annotations: Option<Value>,
}

impl Default for Attribute {
    fn default() -> Attribute {
        Attribute {
            name: Arc::from(""),
            data_type: Type::Any,
            default: None,
            kind: AttributeKind::Given,
            is_final: false,
            overrides: false,
            annotations: None,
        }
    }
}

/// A function of an object type, implemented in Ruby.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Function {
    /// The name.
    pub name: Arc<str>,
    /// Its signature: a `Callable`, or a `Variant` of them.
    pub data_type: Type,
    /// Whether no other type may override it.
    pub is_final: bool,
    /// Whether it must override an inherited one.
    pub overrides: bool,
    /// The annotations.
    pub annotations: Option<Value>,
}

/// An attribute or a function.
#[derive(Clone, Copy, Debug)]
pub enum Member<'t> {
    /// An attribute.
    Attribute(&'t Attribute),
    /// A function.
    Function(&'t Function),
}

/// An object type. `Object` itself has no name and no definition.
#[derive(Clone, Debug, Default)]
pub struct ObjectType {
    /// Its name, if it has one.
    pub name: Option<Arc<str>>,
    /// The extended type, as written.
    pub parent: Option<Type>,
    /// Its own attributes in order.
    pub attributes: Vec<Attribute>,
    /// Its own type parameters in order.
    pub type_parameters: Vec<Attribute>,
    /// Its own functions.
    pub functions: Vec<Function>,
    /// The attributes that decide equality, if the definition lists them.
    pub equality: Option<Vec<Arc<str>>>,
    /// Whether values of other types are never equal.
    pub includes_type: bool,
    /// The hash that defines it, in written form.
    pub definition: Option<Hash>,
    /// For a type with parameters, such as `Error['kind']`: the type without them.
    pub base: Option<Arc<ObjectType>>,
    /// The parameters by name, for such a type; never empty there.
    pub parameters: Vec<(Arc<str>, Value)>,
    /// Whether a class of Ruby implements it, which takes its attributes in order and no hash.
    pub implemented_in_ruby: bool,
}

impl Attribute {
    /// Whether the attribute is an argument of `new`.
    #[must_use]
    pub fn is_argument_of_new(&self) -> bool {
        !matches!(self.kind, AttributeKind::Constant | AttributeKind::Derived)
    }
}

impl ObjectType {
    /// Whether values of `other` are values of this type.
    #[must_use]
    pub fn covers(&self, other: &ObjectType) -> bool {
        if self.is_any() {
            return true;
        }
        if let Some(base) = &self.base {
            // (PObjectTypeExtension#_assignable?)
            return base.covers(other.base.as_deref().unwrap_or(other))
                && self.parameters.iter().all(|(name, expected)| {
                    let actual = other.parameters.iter().find(|(other, _)| other == name);
                    actual.is_some_and(|(_, actual)| match (expected, actual) {
                        (Value::Type(t), Value::Type(actual)) if crate::types::is_assignable(t, actual) => true,
                        (expected, actual) => matches(actual, expected),
                    })
                });
        }
        let mut at = Some(other.base.as_deref().unwrap_or(other));
        while let Some(t) = at {
            if self == t {
                return true;
            }
            at = t.parent_object().map(|parent| &**parent);
        }
        false
    }

    /// Whether an object is one of this type. (PObjectTypeExtension#test_instance?)
    #[must_use]
    pub(crate) fn has_instance(&self, object: &Object) -> bool {
        match &self.base {
            None => self.covers(&object.object_type),
            Some(base) => {
                base.covers(&object.object_type)
                    && self
                        .parameters
                        .iter()
                        .all(|(name, expected)| object.get(name).is_some_and(|actual| matches(&actual, expected)))
            }
        }
    }

    /// The type parameters of this type and its supertypes, those of supertypes first.
    #[must_use]
    pub(crate) fn all_type_parameters(&self) -> Vec<&Attribute> {
        let mut all = self.parent_object().map(|parent| parent.all_type_parameters()).unwrap_or_default();
        for parameter in &self.type_parameters {
            match all.iter_mut().find(|inherited| inherited.name == parameter.name) {
                Some(inherited) => *inherited = parameter,
                None => all.push(parameter),
            }
        }
        all
    }

    /// The type that defines a type parameter: this one, or a supertype.
    fn definer(&self, parameter: &Attribute) -> &ObjectType {
        let mut types = std::iter::successors(Some(self), |at| at.parent_object().map(|parent| &**parent));
        let defines = |t: &ObjectType| t.type_parameters.iter().any(|own| own.name == parameter.name);
        types.find(|t| defines(t)).unwrap_or(self)
    }

    /// Whether it has type parameters, or values for them.
    #[must_use]
    pub(crate) fn is_parameterized(&self) -> bool {
        self.base.is_some() || !self.all_type_parameters().is_empty()
    }

    /// The type with these parameters. (PObjectTypeExtension#initialize)
    ///
    /// # Errors
    /// The type has no type parameters, an argument is unknown or invalid, or no parameter is set.
    pub(crate) fn with_parameters(self: &Arc<ObjectType>, arguments: &[Value]) -> Result<ObjectType, String> {
        let label = self.label();
        let type_parameters = self.all_type_parameters();
        let Some(first) = type_parameters.first() else {
            return Err(format!("The {label}-Type cannot be parameterized using []"));
        };
        let mut parameters = Vec::new();
        let mut add = |parameter: &Attribute, value: &Value| -> Result<(), String> {
            if *value == Value::Default {
                return Ok(());
            }
            let subject = format!("type_parameter {}[{}]", self.definer(parameter).label(), parameter.name);
            crate::types::mismatch::assert_instance(&subject, &parameter.data_type, value)
                .map_err(|reason| reason.message.to_string())?;
            parameters.push((parameter.name.clone(), value.clone()));
            Ok(())
        };
        match arguments {
            [Value::Hash(by_name)] if !crate::types::is_instance(&first.data_type, &Value::Hash(by_name.clone())) => {
                for (name, value) in by_name.iter() {
                    let name = crate::value::to_puppet_string(name);
                    match type_parameters.iter().find(|parameter| parameter.name == name) {
                        Some(parameter) => add(parameter, value)?,
                        None => return Err(format!("'{name}' is not a known type parameter for {label}-Type")),
                    }
                }
            }
            _ => {
                for (parameter, value) in type_parameters.iter().zip(arguments) {
                    add(parameter, value)?;
                }
            }
        }
        if parameters.is_empty() {
            return Err(format!("The {label}-Type cannot be parameterized using an empty parameter list"));
        }
        Ok(ObjectType { name: self.name.clone(), base: Some(self.clone()), parameters, ..ObjectType::default() })
    }

    /// The parameters in written form: by position, or by name if there are more than two.
    #[must_use]
    pub fn written_parameters(&self) -> Vec<Value> {
        let Some(base) = &self.base else { return Vec::new() };
        let type_parameters = base.all_type_parameters();
        let get = |name: &str| {
            self.parameters.iter().find(|(parameter, _)| &**parameter == name).map(|(_, value)| value.clone())
        };
        if type_parameters.len() > 2 {
            let by_name =
                self.parameters.iter().map(|(name, value)| (Value::from(name.clone()), value.clone())).collect();
            return vec![Value::hash(by_name)];
        }
        let mut values: Vec<Value> =
            type_parameters.iter().map(|parameter| get(&parameter.name).unwrap_or(Value::Default)).collect();
        while values.last() == Some(&Value::Default) {
            values.pop();
        }
        values
    }

    /// The name in messages.
    #[must_use]
    pub fn label(&self) -> &str {
        self.name.as_deref().unwrap_or("Object")
    }

    /// Its written name: for a type with values for its parameters the last segment (PObjectTypeExtension#simple_name).
    #[must_use]
    pub(crate) fn written_name(&self) -> &str {
        if self.base.is_some() { self.simple_name() } else { self.label() }
    }

    /// The last segment of its name.
    #[must_use]
    pub fn simple_name(&self) -> &str {
        let label = self.label();
        label.rsplit_once("::").map_or(label, |(_, last)| last)
    }

    /// The extended object type.
    #[must_use]
    pub fn parent_object(&self) -> Option<&Arc<ObjectType>> {
        match self.parent.as_ref().map(Type::resolved) {
            Some(Type::Object(parent)) => Some(parent),
            _ => None,
        }
    }

    /// Whether it extends the type of errors.
    #[must_use]
    pub(crate) fn extends_error(&self) -> bool {
        let above = std::iter::successors(self.parent_object(), |at| at.parent_object());
        self.base.is_none() && above.into_iter().any(|at| at.name.as_deref() == Some("Error"))
    }

    /// Whether this type or one it extends has no name, as `Object` itself.
    #[must_use]
    pub(crate) fn is_or_extends_nameless(&self) -> bool {
        std::iter::successors(Some(self), |at| at.parent_object().map(|parent| &**parent)).any(|at| at.name.is_none())
    }

    /// An attribute or function of this type or of one it extends, with the type that has it.
    #[must_use]
    pub fn member_with_owner(&self, name: &str) -> Option<(Member<'_>, &ObjectType)> {
        let mut at = self;
        loop {
            if let Some(attribute) = at.attributes.iter().find(|attribute| &*attribute.name == name) {
                return Some((Member::Attribute(attribute), at));
            }
            if let Some(function) = at.functions.iter().find(|function| &*function.name == name) {
                return Some((Member::Function(function), at));
            }
            at = at.parent_object()?;
        }
    }

    /// An attribute or function of this type or of one it extends.
    #[must_use]
    pub fn member(&self, name: &str) -> Option<Member<'_>> {
        self.member_with_owner(name).map(|(member, _)| member)
    }

    /// Whether it or a type it extends has a function of this name.
    #[must_use]
    pub fn has_function(&self, name: &str) -> bool {
        matches!(self.member(name), Some(Member::Function(_)))
    }

    /// An attribute of this type or of one it extends.
    #[must_use]
    pub fn attribute(&self, name: &str) -> Option<&Attribute> {
        match self.member(name) {
            Some(Member::Attribute(attribute)) => Some(attribute),
            _ => None,
        }
    }

    /// The attributes that decide equality, those of parent types first.
    #[must_use]
    pub(crate) fn equality_attributes(&self) -> Vec<&str> {
        let mut all = self.parent_object().map(|parent| parent.equality_attributes()).unwrap_or_default();
        all.extend(self.own_equality());
        all
    }

    /// The attributes that decide equality by this type alone, without its parents.
    #[must_use]
    pub(crate) fn own_equality(&self) -> Vec<&str> {
        match &self.equality {
            Some(names) => names.iter().map(|name| &**name).collect(),
            None => self
                .attributes
                .iter()
                .filter(|attribute| !matches!(attribute.kind, AttributeKind::Constant | AttributeKind::Derived))
                .map(|attribute| &*attribute.name)
                .collect(),
        }
    }

    /// All attributes, those of extended types first.
    #[must_use]
    pub fn all_attributes(&self) -> Vec<&Attribute> {
        let mut all = self.parent_object().map(|parent| parent.all_attributes()).unwrap_or_default();
        for attribute in &self.attributes {
            match all.iter_mut().find(|inherited| inherited.name == attribute.name) {
                Some(inherited) => *inherited = attribute,
                None => all.push(attribute),
            }
        }
        all
    }

    /// The types in it, in Puppet's order.
    pub(super) fn parts(&self) -> Vec<&Type> {
        let attributes = self.type_parameters.iter().chain(&self.attributes).map(|attribute| &attribute.data_type);
        let functions = self.functions.iter().map(|function| &function.data_type);
        self.parent.iter().chain(attributes).chain(functions).collect()
    }

    /// Whether this is `Object` itself.
    #[must_use]
    pub(crate) fn is_any(&self) -> bool {
        self.name.is_none() && self.base.is_none() && self.definition.as_ref().is_none_or(Hash::is_empty)
    }
}

/// `value =~ expected` as `case` matches: types by instance, regular expressions by match, the rest by equality.
fn matches(value: &Value, expected: &Value) -> bool {
    crate::value::compare::matches(expected, value)
}

impl PartialEq for ObjectType {
    fn eq(&self, other: &ObjectType) -> bool {
        if std::ptr::eq(self, other) {
            return true;
        }
        let same = |a: Option<&Hash>, b: Option<&Hash>| match (a, b) {
            (Some(a), Some(b)) => a == b,
            (a, b) => a.is_none_or(Hash::is_empty) && b.is_none_or(Hash::is_empty),
        };
        self.name == other.name
            && self.parameters == other.parameters
            && same(self.definition.as_ref(), other.definition.as_ref())
    }
}
impl Eq for ObjectType {}
impl std::hash::Hash for ObjectType {
    fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
        self.name.hash(state);
    }
}
