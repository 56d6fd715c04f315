//! Methods of all objects, and of the small classes: nil, booleans, procs, exceptions, opaque values.

use std::rc::Rc;

use crate::Blk;
use crate::Interp;
use crate::Raise;
use crate::object::MethodId;
use crate::value::Callable;
use crate::value::Exception;
use crate::value::Rv;
use catwalk_base::names::Name;
use catwalk_value::Object;
use catwalk_value::Value;

/// Methods of every object, and those of `Comparable` for values that have an order.
pub(crate) fn call(rt: &mut Interp<'_, '_>, this: &Rv, name: &str, args: &[Rv], block: Blk<'_>) -> Raise<Option<Rv>> {
    if let Some(method) = crate::object::find(&super::every_object::CLASS, Name::new(name)).and_then(MethodId::method) {
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
        ("to_pson", _) if rt.ev.settings.ruby.has_pson => Rv::str(rt.to_json(this, None, 0)?),
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

/// `dup`
pub(crate) fn copy(this: &Rv) -> Rv {
    match this {
        Rv::Str(string) => Rv::str(string.borrow().clone()),
        Rv::Bytes(bytes) => Rv::bytes(bytes.borrow().clone()),
        Rv::Array(items) => Rv::array(items.borrow().clone()),
        Rv::Hash(hash) => {
            let copy = crate::value::HashObject::new(hash.map.borrow().clone());
            *copy.default.borrow_mut() = hash.default.borrow().clone();
            *copy.default_proc.borrow_mut() = hash.default_proc.borrow().clone();
            Rv::Hash(copy)
        }
        Rv::Set(set) => Rv::Set(crate::value::share(set.borrow().clone())),
        Rv::Object(object) => {
            let instance = crate::value::Instance::with(object.class, object.ivars.borrow().clone());
            *instance.native.borrow_mut() = object.native.borrow().as_ref().map(copy);
            Rv::Object(Rc::new(instance))
        }
        other => other.clone(),
    }
}

pub(crate) fn call_nil(rt: &mut Interp<'_, '_>, name: &str, args: &[Rv]) -> Raise<Option<Rv>> {
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

pub(crate) fn call_proc(rt: &mut Interp<'_, '_>, this: &Rc<Callable>, name: &str, args: &[Rv]) -> Raise<Option<Rv>> {
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
fn curry(rt: &mut Interp<'_, '_>, callable: &Rc<Callable>, arity: usize, bound: Vec<Rv>) -> Raise<Rv> {
    if bound.len() >= arity {
        return rt.call_proc(callable, &bound);
    }
    let callable = callable.clone();
    Ok(Rv::Proc(Rc::new(Callable::Native(Box::new(move |rt, args| {
        let bound = bound.iter().chain(args).cloned().collect();
        curry(rt, &callable, arity, bound)
    })))))
}

pub(crate) fn call_exception(rt: &mut Interp<'_, '_>, this: &Rc<Exception>, name: &str) -> Raise<Option<Rv>> {
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
    Name::new(&format!("{}{name}", crate::machine::exception::FIELD))
}

/// Methods of a value of the Puppet language that has no equivalent Ruby value.
pub(crate) fn call_puppet(
    rt: &mut Interp<'_, '_>,
    value: &Rc<Value>,
    name: &str,
    args: &[Rv],
    block: Blk<'_>,
) -> Raise<Option<Rv>> {
    if let Some(result) = crate::puppet::type_factory::call(rt, value, name, args)? {
        return Ok(Some(result));
    }
    if let Value::Type(t) = &**value
        && !(rt.is_legacy_function && crate::puppet::catalog::is_reference(value))
        && let Some(result) = crate::puppet::type_methods::call(rt, t, name, args, block)?
    {
        return Ok(Some(result));
    }
    Ok(Some(match (name, &**value) {
        (_, Value::Object(object)) => return call_puppet_object(rt, value, object, name, args, block),
        ("resource_type", Value::Type(_)) if crate::puppet::catalog::is_reference(value) => {
            let reference = rt.to_s(&Rv::Puppet(value.clone()))?;
            let type_name = reference.split_once('[').map_or(&*reference, |(type_name, _)| type_name);
            crate::puppet::catalog::find_type(rt, &Rv::str(type_name), true)?
        }
        ("unwrap", Value::Sensitive(inner)) => {
            let inner = Value::clone(inner);
            catwalk_value::secret::reveal(&inner);
            rt.to_ruby(&inner)
        }
        ("title", Value::Type(catwalk_value::Type::Class(_))) if crate::puppet::catalog::is_reference(value) => {
            let reference = rt.to_s(&Rv::Puppet(value.clone()))?;
            let title = reference.split_once('[').and_then(|(_, rest)| rest.strip_suffix(']')).unwrap_or_default();
            Rv::str(crate::puppet::catalog::capitalize(title))
        }
        ("title", Value::Type(catwalk_value::Type::Resource(_))) | ("type", Value::Type(_)) => {
            let reference = rt.to_s(&Rv::Puppet(value.clone()))?;
            let (type_name, rest) = reference.split_once('[').unwrap_or((&reference, ""));
            let title = rest.strip_suffix(']').unwrap_or(rest).trim_matches('\'');
            Rv::str(if name == "title" { title } else { type_name })
        }
        _ => return Ok(None),
    }))
}

/// Methods and attributes of an object of a type that is defined in the Puppet language, and functions of a lookup context.
fn call_puppet_object(
    rt: &mut Interp<'_, '_>,
    value: &Rc<Value>,
    object: &Object,
    name: &str,
    args: &[Rv],
    block: Blk<'_>,
) -> Raise<Option<Rv>> {
    if crate::puppet::data_type::implements(rt.ev, &object.object_type, name) {
        let args = args.iter().map(|arg| rt.to_puppet(arg)).collect::<Raise<Vec<Value>>>()?;
        let span = rt.span;
        return match crate::puppet::object_type_methods::call(rt.ev, object, name, &args, span) {
            Ok(result) => Ok(Some(rt.to_ruby(&result))),
            Err(stop) => rt.raise_failure(stop),
        };
    }
    if args.is_empty()
        && let Some(attribute) = object.get(name)
    {
        return Ok(Some(rt.to_ruby(&attribute)));
    }
    if let ("cached_file_data", Some(block), Some(path)) = (name, block, args.first().and_then(Rv::string_or_symbol)) {
        return rt.cached_file_data(value, &path, block).map(Some);
    }
    let mut context_and_args = vec![Value::clone(value)];
    for arg in args {
        context_and_args.push(rt.to_puppet(arg)?);
    }
    let span = rt.span;
    match rt.ev.context_function(&context_and_args, name, None, span) {
        None => Ok(None),
        Some(Ok(result)) => Ok(Some(rt.to_ruby(&result))),
        // Ruby's `throw` is not rescued.
        Some(Err(stop)) if catwalk_eval::is_not_found(&stop) => Err(rt.throw(crate::Flow::Stop(stop))),
        Some(Err(stop)) => rt.raise_failure(stop),
    }
}

impl Interp<'_, '_> {
    /// The remaining steps of `dig`.
    pub(crate) fn dig_further(&mut self, value: &Rv, rest: &[Rv]) -> Raise<Rv> {
        if !matches!(value, Rv::Array(_) | Rv::Hash(_)) && !self.responds_to(value, "dig") {
            let class = self.class_name(value);
            return self.raise("TypeError", format!("{class} does not have #dig method"));
        }
        self.call_method(value, "dig", rest, None)
    }

    /// `context.cached_file_data(path) { |content| … }`: the block runs once for a file.
    fn cached_file_data(&mut self, context: &Rc<Value>, path: &str, block: &Rc<Callable>) -> Raise<Rv> {
        if let Some(result) = self.state().file_data.get(path) {
            return Ok(result.clone());
        }
        let span = self.span;
        let content = match self.ev.context_function(
            &[Value::clone(context), Value::str(path)],
            "cached_file_data",
            None,
            span,
        ) {
            Some(Ok(content)) => self.to_ruby(&content),
            Some(Err(stop)) => return self.raise_failure(stop),
            None => Rv::Nil,
        };
        let result = self.yield_values(block, &[content])?;
        self.state().file_data.insert(path.to_owned(), result.clone());
        Ok(result)
    }
}
