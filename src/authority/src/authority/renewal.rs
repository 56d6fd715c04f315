//! New dates for certificates, the authority's own and revocation lists.

use std::time::Duration;

use catwalk_world::output::Kind;
use cms::cert::x509::Certificate;
use cms::cert::x509::crl::CertificateList;
use cms::cert::x509::der::Decode;
use cms::cert::x509::der::Encode;
use cms::cert::x509::ext::Extension;

use super::Authority;
use super::Refusal;
use super::creation::RENEWAL;
use super::creation::encode_lists;
use super::directory::lock;
use super::directory::read;
use super::directory::read_if_present;
use super::revocation::crl_number;
use crate::bundle;
use crate::config::AuthorityError;
use crate::config::TTL;
use crate::encoding::Issuer;
use crate::encoding::failed;
use crate::encoding::now;
use crate::encoding::pem;
use crate::encoding::utc;
use crate::key::Key;
use crate::request;

impl Authority {
    /// Replaces the CRL of this authority if it is missing or expires soon, and that of a root whose key is in the directory.
    ///
    /// # Errors
    /// A list cannot be read or written.
    pub fn renew_crl(&self) -> Result<(), AuthorityError> {
        let _changing = self.change_lock.lock();
        let _lock = lock(&self.config.directory)?;
        self.renew_crl_locked(RENEWAL).map(drop)
    }

    /// Replaces the CRL of this authority by one with the next number, and that of a root whose key is in the directory. Returns the names
    /// of the authorities whose lists were replaced.
    ///
    /// # Errors
    /// A list cannot be read or written.
    pub fn replace_crl(&self) -> Result<Vec<String>, AuthorityError> {
        let _changing = self.change_lock.lock();
        let _lock = lock(&self.config.directory)?;
        self.renew_crl_locked(u64::MAX)
    }

    /// Replaces the CRLs that expire within a number of seconds and whose keys are in the directory. Returns the names of their authorities.
    pub(super) fn renew_crl_locked(&self, within: u64) -> Result<Vec<String>, AuthorityError> {
        let (own, others) = self.revocation_lists()?;
        let is_due = |list: &CertificateList| {
            let until = list.tbs_cert_list.next_update.map_or(0, |time| time.to_unix_duration().as_secs());
            until <= now().saturating_add(within)
        };
        let is_root_due = others.iter().any(is_due);
        let mut renewed = Vec::new();
        // First: it must not expire because a file of the root is broken.
        if own.as_ref().is_none_or(is_due) {
            self.write_next_crl(own, |revoked| revoked, others)?;
            renewed.push(request::subject_name(&self.certificate.tbs_certificate.subject).unwrap_or_default());
        }
        if is_root_due {
            renewed.extend(self.renew_crls_of_roots(is_due)?);
        }
        Ok(renewed)
    }

    /// Replaces the CRLs of roots that are due and whose key is in the directory. Returns the names of the roots.
    fn renew_crls_of_roots(&self, is_due: impl Fn(&CertificateList) -> bool) -> Result<Vec<String>, AuthorityError> {
        let Some(root_key) = self.root_key()? else { return Ok(Vec::new()) };
        let bundle = self.bundle()?;
        let (own, mut others) = self.revocation_lists()?;
        let mut renewed = Vec::new();
        for list in others.iter_mut().filter(|list| is_due(list)) {
            let Some(next) = next_of_root(list, &bundle, &root_key)? else { continue };
            *list = next;
            renewed.push(request::subject_name(&list.tbs_cert_list.issuer).unwrap_or_default());
        }
        if !renewed.is_empty() {
            let lists: Vec<CertificateList> = own.into_iter().chain(others).collect();
            self.write("ca_crl.pem", Kind::Certificate, &encode_lists(&lists)?)?;
        }
        Ok(renewed)
    }

    /// The key of a root, if it is in the directory.
    fn root_key(&self) -> Result<Option<Key>, AuthorityError> {
        let path = self.path("root_key.pem");
        let unusable = |why| AuthorityError(format!("{}: {why}", path.display()));
        read_if_present(&path)?.map(|pem| Key::read(&pem).map_err(unusable)).transpose()
    }

    /// The certificates of the authorities.
    fn bundle(&self) -> Result<Vec<Certificate>, AuthorityError> {
        let path = self.path("ca_crt.pem");
        let bundle = bundle::certificates(&read(&path)?);
        bundle.map_err(|why| AuthorityError(format!("{}: {why}", path.display())))
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
        let (bundle, root_key) = (self.bundle()?, self.root_key()?);
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
            let path = self.path("ca_crt.pem");
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

/// The next list of a root with this key, with the same entries: it is valid as long as the root, like the first one. `None`: the list is not
/// one of this key.
fn next_of_root(
    list: &CertificateList,
    bundle: &[Certificate],
    key: &Key,
) -> Result<Option<CertificateList>, AuthorityError> {
    let public = key.public()?;
    let is_issuer = |one: &&Certificate| {
        let parts = &one.tbs_certificate;
        parts.subject == list.tbs_cert_list.issuer && parts.subject_public_key_info == public
    };
    let Some(root) = bundle.iter().find(is_issuer) else { return Ok(None) };
    let end = root.tbs_certificate.validity.not_after.to_unix_duration().as_secs();
    let ttl = Duration::from_secs(end.saturating_sub(now())).max(TTL);
    let entries = list.tbs_cert_list.revoked_certificates.clone().unwrap_or_default();
    Issuer::of(root, key)?.revocation_list(crl_number(list).saturating_add(1), entries, ttl).map(Some)
}
