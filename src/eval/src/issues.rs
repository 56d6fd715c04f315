//! Wording of the evaluator's own issues (Puppet::Pops::Issues), one constructor for each.

use std::fmt::Display;

use crate::interpolate::article;
use catwalk_base::diag::Code;
use catwalk_base::diag::Reason;

macro_rules! issue {
    ($code:expr, $($text:tt)+) => {
        Reason::new($code, format!($($text)+))
    };
}

pub(crate) fn unknown_variable(name: &str) -> Reason {
    issue!(Code::UNKNOWN_VARIABLE, "Unknown variable: '{name}'.")
}

pub fn unknown_function(name: &str) -> Reason {
    issue!(Code::UNKNOWN_FUNCTION, "Unknown function: '{name}'.")
}

pub(crate) fn cross_scope_assignment(name: &str) -> Reason {
    issue!(
        Code::CROSS_SCOPE_ASSIGNMENT,
        "Illegal attempt to assign to '{name}'. Cannot assign to variables in other namespaces"
    )
}

pub(crate) fn illegal_assignment(target: &str) -> Reason {
    issue!(Code::ILLEGAL_ASSIGNMENT, "Illegal attempt to assign to '{}'. Not an assignable reference", article(target))
}

pub(crate) fn illegal_numeric_assignment(name: &str) -> Reason {
    issue!(
        Code::ILLEGAL_NUMERIC_ASSIGNMENT,
        "Illegal attempt to assign to the numeric match result variable '${name}'. Numeric variables are not assignable"
    )
}

pub(crate) fn illegal_reassignment(name: &str) -> Reason {
    if matches!(name, "name" | "title") {
        issue!(Code::ILLEGAL_REASSIGNMENT, "Cannot reassign built in (or already assigned) variable '${name}'")
    } else {
        issue!(Code::ILLEGAL_REASSIGNMENT, "Cannot reassign variable '${name}'")
    }
}

pub(crate) fn illegal_reserved_assignment(name: &str) -> Reason {
    issue!(Code::ILLEGAL_RESERVED_ASSIGNMENT, "Attempt to assign to a reserved variable name: '${name}'")
}

pub(crate) fn multi_assignment_size(expected: usize, actual: usize) -> Reason {
    issue!(
        Code::ILLEGAL_MULTI_ASSIGNMENT_SIZE,
        "Mismatched number of assignable entries and values, expected {expected}, got {actual}"
    )
}

pub(crate) fn missing_multi_assignment_key(key: &str) -> Reason {
    issue!(Code::MISSING_MULTI_ASSIGNMENT_KEY, "No value for required key '{key}' in assignment to variables from hash")
}

pub(crate) fn missing_multi_assignment_variable(name: &str) -> Reason {
    issue!(
        Code::MISSING_MULTI_ASSIGNMENT_VARIABLE,
        "No value for required variable '${name}' in assignment to variables from class reference"
    )
}

pub(crate) fn appends_deletes_no_longer_supported(operator: &str) -> Reason {
    Reason::new(
        Code::APPENDS_DELETES_NO_LONGER_SUPPORTED,
        format!("The operator '{operator}' is no longer supported. See http://links.puppet.com/remove-plus-equals"),
    )
}

pub(crate) fn not_applicable(operator: &str, left: &str) -> Reason {
    issue!(Code::OPERATOR_NOT_APPLICABLE, "Operator '{operator}' is not applicable to {}.", article(left))
}

pub(crate) fn not_applicable_when(operator: &str, left: &str, right: &str) -> Reason {
    issue!(
        Code::OPERATOR_NOT_APPLICABLE_WHEN,
        "Operator '{operator}' is not applicable to {} when right side is {}.",
        article(left),
        article(right)
    )
}

pub(crate) fn comparison_not_possible(operator: &str, left: &str, right: &str, detail: &str) -> Reason {
    issue!(
        Code::COMPARISON_NOT_POSSIBLE,
        "Comparison of: {left} {operator} {right}, is not possible. Caused by '{detail}'."
    )
}

pub(crate) fn match_not_regexp(detail: &str) -> Reason {
    issue!(Code::MATCH_NOT_REGEXP, "Can not convert right match operand to a regular expression. Caused by '{detail}'.")
}

pub(crate) fn match_not_string(left: &str) -> Reason {
    issue!(Code::MATCH_NOT_STRING, "Left match operand must result in a String value. Got {}.", article(left))
}

pub(crate) fn not_numeric(value: &str) -> Reason {
    issue!(Code::NOT_NUMERIC, "The value '{value}' cannot be converted to Numeric.")
}

pub(crate) fn numeric_coercion(before: &str, after: impl Display) -> Reason {
    issue!(Code::NUMERIC_COERCION, "The string '{before}' was automatically coerced to the numerical value {after}")
}

pub(crate) fn div_by_zero() -> Reason {
    Reason::new(Code::DIV_BY_ZERO, "Division by 0")
}

pub(crate) fn result_is_infinity(operator: &str) -> Reason {
    issue!(Code::RESULT_IS_INFINITY, "The result of the {operator} expression is Infinity")
}

pub(crate) fn numeric_overflow(expression: &str, negative: bool, hex: &str) -> Reason {
    let (bound, sign) = if negative { ("min", '-') } else { ("max", '+') };
    issue!(
        Code::NUMERIC_OVERFLOW,
        "{} resulted in a value outside of Puppet Integer {bound} range, got '{sign}0x{hex}'",
        upper_first(&article(expression))
    )
}

pub(crate) fn unmatched_selector(value: &str) -> Reason {
    issue!(Code::UNMATCHED_SELECTOR, "No matching entry for selector parameter with value '{value}'")
}

pub(crate) fn reserved_word(word: &str) -> Reason {
    issue!(Code::RESERVED_WORD, "Use of reserved word: {word}, must be quoted if intended to be a String value")
}

pub(crate) fn illegal_expression(expression: &str, feature: &str, container: &str) -> Reason {
    issue!(
        Code::ILLEGAL_EXPRESSION,
        "Illegal expression. {} is unacceptable as {feature} in {}",
        upper_first(&article(expression)),
        article(container)
    )
}

pub(crate) fn illegal_epp_parameters() -> Reason {
    Reason::new(
        Code::ILLEGAL_EPP_PARAMETERS,
        "Ambiguous EPP parameter expression. Probably missing '<%-' before parameters to remove leading whitespace",
    )
}

pub(crate) fn missing_required_parameter(name: &str) -> Reason {
    issue!(Code::MISSING_REQUIRED_PARAMETER, "Parameter ${name} is required but no value was given")
}

pub(crate) fn required_after_optional(name: &str) -> Reason {
    issue!(
        Code::REQUIRED_PARAMETER_AFTER_OPTIONAL,
        "Parameter ${name} is required but appears after optional parameters"
    )
}

pub(crate) fn unknown_resource_type(name: &str) -> Reason {
    issue!(Code::UNKNOWN_RESOURCE_TYPE, "Resource type not found: {name}")
}

pub(crate) fn unknown_resource(type_name: &str, title: &str) -> Reason {
    issue!(Code::UNKNOWN_RESOURCE, "Resource not found: {type_name}['{title}']")
}

pub(crate) fn unknown_resource_parameter(type_name: &str, title: &str, parameter: &str) -> Reason {
    let type_name = upper_first(&type_name.to_lowercase());
    issue!(
        Code::UNKNOWN_RESOURCE_PARAMETER,
        "The resource {type_name}['{title}'] does not have a parameter called '{parameter}'"
    )
}

pub(crate) fn string_slice_arity(actual: usize) -> Reason {
    issue!(Code::BAD_STRING_SLICE_ARITY, "String supports [] with one or two arguments. Got {actual}")
}

pub(crate) fn array_slice_arity(actual: usize) -> Reason {
    issue!(Code::BAD_ARRAY_SLICE_ARITY, "Array supports [] with one or two arguments. Got {actual}")
}

pub(crate) fn slice_key_type(left: &str, actual: &str, expected: &str) -> Reason {
    issue!(
        Code::BAD_SLICE_KEY_TYPE,
        "{}[] cannot use {actual} where {expected} is expected",
        upper_first(&article(left))
    )
}

pub(crate) fn string_slice_key_type(actual: &str) -> Reason {
    issue!(
        Code::BAD_STRING_SLICE_KEY_TYPE,
        "A substring operation does not accept {} as a character index. Expected an Integer",
        article(actual)
    )
}

/// The string with its first letter in upper case.
pub(crate) fn upper_first(text: &str) -> String {
    let mut chars = text.chars();
    match chars.next() {
        Some(first) => first.to_uppercase().chain(chars).collect(),
        None => String::new(),
    }
}
