//! The scripts of a site, and the mistakes in them.

use std::path::Path;
use std::path::PathBuf;
use std::sync::Arc;

use crate::session::Session;
use catwalk_base::diag::Code;
use catwalk_base::diag::Diagnostic;
use catwalk_base::diag::Reason;
use catwalk_base::diag::Severity;
use catwalk_base::source::Span;
use catwalk_node::terminus::Terminus;
use catwalk_program::environment::Environment;
use catwalk_scripting::Checker;
use catwalk_scripting::Purpose;
use catwalk_world::Descent;
use catwalk_world::Kind;
use catwalk_world::World;

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
            collect_scripts(&root.join("scripts"), world, &mut scripts, &mut Descent::default());
        }
        for terminus in self.termini() {
            if let Terminus::Script(path) | Terminus::Groups(path) = terminus {
                collect_scripts(&path, world, &mut scripts, &mut Descent::default());
            }
        }
        scripts.sort();
        scripts.dedup();
        Ok(scripts)
    }

    /// The scripts at or below a path.
    #[must_use]
    pub fn scripts_below(&self, path: &Path) -> Vec<PathBuf> {
        let mut scripts = Vec::new();
        collect_scripts(path, self.world.as_ref(), &mut scripts, &mut Descent::default());
        scripts
    }

    /// The mistakes in these scripts.
    ///
    /// # Errors
    ///
    /// There is no environment.
    pub fn check_scripts(&self, files: &[PathBuf]) -> Result<Vec<Diagnostic>, Box<Diagnostic>> {
        let environment = self.script_environment()?;
        let checker = Checker::new(self.sources().clone());
        let mut diagnostics = Vec::new();
        for file in files {
            let mistakes = checker.check(file, &environment, self.world.as_ref());
            // A file that cannot be parsed gets no further message.
            if mistakes.is_empty() {
                diagnostics.extend(self.scripts.top(file, &environment, self.world.as_ref()));
                diagnostics.extend(self.check_provider(file, &environment));
            }
            diagnostics.extend(mistakes);
        }
        Ok(diagnostics)
    }

    /// Checks a provider against its type, which may be written in Ruby. Mistakes in the type are reported for the type's file.
    fn check_provider(&self, file: &Path, environment: &Arc<Environment>) -> Vec<Diagnostic> {
        let name =
            file.file_stem().and_then(|stem| stem.to_str()).filter(|_| Purpose::from_path(file) == Purpose::Provider);
        let Some(name) = name else { return Vec::new() };
        let world = self.world.as_ref();
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

/// Collects the scripts at or below a path.
fn collect_scripts(path: &Path, world: &dyn World, scripts: &mut Vec<PathBuf>, descent: &mut Descent) {
    let is_script = |path: &Path| path.extension().is_some_and(|extension| extension == "rhai");
    match world.kind(path) {
        Kind::File if is_script(path) => scripts.push(path.to_path_buf()),
        Kind::Directory => {
            let Ok(entries) = world.list(path) else { return };
            for entry in entries.iter().filter(|entry| !entry.name.starts_with('.')) {
                let path = path.join(entry.name.as_ref());
                if entry.kind != Kind::Directory || descent.enters(world, &path, entry) {
                    collect_scripts(&path, world, scripts, descent);
                }
            }
        }
        _ => {}
    }
}
