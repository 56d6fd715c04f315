//! Recorded calls of functions, replayed: not part of the ordinary tests, since the records are not in the repository.
//! `tests/reference/records DIR` runs it and prints how many calls of each function give the recorded answer.

use std::collections::BTreeMap;
use std::fmt::Write;

use catwalk::functions::probe;
use catwalk::value::to_program;
use serde_json::Value as Json;

/// What came of one record.
enum Verdict {
    Same,
    Skipped,
    Other(String),
}

fn replay(record: &Json) -> Verdict {
    let (Some(function), Some(args)) = (record["function"].as_str(), record["args_pcore"].as_array()) else {
        return Verdict::Skipped;
    };
    if record["has_block"] == true || record["facts"]["$facts"].is_string() {
        return Verdict::Skipped;
    }
    let args: Option<Vec<&str>> = args.iter().map(Json::as_str).collect();
    let Some(args) = args else { return Verdict::Skipped };
    let before = record["pre_condition"].as_str().unwrap_or_default();
    let code = format!("{before}\n{function}({})", args.join(", "));
    let mut setup = probe::Setup::default();
    for (name, value) in record["scope_vars"].as_object().into_iter().flatten() {
        let value = catwalk::data::json::parse(value.to_string().as_bytes()).expect("JSON of JSON");
        setup.variables.push((name.clone(), value));
    }
    let outcome = probe::evaluate(&code, &setup);
    let expect = &record["expect"];
    let (same, got, wanted) = match (&outcome.result, expect["error"]["message"].as_str()) {
        (Ok(value), None) => {
            let (got, wanted) = (to_program(value), expect["pcore"].as_str().unwrap_or_default().to_owned());
            // Recorded source may write the same value in another way.
            let same = got == wanted || probe::value(&wanted).is_ok_and(|wanted| wanted == *value);
            (same, got, wanted)
        }
        (Err(text), Some(message)) => (text.contains(message.trim_end()), text.clone(), format!("error: {message}")),
        (Ok(value), Some(message)) => (false, to_program(value), format!("error: {message}")),
        (Err(text), None) => (false, format!("error: {text}"), expect["pcore"].as_str().unwrap_or_default().to_owned()),
    };
    if same { Verdict::Same } else { Verdict::Other(format!("{code}\n    got    {got}\n    wanted {wanted}")) }
}

#[test]
#[ignore = "needs the records: tests/reference/records DIR"]
fn functions() {
    let directory = std::env::var("RECORDS").expect("RECORDS names the directory of the records");
    let only = std::env::var("ONLY").ok();
    let text = std::fs::read_to_string(format!("{directory}/functions.jsonl")).expect("functions.jsonl");
    let mut board: BTreeMap<String, [usize; 3]> = BTreeMap::new();
    let mut different = String::new();
    for line in text.lines() {
        let record: Json = serde_json::from_str(line).expect("a JSON object a line");
        let name = record["function"].as_str().unwrap_or("?").to_owned();
        if only.as_ref().is_some_and(|only| *only != name) {
            continue;
        }
        let row = board.entry(name).or_default();
        match replay(&record) {
            Verdict::Same => row[0] += 1,
            Verdict::Skipped => row[2] += 1,
            Verdict::Other(text) => {
                row[1] += 1;
                let _ = writeln!(different, "{}\n  {text}", record["suite"].as_str().unwrap_or_default());
            }
        }
    }
    println!("{different}");
    let mut sum = [0; 3];
    for (name, row) in &board {
        for (total, count) in sum.iter_mut().zip(row) {
            *total += count;
        }
        if row[1] > 0 {
            println!("{name:40} {:5} same {:5} other {:5} skipped", row[0], row[1], row[2]);
        }
    }
    println!("{:40} {:5} same {:5} other {:5} skipped", "all", sum[0], sum[1], sum[2]);
}
