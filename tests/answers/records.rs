//! Compares Catwalk with records of the specs of Puppet and stdlib, which are not in the repository; `tests/reference/records`
//! runs it.
//!
//! `--records DIR [--only TEXT] [--kind KIND] [--out FILE] [--known FILE]`: runs every case of `DIR/*.jsonl`, prints how many
//! agree by kind and by area, and writes those that differ to FILE. It also prints cases that agree but are listed as known
//! differences.

mod comparison;
mod parsing;
mod site;
mod types;

use std::collections::BTreeMap;
use std::fmt::Write;

use rayon::prelude::*;
use serde_json::Value as Json;

/// The result of comparing a case.
enum Verdict {
    Same,
    /// The case cannot be replayed, for this reason.
    Skipped(&'static str),
    /// The expected and the actual answer.
    Different(String, String),
}

struct Arguments {
    directory: String,
    only: Option<String>,
    kind: Option<String>,
    out: Option<String>,
    known: Option<String>,
}

/// Bytes; nested evaluations need more stack than a thread has by default, above all in a debug build.
const STACK: usize = 512 << 20;

/// Replays what the arguments after `--records` select.
pub fn run(options: impl Iterator<Item = String>) {
    let arguments = arguments(options);
    std::panic::set_hook(Box::new(|_| {}));
    let pool = rayon::ThreadPoolBuilder::new().stack_size(STACK).build().unwrap();
    let known = arguments.known.as_ref().map(|path| std::fs::read_to_string(path).unwrap()).unwrap_or_default();
    let known: BTreeMap<&str, &str> = known.lines().filter_map(|line| line.split_once(" -- ")).collect();
    let mut out = String::new();
    let mut unexpected = Vec::new();
    let mut open = 0;
    for file in ["puppet-spec.jsonl", "functions.jsonl"] {
        let Ok(text) = std::fs::read_to_string(format!("{}/{file}", arguments.directory)) else { continue };
        let records: Vec<Json> = text.lines().map(parse).filter(|record| arguments.selects(record)).collect();
        let verdicts: Vec<Verdict> = pool.install(|| records.par_iter().map(compare).collect());
        let mut kinds: BTreeMap<String, [usize; 3]> = BTreeMap::new();
        let mut areas: BTreeMap<String, [usize; 3]> = BTreeMap::new();
        for (record, verdict) in records.iter().zip(&verdicts) {
            let column = match verdict {
                Verdict::Same => 0,
                Verdict::Different(..) => 1,
                Verdict::Skipped(_) => 2,
            };
            kinds.entry(parsing::display(&record["kind"])).or_default()[column] += 1;
            areas.entry(area(record)).or_default()[column] += 1;
            let id = record["id"].as_str().unwrap();
            match verdict {
                Verdict::Same if known.contains_key(id) => unexpected.push(id.to_owned()),
                Verdict::Different(..) if !known.contains_key(id) => open += 1,
                _ => {}
            }
            write_result(&mut out, record, verdict, known.get(id));
        }
        println!("{file}");
        print_counts(&kinds);
        println!();
        print_counts(&areas);
        println!();
    }
    for id in &unexpected {
        println!("agrees, but is listed as different: {id}");
    }
    println!("differences that are not listed: {open}");
    if let Some(path) = &arguments.out {
        std::fs::write(path, out).unwrap();
    }
    if !unexpected.is_empty() || (open > 0 && !known.is_empty()) {
        std::process::exit(1);
    }
}

fn arguments(mut options: impl Iterator<Item = String>) -> Arguments {
    let mut arguments = Arguments { directory: String::new(), only: None, kind: None, out: None, known: None };
    while let Some(argument) = options.next() {
        match argument.as_str() {
            "--only" => arguments.only = options.next(),
            "--kind" => arguments.kind = options.next(),
            "--out" => arguments.out = options.next(),
            "--known" => arguments.known = options.next(),
            directory if std::path::Path::new(directory).is_dir() => directory.clone_into(&mut arguments.directory),
            other => crate::usage(&format!("no directory and no option: {other}")),
        }
    }
    if arguments.directory.is_empty() {
        crate::usage("usage: --records DIR [--only TEXT] [--kind KIND] [--out FILE] [--known FILE]");
    }
    arguments
}

impl Arguments {
    fn selects(&self, record: &Json) -> bool {
        let only = self.only.as_ref().is_none_or(|only| {
            ["id", "function", "description"].iter().any(|key| record[key].as_str().is_some_and(|t| t.contains(only)))
        });
        only && self.kind.as_ref().is_none_or(|kind| record["kind"] == kind.as_str())
    }
}

/// Parses a record after replacing its placeholders.
fn parse(line: &str) -> Json {
    let root = if line.contains("\"suite\": \"stdlib-8.5.0\"") { "/usr/share/puppet/modules/stdlib" } else { "/SRC" };
    serde_json::from_str(&line.replace("{{SRC}}", root).replace("{{TMP}}", "/TMP")).expect("a JSON object a line")
}

fn compare(record: &Json) -> Verdict {
    let attempt = std::panic::AssertUnwindSafe(|| match record["kind"].as_str().unwrap() {
        "compile" => site::compile(record),
        "eval" => site::eval(record),
        "lookup" => site::lookup(record),
        "function_call" | "function_run" | "function_trace" => site::function(record),
        "parse" => parsing::parse(record),
        "validate" => parsing::validate(record),
        _ => types::compare(record),
    });
    std::panic::catch_unwind(attempt)
        .unwrap_or_else(|_| Verdict::Different(record["expect"].to_string(), "panicked".to_owned()))
}

fn area(record: &Json) -> String {
    match record["function"].as_str() {
        Some(name) => format!("{}: {name}", parsing::display(&record["suite"])),
        None => parsing::display(&record["area"]),
    }
}

fn write_result(out: &mut String, record: &Json, verdict: &Verdict, known: Option<&&str>) {
    let head = format!("{} [{}]", record["id"].as_str().unwrap(), record["kind"].as_str().unwrap());
    match verdict {
        Verdict::Same => {}
        Verdict::Skipped(why) => writeln!(out, "-- {head}\nskipped: {why}\n").unwrap(),
        Verdict::Different(expected, got) => {
            let known = known.map(|why| format!("\nknown: {why}")).unwrap_or_default();
            let code =
                record["code"].as_str().map(str::to_owned).unwrap_or_else(|| match record["args_pcore"].as_array() {
                    Some(args) => {
                        let args: Vec<String> = args.iter().map(parsing::display).collect();
                        format!("{}({})", parsing::display(&record["function"]), args.join(", "))
                    }
                    None => ["to", "from", "a", "b", "type", "callable", "args", "arg_pcore", "format_pcore", "key"]
                        .iter()
                        .filter(|key| !record[**key].is_null())
                        .map(|key| format!("{key} {}", parsing::display(&record[key])))
                        .collect::<Vec<_>>()
                        .join("; "),
                });
            writeln!(out, "== {head}{known}\n{code}\nwanted {expected}\ngot      {got}\n").unwrap();
        }
    }
}

fn print_counts(rows: &BTreeMap<String, [usize; 3]>) {
    let mut sum = [0; 3];
    let many = rows.len() > 40;
    for (name, row) in rows {
        for (total, count) in sum.iter_mut().zip(row) {
            *total += count;
        }
        if !many || row[1] > 0 {
            println!("{name:50} {:5} same {:5} differ {:5} skipped", row[0], row[1], row[2]);
        }
    }
    println!("{:50} {:5} same {:5} differ {:5} skipped", "all", sum[0], sum[1], sum[2]);
}
