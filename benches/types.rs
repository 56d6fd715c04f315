//! The type system: reading type expressions, instances, assignability, inference, messages. `cargo bench --bench types`.
#![allow(clippy::unwrap_used, reason = "a benchmark")]

use std::hint::black_box;

use catwalk_value::Type;
use catwalk_value::Value;
use catwalk_value::json;
use catwalk_value::mismatch;
use catwalk_value::parse;
use criterion::Criterion;

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// Types as parameters of modules have them, with a value that fits and one that does not.
const TYPES: [(&str, &str, &str); 8] = [
    ("String[1]", r#""a""#, r#""""#),
    ("Optional[Integer[0, 65535]]", "80", "70000"),
    ("Enum['present', 'absent', 'latest']", r#""latest""#, r#""gone""#),
    ("Variant[Boolean, Enum['on', 'off'], Integer[0, 1]]", r#""on""#, r#""no""#),
    ("Pattern[/\\A\\/([^\\n\\/]+\\/*)*\\z/]", r#""/etc/ssh/sshd_config""#, r#""etc""#),
    ("Array[Variant[String[1], Integer], 1, 10]", r#"["a", 1, "b"]"#, r#"["a", null]"#),
    (
        "Hash[String[1], Struct[{ port => Integer, Optional[host] => String }]]",
        r#"{"a": {"port": 1}}"#,
        r#"{"a": {"port": "1"}}"#,
    ),
    ("Tuple[Integer, String, Optional[Array[Float]]]", r#"[1, "a", [1.5]]"#, r#"[1, 2, [1.5]]"#),
];

fn main() {
    let value = |text: &str| json::from_json(&serde_json::from_str(text).unwrap());
    let cases: Vec<(Type, Value, Value)> = TYPES
        .iter()
        .map(|(t, good, bad)| (parse::parse_type(t, &mut parse::NoAliases).unwrap(), value(good), value(bad)))
        .collect();
    for (t, good, bad) in &cases {
        assert!(catwalk_value::is_instance(t, good) && !catwalk_value::is_instance(t, bad), "{t}");
    }
    let mut criterion = Criterion::default().configure_from_args();
    let mut group = criterion.benchmark_group("types");
    group.bench_function("parse", |bench| {
        bench.iter(|| TYPES.map(|(t, ..)| black_box(parse::parse_type(t, &mut parse::NoAliases)).is_ok()));
    });
    group.bench_function("is_instance", |bench| {
        bench.iter(|| {
            cases
                .iter()
                .filter(|(t, good, bad)| catwalk_value::is_instance(t, good) || catwalk_value::is_instance(t, bad))
                .count()
        });
    });
    group.bench_function("is_assignable", |bench| {
        bench.iter(|| {
            let with = |a: &Type| cases.iter().filter(|(b, ..)| catwalk_value::is_assignable(a, b)).count();
            cases.iter().map(|(a, ..)| with(a)).sum::<usize>()
        });
    });
    group.bench_function("infer", |bench| {
        bench.iter(|| {
            for (_, good, bad) in &cases {
                black_box((catwalk_value::infer(good), catwalk_value::infer_set(bad)));
            }
        });
    });
    group.bench_function("describe_mismatch", |bench| {
        bench.iter(|| {
            for (t, _, bad) in &cases {
                black_box(mismatch::describe_mismatch("parameter 'x'", t, &catwalk_value::infer_set(bad)));
            }
        });
    });
    group.finish();
    criterion.final_summary();
}
