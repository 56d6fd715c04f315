//! Types, values and Puppet's messages if they do not match: one case a line, `type`, `value`, `ok` or message.
#![allow(clippy::unwrap_used, reason = "tests")]

use crate::types::NoAliases;
use crate::types::infer_set;
use crate::types::is_assignable;
use crate::types::is_instance;
use crate::types::mismatch::describe_mismatch;
use crate::types::parse::parse_literal;
use crate::types::parse_type;

#[test]
fn mismatches_are_described_like_in_puppet() {
    for line in include_str!("cases.tsv").lines() {
        let mut columns = line.split('\t');
        let (Some(t), Some(value), Some(expected)) = (columns.next(), columns.next(), columns.next()) else {
            continue;
        };
        let parsed = parse_type(t, &mut NoAliases).unwrap();
        let value_of = parse_literal(&catwalk_syntax::parse_expression(value).unwrap(), value, &mut NoAliases).unwrap();
        let actual = infer_set(&value_of);
        let answer = if is_instance(&parsed, &value_of) {
            "ok".to_owned()
        } else {
            describe_mismatch("x", &parsed, &actual).trim().replace('\n', "\\n")
        };
        assert_eq!(answer, expected, "{t} and {value}");
    }
}

#[test]
fn recursive_aliases_end() {
    let data = crate::types::Type::data();
    let of_data = parse_type("Array[Data]", &mut NoAliases).unwrap();
    assert!(is_assignable(&data, &of_data));
    assert!(!is_assignable(&of_data, &data));
    assert!(is_assignable(&crate::types::Type::rich_data(), &data));
}
