//! The legacy facts that nodes use, and the places where code names them.
//!
//! In: the names with their nodes, the files that these nodes read. Out: [`LegacyFact`]s. Must not: compile.

use std::path::Path;
use std::path::PathBuf;
use std::sync::Arc;

use indexmap::IndexMap;
use indexmap::IndexSet;

use catwalk_node::facts::legacy;
use catwalk_regexp::Regexp;
use catwalk_world::Kind;
use catwalk_world::World;

/// A legacy fact that nodes use.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LegacyFact {
    /// The name, such as `osfamily`.
    pub name: String,
    /// The path of the structured fact, such as `os.family`.
    pub structured: String,
    /// Whether it has the same value; otherwise the value is in it.
    pub has_same_value: bool,
    /// The nodes that use it.
    pub nodes: Vec<Arc<str>>,
    /// Files and lines that name it.
    pub places: Vec<(PathBuf, usize)>,
}

/// The facts with the places in these files; those of the most nodes come first.
pub(super) fn located(
    used: IndexMap<String, Vec<Arc<str>>>,
    read: &IndexSet<PathBuf>,
    world: &dyn World,
) -> Vec<LegacyFact> {
    let mut facts: Vec<LegacyFact> = used
        .into_iter()
        .filter_map(|(name, mut nodes)| {
            let (structured, has_same_value) = legacy::structured(&name)?;
            nodes.sort();
            Some(LegacyFact { name, structured, has_same_value, nodes, places: Vec::new() })
        })
        .collect();
    facts.sort_by(|a, b| (b.nodes.len(), &a.name).cmp(&(a.nodes.len(), &b.name)));
    if facts.is_empty() {
        return facts;
    }
    let mut files: Vec<&PathBuf> = read.iter().filter(|path| is_code(path)).collect();
    files.sort();
    let patterns: Vec<Regexp> = facts.iter().map(|fact| pattern(&fact.name)).collect();
    for path in files {
        let Some(text) =
            Some(path).filter(|path| world.kind(path) == Kind::File).and_then(|path| world.read(path).ok())
        else {
            continue;
        };
        let text = String::from_utf8_lossy(&text);
        for (fact, pattern) in facts.iter_mut().zip(&patterns).filter(|(fact, _)| text.contains(&fact.name)) {
            let lines = text.lines().enumerate();
            let named = lines.filter(|(_, line)| pattern.is_match(line).unwrap_or(false));
            fact.places.extend(named.map(|(at, _)| (path.clone(), at + 1)));
        }
    }
    facts
}

/// Manifests, templates, data, and code in Ruby.
fn is_code(path: &Path) -> bool {
    let extension = path.extension().and_then(|extension| extension.to_str());
    extension.is_some_and(|extension| ["pp", "epp", "erb", "yaml", "yml", "json", "rb", "rhai"].contains(&extension))
        && !path.ends_with("metadata.json")
}

/// The forms in which code names a fact: `$osfamily`, `$facts['osfamily']`, `@osfamily`, `scope['::osfamily']`, `%{osfamily}`, …
fn pattern(name: &str) -> Regexp {
    let before = [
        r"\$\{?(?:::)?",
        r"@",
        r"%\{(?:::)?",
        r#"facts(?:\[\s*['"]?|\.)"#,
        r#"scope(?:\.lookupvar\(|\[)\s*['"](?:::)?"#,
        r#"\b(?:fact|lookupvar|getvar)\(\s*['"](?:::|facts\.)?"#,
    ];
    Regexp::new(format!("(?:{})(?:facts\\.)?{name}\\b", before.join("|")))
}
