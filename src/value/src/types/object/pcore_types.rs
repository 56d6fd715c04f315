//! Puppet's internal types by name: types of types (`Pcore::IntegerType`), of the parts of programs (`Puppet::AST::Nop`), of
//! resource types (`Puppet::Resource::Param`). (`Pcore.init`)
//!
//! In: a name. Out: its type, parsed on first use from `pcore_types.jsonl`. How that file is made:
//! `tests/reference/known_types.rb`.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::OnceLock;

use crate::types::Alias;
use crate::types::NoAliases;
use crate::types::ObjectType;
use crate::types::Type;
use crate::types::TypeSet;
use crate::types::parse_type;

/// The set of the types of the parts of programs.
const AST: &str = "Puppet::AST";

/// A type of the table.
struct Entry {
    name: String,
    text: String,
    parsed: OnceLock<Type>,
}

/// The types in their order, and their indices by lower-case name.
struct Table {
    entries: Vec<Entry>,
    places: HashMap<String, usize>,
}

fn table() -> &'static Table {
    static TABLE: OnceLock<Table> = OnceLock::new();
    TABLE.get_or_init(|| {
        // A test proves that the lines are well formed.
        let lines = include_str!("pcore_types.jsonl").lines();
        let pairs = lines.filter_map(|line| serde_json::from_str::<(String, String)>(line).ok());
        let entries: Vec<Entry> = pairs.map(|(name, text)| Entry { name, text, parsed: OnceLock::new() }).collect();
        let places = entries.iter().enumerate().map(|(at, entry)| (entry.name.to_ascii_lowercase(), at)).collect();
        Table { entries, places }
    })
}

impl Entry {
    /// The type. Names in its source refer to other entries, without cycles.
    fn to_type(&self) -> Type {
        let make = || match parse_type(&self.text, &mut NoAliases) {
            Ok(Type::Object(object)) => Type::Object(object),
            Ok(meaning) => {
                let alias = Alias::new(&self.name);
                let _ = alias.resolve(&meaning);
                Type::Alias(alias)
            }
            Err(_) => Type::any_object(),
        };
        self.parsed.get_or_init(make).clone()
    }
}

/// The type of a name in any case.
pub(in crate::types) fn pcore_type(name: &str) -> Option<Type> {
    let begins = |prefix: &str| name.get(..prefix.len()).is_some_and(|own| own.eq_ignore_ascii_case(prefix));
    if !begins("Pcore::") && !begins("Puppet::") {
        return None;
    }
    if name.eq_ignore_ascii_case(AST) {
        return Some(program_parts());
    }
    let table = table();
    let at = *table.places.get(&name.to_ascii_lowercase())?;
    table.entries.get(at).map(Entry::to_type)
}

/// `Puppet::AST`: the set of the types of the parts of programs.
fn program_parts() -> Type {
    static SET: OnceLock<Type> = OnceLock::new();
    let make = || {
        let simple = |entry: &Entry| entry.name.strip_prefix(AST)?.strip_prefix("::").map(Arc::from);
        let types = table().entries.iter().filter_map(|entry| Some((simple(entry)?, entry.to_type()))).collect();
        let (name, pcore_version) = (Some(Arc::from(AST)), Arc::from("1.0.0"));
        Type::TypeSet(Some(Arc::new(TypeSet { name, pcore_version, types, ..TypeSet::default() })))
    };
    SET.get_or_init(make).clone()
}

/// The name of a type's own type.
pub(crate) fn class_of_type(t: &Type) -> String {
    match t {
        Type::Object(object) if object.base.is_some() => "Pcore::ObjectTypeExtenType".to_owned(),
        t => format!("Pcore::{}Type", t.simple_name()),
    }
}

impl ObjectType {
    /// Whether a type is an object of this type: `Integer` is one of `Pcore::IntegerType`.
    #[must_use]
    pub(crate) fn has_type(&self, t: &Type) -> bool {
        let Some(own) = &self.name else { return self.is_any() };
        own.starts_with("Pcore::")
            && matches!(pcore_type(&class_of_type(t)), Some(Type::Object(class)) if self.covers(&class))
    }

    /// Whether its objects are written without their attributes: they are objects of Ruby classes that do not print them.
    #[must_use]
    pub(crate) fn is_opaque(&self) -> bool {
        matches!(
            self.name.as_deref(),
            Some(
                "Pcore::StructElement"
                    | "Puppet::Resource::Param"
                    | "Puppet::Resource::ResourceType3"
                    | "Puppet::AST::Locator"
            )
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_are_types_of_their_names() {
        let table = table();
        assert_eq!(table.entries.len(), include_str!("pcore_types.jsonl").lines().count());
        for entry in &table.entries {
            match entry.to_type() {
                Type::Object(object) => assert_eq!(object.name.as_deref(), Some(entry.name.as_str())),
                Type::Alias(alias) => assert!(alias.name() == entry.name && alias.resolved().is_some()),
                other => assert_eq!(other.to_string(), entry.name),
            }
        }
    }
}
