//! `fact`, `has_interface_with`, `has_ip_address`, `has_ip_network`, `os_version_gte` and their names in `stdlib::`

use crate::Function;
use crate::versioncmp;
use catwalk_eval::Call;
use catwalk_eval::Res;
use catwalk_eval::runtime3;
use catwalk_eval::runtime3::fail;
use catwalk_value::Value;
use catwalk_value::ruby;

pub(super) const FACT: Function = Function {
    name: "fact",
    signatures: &[("String $fact_name", fact)],
    doc: "Returns the fact at a path with dots between levels, or `undef`. Quote a part that contains a dot with \
          double quotes.",
    examples: &[("fact('os.family')", "'Debian'"), ("fact('no.such.fact')", "undef")],
};

pub(super) const HAS_INTERFACE_WITH: Function = Function {
    name: "has_interface_with",
    signatures: &[("Any *$args", has_interface_with)],
    doc: "Returns whether the node has a network interface whose `ipaddress`, `netmask`, `network` or `macaddress` is \
          a value; with one argument, whether it has an interface of that name.",
    examples: &[
        ("has_interface_with('lo')", "true"),
        ("has_interface_with('ipaddress', '127.0.0.1')", "true"),
        ("has_interface_with('eth7')", "false"),
    ],
};

pub(super) const HAS_IP_ADDRESS: Function = Function {
    name: "has_ip_address",
    signatures: &[("Any *$args", |call| has_kind(call, "ipaddress"))],
    doc: "Returns whether one of the node's network interfaces has this IP address.",
    examples: &[("has_ip_address('127.0.0.1')", "true"), ("has_ip_address('10.1.1.1')", "false")],
};

pub(super) const HAS_IP_NETWORK: Function = Function {
    name: "has_ip_network",
    signatures: &[("Any *$args", |call| has_kind(call, "network"))],
    doc: "Returns whether one of the node's network interfaces is in this network, given by its address.",
    examples: &[("has_ip_network('127.0.0.0')", "true"), ("has_ip_network('10.1.0.0')", "false")],
};

pub(super) const STDLIB_HAS_INTERFACE_WITH: Function = Function {
    name: "stdlib::has_interface_with",
    signatures: &[
        ("String[1] $interface >> Boolean", |call| {
            let name = Value::from(call.str(0));
            Ok(Value::Bool(matches!(interfaces(call), Value::Hash(all) if all.contains(&name))))
        }),
        ("Enum['macaddress','netmask','ipaddress','network','ip','mac'] $kind, String[1] $value >> Boolean", |call| {
            let kind = match call.str(0) {
                "ipaddress" => "ip",
                "macaddress" => "mac",
                kind => kind,
            };
            let Value::Hash(all) = interfaces(call) else { return Ok(Value::Bool(false)) };
            let has = |interface: &Value| matches!(interface, Value::Hash(i) if i.get(kind) == Some(call.arg(1)));
            Ok(Value::Bool(all.values().any(has)))
        }),
    ],
    doc: "Returns whether the node has a network interface of this name; with two arguments, one whose `ip`, \
          `netmask`, `network` or `mac` is a value. Reads the fact `networking`.",
    examples: &[
        ("stdlib::has_interface_with('lo')", "true"),
        ("stdlib::has_interface_with('ip', '127.0.0.1')", "true"),
        ("stdlib::has_interface_with('eth7')", "false"),
    ],
};

pub(super) const OS_VERSION_GTE: Function = Function {
    name: "os_version_gte",
    signatures: &[("String[1] $os, String[1] $version >> Boolean", |call| {
        let fact = |name: &str| call.ev.fact(name).cloned().unwrap_or(Value::Undef);
        let (name, major) = (fact("operatingsystem"), fact("operatingsystemmajrelease"));
        Ok(Value::Bool(is_at_least(call, &name, &major)))
    })],
    doc: "Returns whether the node runs the named operating system in this version or a later one, by the facts \
          `operatingsystem` and `operatingsystemmajrelease`.",
    examples: &[("os_version_gte('Debian', '11')", "true"), ("os_version_gte('CentOS', '7')", "false")],
};

pub(super) const STDLIB_OS_VERSION_GTE: Function = Function {
    name: "stdlib::os_version_gte",
    signatures: &[("String[1] $os, String[1] $version >> Boolean", |call| {
        let (name, major) = (walk(call, &["os", "name"]), walk(call, &["os", "release", "major"]));
        Ok(Value::Bool(is_at_least(call, &name, &major)))
    })],
    doc: "Returns whether the node runs the named operating system in this version or a later one, by the fact `os`.",
    examples: &[
        ("stdlib::os_version_gte('Debian', '11')", "true"),
        ("stdlib::os_version_gte('Debian', '13')", "false"),
    ],
};

fn walk(call: &Call<'_, '_>, path: &[&str]) -> Value {
    let Some((first, rest)) = path.split_first() else { return Value::Undef };
    let mut value = call.ev.fact(first).cloned().unwrap_or(Value::Undef);
    for key in rest {
        value = match &value {
            Value::Hash(entries) => entries.get(key).cloned().unwrap_or(Value::Undef),
            _ => Value::Undef,
        };
    }
    value
}

fn interfaces(call: &Call<'_, '_>) -> Value {
    walk(call, &["networking", "interfaces"])
}

fn is_at_least(call: &Call<'_, '_>, name: &Value, major: &Value) -> bool {
    name == call.arg(0) && versioncmp::compare(&ruby::to_s(major), call.str(1)) != std::cmp::Ordering::Less
}

/// Parts between dots; a part in double quotes may contain dots.
fn split_name(name: &str) -> Vec<&str> {
    let mut out = Vec::new();
    let mut rest = name;
    while let Some(first) = rest.chars().next() {
        if first == '"' {
            match rest[1..].find('"') {
                Some(end) if end > 0 => {
                    out.push(&rest[1..=end]);
                    rest = &rest[end + 2..];
                }
                _ => rest = &rest[1..],
            }
        } else if first == '.' {
            rest = &rest[1..];
        } else {
            let end = rest.find(['.', '"']).unwrap_or(rest.len());
            out.push(&rest[..end]);
            rest = &rest[end..];
        }
    }
    out
}

fn fact(call: &mut Call<'_, '_>) -> Res<Value> {
    let name = call.str(0);
    let path = split_name(name);
    let mut current = Value::Hash(runtime3::facts(call)?);
    for (at, key) in path.iter().enumerate() {
        let walked = || {
            let quoted = |key: &&str| if key.contains('.') { format!("\"{key}\"") } else { (*key).to_owned() };
            path.get(..at).unwrap_or_default().iter().map(quoted).collect::<Vec<_>>().join(".")
        };
        current = match &current {
            Value::Undef => return Ok(Value::Undef),
            Value::Array(items) => match ruby::kernel_integer(key) {
                Some(index) => {
                    let length = i64::try_from(items.len()).unwrap_or(i64::MAX);
                    let index = if index < 0 { index + length } else { index };
                    usize::try_from(index).ok().and_then(|index| items.get(index)).cloned().unwrap_or(Value::Undef)
                }
                None => {
                    let message = format!(
                        "fact request for {name} returning nil: '{}' is an array; cannot index to '{key}'",
                        walked()
                    );
                    call.ev.log(catwalk_base::diag::Severity::Warning, message, None);
                    Value::Undef
                }
            },
            Value::Hash(entries) => entries.get(key).cloned().unwrap_or(Value::Undef),
            _ => {
                let message = format!(
                    "fact request for {name} returning nil: '{}' is not a collection; cannot walk to '{key}'",
                    walked()
                );
                call.ev.log(catwalk_base::diag::Severity::Warning, message, None);
                Value::Undef
            }
        };
    }
    Ok(current)
}

fn has_kind(call: &mut Call<'_, '_>, kind: &str) -> Res<Value> {
    let args = runtime3::args(call)?;
    match args.as_ref() {
        [value] => has_interface(call, &Value::from(kind), Some(value)),
        args => fail(format!("{}(): Wrong number of arguments given ({} for 1)", call.name, args.len())),
    }
}

fn has_interface_with(call: &mut Call<'_, '_>) -> Res<Value> {
    let args = runtime3::args(call)?;
    match args.as_ref() {
        [kind] => has_interface(call, kind, None),
        [kind, value] => has_interface(call, kind, Some(value)),
        args => fail(format!("has_interface_with(): Wrong number of arguments given ({} for 1 or 2)", args.len())),
    }
}

/// By legacy facts: `interfaces`, and `ipaddress_eth0` for each kind and interface.
fn has_interface(call: &mut Call<'_, '_>, kind: &Value, value: Option<&Value>) -> Res<Value> {
    let Value::Str(names) = runtime3::lookupvar(call, "interfaces")? else { return Ok(Value::Bool(false)) };
    let names: Vec<&str> = ruby::split_string(&names, ",");
    let kind = ruby::to_s(kind);
    let Some(value) = value else { return Ok(Value::Bool(names.contains(&kind.as_ref()))) };
    if call.variable(&kind)? == *value {
        return Ok(Value::Bool(true));
    }
    for name in names {
        if call.variable(&format!("{kind}_{}", ruby::downcase(name)))? == *value {
            return Ok(Value::Bool(true));
        }
    }
    Ok(Value::Bool(false))
}
