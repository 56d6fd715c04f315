//! Functions that modules bring written in Ruby: `lib/puppet/functions` (`create_function`) and the older
//! `lib/puppet/parser/functions` (`newfunction`).
//!
//! A file is run once for a compile to learn what it defines; each call runs in a program of its own that has the file's
//! methods and constants. Signatures are checked by the code that checks those of functions in Rust.

use std::cell::RefCell;
use std::rc::Rc;

use super::Blk;
use super::Flow;
use super::Frame;
use super::Interp;
use super::MethodContext;
use super::Raise;
use super::function_checks;
use super::function_checks::Shape;
use super::interpreter::with_state;
use super::tables::Method;
use super::tables::Tables;
use super::value::Callable;
use super::value::Instance;
use super::value::Key;
use super::value::Map;
use super::value::Rv;
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
use catwalk_program::program::RubyFunctionFile;
use catwalk_ruby_syntax::ast::Param;
use catwalk_value::types::Type;
use catwalk_value::types::mismatch;
use catwalk_value::value::Value;
use catwalk_value::value::ruby;

/// The class of `self` in a function.
pub(crate) const FUNCTION: &str = "Puppet::Functions::Function";
/// `self` in the block of `dispatch`.
const DISPATCH: &str = "Puppet::Functions::DispatcherBuilder";
/// `self` in the block of `local_types`.
const LOCAL_TYPES: &str = "Puppet::Functions::TypeAliasBuilder";
const OLD: &str = "Puppet::Parser::Functions";
/// What `Puppet::Parser::Functions.autoloader` gives.
const AUTOLOADER: &str = "Puppet::Parser::Functions::AutoloaderDelegate";

/// A function as its file defines it.
pub(super) struct Loaded {
    name: Name,
    file: Rc<str>,
    /// The module of that file.
    module: Option<Name>,
    kind: LoadedKind,
    /// What the files define, and which files those are: more after a call that loads one.
    defined: RefCell<(Rc<Tables>, Vec<std::path::PathBuf>)>,
}

enum LoadedKind {
    Modern(Vec<Dispatch>),
    Old { arity: i64, rvalue: bool, block: Rc<Callable> },
}

struct Dispatch {
    signature: Signature,
    method: Name,
    scope: bool,
    cache: bool,
}

/// What a file said so far.
#[derive(Default)]
pub(crate) struct Builder {
    pub(super) name: String,
    dispatches: Vec<Wanted>,
    local_types: Vec<String>,
    /// Functions of the older interface: name, arity, whether they give a value, body.
    old: Vec<(String, i64, bool, Rc<Callable>)>,
    found: bool,
}

#[derive(Default)]
struct Wanted {
    method: String,
    shape: Shape,
    mismatch: bool,
    params: Vec<String>,
    /// Whether the repeated parameter must be given once.
    one_at_least: bool,
    returns: Option<String>,
    scope: bool,
    cache: bool,
}

/// Calls the Ruby function of a name; `None` when no module has one. Where several have one, `of` says whose it is.
pub(super) fn call<'c>(
    ev: &mut Evaluator<'c>,
    name: Name,
    of: Option<Name>,
    args: &[Value],
    block: Option<&Block<'c>>,
    span: Span,
) -> Option<Res<Value>> {
    match load(ev, name, of, span) {
        Ok(loaded) => {
            let loaded = loaded?;
            Some(run(ev, &loaded, args, block, span))
        }
        Err(stop) => Some(Err(stop)),
    }
}

/// Calls the function of the older interface whose name has capitals: the reference takes other names in lower case, and looks
/// for those as they are written last of all. (`Runtime3Support#call_function`)
pub(super) fn call_capitalized<'c>(
    ev: &mut Evaluator<'c>,
    name: Name,
    args: &[Value],
    block: Option<&Block<'c>>,
    span: Span,
) -> Option<Res<Value>> {
    if name == name.normalized() || name.contains(':') {
        return None;
    }
    match load_older(ev, name, span) {
        Ok(loaded) => {
            let loaded = loaded?;
            Some(run(ev, &loaded, args, block, span))
        }
        Err(stop) => Some(Err(stop)),
    }
}

/// The function of the older interface of a name, from its file when it is asked for first.
fn load_older(ev: &mut Evaluator<'_>, name: Name, span: Span) -> Res<Option<Rc<Loaded>>> {
    if let Some(known) = with_state(ev, |state| state.older.get(&name).cloned()) {
        return Ok(known);
    }
    let there = ev.program.ruby_functions(name).0.iter().any(|file| file.older);
    let found = if there { find(ev, name, None, span, true)? } else { None };
    with_state(ev, |state| state.older.insert(name, found.clone()));
    Ok(found)
}

/// The function of a name, from its file when it is asked for first.
fn load(ev: &mut Evaluator<'_>, name: Name, of: Option<Name>, span: Span) -> Res<Option<Rc<Loaded>>> {
    if let Some(module) = of {
        if let Some(known) = with_state(ev, |state| state.by_module.get(&(name, module)).cloned()) {
            return Ok(known);
        }
        let found = find(ev, name, of, span, false)?;
        with_state(ev, |state| state.by_module.insert((name, module), found.clone()));
        return Ok(found);
    }
    if let Some(known) = with_state(ev, |state| state.functions.get(&name).cloned()) {
        return Ok(known);
    }
    let found = find(ev, name, None, span, false)?;
    with_state(ev, |state| state.functions.insert(name, found.clone()));
    Ok(found)
}

/// What the Ruby function of a name says that a call with these arguments returns: nothing where it does not say so, or no
/// module has one; `None` when it takes no such call.
///
/// # Errors
/// Its file fails.
pub(super) fn returns(ev: &mut Evaluator<'_>, name: Name, args: &[Value], span: Span) -> Res<Option<Option<Type>>> {
    let loaded = match load(ev, name, None, span) {
        Err(stop) if stop.is_unsupported() => None,
        loaded => loaded?,
    };
    let Some(loaded) = loaded else { return Ok(Some(None)) };
    let LoadedKind::Modern(dispatches) = &loaded.kind else { return Ok(Some(None)) };
    let signatures: Vec<&Signature> = dispatches.iter().map(|dispatch| &dispatch.signature).collect();
    let Ok(chosen) = select(loaded.name.as_str(), &signatures, args, None) else { return Ok(None) };
    Ok(if chosen.explains { None } else { Some(chosen.shape.callable.returns.clone()) })
}

/// `scope.function_NAME` where Puppet has a function of that name itself: what Ruby calls by the older interface is a
/// module's (stdlib has `flatten`, `size`, `dig` …); `None` when no module has one.
pub(crate) fn older(rt: &mut Interp<'_, '_>, name: Name, args: &Rv, count: usize) -> Raise<Option<Rv>> {
    let span = rt.span;
    let loaded = match load_older(rt.ev, name, span) {
        Ok(loaded) => loaded,
        Err(stop) => return rt.failed(stop),
    };
    let Some(loaded) = loaded else { return Ok(None) };
    let LoadedKind::Old { arity, rvalue, block } = &loaded.kind else { return Ok(None) };
    let least = usize::try_from(if *arity < 0 { -*arity - 1 } else { *arity }).unwrap_or(0);
    if count < least || (*arity >= 0 && count != least) {
        let minimum = if *arity < 0 { "minimum " } else { "" };
        let text = format!("{name}(): Wrong number of arguments given ({count} for {minimum}{least})");
        return rt.raise("ArgumentError", text);
    }
    rt.write_back();
    let mut inner = prepared(rt.ev, &loaded, span);
    inner.older = true;
    let block = inner.strict_with_self(block, Rv::Scope);
    let value = inner.yield_values(&block, std::slice::from_ref(args));
    inner.write_back();
    let value = value?;
    Ok(Some(if *rvalue { value } else { Rv::Nil }))
}

/// Looks for the file of a function and runs it; newer functions are passed over on request. Each module has the newer ones
/// first.
fn find(ev: &mut Evaluator<'_>, name: Name, of: Option<Name>, span: Span, only_older: bool) -> Res<Option<Rc<Loaded>>> {
    let files = ev.program.ruby_functions(name);
    let counts = |file: &&RubyFunctionFile| (file.older || !only_older) && (of.is_none() || file.module == of);
    for RubyFunctionFile { path, older, module } in files.0.iter().filter(counts) {
        let file = path.to_string_lossy().into_owned();
        let parsed = ev.program.ruby(path)?;
        let node = match &*parsed {
            Ok(node) => node,
            Err(error) if !error.unsupported => {
                return Err(Stop::script_error(format!("{file}:{}: {}", error.line, error.message)));
            }
            Err(error) => {
                return Err(Reason::unsupported(&format!("{} ({file}:{})", error.message, error.line)).into());
            }
        };
        // By `scope.function_…` a file is only run.
        let checked = !only_older;
        if checked {
            let assert = if *older { function_checks::legacy } else { function_checks::modern };
            assert(ev, path, &file)?;
        }
        let mut rt = Interp::new(ev, span, &file);
        let this = Rv::Object(Rc::new(Instance::new(Name::new("Object"))));
        let frame = match checked && *older && function_checks::opens_puppet(node) {
            true => rt.frame_in(this, function_checks::LEGACY),
            false => rt.top_frame(this),
        };
        let made = match rt.eval_in(node, &frame) {
            Ok(made) => made,
            Err(flow) => return Err(rt.stop_of(*flow)),
        };
        let right = match (checked, *older) {
            (false, _) => Ok(()),
            (true, true) => function_checks::made_older(&rt, name, &made, &file),
            (true, false) => function_checks::made(&rt, name, &made, &file),
        };
        let defines = finish(rt, *module)?;
        right?;
        let mut found = None;
        for loaded in defines {
            let defined = loaded.name.normalized();
            let loaded = Rc::new(loaded);
            if defined == name || loaded.name == name {
                found = Some(loaded);
            } else {
                // A file of the older interface may define more than the one it was loaded for.
                with_state(ev, |state| {
                    state.functions.entry(defined).or_insert(None).get_or_insert(loaded);
                });
            }
        }
        if found.is_some() {
            return Ok(found);
        }
    }
    Ok(None)
}

/// What the file defined.
fn finish(mut rt: Interp<'_, '_>, module: Option<Name>) -> Res<Vec<Loaded>> {
    let builder = std::mem::take(&mut rt.builder);
    if !builder.found {
        return Ok(Vec::new());
    }
    let mut kinds: Vec<(Name, LoadedKind)> = Vec::new();
    for (name, arity, rvalue, block) in builder.old {
        kinds.push((Name::new(&name), LoadedKind::Old { arity, rvalue, block }));
    }
    if kinds.is_empty() {
        let name = Name::new(&builder.name);
        kinds.push((name, LoadedKind::Modern(dispatches(&mut rt, name, builder.dispatches, &builder.local_types)?)));
    }
    let made = kinds.into_iter().map(|(name, kind)| Loaded {
        name,
        file: rt.file.clone(),
        module,
        kind,
        defined: RefCell::new((rt.tables.clone(), rt.required.clone())),
    });
    Ok(made.collect())
}

fn dispatches(rt: &mut Interp<'_, '_>, name: Name, wanted: Vec<Wanted>, local_types: &[String]) -> Res<Vec<Dispatch>> {
    let mut wanted = wanted;
    if wanted.is_empty() {
        // Without signatures: the method of the function's own name, with any arguments.
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
        wanted.push(Wanted { method: simple.to_owned(), params: params.collect(), ..Wanted::default() });
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
        let signature = match rt.ev.signature_of(&text, local_types) {
            Ok(signature) => signature,
            Err(reason) => return Err(function_checks::wrong_type(rt, name, &one.params, reason)),
        };
        let signature = if one.one_at_least { signature.with_one_more() } else { signature };
        found.push(Dispatch { signature, method: Name::new(&one.method), scope: one.scope, cache: one.cache });
    }
    Ok(found)
}

fn run<'c>(
    ev: &mut Evaluator<'c>,
    loaded: &Loaded,
    args: &[Value],
    block: Option<&Block<'c>>,
    span: Span,
) -> Res<Value> {
    match &loaded.kind {
        LoadedKind::Modern(dispatches) => {
            let signatures: Vec<&Signature> = dispatches.iter().map(|dispatch| &dispatch.signature).collect();
            // A method `call` of the function's own hands on the scope as an argument (stdlib's way to reach it).
            if loaded.defined.borrow().0.methods.contains_key(&(Name::new(FUNCTION), Name::new("call"))) {
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
            // Such functions see the top scope unless they ask for the scope of the call.
            let value = if dispatch.scope {
                run_method(ev, loaded, dispatch, args, block, span, true)?
            } else {
                ev.in_scope(ScopeId::TOP, |ev| run_method(ev, loaded, dispatch, args, block, span, false))?
            };
            if dispatch.signature.explains {
                let text = ruby::to_s(&value).into_owned();
                return Err(Stop::runtime(format!("'{}' {text}", loaded.name)));
            }
            if let Some(returns) = &dispatch.signature.shape.callable.returns {
                let what = format!("value returned from function '{}'", dispatch.method);
                mismatch::assert_instance(&what, returns, &value).map_err(|reason| Stop::runtime(reason.message))?;
            }
            Ok(value)
        }
        LoadedKind::Old { arity, rvalue, block } => {
            let converted = {
                let call = Call { ev: &mut *ev, name: loaded.name.as_str(), args, block: None, span };
                let count = usize::try_from(if *arity < 0 { -*arity - 1 } else { *arity }).unwrap_or(0);
                if *arity >= 0 { runtime3::exactly(&call, count)? } else { runtime3::at_least(&call, count)? }
                    .into_owned()
            };
            let mut rt = prepared(ev, loaded, span);
            rt.older = true;
            let given = Rv::array(converted.iter().map(|arg| rt.copied_to_ruby(arg)).collect());
            let block = rt.strict_with_self(block, Rv::Scope);
            let result = rt.placed(|rt| rt.yield_values(&block, &[given]));
            rt.write_back();
            // Nobody sees what one gives that has no value.
            let result = result.and_then(|value| if *rvalue { rt.given_to_puppet(&value) } else { Ok(Value::Undef) });
            keep(&mut rt, loaded);
            result.map_err(|flow| rt.stop_of(*flow))
        }
    }
}

/// A program with a file's methods and constants.
fn prepared<'e, 'c>(ev: &'e mut Evaluator<'c>, loaded: &Loaded, span: Span) -> Interp<'e, 'c> {
    let mut rt = Interp::new(ev, span, &loaded.file);
    (rt.tables, rt.required) = loaded.defined.borrow().clone();
    rt.function = Some(loaded.name);
    rt.take_catalog();
    rt.skip_ids();
    rt
}

/// Keeps what files define that a call loaded: the next one need not run them again; and what belongs to the catalog.
fn keep(rt: &mut Interp<'_, '_>, loaded: &Loaded) {
    rt.keep_catalog();
    if rt.required.len() > loaded.defined.borrow().1.len() {
        *loaded.defined.borrow_mut() = (rt.tables.clone(), rt.required.clone());
        let tables = rt.tables.clone();
        rt.state().libraries.push(tables);
    }
}

fn run_method<'c>(
    ev: &mut Evaluator<'c>,
    loaded: &Loaded,
    dispatch: &Dispatch,
    args: &[Value],
    block: Option<&Block<'c>>,
    span: Span,
    scope: bool,
) -> Res<Value> {
    let mut rt = prepared(ev, loaded, span);
    rt.module = loaded.module;
    let mut given = Vec::with_capacity(args.len() + 1);
    if scope {
        given.push(Rv::Scope);
    }
    if dispatch.cache {
        // What one call puts there no other one finds.
        given.push(Rv::hash(Map::default()));
    }
    given.extend(args.iter().map(|arg| rt.to_ruby(arg)));
    let block = block.map(|block| {
        rt.blocks.push(block.clone());
        Rc::new(Callable::Puppet(rt.blocks.len() - 1))
    });
    let this = Rv::Object(Rc::new(Instance::new(Name::new(FUNCTION))));
    let Some(method) = rt.find_method(&this, dispatch.method) else {
        return Err(Stop::runtime(format!("undefined method `{}' for function {}", dispatch.method, loaded.name)));
    };
    let made = match rt.find_method(&this, Name::new("initialize")) {
        Some(initialize) => {
            rt.placed(|rt| rt.call_found(&initialize, Name::new("initialize"), &this, &[Rv::Scope, Rv::Nil], None))
        }
        None => Ok(Rv::Nil),
    };
    let result =
        made.and_then(|_| rt.placed(|rt| rt.call_found(&method, dispatch.method, &this, &given, block.as_ref())));
    rt.write_back();
    let result = result.and_then(|value| rt.given_to_puppet(&value));
    keep(&mut rt, loaded);
    result.map_err(|flow| rt.stop_of(*flow))
}

/// Methods of `Puppet::Functions`, `Puppet::Parser::Functions` and of the builders.
pub(crate) fn define(
    rt: &mut Interp<'_, '_>,
    class: &str,
    name: &str,
    args: &[Rv],
    block: Blk<'_>,
) -> Raise<Option<Rv>> {
    let text = |at: usize| args.get(at).and_then(Rv::text).unwrap_or_default();
    match (class, name) {
        ("Puppet::Functions", "create_function") => {
            rt.builder.found = true;
            rt.builder.name = text(0);
            // A class of the module's own, which comes from Puppet's class of functions.
            if let Some(Rv::Class(parent)) = args.get(1)
                && rt.tables.parents.contains_key(parent)
            {
                Rc::make_mut(&mut rt.tables).parents.insert(Name::new(FUNCTION), *parent);
            }
            if let Some(block) = block {
                let body = rt.with_self(block, Rv::Class(Name::new(FUNCTION)), Some(Name::new(FUNCTION)));
                if let Err(flow) = rt.yield_values(&body, &[]) {
                    return rt.not_loaded(&text(0), flow);
                }
            }
            return Ok(Some(Rv::Class(Name::new(FUNCTION))));
        }
        (OLD, "newfunction") => {
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
            let rvalue = option("type").and_then(|kind| kind.text()).as_deref() == Some("rvalue");
            if let Some(block) = block {
                rt.builder.old.push((text(0), arity, rvalue, block.clone()));
            }
            let mut info = Map::default();
            info.insert(Key(Rv::sym("arity")), Rv::Int(arity));
            info.insert(Key(Rv::sym("type")), Rv::sym(if rvalue { "rvalue" } else { "statement" }));
            info.insert(Key(Rv::sym("name")), Rv::str(format!("function_{}", text(0).to_lowercase())));
            return Ok(Some(Rv::hash(info)));
        }
        // Functions are found when they are called.
        (OLD, "autoloader") => return Ok(Some(Rv::Class(Name::new(AUTOLOADER)))),
        (AUTOLOADER, "loaded?" | "load" | "loadall") => return rt.autoloader(name, &text(0)).map(Some),
        (OLD, "loaded?" | "load" | "loadall") => return Ok(Some(Rv::True)),
        (OLD, "function") => return rt.older_function(&text(0)).map(Some),
        (FUNCTION, "dispatch" | "argument_mismatch") => {
            rt.builder.dispatches.push(Wanted {
                method: text(0),
                mismatch: name == "argument_mismatch",
                ..Wanted::default()
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

/// `param 'Type', :name` and its kin.
fn dispatch_part(rt: &mut Interp<'_, '_>, name: &str, args: &[Rv]) -> Raise<Option<Rv>> {
    let text = |at: usize| args.get(at).and_then(Rv::text).unwrap_or_default();
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

/// Methods of `self` in a function.
pub(crate) fn call_self(rt: &mut Interp<'_, '_>, name: &str, args: &[Rv], block: Blk<'_>) -> Raise<Option<Rv>> {
    Ok(Some(match name {
        "call_function" => {
            let wanted = args.first().and_then(Rv::text).unwrap_or_default();
            // (Puppet::Pops::Functions::Function#internal_call_function)
            if let Some(function) = rt.function
                && !rt.has_function(&wanted)
            {
                return rt.raise("ArgumentError", format!("Function {function}(): Unknown function: '{wanted}'"));
            }
            rt.call_puppet(&wanted, args.get(1..).unwrap_or_default(), block)?
        }
        "closure_scope" => Rv::Scope,
        _ => return Ok(None),
    }))
}

impl Interp<'_, '_> {
    /// A block with another `self`, and its methods in another class.
    pub(crate) fn with_self(&mut self, block: &Rc<Callable>, this: Rv, class: Option<Name>) -> Rc<Callable> {
        self.rebound(block, this, class, false, None)
    }

    /// A block that `return` ends, with another `self`.
    fn strict_with_self(&mut self, block: &Rc<Callable>, this: Rv) -> Rc<Callable> {
        self.rebound(block, this, None, true, None)
    }

    /// A block with another `self`, and where its methods go; with `method`, as the body of that method.
    pub(crate) fn rebound(
        &mut self,
        block: &Rc<Callable>,
        this: Rv,
        class: Option<Name>,
        strict: bool,
        method: Option<MethodContext>,
    ) -> Rc<Callable> {
        let Callable::Block { lambda, frame, tag: called, .. } = &**block else { return block.clone() };
        let (outer, tag, class) = (Some(frame.clone()), frame.tag, class.or(frame.class));
        let frame = Frame::new(super::Place { outer, this, method, tag, class });
        Rc::new(Callable::Block { lambda: lambda.clone(), frame, strict, tag: *called })
    }

    /// What `create_function` makes of an error in its block.
    fn not_loaded<T>(&mut self, function: &str, flow: Box<Flow>) -> Raise<T> {
        let Flow::Raise(exception) = &*flow else { return Err(flow) };
        if !self.class_below(exception.class, "StandardError") {
            return Err(flow);
        }
        let message = exception.message.borrow().clone();
        let message = self.to_s(&message)?;
        self.raise("ArgumentError", format!("Function Load Error for function '{function}': {message}"))
    }

    /// What stopped a function, for the Puppet language.
    pub(crate) fn stop_of(&mut self, flow: Flow) -> Stop {
        match flow {
            Flow::Raise(exception) => {
                let text = exception.message.borrow().text().unwrap_or_default();
                let (file, line) = (exception.file.borrow().clone(), exception.line.get());
                let (class, of_puppet) = (exception.class, self.class_below(exception.class, "Puppet::Error"));
                self.state().raised = Some(super::Raised { class, of_puppet, message: text, file, line });
                if let Some(stop) = exception.failure.borrow_mut().take() {
                    return stop;
                }
                let message = exception.message.borrow().clone();
                let message = self.to_s(&message).unwrap_or_default();
                if self.class_below(exception.class, "ScriptError") {
                    return Stop::script_error(message.to_string());
                }
                Stop::runtime(message)
            }
            Flow::Stop(stop) => stop,
            Flow::Break(..) => Stop::runtime("break from proc-closure"),
            Flow::Throw(tag, _) => {
                let tag = self.inspect(&tag).unwrap_or_default();
                Stop::runtime(format!("uncaught throw {tag}"))
            }
            Flow::Next(_) | Flow::Retry | Flow::Redo | Flow::Return(..) => Stop::runtime("unexpected return"),
        }
    }
}
