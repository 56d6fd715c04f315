//! Programs of templates, as Ruby's ERB compiles them.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "tests")]

use super::compile;
use super::parse;

/// Development check: `ERB_FILES=list cargo test erb_files` reads every listed template.
#[test]
fn erb_files() {
    let Ok(list) = std::env::var("ERB_FILES") else { return };
    let (mut read, mut failed) = (0, 0);
    for path in std::fs::read_to_string(list).unwrap().lines() {
        let text = String::from_utf8_lossy(&std::fs::read(path).unwrap()).into_owned();
        read += 1;
        if let Err(error) = parse(&text) {
            failed += 1;
            println!("{path}:{}: {}", error.line, error.message);
        }
    }
    println!("{read} read, {failed} failed");
}

#[test]
fn programs() {
    let cases = [
        ("a\n", "_erbout = +''; _erbout.<< \"a\\n\"\n; _erbout"),
        ("<% x -%>\nb", "_erbout = +'';  x \n_erbout.<< \"b\"; _erbout"),
        (
            "a\n  <%- x -%>\n b<%= 1 %>",
            "_erbout = +''; _erbout.<< \"a\\n\"\n;  x \n_erbout.<< \" b\"; _erbout.<<(( 1 ).to_s); _erbout",
        ),
        ("<%# c %>\n<%% d %>", "_erbout = +''; _erbout.<< \"\\n\"\n; _erbout.<< \"<% d %>\"; _erbout"),
        ("<% a\n%>  <%- b %>", "_erbout = +'';  a\n b ; _erbout"),
    ];
    for (template, program) in cases {
        assert_eq!(compile(template), program, "{template:?}");
    }
}
