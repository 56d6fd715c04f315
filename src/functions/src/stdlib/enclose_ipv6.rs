//! `enclose_ipv6`, `stdlib::ip_in_range`

use crate::Function;
use crate::flatten::flat;
use crate::stdlib::concat;
use crate::stdlib::ip::Ip;
use catwalk_eval::Call;
use catwalk_eval::Res;
use catwalk_eval::runtime3;
use catwalk_eval::runtime3::fail;
use catwalk_value::Value;
use catwalk_value::ruby;

pub(super) const ENCLOSE_IPV6: Function = Function {
    name: "enclose_ipv6",
    signatures: &[("Any *$args", enclose_ipv6)],
    doc: "Encloses IPv6 addresses in brackets; other addresses stay unchanged. Returns an array without duplicates.",
    examples: &[("enclose_ipv6(['::1', '127.0.0.1'])", "['[::1]', '127.0.0.1']"), ("enclose_ipv6('::1')", "['[::1]']")],
};

pub(super) const IP_IN_RANGE: Function = Function {
    name: "stdlib::ip_in_range",
    signatures: &[("String $ipaddress, Variant[String, Array] $range", ip_in_range)],
    doc: "Returns whether an IP address is in a network, or in one of several.",
    examples: &[
        ("stdlib::ip_in_range('10.1.2.3', ['10.0.0.0/8', '192.168.0.0/16'])", "true"),
        ("stdlib::ip_in_range('10.1.2.3', '192.168.0.0/16')", "false"),
    ],
};

fn enclose_ipv6(call: &mut Call<'_, '_>) -> Res<Value> {
    let args = runtime3::args(call)?;
    let [input] = args.as_ref() else {
        return fail(format!("enclose_ipv6(): Wrong number of arguments given {} for 1", args.len()));
    };
    if !matches!(input, Value::Str(_) | Value::Array(_)) {
        let class = ruby::class_name(input);
        return fail(format!("enclose_ipv6(): Wrong argument type given {class} expected String or Array"));
    }
    let mut out = Vec::new();
    for value in flat(&args).into_iter().filter(|value| !value.is_undef()) {
        if value.as_str() == Some("*") {
            out.push(value);
            continue;
        }
        let string = runtime3::to_s(&value);
        match Ip::parse(&string) {
            Some(ip) if ip.is_v6() => {
                let zone = string.split_once('%').map(|(_, zone)| zone.split(['/', ']']).next().unwrap_or(zone));
                let zone = zone.map(|zone| format!("%{zone}")).unwrap_or_default();
                out.push(Value::from(format!("[{ip}{zone}]")));
            }
            Some(_) => out.push(value),
            None => return fail(format!("enclose_ipv6(): Wrong argument given {string} is not an ip address.")),
        }
    }
    Ok(Value::array(concat::uniq(&out)))
}

fn ip_in_range(call: &mut Call<'_, '_>) -> Res<Value> {
    let parse = |value: &Value| match value.as_str().map(Ip::parse) {
        Some(Some(ip)) => Ok(ip),
        // Ruby 3.1 omits the address here.
        Some(None) => fail("invalid address: "),
        None => fail("address family must be specified"),
    };
    let ip = parse(call.arg(0))?;
    let ranges = match call.arg(1) {
        Value::Array(ranges) => ranges.iter().map(parse).collect::<Res<Vec<_>>>()?,
        network => vec![parse(network)?],
    };
    Ok(Value::Bool(ranges.iter().any(|range| range.includes(ip))))
}
