//! Every code of the list is raised by a section of `errors.md`, and no other code is.

use std::path::Path;
use std::sync::Mutex;

use catwalk::diag::codes;

use crate::pages::Block;
use crate::pages::blocks;
use crate::pages::words;
use crate::support::Site;

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

/// What the last command prints in place of the code.
fn raise(section: &Section<'_>) -> Result<(), String> {
    let Section { code, text } = section;
    if let Some(file) = text.trim().strip_prefix("raised in ") {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(file);
        let found = std::fs::read_to_string(path).is_ok_and(|text| text.contains(code));
        return if found { Ok(()) } else { Err(format!("{code}: {file} does not name it")) };
    }
    // Codes that only a person, a bug or a large input raises.
    if text.trim().starts_with("not by a command: ") {
        return Ok(());
    }
    let site = Site::new(&[("nodes/web1.json", r#"{"os": {"family": "Debian"}}"#), ("site.pp", "")]);
    let blocks = blocks(text);
    for block in &blocks {
        match block.info.as_slice() {
            ["console"] => {}
            [_, path] => site.write(path, &block.text),
            [_, path, "latin1"] => site.write(path, block.text.chars().map(|c| c as u8).collect::<Vec<u8>>()),
            _ => site.write("site.pp", &block.text),
        }
    }
    let mut said = String::new();
    for command in commands(&blocks) {
        let words = words(&site, &command);
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        let run = site.run(&words[1..]);
        said = format!("{}{}", run.stdout, run.stderr);
    }
    match said.contains(&format!("[{code}]")) || said.contains(&format!("\"code\":\"{code}\"")) {
        true => Ok(()),
        false => Err(format!("{code} is not printed by:\n{text}\nbut:\n{said}")),
    }
}

#[test]
fn each_code_is_raised() {
    let page = include_str!("errors.md");
    let sections = sections(page);
    let listed: Vec<&str> = codes::entries().map(|entry| entry.code.as_str()).collect();
    let raised: Vec<&str> = sections.iter().map(|section| section.code).collect();
    assert_eq!(raised, listed, "tests/errors.md has a section for each code of the list, in its order");
    let idle = sections.iter().filter(|section| section.text.trim().starts_with("not by a command: ")).count();
    assert!(idle <= 15, "{idle} codes are not raised");
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
