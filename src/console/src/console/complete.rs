//! Completions of a word: variables, functions, classes, defined types, data types.

use std::collections::BTreeSet;
use std::path::Path;

use crate::console::Console;
use crate::console::command;
use catwalk_functions as functions;
use catwalk_program::Environment;
use catwalk_program::Registry;
use catwalk_value::capitalize_segments;
use catwalk_world::Kind;
use catwalk_world::World;

/// The limit on the depth of searched folders below a module.
const DEPTH: usize = 16;

/// Keywords that begin or continue a statement.
const KEYWORDS: [&str; 20] = [
    "and",
    "application",
    "case",
    "class",
    "default",
    "define",
    "else",
    "elsif",
    "false",
    "function",
    "if",
    "in",
    "inherits",
    "node",
    "or",
    "true",
    "type",
    "undef",
    "unless",
    "import",
];

/// Data types, without resource types.
const TYPES: [&str; 41] = [
    "Any",
    "Array",
    "Binary",
    "Boolean",
    "Callable",
    "CatalogEntry",
    "Class",
    "Collection",
    "Data",
    "Default",
    "Deferred",
    "Enum",
    "Error",
    "Float",
    "Hash",
    "Init",
    "Integer",
    "Iterable",
    "Iterator",
    "NotUndef",
    "Numeric",
    "Object",
    "Optional",
    "Pattern",
    "Regexp",
    "Resource",
    "RichData",
    "Runtime",
    "Scalar",
    "ScalarData",
    "SemVer",
    "SemVerRange",
    "Sensitive",
    "String",
    "Struct",
    "Timespan",
    "Timestamp",
    "Tuple",
    "Type",
    "URI",
    "Variant",
];

/// Names that the environment defines, collected once.
#[derive(Debug, Default)]
pub(super) struct Names {
    /// Functions, classes, defined types, resource types, as written in declarations.
    lower: BTreeSet<String>,
    /// Types as written in references.
    upper: BTreeSet<String>,
}

impl Names {
    fn new(environment: &Environment, world: &dyn World) -> Names {
        let mut names = Names::default();
        names.lower.extend(KEYWORDS.iter().map(|word| (*word).to_owned()));
        names.upper.extend(TYPES.iter().map(|name| (*name).to_owned()));
        let stdlib = environment.module("stdlib").is_some();
        let core_and_stdlib = functions::all().take(if stdlib { usize::MAX } else { functions::ALL.len() });
        names.lower.extend(core_and_stdlib.map(|function| function.name.to_owned()));
        Registry::core_names().chain(Registry::names_in_core_modules()).for_each(|name| names.resource_type(name));
        for (module_name, module) in environment.modules.iter() {
            let below = |folder: &str, ending: &str| {
                let mut found = Vec::new();
                collect(&module.root.join(folder), ending, "", world, &mut found, 0);
                found
            };
            let full = |name: &String| format!("{module_name}::{name}");
            for name in below("manifests", ".pp") {
                let name = if name == "init" { module_name.to_string() } else { full(&name) };
                names.resource_type(&name);
            }
            names.lower.extend(below("functions", ".pp").iter().map(full));
            names.lower.extend(below("scripts/functions", ".rhai").iter().map(full));
            names.lower.extend(below("lib/puppet/functions", ".rb"));
            names.lower.extend(below("lib/puppet/parser/functions", ".rb"));
            names.upper.extend(below("types", ".pp").iter().map(|name| capital(&full(name))));
            below("scripts/types", ".rhai").iter().for_each(|name| names.resource_type(name));
            below("lib/puppet/type", ".rb").iter().for_each(|name| names.resource_type(name));
        }
        if let Some(site) = &environment.root {
            let mut found = Vec::new();
            collect(&site.join("scripts/types"), ".rhai", "", world, &mut found, 0);
            found.iter().for_each(|name| names.resource_type(name));
        }
        names
    }

    fn resource_type(&mut self, name: &str) {
        self.lower.insert(name.to_owned());
        self.upper.insert(capital(name));
    }
}

fn capital(name: &str) -> String {
    capitalize_segments(name).into_owned()
}

/// Collects the names for the files below a folder: `a::b` for `a/b.pp`.
fn collect(folder: &Path, ending: &str, prefix: &str, world: &dyn World, names: &mut Vec<String>, depth: usize) {
    let Ok(entries) = world.list(folder) else { return };
    for entry in entries.iter() {
        match (entry.kind, entry.name.strip_suffix(ending)) {
            (Kind::File, Some(stem)) => names.push(format!("{prefix}{stem}")),
            (Kind::Directory, _) if depth < DEPTH => {
                let prefix = format!("{prefix}{}::", entry.name);
                collect(&folder.join(&*entry.name), ending, &prefix, world, names, depth + 1);
            }
            _ => {}
        }
    }
}

impl Console<'_> {
    /// The start of the word before `at` (a byte offset), and its completions, sorted.
    #[must_use]
    pub fn complete(&self, line: &str, at: usize) -> (usize, Vec<String>) {
        let before = line.get(..at).unwrap_or(line);
        let is_word_part = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | ':');
        let start = before.trim_end_matches(is_word_part).len();
        let word = before.get(start..).unwrap_or("");
        if before.get(..start).is_some_and(|head| head.trim().is_empty())
            && word.starts_with(':')
            && !word.starts_with("::")
        {
            return (start, command::names().into_iter().filter(|name| name.starts_with(word)).collect());
        }
        if before.get(..start).is_some_and(|head| head.ends_with('$') || head.ends_with("${")) {
            return (start, self.variables_like(word));
        }
        let (lead, bare) = word.strip_prefix("::").map_or(("", word), |bare| ("::", bare));
        if bare.is_empty() {
            return (start, Vec::new());
        }
        let names = self.names.get_or_init(|| Names::new(&self.ev.program.environment, self.ev.world));
        let [classes, defines, functions, aliases] = self.ev.program.names();
        let mut candidates: BTreeSet<String> = BTreeSet::new();
        if bare.starts_with(|c: char| c.is_ascii_uppercase()) {
            candidates.extend(names.upper.iter().cloned());
            candidates.extend(classes.iter().chain(&defines).chain(&aliases).map(|name| capital(name.as_str())));
        } else {
            candidates.extend(names.lower.iter().cloned());
            candidates.extend(classes.iter().chain(&defines).chain(&functions).map(|name| name.as_str().to_owned()));
        }
        (
            start,
            candidates.into_iter().filter(|name| name.starts_with(bare)).map(|name| format!("{lead}{name}")).collect(),
        )
    }

    fn variables_like(&self, word: &str) -> Vec<String> {
        let mut candidates: BTreeSet<String> =
            self.ev.visible_variables().keys().map(|name| name.as_str().to_owned()).collect();
        if word.contains(':') || !word.is_empty() {
            let mut scopes: Vec<_> = self.ev.class_scopes.iter().collect();
            scopes.sort_by_key(|(_, scope)| scope.0);
            for (class, scope) in scopes {
                let Some(scope) = self.ev.scope(*scope) else { continue };
                candidates.extend(scope.vars.iter().map(|(name, _)| format!("{class}::{name}")));
            }
        }
        let (lead, bare) = word.strip_prefix("::").map_or(("", word), |bare| ("::", bare));
        candidates.into_iter().filter(|name| name.starts_with(bare)).map(|name| format!("{lead}{name}")).collect()
    }
}
