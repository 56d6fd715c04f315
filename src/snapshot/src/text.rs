//! The body of a snapshot: a catalog in canonical form after applying the ignore and redact rules, or an error.

use std::path::Path;

use catwalk_base::diag::Diagnostic;
use catwalk_base::diag::Reason;
use catwalk_base::source::SourceMap;
use catwalk_catalog::Catalog;
use catwalk_formats::diff::rules::RuleUse;
use catwalk_formats::diff::rules::Rules;
use catwalk_formats::wire::canonical;

/// The body for a catalog, and the rules that applied.
///
/// # Errors
/// As [`canonical::write`].
pub fn of_catalog(catalog: &Catalog, root: &Path, rules: &Rules) -> Result<(String, RuleUse), Reason> {
    let mut document = canonical::document(catalog, &root.to_string_lossy())?;
    let used = rules.apply(&catalog.name, &mut document, catalog.secrets.key());
    Ok((canonical::print(&document), used))
}

/// The body for an error: the message of Puppet, with paths relative to the site.
#[must_use]
pub fn of_error(error: &Diagnostic, root: &Path, sources: &SourceMap) -> String {
    let mut text = String::new();
    for one in error.summarized.iter().chain([error]) {
        text.push_str(&format!("error: {}\n", one.puppet_text(sources)));
    }
    let root = root.to_string_lossy();
    if root.len() < 2 { text } else { text.replace(&format!("{}/", root.trim_end_matches('/')), "") }
}
