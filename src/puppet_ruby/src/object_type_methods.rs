//! Bodies in Ruby of an object type's functions and derived attributes: the annotation `RubyMethod`, and implementations of data
//! types that modules write in Ruby.
//!
//! In: an object, a method's name, arguments. Out: the result of the method. The class is equivalent to the one that Puppet's
//! `RubyGenerator#class_body` generates for the type, as far as a body can observe it. Must not: check arguments.

use std::rc::Rc;
use std::sync::Arc;

use crate::PuppetInterp;
use crate::PuppetProgram;
use crate::data_type;
use crate::data_type::Code;
use crate::data_type::Implementation;
use crate::scope;
use catwalk_base::meter;
use catwalk_base::source::Span;
use catwalk_eval::Evaluator;
use catwalk_eval::Res;
use catwalk_eval::Stop;
use catwalk_ruby::Raise;
use catwalk_ruby::Rv;
use catwalk_ruby_syntax::ast::Lambda;
use catwalk_ruby_syntax::ast::Node;
use catwalk_ruby_syntax::ast::NodeKind;
use catwalk_ruby_syntax::parser;
use catwalk_value::AttributeKind;
use catwalk_value::Object;
use catwalk_value::ObjectType;
use catwalk_value::Value;
use catwalk_value::body;

/// Calls a method of an object whose type implements it in Ruby.
///
/// # Errors
///
/// The annotation is not a `RubyMethod`; errors of the body; `not supported yet: …`.
pub(crate) fn call(ev: &mut Evaluator<'_>, object: &Object, name: &str, args: &[Value], span: Span) -> Res<Value> {
    let object_type = object.object_type.base.as_ref().unwrap_or(&object.object_type);
    let mut methods = String::new();
    let mut names = Vec::new();
    for attribute in object_type.all_attributes() {
        if attribute.is_argument_of_new() {
            names.push(attribute.name.as_ref());
        }
    }
    write_methods(object_type, &mut methods)?;
    let parameters: Vec<String> = names.iter().map(|name| ruby_name(name)).collect();
    let assigned: String = parameters.iter().map(|name| format!("    @{name} = {name}\n")).collect();
    let parameters = parameters.join(", ");
    let readers: String = names.iter().map(|name| format!("  attr_reader :{}\n", ruby_name(name))).collect();
    let source = format!("Class.new do\n{readers}  def initialize({parameters})\n{assigned}  end\n{methods}end\n");
    meter::charge(source.len());
    let node = match parser::parse(&source, false) {
        Ok(node) => node,
        Err(error) if error.is_unsupported => {
            return Err(catwalk_base::diag::Reason::unsupported(&error.message).into());
        }
        Err(error) => return Err(Stop::runtime(error.message)),
    };
    let values: Vec<Value> = names.iter().map(|name| object.get(name).unwrap_or(Value::Undef)).collect();
    let implementations = data_type::implementations(ev, object_type);
    let file = implementations.last().map_or("(eval)", |implementation| implementation.file.as_str()).to_owned();
    let mut program = PuppetProgram::new(ev, span, &file);
    let mut rt = program.interp();
    let result = define_class(&mut rt, node, &implementations).and_then(|class| {
        let values: Vec<_> = values.iter().map(|value| rt.ruby().to_ruby(value)).collect();
        let this = rt.ruby().call_method(&class, "new", &values, None)?;
        let args: Vec<_> = args.iter().map(|arg| rt.ruby().to_ruby(arg)).collect();
        let result = rt.ruby().with_position(|rt| rt.call_method(&this, &ruby_name(name), &args, None))?;
        rt.ruby().to_puppet(&result)
    });
    rt.ruby().write_back();
    result.map_err(|flow| rt.convert_thrown(flow))
}

/// The class of a type: the one of its implementation, or a generated class with the methods of the implementation.
fn define_class(rt: &mut PuppetInterp<'_, '_>, mut node: Node, implementations: &[Rc<Implementation>]) -> Raise<Rv> {
    let mut frame = rt.ruby().top_frame(scope::template_self());
    for implementation in implementations {
        match &implementation.code {
            Code::Class(class) => return implementation.class(rt, class),
            Code::Methods(methods) => {
                frame = implementation.frame(rt)?;
                add_methods(&mut node, methods);
            }
        }
    }
    rt.ruby().eval_in(&node, &frame)
}

/// Appends methods to the block of `Class.new do … end`.
fn add_methods(node: &mut Node, methods: &Lambda) {
    let call = match &mut node.kind {
        NodeKind::Call(call) => call,
        NodeKind::Block(list) => match list.first_mut().map(|node| &mut node.kind) {
            Some(NodeKind::Call(call)) => call,
            _ => return,
        },
        _ => return,
    };
    let Some(block) = &mut call.block else { return };
    let mut body = data_type::statements(&block.body).to_vec();
    body.extend_from_slice(data_type::statements(&methods.body));
    let extended = Lambda { body: Node::new(NodeKind::Block(body), block.line), ..Lambda::clone(block) };
    *block = Arc::new(extended);
}

/// Writes the methods of a type after those of its supertypes.
fn write_methods(object_type: &ObjectType, out: &mut String) -> Res<()> {
    if let Some(parent) = object_type.parent_object() {
        write_methods(parent, out)?;
    }
    let label = object_type.label();
    for attribute in object_type.attributes.iter().filter(|attribute| attribute.kind == AttributeKind::Derived) {
        let name = &attribute.name;
        let missing = format!("no method is implemented for derived attribute {label}[{name}]");
        write_method(name, attribute.annotations.as_ref(), &missing, out)?;
    }
    for function in &object_type.functions {
        let name = &function.name;
        let missing = format!("no method is implemented for function {label}[{name}]");
        write_method(name, function.annotations.as_ref(), &missing, out)?;
    }
    Ok(())
}

fn write_method(name: &str, annotations: Option<&Value>, missing: &str, out: &mut String) -> Res<()> {
    let name = ruby_name(name);
    let Some(body) = body(annotations)? else {
        out.push_str(&format!("  def {name}(*args)\n    raise Puppet::Error, {missing:?}\n  end\n"));
        return Ok(());
    };
    let parameters = match body.parameters {
        "" => String::new(),
        parameters => format!("({parameters})"),
    };
    out.push_str(&format!("  def {name}{parameters}\n    {}\n  end\n", body.text));
    Ok(())
}

/// A name that is valid in Ruby (`RubyGenerator::RUBY_RESERVED_WORDS`).
fn ruby_name(name: &str) -> String {
    let reserved = [
        "alias", "begin", "break", "def", "do", "end", "ensure", "for", "module", "next", "nil", "not", "redo",
        "rescue", "retry", "return", "self", "super", "then", "until", "when", "while", "yield",
    ];
    if reserved.contains(&name) { format!("_{name}") } else { name.to_owned() }
}
