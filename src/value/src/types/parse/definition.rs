//! Definitions of types as strings: `Type('type Port = Integer[1]')`. (`TypeParser#interpret_TypeAlias`)
//!
//! In: a name and its meaning. Out: the alias, or the object type or type set of that name. The name is not visible elsewhere.

use std::sync::Arc;

use super::Parser;
use crate::types::Alias;
use crate::types::RUNTIME_AUTHORITY;
use crate::types::Type;
use crate::types::TypeSet;
use crate::types::define_object;
use crate::value::Hash;
use crate::value::Value;
use catwalk_base::diag::Reason;
use catwalk_syntax::ast::Expr;
use catwalk_syntax::ast::ExprKind;

/// The parameter of `Object[…]`, or of `TypeSet[…]`.
#[must_use]
pub fn definition_hash<'e>(expr: &'e Expr, kind: &str) -> Option<&'e Expr> {
    let ExprKind::Access(access) = &expr.kind else { return None };
    let is_kind = matches!(&access.left.kind, ExprKind::TypeName(name) if name.as_str() == kind);
    access.keys.first().filter(|_| is_kind)
}

/// The names of members may be written as names of types.
fn simple_name(key: &Value) -> Value {
    match key {
        Value::Type(Type::Reference(name)) => Value::from(name.clone()),
        key => key.clone(),
    }
}

impl Parser<'_> {
    /// The alias of a definition.
    pub(super) fn parse_alias_definition(&mut self, name: &str, meaning: &Expr) -> Result<Type, Reason> {
        if let Some(set) = definition_hash(meaning, "TypeSet") {
            let mut definition = self.definition(set)?;
            for key in ["types", "references"] {
                if let Some(Value::Hash(members)) = definition.get(key) {
                    let members = members.iter().map(|(name, value)| (simple_name(name), value.clone())).collect();
                    definition.set(key, Value::hash(members));
                }
            }
            let set = TypeSet::define(Some((name, RUNTIME_AUTHORITY)), &definition).map_err(Reason::runtime)?;
            return Ok(Type::TypeSet(Some(Arc::new(set))));
        }
        let object = definition_hash(meaning, "Object");
        if let Some(object) = object.or_else(|| matches!(meaning.kind, ExprKind::Hash(_)).then_some(meaning)) {
            let definition = self.definition(object)?;
            let object = define_object(Some(name), &definition).map_err(Reason::runtime)?;
            return Ok(Type::Object(Arc::new(object)));
        }
        let alias = Alias::new(name);
        let meaning = self.parse_type(meaning)?;
        alias.resolve(&meaning).map_err(Reason::runtime)?;
        Ok(Type::Alias(alias))
    }

    fn definition(&mut self, expr: &Expr) -> Result<Hash, Reason> {
        match self.parse_literal(expr)? {
            Value::Hash(definition) => Ok((*definition).clone()),
            _ => Err(self.invalid(expr)),
        }
    }
}
