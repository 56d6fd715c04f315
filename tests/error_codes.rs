//! Every code of the list is raised by a section of `errors.md`, and no other code is.

use std::path::Path;
use std::sync::Arc;
use std::sync::Mutex;
use std::time::Duration;
use std::time::Instant;

use catwalk_base::diag::Code;
use catwalk_base::diag::codes;
use catwalk_session::Options;
use catwalk_session::Session;
use catwalk_world::Disk;
use catwalk_world::QueryService;
use catwalk_world::WorldError;

use crate::pages::Block;
use crate::pages::blocks;
use crate::pages::words;
use crate::support::Site;
use crate::support::running::PATIENCE;
use crate::support::running::Terminal;
use crate::support::running::Watching;

/// A section of the file: a code, and how it is raised.
struct Section<'p> {
    code: &'p str,
    text: &'p str,
}

fn sections(page: &str) -> Vec<Section<'_>> {
    let parts = page.split("\n## ").skip(1);
    parts.map(|part| part.split_once('\n').unwrap()).map(|(code, text)| Section { code, text }).collect()
}

/// The commands of a section, of which the last one prints the code.
fn commands(blocks: &[Block<'_>]) -> Vec<String> {
    let consoles = blocks.iter().filter(|block| block.info == ["console"]);
    let lines: Vec<String> = consoles
        .flat_map(|block| block.text.lines())
        .filter_map(|line| line.strip_prefix("$ "))
        .map(str::to_owned)
        .collect();
    if lines.is_empty() { vec!["catwalk compile web1".to_owned()] } else { lines }
}

/// Whether an output has the code, for people, in JSON or as an annotation.
fn has(output: &str, code: &str) -> bool {
    let forms = [format!("[{code}]"), format!("\"code\":\"{code}\""), format!("title={code}::")];
    forms.iter().any(|form| output.contains(form))
}

/// Checks `raised by FILE: TEST`: the file has such a test and names the code.
fn is_raised_by(test: &str, code: &str) -> Result<(), String> {
    let (file, name) = test.split_once(": ").ok_or_else(|| format!("{code}: write `raised by FILE: TEST`"))?;
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(file);
    let text = std::fs::read_to_string(&path).map_err(|error| format!("{code}: {file}: {error}"))?;
    let is_test =
        text.contains(&format!("#[test]\nfn {name}()")) || text.contains(&format!("#[test]\n    fn {name}()"));
    match is_test && text.contains(code) {
        true => Ok(()),
        false => Err(format!("{code}: {file} has no test `{name}`, or does not name the code")),
    }
}

/// Writes a file of a section, or the site's manifest.
fn write(site: &Site, block: &Block<'_>) {
    match block.info.as_slice() {
        ["console" | "keys"] => {}
        [_, path] => site.write(path, &block.text),
        [_, path, "latin1"] => site.write(path, block.text.chars().map(|c| c as u8).collect::<Vec<u8>>()),
        [_, path, "unterminated"] => site.write(path, block.text.trim_end_matches('\n')),
        [_, path, "times", number] => site.write(path, block.text.repeat(number.parse().unwrap())),
        _ => site.write("site.pp", &block.text),
    }
}

/// Types lines in a terminal until it shows the code; `Ctrl-C` is that key.
fn type_keys(site: &Site, words: &[&str], keys: &str, code: &str) -> String {
    let terminal = Terminal::start(site, words, (120, 30));
    terminal.wait_for_text("> ");
    let started = Instant::now();
    for line in keys.lines() {
        if line != "Ctrl-C" {
            terminal.type_keys(&format!("{line}\r"));
            continue;
        }
        // While it reads the line before, the terminal drops the key: it is typed until it has an effect.
        while !has(&terminal.contents(), code) && started.elapsed() < PATIENCE {
            terminal.type_keys("\u{3}");
            std::thread::sleep(Duration::from_secs(5));
        }
    }
    while !has(&terminal.contents(), code) && started.elapsed() < PATIENCE {
        std::thread::sleep(Duration::from_millis(10));
    }
    terminal.contents()
}

/// The events of a command that does not end, up to one with the code.
fn watch(site: &Site, words: &[&str], code: &str) -> String {
    let watching = Watching::start(site, words);
    let mut output = String::new();
    while let Ok(line) = watching.lines.recv_timeout(PATIENCE) {
        output.push_str(&line);
        output.push('\n');
        if has(&line, code) {
            break;
        }
    }
    output
}

/// Fails with the output of the last command when it does not have the code.
fn raise(section: &Section<'_>) -> Result<(), String> {
    let Section { code, text } = section;
    if let Some(test) = text.trim().strip_prefix("raised by ") {
        return is_raised_by(test, code);
    }
    let site = Site::new(&[("nodes/web1.json", r#"{"os": {"family": "Debian"}}"#), ("site.pp", "")]);
    let blocks = blocks(text);
    blocks.iter().for_each(|block| write(&site, block));
    let keys = blocks.iter().find(|block| block.info == ["keys"]);
    let mut output = String::new();
    for command in commands(&blocks) {
        let words = words(&site, &command);
        let words: Vec<&str> = words.iter().skip(1).map(String::as_str).collect();
        output = match (keys, words.first()) {
            (Some(keys), _) => type_keys(&site, &words, &keys.text, code),
            (None, Some(&"watch")) => watch(&site, &words, code),
            (None, _) => {
                let run = site.run(&words);
                format!("{}{}", run.stdout, run.stderr)
            }
        };
    }
    match has(&output, code) {
        true => Ok(()),
        false => Err(format!("{code} is not printed by:\n{text}\nbut:\n{output}")),
    }
}

#[test]
fn each_code_is_raised() {
    let page = include_str!("errors.md");
    let sections = sections(page);
    let listed: Vec<&str> = codes::entries().map(|entry| entry.code.as_str()).collect();
    let raised: Vec<&str> = sections.iter().map(|section| section.code).collect();
    assert_eq!(raised, listed, "tests/errors.md has a section for each code of the list, in its order");
    let wrong = Mutex::new(Vec::new());
    let next = Mutex::new(sections.iter());
    std::thread::scope(|scope| {
        for _ in 0..std::thread::available_parallelism().map_or(2, usize::from) {
            scope.spawn(|| {
                loop {
                    let Some(section) = next.lock().unwrap().next() else { break };
                    wrong.lock().unwrap().extend(raise(section).err());
                }
            });
        }
    });
    let wrong = wrong.into_inner().unwrap();
    assert!(wrong.is_empty(), "{} codes:\n{}", wrong.len(), wrong.join("\n\n"));
}

#[test]
fn each_code_says_what_it_means_and_what_to_do() {
    for entry in codes::entries() {
        let code = entry.code;
        assert!(entry.lines.len() >= 2, "{code}: a line for the meaning, further ones for causes and what to do");
        for line in entry.lines {
            let ends = line.ends_with(['.', ':', ',']) || entry.lines.last() != Some(line);
            assert!(line.starts_with(' ') && ends, "{code}: {line}");
        }
    }
}

/// A PuppetDB with a bug: each query panics.
#[derive(Debug)]
struct Panicking;

impl QueryService for Panicking {
    fn query(&self, query: &serde_json::Value) -> Result<serde_json::Value, WorldError> {
        panic!("cannot answer {query}")
    }

    fn location(&self) -> String {
        "a test".to_owned()
    }
}

#[test]
fn a_panic_in_a_compile_is_an_error_of_its_node() {
    let site = Site::new(&[("nodes/web1.json", "{}"), ("nodes/web2.json", "{}")]);
    site.write("site.pp", "if $trusted['certname'] == 'web1' { puppetdb_query('nodes {}') }\n");
    let disk = Arc::new(Disk::new());
    let options = Options { root: Some(site.path().to_path_buf()), ..Options::default() };
    let session = Session::open(options, disk.clone()).unwrap();
    disk.set_puppetdb(Some(Arc::new(Panicking)));
    let error = session.compile("web1").result.unwrap_err();
    assert_eq!(error.code, Code::INTERNAL_ERROR);
    assert_eq!(error.message, "internal error: cannot answer \"nodes {}\"");
    assert!(session.compile("web2").result.is_ok());
}
