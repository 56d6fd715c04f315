//! Checks that a module's file of a function or type defines exactly that (Puppet::Pops::Loader::PuppetFunctionInstantiator,
//! TypeDefinitionInstantiator).
//!
//! In: a parsed file and the name it was loaded for. Out: the loader's error. Must not: read files.

use std::path::Path;

use crate::program::LoadResult;
use crate::program::LookupKind;
use catwalk_base::diag::Code;
use catwalk_base::diag::Reason;
use catwalk_base::names::Name;
use catwalk_syntax::ast::DefinitionKind;
use catwalk_syntax::ast::Expr;
use catwalk_syntax::ast::ExprKind;
use catwalk_syntax::ast::File;

/// Checks that a file defines what its path says, and only that.
///
/// # Errors
/// The failure has no position: the caller adds the one that uses the definition.
pub(super) fn check(wanted: LookupKind, name: Name, file: &File, path: &Path) -> LoadResult<()> {
    let kind = match wanted {
        LookupKind::Function => "function",
        LookupKind::TypeAlias => "type",
        LookupKind::Class | LookupKind::Define => return Ok(()),
    };
    let shown = path.display();
    let definition = match file.definitions.as_slice() {
        [] => return fail(format!("The code loaded from {shown} does not define the {kind} '{name}' - it is empty.")),
        [only] => only,
        _ => {
            return fail(format!(
                "The code loaded from {shown} must contain only the {kind} '{name}' - it has additional definitions."
            ));
        }
    };
    match (wanted, &definition.kind) {
        (LookupKind::Function, DefinitionKind::Function(_))
        | (LookupKind::TypeAlias, DefinitionKind::TypeAlias(_) | DefinitionKind::TypeDefinition { .. }) => {}
        (LookupKind::Function, _) => {
            return fail(format!(
                "The code loaded from {shown} does not define the function '{name}' - no function found."
            ));
        }
        _ => {
            let text = "no type alias or type definition found.";
            return fail(format!("The code loaded from {shown} does not define the type '{name}' - {text}"));
        }
    }
    let actual = definition.name;
    if wanted == LookupKind::Function && actual != name {
        return fail(format!(
            "The code loaded from {shown} produced function with the wrong name, expected {name}, actual {actual}"
        ));
    }
    if actual.normalized() != name {
        return fail(format!(
            "The code loaded from {shown} produced type with the wrong name, expected '{name}', actual '{actual}'"
        ));
    }
    if let DefinitionKind::TypeAlias(meaning) = &definition.kind
        && path.ends_with("types/init_typeset.pp")
        && !is_type_set(meaning)
    {
        let module = catwalk_value::capitalize(name.as_str());
        return fail(format!("The code loaded from {shown} does not define the TypeSet '{module}'"));
    }
    let alone = match file.body.statements.as_slice() {
        [only] => matches!(only.kind, ExprKind::Definition(_)),
        _ => false,
    };
    if !alone {
        let quoted = if wanted == LookupKind::Function { name.to_string() } else { format!("'{name}'") };
        return fail(format!(
            "The code loaded from {shown} contains additional logic - can only contain the {kind} {quoted}"
        ));
    }
    Ok(())
}

fn is_type_set(meaning: &Expr) -> bool {
    let ExprKind::Access(access) = &meaning.kind else { return false };
    matches!(&access.left.kind, ExprKind::TypeName(name) if *name == "TypeSet")
}

fn fail(text: String) -> LoadResult<()> {
    Err(Box::from(Reason::new(Code::UNUSABLE_FILE, text)))
}
