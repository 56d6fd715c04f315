//! The grammar of HOCON: objects, lists, substitutions, included files.
//!
//! In: a text, and [`Inputs`], which reads included files. Out: a tree with unresolved substitutions. Must not: resolve them.

use std::path::Path;
use std::path::PathBuf;

use super::node::Fields;
use super::node::Node;
use super::node::join_pieces;
use super::node::set_field;
use super::scanner::Scanner;
use crate::data::hocon::HoconError;
use crate::value::Value;
use catwalk_base::meter;

/// The deepest nesting of lists and objects.
const MAX_DEPTH: u32 = 200;

/// The deepest nesting of included files.
const MAX_INCLUDED: u32 = 50;

/// The external data that a text may use.
pub struct Inputs<'a> {
    /// An environment variable, for a substitution that is not defined in the text.
    pub env: &'a dyn Fn(&str) -> Option<String>,
    /// The bytes of a file that is included, if it exists.
    pub read: &'a dyn Fn(&Path) -> Option<Vec<u8>>,
    /// Whether a text may include files; if not, `include` is an error.
    pub may_include: bool,
}

impl Inputs<'_> {
    /// No variables and no files.
    pub const NONE: Inputs<'static> = Inputs { env: &|_| None, read: &|_| None, may_include: true };
}

/// The fields of a text; `base` is the directory of an included file, `depth` the nesting of includes.
pub(super) fn parse_document(
    text: &str,
    origin: &str,
    inputs: &Inputs<'_>,
    base: Option<PathBuf>,
    depth: u32,
) -> Result<Fields, HoconError> {
    let scan = Scanner::new(text, origin);
    let mut parser = Parser { scan, depth: 0, inputs, base, included: depth };
    parser.scan.blank(true);
    let node = match parser.scan.peek() {
        Some('[') => parser.parse_value()?,
        Some('{') => parser.parse_object()?,
        None => Node::Object(Fields::default()),
        _ => parser.parse_fields(None)?,
    };
    parser.scan.blank(true);
    if let Some(c) = parser.scan.peek() {
        return Err(parser.scan.fail(&format!("Document has trailing tokens after first object or array: '{c}'")));
    }
    match node {
        Node::Object(fields) => Ok(fields),
        _ => Err(HoconError::at(origin, (1, 1), " has type LIST rather than object at file root")),
    }
}

struct Parser<'t> {
    scan: Scanner<'t>,
    depth: u32,
    inputs: &'t Inputs<'t>,
    base: Option<PathBuf>,
    included: u32,
}

impl Parser<'_> {
    fn with_depth<T>(&mut self, body: impl FnOnce(&mut Self) -> Result<T, HoconError>) -> Result<T, HoconError> {
        if self.depth >= MAX_DEPTH {
            return Err(self.scan.fail("nesting is too deep"));
        }
        self.depth += 1;
        let result = body(self);
        self.depth -= 1;
        result
    }

    fn parse_object(&mut self) -> Result<Node, HoconError> {
        self.scan.bump();
        self.with_depth(|parser| parser.parse_fields(Some('}')))
    }

    fn parse_fields(&mut self, end: Option<char>) -> Result<Node, HoconError> {
        let mut fields = Fields::default();
        loop {
            self.scan.blank(true);
            match self.scan.peek() {
                found if found == end => {
                    self.scan.bump();
                    return Ok(Node::Object(fields));
                }
                None => return Err(self.scan.fail("Expecting close brace } or a field name here, got end of file")),
                _ => {}
            }
            if self.scan.rest().starts_with("include ") {
                self.parse_include(&mut fields)?;
                let broken = self.scan.blank(true);
                if !self.scan.eat(",") && !broken && self.scan.peek() != end {
                    let token = self.scan.token();
                    return Err(self.scan.fail(&format!("Expecting close brace }} or a comma, got {token}")));
                }
                continue;
            }
            let path = self.parse_path()?;
            self.scan.blank(false);
            let append = self.scan.eat("+=");
            if !append && !matches!(self.scan.peek(), Some('{')) && !self.scan.eat("=") && !self.scan.eat(":") {
                let (key, token) = (path.join("."), self.scan.token());
                return Err(self.scan.fail(&format!("Key '{key}' may not be followed by token: {token}")));
            }
            self.scan.blank(true);
            let value = self.parse_value()?;
            set_field(&mut fields, &path, value, append);
            let broken = self.scan.blank(true);
            if !self.scan.eat(",") && !broken && self.scan.peek() != end {
                let token = self.scan.token();
                return Err(self.scan.fail(&format!("Expecting close brace }} or a comma, got {token}")));
            }
        }
    }

    /// `include "name"`, which means a file beside the including one (none, in a text that is not a file), and `include
    /// file("path")`. A file that does not exist is skipped.
    fn parse_include(&mut self, fields: &mut Fields) -> Result<(), HoconError> {
        if !self.inputs.may_include {
            return Err(self.scan.fail("not supported yet: include"));
        }
        self.scan.at += "include ".len();
        self.scan.blank(false);
        let (path, beside) = if self.scan.peek() == Some('"') {
            (PathBuf::from(self.scan.quoted()?), true)
        } else if self.scan.eat("file(") {
            self.scan.blank(false);
            if self.scan.peek() != Some('"') {
                let token = self.scan.token();
                return Err(self.scan.fail(&format!(
                    "expecting a quoted string inside file(), classpath(), or url(), rather than: {token}"
                )));
            }
            let path = PathBuf::from(self.scan.quoted()?);
            self.scan.blank(false);
            if !self.scan.eat(")") {
                let token = self.scan.token();
                return Err(self.scan.fail(&format!("expecting a close parentheses ')' here, not: {token}")));
            }
            (path, false)
        } else if self.scan.rest().starts_with("url(") || self.scan.rest().starts_with("classpath(") {
            // Puppet ends with an internal error of Ruby there: `undefined method `include_url' for …`.
            return Err(self.scan.fail("Puppet's HOCON has no include of url() and classpath(), only of file()"));
        } else {
            let word: String = self.scan.rest().chars().take_while(|c| !c.is_whitespace() && *c != '"').collect();
            return Err(self.scan.fail(&format!(
                "expecting include parameter to be quoted filename, file(), classpath(), or url(). No spaces are allowed \
                 before the open paren. Not expecting: '{word}'"
            )));
        };
        let path = match (&self.base, beside) {
            (Some(base), true) => base.join(path),
            (None, true) => return Ok(()),
            _ => path,
        };
        let Some(bytes) = (self.inputs.read)(&path) else { return Ok(()) };
        if self.included >= MAX_INCLUDED {
            return Err(self.scan.fail("not supported yet: so many files that include each other"));
        }
        let text = String::from_utf8_lossy(&bytes);
        let origin = path.to_string_lossy();
        let base = path.parent().map(Path::to_path_buf);
        let found = parse_document(&text, &origin, self.inputs, base, self.included + 1)?;
        if self.depth > 0 && found.values().any(Node::is_open) {
            return Err(self.scan.fail("not supported yet: substitutions in a file that is included below a key"));
        }
        for (key, node) in found.into_sorted() {
            set_field(fields, &[key], node, false);
        }
        Ok(())
    }

    /// A key: parts between dots; blanks inside belong to it.
    fn parse_path(&mut self) -> Result<Vec<String>, HoconError> {
        let mut parts = Vec::new();
        let mut part = String::new();
        loop {
            match self.scan.peek() {
                Some('"') => part.push_str(&self.scan.quoted()?),
                Some('.') => {
                    self.scan.bump();
                    parts.push(std::mem::take(&mut part).trim().to_owned());
                }
                Some(found) if !"{}[],:=+\n#".contains(found) && !self.scan.comment() => {
                    part.push(found);
                    self.scan.bump();
                }
                _ => break,
            }
        }
        parts.push(part.trim().to_owned());
        Ok(parts)
    }

    /// `${path}` or `${?path}`
    fn parse_substitution(&mut self) -> Result<Node, HoconError> {
        let line = self.scan.line();
        self.scan.at += 2;
        let optional = self.scan.eat("?");
        let path = self.parse_path()?;
        if path.iter().all(String::is_empty) && self.scan.peek() == Some('}') {
            return Err(self.scan.fail("Expecting a field name or path here, but got nothing"));
        }
        if !self.scan.eat("}") {
            let token = "'end of file' (Substitution ${ was not closed with a })";
            return Err(self.scan.fail(&format!("Expecting a value but got wrong token: {token}")));
        }
        Ok(Node::Substitution { path, optional, line })
    }

    /// One value: consecutive pieces are joined.
    fn parse_value(&mut self) -> Result<Node, HoconError> {
        meter::tick(1);
        let mut pieces: Vec<(String, Node)> = Vec::new();
        let line = self.scan.line();
        loop {
            let start = self.scan.at;
            self.scan.blank(false);
            let gap = self.scan.text.get(start..self.scan.at).unwrap_or("");
            let gap = if pieces.is_empty() { String::new() } else { gap.to_owned() };
            let piece = match self.scan.peek() {
                Some('{') => self.parse_object()?,
                Some('[') => self.parse_array()?,
                Some('"') => Node::Done(Value::from(self.scan.quoted()?)),
                Some('$') if self.scan.rest().starts_with("${") => self.parse_substitution()?,
                None | Some('\n' | ',' | '}' | ']') => break,
                Some('=' | ':' | '+' | '?' | '`' | '^' | '!' | '@' | '*' | '&' | '\\' | '$') => {
                    let token = self.scan.token();
                    return Err(self.scan.fail(&format!("Expecting a value but got wrong token: {token}")));
                }
                Some(_) => Node::Word(self.scan.unquoted()),
            };
            pieces.push((gap, piece));
        }
        if pieces.len() > 1 {
            return Ok(join_pieces(pieces, line));
        }
        match pieces.pop() {
            Some((_, piece)) => Ok(piece),
            None => {
                let token = self.scan.token();
                Err(self.scan.fail(&format!("Expecting a value but got wrong token: {token}")))
            }
        }
    }

    fn parse_array(&mut self) -> Result<Node, HoconError> {
        self.scan.bump();
        self.with_depth(|parser| {
            let mut items = Vec::new();
            loop {
                parser.scan.blank(true);
                if parser.scan.eat("]") {
                    return Ok(Node::List(items));
                }
                items.push(parser.parse_value()?);
                let broken = parser.scan.blank(true);
                if !parser.scan.eat(",") && !broken && parser.scan.peek() != Some(']') {
                    let token = parser.scan.token();
                    return Err(parser
                        .scan
                        .fail(&format!("List should have ended with ] or had a comma, instead had {token}")));
                }
            }
        })
    }
}
