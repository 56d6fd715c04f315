//! Walks statements: definitions of modules and methods, conditions, assignments, required files.
//! In: a file. Out: what it defines, in the [`Reader`]. Must not: know attributes of resource types (`define` does).

use std::collections::BTreeMap;
use std::path::Path;
use std::path::PathBuf;
use std::sync::Arc;

use super::Library;
use super::code::Block;
use super::code::Code;
use super::code::Parameter;
use super::define::Definition;
use super::expression::Cursor;
use super::value::Value;
use crate::names::Name;
use crate::ruby::lexer;
use crate::ruby::lexer::Kind;

/// Statements that one type may take; more means a loop that does not end.
const FUEL: usize = 200_000;
/// How deep calls and nested code may go.
const MAX_DEPTH: usize = 80;

/// Everything known while files are read.
pub(super) struct Reader<'l, 'w> {
    pub(super) library: &'l mut Library<'w>,
    pub(super) wanted: Name,
    pub(super) loaded: Vec<PathBuf>,
    /// Constants by their path.
    pub(super) constants: BTreeMap<String, Value>,
    /// Methods: `A::B.name` of the module itself, `A::B#name` of what includes it.
    pub(super) methods: BTreeMap<String, Arc<Block>>,
    pub(super) definition: Option<Definition>,
    fuel: usize,
    pub(super) depth: usize,
}

/// Where a statement stands.
#[derive(Clone, Debug, Default)]
pub(super) struct Scope {
    pub(super) variables: BTreeMap<String, Value>,
    /// The modules around it.
    pub(super) modules: Vec<String>,
    /// Inside `class << self`.
    pub(super) singleton: bool,
    /// Inside the block of `newtype`.
    pub(super) in_type: bool,
    /// A `return` was met.
    pub(super) returned: bool,
}

impl<'l, 'w> Reader<'l, 'w> {
    pub(super) fn new(library: &'l mut Library<'w>, wanted: Name) -> Reader<'l, 'w> {
        Reader {
            library,
            wanted,
            loaded: Vec::new(),
            constants: BTreeMap::new(),
            methods: BTreeMap::new(),
            definition: None,
            fuel: FUEL,
            depth: 0,
        }
    }

    /// Reads a file once.
    pub(super) fn load(&mut self, file: &Path) -> Result<(), String> {
        if self.loaded.iter().any(|loaded| loaded == file) {
            return Ok(());
        }
        self.loaded.push(file.to_path_buf());
        let Some(text) = self.library.text(file) else {
            return Err(format!("cannot load such file -- {}", file.display()));
        };
        let tokens = lexer::lex(&text)
            .map_err(|error| format!("{}:{}: syntax error, {}", file.display(), error.line, error.message))?;
        let code = Code::new(tokens, file.to_path_buf())
            .ok_or_else(|| format!("{}: syntax error, blocks do not match their ends", file.display()))?;
        let code = Arc::new(code);
        self.run(&code, 0, code.tokens.len(), &mut Scope::default());
        Ok(())
    }

    /// Notes something that could not be read.
    pub(super) fn gap(&mut self, code: &Code, at: usize, what: &str) {
        if let Some(definition) = &mut self.definition {
            let name = code.file.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
            definition.gaps.push(format!("{what} at {name}:{}", code.line(at)));
        }
    }

    /// Runs the statements between two tokens; the value of the last.
    pub(super) fn run(&mut self, code: &Arc<Code>, from: usize, to: usize, scope: &mut Scope) -> Value {
        self.depth += 1;
        let mut value = Value::Nil;
        if self.depth <= MAX_DEPTH {
            let mut at = from;
            while at < to && !scope.returned {
                if matches!(code.kind(at), Some(Kind::Newline)) {
                    at += 1;
                    continue;
                }
                let end = code.statement_end(at, to);
                value = self.statement(code, at, end, scope);
                at = end.max(at + 1);
            }
        }
        self.depth -= 1;
        value
    }

    fn statement(&mut self, code: &Arc<Code>, at: usize, end: usize, scope: &mut Scope) -> Value {
        if self.fuel == 0 {
            return Value::Unknown;
        }
        self.fuel -= 1;
        let mut end = end;
        // `statement if condition`
        let mut next = code.past(at);
        while next < end {
            if let Some(Kind::Keyword(word @ ("if" | "unless" | "while" | "until" | "rescue"))) = code.kind(next)
                && code.past(next) == next + 1
            {
                let mut cursor = Cursor::new(code, next + 1, end);
                let known = self.expression(&mut cursor, scope).truth();
                match (*word, known) {
                    ("if", Some(true)) | ("unless", Some(false)) | ("rescue", _) => end = next,
                    ("if", Some(false)) | ("unless", Some(true)) => return Value::Nil,
                    _ => {
                        if self.defines(code, at, next) {
                            self.gap(code, at, "a condition");
                        }
                        return Value::Unknown;
                    }
                }
                break;
            }
            next = code.past(next);
        }
        if code.keyword(at, "return") {
            let mut cursor = Cursor::new(code, at + 1, end);
            let value = if at + 1 < end { self.expression(&mut cursor, scope) } else { Value::Nil };
            scope.returned = true;
            return value;
        }
        let mut cursor = Cursor::new(code, at, end);
        let value = self.expression(&mut cursor, scope);
        if cursor.at < end { Value::Unknown } else { value }
    }

    /// Whether a range calls something that defines attributes.
    pub(super) fn defines(&self, code: &Code, from: usize, to: usize) -> bool {
        (from..to).any(|at| match code.kind(at) {
            Some(Kind::Ident(name)) => matches!(&**name, "newparam" | "newproperty" | "ensurable" | "isnamevar"),
            _ => false,
        })
    }

    /// `module A`, `class B < C`, `class << self`; the cursor moves behind its end.
    pub(super) fn module(&mut self, cursor: &mut Cursor<'_>, scope: &mut Scope) -> Value {
        let code = Arc::clone(cursor.code);
        let start = cursor.at;
        let end = code.past(start) - 1;
        cursor.at = end + 1;
        let mut at = start + 1;
        let mut inner = Scope { modules: scope.modules.clone(), ..Scope::default() };
        if code.op(at, "<<") {
            inner.singleton = true;
            inner.in_type = scope.in_type;
            at += 2;
        } else {
            let mut path = Vec::new();
            loop {
                match code.kind(at) {
                    Some(Kind::Const(name)) => path.push(name.to_string()),
                    Some(Kind::Op("::")) => {}
                    _ => break,
                }
                at += 1;
            }
            inner.modules.push(path.join("::"));
            if code.op(at, "<") {
                at = code.statement_end(at, end);
            }
        }
        self.run(&code, at, end, &mut inner);
        Value::Nil
    }

    /// `def name(parameters)`; the cursor moves behind its end.
    pub(super) fn method(&mut self, cursor: &mut Cursor<'_>, scope: &mut Scope) -> Value {
        let code = Arc::clone(cursor.code);
        let start = cursor.at;
        let end = code.past(start) - 1;
        let mut at = start + 1;
        let own = code.op(at + 1, ".");
        if own {
            at += 2;
        }
        let name = match code.kind(at) {
            Some(Kind::Ident(name) | Kind::Const(name)) => name.to_string(),
            Some(Kind::Op(name)) => (*name).to_owned(),
            _ => String::new(),
        };
        if end <= start {
            // An endless method: its body is the rest of the statement.
            cursor.at = cursor.to;
            return Value::Symbol(name);
        }
        cursor.at = end + 1;
        at += 1;
        if code.op(at, "=") && !code.space(at) {
            at += 1;
        }
        let parameters_end = if code.op(at, "(") { code.past(at) } else { code.statement_end(at, end) };
        let (from, to) = if code.op(at, "(") { (at + 1, parameters_end - 1) } else { (at, parameters_end) };
        let parameters = parameters(&code, from, to);
        let block = Arc::new(Block { code, parameters, from: parameters_end, to: end });
        if scope.in_type {
            if let Some(definition) = &mut self.definition {
                let table =
                    if own || scope.singleton { &mut definition.class_methods } else { &mut definition.methods };
                table.insert(name.clone(), block);
            }
        } else {
            let mark = if own || scope.singleton { '.' } else { '#' };
            self.methods.insert(format!("{}{mark}{name}", scope.modules.join("::")), block);
        }
        Value::Symbol(name)
    }

    /// `if`, `unless`, with their branches; the cursor moves behind the end.
    pub(super) fn conditional(&mut self, cursor: &mut Cursor<'_>, scope: &mut Scope) -> Value {
        let code = Arc::clone(cursor.code);
        let start = cursor.at;
        let end = code.past(start) - 1;
        cursor.at = end + 1;
        // (condition start, body end) of each branch; the first keyword may be `unless`.
        let mut branches = vec![start];
        let mut at = start + 1;
        while at < end {
            if code.keyword(at, "elsif") || code.keyword(at, "else") {
                branches.push(at);
            }
            at = code.past(at);
        }
        branches.push(end);
        let mut unknown = false;
        for pair in branches.windows(2) {
            let [from, to] = [pair.first().copied().unwrap_or(start), pair.last().copied().unwrap_or(end)];
            if code.keyword(from, "else") {
                if unknown {
                    break;
                }
                return self.run(&code, from + 1, to, scope);
            }
            let mut condition_end = from + 1;
            while condition_end < to
                && !matches!(code.kind(condition_end), Some(Kind::Newline))
                && !code.keyword(condition_end, "then")
            {
                condition_end = code.past(condition_end);
            }
            let mut condition = Cursor::new(&code, from + 1, condition_end);
            let known = self.expression(&mut condition, scope).truth();
            let negated = code.keyword(from, "unless");
            match known.map(|known| known != negated) {
                Some(true) if !unknown => return self.run(&code, (condition_end + 1).min(to), to, scope),
                Some(false) => {}
                _ => unknown = true,
            }
        }
        if unknown && self.defines(&code, start, end) {
            self.gap(&code, start, "a condition");
        }
        if unknown { Value::Unknown } else { Value::Nil }
    }

    /// `require` and its kin: the file is read if it is among the modules' files.
    pub(super) fn require(&mut self, code: &Code, path: &str, relative: bool) {
        let file = if path.ends_with(".rb") { path.to_owned() } else { format!("{path}.rb") };
        let found = if relative {
            code.file.parent().map(|folder| normalize(&folder.join(&file)))
        } else if file.starts_with('/') {
            Some(normalize(Path::new(&file)))
        } else if file.starts_with("puppet_x/") || file.starts_with("puppet/") {
            let own = code.file.ancestors().find(|folder| folder.file_name().is_some_and(|name| name == "lib"));
            let own = own.map(|lib| lib.join(&file));
            match own {
                Some(own) if self.library.is_file(&own) => Some(own),
                _ => self.library.find(&file),
            }
        } else {
            None
        };
        if let Some(found) = found {
            // A file that is not there, or that this reader cannot take, leaves its names unknown.
            let _ = self.load(&found);
        }
    }
}

/// Parameters of a method or block between two tokens.
pub(super) fn parameters(code: &Code, from: usize, to: usize) -> Vec<Parameter> {
    let mut parameters = Vec::new();
    let mut at = from;
    while at < to {
        let mut end = at;
        while end < to && !code.op(end, ",") {
            end = code.past(end);
        }
        let end = end.min(to);
        let splat = code.op(at, "*");
        let skip = usize::from(splat || code.op(at, "&") || code.op(at, "**"));
        match code.kind(at + skip) {
            Some(Kind::Ident(name)) if !code.op(at, "&") => {
                let default = code.op(at + skip + 1, "=").then_some((at + skip + 2, end));
                parameters.push(Parameter { name: name.to_string(), splat, default });
            }
            Some(Kind::Label(name)) => {
                parameters.push(Parameter { name: name.to_string(), splat: false, default: Some((at + 1, end)) });
            }
            _ => {}
        }
        at = end + 1;
    }
    parameters
}

/// The path without `.` and `..`.
pub(super) fn normalize(path: &Path) -> PathBuf {
    let mut out = PathBuf::new();
    for part in path.components() {
        match part {
            std::path::Component::CurDir => {}
            std::path::Component::ParentDir => {
                out.pop();
            }
            part => out.push(part),
        }
    }
    out
}
