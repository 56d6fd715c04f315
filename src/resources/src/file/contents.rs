//! Contents of a file: comparison with the desired contents, differences, writing.

use std::path::Path;
use std::path::PathBuf;

use catwalk_apply::Run;
use catwalk_base::line_diff::diff_lines;
use catwalk_resource_api::Failure;
use catwalk_resource_api::Level;
use catwalk_system::Command;
use catwalk_system::Contents;
use catwalk_system::FileKind as Kind;
use catwalk_system::Ownership;
use catwalk_system::System;
use catwalk_system::SystemError;
use catwalk_value::ruby;

use super::Backup;
use super::Ensure;
use super::File;
use super::checksum;

/// Sources up to this size in bytes are compared byte by byte. Larger ones are compared by checksum, without reading them into memory.
const MAX_COMPARED: u64 = 1 << 20;

/// The number of hexadecimal digits of a name in a filebucket, a SHA-256 checksum.
const DIGITS: usize = 64;

/// The exit code of a shell that does not find a program.
const NOT_FOUND: i32 = 127;

/// The program of a command that Ruby starts without a shell (no special characters), if it does not exist.
fn missing_program<'c>(command: &'c str, system: &mut dyn System) -> Option<&'c str> {
    let program = command.split_whitespace().next()?;
    let is_plain = !command.contains(|c: char| "*?{}[]<>()~&|\\$;'`\"\n#=".contains(c));
    let is_missing = matches!(system.stat(Path::new(program), true), Ok(None));
    (is_plain && program.starts_with('/') && is_missing).then_some(program)
}

impl File {
    /// Reads the current entry.
    pub(super) fn read_entry(&mut self, run: &mut Run<'_>) {
        self.stat = run.system.stat(&self.path, self.follow).unwrap_or_else(|error| {
            run.log.log(Level::Warning, Some(&run.path.to_string()), &format!("Could not stat; {error}"));
            None
        });
    }

    /// Whether the desired entry is a regular file.
    pub(super) fn should_be_file(&self) -> bool {
        let kind = self.stat.as_ref().map(|stat| stat.kind);
        match self.desired_entry() {
            Some(Ensure::File) => true,
            Some(Ensure::Present) => kind.is_none_or(|kind| kind == Kind::File),
            Some(_) => false,
            None => self.content.is_some() || kind == Some(Kind::File),
        }
    }

    /// Compares the current and the desired contents, which are read only if their sizes are equal.
    ///
    /// # Errors
    /// The file or the source cannot be read.
    pub(super) fn compare(&mut self, run: &mut Run<'_>) -> Result<(), Failure> {
        self.current_checksum = None;
        let is_file = self.stat.as_ref().is_some_and(|stat| stat.kind == Kind::File);
        if !self.has_contents() || !self.should_be_file() {
            return Ok(());
        }
        if !is_file || !self.replace {
            return self.compute_source_checksum(run);
        }
        if self.has_desired_contents(run)? {
            return Ok(());
        }
        self.compute_source_checksum(run)?;
        let name = self.path.display();
        let failed = |error| Failure::new(format!("Could not read file {name}: {error}"));
        let old = checksum::file_checksum(self.checksum, &self.path, run.system).map_err(failed)?;
        self.current_checksum = Some(old);
        Ok(())
    }

    fn has_desired_contents(&mut self, run: &mut Run<'_>) -> Result<bool, Failure> {
        let Some(stat) = &self.stat else { return Ok(false) };
        let name = self.path.display();
        let failed = |error: catwalk_system::SystemError| Failure::new(format!("Could not read file {name}: {error}"));
        if let Some(value) = &self.checksum_value {
            let sum = checksum::file_checksum(self.checksum, &self.path, run.system);
            let sum = sum.map_err(|error| Failure::new(format!("Could not read file {name}: {error}")))?;
            return Ok(sum == format!("{{{}}}{value}", self.checksum_name));
        }
        if self.source.is_some() && self.checksum_name != self.checksum {
            return Ok(false);
        }
        if self.is_in_bucket {
            let sum = checksum::file_checksum(self.checksum, &self.path, run.system).map_err(Failure::new)?;
            return Ok(sum == self.name_in_bucket());
        }
        let bytes: std::borrow::Cow<'_, [u8]> = match (&self.content, &self.source) {
            (Some(content), _) => content.as_ref().into(),
            (None, Some(source)) => {
                match self.checksum {
                    "mtime" => return Ok(stat.modified >= source.stat.modified),
                    "ctime" => return Ok(stat.changed >= source.stat.changed),
                    _ => {}
                }
                if stat.size != source.stat.size {
                    return Ok(false);
                }
                if source.stat.size > MAX_COMPARED {
                    self.compute_source_checksum(run)?;
                    let sum = checksum::file_checksum(self.checksum, &self.path, run.system).map_err(Failure::new)?;
                    return Ok(sum == self.desired_checksum());
                }
                run.system.read(&source.path).map_err(failed)?.into()
            }
            (None, None) => return Ok(true),
        };
        if u64::try_from(bytes.len()).ok() != Some(stat.size) {
            return Ok(false);
        }
        let (mut left, mut is_same) = (&*bytes, true);
        let mut each = |chunk: &[u8]| {
            let rest = left.strip_prefix(chunk);
            is_same = rest.is_some();
            left = rest.unwrap_or_default();
            is_same
        };
        run.system.stream(&self.path, &mut each).map_err(failed)?;
        let is_same = is_same && left.is_empty();
        if self.source.is_some() && is_same {
            let _ = self.desired_checksum_cache.set(checksum::bytes_checksum(self.checksum, &bytes));
        }
        Ok(is_same)
    }

    /// Computes the checksum of the source. The checksum of contents in the manifest is computed on demand.
    fn compute_source_checksum(&mut self, run: &mut Run<'_>) -> Result<(), Failure> {
        if let Some(source) = &self.source
            && self.desired_checksum_cache.get().is_none()
        {
            let sum = checksum::file_checksum(self.checksum, &source.path, run.system);
            let failed =
                |error| Failure::new(format!("Could not retrieve file metadata for {}: {error}", source.label));
            let _ = self.desired_checksum_cache.set(sum.map_err(failed)?);
        }
        Ok(())
    }

    /// `{sha256}…` of the desired contents, `{etag}…` of a source with this checksum; the content itself if it names content in a filebucket.
    pub(super) fn desired_checksum(&self) -> String {
        if self.is_in_bucket {
            return if self.is_secret { "[redacted]".to_owned() } else { self.name_in_bucket() };
        }
        let content = self.content.as_deref().unwrap_or_default();
        let sum = self.desired_checksum_cache.get_or_init(|| checksum::bytes_checksum(self.checksum, content));
        match sum.split_once('}') {
            // Puppet names the checksum of a source by the parameter.
            Some((_, digest)) if self.source.is_some() => format!("{{{}}}{digest}", self.checksum_name),
            _ => sum.clone(),
        }
    }

    pub(super) fn has_same_contents(&mut self, run: &mut Run<'_>) -> Result<bool, Failure> {
        if !self.should_be_file() {
            if self.ensure == Some(Ensure::Present)
                && self.content.is_some()
                && let Some(stat) = &self.stat
            {
                let kind = super::ensure::kind_name(stat.kind);
                let text = format!("Ensure set to :present but file type is {kind} so no content will be synced");
                run.log.log(Level::Warning, Some(&run.path.to_string()), &text);
            }
            return Ok(true);
        }
        if self.stat.is_none() {
            return Ok(false);
        }
        if self.current_checksum.is_none() {
            return Ok(true);
        }
        if self.settings.show_diff && self.show_diff && run.log.wants(self.level) {
            let text = if self.is_secret { "[diff redacted]".to_owned() } else { format!("\n{}", self.diff(run)?) };
            run.log.log(self.level, Some(&self.property_path(run, "content")), &text);
        }
        Ok(false)
    }

    fn diff(&self, run: &mut Run<'_>) -> Result<String, Failure> {
        let failed = |error: catwalk_system::SystemError| Failure::new(error.message);
        let old = run.system.read(&self.path).map_err(failed)?;
        let new = match (&self.content, &self.source) {
            (Some(_), _) if self.is_in_bucket => {
                let path = self.content_in_bucket(run)?;
                run.system.read(&path).map_err(failed)?
            }
            (Some(content), _) => content.to_vec(),
            (None, Some(source)) => run.system.read(&source.path).map_err(failed)?,
            (None, None) => Vec::new(),
        };
        let path = self.path.display();
        let (Ok(old), Ok(new)) = (String::from_utf8(old), String::from_utf8(new)) else {
            return Ok(format!("Binary files {path} and {path} (desired) differ"));
        };
        let time = |time| checksum::format_time(time);
        let before = self.stat.as_ref().map(|stat| time(stat.modified)).unwrap_or_default();
        let now = time(run.system.now());
        let diff = diff_lines(old.as_str(), new.as_str());
        let from = format!("{path}\t{before}");
        Ok(diff.unified_diff().header(&from, &format!("{path} (desired)\t{now}")).to_string())
    }

    /// Writes the desired contents.
    ///
    /// # Errors
    /// The contents are not valid or cannot be written; the file is unchanged.
    pub(super) fn write(&mut self, run: &mut Run<'_>) -> Result<(), Failure> {
        self.remove_existing(Ensure::File, run)?;
        let ownership = self.ownership(false, run)?;
        self.write_contents(ownership, run)?;
        for note in run.system.take_notes() {
            run.log.log(Level::Debug, Some(&run.path.to_string()), &note);
        }
        self.read_entry(run);
        self.check_accounts()
    }

    fn write_contents(&self, ownership: Ownership, run: &mut Run<'_>) -> Result<(), Failure> {
        let in_bucket = if self.is_in_bucket { Some(self.content_in_bucket(run)?) } else { None };
        if in_bucket.is_none() && !matches!(self.checksum, "mtime" | "ctime") {
            self.check_written()?;
        }
        let contents = match (&self.content, &self.source) {
            _ if let Some(path) = &in_bucket => Contents::Of(path),
            (None, Some(source)) => Contents::Of(&source.path),
            (content, _) => Contents::Bytes(content.as_deref().unwrap_or_default()),
        };
        let mut printed = String::new();
        let written = match (&self.validate_cmd, contents) {
            (Some(command), _) if self.has_contents() => {
                let mut check = |system: &mut dyn System, path: &Path| {
                    printed = self.validate(command, path, system)?;
                    Ok(())
                };
                run.system.write_checked(&self.path, contents, ownership, &mut check)
            }
            (_, Contents::Of(source)) => run.system.copy(source, &self.path, ownership),
            (_, Contents::Bytes(bytes)) => run.system.write(&self.path, bytes, ownership),
        };
        if !self.is_secret {
            printed.lines().for_each(|line| run.log.log(Level::Debug, Some(&run.path.to_string()), line));
        }
        written.map_err(|error| Failure::new(self.write_error(&error, &self.path)))
    }

    /// Refuses to write contents with another checksum than the desired one.
    fn check_written(&self) -> Result<(), Failure> {
        let desired = self.desired_checksum();
        let (_, digest) = desired.split_once('}').unwrap_or(("", &desired));
        let actual = format!("{{{}}}{digest}", self.checksum);
        let desired = match &self.checksum_value {
            Some(value) => format!("{{{}}}{value}", self.checksum_name),
            None => desired,
        };
        if desired == actual {
            return Ok(());
        }
        let text = "File written to disk did not match desired checksum; discarding changes";
        Err(Failure::new(format!("{text} ({actual} vs {desired})")))
    }

    /// Puppet's message for an error when writing a file.
    fn write_error(&self, error: &catwalk_system::SystemError, path: &Path) -> String {
        const MISSING: i32 = 2;
        const IS_DIRECTORY: i32 = 21;
        let path = path.display();
        match error.code {
            Some(MISSING) => {
                let why = "does not exist or is a dangling symbolic link";
                format!("No such file or directory - A directory component in {path} {why}")
            }
            Some(IS_DIRECTORY) => format!("Is a directory @ rb_sysopen - {path}"),
            _ => error.message.clone(),
        }
    }

    /// Runs `validate_cmd` on a temporary file with the new contents and returns the output. Messages name the managed file.
    fn validate(&self, command: &str, temporary: &Path, system: &mut dyn System) -> catwalk_system::Result<String> {
        let [temporary, path] = [temporary, &self.path].map(|path| path.to_string_lossy());
        let argv = ["/bin/sh", "-c", &command.replace(&self.placeholder, &temporary)].map(str::to_owned).to_vec();
        let environment = vec![("LC_ALL".to_owned(), Some("C".to_owned())), ("LANG".to_owned(), Some("C".to_owned()))];
        let output = system.run(&Command { argv, environment, merge_output: true, ..Command::default() })?;
        let printed = String::from_utf8_lossy(&output.stdout).replace(&*temporary, &path);
        if output.code == 0 {
            return Ok(printed);
        }
        let (code, printed) = match missing_program(command, system) {
            // Puppet starts such a command without a shell.
            Some(program) if output.code == NOT_FOUND => {
                (1, format!("Error: Could not execute posix command: No such file or directory - {program}"))
            }
            _ => (output.code, printed.trim().to_owned()),
        };
        let printed = if self.is_secret { "[output redacted]" } else { printed.as_str() };
        let text = command.replace(&self.placeholder, &path);
        Err(SystemError { message: format!("Execution of '{text}' returned {code}: {printed}"), code: None })
    }

    /// The content as the name of content in a filebucket.
    fn name_in_bucket(&self) -> String {
        String::from_utf8_lossy(self.content.as_deref().unwrap_or_default()).into_owned()
    }

    /// The file in the filebucket of `backup` with the contents that `content` names.
    fn content_in_bucket(&self, run: &mut Run<'_>) -> Result<PathBuf, Failure> {
        let (name, shown) = (self.name_in_bucket(), self.desired_checksum());
        let failed =
            |reason: &str| Failure::new(format!("Could not retrieve content for {shown} from filebucket: {reason}"));
        let Backup::Bucket(bucket) = &self.backup else { return Err(failed("Could not get filebucket from file")) };
        // As in Puppet, the name of the checksum is taken out wherever it is.
        let sum = match checksum::name_in_braces(&name) {
            Some(place) => format!("{}{}", &name[..place.start], &name[place.end..]),
            None => name.clone(),
        };
        if sum.len() != DIGITS || !sum.bytes().all(|digit| matches!(digit, b'0'..=b'9' | b'a'..=b'f')) {
            let shown = if self.is_secret { shown.clone() } else { ruby::inspect_string(&sum) };
            return Err(failed(&format!("Invalid checksum {shown}")));
        }
        let path = super::bucket::folder(&self.bucket(bucket)?, &sum).join("contents");
        let stat = run.system.stat(&path, false).map_err(|error| failed(&error.message))?;
        if stat.is_none_or(|stat| stat.kind != Kind::File) {
            return Err(failed("File not found"));
        }
        run.log.log(Level::Info, None, &format!("FileBucket read {sum}"));
        Ok(path)
    }

    /// The directory of the bucket for replaced contents.
    pub(super) fn bucket(&self, name: &str) -> Result<PathBuf, Failure> {
        debug_assert!(matches!(self.backup, Backup::Bucket(_)));
        match self.run_state.borrow().buckets.get(name) {
            Some(Some(path)) => Ok(path.clone()),
            Some(None) => Err(Failure::new(format!("not supported yet: filebucket {name} on a server"))),
            None if name == "puppet" => Ok(self.settings.bucket.clone()),
            None => Err(Failure::new(format!("Could not find filebucket {name} specified in backup"))),
        }
    }
}
