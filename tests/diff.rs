//! `catwalk diff`: revisions of a real repository, and environments.

mod saved_catalogs;

use std::process::Command;

use crate::support::Run;
use crate::support::Site;

/// Runs git in the site; fails if git fails.
pub(crate) fn git(site: &Site, args: &[&str]) -> String {
    let mut command = Command::new("git");
    command.args(["-c", "user.name=Ann", "-c", "user.email=ann@example.com", "-c", "init.defaultBranch=main"]);
    command.args(["-c", "protocol.file.allow=always", "-c", "commit.gpgsign=false"]);
    command.args(args).current_dir(site.path());
    command.env("GIT_CONFIG_GLOBAL", "/dev/null").env("GIT_CONFIG_SYSTEM", "/dev/null");
    let output = command.output().expect("git is installed");
    assert!(output.status.success(), "git {args:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8_lossy(&output.stdout).trim().to_owned()
}

pub(crate) fn commit(site: &Site, message: &str) {
    git(site, &["add", "-A"]);
    git(site, &["commit", "-q", "--allow-empty", "-m", message]);
}

const INIT: &str = "class web {\n  file { '/etc/web.conf': content => epp('web/web.epp') }\n  \
    file { '/etc/static': source => 'puppet:///modules/web/static' }\n}\n";

/// Three web servers and a database in one commit.
fn site() -> Site {
    let site = Site::new(&[
        (".gitignore", "vendor/\n"),
        ("nodes/web1.example.com.json", "{}"),
        ("nodes/web2.example.com.json", "{}"),
        ("nodes/web3.example.com.json", "{}"),
        ("nodes/db1.example.com.json", "{}"),
        ("site.pp", "node /^web/ { include web }\nnode /^db/ { include db }\n"),
        ("hiera.yaml", "version: 5\nhierarchy:\n  - name: node\n    path: \"%{trusted.certname}.yaml\"\n"),
        ("data/web1.example.com.yaml", "unused: 1\n"),
        ("modules/web/manifests/init.pp", INIT),
        ("modules/web/templates/web.epp", "listen 80\nname <%= $trusted['certname'] ? { default => 'web' } %>\n"),
        ("modules/web/files/static", "one\ntwo\n"),
        ("modules/db/manifests/init.pp", "class db($size = 1) { notify { \"size ${size}\": } }\n"),
    ]);
    git(&site, &["init", "-q"]);
    commit(&site, "first");
    site
}

fn expect_differences(run: Run, output: &[&str]) -> Run {
    assert_eq!(run.code, Some(1), "{run:#?}");
    for text in output {
        assert!(run.stdout.contains(text), "'{text}' is not in stdout of {run:#?}");
    }
    run
}

fn expect_no_difference(run: &Run) {
    assert_eq!(run.code, Some(0), "{run:#?}");
}

#[test]
fn equal_revisions_have_no_differences() {
    let site = site();
    let run = site.run(&["diff"]);
    expect_no_difference(&run);
    assert!(run.stdout.contains("4 nodes: 4 the same (same inputs)"), "{run:#?}");
    // Positions and comments are ignored; the nodes that read the file are recompiled.
    site.write("modules/web/manifests/init.pp", format!("# About.\n\n{INIT}"));
    let run = site.run(&["diff"]);
    expect_no_difference(&run);
    assert!(run.stdout.contains("4 nodes: 4 the same (1 with the same inputs)"), "{run:#?}");
}

#[test]
fn a_change_common_to_several_nodes_is_printed_once_and_first() {
    let site = site();
    site.write("modules/web/templates/web.epp", "listen 81\nname web\n");
    site.write("modules/db/manifests/init.pp", "class db { notify { 'big': } }\n");
    commit(&site, "second");
    let run = expect_differences(site.run(&["diff", "HEAD~1", "HEAD"]), &[]);
    let text = run.stdout.lines().skip(2).collect::<Vec<_>>().join("\n");
    assert_eq!(
        text,
        "
on 3 nodes: web1.example.com, web2.example.com, web3.example.com
  ~ File[/etc/web.conf]  (modules/web/manifests/init.pp:2)
      content:
        - listen 80
        + listen 81
          name web

on db1.example.com:
  + Notify[big]  (modules/db/manifests/init.pp:1)
  - Notify[size 1]  (modules/db/manifests/init.pp:1)
  ~ Class[Db]
      size: 1 => (unset)

4 nodes: 4 differ"
    );
    assert!(run.stdout.starts_with("--- HEAD~1 ("), "{run:#?}");
    // The working tree is not read.
    site.write("site.pp", "fail('broken')\n");
    expect_differences(site.run(&["diff", "HEAD~1", "HEAD", "--nodes", "web*"]), &["3 nodes: 3 differ"]);
    let back =
        expect_differences(site.run(&["diff", "HEAD", "HEAD~1", "--nodes", "db1.example.com"]), &["- Notify[big]"]);
    assert!(!back.stdout.contains("web"), "{back:#?}");
}

#[test]
fn a_git_lfs_pointer_is_compared_as_its_file() {
    let site = site();
    // The output of `printf 'one\ntwo\n' | sha256sum`.
    let digest = "c3f9c8c283a2b1f2f1896f27a01cbe3cddc0c9d93f752e4639035a0f5b36f6e8";
    let pointer = format!("version https://git-lfs.github.com/spec/v1\noid sha256:{digest}\nsize 8\n");
    site.write("modules/web/files/static", pointer);
    commit(&site, "in git lfs");
    site.write("modules/web/files/static", "one\ntwo\n");
    expect_no_difference(&site.run(&["diff", "HEAD"]));
    site.write("modules/web/files/static", "one\n2\n");
    let run = expect_differences(site.run(&["diff", "HEAD"]), &["~ File[/etc/static]"]);
    assert!(run.stdout.contains(&format!("<8 bytes, SHA-256 {}…>", &digest[..16])), "{run:#?}");
}

#[test]
fn files_that_agents_fetch_are_compared() {
    let site = site();
    site.write("modules/web/files/static", "one\n2\n");
    let run = expect_differences(
        site.run(&["diff", "HEAD"]),
        &["(source):", "- two", "+ 2", "4 nodes: 3 differ, 1 the same (same"],
    );
    assert!(run.stdout.contains("~ File[/etc/static]"), "{run:#?}");
    // A directory in place of a file, and files in it.
    site.remove("modules/web/files/static");
    site.write("modules/web/files/static/a", "a\n");
    commit(&site, "a directory");
    site.write("modules/web/files/static/a", [0xff, 0xfe]);
    site.write("modules/web/files/static/sub/b", "b\n");
    expect_differences(
        site.run(&["diff"]),
        &["(source) a:\n        - a\n        + <2 bytes, SHA-256", "(source) sub/b"],
    );
}

#[test]
fn errors_are_part_of_the_difference() {
    let site = site();
    site.write("modules/db/manifests/init.pp", "class db { fail('no space') }\n");
    let run = expect_differences(site.run(&["diff"]), &["no longer compiles on 1 node: db1.example.com", "no space"]);
    assert!(run.stdout.contains("4 nodes: 1 no longer compiles, 3 the same"), "{run:#?}");
    commit(&site, "broken");
    let run = site.run(&["diff"]);
    expect_no_difference(&run);
    assert!(run.stdout.contains("fails on both sides on 1 node"), "{run:#?}");
    // An error whose line moved has not changed.
    site.write("modules/db/manifests/init.pp", "class db {\n  fail('no space')\n}\n");
    expect_no_difference(&site.run(&["diff"]));
    site.write("modules/db/manifests/init.pp", "class db { fail('no time') }\n");
    expect_differences(site.run(&["diff"]), &["fails with another error", "1 fails otherwise"]);
    site.write("modules/db/manifests/init.pp", "class db { }\n");
    expect_differences(site.run(&["diff"]), &["compiles again on 1 node", "- Evaluation Error", "1 compiles again"]);
    // Nothing could be compared.
    site.write("site.pp", "fail('all')\n");
    commit(&site, "all broken");
    assert_eq!(site.run(&["diff"]).code, Some(2));
}

#[test]
fn a_bare_repository_is_compared_by_its_revisions() {
    let site = site();
    site.write("modules/db/manifests/init.pp", "class db { notify { 'big': } }\n");
    commit(&site, "second");
    git(&site, &["clone", "-q", "--bare", ".", "bare.git"]);
    let bare = |args: &[&str]| {
        let mut command = site.command(&[]);
        let output = command.args(args).current_dir(site.path().join("bare.git")).output().unwrap();
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        (output.status.code(), text(&output.stdout), text(&output.stderr))
    };
    let (code, stdout, stderr) = bare(&["diff", "HEAD~1", "main"]);
    assert_eq!(code, Some(1), "{stderr}");
    assert!(stdout.contains("on db1.example.com:\n  + Notify[big]  (modules/db/manifests/init.pp:1)"), "{stdout}");
    assert!(stdout.contains("4 nodes: 1 differs, 3 the same (same inputs)"), "{stdout}");
    let (code, _, stderr) = bare(&["diff", "HEAD~1"]);
    assert_eq!(code, Some(2));
    assert!(stderr.contains("is a bare repository, without a working tree"), "{stderr}");
    expect_differences(site.run(&["diff", "--site", "bare.git", "HEAD~1", "HEAD"]), &["on db1.example.com"]);
}

#[test]
fn added_and_removed_nodes_are_reported() {
    let site = site();
    site.remove("nodes/web3.example.com.json");
    site.write("nodes/web4.example.com.json", "{}");
    site.write("data/db1.example.com.yaml", "unused: 2\n");
    let run = expect_differences(
        site.run(&["diff"]),
        &["+ node web4.example.com: ", "- node web3.example.com", "1 new, 1 gone"],
    );
    // Added and removed nodes do not affect other nodes; a new data file does.
    assert!(run.stdout.contains("3 the same (2 with the same inputs)"), "{run:#?}");
    let json = site.run(&["diff", "--format", "json"]);
    let document: serde_json::Value = serde_json::from_str(&json.stdout).unwrap();
    assert_eq!(document["removed"], serde_json::json!(["web3.example.com"]));
    assert_eq!(document["added"][0]["node"], "web4.example.com");
    assert_eq!((&document["same"], &document["summary"]["same_inputs"]), (&false.into(), &2.into()));
}

#[test]
fn rules_hide_differences_and_edges_are_printed_on_request() {
    let site = site();
    site.write("modules/web/templates/web.epp", "listen 81\nname web\n");
    site.write("site.pp", "node /^web/ { include web\n Class['web'] -> Notify['x'] notify { 'x': tag => 'y' } }\nnode /^db/ { include db }\n");
    expect_differences(site.run(&["diff"]), &["+ Notify[x]", "~ File[/etc/web.conf]", "~ Class[Web]"]);
    let ignoring =
        ["diff", "--ignore", "File[/etc/*]::content", "--ignore", "Notify[x]", "--ignore", "Class[*]::before"];
    expect_no_difference(&site.run(&ignoring));
    let toml = "modulepath = [\"modules\"]\nmanifest = \"site.pp\"\nnodes = \"nodes\"\n\
        [[ignore]]\ntype = \"notify\"\n[[ignore]]\ntype = \"Class\"\nparameter = \"before\"\n\
        [[redact]]\nparameter = \"content\"\npattern = 'listen \\d+'\n";
    site.write("catwalk.toml", toml);
    expect_no_difference(&site.run(&["diff"]));
    expect_differences(site.run(&["diff", "--no-rules"]), &["+ Notify[x]"]);
    site.run(&["diff", "--ignore", "File"]).expect(2, "a rule must look like");
}

#[test]
fn links_and_directories_above_are_followed_in_revisions() {
    let site = site();
    site.write("shared/motd.epp", "hello\n");
    site.write("shared/mod/manifests/init.pp", "class linked { notify { 'linked': } }\n");
    std::os::unix::fs::symlink("../../../shared/motd.epp", site.path().join("modules/web/templates/motd.epp")).unwrap();
    std::os::unix::fs::symlink("../shared/mod", site.path().join("modules/linked")).unwrap();
    site.write("site.pp", "include linked\nnotify { epp('web/motd.epp'): }\nnotify { file('web/../files/static'): }\n");
    commit(&site, "links");
    site.write("shared/motd.epp", "good bye\n");
    commit(&site, "a linked file");
    let run = expect_differences(site.run(&["diff", "HEAD~1", "HEAD"]), &["on 4 nodes", "+ Notify[good bye␊]"]);
    assert!(!run.stdout.contains("Notify[linked]"), "{run:#?}");
    // The site below the top of the repository.
    let below = Site::empty();
    for (path, text) in [("a/env/site.pp", "notify { 'x': }\n"), ("a/env/nodes/n.json", "{}")] {
        below.write(path, text);
    }
    below.write("a/env/catwalk.toml", "manifest = \"site.pp\"\nnodes = \"nodes\"\n");
    git(&below, &["init", "-q"]);
    commit(&below, "first");
    below.write("a/env/site.pp", "notify { 'y': }\n");
    expect_differences(below.run(&["diff", "--site", "a/env"]), &["+ Notify[y]  (site.pp:1)", "- Notify[x]"]);
}

/// `diff` and snapshots group changes by the same rule: lines that stay as they are may differ from node to node.
#[test]
fn snapshots_are_grouped_as_a_comparison_is() {
    let site = Site::new(&[("nodes/a.json", "{}"), ("nodes/b.json", "{}")]);
    let code = |value: u8| format!("file {{ '/x': content => \"${{trusted['certname']}}\\nvalue {value}\\n\" }}\n");
    site.write("site.pp", code(1));
    site.run(&["test", "--accept"]).expect(0, "");
    git(&site, &["init", "-q"]);
    commit(&site, "first");
    site.write("site.pp", code(2));
    expect_differences(site.run(&["diff"]), &["on 2 nodes: a, b\n  ~ File[/x]"]);
    let run = site.run(&["test"]).expect(1, "");
    assert!(run.stdout.starts_with("2 snapshots: a, b\n  ~ File[/x]"), "{run:#?}");
}

#[test]
fn files_that_a_revision_lacks_are_reported() {
    let site = site();
    git(&site, &["rm", "-q", "-r", "--cached", "catwalk.toml", "nodes"]);
    git(&site, &["commit", "-q", "-m", "facts are kept elsewhere"]);
    site.write("Puppetfile", "mod 'acme/vendored', '1.0.0'\nmod 'acme/unneeded', '1.0.0'\nmod 'acme-web'\n");
    site.write("catwalk.toml", "modulepath = [\"modules\", \"vendor\"]\nmanifest = \"site.pp\"\nnodes = \"nodes\"\n");
    site.write("vendor/vendored/manifests/init.pp", "class vendored { notify { 'vendored': } }\n");
    site.write("site.pp", "include vendored\n");
    git(&site, &["add", "Puppetfile", "site.pp"]);
    git(&site, &["commit", "-q", "-m", "uses a module"]);
    let run = expect_differences(site.run(&["diff"]), &["compiles again on 4 nodes"]);
    for note in [
        "has no catwalk.toml: that of the working tree is used",
        "has no nodes (`nodes`): that of the working tree is used",
        "does not have modules that its Puppetfile names: vendored; --modules-from-worktree takes",
    ] {
        assert!(run.stderr.contains(note), "{run:#?}");
    }
    let run = site.run(&["diff", "--modules-from-worktree"]);
    expect_no_difference(&run);
    assert!(!run.stderr.contains("Puppetfile"), "{run:#?}");
    site.run(&["diff", "no-such-revision"]).expect(2, "no such revision in SITE: no-such-revision");
    site.run(&["diff", "--nodes", "web9.example.com"]).expect(2, "no node is called 'web9.example.com' on either side");
    site.run(&["diff", "HEAD", "--record", "tape"]).expect(2, "not supported yet");
    let other = Site::new(&[("nodes/a.json", "{}"), ("site.pp", "")]);
    other.run(&["diff"]).expect(2, "is in no git work tree");
}

#[test]
fn submodules_are_read_from_their_own_repositories() {
    let module = Site::empty();
    module.write("manifests/init.pp", "class sub { notify { 'one': } }\n");
    git(&module, &["init", "-q"]);
    commit(&module, "one");
    let site = site();
    git(&site, &["submodule", "--quiet", "add", module.path().to_str().unwrap(), "modules/sub"]);
    site.write("site.pp", "include sub\n");
    commit(&site, "a submodule");
    module.write("manifests/init.pp", "class sub { notify { 'two': } }\n");
    commit(&module, "two");
    git(&site, &["submodule", "--quiet", "update", "--remote"]);
    commit(&site, "its next version");
    expect_differences(site.run(&["diff", "HEAD~1", "HEAD"]), &["on 4 nodes", "+ Notify[two]", "- Notify[one]"]);
    expect_no_difference(&site.run(&["diff"]));
    // A clone that has not fetched the submodule does not contain its files.
    let clone = Site::empty();
    git(&clone, &["clone", "-q", site.path().to_str().unwrap(), "here"]);
    let run = clone.run(&["diff", "HEAD~1", "HEAD", "--site", "here"]);
    assert!(run.stderr.contains("the submodule modules/sub is missing: it was never checked out here"), "{run:#?}");
    assert_eq!(run.code, Some(2), "{run:#?}");
}

#[test]
fn programs_of_another_revision_are_not_run() {
    use std::os::unix::fs::PermissionsExt;
    let site = site();
    let script = |text: &str| {
        site.write("enc.sh", text);
        let mode = std::fs::Permissions::from_mode(0o755);
        std::fs::set_permissions(site.path().join("enc.sh"), mode).unwrap();
    };
    site.write(
        "catwalk.toml",
        "modulepath = [\"modules\"]\nmanifest = \"site.pp\"\nnodes = \"nodes\"\nenc = \"enc.sh\"\n",
    );
    script("#!/bin/sh\necho 'classes: []'\n");
    commit(&site, "a classifier");
    let run = site.run(&["diff"]);
    expect_no_difference(&run);
    // The output of a process may differ.
    assert!(run.stdout.contains("4 nodes: 4 the same\n"), "{run:#?}");
    script("#!/bin/sh\necho 'classes: [db]'\n");
    expect_differences(site.run(&["diff"]), &["programs run from the work tree"]);
}

#[test]
fn environments_are_compared() {
    let site = Site::empty();
    site.write("production/environment.conf", "modulepath = modules\n");
    site.write("testing/environment.conf", "modulepath = modules\n");
    site.write("production/manifests/site.pp", "notify { 'a': }\n");
    site.write("testing/manifests/site.pp", "notify { 'b': }\n");
    site.write("production/catwalk.toml", "nodes = \"../nodes\"\n");
    site.write("nodes/n1.json", "{}");
    site.write("nodes/n2.json", "{}");
    for from in [".", "production"] {
        let run = site.run(&["diff", "--site", from, "--environment", "production", "testing"]);
        let run =
            expect_differences(run, &["--- environment production\n+++ environment testing\n", "on 2 nodes: n1, n2"]);
        // Positions are relative to the directory of each side.
        for line in ["+ Notify[b]  (manifests/site.pp:1)", "- Notify[a]  (manifests/site.pp:1)"] {
            assert!(run.stdout.contains(line), "{run:#?}");
        }
    }
}

#[test]
fn differences_are_printed_as_a_comment_for_a_pull_request() {
    let site = site();
    site.write("modules/web/templates/web.epp", "listen 81\n```\nname web\n");
    site.write("modules/db/manifests/init.pp", "class db { fail('no') }\n");
    let run =
        expect_differences(site.run(&["diff", "--format", "markdown"]), &["### Catalogs: `HEAD", "→ `working tree`"]);
    for part in [
        "4 nodes: 3 differ, 1 no longer compiles\n",
        "\n**No longer compiles on db1.example.com**\n\n```diff\n+ Evaluation Error",
        "\n**On 3 nodes: web1.example.com, web2.example.com, web3.example.com**\n\n````diff\n",
        "\n-       listen 80\n+       listen 81\n+       ```\n",
    ] {
        assert!(run.stdout.contains(part), "'{part}' is not in {run:#?}");
    }
}

#[test]
fn exported_resources_are_part_of_both_sides() {
    let site = site();
    site.write("site.pp", "@@notify { $trusted['certname']: }\nif $trusted['hostname'] == 'db1' { Notify <<| |>> }\n");
    commit(&site, "collected");
    let args = ["diff", "--exported", "site"];
    expect_no_difference(&site.run(&args));
    site.write("nodes/web9.example.com.json", "{}");
    expect_differences(
        site.run(&args),
        &["on db1.example.com:", "+ Notify[web9.example.com]", "+ node web9.example.com"],
    );
}
