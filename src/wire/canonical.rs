//! A catalog for reading and comparing: catalog order, one parameter a line, nothing that changes from run to run.
//!
//! In: a catalog and the directory of the site. Out: text. Left out: version, UUID; paths are relative to the site.

use std::fmt::Write;

use crate::catalog::Catalog;
use crate::catalog::Resource;
use crate::diag::Reason;
use crate::wire::rich;

/// The catalog as text. Paths below `root` are written relative to it.
///
/// # Errors
/// A value that JSON has no form for (a float that is not finite).
pub fn write(catalog: &Catalog, root: &str) -> Result<String, Reason> {
    let mut out = String::new();
    let join = |items: &mut dyn Iterator<Item = &str>| items.collect::<Vec<_>>().join(", ");
    // Writing to a text cannot fail.
    let _ = writeln!(out, "catalog {} ({})", catalog.name, catalog.environment);
    let _ = writeln!(out, "classes: {}", join(&mut catalog.classes.iter().map(AsRef::as_ref)));
    let _ = writeln!(out, "tags: {}", join(&mut catalog.tags.iter().map(AsRef::as_ref)));
    for resource in &catalog.resources {
        out.push('\n');
        self::resource(&mut out, resource, root)?;
    }
    let name = |at: usize| catalog.resources.get(at).map_or_else(String::new, Resource::reference);
    out.push_str("\nedges:\n");
    for (container, contained) in &catalog.edges {
        let _ = writeln!(out, "  {} -> {}", name(*container), name(*contained));
    }
    Ok(out)
}

fn resource(out: &mut String, resource: &Resource, root: &str) -> Result<(), Reason> {
    let exported = if resource.exported == Some(true) { " exported" } else { "" };
    let _ = writeln!(out, "{}{exported}", resource.reference());
    if let (Some(file), Some(line)) = (&resource.file, resource.line) {
        let file = file.strip_prefix(root).map_or(file.as_ref(), |file| file.trim_start_matches('/'));
        let _ = writeln!(out, "  at: {file}:{line}");
    }
    let tags = resource.tags.iter().map(AsRef::as_ref).collect::<Vec<&str>>().join(", ");
    let _ = writeln!(out, "  tags: {tags}");
    for (name, value) in &resource.parameters {
        if !resource.is_title(*name, value) {
            let sensitive = if resource.sensitive.contains(name) { " (sensitive)" } else { "" };
            let _ = writeln!(out, "  {name}{sensitive} => {}", rich::to_json(value)?);
        }
    }
    Ok(())
}
