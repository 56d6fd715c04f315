//! Skips calls that the host ignores, such as those of log methods whose level is off, without building their message.
//!
//! In: a call node. Out: whether it was handled. Ruby evaluates arguments before a call, so an argument with effects is still
//! evaluated; only strings of variables and literals of Ruby's own classes are skipped. Must not: log anything.

use std::rc::Rc;

use crate::Frame;
use crate::Interp;
use crate::Raise;
use crate::value::Key;
use crate::value::Rv;
use catwalk_ruby_syntax::ast::Call;
use catwalk_ruby_syntax::ast::Node;
use catwalk_ruby_syntax::ast::NodeKind;
use catwalk_ruby_syntax::ast::StrPart;

/// Maximum nesting of arrays in a message that are examined.
const MAX_DEPTH: u32 = 8;

/// Whether converting a value to a string needs no code of the program and cannot fail.
fn is_plain(value: &Rv, depth: u32) -> bool {
    match value {
        Rv::Nil
        | Rv::True
        | Rv::False
        | Rv::Int(_)
        | Rv::Big(_)
        | Rv::Float(_)
        | Rv::Str(_)
        | Rv::Sym(_)
        | Rv::Regexp(_)
        | Rv::Time(_)
        | Rv::Ip(_)
        | Rv::Version(_) => true,
        Rv::Array(items) => depth < MAX_DEPTH && items.borrow().iter().all(|item| is_plain(item, depth + 1)),
        Rv::Hash(hash) => {
            let plain = |(Key(key), value): (&Key, &Rv)| is_plain(key, depth + 1) && is_plain(value, depth + 1);
            depth < MAX_DEPTH && hash.map.borrow().iter().all(plain)
        }
        _ => false,
    }
}

impl Interp<'_> {
    /// Skips a call with one argument if the host ignores it, such as a log method whose level is off; returns whether it did.
    /// The argument is evaluated if that has effects.
    ///
    /// # Errors
    /// Those of the argument.
    pub(crate) fn skip_ignored_call(&mut self, call: &Call, receiver: &Rv, arg: &Node, f: &Rc<Frame>) -> Raise<bool> {
        let Rv::Class(class) = receiver else { return Ok(false) };
        let off = self.host.ignores(*class, call.name.as_str())
            && self.method_at(&call.site.reached, receiver, call.name).is_none();
        if off && !self.is_without_effect(arg, f) {
            self.eval(arg, f)?.discard();
        }
        Ok(off)
    }

    /// Whether an expression in a message has no effect.
    fn is_without_effect(&self, node: &Node, f: &Frame) -> bool {
        if self.tables.reopens_builtins {
            return false;
        }
        match &node.kind {
            NodeKind::Nil | NodeKind::Bool(_) | NodeKind::Int(_) | NodeKind::Str(_) | NodeKind::Symbol(_) => true,
            NodeKind::InterpolatedStr(parts) => parts.iter().all(|part| match part {
                StrPart::Literal(_) => true,
                StrPart::Code(node) => self.is_without_effect(node, f),
            }),
            NodeKind::Local(local) => !local.is_computed() && f.read(local).is_some_and(|value| is_plain(&value, 0)),
            NodeKind::IVar(variable) => match &f.this {
                Rv::Object(object) => object.ivars.borrow().get(&variable.name).is_some_and(|value| is_plain(value, 0)),
                _ => false,
            },
            // One expression in `#{}` is a list with one item.
            NodeKind::Block(list) => matches!(list.as_slice(), [one] if self.is_without_effect(one, f)),
            NodeKind::Call(call) => {
                let quiet = matches!(call.name.as_str(), "inspect" | "to_s" | "class");
                let bare = call.args.is_empty() && call.block.is_none() && call.block_arg.is_none();
                quiet && bare && call.receiver.as_ref().is_some_and(|receiver| self.is_without_effect(receiver, f))
            }
            _ => false,
        }
    }
}
