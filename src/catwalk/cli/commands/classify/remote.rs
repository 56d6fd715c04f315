//! The options of a classifier service.

use std::path::PathBuf;

use clap::Args;

use crate::cli::options;
use catwalk_base::diag::Reason;
use catwalk_classify::Service;
use catwalk_world::Identity;

/// The options of a classifier service.
#[derive(Args, Debug, Clone, Default)]
pub struct ServerArgs {
    /// Ask this classifier service instead, such as https://puppet:8140 (catwalk serve) or https://pe.example.com:4433/classifier-api
    #[arg(long, value_name = "URL", conflicts_with_all = ["groups", "all", "matrix", "nodes", "expect", "translate_rules"])]
    pub server: Option<String>,
    /// The certificate of the authority that signed the service's (PEM)
    #[arg(long, value_name = "FILE", requires = "server")]
    pub ssl_ca: Option<PathBuf>,
    /// The certificate to present to the service (PEM)
    #[arg(long, value_name = "FILE", requires_all = ["server", "ssl_key"])]
    pub ssl_cert: Option<PathBuf>,
    /// The key of this certificate (PEM)
    #[arg(long, value_name = "FILE", requires_all = ["server", "ssl_cert"])]
    pub ssl_key: Option<PathBuf>,
    /// Revocation lists of the authorities in the service's chain (PEM)
    #[arg(long, value_name = "FILE", requires = "server")]
    pub ssl_crl: Option<PathBuf>,
    /// The file of a token of Puppet Enterprise's access control, which `puppet-access login` writes
    #[arg(long, value_name = "FILE", requires = "server")]
    pub token: Option<PathBuf>,
}

impl ServerArgs {
    /// The service, if one is named.
    ///
    /// # Errors
    /// The current directory does not exist.
    pub(super) fn service(&self) -> Result<Option<Service>, Reason> {
        let Some(url) = &self.server else { return Ok(None) };
        let absolute = |path: &Option<PathBuf>| path.as_deref().map(options::absolute).transpose();
        let identity = Identity {
            ca: absolute(&self.ssl_ca)?,
            cert: absolute(&self.ssl_cert)?,
            key: absolute(&self.ssl_key)?,
            crl: absolute(&self.ssl_crl)?,
            token: self.token.clone(),
        };
        Ok(Some(Service { url: url.clone(), identity }))
    }
}
