//! A review without a terminal.

use super::*;
use crate::hunks::Hunk;
use crate::hunks::Kind;

fn group(reference: &str, parameters: &[&str], names: &[&str]) -> Group {
    let parameters: Vec<String> = parameters.iter().map(|name| (*name).to_owned()).collect();
    let kind = if parameters.is_empty() { Kind::Added } else { Kind::Changed };
    let mark = if parameters.is_empty() { '+' } else { '~' };
    let text = format!("{mark} {reference}\n    mode: 1 => 2\n      - a\n      + b\u{1b}[2J\n");
    let hunk = Hunk { kind, reference: reference.to_owned(), parameters, text, location: None, identity: [0; 32] };
    Group { hunk, names: names.iter().map(|name| (*name).to_owned()).collect() }
}

fn review() -> Review {
    Review::new(vec![
        group("File[/a]", &["mode"], &["web1", "web2", "db1"]),
        group("Notify[x]", &[], &["web1", "web2"]),
        group("File[/b]", &["owner", "group"], &["db1"]),
    ])
}

fn keys(review: &mut Review, keys: &str) -> Step {
    let mut last = Step::Draw;
    for key in keys.chars() {
        last = review.press(match key {
            '\n' => Key::Enter,
            '\u{8}' => Key::Backspace,
            '\u{1b}' => Key::Escape,
            key => Key::Char(key),
        });
    }
    last
}

fn screen(review: &Review, width: usize, height: usize) -> String {
    let lines = review.screen(width, height);
    assert_eq!(lines.len(), height);
    lines
        .into_iter()
        .map(|(text, look)| format!("{}{}\n", if look == LineStyle::Chosen { ">" } else { " " }, text))
        .collect()
}

#[test]
fn decisions_are_for_groups() {
    let mut review = review();
    assert_eq!(keys(&mut review, "q"), Step::Quit, "nothing is decided");
    assert_eq!(keys(&mut review, "arw"), Step::Write);
    assert_eq!(review.counts(), [1, 1, 1]);
    let of = |decision| review.decided(decision).into_iter().map(|(name, _)| name).collect::<Vec<_>>().join(" ");
    assert_eq!(of(Decision::Accept), "db1 web1 web2");
    assert_eq!(of(Decision::Reject), "web1 web2");
    assert!(review.decided(Decision::Reject).contains(&("web2", "Notify[x]")));
    keys(&mut review, "kks");
    assert_eq!(review.counts(), [0, 1, 2]);
    // A single key does not discard decisions.
    assert_eq!(keys(&mut review, "q"), Step::Draw);
    assert!(screen(&review, 80, 12).contains("1 decided, not yet written: w writes and quits, q quits without"));
    assert_eq!(keys(&mut review, "jq"), Step::Draw);
    assert_eq!(keys(&mut review, "q"), Step::Quit);
}

#[test]
fn a_pattern_shows_some_and_all_of_them_are_decided() {
    let mut review = review();
    keys(&mut review, "/File[*]\nA");
    assert_eq!(review.counts(), [2, 0, 1]);
    keys(&mut review, "\u{1b}/web*\nR");
    assert_eq!(review.counts(), [1, 2, 0]);
    keys(&mut review, "/\u{8}\u{8}\u{8}\u{8}db1\n");
    insta::assert_snapshot!(screen(&review, 60, 12), @"
     3 changes: 1 accepted, 2 rejected, 0 open
    >x     3 × ~ File[/a]: mode
     +     1 × ~ File[/b]: owner, group
     ────────────────────────────────────────────────────────────
     web1, web2, db1
     ~ File[/a]
         mode: 1 => 2
           - a
           + b [2J
     
     
     a accept  r reject  s leave open  A, R all shown  / pattern…
    ");
    keys(&mut review, "\u{1b}/otif\n");
    assert!(screen(&review, 80, 12).contains(">x     2 × + Notify[x]"));
    keys(&mut review, "\u{1b}/[");
    assert!(screen(&review, 80, 12).contains("a pattern is Type[title]"));
    keys(&mut review, "\nA");
    assert!(screen(&review, 80, 12).contains("/[A"), "it is typed on until it is a pattern");
}

#[test]
fn any_screen_is_filled() {
    let mut review = review();
    for (width, height) in [(1, 1), (3, 2), (80, 3), (10, 5), (200, 60)] {
        screen(&review, width, height);
        review.press(Key::PageDown);
    }
    let empty = Review::new(Vec::new());
    assert!(screen(&empty, 80, 10).contains("no change matches"));
}
