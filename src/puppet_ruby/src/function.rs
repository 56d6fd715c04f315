//! Functions of modules written in Ruby: `lib/puppet/functions` (`create_function`) and 3.x functions in
//! `lib/puppet/parser/functions` (`newfunction`).
//!
//! A file is run once for a compile to find its definitions; each call runs in a new program that has the file's methods and
//! constants. Signatures are checked like those of functions in Rust.

mod define;

use std::cell::RefCell;
use std::rc::Rc;

use crate::PuppetInterp;
use crate::PuppetProgram;
use crate::function_checks;
use crate::interpreter::with_state;
use catwalk_base::diag::Reason;
use catwalk_base::names::Name;
use catwalk_base::source::Span;
use catwalk_eval::Block;
use catwalk_eval::Call;
use catwalk_eval::Evaluator;
use catwalk_eval::Res;
use catwalk_eval::ScopeId;
use catwalk_eval::Signature;
use catwalk_eval::Stop;
use catwalk_eval::runtime3;
use catwalk_eval::select;
use catwalk_program::RubyFunctionFile;
use catwalk_ruby::Blk;
use catwalk_ruby::Callable;
use catwalk_ruby::Instance;
use catwalk_ruby::Map;
use catwalk_ruby::Raise;
use catwalk_ruby::Rv;
use catwalk_ruby::Tables;
use catwalk_value::Type;
use catwalk_value::Value;
use catwalk_value::mismatch;
use catwalk_value::ruby;

pub(crate) use define::Builder;
pub(crate) use define::define;
use define::take_functions;

/// The class of `self` in a function.
pub(crate) const FUNCTION: &str = "Puppet::Functions::Function";
/// A function of a file.
pub(crate) struct RubyFunction {
    name: Name,
    file: Rc<str>,
    /// The module of the file.
    module: Option<Name>,
    kind: RubyFunctionKind,
    /// The definitions of the file and of the files that it loaded, and these files. A call that loads more files adds to them.
    definitions: RefCell<(Rc<Tables>, Vec<std::path::PathBuf>)>,
}

enum RubyFunctionKind {
    Current(Vec<Dispatch>),
    Legacy { arity: i64, rvalue: bool, block: Rc<Callable> },
}

struct Dispatch {
    signature: Signature,
    method: Name,
    takes_scope: bool,
    takes_cache: bool,
}

/// Calls the Ruby function with this name; `None` if no module has one. If several do, `module` selects one.
pub(crate) fn call<'c>(
    ev: &mut Evaluator<'c>,
    name: Name,
    module: Option<Name>,
    args: &[Value],
    block: Option<&Block<'c>>,
    span: Span,
) -> Option<Res<Value>> {
    match load(ev, name, module, span) {
        Ok(loaded) => {
            let loaded = loaded?;
            Some(run(ev, &loaded, args, block, span))
        }
        Err(stop) => Some(Err(stop)),
    }
}

/// Calls the 3.x function whose name has capitals: Puppet converts other names to lower case, and looks for these last.
/// (`Runtime3Support#call_function`)
pub(crate) fn call_capitalized<'c>(
    ev: &mut Evaluator<'c>,
    name: Name,
    args: &[Value],
    block: Option<&Block<'c>>,
    span: Span,
) -> Option<Res<Value>> {
    if name == name.normalized() || name.contains(':') {
        return None;
    }
    match load_legacy(ev, name, span) {
        Ok(loaded) => {
            let loaded = loaded?;
            Some(run(ev, &loaded, args, block, span))
        }
        Err(stop) => Some(Err(stop)),
    }
}

/// The 3.x function with this name, loaded from its file at its first use.
fn load_legacy(ev: &mut Evaluator<'_>, name: Name, span: Span) -> Res<Option<Rc<RubyFunction>>> {
    if let Some(function) = with_state(ev, |state| state.legacy_functions.get(&name).cloned()) {
        return Ok(function);
    }
    let exists = ev.program.ruby_functions(name).0.iter().any(|file| file.is_legacy);
    let found = if exists { find(ev, name, None, span, true)? } else { None };
    with_state(ev, |state| state.legacy_functions.insert(name, found.clone()));
    Ok(found)
}

/// The function with this name, loaded from its file at its first use.
fn load(ev: &mut Evaluator<'_>, name: Name, module: Option<Name>, span: Span) -> Res<Option<Rc<RubyFunction>>> {
    if let Some(module) = module {
        if let Some(function) = with_state(ev, |state| state.functions_by_module.get(&(name, module)).cloned()) {
            return Ok(function);
        }
        let found = find(ev, name, Some(module), span, false)?;
        with_state(ev, |state| state.functions_by_module.insert((name, module), found.clone()));
        return Ok(found);
    }
    if let Some(function) = with_state(ev, |state| state.functions.get(&name).cloned()) {
        return Ok(function);
    }
    let found = find(ev, name, None, span, false)?;
    with_state(ev, |state| state.functions.insert(name, found.clone()));
    Ok(found)
}

/// The return type that a Ruby function declares for a call with these arguments; `None` if no function accepts them.
///
/// # Errors
///
/// Loading the file of the function fails.
pub(crate) fn return_type(ev: &mut Evaluator<'_>, name: Name, args: &[Value], span: Span) -> Res<Option<Option<Type>>> {
    let loaded = match load(ev, name, None, span) {
        Err(stop) if stop.is_unsupported() => None,
        loaded => loaded?,
    };
    let Some(loaded) = loaded else { return Ok(Some(None)) };
    let RubyFunctionKind::Current(dispatches) = &loaded.kind else { return Ok(Some(None)) };
    let signatures: Vec<&Signature> = dispatches.iter().map(|dispatch| &dispatch.signature).collect();
    let Ok(chosen) = select(loaded.name.as_str(), &signatures, args, None) else { return Ok(None) };
    Ok(if chosen.returns_mismatch { None } else { Some(chosen.shape.callable.returns.clone()) })
}

/// `scope.function_NAME` for a name that Puppet's own functions have, too: by the 3.x API, Ruby code calls the module's function
/// (stdlib has `flatten`, `size`, `dig` …); `None` if no module has one.
pub(crate) fn call_legacy(rt: &mut PuppetInterp<'_, '_>, name: Name, args: &Rv, count: usize) -> Raise<Option<Rv>> {
    let span = rt.span;
    let loaded = match load_legacy(rt.host.ev, name, span) {
        Ok(loaded) => loaded,
        Err(stop) => return rt.raise_failure(stop),
    };
    let Some(loaded) = loaded else { return Ok(None) };
    let RubyFunctionKind::Legacy { arity, rvalue, block } = &loaded.kind else { return Ok(None) };
    let min = usize::try_from(if *arity < 0 { -*arity - 1 } else { *arity }).unwrap_or(0);
    if count < min || (*arity >= 0 && count != min) {
        let minimum = if *arity < 0 { "minimum " } else { "" };
        let message = format!("{name}(): Wrong number of arguments given ({count} for {minimum}{min})");
        return rt.ruby().raise("ArgumentError", message);
    }
    rt.ruby().write_back();
    let mut program = prepare(rt.host.ev, &loaded, span);
    let mut inner = program.interp();
    inner.host.own.is_legacy_function = true;
    let block = inner.ruby().strict_with_self(block, Rv::Scope);
    let value = inner.ruby().yield_values(&block, std::slice::from_ref(args));
    inner.ruby().write_back();
    let value = match inner.ruby().catch_result(value) {
        Ok(value) => value,
        Err(flow) => return Err(rt.ruby().throw(flow)),
    };
    Ok(Some(if *rvalue { value } else { Rv::Nil }))
}

/// Finds the file of a function and runs it; with `only_legacy` only 3.x functions. In each module, functions of the current API
/// come first.
fn find(
    ev: &mut Evaluator<'_>,
    name: Name,
    module: Option<Name>,
    span: Span,
    only_legacy: bool,
) -> Res<Option<Rc<RubyFunction>>> {
    let files = ev.program.ruby_functions(name);
    let is_candidate =
        |file: &&RubyFunctionFile| (file.is_legacy || !only_legacy) && (module.is_none() || file.module == module);
    for file in files.0.iter().filter(is_candidate) {
        let mut found = None;
        // For `scope.function_…`, the file is run without checks.
        for function in run_file(ev, name, file, span, !only_legacy)? {
            let defined = function.name.normalized();
            let function = Rc::new(function);
            if defined == name || function.name == name {
                found = Some(function);
            } else {
                // A file of 3.x functions may define more than the one it was loaded for.
                with_state(ev, |state| {
                    state.functions.entry(defined).or_insert(None).get_or_insert(function);
                });
            }
        }
        if found.is_some() {
            return Ok(found);
        }
    }
    Ok(None)
}

/// Runs a file and returns the functions that it defines; with `checked`, checks that it defines the function `name`.
fn run_file(
    ev: &mut Evaluator<'_>,
    name: Name,
    file: &RubyFunctionFile,
    span: Span,
    checked: bool,
) -> Res<Vec<RubyFunction>> {
    let RubyFunctionFile { path, is_legacy, module } = file;
    let file = path.to_string_lossy().into_owned();
    let parsed = ev.program.ruby(path)?;
    let node = match &*parsed {
        Ok(node) => node,
        Err(error) if !error.is_unsupported => {
            return Err(Stop::script_error(format!("{file}:{}: {}", error.line, error.message)));
        }
        Err(error) => {
            return Err(Reason::unsupported(&format!("{} ({file}:{})", error.message, error.line)).into());
        }
    };
    if checked {
        let check = if *is_legacy { function_checks::check_legacy_source } else { function_checks::check_source };
        check(ev, path, &file)?;
    }
    let mut program = PuppetProgram::new(ev, span, &file);
    let mut rt = program.interp();
    let this = Rv::Object(Rc::new(Instance::new(Name::new("Object"))));
    let frame = match checked && *is_legacy && function_checks::opens_puppet(node) {
        true => rt.ruby().frame_in(this, function_checks::LEGACY_INSTANTIATOR),
        false => rt.ruby().top_frame(this),
    };
    let value = match rt.ruby().eval_in(node, &frame) {
        Ok(value) => value,
        Err(flow) => return Err(rt.convert_thrown(flow)),
    };
    let check_result = match (checked, *is_legacy) {
        (false, _) => Ok(()),
        (true, true) => function_checks::check_legacy_result(&mut rt, name, &value, &file),
        (true, false) => function_checks::check_result(&mut rt, name, &value, &file),
    };
    let functions = take_functions(&mut rt, *module)?;
    check_result?;
    Ok(functions)
}

fn run<'c>(
    ev: &mut Evaluator<'c>,
    loaded: &RubyFunction,
    args: &[Value],
    block: Option<&Block<'c>>,
    span: Span,
) -> Res<Value> {
    match &loaded.kind {
        RubyFunctionKind::Current(dispatches) => {
            let signatures: Vec<&Signature> = dispatches.iter().map(|dispatch| &dispatch.signature).collect();
            // A method `call` that the function defines itself adds the scope as the first argument, as in stdlib.
            if loaded.definitions.borrow().0.methods.contains_key(&(Name::new(FUNCTION), Name::new("call"))) {
                let args: Vec<Value> = std::iter::once(Value::Undef).chain(args.iter().cloned()).collect();
                let chosen = select(loaded.name.as_str(), &signatures, &args, block)?;
                let dispatch = dispatches.iter().find(|dispatch| std::ptr::eq(&dispatch.signature, chosen));
                let Some(dispatch) = dispatch else { return Err(Stop::runtime("no such dispatch")) };
                return run_method(ev, loaded, dispatch, args.get(1..).unwrap_or_default(), block, span, true);
            }
            let chosen = select(loaded.name.as_str(), &signatures, args, block)?;
            let Some(dispatch) = dispatches.iter().find(|dispatch| std::ptr::eq(&dispatch.signature, chosen)) else {
                return Err(Stop::runtime("no such dispatch"));
            };
            // These functions see the top scope unless they request the scope of the caller.
            let value = if dispatch.takes_scope {
                run_method(ev, loaded, dispatch, args, block, span, true)?
            } else {
                ev.in_scope(ScopeId::TOP, |ev| run_method(ev, loaded, dispatch, args, block, span, false))?
            };
            if dispatch.signature.returns_mismatch {
                let message = ruby::to_s(&value).into_owned();
                return Err(Stop::runtime(format!("'{}' {message}", loaded.name)));
            }
            if let Some(returns) = &dispatch.signature.shape.callable.returns {
                let subject = format!("value returned from function '{}'", dispatch.method);
                mismatch::assert_instance(&subject, returns, &value).map_err(|reason| Stop::runtime(reason.message))?;
            }
            Ok(value)
        }
        RubyFunctionKind::Legacy { arity, rvalue, block } => {
            let converted = {
                let call = Call { ev: &mut *ev, name: loaded.name.as_str(), args, block: None, span };
                let count = usize::try_from(if *arity < 0 { -*arity - 1 } else { *arity }).unwrap_or(0);
                if *arity >= 0 { runtime3::exactly(&call, count)? } else { runtime3::at_least(&call, count)? }
                    .into_owned()
            };
            let mut program = prepare(ev, loaded, span);
            let mut rt = program.interp();
            rt.host.own.is_legacy_function = true;
            let arg_list = Rv::array(converted.iter().map(|arg| rt.ruby().copy_to_ruby(arg)).collect());
            let block = rt.ruby().strict_with_self(block, Rv::Scope);
            let result = rt.ruby().with_position(|rt| rt.yield_values(&block, &[arg_list]));
            rt.ruby().write_back();
            // The result of a statement function is ignored.
            let result =
                result.and_then(|value| if *rvalue { rt.ruby().result_to_puppet(&value) } else { Ok(Value::Undef) });
            store_definitions(&mut rt, loaded);
            result.map_err(|flow| rt.convert_thrown(flow))
        }
    }
}

/// A program with a file's methods and constants.
fn prepare<'e, 'c>(ev: &'e mut Evaluator<'c>, loaded: &RubyFunction, span: Span) -> PuppetProgram<'e, 'c> {
    let mut program = PuppetProgram::new(ev, span, &loaded.file);
    let mut rt = program.interp();
    (rt.tables, rt.loaded_files) = loaded.definitions.borrow().clone();
    rt.host.own.function = Some(loaded.name);
    rt.load_catalog_methods();
    rt.ruby().continue_ids();
    program
}

/// Stores the definitions of files that a call loaded, so that the next call need not run them again, and the catalog's methods.
fn store_definitions(rt: &mut PuppetInterp<'_, '_>, loaded: &RubyFunction) {
    rt.store_catalog_methods();
    if rt.loaded_files.len() > loaded.definitions.borrow().1.len() {
        *loaded.definitions.borrow_mut() = (rt.tables.clone(), rt.loaded_files.clone());
        let tables = rt.tables.clone();
        rt.ruby().state().libraries.push(tables);
    }
}

fn run_method<'c>(
    ev: &mut Evaluator<'c>,
    loaded: &RubyFunction,
    dispatch: &Dispatch,
    args: &[Value],
    block: Option<&Block<'c>>,
    span: Span,
    scope: bool,
) -> Res<Value> {
    let mut program = prepare(ev, loaded, span);
    let mut rt = program.interp();
    rt.host.own.module = loaded.module;
    let mut method_args = Vec::with_capacity(args.len() + 1);
    if scope {
        method_args.push(Rv::Scope);
    }
    if dispatch.takes_cache {
        // Each call gets a new object.
        method_args.push(Rv::hash(Map::default()));
    }
    method_args.extend(args.iter().map(|arg| rt.ruby().to_ruby(arg)));
    let block = block.map(|block| {
        rt.host.own.blocks.push(block.clone());
        Rc::new(Callable::Puppet(rt.host.own.blocks.len() - 1))
    });
    let this = Rv::Object(Rc::new(Instance::new(Name::new(FUNCTION))));
    let Some(method) = rt.ruby().find_method(&this, dispatch.method) else {
        return Err(Stop::runtime(format!("undefined method `{}' for function {}", dispatch.method, loaded.name)));
    };
    let initialized = match rt.ruby().find_method(&this, Name::new("initialize")) {
        Some(initialize) => rt
            .ruby()
            .with_position(|rt| rt.invoke(&initialize, Name::new("initialize"), &this, &[Rv::Scope, Rv::Nil], None)),
        None => Ok(Rv::Nil),
    };
    let result = initialized.and_then(|_| {
        rt.ruby().with_position(|rt| rt.invoke(&method, dispatch.method, &this, &method_args, block.as_ref()))
    });
    rt.ruby().write_back();
    let result = result.and_then(|value| rt.ruby().result_to_puppet(&value));
    store_definitions(&mut rt, loaded);
    result.map_err(|flow| rt.convert_thrown(flow))
}

/// Methods of `self` in a function.
pub(crate) fn call_self(rt: &mut PuppetInterp<'_, '_>, name: &str, args: &[Rv], block: Blk<'_>) -> Raise<Option<Rv>> {
    Ok(Some(match name {
        "call_function" => {
            let name = args.first().and_then(Rv::string_or_symbol).unwrap_or_default();
            // (Puppet::Pops::Functions::Function#internal_call_function)
            if let Some(function) = rt.host.own.function
                && !rt.has_function(&name)
            {
                return rt.ruby().raise("ArgumentError", format!("Function {function}(): Unknown function: '{name}'"));
            }
            rt.call_function(&name, args.get(1..).unwrap_or_default(), block)?
        }
        "closure_scope" => Rv::Scope,
        _ => return Ok(None),
    }))
}
