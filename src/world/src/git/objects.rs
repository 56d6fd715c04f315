//! Contents of git's objects, read through one long-running `git cat-file --batch`.

use parking_lot::Mutex;
use parking_lot::RwLock;
use std::io::BufRead;
use std::io::BufReader;
use std::io::Read;
use std::io::Write;
use std::path::Path;
use std::path::PathBuf;
use std::process::Child;
use std::process::ChildStdin;
use std::process::ChildStdout;
use std::process::Stdio;
use std::sync::Arc;

use rustc_hash::FxHashMap;

use crate::disk::too_large;
use crate::git::SAFE;
use crate::launcher;

/// The contents of a repository.
pub(super) struct Objects {
    directory: PathBuf,
    process: Mutex<Option<Process>>,
    contents: RwLock<FxHashMap<Arc<str>, Arc<[u8]>>>,
}

struct Process {
    child: Child,
    input: Option<ChildStdin>,
    output: BufReader<ChildStdout>,
}

impl Drop for Process {
    fn drop(&mut self) {
        // Git ends when its input ends.
        self.input.take();
        let _ = self.child.wait();
    }
}

impl Objects {
    /// The contents of the repository that a directory is in. The process is started by the first request.
    pub(super) fn new(directory: &Path) -> Objects {
        Objects { directory: directory.to_path_buf(), process: Mutex::default(), contents: RwLock::default() }
    }

    /// A blob; each call with the same id returns the same `Arc`.
    ///
    /// # Errors
    /// Returns git's message if it cannot read the object; the object is larger than the limit, in bytes.
    pub(super) fn blob(&self, id: &Arc<str>, limit: u64) -> Result<Arc<[u8]>, String> {
        if let Some(known) = self.contents.read().get(id) {
            return Ok(known.clone());
        }
        let mut process = self.process.lock();
        if process.is_none() {
            *process = Some(self.start()?);
        }
        let Some(running) = process.as_mut() else { return Err("git is not running".to_owned()) };
        let bytes = match running.request(id, limit) {
            Ok(answer) => answer.ok_or_else(|| format!("the repository has no object {id}"))?,
            Err(error) => {
                *process = None;
                return Err(format!("git cat-file: {error}"));
            }
        };
        drop(process);
        let mut known = self.contents.write();
        Ok(known.entry(id.clone()).or_insert_with(|| Arc::from(bytes)).clone())
    }

    #[allow(clippy::disallowed_methods, reason = "a world accesses the machine here")]
    fn start(&self) -> Result<Process, String> {
        let mut git = std::process::Command::new("git");
        git.args(SAFE)
            .arg("-C")
            .arg(&self.directory)
            .args(["cat-file", "--batch"])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null());
        let mut child = launcher::spawn(git).map_err(|error| format!("git cannot be run: {error}"))?;
        let stdout = child.stdout.take().ok_or("git has no output")?;
        let input = child.stdin.take();
        Ok(Process { child, input, output: BufReader::with_capacity(1 << 16, stdout) })
    }
}

impl Process {
    /// The object's contents; `None` if it does not exist.
    fn request(&mut self, id: &str, limit: u64) -> std::io::Result<Option<Vec<u8>>> {
        let ended = || std::io::Error::from(std::io::ErrorKind::UnexpectedEof);
        let input = self.input.as_mut().ok_or_else(ended)?;
        input.write_all(format!("{id}\n").as_bytes())?;
        input.flush()?;
        let mut head = String::new();
        if self.output.read_line(&mut head)? == 0 {
            return Err(ended());
        }
        // `ID TYPE SIZE`, or `ID missing`.
        let Some(size) = head.split_whitespace().nth(2) else { return Ok(None) };
        let size: usize = size.parse().map_err(|_| std::io::Error::other(head.trim().to_owned()))?;
        if size as u64 > limit {
            return Err(std::io::Error::other(too_large(limit)));
        }
        let mut bytes = vec![0; size + 1];
        self.output.read_exact(&mut bytes)?;
        bytes.pop();
        Ok(Some(bytes))
    }
}
