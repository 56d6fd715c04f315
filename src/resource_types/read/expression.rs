//! Evaluates expressions as far as they are static.
//! In: a cursor over tokens. Out: a [`Value`], the cursor behind the expression. Must not: know what calls do (`call`).

use std::sync::Arc;

use super::code::Block;
use super::code::Code;
use super::statement::Reader;
use super::statement::Scope;
use super::statement::parameters;
use super::value::Value;
use crate::ruby::lexer::Kind;
use crate::ruby::lexer::Part;

/// Nested expressions that one expression may hold.
const MAX_NESTING: usize = 150;

/// A place in the code.
#[derive(Clone, Debug)]
pub(super) struct Cursor<'c> {
    pub(super) code: &'c Arc<Code>,
    pub(super) at: usize,
    pub(super) to: usize,
    /// A `do` here belongs to a command call further out.
    pub(super) no_do: bool,
    pub(super) nesting: usize,
}

impl<'c> Cursor<'c> {
    pub(super) fn new(code: &'c Arc<Code>, at: usize, to: usize) -> Cursor<'c> {
        Cursor { code, at, to, no_do: false, nesting: 0 }
    }

    pub(super) fn kind(&self) -> Option<&'c Kind> {
        if self.at < self.to { self.code.tokens.get(self.at).map(|token| &token.kind) } else { None }
    }

    pub(super) fn op(&self, op: &str) -> bool {
        matches!(self.kind(), Some(Kind::Op(found)) if *found == op)
    }

    pub(super) fn eat(&mut self, op: &str) -> bool {
        let found = self.op(op);
        self.at += usize::from(found);
        found
    }

    pub(super) fn newlines(&mut self) {
        while matches!(self.kind(), Some(Kind::Newline)) {
            self.at += 1;
        }
    }

    /// The inside of the bracket that opens here; the outer cursor moves behind it.
    pub(super) fn inside(&mut self) -> Cursor<'c> {
        let end = self.code.past(self.at) - 1;
        let inner =
            Cursor { code: self.code, at: self.at + 1, to: end.min(self.to), no_do: false, nesting: self.nesting + 1 };
        self.at = end + 1;
        inner
    }

    /// Gives up on the rest.
    pub(super) fn give_up(&mut self) -> Value {
        self.at = self.to;
        Value::Unknown
    }
}

impl Reader<'_, '_> {
    /// One expression, `and`, `or` and `not` included.
    pub(super) fn expression(&mut self, cursor: &mut Cursor<'_>, scope: &mut Scope) -> Value {
        let mut left = self.not(cursor, scope);
        while let Some(Kind::Keyword(word @ ("and" | "or"))) = cursor.kind() {
            cursor.at += 1;
            let right = self.not(cursor, scope);
            left = if *word == "and" { and(left, right) } else { or(left, right) };
        }
        left
    }

    fn not(&mut self, cursor: &mut Cursor<'_>, scope: &mut Scope) -> Value {
        if matches!(cursor.kind(), Some(Kind::Keyword("not"))) {
            cursor.at += 1;
            return self.operand(cursor, scope).truth().map_or(Value::Unknown, |known| Value::Bool(!known));
        }
        self.operand(cursor, scope)
    }

    /// An assignment or a ternary or less: what an argument may be.
    pub(super) fn operand(&mut self, cursor: &mut Cursor<'_>, scope: &mut Scope) -> Value {
        cursor.nesting += 1;
        let value = if cursor.nesting > MAX_NESTING { cursor.give_up() } else { self.ternary(cursor, scope) };
        cursor.nesting -= 1;
        value
    }

    fn ternary(&mut self, cursor: &mut Cursor<'_>, scope: &mut Scope) -> Value {
        if let Some(value) = self.assignment(cursor, scope) {
            return value;
        }
        let condition = self.binary(cursor, scope, 0);
        if !cursor.op("?") {
            return condition;
        }
        cursor.at += 1;
        cursor.newlines();
        // `x ? a : b` may read its `a :` as a label; then it is not understood.
        let yes = self.operand(cursor, scope);
        cursor.newlines();
        if !cursor.eat(":") {
            return cursor.give_up();
        }
        cursor.newlines();
        let no = self.operand(cursor, scope);
        match condition.truth() {
            Some(true) => yes,
            Some(false) => no,
            None => Value::Unknown,
        }
    }

    /// `name = value`, `NAME = value`, `@name = value`, also `||=` and `+=`.
    fn assignment(&mut self, cursor: &mut Cursor<'_>, scope: &mut Scope) -> Option<Value> {
        let code = cursor.code;
        let target = cursor.kind()?;
        if cursor.at + 1 >= cursor.to {
            return None;
        }
        let operator = match code.kind(cursor.at + 1) {
            Some(Kind::Op(op @ ("=" | "||=" | "+=" | "<<"))) => *op,
            _ => return None,
        };
        let name = match target {
            Kind::Ident(name) => name.to_string(),
            Kind::Const(name) if operator != "<<" => name.to_string(),
            Kind::IVar(name) => format!("@{name}"),
            _ => return None,
        };
        let constant = matches!(target, Kind::Const(_));
        let old = scope.variables.get(&name).cloned();
        if operator == "<<" && !matches!(old, Some(Value::Array(_))) {
            return None;
        }
        cursor.at += 2;
        cursor.newlines();
        let new = self.operand(cursor, scope);
        let value = match (operator, old) {
            ("=", _) | ("||=", None | Some(Value::Nil)) => new,
            ("||=", Some(old)) => old,
            ("+=", Some(old)) => add(old, new),
            ("<<", Some(Value::Array(mut items))) => {
                items.push(new);
                Value::Array(items)
            }
            _ => Value::Unknown,
        };
        if constant {
            let mut path = scope.modules.clone();
            path.push(name);
            self.constants.insert(path.join("::"), value.clone());
        } else {
            if scope.in_type && name == "@isomorphic" {
                self.set_isomorphic(code, cursor.at, &value);
            }
            scope.variables.insert(name, value.clone());
        }
        Some(value)
    }

    fn binary(&mut self, cursor: &mut Cursor<'_>, scope: &mut Scope, least: u8) -> Value {
        let mut left = self.unary(cursor, scope);
        loop {
            let Some(Kind::Op(op)) = cursor.kind() else { return left };
            let Some(rank) = rank(op).filter(|rank| *rank >= least) else { return left };
            cursor.at += 1;
            cursor.newlines();
            let right = self.binary(cursor, scope, rank + 1);
            left = match *op {
                "||" => or(left, right),
                "&&" => and(left, right),
                "==" => left.same(&right).map_or(Value::Unknown, Value::Bool),
                "!=" => left.same(&right).map_or(Value::Unknown, |same| Value::Bool(!same)),
                "+" => add(left, right),
                "-" => subtract(left, right),
                "|" => union(left, right),
                "<<" => match left {
                    Value::Array(mut items) => {
                        items.push(right);
                        Value::Array(items)
                    }
                    _ => Value::Unknown,
                },
                _ => Value::Unknown,
            };
        }
    }

    fn unary(&mut self, cursor: &mut Cursor<'_>, scope: &mut Scope) -> Value {
        cursor.nesting += 1;
        let value = if cursor.nesting > MAX_NESTING { cursor.give_up() } else { self.prefixed(cursor, scope) };
        cursor.nesting -= 1;
        value
    }

    fn prefixed(&mut self, cursor: &mut Cursor<'_>, scope: &mut Scope) -> Value {
        match cursor.kind() {
            Some(Kind::Op("!")) => {
                cursor.at += 1;
                self.unary(cursor, scope).truth().map_or(Value::Unknown, |known| Value::Bool(!known))
            }
            Some(Kind::Op("-")) => {
                cursor.at += 1;
                match self.unary(cursor, scope) {
                    Value::Int(n) => Value::Int(n.wrapping_neg()),
                    _ => Value::Unknown,
                }
            }
            Some(Kind::Op("&" | "*" | "**" | "+" | "~")) => {
                cursor.at += 1;
                self.unary(cursor, scope);
                Value::Unknown
            }
            _ => {
                let value = self.primary(cursor, scope);
                self.postfix(value, cursor, scope)
            }
        }
    }

    fn primary(&mut self, cursor: &mut Cursor<'_>, scope: &mut Scope) -> Value {
        let Some(kind) = cursor.kind() else { return Value::Unknown };
        match kind {
            Kind::Keyword(word) => return self.keyword(word, cursor, scope),
            Kind::Ident(_) => return self.bare_call(cursor, scope),
            Kind::Op("(") => {
                let inner = cursor.inside();
                return self.run(inner.code, inner.at, inner.to, scope);
            }
            Kind::Op("[") => {
                let mut inner = cursor.inside();
                return Value::Array(self.arguments(&mut inner, scope).0);
            }
            Kind::Op("{") => {
                let mut inner = cursor.inside();
                let (mut items, _) = self.arguments(&mut inner, scope);
                return match items.pop() {
                    None => Value::Hash(Vec::new()),
                    Some(hash @ Value::Hash(_)) if items.is_empty() => hash,
                    _ => Value::Unknown,
                };
            }
            Kind::Op("->") => {
                cursor.at += 1;
                let code = cursor.code;
                let mut names = Vec::new();
                if cursor.op("(") {
                    let inner = cursor.inside();
                    names = parameters(code, inner.at, inner.to);
                } else if let Some(Kind::Ident(_)) = cursor.kind() {
                    names = parameters(code, cursor.at, cursor.at + 1);
                    cursor.at += 1;
                }
                return match self.block(cursor) {
                    Some(mut block) => {
                        block.parameters = names;
                        Value::Lambda(Arc::new(block))
                    }
                    None => cursor.give_up(),
                };
            }
            Kind::Op("::") => {
                cursor.at += 1;
                return self.primary(cursor, scope);
            }
            Kind::Op(_) | Kind::Newline | Kind::Label(_) => return cursor.give_up(),
            _ => {}
        }
        cursor.at += 1;
        match kind {
            Kind::Const(name) => self.constant(name, scope),
            Kind::IVar(name) => scope.variables.get(&format!("@{name}")).cloned().unwrap_or(Value::Unknown),
            Kind::Symbol(name) => Value::Symbol(name.to_string()),
            Kind::Str(parts) => {
                let mut text = self.parts(parts, cursor, scope);
                // 'a' "b" is one string.
                while let Some(Kind::Str(more)) = cursor.kind() {
                    cursor.at += 1;
                    let more = self.parts(more, cursor, scope);
                    text = text.zip(more).map(|(a, b)| a + b.as_str());
                }
                text.map_or(Value::Unknown, Value::Str)
            }
            Kind::DynamicSymbol(parts) => self.parts(parts, cursor, scope).map_or(Value::Unknown, Value::Symbol),
            Kind::Regexp(parts, flags) => match self.parts(parts, cursor, scope) {
                Some(source) => Value::Regexp { source, flags: flags.to_string() },
                None => Value::Unknown,
            },
            Kind::Words(words) => self.words(words, cursor, scope, Value::Str),
            Kind::Symbols(words) => self.words(words, cursor, scope, Value::Symbol),
            Kind::Int(n) => Value::Int(*n),
            _ => Value::Unknown,
        }
    }

    fn keyword(&mut self, word: &str, cursor: &mut Cursor<'_>, scope: &mut Scope) -> Value {
        match word {
            "module" | "class" => return self.module(cursor, scope),
            "def" => return self.method(cursor, scope),
            "if" | "unless" if cursor.code.past(cursor.at) > cursor.at + 1 => return self.conditional(cursor, scope),
            "begin" => {
                let code = cursor.code;
                let (from, end) = (cursor.at + 1, code.past(cursor.at) - 1);
                cursor.at = end + 1;
                let mut to = from;
                while to < end && !matches!(code.kind(to), Some(Kind::Keyword("rescue" | "ensure" | "else"))) {
                    to = code.past(to);
                }
                return self.run(code, from, to.min(end), scope);
            }
            "case" | "while" | "until" | "for" => {
                let (from, to) = (cursor.at, cursor.code.past(cursor.at));
                cursor.at = to;
                if self.defines(cursor.code, from, to) {
                    self.gap(cursor.code, from, "a loop or case");
                }
                return Value::Unknown;
            }
            _ => {}
        }
        cursor.at += 1;
        match word {
            "nil" => Value::Nil,
            "true" => Value::Bool(true),
            "false" => Value::Bool(false),
            "self" => Value::Constant("self".into()),
            "__FILE__" => Value::Str(cursor.code.file.to_string_lossy().into_owned()),
            "alias" | "undef" => {
                cursor.give_up();
                Value::Nil
            }
            _ => cursor.give_up(),
        }
    }

    /// A constant: a known value, else the path itself.
    fn constant(&self, name: &str, scope: &Scope) -> Value {
        for depth in (0..=scope.modules.len()).rev() {
            let mut path: Vec<&str> = scope.modules.iter().take(depth).map(String::as_str).collect();
            path.push(name);
            if let Some(value) = self.constants.get(&path.join("::")) {
                return value.clone();
            }
        }
        Value::Constant(name.to_owned())
    }

    /// The text of string parts, if all interpolations are known.
    fn parts(&mut self, parts: &[Part], cursor: &Cursor<'_>, scope: &mut Scope) -> Option<String> {
        let mut text = String::new();
        for part in parts {
            match part {
                Part::Text(piece) => text.push_str(piece),
                Part::Code(tokens) => {
                    let code = Arc::new(Code::new(tokens.to_vec(), cursor.code.file.clone())?);
                    let value = self.run(&code, 0, code.tokens.len(), scope);
                    text.push_str(&value.interpolated()?);
                }
            }
        }
        Some(text)
    }

    fn words(
        &mut self,
        words: &[Vec<Part>],
        cursor: &Cursor<'_>,
        scope: &mut Scope,
        wrap: fn(String) -> Value,
    ) -> Value {
        Value::Array(words.iter().map(|word| self.parts(word, cursor, scope).map_or(Value::Unknown, wrap)).collect())
    }

    /// Arguments or elements up to the cursor's end or something that cannot be one. Pairs are gathered into one hash
    /// at the end. Also gives what was passed with `&`.
    pub(super) fn arguments(&mut self, cursor: &mut Cursor<'_>, scope: &mut Scope) -> (Vec<Value>, Option<Value>) {
        let mut values = Vec::new();
        let mut pairs: Option<Vec<(Value, Value)>> = None;
        let mut passed = None;
        loop {
            cursor.newlines();
            let Some(kind) = cursor.kind() else { break };
            match kind {
                Kind::Label(name) => {
                    let key = Value::Symbol(name.to_string());
                    cursor.at += 1;
                    cursor.newlines();
                    let value = self.operand(cursor, scope);
                    pairs.get_or_insert_default().push((key, value));
                }
                Kind::Op("*") => {
                    cursor.at += 1;
                    match self.operand(cursor, scope) {
                        Value::Array(items) => values.extend(items),
                        _ => values.push(Value::Unknown),
                    }
                }
                Kind::Op("&") => {
                    cursor.at += 1;
                    passed = Some(self.operand(cursor, scope));
                }
                Kind::Op("**") => {
                    cursor.at += 1;
                    match self.operand(cursor, scope) {
                        Value::Hash(entries) => pairs.get_or_insert_default().extend(entries),
                        _ => pairs.get_or_insert_default().push((Value::Unknown, Value::Unknown)),
                    }
                }
                _ => {
                    let value = self.operand(cursor, scope);
                    if cursor.eat("=>") {
                        cursor.newlines();
                        let right = self.operand(cursor, scope);
                        pairs.get_or_insert_default().push((value, right));
                    } else {
                        values.push(value);
                    }
                }
            }
            cursor.newlines_in_brackets();
            if !cursor.eat(",") {
                break;
            }
        }
        values.extend(pairs.map(Value::Hash));
        (values, passed)
    }

    /// A block, `{ |x| … }` or `do |x| … end`, if one stands here.
    pub(super) fn block(&mut self, cursor: &mut Cursor<'_>) -> Option<Block> {
        let code = cursor.code;
        let opens = match cursor.kind() {
            Some(Kind::Op("{")) => true,
            Some(Kind::Keyword("do")) => !cursor.no_do,
            _ => false,
        };
        if !opens {
            return None;
        }
        let end = code.past(cursor.at) - 1;
        let mut from = cursor.at + 1;
        cursor.at = end + 1;
        let mut names = Vec::new();
        if code.op(from, "|") {
            let mut close = from + 1;
            while close < end && !code.op(close, "|") {
                close = code.past(close);
            }
            names = parameters(code, from + 1, close);
            from = close + 1;
        } else if code.op(from, "||") {
            from += 1;
        }
        Some(Block { code: Arc::clone(code), parameters: names, from, to: end })
    }
}

impl Cursor<'_> {
    /// Inside brackets a newline may stand before the comma or the end.
    fn newlines_in_brackets(&mut self) {
        let mark = self.at;
        self.newlines();
        if self.at < self.to && !self.op(",") {
            self.at = mark;
        }
    }
}

fn rank(op: &str) -> Option<u8> {
    Some(match op {
        ".." | "..." => 1,
        "||" => 2,
        "&&" => 3,
        "==" | "!=" | "=~" | "!~" | "===" | "<=>" => 5,
        "<" | "<=" | ">" | ">=" => 6,
        "|" | "^" => 7,
        "&" => 8,
        "<<" | ">>" => 9,
        "+" | "-" => 10,
        "*" | "/" | "%" => 11,
        "**" => 12,
        _ => return None,
    })
}

fn and(left: Value, right: Value) -> Value {
    match left.truth() {
        Some(true) => right,
        Some(false) => left,
        None => Value::Unknown,
    }
}

fn or(left: Value, right: Value) -> Value {
    match left.truth() {
        Some(true) => left,
        Some(false) => right,
        None => Value::Unknown,
    }
}

fn add(left: Value, right: Value) -> Value {
    match (left, right) {
        (Value::Array(mut a), Value::Array(b)) => {
            a.extend(b);
            Value::Array(a)
        }
        (Value::Str(a), Value::Str(b)) => Value::Str(a + b.as_str()),
        (Value::Int(a), Value::Int(b)) => a.checked_add(b).map_or(Value::Unknown, Value::Int),
        _ => Value::Unknown,
    }
}

fn subtract(left: Value, right: Value) -> Value {
    match (left, right) {
        (Value::Array(a), Value::Array(b)) => {
            let gone = |item: &Value| b.iter().any(|other| item.same(other) == Some(true));
            Value::Array(a.into_iter().filter(|item| !gone(item)).collect())
        }
        (Value::Int(a), Value::Int(b)) => a.checked_sub(b).map_or(Value::Unknown, Value::Int),
        _ => Value::Unknown,
    }
}

fn union(left: Value, right: Value) -> Value {
    match (left, right) {
        (Value::Array(mut a), Value::Array(b)) => {
            for item in b {
                if !a.iter().any(|other| item.same(other) == Some(true)) {
                    a.push(item);
                }
            }
            Value::Array(a)
        }
        _ => Value::Unknown,
    }
}
