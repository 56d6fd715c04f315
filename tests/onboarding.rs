//! The first ten minutes: completions, manual pages, `init`, `new`, dependencies of modules, fact sets by their usual names.

use std::path::Path;

use crate::support::Run;
use crate::support::Site;

/// The commands that the program has, as its help lists them.
fn commands(site: &Site) -> Vec<String> {
    let help = site.run(&["help"]).expect(0, "").stdout;
    // Groups of commands are between the usage and the options.
    let list = help.split("Usage:").nth(1).unwrap().split("\nOptions:").next().unwrap();
    let names = list.lines().filter_map(|line| line.strip_prefix("  ")).filter(|line| !line.starts_with(' '));
    names.map(|line| line.split_whitespace().next().unwrap().to_owned()).filter(|name| name != "help").collect()
}

fn files(root: &Path) -> Vec<String> {
    fn collect(folder: &Path, prefix: &str, found: &mut Vec<String>) {
        for entry in std::fs::read_dir(folder).unwrap() {
            let entry = entry.unwrap();
            let name = format!("{prefix}{}", entry.file_name().to_string_lossy());
            if entry.path().is_dir() {
                collect(&entry.path(), &format!("{name}/"), found);
            } else {
                found.push(name);
            }
        }
    }
    let mut found = Vec::new();
    collect(root, "", &mut found);
    found.sort();
    found
}

#[test]
fn completions_and_manual_pages_have_every_command() {
    let site = Site::empty();
    let commands = commands(&site);
    assert!(commands.len() > 20, "{commands:?}");
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let text = site.run(&["completions", shell]).expect(0, "").stdout;
        for command in &commands {
            assert!(text.contains(command.as_str()), "{shell}: {command}");
        }
        assert!(!text.contains("internal"), "{shell}");
    }
    site.run(&["completions", "cmd"]).expect(2, "[possible values: bash");
    let output = site.run(&["man", "pages/man1"]).expect(0, "").stdout;
    let pages = files(&site.path().join("pages/man1"));
    assert_eq!(output, format!("{} pages in pages/man1\n", pages.len()));
    assert!(
        pages.contains(&"catwalk.1".to_owned()) && pages.contains(&"catwalk-snapshot-accept.1".to_owned()),
        "{pages:?}"
    );
    for command in commands {
        let text = std::fs::read_to_string(site.path().join(format!("pages/man1/catwalk-{command}.1"))).unwrap();
        assert!(text.contains(".TH catwalk-") && text.contains(".SH OPTIONS"), "{command}: {text}");
    }
}

/// The commands that a run names as the next ones, without comments.
fn next_commands(run: &Run) -> Vec<String> {
    let (_, next) = run.stdout.split_once("\nNext:\n").unwrap_or_else(|| panic!("{run:#?}"));
    next.lines().map(|line| line.split("  # ").next().unwrap().trim().to_owned()).collect()
}

/// Runs the named commands as a shell would, below the site. `watch` ends after its first edit.
fn follow(site: &Site, commands: &[String], edited: &str) {
    let mut at = site.path().to_path_buf();
    for command in commands {
        if let Some(directory) = command.strip_prefix("cd ") {
            at = at.join(directory);
            continue;
        }
        let words: Vec<&str> = command.split_whitespace().map(|word| word.trim_matches('\'')).collect();
        assert_eq!(words[0], "catwalk", "{command}");
        if words[1] == "watch" {
            let mut watch = site.command(&["watch", "--plain", "--once"]);
            let mut watch = watch.current_dir(&at).stdout(std::process::Stdio::null()).spawn().unwrap();
            let text = std::fs::read_to_string(at.join(edited)).unwrap();
            let ended = (0..600).any(|round| {
                std::thread::sleep(std::time::Duration::from_millis(100));
                std::fs::write(at.join(edited), format!("{text}\nnotify {{ 'round {round}': }}\n")).unwrap();
                watch.try_wait().unwrap().is_some()
            });
            std::fs::write(at.join(edited), text).unwrap();
            assert!(ended, "watch did not see the edit");
            continue;
        }
        let run = site.command(&words[1..]).current_dir(&at).output().unwrap();
        let output = format!("{}{}", String::from_utf8_lossy(&run.stderr), String::from_utf8_lossy(&run.stdout));
        assert_eq!(run.status.code(), Some(0), "{command}: {output}");
    }
}

#[test]
fn init_lays_out_a_site_whose_next_commands_work() {
    let site = Site::empty();
    let run = site.run(&["init", "--ci", "github"]).expect(0, "");
    for file in [
        "catwalk.toml",
        "nodes/web1.example.com.json",
        "tests/server.yaml",
        ".gitignore",
        ".github/workflows/catwalk.yml",
    ] {
        assert!(run.stdout.contains(&format!("  created  {file}\n")), "{file}: {}", run.stdout);
        assert!(site.path().join(file).is_file(), "{file}");
    }
    let commands = next_commands(&run);
    assert_eq!(commands, ["catwalk test --accept", "catwalk watch", "catwalk show db1.example.com"]);
    follow(&site, &commands, "manifests/site.pp");
    let output = site.run(&["test"]).expect(0, "").stdout;
    assert_eq!(output, "4 cases: 4 passed\n");
    // Nothing is overwritten.
    site.write("catwalk.toml", "nodes = \"nodes\"\n");
    let again = site.run(&["init", "--ci", "gitlab"]).expect(0, "").stdout;
    assert!(again.contains("  kept     catwalk.toml\n") && again.contains("  created  .gitlab-ci.yml\n"), "{again}");
    assert!(again.contains("  kept     .gitignore\n"), "{again}");
    assert_eq!(std::fs::read_to_string(site.path().join("catwalk.toml")).unwrap(), "nodes = \"nodes\"\n");
}

#[test]
fn init_uses_the_folders_of_an_existing_configuration() {
    let site = Site::empty();
    site.write("catwalk.toml", "nodes = \"ci/nodes\"\ntests = \"ci/tests\"\n");
    site.write("ci/nodes/app1.json", "{}");
    site.write("ci/tests/empty", "");
    site.write("manifests/site.pp", "notify { 'a': }\n");
    let run = site.run(&["init"]).expect(0, "");
    assert!(run.stdout.contains("  created  ci/tests/first.yaml (a test of code"), "{}", run.stdout);
    let all = files(site.path());
    assert!(!all.iter().any(|file| file.starts_with("nodes/") || file.starts_with("tests/")), "{all:?}");
    follow(&site, &next_commands(&run), "manifests/site.pp");
}

#[test]
fn init_in_a_control_repository_keeps_what_it_has() {
    let site = Site::empty();
    site.write(".gitignore", "/modules");
    site.write("environment.conf", "modulepath = site-modules:modules\n");
    site.write("manifests/site.pp", "node 'app1.corp.example' { include role::app }\nnode 'db1.corp.example' { }\n");
    site.write("site-modules/role/manifests/app.pp", "class role::app { notify { 'app': } }\n");
    let run = site.run(&["init"]).expect(0, "");
    assert!(run.stdout.contains("  extended .gitignore by 3 lines\n"), "{}", run.stdout);
    assert!(run.stdout.contains("  created  tests/first.yaml (a test of class role::app)\n"), "{}", run.stdout);
    let ignored = std::fs::read_to_string(site.path().join(".gitignore")).unwrap();
    assert_eq!(ignored, "/modules\n*.snap.new\n.catwalk/\n.catwalk-tmp/\n");
    let all = files(site.path());
    assert!(all.contains(&"nodes/app1.corp.example.json".to_owned()), "{all:?}");
    assert!(!all.iter().any(|file| file.starts_with("data/") || file == "hiera.yaml"), "{all:?}");
    follow(&site, &next_commands(&run), "manifests/site.pp");
}

#[test]
fn init_says_why_nodes_do_not_compile_yet() {
    let site = Site::empty();
    site.write("Puppetfile", "mod 'acme-nosuch', '1.0.0'\n");
    site.write("manifests/site.pp", "include nosuch\n");
    let run = site.run(&["init"]).expect(0, "");
    assert!(run.stdout.contains("does not compile yet: "), "{}", run.stdout);
    assert!(
        run.stdout.contains("`r10k puppetfile install` installs modules that are missing: nosuch"),
        "{}",
        run.stdout
    );
    let commands = next_commands(&run);
    assert_eq!(commands[0], "catwalk test 'first/*'");
    follow(&site, &commands[..2], "manifests/site.pp");
}

#[test]
fn init_asks_before_it_takes_a_directory_of_something_else() {
    let site = Site::empty();
    site.write("main.c", "int main() { }\n");
    site.run(&["init"]).expect(2, "is neither a control repository, a module nor empty");
    assert_eq!(files(site.path()), ["main.c"]);
    site.run(&["init", "--yes"]).expect(0, "");
    assert!(site.path().join("catwalk.toml").is_file());
}

#[test]
fn init_in_a_module_tests_its_class() {
    let site = Site::empty();
    site.write(
        "metadata.json",
        r#"{"name": "acme-motd", "version": "1.0.0", "author": "acme", "license": "Apache-2.0", "summary": "x", "source": "x",
        "dependencies": [], "operatingsystem_support": [{"operatingsystem": "Debian", "operatingsystemrelease": ["11", "12"]}]}"#,
    );
    site.write("manifests/init.pp", "class motd { file { '/etc/motd': content => 'x' } }\n");
    let run = site.run(&["init"]).expect(0, "");
    assert!(run.stdout.contains("  created  tests/first.yaml (a test of class motd)\n"), "{}", run.stdout);
    let test = std::fs::read_to_string(site.path().join("tests/first.yaml")).unwrap();
    assert!(test.contains("class: motd\nfact_sets: metadata\n"), "{test}");
    follow(&site, &next_commands(&run), "manifests/init.pp");
}

#[test]
fn a_new_module_and_a_new_site_are_green() {
    let site = Site::empty();
    let run = site.run(&["new", "module", "acme-cache"]).expect(0, "");
    for file in
        ["metadata.json", "manifests/init.pp", "data/common.yaml", "hiera.yaml", "README.md", "tests/cache.yaml"]
    {
        assert!(site.path().join("cache").join(file).is_file(), "{file}");
    }
    let commands = next_commands(&run);
    assert_eq!(commands[0], "cd cache");
    follow(&site, &commands, "manifests/init.pp");
    let checked = site.command(&["check"]).current_dir(site.path().join("cache")).output().unwrap();
    assert_eq!(checked.status.code(), Some(0));
    site.run(&["new", "module", "acme-cache"]).expect(2, "cache exists and is not empty");
    site.run(&["new", "module", "Cache"]).expect(2, "'Cache' is not the name of a module");
    let run = site.run(&["new", "site", "control", "--ci", "gitlab"]).expect(0, "");
    assert!(site.path().join("control/.gitlab-ci.yml").is_file());
    follow(&site, &next_commands(&run), "manifests/site.pp");
}

const METADATA: &str = r#"{"name": "acme-m", "version": "0.1.0", "author": "me", "license": "Apache-2.0", "summary": "x",
    "source": "x", "dependencies": [{"name": "puppetlabs/stdlib"}, {"name": "puppetlabs-concat"}]}"#;
const TEST: &str = "class: m\nfact_sets: debian-12\nsnapshot: false\nexpect: {compiles: true}\n";

fn module(manifest: &str) -> Site {
    let site = Site::empty();
    site.write("metadata.json", METADATA);
    site.write("manifests/init.pp", manifest);
    site.write("tests/m.yaml", TEST);
    site
}

#[test]
fn a_dependency_that_is_not_installed_is_named_with_the_command_that_installs_it() {
    let cases = [
        (
            "class m(Stdlib::Port $port = 80) { }\n",
            "stdlib is a dependency and is not installed, and neither is concat; ",
        ),
        (
            "class m { concat::fragment { 'x': target => 'y', content => 'z' } }\n",
            "concat is a dependency and is not installed, and neither is stdlib; ",
        ),
        ("class m { unknown_thing { 'x': } }\n", "stdlib and concat are dependencies and are not installed; "),
    ];
    for (manifest, expected) in cases {
        let site = module(manifest);
        let output = site.run(&["test"]).expect(1, "").stdout;
        assert!(output.contains(expected), "{manifest}: {output}");
        assert!(output.contains("Evaluation Error"), "{output}");
    }
    let site = module("class m(Stdlib::Port $port = 80) { }\n");
    let run = site.run(&["compile", "-e", "include m", "--facts", "debian-12"]);
    let run = run
        .expect(1, "error[MISSING_DEPENDENCY]: stdlib is a dependency and is not installed, and neither is concat; ");
    assert!(
        run.stderr.contains("`puppet module install puppetlabs-stdlib --target-dir spec/fixtures/modules`"),
        "{run:#?}"
    );
    site.write(
        ".fixtures.yml",
        "fixtures:\n  repositories:\n    stdlib: {repo: 'https://example.com/stdlib.git', ref: v9.0.0}\n",
    );
    let run = site.run(&["compile", "-e", "include m", "--facts", "debian-12"]).expect(1, "");
    let clone = "`git clone --branch v9.0.0 https://example.com/stdlib.git spec/fixtures/modules/stdlib`";
    assert!(run.stderr.contains(clone), "{run:#?}");
    let commit = "0123456789abcdef0123456789abcdef01234567";
    let dependencies = "    apt: {repo: 'https://example.com/apt.git', ref: COMMIT}\n    mailalias_core: https://example.com/mail.git\n";
    let fixtures = format!("fixtures:\n  repositories:\n{}", dependencies.replace("COMMIT", commit));
    let apt = "`git clone https://example.com/apt.git spec/fixtures/modules/apt && git -C spec/fixtures/modules/apt checkout ";
    for (code, name, install) in [
        ("include apt", "apt", apt),
        (
            "mailalias { 'x': }",
            "mailalias_core",
            "`git clone https://example.com/mail.git spec/fixtures/modules/mailalias_core`",
        ),
        ("include java", "java", "`puppet module install puppetlabs-java --target-dir spec/fixtures/modules`"),
    ] {
        let site = module(&format!("class m {{ {code} }}\n"));
        site.write(
            ".fixtures.yml",
            format!("{fixtures}  forge_modules:\n    java: {{repo: puppetlabs/java, ref: 9.0.0}}\n"),
        );
        let run = site.run(&["compile", "-e", "include m", "--facts", "debian-12"]);
        let run = run.expect(
            1,
            &format!("error[MISSING_DEPENDENCY]: {name} is a dependency and is not installed, and neither "),
        );
        assert!(run.stderr.contains(install), "{run:#?}");
    }
    // A name that no missing module can have is not explained by one.
    let site = module("class m { include m::nothing }\n");
    let output = site.run(&["test"]).expect(1, "").stdout;
    assert!(!output.contains("is a dependency"), "{output}");
}

#[test]
fn dependencies_are_found_where_fixtures_are() {
    let port = "type Stdlib::Port = Integer[0, 65535]\n";
    let places = [
        ("spec/fixtures/modules/stdlib", ""),
        ("modules/stdlib", ""),
        ("vendor/std", "fixtures:\n  symlinks:\n    stdlib: '#{source_dir}/vendor/std'\n    m: '#{source_dir}'\n"),
        ("vendor/std", "fixtures:\n  repositories:\n    stdlib: {repo: vendor/std}\n"),
    ];
    for (place, fixtures) in places {
        let site = module("class m(Stdlib::Port $port = 80) { }\n");
        site.write(&format!("{place}/types/port.pp"), port);
        if !fixtures.is_empty() {
            site.write(".fixtures.yml", fixtures);
        }
        let output = site.run(&["test"]).expect(0, "").stdout;
        assert_eq!(output, "1 case: 1 passed\n", "{place} {fixtures}");
    }
}

#[test]
fn systems_without_facts_are_named_once_and_left_out() {
    let site = Site::empty();
    let systems = r#""operatingsystem_support": [
        {"operatingsystem": "RedHat", "operatingsystemrelease": ["7", "8", "9"]},
        {"operatingsystem": "OracleLinux", "operatingsystemrelease": ["7"]},
        {"operatingsystem": "Scientific", "operatingsystemrelease": ["7"]},
        {"operatingsystem": "SLES", "operatingsystemrelease": ["12", "15 SP1"]},
        {"operatingsystem": "Debian", "operatingsystemrelease": ["9", "10", "11"]},
        {"operatingsystem": "Ubuntu", "operatingsystemrelease": ["16.04", "18.04", "20.04"]},
        {"operatingsystem": "windows", "operatingsystemrelease": ["2012 R2", "2016", "Server 2019", "2022", "10"]},
        {"operatingsystem": "FreeBSD", "operatingsystemrelease": ["13"]},
        {"operatingsystem": "Darwin", "operatingsystemrelease": ["20"]},
        {"operatingsystem": "AIX", "operatingsystemrelease": ["6.1", "7.1"]},
        {"operatingsystem": "Solaris", "operatingsystemrelease": ["11"]}]"#;
    site.write("metadata.json", METADATA.replace("\"dependencies\"", &format!("{systems}, \"dependencies\"")));
    site.write(
        "manifests/init.pp",
        "class m { notify { \"${facts['os']['name']} ${facts['os']['release']['major']}\": } }\n",
    );
    for name in ["a", "b"] {
        site.write(
            &format!("tests/{name}.yaml"),
            "class: m\nfact_sets: metadata\nsnapshot: false\nexpect: {count: {Notify: 1}}\n",
        );
    }
    let warning = "systems of metadata.json without a fact set are not tested: AIX 6.1, AIX 7.1, Solaris 11";
    let run = site.run(&["test"]).expect(0, warning);
    assert_eq!(run.stderr.matches("without a fact set").count(), 1, "{run:#?}");
    assert_eq!(run.stdout, "40 cases: 40 passed\n");
    let list = site.run(&["test", "--list"]).expect(0, warning).stdout;
    assert!(list.contains("a/windows-2012-r2-x86_64\n") && list.contains("a/darwin-20-x86_64\n"), "{list}");
}

#[test]
fn a_fact_set_is_found_by_its_usual_names() {
    let site = Site::new(&[
        ("nodes/web1.example.com.json", "{}"),
        ("site.pp", "notify { \"${facts['os']['name']} ${facts['os']['release']['major']}\": }\n"),
    ]);
    for (name, expected_name) in [
        ("debian-12", "Debian 12"),
        ("Debian 12", "Debian 12"),
        ("Ubuntu 18.04", "Ubuntu 18.04"),
        ("RHEL 8", "RedHat 8"),
        ("Oracle Linux 9", "OracleLinux 9"),
        ("Windows Server 2019", "windows 2019"),
        ("macOS 11", "Darwin 20"),
        ("CentOS Stream 9", "CentOS 9"),
    ] {
        let run = site.run(&["compile", "web1.example.com", "--facts", name]).expect(0, "");
        assert!(run.stdout.contains(&format!("\"title\": \"{expected_name}\"")), "{name}: {run:#?}");
        let shown = site.run(&["facts", "show", name]).expect(0, "").stdout;
        assert!(shown.contains(expected_name.split(' ').next().unwrap()), "{name}: {shown}");
    }
    site.write(
        "tests/a.yaml",
        "code: \"notify { 'x': }\"\nsnapshot: false\nfact_sets: [Debian 12, rocky-9, 'sles-*']\n",
    );
    let list = site.run(&["test", "--list", "a/*"]).expect(0, "").stdout;
    assert_eq!(list, "a/debian-12-x86_64\na/rocky-9-x86_64\na/sles-11-x86_64\na/sles-12-x86_64\na/sles-15-x86_64\n");
    site.run(&["compile", "n", "--facts", "Debian 99"]).expect(2, "there is neither a file nor a fact set 'Debian 99'");
}

#[test]
fn single_facts_win_over_all_others() {
    let site = Site::new(&[
        (
            "nodes/web1.example.com.json",
            r#"{"role": "web", "os": {"family": "Debian", "release": {"major": "12"}}, "cores": 2}"#,
        ),
        (
            "site.pp",
            "notify { \"${facts['role']} ${facts['os']['family']} ${facts['cores'] + 1} ${facts['deep']}\": }\n",
        ),
        ("hiera.yaml", "version: 5\nhierarchy: [{name: a, path: '%{facts.role}.yaml'}]\n"),
        ("data/db.yaml", "x: from db\n"),
        (
            "tests/a.yaml",
            "code: \"notify { $facts['role']: }\"\nfacts: {role: web}\nsnapshot: false\nexpect: {contains: 'Notify[db]'}\n",
        ),
    ]);
    let facts = ["--fact", "role=db", "--fact", "os.family=RedHat", "--fact", "cores=8", "--fact", "deep.er=[1, a]"];
    let with = |args: &[&str]| site.run(&[args, &facts].concat());
    let run = with(&["compile", "web1.example.com"]).expect(0, "");
    assert!(run.stdout.contains("\"title\": \"db RedHat 9 {er => [1, a]}\""), "{run:#?}");
    let run = with(&["eval", "--node", "web1.example.com", "-e", "$facts['os']['release']['major']"]).expect(0, "");
    assert_eq!(run.stdout, "'12'\n");
    assert_eq!(with(&["lookup", "x", "--node", "web1.example.com"]).expect(0, "").stdout, "--- from db\n");
    with(&["test", "a/*"]).expect(0, "");
    let run =
        with(&["compile", "n1", "--facts", "debian-12", "-e", "notify { $facts['os']['family']: }"]).expect(0, "");
    assert!(run.stdout.contains("\"title\": \"RedHat\""), "{run:#?}");
    // Legacy facts exist on request, and change together with the structured ones.
    let legacy = ["compile", "n1", "--facts", "debian-12", "-e", "notify { \"x${facts['osfamily']}\": }"];
    for (option, title) in [
        ("--legacy-facts", "RedHat"),
        ("--puppet=7", "RedHat"),
        ("--set=include_legacy_facts=true", "RedHat"),
        ("--puppet=8", ""),
    ] {
        let run = with(&[&legacy[..], &[option]].concat()).expect(0, "");
        assert!(run.stdout.contains(&format!("\"title\": \"x{title}\"")), "{option}: {run:#?}");
    }
    site.run(&["compile", "--fact", "role"]).expect(2, "--fact needs NAME=VALUE, got 'role'");
}
