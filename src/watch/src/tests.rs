//! Tests of the full screen without a terminal.

use crate::model::Model;
use crate::model::Notice;
use crate::model::Request;
use crate::round::Entry;
use crate::round::Round;
use crate::round::marked;
use crate::snapshot_comparison::PendingSnapshots;
use catwalk_base::stack;
use catwalk_catalog::Catalog;
use catwalk_formats::neighbourhood;
use catwalk_formats::neighbourhood::Graph;
use catwalk_session::Options;
use catwalk_session::Session;
use catwalk_session::TestNode;
use catwalk_snapshot::hunks::Hunk;
use catwalk_snapshot::hunks::Kind;
use catwalk_snapshot::review::Key;
use catwalk_snapshot::review::LineStyle;
use catwalk_world::Disk;
use std::sync::Arc;
use std::time::Duration;

fn names(names: &[&str]) -> Vec<Arc<str>> {
    names.iter().map(|name| Arc::from(*name)).collect()
}

fn entry(of: &[&str], head: &str, text: &str) -> Entry {
    Entry { names: names(of), head: head.to_owned(), lines: marked(text), is_message: false }
}

fn round(entries: Vec<Entry>, failures: Vec<Entry>) -> Notice {
    let nodes = names(&["db1", "web1", "web2"]);
    let changed = entries.iter().filter(|entry| entry.head.contains("changed"));
    let changed = changed.flat_map(|entry| entry.names.iter().map(|name| (name.clone(), vec!["File[/a]".to_owned()])));
    let changed = changed.collect();
    let elapsed = Duration::from_micros(4300);
    Notice::Round(Box::new(Round { compiled: entries.len(), entries, elapsed, nodes, failures, changed }))
}

fn first() -> Notice {
    round(
        vec![
            entry(&["db1"], "3 resources", ""),
            entry(&["web1"], "5 resources", ""),
            entry(&["web2"], "5 resources", ""),
        ],
        Vec::new(),
    )
}

fn edit() -> Notice {
    let text = "  ~ File[/a]  (site.pp:1)\n      mode: \"0644\" => \"0600\"\n  + Notify[x]\n";
    round(vec![entry(&["web1", "web2"], "1 added, 0 removed, 1 changed", text)], Vec::new())
}

fn failing() -> Notice {
    let why = "  error: Syntax error at end of input\n   --> site.pp:3:1\n";
    let failed = vec![entry(&["db1"], "", why)];
    round(vec![entry(&["db1"], "does not compile; the last good catalog is kept", why)], failed)
}

fn model(width: usize, height: usize) -> Model {
    Model::new((width, height), false)
}

fn press(model: &mut Model, keys: &str) -> Option<Request> {
    let mut last = None;
    for key in keys.chars() {
        last = model.press(match key {
            '\n' => Key::Enter,
            '\t' => Key::Tab,
            '\u{8}' => Key::Backspace,
            '\u{1b}' => Key::Escape,
            '↑' => Key::Up,
            '↓' => Key::Down,
            '⇑' => Key::PageUp,
            '⇓' => Key::PageDown,
            '→' => Key::Right,
            '←' => Key::Left,
            '⇱' => Key::Home,
            '⇲' => Key::End,
            key => Key::Char(key),
        });
    }
    last
}

/// The screen with a mark for the style of each line.
fn screen(model: &Model) -> String {
    let lines = model.screen();
    assert_eq!(lines.len(), if model.size.0 == 0 { 0 } else { model.size.1 });
    let mark = |style| match style {
        LineStyle::Plain => ' ',
        LineStyle::Bold => 'B',
        LineStyle::Chosen => '>',
        LineStyle::Added => '+',
        LineStyle::Removed => '-',
        LineStyle::Changed => '~',
        LineStyle::Dim => '.',
    };
    lines.iter().map(|(text, style)| format!("{}|{text}\n", mark(*style))).collect()
}

fn waiting(of: &[&str]) -> Notice {
    Notice::Pending(PendingSnapshots {
        names: of.iter().map(|name| (*name).to_owned()).collect(),
        has_snapshots: true,
        ..PendingSnapshots::default()
    })
}

#[test]
fn rounds_follow_each_other() {
    let mut model = model(80, 10);
    insta::assert_snapshot!("before", screen(&model));
    // Until the number of nodes is known, none is shown.
    let unread = Model::new((80, 10), false);
    assert!(screen(&unread).starts_with("+|reading the site …"), "{}", screen(&unread));
    model.handle(first());
    insta::assert_snapshot!("first", screen(&model));
    model.handle(Notice::Begin(2));
    assert!(screen(&model).contains("compiling"));
    model.handle(edit());
    insta::assert_snapshot!("edit", screen(&model));
    // The earlier rounds are still above.
    press(&mut model, "↑↑↑↑↑");
    insta::assert_snapshot!("scrolled", screen(&model));
    model.handle(Notice::Nothing(Duration::from_micros(800)));
    assert!(screen(&model).contains("the edit affects no catalog (0.8 ms)"), "{}", screen(&model));
    // A new round scrolls to its lines.
    model.handle(failing());
    insta::assert_snapshot!("failing", screen(&model));
    model.handle(Notice::Output(marked("checked 3 nodes\n")));
    assert!(screen(&model).contains("checked 3 nodes"), "{}", screen(&model));
}

#[test]
fn errors_and_help_are_panes() {
    let mut model = model(100, 12);
    model.handle(first());
    press(&mut model, "e");
    assert!(screen(&model).contains("every node compiles"));
    model.handle(failing());
    insta::assert_snapshot!("errors", screen(&model));
    press(&mut model, "?");
    assert!(screen(&model).contains("accept the catalogs that differ") && screen(&model).contains("↓"));
    press(&mut model, "⇲");
    assert!(screen(&model).contains("was accepted."), "{}", screen(&model));
    press(&mut model, "\u{1b}");
    assert!(screen(&model).contains("3 resources") || screen(&model).contains("does not compile;"));
    model.handle(Notice::Broken(Some(marked("error: catwalk.toml is wrong\n"))));
    assert!(screen(&model).contains("the site cannot be read") && screen(&model).contains("catwalk.toml is wrong"));
    model.handle(edit());
    assert!(!screen(&model).contains("cannot be read"));
}

#[test]
fn the_filter_is_typed() {
    let mut model = model(80, 10);
    model.handle(first());
    model.handle(edit());
    model.handle(failing());
    press(&mut model, "fweb2q");
    assert!(screen(&model).contains("nodes with: web2q▏"));
    press(&mut model, "\u{8}\n⇱");
    insta::assert_snapshot!("filtered", screen(&model));
    // The error of a different node is not listed, but counted.
    press(&mut model, "e");
    assert!(screen(&model).contains("every node of the filter compiles"), "{}", screen(&model));
    assert!(screen(&model).contains("1 node does not compile"));
    press(&mut model, "\u{1b}\u{1b}");
    assert!(!screen(&model).contains("filter:"));
    assert_eq!(press(&mut model, "q"), None);
    assert!(model.quit);
}

#[test]
fn snapshots_are_accepted_after_a_question() {
    let mut model = model(80, 8);
    model.handle(first());
    model.handle(waiting(&[]));
    press(&mut model, "a");
    assert!(screen(&model).contains("no snapshot differs"));
    model.handle(waiting(&["db1", "web1", "web2"]));
    assert!(screen(&model).starts_with("~|3 nodes · 3 compiled in 4.3 ms · 3 snapshots differ · no errors"));
    press(&mut model, "a");
    assert!(screen(&model).contains("accept 3 snapshots: db1, web1, web2? y/n"));
    assert_eq!(press(&mut model, "n"), None);
    let request = press(&mut model, "fweb\nay");
    assert_eq!(request, Some(Request::Accept(vec!["web1".to_owned(), "web2".to_owned()])));
    model.handle(Notice::Decided("2 snapshots accepted".to_owned()));
    assert!(screen(&model).contains("2 snapshots accepted"));
    // Without snapshots, those of all nodes are proposed.
    model.handle(Notice::Pending(PendingSnapshots::default()));
    press(&mut model, "\u{1b}");
    assert_eq!(press(&mut model, "r"), None);
    assert!(screen(&model).contains("no snapshots yet"));
    let request = press(&mut model, "ay");
    assert_eq!(request, Some(Request::Accept(vec!["db1".to_owned(), "web1".to_owned(), "web2".to_owned()])));
    model.frozen = true;
    assert_eq!((press(&mut model, "ay"), press(&mut model, "r")), (None, None));
    assert!(screen(&model).contains("not changed in CI"));
}

#[test]
fn snapshots_are_reviewed() {
    let mut model = model(80, 14);
    model.handle(first());
    model.handle(waiting(&["web1", "web2"]));
    let request = press(&mut model, "r");
    assert_eq!(request, Some(Request::Review(vec!["web1".to_owned(), "web2".to_owned()])));
    let group = |reference: &str, of: &[&str]| {
        let parameters = vec!["mode".to_owned()];
        let text = format!("~ {reference}\n    mode: 1 => 2\n");
        let identity = [0; 32];
        let hunk =
            Hunk { kind: Kind::Changed, reference: reference.to_owned(), parameters, text, location: None, identity };
        catwalk_snapshot::decide::Group { hunk, names: of.iter().map(|name| (*name).to_owned()).collect() }
    };
    model.handle(Notice::Review(vec![group("File[/a]", &["web1", "web2"]), group("File[/b]", &["web1"])]));
    insta::assert_snapshot!("review", screen(&model));
    // An edit meanwhile leaves the review.
    model.handle(edit());
    let request = press(&mut model, "arw");
    let pair = |name: &str, reference: &str| (name.to_owned(), reference.to_owned());
    let accepted = [pair("web1", "File[/a]"), pair("web2", "File[/a]")].into_iter().collect();
    let rejected = [pair("web1", "File[/b]")].into_iter().collect();
    assert_eq!(request, Some(Request::Decide { accepted, rejected }));
    assert!(screen(&model).contains("~ File[/a]"), "{}", screen(&model));
    model.handle(Notice::Review(vec![group("File[/a]", &["web1"])]));
    assert_eq!(press(&mut model, "aqq"), Some(Request::Leave));
    assert!(!model.quit, "q ends the review only");
    model.handle(Notice::Review(Vec::new()));
    assert!(screen(&model).contains("nothing differs"));
}

#[test]
fn a_narrow_header_loses_the_least_important_parts_first() {
    let header = |width: usize| {
        let mut model = model(width, 14);
        model.handle(first());
        model.handle(failing());
        screen(&model).lines().next().unwrap_or_default().chars().skip(2).collect::<String>()
    };
    let wide = header(200);
    for part in ["3 nodes", "1 node does not compile"] {
        assert!(wide.contains(part), "{wide}");
    }
    let mut before = wide.chars().count();
    for width in (4..120).rev() {
        let line = header(width);
        let length = line.trim_end().chars().count();
        assert!(length <= width && length <= before, "{width}: {line}");
        // The number of failing nodes is the most important part.
        assert!(line.contains("1 node does not compile") || line.contains("1e"), "{width}: {line}");
        before = length;
    }
    assert!(!header(4).contains("3n"), "{}", header(4));
}

const CODE: &str = "
class app { contain app::config\n contain app::run\n Class['app::config'] ~> Class['app::run']\n
  package { 'app': before => Class['app::config'] } }
class app::config { file { '/a': content => 'x', notify => Exec['check'] }\n exec { 'check': command => '/bin/true' } }
class app::run { service { 'app': require => File['/a'] } }
include app
";

fn catalog() -> Catalog {
    stack::with_large(|| {
        let session = Session::open(Options::default(), Arc::new(Disk::new())).unwrap();
        let node = TestNode { certname: Arc::from("web1"), code: Some(CODE.to_owned()), ..TestNode::default() };
        session.compile_test_node(&node).result.unwrap()
    })
    .unwrap()
}

fn graph_of(catalog: &Catalog, about: &str) -> Graph {
    neighbourhood::neighbourhood(catalog, neighbourhood::find(catalog, about).unwrap(), None).unwrap()
}

#[test]
fn the_graph_of_a_resource_is_followed_with_keys() {
    let catalog = catalog();
    let mut model = model(80, 22);
    assert_eq!(press(&mut model, "g"), None);
    assert!(screen(&model).contains("there is no node to show"));
    model.handle(first());
    model.handle(edit());
    let request = press(&mut model, "g");
    let graph_request =
        |node: &str, about: &str| Some(Request::Graph { node: Arc::from(node), about: about.to_owned() });
    assert_eq!(request, graph_request("web1", "File[/a]"));
    model.handle(Notice::Graph(Ok(Box::new(graph_of(&catalog, "File[/a]")))));
    insta::assert_snapshot!("graph", screen(&model));
    assert_eq!(press(&mut model, "↑\n"), graph_request("web1", "Class[App::Config]"));
    model.handle(Notice::Graph(Ok(Box::new(graph_of(&catalog, "Class[App::Config]")))));
    insta::assert_snapshot!("graph of a class", screen(&model));
    assert_eq!(press(&mut model, "\u{8}"), graph_request("web1", "File[/a]"));
    assert_eq!(press(&mut model, "/serv\n"), graph_request("web1", "serv"));
    model.handle(Notice::Graph(Ok(Box::new(graph_of(&catalog, "serv")))));
    assert!(screen(&model).contains("web1: Service[app]"), "{}", screen(&model));
    model.handle(Notice::Graph(Err("no resource of web1 has 'x' in its name".to_owned())));
    assert!(screen(&model).contains("no resource of web1"));
    // The next node; after an edit, the same resource.
    assert_eq!(press(&mut model, "\t"), graph_request("web2", "File[/a]"));
    assert_eq!(model.handle(edit()), graph_request("web1", "Service[app]"));
    // A small screen follows the choice.
    model.resize((30, 6));
    press(&mut model, "⇲");
    assert!(screen(&model).contains(">|"), "{}", screen(&model));
    press(&mut model, "⇱");
    assert!(screen(&model).contains(">|"), "{}", screen(&model));
    press(&mut model, "g");
    assert!(!screen(&model).contains("Containment"));
}

#[test]
fn no_size_and_no_key_causes_a_panic() {
    let long = format!("  + {}\n", "日本語 ".repeat(200));
    for width in [0, 1, 2, 7, 20, 200] {
        for height in [0, 1, 2, 3, 5, 60] {
            let mut model = model(width, height);
            screen(&model);
            model.handle(first());
            model.handle(round(vec![entry(&["web1"], "1 added, 0 removed, 0 changed", &long)], Vec::new()));
            model.handle(waiting(&["web1"]));
            for key in "↑↓⇑⇓⇱⇲→→←e↓⇲?⇲gj/x\n\tfw\u{8}\n\u{1b}a\nr\u{1b}".chars() {
                press(&mut model, &key.to_string());
                screen(&model);
            }
            model.resize((width / 2, height / 2));
            screen(&model);
            assert!(!model.quit);
        }
    }
    // Long lines are read by scrolling sideways.
    let mut model = model(30, 5);
    let text = format!("{}end", "x".repeat(100));
    model.handle(round(vec![entry(&["web1"], "", &text)], Vec::new()));
    assert!(!screen(&model).lines().any(|line| line.ends_with("xend") && line.chars().count() < 40));
    press(&mut model, "→→→→→→→");
    assert!(
        screen(&model).lines().any(|line| line.ends_with("xend") && line.chars().count() < 40),
        "{}",
        screen(&model)
    );
}

#[test]
fn the_scrollback_is_bounded() {
    let mut model = model(80, 10);
    let many = "  + line\n".repeat(3000);
    for _ in 0..50 {
        model.handle(round(vec![entry(&["web1"], "1 added, 0 removed, 0 changed", &many)], Vec::new()));
    }
    assert!(model.rounds.len() < 10);
    assert!(model.body().0.len() < 30_000);
}
