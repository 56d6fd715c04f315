//! Names in a certificate's subject.
//!
//! Certificates of Puppet's older authorities name the host only as the common name of their subject, and Puppet accepts them: it compares
//! names with Ruby's `OpenSSL::SSL.verify_certificate_identity`. Names with wildcards are compared as there (`verify_hostname` in
//! openssl/ssl.rb).

use rustls::pki_types::CertificateDer;
use rustls::pki_types::IpAddr;
use rustls::pki_types::ServerName;
use x509_cert::Certificate;
use x509_cert::der::Decode;
use x509_cert::der::asn1::ObjectIdentifier;
use x509_cert::ext::pkix::SubjectAltName;
use x509_cert::ext::pkix::name::GeneralName;

/// `id-at-commonName` (RFC 5280, appendix A.1).
const COMMON_NAME: ObjectIdentifier = ObjectIdentifier::new_unwrap("2.5.4.3");

/// Whether the certificate's subject is its issuer, as that of a root authority.
pub(super) fn is_self_issued(certificate: &CertificateDer<'_>) -> bool {
    let parsed = Certificate::from_der(certificate);
    // Leave an unreadable certificate to rustls, which ignores it.
    parsed.map_or(true, |parsed| parsed.tbs_certificate.subject == parsed.tbs_certificate.issuer)
}

/// Whether a common name of the subject is the host. Common names are ignored if the certificate has alternative names of hosts or
/// addresses.
pub(super) fn is_host(certificate: &CertificateDer<'_>, host: &ServerName<'_>) -> bool {
    // Ruby compares strings, so an IPv4 address may be a common name; it cannot connect to an address in brackets, as IPv6 has them.
    let host = match host {
        ServerName::DnsName(name) => name.as_ref().to_owned(),
        ServerName::IpAddress(IpAddr::V4(address)) => std::net::Ipv4Addr::from(*address).to_string(),
        _ => return false,
    };
    let Ok(certificate) = Certificate::from_der(certificate) else { return false };
    let certificate = certificate.tbs_certificate;
    match certificate.get::<SubjectAltName>() {
        Ok(None) => {}
        Ok(Some((_, SubjectAltName(names)))) => {
            let is_decisive = |name: &GeneralName| matches!(name, GeneralName::DnsName(_) | GeneralName::IpAddress(_));
            if names.iter().any(is_decisive) {
                return false;
            }
        }
        Err(_) => return false,
    }
    let attributes = certificate.subject.0.iter().flat_map(|names| names.0.iter());
    let common_names = attributes.filter(|attribute| attribute.oid == COMMON_NAME);
    common_names.filter_map(|name| std::str::from_utf8(name.value.value()).ok()).any(|name| matches(name, &host))
}

/// Whether a name in a certificate matches a host. A `*` matches at least one letter of the first label.
fn matches(name: &str, host: &str) -> bool {
    if !name.is_ascii() || !host.is_ascii() {
        return false;
    }
    let (lower_name, lower_host) = (name.to_ascii_lowercase(), host.to_ascii_lowercase());
    let (name_labels, host_labels) = (labels(&lower_name), labels(&lower_host));
    match (name_labels.as_slice(), host_labels.as_slice()) {
        // Names without a dot are compared case-sensitively.
        ([] | [_], _) => name == host,
        ([first, rest @ ..], [host_first, host_rest @ ..]) => rest == host_rest && label_matches(first, host_first),
        (_, []) => false,
    }
}

/// The parts between dots, without empty ones at the end.
fn labels(name: &str) -> Vec<&str> {
    let mut labels: Vec<&str> = name.split('.').collect();
    while labels.last().is_some_and(|label| label.is_empty()) {
        labels.pop();
    }
    labels
}

fn label_matches(label: &str, host: &str) -> bool {
    match label.split('*').collect::<Vec<_>>().as_slice() {
        [label] => *label == host,
        // Wildcards do not match parts of internationalized labels.
        [_, _] if host.starts_with("xn--") && label != "*" => false,
        [start, end] => start.len() + end.len() < host.len() && host.starts_with(start) && host.ends_with(end),
        _ => false,
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests")]
mod tests {
    use base64::Engine;

    use super::*;

    /// The results of Ruby's OpenSSL for certificates that `common_name.rb` generated.
    #[test]
    fn common_names_are_compared_as_by_ruby() {
        let recorded: Vec<serde_json::Value> = serde_json::from_str(include_str!("common_name.json")).unwrap();
        assert!(recorded.len() > 30);
        let mut accepted = 0;
        for case in &recorded {
            let certificate = case["certificate"].as_str().unwrap();
            let certificate = base64::engine::general_purpose::STANDARD.decode(certificate).unwrap();
            let host = ServerName::try_from(case["host"].as_str().unwrap());
            // rustls refuses host names that are invalid in URLs.
            let actual = host.is_ok_and(|host| is_host(&CertificateDer::from(certificate), &host));
            let expected = case["by_common_name"].as_bool().unwrap();
            assert_eq!(actual, expected, "{} of {} for {}", case["common_names"], case["alternative"], case["host"]);
            accepted += usize::from(actual);
        }
        assert!(accepted > 10 && accepted < recorded.len() - 10);
    }
}
