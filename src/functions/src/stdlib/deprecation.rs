//! `deprecation`, `validate_legacy`

use crate::Function;
use crate::stdlib::checks;
use crate::stdlib::validate;
use catwalk_eval::Call;
use catwalk_eval::Res;
use catwalk_eval::Stop;
use catwalk_eval::runtime3::fail;
use catwalk_value::Type;
use catwalk_value::Value;
use catwalk_value::mismatch;

pub(super) const DEPRECATION: Function = Function {
    name: "deprecation",
    signatures: &[("String $key, String $message", |call| {
        checks::warn_deprecated(call, call.str(0), call.str(1))?;
        Ok(Value::Undef)
    })],
    doc: "Warns of a deprecation, once for each key, unless the setting `strict` is `off`; with `strict=error` it \
          fails. The arguments are the key and the message.",
    examples: &[
        ("deprecation('key', 'old')", "warning: old"),
        ("deprecation('another', 'old, too')", "warning: old, too"),
    ],
};

pub(super) const DEPRECATION_9: Function = Function {
    name: "deprecation",
    signatures: &[("String $key, String $message, Boolean $use_strict_setting = true", |call| {
        let strictly = call.args.len() < 3 || call.arg(2).truthy();
        checks::log_deprecation(call, call.str(0), call.str(1), strictly)?;
        Ok(Value::Undef)
    })],
    doc: DEPRECATION.doc,
    examples: DEPRECATION.examples,
};

pub(super) const VALIDATE_LEGACY_9: Function = Function {
    name: "validate_legacy",
    signatures: &[
        ("Type $target_type, String $function_name, Any $value, Any *$prev_args", |call| match call.arg(0) {
            Value::Type(target) => validate_type(call, target),
            _ => Ok(Value::Undef),
        }),
        ("String $type_string, String $function_name, Any $value, Any *$prev_args", |call| {
            let target = call.ev.parse_type(call.str(0))?;
            validate_type(call, &target)
        }),
    ],
    doc: VALIDATE_LEGACY.doc,
    examples: VALIDATE_LEGACY.examples,
};

fn validate_type(call: &mut Call<'_, '_>, target: &Type) -> Res<Value> {
    let message = "This method is deprecated, please use Puppet data types to validate parameters";
    checks::warn_deprecated(call, "validate_legacy", message)?;
    let value = call.arg(2);
    if catwalk_value::is_instance(target, value) {
        return Ok(Value::Undef);
    }
    let subject = format!("validate_legacy({target}, ...)");
    fail(mismatch::describe_mismatch(&subject, target, &catwalk_value::infer_set(value)))
}

pub(super) const VALIDATE_LEGACY: Function = Function {
    name: "validate_legacy",
    signatures: &[
        ("Type $target_type, String $function_name, Any $value, Any *$args", |call| match call.arg(0) {
            Value::Type(target) => validate_legacy(call, target),
            _ => Ok(Value::Undef),
        }),
        ("String $type_string, String $function_name, Any $value, Any *$args", |call| {
            if names_loaded_type(call.str(0)) && catwalk_syntax::parse_expression(call.str(0)).is_ok() {
                // Puppet passes a scope where its type parser expects a loader.
                let scope = call.ev.scope_label();
                return fail(format!("private method `load' called for {scope}:Puppet::Parser::Scope"));
            }
            let target = call.ev.parse_type(call.str(0))?;
            validate_legacy(call, &target)
        }),
    ],
    doc: "Checks a value by a type and, if a legacy `validate_` function of the given name exists, compares with its \
          result: a help for moving from these functions to types. The arguments are the type (or its name as a \
          string), the name of the function, the value, and further arguments of the function.",
    examples: &[
        ("validate_legacy(String, 'validate_string', 'a')", "undef"),
        ("validate_legacy('Optional[Integer]', 'validate_integer', 1)", "undef"),
    ],
};

/// The types that Puppet's type parser resolves without a loader.
const KNOWN_TYPES: &[&str] = &[
    "Any",
    "Array",
    "Binary",
    "Boolean",
    "Callable",
    "CatalogEntry",
    "Class",
    "Collection",
    "Default",
    "Enum",
    "Float",
    "Hash",
    "Init",
    "Integer",
    "Iterable",
    "Iterator",
    "NotUndef",
    "Numeric",
    "Object",
    "Optional",
    "Pattern",
    "Regexp",
    "Resource",
    "Runtime",
    "Scalar",
    "ScalarData",
    "SemVer",
    "SemVerRange",
    "Sensitive",
    "String",
    "Struct",
    "Timespan",
    "Timestamp",
    "Tuple",
    "Type",
    "TypeAlias",
    "TypeReference",
    "TypeSet",
    "URI",
    "Undef",
    "Variant",
];

/// Whether the string of a type names an alias or a resource type, outside of strings and regular expressions.
fn names_loaded_type(string: &str) -> bool {
    let mut rest = string;
    while let Some(c) = rest.chars().next() {
        if matches!(c, '\'' | '"' | '/') {
            let inner = rest.get(1..).unwrap_or("");
            rest = inner.find(c).and_then(|end| inner.get(end + 1..)).unwrap_or("");
        } else if c.is_ascii_alphanumeric() || c == '_' {
            let end = rest.find(|c: char| !(c.is_ascii_alphanumeric() || c == '_' || c == ':')).unwrap_or(rest.len());
            let word = rest.get(..end).unwrap_or("");
            if c.is_ascii_uppercase() && !KNOWN_TYPES.iter().any(|name| name.eq_ignore_ascii_case(word)) {
                return true;
            }
            rest = rest.get(end..).unwrap_or("");
        } else {
            rest = rest.get(c.len_utf8()..).unwrap_or("");
        }
    }
    false
}

/// Functions of Puppet that also exist as 3.x functions; most of those only fail.
const ALSO_3X: &[&str] = &[
    "assert_type",
    "binary_file",
    "break",
    "contain",
    "create_resources",
    "defined",
    "dig",
    "digest",
    "each",
    "epp",
    "fail",
    "file",
    "filter",
    "find_file",
    "fqdn_rand",
    "generate",
    "hiera",
    "hiera_array",
    "hiera_hash",
    "hiera_include",
    "include",
    "inline_epp",
    "inline_template",
    "lest",
    "lookup",
    "map",
    "match",
    "md5",
    "new",
    "next",
    "realize",
    "reduce",
    "regsubst",
    "require",
    "return",
    "reverse_each",
    "scanf",
    "sha1",
    "sha256",
    "shellquote",
    "slice",
    "split",
    "sprintf",
    "step",
    "strftime",
    "tag",
    "tagged",
    "template",
    "then",
    "type",
    "versioncmp",
    "with",
    "abs",
    "camelcase",
    "capitalize",
    "ceiling",
    "chomp",
    "chop",
    "deprecation",
    "downcase",
    "empty",
    "flatten",
    "floor",
    "getvar",
    "join",
    "keys",
    "lstrip",
    "max",
    "merge",
    "min",
    "round",
    "rstrip",
    "size",
    "sort",
    "strip",
    "swapcase",
    "unique",
    "upcase",
    "values",
];

/// Whether a function exists as a 3.x function: only these are methods of a scope.
fn is_3x_function(call: &Call<'_, '_>, name: &str) -> bool {
    let entry = call.ev.native(catwalk_base::names::Name::new(name));
    ALSO_3X.contains(&name) || entry.is_some_and(|entry| entry.is_3x)
}

/// Whether an assertion passed; errors of Ruby itself are not caught.
fn has_passed(result: Res<()>) -> Res<bool> {
    let Err(stop) = result else { return Ok(true) };
    let message = match &stop {
        Stop::Reason(reason) => reason.message.as_ref(),
        Stop::Failed(diagnostic) => diagnostic.message.as_ref(),
        _ => return Err(stop),
    };
    let of_ruby = message.starts_with("undefined method `") || message.starts_with("no implicit conversion of ");
    let of_regexp = message.ends_with('/') && message.contains(": /");
    if of_ruby || of_regexp { Err(stop) } else { Ok(false) }
}

fn validate_legacy(call: &mut Call<'_, '_>, target: &Type) -> Res<Value> {
    let (name, value) = (call.str(1), call.arg(2));
    let passes_before = |call: &mut Call<'_, '_>| -> Res<bool> {
        let args = call.args.get(2..).unwrap_or_default();
        match validate::find_check(name) {
            Some(check) => {
                if name == "validate_absolute_path" {
                    checks::report_invalid_paths(call, args);
                }
                has_passed(check(args))
            }
            None if is_3x_function(call, name) => has_passed(call.call_function(name, args).map(drop)),
            None => {
                let scope = call.ev.scope_label();
                fail(format!("undefined method `function_{name}' for {scope}:Puppet::Parser::Scope"))
            }
        }
    };
    let passed = passes_before(call)?;
    if catwalk_value::is_instance(target, value) {
        if !passed {
            let message = format!("Accepting previously invalid value for target type '{target}'");
            call.ev.log(catwalk_base::diag::Severity::Notice, message, None);
        }
        return Ok(Value::Undef);
    }
    let subject = format!("validate_legacy({name})");
    let message = mismatch::describe_mismatch(&subject, target, &catwalk_value::infer_set(value));
    if passed {
        checks::warn_deprecated(call, "validate_legacy", &message)?;
        return Ok(Value::Undef);
    }
    fail(message)
}
