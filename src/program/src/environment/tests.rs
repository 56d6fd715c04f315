//! Where files are found, against Puppet's recorded answers.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "tests")]

use std::path::Path;
use std::path::PathBuf;

use super::Environment;
use super::Overrides;
use super::Settings;
use super::metadata;
use super::metadata::ModuleMetadata;
use catwalk_base::diag::Diagnostic;
use catwalk_world::Memory;

const ROOT: &str = "/code/environments/production";

fn open(conf: &str, settings: &[(&str, &str)]) -> Result<(Environment, Vec<String>), String> {
    let mut world = world();
    world.write(format!("{ROOT}/environment.conf"), conf);
    let mut all = Settings::default();
    all.values.insert("codedir".into(), "/code".into());
    all.values.extend(settings.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())));
    let opened = Environment::open_with(
        "production",
        Some(Path::new(ROOT)),
        &Overrides::default(),
        &all,
        &metadata::MetadataCache::default(),
        &world,
    );
    let (environment, notes) = opened.map_err(|reason| reason.message.into_owned())?;
    Ok((environment, notes.iter().map(|note| note.message.to_string()).collect()))
}

fn world() -> Memory {
    let files = [
        "manifests/b.pp",
        "manifests/a/z.pp",
        "manifests/.hidden.pp",
        "manifests/notes.txt",
        "site.pp",
        "modules/apt/manifests/init.pp",
        "modules/apt/templates/x.epp",
        "modules/apt/files/f",
        "modules/Bad/manifests/init.pp",
        "modules/my-mod/manifests/init.pp",
        "extra/one/m1/manifests/init.pp",
        "extra/two/apt/manifests/init.pp",
        "modules/plain_file",
    ];
    Memory::new(files.map(|file| (format!("{ROOT}/{file}"), "")))
}

#[test]
fn conf() {
    let base = "/code/modules /usr/share/puppet/modules";
    let cases = [
        ("", format!("R/modules {base} | R/manifests |  | ")),
        ("modulepath = site:modules:$basemodulepath\n", format!("R/site R/modules {base} | R/manifests |  | ")),
        ("modulepath = ${basemodulepath}:modules", "R/modules | R/manifests |  | ".into()),
        ("modulepath=extra/*\nmodulepath=other", "R/extra/one R/extra/two | R/manifests |  | ".into()),
        ("  manifest = \"site.pp\"  \n# c\n\nconfig_version = bin/v.sh $environment", format!("R/modules {base} | R/site.pp | R/bin/v.sh production | ")),
        ("manifest = /abs/../x", format!("R/modules {base} | /x |  | ")),
        ("modulepath = /e/$environment", "/e/$environment | R/manifests |  | You cannot interpolate $environment within 'modulepath' when using directory environments. Its value will remain /e/$environment.".into()),
        ("foo = 1\nbar = 2\n", format!("R/modules {base} | R/manifests |  | Invalid settings in environment.conf at 'R/environment.conf'. The following unknown setting(s) are being ignored: foo, bar\n   (file & line not available)")),
        ("[main]\nmanifest = m\n[x]\nmanifest = n\n[y]\n", format!("R/modules {base} | R/m |  | Invalid sections in environment.conf at 'R/environment.conf'. Environment conf may not have sections. The following sections are being ignored: 'x,y'\n   (file & line not available)")),
        ("modulepath = $nope/x", "error: Error converting value for param 'modulepath': Could not find value for $nope".into()),
        ("modulepath\n", "error: Could not match line modulepath (file: R/environment.conf, line: 1)".into()),
    ];
    for (conf, expected) in cases {
        let shown = match open(conf, &[]) {
            Ok((environment, notes)) => {
                let paths: Vec<String> = environment.modulepath.iter().map(|path| path.display().to_string()).collect();
                let manifest = environment.manifest.map(|path| path.display().to_string()).unwrap_or_default();
                let version = environment.config_version.unwrap_or_default();
                format!("{} | {manifest} | {version} | {}", paths.join(" "), notes.join(" / "))
            }
            Err(error) => format!("error: {error}"),
        };
        assert_eq!(shown.replace(ROOT, "R"), expected, "{conf}");
    }
}

#[test]
fn the_default_manifest_can_be_the_only_one() {
    let settings = [("disable_per_environment_manifest", "true"), ("default_manifest", "/main")];
    let (environment, notes) = open("manifest = mine", &settings).unwrap();
    assert_eq!(environment.manifest, Some(PathBuf::from("/main")));
    assert!(
        notes[0].starts_with("The 'disable_per_environment_manifest' setting is true, but the environment located at")
    );
    let error = "The 'disable_per_environment_manifest' setting is true, and the 'production' environment has an environment.conf manifest";
    assert!(environment.validation_error.unwrap().starts_with(error));
    let relative = open("", &[("disable_per_environment_manifest", "true")]).unwrap_err();
    assert!(relative.contains("must be set to an absolute path"), "{relative}");
}

#[test]
fn a_provider_of_data_for_all_environments() {
    let settings = [("environment_data_provider", "function")];
    assert_eq!(open("", &settings).unwrap().0.data_provider.as_deref(), Some("function"));
    let own = open("environment_data_provider = none", &settings).unwrap().0;
    assert_eq!(own.data_provider.as_deref(), Some("none"));
}

#[test]
fn main_manifest() {
    let files = |conf: &str| -> Vec<String> {
        let files = open(conf, &[]).unwrap().0.manifest_files(&world()).unwrap();
        files.iter().map(|file| file.display().to_string().replace(ROOT, "R")).collect()
    };
    assert_eq!(files(""), ["R/manifests/a/z.pp", "R/manifests/b.pp"]);
    assert_eq!(files("manifest = site.pp"), ["R/site.pp"]);
    assert_eq!(files("manifest = site"), ["R/site.pp"]);
    assert!(files("manifest = none").is_empty());
}

#[test]
fn names_to_paths() {
    let (environment, _) = open("modulepath = modules:extra/*", &[]).unwrap();
    let names: Vec<&str> = environment.modules.keys().map(|name| &**name).collect();
    assert_eq!(names, ["apt", "m1"]);
    let show = |paths: Vec<PathBuf>| -> String {
        let paths: Vec<String> = paths.iter().map(|path| path.display().to_string()).collect();
        paths.join(" ").replace(ROOT, "R").replace("R/modules/apt/", "A/")
    };
    let classes = [
        ("apt", "A/manifests/init.pp"),
        ("apt::b::c", "A/manifests/init.pp A/manifests/b/c.pp A/manifests/b.pp"),
        ("m1", "R/extra/one/m1/manifests/init.pp"),
        ("nope::x", ""),
        ("apt::..::x", ""),
    ];
    for (name, expected) in classes {
        assert_eq!(show(environment.manifest_candidates(name)), expected, "{name}");
    }
    let functions = [
        ("apt::f", "A/functions/f.pp"),
        ("apt::a::f", "A/functions/a/f.pp"),
        ("environment::f", "R/functions/environment/f.pp"),
        ("f", "R/functions/f.pp"),
        ("nope::f", ""),
    ];
    for (name, expected) in functions {
        assert_eq!(show(environment.definition_file("functions", name).into_iter().collect()), expected, "{name}");
    }
    assert_eq!(
        show(environment.ruby_function_files("apt::f")),
        "A/lib/puppet/functions/apt/f.rb A/lib/puppet/parser/functions/apt/f.rb"
    );
    // Two folders of the environment and of each module, and that of 3.x functions of hidden modules.
    assert_eq!(environment.ruby_function_files("f").len(), 9);
    assert_eq!(
        show(environment.ruby_function_files("environment::f")),
        "R/lib/puppet/functions/environment/f.rb R/lib/puppet/parser/functions/environment/f.rb"
    );
    let world = world();
    assert!(environment.template_file("apt/x", true, &world).is_some());
    assert!(environment.template_file("apt/x", false, &world).is_none());
}

#[test]
fn module_metadata() {
    let (environment, _) = open("", &[]).unwrap();
    let module = environment.module("apt").unwrap();
    // The dependencies of the module, whether the module is used, and the message.
    let read = |text: &str| {
        let mut world = world();
        world.write(module.root.join("metadata.json"), text);
        let found = metadata::MetadataCache::default().get(&module.name, &module.root, &Settings::default(), &world);
        let message = |diagnostic: &Diagnostic| diagnostic.message.to_string();
        match found.map_err(|reason| reason.message.into_owned()) {
            Ok(ModuleMetadata::Used { dependencies, warning }) => {
                let names: Vec<&str> = dependencies.iter().map(|name| name.as_str()).collect();
                Ok((names.join(" "), true, warning.as_ref().map(message).unwrap_or_default()))
            }
            Ok(ModuleMetadata::Excluded(reason)) => Ok((String::new(), false, message(&reason))),
            Err(message) => Err(message),
        }
    };
    let nothing = (String::new(), true, String::new());
    let full = r#"{"name":"puppetlabs-apt","version":"9.0.0","author":"a","source":"s","license":"l","dependencies":[{"name":"puppetlabs/stdlib","version_requirement":">= 8"},{"name":"x-y"},{"name":"z"}]}"#;
    assert_eq!(read(full).unwrap(), ("stdlib y".to_owned(), true, String::new()));
    // The complete reader, since a string has an escape, agrees.
    assert_eq!(read(&full.replace("9.0.0", "9\\u002e0")).unwrap(), ("stdlib y".to_owned(), true, String::new()));
    let missing = (String::new(), false, "No source module metadata provided for apt".to_owned());
    assert_eq!(read(r#"{"name":"a-b"}"#).unwrap(), missing);
    assert_eq!(read("{}").unwrap(), nothing);
    let (_, is_used, warning) = read("{").unwrap();
    assert!(is_used && warning.starts_with("apt has an invalid and unparsable metadata.json file."));
    for list in [r#"["n","s","a","v","l",[]]"#.to_owned(), full.replace(r#"{"name":"z"}"#, r#"["z"]"#)] {
        assert_eq!(read(&list).unwrap_err(), "no implicit conversion of String into Integer", "{list}");
    }
}
