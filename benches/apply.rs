//! Whole runs of `catwalk apply` that change nothing: 1,000 files, and 10,000 resources of a type with a provider in Rhai.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::disallowed_methods, reason = "a benchmark")]

use std::fmt::Write;
use std::path::Path;
use std::process::Command;

use criterion::Criterion;
use criterion::criterion_group;
use criterion::criterion_main;

const TYPE: &str = r#"register_type(#{
    name: "entry",
    desc: "An entry of a directory.",
    features: ["canonicalize", "simple_get_filter"],
    attributes: #{
        ensure: #{ type: "Enum[present, absent]", "default": "present", desc: "Whether it exists." },
        name: #{ type: "String", desc: "Its name.", behaviour: "namevar" },
        mail: #{ type: "String", desc: "Its address." },
        groups: #{ type: "Array[String]", desc: "Its groups." },
    },
});
"#;

const PROVIDER: &str = r#"
fn get(context, names) {
    names.map(|name| #{ name: name, ensure: "present", mail: `${name}@example.net`, groups: ["one", "two"] })
}

fn canonicalize(context, resources) {
    resources.map(|resource| {
        if resource.mail != () { resource.mail = resource.mail.to_lower(); }
        resource
    })
}

fn set(context, changes) { throw "nothing is to be changed"; }
"#;

const ENTRIES: &str = r#"Integer[1, 10000].each |$n| {
  entry { "user${n}": mail => "User${n}@example.net", groups => ['one', 'two'] }
}
"#;

/// Applies the site's manifest. `code` is the expected exit code.
fn apply(site: &Path, code: i32) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_catwalk"));
    let output = command.args(["apply", "site.pp"]).current_dir(site).output().unwrap();
    assert_eq!(output.status.code(), Some(code), "{}", String::from_utf8_lossy(&output.stdout));
}

fn write(site: &Path, name: &str, text: &str) {
    let path = site.join(name);
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(path, text).unwrap();
}

fn benchmark(c: &mut Criterion) {
    let mut group = c.benchmark_group("apply");
    group.sample_size(10);
    let site = tempfile::TempDir::new().unwrap();
    let tree = site.path().join("tree");
    let mut manifest = format!("file {{ '{}': ensure => directory }}\n", tree.display());
    for number in 0..1000 {
        let path = tree.join(number.to_string());
        let content = format!("setting {number} {}", "x".repeat(500));
        writeln!(manifest, "file {{ '{}': content => '{content}', mode => '0644' }}", path.display()).unwrap();
    }
    write(site.path(), "site.pp", &manifest);
    apply(site.path(), 2);
    group.bench_function("1,000 files in sync", |b| b.iter(|| apply(site.path(), 0)));
    let site = tempfile::TempDir::new().unwrap();
    for (name, text) in [
        ("catwalk.toml", ""),
        ("scripts/types/entry.rhai", TYPE),
        ("scripts/providers/entry.rhai", PROVIDER),
        ("site.pp", ENTRIES),
    ] {
        write(site.path(), name, text);
    }
    group.bench_function("10,000 resources of a Rhai type", |b| b.iter(|| apply(site.path(), 0)));
    group.finish();
}

criterion_group!(benches, benchmark);
criterion_main!(benches);
