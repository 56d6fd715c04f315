//! `catwalk diff` with saved catalogs on the old side: directories, single files, and PuppetDB's responses on a tape.

use serde_json::Value;
use serde_json::json;

use super::commit;
use super::expect_differences;
use super::expect_no_difference;
use crate::support::Site;

/// The site of the other comparisons, with edges, tags, an alias and a Sensitive parameter in the catalog of the database.
fn site() -> Site {
    let site = super::site();
    site.write(
        "modules/db/manifests/init.pp",
        "class db { file { '/d/': ensure => directory, require => Notify['a'] }\n notify { 'a': before => [Exec['b']] }\n \
         exec { 'b': command => '/bin/b', alias => 'c', tag => ['x', 'y'], environment => Sensitive('k=v') } }\n",
    );
    site
}

/// Saves the catalogs of all nodes in the directory `saved`.
fn save(site: &Site, format: &str) {
    let run = site.run(&["compile", "--format", format, "-o", "saved/"]);
    assert_eq!(run.code, Some(0), "{run:#?}");
}

/// Changes the catalog of the database.
fn edit(site: &Site) {
    site.write(
        "modules/db/manifests/init.pp",
        "class db { notify { 'a': before => Exec['b'] } exec { 'b': command => '/bin/c' } }\n",
    );
}

#[test]
fn catalogs_in_a_directory_are_compared_in_either_format() {
    let site = site();
    for format in ["native", "wire4"] {
        save(&site, format);
        expect_no_difference(&site.run(&["diff", "--against", "saved"]));
    }
    edit(&site);
    let run = expect_differences(
        site.run(&["diff", "--against", "saved"]),
        &["on db1.example.com:", "- File[/d/]", "command: "],
    );
    assert!(run.stdout.contains("3 the same"), "{run:#?}");
    site.write("saved/db1.example.com.json", "{}");
    expect_differences(
        site.run(&["diff", "--against", "saved"]),
        &["the saved catalog of db1.example.com: not a catalog"],
    );
    site.run(&["diff", "--against", "nowhere"]).expect(2, "no such file or directory: SITE/nowhere");
}

#[test]
fn saved_catalogs_are_compared_with_a_revision_or_one_by_one() {
    let site = site();
    save(&site, "wire4");
    edit(&site);
    commit(&site, "less");
    let text = std::fs::read_to_string(site.path().join("saved/db1.example.com.json")).unwrap();
    site.write("saved/gone.example.com.json", text);
    expect_differences(site.run(&["diff", "HEAD", "--against", "saved"]), &["- node gone.example.com"]);
    expect_differences(
        site.run(&["diff", "--against", "saved/db1.example.com.json", "--nodes", "db1.example.com"]),
        &["- File[/d/]"],
    );
    // The name of a file in an archive that PuppetDB exports.
    let exported = "db1.example.com-b1f993dd750d31a3e94b976aa50a979b77957f89.json";
    let saved = site.path().join("saved");
    std::fs::rename(saved.join("db1.example.com.json"), saved.join(exported)).unwrap();
    let run =
        expect_differences(site.run(&["diff", "HEAD", "--against", "saved"]), &["on db1.example.com:", "- File[/d/]"]);
    assert!(!run.stdout.contains("db1.example.com-"), "{run:#?}");
}

/// A catalog in wire format 4 in the form of PuppetDB's responses to queries.
fn response_of_puppetdb(mut catalog: Value) -> Value {
    let edge = |edge: &Value| {
        json!({
            "source_type": edge["source"]["type"], "source_title": edge["source"]["title"],
            "target_type": edge["target"]["type"], "target_title": edge["target"]["title"],
            "relationship": edge["relationship"],
        })
    };
    let edges: Vec<Value> = catalog["edges"].as_array().unwrap().iter().map(edge).collect();
    catalog["edges"] = json!({ "data": edges, "href": "/pdb/query/v4/catalogs/db1.example.com/edges" });
    catalog["resources"] = json!({ "data": catalog["resources"], "href": "/pdb" });
    catalog
}

/// Writes a tape on which PuppetDB has a catalog of the database, and none of the first web server.
fn write_tape(site: &Site, catalog: &Value) {
    let query = |certname: &str| json!(["from", "catalogs", ["=", "certname", certname]]);
    let tape = json!({
        "env": { "PUPPETLIB": null }, "time": ["2026-03-01T12:00:00Z"], "random": ["6f1d0c"],
        "puppetdb": [
            { "query": query("db1.example.com"), "answer": [catalog] },
            { "query": query("web1.example.com"), "answer": [] },
        ],
    });
    site.write("tape/common.json", tape.to_string());
}

#[test]
fn catalogs_of_puppetdb_are_compared() {
    let site = site();
    save(&site, "wire4");
    let text = std::fs::read_to_string(site.path().join("saved/db1.example.com.json")).unwrap();
    let mut catalog = response_of_puppetdb(serde_json::from_str(&text).unwrap());
    write_tape(&site, &catalog);
    let diff = |nodes: &str| site.run(&["diff", "--puppetdb", "--replay", "tape", "--nodes", nodes]);
    expect_differences(
        diff("db1.example.com,web1.example.com"),
        &["--- PuppetDB\n", "+ node web1.example.com", "1 new, 1 the same"],
    );
    expect_no_difference(&diff("db*"));
    diff("web2*").expect(2, "no recorded answer");
    diff("web2*,db1*").expect(2, "the catalog of web2.example.com cannot be read from PuppetDB: ");
    site.run(&["diff", "--puppetdb"]).expect(2, "no address of PuppetDB is set");
    // The response if edges were not sent to PuppetDB.
    catalog["edges"] = json!({ "data": null, "href": "/pdb/query/v4/catalogs/db1.example.com/edges" });
    write_tape(&site, &catalog);
    expect_no_difference(&diff("db*"));
}
