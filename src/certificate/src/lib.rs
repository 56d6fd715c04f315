//! Trusted data from a certificate: its name and Puppet's certificate extensions.
//!
//! In: a certificate in PEM, names of further object identifiers. Out: certname and `extensions`. Must not: verify the certificate.
//!
//! The short names and the selection of extensions follow Puppet::SSL::Oids and Puppet::SSL::Certificate.

mod extensions;

pub use extensions::CertificateData;
pub use extensions::extension_name;
pub use extensions::extensions;
pub use extensions::named_extensions;
pub use extensions::read;
pub use extensions::short_names;
