//! Writes catalogs to files and stdout in chunks, without the whole document in memory.

use parking_lot::Mutex;
use std::collections::HashMap;
use std::collections::VecDeque;
use std::io::Write;
use std::path::Path;
use std::sync::Arc;

use catwalk_base::diag::Reason;
use catwalk_formats::wire::PieceSink;
use catwalk_world::output;

/// Why a catalog was not written.
pub enum WriteFailure {
    /// The format cannot represent it.
    Catalog(Reason),
    /// The file or stdout cannot be written to.
    Output(Reason),
}

impl From<Reason> for WriteFailure {
    fn from(reason: Reason) -> WriteFailure {
        WriteFailure::Catalog(reason)
    }
}

/// Writes a file that `open` opens. If this fails, an existing file is unchanged.
///
/// # Errors
/// `write`, which produces the content, fails; or the file cannot be written.
pub fn to_file(
    path: &Path,
    open: impl FnOnce() -> std::io::Result<output::Output>,
    write: impl FnOnce(PieceSink<'_, WriteFailure>) -> Result<(), WriteFailure>,
) -> Result<(), WriteFailure> {
    let fail = |error: &std::io::Error| {
        WriteFailure::Output(Reason::runtime(format!("cannot write {}: {error}", path.display())))
    };
    let mut file = open().map_err(|error| fail(&error))?;
    write(&mut |piece| file.write_all(piece.as_bytes()).map_err(|error| fail(&error)))?;
    file.commit().map_err(|error| fail(&error))
}

/// Writes to stdout.
///
/// # Errors
/// `write` fails, or stdout cannot be written to. A reader that closes the pipe (`head`) is not an error.
pub fn to_stdout(
    write: impl FnOnce(PieceSink<'_, WriteFailure>) -> Result<(), WriteFailure>,
) -> Result<(), WriteFailure> {
    let mut stdout = Stdout::default();
    write(&mut |piece| stdout.write(&piece))?;
    stdout.flush()
}

/// Stdout, until a write fails.
#[derive(Default)]
struct Stdout {
    is_closed: bool,
}

impl Stdout {
    fn write(&mut self, piece: &str) -> Result<(), WriteFailure> {
        if self.is_closed {
            return Ok(());
        }
        let written = std::io::stdout().lock().write_all(piece.as_bytes());
        self.check(written)
    }

    fn flush(&mut self) -> Result<(), WriteFailure> {
        if self.is_closed {
            return Ok(());
        }
        let flushed = std::io::stdout().lock().flush();
        self.check(flushed)
    }

    fn check(&mut self, result: std::io::Result<()>) -> Result<(), WriteFailure> {
        let Err(error) = result else { return Ok(()) };
        // The first error ends the output.
        self.is_closed = true;
        match error.kind() {
            std::io::ErrorKind::BrokenPipe => Ok(()),
            _ => Err(WriteFailure::Output(Reason::runtime(format!("cannot write to stdout: {error}")))),
        }
    }
}

/// Stdout for the catalogs of several nodes, in the order of the nodes regardless of when their compiles end. A catalog is buffered until
/// all earlier ones have been written.
pub struct OrderedStdout {
    state: Mutex<State>,
}

struct State {
    /// The nodes whose catalogs have not been written, in order.
    nodes: VecDeque<Arc<str>>,
    /// The buffered catalogs by node; two for a node that was named twice.
    buffered: HashMap<Arc<str>, VecDeque<Vec<String>>>,
    stdout: Stdout,
}

impl OrderedStdout {
    /// Stdout for these nodes.
    #[must_use]
    pub fn new(nodes: &[Arc<str>]) -> OrderedStdout {
        let nodes = nodes.iter().cloned().collect();
        OrderedStdout { state: Mutex::new(State { nodes, buffered: HashMap::new(), stdout: Stdout::default() }) }
    }

    /// Writes the catalog of a node. `write` produces its chunks in the calling thread; none if the node has no catalog.
    ///
    /// # Errors
    /// `write` fails, or stdout cannot be written to.
    pub fn write(
        &self,
        node: &Arc<str>,
        write: impl FnOnce(PieceSink<'_, WriteFailure>) -> Result<(), WriteFailure>,
    ) -> Result<(), WriteFailure> {
        let lock = || self.state.lock();
        let mut state = lock();
        if state.nodes.front() == Some(node) {
            state.nodes.pop_front();
            let State { stdout, .. } = &mut *state;
            let written = write(&mut |piece| stdout.write(&piece));
            return written.and(state.write_buffered());
        }
        drop(state);
        let mut pieces = Vec::new();
        let result = write(&mut |piece| {
            pieces.push(piece);
            Ok(())
        });
        if result.is_err() {
            pieces.clear();
        }
        let mut state = lock();
        state.buffered.entry(node.clone()).or_default().push_back(pieces);
        result.and(state.write_buffered())
    }
}

impl State {
    /// Writes the buffered catalogs that are next in order.
    fn write_buffered(&mut self) -> Result<(), WriteFailure> {
        while let Some(pieces) = self.nodes.front().and_then(|next| self.buffered.get_mut(next)?.pop_front()) {
            self.nodes.pop_front();
            pieces.iter().try_for_each(|piece| self.stdout.write(piece))?;
        }
        self.stdout.flush()
    }
}
