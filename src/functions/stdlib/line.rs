//! Which functions the module stdlib on the modulepath has: its lines differ.
//!
//! In: a function's name, the module's files. Out: whether the module has it, and as what. In its 9.x line the old names are
//! deprecated calls of those in `stdlib::`, and a few functions do other things than before.
//! A module without Ruby has all of them: then nothing says what is meant.

use std::path::Path;
use std::path::PathBuf;

use crate::eval::Evaluator;
use crate::functions::dispatch::Entry;
use crate::functions::dispatch::find_newer;
use crate::names::Name;
use crate::world::Kind;
use crate::world::World;

/// What a name stands for in the module.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Line {
    /// The function as it is in both lines.
    Own,
    /// As it is since 9.0.
    Newer(&'static Entry),
    /// A deprecated name: the function of the same name in `stdlib::` is called; `true` when a warning is given first.
    Shim(bool),
    /// The module does not have it.
    Missing,
}

/// What a function's name stands for; `None` without the module.
pub(crate) fn line(ev: &Evaluator<'_>, name: Name) -> Option<Line> {
    let root = &ev.program.environment.module("stdlib")?.root;
    let is_file = |path: String| ev.world.kind(&root.join(path)) == Kind::File;
    if ev.world.kind(&root.join("lib/puppet")) != Kind::Directory {
        return Some(Line::Own);
    }
    let text = name.as_str();
    if let Some(own) = text.strip_prefix("stdlib::") {
        let there = is_file(format!("lib/puppet/functions/stdlib/{own}.rb")) || is_file(format!("functions/{own}.pp"));
        return Some(if there { Line::Own } else { Line::Missing });
    }
    let newer_api = is_file(format!("lib/puppet/functions/{text}.rb"));
    if newer_api && is_file(format!("lib/puppet/functions/stdlib/{text}.rb")) {
        return Some(Line::Shim(true));
    }
    if newer_api && is_file(format!("functions/{text}.pp")) {
        // `stdlib::time` warns itself.
        return Some(Line::Shim(text != "time"));
    }
    if !newer_api && !is_file(format!("lib/puppet/parser/functions/{text}.rb")) {
        // Of another stdlib on the modulepath, which this one hides, functions of the older interface are there.
        let hidden = ev.program.environment.hidden.iter().filter(|root| root.ends_with("stdlib"));
        let older = |root: &PathBuf| root.join(format!("lib/puppet/parser/functions/{text}.rb"));
        let there = hidden.map(older).any(|path| ev.world.kind(&path) == Kind::File);
        return Some(if there { Line::Own } else { Line::Missing });
    }
    Some(match find_newer(name) {
        Some(entry) if is_nine(root, ev.world) => Line::Newer(entry),
        _ => Line::Own,
    })
}

/// Whether the module is of the 9.x line or later, by its `metadata.json`.
fn is_nine(root: &Path, world: &dyn World) -> bool {
    let Ok(bytes) = world.read(&root.join("metadata.json")) else { return true };
    let version = serde_json::from_slice::<serde_json::Value>(&bytes).ok();
    let version = version.as_ref().and_then(|metadata| metadata.get("version")?.as_str());
    let major = version.and_then(|version| version.split('.').next()?.parse::<u32>().ok());
    major.is_none_or(|major| major >= 9)
}
