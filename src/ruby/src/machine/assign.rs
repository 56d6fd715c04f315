//! Assignments, and `defined?`.

use std::rc::Rc;

use crate::Flow;
use crate::Frame;
use crate::Interp;
use crate::Raise;
use crate::core::hash::put;
use crate::machine::operators;
use crate::value::Rv;
use catwalk_base::names::Name;
use catwalk_ruby_syntax::ast::Call;
use catwalk_ruby_syntax::ast::Node;
use catwalk_ruby_syntax::ast::NodeKind;
use catwalk_ruby_syntax::inline_cache::Local;
use catwalk_ruby_syntax::inline_cache::Operator;
use catwalk_ruby_syntax::inline_cache::Site;

/// The effect of `op= value` on a value.
#[derive(Clone, Copy)]
struct OpAssignment<'a> {
    operator: Name,
    site: &'a Site,
    value: &'a Node,
}

/// Whether there is exactly one argument, which is not a splat.
fn is_single_argument(args: &[Node]) -> bool {
    matches!(args, [arg] if !matches!(arg.kind, NodeKind::Splat(_)))
}

impl Interp<'_> {
    /// `target = value`
    #[inline(never)]
    pub(crate) fn assign(&mut self, target: &Node, value: Rv, f: &Rc<Frame>) -> Raise<Rv> {
        match &target.kind {
            NodeKind::Local(local) => f.write(local, value.clone()),
            NodeKind::IVar(variable) => self.set_ivar(variable, value.clone(), f)?,
            NodeKind::GVar(name) => self.set_global_variable(*name, value.clone()),
            NodeKind::CVar(name) => {
                self.set_class_variable(*name, value.clone(), f);
            }
            NodeKind::Const(_, name) => {
                let name = match f.class {
                    // A constant in `class << self` is stored with those of the class.
                    Some(class) => Name::new(&format!("{}::{name}", class.as_str().trim_end_matches('.'))),
                    None => *name,
                };
                // An anonymous class gets the name of the constant.
                if let Rv::Class(class) = &value
                    && class.as_str().starts_with("#<Class:")
                {
                    self.tables_mut().assigned_names.entry(*class).or_insert(name);
                }
                self.tables_mut().constants.insert(name, value.clone());
            }
            NodeKind::Call(call) if !call.safe && is_single_argument(&call.args) && call.receiver.is_some() => {
                let (Some(receiver), [key]) = (&call.receiver, call.args.as_slice()) else { return Ok(value) };
                let receiver = self.eval_quick(receiver, f)?;
                let key = self.eval_quick(key, f)?;
                self.line = target.line;
                match &receiver {
                    Rv::Hash(hash) if self.can_set_key(call, &receiver) => {
                        put(self, hash, &key, value.clone())?;
                        self.mark_changed(&receiver);
                    }
                    _ => self.store(&receiver, call, &[key, value.clone()], f)?,
                }
            }
            NodeKind::Call(call) => {
                let (receiver, mut args) = self.eval_target(call, f)?;
                if receiver.is_nil() && call.safe {
                    return Ok(Rv::Nil);
                }
                args.push(value.clone());
                self.line = target.line;
                self.store(&receiver, call, &args, f)?;
            }
            NodeKind::Targets(targets) => self.destructure(targets, &value, f)?,
            NodeKind::Splat(Some(inner)) => {
                self.assign(inner, value.clone(), f)?;
            }
            _ => return self.unsupported("this assignment"),
        }
        Ok(value)
    }

    /// The object and the arguments of `a[b] = …` and `a.b = …`.
    fn eval_target(&mut self, call: &Call, f: &Rc<Frame>) -> Raise<(Rv, Vec<Rv>)> {
        let receiver = match &call.receiver {
            Some(receiver) => self.eval(receiver, f)?,
            None => f.this.clone(),
        };
        Ok((receiver, self.eval_list(&call.args, f)?))
    }

    /// Whether a call is `hash[key]` of a hash whose entries can be set without a method lookup.
    #[inline]
    fn can_set_key(&self, call: &Call, hash: &Rv) -> bool {
        let tables = &self.tables;
        call.site.operator == Operator::Index
            && !tables.reopens_builtins
            && !tables.has_custom_keys
            && !self.is_frozen(hash)
    }

    fn store(&mut self, receiver: &Rv, call: &Call, args: &[Rv], f: &Rc<Frame>) -> Raise<()> {
        if let (Rv::Hash(hash), [key, value]) = (receiver, args)
            && self.can_set_key(call, receiver)
        {
            put(self, hash, key, value.clone())?;
            self.mark_changed(receiver);
            return Ok(());
        }
        let setter = call.site.setter(call.name);
        let on_self = call.receiver.as_ref().is_none_or(|node| matches!(node.kind, NodeKind::SelfRef));
        if !on_self && !self.tables.visibilities.is_empty() && self.has_program_methods(receiver) {
            self.call_public(receiver, setter.name.as_str(), args, None, Some(&f.this))?;
            return Ok(());
        }
        self.call_cached(&setter.reached, receiver, setter.name, args, None)?;
        Ok(())
    }

    /// `target op= value`
    #[inline(never)]
    pub(crate) fn op_assign(
        &mut self,
        target: &Node,
        operator: Name,
        value: &Node,
        site: &Site,
        f: &Rc<Frame>,
    ) -> Raise<Rv> {
        if let NodeKind::Local(local) = &target.kind
            && site.operator != Operator::Other
        {
            let new = self.op_assign_local(local, operator, value, site, f)?;
            f.write(local, new.clone());
            return Ok(new);
        }
        let assignment = OpAssignment { operator, site, value };
        if let NodeKind::Call(call) = &target.kind {
            if let (Some(receiver), [key], false) = (&call.receiver, call.args.as_slice(), call.safe)
                && is_single_argument(&call.args)
            {
                let receiver = self.eval_quick(receiver, f)?;
                let key = [self.eval_quick(key, f)?];
                self.line = target.line;
                return self.op_assign_at(&receiver, &key, call, &assignment, f);
            }
            let (receiver, args) = self.eval_target(call, f)?;
            if receiver.is_nil() && call.safe {
                return Ok(Rv::Nil);
            }
            self.line = target.line;
            return self.op_assign_at(&receiver, &args, call, &assignment, f);
        }
        let old = match (&target.kind, operator.as_str()) {
            (NodeKind::CVar(name), "||") => self.find_class_variable(*name, f).unwrap_or(Rv::Nil),
            (NodeKind::Const(..), "||") => {
                if self.defined(target, f)?.truthy() {
                    self.eval(target, f)?
                } else {
                    Rv::Nil
                }
            }
            _ => self.eval(target, f)?,
        };
        match self.combine(&old, &assignment, f)? {
            Some(new) => self.assign(target, new, f),
            None => Ok(old),
        }
    }

    /// `receiver[args] op= value`, `receiver.name op= value`
    fn op_assign_at(
        &mut self,
        receiver: &Rv,
        args: &[Rv],
        call: &Call,
        assignment: &OpAssignment<'_>,
        f: &Rc<Frame>,
    ) -> Raise<Rv> {
        let quick = match args {
            [arg] if !self.tables.reopens_builtins => operators::apply(call.site.operator, receiver, arg),
            _ => None,
        };
        let old = match quick {
            Some(old) => old,
            None => self.call_cached(&call.site.reached, receiver, call.name, args, None)?,
        };
        let Some(new) = self.combine(&old, assignment, f)? else { return Ok(old) };
        match args {
            [key] => self.store(receiver, call, &[key.clone(), new.clone()], f)?,
            [] => self.store(receiver, call, std::slice::from_ref(&new), f)?,
            keys => {
                let mut keys_and_value = keys.to_vec();
                keys_and_value.push(new.clone());
                self.store(receiver, call, &keys_and_value, f)?;
            }
        }
        Ok(new)
    }

    /// The new value of a variable for `variable op= value`, with an operator of numbers.
    pub(crate) fn op_assign_local(
        &mut self,
        local: &Local,
        operator: Name,
        value: &Node,
        site: &Site,
        f: &Rc<Frame>,
    ) -> Raise<Rv> {
        let reopened = self.tables.reopens_builtins;
        if let Some(old) = f.read_int(local) {
            let right = self.eval_quick(value, f)?;
            if let Rv::Int(right) = right
                && !reopened
                && let Some(new) = operators::apply_to_integers(site.operator, old, right)
            {
                return Ok(new);
            }
            return self.op_assign_slow(&Rv::Int(old), operator, right, value, site);
        }
        let old = self.local(local, f)?;
        let right = self.eval_quick(value, f)?;
        self.op_assign_slow(&old, operator, right, value, site)
    }

    #[inline(never)]
    fn op_assign_slow(&mut self, old: &Rv, operator: Name, right: Rv, value: &Node, site: &Site) -> Raise<Rv> {
        if !self.tables.reopens_builtins
            && let Some(new) = operators::apply(site.operator, old, &right)
        {
            return Ok(new);
        }
        self.line = value.line;
        self.call_cached(&site.reached, old, operator, &[right], None)
    }

    /// The new value; `None` if the old one remains.
    fn combine(&mut self, old: &Rv, assignment: &OpAssignment<'_>, f: &Rc<Frame>) -> Raise<Option<Rv>> {
        let OpAssignment { operator, site, value } = *assignment;
        if site.operator != Operator::Other {
            let right = self.eval_quick(value, f)?;
            return self.op_assign_slow(old, operator, right, value, site).map(Some);
        }
        match operator.as_str() {
            "||" if old.truthy() => Ok(None),
            "&&" if !old.truthy() => Ok(None),
            "||" | "&&" => self.eval(value, f).map(Some),
            _ => {
                let right = self.eval(value, f)?;
                self.line = value.line;
                self.call_cached(&site.reached, old, operator, &[right], None).map(Some)
            }
        }
    }

    /// `a, *b, (c, d) = value`
    pub(crate) fn destructure(&mut self, targets: &[Node], value: &Rv, f: &Rc<Frame>) -> Raise<()> {
        let items = match value {
            Rv::Array(items) => items.borrow().clone(),
            other => vec![other.clone()],
        };
        let after = match targets.iter().position(|target| matches!(target.kind, NodeKind::Splat(_))) {
            Some(at) => targets.len() - at - 1,
            None => 0,
        };
        let mut at = 0;
        for target in targets {
            match &target.kind {
                NodeKind::Splat(inner) => {
                    let end = items.len().saturating_sub(after).max(at);
                    let rest = items.get(at..end).unwrap_or_default().to_vec();
                    at = end;
                    if let Some(inner) = inner {
                        self.assign(inner, Rv::array(rest), f)?;
                    }
                }
                _ => {
                    let item = items.get(at).cloned().unwrap_or(Rv::Nil);
                    at += 1;
                    self.assign(target, item, f)?;
                }
            }
        }
        Ok(())
    }

    /// `defined?(expression)`: the kind of expression as a string, or nil if it has no value.
    pub fn defined(&mut self, node: &Node, f: &Rc<Frame>) -> Raise<Rv> {
        let (kind, is_defined) = match &node.kind {
            NodeKind::SelfRef => ("self", true),
            NodeKind::Bool(true) => ("true", true),
            NodeKind::Bool(false) => ("false", true),
            NodeKind::Local(_) => ("local-variable", true),
            NodeKind::IVar(variable) => ("instance-variable", self.ivar_defined(&f.this, variable.name)?),
            NodeKind::CVar(name) => ("class variable", self.find_class_variable(*name, f).is_some()),
            NodeKind::GVar(name) => {
                ("global-variable", self.global_variable(*name).is_some() || self.eval(node, f)?.truthy())
            }
            NodeKind::Const(..) => ("constant", self.eval_or_none(node, f)?.is_some()),
            NodeKind::Call(call) => ("method", self.is_call_defined(call, f)?),
            NodeKind::Super(..) => ("super", self.is_super_defined(f)),
            NodeKind::Yield(_) => ("yield", f.block().is_some()),
            NodeKind::Assign(..) | NodeKind::OpAssign(..) | NodeKind::MultiAssign(..) => ("assignment", true),
            _ => ("expression", true),
        };
        Ok(if is_defined { Rv::str(kind) } else { Rv::Nil })
    }

    /// The value of an expression; `None` if it raises an exception.
    fn eval_or_none(&mut self, node: &Node, f: &Rc<Frame>) -> Raise<Option<Rv>> {
        let result = self.eval(node, f);
        match self.catch_result(result) {
            Ok(value) => Ok(Some(value)),
            Err(Flow::Raise(_)) => Ok(None),
            Err(flow) => Err(self.throw(flow)),
        }
    }

    /// Whether a call reaches a method: its receiver has a value that responds to the name.
    fn is_call_defined(&mut self, call: &Call, f: &Rc<Frame>) -> Raise<bool> {
        let Some(receiver) = &call.receiver else { return Ok(self.self_responds_to(call.name.as_str(), f)) };
        if self.defined(receiver, f)?.is_nil() {
            return Ok(false);
        }
        match self.eval_or_none(receiver, f)? {
            Some(receiver) => Ok(self.responds_to(&receiver, call.name.as_str())),
            None => Ok(false),
        }
    }

    /// Whether `super` reaches a method.
    fn is_super_defined(&self, f: &Rc<Frame>) -> bool {
        let method = f.method().map(|method| (method.name, method.owner));
        let Some((Some(name), Some(owner))) = method else { return false };
        self.find_super_method(&f.this, name, owner).is_some()
            || crate::object::method_names::is_ruby_method(&f.this, name.as_str())
    }
}
