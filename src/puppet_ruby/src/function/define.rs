//! Definitions in the file of a function: `create_function` with its dispatches and types, `newfunction`.
//!
//! In: the methods that such a file calls. Out: its functions. Must not: call them.

use std::cell::RefCell;
use std::rc::Rc;

use super::Dispatch;
use super::FUNCTION;
use super::RubyFunction;
use super::RubyFunctionKind;
use crate::PuppetInterp;
use crate::function_checks;
use crate::function_checks::ParamKind;
use catwalk_base::names::Name;
use catwalk_eval::Res;
use catwalk_eval::Stop;
use catwalk_ruby::Blk;
use catwalk_ruby::Callable;
use catwalk_ruby::Flow;
use catwalk_ruby::Key;
use catwalk_ruby::Map;
use catwalk_ruby::Method;
use catwalk_ruby::Raise;
use catwalk_ruby::Rv;
use catwalk_ruby::Thrown;
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
    legacy_functions: Vec<(String, i64, bool, Rc<Callable>)>,
    has_function: bool,
}

#[derive(Default)]
struct DispatchDefinition {
    method: String,
    last: ParamKind,
    is_mismatch: bool,
    params: Vec<String>,
    /// Whether the repeated parameter requires at least one argument.
    requires_one: bool,
    returns: Option<String>,
    takes_scope: bool,
    takes_cache: bool,
}

/// The functions that the file defined.
pub(super) fn take_functions(rt: &mut PuppetInterp<'_, '_>, module: Option<Name>) -> Res<Vec<RubyFunction>> {
    let builder = std::mem::take(&mut rt.host.own.builder);
    if !builder.has_function {
        return Ok(Vec::new());
    }
    let mut kinds: Vec<(Name, RubyFunctionKind)> = Vec::new();
    for (name, arity, rvalue, block) in builder.legacy_functions {
        kinds.push((Name::new(&name), RubyFunctionKind::Legacy { arity, rvalue, block }));
    }
    if kinds.is_empty() {
        let name = Name::new(&builder.name);
        kinds.push((
            name,
            RubyFunctionKind::Current(build_dispatches(rt, name, builder.dispatches, &builder.local_types)?),
        ));
    }
    let functions = kinds.into_iter().map(|(name, kind)| RubyFunction {
        name,
        file: rt.file.clone(),
        module,
        kind,
        definitions: RefCell::new((rt.tables.clone(), rt.loaded_files.clone())),
    });
    Ok(functions.collect())
}

/// The dispatches of a function; without definitions, one for the method with the function's name.
fn build_dispatches(
    rt: &mut PuppetInterp<'_, '_>,
    name: Name,
    mut definitions: Vec<DispatchDefinition>,
    local_types: &[String],
) -> Res<Vec<Dispatch>> {
    if definitions.is_empty() {
        definitions.push(default_dispatch(rt, name)?);
    }
    let mut dispatches = Vec::with_capacity(definitions.len());
    for definition in definitions {
        let mut source = definition.params.join(", ");
        if let Some(returns) = &definition.returns {
            source = format!("{source} >> {returns}");
        }
        if definition.is_mismatch {
            source = format!("! {source}");
        }
        let signature = match rt.host.ev.parse_signature(&source, local_types) {
            Ok(signature) => signature,
            Err(reason) => return Err(function_checks::param_type_error(rt, name, &definition.params, reason)),
        };
        dispatches.push(Dispatch {
            signature: if definition.requires_one { signature.with_repeatable_last() } else { signature },
            method: Name::new(&definition.method),
            takes_scope: definition.takes_scope,
            takes_cache: definition.takes_cache,
        });
    }
    Ok(dispatches)
}

/// The dispatch of a function without signatures: the method with the name of the function, with any arguments.
fn default_dispatch(rt: &PuppetInterp<'_, '_>, function: Name) -> Res<DispatchDefinition> {
    let method = function.as_str().rsplit("::").next().unwrap_or("");
    let Some(Method::Def(def)) = rt.tables.methods.get(&(Name::new(FUNCTION), Name::new(method))) else {
        return Err(Stop::runtime(format!(
            "Function Load Error for function '{function}': Function Creation Error, cannot create a default dispatcher for \
             function '{method}', no method with this name found"
        )));
    };
    let params = def.params.iter().filter_map(|param| match param {
        Param::Required(name) => Some(format!("Any ${name}")),
        Param::Optional(name, _) => Some(format!("Any ${name} = undef")),
        Param::Rest(name) => Some(format!("Any *${}", name.map_or("rest", Name::as_str))),
        _ => None,
    });
    Ok(DispatchDefinition { method: method.to_owned(), params: params.collect(), ..DispatchDefinition::default() })
}

/// Calls a method of `Puppet::Functions`, `Puppet::Parser::Functions` or of the builders; `None` for other classes.
pub(crate) fn define(
    rt: &mut PuppetInterp<'_, '_>,
    class: &str,
    name: &str,
    args: &[Rv],
    block: Blk<'_>,
) -> Raise<Option<Rv>> {
    let string = |at: usize| args.get(at).and_then(Rv::string_or_symbol).unwrap_or_default();
    match (class, name) {
        ("Puppet::Functions", "create_function") => create_function(rt, string(0), args.get(1), block).map(Some),
        (LEGACY_API, "newfunction") => Ok(Some(new_legacy_function(rt, string(0), args.get(1), block))),
        // Functions are loaded when they are called.
        (LEGACY_API, "autoloader") => Ok(Some(Rv::Class(Name::new(AUTOLOADER)))),
        (AUTOLOADER, "loaded?" | "load" | "loadall") => rt.call_autoloader(name, &string(0)).map(Some),
        (LEGACY_API, "loaded?" | "load" | "loadall") => Ok(Some(Rv::True)),
        (LEGACY_API, "function") => rt.find_legacy_function(&string(0)).map(Some),
        (FUNCTION, "dispatch" | "argument_mismatch") => {
            rt.host.own.builder.dispatches.push(DispatchDefinition {
                method: string(0),
                is_mismatch: name == "argument_mismatch",
                ..DispatchDefinition::default()
            });
            run_builder_block(rt, DISPATCH, block)
        }
        (FUNCTION, "name") => Ok(rt.host.own.function.map(|function| Rv::str(function.as_str()))),
        (FUNCTION, "local_types") => run_builder_block(rt, LOCAL_TYPES, block),
        (LOCAL_TYPES, "type") => {
            rt.host.own.builder.local_types.push(string(0));
            Ok(Some(Rv::Nil))
        }
        (DISPATCH, _) => add_dispatch_part(rt, name, args),
        _ => Ok(None),
    }
}

/// `Puppet::Functions.create_function(name, parent) do … end`: `parent` may be a class of the module that inherits from Puppet's
/// class of functions.
fn create_function(rt: &mut PuppetInterp<'_, '_>, name: String, parent: Option<&Rv>, block: Blk<'_>) -> Raise<Rv> {
    let class = Name::new(FUNCTION);
    rt.host.own.builder.has_function = true;
    rt.host.own.builder.name.clone_from(&name);
    if let Some(Rv::Class(parent)) = parent
        && rt.tables.parents.contains_key(parent)
    {
        rt.ruby().tables_mut().parents.insert(class, *parent);
    }
    if let Some(block) = block {
        let body = rt.ruby().with_self(block, Rv::Class(class), Some(class));
        if let Err(thrown) = rt.ruby().yield_values(&body, &[]) {
            return rt.raise_load_error(&name, thrown);
        }
    }
    Ok(Rv::Class(class))
}

/// `Puppet::Parser::Functions.newfunction(name, arity: …, type: …) do … end`; returns the function's description.
fn new_legacy_function(rt: &mut PuppetInterp<'_, '_>, name: String, options: Option<&Rv>, block: Blk<'_>) -> Rv {
    rt.host.own.builder.has_function = true;
    rt.host.own.builder.name.clone_from(&name);
    let option = |key: &str| match options {
        Some(Rv::Hash(options)) => options.get(&Rv::sym(key)),
        _ => None,
    };
    let arity = match option("arity") {
        Some(Rv::Int(n)) => n,
        _ => -1,
    };
    let rvalue = option("type").and_then(|kind| kind.string_or_symbol()).as_deref() == Some("rvalue");
    let mut info = Map::default();
    info.insert(Key(Rv::sym("arity")), Rv::Int(arity));
    info.insert(Key(Rv::sym("type")), Rv::sym(if rvalue { "rvalue" } else { "statement" }));
    info.insert(Key(Rv::sym("name")), Rv::str(format!("function_{}", name.to_lowercase())));
    if let Some(block) = block {
        rt.host.own.builder.legacy_functions.push((name, arity, rvalue, block.clone()));
    }
    Rv::hash(info)
}

/// Runs the block of `dispatch` or `local_types` with the builder as `self`.
fn run_builder_block(rt: &mut PuppetInterp<'_, '_>, builder: &str, block: Blk<'_>) -> Raise<Option<Rv>> {
    if let Some(block) = block {
        let body = rt.ruby().with_self(block, Rv::Class(Name::new(builder)), None);
        rt.ruby().yield_values(&body, &[])?;
    }
    Ok(Some(Rv::Nil))
}

/// `param 'Type', :name` and similar calls.
fn add_dispatch_part(rt: &mut PuppetInterp<'_, '_>, name: &str, args: &[Rv]) -> Raise<Option<Rv>> {
    let string = |at: usize| args.get(at).and_then(Rv::string_or_symbol).unwrap_or_default();
    let last = rt.host.own.builder.dispatches.last().map(|dispatch| dispatch.last).unwrap_or_default();
    if let Some(message) = function_checks::part_error(rt, last, name, args) {
        return rt.ruby().raise("ArgumentError", message);
    }
    let Some(dispatch) = rt.host.own.builder.dispatches.last_mut() else { return Ok(None) };
    match name {
        "param" | "required_param" => dispatch.params.push(format!("{} ${}", string(0), string(1))),
        "optional_param" => {
            dispatch.last = ParamKind::Optional;
            dispatch.params.push(format!("{} ${} = undef", string(0), string(1)));
        }
        "repeated_param" | "optional_repeated_param" => {
            dispatch.last = ParamKind::Repeated;
            dispatch.params.push(format!("{} *${}", string(0), string(1)));
        }
        "required_repeated_param" => {
            dispatch.last = ParamKind::Repeated;
            dispatch.params.push(format!("{} *${}", string(0), string(1)));
            dispatch.requires_one = true;
        }
        "block_param" | "required_block_param" | "optional_block_param" => {
            dispatch.last = ParamKind::Block;
            let (kind, label) = match args.len() {
                0 => ("Callable".to_owned(), "block".to_owned()),
                1 => ("Callable".to_owned(), string(0)),
                _ => (string(0), string(1)),
            };
            let kind = if name == "optional_block_param" { format!("Optional[{kind}]") } else { kind };
            dispatch.params.push(format!("{kind} &${label}"));
        }
        "return_type" => dispatch.returns = Some(string(0)),
        "scope_param" => dispatch.takes_scope = true,
        "cache_param" => dispatch.takes_cache = true,
        "compiler_param" | "pal_script_compiler_param" | "pal_catalog_compiler_param" | "pal_compiler_param" => {
            return rt.ruby().unsupported(&format!("{name} in a dispatch"));
        }
        _ => return Ok(None),
    }
    Ok(Some(Rv::Nil))
}

impl PuppetInterp<'_, '_> {
    /// The error of `create_function` for an error in its block.
    fn raise_load_error<T>(&mut self, function: &str, thrown: Thrown) -> Raise<T> {
        let rt = self.ruby();
        let message = match rt.thrown() {
            Some(Flow::Raise(exception)) if rt.inherits_from(exception.class, "StandardError") => {
                exception.message.borrow().clone()
            }
            _ => return Err(thrown),
        };
        let message = self.ruby().to_s(&message)?;
        self.ruby().raise("ArgumentError", format!("Function Load Error for function '{function}': {message}"))
    }
}
