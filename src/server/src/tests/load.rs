//! Many connections, bodies that use much memory, many requests for certificates.

use std::io::Read;
use std::net::TcpStream;
use std::time::Duration;
use std::time::Instant;

use super::support::Connection;
use super::support::Identity;
use super::support::RunningServer;
use super::support::certificate_request;
use super::support::limits;
use crate::config::Event;
use crate::config::Limits;
use catwalk_authority::Autosign;
use catwalk_authority::new_p256;

const STATUS: &str = "/status/v1/simple";

/// Connections that send nothing.
fn idle(server: &RunningServer, count: usize) -> Vec<TcpStream> {
    (0..count).map(|_| TcpStream::connect(server.address).unwrap()).collect()
}

/// How many of these connections the server has not closed.
fn count_open(streams: &mut [TcpStream]) -> usize {
    let is_open = |stream: &mut TcpStream| {
        stream.set_nonblocking(true).unwrap();
        matches!(stream.read(&mut [0; 1]), Err(why) if why.kind() == std::io::ErrorKind::WouldBlock)
    };
    streams.iter_mut().filter_map(|stream| is_open(stream).then_some(())).count()
}

/// Waits until the server has closed all but `expected` of these connections.
fn expect_open(streams: &mut [TcpStream], expected: usize) {
    let start = Instant::now();
    while count_open(streams) > expected {
        assert!(start.elapsed() < Duration::from_secs(20), "{} are open", count_open(streams));
        std::thread::sleep(Duration::from_millis(10));
    }
    assert_eq!(count_open(streams), expected);
}

fn start(limits: Limits) -> RunningServer {
    RunningServer::start_with(limits, Autosign::All)
}

#[test]
fn idle_connections_of_an_address_are_closed_for_new_ones() {
    let server = start(Limits { connections_per_address: 8, ..limits() });
    let identity = server.enroll("a.example.com");
    let mut node = Connection::open(&server, Some(&identity));
    assert_eq!(node.get(STATUS).status, 200);
    let mut streams = idle(&server, 50);
    let mut stranger = server.stranger();
    assert_eq!(stranger.get(STATUS).status, 200);
    expect_open(&mut streams, 7);
    assert_eq!(count_open(&mut streams[..43]), 0, "the oldest are closed");
    assert_eq!(node.get(STATUS).status, 200, "connections of nodes are not closed for others");
    let problems = || {
        let events = server.events.lock();
        events.iter().filter(|event| matches!(event, Event::Problem(text) if text.contains("were closed"))).count()
    };
    assert_eq!(problems(), 1, "the log has a line for all of them");
}

#[test]
fn clients_without_a_certificate_get_half_of_all_connections() {
    let server = start(Limits { connections: 12, connections_per_node: 8, ..limits() });
    let identity = server.enroll("a.example.com");
    let mut nodes: Vec<Connection> = (0..6).map(|_| Connection::open(&server, Some(&identity))).collect();
    assert!(nodes.iter_mut().all(|node| node.get(STATUS).status == 200));
    let mut streams = idle(&server, 50);
    expect_open(&mut streams, 6);
    assert!(nodes.iter_mut().all(|node| node.get(STATUS).status == 200));
}

#[test]
fn one_node_has_few_connections() {
    let server = start(Limits { connections_per_node: 3, ..limits() });
    let identity = server.enroll("a.example.com");
    let mut other = server.node("b.example.com");
    assert_eq!(other.get(STATUS).status, 200);
    let mut nodes: Vec<Connection> = (0..6)
        .map(|_| {
            let mut node = Connection::open(&server, Some(&identity));
            assert_eq!(node.get(STATUS).status, 200);
            node
        })
        .collect();
    let closed = nodes.iter_mut().take(3).filter_map(Connection::read).count();
    assert_eq!(closed, 0, "the first three are closed");
    assert!(nodes.iter_mut().skip(3).all(|node| node.get(STATUS).status == 200));
    assert_eq!(other.get(STATUS).status, 200);
}

#[test]
fn a_new_node_is_served_when_all_connections_are_used() {
    let server = start(Limits { connections: 4, ..limits() });
    let names = ["a", "b", "c", "d", "e"].map(|name| format!("{name}.example.com"));
    let identities = names.clone().map(|name| server.enroll(&name));
    let mut busy = Connection::open(&server, Some(&identities[0]));
    let slow =
        format!("GET /puppet/v3/catalog/{}?environment=slow HTTP/1.1\r\nHost: x\r\nAccept: */*\r\n\r\n", names[0]);
    busy.write(slow.as_bytes());
    let open = |identity: &Identity| {
        let mut node = Connection::open(&server, Some(identity));
        assert_eq!(node.get(STATUS).status, 200);
        node
    };
    let _nodes: Vec<Connection> = identities.iter().skip(1).cycle().take(12).map(open).collect();
    assert_eq!(busy.read().unwrap().status, 200, "a connection whose request is being answered is not closed");
}

#[test]
fn a_handshake_ends_in_time() {
    let server = start(Limits { handshake_time: Duration::from_secs(1), ..limits() });
    let mut streams = idle(&server, 3);
    expect_open(&mut streams, 0);
}

fn report(name: &str, length: usize) -> (String, Vec<u8>) {
    let head = format!(
        "PUT /puppet/v3/report/{name}?environment=production HTTP/1.1\r\nHost: x\r\nX-Puppet-Version: 7.23.0\r\n\
         Content-Type: application/json\r\nContent-Length: {length}\r\n\r\n"
    );
    let mut body = format!("{{\"host\": \"{name}\"").into_bytes();
    body.resize(length - 1, b' ');
    body.push(b'}');
    (head, body)
}

const KIB: usize = 1 << 10;

/// Memory for one body of 256 KiB that can always be read to its end, and for others of 256 KiB in total.
fn little_memory() -> Limits {
    Limits {
        request_memory: 2048 * KIB,
        report_bytes: 256 * KIB,
        facts_bytes: 256 * KIB,
        memory_time: Duration::from_millis(300),
        ..limits()
    }
}

#[test]
fn all_connections_share_the_memory_for_bodies() {
    let server = start(little_memory());
    let mut unfinished = ["a.example.com", "b.example.com"].map(|name| {
        let mut node = server.node(name);
        let (head, body) = report(name, 250 * KIB);
        node.write(head.as_bytes());
        node.write(&body[..230 * KIB]);
        (node, body)
    });
    // The server reads these bodies first; the next one then finds no memory.
    std::thread::sleep(Duration::from_millis(500));
    let identity = server.enroll("c.example.com");
    let send = || {
        let (head, body) = report("c.example.com", 100 * KIB);
        let mut node = Connection::open(&server, Some(&identity));
        node.write(head.as_bytes());
        node.write(&body);
        node.read()
    };
    let start = Instant::now();
    let refused = loop {
        match send() {
            Some(reply) if reply.status == 503 => break reply,
            // The server has not read the bodies of the first nodes yet.
            _ => assert!(start.elapsed() < Duration::from_secs(20)),
        }
    };
    assert!(refused.header("retry-after").is_some() && refused.header("connection") == Some("close"), "{refused:?}");
    assert_eq!(server.node("d.example.com").get(STATUS).status, 200, "requests without a body need no memory");
    // One of them waits for the end of the other.
    unfinished.iter_mut().for_each(|(node, body)| node.write(&body[230 * KIB..]));
    assert!(unfinished.iter_mut().all(|(node, _)| node.read().unwrap().status == 200));
    assert_eq!(send().unwrap().status, 200);
}

/// Each of them has a part of the memory and waits for more.
#[test]
fn bodies_that_wait_for_each_other_are_read_one_after_the_other() {
    let server = start(Limits { memory_time: Duration::from_secs(20), ..little_memory() });
    let names: Vec<String> = (0..12).map(|number| format!("n{number}.example.com")).collect();
    let mut nodes: Vec<Connection> = names.iter().map(|name| server.node(name)).collect();
    for (name, node) in names.iter().zip(&mut nodes) {
        let (head, body) = report(name, 240 * KIB);
        node.write(head.as_bytes());
        node.write(&body[..20 * KIB]);
    }
    let start = Instant::now();
    let statuses: Vec<u16> = std::thread::scope(|scope| {
        let finish = |name: &str, mut node: Connection| {
            node.write(&report(name, 240 * KIB).1[20 * KIB..]);
            node.read().unwrap().status
        };
        let running: Vec<_> =
            names.iter().zip(nodes.drain(..)).map(|(name, node)| scope.spawn(move || finish(name, node))).collect();
        running.into_iter().map(|thread| thread.join().unwrap()).collect()
    });
    assert_eq!(statuses, [200; 12]);
    assert!(start.elapsed() < Duration::from_secs(10), "{:?}", start.elapsed());
}

#[test]
fn announced_bodies_use_no_memory() {
    let server = start(little_memory());
    let names: Vec<String> = (0..12).map(|number| format!("n{number}.example.com")).collect();
    let mut nodes: Vec<Connection> = names.iter().map(|name| server.node(name)).collect();
    for (name, node) in names.iter().zip(&mut nodes) {
        let (head, body) = report(name, 250 * KIB);
        node.write(head.as_bytes());
        node.write(&body[..100]);
    }
    let mut other = server.node("a.example.com");
    let (head, body) = report("a.example.com", 30 * KIB);
    other.write(head.as_bytes());
    other.write(&body);
    assert_eq!(other.read().unwrap().status, 200);
}

#[test]
fn clients_without_a_certificate_use_their_own_memory() {
    let server = start(little_memory());
    let mut node = server.node("a.example.com");
    let half = |number: usize| {
        let mut stranger = server.stranger();
        stranger.write(
            format!(
                "PUT /puppet-ca/v1/certificate_request/n{number}.example.com HTTP/1.1\r\nHost: x\r\nContent-Length: 60000\r\n\r\n{}",
                "x".repeat(59_000)
            )
            .as_bytes(),
        );
        stranger
    };
    // The memory is enough for some of these bodies; none of them ends.
    let mut strangers: Vec<Connection> = (0..12).map(half).collect();
    let refused = || {
        let events = server.events.lock();
        events.iter().filter(|event| matches!(event, Event::Request { status: 503, .. })).count()
    };
    let start = Instant::now();
    while refused() < 4 {
        assert!(start.elapsed() < Duration::from_secs(20), "{} were refused", refused());
        std::thread::sleep(Duration::from_millis(10));
    }
    let (head, body) = report("a.example.com", 200 * KIB);
    node.write(head.as_bytes());
    node.write(&body);
    assert_eq!(node.read().unwrap().status, 200);
    strangers.iter_mut().for_each(|stranger| stranger.write(&[b'x'; 1000]));
    let statuses: Vec<u16> = strangers.iter_mut().filter_map(Connection::read).map(|reply| reply.status).collect();
    // The rest of the body may reach a connection that is closed already, whose response is then lost.
    assert!(statuses.iter().all(|status| [400, 503].contains(status)), "{statuses:?}");
    assert!(statuses.iter().filter(|status| **status == 400).count() <= 8, "{statuses:?}");
}

#[test]
fn few_certificate_requests_wait() {
    let server = RunningServer::start_with(
        Limits { waiting_certificate_requests: 3, ..limits() },
        Autosign::Names(vec!["signed".to_owned()]),
    );
    let put = |name: &str| {
        let request = certificate_request(name, &new_p256().unwrap(), &[]);
        let path = format!("/puppet-ca/v1/certificate_request/{name}");
        server.stranger().send("PUT", &path, &["Content-Type: text/plain"], request.as_bytes())
    };
    let replies = ["a", "b", "c", "d", "e"].map(put);
    assert_eq!(replies.each_ref().map(|reply| reply.status), [200, 200, 200, 503, 503]);
    let text = "3 certificate requests wait to be signed, as many as this server keeps; please retry later.";
    assert_eq!(replies[3].text(), text);
    assert!(replies[3].header("retry-after").is_some());
    assert_eq!(put("signed").status, 200, "a request that is signed at once does not wait");
    assert_eq!(put("a").status, 400);
    let folder = server.directory.path().join("ca/requests");
    assert_eq!(std::fs::read_dir(&folder).unwrap().count(), 3);
    std::fs::remove_file(folder.join("a.pem")).unwrap();
    assert_eq!(["d", "e"].map(|name| put(name).status), [200, 503]);
    let events = server.events.lock();
    let problems = events.iter().filter(|event| matches!(event, Event::Problem(text) if text.contains("wait to be")));
    assert_eq!(problems.count(), 1);
}
