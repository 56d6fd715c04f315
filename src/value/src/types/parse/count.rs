//! Checks of the number and kinds of a type's parameters in a string.
//!
//! In: the name of the type and its parameters. Out: the error of Puppet's type parser. Must not: create types.

use super::Parser;
use super::is_default;
use crate::types::Type;
use crate::value::SemVerRange;
use crate::value::Value;
use catwalk_base::diag::Reason;
use catwalk_syntax::ast::Expr;
use catwalk_syntax::ast::ExprKind;

/// The parameters of a type expression.
struct Parameters<'p, 'r> {
    parser: &'p Parser<'r>,
    expr: &'p Expr,
    keys: &'p [Value],
}

impl Parser<'_> {
    /// Checks the number and kinds of a type's parameters, with the messages of Puppet's type parser.
    pub(super) fn check_parameters(&self, expr: &Expr, name: &str, keys: &[Value]) -> Result<(), Reason> {
        let n = keys.len();
        let parameters = Parameters { parser: self, expr, keys };
        match name {
            "array" => parameters.check_array(),
            "hash" => parameters.check_hash(),
            "collection" => parameters.check_size("Collection"),
            "string" => parameters.check_size("String"),
            "class" => parameters.count("Class", "1", n == 1),
            "regexp" => parameters.count("Regexp", "1", n == 1),
            "enum" => parameters.check_enum(),
            "pattern" => keys.iter().try_for_each(check_pattern),
            "resource" => parameters.check_resource(),
            "uri" => parameters.count("URI", "1", n == 1),
            "variant" => {
                parameters.count("Variant", "1 or more", n >= 1)?;
                parameters.require(keys.iter().all(|key| matches!(key, Value::Type(_))))
            }
            "tuple" => parameters.count("Tuple", "1 or more", n >= 1),
            "callable" => {
                let nested = n > 1 && matches!(keys.first(), Some(Value::Array(_)));
                parameters.count("callable", "2 when first parameter is an array", !nested || n == 2)
            }
            "struct" => {
                parameters.count("Struct", "1", n == 1)?;
                parameters.require(matches!(keys.first(), Some(Value::Hash(_))))
            }
            "boolean" => {
                parameters.count("Boolean", "1", n == 1)?;
                let is_boolean = matches!(keys.first(), Some(Value::Bool(_)));
                require_or(is_boolean, "Boolean parameter must be true or false")
            }
            "integer" => parameters.count("Integer", "1 or 2", n == 1 || n == 2),
            "float" => parameters.count("Float", "1 or 2", n == 1 || n == 2),
            "object" | "typeset" => parameters.count("Object", "1", n == 1),
            "init" => parameters.require(parameters.is_type(0)),
            "iterable" => parameters.check_one_type("Iterable"),
            "iterator" => parameters.check_one_type("Iterator"),
            "type" => parameters.check_one_type("Type"),
            "sensitive" => {
                parameters.count("Sensitive", "0 to 1", n <= 1)?;
                parameters.require(n == 0 || parameters.is_type(0))
            }
            "optional" => {
                parameters.count("Optional", "1", n == 1)?;
                parameters.require(parameters.is_type_or_string(0))
            }
            "notundef" => {
                parameters.count("NotUndef", "0 to 1", n <= 1)?;
                parameters.require(n == 0 || parameters.is_type_or_string(0))
            }
            "runtime" => parameters.count("Runtime", "2", n == 2),
            "timespan" => parameters.count("Timespan", "0 to 2", n <= 2),
            "timestamp" => parameters.count("Timestamp", "0 to 2", n <= 2),
            "semver" => parameters.check_versions(),
            "any" | "data" | "catalogentry" | "scalar" | "undef" | "numeric" | "default" | "semverrange" | "binary"
            | "scalardata" | "richdata" | "typealias" | "typereference" => {
                let ExprKind::Access(access) = &expr.kind else { return Ok(()) };
                Err(self.not_parameterized(&access.left))
            }
            _ => Ok(()),
        }
    }
}

impl Parameters<'_, '_> {
    fn count(&self, label: &str, required: &str, fits: bool) -> Result<(), Reason> {
        if fits {
            return Ok(());
        }
        let provided = self.keys.len();
        Err(Reason::runtime(format!(
            "Invalid number of type parameters specified: {label} requires {required}, {provided} provided"
        )))
    }

    fn require(&self, fits: bool) -> Result<(), Reason> {
        if fits { Ok(()) } else { Err(self.parser.invalid(self.expr)) }
    }

    fn is_type(&self, at: usize) -> bool {
        matches!(self.keys.get(at), Some(Value::Type(_)))
    }

    fn is_type_or_string(&self, at: usize) -> bool {
        self.is_type(at) || matches!(self.keys.get(at), Some(Value::Str(_)))
    }

    fn is_range_end(&self, at: usize) -> bool {
        match self.keys.get(at) {
            Some(Value::Int(_) | Value::BigInt(_)) => true,
            Some(key) => is_default(key),
            None => false,
        }
    }

    /// Whether the parameters from `at` on are a size: one or two ends, a type of integers, or none.
    fn is_size(&self, at: usize) -> bool {
        match (self.keys.get(at), self.keys.get(at + 1)) {
            (None, _) | (Some(Value::Type(Type::Integer(_))), None) => true,
            (_, None) => self.is_range_end(at),
            _ => self.is_range_end(at) && self.is_range_end(at + 1),
        }
    }

    fn check_size(&self, label: &str) -> Result<(), Reason> {
        self.count(label, "1 to 2", matches!(self.keys.len(), 1 | 2))?;
        self.require(self.is_size(0))
    }

    fn check_one_type(&self, label: &str) -> Result<(), Reason> {
        self.count(label, "1", self.keys.len() == 1)?;
        self.require(self.is_type(0))
    }

    fn check_array(&self) -> Result<(), Reason> {
        let n = self.keys.len();
        self.count("Array", "1 to 3", (1..=3).contains(&n))?;
        self.require(match n {
            1 => self.is_type(0),
            2 if self.is_type(0) => self.is_size(1),
            2 => self.is_range_end(0) && self.is_range_end(1),
            _ => self.is_type(0) && self.is_size(1),
        })
    }

    fn check_hash(&self) -> Result<(), Reason> {
        let n = self.keys.len();
        self.count("Hash", "2 to 4", (2..=4).contains(&n))?;
        let has_types = self.is_type(0) && self.is_type(1);
        self.require(match n {
            2 => has_types || (self.is_range_end(0) && self.is_range_end(1)),
            _ => has_types && self.is_size(2),
        })
    }

    fn check_enum(&self) -> Result<(), Reason> {
        let strings = self.keys.len() - usize::from(matches!(self.keys.last(), Some(Value::Bool(_))));
        if strings == 0 {
            let required = "Enum requires 1 or more, 0 provided";
            return Err(Reason::runtime(format!("Invalid number of type parameters specified: {required}")));
        }
        let are_strings = self.keys.iter().take(strings).all(|key| matches!(key, Value::Str(_)));
        require_or(are_strings, "Enum parameters must be identifiers or strings")
    }

    fn check_resource(&self) -> Result<(), Reason> {
        self.count("Resource", "1 or 2", matches!(self.keys.len(), 1 | 2))?;
        match self.keys.first() {
            Some(Value::Str(name)) => {
                let name = crate::types::capitalize_segments(name);
                let is_name = crate::types::access::is_type_name(&name);
                if is_name { Ok(()) } else { Err(Reason::runtime(format!("Illegal type name '{name}'"))) }
            }
            Some(Value::Undef | Value::Type(Type::Resource(_) | Type::Reference(_))) | None => Ok(()),
            Some(Value::Type(t)) => {
                let message = format!("The type name cannot be a Puppet::Pops::Types::P{}Type", t.simple_name());
                Err(Reason::runtime(message))
            }
            Some(key) => {
                let class = crate::value::ruby::plain_class_name(key);
                Err(Reason::runtime(format!("The type name cannot be a {class}")))
            }
        }
    }

    /// Checks the parameters of `SemVer`: those before the first parameter of a wrong type are parsed first, as in Puppet.
    fn check_versions(&self) -> Result<(), Reason> {
        self.count("SemVer", "1 or more", !self.keys.is_empty())?;
        let is_range = |key: &Value| matches!(key, Value::Str(_) | Value::SemVerRange(_));
        let wrong = self.keys.iter().position(|key| !is_range(key));
        for range in self.keys.iter().take(wrong.unwrap_or(0)).filter_map(Value::as_str) {
            SemVerRange::parse(range).map_err(Reason::runtime)?;
        }
        let Some(key) = wrong.and_then(|at| self.keys.get(at)) else { return Ok(()) };
        let inspected = crate::value::ruby::inspect(key);
        let class = crate::value::ruby::plain_class_name(key);
        let receiver = if inspected.starts_with('#') { inspected } else { format!("{inspected}:{class}") };
        Err(Reason::runtime(format!("undefined method `gsub' for {receiver}")))
    }
}

fn require_or(fits: bool, message: &'static str) -> Result<(), Reason> {
    if fits { Ok(()) } else { Err(Reason::runtime(message)) }
}

fn check_pattern(key: &Value) -> Result<(), Reason> {
    match key {
        Value::Str(_) | Value::Regexp(_) | Value::Type(Type::Pattern(_) | Type::Regexp(_)) => Ok(()),
        key => {
            let allowed = "Only String, Regexp, Pattern-Type, and Regexp-Type are allowed";
            Err(Reason::runtime(format!("{allowed}: got '{}", crate::value::ruby::plain_class_name(key))))
        }
    }
}
