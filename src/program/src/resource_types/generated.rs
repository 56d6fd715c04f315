//! Resource types that `puppet generate types` wrote: one call of `Puppet::Resource::ResourceType3.new` in each file
//! (Puppet::Pops::Loader::PuppetResourceTypeImplInstantiator, Puppet::Pops::Resource::ResourceTypeImpl).
//!
//! In: a parsed file. Out: a [`ResourceType`]. Must not: find files, evaluate: what the generator writes is literal.

use indexmap::IndexMap;
use rustc_hash::FxBuildHasher;

use super::AttributeKind;
use super::ResourceType;
use super::TitlePattern;
use super::whole_title;
use catwalk_base::diag::Diagnostic;
use catwalk_base::diag::Reason;
use catwalk_base::names::Name;
use catwalk_base::source::Span;
use catwalk_syntax::ast::Expr;
use catwalk_syntax::ast::ExprKind;
use catwalk_syntax::ast::File;

/// The type of all generated types.
const RESOURCE_TYPE: &str = "Puppet::Resource::ResourceType3";

/// The type of their attributes.
const PARAM: &str = "Puppet::Resource::Param";

/// Types of the language: files of their names are not looked at (Puppet::Pops::Loader::StaticLoader::BUILTIN_TYPE_NAMES).
const BUILTIN: [&str; 15] = [
    "component",
    "exec",
    "file",
    "filebucket",
    "group",
    "node",
    "notify",
    "package",
    "resources",
    "schedule",
    "service",
    "stage",
    "tidy",
    "user",
    "whit",
];

/// The folder of an environment in which the files are.
pub const FOLDER: &str = ".resource_types";

/// Whether a type of this name, lower case, may be generated.
#[must_use]
pub(crate) fn may_be(name: &str) -> bool {
    !BUILTIN.contains(&name)
}

/// The type `name` that a file should create; `path` is the file's name in messages.
///
/// # Errors
///
/// Without a position: the file creates no type, a different type, or more than one. With a position: code that the generator
/// never writes.
pub fn read(name: Name, file: &File, path: &str) -> Result<ResourceType, Box<Diagnostic>> {
    let fail = |text: String| Err(Box::from(Reason::runtime(text)));
    let statements: Vec<&Expr> =
        file.body.statements.iter().filter(|statement| !matches!(statement.kind, ExprKind::Nop)).collect();
    if statements.is_empty() {
        return fail(format!("The code loaded from {path} does not create the resource type '{name}' - it is empty"));
    }
    let Some(arguments) = statements.iter().find_map(|statement| created(statement)) else {
        let text = format!(
            "The code loaded from {path} does not create the resource type '{name}' - no call to {RESOURCE_TYPE}.new found."
        );
        return fail(text);
    };
    if statements.len() != 1 {
        let text = format!(
            "The code loaded from {path} must contain only the creation of resource type '{name}' - it has additional logic."
        );
        return fail(text);
    }
    let (own, resource_type) = resource_type(arguments, file.body.span)?;
    if own != name.as_str() {
        let text = format!(
            "The code loaded from {path} produced resource type with the wrong name, expected '{name}', actual '{own}'"
        );
        return fail(text);
    }
    Ok(resource_type)
}

/// The arguments of a statement that creates a resource type.
fn created(statement: &Expr) -> Option<&[Expr]> {
    let ExprKind::Method(call) = &statement.kind else { return None };
    let is_type = matches!(&call.receiver.kind, ExprKind::TypeName(name) if name.as_str() == RESOURCE_TYPE);
    (is_type && call.name.as_str() == "new").then_some(&call.args)
}

/// ResourceTypeImpl#initialize: name, properties, parameters, title patterns, whether resources with equal keys are one.
fn resource_type(arguments: &[Expr], span: Span) -> Result<(String, ResourceType), Box<Diagnostic>> {
    let mut arguments = arguments.iter();
    let produced = match arguments.next() {
        Some(name) => text(name)?.to_owned(),
        None => return Err(other(span, "a type without a name")),
    };
    let mut attributes: IndexMap<Name, AttributeKind, FxBuildHasher> = IndexMap::default();
    let mut key_attributes = Vec::new();
    for kind in [AttributeKind::Property, AttributeKind::Parameter] {
        let Some(list) = arguments.next() else { break };
        for attribute in items(list)? {
            let (name, is_key) = param(attribute)?;
            attributes.insert(name, kind);
            if is_key {
                key_attributes.push(name);
            }
        }
    }
    let patterns = arguments.next().map(title_patterns).transpose()?.flatten();
    let isomorphic = arguments.next().map(boolean).transpose()?.unwrap_or(true);
    let title_patterns = match (key_attributes.as_slice(), patterns) {
        // Patterns without an attribute to name are not used (Puppet::Resource#parse_title).
        ([], _) => whole_title(catwalk_base::name!("name")),
        ([only], None) => whole_title(*only),
        (_, patterns) => patterns.unwrap_or_default(),
    };
    let resource_type = ResourceType {
        name: Name::new(&produced),
        attributes,
        key_attributes,
        title_patterns,
        isomorphic,
        from_api: false,
        generated: true,
        gaps: Vec::new(),
        definition: None,
        warnings: Vec::new(),
    };
    Ok((produced, resource_type))
}

/// An attribute's name, and whether it identifies a resource. Its type decides nothing for a compiler.
fn param(expr: &Expr) -> Result<(Name, bool), Box<Diagnostic>> {
    let arguments = match &expr.kind {
        ExprKind::Call(call) => match &call.callee.kind {
            ExprKind::TypeName(name) if name.as_str() == PARAM => &call.args,
            _ => return Err(other(expr.span, "this attribute")),
        },
        _ => return Err(other(expr.span, "this attribute")),
    };
    match arguments.as_slice() {
        [_, name] => Ok((Name::new(text(name)?), false)),
        [_, name, is_key] => Ok((Name::new(text(name)?), boolean(is_key)?)),
        _ => Err(other(expr.span, "this attribute")),
    }
}

fn title_patterns(expr: &Expr) -> Result<Option<Vec<TitlePattern>>, Box<Diagnostic>> {
    let entries = match &expr.kind {
        ExprKind::Hash(entries) => entries,
        ExprKind::Undef => return Ok(None),
        _ => return Err(other(expr.span, "these title patterns")),
    };
    let pattern = |entry: &catwalk_syntax::ast::HashEntry| {
        let ExprKind::Regex(regexp) = &entry.key.kind else { return Err(other(entry.key.span, "this title pattern")) };
        let names = items(&entry.value)?.iter().map(|name| text(name).map(Name::new)).collect::<Result<_, _>>()?;
        Ok(TitlePattern { regexp: regexp.as_ref().clone(), names })
    };
    entries.iter().map(pattern).collect::<Result<_, _>>().map(Some)
}

fn items(expr: &Expr) -> Result<&[Expr], Box<Diagnostic>> {
    match &expr.kind {
        ExprKind::Array(items) => Ok(items),
        _ => Err(other(expr.span, "this list")),
    }
}

fn text(expr: &Expr) -> Result<&str, Box<Diagnostic>> {
    match &expr.kind {
        ExprKind::Str(text) => Ok(text),
        _ => Err(other(expr.span, "this text")),
    }
}

fn boolean(expr: &Expr) -> Result<bool, Box<Diagnostic>> {
    match expr.kind {
        ExprKind::Bool(value) => Ok(value),
        _ => Err(other(expr.span, "this value")),
    }
}

fn other(span: Span, what: &str) -> Box<Diagnostic> {
    let feature = format!("{what} of a resource type in {FOLDER}, which `puppet generate types` does not write");
    Box::new(Diagnostic::new(Reason::unsupported(&feature), Some(span)))
}
