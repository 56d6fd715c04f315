//! The URL of an LDAP server: `ldap://HOST[:PORT]` or `ldaps://HOST[:PORT]`.

/// The server that a URL names.
#[derive(PartialEq, Eq, Debug)]
pub(super) struct Address {
    pub(super) host: String,
    pub(super) port: u16,
    /// Whether the connection begins with TLS.
    pub(super) is_tls: bool,
}

/// Checks the URL of a server.
///
/// # Errors
/// It has another scheme, no host, or parts after the port; the string is the reason.
pub fn check_url(url: &str) -> Result<(), String> {
    parse(url).map(drop)
}

pub(super) fn parse(url: &str) -> Result<Address, String> {
    let invalid = || "the address of a directory is ldap://HOST, ldaps://HOST, or one of these with :PORT".to_owned();
    let (scheme, rest) = url.split_once("://").ok_or_else(invalid)?;
    let (is_tls, default) = match scheme.to_ascii_lowercase().as_str() {
        "ldap" => (false, 389),
        "ldaps" => (true, 636),
        _ => return Err(invalid()),
    };
    let rest = rest.strip_suffix('/').unwrap_or(rest);
    let (host, port) = match rest.strip_prefix('[').and_then(|rest| rest.split_once(']')) {
        Some((host, "")) => (host, None),
        Some((host, port)) => (host, Some(port.strip_prefix(':').ok_or_else(invalid)?)),
        None => rest.split_once(':').map_or((rest, None), |(host, port)| (host, Some(port))),
    };
    let is_host = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'-' | b'_' | b':');
    if host.is_empty() || !host.bytes().all(is_host) {
        return Err(invalid());
    }
    let port = port.map_or(Ok(default), |port| port.parse::<u16>().map_err(|_| invalid()))?;
    Ok(Address { host: host.to_owned(), port, is_tls })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_url_names_a_host_and_a_port() {
        for (url, expected) in [
            ("ldap://a.example.com", Some(("a.example.com", 389, false))),
            ("LDAPS://a/", Some(("a", 636, true))),
            ("ldap://127.0.0.1:3890", Some(("127.0.0.1", 3890, false))),
            ("ldaps://[::1]:6360", Some(("::1", 6360, true))),
            ("ldap://[::1]", Some(("::1", 389, false))),
            ("ldap://", None),
            ("ldap://a:b", None),
            ("ldap://a:1:2", None),
            ("ldap://user@a", None),
            ("ldap://a/dc=example", None),
            ("https://a", None),
            ("a", None),
        ] {
            let parsed = parse(url).ok();
            let parsed = parsed.as_ref().map(|address| (address.host.as_str(), address.port, address.is_tls));
            assert_eq!(parsed, expected, "{url}");
        }
    }
}
