//! `catwalk docs` from outside.

use crate::support::Site;

fn site() -> Site {
    Site::new(&[
        ("site.pp", "# @summary Of the main manifest\nclass profile::base { }\n"),
        ("modules/m/functions/twice.pp", "# Doubles.\nfunction m::twice(Integer $n) >> Integer { $n * 2 }\n"),
        ("modules/m/scripts/functions/slug.rhai", "//! Shortens.\n\nfn slug(text) { text }\n"),
        (
            "modules/m/lib/puppet/type/thing.rb",
            "Puppet::Type.newtype(:thing) do\n  @doc = 'A thing.'\n  newparam(:name) do\n    desc 'Its name.'\n  end\nend\n",
        ),
        ("modules/m/types/port.pp", "# A port.\ntype M::Port = Integer[1, 65535]\n"),
    ])
}

#[test]
fn a_function_of_puppet_needs_no_site() {
    let empty = Site::empty();
    let run = empty.run(&["docs", "functions", "abs"]).expect(0, "");
    assert!(run.stdout.contains("abs(Numeric $val)") && run.stdout.contains("abs(-3)\n      # 3"), "{run:#?}");
    let run = empty.run(&["docs", "types", "Integer"]).expect(0, "");
    assert!(run.stdout.starts_with("Integer  (data type, Puppet)"), "{run:#?}");
    let run = empty.run(&["docs"]).expect(0, "");
    assert!(run.stdout.contains("catwalk docs functions [NAME]"), "{run:#?}");
}

#[test]
fn an_unknown_name_gets_the_nearest_one() {
    let empty = Site::empty();
    let run = empty.run(&["docs", "types", "pakage"]).expect(1, "no type 'pakage'");
    assert!(run.stderr.contains("did you mean 'package'?"), "{run:#?}");
    empty.run(&["docs", "verbs", "x"]).expect(2, "no topic 'verbs'");
}

#[test]
fn definitions_of_the_site_are_listed_and_explained() {
    let site = site();
    let run = site.run(&["docs", "functions"]).expect(0, "");
    for line in ["module m\n", "  m::slug", "  m::twice", "Doubles.", "Shortens."] {
        assert!(run.stdout.contains(line), "{line}: {run:#?}");
    }
    let run = site.run(&["docs", "functions", "m::twice"]).expect(0, "");
    assert!(run.stdout.contains("m::twice(Integer $n) >> Integer"), "{run:#?}");
    let run = site.run(&["docs", "types", "thing"]).expect(0, "");
    assert!(run.stdout.contains("A thing.") && run.stdout.contains("Its name."), "{run:#?}");
    let run = site.run(&["docs", "profile::base"]).expect(0, "");
    assert!(run.stdout.contains("Of the main manifest."), "{run:#?}");
    let run = site.run(&["docs", "datatypes", "M::Port"]).expect(0, "");
    assert!(run.stdout.contains("M::Port = Integer[1, 65535]"), "{run:#?}");
    site.run(&["docs", "functions", "m::twice", "--builtin"]).expect(1, "no function 'm::twice'");
}

#[test]
fn pages_come_as_json_and_markdown() {
    let site = site();
    let run = site.run(&["docs", "types", "file", "--format", "json"]).expect(0, "");
    let pages: serde_json::Value = serde_json::from_str(&run.stdout).unwrap();
    assert_eq!(pages[0]["attributes"][0]["kind"], "namevar");
    let run = site.run(&["docs", "functions", "m::twice", "--format", "markdown"]).expect(0, "");
    assert!(run.stdout.starts_with("## m::twice\n"), "{run:#?}");
}
