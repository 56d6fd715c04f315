//! DNS lookups with the name servers of this machine.
//!
//! In: a [`Question`]. Out: its records as strings, as in a zone file. Must not: read `/etc/hosts` or know the caller.

use std::fmt;
use std::net::IpAddr;
use std::net::SocketAddr;
use std::net::TcpStream;
use std::net::UdpSocket;
use std::sync::Arc;
use std::time::Duration;
use std::time::Instant;

use simple_dns::CLASS;
use simple_dns::Name;
use simple_dns::Packet;
use simple_dns::PacketFlag;
use simple_dns::QCLASS;
use simple_dns::QTYPE;
use simple_dns::RCODE;
use simple_dns::TYPE;
use simple_dns::rdata::RData;

use crate::WorldError;

/// How long one server may take to answer.
const SERVER_TIMEOUT: Duration = Duration::from_secs(5);
/// The largest answer of the protocol.
const MAX_ANSWER: usize = 65_535;

/// The type of record to look up.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Record {
    /// An IPv4 address.
    A,
    /// An IPv6 address.
    Aaaa,
    /// The canonical name of an alias.
    Cname,
    /// Mail servers: preference and name.
    Mx,
    /// Name servers of a domain.
    Ns,
    /// The name of an address.
    Ptr,
    /// Start of authority: seven fields.
    Soa,
    /// Services: priority, weight, port and name.
    Srv,
    /// Text records.
    Txt,
}

impl Record {
    /// The record type with a name such as `AAAA`.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Record> {
        Some(match name {
            "A" => Record::A,
            "AAAA" => Record::Aaaa,
            "CNAME" => Record::Cname,
            "MX" => Record::Mx,
            "NS" => Record::Ns,
            "PTR" => Record::Ptr,
            "SOA" => Record::Soa,
            "SRV" => Record::Srv,
            "TXT" => Record::Txt,
            _ => return None,
        })
    }

    fn to_wire(self) -> TYPE {
        match self {
            Record::A => TYPE::A,
            Record::Aaaa => TYPE::AAAA,
            Record::Cname => TYPE::CNAME,
            Record::Mx => TYPE::MX,
            Record::Ns => TYPE::NS,
            Record::Ptr => TYPE::PTR,
            Record::Soa => TYPE::SOA,
            Record::Srv => TYPE::SRV,
            Record::Txt => TYPE::TXT,
        }
    }
}

impl fmt::Display for Record {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Record::A => "A",
            Record::Aaaa => "AAAA",
            Record::Cname => "CNAME",
            Record::Mx => "MX",
            Record::Ns => "NS",
            Record::Ptr => "PTR",
            Record::Soa => "SOA",
            Record::Srv => "SRV",
            Record::Txt => "TXT",
        })
    }
}

/// One question.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Question {
    /// The type of record.
    pub record: Record,
    /// The name, with or without a dot at its end.
    pub name: String,
    /// Addresses of the name servers; if empty, those of this machine.
    pub servers: Vec<String>,
}

/// The records of an answer, as strings: `10.0.0.1`, `10 mail.example.com`. Empty: the name has no such record.
pub type Answer = Arc<[Arc<str>]>;

/// Queries one server after the other, over UDP and, when the answer is truncated, over TCP. `conf` is the contents of `resolv.conf`.
///
/// # Errors
/// No server answered, or the name is not a domain name.
pub(super) fn query(question: &Question, conf: &str, id: u16) -> Result<Answer, WorldError> {
    let servers = if question.servers.is_empty() { servers(conf) } else { question.servers.clone() };
    let mut last = "no name server is known".to_owned();
    for name in candidates(&question.name, conf) {
        let query = packet(question.record, &name, id).map_err(|error| refused(question, &error))?;
        for server in &servers {
            catwalk_base::meter::check(|| format!("the name server {server}"));
            let Ok(address) = server.parse::<IpAddr>() else {
                last = format!("{server} is not the address of a name server");
                continue;
            };
            match exchange(SocketAddr::new(address, 53), &query, id) {
                Ok(bytes) => match records(&bytes, question.record) {
                    Ok(found) if found.is_empty() => {
                        last.clear();
                        break;
                    }
                    Ok(found) => return Ok(found),
                    Err(error) => last = error,
                },
                Err(error) => last = format!("{server}: {error}"),
            }
        }
    }
    if last.is_empty() { Ok(Arc::from([])) } else { Err(refused(question, &last)) }
}

fn refused(question: &Question, why: &str) -> WorldError {
    WorldError::NotAllowed(Arc::from(format!("the DNS query for {} {}: {why}", question.record, question.name)))
}

/// The words after a keyword of `resolv.conf`.
fn words<'a>(conf: &'a str, keyword: &'a str) -> impl Iterator<Item = &'a str> {
    let lines = conf.lines().filter_map(move |line| line.trim().strip_prefix(keyword));
    lines.filter(|rest| rest.starts_with(char::is_whitespace)).flat_map(str::split_whitespace)
}

fn servers(conf: &str) -> Vec<String> {
    words(conf, "nameserver").map(|server| server.split('%').next().unwrap_or(server).to_owned()).collect()
}

/// The names to try. A name with a dot is tried unchanged first and then below the domains of the search list; a name without a
/// dot, the other way round.
fn candidates(name: &str, conf: &str) -> Vec<String> {
    if let Some(absolute) = name.strip_suffix('.') {
        return vec![absolute.to_owned()];
    }
    let below: Vec<String> =
        words(conf, "search").map(|domain| format!("{name}.{}", domain.trim_end_matches('.'))).collect();
    let unchanged = std::iter::once(name.to_owned());
    if name.contains('.') { unchanged.chain(below).collect() } else { below.into_iter().chain(unchanged).collect() }
}

fn packet(record: Record, name: &str, id: u16) -> Result<Vec<u8>, String> {
    let name = Name::new(name).map_err(|error| error.to_string())?;
    let mut packet = Packet::new_query(id);
    packet.set_flags(PacketFlag::RECURSION_DESIRED);
    packet.questions.push(simple_dns::Question::new(
        name,
        QTYPE::TYPE(record.to_wire()),
        QCLASS::CLASS(CLASS::IN),
        false,
    ));
    packet.build_bytes_vec().map_err(|error| error.to_string())
}

#[allow(clippy::disallowed_methods, reason = "a world accesses the machine here")]
fn exchange(server: SocketAddr, query: &[u8], id: u16) -> Result<Vec<u8>, String> {
    let to_message = |error: std::io::Error| error.to_string();
    let here: SocketAddr = if server.is_ipv4() { ([0, 0, 0, 0], 0).into() } else { ([0u16; 8], 0).into() };
    let socket = UdpSocket::bind(here).map_err(to_message)?;
    let deadline = deadline();
    socket.connect(server).map_err(to_message)?;
    socket.send(query).map_err(to_message)?;
    let mut bytes = vec![0; MAX_ANSWER];
    loop {
        socket.set_read_timeout(Some(remaining(deadline).map_err(to_message)?)).map_err(to_message)?;
        let length = socket.recv(&mut bytes).map_err(to_message)?;
        let head = bytes.get(..length).unwrap_or_default();
        match Packet::parse(head) {
            // Not the answer to this query; it may be forged.
            Ok(packet) if packet.id() != id => {}
            Ok(packet) if packet.has_flags(PacketFlag::TRUNCATION) => {
                return over_tcp(server, query).map_err(to_message);
            }
            Ok(_) => {
                bytes.truncate(length);
                return Ok(bytes);
            }
            Err(error) => return Err(error.to_string()),
        }
    }
}

fn over_tcp(server: SocketAddr, query: &[u8]) -> std::io::Result<Vec<u8>> {
    use std::io::Read;
    use std::io::Write;
    let deadline = deadline();
    let mut stream = TcpStream::connect_timeout(&server, remaining(deadline)?)?;
    stream.set_write_timeout(Some(remaining(deadline)?))?;
    stream.write_all(&u16::try_from(query.len()).unwrap_or(0).to_be_bytes())?;
    stream.write_all(query)?;
    let mut read = |length: usize| {
        let mut bytes = vec![0; length];
        let mut filled = 0;
        while let Some(rest) = bytes.get_mut(filled..).filter(|rest| !rest.is_empty()) {
            stream.set_read_timeout(Some(remaining(deadline)?))?;
            match stream.read(rest)? {
                0 => return Err(std::io::ErrorKind::UnexpectedEof.into()),
                more => filled += more,
            }
        }
        Ok(bytes)
    };
    let length = read(2)?.iter().fold(0, |length, byte| length << 8 | usize::from(*byte));
    read(length)
}

/// The deadline of one server: its time limit from now, or the compile's deadline if that is earlier.
fn deadline() -> Instant {
    Instant::now() + catwalk_base::meter::time_left().map_or(SERVER_TIMEOUT, |left| left.min(SERVER_TIMEOUT))
}

/// The time until the deadline.
fn remaining(deadline: Instant) -> std::io::Result<Duration> {
    let left = deadline.saturating_duration_since(Instant::now());
    if left.is_zero() { Err(std::io::ErrorKind::TimedOut.into()) } else { Ok(left) }
}

/// The records of the requested type in a response; the server follows aliases.
fn records(bytes: &[u8], record_type: Record) -> Result<Answer, String> {
    let packet = Packet::parse(bytes).map_err(|error| error.to_string())?;
    if !matches!(packet.rcode(), RCODE::NoError | RCODE::NameError) {
        return Err(format!("the server answers {:?}", packet.rcode()));
    }
    let found = packet.answers.iter().filter_map(|record| {
        Some(match (record_type, &record.rdata) {
            (Record::A, RData::A(a)) => std::net::Ipv4Addr::from(a.address).to_string(),
            (Record::Aaaa, RData::AAAA(a)) => std::net::Ipv6Addr::from(a.address).to_string(),
            (Record::Cname, RData::CNAME(name)) => name.0.to_string(),
            (Record::Ns, RData::NS(name)) => name.0.to_string(),
            (Record::Ptr, RData::PTR(name)) => name.0.to_string(),
            (Record::Mx, RData::MX(mx)) => format!("{} {}", mx.preference, mx.exchange),
            (Record::Srv, RData::SRV(srv)) => format!("{} {} {} {}", srv.priority, srv.weight, srv.port, srv.target),
            (Record::Soa, RData::SOA(soa)) => format!(
                "{} {} {} {} {} {} {}",
                soa.mname, soa.rname, soa.serial, soa.refresh, soa.retry, soa.expire, soa.minimum
            ),
            (Record::Txt, RData::TXT(txt)) => String::try_from(txt.clone()).ok()?,
            _ => return None,
        })
    });
    Ok(found.map(Arc::from).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_system_configuration_is_read() {
        let conf = "# made\nsearch example.com corp.example.com.\nnameserver 192.0.2.1\nnameserver fe80::1%eth0\noptions ndots:1\n";
        assert_eq!(servers(conf), ["192.0.2.1", "fe80::1"]);
        assert_eq!(candidates("www.example.org.", conf), ["www.example.org"]);
        assert_eq!(candidates("a.b", conf), ["a.b", "a.b.example.com", "a.b.corp.example.com"]);
        assert_eq!(candidates("www", conf), ["www.example.com", "www.corp.example.com", "www"]);
    }

    #[test]
    fn records_are_strings_as_in_zone_files() {
        let name = || Name::new_unchecked("www.example.com");
        let mut packet = Packet::new_reply(7);
        let rdata = [
            RData::CNAME(simple_dns::rdata::CNAME(Name::new_unchecked("web.example.com"))),
            RData::A(simple_dns::rdata::A { address: u32::from(std::net::Ipv4Addr::new(192, 0, 2, 7)) }),
            RData::MX(simple_dns::rdata::MX { preference: 10, exchange: Name::new_unchecked("mail.example.com") }),
        ];
        packet.answers =
            rdata.into_iter().map(|data| simple_dns::ResourceRecord::new(name(), CLASS::IN, 60, data)).collect();
        let bytes = packet.build_bytes_vec().unwrap_or_default();
        for (record, expected) in
            [(Record::A, "192.0.2.7"), (Record::Cname, "web.example.com"), (Record::Mx, "10 mail.example.com")]
        {
            let found = records(&bytes, record);
            assert_eq!(found.as_deref().ok(), Some(&[Arc::from(expected)][..]), "{record}");
        }
        assert_eq!(records(&bytes, Record::Txt).as_deref().ok(), Some(&[][..]));
    }

    #[test]
    fn an_invalid_name_is_refused() {
        let name = "a".repeat(70);
        let question = Question { record: Record::A, name, servers: vec!["192.0.2.1".to_owned()] };
        assert!(query(&question, "", 1).is_err());
    }
}
