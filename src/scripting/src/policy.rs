//! Policies: `scripts/policies/*.rhai` of the site, each with `fn check(catalog)`, called for each finished catalog.
//!
//! In: a catalog, and an evaluator of its node for the calls of policies. Out: the catalog again, and the policies' verdicts:
//! errors with the code `POLICY_DENIED`, warnings with `POLICY_WARNING`, placed at the resource's line of the manifest; a policy that
//! fails is an error like any failure of a script. Must not: change the catalog.
//!
//! `session::Session::compile` runs them, and so do all commands that compile: a denied catalog is a failed node, warnings are
//! among its logs. `session::Compiled::policies()` returns these diagnostics in order.

use std::path::Path;
use std::path::PathBuf;
use std::sync::Arc;

use rhai::Dynamic;

use crate::api::CatalogHandle;
use crate::api::Verdict;
use crate::api::collect_verdicts;
use crate::cache::Script;
use crate::error;
use crate::function::RhaiFunctions;
use crate::worker::Conversation;
use catwalk_base::diag::Code;
use catwalk_base::diag::Diagnostic;
use catwalk_base::diag::Frame;
use catwalk_base::diag::Reason;
use catwalk_base::diag::Severity;
use catwalk_base::meter;
use catwalk_base::source::SourceMap;
use catwalk_base::source::Span;
use catwalk_catalog::Catalog;
use catwalk_eval::Evaluator;
use catwalk_eval::Stop;
use catwalk_program::Environment;
use catwalk_world::Kind;
use catwalk_world::World;

impl RhaiFunctions {
    /// Whether the site has policies.
    #[must_use]
    pub fn has_policies(&self) -> bool {
        !policies(&self.environment, self.world.as_ref()).is_empty()
    }

    /// Runs all policies of the site on a catalog, in the order of their names.
    pub fn check(&self, ev: &mut Evaluator<'_>, catalog: Catalog) -> (Catalog, Vec<Diagnostic>) {
        let handle = CatalogHandle::new(catalog);
        let mut diagnostics = Vec::new();
        for path in policies(&self.environment, self.world.as_ref()) {
            let policy = |ev: &mut &mut Evaluator<'_>| self.policy(ev, &path, &handle);
            diagnostics.extend(meter::with_location(&mut &mut *ev, policy, |_| Some(path.display().to_string())));
        }
        (handle.into_catalog(), diagnostics)
    }

    /// Runs one policy.
    pub(super) fn policy(&self, ev: &mut Evaluator<'_>, path: &Path, catalog: &CatalogHandle) -> Vec<Diagnostic> {
        let script = match self.scripts.load(path, &self.environment, self.world.as_ref()) {
            Ok(script) => script,
            Err(diagnostic) => return vec![*diagnostic],
        };
        let name = display_path(path, &self.environment);
        if !script.ast.iter_functions().any(|f| f.name == "check" && f.params.len() == 1) {
            let reason = Reason::new(Code::SCRIPT_ENTRY, format!("{} has no function check(catalog)", path.display()));
            return vec![Diagnostic::new(reason, Some(Span::new(script.file, 0, 0)))];
        }
        let span = Span::new(script.file, 0, 0);
        let (result, verdicts) = if self.scripts.workers.is_some() {
            let mut verdicts = Vec::new();
            let result = self.enter_worker(ev, &[], span, &script, (&name, "check"), None, |loading, limit| {
                Conversation::check_policy(&script, loading, limit, catalog, &mut verdicts)
            });
            (result, verdicts)
        } else {
            let args = vec![Dynamic::from(catalog.clone())];
            let check = || self.enter(ev, &[], span, &script, (&name, "check"), args, None);
            let (result, verdicts) = collect_verdicts(check);
            (result.map(drop), verdicts)
        };
        let to_diagnostic = |verdict: Verdict| self.diagnostic(verdict, catalog, &script, &name);
        let mut diagnostics: Vec<Diagnostic> = verdicts.into_iter().map(to_diagnostic).collect();
        match result {
            Ok(()) => {}
            Err(Stop::Failed(diagnostic)) => diagnostics.push(*diagnostic),
            Err(Stop::Reason(reason)) => diagnostics.push(Diagnostic::new(*reason, Some(span))),
            Err(_) => {
                diagnostics.push(Diagnostic::new(Reason::runtime(format!("{name}: evaluation stopped")), Some(span)))
            }
        }
        diagnostics
    }

    fn diagnostic(&self, verdict: Verdict, catalog: &CatalogHandle, script: &Script, policy: &str) -> Diagnostic {
        let resource = verdict.resource.and_then(|at| catalog.0.catalog.resources.get(at));
        let message = match resource {
            Some(resource) => format!("{}: {}", resource.reference(), verdict.message),
            None => verdict.message,
        };
        let location =
            resource.and_then(|resource| line(resource.file.as_deref()?, resource.line?, &self.scripts.sources));
        let mut diagnostic = Diagnostic::new(
            Reason::new(if verdict.denied { Code::POLICY_DENIED } else { Code::POLICY_WARNING }, message),
            location,
        );
        if !verdict.denied {
            diagnostic.severity = Severity::Warning;
        }
        diagnostic.hide_column = true;
        let (source, at) = verdict.location;
        let sources = &self.scripts.sources;
        let file = source.and_then(|source| sources.find(&source)).unwrap_or(script.file);
        let span = error::span(at, file, sources);
        diagnostic.trace.push(Frame { callee: format!("the policy {policy}").into(), span });
        diagnostic
    }
}

/// The files of policies, in the order of their names.
fn policies(environment: &Environment, world: &dyn World) -> Vec<PathBuf> {
    let Some(folder) = environment.root.as_ref().map(|root| root.join("scripts").join("policies")) else {
        return Vec::new();
    };
    // Listing a missing folder is recorded, too, since the folder may be created later.
    let Ok(entries) = world.list(&folder) else { return Vec::new() };
    let is_script = |name: &str| name.ends_with(".rhai") && !name.starts_with('.');
    let files = entries.iter().filter(|entry| entry.kind == Kind::File && is_script(&entry.name));
    files.map(|entry| folder.join(entry.name.as_ref())).collect()
}

/// A path for messages, relative to the site.
pub(super) fn display_path(path: &Path, environment: &Environment) -> Arc<str> {
    let relative = environment.root.as_deref().and_then(|root| path.strip_prefix(root).ok());
    Arc::from(relative.unwrap_or(path).to_string_lossy())
}

/// A line of a manifest without its indentation.
fn line(file: &str, line: u32, sources: &SourceMap) -> Option<Span> {
    let id = sources.find(file)?;
    let source = sources.get(id)?;
    let start = source.offset(line as usize, 1)?;
    let text = source.text.get(start..)?.lines().next().unwrap_or_default();
    let indent = text.len() - text.trim_start().len();
    Some(Span::new(id, start + indent, start + text.trim_end().len()))
}
