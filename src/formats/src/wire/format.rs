//! The formats of catalogs by name, and documents of unknown format.
//!
//! In: a catalog, or a JSON document that holds one. Out: the catalog in another format. Must not: read or write files.

use std::sync::Arc;

use serde_json::Value as Json;

use catwalk_base::diag::Reason;
use catwalk_base::secrets::Key;
use catwalk_base::secrets::Secrets;
use catwalk_catalog::Catalog;

use crate::wire::canonical;
use crate::wire::dot;
use crate::wire::native;
use crate::wire::native::Variant;
use crate::wire::parts;
use crate::wire::parts::PieceSink;
use crate::wire::parts::Threads;
use crate::wire::puppetdb;
use crate::wire::puppetdb::Payload;
use crate::wire::puppetdb::Style;
use crate::wire::puppetdb::Submission;
use crate::wire::puppetdb::Version;
use crate::wire::read;
use crate::wire::to_native;
use crate::wire::yaml;

/// A format of catalogs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Format {
    /// What a server sends to an agent: catalog format 2.
    Native,
    /// Catalog format 1, of servers before Puppet 7.13: resources have no `kind`.
    Native1,
    /// What PuppetDB receives.
    Wire(Version),
    /// One parameter a line, without what varies from run to run: the contents of snapshots.
    Canonical,
    /// A graph for Graphviz.
    Dot,
    /// The native format as YAML.
    Yaml,
}

/// How a catalog is written.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// The style of PuppetDB's formats.
    pub style: Style,
    /// What varies from run to run.
    pub submission: Submission,
    /// The directory of the site: canonical catalogs have paths below it relative to it.
    pub root: String,
    /// Whether values of a converted document that JSON cannot represent become strings.
    pub is_plain: bool,
    /// The key of the digests that replace secrets of documents in canonical catalogs and graphs.
    pub key: Key,
}

/// Writes a catalog. The result ends in a newline.
///
/// # Errors
/// A value has no form in JSON; in PuppetDB's formats a relationship leads to a resource that is not in the catalog.
pub fn write(catalog: &Catalog, format: Format, options: &Options) -> Result<String, Reason> {
    parts::joined(|take| write_to(catalog, format, options, Threads::All, take))
}

/// Passes a catalog to `take` as [`write`] writes it, large ones in pieces: no format builds the whole document.
///
/// # Errors
/// As [`write`], and those of `take`: then what was taken is not all.
pub fn write_to<E: From<Reason> + Send>(
    catalog: &Catalog,
    format: Format,
    options: &Options,
    threads: Threads,
    take: PieceSink<'_, E>,
) -> Result<(), E> {
    let variant = || Variant { version: options.submission.version.clone(), is_format_1: format == Format::Native1 };
    match format {
        Format::Native | Format::Native1 => native::write_to(catalog, &variant(), threads, take),
        Format::Wire(version) => {
            puppetdb::write_to(catalog, version, options.style, &options.submission, threads, take)
        }
        Format::Canonical => canonical::write_to(catalog, &options.root, threads, take),
        Format::Dot => dot::write_to(catalog, take),
        Format::Yaml => yaml::write_to(catalog, &variant(), threads, take),
    }
}

/// The format of a document; `None` if it holds no catalog.
#[must_use]
pub fn detect(document: &Json) -> Option<Format> {
    let members = document.as_object()?;
    let has = |name: &str| members.contains_key(name);
    if !has("resources") {
        return None;
    }
    if has("certname") {
        let version = match () {
            () if has("producer") || has("job_id") => Version::V9,
            () if has("catalog_uuid") => Version::V8,
            () if has("code_id") => Version::V7,
            () => Version::V6,
        };
        return Some(Format::Wire(version));
    }
    let first_source = members.get("edges").and_then(|edges| edges.get(0)?.get("source"));
    if has("transaction-uuid") || first_source.is_some_and(Json::is_object) {
        return Some(Format::Wire(if has("producer-timestamp") { Version::V5 } else { Version::V4 }));
    }
    match members.get("catalog_format").and_then(Json::as_u64) {
        Some(0 | 1) => Some(Format::Native1),
        Some(_) if !has("version") && !has("catalog_uuid") => Some(Format::Canonical),
        _ if has("name") => Some(Format::Native),
        _ => None,
    }
}

/// Reads the catalog of a document in any format. What PuppetDB's formats lack is lost: secrets, and which aliases were declared; `classes`
/// are those of the resources. Secrets are those that the document names, with digests made with `key`.
///
/// # Errors
/// The document is no catalog.
pub fn read(document: &Json, key: &Key) -> Result<Catalog, Reason> {
    let fail = |error: String| Reason::runtime(format!("it is no catalog: {error}"));
    let mut catalog = match detect(document) {
        None => return Err(fail("its format is not known".to_owned())),
        Some(Format::Wire(_)) => read::catalog(&to_native::document(document).map_err(fail)?),
        Some(_) => read::catalog(document),
    }
    .map_err(fail)?;
    catalog.secrets = Arc::new(Secrets::of_document(document, key));
    Ok(catalog)
}

/// Converts a document to another format, as [`read()`] reads it, and passes it to `take` in pieces; between PuppetDB's formats nothing is
/// lost.
///
/// # Errors
/// The document is no catalog, or cannot be written in the format; those of `take`: then what was taken is not all.
pub fn convert<E: From<Reason> + Send>(
    document: Json,
    to: Format,
    options: &Options,
    take: PieceSink<'_, E>,
) -> Result<(), E> {
    // Refuses what no format may hold: resources twice, edges to nowhere.
    let mut catalog = read(&document, &options.key)?;
    if let (Some(Format::Wire(_)), Format::Wire(version)) = (detect(&document), to) {
        let secrets = std::mem::take(&mut catalog.secrets);
        drop(catalog);
        let payload = Payload::read(document)
            .ok_or_else(|| Reason::runtime("it is no catalog: resources or edges are no arrays"))?;
        let payload = payload.submitted(&options.submission);
        return payload.write_to((version, options.style), &secrets, Threads::All, take);
    }
    drop(document);
    if options.is_plain {
        catalog.make_plain();
    }
    write_to(&catalog, to, options, Threads::All, take)
}
