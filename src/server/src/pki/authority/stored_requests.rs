//! Signs requests in `requests/` that the autosign policy did not allow when they arrived and allows now.

use std::sync::PoisonError;

use catwalk_world::Disk;
use catwalk_world::World;

use super::Authority;
use super::Refusal;
use super::Request;
use super::is_file;
use super::lock;
use super::read;
use super::request;
use crate::config::Autosign;

impl Authority {
    /// Signs the requests in `requests/` that the autosign policy allows. Returns the nodes whose requests were signed or refused. Stops
    /// after the first node for which the authority fails.
    pub(crate) fn sign_stored_requests(&self) -> Vec<(String, Result<(), Refusal>)> {
        let mut results = Vec::new();
        if self.config.autosign == Autosign::None {
            return results;
        }
        let listed = Disk::new().list(&self.path("requests"));
        let entries = listed.iter().flat_map(|entries| entries.iter());
        for name in entries.filter_map(|entry| entry.name.strip_suffix(".pem")) {
            let signed = match self.config.autosign.allows(name) && request::is_file_name(name) {
                true => self.sign_stored_request(name),
                false => continue,
            };
            let is_failed = matches!(signed, Err(Refusal::Authority(_)));
            results.extend(signed.transpose().map(|signed| (name.to_owned(), signed)));
            if is_failed {
                break;
            }
        }
        results
    }

    /// Signs the request of a node in `requests/`. `None`: another process has signed or removed it, or the node has a certificate.
    fn sign_stored_request(&self, name: &str) -> Result<Option<()>, Refusal> {
        let _changing = self.change_lock.lock().unwrap_or_else(PoisonError::into_inner);
        let _lock = lock(&self.config.directory)?;
        if is_file(&self.certificate_path(name)) || !is_file(&self.request_path(name)) {
            return Ok(None);
        }
        let stored = Request::read(&read(&self.request_path(name))?).map_err(Refusal::Request)?;
        self.sign_request(name, &stored).map(|_| Some(()))
    }
}
