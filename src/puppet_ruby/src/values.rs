//! Methods of values of the Puppet language that have no equivalent in Ruby: types, objects, sensitive values.

use std::rc::Rc;

use crate::PuppetInterp;
use crate::failures::to_failure;
use catwalk_ruby::Blk;
use catwalk_ruby::Callable;
use catwalk_ruby::Flow;
use catwalk_ruby::Raise;
use catwalk_ruby::Rv;
use catwalk_value::Object;
use catwalk_value::Value;

/// Methods of a value of the Puppet language that has no equivalent Ruby value.
pub(crate) fn call(
    rt: &mut PuppetInterp<'_, '_>,
    value: &Rc<Value>,
    name: &str,
    args: &[Rv],
    block: Blk<'_>,
) -> Raise<Option<Rv>> {
    if let Some(result) = crate::type_factory::call(rt, value, name, args)? {
        return Ok(Some(result));
    }
    if let Value::Type(t) = &**value
        && !(rt.host.own.is_legacy_function && crate::catalog::is_reference(value))
        && let Some(result) = crate::type_methods::call(rt, t, name, args, block)?
    {
        return Ok(Some(result));
    }
    Ok(Some(match (name, &**value) {
        (_, Value::Object(object)) => return call_puppet_object(rt, value, object, name, args, block),
        ("resource_type", Value::Type(_)) if crate::catalog::is_reference(value) => {
            let reference = rt.ruby().to_s(&Rv::Puppet(value.clone()))?;
            let type_name = reference.split_once('[').map_or(&*reference, |(type_name, _)| type_name);
            crate::catalog::find_type(rt, &Rv::str(type_name), true)?
        }
        ("unwrap", Value::Sensitive(inner)) => {
            let inner = Value::clone(inner);
            catwalk_value::secret::reveal(&inner, rt.host.ev.world.secrets());
            rt.ruby().to_ruby(&inner)
        }
        ("title", Value::Type(catwalk_value::Type::Class(_))) if crate::catalog::is_reference(value) => {
            let reference = rt.ruby().to_s(&Rv::Puppet(value.clone()))?;
            let title = reference.split_once('[').and_then(|(_, rest)| rest.strip_suffix(']')).unwrap_or_default();
            Rv::str(crate::catalog::capitalize(title))
        }
        ("title", Value::Type(catwalk_value::Type::Resource(_))) | ("type", Value::Type(_)) => {
            let reference = rt.ruby().to_s(&Rv::Puppet(value.clone()))?;
            let (type_name, rest) = reference.split_once('[').unwrap_or((&reference, ""));
            let title = rest.strip_suffix(']').unwrap_or(rest).trim_matches('\'');
            Rv::str(if name == "title" { title } else { type_name })
        }
        _ => return Ok(None),
    }))
}

/// Methods and attributes of an object of a type that is defined in the Puppet language, and functions of a lookup context.
fn call_puppet_object(
    rt: &mut PuppetInterp<'_, '_>,
    value: &Rc<Value>,
    object: &Object,
    name: &str,
    args: &[Rv],
    block: Blk<'_>,
) -> Raise<Option<Rv>> {
    if crate::data_type::implements(rt.host.ev, &object.object_type, name) {
        let args = args.iter().map(|arg| rt.ruby().to_puppet(arg)).collect::<Raise<Vec<Value>>>()?;
        let span = rt.span;
        return match crate::object_type_methods::call(rt.host.ev, object, name, &args, span) {
            Ok(result) => Ok(Some(rt.ruby().to_ruby(&result))),
            Err(stop) => rt.raise_failure(stop),
        };
    }
    if args.is_empty()
        && let Some(attribute) = object.get(name)
    {
        return Ok(Some(rt.ruby().to_ruby(&attribute)));
    }
    if let ("cached_file_data", Some(block), Some(path)) = (name, block, args.first().and_then(Rv::string_or_symbol)) {
        return rt.cached_file_data(value, &path, block).map(Some);
    }
    let mut context_and_args = vec![Value::clone(value)];
    for arg in args {
        context_and_args.push(rt.ruby().to_puppet(arg)?);
    }
    let span = rt.span;
    match rt.host.ev.context_function(&context_and_args, name, None, span) {
        None => Ok(None),
        Some(Ok(result)) => Ok(Some(rt.ruby().to_ruby(&result))),
        // Ruby's `throw` is not rescued.
        Some(Err(stop)) if catwalk_eval::is_not_found(&stop) => Err(rt.ruby().throw(Flow::Stop(to_failure(stop)))),
        Some(Err(stop)) => rt.raise_failure(stop),
    }
}

impl PuppetInterp<'_, '_> {
    /// `context.cached_file_data(path) { |content| … }`: the block runs once for a file.
    fn cached_file_data(&mut self, context: &Rc<Value>, path: &str, block: &Rc<Callable>) -> Raise<Rv> {
        if let Some(result) = self.state().file_data.get(path) {
            return Ok(result.clone());
        }
        let span = self.span;
        let content = match self.host.ev.context_function(
            &[Value::clone(context), Value::str(path)],
            "cached_file_data",
            None,
            span,
        ) {
            Some(Ok(content)) => self.ruby().to_ruby(&content),
            Some(Err(stop)) => return self.raise_failure(stop),
            None => Rv::Nil,
        };
        let result = self.ruby().yield_values(block, &[content])?;
        self.state().file_data.insert(path.to_owned(), result.clone());
        Ok(result)
    }
}
