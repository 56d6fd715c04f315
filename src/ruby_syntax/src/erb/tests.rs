//! The programs to which templates are compiled, compared with those of Ruby's ERB.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "tests")]

use super::compile;

#[test]
fn compiles_templates_to_the_programs_of_erb() {
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
