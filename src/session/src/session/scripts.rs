//! The scripts of a site, and the mistakes in them.

use std::path::Path;
use std::path::PathBuf;
use std::sync::Arc;

use crate::session::Session;
use catwalk_base::diag::Code;
use catwalk_base::diag::Diagnostic;
use catwalk_base::diag::Reason;
use catwalk_base::diag::Severity;
use catwalk_base::secrets::SecretCollection;
use catwalk_base::source::Span;
use catwalk_node::terminus::Terminus;
use catwalk_program::Environment;
use catwalk_scripting::Checker;
use catwalk_scripting::Purpose;
use catwalk_world::Entry;
use catwalk_world::Kind;
use catwalk_world::RecordingWorld;
use catwalk_world::World;
use catwalk_world::files_below;

impl Session {
    /// All scripts of the site and its modules: those below `scripts/`, and the classifiers, sorted.
    ///
    /// # Errors
    /// There is no environment.
    pub fn scripts(&self) -> Result<Vec<PathBuf>, Box<Diagnostic>> {
        let environment = self.script_environment()?;
        let world = self.world.as_ref();
        let mut scripts = Vec::new();
        let roots = environment.modules.values().map(|module| module.root.as_path());
        for root in roots.chain(environment.root.as_deref()) {
            scripts.extend(scripts_below(&root.join("scripts"), world));
        }
        for terminus in self.termini() {
            if let Terminus::Script(path) | Terminus::Groups(path) = terminus {
                scripts.extend(scripts_below(&path, world));
            }
        }
        scripts.sort();
        scripts.dedup();
        Ok(scripts)
    }

    /// The scripts at or below a path.
    #[must_use]
    pub fn scripts_below(&self, path: &Path) -> Vec<PathBuf> {
        scripts_below(path, self.world.as_ref())
    }

    /// The mistakes in these scripts.
    ///
    /// # Errors
    ///
    /// There is no environment.
    pub fn check_scripts(&self, files: &[PathBuf]) -> Result<Vec<Diagnostic>, Box<Diagnostic>> {
        let environment = self.script_environment()?;
        let checker = Checker::new(self.sources().clone());
        // The top level of a script runs, and may make Sensitive values.
        let secrets: Arc<SecretCollection> = Arc::default();
        let world = RecordingWorld::for_compile(self.world.clone(), secrets.clone());
        let check = |diagnostics: &mut Vec<Diagnostic>| {
            for file in files {
                let mistakes = checker.check(file, &environment, &world);
                // A file that cannot be parsed gets no further message.
                if mistakes.is_empty() {
                    diagnostics.extend(self.scripts.top(file, &environment, &world));
                    diagnostics.extend(self.check_provider(file, &environment, &world));
                }
                diagnostics.extend(mistakes);
            }
            Ok(())
        };
        let checked = self.guard(&secrets, check, |result| result);
        checked.result.map(|()| checked.logs)
    }

    /// Checks a provider against its type, which may be written in Ruby. Mistakes in the type are reported for the type's file.
    fn check_provider(&self, file: &Path, environment: &Arc<Environment>, world: &dyn World) -> Vec<Diagnostic> {
        let name =
            file.file_stem().and_then(|stem| stem.to_str()).filter(|_| Purpose::from_path(file) == Purpose::Provider);
        let Some(name) = name else { return Vec::new() };
        match self.layers.registry(environment, &self.scripts).lookup(environment, world, name) {
            Ok(Some(resource_type)) => resource_type
                .definition
                .iter()
                .flat_map(|definition| self.scripts.check_provider(file, definition, environment, world))
                .collect(),
            Ok(None) => {
                let text = format!("there is no type '{name}' for this provider");
                let help = format!("a type is defined in scripts/types/{name}.rhai or lib/puppet/type/{name}.rb");
                let reason = Reason::new(Code::SCRIPT_ENTRY, text).help(help);
                let span = self.sources().find(&file.to_string_lossy()).map(|file| Span::new(file, 0, 0));
                vec![Diagnostic::new(reason, span).severity(Severity::Warning)]
            }
            Err(_) => Vec::new(),
        }
    }

    pub(super) fn script_environment(&self) -> Result<std::sync::Arc<Environment>, Box<Diagnostic>> {
        match &self.options.root {
            Some(_) => self.open_environment(),
            None => Ok(std::sync::Arc::default()),
        }
    }
}

/// The scripts at or below a path.
fn scripts_below(path: &Path, world: &dyn World) -> Vec<PathBuf> {
    let is_script = |name: &str| Path::new(name).extension().is_some_and(|extension| extension == "rhai");
    let is_included =
        |entry: &Entry| !entry.name.starts_with('.') && (entry.kind == Kind::Directory || is_script(&entry.name));
    match world.kind(path) {
        Kind::File if is_script(&path.to_string_lossy()) => vec![path.to_path_buf()],
        Kind::Directory => files_below(path, world, &is_included).0,
        _ => Vec::new(),
    }
}
