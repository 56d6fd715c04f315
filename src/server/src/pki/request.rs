//! Requests for certificates: reading them, and checking that their content is allowed.
//!
//! Rules and messages: `validate-subject!`, `ensure-no-authorization-extensions!`, `ensure-subject-alt-names-allowed!`,
//! `validate-extensions!`, `validate-csr-signature!` in puppetserver's `certificate_authority.clj`, in that order.

use cms::cert::x509::der;
use cms::cert::x509::der::Any;
use cms::cert::x509::der::Decode;
use cms::cert::x509::der::Encode;
use cms::cert::x509::der::Header;
use cms::cert::x509::der::Reader;
use cms::cert::x509::der::SliceReader;
use cms::cert::x509::der::asn1::ObjectIdentifier;
use cms::cert::x509::ext::Extension;
use cms::cert::x509::ext::pkix::SubjectAltName;
use cms::cert::x509::ext::pkix::name::GeneralName;
use cms::cert::x509::name::Name;
use cms::cert::x509::request::CertReq;
use cms::cert::x509::spki::AlgorithmIdentifierOwned;
use cms::cert::x509::spki::SubjectPublicKeyInfoOwned;
use sha2::Digest;
use sha2::Sha256;

use super::encoding::SUBJECT_ALT_NAME;

const EXTENSION_REQUESTS: [ObjectIdentifier; 2] =
    [ObjectIdentifier::new_unwrap("1.2.840.113549.1.9.14"), ObjectIdentifier::new_unwrap("1.3.6.1.4.1.311.2.1.14")];
const COMMON_NAME: ObjectIdentifier = ObjectIdentifier::new_unwrap("2.5.4.3");
const REGISTERED: &str = "1.3.6.1.4.1.34380.1.1";
const PRIVATE: &str = "1.3.6.1.4.1.34380.1.2";
const AUTHORIZATION: &str = "1.3.6.1.4.1.34380.1.3";
const CLI_AUTHORIZATION: &str = "1.3.6.1.4.1.34380.1.3.39";

/// A request for a certificate.
pub(crate) struct Request {
    decoded: CertReq,
    /// The signed bytes as they were sent: encoding the content again could change them.
    signed: Vec<u8>,
    /// The requested common name.
    pub(crate) name: String,
    /// The requested extensions.
    extensions: Vec<Extension>,
}

/// The SHA-256 digest of a request in PEM, as Puppet's agent prints it: `AA:BB:…`. Empty if it is not a request.
pub(crate) fn fingerprint(pem: &[u8]) -> String {
    let Ok((_, der)) = der::pem::decode_vec(pem) else { return String::new() };
    Sha256::digest(&der).iter().map(|byte| format!("{byte:02X}")).collect::<Vec<_>>().join(":")
}

impl Request {
    /// Reads a request in PEM.
    pub(crate) fn read(pem: &[u8]) -> Result<Request, String> {
        let malformed = "The body is not a certificate request in PEM";
        let (label, der) = der::pem::decode_vec(pem).map_err(|_| malformed.to_owned())?;
        if !["CERTIFICATE REQUEST", "NEW CERTIFICATE REQUEST"].contains(&label) {
            return Err(malformed.to_owned());
        }
        let decoded = CertReq::from_der(&der).map_err(|_| malformed.to_owned())?;
        let signed = first_part(&der).ok_or_else(|| malformed.to_owned())?;
        let name = subject_name(&decoded.info.subject).ok_or_else(|| "The request has no common name".to_owned())?;
        let mut extensions = Vec::new();
        for attribute in decoded.info.attributes.iter().filter(|attribute| EXTENSION_REQUESTS.contains(&attribute.oid))
        {
            for value in attribute.values.iter() {
                let requested: Vec<Extension> =
                    value.decode_as().map_err(|_| "The extensions of the request cannot be read".to_owned())?;
                extensions.extend(requested);
            }
        }
        Ok(Request { decoded, signed, name, extensions })
    }

    /// The public key to certify.
    pub(crate) fn public(&self) -> &SubjectPublicKeyInfoOwned {
        &self.decoded.info.public_key
    }

    /// The request in PEM.
    pub(crate) fn pem(&self) -> Result<String, crate::config::ServerError> {
        super::encoding::pem("CERTIFICATE REQUEST", &self.decoded.to_der().map_err(super::encoding::failed)?)
    }

    /// The requested extensions without the alternative names, which the authority writes itself.
    pub(crate) fn signed_extensions(&self) -> impl Iterator<Item = &Extension> {
        self.extensions.iter().filter(|extension| extension.extn_id != SUBJECT_ALT_NAME)
    }

    /// Checks that the request may be signed automatically.
    pub(crate) fn check_signable(&self) -> Result<(), String> {
        self.check_alternative_names()?;
        let ids = || self.extensions.iter().map(|extension| extension.extn_id.to_string());
        if ids().any(|id| is_below(&id, AUTHORIZATION)) {
            return Err(format!("CSR '{}' contains an authorization extension, which is disallowed.", self.name));
        }
        let allowed = |id: &String| id == "2.5.29.17" || is_below(id, REGISTERED) || is_below(id, PRIVATE);
        let refused: Vec<String> = ids().filter(|id| !allowed(id)).collect();
        if !refused.is_empty() {
            return Err(format!("Found extensions that are not permitted: {}", refused.join(", ")));
        }
        for (at, id) in ids().enumerate() {
            // A certificate must not hold an extension twice (RFC 5280, 4.2).
            if ids().take(at).any(|before| before == id) {
                return Err(format!("Found extensions that are not permitted: {id}"));
            }
        }
        match self.is_signed_by_its_key() {
            true => Ok(()),
            false => Err("CSR contains a public key that does not correspond to the signing key".to_owned()),
        }
    }

    /// Checks that the only alternative name is the node's own name.
    fn check_alternative_names(&self) -> Result<(), String> {
        let mut others = Vec::new();
        for extension in self.extensions.iter().filter(|extension| extension.extn_id == SUBJECT_ALT_NAME) {
            let names = SubjectAltName::from_der(extension.extn_value.as_bytes())
                .map_err(|_| "The extensions of the request cannot be read".to_owned())?;
            for name in names.0 {
                match name {
                    GeneralName::DnsName(name) if name.as_str() == self.name => {}
                    GeneralName::DnsName(name) => others.push(format!("DNS:{name}")),
                    GeneralName::IpAddress(bytes) => others.push(format!("IP:{}", address(bytes.as_bytes()))),
                    _ => {
                        let message = "Only DNS and IP names are allowed in the Subject Alternative Names extension";
                        return Err(message.to_owned());
                    }
                }
            }
        }
        if others.is_empty() {
            return Ok(());
        }
        let (name, others) = (&self.name, others.join(", "));
        Err(format!("CSR '{name}' contains extra subject alternative names ({others}), which are disallowed."))
    }

    fn is_signed_by_its_key(&self) -> bool {
        let verified = || {
            let public = self.public();
            let key = public.subject_public_key.as_bytes()?;
            let signature = self.decoded.signature.as_bytes()?;
            let (of_key, of_signature) = (content(&public.algorithm)?, content(&self.decoded.algorithm)?);
            let provider = rustls::crypto::ring::default_provider();
            let algorithms = provider.signature_verification_algorithms.all;
            let mut candidates = algorithms.iter().filter(|algorithm| {
                algorithm.public_key_alg_id().as_ref() == of_key
                    && algorithm.signature_alg_id().as_ref() == of_signature
            });
            Some(candidates.any(|algorithm| algorithm.verify_signature(key, &self.signed, signature).is_ok()))
        };
        verified().unwrap_or(false)
    }
}

/// The first element of a sequence, with its header.
fn first_part(der: &[u8]) -> Option<Vec<u8>> {
    let mut reader = SliceReader::new(der).ok()?;
    Header::decode(&mut reader).ok()?;
    reader.tlv_bytes().ok().map(<[u8]>::to_vec)
}

/// The contents of an algorithm identifier, without the header of its sequence.
fn content(algorithm: &AlgorithmIdentifierOwned) -> Option<Vec<u8>> {
    let der = algorithm.to_der().ok()?;
    let mut reader = SliceReader::new(&der).ok()?;
    let any = Any::decode(&mut reader).ok()?;
    reader.is_finished().then(|| any.value().to_vec())
}

fn address(bytes: &[u8]) -> String {
    if let Ok(four) = <[u8; 4]>::try_from(bytes) {
        return std::net::Ipv4Addr::from(four).to_string();
    }
    <[u8; 16]>::try_from(bytes).map_or_else(|_| "?".to_owned(), |bytes| std::net::Ipv6Addr::from(bytes).to_string())
}

/// The common name of a subject; `None` without one, or with several.
pub(crate) fn subject_name(subject: &Name) -> Option<String> {
    let mut names = subject.0.iter().flat_map(|part| part.0.iter()).filter(|part| part.oid == COMMON_NAME);
    let name = names.next()?;
    if names.next().is_some() {
        return None;
    }
    std::str::from_utf8(name.value.value()).ok().map(str::to_owned)
}

/// Whether an extension belongs to the node, so that a renewed certificate has it too: an extension in Puppet's namespace except
/// `pp_cli_auth`.
pub(crate) fn is_node_extension(extension: &Extension) -> bool {
    let id = extension.extn_id.to_string();
    [REGISTERED, PRIVATE, AUTHORIZATION].into_iter().any(|tree| is_below(&id, tree)) && id != CLI_AUTHORIZATION
}

fn is_below(id: &str, tree: &str) -> bool {
    id.strip_prefix(tree).is_some_and(|rest| rest.starts_with('.'))
}

/// Checks the name in a certificate request. `requested` is the name in the URL.
pub(crate) fn check_name(requested: &str, subject: &str) -> Result<(), String> {
    let malformed = || Err("Subject hostname format is invalid".to_owned());
    if requested != subject {
        return Err(format!("Instance name \"{subject}\" does not match requested key \"{requested}\""));
    }
    if subject.chars().any(char::is_uppercase) {
        return Err("Certificate names must be lower case.".to_owned());
    }
    if subject.contains('*') {
        return Err(format!("Subject contains a wildcard, which is not allowed: {subject}"));
    }
    if !is_file_name(subject) { malformed() } else { Ok(()) }
}

/// Whether a name is a valid certname, and so a safe file name: labels of letters, digits, `-` and `_` between dots, none of which
/// ends with `-`.
pub(crate) fn is_file_name(name: &str) -> bool {
    let part = |part: &str| {
        let valid = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-' || byte == b'_';
        !part.is_empty() && part.bytes().all(valid) && !part.ends_with('-')
    };
    // 64 is the length limit of a common name (RFC 5280, ub-common-name); Puppet has none, and file names are limited to 255 bytes.
    name.len() <= 240 && !name.starts_with('-') && name.split('.').all(part)
}
