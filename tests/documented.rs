//! Examples in the documentation of functions, data types and resource types evaluate to what is written below them;
//! `docs/functions/`, `docs/types.md`, `docs/datatypes.md` and `docs/errors.md` are made from the same tables.

use std::path::Path;
use std::path::PathBuf;
use std::sync::Arc;

use catwalk_base::diag::Diagnostic;
use catwalk_console::Console;
use catwalk_console::InitialState;
use catwalk_docs::Page;
use catwalk_docs::Topic;
use catwalk_program::docs as types;
use catwalk_session::Options;
use catwalk_session::Session;
use catwalk_value::Value;
use catwalk_value::docs as data_types;
use catwalk_world::Disk;

fn repository_path(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(path)
}

/// A session in the environment of the examples.
fn session() -> Session {
    let options = Options {
        root: Some(repository_path("tests/examples")),
        modulepath: Some(vec![repository_path("tests/examples/modules"), repository_path("tests/examples/standin")]),
        facts: Some(repository_path("tests/examples/facts.json")),
        code: Some(String::new()),
        // Deprecations are warnings, and the server has PSON.
        gems: vec!["pson".to_owned()],
        set: vec![("strict".to_owned(), "warning".to_owned())],
        ..Options::default()
    };
    Session::open(options, Arc::new(Disk::new())).unwrap()
}

fn evaluate(session: &Session, code: &str) -> (Result<Value, String>, Vec<String>) {
    let text = |diagnostic: &Diagnostic| format!("{}: {}", diagnostic.severity.as_str(), diagnostic.message);
    let result = session.with_node("web1.example.com", |opened, _| {
        let (mut console, _) = Console::new(opened, InitialState::Bare).map_err(|(_, error)| text(&error)).unwrap();
        let reply = console.evaluate(code);
        let logs = reply.logs.iter().map(text).collect();
        match reply.error {
            Some(error) => (Err(text(&error)), logs),
            None => (Ok(reply.value.unwrap_or(Value::Undef)), logs),
        }
    });
    result.unwrap_or_else(|error| (Err(text(&error)), Vec::new()))
}

fn holds(session: &Session, code: &str, expected: &str) -> Result<(), String> {
    let (got, logs) = evaluate(session, code);
    let holds = match expected.split_once(": ") {
        Some(("error", text)) => got.as_ref().is_err_and(|message| message.contains(text)),
        Some((level @ ("notice" | "warning" | "err" | "alert" | "crit" | "emerg"), text)) => {
            logs.iter().any(|line| line.starts_with(level) && line.contains(text))
        }
        _ => got.is_ok() && got == evaluate(session, expected).0,
    };
    if holds { Ok(()) } else { Err(format!("{code}\n  gives {got:?} {logs:?}\n  not {expected}")) }
}

fn with_stack(work: impl FnOnce() + Send + 'static) {
    std::thread::Builder::new().stack_size(catwalk_session::STACK).spawn(work).unwrap().join().unwrap();
}

#[test]
fn examples_of_functions_and_data_types_hold() {
    with_stack(|| {
        let session = session();
        let functions = catwalk_functions::all().flat_map(|function| function.examples);
        let all = functions.chain(data_types::ALL.iter().flat_map(|found| found.examples));
        let wrong: Vec<String> = all.filter_map(|(code, expected)| holds(&session, code, expected).err()).collect();
        assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    });
}

#[test]
fn data_types_are_documented() {
    for pair in data_types::ALL.windows(2) {
        assert!(pair[0].name < pair[1].name, "{} stands before {}", pair[0].name, pair[1].name);
    }
    for found in data_types::ALL {
        assert!(found.examples.len() >= 2 && found.doc.ends_with('.'), "{}", found.name);
        let (known, _) = evaluate(&session(), found.name);
        assert!(matches!(known, Ok(Value::Type(_))), "{}: {known:?}", found.name);
    }
}

#[test]
fn examples_of_types_compile() {
    with_stack(move || {
        for found in types::all().into_iter().filter(|found| !found.example.is_empty()) {
            let options = Options {
                // Types of modules exist without the modules.
                modulepath: Some(Vec::new()),
                code: Some(found.example.clone()),
                facts: Some(repository_path("tests/examples/facts.json")),
                ..Options::default()
            };
            let session = Session::open(options, Arc::new(Disk::new())).unwrap();
            let compiled = session.compile("web1.example.com");
            if let Err(error) = compiled.result {
                panic!("{}: {}", found.name, error.message);
            }
        }
    });
}

/// `UPDATE_DOCS=1 cargo test --test main documented` writes the pages.
#[test]
fn the_generated_pages_are_up_to_date() {
    let functions = catwalk_docs::builtin_pages(Topic::Functions);
    let files = catwalk_docs::reference_files();
    for page in &functions {
        let heading = format!("## {}\n", page.name);
        let pages = files.iter().filter(|(path, text)| path.starts_with("functions/") && text.contains(&heading));
        assert_eq!(pages.count(), 1, "{} is on one page", page.name);
    }
    let mut wrong = Vec::new();
    for (path, text) in files {
        let file = repository_path("docs").join(&path);
        if std::env::var_os("UPDATE_DOCS").is_some() {
            std::fs::create_dir_all(file.parent().unwrap()).unwrap();
            std::fs::write(&file, &text).unwrap();
        }
        if std::fs::read_to_string(&file).unwrap_or_default() != text {
            wrong.push(path);
        }
    }
    assert!(wrong.is_empty(), "{wrong:?} in docs/ are not up to date: UPDATE_DOCS=1 cargo test --test main documented");
}

#[test]
fn definitions_of_a_site_are_documented() {
    let session = session();
    let environment = session.open_environment().unwrap();
    let pages = |topic| catwalk_docs::site_pages(&environment, &Disk::new(), topic);
    let functions = pages(Topic::Functions);
    let page = &functions[0];
    assert_eq!(page.origin, "module example: functions/first_even.pp");
    assert_eq!(page.signatures, ["example::first_even(Array[Integer] $numbers) >> Optional[Integer]"]);
    assert_eq!(page.summary(), "The first even one of some numbers, `undef` when there is none.");
    let names = |pages: &[Page]| pages.iter().map(|page| page.name.clone()).collect::<Vec<_>>().join(" ");
    assert_eq!(names(&pages(Topic::Classes)), "example example::web");
    let types = pages(Topic::Types);
    assert_eq!(names(&types), "example::site");
    let port = &types[0].attributes[0];
    assert_eq!((port.data_type.as_str(), port.default.as_deref()), ("Integer[1, 65535]", Some("80")));
    assert_eq!(port.doc, "where it listens");
}

/// `UPDATE_DOCS=1 cargo test --test main commands` writes the page.
#[test]
fn the_page_of_commands_is_made_from_their_description() {
    let options = clap_markdown::MarkdownOptions::new()
        .title("Commands".to_owned())
        .show_footer(false)
        .show_table_of_contents(false);
    let generated = clap_markdown::help_markdown_command_custom(&catwalk::cli::help::command(), &options);
    let path = repository_path("docs/commands.md");
    if std::env::var_os("UPDATE_DOCS").is_some() {
        std::fs::write(&path, &generated).unwrap();
    }
    let current = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(current == generated, "docs/commands.md is not up to date: UPDATE_DOCS=1 cargo test --test main commands");
}

/// Pages that list what a table of the program has, or that are about the repository.
const WITHOUT_GUIDE: [&str; 7] = ["README", "commands", "datatypes", "dependencies", "errors", "script-api", "types"];

#[test]
fn every_page_is_a_guide_and_every_command_has_one() {
    let files = std::fs::read_dir(repository_path("docs")).unwrap().map(|entry| entry.unwrap().path());
    let mut names: Vec<String> = files
        .filter(|path| path.extension().is_some_and(|extension| extension == "md"))
        .map(|path| path.file_stem().unwrap().to_string_lossy().into_owned())
        .filter(|name| !WITHOUT_GUIDE.contains(&name.as_str()))
        .collect();
    names.sort();
    let guides: Vec<String> = catwalk_docs::guides().into_iter().map(|page| page.name).collect();
    assert_eq!(guides, names);
    for command in catwalk::cli::help::command().get_subcommands().filter(|command| !command.is_hide_set()) {
        let guide = catwalk_docs::guide_name(command.get_name());
        assert!(guides.iter().any(|name| name == guide), "{} has no guide", command.get_name());
    }
}
