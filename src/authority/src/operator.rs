//! The actions of an operator: the same on a directory and on a running server, Catwalk's or puppetserver.
//!
//! In: names of nodes. Out: what became of each. Must not: print.
//!
//! Requests and the meaning of responses: `certificate_authority.rb` of `puppetserver ca` 2.4.

use std::time::Duration;

use cms::cert::x509::der::Encode;
use serde_json::Value;
use serde_json::json;

use crate::authority::Authority;
use crate::authority::Refusal;
use crate::bundle;
use crate::encoding::pem;
use crate::request::is_certname;
use crate::request::subject_name;
use catwalk_world::HttpClient;
use catwalk_world::HttpResponse;
use catwalk_world::Identity;
use catwalk_world::excerpt;
use catwalk_world::url_component;

/// The time limit of a request.
const TIMEOUT: Duration = Duration::from_secs(60);
/// The longest response, in bytes: the states of all certificates.
const MAX_BODY: u64 = 256 << 20;

/// What became of an action on a node.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    Done,
    /// The node has neither a request nor a certificate.
    Missing,
    /// The node has a request only, which cannot be revoked.
    Unsigned,
    /// The authority refuses it: the reason.
    Refused(String),
}

/// Certificates and requests.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Statuses {
    /// The states of those that can be read, as documents of the API.
    pub documents: Vec<Value>,
    /// Why files cannot be read: sentences.
    pub unreadable: Vec<String>,
}

/// An authority that an operator manages.
pub trait Operator {
    /// The states of all certificates and requests.
    ///
    /// # Errors
    /// The authority cannot be asked: a sentence.
    fn statuses(&self) -> Result<Statuses, String>;

    /// Signs the request of a node. `ttl`: how long the certificate is valid, in seconds.
    ///
    /// # Errors
    /// The authority cannot be asked: a sentence.
    fn sign(&self, name: &str, ttl: Option<u64>) -> Result<Outcome, String>;

    /// Revokes the certificate of a node.
    ///
    /// # Errors
    /// The authority cannot be asked: a sentence.
    fn revoke(&self, name: &str) -> Result<Outcome, String>;

    /// Removes the certificate and the request of a node.
    ///
    /// # Errors
    /// The authority cannot be asked: a sentence.
    fn delete(&self, name: &str) -> Result<Outcome, String>;
}

impl Operator for Authority {
    fn statuses(&self) -> Result<Statuses, String> {
        let (found, unreadable) = Authority::statuses(self, None).map_err(|error| error.to_string())?;
        Ok(Statuses {
            documents: found.into_iter().map(|status| status.document).collect(),
            unreadable: unreadable.iter().map(ToString::to_string).collect(),
        })
    }

    fn sign(&self, name: &str, ttl: Option<u64>) -> Result<Outcome, String> {
        outcome(self.sign_named(name, ttl), Outcome::Missing)
    }

    fn revoke(&self, name: &str) -> Result<Outcome, String> {
        let missing = if self.request(name).is_some() { Outcome::Unsigned } else { Outcome::Missing };
        outcome(Authority::revoke(self, &[name.to_owned()]).map(|_| ()), missing)
    }

    fn delete(&self, name: &str) -> Result<Outcome, String> {
        let found = Authority::delete(self, name).map_err(|error| error.to_string())?;
        Ok(if found { Outcome::Done } else { Outcome::Missing })
    }
}

fn outcome(done: Result<(), Refusal>, missing: Outcome) -> Result<Outcome, String> {
    match done {
        Ok(()) => Ok(Outcome::Done),
        Err(Refusal::Missing(_)) => Ok(missing),
        Err(Refusal::Request(why)) => Ok(Outcome::Refused(why)),
        Err(Refusal::Full(_)) => Ok(Outcome::Refused("too many requests wait".to_owned())),
        Err(Refusal::Authority(error)) => Err(error.to_string()),
    }
}

/// The authority of a running server.
pub struct RemoteAuthority {
    client: HttpClient,
    /// `https://HOST:PORT/puppet-ca/v1`
    url: String,
}

impl RemoteAuthority {
    /// The authority of the server at `HOST:PORT`. The certificate of `identity` needs the extension `pp_cli_auth`.
    ///
    /// # Errors
    /// A file of the identity cannot be used: a sentence.
    pub fn new(address: &str, identity: &Identity) -> Result<RemoteAuthority, String> {
        let client = HttpClient::new(identity, TIMEOUT, MAX_BODY).map_err(|why| why.to_string())?;
        Ok(RemoteAuthority { client, url: format!("https://{address}/puppet-ca/v1") })
    }

    /// Sends a request for a certificate. It waits in the authority, or is signed by its policy.
    ///
    /// # Errors
    /// The authority cannot be asked: a sentence.
    pub fn submit(&self, name: &str, request: &str) -> Result<Outcome, String> {
        if !is_certname(name) {
            return Ok(Outcome::Refused("Subject hostname format is invalid".to_owned()));
        }
        let headers = [("Accept", "text/plain"), ("Content-Type", "text/plain")];
        let url = format!("{}/certificate_request/{}", self.url, url_component(name));
        let response = self.client.request("PUT", &url, &headers, Some(request.as_bytes()));
        let response = response.map_err(|why| why.to_string())?;
        Ok(match response.status {
            200 | 204 => Outcome::Done,
            _ => Outcome::Refused(answer(&response)),
        })
    }

    /// The certificate of a node in PEM; `None`: it has none.
    ///
    /// # Errors
    /// The authority cannot be asked, or its answer is not a certificate of this name: a sentence.
    pub fn certificate(&self, name: &str) -> Result<Option<String>, String> {
        let response = self.send_text("GET", &format!("certificate/{}", url_component(name)))?;
        match response.status {
            404 => Ok(None),
            200 => certificate_of(name, &response.body).map(Some),
            _ => Err(answer(&response)),
        }
    }

    /// Renews the certificate of the identity, whose name is `name`. Returns it in PEM.
    ///
    /// # Errors
    /// The authority cannot be asked, refuses, or its answer is not a certificate of this name: a sentence.
    pub fn renew(&self, name: &str) -> Result<String, String> {
        let response = self.send_text("POST", "certificate_renewal")?;
        match response.status {
            200 => certificate_of(name, &response.body),
            404 => Err("the server renews no certificates".to_owned()),
            _ => Err(answer(&response)),
        }
    }

    fn send_text(&self, method: &str, path: &str) -> Result<HttpResponse, String> {
        let (url, headers) = (format!("{}/{path}", self.url), [("Accept", "text/plain")]);
        let body: Option<&[u8]> = if method == "POST" { Some(b"") } else { None };
        self.client.request(method, &url, &headers, body).map_err(|why| why.to_string())
    }

    fn send(&self, method: &str, path: &str, body: Option<&Value>) -> Result<HttpResponse, String> {
        let headers = [("Accept", "application/json"), ("Content-Type", "application/json")];
        let headers = if body.is_some() { headers.as_slice() } else { headers.get(..1).unwrap_or_default() };
        let body = body.map(ToString::to_string);
        let url = format!("{}/{path}", self.url);
        self.client.request(method, &url, headers, body.as_deref().map(str::as_bytes)).map_err(|why| why.to_string())
    }

    /// Changes the state of a node's certificate; `conflict`: what the status 409 means.
    fn change(
        &self,
        method: &str,
        name: &str,
        body: Option<&Value>,
        conflict: Option<Outcome>,
    ) -> Result<Outcome, String> {
        if !is_certname(name) {
            return Ok(Outcome::Missing);
        }
        let response = self.send(method, &format!("certificate_status/{}", url_component(name)), body)?;
        let refused = || Outcome::Refused(answer(&response));
        Ok(match response.status {
            200 | 204 => Outcome::Done,
            404 => Outcome::Missing,
            409 => conflict.unwrap_or_else(refused),
            _ => refused(),
        })
    }
}

/// A certificate in PEM from a server, which is written to a file: nothing but the certificate of this name.
fn certificate_of(name: &str, body: &[u8]) -> Result<String, String> {
    let unusable = |why: &str| format!("the server's answer is not the certificate of {name}: {why}");
    let certificates = bundle::certificates(body).map_err(|why| unusable(&why))?;
    let Some(certificate) = certificates.first() else { return Err(unusable("it holds none")) };
    if subject_name(&certificate.tbs_certificate.subject).as_deref() != Some(name) {
        return Err(unusable("it has a different name"));
    }
    let der = certificate.to_der().map_err(|why| unusable(&why.to_string()))?;
    pem("CERTIFICATE", &der).map_err(|error| error.to_string())
}

/// A response as a message.
fn answer(response: &HttpResponse) -> String {
    let body = String::from_utf8_lossy(&response.body);
    let (body, status) = (excerpt(body.trim()).into_owned(), response.status);
    if status == 409 { body } else { format!("the server answered {status}: {body}") }
}

impl Operator for RemoteAuthority {
    fn statuses(&self) -> Result<Statuses, String> {
        let response = self.send("GET", "certificate_statuses/any_key", None)?;
        if response.status != 200 {
            return Err(answer(&response));
        }
        let document: Option<Value> = serde_json::from_slice(&response.body).ok();
        match document {
            Some(Value::Array(documents)) => Ok(Statuses { documents, unreadable: Vec::new() }),
            _ => Err("the server's answer is not a list in JSON".to_owned()),
        }
    }

    fn sign(&self, name: &str, ttl: Option<u64>) -> Result<Outcome, String> {
        let body = match ttl {
            Some(ttl) => json!({ "desired_state": "signed", "cert_ttl": ttl }),
            None => json!({ "desired_state": "signed" }),
        };
        self.change("PUT", name, Some(&body), None)
    }

    fn revoke(&self, name: &str) -> Result<Outcome, String> {
        self.change("PUT", name, Some(&json!({ "desired_state": "revoked" })), Some(Outcome::Unsigned))
    }

    fn delete(&self, name: &str) -> Result<Outcome, String> {
        self.change("DELETE", name, None, None)
    }
}
