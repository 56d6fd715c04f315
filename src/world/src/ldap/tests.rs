//! Directories that answer wrongly: each ends a search with a clear reason, in time.

use std::io::Read;
use std::io::Write;
use std::net::TcpListener;
use std::net::TcpStream;
use std::time::Instant;

use super::*;
use crate::ldap::messages::decode;

/// The successful response to the request to log in, and to the search.
const BOUND: &[u8] = b"\x30\x0c\x02\x01\x02\x61\x07\x0a\x01\x00\x04\x00\x04\x00";
const DONE: &[u8] = b"\x30\x0c\x02\x01\x03\x65\x07\x0a\x01\x00\x04\x00\x04\x00";
/// The entry `cn=a` with the attribute `cn`.
const ENTRY: &[u8] = b"\x30\x18\x02\x01\x03\x64\x13\x04\x04cn=a\x30\x0b\x30\x09\x04\x02cn\x31\x03\x04\x01a";

/// Searches a server that is this function, and returns the entries or the reason, within the limit.
fn search_server(serve: impl FnOnce(TcpStream) + Send + 'static) -> Result<Arc<[LdapEntry]>, String> {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let server = std::thread::spawn(move || serve(listener.accept().unwrap().0));
    let start = Instant::now();
    let found = search(
        &LdapSearch {
            url: format!("ldap://127.0.0.1:{port}"),
            login: Some(("cn=reader".to_owned(), Password::Text("correct-horse".to_owned()))),
            filter: "(cn=a)".to_owned(),
            timeout: Some(Duration::from_millis(700)),
            ..LdapSearch::default()
        },
        &SecretCollection::default(),
    );
    assert!(start.elapsed() < Duration::from_secs(5), "{:?}", start.elapsed());
    drop(server);
    found.map_err(|error| error.to_string().split_once(": ").map(|(_, why)| why.to_owned()).unwrap_or_default())
}

/// A server that reads what arrives first, and sends these bytes.
fn sending(bytes: impl Into<Vec<u8>>) -> impl FnOnce(TcpStream) + Send + 'static {
    let bytes = bytes.into();
    move |mut stream| {
        let _ = stream.read(&mut [0; 1024]);
        let _ = stream.write_all(&bytes);
        // Until the client has closed the connection.
        let _ = stream.read_to_end(&mut Vec::new());
    }
}

fn refusal(bytes: impl Into<Vec<u8>>) -> String {
    search_server(sending(bytes)).unwrap_err()
}

#[test]
fn entries_are_read() {
    let found = search_server(sending([BOUND, ENTRY, DONE].concat())).unwrap();
    let entry = LdapEntry { dn: "cn=a".to_owned(), attributes: vec![("cn".to_owned(), vec![Arc::from(&b"a"[..])])] };
    assert_eq!(found.as_ref(), [entry]);
    assert_eq!(found[0].values("CN").map(<[_]>::len), Some(1));
}

#[test]
fn nonsense_is_refused() {
    for bytes in [
        &b"HTTP/1.1 400 Bad Request\r\n\r\n"[..],
        b"\x30\x80\x02\x01\x02\x61\x00\x00",
        b"\x30\x02\x01\x02",
        b"\x30\x00",
        b"\x30\x0c\x02\x01\x07\x61\x07\x0a\x01\x00\x04\x00\x04\x00",
        DONE,
    ] {
        assert_eq!(refusal(bytes), messages::NONSENSE, "{bytes:?}");
    }
    // Cut or changed at any byte, a conversation ends with a reason or with entries.
    let whole = [BOUND, ENTRY, DONE].concat();
    for at in 0..ENTRY.len() - 2 {
        for byte in [0, 0x7f, 0x80, 0x84, 0xff] {
            let mut body = ENTRY[2..].to_vec();
            body[at] = byte;
            let _ = decode(&body, 3);
            let _ = decode(&body[..at], 3);
        }
    }
    let closed = search_server(move |mut stream| _ = stream.write_all(&whole[..whole.len() - 3])).unwrap_err();
    assert!(closed.contains("closed the connection") || closed.contains("reset"), "{closed}");
}

#[test]
fn a_server_may_not_send_too_much() {
    let claims_4_gib = [BOUND, b"\x30\x84\xff\xff\xff\xff"].concat();
    assert_eq!(refusal(claims_4_gib), "it sends more than 16 MiB");
    let many = [BOUND.to_vec(), ENTRY.repeat(MAX_ENTRIES + 1), DONE.to_vec()].concat();
    assert_eq!(refusal(many), "it finds more than 10000 entries");
    let nested = [BOUND.to_vec(), b"\x30\x83\x01\x00\x00".to_vec(), b"\x30\x80".repeat(1 << 15)].concat();
    assert_eq!(refusal(nested), messages::NONSENSE);
}

#[test]
fn a_slow_or_silent_server_is_given_up() {
    let silent = search_server(sending(*b"")).unwrap_err();
    assert_eq!(silent, "it has not answered within 0.7 s");
    let slow = search_server(|mut stream| {
        for byte in BOUND.iter().chain(ENTRY).cycle() {
            std::thread::sleep(Duration::from_millis(50));
            if stream.write_all(&[*byte]).is_err() {
                break;
            }
        }
    });
    assert_eq!(slow.unwrap_err(), "it has not answered within 0.7 s");
}

#[test]
fn a_message_with_the_password_is_redacted() {
    let text = b"no correct-horse here";
    let mut refused = b"\x30\x21\x02\x01\x02\x61\x1c\x0a\x01\x31\x04\x00\x04\x15".to_vec();
    refused.extend(text);
    assert_eq!(refusal(refused), "it refuses the login: invalid credentials, code 49 (no [password] here)");
    let login = Password::Text("correct-horse".to_owned());
    assert_eq!(format!("{login:?}"), "Password");
}

#[test]
fn filters_are_checked_before_a_connection() {
    for filter in ["(cn=", "", "(cn=a))", &"(!".repeat(100), &"(cn=a)".repeat(20_000)] {
        let search =
            LdapSearch { url: "ldap://192.0.2.1".to_owned(), filter: filter.to_owned(), ..LdapSearch::default() };
        let why = super::search(&search, &SecretCollection::default()).unwrap_err().to_string();
        assert!(why.contains("the filter is"), "{why:.200}");
    }
    for filter in ["(cn=a)", "cn=a", "(&(objectClass=*)(|(cn=a*)(!(sn=\\28x\\29))))"] {
        assert_eq!(check_ldap_filter(filter), Ok(()), "{filter}");
    }
}

#[test]
fn a_password_file_is_private() {
    use std::os::unix::fs::PermissionsExt;
    let dir = tempfile::TempDir::new().unwrap();
    let path = dir.path().join("password");
    std::fs::write(&path, "correct-horse\n").unwrap();
    let secrets = SecretCollection::default();
    let with_mode = |mode| {
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(mode)).unwrap();
        read_password(&path, &secrets)
    };
    assert_eq!(with_mode(0o640).unwrap(), "correct-horse");
    assert_eq!(secrets.reported().iter().collect::<Vec<_>>(), ["correct-horse"]);
    let refused = with_mode(0o644).unwrap_err().to_string();
    assert!(refused.contains("every user may read it") && !refused.contains("horse"), "{refused}");
}

#[test]
fn a_long_time_limit_and_a_repeated_password_are_harmless() {
    let nowhere = LdapSearch {
        url: "ldap://127.0.0.1:1".to_owned(),
        filter: "(cn=x)".to_owned(),
        timeout: Some(Duration::MAX),
        ..LdapSearch::default()
    };
    assert!(
        search(&nowhere, &SecretCollection::default())
            .unwrap_err()
            .to_string()
            .starts_with("cannot reach ldap://127.0.0.1:1: ")
    );
    // The password would begin before the end of a cut message and end behind it.
    let text = format!("{}correct-horse", "x".repeat(MAX_QUOTED - 20));
    let login = Some(("cn=x".to_owned(), Password::Text("correct-horse".to_owned())));
    let malformed = LdapSearch { filter: format!("({text}"), login, ..nowhere };
    let why = search(&malformed, &SecretCollection::default()).unwrap_err().to_string();
    assert!(why.contains("the filter is malformed") && !why.contains("correct"), "{why}");
}
