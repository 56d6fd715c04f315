//! Catalogs for PuppetDB: the payloads of versions 4 to 9 of the command "replace catalog".
//!
//! In: a catalog, a version, the data of a submission. Out: the JSON document. Must not: send it.
//!
//! Where PuppetDB's documentation and its terminus differ, payloads are those of the terminus: numbers stay numbers, aliases are in
//! `parameters.alias`, unknown positions are left out, resources have a `kind`. [`Style::Documented`] follows the documentation.
//!
//! | file | content |
//! |---|---|
//! | `writer` | resources and edges, written in chunks |
//! | `resources` | resources, their parameters and aliases |
//! | `relationships` | edges |
//! | `documented` | resources and edges as in the documentation |
//! | `payload` | the members of each version |
//! | `conversion` | conversion of payloads between versions |

mod conversion;
mod documented;
mod payload;
mod relationships;
mod resources;
mod writer;

use std::sync::Arc;

use serde_json::Value as Json;

use catwalk_base::diag::Reason;
use catwalk_base::secrets::Redacted;
use catwalk_catalog::Catalog;

use crate::wire::chunks;
use crate::wire::chunks::PieceSink;
use crate::wire::chunks::Threads;
use writer::PayloadWriter;

pub use payload::Payload;

/// The versions of the format.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Version {
    /// PuppetDB 2.0.
    V4 = 4,
    /// PuppetDB 2.2: with `producer-timestamp`.
    V5 = 5,
    /// PuppetDB 3.0: with `certname`, and underscores in names.
    V6 = 6,
    /// PuppetDB 3.2: with `code_id`.
    V7 = 7,
    /// PuppetDB 4.0: with `catalog_uuid`.
    V8 = 8,
    /// PuppetDB 4.2 and later: with `producer` and `job_id`.
    V9 = 9,
}

/// Which definition of the format a payload follows.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Style {
    /// The payloads of PuppetDB's terminus.
    #[default]
    Terminus,
    /// PuppetDB's documentation of the format: each resource has eight members, among them `aliases`; numbers are strings; there is no null.
    Documented,
}

/// The data that differ in each submission of a catalog.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Submission {
    /// The version to write instead of the catalog's own.
    pub version: Option<Arc<str>>,
    /// The UUID of the agent's run. Default: the UUID of the catalog.
    pub transaction_uuid: Option<Arc<str>>,
    /// The time of the submission, as in RFC 3339. Default: the catalog's version if it is a time, else the start of 1970.
    pub producer_timestamp: Option<Arc<str>>,
    /// The certname of the server that compiled the catalog.
    pub producer: Option<Arc<str>>,
}

/// The payload as indented JSON with a newline at the end.
///
/// # Errors
/// As [`document`].
pub fn write(catalog: &Catalog, version: Version, style: Style, submission: &Submission) -> Result<String, Reason> {
    chunks::join_pieces(|take| write_to(catalog, version, style, submission, Threads::All, take))
}

/// Passes the payload to `take` in pieces.
///
/// # Errors
/// As [`document`], and the errors of `take`. The payload is incomplete then.
pub fn write_to<E: From<Reason> + Send>(
    catalog: &Catalog,
    version: Version,
    style: Style,
    submission: &Submission,
    threads: Threads,
    take: PieceSink<'_, E>,
) -> Result<(), E> {
    let writer = PayloadWriter::new(catalog, style)?;
    writer.chunks(version, submission)?.write_to(threads, &|error| Reason::runtime(error).into(), take)
}

/// The payload in version 4. Resources and edges are the same in all versions.
///
/// # Errors
/// As [`document`].
pub fn document_of_version_4(catalog: &Catalog) -> Result<Json, Reason> {
    document(catalog, Version::V4, Style::Terminus, &Submission::default())
}

/// The payload. Secrets are replaced, except in exported resources, which contain them in plain text.
///
/// # Errors
/// The target of a relationship is not in the catalog, or is exported but not collected; a value cannot be written as JSON.
pub fn document(catalog: &Catalog, version: Version, style: Style, submission: &Submission) -> Result<Json, Reason> {
    let (resources, edges) = PayloadWriter::new(catalog, Style::Terminus)?.documents()?;
    let document = Payload::new(catalog, submission).with_lists(resources, edges).document(version, style);
    Ok(Redacted::for_submission(document, &catalog.secrets).into_inner())
}
