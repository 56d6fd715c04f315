//! Requests that wait in `requests/`: signs those that the autosign policy allows now, limits their number.

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
use crate::config::ServerError;

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

    /// Signs the waiting request of a node, whatever the autosign policy is.
    pub(crate) fn sign_named_request(&self, name: &str) -> Result<(), ServerError> {
        let signed = match request::is_file_name(name) {
            true => self.sign_stored_request(name),
            false => Ok(None),
        };
        match signed {
            Ok(Some(())) => Ok(()),
            Ok(None) if self.certificate(name).is_some() => {
                Err(ServerError(format!("{name} has a certificate already")))
            }
            Ok(None) => Err(ServerError(format!(
                "no certificate request of {name} waits in {}",
                self.path("requests").display()
            ))),
            Err(Refusal::Request(why)) => Err(ServerError(format!("the request of {name} is not signed: {why}"))),
            Err(Refusal::Full(_)) => Err(ServerError(format!("the request of {name} is not signed"))),
            Err(Refusal::Authority(error)) => Err(error),
        }
    }

    /// Whether `requests/` has room for another request. They are counted again when there seem to be too many, since the operator may have signed or
    /// removed some.
    pub(super) fn has_room(&self, stored: &mut usize) -> bool {
        if *stored >= self.max_waiting {
            let listed = Disk::new().list(&self.path("requests"));
            *stored = listed.map_or(0, |entries| entries.iter().filter(|entry| entry.name.ends_with(".pem")).count());
        }
        *stored < self.max_waiting
    }

    /// Signs the request of a node in `requests/`. `None`: another process has signed or removed it, or the node has a certificate.
    fn sign_stored_request(&self, name: &str) -> Result<Option<()>, Refusal> {
        let _changing = self.change_lock.lock();
        let _lock = lock(&self.config.directory)?;
        if is_file(&self.certificate_path(name)) || !is_file(&self.request_path(name)) {
            return Ok(None);
        }
        let stored = Request::read(&read(&self.request_path(name))?).map_err(Refusal::Request)?;
        self.sign_request(name, &stored).map(|_| Some(()))
    }
}
