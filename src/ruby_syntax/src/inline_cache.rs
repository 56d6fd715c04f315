//! Inline caches in the nodes of a tree, for its evaluation: where a local variable was found, which operator a call is, and
//! which method it reached.
//!
//! Trees are shared between threads, so each cache is one number that is read and written atomically. It is only a hint: the
//! evaluator checks that it still holds. Caches are always equal, so they do not affect the comparison of trees.

use std::sync::OnceLock;
use std::sync::atomic::AtomicU8;
use std::sync::atomic::AtomicU32;
use std::sync::atomic::Ordering;

use catwalk_base::names::Name;

/// An unset number.
const UNKNOWN: u32 = u32::MAX;

/// As [`UNKNOWN`], for the shape of a call.
const NO_SHAPE: u8 = u8::MAX;

/// A local variable.
#[derive(Debug)]
pub struct Local {
    /// Its name.
    pub name: Name,
    found: AtomicU32,
}

impl Local {
    /// A variable that was not looked up yet.
    #[must_use]
    pub fn new(name: Name) -> Local {
        Local { name, found: AtomicU32::new(0) }
    }

    /// A variable whose value is computed at each access: its position is never remembered.
    #[must_use]
    pub fn computed(name: Name) -> Local {
        Local { name, found: AtomicU32::new(UNKNOWN) }
    }

    /// Whether the variable is computed at each access.
    #[must_use]
    pub fn is_computed(&self) -> bool {
        self.found.load(Ordering::Relaxed) == UNKNOWN
    }

    /// How many bodies further out the variable was found, and its index there: the first of the innermost body until
    /// [`Local::remember`] sets it.
    #[inline]
    #[must_use]
    pub fn found(&self) -> (usize, usize) {
        let found = self.found.load(Ordering::Relaxed);
        ((found >> 16) as usize, (found & 0xffff) as usize)
    }

    /// Sets where the variable is.
    pub fn remember(&self, depth: usize, at: usize) {
        if let (Ok(depth), Ok(at)) = (u16::try_from(depth), u16::try_from(at))
            && !self.is_computed()
        {
            self.found.store(u32::from(depth) << 16 | u32::from(at), Ordering::Relaxed);
        }
    }
}

impl Clone for Local {
    fn clone(&self) -> Local {
        Local { name: self.name, found: AtomicU32::new(self.found.load(Ordering::Relaxed)) }
    }
}

impl PartialEq for Local {
    fn eq(&self, other: &Local) -> bool {
        self.name == other.name
    }
}

/// An operator that numbers, strings and lists have in common; others are called by their name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operator {
    /// `a + b`
    Add,
    /// `a - b`
    Subtract,
    /// `a * b`
    Multiply,
    /// `a / b`
    Divide,
    /// `a % b`
    Modulo,
    /// `a == b`
    Equal,
    /// `a != b`
    NotEqual,
    /// `a < b`
    Less,
    /// `a > b`
    Greater,
    /// `a <= b`
    LessOrEqual,
    /// `a >= b`
    GreaterOrEqual,
    /// `a << b`
    Append,
    /// `a[b]`
    Index,
    /// Any other method.
    Other,
}

impl Operator {
    /// The operator with this name.
    #[must_use]
    pub fn of(name: &str) -> Operator {
        match name {
            "+" => Operator::Add,
            "-" => Operator::Subtract,
            "*" => Operator::Multiply,
            "/" => Operator::Divide,
            "%" => Operator::Modulo,
            "==" => Operator::Equal,
            "!=" => Operator::NotEqual,
            "<" => Operator::Less,
            ">" => Operator::Greater,
            "<=" => Operator::LessOrEqual,
            ">=" => Operator::GreaterOrEqual,
            "<<" => Operator::Append,
            "[]" => Operator::Index,
            _ => Operator::Other,
        }
    }
}

/// The method that the last call from a node reached.
#[derive(Debug)]
pub struct MethodCache(AtomicU32);

impl MethodCache {
    /// The number of the method in the evaluator's table.
    #[inline]
    #[must_use]
    pub fn get(&self) -> Option<u32> {
        Some(self.0.load(Ordering::Relaxed)).filter(|reached| *reached != UNKNOWN)
    }

    /// Notes which method a call reached.
    pub fn remember(&self, reached: u32) {
        self.0.store(reached, Ordering::Relaxed);
    }
}

impl Default for MethodCache {
    fn default() -> MethodCache {
        MethodCache(AtomicU32::new(UNKNOWN))
    }
}

/// How a call is written, which decides how it is evaluated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Shape {
    /// An [`Operator`] other than [`Operator::Other`] with a receiver and one argument.
    Operator,
    /// A receiver, one argument and no block: an operator of any name, an index.
    OneArgument,
    /// No receiver, no splat and no `&block`.
    Own,
    /// A receiver, no splat and no `&block`.
    Plain,
    /// Anything else.
    General,
}

/// The cache of a call.
#[derive(Debug)]
pub struct Site {
    /// The [`Shape`] of the call as a number; [`NO_SHAPE`] until its first evaluation.
    shape: AtomicU8,
    /// The operator that its name is.
    pub operator: Operator,
    /// Whether it may be given code as a string, which sees the variables around the call.
    pub lends: bool,
    /// The method it reached.
    pub reached: MethodCache,
    setter: OnceLock<Box<Setter>>,
}

/// The call that a call becomes where it is the target of an assignment.
#[derive(Debug)]
pub struct Setter {
    /// `name=` for a call of `name`.
    pub name: Name,
    /// The method it reached.
    pub reached: MethodCache,
}

impl Site {
    /// The cache for a call of a method of this name.
    #[must_use]
    pub fn new(name: Name) -> Site {
        Site {
            shape: AtomicU8::new(NO_SHAPE),
            operator: Operator::of(name.as_str()),
            lends: matches!(name.as_str(), "instance_eval" | "class_eval" | "module_eval"),
            reached: MethodCache::default(),
            setter: OnceLock::new(),
        }
    }

    /// The shape of the call, which `find` tells at its first evaluation.
    #[inline]
    pub fn shape(&self, find: impl FnOnce() -> Shape) -> Shape {
        match self.shape.load(Ordering::Relaxed) {
            0 => Shape::Operator,
            1 => Shape::OneArgument,
            2 => Shape::Own,
            3 => Shape::Plain,
            4 => Shape::General,
            _ => {
                let found = find();
                self.shape.store(found as u8, Ordering::Relaxed);
                found
            }
        }
    }

    /// The call that assigns, for a call of `name`.
    pub fn setter(&self, name: Name) -> &Setter {
        self.setter
            .get_or_init(|| Box::new(Setter { name: Name::new(&format!("{name}=")), reached: MethodCache::default() }))
    }
}

impl Clone for Site {
    fn clone(&self) -> Site {
        let Site { operator, lends, .. } = self;
        Site {
            shape: AtomicU8::new(NO_SHAPE),
            operator: *operator,
            lends: *lends,
            reached: MethodCache::default(),
            setter: OnceLock::new(),
        }
    }
}

impl PartialEq for Site {
    fn eq(&self, _: &Site) -> bool {
        true
    }
}

/// Tells literals apart, so that what is made of one is made once. Numbers are not used again.
#[derive(Clone, Copy, Debug)]
pub struct Literal(u32);

impl Literal {
    /// A new literal, equal to no other.
    #[must_use]
    pub fn fresh() -> Literal {
        static LAST: AtomicU32 = AtomicU32::new(0);
        Literal(LAST.fetch_add(1, Ordering::Relaxed))
    }

    /// Its number.
    #[must_use]
    pub fn number(self) -> u32 {
        self.0
    }
}

impl PartialEq for Literal {
    fn eq(&self, _: &Literal) -> bool {
        true
    }
}
