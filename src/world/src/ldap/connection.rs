//! A connection to a directory server: TCP or TLS, with one deadline and one budget of bytes for the whole conversation.
//!
//! In: requests as bytes. Out: the server's messages, one at a time. Must not: trust the lengths that a server sends: memory grows only with
//! bytes that have arrived.

use std::io;
use std::io::Read;
use std::io::Write;
use std::net::SocketAddr;
use std::net::TcpStream;
use std::net::ToSocketAddrs;
use std::path::Path;
use std::sync::Arc;
use std::sync::mpsc;
use std::time::Duration;
use std::time::Instant;

use rustls::ClientConfig;
use rustls::ClientConnection;
use rustls::StreamOwned;
use rustls::pki_types::ServerName;

use super::address::Address;
use super::messages;
use super::messages::NONSENSE;
use super::messages::Response;

/// The most bytes of all messages of a server.
const MAX_BYTES: u64 = 16 << 20;

/// A connection.
pub(super) struct Connection {
    stream: Stream,
    limit: Duration,
    /// How many bytes the server may still send.
    left: u64,
}

enum Stream {
    Plain(Timed),
    Tls(Box<StreamOwned<ClientConnection, Timed>>),
}

/// A socket whose operations end at a deadline.
struct Timed {
    socket: TcpStream,
    deadline: Instant,
}

impl Timed {
    fn time_left(&self) -> io::Result<Duration> {
        time_until(self.deadline).ok_or_else(|| io::ErrorKind::TimedOut.into())
    }
}

impl Read for Timed {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.socket.set_read_timeout(Some(self.time_left()?))?;
        self.socket.read(buffer)
    }
}

impl Write for Timed {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.socket.set_write_timeout(Some(self.time_left()?))?;
        self.socket.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.socket.flush()
    }
}

impl Connection {
    /// Connects to a server; the whole conversation ends after `limit`.
    pub(super) fn open(address: &Address, limit: Duration) -> Result<Connection, String> {
        let deadline = Instant::now() + limit;
        let addresses = resolve(address, deadline)?;
        let mut last = format!("the host {} has no address", address.host);
        for (number, socket) in addresses.iter().enumerate() {
            // The time that is left is shared with the addresses that follow.
            let rest = u32::try_from(addresses.len() - number).unwrap_or(u32::MAX);
            let Some(time) = time_until(deadline).map(|left| left / rest).filter(|time| !time.is_zero()) else { break };
            match TcpStream::connect_timeout(socket, time) {
                Ok(socket) => {
                    let stream = Stream::Plain(Timed { socket, deadline });
                    return Ok(Connection { stream, limit, left: MAX_BYTES });
                }
                Err(error) => last = describe(&error, limit),
            }
        }
        Err(last)
    }

    /// Continues with TLS.
    pub(super) fn encrypt(
        self,
        config: Arc<ClientConfig>,
        host: &str,
        crl: Option<&Path>,
    ) -> Result<Connection, String> {
        let Connection { stream: Stream::Plain(mut socket), limit, left } = self else { return Ok(self) };
        let name =
            ServerName::try_from(host.to_owned()).map_err(|_| format!("{host} is not a valid name of a host"))?;
        let mut tls = ClientConnection::new(config, name).map_err(|error| error.to_string())?;
        while tls.is_handshaking() {
            tls.complete_io(&mut socket).map_err(|error| {
                let certificate = error.get_ref().and_then(|inner| inner.downcast_ref::<rustls::Error>());
                certificate
                    .map_or_else(|| describe(&error, limit), |error| crate::http::tls::describe_error(error, crl))
            })?;
        }
        Ok(Connection { stream: Stream::Tls(Box::new(StreamOwned::new(tls, socket))), limit, left })
    }

    /// Sends a message.
    pub(super) fn send(&mut self, message: &[u8]) -> Result<(), String> {
        let sent = match &mut self.stream {
            Stream::Plain(socket) => socket.write_all(message).and_then(|()| socket.flush()),
            Stream::Tls(tls) => tls.write_all(message).and_then(|()| tls.flush()),
        };
        sent.map_err(|error| describe(&error, self.limit))
    }

    /// Receives the response to a request.
    pub(super) fn receive(&mut self, request: i32) -> Result<Response, String> {
        let mut head = self.read(2)?;
        let [messages::SEQUENCE, length] = head[..] else { return Err(NONSENSE.to_owned()) };
        let length = match length {
            ..=127 => u64::from(length),
            129..=132 => {
                head = self.read(u64::from(length & 127))?;
                head.iter().fold(0, |length, byte| length << 8 | u64::from(*byte))
            }
            _ => return Err(NONSENSE.to_owned()),
        };
        let body = self.read(length)?;
        messages::decode(&body, request).unwrap_or_else(|| Err(NONSENSE.to_owned()))
    }

    /// Receives the result of a request that has no other responses. `refused` describes what failed if it is not a success.
    pub(super) fn receive_result(&mut self, request: i32, kind: u8, refused: &str) -> Result<(), String> {
        match self.receive(request)? {
            Response::Result(received, result) if received == kind => result.check(refused),
            _ => Err(NONSENSE.to_owned()),
        }
    }

    /// Reads exactly this many bytes.
    fn read(&mut self, length: u64) -> Result<Vec<u8>, String> {
        if length > self.left {
            return Err(format!("it sends more than {} MiB", MAX_BYTES >> 20));
        }
        self.left -= length;
        let mut bytes = Vec::new();
        let read = match &mut self.stream {
            Stream::Plain(socket) => socket.take(length).read_to_end(&mut bytes),
            Stream::Tls(tls) => tls.take(length).read_to_end(&mut bytes),
        };
        read.map_err(|error| describe(&error, self.limit))?;
        match bytes.len() as u64 == length {
            true => Ok(bytes),
            false => Err("it closed the connection before it had answered".to_owned()),
        }
    }
}

fn time_until(deadline: Instant) -> Option<Duration> {
    Some(deadline.saturating_duration_since(Instant::now())).filter(|left| !left.is_zero())
}

fn describe(error: &io::Error, limit: Duration) -> String {
    match error.kind() {
        // What a socket's timeout is depends on the system.
        io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut => {
            format!("it has not answered within {:.1} s", limit.as_secs_f64())
        }
        io::ErrorKind::UnexpectedEof => "it closed the connection before it had answered".to_owned(),
        _ => error.to_string(),
    }
}

/// The addresses of a host, which the system may look up for longer than the limit.
fn resolve(address: &Address, deadline: Instant) -> Result<Vec<SocketAddr>, String> {
    let target = (address.host.clone(), address.port);
    if let Ok(ip) = address.host.parse() {
        return Ok(vec![SocketAddr::new(ip, address.port)]);
    }
    let (sender, receiver) = mpsc::channel();
    let look_up = move || {
        let found = target.to_socket_addrs().map(Iterator::collect).map_err(|error| error.to_string());
        // The caller no longer waits after the deadline.
        let _ = sender.send(found);
    };
    std::thread::Builder::new().name("resolver".to_owned()).spawn(look_up).map_err(|error| error.to_string())?;
    let found = receiver.recv_timeout(time_until(deadline).unwrap_or_default());
    found.unwrap_or_else(|_| Err(format!("the address of the host {} was not found in time", address.host)))
}
