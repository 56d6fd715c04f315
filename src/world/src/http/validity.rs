//! Times of authorities and of revocation lists, which the verifier of rustls leaves to its caller.
//!
//! In: certificates and lists, a time. Out: those that OpenSSL would use at that time.

use std::cmp::Reverse;
use std::time::Duration;

use rustls::pki_types::CertificateDer;
use rustls::pki_types::CertificateRevocationListDer;
use rustls::pki_types::UnixTime;
use x509_cert::Certificate;
use x509_cert::crl::CertificateList;
use x509_cert::der::Decode;

/// Whether a certificate is valid at a time, by its own dates.
pub(super) fn is_valid(certificate: &CertificateDer<'_>, now: UnixTime) -> bool {
    let now = Duration::from_secs(now.as_secs());
    // Leave an unreadable certificate to rustls, which ignores it.
    Certificate::from_der(certificate).map_or(true, |parsed| {
        let validity = parsed.tbs_certificate.validity;
        validity.not_before.to_unix_duration() <= now && now <= validity.not_after.to_unix_duration()
    })
}

/// Revocation lists in the order in which OpenSSL prefers them (`get_crl_sk` in x509_vfy.c), since rustls uses the first list of an
/// authority: unexpired lists before expired ones, newer before older. Lists that are not valid yet are left out.
pub(super) fn in_order(
    lists: Vec<CertificateRevocationListDer<'static>>,
    now: UnixTime,
) -> Vec<CertificateRevocationListDer<'static>> {
    let now = Duration::from_secs(now.as_secs());
    let mut dated: Vec<(Option<(bool, Reverse<Duration>)>, CertificateRevocationListDer<'static>)> = lists
        .into_iter()
        .map(|list| {
            let parsed = CertificateList::from_der(&list).ok();
            let rank = parsed.map(|CertificateList { tbs_cert_list: list, .. }| {
                let has_expired = list.next_update.is_some_and(|next| next.to_unix_duration() < now);
                (has_expired, Reverse(list.this_update.to_unix_duration()))
            });
            (rank, list)
        })
        // Leave an unreadable list to rustls, which reports it.
        .filter(|(rank, _)| rank.is_none_or(|(_, Reverse(since))| since <= now))
        .collect();
    dated.sort_by_key(|(rank, _)| *rank);
    dated.into_iter().map(|(_, list)| list).collect()
}
