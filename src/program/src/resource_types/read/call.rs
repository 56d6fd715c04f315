//! Known calls. In: calls. Out: a value, or an effect on the reader. Must not: parse.

mod method;

use method::changes;
use method::iterated;

use std::path::Path;

use super::block::Block;
use super::expression::block_of;
use super::reader::Reader;
use super::reader::Scope;
use super::reader::defines;
use super::reader::variable;
use super::value::Value;
use catwalk_base::names::Name;
use catwalk_base::source::path::normalize_path;
use catwalk_ruby_syntax::ast;
use catwalk_ruby_syntax::ast::Param;

/// A call with its evaluated arguments.
pub(super) struct Call<'a> {
    pub(super) name: &'a str,
    pub(super) arguments: Vec<Value>,
    /// The block behind it, or what was passed with `&`.
    pub(super) block: Option<Block>,
    pub(super) line: u32,
}

impl Call<'_> {
    pub(super) fn string(&self, index: usize) -> Option<&str> {
        self.arguments.get(index).and_then(Value::text)
    }
}

impl Reader<'_, '_> {
    pub(super) fn call(&mut self, node: &ast::Call, line: u32, scope: &mut Scope) -> Value {
        let receiver = node.receiver.as_ref().map(|receiver| self.value(receiver, scope));
        if receiver.is_none() && matches!(&*node.name, "lambda" | "proc") {
            return block_of(node, scope).map_or(Value::Unknown, Value::Lambda);
        }
        let arguments = self.items(&node.args, scope);
        let passed = node.block_arg.as_ref().map(|passed| self.value(passed, scope));
        if let (Some(Value::Array(items)), Some(Value::Symbol(name))) = (&receiver, &passed)
            && matches!(&*node.name, "map" | "collect")
        {
            let mut plain =
                |item| self.call_pure_method(item, &Call { name, arguments: Vec::new(), block: None, line });
            return Value::array(items.iter().map(|item| plain(item).unwrap_or(Value::Unknown)).collect());
        }
        let block = match (block_of(node, scope), passed) {
            (Some(block), _) | (None, Some(Value::Lambda(block))) => Some(block),
            // If the block is unknown, its effects are unknown.
            (None, Some(_))
                if scope.in_type && matches!(&*node.name, "instance_eval" | "class_eval" | "instance_exec") =>
            {
                self.gap(scope, line, "an unknown block");
                return Value::Unknown;
            }
            (None, _) => None,
        };
        let call = Call { name: &node.name, arguments, block, line };
        match receiver {
            None => self.call_function(call, scope),
            Some(receiver) => {
                let held = node.receiver.as_ref().and_then(variable).filter(|_| changes(&receiver, call.name));
                let Some(held) = held else { return self.call_on_receiver(receiver, call, scope) };
                // Released, so that an unshared array is changed in place.
                drop(scope.take(held));
                let changed = self.changed_by(receiver, &call);
                scope.set(held, changed.clone());
                changed
            }
        }
    }

    /// A call without a receiver.
    fn call_function(&mut self, call: Call<'_>, scope: &mut Scope) -> Value {
        match call.name {
            "require" | "load" => {
                if let Some(path) = call.string(0) {
                    self.require(scope, path, false);
                }
                return Value::Bool(true);
            }
            "require_relative" => {
                if let Some(path) = call.string(0) {
                    self.require(scope, path, true);
                }
                return Value::Bool(true);
            }
            "__dir__" => {
                let folder = scope.file.parent().map(|folder| folder.to_string_lossy().into_owned());
                return folder.map_or(Value::Unknown, Value::Str);
            }
            "block_given?" => return Value::Bool(scope.block.is_some()),
            "instance_eval" | "class_eval" | "instance_exec" if scope.in_type => {
                return match call.block {
                    Some(block) => self.invoke(&block, call.arguments, None, scope.modules.clone(), true),
                    None => {
                        self.gap(scope, call.line, "an unknown block");
                        Value::Unknown
                    }
                };
            }
            _ => {}
        }
        if scope.in_type
            && let Some(value) = self.define(&call, scope)
        {
            return value;
        }
        if let Some(value) = self.define_nagios(&call, scope) {
            return value;
        }
        let qualified_name = format!("{}.{}", scope.modules.join("::"), call.name);
        if let Some(method) = self.methods.get(&qualified_name).cloned() {
            return self.invoke(&method, call.arguments, call.block, scope.modules.clone(), scope.in_type);
        }
        if call.name == "newtype" && !scope.in_type {
            return match &*scope.modules.join("::") {
                "Puppet::Type" => self.newtype(&call, scope),
                "Puppet" => self.record_failure("undefined method `newtype' for Puppet:Module"),
                "" => self.record_failure("undefined method `newtype' for main:Object"),
                _ => Value::Unknown,
            };
        }
        Value::Unknown
    }

    /// A call with a receiver.
    fn call_on_receiver(&mut self, receiver: Value, call: Call<'_>, scope: &mut Scope) -> Value {
        if let Value::Constant(path) = &receiver {
            return self.call_on_constant(path, call, scope);
        }
        if let Value::Type(of) = receiver {
            return if of == self.type_name { self.call_on_type(&call, scope) } else { Value::Unknown };
        }
        if matches!(receiver, Value::Array(_) | Value::Hash(_)) && !self.spend(receiver.cost()) {
            return Value::Unknown;
        }
        if let Some(items) = iterated(&receiver, call.name) {
            return self.iterate(&receiver, items, &call, scope);
        }
        if let (Value::Lambda(block), "call" | "()" | "yield") = (&receiver, call.name) {
            return self.invoke(block, call.arguments, call.block, scope.modules.clone(), scope.in_type);
        }
        self.call_pure_method(&receiver, &call).unwrap_or_else(|| {
            if let Some(block) = &call.block {
                if scope.in_type && defines(block.body()) {
                    self.gap(scope, call.line, "a loop over something unknown");
                }
                scope.forget(block.body());
            }
            Value::Unknown
        })
    }

    /// A call of the type that is read: `type = Puppet::Type.newtype(…)`, then `type.newparam(…)`.
    fn call_on_type(&mut self, call: &Call<'_>, scope: &Scope) -> Value {
        if let ("class_eval" | "instance_eval" | "class_exec" | "instance_exec", Some(block)) = (call.name, &call.block)
        {
            return self.invoke(block, call.arguments.clone(), None, scope.modules.clone(), true);
        }
        match self.definition {
            Some(_) => self.define(call, scope).unwrap_or(Value::Unknown),
            None => Value::Unknown,
        }
    }

    fn call_on_constant(&mut self, path: &str, call: Call<'_>, scope: &mut Scope) -> Value {
        match (path, call.name) {
            ("Puppet::Type" | "Type", "newtype") => self.newtype(&call, scope),
            // Puppet 4 removed it.
            ("Puppet", "newtype") => self.record_failure("undefined method `newtype' for Puppet:Module"),
            ("Puppet::Type" | "Type", "type") => {
                call.string(0).map_or(Value::Unknown, |name| Value::Type(Name::new(name)))
            }
            ("Puppet::ResourceApi" | "ResourceApi", "register_type") => self.register_type(&call, scope),
            ("Proc", "new") => call.block.map_or(Value::Unknown, Value::Lambda),
            ("Regexp", "new") => match call.arguments.first() {
                Some(regexp @ Value::Regexp { .. }) => regexp.clone(),
                Some(Value::Str(source)) => Value::Regexp { source: source.clone(), flags: String::new() },
                _ => Value::Unknown,
            },
            ("File", "join") => {
                let parts: Option<Vec<&str>> = call.arguments.iter().map(Value::text).collect();
                parts.map_or(Value::Unknown, |parts| Value::Str(parts.join("/")))
            }
            ("File", "dirname") => match call.string(0).and_then(|path| Path::new(path).parent()) {
                Some(folder) => Value::Str(folder.to_string_lossy().into_owned()),
                None => Value::Unknown,
            },
            ("File", "expand_path") => match (call.string(0), call.string(1)) {
                (Some(path), Some(folder)) => {
                    Value::Str(normalize_path(&Path::new(folder).join(path)).to_string_lossy().into_owned())
                }
                (Some(path), None) => Value::Str(normalize_path(Path::new(path)).to_string_lossy().into_owned()),
                _ => Value::Unknown,
            },
            ("self", _) if scope.in_type => self.call_function(call, scope),
            _ => {
                if let Some(answer) = self.query_nagios(path, &call) {
                    return answer;
                }
                let method = self.methods.get(&format!("{path}.{}", call.name)).cloned();
                match method {
                    Some(method) => {
                        let modules = path.split("::").map(str::to_owned).collect();
                        // A helper that gets the type as an argument may define its attributes: `type.newparam(…)`.
                        let given = |value: &Value| matches!(value, Value::Constant(path) if path == "self");
                        let in_type = scope.in_type && call.arguments.iter().any(given);
                        self.invoke(&method, call.arguments, call.block, modules, in_type)
                    }
                    None => Value::Unknown,
                }
            }
        }
    }

    /// Runs a body with its parameters bound.
    pub(super) fn invoke(
        &mut self,
        called: &Block,
        arguments: Vec<Value>,
        block: Option<Block>,
        modules: Vec<String>,
        in_type: bool,
    ) -> Value {
        let (variables, in_type) = (called.captured.clone(), in_type || called.in_type);
        let mut scope = Scope { variables, in_type, block, ..Scope::new(called.file.clone(), modules) };
        self.bind(called, arguments, &mut scope);
        self.value(called.body(), &mut scope)
    }

    fn bind(&mut self, called: &Block, mut arguments: Vec<Value>, scope: &mut Scope) {
        for number in 1..=called.numbered() {
            let value = arguments.get(number - 1).cloned().unwrap_or(Value::Nil);
            scope.set_local(Name::new(&format!("_{number}")), value);
        }
        let params = called.params();
        let named = params.iter().any(|param| matches!(param, Param::Keyword(..) | Param::KeywordRest(_)));
        let keywords = match arguments.last() {
            Some(Value::Hash(_)) if named => arguments.pop(),
            _ => None,
        };
        let mut rest = arguments.into_iter();
        for (at, param) in params.iter().enumerate() {
            let (name, value) = match param {
                Param::Required(name) => (*name, rest.next().unwrap_or(Value::Nil)),
                Param::Optional(name, default) => match rest.next() {
                    Some(value) => (*name, value),
                    None => (*name, self.value(default, scope)),
                },
                Param::Rest(Some(name)) => {
                    let behind = params.get(at + 1..).unwrap_or_default();
                    let behind = behind.iter().filter(|param| matches!(param, Param::Required(_))).count();
                    let count = rest.len().saturating_sub(behind);
                    (*name, Value::array(rest.by_ref().take(count).collect()))
                }
                Param::Keyword(name, default) => {
                    let argument = keywords.as_ref().and_then(|keywords| keywords.get(name)).cloned();
                    match (argument, default) {
                        (Some(value), _) => (*name, value),
                        (None, Some(default)) => (*name, self.value(default, scope)),
                        (None, None) => (*name, Value::Unknown),
                    }
                }
                Param::KeywordRest(Some(name)) => (*name, keywords.clone().unwrap_or_else(|| Value::hash(Vec::new()))),
                Param::Block(Some(name)) => (*name, scope.block.clone().map_or(Value::Nil, Value::Lambda)),
                Param::Pattern(inner) => {
                    let argument = rest.next().unwrap_or(Value::Nil);
                    for (at, param) in inner.iter().enumerate() {
                        if let Param::Required(name) = param {
                            let part = match &argument {
                                Value::Array(items) => items.get(at).cloned().unwrap_or(Value::Nil),
                                _ => Value::Unknown,
                            };
                            scope.set_local(*name, part);
                        }
                    }
                    continue;
                }
                Param::Rest(None) | Param::KeywordRest(None) | Param::Block(None) => continue,
            };
            scope.set_local(name, value);
        }
    }
}
