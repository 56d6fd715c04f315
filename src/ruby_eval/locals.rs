//! The local variables of one body of Ruby code. Most bodies have a few, which are compared one by one; from
//! [`MANY`] on they have an index by name.
//!
//! In: names and values. Out: values. Must not: know bodies around this one.

use super::value::Rv;
use crate::names::Name;
use crate::names::NameMap;

/// Above this many variables there is an index.
const MANY: usize = 16;

/// Variables in the order in which they were first set.
#[derive(Default)]
pub(super) struct Locals {
    all: Vec<(Name, Rv)>,
    index: Option<Box<NameMap<usize>>>,
}

impl Locals {
    fn position(&self, name: Name) -> Option<usize> {
        match &self.index {
            Some(index) => index.get(&name).copied(),
            None => self.all.iter().position(|(known, _)| *known == name),
        }
    }

    pub(super) fn get(&self, name: Name) -> Option<&Rv> {
        self.position(name).and_then(|at| self.all.get(at)).map(|(_, value)| value)
    }

    pub(super) fn get_mut(&mut self, name: Name) -> Option<&mut Rv> {
        self.position(name).and_then(|at| self.all.get_mut(at)).map(|(_, value)| value)
    }

    /// Adds a variable that is not known yet.
    pub(super) fn push(&mut self, name: Name, value: Rv) {
        if let Some(index) = &mut self.index {
            index.insert(name, self.all.len());
        }
        self.all.push((name, value));
        if self.all.len() > MANY && self.index.is_none() {
            self.index = Some(Box::new((0..).zip(&self.all).map(|(at, (name, _))| (*name, at)).collect()));
        }
    }
}
