//! New and imported authorities; the server's own certificate.

use std::path::Path;

use catwalk_world::output::Directory;
use catwalk_world::output::Kind;
use catwalk_world::output::Place;
use cms::cert::x509::Certificate;
use cms::cert::x509::crl::CertificateList;
use cms::cert::x509::der::Encode;
use cms::cert::x509::ext::Extension;
use cms::cert::x509::ext::pkix::name::GeneralName;

use super::Authority;
use super::directory;
use super::directory::NewFiles;
use super::directory::UNFINISHED;
use super::directory::is_file;
use super::directory::read;
use super::with_certname;
use crate::bundle;
use crate::config::AuthorityConfig;
use crate::config::AuthorityError;
use crate::config::CertificateFiles;
use crate::config::KeyKind;
use crate::config::TTL;
use crate::encoding;
use crate::encoding::Issuer;
use crate::encoding::alternative_name;
use crate::encoding::cli_authorization;
use crate::encoding::common_name;
use crate::encoding::failed;
use crate::encoding::now;
use crate::encoding::pem;
use crate::key;
use crate::key::Key;
use crate::request;
use crate::signature::has_signed;
use crate::signature::has_signed_list;

/// A CRL or server certificate is replaced if it expires sooner than this.
pub(super) const RENEWAL: u64 = 30 * 24 * 3600;

/// The names of a new authority.
#[derive(Clone, Debug, Default)]
pub struct Setup {
    /// The common name of the authority; `None`: `Puppet CA: CERTNAME`.
    pub name: Option<String>,
    /// Whether a root certificate signs that of the authority, as with `puppetserver ca setup`.
    pub has_root: bool,
}

/// An existing authority to import: files in PEM.
#[derive(Clone, Debug)]
pub struct Imported {
    /// The private key.
    pub key: Vec<u8>,
    /// The certificate of this key and those of the authorities above it.
    pub bundle: Vec<u8>,
    /// A revocation list of each authority; that of this key may be missing.
    pub crls: Vec<u8>,
}

/// The keys, certificates and revocation lists of an authority, before they are written.
struct Chain {
    key: String,
    /// The key of the root certificate.
    root_key: Option<String>,
    /// The certificate of the authority, then those above it.
    certificates: Vec<Certificate>,
    /// Their revocation lists.
    crls: Vec<CertificateList>,
}

impl Authority {
    /// Opens an authority. Creates the authority and the server's own certificate if they do not exist; reports to `progress` what takes
    /// long.
    ///
    /// # Errors
    /// The directory has only some files of an authority, or a file of it cannot be used or written.
    pub fn open(config: AuthorityConfig, progress: &dyn Fn(&str)) -> Result<Authority, AuthorityError> {
        check_certname(&config.certname)?;
        let place = config.directory.clone();
        let directory = directory::open(&place)?;
        let lock = directory::lock(&place)?;
        if !is_file(&place.path().join("ca_key.pem")) || is_file(&place.path().join(UNFINISHED)) {
            check_unused(&place)?;
            let chain = Chain::create(&config, &Setup::default(), progress)?;
            chain.write(&directory, &[])?;
        }
        for folder in ["private", "requests", "signed"] {
            let created = directory.create_folder(folder);
            created.map_err(|why| directory::unwritable(&place.path().join(folder), &why))?;
        }
        let authority = Authority::open_existing(config)?;
        authority.renew_crl_locked(RENEWAL)?;
        authority.ensure_server_certificate()?;
        drop(lock);
        Ok(authority)
    }

    /// Creates an authority and the server's own certificate.
    ///
    /// # Errors
    /// There are files already, which are named, or a file cannot be written. Then no file is written.
    pub fn setup(config: AuthorityConfig, setup: &Setup, progress: &dyn Fn(&str)) -> Result<Authority, AuthorityError> {
        check_certname(&config.certname)?;
        let directory = directory::open(&config.directory)?;
        let _lock = directory::lock(&config.directory)?;
        check_unused(&config.directory)?;
        check_unused_ssldir(&config)?;
        let chain = Chain::create(&config, setup, progress)?;
        chain.install(config, &directory)
    }

    /// Creates an authority with an existing key, and the server's own certificate.
    ///
    /// # Errors
    /// As [`Authority::setup`]; or the files do not belong together.
    pub fn import(config: AuthorityConfig, imported: &Imported) -> Result<Authority, AuthorityError> {
        check_certname(&config.certname)?;
        let chain = Chain::import(imported)?;
        let directory = directory::open(&config.directory)?;
        let _lock = directory::lock(&config.directory)?;
        check_unused(&config.directory)?;
        check_unused_ssldir(&config)?;
        chain.install(config, &directory)
    }

    /// Creates the server's own key and certificate if they do not exist. Replaces a certificate that expires soon or lacks one of the
    /// configured names.
    pub(super) fn ensure_server_certificate(&self) -> Result<(), AuthorityError> {
        let files = self.files();
        let names: Result<Vec<GeneralName>, AuthorityError> =
            self.config.alt_names.iter().map(|name| alternative_name(name)).collect();
        let names = with_certname(&self.config.certname, names?)?;
        let key = match (is_file(&files.certificate), is_file(&files.key)) {
            (true, true) if is_current(&files.certificate, &names)? => return self.publish(None, None),
            (true, false) => {
                let (certificate, key) = (files.certificate.display(), files.key.display());
                let text = format!("{certificate} exists, but not its key {key}: copy the key there");
                return Err(AuthorityError(text));
            }
            (_, true) => None,
            (false, false) => Some(key::new_p256()?),
        };
        let text = match &key {
            Some(text) => text.as_bytes().into(),
            None => read(&files.key)?,
        };
        let unusable = |why| AuthorityError(format!("{}: {why}", files.key.display()));
        let public = Key::read(&text).map_err(unusable)?.public()?;
        if let (Some(key), None) = (&key, &self.config.ssldir) {
            self.write(&directory::private_key(&self.config.certname), Kind::Key, key)?;
        }
        let (names, extensions) = with_those_of(&files.certificate, names)?;
        let certificate = self.sign(&self.config.certname, public, names, extensions, None)?;
        self.publish(key.as_deref(), Some(&certificate))
    }

    /// Writes the server's new key and certificate to `ssldir`, and the certificates and lists of the authorities if it lacks them.
    fn publish(&self, key: Option<&str>, certificate: Option<&str>) -> Result<(), AuthorityError> {
        let Some(ssldir) = &self.config.ssldir else { return Ok(()) };
        let (directory, certname) = (directory::open_ssldir(ssldir)?, &self.config.certname);
        let put = |name: &str, kind: Kind, text: &[u8]| {
            directory.write(name, kind, text).map_err(|why| directory::unwritable(&ssldir.path().join(name), &why))
        };
        if let Some(key) = key {
            put(&format!("private_keys/{certname}.pem"), Kind::Key, key.as_bytes())?;
            let public = Key::read(key.as_bytes()).map_err(AuthorityError)?;
            put(&format!("public_keys/{certname}.pem"), Kind::Certificate, key::public_pem(&public)?.as_bytes())?;
        }
        if let Some(certificate) = certificate {
            put(&format!("certs/{certname}.pem"), Kind::Certificate, certificate.as_bytes())?;
        }
        for (name, source) in [("certs/ca.pem", "ca_crt.pem"), ("crl.pem", "ca_crl.pem")] {
            if !is_file(&ssldir.path().join(name)) {
                put(name, Kind::Certificate, &read(&self.path(source))?)?;
            }
        }
        Ok(())
    }
}

impl Chain {
    /// Creates the keys at the same time.
    fn create(config: &AuthorityConfig, setup: &Setup, progress: &dyn Fn(&str)) -> Result<Chain, AuthorityError> {
        let (kind, keys) = (config.key, if setup.has_root { "keys" } else { "key" });
        // Keys of P-256 are created at once.
        if let KeyKind::Rsa(bits) = kind {
            progress(&format!("creating the {keys} of the certificate authority (RSA, {bits} bits) …"));
        }
        let key_pem = key::create(kind)?;
        let root_key = if setup.has_root { Some(key::create(kind)?) } else { None };
        let own = Key::read(key_pem.as_bytes()).map_err(AuthorityError)?;
        let name = setup.name.clone().unwrap_or_else(|| format!("Puppet CA: {}", config.certname));
        let name = common_name(&name)?;
        let Some(root_key) = root_key else {
            let issuer =
                Issuer { name: name.clone(), identifier: encoding::key_identifier(&own.public()?)?, key: &own };
            let certificate = issuer.authority_certificate(1, name, own.public()?, config.ttl)?;
            let crl = issuer.revocation_list(0, Vec::new(), TTL)?;
            return Ok(Chain { key: key_pem, root_key: None, certificates: vec![certificate], crls: vec![crl] });
        };
        let root = Key::read(root_key.as_bytes()).map_err(AuthorityError)?;
        let identifier = encoding::key_identifier(&root.public()?)?;
        // Each root has a different name, as with `puppetserver ca setup`: agents of several sites may trust several.
        let suffix: String = identifier.as_bytes().iter().take(7).map(|byte| format!("{byte:02x}")).collect();
        let root_name = common_name(&format!("Puppet Root CA: {suffix}"))?;
        let issuer = Issuer { name: root_name.clone(), identifier, key: &root };
        let root_certificate = issuer.authority_certificate(1, root_name, root.public()?, config.ttl)?;
        let certificate = issuer.authority_certificate(2, name, own.public()?, config.ttl)?;
        let own_crl = Issuer::of(&certificate, &own)?.revocation_list(0, Vec::new(), TTL)?;
        // Nothing renews the list of a root: it is valid as long as the root, as with `puppetserver ca setup`.
        let crls = vec![own_crl, issuer.revocation_list(0, Vec::new(), config.ttl)?];
        Ok(Chain { key: key_pem, root_key: Some(root_key), certificates: vec![certificate, root_certificate], crls })
    }

    /// Checks that the files belong together, as `puppetserver ca import` does.
    fn import(imported: &Imported) -> Result<Chain, AuthorityError> {
        let error = |text: &str| AuthorityError(text.to_owned());
        let key = Key::read(&imported.key).map_err(|why| AuthorityError(format!("the private key: {why}")))?;
        let mut certificates = bundle::certificates(&imported.bundle)
            .map_err(|why| AuthorityError(format!("the certificate bundle: {why}")))?;
        let lists = bundle::revocation_lists(&imported.crls)
            .map_err(|why| AuthorityError(format!("the chain of revocation lists: {why}")))?;
        let public = key.public()?;
        let own = certificates.iter().position(|one| one.tbs_certificate.subject_public_key_info == public);
        let own = certificates.remove(own.ok_or_else(|| error("Could not find certificate matching private key"))?);
        certificates.insert(0, own);
        let path = path(&certificates).ok_or_else(|| {
            error("Leaf certificate could not be validated: the bundle lacks a certificate between it and the root, or one has expired")
        })?;
        let mut crls = Vec::new();
        for (at, certificate) in path.iter().enumerate() {
            let mut own_lists = lists.iter().filter(|list| has_signed_list(certificate, list));
            match own_lists.next() {
                Some(list) => crls.push(list.clone()),
                None if at == 0 => crls.push(Issuer::of(certificate, &key)?.revocation_list(0, Vec::new(), TTL)?),
                None => {
                    let subject = &certificate.tbs_certificate.subject;
                    return Err(AuthorityError(format!(
                        "Leaf certificate could not be validated: no CRL of {subject}"
                    )));
                }
            }
        }
        crls.extend(lists.into_iter().filter(|list| !crls_contain(&path, list)));
        let key = String::from_utf8_lossy(&imported.key).into_owned();
        Ok(Chain { key, root_key: None, certificates, crls })
    }

    /// Writes the files of a new authority and of its server's certificate: all of them or none.
    fn install(self, config: AuthorityConfig, directory: &Directory) -> Result<Authority, AuthorityError> {
        let extra = [("inventory.txt", ""), ("infra_inventory.txt", ""), ("infra_serials", ""), ("serial", "0001\n")];
        self.write(directory, &extra)?;
        let place = config.directory.clone();
        let made = || {
            for folder in ["private", "requests", "signed"] {
                let created = directory.create_folder(folder);
                created.map_err(|why| directory::unwritable(&place.path().join(folder), &why))?;
            }
            let authority = Authority::open_existing(config)?;
            authority.ensure_server_certificate()?;
            Ok(authority)
        };
        made().inspect_err(|_| {
            for name in FILES {
                let _ = directory.remove(name);
            }
        })
    }

    fn write(&self, directory: &Directory, others: &[(&str, &str)]) -> Result<(), AuthorityError> {
        let certificates = self.certificates.iter().map(|one| pem("CERTIFICATE", &one.to_der().map_err(failed)?));
        let certificates = certificates.collect::<Result<String, _>>()?;
        let crls = encode_lists(&self.crls)?;
        let key = Key::read(self.key.as_bytes()).map_err(AuthorityError)?;
        let mut files = NewFiles::in_directory(directory);
        files.write(UNFINISHED, Kind::Certificate, "")?;
        for (name, text) in others {
            files.write(name, Kind::Certificate, text)?;
        }
        if let Some(root_key) = &self.root_key {
            files.write("root_key.pem", Kind::Key, root_key)?;
        }
        files.write("ca_key.pem", Kind::Key, &self.key)?;
        files.write("ca_pub.pem", Kind::Certificate, &key::public_pem(&key)?)?;
        files.write("ca_crl.pem", Kind::Certificate, &crls)?;
        if !others.is_empty() {
            files.write("infra_crl.pem", Kind::Certificate, &crls)?;
        }
        files.write("ca_crt.pem", Kind::Certificate, &certificates)?;
        let unwritable = |why| directory::unwritable(&directory.path().join(UNFINISHED), &why);
        directory.remove(UNFINISHED).map_err(unwritable)?;
        files.keep();
        Ok(())
    }
}

/// The files that [`Chain::write`] writes.
const FILES: [&str; 10] = [
    "ca_crt.pem",
    "ca_key.pem",
    "ca_pub.pem",
    "ca_crl.pem",
    "infra_crl.pem",
    "root_key.pem",
    "inventory.txt",
    "infra_inventory.txt",
    "infra_serials",
    "serial",
];

/// Revocation lists in PEM.
pub(super) fn encode_lists(lists: &[CertificateList]) -> Result<String, AuthorityError> {
    lists.iter().map(|list| pem("X509 CRL", &list.to_der().map_err(failed)?)).collect()
}

/// The certificates from the first one to a root, each signed by the next. `None`: the bundle lacks one of them.
fn path(bundle: &[Certificate]) -> Option<Vec<Certificate>> {
    let mut path = vec![bundle.first()?.clone()];
    loop {
        let last = path.last()?;
        let until = last.tbs_certificate.validity.not_after.to_unix_duration().as_secs();
        if until < now() {
            return None;
        }
        if has_signed(last, last) {
            return Some(path);
        }
        let issuer = bundle.iter().find(|issuer| has_signed(issuer, last))?.clone();
        if path.len() > bundle.len() {
            return None;
        }
        path.push(issuer);
    }
}

fn crls_contain(path: &[Certificate], list: &CertificateList) -> bool {
    path.iter().any(|certificate| certificate.tbs_certificate.subject == list.tbs_cert_list.issuer)
}

fn check_certname(certname: &str) -> Result<(), AuthorityError> {
    request::check_name(certname, certname).map_err(|why| AuthorityError(format!("{certname}: {why}")))
}

/// Checks that a directory has no file of an authority.
fn check_unused(place: &Place) -> Result<(), AuthorityError> {
    let folder = place.path();
    if is_file(&folder.join(UNFINISHED)) {
        return Ok(());
    }
    let existing: Vec<_> = FILES.iter().map(|name| folder.join(name)).filter(|path| is_file(path)).collect();
    refuse_existing(&existing.iter().map(AsRef::as_ref).collect::<Vec<_>>())
}

/// Checks that `ssldir` has no certificates; keys of the server may exist.
fn check_unused_ssldir(config: &AuthorityConfig) -> Result<(), AuthorityError> {
    let Some(ssldir) = &config.ssldir else { return Ok(()) };
    let files = CertificateFiles::in_ssldir(&ssldir.path(), &config.certname);
    let existing = [&files.certificate, &files.ca, &files.crl].into_iter().filter(|path| is_file(path));
    refuse_existing(&existing.map(AsRef::as_ref).collect::<Vec<_>>())
}

fn refuse_existing(existing: &[&Path]) -> Result<(), AuthorityError> {
    if existing.is_empty() {
        return Ok(());
    }
    let lines: Vec<String> = existing.iter().map(|path| format!("Existing file at '{}'", path.display())).collect();
    let advice = "If you would really like to replace your CA, please delete the existing files first.\n\
                  Note that any certificates that were issued by this CA will become invalid if you\nreplace it!";
    Err(AuthorityError(format!("{}\n{advice}", lines.join("\n"))))
}

/// Alternative names and extensions for a server's new certificate: these names, and what the certificate in the file has, if there is one.
fn with_those_of(
    path: &Path,
    mut names: Vec<GeneralName>,
) -> Result<(Vec<GeneralName>, Vec<Extension>), AuthorityError> {
    let authorization = cli_authorization()?;
    let mut extensions = Vec::new();
    let old = if is_file(path) { bundle::certificates(&read(path)?).unwrap_or_default() } else { Vec::new() };
    if let Some(old) = old.into_iter().next() {
        let old = old.tbs_certificate.extensions.unwrap_or_default();
        let known = request::general_names(&old).unwrap_or_default();
        names.extend(known.into_iter().filter(|name| !names.contains(name)).collect::<Vec<_>>());
        extensions.extend(old.into_iter().filter(request::is_node_extension));
    }
    if !extensions.iter().any(|extension| extension.extn_id == authorization.extn_id) {
        extensions.push(authorization);
    }
    Ok((names, extensions))
}

/// Whether the server's certificate has at least these names and does not expire soon.
fn is_current(path: &Path, names: &[GeneralName]) -> Result<bool, AuthorityError> {
    let unusable = |why: String| AuthorityError(format!("{}: {why}", path.display()));
    let certificates = bundle::certificates(&read(path)?).map_err(unusable)?;
    let Some(certificate) = certificates.first().map(|certificate| &certificate.tbs_certificate) else {
        return Ok(false);
    };
    let current = request::general_names(certificate.extensions.as_deref().unwrap_or_default()).map_err(unusable)?;
    let until = certificate.validity.not_after.to_unix_duration().as_secs();
    Ok(names.iter().all(|name| current.contains(name)) && until > now() + RENEWAL)
}
