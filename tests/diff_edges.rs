//! Edges in diffs of revisions, of saved catalogs and of two files: their types, origins and locations.

use std::collections::BTreeSet;

use serde_json::Value as Json;

use crate::diff::commit;
use crate::diff::git;
use crate::support::Site;

/// A change of `site.pp` and the edges that `catwalk diff` prints for it, each with its members `relationship` and `origin` in JSON.
struct Case {
    before: &'static str,
    after: &'static str,
    edges: &'static [(&'static str, &'static str, &'static str)],
}

const CASES: [Case; 11] = [
    Case {
        before: "notify { 'a': }\nnotify { 'b': }\n",
        after: "notify { 'a': }\nnotify { 'b':\n  require => Notify['a'],\n}\n",
        edges: &[("+ Notify[a] before Notify[b]: 'require' of Notify[b]  (site.pp:3)", "require", "metaparameter")],
    },
    Case {
        before: "notify { 'a': }\nnotify { 'b': }\n",
        after: "notify { 'a': before => Notify['b'] }\nnotify { 'b': }\n",
        edges: &[("+ Notify[a] before Notify[b]: 'before' of Notify[a]  (site.pp:1)", "before", "metaparameter")],
    },
    Case {
        before: "notify { 'a': notify => Notify['b'] }\nnotify { 'b': }\n",
        after: "\nnotify { 'a': }\nnotify { 'b': subscribe => [Notify['a']] }\n",
        edges: &[
            ("+ Notify[a] notifies Notify[b]: 'subscribe' of Notify[b]  (site.pp:3)", "subscribe", "metaparameter"),
            ("- Notify[a] notifies Notify[b]: 'notify' of Notify[a]  (site.pp:1)", "notify", "metaparameter"),
        ],
    },
    Case {
        before: "notify { 'a': }\nnotify { 'b': }\nnotify { 'c': }\n",
        after: "notify { 'a': }\nnotify { 'b': }\nnotify { 'c': }\nNotify['a'] -> Notify['b']\n  ~> Notify['c']\n",
        edges: &[
            ("+ Notify[a] before Notify[b]: an arrow  (site.pp:4)", "before", "arrow"),
            ("+ Notify[b] notifies Notify[c]: an arrow  (site.pp:5)", "notify", "arrow"),
        ],
    },
    Case {
        before: "notify { 'a': }\nnotify { 'b': }\n\n\nNotify['a'] -> Notify['b']\n",
        after: "notify { 'a': }\nnotify { 'b': }\n",
        edges: &[("- Notify[a] before Notify[b]: an arrow  (site.pp:5)", "before", "arrow")],
    },
    Case {
        before: "class c {}\nclass d {}\ninclude c, d\n",
        after: "class c {}\nclass d {\n  require c\n}\ninclude c, d\n",
        edges: &[("+ Class[C] before Class[D]: the function require  (site.pp:3)", "require", "require function")],
    },
    Case {
        before: "class c { notify { 'a': tag => ['c', 'd'] } }\nclass d {}\ninclude c, d\n",
        after: "class c {}\nclass d {\n  notify { 'a': tag => ['c', 'd'] }\n}\ninclude c, d\n",
        edges: &[
            ("+ Class[D] contains Notify[a]  (site.pp:3)", "contains", "containment"),
            ("- Class[C] contains Notify[a]  (site.pp:1)", "contains", "containment"),
        ],
    },
    // Edges of a new resource are not listed.
    Case {
        before: "notify { 'a': }\n",
        after: "notify { 'a': require => Notify['b'] }\nnotify { 'b': }\n",
        edges: &[],
    },
    Case {
        before: "notify { 'a': require => Notify['b'] }\nnotify { 'b': }\nnotify { 'c': }\n",
        after: "notify { 'a': require => [Notify['c'], Notify['b']] }\nnotify { 'b': }\nnotify { 'c': }\n",
        edges: &[("+ Notify[c] before Notify[a]: 'require' of Notify[a]  (site.pp:1)", "require", "metaparameter")],
    },
    // Only the origin of the edge has changed.
    Case {
        before: "notify { 'a': before => Notify['b'] }\nnotify { 'b': }\n",
        after: "notify { 'a': }\n-> notify { 'b': }\n",
        edges: &[],
    },
    // A collector's override.
    Case {
        before: "notify { 'a': }\nnotify { 'b': }\nnotify { 'c': }\n",
        after: "notify { 'a': }\nnotify { 'b': }\nnotify { 'c': }\nNotify <| title == 'b' |> {\n  require => Notify['a'],\n}\n",
        edges: &[("+ Notify[a] before Notify[b]: 'require' of Notify[b]  (site.pp:5)", "require", "metaparameter")],
    },
];

/// The lines of edges in what a command printed.
fn lines(printed: &str) -> BTreeSet<String> {
    let edges = printed.lines().map(str::trim).filter(|line| line.starts_with(['+', '-']));
    edges
        .filter(|line| ["before", "notifies", "contains"].iter().any(|verb| line.contains(verb)))
        .map(str::to_owned)
        .collect()
}

/// `+ SOURCE relationship TARGET origin place` of the edges in a JSON document.
fn members(printed: &str) -> BTreeSet<String> {
    let document: Json = serde_json::from_str(printed).unwrap();
    let changes = document["groups"].as_array().unwrap().iter().flat_map(|group| group["changes"].as_array().unwrap());
    let edge = |change: &Json| {
        let sign = match change["kind"].as_str()? {
            "edge_added" => '+',
            "edge_removed" => '-',
            _ => return None,
        };
        let text = |name: &str| change["edge"][name].as_str().unwrap_or("null").to_owned();
        let all = ["source", "relationship", "target", "origin", "place"].map(text);
        Some(format!("{sign} {}", all.join(" ")))
    };
    changes.filter_map(edge).collect()
}

/// The JSON members of an expected edge, formatted as by [`members`].
fn expected_members((line, relationship, origin): &(&str, &str, &str)) -> String {
    let (edge, place) = line.strip_suffix(')').unwrap().rsplit_once("  (").unwrap();
    let edge = edge.split(": ").next().unwrap();
    let words: Vec<&str> = edge.split(' ').collect();
    format!("{} {} {relationship} {} {origin} {place}", words[0], words[1], words[3])
}

/// A line without its location, as a catalog from a file has it: an arrow is a parameter of a resource there.
fn in_files((line, relationship, _): &(&str, &str, &str)) -> String {
    let (edge, _) = line.rsplit_once("  (").unwrap();
    let edge = edge.split(": ").next().unwrap();
    let words: Vec<&str> = edge.split(' ').collect();
    match *relationship {
        "contains" => edge.to_owned(),
        "before" | "notify" => format!("{edge}: '{relationship}' of {}", words[1]),
        _ => format!("{edge}: '{relationship}' of {}", words[3]),
    }
}

fn without_places(lines: BTreeSet<String>) -> BTreeSet<String> {
    lines.into_iter().map(|line| line.split("  (").next().unwrap_or_default().to_owned()).collect()
}

#[test]
fn edges_have_types_origins_and_locations() {
    let mut problems = Vec::new();
    for Case { before, after, edges } in &CASES {
        let site = Site::new(&[("nodes/web1.json", "{}"), ("site.pp", before)]);
        git(&site, &["init", "-q"]);
        commit(&site, "before");
        let mut check = |what: &str, expected: BTreeSet<String>, found: BTreeSet<String>| {
            if expected != found {
                problems.push(format!("{what} of {before:?} and {after:?}: expected {expected:#?}, found {found:#?}"));
            }
        };
        let shown: BTreeSet<String> = edges.iter().map(|(line, ..)| (*line).to_owned()).collect();
        for format in ["native", "wire9"] {
            site.run(&["compile", "web1", "--format", format, "-o", &format!("{format}-old.json")]).expect(0, "");
        }
        site.write("site.pp", after);
        check("diff", shown.clone(), lines(&site.run(&["diff", "--edges", "all"]).stdout));
        let markdown = site.run(&["diff", "--edges", "all", "--format", "markdown"]).stdout;
        check("markdown", shown, lines(&markdown).into_iter().map(|line| line.replacen("    ", " ", 1)).collect());
        let json = site.run(&["diff", "--format", "json"]).stdout;
        check("json", edges.iter().map(expected_members).collect(), members(&json));
        let known: BTreeSet<String> = edges.iter().map(in_files).collect();
        for format in ["native", "wire9"] {
            let (old, new) = (format!("{format}-old.json"), format!("{format}-new.json"));
            site.run(&["compile", "web1", "--format", format, "-o", &new]).expect(0, "");
            let printed = site.run(&["catalog", "diff", &old, &new]).stdout;
            check(&format!("catalog diff ({format})"), known.clone(), without_places(lines(&printed)));
            // Only the compiled side has origins.
            let printed = site.run(&["diff", "--against", &old, "--nodes", "web1", "--edges", "all"]).stdout;
            let side = |edge: &(&str, &str, &str)| match edge.0.starts_with('+') {
                true => edge.0.split("  (").next().unwrap_or_default().to_owned(),
                false => in_files(edge),
            };
            check(&format!("against ({format})"), edges.iter().map(side).collect(), without_places(lines(&printed)));
        }
    }
    assert!(problems.is_empty(), "{}", problems.join("\n"));
}

/// Titles are printed without secrets; relationships keep their origins.
#[test]
fn edges_of_titles_with_secrets_have_origins_and_hide_them() {
    let declared =
        "notify { 'a': }\nnotify { \"b ${s.unwrap}\": }\nclass c {\n  CONTENT\n}\nclass d {}\ninclude c, d\n";
    let secret = |content: &str| format!("$s = Sensitive('confidential')\n{}", declared.replace("CONTENT", content));
    let site = Site::new(&[("nodes/web1.json", "{}"), ("site.pp", &secret(""))]);
    git(&site, &["init", "-q"]);
    commit(&site, "before");
    site.write("site.pp", secret("") + "Notify['a'] ~> Notify[\"b ${s.unwrap}\"]\n");
    let json = site.run(&["diff", "--format", "json"]).stdout;
    let found = members(&json);
    let found: Vec<&String> = found.iter().collect();
    assert!(matches!(found.as_slice(), [one] if one.ends_with(" arrow site.pp:9")), "{found:?}");
    assert!(!json.contains("confidential"), "{json}");
    let human = site.run(&["diff"]).stdout;
    assert!(human.contains("]: an arrow  (site.pp:9)") && !human.contains("confidential"), "{human}");
    // A secret of one catalog is printed in neither.
    let moved = |secret: &str, c: &str, d: &str| {
        format!("$s = {secret}\nclass c {{ {c} }}\nclass d {{ {d} }}\ninclude c, d\nuser {{ 'u': password => $s }}\n")
    };
    let (sensitive, resource) = ("Sensitive('confidential')", "notify { 'of confidential': tag => ['x'] }");
    for (before, after) in [(sensitive, "'open'"), ("'open'", sensitive)] {
        site.write("site.pp", moved(before, resource, ""));
        commit(&site, "moved");
        site.write("site.pp", moved(after, "", resource));
        let printed = site.run(&["diff"]).stdout;
        assert!(
            printed.contains("Class[D] contains Notify[of <Sensitive") && !printed.contains("confidential"),
            "{printed}"
        );
    }
}

#[test]
fn a_file_has_the_location_of_the_resource_with_the_parameter() {
    let site = Site::new(&[("nodes/web1.json", "{}"), ("site.pp", "notify { 'a': }\nnotify { 'b': }\n")]);
    for format in ["native", "wire9"] {
        site.write("site.pp", "notify { 'a': }\nnotify { 'b': }\n");
        site.run(&["compile", "web1", "--format", format, "-o", "old.json"]).expect(0, "");
        site.write("site.pp", "notify { 'a': }\nnotify { 'b': }\nNotify['a'] -> Notify['b']\n");
        site.run(&["compile", "web1", "--format", format, "-o", "new.json"]).expect(0, "");
        let printed = site.run(&["catalog", "diff", "old.json", "new.json"]).stdout;
        assert!(
            printed.contains("+ Notify[a] before Notify[b]: 'before' of Notify[a]  (SITE/site.pp:1)\n"),
            "{printed}"
        );
    }
}
