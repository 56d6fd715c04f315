//! The description of a class: a constant table in a file of `core/`.

use std::rc::Rc;

use crate::Blk;
use crate::Frame;
use crate::Interp;
use crate::Raise;
use crate::value::Rv;

/// The body of a method: receiver, arguments, block. The number of arguments was checked by [`Arity`].
pub(crate) type Body = for<'e> fn(&mut Interp<'e>, &Rv, &[Rv], Blk<'_>) -> Raise<Rv>;

/// A class or module of Ruby's own.
pub(crate) struct Class {
    /// The name as Ruby prints it.
    pub name: &'static str,
    /// The superclass; `None` for a module.
    pub parent: Option<&'static Class>,
    /// The included modules, the last included one first.
    pub includes: &'static [&'static Class],
    /// The modules whose methods the class itself has.
    pub extends: &'static [&'static Class],
    /// The methods of its objects.
    pub methods: &'static [Method],
    /// The methods of the class itself (`Time.now`).
    pub singleton: &'static [Method],
}

impl Class {
    /// A module, or a class whose objects have no methods here.
    pub(crate) const fn module(name: &'static str, singleton: &'static [Method]) -> Class {
        Class { name, parent: None, includes: &[], extends: &[], methods: &[], singleton }
    }
}

/// A method of a class.
pub(crate) struct Method {
    pub name: &'static str,
    pub arity: Arity,
    /// Whether it changes its receiver, which must not be frozen; a collection shared with the Puppet language is written back.
    pub changes_receiver: bool,
    /// Whether it returns an enumerator if it is called without a block.
    pub iterates: bool,
    /// Whether it may stop before the last item of an infinite collection, or of one that produces its items one by one.
    pub may_stop_early: bool,
    pub body: Body,
}

/// The body of a function: arguments, block, the frame of the caller. The number of arguments was checked by [`Arity`].
pub(crate) type FunctionBody = for<'e> fn(&mut Interp<'e>, &[Rv], Blk<'_>, &Rc<Frame>) -> Raise<Rv>;

/// A method that is called without a receiver and sees the frame of its caller.
pub(crate) struct Function {
    pub name: &'static str,
    pub arity: Arity,
    pub body: FunctionBody,
}

impl Function {
    /// A function with `count` arguments.
    pub(crate) const fn new(name: &'static str, count: u8, body: FunctionBody) -> Function {
        Function::between(name, count, count, body)
    }

    /// A function with optional arguments.
    pub(crate) const fn between(name: &'static str, min: u8, max: u8, body: FunctionBody) -> Function {
        Function { name, arity: Arity { min, max }, body }
    }

    /// A function with `min` or more arguments.
    pub(crate) const fn at_least(name: &'static str, min: u8, body: FunctionBody) -> Function {
        Function::between(name, min, Arity::ANY, body)
    }
}

/// The number of arguments that a method takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Arity {
    pub min: u8,
    /// The maximum; [`Arity::ANY`] means no limit.
    pub max: u8,
}

impl Arity {
    /// A maximum without limit.
    pub(crate) const ANY: u8 = u8::MAX;

    /// Whether a number of arguments is valid.
    pub(crate) fn accepts(self, count: usize) -> bool {
        count >= usize::from(self.min) && (self.max == Arity::ANY || count <= usize::from(self.max))
    }

    /// The form in the message of `ArgumentError`: `1`, `1..2`, `1+`.
    pub(crate) fn display_count(self) -> String {
        match self.max {
            Arity::ANY => format!("{}+", self.min),
            max if max == self.min => max.to_string(),
            max => format!("{}..{max}", self.min),
        }
    }

    /// The result of `Method#arity` for methods written in Ruby: the number of arguments, or `-n - 1` if `n` are required and
    /// more are possible.
    #[cfg(test)]
    pub(crate) fn number(self) -> i64 {
        if self.min == self.max { i64::from(self.min) } else { -i64::from(self.min) - 1 }
    }
}

impl Method {
    /// A method with `count` arguments.
    pub(crate) const fn new(name: &'static str, count: u8, body: Body) -> Method {
        Method::between(name, count, count, body)
    }

    /// A method with optional arguments.
    pub(crate) const fn between(name: &'static str, min: u8, max: u8, body: Body) -> Method {
        Method {
            name,
            arity: Arity { min, max },
            changes_receiver: false,
            iterates: false,
            may_stop_early: false,
            body,
        }
    }

    /// A method with `min` or more arguments.
    pub(crate) const fn at_least(name: &'static str, min: u8, body: Body) -> Method {
        Method::between(name, min, Arity::ANY, body)
    }

    /// A method that changes its receiver.
    pub(crate) const fn changes_receiver(self) -> Method {
        Method { changes_receiver: true, ..self }
    }

    /// A method that returns an enumerator if it is called without a block.
    pub(crate) const fn returns_enumerator(self) -> Method {
        Method { iterates: true, ..self }
    }

    /// A method that may stop before the last item.
    pub(crate) const fn may_stop_early(self) -> Method {
        Method { may_stop_early: true, ..self }
    }
}
