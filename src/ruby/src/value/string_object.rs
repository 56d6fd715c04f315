//! The object of a string: its contents, which other variables may share and change.
//!
//! In: a string. Out: the contents to read or to change, and whether all characters are ASCII, determined once: then each
//! character is a byte, and positions need no counting. Must not: know methods.

use std::cell::Cell;
use std::cell::Ref;
use std::cell::RefCell;
use std::cell::RefMut;

/// A string that can be changed.
#[derive(Default)]
pub struct StringObject {
    contents: RefCell<String>,
    /// Whether all characters are ASCII; `None` if unknown since the last change.
    ascii: Cell<Option<bool>>,
}

impl StringObject {
    pub fn new(contents: String) -> StringObject {
        StringObject { contents: RefCell::new(contents), ascii: Cell::new(None) }
    }

    pub fn borrow(&self) -> Ref<'_, String> {
        self.contents.borrow()
    }

    /// Borrows the contents for a change.
    pub fn borrow_mut(&self) -> RefMut<'_, String> {
        self.ascii.set(None);
        self.contents.borrow_mut()
    }

    /// Appends a piece, which must not be borrowed from this string.
    pub fn push_str(&self, piece: &str) {
        if self.ascii.get() == Some(true) && !piece.is_ascii() {
            self.ascii.set(None);
        }
        self.contents.borrow_mut().push_str(piece);
    }

    pub(crate) fn is_ascii(&self) -> bool {
        if let Some(is_ascii) = self.ascii.get() {
            return is_ascii;
        }
        let ascii = self.contents.borrow().is_ascii();
        self.ascii.set(Some(ascii));
        ascii
    }

    /// The number of characters.
    pub fn count(&self) -> usize {
        let string = self.contents.borrow();
        if self.is_ascii() { string.len() } else { string.chars().count() }
    }

    /// The byte at which a character starts; the end if there are fewer characters.
    pub(crate) fn byte_index(&self, at: usize) -> usize {
        let string = self.contents.borrow();
        if self.is_ascii() { at.min(string.len()) } else { byte_at(&string, at) }
    }

    /// The byte range of `length` characters from `at` on.
    pub(crate) fn byte_range(&self, at: usize, length: usize) -> (usize, usize) {
        let string = self.contents.borrow();
        if self.is_ascii() {
            let from = at.min(string.len());
            return (from, from.saturating_add(length).min(string.len()));
        }
        let from = byte_at(&string, at);
        (from, from + byte_at(string.get(from..).unwrap_or_default(), length))
    }

    /// The character that starts at a byte.
    pub(crate) fn char_index(&self, byte: usize) -> usize {
        if self.is_ascii() {
            return byte;
        }
        self.contents.borrow().get(..byte).map_or(0, |before| before.chars().count())
    }
}

fn byte_at(string: &str, at: usize) -> usize {
    string.char_indices().nth(at).map_or(string.len(), |(byte, _)| byte)
}
