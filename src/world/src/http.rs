//! Requests to web servers and PuppetDB.
//!
//! In: a [`Fetch`], or a query and where PuppetDB is. Out: a page, or the query's result as JSON. Certificates are checked
//! against the public authorities, those of PuppetDB against its `ca` if there is one.

use std::path::Path;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use base64::Engine;
use ureq::tls::Certificate;
use ureq::tls::ClientCert;
use ureq::tls::PemItem;
use ureq::tls::PrivateKey;
use ureq::tls::RootCerts;
use ureq::tls::TlsConfig;

use crate::Fetch;
use crate::Fetched;
use crate::Identity;
use crate::Refused;
use crate::excerpt;
use crate::read_file;

/// A request fails if the server does not respond in this time.
const LIMIT: Duration = Duration::from_secs(60);
/// Pages larger than this are refused.
const MAX_BODY: u64 = 64 << 20;

/// Where PuppetDB is, and how the client identifies itself.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PuppetDb {
    /// `https://puppetdb.example.com:8081`
    pub url: String,
    /// The certificate of the authority that signed the server's.
    pub ca: Option<PathBuf>,
    /// Our certificate.
    pub cert: Option<PathBuf>,
    /// Its key.
    pub key: Option<PathBuf>,
}

fn agent(tls: TlsConfig) -> ureq::Agent {
    ureq::Agent::config_builder()
        .timeout_global(Some(catwalk_base::meter::time_left().map_or(LIMIT, |left| left.min(LIMIT))))
        .http_status_as_error(false)
        .user_agent(concat!("catwalk/", env!("CARGO_PKG_VERSION")))
        .tls_config(tls)
        .build()
        .into()
}

fn unreachable(url: &str, why: impl std::fmt::Display) -> Refused {
    Refused::Unreachable(Arc::from(url), Arc::from(why.to_string()))
}

/// Gets a page.
pub(super) fn fetch(asked: &Fetch) -> Result<Fetched, Refused> {
    let agent = agent(tls(&asked.identity)?);
    let login = asked.login.as_ref().map(|(name, password)| {
        let login = base64::engine::general_purpose::STANDARD.encode(format!("{name}:{password}"));
        format!("Basic {login}")
    });
    let mut headers: Vec<(&str, String)> = login.into_iter().map(|login| ("Authorization", login)).collect();
    headers.extend(asked.headers.iter().map(|(name, value)| (name.as_str(), value.clone())));
    let given = |name: &str| asked.headers.iter().any(|(given, _)| given.eq_ignore_ascii_case(name));
    if let Some(path) = &asked.identity.token {
        headers.push(("X-Authentication", token(path)?));
    }
    let answer = match &asked.post {
        None => {
            headers.into_iter().fold(agent.get(&asked.url), |request, (name, value)| request.header(name, value)).call()
        }
        Some(body) => {
            let usual = ["Content-Type", "Accept"].into_iter().filter(|name| !given(name));
            let request = usual.fold(agent.post(&asked.url), |request, name| request.header(name, "application/json"));
            headers.into_iter().fold(request, |request, (name, value)| request.header(name, value)).send(body)
        }
    };
    let mut response = answer.map_err(|error| unreachable(&asked.url, error))?;
    let body = response.body_mut().with_config().limit(MAX_BODY).read_to_vec();
    let body = body.map_err(|error| unreachable(&asked.url, error))?;
    Ok(Fetched { status: response.status().as_u16(), body: Arc::from(body) })
}

/// Sends a query to PuppetDB: a string of PQL, or an AST.
pub(super) fn query(puppetdb: &PuppetDb, query: &serde_json::Value) -> Result<serde_json::Value, Refused> {
    let url = format!("{}/pdb/query/v4", puppetdb.url.trim_end_matches('/'));
    let failed = |error: &dyn std::fmt::Display| unreachable(&url, error);
    let body = serde_json::json!({ "query": query }).to_string();
    let (ca, cert, key) = (puppetdb.ca.clone(), puppetdb.cert.clone(), puppetdb.key.clone());
    let request = agent(tls(&Identity { ca, cert, key, token: None })?).post(&url);
    let request = request.header("Accept", "application/json");
    let request = request.header("Content-Type", "application/json; charset=UTF-8");
    let mut response = request.send(body).map_err(|error| failed(&error))?;
    let status = response.status();
    let body = response.body_mut().with_config().limit(MAX_BODY).read_to_vec().map_err(|error| failed(&error))?;
    if !status.is_success() {
        let text = String::from_utf8_lossy(&body).replace(['\r', '\n'], "");
        let reason = status.canonical_reason().unwrap_or_default();
        return Err(failed(&format!("[{} {reason}] {}", status.as_u16(), excerpt(&text))));
    }
    serde_json::from_slice(&body).map_err(|error| failed(&error))
}

fn tls(identity: &Identity) -> Result<TlsConfig, Refused> {
    let mut config = TlsConfig::builder();
    if let Some(path) = &identity.ca {
        config = config.root_certs(RootCerts::new_with_certs(&certificates(path)?));
    }
    if let (Some(cert), Some(key)) = (&identity.cert, &identity.key) {
        let private = PrivateKey::from_pem(&read_file(key)?).map_err(|error| bad(key, &error))?;
        config = config.client_cert(Some(ClientCert::new_with_certs(&certificates(cert)?, private)));
    }
    Ok(config.build())
}

fn certificates(path: &Path) -> Result<Vec<Certificate<'static>>, Refused> {
    let text = read_file(path)?;
    let mut found = Vec::new();
    for item in ureq::tls::parse_pem(&text) {
        if let PemItem::Certificate(certificate) = item.map_err(|error| bad(path, &error))? {
            found.push(certificate);
        }
    }
    Ok(found)
}

/// The token in a file.
#[allow(clippy::disallowed_methods, reason = "this is the door")]
fn token(path: &Path) -> Result<String, Refused> {
    let home = path.strip_prefix("~").ok().and_then(|rest| Some(Path::new(&std::env::var_os("HOME")?).join(rest)));
    let path = home.as_deref().unwrap_or(path);
    let bytes = read_file(path)?;
    let text = std::str::from_utf8(&bytes).map_err(|error| bad(path, &error))?;
    let token = text.trim();
    if token.is_empty() || !token.bytes().all(|byte| byte.is_ascii_graphic()) {
        return Err(bad(path, &"it holds no token"));
    }
    Ok(token.to_owned())
}

fn bad(path: &Path, error: &dyn std::fmt::Display) -> Refused {
    Refused::Unreadable(path.to_path_buf(), Arc::from(error.to_string()))
}
