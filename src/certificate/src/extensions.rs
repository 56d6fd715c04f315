//! The extensions of a certificate by their short names.

use cms::cert::x509::Certificate;
use cms::cert::x509::der::Decode;
use cms::cert::x509::der::DecodePem;
use cms::cert::x509::der::Reader;
use cms::cert::x509::der::SliceReader;
use cms::cert::x509::ext::Extension;

use catwalk_value::Hash;
use catwalk_value::Value;

/// The object identifiers above all trusted extensions: registered, private, authorization.
const TREES: [&str; 3] = ["1.3.6.1.4.1.34380.1.1", "1.3.6.1.4.1.34380.1.2", "1.3.6.1.4.1.34380.1.3"];

/// Registered extensions: the last number of the identifier is the position in this list, from 1.
const REGISTERED: [&str; 26] = [
    "pp_uuid",
    "pp_instance_id",
    "pp_image_name",
    "pp_preshared_key",
    "pp_cost_center",
    "pp_product",
    "pp_project",
    "pp_application",
    "pp_service",
    "pp_employee",
    "pp_created_by",
    "pp_environment",
    "pp_role",
    "pp_software_version",
    "pp_department",
    "pp_cluster",
    "pp_provisioner",
    "pp_region",
    "pp_datacenter",
    "pp_zone",
    "pp_network",
    "pp_securitypolicy",
    "pp_cloudplatform",
    "pp_apptier",
    "pp_hostname",
    "pp_owner",
];

/// Extensions for authorization, by their numbers.
const AUTHORIZATION: [(&str, &str); 2] = [("1", "pp_authorization"), ("13", "pp_auth_role")];

/// The extension `pp_cli_auth`: Puppet 7 has no short name for it.
const CLI_AUTHORIZATION: &str = "1.3.6.1.4.1.34380.1.3.39";

/// The short names of Puppet's extensions.
pub fn short_names() -> impl Iterator<Item = &'static str> {
    REGISTERED.into_iter().chain(AUTHORIZATION.into_iter().map(|(_, name)| name))
}

/// The name of an extension in what [`extensions`] returns, by its short name or object identifier, for extensions in Puppet's
/// namespace. `names` are further short names with their identifiers.
#[must_use]
pub fn extension_name(name: &str, names: &[(String, String)]) -> Option<String> {
    let custom = names.iter().find(|(short, _)| short == name).map(|(_, oid)| oid.as_str());
    let oid = match name {
        "pp_cli_auth" => CLI_AUTHORIZATION,
        name if short_names().any(|known| known == name) => return Some(name.to_owned()),
        name => custom.unwrap_or(name),
    };
    let is_below = |tree: &str| oid.strip_prefix(tree).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'));
    let is_oid = oid.split('.').all(|part| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit()));
    (is_oid && TREES.into_iter().any(is_below)).then(|| short_name(oid).map_or_else(|| oid.to_owned(), str::to_owned))
}

/// The data of a certificate.
#[derive(Clone, Debug, PartialEq)]
pub struct CertificateData {
    /// The common name of the subject.
    pub certname: String,
    /// Puppet's extensions, by short name if there is one, else by object identifier.
    pub extensions: Hash,
}

/// Reads a certificate. `names` are further short names by object identifier, as defined in `custom_trusted_oid_mapping.yaml`.
///
/// # Errors
/// `pem` does not contain a certificate.
pub fn read(pem: &[u8], names: &dyn Fn(&str) -> Option<String>) -> Result<CertificateData, String> {
    let certificate = Certificate::from_pem(pem).map_err(|why| format!("not a certificate: {why}"))?;
    let parts = &certificate.tbs_certificate;
    let mut certname = String::new();
    for part in parts.subject.0.iter().flat_map(|names| names.0.iter()) {
        if part.oid.to_string() == "2.5.4.3" {
            certname = String::from_utf8_lossy(part.value.value()).into_owned();
        }
    }
    let mut extensions = Hash::new();
    for (oid, value) in puppet_extensions(parts.extensions.as_deref().unwrap_or_default()) {
        let name = names(&oid).or_else(|| short_name(&oid).map(str::to_owned)).unwrap_or(oid);
        extensions.set(&name, value);
    }
    Ok(CertificateData { certname, extensions })
}

/// Puppet's extensions of a certificate as strings, by short name if there is one, else by object identifier.
#[must_use]
pub fn extensions(certificate: &Certificate) -> Vec<(String, String)> {
    named_extensions(certificate.tbs_certificate.extensions.as_deref().unwrap_or_default())
}

/// Puppet's extensions among these, of a certificate or of a request for one, as [`extensions`] returns them.
#[must_use]
pub fn named_extensions(extensions: &[Extension]) -> Vec<(String, String)> {
    let string = |value: Value| match value {
        Value::Bool(value) => value.to_string(),
        Value::Int(value) => value.to_string(),
        value => value.as_str().unwrap_or_default().to_owned(),
    };
    let named =
        |(oid, value): (String, Value)| (short_name(&oid).map_or_else(|| oid.clone(), str::to_owned), string(value));
    puppet_extensions(extensions).map(named).collect()
}

/// The extensions in Puppet's namespace, by object identifier.
fn puppet_extensions(extensions: &[Extension]) -> impl Iterator<Item = (String, Value)> {
    let named = extensions.iter().map(|extension| (extension.extn_id.to_string(), extension));
    let below_trees = named.filter(|(oid, _)| TREES.iter().any(|tree| oid.starts_with(tree)));
    below_trees.map(|(oid, extension)| (oid, value(extension.extn_value.as_bytes())))
}

fn short_name(oid: &str) -> Option<&'static str> {
    if oid == "1.3.6.1.4.1.34380.1.1" {
        return Some("ppRegCertExt");
    }
    if let Some(number) = oid.strip_prefix("1.3.6.1.4.1.34380.1.1.") {
        let number: usize = number.parse().ok()?;
        return REGISTERED.get(number.checked_sub(1)?).copied();
    }
    let number = oid.strip_prefix("1.3.6.1.4.1.34380.1.3.")?;
    AUTHORIZATION.iter().find(|(known, _)| *known == number).map(|(_, name)| *name)
}

/// The value of an extension: an ASN.1 string, or a plain string in older certificates.
fn value(bytes: &[u8]) -> Value {
    let asn1_string = || -> Option<Value> {
        let mut reader = SliceReader::new(bytes).ok()?;
        let any = cms::cert::x509::der::Any::decode(&mut reader).ok()?;
        if !reader.is_finished() {
            return None;
        }
        use cms::cert::x509::der::Tag;
        use cms::cert::x509::der::Tagged;
        Some(match any.tag() {
            Tag::Boolean => Value::Bool(any.decode_as::<bool>().ok()?),
            Tag::Integer => Value::Int(any.decode_as::<i64>().ok()?),
            Tag::Null => Value::Undef,
            _ => Value::from(String::from_utf8_lossy(any.value()).into_owned()),
        })
    };
    asn1_string().unwrap_or_else(|| Value::from(String::from_utf8_lossy(bytes).into_owned()))
}
