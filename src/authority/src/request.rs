//! Requests for certificates: reading them, and checking that their content is allowed.
//!
//! Rules and messages: `validate-subject!`, `ensure-no-authorization-extensions!`, `ensure-subject-alt-names-allowed!`,
//! `validate-extensions!`, `validate-csr-signature!` in puppetserver's `certificate_authority.clj`, in that order.

use cms::cert::x509::attr::Attributes;
use cms::cert::x509::der;
use cms::cert::x509::der::Any;
use cms::cert::x509::der::Decode;
use cms::cert::x509::der::Reader;
use cms::cert::x509::der::SliceReader;
use cms::cert::x509::der::TagMode;
use cms::cert::x509::der::TagNumber;
use cms::cert::x509::der::asn1::BitString;
use cms::cert::x509::der::asn1::ObjectIdentifier;
use cms::cert::x509::ext::Extension;
use cms::cert::x509::ext::pkix::SubjectAltName;
use cms::cert::x509::ext::pkix::name::GeneralName;
use cms::cert::x509::name::Name;
use cms::cert::x509::spki::AlgorithmIdentifierOwned;
use cms::cert::x509::spki::SubjectPublicKeyInfoOwned;
use sha2::Digest;
use sha2::Sha256;

use crate::config::AuthorityError;
use crate::encoding::SUBJECT_ALT_NAME;
use crate::signature::verifies;

/// The attributes that hold requested extensions: PKCS#9's, and Microsoft's.
pub(crate) const EXTENSION_REQUESTS: [ObjectIdentifier; 2] =
    [ObjectIdentifier::new_unwrap("1.2.840.113549.1.9.14"), ObjectIdentifier::new_unwrap("1.3.6.1.4.1.311.2.1.14")];
const CHALLENGE_PASSWORD: ObjectIdentifier = ObjectIdentifier::new_unwrap("1.2.840.113549.1.9.7");
const COMMON_NAME: ObjectIdentifier = ObjectIdentifier::new_unwrap("2.5.4.3");
const REGISTERED: &str = "1.3.6.1.4.1.34380.1.1";
const PRIVATE: &str = "1.3.6.1.4.1.34380.1.2";
const AUTHORIZATION: &str = "1.3.6.1.4.1.34380.1.3";
const CLI_AUTHORIZATION: &str = "1.3.6.1.4.1.34380.1.3.39";

/// A request for a certificate.
pub(crate) struct Request {
    /// The request as it was sent: encoding the content again could change it.
    der: Vec<u8>,
    /// The signed bytes.
    signed: Vec<u8>,
    algorithm: AlgorithmIdentifierOwned,
    signature: BitString,
    public: SubjectPublicKeyInfoOwned,
    attributes: Attributes,
    /// The requested common name.
    pub(crate) name: String,
    /// The requested extensions.
    extensions: Vec<Extension>,
}

/// A request for a certificate as a policy sees it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RequestSummary {
    /// The requested common name.
    pub certname: String,
    /// The SHA-256 digest, as Puppet's agent prints it: `AA:BB:…`.
    pub fingerprint: String,
    /// Puppet's extensions: the short name, or the OID if it has none, and the value.
    pub extensions: Vec<(String, String)>,
    /// Custom attributes: the OID, or `challengePassword`, and the value.
    pub attributes: Vec<(String, String)>,
    /// The alternative names, as `DNS:NAME` and `IP:ADDRESS`.
    pub alt_names: Vec<String>,
    /// The request in PEM.
    pub pem: String,
}

/// The SHA-256 digest of a request in PEM, as Puppet's agent prints it: `AA:BB:…`. Empty if it is not a request.
#[must_use]
pub fn fingerprint(pem: &[u8]) -> String {
    let Ok((_, der)) = der::pem::decode_vec(pem) else { return String::new() };
    hexadecimal(&Sha256::digest(&der))
}

/// Bytes as `AA:BB:…`.
pub(crate) fn hexadecimal(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02X}")).collect::<Vec<_>>().join(":")
}

/// The authorization extensions, by short name or OID.
pub(crate) fn authorization_extensions(extensions: &[Extension]) -> Vec<(String, String)> {
    let authorization: Vec<Extension> = extensions
        .iter()
        .filter(|extension| is_below(&extension.extn_id.to_string(), AUTHORIZATION))
        .cloned()
        .collect();
    let named = catwalk_certificate::named_extensions(&authorization);
    // A certificate with this extension is made by the authority only, so Puppet's agents have no name for it.
    let short = |name: String| if name == CLI_AUTHORIZATION { "pp_cli_auth".to_owned() } else { name };
    named.into_iter().map(|(name, value)| (short(name), value)).collect()
}

impl Request {
    /// Reads a request in PEM.
    pub(crate) fn read(pem: &[u8]) -> Result<Request, String> {
        let malformed = "The body is not a certificate request in PEM";
        let (label, der) = der::pem::decode_vec(pem).map_err(|_| malformed.to_owned())?;
        if !["CERTIFICATE REQUEST", "NEW CERTIFICATE REQUEST"].contains(&label) {
            return Err(malformed.to_owned());
        }
        let parts = Parts::read(&der).map_err(|_| malformed.to_owned())?;
        let name = subject_name(&parts.subject).ok_or_else(|| "The request has no common name".to_owned())?;
        let mut extensions = Vec::new();
        let requests = parts.attributes.iter().filter(|attribute| EXTENSION_REQUESTS.contains(&attribute.oid));
        let values: Vec<&Any> = requests.flat_map(|attribute| attribute.values.iter()).collect();
        // One attribute with one value (RFC 2985, 5.4.2): of several, a policy that reads the request would see only the first one.
        if values.len() > 1 {
            return Err("The extensions of the request cannot be read".to_owned());
        }
        for value in values {
            let requested: Vec<Extension> =
                value.decode_as().map_err(|_| "The extensions of the request cannot be read".to_owned())?;
            extensions.extend(requested);
        }
        let Parts { signed, algorithm, signature, public, attributes, .. } = parts;
        Ok(Request { der, signed, algorithm, signature, public, attributes, name, extensions })
    }

    /// The public key to certify.
    pub(crate) fn public(&self) -> &SubjectPublicKeyInfoOwned {
        &self.public
    }

    /// The request in PEM.
    pub(crate) fn pem(&self) -> Result<String, AuthorityError> {
        crate::encoding::pem("CERTIFICATE REQUEST", &self.der)
    }

    /// The request in DER, as it was sent.
    pub(crate) fn der(&self) -> &[u8] {
        &self.der
    }

    /// All requested extensions.
    pub(crate) fn extensions(&self) -> &[Extension] {
        &self.extensions
    }

    /// The request as a policy sees it.
    pub(crate) fn summary(&self) -> Result<RequestSummary, AuthorityError> {
        let pem = self.pem()?;
        Ok(RequestSummary {
            certname: self.name.clone(),
            fingerprint: fingerprint(pem.as_bytes()),
            extensions: catwalk_certificate::named_extensions(&self.extensions),
            attributes: self.custom_attributes(),
            alt_names: alternative_names(&self.extensions).map(|names| names.to_strings()).unwrap_or_default(),
            pem,
        })
    }

    fn custom_attributes(&self) -> Vec<(String, String)> {
        let custom = self.attributes.iter().filter(|attribute| !EXTENSION_REQUESTS.contains(&attribute.oid));
        let value = |value: &Any| String::from_utf8_lossy(value.value()).into_owned();
        let name = |id: &ObjectIdentifier| match *id == CHALLENGE_PASSWORD {
            true => "challengePassword".to_owned(),
            false => id.to_string(),
        };
        custom.flat_map(|found| found.values.iter().map(|one| (name(&found.oid), value(one)))).collect()
    }

    /// The requested extensions without the alternative names, which the authority writes itself.
    pub(crate) fn signed_extensions(&self) -> impl Iterator<Item = &Extension> {
        self.extensions.iter().filter(|extension| extension.extn_id != SUBJECT_ALT_NAME)
    }

    /// Checks that the request may be signed.
    pub(crate) fn check_signable(&self, allow_alt_names: bool, allow_authorization: bool) -> Result<(), String> {
        let (name, ids) = (&self.name, || self.extensions.iter().map(|extension| extension.extn_id.to_string()));
        let names = alternative_names(&self.extensions)?;
        names.check(name, allow_alt_names)?;
        if !allow_authorization && ids().any(|id| is_below(&id, AUTHORIZATION)) {
            return Err(format!(
                "CSR '{name}' contains an authorization extension, which is disallowed. {}",
                advice("authorization extensions", "allow-authorization-extensions")
            ));
        }
        let allowed = |id: &String| {
            let is_authorization = is_below(id, AUTHORIZATION) && id != CLI_AUTHORIZATION;
            id == "2.5.29.17" || is_authorization || is_below(id, REGISTERED) || is_below(id, PRIVATE)
        };
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

    fn is_signed_by_its_key(&self) -> bool {
        verifies(&self.public, &self.algorithm, &self.signed, &self.signature)
    }
}

/// How to allow what is refused.
fn advice(what: &str, option: &str) -> String {
    format!("To allow {what}, start the server with --{option}.")
}

/// The parts of a request. Not read with `x509-cert`, which refuses the version 2 that `puppetserver ca generate` writes; puppetserver and
/// OpenSSL accept every version.
struct Parts {
    signed: Vec<u8>,
    algorithm: AlgorithmIdentifierOwned,
    signature: BitString,
    subject: Name,
    public: SubjectPublicKeyInfoOwned,
    attributes: Attributes,
}

impl Parts {
    fn read(der: &[u8]) -> der::Result<Parts> {
        let mut reader = SliceReader::new(der)?;
        let (signed, algorithm, signature) = reader.sequence(|request| {
            let signed = request.tlv_bytes()?.to_vec();
            Ok((signed, AlgorithmIdentifierOwned::decode(request)?, BitString::decode(request)?))
        })?;
        let (subject, public, attributes) = SliceReader::new(&signed)?.sequence(|info| {
            let _version = u8::decode(info)?;
            let (subject, public) = (Name::decode(info)?, SubjectPublicKeyInfoOwned::decode(info)?);
            let attributes = info.context_specific::<Attributes>(TagNumber::N0, TagMode::Implicit)?;
            Ok((subject, public, attributes.unwrap_or_default()))
        })?;
        reader.finish(Parts { signed, algorithm, signature, subject, public, attributes })
    }
}

/// The alternative names in extensions, as a certificate has them.
pub(crate) fn general_names(extensions: &[Extension]) -> Result<Vec<GeneralName>, String> {
    let mut found = Vec::new();
    for extension in extensions.iter().filter(|extension| extension.extn_id == SUBJECT_ALT_NAME) {
        let names = SubjectAltName::from_der(extension.extn_value.as_bytes());
        found.extend(names.map_err(|_| "The extensions of the request cannot be read".to_owned())?.0);
    }
    Ok(found)
}

/// The alternative names of a request or certificate.
#[derive(Default)]
pub(crate) struct AlternativeNames {
    pub(crate) dns: Vec<String>,
    pub(crate) addresses: Vec<String>,
    has_others: bool,
}

/// Reads the alternative names in extensions.
pub(crate) fn alternative_names(extensions: &[Extension]) -> Result<AlternativeNames, String> {
    let mut found = AlternativeNames::default();
    for name in general_names(extensions)? {
        match name {
            GeneralName::DnsName(name) => found.dns.push(name.to_string()),
            GeneralName::IpAddress(bytes) => found.addresses.push(address(bytes.as_bytes())),
            _ => found.has_others = true,
        }
    }
    Ok(found)
}

impl AlternativeNames {
    /// The names in puppetserver's order, as `IP:ADDRESS` and `DNS:NAME`.
    pub(crate) fn to_strings(&self) -> Vec<String> {
        let addresses = self.addresses.iter().map(|address| format!("IP:{address}"));
        addresses.chain(self.dns_strings()).collect()
    }

    /// The DNS names as `DNS:NAME`.
    pub(crate) fn dns_strings(&self) -> Vec<String> {
        self.dns.iter().map(|name| format!("DNS:{name}")).collect()
    }

    /// Checks the alternative names of a request of `certname`: its own name is always allowed.
    fn check(&self, certname: &str, allow_others: bool) -> Result<(), String> {
        if self.has_others {
            return Err("Only DNS and IP names are allowed in the Subject Alternative Names extension".to_owned());
        }
        let own = format!("DNS:{certname}");
        let others: Vec<String> = self.to_strings().into_iter().filter(|name| *name != own).collect();
        if !others.is_empty() && !allow_others {
            return Err(format!(
                "CSR '{certname}' contains extra subject alternative names ({}), which are disallowed. {}",
                others.join(", "),
                advice("subject alternative names", "allow-subject-alt-names")
            ));
        }
        match self.dns.iter().find(|name| name.contains('*')) {
            Some(name) => Err(format!("Cert subjectAltName contains a wildcard, which is not allowed: {name}")),
            None => Ok(()),
        }
    }
}

fn address(bytes: &[u8]) -> String {
    if let Ok(four) = <[u8; 4]>::try_from(bytes) {
        return std::net::Ipv4Addr::from(four).to_string();
    }
    <[u8; 16]>::try_from(bytes).map_or_else(|_| "?".to_owned(), |bytes| std::net::Ipv6Addr::from(bytes).to_string())
}

/// The common name of a subject; `None` without one, or with several.
#[must_use]
pub fn subject_name(subject: &Name) -> Option<String> {
    let mut names = subject.0.iter().flat_map(|part| part.0.iter()).filter(|part| part.oid == COMMON_NAME);
    let name = names.next()?;
    if names.next().is_some() {
        return None;
    }
    std::str::from_utf8(name.value.value()).ok().map(str::to_owned)
}

/// Whether an extension belongs to the node, so that a renewed certificate has it too: an extension in Puppet's namespace. Only the authority
/// itself has written `pp_cli_auth`, for a client that manages it.
pub(crate) fn is_node_extension(extension: &Extension) -> bool {
    let id = extension.extn_id.to_string();
    [REGISTERED, PRIVATE, AUTHORIZATION].into_iter().any(|tree| is_below(&id, tree))
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
    if !is_certname(subject) { malformed() } else { Ok(()) }
}

/// Whether a name is a valid certname, and so a safe file name: labels of letters, digits, `-` and `_` between dots, none of which
/// ends with `-`.
#[must_use]
pub fn is_certname(name: &str) -> bool {
    let part = |part: &str| {
        let valid = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-' || byte == b'_';
        !part.is_empty() && part.bytes().all(valid) && !part.ends_with('-')
    };
    // 64 is the length limit of a common name (RFC 5280, ub-common-name); Puppet has none, and file names are limited to 255 bytes.
    name.len() <= 240 && !name.starts_with('-') && name.split('.').all(part)
}
