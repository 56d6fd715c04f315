//! Catwalk touches only what is its own: each command that writes, with each directory that it manages replaced by a link, by a directory of
//! others, or by a file. Whatever others have there is afterwards as it was: names, contents, permissions, times.

mod queues;
mod tree;

use std::path::Path;

use self::tree::Tree;
use self::tree::fill;
use crate::support::Run;
use crate::support::Site;

/// What the user has in place of a directory that Catwalk manages.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Form {
    /// A link to a directory of others.
    Link,
    /// A directory of others.
    Full,
    /// A directory with a link to a directory of others in place of each directory that Catwalk makes in it.
    Inner,
    /// A file.
    File,
}

/// What a command does with the directory.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Use {
    /// Fails, and changes nothing.
    Refuses,
    /// Adds or replaces its own files.
    Adds,
}

/// A command that writes to a directory.
struct Case {
    args: &'static str,
    /// Lines of `catwalk.toml` besides those of the site.
    toml: &'static str,
    /// The directory, relative to the site.
    directory: &'static str,
    /// Whether it contains Catwalk's state only, so that other files in it are refused.
    private: bool,
    /// Whether the command line names it, so that it may be a link.
    named: bool,
    /// A directory that Catwalk makes in it.
    inner: &'static str,
    /// Names of files that Catwalk may write in it.
    own: &'static [&'static str],
}

const SUBMIT: &str = "compile --submit -o out/ --retries 0 --puppetdb-url http://127.0.0.1:1";

const fn private(args: &'static str, directory: &'static str, inner: &'static str) -> Case {
    Case { args, toml: "", directory, private: true, named: false, inner, own: &[] }
}

const fn mixed(args: &'static str, directory: &'static str, own: &'static [&'static str]) -> Case {
    Case { args, toml: "", directory, private: false, named: false, inner: "", own }
}

const CASES: &[Case] = &[
    // The queue.
    Case { toml: "[puppetdb]\nqueue = \"q\"\n", ..private(SUBMIT, "q", "") },
    Case { toml: "[puppetdb]\nqueue = \"q/inner\"\n", inner: "inner", ..mixed(SUBMIT, "q", &["*"]) },
    Case { toml: "[puppetdb]\nqueue = \"q\"\n", ..private("store push --puppetdb-url http://127.0.0.1:1", "q", "") },
    Case {
        named: true,
        ..private("compile --submit -o out/ --retries 0 --puppetdb-url http://127.0.0.1:1 --queue q", "q", "")
    },
    Case { named: true, ..private("store push --puppetdb-url http://127.0.0.1:1 --queue q", "q", "") },
    Case {
        named: true,
        ..private("apply -e notice(1) --submit --puppetdb-url http://127.0.0.1:1 --retries 0 --queue q", "q", "")
    },
    Case { inner: "queue", ..mixed(SUBMIT, "STATE/catwalk", &["*"]) },
    // Other private state.
    private("test --accept", ".catwalk", ""),
    private("serve --dev --listen 127.0.0.1:0", ".catwalk", "ca"),
    Case { named: true, ..private("serve --listen 127.0.0.1:0 --certname x.example.com --cadir ca", "ca", "") },
    Case { named: true, ..private("apply -e notice(1) --statedir st", "st", "") },
    // The user's directories.
    mixed("test --accept", "snapshots", &["web1.snap", "secret.snap"]),
    mixed("test", "snapshots", &["web1.snap.new", "secret.snap.new"]),
    mixed("test --untrusted --accept", "snapshots", &["web1.snap", "secret.snap"]),
    mixed("snapshot clean", "snapshots", &[]),
    mixed("snapshot clean --untrusted", "snapshots", &[]),
    mixed("snapshot accept --all", "snapshots", &[]),
    mixed("snapshot reject --all", "snapshots", &[]),
    mixed("test --unreferenced delete --accept", "snapshots", &["web1.snap", "secret.snap"]),
    Case { toml: "snapshots = \"s/inner\"\n", inner: "inner", ..mixed("test --accept", "s", &["*"]) },
    Case { named: true, ..mixed("test --accept --snapshots s", "s", &["web1.snap", "secret.snap"]) },
    mixed("test --accept --untrusted --snapshots s", "s", &["web1.snap", "secret.snap"]),
    Case { named: true, inner: "", ..mixed("compile -o out/", "out", &["web1.json", "secret.json"]) },
    mixed("compile --untrusted -o out/", "out", &["web1.json", "secret.json"]),
    Case { toml: "output = \"out\"\n", ..mixed("compile", "out", &["web1.json", "secret.json"]) },
    Case {
        named: true,
        inner: "nodes",
        ..mixed("compile --record rec", "rec", &["common.json", "nodes/web1.json", "nodes/secret.json"])
    },
    Case {
        inner: "nodes",
        ..mixed("compile --untrusted --record rec", "rec", &["common.json", "nodes/web1.json", "nodes/secret.json"])
    },
    mixed("convert rspec modules/m/spec", "modules/m/tests", &["m.yaml"]),
    mixed("convert rspec --untrusted modules/m/spec", "modules/m/tests", &["m.yaml"]),
    Case { named: true, ..mixed("convert rspec modules/m/spec -o t", "t", &["m.yaml"]) },
    mixed("convert rspec --untrusted modules/m/spec -o t", "t", &["m.yaml"]),
    mixed("init --yes", "tests", &["first.yaml"]),
    mixed("init --yes --untrusted", "tests", &["first.yaml"]),
    Case { named: true, ..mixed("man man1", "man1", &["*.1"]) },
    Case { named: true, ..mixed("eyaml keys k", "k", &["private_key.pkcs7.pem", "public_key.pkcs7.pem"]) },
];

const SITE: &[(&str, &str)] = &[
    ("site.pp", "node secret { notify { 'x': message => Sensitive('hunter2') } }\nnode default { notify { 'x': } }\n"),
    ("nodes/web1.json", "{}"),
    ("nodes/secret.json", "{}"),
    ("sets/x.json", "{\"os\": {\"name\": \"Debian\", \"release\": {\"major\": \"12\"}}}"),
    ("modules/m/metadata.json", crate::support::METADATA),
    ("modules/m/manifests/init.pp", "class m { file { '/m': mode => '0644' } }\n"),
    (
        "modules/m/spec/classes/m_spec.rb",
        "require 'spec_helper'\ndescribe 'm' do\n  it { is_expected.to contain_file('/m') }\nend\n",
    ),
];

impl Case {
    fn expected(&self, form: Form) -> Option<Use> {
        match form {
            Form::Link if !self.named => Some(Use::Refuses),
            Form::Link | Form::Full => Some(if self.private { Use::Refuses } else { Use::Adds }),
            Form::Inner if self.inner.is_empty() => None,
            Form::Inner | Form::File => Some(Use::Refuses),
        }
    }

    /// A site with this directory, and a directory of others.
    fn site(&self, form: Form) -> Site {
        let site = Site::empty();
        let toml = format!("modulepath = [\"modules\"]\nmanifest = \"site.pp\"\nnodes = \"nodes\"\n{}", self.toml);
        site.write("catwalk.toml", toml);
        SITE.iter().for_each(|(path, text)| site.write(path, text));
        let outside = site.state().join("others");
        fill(&outside);
        let directory = self.path(&site);
        std::fs::create_dir_all(directory.parent().unwrap()).unwrap();
        match form {
            Form::Link => link(&outside, &directory),
            Form::Full => fill(&directory),
            Form::Inner => {
                std::fs::create_dir(&directory).unwrap();
                link(&outside, &directory.join(self.inner));
            }
            Form::File => std::fs::write(&directory, "a file of others\n").unwrap(),
        }
        site
    }

    fn path(&self, site: &Site) -> std::path::PathBuf {
        match self.directory.strip_prefix("STATE/") {
            Some(below) => site.state().join(below),
            None => site.path().join(self.directory),
        }
    }

    fn check(&self, form: Form, expected: Use) {
        let site = self.site(form);
        let (directory, outside) = (self.path(&site), site.state().join("others"));
        let before = (Tree::read(&directory), Tree::read(&outside));
        let args: Vec<&str> = self.args.split_whitespace().collect();
        let run: Run = site.run(&args);
        let case = format!("{} with {} as {form:?}: {run:#?}", self.args, self.directory);
        let after = (Tree::read(&directory), Tree::read(&outside));
        let own: &[&str] = if expected == Use::Adds { self.own } else { &[] };
        // There, the directory itself is Catwalk's to fill.
        let inside = if form == Form::Inner { &["*"][..] } else { own };
        for (before, after, own) in [(&before.0, &after.0, inside), (&before.1, &after.1, own)] {
            let changes = before.changes(after, own);
            assert!(changes.is_empty(), "{case}\n{changes:#?}");
        }
        assert!(!run.stderr.contains("panicked"), "{case}");
        if expected == Use::Refuses && form != Form::File {
            assert_ne!(run.code, Some(0), "{case}");
            let says = ["symbolic link", "is not used for", "may not read outside"];
            assert!(says.iter().any(|text| run.stderr.contains(text)), "{case}");
        }
    }
}

fn link(to: &Path, from: &Path) {
    std::os::unix::fs::symlink(to, from).unwrap();
}

#[test]
fn every_command_leaves_what_others_have_as_it_was() {
    for case in CASES {
        for form in [Form::Link, Form::Full, Form::Inner, Form::File] {
            if let Some(expected) = case.expected(form) {
                case.check(form, expected);
            }
        }
    }
}

/// In an untrusted site, a link may be in place of a file that the user names: the repository has made it.
#[test]
fn files_that_the_user_names_in_an_untrusted_site_are_no_links() {
    for (args, code) in [
        ("test --accept --junit f", 0),
        ("test --accept --markdown f", 0),
        ("test --accept --lcov f", 0),
        ("compile web1 -o f", 0),
        ("compile web1 --profile f -o x.json", 0),
        ("catalog graph web1 -o f", 0),
        ("facts bundle sets -o f", 0),
        ("compile web1 --store f -o x.json", 2),
    ] {
        for deep in [false, true] {
            let site = Site::empty();
            site.write("catwalk.toml", "modulepath = [\"modules\"]\nmanifest = \"site.pp\"\nnodes = \"nodes\"\n");
            SITE.iter().for_each(|(path, text)| site.write(path, text));
            let outside = site.state().join("others");
            fill(&outside);
            let args = if deep { args.replace(" f", " d/f") } else { args.to_owned() };
            match deep {
                true => link(&outside, &site.path().join("d")),
                false => link(&outside.join("passwd"), &site.path().join("f")),
            }
            let before = Tree::read(&outside);
            let arguments: Vec<&str> = args.split_whitespace().chain(["--untrusted"]).collect();
            let run = site.run(&arguments);
            let changes = before.changes(&Tree::read(&outside), &[]);
            assert!(changes.is_empty(), "{args}: {run:#?} {changes:#?}");
            let refused = run.code != Some(0);
            assert!(refused || !(deep || code != 0), "{args}: {run:#?}");
        }
    }
}

/// Keys that name what is written may not lead out of the site.
#[test]
fn a_repository_does_not_say_what_is_written_elsewhere() {
    for (table, key, option) in [
        ("", "snapshots", "--snapshots DIR"),
        ("", "tests", "--tests DIR"),
        ("", "output", "--output DIR"),
        ("[puppetdb]\n", "queue", "--queue DIR"),
        ("[puppetdb]\n", "store", "--store FILE.db"),
    ] {
        for path in ["/etc", "../x", "a/../../x", "/"] {
            let site = Site::new(&[("site.pp", ""), ("nodes/web1.json", "{}")]);
            let toml = format!("manifest = \"site.pp\"\nnodes = \"nodes\"\n{table}{key} = \"{path}\"\n");
            let line = toml.lines().count();
            site.write("catwalk.toml", toml);
            for args in [&["compile"][..], &["test"], &["store", "push", "--puppetdb-url", "http://127.0.0.1:1"]] {
                let run = site.run(args).expect(2, "error[WRITES_OUTSIDE]");
                let text = format!("`{key}` names {path}, which is outside of the site");
                let position = format!("catwalk.toml:{line}");
                assert!([&text, &position, option].iter().all(|text| run.stderr.contains(*text)), "{run:#?}");
            }
        }
        // Inside, and by the absolute path of the site.
        let site = Site::new(&[("site.pp", ""), ("nodes/web1.json", "{}")]);
        for path in ["x/../y", &site.path().join("y").to_string_lossy()] {
            let toml = format!("manifest = \"site.pp\"\nnodes = \"nodes\"\n{table}{key} = \"{path}\"\n");
            site.write("catwalk.toml", toml);
            site.run(&["compile", "web1", "--format", "native"]).expect(0, "");
        }
    }
}

/// Keys that are only read may lead out of a trusted site.
#[test]
fn what_is_only_read_may_be_elsewhere() {
    let site = Site::new(&[("site.pp", "include m\n"), ("nodes/web1.json", "{}")]);
    let other = Site::new(&[
        ("modules/m/manifests/init.pp", "class m { notify { lookup('k'): } }\n"),
        ("nodes/web1.json", "{}"),
    ]);
    let hiera =
        format!("version: 5\nhierarchy:\n  - name: x\n    path: x.yaml\n    datadir: {}\n", other.path().display());
    other.write("hiera.yaml", hiera);
    other.write("x.yaml", "k: v\n");
    let at = |name: &str| other.path().join(name).to_string_lossy().into_owned();
    let toml = format!(
        "modulepath = [\"{}\"]\nmanifest = \"site.pp\"\nnodes = \"{}\"\nhiera = \"{}\"\nfacts = \"{}\"\n",
        at("modules"),
        at("nodes"),
        at("hiera.yaml"),
        at("nodes"),
    );
    site.write("catwalk.toml", &toml);
    let run = site.run(&["compile", "web1", "--format", "native"]).expect(0, "");
    assert!(run.stdout.contains("\"v\""), "{run:#?}");
    site.write("catwalk.toml", format!("untrusted = true\n{toml}"));
    site.run(&["compile", "web1"]).expect(2, "may not read outside of the site");
}

/// `snapshot clean` knows the snapshots of other programs by their contents.
#[test]
fn only_own_snapshots_are_removed() {
    let site = Site::new(&[("site.pp", "notify { 'x': }\n"), ("nodes/web1.json", "{}"), ("nodes/gone.json", "{}")]);
    site.run(&["test", "--accept"]).expect(0, "");
    site.remove("nodes/gone.json");
    let others = [
        ("insta.snap", "---\nsource: src/lib.rs\nexpression: x\n---\n{\n}\n"),
        ("described.snap", "---\nsource: src/lib.rs\ndescription: d\nexpression: x\n---\n{\n}\n"),
        ("jest.snap", "// Jest Snapshot v1\n\nexports[`x 1`] = `1`;\n"),
        ("pending.snap.new", "---\nsource: src/lib.rs\nexpression: x\n---\n{\n}\n"),
        ("sub/binary.snap", "\u{0}"),
    ];
    others.iter().for_each(|(name, text)| site.write(&format!("snapshots/{name}"), text));
    let others_stay = || {
        for (name, text) in others {
            assert_eq!(std::fs::read_to_string(site.path().join("snapshots").join(name)).unwrap(), text, "{name}");
        }
    };
    let run = site.run(&["snapshot", "clean"]).expect(0, "");
    assert!(run.stdout.contains("removed gone\n") && run.stdout.contains("kept insta, which Catwalk"), "{run:#?}");
    assert!(!site.path().join("snapshots/gone.snap").exists() && site.path().join("snapshots/web1.snap").exists());
    others_stay();
    site.run(&["snapshot", "accept", "--all"]).expect(0, "");
    site.run(&["snapshot", "reject", "--all"]).expect(0, "");
    site.run(&["test", "--unreferenced", "delete"]).expect(0, "");
    others_stay();
}

/// A store is created, or is one already; the files that SQLite would take for its own are not someone else's.
#[test]
fn only_own_store_files_are_opened() {
    let site = Site::new(&[("site.pp", ""), ("nodes/web1.json", "{}")]);
    let compile = |store: &str| site.run(&["compile", "-o", "out/", "--store", store]);
    let old = filetime(&site.path().join("site.pp"));
    for (name, text) in [
        ("text.db", "notes\n"),
        ("magic.db", "SQLite format 3\u{0}rest"),
        ("new.db-wal", "x"),
        ("new.db-journal", "x"),
        ("new.db-shm", "x"),
    ] {
        site.write(name, text);
        let store = name.split('-').next().unwrap();
        let run = compile(store);
        assert_eq!(run.code, Some(1), "{name}: {run:#?}");
        assert_eq!(std::fs::read_to_string(site.path().join(name)).unwrap(), text, "{name}");
        assert!(name == store || !site.path().join(store).exists(), "{name}");
        site.remove(name);
    }
    assert_eq!(filetime(&site.path().join("site.pp")), old);
    compile("new.db").expect(0, "");
    link(Path::new("new.db"), &site.path().join("link.db"));
    compile("link.db").expect(0, "");
    site.write("catwalk.toml", "manifest = \"site.pp\"\nnodes = \"nodes\"\n[puppetdb]\nstore = \"link.db\"\n");
    site.run(&["compile", "-o", "out/"]).expect(2, "error[LINKED_DIRECTORY]");
}

fn filetime(path: &Path) -> std::time::SystemTime {
    std::fs::metadata(path).unwrap().modified().unwrap()
}
