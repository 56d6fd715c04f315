//! Keys and certificates that the authority makes itself, for nodes that send no request.

use super::Authority;
use super::Refusal;
use super::already;
use super::directory::is_file;
use super::directory::lock;
use crate::config::KeyKind;
use crate::encoding::alternative_name;
use crate::encoding::cli_authorization;
use crate::key;
use crate::key::Key;
use crate::request;

/// A key and its certificate, in PEM.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Generated {
    pub key: String,
    pub public_key: String,
    pub certificate: String,
}

impl Authority {
    /// Creates a key and a certificate. With `is_ca_client`, its owner may manage the authority (`pp_cli_auth`).
    ///
    /// # Errors
    /// The name is invalid, or has a certificate or request already.
    pub fn generate(
        &self,
        name: &str,
        alternative_names: &[String],
        kind: KeyKind,
        is_ca_client: bool,
        ttl: Option<u64>,
    ) -> Result<Generated, Refusal> {
        request::check_name(name, name).map_err(Refusal::Request)?;
        let names: Result<Vec<_>, _> = alternative_names.iter().map(|name| alternative_name(name)).collect();
        let names = names?;
        self.check_new(name)?;
        let key = key::create(kind)?;
        let read = Key::read(key.as_bytes()).map_err(Refusal::Request)?;
        let _changing = self.change_lock.lock();
        let _lock = lock(&self.config.directory)?;
        self.check_new(name)?;
        if is_file(&self.request_path(name)) {
            return Err(already(name, "requested"));
        }
        let authorization = if is_ca_client { vec![cli_authorization()?] } else { Vec::new() };
        let certificate = self.sign(name, read.public()?, names, authorization, ttl)?;
        Ok(Generated { public_key: key::public_pem(&read)?, key, certificate })
    }
}
