//! `glob`: files of the compiling machine by patterns, as Ruby's `Dir.glob` finds them.

use std::path::Path;

use crate::eval::Call;
use crate::eval::Res;
use crate::functions::Function;
use crate::functions::ruby;
use crate::functions::runtime3;
use crate::functions::runtime3::fail;
use crate::value::Value;
use crate::world::Descent;
use crate::world::Entry;
use crate::world::Kind;
use crate::world::World;

pub(super) const GLOB: Function = Function {
    name: "glob",
    signatures: &[("Any *$args", glob)],
    doc: "Gives the paths on the compiling machine that match a pattern or one of several: `*`, `?`, `[a-z]`, `{a,b}` \
          within a name, `**/` for directories at any depth. Names with a leading dot only match where the pattern has it.",
    examples: &[
        ("glob('/no/such/*')", "[]"),
        ("glob()", "error: glob(): Wrong number of arguments given (0 for 1)"),
        ("glob(1)", "error: glob(): Requires either array or string to work"),
    ],
};

/// Directories below each other, and paths, that are looked at: more stop the search.
const MOST: usize = 100_000;

fn glob(call: &mut Call<'_, '_>) -> Res<Value> {
    let args = runtime3::args(call)?;
    let patterns: &[Value] = match args.as_ref() {
        [Value::Array(patterns)] => patterns,
        [pattern @ Value::Str(_)] => std::slice::from_ref(pattern),
        [_] => return fail("glob(): Requires either array or string to work"),
        args => return fail(format!("glob(): Wrong number of arguments given ({} for 1)", args.len())),
    };
    let mut found = Vec::new();
    for pattern in patterns {
        let Value::Str(pattern) = pattern else {
            return fail(format!("no implicit conversion of {} into String", ruby::conversion_name(pattern)));
        };
        if !paths(call.ev.world, pattern, &mut found) {
            return fail(format!("glob(): more than {MOST} files to look at"));
        }
    }
    Ok(Value::array(found.into_iter().map(Value::from).collect()))
}

/// The paths that match a pattern, added to those found; false when there are too many files to look at.
pub(crate) fn paths(world: &dyn World, pattern: &str, found: &mut Vec<String>) -> bool {
    let Some(patterns) = alternatives(pattern) else { return false };
    let mut search = Search { world, found, looked: 0, descent: Descent::default() };
    for pattern in patterns {
        search.looked += 1;
        let (start, parts) = match pattern.strip_prefix('/') {
            Some(rest) => ("/", rest),
            None => ("", pattern.as_str()),
        };
        let parts: Vec<&str> = parts.split('/').filter(|part| !part.is_empty()).collect();
        if !parts.is_empty() {
            search.below(start, &parts, pattern.ends_with('/'));
        } else if start == "/" {
            search.found.push("/".to_owned());
        }
        if search.looked > MOST {
            return false;
        }
    }
    true
}

/// The patterns that `{a,b}` stands for, in order; nothing when they are too many.
fn alternatives(pattern: &str) -> Option<Vec<String>> {
    let mut done = Vec::new();
    let mut left = vec![pattern.to_owned()];
    while let Some(pattern) = left.pop() {
        // The number of patterns doubles with every pair of braces.
        if left.len() + done.len() > MOST {
            return None;
        }
        crate::meter::charge(pattern.len());
        match braces(&pattern) {
            Some((open, close)) => {
                let (before, after) = (pattern.get(..open).unwrap_or(""), pattern.get(close + 1..).unwrap_or(""));
                let choices = choices(pattern.get(open + 1..close).unwrap_or(""));
                left.extend(choices.iter().rev().map(|choice| format!("{before}{choice}{after}")));
            }
            None => done.push(pattern),
        }
    }
    Some(done)
}

/// Where the first pair of braces is.
fn braces(pattern: &str) -> Option<(usize, usize)> {
    let (mut depth, mut open, mut escaped) = (0, 0, false);
    for (at, c) in pattern.char_indices() {
        match c {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            '{' => {
                if depth == 0 {
                    open = at;
                }
                depth += 1;
            }
            '}' if depth == 1 => return Some((open, at)),
            '}' if depth > 1 => depth -= 1,
            _ => {}
        }
    }
    None
}

/// The parts between commas that are in no braces of their own.
fn choices(inner: &str) -> Vec<&str> {
    let (mut depth, mut from, mut out) = (0, 0, Vec::new());
    for (at, c) in inner.char_indices() {
        match c {
            '{' => depth += 1,
            '}' => depth -= 1,
            ',' if depth == 0 => {
                out.push(inner.get(from..at).unwrap_or(""));
                from = at + 1;
            }
            _ => {}
        }
    }
    out.push(inner.get(from..).unwrap_or(""));
    out
}

struct Search<'s> {
    world: &'s dyn World,
    found: &'s mut Vec<String>,
    looked: usize,
    descent: Descent,
}

impl Search<'_> {
    /// What matches the parts below a directory. `slash`: only directories, and with a slash at the end.
    fn below(&mut self, directory: &str, parts: &[&str], slash: bool) {
        let Some((part, rest)) = parts.split_first() else { return };
        if self.looked > MOST {
            return;
        }
        if *part == "**" && !rest.is_empty() {
            self.below(directory, rest, slash);
            for entry in self.entries(directory) {
                if !entry.name.starts_with('.') && self.descent.enters_unlinked(&entry) {
                    self.below(&join(directory, &entry.name), parts, slash);
                }
            }
            return;
        }
        let matching = if part.contains(['*', '?', '[', '\\']) {
            let Ok(glob) = globset::Glob::new(part) else { return };
            let (glob, hidden) = (glob.compile_matcher(), part.starts_with('.'));
            let names = self.entries(directory).into_iter().map(|entry| entry.name.to_string());
            names.filter(|name| hidden == name.starts_with('.') && glob.is_match(name)).collect()
        } else {
            vec![(*part).to_owned()]
        };
        for name in matching {
            let path = join(directory, &name);
            if !rest.is_empty() {
                self.below(&path, rest, slash);
                continue;
            }
            match self.world.kind(Path::new(&path)) {
                Kind::Directory if slash => self.found.push(format!("{path}/")),
                Kind::Directory | Kind::File if !slash => self.found.push(path),
                _ => {}
            }
        }
    }

    fn entries(&mut self, directory: &str) -> Vec<Entry> {
        let at = if directory.is_empty() { "." } else { directory };
        let entries = self.world.list(Path::new(at)).map(|list| list.to_vec()).unwrap_or_default();
        self.looked += entries.len() + 1;
        crate::meter::tick(16 * entries.len() + 256);
        entries
    }
}

fn join(directory: &str, name: &str) -> String {
    match directory {
        "" => name.to_owned(),
        "/" => format!("/{name}"),
        directory => format!("{directory}/{name}"),
    }
}
