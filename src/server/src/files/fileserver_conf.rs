//! `fileserver.conf`: mounts that serve directories (`Puppet::FileServing::Configuration::Parser`).
//!
//! In: the text of the file. Out: mounts, messages to log. Must not: read files that it serves.

use std::path::Path;

/// The mounts that are not directories and need no path.
const BUILT_IN: [&str; 5] = ["modules", "plugins", "scripts", "tasks", "locales"];

/// The mounts of a configuration.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct FileMounts(Vec<(String, String)>);

/// The part of a line before its comment, as `/^\s*(\w+)\s+(.+?)(\s*#.*)?$/` takes it apart: a name and a value.
fn setting(line: &str) -> Option<(&str, &str)> {
    let line = line.trim_start();
    let end = line.find(|c: char| !(c.is_ascii_alphanumeric() || c == '_'))?;
    let (name, rest) = line.split_at_checked(end).filter(|(name, _)| !name.is_empty())?;
    let value = rest.strip_prefix(|c: char| c.is_ascii_whitespace())?.trim_start();
    // The value has at least one character, even if it is `#`.
    let first = value.chars().next()?.len_utf8();
    let end = value.get(first..)?.find('#').map_or(value.len(), |at| first + at);
    Some((name, value.get(..end)?.trim()))
}

/// The name in the first `[…]` of a line.
fn section(line: &str) -> Option<&str> {
    let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
    line.split('[').skip(1).find_map(|rest| {
        let (name, _) = rest.split_once(']')?;
        (!name.is_empty() && name.chars().all(is_word)).then_some(name)
    })
}

impl FileMounts {
    /// Parses the configuration in the file `name`. Also returns messages to log.
    ///
    /// # Errors
    /// Puppet's message.
    pub(crate) fn parse(text: &str, name: &str) -> Result<(FileMounts, Vec<String>), String> {
        let mut sections: Vec<(String, Option<String>)> = Vec::new();
        let mut messages = Vec::new();
        for (at, line) in text.lines().enumerate() {
            let place = format!("(file: {name}, line: {})", at + 1);
            if line.trim().is_empty() || line.trim_start().starts_with('#') {
                continue;
            }
            if let Some(section) = section(line) {
                if sections.iter().any(|(known, _)| known == section) {
                    return Err(format!("mount[{section}] is already mounted at {section} at {place}"));
                }
                sections.push((section.to_owned(), None));
                continue;
            }
            let Some((key, value)) = setting(line) else {
                return Err(format!("Invalid entry at {place}: '{line}'"));
            };
            if value.starts_with('=') {
                return Err("Fileserver configuration file does not use '=' as a separator".to_owned());
            }
            match (key, sections.last_mut()) {
                ("allow", _) if value == "*" => {}
                ("allow" | "deny", _) => {
                    messages.push(format!("Entry '{line}' is unsupported and will be ignored at {place}"));
                }
                ("path", None) => return Err(format!("A path needs a mount at {place}")),
                ("path", Some((section, _))) if BUILT_IN.contains(&section.as_str()) => {
                    messages.push(format!("The '{section}' module can not have a path. Ignoring attempt to set it"));
                }
                ("path", Some((_, path))) => *path = Some(value.to_owned()),
                _ => return Err(format!("Invalid argument '{key}' at {place}")),
            }
        }
        let mut mounts = Vec::new();
        for (section, path) in sections.into_iter().filter(|(section, _)| !BUILT_IN.contains(&section.as_str())) {
            let path = path.ok_or("Mounts without paths are not usable")?;
            if is_expandable(&path) || is_directory(&path) {
                mounts.push((section, path));
            } else {
                let why = "does not exist or is not a directory";
                messages.push(format!("Removing mount \"{section}\": {path} {why}"));
            }
        }
        Ok((FileMounts(mounts), messages))
    }

    /// The directory that a mount serves to a node.
    pub(crate) fn directory(&self, mount: &str, node: &str) -> Option<String> {
        let (_, path) = self.0.iter().find(|(name, _)| name == mount)?;
        if !is_expandable(path) {
            return Some(path.clone());
        }
        // A name must stay one part of the path.
        if node.is_empty() || node.starts_with('.') || node.contains(['/', '\0']) {
            return None;
        }
        Some(expand(path, node))
    }

    /// Whether there is a mount with this name.
    pub(crate) fn contains(&self, mount: &str) -> bool {
        self.0.iter().any(|(name, _)| name == mount)
    }
}

/// Whether a path has patterns such as `%h`.
fn is_expandable(path: &str) -> bool {
    path.split_once('%').is_some_and(|(_, rest)| !rest.is_empty())
}

#[allow(clippy::disallowed_methods, reason = "no catalog depends on files that are served")]
fn is_directory(path: &str) -> bool {
    Path::new(path).is_dir()
}

/// Replaces `%h` by the node's host name, `%H` by its whole name, `%d` by its domain, `%%` by `%`.
fn expand(path: &str, node: &str) -> String {
    let mut expanded = String::with_capacity(path.len() + node.len());
    let mut rest = path.chars();
    while let Some(c) = rest.next() {
        if c != '%' {
            expanded.push(c);
            continue;
        }
        match rest.next() {
            Some('%') | None => expanded.push('%'),
            Some('H') => expanded.push_str(node),
            Some('h') => expanded.push_str(node.split('.').next().unwrap_or(node)),
            Some('d') => expanded.push_str(node.split_once('.').map_or(node, |(_, domain)| domain)),
            Some(other) => expanded.extend(['%', other]),
        }
    }
    expanded
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::panic, clippy::disallowed_methods, reason = "tests")]

    use super::*;
    use serde_json::Value;

    /// Puppet's answers are recorded by `tests/reference/fileserver-conf`. A path without a mount is an error there, too, but of Ruby.
    #[test]
    fn mounts_are_those_of_puppet() {
        let directory = tempfile::TempDir::new().unwrap();
        let root = directory.path().to_str().unwrap();
        std::fs::create_dir_all(directory.path().join("data/web")).unwrap();
        let recorded: Vec<Value> = serde_json::from_str(include_str!("fileserver_conf.json")).unwrap();
        assert!(recorded.len() > 20);
        for case in recorded {
            let text = case["text"].as_str().unwrap();
            let file = format!("{root}/fileserver.conf");
            let parsed = FileMounts::parse(&text.replace("DIR", root), &file);
            match (&case["error"], parsed) {
                (Value::String(expected), Err(why)) => {
                    let why = why.replace(root, "DIR");
                    let ruby = expected.starts_with("undefined method") && why.starts_with("A path needs a mount");
                    let watched = "<WatchedFile: filename = DIR/fileserver.conf, timeout = 15>";
                    assert!(ruby || why == expected.replace(watched, "DIR/fileserver.conf"), "{text}: {why}");
                }
                (Value::Null, Ok((mounts, messages))) => {
                    let messages: Vec<String> = messages.iter().map(|line| line.replace(root, "DIR")).collect();
                    assert_eq!(serde_json::to_value(messages).unwrap(), case["logs"], "{text}");
                    for mount in case["mounts"].as_array().unwrap() {
                        let found = mounts.directory(mount[0].as_str().unwrap(), "web.example.com");
                        assert_eq!(found.map(|path| path.replace(root, "DIR")).as_deref(), mount[2].as_str(), "{text}");
                    }
                    let directories = case["mounts"].as_array().unwrap().iter().filter(|mount| mount[1] == "File");
                    assert_eq!(mounts.0.len(), directories.count(), "{text}");
                }
                (expected, parsed) => panic!("{text}: {expected} {parsed:?}"),
            }
        }
    }

    #[test]
    fn a_name_stays_one_part_of_a_path() {
        let (mounts, _) = FileMounts::parse("[x]\npath /srv/%H/files\n", "f").unwrap();
        assert_eq!(mounts.directory("x", "a.b"), Some("/srv/a.b/files".to_owned()));
        for name in ["../../etc", "", "..", ".", "a/b", "a\0"] {
            assert_eq!(mounts.directory("x", name), None, "{name:?}");
        }
    }
}
