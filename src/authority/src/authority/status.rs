//! The state of certificates and requests, as `certificate_status` returns it.

use std::collections::BTreeSet;

use cms::cert::x509::Certificate;
use cms::cert::x509::crl::CertificateList;
use cms::cert::x509::der::Encode;
use cms::cert::x509::ext::Extension;
use cms::cert::x509::name::Name;
use cms::cert::x509::serial_number::SerialNumber;
use serde_json::Value;
use serde_json::json;
use sha1::Sha1;
use sha2::Digest;
use sha2::Sha256;
use sha2::Sha512;

use super::Authority;
use super::directory::names_in;
use super::directory::read_if_present;
use super::revocation::next_update;
use crate::bundle;
use crate::config::AuthorityError;
use crate::encoding::failed;
use crate::encoding::utc;
use crate::request;
use crate::request::Request;

/// The state of a certificate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    Requested,
    Signed,
    Revoked,
}

impl State {
    /// The state with a name of the API.
    #[must_use]
    pub fn named(name: &str) -> Option<State> {
        [State::Requested, State::Signed, State::Revoked].into_iter().find(|state| state.name() == name)
    }

    /// Its name in the API.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            State::Requested => "requested",
            State::Signed => "signed",
            State::Revoked => "revoked",
        }
    }
}

/// A certificate or request and its state.
#[derive(Clone, Debug, PartialEq)]
pub struct CertificateStatus {
    pub name: String,
    pub state: State,
    /// The document of the API.
    pub document: Value,
}

/// When certificates and revocation lists of the authorities expire, by common name.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Expirations {
    pub certificates: Vec<(String, String)>,
    pub crls: Vec<(String, String)>,
}

impl Authority {
    /// The certificate of a node, or its request if it has no certificate. `None`: it has neither.
    ///
    /// # Errors
    /// A file cannot be read.
    pub fn status(&self, name: &str) -> Result<Option<CertificateStatus>, AuthorityError> {
        if !request::is_certname(name) {
            return Ok(None);
        }
        match self.signed_certificate(name)? {
            Some(certificate) => certificate_status(name, &certificate, &self.revoked_serials()?).map(Some),
            None => self.requested(name),
        }
    }

    /// All requests and certificates, or those in one state. Files that cannot be read are left out and named second.
    ///
    /// # Errors
    /// The revocation list cannot be read.
    pub fn statuses(
        &self,
        state: Option<State>,
    ) -> Result<(Vec<CertificateStatus>, Vec<AuthorityError>), AuthorityError> {
        let (mut found, mut unreadable) = (Vec::new(), Vec::new());
        let mut add = |status: Result<Option<CertificateStatus>, AuthorityError>| match status {
            Ok(status) => found.extend(status.filter(|status| state.is_none_or(|state| status.state == state))),
            Err(why) => unreadable.push(why),
        };
        if matches!(state, None | Some(State::Requested)) {
            for name in names_in(&self.path("requests")) {
                add(self.requested(&name));
            }
        }
        if state != Some(State::Requested) {
            let revoked = self.revoked_serials()?;
            for name in names_in(&self.path("signed")) {
                let certificate = self.signed_certificate(&name);
                add(certificate.and_then(|one| one.map(|one| certificate_status(&name, &one, &revoked)).transpose()));
            }
        }
        Ok((found, unreadable))
    }

    fn requested(&self, name: &str) -> Result<Option<CertificateStatus>, AuthorityError> {
        let path = self.request_path(name);
        if !request::is_certname(name) {
            return Ok(None);
        }
        let Some(pem) = read_if_present(&path)? else { return Ok(None) };
        let request = Request::read(&pem).map_err(|why| AuthorityError(format!("{}: {why}", path.display())))?;
        let document = document(name, State::Requested, request.der(), request.extensions())?;
        Ok(Some(CertificateStatus { name: name.to_owned(), state: State::Requested, document }))
    }

    /// The state of a node's certificate; `None`: it has none.
    pub(super) fn certificate_state(&self, name: &str) -> Result<Option<State>, AuthorityError> {
        let Some(certificate) = self.signed_certificate(name)? else { return Ok(None) };
        let is_revoked = self.revoked_serials()?.contains(certificate.tbs_certificate.serial_number.as_bytes());
        Ok(Some(if is_revoked { State::Revoked } else { State::Signed }))
    }

    pub(super) fn revoked_serials(&self) -> Result<BTreeSet<Vec<u8>>, AuthorityError> {
        let (own, _) = self.revocation_lists()?;
        let revoked = own.and_then(|list| list.tbs_cert_list.revoked_certificates).unwrap_or_default();
        Ok(revoked.into_iter().map(|one| one.serial_number.as_bytes().to_vec()).collect())
    }

    /// When the certificates of the authorities and their revocation lists expire.
    ///
    /// # Errors
    /// A file cannot be read.
    pub fn expirations(&self) -> Result<Expirations, AuthorityError> {
        let path = self.path("ca_crt.pem");
        let bytes = read_if_present(&path)?.unwrap_or_default();
        let certificates = bundle::certificates(&bytes);
        let certificates = certificates.map_err(|why| AuthorityError(format!("{}: {why}", path.display())))?;
        let (own, others) = self.revocation_lists()?;
        let name = |subject: &Name| request::subject_name(subject).unwrap_or_default();
        let certificate =
            |one: &Certificate| (name(&one.tbs_certificate.subject), utc(one.tbs_certificate.validity.not_after));
        let crl = |list: &CertificateList| (name(&list.tbs_cert_list.issuer), next_update(list));
        Ok(Expirations {
            certificates: certificates.iter().map(certificate).collect(),
            crls: own.iter().chain(&others).map(crl).collect(),
        })
    }
}

fn certificate_status(
    name: &str,
    certificate: &Certificate,
    revoked: &BTreeSet<Vec<u8>>,
) -> Result<CertificateStatus, AuthorityError> {
    let parts = &certificate.tbs_certificate;
    let state = if revoked.contains(parts.serial_number.as_bytes()) { State::Revoked } else { State::Signed };
    let der = certificate.to_der().map_err(failed)?;
    let mut document = document(name, state, &der, parts.extensions.as_deref().unwrap_or_default())?;
    if let Some(fields) = document.as_object_mut() {
        fields.insert("not_before".to_owned(), json!(utc(parts.validity.not_before)));
        fields.insert("not_after".to_owned(), json!(utc(parts.validity.not_after)));
        fields.insert("serial_number".to_owned(), serial(&parts.serial_number));
    }
    Ok(CertificateStatus { name: name.to_owned(), state, document })
}

/// A serial number as JSON: those of other authorities may be too large for a number.
fn serial(serial: &SerialNumber) -> Value {
    let bytes = serial.as_bytes();
    match bytes.len() <= 8 {
        true => json!(bytes.iter().fold(0_u64, |sum, byte| (sum << 8) | u64::from(*byte))),
        false => json!(bytes.iter().map(|byte| format!("{byte:02X}")).collect::<String>()),
    }
}

fn document(name: &str, state: State, der: &[u8], extensions: &[Extension]) -> Result<Value, AuthorityError> {
    let names = request::alternative_names(extensions).map_err(|why| AuthorityError(format!("{name}: {why}")))?;
    let authorization: serde_json::Map<String, Value> =
        request::authorization_extensions(extensions).into_iter().map(|(name, value)| (name, json!(value))).collect();
    let sha256 = request::hexadecimal(&Sha256::digest(der));
    Ok(json!({
        "name": name,
        "state": state.name(),
        "dns_alt_names": names.dns_strings(),
        "subject_alt_names": names.to_strings(),
        "authorization_extensions": authorization,
        "fingerprint": sha256,
        "fingerprints": {
            "SHA1": request::hexadecimal(&Sha1::digest(der)),
            "SHA256": sha256,
            "SHA512": request::hexadecimal(&Sha512::digest(der)),
            "default": sha256,
        },
    }))
}
