//! `dispatch("(String $text) >> String", f)`: assigns a signature to a function of a script.

use std::borrow::Cow;

use rhai::EvalAltResult;
use rhai::FnPtr;
use rhai::NativeCallContext;

use crate::state;
use catwalk_base::diag::Code;
use catwalk_base::diag::Reason;
use catwalk_eval::Signature;
use catwalk_value::Type;
use catwalk_value::parse::AliasResolver;

/// A `dispatch` line.
#[derive(Debug)]
pub(super) struct Dispatch {
    /// The parameters and the return type.
    pub(super) signature: DispatchSignature,
    /// The function of the script.
    pub(super) entry: String,
    /// The source of the signature.
    pub(super) text: String,
}

impl Dispatch {
    /// Parses one `dispatch` line.
    ///
    /// # Errors
    ///
    /// The string is not a signature.
    pub(super) fn new(text: &str, entry: &str) -> Result<Dispatch, Reason> {
        let source = remove_parentheses(text);
        let signature = match Signature::parse_parameters(&source, &mut LanguageTypes) {
            Ok(signature) => DispatchSignature::Parsed(Box::new(signature)),
            Err(reason) if reason.code == Code::TYPE_OF_SITE => DispatchSignature::SiteTypes(source.into_owned()),
            Err(reason) => return Err(reason),
        };
        Ok(Dispatch { signature, entry: entry.to_owned(), text: text.to_owned() })
    }
}

/// The signature in a `dispatch` line.
#[derive(Debug)]
pub(super) enum DispatchSignature {
    /// A signature with types of the language only, which do not depend on the site.
    Parsed(Box<Signature>),
    /// The source of a signature with types of the site, which each compile resolves.
    SiteTypes(String),
}

/// Runs the top of a script and returns the `dispatch` lines that it ran.
pub(super) fn collect<T>(run: impl FnOnce() -> T) -> (T, Vec<Dispatch>) {
    let before = state::call(|call| call.dispatches.replace(Vec::new()));
    let result = run();
    let dispatches = state::call(|call| std::mem::replace(&mut call.dispatches, before)).unwrap_or_default();
    (result, dispatches)
}

/// The script function `dispatch`.
pub(super) fn dispatch(ctx: &NativeCallContext, text: &str, entry: &FnPtr) -> Result<(), Box<EvalAltResult>> {
    let fail = |why: String| Err(Box::new(EvalAltResult::ErrorRuntime(why.into(), ctx.call_position())));
    let line = match Dispatch::new(text, entry.fn_name()) {
        Ok(line) => line,
        Err(reason) => return fail(format!("dispatch: {}", reason.message)),
    };
    state::call(|call| match &mut call.dispatches {
        Some(collected) => {
            collected.push(line);
            Ok(())
        }
        None => fail("dispatch() belongs at the top of a script, outside of functions".to_owned()),
    })
}

/// Removes the parentheses around the parameters of `(String $a) >> String`. Signatures of functions in Rust have none.
fn remove_parentheses(text: &str) -> Cow<'_, str> {
    let text = text.trim();
    let Some(inner) = text.strip_prefix('(') else { return Cow::Borrowed(text) };
    let is_end = |at: &usize| {
        let rest = inner.get(at + 1..).unwrap_or("").trim_start();
        rest.is_empty() || rest.starts_with(">>")
    };
    let close = inner.match_indices(')').map(|(at, _)| at).find(is_end);
    match close.and_then(|at| Some((inner.get(..at)?, inner.get(at + 1..)?))) {
        Some((parameters, rest)) => Cow::Owned(format!("{parameters}{rest}")),
        None => Cow::Borrowed(text),
    }
}

/// Resolves only types of the language: those of modules are unknown where a script is loaded, and in worker processes.
pub(super) struct LanguageTypes;

impl AliasResolver for LanguageTypes {
    fn resolve(&mut self, name: &str) -> Result<Option<Type>, Reason> {
        Err(Reason::new(Code::TYPE_OF_SITE, format!("{name} is a type of the site")))
    }
}
