//! Runs the user's editor with a file that only this user can read.
//!
//! In: a text. Out: the edited text. The file and its directory, where editors have their copies, are removed at the end, also by
//! errors and the signals SIGTERM and SIGHUP; the directory stays if the process is killed. Must not: know encryption.

#![allow(clippy::disallowed_methods, reason = "a temporary file of the user's editor, which no catalog depends on")]

use std::io::Write;
use std::path::PathBuf;
use std::process::Command;

use tempfile::TempDir;
use zeroize::Zeroizing;

use catwalk_base::diag::Reason;
use catwalk_world::Disk;
use catwalk_world::Kind;
use catwalk_world::World;

/// The editors that are tried if no variable names one, as in hiera-eyaml.
const EDITORS: [&str; 4] = ["/usr/bin/sensible-editor", "/usr/bin/editor", "/usr/bin/vim", "/usr/bin/vi"];

/// The name of the file. Editors know the language by its extension.
const NAME: &str = "eyaml_edit.yaml";

/// The largest edited text in bytes.
const MAX_LENGTH: u64 = catwalk_world::DEFAULT_FILE_LIMIT;

/// A text that is being edited.
pub struct Editor {
    command: String,
    directory: TempDir,
}

fn failed(error: &std::io::Error) -> Reason {
    Reason::runtime(format!("the file for the editor: {error}"))
}

impl Editor {
    /// Writes the text to a file that only this user can read.
    ///
    /// # Errors
    /// There is no editor, or the file cannot be written.
    pub fn open(text: &[u8], world: &Disk) -> Result<Editor, Reason> {
        let command = editor_command(world)?;
        let mut builder = tempfile::Builder::new();
        builder.prefix("catwalk-eyaml-");
        #[cfg(unix)]
        builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o700));
        let editor = Editor { command, directory: builder.tempdir().map_err(|error| failed(&error))? };
        let mut options = std::fs::OpenOptions::new();
        options.write(true).create_new(true);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        let mut file = options.open(editor.path()).map_err(|error| failed(&error))?;
        file.write_all(text).map_err(|error| failed(&error))?;
        Ok(editor)
    }

    fn path(&self) -> PathBuf {
        self.directory.path().join(NAME)
    }

    /// Runs the editor and returns the edited text.
    ///
    /// # Errors
    /// The editor cannot be started or fails, or the file is gone.
    pub fn run(&self) -> Result<Zeroizing<Vec<u8>>, Reason> {
        // The shell splits the variable into words, as for other programs that use it.
        let script = format!("{} \"$@\"", self.command);
        let mut command = Command::new("sh");
        command.arg("-c").arg(script).arg(&self.command).arg(self.path());
        let guard = signals::Guard::new(self.directory.path());
        let child = command.spawn();
        let status = child.and_then(|mut child| {
            guard.kills(child.id());
            child.wait()
        });
        guard.wait_if_ending();
        drop(guard);
        let status = status.map_err(|error| Reason::usage(format!("cannot start {}: {error}", self.command)))?;
        if !status.success() {
            return Err(Reason::usage(format!("the editor failed ({status}): nothing was written")));
        }
        self.read()
    }

    fn read(&self) -> Result<Zeroizing<Vec<u8>>, Reason> {
        let file = std::fs::metadata(self.path()).map_err(|error| failed(&error))?;
        if !file.is_file() || file.len() > MAX_LENGTH {
            return Err(Reason::usage(format!("the edited text has more than {} MiB", MAX_LENGTH >> 20)));
        }
        std::fs::read(self.path()).map(Zeroizing::new).map_err(|error| failed(&error))
    }
}

impl Drop for Editor {
    /// Overwrites the text before the directory is removed, as hiera-eyaml does.
    fn drop(&mut self) {
        let Ok(mut file) = std::fs::OpenOptions::new().write(true).open(self.path()) else { return };
        let length = file.metadata().map_or(0, |file| file.len()).min(MAX_LENGTH);
        let zeros = vec![0; usize::try_from(length).unwrap_or_default()];
        // Without this the text remains until its blocks are used again.
        let _ = file.write_all(&zeros).and_then(|()| file.sync_all());
    }
}

/// The editor: `$EDITOR` as in hiera-eyaml, else `$VISUAL`, else one that is installed.
fn editor_command(world: &Disk) -> Result<String, Reason> {
    let variable = |name| world.env(name).filter(|value| !value.trim().is_empty());
    if let Some(named) = variable("EDITOR").or_else(|| variable("VISUAL")) {
        return Ok(named.to_string());
    }
    let installed = EDITORS.iter().find(|path| world.kind(path.as_ref()) == Kind::File);
    let none = || Reason::usage("no editor was found").help("set EDITOR");
    installed.map(|path| (*path).to_owned()).ok_or_else(none)
}

#[cfg(unix)]
mod signals {
    use std::path::Path;
    use std::sync::Arc;
    use std::sync::atomic::AtomicBool;
    use std::sync::atomic::AtomicU32;
    use std::sync::atomic::Ordering;

    use signal_hook::consts::SIGHUP;
    use signal_hook::consts::SIGINT;
    use signal_hook::consts::SIGQUIT;
    use signal_hook::consts::SIGTERM;
    use signal_hook::iterator::Handle;

    /// While it exists, Ctrl-C is left to the editor, and signals that end this process remove the directory.
    pub(super) struct Guard {
        handle: Option<Handle>,
        shared: Arc<Shared>,
    }

    #[derive(Default)]
    struct Shared {
        /// The editor; 0: none.
        child: AtomicU32,
        /// Whether a signal ends the process.
        is_ending: AtomicBool,
    }

    impl Guard {
        pub(super) fn new(directory: &Path) -> Guard {
            let shared = Arc::new(Shared::default());
            let (directory, of_thread) = (directory.to_path_buf(), shared.clone());
            let signals = signal_hook::iterator::Signals::new([SIGHUP, SIGINT, SIGQUIT, SIGTERM]);
            let handle = signals.ok().map(|mut signals| {
                let handle = signals.handle();
                let wait = move || {
                    for signal in signals.forever() {
                        if matches!(signal, SIGINT | SIGQUIT) {
                            continue;
                        }
                        of_thread.is_ending.store(true, Ordering::SeqCst);
                        kill(of_thread.child.load(Ordering::SeqCst));
                        let _ = std::fs::remove_dir_all(&directory);
                        let _ = signal_hook::low_level::emulate_default_handler(signal);
                    }
                };
                let _ = std::thread::Builder::new().name("signals".to_owned()).spawn(wait);
                handle
            });
            Guard { handle, shared }
        }

        /// The process that ends with this one.
        pub(super) fn kills(&self, id: u32) {
            self.shared.child.store(id, Ordering::SeqCst);
        }

        /// Does not return if a signal is ending the process: what the editor has left is not an edited text.
        pub(super) fn wait_if_ending(&self) {
            while self.shared.is_ending.load(Ordering::SeqCst) {
                std::thread::park();
            }
        }
    }

    impl Drop for Guard {
        fn drop(&mut self) {
            if let Some(handle) = &self.handle {
                handle.close();
            }
        }
    }

    fn kill(id: u32) {
        if let Some(id) = i32::try_from(id).ok().and_then(rustix::process::Pid::from_raw) {
            let _ = rustix::process::kill_process(id, rustix::process::Signal::TERM);
        }
    }
}

#[cfg(not(unix))]
mod signals {
    use std::path::Path;

    /// Does nothing: this system has no signals.
    pub(super) struct Guard;

    impl Guard {
        pub(super) fn new(_: &Path) -> Guard {
            Guard
        }

        pub(super) fn kills(&self, _: u32) {}

        pub(super) fn wait_if_ending(&self) {}
    }
}
