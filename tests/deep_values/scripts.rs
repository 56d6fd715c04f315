//! Rhai: deep arrays and maps, closures that hold themselves, shared values, in every function of the API and of the standard packages.

use std::collections::BTreeSet;
use std::sync::Mutex;

use super::failure;
use super::limited;
use super::select;
use crate::support::Site;

/// Code that makes a value in `x`.
const VALUES: &[&str] = &[
    "let x = []; for i in 0..180 { x = [x]; }",
    "let x = []; for i in 0..3000 { x = [x]; }",
    "let x = #{}; for i in 0..3000 { x = #{a: x}; }",
    "let x = [1]; for i in 0..14 { x = [x, x]; }",
    "let x = hash(); for i in 0..3000 { let y = hash(); y[\"a\"] = x; x = y; }",
    "let x = hash(); x[\"a\"] = x; x[\"b\"] = x;",
    "let x = []; let f = || x; x = [f];",
    "let x = #{}; let f = || x; x.f = f;",
    "let x = || 1; for i in 0..100000 { let y = x; x = || y.call(); }",
    "let x = (); for i in 0..100000 { let y = x; x = || y; }",
    "let x = Fn(\"f\"); for i in 0..3000 { x = Fn(\"f\").curry(x); }",
    "let x = []; let f = || x.push(x); f.call();",
    "let x = 9223372036854775807;",
    "let x = -9223372036854775807 - 1;",
    "let x = \"é\";",
    "let x = blob(10, 255);",
    "let x = 1.0e308;",
    "let x = 'é';",
];

const ARGUMENTS: &[&str] = &[
    "",
    "x",
    "x, x",
    "1",
    "9223372036854775807",
    "-1, x",
    "0, 9223372036854775807",
    "|y| x",
    "\"a\", x",
    "x, |y| y, x",
];

const USES: &[&str] = &[
    "x",
    "x == x",
    "x != [x]",
    "print(x)",
    "debug(x)",
    "to_json(x)",
    "`${x}`",
    "x + x",
    "x - x",
    "x * x",
    "x / x",
    "x % x",
    "x ** x",
    "-x",
    "x << x",
    "x >> x",
    "x < x",
    "[x, x].sort()",
    "x[0]",
    "x[-1]",
    "x[0..9223372036854775807]",
    "x[9223372036854775807]",
    "x.a",
    "x.a = x; x",
    "throw x",
    "try { throw x } catch(e) { e }",
    "switch x { 1 => 2, _ => x }",
    "for y in x { for z in y { z } }",
    "x.call()",
    "x.call(x)",
    "fail(x)",
    "call_function(\"flatten\", [x])",
    "call_function(\"notice\", x)",
    "call_function(\"to_json\", x)",
    "call_function(x, x)",
    "lookup(x)",
    "let y = x; y += x; y",
    "x in [x]",
    "x.type_of()",
    "is_shared(x)",
    "f(x)",
    "global::f",
    "eval(x)",
    "range(0, 9223372036854775807)",
    "for i in range(0, 9223372036854775807, -1) { break; }",
    "\"a\".pad(9223372036854775807, \"b\")",
    "[].pad(9223372036854775807, x)",
    "blob(9223372036854775807)",
    "x.splice(0, 9223372036854775807, x)",
    "x.extract(-9223372036854775807, 9223372036854775807)",
    "x.chop(-1)",
    "x.drain(|y| true)",
    "\"é\".sub_string(1, 9223372036854775807)",
    "\"é\".crop(-1, 5)",
    "\"é\".truncate(1)",
    "x.split(9223372036854775807)",
    "x.reduce(|a, b| [a, b], x)",
    "parse_int(\"9\", 99)",
];

/// Functions of Rhai's packages for arrays, maps, strings, blobs, numbers and closures.
const STANDARD: &str = "push append concat insert pop shift remove len is_empty pad truncate chop clear reverse split splice drain retain extract \
    filter map reduce reduce_rev for_each some all find find_map index_of sort sort_desc order order_desc dedup contains get set keys values mixin \
    fill_with merge to_string to_debug to_blob to_array as_string parse_le_int write_le write_utf8 chars bytes bits iter trim sub_string crop \
    replace starts_with ends_with to_upper make_lower split_rev abs sign min max to_float to_int parse_int parse_float to_hex to_binary sqrt exp \
    round range call curry name is_anonymous timestamp tag set_tag type_of";

/// The names of the functions of the API and of Rhai.
fn functions() -> BTreeSet<String> {
    let printed = Site::empty().run(&["script", "definitions"]).stdout;
    let defined = printed.lines().filter_map(|line| line.trim().strip_prefix("fn "));
    let names = defined.filter_map(|rest| Some(rest.split_once('(')?.0.trim()));
    let is_name = |name: &&str| name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    names.chain(STANDARD.split_whitespace()).filter(is_name).map(str::to_owned).collect()
}

#[test]
fn functions_of_scripts() {
    let functions = functions();
    assert!(functions.len() > 100, "{functions:?}");
    let mut inputs = Vec::new();
    for value in VALUES {
        inputs.extend(USES.iter().map(|code| format!("fn f() {{ {value} {code} }}")));
        for name in &functions {
            inputs.extend(ARGUMENTS.iter().map(|arguments| format!("fn f() {{ {value} x.{name}({arguments}) }}")));
        }
    }
    let inputs = Mutex::new(select(inputs, 150).into_iter());
    let found = Mutex::new(Vec::new());
    let work = || {
        let site = Site::new(&[("site.pp", "")]);
        loop {
            let Some(input) = inputs.lock().unwrap().next() else { break };
            site.write("modules/m/scripts/functions/f.rhai", &input);
            let args = ["eval", "-e", "notice(m::f())", "--time-limit", "10", "--limit", "memory=1000000000"];
            if let Some(why) = failure(&limited(&site, &args).output().unwrap()) {
                found.lock().unwrap().push(format!("{input}\n   {why}"));
            }
        }
    };
    std::thread::scope(|scope| (0..2).for_each(|_| drop(scope.spawn(work))));
    let found = found.into_inner().unwrap();
    assert!(found.is_empty(), "{}", found.join("\n"));
}
