//! Catalogs that a client other than their node requests (puppetserver's `Puppet::Server::Compiler`).
//!
//! In: what the client decides, a catalog with the messages of its compile. Out: `$trusted`, the response. Must not: read certificates.

use std::sync::Arc;
use std::time::UNIX_EPOCH;

use serde_json::Value as Json;
use serde_json::json;

use catwalk_apply::report::iso8601;
use catwalk_base::diag::Diagnostic;
use catwalk_base::diag::Severity;
use catwalk_base::source::SourceMap;
use catwalk_catalog::Catalog;
use catwalk_server::OnBehalf;
use catwalk_value::Hash;
use catwalk_value::Value;
use catwalk_world::Disk;
use catwalk_world::World;

/// `$trusted`: as the client decides, else the fact `trusted`, else that in the store.
pub(crate) fn trusted(behalf: &OnBehalf, facts: &Hash, stored: impl FnOnce() -> Option<Arc<Hash>>) -> Hash {
    if let Some(trusted) = &behalf.trusted {
        return Hash::clone(trusted);
    }
    let trusted = match facts.get("trusted") {
        Some(Value::Hash(trusted)) => Some(trusted.clone()),
        _ => stored(),
    };
    trusted.map(|trusted| Hash::clone(&trusted)).unwrap_or_default()
}

/// The response: the catalog, and the messages if the client asks for them.
pub(crate) fn document(
    behalf: &OnBehalf,
    catalog_bytes: Vec<u8>,
    catalog: &Catalog,
    logs: &[Diagnostic],
    sources: &SourceMap,
) -> Vec<u8> {
    let mut document = Vec::with_capacity(catalog_bytes.len() + 64);
    document.extend_from_slice(b"{\"catalog\":");
    document.extend_from_slice(&catalog_bytes);
    if let Some(least) = behalf.logs {
        let mut lines: Vec<Json> =
            logs.iter().filter(|line| line.severity >= least).map(|line| log_line(line, sources)).collect();
        if least <= Severity::Info {
            let text = format!(
                "Compiled catalog for {} in environment {} using the v4 catalog endpoint",
                catalog.name, catalog.environment
            );
            lines.push(line("info", &text, "Puppet", (Json::Null, Json::Null)));
        }
        document.extend_from_slice(b",\"logs\":");
        document.extend_from_slice(Json::Array(lines).to_string().as_bytes());
    }
    document.push(b'}');
    document
}

/// A message as `Puppet::Util::Log#to_data_hash` writes it. Only messages of the compiler have a position.
fn log_line(diagnostic: &Diagnostic, sources: &SourceMap) -> Json {
    let level = diagnostic.severity.as_str();
    if let Some(source) = &diagnostic.source {
        return line(level, &diagnostic.message, source, (Json::Null, Json::Null));
    }
    let located = diagnostic.span.and_then(|span| sources.locate(span));
    let position = match &located {
        Some((source, line, _)) => (json!(&*source.name), json!(line)),
        None => (Json::Null, Json::Null),
    };
    line(level, &diagnostic.puppet_text(sources), "Puppet", position)
}

fn line(level: &str, message: &str, source: &str, (file, line): (Json, Json)) -> Json {
    let time = iso8601(UNIX_EPOCH + Disk::new().now());
    json!({
        "level": level, "message": message, "source": source, "tags": [level], "time": time, "file": file, "line": line,
    })
}
