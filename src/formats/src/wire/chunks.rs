//! Documents in chunks, which several threads serialize.
//!
//! In: the members of a document and its long lists, in order. Out: the document as strings, one for each piece. Must not: depend on
//! the format.

use std::ops::Range;

use rayon::prelude::*;
use serde::Serialize;

use catwalk_base::diag::Reason;
use catwalk_base::stack;
use catwalk_value::json;

/// The minimum number of items of a document that several threads serialize.
const LARGE: usize = 200;

/// The number of items of a list in a chunk.
const CHUNK_ITEMS: usize = 40;

/// The number of chunks that are serialized in parallel, while the previous ones are passed on.
const PARALLEL: usize = 8;

/// Receives pieces of the document.
pub type PieceSink<'a, E> = &'a mut (dyn FnMut(String) -> Result<(), E> + Send);

/// A list in a document.
pub(super) trait List: Sync {
    /// The number of items.
    fn len(&self) -> usize;

    /// Serializes a range of the items, in the layout of the document.
    ///
    /// # Errors
    /// An item cannot be serialized.
    fn serialize_items(&self, items: Range<usize>) -> Result<String, String>;
}

/// The threads that write a document.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Threads {
    /// All idle threads, if the document is large.
    All,
    /// The calling thread: for one of many catalogs that are written in parallel.
    One,
}

/// A part of a document that one thread serializes.
enum Chunk<'a> {
    Text(String),
    Items(&'a dyn List, Range<usize>),
}

/// A document whose lists are not serialized yet.
pub(super) struct Chunks<'a> {
    chunks: Vec<Chunk<'a>>,
    /// The number of items in its lists.
    items: usize,
    /// The text at the end of the document.
    end: &'static str,
}

impl<'a> Chunks<'a> {
    /// A JSON object without members.
    pub(super) fn new() -> Chunks<'a> {
        Chunks { chunks: vec![Chunk::Text("{".to_owned())], items: 0, end: "\n}\n" }
    }

    /// An empty document in any format.
    pub(super) fn plain() -> Chunks<'a> {
        Chunks { chunks: Vec::new(), items: 0, end: "" }
    }

    /// Adds a string verbatim.
    pub(super) fn text(&mut self, text: impl Into<String>) {
        self.chunks.push(Chunk::Text(text.into()));
    }

    /// Adds the items of a list, without brackets.
    pub(super) fn items(&mut self, list: &'a dyn List) {
        let length = list.len();
        let chunks =
            (0..length).step_by(CHUNK_ITEMS).map(|first| Chunk::Items(list, first..length.min(first + CHUNK_ITEMS)));
        self.chunks.extend(chunks);
        self.items += length;
    }

    /// Adds the members of an object, which must not be empty.
    ///
    /// # Errors
    /// A member cannot be serialized.
    pub(super) fn members(&mut self, members: &impl Serialize) -> Result<(), String> {
        let text = json::pretty(members)?;
        let inside = text.strip_prefix('{').and_then(|text| text.strip_suffix("\n}")).unwrap_or_default();
        self.chunks.push(Chunk::Text(format!("{}{inside}", self.comma())));
        Ok(())
    }

    /// Adds a member that is a list.
    pub(super) fn list(&mut self, name: &str, list: &'a dyn List) {
        let length = list.len();
        self.chunks.push(Chunk::Text(format!("{}\n  \"{name}\": [", self.comma())));
        self.items(list);
        self.chunks.push(Chunk::Text(if length == 0 { "]" } else { "\n  ]" }.to_owned()));
    }

    fn comma(&self) -> &'static str {
        if self.chunks.len() > 1 { "," } else { "" }
    }

    /// Passes the document, which ends in a newline, to `take`: a small document as a whole, a large one in pieces. With several threads,
    /// the next pieces are serialized while `take` runs.
    ///
    /// # Errors
    /// An item cannot be serialized, converted to an error by `failure`; the errors of `take`. The document is incomplete then.
    pub(super) fn write_to<E: Send>(
        self,
        threads: Threads,
        failure: &(dyn Fn(String) -> E + Sync),
        take: PieceSink<'_, E>,
    ) -> Result<(), E> {
        let is_large = self.items >= LARGE;
        match stack::pool().filter(|pool| is_large && threads == Threads::All && pool.current_num_threads() > 1) {
            Some(pool) => pool.install(|| self.write_in_parallel(failure, take)),
            None if is_large => self.write_in_order(failure, take),
            None => {
                let mut whole = String::new();
                self.write_in_order(failure, &mut |piece| {
                    whole.push_str(&piece);
                    Ok(())
                })?;
                take(whole)
            }
        }
    }

    fn write_in_order<E>(
        self,
        failure: &dyn Fn(String) -> E,
        take: &mut dyn FnMut(String) -> Result<(), E>,
    ) -> Result<(), E> {
        self.finish().into_iter().try_for_each(|chunk| take(serialize(chunk).map_err(failure)?))
    }

    fn write_in_parallel<E: Send>(
        self,
        failure: &(dyn Fn(String) -> E + Sync),
        take: PieceSink<'_, E>,
    ) -> Result<(), E> {
        let mut chunks = self.finish().into_iter();
        let mut pieces = Vec::new();
        loop {
            let batch: Vec<Chunk<'_>> = chunks.by_ref().take(PARALLEL).collect();
            if batch.is_empty() {
                return pieces.drain(..).try_for_each(take);
            }
            let serialize_all = || batch.into_par_iter().map(serialize).collect::<Result<Vec<_>, _>>();
            let (passed_on, next) = rayon::join(|| pieces.drain(..).try_for_each(&mut *take), serialize_all);
            passed_on?;
            pieces = next.map_err(failure)?;
        }
    }

    fn finish(mut self) -> Vec<Chunk<'a>> {
        self.chunks.push(Chunk::Text(self.end.to_owned()));
        self.chunks
    }
}

fn serialize(chunk: Chunk<'_>) -> Result<String, String> {
    match chunk {
        Chunk::Text(text) => Ok(text),
        Chunk::Items(list, items) => list.serialize_items(items),
    }
}

/// Calls `write` and joins its pieces to one string.
///
/// # Errors
/// The errors of `write`.
pub(super) fn join_pieces(write: impl FnOnce(PieceSink<'_, Reason>) -> Result<(), Reason>) -> Result<String, Reason> {
    let mut pieces = Vec::new();
    write(&mut |piece| {
        pieces.push(piece);
        Ok(())
    })?;
    Ok(if pieces.len() == 1 { pieces.remove(0) } else { pieces.concat() })
}
