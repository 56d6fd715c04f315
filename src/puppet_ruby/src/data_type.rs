//! Data types that modules write in Ruby: `Puppet::DataTypes.create_type` in files below `lib/puppet/datatypes`.
//! (`Puppet::DataTypes`, `Puppet::Pops::Loader::RubyDataTypeInstantiator`)
//!
//! In: a file. Out: its name and interface; the implementation is stored for [`crate::object_type_methods`]. Must not:
//! parse interfaces, create types.

use std::path::Path;
use std::rc::Rc;
use std::sync::Arc;

use crate::PuppetInterp;
use crate::PuppetProgram;
use crate::interpreter::read_state;
use crate::interpreter::with_state;
use crate::scope;
use catwalk_base::diag::Reason;
use catwalk_base::names::Name;
use catwalk_base::source::FileId;
use catwalk_base::source::Span;
use catwalk_eval::Evaluator;
use catwalk_eval::RubyDataType;
use catwalk_eval::Stop;
use catwalk_ruby::Frame;
use catwalk_ruby::Raise;
use catwalk_ruby::Rv;
use catwalk_ruby_syntax::ast::Call;
use catwalk_ruby_syntax::ast::Lambda;
use catwalk_ruby_syntax::ast::Node;
use catwalk_ruby_syntax::ast::NodeKind;
use catwalk_ruby_syntax::ast::StrPart;
use catwalk_value::ObjectType;

/// The class in which Puppet evaluates such a file.
const INSTANTIATOR: &str = "Puppet::Pops::Loader::RubyDataTypeInstantiator";

/// The implementation of a type's derived attributes and functions.
pub(crate) struct Implementation {
    /// The path of the file.
    pub(crate) file: String,
    /// The file's other statements, which run before the implementation.
    before: Vec<Node>,
    /// The files of `load_file`.
    loads: Vec<String>,
    /// The methods or the class.
    pub(crate) code: Code,
}

pub(crate) enum Code {
    /// `implementation do … end`: methods added to those of the type.
    Methods(Arc<Lambda>),
    /// `implementation_class Name`
    Class(Node),
}

/// Reads the file of a data type and stores its implementation.
///
/// # Errors
///
/// The file does not define a data type, defines one of a different name, or fails; `not supported yet: …` for unsupported
/// code.
pub(crate) fn load(ev: &mut Evaluator<'_>, expected_name: Name, path: &Path) -> Result<RubyDataType, Reason> {
    let file = path.to_string_lossy().into_owned();
    let parsed = ev.program.ruby(path).map_err(|diagnostic| Reason::runtime(diagnostic.message))?;
    let node = match &*parsed {
        Ok(node) => node,
        Err(error) if error.is_unsupported => {
            return Err(Reason::unsupported(&format!("{} ({file}:{})", error.message, error.line)));
        }
        Err(error) => return Err(Reason::runtime(format!("{file}:{}: {}", error.line, error.message))),
    };
    let (creations, before): (Vec<&Node>, Vec<&Node>) =
        statements(node).iter().partition(|statement| create_type(statement).is_some());
    let Some(call) = creations.last().and_then(|statement| create_type(statement)) else {
        let problem = "does not seem to be a Puppet 5x API data type - no create_type call.";
        return Err(Reason::runtime(format!("The code loaded from {file} {problem}")));
    };
    let (Some(name), Some(block)) = (call.args.first().and_then(literal_string), &call.block) else {
        return Err(unsupported_form(&file, statements(node).first().map_or(1, |node| node.line)));
    };
    let definition = read_definition(&name, &block.body, &file)?;
    let implemented_in_ruby = matches!(definition.code, Some(Code::Class(_)));
    if let Some(code) = definition.code {
        let before = before.into_iter().cloned().collect();
        let implementation = Rc::new(Implementation { file: file.clone(), before, loads: definition.loads, code });
        check_class(ev, &implementation, &name)?;
        with_state(ev, |state| state.data_types.insert(expected_name, implementation));
    }
    let Some(interface) = definition.interface else {
        return Err(load_error(&name, "a data type must have an interface"));
    };
    if Name::new(&name).normalized() != expected_name {
        let problem = format!("produced mis-matched name, expected '{expected_name}', got {name}");
        return Err(Reason::runtime(format!("The code loaded from {file} {problem}")));
    }
    Ok(RubyDataType { name, interface, implemented_in_ruby })
}

/// The parts of the block of `create_type`.
#[derive(Default)]
struct Definition {
    interface: Option<String>,
    code: Option<Code>,
    loads: Vec<String>,
}

/// Reads the block of `create_type` for the type `name`.
fn read_definition(name: &str, body: &Node, file: &str) -> Result<Definition, Reason> {
    let mut definition = Definition::default();
    let string_argument = |node: &Node, line: u32| literal_string(node).ok_or_else(|| unsupported_form(file, line));
    for statement in statements(body) {
        let line = statement.line;
        let NodeKind::Call(call) = &statement.kind else { return Err(unsupported_form(file, line)) };
        match (call.name.as_str(), call.args.as_slice(), &call.block) {
            ("interface", [interface], None) => {
                if definition.interface.replace(string_argument(interface, line)?).is_some() {
                    return Err(load_error(name, "a data type can only have one interface"));
                }
            }
            ("load_file", [path], None) => definition.loads.push(string_argument(path, line)?),
            ("implementation", [], Some(block)) if definition.code.is_none() => {
                definition.code = Some(Code::Methods(block.clone()));
            }
            ("implementation_class", [class], None) if definition.code.is_none() => {
                definition.code = Some(Code::Class(class.clone()));
            }
            ("implementation" | "implementation_class", ..) if definition.code.is_some() => {
                return Err(load_error(name, "a data type can only have one implementation"));
            }
            _ => return Err(unsupported_form(file, line)),
        }
    }
    Ok(definition)
}

/// The error of a file that defines a data type in an unsupported way.
fn unsupported_form(file: &str, line: u32) -> Reason {
    Reason::unsupported(&format!("this form of a data type definition ({file}:{line})"))
}

/// The error of a data type that Puppet cannot load.
fn load_error(name: &str, message: &str) -> Reason {
    Reason::runtime(RubyDataType::load_error(name, message))
}

/// Checks that the class of `implementation_class` exists; `name` is the name of the type.
fn check_class(ev: &mut Evaluator<'_>, implementation: &Implementation, name: &str) -> Result<(), Reason> {
    let Code::Class(class) = &implementation.code else { return Ok(()) };
    let mut program = PuppetProgram::new(ev, Span::new(FileId(u32::MAX), 0, 0), &implementation.file);
    let mut rt = program.interp();
    let Err(thrown) = implementation.class(&mut rt, class) else { return Ok(()) };
    Err(match rt.convert_thrown(thrown) {
        Stop::Reason(reason) if reason.code == catwalk_base::diag::Code::NOT_SUPPORTED_YET => *reason,
        Stop::Reason(reason) => load_error(name, &reason.message),
        Stop::Failed(diagnostic) => load_error(name, &diagnostic.message),
        Stop::Next(_) | Stop::Break(_) | Stop::Return(_) => load_error(name, "unexpected return"),
    })
}

/// Whether Ruby code of a module implements this member of a type.
pub(crate) fn implements(ev: &Evaluator<'_>, object_type: &ObjectType, member: &str) -> bool {
    implementations(ev, object_type).iter().any(|implementation| match &implementation.code {
        Code::Class(_) => true,
        Code::Methods(block) => statements(&block.body).iter().any(|statement| match &statement.kind {
            NodeKind::Def(def) => def.name.as_str() == member,
            // `alias`, `define_method` …
            _ => true,
        }),
    })
}

/// The implementations of a type and its supertypes, the outermost first.
pub(crate) fn implementations(ev: &Evaluator<'_>, object_type: &ObjectType) -> Vec<Rc<Implementation>> {
    if read_state(ev, |state| state.data_types.is_empty()).unwrap_or(true) {
        return Vec::new();
    }
    let mut found = object_type.parent_object().map(|parent| implementations(ev, parent)).unwrap_or_default();
    let name = Name::new(object_type.label()).normalized();
    found.extend(read_state(ev, |state| state.data_types.get(&name).cloned()).flatten());
    found
}

impl Implementation {
    /// A frame in which the definitions of the file have run.
    pub(crate) fn frame(&self, rt: &mut PuppetInterp<'_, '_>) -> Raise<Rc<Frame>> {
        let frame = rt.ruby().frame_in(scope::template_self(), INSTANTIATOR);
        for statement in &self.before {
            rt.ruby().eval_in(statement, &frame)?;
        }
        for file in &self.loads {
            if rt.ruby().library_file("require", file).is_some() {
                rt.ruby().require("require", file)?;
            }
        }
        Ok(frame)
    }

    /// The class that `implementation_class` names.
    pub(crate) fn class(&self, rt: &mut PuppetInterp<'_, '_>, class: &Node) -> Raise<Rv> {
        let frame = self.frame(rt)?;
        rt.ruby().eval_in(class, &frame)
    }
}

/// The statements of a body.
pub(crate) fn statements(node: &Node) -> &[Node] {
    match &node.kind {
        NodeKind::Block(list) => list,
        NodeKind::Nil => &[],
        _ => std::slice::from_ref(node),
    }
}

/// `Puppet::DataTypes.create_type(…) do … end`
fn create_type(node: &Node) -> Option<&Call> {
    let NodeKind::Call(call) = &node.kind else { return None };
    let NodeKind::Const(_, receiver) = &call.receiver.as_ref()?.kind else { return None };
    (call.name.as_str() == "create_type" && receiver.as_str() == "DataTypes").then_some(call)
}

/// The contents of a string or symbol without interpolation.
fn literal_string(node: &Node) -> Option<String> {
    match &node.kind {
        NodeKind::Str(string) => Some(string.to_string()),
        NodeKind::Symbol(name) => Some(name.to_string()),
        NodeKind::InterpolatedStr(parts) => parts
            .iter()
            .map(|part| match part {
                StrPart::Literal(literal) => Some(&**literal),
                StrPart::Code(_) => None,
            })
            .collect(),
        _ => None,
    }
}
