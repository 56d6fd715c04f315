//! The settings of a submission to PuppetDB: addresses, invalid settings, untrusted sites.

use super::site;
use super::taking;
use crate::support::puppetdb::FakePuppetDb;
use crate::support::puppetdb::Reply;

#[test]
fn puppetdb_conf_names_the_addresses() {
    let (down, server) = (FakePuppetDb::start(|_| Reply::Close), taking());
    let conf = format!("[main]\nserver_urls = {}\nsubmit_only_server_urls = {}\n", down.url, server.url);
    let site = site("conf = \"puppetdb.conf\"\n");
    site.write("puppetdb.conf", &conf);
    site.run(&["compile", "web1", "--submit"]).expect(0, &format!("2 commands submitted to {}", down.url));
    // The address that took the first command is the first for the second.
    assert_eq!((down.requests().len(), server.accepted_commands().len()), (1, 2));
    site.write("puppetdb.conf", format!("{conf}command_broadcast = true\n"));
    let both = FakePuppetDb::start(|_| Reply::accepted());
    site.write("other.conf", format!("[main]\nserver_urls = {}, {}\ncommand_broadcast = true\n", both.url, server.url));
    site.run(&["compile", "web1", "--submit", "--puppetdb-conf", "other.conf"]).expect(0, "2 commands submitted");
    assert_eq!((both.accepted_commands().len(), server.accepted_commands().len()), (2, 4));
    site.write("puppetdb.conf", "[main]\nsecret line\n");
    site.run(&["compile", "web1"]).expect(2, "puppetdb.conf: line 2: neither a section, a setting nor a comment");
    site.remove("puppetdb.conf");
    site.run(&["compile", "web1"]).expect(2, "puppetdb.conf");
}

#[test]
fn wrong_settings_are_errors() {
    let site = site("");
    site.run(&["compile", "--submit"]).expect(2, "no address of PuppetDB is set");
    let elsewhere = ["--puppetdb-url", "http://127.0.0.1:1", "--queue", "site.pp"];
    site.run(&[&["compile", "--submit"], &elsewhere[..]].concat()).expect(1, "SITE/site.pp");
    site.run(&["store", "push"]).expect(2, "no address of PuppetDB is set");
    site.run(&["compile", "web1", "--exported", "puppetdb"]).expect(2, "no address of PuppetDB is set");
    for (setting, why) in [
        ("url = \"puppetdb:8081\"", "an address of PuppetDB begins with https:// or http://, got puppetdb:8081"),
        ("url = \"http://a\"\nconf = \"b\"", "`conf` of [puppetdb] has the addresses"),
        ("timeout = -1", "`timeout` of [puppetdb] must be a number of seconds"),
    ] {
        site.write("catwalk.toml", format!("manifest = \"site.pp\"\n[puppetdb]\n{setting}\n"));
        site.run(&["compile", "web1"]).expect(2, why);
    }
}

#[test]
fn untrusted_code_is_not_submitted() {
    let server = taking();
    let url = format!("url = \"{}\"\nstore = \"s.db\"\n", server.url);
    let site = site(&url);
    site.run(&["compile", "-o", "out/"]).expect(0, "");
    let refused = "catalogs of untrusted code are not submitted";
    site.run(&["compile", "--submit", "-o", "out/", "--untrusted"]).expect(2, refused);
    let push = site.command(&["store", "push"]).env("CATWALK_UNTRUSTED", "1").output().unwrap();
    assert!(String::from_utf8_lossy(&push.stderr).contains(refused), "{push:?}");
    site.write(
        "catwalk.toml",
        format!("untrusted = true\nnodes = \"nodes\"\nmanifest = \"site.pp\"\n[puppetdb]\n{url}"),
    );
    site.run(&["compile", "--submit", "-o", "out/"]).expect(2, refused);
    site.run(&["store", "push"]).expect(2, refused);
    site.write("site.pp", "Notify <<| |>>\n");
    site.run(&["compile", "web1", "--exported", "puppetdb"]).expect(1, "untrusted code may not use the network");
    for key in ["conf", "queue"] {
        let toml = format!("untrusted = true\nmanifest = \"site.pp\"\n[puppetdb]\n{key} = \"/etc/passwd\"\n");
        site.write("catwalk.toml", toml);
        site.run(&["compile", "web1"]).expect(2, &format!("may not read outside of the site: /etc/passwd (`{key}` in"));
    }
    assert_eq!(server.requests().len(), 0);
}
