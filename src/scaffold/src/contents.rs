//! The contents of the first files.

use std::path::Path;

use serde_json::json;

use crate::files::Plan;
use crate::layout::module_folders;
use crate::layout::node_names;
use catwalk_base::diag::Code;
use catwalk_base::diag::Reason;
use catwalk_base::version::Version;
use catwalk_node::facts::Agent;
use catwalk_node::facts::rename_host;
use catwalk_snapshot::facts::FactSets;
use catwalk_value::Value;
use catwalk_value::json::to_json;
use catwalk_world::Kind;
use catwalk_world::World;

/// The lines for `.gitignore`: files that Catwalk writes and that do not belong in git.
const IGNORED: [&str; 3] = ["*.snap.new", ".catwalk/", ".catwalk-tmp/"];
/// The names of nodes if the manifests contain none.
const NODES: [&str; 2] = ["web1.example.com", "db1.example.com"];
/// The fact sets of the first two nodes.
const SETS: [&str; 2] = ["debian-12-x86_64", "redhat-9-x86_64"];

/// A system that runs tests of changes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum CiSystem {
    /// GitHub Actions.
    Github,
    /// GitLab CI.
    Gitlab,
}

impl CiSystem {
    /// The file of jobs, with its contents.
    fn file(self, has_puppetfile: bool) -> (&'static str, String) {
        let install = |indent: &str, step: &str| match has_puppetfile {
            true => {
                format!("{indent}{step}gem install r10k --no-document\n{indent}{step}r10k puppetfile install\n")
            }
            false => String::new(),
        };
        match self {
            CiSystem::Github => (
                ".github/workflows/catwalk.yml",
                include_str!("templates/github.yml").replace("{install}", &install("      ", "- run: ")),
            ),
            CiSystem::Gitlab => {
                (".gitlab-ci.yml", include_str!("templates/gitlab.yml").replace("{install}", &install("    ", "- ")))
            }
        }
    }
}

/// Adds the facts of the first two nodes to a plan.
fn nodes(plan: &mut Plan, folder: &str, names: &[String]) {
    let sets = FactSets::built_in(Agent::default());
    for (name, set) in names.iter().zip(SETS) {
        if let Ok(found) = sets.named(set)
            && let [set] = found.as_slice()
        {
            let facts = Value::hash(rename_host(&set.facts, name));
            let text = serde_json::to_string_pretty(&to_json(&facts)).unwrap_or_default();
            plan.add(format!("{folder}/{name}.json"), format!("{text}\n"));
        }
    }
}

/// The beginning of a new `catwalk.toml`.
fn configuration_start() -> String {
    format!(
        "# Configuration of Catwalk. Paths are relative to this file.\n\n\
         # The version of Puppet: 7, 8, 9 or a release such as 8.28.\n\
         puppet = \"{}\"\n\n",
        Version::default().major
    )
}

fn usual_names() -> Vec<String> {
    NODES.map(str::to_owned).to_vec()
}

/// The files of Catwalk in a control repository: configuration, facts of two nodes, CI jobs.
pub fn site_configuration(root: &Path, ci: Option<CiSystem>, world: &dyn World) -> Plan {
    let mut plan = Plan { ignored: IGNORED.to_vec(), ..Plan::default() };
    let exists = |name: &str| world.kind(&root.join(name)) != Kind::Missing;
    let mut text = configuration_start();
    let folders = module_folders(root, world);
    if !exists("environment.conf") && folders.iter().any(|folder| *folder != "modules") {
        let mut folders = folders;
        if !folders.contains(&"modules") {
            folders.push("modules");
        }
        text.push_str(&format!("modulepath = {}\n\n", json!(folders)));
    }
    text.push_str(
        "# One file of facts for each node, CERTNAME.json: `puppet facts show > nodes/CERTNAME.json` on a node.\n\
         nodes = \"nodes\"\n\n\
         # Where `catwalk compile` writes the catalogs of all nodes.\n\
         output = \".catwalk/catalogs\"\n",
    );
    plan.add("catwalk.toml", text);
    if !exists("nodes") {
        let mut names: Vec<String> = node_names(root, world).into_iter().map(|name| name.to_lowercase()).collect();
        names.dedup();
        names.extend(usual_names());
        names.truncate(2);
        nodes(&mut plan, "nodes", &names);
    }
    plan.files.extend(ci.map(|ci| ci.file(exists("Puppetfile"))).map(|(name, text)| (name.to_owned(), text)));
    plan
}

/// A new site: roles and profiles, data, a main manifest, two nodes, a test.
pub fn site_files(root: &Path, name: &str, ci: Option<CiSystem>, world: &dyn World) -> Plan {
    let mut plan = Plan::default();
    plan.add("README.md", include_str!("templates/site_readme.md").replace("{name}", name));
    plan.add("environment.conf", include_str!("templates/environment.conf"));
    plan.add("Puppetfile", include_str!("templates/Puppetfile"));
    plan.add("hiera.yaml", include_str!("templates/site_hiera.yaml"));
    plan.add("data/common.yaml", include_str!("templates/site_common.yaml"));
    plan.add("data/os/Debian.yaml", include_str!("templates/site_debian.yaml"));
    plan.add("manifests/site.pp", include_str!("templates/site.pp"));
    plan.add("site-modules/role/manifests/server.pp", include_str!("templates/role.pp"));
    plan.add("site-modules/profile/manifests/base.pp", include_str!("templates/profile.pp"));
    plan.add("tests/server.yaml", include_str!("templates/site_test.yaml"));
    let configuration = site_configuration(root, None, world);
    plan.files.extend(configuration.files.into_iter().filter(|(name, _)| !name.starts_with("nodes/")));
    nodes(&mut plan, "nodes", &usual_names());
    plan.files.extend(ci.map(|ci| ci.file(true)).map(|(name, text)| (name.to_owned(), text)));
    plan.ignored = [&IGNORED[..], &["modules/"]].concat();
    plan
}

/// The files of Catwalk in a module: configuration, a manifest and two nodes with the module's class, CI jobs.
pub fn module_configuration(name: &str, ci: Option<CiSystem>) -> Plan {
    let mut plan = Plan { ignored: IGNORED.to_vec(), ..Plan::default() };
    plan.add(
        "catwalk.toml",
        configuration_start()
            + "# The module is compiled with this manifest for the nodes whose facts are in this folder.\n\
         manifest = \"tests/site.pp\"\n\
         nodes = \"tests/nodes\"\n\n\
         # Where `catwalk compile` writes the catalogs of all nodes.\n\
         output = \".catwalk/catalogs\"\n",
    );
    plan.add("tests/site.pp", format!("include {name}\n"));
    nodes(&mut plan, "tests/nodes", &usual_names());
    plan.files.extend(ci.map(|ci| ci.file(false)).map(|(name, text)| (name.to_owned(), text)));
    plan.ignored.push("spec/fixtures/modules/");
    plan
}

/// A new module: the layout of `pdk new module` without Ruby tools, a class, and a test of it.
///
/// # Errors
/// The name is not valid for a module: exit code 2.
pub fn module_files(full: &str, user: Option<&str>, ci: Option<CiSystem>) -> Result<(String, Plan), Reason> {
    let (author, name) = match full.split_once(['-', '/']) {
        Some((author, name)) => (author.to_owned(), name),
        None => (author(user), full),
    };
    let is_word = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_';
    if !name.starts_with(|c: char| c.is_ascii_lowercase()) || !name.chars().all(is_word) || author.is_empty() {
        let text = format!("'{full}' is not the name of a module");
        let help = "a name begins with a lower-case letter and has lower-case letters, digits and _; an author may precede it: acme-ntp";
        return Err(Reason::new(Code::USAGE, text).help(help));
    }
    let metadata = json!({
        "name": format!("{author}-{name}"), "version": "0.1.0", "author": author,
        "summary": format!("Manages {name}"), "license": "Apache-2.0",
        "source": format!("https://github.com/{author}/puppet-{name}"),
        "dependencies": [],
        "operatingsystem_support": [
            {"operatingsystem": "Debian", "operatingsystemrelease": ["12", "13"]},
            {"operatingsystem": "RedHat", "operatingsystemrelease": ["8", "9"]},
            {"operatingsystem": "Ubuntu", "operatingsystemrelease": ["22.04", "24.04"]},
        ],
        "requirements": [{"name": "puppet", "version_requirement": ">= 7.24.0 < 9.0.0"}],
    });
    let named = |text: &str| text.replace("{name}", name);
    let mut plan = Plan::default();
    plan.add("metadata.json", format!("{}\n", serde_json::to_string_pretty(&metadata).unwrap_or_default()));
    plan.add("README.md", named(include_str!("templates/module_readme.md")));
    plan.add("CHANGELOG.md", include_str!("templates/module_changelog.md"));
    plan.add("manifests/init.pp", named(include_str!("templates/module_init.pp")));
    plan.add("examples/init.pp", format!("include {name}\n"));
    plan.add("hiera.yaml", include_str!("templates/module_hiera.yaml"));
    plan.add("data/common.yaml", named(include_str!("templates/module_common.yaml")));
    for folder in ["files", "templates", "tasks"] {
        plan.add(format!("{folder}/.gitkeep"), "");
    }
    plan.add(".fixtures.yml", include_str!("templates/module_fixtures.yml"));
    plan.add(format!("tests/{name}.yaml"), named(include_str!("templates/module_test.yaml")));
    let configuration = module_configuration(name, ci);
    plan.files.extend(configuration.files);
    plan.ignored = [configuration.ignored, vec!["pkg/"]].concat();
    Ok((name.to_owned(), plan))
}

/// The author of a module: the user's name, as with `pdk new module`.
fn author(user: Option<&str>) -> String {
    let letters = user.unwrap_or_default().chars().filter(char::is_ascii_alphanumeric);
    let name: String = letters.collect::<String>().to_lowercase();
    if name.is_empty() { "author".to_owned() } else { name }
}
