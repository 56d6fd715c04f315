//! The guides by task, as they are in the folder `docs` of the repository.
//!
//! In: a name. Out: pages in Markdown. Must not: read files.

use crate::page::Page;

/// The kind of their pages.
pub const KIND: &str = "guide";

/// The guides by the names of their files.
const GUIDES: [(&str, &str); 34] = [
    ("apply", include_str!("../../../docs/apply.md")),
    ("authority", include_str!("../../../docs/authority.md")),
    ("catalogs", include_str!("../../../docs/catalogs.md")),
    ("check", include_str!("../../../docs/check.md")),
    ("ci", include_str!("../../../docs/ci.md")),
    ("classify", include_str!("../../../docs/classify.md")),
    ("compile", include_str!("../../../docs/compile.md")),
    ("configuration", include_str!("../../../docs/configuration.md")),
    ("convert-rspec", include_str!("../../../docs/convert-rspec.md")),
    ("diff", include_str!("../../../docs/diff.md")),
    ("documentation", include_str!("../../../docs/documentation.md")),
    ("enc", include_str!("../../../docs/enc.md")),
    ("eval", include_str!("../../../docs/eval.md")),
    ("eyaml", include_str!("../../../docs/eyaml.md")),
    ("hiera-backends", include_str!("../../../docs/hiera-backends.md")),
    ("init", include_str!("../../../docs/init.md")),
    ("install", include_str!("../../../docs/install.md")),
    ("limits", include_str!("../../../docs/limits.md")),
    ("lookup", include_str!("../../../docs/lookup.md")),
    ("migrate", include_str!("../../../docs/migrate.md")),
    ("policies", include_str!("../../../docs/policies.md")),
    ("providers", include_str!("../../../docs/providers.md")),
    ("puppetdb", include_str!("../../../docs/puppetdb.md")),
    ("resource-types", include_str!("../../../docs/resource-types.md")),
    ("rhai-functions", include_str!("../../../docs/rhai-functions.md")),
    ("scripts", include_str!("../../../docs/scripts.md")),
    ("secrets", include_str!("../../../docs/secrets.md")),
    ("security", include_str!("../../../docs/security.md")),
    ("serve", include_str!("../../../docs/serve.md")),
    ("show", include_str!("../../../docs/show.md")),
    ("status", include_str!("../../../docs/status.md")),
    ("store", include_str!("../../../docs/store.md")),
    ("testing", include_str!("../../../docs/testing.md")),
    ("watch", include_str!("../../../docs/watch.md")),
];

/// Commands that the guide of another name describes.
const COMMANDS: [(&str, &str); 15] = [
    ("ca", "authority"),
    ("catalog", "catalogs"),
    ("completions", "install"),
    ("convert", "convert-rspec"),
    ("data", "lookup"),
    ("docs", "documentation"),
    ("facts", "testing"),
    ("man", "install"),
    ("new", "init"),
    ("node", "classify"),
    ("parse", "check"),
    ("resource", "apply"),
    ("script", "scripts"),
    ("snapshot", "testing"),
    ("test", "testing"),
];

/// All guides, sorted by name.
#[must_use]
pub fn pages() -> Vec<Page> {
    let page = |(name, text): &(&str, &str)| Page {
        name: (*name).to_owned(),
        kind: KIND,
        origin: "Guides".to_owned(),
        doc: (*text).to_owned(),
        ..Page::default()
    };
    GUIDES.iter().map(page).collect()
}

/// The name of the guide that a command, a file or a guide names.
#[must_use]
pub fn guide_name(name: &str) -> &str {
    let name = name.strip_suffix(".md").unwrap_or(name);
    COMMANDS.iter().find(|(command, _)| *command == name).map_or(name, |(_, guide)| guide)
}
