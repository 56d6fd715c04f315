//! New dates for certificates, the authority's own and revocation lists.

use catwalk_world::output::Kind;
use cms::cert::x509::Certificate;
use cms::cert::x509::der::Decode;
use cms::cert::x509::der::Encode;
use cms::cert::x509::ext::Extension;

use super::Authority;
use super::Refusal;
use super::creation::RENEWAL;
use super::directory::lock;
use super::directory::read;
use super::directory::read_if_present;
use crate::bundle;
use crate::config::AuthorityError;
use crate::encoding::Issuer;
use crate::encoding::failed;
use crate::encoding::now;
use crate::encoding::pem;
use crate::encoding::utc;
use crate::key::Key;
use crate::request;

impl Authority {
    /// Replaces the CRL of this authority if it is missing or expires soon.
    ///
    /// # Errors
    /// It cannot be read or written.
    pub fn renew_crl(&self) -> Result<(), AuthorityError> {
        let _changing = self.change_lock.lock();
        let _lock = lock(&self.config.directory)?;
        self.renew_crl_locked(RENEWAL)
    }

    /// Replaces the CRL of this authority by one with the next number.
    ///
    /// # Errors
    /// It cannot be read or written.
    pub fn replace_crl(&self) -> Result<(), AuthorityError> {
        let _changing = self.change_lock.lock();
        let _lock = lock(&self.config.directory)?;
        self.renew_crl_locked(u64::MAX)
    }

    /// Replaces the CRL if it expires within a number of seconds.
    pub(super) fn renew_crl_locked(&self, within: u64) -> Result<(), AuthorityError> {
        let (own, others) = self.revocation_lists()?;
        let next_update = own.as_ref().and_then(|list| list.tbs_cert_list.next_update);
        let until = next_update.map_or(0, |time| time.to_unix_duration().as_secs());
        if until > now().saturating_add(within) {
            return Ok(());
        }
        self.write_next_crl(own, |revoked| revoked, others)
    }

    /// Renews a certificate of this authority that TLS has verified: a certificate with a new serial number and new dates. Returns it
    /// in PEM.
    ///
    /// # Errors
    /// The certificate is not one of this authority, or the authority failed.
    pub fn renew(&self, der: &[u8]) -> Result<Vec<u8>, Refusal> {
        let old =
            Certificate::from_der(der).map_err(|_| Refusal::Request("The certificate cannot be read".to_owned()))?;
        self.renew_certificate(old)
    }

    /// Renews the certificate of a node in `signed/`, for the same key. Returns it in PEM.
    ///
    /// # Errors
    /// The node has no certificate, or it is revoked.
    pub fn renew_named(&self, name: &str) -> Result<Vec<u8>, Refusal> {
        let missing = || Refusal::Missing(format!("Could not find certificate for {name}"));
        let old = self.signed_certificate(name)?.ok_or_else(missing)?;
        if self.certificate_state(name)? == Some(super::State::Revoked) {
            return Err(Refusal::Request(format!("The certificate of {name} is revoked")));
        }
        self.renew_certificate(old)
    }

    fn renew_certificate(&self, old: Certificate) -> Result<Vec<u8>, Refusal> {
        if old.tbs_certificate.issuer != self.certificate.tbs_certificate.subject {
            return Err(Refusal::Request("Certificate present, but does not match signature".to_owned()));
        }
        let parts = old.tbs_certificate;
        let name = request::subject_name(&parts.subject).unwrap_or_default();
        request::check_name(&name, &name).map_err(Refusal::Request)?;
        let extensions = parts.extensions.unwrap_or_default();
        let names = request::general_names(&extensions).map_err(Refusal::Request)?;
        let node_extensions: Vec<Extension> = extensions.into_iter().filter(request::is_node_extension).collect();
        let _changing = self.change_lock.lock();
        let _lock = lock(&self.config.directory)?;
        // It may have been revoked while this request waited for the lock.
        if self.revoked_serials()?.contains(parts.serial_number.as_bytes()) {
            return Err(Refusal::Request(format!("The certificate of {name} is revoked")));
        }
        Ok(self.sign(&name, parts.subject_public_key_info, names, node_extensions, None)?.into_bytes())
    }

    /// Renews the certificates of the authority whose keys are in the directory: `ca_key.pem`, and `root_key.pem` of a root. Names and keys
    /// stay, so certificates of nodes remain valid. Returns the names and the new ends.
    ///
    /// # Errors
    /// The key of the authority that has signed this one's certificate is not in the directory.
    pub fn renew_authority(&self) -> Result<Vec<(String, String)>, AuthorityError> {
        let _changing = self.change_lock.lock();
        let _lock = lock(&self.config.directory)?;
        let path = self.path("ca_crt.pem");
        let bundle = bundle::certificates(&read(&path)?);
        let bundle = bundle.map_err(|why| AuthorityError(format!("{}: {why}", path.display())))?;
        let root_key = match read_if_present(&self.path("root_key.pem"))? {
            Some(pem) => Some(Key::read(&pem).map_err(|why| AuthorityError(format!("root_key.pem: {why}")))?),
            None => None,
        };
        let keys: Vec<&Key> = std::iter::once(&self.key).chain(&root_key).collect();
        let (mut text, mut renewed) = (String::new(), Vec::new());
        for certificate in &bundle {
            let issuer =
                bundle.iter().find(|issuer| issuer.tbs_certificate.subject == certificate.tbs_certificate.issuer);
            let new = match issuer {
                Some(issuer) => self.with_new_dates(certificate, issuer, &keys)?,
                None => None,
            };
            if let Some(new) = &new {
                let name = request::subject_name(&new.tbs_certificate.subject).unwrap_or_default();
                renewed.push((name, utc(new.tbs_certificate.validity.not_after)));
            }
            text.push_str(&pem("CERTIFICATE", &new.as_ref().unwrap_or(certificate).to_der().map_err(failed)?)?);
        }
        let own = request::subject_name(&self.certificate.tbs_certificate.subject).unwrap_or_default();
        if !renewed.iter().any(|(name, _)| *name == own) {
            let issuer = &self.certificate.tbs_certificate.issuer;
            let text =
                format!("the key of {issuer}, which has signed the certificate of {own}, is not in the directory");
            return Err(AuthorityError(format!(
                "{text}: have it renewed there, then replace it in {}",
                path.display()
            )));
        }
        self.write("ca_crt.pem", Kind::Certificate, &text)?;
        Ok(renewed)
    }

    /// A certificate of an authority with new dates. `None`: the key of its issuer is not one of these.
    fn with_new_dates(
        &self,
        certificate: &Certificate,
        issuer: &Certificate,
        keys: &[&Key],
    ) -> Result<Option<Certificate>, AuthorityError> {
        for key in keys {
            if key.public()? != issuer.tbs_certificate.subject_public_key_info {
                continue;
            }
            let issuer = Issuer::of(issuer, key)?;
            return issuer.with_new_dates(&certificate.tbs_certificate, self.config.ttl).map(Some);
        }
        Ok(None)
    }
}
