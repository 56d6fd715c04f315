//! Catalogs that are large enough to be written by several threads, and sites that are read ahead: the same as without.

use std::sync::Arc;

use catwalk_base::diag::Reason;
use catwalk_catalog::Catalog;
use catwalk_formats::wire::Threads;
use catwalk_formats::wire::canonical;
use catwalk_formats::wire::format;
use catwalk_formats::wire::format::Format;
use catwalk_formats::wire::native;
use catwalk_formats::wire::puppetdb;
use catwalk_formats::wire::puppetdb::Style;
use catwalk_formats::wire::puppetdb::Submission;
use catwalk_formats::wire::puppetdb::Version;
use catwalk_session::Options;
use catwalk_session::Session;
use catwalk_world::Disk;
use serde_json::Value as Json;

use crate::support::Site;

const MANY: &str = "
  notify { 'first': message => \"lines\\n\\tand \\u{1F600}\", tag => ['a'] }
  user { 'u': password => Sensitive('confidential value') }
  notify { 'a confidential value': message => 'with a confidential value in it', require => User['u'] }
  @@notify { 'an exported confidential value': }
  Integer[1, 1200].each |$n| { notify { \"n${n}\": message => {'n' => $n, 'deep' => [[], {}, undef]}, require => Notify['first'] } }
";

fn catalog(site: &Site, code: Option<&str>) -> Catalog {
    let options = Options {
        root: Some(site.path().to_owned()),
        code: code.map(str::to_owned),
        unlisted: true,
        ..Options::default()
    };
    let session = Session::open(options, Arc::new(Disk::new())).unwrap();
    catwalk_base::stack::with_large(|| session.compile("n")).unwrap().result.unwrap()
}

#[test]
fn a_large_catalog_is_written_as_a_small_one() {
    let site = Site::new(&[("site.pp", ""), ("nodes/n.json", "{}")]);
    let catalog = catalog(&site, Some(MANY));
    assert!(catalog.resources.len() > 1_200, "{}", catalog.resources.len());
    let whole = serde_json::to_string_pretty(&native::document(&catalog.for_agent()).unwrap()).unwrap();
    assert!(whole.contains("\"deep\""));
    assert_eq!(native::write(&catalog).unwrap(), whole + "\n");
}

/// The pieces of a catalog.
fn pieces(catalog: &Catalog, format: Format, options: &format::Options, threads: Threads) -> Vec<String> {
    let mut pieces = Vec::new();
    format::write_to::<Reason>(catalog, format, options, threads, &mut |piece| {
        pieces.push(piece);
        Ok(())
    })
    .unwrap();
    pieces
}

/// A format with options, and the catalog in it as a whole document is printed; `None`: nothing prints it as a whole.
type Case = (Format, format::Options, Option<String>);

fn cases(catalog: &Catalog, root: &str) -> Vec<Case> {
    let pretty = |document: &Json| serde_json::to_string_pretty(document).unwrap() + "\n";
    let native = |format: u8, version: Option<&str>| {
        let mut document = native::document(&catalog.for_agent()).unwrap();
        document["catalog_format"] = format.into();
        if let Some(version) = version {
            document["version"] = version.into();
        }
        let resources = document["resources"].as_array_mut().unwrap().iter_mut().filter(|_| format == 1);
        resources.for_each(|resource| drop(resource.as_object_mut().unwrap().shift_remove("kind")));
        document
    };
    let wire = |version: Version, style: Style| {
        pretty(&puppetdb::document(catalog, version, style, &Submission::default()).unwrap())
    };
    let yaml = |document: &Json| {
        let value = catwalk_value::json::from_json(document);
        catwalk_value::ruby::to_yaml(&value, catwalk_value::ruby::YamlOptions::default()).unwrap()
    };
    let options = |style: Style, version: Option<&str>| format::Options {
        style,
        submission: Submission { version: version.map(Into::into), ..Submission::default() },
        root: root.to_owned(),
        ..format::Options::default()
    };
    let plain = || options(Style::Terminus, None);
    let documented = || options(Style::Documented, None);
    let versioned = || options(Style::Terminus, Some("seven"));
    let canonical = canonical::print(&canonical::document(catalog, root).unwrap());
    vec![
        (Format::Native, plain(), Some(pretty(&native(2, None)))),
        (Format::Native, versioned(), Some(pretty(&native(2, Some("seven"))))),
        (Format::Native1, plain(), Some(pretty(&native(1, None)))),
        (Format::Native1, versioned(), Some(pretty(&native(1, Some("seven"))))),
        (Format::Wire(Version::V4), plain(), Some(wire(Version::V4, Style::Terminus))),
        (Format::Wire(Version::V9), plain(), Some(wire(Version::V9, Style::Terminus))),
        (Format::Wire(Version::V4), documented(), Some(wire(Version::V4, Style::Documented))),
        (Format::Wire(Version::V9), documented(), Some(wire(Version::V9, Style::Documented))),
        (Format::Canonical, plain(), Some(canonical)),
        (Format::Yaml, plain(), Some(yaml(&native(2, None)))),
        (Format::Yaml, versioned(), Some(yaml(&native(2, Some("seven"))))),
        (Format::Dot, plain(), None),
    ]
}

#[test]
fn each_format_is_written_in_pieces() {
    let site = Site::new(&[("site.pp", ""), ("nodes/n.json", "{}")]);
    let catalog = catalog(&site, Some(MANY));
    for (format, options, whole) in cases(&catalog, site.path().to_str().unwrap()) {
        let by_all = pieces(&catalog, format, &options, Threads::All);
        let by_one = pieces(&catalog, format, &options, Threads::One);
        let longest = by_one.iter().map(String::len).max().unwrap();
        let total: usize = by_one.iter().map(String::len).sum();
        assert!(longest * 3 < total * 2, "{format:?}: {longest} of {total}");
        assert_eq!(by_all.concat(), by_one.concat(), "{format:?}");
        if let Some(whole) = whole {
            assert_eq!(by_one.concat(), whole, "{format:?}");
        }
    }
}

/// Catalogs of several nodes on stdout are in the order of the nodes, without those that fail.
#[test]
fn catalogs_on_stdout_are_in_the_order_of_the_nodes() {
    let names: Vec<String> = (0..20).map(|number| format!("n{number:02}")).collect();
    let mut files = vec![(
        "site.pp".to_owned(),
        "if $trusted['certname'] == 'n07' { fail('no') }\nnotify { \"of ${trusted['certname']}\": }\n".to_owned(),
    )];
    files.extend(names.iter().map(|name| (format!("nodes/{name}.json"), "{}".to_owned())));
    let files: Vec<(&str, &str)> = files.iter().map(|(name, text)| (name.as_str(), text.as_str())).collect();
    let site = Site::new(&files);
    for format in ["native", "wire9", "yaml", "dot", "canonical"] {
        let run = site.run(&["compile", "--format", format, "-o", "-"]).expect(1, "no");
        let titles = run.stdout.match_indices("of n").map(|(at, _)| &run.stdout[at + 3..at + 6]);
        let mut found: Vec<&str> = titles.collect();
        found.dedup();
        let expected: Vec<&str> = names.iter().map(String::as_str).filter(|name| *name != "n07").collect();
        assert_eq!(found, expected, "{format}");
    }
}

/// Stdout keeps what it has got: a large catalog with a value that has no form in JSON does not begin there, nor in a file.
#[test]
fn a_catalog_that_cannot_be_written_does_not_begin() {
    let code = "Integer[1, 3000].each |$n| { notify { \"n${n}\": } }\nnotify { 'last': message => M::Own }\n";
    let site = Site::new(&[
        ("site.pp", code),
        ("modules/m/types/own.pp", "type M::Own = Array[M::Own]\n"),
        ("nodes/a.json", "{}"),
        ("nodes/b.json", "{}"),
    ]);
    for format in ["native", "native1", "yaml", "canonical"] {
        for nodes in [&["a"][..], &["a", "b"]] {
            let run = site.run(&[&["compile", "--format", format, "-o", "-"], nodes].concat());
            let run = run.expect(1, "Endless recursion detected");
            assert_eq!(run.stdout, "", "{format} of {nodes:?}");
        }
        site.run(&["compile", "a", "--format", format, "-o", "a.json"]).expect(1, "Endless recursion detected");
        assert!(!site.path().join("a.json").exists(), "{format}");
    }
}

/// Files that the main manifest names, but no compile reaches, may be as broken as they like.
#[test]
fn files_that_are_only_read_ahead_change_nothing() {
    let site = Site::new(&[
        ("nodes/n.json", "{}"),
        ("site.pp", "if $facts['never'] { include m::broken } else { include m }"),
        ("modules/m/manifests/init.pp", "class m { m::d { 'x': } if false { m::endless { 'y': } } }"),
        ("modules/m/manifests/d.pp", "define m::d { notify { \"d ${title}\": message => template('m/t.erb') } }"),
        ("modules/m/manifests/endless.pp", "define m::endless { m::endless { 'z': } include m }"),
        ("modules/m/manifests/broken.pp", "class m::broken { notify { "),
        ("modules/m/templates/t.erb", "<%= 1 + 1 %>"),
    ]);
    for _ in 0..20 {
        let catalog = catalog(&site, None);
        let document = native::document(&catalog.for_agent()).unwrap();
        let parameters = |title: &str| {
            let all = document["resources"].as_array().unwrap();
            all.iter().find(|resource| resource["title"] == title).map(|found| found["parameters"].clone())
        };
        assert_eq!(parameters("d x"), Some(serde_json::json!({"message": "2"})));
        assert_eq!(parameters("z"), None);
    }
}
