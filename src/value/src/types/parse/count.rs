//! Checks of the number and kinds of a type's parameters in a string.
//!
//! In: the name of the type and its keys. Out: whether they are valid, or the message of the type parser. Must not: make the
//! type.

use super::Parser;
use super::is_default;
use crate::types::Type;
use crate::value::SemVerRange;
use crate::value::Value;
use catwalk_base::diag::Reason;
use catwalk_syntax::ast::Expr;
use catwalk_syntax::ast::ExprKind;

impl Parser<'_> {
    /// Numbers and kinds of parameters, with the messages of Puppet's type parser.
    pub(super) fn check(&self, expr: &Expr, name: &str, keys: &[Value]) -> Result<(), Reason> {
        let n = keys.len();
        let count = |label: &str, required: &str, fits: bool| {
            if fits {
                return Ok(());
            }
            Err(Reason::runtime(format!(
                "Invalid number of type parameters specified: {label} requires {required}, {n} provided"
            )))
        };
        let is_type = |key: Option<&Value>| matches!(key, Some(Value::Type(_)));
        let is_range = |key: Option<&Value>| match key {
            Some(Value::Int(_) | Value::BigInt(_)) => true,
            Some(key) => is_default(key),
            None => false,
        };
        let sized = |from: usize| match (keys.get(from), keys.get(from + 1)) {
            (None, _) | (Some(Value::Type(Type::Integer(_))), None) => true,
            (first, None) => is_range(first),
            (first, second) => is_range(first) && is_range(second),
        };
        let demand = |fits: bool| if fits { Ok(()) } else { Err(self.invalid(expr)) };
        match name {
            "array" => {
                count("Array", "1 to 3", (1..=3).contains(&n))?;
                demand(match n {
                    1 => is_type(keys.first()),
                    2 if is_type(keys.first()) => sized(1),
                    2 => is_range(keys.first()) && is_range(keys.get(1)),
                    _ => is_type(keys.first()) && sized(1),
                })
            }
            "hash" => {
                count("Hash", "2 to 4", (2..=4).contains(&n))?;
                let types = is_type(keys.first()) && is_type(keys.get(1));
                demand(if n == 2 {
                    types || (is_range(keys.first()) && is_range(keys.get(1)))
                } else {
                    types && sized(2)
                })
            }
            "collection" => {
                count("Collection", "1 to 2", n == 1 || n == 2)?;
                demand(sized(0))
            }
            "string" => {
                count("String", "1 to 2", n == 1 || n == 2)?;
                demand(sized(0))
            }
            "class" => count("Class", "1", n == 1),
            "regexp" => count("Regexp", "1", n == 1),
            "enum" => {
                let texts = n - usize::from(matches!(keys.last(), Some(Value::Bool(_))));
                if texts == 0 {
                    let required = "Enum requires 1 or more, 0 provided";
                    return Err(Reason::runtime(format!("Invalid number of type parameters specified: {required}")));
                }
                let fits = keys.iter().take(texts).all(|key| matches!(key, Value::Str(_)));
                if fits { Ok(()) } else { Err(Reason::runtime("Enum parameters must be identifiers or strings")) }
            }
            "pattern" => keys.iter().try_for_each(|key| match key {
                Value::Str(_) | Value::Regexp(_) | Value::Type(Type::Pattern(_) | Type::Regexp(_)) => Ok(()),
                key => {
                    let known = "Only String, Regexp, Pattern-Type, and Regexp-Type are allowed";
                    Err(Reason::runtime(format!("{known}: got '{}", crate::value::ruby::plain_class_name(key))))
                }
            }),
            "resource" => {
                count("Resource", "1 or 2", n == 1 || n == 2)?;
                match keys.first() {
                    Some(Value::Str(name)) => {
                        let name = crate::types::capitalize_segments(name);
                        let fits = crate::types::access::is_type_name(&name);
                        if fits { Ok(()) } else { Err(Reason::runtime(format!("Illegal type name '{name}'"))) }
                    }
                    Some(Value::Undef | Value::Type(Type::Resource(_) | Type::Reference(_))) | None => Ok(()),
                    Some(Value::Type(other)) => Err(Reason::runtime(format!(
                        "The type name cannot be a Puppet::Pops::Types::P{}Type",
                        other.simple_name()
                    ))),
                    Some(key) => {
                        let class = crate::value::ruby::plain_class_name(key);
                        Err(Reason::runtime(format!("The type name cannot be a {class}")))
                    }
                }
            }
            "uri" => count("URI", "1", n == 1),
            "variant" => {
                count("Variant", "1 or more", n >= 1)?;
                demand(keys.iter().all(|key| is_type(Some(key))))
            }
            "tuple" => count("Tuple", "1 or more", n >= 1),
            "callable" => {
                let nested = n > 1 && matches!(keys.first(), Some(Value::Array(_)));
                count("callable", "2 when first parameter is an array", !nested || n == 2)
            }
            "struct" => {
                count("Struct", "1", n == 1)?;
                demand(matches!(keys.first(), Some(Value::Hash(_))))
            }
            "boolean" => {
                count("Boolean", "1", n == 1)?;
                let fits = matches!(keys.first(), Some(Value::Bool(_)));
                if fits { Ok(()) } else { Err(Reason::runtime("Boolean parameter must be true or false")) }
            }
            "integer" => count("Integer", "1 or 2", n == 1 || n == 2),
            "float" => count("Float", "1 or 2", n == 1 || n == 2),
            "object" | "typeset" => count("Object", "1", n == 1),
            "init" => demand(is_type(keys.first())),
            "iterable" => {
                count("Iterable", "1", n == 1)?;
                demand(is_type(keys.first()))
            }
            "iterator" => {
                count("Iterator", "1", n == 1)?;
                demand(is_type(keys.first()))
            }
            "sensitive" => {
                count("Sensitive", "0 to 1", n <= 1)?;
                demand(n == 0 || is_type(keys.first()))
            }
            "optional" => {
                count("Optional", "1", n == 1)?;
                demand(is_type(keys.first()) || matches!(keys.first(), Some(Value::Str(_))))
            }
            "notundef" => {
                count("NotUndef", "0 to 1", n <= 1)?;
                demand(n == 0 || is_type(keys.first()) || matches!(keys.first(), Some(Value::Str(_))))
            }
            "type" => {
                count("Type", "1", n == 1)?;
                demand(is_type(keys.first()))
            }
            "runtime" => count("Runtime", "2", n == 2),
            "timespan" => count("Timespan", "0 to 2", n <= 2),
            "timestamp" => count("Timestamp", "0 to 2", n <= 2),
            "semver" => {
                count("SemVer", "1 or more", n >= 1)?;
                // The types of range ends are not checked before they are parsed; earlier ones are parsed first.
                let other = keys.iter().position(|key| !matches!(key, Value::Str(_) | Value::SemVerRange(_)));
                for text in keys.iter().take(other.unwrap_or(0)).filter_map(Value::as_str) {
                    SemVerRange::parse(text).map_err(Reason::runtime)?;
                }
                match other.and_then(|at| keys.get(at)) {
                    Some(key) => {
                        let shown = crate::value::ruby::inspect(key);
                        let class = crate::value::ruby::plain_class_name(key);
                        let receiver = if shown.starts_with('#') { shown } else { format!("{shown}:{class}") };
                        Err(Reason::runtime(format!("undefined method `gsub' for {receiver}")))
                    }
                    None => Ok(()),
                }
            }
            "any" | "data" | "catalogentry" | "scalar" | "undef" | "numeric" | "default" | "semverrange" | "binary"
            | "scalardata" | "richdata" | "typealias" | "typereference" => {
                let ExprKind::Access(parts) = &expr.kind else { return Ok(()) };
                Err(self.not_parameterized(&parts.left))
            }
            _ => Ok(()),
        }
    }
}
