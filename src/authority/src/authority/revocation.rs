//! Revokes certificates, removes their files, takes over the revocation lists of other authorities.
//!
//! Rules: `revoke-existing-certs!` and `update-crls` in puppetserver's `certificate_authority.clj`. `ca_crl.pem` has the list of this
//! authority first, then those of the authorities above it.

use std::collections::BTreeSet;

use cms::cert::x509::Certificate;
use cms::cert::x509::crl::CertificateList;
use cms::cert::x509::crl::RevokedCert;
use cms::cert::x509::der::Decode;
use cms::cert::x509::ext::pkix::CrlNumber;
use cms::cert::x509::serial_number::SerialNumber;

use catwalk_world::output::Kind;

use super::Authority;
use super::Refusal;
use super::creation::encode_lists;
use super::directory;
use super::directory::is_file;
use super::directory::lock;
use super::directory::read;
use super::directory::read_if_present;
use super::directory::unwritable;
use crate::bundle;
use crate::config::AuthorityError;
use crate::config::TTL;
use crate::encoding::now;
use crate::encoding::revoked_now;
use crate::encoding::serial_number;
use crate::encoding::utc;
use crate::request;
use crate::signature::has_signed_list;

impl Authority {
    /// The revocation lists in `ca_crl.pem`: that of this authority, and the others.
    pub(super) fn revocation_lists(&self) -> Result<(Option<CertificateList>, Vec<CertificateList>), AuthorityError> {
        let path = self.path("ca_crl.pem");
        let Some(bytes) = read_if_present(&path)? else {
            // A new list would revoke nobody.
            if self.has_issued()? {
                return Err(AuthorityError(format!("{} is missing: restore it", path.display())));
            }
            return Ok((None, Vec::new()));
        };
        let lists =
            bundle::revocation_lists(&bytes).map_err(|why| AuthorityError(format!("{}: {why}", path.display())))?;
        if lists.is_empty() {
            return Err(AuthorityError(format!("{}: it holds no CRL in PEM", path.display())));
        }
        let own = &self.certificate.tbs_certificate.subject;
        let (mut own, others): (Vec<_>, Vec<_>) = lists.into_iter().partition(|list| list.tbs_cert_list.issuer == *own);
        own.sort_by_key(crl_number);
        Ok((own.pop(), others))
    }

    /// Writes the next revocation list: with the following number and these entries.
    pub(super) fn write_next_crl(
        &self,
        before: Option<CertificateList>,
        entries: impl FnOnce(Vec<RevokedCert>) -> Vec<RevokedCert>,
        others: Vec<CertificateList>,
    ) -> Result<(), AuthorityError> {
        let number = before.as_ref().map_or(0, |list| crl_number(list).saturating_add(1));
        let revoked = before.and_then(|list| list.tbs_cert_list.revoked_certificates).unwrap_or_default();
        let list = self.issuer()?.revocation_list(number, entries(revoked), TTL)?;
        let lists: Vec<CertificateList> = std::iter::once(list).chain(others).collect();
        self.write("ca_crl.pem", Kind::Certificate, &encode_lists(&lists)?)
    }

    /// Revokes the certificates of nodes: those in `signed/`, and all in the inventory that have not expired, so that a renewed
    /// certificate leaves none behind. Returns how many were not revoked before.
    ///
    /// # Errors
    /// One of the nodes has no certificate; none is revoked.
    pub fn revoke(&self, names: &[String]) -> Result<usize, Refusal> {
        let _changing = self.change_lock.lock();
        let _lock = lock(&self.config.directory)?;
        self.revoke_locked(names)
    }

    fn revoke_locked(&self, names: &[String]) -> Result<usize, Refusal> {
        let inventory = self.inventory()?;
        let mut serials: Vec<SerialNumber> = Vec::new();
        for name in names {
            let missing =
                || Refusal::Missing(format!("Cannot revoke certificate for host {name} without a signed certificate"));
            let certificate = self.signed_certificate(name)?.ok_or_else(missing)?;
            serials.push(certificate.tbs_certificate.serial_number);
            let valid = inventory.iter().filter(|line| line.name == *name && line.is_valid);
            let numbers: Result<Vec<_>, _> = valid.map(|line| serial_number(line.serial)).collect();
            serials.extend(numbers?);
        }
        let (before, others) = self.revocation_lists()?;
        let revoked = before.iter().flat_map(|list| list.tbs_cert_list.revoked_certificates.iter().flatten());
        let mut known: BTreeSet<Vec<u8>> = revoked.map(|one| one.serial_number.as_bytes().to_vec()).collect();
        let new: Vec<SerialNumber> =
            serials.into_iter().filter(|serial| known.insert(serial.as_bytes().to_vec())).collect();
        if new.is_empty() {
            return Ok(0);
        }
        let count = new.len();
        let added: Result<Vec<RevokedCert>, AuthorityError> = new.into_iter().map(revoked_now).collect();
        let added = added?;
        self.write_next_crl(before, |revoked| revoked.into_iter().chain(added).collect(), others)?;
        Ok(count)
    }

    /// Revokes the certificates of nodes and removes them. Returns the nodes that have none.
    ///
    /// # Errors
    /// The authority failed.
    pub fn clean(&self, names: &[String]) -> Result<Vec<String>, Refusal> {
        let _changing = self.change_lock.lock();
        let _lock = lock(&self.config.directory)?;
        let exists = |name: &String| request::is_certname(name) && is_file(&self.certificate_path(name));
        let (existing, missing): (Vec<String>, Vec<String>) = names.iter().cloned().partition(exists);
        self.revoke_locked(&existing)?;
        for name in &existing {
            self.remove(&format!("signed/{name}.pem"))?;
        }
        Ok(missing)
    }

    /// Removes the certificate and the request of a node without revoking it. Returns whether there was one.
    ///
    /// # Errors
    /// A file cannot be removed.
    pub fn delete(&self, name: &str) -> Result<bool, AuthorityError> {
        if !request::is_certname(name) {
            return Ok(false);
        }
        let _changing = self.change_lock.lock();
        let _lock = lock(&self.config.directory)?;
        let mut found = false;
        for name in [format!("signed/{name}.pem"), format!("requests/{name}.pem")] {
            found |= is_file(&self.path(&name));
            self.remove(&name)?;
        }
        Ok(found)
    }

    fn remove(&self, name: &str) -> Result<(), AuthorityError> {
        let removed = directory::open(&self.config.directory)?.remove(name);
        removed.map_err(|why| unwritable(&self.path(name), &why))
    }

    /// The certificate of a node in `signed/`.
    pub(super) fn signed_certificate(&self, name: &str) -> Result<Option<Certificate>, AuthorityError> {
        if !request::is_certname(name) {
            return Ok(None);
        }
        let path = self.certificate_path(name);
        let Some(pem) = read_if_present(&path)? else { return Ok(None) };
        let certificates = bundle::certificates(&pem);
        let certificates = certificates.map_err(|why| AuthorityError(format!("{}: {why}", path.display())))?;
        Ok(certificates.into_iter().next())
    }

    /// The lines of `inventory.txt`; malformed ones are left out.
    fn inventory(&self) -> Result<Vec<InventoryLine>, AuthorityError> {
        let Some(bytes) = read_if_present(&self.path("inventory.txt"))? else { return Ok(Vec::new()) };
        let today = i64::try_from(now()).unwrap_or(i64::MAX);
        Ok(String::from_utf8_lossy(&bytes).lines().filter_map(|line| InventoryLine::read(line, today)).collect())
    }

    /// Takes over newer revocation lists of the authorities above this one. The list of this authority is never replaced.
    ///
    /// # Errors
    /// puppetserver's message, if a list cannot be used: nothing is changed.
    pub fn import_crls(&self, pem: &[u8]) -> Result<(), Refusal> {
        let refused = |text: &str| Refusal::Request(text.to_owned());
        let submitted = bundle::revocation_lists(pem).map_err(|_| refused("No valid CRLs submitted."))?;
        if submitted.is_empty() {
            return Err(refused("No valid CRLs submitted."));
        }
        let _changing = self.change_lock.lock();
        let _lock = lock(&self.config.directory)?;
        let (own, others) = self.revocation_lists()?;
        let own = own.ok_or_else(|| refused("This authority has no CRL."))?;
        let path = self.path("ca_crt.pem");
        let authorities = bundle::certificates(&read(&path)?);
        let authorities = authorities.map_err(|why| AuthorityError(format!("{}: {why}", path.display())))?;
        let mut lists = vec![own];
        for list in others {
            lists.push(newest(list, &submitted, &authorities)?);
        }
        Ok(self.write("ca_crl.pem", Kind::Certificate, &encode_lists(&lists)?)?)
    }
}

/// The newest list of an authority: the present one or one of those that were submitted.
fn newest(
    present: CertificateList,
    submitted: &[CertificateList],
    authorities: &[Certificate],
) -> Result<CertificateList, Refusal> {
    let of_issuer = submitted.iter().filter(|list| list.tbs_cert_list.issuer == present.tbs_cert_list.issuer);
    let mut unique: Vec<&CertificateList> = Vec::new();
    for list in of_issuer {
        if !unique.contains(&list) {
            unique.push(list);
        }
    }
    let all: Vec<&CertificateList> = unique.into_iter().chain(std::iter::once(&present)).collect();
    let Some(highest) = all.iter().map(|list| crl_number(list)).max() else { return Ok(present) };
    let mut candidates = all.iter().filter(|list| crl_number(list) == highest);
    let (Some(found), None) = (candidates.next(), candidates.next()) else {
        return Err(Refusal::Request("Could not determine newest CRL.".to_owned()));
    };
    let found = (*found).clone();
    let is_valid = authorities.iter().any(|authority| has_signed_list(authority, &found));
    let until = found.tbs_cert_list.next_update.map_or(0, |time| time.to_unix_duration().as_secs());
    if !is_valid || until < now() {
        let issuer = &found.tbs_cert_list.issuer;
        let why = if is_valid { "has expired" } else { "is not signed by an authority of this chain" };
        return Err(Refusal::Request(format!("Invalid certs and/or CRLs: the CRL of {issuer} {why}")));
    }
    Ok(found)
}

/// The number of a revocation list; 0 if it has none.
pub(crate) fn crl_number(list: &CertificateList) -> u64 {
    let extensions = list.tbs_cert_list.crl_extensions.iter().flatten();
    let numbers = extensions.filter_map(|extension| CrlNumber::from_der(extension.extn_value.as_bytes()).ok());
    let value = |number: CrlNumber| number.0.as_bytes().iter().fold(0_u64, |sum, byte| (sum << 8) | u64::from(*byte));
    numbers.map(value).max().unwrap_or(0)
}

/// A line of `inventory.txt`.
#[derive(Debug, PartialEq, Eq)]
struct InventoryLine {
    serial: u64,
    name: String,
    /// Whether the certificate has not expired.
    is_valid: bool,
}

impl InventoryLine {
    /// Reads a line such as `0x0001 2026-11-28T17:39:42UTC 2075-11-17T17:39:52UTC /CN=puppet.example.com`.
    fn read(line: &str, today: i64) -> Option<InventoryLine> {
        let mut fields = line.split_whitespace();
        let serial = u64::from_str_radix(fields.next()?.strip_prefix("0x")?, 16).ok()?;
        let until = fields.nth(1)?;
        let name = fields.next()?.strip_prefix("/CN=")?.to_owned();
        let until: Option<jiff::Timestamp> = format!("{}Z", until.strip_suffix("UTC")?).parse().ok();
        Some(InventoryLine { serial, name, is_valid: until.is_none_or(|until| until.as_second() >= today) })
    }
}

/// The expiry of a revocation list as Puppet writes it.
pub(super) fn next_update(list: &CertificateList) -> String {
    list.tbs_cert_list.next_update.map(utc).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]

    use super::*;

    #[test]
    fn lines_of_the_inventory_are_read() {
        let read = |line: &str| InventoryLine::read(line, 1_795_000_000);
        let line = "0x001f 2026-11-28T17:39:42UTC 2075-11-17T17:39:52UTC /CN=a.example.com";
        let expected = InventoryLine { serial: 31, name: "a.example.com".to_owned(), is_valid: true };
        assert_eq!(read(line), Some(expected));
        assert!(!read("0x0001 2020-11-28T17:39:42UTC 2021-11-17T17:39:52UTC /CN=a").unwrap().is_valid);
        for malformed in ["", "0x", "1 a b /CN=c", "0x1 a b CN=c", "0x1 a b"] {
            assert_eq!(read(malformed), None, "{malformed}");
        }
    }
}
