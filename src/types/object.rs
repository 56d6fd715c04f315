//! Object types. `Deferred`, `Error` and the types a program defines with `Object[{…}]`.

use std::sync::Arc;
use std::sync::OnceLock;

use crate::types::Type;
use crate::value::Hash;
use crate::value::Object;
use crate::value::Value;

/// How an attribute gets its value.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum AttributeKind {
    /// It is given, or has its default.
    #[default]
    Given,
    /// The same for all values of the type; it cannot be given.
    Constant,
    /// Computed; it cannot be given.
    Derived,
    /// Given, but no part of the object: trees are not walked through it.
    Reference,
}

/// An attribute of an object type, or a parameter of one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Attribute {
    /// Its name.
    pub name: Arc<str>,
    /// Type of its value.
    pub data_type: Type,
    /// The value when none is given.
    pub default: Option<Value>,
    /// How it gets its value.
    pub kind: AttributeKind,
    /// Whether no other type may override it.
    pub is_final: bool,
    /// Whether it is meant to override one.
    pub overrides: bool,
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
    /// Its own type parameters in order.
    pub type_parameters: Vec<Attribute>,
    /// Names of its own functions.
    pub functions: Vec<Arc<str>>,
    /// The hash it was defined with, for printing.
    pub definition: Option<Hash>,
    /// For a type with parameters, such as `Error['kind']`: the type without them.
    pub base: Option<Arc<ObjectType>>,
    /// The parameters by name, for such a type; never empty there.
    pub parameters: Vec<(Arc<str>, Value)>,
}

impl Attribute {
    /// Whether `new` takes it.
    #[must_use]
    pub fn is_given(&self) -> bool {
        matches!(self.kind, AttributeKind::Given | AttributeKind::Reference)
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
                && self.parameters.iter().all(|(name, wanted)| {
                    let own = other.parameters.iter().find(|(own, _)| own == name);
                    own.is_some_and(|(_, own)| match (wanted, own) {
                        (Value::Type(wanted), Value::Type(own)) if crate::types::is_assignable(wanted, own) => true,
                        (wanted, own) => matches(own, wanted),
                    })
                });
        }
        let mut at = Some(other.base.as_deref().unwrap_or(other));
        while let Some(t) = at {
            if self == t {
                return true;
            }
            at = t.parent.as_deref();
        }
        false
    }

    /// Whether an object is one of this type. (PObjectTypeExtension#test_instance?)
    #[must_use]
    pub fn has_instance(&self, object: &Object) -> bool {
        match &self.base {
            None => self.covers(&object.object_type),
            Some(base) => {
                base.covers(&object.object_type)
                    && self
                        .parameters
                        .iter()
                        .all(|(name, wanted)| object.get(name).is_some_and(|own| matches(&own, wanted)))
            }
        }
    }

    /// The type parameters of this type and of those it extends, theirs first.
    #[must_use]
    pub fn all_type_parameters(&self) -> Vec<&Attribute> {
        let mut all = self.parent.as_ref().map(|parent| parent.all_type_parameters()).unwrap_or_default();
        for parameter in &self.type_parameters {
            match all.iter_mut().find(|known| known.name == parameter.name) {
                Some(known) => *known = parameter,
                None => all.push(parameter),
            }
        }
        all
    }

    /// The type with these parameters. (PObjectTypeExtension#initialize)
    ///
    /// # Errors
    /// It has no type parameters, or others than these.
    pub fn with_parameters(self: &Arc<ObjectType>, given: &[Value]) -> Result<ObjectType, String> {
        let label = self.label();
        let known = self.all_type_parameters();
        let Some(first) = known.first() else {
            return Err(format!("The {label}-Type cannot be parameterized using []"));
        };
        let mut parameters = Vec::new();
        let mut add = |parameter: &Attribute, value: &Value| -> Result<(), String> {
            if *value == Value::Default {
                return Ok(());
            }
            let subject = format!("type_parameter {label}[{}]", parameter.name);
            crate::types::mismatch::assert_instance(&subject, &parameter.data_type, value)
                .map_err(|reason| reason.message.to_string())?;
            parameters.push((parameter.name.clone(), value.clone()));
            Ok(())
        };
        match given {
            [Value::Hash(named)] if !crate::types::is_instance(&first.data_type, &Value::Hash(named.clone())) => {
                for (name, value) in named.iter() {
                    let name = crate::value::to_puppet_string(name);
                    match known.iter().find(|parameter| parameter.name == name) {
                        Some(parameter) => add(parameter, value)?,
                        None => return Err(format!("'{name}' is not a known type parameter for {label}-Type")),
                    }
                }
            }
            _ => {
                for (parameter, value) in known.iter().zip(given) {
                    add(parameter, value)?;
                }
            }
        }
        if parameters.is_empty() {
            return Err(format!("The {label}-Type cannot be parameterized using an empty parameter list"));
        }
        Ok(ObjectType { name: self.name.clone(), base: Some(self.clone()), parameters, ..ObjectType::default() })
    }

    /// The parameters as they are written: by position, or by name when there are more than two.
    #[must_use]
    pub fn written_parameters(&self) -> Vec<Value> {
        let Some(base) = &self.base else { return Vec::new() };
        let known = base.all_type_parameters();
        let get = |name: &str| self.parameters.iter().find(|(own, _)| &**own == name).map(|(_, value)| value.clone());
        if known.len() > 2 {
            let named = self.parameters.iter().map(|(name, value)| (Value::Str(name.clone()), value.clone())).collect();
            return vec![Value::hash(named)];
        }
        let mut values: Vec<Value> =
            known.iter().map(|parameter| get(&parameter.name).unwrap_or(Value::Default)).collect();
        while values.last() == Some(&Value::Default) {
            values.pop();
        }
        values
    }

    /// What messages call it.
    #[must_use]
    pub fn label(&self) -> &str {
        self.name.as_deref().unwrap_or("Object")
    }

    /// Whether it or a type it extends has a function of this name.
    #[must_use]
    pub fn has_function(&self, name: &str) -> bool {
        let own = self.functions.iter().any(|own| &**own == name);
        own || self.parent.as_ref().is_some_and(|parent| parent.has_function(name))
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

    /// `Annotation`: what types of annotations extend.
    #[must_use]
    pub fn annotation() -> Arc<ObjectType> {
        static ANNOTATION: OnceLock<Arc<ObjectType>> = OnceLock::new();
        ANNOTATION.get_or_init(|| built_in("Object[{name => 'Annotation'}]")).clone()
    }

    /// `Pcore`: what stands for several annotations at once in the function `annotate`.
    #[must_use]
    pub fn pcore() -> Arc<ObjectType> {
        static PCORE: OnceLock<Arc<ObjectType>> = OnceLock::new();
        PCORE.get_or_init(|| built_in("Object[{name => 'Pcore'}]")).clone()
    }

    /// `Puppet::LookupContext`: what data functions are given.
    #[must_use]
    pub fn lookup_context() -> Arc<ObjectType> {
        static CONTEXT: OnceLock<Arc<ObjectType>> = OnceLock::new();
        CONTEXT.get_or_init(|| built_in(CONTEXT_TEXT)).clone()
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

const CONTEXT_TEXT: &str = "Object[{name => 'Puppet::LookupContext', parent => Any, attributes => {'environment_name' => {type => String[1], kind => derived}, 'module_name' => Variant[String[1], Undef]}, functions => {'not_found' => Callable[[0, 0], Undef], 'explain' => Callable[[0, 0, Callable[0, 0]], Undef], 'interpolate' => Callable[1, 1], 'cache' => Callable[[Optional[Scalar], Any], Any], 'cache_all' => Callable[[Hash[Optional[Scalar], Any]], Undef], 'cache_has_key' => Callable[[Optional[Scalar]], Boolean], 'cached_value' => Callable[[Optional[Scalar]], Any], 'cached_entries' => Variant[Callable[[0, 0, Callable[1, 1]], Undef], Callable[[0, 0, Callable[2, 2]], Undef], Callable[[0, 0], Iterable[Tuple[Optional[Scalar], Any]]]], 'cached_file_data' => Callable[String, Optional[Callable[Array[Integer]]]]}}]";

/// `value =~ wanted` as `case` matches: types by instance, regular expressions by match, the rest by equality.
fn matches(value: &Value, wanted: &Value) -> bool {
    crate::value::compare::matches(wanted, value)
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
            (Some(a), Some(b)) => a == b && self.parameters == other.parameters,
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

/// The object type a hash defines, with the name of its alias if there is one. (PObjectType#_pcore_init_from_hash)
///
/// # Errors
/// The definition is not understood, or contradicts that of the type it extends.
pub fn define(alias: Option<&str>, definition: &Hash) -> Result<ObjectType, String> {
    let name: Option<Arc<str>> = alias.or_else(|| definition.get("name").and_then(Value::as_str)).map(Arc::from);
    let parent = match definition.get("parent") {
        Some(Value::Type(t)) => match t.resolved() {
            Type::Object(parent) => Some(parent.clone()),
            Type::Reference(name) => return Err(format!("reference to unresolved type '{name}'")),
            _ => None,
        },
        _ => None,
    };
    let mut made = ObjectType { name, parent, definition: Some(definition.clone()), ..ObjectType::default() };
    if let Some(alias) = alias
        && let Some(definition) = &mut made.definition
    {
        let rest: Vec<(Value, Value)> = definition
            .iter()
            .filter(|(key, _)| key.as_str() != Some("name"))
            .map(|(k, v)| (k.clone(), v.clone()))
            .collect();
        *definition = std::iter::once((Value::str("name"), Value::str(alias))).chain(rest).collect();
    }
    let label = made.label().to_owned();
    check_annotations(definition)?;
    let given = |key: &str| match definition.get(key) {
        Some(Value::Hash(members)) => members.iter().collect::<Vec<_>>(),
        _ => Vec::new(),
    };
    for (key, spec) in given("type_parameters") {
        let Some(name) = key.as_str() else { continue };
        let mut parameter = member(name, spec, &format!("type_parameter {label}[{name}]"))?;
        if !matches!(parameter.data_type, Type::Optional(_)) {
            parameter.data_type = Type::optional(parameter.data_type);
        }
        made.type_parameters.push(parameter);
    }
    for (key, spec) in given("attributes") {
        let Some(name) = key.as_str() else { continue };
        let own = member(name, spec, &format!("attribute {label}[{name}]"))?;
        made.assert_override(&own, &label)?;
        made.attributes.push(own);
    }
    for (key, value) in given("constants") {
        let Some(name) = key.as_str() else { continue };
        if made.attributes.iter().any(|known| &*known.name == name) {
            return Err(format!("attribute {label}[{name}] is defined as both a constant and an attribute"));
        }
        let own = Attribute {
            name: Arc::from(name),
            data_type: crate::types::generalize(&crate::types::infer(value)),
            default: Some(value.clone()),
            kind: AttributeKind::Constant,
            is_final: true,
            overrides: made.attribute(name).is_some(),
        };
        made.assert_override(&own, &label)?;
        made.attributes.push(own);
    }
    for (key, _) in given("functions") {
        let Some(name) = key.as_str() else { continue };
        if made.attributes.iter().any(|known| &*known.name == name) {
            return Err(format!("function {label}[{name}] conflicts with attribute with the same name"));
        }
        made.functions.push(Arc::from(name));
    }
    Ok(made)
}

/// Annotations are of types that extend `Annotation`.
fn check_annotations(definition: &Hash) -> Result<(), String> {
    let Some(annotations) = definition.get("annotations") else { return Ok(()) };
    let text = r"Hash[Type[Annotation], Hash[Pattern[/\A[a-z_]\w*\z/], Any]]";
    let known =
        crate::types::parse_text(text, &mut crate::types::NoAliases).map_err(|reason| reason.message.to_string())?;
    let wanted = Type::variant(vec![Type::Undef, known]);
    let subject = "object initializer has wrong type, entry 'annotations'";
    if crate::types::is_instance(&wanted, annotations) {
        return Ok(());
    }
    Err(crate::types::mismatch::describe_mismatch(subject, &wanted, &crate::types::infer_set(annotations)))
}

/// An attribute or a type parameter from its type or from the hash that describes it.
fn member(name: &str, spec: &Value, label: &str) -> Result<Attribute, String> {
    let plain = |data_type: &Type| Attribute {
        name: Arc::from(name),
        data_type: data_type.clone(),
        default: matches!(data_type, Type::Optional(_)).then_some(Value::Undef),
        kind: AttributeKind::Given,
        is_final: false,
        overrides: false,
    };
    let parts = match spec {
        Value::Type(t) => return Ok(plain(t)),
        Value::Hash(parts) => parts,
        _ => return Err(format!("not supported yet: the definition of {label}")),
    };
    let Some(Value::Type(data_type)) = parts.get("type") else {
        return Err(format!("not supported yet: the definition of {label}"));
    };
    if matches!(name, "__ptype" | "__pvalue") {
        return Err(format!("The attribute '{name}' is reserved and cannot be used"));
    }
    let word = parts.get("kind").and_then(Value::as_str).unwrap_or("");
    let kind = match word {
        "constant" => AttributeKind::Constant,
        "derived" => AttributeKind::Derived,
        "reference" => AttributeKind::Reference,
        _ => AttributeKind::Given,
    };
    let flag = |key: &str| parts.get(key) == Some(&Value::Bool(true));
    let is_constant = kind == AttributeKind::Constant;
    if is_constant && parts.get("final") == Some(&Value::Bool(false)) {
        return Err(format!("{label} of kind 'constant' cannot be combined with final => false"));
    }
    let mut default = parts.get("value").cloned();
    match &default {
        Some(_) if matches!(word, "derived" | "given_or_derived") => {
            return Err(format!("{label} of kind '{word}' cannot be combined with an attribute value"));
        }
        Some(value) if *value != Value::Default => {
            crate::types::mismatch::assert_instance(&format!("{label} value"), data_type, value)
                .map_err(|reason| reason.message.to_string())?;
        }
        None if is_constant => return Err(format!("{label} of kind 'constant' requires a value")),
        // It may be left out; computing it is up to Ruby.
        None if word == "given_or_derived" => default = Some(Value::Undef),
        _ => {}
    }
    Ok(Attribute {
        default,
        kind,
        is_final: is_constant || flag("final"),
        overrides: flag("override"),
        ..plain(data_type)
    })
}

impl ObjectType {
    /// (PAnnotatedMember#assert_override)
    fn assert_override(&self, own: &Attribute, label: &str) -> Result<(), String> {
        let own_label = format!("attribute {label}[{}]", own.name);
        let mut at = self.parent.as_deref();
        while let Some(parent) = at {
            let Some(known) = parent.attributes.iter().find(|known| known.name == own.name) else {
                if parent.functions.contains(&own.name) {
                    return Err(format!("{own_label} attempts to override function {}[{}]", parent.label(), own.name));
                }
                at = parent.parent.as_deref();
                continue;
            };
            let constants = known.kind == AttributeKind::Constant && own.kind == AttributeKind::Constant;
            let label = format!("attribute {}[{}]", parent.label(), own.name);
            if known.is_final && !constants {
                return Err(format!("{own_label} attempts to override final {label}"));
            }
            if !own.overrides {
                return Err(format!("{own_label} attempts to override {label} without having override => true"));
            }
            if !crate::types::is_assignable(&known.data_type, &own.data_type) {
                return Err(format!("{own_label} attempts to override {label} with a type that does not match"));
            }
            return Ok(());
        }
        if own.overrides {
            return Err(format!(
                "expected {own_label} to override an inherited attribute, but no such attribute was found"
            ));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn built_in_objects_are_defined() {
        assert_eq!(ObjectType::deferred().attributes.len(), 2);
        assert_eq!(ObjectType::error().attributes.len(), 4);
        assert_eq!(ObjectType::lookup_context().functions.len(), 9);
        assert_eq!(Type::Object(ObjectType::deferred()).to_string(), DEFERRED_TEXT);
        assert_eq!(Type::Object(ObjectType::error()).to_string(), ERROR_TEXT);
    }
}
