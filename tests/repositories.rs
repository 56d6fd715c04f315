//! Repositories as they are: control repositories with a `metadata.json`, modules with files of environments, plans, files that git ignores,
//! scripts that work only on a server.

use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::Command;
use std::process::Output;

use serde_json::Value;

use crate::support::Site;

/// The directory of a repository, without a `catwalk.toml` that nobody wrote.
fn repository(files: &[(&str, &str)]) -> Site {
    let site = Site::empty();
    files.iter().for_each(|(path, text)| site.write(path, text));
    site
}

fn titles(catalog: &str) -> Vec<String> {
    let catalog: Value = serde_json::from_str(catalog).unwrap_or_else(|error| panic!("{catalog}: {error}"));
    let resources = catalog["resources"].as_array().unwrap();
    let notices = resources.iter().filter(|resource| resource["type"] == "Notify");
    notices.map(|resource| resource["title"].as_str().unwrap().to_owned()).collect()
}

const METADATA: (&str, &str) = (
    "metadata.json",
    r#"{"name": "corp-acme", "version": "0.1.0", "author": "corp", "license": "x", "summary": "x", "source": "x", "dependencies": []}"#,
);
const IN_MODULES: (&str, &str) = ("modules/acme/manifests/init.pp", "class acme { notify { 'modules': } }\n");
const AT_ROOT: (&str, &str) = ("manifests/init.pp", "class acme { notify { 'root': } }\n");
const SITE_PP: (&str, &str) = ("manifests/site.pp", "node default { }\n");
const PUPPETFILE: (&str, &str) = ("Puppetfile", "mod 'puppetlabs/stdlib', '9.0.0'\n");
const FIXTURE: (&str, &str) =
    ("spec/fixtures/modules/other/manifests/init.pp", "class other { notify { 'other': } }\n");

#[test]
fn a_control_repository_with_metadata_is_no_module() {
    for files in [
        &[("environment.conf", "modulepath = modules\n")][..],
        &[("environment.conf", "modulepath = modules\n"), AT_ROOT],
        &[("environment.conf", ""), SITE_PP, PUPPETFILE],
        &[PUPPETFILE, SITE_PP],
        &[PUPPETFILE, ("manifests/nodes.pp", "node default { }\n")],
        &[SITE_PP, ("hiera.yaml", "version: 5\n")],
        &[SITE_PP],
        &[("catwalk.toml", "modulepath = [\"modules\"]\n")],
    ] {
        let site = repository(&[files, &[METADATA, IN_MODULES]].concat());
        let compile = || {
            let run = site.run(&["compile", "web1.example.com", "-e", "include acme"]).expect(0, "");
            assert_eq!(titles(&run.stdout), ["modules"], "{files:?}");
        };
        compile();
        let init = site.run(&["init", "--yes"]).expect(0, "").stdout;
        assert!(init.starts_with("control repository: SITE\n"), "{files:?}: {init}");
        compile();
        site.run(&["check"]).expect(0, "");
        // A module of it is one, and belongs to it.
        let mut command = site.command(&["compile", "web1.example.com", "-e", "include acme"]);
        let run = command.current_dir(site.path().join("modules/acme")).output().unwrap();
        assert_eq!(titles(&String::from_utf8_lossy(&run.stdout)), ["modules"], "{files:?}: {run:?}");
    }
}

#[test]
fn a_module_with_files_of_environments_is_a_module() {
    for files in [
        &[][..],
        &[FIXTURE],
        &[PUPPETFILE, FIXTURE],
        &[SITE_PP, FIXTURE],
        &[("hiera.yaml", "version: 5\n"), FIXTURE],
        &[PUPPETFILE, SITE_PP, FIXTURE],
        &[("catwalk.toml", "modulepath = [\"spec/fixtures/modules\"]\n"), FIXTURE],
    ] {
        let site = repository(&[files, &[METADATA, AT_ROOT]].concat());
        let run = site.run(&["compile", "web1.example.com", "-e", "include acme"]).expect(0, "");
        assert_eq!(titles(&run.stdout), ["root"], "{files:?}");
        if files.contains(&FIXTURE) {
            let run = site.run(&["compile", "web1.example.com", "-e", "include acme, other"]).expect(0, "");
            assert_eq!(titles(&run.stdout), ["root", "other"], "{files:?}");
        }
        let init = site.run(&["init", "--yes"]).expect(0, "").stdout;
        assert!(init.starts_with("module acme: SITE\n"), "{files:?}: {init}");
    }
}

#[test]
fn plans_are_checked_in_the_language_of_bolt() {
    let plan = "plan adhoc::one(TargetSpec $targets) {\n  apply($targets) { file { '/a': } }\n  return run_task('x', $targets)\n}\n";
    for path in ["site-modules/adhoc/plans/one.pp", "modules/adhoc/plans/one.pp", "adhoc/plans/one.pp"] {
        for other in [("README.md", ""), ("environment.conf", "modulepath = site-modules:modules\n")] {
            let site = repository(&[(path, plan), other]);
            for argument in [".", path, Path::new(path).parent().unwrap().to_str().unwrap()] {
                site.run(&["check", argument]).expect(0, "no mistakes");
            }
        }
    }
    for (path, code, message) in [
        ("modules/adhoc/plans/one.pp", "plan adhoc::one { file { '/a': } }", "EXPRESSION_NOT_SUPPORTED_WHEN_SCRIPTING"),
        ("modules/adhoc/plans/one.pp", "plan adhoc::one( { }", "SYNTAX_ERROR"),
        ("modules/adhoc/plans/one.pp", "plan adhoc::two { }", "ILLEGAL_DEFINITION_LOCATION"),
        ("modules/adhoc/plans/one.pp", "class adhoc::one { }", "EXPRESSION_NOT_SUPPORTED_WHEN_SCRIPTING"),
        // Manifests are no plans, whatever their directories are called.
        ("modules/adhoc/manifests/one.pp", "plan adhoc::one($x) { }", "SYNTAX_ERROR"),
    ] {
        let site = repository(&[(path, code)]);
        let run = site.run(&["check"]).expect(1, "1 error");
        assert!(run.stdout.contains(&format!("error[{message}]")), "{path}: {run:#?}");
    }
    for (path, code) in [
        ("modules/adhoc/manifests/plans/one.pp", "class adhoc::plans::one { }"),
        ("modules/plans/manifests/init.pp", "class plans { file { '/a': } }"),
        ("modules/adhoc/functions/plans/f.pp", "function adhoc::plans::f() { 1 }"),
    ] {
        repository(&[(path, code)]).run(&["check"]).expect(0, "no mistakes");
    }
}

/// Runs the program with limits on time and memory.
fn limited(site: &Site, args: &[&str]) -> (Option<i32>, String) {
    let script = "ulimit -v 6000000; exec timeout 60 \"$0\" \"$@\"";
    let mut command = Command::new("sh");
    command.args(["-c", script, env!("CARGO_BIN_EXE_catwalk")]).args(args).current_dir(site.path());
    let home = site.path().join("home");
    let Output { status, stdout, stderr } =
        command.env("NO_COLOR", "1").env("HOME", home).env_remove("XDG_CONFIG_HOME").output().unwrap();
    (status.code(), format!("{}{}", String::from_utf8_lossy(&stdout), String::from_utf8_lossy(&stderr)))
}

/// Makes a file that is not a usable list of rules.
fn hostile(path: &Path, kind: &str) {
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    match kind {
        "pipe" => {
            let made = Command::new("mkfifo").arg(path).status().unwrap();
            assert!(made.success());
        }
        "device" => symlink("/dev/zero", path).unwrap(),
        "directory" => std::fs::create_dir(path).unwrap(),
        "loop" => symlink(path.file_name().unwrap(), path).unwrap(),
        "huge" => std::fs::write(path, "*a*b*c*\n".repeat(100_000)).unwrap(),
        "sparse" => std::fs::File::create(path).unwrap().set_len(1 << 40).unwrap(),
        _ => unreachable!(),
    }
}

#[test]
fn hostile_rules_for_ignored_files_end_no_command() {
    let files = [
        ("catwalk.toml", "modulepath = [\"modules\"]\nmanifest = \"site.pp\"\nnodes = \"nodes\"\n"),
        ("nodes/web1.json", "{}"),
        ("site.pp", "notice('x')\n"),
        ("modules/m/manifests/init.pp", "class m { }\n"),
        (".git/HEAD", "ref: refs/heads/main\n"),
    ];
    for place in [
        ".gitignore",
        ".ignore",
        ".git/info/exclude",
        "modules/.gitignore",
        "home/.gitconfig",
        "home/.config/git/ignore",
    ] {
        for kind in ["pipe", "device", "directory", "loop", "huge", "sparse"] {
            let site = repository(&files);
            hostile(&site.path().join(place), kind);
            let (code, output) = limited(&site, &["check"]);
            assert_eq!(code, Some(0), "{place} {kind}: {output}");
            let is_reported = output.contains("warning[UNREADABLE_FILE]") && output.contains(place);
            assert!(is_reported, "{place} {kind}: {output}");
            // Files outside of the site are not read for untrusted code.
            let (code, output) = limited(&site, &["check", "--untrusted"]);
            assert_eq!(code, Some(0), "{place} {kind}: {output}");
            let is_inside = !place.starts_with("home") && !["device", "loop"].contains(&kind);
            assert_eq!(output.contains("UNREADABLE_FILE"), is_inside, "{place} {kind}: {output}");
        }
    }
    for kind in ["pipe", "device", "directory", "loop", "sparse"] {
        let site = repository(&files[1..]);
        hostile(&site.path().join(".gitignore"), kind);
        let (code, output) = limited(&site, &["init", "--yes"]);
        assert!(code != Some(0) && code.is_some() && output.contains(".gitignore"), "{kind}: {output}");
        assert!(!site.path().join("catwalk.toml").exists(), "{kind}");
        let (code, output) = limited(&site, &["compile", "web1", "--manifest", "site.pp", "-o", "out.json"]);
        assert_eq!(code, Some(0), "{kind}: {output}");
    }
}

#[test]
fn ignored_files_are_counted() {
    let site = repository(&[
        (".git/HEAD", "ref: refs/heads/main\n"),
        (".gitignore", "/modules/\n*.local.pp\n"),
        ("manifests/site.pp", ""),
        ("manifests/a.local.pp", "("),
        ("modules/m/manifests/init.pp", "("),
        ("modules/m/data/a.yaml", "a: 1\n"),
        ("modules/m/README.md", ""),
        (".hidden/a.pp", "("),
    ]);
    let run = site.run(&["check"]).expect(0, "");
    assert_eq!(run.stderr, "1 file, no mistakes (3 more are ignored by git)\n");
    // A file that is named is checked.
    site.run(&["check", "manifests/a.local.pp"]).expect(1, "1 file: 1 error, 0 warnings\n");
    site.run(&["check", "modules"]).expect(1, "2 files: 1 error, 0 warnings\n");
    site.write(".gitignore", "*.local.pp\n/modules/m/data/\n");
    site.run(&["check", "--untrusted"]).expect(1, "2 files: 1 error, 0 warnings (2 more are ignored by git)\n");
    // The nearest rule wins, and rules of a repository end at a repository in it.
    site.write("manifests/.gitignore", "!a.local.pp\n");
    site.write("modules/m/.git/HEAD", "");
    site.run(&["check"]).expect(1, "4 files: 2 errors, 0 warnings\n");
}

#[test]
fn a_failing_config_version_is_one_line_for_a_site() {
    let site = Site::new(&[
        ("catwalk.toml", "nodes = \"nodes\"\n"),
        ("environment.conf", "config_version = 'version.sh $environmentpath $environment'\n"),
        (
            "version.sh",
            "#!/bin/sh\necho x >> count\n[ -z \"$FAIL_QUIETLY\" ] && echo 'usage: version.sh' >&2\nexit 3\n",
        ),
        ("nodes/a.json", "{}"),
        ("nodes/b.json", "{}"),
        ("manifests/site.pp", ""),
    ]);
    std::fs::set_permissions(site.path().join("version.sh"), std::os::unix::fs::PermissionsExt::from_mode(0o755))
        .unwrap();
    let all = ["compile", "-o", "out/"];
    for args in [&all[..], &["compile", "a"], &["compile", "a", "--log-format", "json"]] {
        let run = site.run(args).expect(0, "");
        let lines: Vec<&str> = run.stderr.lines().filter(|line| line.contains("CONFIG_VERSION")).collect();
        let [line] = lines.as_slice() else { panic!("{args:?}: {run:#?}") };
        for part in ["SITE/version.sh", "exit code 3", "(usage: version.sh)", "--set config_version=", "catwalk.toml"] {
            assert!(line.contains(part), "{args:?}: '{part}' is not in {line}");
        }
        assert!(
            args.contains(&"json") || run.stderr.trim_end().lines().count() == lines.len() || args == all,
            "{run:#?}"
        );
        assert!(!line.contains("node"), "{line}");
    }
    let quiet = site.command(&["compile", "a"]).env("FAIL_QUIETLY", "1").output().unwrap();
    let stderr = String::from_utf8_lossy(&quiet.stderr).into_owned();
    assert!(stderr.contains("ended with exit code 3: the version of catalogs is the time"), "{stderr}");
    std::fs::remove_file(site.path().join("count")).unwrap();
    let run = site.run(&["compile", "a", "--set", "config_version="]).expect(0, "");
    assert_eq!(run.stderr, "");
    site.write("catwalk.toml", "nodes = \"nodes\"\n[settings]\nconfig_version = \"\"\n");
    assert_eq!(site.run(&["compile", "a"]).expect(0, "").stderr, "");
    assert!(!site.path().join("count").exists(), "the script ran");
}

#[test]
fn agents_get_no_exported_resources_that_are_not_collected() {
    let code = "@@notify { 'exported': }\n@notify { 'virtual': }\nnotify { 'plain': require => Notify['other'] }\n\
                notify { 'other': }\n@@notify { 'with an edge': require => Notify['other'] }\n\
                @@notify { 'collected': }\nNotify <| title == 'collected' |>\n@notify { 'realized': }\nrealize(Notify['realized'])\n";
    let site =
        Site::new(&[("catwalk.toml", "manifest = \"site.pp\"\n[settings]\nstoreconfigs = true\n"), ("site.pp", code)]);
    let sent = ["plain", "other", "collected", "realized"];
    for format in ["native", "native1"] {
        let run = site.run(&["compile", "n", "--format", format, "-o", "n.json"]).expect(0, "");
        let text = std::fs::read_to_string(site.path().join("n.json")).unwrap();
        assert_eq!(titles(&text), sent, "{format}: {run:#?}");
        assert!(!text.contains("with an edge"), "{format}: an edge of it");
        site.run(&["catalog", "validate", "n.json"]).expect(0, "");
        // A collected resource is applied, although it is marked as exported.
        let run = site.run(&["apply", "--catalog", "n.json", "--noop"]).expect(0, "");
        for title in sent {
            assert!(run.stdout.contains(&format!("Notify[{title}]/message")), "{format} {title}: {run:#?}");
        }
        let run = site.run(&["catalog", "convert", "n.json", "--format", "native"]).expect(0, "");
        assert_eq!(titles(&run.stdout), sent);
    }
    let yaml = site.run(&["compile", "n", "--format", "yaml"]).expect(0, "").stdout;
    assert!(yaml.contains("title: collected") && !yaml.contains("title: exported"), "{yaml}");
    // PuppetDB and Catwalk's own comparisons have them.
    for format in ["wire4", "wire9", "canonical"] {
        let run = site.run(&["compile", "n", "--format", format]).expect(0, "");
        let found = titles(&run.stdout);
        assert!(
            found.contains(&"exported".to_owned()) && !found.contains(&"virtual".to_owned()),
            "{format}: {found:?}"
        );
    }
    // A saved catalog has no differences.
    site.write("nodes/n.json", "{}");
    site.write("catwalk.toml", "manifest = \"site.pp\"\nnodes = \"nodes\"\n[settings]\nstoreconfigs = true\n");
    site.run(&["compile", "n", "-o", "saved/"]).expect(0, "");
    site.run(&["diff", "--against", "saved"]).expect(0, "");
}

/// The functions of stdlib that depend on the version of Puppet, in the releases that their `metadata.json` names.
#[test]
fn functions_of_stdlib_are_those_of_the_version() {
    let refused = "This function is not available in Puppet 8. URI.escape no longer exists as of Ruby 3+.";
    for (stdlib, puppet, expected) in [
        ("8.5.0", "7", Ok("'a%20b'\n")),
        ("8.5.0", "8", Ok("'a%20b'\n")),
        ("9.7.0", "7", Ok("'a%20b'\n")),
        ("9.7.0", "8", Err(refused)),
    ] {
        let metadata = format!(
            r#"{{"name": "puppetlabs-stdlib", "version": "{stdlib}", "author": "x", "license": "x", "source": "x", "dependencies": []}}"#
        );
        let site = Site::new(&[("catwalk.toml", ""), ("modules/stdlib/metadata.json", &metadata)]);
        for args in [&["eval"][..], &["eval", "--modulepath", "modules"]] {
            let args = [args, &["--puppet", puppet, "-e", "uriescape('a b')"]].concat();
            match expected {
                Ok(value) => assert_eq!(site.run(&args).expect(0, "").stdout, value, "{stdlib} {puppet}"),
                Err(message) => drop(site.run(&args).expect(1, message)),
            }
        }
        let compile = ["compile", "n", "--puppet", puppet, "-e", "notify { uriescape('a b'): }"];
        site.run(&compile).expect(i32::from(expected.is_err()), expected.err().unwrap_or_default());
    }
}
