//! The options of the classifier service: who may use it, and its listener for programs of this machine.
//!
//! In: options. Out: clients, a listener. Must not: know documents.

use std::net::SocketAddr;
use std::net::TcpListener;

use clap::Args;

use super::certificates::Certificates;
use super::server_error;
use catwalk_base::diag::Reason;
use catwalk_server::ClassifierClient;

/// Options of the classifier service.
#[derive(Args, Debug, Clone, Default)]
pub struct ClassifierArgs {
    /// Let these clients classify any node (`POST /v1/classified/nodes/NAME`): a certname, a pattern such as *.example.com, or an extension
    /// of the certificate such as pp_role=console (repeatable) [default: none; with --dev: the server's own certificate]
    #[arg(long, value_name = "CLIENT", hide_short_help = true)]
    pub classifier_allow: Vec<String>,
    /// Also serve the classifier without TLS and certificates to programs of this machine, on a loopback address
    #[arg(long, value_name = "ADDRESS:PORT", hide_short_help = true)]
    pub classifier_listen: Option<SocketAddr>,
}

impl ClassifierArgs {
    /// The clients that may classify any node.
    ///
    /// # Errors
    /// A client is empty or would be everybody.
    pub(super) fn clients(&self, certificates: &Certificates) -> Result<Vec<ClassifierClient>, Reason> {
        if self.classifier_allow.is_empty() {
            return Ok(certificates
                .dev_name()
                .map(|name| ClassifierClient::Certname(name.to_owned()))
                .into_iter()
                .collect());
        }
        self.classifier_allow.iter().map(|text| client("--classifier-allow", text)).collect()
    }

    /// Opens the listener without TLS.
    ///
    /// # Errors
    /// The address is not a loopback address, or is in use.
    pub(super) fn listen(&self) -> Result<Option<TcpListener>, Reason> {
        let Some(address) = self.classifier_listen else { return Ok(None) };
        if !address.ip().is_loopback() {
            let text = format!("--classifier-listen asks for no certificate, and other machines can reach {address}");
            return Err(Reason::usage(text)
                .help("listen on 127.0.0.1; others use the classifier on --listen, with a certificate"));
        }
        let failed = |why: std::io::Error| server_error(format!("cannot listen on {address}: {why}"));
        TcpListener::bind(address).map(Some).map_err(failed)
    }
}

/// A client that an option names.
///
/// # Errors
/// It is empty or would be everybody.
pub(super) fn client(option: &str, text: &str) -> Result<ClassifierClient, Reason> {
    let wrong = |why: &str| {
        let help = "name a certname, a pattern such as *.example.com, or an extension such as pp_role=console";
        Err(Reason::usage(format!("{option} '{text}': {why}")).help(help))
    };
    match text.split_once('=') {
        Some((name, value)) if name.is_empty() || value.is_empty() => wrong("an extension is NAME=VALUE"),
        Some((name, value)) => Ok(ClassifierClient::Extension(name.to_owned(), value.to_owned())),
        None if text.is_empty() => wrong("it names no client"),
        // Every agent has a certificate, and no node may see what others are.
        None if text == "*" || text == "all" => wrong("it would be every client"),
        None => Ok(ClassifierClient::Certname(text.to_lowercase())),
    }
}
