//! The formats of catalogs: writing, detection, reading, conversion.
//!
//! In: a catalog, or a JSON document in any format. Out: the catalog in a format. Must not: read or write files.

use std::sync::Arc;

use serde_json::Value as Json;

use catwalk_base::diag::Reason;
use catwalk_base::secrets::Key;
use catwalk_base::secrets::Secrets;
use catwalk_catalog::Catalog;
use catwalk_catalog::MessagePaths;

use crate::wire::canonical;
use crate::wire::chunks;
use crate::wire::chunks::PieceSink;
use crate::wire::chunks::Threads;
use crate::wire::dot;
use crate::wire::native;
use crate::wire::native::Variant;
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
    /// The format that a server sends to an agent: catalog format 2.
    Native,
    /// Catalog format 1, of servers before Puppet 7.13: resources have no `kind`.
    Native1,
    /// The payload that PuppetDB receives.
    Wire(Version),
    /// The format of snapshots: one parameter per line, without data that vary from run to run.
    Canonical,
    /// A graph for Graphviz.
    Dot,
    /// The native format as YAML.
    Yaml,
}

/// Options for writing a catalog.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// The style of PuppetDB's formats.
    pub style: Style,
    /// Data of PuppetDB's formats that vary from run to run.
    pub submission: Submission,
    /// The directory of the site: in canonical catalogs, paths below it are relative.
    pub root: String,
    /// Whether to convert rich data of a converted document to strings.
    pub is_plain: bool,
    /// The key of the digests that replace secrets in canonical catalogs and graphs.
    pub key: Key,
}

/// Writes a catalog. The result ends in a newline.
///
/// # Errors
/// A value cannot be represented in JSON; in PuppetDB's formats: the target of a relationship is not in the catalog.
pub fn write(catalog: &Catalog, format: Format, options: &Options) -> Result<String, Reason> {
    chunks::join_pieces(|take| write_to(catalog, format, options, Threads::All, take))
}

/// Writes a catalog like [`write()`], but passes the document to `take` in pieces, so that a large one is never in memory as a whole.
///
/// # Errors
/// As [`write()`], and the errors of `take`. The document is incomplete then.
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

/// Checks whether [`write_to`] will fail, for destinations such as stdout, where an incomplete document cannot be removed. The check is
/// immediate if JSON has a form for all kinds of values in the catalog.
///
/// # Errors
/// As [`write`].
pub fn check(catalog: &Catalog, format: Format, options: &Options, threads: Threads) -> Result<(), Reason> {
    match native::is_surely_writable(catalog) {
        true => Ok(()),
        false => write_to(catalog, format, options, threads, &mut |_| Ok::<(), Reason>(())),
    }
}

/// Detects the format of a document. `None`: it is not a catalog.
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

/// Reads a catalog in any format. PuppetDB's formats contain no sensitive parameters and do not show which aliases were declared; their
/// `classes` are derived from the resources. The catalog's secrets are those that the document names, with digests keyed with `key`.
///
/// # Errors
/// The document is not a catalog.
pub fn read(document: &Json, key: &Key) -> Result<Catalog, Reason> {
    let fail = |error: String| Reason::runtime(format!("not a catalog: {error}"));
    let mut catalog = match detect(document) {
        None => return Err(fail("unknown format".to_owned())),
        Some(Format::Wire(_)) => read::read_with_exports(&to_native::document(document).map_err(fail)?),
        Some(_) => read::read_catalog(document),
    }
    .map_err(fail)?;
    catalog.secrets = Arc::new(Secrets::from_document(document, key));
    Ok(catalog)
}

/// Converts a document to another format and passes it to `take` in pieces. Data are lost as in [`read()`], except between PuppetDB's
/// formats.
///
/// # Errors
/// The document is not a catalog, or cannot be written in the format; `take` is not called then. The errors of `take`; the result is
/// incomplete then.
pub fn convert<E: From<Reason> + Send>(
    document: Json,
    to: Format,
    options: &Options,
    take: PieceSink<'_, E>,
) -> Result<(), E> {
    // Reading it also checks that no resource occurs twice and that all edges lead to resources.
    let mut catalog = read(&document, &options.key)?;
    if let (Some(Format::Wire(_)), Format::Wire(version)) = (detect(&document), to) {
        let secrets = std::mem::take(&mut catalog.secrets);
        drop(catalog);
        let payload = Payload::read(document)
            .ok_or_else(|| Reason::runtime("not a catalog: resources or edges are not arrays"))?;
        let payload = payload.with_submission(&options.submission);
        return payload.write_to((version, options.style), &secrets, Threads::All, take);
    }
    drop(document);
    if options.is_plain {
        catalog.make_plain(MessagePaths::Separate);
    }
    check(&catalog, to, options, Threads::All)?;
    write_to(&catalog, to, options, Threads::All, take)
}
