//! Local types of Puppet's functions (`local_types`), and those of its type set `Pcore`.
//!
//! In: a function's name. Out: names and meanings of its types. Messages print such types as `Name = meaning`.

use catwalk_eval::LocalTypes;

/// The local types of functions, in the order in which they build on each other.
const TYPES: &[(&str, LocalTypes)] = &[
    ("annotate", &[("Pcore::MemberName", r"Pattern[/\A[a-z_]\w*\z/]")]),
    ("downcase", STRING_DATA),
    ("lookup", LOOKUP),
    ("tree_each", &[("OptionsType", TREE_OPTIONS)]),
    ("upcase", STRING_DATA),
];

const STRING_DATA: LocalTypes =
    &[("StringData", "Variant[String, Numeric, Array[StringData], Hash[StringData, StringData]]")];

const LOOKUP: LocalTypes = &[
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

/// The types that the signatures of a function may name.
pub(super) fn types_of(function: &str) -> LocalTypes {
    TYPES.iter().find(|(name, _)| *name == function).map_or(&[], |(_, types)| types)
}
