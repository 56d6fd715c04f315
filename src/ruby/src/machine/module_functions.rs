//! Functions of Ruby's modules and classes that have no table of methods: `Marshal`, `Time`, `Process`, `Gem::Version` …
//!
//! In: the name of a module and of its function, arguments. Out: the result. Must not: look up methods of the program.

use arcstr::ArcStr;

use crate::Interp;
use crate::Raise;
use crate::bridge::convert::deep_copy;
use crate::core::math;
use crate::core::random;
use crate::core::string_helpers::string_bytes;
use crate::core::time;
use crate::value::Rv;
use crate::value::object;

/// The class of the result of `Marshal.dump`.
const DUMPED: &str = "Marshal::Dumped";

/// Calls a function of a module; `None` if it has none of this name.
pub(crate) fn call(rt: &mut Interp<'_>, module: &str, name: &str, args: &[Rv]) -> Raise<Option<Rv>> {
    let arg = args.first().cloned().unwrap_or(Rv::Nil);
    Ok(Some(match (module, name) {
        ("Marshal", "dump") if args.len() == 1 => dump(rt, &arg)?,
        ("Marshal", "load") => load(rt, &arg)?,
        ("Time", _) => return call_time(rt, name, args),
        ("Process", "__run") => rt.run_process(args)?,
        ("Process", "clock_gettime") => Rv::float(rt.host.world().now().as_secs_f64()),
        ("Process", "pid") => Rv::Int(1),
        ("Process", "uid" | "euid" | "gid" | "egid") => Rv::Int(0),
        ("Net::HTTP", "__fetch") => rt.fetch_page(args)?,
        ("Math", _) => return math::call(rt, name, args),
        ("Integer", "sqrt") => math::integer_root(rt, &arg)?,
        ("Gem::Version", "correct?") => Rv::True,
        ("Gem::Version", "create") => Rv::Version(ArcStr::from(rt.to_s(&arg)?.trim())),
        (random::CLASS, _) => return random::class_method(rt, name, args),
        ("Zlib", "crc32") => {
            let bytes = if arg.is_nil() { Vec::new() } else { string_bytes(rt, &arg)? };
            Rv::Int(i64::from(crc32fast::hash(&bytes)))
        }
        ("Resolv", "ask") => crate::library::prelude::query_dns(rt, args)?,
        ("Kernel", _) => {
            let frame = rt.top_frame(Rv::Nil);
            return rt.kernel(name, args, None, &frame);
        }
        _ => return Ok(None),
    }))
}

/// `Marshal.dump(value)`: code dumps data only to load it again, so a deep copy is sufficient.
fn dump(rt: &mut Interp<'_>, value: &Rv) -> Raise<Rv> {
    match deep_copy(value) {
        Some(copy) => Ok(object(DUMPED, &[("value", copy)])),
        None => rt.unsupported("Marshal.dump of a value that is not data"),
    }
}

/// `Marshal.load(dumped)`
fn load(rt: &mut Interp<'_>, dumped: &Rv) -> Raise<Rv> {
    match dumped {
        Rv::Object(object) if object.class.as_str() == DUMPED => {
            let ivars = object.ivars.borrow();
            let value = ivars.get(&catwalk_base::name!("value")).and_then(deep_copy);
            Ok(value.unwrap_or(Rv::Nil))
        }
        _ => rt.unsupported("Marshal.load of this value"),
    }
}

/// Methods of the class `Time` itself.
fn call_time(rt: &mut Interp<'_>, name: &str, args: &[Rv]) -> Raise<Option<Rv>> {
    let arg = args.first().cloned().unwrap_or(Rv::Nil);
    Ok(Some(match name {
        "now" => time::now(rt),
        "new" | "utc" | "gm" | "local" | "mktime" => time::from_civil(rt, name, args)?,
        "parse" | "iso8601" | "xmlschema" | "rfc2822" | "httpdate" => {
            let source = rt.expect_str(&arg)?;
            time::parse(rt, &source)?
        }
        "strptime" => time::strptime(rt, args)?,
        "__parse" => time::parse_parts(&rt.expect_str(&arg)?),
        "__strptime" => time::strptime_parts(rt, args)?,
        "at" => match time::at(&arg) {
            Some(time) => time,
            None => return rt.type_error(&arg, "Integer"),
        },
        _ => return Ok(None),
    }))
}
