//! Walks over two values that may contain themselves (`rb_exec_recursive_paired`).
//!
//! In: the pairs of collections that a walk enters. Out: whether a pair is being compared already, further out. Shallow values cost
//! nothing: pairs are remembered from a depth on that a collection which contains itself also reaches.

use std::cell::Cell;
use std::cell::RefCell;

use catwalk_base::meter;
use rustc_hash::FxHashSet;

/// The depth from which on pairs are remembered.
const REMEMBERED: u32 = 16;

/// A walk over two values.
#[derive(Default)]
pub(crate) struct PairWalk {
    depth: Cell<u32>,
    /// The addresses of the pairs that the walk is inside of.
    entered: RefCell<FxHashSet<(usize, usize)>>,
}

impl PairWalk {
    /// Compares the parts of two collections by `compare`; `recursive` if the walk is already inside of both. A walk that is too deep
    /// for the stack ends the compile.
    #[inline]
    pub(crate) fn enter<A, B, T>(&self, a: &A, b: &B, recursive: T, compare: impl FnOnce() -> T) -> T {
        meter::descend();
        let depth = self.depth.get();
        if depth < REMEMBERED {
            self.depth.set(depth + 1);
            let result = compare();
            self.depth.set(depth);
            return result;
        }
        let pair = (std::ptr::from_ref(a) as usize, std::ptr::from_ref(b) as usize);
        if !self.entered.borrow_mut().insert(pair) {
            return recursive;
        }
        let result = compare();
        self.entered.borrow_mut().remove(&pair);
        result
    }
}
