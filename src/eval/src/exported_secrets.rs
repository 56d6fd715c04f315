//! Warnings about secrets of exported resources: PuppetDB receives no Sensitive parameters, and everything else in clear.
//!
//! In: a finished catalog and the resources of the compile. Out: warnings at the parameters. Must not: show a secret.

use rustc_hash::FxHashMap;

use crate::Evaluator;
use catwalk_base::diag::Code;
use catwalk_base::diag::Diagnostic;
use catwalk_base::diag::Reason;
use catwalk_base::diag::Severity;
use catwalk_base::names::Name;
use catwalk_base::secrets::Key;
use catwalk_base::secrets::Secrets;
use catwalk_base::source::Span;
use catwalk_catalog::Catalog;
use catwalk_catalog::Resource;
use catwalk_catalog::for_each_string;

impl Evaluator<'_> {
    /// Warnings about Sensitive parameters of exported resources, which collectors of other nodes do not receive
    /// (`Puppet::Resource::Catalog::Puppetdb#redact_sensitive_params`), and about parameters that contain secrets in clear.
    #[must_use]
    pub fn exported_secrets(&self, catalog: &Catalog) -> Vec<Diagnostic> {
        let mut exported = catalog.resources.iter().filter(|resource| resource.exported == Some(true)).peekable();
        if exported.peek().is_none() {
            return Vec::new();
        }
        let secrets = Secrets::new(Key::default(), self.world.secrets().reported());
        let mut warnings = Vec::new();
        let mut positions = None;
        let mut warn = |resource: &Resource, name: Name, code: Code, problem: &str, help: &'static str| {
            let positions: &FxHashMap<String, usize> = positions.get_or_insert_with(|| self.entry_positions());
            let span = positions.get(&resource.reference()).and_then(|at| self.parameter_span(*at, Some(name)));
            let text = format!("Parameter '{name}' of the exported resource {} {problem}", resource.reference());
            let reason = Reason::new(code, text).help(help);
            warnings.push(Diagnostic::new(reason, span).severity(Severity::Warning));
        };
        for resource in exported {
            for name in &resource.sensitive {
                let problem = "is Sensitive: nodes that collect it get it without this parameter";
                warn(
                    resource,
                    *name,
                    Code::SENSITIVE_NOT_EXPORTED,
                    problem,
                    "PuppetDB receives no Sensitive parameters",
                );
            }
            for (name, value) in resource.parameters.iter().filter(|(name, _)| !resource.sensitive.contains(name)) {
                let mut is_secret = false;
                for_each_string(value, &mut |text| is_secret |= !secrets.find_in(text).is_empty());
                if is_secret && !secrets.is_empty() {
                    let problem = "holds a secret in clear: PuppetDB and the nodes that collect it receive it";
                    warn(
                        resource,
                        *name,
                        Code::SECRET_EXPORTED,
                        problem,
                        "export a reference to the secret, such as a key of Hiera",
                    );
                }
            }
        }
        warnings
    }

    /// The positions of resources in the table, by reference.
    pub(crate) fn entry_positions(&self) -> FxHashMap<String, usize> {
        let entries = self.state.resources.entries.iter().enumerate();
        entries.map(|(at, entry)| (entry.reference(), at)).collect()
    }

    /// Where a parameter was set, or where the resource was declared.
    pub(crate) fn parameter_span(&self, at: usize, name: Option<Name>) -> Option<Span> {
        let entry = self.state.resources.entries.get(at)?;
        name.and_then(|name| entry.params.get(&name)).and_then(|param| param.span).or(entry.span)
    }
}
