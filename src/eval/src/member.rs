//! `$object.name(…)`: attributes and functions of objects, parts of URIs. (`PAnnotatedMember#invoke`)

use std::sync::Arc;

use crate::Block;
use crate::Evaluator;
use crate::Res;
use crate::Stop;
use catwalk_base::source::Span;
use catwalk_value::Attribute;
use catwalk_value::AttributeKind;
use catwalk_value::CallableType;
use catwalk_value::Member;
use catwalk_value::Object;
use catwalk_value::ObjectType;
use catwalk_value::TupleType;
use catwalk_value::Type;
use catwalk_value::Uri;
use catwalk_value::Value;
use catwalk_value::body;
use catwalk_value::is_callable_with;
use catwalk_value::mismatch::Signature;
use catwalk_value::mismatch::describe_signatures;

impl<'c> Evaluator<'c> {
    /// The result of a method call whose receiver (the first argument) has a member of this name; `None` if it has none, so that
    /// a function is called.
    pub(super) fn member(
        &mut self,
        args: &[Value],
        name: &str,
        block: Option<&Block<'c>>,
        span: Span,
    ) -> Option<Res<Value>> {
        match args.split_first()? {
            (Value::Object(object), args) => self.call_object_member(object, name, args, block, span),
            (Value::Uri(uri), _) => Uri::MEMBERS.contains(&name).then(|| Ok(uri.part(name).unwrap_or(Value::Undef))),
            _ => None,
        }
    }

    fn call_object_member(
        &mut self,
        object: &Object,
        name: &str,
        args: &[Value],
        block: Option<&Block<'c>>,
        span: Span,
    ) -> Option<Res<Value>> {
        let (member, owner) = match object.object_type.member_with_owner(name) {
            Some(found) => found,
            // Values whose type is only a name.
            None => return object.attributes.get(name).filter(|_| args.is_empty()).map(|value| Ok(value.clone())),
        };
        let owner = owner.label();
        Some(match member {
            Member::Attribute(attribute) => {
                let label = format!("attribute {owner}[{name}]");
                accepts(&label, &[without_arguments()], args, block).and_then(|()| {
                    let is_ruby = attribute.kind == AttributeKind::Derived;
                    let is_implemented_in_ruby = |ev: &Self| ev.library.ruby.implements(ev, &object.object_type, name);
                    if is_ruby && body(attribute.annotations.as_ref())?.is_some() || is_implemented_in_ruby(self) {
                        return self.library.ruby.call_member(self, object, name, args, span);
                    }
                    if name == "environment_name" && object.object_type == ObjectType::lookup_context() {
                        return Ok(Value::str(&*self.program.environment.name));
                    }
                    attribute_value(object, attribute, &label)
                })
            }
            Member::Function(function) => {
                let label = format!("function {owner}[{name}]");
                let message = match owner {
                    "Error" if name == "message" => object.get("msg"),
                    _ => None,
                };
                accepts(&label, &callables(&function.data_type), args, block).and_then(|()| match message {
                    Some(message) => Ok(message),
                    None if body(function.annotations.as_ref())?.is_some()
                        || self.library.ruby.implements(self, &object.object_type, name) =>
                    {
                        self.library.ruby.call_member(self, object, name, args, span)
                    }
                    None => Err(no_method(&label)),
                })
            }
        })
    }
}

fn attribute_value(object: &Object, attribute: &Attribute, label: &str) -> Res<Value> {
    if attribute.kind == AttributeKind::Derived && !object.attributes.contains(&Value::from(attribute.name.clone())) {
        return Err(no_method(&format!("derived {label}")));
    }
    Ok(object.get(&attribute.name).unwrap_or(Value::Undef))
}

/// Functions of an object type are implemented in Ruby, in an annotation, or not at all.
fn no_method(label: &str) -> Stop {
    Stop::runtime(format!("no method is implemented for {label}"))
}

fn without_arguments() -> CallableType {
    let size = catwalk_value::IntRange::exactly(0);
    CallableType { params: Some(TupleType::new(Vec::new(), Some(size))), block: None, returns: None }
}

/// The signatures of a function: its type is a callable or a variant of them.
fn callables(t: &Type) -> Vec<CallableType> {
    match t.resolved() {
        Type::Callable(callable) => vec![CallableType::clone(callable)],
        Type::Variant(types) => types.iter().flat_map(callables).collect(),
        _ => vec![CallableType::default()],
    }
}

fn accepts(label: &str, signatures: &[CallableType], args: &[Value], block: Option<&Block<'_>>) -> Res<()> {
    let block = block.map(Block::callable);
    if signatures.iter().any(|signature| is_callable_with(signature, args, block.as_ref())) {
        return Ok(());
    }
    // The parameters of these have no names.
    let unnamed = |signature: &CallableType| Signature {
        callable: signature.clone(),
        names: vec![Arc::from(""); signature.params.as_ref().map_or(0, |params| params.types.len())],
        block_name: signature.block.as_ref().map(|_| Arc::from("block")),
    };
    let described: Vec<Signature> = signatures.iter().map(unnamed).collect();
    Err(Stop::runtime(describe_signatures(label, &described, args, block.as_ref())))
}
