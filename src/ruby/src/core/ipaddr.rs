//! `IPAddr`. Without `ipnet`, whose networks have no arithmetic: `succ`, `&`, `|`, `~` and shifts keep the mask of an address.

use std::net::Ipv4Addr;
use std::net::Ipv6Addr;
use std::rc::Rc;

use crate::Interp;
use crate::Raise;
use crate::core::big_integer;
use crate::core::string_helpers::from_network;
use crate::object::Class;
use crate::object::Method;
use crate::value::IpValue;
use crate::value::Range;
use crate::value::Rv;

fn address_bits(v6: bool) -> u32 {
    if v6 { 128 } else { 32 }
}

fn mask(prefix: u32, v6: bool) -> u128 {
    let all = if v6 { u128::MAX } else { u128::from(u32::MAX) };
    let host = address_bits(v6) - prefix.min(address_bits(v6));
    all.checked_shr(0).unwrap_or(all) & !(if host >= 128 { u128::MAX } else { (1u128 << host) - 1 })
}

/// One address.
pub(crate) fn single_address(address: u128, v6: bool) -> Rv {
    Rv::Ip(Rc::new(IpValue { address, v6, prefix: address_bits(v6) }))
}

fn format_address(address: u128, v6: bool) -> String {
    if v6 {
        Ipv6Addr::from(address).to_string()
    } else {
        Ipv4Addr::from(u32::try_from(address).unwrap_or(u32::MAX)).to_string()
    }
}

pub(crate) fn to_s(ip: &IpValue) -> String {
    format_address(ip.address, ip.v6)
}

fn to_full_string(ip: &IpValue) -> String {
    if ip.v6 {
        Ipv6Addr::from(ip.address).segments().map(|segment| format!("{segment:04x}")).join(":")
    } else {
        to_s(ip)
    }
}

pub(crate) fn inspect(ip: &IpValue) -> String {
    let family = if ip.v6 { "IPv6" } else { "IPv4" };
    let mask = IpValue { address: mask(ip.prefix, ip.v6), v6: ip.v6, prefix: 0 };
    format!("#<IPAddr: {family}:{}/{}>", to_full_string(ip), to_full_string(&mask))
}

/// Whether a network contains an address or network.
pub(crate) fn contains(network: &IpValue, other: &IpValue) -> bool {
    let mask = mask(network.prefix, network.v6);
    network.v6 == other.v6 && other.address & mask == network.address & mask && other.prefix >= network.prefix
}

/// The prefix length, from a number or a mask. (`IPAddr#mask!`)
fn parse_prefix(rt: &mut Interp<'_>, source: &str, (address, v6): (u128, bool)) -> Raise<u32> {
    let raise_invalid_prefix = |rt: &mut Interp<'_>, message: String| rt.raise("IPAddr::InvalidPrefixError", message);
    if !source.is_empty() && source.bytes().all(|byte| byte.is_ascii_digit()) {
        if source.len() > 1 && source.starts_with('0') {
            return raise_invalid_prefix(rt, "leading zeros in prefix".to_owned());
        }
        return match source.parse::<u32>() {
            Ok(n) if n <= address_bits(v6) => Ok(n),
            _ => raise_invalid_prefix(rt, format!("invalid length: {address}")),
        };
    }
    let (mask, all) = match (source.parse::<Ipv4Addr>(), source.parse::<Ipv6Addr>()) {
        (Ok(mask), _) if !v6 => (u128::from(u32::from(mask)), u128::from(u32::MAX)),
        (_, Ok(mask)) if v6 => (u128::from(mask), u128::MAX),
        (Err(_), Err(_)) => return rt.raise("IPAddr::InvalidAddressError", "invalid address: "),
        _ => return raise_invalid_prefix(rt, format!("address family is not same: {address}")),
    };
    let host = mask ^ all;
    if host.wrapping_add(1) & host != 0 {
        return raise_invalid_prefix(rt, format!("invalid mask {source}: {address}"));
    }
    Ok(mask.count_ones())
}

/// `IPAddr.new(text)`
pub(crate) fn parse(rt: &mut Interp<'_>, source: &str) -> Raise<Rv> {
    let (address, prefix) = match source.split_once('/') {
        Some((address, prefix)) => (address, Some(prefix)),
        None => (source, None),
    };
    let bare = address.trim_start_matches('[').trim_end_matches(']');
    let parsed = match (bare.parse::<Ipv4Addr>(), bare.split('%').next().unwrap_or("").parse::<Ipv6Addr>()) {
        (Ok(v4), _) => Some((u128::from(u32::from(v4)), false)),
        (_, Ok(v6)) => Some((u128::from(v6), true)),
        _ => None,
    };
    let Some((address, v6)) = parsed else {
        return rt.raise("IPAddr::InvalidAddressError", "invalid address: ");
    };
    let prefix = match prefix {
        None => address_bits(v6),
        Some(prefix) => parse_prefix(rt, prefix, (address, v6))?,
    };
    Ok(Rv::Ip(Rc::new(IpValue { address: address & mask(prefix, v6), v6, prefix })))
}

/// `IPAddr.new(address, family)`: a string, or an object with `to_i`.
pub(crate) fn parse_with_family(rt: &mut Interp<'_>, args: &[Rv]) -> Raise<Rv> {
    let family = args.get(1).cloned().unwrap_or(Rv::Int(0));
    let source = match args.first() {
        None => "::".to_owned(),
        Some(Rv::Str(string)) => string.borrow().clone(),
        Some(other) => {
            let v6 = match family {
                Rv::Int(family @ (2 | 10)) => family == 10,
                Rv::Int(0) => return rt.raise("IPAddr::AddressFamilyError", "address family must be specified"),
                family => {
                    let message = format!("unsupported address family: {}", rt.to_s(&family)?);
                    return rt.raise("IPAddr::AddressFamilyError", message);
                }
            };
            let number = rt.call_method(other, "to_i", &[], None)?;
            let address = big_integer::from_value(&number).and_then(|number| u128::try_from(number).ok());
            return match address.filter(|address| v6 || u32::try_from(*address).is_ok()) {
                Some(address) => Ok(single_address(address, v6)),
                // Puppet's Ruby has not set the address yet when it prints it.
                None => rt.raise("IPAddr::InvalidAddressError", "invalid address: "),
            };
        }
    };
    let address = parse(rt, &source)?;
    if let (Rv::Ip(ip), Rv::Int(family)) = (&address, &family)
        && *family != 0
        && (*family == 10) != ip.v6
    {
        return rt.raise("IPAddr::InvalidAddressError", "invalid address: ");
    }
    Ok(address)
}

/// `@addr`, `@mask_addr`, `@family`, as code that opens the class reads them.
pub(crate) fn variable(this: &IpValue, name: &str) -> Option<Rv> {
    Some(match name {
        "addr" => big_integer::to_value(this.address.into()),
        "mask_addr" => big_integer::to_value(mask(this.prefix, this.v6).into()),
        "family" => Rv::Int(if this.v6 { 10 } else { 2 }),
        _ => return None,
    })
}

/// A function on an address as the body of a method.
macro_rules! on {
    ($function:path) => {
        |rt, this, args, _| match this {
            Rv::Ip(this) => $function(rt, this, args),
            other => rt.type_error(other, "IPAddr"),
        }
    };
}

/// A property of an address as the body of a method.
macro_rules! property {
    ($function:expr) => {
        |rt, this, _, _| match this {
            Rv::Ip(this) => {
                let property: fn(&IpValue) -> Rv = $function;
                Ok(property(this))
            }
            other => rt.type_error(other, "IPAddr"),
        }
    };
}

pub(crate) static CLASS: Class = Class {
    name: "IPAddr",
    parent: None,
    includes: &[&super::comparable::CLASS],
    extends: &[],
    methods: &[
        Method::new("&", 1, on!(and)),
        Method::new("<<", 1, on!(shift_left)),
        Method::new("===", 1, on!(include)),
        Method::new(">>", 1, on!(shift_right)),
        Method::new("_to_string", 1, on!(number_to_string)),
        Method::new("family", 0, property!(|this| Rv::Int(if this.v6 { 10 } else { 2 }))),
        Method::new("hton", 0, property!(|this| from_network(this.address, address_bits(this.v6)))),
        Method::new("include?", 1, on!(include)),
        Method::new("ip6_arpa", 0, on!(ip6_arpa)),
        Method::new("ipv4?", 0, property!(|this| Rv::bool(!this.v6))),
        Method::new("ipv4_mapped", 0, on!(ipv4_mapped)),
        Method::new("ipv4_mapped?", 0, property!(|this| Rv::bool(is_mapped(this)))),
        Method::new("ipv6?", 0, property!(|this| Rv::bool(this.v6))),
        Method::new("link_local?", 0, property!(|this| Rv::bool(is_link_local(this)))),
        Method::new("loopback?", 0, property!(|this| Rv::bool(is_loopback(this)))),
        Method::new("mask", 1, on!(apply_mask)),
        Method::new("native", 0, property!(native)),
        Method::new("netmask", 0, property!(|this| Rv::str(format_address(mask(this.prefix, this.v6), this.v6)))),
        Method::new("prefix", 0, property!(|this| Rv::Int(i64::from(this.prefix)))),
        Method::new("private?", 0, property!(|this| Rv::bool(is_private(this)))),
        Method::new("reverse", 0, property!(|this| Rv::str(reverse_name(this)))),
        Method::new("succ", 0, property!(|this| with_address(this, this.address.wrapping_add(1)))),
        Method::new("to_i", 0, property!(|this| big_integer::to_value(this.address.into()))),
        Method::new("to_range", 0, property!(to_range)),
        Method::new("to_string", 0, property!(|this| Rv::str(to_full_string(this)))),
        Method::new("|", 1, on!(or)),
        Method::new("~", 0, property!(|this| with_address(this, !this.address))),
    ],
    singleton: &[Method::between("new", 0, 2, |rt, _, args, _| parse_with_family(rt, args))],
};

/// `_to_string(number)`, which code that opens the class calls.
fn number_to_string(_: &mut Interp<'_>, this: &Rc<IpValue>, args: &[Rv]) -> Raise<Rv> {
    let address = args.first().and_then(big_integer::from_value).and_then(|address| u128::try_from(address).ok());
    Ok(Rv::str(to_full_string(&IpValue { address: address.unwrap_or_default(), v6: this.v6, prefix: 0 })))
}

fn include(rt: &mut Interp<'_>, this: &Rc<IpValue>, args: &[Rv]) -> Raise<Rv> {
    let other = coerce(rt, args, this.v6)?;
    Ok(Rv::bool(contains(this, &other)))
}

fn and(rt: &mut Interp<'_>, this: &Rc<IpValue>, args: &[Rv]) -> Raise<Rv> {
    let other = coerce(rt, args, this.v6)?;
    Ok(with_address(this, this.address & other.address))
}

fn or(rt: &mut Interp<'_>, this: &Rc<IpValue>, args: &[Rv]) -> Raise<Rv> {
    let other = coerce(rt, args, this.v6)?;
    Ok(with_address(this, this.address | other.address))
}

fn shift_left(rt: &mut Interp<'_>, this: &Rc<IpValue>, args: &[Rv]) -> Raise<Rv> {
    let by = rt.expect_int(args.first().unwrap_or(&Rv::Nil))?;
    Ok(with_address(this, this.address.checked_shl(u32::try_from(by).unwrap_or(u32::MAX)).unwrap_or(0)))
}

fn shift_right(rt: &mut Interp<'_>, this: &Rc<IpValue>, args: &[Rv]) -> Raise<Rv> {
    let by = rt.expect_int(args.first().unwrap_or(&Rv::Nil))?;
    Ok(with_address(this, this.address.checked_shr(u32::try_from(by).unwrap_or(u32::MAX)).unwrap_or(0)))
}

fn ip6_arpa(rt: &mut Interp<'_>, this: &Rc<IpValue>, _: &[Rv]) -> Raise<Rv> {
    if this.v6 { Ok(Rv::str(reverse_name(this))) } else { rt.unsupported("IPAddr#ip6_arpa of an IPv4 address") }
}

fn ipv4_mapped(rt: &mut Interp<'_>, this: &Rc<IpValue>, _: &[Rv]) -> Raise<Rv> {
    if this.v6 {
        return rt.unsupported("IPAddr#ipv4_mapped of an IPv6 address");
    }
    let address = this.address | 0xffff_0000_0000;
    Ok(Rv::Ip(Rc::new(IpValue { address, v6: true, prefix: this.prefix + 96 })))
}

/// The IPv4 address of one that is mapped to IPv6; other addresses are unchanged.
fn native(this: &IpValue) -> Rv {
    if is_mapped(this) {
        return single_address(this.address & 0xffff_ffff, false);
    }
    with_address(this, this.address)
}

fn is_mapped(this: &IpValue) -> bool {
    this.v6 && this.address >> 32 == 0xffff
}

fn is_loopback(this: &IpValue) -> bool {
    if this.v6 { this.address == 1 } else { this.address >> 24 == 127 }
}

fn is_link_local(this: &IpValue) -> bool {
    if this.v6 { this.address >> 118 == 0xfe80 >> 6 } else { this.address >> 16 == 0xa9fe }
}

/// `mask(length)`, where the length may be a mask: the network of an address.
fn apply_mask(rt: &mut Interp<'_>, this: &Rc<IpValue>, args: &[Rv]) -> Raise<Rv> {
    let length = args.first().unwrap_or(&Rv::Nil);
    let v6 = this.v6;
    let prefix = match length {
        Rv::Int(n) => u32::try_from(*n).unwrap_or(u32::MAX),
        other => {
            let source = rt.expect_str(other)?;
            parse_prefix(rt, &source, (this.address, v6))?
        }
    };
    if prefix > address_bits(v6) {
        let inspected = rt.inspect(&Rv::Ip(this.clone()))?;
        return rt.raise("IPAddr::InvalidPrefixError", format!("invalid length: {inspected}"));
    }
    Ok(Rv::Ip(Rc::new(IpValue { address: this.address & mask(prefix, v6), v6, prefix })))
}

/// The range from the first to the last address of a network.
fn to_range(this: &IpValue) -> Rv {
    let v6 = this.v6;
    let mask = mask(this.prefix, v6);
    let all = if v6 { u128::MAX } else { u128::from(u32::MAX) };
    let (from, to) = (this.address & mask, this.address | (all & !mask));
    Rv::Range(Rc::new(Range { from: single_address(from, v6), to: single_address(to, v6), exclusive: false }))
}

/// The name for reverse lookups in DNS.
fn reverse_name(this: &IpValue) -> String {
    if this.v6 {
        let digits: Vec<String> = format!("{:032x}", this.address).chars().rev().map(String::from).collect();
        format!("{}.ip6.arpa", digits.join("."))
    } else {
        format!("{}.in-addr.arpa", to_s(this).rsplit('.').collect::<Vec<_>>().join("."))
    }
}

fn is_private(this: &IpValue) -> bool {
    if this.v6 {
        this.address >> 121 == 0xfc >> 1
    } else {
        this.address >> 24 == 10 || this.address >> 20 == 0xac1 || this.address >> 16 == 0xc0a8
    }
}

/// A different address with the same mask.
fn with_address(this: &IpValue, address: u128) -> Rv {
    let all = if this.v6 { u128::MAX } else { u128::from(u32::MAX) };
    Rv::Ip(Rc::new(IpValue { address: address & all, v6: this.v6, prefix: this.prefix }))
}

/// The address of an argument: an address, a string, or a number of the same family.
fn coerce(rt: &mut Interp<'_>, args: &[Rv], v6: bool) -> Raise<Rc<IpValue>> {
    let value = args.first().unwrap_or(&Rv::Nil);
    let address = match value {
        Rv::Str(string) => {
            let string = string.borrow().clone();
            parse(rt, &string)?
        }
        Rv::Int(_) | Rv::Big(_) => {
            let number = big_integer::from_value(value).and_then(|number| u128::try_from(number).ok());
            single_address(number.unwrap_or(0), v6)
        }
        other => other.clone(),
    };
    match address {
        Rv::Ip(ip) => Ok(ip),
        _ => rt.unsupported("an address of this value"),
    }
}
