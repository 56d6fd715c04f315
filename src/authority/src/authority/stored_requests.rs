//! Requests that wait in `requests/`: signs those that the autosign policy allows now, limits their number.

use super::Authority;
use super::Refusal;
use super::Request;
use super::State;
use super::directory::lock;
use super::directory::names_in;
use super::directory::read_if_present;
use super::request;
use crate::config::AuthorityError;

/// The outcome of signing several requests, by certname.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SignedNames {
    pub signed: Vec<String>,
    /// Names without a request.
    pub missing: Vec<String>,
    /// Names whose requests are not signed, and why.
    pub refused: Vec<(String, String)>,
}

impl Authority {
    /// Signs the requests in `requests/` that the autosign policy allows. Returns the nodes whose requests were signed or refused. Stops
    /// after the first node for which the authority fails.
    #[must_use]
    pub fn sign_stored_requests(&self) -> Vec<(String, Result<(), Refusal>)> {
        let mut results = Vec::new();
        if self.config.autosign.is_none() {
            return results;
        }
        for name in names_in(&self.path("requests")).into_iter().filter(|name| request::is_certname(name)) {
            let signed = self.sign_allowed_request(&name);
            let is_failed = matches!(signed, Err(Refusal::Authority(_)));
            results.extend(signed.transpose().map(|signed| (name.clone(), signed)));
            if is_failed {
                break;
            }
        }
        results
    }

    /// Signs the request of a node if the policy allows it.
    fn sign_allowed_request(&self, name: &str) -> Result<Option<()>, Refusal> {
        let Some(stored) = self.stored_request(name)? else { return Ok(None) };
        // The name of the file decides: a request with a different name is refused, and reported.
        match stored {
            Ok(stored) => {
                let summary = request::RequestSummary { certname: name.to_owned(), ..stored.summary()? };
                let is_signed = self.config.autosign.decide(&summary).is_signed;
                if is_signed { self.sign_stored_request(name, None, Some(stored.der())) } else { Ok(None) }
            }
            Err(why) => {
                let summary = request::RequestSummary { certname: name.to_owned(), ..Default::default() };
                if self.config.autosign.decide_by_name(&summary) { Err(Refusal::Request(why)) } else { Ok(None) }
            }
        }
    }

    /// Signs the waiting request of a node, whatever the autosign policy is. `ttl`: how long the certificate is valid, in seconds, if not
    /// as long as usual.
    ///
    /// # Errors
    /// There is no such request, or it must not be signed.
    pub fn sign_named(&self, name: &str, ttl: Option<u64>) -> Result<(), Refusal> {
        let missing =
            || Refusal::Missing(format!("Cannot sign certificate for host {name} without a certificate request"));
        match request::is_certname(name) {
            true => self.sign_stored_request(name, ttl, None)?.ok_or_else(missing),
            false => Err(missing()),
        }
    }

    /// Signs the waiting requests of nodes; `None`: all that wait.
    ///
    /// # Errors
    /// The authority failed.
    pub fn sign_several(&self, names: Option<&[String]>, ttl: Option<u64>) -> Result<SignedNames, AuthorityError> {
        let waiting = names_in(&self.path("requests"));
        let mut results = SignedNames::default();
        for name in names.unwrap_or(&waiting) {
            match self.sign_named(name, ttl) {
                Ok(()) => results.signed.push(name.clone()),
                Err(Refusal::Missing(_)) => results.missing.push(name.clone()),
                Err(Refusal::Request(why)) => results.refused.push((name.clone(), why)),
                Err(Refusal::Full(_)) => results.refused.push((name.clone(), "too many requests wait".to_owned())),
                Err(Refusal::Authority(error)) => return Err(error),
            }
        }
        Ok(results)
    }

    /// Whether `requests/` has room for another request. They are counted again when there seem to be too many, since the operator may have signed or
    /// removed some.
    pub(super) fn has_room(&self, stored: &mut usize) -> bool {
        if *stored >= self.max_waiting {
            *stored = names_in(&self.path("requests")).len();
        }
        *stored < self.max_waiting
    }

    /// The request of a node in `requests/`; `None`: it has none, or a certificate.
    fn stored_request(&self, name: &str) -> Result<Option<Result<Request, String>>, AuthorityError> {
        if matches!(self.certificate_state(name)?, Some(State::Signed | State::Revoked)) {
            return Ok(None);
        }
        Ok(read_if_present(&self.request_path(name))?.map(|pem| Request::read(&pem)))
    }

    /// Signs the request of a node in `requests/`. `None`: another process has signed, replaced or removed it, or the node has a
    /// certificate. `decided`: the request in DER that a policy has decided about.
    fn sign_stored_request(&self, name: &str, ttl: Option<u64>, decided: Option<&[u8]>) -> Result<Option<()>, Refusal> {
        let _changing = self.change_lock.lock();
        let _lock = lock(&self.config.directory)?;
        let Some(stored) = self.stored_request(name)? else { return Ok(None) };
        let stored = stored.map_err(Refusal::Request)?;
        if decided.is_some_and(|decided| decided != stored.der()) {
            return Ok(None);
        }
        self.sign_request(name, &stored, ttl).map(|_| Some(()))
    }
}
