//! Catalogs that are large enough to be written by several threads, and sites that are read ahead: the same as without.

use std::sync::Arc;

use catwalk::session::Options;
use catwalk::session::Session;
use catwalk::wire::native;
use catwalk::world::Disk;

use crate::support::Site;

const MANY: &str = "
  notify { 'first': message => \"lines\\n\\tand \\u{1F600}\", tag => ['a'] }
  Integer[1, 1200].each |$n| { notify { \"n${n}\": message => {'n' => $n, 'deep' => [[], {}, undef]}, require => Notify['first'] } }
";

fn catalog(site: &Site, code: Option<&str>) -> catwalk::catalog::Catalog {
    let options = Options {
        root: Some(site.path().to_owned()),
        code: code.map(str::to_owned),
        unlisted: true,
        ..Options::default()
    };
    let session = Session::open(options, Arc::new(Disk::new())).unwrap();
    catwalk::stack::with_large(|| session.compile("n")).unwrap().result.unwrap()
}

#[test]
fn a_large_catalog_is_written_as_a_small_one() {
    let site = Site::new(&[("site.pp", ""), ("nodes/n.json", "{}")]);
    let catalog = catalog(&site, Some(MANY));
    assert!(catalog.resources.len() > 1_200, "{}", catalog.resources.len());
    let whole = serde_json::to_string_pretty(&native::document(&catalog).unwrap()).unwrap();
    assert!(whole.contains("\"deep\""));
    assert_eq!(native::write(&catalog).unwrap(), whole + "\n");
}

/// Files that the main manifest names, but no compile reaches, may be as broken as they like.
#[test]
fn what_is_only_read_ahead_changes_nothing() {
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
        let document = native::document(&catalog).unwrap();
        let parameters = |title: &str| {
            let all = document["resources"].as_array().unwrap();
            all.iter().find(|resource| resource["title"] == title).map(|found| found["parameters"].clone())
        };
        assert_eq!(parameters("d x"), Some(serde_json::json!({"message": "2"})));
        assert_eq!(parameters("z"), None);
    }
}
