//! Lazy sequences as Ruby objects, for messages: their classes, and the enumerators inside.
//!
//! In: a sequence. Out: class names and printed forms. Must not: take values from it. The rules are those of
//! `Puppet::Pops::Types::Iterable`.

use super::Iter;
use super::Kind;
use crate::value::Value;
use crate::value::ruby;

impl Iter {
    /// Puppet's class of a tree iterator: to the type system these are not iterators.
    #[must_use]
    pub(crate) fn tree_class(&self) -> Option<&'static str> {
        match &self.kind {
            Kind::Tree(_, options) if options.depth_first => {
                Some("Puppet::Pops::Types::Iterable::DepthFirstTreeIterator")
            }
            Kind::Tree(..) => Some("Puppet::Pops::Types::Iterable::BreadthFirstTreeIterator"),
            _ => None,
        }
    }

    /// Puppet's class, as its messages name it.
    #[must_use]
    pub fn class_name(&self) -> &'static str {
        match &self.kind {
            Kind::Range(..) | Kind::BigRange(_) => "Puppet::Pops::Types::IntegerRangeIterator",
            Kind::Tree(..) => self.tree_class().unwrap_or("Puppet::Pops::Types::Iterator"),
            Kind::Step(_, 1) => "Puppet::Pops::Types::Iterator",
            Kind::Step(..) => "Puppet::Pops::Types::StepIterator",
            Kind::Hash(_) => "Puppet::Pops::Types::HashIterator",
            _ => "Puppet::Pops::Types::Iterator",
        }
    }

    /// The receiver in Ruby's message about an unknown method: the enumerator inside the sequence, or `nil` for a range.
    /// (Iterator#method_missing)
    pub(crate) fn receiver(&self) -> String {
        match &self.kind {
            Kind::Range(..) | Kind::BigRange(_) => "nil:NilClass".to_owned(),
            Kind::Step(inner, _) => inner.receiver(),
            Kind::Tree(..) => format!("#<{}>", self.class_name()),
            _ => self.enumerator(),
        }
    }

    /// `Enumerator#inspect`: the source and the method.
    fn enumerator(&self) -> String {
        let (walked, method) = match &self.kind {
            Kind::Array(items) => (ruby::inspect(&Value::Array(items.clone())), "each"),
            Kind::Hash(entries) if entries.is_empty() => ("{}".to_owned(), "each"),
            Kind::Hash(entries) => (ruby::inspect(&Value::Hash(entries.clone())), "each_pair"),
            Kind::Chars(text) => (ruby::inspect_string(text), "each_char"),
            Kind::Enum(_) => (ruby::inspect(&Value::array(self.values().collect())), "each"),
            Kind::Reverse(inner, items) => match &inner.kind {
                // These have to be iterated before they can be reversed.
                Kind::Step(..) | Kind::Tree(..) => {
                    (ruby::inspect(&Value::array(items.iter().rev().cloned().collect())), "reverse_each")
                }
                _ => (inner.enumerator(), "reverse_each"),
            },
            _ => return self.receiver(),
        };
        format!("#<Enumerator: {walked}:{method}>")
    }
}
