//! Definitions in the file of a function: `create_function` with its dispatches and types, `newfunction`.
//!
//! In: the methods that such a file calls. Out: its functions. Must not: call them.

use std::cell::RefCell;
use std::rc::Rc;

use super::Dispatch;
use super::FUNCTION;
use super::RubyFunction;
use super::RubyFunctionKind;
use crate::Blk;
use crate::Flow;
use crate::Interp;
use crate::Raise;
use crate::machine::definitions::Method;
use crate::machine::exception::Thrown;
use crate::puppet::function_checks;
use crate::puppet::function_checks::Shape;
use crate::value::Callable;
use crate::value::Key;
use crate::value::Map;
use crate::value::Rv;
use catwalk_base::names::Name;
use catwalk_eval::Res;
use catwalk_eval::Stop;
use catwalk_ruby_syntax::ast::Param;

/// `self` in the block of `dispatch`.
const DISPATCH: &str = "Puppet::Functions::DispatcherBuilder";
/// `self` in the block of `local_types`.
const LOCAL_TYPES: &str = "Puppet::Functions::TypeAliasBuilder";
const LEGACY_API: &str = "Puppet::Parser::Functions";
/// The class of `Puppet::Parser::Functions.autoloader`.
const AUTOLOADER: &str = "Puppet::Parser::Functions::AutoloaderDelegate";

/// The definitions of a file that were read so far.
#[derive(Default)]
pub(crate) struct Builder {
    pub(crate) name: String,
    dispatches: Vec<DispatchDefinition>,
    local_types: Vec<String>,
    /// 3.x functions: name, arity, whether they return a value, body.
    legacy: Vec<(String, i64, bool, Rc<Callable>)>,
    found: bool,
}

#[derive(Default)]
struct DispatchDefinition {
    method: String,
    shape: Shape,
    mismatch: bool,
    params: Vec<String>,
    /// Whether the repeated parameter requires at least one argument.
    one_at_least: bool,
    returns: Option<String>,
    scope: bool,
    cache: bool,
}

/// The functions that the file defined.
pub(super) fn finish(mut rt: Interp<'_, '_>, module: Option<Name>) -> Res<Vec<RubyFunction>> {
    let builder = std::mem::take(&mut rt.builder);
    if !builder.found {
        return Ok(Vec::new());
    }
    let mut kinds: Vec<(Name, RubyFunctionKind)> = Vec::new();
    for (name, arity, rvalue, block) in builder.legacy {
        kinds.push((Name::new(&name), RubyFunctionKind::Legacy { arity, rvalue, block }));
    }
    if kinds.is_empty() {
        let name = Name::new(&builder.name);
        kinds.push((
            name,
            RubyFunctionKind::Current(dispatches(&mut rt, name, builder.dispatches, &builder.local_types)?),
        ));
    }
    let made = kinds.into_iter().map(|(name, kind)| RubyFunction {
        name,
        file: rt.file.clone(),
        module,
        kind,
        defined: RefCell::new((rt.tables.clone(), rt.required.clone())),
    });
    Ok(made.collect())
}

fn dispatches(
    rt: &mut Interp<'_, '_>,
    name: Name,
    wanted: Vec<DispatchDefinition>,
    local_types: &[String],
) -> Res<Vec<Dispatch>> {
    let mut wanted = wanted;
    if wanted.is_empty() {
        // Without signatures: the method named like the function, with any arguments.
        let simple = name.as_str().rsplit("::").next().unwrap_or("");
        let known = rt.tables.methods.get(&(Name::new(FUNCTION), Name::new(simple))).cloned();
        let Some(Method::Def(def)) = known else {
            return Err(Stop::runtime(format!(
                "Function Load Error for function '{name}': Function Creation Error, cannot create a default dispatcher for \
                 function '{simple}', no method with this name found"
            )));
        };
        let params = def.params.iter().filter_map(|param| match param {
            Param::Required(name) => Some(format!("Any ${name}")),
            Param::Optional(name, _) => Some(format!("Any ${name} = undef")),
            Param::Rest(name) => Some(format!("Any *${}", name.map_or("rest", Name::as_str))),
            _ => None,
        });
        wanted.push(DispatchDefinition {
            method: simple.to_owned(),
            params: params.collect(),
            ..DispatchDefinition::default()
        });
    }
    let mut found = Vec::with_capacity(wanted.len());
    for one in wanted {
        let mut text = one.params.join(", ");
        if let Some(returns) = &one.returns {
            text = format!("{text} >> {returns}");
        }
        if one.mismatch {
            text = format!("! {text}");
        }
        let signature = match rt.ev.parse_signature(&text, local_types) {
            Ok(signature) => signature,
            Err(reason) => return Err(function_checks::wrong_type(rt, name, &one.params, reason)),
        };
        let signature = if one.one_at_least { signature.with_repeatable_last() } else { signature };
        found.push(Dispatch { signature, method: Name::new(&one.method), scope: one.scope, cache: one.cache });
    }
    Ok(found)
}

/// Methods of `Puppet::Functions`, `Puppet::Parser::Functions` and of the builders.
pub(crate) fn define(
    rt: &mut Interp<'_, '_>,
    class: &str,
    name: &str,
    args: &[Rv],
    block: Blk<'_>,
) -> Raise<Option<Rv>> {
    let text = |at: usize| args.get(at).and_then(Rv::string_or_symbol).unwrap_or_default();
    match (class, name) {
        ("Puppet::Functions", "create_function") => {
            rt.builder.found = true;
            rt.builder.name = text(0);
            // A class of the module that inherits from Puppet's class of functions.
            if let Some(Rv::Class(parent)) = args.get(1)
                && rt.tables.parents.contains_key(parent)
            {
                rt.tables_mut().parents.insert(Name::new(FUNCTION), *parent);
            }
            if let Some(block) = block {
                let body = rt.with_self(block, Rv::Class(Name::new(FUNCTION)), Some(Name::new(FUNCTION)));
                if let Err(thrown) = rt.yield_values(&body, &[]) {
                    return rt.not_loaded(&text(0), thrown);
                }
            }
            return Ok(Some(Rv::Class(Name::new(FUNCTION))));
        }
        (LEGACY_API, "newfunction") => {
            rt.builder.found = true;
            rt.builder.name = text(0);
            let option = |key: &str| match args.get(1) {
                Some(Rv::Hash(options)) => options.get(&Rv::sym(key)),
                _ => None,
            };
            let arity = match option("arity") {
                Some(Rv::Int(n)) => n,
                _ => -1,
            };
            let rvalue = option("type").and_then(|kind| kind.string_or_symbol()).as_deref() == Some("rvalue");
            if let Some(block) = block {
                rt.builder.legacy.push((text(0), arity, rvalue, block.clone()));
            }
            let mut info = Map::default();
            info.insert(Key(Rv::sym("arity")), Rv::Int(arity));
            info.insert(Key(Rv::sym("type")), Rv::sym(if rvalue { "rvalue" } else { "statement" }));
            info.insert(Key(Rv::sym("name")), Rv::str(format!("function_{}", text(0).to_lowercase())));
            return Ok(Some(Rv::hash(info)));
        }
        // Functions are loaded when they are called.
        (LEGACY_API, "autoloader") => return Ok(Some(Rv::Class(Name::new(AUTOLOADER)))),
        (AUTOLOADER, "loaded?" | "load" | "loadall") => return rt.autoloader(name, &text(0)).map(Some),
        (LEGACY_API, "loaded?" | "load" | "loadall") => return Ok(Some(Rv::True)),
        (LEGACY_API, "function") => return rt.legacy_function(&text(0)).map(Some),
        (FUNCTION, "dispatch" | "argument_mismatch") => {
            rt.builder.dispatches.push(DispatchDefinition {
                method: text(0),
                mismatch: name == "argument_mismatch",
                ..DispatchDefinition::default()
            });
            if let Some(block) = block {
                let body = rt.with_self(block, Rv::Class(Name::new(DISPATCH)), None);
                rt.yield_values(&body, &[])?;
            }
        }
        (FUNCTION, "name") => match rt.function {
            Some(function) => return Ok(Some(Rv::str(function.as_str()))),
            None => return Ok(None),
        },
        (FUNCTION, "local_types") => {
            if let Some(block) = block {
                let body = rt.with_self(block, Rv::Class(Name::new(LOCAL_TYPES)), None);
                rt.yield_values(&body, &[])?;
            }
        }
        (LOCAL_TYPES, "type") => rt.builder.local_types.push(text(0)),
        (DISPATCH, _) => return dispatch_part(rt, name, args),
        _ => return Ok(None),
    }
    Ok(Some(Rv::Nil))
}

/// `param 'Type', :name` and similar calls.
fn dispatch_part(rt: &mut Interp<'_, '_>, name: &str, args: &[Rv]) -> Raise<Option<Rv>> {
    let text = |at: usize| args.get(at).and_then(Rv::string_or_symbol).unwrap_or_default();
    let shape = rt.builder.dispatches.last().map(|dispatch| dispatch.shape).unwrap_or_default();
    if let Some(wrong) = function_checks::wrong_part(rt, shape, name, args) {
        return rt.raise("ArgumentError", wrong);
    }
    let Some(dispatch) = rt.builder.dispatches.last_mut() else { return Ok(None) };
    match name {
        "param" | "required_param" => dispatch.params.push(format!("{} ${}", text(0), text(1))),
        "optional_param" => {
            dispatch.shape = Shape::Optional;
            dispatch.params.push(format!("{} ${} = undef", text(0), text(1)));
        }
        "repeated_param" | "optional_repeated_param" => {
            dispatch.shape = Shape::Repeated;
            dispatch.params.push(format!("{} *${}", text(0), text(1)));
        }
        "required_repeated_param" => {
            dispatch.shape = Shape::Repeated;
            dispatch.params.push(format!("{} *${}", text(0), text(1)));
            dispatch.one_at_least = true;
        }
        "block_param" | "required_block_param" | "optional_block_param" => {
            dispatch.shape = Shape::Block;
            let (kind, label) = match args.len() {
                0 => ("Callable".to_owned(), "block".to_owned()),
                1 => ("Callable".to_owned(), text(0)),
                _ => (text(0), text(1)),
            };
            let kind = if name == "optional_block_param" { format!("Optional[{kind}]") } else { kind };
            dispatch.params.push(format!("{kind} &${label}"));
        }
        "return_type" => dispatch.returns = Some(text(0)),
        "scope_param" => dispatch.scope = true,
        "cache_param" => dispatch.cache = true,
        "compiler_param" | "pal_script_compiler_param" | "pal_catalog_compiler_param" | "pal_compiler_param" => {
            return rt.unsupported(&format!("{name} in a dispatch"));
        }
        _ => return Ok(None),
    }
    Ok(Some(Rv::Nil))
}

impl Interp<'_, '_> {
    /// The error of `create_function` for an error in its block.
    fn not_loaded<T>(&mut self, function: &str, thrown: Thrown) -> Raise<T> {
        let message = match self.thrown() {
            Some(Flow::Raise(exception)) if self.inherits_from(exception.class, "StandardError") => {
                exception.message.borrow().clone()
            }
            _ => return Err(thrown),
        };
        let message = self.to_s(&message)?;
        self.raise("ArgumentError", format!("Function Load Error for function '{function}': {message}"))
    }
}
