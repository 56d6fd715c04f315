//! Temporary sites and runs of the program, for tests of the command line.

pub mod agent;
pub mod puppetdb;
pub mod running;

use std::path::Path;
use std::path::PathBuf;
use std::process::Command;
use std::process::Output;

use tempfile::TempDir;

/// A site in a temporary directory.
pub struct Site {
    pub dir: TempDir,
    /// Files are written here, then renamed into the site.
    aside: TempDir,
}

impl Site {
    /// A directory without files.
    pub fn empty() -> Site {
        Site { dir: TempDir::new().unwrap(), aside: TempDir::new().unwrap() }
    }

    /// Writes these files, and a default `catwalk.toml` if they do not include one.
    pub fn new(files: &[(&str, &str)]) -> Site {
        let site = Site::empty();
        if !files.iter().any(|(path, _)| *path == "catwalk.toml") {
            site.write("catwalk.toml", "modulepath = [\"modules\"]\nmanifest = \"site.pp\"\nnodes = \"nodes\"\n");
        }
        for (path, text) in files {
            site.write(path, text);
        }
        site
    }

    pub fn path(&self) -> &Path {
        self.dir.path()
    }

    /// Writes a file atomically: a watcher never sees a part of it.
    pub fn write(&self, path: &str, text: impl AsRef<[u8]>) {
        let path = self.path().join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        let aside = self.aside.path().join("file");
        std::fs::write(&aside, text).unwrap();
        // Links and permissions are preserved.
        let path = path.canonicalize().unwrap_or(path);
        if let Ok(before) = std::fs::metadata(&path) {
            std::fs::set_permissions(&aside, before.permissions()).unwrap();
        }
        std::fs::rename(&aside, path).unwrap();
    }

    /// Truncates the file, then writes it, as some editors do.
    pub fn write_in_place(&self, path: &str, text: impl AsRef<[u8]>) {
        std::fs::write(self.path().join(path), text).unwrap();
    }

    pub fn remove(&self, path: &str) {
        std::fs::remove_file(self.path().join(path)).unwrap();
    }

    /// Runs `catwalk` in the site.
    pub fn run(&self, args: &[&str]) -> Run {
        let output = self.command(args).output().unwrap();
        Run::new(&output, self.path())
    }

    pub fn command(&self, args: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_catwalk"));
        command.args(args).current_dir(self.path()).env("NO_COLOR", "1").env_remove("CI");
        // The state of the user who runs the tests is not touched.
        command.env("XDG_STATE_HOME", self.state());
        command
    }

    /// The directory of the user's state in runs.
    pub fn state(&self) -> PathBuf {
        self.aside.path().join("state")
    }

    /// The only queue for PuppetDB in the user's state.
    pub fn queue(&self) -> PathBuf {
        let mut queues = std::fs::read_dir(self.state().join("catwalk/queue")).unwrap();
        queues.next().unwrap().unwrap().path()
    }
}

/// Exit code and output of a run, with the site's directory replaced by `SITE`.
#[derive(Debug)]
pub struct Run {
    pub code: Option<i32>,
    pub stdout: String,
    pub stderr: String,
}

impl Run {
    pub fn new(output: &Output, root: &Path) -> Run {
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).replace(&*root.to_string_lossy(), "SITE");
        Run { code: output.status.code(), stdout: text(&output.stdout), stderr: text(&output.stderr) }
    }

    /// Fails unless the run ended with this exit code, stderr contains `message`, and nothing panicked.
    pub fn expect(self, code: i32, message: &str) -> Run {
        assert_eq!(self.code, Some(code), "{self:#?}");
        assert!(self.stderr.contains(message), "'{message}' is not in stderr of {self:#?}");
        assert!(!self.stderr.contains("panicked"), "{self:#?}");
        self
    }
}

/// The `metadata.json` of the module `m`.
pub const METADATA: &str = r#"{"name": "acme-m", "version": "0.1.0", "author": "me", "license": "Apache-2.0",
    "summary": "x", "source": "x", "dependencies": []}"#;

/// A class `m` with one file of this mode.
pub fn class(mode: &str) -> String {
    format!("class m {{\n  file {{ '/m': mode => '{mode}' }}\n}}\n")
}
