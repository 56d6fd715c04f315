//! What describes a class: a table that a file of `core/` has as a constant.

use crate::Blk;
use crate::Interp;
use crate::Raise;
use crate::value::Rv;

/// What runs when a method is called: the receiver, the arguments, the block. The number of arguments was checked by [`Arity`].
pub(crate) type Body = for<'e, 'c> fn(&mut Interp<'e, 'c>, &Rv, &[Rv], Blk<'_>) -> Raise<Rv>;

/// A class or module of Ruby's own.
pub(crate) struct Class {
    /// Its name as Ruby prints it.
    pub name: &'static str,
    /// The class it comes from; a module has none.
    pub parent: Option<&'static Class>,
    /// The modules that it includes, the last included first.
    pub includes: &'static [&'static Class],
    /// The methods of its objects.
    pub methods: &'static [Method],
    /// The methods of the class itself (`Time.now`).
    pub singleton: &'static [Method],
}

/// A method of a class.
pub(crate) struct Method {
    pub name: &'static str,
    pub arity: Arity,
    /// Whether it changes its receiver: refused when that is frozen, and what the Puppet language shares is written back after it.
    pub changes: bool,
    /// Whether it gives an enumerator when it is called without a block.
    pub walks: bool,
    /// Whether it may be done before it saw all items: of what has no end, or makes its items one by one.
    pub stops: bool,
    pub body: Body,
}

/// How many arguments a method takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Arity {
    pub min: u8,
    /// [`Arity::ANY`] stands for no limit.
    pub max: u8,
}

impl Arity {
    /// As [`Arity::max`]: any number of arguments.
    pub(crate) const ANY: u8 = u8::MAX;

    /// Whether so many arguments are right.
    pub(crate) fn takes(self, given: usize) -> bool {
        given >= usize::from(self.min) && (self.max == Arity::ANY || given <= usize::from(self.max))
    }

    /// As the message of `ArgumentError` says it: `1`, `1..2`, `1+`.
    pub(crate) fn shown(self) -> String {
        match self.max {
            Arity::ANY => format!("{}+", self.min),
            max if max == self.min => max.to_string(),
            max => format!("{}..{max}", self.min),
        }
    }

    /// As `Method#arity` gives it for methods that are written in Ruby: the number of arguments, or `-n - 1` when `n` are required and there may be more.
    #[cfg(test)]
    pub(crate) fn number(self) -> i64 {
        if self.min == self.max { i64::from(self.min) } else { -i64::from(self.min) - 1 }
    }
}

impl Method {
    /// A method that takes so many arguments.
    pub(crate) const fn new(name: &'static str, count: u8, body: Body) -> Method {
        Method::between(name, count, count, body)
    }

    /// A method of which some arguments may be left out.
    pub(crate) const fn between(name: &'static str, min: u8, max: u8, body: Body) -> Method {
        Method { name, arity: Arity { min, max }, changes: false, walks: false, stops: false, body }
    }

    /// A method that takes any number of arguments from `min` on.
    pub(crate) const fn from(name: &'static str, min: u8, body: Body) -> Method {
        Method::between(name, min, Arity::ANY, body)
    }

    /// A method that changes its receiver.
    pub(crate) const fn changing(self) -> Method {
        Method { changes: true, ..self }
    }

    /// A method that gives an enumerator when it is called without a block.
    pub(crate) const fn walking(self) -> Method {
        Method { walks: true, ..self }
    }

    /// A method that may be done before it saw all items.
    pub(crate) const fn stopping(self) -> Method {
        Method { stops: true, ..self }
    }
}
