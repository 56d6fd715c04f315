//! `Object[{ … }]`: from the hash that defines an object type to the type. (`PObjectType#_pcore_init_from_hash`)
//!
//! In: a hash of values. Out: the type with its members, checked against those of the type it extends.

mod definition_hash;
mod shape;

pub(in crate::types) use shape::ANNOTATIONS;
use shape::assert_shape;
pub(in crate::types) use shape::assert_type_name;
pub(in crate::types) use shape::initializer;
use shape::message;
use shape::shapes;

use std::sync::Arc;

use crate::types::Attribute;
use crate::types::AttributeKind;
use crate::types::Function;
use crate::types::ObjectType;
use crate::types::Type;
use crate::types::generalize;
use crate::types::infer;
use crate::types::is_assignable;
use crate::types::mismatch::assert_instance;
use crate::types::object::Member;
use crate::value::Hash;
use crate::value::Value;

type Result<T> = std::result::Result<T, String>;

/// The object type a hash defines, with the name of its alias if there is one.
///
/// # Errors
/// The definition is wrong, or contradicts that of the type it extends.
pub fn define(alias: Option<&str>, definition: &Hash) -> Result<ObjectType> {
    assert_shape("object initializer", |shapes| &shapes.object, definition)?;
    let own_name = definition.get("name").and_then(Value::as_str);
    let name: Option<Arc<str>> = alias.or(own_name).map(Arc::from);
    let parent = match definition.get("parent") {
        Some(Value::Type(parent)) => Some(parent.clone()),
        _ => None,
    };
    let mut object_type = ObjectType { name, parent, ..ObjectType::default() };
    if let Some(Type::Reference(name)) = object_type.parent.as_ref().map(Type::resolved) {
        return Err(format!("reference to unresolved type '{name}'"));
    }
    object_type.check_self_recursion()?;
    for (name, spec) in member_specs(definition, "type_parameters") {
        let parameter = object_type.new_parameter(name, spec)?;
        object_type.type_parameters.push(parameter);
    }
    let mut attributes = member_specs(definition, "attributes");
    let constants = constant_attributes(&object_type, definition, &attributes)?;
    attributes.extend(constants.iter().filter_map(|(name, spec)| Some((name.as_str()?, spec))));
    for (name, spec) in attributes {
        let attribute = object_type.new_attribute(name, spec)?;
        object_type.attributes.push(attribute);
    }
    for (name, spec) in member_specs(definition, "functions") {
        let function = object_type.new_function(name, spec)?;
        object_type.functions.push(function);
    }
    object_type.includes_type = definition.get("equality_include_type") != Some(&Value::Bool(false));
    object_type.equality = object_type.check_equality(definition.get("equality"))?;
    object_type.definition = Some(object_type.to_definition(definition));
    Ok(object_type)
}

fn member_specs<'d>(definition: &'d Hash, key: &str) -> Vec<(&'d str, &'d Value)> {
    match definition.get(key) {
        Some(Value::Hash(members)) => {
            members.iter().filter_map(|(name, spec)| name.as_str().map(|name| (name, spec))).collect()
        }
        _ => Vec::new(),
    }
}

/// Constants as attributes.
fn constant_attributes(object_type: &ObjectType, definition: &Hash, attributes: &[(&str, &Value)]) -> Result<Hash> {
    let mut all = Hash::new();
    for (name, value) in member_specs(definition, "constants") {
        if attributes.iter().any(|(attribute, _)| *attribute == name) {
            let label = object_type.label();
            return Err(format!("attribute {label}[{name}] is defined as both a constant and an attribute"));
        }
        let mut spec = Hash::new();
        spec.set("type", Value::Type(generalize(&infer(value))));
        spec.set("value", value.clone());
        spec.set("kind", Value::str("constant"));
        spec.set("override", Value::Bool(object_type.member(name).is_some()));
        all.set(name, Value::hash(spec));
    }
    Ok(all)
}

/// A flag in a member's definition.
fn flag(parts: &Hash, key: &str) -> bool {
    parts.get(key) == Some(&Value::Bool(true))
}

impl ObjectType {
    /// Checks that its supertypes do not lead back to it.
    fn check_self_recursion(&self) -> Result<()> {
        let Some(own_name) = self.name.as_deref() else { return Ok(()) };
        let mut at = self.parent.as_ref();
        while let Some(t) = at {
            let (name, next) = match t {
                // An alias that is not resolved is one of those that are being defined.
                Type::Alias(alias) if alias.resolved().is_none() => (Some(alias.name()), None),
                Type::Alias(alias) => (None, alias.resolved()),
                Type::Object(object) => (object.name.as_deref(), object.parent.as_ref()),
                _ => (None, None),
            };
            if name == Some(own_name) {
                return Err(format!("The Object type '{own_name}' inherits from itself"));
            }
            at = next;
        }
        Ok(())
    }

    fn new_parameter(&self, name: &str, spec: &Value) -> Result<Attribute> {
        let label = format!("type_parameter {}[{name}]", self.label());
        let (data_type, default) = match spec {
            Value::Hash(parts) => (parts.get("type").cloned().unwrap_or(Value::Undef), parts.get("value").cloned()),
            spec => {
                message(assert_instance(&label, &Type::Type(None), spec))?;
                (spec.clone(), None)
            }
        };
        let data_type = match data_type {
            Value::Type(t @ Type::Optional(_)) => t,
            Value::Type(t) => Type::optional(t),
            _ => Type::Optional(None),
        };
        if let Some(value) = &default {
            message(assert_instance(&format!("{label} value"), &data_type, value))?;
        }
        let parameter = Attribute { name: Arc::from(name), data_type, default, ..Attribute::default() };
        if let Some(inherited) = self
            .parent_object()
            .and_then(|p| p.all_type_parameters().into_iter().find(|inherited| inherited.name == parameter.name))
        {
            let parent = self.parent_object().map_or("Object", |parent| parent.label());
            let inherited_label = format!("type_parameter {parent}[{name}]");
            check_override(
                &label,
                &inherited_label,
                (inherited.is_final, parameter.overrides),
                &inherited.data_type,
                &parameter.data_type,
            )?;
        }
        Ok(parameter)
    }

    /// An attribute from its type or from the hash that describes it. (`PAttribute#initialize`)
    fn new_attribute(&self, name: &str, spec: &Value) -> Result<Attribute> {
        let label = format!("attribute {}[{name}]", self.label());
        let mut attribute = Attribute { name: Arc::from(name), ..Attribute::default() };
        match spec {
            Value::Hash(parts) => set_from_hash(&mut attribute, parts, &label)?,
            spec => {
                message(assert_instance(&label, &Type::Type(None), spec))?;
                if let Value::Type(t) = spec {
                    attribute.data_type = t.clone();
                    attribute.default = matches!(t, Type::Optional(_)).then_some(Value::Undef);
                }
            }
        }
        if matches!(name, "__ptype" | "__pvalue") {
            return Err(format!("The attribute '{name}' is reserved and cannot be used"));
        }
        match self.parent_object().and_then(|parent| parent.member_with_owner(name)) {
            Some((Member::Attribute(inherited), owner)) => {
                let inherited_label = format!("attribute {}[{name}]", owner.label());
                let both = inherited.kind == AttributeKind::Constant && attribute.kind == AttributeKind::Constant;
                let flags = (inherited.is_final && !both, attribute.overrides);
                check_override(&label, &inherited_label, flags, &inherited.data_type, &attribute.data_type)?;
            }
            Some((Member::Function(_), owner)) => {
                return Err(format!("{label} attempts to override function {}[{name}]", owner.label()));
            }
            None if attribute.overrides => return Err(nothing_to_override(&label, "attribute")),
            None => {}
        }
        Ok(attribute)
    }

    /// A function from its type or from the hash that describes it. (`PFunction#initialize`)
    fn new_function(&self, name: &str, spec: &Value) -> Result<Function> {
        let label = format!("function {}[{name}]", self.label());
        let parts = match spec {
            Value::Hash(parts) => parts.clone(),
            spec => {
                message(assert_instance(&label, &shapes().function_type, spec))?;
                Arc::new(std::iter::once((Value::str("type"), spec.clone())).collect())
            }
        };
        assert_shape(&format!("initializer for function '{name}'"), |shapes| &shapes.function, &parts)?;
        let Some(Value::Type(data_type)) = parts.get("type") else { return Err(format!("{label} has no type")) };
        let function = Function {
            name: Arc::from(name),
            data_type: data_type.clone(),
            is_final: flag(&parts, "final"),
            overrides: flag(&parts, "override"),
            annotations: parts.get("annotations").cloned(),
        };
        if self.attributes.iter().any(|attribute| *attribute.name == *name) {
            return Err(format!("{label} conflicts with attribute with the same name"));
        }
        match self.parent_object().and_then(|parent| parent.member_with_owner(name)) {
            Some((Member::Function(inherited), owner)) => {
                let inherited_label = format!("function {}[{name}]", owner.label());
                let flags = (inherited.is_final, function.overrides);
                check_override(&label, &inherited_label, flags, &inherited.data_type, &function.data_type)?;
            }
            Some((Member::Attribute(_), owner)) => {
                return Err(format!("{label} attempts to override attribute {}[{name}]", owner.label()));
            }
            None if function.overrides => return Err(nothing_to_override(&label, "function")),
            None => {}
        }
        Ok(function)
    }

    /// The attributes that decide equality, if the definition lists them.
    fn check_equality(&self, value: Option<&Value>) -> Result<Option<Vec<Arc<str>>>> {
        let names: Vec<Arc<str>> = match value {
            Some(Value::Str(name)) => vec![name.to_shared()],
            Some(Value::Array(names)) => names.iter().filter_map(|name| name.as_str().map(Arc::from)).collect(),
            _ => return Ok(None),
        };
        let label = self.label();
        if !names.is_empty() && !self.includes_type {
            let message = "equality_include_type = false cannot be combined with non empty equality specification";
            return Err(message.to_owned());
        }
        for name in &names {
            let inherited = self.parent_object().and_then(|parent| parent.member_with_owner(name));
            let member = match inherited {
                Some((Member::Attribute(attribute), owner)) => {
                    let parent = self.parent_object().map(|parent| parent.equality_attributes()).unwrap_or_default();
                    if parent.contains(&&**name) {
                        let including = self.equality_definer(name).label();
                        let owner = owner.label();
                        return Err(format!(
                            "{label} equality is referencing attribute {owner}[{name}] which is included in equality of {including}"
                        ));
                    }
                    Some((Member::Attribute(attribute), owner))
                }
                Some(function) => Some(function),
                None => self.member_with_owner(name),
            };
            match member {
                None => return Err(format!("{label} equality is referencing non existent attribute '{name}'")),
                Some((Member::Function(_), owner)) => {
                    let owner = owner.label();
                    return Err(format!(
                        "{label} equality is referencing function {owner}[{name}]. Only attribute references are allowed"
                    ));
                }
                Some((Member::Attribute(attribute), owner)) if attribute.kind == AttributeKind::Constant => {
                    let owner = owner.label();
                    return Err(format!(
                        "{label} equality is referencing constant attribute {owner}[{name}]. Reference to constant is not allowed in equality"
                    ));
                }
                Some(_) => {}
            }
        }
        Ok(Some(names))
    }

    /// The topmost type above this one whose equality includes an attribute. (`find_equality_definer_of`)
    fn equality_definer(&self, name: &str) -> &ObjectType {
        let mut at = self;
        while let Some(parent) = at.parent_object() {
            if !parent.equality_attributes().contains(&name) {
                break;
            }
            at = parent;
        }
        at
    }
}

/// Sets an attribute from the hash that describes it.
fn set_from_hash(attribute: &mut Attribute, parts: &Hash, label: &str) -> Result<()> {
    assert_shape(&format!("initializer for {label}"), |shapes| &shapes.attribute, parts)?;
    if let Some(Value::Type(t)) = parts.get("type") {
        attribute.data_type = t.clone();
    }
    attribute.annotations = parts.get("annotations").cloned();
    attribute.overrides = flag(parts, "override");
    let keyword = parts.get("kind").and_then(Value::as_str).unwrap_or("");
    attribute.kind = match keyword {
        "constant" => AttributeKind::Constant,
        "derived" => AttributeKind::Derived,
        "given_or_derived" => AttributeKind::GivenOrDerived,
        "reference" => AttributeKind::Reference,
        _ => AttributeKind::Given,
    };
    let is_constant = attribute.kind == AttributeKind::Constant;
    if is_constant && parts.get("final") == Some(&Value::Bool(false)) {
        return Err(format!("{label} of kind 'constant' cannot be combined with final => false"));
    }
    attribute.is_final = is_constant || flag(parts, "final");
    match parts.get("value") {
        Some(_) if matches!(keyword, "derived" | "given_or_derived") => {
            Err(format!("{label} of kind '{keyword}' cannot be combined with an attribute value"))
        }
        Some(value) => {
            if *value != Value::Default {
                message(assert_instance(&format!("{label} value"), &attribute.data_type, value))?;
            }
            attribute.default = Some(value.clone());
            Ok(())
        }
        None if is_constant => Err(format!("{label} of kind 'constant' requires a value")),
        None => Ok(()),
    }
}

fn nothing_to_override(label: &str, kind: &str) -> String {
    format!("expected {label} to override an inherited {kind}, but no such {kind} was found")
}

/// Checks that a member may override an inherited one. (`PAnnotatedMember#assert_can_be_overridden`)
fn check_override(
    label: &str,
    inherited: &str,
    flags: (bool, bool),
    inherited_type: &Type,
    own_type: &Type,
) -> Result<()> {
    let (is_final, overrides) = flags;
    if is_final {
        return Err(format!("{label} attempts to override final {inherited}"));
    }
    if !overrides {
        return Err(format!("{label} attempts to override {inherited} without having override => true"));
    }
    if !is_assignable(inherited_type, own_type) {
        return Err(format!("{label} attempts to override {inherited} with a type that does not match"));
    }
    Ok(())
}
