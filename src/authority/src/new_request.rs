//! A key and a request for its certificate, as `puppetserver ca generate` sends it to an authority.
//!
//! In: a name and alternative names. Out: a key and a request in PEM. Must not: send anything, write files.

use cms::cert::x509::attr::Attribute;
use cms::cert::x509::attr::Attributes;
use cms::cert::x509::der::Any;
use cms::cert::x509::der::Encode;
use cms::cert::x509::der::asn1::BitString;
use cms::cert::x509::der::asn1::SetOfVec;
use cms::cert::x509::request::CertReq;
use cms::cert::x509::request::CertReqInfo;
use cms::cert::x509::request::Version;

use crate::authority::with_certname;
use crate::config::AuthorityError;
use crate::config::KeyKind;
use crate::encoding::alternative_name;
use crate::encoding::alternative_names_extension;
use crate::encoding::common_name;
use crate::encoding::failed;
use crate::encoding::pem;
use crate::key;
use crate::key::Key;
use crate::request;

/// A key and a request for its certificate, in PEM.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewRequest {
    pub key: String,
    pub public_key: String,
    pub request: String,
}

impl NewRequest {
    /// Creates a key and a request. The certname is always one of the alternative names.
    ///
    /// # Errors
    /// A name is invalid: Puppet's message.
    pub fn create(name: &str, alternative_names: &[String], kind: KeyKind) -> Result<NewRequest, AuthorityError> {
        request::check_name(name, name).map_err(AuthorityError)?;
        let names: Result<Vec<_>, _> = alternative_names.iter().map(|name| alternative_name(name)).collect();
        let extension = alternative_names_extension(with_certname(name, names?)?)?;
        let private = key::create(kind)?;
        let key = Key::read(private.as_bytes()).map_err(AuthorityError)?;
        let mut values = SetOfVec::new();
        values.insert(Any::encode_from(&vec![extension]).map_err(failed)?).map_err(failed)?;
        let mut attributes = Attributes::new();
        attributes.insert(Attribute { oid: request::EXTENSION_REQUESTS[0], values }).map_err(failed)?;
        let info =
            CertReqInfo { version: Version::V1, subject: common_name(name)?, public_key: key.public()?, attributes };
        let signature = key.sign(&info.to_der().map_err(failed)?)?;
        let signature = BitString::from_bytes(&signature).map_err(failed)?;
        let request = CertReq { info, algorithm: key.algorithm()?, signature };
        let request = pem("CERTIFICATE REQUEST", &request.to_der().map_err(failed)?)?;
        Ok(NewRequest { public_key: key::public_pem(&key)?, key: private, request })
    }
}
