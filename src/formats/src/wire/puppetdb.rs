//! Catalogs as PuppetDB receives them: the payloads of versions 4 to 9 of the command "replace catalog".
//!
//! In: a catalog, a version, what the submission adds. Out: the JSON document. Must not: send it.
//!
//! Where PuppetDB's documents and its terminus differ, the payload is the terminus': numbers stay numbers, aliases are in
//! `parameters.alias`, unknown positions are left out, resources have a `kind`. [`Style::Documented`] follows the documents.
//!
//! | file | what |
//! |---|---|
//! | `emission` | resources and edges one by one |
//! | `resources` | resources, their parameters and aliases |
//! | `relationships` | edges |
//! | `documented` | resources as the documents describe them |
//! | `payload` | the members of each version |
//! | `conversion` | payloads of one version as those of another |

mod conversion;
mod documented;
mod emission;
mod payload;
mod relationships;
mod resources;

use std::sync::Arc;

use serde_json::Value as Json;

use catwalk_base::diag::Reason;
use catwalk_base::secrets::Redacted;
use catwalk_catalog::Catalog;

use crate::wire::parts;
use crate::wire::parts::PieceSink;
use crate::wire::parts::Threads;
use emission::Emission;

pub use payload::Payload;

/// The versions of the format.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Version {
    /// PuppetDB 2.0.
    V4 = 4,
    /// PuppetDB 2.2: with the time of the producer.
    V5 = 5,
    /// PuppetDB 3.0: `certname`, underscores in names.
    V6 = 6,
    /// PuppetDB 3.2: with `code_id`.
    V7 = 7,
    /// PuppetDB 4.0: with `catalog_uuid`.
    V8 = 8,
    /// PuppetDB 4.2 and later: with `producer` and `job_id`.
    V9 = 9,
}

/// Which description a payload follows.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Style {
    /// What PuppetDB's terminus sends.
    #[default]
    Terminus,
    /// What PuppetDB's documentation of the format describes: eight members of each resource, with `aliases`; numbers as strings, no
    /// null.
    Documented,
}

/// What varies from one submission of a catalog to the next.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Submission {
    /// The version of the catalog; by default its own.
    pub version: Option<Arc<str>>,
    /// The UUID of the run; by default that of the catalog.
    pub transaction_uuid: Option<Arc<str>>,
    /// The time of the submission, RFC 3339; by default the catalog's version where that is a time, otherwise the start of 1970.
    pub producer_timestamp: Option<Arc<str>>,
    /// The certname of the server that compiled the catalog; by default none.
    pub producer: Option<Arc<str>>,
}

/// The payload as indented JSON with a newline at the end.
///
/// # Errors
/// As [`document`].
pub fn write(catalog: &Catalog, version: Version, style: Style, submission: &Submission) -> Result<String, Reason> {
    parts::joined(|take| write_to(catalog, version, style, submission, Threads::All, take))
}

/// Passes the payload to `take` in pieces.
///
/// # Errors
/// As [`document`], and those of `take`: then what was taken is not all.
pub fn write_to<E: From<Reason> + Send>(
    catalog: &Catalog,
    version: Version,
    style: Style,
    submission: &Submission,
    threads: Threads,
    take: PieceSink<'_, E>,
) -> Result<(), E> {
    let emission = Emission::of(catalog, style)?;
    emission.parts(version, submission)?.write_to(threads, &|error| Reason::runtime(error).into(), take)
}

/// The payload of version 4, whose resources and edges are those of all versions.
///
/// # Errors
/// As [`document`].
pub fn document_of_version_4(catalog: &Catalog) -> Result<Json, Reason> {
    document(catalog, Version::V4, Style::Terminus, &Submission::default())
}

/// The payload, without secrets but those that exported resources hold in clear.
///
/// # Errors
/// A relationship leads to a resource that is not in the catalog, or is exported but not collected; a value cannot be written as JSON.
pub fn document(catalog: &Catalog, version: Version, style: Style, submission: &Submission) -> Result<Json, Reason> {
    let (resources, edges) = Emission::of(catalog, Style::Terminus)?.documents()?;
    let document = Payload::of(catalog, submission).with(resources, edges).document(version, style);
    Ok(Redacted::submitted(document, &catalog.secrets).into_inner())
}
