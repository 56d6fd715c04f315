//! TLS connections for ureq with a rustls configuration that ureq's own connector does not accept.

use std::io::Read;
use std::io::Write;
use std::sync::Arc;

use rustls::ClientConfig;
use rustls::ClientConnection;
use rustls::StreamOwned;
use rustls::pki_types::ServerName;
use ureq::Error;
use ureq::unversioned::resolver::DefaultResolver;
use ureq::unversioned::transport::Buffers;
use ureq::unversioned::transport::ConnectProxyConnector;
use ureq::unversioned::transport::ConnectionDetails;
use ureq::unversioned::transport::Connector;
use ureq::unversioned::transport::Either;
use ureq::unversioned::transport::LazyBuffers;
use ureq::unversioned::transport::NextTimeout;
use ureq::unversioned::transport::TcpConnector;
use ureq::unversioned::transport::Transport;
use ureq::unversioned::transport::TransportAdapter;
use ureq::unversioned::transport::time::Duration;
use ureq::unversioned::transport::time::Instant;

/// An agent that uses this module's TLS and ureq's defaults for everything else.
pub(super) fn agent(config: ureq::config::Config, tls: Arc<ClientConfig>) -> ureq::Agent {
    let connector = ().chain(ConnectProxyConnector::default()).chain(TcpConnector::default()).chain(TlsConnector(tls));
    ureq::Agent::with_parts(config, connector, DefaultResolver::default())
}

/// Wraps the connection to an `https` address.
#[derive(Debug)]
struct TlsConnector(Arc<ClientConfig>);

impl<In: Transport> Connector<In> for TlsConnector {
    type Out = Either<In, TlsTransport>;

    fn connect(&self, details: &ConnectionDetails<'_>, chained: Option<In>) -> Result<Option<Self::Out>, Error> {
        let Some(transport) = chained else { return Ok(None) };
        if !details.needs_tls() || transport.is_tls() {
            return Ok(Some(Either::A(transport)));
        }
        let host = details.uri.host().unwrap_or_default().trim_matches(['[', ']']).to_owned();
        let name = ServerName::try_from(host).map_err(|_| Error::Tls("the host of the address is not a valid name"))?;
        let mut connection = ClientConnection::new(self.0.clone(), name)?;
        let boxed: Box<dyn Transport> = Box::new(transport);
        let mut socket = TransportAdapter::new(boxed, details.current_time.clone());
        socket.set_timeout(time_left(details));
        connection.complete_io(&mut socket)?;
        let buffers = LazyBuffers::new(details.config.input_buffer_size(), details.config.output_buffer_size());
        Ok(Some(Either::B(TlsTransport { buffers, stream: StreamOwned { conn: connection, sock: socket } })))
    }
}

/// The time for connecting that remains after the TCP connection.
fn time_left(details: &ConnectionDetails<'_>) -> NextTimeout {
    let mut timeout = details.timeout;
    let now = (details.current_time)();
    if let (Duration::Exact(limit), Instant::Exact(now), Instant::Exact(start)) = (timeout.after, now, details.now) {
        timeout.after = Duration::Exact(limit.saturating_sub(now.saturating_duration_since(start)));
    }
    timeout
}

struct TlsTransport {
    buffers: LazyBuffers,
    stream: StreamOwned<ClientConnection, TransportAdapter>,
}

impl std::fmt::Debug for TlsTransport {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("TlsTransport").field("below", &self.stream.sock.inner()).finish()
    }
}

impl Transport for TlsTransport {
    fn buffers(&mut self) -> &mut dyn Buffers {
        &mut self.buffers
    }

    fn transmit_output(&mut self, amount: usize, timeout: NextTimeout) -> Result<(), Error> {
        self.stream.sock.set_timeout(timeout);
        let output = self.buffers.output().get(..amount).unwrap_or_default();
        Ok(self.stream.write_all(output)?)
    }

    fn await_input(&mut self, timeout: NextTimeout) -> Result<bool, Error> {
        self.stream.sock.set_timeout(timeout);
        let amount = self.stream.read(self.buffers.input_append_buf())?;
        self.buffers.input_appended(amount);
        Ok(amount > 0)
    }

    fn is_open(&mut self) -> bool {
        self.stream.sock.get_mut().is_open()
    }

    fn is_tls(&self) -> bool {
        true
    }
}
