//! What a directory with a `metadata.json` is: a module, or a control repository that only has such a file, for tools.
//!
//! In: a directory. Out: whether it is a module. Must not: read `metadata.json`, read files through links out of the directory.

use std::path::Path;
use std::sync::Arc;

use crate::session::site::FILE;
use crate::session::site::Site;
use catwalk_base::source::SourceMap;
use catwalk_world::Kind;
use catwalk_world::World;

/// Whether a directory is a module. It needs a `metadata.json`. With an `environment.conf` it is an environment. Otherwise
/// `manifests/init.pp`, which only modules have, makes it a module, whatever its tests need; without that file, a `Puppetfile`, a main
/// manifest `manifests/site.pp` or a `modulepath` in `catwalk.toml` makes it a control repository.
#[must_use]
pub fn is_module(root: &Path, world: &dyn World) -> bool {
    let has = |name: &str| world.kind(&root.join(name)) == Kind::File;
    has("metadata.json")
        && !has("environment.conf")
        && (has("manifests/init.pp")
            || !(has("Puppetfile") || has_main_manifest(root, world) || names_modulepath(root, world)))
}

/// Whether a directory is a control repository although it has a `metadata.json`.
#[must_use]
pub fn is_control_repository_with_metadata(root: &Path, world: &dyn World) -> bool {
    world.kind(&root.join("metadata.json")) == Kind::File && !is_module(root, world)
}

/// Whether there is a main manifest `manifests/site.pp`, and not a class `site` of a module.
fn has_main_manifest(root: &Path, world: &dyn World) -> bool {
    let path = root.join("manifests/site.pp");
    if world.kind(&path) != Kind::File {
        return false;
    }
    let is_inside = match (world.canonical(root), world.canonical(&path)) {
        (Ok(root), Ok(path)) => path.starts_with(root),
        _ => false,
    };
    let Some(bytes) = Some(&path).filter(|_| is_inside).and_then(|path| world.read(path).ok()) else { return true };
    let sources = SourceMap::new();
    let id = sources.add(Some(&path), "site.pp", Arc::from(&*String::from_utf8_lossy(&bytes)));
    let (file, _) = catwalk_syntax::parse_only(&sources, id, false);
    !file.definitions.iter().any(|definition| definition.name.as_str().ends_with("::site"))
}

/// Whether `catwalk.toml` names directories of modules other than fixtures of tests.
fn names_modulepath(root: &Path, world: &dyn World) -> bool {
    let has_file = world.kind(&root.join(FILE)) == Kind::File;
    let modulepath = Site::open(root, world).ok().filter(|_| has_file).and_then(|site| site.modulepath);
    modulepath.is_some_and(|folders| folders.iter().any(|folder| !folder.ends_with("fixtures/modules")))
}

#[cfg(test)]
mod tests {
    use super::*;
    use catwalk_world::Memory;

    /// The decision for a directory with `metadata.json` and these files.
    #[test]
    fn a_module_has_a_class_of_its_name_or_no_files_of_an_environment() {
        const INIT: (&str, &str) = ("manifests/init.pp", "class acme { }");
        const SITE: (&str, &str) = ("manifests/site.pp", "node default { }");
        const PUPPETFILE: (&str, &str) = ("Puppetfile", "mod 'puppetlabs/stdlib', '9.0.0'\n");
        const CONF: (&str, &str) = ("environment.conf", "");
        const MODULES: (&str, &str) = ("modules/acme/manifests/init.pp", "class acme { }");
        const FIXTURE: (&str, &str) = ("spec/fixtures/modules/a/manifests/init.pp", "class a { }");
        let toml = |text: &'static str| ("catwalk.toml", text);
        for (files, expected) in [
            (&[][..], true),
            (&[INIT], true),
            (&[("lib/puppet/functions/f.rb", "")], true),
            (&[("plans/p.pp", ""), ("tasks/t.sh", "")], true),
            (&[CONF], false),
            (&[CONF, INIT], false),
            (&[CONF, MODULES], false),
            (&[PUPPETFILE], false),
            (&[PUPPETFILE, INIT], true),
            (&[PUPPETFILE, INIT, FIXTURE], true),
            (&[PUPPETFILE, ("site-modules/role/manifests/init.pp", "class role { }")], false),
            (&[SITE], false),
            (&[SITE, MODULES], false),
            (&[SITE, INIT, FIXTURE], true),
            (&[("manifests/site.pp", "class acme::site { }"), ("hiera.yaml", "")], true),
            (&[("manifests/site.pp", ")")], false),
            (&[toml("modulepath = [\"modules\"]\n")], false),
            (&[toml("modulepath = [\"modules\"]\n"), INIT], true),
            (&[toml("modulepath = [\"spec/fixtures/modules\"]\n")], true),
            (&[toml("nodes = \"nodes\"\n")], true),
            (&[toml("not toml")], true),
            (&[MODULES], true),
            (&[FIXTURE], true),
        ] {
            let below = files.iter().map(|(path, text)| (format!("/r/{path}"), *text));
            let world = Memory::new(below.chain([("/r/metadata.json".to_owned(), "{}")]));
            assert_eq!(is_module(Path::new("/r"), &world), expected, "{files:?}");
            assert_eq!(is_control_repository_with_metadata(Path::new("/r"), &world), !expected, "{files:?}");
        }
        assert!(!is_module(Path::new("/r"), &Memory::new([("/r/manifests/init.pp", "class acme { }")])));
    }
}
