//! Types that functions of the reference name for themselves (`local_types`), and those of its type set `Pcore`.
//!
//! In: a function's name. Out: who knows its names. Messages print such types as `Name = meaning`.

use crate::diag::Reason;
use crate::types::Alias;
use crate::types::AliasResolver;
use crate::types::Type;
use crate::types::parse;

/// The types one function names, in the order in which they build on each other.
const TYPES: &[(&str, &[(&str, &str)])] = &[
    ("annotate", &[("Pcore::MemberName", r"Pattern[/\A[a-z_]\w*\z/]")]),
    ("downcase", STRING_DATA),
    ("lookup", LOOKUP),
    ("tree_each", &[("OptionsType", TREE_OPTIONS)]),
    ("upcase", STRING_DATA),
];

const STRING_DATA: &[(&str, &str)] =
    &[("StringData", "Variant[String, Numeric, Array[StringData], Hash[StringData, StringData]]")];

const LOOKUP: &[(&str, &str)] = &[
    ("NameType", "Variant[String, Array[String]]"),
    ("ValueType", "Type"),
    ("DefaultValueType", "Any"),
    ("MergeType", "Variant[String[1], Hash[String, Scalar]]"),
    ("BlockType", "Callable[NameType]"),
    (
        "OptionsWithName",
        "Struct[{name => NameType, value_type => Optional[ValueType], default_value => DefaultValueType, \
         override => Optional[Hash[String, Any]], default_values_hash => Optional[Hash[String, Any]], \
         merge => Optional[MergeType]}]",
    ),
    (
        "OptionsWithoutName",
        "Struct[{value_type => Optional[ValueType], default_value => DefaultValueType, \
         override => Optional[Hash[String, Any]], default_values_hash => Optional[Hash[String, Any]], \
         merge => Optional[MergeType]}]",
    ),
];

const TREE_OPTIONS: &str = "Struct[{container_type => Optional[Type], include_root => Optional[Boolean], \
                            include_containers => Optional[Boolean], include_values => Optional[Boolean], \
                            order => Optional[Enum[depth_first, breadth_first]], include_refs => Optional[Boolean]}]";

/// The types a function's signatures may name.
pub(super) struct LocalTypes(Vec<(&'static str, Type)>);

impl LocalTypes {
    /// Those of a function.
    ///
    /// # Errors
    /// A text is no type: a mistake in the table, found by a test.
    pub(super) fn of(function: &str) -> Result<LocalTypes, Reason> {
        let mut local = LocalTypes(Vec::new());
        let Some((_, types)) = TYPES.iter().find(|(name, _)| *name == function) else { return Ok(local) };
        for (name, text) in *types {
            let alias = Alias::new(name);
            // It is known before its meaning is: it may name itself.
            local.0.push((name, Type::Alias(alias.clone())));
            let meaning = parse::parse_text(text, &mut local)?;
            alias.resolve(&meaning).map_err(Reason::runtime)?;
        }
        Ok(local)
    }
}

impl AliasResolver for LocalTypes {
    fn resolve(&mut self, name: &str) -> Result<Option<Type>, Reason> {
        Ok(self.0.iter().find(|(known, _)| *known == name).map(|(_, t)| t.clone()))
    }
}
