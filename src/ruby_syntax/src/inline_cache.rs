//! Inline caches in the nodes of a tree, for its evaluation: the position of a local variable, the operator of a call, the method
//! that a call reached.
//!
//! Trees are shared between threads, so each cache is a number that is read and written atomically. It is a hint: the evaluator
//! checks it before use. Debug output contains no caches.

use std::fmt;
use std::sync::OnceLock;
use std::sync::atomic::AtomicU8;
use std::sync::atomic::AtomicU32;
use std::sync::atomic::Ordering;

use catwalk_base::names::Name;

/// The value of an empty cache.
const UNKNOWN: u32 = u32::MAX;

/// The value of an empty cache for the shape of a call.
const NO_SHAPE: u8 = u8::MAX;

/// A local variable with a cache of its position.
pub struct Local {
    /// Its name.
    pub name: Name,
    position: AtomicU32,
}

impl Local {
    /// A variable whose position is not cached.
    #[must_use]
    pub fn new(name: Name) -> Local {
        Local { name, position: AtomicU32::new(0) }
    }

    /// A variable whose value is computed at each access; its position is never cached.
    #[must_use]
    pub fn computed(name: Name) -> Local {
        Local { name, position: AtomicU32::new(UNKNOWN) }
    }

    /// Whether the variable is computed at each access.
    #[must_use]
    pub fn is_computed(&self) -> bool {
        self.position.load(Ordering::Relaxed) == UNKNOWN
    }

    /// The cached position: the number of bodies between this one and that of the variable, and the variable's index in its body. Before
    /// [`Local::remember`] it is the first variable of the innermost body.
    #[inline]
    #[must_use]
    pub fn position(&self) -> (usize, usize) {
        let position = self.position.load(Ordering::Relaxed);
        ((position >> 16) as usize, (position & 0xffff) as usize)
    }

    /// Caches the position of the variable.
    pub fn remember(&self, depth: usize, at: usize) {
        if let (Ok(depth), Ok(at)) = (u16::try_from(depth), u16::try_from(at))
            && !self.is_computed()
        {
            self.position.store(u32::from(depth) << 16 | u32::from(at), Ordering::Relaxed);
        }
    }
}

impl Clone for Local {
    fn clone(&self) -> Local {
        Local { name: self.name, position: AtomicU32::new(self.position.load(Ordering::Relaxed)) }
    }
}

impl fmt::Debug for Local {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.name.fmt(f)
    }
}

/// An operator that the evaluator implements for numbers, strings and arrays without calling a method.
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
    /// The operator with this name, or [`Operator::Other`].
    #[must_use]
    pub fn from_name(name: &str) -> Operator {
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

/// A cache of the method that the last call from a node reached.
#[derive(Debug)]
pub struct MethodCache(AtomicU32);

impl MethodCache {
    /// The index of the method in the evaluator's table.
    #[inline]
    #[must_use]
    pub fn get(&self) -> Option<u32> {
        Some(self.0.load(Ordering::Relaxed)).filter(|reached| *reached != UNKNOWN)
    }

    /// Caches the index of the method that a call reached.
    pub fn remember(&self, reached: u32) {
        self.0.store(reached, Ordering::Relaxed);
    }
}

impl Default for MethodCache {
    fn default() -> MethodCache {
        MethodCache(AtomicU32::new(UNKNOWN))
    }
}

/// The syntactic shape of a call, which determines how it is evaluated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Shape {
    /// An [`Operator`] other than [`Operator::Other`] with a receiver and one argument.
    Operator,
    /// A receiver, one argument and no block: an operator of any name, an index.
    OneArgument,
    /// No receiver, no splat and no `&block`.
    ImplicitSelf,
    /// A receiver, no splat and no `&block`.
    Plain,
    /// Anything else.
    General,
}

/// The cache of a call.
pub struct Site {
    /// The [`Shape`] of the call as a number; [`NO_SHAPE`] before its first evaluation.
    shape: AtomicU8,
    /// The operator with the name of the call.
    pub operator: Operator,
    /// Whether the method may evaluate a string as code, which can use the local variables around the call.
    pub may_eval: bool,
    /// The method that was reached.
    pub reached: MethodCache,
    setter: OnceLock<Box<Setter>>,
}

/// The assignment call `name=` of a call that is the target of an assignment.
#[derive(Debug)]
pub struct Setter {
    /// The name of the method, such as `name=`.
    pub name: Name,
    /// The method that was reached.
    pub reached: MethodCache,
}

impl Site {
    /// The cache for a call of a method of this name.
    #[must_use]
    pub fn new(name: Name) -> Site {
        Site {
            shape: AtomicU8::new(NO_SHAPE),
            operator: Operator::from_name(name.as_str()),
            may_eval: matches!(name.as_str(), "instance_eval" | "class_eval" | "module_eval"),
            reached: MethodCache::default(),
            setter: OnceLock::new(),
        }
    }

    /// The shape of the call; `find` computes it at the first evaluation.
    #[inline]
    pub fn shape(&self, find: impl FnOnce() -> Shape) -> Shape {
        match self.shape.load(Ordering::Relaxed) {
            0 => Shape::Operator,
            1 => Shape::OneArgument,
            2 => Shape::ImplicitSelf,
            3 => Shape::Plain,
            4 => Shape::General,
            _ => {
                let found = find();
                self.shape.store(found as u8, Ordering::Relaxed);
                found
            }
        }
    }

    /// The assignment call `name=`.
    pub fn setter(&self, name: Name) -> &Setter {
        self.setter
            .get_or_init(|| Box::new(Setter { name: Name::new(&format!("{name}=")), reached: MethodCache::default() }))
    }
}

impl Clone for Site {
    fn clone(&self) -> Site {
        let Site { operator, may_eval, .. } = self;
        Site {
            shape: AtomicU8::new(NO_SHAPE),
            operator: *operator,
            may_eval: *may_eval,
            reached: MethodCache::default(),
            setter: OnceLock::new(),
        }
    }
}

impl fmt::Debug for Site {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Site")
    }
}

/// The identity of a literal, so that the value it creates can be cached. Identities are never reused.
#[derive(Clone, Copy)]
pub struct Literal(u32);

impl Literal {
    /// A new identity.
    #[must_use]
    pub fn fresh() -> Literal {
        static LAST: AtomicU32 = AtomicU32::new(0);
        Literal(LAST.fetch_add(1, Ordering::Relaxed))
    }

    /// The identity as a number.
    #[must_use]
    pub fn number(self) -> u32 {
        self.0
    }
}

impl fmt::Debug for Literal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Literal")
    }
}
