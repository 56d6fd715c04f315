//! A server: started, reloaded, stopped.

use std::net::TcpListener;
use std::sync::Arc;

use crate::config::Config;
use crate::config::ServerError;
use crate::served_site::ServedSite;

/// A server that is ready to serve.
pub struct Server {
    handle: Handle,
}

/// Stops a server or reloads its certificates, from another thread.
#[derive(Clone)]
pub struct Handle {
    shared: Arc<Shared>,
}

/// What all requests need.
struct Shared {
    #[allow(dead_code)]
    config: Config,
    #[allow(dead_code)]
    site: Arc<dyn ServedSite>,
}

impl Server {
    /// Reads the certificates; a certificate authority is made where it does not exist, which takes seconds.
    ///
    /// # Errors
    /// Certificates cannot be read or written, or do not belong together.
    pub fn new(config: Config, site: Arc<dyn ServedSite>) -> Result<(Server, Handle), ServerError> {
        let handle = Handle { shared: Arc::new(Shared { config, site }) };
        Ok((Server { handle: handle.clone() }, handle))
    }

    /// Serves until [`Handle::stop`] is called and the requests that run then have ended.
    ///
    /// # Errors
    /// The system gives no threads or does not accept connections.
    pub fn serve(self, listeners: Vec<TcpListener>) -> Result<(), ServerError> {
        let _ = (listeners, self.handle);
        Err(ServerError("the server is not built yet".to_owned()))
    }
}

impl Handle {
    /// Takes no more connections and ends when the running requests have ended, at the latest after `Limits::stop_time`.
    pub fn stop(&self) {}

    /// Reads certificates and CRL again. New connections use the new ones; open connections keep their keys, but each of their
    /// requests is checked against the new CRL.
    ///
    /// # Errors
    /// They cannot be read: the server goes on with those that it has.
    pub fn reload(&self) -> Result<(), ServerError> {
        let _ = &self.shared;
        Ok(())
    }
}
