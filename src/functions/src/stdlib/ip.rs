//! IP addresses as Ruby's `IPAddr` reads them, for several functions.

use std::net::IpAddr;
use std::net::Ipv4Addr;
use std::net::Ipv6Addr;

use ipnet::IpNet;

/// An address, or a network with its mask applied.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Ip(IpNet);

impl Ip {
    /// Reads `10.0.0.1`, `10.0.0.0/8`, `10.0.0.0/255.0.0.0`, `::1`, `[fe80::1]`, `fe80::1%eth0`; `None` for anything else.
    pub(super) fn parse(string: &str) -> Option<Ip> {
        let (address, mask) = match string.split_once('/') {
            Some((address, mask)) => (address, Some(mask)),
            None => (string, None),
        };
        let address = address.strip_prefix('[').map_or(Some(address), |rest| rest.strip_suffix(']'))?;
        let v6 = |string: &str| {
            let string =
                string.split_once('%').map_or(Some(string), |(string, zone)| (!zone.is_empty()).then_some(string))?;
            string.parse::<Ipv6Addr>().ok()
        };
        let address = match address.parse::<Ipv4Addr>() {
            Ok(address) => IpAddr::V4(address),
            Err(_) => IpAddr::V6(v6(address)?),
        };
        let network = match mask {
            None => IpNet::from(address),
            Some(mask) if !mask.is_empty() && mask.bytes().all(|byte| byte.is_ascii_digit()) => {
                IpNet::new(address, mask.parse().ok()?).ok()?
            }
            Some(mask) => {
                let mask = Ip::parse(mask)?.0.addr();
                if mask.is_ipv4() != address.is_ipv4() {
                    return None;
                }
                IpNet::with_netmask(address, mask).ok()?
            }
        };
        Some(Ip(network.trunc()))
    }

    pub(super) fn is_v4(self) -> bool {
        self.0.addr().is_ipv4()
    }

    pub(super) fn is_v6(self) -> bool {
        self.0.addr().is_ipv6()
    }

    /// Whether an address is in this network. `false` for an address of the other family.
    pub(super) fn includes(self, other: Ip) -> bool {
        self.0.contains(&other.0.addr())
    }
}

impl std::fmt::Display for Ip {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let address = self.0.addr();
        // IPv4-compatible addresses are printed with dots.
        if let IpAddr::V6(address) = address
            && let [0, 0, 0, 0, 0, 0, high, _] = address.segments()
            && high > 0
        {
            let [.., a, b, c, d] = address.octets();
            return write!(f, "::{a}.{b}.{c}.{d}");
        }
        write!(f, "{address}")
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]
    use super::*;

    #[test]
    fn addresses_are_parsed_and_printed() {
        let parsed = |string: &str| Ip::parse(string).map(|ip| ip.to_string());
        assert_eq!(parsed("10.1.2.3/8").unwrap(), "10.0.0.0");
        assert_eq!(parsed("10.1.2.3/255.255.0.0").unwrap(), "10.1.0.0");
        assert_eq!(parsed("[FE80:0::1]").unwrap(), "fe80::1");
        assert_eq!(parsed("::ffff:1.2.3.4").unwrap(), "::ffff:1.2.3.4");
        for bad in ["", "0.0.0.256", "1.2.3", "1.2.3.4/33", "1.2.3.4/255.0.255.0", "garbage", "01.2.3.4"] {
            assert_eq!(Ip::parse(bad), None, "{bad}");
        }
        let network = Ip::parse("10.0.0.0/8").unwrap();
        assert!(network.includes(Ip::parse("10.9.9.9").unwrap()));
        assert!(!network.includes(Ip::parse("11.0.0.1").unwrap()));
    }
}
