//! Evaluation of the tree, with a function for each larger kind of expression.

use std::rc::Rc;
use std::sync::Arc;

use crate::Flow;
use crate::Frame;
use crate::Interp;
use crate::Raise;
use crate::value::Callable;
use crate::value::HashObject;
use crate::value::Key;
use crate::value::Map;
use crate::value::Range;
use crate::value::Rv;
use arcstr::ArcStr;
use catwalk_base::names::Name;
use catwalk_ruby_syntax::ast::Lambda;
use catwalk_ruby_syntax::ast::Node;
use catwalk_ruby_syntax::ast::NodeKind;
use catwalk_ruby_syntax::ast::Pair;
use catwalk_ruby_syntax::ast::StrPart;
use catwalk_ruby_syntax::inline_cache::Literal;
use catwalk_ruby_syntax::inline_cache::Local;
use catwalk_ruby_syntax::inline_cache::Operator;

#[inline(never)]
fn self_value(f: &Frame) -> Raise<Rv> {
    Ok(f.this.clone())
}

#[inline(never)]
fn symbol(name: &ArcStr) -> Raise<Rv> {
    Ok(Rv::Sym(name.clone()))
}

#[inline(never)]
fn string(contents: &str) -> Raise<Rv> {
    Ok(Rv::str(contents))
}

impl Interp<'_> {
    /// Evaluates an expression. Larger kinds have their own functions, which are called in tail position, so that this function
    /// needs little stack.
    pub fn eval(&mut self, node: &Node, f: &Rc<Frame>) -> Raise<Rv> {
        match &node.kind {
            NodeKind::Nil => Ok(Rv::Nil),
            NodeKind::Bool(b) => Ok(Rv::bool(*b)),
            NodeKind::Int(n) => Ok(Rv::Int(*n)),
            NodeKind::Local(local) if let Some(value) = f.read_plain(local) => Ok(value),
            NodeKind::Local(local) => self.local(local, f),
            NodeKind::SelfRef => self_value(f),
            NodeKind::Call(call) => self.eval_call(call, node.line, f),
            NodeKind::If(..) | NodeKind::Block(_) => self.eval_sequence(node, f),
            NodeKind::IVar(variable) => self.ivar(variable, f),
            NodeKind::Symbol(name) => symbol(name),
            NodeKind::Str(contents) => string(contents),
            NodeKind::InterpolatedStr(parts) => self.eval_string_parts(parts, f),
            NodeKind::Assign(target, value) => self.eval_assign(target, value, f),
            NodeKind::OpAssign(target, operator, value, site) => self.op_assign(target, *operator, value, site, f),
            NodeKind::And(a, b) => self.eval_and(a, b, f),
            NodeKind::Or(a, b) => self.eval_or(a, b, f),
            NodeKind::Yield(args) => self.eval_yield(args, f),
            NodeKind::Array(items) => self.array_literal(items, f),
            NodeKind::Hash(pairs) => self.hash_literal(pairs, f),
            NodeKind::Const(scope, name) => self.constant_node(scope.as_ref(), *name, node.line, f),
            _ => self.eval_uncommon(node, f),
        }
    }

    #[inline(never)]
    fn array_literal(&mut self, items: &[Node], f: &Rc<Frame>) -> Raise<Rv> {
        self.eval_list(items, f).map(Rv::array)
    }

    #[inline(never)]
    fn eval_assign(&mut self, target: &Node, value: &Node, f: &Rc<Frame>) -> Raise<Rv> {
        let value = self.eval_quick(value, f)?;
        self.assign(target, value, f)
    }

    #[inline(never)]
    fn eval_and(&mut self, a: &Node, b: &Node, f: &Rc<Frame>) -> Raise<Rv> {
        self.check_stack()?;
        let a = self.eval_quick(a, f)?;
        if a.truthy() { self.eval(b, f) } else { Ok(a) }
    }

    #[inline(never)]
    fn eval_or(&mut self, a: &Node, b: &Node, f: &Rc<Frame>) -> Raise<Rv> {
        self.check_stack()?;
        let a = self.eval_quick(a, f)?;
        if a.truthy() { Ok(a) } else { self.eval(b, f) }
    }

    #[inline(never)]
    fn eval_yield(&mut self, args: &[Node], f: &Rc<Frame>) -> Raise<Rv> {
        let Some(block) = f.block() else {
            self.eval_list(args, f)?;
            return self.raise("LocalJumpError", "no block given (yield)");
        };
        match args {
            [arg] if !matches!(arg.kind, NodeKind::Splat(_)) => {
                let value = self.eval_quick(arg, f)?;
                self.yield_value(block, value)
            }
            _ => self.with_values(args, f, |rt, args| rt.yield_values(block, args)),
        }
    }

    /// A branch, or several expressions: the value is that of the part that runs last.
    #[inline(never)]
    fn eval_sequence(&mut self, node: &Node, f: &Rc<Frame>) -> Raise<Rv> {
        let mut node = node;
        loop {
            match &node.kind {
                NodeKind::If(test, yes, no) => node = if self.eval_test(test, f)? { yes } else { no },
                NodeKind::Block(list) => {
                    let Some((last, first)) = list.split_last() else { return Ok(Rv::Nil) };
                    for node in first {
                        self.eval_for_effect(node, f)?;
                    }
                    node = last;
                }
                _ => return self.eval(node, f),
            }
        }
    }

    /// As [`Interp::eval`], with the most common kinds of receivers and arguments inlined.
    #[inline]
    pub(crate) fn eval_quick(&mut self, node: &Node, f: &Rc<Frame>) -> Raise<Rv> {
        match &node.kind {
            NodeKind::Local(local) if let Some(value) = f.read_plain(local) => Ok(value),
            NodeKind::Local(local) => self.local(local, f),
            NodeKind::Int(n) => Ok(Rv::Int(*n)),
            _ => self.eval(node, f),
        }
    }

    /// Evaluates an expression whose value is unused.
    pub(crate) fn eval_for_effect(&mut self, node: &Node, f: &Rc<Frame>) -> Raise<()> {
        match &node.kind {
            NodeKind::Assign(target, value) if let NodeKind::Local(local) = &target.kind => {
                let value = self.eval(value, f)?;
                f.write(local, value);
            }
            NodeKind::OpAssign(target, operator, value, site) if let NodeKind::Local(local) = &target.kind => {
                match site.operator {
                    Operator::Other => self.eval(node, f)?.discard(),
                    _ => {
                        let new = self.op_assign_local(local, *operator, value, site, f)?;
                        f.write(local, new);
                    }
                }
            }
            _ => self.eval(node, f)?.discard(),
        }
        Ok(())
    }

    fn check_output_size(&mut self) -> Raise<Rv> {
        if self.out.len() > crate::MAX_SIZE {
            return self.unsupported("templates that write this much");
        }
        Ok(Rv::Nil)
    }

    /// The value of a variable.
    #[inline(never)]
    pub fn local(&mut self, local: &Local, f: &Rc<Frame>) -> Raise<Rv> {
        match f.read(local) {
            Some(value) if !local.is_computed() => Ok(value),
            found => self.computed_local(local, found),
        }
    }

    /// A variable that is unknown here, or the output of a template.
    #[cold]
    fn computed_local(&mut self, local: &Local, value: Option<Rv>) -> Raise<Rv> {
        Ok(match value {
            Some(_) if local.is_computed() => Rv::str(self.out.clone()),
            found => found.unwrap_or(Rv::Nil),
        })
    }

    #[inline(never)]
    fn eval_uncommon(&mut self, node: &Node, f: &Rc<Frame>) -> Raise<Rv> {
        match &node.kind {
            NodeKind::Float(n) => Ok(Rv::float(*n)),
            NodeKind::EmitText(text) => {
                self.out.push_str(text);
                self.check_output_size()
            }
            NodeKind::Command(parts) => {
                let line = self.eval_to_string(parts, f)?;
                self.line = node.line;
                self.backticks(&line)
            }
            NodeKind::DynamicSymbol(parts) => Ok(Rv::sym(&self.eval_to_string(parts, f)?)),
            NodeKind::Regexp(parts, flags, literal) => self.eval_regexp(parts, flags, *literal, node.line, f),
            NodeKind::Range(from, to, exclusive) => self.range_literal(from.as_deref(), to.as_deref(), *exclusive, f),
            NodeKind::CVar(name) => self.class_variable(*name, f),
            NodeKind::GVar(name) => self.eval_global(*name),
            NodeKind::MultiAssign(targets, value) => {
                let value = self.eval(value, f)?;
                self.destructure(targets, &value, f)?;
                Ok(value)
            }
            NodeKind::Not(inner) => Ok(Rv::bool(!self.eval_test(inner, f)?)),
            NodeKind::Defined(inner) => self.defined(inner, f),
            NodeKind::While(expected, test, body, body_first) => self.eval_while(*expected, test, body, *body_first, f),
            NodeKind::For(targets, list, body) => self.eval_for(targets, list, body, node.line, f),
            NodeKind::Case(subject, whens, else_body) => self.eval_case(subject.as_deref(), whens, else_body, f),
            NodeKind::CaseIn(subject, clauses, else_body) => {
                self.eval_case_in(subject, clauses, else_body.as_deref(), f)
            }
            NodeKind::Begin(body, rescues, else_body, ensure) => {
                self.check_stack()?;
                self.eval_begin(body, rescues, else_body.as_deref(), ensure.as_deref(), f)
            }
            NodeKind::Super(call, has_arguments) => self.eval_super(call, *has_arguments, node.line, f),
            NodeKind::Lambda(lambda) => Ok(self.lambda_literal(lambda, f)),
            NodeKind::Def(def) => self.eval_def(def, f),
            NodeKind::Class(class) => self.eval_class(class, node.line, f),
            NodeKind::Return(value) => {
                let value = self.eval_optional(value.as_deref(), f)?;
                Err(self.throw(Flow::Return(f.method().map_or(0, |method| method.id), value)))
            }
            NodeKind::Break(value) => {
                let value = self.eval_optional(value.as_deref(), f)?;
                Err(self.throw(Flow::Break(f.tag, value)))
            }
            NodeKind::Next(value) => {
                let value = self.eval_optional(value.as_deref(), f)?;
                Err(self.throw(Flow::Next(value)))
            }
            NodeKind::Retry => Err(self.throw(Flow::Retry)),
            NodeKind::Redo => Err(self.throw(Flow::Redo)),
            NodeKind::Splat(Some(inner)) => {
                let value = self.eval(inner, f)?;
                Ok(Rv::array(self.splat(&value)?))
            }
            NodeKind::Alias(new, old) => {
                let class = self.definition_class(f);
                self.alias(class, *new, *old);
                Ok(Rv::Nil)
            }
            NodeKind::Emit(inner) => self.eval_emit(inner, f),
            NodeKind::File => Ok(Rv::str(&*self.file)),
            // Expressions with values are handled above.
            _ => self.unsupported("this expression"),
        }
    }

    fn eval_regexp(&mut self, parts: &[StrPart], flags: &str, literal: Literal, line: u32, f: &Rc<Frame>) -> Raise<Rv> {
        self.line = line;
        if let [StrPart::Literal(source)] = parts {
            return self.regexp_literal(literal, source, flags);
        }
        let source = self.regexp_source(parts, f)?;
        self.regexp(&source, flags)
    }

    fn range_literal(&mut self, from: Option<&Node>, to: Option<&Node>, exclusive: bool, f: &Rc<Frame>) -> Raise<Rv> {
        let from = self.eval_optional(from, f)?;
        let to = self.eval_optional(to, f)?;
        let is_builtin = |value: &Rv| {
            matches!(
                value,
                Rv::Int(_) | Rv::Big(_) | Rv::Float(_) | Rv::Str(_) | Rv::Array(_) | Rv::Hash(_) | Rv::True | Rv::False
            )
        };
        if is_builtin(&from) && is_builtin(&to) && crate::core::compare::order(&from, &to).is_none() {
            return self.raise("ArgumentError", "bad value for range");
        }
        Ok(Rv::Range(Rc::new(Range { from, to, exclusive })))
    }

    fn lambda_literal(&mut self, lambda: &Arc<Lambda>, f: &Rc<Frame>) -> Rv {
        let tag = self.fresh_id();
        Rv::Proc(Rc::new(Callable::Block { lambda: lambda.clone(), frame: f.clone(), strict: true, tag }))
    }

    /// Appends a value to the output of a template.
    fn eval_emit(&mut self, value: &Node, f: &Rc<Frame>) -> Raise<Rv> {
        let line = value.line;
        let value = self.eval(value, f)?;
        self.line = line;
        match &value {
            Rv::Str(string) => self.out.push_str(&string.borrow()),
            Rv::Int(n) if !self.tables.reopens_builtins => super::string_literal::push_integer(&mut self.out, *n),
            other => {
                let string = self.to_s(other)?;
                self.out.push_str(&string);
            }
        }
        self.check_output_size()
    }

    pub(crate) fn eval_optional(&mut self, node: Option<&Node>, f: &Rc<Frame>) -> Raise<Rv> {
        node.map_or(Ok(Rv::Nil), |node| self.eval(node, f))
    }

    /// Items of a list, splats spread.
    pub(crate) fn eval_list(&mut self, items: &[Node], f: &Rc<Frame>) -> Raise<Vec<Rv>> {
        let mut values = Vec::with_capacity(items.len());
        for item in items {
            match &item.kind {
                NodeKind::Splat(Some(inner)) => {
                    let value = self.eval(inner, f)?;
                    values.extend(self.splat(&value)?);
                }
                _ => values.push(self.eval_quick(item, f)?),
            }
        }
        Ok(values)
    }

    /// The items of `*value`.
    pub(crate) fn splat(&mut self, value: &Rv) -> Raise<Vec<Rv>> {
        match value {
            Rv::Nil => Ok(Vec::new()),
            Rv::Array(items) => Ok(items.borrow().clone()),
            Rv::Hash(_) | Rv::Range(_) | Rv::Set(_) | Rv::Enumerator(_) => self.items(value),
            Rv::Object(object) if matches!(&*object.native.borrow(), Some(Rv::Array(_))) => {
                let list = value.inner_value();
                self.items(&list)
            }
            Rv::Object(_) if self.has_method(value, catwalk_base::name!("to_a")) => {
                match self.call_method(value, "to_a", &[], None)? {
                    Rv::Array(items) => Ok(items.borrow().clone()),
                    other => Ok(vec![other]),
                }
            }
            other => Ok(vec![other.clone()]),
        }
    }

    #[inline(never)]
    fn hash_literal(&mut self, pairs: &[Pair], f: &Rc<Frame>) -> Raise<Rv> {
        let mut map = Map::with_capacity_and_hasher(pairs.len(), Default::default());
        for pair in pairs {
            match pair {
                Pair::Entry(key_node, value) => {
                    let key = self.eval(key_node, f)?;
                    let value = self.eval(value, f)?;
                    if self.tables.has_custom_keys {
                        self.renew_keys(&key)?;
                    }
                    // A new string literal is not shared, so it need not be copied.
                    let key = if matches!(key_node.kind, NodeKind::Str(_)) { Key(key) } else { Key::from_value(&key) };
                    map.insert(key, value);
                }
                Pair::Splat(hash) => match self.eval(hash, f)? {
                    Rv::Hash(other) => {
                        map.extend(other.map.borrow().iter().map(|(key, value)| (key.clone(), value.clone())));
                    }
                    Rv::Nil => {}
                    other => return self.type_error(&other, "Hash"),
                },
            }
        }
        Ok(Rv::Hash(HashObject::new(map)))
    }

    fn eval_global(&mut self, variable: Name) -> Raise<Rv> {
        let name = variable.as_str();
        if let Ok(group) = name.parse::<usize>() {
            return Ok(crate::core::regexp::group(&self.last_match, group));
        }
        match name {
            "~" => Ok(self.last_match.clone()),
            "&" => Ok(crate::core::regexp::group(&self.last_match, 0)),
            "`" | "'" => match &self.last_match {
                Rv::Match(found) => Ok(crate::core::regexp::string_around(found, name == "`")),
                _ => Ok(Rv::Nil),
            },
            "LOAD_PATH" | ":" => Ok(self.load_path()),
            "stderr" | "stdout" => self.unsupported(&format!("${name}")),
            _ => Ok(self.global_variable(variable).unwrap_or(Rv::Nil)),
        }
    }
}
