//! `a[b, c]`: characters, elements, entries, type parameters, attributes of resources (`AccessOperator`).

use std::sync::Arc;

use crate::Evaluator;
use crate::Res;
use crate::Stop;
use crate::facts::are_facts;
use crate::issues;
use catwalk_base::diag::Code;
use catwalk_base::meter;
use catwalk_base::names::Name;
use catwalk_base::source::Span;
use catwalk_syntax::ast::Access;
use catwalk_syntax::ast::ExprKind;
use catwalk_value::Str;
use catwalk_value::Type;
use catwalk_value::Value;
use catwalk_value::number;
use catwalk_value::ruby;

impl<'c> Evaluator<'c> {
    pub(super) fn eval_access(&mut self, access: &'c Access, span: Span) -> Res<Value> {
        let is_fact = matches!(access.left.kind, ExprKind::Var(name) if are_facts(name));
        let left = match is_fact {
            true => self.with_facts_unrecorded(|ev| ev.eval(&access.left))?,
            false => self.eval(&access.left)?,
        };
        let mut keys = Vec::with_capacity(access.keys.len());
        if let (Value::Type(t), [only]) = (&left, access.keys.as_slice())
            && !matches!(only.kind, ExprKind::TypeName(_))
        {
            let key = self.eval(only)?;
            if let Value::Str(title) = &key
                && let Some(reference) = catwalk_value::one_reference(t, title.characters())
            {
                return Ok(Value::Type(reference));
            }
            keys.push(key);
        }
        for key in access.keys.iter().skip(keys.len()) {
            keys.push(match (&key.kind, &left) {
                // For a class, an unknown type has a different message.
                (ExprKind::TypeName(name), Value::Type(Type::Class(None))) => self.type_or_reference(*name)?,
                _ => self.eval(key)?,
            });
        }
        if is_fact {
            match keys.as_slice() {
                [Value::Str(name)] => self.note_fact(Name::new(name)),
                _ => self.note_all_facts(),
            }
        }
        match left {
            Value::Hash(entries) => match keys.as_slice() {
                [key] => Ok(entries.get_value(key).cloned().unwrap_or(Value::Undef)),
                several => {
                    let found = several.iter().filter_map(|key| entries.get_value(key));
                    Ok(Value::array(found.filter(|value| !value.is_undef()).cloned().collect()))
                }
            },
            Value::Array(items) => self.access_array(&items, flatten(keys), access),
            Value::Str(text) => {
                meter::tick(text.len() / 16);
                access_string(&text, &flatten(keys), access)
            }
            Value::Binary(bytes) => access_binary(&bytes, &flatten(keys), access),
            Value::Type(t) => self.access_type(&t, &keys, access, span),
            other => Err(Stop::issue(issues::not_applicable("[]", &catwalk_value::label(&other)), access.left.span)),
        }
    }

    fn access_array(&mut self, items: &[Value], keys: Vec<Value>, access: &'c Access) -> Res<Value> {
        if keys.is_empty() || keys.len() > 2 {
            return Err(Stop::issue(issues::array_slice_arity(keys.len()), access.left.span));
        }
        let mut numbers = [0i128; 2];
        let count = keys.len();
        let mut coerced = Vec::with_capacity(count);
        for (at, key) in keys.into_iter().enumerate() {
            coerced.push(self.numeric(key, key_span(access, at))?);
        }
        for (at, key) in coerced.iter().enumerate() {
            match (integer_key(key), numbers.get_mut(at)) {
                (Some(n), Some(index)) => *index = n,
                _ => {
                    let actual = key_type(key);
                    let reason = issues::slice_key_type("Array", &actual, "Integer");
                    return Err(Stop::issue(reason, key_span(access, at)));
                }
            }
        }
        let [first, second] = numbers;
        let size = items.len() as i128;
        if count == 1 {
            if i64::try_from(first).is_err() {
                return Err(too_big());
            }
            let at = if first < 0 { first.saturating_add(size) } else { first };
            let found = usize::try_from(at).ok().and_then(|at| items.get(at));
            return Ok(found.cloned().unwrap_or(Value::Undef));
        }
        let found = slice(size, first, second)?.and_then(|(from, to)| items.get(from..to));
        Ok(Value::array(found.unwrap_or_default().to_vec()))
    }

    /// Parameters of a type, or the value of a parameter of a resource or class.
    fn access_type(&mut self, t: &Type, keys: &[Value], access: &'c Access, span: Span) -> Res<Value> {
        if let (Type::Resource(resource), [Value::Type(Type::Resource(_))]) = (t, keys)
            && resource.type_name.is_none()
            && resource.title.is_none()
        {
            // `Resource[File]` is `File`.
            return Ok(keys.first().cloned().unwrap_or(Value::Undef));
        }
        let titled = matches!(t, Type::Resource(resource) if resource.title.is_some());
        if titled || matches!(t, Type::Class(Some(_))) {
            return self.access_resource(t, keys, access, span);
        }
        catwalk_value::access(t, keys).map_err(|error| {
            let span = error.key.map_or(span, |key| access.keys.get(key).map_or(span, |key| key.span));
            let applicable = error.reason.code != Code::OPERATOR_NOT_APPLICABLE;
            if error.reason.code == Code::RUNTIME_ERROR {
                return Stop::from(error.reason);
            }
            Stop::issue(error.reason, if applicable { span } else { access.left.span })
        })
    }

    fn access_resource(&mut self, t: &Type, keys: &[Value], access: &'c Access, span: Span) -> Res<Value> {
        let error_span = access.keys.first().map_or(span, |key| key.span);
        if keys.is_empty() {
            let reason = catwalk_value::access_error(
                Code::BAD_TYPE_SLICE_ARITY,
                format!("{t}[] accepts 1 or more arguments. Got 0"),
            );
            return Err(Stop::issue(reason.reason, error_span));
        }
        let several = keys.len() > 1 || matches!(keys.first(), Some(Value::Array(_)));
        let names: Vec<Value> = flatten(keys.to_vec()).into_iter().filter(|key| !key.is_undef()).collect();
        let mut values = Vec::with_capacity(names.len());
        for name in &names {
            values.push(self.resource_parameter_at(t, name, span)?);
        }
        if several { Ok(Value::array(values)) } else { Ok(values.pop().unwrap_or(Value::Undef)) }
    }

    /// The value of one parameter of a declared resource.
    fn resource_parameter_at(&mut self, t: &Type, name: &Value, span: Span) -> Res<Value> {
        let (type_name, title) = match t {
            Type::Class(Some(name)) => ("Class", name.clone()),
            Type::Resource(resource) => match (&resource.type_name, &resource.title) {
                (Some(type_name), Some(title)) => (type_name.as_ref(), title.clone()),
                _ => return Ok(Value::Undef),
            },
            _ => return Ok(Value::Undef),
        };
        let Some(id) = self.find_titled(type_name, &title)? else {
            return Err(Stop::issue(issues::unknown_resource(type_name, &title), span));
        };
        match name.as_str() {
            Some(name) if self.accepts_parameter(id, name) => self.resource_parameter(id, name),
            _ => {
                let name = ruby::to_s(name).into_owned();
                Err(Stop::issue(issues::unknown_resource_parameter(type_name, &title, &name), span))
            }
        }
    }
}

/// The span of a key; keys from an array have the span of the access.
fn key_span(access: &Access, at: usize) -> Span {
    access.keys.get(at).map_or(access.left.span, |key| key.span)
}

/// Keys with arrays replaced by their elements (Ruby's `flatten`).
fn flatten(keys: Vec<Value>) -> Vec<Value> {
    if !keys.iter().any(|key| matches!(key, Value::Array(_))) {
        return keys;
    }
    let mut flat = Vec::new();
    let mut pending = keys;
    pending.reverse();
    while let Some(key) = pending.pop() {
        match key {
            Value::Array(items) => pending.extend(items.iter().rev().cloned()),
            other => flat.push(other),
        }
    }
    flat
}

/// The name of a key's type in messages.
fn key_type(key: &Value) -> String {
    match key {
        Value::Undef => "Undef".to_owned(),
        Value::Default => "Default".to_owned(),
        other => catwalk_value::generalize(&catwalk_value::infer(other)).to_string(),
    }
}

/// The range of `[from, length]` with Puppet's negative ends; `None` if Ruby returns nil.
///
/// # Errors
///
/// The start or the length of the range exceeds 64 bits.
fn slice(size: i128, first: i128, second: i128) -> Res<Option<(usize, usize)>> {
    let mut from = if first < 0 { first.saturating_add(size) } else { first };
    let mut length =
        if second < 0 { size.saturating_sub(from).saturating_add(second).saturating_add(1) } else { second };
    if from < 0 {
        length = length.saturating_add(from);
        from = 0;
    }
    if i64::try_from(from).is_err() || i64::try_from(length).is_err() {
        return Err(too_big());
    }
    if from > size || length < 0 {
        return Ok(None);
    }
    let to = from.saturating_add(length).min(size);
    Ok(usize::try_from(from).ok().zip(usize::try_from(to).ok()))
}

fn too_big() -> Stop {
    Stop::runtime("bignum too big to convert into `long'")
}

/// An integer key. A key beyond 128 bits is clamped: it is too large in any case.
fn integer_key(key: &Value) -> Option<i128> {
    match key {
        Value::Int(n) => Some(i128::from(*n)),
        Value::BigInt(n) => {
            let bound = if n.sign() == num_bigint::Sign::Minus { i128::MIN } else { i128::MAX };
            Some(i128::try_from(&**n).unwrap_or(bound))
        }
        _ => None,
    }
}

/// The range that one or two keys of a string or binary select.
fn string_range(size: usize, keys: &[Value], access: &Access) -> Res<Option<(usize, usize)>> {
    if keys.is_empty() || keys.len() > 2 {
        return Err(Stop::issue(issues::string_slice_arity(keys.len()), access.left.span));
    }
    let mut numbers = [0i128, 1];
    for (at, key) in keys.iter().enumerate() {
        let number = number::to_n(key);
        match (number.as_ref().and_then(integer_key), numbers.get_mut(at)) {
            (Some(n), Some(index)) => *index = n,
            _ => {
                let actual = key_type(number.as_ref().unwrap_or(key));
                return Err(Stop::issue(issues::string_slice_key_type(&actual), key_span(access, at)));
            }
        }
    }
    let [first, second] = numbers;
    let size = size as i128;
    if keys.len() == 1 && first.saturating_add(size) < 0 {
        return Ok(None);
    }
    slice(size, first, second)
}

fn access_string(string: &Str, keys: &[Value], access: &Access) -> Res<Value> {
    let ascii = string.is_ascii();
    let size = if ascii { string.len() } else { string.chars().count() };
    let Some((from, to)) = string_range(size, keys, access)? else { return Ok(Value::derived(string, "")) };
    if ascii {
        return Ok(Value::derived(string, string.get(from..to).unwrap_or("")));
    }
    Ok(Value::derived(string, string.chars().skip(from).take(to - from).collect::<String>()))
}

fn access_binary(bytes: &[u8], keys: &[Value], access: &Access) -> Res<Value> {
    let range = string_range(bytes.len(), keys, access)?;
    let found = range.and_then(|(from, to)| bytes.get(from..to)).unwrap_or_default();
    Ok(Value::Binary(Arc::from(found)))
}
