//! Methods of all objects, and of the small classes: nil, booleans, procs, exceptions, opaque values.

use std::rc::Rc;

use crate::Blk;
use crate::Interp;
use crate::Raise;
use crate::value::Callable;
use crate::value::Exception;
use crate::value::Rv;
use catwalk_base::names::Name;
use catwalk_value::Value;

/// Methods of every object, and those of `Comparable` for values that have an order.
pub(crate) fn call(rt: &mut Interp<'_>, this: &Rv, name: &str, args: &[Rv], block: Blk<'_>) -> Raise<Option<Rv>> {
    if let Some(method) = rt.builtin_method(&super::every_object::CLASS, Name::new(name)) {
        return rt.call_builtin(method, this, args, block).map(Some);
    }
    Ok(Some(match (name, args) {
        ("<" | ">" | "<=" | ">=", [other])
            if matches!(this, Rv::Str(_) | Rv::Time(_) | Rv::Ip(_) | Rv::Version(_))
                || matches!(this, Rv::Puppet(value) if matches!(**value, Value::SemVer(_) | Value::Timestamp(_) | Value::Timespan(_))) =>
        {
            let order = rt.compare(this, other)?;
            Rv::bool(match name {
                "<" => order.is_lt(),
                ">" => order.is_gt(),
                "<=" => order.is_le(),
                _ => order.is_ge(),
            })
        }
        ("between?", [low, rest @ ..]) => {
            let high = rest.first().cloned().unwrap_or(Rv::Nil);
            Rv::bool(rt.compare(this, low)?.is_ge() && rt.compare(this, &high)?.is_le())
        }
        ("clamp", [low, high]) => {
            if rt.compare(this, low)?.is_lt() {
                low.clone()
            } else if rt.compare(this, high)?.is_gt() {
                high.clone()
            } else {
                this.clone()
            }
        }
        ("to_json", _) => Rv::str(rt.to_json(this, None, 0)?),
        ("to_pson", _) if rt.setup.dialect.has_pson => Rv::str(rt.to_json(this, None, 0)?),
        _ => return rt.reflect(this, name, args, block),
    }))
}

pub(crate) fn is_identical(a: &Rv, b: &Rv) -> bool {
    match (a, b) {
        (Rv::Str(a), Rv::Str(b)) => Rc::ptr_eq(a, b),
        (Rv::Array(a), Rv::Array(b)) => Rc::ptr_eq(a, b),
        (Rv::Hash(a), Rv::Hash(b)) => Rc::ptr_eq(a, b),
        (Rv::Set(a), Rv::Set(b)) => Rc::ptr_eq(a, b),
        (Rv::Object(a), Rv::Object(b)) => Rc::ptr_eq(a, b),
        (a, b) => crate::value::eql(a, b),
    }
}

pub(crate) fn call_nil(rt: &mut Interp<'_>, name: &str, args: &[Rv]) -> Raise<Option<Rv>> {
    Ok(Some(match name {
        "to_a" => Rv::array(Vec::new()),
        "to_h" => Rv::hash(crate::value::Map::default()),
        "to_i" => Rv::Int(0),
        "to_f" => Rv::float(0.0),
        "to_r" | "rationalize" => return rt.call_method(&Rv::Int(0), "to_r", &[], None).map(Some),
        "&" => Rv::False,
        "|" => Rv::bool(args.first().is_some_and(Rv::truthy)),
        _ => return Ok(None),
    }))
}

pub(crate) fn call_bool(this: bool, name: &str, args: &[Rv]) -> Option<Rv> {
    let other = args.first()?.truthy();
    Some(Rv::bool(match name {
        "&" => this && other,
        "|" => this || other,
        "^" => this != other,
        _ => return None,
    }))
}

pub(crate) fn call_proc(rt: &mut Interp<'_>, this: &Rc<Callable>, name: &str, args: &[Rv]) -> Raise<Option<Rv>> {
    Ok(Some(match name {
        "call" | "()" | "yield" | "===" | "[]" => rt.call_proc(this, args)?,
        "arity" => Rv::Int(rt.arity(this)),
        "lambda?" => Rv::bool(!matches!(&**this, Callable::Block { strict: false, .. })),
        "to_proc" => Rv::Proc(this.clone()),
        ">>" | "<<" if let Some(other) = args.first() => {
            let (this, other, this_first) = (this.clone(), other.clone(), name == ">>");
            Rv::Proc(Rc::new(Callable::Native(Box::new(move |rt, args| {
                if this_first {
                    let value = rt.call_proc(&this, args)?;
                    return rt.call_method(&other, "call", &[value], None);
                }
                let value = rt.call_method(&other, "call", args, None)?;
                rt.call_proc(&this, &[value])
            }))))
        }
        "curry" => {
            let arity = match args.first() {
                Some(count) => rt.expect_int(count)?,
                None => rt.arity(this),
            };
            // Optional parameters are ignored.
            let arity = usize::try_from(if arity < 0 { -arity - 1 } else { arity }).unwrap_or(0);
            curry(rt, this, arity, Vec::new())?
        }
        _ => return Ok(None),
    }))
}

/// A proc that takes its arguments one by one.
fn curry(rt: &mut Interp<'_>, callable: &Rc<Callable>, arity: usize, bound: Vec<Rv>) -> Raise<Rv> {
    if bound.len() >= arity {
        return rt.call_proc(callable, &bound);
    }
    let callable = callable.clone();
    Ok(Rv::Proc(Rc::new(Callable::Native(Box::new(move |rt, args| {
        let bound = bound.iter().chain(args).cloned().collect();
        curry(rt, &callable, arity, bound)
    })))))
}

pub(crate) fn call_exception(rt: &mut Interp<'_>, this: &Rc<Exception>, name: &str) -> Raise<Option<Rv>> {
    Ok(Some(match name {
        "message" => {
            let whole = Rv::Exception(this.clone());
            Rv::str(rt.to_s(&whole)?)
        }
        "to_s" => {
            let message = this.message.borrow().clone();
            Rv::str(rt.to_s(&message)?)
        }
        "full_message" | "detailed_message" => {
            let whole = Rv::Exception(this.clone());
            let string = rt.to_s(&whole)?;
            let class = rt.display_class(this.class);
            Rv::str(format!("{}:{}: {string} ({class})", this.file.borrow(), this.line.get()))
        }
        "set_backtrace" | "backtrace_locations" => Rv::Nil,
        "backtrace" => Rv::array(vec![Rv::str(format!("{}:{}", this.file.borrow(), this.line.get()))]),
        "cause" => Rv::Nil,
        "receiver" | "result" | "key" if let Some(value) = this.ivars.borrow().get(&internal_field(name)) => {
            value.clone()
        }
        "result" if this.class.as_str() == "StopIteration" => Rv::Nil,
        "original" | "file" | "line" | "pos" if rt.inherits_from(this.class, "Puppet::Error") => {
            this.ivars.borrow().get(&internal_field(name)).cloned().unwrap_or(Rv::Nil)
        }
        _ => return Ok(None),
    }))
}

/// The name of an internal field of an exception, which no variable of the program can have.
fn internal_field(name: &str) -> Name {
    Name::new(&format!("{}{name}", crate::object::exception::FIELD))
}

impl Interp<'_> {
    /// The remaining steps of `dig`.
    pub(crate) fn dig_further(&mut self, value: &Rv, rest: &[Rv]) -> Raise<Rv> {
        if !matches!(value, Rv::Array(_) | Rv::Hash(_)) && !self.responds_to(value, "dig") {
            let class = self.class_name(value);
            return self.raise("TypeError", format!("{class} does not have #dig method"));
        }
        self.call_method(value, "dig", rest, None)
    }
}
