//! `catwalk watch`: an edit shows its diff, an error keeps the last good catalog, fixing it recovers.

use std::io::BufRead;
use std::io::BufReader;
use std::process::Child;
use std::process::Stdio;
use std::sync::mpsc;
use std::time::Duration;

use crate::support::Site;

struct Watching {
    child: Child,
    lines: mpsc::Receiver<String>,
}

impl Watching {
    fn start(site: &Site, args: &[&str]) -> Watching {
        let mut child = site.command(args).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
        let stdout = child.stdout.take().unwrap();
        let (sender, lines) = mpsc::channel();
        std::thread::spawn(move || {
            for line in BufReader::new(stdout).lines().map_while(Result::ok) {
                if sender.send(line).is_err() {
                    return;
                }
            }
        });
        Watching { child, lines }
    }

    /// All lines up to the end of one round.
    fn round(&self) -> String {
        let mut text = String::new();
        loop {
            let line = self.lines.recv_timeout(Duration::from_secs(20)).expect(&text);
            if line.starts_with("-- ") {
                // The watches are set right after the line was printed.
                std::thread::sleep(Duration::from_millis(150));
                return text;
            }
            text.push_str(&line);
            text.push('\n');
        }
    }
}

impl Drop for Watching {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn site() -> Site {
    Site::new(&[
        ("nodes/web1.example.com.json", "{}"),
        ("nodes/web2.example.com.json", "{}"),
        ("site.pp", "include web\nif $trusted['hostname'] == 'web2' { include extra }\n"),
        ("modules/web/manifests/init.pp", "class web { file { '/a': content => epp('web/a.epp'), } }\n"),
        ("modules/web/templates/a.epp", "one\ntwo\n"),
        ("modules/extra/manifests/init.pp", "class extra { notify { 'extra': } }\n"),
    ])
}

fn edits(args: &[&str]) {
    let site = site();
    let watching = Watching::start(&site, args);
    let first = watching.round();
    assert!(first.contains("web1.example.com: "), "{first}");

    site.write("modules/web/templates/a.epp", "one\n2\n");
    let text = watching.round();
    assert!(text.contains("~ File[/a]"), "{text}");
    assert!(text.contains("- two") && text.contains("+ 2"), "{text}");
    assert!(text.contains("web2.example.com: 0 added, 0 removed, 1 changed"), "{text}");

    // Only the node that read the file is compiled again.
    site.write("modules/extra/manifests/init.pp", "class extra { notify { 'more': } }\n");
    let text = watching.round();
    assert!(!text.contains("web1"), "{text}");
    assert!(text.contains("+ Notify[more]") && text.contains("- Notify[extra]"), "{text}");

    site.write("modules/web/manifests/init.pp", "class web { file { '/a' } }\n");
    let text = watching.round();
    assert!(text.contains("web1.example.com: does not compile; its last good catalog is kept"), "{text}");

    site.write(
        "modules/web/manifests/init.pp",
        "class web { file { '/a': content => epp('web/a.epp'), mode => '0600', } }\n",
    );
    let text = watching.round();
    assert!(text.contains("mode: (unset) => \"0600\""), "{text}");

    // A file that was looked for and is not there.
    site.write("site.pp", "include web\nif defined('late') { include late }\n");
    watching.round();
    site.write("modules/late/manifests/init.pp", "class late { notify { 'late': } }\n");
    let mut text = watching.round();
    while !text.contains("+ Notify[late]") {
        text = watching.round();
    }

    site.write("nodes/web3.example.com.json", "{}");
    let text = watching.round();
    assert!(text.contains("web3.example.com: "), "{text}");
    site.remove("nodes/web3.example.com.json");
    let text = watching.round();
    assert!(text.contains("web3.example.com: removed"), "{text}");
}

#[test]
fn an_edit_shows_what_it_changes() {
    edits(&["watch"]);
}

#[test]
fn polling_sees_the_same() {
    edits(&["watch", "--poll", "50"]);
}

#[test]
fn an_edit_of_groups_classifies_again() {
    let toml =
        "modulepath = [\"modules\"]\nmanifest = \"site.pp\"\nnodes = \"nodes\"\n[classifier]\ngroups = \"groups\"\n";
    let group = |port: u32| {
        "- {name: Web, rule: [\"~\", name, \"^web\"], classes: {web: {port: PORT}}}\n"
            .replace("PORT", &port.to_string())
    };
    let site = Site::new(&[
        ("catwalk.toml", toml),
        ("nodes/web1.json", "{}"),
        ("groups/a.yaml", &group(80)),
        ("site.pp", "class web($port) { notify { 'web': message => $port } }\nclass more { notify { 'more': } }\n"),
    ]);
    let watching = Watching::start(&site, &["watch", "--poll", "50"]);
    watching.round();
    site.write("groups/a.yaml", group(81));
    let text = watching.round();
    assert!(text.contains("80 => 81"), "{text}");
    // A file that is new in the directory.
    site.write("groups/b.rhai", "group(\"More\", #{ rule: |node| true, classes: #{ more: #{} } });\n");
    let text = watching.round();
    assert!(text.contains("+ Notify[more]"), "{text}");
    site.write("groups/b.rhai", "group(\"More\", #{ rule: [\"and\"] });\n");
    let text = watching.round();
    assert!(text.contains("web1: does not compile"), "{text}");
}
