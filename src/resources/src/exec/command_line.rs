//! Commands as written in manifests: a string or an array of strings.

use std::sync::Arc;

use catwalk_value::Value;
use catwalk_value::ruby;

/// Characters that require a shell (Ruby's `Kernel.exec`).
const SHELL: &[char] = &[
    '*', '?', '{', '}', '[', ']', '<', '>', '(', ')', '~', '&', '|', '\\', '$', ';', '\'', '`', '"', '\n', '#', '=',
    '%',
];
/// First words that require a shell.
const SHELL_WORDS: &[&str] = &[
    "!", ".", ":", "break", "case", "continue", "do", "done", "elif", "else", "esac", "eval", "exec", "exit", "export",
    "fi", "for", "if", "in", "readonly", "return", "set", "shift", "then", "times", "trap", "unset", "until", "while",
];

/// A command.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum CommandLine {
    /// A string that is split at white space, or by a shell if it needs one.
    Text(String),
    /// The program and its arguments, unchanged.
    Words(Vec<String>),
}

impl CommandLine {
    /// A string or an array; `None` for other values.
    pub(crate) fn from_value(value: &Value) -> Option<CommandLine> {
        match value {
            Value::Str(text) => Some(CommandLine::Text(text.to_string())),
            Value::Array(_) => {
                let mut words = Vec::new();
                flatten(value, &mut words);
                Some(CommandLine::Words(words))
            }
            _ => None,
        }
    }

    /// The program's name (`Puppet::Provider::Exec#extractexe`).
    pub(super) fn program(&self) -> &str {
        let text = match self {
            CommandLine::Words(words) => return words.first().map_or("", String::as_str),
            CommandLine::Text(text) => text.as_str(),
        };
        for quote in ['"', '\''] {
            if let Some((program, _)) = text.strip_prefix(quote).and_then(|rest| rest.split_once(quote))
                && !program.is_empty()
            {
                return program;
            }
        }
        text.split(' ').next().unwrap_or_default()
    }

    /// The program and its arguments.
    pub(super) fn argv(&self) -> Vec<String> {
        let text = match self {
            CommandLine::Words(words) => return words.clone(),
            CommandLine::Text(text) => text,
        };
        let words: Vec<String> = text.split([' ', '\t']).filter(|word| !word.is_empty()).map(str::to_owned).collect();
        let has_word = words.first().is_some_and(|first| SHELL_WORDS.contains(&first.as_str()));
        if text.contains(SHELL) || has_word { shell(text) } else { words }
    }

    /// The arguments to run the command with a shell (provider `shell`).
    pub(super) fn shell_argv(&self) -> Vec<String> {
        match self {
            CommandLine::Text(text) => shell(text),
            CommandLine::Words(words) => {
                ["/bin/sh", "-c"].into_iter().map(str::to_owned).chain(words.iter().cloned()).collect()
            }
        }
    }

    /// The command in messages.
    pub(super) fn to_message(&self) -> String {
        match self {
            CommandLine::Text(text) => text.clone(),
            CommandLine::Words(_) => self.inspect(),
        }
    }

    /// The command as Ruby's `inspect` prints it.
    pub(super) fn inspect(&self) -> String {
        match self {
            CommandLine::Text(text) => ruby::inspect_string(text),
            CommandLine::Words(words) => {
                let words: Vec<String> = words.iter().map(|word| ruby::inspect_string(word)).collect();
                format!("[{}]", words.join(", "))
            }
        }
    }

    /// Absolute paths at the beginnings of lines.
    pub(crate) fn paths(&self) -> impl Iterator<Item = Arc<str>> {
        self.first_string().lines().filter(|line| line.starts_with('/')).filter_map(|line| {
            let path = line.split_whitespace().next()?;
            (path.len() > 1).then(|| Arc::from(path))
        })
    }

    /// Quoted words at the beginnings of lines.
    pub(crate) fn quoted_paths(&self) -> impl Iterator<Item = Arc<str>> {
        let quoted = |line: &str| Some(line.strip_prefix('"')?.split_once('"')?.0.to_owned());
        self.first_string().lines().filter_map(quoted).filter(|path| !path.is_empty()).map(Arc::from)
    }

    fn first_string(&self) -> &str {
        match self {
            CommandLine::Text(text) => text,
            CommandLine::Words(words) => words.first().map_or("", String::as_str),
        }
    }
}

fn shell(text: &str) -> Vec<String> {
    ["/bin/sh", "-c", text].map(str::to_owned).to_vec()
}

fn flatten(value: &Value, words: &mut Vec<String>) {
    match value {
        Value::Array(items) => items.iter().for_each(|item| flatten(item, words)),
        Value::Sensitive(inner) => flatten(inner, words),
        value => words.push(ruby::to_s(value).into_owned()),
    }
}
