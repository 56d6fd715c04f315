//! The annotation `RubyMethod`: the Ruby code of a function or derived attribute. (`Puppet::Pops::Types::RubyMethod`)
//!
//! In: annotations of a member. Out: the body's source and its parameters. Must not: know Ruby.

use std::sync::OnceLock;

use crate::types::AttributeKind;
use crate::types::NoAliases;
use crate::types::ObjectType;
use crate::types::Type;
use crate::types::mismatch::assert_instance;
use crate::types::parse_type;
use crate::value::Value;
use catwalk_base::diag::Reason;

/// The source of a method's body and of its parameter list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Body<'v> {
    /// The source of the body.
    pub text: &'v str,
    /// Its parameters; empty where there are none.
    pub parameters: &'v str,
}

/// The body in a member's annotations.
///
/// # Errors
/// `RubyMethod initializer has wrong type, …`
pub fn body(annotations: Option<&Value>) -> Result<Option<Body<'_>>, Reason> {
    let Some(Value::Hash(annotations)) = annotations else { return Ok(None) };
    let is_ruby = |key: &Value| match key {
        Value::Type(t) => matches!(t.resolved(), Type::Object(object) if object.label() == "RubyMethod"),
        _ => false,
    };
    let Some((_, given)) = annotations.iter().find(|(key, _)| is_ruby(key)) else { return Ok(None) };
    assert_instance("RubyMethod initializer", shape(), given)?;
    let Value::Hash(given) = given else { return Ok(None) };
    let text = |key: &str| given.get(key).and_then(Value::as_str).unwrap_or_default();
    Ok(Some(Body { text: text("body"), parameters: text("parameters") }))
}

impl ObjectType {
    /// Checks the bodies of own and inherited members, as Puppet does when the first object is created.
    pub(in crate::types) fn check_bodies(&self) -> Result<(), Reason> {
        if let Some(parent) = self.parent_object() {
            parent.check_bodies()?;
        }
        for attribute in self.attributes.iter().filter(|attribute| attribute.kind == AttributeKind::Derived) {
            body(attribute.annotations.as_ref())?;
        }
        for function in &self.functions {
            body(function.annotations.as_ref())?;
        }
        Ok(())
    }
}

/// The type of a `RubyMethod`.
fn shape() -> &'static Type {
    static SHAPE: OnceLock<Type> = OnceLock::new();
    let text = "Struct[{body => String, Optional[parameters] => Optional[String[1]]}]";
    SHAPE.get_or_init(|| parse_type(text, &mut NoAliases).unwrap_or(Type::Any))
}
