//! Checks of files that define functions, with the messages of Puppet's loader.
//!
//! In: a file, its value, parts of its signatures. Out: an error or nothing. Must not: run anything.

use crate::PuppetInterp;
use catwalk_base::diag::Diagnostic;
use catwalk_base::diag::Reason;
use catwalk_base::names::Name;
use catwalk_eval::Evaluator;
use catwalk_eval::Res;
use catwalk_eval::Stop;
use catwalk_ruby::Rv;
use catwalk_ruby_syntax::ast::Node;
use catwalk_ruby_syntax::ast::NodeKind;
use catwalk_ruby_syntax::lexer::Kind as Token;
use catwalk_ruby_syntax::lexer::lex;

/// The kind of the last parameter of a signature, which determines the parameters that may follow.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
pub(crate) enum ParamKind {
    #[default]
    Required,
    Optional,
    Repeated,
    Block,
}

/// Checks that a file contains a call that creates a function (Puppet::Pops::Loader::RubyFunctionInstantiator).
pub(crate) fn check_source(ev: &Evaluator<'_>, path: &std::path::Path, file: &str) -> Res<()> {
    let Ok(bytes) = ev.world.read(path) else { return Ok(()) };
    let call = b"Puppet::Functions.create_function";
    if bytes.windows(call.len()).any(|part| part == call) {
        return Ok(());
    }
    let problem = "does not seem to be a Puppet 4x API function - no create_function call.";
    Err(Stop::runtime(format!("The code loaded from {file} {problem}")))
}

/// Checks that the file's value is the function for which it was loaded.
pub(crate) fn check_result(rt: &mut PuppetInterp<'_, '_>, name: Name, value: &Rv, file: &str) -> Res<()> {
    if !matches!(value, Rv::Class(_)) {
        let class = rt.ruby().class_name(value);
        let problem = format!("did not produce a Function class when evaluated. Got '{class}'");
        return Err(Stop::runtime(format!("The code loaded from {file} {problem}")));
    }
    let defined = &rt.host.own.builder.name;
    if *defined != *name.as_str() {
        let problem = format!("produced mis-matched name, expected '{name}', got {defined}");
        return Err(Stop::runtime(format!("The code loaded from {file} {problem}")));
    }
    Ok(())
}

/// Checks the value of a file of 3.x functions (Puppet::Pops::Loader::RubyLegacyFunctionInstantiator).
pub(crate) fn check_legacy_result(rt: &mut PuppetInterp<'_, '_>, name: Name, value: &Rv, file: &str) -> Res<()> {
    let Rv::Hash(info) = value else {
        let class = rt.ruby().class_name(value);
        let problem = format!("did not return the result of calling 'newfunction'. Got '{class}'");
        return Err(Stop::runtime(format!(
            "Illegal legacy function definition! The code loaded from {file} {problem}"
        )));
    };
    let defined = info.get(&Rv::sym("name")).and_then(|name| name.string_or_symbol()).unwrap_or_default();
    if defined.strip_prefix("function_") != Some(name.as_str()) {
        let problem = format!("produced mis-matched name, expected 'function_{name}', got '{defined}'");
        return Err(Stop::runtime(format!("The code loaded from {file} {problem}")));
    }
    Ok(())
}

/// Checks that a file of 3.x functions defines its function and no methods
/// (Puppet::Pops::Loader::RubyLegacyFunctionInstantiator).
pub(crate) fn check_legacy_source(ev: &Evaluator<'_>, path: &std::path::Path, file: &str) -> Res<()> {
    let Ok(bytes) = ev.world.read(path) else { return Ok(()) };
    let source = String::from_utf8_lossy(&bytes);
    let Ok(tokens) = lex(&source) else { return Ok(()) };
    let mut calls_newfunction = false;
    for (at, token) in tokens.iter().enumerate() {
        match &token.kind {
            Token::Ident(name) if &**name == "newfunction" => calls_newfunction = true,
            Token::Keyword("def") => {
                let rest = tokens.get(at + 1..).unwrap_or_default();
                let singleton = matches!(rest.get(1).map(|next| &next.kind), Some(Token::Op(".")));
                let named = rest.get(if singleton { 2 } else { 0 });
                let (name, line) = match named.map(|token| (&token.kind, token.line)) {
                    // The number that the message calls a line is the column.
                    Some((Token::Ident(name), line)) => (&**name, column_of_def(&source, line, name).to_string()),
                    _ => ("<unknown>", "<unknown>".to_owned()),
                };
                let message = format!(
                    "Illegal method definition of method '{name}' in source {file} on line {line} in legacy function. \
                     See {} for more information",
                    ev.settings.version.documentation("functions_refactor_legacy")
                );
                return Err(Stop::Failed(Box::new(Diagnostic::new(Reason::runtime(message), None))));
            }
            _ => {}
        }
    }
    if calls_newfunction {
        return Ok(());
    }
    let message =
        format!("The code loaded from {file} does not seem to be a Puppet 3x API function - no 'newfunction' call.");
    Err(Stop::runtime(message))
}

/// The column of the name of a method that is defined on a line.
fn column_of_def(source: &str, line: u32, name: &str) -> usize {
    let source_line = source.lines().nth(line.saturating_sub(1) as usize).unwrap_or_default();
    let after = source_line.find("def ").map_or(0, |at| at + 4);
    source_line.get(after..).and_then(|rest| rest.find(name)).map_or(after, |at| after + at)
}

/// The class in which Puppet evaluates a file of 3.x functions.
pub(crate) const LEGACY_INSTANTIATOR: &str = "Puppet::Pops::Loader::RubyLegacyFunctionInstantiator";

/// Whether a file begins with `module Puppet`. In Puppet's loader that is a new module inside the loader's class, without
/// Puppet's constants.
pub(crate) fn opens_puppet(node: &Node) -> bool {
    crate::data_type::statements(node).iter().any(|statement| match &statement.kind {
        NodeKind::Class(class) if !class.is_class => {
            let path = class.path.as_ref().map(|path| &path.kind);
            matches!(path, Some(NodeKind::Const(None, name)) if name.as_str() == "Puppet")
        }
        _ => false,
    })
}

/// The error for a parameter's type that does not parse, if it makes the signature wrong.
/// (`Puppet::Functions::DispatcherBuilder#internal_type_parse`)
pub(crate) fn param_type_error(
    rt: &mut PuppetInterp<'_, '_>,
    function: Name,
    params: &[String],
    reason: Reason,
) -> Stop {
    for param in params {
        let Some((type_source, _)) = param.rsplit_once(" $").or_else(|| param.rsplit_once(" *$")) else { continue };
        if catwalk_syntax::parse_expression(type_source).is_ok() {
            continue;
        }
        let message = match rt.host.ev.parse_type(type_source) {
            Err(Stop::Reason(reason)) => reason.message,
            Err(Stop::Failed(diagnostic)) => diagnostic.message,
            _ => continue,
        };
        let problem = format!("Parsing of type string '\"{type_source}\"' failed with message: <{message}>.\n");
        return Stop::runtime(format!("Function Load Error for function '{function}': {problem}"));
    }
    reason.into()
}

/// The error for a part of a signature at a position where it is not allowed (`Puppet::Functions::DispatcherBuilder`).
pub(crate) fn part_error(rt: &mut PuppetInterp<'_, '_>, last: ParamKind, name: &str, args: &[Rv]) -> Option<String> {
    let mut class =
        |at: usize| args.get(at).map_or("NilClass".to_owned(), |value| rt.ruby().class_name(value).to_string());
    let is_type = |at: usize| matches!(args.get(at), Some(Rv::Str(_) | Rv::Puppet(_)));
    match name {
        "param"
        | "required_param"
        | "optional_param"
        | "repeated_param"
        | "optional_repeated_param"
        | "required_repeated_param" => {
            let error = match last {
                ParamKind::Block => Some("Parameters cannot be added after a block parameter"),
                ParamKind::Repeated => Some("Parameters cannot be added after a repeated parameter"),
                ParamKind::Required | ParamKind::Optional => None,
            };
            if let Some(error) = error {
                return Some(error.to_owned());
            }
            if matches!(args.get(1), Some(Rv::Str(_))) {
                return Some(format!("Parameter name argument must be a Symbol. Got {}", class(1)));
            }
            if !is_type(0) {
                let message = "Parameter 'type' must be a String reference to a Puppet Data Type. Got";
                return Some(format!("{message} {}", class(0)));
            }
            match (last, name) {
                (ParamKind::Optional, "param" | "required_param") => {
                    Some("A required parameter cannot be added after an optional parameter".to_owned())
                }
                (ParamKind::Optional, "required_repeated_param") => {
                    Some("A required repeated parameter cannot be added after an optional parameter".to_owned())
                }
                _ => None,
            }
        }
        "block_param" | "required_block_param" | "optional_block_param" => {
            let named = args.len().checked_sub(1);
            match named {
                Some(2..) => Some(format!("block_param accepts max 2 arguments (type, name), got {}.", args.len())),
                Some(at) if !matches!(args.get(at), Some(Rv::Sym(_))) => {
                    Some(format!("Expected block_param name to be a Symbol, got {}", class(at)))
                }
                _ if last == ParamKind::Block => Some("Attempt to redefine block".to_owned()),
                _ => None,
            }
        }
        "return_type" if !is_type(0) => {
            let message = "Argument to 'return_type' must be a String reference to a Puppet Data Type. Got";
            Some(format!("{message} {}", class(0)))
        }
        _ => None,
    }
}
