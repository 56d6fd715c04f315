//! HOCON as Ruby's `hocon` reads it: what configuration files use of it.
//!
//! In: a text, and who reads the files it includes and knows the environment. Out: a value. Must not: read files itself.

mod fields;
mod resolve;
mod value;

use std::cell::Cell;
use std::path::Path;
use std::path::PathBuf;

use fields::Fields;
use resolve::Node;
use resolve::Resolver;
use resolve::set;

use crate::value::Hash;
use crate::value::Value;

/// Deepest nesting.
const LIMIT: u32 = 200;

/// What a text may ask of the outside.
pub struct Outside<'a> {
    /// A variable of the environment: where a substitution ends that names nothing in the text.
    pub env: &'a dyn Fn(&str) -> Option<String>,
    /// The bytes of a file that is included, if it is there.
    pub read: &'a dyn Fn(&Path) -> Option<Vec<u8>>,
}

impl Outside<'_> {
    /// Nothing of it.
    pub const NONE: Outside<'static> = Outside { env: &|_| None, read: &|_| None };
}

/// Parses a text and resolves its substitutions; `origin` is what the reference's messages start with (`String`).
///
/// # Errors
/// The reference's message with the line, for what it says most often.
pub fn parse(text: &str, origin: &str, outside: &Outside<'_>) -> Result<Value, String> {
    let root = document(text, origin, outside, None, 0)?;
    Resolver::new(&root, origin, outside.env).object(&root, &[])
}

/// The fields of a text; `base` is the directory of a file that was included, `depth` how many include each other.
fn document(
    text: &str,
    origin: &str,
    outside: &Outside<'_>,
    base: Option<PathBuf>,
    depth: u32,
) -> Result<Fields, String> {
    let mut parser =
        Parser { text, at: 0, origin, depth: 0, outside, base, included: depth, known_line: Cell::new((0, 1)) };
    parser.blank(true);
    let node = match parser.peek() {
        Some('[') => parser.value()?,
        Some('{') => parser.object()?,
        None => Node::Object(Fields::default()),
        _ => parser.fields(None)?,
    };
    parser.blank(true);
    if let Some(found) = parser.peek() {
        return Err(parser.fail(&format!("Document has trailing tokens after first object or array: '{found}'")));
    }
    match node {
        Node::Object(fields) => Ok(fields),
        _ => Err(format!("{origin}: 1:  has type LIST rather than object at file root")),
    }
}

struct Parser<'t> {
    text: &'t str,
    at: usize,
    origin: &'t str,
    depth: u32,
    outside: &'t Outside<'t>,
    base: Option<PathBuf>,
    included: u32,
    /// A place and its line: the last that was asked for.
    known_line: Cell<(usize, usize)>,
}

/// How many files may include each other.
const MAX_INCLUDED: u32 = 50;

impl Parser<'_> {
    fn rest(&self) -> &str {
        self.text.get(self.at..).unwrap_or("")
    }

    fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    fn bump(&mut self) -> Option<char> {
        let found = self.peek()?;
        self.at += found.len_utf8();
        Some(found)
    }

    fn eat(&mut self, wanted: &str) -> bool {
        let found = self.rest().starts_with(wanted);
        if found {
            self.at += wanted.len();
        }
        found
    }

    fn line(&self) -> usize {
        let (at, line) = self.known_line.get();
        // Places come one after the other: only what lies between is read again.
        let (from, line) = if at <= self.at { (at, line) } else { (0, 1) };
        let between = self.text.as_bytes().get(from..self.at).unwrap_or_default();
        let line = line + memchr::memchr_iter(b'\n', between).count();
        self.known_line.set((self.at, line));
        line
    }

    fn fail(&self, message: &str) -> String {
        format!("{}: {}: {message}", self.origin, self.line())
    }

    /// What stands here, for messages.
    fn token(&self) -> String {
        match self.peek() {
            None => "end of file".to_owned(),
            Some('\n') => "newline".to_owned(),
            Some(found) => format!("'{found}'"),
        }
    }

    fn comment(&self) -> bool {
        self.rest().starts_with('#') || self.rest().starts_with("//")
    }

    /// Skips blanks and comments, line breaks too where they mean nothing. Whether there was one.
    fn blank(&mut self, lines: bool) -> bool {
        let mut broken = false;
        loop {
            match self.peek() {
                Some('\n') if lines => broken = true,
                Some('\n') | None => return broken,
                Some('\u{feff}') => {}
                Some(found) if found.is_whitespace() => {}
                Some(_) if self.comment() => {
                    let length = self.rest().find('\n').unwrap_or(self.rest().len());
                    self.at += length;
                    continue;
                }
                Some(_) => return broken,
            }
            self.bump();
        }
    }

    fn nested<T>(&mut self, body: impl FnOnce(&mut Self) -> Result<T, String>) -> Result<T, String> {
        if self.depth >= LIMIT {
            return Err(self.fail("nesting is too deep"));
        }
        self.depth += 1;
        let result = body(self);
        self.depth -= 1;
        result
    }

    fn object(&mut self) -> Result<Node, String> {
        self.bump();
        self.nested(|parser| parser.fields(Some('}')))
    }

    fn fields(&mut self, end: Option<char>) -> Result<Node, String> {
        let mut fields = Fields::default();
        loop {
            self.blank(true);
            match self.peek() {
                found if found == end => {
                    self.bump();
                    return Ok(Node::Object(fields));
                }
                None => return Err(self.fail("Expecting close brace } or a field name here, got end of file")),
                _ => {}
            }
            if self.rest().starts_with("include ") {
                self.include(&mut fields)?;
                let broken = self.blank(true);
                if !self.eat(",") && !broken && self.peek() != end {
                    let token = self.token();
                    return Err(self.fail(&format!("Expecting close brace }} or a comma, got {token}")));
                }
                continue;
            }
            let path = self.path()?;
            self.blank(false);
            let append = self.eat("+=");
            if !append && !matches!(self.peek(), Some('{')) && !self.eat("=") && !self.eat(":") {
                let (key, token) = (path.join("."), self.token());
                return Err(self.fail(&format!("Key '{key}' may not be followed by token: {token}")));
            }
            self.blank(true);
            let value = self.value()?;
            set(&mut fields, &path, value, append);
            let broken = self.blank(true);
            if !self.eat(",") && !broken && self.peek() != end {
                let token = self.token();
                return Err(self.fail(&format!("Expecting close brace }} or a comma, got {token}")));
            }
        }
    }

    /// `include "name"`, which means a file beside the one that says it (none, in a text that is no file), and
    /// `include file("path")`. A file that is not there is passed over.
    fn include(&mut self, fields: &mut Fields) -> Result<(), String> {
        self.at += "include ".len();
        self.blank(false);
        let (path, beside) = if self.peek() == Some('"') {
            (PathBuf::from(self.quoted()?), true)
        } else if self.eat("file(") {
            self.blank(false);
            if self.peek() != Some('"') {
                let token = self.token();
                return Err(self.fail(&format!(
                    "expecting a quoted string inside file(), classpath(), or url(), rather than: {token}"
                )));
            }
            let path = PathBuf::from(self.quoted()?);
            self.blank(false);
            if !self.eat(")") {
                let token = self.token();
                return Err(self.fail(&format!("expecting a close parentheses ')' here, not: {token}")));
            }
            (path, false)
        } else if self.rest().starts_with("url(") || self.rest().starts_with("classpath(") {
            // The reference ends with a crash of Ruby's there: `undefined method `include_url' for …`.
            return Err(self.fail("Puppet's HOCON has no include of url() and classpath(), only of file()"));
        } else {
            let word: String = self.rest().chars().take_while(|c| !c.is_whitespace() && *c != '"').collect();
            return Err(self.fail(&format!(
                "expecting include parameter to be quoted filename, file(), classpath(), or url(). No spaces are allowed \
                 before the open paren. Not expecting: '{word}'"
            )));
        };
        let path = match (&self.base, beside) {
            (Some(base), true) => base.join(path),
            (None, true) => return Ok(()),
            _ => path,
        };
        let Some(bytes) = (self.outside.read)(&path) else { return Ok(()) };
        if self.included >= MAX_INCLUDED {
            return Err(self.fail("not supported yet: so many files that include each other"));
        }
        let text = String::from_utf8_lossy(&bytes);
        let origin = path.to_string_lossy();
        let base = path.parent().map(Path::to_path_buf);
        let found = document(&text, &origin, self.outside, base, self.included + 1)?;
        if self.depth > 0 && found.values().any(Node::is_open) {
            return Err(self.fail("not supported yet: substitutions in a file that is included below a key"));
        }
        for (key, node) in found.into_sorted() {
            set(fields, &[key], node, false);
        }
        Ok(())
    }

    /// A key: parts between dots; blanks inside belong to it.
    fn path(&mut self) -> Result<Vec<String>, String> {
        let mut parts = Vec::new();
        let mut part = String::new();
        loop {
            match self.peek() {
                Some('"') => part.push_str(&self.quoted()?),
                Some('.') => {
                    self.bump();
                    parts.push(std::mem::take(&mut part).trim().to_owned());
                }
                Some(found) if !"{}[],:=+\n#".contains(found) && !self.comment() => {
                    part.push(found);
                    self.bump();
                }
                _ => break,
            }
        }
        parts.push(part.trim().to_owned());
        Ok(parts)
    }
}

/// Two objects: what the new one has comes first, as in the library.
fn merged(old: &Value, new: Value) -> Value {
    match (old, new) {
        (Value::Hash(old), Value::Hash(new)) => {
            let mut result = Hash::with_capacity(old.len() + new.len());
            for (key, value) in new.iter() {
                let value = match old.get_value(key) {
                    Some(before) => merged(before, value.clone()),
                    None => value.clone(),
                };
                result.insert(key.clone(), value);
            }
            for (key, value) in old.iter() {
                if !new.contains(key) {
                    result.insert(key.clone(), value.clone());
                }
            }
            Value::hash(result)
        }
        (_, new) => new,
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests")]
mod tests {
    use super::*;
    use crate::value::to_program;

    #[test]
    fn objects_lists_and_words() {
        let text = "// c\na { b = 1, c: [1, 2.5, true, null, foo bar] }\na.d = \"x\" # c\n\
                    xs = { subkey = value xs.subkey (from global hocon) }\nvalid hocon: string\nt = \"\"\"raw\n\"\"\"\n\
                    a { e += 3 }\n";
        assert_eq!(
            to_program(&parse(text, "String", &Outside::NONE).unwrap()),
            "{'a' => {'e' => [3], 'd' => 'x', 'b' => 1, 'c' => [1, 2.5, true, undef, 'foo bar']}, \
             'xs' => {'subkey' => 'value xs.subkey (from global hocon)'}, 'valid hocon' => 'string', 't' => \"raw\\n\"}"
        );
    }

    #[test]
    fn broken_texts_fail() {
        let message = parse("invalid", "String", &Outside::NONE).unwrap_err();
        assert_eq!(message, "String: 1: Key 'invalid' may not be followed by token: end of file");
        for text in ["a = ", "a = [1", "{", "a = \"x", "a = ${b}", "include x", "a = \"\\q\""] {
            assert!(parse(text, "String", &Outside::NONE).is_err(), "{text}");
        }
        assert!(parse(&"[".repeat(5000), "String", &Outside::NONE).is_err());
        assert!(parse(&"a{".repeat(5000), "String", &Outside::NONE).is_err());
    }
}
