//! The signatures of `new` for each type. The first that matches is used; messages contain all.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::OnceLock;

use crate::types::Alias;
use crate::types::AliasResolver;
use crate::types::CallableType;
use crate::types::IntRange;
use crate::types::TupleType;
use crate::types::Type;
use crate::types::len;
use crate::types::mismatch::Signature;
use crate::types::parse_type;
use catwalk_base::diag::Reason;

/// A constructor: its name in messages, its local types, and its parameter lists (a `?` marks optional ones).
struct Constructor {
    kind: &'static str,
    name: &'static str,
    types: &'static [(&'static str, &'static str)],
    dispatches: &'static [&'static [(&'static str, &'static str)]],
}

const INTEGER_TEXT: &str = r"Variant[Numeric, Boolean, Pattern[/\A[+-]?\s*(?:(?:\d+)|(?:0[xX][0-9A-Fa-f]+)|(?:0[bB][01]+))\z/], Timespan, Timestamp]";
const FLOAT_TEXT: &str = r"Variant[Numeric, Boolean, Pattern[/\A[+-]?\s*(?:(?:(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE]-?\d+)?)|(?:0[xX][0-9A-Fa-f]+)|(?:0[0-7]+)|(?:0[bB][01]+))\z/], Timespan, Timestamp]";
const NUMERIC_TEXT: &str = r"Variant[Integer, Float, Boolean, Pattern[/\A[+-]?\s*(?:(?:(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE]-?\d+)?)|(?:0[xX][0-9A-Fa-f]+)|(?:0[0-7]+)|(?:0[bB][01]+))\z/], Timespan, Timestamp]";
const NUMBER_ARGS: &str = "Struct[{from => Convertible, Optional[abs] => Boolean}]";
const TIME_FORMATS: &str = "Variant[String[2],Array[String[2], 1]]";

const CONSTRUCTORS: &[Constructor] = &[
    Constructor {
        kind: "Integer",
        name: "new",
        types: &[
            ("Radix", "Variant[Default, Integer[2,2], Integer[8,8], Integer[10,10], Integer[16,16]]"),
            ("Convertible", INTEGER_TEXT),
            ("NamedArgs", "Struct[{from => Convertible, Optional[radix] => Radix, Optional[abs] => Boolean}]"),
        ],
        dispatches: &[
            &[("Convertible", "from"), ("Radix", "radix?"), ("Boolean", "abs?")],
            &[("NamedArgs", "hash_args")],
        ],
    },
    Constructor {
        kind: "Float",
        name: "new_float",
        types: &[("Convertible", FLOAT_TEXT), ("NamedArgs", NUMBER_ARGS)],
        dispatches: &[&[("Convertible", "from"), ("Boolean", "abs?")], &[("NamedArgs", "hash_args")]],
    },
    Constructor {
        kind: "Numeric",
        name: "new_numeric",
        types: &[("Convertible", NUMERIC_TEXT), ("NamedArgs", NUMBER_ARGS)],
        dispatches: &[&[("Convertible", "from"), ("Boolean", "abs?")], &[("NamedArgs", "hash_args")]],
    },
    Constructor {
        kind: "Boolean",
        name: "new_boolean",
        types: &[],
        dispatches: &[&[("Variant[Integer, Float, Boolean, Enum['false','true','yes','no','y','n',true]]", "from")]],
    },
    Constructor {
        kind: "String",
        name: "new_string",
        types: &[
            ("Format", r"Pattern[/^%([\s\[+#0{<(|-]*)([1-9][0-9]*)?(?:\.([0-9]+))?([a-zA-Z])$/]"),
            (
                "ContainerFormat",
                "Struct[{Optional[format] => Format, Optional[separator] => String, Optional[separator2] => String, Optional[string_formats] => Hash[Type, Format]}]",
            ),
            ("TypeMap", "Hash[Type, Variant[Format, ContainerFormat]]"),
            ("Convertible", "Any"),
            ("Formats", "Variant[Default, String[1], TypeMap]"),
        ],
        dispatches: &[&[("Convertible", "from"), ("Formats", "string_formats?")]],
    },
    Constructor {
        kind: "Regexp",
        // Puppet's function has this name.
        name: "new_float",
        types: &[],
        dispatches: &[&[("String", "pattern"), ("Boolean", "escape?")]],
    },
    Constructor {
        kind: "Array",
        name: "new_array",
        types: &[],
        dispatches: &[
            &[("Variant[Array,Hash,Binary,Iterable]", "from"), ("Boolean[false]", "wrap?")],
            &[("Any", "from"), ("Boolean[true]", "wrap")],
        ],
    },
    Constructor {
        kind: "Hash",
        name: "new_hash",
        types: &[
            ("KeyValueArray", "Array[Tuple[Any,Any],1]"),
            ("TreeArray", "Array[Tuple[Array,Any],1]"),
            ("NewHashOption", "Enum[tree, hash_tree]"),
        ],
        dispatches: &[
            &[("TreeArray", "from"), ("NewHashOption", "build_option?")],
            &[("KeyValueArray", "from")],
            &[("Any", "from")],
        ],
    },
    Constructor { kind: "Type", name: "new_type", types: &[], dispatches: &[&[("String[1]", "type_string")]] },
    Constructor { kind: "Unit", name: "new_unit", types: &[], dispatches: &[&[("Any", "from")]] },
    Constructor {
        kind: "Sensitive",
        name: "new_Sensitive",
        types: &[],
        dispatches: &[&[("Sensitive", "value")], &[("Any", "value")]],
    },
    Constructor {
        kind: "Timestamp",
        name: "new_timestamp",
        types: &[("Formats", TIME_FORMATS)],
        dispatches: &[
            &[],
            &[("Variant[Integer,Float]", "seconds")],
            &[("String[1]", "string"), ("Formats", "format?"), ("String[1]", "timezone?")],
            &[(
                "Struct[{string => String[1], Optional[format] => Formats, Optional[timezone] => String[1]}]",
                "hash_arg",
            )],
        ],
    },
    Constructor {
        kind: "Timespan",
        name: "new_timespan",
        types: &[("Formats", TIME_FORMATS)],
        dispatches: &[
            &[("Variant[Integer,Float]", "seconds")],
            &[("String[1]", "string"), ("Formats", "format?")],
            &[
                ("Integer", "days"),
                ("Integer", "hours"),
                ("Integer", "minutes"),
                ("Integer", "seconds"),
                ("Integer", "milliseconds?"),
                ("Integer", "microseconds?"),
                ("Integer", "nanoseconds?"),
            ],
            &[("Struct[{string => String[1], Optional[format] => Formats}]", "hash_arg")],
            &[(
                "Struct[{Optional[negative] => Boolean, Optional[days] => Integer, Optional[hours] => Integer, Optional[minutes] => Integer, Optional[seconds] => Integer, Optional[milliseconds] => Integer, Optional[microseconds] => Integer, Optional[nanoseconds] => Integer}]",
                "hash_arg",
            )],
        ],
    },
    Constructor {
        kind: "SemVer",
        name: "new_Version",
        types: &[
            ("PositiveInteger", "Integer[0,default]"),
            ("SemVerQualifier", r"Pattern[/\A(?<part>[0-9A-Za-z-]+)(?:\.\g<part>)*\Z/]"),
            (
                "SemVerPattern",
                r"Pattern[/\A(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)(?:-([0-9A-Za-z-]+(?:\.[0-9A-Za-z-]+)*))?(?:\+([0-9A-Za-z-]+(?:\.[0-9A-Za-z-]+)*))?\Z/]",
            ),
            (
                "SemVerHash",
                "Struct[{major=>PositiveInteger,minor=>PositiveInteger,patch=>PositiveInteger,Optional[prerelease]=>SemVerQualifier,Optional[build]=>SemVerQualifier}]",
            ),
        ],
        dispatches: &[
            &[("SemVerPattern", "str")],
            &[
                ("PositiveInteger", "major"),
                ("PositiveInteger", "minor"),
                ("PositiveInteger", "patch"),
                ("SemVerQualifier", "prerelease?"),
                ("SemVerQualifier", "build?"),
            ],
            &[("SemVerHash", "hash_args")],
        ],
    },
    Constructor {
        kind: "SemVerRange",
        name: "new_VersionRange",
        types: &[
            ("SemVerRangeString", "String[1]"),
            (
                "SemVerRangeHash",
                "Struct[{min=>Variant[Default,SemVer],Optional[max]=>Variant[Default,SemVer],Optional[exclude_max]=>Boolean}]",
            ),
        ],
        dispatches: &[
            &[("SemVerRangeString", "str")],
            &[("Variant[Default,SemVer]", "min"), ("Variant[Default,SemVer]", "max"), ("Boolean", "exclude_max?")],
            &[("SemVerRangeHash", "hash_args")],
        ],
    },
    Constructor {
        kind: "Binary",
        name: "new_Binary",
        types: &[
            ("ByteInteger", "Integer[0,255]"),
            ("Base64Format", r#"Enum["%b", "%u", "%B", "%s", "%r"]"#),
            ("StringHash", r#"Struct[{value => String, "format" => Optional[Base64Format]}]"#),
            ("ArrayHash", "Struct[{value => Array[ByteInteger]}]"),
            ("BinaryArgsHash", "Variant[StringHash, ArrayHash]"),
        ],
        dispatches: &[
            &[("String", "str"), ("Base64Format", "format?")],
            &[("Array[ByteInteger]", "byte_array")],
            &[("BinaryArgsHash", "hash_args")],
        ],
    },
    Constructor {
        kind: "URI",
        // Puppet's function has this name.
        name: "new_error",
        types: &[],
        dispatches: &[
            &[("String[1]", "uri")],
            &[(
                "Struct[{Optional[scheme] => String[1], Optional[userinfo] => String[1], Optional[host] => String[1], Optional[port] => Integer[0], Optional[path] => String[1], Optional[query] => String[1], Optional[fragment] => String[1], Optional[opaque] => String[1]}]",
                "hash",
            )],
        ],
    },
];

/// Local types of one constructor.
struct LocalTypes(Vec<(&'static str, Type)>);

impl AliasResolver for LocalTypes {
    fn resolve(&mut self, name: &str) -> Result<Option<Type>, Reason> {
        Ok(self.0.iter().find(|(alias, _)| *alias == name).map(|(_, t)| t.clone()))
    }
}

/// The name and signatures of a type's constructor, by the type's simple name.
pub(super) fn signatures(kind: &str) -> Option<&'static (String, Vec<Signature>)> {
    static TABLE: OnceLock<HashMap<&'static str, (String, Vec<Signature>)>> = OnceLock::new();
    TABLE
        .get_or_init(|| {
            CONSTRUCTORS
                .iter()
                .map(|constructor| (constructor.kind, (constructor.name.to_owned(), build(constructor))))
                .collect()
        })
        .get(kind)
}

fn build(constructor: &Constructor) -> Vec<Signature> {
    let mut local = LocalTypes(Vec::new());
    for (name, text) in constructor.types {
        let alias = Alias::new(name);
        // A test checks that every string in the table is a type.
        if let Ok(t) = parse_type(text, &mut local) {
            let _ = alias.resolve(&t);
        }
        local.0.push((name, Type::Alias(alias)));
    }
    constructor
        .dispatches
        .iter()
        .map(|params| {
            let types = params.iter().map(|(text, _)| parse_type(text, &mut local).unwrap_or(Type::Any)).collect();
            let required = params.iter().filter(|(_, name)| !name.ends_with('?')).count();
            let names = params.iter().map(|(_, name)| Arc::from(name.trim_end_matches('?'))).collect();
            signature(types, required, names)
        })
        .collect()
}

/// A signature without a block.
pub(super) fn signature(types: Vec<Type>, required: usize, names: Vec<Arc<str>>) -> Signature {
    let size = IntRange::new(Some(len(required)), Some(len(types.len())));
    let callable = CallableType { params: Some(TupleType::new(types, Some(size))), block: None, returns: None };
    Signature { callable, names, block_name: None }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests")]
mod tests {
    use super::*;

    #[test]
    fn every_text_is_a_type() {
        for constructor in CONSTRUCTORS {
            let mut local = LocalTypes(Vec::new());
            for (name, text) in constructor.types {
                let alias = Alias::new(name);
                alias.resolve(&parse_type(text, &mut local).unwrap()).unwrap();
                local.0.push((name, Type::Alias(alias)));
            }
            for (text, _) in constructor.dispatches.iter().flat_map(|params| params.iter()) {
                let t = parse_type(text, &mut local).unwrap();
                assert!(!matches!(t, Type::Reference(_)), "{text}");
            }
        }
    }
}
