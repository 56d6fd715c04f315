//! Certificates and CRLs with the same content as those of puppetserver.
//!
//! Source of the extensions: `create-ca-extensions`, `create-agent-extensions`, `create-master-extensions` in puppetserver's
//! `certificate_authority.clj`.
//!
//! Without a library: the builder of `x509-cert` needs keys of the crate `signature`, where these are keys of `ring`, and makes no CRLs.
//! `rcgen` never marks the extended key usage as critical and writes the extensions in its own order.

use std::time::Duration;

use cms::cert::x509::Certificate;
use cms::cert::x509::TbsCertificate;
use cms::cert::x509::Version;
use cms::cert::x509::attr::AttributeTypeAndValue;
use cms::cert::x509::crl::CertificateList;
use cms::cert::x509::crl::RevokedCert;
use cms::cert::x509::crl::TbsCertList;
use cms::cert::x509::der;
use cms::cert::x509::der::Any;
use cms::cert::x509::der::Decode;
use cms::cert::x509::der::Encode;
use cms::cert::x509::der::Tag;
use cms::cert::x509::der::asn1::BitString;
use cms::cert::x509::der::asn1::GeneralizedTime;
use cms::cert::x509::der::asn1::Ia5String;
use cms::cert::x509::der::asn1::ObjectIdentifier;
use cms::cert::x509::der::asn1::OctetString;
use cms::cert::x509::der::asn1::SetOfVec;
use cms::cert::x509::der::asn1::Uint;
use cms::cert::x509::der::asn1::UtcTime;
use cms::cert::x509::ext::Extension;
use cms::cert::x509::ext::pkix::AuthorityKeyIdentifier;
use cms::cert::x509::ext::pkix::BasicConstraints;
use cms::cert::x509::ext::pkix::CrlReason;
use cms::cert::x509::ext::pkix::ExtendedKeyUsage;
use cms::cert::x509::ext::pkix::KeyUsage;
use cms::cert::x509::ext::pkix::KeyUsages;
use cms::cert::x509::ext::pkix::SubjectAltName;
use cms::cert::x509::ext::pkix::name::GeneralName;
use cms::cert::x509::name::Name;
use cms::cert::x509::name::RdnSequence;
use cms::cert::x509::name::RelativeDistinguishedName;
use cms::cert::x509::serial_number::SerialNumber;
use cms::cert::x509::spki::SubjectPublicKeyInfoOwned;
use cms::cert::x509::time::Time;
use cms::cert::x509::time::Validity;
use sha1::Digest;

use crate::config::AuthorityError;
use crate::key::Key;

/// Certificates are valid from a day before they are signed, for nodes with a slow clock.
const BACKDATING: Duration = Duration::from_secs(24 * 3600);
/// The first second that a `UTCTime` cannot represent.
const YEAR_2050: u64 = 2_524_608_000;

pub(crate) const SUBJECT_ALT_NAME: ObjectIdentifier = ObjectIdentifier::new_unwrap("2.5.29.17");
const KEY_USAGE: ObjectIdentifier = ObjectIdentifier::new_unwrap("2.5.29.15");
const EXTENDED_KEY_USAGE: ObjectIdentifier = ObjectIdentifier::new_unwrap("2.5.29.37");
const BASIC_CONSTRAINTS: ObjectIdentifier = ObjectIdentifier::new_unwrap("2.5.29.19");
const SUBJECT_KEY_IDENTIFIER: ObjectIdentifier = ObjectIdentifier::new_unwrap("2.5.29.14");
const AUTHORITY_KEY_IDENTIFIER: ObjectIdentifier = ObjectIdentifier::new_unwrap("2.5.29.35");
const CRL_REASON: ObjectIdentifier = ObjectIdentifier::new_unwrap("2.5.29.21");
const CRL_NUMBER: ObjectIdentifier = ObjectIdentifier::new_unwrap("2.5.29.20");
const NETSCAPE_COMMENT: ObjectIdentifier = ObjectIdentifier::new_unwrap("2.16.840.1.113730.1.13");
const SERVER_AUTHENTICATION: ObjectIdentifier = ObjectIdentifier::new_unwrap("1.3.6.1.5.5.7.3.1");
const CLIENT_AUTHENTICATION: ObjectIdentifier = ObjectIdentifier::new_unwrap("1.3.6.1.5.5.7.3.2");
const COMMON_NAME: ObjectIdentifier = ObjectIdentifier::new_unwrap("2.5.4.3");
/// `pp_cli_auth` allows the owner of a certificate to manage the authority. Only the server's own certificate has it.
const CLI_AUTHORIZATION: ObjectIdentifier = ObjectIdentifier::new_unwrap("1.3.6.1.4.1.34380.1.3.39");

/// An encoding error. No request can cause one, but it must not panic.
pub(crate) fn failed(why: der::Error) -> AuthorityError {
    AuthorityError(format!("a certificate cannot be encoded: {why}"))
}

/// Encodes bytes as PEM.
///
/// # Errors
/// The label is not one of PEM.
pub fn pem(label: &str, bytes: &[u8]) -> Result<String, AuthorityError> {
    der::pem::encode_string(label, der::pem::LineEnding::LF, bytes)
        .map_err(|why| AuthorityError(format!("a {label} cannot be encoded: {why}")))
}

/// A distinguished name that consists of a common name.
///
/// # Errors
/// The name is too long.
pub fn common_name(name: &str) -> Result<Name, AuthorityError> {
    let value = Any::new(Tag::Utf8String, name.as_bytes()).map_err(failed)?;
    let mut part = SetOfVec::new();
    part.insert(AttributeTypeAndValue { oid: COMMON_NAME, value }).map_err(failed)?;
    Ok(RdnSequence(vec![RelativeDistinguishedName(part)]))
}

/// A point in time, in seconds since 1970.
fn time(seconds: u64) -> Result<Time, AuthorityError> {
    let since = Duration::from_secs(seconds);
    match seconds < YEAR_2050 {
        true => UtcTime::from_unix_duration(since).map(Time::UtcTime).map_err(failed),
        false => GeneralizedTime::from_unix_duration(since).map(Time::GeneralTime).map_err(failed),
    }
}

/// A point in time as Puppet writes it in its inventory.
pub(crate) fn utc(time: Time) -> String {
    let seconds = i64::try_from(time.to_unix_duration().as_secs()).unwrap_or(i64::MAX);
    let time = jiff::Timestamp::from_second(seconds);
    time.map(|time| time.strftime("%Y-%m-%dT%H:%M:%SUTC").to_string()).unwrap_or_default()
}

/// The current time in seconds since 1970.
#[must_use]
pub fn now() -> u64 {
    u64::try_from(jiff::Timestamp::now().as_second()).unwrap_or_default()
}

/// An extension of a certificate or CRL.
fn extension(id: ObjectIdentifier, critical: bool, value: &impl Encode) -> Result<Extension, AuthorityError> {
    let bytes = value.to_der().map_err(failed)?;
    Ok(Extension { extn_id: id, critical, extn_value: OctetString::new(bytes).map_err(failed)? })
}

/// The extension with the alternative names of a certificate or request.
pub(crate) fn alternative_names_extension(names: Vec<GeneralName>) -> Result<Extension, AuthorityError> {
    extension(SUBJECT_ALT_NAME, false, &SubjectAltName(names))
}

/// The identifier of a public key: SHA-1 of its bits (RFC 5280, 4.2.1.2, method 1).
pub(crate) fn key_identifier(public: &SubjectPublicKeyInfoOwned) -> Result<OctetString, AuthorityError> {
    OctetString::new(sha1::Sha1::digest(public.subject_public_key.raw_bytes()).to_vec()).map_err(failed)
}

fn authority_key_identifier(identifier: &OctetString) -> Result<Extension, AuthorityError> {
    let identifier = AuthorityKeyIdentifier {
        key_identifier: Some(identifier.clone()),
        authority_cert_issuer: None,
        authority_cert_serial_number: None,
    };
    extension(AUTHORITY_KEY_IDENTIFIER, false, &identifier)
}

fn comment() -> Result<Extension, AuthorityError> {
    let comment = Ia5String::new("Puppet Server Internal Certificate").map_err(failed)?;
    extension(NETSCAPE_COMMENT, false, &comment)
}

/// Signs certificates and CRLs.
pub(crate) struct Issuer<'a> {
    pub(crate) name: Name,
    /// The identifier of the issuer's key, as its certificate has it.
    pub(crate) identifier: OctetString,
    pub(crate) key: &'a Key,
}

/// The content of a new certificate.
pub(crate) struct Content {
    pub(crate) serial: u64,
    pub(crate) subject: Name,
    pub(crate) public: SubjectPublicKeyInfoOwned,
    pub(crate) extensions: Vec<Extension>,
    /// The end of the certificate's validity, in seconds since 1970.
    pub(crate) not_after: u64,
}

impl<'a> Issuer<'a> {
    /// The owner of a certificate as an issuer.
    pub(crate) fn of(certificate: &Certificate, key: &'a Key) -> Result<Issuer<'a>, AuthorityError> {
        let parts = &certificate.tbs_certificate;
        let mut extensions = parts.extensions.iter().flatten();
        let written = extensions.find(|extension| extension.extn_id == SUBJECT_KEY_IDENTIFIER);
        let identifier = match written.and_then(|found| OctetString::from_der(found.extn_value.as_bytes()).ok()) {
            Some(identifier) => identifier,
            None => key_identifier(&parts.subject_public_key_info)?,
        };
        Ok(Issuer { name: parts.subject.clone(), identifier, key })
    }

    /// The certificate of an authority that this issuer signs: of itself, or of an intermediate one.
    pub(crate) fn authority_certificate(
        &self,
        serial: u64,
        subject: Name,
        public: SubjectPublicKeyInfoOwned,
        ttl: Duration,
    ) -> Result<Certificate, AuthorityError> {
        let usage = KeyUsage(KeyUsages::KeyCertSign | KeyUsages::CRLSign);
        let extensions = vec![
            comment()?,
            authority_key_identifier(&self.identifier)?,
            extension(BASIC_CONSTRAINTS, true, &BasicConstraints { ca: true, path_len_constraint: None })?,
            extension(KEY_USAGE, true, &usage)?,
            extension(SUBJECT_KEY_IDENTIFIER, false, &key_identifier(&public)?)?,
        ];
        self.certificate(Content { serial, subject, public, extensions, not_after: now() + ttl.as_secs() })
    }

    /// The extensions that every certificate of a node has.
    pub(crate) fn leaf_extensions(
        &self,
        public: &SubjectPublicKeyInfoOwned,
        names: Vec<GeneralName>,
    ) -> Result<Vec<Extension>, AuthorityError> {
        let usage = KeyUsage(KeyUsages::DigitalSignature | KeyUsages::KeyEncipherment);
        Ok(vec![
            comment()?,
            authority_key_identifier(&self.identifier)?,
            extension(BASIC_CONSTRAINTS, true, &BasicConstraints { ca: false, path_len_constraint: None })?,
            extension(EXTENDED_KEY_USAGE, true, &ExtendedKeyUsage(vec![SERVER_AUTHENTICATION, CLIENT_AUTHENTICATION]))?,
            extension(KEY_USAGE, true, &usage)?,
            extension(SUBJECT_KEY_IDENTIFIER, false, &key_identifier(public)?)?,
            alternative_names_extension(names)?,
        ])
    }

    /// Signs a certificate.
    pub(crate) fn certificate(&self, content: Content) -> Result<Certificate, AuthorityError> {
        let algorithm = self.key.algorithm()?;
        let from = now().saturating_sub(BACKDATING.as_secs());
        let tbs_certificate = TbsCertificate {
            version: Version::V3,
            serial_number: serial_number(content.serial)?,
            signature: algorithm.clone(),
            issuer: self.name.clone(),
            validity: Validity { not_before: time(from)?, not_after: time(content.not_after)? },
            subject: content.subject,
            subject_public_key_info: content.public,
            issuer_unique_id: None,
            subject_unique_id: None,
            extensions: Some(content.extensions),
        };
        let signature = self.key.sign(&tbs_certificate.to_der().map_err(failed)?)?;
        let signature = BitString::from_bytes(&signature).map_err(failed)?;
        Ok(Certificate { tbs_certificate, signature_algorithm: algorithm, signature })
    }

    /// Signs a certificate of an authority again, with dates from now on; everything else stays.
    pub(crate) fn with_new_dates(&self, old: &TbsCertificate, ttl: Duration) -> Result<Certificate, AuthorityError> {
        let algorithm = self.key.algorithm()?;
        let from = now().saturating_sub(BACKDATING.as_secs());
        let validity = Validity { not_before: time(from)?, not_after: time(now().saturating_add(ttl.as_secs()))? };
        let tbs_certificate = TbsCertificate { signature: algorithm.clone(), validity, ..old.clone() };
        let signature = self.key.sign(&tbs_certificate.to_der().map_err(failed)?)?;
        let signature = BitString::from_bytes(&signature).map_err(failed)?;
        Ok(Certificate { tbs_certificate, signature_algorithm: algorithm, signature })
    }

    /// Signs a CRL, which is valid for `ttl`.
    pub(crate) fn revocation_list(
        &self,
        number: u64,
        revoked: Vec<RevokedCert>,
        ttl: Duration,
    ) -> Result<CertificateList, AuthorityError> {
        let algorithm = self.key.algorithm()?;
        let number = Uint::new(&number.to_be_bytes()).map_err(failed)?;
        let from = now().saturating_sub(BACKDATING.as_secs());
        let tbs_cert_list = TbsCertList {
            version: Version::V2,
            signature: algorithm.clone(),
            issuer: self.name.clone(),
            this_update: time(from)?,
            next_update: Some(time(now().saturating_add(ttl.as_secs()))?),
            revoked_certificates: Some(revoked).filter(|revoked| !revoked.is_empty()),
            crl_extensions: Some(vec![
                authority_key_identifier(&self.identifier)?,
                extension(CRL_NUMBER, false, &number)?,
            ]),
        };
        let signature = self.key.sign(&tbs_cert_list.to_der().map_err(failed)?)?;
        let signature = BitString::from_bytes(&signature).map_err(failed)?;
        Ok(CertificateList { tbs_cert_list, signature_algorithm: algorithm, signature })
    }
}

/// An entry of a CRL that revokes a certificate now, with the reason that puppetserver writes.
pub(crate) fn revoked_now(serial_number: SerialNumber) -> Result<RevokedCert, AuthorityError> {
    let reason = extension(CRL_REASON, false, &CrlReason::KeyCompromise)?;
    Ok(RevokedCert { serial_number, revocation_date: time(now())?, crl_entry_extensions: Some(vec![reason]) })
}

/// The extension with which the server's own certificate may manage the authority.
pub(crate) fn cli_authorization() -> Result<Extension, AuthorityError> {
    let value = Any::new(Tag::Utf8String, &b"true"[..]).map_err(failed)?;
    extension(CLI_AUTHORIZATION, false, &value)
}

pub(crate) fn serial_number(serial: u64) -> Result<SerialNumber, AuthorityError> {
    let bytes = serial.to_be_bytes();
    let first = bytes.iter().position(|byte| *byte != 0).unwrap_or(bytes.len() - 1);
    SerialNumber::new(bytes.get(first..).unwrap_or_default()).map_err(failed)
}

/// An alternative name of a certificate: an IP address or a DNS name.
///
/// # Errors
/// It is neither.
pub fn alternative_name(name: &str) -> Result<GeneralName, AuthorityError> {
    let address = |bytes: &[u8]| OctetString::new(bytes).map(GeneralName::IpAddress).map_err(failed);
    match name.parse() {
        Ok(std::net::IpAddr::V4(ip)) => address(&ip.octets()),
        Ok(std::net::IpAddr::V6(ip)) => address(&ip.octets()),
        Err(_) => Ia5String::new(name)
            .map(GeneralName::DnsName)
            .map_err(|_| AuthorityError(format!("'{name}' is not a DNS name or an IP address"))),
    }
}
