//! Documents in parts, which several threads serialize.
//!
//! In: the members of a document and its long lists, in order. Out: its text in pieces. Must not: know what is written.

use std::ops::Range;

use rayon::prelude::*;
use serde::Serialize;

use catwalk_base::diag::Reason;
use catwalk_base::stack;
use catwalk_value::value::json;

/// From how many items on a document is written by all processors.
const LARGE: usize = 200;

/// How many items of a list make a part.
const PART: usize = 40;

/// How many parts are made while those before them are taken.
const AT_ONCE: usize = 8;

/// Receives pieces of the document.
pub type PieceSink<'a, E> = &'a mut (dyn FnMut(String) -> Result<(), E> + Send);

/// A list that is a member of the document.
pub(super) trait List: Sync {
    /// How many items it has.
    fn len(&self) -> usize;

    /// Some of its items as [`json::pretty_items`] lays them out.
    ///
    /// # Errors
    /// An item cannot be serialized.
    fn text(&self, items: Range<usize>) -> Result<String, String>;
}

/// Which threads write a document.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Threads {
    /// All that are free, if the document is large.
    All,
    /// The calling one: for one of many catalogs, while other threads write theirs.
    One,
}

/// A part of the document that one thread writes.
enum Part<'a> {
    Text(String),
    Items(&'a dyn List, Range<usize>),
}

/// A document whose lists are not written yet.
pub(super) struct Parts<'a> {
    parts: Vec<Part<'a>>,
    items: usize,
    /// How the document ends.
    end: &'static str,
}

impl<'a> Parts<'a> {
    /// A JSON object without members.
    pub(super) fn new() -> Parts<'a> {
        Parts { parts: vec![Part::Text("{".to_owned())], items: 0, end: "\n}\n" }
    }

    /// A document that is not JSON, without contents.
    pub(super) fn plain() -> Parts<'a> {
        Parts { parts: Vec::new(), items: 0, end: "" }
    }

    /// Adds a text as it is.
    pub(super) fn text(&mut self, text: impl Into<String>) {
        self.parts.push(Part::Text(text.into()));
    }

    /// Adds the items of a list, with nothing around them.
    pub(super) fn items(&mut self, list: &'a dyn List) {
        let length = list.len();
        let some = (0..length).step_by(PART).map(|first| Part::Items(list, first..length.min(first + PART)));
        self.parts.extend(some);
        self.items += length;
    }

    /// Adds the members of an object that has some.
    ///
    /// # Errors
    /// One of them cannot be serialized.
    pub(super) fn members(&mut self, members: &impl Serialize) -> Result<(), String> {
        let text = json::pretty(members)?;
        let inside = text.strip_prefix('{').and_then(|text| text.strip_suffix("\n}")).unwrap_or_default();
        self.parts.push(Part::Text(format!("{}{inside}", self.comma())));
        Ok(())
    }

    /// Adds a member that is a list.
    pub(super) fn list(&mut self, name: &str, list: &'a dyn List) {
        let length = list.len();
        self.parts.push(Part::Text(format!("{}\n  \"{name}\": [", self.comma())));
        self.items(list);
        self.parts.push(Part::Text(if length == 0 { "]" } else { "\n  ]" }.to_owned()));
    }

    fn comma(&self) -> &'static str {
        if self.parts.len() > 1 { "," } else { "" }
    }

    /// Passes the text to `take`: a small document at once; a large one in pieces, by all threads each while the next ones are made, by one
    /// thread each before the next one is made. It ends in a newline.
    ///
    /// # Errors
    /// An item cannot be serialized, which `failure` turns into an error; those of `take`. Then what was taken is not all.
    pub(super) fn write_to<E: Send>(
        self,
        threads: Threads,
        failure: &(dyn Fn(String) -> E + Sync),
        take: PieceSink<'_, E>,
    ) -> Result<(), E> {
        let is_large = self.items >= LARGE;
        match stack::pool().filter(|pool| is_large && threads == Threads::All && pool.current_num_threads() > 1) {
            Some(pool) => pool.install(|| self.by_all(failure, take)),
            None if is_large => self.in_turn(failure, take),
            None => {
                let mut whole = String::new();
                self.in_turn(failure, &mut |piece| {
                    whole.push_str(&piece);
                    Ok(())
                })?;
                take(whole)
            }
        }
    }

    fn in_turn<E>(self, failure: &dyn Fn(String) -> E, take: &mut dyn FnMut(String) -> Result<(), E>) -> Result<(), E> {
        self.ended().into_iter().try_for_each(|part| take(text(part).map_err(failure)?))
    }

    fn by_all<E: Send>(self, failure: &(dyn Fn(String) -> E + Sync), take: PieceSink<'_, E>) -> Result<(), E> {
        let mut parts = self.ended().into_iter();
        let mut made = Vec::new();
        loop {
            let some: Vec<Part<'_>> = parts.by_ref().take(AT_ONCE).collect();
            if some.is_empty() {
                return made.drain(..).try_for_each(take);
            }
            let make = || some.into_par_iter().map(text).collect::<Result<Vec<_>, _>>();
            let (taken, next) = rayon::join(|| made.drain(..).try_for_each(&mut *take), make);
            taken?;
            made = next.map_err(failure)?;
        }
    }

    fn ended(mut self) -> Vec<Part<'a>> {
        self.parts.push(Part::Text(self.end.to_owned()));
        self.parts
    }
}

fn text(part: Part<'_>) -> Result<String, String> {
    match part {
        Part::Text(text) => Ok(text),
        Part::Items(list, items) => list.text(items),
    }
}

/// The pieces that `write` passes on, as one string.
///
/// # Errors
/// Those of `write`.
pub(super) fn joined(write: impl FnOnce(PieceSink<'_, Reason>) -> Result<(), Reason>) -> Result<String, Reason> {
    let mut pieces = Vec::new();
    write(&mut |piece| {
        pieces.push(piece);
        Ok(())
    })?;
    Ok(if pieces.len() == 1 { pieces.remove(0) } else { pieces.concat() })
}
