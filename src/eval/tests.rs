//! Limits: what a manifest cannot do to the process.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "tests")]

use std::time::Duration;

use crate::functions::probe::Setup;
use crate::functions::probe::evaluate;
use crate::value::Value;

fn fails(code: &str, setup: &Setup) -> String {
    evaluate(code, setup).result.unwrap_err()
}

#[test]
fn endless_recursion_is_an_error() {
    let text = "function probe::f($n) { probe::f($n + 1) }".to_owned();
    let setup = Setup { files: vec![("functions/f.pp".to_owned(), text)], ..Setup::default() };
    assert!(fails("probe::f(1)", &setup).contains("stack level too deep"));
}

#[test]
fn recursion_below_the_limit_works() {
    let text = "function probe::f($n) { if $n == 0 { 0 } else { 1 + probe::f($n - 1) } }".to_owned();
    let setup = Setup { files: vec![("functions/f.pp".to_owned(), text)], ..Setup::default() };
    assert_eq!(evaluate("probe::f(900)", &setup).result, Ok(Value::Int(900)));
}

#[test]
fn endless_iteration_is_stopped() {
    let mut setup = Setup::default();
    setup.settings.limits.time = Some(Duration::from_millis(200));
    let text = fails("9223372036854775807.each |$x| { }", &setup);
    assert!(text.contains("evaluation takes longer than 0.2 seconds"), "{text}");
}

#[test]
fn deep_nesting_is_a_value_or_an_error() {
    for depth in [100, 5000] {
        let code = format!("{}1{}", "[".repeat(depth), "]".repeat(depth));
        let _ = evaluate(&code, &Setup::default()).result;
    }
}

#[test]
fn long_arrays() {
    let code = "Integer[1, 1000000].map |$x| { $x + 1 }.reduce |$m, $x| { $m + $x }";
    assert_eq!(evaluate(code, &Setup::default()).result, Ok(Value::Int(500_001_500_000)));
}
