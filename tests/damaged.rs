//! Damaged files × commands that read catalogs and stores: each a clear error that names the file and the position; nothing is lost.

use std::io::Write;
use std::process::Stdio;

use crate::support::Site;

const RESOURCE: &str =
    r#"{"type": "File", "title": "/a", "tags": ["file"], "exported": true, "kind": "compilable_type"}"#;

/// A native catalog with these resources and edges.
fn native(resources: &[&str], edges: &str) -> String {
    format!(
        r#"{{"tags": [], "name": "web1", "version": 1, "code_id": null, "catalog_uuid": "11111111-2222-4333-8444-555555555555",
"catalog_format": 2, "environment": "production", "resources": [{}], "edges": [{edges}], "classes": []}}"#,
        resources.join(", ")
    )
}

/// A payload of wire format 9 with a resource and these edges.
fn wire(edges: &str) -> String {
    format!(
        r#"{{"certname": "web1", "version": "1", "environment": "production", "transaction_uuid": null, "catalog_uuid": null,
"code_id": null, "job_id": null, "producer": null, "producer_timestamp": "2026-01-02T03:04:05.678Z",
"resources": [{{"type": "File", "title": "/a", "tags": ["file"], "exported": true, "parameters": {{}}}}], "edges": [{edges}]}}"#
    )
}

/// A name, the bytes of a file, and what errors say about it: of catalogs, and of `store import` and `--exported`, where nothing refuses
/// it if there is no text.
fn damaged() -> Vec<(&'static str, Vec<u8>, &'static str, Option<&'static str>)> {
    let whole = native(&[RESOURCE], "");
    let nested = |opening: &str| format!("{{\"resources\": {}", opening.repeat(200_000));
    let dangling = r#"{"source": "File[/a]", "target": "File[/b]"}"#;
    let dangling_wire = r#"{"source": {"type": "File", "title": "/a"}, "target": {"type": "File", "title": "/b"}, "relationship": "contains"}"#;
    let line = "line 2 column";
    vec![
        ("empty", Vec::new(), "EOF while parsing a value at line 1 column 0", Some("line 1 column 0")),
        ("text", b"no catalog".to_vec(), "at line 1 column 2", Some("line 1 column 2")),
        ("truncated", whole.as_bytes()[..whole.len() / 2].to_vec(), line, Some(line)),
        (
            "latin1",
            whole.replace("/a", "/\u{1}").into_bytes().iter().map(|b| if *b == 1 { 0xff } else { *b }).collect(),
            line,
            Some(line),
        ),
        ("nested", nested("[").into_bytes(), "recursion limit exceeded at line 1", Some("recursion limit exceeded")),
        (
            "members",
            nested("{\"a\":").into_bytes(),
            "recursion limit exceeded at line 1",
            Some("recursion limit exceeded"),
        ),
        ("list", b"[]".to_vec(), "not a catalog", Some("")),
        ("classified", br#"{"name": "web1", "groups": []}"#.to_vec(), "not a catalog", None),
        ("word", native(&["5"], "").into_bytes(), "resource", Some("")),
        ("untitled", native(&[r#"{"type": "File"}"#], "").into_bytes(), "title", Some("title")),
        ("twice", native(&[RESOURCE, RESOURCE], "").into_bytes(), "/resources/1", Some("File[/a]")),
        ("dangling", native(&[RESOURCE], dangling).into_bytes(), "/edges/0/target", None),
        ("dangling9", wire(dangling_wire).into_bytes(), "/edges/0/target", None),
    ]
}

fn site() -> Site {
    let site = Site::new(&[("nodes/web1.json", "{}"), ("nodes/mon.json", "{}"), ("site.pp", "File <<| |>>\n")]);
    site.write("good.json", native(&[RESOURCE], ""));
    site
}

#[test]
fn catalogs_are_refused_with_file_and_position() {
    let site = site();
    for (name, bytes, message, _) in damaged() {
        let file = format!("{name}.json");
        site.write(&file, &bytes);
        let good = "good.json";
        for arguments in [
            vec!["catalog", "convert", &file, "--format", "wire9"],
            vec!["catalog", "convert", &file, "--format", "native", "-o", "converted.json"],
            vec!["catalog", "diff", &file, good],
            vec!["catalog", "diff", good, &file],
            vec!["catalog", "graph", "--catalog", &file],
            vec!["catalog", "why", "--catalog", &file, "File[/a]", "File[/b]"],
        ] {
            let run = site.run(&arguments).expect(2, &format!("{file}: "));
            assert!(run.stderr.contains(message) && run.stdout.is_empty(), "{arguments:?}: {run:#?}");
        }
        assert!(!site.path().join("converted.json").exists());
        let run = site.run(&["catalog", "validate", &file, "--as", "native"]);
        assert_eq!(run.code, Some(1), "{run:#?}");
        assert!(run.stdout.starts_with(&format!("{file}: ")), "{run:#?}");
    }
}

#[test]
fn stores_and_collectors_refuse_them_and_keep_what_they_have() {
    let site = site();
    site.run(&["store", "import", "good.json", "--store", "s.db"]).expect(0, "");
    let content = || site.run(&["store", "query", "resources {}", "--store", "s.db"]).expect(0, "").stdout;
    let before = content();
    for (name, bytes, _, message) in damaged() {
        let file = format!("{name}.json");
        let folder = format!("folder-{name}");
        site.write(&format!("{folder}/{file}"), &bytes);
        site.run(&["store", "import", "good.json", &format!("{folder}/{file}"), "--store", "s.db"]).expect(2, &file);
        assert_eq!(content(), before, "{name}");
        let run = site.run(&["compile", "mon", "--exported", &folder]);
        match message {
            Some(message) => {
                let run = run.expect(2, message);
                assert!(run.stderr.contains(&file), "{run:#?}");
            }
            None => assert!(matches!(run.code, Some(0 | 2)) && !run.stderr.contains("panicked"), "{run:#?}"),
        }
    }
}

/// A gigabyte and more: the error comes from the first bytes, or before any is read.
#[test]
fn a_gigabyte_is_not_read() {
    let site = site();
    let file = std::fs::File::create(site.path().join("sparse.json")).unwrap();
    file.set_len(3 << 30).unwrap();
    site.run(&["catalog", "convert", "sparse.json", "--format", "wire9"]).expect(2, "sparse.json: it is not JSON: ");
    site.run(&["store", "import", "sparse.json", "--store", "s.db"]).expect(2, "sparse.json");
    let mut command = site.command(&["catalog", "convert", "-", "--format", "wire9"]);
    let mut child = command.stdin(Stdio::piped()).stderr(Stdio::piped()).stdout(Stdio::null()).spawn().unwrap();
    let mut pipe = child.stdin.take().unwrap();
    let brackets = [b'['; 1 << 16];
    // The pipe closes when the program has seen enough.
    let written = (0..1 << 14).take_while(|_| pipe.write_all(&brackets).is_ok()).count();
    drop(pipe);
    let output = child.wait_with_output().unwrap();
    let message = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{message}");
    assert!(message.contains("-: it is not JSON: recursion limit exceeded at line 1 column 128"), "{message}");
    assert!(written < 100, "{written} blocks were read");
}

#[test]
fn damaged_stores_are_named_and_left_alone() {
    let site = site();
    site.run(&["store", "import", "good.json", "--store", "good.db"]).expect(0, "");
    let good = std::fs::read(site.path().join("good.db")).unwrap();
    let garbage = [&b"garbage garbage"[..], &good[15..]].concat();
    let newer = {
        // The version of the schema: four bytes at offset 60 of the header.
        let mut bytes = good.clone();
        bytes[60..64].copy_from_slice(&9999_u32.to_be_bytes());
        bytes
    };
    for (name, bytes) in
        [("truncated.db", good[..good.len() / 2].to_vec()), ("garbage.db", garbage), ("newer.db", newer)]
    {
        site.write(name, &bytes);
        for arguments in [
            vec!["store", "check", "--store", name],
            vec!["store", "import", "good.json", "--store", name],
            vec!["compile", "mon", "--exported", name],
        ] {
            let run = site.run(&arguments);
            assert!(matches!(run.code, Some(1 | 2)), "{name} {arguments:?}: {run:#?}");
            assert!(run.stderr.contains(name) && !run.stderr.contains("panicked"), "{name} {arguments:?}: {run:#?}");
        }
        assert_eq!(std::fs::read(site.path().join(name)).unwrap(), bytes, "{name} was changed");
    }
    site.run(&["store", "check", "--store", "good.db"]).expect(0, "");
}
