//! What known calls give.
//! In: receiver, name, arguments, block. Out: a value, or an effect on the reader. Must not: parse.

use std::path::Path;
use std::sync::Arc;

use super::code::Block;
use super::expression::Cursor;
use super::statement::Reader;
use super::statement::Scope;
use super::statement::normalize;
use super::value::Value;
use crate::ruby::lexer::Kind;

/// A call as written.
pub(super) struct Call<'a> {
    pub(super) name: &'a str,
    pub(super) arguments: Vec<Value>,
    pub(super) block: Option<Block>,
    /// What was passed with `&`.
    pub(super) passed: Option<Value>,
    /// The token of the name.
    pub(super) at: usize,
}

impl Call<'_> {
    pub(super) fn text(&self, index: usize) -> Option<&str> {
        self.arguments.get(index).and_then(Value::text)
    }
}

impl Reader<'_, '_> {
    /// A name that stands alone: a variable, or a call without a receiver.
    pub(super) fn bare_call(&mut self, cursor: &mut Cursor<'_>, scope: &mut Scope) -> Value {
        let Some(Kind::Ident(name)) = cursor.kind() else { return cursor.give_up() };
        let at = cursor.at;
        cursor.at += 1;
        let parenthesised = cursor.op("(") && !cursor.code.space(cursor.at);
        if !parenthesised && let Some(value) = scope.variables.get(&**name) {
            return value.clone();
        }
        let call = self.call_rest(name, at, cursor, scope);
        self.call(call, cursor, scope)
    }

    /// Arguments and block behind a method's name.
    fn call_rest<'n>(&mut self, name: &'n str, at: usize, cursor: &mut Cursor<'_>, scope: &mut Scope) -> Call<'n> {
        let mut call = Call { name, arguments: Vec::new(), block: None, passed: None, at };
        if cursor.op("(") && !cursor.code.space(cursor.at) {
            let mut inner = cursor.inside();
            (call.arguments, call.passed) = self.arguments(&mut inner, scope);
        } else if command_argument(cursor) {
            let mut inner = Cursor { no_do: true, ..cursor.clone() };
            (call.arguments, call.passed) = self.arguments(&mut inner, scope);
            cursor.at = inner.at;
        }
        call.block = self.block(cursor);
        call
    }

    /// What follows an operand: calls, constants inside it, indexes.
    pub(super) fn postfix(&mut self, value: Value, cursor: &mut Cursor<'_>, scope: &mut Scope) -> Value {
        let mut value = value;
        loop {
            match cursor.kind() {
                Some(Kind::Op("." | "&." | "::")) => {
                    cursor.at += 1;
                    cursor.newlines();
                    let at = cursor.at;
                    match cursor.kind() {
                        Some(Kind::Const(name)) if cursor.code.op(at - 1, "::") && !cursor.code.op(at + 1, "(") => {
                            cursor.at += 1;
                            value = match value {
                                Value::Constant(path) => self.constant_in(&path, name, scope),
                                _ => Value::Unknown,
                            };
                        }
                        Some(Kind::Ident(name) | Kind::Const(name)) => {
                            cursor.at += 1;
                            let call = self.call_rest(name, at, cursor, scope);
                            value = self.send(value, call, cursor, scope);
                        }
                        _ => return cursor.give_up(),
                    }
                }
                Some(Kind::Op("[")) if !cursor.code.space(cursor.at) => {
                    let mut inner = cursor.inside();
                    let (index, _) = self.arguments(&mut inner, scope);
                    value = match (&value, index.as_slice()) {
                        (Value::Array(items), [Value::Int(n)]) => item(items, *n),
                        (Value::Hash(entries), [key]) => {
                            let found = entries.iter().find(|(k, _)| k.same(key) == Some(true));
                            found.map_or(Value::Nil, |(_, value)| value.clone())
                        }
                        _ => Value::Unknown,
                    };
                }
                _ => return value,
            }
        }
    }

    fn constant_in(&self, path: &str, name: &str, scope: &Scope) -> Value {
        let full = format!("{path}::{name}");
        for depth in (0..=scope.modules.len()).rev() {
            let mut parts: Vec<&str> = scope.modules.iter().take(depth).map(String::as_str).collect();
            parts.push(&full);
            if let Some(value) = self.constants.get(&parts.join("::")) {
                return value.clone();
            }
        }
        Value::Constant(full)
    }

    /// A call without a receiver.
    fn call(&mut self, call: Call<'_>, cursor: &Cursor<'_>, scope: &mut Scope) -> Value {
        match call.name {
            "require" | "load" => {
                if let Some(path) = call.text(0).map(str::to_owned) {
                    self.require(cursor.code, &path, false);
                }
                return Value::Bool(true);
            }
            "require_relative" => {
                if let Some(path) = call.text(0).map(str::to_owned) {
                    self.require(cursor.code, &path, true);
                }
                return Value::Bool(true);
            }
            "lambda" | "proc" => return call.block.map_or(Value::Unknown, |block| Value::Lambda(Arc::new(block))),
            "__dir__" => {
                let folder = cursor.code.file.parent().map(|folder| folder.to_string_lossy().into_owned());
                return folder.map_or(Value::Unknown, Value::Str);
            }
            "instance_eval" | "class_eval" | "instance_exec" if scope.in_type => {
                let block = match (&call.block, &call.passed) {
                    (Some(block), _) => Arc::new(block.clone()),
                    (None, Some(Value::Lambda(block))) => block.clone(),
                    _ => {
                        self.gap(cursor.code, call.at, "a block that is not known");
                        return Value::Unknown;
                    }
                };
                return self.invoke(&block, call.arguments, None, scope.modules.clone(), true);
            }
            _ => {}
        }
        if scope.in_type
            && let Some(value) = self.define(&call, cursor, scope)
        {
            return value;
        }
        let own = format!("{}.{}", scope.modules.join("::"), call.name);
        if let Some(method) = self.methods.get(&own).cloned() {
            return self.invoke(&method, call.arguments, call.block, scope.modules.clone(), scope.in_type);
        }
        Value::Unknown
    }

    /// A call with a receiver.
    fn send(&mut self, receiver: Value, call: Call<'_>, cursor: &Cursor<'_>, scope: &mut Scope) -> Value {
        if let Value::Constant(path) = &receiver {
            return self.send_to_constant(&path.clone(), call, cursor, scope);
        }
        if let Some(items) = iterated(&receiver, call.name) {
            return self.iterate(&receiver, items, &call, cursor, scope);
        }
        pure(&receiver, &call).unwrap_or_else(|| {
            if let Some(block) = &call.block
                && scope.in_type
                && self.defines(&block.code, block.from, block.to)
            {
                self.gap(cursor.code, call.at, "a loop over something unknown");
            }
            Value::Unknown
        })
    }

    fn send_to_constant(&mut self, path: &str, call: Call<'_>, cursor: &Cursor<'_>, scope: &mut Scope) -> Value {
        match (path, call.name) {
            ("Puppet::Type" | "Type" | "Puppet", "newtype") => self.newtype(&call, scope),
            ("Puppet::ResourceApi" | "ResourceApi", "register_type") => self.register_type(&call, cursor),
            ("Proc", "new") => call.block.map_or(Value::Unknown, |block| Value::Lambda(Arc::new(block))),
            ("Regexp", "new") => match call.arguments.first() {
                Some(regexp @ Value::Regexp { .. }) => regexp.clone(),
                Some(Value::Str(source)) => Value::Regexp { source: source.clone(), flags: String::new() },
                _ => Value::Unknown,
            },
            ("File", "join") => {
                let parts: Option<Vec<&str>> = call.arguments.iter().map(Value::text).collect();
                parts.map_or(Value::Unknown, |parts| Value::Str(parts.join("/")))
            }
            ("File", "dirname") => match call.text(0).and_then(|path| Path::new(path).parent()) {
                Some(folder) => Value::Str(folder.to_string_lossy().into_owned()),
                None => Value::Unknown,
            },
            ("File", "expand_path") => match (call.text(0), call.text(1)) {
                (Some(path), Some(folder)) => {
                    Value::Str(normalize(&Path::new(folder).join(path)).to_string_lossy().into_owned())
                }
                (Some(path), None) => Value::Str(normalize(Path::new(path)).to_string_lossy().into_owned()),
                _ => Value::Unknown,
            },
            ("self", _) if scope.in_type => self.define(&call, cursor, scope).unwrap_or(Value::Unknown),
            _ => {
                let method = self.methods.get(&format!("{path}.{}", call.name)).cloned();
                match method {
                    Some(method) => {
                        let modules = path.split("::").map(str::to_owned).collect();
                        // A helper that is given the type defines by it: `type.newparam(…)`.
                        let given = |value: &Value| matches!(value, Value::Constant(path) if path == "self");
                        let in_type = scope.in_type && call.arguments.iter().any(given);
                        self.invoke(&method, call.arguments, call.block, modules, in_type)
                    }
                    None => Value::Unknown,
                }
            }
        }
    }

    /// Runs a method's body with its parameters bound.
    pub(super) fn invoke(
        &mut self,
        method: &Arc<Block>,
        arguments: Vec<Value>,
        block: Option<Block>,
        modules: Vec<String>,
        in_type: bool,
    ) -> Value {
        let mut scope = Scope { modules, in_type, ..Scope::default() };
        if let Some(block) = block {
            scope.variables.insert("&".into(), Value::Lambda(Arc::new(block)));
        }
        self.bind(method, arguments, &mut scope);
        self.run(&method.code, method.from, method.to, &mut scope)
    }

    fn bind(&mut self, block: &Block, arguments: Vec<Value>, scope: &mut Scope) {
        let mut rest = arguments.into_iter();
        for parameter in &block.parameters {
            let value = if parameter.splat {
                Value::Array(rest.by_ref().collect())
            } else {
                match (rest.next(), parameter.default) {
                    (Some(value), _) => value,
                    (None, Some((from, to))) => self.run(&block.code, from, to, scope),
                    (None, None) => Value::Nil,
                }
            };
            scope.variables.insert(parameter.name.clone(), value);
        }
    }

    /// Runs a block once for each item.
    fn iterate(
        &mut self,
        receiver: &Value,
        items: Vec<Vec<Value>>,
        call: &Call<'_>,
        cursor: &Cursor<'_>,
        scope: &mut Scope,
    ) -> Value {
        let Some(block) = call.block.clone() else {
            if call.passed.is_some() && call.name == "map" {
                return Value::Unknown;
            }
            return receiver.clone();
        };
        if !scope.in_type && !matches!(call.name, "map" | "collect") && !self.defines(&block.code, block.from, block.to)
        {
            return Value::Unknown;
        }
        let _ = cursor;
        let mut results = Vec::new();
        let mut inner = scope.clone();
        for item in items {
            let item = match (block.parameters.len(), item.as_slice()) {
                // |a, b| takes an array apart.
                (2.., [Value::Array(parts)]) => parts.clone(),
                (1, [key, value]) => vec![Value::Array(vec![key.clone(), value.clone()])],
                _ => item,
            };
            self.bind(&block, item, &mut inner);
            inner.returned = false;
            results.push(self.run(&block.code, block.from, block.to, &mut inner));
        }
        // What was known before the loop may have changed in it.
        for (name, value) in inner.variables {
            if scope.variables.contains_key(&name) {
                scope.variables.insert(name, value);
            }
        }
        match call.name {
            "map" | "collect" => Value::Array(results),
            _ => receiver.clone(),
        }
    }
}

/// Whether arguments without parentheses follow.
fn command_argument(cursor: &Cursor<'_>) -> bool {
    let at = cursor.at;
    if !cursor.code.space(at) {
        return false;
    }
    let tight = at + 1 < cursor.to && !cursor.code.space(at + 1);
    match cursor.kind() {
        None | Some(Kind::Newline) => false,
        Some(Kind::Op(op)) => match *op {
            "[" | "->" | "::" | "!" => true,
            "*" | "&" | "-" | "**" => tight,
            _ => false,
        },
        Some(Kind::Keyword(word)) => {
            matches!(
                *word,
                "nil" | "true" | "false" | "self" | "not" | "defined?" | "__FILE__" | "def" | "case" | "super"
            ) || (matches!(*word, "if" | "unless") && cursor.code.past(at) > at + 1)
        }
        Some(_) => true,
    }
}

fn item(items: &[Value], index: i64) -> Value {
    let length = i64::try_from(items.len()).unwrap_or(i64::MAX);
    let index = if index < 0 { index + length } else { index };
    usize::try_from(index).ok().and_then(|index| items.get(index)).cloned().unwrap_or(Value::Nil)
}

/// What a block gets on each round, if the method is an iteration over something known.
fn iterated(receiver: &Value, name: &str) -> Option<Vec<Vec<Value>>> {
    match (receiver, name) {
        (Value::Array(items), "each" | "map" | "collect") => {
            Some(items.iter().map(|item| vec![item.clone()]).collect())
        }
        (Value::Array(items), "each_with_index") => {
            let number = |index: usize| Value::Int(i64::try_from(index).unwrap_or(i64::MAX));
            Some(items.iter().enumerate().map(|(index, item)| vec![item.clone(), number(index)]).collect())
        }
        (Value::Hash(entries), "each" | "each_pair" | "map" | "collect") => {
            Some(entries.iter().map(|(key, value)| vec![key.clone(), value.clone()]).collect())
        }
        (Value::Hash(entries), "each_key") => Some(entries.iter().map(|(key, _)| vec![key.clone()]).collect()),
        (Value::Hash(entries), "each_value") => Some(entries.iter().map(|(_, value)| vec![value.clone()]).collect()),
        _ => None,
    }
}

/// Methods without effects on literals.
fn pure(receiver: &Value, call: &Call<'_>) -> Option<Value> {
    let count = |n: usize| Value::Int(i64::try_from(n).unwrap_or(i64::MAX));
    Some(match (receiver, call.name) {
        (Value::Unknown, _) => return None,
        (value, "freeze" | "dup" | "clone" | "to_a") => value.clone(),
        (Value::Str(text) | Value::Symbol(text), "to_sym" | "intern") => Value::Symbol(text.clone()),
        (Value::Str(text) | Value::Symbol(text), "to_s" | "to_str" | "name") => Value::Str(text.clone()),
        (Value::Str(text), "downcase") => Value::Str(text.to_lowercase()),
        (Value::Str(text), "upcase") => Value::Str(text.to_uppercase()),
        (Value::Str(text), "strip") => Value::Str(text.trim().to_owned()),
        (Value::Str(text), "split") => match call.text(0) {
            None => Value::Array(text.split_whitespace().map(|word| Value::Str(word.to_owned())).collect()),
            Some(by) => Value::Array(text.split(by).map(|word| Value::Str(word.to_owned())).collect()),
        },
        (Value::Array(items), "count" | "size" | "length") if call.block.is_none() => count(items.len()),
        (Value::Array(items), "empty?") => Value::Bool(items.is_empty()),
        (Value::Hash(entries), "empty?") => Value::Bool(entries.is_empty()),
        (Value::Str(text), "empty?") => Value::Bool(text.is_empty()),
        (value, "nil?") => Value::Bool(matches!(value, Value::Nil)),
        (Value::Array(items), "first") => items.first().cloned().unwrap_or(Value::Nil),
        (Value::Array(items), "last") => items.last().cloned().unwrap_or(Value::Nil),
        (Value::Array(items), "compact") => {
            Value::Array(items.iter().filter(|item| !matches!(item, Value::Nil)).cloned().collect())
        }
        (Value::Array(items), "include?") => {
            let wanted = call.arguments.first()?;
            let same: Option<Vec<bool>> = items.iter().map(|item| item.same(wanted)).collect();
            Value::Bool(same?.contains(&true))
        }
        (Value::Array(items), "join") => {
            let texts: Option<Vec<String>> = items.iter().map(Value::interpolated).collect();
            Value::Str(texts?.join(call.text(0).unwrap_or("")))
        }
        (Value::Hash(entries), "keys") => Value::Array(entries.iter().map(|(key, _)| key.clone()).collect()),
        (Value::Hash(entries), "values") => Value::Array(entries.iter().map(|(_, value)| value.clone()).collect()),
        (Value::Hash(entries), "merge") => match call.arguments.first()? {
            Value::Hash(more) => {
                let mut all = entries.clone();
                for (key, value) in more {
                    all.retain(|(known, _)| known.same(key) != Some(true));
                    all.push((key.clone(), value.clone()));
                }
                Value::Hash(all)
            }
            _ => return None,
        },
        _ => return None,
    })
}
